/* simd_double.h: W doubles side by side, for kernels: 2 (SSE2), 4 (AVX2) or 8 (AVX-512) by MUS_SIMD_TARGET, which the
 * Makefile defines together with the compiler's flags. Every operation rounds each lane as the scalar one does, no
 * operation crosses lanes, and a mask is one truth value per lane: so results do not depend on W. */
#ifndef MUS_BASE_SIMD_DOUBLE_H
#define MUS_BASE_SIMD_DOUBLE_H

#include "base/simd.h"
#include "base/vec.h"

#include <immintrin.h>
#include <stdint.h>

#ifndef MUS_SIMD_TARGET
#define MUS_SIMD_TARGET 0
#endif

/* The name of a kernel's function for this target. */
#define MUS_KERNEL_JOIN(name, level) name##_##level
#if MUS_SIMD_TARGET == 2
#define MUS_KERNEL(name) MUS_KERNEL_JOIN(name, avx512)
#elif MUS_SIMD_TARGET == 1
#define MUS_KERNEL(name) MUS_KERNEL_JOIN(name, avx2)
#else
#define MUS_KERNEL(name) MUS_KERNEL_JOIN(name, baseline)
#endif

#define SIMD_FN static inline __attribute__((always_inline))

#if MUS_SIMD_TARGET == 2

enum { SIMD_WIDTH = 8 };
typedef __m512d simd_double;
typedef __mmask8 mask;

SIMD_FN simd_double simd_set1(double a) {
    return _mm512_set1_pd(a);
}
SIMD_FN simd_double simd_load(const double *p) {
    return _mm512_loadu_pd(p);
}
SIMD_FN void simd_store(double *p, simd_double a) {
    _mm512_storeu_pd(p, a);
}
SIMD_FN simd_double simd_add(simd_double a, simd_double b) {
    return _mm512_add_pd(a, b);
}
SIMD_FN simd_double simd_sub(simd_double a, simd_double b) {
    return _mm512_sub_pd(a, b);
}
SIMD_FN simd_double simd_mul(simd_double a, simd_double b) {
    return _mm512_mul_pd(a, b);
}
SIMD_FN simd_double simd_div(simd_double a, simd_double b) {
    return _mm512_div_pd(a, b);
}
SIMD_FN simd_double simd_sqrt(simd_double a) {
    return _mm512_sqrt_pd(a);
}
/* The lesser or greater; b if either is NaN. */
SIMD_FN simd_double simd_min(simd_double a, simd_double b) {
    return _mm512_min_pd(a, b);
}
SIMD_FN simd_double simd_max(simd_double a, simd_double b) {
    return _mm512_max_pd(a, b);
}
SIMD_FN simd_double simd_abs(simd_double a) {
    return _mm512_andnot_pd(_mm512_set1_pd(-0.0), a);
}
SIMD_FN simd_double simd_neg(simd_double a) {
    return _mm512_xor_pd(_mm512_set1_pd(-0.0), a);
}
SIMD_FN mask simd_greater(simd_double a, simd_double b) { /* a > b */
    return _mm512_cmp_pd_mask(a, b, _CMP_GT_OQ);
}
SIMD_FN mask simd_greater_equal(simd_double a, simd_double b) { /* a >= b */
    return _mm512_cmp_pd_mask(a, b, _CMP_GE_OQ);
}
SIMD_FN mask simd_equal(simd_double a, simd_double b) {
    return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ);
}
SIMD_FN mask simd_ordered(simd_double a, simd_double b) { /* neither is NaN */
    return _mm512_cmp_pd_mask(a, b, _CMP_ORD_Q);
}
SIMD_FN simd_double simd_select(mask m, simd_double a, simd_double b) { /* a where m, else b */
    return _mm512_mask_blend_pd(m, b, a);
}
SIMD_FN mask mask_and(mask a, mask b) {
    return (mask)(a & b);
}
SIMD_FN mask mask_or(mask a, mask b) {
    return (mask)(a | b);
}
SIMD_FN mask mask_without(mask a, mask b) { /* a and not b */
    return (mask)(a & ~b);
}
SIMD_FN uint32_t mask_bits(mask m) { /* bit k: lane k */
    return m;
}
SIMD_FN mask mask_of_bits(uint32_t bits) {
    return (mask)bits;
}

