/* predicates.c: orientation signs by a floating-point filter, then by the determinant of the rounded differences in
 * expansions, then by that of the differences with their rounding errors, also in expansions. Input outside the range
 * of expansions goes to an integer sum that keeps every bit.
 *
 * An expansion is a sum of doubles that do not overlap, in order of growing magnitude; its sign is its last
 * component's. The building blocks are exact in round-to-nearest without fused operations (-ffp-contract=off), and
 * within the range that `is_moderate` checks:
 *
 * Let every coordinate be 0 or from 2^-200 to 2^300 in magnitude. All are then multiples of 2^-252 (the last place of
 * 2^-200), and so are their differences and the rounding errors of these; differences are at most 2^301. Products of
 * two are multiples of 2^-504, of three of 2^-756, and so is every number within an expansion of degree two or three:
 * far above 2^-1074, so nothing underflows, and each rounding error is representable. The largest intermediate value is
 * a product of three differences times the 2^27 + 1 of `split`, six of which are summed: below 2^(903 + 28 + 3), so
 * nothing overflows. Scenes (MUS_LARGEST_LENGTH) stay within the upper end by 2^270.
 *
 * The filter itself needs no range: a product of two that underflows is off by at most 2^-1075, which the third factor
 * multiplies, and a product of three by another 2^-1075; the absolute part of its bound is larger than six of each. An
 * overflow makes the bound infinite or the determinant NaN, and the filter decides nothing. Where neither the filter
 * decides nor the range applies, the integer sum does, for any finite input. */
#include "mesh/predicates.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define UNIT 0x1p-53

/* ---- Expansions -------------------------------------------------------------------------------------------------- */

static inline void two_sum(double a, double b, double *sum, double *error) {
    double s = a + b, bb = s - a;
    *error = (a - (s - bb)) + (b - bb);
    *sum = s;
}

/* |a| >= |b| or a = 0. */
static inline void fast_two_sum(double a, double b, double *sum, double *error) {
    double s = a + b;
    *error = b - (s - a);
    *sum = s;
}

static inline void split(double a, double *high, double *low) {
    double c = 0x1.0000002p27 * a; /* 2^27 + 1 */
    *high = c - (c - a);
    *low = a - *high;
}

static inline void two_product(double a, double b, double *product, double *error) {
    double ah, al, bh, bl, p = a * b;
    split(a, &ah, &al);
    split(b, &bh, &bl);
    *error = al * bl - (((p - ah * bh) - al * bh) - ah * bl);
    *product = p;
}

/* h = e + f, without zeros; h has room for both. Returns its length, at least 1. */
static int expansion_sum(int n, const double *e, int m, const double *f, double *h) {
    int i = 0, j = 0, k = 0;
    double q = 0, error;
    while (i < n || j < m) {
        double next = j >= m || (i < n && fabs(e[i]) < fabs(f[j])) ? e[i++] : f[j++];
        two_sum(q, next, &q, &error);
        if (error != 0) h[k++] = error;
    }
    if (q != 0 || k == 0) h[k++] = q;
    return k;
}

/* h = b e; h has room for 2 n. */
static int expansion_scale(int n, const double *e, double b, double *h) {
    int k = 0;
    double q, error;
    two_product(e[0], b, &q, &error);
    if (error != 0) h[k++] = error;
    for (int i = 1; i < n; i++) {
        double product, low, sum;
        two_product(e[i], b, &product, &low);
        two_sum(q, low, &sum, &error);
        if (error != 0) h[k++] = error;
        fast_two_sum(product, sum, &q, &error);
        if (error != 0) h[k++] = error;
    }
    if (q != 0 || k == 0) h[k++] = q;
    return k;
}

/* h = e f; h has room for 2 n m. */
static int expansion_product(int n, const double *e, int m, const double *f, double *h) {
    enum { MOST_TERMS = 64 };
    double scaled[MOST_TERMS], sum[MOST_TERMS];
    int k = expansion_scale(n, e, f[0], h);
    for (int j = 1; j < m; j++) {
        int count = expansion_scale(n, e, f[j], scaled);
        k = expansion_sum(k, h, count, scaled, sum);
        memcpy(h, sum, (size_t)k * sizeof *h);
    }
    return k;
}

static int sign(double x) {
    return (x > 0) - (x < 0);
}

/* ---- Any finite input -----------------------------------------------------------------------------------------------
 *
 * A double is an integer of 53 bits times a power of two, so a product of three is one of 159 bits, at an exponent of
 * at least -3 x 1074. The sum of such products is kept in digits of 32 bits, each in 64 bits so that carries can be
 * deferred. */

