/* rule_contact.c: a contact constraint in the form that users' rules and coefficients read, and changes by a rule. */
#include "trace/program.h"
#include "base/word.h"
#include "model/order.h"
#include "response/rigid_contact.h"
#include "solve/solver.h"

#include <stdio.h>

/* Side 1 of a contact is cloth: where side A is an obstacle, the sides are swapped. */
bool mus_solver_swapped(const mus_solver *s, const mus_contact_constraint *constraint) {
    return s->assembly.objects[constraint->object[0]].obstacle != NULL;
}

/* Side of corner k, 0 or 1. */
static int side_of(const mus_contact_constraint *constraint, int k, bool swap) {
    return (mus_contact_side(constraint, k) == 0) != swap ? 0 : 1;
}

void mus_solver_contact_state(const mus_solver *s, const mus_contact_constraint *constraint, bool points,
                              mus_contact_state *state) {
    const mus_assembly *a = &s->assembly;
    bool swap = mus_solver_swapped(s, constraint);
    double sign = swap ? -1 : 1;
    v3 relative = v3_make(0, 0, 0);
    for (int k = 0; k < mus_contact_corner_count(constraint); k++)
        relative = v3_axpy(constraint->weight[k], a->x1[constraint->vertex[k]], relative);
    if (constraint->has_rigid_body) relative = v3_add(relative, mus_contact_rigid_motion(a, constraint));
    state->velocity = v3_scale(sign / s->dt, v3_sub(relative, constraint->rest));
    state->distance = constraint->gap0;
    bool later = constraint->toi > 0 && !constraint->plane;
    if (!points && !later) return;
    v3 *point = state->point;
    point[0] = point[1] = v3_make(0, 0, 0);
    for (int k = 0; k < mus_contact_corner_count(constraint); k++) {
        int32_t i = constraint->vertex[k];
        int side = side_of(constraint, k, swap);
        point[side] = v3_axpy(fabs(constraint->weight[k]), v3_lerp(a->x0[i], a->x1[i], constraint->toi), point[side]);
    }
    if (later) state->distance = v3_dot(constraint->normal, v3_sub(point[swap], point[!swap])) - constraint->offset;
    if (constraint->plane) point[1] = v3_axpy(-constraint->gap0, constraint->normal, point[0]);
}

void mus_solver_contact(const mus_solver *s, const mus_contact_constraint *constraint, mus_contact *contact) {
    const mus_assembly *a = &s->assembly;
    bool swap = mus_solver_swapped(s, constraint);
    double sign = swap ? -1 : 1;
    *contact = (mus_contact){.kind = constraint->plane       ? MUS_PAIR_VERTEX_PLANE
                                     : constraint->edge_edge ? MUS_PAIR_EDGE_EDGE
                                                             : MUS_PAIR_VERTEX_FACE,
                             .friction = constraint->friction,
                             .restitution = constraint->restitution,
                             .mass = constraint->mass,
                             .dt = s->dt,
                             .toi = constraint->toi * s->dt,
                             .time = s->time};
    for (int side = 0; side < 2; side++)
        contact->object[side] = a->objects[constraint->object[swap ? 1 - side : side]].id;
    for (int k = 0; k < 4; k++) {
        int32_t i = constraint->vertex[k];
        contact->vertices[k] = -1;
        if (k >= mus_contact_corner_count(constraint)) continue;
        const mus_object *object = &a->objects[a->object_of[i]];
        contact->vertices[k] =
            object->cloth ? mus_cloth_given_vertex(object->cloth, i - object->first) : i - object->first;
        contact->side[k] = (int8_t)side_of(constraint, k, swap);
        contact->weights[k] = sign * constraint->weight[k];
    }
    mus_contact_state state;
    mus_solver_contact_state(s, constraint, true, &state);
    v3_store(contact->point[0], state.point[0]);
    v3_store(contact->point[1], state.point[1]);
    v3_store(contact->normal, v3_scale(sign, constraint->normal));
    v3_store(contact->velocity, state.velocity);
    contact->distance = state.distance;
    contact->gap = state.distance - constraint->thickness;
    contact->start_gap = constraint->gap0 - constraint->thickness;
    v3 impulse = v3_axpy(constraint->normal_impulse, constraint->normal, constraint->friction_impulse);
    impulse = v3_axpy(constraint->bounce, constraint->normal, v3_scale(1 / s->dt, impulse));
    v3_store(contact->impulse, v3_scale(sign, impulse));
}

/* Stores an impulse on side A, N s. */
static void store_impulse(const mus_solver *s, mus_contact_constraint *constraint, v3 on_a) {
    constraint->normal_impulse = fmax(0, v3_dot(on_a, constraint->normal)) * s->dt;
    constraint->friction_impulse =
        v3_scale(s->dt, v3_axpy(-v3_dot(on_a, constraint->normal), constraint->normal, on_a));
}

