/* test_spring_models.c: the networks of springs of Provot and of Choi & Ko: the buckled span against its definition,
 * forces against energies, implicit matrices, bending against a sheet's, every integrator, the stage that chooses. */
#include "../world/scene.h"

#include "dynamics/dynamics.h"
#include "dynamics/incremental.h"

static mus_rng rng;

/* ---- the buckled span ---- */

/* sinc(u) = s by bisection: as the definition has it. */
static double inverse_sinc(double s) {
    double lo = 0, hi = 3.14159265358979323846;
    for (int k = 0; k < 100; k++) {
        double u = (lo + hi) / 2;
        if (mus_sin(u) > s * u)
            lo = u;
        else
            hi = u;
    }
    return lo;
}

static void test_arc(void **state) {
    (void)state;
    const double r = 0.05, bending = 3e-5, kb = bending * r / 4, cb = 500;
    const mus_spring_law law = {.stiffness = cb, .compression = 1, .bending = bending, .arc = true};
    bool ramp = false, arc = false;
    double worst = 0;
    for (int k = 1; k < 2000; k++) {
        double x = r * (k < 1000 ? k / 1000.0 : 1 - 1e-3 * mus_exp(-(k - 1000) / 60.0)), slope;
        double kappa = 2 / r * inverse_sinc(x / r), u = kappa * r / 2;
        /* JUN eq. 4.9; where cos u - sinc u cancels, by its series */
        double below = u < 1e-2 ? -u * u / 3 * (1 - u * u / 10) : mus_cos(u) - mus_sin(u) / u;
        double fb = kb * kappa * kappa / below, wanted = fmax(fb, cb * (x - r));
        double got = mus_arc_tension(&law, r, x, &slope);
        ramp |= wanted > fb, arc |= wanted == fb;
        worst = fmax(worst, fabs(got / wanted - 1));
        double step = 1e-7 * r, unused;
        if (wanted > fb || k >= 1000) continue; /* the kink */
        double up = mus_arc_tension(&law, r, x + step, &unused), down = mus_arc_tension(&law, r, x - step, &unused);
        near(slope, (up - down) / (2 * step), 1e-5 * slope, "rate of the tension");
        double energy = mus_arc_energy(&law, r, x + step) - mus_arc_energy(&law, r, x - step);
        near(got, energy / (2 * step), 1e-6 * fabs(got), "tension by the energy");
    }
    print_message("buckled span: off by %.2g of the definition\n", worst);
    assert_true(ramp && arc && worst < 1e-9); /* the definition's own rounding near x = r */
    double slope;
    assert_true(mus_arc_tension(&law, r, 1.2 * r, &slope) == 0 && slope == 0);
    assert_true(mus_arc_energy(&law, r, 1.2 * r) == 0);
    /* at both ends, by hand: -12 kb/r^2 (after the ramp), and the full circle: kappa = 2 pi/r, -4 pi^2 kb/r^2 */
    const double pi = 3.14159265358979323846;
    near(mus_arc_tension(&law, r, r * (1 - 1e-4), &slope), -12 * kb / (r * r) * (1 + 0.6e-4), 1e-8, "buckling load");
    near(mus_arc_tension(&law, r, 1e-13, &slope), -4 * pi * pi * kb / (r * r), 1e-12, "ends that meet");
    near(slope, 12 * pi * pi * kb / (r * r * r), 1e-6, "rate where the ends meet");
    assert_true(mus_spring_stiffest(&law, r) == cb && slope < 118.5 * kb / (r * r * r));
    /* half a circle: sinc u = 2/pi, kappa = pi/r, the energy 1/2 kb r kappa^2 (less what the ramp leaves out) */
    near(mus_arc_energy(&law, r, 2 * r / pi), 0.5 * kb * pi * pi / r, 1e-8, "energy of half a circle");
    /* a ramp too weak to meet the arc's compressive force is made steep enough to meet it */
    const mus_spring_law weak = {.stiffness = 1e-6, .compression = 1, .bending = bending, .arc = true};
    near(mus_arc_tension(&weak, r, 1e-13, &slope), -4 * pi * pi * kb / (r * r), 1e-12, "ends that meet, weak ramp");
}

/* ---- forces and matrices ---- */

static const mus_material_model models[] = {MUS_MODEL_MASS_SPRING, MUS_MODEL_CHOI_KO};
enum { MODELS = 2 };

