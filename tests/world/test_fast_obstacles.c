/* test_fast_obstacles.c: fast scripted obstacles: followed in substeps while they are near cloth, in none further past
 * it than two fifths of the mean edge; refused by name where that takes too many substeps. */
#include "scene.h"

static const double dt = 1.0 / 120, edge = 0.02;

/* m: two fifths of the mean edge of a grid of 11 x 11 vertices, which has 220 sides and 100 diagonals. */
static double travel(void) {
    return 0.4 * edge * (220 + 100 * sqrt(2)) / 320;
}

typedef struct bar_motion {
    double start, speed; /* m, m/s, along z */
    double spin;         /* rad/s about x */
} bar_motion;

static mus_status move_bar(void *user, double t, mus_pose *pose) {
    const bar_motion *l = user;
    pose->position[2] = l->start + l->speed * t;
    turn(pose->rotation, v3_make(1, 0, 0), l->spin * t);
    return MUS_STATUS_OK;
}

/* A sheet of 0.2 m that hangs by two corners, and a bar of 0.3 m along y. */
static mus_world *make(const char *family, bar_motion *l) {
    static const int32_t corners[] = {110, 120};
    mus_world_def def = still_air(dt, 9.81);
    if (strcmp(family, "offset") == 0) {
        def.pipeline.response = "ogc", def.pipeline.integrator = "incremental";
        def.pipeline.failsafe = "truncation", def.pipeline.strain = "none";
    }
    mus_world *world = world_of(def);
    mus_cloth_def cloth = mus_cloth_def_default();
    cloth.name = "sheet";
    mus_cloth_id id = add_cloth(world, grid_mesh(11, 11, 10 * edge, 10 * edge, "xy", v3_make(0, 0, 0)), cloth);
    must(mus_cloth_pin(world, id, corners, 2));
    mus_obstacle_def bar = mus_obstacle_def_default();
    mus_obstacle_id bar_id;
    bar.name = "bar", bar.shape = MUS_SHAPE_BOX;
    bar.size[0] = bar.size[2] = 0.03, bar.size[1] = 0.3;
    bar.pose.position[2] = l->start;
    must(mus_obstacle_create(world, &bar, &bar_id));
    must(mus_obstacle_set_motion(world, bar_id, move_bar, l));
    return world;
}

static int32_t substeps_of(const mus_world *world) {
    mus_stats stats;
    mus_world_get_stats(world, &stats);
    return stats.substeps;
}

static const char *const families[] = {"robust", "offset"};

/* 8 m/s are 67 mm a step, 8 substeps; far away it is one. It moves the sheet, and is never in it. */
static void test_flies(void **state) {
    (void)state;
    for (int f = 0; f < 2; f++) {
        bar_motion l = {.start = -1, .speed = 8};
        mus_world *world = make(families[f], &l);
        int32_t most = 0;
        double furthest = 0;
        for (int k = 0; k < 20; k++) {
            must(mus_world_step(world));
            audited(world, 1e-4);
            if (k < 5) assert_int_equal(substeps_of(world), 1);
            if (substeps_of(world) > most) most = substeps_of(world);
            furthest = fmax(furthest, vertex_of(world, mus_world_get_cloth(world, 0), 5).z);
        }
        print_message("# %s: %d parts, moved by %.2f m\n", families[f], most, furthest);
        assert_true(most >= (int)(l.speed * dt / travel()) + 1);
        assert_true(furthest > 0.05);
        mus_world_destroy(world);
    }
}

/* One that turns where it stands, its ends at 15 m/s: what counts is how far its corners come. */
static void test_turns(void **state) {
    (void)state;
    for (int f = 0; f < 2; f++) {
        bar_motion l = {.start = -0.165, .spin = 100};
        mus_world *world = make(families[f], &l);
        int32_t most = 0;
        for (int k = 0; k < 6; k++) {
            must(mus_world_step(world));
            audited(world, 1e-4);
            if (substeps_of(world) > most) most = substeps_of(world);
        }
        double chord = 2 * 0.15 * mus_sin(l.spin * dt / 2);
        print_message("# %s: %d parts for %.3f m\n", families[f], most, chord);
        assert_true(most >= (int)(chord / travel()) + 1);
        mus_world_destroy(world);
    }
}

