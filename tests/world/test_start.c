/* test_start.c: worlds whose cloth overlaps or touches before the first step: named, separated, and then as good as any
 * other. The auditor decides. */
#include "overlapping.h"

static mus_cloth_def cloth_def(const char *name) {
    mus_cloth_def def = mus_cloth_def_default();
    def.name = name, def.thickness = 2e-3;
    return def;
}

/* Turned about an axis through the middle. */
static mus_mesh *turned_grid(int n, double size, v3 center, v3 axis, double angle) {
    mus_mesh *mesh = grid_mesh(n, n, size, size, "xz", v3_make(0, 0, 0));
    double q[4], *x = mus_mesh_get_vertices(mesh);
    turn(q, axis, angle);
    m3 r = m3_from_quaternion(q);
    for (int32_t i = 0; i < n * n; i++) v3_store(x + 3 * i, v3_add(center, m3_mul_v3(&r, v3_load(x + 3 * i))));
    return mesh;
}

/* Untangles, looks, and plays some steps, all audited. Returns the report. */
static mus_start_report play(mus_world *world, const char *what, int steps) {
    mus_status status = mus_world_validate(world);
    if (status != MUS_STATUS_OK) fail_msg("%s: %s", what, mus_get_error_message());
    must_be_clean(world);
    mus_start_report report;
    mus_world_get_start_report(world, &report);
    print_message("# %s: %d crossings, %d inside, %d touches: %d moved, %.2g m at most, in %d rounds\n", what,
                  (int)report.crossings, (int)report.inside, (int)report.touches, (int)report.moved, report.largest,
                  (int)report.rounds);
    for (int k = 0; k < steps; k++) {
        status = mus_world_step(world);
        if (status != MUS_STATUS_OK) fail_msg("%s, step %d: %s", what, k, mus_get_error_message());
        must_be_clean(world);
    }
    return report;
}

static mus_world *crossed_sheets(mus_overlap overlap, int32_t threads, double angle) {
    mus_world *world = make_overlapping(overlap, threads);
    add_cloth(world, grid_mesh(15, 15, 1, 1, "xz", v3_make(0, 0, 0)), cloth_def("flat"));
    add_cloth(world, turned_grid(14, 1, v3_make(0.03, 0.01, 0.02), v3_normalized(v3_make(0.2, 0, 1)), angle),
              cloth_def("tilted"));
    return world;
}

static void test_sheets(void **state) {
    (void)state;
    static const double angles[] = {0.05, 0.2, 0.7, 1.5};
    for (int k = 0; k < 4; k++) {
        mus_world *world = crossed_sheets(MUS_OVERLAP_UNTANGLE, 0, angles[k]);
        char what[64];
        snprintf(what, sizeof what, "sheets at %g rad", angles[k]);
        play(world, what, 4);
        mus_world_destroy(world);
    }
}

static mus_obstacle_id add_solid(mus_world *world, int kind, v3 at) {
    mus_obstacle_def def = mus_obstacle_def_default();
    mus_obstacle_id id;
    mus_mesh *mesh = NULL;
    def.name = "solid";
    v3_store(def.pose.position, at);
    turn(def.pose.rotation, v3_normalized(v3_make(1, 0.3, 0.1)), 0.4);
    def.radius = 0.25, def.length = 0.3;
    for (int k = 0; k < 3; k++) def.size[k] = 0.4;
    static const mus_shape shapes[] = {MUS_SHAPE_SPHERE, MUS_SHAPE_BOX, MUS_SHAPE_CAPSULE, MUS_SHAPE_PLANE,
                                       MUS_SHAPE_MESH};
    def.shape = shapes[kind];
    if (def.shape == MUS_SHAPE_MESH) {
        must(mus_mesh_create_sphere(0.25, 2, (double[3]){0, 0, 0}, &mesh));
        def.mesh = mesh;
    }
    must(mus_obstacle_create(world, &def, &id));
    mus_mesh_destroy(mesh);
    return id;
}

