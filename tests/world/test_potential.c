/* test_potential.c: the potential family of pipelines against closed forms, the auditor and itself. */
#include "scene.h"

#include "dynamics/incremental.h"

static const double g = 9.81, pi = 3.14159265358979323846;

static mus_pipeline offset(const char *integrator, const char *failsafe) {
    return (mus_pipeline){integrator, "box_tree", "certified_ccd", "ogc", failsafe, "none", NULL};
}

static mus_world *make_world(mus_pipeline pipeline, double dt, double gravity, int threads) {
    mus_world_def def = still_air(dt, gravity);
    def.threads = threads, def.pipeline = pipeline;
    return world_of(def);
}

/* Nothing may meet, after any step. */
static void audited_steps(mus_world *world, int count) {
    for (int k = 0; k < count; k++) {
        must(mus_world_step(world));
        mus_audit_report report;
        must(mus_world_audit(world, 1e-4, &report));
        if (report.finding_count)
            fail_msg("step %d: %lld intersections, %lld inside", k, (long long)report.intersections,
                     (long long)report.inside);
        mus_audit_report_destroy(&report);
    }
}

/* ---- energies ---- */

static mus_cloth *crumpled(mus_rng *rng, const mus_material *material, double noise) {
    mus_mesh *mesh = grid_mesh(6, 5, 0.2, 0.16, "xz", v3_make(0, 0, 0));
    mus_cloth_def def = mus_cloth_def_default();
    def.mesh = mesh, def.material = *material;
    mus_cloth *cloth;
    must(mus_cloth_new(&def, "cloth", &cloth));
    for (int32_t i = 0; i < 3 * cloth->vertex_count; i++) cloth->x[i] += mus_rng_between(rng, -noise, noise);
    mus_mesh_destroy(mesh);
    return cloth;
}

/* Forces, damping included, are minus the slope of the energy; the matrix is positive. */
static void check_slope(mus_material m) {
    mus_rng rng = mus_rng_make(41, 0);
    const double dt = 1.0 / 120, h = 1e-7;
    for (int round = 0; round < 3; round++) {
        mus_cloth *cloth = crumpled(&rng, &m, 3e-3 * (round + 1));
        int32_t n = cloth->vertex_count;
        mus_dynamics *d;
        must(mus_dynamics_create(cloth, &d));
        v3 *x = (v3 *)cloth->x, *start = malloc(sizeof(v3) * (size_t)n), *force = calloc((size_t)n, sizeof(v3));
        for (int32_t i = 0; i < n; i++) start[i] = v3_axpy(2e-3, random_direction(&rng), x[i]);
        mus_incremental_begin(d, cloth, start);
        mus_block_matrix_clear(&d->matrix);
        mus_incremental_forces(d, cloth, start, x, dt, force, &d->matrix);
        double largest = 0;
        for (int32_t i = 0; i < n; i++) largest = fmax(largest, v3_length(force[i]));
        for (int32_t k = 0; k < 3 * n; k++) {
            double keep = cloth->x[k];
            cloth->x[k] = keep + h;
            double up = mus_incremental_energy(d, cloth, start, x, dt);
            cloth->x[k] = keep - h;
            double down = mus_incremental_energy(d, cloth, start, x, dt);
            cloth->x[k] = keep;
            near(((double *)force)[k], -(up - down) / (2 * h), 1e-5 * largest, "force");
        }
        for (int probe = 0; probe < 20; probe++) {
            v3 *p = malloc(sizeof(v3) * (size_t)n), *q = malloc(sizeof(v3) * (size_t)n);
            double sum = 0, size = 0;
            for (int32_t i = 0; i < n; i++) p[i] = random_direction(&rng);
            mus_block_matrix_multiply(&d->matrix, p, q, 1);
            for (int32_t i = 0; i < n; i++) sum += v3_dot(p[i], q[i]), size += v3_length(q[i]);
            assert_true(sum > -1e-12 * size);
            free(p), free(q);
        }
        free(start), free(force);
        mus_dynamics_free(d);
        mus_cloth_free(cloth);
    }
}

