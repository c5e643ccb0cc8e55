/* assembly.c: numbering of all vertices of a world. */
#include "model/assembly.h"
#include "model/order.h"

mus_status mus_assembly_create(mus_cloth *const *cloths, int32_t cloth_count, mus_obstacle *const *obstacles,
                               int32_t obstacle_count, mus_assembly *a) {
    *a = (mus_assembly){.body_count = cloth_count + obstacle_count, .cloth_count = cloth_count};
    size_t bodies = (size_t)a->body_count;
    a->bodies = mus_new(sizeof(mus_body) * (bodies + 1));
    if (!a->bodies) return MUS_STATUS_NO_MEMORY;
    int64_t total = 0;
    for (int32_t k = 0; k < a->body_count; k++) {
        mus_body *body = &a->bodies[k];
        if (k < cloth_count) {
            mus_cloth *cloth = cloths[k];
            *body = (mus_body){.cloth = cloth,
                               .count = cloth->vertex_count,
                               .reach = cloth->thickness / 2,
                               .friction = cloth->friction,
                               .restitution = cloth->restitution};
        } else {
            mus_obstacle *obstacle = obstacles[k - cloth_count];
            *body = (mus_body){.obstacle = obstacle,
                               .count = obstacle->vertex_count,
                               .reach = obstacle->def.thickness,
                               .radius = obstacle->radius,
                               .friction = obstacle->def.friction,
                               .restitution = obstacle->def.restitution};
        }
        body->first = (int32_t)total;
        total += body->count;
        if (total > INT32_MAX / 4)
            return mus_fail(MUS_STATUS_INVALID, "world: more than %d vertices in all objects together", INT32_MAX / 4);
        if (k < cloth_count) a->cloth_vertex_count = (int32_t)total;
    }
    a->vertex_count = (int32_t)total;
    size_t n = (size_t)total + 1, nc = (size_t)a->cloth_vertex_count + 1;
    a->x0 = mus_new(sizeof(v3) * n);
    a->x1 = mus_new(sizeof(v3) * n);
    a->v0 = mus_new(sizeof(v3) * nc);
    a->v1 = mus_new(sizeof(v3) * nc);
    a->inverse_mass = mus_new(sizeof(double) * n);
    a->body_of = mus_new(sizeof(int32_t) * n);
    a->first_row = mus_new(sizeof(int32_t) * n);
    a->collide = mus_new(bodies * bodies + 1);
    if (!a->x0 || !a->x1 || !a->v0 || !a->v1 || !a->inverse_mass || !a->body_of || !a->first_row || !a->collide)
        return MUS_STATUS_NO_MEMORY;
    a->neighbours.start = mus_new(sizeof(int32_t) * (nc + 1));
    if (!a->neighbours.start) return MUS_STATUS_NO_MEMORY;
    for (int32_t k = 0; k < cloth_count; k++) {
        mus_status status = mus_neighbours_add(&a->neighbours, cloths[k], a->bodies[k].first,
                                               cloths[k]->thickness / MUS_NEIGHBOUR_SHARE);
        if (status != MUS_STATUS_OK) return status;
    }
    for (int32_t k = 0; k < obstacle_count; k++) a->rigid_count += mus_obstacle_is_dynamic(obstacles[k]);
    a->rigids = mus_new(sizeof *a->rigids * ((size_t)a->rigid_count + 1));
    if (!a->rigids) return MUS_STATUS_NO_MEMORY;
    for (int32_t k = 0, next = 0; k < obstacle_count; k++) {
        if (!mus_obstacle_is_dynamic(obstacles[k])) continue;
        a->rigids[next].of = &obstacles[k]->rigid;
        a->bodies[cloth_count + k].rigid = &a->rigids[next++];
    }
    for (int32_t k = 0; k < a->body_count; k++)
        for (int32_t i = 0; i < a->bodies[k].count; i++) a->body_of[a->bodies[k].first + i] = k;
    return MUS_STATUS_OK;
}

mus_status mus_assembly_join(mus_assembly *a, mus_seam *const *seams, int32_t seam_count) {
    if (!seam_count) return MUS_STATUS_OK;
    mus_cloth **cloths = mus_new(sizeof *cloths * ((size_t)a->cloth_count + 1));
    if (!cloths) return MUS_STATUS_NO_MEMORY;
    double thickest = 0;
    for (int32_t k = 0; k < a->cloth_count; k++) {
        cloths[k] = a->bodies[k].cloth;
        thickest = fmax(thickest, cloths[k]->thickness);
    }
    mus_neighbours_free(&a->neighbours);
    a->neighbours.start = mus_new(sizeof(int32_t) * ((size_t)a->cloth_vertex_count + 2));
    a->joined = true;
    mus_status status = a->neighbours.start ? mus_seams_add_neighbours(&a->neighbours, cloths, a->cloth_count, seams,
                                                                       seam_count, thickest / MUS_NEIGHBOUR_SHARE)
                                            : MUS_STATUS_NO_MEMORY;
    mus_free(cloths);
    return status;
}

void mus_assembly_free(mus_assembly *a) {
    mus_neighbours_free(&a->neighbours);
    void *blocks[] = {a->bodies, a->rigids,       a->x0,      a->x1,        a->v0,
                      a->v1,     a->inverse_mass, a->body_of, a->first_row, a->collide};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) mus_free(blocks[k]);
    *a = (mus_assembly){0};
}

v3 mus_body_carry(const mus_body *body, v3 x0) {
    return mus_pose_apply(&body->pose1, mus_pose_unapply(&body->pose0, x0));
}

static bool lets(const mus_assembly *a, int32_t body, int32_t other, const int32_t *v, int count) {
    if (body >= a->cloth_count) return false;
    int32_t code = other < a->cloth_count ? other : a->cloth_count - 1 - other;
    for (int64_t k = 0; k < a->lets->count; k++) {
        const mus_let *let = &a->lets->data[k];
        if (let->object != body || let->other != code) continue;
        bool all = true;
        for (int i = 0; i < count; i++)
            all &= let->part[mus_cloth_given_vertex(a->bodies[body].cloth, v[i] - a->bodies[body].first)] > 0;
        if (all) return true;
    }
    return false;
}

bool mus_assembly_lets(const mus_assembly *a, const int32_t *v, int side, int count) {
    int32_t one = a->body_of[v[0]], two = a->body_of[v[side]];
    return lets(a, one, two, v, side) || lets(a, two, one, v + side, count - side);
}

bool mus_assembly_lets_below(const mus_assembly *a, int32_t vertex, int32_t plane) {
    return mus_assembly_lets_any(a) && lets(a, a->body_of[vertex], plane, &vertex, 1);
}
