/* test_pull.c: the pulling constraint of position-based dynamics: closed forms of its motion and its rest, its limit of
 * full weight, and what it refuses. */
#include "scene.h"

static mus_world_def position_based(double dt, double gravity) {
    mus_world_def def = still_air(dt, gravity);
    def.pipeline.integrator = "position_based";
    return def;
}

/* No forces of its own: every vertex is by itself. */
static mus_cloth_def loose(void) {
    mus_cloth_def def = mus_cloth_def_default();
    def.material.stretch = def.material.shear = def.material.bend = def.material.bending = 0;
    def.material.strain_limit = def.material.drag = 0;
    def.self_collision = false;
    return def;
}

static mus_status path(void *user, double t, int32_t vertex, double position[3]) {
    (void)vertex;
    const double *start = user;
    position[0] = start[0] + 0.3 * t, position[1] = start[1] + 0.1 * t, position[2] = start[2] - 0.2 * t * t;
    return MUS_STATUS_OK;
}

/* x' = x* + s/(1 + s) (goal - x*), x* = x + dt v, s = stiffness dt^2/m, however many sweeps there are: a step of
 * implicit Euler of m x'' = stiffness (goal - x). The other vertices do not move. */
static void test_motion(void **state) {
    (void)state;
    const double stiffness[] = {0.01, 1, 300}, dt = 1.0 / 120;
    for (int k = 0; k < 3; k++) {
        mus_world *world = world_of(position_based(dt, 0));
        mus_cloth_id id = add_cloth(world, grid_mesh(3, 3, 0.2, 0.2, "xz", v3_make(0.1, 1, -0.2)), loose());
        v3 start = vertex_of(world, id, 4), x = start, v = v3_make(0, 0, 0), corner = vertex_of(world, id, 0);
        must(mus_cloth_pull(
            world, id, (int32_t[]){4}, 1,
            &(mus_pull_def){mus_pull_def_default().cookie, .stiffness = stiffness[k], .path = path, .user = &start}));
        assert_true(mus_cloth_get_pull_stiffness(world, id, 4) == stiffness[k] &&
                    mus_cloth_get_pull_stiffness(world, id, 3) == 0);
        assert_false(mus_cloth_is_pinned(world, id, 4));
        double s = stiffness[k] * dt * dt / mus_cloth_get_masses(world, id)[4];
        for (int step = 1; step <= 20; step++) {
            must(mus_world_step(world));
            double goal[3];
            must(path(&start, step * dt, 4, goal));
            v3 ahead = v3_axpy(dt, v, x), to = v3_lerp(ahead, v3_load(goal), s / (1 + s));
            v = v3_scale(1 / dt, v3_sub(to, x)), x = to;
            assert_true(v3_length(v3_sub(vertex_of(world, id, 4), x)) < 1e-12);
            assert_true(v3_length(v3_sub(velocity_of(world, id, 4), v)) < 1e-9);
        }
        assert_true(v3_length(v3_sub(x, start)) > 1e-5);
        assert_true(memcmp(&corner, mus_cloth_get_positions(world, id), sizeof corner) == 0);
        mus_world_destroy(world);
    }
}

/* At rest the springs of the pulls carry the sheet: stiffness times the sum of (goal - x) is its weight. */
static void test_rest(void **state) {
    (void)state;
    const double stiffness = 5, gravity = 9.81;
    mus_world *world = world_of(position_based(1.0 / 240, gravity));
    mus_cloth_def def = mus_cloth_def_default();
    def.material.viscous_damping = 6;
    mus_cloth_id id = add_cloth(world, grid_mesh(6, 6, 0.2, 0.2, "xy", v3_make(0, 1, 0)), def);
    const int32_t corners[2] = {30, 35};
    v3 start[2] = {vertex_of(world, id, 30), vertex_of(world, id, 35)};
    must(mus_cloth_pull(world, id, corners, 2, &(mus_pull_def){mus_pull_def_default().cookie, .stiffness = stiffness}));
    steps(world, 1200);
    v3 force = v3_make(0, 0, 0);
    for (int k = 0; k < 2; k++) force = v3_axpy(stiffness, v3_sub(start[k], vertex_of(world, id, corners[k])), force);
    double weight = mass_of(world, id) * gravity;
    near(force.y, weight, 0.01 * weight, "what the pulls carry");
    near(force.x, 0, 0.01 * weight, "what they carry sideways");
    near(force.z, 0, 0.01 * weight, "what they carry sideways");
    mus_world_destroy(world);
}

