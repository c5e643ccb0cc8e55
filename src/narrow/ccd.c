/* ccd.c: continuous detection by certified separating axes. Linear motions, no root finding, nothing missed.
 *
 * Both pairs reduce to differences w_k of points of the two sides: p - a, p - b, p - c for vertex–face, b_j - a_i for
 * edge–edge. Points of the pair differ by convex combinations of the w_k, and each w_k is linear in time. So where a
 * fixed vector d has
 *
 *     d.w_k(t) > h |d|   for every k, at t = t0 and at t = t1,                                                (1)
 *
 * no two points come within h of each other during all of [t0, t1]. The vector to try is the one between nearest
 * points at some time in the interval. An axis that separates at t is followed to the time at which the first d.w_k
 * falls to h |d| (linear, one division), and from there the next axis starts: conservative advancement (Mirtich 1996)
 * with directions in place of distances, each step of which is certified in floating point.
 *
 * Rounding. u = 2^-53. Let W be the computed differences, M the largest magnitude among their components at both ends
 * of the query, |d|_1 = |d_x| + |d_y| + |d_z|. Only sums, differences and products occur:
 *
 *     W = w (1 + e)                          e <= u for each component
 *     S = fl(d.W)                            |S - d.W| <= 3u |d|_1 M         (a product and at most two sums each)
 *     F = fl((1-t) S0 + t S1)                1 - t, the product and the sum: 3u more of |d|_1 M
 *
 * in all |F - d.w(t)| <= 7u |d|_1 M to first order, at any t in [0, 1]; the terms of second order are below u^2 30 M.
 * h |d| comes with a relative error of at most 4u (two sums, three products under a root, the root, the product). Hence
 *
 *     F > h |d| + E,   E = |d|_1 (8u (M + h) + 1e-300) + 2^-1022                                              (2)
 *
 * implies (1): 8u exceeds 7u by more than E's own rounding. Underflow of products adds at most 3 2^-1075 in S, and
 * 2 2^-1075 in F, times 1 or |d|_1; the two tiny terms cover it. Overflow and NaN make (2) false. M depends on
 * differences only, so distance from the origin costs no accuracy. */
#include "narrow/ccd.h"

#include "base/range.h"
#include "narrow/ccd_kernel.h"
#include "narrow/simd2.h"
#include "muslin/query.h"

#include <float.h>

#define UNIT 0x1p-53

typedef enum pair_kind { VERTEX_FACE, EDGE_EDGE } pair_kind;

/* One source for both kinds, compiled for each: `kind` is a constant where it counts. */
#if defined(__GNUC__)
#define FOR_EACH_KIND static inline __attribute__((always_inline))
#else
#define FOR_EACH_KIND static inline
#endif

/* The differences in SIMD pairs: k = 0 1 in [0], 2 3 in [1]; vertex–face stores its third twice. */
typedef struct differences {
    simd2 x0[2], y0[2], z0[2]; /* at time 0 */
    simd2 x1[2], y1[2], z1[2]; /* at time 1 */
} differences;

/* Projections d.w_k onto an axis at both ends, and the least value that certifies. */
typedef struct projection {
    simd2 s0[2], s1[2];
    double limit;
} projection;

static inline void differences_vf(const v3 x[4], simd2 wx[2], simd2 wy[2], simd2 wz[2]) {
    simd2 px = simd2_set1(x[0].x), py = simd2_set1(x[0].y), pz = simd2_set1(x[0].z);
    wx[0] = simd2_sub(px, simd2_make(x[1].x, x[2].x)), wx[1] = simd2_sub(px, simd2_set1(x[3].x));
    wy[0] = simd2_sub(py, simd2_make(x[1].y, x[2].y)), wy[1] = simd2_sub(py, simd2_set1(x[3].y));
    wz[0] = simd2_sub(pz, simd2_make(x[1].z, x[2].z)), wz[1] = simd2_sub(pz, simd2_set1(x[3].z));
}

static inline void differences_ee(const v3 x[4], simd2 wx[2], simd2 wy[2], simd2 wz[2]) {
    simd2 bx = simd2_make(x[2].x, x[3].x), by = simd2_make(x[2].y, x[3].y), bz = simd2_make(x[2].z, x[3].z);
    for (int i = 0; i < 2; i++) {
        wx[i] = simd2_sub(bx, simd2_set1(x[i].x));
        wy[i] = simd2_sub(by, simd2_set1(x[i].y));
        wz[i] = simd2_sub(bz, simd2_set1(x[i].z));
    }
}

