/* test_sleep.c: worlds at rest: when they fall asleep, what wakes them, and what a step without a solve does. */
#include "scene.h"

enum { MOST_STEPS = 240 };

typedef struct scene {
    mus_world *world;
    mus_cloth_id sheet;
    mus_obstacle_id floor;
} scene;

/* A sheet of 7 x 7 vertices that lies on a floor. */
static scene lying_sheet(void) {
    mus_world_def def = still_air(1.0 / 120, 9.81);
    def.sleep = true;
    scene s = {.world = world_of(def)};
    s.sheet = add_cloth(s.world, grid_mesh(7, 7, 0.2, 0.2, "xz", v3_make(0, 0.002, 0)), mus_cloth_def_default());
    s.floor = add_plane(s.world, v3_make(0, 1, 0), v3_make(0, 0, 0), 0.3);
    return s;
}

static int until_asleep(mus_world *world) {
    int count = 0;
    for (; !mus_world_is_asleep(world); count++) {
        if (count == MOST_STEPS) fail_msg("the world does not fall asleep within %d steps", count);
        steps(world, 1);
    }
    return count;
}

static double kinetic_energy_of(mus_world *world) {
    mus_energy energy;
    must(mus_world_get_energy(world, &energy));
    return energy.kinetic;
}

static void test_falls_asleep(void **state) {
    (void)state;
    scene s = lying_sheet();
    int falls = until_asleep(s.world);
    assert_in_range(falls, 60, 120); /* half a second, and the fall of a millimeter */
    assert_true(kinetic_energy_of(s.world) == 0);
    v3 corner = vertex_of(s.world, s.sheet, 0);
    double time = mus_world_get_time(s.world);
    steps(s.world, 12);
    mus_stats stats;
    mus_world_get_stats(s.world, &stats);
    assert_int_equal(stats.substeps, 0);
    assert_true(stats.contacts >= 40);
    v3 now = vertex_of(s.world, s.sheet, 0);
    assert_memory_equal(&corner, &now, sizeof corner);
    assert_true(fabs(mus_world_get_time(s.world) - time - 0.1) < 1e-12);
    assert_int_equal(mus_world_get_step_index(s.world), falls + 12);
    mus_world_wake(s.world);
    assert_false(mus_world_is_asleep(s.world));
    steps(s.world, 1);
    mus_world_get_stats(s.world, &stats);
    assert_int_equal(stats.substeps, 1);
    mus_world_destroy(s.world);
}

/* Positions need mus_cloth_mark_positions_changed; velocities and forces nothing. */
static void test_written_values_wake(void **state) {
    (void)state;
    scene s = lying_sheet();
    until_asleep(s.world);
    mus_cloth_get_velocities(s.world, s.sheet)[1] = 1e-3;
    steps(s.world, 1);
    assert_false(mus_world_is_asleep(s.world));
    until_asleep(s.world);
    mus_cloth_get_positions(s.world, s.sheet)[1] += 1e-4;
    must(mus_cloth_mark_positions_changed(s.world, s.sheet));
    steps(s.world, 1);
    assert_false(mus_world_is_asleep(s.world));
    mus_world_destroy(s.world);
}

static mus_status force_from_two_seconds_on(mus_world *world, double t, void *user) {
    const mus_cloth_id *sheet = user;
    mus_cloth_get_forces(world, *sheet)[0] = t < 2 ? 1e-4 : 2e-4;
    return MUS_STATUS_OK;
}

static void test_forces(void **state) {
    (void)state;
    scene s = lying_sheet();
    mus_callbacks callbacks = mus_callbacks_default();
    callbacks.forces = force_from_two_seconds_on, callbacks.user = &s.sheet;
    must(mus_world_set_callbacks(s.world, &callbacks));
    until_asleep(s.world);
    while (mus_world_get_time(s.world) < 2) {
        assert_true(mus_world_is_asleep(s.world));
        steps(s.world, 1);
    }
    steps(s.world, 1);
    assert_false(mus_world_is_asleep(s.world));
    mus_world_destroy(s.world);
}

/* A ball on frictionless ground whose surface moves by 1 mm/s, or 0.1. */
static void test_a_spinning_body(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        scene s = lying_sheet();
        mus_obstacle_def def = mus_obstacle_def_default();
        mus_obstacle_id ball;
        def.shape = MUS_SHAPE_SPHERE, def.radius = 0.05, def.dynamic = true, def.mass = 0.5;
        def.friction = 0, def.pose.position[0] = 0.4, def.pose.position[1] = 0.0505;
        must(mus_obstacle_create(s.world, &def, &ball));
        must(mus_world_set_coefficient(s.world, mus_object_from_obstacle(ball), mus_object_from_obstacle(s.floor),
                                       MUS_COEFFICIENT_FRICTION, 0));
        must(mus_obstacle_set_velocity(s.world, ball, NULL, (const double[]){0, k ? 0.002 : 0.02, 0}));
        steps(s.world, MOST_STEPS);
        assert_int_equal(mus_world_is_asleep(s.world), k);
        mus_world_destroy(s.world);
    }
}

static mus_status lift(void *user, double t, mus_pose *pose) {
    pose->position[1] = *(const double *)user + fmax(0, t - 2 - 1e-9);
    return MUS_STATUS_OK;
}

/* One ball that moves beside the sheet wakes the world, one far from it does not, and moves. */
static void test_moved_obstacles(void **state) {
    (void)state;
    static const double height = 0.0505;
    for (int far = 0; far < 2; far++) {
        scene s = lying_sheet();
        mus_obstacle_id ball = add_sphere(s.world, 0.05, v3_make(far ? 3 : 0.1505, height, 0), 0.3);
        must(mus_obstacle_set_motion(s.world, ball, lift, (void *)(uintptr_t)&height));
        steps(s.world, MOST_STEPS);
        assert_true(mus_world_is_asleep(s.world));
        steps(s.world, 1);
        assert_int_equal(mus_world_is_asleep(s.world), far);
        mus_pose pose;
        must(mus_obstacle_get_pose(s.world, ball, &pose));
        assert_true(fabs(pose.position[1] - height - 1.0 / 120) < 1e-8);
        mus_world_destroy(s.world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_falls_asleep),    cmocka_unit_test(test_written_values_wake),
        cmocka_unit_test(test_forces),          cmocka_unit_test(test_a_spinning_body),
        cmocka_unit_test(test_moved_obstacles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