static void test_solids(void **state) {
    (void)state;
    static const double heights[] = {0, 0.12};
    for (int kind = 0; kind < 5; kind++)
        for (int k = 0; k < 2; k++) {
            mus_world *world = make_overlapping(MUS_OVERLAP_UNTANGLE, 0);
            add_cloth(world, grid_mesh(19, 19, 1, 1, "xz", v3_make(0, heights[k], 0)), cloth_def("sheet"));
            add_solid(world, kind, v3_make(0.01, 0.003, 0.02));
            char what[64];
            snprintf(what, sizeof what, "solid %d at %g m", kind, heights[k]);
            play(world, what, 4);
            mus_world_destroy(world);
        }
}

/* A sheet of n x n vertices through f. */
static mus_mesh *shaped(int nu, int nv, v3 (*f)(double u, double v, double p), double p) {
    mus_mesh *mesh = grid_mesh(nu, nv, 1, 1, "xz", v3_make(0, 0, 0));
    double *x = mus_mesh_get_vertices(mesh);
    for (int j = 0; j < nv; j++)
        for (int i = 0; i < nu; i++) v3_store(x + 3 * (i + j * nu), f((double)i / (nu - 1), (double)j / (nv - 1), p));
    return mesh;
}

/* A strip in the shape of a looped letter, whose ends go through each other and on by a share p of its half. */
static v3 loop(double u, double v, double p) {
    double t = (2 * u - 1) * (1 + p);
    return v3_make(0.2 * t * t + 0.01 * v, 0.3 * t * (t * t - 1), 0.3 * v);
}

/* A strip whose one end goes down through its own middle. */
static v3 hook(double u, double v, double p) {
    double s = u * 1.2, r = 0.12, turn_end = 0.5 + 1.5 * 3.14159265358979 * r;
    if (s < 0.5) return v3_make(s, 0, 0.2 * v);
    if (s < turn_end) return v3_make(0.5 + r * mus_sin((s - 0.5) / r), r - r * mus_cos((s - 0.5) / r), 0.2 * v);
    return v3_make(0.5 - r + 0.02 * v, r - (s - turn_end) * p, 0.2 * v);
}

static void test_self(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        mus_world *world = make_overlapping(MUS_OVERLAP_UNTANGLE, 0);
        add_cloth(world, k ? shaped(61, 9, hook, 1.2) : shaped(61, 9, loop, 0.1), cloth_def("strip"));
        mus_start_report report = play(world, k ? "hook" : "loop", 4);
        assert_true(report.crossings > 0 && report.moved > 0 && report.largest < 0.15);
        mus_world_destroy(world);
    }
}

/* Tubes in layers, waved so that each comes through the next in many places. */
static mus_mesh *tube(int nu, int nv, double radius, double wave, double phase) {
    double *x = malloc(sizeof(double) * 3 * (size_t)(nu * nv));
    int32_t *faces = malloc(sizeof(int32_t) * 6 * (size_t)(nu * (nv - 1)));
    int32_t count = 0;
    for (int j = 0; j < nv; j++)
        for (int i = 0; i < nu; i++) {
            double a = 6.28318530717959 * i / nu, y = (double)j / (nv - 1);
            double r = radius + wave * mus_sin(5 * a + phase) * mus_sin(9 * y + 2 * phase);
            v3_store(x + 3 * (i + j * nu), v3_make(r * mus_cos(a), 0.6 * y, r * mus_sin(a)));
        }
    for (int j = 0; j + 1 < nv; j++)
        for (int i = 0; i < nu; i++) {
            int32_t a = i + j * nu, b = (i + 1) % nu + j * nu, c = a + nu, d = b + nu;
            const int32_t two[6] = {a, b, d, a, d, c};
            memcpy(faces + 3 * (ptrdiff_t)count, two, sizeof two);
            count += 2;
        }
    mus_mesh_def def = {mus_mesh_def_default().cookie, .vertices = x, .faces = faces, .vertex_count = nu * nv,
                        .face_count = count};
    mus_mesh *mesh = NULL;
    must(mus_mesh_create(&def, &mesh));
    free(x);
    free(faces);
    return mesh;
}

static mus_world *tubes(int32_t threads) {
    mus_world *world = make_overlapping(MUS_OVERLAP_UNTANGLE, threads);
    add_cloth(world, tube(40, 31, 0.150, 0.006, 0.3), cloth_def("shirt"));
    add_cloth(world, tube(44, 29, 0.155, 0.006, 1.9), cloth_def("jacket"));
    add_cloth(world, tube(37, 33, 0.161, 0.006, 3.1), cloth_def("coat"));
    return world;
}

