/* predicates.c: orientation signs by a floating-point filter, and expansions of doubles where it cannot tell.
 *
 * An expansion is a sum of doubles that do not overlap, in order of growing magnitude; its sign is its last
 * component's. The building blocks hold in round-to-nearest without fused operations (-ffp-contract=off).
 */
#include "mesh/predicates.h"

#include <math.h>
#include <stdbool.h>

#define UNIT 0x1p-53

/* Largest numbers of components: a difference 2, a product of two 8, a minor 16, a term 64, a determinant 192. */
enum { MOST_MINOR = 16, MOST_TERM = 64, MOST_SUM = 192 };

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

/* h = e + f, zeros left out; h has room for both. Returns its length, at least 1. */
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

/* h = e d for a difference d of two components. */
static int expansion_times(int n, const double *e, const double d[2], double *h) {
    double low[MOST_TERM / 2], high[MOST_TERM / 2];
    int nl = expansion_scale(n, e, d[0], low), nh = expansion_scale(n, e, d[1], high);
    return expansion_sum(nl, low, nh, high, h);
}

/* h = a d - b c of differences. */
static int minor(const double a[2], const double b[2], const double c[2], const double d[2], double *h) {
    double ad[8], bc[8];
    int n = expansion_times(2, a, d, ad), m = expansion_times(2, b, c, bc);
    for (int i = 0; i < m; i++) bc[i] = -bc[i];
    return expansion_sum(n, ad, m, bc, h);
}

static void difference(double a, double b, double d[2]) {
    two_sum(a, -b, &d[1], &d[0]);
}

static int sign(double x) {
    return (x > 0) - (x < 0);
}

int mus_orient2d(const double a[2], const double b[2], const double c[2]) {
    double left = (a[0] - c[0]) * (b[1] - c[1]), right = (a[1] - c[1]) * (b[0] - c[0]);
    double det = left - right;
    /* Two differences, a product and the subtraction: 4u of either product. */
    double bound = 5 * UNIT * (fabs(left) + fabs(right));
    if (det > bound || -det > bound) return sign(det);
    if (bound == 0) return 0; /* as below */

    double ax[2], ay[2], bx[2], by[2], h[MOST_MINOR];
    difference(a[0], c[0], ax), difference(a[1], c[1], ay);
    difference(b[0], c[0], bx), difference(b[1], c[1], by);
    int n = minor(ax, ay, bx, by, h);
    return sign(h[n - 1]);
}

static int orient3d_exact(const double *a, const double *b, const double *c, const double *d) {
    const double *row[3] = {a, b, c};
    double x[3][2], y[3][2], z[3][2], sum[2][MOST_SUM];
    for (int k = 0; k < 3; k++) {
        difference(row[k][0], d[0], x[k]);
        difference(row[k][1], d[1], y[k]);
        difference(row[k][2], d[2], z[k]);
    }
    int n = 0;
    for (int k = 0; k < 3; k++) { /* z_k (x_i y_j - x_j y_i), (i, j, k) in cyclic order */
        int i = (k + 1) % 3, j = (k + 2) % 3;
        double area[MOST_MINOR], term[MOST_TERM];
        int m = minor(x[i], y[i], x[j], y[j], area);
        m = expansion_times(m, area, z[k], term);
        n = expansion_sum(n, sum[k & 1], m, term, sum[(k + 1) & 1]);
    }
    return sign(sum[1][n - 1]);
}

/* The determinant of the differences as rounded, without further error; 0 when it is 0. */
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

static bool rounded(double a, double b) {
    double d[2];
    difference(a, b, d);
    return d[0] != 0;
}

int mus_orient3d(const double a[3], const double b[3], const double c[3], const double d[3]) {
    double ax = a[0] - d[0], ay = a[1] - d[1], az = a[2] - d[2];
    double bx = b[0] - d[0], by = b[1] - d[1], bz = b[2] - d[2];
    double cx = c[0] - d[0], cy = c[1] - d[1], cz = c[2] - d[2];
    double bc = bx * cy, cb = cx * by, ca = cx * ay, ac = ax * cy, ab = ax * by, ba = bx * ay;
    double det = az * (bc - cb) + bz * (ca - ac) + cz * (ab - ba);
    double size =
        fabs(az) * (fabs(bc) + fabs(cb)) + fabs(bz) * (fabs(ca) + fabs(ac)) + fabs(cz) * (fabs(ab) + fabs(ba));
    /* Three differences, two products, the minor and two sums: 8u of each product of three; the rest is room for the
     * rounding of `size` and of the bound itself. */
    double bound = 10 * UNIT * size;
    if (det > bound || -det > bound) return sign(det);
    if (size == 0) return 0; /* a difference is 0 only when it is exactly: common in flat and axis-aligned meshes */
    /* What is left without rounding after the differences: 3u of each product, and less than u of the result. */
    const double x[3] = {ax, bx, cx}, y[3] = {ay, by, cy}, z[3] = {az, bz, cz};
    det = orient3d_of_rounded(x, y, z);
    bound = 4 * UNIT * size;
    if (det > bound || -det > bound) return sign(det);
    bool exact = true;
    const double *row[3] = {a, b, c};
    for (int i = 0; exact && i < 3; i++)
        for (int k = 0; exact && k < 3; k++) exact = !rounded(row[i][k], d[k]);
    return exact ? sign(det) : orient3d_exact(a, b, c, d);
}
