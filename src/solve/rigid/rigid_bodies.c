/* rigid_bodies.c: rigid bodies in a step: free motion, then motion by contact impulses, clear of planes; from there on
 * they are fixed, only cloth moves, and the reactions are deferred impulses that change their velocities at the end. */
#include "base/range.h"
#include "dynamics/dynamics.h"
#include "solve/solver.h"

#include <string.h>

/* None of these was varied: bench has no rigid bodies. Motion, in thicknesses of the body, below which it rests. */
static const double rest_per_thickness = 1e-6;
/* Share of a missing gap that a step restores; mus_recovery_speed bounds the speed. */
static const double restored_share_per_step = 0.2;
static const double plane_lift = 1.01; /* in least gaps: above 1 by more than rounding */
/* Rounds over the planes that lift a body; sweeps that restore gaps; passes over bodies that hit on their way, and
 * least sweeps in each. */
enum { MAX_LIFT_ROUNDS = 20, MAX_GAP_SWEEPS = 40, MAX_HIT_PASSES = 8, HIT_SWEEPS = 6 };

void mus_solver_place_rigid_body(const mus_assembly *a, mus_object *object) {
    mus_obstacle_place(object->obstacle, 0, &object->pose1, (double *)(a->x1 + object->first));
}

/* Moves a body with its velocities at the end of the step. */
static void advance_body(const mus_assembly *a, mus_object *object, double dt) {
    mus_rigid_step *r = object->rigid;
    mus_rigid_advance(r->of, &object->pose0, r->v1, r->momentum1, dt, &object->pose1, &r->turn);
    mus_solver_place_rigid_body(a, object);
}

/* Adds the accumulated impulses to the velocities. */
static void apply_impulses(mus_rigid_step *r, double dt) {
    r->v1 = v3_axpy(1 / (r->of->mass * dt), r->linear, r->v1);
    r->momentum1 = v3_axpy(1 / dt, r->angular, r->momentum1);
    r->linear = r->angular = r->shift = r->turned = r->seen_shift = r->seen_turned = v3_make(0, 0, 0);
}

void mus_solver_predict_rigid_bodies(mus_solver *s, const mus_step_input *input, double dt) {
    mus_assembly *a = &s->assembly;
    for (int32_t k = a->cloth_count; a->rigid_count && k < a->object_count; k++) {
        mus_object *object = &a->objects[k];
        mus_rigid_step *r = object->rigid;
        if (!r) continue;
        const mus_rigid *of = r->of;
        double half_steps = mus_leapfrog_half_steps(object->previous_dt, dt);
        *r = (mus_rigid_step){.of = of,
                              .v0 = r->v0,
                              .v1 = v3_axpy(half_steps, input->environment.gravity, r->v0),
                              .momentum0 = r->momentum0,
                              .momentum1 = r->momentum0,
                              .center0 = mus_rigid_center(of, &object->pose0),
                              .inverse_inertia = mus_rigid_inverse_inertia(of, object->pose0.rotation)};
        object->current_dt = dt;
        advance_body(a, object, dt);
    }
}

bool mus_solver_rigid_bodies_changed(mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    bool any = false;
    for (int32_t k = a->cloth_count; a->rigid_count && k < a->object_count; k++) {
        const mus_object *object = &a->objects[k];
        mus_rigid_step *r = object->rigid;
        if (!r) continue;
        /* rotation counts as motion at the radius of gyration */
        v3 moved = v3_sub(r->shift, r->seen_shift), turned = v3_sub(r->turned, r->seen_turned);
        const v3 *inertia = r->of->inertia.r;
        double gyration2 = (inertia[0].x + inertia[1].y + inertia[2].z) / r->of->mass;
        any |= v3_length2(moved) + gyration2 * v3_length2(turned) >
               rest_per_thickness * rest_per_thickness * object->contact_thickness * object->contact_thickness;
        r->seen_shift = r->shift, r->seen_turned = r->turned;
    }
    return any;
}

/* Returns a body's least gap above a plane at the end of the step, m. */
static double least_gap(const mus_assembly *a, const mus_object *object, const mus_object *plane) {
    double least = INFINITY;
    for (int32_t i = object->first; i < object->first + object->count; i++)
        least = fmin(least, v3_dot(plane->normal1, v3_sub(a->x1[i], plane->point1)));
    return least - object->radius;
}

/* Translates a body out of planes, and, unless gaps were restored, by a share of what is missing to the thickness above
 * them; velocities do not change. A body that planes pinch stays in some of them: no safe step. */
