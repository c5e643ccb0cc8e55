/* cubic.c: continuous detection by the coplanarity cubic (PRO 1; JUN 2.1-2.6 are the same, multiplied out).
 *
 * Four points on straight lines are coplanar where f(t) = L.(E x G) = 0, with L, E, G differences of points: P - A,
 * B - A, C - A of a vertex and a face, C - A, B - A, D - C of two edges. E x G is quadratic, with the Bernstein
 * coefficients n0, N = (n0 + n1 - d)/2, n1, where n0, n1 are the products at both ends and d = (E1 - E0) x (G1 - G0);
 * so f has the coefficients L0.n0, (2 L0.N + L1.n0)/3, (2 L1.N + L0.n1)/3, L1.n1. Roots are bracketed between the zeros
 * of f', where f is monotone, and refined by Newton's method that falls back on bisection.
 *
 * In floating point the method misses contacts: roots within rounding noise, motions within one plane, edges that are
 * parallel when they meet. The stage certified_ccd does not. */
#include "narrow/elementary.h"

#include <float.h>

/* A weight may be this much outside 0..1. */
#define INSIDE 1e-6
/* Edges whose sine is less than this are parallel. */
#define PARALLEL 1e-7

double mus_cubic_coplanarity(const v3 l[2], const v3 e[2], const v3 g[2], double c[4]) {
    v3 n0 = v3_cross(e[0], g[0]), n1 = v3_cross(e[1], g[1]);
    v3 d = v3_cross(v3_sub(e[1], e[0]), v3_sub(g[1], g[0]));
    v3 n = v3_scale(0.5, v3_sub(v3_add(n0, n1), d));
    c[0] = v3_dot(l[0], n0);
    c[1] = (2 * v3_dot(l[0], n) + v3_dot(l[1], n0)) / 3;
    c[2] = (2 * v3_dot(l[1], n) + v3_dot(l[0], n1)) / 3;
    c[3] = v3_dot(l[1], n1);
    double size = 1;
    const v3 *const factor[3] = {l, e, g};
    for (int k = 0; k < 3; k++) size *= fmax(v3_max_abs(factor[k][0]), v3_max_abs(factor[k][1]));
    /* products of three with sums of at most 60 terms, each off by a few units in the last place */
    return 64 * DBL_EPSILON * size;
}

static double value(const double c[4], double t) { /* de Casteljau: stable on [0, 1] */
    double s = 1 - t;
    double p = s * c[0] + t * c[1], q = s * c[1] + t * c[2], r = s * c[2] + t * c[3];
    p = s * p + t * q, q = s * q + t * r;
    return s * p + t * q;
}

static double slope(const double c[4], double t) {
    double s = 1 - t, p = c[1] - c[0], q = c[2] - c[1], r = c[3] - c[2];
    return 3 * (s * (s * p + t * q) + t * (s * q + t * r));
}

/* Times in (0, 1), ascending, between which f is monotone. */
static int turning_times(const double c[4], double at[2]) {
    double p = c[1] - c[0], q = c[2] - c[1], r = c[3] - c[2]; /* p s^2 + 2 q s t + r t^2 */
    double quadratic = p - 2 * q + r, half = q - p, inside = half * half - quadratic * p;
    if (!(inside > 0)) return 0;
    double root = -(half + copysign(sqrt(inside), half)); /* no cancellation */
    double found[2] = {quadratic != 0 ? root / quadratic : -1, root != 0 ? p / root : -1};
    int count = 0;
    for (int k = 0; k < 2; k++)
        if (found[k] > 0 && found[k] < 1) at[count++] = found[k];
    if (count == 2 && at[0] > at[1]) {
        double swap = at[0];
        at[0] = at[1], at[1] = swap;
    }
    return count;
}

/* The root between two times at which f has opposite signs. */
static double refine(const double c[4], double lo, double hi) {
    bool rising = value(c, lo) < 0;
    double t = 0.5 * (lo + hi);
    for (int k = 0; k < 200 && hi - lo > 0; k++) {
        double f = value(c, t), rate = slope(c, t);
        if (f == 0) return t;
        if ((f < 0) == rising)
            lo = t;
        else
            hi = t;
        double next = t - f / rate, middle = 0.5 * (lo + hi);
        if (!(next > lo && next < hi) || (k & 3) == 3) next = middle; /* and every fourth time, so that it terminates */
        if (!(next > lo && next < hi)) break;                         /* no double between them */
        if (fabs(next - t) <= DBL_EPSILON * t) return next;
        t = next;
    }
    return t;
}

int mus_cubic_roots(const double c[4], double noise, double root[MUS_CUBIC_ROOTS]) {
    bool above = true, below = true;
    for (int k = 0; k < 4; k++) above &= c[k] > noise, below &= c[k] < -noise;
    if (above || below) return 0; /* f lies between its coefficients */
    double at[4] = {0};
    int count = 0, last = 1 + turning_times(c, at + 1);
    at[last] = 1;
    for (int k = 0; k <= last; k++) {
        double f = value(c, at[k]);
        if (fabs(f) <= noise) root[count++] = at[k];
        if (k == last) break;
        double next = value(c, at[k + 1]);
        if ((f < 0 && next > 0) || (f > 0 && next < 0)) {
            double t = refine(c, at[k], at[k + 1]);
            if (!count || t > root[count - 1]) root[count++] = t;
        }
    }
    return count;
}

