/* object.c: cloths and obstacles of a world by one kind of handle, and by name. */
#include "base/word.h"
#include "world/overlap/start.h"
#include "world/slots.h"

#include <string.h>

mus_object_id mus_object_none(void) {
    return (mus_object_id){MUS_OBJECT_NONE, 0, 0};
}

mus_object_id mus_object_from_cloth(mus_cloth_id id) {
    return (mus_object_id){MUS_OBJECT_CLOTH, id.index, id.generation};
}

mus_object_id mus_object_from_obstacle(mus_obstacle_id id) {
    return (mus_object_id){MUS_OBJECT_OBSTACLE, id.index, id.generation};
}

mus_cloth_id mus_object_to_cloth(mus_object_id id) {
    return id.kind == MUS_OBJECT_CLOTH ? (mus_cloth_id){id.index, id.generation} : (mus_cloth_id){0, 0};
}

mus_obstacle_id mus_object_to_obstacle(mus_object_id id) {
    return id.kind == MUS_OBJECT_OBSTACLE ? (mus_obstacle_id){id.index, id.generation} : (mus_obstacle_id){0, 0};
}

bool mus_object_is_same(mus_object_id a, mus_object_id b) {
    return a.kind == b.kind && (a.kind == MUS_OBJECT_NONE || (a.index == b.index && a.generation == b.generation));
}

static const mus_slots *slots_of(const mus_world *world, mus_object_kind kind) {
    return kind == MUS_OBJECT_CLOTH ? &world->cloths : kind == MUS_OBJECT_OBSTACLE ? &world->obstacles : NULL;
}

bool mus_object_is_valid(const mus_world *world, mus_object_id id) {
    const mus_slots *slots = slots_of(world, id.kind);
    return slots && mus_slots_has(slots, id.index, id.generation);
}

int32_t mus_object_get_order(const mus_world *world, mus_object_id id) {
    return mus_object_is_valid(world, id) ? slots_of(world, id.kind)->data[id.index].order : -1;
}

static const char *name_of(const mus_world *world, mus_object_id id) {
    const void *object = slots_of(world, id.kind)->data[id.index].object;
    return id.kind == MUS_OBJECT_CLOTH ? ((const mus_cloth *)object)->name : ((const mus_obstacle *)object)->name;
}

mus_status mus_world_check_object(const mus_world *world, const char *what, mus_object_id id, const char **name) {
    *name = NULL;
    const mus_slots *slots = slots_of(world, id.kind);
    if (!slots) return mus_fail(MUS_STATUS_INVALID, "%s: give a cloth or an obstacle (got the handle of none)", what);
    if (!mus_slots_find(slots, id.index, id.generation, what)) return MUS_STATUS_STALE;
    *name = name_of(world, id);
    return MUS_STATUS_OK;
}

mus_status mus_world_check_pair(const mus_world *world, const char *what, mus_object_id a, mus_object_id b,
                                const char *names[2]) {
    mus_status status = mus_world_check_object(world, what, a, &names[0]);
    return status == MUS_STATUS_OK ? mus_world_check_object(world, what, b, &names[1]) : status;
}

const char *mus_object_get_name(const mus_world *world, mus_object_id id) {
    const char *name;
    mus_world_check_object(world, "object", id, &name);
    return name;
}

mus_object_id mus_world_object_at(const mus_world *world, int32_t k) {
    bool cloth = k < world->cloth_order.count;
    int32_t slot = cloth ? world->cloth_order.data[k] : world->obstacle_order.data[k - world->cloth_order.count];
    return (mus_object_id){cloth ? MUS_OBJECT_CLOTH : MUS_OBJECT_OBSTACLE, (uint32_t)slot,
                           (cloth ? &world->cloths : &world->obstacles)->data[slot].generation};
}

static mus_status refuse_name(const mus_world *world, int32_t count, const char *name) {
    const char **names = mus_new(sizeof *names * ((size_t)count + 1));
    if (!names) return MUS_STATUS_NO_MEMORY;
    for (int32_t k = 0; k < count; k++) names[k] = mus_world_object_name(world, k);
    mus_status status = mus_fail(MUS_STATUS_NOT_FOUND, "no cloth or obstacle is named '%s'%s", name ? name : "(none)",
                                 mus_hint_of(name ? name : "", names).text);
    mus_free(names);
    return status;
}

mus_status mus_world_find_object(const mus_world *world, const char *name, mus_object_id *id) {
    *id = mus_object_none();
    int32_t count = (int32_t)(world->cloth_order.count + world->obstacle_order.count), k = 0;
    while (k < count && (!name || strcmp(mus_world_object_name(world, k), name) != 0)) k++;
    if (k == count) return refuse_name(world, count, name);
    *id = mus_world_object_at(world, k);
    return MUS_STATUS_OK;
}
