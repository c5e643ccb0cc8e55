/* simd2.h: two doubles side by side, SSE2 on x86-64 and a scalar equivalent elsewhere. Every operation rounds each lane
 * as the scalar one does, so both give the same bits at every optimization level. */
#ifndef MUS_NARROW_SIMD2_H
#define MUS_NARROW_SIMD2_H

#include <stdbool.h>

#if defined(__SSE2__) && !defined(MUS_SCALAR_SIMD2)
#include <emmintrin.h>

typedef __m128d simd2;

static inline simd2 simd2_make(double a, double b) {
    return _mm_setr_pd(a, b);
}
static inline simd2 simd2_set1(double a) {
    return _mm_set1_pd(a);
}
static inline simd2 simd2_add(simd2 a, simd2 b) {
    return _mm_add_pd(a, b);
}
static inline simd2 simd2_sub(simd2 a, simd2 b) {
    return _mm_sub_pd(a, b);
}
static inline simd2 simd2_mul(simd2 a, simd2 b) {
    return _mm_mul_pd(a, b);
}
/* The lesser or greater of each lane; b's if either is NaN. */
static inline simd2 simd2_min(simd2 a, simd2 b) {
    return _mm_min_pd(a, b);
}
static inline simd2 simd2_max(simd2 a, simd2 b) {
    return _mm_max_pd(a, b);
}
static inline double simd2_first(simd2 a) {
    return _mm_cvtsd_f64(a);
}
static inline double simd2_second(simd2 a) {
    return _mm_cvtsd_f64(_mm_unpackhi_pd(a, a));
}
/* Returns whether every lane of a and b exceeds limit's; false with a NaN among them. */
static inline bool simd2_both_greater(simd2 a, simd2 b, simd2 limit) {
    return _mm_movemask_pd(_mm_and_pd(_mm_cmpgt_pd(a, limit), _mm_cmpgt_pd(b, limit))) == 3;
}

#else

typedef struct simd2 {
    double a, b;
} simd2;

static inline simd2 simd2_make(double a, double b) {
    return (simd2){a, b};
}
static inline simd2 simd2_set1(double a) {
    return (simd2){a, a};
}
static inline simd2 simd2_add(simd2 a, simd2 b) {
    return (simd2){a.a + b.a, a.b + b.b};
}
static inline simd2 simd2_sub(simd2 a, simd2 b) {
    return (simd2){a.a - b.a, a.b - b.b};
}
static inline simd2 simd2_mul(simd2 a, simd2 b) {
    return (simd2){a.a * b.a, a.b * b.b};
}
static inline simd2 simd2_min(simd2 a, simd2 b) {
    return (simd2){a.a < b.a ? a.a : b.a, a.b < b.b ? a.b : b.b};
}
static inline simd2 simd2_max(simd2 a, simd2 b) {
    return (simd2){a.a > b.a ? a.a : b.a, a.b > b.b ? a.b : b.b};
}
static inline double simd2_first(simd2 a) {
    return a.a;
}
static inline double simd2_second(simd2 a) {
    return a.b;
}
static inline bool simd2_both_greater(simd2 a, simd2 b, simd2 limit) {
    return a.a > limit.a && a.b > limit.b && b.a > limit.a && b.b > limit.b;
}

#endif
#endif
