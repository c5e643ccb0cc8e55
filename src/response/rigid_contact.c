/* rigid_contact.c: contact constraints of rigid bodies, after Bridson, Fedkiw & Anderson 2002 (BRI 2.2): the effective
 * mass of a body at a contact r from its center of mass is 1 / (1/m + ((I^-1 (r x n)) x r) . n). */
#include "response/rigid_contact.h"

static mus_rigid_step *side(const mus_assembly *a, const mus_contact_constraint *constraint, int k) {
    return a->objects[constraint->object[k]].rigid;
}

static double sign(int k) {
    return k == 0 ? 1 : -1;
}

/* Point of a side by its vertices: of a vertex and a face the first is side A, of two edges the last two. */
static v3 point_of_side(const mus_contact_constraint *constraint, const v3 *x, int k) {
    if (constraint->plane) return x[constraint->vertex[0]];
    int first = constraint->edge_edge ? (k == 0 ? 2 : 0) : k, end = constraint->edge_edge ? first + 2 : k == 0 ? 1 : 4;
    v3 sum = v3_make(0, 0, 0);
    for (int i = first; i < end; i++) sum = v3_axpy(fabs(constraint->weight[i]), x[constraint->vertex[i]], sum);
    return sum;
}

/* Vector from a round side's vertex or axis to its surface at the contact. */
static v3 to_surface(const mus_contact_constraint *constraint, int k) {
    return v3_scale(-sign(k) * constraint->radius[k], constraint->normal);
}

/* Velocity change of the body at the contact for this impulse. */
static v3 velocity_per_impulse(const mus_rigid_step *r, v3 arm, v3 impulse) {
    v3 turn = m3_mul_v3(&r->inverse_inertia, v3_cross(arm, impulse));
    return v3_axpy(1 / r->of->mass, impulse, v3_cross(turn, arm));
}

mus_contact_inverse_mass mus_contact_rigid_inverse_mass(const mus_assembly *a, const mus_contact_constraint *constraint,
                                                        double cloth) {
    double normal = cloth, uu = cloth, ww = cloth, uw = 0;
    v3 n = constraint->normal, other = fabs(n.x) < 0.9 ? v3_make(1, 0, 0) : v3_make(0, 0, 1);
    v3 u = v3_normalized(v3_cross(other, n)), w = v3_cross(n, u);
    for (int k = 0; constraint->has_rigid_body && k < 2; k++) {
        const mus_rigid_step *r = side(a, constraint, k);
        if (!r) continue;
        v3 along = velocity_per_impulse(r, constraint->arm[k], u),
           across = velocity_per_impulse(r, constraint->arm[k], w);
        normal += v3_dot(n, velocity_per_impulse(r, constraint->arm[k], n));
        uu += v3_dot(u, along), ww += v3_dot(w, across), uw += v3_dot(w, along);
    }
    double half = 0.5 * (uu - ww);
    return (mus_contact_inverse_mass){normal, 0.5 * (uu + ww) + sqrt(half * half + uw * uw)};
}

void mus_contact_set_arms(const mus_assembly *a, mus_contact_constraint *constraint) {
    constraint->has_rigid_body = side(a, constraint, 0) || side(a, constraint, 1);
    if (!constraint->has_rigid_body) return;
    for (int k = 0; k < 2; k++) {
        const mus_rigid_step *r = side(a, constraint, k);
        if (!r) continue;
        constraint->radius[k] = a->objects[constraint->object[k]].radius;
        constraint->arm[k] = v3_add(v3_sub(point_of_side(constraint, a->x0, k), r->center0), to_surface(constraint, k));
    }
    mus_contact_inverse_mass all =
        mus_contact_rigid_inverse_mass(a, constraint, constraint->mass > 0 ? 1 / constraint->mass : 0);
    constraint->mass = 1 / all.normal, constraint->tangent_mass = 1 / all.tangent;
}

v3 mus_contact_rigid_motion(const mus_assembly *a, const mus_contact_constraint *constraint) {
    v3 motion = v3_make(0, 0, 0);
    for (int k = 0; k < 2; k++) {
        const mus_rigid_step *r = side(a, constraint, k);
        if (!r) continue;
        v3 by = v3_add(r->shift, v3_cross(r->turned, constraint->arm[k]));
        if (constraint->radius[k] > 0) by = v3_add(by, v3_cross(r->turn, to_surface(constraint, k)));
        motion = v3_axpy(sign(k), by, motion);
    }
    return motion;
}

void mus_contact_defer_rigid_impulse(const mus_assembly *a, const mus_contact_constraint *constraint, v3 on_a,
                                     v3 on_b) {
    for (int k = 0; k < 2; k++) {
        mus_rigid_step *r = side(a, constraint, k);
        if (!r) continue;
        v3 impulse = k == 0 ? on_a : on_b;
        r->linear = v3_add(r->linear, impulse);
        r->angular = v3_add(r->angular, v3_cross(constraint->arm[k], impulse));
    }
}

void mus_contact_apply_rigid_impulse(const mus_assembly *a, const mus_contact_constraint *constraint, v3 on_a,
                                     v3 on_b) {
    mus_contact_defer_rigid_impulse(a, constraint, on_a, on_b);
    for (int k = 0; k < 2; k++) {
        mus_rigid_step *r = side(a, constraint, k);
        if (!r) continue;
        r->shift = v3_scale(1 / r->of->mass, r->linear);
        r->turned = m3_mul_v3(&r->inverse_inertia, r->angular);
    }
}

double mus_contact_rigid_speed(const mus_assembly *a, const mus_contact_constraint *constraint) {
    double speed = 0;
    for (int k = 0; k < 2; k++) {
        const mus_rigid_step *r = side(a, constraint, k);
        if (!r) continue;
        v3 v = v3_add(r->v1, v3_cross(m3_mul_v3(&r->inverse_inertia, r->momentum1), constraint->arm[k]));
        speed += sign(k) * v3_dot(constraint->normal, v);
    }
    return speed;
}

void mus_contact_change_rigid_velocity(const mus_assembly *a, const mus_contact_constraint *constraint,
                                       double impulse) {
    for (int k = 0; k < 2; k++) {
        mus_rigid_step *r = side(a, constraint, k);
        if (!r) continue;
        v3 by = v3_scale(sign(k) * impulse, constraint->normal);
        r->v1 = v3_axpy(1 / r->of->mass, by, r->v1);
        r->momentum1 = v3_add(r->momentum1, v3_cross(constraint->arm[k], by));
    }
}

mus_contact_constraint mus_contact_with_fixed_bodies(const mus_assembly *a, const mus_contact_constraint *constraint) {
    mus_contact_constraint with_fixed_bodies = *constraint;
    double sum = 0;
    for (int k = 0; k < 4; k++)
        sum += constraint->weight[k] * constraint->weight[k] * a->inverse_mass[constraint->vertex[k]];
    with_fixed_bodies.mass = with_fixed_bodies.tangent_mass = sum > 0 ? 1 / sum : 0;
    with_fixed_bodies.has_rigid_body = false;
    if (constraint->has_rigid_body)
        with_fixed_bodies.rest = v3_sub(constraint->rest, mus_contact_rigid_motion(a, constraint));
    return with_fixed_bodies;
}
