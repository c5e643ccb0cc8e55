/* contact_constraints.c: repulsion and friction after Bridson, Fedkiw & Anderson 2002 (BRI 2.2, 2.3), solved as
 * constraints on end positions instead of one-shot impulses, so that stacked contacts are consistent. Normal impulses
 * act along the line of the two nearest points and weights sum to zero: linear and angular momentum are conserved. */
#include "response/contact_constraints.h"
#include "base/parallel.h"
#include "narrow/cylinder.h"
#include "response/rigid_contact.h"

#include <string.h>

/* Of one side at the contact's point. */
static double friction_of(const mus_assembly *a, const mus_contact_constraint *constraint, int side) {
    const mus_object *object = &a->objects[constraint->object[side]];
    if (!object->frictions) return object->friction;
    double sum = 0, all = 0;
    for (int k = 0; k < (constraint->plane ? 1 : 4); k++) {
        if (mus_contact_side(constraint, k) != side) continue;
        double weight = fabs(constraint->weight[k]);
        sum += weight * object->frictions[constraint->vertex[k] - object->first], all += weight;
    }
    return all > 0 ? sum / all : object->friction;
}

double mus_contact_friction(const mus_assembly *a, const mus_contact_constraint *constraint) {
    return sqrt(friction_of(a, constraint, 0) * friction_of(a, constraint, 1));
}

static void set_surface(const mus_assembly *a, mus_contact_constraint *constraint) {
    const mus_object *p = &a->objects[constraint->object[0]], *q = &a->objects[constraint->object[1]];
    constraint->friction = mus_contact_friction(a, constraint);
    constraint->restitution = fmax(p->restitution, q->restitution);
    constraint->response = -1;
}

/* Motion of a vertex, in motions of the contact's point, beyond which the vertex cannot move the point: that lies at
 * pinned vertices of its edge or face, and is as fixed as these. An edge between a pin and a vertex whose weight is
 * 1e-9 would have an effective mass of 1e18 times the vertex'. */
static const double most_leverage = 100;

void mus_contact_set_masses(const mus_assembly *a, mus_contact_constraint *constraint) {
    double sum = 0, most = 0;
    for (int k = 0; k < 4; k++) {
        double inverse = a->inverse_mass[constraint->vertex[k]];
        sum += constraint->weight[k] * constraint->weight[k] * inverse;
        most = fmax(most, fabs(constraint->weight[k]) * inverse);
    }
    constraint->mass = constraint->tangent_mass = most < most_leverage * sum ? 1 / sum : 0;
    if (a->rigid_count) mus_contact_set_arms(a, constraint);
}

static v3 weighted(const mus_contact_constraint *constraint, const v3 *x) {
    v3 sum = v3_scale(constraint->weight[0], x[constraint->vertex[0]]);
    if (constraint->plane) return sum;
    for (int k = 1; k < 4; k++) sum = v3_axpy(constraint->weight[k], x[constraint->vertex[k]], sum);
    return sum;
}

v3 mus_contact_end_vector(const mus_assembly *a, const mus_contact_constraint *constraint) {
    v3 sum = weighted(constraint, a->x1);
    return constraint->has_rigid_body ? v3_add(sum, mus_contact_rigid_motion(a, constraint)) : sum;
}

/* Motion of the surfaces of scripted exact shapes, as they turn, relative to their vertices or axes: the nearest point
 * lies one radius from those, toward the other side. */
static v3 surface_turn(const mus_assembly *a, const mus_contact_constraint *constraint) {
    v3 sum = v3_make(0, 0, 0);
    for (int k = 0; k < 2 && !constraint->plane; k++) {
        const mus_object *object = &a->objects[constraint->object[k]];
        if (!(object->radius > 0) || object->rigid) continue;
        v3 arm = v3_scale(k == 0 ? -object->radius : object->radius, constraint->normal), center = a->x0[object->first];
        if (mus_object_is_cylinder(object)) { /* from the side's point on the axis to the surface */
            arm = v3_axpy(-constraint->gap0, constraint->normal, weighted(constraint, a->x0));
            if (k == 0) arm = v3_neg(arm);
        }
        v3 turned =
            v3_sub(mus_object_transform_point(object, v3_add(center, arm)), mus_object_transform_point(object, center));
        sum = v3_axpy(k == 0 ? 1 : -1, v3_sub(turned, arm), sum);
    }
    return sum;
}

