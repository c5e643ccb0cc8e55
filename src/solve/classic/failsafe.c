/* failsafe.c: the fail-safe of the classic family for what the rounds of response have not resolved: projection, then
 * impact zones. */
#include "solve/classic/classic.h"

#include <string.h>

enum { ZONE_ROUNDS = 100 };

static const char unresolved_reason[] = "still collide after all fail-safes";

/* Moves impact zones until nothing collides, or until they cannot move. `stuck`: the reason, else NULL; `pinched`: the
 * two objects. */
static mus_status move_zones(mus_solver *s, const mus_step_input *input, mus_candidate_pair_list *list,
                             mus_classic_search *l, const char **stuck) {
    mus_assembly *a = &s->assembly;
    memcpy(a->velocity_base, a->x1, sizeof(v3) * (size_t)a->cloth_vertex_count);
    mus_zones_clear(&s->zones, a->vertex_count);
    *stuck = NULL;
    for (int round = 0; round < ZONE_ROUNDS && !*stuck; round++) {
        mus_status status = mus_solver_check_cancelled(input);
        if (status == MUS_STATUS_OK) status = mus_classic_search_pairs(s, list, l);
        if (status != MUS_STATUS_OK) return status;
        if (l->found == 0 || !l->joins) return MUS_STATUS_OK;
        if (!mus_solver_move_zones(s, l->last)) {
            *stuck = "pinch cloth and have conflicting motions";
            return MUS_STATUS_OK;
        }
        if (round > 0 && l->presses) *stuck = unresolved_reason;
    }
    return MUS_STATUS_OK;
}

/* Impact zones; rigid bodies that pinch cloth move as one, and contacts of cloth are resolved again for their new
 * poses. Without that fail-safe, unresolved collisions are counted. */
mus_status mus_classic_failsafe(mus_solver *s, const mus_step_input *input, mus_candidate_pair_list *list,
                                int64_t *unresolved) {
    mus_assembly *a = &s->assembly;
    bool strict = s->def.elementary->is_conservative && !s->def.response->strain_last && s->def.failsafe;
    mus_classic_search l = {.joins = s->def.failsafe != NULL, .share = 0.5};
    const char *stuck = NULL;
    bool is_collision_free = false, bodies_joined = true;
    if (l.joins && s->def.failsafe->projections > 0) {
        mus_status status = mus_solver_project(s, input, list, &is_collision_free);
        if (status != MUS_STATUS_OK || is_collision_free) return status;
    }
    for (int round = 0; bodies_joined; round++) {
        mus_status status = move_zones(s, input, list, &l, &stuck);
        bodies_joined = stuck && a->rigid_count;
        if (status == MUS_STATUS_OK && bodies_joined)
            status = mus_solver_join_pinching_bodies(s, s->dt, round == 0, &bodies_joined);
        if (status != MUS_STATUS_OK) return status;
        if (!bodies_joined) break;
        memcpy(a->x1, a->velocity_base, sizeof(v3) * (size_t)a->cloth_vertex_count);
        if ((status = mus_solver_detect(s, list)) != MUS_STATUS_OK) return status;
        if ((status = mus_classic_rounds(s, input, list, MUS_CLASSIC_PLACEMENT_ROUNDS, &is_collision_free)) !=
                MUS_STATUS_OK ||
            is_collision_free)
            return status;
    }
    if (l.found > 0 && strict)
        return mus_solver_no_safe_step(s, l.last[0], l.last[1], stuck ? stuck : unresolved_reason);
    *unresolved = l.found;
    mus_solver_set_zone_velocities(s);
    return MUS_STATUS_OK;
}