/* Loads points x[place[0]], x[place[stride]], … as coordinates. Each point is loaded by itself: whole rows and a
 * transposition cost less than gather instructions. */
SIMD_FN __m512d simd_load_two_v3(const v3 *low, const v3 *high) {
    return _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_maskz_loadu_pd(7, &low->x)),
                              _mm256_maskz_loadu_pd(7, &high->x), 1);
}
SIMD_FN void simd_gather3(const v3 *x, const int32_t *place, int stride, simd_double out[3]) {
    const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13),
                  high = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    __m512d r0 = simd_load_two_v3(&x[place[0]], &x[place[4 * stride]]);
    __m512d r1 = simd_load_two_v3(&x[place[stride]], &x[place[5 * stride]]);
    __m512d r2 = simd_load_two_v3(&x[place[2 * stride]], &x[place[6 * stride]]);
    __m512d r3 = simd_load_two_v3(&x[place[3 * stride]], &x[place[7 * stride]]);
    __m512d xz0 = _mm512_unpacklo_pd(r0, r1), xz1 = _mm512_unpacklo_pd(r2, r3);
    out[0] = _mm512_permutex2var_pd(xz0, low, xz1);
    out[1] = _mm512_permutex2var_pd(_mm512_unpackhi_pd(r0, r1), low, _mm512_unpackhi_pd(r2, r3));
    out[2] = _mm512_permutex2var_pd(xz0, high, xz1);
}

/* Loads four numbers each from at + place[0], at + place[1], … on, and stores them back. Data written as a whole are
 * read as a whole: no load waits for several stores. */
SIMD_FN __m512d simd_load_two_4(const double *low, const double *high) {
    return _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(low)), _mm256_loadu_pd(high), 1);
}
SIMD_FN void simd_gather4(const double *at, const uint32_t *place, simd_double out[4]) {
    const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13),
                  high = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    __m512d r0 = simd_load_two_4(at + place[0], at + place[4]), r1 = simd_load_two_4(at + place[1], at + place[5]);
    __m512d r2 = simd_load_two_4(at + place[2], at + place[6]), r3 = simd_load_two_4(at + place[3], at + place[7]);
    __m512d xz0 = _mm512_unpacklo_pd(r0, r1), xz1 = _mm512_unpacklo_pd(r2, r3);
    __m512d yw0 = _mm512_unpackhi_pd(r0, r1), yw1 = _mm512_unpackhi_pd(r2, r3);
    out[0] = _mm512_permutex2var_pd(xz0, low, xz1);
    out[1] = _mm512_permutex2var_pd(yw0, low, yw1);
    out[2] = _mm512_permutex2var_pd(xz0, high, xz1);
    out[3] = _mm512_permutex2var_pd(yw0, high, yw1);
}
SIMD_FN void simd_scatter4(double *at, const uint32_t *place, const simd_double in[4]) {
    const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11),
                  last = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    for (int odd = 0; odd < 2; odd++) {
        __m512d xy = odd ? _mm512_unpackhi_pd(in[0], in[1]) : _mm512_unpacklo_pd(in[0], in[1]);
        __m512d zw = odd ? _mm512_unpackhi_pd(in[2], in[3]) : _mm512_unpacklo_pd(in[2], in[3]);
        __m512d a = _mm512_permutex2var_pd(xy, first, zw), b = _mm512_permutex2var_pd(xy, last, zw);
        _mm256_storeu_pd(at + place[odd], _mm512_castpd512_pd256(a));
        _mm256_storeu_pd(at + place[2 + odd], _mm512_extractf64x4_pd(a, 1));
        _mm256_storeu_pd(at + place[4 + odd], _mm512_castpd512_pd256(b));
        _mm256_storeu_pd(at + place[6 + odd], _mm512_extractf64x4_pd(b, 1));
    }
}

