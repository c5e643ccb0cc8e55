/* linearized.c: the solve of the coupled family: the equilibrium of a step of implicit Euler with its contacts,
 * linearized at the present ends of cloth, with the multipliers of the solve before. */
#include "solve/solver.h"

#include <string.h>

/* Shortenings of a step, and the slope at its end from which on it is too long, as a share of that at its start. */
enum { MAX_SHORTENINGS = 8 };
static const double too_steep = 0.5;
/* Motion of a vertex within an attempt, in mean edges, up to which coarse levels keep what the cloths' matrices
 * contribute to them. Of drape10k (16 frames), drape30k (30) and a shirt of 9,474 faces on a body in fast motion (2 s):
 * iterations 0.99, 0.96 and 1.0 of those with matrices computed for each linearization; instructions of drape10k 0.90,
 * time of the shirt 0.85 and 0.91 in two pairs of runs. Kept whatever the motion: iterations of drape30k 1.07. */
static const double max_coarse_drift = 0.5;

/* What only families need that solve all contacts so. */
mus_status mus_coupled_create_model(mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    mus_coupled *c = &s->coupled;
    size_t cloths = (size_t)a->cloth_count + 1, vertices = (size_t)c->n + 1;
    c->first = mus_new(sizeof *c->first * cloths);
    c->right = mus_new(sizeof(v3) * (size_t)c->size);
    c->marked = mus_new(sizeof(v3) * vertices);
    c->outside = mus_new(sizeof(v3) * vertices);
    c->body_residual = mus_new(sizeof(v3) * 2 * ((size_t)a->rigid_count + 1));
    c->groups = mus_new(sizeof *c->groups * cloths);
    c->group_parent = mus_new(sizeof *c->group_parent * cloths);
    int32_t *edges = mus_new(sizeof *edges * 2 * ((size_t)s->limit.count + 1));
    mus_status status =
        c->first && c->groups && c->group_parent && c->right && c->marked && c->outside && c->body_residual && edges
            ? MUS_STATUS_OK
            : MUS_STATUS_NO_MEMORY;
    for (int32_t k = 0; k < s->limit.count && status == MUS_STATUS_OK; k++)
        edges[2 * k] = s->limit.edges[k].a, edges[2 * k + 1] = s->limit.edges[k].b;
    for (int32_t k = 0; k < a->cloth_count && status == MUS_STATUS_OK; k++)
        c->first[k] = a->objects[k].first, c->matrix[k] = mus_solver_matrix(s, k);
    bool has_force_memory = s->def.integrator->has_force_memory;
    if (status == MUS_STATUS_OK) status = mus_incremental_model_create(&c->model, a, has_force_memory, 0);
    for (int k = 0; k < 3 && has_force_memory && status == MUS_STATUS_OK; k++)
        if (!(c->elastic_force[k] = mus_new(sizeof(v3) * vertices))) status = MUS_STATUS_NO_MEMORY;
    if (status == MUS_STATUS_OK)
        status = mus_coupled_matrix_create(&c->grid, c->size, 2 * a->rigid_count, c->matrix, c->first, a->cloth_count,
                                           edges, s->limit.count);
    mus_free(edges);
    return status;
}

bool mus_coupled_get_motion(mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    mus_coupled *c = &s->coupled;
    bool any = false;
    if (!c->n) return false;
    memset(c->change, 0, sizeof(v3) * (size_t)c->size);
    for (int32_t i = 0; i < c->n; i++) {
        c->change[i] = v3_sub(a->x1[i], c->marked[i]);
        any |= v3_length2(c->change[i]) > 0;
    }
    if (any) c->step_curvature = 0;
    return any;
}

void mus_coupled_add_outside_motion(mus_solver *s) {
    mus_coupled *c = &s->coupled;
    if (!mus_coupled_get_motion(s)) return;
    c->forgets_force = true; /* a sudden motion */
    mus_coupled_multiply_inertia(s, c->change, c->product);
    for (int32_t i = 0; i < c->n; i++) c->outside[i] = v3_add(c->outside[i], c->product[i]);
}

void mus_coupled_add_rule_impulses(mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    mus_coupled *c = &s->coupled;
    if (!mus_coupled_get_motion(s)) return;
    for (int32_t i = 0; i < c->n; i++)
        if (a->inverse_mass[i] > 0) c->outside[i] = v3_axpy(1 / a->inverse_mass[i], c->change[i], c->outside[i]);
}

static mus_incremental_cloths cloths_of(mus_solver *s) {
    return (mus_incremental_cloths){&s->assembly, s->dynamics, s->coupled.matrix, s->seam_groups, s->seam_group_count};
}

