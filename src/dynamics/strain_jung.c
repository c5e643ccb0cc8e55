/* strain_jung.c: Lagrange multipliers keep edges at their limit (Jung 2005, 4.2.3; the implicit constraint of Hong et
 * al.): with C the overlengths at the start of the step and J their Jacobian, J M^-1 J^T lambda = C/dt^2 + J v/dt +
 * J M^-1 F over the active edges, v' = v + dt M^-1 (F - J^T lambda).
 *
 * The predicted positions x* = x0 + dt v + dt^2 M^-1 F are given, so that the right side times dt^2 is C(x0) + J (x* -
 * x0): the overlength of an edge along its direction at the start. It is less than that of its length by the turn of
 * the edge: the limit is kept to O(dt^2). An edge becomes active where it is too long, and inactive where its
 * multiplier would be compressive. Conjugate gradients solve for the multipliers here (`jung`), a factorization in
 * strain_jung_direct.c; where active edges depend on each other the matrix is only semidefinite, and both still find a
 * solution if there is one. */
#include "dynamics/strain_jung.h"

#include <string.h>

enum { LIMIT = 200 };
static const double tolerance = 1e-4; /* of the largest overlength at the start */

mus_status mus_jung_ready(mus_strain_limit *limit, int32_t vertex_count) {
    size_t constraints = sizeof(mus_jung_constraint) * (size_t)limit->count,
           active = sizeof(int32_t) * ((size_t)limit->count + 3);
    size_t vertices = sizeof(v3) * (size_t)vertex_count;
    mus_jung *m = mus_new(sizeof(mus_jung) + constraints + vertices + active);
    if (!m) return MUS_STATUS_NO_MEMORY;
    m->constraints = (mus_jung_constraint *)(m + 1);
    m->sum = (v3 *)(m->constraints + limit->count);
    m->active = (int32_t *)(m->sum + vertex_count);
    limit->kept = m;
    return MUS_STATUS_OK;
}

/* sum = J^T y at the vertices of active edges; `member` is the offset of y in the constraints. */
static void apply_jacobian_transpose(const mus_strain_limit *limit, const mus_jung *m, size_t member) {
    for (int32_t k = 0; k < m->count; k++) {
        const mus_limit_edge *e = &limit->edges[m->active[k]];
        m->sum[e->a] = m->sum[e->b] = v3_make(0, 0, 0);
    }
    for (int32_t k = 0; k < m->count; k++) {
        const mus_limit_edge *e = &limit->edges[m->active[k]];
        const mus_jung_constraint *r = &m->constraints[m->active[k]];
        double y = *(const double *)((const char *)r + member);
        m->sum[e->a] = v3_axpy(y, r->u, m->sum[e->a]);
        m->sum[e->b] = v3_axpy(-y, r->u, m->sum[e->b]);
    }
}

/* J M^-1 sum of an edge. */
static double apply_jacobian(const mus_limit_edge *e, const mus_jung_constraint *r, const double *w, const v3 *sum) {
    return v3_dot(r->u, v3_sub(v3_scale(w[e->a], sum[e->a]), v3_scale(w[e->b], sum[e->b])));
}