/* Converts contiguous points to coordinates, and back. */
SIMD_FN void simd_deinterleave3(const double *points, simd_double out[3]) {
    __m512d a = simd_load(points), b = simd_load(points + 8), c = simd_load(points + 16);
    const __m512i x = _mm512_setr_epi64(0, 3, 6, 9, 12, 15, 0, 0), x2 = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 10, 13);
    const __m512i y = _mm512_setr_epi64(1, 4, 7, 10, 13, 0, 0, 0), y2 = _mm512_setr_epi64(0, 1, 2, 3, 4, 8, 11, 14);
    const __m512i z = _mm512_setr_epi64(2, 5, 8, 11, 14, 0, 0, 0), z2 = _mm512_setr_epi64(0, 1, 2, 3, 4, 9, 12, 15);
    out[0] = _mm512_permutex2var_pd(_mm512_permutex2var_pd(a, x, b), x2, c);
    out[1] = _mm512_permutex2var_pd(_mm512_permutex2var_pd(a, y, b), y2, c);
    out[2] = _mm512_permutex2var_pd(_mm512_permutex2var_pd(a, z, b), z2, c);
}
SIMD_FN void simd_interleave3(double *points, const simd_double in[3]) {
    const __m512i a = _mm512_setr_epi64(0, 8, 0, 1, 9, 0, 2, 10), a2 = _mm512_setr_epi64(0, 1, 8, 3, 4, 9, 6, 7);
    const __m512i b = _mm512_setr_epi64(0, 3, 11, 0, 4, 12, 0, 5), b2 = _mm512_setr_epi64(10, 1, 2, 11, 4, 5, 12, 7);
    const __m512i c = _mm512_setr_epi64(13, 0, 6, 14, 0, 7, 15, 0), c2 = _mm512_setr_epi64(0, 13, 2, 3, 14, 5, 6, 15);
    simd_store(points, _mm512_permutex2var_pd(_mm512_permutex2var_pd(in[0], a, in[1]), a2, in[2]));
    simd_store(points + 8, _mm512_permutex2var_pd(_mm512_permutex2var_pd(in[0], b, in[1]), b2, in[2]));
    simd_store(points + 16, _mm512_permutex2var_pd(_mm512_permutex2var_pd(in[0], c, in[1]), c2, in[2]));
}

#elif MUS_SIMD_TARGET == 1

enum { SIMD_WIDTH = 4 };
typedef __m256d simd_double;
typedef __m256d mask;

SIMD_FN simd_double simd_set1(double a) {
    return _mm256_set1_pd(a);
}
SIMD_FN simd_double simd_load(const double *p) {
    return _mm256_loadu_pd(p);
}
SIMD_FN void simd_store(double *p, simd_double a) {
    _mm256_storeu_pd(p, a);
}
SIMD_FN simd_double simd_add(simd_double a, simd_double b) {
    return _mm256_add_pd(a, b);
}
SIMD_FN simd_double simd_sub(simd_double a, simd_double b) {
    return _mm256_sub_pd(a, b);
}
SIMD_FN simd_double simd_mul(simd_double a, simd_double b) {
    return _mm256_mul_pd(a, b);
}
SIMD_FN simd_double simd_div(simd_double a, simd_double b) {
    return _mm256_div_pd(a, b);
}
SIMD_FN simd_double simd_sqrt(simd_double a) {
    return _mm256_sqrt_pd(a);
}
SIMD_FN simd_double simd_min(simd_double a, simd_double b) {
    return _mm256_min_pd(a, b);
}
SIMD_FN simd_double simd_max(simd_double a, simd_double b) {
    return _mm256_max_pd(a, b);
}
SIMD_FN simd_double simd_abs(simd_double a) {
    return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a);
}
SIMD_FN simd_double simd_neg(simd_double a) {
    return _mm256_xor_pd(_mm256_set1_pd(-0.0), a);
}
SIMD_FN mask simd_greater(simd_double a, simd_double b) {
    return _mm256_cmp_pd(a, b, _CMP_GT_OQ);
}
SIMD_FN mask simd_greater_equal(simd_double a, simd_double b) {
    return _mm256_cmp_pd(a, b, _CMP_GE_OQ);
}
SIMD_FN mask simd_equal(simd_double a, simd_double b) {
    return _mm256_cmp_pd(a, b, _CMP_EQ_OQ);
}
SIMD_FN mask simd_ordered(simd_double a, simd_double b) {
    return _mm256_cmp_pd(a, b, _CMP_ORD_Q);
}
SIMD_FN simd_double simd_select(mask m, simd_double a, simd_double b) {
    return _mm256_blendv_pd(b, a, m);
}
SIMD_FN mask mask_and(mask a, mask b) {
    return _mm256_and_pd(a, b);
}
SIMD_FN mask mask_or(mask a, mask b) {
    return _mm256_or_pd(a, b);
}
SIMD_FN mask mask_without(mask a, mask b) {
    return _mm256_andnot_pd(b, a);
}
SIMD_FN uint32_t mask_bits(mask m) {
    return (uint32_t)_mm256_movemask_pd(m);
}
SIMD_FN mask mask_of_bits(uint32_t bits) {
    const __m256i each = _mm256_setr_epi64x(1, 2, 4, 8);
    return _mm256_castsi256_pd(_mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(bits), each), each));
}

