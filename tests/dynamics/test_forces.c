/* test_forces.c: forces are gradients of their energies, do nothing to rigid motion, and their linear forms are their
 * derivatives; the solver solves. */
#include "../world/scene.h"

#include "dynamics/dynamics.h"
#include "model/hinge_shape.h"

static mus_rng rng;

static mus_cloth *crumpled(const mus_material *material, double noise, bool curved) {
    mus_mesh *mesh;
    if (curved)
        must(mus_mesh_create_sphere(0.1, 1, (double[3]){0, 0, 0}, &mesh));
    else
        mesh = grid_mesh(6, 5, 0.2, 0.16, "xz", v3_make(0, 0, 0));
    mus_cloth_def def = mus_cloth_def_default();
    def.mesh = mesh, def.material = *material;
    mus_cloth *cloth;
    must(mus_cloth_new(&def, "cloth", &cloth));
    for (int32_t i = 0; i < 3 * cloth->vertex_count; i++) cloth->x[i] += mus_rng_between(&rng, -noise, noise);
    mus_mesh_destroy(mesh);
    return cloth;
}

typedef void (*force_fn)(const mus_cloth *cloth, const v3 *x, const v3 *v, v3 *force);
typedef double (*energy_fn)(const mus_cloth *cloth, const v3 *x);

static double spring_energy(const mus_cloth *cloth, const v3 *x) {
    double sum = 0;
    for (int32_t k = 0; k < cloth->spring_count; k++) {
        const mus_spring *s = &cloth->springs[k];
        double strain = v3_length(v3_sub(x[s->a], x[s->b])) - s->rest;
        mus_spring_law own;
        const mus_spring_law *law = mus_spring_law_of(cloth, s, &own);
        sum += 0.5 * law->stiffness * (strain < 0 ? law->compression : 1) * strain * strain;
    }
    return sum;
}

/* The moment M (2 tan(a/2) - rest) has the energy M (-4 ln cos(a/2) - rest a). */
static double hinge_energy(const mus_cloth *cloth, const v3 *x) {
    double sum = 0;
    for (int32_t k = 0; k < cloth->hinge_count; k++) {
        const mus_hinge *h = &cloth->hinges[k];
        mus_hinge_shape shape = {0};
        assert_true(mus_hinge_measure(x[h->vertex[0]], x[h->vertex[1]], x[h->vertex[2]], x[h->vertex[3]], &shape));
        assert_true(shape.height[0] > h->low && shape.height[1] > h->low);
        double angle = 2 * mus_atan2(shape.bend / 2, 1);
        sum += h->moment * (-4 * mus_log(mus_cos(angle / 2)) - h->rest * angle);
    }
    return sum;
}

static void compare_gradient(const mus_cloth *cloth, force_fn forces, energy_fn energy, double tolerance) {
    int32_t n = cloth->vertex_count;
    v3 *force = calloc((size_t)n, sizeof *force), *still = calloc((size_t)n, sizeof *still);
    double *x = malloc(sizeof(double) * 3 * (size_t)n), largest = 0;
    memcpy(x, cloth->x, sizeof(double) * 3 * (size_t)n);
    forces(cloth, (v3 *)x, still, force);
    for (int32_t i = 0; i < n; i++) largest = fmax(largest, v3_length(force[i]));
    assert_true(largest > 0);
    const double step = 1e-7;
    for (int32_t k = 0; k < 3 * n; k++) {
        double keep = x[k];
        x[k] = keep + step;
        double up = energy(cloth, (v3 *)x);
        x[k] = keep - step;
        double down = energy(cloth, (v3 *)x);
        x[k] = keep;
        double wanted = -(up - down) / (2 * step), got = ((double *)force)[k];
        if (!(fabs(got - wanted) <= tolerance * largest))
            fail_msg("force %d: %g, minus the energy's slope: %g (largest %g)", k, got, wanted, largest);
    }
    free(force), free(still), free(x);
}

static void test_gradients(void **state) {
    (void)state;
    rng = mus_rng_make(21, 0);
    mus_material m = mus_material_default();
    m.bend = 30, m.compression = 0.4;
    for (int curved = 0; curved < 2; curved++) {
        mus_cloth *cloth = crumpled(&m, 6e-3, curved);
        assert_true(cloth->spring_count > 40 && cloth->hinge_count > 30);
        compare_gradient(cloth, mus_spring_forces, spring_energy, 1e-5);
        compare_gradient(cloth, mus_hinge_forces, hinge_energy, 1e-5);
        mus_cloth_free(cloth);
    }
}

