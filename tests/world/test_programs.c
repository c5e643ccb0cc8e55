/* test_programs.c: programs as rules, forces and tolerances from C: the law of a callback, bit for bit, whatever
 * threads and instructions; no allocation once a world is warm; who holds them; what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../trace/graphs.h"
#include "falling.h"

#include "base/vec.h"

#include <string.h>

/* ---- One law twice: inelastic, and half of the slip ---- */

static mus_status law(void *user, const mus_contact *c, double impulse[2][3]) {
    double k = mus_parameter_get_value(user);
    v3 n = v3_load(c->normal), v = v3_load(c->velocity);
    double vn = n.x * v.x + n.y * v.y + n.z * v.z, jn = (-vn > 0 ? -vn : 0) * c->mass;
    for (int i = 0; i < 3; i++)
        impulse[0][i] = jn * c->normal[i] - k * (c->mass * (c->velocity[i] - vn * c->normal[i]));
    return MUS_STATUS_OK;
}

static mus_program *program_of(mus_program_kind kind, mus_parameter *k) {
    mus_graph *g;
    mus_program *p;
    check(mus_graph_create(&g));
    mus_node n[3], v[3], j[3], mass = mus_graph_add_input(g, MUS_INPUT_MASS), slide = mus_graph_add_parameter(g, k);
    for (int i = 0; i < 3; i++)
        n[i] = mus_graph_add_input(g, MUS_INPUT_NORMAL + i), v[i] = mus_graph_add_input(g, MUS_INPUT_VELOCITY + i);
    mus_node vn = dot(g, n, v);
    mus_node jn = two(g, MUS_OP_MAX, mus_graph_add_operation(g, MUS_OP_NEG, vn, -1, -1), mus_graph_add_constant(g, 0));
    jn = two(g, MUS_OP_MUL, jn, mass);
    for (int i = 0; i < 3; i++) {
        mus_node slip = two(g, MUS_OP_MUL, mass, two(g, MUS_OP_SUB, v[i], two(g, MUS_OP_MUL, vn, n[i])));
        j[i] = two(g, MUS_OP_SUB, two(g, MUS_OP_MUL, jn, n[i]), two(g, MUS_OP_MUL, slide, slip));
        if (kind == MUS_PROGRAM_NODE_FORCE) j[i] = two(g, MUS_OP_MUL, two(g, MUS_OP_MUL, slide, mass), v[i]);
    }
    if (kind == MUS_PROGRAM_POTENTIAL) j[0] = two(g, MUS_OP_MUL, slide, mus_graph_add_input(g, MUS_INPUT_GAP));
    check(mus_program_create(kind, g, j, kind == MUS_PROGRAM_POTENTIAL ? 1 : 3, &p));
    return p;
}

/* Two sheets, crossing as they fall on a floor and a ball. */
static mus_world *falling(const char *pipeline, int threads) {
    mus_world_def def = mus_world_def_default();
    def.threads = threads;
    if (pipeline)
        def.pipeline.response = pipeline, def.pipeline.integrator = "incremental", def.pipeline.failsafe = "truncation",
        def.pipeline.strain = "none";
    return falling_world(&def);
}

static mus_response_id respond(mus_world *world, mus_rule_fn callback, void *user) {
    mus_response_def def = mus_response_def_default();
    mus_response_id id;
    def.callback = callback, def.user = user;
    check(mus_response_create(world, &def, &id));
    return id;
}

static void test_law(void **state) {
    (void)state;
    static const char *const levels[] = {"baseline", "avx2", "avx512"};
    mus_parameter *k;
    check(mus_parameter_create("k", 0.5, &k));
    mus_world *plain = falling(NULL, 1);
    respond(plain, law, k);
    uint64_t wanted[30];
    int64_t contacts = 0, count;
    for (int step = 0; step < 30; step++) {
        check(mus_parameter_set_value(k, step < 15 ? 0.5 : 0.1));
        check(mus_world_step(plain));
        wanted[step] = mus_world_get_hash(plain);
        mus_world_get_contacts(plain, &count);
        contacts += count;
    }
    assert_true(contacts > 1000);
    mus_world_destroy(plain);
    for (int run = 0; run < 4; run++) {
        if (run < 3 && mus_set_simd_level(levels[run]) != MUS_STATUS_OK) continue;
        mus_world *world = falling(NULL, run + 1);
        mus_program *p = program_of(MUS_PROGRAM_RULE, k);
        respond(world, mus_program_evaluate_rule, p);
        mus_program_release(p); /* the world holds it */
        for (int step = 0; step < 30; step++) {
            check(mus_parameter_set_value(k, step < 15 ? 0.5 : 0.1));
            check(mus_world_step(world));
            if (mus_world_get_hash(world) != wanted[step]) fail_msg("run %d parts at step %d", run, step);
        }
        mus_world_destroy(world);
    }
    mus_set_simd_level(NULL);
    mus_parameter_release(k);
}