static void test_tubes(void **state) {
    (void)state;
    mus_world *world = tubes(0);
    mus_start_report report = play(world, "tubes", 4);
    assert_true(report.crossings > 100 && report.largest < 0.02);
    mus_world_destroy(world);
}

/* A curled sheet, 300 degrees around, and a small coarse one whose edges go in through it and out again. */
static mus_world *pierced(uint64_t seed) {
    mus_rng rng = mus_rng_make(seed, 0);
    mus_world *world = make_overlapping(MUS_OVERLAP_UNTANGLE, 1);
    double radius = mus_rng_between(&rng, 0.1, 0.3), phase = mus_rng_between(&rng, 0, 6);
    mus_mesh *mesh = grid_mesh(14, 11, 1, 1, "xz", v3_make(0, 0, 0));
    double *x = mus_mesh_get_vertices(mesh);
    for (int i = 0; i < 14 * 11; i++) {
        double a = 5.2 * (x[3 * i] + 0.5) + phase;
        x[3 * i] = radius * mus_cos(a), x[3 * i + 1] = radius * mus_sin(a);
    }
    add_cloth(world, mesh, cloth_def("curl"));
    v3 axis = random_direction(&rng);
    double angle = mus_rng_between(&rng, 0, 6), away = mus_rng_between(&rng, 0, radius);
    add_cloth(world, turned_grid(3, 0.6, v3_scale(away, random_direction(&rng)), axis, angle), cloth_def("patch"));
    return world;
}

/* An edge that goes in and out again has both ends on one side: it does not determine which end is on the wrong one,
 * and what it goes through gives way. Taken for the end of a part it moves whole sheets through each other, in five to
 * fifteen times the rounds. */
static void test_pierced(void **state) {
    (void)state;
    static const uint64_t seeds[] = {22, 36, 39, 58, 91};
    for (int k = 0; k < 5; k++) {
        mus_world *world = pierced(seeds[k]);
        char what[64];
        snprintf(what, sizeof what, "pierced curl %d", (int)seeds[k]);
        mus_start_report report = play(world, what, 4);
        assert_true(report.rounds <= 20);
        mus_world_destroy(world);
    }
}

static void test_refused(void **state) {
    (void)state;
    mus_world *world = crossed_sheets(MUS_OVERLAP_REFUSE, 0, 0.2);
    add_cloth(world, turned_grid(4, 1, v3_make(0, 0.02, 0), v3_make(1, 0, 0), 1.5), cloth_def("third"));
    add_solid(world, 0, v3_make(0, 0, 0));
    must_be(MUS_STATUS_OVERLAP, mus_world_validate(world));
    static const char *const words[] = {"'flat' intersects", "'tilted'", "'third'",
                                        "'solid'",           "such",     "overlap = \"untangle\""};
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (!strstr(mus_get_error_message(), words[k])) fail_msg("no %s in: %s", words[k], mus_get_error_message());
    must_be(MUS_STATUS_OVERLAP, mus_world_step(world));
    mus_world_destroy(world);
}

/* Two sheets through each other, each pinned all around: nothing can be done, and nothing is. */
static void test_hopeless(void **state) {
    (void)state;
    mus_world *world = crossed_sheets(MUS_OVERLAP_UNTANGLE, 0, 0.7);
    for (int32_t k = 0; k < 2; k++) {
        mus_cloth_id id = mus_world_get_cloth(world, k);
        for (int32_t i = 0; i < mus_cloth_get_vertex_count(world, id); i++) must(mus_cloth_pin(world, id, &i, 1));
    }
    uint64_t before = mus_world_get_hash(world);
    must_be(MUS_STATUS_OVERLAP, mus_world_step(world));
    if (!strstr(mus_get_error_message(), "could not be untangled") || !strstr(mus_get_error_message(), "'tilted'"))
        fail_msg("%s", mus_get_error_message());
    assert_int_equal(before, mus_world_get_hash(world));
    mus_world_destroy(world);
}

