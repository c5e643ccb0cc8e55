/* rigid_pairs.c: candidate pairs of rigid bodies with each other and other obstacles: their leaves by sweep and prune
 * along one axis (Baraff 1992, "Dynamic simulation of non-penetrating rigid bodies", 5.2), then the elementary pairs as
 * for cloth. Planes are exact and need no pairs. */
#include "narrow/ccd.h"
#include "narrow/cylinder.h"
#include "solve/solver.h"

#include <string.h>

/* Minimum gap of a pair, as a share of its thickness: as between cloths. */

mus_status mus_solver_rigid_contacts_create(mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    mus_rigid_contacts *m = &s->rigid_contacts;
    if (!a->rigid_count) return MUS_STATUS_OK;
    size_t n = (size_t)a->object_count + 1;
    m->first_leaf = mus_new(sizeof *m->first_leaf * n);
    m->swept = mus_new(sizeof *m->swept * n);
    m->group = mus_new(sizeof *m->group * n);
    if (!m->first_leaf || !m->swept || !m->group) return MUS_STATUS_NO_MEMORY;
    if (s->def.family->separate_rigid_contacts) {
        m->support = mus_new(sizeof *m->support * ((size_t)a->cloth_vertex_count + 1));
        if (!m->support) return MUS_STATUS_NO_MEMORY;
    }
    int32_t object = 0;
    for (int32_t k = 0; k < s->scene.leaf_count; k++)
        while (object <= (int32_t)s->scene.leaves[k].object) m->first_leaf[object++] = k;
    while (object <= a->object_count) m->first_leaf[object++] = s->scene.leaf_count;
    return MUS_STATUS_OK;
}

void mus_solver_rigid_contacts_free(mus_solver *s) {
    mus_rigid_contacts *m = &s->rigid_contacts;
    mus_free(m->first_leaf);
    mus_free(m->swept);
    mus_free(m->group);
    mus_free(m->support);
    for (int k = 0; k < 2; k++) mus_array_free(&m->leaves[k]);
    mus_array_free(&m->pairs);
    mus_array_free(&m->list);
    mus_array_free(&m->relief);
    mus_array_free(&m->constraints);
    *m = (mus_rigid_contacts){0};
}

/* Returns whether two obstacles could collide and need pairs. */
static bool may_collide(const mus_assembly *a, int32_t p, int32_t q) {
    const mus_object *one = &a->objects[p], *other = &a->objects[q];
    return (one->rigid || other->rigid) && one->count && other->count && mus_assembly_collides(a, p, q);
}

void mus_solver_rigid_contacts_enable(mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    s->rigid_contacts.any = false;
    for (int32_t p = a->cloth_count; a->rigid_count && p < a->object_count; p++)
        for (int32_t q = p + 1; q < a->object_count; q++) s->rigid_contacts.any |= may_collide(a, p, q);
}

/* ---- boxes over the whole step ---- */

static mus_box box_of_leaf(const mus_solver *s, int32_t leaf) {
    mus_box box = mus_box_empty();
    for (int k = 0; k < 3; k++) mus_swept_box_join_to(&box, &s->scene.vertex_box[s->scene.leaves[leaf].vertex[k]]);
    return box;
}

static mus_box box_of_object(const mus_solver *s, int32_t object) {
    const mus_object *b = &s->assembly.objects[object];
    mus_box box = mus_box_empty();
    for (int32_t i = b->first; i < b->first + b->count; i++) mus_swept_box_join_to(&box, &s->scene.vertex_box[i]);
    return box;
}

/* ---- pairs ---- */

/* Order of the leaves of an object by their start along an axis. Heap sort: in place, with a unique result. */
typedef struct begin_at {
    const mus_solver *s;
    int axis;
} begin_at;

static bool starts_before(const begin_at *b, int32_t p, int32_t q) {
    double x = box_of_leaf(b->s, p).lo[b->axis], y = box_of_leaf(b->s, q).lo[b->axis];
    return x < y || (x == y && p < q);
}

static void sift_down(const begin_at *b, int32_t *leaf, int64_t at, int64_t count) {
    int32_t moved = leaf[at];
    for (int64_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && starts_before(b, leaf[child], leaf[child + 1])) child++;
        if (starts_before(b, leaf[child], moved)) break;
        leaf[at] = leaf[child];
    }
    leaf[at] = moved;
}

static void sort_leaves(const begin_at *b, int32_t *leaf, int64_t count) {
    for (int64_t k = count / 2; k-- > 0;) sift_down(b, leaf, k, count);
    while (count-- > 1) {
        int32_t last = leaf[count];
        leaf[count] = leaf[0], leaf[0] = last;
        sift_down(b, leaf, 0, count);
    }
}

