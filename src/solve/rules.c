/* rules.c: contacts as users see them, and users' rules. */
#include "base/word.h"
#include "model/order.h"
#include "response/levers.h"
#include "solve/solver.h"
#include "trace/program.h"

#include <stdio.h>
#include <string.h>

void mus_solver_name_feature(const mus_solver *s, int32_t vertex, char *text, size_t size) {
    const mus_body *body = &s->assembly.bodies[s->assembly.body_of[vertex]];
    if (body->cloth)
        snprintf(text, size, "vertex %d of cloth '%s'", mus_cloth_given_vertex(body->cloth, vertex - body->first) + 1,
                 body->cloth->name);
    else
        snprintf(text, size, "obstacle '%s'", body->obstacle->name);
}

/* Side 1 of a contact is cloth: where side A is an obstacle the sides change places. */
bool mus_solver_swapped(const mus_solver *s, const mus_row *row) {
    return s->assembly.bodies[row->body[0]].obstacle != NULL;
}

static int corners(const mus_row *row) {
    return row->plane ? 1 : 4;
}

/* 0 or 1, of corner k. */
static int side_of(const mus_row *row, int k, bool swap) {
    return (mus_row_side(row, k) == 0) != swap ? 0 : 1;
}

void mus_solver_look(const mus_solver *s, const mus_row *row, bool points, mus_sight *sight) {
    const mus_assembly *a = &s->assembly;
    bool swap = mus_solver_swapped(s, row);
    double sign = swap ? -1 : 1;
    v3 relative = v3_make(0, 0, 0);
    for (int k = 0; k < corners(row); k++) relative = v3_axpy(row->weight[k], a->x1[row->vertex[k]], relative);
    if (row->levered) relative = v3_add(relative, mus_row_lever_motion(a, row));
    sight->velocity = v3_scale(sign / s->dt, v3_sub(relative, row->rest));
    sight->distance = row->gap0;
    bool later = row->toi > 0 && !row->plane;
    if (!points && !later) return;
    v3 *point = sight->point;
    point[0] = point[1] = v3_make(0, 0, 0);
    for (int k = 0; k < corners(row); k++) {
        int32_t i = row->vertex[k];
        int side = side_of(row, k, swap);
        point[side] = v3_axpy(fabs(row->weight[k]), v3_lerp(a->x0[i], a->x1[i], row->toi), point[side]);
    }
    if (later) sight->distance = v3_dot(row->normal, v3_sub(point[swap], point[!swap])) - row->offset;
    if (row->plane) point[1] = v3_axpy(-row->gap0, row->normal, point[0]);
}

void mus_solver_contact(const mus_solver *s, const mus_row *row, mus_contact *contact) {
    const mus_assembly *a = &s->assembly;
    bool swap = mus_solver_swapped(s, row);
    double sign = swap ? -1 : 1;
    *contact = (mus_contact){.kind = row->plane       ? MUS_PAIR_VERTEX_PLANE
                                     : row->edge_edge ? MUS_PAIR_EDGE_EDGE
                                                      : MUS_PAIR_VERTEX_FACE,
                             .friction = row->friction,
                             .restitution = row->restitution,
                             .mass = row->mass,
                             .dt = s->dt,
                             .toi = row->toi * s->dt,
                             .time = s->time};
    for (int side = 0; side < 2; side++) {
        int32_t body = row->body[swap ? 1 - side : side];
        contact->object[side] = body < a->cloth_count ? body : -1 - (body - a->cloth_count);
    }
    for (int k = 0; k < 4; k++) {
        int32_t i = row->vertex[k];
        contact->vertices[k] = -1;
        if (k >= corners(row)) continue;
        const mus_body *body = &a->bodies[a->body_of[i]];
        contact->vertices[k] = body->cloth ? mus_cloth_given_vertex(body->cloth, i - body->first) : i - body->first;
        contact->side[k] = (int8_t)side_of(row, k, swap);
        contact->weights[k] = sign * row->weight[k];
    }
    mus_sight sight;
    mus_solver_look(s, row, true, &sight);
    v3_store(contact->point[0], sight.point[0]);
    v3_store(contact->point[1], sight.point[1]);
    v3_store(contact->normal, v3_scale(sign, row->normal));
    v3_store(contact->velocity, sight.velocity);
    contact->distance = sight.distance;
    contact->gap = sight.distance - row->thickness;
    contact->start_gap = row->gap0 - row->thickness;
    v3 impulse = v3_axpy(row->push, row->normal, row->drag);
    impulse = v3_axpy(row->bounce, row->normal, v3_scale(1 / s->dt, impulse));
    v3_store(contact->impulse, v3_scale(sign, impulse));
}

