/* test_plate.c: bending of plates: gradients and Hessians are derivatives, momentum is kept, rigid motion is free, and
 * curvature costs the same whatever the mesh. */
#include "../world/scene.h"

#include "linear/psd.h"
#include "dynamics/dynamics.h"
#include "dynamics/energy.h"

static mus_rng rng;

static mus_material plate(bool quadratic) {
    mus_material m = mus_material_default();
    m.model = MUS_MODEL_STVK;
    m.bending_warp = 3e-5, m.bending_weft = 1e-5, m.bending_bias = 1.5e-5;
    m.warp_angle = 0.3, m.bending_damping = 0.02, m.bending_quadratic = quadratic;
    return m;
}

/* A grid whose inner vertices are shaken within its plane by a share of the spacing. */
static mus_mesh *irregular(int n, double size, double share) {
    mus_mesh *grid = grid_mesh(n, n, size, size, "xz", v3_make(0, 0, 0)), *mesh;
    mus_mesh_def bare = {mus_mesh_def_default().cookie, .vertices = mus_mesh_get_vertices(grid),
                         .faces = mus_mesh_get_faces(grid)}; /* its texture would shift */
    bare.vertex_count = n * n, bare.face_count = mus_mesh_get_face_count(grid);
    must(mus_mesh_create(&bare, &mesh));
    mus_mesh_destroy(grid);
    double *x = mus_mesh_get_vertices(mesh), h = size / (n - 1);
    for (int j = 1; j < n - 1; j++)
        for (int i = 1; i < n - 1; i++) {
            x[3 * (i + j * n)] += mus_rng_between(&rng, -share, share) * h;
            x[3 * (i + j * n) + 2] += mus_rng_between(&rng, -share, share) * h;
        }
    return mesh;
}

static mus_cloth *make(const mus_material *material, mus_mesh *mesh) {
    mus_cloth_def def = mus_cloth_def_default();
    def.mesh = mesh, def.material = *material;
    mus_cloth *cloth;
    must(mus_cloth_new(&def, "cloth", &cloth));
    mus_mesh_destroy(mesh);
    return cloth;
}

static mus_cloth *crumpled(const mus_material *material, double noise, bool curved) {
    mus_mesh *mesh;
    if (curved)
        must(mus_mesh_create_sphere(0.1, 1, (double[3]){0, 0, 0}, &mesh));
    else
        mesh = irregular(6, 0.2, 0.2);
    mus_cloth *cloth = make(material, mesh);
    for (int32_t i = 0; i < 3 * cloth->vertex_count; i++) cloth->x[i] += mus_rng_between(&rng, -noise, noise);
    return cloth;
}

static void test_derivatives(void **state) {
    (void)state;
    rng = mus_rng_make(51, 0);
    const double step = 1e-7;
    for (int round = 0; round < 6; round++) {
        mus_material m = plate(round % 3 == 2);
        mus_cloth *cloth = crumpled(&m, round < 3 ? 3e-3 : 0.015, round % 3 == 1);
        v3 *x = (v3 *)cloth->x;
        assert_true(cloth->sheet->plate_count == cloth->face_count);
        mus_bend bend;
        must(mus_bend_create(cloth, &bend));
        mus_bend_relax(cloth, x, &bend);
        for (int32_t k = 0; k < cloth->sheet->plate_count; k++) {
            const int32_t *v = cloth->sheet->plates[k].vertex;
            v3 gradient[6], up[6], down[6];
            m3 hessian[6][6];
            mus_plate_energy(cloth, k, &bend, x, gradient, hessian, false);
            double force = 0, stiffness = 0;
            for (int c = 0; c < 6; c++) force = fmax(force, v3_max_abs(gradient[c]));
            for (int c = 0; c < 36; c++)
                for (int r = 0; r < 3; r++) stiffness = fmax(stiffness, v3_max_abs(hessian[c / 6][c % 6].r[r]));
            assert_true(force > 0 && stiffness > 0);
            for (int c = 0; c < 18; c++) {
                if (v[c / 3] < 0) {
                    assert_true(v3_get(gradient[c / 3], c % 3) == 0);
                    continue;
                }
                double *at = &cloth->x[3 * v[c / 3] + c % 3], keep = *at;
                *at = keep + step;
                double high = mus_plate_energy(cloth, k, &bend, x, up, NULL, false);
                *at = keep - step;
                double low = mus_plate_energy(cloth, k, &bend, x, down, NULL, false);
                *at = keep;
                double slope = (high - low) / (2 * step), got = v3_get(gradient[c / 3], c % 3);
                if (!(fabs(got - slope) < 1e-5 * force))
                    fail_msg("plate %d, gradient %d: %.9g, slope of the energy %.9g", k, c, got, slope);
                for (int r = 0; r < 18; r++) {
                    slope = (v3_get(up[r / 3], r % 3) - v3_get(down[r / 3], r % 3)) / (2 * step);
                    got = v3_get(hessian[r / 3][c / 3].r[r % 3], c % 3);
                    if (!(fabs(got - slope) < 1e-5 * stiffness))
                        fail_msg("plate %d, hessian %d %d: %.9g, slope of the gradient %.9g", k, r, c, got, slope);
                }
            }
        }
        mus_bend_free(&bend);
        mus_cloth_free(cloth);
    }
}