static mus_status lift_above_planes(mus_solver *s, int32_t k, bool restored, double dt) {
    mus_assembly *a = &s->assembly;
    mus_object *object = &a->objects[k];
    const mus_object *in = NULL;
    for (int round = 0; round < MAX_LIFT_ROUNDS; round++) {
        in = NULL;
        for (int32_t p = a->cloth_count; p < a->object_count; p++) {
            const mus_object *plane = &a->objects[p];
            if (!mus_object_is_plane(plane) || !mus_assembly_collides(a, k, p)) continue;
            double thickness = object->contact_thickness + plane->contact_thickness, gap = least_gap(a, object, plane),
                   up = 0;
            double start = INFINITY; /* the least gap at the start */
            for (int32_t i = object->first; i < object->first + object->count; i++)
                start = fmin(start, v3_dot(plane->normal0, v3_sub(a->x0[i], plane->point0)) - object->radius);
            if (!restored && round == 0 && start < thickness && gap < thickness)
                up = fmin(restored_share_per_step * (thickness - gap), mus_recovery_speed(thickness) * dt);
            double least = mus_min_end_gap(thickness, start);
            if (gap + up < least) in = plane, up = plane_lift * least - gap;
            if (!(up > 0)) continue;
            v3_store(object->pose1.position, v3_axpy(up, plane->normal1, v3_load(object->pose1.position)));
            mus_solver_place_rigid_body(a, object);
        }
        if (!in) return MUS_STATUS_OK;
    }
    return mus_fail(MUS_STATUS_NO_SAFE_STEP, "no safe step: obstacle '%s' cannot be moved out of obstacle '%s'",
                    object->obstacle->name, in->obstacle->name);
}

/* Restores a share of what is missing to the thickness between obstacles: bodies are moved, and velocities do not
 * change, or bodies at rest would be thrown up. */
static mus_status restore_gaps(mus_solver *s, double dt, bool *restored) {
    mus_assembly *a = &s->assembly;
    mus_contact_constraint_list *constraints = &s->rigid_contacts.relief;
    const mus_contact_constraint_list *all = mus_solver_rigid_constraints(s);
    constraints->count = 0;
    *restored = false;
    for (int64_t k = 0; s->rigid_contacts.any && k < all->count; k++) {
        mus_contact_constraint constraint = all->data[k];
        if (constraint.object[0] < a->cloth_count || constraint.object[1] < a->cloth_count) continue;
        v3 end = v3_scale(constraint.weight[0], a->x1[constraint.vertex[0]]);
        for (int c = 1; c < 4 && !constraint.plane; c++)
            end = v3_axpy(constraint.weight[c], a->x1[constraint.vertex[c]], end);
        double gap = v3_dot(constraint.normal, end) - constraint.offset,
               most = mus_recovery_speed(constraint.thickness) * dt;
        double wanted = constraint.thickness;
        if (constraint.gap0 < wanted)
            wanted = constraint.gap0 + fmin(restored_share_per_step * (wanted - constraint.gap0), most);
        constraint.target = fmin(wanted, gap + most);
        constraint.normal_impulse = constraint.change = constraint.friction = constraint.conjugate_change = 0,
        constraint.friction_impulse = v3_make(0, 0, 0), constraint.idle = false;
        *restored |= !constraint.plane && gap < constraint.target;
        if (!mus_array_push(constraints, constraint)) return MUS_STATUS_NO_MEMORY;
    }
    for (int k = 0; k < MAX_GAP_SWEEPS && *restored; k++)
        if (!mus_contacts_sweep(a, constraints, true).moved) break;
    for (int32_t k = a->cloth_count; k < a->object_count && *restored; k++) {
        mus_object *object = &a->objects[k];
        mus_rigid_step *r = object->rigid;
        if (!r || (v3_max_abs(r->linear) == 0 && v3_max_abs(r->angular) == 0)) continue;
        mus_pose_move(&object->pose1, mus_rigid_center(r->of, &object->pose1), r->shift, r->turned, &object->pose1);
        r->linear = r->angular = r->shift = r->turned = r->seen_shift = r->seen_turned = v3_make(0, 0, 0);
        mus_solver_place_rigid_body(a, object);
    }
    return MUS_STATUS_OK;
}

