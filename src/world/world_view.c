/* world_view.c: the objects of a world as the auditor reads them. */
#include "world/overlap/start.h"

#include <string.h>

void mus_world_view_free(mus_world_view *v) {
    mus_free(v->objects);
    mus_free(v->placed);
}

mus_status mus_world_view_make(const mus_world *world, mus_world_view *v) {
    *v = (mus_world_view){.cloth_count = (int32_t)world->cloth_order.count};
    int64_t count = world->cloth_order.count + world->obstacle_order.count, vertices = 0;
    for (int64_t k = 0; k < world->obstacle_order.count; k++) {
        const mus_obstacle *o = world->obstacles.data[world->obstacle_order.data[k]].object;
        vertices += o->vertex_count;
    }
    v->objects = mus_new(sizeof *v->objects * (size_t)(count + 1));
    v->placed = mus_new(sizeof(double) * 3 * (size_t)(vertices + 1));
    if (!v->objects || !v->placed) {
        mus_world_view_free(v);
        *v = (mus_world_view){0};
        return MUS_STATUS_NO_MEMORY;
    }
    for (int64_t k = 0; k < world->cloth_order.count; k++) {
        const mus_cloth *cloth = world->cloths.data[world->cloth_order.data[k]].object;
        v->objects[v->count++] = (mus_audit_object){.cloth = true,
                                                    .shape = MUS_SHAPE_MESH,
                                                    .vertices = cloth->x,
                                                    .faces = cloth->faces,
                                                    .vertex_count = cloth->vertex_count,
                                                    .face_count = cloth->face_count};
    }
    double *place = v->placed;
    for (int64_t k = 0; k < world->obstacle_order.count; k++) {
        const mus_obstacle *o = world->obstacles.data[world->obstacle_order.data[k]].object;
        mus_audit_object *object = &v->objects[v->count++];
        *object = (mus_audit_object){.dynamic = mus_obstacle_is_dynamic(o),
                                     .shape = o->def.shape,
                                     .pose = o->pose,
                                     .radius = o->def.radius,
                                     .length = o->def.length};
        memcpy(object->size, o->def.size, sizeof object->size);
        memcpy(object->normal, o->def.normal, sizeof object->normal);
        if (!o->face_count)
            continue; /* a box has faces for contacts with other obstacles, and is an exact shape for cloth */
        mus_obstacle_place(o, world->time, &o->pose, place);
        object->vertices = place, object->vertex_count = o->vertex_count;
        object->faces = o->faces, object->face_count = o->face_count;
        place += 3 * o->vertex_count;
    }
    return MUS_STATUS_OK;
}

/* Pairs that do not collide are ignored. */
bool mus_world_view_ignored(const void *user, int32_t a, int32_t b) {
    const mus_world *world = user;
    const mus_assembly *assembly = &world->solver.assembly;
    return !mus_assembly_collides(assembly, a, b);
}

const mus_pair_overlap *mus_world_pair_overlap(const mus_world *world, int32_t a, int32_t b) {
    const char *p = mus_world_object_name(world, a), *q = mus_world_object_name(world, b);
    for (int64_t k = world->overlaps.count; k-- > 0;) {
        const mus_pair_overlap *pair = &world->overlaps.data[k];
        if (mus_pair_is_of(pair->a, pair->b, p, q)) return pair;
    }
    return NULL;
}