/* The projected Hessian has no negative eigenvalue; at rest it is the exact one. */
static void test_projection(void **state) {
    (void)state;
    rng = mus_rng_make(52, 0);
    int indefinite = 0;
    for (int round = 0; round < 4; round++) {
        mus_material m = plate(false);
        mus_cloth *cloth = crumpled(&m, round < 2 ? 0 : 0.02, round & 1);
        mus_bend bend;
        must(mus_bend_create(cloth, &bend));
        mus_bend_relax(cloth, (v3 *)cloth->x, &bend);
        for (int32_t k = 0; k < cloth->sheet->plate_count; k++) {
            m3 exact[6][6], projected[6][6];
            mus_plate_energy(cloth, k, &bend, (v3 *)cloth->x, NULL, exact, false);
            mus_plate_energy(cloth, k, &bend, (v3 *)cloth->x, NULL, projected, true);
            double a[324], b[324], q[324], least = 0, most = 0, lowest = 0, apart = 0;
            for (int r = 0; r < 18; r++)
                for (int c = 0; c < 18; c++) {
                    a[18 * r + c] = v3_get(exact[r / 3][c / 3].r[r % 3], c % 3);
                    b[18 * r + c] = v3_get(projected[r / 3][c / 3].r[r % 3], c % 3);
                    apart = fmax(apart, fabs(a[18 * r + c] - b[18 * r + c]));
                }
            mus_eigen_symmetric(b, q, 18);
            mus_eigen_symmetric(a, q, 18);
            for (int e = 0; e < 18; e++) {
                least = fmin(least, b[19 * e]), most = fmax(most, b[19 * e]);
                lowest = fmin(lowest, a[19 * e]);
            }
            assert_true(most > 0 && least > -1e-12 * most);
            if (round < 2) assert_true(apart < 1e-9 * most);
            if (lowest < -1e-6 * most) indefinite++;
        }
        mus_bend_free(&bend);
        mus_cloth_free(cloth);
    }
    assert_true(indefinite > 50);
}