enum { LOWEST_EXPONENT = -3 * 1074, DIGITS = (3 * 1024 - LOWEST_EXPONENT) / 32 + 4 };

typedef struct integer_sum {
    int64_t digit[DIGITS];
} integer_sum;

/* x = mantissa * 2^exponent, exactly; 0 has a mantissa of 0. */
static uint64_t mantissa_of(double x, int *exponent) {
    double fraction = frexp(fabs(x), exponent);
    *exponent -= 53;
    if (*exponent < -1074) { /* denormal: fewer bits, none of them lost */
        fraction = ldexp(fraction, *exponent + 1074);
        *exponent = -1074;
    }
    return (uint64_t)ldexp(fraction, 53);
}

static void add_product(integer_sum *sum, int positive, double a, double b, double c) {
    if (a == 0 || b == 0 || c == 0) return;
    int ea, eb, ec;
    uint64_t ma = mantissa_of(a, &ea), mb = mantissa_of(b, &eb), mc = mantissa_of(c, &ec);
    int place = ea + eb + ec - LOWEST_EXPONENT, at = place / 32, shift = place % 32;
    int64_t direction = (a < 0) ^ (b < 0) ^ (c < 0) ^ !positive ? -1 : 1;
    unsigned __int128 two = (unsigned __int128)ma * mb;
    uint64_t factor[4], carry = 0; /* ma mb in digits of 32 bits, then times mc shifted by parts of 32 bits */
    for (int k = 0; k < 4; k++) factor[k] = (uint32_t)(two >> 32 * k);
    uint64_t product[7] = {0};
    for (int j = 0; j < 2; j++) {
        uint64_t part = j == 0 ? (uint32_t)mc : mc >> 32;
        carry = 0;
        for (int k = 0; k < 4; k++) {
            uint64_t value = product[j + k] + factor[k] * part + carry;
            product[j + k] = (uint32_t)value;
            carry = value >> 32;
        }
        product[j + 4] += carry;
    }
    carry = 0;
    for (int k = 0; k < 7; k++) {
        uint64_t value = product[k] << shift | carry;
        sum->digit[at + k] += direction * (int64_t)(uint32_t)value;
        carry = value >> 32;
    }
}

static int sign_of_sum(integer_sum *sum) {
    int64_t carry = 0;
    int any = 0;
    for (int k = 0; k < DIGITS; k++) {
        int64_t value = sum->digit[k] + carry;
        carry = value >> 32; /* rounds down, so the remainder is not negative */
        any |= (value & 0xffffffff) != 0;
    }
    return carry < 0 ? -1 : any;
}

static void add_determinant(integer_sum *sum, int positive, const double *p, const double *q, const double *r) {
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        add_product(sum, positive, p[i], q[j], r[k]);
        add_product(sum, !positive, p[i], q[k], r[j]);
    }
}

static bool are_finite(const double *p, int count) {
    bool finite = true;
    for (int k = 0; k < count; k++) finite &= isfinite(p[k]) != 0;
    return finite;
}

static int orient3d_of_integers(const double *a, const double *b, const double *c, const double *d) {
    integer_sum sum;
    if (!are_finite(a, 3) || !are_finite(b, 3) || !are_finite(c, 3) || !are_finite(d, 3)) return 0;
    memset(&sum, 0, sizeof sum);
    add_determinant(&sum, 1, a, b, c);
    add_determinant(&sum, 0, a, b, d);
    add_determinant(&sum, 1, a, c, d);
    add_determinant(&sum, 0, b, c, d);
    return sign_of_sum(&sum);
}

static int orient2d_of_integers(const double *a, const double *b, const double *c) {
    const double *row[3] = {a, b, c};
    integer_sum sum;
    if (!are_finite(a, 2) || !are_finite(b, 2) || !are_finite(c, 2)) return 0;
    memset(&sum, 0, sizeof sum);
    for (int k = 0; k < 3; k++) {
        const double *p = row[k], *q = row[(k + 1) % 3];
        add_product(&sum, 1, p[0], q[1], 1);
        add_product(&sum, 0, p[1], q[0], 1);
    }
    return sign_of_sum(&sum);
}

/* ---- The predicates ---------------------------------------------------------------------------------------------- */

/* Bound on the error by underflow, to be multiplied by the third factor of the product: at least 2^-1072, see the head
 * of this file, and far above denormal numbers, which are slow. */
static const double underflow_bound = 0x1p-1000;
static const double least_moderate = 0x1p-200, largest_moderate = 0x1p300;

static bool is_moderate(const double *p, int count) {
    bool moderate = true;
    for (int k = 0; k < count; k++) {
        double size = fabs(p[k]);
        moderate &= size == 0 || (size >= least_moderate && size <= largest_moderate);
    }
    return moderate;
}

