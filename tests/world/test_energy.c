/* test_energy.c: energies are what they are called, and no pipeline makes any. */
#include "scene.h"

typedef struct pipeline_case {
    const char *name;
    mus_pipeline pipeline;
} pipeline_case;

static const pipeline_case pipelines[] = {
    {"robust", STAGES_ROBUST}, {"sequential", STAGES_SEQUENTIAL}, {"offset", STAGES_OFFSET}, {"newton", STAGES_NEWTON},
    {"vbd", STAGES_VBD},       {"lively", STAGES_LIVELY},
};
enum { PIPELINES = sizeof pipelines / sizeof pipelines[0] };

static mus_world *make_world(const pipeline_case *c) {
    mus_world_def def = mus_world_def_default();
    def.dt = 1.0 / 120, def.threads = 1, def.air_density = 0, def.pipeline = c->pipeline;
    return world_of(def);
}

static mus_energy energy_of(mus_world *world) {
    mus_energy e;
    must(mus_world_get_energy(world, &e));
    return e;
}

/* A thrown sheet in free fall has the energy it was given at every step, and kinetic energy is that of its speed. */
static void test_free_fall(void **state) {
    (void)state;
    for (int p = 0; p < PIPELINES; p++) {
        mus_world *world = make_world(&pipelines[p]);
        mus_cloth_def def = mus_cloth_def_default();
        def.velocity[0] = 1, def.velocity[1] = 2;
        mus_cloth_id id = add_cloth(world, grid_mesh(5, 5, 0.1, 0.1, "xz", v3_make(0, 0.5, 0)), def);
        double m = mass_of(world, id), start = m * (0.5 * 5 + 9.81 * 0.5);
        near(energy_of(world).total, start, 1e-12, "total at the start");
        for (int k = 0; k < 60; k++) {
            must(mus_world_step(world));
            mus_energy e = energy_of(world);
            v3 v = velocity_of(world, id, 7);
            near(e.kinetic, 0.5 * m * v3_length2(v), 1e-10, "kinetic");
            near(e.elastic, 0, 1e-10, "elastic");
            /* the middle of a chord is g dt^2/8 below its arc */
            near(e.total, start, m * 9.81 * 9.81 / (120 * 120 * 7.9), "total");
        }
        mus_world_destroy(world);
    }
}

/* A strip of membrane stretched to 1 + s along its warp: area/2 k e^2 with e = s + s^2/2. */
static void test_elastic(void **state) {
    (void)state;
    const double s = 0.05, e = s + s * s / 2;
    mus_world *world = make_world(&pipelines[0]);
    mus_cloth_def def = mus_cloth_def_default();
    def.material.model = MUS_MODEL_STVK;
    mus_cloth_id id = add_cloth(world, grid_mesh(6, 4, 0.2, 0.1, "xz", v3_make(0, 0, 0)), def);
    double *x = mus_cloth_get_positions(world, id);
    for (int32_t i = 0; i < 24; i++) x[3 * i] *= 1 + s;
    must(mus_cloth_mark_positions_changed(world, id));
    double wanted = 0.5 * 0.02 * def.material.stretch_warp * e * e;
    near(energy_of(world).elastic, wanted, 1e-9 * wanted, "elastic");
    uint64_t before = mus_world_get_hash(world);
    energy_of(world);
    assert_true(mus_world_get_hash(world) == before);
    mus_world_destroy(world);
}

/* Elastic energy of the positions, `before` of the step of dt before them. */
static double elastic_at(mus_world *world, mus_cloth_id id, double before, double dt) {
    int32_t numbers = 3 * mus_cloth_get_vertex_count(world, id);
    double *x = mus_cloth_get_positions(world, id), *v = mus_cloth_get_velocities(world, id);
    double *kept = malloc(sizeof *kept * 2 * (size_t)numbers);
    for (int32_t i = 0; i < numbers; i++) {
        kept[i] = x[i], kept[numbers + i] = v[i];
        x[i] -= before * dt * v[i], v[i] = 0;
    }
    double energy = energy_of(world).elastic;
    for (int32_t i = 0; i < numbers; i++) x[i] = kept[i], v[i] = kept[numbers + i];
    free(kept);
    return energy;
}

/* What turns by much in a step is compressed half way between its ends, but not at these. */
static void elastic_energy_is_the_mean_of_both_ends(void **state) {
    (void)state;
    mus_world *world = make_world(&pipelines[0]);
    mus_cloth_id id = add_cloth(world, grid_mesh(5, 5, 0.2, 0.2, "xz", v3_make(0, 0.5, 0)), mus_cloth_def_default());
    must(mus_world_step(world));
    double *v = mus_cloth_get_velocities(world, id), dt = mus_world_get_step_size(world);
    for (int32_t i = 0; i < 25; i++) v[3 * i] = i % 5, v[3 * i + 1] = i * i % 7;
    double start = elastic_at(world, id, 1, dt), middle = elastic_at(world, id, 0.5, dt),
           end = elastic_at(world, id, 0, dt), mean = 0.5 * (start + end);
    near(energy_of(world).elastic, mean, 1e-9 * mean, "elastic");
    assert_true(fabs(middle - mean) > 0.1 * mean && fabs(end - mean) > 0.1 * mean);
    mus_world_destroy(world);
}

