/* test_network.c: Bigliani & Eischen's particle network: tension, shear and bending tests against the moduli, forces
 * against energies, the implicit matrix, every integrator, snapshots, meshes that it refuses. */
#include "../world/scene.h"

#include "dynamics/dynamics.h"
#include "dynamics/incremental.h"

static mus_rng rng;

static mus_cloth_def network_def(void) {
    mus_cloth_def def = mus_cloth_def_default();
    mus_material *m = &def.material;
    m->model = MUS_MODEL_SQUARE_NETWORK;
    m->stretch_warp = 700, m->stretch_weft = 300, m->stretch_shear = 90, m->bending_warp = 3e-4, m->bending_weft = 1e-4;
    m->damping = 0.01, m->bending_damping = 0.02;
    return def;
}

/* nu x nv nodes over 0.3 m along the warp, x, and 0.2 m along the weft, z. */
static mus_cloth *sheet(int nu, int nv, const mus_cloth_def *like) {
    mus_cloth_def def = *like;
    mus_mesh *mesh = grid_mesh(nu, nv, 0.3, 0.2, "xz", v3_make(0, 0, 0));
    def.mesh = mesh;
    mus_cloth *cloth;
    must(mus_cloth_new(&def, "cloth", &cloth));
    mus_mesh_destroy(mesh);
    return cloth;
}

static v3 *forces_of(const mus_cloth *cloth) {
    v3 *f = calloc((size_t)cloth->vertex_count, sizeof *f), *still = calloc((size_t)cloth->vertex_count, sizeof *f);
    mus_network_forces(cloth, (v3 *)cloth->x, still, f);
    free(still);
    return f;
}

/* ---- the tests that a fabric is put to ---- */

/* A strip stretched by 3 % pulls at its ends with modulus times width times strain, whatever the mesh. */
static void test_tension(void **state) {
    (void)state;
    const int meshes[][2] = {{4, 3}, {7, 5}, {5, 9}};
    mus_cloth_def def = network_def();
    for (int k = 0; k < 3; k++)
        for (int weft = 0; weft < 2; weft++) {
            int nu = meshes[k][0], nv = meshes[k][1];
            mus_cloth *cloth = sheet(nu, nv, &def);
            for (int32_t i = 0; i < cloth->vertex_count; i++) cloth->x[3 * i + (weft ? 2 : 0)] *= 1.03;
            v3 *f = forces_of(cloth);
            double pull = 0;
            for (int32_t i = 0; i < cloth->vertex_count; i++)
                if (weft ? i / nu == 0 : i % nu == 0) pull += weft ? f[i].z : f[i].x;
            near(pull, weft ? 300 * 0.3 * 0.03 : 700 * 0.2 * 0.03, 1e-12, weft ? "tension in weft" : "tension in warp");
            near(mus_network_energy(cloth, (v3 *)cloth->x), 0.5 * (weft ? 300 : 700) * 0.03 * 0.03 * 0.06, 1e-12,
                 "energy");
            free(f);
            mus_cloth_free(cloth);
        }
    /* pressed together a share of it is left */
    def.material.compression = 0.25;
    mus_cloth *cloth = sheet(4, 3, &def);
    for (int32_t i = 0; i < cloth->vertex_count; i++) cloth->x[3 * i] *= 0.98;
    near(mus_network_energy(cloth, (v3 *)cloth->x), 0.25 * 0.5 * 700 * 0.02 * 0.02 * 0.06, 1e-12,
         "energy when pressed");
    mus_cloth_free(cloth);
}

/* Threads that stay as long, turned against each other by an angle: 1/2 G A sin^2. */
static void test_shear(void **state) {
    (void)state;
    mus_cloth_def def = network_def();
    for (double angle = 0.01; angle < 1; angle *= 3) {
        mus_cloth *cloth = sheet(6, 5, &def);
        for (int32_t i = 0; i < cloth->vertex_count; i++) {
            double z = cloth->x[3 * i + 2];
            cloth->x[3 * i] += z * mus_sin(angle), cloth->x[3 * i + 2] = z * mus_cos(angle);
        }
        double s = mus_sin(angle);
        near(mus_network_energy(cloth, (v3 *)cloth->x), 0.5 * 90 * 0.06 * s * s, 1e-12, "energy of shear");
        mus_cloth_free(cloth);
    }
}

