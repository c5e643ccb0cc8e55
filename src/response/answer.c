/* answer.c: what the classic responses share: motion at a contact, and impulses on its vertices. */
#include "response/classic.h"

static int corners(const mus_row *row) {
    return row->plane ? 1 : 4;
}

v3 mus_answer_slip(const mus_answer *answer, const mus_row *row) {
    v3 sum = v3_neg(row->rest);
    for (int k = 0; k < corners(row); k++) sum = v3_axpy(row->weight[k], answer->assembly->x1[row->vertex[k]], sum);
    return sum;
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

/* `impulse` times dt on side A. */
static void book(mus_row *row, v3 impulse) {
    double along = v3_dot(impulse, row->normal);
    row->push += along;
    row->drag = v3_add(row->drag, v3_axpy(-along, row->normal, impulse));
}

static void shift(const mus_answer *answer, int32_t i, v3 by) {
    mus_assembly *a = answer->assembly;
    a->x1[i] = v3_add(a->x1[i], by);
    a->v1[i] = v3_axpy(1 / answer->dt, by, a->v1[i]);
    answer->moved(answer->context, i);
}

/* By a vertex' change of displacement; between cloths both sides are changed, and side A alone books. */
static void book_vertex(const mus_assembly *a, mus_row *row, int corner, v3 by) {
    bool side_a = row->edge_edge ? corner >= 2 : corner == 0;
    if (side_a == (a->bodies[row->body[0]].obstacle != NULL)) return;
    book(row, v3_scale((side_a ? 1 : -1) / a->inverse_mass[row->vertex[corner]], by));
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
    book(row, impulse);
}
