/* assembly.c: numbering of all vertices of a world. */
#include "model/assembly.h"
#include "model/order.h"

mus_status mus_assembly_create(mus_cloth *const *cloths, int32_t cloth_count, mus_obstacle *const *obstacles,
                               int32_t obstacle_count, mus_assembly *a) {
    *a = (mus_assembly){.object_count = cloth_count + obstacle_count, .cloth_count = cloth_count};
    size_t objects = (size_t)a->object_count;
    a->objects = mus_new(sizeof(mus_object) * (objects + 1));
    if (!a->objects) return MUS_STATUS_NO_MEMORY;
    int64_t total = 0;
    for (int32_t k = 0; k < a->object_count; k++) {
        mus_object *object = &a->objects[k];
        if (k < cloth_count) {
            mus_cloth *cloth = cloths[k];
            *object = (mus_object){.cloth = cloth,
                                   .count = cloth->vertex_count,
                                   .contact_thickness = cloth->thickness / 2,
                                   .thicknesses = cloth->thicknesses,
                                   .max_thicknesses = cloth->max_thicknesses,
                                   .friction = cloth->friction,
                                   .frictions = cloth->frictions,
                                   .restitution = cloth->restitution};
        } else {
            mus_obstacle *obstacle = obstacles[k - cloth_count];
            *object = (mus_object){.obstacle = obstacle,
                                   .count = obstacle->vertex_count,
                                   .contact_thickness = obstacle->def.thickness,
                                   .radius = obstacle->radius,
                                   .friction = obstacle->def.friction,
                                   .restitution = obstacle->def.restitution};
        }
        object->first = (int32_t)total;
        total += object->count;
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
    a->object_of = mus_new(sizeof(int32_t) * n);
    a->contact_scratch = mus_new(sizeof(int32_t) * n);
    a->collide = mus_new(objects * objects + 1);
    if (!a->x0 || !a->x1 || !a->v0 || !a->v1 || !a->inverse_mass || !a->object_of || !a->contact_scratch || !a->collide)
        return MUS_STATUS_NO_MEMORY;
    a->neighbors.start = mus_new(sizeof(int32_t) * (nc + 1));
    if (!a->neighbors.start) return MUS_STATUS_NO_MEMORY;
    for (int32_t k = 0; k < cloth_count; k++) {
        mus_status status =
            mus_neighbors_add(&a->neighbors, cloths[k], a->objects[k].first, cloths[k]->thickness / MUS_NEIGHBOR_SHARE);
        if (status != MUS_STATUS_OK) return status;
    }
    for (int32_t k = 0; k < obstacle_count; k++) a->rigid_count += mus_obstacle_is_dynamic(obstacles[k]);
    a->rigids = mus_new(sizeof *a->rigids * ((size_t)a->rigid_count + 1));
    if (!a->rigids) return MUS_STATUS_NO_MEMORY;
    for (int32_t k = 0, next = 0; k < obstacle_count; k++) {
        if (!mus_obstacle_is_dynamic(obstacles[k])) continue;
        a->rigids[next].of = &obstacles[k]->rigid;
        a->objects[cloth_count + k].rigid = &a->rigids[next++];
    }
    for (int32_t k = 0; k < a->object_count; k++)
        for (int32_t i = 0; i < a->objects[k].count; i++) a->object_of[a->objects[k].first + i] = k;
    return MUS_STATUS_OK;
}

mus_status mus_assembly_join(mus_assembly *a, mus_seam *const *seams, int32_t seam_count) {
    if (!seam_count) return MUS_STATUS_OK;
    mus_cloth **cloths = mus_new(sizeof *cloths * ((size_t)a->cloth_count + 1));
    if (!cloths) return MUS_STATUS_NO_MEMORY;
    double thickest = 0;
    for (int32_t k = 0; k < a->cloth_count; k++) {
        cloths[k] = a->objects[k].cloth;
        thickest = fmax(thickest, cloths[k]->thickness);
    }
    mus_neighbors_free(&a->neighbors);
    a->neighbors.start = mus_new(sizeof(int32_t) * ((size_t)a->cloth_vertex_count + 2));
    a->joined = true;
    mus_status status = a->neighbors.start ? mus_seams_add_neighbors(&a->neighbors, cloths, a->cloth_count, seams,
                                                                     seam_count, thickest / MUS_NEIGHBOR_SHARE)
                                           : MUS_STATUS_NO_MEMORY;
    mus_free(cloths);
    return status;
}

void mus_assembly_free(mus_assembly *a) {
    mus_array_free(&a->attachments);
    mus_neighbors_free(&a->neighbors);
    void *blocks[] = {a->objects,   a->rigids,          a->x0,      a->x1,        a->v0, a->v1, a->inverse_mass,
                      a->object_of, a->contact_scratch, a->collide, a->pinched_by};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) mus_free(blocks[k]);
    *a = (mus_assembly){0};
}

v3 mus_object_transform_point(const mus_object *object, v3 x0) {
    return mus_pose_apply(&object->pose1, mus_pose_unapply(&object->pose0, x0));
}

static bool side_is_exempt(const mus_assembly *a, int32_t object, int32_t other, const int32_t *v, int count) {
    if (object >= a->cloth_count) return false;
    for (int i = 0; i < count && a->any_pinched; i++)
        if (a->pinched_by[v[i]] == other) return true;
    if (!a->exemptions) return false;
    int32_t code = other < a->cloth_count ? other : a->cloth_count - 1 - other;
    for (int64_t k = 0; k < a->exemptions->count; k++) {
        const mus_overlap_exemption *exemption = &a->exemptions->data[k];
        if (exemption->object != object || exemption->other != code) continue;
        bool all = true;
        for (int i = 0; i < count; i++)
            all &=
                exemption
                    ->component[mus_cloth_given_vertex(a->objects[object].cloth, v[i] - a->objects[object].first)] > 0;
        if (all) return true;
    }
    return false;
}

bool mus_assembly_is_exempt(const mus_assembly *a, const int32_t *v, int side, int count) {
    int32_t one = a->object_of[v[0]], two = a->object_of[v[side]];
    return side_is_exempt(a, one, two, v, side) || side_is_exempt(a, two, one, v + side, count - side);
}

bool mus_assembly_is_exempt_below(const mus_assembly *a, int32_t vertex, int32_t plane) {
    return mus_assembly_has_exemptions(a) && side_is_exempt(a, a->object_of[vertex], plane, &vertex, 1);
}
