/* test_vertex_spring.c: springs at vertices of cloth: balance with weight, stability with any stiffness, the limits of
 * explicit integrators, derivatives beside those of other forces, waking, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "scene.h"

typedef struct spring {
    int32_t vertex;
    double at[3], stiffness, damping;
    bool on;
    mus_status status;
} spring;

static mus_status pull_vertex(mus_world *world, double t, void *user) {
    (void)t;
    spring *s = user;
    if (!s->on) return MUS_STATUS_OK;
    return s->status = mus_cloth_add_vertex_spring(world, mus_world_get_cloth(world, 0), s->vertex, s->at, s->stiffness,
                                                   s->damping);
}

/* A sheet of 5 x 5 nodes at the height of 1 m. */
static mus_world *sheet_world(mus_pipeline stages, double dt, spring *s) {
    mus_world_def def = mus_world_def_default();
    def.pipeline = stages;
    def.dt = dt, def.threads = 1, def.sleep = true;
    mus_world *world;
    must(mus_world_create(&def, &world));
    mus_grid_def grid = {mus_grid_def_default().cookie, .nodes = {5, 5}, .size = {0.2, 0.2}, .center = {0, 1, 0}};
    mus_mesh *mesh;
    must(mus_mesh_create_grid(&grid, &mesh));
    add_cloth(world, mesh, mus_cloth_def_default());
    mus_callbacks callbacks = {mus_callbacks_default().cookie, .user = s, .forces = pull_vertex};
    must(mus_world_set_callbacks(world, &callbacks));
    return world;
}

static void play_steps(mus_world *world, int count) {
    for (int k = 0; k < count; k++) must(mus_world_step(world));
}

static v3 place_of(mus_world *world, int32_t vertex) {
    return v3_load(mus_cloth_get_positions(world, mus_world_get_cloth(world, 0)) + 3 * vertex);
}

/* At rest the spring carries the weight: its stretch is M g / k. */
static void cloth_hangs_by_its_weight(void **state) {
    (void)state;
    const mus_pipeline pipelines[] = {STAGES_ROBUST, STAGES_NEWTON};
    for (int k = 0; k < 2; k++) {
        spring s = {.vertex = 12, .at = {0, 1, 0}, .stiffness = 20, .damping = 0.5, .on = true};
        mus_world *world = sheet_world(pipelines[k], 1.0 / 60, &s);
        play_steps(world, 900);
        const double *mass = mus_cloth_get_masses(world, mus_world_get_cloth(world, 0));
        double weight = 0;
        for (int32_t i = 0; i < 25; i++) weight += 9.81 * mass[i];
        double stretch = 1 - place_of(world, 12).y, wanted = weight / 20;
        if (!(fabs(stretch - wanted) < 0.01 * wanted)) fail_msg("%d: stretch %g m, not %g", k, stretch, wanted);
        mus_world_destroy(world);
    }
}

/* Ten million times the limit of explicit steps, in steps of 1/30 s: the vertex stays where the spring ends. */
static void implicit_steps_are_stable_with_any_stiffness(void **state) {
    (void)state;
    const mus_pipeline pipelines[] = {STAGES_ROBUST, STAGES_LIVELY, STAGES_NEWTON, STAGES_VBD};
    for (int k = 0; k < 4; k++) {
        spring s = {.vertex = 0, .at = {-0.1, 1.05, 0.1}, .stiffness = 1e7, .on = true};
        mus_world *world = sheet_world(pipelines[k], 1.0 / 30, &s);
        v3 start = place_of(world, 0);
        s.at[0] = start.x, s.at[2] = start.z;
        play_steps(world, 60);
        v3 off = v3_sub(place_of(world, 0), v3_load(s.at));
        if (!(v3_length(off) < 1e-3)) fail_msg("%d: %g m off", k, v3_length(off));
        mus_world_destroy(world);
    }
}

static void explicit_steps_limit_the_stiffness(void **state) {
    (void)state;
    spring s = {.vertex = 12, .at = {0, 1.1, 0}, .stiffness = 1e12, .damping = 1e12, .on = true};
    mus_world *world = sheet_world((mus_pipeline)STAGES_AABB, 1e-4, &s);
    must(mus_world_set_gravity(world, (double[3]){0}));
    play_steps(world, 1);
    double mass = mus_cloth_get_masses(world, mus_world_get_cloth(world, 0))[12], dt = mus_world_get_step_size(world);
    double force = mus_cloth_get_forces(world, mus_world_get_cloth(world, 0))[3 * 12 + 1],
           wanted = 0.1 * 0.25 * mass / (dt * dt);
    if (!(fabs(force - wanted) < 1e-9 * wanted)) fail_msg("force %g N, not %g", force, wanted);
    mus_world_destroy(world);
}