static bool gather_leaves(mus_solver *s, int32_t object, const mus_box *into, int side) {
    mus_rigid_contacts *m = &s->rigid_contacts;
    m->leaves[side].count = 0;
    for (int32_t k = m->first_leaf[object]; k < m->first_leaf[object + 1]; k++) {
        mus_box box = box_of_leaf(s, k);
        if (!mus_box_apart(&box, into) && !mus_array_push(&m->leaves[side], k)) return false;
    }
    return true;
}

/* Adds the pairs of two leaves; two round shapes collide as edges, that of a sphere with length 0. */
static bool add_leaf_pairs(mus_solver *s, int32_t p, int32_t q) {
    const mus_leaf *one = &s->scene.leaves[p], *other = &s->scene.leaves[q];
    mus_box box = box_of_leaf(s, p), against = box_of_leaf(s, q);
    if (mus_box_apart(&box, &against)) return true;
    if (one->face || other->face) return mus_broad_leaf_pair(&s->scene, p, q, &s->rigid_contacts.pairs);
    mus_pair pair = {{one->vertex[0], one->vertex[1], other->vertex[0], other->vertex[1]}, 1, 0};
    return mus_array_push(&s->rigid_contacts.pairs, pair);
}

static bool sweep_leaves(mus_solver *s, int axis) {
    const int32_t *p = s->rigid_contacts.leaves[0].data, *q = s->rigid_contacts.leaves[1].data;
    int64_t np = s->rigid_contacts.leaves[0].count, nq = s->rigid_contacts.leaves[1].count, i = 0, j = 0;
    while (i < np && j < nq) {
        mus_box one = box_of_leaf(s, p[i]), other = box_of_leaf(s, q[j]);
        if (one.lo[axis] <= other.lo[axis]) {
            for (int64_t k = j; k < nq && box_of_leaf(s, q[k]).lo[axis] <= one.hi[axis]; k++)
                if (!add_leaf_pairs(s, p[i], q[k])) return false;
            i++;
        } else {
            for (int64_t k = i; k < np && box_of_leaf(s, p[k]).lo[axis] <= other.hi[axis]; k++)
                if (!add_leaf_pairs(s, p[k], q[j])) return false;
            j++;
        }
    }
    return true;
}

static bool add_body_pairs(mus_solver *s, int32_t p, int32_t q) {
    const mus_box *one = &s->rigid_contacts.swept[p], *other = &s->rigid_contacts.swept[q];
    if (mus_box_apart(one, other)) return true;
    int axis = mus_box_longest_axis(other);
    if (!gather_leaves(s, p, other, 0) || !gather_leaves(s, q, one, 1)) return false;
    begin_at by = {s, axis};
    for (int side = 0; side < 2; side++)
        sort_leaves(&by, s->rigid_contacts.leaves[side].data, s->rigid_contacts.leaves[side].count);
    return sweep_leaves(s, axis);
}

/* Adds a candidate pair, unless the direction of its nearest points at the start separates it by more than the contact
 * range for all motions within the motion bound around `end`. */
static bool add_candidate(mus_solver *s, const mus_pair *pair, const v3 *end, double motion_bound) {
    const mus_assembly *a = &s->assembly;
    mus_candidate_pair c = {.edge_edge = pair->edge_edge};
    memcpy(c.vertex, pair->vertex, sizeof c.vertex);
    double weight[4], radius = mus_candidate_pair_radius(a, &c),
                      most = radius + MUS_CONTACT_RANGE * mus_candidate_pair_thickness(a, &c) + motion_bound;
    v3 d, x0[4], x1[4];
    double length = mus_candidate_pair_nearest(&c, a->x0, &d, weight);
    for (int k = 0; k < 4; k++) x0[k] = a->x0[c.vertex[k]], x1[k] = end[c.vertex[k]];
    if (c.edge_edge ? mus_ccd_axis_clear_ee(x0, x1, d, most) : mus_ccd_axis_clear_vf(x0, x1, d, most)) return true;
    c.gap0 = (float)fmax(0, length - radius);
    if (mus_pair_has_cylinder(a, c.vertex)) {
        mus_cylinder_nearest nearest;
        mus_cylinder_find_nearest(a, &c, 0, &nearest);
        c.gap0 = (float)fmax(0, nearest.gap);
    }
    return mus_array_push(&s->rigid_contacts.list, c);
}

