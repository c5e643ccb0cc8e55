/* lanes.h: W doubles side by side, for kernels: 2 (SSE2), 4 (AVX2) or 8 (AVX-512) by MUS_SIMD_TARGET, which the
 * Makefile defines together with the compiler's flags. Every operation rounds each lane on its own as the scalar one
 * does, there is no operation across lanes, and a mask is a truth per lane: so results do not depend on W. */
#ifndef MUS_BASE_LANES_H
#define MUS_BASE_LANES_H

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

#define LANES_FN static inline __attribute__((always_inline))

#if MUS_SIMD_TARGET == 2

enum { W = 8 };
typedef __m512d lanes;
typedef __mmask8 mask;

LANES_FN lanes lanes_all(double a) {
    return _mm512_set1_pd(a);
}
LANES_FN lanes lanes_load(const double *p) {
    return _mm512_loadu_pd(p);
}
LANES_FN void lanes_store(double *p, lanes a) {
    _mm512_storeu_pd(p, a);
}
LANES_FN lanes lanes_add(lanes a, lanes b) {
    return _mm512_add_pd(a, b);
}
LANES_FN lanes lanes_sub(lanes a, lanes b) {
    return _mm512_sub_pd(a, b);
}
LANES_FN lanes lanes_mul(lanes a, lanes b) {
    return _mm512_mul_pd(a, b);
}
LANES_FN lanes lanes_div(lanes a, lanes b) {
    return _mm512_div_pd(a, b);
}
LANES_FN lanes lanes_sqrt(lanes a) {
    return _mm512_sqrt_pd(a);
}
/* The lesser or greater; b where either is NaN. */
LANES_FN lanes lanes_min(lanes a, lanes b) {
    return _mm512_min_pd(a, b);
}
LANES_FN lanes lanes_max(lanes a, lanes b) {
    return _mm512_max_pd(a, b);
}
LANES_FN lanes lanes_abs(lanes a) {
    return _mm512_andnot_pd(_mm512_set1_pd(-0.0), a);
}
LANES_FN lanes lanes_neg(lanes a) {
    return _mm512_xor_pd(_mm512_set1_pd(-0.0), a);
}
LANES_FN mask lanes_above(lanes a, lanes b) { /* a > b */
    return _mm512_cmp_pd_mask(a, b, _CMP_GT_OQ);
}
LANES_FN mask lanes_at_least(lanes a, lanes b) { /* a >= b */
    return _mm512_cmp_pd_mask(a, b, _CMP_GE_OQ);
}
LANES_FN mask lanes_equal(lanes a, lanes b) {
    return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ);
}
LANES_FN mask lanes_ordered(lanes a, lanes b) { /* neither is NaN */
    return _mm512_cmp_pd_mask(a, b, _CMP_ORD_Q);
}
LANES_FN lanes lanes_select(mask m, lanes a, lanes b) { /* a where m, else b */
    return _mm512_mask_blend_pd(m, b, a);
}
LANES_FN mask mask_and(mask a, mask b) {
    return (mask)(a & b);
}
LANES_FN mask mask_or(mask a, mask b) {
    return (mask)(a | b);
}
LANES_FN mask mask_without(mask a, mask b) { /* a and not b */
    return (mask)(a & ~b);
}
LANES_FN uint32_t mask_bits(mask m) { /* bit k: lane k */
    return m;
}
LANES_FN mask mask_of_bits(uint32_t bits) {
    return (mask)bits;
}

/* Points x[place[0]], x[place[stride]], … as coordinates. Each point is read by itself: whole rows and a transposition
 * cost less than gathering instructions. */
LANES_FN __m512d lanes_row(const v3 *low, const v3 *high) {
    return _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_maskz_loadu_pd(7, &low->x)),
                              _mm256_maskz_loadu_pd(7, &high->x), 1);
}
LANES_FN void lanes_gather(const v3 *x, const int32_t *place, int stride, lanes out[3]) {
    const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13),
                  high = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    __m512d r0 = lanes_row(&x[place[0]], &x[place[4 * stride]]);
    __m512d r1 = lanes_row(&x[place[stride]], &x[place[5 * stride]]);
    __m512d r2 = lanes_row(&x[place[2 * stride]], &x[place[6 * stride]]);
    __m512d r3 = lanes_row(&x[place[3 * stride]], &x[place[7 * stride]]);
    __m512d xz0 = _mm512_unpacklo_pd(r0, r1), xz1 = _mm512_unpacklo_pd(r2, r3);
    out[0] = _mm512_permutex2var_pd(xz0, low, xz1);
    out[1] = _mm512_permutex2var_pd(_mm512_unpackhi_pd(r0, r1), low, _mm512_unpackhi_pd(r2, r3));
    out[2] = _mm512_permutex2var_pd(xz0, high, xz1);
}

