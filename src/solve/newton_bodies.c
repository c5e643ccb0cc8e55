/* newton_bodies.c: levers of contacts with rigid bodies, and the bodies' part of Newton's method. */
#include "solve/newton_bodies.h"

mus_status mus_newton_bodies_create(mus_newton_bodies *set, const mus_assembly *a) {
    *set = (mus_newton_bodies){.assembly = a, .count = a->rigid_count};
    if (!set->count) return MUS_STATUS_OK;
    set->list = mus_new(sizeof *set->list * (size_t)set->count);
    if (!set->list) return MUS_STATUS_NO_MEMORY;
    for (int32_t k = a->cloth_count; k < a->body_count; k++)
        if (a->bodies[k].rigid) set->list[a->bodies[k].rigid - a->rigids].body = k;
    return MUS_STATUS_OK;
}

void mus_newton_bodies_free(mus_newton_bodies *set) {
    mus_free(set->list);
    mus_array_free(&set->levers);
    *set = (mus_newton_bodies){0};
}

mus_status mus_newton_bodies_take_hold(mus_newton_bodies *set, const mus_row *row, mus_ogc_term *t) {
    const mus_assembly *a = set->assembly;
    if (!row->levered) return MUS_STATUS_OK;
    mus_lever lever = {.body = {-1, -1}, .rest = t->rest};
    for (int k = 0; k < 2; k++) {
        const mus_body *body = &a->bodies[row->body[k]];
        if (!body->rigid) continue;
        lever.body[k] = (int32_t)(body->rigid - a->rigids);
        lever.radius[k] = body->radius;
    }
    if (!mus_array_push(&set->levers, lever)) return MUS_STATUS_NO_MEMORY;
    t->lever = (int32_t)set->levers.count;
    return MUS_STATUS_OK;
}

/* ---- places ---- */

void mus_newton_bodies_pose(const mus_newton_bodies *set, int32_t k, v3 shift, v3 turn, mus_pose *pose) {
    const mus_newton_body *b = &set->list[k];
    mus_pose_move(&set->assembly->bodies[b->body].pose0, b->centre0, shift, turn, pose);
}

void mus_newton_bodies_put(const mus_newton_bodies *set, int32_t k, v3 shift, v3 turn, v3 *x) {
    const mus_body *body = &set->assembly->bodies[set->list[k].body];
    mus_pose pose;
    mus_newton_bodies_pose(set, k, shift, turn, &pose);
    mus_obstacle_place(body->obstacle, 0, &pose, (double *)(x + body->first));
}

v3 mus_newton_bodies_momentum(const mus_newton_bodies *set, int32_t k, v3 turn) {
    mus_pose middle;
    mus_newton_bodies_pose(set, k, v3_make(0, 0, 0), v3_scale(0.5, turn), &middle);
    m3 inertia = mus_rigid_inertia(set->assembly->bodies[set->list[k].body].rigid->of, middle.rotation);
    return m3_mul_v3(&inertia, turn);
}

static const mus_lever *lever_of(const mus_newton_bodies *set, const mus_ogc_term *t) {
    return &set->levers.data[t->lever - 1];
}

void mus_newton_bodies_aim(mus_newton_bodies *set, const mus_ogc_list *terms, const v3 *place) {
    const mus_assembly *a = set->assembly;
    for (int32_t k = 0; k < set->count; k++) set->list[k].met = false;
    for (int64_t i = 0; set->count && i < terms->count; i++) {
        const mus_ogc_term *t = &terms->data[i];
        if (!t->lever) continue;
        mus_lever *lever = &set->levers.data[t->lever - 1];
        for (int k = 0; k < 2; k++) {
            if (lever->body[k] < 0) continue;
            mus_newton_body *b = &set->list[lever->body[k]];
            v3 at = v3_make(0, 0, 0);
            for (int c = 0; c < t->count; c++)
                if (a->body_of[t->vertex[c]] == b->body) at = v3_axpy(fabs(t->weight[c]), place[t->vertex[c]], at);
            at = v3_axpy(k ? lever->radius[k] : -lever->radius[k], t->normal, at);
            lever->arm[k] = v3_sub(at, v3_add(b->centre0, b->shift));
            b->met = true;
        }
    }
}