static void set_motion(const mus_assembly *a, mus_contact_constraint *constraint, double dt) {
    v3 slip = v3_sub(mus_contact_end_vector(a, constraint), constraint->rest);
    constraint->normal_velocity = v3_dot(constraint->normal, slip) / dt;
}

static void finish(const mus_assembly *a, mus_contact_constraint *constraint, double relax, double dt) {
    double missing = constraint->thickness - constraint->gap0;
    constraint->target = constraint->thickness;
    if (missing > 0)
        constraint->target = constraint->gap0 + fmin(relax * missing, mus_recovery_speed(constraint->thickness) * dt);
    mus_contact_set_masses(a, constraint);
    set_surface(a, constraint);
    set_motion(a, constraint, dt);
}

static void set_pair_features(const mus_assembly *a, const mus_candidate_pair *c, mus_contact_constraint *constraint) {
    *constraint = (mus_contact_constraint){.edge_edge = c->edge_edge,
                                           .offset = mus_candidate_pair_radius(a, c),
                                           .thickness = mus_candidate_pair_thickness(a, c)};
    constraint->is_exact = constraint->offset > 0;
    memcpy(constraint->vertex, c->vertex, sizeof constraint->vertex);
    constraint->object[0] = a->object_of[c->vertex[c->edge_edge ? 2 : 0]];
    constraint->object[1] = a->object_of[c->vertex[c->edge_edge ? 0 : 1]];
}

mus_contact_constraint mus_contact_from_plane(const mus_assembly *a, int32_t cloth, int32_t plane, int32_t i,
                                              const mus_contact_options *options) {
    const mus_object *object = &a->objects[plane];
    mus_contact_constraint constraint = {.vertex = {i, i, i, i},
                                         .weight = {1, 0, 0, 0},
                                         .normal = object->normal1,
                                         .offset = v3_dot(object->normal1, object->point1) + a->objects[cloth].radius,
                                         .gap0 = v3_dot(object->normal0, a->x0[i]) -
                                                 v3_dot(object->normal0, object->point0) - a->objects[cloth].radius,
                                         .thickness = mus_assembly_contact_thickness(a, i) + object->contact_thickness,
                                         .object = {cloth, plane},
                                         .plane = true};
    constraint.rest = v3_add(a->x0[i], v3_sub(mus_object_transform_point(object, a->x0[i]), a->x0[i]));
    finish(a, &constraint, options->relax, options->dt);
    return constraint;
}

static mus_status add_plane_contacts(const mus_assembly *a, int32_t plane, const mus_contact_options *options,
                                     mus_contact_constraint_list *constraints) {
    const mus_object *object = &a->objects[plane];
    double offset0 = v3_dot(object->normal0, object->point0), offset1 = v3_dot(object->normal1, object->point1);
    for (int32_t k = 0; k < a->cloth_count; k++) {
        if (!mus_assembly_collides(a, k, plane)) continue;
        const mus_object *cloth = &a->objects[k];
        for (int32_t i = cloth->first; i < cloth->first + cloth->count; i++) {
            double gap0 = v3_dot(object->normal0, a->x0[i]) - offset0,
                   gap1 = v3_dot(object->normal1, a->x1[i]) - offset1;
            double thickness = mus_assembly_contact_thickness(a, i) + object->contact_thickness;
            if (gap0 > MUS_CONTACT_RANGE * thickness && gap1 > thickness) continue;
            if (mus_assembly_is_exempt_below(a, i, plane)) continue;
            mus_contact_constraint constraint = mus_contact_from_plane(a, k, plane, i, options);
            if (constraint.mass > 0 && !mus_array_push(constraints, constraint)) return MUS_STATUS_NO_MEMORY;
        }
    }
    return MUS_STATUS_OK;
}

