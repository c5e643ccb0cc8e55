/* test_coefficients.c: friction and restitution of pairs from C: which word counts, programs against callbacks bit for
 * bit, what is refused, who holds programs, and worlds made of snapshots. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../base/checks.h"
#include "../trace/graphs.h"
#include "falling.h"

#include <math.h>
#include <string.h>

/* Two sheets that cross as they fall on a floor and a ball. */
static mus_world *falling(int threads, const char *response) {
    mus_world_def def = mus_world_def_default();
    def.threads = threads;
    if (response)
        def.pipeline.response = response, def.pipeline.narrow = "cubic_ccd", def.pipeline.failsafe = "none",
        def.pipeline.strain = "none";
    return falling_world(&def);
}

/* By names; NULL: none. */
static mus_status set_number(mus_world *world, const char *a, const char *b, mus_coefficient which, double value) {
    return mus_world_set_coefficient(world, named(world, a), named(world, b), which, value);
}
static mus_status set_law(mus_world *world, const char *a, const char *b, mus_coefficient which, mus_contact_law_fn law,
                          void *user, const char *place) {
    return mus_world_set_contact_law(world, named(world, a), named(world, b), which, law, user, place);
}

/* ---- Which word counts ---- */

static void expect_friction(const mus_world *world, const char *a, const char *b, double friction) {
    int64_t count, seen = 0;
    const mus_contact *all = mus_world_get_contacts(world, &count);
    for (int64_t k = 0; k < count; k++) {
        const char *of[2];
        for (int side = 0; side < 2; side++) of[side] = mus_object_get_name(world, all[k].object[side]);
        bool here =
            (strcmp(of[0], a) == 0 && strcmp(of[1], b) == 0) || (strcmp(of[0], b) == 0 && strcmp(of[1], a) == 0);
        if (!here) continue;
        seen++;
        if (all[k].friction != friction) fail_msg("%s and %s: %g", a, b, all[k].friction);
    }
    if (!seen) fail_msg("%s and %s do not meet", a, b);
}

static void test_words(void **state) {
    (void)state;
    mus_world *world = falling(1, NULL);
    const mus_coefficient friction = MUS_COEFFICIENT_FRICTION;
    check(set_number(world, "floor", NULL, friction, 0.9));
    check(set_number(world, "under", "floor", friction, 0.5));
    check(set_number(world, "ball", "under", friction, 0.4));
    check(set_number(world, "over", "under", friction, 0.6));
    check(set_number(world, "floor", "under", friction, 0.2)); /* the same pair */
    check(set_number(world, "under", "ball", MUS_COEFFICIENT_RESTITUTION, 0.7));
    for (int k = 0; k < 24; k++) check(mus_world_step(world));
    expect_friction(world, "under", "floor", 0.2);
    expect_friction(world, "under", "ball", 0.4);
    expect_friction(world, "under", "over", 0.6);
    check(set_number(world, "under", NULL, friction, 0.1)); /* the last word about all of its pairs */
    check(mus_world_step(world));
    expect_friction(world, "under", "floor", 0.1);
    expect_friction(world, "under", "over", 0.1);
    check(set_number(world, "under", "over", friction, 0.3));
    check(set_number(world, "floor", NULL, friction, 0.8));
    check(mus_world_step(world));
    expect_friction(world, "under", "over", 0.3);
    expect_friction(world, "under", "floor", 0.8);
    expect_friction(world, "under", "ball", 0.1);
    mus_world_destroy(world);
}

/* ---- A law twice: it falls with slip, and grows with load and across the warp ---- */

static mus_status law(void *user, const mus_contact *c, const mus_contact_surface *surface, double *value) {
    const double *v = c->velocity, *w = surface->warp[0];
    double along = v[0] * w[0] + v[1] * w[1] + v[2] * w[2], speed = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    double falls = mus_parameter_get_value(user) / (1 + speed) + 0.1 * (along * along);
    *value = falls + 0.01 * surface->load;
    return MUS_STATUS_OK;
}

