/* build.c: describes this library's build and the machine it runs on, for manifests and --version. */
#include "base/simd.h"
#include "muslin/build.h"

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " TEXT(__GNUC__) "." TEXT(__GNUC_MINOR__) "." TEXT(__GNUC_PATCHLEVEL__)
#else
#define COMPILER "unknown"
#endif

/* All code except the kernels is built for the baseline; this is the processor's level, to explain a difference if one
 * is ever seen. */
static const char *cpu_level(void) {
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return "x86-64-v4";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
        return "x86-64-v3";
    if (__builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt")) return "x86-64-v2";
    return "x86-64-v1";
#elif defined(__aarch64__)
    return "aarch64";
#else
    return "unknown";
#endif
}

const char *mus_get_version(void) {
    return MUS_VERSION;
}

mus_build mus_get_build(void) {
    return (mus_build){
        .version = MUS_VERSION, .compiler = COMPILER, .cpu = cpu_level(), .simd = mus_simd_name(mus_simd_level())};
}