void mus_solver_apply_rule_impulses(mus_solver *s, mus_contact_constraint *constraint, v3 first, v3 second) {
    const mus_assembly *a = &s->assembly;
    bool swap = mus_solver_swapped(s, constraint);
    for (int k = 0; k < mus_contact_corner_count(constraint); k++) {
        int32_t i = constraint->vertex[k];
        double share = fabs(constraint->weight[k]) * a->inverse_mass[i] * s->dt;
        if (share != 0) mus_solver_move(s, i, v3_scale(share, side_of(constraint, k, swap) == 0 ? first : second));
    }
    v3 on_a = swap ? second : first, on_b = swap ? first : second;
    if (constraint->has_rigid_body)
        mus_contact_apply_rigid_impulse(a, constraint, v3_scale(s->dt, on_a), v3_scale(s->dt, on_b));
    store_impulse(s, constraint, on_a);
}

v3 mus_solver_node_frame(mus_solver *s, const mus_contact_constraint *constraint, v3 *normal) {
    mus_response_context context = {.assembly = &s->assembly, .dt = s->dt};
    v3 n = mus_response_normal(&s->assembly, constraint);
    bool against = v3_dot(n, constraint->normal) < 0;
    *normal = against != mus_solver_swapped(s, constraint) ? v3_neg(n) : n;
    return mus_response_frame(&context, constraint);
}

bool mus_solver_node_velocity(const mus_solver *s, const mus_contact_constraint *constraint, int corner, v3 frame,
                              v3 *velocity) {
    const mus_assembly *a = &s->assembly;
    int32_t i = constraint->vertex[corner];
    if (i >= a->cloth_vertex_count || !(a->inverse_mass[i] > 0)) return false;
    *velocity = v3_scale(1 / s->dt, v3_sub(v3_sub(a->x1[i], a->x0[i]), frame));
    return true;
}

void mus_solver_node_set(mus_solver *s, const mus_contact_constraint *constraint, int corner, v3 before, v3 after,
                         v3 side_impulse[2]) {
    int32_t i = constraint->vertex[corner];
    v3 change = v3_sub(after, before);
    mus_solver_move(s, i, v3_scale(s->dt, change));
    v3 *to = &side_impulse[side_of(constraint, corner, mus_solver_swapped(s, constraint))];
    *to = v3_axpy(1 / s->assembly.inverse_mass[i], change, *to);
}

void mus_solver_node_book(mus_solver *s, mus_contact_constraint *constraint, const v3 side_impulse[2]) {
    const mus_assembly *a = &s->assembly;
    bool swap = mus_solver_swapped(s, constraint), alone = a->objects[constraint->object[!swap]].obstacle != NULL;
    v3 second = alone ? v3_neg(side_impulse[0]) : side_impulse[1]; /* an obstacle gets the reaction of cloth */
    v3 on_a = swap ? second : side_impulse[0], on_b = swap ? side_impulse[0] : second;
    v3 none = v3_make(0, 0, 0);
    if (constraint->has_rigid_body)
        mus_contact_apply_rigid_impulse(a, constraint, swap ? v3_scale(s->dt, on_a) : none,
                                        swap ? none : v3_scale(s->dt, on_b));
    store_impulse(s, constraint, on_a);
}

mus_status mus_solver_rule_not_finite(const mus_solver *s, const mus_contact_constraint *constraint, v3 first,
                                      v3 second) {
    const mus_solver_response *r = &s->responses[constraint->response];
    v3 wrong = v3_finite(first) ? second : first;
    const char *what = r->per_node        ? "a node's new velocity"
                       : v3_finite(first) ? "the impulse on side 2"
                                          : "the impulse on side 1";
    char feature[2][160];
    mus_solver_name_feature(s, constraint->vertex[0], feature[0], sizeof feature[0]);
    if (constraint->plane)
        snprintf(feature[1], sizeof feature[1], "obstacle '%s'",
                 s->assembly.objects[constraint->object[1]].obstacle->name);
    else
        mus_solver_name_feature(s, constraint->vertex[3], feature[1], sizeof feature[1]);
    const char *form = "response rule: %s must be finite (got {%s, %s, %s} %s between %s and %s, t = %g s); keep "
                       "divisors and roots off 0";
    mus_number_word x = mus_word_of_number(wrong.x), y = mus_word_of_number(wrong.y), z = mus_word_of_number(wrong.z);
    const char *unit = r->per_node ? "m/s" : "N s", *p = feature[0], *q = feature[1];
    if (r->rule.kind == MUS_LAW_PROGRAM)
        return mus_program_fail(r->rule.program, form, what, x.text, y.text, z.text, unit, p, q, s->time);
    return mus_fail(MUS_STATUS_INVALID, form, what, x.text, y.text, z.text, unit, p, q, s->time);
}
