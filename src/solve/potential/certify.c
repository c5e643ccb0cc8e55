/* certify.c: truncation of a step's moves, pair by pair, until continuous detection finds every pair clear over the
 * whole move. Only colliding pairs are truncated; a pair is tested again whenever its vertices have changed. The first
 * passes separate the ends by impulses, later ones cut each move along its own line: moves then only get shorter, and
 * moves of zero length are free of collisions. */
#include "solve/potential/potential.h"

/* Passes over colliding pairs, the first of which separate the ends by impulses. Half and
 * twice either: same bits on sphere. */
enum { MAX_CERTIFY_PASSES = 80, SEPARATING_PASSES = 12 };
/* The gap to which a pair is separated or cut, in certified gaps: above 1, so that the next pass finds it clear; and
 * the least displacement, for pairs that come near on their way only. With 1.1, 1.4, 0.1 or 0.4: hits of sphere 0.1
 * to 0.2 for 0.2, strain 2.8 to 4.2 % for 3.8 %. */
static const double restored_gaps = 1.2, least_separation = 0.2;
static const double plane_lift = 1.01; /* in least gaps: above 1 by more than rounding */

/* Moves cloth vertices above planes, which are exact and need no pairs. Returns how many were below. */
static int64_t above_planes(mus_solver *s) {
    mus_assembly *a = &s->assembly;
    int64_t below = 0;
    for (int32_t k = a->cloth_count; k < a->object_count; k++) {
        const mus_object *plane = &a->objects[k];
        if (!mus_object_is_plane(plane)) continue;
        double offset = v3_dot(plane->normal1, plane->point1);
        for (int32_t i = 0; i < a->cloth_vertex_count; i++) {
            if (!mus_assembly_collides(a, a->object_of[i], k)) continue;
            if (!(a->inverse_mass[i] > 0) || mus_assembly_is_exempt_below(a, i, k)) continue;
            double gap = v3_dot(plane->normal1, a->x1[i]) - offset, least = mus_plane_floor(a, plane, i);
            if (gap >= least) continue;
            mus_solver_move(s, i, v3_scale(plane_lift * least - gap, plane->normal1));
            below++;
        }
    }
    return below;
}

/* Returns the share of the move x0 -> x1 at which `end` lies. */
static double share_of(v3 x0, v3 x1, v3 end) {
    v3 way = v3_sub(x1, x0);
    double length2 = v3_length2(way);
    return length2 > 0 ? fmin(1, fmax(0, v3_dot(v3_sub(end, x0), way) / length2)) : 1;
}

/* Cuts the move of each vertex along its own line; a rigid body moves by the least share of its vertices. Its vertices
 * move along arcs, which differ little from their chords: where they differ too much, the pair is detected again. */
static void cut_moves(mus_solver *s, const mus_candidate_pair *c, const v3 end[4]) {
    mus_assembly *a = &s->assembly;
    double share[2] = {1, 1};
    int32_t object[2] = {a->object_of[c->vertex[0]], a->object_of[c->vertex[3]]};
    for (int k = 0; k < 4; k++) {
        int32_t i = c->vertex[k];
        if (a->objects[a->object_of[i]].rigid) {
            double *least = &share[a->object_of[i] == object[1]];
            *least = fmin(*least, share_of(a->x0[i], a->x1[i], end[k]));
        } else if (a->inverse_mass[i] > 0) {
            a->x1[i] = end[k];
            mus_solver_moved(s, i);
        }
    }
    for (int k = 0; k < 2; k++)
        if (share[k] < 1) mus_potential_truncate_rigid_motion(s, object[k], share[k]);
}