static mus_status add_rigid_plane_contacts(const mus_assembly *a, int32_t plane, const mus_contact_options *options,
                                           mus_contact_constraint_list *constraints) {
    const mus_object *object = &a->objects[plane];
    for (int32_t k = a->cloth_count; k < a->object_count; k++) {
        const mus_object *b = &a->objects[k];
        if (!b->rigid || !mus_assembly_collides(a, k, plane)) continue;
        double thickness = b->contact_thickness + object->contact_thickness;
        for (int32_t i = b->first; i < b->first + b->count; i++) {
            double gap0 = v3_dot(object->normal0, v3_sub(a->x0[i], object->point0)) - b->radius;
            double gap1 = v3_dot(object->normal1, v3_sub(a->x1[i], object->point1)) - b->radius;
            if (gap0 > 2 * MUS_CONTACT_RANGE * thickness && gap1 > thickness) continue;
            mus_contact_constraint constraint = mus_contact_from_plane(a, k, plane, i, options);
            constraint.target = fmin(constraint.gap0, thickness);
            if (!mus_array_push(constraints, constraint)) return MUS_STATUS_NO_MEMORY;
        }
    }
    return MUS_STATUS_OK;
}

/* Two edges whose nearest points include an end: a vertex-face constraint of that end covers them. Round shapes have
 * no faces. */
static bool covered_by_vertex(const mus_candidate_pair *c, const double w[4], double radius) {
    return c->edge_edge && !(radius > 0) && (w[0] == 0 || w[1] == 0 || w[2] == 0 || w[3] == 0);
}

/* A vertex whose nearest point lies on the rim of a face: a contact with that edge or corner, unless the vertex is
 * nearer to another face that shares it; otherwise the edge between the two would be an obstacle of its own to what
 * slides over it. Of equally near faces, the first keeps the contact. (The offset blocks of Chen et al. 2025, by
 * distance.) */
static bool covered_by_face(const mus_contact_constraint_list *constraints, const int32_t *first, int64_t k) {
    const mus_contact_constraint *constraint = &constraints->data[k];
    if (constraint->edge_edge || constraint->is_exact) return false;
    if (constraint->weight[1] != 0 && constraint->weight[2] != 0 && constraint->weight[3] != 0) return false;
    double tie_tolerance = 1e-9 * (constraint->gap0 + constraint->offset);
    for (int32_t other = first[constraint->vertex[0]]; other >= 0; other = constraints->data[other].next) {
        const mus_contact_constraint *r = &constraints->data[other];
        if (other == k || r->gap0 > constraint->gap0 + tie_tolerance ||
            (r->gap0 > constraint->gap0 - tie_tolerance && other > k))
            continue;
        bool shared = true;
        for (int c = 1; c < 4; c++)
            if (constraint->weight[c] != 0)
                shared &= constraint->vertex[c] == r->vertex[1] || constraint->vertex[c] == r->vertex[2] ||
                          constraint->vertex[c] == r->vertex[3];
        if (shared) return true;
    }
    return false;
}

/* To an earlier slot, or its own. memmove, since compilers copy a struct of this size word by word. */
static void move_constraint(mus_contact_constraint *to, const mus_contact_constraint *from) {
    memmove(to, from, sizeof *to);
}