/* Rest shapes, masses, velocities and pins are as they were; only cloth that must moves. */
static void test_kept(void **state) {
    (void)state;
    mus_world *world = crossed_sheets(MUS_OVERLAP_UNTANGLE, 0, 0.2), *twin = crossed_sheets(MUS_OVERLAP_REFUSE, 0, 0.2);
    const int32_t pinned[] = {0, 14, 112};
    mus_cloth_id id = mus_world_get_cloth(world, 0), other = mus_world_get_cloth(twin, 0);
    must(mus_cloth_pin(world, id, pinned, 3));
    must(mus_world_validate(world));
    int32_t n = mus_cloth_get_vertex_count(world, id), edges = mus_cloth_get_edge_count(world, id);
    assert_memory_equal(mus_cloth_get_rest_lengths(world, id), mus_cloth_get_rest_lengths(twin, other),
                        sizeof(double) * (size_t)edges);
    assert_memory_equal(mus_cloth_get_velocities(world, id), mus_cloth_get_velocities(twin, other),
                        sizeof(double) * 3 * (size_t)n);
    for (int k = 0; k < 3; k++)
        assert_memory_equal(mus_cloth_get_positions(world, id) + 3 * pinned[k],
                            mus_cloth_get_positions(twin, other) + 3 * pinned[k], sizeof(v3));
    mus_start_report report;
    mus_world_get_start_report(world, &report);
    int32_t moved = 0;
    double largest = 0;
    for (int32_t k = 0; k < 2; k++)
        for (int32_t i = 0; i < mus_cloth_get_vertex_count(world, mus_world_get_cloth(world, k)); i++) {
            double way = v3_length(v3_sub(vertex_of(world, mus_world_get_cloth(world, k), i),
                                          vertex_of(twin, mus_world_get_cloth(twin, k), i)));
            moved += way > 0;
            largest = fmax(largest, way);
        }
    assert_int_equal(moved, report.moved);
    assert_true(fabs(largest - report.largest) == 0);
    mus_world_destroy(world);
    mus_world_destroy(twin);
}

/* Sheets and solids thrown at each other: what is untangled is clean and goes on so; what is not is as it was. */
static void test_random(void **state) {
    (void)state;
    enum { SCENES = 24 };
    int separated = 0, tangled = 0, rounds = 0;
    for (uint64_t scene = 0; scene < SCENES; scene++) {
        mus_rng rng = mus_rng_make(7, scene);
        mus_world *world = make_overlapping(MUS_OVERLAP_UNTANGLE, 0);
        int sheets = 1 + (int)mus_rng_below(&rng, 3);
        for (int k = 0; k < sheets; k++) {
            int n = 8 + (int)mus_rng_below(&rng, 12);
            double angle = mus_rng_between(&rng, 0, 0.6), wave = mus_rng_between(&rng, 0, 0.03);
            v3 axis = random_direction(&rng), center = v3_scale(0.1, random_direction(&rng));
            mus_mesh *mesh = turned_grid(n, mus_rng_between(&rng, 0.4, 0.8), center, axis, angle);
            double *x = mus_mesh_get_vertices(mesh), pitch = mus_rng_between(&rng, 10, 30);
            for (int32_t i = 0; i < n * n; i++)
                x[3 * i + 1] += wave * mus_sin(pitch * x[3 * i]) * mus_cos(pitch * x[3 * i + 2]);
            mus_cloth_def def = cloth_def(NULL);
            def.thickness = mus_rng_between(&rng, 5e-4, 3e-3);
            add_cloth(world, mesh, def);
        }
        if (mus_rng_below(&rng, 2))
            add_solid(world, (int)mus_rng_below(&rng, 5), v3_scale(0.3, random_direction(&rng)));
        uint64_t before = mus_world_get_hash(world);
        mus_status status = mus_world_validate(world);
        mus_start_report report;
        mus_world_get_start_report(world, &report);
        tangled += report.crossings + report.inside > 0;
        if (status == MUS_STATUS_OK) {
            separated += report.crossings + report.inside > 0, rounds += report.rounds;
            must_be_clean(world);
            for (int k = 0; k < 2; k++) must(mus_world_step(world));
            must_be_clean(world);
        } else {
            print_message("# scene %d: %s\n", (int)scene, mus_get_error_message());
            assert_int_equal(status, MUS_STATUS_OVERLAP);
            assert_int_equal(before, mus_world_get_hash(world));
        }
        mus_world_destroy(world);
    }
    print_message("# %d scenes, %d of them tangled, %d separated in %d rounds\n", SCENES, tangled, separated, rounds);
    assert_true(tangled >= 15 && separated >= tangled - 3);
}