/* Four numbers each from at + place[0], at + place[1], … on, and back. What was written whole is read whole: no load
 * waits for several stores. */
LANES_FN __m512d lanes_four(const double *low, const double *high) {
    return _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(low)), _mm256_loadu_pd(high), 1);
}
LANES_FN void lanes_take(const double *at, const uint32_t *place, lanes out[4]) {
    const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13),
                  high = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    __m512d r0 = lanes_four(at + place[0], at + place[4]), r1 = lanes_four(at + place[1], at + place[5]);
    __m512d r2 = lanes_four(at + place[2], at + place[6]), r3 = lanes_four(at + place[3], at + place[7]);
    __m512d xz0 = _mm512_unpacklo_pd(r0, r1), xz1 = _mm512_unpacklo_pd(r2, r3);
    __m512d yw0 = _mm512_unpackhi_pd(r0, r1), yw1 = _mm512_unpackhi_pd(r2, r3);
    out[0] = _mm512_permutex2var_pd(xz0, low, xz1);
    out[1] = _mm512_permutex2var_pd(yw0, low, yw1);
    out[2] = _mm512_permutex2var_pd(xz0, high, xz1);
    out[3] = _mm512_permutex2var_pd(yw0, high, yw1);
}
LANES_FN void lanes_put(double *at, const uint32_t *place, const lanes in[4]) {
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

/* Points one after the other as coordinates, and back. */
LANES_FN void lanes_split(const double *points, lanes out[3]) {
    __m512d a = lanes_load(points), b = lanes_load(points + 8), c = lanes_load(points + 16);
    const __m512i x = _mm512_setr_epi64(0, 3, 6, 9, 12, 15, 0, 0), x2 = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 10, 13);
    const __m512i y = _mm512_setr_epi64(1, 4, 7, 10, 13, 0, 0, 0), y2 = _mm512_setr_epi64(0, 1, 2, 3, 4, 8, 11, 14);
    const __m512i z = _mm512_setr_epi64(2, 5, 8, 11, 14, 0, 0, 0), z2 = _mm512_setr_epi64(0, 1, 2, 3, 4, 9, 12, 15);
    out[0] = _mm512_permutex2var_pd(_mm512_permutex2var_pd(a, x, b), x2, c);
    out[1] = _mm512_permutex2var_pd(_mm512_permutex2var_pd(a, y, b), y2, c);
    out[2] = _mm512_permutex2var_pd(_mm512_permutex2var_pd(a, z, b), z2, c);
}
LANES_FN void lanes_join(double *points, const lanes in[3]) {
    const __m512i a = _mm512_setr_epi64(0, 8, 0, 1, 9, 0, 2, 10), a2 = _mm512_setr_epi64(0, 1, 8, 3, 4, 9, 6, 7);
    const __m512i b = _mm512_setr_epi64(0, 3, 11, 0, 4, 12, 0, 5), b2 = _mm512_setr_epi64(10, 1, 2, 11, 4, 5, 12, 7);
    const __m512i c = _mm512_setr_epi64(13, 0, 6, 14, 0, 7, 15, 0), c2 = _mm512_setr_epi64(0, 13, 2, 3, 14, 5, 6, 15);
    lanes_store(points, _mm512_permutex2var_pd(_mm512_permutex2var_pd(in[0], a, in[1]), a2, in[2]));
    lanes_store(points + 8, _mm512_permutex2var_pd(_mm512_permutex2var_pd(in[0], b, in[1]), b2, in[2]));
    lanes_store(points + 16, _mm512_permutex2var_pd(_mm512_permutex2var_pd(in[0], c, in[1]), c2, in[2]));
}

#elif MUS_SIMD_TARGET == 1

enum { W = 4 };
typedef __m256d lanes;
typedef __m256d mask;

