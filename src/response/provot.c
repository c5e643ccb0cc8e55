/* provot.c: Provot 1997, section 3.3, eq. 4: friction and dissipation on each vertex by itself.
 *
 * With v the velocity of a vertex in the frame of the collision, vN and vT its parts along and across the normal:
 *
 *     |vT| >= kf |vN|:  v' = vT - kf |vN| vT/|vT| - kd vN,     else  v' = -kd vN
 *
 * and v' applies over the whole step. kf is the pair's friction. kd is the pair's restitution: 0 removes all normal
 * speed, 1 reverses it, though the source calls it dissipation. The frame moves with the center of mass of the vertices
 * involved; in a collision with an obstacle (or with pinned vertices, which have infinite mass) with its surface at the
 * contact. The source takes the obstacle's center: the same unless it turns. The normal is the face's, or across both
 * edges, at the start of the step; of planes and round shapes that of their surface.
 *
 * In that frame normal momentum sums to zero and is conserved. Friction on each vertex depends on its own |vN|:
 * tangential and angular momentum are not conserved. The source has no rigid bodies: here a rigid body enters the
 * center of mass as one more vertex at the contact, with its effective mass along and across the contact's normal, and
 * receives the opposite of the vertices' impulse. With it momentum is conserved. */
#include "response/classic.h"
#include "response/rigid_contact.h"

v3 mus_response_normal(const mus_assembly *a, const mus_contact_constraint *constraint) {
    if (constraint->plane || constraint->is_exact) return constraint->normal;
    const int32_t *v = constraint->vertex;
    const v3 *x = a->x0;
    v3 n = constraint->edge_edge ? v3_cross(v3_sub(x[v[1]], x[v[0]]), v3_sub(x[v[3]], x[v[2]]))
                                 : v3_cross(v3_sub(x[v[2]], x[v[1]]), v3_sub(x[v[3]], x[v[1]]));
    return v3_length2(n) > 0 ? v3_normalized(n) : constraint->normal; /* parallel edges have none */
}

/* Frame of the vertices, whose free mass and momentum are given, and the body's effective masses. */
static v3 frame_with_rigid_body(const mus_response_context *context, const mus_contact_constraint *constraint,
                                double free, v3 momentum) {
    mus_contact_inverse_mass inverse_effective_mass = mus_contact_rigid_inverse_mass(context->assembly, constraint, 0);
    v3 n = constraint->normal, surface = mus_response_surface_motion(context, constraint);
    double mass = 1 / inverse_effective_mass.normal, slips = 1 / inverse_effective_mass.tangent;
    v3 across = v3_scale(1 / (free + slips), v3_axpy(slips, surface, momentum));
    double along = (v3_dot(n, momentum) + mass * v3_dot(n, surface)) / (free + mass);
    return v3_axpy(along - v3_dot(n, across), n, across);
}

v3 mus_response_frame(const mus_response_context *context, const mus_contact_constraint *constraint) {
    const mus_assembly *a = context->assembly;
    bool obstacle = a->objects[constraint->object[0]].obstacle || a->objects[constraint->object[1]].obstacle;
    double free = 0, pinned_count = 0;
    v3 momentum = v3_make(0, 0, 0), carried = momentum;
    if (obstacle && !constraint->has_rigid_body) return mus_response_surface_motion(context, constraint);
    for (int k = 0; k < (constraint->plane ? 1 : 4); k++) {
        int32_t i = constraint->vertex[k];
        if (i >= a->cloth_vertex_count) continue;
        v3 by = v3_sub(a->x1[i], a->x0[i]);
        double w = a->inverse_mass[i];
        if (w > 0)
            free += 1 / w, momentum = v3_axpy(1 / w, by, momentum);
        else
            pinned_count += 1, carried = v3_add(carried, by);
    }
    if (pinned_count > 0) return v3_scale(1 / pinned_count, carried);
    return obstacle ? frame_with_rigid_body(context, constraint, free, momentum) : v3_scale(1 / free, momentum);
}

static void resolve_hit(const mus_response_context *context, mus_contact_constraint *constraint) {
    const mus_assembly *a = context->assembly;
    v3 n = mus_response_normal(a, constraint), frame = mus_response_frame(context, constraint);
    for (int k = 0; k < (constraint->plane ? 1 : 4); k++) {
        int32_t i = constraint->vertex[k];
        if (!(a->inverse_mass[i] > 0)) continue;
        v3 v = v3_sub(v3_sub(a->x1[i], a->x0[i]), frame), vn = v3_scale(v3_dot(v, n), n), vt = v3_sub(v, vn);
        double slides = v3_length(vt), friction_limit = constraint->friction * v3_length(vn);
        v3 after = v3_scale(-constraint->restitution, vn);
        if (slides >= friction_limit && slides > 0) after = v3_axpy(1 - friction_limit / slides, vt, after);
        mus_response_move_vertex(context, constraint, k, v3_sub(after, v));
    }
    mus_response_stop_rigid_body(context, constraint);
}

const mus_classic_response mus_response_provot = {
    .name = "provot", .rounds = 1, .strain_last = false, .strain_rounds = 0, .resolve_hit = resolve_hit};