/* Removes duplicate contacts from constraint `start` on. */
static void remove_duplicates(const mus_assembly *a, mus_contact_constraint_list *constraints, int64_t start) {
    int32_t *first = a->contact_scratch;
    memset(first, -1, sizeof *first * (size_t)a->vertex_count);
    for (int64_t k = constraints->count; k-- > start;) {
        mus_contact_constraint *constraint = &constraints->data[k];
        if (constraint->edge_edge) continue;
        constraint->next = first[constraint->vertex[0]];
        first[constraint->vertex[0]] = (int32_t)k;
    }
    for (int64_t k = start; k < constraints->count; k++)
        if (covered_by_face(constraints, first, k))
            constraints->data[k].mass = 0; /* kept in place: the linked lists run through it */
    int64_t kept = start;
    for (int64_t k = start; k < constraints->count; k++)
        if (constraints->data[k].mass > 0) move_constraint(&constraints->data[kept++], &constraints->data[k]);
    constraints->count = kept;
}

/* How far (m) an object extends from a point against a direction. */
static double support_distance(const mus_assembly *a, const mus_object *object, v3 from, v3 direction) {
    double most = -INFINITY;
    for (int32_t i = object->first; i < object->first + object->count; i++)
        most = fmax(most, v3_dot(direction, v3_sub(from, a->x0[i])));
    return most;
}

/* For solids that touch at the start: the features give the line of the normal, a rigid body's center of mass its
 * sign. Features that touch at a rim may be sides along which the two pass: their normal is accepted only if its plane
 * separates the two objects. */
static bool normal_of_touching(const mus_assembly *a, const mus_candidate_pair *c, mus_contact_constraint *constraint) {
    const mus_object *p = &a->objects[constraint->object[0]], *q = &a->objects[constraint->object[1]];
    const int32_t *v = c->vertex;
    if (p->cloth || q->cloth) return false;
    v3 first = v3_sub(a->x0[v[c->edge_edge ? 1 : 2]], a->x0[v[c->edge_edge ? 0 : 1]]);
    v3 second = v3_sub(a->x0[v[3]], a->x0[v[c->edge_edge ? 2 : 1]]), n = v3_cross(first, second);
    if (!(v3_length2(n) > 1e-12 * v3_length2(first) * v3_length2(second))) return false;
    n = v3_normalized(n);
    double side = p->rigid ? v3_dot(n, v3_sub(p->rigid->center0, a->x0[v[0]]))
                           : v3_dot(n, v3_sub(a->x0[v[0]], q->rigid->center0));
    if (side < 0) n = v3_neg(n);
    constraint->normal = n;
    for (int k = 0; k < 4; k++)
        if (fabs(constraint->weight[k]) < 1e-9)
            return support_distance(a, p, a->x0[v[0]], n) < MUS_CONTACT_TOUCHING_DISTANCE &&
                   support_distance(a, q, a->x0[v[0]], v3_neg(n)) < MUS_CONTACT_TOUCHING_DISTANCE;
    return true;
}

static bool from_near_cylinder(const mus_assembly *a, const mus_candidate_pair *c, const mus_contact_options *options,
                               mus_contact_constraint *constraint) {
    mus_cylinder_nearest nearest;
    mus_cylinder_find_nearest(a, c, 0, &nearest);
    if (nearest.on_rim || nearest.gap > mus_candidate_pair_range(a, c, mus_candidate_pair_thickness(a, c)))
        return false;
    set_pair_features(a, c, constraint);
    memcpy(constraint->weight, nearest.weight, sizeof constraint->weight);
    constraint->normal = nearest.normal;
    constraint->offset = mus_cylinder_radius_along(a, c, nearest.normal, 1); /* for gaps at the end of the step */
    constraint->gap0 = nearest.gap;
    constraint->rest = v3_sub(weighted(constraint, a->x0), surface_turn(a, constraint));
    finish(a, constraint, options->relax, options->dt);
    return constraint->mass > 0;
}