static mus_status no(mus_world *world, double t, void *user) {
    (void)world;
    (void)t;
    (void)user;
    return mus_fail(MUS_STATUS_HOOK, "no");
}

/* A first step that fails takes the untangling back with it, and the next one does the same again. */
static void test_undone(void **state) {
    (void)state;
    mus_world *world = crossed_sheets(MUS_OVERLAP_UNTANGLE, 0, 0.2),
              *twin = crossed_sheets(MUS_OVERLAP_UNTANGLE, 0, 0.2);
    uint64_t before = mus_world_get_hash(world);
    mus_callbacks callbacks = {mus_callbacks_default().cookie, .after_step = no};
    mus_world_set_callbacks(world, &callbacks);
    for (int k = 0; k < 2; k++) {
        must_be(MUS_STATUS_HOOK, mus_world_step(world));
        assert_int_equal(before, mus_world_get_hash(world));
    }
    mus_world_set_callbacks(world, NULL);
    for (int k = 0; k < 3; k++) {
        must(mus_world_step(world));
        must(mus_world_step(twin));
    }
    assert_int_equal(mus_world_get_hash(twin), mus_world_get_hash(world));
    mus_world_destroy(world);
    mus_world_destroy(twin);
}

static uint64_t hash_after(mus_world *world, int steps) {
    for (int k = 0; k < steps; k++) must(mus_world_step(world));
    return mus_world_get_hash(world);
}

static void test_threads(void **state) {
    (void)state;
    static const int32_t threads[] = {1, 2, 3, 8};
    uint64_t first = 0;
    for (int k = 0; k < 4; k++) {
        mus_world *world = tubes(threads[k]);
        uint64_t hash = hash_after(world, 3);
        if (k == 0) first = hash;
        assert_int_equal(hash, first);
        mus_world_destroy(world);
    }
}

static void test_snapshot(void **state) {
    (void)state;
    mus_world *world = crossed_sheets(MUS_OVERLAP_UNTANGLE, 0, 0.2), *copy = NULL;
    mus_snapshot *raw = NULL, *separated = NULL;
    must(mus_snapshot_create(world, &raw));
    must(mus_world_validate(world));
    must(mus_snapshot_create(world, &separated));
    uint64_t hash = hash_after(world, 3);
    mus_snapshot *both[] = {raw, separated};
    for (int k = 0; k < 2; k++) {
        must(mus_world_create_from_snapshot(both[k], &copy));
        assert_int_equal(hash_after(copy, 3), hash);
        mus_start_report one, two;
        mus_world_get_start_report(world, &one);
        mus_world_get_start_report(copy, &two);
        assert_memory_equal(&one, &two, sizeof one);
        mus_world_destroy(copy);
        mus_snapshot_destroy(both[k]);
    }
    mus_world_destroy(world);
}

/* Exactly at the surface, of either sign of rounding: no gap, but no overlap that anybody would name. */
static void test_touch(void **state) {
    (void)state;
    for (int kind = 0; kind < 5; kind++)
        for (int upside = 0; upside < 2; upside++) {
            if (kind == 3) continue; /* planes need no gap */
            mus_world *world = make_overlapping(MUS_OVERLAP_REFUSE, 0);
            mus_obstacle_def def = mus_obstacle_def_default();
            mus_obstacle_id id;
            mus_mesh *mesh = NULL;
            static const mus_shape shapes[] = {MUS_SHAPE_SPHERE, MUS_SHAPE_BOX, MUS_SHAPE_CAPSULE, MUS_SHAPE_PLANE,
                                               MUS_SHAPE_MESH};
            def.shape = shapes[kind], def.name = "solid", def.radius = 0.2, def.length = 0.3;
            def.pose.position[1] = 0.1;
            for (int k = 0; k < 3; k++) def.size[k] = 0.4;
            if (kind == 2) turn(def.pose.rotation, v3_make(0, 0, 1), 1.5707963267948966);
            if (kind == 4) must(mus_mesh_create_box((double[3]){0.4, 0.4, 0.4}, (double[3]){0, 0, 0}, &mesh));
            def.mesh = mesh;
            must(mus_obstacle_create(world, &def, &id));
            mus_mesh_destroy(mesh);
            add_cloth(world, grid_mesh(11, 11, 0.5, 0.5, "xz", v3_make(0, upside ? 0.1 - 0.2 : 0.1 + 0.2, 0)),
                      cloth_def("sheet"));
            char what[64];
            snprintf(what, sizeof what, "touch %d from %s", kind, upside ? "below" : "above");
            mus_start_report report = play(world, what, 8);
            assert_true(report.touches > 0 && report.moved > 0 && report.largest < 1e-4);
            mus_world_destroy(world);
        }
}