/* Equations change where vertices come into contact: the last step is then none of theirs. Soft pins to bodies, as
 * contacts, are not among the elastic forces that are remembered. */
static void forget_force_in_contact(mus_solver *s) {
    mus_coupled *c = &s->coupled;
    for (int64_t k = 0; c->model.former_force && k < c->attachments.count; k++) {
        bool *is_memoryless = &c->model.is_memoryless[c->attachments.data[k].row];
        if (!*is_memoryless) *is_memoryless = true, c->step_curvature = 0;
    }
    for (int64_t k = 0; c->model.former_force && k < s->constraints.count; k++)
        for (int i = 0; i < 4; i++) {
            int32_t vertex = s->constraints.data[k].vertex[i];
            if (vertex < 0 || vertex >= c->n || c->model.is_memoryless[vertex]) continue;
            c->model.is_memoryless[vertex] = true, c->step_curvature = 0;
        }
}

/* Impulses of contacts and edges were applied to bodies, and are part of the model's equilibrium: that of cloth has
 * them in `right`, so that changes of impulses are what is added. */
static void linearize(mus_solver *s) {
    mus_coupled *c = &s->coupled;
    mus_incremental_cloths cloths = cloths_of(s);
    forget_force_in_contact(s);
    memset(c->right, 0, sizeof(v3) * (size_t)c->size);
    mus_incremental_model_linearize(&cloths, &c->model, s->assembly.x1, s->dt, c->threads, c->right);
    bool keeps_coarse = c->drift < max_coarse_drift * s->mean_edge;
    if (!keeps_coarse) c->drift = 0;
    mus_coupled_matrix_read(&c->grid, keeps_coarse, c->threads);
    for (int32_t i = 0; i < c->n; i++)
        c->right[i] = v3_axpy(mus_incremental_model_factor(&c->model, i), c->outside[i], c->right[i]);
    mus_coupled_set_start_impulses(s);
    mus_coupled_add_terms(s, NULL, c->right);
    memcpy(c->right + c->n, c->body_residual, sizeof(v3) * 2 * (size_t)s->assembly.rigid_count);
}

/* Slope of the linearized objective along u at its end, with the impulses that were applied. */
static double slope_along_solution(mus_solver *s) {
    mus_coupled *c = &s->coupled;
    mus_coupled_begin_line(s, c->u);
    return mus_coupled_dot(c, c->u, c->matrix_product) - mus_coupled_dot(c, c->u, c->right) - mus_coupled_line_work(s);
}

/* Takes a body back to a share of its motion by u. */
static void shorten_body_step(mus_solver *s, int32_t k, double share) {
    mus_coupled *c = &s->coupled;
    v3 *product = c->matrix_product + c->n + 2 * k;
    if (!c->rigid_bodies[k].touches_cloth) return;
    mus_coupled_move_body(s, k, share - 1);
    for (int i = 0; i < 2; i++) {
        c->body_residual[2 * k + i] = v3_axpy(1 - share, product[i], c->body_residual[2 * k + i]);
        product[i] = v3_scale(share, product[i]);
    }
}

/* Where elastic forces at the end of the last linearization's step make the objective rise along it, and much more
 * steeply than the linearized one, the step was too long: it is shortened to where a slope between that at its start
 * and that at its end is zero. Without, sewn sheets that are hit change their angular
 * momentum by 0.9 %, with it by less than 0.3 (tests/lua/stitch_test.lua), and cloth drawn through a pipe uses up its
 * gaps (tests/scenes/funnel.lua). Never twice in a row: a step that draws a slack stitch taut would be taken back each
 * time, to where the stitch is slack and its stiffness unseen, and a seam over a ball opened to four times its width
 * (tests/lua/stitch_test.lua). */
static void shorten_last_step(mus_solver *s) {
    mus_assembly *a = &s->assembly;
    mus_coupled *c = &s->coupled;
    for (int k = 0; k < MAX_SHORTENINGS && c->step_curvature > 0; k++) {
        double slope = -mus_coupled_dot(c, c->u, c->right), start = c->step_curvature - fmax(0, c->step_slope);
        if (!(slope - c->step_slope > too_steep * c->step_curvature && slope > 0 && start > 0)) return;
        double share = start / (start + slope);
        mus_coupled_move_terms(s, share - 1, c->u);
        for (int32_t i = 0; i < c->n; i++) {
            if (a->inverse_mass[i] > 0) a->x1[i] = v3_axpy(share - 1, c->u[i], a->x1[i]);
        }
        for (int32_t b = 0; b < a->rigid_count; b++) shorten_body_step(s, b, share);
        for (int32_t i = 0; i < c->size; i++) c->u[i] = v3_scale(share, c->u[i]);
        c->step_curvature *= share, c->step_slope *= share;
        c->shortened = true;
        linearize(s);
    }
}

