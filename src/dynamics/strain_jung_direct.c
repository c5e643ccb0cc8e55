/* strain_jung_direct.c: Jung's multipliers (2005, 4.2.3) by a sparse Cholesky factorization with approximate minimum
 * degree ordering: CXSparse (Davis 2006, Direct Methods for Sparse Linear Systems, 4 and 7). Its cost depends on
 * the edges at their limit and their connectivity, not on the length of chains of them.
 *
 * Matrix rows are scaled to a diagonal of 1, and the diagonal is raised by `compliance`: there are often more edges at
 * their limit than directions for their vertices to move in, and then the matrix is singular. Of its solutions this
 * gives the smallest. If there is none, because constraints contradict each other, some multipliers become negative and
 * their edges inactive; if constraints cannot be met at all, with pins too far apart, the result is a least-squares
 * solution of the overlengths. */
#include "dynamics/strain_jung.h"

#define NCOMPLEX /* its complex half, which would define I */
#include <suitesparse/cs.h>

/* Far above the rounding of the factors (1e-16 per term), far below the smallest eigenvalue of a chain of 1,000 edges
 * (1e-5, scaled): the share of an overlength that it leaves. */
static const double compliance = 1e-10;

/* M^-1/2 J^T with columns of length 1: 3 matrix rows per vertex, a column per active edge. */
static cs_dl *scaled_jacobian(const mus_strain_limit *limit, const mus_jung *m, const double *w) {
    cs_dl *g = cs_dl_spalloc(3 * (cs_long_t)limit->vertex_count, m->count, 6 * (cs_long_t)m->count, 1, 0);
    if (!g) return NULL;
    cs_long_t n = 0;
    for (int32_t k = 0; k < m->count; k++) {
        const mus_limit_edge *e = &limit->edges[m->active[k]];
        const mus_jung_constraint *r = &m->constraints[m->active[k]];
        const int32_t ends[2] = {e->a, e->b};
        g->p[k] = n;
        for (int c = 0; c < 2; c++) {
            if (!(w[ends[c]] > 0)) continue;
            double share = sqrt(w[ends[c]] / r->diagonal);
            v3 column = v3_scale(c ? -share : share, r->u);
            const double part[3] = {column.x, column.y, column.z};
            for (int i = 0; i < 3; i++, n++) g->i[n] = 3 * (cs_long_t)ends[c] + i, g->x[n] = part[i];
        }
    }
    g->p[m->count] = n;
    return g;
}

static cs_dl *normal_matrix(const mus_strain_limit *limit, const mus_jung *m, const double *w) {
    cs_dl *g = scaled_jacobian(limit, m, w), *t = g ? cs_dl_transpose(g, 1) : NULL;
    cs_dl *a = t ? cs_dl_multiply(t, g) : NULL;
    cs_dl_spfree(g), cs_dl_spfree(t);
    for (cs_long_t k = 0; a && k < m->count; k++)
        for (cs_long_t at = a->p[k]; at < a->p[k + 1]; at++)
            if (a->i[at] == k) a->x[at] += compliance;
    return a;
}

static mus_status solve_direct(const mus_strain_limit *limit, const mus_jung *m, const double *w) {
    cs_dl *a = normal_matrix(limit, m, w);
    cs_dls *order = a ? cs_dl_schol(1, a) : NULL;
    cs_dln *factor = order ? cs_dl_chol(a, order) : NULL;
    double *right = cs_dl_malloc(2 * (cs_long_t)m->count, sizeof *right), *y = right ? right + m->count : NULL;
    bool enough = factor && right; /* the matrix is positive definite: only lack of memory can fail */
    if (enough) {
        for (int32_t k = 0; k < m->count; k++) {
            const mus_jung_constraint *r = &m->constraints[m->active[k]];
            right[k] = r->over / sqrt(r->diagonal);
        }
        cs_dl_ipvec(order->pinv, right, y, m->count);
        cs_dl_lsolve(factor->L, y);
        cs_dl_ltsolve(factor->L, y);
        cs_dl_pvec(order->pinv, y, right, m->count);
        for (int32_t k = 0; k < m->count; k++) {
            mus_jung_constraint *r = &m->constraints[m->active[k]];
            r->lambda = right[k] / sqrt(r->diagonal);
        }
    }
    cs_dl_free(right), cs_dl_nfree(factor), cs_dl_sfree(order), cs_dl_spfree(a);
    if (enough) return MUS_STATUS_OK;
    return mus_fail(MUS_STATUS_NO_MEMORY,
                    "strain limit 'jung_direct': no memory for the factors of %d edges at their limit; choose 'jung'",
                    (int)m->count);
}

static double pass(mus_strain_limit *limit, const double *w, const v3 *x0, v3 *x, mus_moved moved, void *context) {
    return mus_jung_pass(limit, w, x0, x, moved, context, solve_direct);
}

const mus_strain_stage mus_strain_jung_direct = {"jung_direct", mus_jung_ready, pass};