/* Bent about an axis to a curvature: 1/2 D k^2 by area, but for the ends, where a joint is missing. */
static void test_bending(void **state) {
    (void)state;
    mus_cloth_def def = network_def();
    def.material.stretch_warp = def.material.stretch_weft = def.material.stretch_shear = 0;
    for (int weft = 0; weft < 2; weft++)
        for (int n = 11; n < 50; n = 2 * n - 1) {
            mus_cloth *cloth = sheet(n, n, &def);
            const double curvature = 6;
            for (int32_t i = 0; i < cloth->vertex_count; i++) {
                double *x = cloth->x + 3 * i, *along = x + (weft ? 2 : 0), angle = *along * curvature;
                *along = mus_sin(angle) / curvature, x[1] = (1 - mus_cos(angle)) / curvature;
            }
            double area = 0.06 * (n - 2) / (n - 1), wanted = 0.5 * (weft ? 1e-4 : 3e-4) * curvature * curvature * area;
            double h = (weft ? 0.2 : 0.3) / (n - 1) * curvature;
            near(mus_network_energy(cloth, (v3 *)cloth->x), wanted, 0.1 * h * h * wanted, "energy of bending");
            mus_cloth_free(cloth);
        }
}

/* ---- forces and matrices ---- */

static mus_cloth *crumpled(double noise, bool curved) {
    mus_cloth_def def = network_def();
    mus_mesh *mesh = grid_mesh(6, 5, 0.2, 0.16, "xz", v3_make(0, 0, 0));
    double *p = mus_mesh_get_vertices(mesh);
    for (int i = 0; curved && i < 30; i++) p[3 * i + 1] = 2 * p[3 * i] * p[3 * i] + p[3 * i] * p[3 * i + 2];
    def.mesh = mesh;
    mus_cloth *cloth;
    must(mus_cloth_new(&def, "cloth", &cloth));
    mus_mesh_destroy(mesh);
    for (int32_t i = 0; i < 3 * cloth->vertex_count; i++) cloth->x[i] += mus_rng_between(&rng, -noise, noise);
    return cloth;
}

static void test_forces(void **state) {
    (void)state;
    rng = mus_rng_make(71, 0);
    for (int round = 0; round < 8; round++) {
        mus_cloth *cloth = crumpled(round < 4 ? 2e-3 : 0.02, round & 1);
        int32_t n = cloth->vertex_count;
        v3 *f = forces_of(cloth), *v = calloc((size_t)n, sizeof *v), *moved = calloc((size_t)n, sizeof *f);
        v3 *x = (v3 *)cloth->x, sum = v3_make(0, 0, 0), torque = sum;
        double largest = 0, work = 0;
        for (int32_t i = 0; i < n; i++) {
            largest = fmax(largest, v3_length(f[i]));
            sum = v3_add(sum, f[i]), torque = v3_add(torque, v3_cross(x[i], f[i]));
        }
        assert_true(largest > 0 && v3_length(sum) < 1e-12 * largest && v3_length(torque) < 1e-12 * largest);
        const double step = 1e-7;
        for (int32_t k = 0; k < 3 * n; k++) {
            double keep = cloth->x[k];
            cloth->x[k] = keep + step;
            double up = mus_network_energy(cloth, x);
            cloth->x[k] = keep - step;
            double down = mus_network_energy(cloth, x);
            cloth->x[k] = keep;
            near(((double *)f)[k], -(up - down) / (2 * step), 1e-5 * largest, "force by the energy");
        }
        for (int32_t i = 0; i < n; i++) v[i] = v3_add(v3_make(1, 2, 3), v3_cross(v3_make(3, -1, 2), x[i]));
        mus_network_forces(cloth, x, v, moved);
        for (int32_t i = 0; i < n; i++) assert_true(v3_length(v3_sub(moved[i], f[i])) < 1e-11 * largest);
        for (int32_t i = 0; i < n; i++) v[i] = random_direction(&rng);
        memset(moved, 0, sizeof *moved * (size_t)n);
        mus_network_forces(cloth, x, v, moved);
        for (int32_t i = 0; i < n; i++) work += v3_dot(v[i], v3_sub(moved[i], f[i]));
        assert_true(work < 0);
        mus_dynamics *d;
        must(mus_dynamics_create(cloth, &d));
        near(mus_incremental_energy(d, cloth, x, x, 0.01), mus_network_energy(cloth, x), 1e-15, "incremental energy");
        memset(moved, 0, sizeof *moved * (size_t)n);
        mus_block_matrix_clear(&d->matrix, 1);
        mus_incremental_start start;
        must(mus_incremental_start_create(cloth, &start));
        mus_incremental_start_at(&start, d, cloth, x);
        mus_incremental_forces(d, cloth, &start, x, 0.01, 1, moved, &d->matrix);
        mus_incremental_start_free(&start);
        for (int32_t i = 0; i < n; i++) assert_true(v3_length(v3_sub(moved[i], f[i])) < 1e-12 * largest);
        mus_dynamics_free(d);
        free(f), free(v), free(moved);
        mus_cloth_free(cloth);
    }
}