/* No net force, no net torque; a rigid velocity meets no damping. */
static void test_balance(void **state) {
    (void)state;
    static const force_fn all[] = {mus_spring_forces, mus_hinge_forces};
    rng = mus_rng_make(22, 0);
    mus_material m = mus_material_default();
    m.bend = 30, m.damping = 0.05, m.bending_damping = 0.05;
    for (int round = 0; round < 8; round++) {
        mus_cloth *cloth = crumpled(&m, round < 4 ? 8e-3 : 0.2, round & 1); /* to folds and worse */
        size_t n = (size_t)cloth->vertex_count;
        v3 *v = calloc(n, sizeof *v), *f = calloc(n, sizeof *f), *damped = calloc(n, sizeof *damped);
        v3 *x = (v3 *)cloth->x, at = v3_make(2, -3, 5);
        for (int k = 0; k < 2; k++) {
            for (size_t i = 0; i < n; i++) v[i] = v3_scale(3, random_direction(&rng));
            memset(f, 0, n * sizeof *f);
            all[k](cloth, x, v, f);
            v3 sum = v3_make(0, 0, 0), torque = sum;
            double size = 0;
            for (size_t i = 0; i < n; i++) {
                sum = v3_add(sum, f[i]);
                torque = v3_add(torque, v3_cross(v3_sub(x[i], at), f[i]));
                size += v3_length(f[i]);
            }
            assert_true(v3_length(sum) < 1e-12 * size && v3_length(torque) < 1e-11 * size);
            v3 omega = v3_scale(4, random_direction(&rng)), shift = v3_scale(2, random_direction(&rng));
            memset(f, 0, n * sizeof *f), memset(damped, 0, n * sizeof *damped), memset(v, 0, n * sizeof *v);
            all[k](cloth, x, v, f);
            for (size_t i = 0; i < n; i++) v[i] = v3_add(shift, v3_cross(omega, x[i]));
            all[k](cloth, x, v, damped);
            for (size_t i = 0; i < n; i++) assert_true(v3_length(v3_sub(damped[i], f[i])) < 1e-11 * size);
        }
        free(v), free(f), free(damped);
        mus_cloth_free(cloth);
    }
}

static v3 pair_times(const mus_pair_block *b, v3 e) {
    v3 w = v3_make(b->w[0], b->w[1], b->w[2]);
    return v3_axpy(v3_dot(w, e), w, v3_scale(b->t, e));
}

static v3 row_times(const mus_block_matrix *m, int32_t i, const v3 *p) {
    v3 sum = mus_sym3_mul(&m->diagonal[i], p[i]);
    for (int32_t k = m->upper_start[i]; k < m->upper_start[i + 1]; k++)
        sum = v3_add(sum, pair_times(&m->pair[k], v3_sub(p[i], p[m->higher[k]])));
    for (int32_t k = m->lower_start[i]; k < m->lower_start[i + 1]; k++)
        sum = v3_add(sum, pair_times(&m->pair[m->lower[k].pair], v3_sub(p[i], p[m->lower[k].vertex])));
    return sum;
}

/* The implicit form of springs in tension: H = -dt df/dv - dt^2 df/dx, and what it adds to the right side is
 * dt f - H v; both against differences of the forces. */
