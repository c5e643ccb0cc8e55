/* contact_stages.c: stages of an attempt that the impulse and the coupled family share: contact constraints of pairs
 * near at the start and of pairs that would collide; what makes the motion free of collisions. */
#include "solve/solver.h"

#include <string.h>

/* Share of a missing gap that a step restores; recovery_rate bounds the speed. Not varied. */
static const double restored_share = 0.5;

mus_status mus_solver_build_constraints(mus_solver *s, const mus_step_input *input, const mus_candidate_pair_list *near,
                                        double dt) {
    mus_assembly *a = &s->assembly;
    mus_contact_options options = {.dt = dt, .relax = restored_share, .threads = s->def.threads};
    mus_status status = mus_contacts_build(a, near, &options, &s->constraints);
    if (status != MUS_STATUS_OK) return status;
    if (!s->def.repulsion) s->constraints.count = 0;
    if ((status = mus_solver_add_rigid_constraints(s, dt)) != MUS_STATUS_OK) return status;
    for (int64_t k = 0; k < s->constraints.count; k++) mus_solver_choose_response(s, &s->constraints.data[k]);
    if ((status = mus_coefficients_evaluate(s, s->constraints.data, s->constraints.count)) != MUS_STATUS_OK)
        return status;
    return input->contacts ? input->contacts(input->context) : MUS_STATUS_OK;
}

mus_status mus_solver_build_impact_constraints(mus_solver *s, mus_candidate_pair_list *list, int64_t first,
                                               int64_t *near_count) {
    mus_status status = mus_solver_add_impact_constraints(s, list, near_count);
    if (status != MUS_STATUS_OK || s->constraints.count == first) return status;
    return mus_coefficients_evaluate(s, s->constraints.data + first, s->constraints.count - first);
}

/* Impact zones; rigid bodies that pinch cloth move as one, and contacts of cloth are resolved again for their new
 * poses. */
static mus_status resolve_by_zones(mus_solver *s, const mus_step_input *input, mus_candidate_pair_list *list, double dt,
                                   bool *is_collision_free) {
    mus_assembly *a = &s->assembly;
    size_t bytes = sizeof(v3) * (size_t)a->cloth_vertex_count;
    for (int round = 0;; round++) {
        memcpy(a->scratch, a->x1, bytes);
        mus_status status = mus_solver_resolve_by_zones(s, input, list);
        if (status != MUS_STATUS_NO_SAFE_STEP || !a->rigid_count) return status;
        bool bodies_joined;
        mus_status joined = mus_solver_join_pinching_bodies(s, dt, round == 0, &bodies_joined);
        if (joined != MUS_STATUS_OK || !bodies_joined) return joined != MUS_STATUS_OK ? joined : status;
        memcpy(a->x1, a->scratch, bytes);
        mus_solver_save_velocity_base(s);
        if ((status = mus_solver_detect(s, list)) != MUS_STATUS_OK) return status;
        if ((status = mus_solver_impacts(s, input, list, is_collision_free)) != MUS_STATUS_OK) return status;
        mus_solver_update_velocities(s);
        if (*is_collision_free) return MUS_STATUS_OK;
    }
}

mus_status mus_solver_remove_collisions(mus_solver *s, const mus_step_input *input, mus_candidate_pair_list *list,
                                        double dt, mus_stopwatch *watch, bool *is_collision_free) {
    s->hits.count = 0;
    *is_collision_free = false;
    mus_status status = mus_solver_impacts(s, input, list, is_collision_free);
    if (status != MUS_STATUS_OK) return status;
    mus_stopwatch_lap(watch, MUS_PHASE_NARROW);
    mus_solver_update_velocities(s);
    if (!*is_collision_free && s->def.failsafe && s->def.failsafe->projections > 0 &&
        (status = mus_solver_project(s, input, list, is_collision_free)) != MUS_STATUS_OK)
        return status;
    if (*is_collision_free) return MUS_STATUS_OK;
    if (s->halvings < s->def.family->halvings_before_zones)
        return mus_fail(MUS_STATUS_NO_SAFE_STEP, "no safe step: impulses leave pairs that collide");
    status = resolve_by_zones(s, input, list, dt, is_collision_free);
    mus_stopwatch_lap(watch, MUS_PHASE_FAILSAFE);
    return status;
}
