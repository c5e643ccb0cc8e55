/* fmath_trig.c: sin, cos, tan, asin, acos, atan2 with fixed operations, with errors below one unit in the last place.
 *
 * The C library selects variants of these by processor, so its bits differ between machines; scenes and the simulation
 * use these instead. Only +, -, *, /, sqrt and integers occur. Reduction of the argument is exact for every double
 * (after Payne and Hanek, Radian reduction for trigonometric functions, 1983). */
#include "base/double2.h"
#include "muslin/math.h"

#include <math.h>
#include <string.h>
#include <stdbool.h>
#include <stdint.h>

static const d2 half_pi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
static const d2 whole_pi = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};

/* ---- Reduction --------------------------------------------------------------------------------------------------- */

/* 64 zero bits, then the first 1280 bits of 2/pi. */
static const uint64_t two_over_pi[21] = {
    0,
    0xa2f9836e4e441529u,
    0xfc2757d1f534ddc0u,
    0xdb6295993c439041u,
    0xfe5163abdebbc561u,
    0xb7246e3a424dd2e0u,
    0x06492eea09d1921cu,
    0xfe1deb1cb129a73eu,
    0xe88235f52ebb4484u,
    0xe99c7026b45f7e41u,
    0x3991d639835339f4u,
    0x9c845f8bbdf9283bu,
    0x1ff897ffde05980fu,
    0xef2f118b5a0a6d1fu,
    0x6d367ecf27cb09b7u,
    0x4f463f669e5fea2du,
    0x7527bac7ebe5f17bu,
    0x3d0739f78a5292eau,
    0x6bfb5fb11f8d5d08u,
    0x56033046fc7b6babu,
    0xf0cfbc209af4361du,
};

static uint64_t bits_from(int position) { /* 64 bits of the table */
    int word = position / 64, shift = position % 64;
    if (shift == 0) return two_over_pi[word];
    return two_over_pi[word] << shift | two_over_pi[word + 1] >> (64 - shift);
}

static double from_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double power_of_two(int e) { /* -1022 <= e <= 1023 */
    return from_bits((uint64_t)(e + 1023) << 52);
}

/* x = quadrant pi/2 + r with |r| <= pi/4; quadrant in 0..3. |x| finite and above pi/4.
 *
 * With |x| = M 2^e, M an integer of 53 bits, only the bits of 2/pi of weight below 2^(2-e) matter modulo 4; 192 of them
 * from there on leave a fraction of 137 bits, of which no double cancels more than 62. */
static d2 reduce(double x, int *quadrant) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int e = (int)(bits >> 52 & 0x7ff) - 1075;
    uint64_t m = (bits & 0xfffffffffffffu) | 0x10000000000000u;
    int start = e + 62; /* >= 9, since |x| > pi/4 makes e >= -53 */
    unsigned __int128 low = (unsigned __int128)m * bits_from(start + 128);
    unsigned __int128 middle = (unsigned __int128)m * bits_from(start + 64) + (uint64_t)(low >> 64);
    uint64_t p0 = m * bits_from(start) + (uint64_t)(middle >> 64); /* modulo 2^192: modulo 4 quadrants */
    uint64_t p1 = (uint64_t)middle, p2 = (uint64_t)low;

    int n = (int)(p0 >> 62);
    p0 <<= 2, p0 |= p1 >> 62, p1 <<= 2, p1 |= p2 >> 62, p2 <<= 2; /* now a fraction of one quadrant, weight 2^-192 */
    bool negative = p0 >> 63;
    if (negative) { /* the nearest quadrant is the next one */
        n++;
        p2 = ~p2 + 1, p1 = ~p1 + (p2 == 0), p0 = ~p0 + (p1 == 0 && p2 == 0);
    }
    int scale = -64;
    while (!(p0 >> 63)) { /* few iterations: n leading zeros have probability 2^-n, and there are at most 62 */
        p0 = p0 << 1 | p1 >> 63, p1 = p1 << 1 | p2 >> 63, p2 <<= 1;
        scale--;
    }
    double hi = (double)(p0 >> 11) * power_of_two(scale + 11);
    double lo = (double)((p0 & 0x7ff) << 42 | p1 >> 22) * power_of_two(scale - 42);
    if (x < 0) n = -n;
    *quadrant = n & 3;
    d2 r = d2_mul(d2_sum_ordered(hi, lo), half_pi);
    return negative != (x < 0) ? d2_neg(r) : r;
}