/* Separates the ends along the normal at the time of impact, by an inelastic impulse. */
static bool separate_pair(mus_solver *s, const mus_candidate_pair *c, double toi, double min_gap) {
    mus_assembly *a = &s->assembly;
    mus_contact_constraint constraint;
    if (!mus_contact_from_hit(a, c, toi, s->dt, &constraint)) return false;
    v3 now = v3_make(0, 0, 0);
    for (int k = 0; k < 4; k++) now = v3_axpy(constraint.weight[k], a->x1[constraint.vertex[k]], now);
    double missing = fmax(min_gap - (v3_dot(constraint.normal, now) - constraint.offset), least_separation * min_gap);
    for (int k = 0; k < 4; k++) {
        double share = constraint.weight[k] * a->inverse_mass[constraint.vertex[k]] * constraint.mass;
        if (share != 0) mus_solver_move(s, constraint.vertex[k], v3_scale(share * missing, constraint.normal));
    }
    mus_potential_apply_rigid_impulse(s, &constraint, v3_scale(missing * constraint.mass, constraint.normal));
    return true;
}

/* Rigid bodies that start in contact have no gap to share: neither moves. */
static bool cut_touching(mus_solver *s, const mus_candidate_pair *c) {
    const mus_assembly *a = &s->assembly;
    int32_t object[2] = {a->object_of[c->vertex[0]], a->object_of[c->vertex[3]]};
    if (!mus_is_obstacle_pair(a, c) || (double)c->gap0 > MUS_CONTACT_TOUCHING_DISTANCE) return false;
    for (int k = 0; k < 2; k++)
        if (a->objects[object[k]].rigid) mus_potential_truncate_rigid_motion(s, object[k], 0);
    return true;
}

typedef struct pass_state {
    int pass;
    int64_t hit_count;
    int32_t last[2]; /* vertices of the last colliding pair */
} pass_state;

static mus_status certify_list(mus_solver *s, mus_candidate_pair_list *list, pass_state *r) {
    mus_assembly *a = &s->assembly;
    for (int64_t k = 0; k < list->count; k++) {
        mus_candidate_pair *c = &list->data[k];
        double toi;
        if (mus_solver_is_clear(s, c)) continue;
        c->clear_since = s->clock;
        if (!mus_solver_violates_certified_gap(s, c, &toi)) continue;
        double gap = mus_certified_gap(c, mus_candidate_pair_thickness(a, c));
        /* detection may report a collision where there is none; the separating plane of the cut is exact */
        if (r->pass > SEPARATING_PASSES && mus_truncation_certified(a, c, mus_candidate_pair_radius(a, c) + gap))
            continue;
        c->clear_since = 0;
        r->hit_count++;
        r->last[0] = c->vertex[0], r->last[1] = c->vertex[3];
        memcpy(s->unsafe, c->vertex, sizeof s->unsafe);
        if (r->pass < SEPARATING_PASSES && separate_pair(s, c, toi, restored_gaps * gap)) continue;
        v3 end[4];
        if (cut_touching(s, c)) continue;
        if (!s->def.truncation->cut(a, c, restored_gaps * gap, end))
            return mus_solver_no_safe_step(s, c->vertex[0], c->vertex[3],
                                           "are too close for any certified displacement");
        cut_moves(s, c, end);
    }
    return MUS_STATUS_OK;
}

mus_status mus_solver_certify(mus_solver *s, const mus_step_input *input, mus_candidate_pair_list *list) {
    pass_state r = {0};
    for (; r.pass < MAX_CERTIFY_PASSES; r.pass++) {
        s->clock++;
        s->stats->ccd_passes = r.pass + 1 > s->stats->ccd_passes ? r.pass + 1 : s->stats->ccd_passes;
        r.hit_count = above_planes(s) + mus_potential_lift_rigid_bodies(s, r.pass < SEPARATING_PASSES);
        mus_status status = mus_solver_check_cancelled(input);
        if (status == MUS_STATUS_OK) status = mus_potential_redetect_left_bound(s, list);
        if (status == MUS_STATUS_OK) status = certify_list(s, list, &r);
        if (status == MUS_STATUS_OK && s->rigid_contacts.any) status = certify_list(s, &s->rigid_contacts.list, &r);
        if (status != MUS_STATUS_OK) return status;
        s->stats->ccd_hits += r.hit_count;
        if (r.hit_count == 0 && !s->any_left_bound) return MUS_STATUS_OK;
    }
    return mus_solver_no_safe_step(s, r.last[0], r.last[1],
                                   "leave no certified displacement for the object that they pinch");
}