static void test_balance(void **state) {
    (void)state;
    rng = mus_rng_make(53, 0);
    for (int round = 0; round < 8; round++) {
        bool quadratic = round % 4 == 1;
        mus_material m = plate(quadratic);
        mus_cloth *cloth = crumpled(&m, round < 4 ? 8e-3 : 0.2, !quadratic && round & 2); /* to folds and worse */
        size_t n = (size_t)cloth->vertex_count;
        mus_bend bend;
        must(mus_bend_create(cloth, &bend));
        v3 *v = calloc(n, sizeof *v), *f = calloc(n, sizeof *f), *damped = calloc(n, sizeof *damped);
        v3 *x = (v3 *)cloth->x, at = v3_make(2, -3, 5), sum = v3_make(0, 0, 0), torque = sum;
        for (size_t i = 0; i < n; i++) v[i] = v3_scale(3, random_direction(&rng));
        mus_plate_forces(cloth, x, v, &bend, f);
        double size = 0;
        for (size_t i = 0; i < n; i++) {
            sum = v3_add(sum, f[i]);
            torque = v3_add(torque, v3_cross(v3_sub(x[i], at), f[i]));
            size += v3_length(f[i]);
        }
        assert_true(size > 0 && v3_length(sum) < 1e-12 * size && v3_length(torque) < 1e-11 * size);
        v3 omega = v3_scale(4, random_direction(&rng)), shift = v3_scale(2, random_direction(&rng));
        memset(f, 0, n * sizeof *f), memset(v, 0, n * sizeof *v);
        mus_plate_forces(cloth, x, v, &bend, f);
        for (size_t i = 0; i < n; i++) v[i] = v3_add(shift, v3_cross(omega, x[i]));
        mus_plate_forces(cloth, x, v, &bend, damped);
        for (size_t i = 0; i < n; i++) assert_true(v3_length(v3_sub(damped[i], f[i])) < 1e-11 * size);
        free(v), free(f), free(damped);
        mus_bend_free(&bend);
        mus_cloth_free(cloth);
    }
}

/* At rest, turned and moved: nothing but rounding, at any speed; rest shapes may be curved. */
static void test_rigid(void **state) {
    (void)state;
    rng = mus_rng_make(54, 0);
    for (int round = 0; round < 6; round++) {
        mus_material m = plate(round % 3 == 2);
        mus_cloth *cloth = crumpled(&m, 0, round % 3 == 1);
        size_t n = (size_t)cloth->vertex_count;
        mus_bend bend;
        must(mus_bend_create(cloth, &bend));
        v3 *x = (v3 *)cloth->x, *v = calloc(n, sizeof *v), *f = calloc(n, sizeof *f);
        v3 axis = random_direction(&rng), omega = v3_scale(9, random_direction(&rng));
        double q[4] = {0.6, 0.8 * axis.x, 0.8 * axis.y, 0.8 * axis.z};
        m3 turn = m3_from_quaternion(q);
        for (size_t i = 0; i < n; i++) {
            x[i] = v3_add(m3_mul_v3(&turn, x[i]), v3_make(1, 2, 3));
            v[i] = v3_add(v3_make(0, -20, 0), v3_cross(omega, x[i]));
        }
        mus_plate_forces(cloth, x, v, &bend, f);
        /* an angle of one rounding error, over an edge of 4 cm, would give 1e-16 * 3e-5 / 0.04^2 */
        for (size_t i = 0; i < n; i++) assert_true(v3_max_abs(f[i]) < 1e-14);
        free(v), free(f);
        mus_bend_free(&bend);
        mus_cloth_free(cloth);
    }
}

/* A shallow surface of constant curvature has the energy of a wide strip cut along the bend, whichever way the bend
 * and the edges run. */
