/* simd.c: choice of the kernels' instruction set, by what the processor and its operating system offer. */
#include "base/simd.h"
#include "muslin/build.h"

#include <stdatomic.h>
#include <string.h>

static const char *const names[MUS_SIMD_COUNT] = {"baseline", "avx2", "avx512"};

/* The level in use plus one; 0: not determined yet. Two threads that determine it at once find the same. */
static atomic_int chosen;

/* The widest level that the processor supports with all flags of its kernels (Makefile, LEVEL_*). */
static mus_simd widest(void) {
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2")) return MUS_SIMD_BASELINE;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return MUS_SIMD_AVX512;
    return MUS_SIMD_AVX2;
}

mus_simd mus_simd_level(void) {
    int level = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (level == 0) {
        level = (int)widest() + 1;
        atomic_store_explicit(&chosen, level, memory_order_relaxed);
    }
    return (mus_simd)(level - 1);
}

const char *mus_simd_name(mus_simd level) {
    return names[level];
}

mus_status mus_set_simd_level(const char *level) {
    mus_simd most = widest();
    int wanted = -1;
    if (!level) wanted = (int)most;
    for (int k = 0; level && k < MUS_SIMD_COUNT; k++)
        if (strcmp(level, names[k]) == 0) wanted = k;
    if (wanted < 0)
        return mus_fail(MUS_STATUS_INVALID, "simd: level must be baseline, avx2 or avx512 (got '%s')", level);
    if (wanted > (int)most)
        return mus_fail(MUS_STATUS_INVALID, "simd: level '%s' is not supported by this processor; the highest is '%s'",
                        level, names[most]);
    atomic_store_explicit(&chosen, wanted + 1, memory_order_relaxed);
    return MUS_STATUS_OK;
}