static mus_status force_all(mus_world *world, double t, void *user) {
    (void)t;
    mus_status status = MUS_STATUS_OK;
    for (int32_t k = 0; k < mus_world_get_cloth_count(world) && status == MUS_STATUS_OK; k++)
        status = mus_cloth_add_node_force(world, mus_world_get_cloth(world, k), user);
    return status;
}

static void test_steady(void **state) {
    (void)state;
    size_t before = mus_get_allocated_bytes();
    mus_parameter *k, *drag;
    check(mus_parameter_create("k", 0.5, &k));
    check(mus_parameter_create("k", -2, &drag));
    mus_world *world = falling(NULL, 1);
    mus_program *p = program_of(MUS_PROGRAM_RULE, k), *f = program_of(MUS_PROGRAM_NODE_FORCE, drag);
    mus_response_id id = respond(world, mus_program_evaluate_rule, p);
    mus_callbacks callbacks = {mus_callbacks_default().cookie, .user = f, .forces = force_all};
    mus_world_set_callbacks(world, &callbacks);
    for (int step = 0; step < 120; step++) check(mus_world_step(world));
    uint64_t allocations = mus_get_allocation_count();
    for (int step = 0; step < 5; step++) check(mus_world_step(world));
    assert_int_equal(mus_get_allocation_count(), allocations);
    check(mus_response_set_callback(world, id, law, k));
    check(mus_world_step(world));
    check(mus_response_set_callback(world, id, mus_program_evaluate_rule, p));
    check(mus_response_destroy(world, id));
    check(mus_world_step(world));
    mus_program_release(p);
    mus_world_destroy(world);
    mus_program_release(f);
    mus_parameter_release(k);
    mus_parameter_release(drag);
    assert_int_equal(mus_get_allocated_bytes(), before);
}

/* -k m v with a drag of rate k: the implicit step takes v to v/(1 + k dt), however large k dt is;
 * the linear solver knows it to a thousandth. */
static void test_drag(void **state) {
    (void)state;
    for (int potential = 0; potential < 2; potential++) {
        mus_world_def def = mus_world_def_default();
        mus_world *world;
        mus_mesh *mesh;
        mus_parameter *k;
        mus_cloth_id id;
        memset(def.gravity, 0, sizeof def.gravity);
        def.air_density = 0, def.dt = 1.0 / 60;
        if (potential)
            def.pipeline.response = "ogc", def.pipeline.integrator = "newton", def.pipeline.failsafe = "truncation",
            def.pipeline.strain = "none";
        check(mus_world_create(&def, &world));
        mus_grid_def grid = {mus_grid_def_default().cookie, .nodes = {5, 5}, .size = {0.2, 0.2}};
        check(mus_mesh_create_grid(&grid, &mesh));
        mus_cloth_def sheet = mus_cloth_def_default();
        sheet.mesh = mesh, sheet.velocity[0] = 1;
        check(mus_cloth_create(world, &sheet, &id));
        mus_mesh_destroy(mesh);
        check(mus_world_step(world)); /* the previous dt is a whole step from here on */
        double v = mus_cloth_get_velocities(world, id)[0], rate = 1e3;
        check(mus_parameter_create("k", -rate, &k));
        mus_program *f = program_of(MUS_PROGRAM_NODE_FORCE, k);
        mus_callbacks callbacks = {mus_callbacks_default().cookie, .user = f, .forces = force_all};
        mus_world_set_callbacks(world, &callbacks);
        for (int step = 0; step < 3; step++) {
            check(mus_world_step(world));
            v /= 1 + rate * def.dt;
            double now = mus_cloth_get_velocities(world, id)[36];
            if (!(fabs(now - v) <= 5e-3 * v)) fail_msg("step %d, potential %d: %g, not %g", step, potential, now, v);
        }
        mus_world_destroy(world);
        mus_program_release(f);
        mus_parameter_release(k);
    }
}

static void refused(mus_world *world, mus_program *p, bool per_node, const char *why) {
    mus_response_def def = mus_response_def_default();
    mus_response_id id;
    def.callback = mus_program_evaluate_rule, def.user = p, def.per_node = per_node;
    assert_int_equal(mus_response_create(world, &def, &id), MUS_STATUS_INVALID);
    if (!strstr(mus_get_error_message(), why)) fail_msg("%s", mus_get_error_message());
}

