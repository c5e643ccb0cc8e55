/* pull.c: soft pins as forces: springs of rest length 0 between vertices and the places where pins would fix them. */
#include "dynamics/node_force.h"
#include "model/obstacle.h"
#include "world/slots.h"
#include "world/world_state.h"

/* The pose at the end of the step of the obstacle that vertices are pulled to: motions may be scripts, and one is
 * evaluated once for a run of vertices. */
typedef struct end_pose {
    int32_t target; /* slot of the obstacle; -1: none yet */
    mus_pose pose;
} end_pose;

static mus_status find_end_pose(const mus_world *world, int32_t target, double t, end_pose *end) {
    if (end->target == target) return MUS_STATUS_OK;
    const mus_obstacle *obstacle = world->obstacles.data[target].object;
    end->target = target, end->pose = obstacle->pose;
    return mus_obstacle_moves(obstacle) ? mus_obstacle_pose_at(obstacle, t, &end->pose) : MUS_STATUS_OK;
}

static mus_status pull(mus_world *world, mus_cloth *cloth, int32_t i, double dt, bool with_jacobian, end_pose *end) {
    const mus_pin *pin = &cloth->pins[i];
    const mus_pose *pose = NULL;
    mus_status status = MUS_STATUS_OK;
    if (pin->kind == MUS_PIN_OBSTACLE) {
        status = find_end_pose(world, pin->target, world->time + dt, end);
        pose = &((const mus_obstacle *)world->obstacles.data[pin->target].object)->pose;
    }
    mus_vertex_spring spring = {.stiffness = pin->stiffness, .damping = pin->damping};
    v3 from = {0};
    if (status == MUS_STATUS_OK)
        status = mus_world_place_pin(world, cloth, i, world->time + dt, pose ? &end->pose : NULL, &spring.at);
    if (status == MUS_STATUS_OK && pin->damping > 0)
        status = mus_world_place_pin(world, cloth, i, world->time, pose, &from);
    if (status != MUS_STATUS_OK) return status;
    if (pin->damping > 0) spring.velocity = v3_scale(1 / dt, v3_sub(spring.at, from));
    mus_vertex_spring_add(cloth, i, &spring, dt, with_jacobian);
    return MUS_STATUS_OK;
}

mus_status mus_world_add_pulls(mus_world *world, double dt) {
    if (mus_world_projects_pulls(world)) return MUS_STATUS_OK;
    end_pose end = {.target = -1};
    for (int64_t k = 0; k < world->cloth_order.count; k++) {
        mus_cloth *cloth = world->cloths.data[world->cloth_order.data[k]].object;
        bool with_jacobian = false, reserved = false;
        for (int32_t i = 0; cloth->pin_count && i < cloth->vertex_count; i++) {
            if (!mus_vertex_is_pulled(cloth, i)) continue;
            mus_status status = MUS_STATUS_OK;
            if (!reserved) status = mus_world_reserve_jacobian(world, cloth, &with_jacobian);
            reserved = true;
            if (status == MUS_STATUS_OK) status = pull(world, cloth, i, dt, with_jacobian, &end);
            if (status != MUS_STATUS_OK) return status;
        }
    }
    return MUS_STATUS_OK;
}
