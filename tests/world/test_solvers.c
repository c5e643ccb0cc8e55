/* test_solvers.c: the solvers against the one that seeks the minimum to its end. */
#include "scene.h"

#include "solve/potential/potential.h"
#include "world/world_state.h"

typedef struct solver_case {
    const char *name;
    mus_pipeline pipeline;
} solver_case;

static const solver_case newton = {"newton", STAGES_NEWTON};
static const solver_case offset = {"offset", STAGES_OFFSET};
static const solver_case vbd = {"vbd", STAGES_VBD};
static const solver_case robust = {"robust", STAGES_ROBUST};
static const solver_case sequential = {"sequential", STAGES_SEQUENTIAL};

static mus_world *make_world(const solver_case *c) {
    mus_world_def def = mus_world_def_default();
    def.dt = 1.0 / 120, def.threads = 1, def.pipeline = c->pipeline;
    return world_of(def);
}

static mus_stats steps_to(mus_world *world, int count, double *worst) {
    mus_stats stats = {0};
    for (int k = 0; k < count; k++) {
        must(mus_world_step(world));
        mus_world_get_stats(world, &stats);
        if (worst) *worst = fmax(*worst, stats.residual);
    }
    return stats;
}

static mus_cloth_def soft(mus_material_model model) {
    mus_cloth_def def = stiff_cloth();
    def.material.model = model, def.material.strain_limit = 0;
    return def;
}

/* A square pinned at its corners. */
static mus_cloth_id hang(mus_world *world, mus_material_model model) {
    static const int32_t corners[] = {0, 11, 132, 143};
    mus_cloth_id id = add_cloth(world, grid_mesh(12, 12, 0.4, 0.4, "xz", v3_make(0, 1, 0)), soft(model));
    must(mus_cloth_pin(world, id, corners, 4));
    return id;
}

static mus_cloth_id drape(mus_world *world) {
    mus_cloth_id id =
        add_cloth(world, grid_mesh(10, 10, 0.3, 0.3, "xz", v3_make(0, 0.275, 0)), soft(MUS_MODEL_SPRINGS));
    add_sphere(world, 0.12, v3_make(0, 0.15, 0), 0.5);
    add_plane(world, v3_make(0, 1, 0), v3_make(0, 0, 0), 0.5);
    return id;
}

/* ---- the reference ---- */

/* One step of so many iterations from the state of the snapshot: the energy it ends with, divided by dt^2 (J). */
static double energy_after(mus_world *world, const mus_snapshot *snapshot, mus_minimizer minimizer, mus_stats *stats) {
    must(mus_snapshot_restore(snapshot, world));
    must(mus_world_validate(world));
    world->solver.def.minimizer = &minimizer;
    must(mus_world_step(world));
    mus_world_get_stats(world, stats);
    world->solver.def.minimizer = world->solver_def.minimizer;
    const mus_newton *n = &world->solver.potential->newton;
    return n->energy(n->context, world->solver.assembly.x1) / (world->solver.dt * world->solver.dt);
}

/* Every iteration ends lower than the one before, until the residual is within the tolerance, and then they stop. */
static void test_descends(void **state) {
    (void)state;
    static const mus_material_model models[] = {MUS_MODEL_SPRINGS, MUS_MODEL_STVK, MUS_MODEL_NEO_HOOKEAN};
    for (int m = 0; m < 3; m++) {
        mus_world *world = make_world(&newton);
        mus_cloth_id id = hang(world, models[m]);
        steps_to(world, 10, NULL);
        double *v = mus_cloth_get_velocities(world, id); /* thrown about, so that there is something to find */
        mus_rng rng = mus_rng_make(3, 0);
        for (int32_t i = 0; i < 3 * 144; i++)
            if (mus_cloth_get_inverse_masses(world, id)[i / 3] > 0) v[i] += mus_rng_between(&rng, -0.4, 0.4);
        mus_snapshot *snapshot;
        must(mus_snapshot_create(world, &snapshot));
        mus_stats stats;
        mus_minimizer whole = mus_minimizer_newton;
        double least = energy_after(world, snapshot, whole, &stats), last = INFINITY, first = 0;
        print_message("%s: residual %.3g m/s^2\n", mus_material_model_get_name(models[m]), stats.residual);
        assert_true(stats.residual <= whole.tolerance);
        for (int32_t k = 1; k < whole.relinearized; k++) {
            mus_minimizer some = whole;
            some.iterations = 1, some.relinearized = k;
            double energy = energy_after(world, snapshot, some, &stats);
            if (k == 1) first = energy;
            if (!(energy <= last + 1e-12 * fabs(least))) fail_msg("iteration %d climbs by %g J", k, energy - last);
            last = energy;
        }
        assert_true(first > least); /* one is not enough here: the steps above did something */
        assert_true(fabs(last - least) <= 1e-7 * (first - least));
        mus_snapshot_destroy(snapshot);
        mus_world_destroy(world);
    }
}

/* ---- vertex block descent ---- */

/* Every vertex has one color, and no two that share an element have the same. */
static void test_colors(void **state) {
    (void)state;
    static const mus_material_model models[] = {MUS_MODEL_SPRINGS, MUS_MODEL_STVK};
    for (int m = 0; m < 2; m++) {
        mus_world *world = make_world(&vbd);
        hang(world, models[m]);
        add_cloth(world, grid_mesh(12, 12, 0.4, 0.4, "xz", v3_make(0, 2, 0)), soft(models[m])); /* numbers go on */
        must(mus_world_step(world));
        const mus_descent *d = world->solver.potential->newton.descent;
        assert_int_equal(d->n, 288);
        assert_int_equal(d->color_start[d->color_count], d->n);
        int color[288], seen = 0;
        for (int32_t c = 0; c < d->color_count; c++)
            for (int32_t k = d->color_start[c]; k < d->color_start[c + 1]; k++) color[d->order[k]] = c, seen++;
        assert_int_equal(seen, 288);
        int32_t pairs = 0;
        for (int32_t cloth = 0; cloth < 2; cloth++) {
            const mus_block_matrix *matrix = &world->solver.dynamics[cloth]->matrix;
            for (int32_t i = 0; i < matrix->n; i++)
                for (int32_t k = matrix->upper_start[i]; k < matrix->upper_start[i + 1]; k++, pairs++)
                    assert_int_not_equal(color[144 * cloth + i], color[144 * cloth + matrix->higher[k]]);
        }
        assert_true(pairs > 1000);
        mus_world_destroy(world);
    }
}