static mus_cloth *crumpled(mus_material_model model, double noise, int shape) {
    mus_mesh *mesh = NULL;
    if (shape == 0) mesh = grid_mesh(6, 5, 0.2, 0.16, "xz", v3_make(0, 0, 0));
    if (shape == 1) must(mus_mesh_create_sphere(0.1, 1, (double[3]){0, 0, 0}, &mesh));
    if (shape == 2) must(mus_mesh_create_disc(0.1, 3, "xz", (double[3]){0, 0, 0}, &mesh));
    mus_cloth_def def = mus_cloth_def_default();
    def.mesh = mesh, def.material.model = model, def.material.bending = 1e-3;
    def.material.damping = 0.01, def.material.bending_damping = 0.02;
    mus_cloth *cloth;
    must(mus_cloth_new(&def, "cloth", &cloth));
    for (int32_t i = 0; i < 3 * cloth->vertex_count; i++)
        cloth->x[i] = (noise > 0.005 ? 0.8 : 1) * cloth->x[i] + mus_rng_between(&rng, -noise, noise);
    mus_mesh_destroy(mesh);
    return cloth;
}

static double energy_of(const mus_cloth *cloth, const v3 *x) {
    double sum = 0;
    for (int32_t k = 0; k < cloth->spring_count; k++) {
        const mus_spring *s = &cloth->springs[k];
        sum += mus_spring_energy(mus_spring_law_of(cloth, s, &(mus_spring_law){0}), s->rest,
                                 v3_length(v3_sub(x[s->a], x[s->b])));
    }
    return sum;
}

static void test_elements(void **state) {
    (void)state;
    rng = mus_rng_make(51, 0);
    for (int m = 0; m < MODELS; m++)
        for (int shape = 0; shape < 3; shape++) {
            mus_cloth *cloth = crumpled(models[m], 0, shape);
            int32_t n = cloth->vertex_count, count[MUS_SPRING_KIND_COUNT] = {0};
            for (int32_t k = 0; k < cloth->spring_count; k++) count[cloth->springs[k].kind]++;
            assert_int_equal(cloth->hinge_count, 0); /* bending is the springs' */
            assert_null(cloth->sheet);
            if (shape == 0) {
                assert_int_equal(count[MUS_SPRING_STRUCTURAL], 5 * 5 + 6 * 4);
                assert_int_equal(count[MUS_SPRING_SHEAR], 2 * 5 * 4);
                assert_int_equal(count[MUS_SPRING_BEND], 4 * 5 + 6 * 3);
            } else {
                assert_int_equal(count[MUS_SPRING_STRUCTURAL], cloth->topology.edge_count);
                assert_int_equal(count[MUS_SPRING_BEND], cloth->topology.hinge_count);
            }
            v3 *f = calloc((size_t)n, sizeof *f), *still = calloc((size_t)n, sizeof *still);
            mus_spring_forces(cloth, (v3 *)cloth->x, still, f); /* at rest, curved or flat */
            for (int32_t i = 0; i < n; i++) assert_true(v3_length(f[i]) < 1e-12);
            free(f), free(still);
            mus_cloth_free(cloth);
        }
}