static inline void differences_make(pair_kind kind, const v3 x0[4], const v3 x1[4], differences *w) {
    if (kind == VERTEX_FACE) {
        differences_vf(x0, w->x0, w->y0, w->z0);
        differences_vf(x1, w->x1, w->y1, w->z1);
    } else {
        differences_ee(x0, w->x0, w->y0, w->z0);
        differences_ee(x1, w->x1, w->y1, w->z1);
    }
}

static inline double larger(double a, double b) {
    return a > b ? a : b;
}
static inline double lesser(double a, double b) {
    return a < b ? a : b;
}

/* Range of one coordinate over all differences at both ends. NaN may be ignored. */
static inline void range(const simd2 a[2], const simd2 b[2], double *least, double *most) {
    simd2 lo = simd2_min(simd2_min(a[0], a[1]), simd2_min(b[0], b[1]));
    simd2 hi = simd2_max(simd2_max(a[0], a[1]), simd2_max(b[0], b[1]));
    *least = lesser(simd2_first(lo), simd2_second(lo));
    *most = larger(simd2_first(hi), simd2_second(hi));
}

static inline bool has_nan(const simd2 a[2], const simd2 b[2]) {
    simd2 sum = simd2_add(simd2_add(a[0], a[1]), simd2_add(b[0], b[1]));
    double both = simd2_first(sum) + simd2_second(sum);
    return both != both;
}

/* (1) for a coordinate axis: each W is within u of its own w, so W (1 - 4u) > h is enough. */
static inline bool apart(double least, double most, double gap) {
    return least * (1 - 4 * UNIT) > gap || most * (1 - 4 * UNIT) < -gap;
}

static inline double margin(double size, double gap, v3 d) {
    return (fabs(d.x) + fabs(d.y) + fabs(d.z)) * (8 * UNIT * (size + gap) + 1e-300) + DBL_MIN;
}

static inline void project(const differences *w, v3 d, double gap, double size, projection *p) {
    simd2 dx = simd2_set1(d.x), dy = simd2_set1(d.y), dz = simd2_set1(d.z);
    for (int i = 0; i < 2; i++) {
        p->s0[i] = simd2_add(simd2_add(simd2_mul(dx, w->x0[i]), simd2_mul(dy, w->y0[i])), simd2_mul(dz, w->z0[i]));
        p->s1[i] = simd2_add(simd2_add(simd2_mul(dx, w->x1[i]), simd2_mul(dy, w->y1[i])), simd2_mul(dz, w->z1[i]));
    }
    p->limit = margin(size, gap, d);
    /* |d|: squares lost to underflow are made up for by the smallest normal number. */
    if (gap > 0) p->limit += gap * sqrt(v3_length2(d) + DBL_MIN);
}

static inline bool clear_from_start_to_end(const projection *p) {
    simd2 limit = simd2_set1(p->limit);
    return simd2_both_greater(p->s0[0], p->s0[1], limit) && simd2_both_greater(p->s1[0], p->s1[1], limit);
}

static inline bool clear_at(const projection *p, double t) {
    simd2 s = simd2_set1(1 - t), r = simd2_set1(t), limit = simd2_set1(p->limit);
    simd2 a = simd2_add(simd2_mul(s, p->s0[0]), simd2_mul(r, p->s1[0]));
    simd2 b = simd2_add(simd2_mul(s, p->s0[1]), simd2_mul(r, p->s1[1]));
    return simd2_both_greater(a, b, limit);
}

/* Returns the farthest time from t toward `end` (0 or 1) up to which a projection that is clear at t is known to be
 * clear. */
static double clear_toward(const projection *p, double t, double end) {
    double s0[4] = {simd2_first(p->s0[0]), simd2_second(p->s0[0]), simd2_first(p->s0[1]), simd2_second(p->s0[1])};
    double s1[4] = {simd2_first(p->s1[0]), simd2_second(p->s1[0]), simd2_first(p->s1[1]), simd2_second(p->s1[1])};
    double exit = end;
    for (int k = 0; k < 4; k++) {
        if ((end > 0 ? s1[k] : s0[k]) > p->limit) continue;
        double at = (s0[k] - p->limit) / (s0[k] - s1[k]);
        if (end > 0 ? at < exit : at > exit) exit = at;
    }
    /* The quotient is rounded; what counts is that (2) holds at the time returned. */
    if (exit == end) return clear_at(p, end) ? end : t;
    for (double share = 1 - 0x1p-20; share > 0.2; share *= 0.5) {
        double at = t + share * (exit - t);
        if (clear_at(p, at)) return at;
    }
    return t;
}

