/* falling.h: a scene in which contacts of all kinds are met: two sheets, "under" and "over", cross as they fall on a
 * "floor" and a "ball". */
#ifndef TESTS_WORLD_FALLING_H
#define TESTS_WORLD_FALLING_H

#include "muslin.h"

static inline void check(mus_status status) {
    if (status != MUS_STATUS_OK) fail_msg("%s", mus_get_error_message());
}

static inline mus_world *falling_world(const mus_world_def *def) {
    mus_world *world;
    mus_obstacle_id id;
    check(mus_world_create(def, &world));
    for (int k = 0; k < 2; k++) {
        mus_mesh *mesh;
        mus_cloth_id cloth;
        mus_grid_def grid = {mus_grid_def_default().cookie, .nodes = {12, 11 + k}, .size = {0.3, 0.3},
                             .center = {0.01 * k, 0.04 + 0.012 * k, 0}};
        check(mus_mesh_create_grid(&grid, &mesh));
        mus_cloth_def sheet = mus_cloth_def_default();
        sheet.mesh = mesh, sheet.thickness = 4e-3, sheet.velocity[0] = 0.6 * k, sheet.velocity[1] = -1;
        sheet.name = k ? "over" : "under";
        check(mus_cloth_create(world, &sheet, &cloth));
        mus_mesh_destroy(mesh);
    }
    mus_obstacle_def floor = mus_obstacle_def_default(), ball = floor;
    floor.shape = MUS_SHAPE_PLANE, floor.normal[1] = 1, floor.name = "floor";
    ball.shape = MUS_SHAPE_SPHERE, ball.radius = 0.02, ball.pose.position[1] = 0.01, ball.name = "ball";
    check(mus_obstacle_create(world, &floor, &id));
    check(mus_obstacle_create(world, &ball, &id));
    return world;
}

#endif