static void test_errors(void **state) {
    (void)state;
    mus_parameter *k;
    check(mus_parameter_create("k", 0.5, &k));
    mus_world_def def = mus_world_def_default();
    def.pipeline.response = "bridson";
    mus_world *world = falling_world(&def), *potential = falling("ogc", 1);
    mus_program *rule = program_of(MUS_PROGRAM_RULE, k), *force = program_of(MUS_PROGRAM_NODE_FORCE, k);
    mus_program *energy = program_of(MUS_PROGRAM_POTENTIAL, k);
    refused(world, NULL, false, "field 'user' must be the program");
    refused(world, energy, false, "is a potential");
    refused(world, force, false, "give it to world:force");
    refused(world, rule, true, "'per_node' does not fit");
    refused(potential, rule, false, "gives impulses");
    refused(potential, force, false, "gives impulses");
    respond(potential, mus_program_evaluate_rule, energy);
    check(mus_world_step(potential));
    mus_cloth_id id = mus_world_get_cloth(world, 0);
    assert_int_equal(mus_cloth_add_node_force(world, id, force), MUS_STATUS_LOCKED);
    assert_int_equal(mus_cloth_add_node_force(world, id, rule), MUS_STATUS_INVALID);
    double impulse[2][3];
    mus_contact contact = {.mass = 1};
    assert_int_equal(mus_program_evaluate_rule(energy, &contact, impulse), MUS_STATUS_INVALID);
    mus_graph *g;
    mus_program *sides; /* the second is no number, which is another thing than none */
    check(mus_graph_create(&g));
    mus_node zero = mus_graph_add_constant(g, 0),
             none = two(g, MUS_OP_DIV, mus_graph_add_input(g, MUS_INPUT_GAP), zero);
    check(mus_program_create(MUS_PROGRAM_RULE, g, (mus_node[]){zero, zero, zero, none, none, none}, 6, &sides));
    assert_int_equal(mus_program_evaluate_rule(sides, &contact, impulse), MUS_STATUS_INVALID);
    assert_non_null(strstr(mus_get_error_message(), "side 2 must be finite (got not a number at 1)"));
    mus_program_release(sides);
    mus_program_release(rule);
    mus_program_release(force);
    mus_program_release(energy);
    mus_world_destroy(world);
    mus_world_destroy(potential);
    mus_parameter_release(k);
}

/* What a program of a motion gives by itself: a rotation a little off is made a unit quaternion, one that is far off or
 * a place that is no number is refused, and without a rotation the pose keeps its own. */
static void test_motion(void **state) {
    (void)state;
    const double lengths[] = {1 + 8e-4, 1 - 8e-4, 1 + 2e-3, 0, NAN};
    for (int turns = 0; turns < 2; turns++)
        for (int k = 0; k < 5; k++) {
            mus_graph *g;
            mus_program *p;
            check(mus_graph_create(&g));
            mus_node t = mus_graph_add_input(g, MUS_INPUT_TIME), size = mus_graph_add_constant(g, lengths[k]), out[7];
            for (int i = 0; i < 3; i++) out[i] = turns ? t : two(g, MUS_OP_MUL, t, size);
            out[3] = two(g, MUS_OP_MUL, size, mus_graph_add_constant(g, 0.8));
            out[4] = out[6] = two(g, MUS_OP_MUL, size, mus_graph_add_constant(g, 0));
            out[5] = two(g, MUS_OP_MUL, size, mus_graph_add_constant(g, -0.6));
            check(mus_program_create(MUS_PROGRAM_MOTION, g, out, turns ? 7 : 3, &p));
            check(mus_program_set_place(p, "dance.lua:7"));
            mus_pose pose = {{7, 7, 7}, {0, 1, 0, 0}};
            mus_status status = mus_program_evaluate_motion(p, 0.5, &pose);
            const double kept[4] = {0, 1, 0, 0}, turned[4] = {0.8, 0, -0.6, 0}, *wanted = turns ? turned : kept;
            bool good = turns ? k < 2 : k < 4;
            assert_int_equal(status, good ? MUS_STATUS_OK : MUS_STATUS_INVALID);
            const char *why = turns ? "must be a unit quaternion" : "place at t = 0.5 s must be finite";
            if (!good &&
                (!strstr(mus_get_error_message(), why) || strncmp(mus_get_error_message(), "dance.lua:7: ", 13) != 0))
                fail_msg("%s", mus_get_error_message());
            double square = 0;
            for (int i = 0; good && i < 4; i++) {
                square += pose.rotation[i] * pose.rotation[i];
                assert_true(fabs(pose.rotation[i] - wanted[i]) <= 1e-15);
            }
            assert_true(!good || fabs(square - 1) <= 4e-16);
            mus_program_release(p);
        }
}

/* ---- Tolerance by place ---- */