SIMD_FN void simd_gather3(const v3 *x, const int32_t *place, int stride, simd_double out[3]) {
    const __m256i three = _mm256_setr_epi64x(-1, -1, -1, 0);
    __m256d r0 = _mm256_maskload_pd(&x[place[0]].x, three), r1 = _mm256_maskload_pd(&x[place[stride]].x, three);
    __m256d r2 = _mm256_maskload_pd(&x[place[2 * stride]].x, three);
    __m256d r3 = _mm256_maskload_pd(&x[place[3 * stride]].x, three);
    __m256d xz0 = _mm256_unpacklo_pd(r0, r1), xz1 = _mm256_unpacklo_pd(r2, r3);
    out[0] = _mm256_permute2f128_pd(xz0, xz1, 0x20);
    out[1] = _mm256_permute2f128_pd(_mm256_unpackhi_pd(r0, r1), _mm256_unpackhi_pd(r2, r3), 0x20);
    out[2] = _mm256_permute2f128_pd(xz0, xz1, 0x31);
}

SIMD_FN void simd_gather4(const double *at, const uint32_t *place, simd_double out[4]) {
    __m256d r0 = _mm256_loadu_pd(at + place[0]), r1 = _mm256_loadu_pd(at + place[1]);
    __m256d r2 = _mm256_loadu_pd(at + place[2]), r3 = _mm256_loadu_pd(at + place[3]);
    __m256d xz0 = _mm256_unpacklo_pd(r0, r1), xz1 = _mm256_unpacklo_pd(r2, r3);
    __m256d yw0 = _mm256_unpackhi_pd(r0, r1), yw1 = _mm256_unpackhi_pd(r2, r3);
    out[0] = _mm256_permute2f128_pd(xz0, xz1, 0x20);
    out[1] = _mm256_permute2f128_pd(yw0, yw1, 0x20);
    out[2] = _mm256_permute2f128_pd(xz0, xz1, 0x31);
    out[3] = _mm256_permute2f128_pd(yw0, yw1, 0x31);
}
SIMD_FN void simd_scatter4(double *at, const uint32_t *place, const simd_double in[4]) {
    for (int odd = 0; odd < 2; odd++) {
        __m256d xy = odd ? _mm256_unpackhi_pd(in[0], in[1]) : _mm256_unpacklo_pd(in[0], in[1]);
        __m256d zw = odd ? _mm256_unpackhi_pd(in[2], in[3]) : _mm256_unpacklo_pd(in[2], in[3]);
        _mm256_storeu_pd(at + place[odd], _mm256_permute2f128_pd(xy, zw, 0x20));
        _mm256_storeu_pd(at + place[2 + odd], _mm256_permute2f128_pd(xy, zw, 0x31));
    }
}

SIMD_FN void simd_deinterleave3(const double *points, simd_double out[3]) {
    __m256d a = simd_load(points), b = simd_load(points + 4), c = simd_load(points + 8);
    __m256d xy = _mm256_permute2f128_pd(a, b, 0x30), zx = _mm256_permute2f128_pd(a, c, 0x21);
    __m256d yz = _mm256_permute2f128_pd(b, c, 0x30);
    out[0] = _mm256_shuffle_pd(xy, zx, 10);
    out[1] = _mm256_shuffle_pd(xy, yz, 5);
    out[2] = _mm256_shuffle_pd(zx, yz, 10);
}
SIMD_FN void simd_interleave3(double *points, const simd_double in[3]) {
    __m256d xy = _mm256_shuffle_pd(in[0], in[1], 0), zx = _mm256_shuffle_pd(in[2], in[0], 10);
    __m256d yz = _mm256_shuffle_pd(in[1], in[2], 15);
    simd_store(points, _mm256_permute2f128_pd(xy, zx, 0x20));
    simd_store(points + 4, _mm256_permute2f128_pd(yz, xy, 0x30));
    simd_store(points + 8, _mm256_permute2f128_pd(zx, yz, 0x31));
}