static void test_spring_derivative(void **state) {
    (void)state;
    rng = mus_rng_make(23, 0);
    mus_material m = mus_material_default();
    m.bend = 0, m.damping = 0.01;
    mus_cloth *cloth = crumpled(&m, 2e-3, false);
    int32_t n = cloth->vertex_count;
    for (int32_t i = 0; i < 3 * n; i++) cloth->x[i] *= 1.3; /* all stretched */
    mus_dynamics *d;
    must(mus_dynamics_create(cloth, &d));
    const double dt = 0.01, step = 1e-7;
    size_t bytes = sizeof(v3) * (size_t)n;
    v3 *v = calloc(1, bytes), *right = calloc(1, bytes), *f = calloc(1, bytes), *up = calloc(1, bytes);
    v3 *down = calloc(1, bytes), *x = (v3 *)cloth->x, *direction = malloc(bytes), *moved = malloc(bytes);
    mus_block_matrix_clear(&d->matrix, 1);
    mus_spring_linearize(cloth, d->spring_pair, x, v, dt, right, &d->matrix);
    mus_spring_forces(cloth, x, v, f);
    for (int32_t i = 0; i < n; i++) assert_true(v3_length(v3_sub(right[i], v3_scale(dt, f[i]))) < 1e-12);
    for (int round = 0; round < 10; round++) {
        for (int32_t i = 0; i < n; i++) direction[i] = random_direction(&rng);
        memset(up, 0, bytes), memset(down, 0, bytes);
        for (int32_t i = 0; i < n; i++) moved[i] = v3_axpy(step, direction[i], x[i]);
        mus_spring_forces(cloth, moved, v, up);
        for (int32_t i = 0; i < n; i++) moved[i] = v3_axpy(-step, direction[i], x[i]);
        mus_spring_forces(cloth, moved, v, down);
        double worst = 0, largest = 0;
        v3 *rate = calloc(1, bytes); /* df/dv along the direction: linear, so exact (at v = 0 the rest is f) */
        mus_spring_forces(cloth, x, direction, rate);
        for (int32_t i = 0; i < n; i++) {
            v3 h = row_times(&d->matrix, i, direction);
            v3 wanted = v3_scale(-dt * dt / (2 * step), v3_sub(up[i], down[i]));
            wanted = v3_axpy(-dt, v3_sub(rate[i], f[i]), wanted);
            worst = fmax(worst, v3_length(v3_sub(h, wanted)));
            largest = fmax(largest, v3_length(wanted));
        }
        free(rate);
        assert_true(worst < 1e-5 * largest);
    }
    free(v), free(right), free(f), free(up), free(down), free(direction), free(moved);
    mus_dynamics_free(d);
    mus_cloth_free(cloth);
}

/* Whatever the shape, the matrix of the implicit step is positive: x.Hx >= 0. */
static void test_matrix_positive(void **state) {
    (void)state;
    rng = mus_rng_make(24, 0);
    mus_material m = mus_material_default();
    m.bend = 30;
    for (int round = 0; round < 10; round++) {
        mus_cloth *cloth = crumpled(&m, 0.03 * (1 + round), round & 1);
        int32_t n = cloth->vertex_count;
        mus_dynamics *d;
        must(mus_dynamics_create(cloth, &d));
        size_t bytes = sizeof(v3) * (size_t)n;
        v3 *v = malloc(bytes), *right = calloc(1, bytes), *p = malloc(bytes), *x = (v3 *)cloth->x;
        for (int32_t i = 0; i < n; i++) v[i] = random_direction(&rng);
        mus_block_matrix_clear(&d->matrix, 1);
        mus_environment air = {.air_density = 1.2, .wind = {1, 2, 3}, .threads = 1};
        mus_spring_linearize(cloth, d->spring_pair, x, v, 0.01, right, &d->matrix);
        mus_hinge_linearize(cloth, d->hinge_pair, x, v, 0.01, right, &d->matrix);
        mus_drag_forces(cloth, &air, x, v, 0.01, right, &d->matrix);
        for (int probe = 0; probe < 20; probe++) {
            double sum = 0, size = 0;
            for (int32_t i = 0; i < n; i++) p[i] = random_direction(&rng);
            for (int32_t i = 0; i < n; i++) {
                v3 q = row_times(&d->matrix, i, p);
                sum += v3_dot(p[i], q);
                size += v3_length(q);
            }
            assert_true(sum > -1e-12 * size);
        }
        free(v), free(right), free(p);
        mus_dynamics_free(d);
        mus_cloth_free(cloth);
    }
}

