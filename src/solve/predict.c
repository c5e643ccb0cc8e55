/* predict.c: the start of an attempt: places obstacles and pins, runs dynamics, and checks the predicted positions. */
#include "base/parallel.h"
#include "base/range.h"
#include "model/spring_program.h"
#include "solve/solver.h"

#include <string.h>

static void record_linear_solve(mus_solver *s, const mus_integrator_result *result) {
    if (result->iterations > s->stats->iterations) s->stats->iterations = result->iterations;
    if (result->residual > s->stats->residual) s->stats->residual = result->residual;
}

/* Advances all members of a seam group. */
static mus_status advance_seam_group(mus_solver *s, mus_seam_group *b, const mus_step_input *input, double dt) {
    mus_assembly *a = &s->assembly;
    for (int32_t k = 0; k < b->member_count; k++)
        b->members[k].previous_dt = a->objects[b->first_cloth + k].previous_dt;
    mus_integrator_result result =
        mus_seam_group_advance(b, s->def.integrator, &input->environment, dt, a->x0 + b->first, a->v0 + b->first,
                               a->x1 + b->first, a->v1 + b->first);
    for (int32_t k = 0; k < b->member_count; k++) a->objects[b->first_cloth + k].current_dt = result.previous_dt;
    record_linear_solve(s, &result);
    return mus_solver_check_substeps(s, result.iterations, b->members[0].cloth, dt);
}

static mus_status advance_cloths(mus_solver *s, const mus_step_input *input, double dt) {
    mus_assembly *a = &s->assembly;
    if (mus_solver_uses_contact_loads(s))
        mus_warm_starts_set_contact_loads(a, s->current < 0 ? NULL : &s->warm_starts[s->current], s->dynamics);
    for (int32_t b = 0; b < s->seam_group_count; b++) mus_seam_group_begin(&s->seam_groups[b], s->time, dt);
    for (int32_t k = 0; k < a->cloth_count; k++) {
        mus_seam_group *group = mus_solver_seam_group_at(s, k);
        if (group) {
            mus_status status = advance_seam_group(s, group, input, dt);
            if (status != MUS_STATUS_OK) return status;
            k += group->member_count - 1;
            continue;
        }
        mus_object *object = &a->objects[k];
        int32_t first = object->first;
        mus_integrator_result result =
            s->def.integrator->advance(s->dynamics[k], object->cloth, &input->environment, object->previous_dt, dt,
                                       a->x0 + first, a->v0 + first, a->x1 + first, a->v1 + first);
        object->current_dt = result.previous_dt;
        record_linear_solve(s, &result);
        mus_status status = mus_solver_check_substeps(s, result.iterations, object->cloth, dt);
        if (status != MUS_STATUS_OK) return status;
    }
    return MUS_STATUS_OK;
}

/* Returns whether a user's function reads the ends that dynamics predicts. Where contacts are solved with the cloth's
 * stiffness, nothing else does. */
static bool needs_dynamics(const mus_solver *s, const mus_step_input *input) {
    bool programs;
    return !s->def.family->couples_contacts || input->candidate || input->contacts || s->coefficients.laws ||
           mus_solver_has_rules(s, &programs);
}

typedef struct finite_check {
    const mus_assembly *a;
    double furthest; /* m: largest motion of a vertex along an axis */
    bool failed;
} finite_check;

/* If cloth flies apart, it is near all other cloth, and detection among all pairs takes minutes. */
static bool is_in_bounds(const finite_check *c, int64_t i) {
    v3 x = c->a->x1[i];
    return mus_are_lengths(x) && v3_max_abs(v3_sub(x, c->a->x0[i])) <= c->furthest;
}

static void check_vertices(void *context, int64_t begin, int64_t end, int64_t block) {
    finite_check *c = context;
    bool failed = false;
    (void)block;
    for (int64_t i = begin; i < end; i++) failed |= !is_in_bounds(c, i);
    if (failed) __atomic_store_n(&c->failed, true, __ATOMIC_RELAXED); /* several threads may set it */
}

mus_status mus_solver_check_finite(const mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    finite_check c = {a, MUS_MOST_SUBSTEPS * s->travel, false};
    mus_parallel_vertices(s->def.threads, a->cloth_vertex_count, check_vertices, &c);
    for (int32_t i = 0; c.failed && i < a->cloth_vertex_count; i++)
        if (!is_in_bounds(&c, i)) {
            char where[160];
            mus_solver_name_feature(s, i, where, sizeof where);
            if (mus_are_lengths(a->x1[i]))
                return mus_fail(MUS_STATUS_NO_SAFE_STEP,
                                "world: %s would move %g m in one step of %g s, at most %g m (%d times 0.4 of the mean "
                                "edge); lower the forces, stiffness, damping or dt",
                                where, v3_length(v3_sub(a->x1[i], a->x0[i])), s->dt, c.furthest, MUS_MOST_SUBSTEPS);
            return mus_fail(MUS_STATUS_NO_SAFE_STEP,
                            "world: %s would leave the coordinate range (%g m) in one step; lower the forces or dt",
                            where, MUS_LARGEST_LENGTH);
        }
    return MUS_STATUS_OK;
}

mus_status mus_solver_check_springs(const mus_solver *s) {
    mus_status status = MUS_STATUS_OK;
    for (int32_t k = 0; k < s->assembly.cloth_count; k++) {
        mus_status one = mus_spring_programs_check(s->assembly.objects[k].cloth); /* resets the error of each */
        if (status == MUS_STATUS_OK) status = one;
    }
    return status;
}

mus_status mus_solver_predict(mus_solver *s, const mus_step_input *input, double t, double dt, mus_stopwatch *watch) {
    mus_assembly *a = &s->assembly;
    mus_status status = mus_solver_ensure_broad_phase(s);
    if (status != MUS_STATUS_OK) return status;
    s->time = t, s->dt = dt;
    mus_coefficients_begin(&s->coefficients);
    memset(s->last_move, 0, sizeof *s->last_move * (size_t)a->vertex_count);
    s->clock = 1;
    if ((status = input->place_kinematic(input->context, a, t + dt)) != MUS_STATUS_OK) return status;
    mus_solver_predict_rigid_bodies(s, input, dt);
    mus_stopwatch_lap(watch, MUS_PHASE_OBSTACLES);
    if (needs_dynamics(s, input)) {
        status = advance_cloths(s, input, dt);
    } else {
        for (int32_t k = 0; k < s->seam_group_count; k++) mus_seam_group_begin(&s->seam_groups[k], s->time, dt);
        mus_solver_fall_freely(s, input->environment.gravity);
    }
    if (status != MUS_STATUS_OK) return status;
    mus_coupled_begin(s);
    mus_stopwatch_lap(watch, MUS_PHASE_DYNAMICS);
    if ((status = mus_solver_check_springs(s)) != MUS_STATUS_OK) return status;
    if ((status = mus_solver_check_cancelled(input)) != MUS_STATUS_OK) return status; /* positions may be incomplete */
    if (input->candidate) {
        mus_solver_save_velocity_base(s);
        if ((status = input->candidate(input->context, t + dt)) != MUS_STATUS_OK) return status;
        mus_solver_update_velocities(s);
        mus_stopwatch_lap(watch, MUS_PHASE_HOOKS);
    }
    for (int32_t k = 0; k < s->seam_group_count; k++)
        mus_stitches_warm_start(&s->seam_groups[k], dt, a->x1 + s->seam_groups[k].first);
    status = mus_solver_check_finite(s);
    return status == MUS_STATUS_OK ? mus_solver_check_rigid_bodies(s) : status;
}