/* force = -dE/dx; rotation and translation make no force and meet no friction. */
static void test_forces(void **state) {
    (void)state;
    rng = mus_rng_make(52, 0);
    for (int round = 0; round < 12; round++) {
        mus_cloth *cloth = crumpled(models[round % MODELS], round < 6 ? 2e-3 : 0.01, round / 2 % 3);
        int32_t n = cloth->vertex_count;
        v3 *f = calloc((size_t)n, sizeof *f), *v = calloc((size_t)n, sizeof *v), *damped = calloc((size_t)n, sizeof *f);
        v3 *x = (v3 *)cloth->x, sum = v3_make(0, 0, 0), torque = sum;
        double largest = 0;
        mus_spring_forces(cloth, x, v, f);
        for (int32_t i = 0; i < n; i++) {
            largest = fmax(largest, v3_length(f[i]));
            sum = v3_add(sum, f[i]), torque = v3_add(torque, v3_cross(x[i], f[i]));
        }
        assert_true(largest > 0 && v3_length(sum) < 1e-12 * largest && v3_length(torque) < 1e-12 * largest);
        const double step = 1e-8;
        for (int32_t k = 0; k < 3 * n; k++) {
            double keep = cloth->x[k];
            cloth->x[k] = keep + step;
            double up = energy_of(cloth, x);
            cloth->x[k] = keep - step;
            double down = energy_of(cloth, x);
            cloth->x[k] = keep;
            near(((double *)f)[k], -(up - down) / (2 * step), 1e-4 * largest, "force by the energy");
        }
        for (int32_t i = 0; i < n; i++) v[i] = v3_add(v3_make(1, 2, 3), v3_cross(v3_make(3, -1, 2), x[i]));
        mus_spring_forces(cloth, x, v, damped);
        for (int32_t i = 0; i < n; i++) assert_true(v3_length(v3_sub(damped[i], f[i])) < 1e-11 * largest);
        /* friction takes energy, and the potential pipelines' energy has these forces as its gradient */
        for (int32_t i = 0; i < n; i++) v[i] = random_direction(&rng);
        memset(damped, 0, sizeof *damped * (size_t)n);
        mus_spring_forces(cloth, x, v, damped);
        double work = 0;
        for (int32_t i = 0; i < n; i++) work += v3_dot(v[i], v3_sub(damped[i], f[i]));
        assert_true(work < 0);
        mus_dynamics *d;
        must(mus_dynamics_create(cloth, &d));
        near(mus_incremental_energy(d, cloth, x, x, 0.01), energy_of(cloth, x), 1e-12 * energy_of(cloth, x), "energy");
        memset(damped, 0, sizeof *damped * (size_t)n);
        mus_block_matrix_clear(&d->matrix, 1);
        mus_incremental_start start;
        must(mus_incremental_start_create(cloth, &start));
        mus_incremental_start_at(&start, d, cloth, x);
        mus_incremental_forces(d, cloth, &start, x, 0.01, 1, damped, &d->matrix);
        mus_incremental_start_free(&start);
        for (int32_t i = 0; i < n; i++) assert_true(v3_length(v3_sub(damped[i], f[i])) < 1e-12 * largest);
        mus_dynamics_free(d);
        free(f), free(v), free(damped);
        mus_cloth_free(cloth);
    }
}

/* The implicit matrix is positive semidefinite whatever the shape, and along any motion not softer than the force's own
 * rate where that resists. */
static void test_matrix(void **state) {
    (void)state;
    rng = mus_rng_make(53, 0);
    const double dt = 0.01;
    for (int round = 0; round < 12; round++) {
        mus_cloth *cloth = crumpled(models[round % MODELS], 4e-3 * (1 + round), round / 2 % 3);
        int32_t n = cloth->vertex_count;
        mus_dynamics *d;
        must(mus_dynamics_create(cloth, &d));
        size_t bytes = sizeof(v3) * (size_t)n;
        v3 *v = calloc(1, bytes), *right = calloc(1, bytes), *p = malloc(bytes), *q = malloc(bytes);
        v3 *f = calloc(1, bytes), *x = (v3 *)cloth->x;
        mus_block_matrix_clear(&d->matrix, 1);
        mus_spring_linearize(cloth, d->spring_pair, x, v, dt, right, &d->matrix);
        mus_spring_forces(cloth, x, v, f);
        double largest = 0;
        for (int32_t i = 0; i < n; i++) largest = fmax(largest, dt * v3_length(f[i]));
        for (int32_t i = 0; i < n; i++) assert_true(v3_length(v3_sub(right[i], v3_scale(dt, f[i]))) < 1e-12 * largest);
        for (int probe = 0; probe < 20; probe++) {
            double quadratic_form = 0, size = 0;
            for (int32_t i = 0; i < n; i++) p[i] = random_direction(&rng);
            mus_block_matrix_multiply(&d->matrix, p, q, 1);
            for (int32_t i = 0; i < n; i++) quadratic_form += v3_dot(p[i], q[i]), size += v3_length(q[i]);
            assert_true(quadratic_form > -1e-12 * size);
            /* along the springs themselves: friction's part is exact */
            double work = 0;
            memset(right, 0, bytes);
            mus_spring_forces(cloth, x, p, right);
            for (int32_t i = 0; i < n; i++) work -= dt * v3_dot(p[i], v3_sub(right[i], f[i]));
            assert_true(work >= 0 && quadratic_form > work * (1 - 1e-5));
        }
        free(v), free(right), free(p), free(q), free(f);
        mus_dynamics_free(d);
        mus_cloth_free(cloth);
    }
}

