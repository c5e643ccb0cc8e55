/* newton_rigid.c: contact arms of rigid bodies, and their part of Newton's method. */
#include "solve/potential/newton_rigid.h"

mus_status mus_newton_rigid_bodies_create(mus_newton_rigid_bodies *set, const mus_assembly *a) {
    *set = (mus_newton_rigid_bodies){.assembly = a, .count = a->rigid_count};
    if (!set->count) return MUS_STATUS_OK;
    set->list = mus_new(sizeof *set->list * (size_t)set->count);
    if (!set->list) return MUS_STATUS_NO_MEMORY;
    for (int32_t k = a->cloth_count; k < a->object_count; k++)
        if (a->objects[k].rigid) set->list[a->objects[k].rigid - a->rigids].object = k;
    return MUS_STATUS_OK;
}

void mus_newton_rigid_bodies_free(mus_newton_rigid_bodies *set) {
    mus_free(set->list);
    mus_array_free(&set->contact_arms);
    *set = (mus_newton_rigid_bodies){0};
}

mus_status mus_newton_rigid_bodies_add_contact(mus_newton_rigid_bodies *set, const mus_contact_constraint *constraint,
                                               mus_ogc_term *t) {
    const mus_assembly *a = set->assembly;
    if (!constraint->has_rigid_body) return MUS_STATUS_OK;
    mus_contact_arms arms = {.rigid_body = {-1, -1}, .rest = t->rest};
    for (int k = 0; k < 2; k++) {
        const mus_object *object = &a->objects[constraint->object[k]];
        if (!object->rigid) continue;
        arms.rigid_body[k] = (int32_t)(object->rigid - a->rigids);
        arms.radius[k] = object->radius;
    }
    if (!mus_array_push(&set->contact_arms, arms)) return MUS_STATUS_NO_MEMORY;
    t->arms = (int32_t)set->contact_arms.count;
    return MUS_STATUS_OK;
}

/* ---- poses and vertices ---- */

void mus_newton_rigid_bodies_pose(const mus_newton_rigid_bodies *set, int32_t k, v3 shift, v3 turn, mus_pose *pose) {
    const mus_newton_rigid_body *b = &set->list[k];
    mus_pose_move(&set->assembly->objects[b->object].pose0, b->center0, shift, turn, pose);
}

void mus_newton_rigid_bodies_place(const mus_newton_rigid_bodies *set, int32_t k, v3 shift, v3 turn, v3 *x) {
    const mus_object *object = &set->assembly->objects[set->list[k].object];
    mus_pose pose;
    mus_newton_rigid_bodies_pose(set, k, shift, turn, &pose);
    mus_obstacle_place(object->obstacle, 0, &pose, (double *)(x + object->first));
}

v3 mus_newton_rigid_bodies_momentum(const mus_newton_rigid_bodies *set, int32_t k, v3 turn) {
    mus_pose middle;
    mus_newton_rigid_bodies_pose(set, k, v3_make(0, 0, 0), v3_scale(0.5, turn), &middle);
    m3 inertia = mus_rigid_inertia(set->assembly->objects[set->list[k].object].rigid->of, middle.rotation);
    return m3_mul_v3(&inertia, turn);
}

static const mus_contact_arms *arms_of(const mus_newton_rigid_bodies *set, const mus_ogc_term *t) {
    return &set->contact_arms.data[t->arms - 1];
}

void mus_newton_rigid_bodies_update_arms(mus_newton_rigid_bodies *set, const mus_ogc_list *terms, const v3 *place) {
    const mus_assembly *a = set->assembly;
    for (int32_t k = 0; k < set->count; k++) set->list[k].in_contact = false;
    for (int64_t k = 0; k < a->attachments.count; k++)
        set->list[a->objects[a->attachments.data[k].object].rigid - a->rigids].in_contact = true;
    for (int64_t i = 0; set->count && i < terms->count; i++) {
        const mus_ogc_term *t = &terms->data[i];
        if (!t->arms) continue;
        mus_contact_arms *arms = &set->contact_arms.data[t->arms - 1];
        for (int k = 0; k < 2; k++) {
            if (arms->rigid_body[k] < 0) continue;
            mus_newton_rigid_body *b = &set->list[arms->rigid_body[k]];
            v3 at = v3_make(0, 0, 0);
            for (int c = 0; c < t->count; c++)
                if (a->object_of[t->vertex[c]] == b->object) at = v3_axpy(fabs(t->weight[c]), place[t->vertex[c]], at);
            at = v3_axpy(k ? arms->radius[k] : -arms->radius[k], t->normal, at);
            arms->arm[k] = v3_sub(at, v3_add(b->center0, b->shift));
            b->in_contact = true;
        }
    }
}