#else

enum { SIMD_WIDTH = 2 };
typedef __m128d simd_double;
typedef __m128d mask;

SIMD_FN simd_double simd_set1(double a) {
    return _mm_set1_pd(a);
}
SIMD_FN simd_double simd_load(const double *p) {
    return _mm_loadu_pd(p);
}
SIMD_FN void simd_store(double *p, simd_double a) {
    _mm_storeu_pd(p, a);
}
SIMD_FN simd_double simd_add(simd_double a, simd_double b) {
    return _mm_add_pd(a, b);
}
SIMD_FN simd_double simd_sub(simd_double a, simd_double b) {
    return _mm_sub_pd(a, b);
}
SIMD_FN simd_double simd_mul(simd_double a, simd_double b) {
    return _mm_mul_pd(a, b);
}
SIMD_FN simd_double simd_div(simd_double a, simd_double b) {
    return _mm_div_pd(a, b);
}
SIMD_FN simd_double simd_sqrt(simd_double a) {
    return _mm_sqrt_pd(a);
}
SIMD_FN simd_double simd_min(simd_double a, simd_double b) {
    return _mm_min_pd(a, b);
}
SIMD_FN simd_double simd_max(simd_double a, simd_double b) {
    return _mm_max_pd(a, b);
}
SIMD_FN simd_double simd_abs(simd_double a) {
    return _mm_andnot_pd(_mm_set1_pd(-0.0), a);
}
SIMD_FN simd_double simd_neg(simd_double a) {
    return _mm_xor_pd(_mm_set1_pd(-0.0), a);
}
SIMD_FN mask simd_greater(simd_double a, simd_double b) {
    return _mm_cmpgt_pd(a, b);
}
SIMD_FN mask simd_greater_equal(simd_double a, simd_double b) {
    return _mm_cmpge_pd(a, b);
}
SIMD_FN mask simd_equal(simd_double a, simd_double b) {
    return _mm_cmpeq_pd(a, b);
}
SIMD_FN mask simd_ordered(simd_double a, simd_double b) {
    return _mm_cmpord_pd(a, b);
}
SIMD_FN simd_double simd_select(mask m, simd_double a, simd_double b) {
    return _mm_or_pd(_mm_and_pd(m, a), _mm_andnot_pd(m, b));
}
SIMD_FN mask mask_and(mask a, mask b) {
    return _mm_and_pd(a, b);
}
SIMD_FN mask mask_or(mask a, mask b) {
    return _mm_or_pd(a, b);
}
SIMD_FN mask mask_without(mask a, mask b) {
    return _mm_andnot_pd(b, a);
}
SIMD_FN uint32_t mask_bits(mask m) {
    return (uint32_t)_mm_movemask_pd(m);
}
SIMD_FN mask mask_of_bits(uint32_t bits) {
    const __m128i each = _mm_setr_epi32(1, 1, 2, 2);
    return _mm_castsi128_pd(_mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32((int)bits), each), each));
}

SIMD_FN void simd_gather3(const v3 *x, const int32_t *place, int stride, simd_double out[3]) {
    const v3 *a = &x[place[0]], *b = &x[place[stride]];
    __m128d axy = _mm_loadu_pd(&a->x), bxy = _mm_loadu_pd(&b->x);
    out[0] = _mm_unpacklo_pd(axy, bxy);
    out[1] = _mm_unpackhi_pd(axy, bxy);
    out[2] = _mm_loadh_pd(_mm_load_sd(&a->z), &b->z);
}

SIMD_FN void simd_gather4(const double *at, const uint32_t *place, simd_double out[4]) {
    const double *a = at + place[0], *b = at + place[1];
    __m128d axy = _mm_loadu_pd(a), azw = _mm_loadu_pd(a + 2), bxy = _mm_loadu_pd(b), bzw = _mm_loadu_pd(b + 2);
    out[0] = _mm_unpacklo_pd(axy, bxy);
    out[1] = _mm_unpackhi_pd(axy, bxy);
    out[2] = _mm_unpacklo_pd(azw, bzw);
    out[3] = _mm_unpackhi_pd(azw, bzw);
}
SIMD_FN void simd_scatter4(double *at, const uint32_t *place, const simd_double in[4]) {
    _mm_storeu_pd(at + place[0], _mm_unpacklo_pd(in[0], in[1]));
    _mm_storeu_pd(at + place[0] + 2, _mm_unpacklo_pd(in[2], in[3]));
    _mm_storeu_pd(at + place[1], _mm_unpackhi_pd(in[0], in[1]));
    _mm_storeu_pd(at + place[1] + 2, _mm_unpackhi_pd(in[2], in[3]));
}