static mus_program *program_of(mus_parameter *p) {
    mus_graph *g;
    mus_program *program;
    check(mus_graph_create(&g));
    mus_node v[3], w[3];
    for (int k = 0; k < 3; k++)
        v[k] = mus_graph_add_input(g, MUS_INPUT_VELOCITY + k), w[k] = mus_graph_add_input(g, MUS_INPUT_WARP + k);
    mus_node along = dot(g, v, w), speed = dot(g, v, v);
    mus_node falls =
        two(g, MUS_OP_DIV, mus_graph_add_parameter(g, p), two(g, MUS_OP_ADD, mus_graph_add_constant(g, 1), speed));
    falls =
        two(g, MUS_OP_ADD, falls, two(g, MUS_OP_MUL, mus_graph_add_constant(g, 0.1), two(g, MUS_OP_MUL, along, along)));
    mus_node loaded = two(g, MUS_OP_MUL, mus_graph_add_constant(g, 0.01), mus_graph_add_input(g, MUS_INPUT_LOAD));
    mus_node out = two(g, MUS_OP_ADD, falls, loaded);
    check(mus_program_create(MUS_PROGRAM_COEFFICIENT, g, &out, 1, &program));
    return program;
}

static void test_law(void **state) {
    (void)state;
    static const char *const levels[] = {"baseline", "avx2", "avx512"};
    enum { STEPS = 30 };
    mus_parameter *p;
    check(mus_parameter_create("p", 0.4, &p));
    uint64_t wanted[STEPS];
    mus_world *plain = falling(1, NULL);
    check(set_law(plain, "under", NULL, MUS_COEFFICIENT_FRICTION, law, p, NULL));
    for (int k = 0; k < STEPS; k++) {
        check(mus_world_step(plain));
        wanted[k] = mus_world_get_hash(plain);
    }
    mus_world_destroy(plain);
    size_t before = mus_get_allocated_bytes();
    for (int run = 0; run < 4; run++) {
        if (run < 3 && mus_set_simd_level(levels[run]) != MUS_STATUS_OK) continue;
        mus_world *world = falling(run + 1, NULL);
        mus_program *program = program_of(p);
        check(
            set_law(world, "under", NULL, MUS_COEFFICIENT_FRICTION, mus_program_evaluate_coefficient, program, "here"));
        mus_program_release(program); /* the world holds it */
        for (int k = 0; k < STEPS; k++) {
            check(mus_world_step(world));
            if (mus_world_get_hash(world) != wanted[k]) fail_msg("run %d parts at step %d", run, k);
        }
        if (run == 1) check(set_number(world, "under", NULL, MUS_COEFFICIENT_FRICTION, 1));
        mus_world_destroy(world);
    }
    mus_set_simd_level(NULL);
    assert_int_equal(mus_get_allocated_bytes(), before);
    mus_parameter_release(p);
}

/* ---- Refusals ---- */

static void refused(mus_status status, mus_status wanted, const char *why) {
    assert_int_equal(status, wanted);
    if (!strstr(mus_get_error_message(), why)) fail_msg("%s", mus_get_error_message());
}

static mus_status unbound(void *user, const mus_contact *c, const mus_contact_surface *surface, double *value) {
    (void)c, (void)surface;
    *value = *(double *)user;
    return MUS_STATUS_OK;
}

static mus_status broken(void *user, const mus_contact *c, const mus_contact_surface *surface, double *value) {
    (void)user, (void)c, (void)surface, (void)value;
    return mus_fail(MUS_STATUS_IO, "no such table");
}

