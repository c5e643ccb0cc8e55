/* cloth_rigid.c: the solve of the impulse family for cloth that touches rigid bodies, after dynamics: minimize x H x /
 * 2 over the displacements x that satisfy contacts and strain limits, with H the matrix of linearized implicit Euler
 * and the mass and inertia of the bodies. */
#include "solve/solver.h"

#include <string.h>

/* Updates of multipliers; and levels of a restart with softer penalties, each softer_factor of the next. */
enum { MAX_MULTIPLIER_UPDATES = 8, SOFTER_LEVELS = 6 };
static const double softer_factor = 0.25;
/* Residuals, in multiples of the tolerance `enough`: above the first the solve is restarted, above the second it has
 * failed. None of these was varied: bench has no scene with rigid bodies. */
static const double restart_residual = 10, failed_residual = 100;

bool mus_coupled_is_needed(const mus_solver *s) {
    if (!s->coupled.u) return false;
    for (int64_t k = 0; k < s->constraints.count; k++)
        if (mus_coupled_is_cloth_rigid(&s->assembly, &s->constraints.data[k])) return true;
    return false;
}

/* Starts from the state with unchanged velocities, or from the current one, whichever has the lower objective. For
 * objects at rest the contacts and taut edges are active in the former already. */
static void choose_start(mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    mus_coupled *c = &s->coupled;
    for (int32_t i = 0; i < c->n; i++) {
        bool free = a->inverse_mass[i] > 0;
        c->u[i] = free ? v3_sub(v3_axpy(s->dt, a->v0[i], a->x0[i]), a->x1[i]) : v3_make(0, 0, 0);
    }
    mus_coupled_keep_body_velocities(s);
    mus_coupled_multiply_inertia(s, c->u, c->matrix_product);
    mus_coupled_move_terms(s, 1, c->u);
    mus_coupled_evaluate(s, 0);
    double there = mus_coupled_objective(s);
    mus_coupled_move_terms(s, -1, c->u);
    memcpy(c->change, c->u, sizeof(v3) * (size_t)c->size);
    memcpy(c->product, c->matrix_product, sizeof(v3) * (size_t)c->size);
    memset(c->u, 0, sizeof(v3) * (size_t)c->size);
    memset(c->matrix_product, 0, sizeof(v3) * (size_t)c->size);
    mus_coupled_evaluate(s, 0);
    if (mus_coupled_objective(s) < there) return;
    memcpy(c->u, c->change, sizeof(v3) * (size_t)c->size);
    memcpy(c->matrix_product, c->product, sizeof(v3) * (size_t)c->size);
    mus_coupled_move_terms(s, 1, c->u);
    mus_coupled_evaluate(s, 0);
    for (int64_t k = 0; k < c->constraints.count; k++) {
        mus_coupled_constraint *t = &c->constraints.data[k];
        t->limit = s->constraints.data[t->constraint].friction * t->normal_impulse;
    }
}

/* Restarts from zero displacement, with penalties that increase to the final ones: in an impact, contacts and edges
 * become active one by one. */
static double restart_with_continuation(mus_solver *s) {
    mus_coupled *c = &s->coupled;
    double left = 0;
    mus_coupled_move_terms(s, -1, c->u);
    memset(c->u, 0, sizeof(v3) * (size_t)c->size);
    memset(c->matrix_product, 0, sizeof(v3) * (size_t)c->size);
    for (int k = SOFTER_LEVELS; k >= 0; k--) {
        c->softness = 1;
        for (int i = 0; i < k; i++) c->softness *= softer_factor;
        left = mus_coupled_newton(s);
    }
    return left;
}

mus_status mus_coupled_solve_cloth_rigid(mus_solver *s, bool *solved) {
    mus_coupled *c = &s->coupled;
    mus_status status = mus_coupled_begin_solve(s, true);
    *solved = false;
    if (status != MUS_STATUS_OK) return status;
    mus_coupled_set_gains(s);
    c->enough = 0;
    choose_start(s);
    for (int k = 0; k < MAX_MULTIPLIER_UPDATES; k++) {
        double left = mus_coupled_newton(s);
        if (left > restart_residual * c->enough && k == 0) left = restart_with_continuation(s);
        *solved = left <= failed_residual * c->enough;
        if (!*solved || mus_coupled_update_multipliers(s)) break;
    }
    if (*solved) mus_coupled_apply_solution(s);
    return MUS_STATUS_OK;
}