static mus_status detect_pairs(mus_solver *s, const v3 *end, double motion_bound) {
    const mus_assembly *a = &s->assembly;
    mus_rigid_contacts *m = &s->rigid_contacts;
    m->list.count = 0;
    if (!m->any) return MUS_STATUS_OK;
    mus_solver_box_obstacles(s);
    for (int32_t k = a->cloth_count; k < a->object_count; k++) m->swept[k] = box_of_object(s, k);
    for (int32_t p = a->cloth_count; p < a->object_count; p++)
        for (int32_t q = p + 1; q < a->object_count; q++) {
            if (!may_collide(a, p, q)) continue;
            m->pairs.count = 0;
            if (!add_body_pairs(s, p, q)) return MUS_STATUS_NO_MEMORY;
            for (int64_t k = 0; k < m->pairs.count; k++)
                if (!add_candidate(s, &m->pairs.data[k], end, motion_bound)) return MUS_STATUS_NO_MEMORY;
        }
    return MUS_STATUS_OK;
}

mus_status mus_solver_detect_rigid_pairs(mus_solver *s) {
    return detect_pairs(s, s->assembly.x1, 0);
}

/* Each vertex moves by at most motion_bound along each axis: for both sides 2 sqrt(3) of it, rounded up. */
mus_status mus_solver_detect_rigid_pairs_in_bounds(mus_solver *s) {
    return detect_pairs(s, s->bound_center, 3.5 * s->motion_bound);
}

/* ---- contact ---- */

mus_contact_constraint_list *mus_solver_rigid_constraints(mus_solver *s) {
    return s->def.family->separate_rigid_contacts ? &s->rigid_contacts.constraints : &s->constraints;
}

mus_status mus_solver_add_rigid_constraints(mus_solver *s, double dt) {
    mus_contact_constraint_list *constraints = mus_solver_rigid_constraints(s);
    mus_contact_options options = {.dt = dt, .relax = 0.5};
    mus_status status = mus_contacts_add_rigid_planes(&s->assembly, &options, constraints);
    if (status != MUS_STATUS_OK || !s->rigid_contacts.any) return status;
    status = mus_solver_detect_rigid_pairs(s);
    return status == MUS_STATUS_OK
               ? mus_contacts_add_rigid_bodies(&s->assembly, &s->rigid_contacts.list, &options, constraints)
               : status;
}

/* A pair that starts in contact is not clear at any time: tests its end along the normal of its features. */
static bool ends_inside(mus_solver *s, const mus_candidate_pair *c) {
    const mus_assembly *a = &s->assembly;
    mus_candidate_pair_list one = {.data = (mus_candidate_pair[1]){*c}, .count = 1, .capacity = 1};
    mus_contact_constraint room[2];
    mus_contact_constraint_list constraints = {.data = room, .count = 0, .capacity = 2};
    mus_contact_options options = {.dt = s->dt, .relax = 0.5};
    if (mus_contacts_add_rigid_bodies(a, &one, &options, &constraints) != MUS_STATUS_OK || !constraints.count)
        return false;
    v3 end = v3_make(0, 0, 0);
    for (int k = 0; k < 4; k++) end = v3_axpy(room[0].weight[k], a->x1[room[0].vertex[k]], end);
    return v3_dot(room[0].normal, end) - room[0].offset < -1e-12;
}

bool mus_solver_rigid_pair_collides(mus_solver *s, mus_candidate_pair *c, double *toi) {
    const mus_assembly *a = &s->assembly;
    *toi = 0;
    if ((double)c->gap0 <= MUS_CONTACT_TOUCHING_DISTANCE) return ends_inside(s, c);
    double gap = mus_min_gap(mus_candidate_pair_thickness(a, c), (double)c->gap0);
    return mus_solver_comes_near(s, c, mus_candidate_pair_radius(a, c) + gap, fmax(0.05 * gap, 1e-13), toi);
}

bool mus_solver_rigid_constraint_from_hit(mus_solver *s, const mus_candidate_pair *c, double toi,
                                          mus_contact_constraint *constraint) {
    if (!mus_contact_from_hit(&s->assembly, c, toi, s->dt, constraint)) return false;
    /* a pair that comes near on its way but not at its end gets a larger target at the end */
    double now =
        constraint->normal_velocity * s->dt + v3_dot(constraint->normal, constraint->rest) - constraint->offset;
    constraint->target = fmax(fmin(constraint->gap0, constraint->thickness),
                              now + 0.3 * MUS_MIN_GAP_PER_THICKNESS * constraint->thickness);
    if (constraint->gap0 > constraint->thickness) constraint->target = fmax(constraint->target, constraint->thickness);
    mus_solver_choose_response(s, constraint);
    constraint->response = -1;
    return true;
}