LANES_FN lanes lanes_all(double a) {
    return _mm256_set1_pd(a);
}
LANES_FN lanes lanes_load(const double *p) {
    return _mm256_loadu_pd(p);
}
LANES_FN void lanes_store(double *p, lanes a) {
    _mm256_storeu_pd(p, a);
}
LANES_FN lanes lanes_add(lanes a, lanes b) {
    return _mm256_add_pd(a, b);
}
LANES_FN lanes lanes_sub(lanes a, lanes b) {
    return _mm256_sub_pd(a, b);
}
LANES_FN lanes lanes_mul(lanes a, lanes b) {
    return _mm256_mul_pd(a, b);
}
LANES_FN lanes lanes_div(lanes a, lanes b) {
    return _mm256_div_pd(a, b);
}
LANES_FN lanes lanes_sqrt(lanes a) {
    return _mm256_sqrt_pd(a);
}
LANES_FN lanes lanes_min(lanes a, lanes b) {
    return _mm256_min_pd(a, b);
}
LANES_FN lanes lanes_max(lanes a, lanes b) {
    return _mm256_max_pd(a, b);
}
LANES_FN lanes lanes_abs(lanes a) {
    return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a);
}
LANES_FN lanes lanes_neg(lanes a) {
    return _mm256_xor_pd(_mm256_set1_pd(-0.0), a);
}
LANES_FN mask lanes_above(lanes a, lanes b) {
    return _mm256_cmp_pd(a, b, _CMP_GT_OQ);
}
LANES_FN mask lanes_at_least(lanes a, lanes b) {
    return _mm256_cmp_pd(a, b, _CMP_GE_OQ);
}
LANES_FN mask lanes_equal(lanes a, lanes b) {
    return _mm256_cmp_pd(a, b, _CMP_EQ_OQ);
}
LANES_FN mask lanes_ordered(lanes a, lanes b) {
    return _mm256_cmp_pd(a, b, _CMP_ORD_Q);
}
LANES_FN lanes lanes_select(mask m, lanes a, lanes b) {
    return _mm256_blendv_pd(b, a, m);
}
LANES_FN mask mask_and(mask a, mask b) {
    return _mm256_and_pd(a, b);
}
LANES_FN mask mask_or(mask a, mask b) {
    return _mm256_or_pd(a, b);
}
LANES_FN mask mask_without(mask a, mask b) {
    return _mm256_andnot_pd(b, a);
}
LANES_FN uint32_t mask_bits(mask m) {
    return (uint32_t)_mm256_movemask_pd(m);
}
LANES_FN mask mask_of_bits(uint32_t bits) {
    const __m256i each = _mm256_setr_epi64x(1, 2, 4, 8);
    return _mm256_castsi256_pd(_mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(bits), each), each));
}

LANES_FN void lanes_gather(const v3 *x, const int32_t *place, int stride, lanes out[3]) {
    const __m256i three = _mm256_setr_epi64x(-1, -1, -1, 0);
    __m256d r0 = _mm256_maskload_pd(&x[place[0]].x, three), r1 = _mm256_maskload_pd(&x[place[stride]].x, three);
    __m256d r2 = _mm256_maskload_pd(&x[place[2 * stride]].x, three);
    __m256d r3 = _mm256_maskload_pd(&x[place[3 * stride]].x, three);
    __m256d xz0 = _mm256_unpacklo_pd(r0, r1), xz1 = _mm256_unpacklo_pd(r2, r3);
    out[0] = _mm256_permute2f128_pd(xz0, xz1, 0x20);
    out[1] = _mm256_permute2f128_pd(_mm256_unpackhi_pd(r0, r1), _mm256_unpackhi_pd(r2, r3), 0x20);
    out[2] = _mm256_permute2f128_pd(xz0, xz1, 0x31);
}

LANES_FN void lanes_take(const double *at, const uint32_t *place, lanes out[4]) {
    __m256d r0 = _mm256_loadu_pd(at + place[0]), r1 = _mm256_loadu_pd(at + place[1]);
    __m256d r2 = _mm256_loadu_pd(at + place[2]), r3 = _mm256_loadu_pd(at + place[3]);
    __m256d xz0 = _mm256_unpacklo_pd(r0, r1), xz1 = _mm256_unpacklo_pd(r2, r3);
    __m256d yw0 = _mm256_unpackhi_pd(r0, r1), yw1 = _mm256_unpackhi_pd(r2, r3);
    out[0] = _mm256_permute2f128_pd(xz0, xz1, 0x20);
    out[1] = _mm256_permute2f128_pd(yw0, yw1, 0x20);
    out[2] = _mm256_permute2f128_pd(xz0, xz1, 0x31);
    out[3] = _mm256_permute2f128_pd(yw0, yw1, 0x31);
}
LANES_FN void lanes_put(double *at, const uint32_t *place, const lanes in[4]) {
    for (int odd = 0; odd < 2; odd++) {
        __m256d xy = odd ? _mm256_unpackhi_pd(in[0], in[1]) : _mm256_unpacklo_pd(in[0], in[1]);
        __m256d zw = odd ? _mm256_unpackhi_pd(in[2], in[3]) : _mm256_unpacklo_pd(in[2], in[3]);
        _mm256_storeu_pd(at + place[odd], _mm256_permute2f128_pd(xy, zw, 0x20));
        _mm256_storeu_pd(at + place[2 + odd], _mm256_permute2f128_pd(xy, zw, 0x31));
    }
}