/* Starts where velocities alone would move the cloth: at rest that is the solution, with the impulses of the step
 * before as multipliers, while the ends without contacts are far from it where contacts carry much. Cloth that nothing
 * touches starts where its loads would move it without elastic forces: a free fall is exact so. Whether dynamics was
 * solved, for users' functions that read its ends, has no influence from here on. */
static void start_attempt(mus_solver *s, const mus_environment *environment) {
    mus_assembly *a = &s->assembly;
    mus_coupled *c = &s->coupled;
    mus_incremental_cloths cloths = cloths_of(s);
    c->model.start = a->x0;
    c->model.former_force = s->current < 0 || c->forgets_force ? NULL : c->elastic_force[s->current];
    mus_incremental_model_begin(&cloths, &c->model, environment, s->dt);
    mus_solver_fall_freely(s, environment->gravity);
    mus_solver_save_velocity_base(s);
    mus_contacts_set_approach(a, &s->constraints, s->dt);
    for (int32_t i = 0; i < c->n; i++)
        if (a->inverse_mass[i] > 0) a->x1[i] = v3_axpy(s->dt, a->v0[i], a->x0[i]);
    mus_coupled_start_free_cloth(s);
}

static double longest(const v3 *u, int32_t count) {
    double most = 0;
    for (int32_t i = 0; i < count; i++) most = fmax(most, v3_length2(u[i]));
    return sqrt(most);
}

mus_status mus_coupled_solve_linearized(mus_solver *s, const mus_environment *environment, bool *moved) {
    mus_coupled *c = &s->coupled;
    bool first = !c->is_linearized;
    int32_t before = c->newton_steps;
    mus_status status = first ? mus_coupled_begin_attachments(s, false) : MUS_STATUS_OK;
    if (status != MUS_STATUS_OK) return status;
    if (first) start_attempt(s, environment);
    status = mus_coupled_begin_solve(s, !first);
    if (status == MUS_STATUS_OK) status = mus_coupled_sweep_free_bodies(s, !first);
    if (status != MUS_STATUS_OK) return status;
    c->drift = first ? (double)INFINITY : c->drift + longest(c->u, c->n);
    linearize(s);
    bool was_shortened = c->shortened;
    c->shortened = false;
    if (!was_shortened) shorten_last_step(s);
    mus_coupled_set_gains(s);
    c->is_linearized = true;
    memset(c->u, 0, sizeof(v3) * (size_t)c->size);
    memset(c->matrix_product, 0, sizeof(v3) * (size_t)c->size);
    if (first) {
        mus_coupled_keep_body_velocities(s);
        mus_coupled_multiply_inertia(s, c->u, c->matrix_product);
        mus_coupled_move_terms(s, 1, c->u);
    }
    mus_coupled_newton(s);
    if (first && c->model.former_force && c->begins_with_impact) { /* a step of implicit Euler */
        c->model.former_force = NULL;
        c->drift = INFINITY;
        linearize(s);
        mus_coupled_set_gains(s);
        mus_coupled_newton(s);
    }
    mus_coupled_apply_solution(s);
    c->step_curvature = mus_coupled_dot(c, c->u, c->matrix_product);
    if (c->step_curvature > 0) c->step_slope = slope_along_solution(s);
    *moved = c->newton_steps > before;
    return MUS_STATUS_OK;
}

void mus_coupled_store_elastic_force(mus_solver *s, int list) {
    const mus_coupled *c = &s->coupled;
    const mus_incremental_model *m = &c->model;
    for (int32_t i = 0; m->elastic && i < c->n; i++) {
        double factor = mus_incremental_model_factor(m, i);
        v3 inertial = v3_scale(factor, mus_sym3_mul(&m->inertia[i], c->u[i]));
        v3 change = v3_sub(inertial, c->matrix_product[i]); /* of dt^2 times the force, by u */
        v3 force = v3_scale(1 / (s->dt * s->dt), v3_add(m->elastic[i], change));
        c->elastic_force[list][i] = factor > 1 ? v3_lerp(m->former_force[i], force, 0.5) : force;
    }
}

mus_status mus_coupled_solve_rigid_hits(mus_solver *s) {
    bool moved, any = false;
    mus_coupled_mark_bodies(s);
    for (int32_t k = 0; k < s->assembly.rigid_count; k++) any |= s->coupled.rigid_bodies[k].touches_cloth;
    return any ? mus_coupled_solve_linearized(s, NULL, &moved) : mus_coupled_sweep_free_bodies(s, true);
}