static inline v3 vector_of_lane(const simd2 x[2], const simd2 y[2], const simd2 z[2], int k) {
    return k & 1 ? v3_make(simd2_second(x[k >> 1]), simd2_second(y[k >> 1]), simd2_second(z[k >> 1]))
                 : v3_make(simd2_first(x[k >> 1]), simd2_first(y[k >> 1]), simd2_first(z[k >> 1]));
}

/* Differences at time t. */
static inline void differences_at(const differences *w, double t, v3 out[4]) {
    simd2 s = simd2_set1(1 - t), r = simd2_set1(t), x[2], y[2], z[2];
    for (int i = 0; i < 2; i++) {
        x[i] = simd2_add(simd2_mul(s, w->x0[i]), simd2_mul(r, w->x1[i]));
        y[i] = simd2_add(simd2_mul(s, w->y0[i]), simd2_mul(r, w->y1[i]));
        z[i] = simd2_add(simd2_mul(s, w->z0[i]), simd2_mul(r, w->z1[i]));
    }
    for (int k = 0; k < 4; k++) out[k] = vector_of_lane(x, y, z, k);
}

/* ---- Axes: the direction between nearest points ------------------------------------------------------------------ */

/* An axis needs no accuracy to be safe, only to be useful. The quick ones serve the first attempt; where an edge is too
 * short they are NaN or poor, and certify nothing. */
static inline v3 quick_segment(v3 r, v3 e) {
    double along = v3_dot(r, e) / v3_length2(e);
    return v3_axpy(-lesser(larger(along, 0), 1), e, r);
}

FOR_EACH_KIND v3 quick_axis_vf(const v3 w[4]) {
    v3 ab = v3_sub(w[0], w[1]), bc = v3_sub(w[1], w[2]), ca = v3_sub(w[2], w[0]);
    v3 n = v3_cross(ab, bc);
    double na = v3_dot(v3_cross(w[1], w[2]), n), nb = v3_dot(v3_cross(w[2], w[0]), n);
    double nc = v3_dot(v3_cross(w[0], w[1]), n);
    if (na >= 0 && nb >= 0 && nc >= 0) return v3_dot(n, w[0]) > 0 ? n : v3_neg(n);
    /* One or two edges are seen from outside. */
    v3 d = na < 0 ? quick_segment(w[1], bc) : nb < 0 ? quick_segment(w[2], ca) : quick_segment(w[0], ab);
    if (na < 0 ? nb < 0 || nc < 0 : nb < 0 && nc < 0) {
        v3 e = nc < 0 ? quick_segment(w[0], ab) : quick_segment(w[2], ca);
        if (v3_length2(e) < v3_length2(d)) d = e;
    }
    return d;
}

FOR_EACH_KIND v3 quick_axis_ee(const v3 w[4]) {
    v3 a = v3_sub(w[0], w[2]), b = v3_sub(w[1], w[0]), r = w[0];
    double aa = v3_length2(a), bb = v3_length2(b), ab = v3_dot(a, b), ar = v3_dot(a, r), br = v3_dot(b, r);
    double det = aa * bb - ab * ab, s = ar * bb - br * ab;
    if (s > 0 && s < det) {
        double t = s * ab - br * det;
        if (t > 0 && t < bb * det) {
            v3 n = v3_cross(a, b);
            return v3_dot(n, r) > 0 ? n : v3_neg(n);
        }
    }
    s = det > 0 ? lesser(larger(s / det, 0), 1) : 0;
    double t = lesser(larger((s * ab - br) / bb, 0), 1);
    s = lesser(larger((t * ab + ar) / aa, 0), 1);
    return v3_axpy(-s, a, v3_axpy(t, b, r));
}

/* The shortest r - t e, t in [0, 1], among some segments. */
typedef struct nearest {
    v3 d, e;
    double ee, distance2;
    bool inside; /* 0 < t < 1 */
} nearest;

static inline void try_segment(v3 r, v3 e, nearest *best) {
    double ee = v3_length2(e), re = v3_dot(r, e);
    bool inside = re > 0 && re < ee;
    v3 d = inside ? v3_axpy(-(re / ee), e, r) : re > 0 && ee > 0 ? v3_sub(r, e) : r;
    double l = v3_length2(d);
    if (l < best->distance2) *best = (nearest){d, e, ee, l, inside};
}