static bool from_near(const mus_assembly *a, const mus_candidate_pair *c, const mus_nearest *nearest,
                      const mus_contact_options *options, mus_contact_constraint *constraint) {
    double radius = mus_candidate_pair_radius(a, c), gap0 = nearest->length - radius;
    /* Most candidate pairs are too far apart: no constraint is set up for them. */
    if (gap0 > mus_candidate_pair_range(a, c, mus_candidate_pair_thickness(a, c))) return false;
    if (radius > 0 && mus_pair_has_cylinder(a, c->vertex)) return from_near_cylinder(a, c, options, constraint);
    if (covered_by_vertex(c, nearest->weight, radius)) return false;
    set_pair_features(a, c, constraint);
    memcpy(constraint->weight, nearest->weight, sizeof constraint->weight);
    constraint->gap0 = gap0;
    if (nearest->length > MUS_CONTACT_TOUCHING_DISTANCE)
        constraint->normal = v3_scale(1 / nearest->length, nearest->d);
    else if (!normal_of_touching(a, c, constraint))
        return false;
    constraint->rest = v3_sub(weighted(constraint, a->x0), surface_turn(a, constraint));
    finish(a, constraint, options->relax, options->dt);
    return constraint->mass > 0;
}

enum { BLOCK = 128 }; /* candidate pairs */

typedef struct building {
    const mus_assembly *a;
    const mus_candidate_pair *candidates;
    const mus_contact_options *options;
    mus_contact_constraint *out; /* one slot per candidate pair; mass 0: no contact */
} building;

static void build_constraint_block(void *context, int64_t begin, int64_t end, int64_t block) {
    const building *b = context;
    mus_nearest nearest[BLOCK];
    (void)block;
    mus_candidate_pairs_nearest(b->candidates + begin, end - begin, b->a->x0, nearest);
    for (int64_t k = begin; k < end; k++)
        if (!from_near(b->a, &b->candidates[k], &nearest[k - begin], b->options, &b->out[k])) b->out[k].mass = 0;
}

mus_status mus_contacts_from_pairs(const mus_assembly *a, const mus_candidate_pair_list *candidates,
                                   const mus_contact_options *options, mus_contact_constraint_list *constraints) {
    enum { CHUNK = 2048 }; /* bounds the scratch memory */
    constraints->count = 0;
    for (int64_t from = 0; from < candidates->count; from += CHUNK) {
        int64_t size = candidates->count - from < CHUNK ? candidates->count - from : CHUNK, kept = constraints->count;
        if (!mus_array_reserve(constraints, kept + size)) return MUS_STATUS_NO_MEMORY;
        building b = {a, candidates->data + from, options, constraints->data + kept};
        mus_parallel_for(options->threads, size, BLOCK, build_constraint_block, &b);
        for (int64_t k = 0; k < size; k++) {
            const mus_candidate_pair *c = &b.candidates[k];
            if (!(b.out[k].mass > 0)) continue;
            if (a->any_pinched && mus_assembly_is_exempt(a, c->vertex, c->edge_edge ? 2 : 1, 4)) continue;
            b.out[k].pair_index = (int32_t)(from + k);
            move_constraint(&constraints->data[kept++], &b.out[k]);
        }
        constraints->count = kept;
    }
    remove_duplicates(a, constraints, 0);
    return MUS_STATUS_OK;
}

mus_status mus_contacts_add_rigid_bodies(const mus_assembly *a, const mus_candidate_pair_list *candidates,
                                         const mus_contact_options *options, mus_contact_constraint_list *constraints) {
    int64_t start = constraints->count;
    for (int64_t k = 0; k < candidates->count; k++) {
        mus_contact_constraint constraint;
        mus_nearest nearest;
        nearest.length = mus_candidate_pair_nearest(&candidates->data[k], a->x0, &nearest.d, nearest.weight);
        if (!from_near(a, &candidates->data[k], &nearest, options, &constraint)) continue;
        constraint.pair_index = (int32_t)k;
        constraint.target = fmin(constraint.gap0, constraint.thickness);
        if (!mus_array_push(constraints, constraint)) return MUS_STATUS_NO_MEMORY;
    }
    remove_duplicates(a, constraints, start);
    return MUS_STATUS_OK;
}

