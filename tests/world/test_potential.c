/* test_potential.c: the potential family of pipelines against closed forms, the auditor and itself. */
#include "../dynamics/slope.h"

#include "world/world_state.h"

static const double g = 9.81;

static mus_pipeline offset(const char *integrator, const char *failsafe) {
    return (mus_pipeline){integrator, "box_tree", "certified_ccd", "ogc", failsafe, "none", NULL, 0};
}

static mus_world *make_world(mus_pipeline pipeline, double dt, double gravity, int threads) {
    mus_world_def def = still_air(dt, gravity);
    def.threads = threads, def.pipeline = pipeline;
    return world_of(def);
}

static bool same_pair(const mus_contact_constraint *a, const mus_contact_constraint *b) {
    const int32_t *v = a->vertex, *w = b->vertex;
    if (a->plane != b->plane || a->edge_edge != b->edge_edge) return false;
    if (a->plane) return v[0] == w[0] && a->object[1] == b->object[1];
    if (memcmp(v, w, sizeof a->vertex) == 0) return true;
    return a->edge_edge && v[0] == w[2] && v[1] == w[3] && v[2] == w[0] && v[3] == w[1];
}

/* However often it was found while the step was solved. */
static void each_pair_has_one_constraint(const mus_world *world, int step) {
    const mus_contact_constraint_list *constraints = &world->solver.constraints;
    for (int64_t k = 0; k < constraints->count; k++)
        for (int64_t other = 0; other < k; other++)
            if (same_pair(&constraints->data[k], &constraints->data[other]))
                fail_msg("step %d: rows %lld and %lld of %lld are the same %s", step, (long long)other, (long long)k,
                         (long long)constraints->count,
                         constraints->data[k].edge_edge ? "two edges" : "vertex and face");
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
        each_pair_has_one_constraint(world, k);
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
        v3 *start = malloc(sizeof(v3) * (size_t)n), *force = calloc((size_t)n, sizeof(v3));
        near_slope(cloth, d, &rng, dt, h, 1e-5, start, force);
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

static void falls_freely(const char *integrator, double gravity) {
    mus_world *world = make_world(offset(integrator, "truncation"), 1.0 / 120, gravity, 1);
    mus_mesh *mesh;
    must(mus_mesh_create_sphere(0.2, 2, (double[3]){0, 0, 0}, &mesh)); /* bent at rest */
    mus_cloth_def def = mus_cloth_def_default();
    v3_store(def.velocity, v3_make(0.5, 1, -0.25));
    mus_cloth_id id = add_cloth(world, mesh, def);
    int32_t n = mus_cloth_get_vertex_count(world, id);
    v3 *start = malloc(sizeof(v3) * (size_t)n);
    memcpy(start, mus_cloth_get_positions(world, id), sizeof(v3) * (size_t)n);
    steps(world, 60);
    double t = mus_world_get_time(world);
    for (int32_t i = 0; i < n; i++) {
        v3 moved = v3_sub(vertex_of(world, id, i), start[i]);
        near(moved.x, 0.5 * t, 1e-10, "travel along x");
        near(moved.y, t - 0.5 * gravity * t * t, 1e-10, "fall");
        near(moved.z, -0.25 * t, 1e-10, "travel along z");
    }
    free(start);
    mus_world_destroy(world);
}

/* And where gravity is less than what a residual may usually be. */
static void test_free_fall(void **state) {
    (void)state;
    static const char *const integrators[] = {"incremental", "vbd", "newton"};
    for (int k = 0; k < 3; k++) falls_freely(integrators[k], g), falls_freely(integrators[k], k == 2 ? 5e-4 : 0.01);
}

/* ---- contacts ---- */

static bool kept(const mus_candidate_pair_list *list, bool edge_edge, const int32_t v[4]) {
    for (int64_t k = 0; k < list->count; k++) {
        const int32_t *w = list->data[k].vertex;
        if ((list->data[k].edge_edge != 0) != edge_edge) continue;
        bool same = !edge_edge && w[0] == v[0];
        for (int c = 1; c < 4 && same; c++) same = v[c] == w[1] || v[c] == w[2] || v[c] == w[3];
        for (int swap = 0; swap < 4 && edge_edge && !same; swap += 2) {
            const int32_t *p = w + swap, *q = w + 2 - swap;
            same = ((p[0] == v[0] && p[1] == v[1]) || (p[0] == v[1] && p[1] == v[0])) &&
                   ((q[0] == v[2] && q[1] == v[3]) || (q[0] == v[3] && q[1] == v[2]));
        }
        if (same) return true;
    }
    return false;
}

/* Is a pair that was within its contact range at x0, if it is a contact, among the candidate pairs? Counts both. */
static void count_near(const mus_solver *solver, const v3 *x0, bool edge_edge, const int32_t v[4], int found[2]) {
    mus_candidate_pair c = {.edge_edge = edge_edge};
    memcpy(c.vertex, v, sizeof c.vertex);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < i; k++)
            if (v[i] == v[k]) return;
    double weight[4];
    v3 d;
    const mus_assembly *a = &solver->assembly;
    double range = mus_candidate_pair_range(a, &c, mus_candidate_pair_thickness(a, &c));
    if (mus_candidate_pair_nearest(&c, x0, &d, weight) > 0.999 * range) return;
    found[kept(&solver->candidates, edge_edge, v)]++;
}