LANES_FN void lanes_split(const double *points, lanes out[3]) {
    __m256d a = lanes_load(points), b = lanes_load(points + 4), c = lanes_load(points + 8);
    __m256d xy = _mm256_permute2f128_pd(a, b, 0x30), zx = _mm256_permute2f128_pd(a, c, 0x21);
    __m256d yz = _mm256_permute2f128_pd(b, c, 0x30);
    out[0] = _mm256_shuffle_pd(xy, zx, 10);
    out[1] = _mm256_shuffle_pd(xy, yz, 5);
    out[2] = _mm256_shuffle_pd(zx, yz, 10);
}
LANES_FN void lanes_join(double *points, const lanes in[3]) {
    __m256d xy = _mm256_shuffle_pd(in[0], in[1], 0), zx = _mm256_shuffle_pd(in[2], in[0], 10);
    __m256d yz = _mm256_shuffle_pd(in[1], in[2], 15);
    lanes_store(points, _mm256_permute2f128_pd(xy, zx, 0x20));
    lanes_store(points + 4, _mm256_permute2f128_pd(yz, xy, 0x30));
    lanes_store(points + 8, _mm256_permute2f128_pd(zx, yz, 0x31));
}

#else

enum { W = 2 };
typedef __m128d lanes;
typedef __m128d mask;

LANES_FN lanes lanes_all(double a) {
    return _mm_set1_pd(a);
}
LANES_FN lanes lanes_load(const double *p) {
    return _mm_loadu_pd(p);
}
LANES_FN void lanes_store(double *p, lanes a) {
    _mm_storeu_pd(p, a);
}
LANES_FN lanes lanes_add(lanes a, lanes b) {
    return _mm_add_pd(a, b);
}
LANES_FN lanes lanes_sub(lanes a, lanes b) {
    return _mm_sub_pd(a, b);
}
LANES_FN lanes lanes_mul(lanes a, lanes b) {
    return _mm_mul_pd(a, b);
}
LANES_FN lanes lanes_div(lanes a, lanes b) {
    return _mm_div_pd(a, b);
}
LANES_FN lanes lanes_sqrt(lanes a) {
    return _mm_sqrt_pd(a);
}
LANES_FN lanes lanes_min(lanes a, lanes b) {
    return _mm_min_pd(a, b);
}
LANES_FN lanes lanes_max(lanes a, lanes b) {
    return _mm_max_pd(a, b);
}
LANES_FN lanes lanes_abs(lanes a) {
    return _mm_andnot_pd(_mm_set1_pd(-0.0), a);
}
LANES_FN lanes lanes_neg(lanes a) {
    return _mm_xor_pd(_mm_set1_pd(-0.0), a);
}
LANES_FN mask lanes_above(lanes a, lanes b) {
    return _mm_cmpgt_pd(a, b);
}
LANES_FN mask lanes_at_least(lanes a, lanes b) {
    return _mm_cmpge_pd(a, b);
}
LANES_FN mask lanes_equal(lanes a, lanes b) {
    return _mm_cmpeq_pd(a, b);
}
LANES_FN mask lanes_ordered(lanes a, lanes b) {
    return _mm_cmpord_pd(a, b);
}
LANES_FN lanes lanes_select(mask m, lanes a, lanes b) {
    return _mm_or_pd(_mm_and_pd(m, a), _mm_andnot_pd(m, b));
}
LANES_FN mask mask_and(mask a, mask b) {
    return _mm_and_pd(a, b);
}
LANES_FN mask mask_or(mask a, mask b) {
    return _mm_or_pd(a, b);
}
LANES_FN mask mask_without(mask a, mask b) {
    return _mm_andnot_pd(b, a);
}
LANES_FN uint32_t mask_bits(mask m) {
    return (uint32_t)_mm_movemask_pd(m);
}
LANES_FN mask mask_of_bits(uint32_t bits) {
    const __m128i each = _mm_setr_epi32(1, 1, 2, 2);
    return _mm_castsi128_pd(_mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32((int)bits), each), each));
}

LANES_FN void lanes_gather(const v3 *x, const int32_t *place, int stride, lanes out[3]) {
    const v3 *a = &x[place[0]], *b = &x[place[stride]];
    __m128d axy = _mm_loadu_pd(&a->x), bxy = _mm_loadu_pd(&b->x);
    out[0] = _mm_unpacklo_pd(axy, bxy);
    out[1] = _mm_unpackhi_pd(axy, bxy);
    out[2] = _mm_loadh_pd(_mm_load_sd(&a->z), &b->z);
}

