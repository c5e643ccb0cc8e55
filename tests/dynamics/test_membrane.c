/* test_membrane.c: membranes: gradients and Hessians are derivatives, momentum is kept, rigid motion is free, and the
 * laws give the moduli they are given. */
#include "../world/scene.h"

#include "linear/psd.h"
#include "dynamics/dynamics.h"
#include "dynamics/energy.h"

static mus_rng rng;

static mus_material membrane(mus_material_model model) {
    mus_material m = mus_material_default();
    m.model = model;
    m.stretch_warp = 900, m.stretch_weft = 400, m.stretch_poisson = 90, m.stretch_shear = 60;
    m.warp_angle = 0.4, m.damping = 0.01, m.bending = 0;
    return m;
}

/* `stretch` times its rest size, rolled and shaken. */
static mus_cloth *deformed(const mus_material *material, double stretch, double noise, bool curved) {
    mus_mesh *mesh;
    if (curved)
        must(mus_mesh_create_sphere(0.1, 1, (double[3]){0, 0, 0}, &mesh));
    else
        mesh = grid_mesh(6, 5, 0.2, 0.16, "xz", v3_make(0, 0, 0));
    mus_cloth_def def = mus_cloth_def_default();
    def.mesh = mesh, def.material = *material;
    mus_cloth *cloth;
    must(mus_cloth_new(&def, "cloth", &cloth));
    for (int32_t i = 0; i < cloth->vertex_count; i++) {
        double *x = cloth->x + 3 * i;
        x[1] += 3 * x[0] * x[0];
        for (int k = 0; k < 3; k++) x[k] = stretch * x[k] + mus_rng_between(&rng, -noise, noise);
    }
    mus_mesh_destroy(mesh);
    return cloth;
}

static const mus_material_model models[] = {MUS_MODEL_STVK, MUS_MODEL_NEO_HOOKEAN};
enum { MODELS = sizeof models / sizeof models[0] };

static void compare_derivatives(const mus_cloth *cloth) {
    double *x = cloth->x;
    const double step = 1e-6;
    for (int32_t f = 0; f < cloth->face_count; f++) {
        mus_moduli moduli = mus_membrane_moduli(cloth, f, (v3 *)x);
        v3 gradient[3], up[3], down[3];
        m3 hessian[3][3];
        mus_membrane_energy(cloth, f, &moduli, (v3 *)x, gradient, hessian, false);
        double force = 0, stiffness = 0;
        for (int i = 0; i < 3; i++) force = fmax(force, v3_max_abs(gradient[i]));
        for (int i = 0; i < 9; i++)
            for (int r = 0; r < 3; r++) stiffness = fmax(stiffness, v3_max_abs(hessian[i / 3][i % 3].r[r]));
        assert_true(force > 0 && stiffness > 0);
        for (int k = 0; k < 9; k++) {
            double *at = &x[3 * cloth->faces[3 * f + k / 3] + k % 3], keep = *at;
            *at = keep + step;
            double high = mus_membrane_energy(cloth, f, &moduli, (v3 *)x, up, NULL, false);
            *at = keep - step;
            double low = mus_membrane_energy(cloth, f, &moduli, (v3 *)x, down, NULL, false);
            *at = keep;
            double slope = (high - low) / (2 * step), got = v3_get(gradient[k / 3], k % 3);
            if (!(fabs(got - slope) < 1e-6 * force + 1e-8))
                fail_msg("face %d, gradient %d: %.9g, slope of the energy %.9g", f, k, got, slope);
            for (int r = 0; r < 9; r++) {
                slope = (v3_get(up[r / 3], r % 3) - v3_get(down[r / 3], r % 3)) / (2 * step);
                got = v3_get(hessian[r / 3][k / 3].r[r % 3], k % 3);
                if (!(fabs(got - slope) < 1e-6 * stiffness))
                    fail_msg("face %d, hessian %d %d: %.9g, slope of the gradient %.9g", f, r, k, got, slope);
            }
        }
    }
}

static void test_derivatives(void **state) {
    (void)state;
    rng = mus_rng_make(41, 0);
    for (int m = 0; m < MODELS; m++)
        for (int k = 0; k < 12; k++) {
            mus_material material = membrane(models[m]);
            if (k >= 6) material.strain_limit = 0.05, material.limit_stiffness = 3000;
            mus_cloth *cloth = deformed(&material, k % 6 < 3 ? 1.1 : 0.7, k % 3 == 2 ? 0.03 : 4e-3, k & 1);
            compare_derivatives(cloth);
            mus_cloth_free(cloth);
        }
}