/* A step's contacts are all pairs near at its start, also those that part at once: within a squeezed sheet, and between
 * it and a second one, whose vertices fly in all directions. */
static void test_keeps_near(void **state) {
    (void)state;
    enum { N = 7, VERTICES = 2 * N * N };
    mus_world *world = make_world(offset("incremental", "truncation"), 1.0 / 120, 0, 1);
    mus_cloth_def def = mus_cloth_def_default();
    def.thickness = 12e-3; /* adjacent features keep less: 0.6 of their distance at rest */
    mus_cloth_id id[2] = {add_cloth(world, grid_mesh(N, N, 0.06, 0.06, "xz", v3_make(0, 0, 0)), def),
                          add_cloth(world, grid_mesh(N, N, 0.06, 0.06, "xz", v3_make(0.003, 0.012, 0.002)), def)};
    mus_rng rng = mus_rng_make(17, 0);
    static v3 x0[VERTICES];
    for (int b = 0; b < 2; b++) {
        double *x = mus_cloth_get_positions(world, id[b]), *v = mus_cloth_get_velocities(world, id[b]);
        for (int i = 0; i < 3 * N * N; i++) v[i] = mus_rng_between(&rng, -3, 3);
        for (int i = 0; i < N * N; i++) x[3 * i] *= 0.55;
        memcpy(x0 + b * N * N, x, sizeof(v3) * N * N);
        must(mus_cloth_mark_positions_changed(world, id[b]));
    }
    must(mus_world_step(world));
    const mus_solver *solver = &world->solver;
    int32_t face[2 * 4 * (N - 1) * (N - 1)][3], edge[3 * 2 * 4 * (N - 1) * (N - 1)][2], faces = 0, edges = 0;
    for (int b = 0; b < 2; b++)
        for (int32_t f = 0; f < mus_cloth_get_face_count(world, id[b]); f++, faces++)
            for (int c = 0; c < 3; c++) face[faces][c] = b * N * N + mus_cloth_get_faces(world, id[b])[3 * f + c];
    for (int32_t f = 0; f < faces; f++)
        for (int c = 0; c < 3; c++) { /* inner edges come up twice */
            int32_t p = face[f][c], q = face[f][(c + 1) % 3];
            bool known = false;
            for (int32_t e = 0; e < edges; e++) known |= edge[e][0] == q && edge[e][1] == p;
            if (!known) edge[edges][0] = p, edge[edges++][1] = q;
        }
    int found[2][2] = {{0}};
    for (int32_t i = 0; i < VERTICES; i++)
        for (int32_t f = 0; f < faces; f++)
            count_near(solver, x0, false, (int32_t[]){i, face[f][0], face[f][1], face[f][2]},
                       found[face[f][0] / (N * N) != i / (N * N)]);
    for (int32_t e = 0; e < edges; e++)
        for (int32_t o = 0; o < e; o++)
            count_near(solver, x0, true, (int32_t[]){edge[e][0], edge[e][1], edge[o][0], edge[o][1]},
                       found[edge[e][0] / (N * N) != edge[o][0] / (N * N)]);
    for (int k = 0; k < 2; k++) {
        print_message("%s: %d near, %d of them lost\n", k ? "two sheets" : "neighbors", found[k][0] + found[k][1],
                      found[k][0]);
        assert_int_equal(found[k][0], 0);
        assert_true(found[k][1] > 100);
    }
    mus_world_destroy(world);
}

/* Sheets with random velocities in every step: vertices leave their predicted positions, and their pairs are searched
 * again. */
