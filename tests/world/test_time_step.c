/* test_time_step.c: worlds that choose the length of their steps between bounds: free fall is exact, what lies takes
 * long steps and what is hit takes short ones, and every run chooses alike. */
#include "scene.h"

enum { FPS = 60 };
static const double shortest = 1.0 / 1920, longest = 1.0 / 60;

static mus_world *make(const char *preset, int32_t threads, bool gravity) {
    mus_world_def def = mus_world_def_default();
    def.dt_min = shortest, def.dt_max = longest, def.threads = threads, def.air_density = 0;
    if (!gravity) def.gravity[1] = 0;
    if (strcmp(preset, "offset") == 0) {
        def.pipeline.response = "ogc", def.pipeline.integrator = "incremental";
        def.pipeline.failsafe = "truncation", def.pipeline.strain = "none";
    } else if (strcmp(preset, "verlet") == 0) {
        def.pipeline.integrator = "verlet";
    } else if (strcmp(preset, "provot") == 0) {
        def.pipeline.narrow = "cubic_ccd", def.pipeline.response = "provot",
        def.pipeline.integrator = "semi_implicit_euler", def.pipeline.failsafe = "provot_zones";
    }
    mus_world *world = NULL;
    must(mus_world_create(&def, &world));
    return world;
}

static mus_status strike(void *user, double t, mus_pose *pose) {
    (void)user;
    pose->position[1] = fmax(1 - 30 * fmax(0, t - 0.25), -0.1);
    return MUS_STATUS_OK;
}

/* A sheet that hangs from two corners and is struck by a ball at 30 m/s. */
static mus_world *struck(const char *preset, int32_t threads) {
    mus_world *world = make(preset, threads, true);
    mus_cloth_def def = mus_cloth_def_default();
    def.name = "sheet";
    mus_cloth_id id = add_cloth(world, grid_mesh(12, 12, 1, 1, "xz", v3_make(0, 0, 0)), def);
    const int32_t corners[] = {0, 11, 132, 143};
    must(mus_cloth_pin(world, id, corners, 4));
    mus_obstacle_id ball = add_sphere(world, 0.1, v3_make(0.02, 1, 0.01), 0.1);
    must(mus_obstacle_set_motion(world, ball, strike, NULL));
    return world;
}

static void play_frame(mus_world *world) {
    for (int k = mus_world_get_steps_per_frame(world); k > 0; k--) must(mus_world_step(world));
}

/* Under gravity alone, whatever the steps: x = g t^2/2 at the ends of frames, which are where they were. */
static void test_fall(void **state) {
    (void)state;
    static const char *const presets[] = {"robust", "offset", "verlet", "provot"};
    for (int p = 0; p < 4; p++) {
        mus_world *world = make(presets[p], 0, true);
        mus_cloth_def def = mus_cloth_def_default();
        mus_cloth_id id = add_cloth(world, grid_mesh(6, 6, 0.5, 0.5, "xz", v3_make(0, 0, 0)), def);
        int32_t first = mus_world_get_steps_per_frame(world);
        assert_int_equal(first, 4);
        for (int frame = 1; frame <= 20; frame++) {
            play_frame(world);
            double t = (double)frame / FPS, y = vertex_of(world, id, 17).y, wanted = -0.5 * 9.81 * t * t;
            assert_true(fabs(mus_world_get_time(world) - t) < 1e-12);
            if (fabs(y - wanted) > 1e-9) fail_msg("%s: at %g s y = %.12g, not %.12g", presets[p], t, y, wanted);
        }
        assert_int_equal(mus_world_get_steps_per_frame(world), 1); /* nothing requires less than the longest */
        mus_world_destroy(world);
    }
}

static void test_strike(void **state) {
    (void)state;
    static const char *const presets[] = {"robust", "offset"};
    for (int p = 0; p < 2; p++) {
        mus_world *world = struck(presets[p], 0);
        int32_t most = 0, before = 0;
        for (int frame = 0; frame < 60; frame++) {
            int32_t steps = mus_world_get_steps_per_frame(world);
            assert_true(steps >= 1 && steps <= 32);
            assert_true(fabs(mus_world_get_step_size(world) * steps * FPS - 1) < 1e-12);
            play_frame(world);
            mus_stats stats;
            mus_world_get_stats(world, &stats);
            assert_true(fabs(stats.dt * steps * FPS - 1) < 1e-12);
            if (getenv("MUSLIN_TALK"))
                print_message("# %d: %d steps, parts %d, zones %d, strain %g\n", frame, steps, stats.substeps,
                              stats.zones, stats.max_strain);
            if (frame == 14) before = steps;
            if (frame > 14 && frame < 24 && steps > most) most = steps;
            mus_audit_report report;
            must(mus_world_audit(world, 1e-4, &report));
            assert_int_equal(report.finding_count, 0);
            mus_audit_report_destroy(&report);
        }
        print_message("# %s: %d steps a frame before the ball, %d after, %d at the end\n", presets[p], before, most,
                      mus_world_get_steps_per_frame(world));
        assert_true(most >= 16 && before <= most / 2 && mus_world_get_steps_per_frame(world) <= most / 2);
        mus_world_destroy(world);
    }
}

