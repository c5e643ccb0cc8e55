/* pair_search.c: the elementary test of a pipeline over all pairs and planes that changed since they were found clear.
 * The sources describe triangles only: planes collide with vertices of cloth, round shapes are tested by conservative
 * intervals at their radius, and boxes are triangles. */
#include "narrow/cylinder.h"
#include "solve/classic/classic.h"

#include <string.h>

double mus_classic_min_gap(const mus_solver *s, const mus_candidate_pair *c) {
    if (!s->def.elementary->is_conservative) return 0;
    return mus_min_gap(mus_candidate_pair_thickness(&s->assembly, c), (double)c->gap0);
}

/* Repeats a test that found the capsule around a cylinder for the cylinder itself, by the criterion of that test. */
static bool cylinder_pair_collides(const mus_assembly *a, const mus_candidate_pair *c, const mus_elementary *test,
                                   const mus_elementary_query *q, mus_elementary_hit *hit) {
    mus_cylinder_nearest nearest;
    hit->toi = test->at_start ? 0 : 1;
    mus_cylinder_find_nearest(a, c, hit->toi, &nearest);
    bool near = (test->at_start || test->clears) && nearest.gap < (test->at_start ? 1 : 1 - 1e-6) * q->thickness;
    if (!near) {
        if (test->at_start || !mus_cylinder_ccd(a, c, q->min_gap, q->tolerance, &hit->toi)) return false;
        mus_cylinder_find_nearest(a, c, hit->toi, &nearest);
    }
    memcpy(hit->weight, nearest.weight, sizeof hit->weight);
    hit->normal = nearest.normal, hit->other = false;
    return true;
}

bool mus_classic_pair_collides(mus_solver *s, const mus_candidate_pair *c, double share, v3 *axis,
                               mus_elementary_hit *hit) {
    const mus_assembly *a = &s->assembly;
    const mus_elementary *test = s->def.elementary;
    mus_elementary_query q = {.radius = mus_candidate_pair_radius(a, c),
                              .thickness = mus_tolerances_distance(&s->tolerance, a, c),
                              .axis = *axis,
                              .cloth_count = a->cloth_vertex_count,
                              .all0 = a->x0,
                              .all1 = a->x1,
                              .neighborhood = &s->neighborhood};
    memcpy(q.vertex, c->vertex, sizeof q.vertex);
    for (int k = 0; k < 4; k++) q.x0[k] = a->x0[c->vertex[k]], q.x1[k] = a->x1[c->vertex[k]];
    double min_gap = mus_classic_min_gap(s, c), start = (double)c->gap0;
    q.tolerance = fmax(0.05 * min_gap, 1e-13);
    /* a pair that starts on a round shape's surface, or inside by rounding, must not go deeper */
    q.min_gap = fmin(share * min_gap, start - 1e-6 * fabs(start) - 1e-12);
    s->stats->ccd_tests++;
    *hit = (mus_elementary_hit){0};
    bool detected = (c->edge_edge ? test->edge_edge : test->vertex_face)(&q, hit);
    *axis = q.axis;
    if (detected && q.radius > 0 && mus_pair_has_cylinder(a, c->vertex))
        return cylinder_pair_collides(a, c, test, &q, hit);
    return detected;
}

/* False: no memory. */
static bool record_found(mus_solver *s, mus_classic_search *l, const int32_t *vertex, int count) {
    l->found++;
    l->last[0] = vertex[0], l->last[1] = vertex[count - 1];
    for (int k = 0; k < 4; k++) s->unsafe[k] = k < count ? vertex[k] : -1;
    return !l->joins || mus_zones_join(&s->zones, &s->assembly, vertex, count);
}

static mus_status look_at_planes(mus_solver *s, mus_classic_search *l) {
    const mus_assembly *a = &s->assembly;
    const mus_elementary *test = s->def.elementary;
    mus_contact_options options = {.dt = s->dt, .relax = 1};
    for (int32_t k = a->cloth_count; k < a->object_count; k++) {
        const mus_object *plane = &a->objects[k];
        if (!mus_object_is_plane(plane)) continue;
        for (int32_t i = 0; i < a->cloth_vertex_count; i++) {
            int32_t cloth = a->object_of[i];
            if (!(a->inverse_mass[i] > 0) || !mus_assembly_collides(a, cloth, k)) continue;
            if (mus_assembly_is_exempt_below(a, i, k)) continue;
            double gap = v3_dot(plane->normal1, v3_sub(a->x1[i], plane->point1)), least = mus_plane_floor(a, plane, i);
            double thickness = mus_assembly_contact_thickness(a, i) + plane->contact_thickness;
            least = test->is_conservative ? least : test->clears ? (1 - 1e-6) * thickness : fmin(2 * least, 0);
            if (gap >= least) continue;
            if (!record_found(s, l, &i, 1)) return MUS_STATUS_NO_MEMORY;
            if (l->joins && !l->presses) l->presses = mus_solver_presses(s, i, k);
            if (!l->constraints) continue;
            mus_contact_constraint constraint = mus_contact_from_plane(a, cloth, k, i, &options);
            if (!mus_array_push(l->constraints, constraint)) return MUS_STATUS_NO_MEMORY;
        }
    }
    return MUS_STATUS_OK;
}

mus_status mus_classic_search_pairs(mus_solver *s, mus_candidate_pair_list *list, mus_classic_search *l) {
    const mus_assembly *a = &s->assembly;
    l->found = 0;
    l->presses = false;
    if (s->any_left_bound) {
        mus_status status = mus_solver_redetect_left_bound(s, list);
        if (status != MUS_STATUS_OK) return status;
    }
    s->clock++;
    for (int64_t k = 0; k < list->count; k++) {
        mus_candidate_pair *c = &list->data[k];
        if (mus_solver_is_clear(s, c)) continue;
        v3 axis = v3_make((double)c->axis[0], (double)c->axis[1], (double)c->axis[2]);
        mus_elementary_hit hit;
        bool detected = mus_classic_pair_collides(s, c, l->share, &axis, &hit);
        c->axis[0] = (float)axis.x, c->axis[1] = (float)axis.y, c->axis[2] = (float)axis.z;
        c->clear_since = detected ? 0 : s->clock;
        if (!detected) continue;
        mus_candidate_pair which = *c;
        if (hit.other) {
            memcpy(which.vertex, hit.vertex, sizeof which.vertex);
            which.edge_edge = 0;
        }
        if (!record_found(s, l, which.vertex, 4)) return MUS_STATUS_NO_MEMORY;
        mus_contact_constraint constraint;
        if (!l->constraints || !(v3_length2(hit.normal) > 0)) continue;
        if (!mus_contact_from_geometry(a, &which, hit.weight, hit.normal, hit.toi, s->dt, &constraint)) continue;
        constraint.thickness = mus_tolerances_distance(&s->tolerance, a, &which);
        constraint.pair_index = (int32_t)k;
        constraint.is_impact = !s->def.elementary->at_start;
        if (!mus_array_push(l->constraints, constraint)) return MUS_STATUS_NO_MEMORY;
    }
    s->stats->ccd_hits += l->found;
    return look_at_planes(s, l);
}
