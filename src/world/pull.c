/* pull.c: soft pins as forces: springs of rest length 0 between vertices and the places where pins would fix them.
 * Those to rigid bodies are no forces of the step, as their places are unknown: solve/coupled/attachments.c. */
#include "dynamics/node_force.h"
#include "world/pin.h"
#include "world/slots.h"

/* The obstacle that vertices are pulled to, at the start and at the end of the step: motions may be scripts, and one is
 * evaluated once for a run of vertices. */
typedef struct step_targets {
    int32_t slot; /* of the obstacle; -1: none yet */
    mus_pin_target start, end;
} step_targets;

static mus_status find_targets(const mus_world *world, int32_t slot, double dt, step_targets *targets) {
    if (targets->slot == slot) return MUS_STATUS_OK;
    const mus_obstacle *obstacle = world->obstacles.data[slot].object;
    mus_pose pose = obstacle->pose;
    mus_status status = MUS_STATUS_OK;
    if (mus_obstacle_moves(obstacle)) status = mus_obstacle_pose_at(obstacle, world->time + dt, &pose);
    if (status != MUS_STATUS_OK) return status;
    targets->slot = slot;
    mus_pin_target_make(obstacle, &obstacle->pose, world->time, &targets->start);
    mus_pin_target_make(obstacle, &pose, world->time + dt, &targets->end);
    return MUS_STATUS_OK;
}

static mus_status pull(mus_world *world, mus_cloth *cloth, int32_t i, double dt, bool with_jacobian,
                       step_targets *targets) {
    const mus_pin *pin = &cloth->pins[i];
    mus_status status = MUS_STATUS_OK;
    if (mus_pin_is_to_obstacle(pin)) status = find_targets(world, pin->target, dt, targets);
    mus_vertex_spring spring = {.stiffness = pin->stiffness, .damping = pin->damping};
    v3 from = {0};
    if (status == MUS_STATUS_OK) status = mus_pin_place(world, cloth, i, world->time + dt, &targets->end, &spring.at);
    if (status == MUS_STATUS_OK && pin->damping > 0)
        status = mus_pin_place(world, cloth, i, world->time, &targets->start, &from);
    if (status != MUS_STATUS_OK) return status;
    if (pin->damping > 0) spring.velocity = v3_scale(1 / dt, v3_sub(spring.at, from));
    mus_vertex_spring_add(cloth, i, &spring, dt, with_jacobian);
    return MUS_STATUS_OK;
}

mus_status mus_world_add_pulls(mus_world *world, double dt) {
    if (mus_world_projects_pulls(world)) return MUS_STATUS_OK;
    step_targets targets = {.slot = -1};
    for (int64_t k = 0; k < world->cloth_order.count; k++) {
        mus_cloth *cloth = world->cloths.data[world->cloth_order.data[k]].object;
        bool with_jacobian = false, reserved = false;
        for (int32_t i = 0; cloth->pin_count && i < cloth->vertex_count; i++) {
            if (!mus_vertex_is_pulled(cloth, i) || mus_pin_is_to_body(world, &cloth->pins[i])) continue;
            mus_status status = MUS_STATUS_OK;
            if (!reserved) status = mus_world_reserve_jacobian(world, cloth, &with_jacobian);
            reserved = true;
            if (status == MUS_STATUS_OK) status = pull(world, cloth, i, dt, with_jacobian, &targets);
            if (status != MUS_STATUS_OK) return status;
        }
    }
    return MUS_STATUS_OK;
}

bool mus_cloth_get_pull_place(const mus_world *world, mus_cloth_id id, int32_t vertex, double place[3]) {
    const mus_cloth *cloth = mus_world_find_cloth(world, id);
    if (!cloth || vertex < 0 || vertex >= cloth->vertex_count) return false;
    const mus_pin *pin = &cloth->pins[vertex];
    if (!(pin->stiffness > 0) || pin->kind == MUS_PIN_PATH) return false;
    mus_pin_target target = {0};
    if (mus_pin_is_to_obstacle(pin)) {
        const mus_obstacle *obstacle = world->obstacles.data[pin->target].object;
        mus_pin_target_make(obstacle, &obstacle->pose, world->time, &target);
    }
    v3 at;
    if (mus_pin_place(world, cloth, vertex, world->time, &target, &at) != MUS_STATUS_OK) return false;
    v3_store(place, at);
    return true;
}