/* N s, on side A. */
static void book(const mus_solver *s, mus_row *row, v3 on_a) {
    row->push = fmax(0, v3_dot(on_a, row->normal)) * s->dt;
    row->drag = v3_scale(s->dt, v3_axpy(-v3_dot(on_a, row->normal), row->normal, on_a));
}

void mus_solver_give(mus_solver *s, mus_row *row, v3 first, v3 second) {
    const mus_assembly *a = &s->assembly;
    bool swap = mus_solver_swapped(s, row);
    for (int k = 0; k < corners(row); k++) {
        int32_t i = row->vertex[k];
        double share = fabs(row->weight[k]) * a->inverse_mass[i] * s->dt;
        if (share != 0) mus_solver_move(s, i, v3_scale(share, side_of(row, k, swap) == 0 ? first : second));
    }
    v3 on_a = swap ? second : first, on_b = swap ? first : second;
    if (row->levered) mus_row_lever_give(a, row, v3_scale(s->dt, on_a), v3_scale(s->dt, on_b));
    book(s, row, on_a);
}

/* ---- Rules of nodes: Provot 1997, eq. 4 ---- */

v3 mus_solver_node_frame(mus_solver *s, const mus_row *row, v3 *normal) {
    mus_answer answer = {.assembly = &s->assembly, .dt = s->dt};
    v3 n = mus_answer_normal(&s->assembly, row);
    bool against = v3_dot(n, row->normal) < 0;
    *normal = against != mus_solver_swapped(s, row) ? v3_neg(n) : n;
    return mus_answer_frame(&answer, row);
}

bool mus_solver_node_velocity(const mus_solver *s, const mus_row *row, int corner, v3 frame, v3 *velocity) {
    const mus_assembly *a = &s->assembly;
    int32_t i = row->vertex[corner];
    if (i >= a->cloth_vertex_count || !(a->inverse_mass[i] > 0)) return false;
    *velocity = v3_scale(1 / s->dt, v3_sub(v3_sub(a->x1[i], a->x0[i]), frame));
    return true;
}

void mus_solver_node_set(mus_solver *s, const mus_row *row, int corner, v3 before, v3 after, v3 given[2]) {
    int32_t i = row->vertex[corner];
    v3 change = v3_sub(after, before);
    mus_solver_move(s, i, v3_scale(s->dt, change));
    v3 *to = &given[side_of(row, corner, mus_solver_swapped(s, row))];
    *to = v3_axpy(1 / s->assembly.inverse_mass[i], change, *to);
}

void mus_solver_node_book(mus_solver *s, mus_row *row, const v3 given[2]) {
    const mus_assembly *a = &s->assembly;
    bool swap = mus_solver_swapped(s, row), alone = a->bodies[row->body[!swap]].obstacle != NULL;
    v3 second = alone ? v3_neg(given[0]) : given[1]; /* an obstacle takes what cloth gives */
    v3 on_a = swap ? second : given[0], on_b = swap ? given[0] : second;
    v3 none = v3_make(0, 0, 0);
    if (row->levered)
        mus_row_lever_give(a, row, swap ? v3_scale(s->dt, on_a) : none, swap ? none : v3_scale(s->dt, on_b));
    book(s, row, on_a);
}

/* ---- One after the other ---- */

