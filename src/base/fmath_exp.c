/* fmath_exp.c: exp, log and pow with fixed operations, with errors below one unit in the last place; see fmath_trig.c
 * for the reason.
 *
 * The logarithm is computed to about 64 bits, so that pow, which multiplies it by up to 2^9.5, keeps full double
 * precision. */
#include "base/double2.h"
#include "muslin/math.h"

#include <math.h>
#include <string.h>
#include <stdbool.h>
#include <stdint.h>

/* ln 2 = ln2_hi + ln2_lo; the first has 42 bits, so its product with an exponent is exact. */
static const double ln2_hi = 0x1.62e42fefa3800p-1, ln2_lo = 0x1.ef35793c76730p-45;
static const double ln2_inverse = 0x1.71547652b82fep+0;

static double power_of_two(int e) { /* -1022 <= e <= 1023 */
    uint64_t bits = (uint64_t)(e + 1023) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* exp(x.hi + x.lo), |x.hi| <= 800. */
static double exp_d2(d2 x) {
    double k = floor(x.hi * ln2_inverse + 0.5);
    d2 r = d2_sum(x.hi - k * ln2_hi, x.lo - k * ln2_lo); /* the first difference is exact; |r| <= ln(2)/2 */
    double q =
        1.0 / 40320 +
        r.hi * (1.0 / 362880 +
                r.hi * (1.0 / 3628800 +
                        r.hi * (1.0 / 39916800 +
                                r.hi * (1.0 / 479001600 + r.hi * (1.0 / 6227020800 + r.hi * (1.0 / 87178291200))))));
    q = 0.5 +
        r.hi * (1.0 / 6 + r.hi * (1.0 / 24 + r.hi * (1.0 / 120 + r.hi * (1.0 / 720 + r.hi * (1.0 / 5040 + r.hi * q)))));
    d2 s = d2_sum_ordered(1, r.hi);
    double y = s.hi + (s.lo + (r.lo * (1 + r.hi) + r.hi * r.hi * q));
    int e = (int)k;
    if (e > 1000) return y * 0x1p1000 * power_of_two(e - 1000);
    if (e < -1000) return y * power_of_two(e + 1000) * 0x1p-1000; /* the last product alone rounds to a subnormal */
    return y * power_of_two(e);
}

double mus_exp(double x) {
    if (isnan(x)) return x;
    if (x > 710) return INFINITY;
    if (x < -750) return 0;
    return exp_d2((d2){x, 0});
}

/* ln x for finite x > 0: x = 2^k m with m in [sqrt(1/2), sqrt(2)), ln m = 2 artanh(s), s = (m - 1)/(m + 1). */
static d2 log_d2(double x) {
    int k = 0;
    if (x < 0x1p-1022) x *= 0x1p54, k = -54;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    k += (int)(bits >> 52) - 1023;
    bits = (bits & 0xfffffffffffffu) | 0x3ff0000000000000u;
    double m;
    memcpy(&m, &bits, sizeof m);
    if (m > 0x1.6a09e667f3bcdp+0) m *= 0.5, k++;
    d2 s = d2_div((d2){m - 1, 0}, d2_sum(m, 1));
    d2 z = d2_mul(s, s); /* < 0.0295 */
    double p =
        1.0 / 15 + z.hi * (1.0 / 17 + z.hi * (1.0 / 19 + z.hi * (1.0 / 21 + z.hi * (1.0 / 23 + z.hi * (1.0 / 25)))));
    p = 1.0 / 5 + z.hi * (1.0 / 7 + z.hi * (1.0 / 9 + z.hi * (1.0 / 11 + z.hi * (1.0 / 13 + z.hi * p))));
    const d2 third = {0x1.5555555555555p-2, 0x1.5555555555555p-56};
    d2 tail = d2_mul(z, d2_add(third, (d2){z.hi * p, 0}));
    d2 twice = {2 * s.hi, 2 * s.lo};
    d2 log_m = d2_add(twice, d2_mul(twice, tail));
    return d2_add(d2_sum(k * ln2_hi, k * ln2_lo), log_m);
}

double mus_log(double x) {
    if (isnan(x)) return x;
    if (x == 0) return -INFINITY;
    if (x < 0) return NAN;
    if (isinf(x)) return x;
    d2 l = log_d2(x);
    return l.hi + l.lo;
}

static bool is_integer(double y) {
    return floor(y) == y;
}
static bool is_odd(double y) { /* every double from 2^53 on is even */
    return fabs(y) < 0x1p53 && is_integer(y) && !is_integer(0.5 * y);
}

/* Special cases as in C11 annex F.10.4.4. */
double mus_pow(double x, double y) {
    if (y == 0 || x == 1) return 1;
    if (isnan(x) || isnan(y)) return x + y;
    double ax = fabs(x);
    if (isinf(y)) {
        if (ax == 1) return 1;
        return (ax > 1) == (y > 0) ? INFINITY : 0;
    }
    double sign = signbit(x) && is_odd(y) ? -1 : 1;
    if (ax == 0) return y > 0 ? sign * 0.0 : sign * INFINITY;
    if (isinf(ax)) return y > 0 ? sign * INFINITY : sign * 0.0;
    if (x < 0 && !is_integer(y)) return NAN;
    if (ax == 1) return sign;
    d2 l = log_d2(ax); /* at least 2^-53 in magnitude: a y that passes the next test is below 2^63 */
    double rough = y * l.hi;
    if (rough > 710) return sign * INFINITY;
    if (rough < -750) return sign * 0.0;
    return sign * exp_d2(d2_mul((d2){y, 0}, l));
}