/* The unit normal at the root, toward the side that side A was on before, by the sign of f since the previous root; if
 * A was in the plane all the time, against the relative motion. */
static void orient(const mus_elementary_query *q, v3 normal, const double c[4], const double *root, int k, double noise,
                   mus_elementary_hit *hit) {
    double side = value(c, 0.5 * ((k > 0 ? root[k - 1] : 0) + root[k]));
    if (fabs(side) <= noise) {
        side = 0;
        for (int i = 0; i < 4; i++) side -= hit->weight[i] * v3_dot(normal, v3_sub(q->x1[i], q->x0[i]));
    }
    hit->normal = v3_normalized(side < 0 ? v3_neg(normal) : normal);
}

static v3 position_between(const mus_elementary_query *q, int from, int to, double t) {
    return v3_lerp(v3_sub(q->x0[to], q->x0[from]), v3_sub(q->x1[to], q->x1[from]), t);
}

static bool is_inside(double w) {
    return w >= -INSIDE && w <= 1 + INSIDE;
}

static bool vertex_face(mus_elementary_query *q, mus_elementary_hit *hit) {
    if (q->radius > 0) return mus_elementary_round(false, q, hit);
    v3 l[2] = {v3_sub(q->x0[0], q->x0[1]), v3_sub(q->x1[0], q->x1[1])};
    v3 e[2] = {v3_sub(q->x0[2], q->x0[1]), v3_sub(q->x1[2], q->x1[1])};
    v3 g[2] = {v3_sub(q->x0[3], q->x0[1]), v3_sub(q->x1[3], q->x1[1])};
    double c[4], root[MUS_CUBIC_ROOTS], noise = mus_cubic_coplanarity(l, e, g, c);
    int roots = mus_cubic_roots(c, noise, root);
    for (int k = 0; k < roots; k++) {
        v3 p = position_between(q, 1, 0, root[k]), b = position_between(q, 1, 2, root[k]),
           d = position_between(q, 1, 3, root[k]);
        double bb = v3_dot(b, b), bd = v3_dot(b, d), dd = v3_dot(d, d), pb = v3_dot(p, b), pd = v3_dot(p, d);
        double det = bb * dd - bd * bd;
        if (!(det > PARALLEL * PARALLEL * bb * dd)) continue; /* a face without area has no inside */
        double u = (dd * pb - bd * pd) / det, v = (bb * pd - bd * pb) / det;
        if (!is_inside(u) || !is_inside(v) || !is_inside(1 - u - v)) continue;
        hit->toi = root[k];
        hit->weight[0] = 1, hit->weight[1] = u + v - 1, hit->weight[2] = -u, hit->weight[3] = -v;
        orient(q, v3_cross(b, d), c, root, k, noise, hit);
        return true;
    }
    return false;
}

static bool edge_edge(mus_elementary_query *q, mus_elementary_hit *hit) {
    if (q->radius > 0) return mus_elementary_round(true, q, hit);
    v3 l[2] = {v3_sub(q->x0[2], q->x0[0]), v3_sub(q->x1[2], q->x1[0])};
    v3 e[2] = {v3_sub(q->x0[1], q->x0[0]), v3_sub(q->x1[1], q->x1[0])};
    v3 g[2] = {v3_sub(q->x0[3], q->x0[2]), v3_sub(q->x1[3], q->x1[2])};
    double c[4], root[MUS_CUBIC_ROOTS], noise = mus_cubic_coplanarity(l, e, g, c);
    int roots = mus_cubic_roots(c, noise, root);
    for (int k = 0; k < roots; k++) {
        v3 a = position_between(q, 0, 1, root[k]), b = position_between(q, 2, 3, root[k]),
           r = position_between(q, 0, 2, root[k]);
        double aa = v3_dot(a, a), ab = v3_dot(a, b), bb = v3_dot(b, b), ra = v3_dot(r, a), rb = v3_dot(r, b);
        double det = aa * bb - ab * ab;
        if (!(det > PARALLEL * PARALLEL * aa * bb)) continue;
        double u = (bb * ra - ab * rb) / det, v = (ab * ra - aa * rb) / det; /* of a, of b */
        if (!is_inside(u) || !is_inside(v)) continue;
        hit->toi = root[k];
        hit->weight[0] = u - 1, hit->weight[1] = -u, hit->weight[2] = 1 - v, hit->weight[3] = v;
        orient(q, v3_cross(a, b), c, root, k, noise, hit);
        return true;
    }
    return false;
}

const mus_elementary mus_elementary_cubic = {.name = "cubic_ccd", .vertex_face = vertex_face, .edge_edge = edge_edge};
