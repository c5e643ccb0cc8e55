/* bridson.c: Bridson, Fedkiw & Anderson 2002, sections 7.2-7.4, in the reading of BRI 2.2-2.4, with the signs derived:
 * n from side B to side A, vN = n.(vA - vB), S = sum w^2/m over both sides, d = thickness less the gap at the start.
 *
 *   vN < 0:            dv = -vN                                      inelastic; of hits, -(1 + restitution) vN
 *   d > 0:             dv += min(dt k d S, 0.1 d/dt - vN)            where positive; vN after the first part
 *   friction:          |vT| shrinks by friction * dv, not past zero
 *
 * and J = dv/S along n on side A, by its weights, -J on side B: momentum is conserved. k is the stretch stiffness of
 * the material (N/m; of two cloths the softer's). A rigid body adds 1/m + ((I^-1 (r x n)) x r).n to S. Its tangential
 * effective mass may be smaller than its normal one: friction takes at most the impulse that stops the slip.
 *
 * The source applies the repulsions once: for a sheet that lies on another, half of its fall in a step is left after
 * that, and only 0.1 d is restored per step. The tested form applies them sixteen times, with a sixteenth of k each. */
#include "response/classic.h"

static double stiffness(const mus_assembly *a, const mus_contact_constraint *constraint) {
    double k = INFINITY;
    for (int side = 0; side < 2; side++) {
        const mus_cloth *cloth = a->objects[constraint->object[side]].cloth;
        if (cloth) k = fmin(k, cloth->material.stretch);
    }
    return k;
}

/* Computed with displacements over the step: changes, vN and vT are times dt here. */
static void impulse(const mus_response_context *context, mus_contact_constraint *constraint, double restitution) {
    double dt = context->dt, speed = v3_dot(constraint->normal, mus_response_slip(context, constraint)), change = 0;
    if (speed < 0) change = -(1 + restitution) * speed;
    double missing = constraint->thickness - constraint->gap0, left = 0.1 * missing - (speed + change);
    double spring =
        dt * dt * stiffness(context->assembly, constraint) * missing / constraint->mass / (1 + context->again);
    if (missing > 0 && left > 0) change += fmin(spring, left);
    mus_response_separate(context, constraint, change);
}

/* A rigid body that arrives from beyond the thickness is stopped at it: otherwise a resting body would hop by one
 * step's fall where repulsion ends. */
static void repel(const mus_response_context *context, mus_contact_constraint *constraint) {
    if (constraint->gap0 < constraint->thickness)
        impulse(context, constraint, 0);
    else if (constraint->has_rigid_body)
        mus_response_separate(context, constraint,
                              constraint->thickness - constraint->gap0 -
                                  v3_dot(constraint->normal, mus_response_slip(context, constraint)));
}

static void resolve_hit(const mus_response_context *context, mus_contact_constraint *constraint) {
    impulse(context, constraint, constraint->restitution);
}

/* Pairs whose velocities do not lead to the minimum gap are displaced to it, further in later rounds so that a stack
 * spreads. Displacements change velocities, too; the excess is removed at the end of the step. */
static void resolve_hit_to_gap(const mus_response_context *context, mus_contact_constraint *constraint) {
    impulse(context, constraint, 0);
    v3 now = v3_add(mus_response_slip(context, constraint), constraint->rest);
    double end = v3_dot(constraint->normal, now) - constraint->offset;
    double wanted = mus_restored_gap(constraint->thickness, constraint->gap0, context->min_gap, context->round);
    double by = fmax(wanted - end, context->round > 0 ? 0.3 * context->min_gap : 0);
    if (by > 0) mus_response_apply_impulse(context, constraint, v3_scale(by * constraint->mass, constraint->normal));
}

const mus_classic_response mus_response_bridson_source = {.name = "bridson_source",
                                                          .rounds = 5,
                                                          .strain_last = true,
                                                          .strain_rounds = 0,
                                                          .repel = repel,
                                                          .resolve_hit = resolve_hit};
const mus_classic_response mus_response_bridson_tested = {.name = "bridson_tested",
                                                          .rounds = 30,
                                                          .strain_last = false,
                                                          .strain_rounds = 6,
                                                          .retests = true,
                                                          .recovers = true,
                                                          .repel = repel,
                                                          .repel_again = 15,
                                                          .resolve_hit = resolve_hit_to_gap};