mus_status mus_contacts_build(const mus_assembly *a, const mus_candidate_pair_list *candidates,
                              const mus_contact_options *options, mus_contact_constraint_list *constraints) {
    mus_status status = mus_contacts_from_pairs(a, candidates, options, constraints);
    for (int32_t k = a->cloth_count; k < a->object_count && status == MUS_STATUS_OK; k++)
        if (mus_object_is_plane(&a->objects[k])) status = add_plane_contacts(a, k, options, constraints);
    return status;
}

mus_status mus_contacts_add_rigid_planes(const mus_assembly *a, const mus_contact_options *options,
                                         mus_contact_constraint_list *constraints) {
    mus_status status = MUS_STATUS_OK;
    for (int32_t k = a->cloth_count; a->rigid_count && k < a->object_count && status == MUS_STATUS_OK; k++)
        if (mus_object_is_plane(&a->objects[k])) status = add_rigid_plane_contacts(a, k, options, constraints);
    return status;
}

bool mus_contact_from_geometry(const mus_assembly *a, const mus_candidate_pair *c, const double weight[4], v3 normal,
                               double toi, double dt, mus_contact_constraint *constraint) {
    set_pair_features(a, c, constraint);
    memcpy(constraint->weight, weight, sizeof constraint->weight);
    constraint->normal = normal;
    constraint->gap0 = c->gap0;
    if (constraint->is_exact && mus_pair_has_cylinder(a, c->vertex))
        constraint->offset = mus_cylinder_radius_along(a, c, normal, 1);
    constraint->rest = v3_sub(weighted(constraint, a->x0), surface_turn(a, constraint));
    constraint->toi = toi, constraint->is_impact = true;
    mus_contact_set_masses(a, constraint);
    set_surface(a, constraint);
    set_motion(a, constraint, dt);
    return constraint->mass > 0;
}

bool mus_contact_from_hit(const mus_assembly *a, const mus_candidate_pair *c, double toi, double dt,
                          mus_contact_constraint *constraint) {
    if (mus_pair_has_cylinder(a, c->vertex)) {
        mus_cylinder_nearest nearest;
        mus_cylinder_find_nearest(a, c, toi, &nearest);
        return mus_contact_from_geometry(a, c, nearest.weight, nearest.normal, toi, dt, constraint);
    }
    v3 at[4], d;
    mus_candidate_pair local = *c;
    for (int k = 0; k < 4; k++) {
        at[k] = v3_lerp(a->x0[c->vertex[k]], a->x1[c->vertex[k]], toi);
        local.vertex[k] = k;
    }
    double weight[4], length = mus_candidate_pair_nearest(&local, at, &d, weight);
    if (!(length > 1e-12)) return false;
    return mus_contact_from_geometry(a, c, weight, v3_scale(1 / length, d), toi, dt, constraint);
}

static inline void apply_to_positions(const mus_assembly *a, const mus_contact_constraint *constraint, v3 impulse) {
    int count = constraint->plane ? 1 : 4;
    for (int k = 0; k < count; k++) {
        int32_t i = constraint->vertex[k];
        double s = constraint->weight[k] * a->inverse_mass[i];
        if (s != 0) a->x1[i] = v3_axpy(s, impulse, a->x1[i]);
    }
    if (constraint->has_rigid_body) mus_contact_apply_rigid_impulse(a, constraint, impulse, v3_neg(impulse));
}

void mus_contact_apply_impulse(const mus_assembly *a, mus_contact_constraint *constraint, double normal_impulse,
                               v3 friction_impulse) {
    constraint->normal_impulse += normal_impulse,
        constraint->friction_impulse = v3_add(constraint->friction_impulse, friction_impulse);
    apply_to_positions(a, constraint, v3_axpy(normal_impulse, constraint->normal, friction_impulse));
}