static void test_curvature(void **state) {
    (void)state;
    rng = mus_rng_make(55, 0);
    for (int round = 0; round < 16; round++) {
        bool even = round & 1;
        mus_material m = plate(false);
        m.warp_angle = 0.35 * (round / 8);
        mus_cloth *cloth = make(&m, irregular(16, 0.2, even ? 0 : 0.25));
        double turn = round / 2 % 4 * 0.25 * 3.141592653589793, kappa = 0.01, sum = 0, all = 0;
        mus_rigidity d = mus_material_rigidity(&m);
        double c = mus_cos(turn), s = mus_sin(turn), strip = d.warp * c * c * c * c + d.weft * s * s * s * s;
        strip += 4 * d.twist * c * c * s * s;
        v3 along = v3_make(mus_cos(turn + m.warp_angle), 0, mus_sin(turn + m.warp_angle));
        for (int32_t i = 0; i < cloth->vertex_count; i++) {
            double t = v3_dot(along, v3_load(cloth->x + 3 * i));
            cloth->x[3 * i + 1] = 0.5 * kappa * t * t;
        }
        mus_bend bend;
        must(mus_bend_create(cloth, &bend));
        mus_bend_relax(cloth, (v3 *)cloth->x, &bend);
        for (int32_t k = 0; k < cloth->sheet->plate_count; k++) {
            const int32_t *v = cloth->sheet->plates[k].vertex;
            bool inner = true; /* away from free edges, which are without moment */
            for (int i = 0; i < 3; i++)
                inner = inner && fabs(cloth->x[3 * v[i]]) < 0.06 && fabs(cloth->x[3 * v[i] + 2]) < 0.06;
            if (!inner) continue;
            sum += mus_plate_energy(cloth, k, &bend, (v3 *)cloth->x, NULL, NULL, false);
            all += 0.5 * cloth->sheet->plates[k].weight * strip * kappa * kappa;
        }
        if (!(fabs(sum / all - 1) < 1e-3)) fail_msg("round %d: %g of the strip's energy", round, sum / all);
        mus_bend_free(&bend);
        mus_cloth_free(cloth);
    }
}

/* Faces whose vertices are pinned are a clamp: a sheet that leaves it with a constant curvature has the energy of that
 * curvature up to the clamp's edge, and the clamp itself has none. As elastic faces they had a part of it. */
static void test_clamp(void **state) {
    (void)state;
    rng = mus_rng_make(58, 0);
    for (int round = 0; round < 2; round++) {
        enum { N = 16 };
        mus_material m = plate(round == 1);
        m.warp_angle = 0;
        mus_cloth *cloth = make(&m, irregular(N, 0.2, 0));
        const double h = 0.2 / (N - 1), edge = -0.1 + 2 * h, kappa = 0.01;
        cloth->pins = mus_new(sizeof *cloth->pins * (size_t)cloth->vertex_count);
        memset(cloth->pins, 0, sizeof *cloth->pins * (size_t)cloth->vertex_count);
        for (int32_t i = 0; i < cloth->vertex_count; i++) {
            double *x = cloth->x + 3 * i, along = x[0] - edge;
            if (i % N <= 2)
                cloth->pins[i].kind = MUS_PIN_PLACE;
            else
                x[1] = 0.5 * kappa * along * along;
        }
        mus_bend bend;
        must(mus_bend_create(cloth, &bend));
        mus_bend_relax(cloth, (v3 *)cloth->x, &bend);
        double clamped = 0, sum = 0, all = 0;
        for (int32_t k = 0; k < cloth->sheet->plate_count; k++) {
            const int32_t *v = cloth->sheet->plates[k].vertex;
            double energy = mus_plate_energy(cloth, k, &bend, (v3 *)cloth->x, NULL, NULL, false);
            int last = 0;
            for (int i = 0; i < 3; i++) last = v[i] % N > last ? v[i] % N : last;
            if (last <= 2) clamped += energy;
            if (last <= 2 || last > 8) continue;
            sum += energy, all += 0.5 * cloth->sheet->plates[k].weight * m.bending_warp * kappa * kappa;
        }
        if (!(fabs(sum / all - 1) < 1e-3 && clamped < 1e-6 * all))
            fail_msg("round %d: %g of the sheet's energy, %g in the clamp", round, sum / all, clamped / all);
        mus_bend_free(&bend);
        mus_cloth_free(cloth);
    }
}

/* Least energy over the offsets, and its slope along a direction against the forces. */
static double least_energy(const mus_cloth *cloth, const v3 *x, mus_bend *bend) {
    double sum = 0;
    mus_bend_relax(cloth, x, bend);
    for (int32_t k = 0; k < cloth->sheet->plate_count; k++)
        sum += mus_plate_energy(cloth, k, bend, x, NULL, NULL, false);
    return sum;
}