static void full(m3 h[3][3], double a[81]) {
    for (int r = 0; r < 9; r++)
        for (int c = 0; c < 9; c++) a[9 * r + c] = v3_get(h[r / 3][c / 3].r[r % 3], c % 3);
}

/* The projected Hessian has no negative eigenvalue, and where the cloth is stretched every way it is the exact one. */
static void test_projection(void **state) {
    (void)state;
    rng = mus_rng_make(42, 0);
    int indefinite = 0, same = 0;
    for (int m = 0; m < MODELS; m++)
        for (int k = 0; k < 6; k++) {
            mus_material material = membrane(models[m]);
            mus_cloth *cloth = deformed(&material, k < 3 ? 1.4 : 0.6, k < 3 ? 1e-3 : 0.03, k & 1);
            for (int32_t f = 0; f < cloth->face_count; f++) {
                mus_moduli moduli = mus_membrane_moduli(cloth, f, (v3 *)cloth->x);
                m3 exact[3][3], projected[3][3];
                mus_membrane_energy(cloth, f, &moduli, (v3 *)cloth->x, NULL, exact, false);
                mus_membrane_energy(cloth, f, &moduli, (v3 *)cloth->x, NULL, projected, true);
                double a[81], b[81], d[81], q[81], least = 0, most = 0, apart = 0;
                full(exact, a), full(projected, b);
                for (int e = 0; e < 81; e++) apart = fmax(apart, fabs(a[e] - b[e]));
                memcpy(d, b, sizeof d);
                mus_eigen_symmetric(d, q, 9);
                for (int e = 0; e < 9; e++) least = fmin(least, d[10 * e]), most = fmax(most, d[10 * e]);
                if (!(least > -1e-12 * most)) fail_msg("eigenvalue %g of at most %g", least, most);
                mus_eigen_symmetric(a, q, 9);
                least = 0;
                for (int e = 0; e < 9; e++) least = fmin(least, a[10 * e]);
                if (least < -1e-9 * most) {
                    indefinite++;
                    assert_true(apart > 0);
                } else if (k < 3) {
                    same++;
                    assert_true(apart < 1e-12 * most);
                }
            }
            mus_cloth_free(cloth);
        }
    assert_true(indefinite > 100 && same > 100);
}

/* Random symmetric matrices: the parts above and below zero add up, and the projection is their upper part. */
static void test_eigen(void **state) {
    (void)state;
    rng = mus_rng_make(43, 0);
    for (int round = 0; round < 60; round++) {
        int n = 2 + round % (MUS_PSD_LARGEST - 1);
        double a[MUS_PSD_LARGEST * MUS_PSD_LARGEST], d[MUS_PSD_LARGEST * MUS_PSD_LARGEST];
        double q[MUS_PSD_LARGEST * MUS_PSD_LARGEST], b[MUS_PSD_LARGEST * MUS_PSD_LARGEST];
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++) a[i * n + j] = a[j * n + i] = mus_rng_between(&rng, -1, 1);
        memcpy(d, a, sizeof d), memcpy(b, a, sizeof b);
        mus_eigen_symmetric(d, q, n);
        mus_project_psd(b, n);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double whole = 0, above = 0, unit = 0;
                for (int e = 0; e < n; e++) {
                    double part = d[e * n + e] * q[i * n + e] * q[j * n + e];
                    whole += part, above += d[e * n + e] > 0 ? part : 0, unit += q[i * n + e] * q[j * n + e];
                }
                assert_true(fabs(whole - a[i * n + j]) < 1e-13 * n && fabs(unit - (i == j)) < 1e-13 * n);
                assert_true(fabs(above - b[i * n + j]) < 1e-13 * n);
            }
    }
}

static void test_balance(void **state) {
    (void)state;
    rng = mus_rng_make(44, 0);
    for (int round = 0; round < 8; round++) {
        mus_material m = membrane(models[round % MODELS]);
        mus_cloth *cloth = deformed(&m, 1.05, round < 4 ? 8e-3 : 0.1, round & 2);
        size_t n = (size_t)cloth->vertex_count;
        v3 *v = calloc(n, sizeof *v), *f = calloc(n, sizeof *f), *damped = calloc(n, sizeof *damped);
        v3 *x = (v3 *)cloth->x, at = v3_make(2, -3, 5), sum = v3_make(0, 0, 0), torque = sum;
        for (size_t i = 0; i < n; i++) v[i] = v3_scale(3, random_direction(&rng));
        mus_membrane_forces(cloth, x, v, f);
        double size = 0;
        for (size_t i = 0; i < n; i++) {
            sum = v3_add(sum, f[i]);
            torque = v3_add(torque, v3_cross(v3_sub(x[i], at), f[i]));
            size += v3_length(f[i]);
        }
        assert_true(v3_length(sum) < 1e-12 * size && v3_length(torque) < 1e-11 * size);
        v3 omega = v3_scale(4, random_direction(&rng)), shift = v3_scale(2, random_direction(&rng));
        memset(f, 0, n * sizeof *f), memset(v, 0, n * sizeof *v);
        mus_membrane_forces(cloth, x, v, f);
        for (size_t i = 0; i < n; i++) v[i] = v3_add(shift, v3_cross(omega, x[i]));
        mus_membrane_forces(cloth, x, v, damped);
        for (size_t i = 0; i < n; i++) assert_true(v3_length(v3_sub(damped[i], f[i])) < 1e-11 * size);
        free(v), free(f), free(damped);
        mus_cloth_free(cloth);
    }
}