/* The same bits however many threads sweep: the sheet has colors large enough to be divided among threads, and
 * contacts, which are not colored. */
static void test_sweeping_threads(void **state) {
    (void)state;
    uint64_t first = 0;
    for (int threads = 1; threads <= 3; threads++) {
        mus_world_def def = mus_world_def_default();
        def.dt = 1.0 / 120, def.threads = threads, def.pipeline = vbd.pipeline;
        mus_world *world = NULL;
        must(mus_world_create(&def, &world));
        add_cloth(world, grid_mesh(80, 80, 0.4, 0.4, "xz", v3_make(0, 0.0011, 0)), soft(MUS_MODEL_SPRINGS));
        add_plane(world, v3_make(0, 1, 0), v3_make(0, 0, 0), 0.4);
        add_sphere(world, 0.1, v3_make(0, -0.099, 0), 0.4);
        assert_true(steps_to(world, 3, NULL).contacts > 20);
        uint64_t hash = mus_world_get_hash(world);
        if (threads == 1) first = hash;
        assert_int_equal(hash, first);
        mus_world_destroy(world);
    }
}

/* ---- the others by it ---- */

typedef struct shape {
    v3 x[144];
    double top, low, height, strain, residual;
    int32_t n;
} shape;

static shape shape_of(mus_world *world, mus_cloth_id id, int count) {
    shape s = {.top = -INFINITY, .low = INFINITY};
    s.strain = steps_to(world, count, &s.residual).max_strain;
    s.n = mus_cloth_get_vertex_count(world, id);
    for (int32_t i = 0; i < s.n; i++) {
        s.x[i] = vertex_of(world, id, i);
        s.top = fmax(s.top, s.x[i].y), s.low = fmin(s.low, s.x[i].y);
    }
    s.height = centroid_of(world, id).y;
    mus_world_destroy(world);
    return s;
}

static shape hung(const solver_case *c, mus_material_model model) {
    mus_world *world = make_world(c);
    return shape_of(world, hang(world, model), 150);
}

static shape draped(const solver_case *c) {
    mus_world *world = make_world(c);
    return shape_of(world, drape(world), 120);
}

/* Comes to rest: all solve for the same shape, and differ by what their tolerances leave. */
static void test_hanging(void **state) {
    (void)state;
    static const mus_material_model models[] = {MUS_MODEL_SPRINGS, MUS_MODEL_STVK};
    const struct {
        const solver_case *solver;
        double apart, strain; /* m; of edges */
    } others[] = {{&offset, 3e-5, 5e-5}, {&robust, 3e-5, 5e-5}, {&sequential, 2e-5, 5e-5}, {&vbd, 5e-5, 5e-5}};
    for (int m = 0; m < 2; m++) {
        shape wanted = hung(&newton, models[m]);
        assert_true(wanted.residual <= mus_minimizer_newton.tolerance);
        for (int k = 0; k < 4; k++) {
            shape got = hung(others[k].solver, models[m]);
            double apart = 0;
            for (int32_t i = 0; i < got.n; i++) apart = fmax(apart, v3_length(v3_sub(got.x[i], wanted.x[i])));
            print_message("%s, %s: %.3g mm from newton's, strain %.5f against %.5f\n",
                          mus_material_model_get_name(models[m]), others[k].solver->name, 1e3 * apart, got.strain,
                          wanted.strain);
            assert_true(apart <= others[k].apart);
            assert_true(fabs(got.strain - wanted.strain) <= others[k].strain);
        }
    }
}

/* Folds are chosen by the last digit; where the cloth lies and how far it is stretched is not. Contact energies give
 * way at the top of the ball: the cloth lies 0.69 mm over it, under `robust` 1.04 mm, of a thickness of 1 mm. */
static void test_draped(void **state) {
    (void)state;
    const struct {
        const solver_case *solver;
        double top, height, strain;
    } others[] = {{&offset, 1e-4, 1e-3, 1e-3},
                  {&robust, 5e-4, 1e-3, 1e-3},
                  {&sequential, 2e-4, 0.01, 0.1},
                  {&vbd, 1e-4, 1e-3, 1e-3}};
    shape wanted = draped(&newton);
    print_message("newton: residual at most %.3g m/s^2\n", wanted.residual);
    for (int k = 0; k < 4; k++) {
        shape got = draped(others[k].solver);
        print_message("%s: top off by %.3g mm, center by %.3g mm, strain %.4f against %.4f\n", others[k].solver->name,
                      1e3 * (got.top - wanted.top), 1e3 * (got.height - wanted.height), got.strain, wanted.strain);
        assert_true(fabs(got.top - wanted.top) <= others[k].top);
        assert_true(fabs(got.height - wanted.height) <= others[k].height);
        assert_true(fabs(got.strain - wanted.strain) <= others[k].strain);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_descends), cmocka_unit_test(test_colors), cmocka_unit_test(test_sweeping_threads),
        cmocka_unit_test(test_hanging),  cmocka_unit_test(test_draped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
