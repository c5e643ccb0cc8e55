/* test_overlap_exemption.c: overlaps at the start that are exempt until they have separated: the part on the wrong side
 * does not collide, the rest does, and the exempt part collides again as soon as it is out. */
#include "scene.h"

static mus_world *make(int32_t threads, const char *family) {
    mus_world_def def = mus_world_def_default();
    def.overlap = MUS_OVERLAP_ALLOW, def.threads = threads, def.air_density = 0, def.gravity[1] = 0;
    if (strcmp(family, "offset") == 0) {
        def.pipeline.response = "ogc", def.pipeline.integrator = "incremental";
        def.pipeline.failsafe = "truncation", def.pipeline.strain = "none";
    }
    mus_world *world = NULL;
    must(mus_world_create(&def, &world));
    return world;
}

static mus_cloth_def cloth_def(const char *name, v3 velocity) {
    mus_cloth_def def = mus_cloth_def_default();
    def.name = name, def.thickness = 2e-3;
    v3_store(def.velocity, velocity);
    return def;
}

static int64_t exempt_and_clean(mus_world *world) {
    mus_audit_report report;
    must(mus_world_audit(world, 1e-4, &report));
    if (report.finding_count || report.intersections || report.inside)
        fail_msg("%d crossings, %d inside beside %d allowed", (int)report.intersections, (int)report.inside,
                 (int)report.allowed);
    int64_t allowed = report.allowed;
    mus_audit_report_destroy(&report);
    return allowed;
}

/* What has come out stays out, when the first cloth is thrown down on it again (m/s). */
static void thrown_back(mus_world *world, double speed, int count) {
    mus_cloth_id id = mus_world_get_cloth(world, 0);
    for (int32_t i = 0; i < mus_cloth_get_vertex_count(world, id); i++)
        mus_cloth_get_velocities(world, id)[3 * i + 1] = -speed;
    for (int k = 0; k < count; k++) {
        must(mus_world_step(world));
        assert_int_equal(exempt_and_clean(world), 0);
    }
}

static int32_t still(const mus_world *world) {
    mus_stats stats;
    mus_world_get_stats(world, &stats);
    return stats.allowed;
}

/* A sheet whose middle is inside a ball, moving out of it: it leaves, and when it is thrown back it does not come in.
 */
static mus_world *sheet_in_ball(int32_t threads, const char *family) {
    mus_world *world = make(threads, family);
    add_cloth(world, grid_mesh(17, 17, 0.6, 0.6, "xz", v3_make(0, 0.15, 0)), cloth_def("sheet", v3_make(0, 1, 0)));
    add_sphere(world, 0.2, v3_make(0.003, 0, 0.002), 0.2);
    return world;
}

static void test_solid(void **state) {
    (void)state;
    static const char *const families[] = {"robust", "offset"};
    for (int f = 0; f < 2; f++) {
        mus_world *world = sheet_in_ball(0, families[f]);
        must(mus_world_validate(world));
        mus_start_report report;
        mus_world_get_start_report(world, &report);
        assert_true(report.inside > 0 && report.allowed == 1 && report.moved == 0);
        assert_true(exempt_and_clean(world) > 0);
        int steps = 0;
        do {
            must(mus_world_step(world));
            exempt_and_clean(world);
            steps++;
        } while (still(world) > 0 && steps < 60);
        print_message("# %s: out after %d steps\n", families[f], steps);
        assert_true(steps > 5 && steps < 40);
        assert_int_equal(exempt_and_clean(world), 0);
        thrown_back(world, 2, 40);
        mus_world_destroy(world);
    }
}

/* What does not overlap collides with the ball while the rest is inside: a second sheet from below stays out, and so
 * does the border of the first, which is pressed down on it. */
static void test_others(void **state) {
    (void)state;
    mus_world *world = sheet_in_ball(0, "robust");
    add_cloth(world, grid_mesh(15, 15, 0.5, 0.5, "xz", v3_make(0, -0.25, 0)), cloth_def("other", v3_make(0, 3, 0)));
    mus_cloth_id id = mus_world_get_cloth(world, 0);
    for (int32_t i = 0; i < mus_cloth_get_vertex_count(world, id); i++)
        mus_cloth_get_velocities(world, id)[3 * i + 1] = -0.5;
    for (int k = 0; k < 50; k++) {
        must(mus_world_step(world));
        exempt_and_clean(world);
    }
    assert_true(still(world) == 1); /* it went down, not out */
    mus_world_destroy(world);
}

/* Two sheets that cross near a border of the one, which moves out; a solid box, a mesh and a plane likewise. */
static void test_kinds(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        mus_world *world = make(0, "robust");
        mus_mesh *mesh = grid_mesh(15, 15, 0.5, 0.5, "xy", v3_make(0.003, 0.22, 0.004));
        add_cloth(world, mesh, cloth_def("curtain", v3_make(0, 1, 0)));
        mus_obstacle_def def = mus_obstacle_def_default();
        mus_obstacle_id id;
        mus_mesh *solid = NULL;
        if (kind == 0) {
            add_cloth(world, grid_mesh(17, 16, 0.8, 0.8, "xz", v3_make(0, 0, 0)), cloth_def("table", v3_make(0, 0, 0)));
        } else {
            def.shape = kind == 1 ? MUS_SHAPE_BOX : kind == 2 ? MUS_SHAPE_MESH : MUS_SHAPE_PLANE;
            for (int k = 0; k < 3; k++) def.size[k] = 0.8;
            if (kind == 2) must(mus_mesh_create_box((double[3]){0.8, 0.8, 0.8}, (double[3]){0, 0, 0}, &solid));
            def.mesh = solid;
            def.pose.position[1] = kind == 3 ? 0 : -0.4;
            must(mus_obstacle_create(world, &def, &id));
            mus_mesh_destroy(solid);
        }
        must(mus_world_validate(world));
        assert_true(exempt_and_clean(world) > 0);
        int steps = 0;
        do {
            must(mus_world_step(world));
            exempt_and_clean(world);
            steps++;
        } while (still(world) > 0 && steps < 60);
        print_message("# kind %d: out after %d steps\n", kind, steps);
        assert_true(steps > 3 && steps < 30);
        thrown_back(world, 1, 30);
        mus_world_destroy(world);
    }
}

