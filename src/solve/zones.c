/* zones.c: rigid impact zones in an attempt (response/zones.h): their motion and velocities, which the impulse and
 * classic families share, and the rounds of the impulse family. Those of the classic family are in classic/failsafe.c.
 */
#include "solve/solver.h"

#include <string.h>

/* Rounds of joining pairs into zones and moving these; each joins at least one more vertex. Not varied: no scene of the
 * bench forms a zone. */
enum { ZONE_ROUNDS = 100 };
/* Rounds that join no vertex, after which zones are given up: those that follow an animated mesh settle in one or two,
 * as its vertices that collide again weigh more; others do not change at all. */
enum { UNCHANGED_ROUNDS = 4 };
/* Distance at which pairs are joined, and tolerance of that test, in minimum gaps: less than impulses keep, so that
 * what they have separated stays apart. Not varied. */
static const double zone_gap_share = 0.5, zone_tolerance_share = 0.02;

bool mus_solver_move_zones(mus_solver *s, int32_t conflict[2]) {
    s->clock++;
    if (!mus_zones_move(&s->zones, &s->assembly, mus_solver_moved, s, conflict)) {
        for (int k = 0; k < 2; k++) {
            s->conflict[k] = conflict[k];
            s->pinched[k] = s->assembly.object_of[conflict[k]];
        }
        return false;
    }
    s->stats->zones = s->zones.zone_count, s->stats->zone_vertices = s->zones.vertex_count;
    return true;
}

/* A zone changed the velocity of vertex i by `change`: applies the reaction to the body that carries the zone. */
static void apply_zone_reaction(mus_solver *s, int32_t i, v3 change) {
    mus_assembly *a = &s->assembly;
    int32_t carrier = a->rigid_count ? mus_zones_carrier(&s->zones, i) : -1;
    mus_rigid_step *r = carrier < 0 ? NULL : a->objects[a->object_of[carrier]].rigid;
    if (!r) return;
    v3 impulse = v3_scale(-1 / a->inverse_mass[i], change);
    r->v1 = v3_axpy(1 / r->of->mass, impulse, r->v1);
    r->momentum1 = v3_add(r->momentum1, v3_cross(v3_sub(a->x0[i], r->center0), impulse));
}

void mus_solver_set_zone_velocities(mus_solver *s) {
    mus_assembly *a = &s->assembly;
    for (int32_t i = 0; i < a->cloth_vertex_count; i++) {
        if (!s->zones.inside[i]) continue;
        v3 v = v3_scale(1 / s->dt, v3_sub(a->x1[i], a->x0[i]));
        apply_zone_reaction(s, i, v3_sub(v, a->v1[i]));
        a->v1[i] = v;
    }
}

/* Joins the vertices of pairs that still collide; `last`: the last two, `any`: whether there are any. */
static mus_status join_pairs(mus_solver *s, mus_candidate_pair_list *list, int32_t last[2], bool *any) {
    int64_t found;
    mus_status status = mus_solver_test_all_pairs(s, list, zone_gap_share, zone_tolerance_share, &found);
    if (status != MUS_STATUS_OK) return status;
    *any = found > 0;
    for (int64_t k = 0; found && k < list->count; k++) {
        const mus_candidate_pair *c = &list->data[k];
        if (mus_candidate_pair_was_clear(c)) continue;
        last[0] = c->vertex[0], last[1] = c->vertex[3];
        memcpy(s->unsafe, c->vertex, sizeof s->unsafe);
        if (!s->def.failsafe)
            return mus_solver_no_safe_step(s, last[0], last[1], "still collide, and the pipeline has no fail-safe");
        if (!mus_zones_join(&s->zones, &s->assembly, c->vertex, 4)) return MUS_STATUS_NO_MEMORY;
    }
    return MUS_STATUS_OK;
}

/* The same for vertices below planes, each of which is a zone. */
static void join_below_planes(mus_solver *s, int32_t last[2], bool *any) {
    const mus_assembly *a = &s->assembly;
    for (int32_t k = a->cloth_count; k < a->object_count; k++) {
        if (!mus_object_is_plane(&a->objects[k])) continue;
        for (int32_t i = 0; i < a->cloth_vertex_count; i++) {
            if (a->inverse_mass[i] <= 0 || !mus_assembly_collides(a, a->object_of[i], k)) continue;
            double gap = v3_dot(a->objects[k].normal1, v3_sub(a->x1[i], a->objects[k].point1));
            if (gap >= mus_plane_floor(a, &a->objects[k], i) || mus_assembly_is_exempt_below(a, i, k)) continue;
            *any = true;
            last[0] = last[1] = i;
            (void)mus_zones_join(&s->zones, a, &i, 1); /* no carrier is added */
        }
    }
}

mus_status mus_solver_resolve_by_zones(mus_solver *s, const mus_step_input *input, mus_candidate_pair_list *list) {
    mus_assembly *a = &s->assembly;
    int32_t last[2] = {0, 0}, size[2] = {0, 0};
    int unchanged = 0;
    s->pinched[0] = s->pinched[1] = -1;
    mus_zones_clear(&s->zones, a->vertex_count);
    for (int round = 0; round < ZONE_ROUNDS; round++) {
        mus_status status = mus_solver_check_cancelled(input);
        if (status == MUS_STATUS_OK && s->any_left_bound) status = mus_solver_redetect_left_bound(s, list);
        bool any = false;
        if (status == MUS_STATUS_OK) status = join_pairs(s, list, last, &any);
        if (status != MUS_STATUS_OK) return status;
        join_below_planes(s, last, &any);
        if (!any) return MUS_STATUS_OK;
        int32_t conflict[2];
        if (!mus_solver_move_zones(s, conflict))
            return mus_solver_no_safe_step(s, conflict[0], conflict[1], "pinch cloth and have conflicting motions");
        bool same = size[0] == s->zones.zone_count && size[1] == s->zones.vertex_count;
        unchanged = same ? unchanged + 1 : 0;
        if (unchanged > UNCHANGED_ROUNDS) break;
        size[0] = s->zones.zone_count, size[1] = s->zones.vertex_count;
    }
    return mus_solver_no_safe_step(s, last[0], last[1], "still collide after all fail-safes");
}