static mus_status within(mus_world *world, double t, void *user) {
    (void)t, (void)user;
    mus_energy e;
    return mus_world_get_energy(world, &e);
}

static void test_locked(void **state) {
    (void)state;
    mus_world *world = make_world(&pipelines[1]);
    add_cloth(world, grid_mesh(3, 3, 0.1, 0.1, "xz", v3_make(0, 0, 0)), mus_cloth_def_default());
    mus_callbacks callbacks = {mus_callbacks_default().cookie, .candidate = within};
    mus_world_set_callbacks(world, &callbacks);
    must_be(MUS_STATUS_LOCKED, mus_world_step(world));
    mus_world_destroy(world);
}

/* ---- scenes ---- */

static void onto_ball(mus_world *world) {
    add_cloth(world, grid_mesh(10, 10, 0.3, 0.3, "xz", v3_make(0, 0.35, 0)), mus_cloth_def_default());
    add_sphere(world, 0.12, v3_make(0, 0.15, 0), 0.3);
    add_plane(world, v3_make(0, 1, 0), v3_make(0, 0, 0), 0.3);
}

static void hanging(mus_world *world) {
    static const int32_t corners[] = {0, 9};
    mus_cloth_id id = add_cloth(world, grid_mesh(10, 10, 0.3, 0.3, "xz", v3_make(0, 0.5, 0)), mus_cloth_def_default());
    must(mus_cloth_pin(world, id, corners, 2));
}

static void pile(mus_world *world) {
    for (int k = 0; k < 3; k++)
        add_cloth(world, grid_mesh(7, 7, 0.2 - 0.01 * k, 0.2, "xz", v3_make(0.01 * k, 0.03 + 0.03 * k, 0)),
                  mus_cloth_def_default());
    add_plane(world, v3_make(0, 1, 0), v3_make(0, 0, 0), 0.3);
}

static const struct {
    const char *name;
    void (*make)(mus_world *world);
    double rise[PIPELINES];
} scenes[] = {{"onto a ball", onto_ball, {1e-4, 6.5, 1e-4, 1e-4, 1e-4, 1e-4}},
              {"hanging", hanging, {1e-4, 1e-4, 1e-4, 1e-4, 1e-4, 2e-2}},
              {"pile", pile, {1e-4, 1e-4, 1e-4, 1e-4, 1e-4, 1e-4}}};

/* After every step the total is never over a ten-thousandth more than at the start; and it is at most that share of
 * what the scene loses in all (under the pipeline that loses most: a sheet that is still pressed at the end has lost
 * less) over the least there was. The sequential one is no energy's minimum: it parts what comes too near by positions,
 * and the springs between are pressed on impact. That is measured here, not wished for. Under the lively one the energy
 * of a sheet that tautens and swings varies about its mean, as it is no invariant of an integrator of second order. */
static void test_never_grows(void **state) {
    (void)state;
    bool bad = false;
    for (size_t s = 0; s < sizeof scenes / sizeof scenes[0]; s++) {
        double rise[PIPELINES] = {0}, over[PIPELINES] = {0}, lost = 0, start = 0;
        int when[PIPELINES] = {0};
        for (int p = 0; p < PIPELINES; p++) {
            mus_world *world = make_world(&pipelines[p]);
            scenes[s].make(world);
            start = energy_of(world).total; /* of the scene: the same for all */
            double least = start;
            const int count = 60 * mus_world_get_steps_per_frame(world);
            for (int k = 0; k < count; k++) {
                must(mus_world_step(world));
                double now = energy_of(world).total;
                if (now - least > rise[p]) rise[p] = now - least, when[p] = k / mus_world_get_steps_per_frame(world);
                over[p] = fmax(over[p], now - start);
                least = fmin(least, now);
            }
            lost = fmax(lost, start - least);
            mus_world_destroy(world);
        }
        for (int p = 0; p < PIPELINES; p++) {
            print_message("%s, %s: rises by %.3g of %.3g J (frame %d), over the start by %.2g\n", scenes[s].name,
                          pipelines[p].name, rise[p] / lost, lost, when[p], over[p] / lost);
            bad |= !(rise[p] / lost <= scenes[s].rise[p]);
            if (scenes[s].rise[p] < 1) bad |= !(over[p] <= 1e-4 * start); /* one is pressed on impact: see above */
        }
    }
    assert_false(bad);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_fall),
        cmocka_unit_test(test_elastic),
        cmocka_unit_test(elastic_energy_is_the_mean_of_both_ends),
        cmocka_unit_test(test_locked),
        cmocka_unit_test(test_never_grows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