/* 1 km in a step, through the sheet: an error with the distance and the remedy, and nothing has changed. */
static void test_too_fast(void **state) {
    (void)state;
    for (int f = 0; f < 2; f++) {
        bar_motion l = {.start = -10, .speed = 0};
        mus_world *world = make(families[f], &l);
        steps(world, 3);
        uint64_t before = mus_world_get_hash(world);
        l.speed = 1000 / dt;
        must_be(MUS_STATUS_NO_SAFE_STEP, mus_world_step(world));
        const char *const parts_of_message[] = {"obstacle 'bar'", "near cloth", "slow it down"};
        for (int k = 0; k < 3; k++)
            if (!strstr(mus_get_error_message(), parts_of_message[k]))
                fail_msg("'%s' is not in: %s", parts_of_message[k], mus_get_error_message());
        assert_true(mus_world_get_hash(world) == before);
        l.speed = 0;
        steps(world, 3);
        mus_world_destroy(world);
    }
}

typedef struct plate_motion {
    v3 velocity; /* m/s */
    double spin; /* rad/s about y */
} plate_motion;

static mus_status move_plate(void *user, double t, mus_pose *pose) {
    const plate_motion *m = user;
    v3_store(pose->position, v3_axpy(t, m->velocity, v3_make(0, -0.02, 0)));
    turn(pose->rotation, v3_make(0, 1, 0), m->spin * t);
    return MUS_STATUS_OK;
}

/* A plate of the size in `parts` x `parts` squares, or a box 0.01 m thick, 10 mm or 15 mm below a sheet of 0.2 m that
 * flies with `speed` along x. The substeps of the first step. */
static int32_t substeps_over_plate(const char *family, double size, int parts, plate_motion motion, double speed) {
    mus_world_def def = still_air(dt, 0);
    if (strcmp(family, "offset") == 0) {
        def.pipeline.response = "ogc", def.pipeline.integrator = "incremental";
        def.pipeline.failsafe = "truncation", def.pipeline.strain = "none";
    }
    mus_world *world = world_of(def);
    mus_cloth_id id =
        add_cloth(world, grid_mesh(11, 11, 10 * edge, 10 * edge, "xz", v3_make(0, 0, 0)), mus_cloth_def_default());
    double *v = mus_cloth_get_velocities(world, id);
    for (int i = 0; i < 121; i++) v[3 * i] = speed;
    mus_obstacle_def plate = mus_obstacle_def_default();
    mus_mesh *mesh = parts ? grid_mesh(parts + 1, parts + 1, size, size, "xz", v3_make(0, 0.01, 0)) : NULL;
    plate.shape = mesh ? MUS_SHAPE_MESH : MUS_SHAPE_BOX;
    plate.mesh = mesh;
    plate.size[0] = plate.size[2] = size, plate.size[1] = 0.01;
    plate.pose.position[1] = -0.02;
    mus_obstacle_id plate_id;
    must(mus_obstacle_create(world, &plate, &plate_id));
    mus_mesh_destroy(mesh);
    must(mus_obstacle_set_motion(world, plate_id, move_plate, &motion));
    must(mus_world_step(world));
    int32_t count = substeps_of(world);
    for (int k = 0; k < 4; k++) {
        must(mus_world_step(world));
        audited(world, 1e-4);
    }
    mus_world_destroy(world);
    return count;
}

