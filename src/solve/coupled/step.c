/* step.c: an attempt of the coupled family: a step of implicit Euler in which cloth, contacts, friction, strain limits
 * and rigid bodies are one problem. It starts from the ends without contacts, and is linearized there and at its
 * solutions; then pairs that would collide become constraints, too. Detection, single impulses and impact zones follow
 * as in the impulse family. */
#include "solve/solver.h"

/* Linearizations in an attempt, at most: most steps need two or three; cloth that buckles on impact more. */
enum { MAX_LINEARIZATIONS = 8 };

/* Solves until a linearization finds nothing to move. */
static mus_status solve(mus_solver *s, const mus_step_input *input) {
    bool moved = s->constraints.count || s->limit.count;
    for (int k = 0; k < MAX_LINEARIZATIONS && moved; k++) {
        mus_status status = mus_coupled_solve_linearized(s, &input->environment, &moved);
        if (status == MUS_STATUS_OK) status = mus_solver_check_cancelled(input);
        if (status != MUS_STATUS_OK) return status;
    }
    mus_coupled_correct_momentum(s);
    return MUS_STATUS_OK;
}

static mus_status solve_near_contacts(mus_solver *s, const mus_step_input *input, const mus_candidate_pair_list *near,
                                      double dt) {
    mus_status status = mus_solver_build_constraints(s, input, near, dt);
    if (status != MUS_STATUS_OK) return status;
    mus_coupled_add_outside_motion(s);
    if (s->current >= 0)
        status =
            mus_warm_starts_guess(&s->assembly, &s->warm_starts[s->current], dt, &s->warm_start_table, &s->constraints);
    return status == MUS_STATUS_OK ? solve(s, input) : status;
}

/* Adds constraints for pairs that were not near and would collide, and solves again. */
static mus_status solve_new_impacts(mus_solver *s, const mus_step_input *input, mus_candidate_pair_list *list) {
    int64_t first = s->constraints.count;
    mus_status status = mus_solver_build_impact_constraints(s, list, first);
    if (status != MUS_STATUS_OK || s->constraints.count == first) return status;
    mus_coupled_mark_ends(s);
    if ((status = mus_solver_apply_rules(s, &s->constraints, first)) != MUS_STATUS_OK) return status;
    mus_coupled_add_outside_motion(s);
    if ((status = solve(s, input)) != MUS_STATUS_OK) return status;
    for (int32_t i = 0; i < s->assembly.cloth_vertex_count; i++) mus_solver_moved(s, i);
    return mus_solver_check_finite(s);
}

static mus_status coupled_attempt(mus_solver *s, const mus_step_input *input, double t, double dt) {
    mus_assembly *a = &s->assembly;
    mus_stopwatch watch = mus_stopwatch_start(s->stats);
    mus_candidate_pair_list *list = &s->candidates;
    mus_status status = mus_solver_predict(s, input, t, dt, &watch);
    if (status != MUS_STATUS_OK) return status;
    if (s->current < 0) { /* no pairs of an earlier step: contacts from a detection of this step's motion */
        if ((status = mus_solver_detect(s, list)) != MUS_STATUS_OK) return status;
        mus_stopwatch_lap(&watch, MUS_PHASE_BROAD);
    }
    mus_solver_save_velocity_base(s);
    status = solve_near_contacts(s, input, s->current < 0 ? list : &s->lists[s->current], dt);
    if (status == MUS_STATUS_OK) status = mus_solver_check_finite(s);
    if (status != MUS_STATUS_OK) return status;
    bool moved, is_collision_free;
    if ((status = mus_solver_place_rigid_bodies(s, dt, false, &moved)) != MUS_STATUS_OK) return status;
    mus_solver_update_velocities(s);
    mus_solver_save_velocity_base(s);
    mus_stopwatch_lap(&watch, MUS_PHASE_CONTACTS);
    if ((status = mus_solver_detect(s, list)) != MUS_STATUS_OK) return status;
    mus_stopwatch_lap(&watch, MUS_PHASE_BROAD);
    s->stats->candidates = list->count;
    if ((status = solve_new_impacts(s, input, list)) != MUS_STATUS_OK) return status;
    if ((status = mus_solver_place_rigid_bodies(s, dt, true, &moved)) != MUS_STATUS_OK) return status;
    if (moved && (status = mus_solver_detect(s, list)) != MUS_STATUS_OK)
        return status; /* pairs that the motion bounds did not cover */
    mus_stopwatch_lap(&watch, MUS_PHASE_CONTACTS);
    status = mus_solver_remove_collisions(s, input, list, dt, &watch, &is_collision_free);
    if (status != MUS_STATUS_OK) return status;
    mus_solver_apply_deferred_impulses(s, dt);
    mus_contacts_apply_restitution(a, &s->constraints, dt);
    mus_contacts_apply_restitution(a, &s->hits, dt);
    if (!is_collision_free) mus_solver_set_zone_velocities(s);
    mus_solver_follow_pins(a, dt);
    s->stats->contacts = s->hits.count + mus_contacts_count_active(&s->constraints);
    s->stats->iterations += s->coupled.iterations;
    if (s->coupled.residual_left > s->stats->residual) s->stats->residual = s->coupled.residual_left;
    status = mus_solver_accept_attempt(s, &s->constraints);
    mus_stopwatch_lap(&watch, MUS_PHASE_COMMIT);
    return status;
}

const mus_family mus_family_coupled = {.attempt = coupled_attempt, .couples_contacts = true};
