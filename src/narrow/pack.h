/* pack.h: two doubles side by side, SSE2 on x86-64 and a scalar twin elsewhere. Every operation rounds each lane on its
 * own as the scalar one does, so both give the same bits at every optimisation level. */
#ifndef MUS_NARROW_PACK_H
#define MUS_NARROW_PACK_H

#include <stdbool.h>

#if defined(__SSE2__) && !defined(MUS_SCALAR_PACK)
#include <emmintrin.h>

typedef __m128d pack;

static inline pack pack_make(double a, double b) {
    return _mm_setr_pd(a, b);
}
static inline pack pack_both(double a) {
    return _mm_set1_pd(a);
}
static inline pack pack_add(pack a, pack b) {
    return _mm_add_pd(a, b);
}
static inline pack pack_sub(pack a, pack b) {
    return _mm_sub_pd(a, b);
}
static inline pack pack_mul(pack a, pack b) {
    return _mm_mul_pd(a, b);
}
/* The lesser or greater of each lane; b's where either is NaN. */
static inline pack pack_min(pack a, pack b) {
    return _mm_min_pd(a, b);
}
static inline pack pack_max(pack a, pack b) {
    return _mm_max_pd(a, b);
}
static inline double pack_first(pack a) {
    return _mm_cvtsd_f64(a);
}
static inline double pack_second(pack a) {
    return _mm_cvtsd_f64(_mm_unpackhi_pd(a, a));
}
/* Whether every lane of a and b exceeds limit's; false with a NaN among them. */
static inline bool pack_both_above(pack a, pack b, pack limit) {
    return _mm_movemask_pd(_mm_and_pd(_mm_cmpgt_pd(a, limit), _mm_cmpgt_pd(b, limit))) == 3;
}

#else

typedef struct pack {
    double a, b;
} pack;

static inline pack pack_make(double a, double b) {
    return (pack){a, b};
}
static inline pack pack_both(double a) {
    return (pack){a, a};
}
static inline pack pack_add(pack a, pack b) {
    return (pack){a.a + b.a, a.b + b.b};
}
static inline pack pack_sub(pack a, pack b) {
    return (pack){a.a - b.a, a.b - b.b};
}
static inline pack pack_mul(pack a, pack b) {
    return (pack){a.a * b.a, a.b * b.b};
}
static inline pack pack_min(pack a, pack b) {
    return (pack){a.a < b.a ? a.a : b.a, a.b < b.b ? a.b : b.b};
}
static inline pack pack_max(pack a, pack b) {
    return (pack){a.a > b.a ? a.a : b.a, a.b > b.b ? a.b : b.b};
}
static inline double pack_first(pack a) {
    return a.a;
}
static inline double pack_second(pack a) {
    return a.b;
}
static inline bool pack_both_above(pack a, pack b, pack limit) {
    return a.a > limit.a && a.b > limit.b && b.a > limit.a && b.b > limit.b;
}

#endif
#endif