int mus_orient2d(const double a[2], const double b[2], const double c[2]) {
    double left = (a[0] - c[0]) * (b[1] - c[1]), right = (a[1] - c[1]) * (b[0] - c[0]);
    double det = left - right;
    /* Two differences, a product and the subtraction: 4u of either product. */
    double bound = 5 * UNIT * (fabs(left) + fabs(right)) + underflow_bound;
    if (det > bound || -det > bound) return sign(det);
    /* A difference is 0 only if it is exactly: common in flat and axis-aligned meshes. */
    if ((a[0] == c[0] || b[1] == c[1]) && (a[1] == c[1] || b[0] == c[0])) return 0;
    return orient2d_of_integers(a, b, c);
}

/* The determinant of the rounded differences, without further error; 0 if it is 0. */
static double orient3d_of_rounded(const double x[3], const double y[3], const double z[3]) {
    double sum[2][24];
    int n = 0;
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        double left[2], right[2], area[4], term[8];
        two_product(x[i], y[j], &left[1], &left[0]);
        two_product(-x[j], y[i], &right[1], &right[0]);
        int m = expansion_sum(2, left, 2, right, area);
        m = expansion_scale(m, area, z[k], term);
        n = expansion_sum(n, sum[k & 1], m, term, sum[(k + 1) & 1]);
    }
    return sum[1][n - 1]; /* within u of the sum of all components */
}

/* An exact difference: one term, or two. */
typedef struct difference {
    double term[2]; /* the error first */
    int count;
} difference;

static difference subtract(double a, double b) {
    difference d;
    double error, result;
    two_sum(a, -b, &result, &error);
    d.count = error != 0 ? 2 : 1;
    d.term[0] = error != 0 ? error : result;
    d.term[1] = result;
    return d;
}

/* The sign of the determinant of exact differences. */
static int orient3d_of_differences(const difference x[3], const difference y[3], const difference z[3]) {
    double sum[2][192];
    int n = 0;
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        double left[8], right[8], area[16], term[64];
        int l = expansion_product(x[i].count, x[i].term, y[j].count, y[j].term, left);
        int r = expansion_product(x[j].count, x[j].term, y[i].count, y[i].term, right);
        for (int t = 0; t < r; t++) right[t] = -right[t];
        int m = expansion_sum(l, left, r, right, area);
        m = expansion_product(m, area, z[k].count, z[k].term, term);
        n = expansion_sum(n, sum[k & 1], m, term, sum[(k + 1) & 1]);
    }
    return sign(sum[1][n - 1]);
}

int mus_orient3d(const double a[3], const double b[3], const double c[3], const double d[3]) {
    double ax = a[0] - d[0], ay = a[1] - d[1], az = a[2] - d[2];
    double bx = b[0] - d[0], by = b[1] - d[1], bz = b[2] - d[2];
    double cx = c[0] - d[0], cy = c[1] - d[1], cz = c[2] - d[2];
    double bc = bx * cy, cb = cx * by, ca = cx * ay, ac = ax * cy, ab = ax * by, ba = bx * ay;
    double det = az * (bc - cb) + bz * (ca - ac) + cz * (ab - ba);
    double size =
        fabs(az) * (fabs(bc) + fabs(cb)) + fabs(bz) * (fabs(ca) + fabs(ac)) + fabs(cz) * (fabs(ab) + fabs(ba));
    /* Three differences, two products, the minor and two sums: 8u of each product of three; the rest covers the
     * rounding of `size` and of the bound itself. */
    double bound = 10 * UNIT * size + underflow_bound * (1 + fabs(az) + fabs(bz) + fabs(cz));
    if (det > bound || -det > bound) return sign(det);
    if (!is_moderate(a, 3) || !is_moderate(b, 3) || !is_moderate(c, 3) || !is_moderate(d, 3))
        return orient3d_of_integers(a, b, c, d);
    if (size == 0) return 0; /* a difference is 0 only when it is exactly: common in flat and axis-aligned meshes */
    /* Remaining error without rounding after the differences: 3u of each product, and less than u of the result. */
    const double x[3] = {ax, bx, cx}, y[3] = {ay, by, cy}, z[3] = {az, bz, cz};
    det = orient3d_of_rounded(x, y, z);
    bound = 4 * UNIT * size;
    if (det > bound || -det > bound) return sign(det);
    difference difference_of[3][3];
    const double *point[3] = {a, b, c};
    bool exact = true;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            difference_of[i][k] = subtract(point[i][k], d[k]);
            exact &= difference_of[i][k].count == 1;
        }
    return exact ? sign(det) : orient3d_of_differences(difference_of[0], difference_of[1], difference_of[2]);
}