/* Positive semidefinite whatever the shape; its right side is dt f where nothing moves. */
static void test_matrix(void **state) {
    (void)state;
    rng = mus_rng_make(72, 0);
    const double dt = 0.01;
    for (int round = 0; round < 10; round++) {
        mus_cloth *cloth = crumpled(5e-3 * (1 + round), round & 1);
        int32_t n = cloth->vertex_count;
        mus_dynamics *d;
        must(mus_dynamics_create(cloth, &d));
        size_t bytes = sizeof(v3) * (size_t)n;
        v3 *v = calloc(1, bytes), *right = calloc(1, bytes), *p = malloc(bytes), *q = malloc(bytes),
           *f = forces_of(cloth);
        double largest = 0;
        mus_block_matrix_clear(&d->matrix, 1);
        mus_network_linearize(cloth, d->network_pair, (v3 *)cloth->x, v, dt, right, &d->matrix);
        for (int32_t i = 0; i < n; i++) largest = fmax(largest, dt * v3_length(f[i]));
        for (int32_t i = 0; i < n; i++) assert_true(v3_length(v3_sub(right[i], v3_scale(dt, f[i]))) < 1e-12 * largest);
        for (int probe = 0; probe < 30; probe++) {
            double quadratic_form = 0, size = 0;
            for (int32_t i = 0; i < n; i++) p[i] = random_direction(&rng);
            mus_block_matrix_multiply(&d->matrix, p, q, 1);
            for (int32_t i = 0; i < n; i++) quadratic_form += v3_dot(p[i], q[i]), size += v3_length(q[i]);
            assert_true(quadratic_form > -1e-7 * size); /* its pairs are kept in float */
        }
        free(v), free(right), free(p), free(q), free(f);
        mus_dynamics_free(d);
        mus_cloth_free(cloth);
    }
}

/* At rest the matrix is the forces' own rate: in the plane, and across it. */
static void test_derivative(void **state) {
    (void)state;
    rng = mus_rng_make(73, 0);
    const double dt = 0.01, step = 1e-7;
    for (int across = 0; across < 2; across++) {
        mus_cloth_def def = network_def();
        def.material.damping = def.material.bending_damping = 0, def.material.compression = 1;
        if (!across) def.material.bending_warp = def.material.bending_weft = 0;
        mus_cloth *cloth = sheet(6, 5, &def);
        int32_t n = cloth->vertex_count;
        mus_dynamics *d;
        must(mus_dynamics_create(cloth, &d));
        size_t bytes = sizeof(v3) * (size_t)n;
        v3 *x = (v3 *)cloth->x, *v = calloc(1, bytes), *right = calloc(1, bytes), *p = malloc(bytes),
           *q = malloc(bytes);
        mus_block_matrix_clear(&d->matrix, 1);
        mus_network_linearize(cloth, d->network_pair, x, v, dt, right, &d->matrix);
        for (int32_t i = 0; i < n; i++) {
            p[i] = random_direction(&rng);
            p[i] = across ? v3_make(0, p[i].y, 0) : v3_make(p[i].x, 0, p[i].z);
        }
        mus_block_matrix_multiply(&d->matrix, p, q, 1);
        for (int32_t i = 0; i < n; i++) x[i] = v3_axpy(step, p[i], x[i]);
        v3 *up = forces_of(cloth);
        for (int32_t i = 0; i < n; i++) x[i] = v3_axpy(-2 * step, p[i], x[i]);
        v3 *down = forces_of(cloth);
        double largest = 0, worst = 0;
        for (int32_t i = 0; i < n; i++) {
            v3 wanted = v3_scale(-dt * dt / (2 * step), v3_sub(up[i], down[i]));
            largest = fmax(largest, v3_length(wanted)), worst = fmax(worst, v3_length(v3_sub(q[i], wanted)));
        }
        assert_true(largest > 0 && worst < 1e-5 * largest);
        free(v), free(right), free(p), free(q), free(up), free(down);
        mus_dynamics_free(d);
        mus_cloth_free(cloth);
    }
}

