/* step.c: an attempt of the classic family: the systems of the literature, stage by stage. Dynamics, then rounds of
 * detection, contacts and response, then the fail-safe. Collisions that remain are committed and counted; but if the
 * elementary test is conservative and no stage follows the fail-safe, such a step fails, and is attempted again in
 * halves. */
#include "solve/classic/classic.h"

enum { STRAIN_SWEEPS = 60 };

static mus_status attempt(mus_solver *s, const mus_step_input *input, double t, double dt) {
    mus_assembly *a = &s->assembly;
    mus_candidate_pair_list *list = &s->candidates;
    mus_stopwatch watch = mus_stopwatch_start(s->stats);
    mus_status status = mus_solver_predict(s, input, t, dt, &watch);
    if (status != MUS_STATUS_OK) return status;
    s->constraints.count = s->rigid_contacts.constraints.count = s->hits.count = 0;
    if ((status = mus_tolerances_begin(&s->tolerance, &input->tolerance, a, t)) != MUS_STATUS_OK) return status;
    int64_t unresolved = 0;
    bool last = s->def.response->strain_last, is_collision_free = false, is_within_limit;
    if (!last && !mus_classic_alternates_strain(s) &&
        (status = mus_classic_limit_strain(s, STRAIN_SWEEPS, &is_within_limit)) != MUS_STATUS_OK)
        return status;
    if ((status = mus_solver_solve_initial_rigid_contacts(s)) != MUS_STATUS_OK) return status;
    if ((status = mus_classic_repel(s, input)) != MUS_STATUS_OK) return status;
    if ((status = mus_solver_update_rigid_bodies(s, NULL)) != MUS_STATUS_OK) return status;
    mus_stopwatch_lap(&watch, MUS_PHASE_CONTACTS);
    if ((status = mus_solver_check_cancelled(input)) != MUS_STATUS_OK) return status;
    if ((status = mus_solver_detect(s, list)) != MUS_STATUS_OK) return status;
    mus_stopwatch_lap(&watch, MUS_PHASE_BROAD);
    s->stats->candidates = list->count;
    if (!s->def.elementary->at_start) {
        if ((status = mus_classic_rounds(s, input, list, 0, &is_collision_free)) != MUS_STATUS_OK) return status;
        mus_stopwatch_lap(&watch, MUS_PHASE_NARROW);
        if (!is_collision_free && (status = mus_classic_failsafe(s, input, list, &unresolved)) != MUS_STATUS_OK)
            return status;
        mus_stopwatch_lap(&watch, MUS_PHASE_FAILSAFE);
        if (last && s->limit.count) { /* collisions that this causes get no response, but are counted */
            if ((status = mus_classic_limit_strain(s, STRAIN_SWEEPS, &is_within_limit)) != MUS_STATUS_OK) return status;
            mus_classic_search l = {.share = 0.5};
            if ((status = mus_classic_search_pairs(s, list, &l)) != MUS_STATUS_OK) return status;
            unresolved = l.found;
        }
    } else if (last && (status = mus_classic_limit_strain(s, STRAIN_SWEEPS, &is_within_limit)) != MUS_STATUS_OK) {
        return status;
    }
    mus_solver_apply_deferred_impulses(s, dt);
    mus_contacts_apply_restitution(a, &s->rigid_contacts.constraints, dt);
    if (s->def.response->recovers) {
        mus_contacts_apply_restitution(a, &s->constraints, dt);
        mus_contacts_apply_restitution(a, &s->hits, dt);
    }
    mus_solver_follow_pins(a, dt);
    if ((status = mus_solver_check_finite(s)) != MUS_STATUS_OK) return status;
    s->stats->contacts =
        s->hits.count + s->constraints.count + mus_contacts_count_active(&s->rigid_contacts.constraints);
    s->stats->unresolved += unresolved; /* of all substeps */
    status = mus_solver_accept_attempt(s, &s->rigid_contacts.constraints);
    mus_stopwatch_lap(&watch, MUS_PHASE_COMMIT);
    return status;
}

static mus_status create(mus_solver *s) {
    if (!s->def.elementary->looks_around) return MUS_STATUS_OK;
    return mus_neighborhood_create(&s->scene, s->seam_groups, s->seam_group_count, &s->neighborhood);
}

static void destroy(mus_solver *s) {
    mus_neighborhood_free(&s->neighborhood);
}

const mus_family mus_family_classic = {
    .create = create, .destroy = destroy, .attempt = attempt, .separate_rigid_contacts = true};