/* At rest, turned and moved anywhere: no force beyond rounding, moving or not. */
static void test_rigid(void **state) {
    (void)state;
    rng = mus_rng_make(45, 0);
    for (int round = 0; round < 8; round++) {
        mus_material m = membrane(models[round % MODELS]);
        mus_mesh *mesh = grid_mesh(6, 5, 0.2, 0.16, "xz", v3_make(0, 0, 0));
        mus_cloth_def def = mus_cloth_def_default();
        def.mesh = mesh, def.material = m;
        mus_cloth *cloth;
        must(mus_cloth_new(&def, "cloth", &cloth));
        size_t n = (size_t)cloth->vertex_count;
        v3 *x = (v3 *)cloth->x, *v = calloc(n, sizeof *v), *f = calloc(n, sizeof *f);
        v3 axis = random_direction(&rng), omega = v3_scale(9, random_direction(&rng));
        double q[4] = {0.6, 0.8 * axis.x, 0.8 * axis.y, 0.8 * axis.z};
        m3 turn = m3_from_quaternion(q);
        for (size_t i = 0; i < n; i++) {
            x[i] = v3_add(m3_mul_v3(&turn, x[i]), v3_make(1, 2, 3));
            v[i] = v3_add(v3_make(0, -20, 0), v3_cross(omega, x[i]));
        }
        mus_membrane_forces(cloth, x, v, f);
        for (size_t i = 0; i < n; i++) assert_true(v3_max_abs(f[i]) < 1e-11 * m.stretch_warp * 0.2);
        free(v), free(f);
        mus_cloth_free(cloth), mus_mesh_destroy(mesh);
    }
}

/* The implicit form against differences of the forces: H = -dt df/dv - dt^2 df/dx and dt f - H v with f elastic, where
 * the cloth is stretched every way and nothing is projected away. */
static void test_linearized(void **state) {
    (void)state;
    rng = mus_rng_make(46, 0);
    for (int m = 0; m < MODELS; m++) {
        mus_material material = membrane(models[m]);
        mus_cloth *cloth = deformed(&material, 1.3, 1e-3, false);
        size_t n = (size_t)cloth->vertex_count, bytes = sizeof(v3) * n;
        mus_dynamics *d;
        must(mus_dynamics_create(cloth, &d));
        const double dt = 0.01, step = 1e-7;
        v3 *x = (v3 *)cloth->x, *still = calloc(1, bytes), *right = calloc(1, bytes), *p = malloc(bytes);
        v3 *f = calloc(1, bytes), *up = calloc(1, bytes), *down = calloc(1, bytes), *moved = malloc(bytes);
        v3 *rate = calloc(1, bytes), *turned = calloc(1, bytes);
        for (size_t i = 0; i < n; i++) p[i] = random_direction(&rng);
        mus_block_matrix_clear(&d->matrix, 1);
        mus_membrane_linearize(cloth, d->face_pair, x, p, dt, right, &d->matrix);
        mus_membrane_forces(cloth, x, still, f);
        mus_membrane_forces(cloth, x, p, rate);
        for (size_t i = 0; i < n; i++) moved[i] = v3_axpy(step, p[i], x[i]);
        mus_membrane_forces(cloth, moved, still, up);
        for (size_t i = 0; i < n; i++) moved[i] = v3_axpy(-step, p[i], x[i]);
        mus_membrane_forces(cloth, moved, still, down);
        double largest = 0, worst = 0, off = 0;
        for (size_t i = 0; i < n; i++) {
            v3 h = mus_block_matrix_row(&d->matrix, (int32_t)i, p);
            v3 wanted = v3_scale(-dt * dt / (2 * step), v3_sub(up[i], down[i]));
            wanted = v3_axpy(-dt, v3_sub(rate[i], f[i]), wanted);
            largest = fmax(largest, v3_length(wanted));
            worst = fmax(worst, v3_length(v3_sub(h, wanted)));
            off = fmax(off, v3_length(v3_sub(right[i], v3_sub(v3_scale(dt, f[i]), h))));
        }
        assert_true(worst < 1e-6 * largest && off < 1e-12 * largest);
        free(still), free(right), free(p), free(f), free(up), free(down), free(moved), free(rate), free(turned);
        mus_dynamics_free(d);
        mus_cloth_free(cloth);
    }
}

