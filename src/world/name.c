/* name.c: objects of a world by name, and the lock against changes. */
#include "world/slots.h"
#include "world/overlap/start.h"

#include <stdio.h>
#include <string.h>

bool mus_world_has_name(const mus_world *world, const char *name) {
    for (int64_t k = 0; k < world->cloth_order.count; k++) {
        const mus_cloth *cloth = world->cloths.data[world->cloth_order.data[k]].object;
        if (strcmp(cloth->name, name) == 0) return true;
    }
    for (int64_t k = 0; k < world->obstacle_order.count; k++) {
        const mus_obstacle *obstacle = world->obstacles.data[world->obstacle_order.data[k]].object;
        if (strcmp(obstacle->name, name) == 0) return true;
    }
    return false;
}

mus_status mus_world_choose_name(mus_world *world, const char *given, const char *stem, char *buffer, size_t size,
                                 const char **name) {
    if (given) {
        if (!*given) return mus_fail(MUS_STATUS_INVALID, "%s: field 'name' must not be empty", stem);
        for (const char *c = given; *c; c++)
            if ((unsigned char)*c < ' ')
                return mus_fail(MUS_STATUS_INVALID, "%s: field 'name' must be one line without control characters",
                                stem);
        if (mus_world_has_name(world, given))
            return mus_fail(MUS_STATUS_INVALID, "%s: field 'name' is taken: there is already a '%s' in the world", stem,
                            given);
        *name = given;
        return MUS_STATUS_OK;
    }
    do snprintf(buffer, size, "%s%d", stem, ++world->names_made);
    while (mus_world_has_name(world, buffer));
    *name = buffer;
    return MUS_STATUS_OK;
}

mus_status mus_world_check_unlocked(const mus_world *world, const char *what) {
    if (!world->locked) return MUS_STATUS_OK;
    return mus_fail(MUS_STATUS_LOCKED, "%s: not within a step; do it in a 'frame' hook, or before the step", what);
}

const char *mus_world_object_name(const mus_world *world, int32_t k) {
    int32_t cloths = (int32_t)world->cloth_order.count;
    if (k < cloths) return ((mus_cloth *)world->cloths.data[world->cloth_order.data[k]].object)->name;
    return ((mus_obstacle *)world->obstacles.data[world->obstacle_order.data[k - cloths]].object)->name;
}

mus_cloth *mus_world_find_cloth(const mus_world *world, mus_cloth_id id) {
    return mus_slots_find(&world->cloths, id.index, id.generation, "cloth");
}
