/* aabb.c: AAB 6: vertices inside a solid, or nearer to it than the thickness h, are moved out. With X' the point where
 * the ray from the old position of a vertex through the new one hits the face:
 *
 *   X' nearer to the old position than the new one:  X' + h * unit(old - X')   (the source's direction is misprinted)
 *   else nearer to X' than h:                        out to h along the face's normal; or, as the source has it, along
 *                                                    the ray to X' + h * unit(old - X'), which clears only h cos
 *
 * Velocities are displacements over dt (the source's are Verlet's); no friction, no restitution. Planes and round
 * shapes move cloth out to h along their normal. The source has neither cloth-cloth collisions (those pairs are left as
 * they are, and counted) nor rigid bodies: the displacement is shared with a rigid body by effective mass, and the body
 * gets the impulse of the cloth's share; deep penetrations of it are resolved over several steps. */
#include "response/classic.h"

/* Moves the sides apart by `way` along the unit n; with a rigid body at most by what stops the approach and restores
 * the gap at the recovery speed. */
static void put_out(const mus_response_context *context, mus_contact_constraint *constraint, double way, v3 n) {
    v3 slip = mus_response_slip(context, constraint);
    double most = fmax(0, -v3_dot(n, slip)) + mus_recovery_speed(constraint->thickness) * context->dt;
    if (constraint->has_rigid_body) way = fmin(way, most);
    if (way > 0) mus_response_apply_impulse(context, constraint, v3_scale(way * constraint->mass, n));
}

static void out_of_surface(const mus_response_context *context, mus_contact_constraint *constraint) {
    v3 now = v3_add(mus_response_slip(context, constraint), constraint->rest);
    put_out(context, constraint, constraint->thickness - (v3_dot(constraint->normal, now) - constraint->offset),
            constraint->normal);
}

static void resolve_hit(const mus_response_context *context, mus_contact_constraint *constraint, bool along_ray) {
    const mus_assembly *a = context->assembly;
    if (a->objects[constraint->object[0]].cloth && a->objects[constraint->object[1]].cloth) return;
    if (constraint->plane || constraint->is_exact || constraint->edge_edge ||
        a->objects[constraint->object[0]].obstacle) {
        out_of_surface(context, constraint);
        return;
    }
    const int32_t *v = constraint->vertex;
    v3 old = a->x0[v[0]], hit = v3_make(0, 0, 0), now = a->x1[v[0]];
    for (int k = 1; k < 4; k++) {
        old = v3_axpy(1.0 / 3, v3_sub(a->x1[v[k]], a->x0[v[k]]), old);
        hit = v3_axpy(-constraint->weight[k], a->x1[v[k]], hit);
    }
    v3 back = v3_sub(old, hit);
    double length = v3_length(back);
    back = length > 0 ? v3_scale(1 / length, back) : constraint->normal;
    v3 place = v3_axpy(constraint->thickness, back, hit);
    if (length >= v3_length(v3_sub(now, old)) && !along_ray) {
        double gap = v3_dot(constraint->normal, v3_sub(now, hit));
        place = v3_axpy(fmax(0, constraint->thickness - gap), constraint->normal, now);
    }
    v3 by = v3_sub(place, now);
    if (constraint->has_rigid_body)
        put_out(context, constraint, v3_length(by), v3_normalized(by));
    else
        mus_response_move_vertex(context, constraint, 0, by);
}

static void along_normal(const mus_response_context *context, mus_contact_constraint *constraint) {
    resolve_hit(context, constraint, false);
}
static void along_ray(const mus_response_context *context, mus_contact_constraint *constraint) {
    resolve_hit(context, constraint, true);
}
const mus_classic_response mus_response_aabb = {.name = "aabb", .rounds = 1, .bare = true, .resolve_hit = along_normal};
const mus_classic_response mus_response_aabb_ray = {
    .name = "aabb_ray", .rounds = 1, .bare = true, .resolve_hit = along_ray};
