/* double2.h: unevaluated sums of two doubles, about 106 bits (Dekker, A floating-point technique for extending the
 * available precision, 1971; Knuth's exact sum). Nothing here may be contracted or reordered by a compiler. */
#ifndef MUS_BASE_DOUBLE2_H
#define MUS_BASE_DOUBLE2_H

typedef struct d2 { /* value hi + lo, |lo| at most half a unit in the last place of hi */
    double hi, lo;
} d2;

static inline d2 d2_sum(double a, double b) { /* a + b exactly */
    double s = a + b, t = s - a;
    return (d2){s, (a - (s - t)) + (b - t)};
}
static inline d2 d2_sum_ordered(double a, double b) { /* a + b exactly, given |a| >= |b| or a == 0 */
    double s = a + b;
    return (d2){s, b - (s - a)};
}
static inline d2 d2_split(double a) { /* two halves of 26 bits; |a| < 2^996 */
    double c = 134217729.0 * a, hi = c - (c - a);
    return (d2){hi, a - hi};
}
static inline d2 d2_product(double a, double b) { /* a * b exactly, barring over- and underflow */
    double p = a * b;
    d2 x = d2_split(a), y = d2_split(b);
    return (d2){p, ((x.hi * y.hi - p) + x.hi * y.lo + x.lo * y.hi) + x.lo * y.lo};
}
static inline d2 d2_add(d2 a, d2 b) {
    d2 s = d2_sum(a.hi, b.hi), t = d2_sum(a.lo, b.lo);
    s = d2_sum_ordered(s.hi, s.lo + t.hi);
    return d2_sum_ordered(s.hi, s.lo + t.lo);
}
static inline d2 d2_neg(d2 a) {
    return (d2){-a.hi, -a.lo};
}
static inline d2 d2_mul(d2 a, d2 b) {
    d2 p = d2_product(a.hi, b.hi);
    return d2_sum_ordered(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}
static inline d2 d2_div(d2 a, d2 b) {
    double q = a.hi / b.hi;
    d2 p = d2_product(q, b.hi);
    double rest = ((a.hi - p.hi) - p.lo) + (a.lo - q * b.lo);
    return d2_sum_ordered(q, rest / b.hi);
}

#endif
