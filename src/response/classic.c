/* classic.c: shared by the classic responses: motion at a contact, and impulses on its vertices. */
#include "response/classic.h"
#include "response/rigid_contact.h"

static int corners(const mus_contact_constraint *constraint) {
    return constraint->plane ? 1 : 4;
}

v3 mus_response_slip(const mus_response_context *context, const mus_contact_constraint *constraint) {
    v3 sum = v3_neg(constraint->rest);
    for (int k = 0; k < corners(constraint); k++)
        sum = v3_axpy(constraint->weight[k], context->assembly->x1[constraint->vertex[k]], sum);
    return constraint->has_rigid_body ? v3_add(sum, mus_contact_rigid_motion(context->assembly, constraint)) : sum;
}

v3 mus_response_surface_motion(const mus_response_context *context, const mus_contact_constraint *constraint) {
    const mus_assembly *a = context->assembly;
    v3 other = mus_response_slip(context, constraint); /* minus the motion of the cloth's side */
    for (int k = 0; k < corners(constraint); k++) {
        int32_t i = constraint->vertex[k];
        if (i < a->cloth_vertex_count) other = v3_axpy(-constraint->weight[k], v3_sub(a->x1[i], a->x0[i]), other);
    }
    return a->objects[constraint->object[0]].obstacle ? other : v3_neg(other);
}

/* Adds `impulse` (times dt, on side A) to the sums of the constraint and applies it to its rigid bodies. */
static void record_impulse(const mus_assembly *a, mus_contact_constraint *constraint, v3 impulse) {
    double along = v3_dot(impulse, constraint->normal);
    constraint->normal_impulse += along;
    constraint->friction_impulse = v3_add(constraint->friction_impulse, v3_axpy(-along, constraint->normal, impulse));
    if (constraint->has_rigid_body) mus_contact_apply_rigid_impulse(a, constraint, impulse, v3_neg(impulse));
}

static void shift_vertex(const mus_response_context *context, int32_t i, v3 by) {
    mus_assembly *a = context->assembly;
    a->x1[i] = v3_add(a->x1[i], by);
    a->v1[i] = v3_axpy(1 / context->dt, by, a->v1[i]);
    context->moved(context->moved_context, i);
}

/* Records the impulse of a vertex' change of displacement: of side A, or of side B where A is an obstacle. Between
 * cloths, both sides change and only side A is recorded. */
static void book_vertex(const mus_assembly *a, mus_contact_constraint *constraint, int corner, v3 by) {
    bool side_a = mus_contact_side(constraint, corner) == 0;
    if (side_a == (a->objects[constraint->object[0]].obstacle != NULL)) return;
    record_impulse(a, constraint, v3_scale((side_a ? 1 : -1) / a->inverse_mass[constraint->vertex[corner]], by));
}

void mus_response_set_vertex(const mus_response_context *context, mus_contact_constraint *constraint, int corner, v3 x,
                             v3 v) {
    mus_assembly *a = context->assembly;
    int32_t i = constraint->vertex[corner];
    book_vertex(a, constraint, corner, v3_scale(context->dt, v3_sub(v, a->v1[i])));
    a->x1[i] = x, a->v1[i] = v;
    context->moved(context->moved_context, i);
}

void mus_response_move_vertex(const mus_response_context *context, mus_contact_constraint *constraint, int corner,
                              v3 by) {
    const mus_assembly *a = context->assembly;
    int32_t i = constraint->vertex[corner];
    if (!(a->inverse_mass[i] > 0)) return;
    book_vertex(a, constraint, corner, by);
    shift_vertex(context, i, by);
}

void mus_response_apply_impulse(const mus_response_context *context, mus_contact_constraint *constraint, v3 impulse) {
    const mus_assembly *a = context->assembly;
    for (int k = 0; k < corners(constraint); k++) {
        double share = constraint->weight[k] * a->inverse_mass[constraint->vertex[k]];
        if (share != 0) shift_vertex(context, constraint->vertex[k], v3_scale(share, impulse));
    }
    record_impulse(a, constraint, impulse);
}

