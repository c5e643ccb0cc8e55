/* step.c: an attempt of the impulse family: dynamics, contact constraints, detection, impulses, impact zones. */
#include "base/parallel.h"
#include "solve/solver.h"

#include <string.h>

/* Least sweeps over the contacts of a step, and over these with the pairs that would collide. 2 and 3:
 * within the spread; 8: hits of sphere 78 for 92, of hit50 168 for 137; 12: hits of sphere 85, of pile 3.0 for 1.2. */
enum { MIN_CONTACT_SWEEPS = 4, MIN_IMPACT_SWEEPS = 6 };
static mus_status solve_contact_constraints(mus_solver *s, const mus_step_input *input,
                                            const mus_candidate_pair_list *near, double dt) {
    mus_status status = mus_solver_build_constraints(s, input, near, dt);
    if (status == MUS_STATUS_OK) status = mus_solver_apply_rules(s, &s->constraints, 0);
    if (status == MUS_STATUS_OK && s->current >= 0)
        status =
            mus_warm_starts_apply(&s->assembly, &s->warm_starts[s->current], dt, &s->warm_start_table, &s->constraints);
    return status == MUS_STATUS_OK ? mus_solver_sweep(s, MIN_CONTACT_SWEEPS) : status;
}

static void stamp_moved(void *context, int64_t begin, int64_t end, int64_t block) {
    mus_solver *s = context;
    const mus_assembly *a = &s->assembly;
    (void)block;
    for (int64_t i = begin; i < end; i++)
        if (memcmp(&a->scratch[i], &a->x1[i], sizeof(v3)) != 0) mus_solver_moved(s, (int32_t)i);
}

/* Adds contact constraints for pairs that were not near and would collide, applies users' rules to them and solves them
 * together with the other contacts, before impulses for single hits. */
static mus_status solve_new_impacts(mus_solver *s, mus_candidate_pair_list *list) {
    mus_assembly *a = &s->assembly;
    int64_t first = s->constraints.count, near_count;
    mus_status status = mus_solver_build_impact_constraints(s, list, first, &near_count);
    if (status != MUS_STATUS_OK || s->constraints.count == first) return status;
    mus_parallel_copy(s->def.threads, a->scratch, a->x1, a->cloth_vertex_count, sizeof(v3));
    if ((status = mus_solver_apply_rules(s, &s->constraints, first)) != MUS_STATUS_OK) return status;
    if ((status = mus_solver_sweep(s, MIN_IMPACT_SWEEPS)) != MUS_STATUS_OK) return status;
    mus_parallel_vertices(s->def.threads, a->cloth_vertex_count, stamp_moved, s);
    return MUS_STATUS_OK;
}

/* One attempt over [t, t + dt] from x0, v0. */
static mus_status impulse_attempt(mus_solver *s, const mus_step_input *input, double t, double dt) {
    mus_assembly *a = &s->assembly;
    mus_stopwatch watch = mus_stopwatch_start(s->stats);
    mus_status status = mus_solver_predict(s, input, t, dt, &watch);
    if (status != MUS_STATUS_OK) return status;
    mus_candidate_pair_list *list = &s->candidates;
    if (s->current < 0) { /* no pairs of an earlier step: contacts from a detection of this step's motion */
        if ((status = mus_solver_detect(s, list)) != MUS_STATUS_OK) return status;
        mus_stopwatch_lap(&watch, MUS_PHASE_BROAD);
    }
    mus_solver_save_velocity_base(s);
    status = solve_contact_constraints(s, input, s->current < 0 ? list : &s->lists[s->current], dt);
    if (status != MUS_STATUS_OK) return status;
    bool moved;
    if ((status = mus_solver_place_rigid_bodies(s, dt, false, &moved)) != MUS_STATUS_OK) return status;
    mus_solver_update_velocities(s);
    mus_solver_save_velocity_base(s);
    mus_stopwatch_lap(&watch, MUS_PHASE_CONTACTS);
    if ((status = mus_solver_check_cancelled(input)) != MUS_STATUS_OK) return status;
    if ((status = mus_solver_detect(s, list)) != MUS_STATUS_OK) return status;
    mus_stopwatch_lap(&watch, MUS_PHASE_BROAD);
    s->stats->candidates = list->count;
    bool is_collision_free;
    if ((status = solve_new_impacts(s, list)) != MUS_STATUS_OK) return status;
    if ((status = mus_solver_place_rigid_bodies(s, dt, true, &moved)) != MUS_STATUS_OK) return status;
    if (moved && (status = mus_solver_detect(s, list)) != MUS_STATUS_OK)
        return status; /* pairs that the motion bounds did not cover */
    status = mus_solver_remove_collisions(s, input, list, dt, &watch, &is_collision_free);
    if (status != MUS_STATUS_OK) return status;
    mus_solver_apply_deferred_impulses(s, dt);
    mus_solver_solve_velocities(s, dt);
    mus_contacts_apply_restitution(a, &s->constraints, dt);
    mus_contacts_apply_restitution(a, &s->hits, dt);
    if (!is_collision_free) mus_solver_set_zone_velocities(s);
    mus_solver_follow_pins(a, dt);
    s->stats->contacts = s->hits.count + mus_contacts_count_active(&s->constraints);
    status = mus_solver_accept_attempt(s, &s->constraints);
    mus_stopwatch_lap(&watch, MUS_PHASE_COMMIT);
    return status;
}

const mus_family mus_family_impulse = {.attempt = impulse_attempt};
