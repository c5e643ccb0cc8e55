/* apart_bodies.c: rigid bodies in families whose rules answer cloth's contacts one by one. What is between bodies and
 * other obstacles is solved by itself, as rows; the rules' impulses on bodies go before that, and bodies are placed. */
#include "solve/solver.h"

#include <string.h>

static bool given(const mus_solver *s) {
    bool any = false;
    for (int32_t k = 0; k < s->assembly.rigid_count; k++) {
        const mus_rigid_step *r = &s->assembly.rigids[k];
        any |= v3_max_abs(r->linear) > 0 || v3_max_abs(r->angular) > 0;
    }
    return any;
}

mus_status mus_solver_meet_bodies(mus_solver *s) {
    mus_row_list *rows = &s->meetings.rows;
    if (!s->assembly.rigid_count) return MUS_STATUS_OK;
    mus_status status = mus_solver_body_rows(s, s->dt);
    for (int64_t k = 0; k < rows->count; k++) mus_solver_choose_response(s, &rows->data[k]);
    if (status == MUS_STATUS_OK) status = mus_coefficients_ask(s, rows->data, rows->count);
    if (status == MUS_STATUS_OK && s->current >= 0)
        status = mus_holds_apply(&s->assembly, &s->holds[s->current], s->dt, &s->hold_table, rows);
    return status == MUS_STATUS_OK ? mus_solver_sweep_bodies(s) : status;
}

mus_status mus_solver_follow_bodies(mus_solver *s, mus_candidate_list *list) {
    const mus_assembly *a = &s->assembly;
    bool moved;
    if (!a->rigid_count || (list && !given(s))) return MUS_STATUS_OK;
    mus_status status = mus_solver_sweep_bodies(s);
    if (status == MUS_STATUS_OK) status = mus_solver_place_bodies(s, s->dt, false, &moved);
    return status == MUS_STATUS_OK && list ? mus_solver_detect(s, list) : status;
}

static void bear(mus_solver *s, int32_t i, v3 by) {
    if (s->assembly.inverse_mass[i] > 0 && !(v3_length2(s->meetings.support[i]) > 0)) s->meetings.support[i] = by;
}

static void planes_bear(mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    for (int32_t k = a->cloth_count; k < a->body_count; k++) {
        const mus_body *plane = &a->bodies[k];
        if (!mus_body_is_plane(plane)) continue;
        for (int32_t i = 0; i < a->cloth_vertex_count; i++) {
            const mus_body *cloth = &a->bodies[a->body_of[i]];
            if (!a->collide[(size_t)a->body_of[i] * (size_t)a->body_count + (size_t)k]) continue;
            double gap = v3_dot(plane->normal0, v3_sub(a->x0[i], plane->point0));
            if (gap > cloth->reach + plane->reach || mus_assembly_lets_below(a, i, k)) continue;
            bear(s, i, plane->normal0);
        }
    }
}

/* Does all that counts of a side bear what is over it? */
static bool bears(const mus_solver *s, const mus_row *row, int side, v3 up) {
    static const double counts = 0.1, along = 0.5;
    const mus_assembly *a = &s->assembly;
    const mus_body *body = &a->bodies[row->body[side]];
    if (body->obstacle) return !body->rigid;
    for (int k = 0; k < 4; k++)
        if (mus_row_side(row, k) == side && fabs(row->weight[k]) > counts &&
            !(v3_dot(s->meetings.support[row->vertex[k]], up) > along))
            return false;
    return true;
}

static bool pass_on(mus_solver *s, const mus_row *row) {
    const mus_assembly *a = &s->assembly;
    bool any = false;
    for (int side = 0; side < 2 && !row->plane; side++) {
        v3 up = side == 0 ? v3_neg(row->normal) : row->normal; /* from this side to the other */
        if (!a->bodies[row->body[!side]].cloth || !bears(s, row, side, up)) continue;
        for (int k = 0; k < 4; k++) {
            int32_t i = row->vertex[k];
            if (mus_row_side(row, k) == side || row->weight[k] == 0 || v3_length2(s->meetings.support[i]) > 0) continue;
            bear(s, i, up);
            any |= v3_length2(s->meetings.support[i]) > 0;
        }
    }
    return any;
}

void mus_solver_find_support(mus_solver *s) {
    enum { LAYERS = 8 };
    const mus_assembly *a = &s->assembly;
    const mus_row_list *lists[2] = {&s->rows, &s->hits};
    if (!s->meetings.support) return;
    memset(s->meetings.support, 0, sizeof(v3) * (size_t)a->cloth_vertex_count);
    planes_bear(s);
    bool any = true;
    for (int layer = 0; any && layer < LAYERS; layer++) {
        any = false;
        for (int l = 0; l < 2; l++)
            for (int64_t k = 0; k < lists[l]->count; k++) any |= pass_on(s, &lists[l]->data[k]);
    }
}

bool mus_solver_presses(mus_solver *s, int32_t i, int32_t plane) {
    const mus_assembly *a = &s->assembly;
    int32_t carrier = a->rigid_count ? mus_zones_carrier(&s->zones, i) : -1;
    if (carrier < 0 || !a->bodies[a->body_of[carrier]].rigid) return false;
    s->pinched[0] = a->body_of[carrier], s->pinched[1] = plane;
    return true;
}