/* k + 0 x. */
static mus_program *tolerance_of(mus_parameter *k) {
    mus_graph *g;
    mus_program *p;
    check(mus_graph_create(&g));
    mus_node none = two(g, MUS_OP_MUL, mus_graph_add_constant(g, 0), mus_graph_add_input(g, MUS_INPUT_POSITION));
    mus_node value = two(g, MUS_OP_ADD, mus_graph_add_parameter(g, k), none);
    check(mus_program_create(MUS_PROGRAM_TOLERANCE, g, &value, 1, &p));
    return p;
}

static mus_status change(mus_world *world, double t, void *user) {
    (void)t;
    return mus_world_set_tolerance(world, user);
}

static void expect_status(mus_status got, mus_status wanted, const char *what) {
    assert_int_equal(got, wanted);
    if (!strstr(mus_get_error_message(), what)) fail_msg("%s", mus_get_error_message());
}

/* The world holds its function as long as it may need it; what it does not hold it takes between steps only. */
static void test_tolerance(void **state) {
    (void)state;
    mus_parameter *k;
    check(mus_parameter_create("k", 1e-4, &k));
    mus_program *first = tolerance_of(k), *second = tolerance_of(k), *wind = NULL;
    mus_graph *g;
    check(mus_graph_create(&g));
    mus_node zero[3] = {mus_graph_add_constant(g, 0), mus_graph_add_constant(g, 0), mus_graph_add_constant(g, 0)};
    check(mus_program_create(MUS_PROGRAM_WIND, g, zero, 3, &wind));
    mus_world_def def = mus_world_def_default();
    mus_world *world;
    def.tolerance.place = first;
    expect_status(mus_world_create(&def, &world), MUS_STATUS_INVALID, "'spherical'");
    def.pipeline.integrator = "implicit_euler", def.pipeline.narrow = "spherical", def.pipeline.broad = "quad_tree";
    def.pipeline.response = "jung", def.pipeline.failsafe = "none", def.pipeline.strain = "jung";
    def.threads = 1;
    def.tolerance.least = 1e-4;
    expect_status(mus_world_create(&def, &world), MUS_STATUS_INVALID, "'tolerance.place'");
    def.tolerance = (mus_tolerance){.place = wind};
    expect_status(mus_world_create(&def, &world), MUS_STATUS_INVALID, "of that kind");
    def.tolerance.place = first;
    check(mus_world_create(&def, &world));
    mus_program_release(first); /* the world's now */
    mus_grid_def grid = {mus_grid_def_default().cookie, .nodes = {5, 5}, .size = {0.2, 0.2}, .center = {0, 0.05, 0}};
    mus_cloth_def cloth = mus_cloth_def_default();
    mus_mesh *mesh;
    check(mus_mesh_create_grid(&grid, &mesh));
    cloth.mesh = mesh;
    mus_cloth_id id;
    check(mus_cloth_create(world, &cloth, &id));
    mus_mesh_destroy(mesh);
    check(mus_world_step(world));
    assert_true(mus_world_get_def(world)->tolerance.place == first);
    mus_tolerance other = {.place = second}, number = {.least = 1e-4}, back = {.place = first};
    mus_callbacks hooks = {mus_callbacks_default().cookie, .before_step = change, .user = &other};
    mus_world_set_callbacks(world, &hooks);
    expect_status(mus_world_step(world), MUS_STATUS_LOCKED, "within a step");
    assert_true(mus_world_get_def(world)->tolerance.place == first);
    hooks.user = &number;
    mus_world_set_callbacks(world, &hooks);
    check(mus_world_step(world));
    assert_true(mus_world_get_def(world)->tolerance.place == NULL && mus_world_get_def(world)->tolerance.least == 1e-4);
    hooks.user = &back; /* it was kept */
    mus_world_set_callbacks(world, &hooks);
    check(mus_world_step(world));
    assert_true(mus_world_get_def(world)->tolerance.place == first);
    mus_world_set_callbacks(world, NULL);
    check(mus_world_set_tolerance(world, &other));
    mus_program_release(second);
    check(mus_world_step(world));
    /* a step that fails has changed nothing, and goes well when the function does */
    uint64_t before = mus_world_get_hash(world);
    check(mus_parameter_set_value(k, -1));
    expect_status(mus_world_step(world), MUS_STATUS_INVALID, "more than 0 m, and a finite number (got -1 at {");
    assert_true(mus_world_get_hash(world) == before);
    check(mus_parameter_set_value(k, 1));
    check(mus_world_step(world));
    mus_world_destroy(world);
    mus_program_release(wind);
    mus_parameter_release(k);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_law),    cmocka_unit_test(test_steady),
                                       cmocka_unit_test(test_drag),   cmocka_unit_test(test_motion),
                                       cmocka_unit_test(test_errors), cmocka_unit_test(test_tolerance)};
    return cmocka_run_group_tests_name("programs", tests, NULL, NULL);
}