mus_contact_sweep_result mus_contacts_sweep(const mus_assembly *a, mus_contact_constraint_list *constraints, bool all) {
    mus_contact_sweep_result swept = {0};
    for (int64_t k = 0; k < constraints->count; k++) {
        mus_contact_constraint *constraint = &constraints->data[k];
        if (constraint->change != 0) constraint->change = 0;
        if (constraint->response >= 0 || (constraint->idle && !all)) continue;
        v3 now = mus_contact_end_vector(a, constraint);
        double gap = v3_dot(constraint->normal, now) - constraint->offset, missing = constraint->target - gap;
        swept.missed += missing > MUS_CONTACT_GAP_TOLERANCE * constraint->thickness;
        double normal_impulse = constraint->normal_impulse + missing * constraint->mass;
        if (normal_impulse < 0) normal_impulse = 0;
        double change = normal_impulse - constraint->normal_impulse;
        constraint->idle = normal_impulse == 0 && missing < -MUS_CONTACT_IDLE_MARGIN * constraint->thickness;
        if (change == 0 && normal_impulse == 0) continue;
        constraint->normal_impulse = normal_impulse, constraint->change = change;
        swept.moved += fabs(change) > MUS_CONTACT_MOTION_TOLERANCE * constraint->thickness * constraint->mass;
        swept.change += change * change / constraint->mass;
        /* Coulomb's cone on the accumulated impulse, so that a later sweep may reduce what an earlier one applied */
        v3 slip = v3_sub(now, constraint->rest);
        slip = v3_axpy(-v3_dot(constraint->normal, slip), constraint->normal, slip);
        v3 friction_impulse = v3_axpy(-constraint->tangent_mass, slip, constraint->friction_impulse);
        double limit = constraint->friction * normal_impulse, length2 = v3_length2(friction_impulse);
        if (length2 > limit * limit) friction_impulse = v3_scale(limit / sqrt(length2), friction_impulse);
        v3 impulse = v3_axpy(change, constraint->normal, v3_sub(friction_impulse, constraint->friction_impulse));
        constraint->friction_impulse = friction_impulse;
        apply_to_positions(a, constraint, impulse);
    }
    return swept;
}

/* Silcowitz-Hansen, Niebe & Erleben 2010, "A nonsmooth nonlinear conjugate gradient method for interactive contact
 * force problems": the change of a sweep replaces the gradient; Fletcher & Reeves give the direction. Restarts when
 * changes grow. */
void mus_contacts_conjugate_step(const mus_assembly *a, mus_contact_constraint_list *constraints, double ratio) {
    if (!(ratio <= 1)) ratio = 0;
    for (int64_t k = 0; k < constraints->count; k++) {
        mus_contact_constraint *constraint = &constraints->data[k];
        double further = ratio * constraint->conjugate_change;
        constraint->conjugate_change = constraint->change + further;
        if (further == 0) continue;
        constraint->normal_impulse += further;
        constraint->idle = false;
        apply_to_positions(a, constraint, v3_scale(further, constraint->normal));
    }
}

/* Steps of the acceleration scale that a contact at rest may approach by without bouncing: one is what gravity adds,
 * the second a margin. Not varied: a test of physics, not of convergence. */
static const double resting_steps = 2;
/* 1/s: rate at which missing gaps are restored, in thicknesses; the step at which relax = 0.5 restores half of them is
 * then bounded for thin gaps only. 60 and 240: within the spread. */
static const double recovery_rate = 120;

double mus_bounce_threshold(const mus_assembly *a, double dt) {
    return resting_steps * a->acceleration_scale * dt;
}

double mus_recovery_speed(double thickness) {
    return recovery_rate * thickness;
}