/* Ever stiffer, a pull is a pin: along a path and on an obstacle that moves. How far its vertices stay behind goes down
 * as the stiffness goes up, and the sheet goes with them: but for the order of the step, since projections that move a
 * vertex turn its edges by other angles than those that may not. */
static mus_status orbit(void *user, double t, mus_pose *pose) {
    (void)user;
    pose->position[0] = 0.2 * mus_sin(3 * t), pose->position[1] = 1, pose->position[2] = 0;
    return MUS_STATUS_OK;
}

static void add_driven_cloth(mus_world *world, mus_cloth_id *id, double stiffness, double *start) {
    mus_cloth_def def = stiff_cloth();
    /* soft within its plane, so that 40 sweeps are enough for both */
    def.material.stretch = 10, def.material.shear = 5, def.material.bend = 0, def.material.strain_limit = 0;
    *id = add_cloth(world, grid_mesh(5, 5, 0.2, 0.2, "xy", v3_make(0, 0.8, 0)), def);
    mus_obstacle_id ball = add_sphere(world, 0.03, v3_make(0, 1, 0), 0.3);
    must(mus_obstacle_set_motion(world, ball, orbit, NULL));
    v3_store(start, vertex_of(world, *id, 0));
    const int32_t top[2] = {20, 24}, low[1] = {0};
    if (stiffness > 0) {
        must(mus_cloth_pull(world, *id, top, 2,
                            &(mus_pull_def){mus_pull_def_default().cookie, .stiffness = stiffness, .to = &ball}));
        mus_pull_def along = {mus_pull_def_default().cookie, .stiffness = stiffness, .path = path, .user = start};
        must(mus_cloth_pull(world, *id, low, 1, &along));
    } else {
        must(mus_cloth_pin_to_obstacle(world, *id, top, 2, ball));
        must(mus_cloth_pin_to_path(world, *id, low, 1, path, start));
    }
}

static void test_limit(void **state) {
    (void)state;
    const double stiffness[] = {10, 1e3, 1e5, 1e7};
    const int32_t driven[3] = {0, 20, 24};
    double start[3], sheet[2];
    for (int fine = 0; fine < 2; fine++) {
        double dt = fine ? 1.0 / 960 : 1.0 / 240, last = INFINITY;
        mus_world *pinned = world_of(position_based(dt, 9.81));
        mus_cloth_id wanted;
        add_driven_cloth(pinned, &wanted, 0, start);
        steps(pinned, fine ? 240 : 60);
        for (int k = 0; k < 4; k++) {
            mus_world *world = world_of(position_based(dt, 9.81));
            mus_cloth_id id;
            add_driven_cloth(world, &id, stiffness[k], start);
            steps(world, fine ? 240 : 60);
            double behind = 0;
            sheet[fine] = 0;
            for (int32_t i = 0; i < 25; i++) {
                double off = v3_length(v3_sub(vertex_of(world, id, i), vertex_of(pinned, wanted, i)));
                sheet[fine] = fmax(sheet[fine], off);
                if (i == driven[0] || i == driven[1] || i == driven[2]) behind = fmax(behind, off);
            }
            v3 goal = v3_make(7, 8, 9); /* the pinned vertex is there */
            assert_true(mus_cloth_get_pull_place(world, id, 24, (double *)&goal));
            assert_true(v3_length(v3_sub(goal, vertex_of(pinned, wanted, 24))) < 1e-12);
            assert_false(mus_cloth_get_pull_place(world, id, 0, (double *)&goal)); /* along a path */
            assert_false(mus_cloth_get_pull_place(world, id, 12, (double *)&goal));
            assert_false(mus_cloth_get_pull_place(pinned, wanted, 24, (double *)&goal));
            assert_true(v3_length(v3_sub(goal, vertex_of(pinned, wanted, 24))) < 1e-12);
            print_message("# %g N/m: %.3g m behind, the sheet %.3g\n", stiffness[k], behind, sheet[fine]);
            assert_true(behind < 0.02 * last);
            last = behind;
            mus_world_destroy(world);
        }
        mus_world_destroy(pinned);
    }
    assert_true(sheet[0] < 5e-4 && sheet[1] < 0.4 * sheet[0]);
}

static void expect_message(mus_status status, const char *a, const char *b) {
    assert_int_equal(status, MUS_STATUS_INVALID);
    if (!strstr(mus_get_error_message(), a) || !strstr(mus_get_error_message(), b))
        fail_msg("%s", mus_get_error_message());
}