/* ---- bending of a sheet ---- */

/* Energy of a flat sheet bent about an axis to a curvature, by area: 1/2 D k^2. */
static double bent_energy(mus_material_model model, int nu, int nv, double lu, double lv, double curvature, bool weft) {
    mus_cloth_def def = mus_cloth_def_default();
    def.material.model = model, def.material.bending = 2e-4, def.material.buckling = 1e9; /* no ramp to speak of */
    mus_mesh *mesh = grid_mesh(nu, nv, lu, lv, "xz", v3_make(0, 0, 0));
    def.mesh = mesh;
    mus_cloth *cloth;
    must(mus_cloth_new(&def, "cloth", &cloth));
    double area = mus_mesh_get_area(mesh);
    mus_mesh_destroy(mesh);
    for (int32_t i = 0; i < cloth->vertex_count; i++) {
        double *x = cloth->x + 3 * i, along = weft ? x[2] : x[0], angle = along * curvature;
        x[weft ? 2 : 0] = mus_sin(angle) / curvature, x[1] = (1 - mus_cos(angle)) / curvature;
    }
    /* bend springs alone: their lengths are chords of the arc that they stand for */
    double sum = 0;
    for (int32_t k = 0; k < cloth->spring_count; k++) {
        const mus_spring *s = &cloth->springs[k];
        if (s->kind != MUS_SPRING_BEND) continue;
        double length = v3_length(v3_sub(v3_load(cloth->x + 3 * s->a), v3_load(cloth->x + 3 * (int32_t)s->b)));
        sum += mus_spring_energy(mus_spring_law_of(cloth, s, &(mus_spring_law){0}), s->rest, length);
    }
    mus_cloth_free(cloth);
    return sum / (0.5 * 2e-4 * curvature * curvature * area);
}

static void test_bending(void **state) {
    (void)state;
    for (int weft = 0; weft < 2; weft++) {
        /* square cells: the sheet's own, but for the ends, where a span is missing, and the edge's half a strip more */
        double got = bent_energy(MUS_MODEL_CHOI_KO, 41, 41, 0.4, 0.4, 5, weft);
        near(got, 39.0 / 40 * 41 / 40, 2e-3, "bending of Choi and Ko's network");
        double finer = bent_energy(MUS_MODEL_CHOI_KO, 81, 81, 0.4, 0.4, 5, weft);
        near(finer, 79.0 / 80 * 81 / 80, 2e-3, "the same on a finer mesh");
        /* straight springs reach it where a span folds by one radian: curvature times span = 1 */
        near(bent_energy(MUS_MODEL_MASS_SPRING, 41, 41, 0.4, 0.4, 50, weft), 39.0 / 40 * 41 / 40, 0.05,
             "bending of Provot's network, one radian a span");
        assert_true(bent_energy(MUS_MODEL_MASS_SPRING, 41, 41, 0.4, 0.4, 5, weft) < 0.02);
    }
}

/* Jung's buckled sheet: compressed along its threads, stretch springs have no force; bend spans do, up to a limit. */
static void test_pressed(void **state) {
    (void)state;
    const double shrink = 0.9;
    for (int m = 0; m < MODELS; m++) {
        mus_cloth_def def = mus_cloth_def_default();
        def.material.model = models[m];
        mus_mesh *mesh = grid_mesh(5, 2, 0.08, 0.02, "xz", v3_make(0, 0, 0));
        def.mesh = mesh;
        mus_cloth *cloth;
        must(mus_cloth_new(&def, "cloth", &cloth));
        mus_mesh_destroy(mesh);
        v3 *x = (v3 *)cloth->x, f[10] = {0}, still[10] = {0};
        for (int i = 0; i < 10; i++) x[i].x *= shrink;
        mus_spring_forces(cloth, x, still, f);
        double slope, corner_force = -f[0].x;
        const mus_spring_law bend = cloth->spring_laws[MUS_SPRING_BEND];
        double span = -mus_spring_tension(&bend, 0.04, shrink * 0.04, &slope);
        if (models[m] == MUS_MODEL_CHOI_KO) {
            near(corner_force, span, 1e-12, "force of a corner: its span alone");
            assert_true(span < 2 * 12 * (3e-5 * 0.04 / 4) / (0.04 * 0.04));
        } else {
            const mus_material *p = &cloth->material;
            double diagonal = sqrt(2) * 0.02, shorter = sqrt(0.02 * 0.02 + shrink * shrink * 0.02 * 0.02);
            double wanted = p->stretch * p->compression * (1 - shrink) * 0.02 + span +
                            0.5 * p->shear * p->compression * (diagonal - shorter) * shrink * 0.02 / shorter;
            near(corner_force, wanted, 1e-12, "force of a corner");
            near(span, 144 * p->bending / (0.04 * 0.04) * (1 - shrink) * 0.04, 1e-12, "force of a bend spring");
        }
        mus_cloth_free(cloth);
    }
}

