/* world_force.c: traced forces on the vertices of cloth, from within the callback of forces. */
#include "dynamics/node_force.h"
#include "solve/potential.h"
#include "world/slots.h"

mus_status mus_cloth_add_node_force(mus_world *world, mus_cloth_id id, const mus_program *program) {
    mus_cloth *cloth = mus_world_find_cloth(world, id);
    if (!cloth) return MUS_STATUS_STALE;
    if (!program || mus_program_get_kind(program) != MUS_PROGRAM_NODE_FORCE)
        return mus_fail(MUS_STATUS_INVALID, "cloth '%s': a force on its nodes must be a program of that kind",
                        cloth->name);
    if (!world->forcing)
        return mus_fail(MUS_STATUS_LOCKED, "cloth '%s': forces on nodes are added while forces are collected only",
                        cloth->name);
    const mus_solver_def *def = &world->solver_def;
    bool holds = def->family == &mus_family_potential || def->integrator == &mus_integrator_implicit_euler;
    size_t bytes = sizeof(double) * mus_cloth_hold_room(cloth);
    if (holds && !cloth->hold && !(cloth->hold = mus_new(bytes))) return MUS_STATUS_NO_MEMORY;
    bool normals = false;
    for (int k = 0; k < 3; k++) normals |= mus_program_uses(program, MUS_INPUT_NORMAL + k);
    if (normals && mus_cloth_compute_normals(cloth) != MUS_STATUS_OK) return MUS_STATUS_NO_MEMORY;
    int64_t room = mus_node_force_room(program), had = world->force_room.capacity;
    if (!mus_array_reserve(&world->force_room, room + 1)) return MUS_STATUS_NO_MEMORY;
    if (world->force_room.capacity > had) /* lanes that nobody fills are computed with, too */
        memset(world->force_room.data + had, 0, sizeof(double) * (size_t)(world->force_room.capacity - had));
    int32_t vertex;
    if (mus_node_force_add(program, cloth, world->time, mus_world_step_size(world), holds, world->force_room.data,
                           &vertex))
        return MUS_STATUS_OK;
    return mus_fail(MUS_STATUS_INVALID, "node force: the force on vertex %d of cloth '%s' is not finite", vertex + 1,
                    cloth->name);
}