static void test_touching_sheets(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++) { /* same grid; shifted; another; edge to face */
        mus_world *world = make_overlapping(MUS_OVERLAP_REFUSE, 0);
        add_cloth(world, grid_mesh(11, 11, 0.5, 0.5, "xz", v3_make(0, kind == 3 ? 0 : 0.1, 0)), cloth_def("lower"));
        if (kind < 3)
            add_cloth(
                world,
                grid_mesh(kind < 2 ? 11 : 8, kind < 2 ? 11 : 9, 0.5, 0.5, "xz", v3_make(kind == 1 ? 0.013 : 0, 0.1, 0)),
                cloth_def("upper"));
        else
            add_cloth(world, grid_mesh(11, 11, 0.5, 0.5, "xy", v3_make(0.003, 0.25, 0.004)), cloth_def("upper"));
        char what[64];
        snprintf(what, sizeof what, "touching sheets %d", kind);
        mus_start_report report = play(world, what, 8);
        assert_true(report.touches > 0 && report.moved > 0 && report.largest < 1e-4);
        mus_world_destroy(world);
    }
}

/* A sheet stands in another, a row of its vertices exactly in the other's plane: they touch, and no two triangles
 * cross, but the one goes through the other, and a move of 1 um does not separate them. */
static mus_world *standing_sheets(mus_overlap overlap) {
    mus_world *world = make_overlapping(overlap, 0);
    add_cloth(world, grid_mesh(10, 10, 1, 1, "xz", v3_make(0, 1, 0)), cloth_def("flat"));
    add_cloth(world, grid_mesh(5, 5, 1, 1, "xy", v3_make(0, 1, 0)), cloth_def("standing"));
    return world;
}

static void test_crossing_in_touch(void **state) {
    (void)state;
    mus_world *world = standing_sheets(MUS_OVERLAP_REFUSE);
    mus_audit_report audit;
    must(mus_world_audit(world, 1e-4, &audit));
    assert_true(audit.finding_count == 0 && audit.touches > 0); /* else this is no test */
    mus_audit_report_destroy(&audit);
    uint64_t hash = mus_world_get_hash(world);
    must_be(MUS_STATUS_OVERLAP, mus_world_step(world));
    assert_non_null(strstr(mus_get_error_message(), "of cloth 'flat' intersects face"));
    assert_non_null(strstr(mus_get_error_message(), "of cloth 'standing'"));
    assert_true(mus_world_get_hash(world) == hash);
    mus_world_destroy(world);

    world = standing_sheets(MUS_OVERLAP_UNTANGLE);
    mus_start_report report = play(world, "a sheet that stands in another", 4);
    assert_true(report.largest > 0.1);
    mus_world_destroy(world);

    world = standing_sheets(MUS_OVERLAP_ALLOW);
    must(mus_world_step(world));
    mus_world_get_start_report(world, &report);
    assert_true(report.allowed > 0 && report.largest < 1e-4);
    mus_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pierced),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_sheets),
        cmocka_unit_test(test_solids),
        cmocka_unit_test(test_self),
        cmocka_unit_test(test_tubes),
        cmocka_unit_test(test_hopeless),
        cmocka_unit_test(test_kept),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_snapshot),
        cmocka_unit_test(test_undone),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_touch),
        cmocka_unit_test(test_touching_sheets),
        cmocka_unit_test(test_crossing_in_touch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