/* Projects perpendicular to the segment again: the first subtraction leaves an error of u|r| along e, which over the
 * length of e hides a small distance. */
static inline v3 refined(const nearest *p) {
    return p->inside ? v3_axpy(-(v3_dot(p->d, p->e) / p->ee), p->e, p->d) : p->d;
}

static v3 axis_vf(const v3 w[4]) {
    v3 ab = v3_sub(w[0], w[1]), bc = v3_sub(w[1], w[2]), ca = v3_sub(w[2], w[0]);
    v3 n = v3_cross(ab, bc);
    double na = v3_dot(v3_cross(w[1], w[2]), n), nb = v3_dot(v3_cross(w[2], w[0]), n);
    double nc = v3_dot(v3_cross(w[0], w[1]), n);
    if (na >= 0 && nb >= 0 && nc >= 0) {
        double side = v3_dot(n, w[0]);
        if (side > 0) return n;
        if (side < 0) return v3_neg(n);
    }
    bool all = !(na < 0 || nb < 0 || nc < 0);
    nearest best = {.d = w[0], .distance2 = (double)INFINITY};
    if (all || nc < 0) try_segment(w[0], ab, &best);
    if (all || na < 0) try_segment(w[1], bc, &best);
    if (all || nb < 0) try_segment(w[2], ca, &best);
    return refined(&best);
}

static v3 axis_ee(const v3 w[4]) {
    v3 a = v3_sub(w[0], w[2]), b = v3_sub(w[1], w[0]), r = w[0], back = v3_neg(b);
    v3 n = v3_cross(a, b);
    double det = v3_length2(n), s = v3_dot(v3_cross(r, b), n), t = v3_dot(v3_cross(r, a), n);
    if (s > 0 && s < det && t > 0 && t < det) { /* inside both edges: across both */
        double side = v3_dot(n, r);
        if (side > 0) return n;
        if (side < 0) return v3_neg(n);
    }
    nearest best = {.d = r, .distance2 = (double)INFINITY};
    try_segment(r, a, &best);       /* b0 against a */
    try_segment(w[1], a, &best);    /* b1 against a */
    try_segment(r, back, &best);    /* a0 against b */
    try_segment(w[2], back, &best); /* a1 against b */
    return refined(&best);
}

static inline void look_at_time(pair_kind kind, const differences *w, double at, double gap, double size,
                                projection *p) {
    v3 x[4];
    differences_at(w, at, x);
    project(w, kind == VERTEX_FACE ? axis_vf(x) : axis_ee(x), gap, size, p);
}

/* ---- The query --------------------------------------------------------------------------------------------------- */

/* The rest of the query, for pairs that no single axis certifies over the whole step. */
static bool advance(pair_kind kind, const differences *w, double gap, double size, double tolerance,
                    const projection *first, mus_ccd_result *result) {
    /* Largest motion: the largest change of a difference. Rounding here only shifts what counts as a graze. */
    double motion = 0;
    for (int k = 0; k < 4; k++) {
        v3 change = v3_sub(vector_of_lane(w->x1, w->y1, w->z1, k), vector_of_lane(w->x0, w->y0, w->z0, k));
        motion = larger(motion, v3_length(change));
    }
    /* The interval that the first axis, of the middle of the step, certifies. */
    double settled = 1, until = 1;
    if (clear_at(first, 0.5)) settled = clear_toward(first, 0.5, 0), until = clear_toward(first, 0.5, 1);

    projection p;
    double t = 0, ahead = settled < 0.5 ? 0.5 * settled : 0.1;
    while (result->iterations < MUS_CCD_MOST_AXES) {
        if (t >= settled && t < until) {
            t = until;
            if (t >= 1) return false;
            ahead = 0.5 * (1 - t);
        }
        double next = t;
        /* The axis of a slightly later time certifies a longer interval than the current one's, if it separates
         * already. */
        if (ahead > 0) {
            result->iterations++;
            look_at_time(kind, w, lesser(t + ahead, 1), gap, size, &p);
            if (clear_at(&p, t)) next = clear_toward(&p, t, 1);
        }
        if (!((next - t) * motion > tolerance) && next < 1) { /* the axis of the current time decides */
            result->iterations++;
            look_at_time(kind, w, t, gap, size, &p);
            bool clear = clear_at(&p, t);
            next = clear ? clear_toward(&p, t, 1) : t;
            if (!((next - t) * motion > tolerance) && next < 1) {
                result->toi = t;
                result->near_at_start = t == 0 && !clear;
                return true;
            }
        }
        if (next >= 1) return false;
        ahead = 0.25 * (next - t);
        t = next;
    }
    result->toi = t;
    return true;
}