static void test_refused(void **state) {
    (void)state;
    const int32_t one[1] = {0}, far[1] = {9};
    mus_world *world = world_of(position_based(1.0 / 120, 9.81));
    mus_cloth_id id = add_cloth(world, grid_mesh(3, 3, 0.2, 0.2, "xz", v3_make(0, 1, 0)), loose());
    mus_obstacle_id ball = add_sphere(world, 0.03, v3_make(0, 0, 0), 0.3);
    expect_message(mus_cloth_pull(world, id, one, 1, &(mus_pull_def){mus_pull_def_default().cookie, .stiffness = 0}),
                   "stiffness", "0");
    expect_message(mus_cloth_pull(world, id, one, 1, &(mus_pull_def){mus_pull_def_default().cookie, .stiffness = -2}),
                   "stiffness", "-2");
    expect_message(
        mus_cloth_pull(world, id, one, 1, &(mus_pull_def){mus_pull_def_default().cookie, .stiffness = INFINITY}),
        "stiffness", "finite");
    expect_message(mus_cloth_pull(world, id, far, 1, &(mus_pull_def){mus_pull_def_default().cookie, .stiffness = 1}),
                   "1 to 9", "10");
    expect_message(
        mus_cloth_pull(world, id, one, 1,
                       &(mus_pull_def){mus_pull_def_default().cookie, .stiffness = 1, .to = &ball, .path = path}),
        "'to'", "'path'");
    assert_true(mus_cloth_get_pull_stiffness(world, id, 0) == 0 && mus_cloth_get_pull_stiffness(world, id, -1) == 0 &&
                mus_cloth_get_pull_stiffness(world, id, 9) == 0);
    mus_world_destroy(world);
    static const char *const others[] = {"implicit_euler", "semi_implicit_euler", "verlet", "rk4"};
    for (int k = 0; k < 4; k++) {
        mus_world_def def = still_air(1.0 / 120, 9.81);
        def.pipeline.integrator = others[k];
        world = world_of(def);
        id = add_cloth(world, grid_mesh(3, 3, 0.2, 0.2, "xz", v3_make(0, 1, 0)), mus_cloth_def_default());
        must(mus_cloth_pull(world, id, one, 1,
                            &(mus_pull_def){mus_pull_def_default().cookie, .stiffness = 1, .damping = 0.01}));
        assert_true(mus_cloth_get_pull_stiffness(world, id, one[0]) == 1);
        for (int step = 0; step < 10; step++) must(mus_world_step(world));
        mus_world_destroy(world);
    }
}

/* A pin replaces a pull and a pull a pin; inverse masses follow. */
static void test_exchange(void **state) {
    (void)state;
    const int32_t one[1] = {4};
    mus_world *world = world_of(position_based(1.0 / 120, 0));
    mus_cloth_id id = add_cloth(world, grid_mesh(3, 3, 0.2, 0.2, "xz", v3_make(0, 1, 0)), loose());
    double w = mus_cloth_get_inverse_masses(world, id)[4];
    const mus_pull_def def = {mus_pull_def_default().cookie, .stiffness = 2};
    mus_cloth_get_velocities(world, id)[3 * 4] = 0.1;
    must(mus_cloth_pull(world, id, one, 1, &def));
    assert_true(mus_cloth_get_velocities(world, id)[3 * 4] == 0.1); /* it flies on */
    assert_true(mus_cloth_get_inverse_masses(world, id)[4] == w);
    steps(world, 1);
    must(mus_cloth_pin(world, id, one, 1));
    assert_true(mus_cloth_get_inverse_masses(world, id)[4] == 0 && mus_cloth_is_pinned(world, id, 4) &&
                mus_cloth_get_pull_stiffness(world, id, 4) == 0);
    v3 pinned_position = vertex_of(world, id, 4);
    steps(world, 3);
    assert_true(v3_length(v3_sub(vertex_of(world, id, 4), pinned_position)) == 0);
    must(mus_cloth_pull(world, id, one, 1, &def));
    assert_true(mus_cloth_get_inverse_masses(world, id)[4] == w && !mus_cloth_is_pinned(world, id, 4));
    must(mus_cloth_unpin(world, id, NULL, 0));
    assert_true(mus_cloth_get_pull_stiffness(world, id, 4) == 0 && mus_cloth_get_inverse_masses(world, id)[4] == w);
    mus_cloth_get_velocities(world, id)[3 * 4] = 0.1;
    steps(world, 12);
    near(velocity_of(world, id, 4).x, 0.1, 1e-12, "nothing pulls any more");
    mus_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_motion), cmocka_unit_test(test_rest),
                                       cmocka_unit_test(test_limit), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_exchange)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
