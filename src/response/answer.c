/* answer.c: what the classic responses share: motion at a contact, and impulses on its vertices. */
#include "response/classic.h"
#include "response/levers.h"

static int corners(const mus_row *row) {
    return row->plane ? 1 : 4;
}

v3 mus_answer_slip(const mus_answer *answer, const mus_row *row) {
    v3 sum = v3_neg(row->rest);
    for (int k = 0; k < corners(row); k++) sum = v3_axpy(row->weight[k], answer->assembly->x1[row->vertex[k]], sum);
    return row->levered ? v3_add(sum, mus_row_lever_motion(answer->assembly, row)) : sum;
}

v3 mus_answer_surface(const mus_answer *answer, const mus_row *row) {
    const mus_assembly *a = answer->assembly;
    v3 other = mus_answer_slip(answer, row); /* less what the cloth's side has moved by */
    for (int k = 0; k < corners(row); k++) {
        int32_t i = row->vertex[k];
        if (i < a->cloth_vertex_count) other = v3_axpy(-row->weight[k], v3_sub(a->x1[i], a->x0[i]), other);
    }
    return a->bodies[row->body[0]].obstacle ? other : v3_neg(other);
}

/* `impulse` times dt on side A; rigid bodies take what cloth gives. */
static void book(const mus_assembly *a, mus_row *row, v3 impulse) {
    double along = v3_dot(impulse, row->normal);
    row->push += along;
    row->drag = v3_add(row->drag, v3_axpy(-along, row->normal, impulse));
    if (row->levered) mus_row_lever_give(a, row, impulse, v3_neg(impulse));
}

static void shift(const mus_answer *answer, int32_t i, v3 by) {
    mus_assembly *a = answer->assembly;
    a->x1[i] = v3_add(a->x1[i], by);
    a->v1[i] = v3_axpy(1 / answer->dt, by, a->v1[i]);
    answer->moved(answer->context, i);
}

/* By a vertex' change of displacement; between cloths both sides are changed, and side A alone books. */
static void book_vertex(const mus_assembly *a, mus_row *row, int corner, v3 by) {
    bool side_a = mus_row_side(row, corner) == 0;
    if (side_a == (a->bodies[row->body[0]].obstacle != NULL)) return;
    book(a, row, v3_scale((side_a ? 1 : -1) / a->inverse_mass[row->vertex[corner]], by));
}

void mus_answer_set(const mus_answer *answer, mus_row *row, int corner, v3 x, v3 v) {
    mus_assembly *a = answer->assembly;
    int32_t i = row->vertex[corner];
    book_vertex(a, row, corner, v3_scale(answer->dt, v3_sub(v, a->v1[i])));
    a->x1[i] = x, a->v1[i] = v;
    answer->moved(answer->context, i);
}

void mus_answer_move(const mus_answer *answer, mus_row *row, int corner, v3 by) {
    const mus_assembly *a = answer->assembly;
    int32_t i = row->vertex[corner];
    if (!(a->inverse_mass[i] > 0)) return;
    book_vertex(a, row, corner, by);
    shift(answer, i, by);
}

void mus_answer_push(const mus_answer *answer, mus_row *row, v3 impulse) {
    const mus_assembly *a = answer->assembly;
    for (int k = 0; k < corners(row); k++) {
        double share = row->weight[k] * a->inverse_mass[row->vertex[k]];
        if (share != 0) shift(answer, row->vertex[k], v3_scale(share, impulse));
    }
    book(a, row, impulse);
}

void mus_answer_part(const mus_answer *answer, mus_row *row, double change) {
    if (!(change > 0)) return;
    v3 slip = mus_answer_slip(answer, row), tangent = v3_axpy(-v3_dot(row->normal, slip), row->normal, slip);
    double length = v3_length(tangent);
    v3 by = v3_scale(change, row->normal);
    if (length > 0) by = v3_axpy(-fmin(row->friction * change / length, row->drag_mass / row->mass), tangent, by);
    mus_answer_push(answer, row, v3_scale(row->mass, by));
}

void mus_answer_hold(const mus_answer *answer, mus_row *row, int corner, v3 impulse) {
    if (row->levered) book(answer->assembly, row, mus_row_side(row, corner) == 0 ? impulse : v3_neg(impulse));
}

void mus_answer_stop(const mus_answer *answer, mus_row *row) {
    const mus_assembly *a = answer->assembly;
    bool pinned = false;
    for (int k = 0; k < corners(row); k++)
        pinned |= row->vertex[k] < a->cloth_vertex_count && !(a->inverse_mass[row->vertex[k]] > 0);
    if (!row->levered || !pinned) return;
    mus_answer_part(answer, row, -(1 + row->restitution) * v3_dot(row->normal, mus_answer_slip(answer, row)));
}

static void answer_settled(const mus_answer *answer, mus_row *row, mus_answer_rule *rule) {
    mus_row held = mus_row_held(answer->assembly, row);
    if (!(held.mass > 0)) return;
    rule(answer, &held);
    v3 given = v3_axpy(held.push - row->push, row->normal, v3_sub(held.drag, row->drag));
    mus_row_lever_owe(answer->assembly, row, given, v3_neg(given));
    row->push = held.push, row->drag = held.drag;
}

/* Does a cloth's corner lie on what is opposite to its push? */
static bool is_backed(const mus_answer *answer, const mus_row *row, int corner) {
    static const double opposite = 0.5; /* cosine */
    int32_t i = row->vertex[corner];
    if (!answer->support || i >= answer->assembly->cloth_vertex_count) return false;
    return v3_dot(answer->support[i], row->normal) * (mus_row_side(row, corner) == 0 ? -1 : 1) > opposite;
}

/* Guendelman, Bridson & Fedkiw 2003, "Nonconvex rigid bodies with stacking", 8: what lies on something that cannot give
 * way is as heavy for what comes from above. */
static void answer_backed(const mus_answer *answer, mus_row *row, mus_answer_rule *rule) {
    mus_assembly *a = answer->assembly;
    double own[4];
    bool any = false;
    for (int k = 0; k < 4; k++) {
        own[k] = a->inverse_mass[row->vertex[k]];
        if (!is_backed(answer, row, k)) continue;
        a->inverse_mass[row->vertex[k]] = 0;
        any = true;
    }
    if (any) mus_row_weigh(a, row);
    rule(answer, row);
    for (int k = 0; k < 4; k++) a->inverse_mass[row->vertex[k]] = own[k];
    if (any) mus_row_weigh(a, row);
}

void mus_answer_by(const mus_answer *answer, mus_row *row, mus_answer_rule *rule) {
    if (!row->levered)
        rule(answer, row);
    else if (answer->settled)
        answer_settled(answer, row, rule);
    else
        answer_backed(answer, row, rule);
}