static void test_threads(void **state) {
    (void)state;
    static const int32_t threads[] = {1, 2, 3, 8};
    uint64_t first = 0;
    for (int k = 0; k < 4; k++) {
        mus_world *world = sheet_in_ball(threads[k], "robust");
        for (int step = 0; step < 20; step++) must(mus_world_step(world));
        if (k == 0) first = mus_world_get_hash(world);
        assert_int_equal(mus_world_get_hash(world), first);
        mus_world_destroy(world);
    }
}

/* With some still inside: into a new world, and into one of the same make, where other parts overlap. */
static void test_snapshot(void **state) {
    (void)state;
    mus_world *world = sheet_in_ball(0, "robust"), *other = sheet_in_ball(0, "robust"), *fresh = NULL;
    for (int k = 0; k < 4; k++) must(mus_world_step(world));
    assert_int_equal(still(world), 1);
    mus_snapshot *snapshot = NULL;
    must(mus_snapshot_create(world, &snapshot));
    for (int k = 0; k < 40; k++) must(mus_world_step(other)); /* it is out here */
    assert_int_equal(still(other), 0);
    must(mus_snapshot_restore(snapshot, other));
    must(mus_world_create_from_snapshot(snapshot, &fresh));
    mus_world *all[] = {world, other, fresh};
    for (int k = 0; k < 3; k++)
        for (int step = 0; step < 25; step++) {
            must(mus_world_step(all[k]));
            exempt_and_clean(all[k]);
        }
    for (int k = 1; k < 3; k++) {
        assert_int_equal(mus_world_get_hash(world), mus_world_get_hash(all[k]));
        assert_int_equal(still(world), still(all[k]));
    }
    mus_snapshot_destroy(snapshot);
    for (int k = 0; k < 3; k++) mus_world_destroy(all[k]);
}

/* Objects that come and go do not mix up who overlaps whom. */
static void test_removed(void **state) {
    (void)state;
    mus_world *world = make(0, "robust");
    mus_cloth_id first =
        add_cloth(world, grid_mesh(4, 4, 0.1, 0.1, "xz", v3_make(0, 2, 0)), cloth_def("first", v3_make(0, 0, 0)));
    mus_obstacle_id far = add_sphere(world, 0.1, v3_make(0, 3, 0), 0);
    add_cloth(world, grid_mesh(17, 17, 0.6, 0.6, "xz", v3_make(0, 0.15, 0)), cloth_def("sheet", v3_make(0, 0, 0)));
    mus_obstacle_id ball = add_sphere(world, 0.2, v3_make(0.003, 0, 0.002), 0.2);
    must(mus_world_step(world));
    assert_int_equal(still(world), 1);
    must(mus_cloth_destroy(world, first));
    must(mus_world_step(world));
    must(mus_obstacle_destroy(world, far));
    add_cloth(world, grid_mesh(4, 4, 0.1, 0.1, "xz", v3_make(0, 2, 0)), cloth_def("third", v3_make(0, 0, 0)));
    must(mus_world_step(world));
    assert_int_equal(still(world), 1);
    assert_true(exempt_and_clean(world) > 0);
    must(mus_obstacle_destroy(world, ball));
    must(mus_world_step(world));
    assert_int_equal(still(world), 0);
    mus_world_destroy(world);
}

static mus_status refuse(mus_world *world, double t, void *user) {
    (void)world;
    (void)t;
    (void)user;
    return mus_fail(MUS_STATUS_HOOK, "no");
}

/* A first step that fails starts anew; a later overlap is none of the start's. */
static void test_refused(void **state) {
    (void)state;
    mus_world *world = sheet_in_ball(0, "robust"), *other = sheet_in_ball(0, "robust");
    mus_callbacks callbacks = {mus_callbacks_default().cookie, .after_step = refuse};
    mus_world_set_callbacks(world, &callbacks);
    must_be(MUS_STATUS_HOOK, mus_world_step(world));
    mus_world_set_callbacks(world, NULL);
    for (int k = 0; k < 5; k++) {
        must(mus_world_step(world));
        must(mus_world_step(other));
    }
    assert_int_equal(mus_world_get_hash(world), mus_world_get_hash(other));
    add_sphere(world, 0.1, v3_make(0.25, 0.17, 0.2), 0.2);
    must_be(MUS_STATUS_OVERLAP, mus_world_step(world));
    mus_world_destroy(world);
    mus_world_destroy(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solid),   cmocka_unit_test(test_others),   cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_threads), cmocka_unit_test(test_snapshot), cmocka_unit_test(test_removed),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