/* Cloth that moves with the obstacle is not passed by it; what counts are faces near cloth, not only their corners. */
static void test_moves_along(void **state) {
    (void)state;
    for (int f = 0; f < 2; f++) {
        const double speed = 3; /* m/s */
        plate_motion along = {.velocity = {speed, 0, 0}}, up = {.velocity = {0, speed, 0}}, spin = {.spin = 4};
        int32_t passed = (int32_t)(speed * dt / travel()) + 1;
        assert_true(passed >= 3);
        assert_int_equal(substeps_over_plate(families[f], 0.3, 0, along, speed), 1);
        assert_int_equal(substeps_over_plate(families[f], 0.3, 0, along, 0), passed);
        assert_int_equal(substeps_over_plate(families[f], 0.3, 0, along, -speed), passed);
        assert_int_equal(substeps_over_plate(families[f], 0.3, 0, up, 0), passed);
        assert_int_equal(substeps_over_plate(families[f], 3, 0, up, 0), passed);
        /* at 0.2 m from the axis 0.8 m/s, at the corners 8.5 m/s; a box has all its faces near the sheet */
        assert_int_equal(substeps_over_plate(families[f], 3, 60, spin, 0), 1);
        assert_true(substeps_over_plate(families[f], 3, 0, spin, 0) > passed);
    }
}

/* A ball that passes between two sheets, 0.25 m from each, at the speed of one of them or of none. */
static int32_t substeps_between_sheets(double speed, double at) {
    mus_world *world = world_of(still_air(dt, 0));
    for (int k = 0; k < 2; k++) {
        v3 place = v3_make(k ? 0.4 : -0.4, 0, 0);
        mus_cloth_id id =
            add_cloth(world, grid_mesh(11, 11, 10 * edge, 10 * edge, "xz", place), mus_cloth_def_default());
        double *v = mus_cloth_get_velocities(world, id);
        for (int i = 0; i < 121 && k; i++) v[3 * i + 2] = 8;
    }
    bar_motion motion = {.start = 0, .speed = speed};
    mus_obstacle_def ball = mus_obstacle_def_default();
    mus_obstacle_id ball_id;
    ball.shape = MUS_SHAPE_SPHERE, ball.radius = 0.02, ball.pose.position[0] = at;
    if (at != 0) ball.pose.position[1] = -0.03;
    must(mus_obstacle_create(world, &ball, &ball_id));
    must(mus_obstacle_set_motion(world, ball_id, move_bar, &motion));
    must(mus_world_step(world));
    audited(world, 1e-4);
    int32_t count = substeps_of(world);
    mus_world_destroy(world);
    return count;
}

/* What counts is the cloth near the obstacle, and how that moves. */
static void test_passes_between(void **state) {
    (void)state;
    int32_t passed = (int32_t)(8 * dt / travel()) + 1;
    assert_true(passed >= 3);
    assert_int_equal(substeps_between_sheets(8, 0), 1);
    assert_int_equal(substeps_between_sheets(8, -0.4), passed);
    assert_int_equal(substeps_between_sheets(8, 0.4), 1);
    assert_int_equal(substeps_between_sheets(-8, 0.4), passed);
}

/* A strip of 0.8 m, half of which moves with the ball below it. */
static void test_passes_part_of_a_cloth(void **state) {
    (void)state;
    for (int side = 0; side < 2; side++) {
        mus_world *world = world_of(still_air(dt, 0));
        mus_cloth_id id =
            add_cloth(world, grid_mesh(6, 41, 5 * edge, 40 * edge, "xz", v3_make(0, 0, 0)), mus_cloth_def_default());
        double *v = mus_cloth_get_velocities(world, id);
        for (int i = 0; i < 41 * 6; i++) v[3 * i + 2] = i / 6 > 20 ? 8 : 0;
        bar_motion motion = {.start = side ? 0.25 : -0.3, .speed = 8};
        mus_obstacle_def ball = mus_obstacle_def_default();
        mus_obstacle_id ball_id;
        ball.shape = MUS_SHAPE_SPHERE, ball.radius = 0.01;
        ball.pose.position[1] = -0.02, ball.pose.position[2] = motion.start;
        must(mus_obstacle_create(world, &ball, &ball_id));
        must(mus_obstacle_set_motion(world, ball_id, move_bar, &motion));
        must(mus_world_step(world));
        assert_int_equal(substeps_of(world), side ? 1 : (int)(8 * dt / travel()) + 1);
        mus_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flies),          cmocka_unit_test(test_turns),
        cmocka_unit_test(test_too_fast),       cmocka_unit_test(test_moves_along),
        cmocka_unit_test(test_passes_between), cmocka_unit_test(test_passes_part_of_a_cloth)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