/* Drag takes energy out of the motion against the wind, on either face, and nothing of a motion within the plane. */
static void test_drag(void **state) {
    (void)state;
    rng = mus_rng_make(25, 0);
    mus_material m = mus_material_default();
    mus_cloth *cloth = crumpled(&m, 5e-3, false);
    int32_t n = cloth->vertex_count;
    v3 *v = calloc((size_t)n, sizeof *v), *f = calloc((size_t)n, sizeof *f);
    mus_environment air = {.air_density = 1.2, .wind = {0.5, -1, 2}, .threads = 1};
    for (int round = 0; round < 40; round++) {
        v3 common = v3_scale(5, random_direction(&rng)), force = v3_make(0, 0, 0);
        for (int32_t i = 0; i < n; i++) v[i] = common;
        memset(f, 0, sizeof *f * (size_t)n);
        mus_drag_forces(cloth, &air, (v3 *)cloth->x, v, 0.01, f, NULL);
        for (int32_t i = 0; i < n; i++) force = v3_add(force, f[i]);
        v3 relative = v3_sub(air.wind, common);
        assert_true(v3_dot(force, relative) > 0);
        assert_true(v3_length(v3_cross(force, relative)) < 1e-12 * v3_length(force) * v3_length(relative));
    }
    mus_cloth *flat = crumpled(&m, 0, false);
    air.wind = v3_make(0, 0, 0);
    for (int32_t i = 0; i < n; i++) v[i] = v3_make(3, 0, 1); /* in the plane xz */
    memset(f, 0, sizeof *f * (size_t)n);
    mus_drag_forces(flat, &air, (v3 *)flat->x, v, 0.01, f, NULL);
    for (int32_t i = 0; i < n; i++) assert_true(v3_length(f[i]) == 0);
    for (int32_t i = 0; i < n; i++) v[i] = v3_make(0, -2, 0);
    mus_drag_forces(flat, &air, (v3 *)flat->x, v, 0.01, f, NULL);
    double total = 0;
    for (int32_t i = 0; i < n; i++) total += f[i].y;
    assert_true(fabs(total - 0.5 * 1.2 * m.drag * 0.2 * 0.16 * 4) < 1e-12);
    free(v), free(f);
    mus_cloth_free(cloth), mus_cloth_free(flat);
}

/* The implicit form of hinges: along random motions of a crumpled cloth the matrix is not softer than the moment's own
 * rate, (dt^2 slope + dt damping) g g^T; else a step would overshoot, and folds at rest would flicker. */
static void test_hinge_majorant(void **state) {
    (void)state;
    rng = mus_rng_make(29, 0);
    mus_material m = mus_material_default();
    m.stretch = m.shear = m.bend = 0, m.bending = 1e-3, m.bending_damping = 0.01;
    const double dt = 0.01, tiny = 1e-7;
    for (int round = 0; round < 6; round++) {
        mus_cloth *cloth = crumpled(&m, round < 2 ? 1e-4 : 0.01 * round, false);
        int32_t n = cloth->vertex_count;
        mus_dynamics *d;
        must(mus_dynamics_create(cloth, &d));
        v3 *x = (v3 *)cloth->x, *v = calloc((size_t)n, sizeof *v), *f = calloc((size_t)n, sizeof *f),
           *moved = calloc((size_t)n, sizeof *f), *p = calloc((size_t)n, sizeof *p), *y = calloc((size_t)n, sizeof *y);
        mus_block_matrix_clear(&d->matrix, 1);
        mus_hinge_linearize(cloth, d->hinge_pair, x, v, dt, f, &d->matrix);
        for (int trial = 0; trial < 20; trial++) {
            /* damping alone: its work on a velocity p is dt p.g g.p, an exact quadratic form */
            double work = 0, quadratic_form = 0;
            for (int32_t i = 0; i < n; i++) p[i] = v3_scale(tiny, random_direction(&rng));
            memset(f, 0, sizeof *f * (size_t)n), memset(moved, 0, sizeof *f * (size_t)n);
            mus_hinge_forces(cloth, x, v, f);
            mus_hinge_forces(cloth, x, p, moved);
            for (int32_t i = 0; i < n; i++) work -= dt * v3_dot(p[i], v3_sub(moved[i], f[i]));
            for (int32_t i = 0; i < n; i++) quadratic_form += v3_dot(p[i], row_times(&d->matrix, i, p));
            double slopes = (dt + m.bending_damping) / m.bending_damping; /* the moment's own slope is at least 1 */
            assert_true(work > 0);
            assert_true(quadratic_form > slopes * work * (1 - 1e-5));
        }
        free(v), free(f), free(moved), free(p), free(y);
        mus_dynamics_free(d);
        mus_cloth_free(cloth);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_balance),
        cmocka_unit_test(test_spring_derivative),
        cmocka_unit_test(test_matrix_positive),
        cmocka_unit_test(test_drag),
        cmocka_unit_test(test_hinge_majorant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