/* Added to another spring's derivatives, and to columns that start without any: two springs at one vertex are one of
 * the sum of both, to the bit where the sums are. */
static mus_status pull_twice(mus_world *world, double t, void *user) {
    spring half = *(spring *)user;
    half.stiffness *= 0.5, half.damping *= 0.5;
    mus_status status = pull_vertex(world, t, &half);
    return status == MUS_STATUS_OK ? pull_vertex(world, t, &half) : status;
}

static void two_springs_are_one_of_their_sum(void **state) {
    (void)state;
    spring s = {.vertex = 3, .at = {0, 1, 0}, .stiffness = 64, .damping = 0.5, .on = true};
    mus_world *one = sheet_world((mus_pipeline)STAGES_ROBUST, 1.0 / 60, &s);
    mus_world *two = sheet_world((mus_pipeline)STAGES_ROBUST, 1.0 / 60, &s);
    mus_callbacks callbacks = {mus_callbacks_default().cookie, .user = &s, .forces = pull_twice};
    must(mus_world_set_callbacks(two, &callbacks));
    play_steps(one, 60);
    play_steps(two, 60);
    assert_true(v3_length(v3_sub(place_of(one, 3), place_of(two, 3))) < 1e-6);
    mus_world_destroy(one);
    mus_world_destroy(two);
}

static void changed_springs_wake_the_world(void **state) {
    (void)state;
    spring s = {.vertex = 12, .at = {0, 1, 0}, .stiffness = 20, .damping = 0.5, .on = false};
    mus_world *world = sheet_world((mus_pipeline)STAGES_ROBUST, 1.0 / 60, &s);
    add_plane(world, v3_make(0, 1, 0), v3_make(0, 0.99, 0), 0.3);
    for (int k = 0; k < 600 && !mus_world_is_asleep(world); k++) play_steps(world, 1);
    assert_true(mus_world_is_asleep(world));
    s.on = true, s.at[1] = 1.2;
    play_steps(world, 60);
    assert_false(mus_world_is_asleep(world));
    assert_true(place_of(world, 12).y > 1.05);
    mus_world_destroy(world);
}

static void wrong_springs_are_refused(void **state) {
    (void)state;
    spring s = {.at = {0, 1, 0}, .stiffness = 1, .on = true};
    mus_world *world = sheet_world((mus_pipeline)STAGES_ROBUST, 1.0 / 60, &s);
    mus_cloth_id id = mus_world_get_cloth(world, 0);
    assert_int_equal(mus_cloth_add_vertex_spring(world, id, 0, s.at, 1, 0), MUS_STATUS_LOCKED);
    const struct {
        spring spring;
        const char *message;
    } wrong[] = {{{.vertex = 25, .on = true}, "the vertex must be 0..24 (got 25)"},
                 {{.vertex = -1, .on = true}, "the vertex must be 0..24 (got -1)"},
                 {{.at = {0, NAN, 0}, .on = true}, "its place must be finite"},
                 {{.stiffness = -1, .on = true}, "stiffness and damping must be 0..1e15"},
                 {{.stiffness = NAN, .on = true}, "stiffness and damping must be 0..1e15"},
                 {{.damping = INFINITY, .on = true}, "stiffness and damping must be 0..1e15"}};
    uint64_t hash = mus_world_get_hash(world);
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        s = wrong[k].spring;
        assert_int_equal(mus_world_step(world), MUS_STATUS_INVALID);
        if (!strstr(mus_get_error_message(), wrong[k].message)) fail_msg("%s", mus_get_error_message());
        assert_true(mus_world_get_hash(world) == hash);
    }
    mus_cloth_destroy(world, id);
    assert_int_equal(mus_cloth_add_vertex_spring(world, id, 0, s.at, 1, 0), MUS_STATUS_STALE);
    mus_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cloth_hangs_by_its_weight),
        cmocka_unit_test(implicit_steps_are_stable_with_any_stiffness),
        cmocka_unit_test(explicit_steps_limit_the_stiffness),
        cmocka_unit_test(two_springs_are_one_of_their_sum),
        cmocka_unit_test(changed_springs_wake_the_world),
        cmocka_unit_test(wrong_springs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