static void test_incremental(void **state) {
    (void)state;
    static const mus_material_model models[] = {MUS_MODEL_SPRINGS, MUS_MODEL_STVK, MUS_MODEL_NEO_HOOKEAN};
    mus_material m = mus_material_default();
    m.bend = 30;
    for (int k = 0; k < 3; k++) m.model = models[k], check_slope(m);
    m.bending_quadratic = true;
    check_slope(m);
}

/* ---- closed forms ---- */

static void test_free_fall(void **state) {
    (void)state;
    mus_world *world = make_world(offset("incremental", "truncation"), 1.0 / 120, g, 1);
    mus_mesh *mesh;
    must(mus_mesh_sphere(0.2, 2, (double[3]){0, 0, 0}, &mesh)); /* bent at rest */
    mus_cloth_def def = mus_cloth_def_default();
    v3_store(def.velocity, v3_make(0.5, 1, -0.25));
    mus_cloth_id id = add_cloth(world, mesh, def);
    int32_t n = mus_cloth_vertex_count(world, id);
    v3 *start = malloc(sizeof(v3) * (size_t)n);
    memcpy(start, mus_cloth_positions(world, id), sizeof(v3) * (size_t)n);
    steps(world, 60);
    double t = mus_world_time(world);
    for (int32_t i = 0; i < n; i++) {
        v3 moved = v3_sub(vertex_of(world, id, i), start[i]);
        near(moved.x, 0.5 * t, 1e-10, "travel along x");
        near(moved.y, t - 0.5 * g * t * t, 1e-10, "fall");
        near(moved.z, -0.25 * t, 1e-10, "travel along z");
    }
    free(start);
    mus_world_destroy(world);
}

static double speed_along(mus_world *world, mus_cloth_id id, v3 down) {
    return v3_dot(down, v3_scale(1 / mass_of(world, id), momentum_of(world, id)));
}

/* Speeds after a quarter and after half a second on a slope of 20 degrees; the sheet starts where its contacts begin,
 * so that it slides until they carry it. */
static void slide(double friction, double speed[2]) {
    mus_world *world = make_world(offset("incremental", "truncation"), 1.0 / 240, g, 1);
    double angle = 20 * pi / 180;
    v3 normal = v3_make(mus_sin(angle), mus_cos(angle), 0), down = v3_make(mus_cos(angle), -mus_sin(angle), 0);
    add_plane(world, normal, v3_make(0, 0, 0), friction);
    mus_mesh *mesh = grid_mesh(8, 8, 0.2, 0.2, "xz", v3_make(0, 0, 0));
    double *x = mus_mesh_vertices(mesh);
    mus_cloth_def def = mus_cloth_def_default();
    def.friction = friction;
    for (int32_t i = 0; i < 64; i++) {
        v3 p = v3_load(x + 3 * i);
        v3_store(x + 3 * i, v3_add(v3_axpy(p.x, down, v3_make(0, 0, p.z)), v3_scale(0.495e-3, normal)));
    }
    mus_cloth_id id = add_cloth(world, mesh, def);
    for (int k = 0; k < 2; k++) {
        steps(world, 60);
        speed[k] = speed_along(world, id, down);
    }
    mus_world_destroy(world);
}

/* Coulomb's law: with a coefficient 1 % over tan(angle) = 0.364 it comes to a stop, 1 % under it gains speed; it slides
 * with g (sin - mu cos). What sticks creeps no faster than friction is smoothed over. */
static void test_incline(void **state) {
    (void)state;
    const double angle = 20 * pi / 180, edge = mus_tan(angle), frictions[] = {0, 0.15, 0.3, 0.99 * edge};
    double speed[2];
    for (int k = 0; k < 4; k++) {
        double a = g * (mus_sin(angle) - frictions[k] * mus_cos(angle));
        slide(frictions[k], speed);
        print_message("friction %.4f: acceleration %.5f m/s^2, wanted %.5f\n", frictions[k], 4 * (speed[1] - speed[0]),
                      a);
        near(4 * (speed[1] - speed[0]), a, 0.01 * g * mus_sin(angle) * (k < 3 ? 1 : 0.5), "acceleration");
        assert_true(speed[1] > speed[0]);
    }
    slide(1.01 * edge, speed);
    assert_true(speed[1] < speed[0] || speed[1] < 1e-3);
    slide(2 * edge, speed);
    near(speed[0], 0, 1e-3, "speed of what sticks");
    near(speed[1], 0, 1e-3, "speed of what sticks");
}