mus_status mus_solver_rule_not_finite(const mus_solver *s, const mus_row *row, v3 first, v3 second) {
    const mus_solver_response *r = &s->responses[row->response];
    v3 wrong = v3_finite(first) ? second : first;
    const char *what = r->per_node        ? "a node's new velocity"
                       : v3_finite(first) ? "the impulse on side 2"
                                          : "the impulse on side 1";
    char feature[2][160];
    mus_solver_name_feature(s, row->vertex[0], feature[0], sizeof feature[0]);
    if (row->plane)
        snprintf(feature[1], sizeof feature[1], "obstacle '%s'", s->assembly.bodies[row->body[1]].obstacle->name);
    else
        mus_solver_name_feature(s, row->vertex[3], feature[1], sizeof feature[1]);
    const char *form = "response rule: %s must be finite (got {%s, %s, %s} %s between %s and %s, t = %g s); keep "
                       "divisors and roots off 0";
    mus_number_word x = mus_word_of_number(wrong.x), y = mus_word_of_number(wrong.y), z = mus_word_of_number(wrong.z);
    const char *unit = r->per_node ? "m/s" : "N s", *p = feature[0], *q = feature[1];
    if (r->callback == mus_program_rule)
        return mus_program_fail(r->user, form, what, x.text, y.text, z.text, unit, p, q, s->time);
    return mus_fail(MUS_STATUS_INVALID, form, what, x.text, y.text, z.text, unit, p, q, s->time);
}

static mus_status apply_to_nodes(mus_solver *s, mus_row *row, const mus_contact *contact) {
    const mus_solver_response *r = &s->responses[row->response];
    v3 normal, frame = mus_solver_node_frame(s, row, &normal), given[2] = {{0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < corners(row); k++) {
        v3 velocity;
        if (!mus_solver_node_velocity(s, row, k, frame, &velocity)) continue;
        mus_contact node = *contact;
        double result[2][3] = {{0, 0, 0}, {NAN, NAN, NAN}};
        v3_store(node.normal, normal);
        v3_store(node.velocity, velocity);
        node.mass = 1 / s->assembly.inverse_mass[row->vertex[k]];
        mus_status status = r->callback(r->user, &node, result);
        if (status != MUS_STATUS_OK) return status;
        v3 after = v3_load(result[0]);
        if (!v3_finite(after)) return mus_solver_rule_not_finite(s, row, after, after);
        mus_solver_node_set(s, row, k, velocity, after, given);
    }
    mus_solver_node_book(s, row, given);
    return MUS_STATUS_OK;
}

static mus_status apply(mus_solver *s, mus_row *row) {
    const mus_solver_response *r = &s->responses[row->response];
    mus_contact contact;
    mus_solver_contact(s, row, &contact);
    if (r->per_node) return apply_to_nodes(s, row, &contact);
    double impulse[2][3] = {{0, 0, 0}, {NAN, NAN, NAN}};
    mus_status status = r->callback(r->user, &contact, impulse);
    if (status != MUS_STATUS_OK) return status;
    v3 first = v3_load(impulse[0]), second = v3_load(impulse[1]);
    if (isnan(second.x) && isnan(second.y) && isnan(second.z)) second = v3_neg(first);
    if (!v3_finite(first) || !v3_finite(second)) return mus_solver_rule_not_finite(s, row, first, second);
    mus_solver_give(s, row, first, second);
    return MUS_STATUS_OK;
}

mus_status mus_solver_apply_rules(mus_solver *s, mus_row_list *rows, int64_t first) {
    bool any = false, programs = true;
    int64_t pairs = (int64_t)s->assembly.body_count * s->assembly.body_count;
    for (int64_t k = 0; k < pairs; k++) {
        int32_t response = s->response_of[k];
        if (response < 0 || !s->responses[response].callback) continue;
        any = true;
        programs &= s->responses[response].callback == mus_program_rule;
    }
    if (any && programs) return mus_solver_run_programs(s, rows, first);
    for (int64_t k = first; any && k < rows->count; k++) {
        mus_row *row = &rows->data[k];
        if (row->response < 0) continue;
        mus_status status = apply(s, row);
        if (status != MUS_STATUS_OK) return status;
    }
    return MUS_STATUS_OK;
}

void mus_solver_choose_response(const mus_solver *s, mus_row *row) {
    mus_coefficients_choose(&s->coefficients, &s->assembly, row);
    row->response = s->response_of[row->body[0] * s->assembly.body_count + row->body[1]];
    if (row->response < 0) return;
    const mus_solver_response *r = &s->responses[row->response];
    if (r->friction >= 0) row->friction = r->friction;
    if (r->restitution >= 0) row->restitution = r->restitution;
    /* a rule is about cloth */
    bool cloth = row->body[0] < s->assembly.cloth_count || row->body[1] < s->assembly.cloth_count;
    if (!r->callback || !cloth) row->response = -1;
}
