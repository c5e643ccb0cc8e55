/* exact.h: continuous queries in exact rational arithmetic, for tests: proves a pair clear over a time span by
 * bisection and separating axes. Slow and independent of the code it judges. */
#ifndef MUS_TESTS_EXACT_H
#define MUS_TESTS_EXACT_H

#include <gmp.h>
#include <stdbool.h>

#include "mesh/distance.h"

/* Whether d.w(t) > gap |d| exactly, w = (1-t) (q0 - p0) + t (q1 - p1). */
static inline bool exact_beyond(v3 p0, v3 p1, v3 q0, v3 q1, v3 d, double gap, double t) {
    mpq_t sum, s, r, w, v;
    mpq_inits(sum, s, r, w, v, NULL);
    mpq_set_d(r, t);
    mpq_set_si(s, 1, 1);
    mpq_sub(s, s, r);
    for (int k = 0; k < 3; k++) {
        mpq_set_d(w, v3_get(q0, k)), mpq_set_d(v, v3_get(p0, k));
        mpq_sub(w, w, v), mpq_mul(w, w, s);
        mpq_set_d(v, v3_get(d, k)), mpq_mul(w, w, v), mpq_add(sum, sum, w);
        mpq_set_d(w, v3_get(q1, k)), mpq_set_d(v, v3_get(p1, k));
        mpq_sub(w, w, v), mpq_mul(w, w, r);
        mpq_set_d(v, v3_get(d, k)), mpq_mul(w, w, v), mpq_add(sum, sum, w);
    }
    bool beyond = mpq_sgn(sum) > 0;
    if (beyond && gap > 0) { /* (d.w)^2 > gap^2 d.d */
        mpq_mul(sum, sum, sum);
        mpq_set_si(w, 0, 1);
        for (int k = 0; k < 3; k++) {
            mpq_set_d(v, v3_get(d, k)), mpq_mul(v, v, v), mpq_add(w, w, v);
        }
        mpq_set_d(v, gap), mpq_mul(v, v, v), mpq_mul(w, w, v);
        beyond = mpq_cmp(sum, w) > 0;
    }
    mpq_clears(sum, s, r, w, v, NULL);
    return beyond;
}

static inline bool exact_axis_clear(bool edges, const v3 x0[4], const v3 x1[4], v3 d, double gap, double t) {
    if (edges) {
        for (int i = 0; i < 2; i++)
            for (int j = 2; j < 4; j++)
                if (!exact_beyond(x0[i], x1[i], x0[j], x1[j], d, gap, t)) return false;
    } else {
        for (int j = 1; j < 4; j++)
            if (!exact_beyond(x0[j], x1[j], x0[0], x1[0], d, gap, t)) return false;
    }
    return true;
}

/* Some vectors that may separate: the one between nearest points, normals of either side, differences of corners. */
static inline int exact_axes(bool edges, const v3 x0[4], const v3 x1[4], double t, v3 axes[8]) {
    v3 x[4];
    double w[3];
    /* relative to one point, so that an offset costs nothing */
    for (int k = 0; k < 4; k++) x[k] = v3_lerp(v3_sub(x0[k], x0[0]), v3_sub(x1[k], x1[0]), t);
    int n = 0;
    v3 e1 = edges ? v3_sub(x[1], x[0]) : v3_sub(x[2], x[1]), e2 = edges ? v3_sub(x[3], x[2]) : v3_sub(x[3], x[1]);
    v3 d =
        edges ? mus_nearest_edge_edge(x[0], x[1], x[2], x[3], w) : mus_nearest_vertex_face(x[0], x[1], x[2], x[3], w);
    axes[n++] = d;
    for (int pass = 0; pass < 2; pass++) { /* made orthogonal once more */
        v3 e = pass ? e2 : e1;
        double l = v3_length2(e);
        if (l > 0) axes[n++] = v3_axpy(-v3_dot(d, e) / l, e, d);
    }
    v3 normal = v3_cross(e1, e2);
    axes[n++] = normal;
    axes[n++] = v3_neg(normal);
    if (!edges) {
        v3 e3 = v3_sub(x[3], x[2]);
        double l = v3_length2(e3);
        if (l > 0) axes[n++] = v3_axpy(-v3_dot(d, e3) / l, e3, d);
    }
    return n;
}

/* True: proved that the pair stays further than gap apart during [t0, t1]. False: not proved. */
static inline bool exact_clear(bool edges, const v3 x0[4], const v3 x1[4], double gap, double t0, double t1, int depth,
                               int *work) {
    v3 axes[14] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    if (--*work < 0) return false;
    for (int pass = 0; pass < 3; pass++) { /* axes of the middle, of the start, of the end */
        int first = pass > 0 || depth < 60 ? 6 : 0;
        int n = 6 + exact_axes(edges, x0, x1, pass == 0 ? 0.5 * (t0 + t1) : pass == 1 ? t0 : t1, axes + 6);
        for (int k = first; k < n; k++)
            if (exact_axis_clear(edges, x0, x1, axes[k], gap, t0) && exact_axis_clear(edges, x0, x1, axes[k], gap, t1))
                return true;
    }
    if (depth <= 0) return false;
    double middle = 0.5 * (t0 + t1);
    return exact_clear(edges, x0, x1, gap, t0, middle, depth - 1, work) &&
           exact_clear(edges, x0, x1, gap, middle, t1, depth - 1, work);
}

#endif
