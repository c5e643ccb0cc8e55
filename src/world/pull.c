/* pull.c: soft pins as forces: springs of rest length 0 between vertices and the places where pins would fix them. */
#include "dynamics/node_force.h"
#include "model/obstacle.h"
#include "world/slots.h"
#include "world/world_state.h"

/* The place at time t, which is now or the end of the step. */
static mus_status place_at(const mus_world *world, const mus_cloth *cloth, int32_t i, double t, v3 *place) {
    if (cloth->pins[i].kind != MUS_PIN_OBSTACLE) return mus_world_place_pin(world, cloth, i, t, NULL, place);
    const mus_obstacle *obstacle = world->obstacles.data[cloth->pins[i].target].object;
    mus_pose pose = obstacle->pose;
    mus_status status = mus_obstacle_moves(obstacle) ? mus_obstacle_pose_at(obstacle, t, &pose) : MUS_STATUS_OK;
    return status == MUS_STATUS_OK ? mus_world_place_pin(world, cloth, i, t, &pose, place) : status;
}

static mus_status pull(mus_world *world, mus_cloth *cloth, int32_t i, double dt, bool with_jacobian) {
    const mus_pin *pin = &cloth->pins[i];
    double stiffness = pin->stiffness, damping = pin->damping, rate = 1 / dt, mass = cloth->mass[i];
    if (!with_jacobian)
        stiffness = fmin(stiffness, 0.25 * mass * rate * rate), damping = fmin(damping, 0.25 * mass * rate);
    v3 from, to;
    mus_status status = place_at(world, cloth, i, world->time + dt, &to);
    if (status == MUS_STATUS_OK && damping > 0) status = place_at(world, cloth, i, world->time, &from);
    if (status != MUS_STATUS_OK) return status;
    mus_vertex_spring_add(cloth, i, to, stiffness, damping, with_jacobian);
    if (damping > 0) { /* by the velocity relative to the place */
        double *f = cloth->f + 3 * (size_t)i;
        v3_store(f, v3_axpy(damping * rate, v3_sub(to, from), v3_load(f)));
    }
    return MUS_STATUS_OK;
}

mus_status mus_world_add_pulls(mus_world *world, double dt) {
    if (mus_world_projects_pulls(world)) return MUS_STATUS_OK;
    for (int64_t k = 0; k < world->cloth_order.count; k++) {
        mus_cloth *cloth = world->cloths.data[world->cloth_order.data[k]].object;
        bool with_jacobian = false, reserved = false;
        for (int32_t i = 0; cloth->pin_count && i < cloth->vertex_count; i++) {
            if (!mus_vertex_is_pulled(cloth, i)) continue;
            mus_status status = MUS_STATUS_OK;
            if (!reserved) status = mus_world_reserve_jacobian(world, cloth, &with_jacobian);
            reserved = true;
            if (status == MUS_STATUS_OK) status = pull(world, cloth, i, dt, with_jacobian);
            if (status != MUS_STATUS_OK) return status;
        }
    }
    return MUS_STATUS_OK;
}