SIMD_FN void simd_deinterleave3(const double *points, simd_double out[3]) {
    __m128d xy = simd_load(points), zx = simd_load(points + 2), yz = simd_load(points + 4);
    out[0] = _mm_shuffle_pd(xy, zx, 2);
    out[1] = _mm_shuffle_pd(xy, yz, 1);
    out[2] = _mm_shuffle_pd(zx, yz, 2);
}
SIMD_FN void simd_interleave3(double *points, const simd_double in[3]) {
    simd_store(points, _mm_unpacklo_pd(in[0], in[1]));
    simd_store(points + 2, _mm_shuffle_pd(in[2], in[0], 2));
    simd_store(points + 4, _mm_unpackhi_pd(in[1], in[2]));
}

#endif

/* ---- SIMD vectors ------------------------------------------------------------------------------------------------ */

typedef struct simd_v3 {
    simd_double x, y, z;
} simd_v3;

SIMD_FN simd_v3 simd_v3_gather(const v3 *x, const int32_t *place, int stride) {
    simd_double a[3];
    simd_gather3(x, place, stride, a);
    return (simd_v3){a[0], a[1], a[2]};
}
SIMD_FN simd_v3 simd_v3_deinterleave(const double *points) { /* 3 W numbers */
    simd_double a[3];
    simd_deinterleave3(points, a);
    return (simd_v3){a[0], a[1], a[2]};
}
SIMD_FN void simd_v3_interleave(double *points, simd_v3 a) {
    simd_interleave3(points, (simd_double[3]){a.x, a.y, a.z});
}
SIMD_FN simd_v3 simd_v3_sub(simd_v3 a, simd_v3 b) {
    return (simd_v3){simd_sub(a.x, b.x), simd_sub(a.y, b.y), simd_sub(a.z, b.z)};
}
SIMD_FN simd_v3 simd_v3_neg(simd_v3 a) {
    return (simd_v3){simd_neg(a.x), simd_neg(a.y), simd_neg(a.z)};
}
SIMD_FN simd_v3 simd_v3_axpy(simd_double s, simd_v3 a, simd_v3 b) { /* s a + b */
    return (simd_v3){simd_add(simd_mul(s, a.x), b.x), simd_add(simd_mul(s, a.y), b.y), simd_add(simd_mul(s, a.z), b.z)};
}
SIMD_FN simd_v3 simd_v3_mix(simd_double s, simd_v3 a, simd_double t, simd_v3 b) { /* s a + t b */
    return (simd_v3){simd_add(simd_mul(s, a.x), simd_mul(t, b.x)), simd_add(simd_mul(s, a.y), simd_mul(t, b.y)),
                     simd_add(simd_mul(s, a.z), simd_mul(t, b.z))};
}
SIMD_FN simd_double simd_v3_dot(simd_v3 a, simd_v3 b) {
    return simd_add(simd_add(simd_mul(a.x, b.x), simd_mul(a.y, b.y)), simd_mul(a.z, b.z));
}
SIMD_FN simd_double simd_v3_length2(simd_v3 a) {
    return simd_v3_dot(a, a);
}
SIMD_FN simd_v3 simd_v3_cross(simd_v3 a, simd_v3 b) {
    return (simd_v3){simd_sub(simd_mul(a.y, b.z), simd_mul(a.z, b.y)), simd_sub(simd_mul(a.z, b.x), simd_mul(a.x, b.z)),
                     simd_sub(simd_mul(a.x, b.y), simd_mul(a.y, b.x))};
}
SIMD_FN simd_v3 simd_v3_select(mask m, simd_v3 a, simd_v3 b) {
    return (simd_v3){simd_select(m, a.x, b.x), simd_select(m, a.y, b.y), simd_select(m, a.z, b.z)};
}

#endif