static void test_found_again(void **state) {
    (void)state;
    enum { N = 12 };
    mus_world *world = make_world(offset("incremental", "truncation"), 1.0 / 120, 0, 1);
    mus_cloth_id id[3];
    for (int b = 0; b < 3; b++)
        id[b] = add_cloth(world, grid_mesh(N, N, 0.12, 0.12, "xz", v3_make(0.003 * b, 0.004 * b, 0.002 * b)),
                          mus_cloth_def_default());
    mus_rng rng = mus_rng_make(5, 0);
    for (int k = 0; k < 20; k++) {
        for (int b = 0; b < 3; b++) {
            double *v = mus_cloth_get_velocities(world, id[b]);
            for (int i = 0; i < 3 * N * N; i++) v[i] = mus_rng_between(&rng, -3, 3);
        }
        audited_steps(world, 1);
    }
    mus_world_destroy(world);
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
    while (mus_world_get_time(world) < 3 * t) {
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
        mus_world_get_stats(world, &stats);
        assert_true(stats.contacts > 10 && stats.max_strain < 0.3);
        mus_world_destroy(world);
    }
}

/* A narrow strip folds over itself on the floor: cloth against itself, layer on layer. */
static void test_pile(void **state) {
    (void)state;
    mus_world *world = make_world(offset("incremental", "truncation"), 1.0 / 120, g, 2);
    mus_mesh *mesh = grid_mesh(6, 40, 0.06, 0.5, "xy", v3_make(0, 0.27, 0));
    double *x = mus_mesh_get_vertices(mesh);
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
        hashes[k] = mus_world_get_hash(world);
        mus_world_destroy(world);
        assert_true(hashes[k] == hashes[0]);
    }
}

/* A plate comes down on a sheet on a table until nothing fits between: named, and the state is the one before. */
static void test_pinched(void **state) {
    (void)state;
    mus_world *world = make_world(offset("incremental", "truncation"), 1.0 / 120, g, 1);
    add_cloth(world, grid_mesh(6, 6, 0.1, 0.1, "xz", v3_make(0.003, 0.002, 0.001)), mus_cloth_def_default());
    add_plane(world, v3_make(0, 1, 0), v3_make(0, 0, 0), 0.3);
    const descent_of_plate down = {0.06, 0.2};
    add_press(world, v3_make(0.3, 0.1, 0.3), &down);
    mus_status status = MUS_STATUS_OK;
    uint64_t before = 0;
    for (int k = 0; k < 120 && status == MUS_STATUS_OK; k++) {
        before = mus_world_get_hash(world);
        status = mus_world_step(world);
        if (status != MUS_STATUS_OK) break;
        mus_audit_report report;
        must(mus_world_audit(world, 1e-4, &report));
        assert_true(report.finding_count == 0);
        mus_audit_report_destroy(&report);
    }
    assert_int_equal(status, MUS_STATUS_NO_SAFE_STEP);
    print_message("%s\n", mus_get_error_message());
    assert_non_null(strstr(mus_get_error_message(), "plate"));
    assert_true(mus_world_get_hash(world) == before);
    assert_true(mus_world_get_time(world) > 0.02);
    assert_int_equal(mus_world_step(world), MUS_STATUS_NO_SAFE_STEP); /* again: nothing was left behind */
    assert_true(mus_world_get_hash(world) == before);
    mus_world_destroy(world);
}

static mus_status impulse_up(void *user, const mus_contact *contact, double impulse[2][3]) {
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
    assert_non_null(strstr(mus_get_error_message(), "'offset'"));
    world = make_world(offset("incremental", "truncation"), 1.0 / 120, g, 1);
    mus_response_def response = mus_response_def_default();
    mus_response_id id;
    response.callback = impulse_up;
    must_be(MUS_STATUS_INVALID, mus_response_create(world, &response, &id));
    assert_non_null(strstr(mus_get_error_message(), "robust"));
    response.callback = NULL, response.rule = "ogc", response.friction = 0.2;
    must(mus_response_create(world, &response, &id));
    mus_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_incremental), cmocka_unit_test(test_free_fall), cmocka_unit_test(test_keeps_near),
        cmocka_unit_test(test_found_again), cmocka_unit_test(test_rebound),   cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_drape),       cmocka_unit_test(test_pile),      cmocka_unit_test(test_threads),
        cmocka_unit_test(test_pinched),     cmocka_unit_test(test_mixed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