FOR_EACH_KIND bool query(pair_kind kind, const v3 x0[4], const v3 x1[4], double gap, double tolerance,
                         mus_ccd_result *result) {
    differences w;
    projection p;
    double least, most, size = 0;
    *result = (mus_ccd_result){.toi = 1};
    differences_make(kind, x0, x1, &w);

    range(w.x0, w.x1, &least, &most);
    if (apart(least, most, gap) && !has_nan(w.x0, w.x1)) {
        result->axis.x = least > 0 ? 1 : -1;
        return false;
    }
    size = larger(-least, most);
    range(w.y0, w.y1, &least, &most);
    if (apart(least, most, gap) && !has_nan(w.y0, w.y1)) {
        result->axis.y = least > 0 ? 1 : -1;
        return false;
    }
    size = larger(size, larger(-least, most));
    range(w.z0, w.z1, &least, &most);
    if (apart(least, most, gap) && !has_nan(w.z0, w.z1)) {
        result->axis.z = least > 0 ? 1 : -1;
        return false;
    }
    size = larger(size, larger(-least, most));

    result->iterations = 1;
    v3 x[4];
    differences_at(&w, 0.5, x);
    v3 d = kind == VERTEX_FACE ? quick_axis_vf(x) : quick_axis_ee(x);
    project(&w, d, gap, size, &p);
    if (clear_from_start_to_end(&p)) {
        result->axis = d;
        return false;
    }
    return advance(kind, &w, gap, size, tolerance, &p, result);
}

bool mus_ccd_vf(const v3 x0[4], const v3 x1[4], double gap, double tolerance, mus_ccd_result *result) {
    return query(VERTEX_FACE, x0, x1, gap, tolerance, result);
}

bool mus_ccd_ee(const v3 x0[4], const v3 x1[4], double gap, double tolerance, mus_ccd_result *result) {
    return query(EDGE_EDGE, x0, x1, gap, tolerance, result);
}

FOR_EACH_KIND bool axis_clear(pair_kind kind, const v3 x0[4], const v3 x1[4], v3 axis, double gap) {
    differences w;
    projection p;
    differences_make(kind, x0, x1, &w);
    double least, most, size;
    range(w.x0, w.x1, &least, &most), size = larger(-least, most);
    range(w.y0, w.y1, &least, &most), size = larger(size, larger(-least, most));
    range(w.z0, w.z1, &least, &most), size = larger(size, larger(-least, most));
    project(&w, axis, gap, size, &p);
    return clear_from_start_to_end(&p);
}

bool mus_ccd_axis_clear_vf(const v3 x0[4], const v3 x1[4], v3 axis, double gap) {
    return axis_clear(VERTEX_FACE, x0, x1, axis, gap);
}

bool mus_ccd_axis_clear_ee(const v3 x0[4], const v3 x1[4], v3 axis, double gap) {
    return axis_clear(EDGE_EDGE, x0, x1, axis, gap);
}

/* ---- The public queries ------------------------------------------------------------------------------------------ */

/* Contact times are within 1e-9 of the query's interval, rounding permitting: the tolerance is that fraction of the
 * largest motion. */
static bool public_query(pair_kind kind, const double t0[12], const double t1[12], double thickness, double *toi) {
    v3 x0[4], x1[4];
    double motion = 0;
    bool in_range = mus_is_length(thickness);
    for (int k = 0; k < 4; k++) {
        x0[k] = v3_load(t0 + 3 * k), x1[k] = v3_load(t1 + 3 * k);
        in_range = in_range && mus_are_lengths(x0[k]) && mus_are_lengths(x1[k]);
        motion = larger(motion, v3_length(v3_sub(v3_sub(x1[k], x1[0]), v3_sub(x0[k], x0[0]))));
    }
    mus_ccd_result result = {.toi = 0};
    bool hit = !in_range || query(kind, x0, x1, larger(thickness, 0), 1e-9 * motion, &result);
    if (hit && toi) *toi = result.toi;
    return hit;
}

bool mus_ccd_vertex_face(const double t0[12], const double t1[12], double thickness, double *toi) {
    return public_query(VERTEX_FACE, t0, t1, thickness, toi);
}

bool mus_ccd_edge_edge(const double t0[12], const double t1[12], double thickness, double *toi) {
    return public_query(EDGE_EDGE, t0, t1, thickness, toi);
}
