/* conjugate_gradients.c: the linear solve of a Newton step of the coupled problem, and sums over its entries, in blocks
 * of entries, so that they do not depend on CPU threads. A pass over the entries does all that can be done in it. */
#include "solve/solver.h"

#include <string.h>

enum { MAX_SOLVER_ITERATIONS = 200 };

typedef struct pass {
    mus_solver *s;
    const v3 *p, *q;
    v3 *out;
    double step;
} pass;

static double sum_of(const mus_coupled *c, int64_t count, mus_parallel_summand body, pass *of) {
    return mus_parallel_sum(c->threads, count, body, of, c->block_sum.data);
}

mus_status mus_coupled_reserve_sums(mus_coupled *c, int64_t count) {
    int64_t most = count > c->size ? count : c->size;
    return mus_array_reserve(&c->block_sum, mus_parallel_vertex_blocks(most) + 1) ? MUS_STATUS_OK
                                                                                  : MUS_STATUS_NO_MEMORY;
}

static double dot_rows(void *context, int64_t begin, int64_t end) {
    const pass *of = context;
    double total = 0;
    for (int64_t i = begin; i < end; i++) total += v3_dot(of->p[i], of->q[i]);
    return total;
}

double mus_coupled_dot(const mus_coupled *c, const v3 *p, const v3 *q) {
    return sum_of(c, c->size, dot_rows, &(pass){.p = p, .q = q});
}

/* Adds what acts on rows of cloth; fixed ones are zero. Returns p.out. */
static double add_row_terms(void *context, int64_t begin, int64_t end) {
    const pass *of = context;
    const mus_coupled *c = &of->s->coupled;
    const double *inverse_mass = of->s->assembly.inverse_mass;
    double total = 0;
    for (int64_t i = begin; i < end; i++) {
        of->out[i] = inverse_mass[i] > 0 ? mus_row_terms_sum(&c->row_terms, i, of->out[i]) : v3_make(0, 0, 0);
        if (of->p) total += v3_dot(of->p[i], of->out[i]);
    }
    return total;
}

double mus_coupled_add_terms(mus_solver *s, const v3 *p, v3 *out) {
    const mus_coupled *c = &s->coupled;
    double total = sum_of(c, c->n, add_row_terms, &(pass){.s = s, .p = p, .out = out});
    mus_coupled_add_to_bodies(s, out);
    for (int32_t i = c->n; p && i < c->size; i++) total += v3_dot(p[i], out[i]);
    return total;
}

void mus_coupled_multiply_inertia(const mus_solver *s, const v3 *p, v3 *out) {
    const mus_assembly *a = &s->assembly;
    const mus_coupled *c = &s->coupled;
    for (int32_t k = 0; k < a->cloth_count; k++) {
        int32_t first = a->objects[k].first;
        if (c->matrix[k]) mus_block_matrix_multiply(c->matrix[k], p + first, out + first, c->threads);
    }
    for (int32_t k = 0; k < a->rigid_count; k++) {
        int32_t at = c->n + 2 * k;
        out[at] = v3_scale(a->rigids[k].of->mass, p[at]);
        out[at + 1] = m3_mul_v3(&c->rigid_bodies[k].inertia, p[at + 1]);
    }
}

/* Returns p H p. */
static double multiply_hessian(mus_solver *s, const v3 *p, v3 *out) {
    mus_coupled_multiply_inertia(s, p, out);
    mus_coupled_set_products(s, 1, p);
    return mus_coupled_add_terms(s, p, out);
}

/* Returns the residual's square by the blocks of the diagonal. */
static double advance_rows(void *context, int64_t begin, int64_t end) {
    const pass *of = context;
    mus_coupled *c = &of->s->coupled;
    double total = 0;
    for (int64_t i = begin; i < end; i++) {
        c->change[i] = v3_axpy(of->step, c->direction[i], c->change[i]);
        c->residual[i] = v3_axpy(-of->step, c->product[i], c->residual[i]);
        total += mus_coupled_row_norm2(c, i, c->residual[i]);
    }
    return total;
}

static double turn_rows(void *context, int64_t begin, int64_t end) {
    const pass *of = context;
    mus_coupled *c = &of->s->coupled;
    for (int64_t i = begin; i < end; i++) c->direction[i] = v3_axpy(of->step, c->direction[i], c->preconditioned[i]);
    return 0;
}

void mus_coupled_solve(mus_solver *s, double share, double rz) {
    mus_coupled *c = &s->coupled;
    double small = share * mus_coupled_diagonal_norm2(c, c->residual);
    memset(c->change, 0, sizeof(v3) * (size_t)c->size);
    memcpy(c->direction, c->preconditioned, sizeof(v3) * (size_t)c->size);
    for (int k = 0; k < MAX_SOLVER_ITERATIONS; k++) {
        double curvature = multiply_hessian(s, c->direction, c->product);
        c->iterations++;
        if (!(curvature > 0)) break;
        double left = sum_of(c, c->size, advance_rows, &(pass){.s = s, .step = rz / curvature});
        if (!(left + mus_coupled_bodies_norm2(c, c->residual) > small)) break;
        double next = mus_coupled_precondition(c, c->residual, c->preconditioned), ratio = next / rz;
        rz = next;
        sum_of(c, c->size, turn_rows, &(pass){.s = s, .step = ratio});
    }
}