void mus_newton_bodies_ride(const mus_newton_bodies *set, int32_t k, const v3 *u, const v3 *place, v3 *trial) {
    const mus_newton_body *b = &set->list[k];
    const mus_body *body = &set->assembly->bodies[b->body];
    v3 centre = v3_add(b->centre0, b->shift), shift = u[2 * k], turn = u[2 * k + 1];
    for (int32_t i = body->first; i < body->first + body->count; i++)
        trial[i] = v3_add(place[i], v3_add(shift, v3_cross(turn, v3_sub(place[i], centre))));
}

void mus_newton_bodies_roll(const mus_newton_bodies *set, mus_ogc_term *t, double share, const v3 *u) {
    if (!t->lever) return;
    const mus_lever *lever = lever_of(set, t);
    t->rest = lever->rest;
    for (int k = 0; k < 2; k++) {
        int32_t b = lever->body[k];
        if (b < 0 || !(lever->radius[k] > 0)) continue;
        v3 turn = u ? v3_axpy(share, u[2 * b + 1], set->list[b].turn) : set->list[b].turn;
        t->rest = v3_axpy(lever->radius[k], v3_cross(turn, t->normal), t->rest);
    }
}

/* ---- the linear system ---- */

void mus_newton_bodies_multiply(const mus_newton_bodies *set, const v3 *p, v3 *out) {
    for (int32_t k = 0; k < set->count; k++) {
        out[2 * k] = v3_scale(set->list[k].mass, p[2 * k]);
        out[2 * k + 1] = m3_mul_v3(&set->list[k].inertia, p[2 * k + 1]);
    }
}

v3 mus_newton_bodies_change(const mus_newton_bodies *set, const mus_ogc_term *t, const v3 *p) {
    const mus_lever *lever = lever_of(set, t);
    v3 sum = v3_make(0, 0, 0);
    for (int k = 0; k < 2; k++) {
        int32_t b = lever->body[k];
        if (b < 0) continue;
        sum = v3_axpy(k ? -1 : 1, v3_add(p[2 * b], v3_cross(p[2 * b + 1], lever->arm[k])), sum);
    }
    return sum;
}

void mus_newton_bodies_force(const mus_newton_bodies *set, int32_t k, const mus_ogc_term *t, double by, v3 f,
                             v3 out[2]) {
    const mus_lever *lever = lever_of(set, t);
    for (int side = 0; side < 2; side++) {
        if (lever->body[side] != k) continue;
        v3 on = v3_scale(side ? -by : by, f);
        out[0] = v3_add(out[0], on);
        out[1] = v3_add(out[1], v3_cross(lever->arm[side], on));
    }
}

void mus_newton_bodies_scatter(const mus_newton_bodies *set, const mus_ogc_term *t, double by, v3 f, v3 *out) {
    const int32_t *body = lever_of(set, t)->body;
    for (int side = 0; side < 2; side++)
        if (body[side] >= 0) mus_newton_bodies_force(set, body[side], t, by, f, out + 2 * body[side]);
}

void mus_newton_bodies_add(const mus_newton_bodies *set, int32_t k, const mus_ogc_term *t, double by,
                           double block[36]) {
    const mus_lever *lever = lever_of(set, t);
    for (int side = 0; side < 2; side++) {
        if (lever->body[side] != k) continue;
        for (int i = 0; i < 6; i++) {
            v3 f = mus_ogc_stiffened(t, mus_block6_motion(i, lever->arm[side]));
            mus_block6_add(block, i, lever->arm[side], v3_scale(by, f));
        }
    }
}

void mus_newton_bodies_precondition(mus_newton_bodies *set, const mus_ogc_list *terms, double dt2) {
    for (int32_t k = 0; k < set->count; k++)
        mus_block6_begin(set->list[k].factor, set->list[k].mass, &set->list[k].inertia);
    for (int64_t i = 0; set->count && i < terms->count; i++) {
        const mus_ogc_term *t = &terms->data[i];
        if (!t->lever || !mus_ogc_acts(t)) continue;
        for (int side = 0; side < 2; side++) {
            int32_t k = lever_of(set, t)->body[side];
            if (k >= 0) mus_newton_bodies_add(set, k, t, dt2, set->list[k].factor);
        }
    }
    for (int32_t k = 0; k < set->count; k++) mus_block6_factor(set->list[k].factor);
}