/* ---- Sine and cosine on [-pi/4, pi/4] by Taylor's series --------------------------------------------------------- */

static d2 sin_series(d2 r) {
    double z = r.hi * r.hi;
    double p = -1.0 / 39916800 + z * (1.0 / 6227020800 + z * (-1.0 / 1307674368000 + z * (1.0 / 355687428096000)));
    p = -1.0 / 6 + z * (1.0 / 120 + z * (-1.0 / 5040 + z * (1.0 / 362880 + z * p)));
    return d2_sum_ordered(r.hi, r.hi * z * p + r.lo * (1 - 0.5 * z));
}

static d2 cos_series(d2 r) {
    d2 z = d2_product(r.hi, r.hi);
    double p = -1.0 / 3628800 +
               z.hi * (1.0 / 479001600 +
                       z.hi * (-1.0 / 87178291200 + z.hi * (1.0 / 20922789888000 + z.hi * (-1.0 / 6402373705728000))));
    p = 1.0 / 24 + z.hi * (-1.0 / 720 + z.hi * (1.0 / 40320 + z.hi * p));
    d2 c = d2_sum_ordered(1, -0.5 * z.hi);
    return d2_sum_ordered(c.hi, c.lo + (z.hi * z.hi * p - 0.5 * z.lo - r.hi * r.lo));
}

/* sin and cos of any finite x. */
static void sin_cos(double x, d2 *sine, d2 *cosine) {
    int quadrant = 0;
    d2 r = {x, 0};
    if (fabs(x) > half_pi.hi / 2) r = reduce(x, &quadrant);
    d2 s = sin_series(r), c = cos_series(r);
    switch (quadrant) {
    case 0:
        *sine = s, *cosine = c;
        break;
    case 1:
        *sine = c, *cosine = d2_neg(s);
        break;
    case 2:
        *sine = d2_neg(s), *cosine = d2_neg(c);
        break;
    default:
        *sine = d2_neg(c), *cosine = s;
        break;
    }
}

static const double tiny = 0x1p-27; /* below this, the cubic terms of sin, tan and asin are lost in rounding */

double mus_sin(double x) {
    if (!isfinite(x)) return isnan(x) ? x : NAN;
    if (fabs(x) < tiny) return x; /* keeps the sign of zero */
    d2 s, c;
    sin_cos(x, &s, &c);
    return s.hi + s.lo;
}

double mus_cos(double x) {
    if (!isfinite(x)) return isnan(x) ? x : NAN;
    d2 s, c;
    sin_cos(x, &s, &c);
    return c.hi + c.lo;
}

double mus_tan(double x) {
    if (!isfinite(x)) return isnan(x) ? x : NAN;
    if (fabs(x) < tiny) return x;
    d2 s, c;
    sin_cos(x, &s, &c);
    d2 q = d2_div(s, c);
    return q.hi + q.lo;
}

/* ---- Inverse functions ------------------------------------------------------------------------------------------- */