/* ---- in worlds ---- */

/* A sheet that hangs by two corners: every integrator and both families bring it to the same place. */
static void test_integrators(void **state) {
    (void)state;
    const char *integrators[] = {"implicit_euler", "semi_implicit_euler", "verlet",     "rk4",
                                 "explicit_euler", "position_based",      "incremental"};
    for (int m = 0; m < MODELS; m++) {
        double first = 0;
        for (int k = 0; k < 7; k++) {
            mus_world_def wd = mus_world_def_default();
            wd.dt = 1.0 / 240, wd.threads = 1, wd.pipeline.integrator = integrators[k];
            wd.pipeline.internal = m == 0 ? "mass_spring" : "choi_ko";
            if (k == 6) wd.pipeline.response = "ogc", wd.pipeline.failsafe = "truncation", wd.pipeline.strain = "none";
            mus_world *world;
            must(mus_world_create(&wd, &world));
            mus_cloth_def def = mus_cloth_def_default();
            def.material.stretch = 60, def.material.shear = 40, def.material.viscous_damping = 4;
            def.material.strain_limit = 0, def.material.damping = 0.01, def.material.bending_damping = 0.01;
            mus_cloth_id id = add_cloth(world, grid_mesh(5, 5, 0.2, 0.2, "xz", v3_make(0, 0, 0)), def);
            must(mus_cloth_pin(world, id, (int32_t[]){0, 4}, 2));
            mus_material got;
            must(mus_cloth_get_material(world, id, &got));
            assert_int_equal(got.model, models[m]);
            must(mus_world_advance(world, 1.5));
            double low = vertex_of(world, id, 22).y;
            print_message("%s, %s: %.5f m\n", wd.pipeline.internal, integrators[k], low);
            if (k == 0)
                first = low;
            else
                near(low, first, 0.01, "how low the sheet hangs");
            assert_true(low < -0.15 && low > -0.24);
            mus_world_destroy(world);
        }
    }
}

/* The stage gives its model to materials that name none, and to no other. */
static void test_stage(void **state) {
    (void)state;
    mus_world_def wd = mus_world_def_default();
    wd.pipeline.internal = "choi_ko";
    mus_world *world;
    must(mus_world_create(&wd, &world));
    const mus_material_model given[] = {MUS_MODEL_SPRINGS, MUS_MODEL_STVK, MUS_MODEL_MASS_SPRING, MUS_MODEL_CHOI_KO};
    const mus_material_model wanted[] = {MUS_MODEL_CHOI_KO, MUS_MODEL_STVK, MUS_MODEL_MASS_SPRING, MUS_MODEL_CHOI_KO};
    for (int k = 0; k < 4; k++) {
        mus_cloth_def def = mus_cloth_def_default();
        def.material.model = given[k];
        mus_cloth_id id = add_cloth(world, grid_mesh(3, 3, 0.1, 0.1, "xz", v3_make(0, 0.1 * k, 0)), def);
        mus_material got;
        must(mus_cloth_get_material(world, id, &got));
        assert_int_equal(got.model, wanted[k]);
    }
    mus_world_destroy(world);
    wd.pipeline.internal = "choi_co";
    must_be(MUS_STATUS_INVALID, mus_world_create(&wd, &world));
    assert_non_null(strstr(mus_get_error_message(), "'internal'"));
    assert_non_null(strstr(mus_get_error_message(), "'choi_ko'"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arc),         cmocka_unit_test(test_elements), cmocka_unit_test(test_forces),
        cmocka_unit_test(test_matrix),      cmocka_unit_test(test_bending),  cmocka_unit_test(test_pressed),
        cmocka_unit_test(test_integrators), cmocka_unit_test(test_stage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
