/* simd.h: which instruction set the kernels use. A kernel is one source, compiled once for every set; all give the same
 * bits, so the choice is one of speed alone. */
#ifndef MUS_BASE_SIMD_H
#define MUS_BASE_SIMD_H

typedef enum mus_simd { MUS_SIMD_BASELINE, MUS_SIMD_AVX2, MUS_SIMD_AVX512, MUS_SIMD_COUNT } mus_simd;

/* The set in use: the widest of this processor, or the one that mus_simd_choose was given. Any thread. */
mus_simd mus_simd_level(void);
const char *mus_simd_name(mus_simd level);

#endif
