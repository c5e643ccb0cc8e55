/* restore_by_name.c: restores the motion of a saved world into another one, which may differ: cloths with the same name
 * and number of vertices, and rigid bodies with the same name, continue from the saved state, with the present
 * materials, settings and functions. */
#include "model/cloth.h"
#include "base/cookie.h"
#include "world/slots.h"
#include "world/snapshot.h"
#include "muslin/snapshot.h"

#include <string.h>

static const mus_cloth *cloth_of(const mus_world *world, const char *name) {
    for (int64_t k = 0; k < world->cloth_order.count; k++) {
        const mus_cloth *c = world->cloths.data[world->cloth_order.data[k]].object;
        if (strcmp(c->name, name) == 0) return c;
    }
    return NULL;
}

static const mus_obstacle *obstacle_of(const mus_world *world, const char *name) {
    for (int64_t k = 0; k < world->obstacle_order.count; k++) {
        const mus_obstacle *o = world->obstacles.data[world->obstacle_order.data[k]].object;
        if (strcmp(o->name, name) == 0) return o;
    }
    return NULL;
}

static mus_pin_kind pin_kind(const mus_cloth *cloth, int32_t i) {
    return cloth->pins ? (mus_pin_kind)cloth->pins[i].kind : MUS_PIN_NONE;
}

/* Pins to places are restored; those to obstacles and paths, in either world, remain as in the present script. */
static mus_status restore_pins(mus_world *world, mus_cloth_id id, const mus_cloth *cloth, const mus_cloth *saved) {
    for (int32_t i = 0; i < cloth->vertex_count; i++) {
        mus_pin_kind here = pin_kind(cloth, i), there = pin_kind(saved, i);
        if (here > MUS_PIN_PLACE || there > MUS_PIN_PLACE) continue;
        mus_status status = MUS_STATUS_OK;
        if (there == MUS_PIN_PLACE && mus_vertex_is_pulled(saved, i)) {
            mus_pull_def def = {.cookie = MUS_COOKIE_PULL_DEF,
                                .stiffness = saved->pins[i].stiffness,
                                .damping = mus_world_projects_pulls(world) ? 0 : saved->pins[i].damping};
            status = mus_cloth_pull(world, id, &i, 1, &def);
            if (status == MUS_STATUS_OK) memcpy(cloth->pins[i].place, saved->pins[i].place, sizeof(double) * 3);
        } else if (there == MUS_PIN_PLACE) {
            status = mus_cloth_pin(world, id, &i, 1);
        }
        if (there == MUS_PIN_NONE && here == MUS_PIN_PLACE) status = mus_cloth_unpin(world, id, &i, 1);
        if (status != MUS_STATUS_OK) return status;
    }
    return MUS_STATUS_OK;
}

static mus_status restore_cloths(mus_world *world, const mus_world *saved, int32_t *restored) {
    for (int64_t k = 0; k < world->cloth_order.count; k++) {
        int32_t slot = world->cloth_order.data[k];
        mus_cloth *cloth = world->cloths.data[slot].object;
        const mus_cloth *from = cloth_of(saved, cloth->name);
        if (!from || from->vertex_count != cloth->vertex_count) continue;
        size_t bytes = 3 * sizeof(double) * (size_t)cloth->vertex_count;
        memcpy(cloth->x, from->x, bytes);
        memcpy(cloth->v, from->v, bytes);
        cloth->previous_dt = from->previous_dt;
        mus_cloth_id id = {(uint32_t)slot, world->cloths.data[slot].generation};
        mus_status status = restore_pins(world, id, cloth, from);
        if (status != MUS_STATUS_OK) return status;
        ++*restored;
    }
    return MUS_STATUS_OK;
}

static mus_status restore_obstacles(mus_world *world, const mus_world *saved) {
    for (int64_t k = 0; k < world->obstacle_order.count; k++) {
        mus_obstacle *o = world->obstacles.data[world->obstacle_order.data[k]].object;
        const mus_obstacle *from = obstacle_of(saved, o->name);
        if (mus_law_is_function(&o->motion)) {
            mus_status status = mus_obstacle_pose_at(o, world->time, &o->pose);
            if (status != MUS_STATUS_OK) return status;
        } else if (from && mus_obstacle_is_dynamic(o) && mus_obstacle_is_dynamic(from)) {
            o->pose = from->pose;
            o->rigid.v = from->rigid.v;
            o->rigid.momentum = from->rigid.momentum;
            o->rigid.previous_dt = from->rigid.previous_dt;
        }
    }
    return MUS_STATUS_OK;
}

mus_status mus_snapshot_restore_by_name(const mus_snapshot *snapshot, mus_world *world, int32_t *restored) {
    *restored = 0;
    mus_status status = mus_world_check_unlocked(world, "world:restore");
    if (status == MUS_STATUS_OK) status = mus_world_check_complete(world);
    if (status != MUS_STATUS_OK) return status;
    mus_world *saved = NULL;
    mus_archive before = mus_archive_writer();
    mus_world_state(&before, world);
    status = before.status;
    if (status == MUS_STATUS_OK) status = mus_world_create_from_snapshot(snapshot, &saved);
    if (status == MUS_STATUS_OK) {
        world->time = saved->time;
        world->step_index = saved->step_index;
        world->rng = saved->rng;
        status = restore_cloths(world, saved, restored);
        if (status == MUS_STATUS_OK && *restored == 0)
            status =
                mus_fail(MUS_STATUS_INVALID, "world: restore by name: no cloth has the name and the number of vertices "
                                             "of a saved one");
        if (status == MUS_STATUS_OK) status = restore_obstacles(world, saved);
        if (status == MUS_STATUS_OK) {
            mus_world_changed(world); /* the solver's state is of another world */
            status = mus_world_validate(world);
        }
        if (status != MUS_STATUS_OK) {
            mus_archive back = mus_archive_reader(before.written, before.size, MUS_ARCHIVE_READ);
            back.trusted = true;
            mus_world_state(&back, world);
            *restored = 0;
        }
    }
    if (saved) mus_world_destroy(saved);
    mus_archive_free(&before);
    return status;
}