static void test_errors(void **state) {
    (void)state;
    const mus_status invalid = MUS_STATUS_INVALID;
    const mus_coefficient friction = MUS_COEFFICIENT_FRICTION, restitution = MUS_COEFFICIENT_RESTITUTION;
    mus_world *world = falling(1, NULL), *bare = falling(1, "aabb");
    mus_parameter *p;
    check(mus_parameter_create("p", 0.4, &p));
    mus_program *program = program_of(p);
    refused(set_number(world, NULL, "under", friction, 1), invalid, "between: give a cloth or an obstacle");
    refused(set_number(world, "under", NULL, friction, -1), invalid, "must be >= 0 (got -1)");
    refused(set_number(world, "under", NULL, friction, INFINITY), invalid, "must be >= 0 (got infinite)");
    refused(set_number(world, "under", NULL, restitution, 2), invalid, "within 0..1 (got 2)");
    refused(set_number(world, "under", NULL, MUS_COEFFICIENT_COUNT, 0), invalid, "no coefficient 2");
    refused(set_law(world, "under", NULL, friction, NULL, NULL, NULL), invalid, "missing");
    refused(set_law(world, "under", NULL, friction, mus_program_evaluate_coefficient, NULL, NULL), invalid,
            "program of that kind");
    refused(set_law(bare, "under", NULL, friction, mus_program_evaluate_coefficient, program, NULL), invalid,
            "response 'aabb', which knows neither");
    check(set_number(bare, "under", NULL, friction, 1));
    const double bad[] = {-0.5, NAN, INFINITY};
    for (int k = 0; k < 3; k++) {
        double value = bad[k];
        uint64_t hash = mus_world_get_hash(world);
        check(set_law(world, "under", "floor", friction, unbound, &value, "table.c:7"));
        mus_status status = MUS_STATUS_OK;
        for (int step = 0; step < 60 && status == MUS_STATUS_OK; step++)
            hash = mus_world_get_hash(world), status = mus_world_step(world);
        refused(status, invalid, "table.c:7: friction: the function for 'under' and 'floor' must give a number >= 0");
        assert_true(mus_world_get_hash(world) == hash);
    }
    double many = 1.5;
    check(set_number(world, "under", "floor", friction, 0.1));
    check(set_law(world, "under", NULL, restitution, unbound, &many, NULL));
    refused(mus_world_step(world), invalid,
            "restitution: the function for 'under' and anything must give a number from 0 to 1 (got 1.5 at the point");
    check(set_law(world, "under", NULL, restitution, broken, NULL, NULL));
    refused(mus_world_step(world), MUS_STATUS_IO, "no such table");
    double value;
    mus_contact contact = {.mass = 1};
    mus_contact_surface surface = {.load = 2};
    check(mus_program_evaluate_coefficient(program, &contact, &surface, &value));
    assert_true(value == 0.4 + 0.02);
    double impulse[2][3];
    refused(mus_program_evaluate_rule(program, &contact, impulse), invalid, "got a coefficient of a contact");
    mus_program_release(program);
    mus_parameter_release(p);
    mus_world_destroy(world);
    mus_world_destroy(bare);
}

/* ---- Snapshots ---- */

static void test_snapshot(void **state) {
    (void)state;
    mus_parameter *p;
    mus_snapshot *snapshot;
    mus_world *world = falling(1, NULL), *again;
    check(mus_parameter_create("p", 0.4, &p));
    check(set_law(world, "under", NULL, MUS_COEFFICIENT_FRICTION, law, p, NULL));
    check(set_law(world, "under", "over", MUS_COEFFICIENT_FRICTION, law, p, NULL));
    check(set_number(world, "over", "floor", MUS_COEFFICIENT_RESTITUTION, 0.3));
    for (int k = 0; k < 20; k++) check(mus_world_step(world));
    check(mus_snapshot_create(world, &snapshot));
    check(mus_world_create_from_snapshot(snapshot, &again));
    refused(mus_world_step(again), MUS_STATUS_INVALID, "friction of 'under' and anything: it was a function");
    /* in another order than they were made in: the last word stays the last */
    check(set_law(again, "over", "under", MUS_COEFFICIENT_FRICTION, law, p, NULL));
    refused(mus_world_step(again), MUS_STATUS_INVALID, "friction of 'under' and anything: it was a function");
    check(set_law(again, "under", NULL, MUS_COEFFICIENT_FRICTION, law, p, NULL));
    check(mus_snapshot_compare(snapshot, again));
    for (int k = 0; k < 20; k++) {
        check(mus_world_step(world));
        check(mus_world_step(again));
        assert_true(mus_world_get_hash(world) == mus_world_get_hash(again));
    }
    check(set_number(again, "over", "floor", MUS_COEFFICIENT_RESTITUTION, 0.2));
    refused(mus_snapshot_compare(snapshot, again), MUS_STATUS_INVALID, "a pair's coefficient is 0.3");
    mus_snapshot_destroy(snapshot);
    mus_world_destroy(world);
    mus_world_destroy(again);
    mus_parameter_release(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_words), cmocka_unit_test(test_law),
                                       cmocka_unit_test(test_errors), cmocka_unit_test(test_snapshot)};
    return cmocka_run_group_tests_name("coefficients", tests, NULL, NULL);
}
