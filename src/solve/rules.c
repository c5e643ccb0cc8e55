/* rules.c: contacts as users see them, and users' rules. */
#include "response/levers.h"
#include "solve/solver.h"

#include <stdio.h>
#include <string.h>

void mus_solver_name_feature(const mus_solver *s, int32_t vertex, char *text, size_t size) {
    const mus_body *body = &s->assembly.bodies[s->assembly.body_of[vertex]];
    if (body->cloth)
        snprintf(text, size, "vertex %d of cloth '%s'", vertex - body->first + 1, body->cloth->name);
    else
        snprintf(text, size, "obstacle '%s'", body->obstacle->name);
}

/* Side 1 of a contact is cloth: where side A is an obstacle the sides change places. */
static bool swapped(const mus_solver *s, const mus_row *row) {
    return s->assembly.bodies[row->body[0]].obstacle != NULL;
}

void mus_solver_contact(const mus_solver *s, const mus_row *row, mus_contact *contact) {
    const mus_assembly *a = &s->assembly;
    bool swap = swapped(s, row);
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
    v3 point[2] = {{0, 0, 0}, {0, 0, 0}}, relative = v3_make(0, 0, 0);
    for (int k = 0; k < 4; k++) {
        int32_t i = row->vertex[k];
        contact->vertices[k] = -1;
        if (row->plane && k > 0) continue;
        double w = row->weight[k];
        bool on_a = row->plane || (row->edge_edge ? k >= 2 : k == 0);
        int side = on_a != swap ? 0 : 1;
        contact->vertices[k] = i - a->bodies[a->body_of[i]].first;
        contact->side[k] = (int8_t)side;
        contact->weights[k] = sign * w;
        point[side] = v3_axpy(fabs(w), v3_lerp(a->x0[i], a->x1[i], row->toi), point[side]);
        relative = v3_axpy(w, a->x1[i], relative);
    }
    if (row->levered) relative = v3_add(relative, mus_row_lever_motion(a, row));
    v3 motion = v3_sub(relative, row->rest);
    double gap = row->toi > 0 ? v3_dot(row->normal, v3_sub(point[swap], point[!swap])) - row->offset : row->gap0;
    if (row->plane) {
        gap = row->gap0;
        point[1] = v3_axpy(-gap, row->normal, point[0]);
    }
    v3_store(contact->point[0], point[0]);
    v3_store(contact->point[1], point[1]);
    v3_store(contact->normal, v3_scale(sign, row->normal));
    v3_store(contact->velocity, v3_scale(sign / s->dt, motion));
    contact->distance = gap;
    contact->gap = gap - row->thickness;
    v3 impulse = v3_axpy(row->push, row->normal, row->drag);
    v3_store(contact->impulse, v3_scale(sign / s->dt, impulse));
}

static mus_status apply(mus_solver *s, mus_row *row) {
    mus_assembly *a = &s->assembly;
    const mus_solver_response *r = &s->responses[row->response];
    mus_contact contact;
    mus_solver_contact(s, row, &contact);
    double impulse[2][3] = {{0, 0, 0}, {NAN, NAN, NAN}};
    mus_status status = r->callback(r->user, &contact, impulse);
    if (status != MUS_STATUS_OK) return status;
    v3 first = v3_load(impulse[0]), second = v3_load(impulse[1]);
    if (isnan(second.x) && isnan(second.y) && isnan(second.z)) second = v3_neg(first);
    if (!v3_finite(first) || !v3_finite(second))
        return mus_fail(MUS_STATUS_INVALID, "response rule: the impulse must be finite (got %g, %g, %g N s on side 1)",
                        first.x, first.y, first.z);
    for (int k = 0; k < 4; k++) {
        if (contact.vertices[k] < 0) continue;
        int32_t i = row->vertex[k];
        double share = fabs(row->weight[k]) * a->inverse_mass[i] * s->dt;
        if (share != 0) mus_solver_move(s, i, v3_scale(share, contact.side[k] == 0 ? first : second));
    }
    v3 on_a = swapped(s, row) ? second : first, on_b = swapped(s, row) ? first : second;
    if (row->levered) mus_row_lever_give(a, row, v3_scale(s->dt, on_a), v3_scale(s->dt, on_b));
    row->push = fmax(0, v3_dot(on_a, row->normal)) * s->dt;
    row->drag = v3_scale(s->dt, v3_axpy(-v3_dot(on_a, row->normal), row->normal, on_a));
    return MUS_STATUS_OK;
}

mus_status mus_solver_apply_rules(mus_solver *s, mus_row_list *rows, int64_t first) {
    for (int64_t k = first; k < rows->count; k++) {
        mus_row *row = &rows->data[k];
        if (row->response < 0) continue;
        mus_status status = apply(s, row);
        if (status != MUS_STATUS_OK) return status;
    }
    return MUS_STATUS_OK;
}

void mus_solver_choose_response(const mus_solver *s, mus_row *row) {
    row->response = s->response_of[row->body[0] * s->assembly.body_count + row->body[1]];
    if (row->response < 0) return;
    const mus_solver_response *r = &s->responses[row->response];
    if (r->friction >= 0) row->friction = r->friction;
    if (r->restitution >= 0) row->restitution = r->restitution;
    /* a rule is about cloth */
    bool cloth = row->body[0] < s->assembly.cloth_count || row->body[1] < s->assembly.cloth_count;
    if (!r->callback || !cloth) row->response = -1;
}