LANES_FN void lanes_take(const double *at, const uint32_t *place, lanes out[4]) {
    const double *a = at + place[0], *b = at + place[1];
    __m128d axy = _mm_loadu_pd(a), azw = _mm_loadu_pd(a + 2), bxy = _mm_loadu_pd(b), bzw = _mm_loadu_pd(b + 2);
    out[0] = _mm_unpacklo_pd(axy, bxy);
    out[1] = _mm_unpackhi_pd(axy, bxy);
    out[2] = _mm_unpacklo_pd(azw, bzw);
    out[3] = _mm_unpackhi_pd(azw, bzw);
}
LANES_FN void lanes_put(double *at, const uint32_t *place, const lanes in[4]) {
    _mm_storeu_pd(at + place[0], _mm_unpacklo_pd(in[0], in[1]));
    _mm_storeu_pd(at + place[0] + 2, _mm_unpacklo_pd(in[2], in[3]));
    _mm_storeu_pd(at + place[1], _mm_unpackhi_pd(in[0], in[1]));
    _mm_storeu_pd(at + place[1] + 2, _mm_unpackhi_pd(in[2], in[3]));
}

LANES_FN void lanes_split(const double *points, lanes out[3]) {
    __m128d xy = lanes_load(points), zx = lanes_load(points + 2), yz = lanes_load(points + 4);
    out[0] = _mm_shuffle_pd(xy, zx, 2);
    out[1] = _mm_shuffle_pd(xy, yz, 1);
    out[2] = _mm_shuffle_pd(zx, yz, 2);
}
LANES_FN void lanes_join(double *points, const lanes in[3]) {
    lanes_store(points, _mm_unpacklo_pd(in[0], in[1]));
    lanes_store(points + 2, _mm_shuffle_pd(in[2], in[0], 2));
    lanes_store(points + 4, _mm_unpackhi_pd(in[1], in[2]));
}

#endif

/* ---- Vectors of lanes -------------------------------------------------------------------------------------------- */

typedef struct l3 {
    lanes x, y, z;
} l3;

LANES_FN l3 l3_gather(const v3 *x, const int32_t *place, int stride) {
    lanes a[3];
    lanes_gather(x, place, stride, a);
    return (l3){a[0], a[1], a[2]};
}
LANES_FN l3 l3_split(const double *points) { /* 3 W numbers */
    lanes a[3];
    lanes_split(points, a);
    return (l3){a[0], a[1], a[2]};
}
LANES_FN void l3_join(double *points, l3 a) {
    lanes_join(points, (lanes[3]){a.x, a.y, a.z});
}
LANES_FN l3 l3_sub(l3 a, l3 b) {
    return (l3){lanes_sub(a.x, b.x), lanes_sub(a.y, b.y), lanes_sub(a.z, b.z)};
}
LANES_FN l3 l3_neg(l3 a) {
    return (l3){lanes_neg(a.x), lanes_neg(a.y), lanes_neg(a.z)};
}
LANES_FN l3 l3_axpy(lanes s, l3 a, l3 b) { /* s a + b */
    return (l3){lanes_add(lanes_mul(s, a.x), b.x), lanes_add(lanes_mul(s, a.y), b.y),
                lanes_add(lanes_mul(s, a.z), b.z)};
}
LANES_FN l3 l3_mix(lanes s, l3 a, lanes t, l3 b) { /* s a + t b */
    return (l3){lanes_add(lanes_mul(s, a.x), lanes_mul(t, b.x)), lanes_add(lanes_mul(s, a.y), lanes_mul(t, b.y)),
                lanes_add(lanes_mul(s, a.z), lanes_mul(t, b.z))};
}
LANES_FN lanes l3_dot(l3 a, l3 b) {
    return lanes_add(lanes_add(lanes_mul(a.x, b.x), lanes_mul(a.y, b.y)), lanes_mul(a.z, b.z));
}
LANES_FN lanes l3_length2(l3 a) {
    return l3_dot(a, a);
}
LANES_FN l3 l3_cross(l3 a, l3 b) {
    return (l3){lanes_sub(lanes_mul(a.y, b.z), lanes_mul(a.z, b.y)),
                lanes_sub(lanes_mul(a.z, b.x), lanes_mul(a.x, b.z)),
                lanes_sub(lanes_mul(a.x, b.y), lanes_mul(a.y, b.x))};
}
LANES_FN l3 l3_select(mask m, l3 a, l3 b) {
    return (l3){lanes_select(m, a.x, b.x), lanes_select(m, a.y, b.y), lanes_select(m, a.z, b.z)};
}

#endif