/* Sheets collide far from everything, with friction: contacts are equal and opposite, so their momentum stays, however
 * early the solver stops. */
static void test_momentum(void **state) {
    (void)state;
    mus_world *world = make_world(offset("incremental", "truncation"), 1.0 / 240, 0, 1);
    mus_cloth_def def = mus_cloth_def_default();
    mus_cloth_id a = add_cloth(world, grid_mesh(9, 9, 0.2, 0.2, "xz", v3_make(0, 0, 0)), def);
    v3_store(def.velocity, v3_make(0.1, -1, 0));
    mus_cloth_id b = add_cloth(world, grid_mesh(7, 7, 0.15, 0.15, "xz", v3_make(0.02, 0.02, 0.01)), def);
    v3 before = v3_add(momentum_of(world, a), momentum_of(world, b));
    def.velocity[0] = 0, def.velocity[1] = 0.5; /* meets nobody for a while */
    mus_cloth_id c = add_cloth(world, grid_mesh(5, 5, 0.1, 0.1, "xz", v3_make(0, -0.1, 0)), def);
    before = v3_add(before, momentum_of(world, c));
    audited_steps(world, 48);
    v3 after = v3_add(v3_add(momentum_of(world, a), momentum_of(world, b)), momentum_of(world, c));
    double off = v3_length(v3_sub(after, before)) / v3_length(before);
    print_message("momentum off by %.2g of itself after an impact\n", off);
    assert_true(velocity_of(world, a, 40).y < -0.1); /* the first was hit */
    assert_true(off < 1e-12);
    mus_world_destroy(world);
}

/* Falls flat on a floor and leaves it with its share of the speed. */
static void test_rebound(void **state) {
    (void)state;
    const double height = 0.2, e = 0.6, t = sqrt(2 * height / g);
    mus_world *world = make_world(offset("incremental", "truncation"), 1.0 / 480, g, 1);
    mus_obstacle_def def = mus_obstacle_def_default();
    mus_obstacle_id floor;
    def.restitution = e, def.shape = MUS_SHAPE_PLANE;
    must(mus_obstacle_create(world, &def, &floor));
    mus_cloth_id id = add_cloth(world, grid_mesh(4, 4, 0.1, 0.1, "xz", v3_make(0, height, 0)), mus_cloth_def_default());
    steps(world, (int)(480 * (t + 0.02)));
    double top = 0;
    while (mus_world_time(world) < 3 * t) {
        steps(world, 1);
        top = fmax(top, centroid_of(world, id).y);
    }
    near(top, e * e * height, 0.1 * e * e * height, "height of the rebound");
    mus_world_destroy(world);
}

/* ---- guarantees ---- */

static mus_world *drape(mus_pipeline pipeline, int threads) {
    mus_world *world = make_world(pipeline, 1.0 / 120, g, threads);
    mus_cloth_def def = mus_cloth_def_default();
    add_cloth(world, grid_mesh(16, 16, 0.5, 0.5, "xz", v3_make(0.05, 0.32, 0.03)), def);
    add_sphere(world, 0.12, v3_make(0, 0.15, 0), 0.2);
    add_plane(world, v3_make(0, 1, 0), v3_make(0, 0, 0), 0.2);
    return world;
}

static void test_drape(void **state) {
    (void)state;
    static const char *const failsafes[] = {"truncation", "isotropic"};
    for (int k = 0; k < 2; k++) {
        mus_world *world = drape(offset("incremental", failsafes[k]), 2);
        audited_steps(world, 90);
        mus_stats stats;
        mus_world_stats(world, &stats);
        assert_true(stats.contacts > 10 && stats.max_strain < 0.3);
        mus_world_destroy(world);
    }
}

/* A narrow strip folds over itself on the floor: cloth against itself, layer on layer. */
static void test_pile(void **state) {
    (void)state;
    mus_world *world = make_world(offset("incremental", "truncation"), 1.0 / 120, g, 2);
    mus_mesh *mesh = grid_mesh(6, 40, 0.06, 0.5, "xy", v3_make(0, 0.27, 0));
    double *x = mus_mesh_vertices(mesh);
    for (int32_t i = 0; i < 240; i++) x[3 * i + 2] = 2e-3 * mus_sin(40 * x[3 * i + 1]);
    mus_cloth_id id = add_cloth(world, mesh, mus_cloth_def_default());
    add_plane(world, v3_make(0, 1, 0), v3_make(0, 0, 0), 0.3);
    audited_steps(world, 100);
    assert_true(centroid_of(world, id).y < 0.06);
    mus_world_destroy(world);
}