void mus_newton_rigid_bodies_move_vertices(const mus_newton_rigid_bodies *set, int32_t k, const v3 *u, const v3 *place,
                                           v3 *trial) {
    const mus_newton_rigid_body *b = &set->list[k];
    const mus_object *object = &set->assembly->objects[b->object];
    v3 center = v3_add(b->center0, b->shift), shift = u[2 * k], turn = u[2 * k + 1];
    for (int32_t i = object->first; i < object->first + object->count; i++)
        trial[i] = v3_add(place[i], v3_add(shift, v3_cross(turn, v3_sub(place[i], center))));
}

void mus_newton_rigid_bodies_update_slip_origin(const mus_newton_rigid_bodies *set, mus_ogc_term *t, double share,
                                                const v3 *u) {
    if (!t->arms) return;
    const mus_contact_arms *arms = arms_of(set, t);
    t->rest = arms->rest;
    for (int k = 0; k < 2; k++) {
        int32_t b = arms->rigid_body[k];
        if (b < 0 || !(arms->radius[k] > 0)) continue;
        v3 turn = u ? v3_axpy(share, u[2 * b + 1], set->list[b].turn) : set->list[b].turn;
        t->rest = v3_axpy(arms->radius[k], v3_cross(turn, t->normal), t->rest);
    }
}

/* ---- the linear system ---- */

void mus_newton_rigid_bodies_multiply(const mus_newton_rigid_bodies *set, const v3 *p, v3 *out) {
    for (int32_t k = 0; k < set->count; k++) {
        out[2 * k] = v3_scale(set->list[k].mass, p[2 * k]);
        out[2 * k + 1] = m3_mul_v3(&set->list[k].inertia, p[2 * k + 1]);
    }
}

v3 mus_newton_rigid_bodies_relative_motion(const mus_newton_rigid_bodies *set, const mus_ogc_term *t, const v3 *p) {
    const mus_contact_arms *arms = arms_of(set, t);
    v3 sum = v3_make(0, 0, 0);
    for (int k = 0; k < 2; k++) {
        int32_t b = arms->rigid_body[k];
        if (b < 0) continue;
        sum = v3_axpy(k ? -1 : 1, v3_add(p[2 * b], v3_cross(p[2 * b + 1], arms->arm[k])), sum);
    }
    return sum;
}

void mus_newton_rigid_bodies_add_force(const mus_newton_rigid_bodies *set, int32_t k, const mus_ogc_term *t, double by,
                                       v3 f, v3 out[2]) {
    const mus_contact_arms *arms = arms_of(set, t);
    for (int side = 0; side < 2; side++) {
        if (arms->rigid_body[side] != k) continue;
        v3 on = v3_scale(side ? -by : by, f);
        out[0] = v3_add(out[0], on);
        out[1] = v3_add(out[1], v3_cross(arms->arm[side], on));
    }
}

void mus_newton_rigid_bodies_scatter(const mus_newton_rigid_bodies *set, const mus_ogc_term *t, double by, v3 f,
                                     v3 *out) {
    const int32_t *rigid_body = arms_of(set, t)->rigid_body;
    for (int side = 0; side < 2; side++)
        if (rigid_body[side] >= 0)
            mus_newton_rigid_bodies_add_force(set, rigid_body[side], t, by, f, out + 2 * rigid_body[side]);
}

void mus_newton_rigid_bodies_add_stiffness(const mus_newton_rigid_bodies *set, int32_t k, const mus_ogc_term *t,
                                           double by, double block[36]) {
    const mus_contact_arms *arms = arms_of(set, t);
    for (int side = 0; side < 2; side++) {
        if (arms->rigid_body[side] != k) continue;
        for (int i = 0; i < 6; i++) {
            v3 f = mus_ogc_stiffened(t, mus_block6_motion(i, arms->arm[side]));
            mus_block6_add(block, i, arms->arm[side], v3_scale(by, f));
        }
    }
}

void mus_newton_rigid_bodies_add_blocks(mus_newton_rigid_bodies *set, const mus_ogc_list *terms, double dt2) {
    for (int32_t k = 0; k < set->count; k++)
        mus_block6_begin(set->list[k].factor, set->list[k].mass, &set->list[k].inertia);
    for (int64_t i = 0; set->count && i < terms->count; i++) {
        const mus_ogc_term *t = &terms->data[i];
        if (!t->arms || !mus_ogc_acts(t)) continue;
        for (int side = 0; side < 2; side++) {
            int32_t k = arms_of(set, t)->rigid_body[side];
            if (k >= 0) mus_newton_rigid_bodies_add_stiffness(set, k, t, dt2, set->list[k].factor);
        }
    }
}