/* Whatever the shape, the matrix of the step is symmetric and positive. */
static void test_matrix(void **state) {
    (void)state;
    rng = mus_rng_make(47, 0);
    for (int round = 0; round < 10; round++) {
        mus_material m = membrane(models[round % MODELS]);
        mus_cloth *cloth = deformed(&m, 0.9, 0.02 * (1 + round), round & 2);
        size_t n = (size_t)cloth->vertex_count, bytes = sizeof(v3) * n;
        mus_dynamics *d;
        must(mus_dynamics_create(cloth, &d));
        v3 *v = calloc(1, bytes), *right = calloc(1, bytes), *p = malloc(bytes), *q = malloc(bytes);
        mus_block_matrix_clear(&d->matrix, 1);
        mus_membrane_linearize(cloth, d->face_pair, (v3 *)cloth->x, v, 0.01, right, &d->matrix);
        for (int probe = 0; probe < 20; probe++) {
            double own = 0, across = 0, back = 0, size = 0;
            for (size_t i = 0; i < n; i++) p[i] = random_direction(&rng), q[i] = random_direction(&rng);
            for (size_t i = 0; i < n; i++) {
                v3 hp = mus_block_matrix_row(&d->matrix, (int32_t)i, p);
                own += v3_dot(p[i], hp), across += v3_dot(q[i], hp), size += v3_length(hp);
                back += v3_dot(p[i], mus_block_matrix_row(&d->matrix, (int32_t)i, q));
            }
            assert_true(own > -1e-12 * size && fabs(across - back) < 1e-12 * size);
        }
        free(v), free(right), free(p), free(q);
        mus_dynamics_free(d);
        mus_cloth_free(cloth);
    }
}

/* Small homogeneous strains: tension and shear force by length are the moduli times the strain, for both laws, in the
 * frame of warp and weft wherever it points. */
static void test_moduli(void **state) {
    (void)state;
    for (int m = 0; m < MODELS; m++)
        for (int mode = 0; mode < 3; mode++) {
            mus_material material = membrane(models[m]);
            mus_mesh *mesh = grid_mesh(5, 5, 0.2, 0.2, "xz", v3_make(0, 0, 0));
            mus_cloth_def def = mus_cloth_def_default();
            def.mesh = mesh, def.material = material;
            mus_cloth *cloth;
            must(mus_cloth_new(&def, "cloth", &cloth));
            /* u grows along x, v along z; the weft is a quarter turn from the warp toward growing v */
            double c = mus_cos(material.warp_angle), s = mus_sin(material.warp_angle), e = 1e-5, energy = 0;
            v3 warp = v3_make(c, 0, s), weft = v3_make(-s, 0, c);
            for (int32_t i = 0; i < cloth->vertex_count; i++) {
                v3 x = v3_load(cloth->x + 3 * i);
                double a = v3_dot(x, warp), b = v3_dot(x, weft);
                v3 by = mode == 0 ? v3_scale(a, warp) : mode == 1 ? v3_scale(b, weft) : v3_scale(b, warp);
                v3_store(cloth->x + 3 * i, v3_axpy(e, by, x));
            }
            for (int32_t f = 0; f < cloth->face_count; f++) {
                mus_moduli moduli = mus_membrane_moduli(cloth, f, (v3 *)cloth->x);
                energy += mus_membrane_energy(cloth, f, &moduli, (v3 *)cloth->x, NULL, NULL, false);
            }
            double wanted = mode == 0   ? material.stretch_warp
                            : mode == 1 ? material.stretch_weft
                                        : material.stretch_shear;
            double got = energy / (0.5 * e * e * 0.2 * 0.2);
            if (!(fabs(got - wanted) < 1e-3 * wanted)) fail_msg("law %d, mode %d: %g, not %g", m, mode, got, wanted);
            mus_cloth_free(cloth), mus_mesh_destroy(mesh);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_derivatives), cmocka_unit_test(test_projection),
                                       cmocka_unit_test(test_eigen),       cmocka_unit_test(test_balance),
                                       cmocka_unit_test(test_rigid),       cmocka_unit_test(test_linearized),
                                       cmocka_unit_test(test_matrix),      cmocka_unit_test(test_moduli)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