/* Moves bodies by the accumulated impulses. */
static mus_status advance_bodies(mus_solver *s, double dt, bool *moved) {
    mus_assembly *a = &s->assembly;
    bool restored;
    for (int32_t k = a->cloth_count; a->rigid_count && k < a->object_count; k++) {
        mus_object *object = &a->objects[k];
        if (!object->rigid) continue;
        v3 linear_impulse = object->rigid->linear, turned = object->rigid->angular;
        object->placed = object->pose1;
        if (!(v3_max_abs(linear_impulse) > 0 || v3_max_abs(turned) > 0)) continue;
        apply_impulses(object->rigid, dt);
        advance_body(a, object, dt);
    }
    mus_status status = restore_gaps(s, dt, &restored);
    for (int32_t k = a->cloth_count; a->rigid_count && k < a->object_count; k++) {
        mus_object *object = &a->objects[k];
        if (!object->rigid) continue;
        if (status == MUS_STATUS_OK) status = lift_above_planes(s, k, restored, dt);
        if (status != MUS_STATUS_OK) return status;
        *moved |= memcmp(&object->placed, &object->pose1, sizeof object->placed) != 0;
    }
    return status;
}

/* Adds contact constraints for hits on the way. */
static mus_status add_hit_contacts(mus_solver *s, int64_t *count) {
    *count = 0;
    mus_status status = mus_solver_detect_rigid_pairs(s);
    for (int64_t k = 0; k < s->rigid_contacts.list.count && status == MUS_STATUS_OK; k++) {
        mus_candidate_pair *c = &s->rigid_contacts.list.data[k];
        mus_contact_constraint constraint;
        double toi;
        if (!mus_solver_rigid_pair_collides(s, c, &toi)) continue;
        ++*count;
        if (!mus_solver_rigid_constraint_from_hit(s, c, toi, &constraint)) continue;
        status = mus_coefficients_evaluate(s, &constraint, 1);
        if (status == MUS_STATUS_OK && !mus_array_push(mus_solver_rigid_constraints(s), constraint))
            status = MUS_STATUS_NO_MEMORY;
    }
    return status;
}

mus_status mus_solver_place_rigid_bodies(mus_solver *s, double dt, bool detected, bool *moved) {
    mus_assembly *a = &s->assembly;
    *moved = false;
    mus_status status = advance_bodies(s, dt, moved);
    for (int pass = 0; pass < MAX_HIT_PASSES && s->rigid_contacts.any && status == MUS_STATUS_OK; pass++) {
        int64_t count;
        if ((status = add_hit_contacts(s, &count)) != MUS_STATUS_OK || count == 0) return status;
        v3 *before = a->scratch;
        memcpy(before, a->x1, sizeof(v3) * (size_t)a->cloth_vertex_count);
        status = s->def.family->separate_rigid_contacts ? mus_solver_sweep_rigid_contacts(s)
                 : s->def.family->couples_contacts      ? mus_coupled_solve_rigid_hits(s)
                                                        : mus_solver_sweep(s, HIT_SWEEPS);
        if (status != MUS_STATUS_OK) return status;
        for (int32_t i = 0; detected && i < a->cloth_vertex_count; i++)
            if (memcmp(&before[i], &a->x1[i], sizeof(v3)) != 0) mus_solver_moved(s, i);
        status = advance_bodies(s, dt, moved);
    }
    if (!s->rigid_contacts.any || status != MUS_STATUS_OK) return status;
    *moved = true;
    return mus_solver_rigid_body_zones(s, dt);
}

void mus_solver_apply_deferred_impulses(mus_solver *s, double dt) {
    mus_assembly *a = &s->assembly;
    for (int32_t k = 0; k < a->rigid_count; k++) apply_impulses(&a->rigids[k], dt);
}

void mus_solver_accept_rigid_bodies(mus_solver *s) {
    mus_assembly *a = &s->assembly;
    for (int32_t k = 0; k < a->rigid_count; k++)
        a->rigids[k].v0 = a->rigids[k].v1, a->rigids[k].momentum0 = a->rigids[k].momentum1;
}

mus_status mus_solver_check_rigid_bodies(const mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    for (int32_t k = a->cloth_count; a->rigid_count && k < a->object_count; k++) {
        const mus_object *object = &a->objects[k];
        if (!object->rigid) continue;
        v3 p = v3_load(object->pose1.position);
        if (!mus_are_lengths(p) || !isfinite(object->pose1.rotation[0]))
            return mus_fail(
                MUS_STATUS_NO_SAFE_STEP,
                "world: obstacle '%s' would leave the coordinate range in one step; lower its velocity or dt",
                object->obstacle->name);
    }
    return MUS_STATUS_OK;
}