/* ---- in worlds ---- */

static void test_integrators(void **state) {
    (void)state;
    const char *integrators[] = {"implicit_euler", "semi_implicit_euler", "verlet",     "rk4",
                                 "explicit_euler", "position_based",      "incremental"};
    double first = 0;
    for (int k = 0; k < 7; k++) {
        mus_world_def wd = mus_world_def_default();
        wd.dt = 1.0 / 240, wd.threads = 1, wd.pipeline.integrator = integrators[k];
        wd.pipeline.internal = "square_network";
        if (k == 6) wd.pipeline.response = "ogc", wd.pipeline.failsafe = "truncation", wd.pipeline.strain = "none";
        mus_world *world;
        must(mus_world_create(&wd, &world));
        mus_cloth_def def = network_def();
        def.material.model = MUS_MODEL_SPRINGS; /* the stage's */
        def.material.stretch_warp = 90, def.material.stretch_weft = 60, def.material.stretch_shear = 20;
        def.material.viscous_damping = 4, def.material.strain_limit = 0;
        mus_cloth_id id = add_cloth(world, grid_mesh(5, 5, 0.2, 0.2, "xz", v3_make(0, 0, 0)), def);
        must(mus_cloth_pin(world, id, (int32_t[]){0, 4}, 2));
        must(mus_world_advance(world, 1.5));
        double low = vertex_of(world, id, 22).y;
        print_message("%s: %.5f m\n", integrators[k], low);
        if (k == 0)
            first = low;
        else
            near(low, first, 0.01, "how low the sheet hangs");
        assert_true(low < -0.13 && low > -0.24);
        mus_world_destroy(world);
    }
}

static void test_snapshot(void **state) {
    (void)state;
    mus_world_def wd = mus_world_def_default();
    wd.threads = 1;
    mus_world *world, *again;
    must(mus_world_create(&wd, &world));
    add_cloth(world, grid_mesh(5, 4, 0.2, 0.15, "xz", v3_make(0, 0.3, 0)), network_def());
    add_sphere(world, 0.1, v3_make(0, 0.15, 0), 0.3);
    for (int k = 0; k < 20; k++) must(mus_world_step(world));
    mus_snapshot *snapshot;
    must(mus_snapshot_create(world, &snapshot));
    must(mus_world_create_from_snapshot(snapshot, &again));
    mus_snapshot_destroy(snapshot);
    for (int k = 0; k < 30; k++) {
        must(mus_world_step(world));
        must(mus_world_step(again));
    }
    assert_true(mus_world_get_hash(world) == mus_world_get_hash(again));
    mus_world_destroy(world), mus_world_destroy(again);
}

static void test_refusals(void **state) {
    (void)state;
    mus_world_def wd = mus_world_def_default();
    wd.pipeline.internal = "square_network";
    mus_world *world;
    must(mus_world_create(&wd, &world));
    mus_cloth_def def = mus_cloth_def_default();
    mus_mesh *mesh;
    must(mus_mesh_create_disc(0.1, 3, "xz", (double[3]){0, 0, 0}, &mesh));
    def.mesh = mesh, def.name = "round";
    mus_cloth_id id;
    must_be(MUS_STATUS_INVALID, mus_cloth_create(world, &def, &id));
    assert_non_null(strstr(mus_get_error_message(), "'round'"));
    assert_non_null(strstr(mus_get_error_message(), "square_network"));
    assert_non_null(strstr(mus_get_error_message(), "grid"));
    def.material.model = MUS_MODEL_STVK;
    must(mus_cloth_create(world, &def, &id)); /* that names its own */
    mus_mesh_destroy(mesh);
    mus_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tension),     cmocka_unit_test(test_shear),    cmocka_unit_test(test_bending),
        cmocka_unit_test(test_forces),      cmocka_unit_test(test_matrix),   cmocka_unit_test(test_derivative),
        cmocka_unit_test(test_integrators), cmocka_unit_test(test_snapshot), cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