void mus_response_separate(const mus_response_context *context, mus_contact_constraint *constraint, double change) {
    if (!(change > 0)) return;
    v3 slip = mus_response_slip(context, constraint),
       tangent = v3_axpy(-v3_dot(constraint->normal, slip), constraint->normal, slip);
    double length = v3_length(tangent);
    v3 by = v3_scale(change, constraint->normal);
    if (length > 0)
        by = v3_axpy(-fmin(constraint->friction * change / length, constraint->tangent_mass / constraint->mass),
                     tangent, by);
    mus_response_apply_impulse(context, constraint, v3_scale(constraint->mass, by));
}

void mus_response_apply_pin_reaction(const mus_response_context *context, mus_contact_constraint *constraint,
                                     int corner, v3 impulse) {
    if (constraint->has_rigid_body)
        record_impulse(context->assembly, constraint,
                       mus_contact_side(constraint, corner) == 0 ? impulse : v3_neg(impulse));
}

void mus_response_stop_rigid_body(const mus_response_context *context, mus_contact_constraint *constraint) {
    const mus_assembly *a = context->assembly;
    bool pinned = false;
    for (int k = 0; k < corners(constraint); k++)
        pinned |= constraint->vertex[k] < a->cloth_vertex_count && !(a->inverse_mass[constraint->vertex[k]] > 0);
    if (!constraint->has_rigid_body || !pinned) return;
    mus_response_separate(context, constraint,
                          -(1 + constraint->restitution) *
                              v3_dot(constraint->normal, mus_response_slip(context, constraint)));
}

static void respond_after_placement(const mus_response_context *context, mus_contact_constraint *constraint,
                                    mus_response_rule *rule) {
    mus_contact_constraint with_fixed_bodies = mus_contact_with_fixed_bodies(context->assembly, constraint);
    if (!(with_fixed_bodies.mass > 0)) return;
    rule(context, &with_fixed_bodies);
    v3 applied_impulse = v3_axpy(with_fixed_bodies.normal_impulse - constraint->normal_impulse, constraint->normal,
                                 v3_sub(with_fixed_bodies.friction_impulse, constraint->friction_impulse));
    mus_contact_defer_rigid_impulse(context->assembly, constraint, applied_impulse, v3_neg(applied_impulse));
    constraint->normal_impulse = with_fixed_bodies.normal_impulse,
    constraint->friction_impulse = with_fixed_bodies.friction_impulse;
}

/* Returns whether a corner on cloth rests on something that opposes its contact impulse. */
static bool is_backed(const mus_response_context *context, const mus_contact_constraint *constraint, int corner) {
    static const double opposite = 0.5; /* cosine */
    int32_t i = constraint->vertex[corner];
    if (!context->support || i >= context->assembly->cloth_vertex_count) return false;
    return v3_dot(context->support[i], constraint->normal) * (mus_contact_side(constraint, corner) == 0 ? -1 : 1) >
           opposite;
}

/* Guendelman, Bridson & Fedkiw 2003, "Nonconvex rigid bodies with stacking", 8: cloth supported by something
 * immovable has infinite mass in contacts from above. */
static void respond_supported(const mus_response_context *context, mus_contact_constraint *constraint,
                              mus_response_rule *rule) {
    mus_assembly *a = context->assembly;
    double own[4];
    bool any = false;
    for (int k = 0; k < 4; k++) {
        own[k] = a->inverse_mass[constraint->vertex[k]];
        if (!is_backed(context, constraint, k)) continue;
        a->inverse_mass[constraint->vertex[k]] = 0;
        any = true;
    }
    if (any) mus_contact_set_masses(a, constraint);
    rule(context, constraint);
    for (int k = 0; k < 4; k++) a->inverse_mass[constraint->vertex[k]] = own[k];
    if (any) mus_contact_set_masses(a, constraint);
}

void mus_response_apply(const mus_response_context *context, mus_contact_constraint *constraint,
                        mus_response_rule *rule) {
    if (!constraint->has_rigid_body)
        rule(context, constraint);
    else if (context->settled)
        respond_after_placement(context, constraint, rule);
    else
        respond_supported(context, constraint, rule);
}
