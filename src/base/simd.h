/* simd.h: the instruction set that the kernels use. A kernel is one source, compiled once for every set; all results
 * are bit-identical, so the choice affects speed alone. */
#ifndef MUS_BASE_SIMD_H
#define MUS_BASE_SIMD_H

typedef enum mus_simd { MUS_SIMD_BASELINE, MUS_SIMD_AVX2, MUS_SIMD_AVX512, MUS_SIMD_COUNT } mus_simd;

/* The set in use: the widest that this processor supports, or the one given to mus_set_simd_level. Any thread. */
mus_simd mus_simd_level(void);
const char *mus_simd_name(mus_simd level);

#endif