static void test_threads(void **state) {
    (void)state;
    uint64_t hashes[4];
    for (int k = 0; k < 4; k++) {
        mus_world *world = drape(offset("incremental", "truncation"), k == 3 ? 8 : k + 1);
        steps(world, 40);
        hashes[k] = mus_world_hash(world);
        mus_world_destroy(world);
        assert_true(hashes[k] == hashes[0]);
    }
}

static mus_status press(void *user, double t, mus_pose *pose) {
    (void)user;
    pose->position[1] = 0.06 - 0.2 * t;
    return MUS_STATUS_OK;
}

/* A plate comes down on a sheet on a table until nothing fits between: named, and the state is the one before. */
static void test_pinched(void **state) {
    (void)state;
    mus_world *world = make_world(offset("incremental", "truncation"), 1.0 / 120, g, 1);
    add_cloth(world, grid_mesh(6, 6, 0.1, 0.1, "xz", v3_make(0.003, 0.002, 0.001)), mus_cloth_def_default());
    add_plane(world, v3_make(0, 1, 0), v3_make(0, 0, 0), 0.3);
    mus_obstacle_def def = mus_obstacle_def_default();
    mus_obstacle_id plate;
    def.name = "plate", def.shape = MUS_SHAPE_BOX;
    def.size[0] = def.size[2] = 0.3, def.size[1] = 0.1, def.pose.position[1] = 0.06;
    must(mus_obstacle_create(world, &def, &plate));
    must(mus_obstacle_set_motion(world, plate, press, NULL));
    mus_status status = MUS_STATUS_OK;
    uint64_t before = 0;
    for (int k = 0; k < 120 && status == MUS_STATUS_OK; k++) {
        before = mus_world_hash(world);
        status = mus_world_step(world);
        if (status != MUS_STATUS_OK) break;
        mus_audit_report report;
        must(mus_world_audit(world, 1e-4, &report));
        assert_true(report.finding_count == 0);
        mus_audit_report_destroy(&report);
    }
    assert_int_equal(status, MUS_STATUS_NO_SAFE_STEP);
    print_message("%s\n", mus_error_message());
    assert_non_null(strstr(mus_error_message(), "plate"));
    assert_true(mus_world_hash(world) == before);
    assert_true(mus_world_time(world) > 0.02);
    assert_int_equal(mus_world_step(world), MUS_STATUS_NO_SAFE_STEP); /* again: nothing was left behind */
    assert_true(mus_world_hash(world) == before);
    mus_world_destroy(world);
}

static mus_status push_up(void *user, const mus_contact *contact, double impulse[2][3]) {
    (void)user, (void)contact;
    impulse[0][1] = 1;
    return MUS_STATUS_OK;
}

/* Stages of different families do not mix, and rules of impulses have no place. */
static void test_mixed(void **state) {
    (void)state;
    mus_world_def def = mus_world_def_default();
    mus_world *world;
    def.pipeline.response = "ogc";
    must_be(MUS_STATUS_INVALID, mus_world_create(&def, &world));
    assert_non_null(strstr(mus_error_message(), "'offset'"));
    world = make_world(offset("incremental", "truncation"), 1.0 / 120, g, 1);
    mus_response_def response = mus_response_def_default();
    mus_response_id id;
    response.callback = push_up;
    must_be(MUS_STATUS_INVALID, mus_world_respond(world, &response, &id));
    assert_non_null(strstr(mus_error_message(), "robust"));
    response.callback = NULL, response.rule = "ogc", response.friction = 0.2;
    must(mus_world_respond(world, &response, &id));
    mus_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_incremental), cmocka_unit_test(test_free_fall), cmocka_unit_test(test_incline),
        cmocka_unit_test(test_rebound),     cmocka_unit_test(test_momentum),  cmocka_unit_test(test_drape),
        cmocka_unit_test(test_pile),        cmocka_unit_test(test_threads),   cmocka_unit_test(test_pinched),
        cmocka_unit_test(test_mixed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