/* Multipliers of the active edges, from zero: by conjugate gradients, preconditioned by the diagonal. */
static mus_status solve_iterative(const mus_strain_limit *limit, const mus_jung *m, const double *w) {
    double rho = 0, largest = 0;
    for (int32_t k = 0; k < m->count; k++) {
        mus_jung_constraint *r = &m->constraints[m->active[k]];
        r->lambda = 0, r->residual = r->over, r->direction = r->over / r->diagonal;
        rho += r->residual * r->direction;
        largest = fmax(largest, fabs(r->over));
    }
    for (int round = 0; round < LIMIT && rho > 0; round++) {
        double curvature = 0, worst = 0, next = 0;
        apply_jacobian_transpose(limit, m, offsetof(mus_jung_constraint, direction));
        for (int32_t k = 0; k < m->count; k++) {
            mus_jung_constraint *r = &m->constraints[m->active[k]];
            r->product = apply_jacobian(&limit->edges[m->active[k]], r, w, m->sum);
            curvature += r->direction * r->product;
        }
        if (!(curvature > 0)) break;
        double step = rho / curvature;
        for (int32_t k = 0; k < m->count; k++) {
            mus_jung_constraint *r = &m->constraints[m->active[k]];
            r->lambda += step * r->direction;
            r->residual -= step * r->product;
            worst = fmax(worst, fabs(r->residual));
            next += r->residual * r->residual / r->diagonal;
        }
        if (worst <= tolerance * largest) break;
        for (int32_t k = 0; k < m->count; k++) {
            mus_jung_constraint *r = &m->constraints[m->active[k]];
            r->direction = r->residual / r->diagonal + next / rho * r->direction;
        }
        rho = next;
    }
    return MUS_STATUS_OK;
}

/* Starts with all edges that are too long, and removes those with negative multipliers until there are none. */
static mus_status choose_and_solve(const mus_strain_limit *limit, mus_jung *m, const double *w,
                                   mus_jung_solve *multipliers) {
    m->count = 0;
    for (int32_t k = 0; k < limit->count; k++)
        if (m->constraints[k].over > 0 && m->constraints[k].diagonal > 0) m->active[m->count++] = k;
    while (m->count) {
        mus_status status = multipliers(limit, m, w);
        if (status != MUS_STATUS_OK) return status;
        int32_t kept = 0;
        for (int32_t k = 0; k < m->count; k++)
            if (m->constraints[m->active[k]].lambda > 0) m->active[kept++] = m->active[k];
        if (kept == m->count) break;
        m->count = kept;
    }
    return MUS_STATUS_OK;
}

double mus_jung_pass(mus_strain_limit *limit, const double *w, const v3 *x0, v3 *x, mus_moved moved, void *context,
                     mus_jung_solve *multipliers) {
    mus_jung *m = limit->kept;
    double worst = 1;
    for (int32_t k = 0; k < limit->count; k++) {
        const mus_limit_edge *e = &limit->edges[k];
        mus_jung_constraint *r = &m->constraints[k];
        r->u = v3_normalized(v3_sub(x0[e->a], x0[e->b]));
        r->diagonal = v3_length2(r->u) > 0 ? w[e->a] + w[e->b] : 0;
        r->over = v3_dot(r->u, v3_sub(x[e->a], x[e->b])) - e->longest;
        if (r->diagonal > 0) worst = fmax(worst, 1 + r->over / e->longest);
    }
    if (worst == 1) return 1;
    limit->status = choose_and_solve(limit, m, w, multipliers);
    if (limit->status != MUS_STATUS_OK) return 1;
    apply_jacobian_transpose(limit, m, offsetof(mus_jung_constraint, lambda));
    for (int32_t k = 0; k < m->count; k++) { /* each vertex once: its sum is cleared */
        const mus_limit_edge *e = &limit->edges[m->active[k]];
        const int32_t ends[2] = {e->a, e->b};
        for (int c = 0; c < 2; c++) {
            v3 *sum = &m->sum[ends[c]];
            if (w[ends[c]] <= 0 || v3_length2(*sum) <= 0) continue;
            x[ends[c]] = v3_axpy(-w[ends[c]], *sum, x[ends[c]]);
            *sum = v3_make(0, 0, 0);
            if (moved) moved(context, ends[c]);
        }
    }
    return worst;
}

static double pass(mus_strain_limit *limit, const double *w, const v3 *x0, v3 *x, mus_moved moved, void *context) {
    return mus_jung_pass(limit, w, x0, x, moved, context, solve_iterative);
}

const mus_strain_stage mus_strain_jung = {"jung", mus_jung_ready, pass};