/* What lies: the longest steps there are. */
static void test_rest(void **state) {
    (void)state;
    mus_world *world = make("robust", 0, true);
    add_cloth(world, grid_mesh(12, 12, 0.5, 0.5, "xz", v3_make(0, 1e-3, 0)), mus_cloth_def_default());
    add_plane(world, v3_make(0, 1, 0), v3_make(0, 0, 0), 0.3);
    for (int frame = 0; frame < 20; frame++) play_frame(world);
    assert_int_equal(mus_world_get_steps_per_frame(world), 1);
    mus_world_destroy(world);
}

static void test_threads(void **state) {
    (void)state;
    static const int32_t threads[] = {1, 2, 3, 8};
    uint64_t first = 0;
    for (int k = 0; k < 4; k++) {
        mus_world *world = struck("robust", threads[k]);
        for (int frame = 0; frame < 24; frame++) play_frame(world);
        if (k == 0) first = mus_world_get_hash(world);
        assert_int_equal(mus_world_get_hash(world), first);
        mus_world_destroy(world);
    }
}

/* In the middle of a frame too; and advance() chooses as frames do. */
static void test_resume(void **state) {
    (void)state;
    mus_world *world = struck("robust", 0), *other = struck("robust", 0);
    for (int frame = 0; frame < 17; frame++) play_frame(world);
    int32_t steps = mus_world_get_steps_per_frame(world);
    assert_true(steps > 2);
    must(mus_world_step(world));
    mus_snapshot *snapshot = NULL;
    must(mus_snapshot_create(world, &snapshot));
    must(mus_snapshot_restore(snapshot, other));
    mus_world *both[] = {world, other};
    for (int k = 0; k < 2; k++) {
        assert_int_equal(mus_world_get_steps_per_frame(both[k]), steps);
        for (int32_t m = 1; m < steps; m++) must(mus_world_step(both[k]));
        for (int frame = 0; frame < 6; frame++) play_frame(both[k]);
    }
    assert_int_equal(mus_world_get_hash(world), mus_world_get_hash(other));
    assert_int_equal(mus_world_get_step_index(world), mus_world_get_step_index(other));
    mus_snapshot_destroy(snapshot);
    mus_world_destroy(other);
    mus_world_destroy(world);
    world = struck("robust", 0), other = struck("robust", 0);
    for (int frame = 0; frame < 18; frame++) play_frame(world);
    must(mus_world_advance(other, 18.0 / FPS));
    assert_int_equal(mus_world_get_step_index(world), mus_world_get_step_index(other));
    assert_int_equal(mus_world_get_steps_per_frame(world), mus_world_get_steps_per_frame(other));
    mus_world_destroy(other);
    mus_world_destroy(world);
}

static mus_status refuse(mus_world *world, double t, void *user) {
    (void)world;
    (void)user;
    return t > 0.29 ? mus_fail(MUS_STATUS_HOOK, "no") : MUS_STATUS_OK;
}

/* A step that fails leaves the choice as it was. */
static void test_failure(void **state) {
    (void)state;
    mus_world *world = struck("robust", 0), *other = struck("robust", 0);
    mus_callbacks callbacks = {mus_callbacks_default().cookie, .after_step = refuse};
    mus_world_set_callbacks(world, &callbacks);
    mus_status status = MUS_STATUS_OK;
    while (status == MUS_STATUS_OK) status = mus_world_step(world);
    assert_int_equal(status, MUS_STATUS_HOOK);
    must_be(MUS_STATUS_HOOK, mus_world_step(world));
    mus_world_set_callbacks(world, NULL);
    while (mus_world_get_time(world) < 0.4) must(mus_world_step(world));
    while (mus_world_get_time(other) < 0.4) must(mus_world_step(other));
    assert_int_equal(mus_world_get_hash(world), mus_world_get_hash(other));
    mus_world_destroy(other);
    mus_world_destroy(world);
}

static void test_bounds(void **state) {
    (void)state;
    static const double bad[][2] = {{0, 0.01},   {0.01, 0},        {0.02, 0.01}, {-1, 0.01},
                                    {NAN, 0.01}, {0.01, INFINITY}, {1e-9, 0.01}};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        mus_world_def def = mus_world_def_default();
        mus_world *world = NULL;
        def.dt_min = bad[k][0], def.dt_max = bad[k][1];
        must_be(MUS_STATUS_INVALID, mus_world_create(&def, &world));
        if (!strstr(mus_get_error_message(), "'dt_m")) fail_msg("%s", mus_get_error_message());
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fall),    cmocka_unit_test(test_strike), cmocka_unit_test(test_rest),
        cmocka_unit_test(test_threads), cmocka_unit_test(test_resume), cmocka_unit_test(test_failure),
        cmocka_unit_test(test_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