static void test_forces(void **state) {
    (void)state;
    rng = mus_rng_make(57, 0);
    for (int round = 0; round < 9; round++) {
        mus_material m = plate(round % 3 == 2);
        mus_cloth *cloth = crumpled(&m, 4e-3, round % 3 == 1);
        size_t n = (size_t)cloth->vertex_count, bytes = sizeof(v3) * n;
        mus_bend bend;
        must(mus_bend_create(cloth, &bend));
        const double step = 1e-6;
        v3 *x = (v3 *)cloth->x, *still = calloc(1, bytes), *f = calloc(1, bytes), *p = malloc(bytes),
           *at = malloc(bytes);
        double got = 0, size = 0;
        mus_plate_forces(cloth, x, still, &bend, f);
        for (size_t i = 0; i < n; i++) {
            p[i] = random_direction(&rng), at[i] = v3_axpy(step, p[i], x[i]);
            got -= v3_dot(p[i], f[i]), size += fabs(v3_dot(p[i], f[i]));
        }
        double up = least_energy(cloth, at, &bend);
        for (size_t i = 0; i < n; i++) at[i] = v3_axpy(-step, p[i], x[i]);
        double wanted = (up - least_energy(cloth, at, &bend)) / (2 * step);
        if (!(fabs(got - wanted) < 1e-5 * size)) fail_msg("round %d: %.9g, slope %.9g of %g", round, got, wanted, size);
        free(still), free(f), free(p), free(at);
        mus_bend_free(&bend);
        mus_cloth_free(cloth);
    }
}

/* The matrix of the step is the energies' Hessian at fixed offsets, where the cloth is flat; with f elastic, the right
 * side is dt f - H v. */
static void test_linearized(void **state) {
    (void)state;
    rng = mus_rng_make(56, 0);
    for (int round = 0; round < 2; round++) {
        mus_material m = plate(round == 1);
        mus_cloth *cloth = crumpled(&m, 0, false);
        size_t n = (size_t)cloth->vertex_count, bytes = sizeof(v3) * n;
        mus_dynamics *d;
        must(mus_dynamics_create(cloth, &d));
        const double dt = 0.01;
        v3 *x = (v3 *)cloth->x, *right = calloc(1, bytes), *p = calloc(1, bytes), *wanted = calloc(1, bytes);
        for (size_t i = 0; i < n; i++) p[i].y = mus_rng_between(&rng, -1, 1);
        mus_block_matrix_clear(&d->matrix, 1);
        mus_plate_linearize(cloth, d->plate_pair, x, p, dt, &d->bend, right, &d->matrix);
        for (int32_t k = 0; k < cloth->sheet->plate_count; k++) {
            const int32_t *v = cloth->sheet->plates[k].vertex;
            m3 h[6][6];
            mus_plate_energy(cloth, k, &d->bend, x, NULL, h, true);
            for (int c = 0; c < 36; c++) {
                if (v[c / 6] < 0 || v[c % 6] < 0) continue;
                v3 hp = m3_mul_v3(&h[c / 6][c % 6], p[v[c % 6]]);
                wanted[v[c / 6]] = v3_axpy(dt * dt + dt * m.bending_damping, hp, wanted[v[c / 6]]);
            }
        }
        double largest = 0, worst = 0, off = 0;
        for (size_t i = 0; i < n; i++) {
            v3 hp = mus_block_matrix_row(&d->matrix, (int32_t)i, p);
            largest = fmax(largest, v3_length(hp));
            worst = fmax(worst, v3_length(v3_sub(hp, wanted[i])));
            off = fmax(off, v3_length(v3_add(hp, right[i])));
        }
        if (!(largest > 0 && worst < 1e-10 * largest && off < 1e-9 * largest))
            fail_msg("%g, %g of %g", worst, off, largest);
        free(right), free(p), free(wanted);
        mus_dynamics_free(d);
        mus_cloth_free(cloth);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_derivatives), cmocka_unit_test(test_projection),
                                       cmocka_unit_test(test_balance),     cmocka_unit_test(test_rigid),
                                       cmocka_unit_test(test_curvature),   cmocka_unit_test(test_linearized),
                                       cmocka_unit_test(test_forces),      cmocka_unit_test(test_clamp)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
