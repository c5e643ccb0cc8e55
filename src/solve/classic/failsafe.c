/* failsafe.c: projection and impact zones for what the rounds of response have not resolved. */
#include "solve/classic/classic.h"

#include <string.h>

enum { ZONE_ROUNDS = 100, PROJECTION_SWEEPS = 200 };

static const char unresolved_reason[] = "still collide after all fail-safes";

/* Finds the smallest change of the ends in velocity_base, in the norm of mass, after which no contact from `first` on
 * has come nearer along its normal: projected Gauss-Seidel on G M^-1 G^T. */
static void project(mus_solver *s, int64_t first) {
    mus_assembly *a = &s->assembly;
    mus_contact_constraint_list *constraints = &s->hits;
    for (int64_t k = first; k < constraints->count; k++) {
        mus_contact_constraint *constraint = &constraints->data[k];
        constraint->normal_impulse = 0;
        for (int c = 0; c < 4; c++)
            if (constraint->vertex[c] < a->cloth_vertex_count)
                a->x1[constraint->vertex[c]] = a->velocity_base[constraint->vertex[c]];
    }
    mus_response_context context = {.assembly = a, .dt = s->dt};
    for (int sweep = 0; sweep < PROJECTION_SWEEPS; sweep++) {
        double most = 0; /* largest violation, in thicknesses */
        for (int64_t k = first; k < constraints->count; k++) {
            mus_contact_constraint *constraint = &constraints->data[k];
            double missing = -v3_dot(constraint->normal, mus_response_slip(&context, constraint));
            double normal_impulse = fmax(0, constraint->normal_impulse + missing * constraint->mass),
                   change = normal_impulse - constraint->normal_impulse;
            if (change == 0) continue;
            constraint->normal_impulse = normal_impulse;
            most = fmax(most, fabs(change / constraint->mass) / fmax(constraint->thickness, 1e-9));
            for (int c = 0; c < (constraint->plane ? 1 : 4); c++) {
                int32_t i = constraint->vertex[c];
                double share = constraint->weight[c] * a->inverse_mass[i];
                if (share != 0) a->x1[i] = v3_axpy(share * change, constraint->normal, a->x1[i]);
            }
        }
        if (most < 1e-6) break;
    }
    for (int64_t k = first; k < constraints->count; k++)
        for (int c = 0; c < 4; c++)
            if (a->inverse_mass[constraints->data[k].vertex[c]] > 0)
                mus_solver_moved(s, constraints->data[k].vertex[c]);
}

mus_status mus_solver_project(mus_solver *s, const mus_step_input *input, mus_candidate_pair_list *list,
                              bool *is_collision_free) {
    mus_assembly *a = &s->assembly;
    int64_t first = s->hits.count;
    memcpy(a->velocity_base, a->x1, sizeof(v3) * (size_t)a->cloth_vertex_count);
    for (int round = 0; round < s->def.failsafe->projections && !*is_collision_free; round++) {
        mus_classic_search l = {.constraints = &s->hits, .share = 0.5};
        mus_status status = mus_classic_search_pairs(s, list, &l);
        if (status == MUS_STATUS_OK) status = mus_solver_check_cancelled(input);
        if (status != MUS_STATUS_OK) return status;
        *is_collision_free = l.found == 0;
        s->clock++;
        if (!*is_collision_free) project(s, first);
    }
    mus_classic_update_velocities(s, a->velocity_base);
    return MUS_STATUS_OK;
}

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
        s->clock++;
        if (!mus_zones_move(&s->zones, a, mus_solver_moved, s, l->last)) {
            for (int k = 0; k < 2; k++) s->pinched[k] = a->object_of[l->last[k]];
            *stuck = "pinch cloth and have conflicting motions";
            return MUS_STATUS_OK;
        }
        if (round > 0 && l->presses) *stuck = unresolved_reason;
        s->stats->zones = s->zones.zone_count, s->stats->zone_vertices = s->zones.vertex_count;
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