static double relative_speed_of(const mus_assembly *a, const mus_contact_constraint *constraint, const v3 *velocity,
                                double dt) {
    double speed = constraint->has_rigid_body ? mus_contact_rigid_speed(a, constraint) : 0;
    for (int c = 0; c < (constraint->plane ? 1 : 4); c++) {
        int32_t i = constraint->vertex[c];
        if (constraint->has_rigid_body && a->objects[a->object_of[i]].rigid) continue;
        v3 v = i < a->cloth_vertex_count ? velocity[i] : v3_scale(1 / dt, v3_sub(a->x1[i], a->x0[i]));
        speed += constraint->weight[c] * v3_dot(constraint->normal, v);
    }
    if (constraint->plane)
        speed -= v3_dot(constraint->normal, v3_sub(constraint->rest, a->x0[constraint->vertex[0]])) / dt;
    return speed;
}

static double relative_speed(const mus_assembly *a, const mus_contact_constraint *constraint, double dt) {
    return relative_speed_of(a, constraint, a->v1, dt);
}

static void apply_velocity_impulse(const mus_assembly *a, const mus_contact_constraint *constraint, double impulse) {
    for (int c = 0; c < (constraint->plane ? 1 : 4); c++) {
        int32_t i = constraint->vertex[c];
        double s = constraint->weight[c] * a->inverse_mass[i];
        if (s != 0) a->v1[i] = v3_axpy(s * impulse, constraint->normal, a->v1[i]);
    }
    if (constraint->has_rigid_body) mus_contact_change_rigid_velocity(a, constraint, impulse);
}

int64_t mus_contacts_count_active(const mus_contact_constraint_list *constraints) {
    int64_t count = 0;
    for (int64_t k = 0; k < constraints->count; k++) count += constraints->data[k].normal_impulse > 0;
    return count;
}

void mus_contacts_set_approach(const mus_assembly *a, mus_contact_constraint_list *constraints, double dt) {
    for (int64_t k = 0; k < constraints->count; k++) {
        mus_contact_constraint *constraint = &constraints->data[k];
        if (constraint->response < 0 && !constraint->has_rigid_body)
            constraint->normal_velocity = relative_speed(a, constraint, dt);
    }
}

void mus_contacts_use_start_velocities(const mus_assembly *a, mus_contact_constraint_list *constraints, double dt) {
    for (int64_t k = 0; k < constraints->count; k++) {
        mus_contact_constraint *constraint = &constraints->data[k];
        if (!(constraint->restitution > 0) || constraint->has_rigid_body) continue;
        double speed = relative_speed_of(a, constraint, a->v0, dt);
        if (speed < constraint->normal_velocity) constraint->normal_velocity = speed;
    }
}

void mus_contacts_apply_restitution(const mus_assembly *a, mus_contact_constraint_list *constraints, double dt) {
    enum { RESTITUTION_SWEEPS = 10 }; /* constraints that share vertices must agree: a single pass could add energy */
    bool any = false;
    for (int64_t k = 0; k < constraints->count; k++) {
        mus_contact_constraint *constraint = &constraints->data[k];
        if (!(constraint->normal_impulse > 0) || constraint->response >= 0) continue;
        constraint->bounces = constraint->restitution > 0 && constraint->normal_velocity < -mus_bounce_threshold(a, dt);
        any |= constraint->bounces;
        if (constraint->bounces || !constraint->is_impact || constraint->energy)
            continue; /* proximity constraints: the target has bounded the speed; an energy has chosen it */
        double speed = relative_speed(a, constraint, dt);
        double most = fmax(0, constraint->normal_velocity) + mus_recovery_speed(constraint->thickness);
        if (speed > most) apply_velocity_impulse(a, constraint, constraint->bounce = (most - speed) * constraint->mass);
    }
    for (int sweep = 0; any && sweep < RESTITUTION_SWEEPS; sweep++)
        for (int64_t k = 0; k < constraints->count; k++) {
            mus_contact_constraint *constraint = &constraints->data[k];
            if (!constraint->bounces) continue;
            double wanted = -constraint->restitution * constraint->normal_velocity;
            double total =
                fmax(0, constraint->bounce + (wanted - relative_speed(a, constraint, dt)) * constraint->mass);
            apply_velocity_impulse(a, constraint, total - constraint->bounce);
            constraint->bounce = total;
        }
}
