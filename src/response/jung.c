/* jung.c: Jung 2005, 3.3: in the first round, penalty forces along the contact vector reduce the number of collisions;
 * in later rounds velocities are set to the response velocity and positions to the legal one, a thickness h apart. The
 * response is shared by mass: all vertices of an edge or a face move alike, and each side by the other's share of the
 * mass. Linear momentum is conserved, angular momentum is not.
 *
 *   penalty    impulse dt k (h - d), at most what separates them within the step; k the stretch stiffness (N/m)
 *   geometric  vN' = -e vN where approaching, e the pair's restitution; slip less friction * |vN' - vN| (the source has
 *              no friction: set it to 0); positions by h - d, which adds no velocity
 *
 * The source has no rigid bodies: a rigid body's side has its effective mass at the contact and moves by its velocity;
 * only cloth is displaced. */
#include "response/classic.h"
#include "response/rigid_contact.h"

typedef struct sides {
    double share[2]; /* 1/kg: inverse mass of a side as a whole; 0: does not move */
    double slips;    /* 1/kg: of both sides along the tangent */
    v3 slip;         /* m/s: velocity of side A relative to side B at the contact */
    double missing;  /* m */
} sides;

static int corners(const mus_contact_constraint *constraint) {
    return constraint->plane ? 1 : 4;
}

static sides find_sides(const mus_response_context *context, const mus_contact_constraint *constraint) {
    const mus_assembly *a = context->assembly;
    sides s = {.slip = v3_make(0, 0, 0)};
    double mass[2] = {0, 0};
    bool is_fixed[2] = {false, constraint->plane};
    v3 now = v3_add(mus_response_slip(context, constraint), constraint->rest),
       surface = mus_response_slip(context, constraint);
    for (int k = 0; k < corners(constraint); k++) {
        int32_t i = constraint->vertex[k];
        int side = mus_contact_side(constraint, k);
        if (a->inverse_mass[i] > 0)
            mass[side] += 1 / a->inverse_mass[i];
        else
            is_fixed[side] = true;
        if (i >= a->cloth_vertex_count) continue;
        s.slip = v3_axpy(constraint->weight[k], a->v1[i], s.slip);
        surface = v3_axpy(-constraint->weight[k], v3_sub(a->x1[i], a->x0[i]), surface); /* leaves the obstacle's part */
    }
    s.slip = v3_axpy(1 / context->dt, surface, s.slip);
    for (int side = 0; side < 2; side++) s.share[side] = is_fixed[side] || !(mass[side] > 0) ? 0 : 1 / mass[side];
    s.slips = s.share[0] + s.share[1];
    if (constraint->has_rigid_body) {
        int object = a->objects[constraint->object[0]].rigid ? 0 : 1;
        mus_contact_inverse_mass inverse_effective_mass = mus_contact_rigid_inverse_mass(a, constraint, 0);
        s.share[object] = inverse_effective_mass.normal, s.slips = s.share[!object] + inverse_effective_mass.tangent;
    }
    s.missing = constraint->thickness - (v3_dot(constraint->normal, now) - constraint->offset);
    return s;
}

/* Applies `change` to the relative velocity (m/s) and, in addition to its displacement, `by` to the relative position
 * (m) along the normal. */
static void apply_change(const mus_response_context *context, mus_contact_constraint *constraint, const sides *s,
                         v3 change, double by) {
    mus_assembly *a = context->assembly;
    double both = s->share[0] + s->share[1];
    if (!(both > 0)) return;
    for (int k = 0; k < corners(constraint); k++) {
        int side = mus_contact_side(constraint, k);
        double part = (side == 0 ? 1 : -1) * s->share[side] / both;
        int32_t i = constraint->vertex[k];
        if (part == 0 || !(a->inverse_mass[i] > 0)) continue;
        v3 v = v3_axpy(part, change, a->v1[i]);
        double shift = constraint->has_rigid_body ? (side == 0 ? by : -by) : part * by;
        v3 x = v3_axpy(shift, constraint->normal, v3_axpy(part * context->dt, change, a->x1[i]));
        mus_response_set_vertex(context, constraint, k, x, v);
    }
}

static void resolve_hit(const mus_response_context *context, mus_contact_constraint *constraint) {
    const mus_assembly *a = context->assembly;
    sides s = find_sides(context, constraint);
    if (!(s.missing > 0)) return;
    if (context->round == 0) {
        double k = INFINITY;
        for (int side = 0; side < 2; side++)
            if (a->objects[constraint->object[side]].cloth)
                k = fmin(k, a->objects[constraint->object[side]].cloth->material.stretch);
        double change = fmin(context->dt * k * s.missing * (s.share[0] + s.share[1]), s.missing / context->dt);
        apply_change(context, constraint, &s, v3_scale(change, constraint->normal), 0);
        mus_response_stop_rigid_body(context, constraint);
        return;
    }
    double both = s.share[0] + s.share[1];
    if (!(both > 0)) return;
    double speed = v3_dot(constraint->normal, s.slip), dv = speed < 0 ? -(1 + constraint->restitution) * speed : 0;
    v3 tangent = v3_axpy(-speed, constraint->normal, s.slip), change = v3_scale(dv, constraint->normal);
    double slip = v3_length(tangent);
    if (slip > 0) change = v3_axpy(-fmin(both / s.slips, constraint->friction * dv / slip), tangent, change);
    apply_change(context, constraint, &s, change, fmax(0, s.missing - dv * context->dt));
    mus_response_stop_rigid_body(context, constraint);
}

const mus_classic_response mus_response_jung = {.name = "jung", .rounds = 20, .resolve_hit = resolve_hit};