static const d2 atan_of_sixteenths[17] = {
    {0x0.0p+0, 0x0.0p+0},
    {0x1.ff55bb72cfdeap-5, -0x1.c934d86d23f1dp-60},
    {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
    {0x1.7b97b4bce5b02p-3, 0x1.347b0b4f881cap-58},
    {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
    {0x1.362773707ebccp-2, -0x1.963a544b672d8p-57},
    {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
    {0x1.a64eec3cc23fdp-2, -0x1.24dec1b50b7ffp-56},
    {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
    {0x1.0657e94db30d0p-1, -0x1.d5b495f6349e6p-56},
    {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
    {0x1.345f01cce37bbp-1, 0x1.1021137c71102p-55},
    {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
    {0x1.5d58987169b18p-1, 0x1.0028e4bc5e7cap-57},
    {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
    {0x1.819d0b7158a4dp-1, -0x1.bf76229d3b917p-56},
    {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
};

/* The angle of (x, y) with x, y >= 0, the larger of them near 1. */
static d2 angle_in_quadrant(d2 y, d2 x) {
    bool steep = y.hi > x.hi;
    if (steep) {
        d2 swap = x;
        x = y, y = swap;
    }
    /* tan(a - b) = (tan a - tan b)/(1 + tan a tan b), tan b = k/16: the remainder is within 1/31. */
    int k = (int)(16 * (y.hi / x.hi) + 0.5);
    double c = k / 16.0;
    d2 cx = d2_mul((d2){c, 0}, x), cy = d2_mul((d2){c, 0}, y);
    d2 t = d2_div(d2_add(y, d2_neg(cx)), d2_add(x, cy));
    double z = t.hi * t.hi;
    double p = -1.0 / 3 + z * (1.0 / 5 + z * (-1.0 / 7 + z * (1.0 / 9 + z * (-1.0 / 11 + z * (1.0 / 13)))));
    d2 rest = d2_sum_ordered(t.hi, t.lo + t.hi * z * p);
    d2 a = k == 0 ? rest : d2_add(atan_of_sixteenths[k], rest);
    return steep ? d2_add(half_pi, d2_neg(a)) : a;
}

/* 2^-e x in two steps, none of which under- or overflows when the result does not. */
static double scaled_down(double x, int e) {
    int half = e / 2;
    return x * power_of_two(-half) * power_of_two(half - e);
}

double mus_atan2(double y, double x) {
    if (isnan(x) || isnan(y)) return x + y;
    double ay = fabs(y), ax = fabs(x);
    bool back = signbit(x);
    d2 a;
    if (ay == 0 || (isinf(ax) && !isinf(ay))) {
        a = (d2){0, 0};
    } else if (ax == 0 || (isinf(ay) && !isinf(ax))) {
        a = half_pi;
    } else if (isinf(ax)) {
        a = atan_of_sixteenths[16];
    } else {
        double large = ax > ay ? ax : ay;
        uint64_t bits;
        memcpy(&bits, &large, sizeof bits);
        int e = (int)(bits >> 52) - 1023; /* -1023 for subnormals, which then stay below 1: harmless */
        double sy = scaled_down(ay, e), sx = scaled_down(ax, e);
        if (sy < 0x1p-70 * sx) { /* so flat that the quotient is the angle */
            if (!back) return copysign(ay / ax, y);
            a = (d2){0, 0};
        } else if (sx < 0x1p-70 * sy) {
            a = half_pi;
        } else {
            a = angle_in_quadrant((d2){sy, 0}, (d2){sx, 0});
        }
    }
    if (back) a = d2_add(whole_pi, d2_neg(a));
    return copysign(a.hi + a.lo, y);
}

static d2 sqrt_one_minus_square(double x) {
    d2 t = d2_mul(d2_sum(1, -x), d2_sum(1, x));
    double s = sqrt(t.hi);
    if (s == 0) return (d2){0, 0};
    d2 square = d2_product(s, s);
    return d2_sum_ordered(s, (((t.hi - square.hi) - square.lo) + t.lo) / (2 * s));
}

double mus_asin(double x) {
    double ax = fabs(x);
    if (!(ax <= 1)) return isnan(x) ? x : NAN;
    if (ax < tiny) return x;
    d2 a = angle_in_quadrant((d2){ax, 0}, sqrt_one_minus_square(ax));
    return copysign(a.hi + a.lo, x);
}

double mus_acos(double x) {
    double ax = fabs(x);
    if (!(ax <= 1)) return isnan(x) ? x : NAN;
    d2 a = angle_in_quadrant(sqrt_one_minus_square(ax), (d2){ax, 0});
    if (x < 0) a = d2_add(whole_pi, d2_neg(a));
    return a.hi + a.lo;
}
