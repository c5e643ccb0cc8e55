/* test_newton.c: Newton's rounds, descent, the coarse level and the momentum correction of the potential family against
 * dense matrices; 6x6 blocks and the projection to positive semidefinite ones. */
#include "solve_kit.h"

#include "linear/psd.h"

enum { SIDE = 6, N = SIDE * SIDE + 3, SIZE = 3 * N };

static const double dt = 0.01;

/* ---- dense matrices ---- */

typedef struct dense {
    double a[SIZE * SIZE];
} dense;

static void add_dense_block(dense *m, int32_t i, int32_t j, double sign, const mus_sym3 *b) {
    const double block[3][3] = {{b->xx, b->xy, b->xz}, {b->xy, b->yy, b->yz}, {b->xz, b->yz, b->zz}};
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) m->a[(3 * i + r) * SIZE + 3 * j + c] += sign * block[r][c];
}

static void fill_dense(const mus_block_matrix *m, int32_t first, dense *out) {
    for (int32_t i = 0; i < m->n; i++) {
        add_dense_block(out, first + i, first + i, 1, &m->diagonal[i]);
        for (int32_t e = m->upper_start[i]; e < m->upper_start[i + 1]; e++) {
            mus_sym3 block = {0};
            mus_sym3_add(&block, 1, v3_make(m->pair[e].w[0], m->pair[e].w[1], m->pair[e].w[2]), m->pair[e].t);
            int32_t p = first + i, q = first + m->higher[e];
            add_dense_block(out, p, p, 1, &block), add_dense_block(out, q, q, 1, &block);
            add_dense_block(out, p, q, -1, &block), add_dense_block(out, q, p, -1, &block);
        }
    }
}

/* Solves A x = b for symmetric positive definite A of n rows by Cholesky's factorization, in place. */
static void dense_cholesky(double *a, int n, int stride, double *x) {
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            double sum = a[i * stride + j];
            for (int k = 0; k < j; k++) sum -= a[i * stride + k] * a[j * stride + k];
            if (i == j) assert_true(sum > 0);
            a[i * stride + j] = i == j ? sqrt(sum) : sum / a[j * stride + j];
        }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) x[i] -= a[i * stride + k] * x[k];
        x[i] /= a[i * stride + i];
    }
    for (int i = n; i-- > 0;) {
        for (int k = i + 1; k < n; k++) x[i] -= a[k * stride + i] * x[k];
        x[i] /= a[i * stride + i];
    }
}

static v3 dense_row(const dense *m, int32_t i, const v3 *p) {
    double sum[3] = {0, 0, 0};
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < SIZE; k++) sum[c] += m->a[(3 * i + c) * SIZE + k] * ((const double *)p)[k];
    return v3_load(sum);
}

/* ---- a problem ---- */

typedef struct problem {
    solve_kit kit;
    mus_newton *newton;
    dense matrix;
    mus_rng rng;
} problem;

/* A grid and a face, with random masses, stiffness between neighbors, and right side; vertex 7 is fixed. */
static problem *begin_problem(uint64_t seed, const mus_minimizer *minimizer) {
    problem *p = calloc(1, sizeof *p);
    const kit_surface surface = {.thickness = 1e-3};
    p->rng = mus_rng_make(seed, 0);
    kit_add_mesh(&p->kit, grid_mesh(SIDE, SIDE, 0.1, 0.1, "xz", v3_make(0, 0, 0)), NULL, surface);
    kit_add_face(&p->kit, v3_make(0, 0.002, 0), v3_make(0.1, 0.1, 0), v3_make(0, 0.1, 0.1), surface);
    kit_begin(&p->kit, kit_potential_def(minimizer));
    mus_newton *s = p->newton = &p->kit.solver.potential->newton;
    s->assembly = p->kit.a, s->dt = dt;
    kit_set_mass(&p->kit, 7, 0);
    for (int32_t k = 0; k < 2; k++) {
        mus_block_matrix *m = s->matrix[k];
        mus_block_matrix_clear(m, 1);
        for (int32_t i = 0; i < m->n; i++)
            mus_sym3_add(&m->diagonal[i], 1e-3, random_direction(&p->rng), mus_rng_between(&p->rng, 1e-3, 2e-3));
        for (int32_t e = 0; e < m->pair_count; e++) {
            double stiffness = mus_rng_between(&p->rng, 0, 0.05);
            mus_pair_block_add(&m->pair[e], stiffness, random_direction(&p->rng), 0.1 * stiffness);
        }
        fill_dense(m, p->kit.a->objects[k].first, &p->matrix);
    }
    memcpy(s->place, p->kit.a->x0, sizeof(v3) * N);
    for (int32_t i = 0; i < N; i++) {
        s->right[i] = v3_scale(1e-5, random_direction(&p->rng));
        s->scale[i] = v3_make(1e-7, 1e-7, 1e-7); /* a gram in a hundredth of a second at 1 m/s^2 */
    }
    return p;
}

static void end_problem(problem *p) {
    kit_end(&p->kit);
    free(p);
}

/* Solution without contacts. */
static void solve_dense(const problem *p, v3 *x) {
    dense *m = malloc(sizeof *m);
    *m = p->matrix;
    memcpy(x, p->newton->right, sizeof(v3) * N);
    for (int32_t i = 0; i < N; i++) {
        if (p->kit.a->inverse_mass[i] > 0) continue;
        for (int r = 3 * i; r < 3 * i + 3; r++) {
            for (int k = 0; k < SIZE; k++) m->a[r * SIZE + k] = m->a[k * SIZE + r] = 0;
            m->a[r * SIZE + r] = 1;
        }
        x[i] = v3_make(0, 0, 0);
    }
    dense_cholesky(m->a, SIZE, SIZE, (double *)x);
    free(m);
}

static int run_rounds(problem *p, double tolerance, int32_t limit, int most) {
    mus_newton_result result = {0};
    mus_newton_begin(p->newton);
    for (int round = 0; round < most; round++)
        if (mus_newton_round(p->newton, NULL, tolerance, limit, &result)) return round;
    return most;
}

static double largest(const v3 *x) {
    double most = 0;
    for (int32_t i = 0; i < N; i++) most = fmax(most, v3_length(x[i]));
    return most;
}

static void newton_without_contacts_is_the_dense_solution(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed < 5; seed++) {
        problem *p = begin_problem(seed, &mus_minimizer_newton);
        v3 wanted[N];
        solve_dense(p, wanted);
        assert_true(run_rounds(p, 1e-8, 400, 40) < 40);
        for (int32_t i = 0; i < N; i++) near_vector(p->newton->u[i], wanted[i], 1e-8 * largest(wanted), "displacement");
        near_vector(p->newton->u[7], v3_make(0, 0, 0), 0, "a fixed vertex");
        near_vector(p->newton->trial[3], v3_add(p->newton->place[3], p->newton->u[3]), 1e-15, "trial position");
        end_problem(p);
    }
}

static void guess_in_the_right_direction_saves_iterations(void **state) {
    (void)state;
    int32_t iterations[2];
    for (int guided = 0; guided < 2; guided++) {
        problem *p = begin_problem(2, &mus_minimizer_newton);
        v3 guess[N];
        solve_dense(p, guess);
        for (int32_t i = 0; i < N; i++) guess[i] = v3_scale(100, guess[i]); /* only its direction counts */
        mus_newton_result result = {0};
        mus_newton_begin(p->newton);
        mus_newton_round(p->newton, guided ? guess : NULL, 1e-6, 400, &result);
        iterations[guided] = result.iterations;
        end_problem(p);
    }
    assert_true(iterations[1] == 0 && iterations[0] > 0);
}

static void product_with_general_blocks_is_that_of_the_dense_matrix(void **state) {
    (void)state;
    problem *p = begin_problem(3, &mus_minimizer_newton);
    mus_block_matrix *m = p->newton->matrix[0];
    must(mus_block_matrix_make_general(m));
    dense *full = calloc(1, sizeof *full);
    fill_dense(m, 0, full);
    for (int32_t i = 0; i < m->n; i++)
        for (int32_t e = m->upper_start[i]; e < m->upper_start[i + 1]; e++) {
            m3 block;
            for (int r = 0; r < 3; r++) block.r[r] = random_direction(&p->rng);
            mus_block_matrix_add_pair(m, e, true, &block);
            int32_t j = m->higher[e];
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++) {
                    /* symmetric and skew parts: both diagonals have their negative, of the row's own block */
                    double v = v3_get(block.r[r], c), transposed = v3_get(block.r[c], r);
                    full->a[(3 * i + r) * SIZE + 3 * j + c] += v, full->a[(3 * j + r) * SIZE + 3 * i + c] += transposed;
                    full->a[(3 * i + r) * SIZE + 3 * i + c] -= v, full->a[(3 * j + r) * SIZE + 3 * j + c] -= transposed;
                }
        }
    v3 x[N], out[N];
    for (int32_t i = 0; i < N; i++) x[i] = random_direction(&p->rng);
    mus_block_matrix_multiply(m, x, out, 1);
    for (int32_t i = 0; i < m->n; i++) {
        near_vector(out[i], dense_row(full, i, x), 1e-6, "row of the product");
        near_vector(mus_block_matrix_row(m, i, x), out[i], 1e-12, "the same row alone");
    }
    free(full);
    end_problem(p);
}

/* ---- contacts ---- */

static const double contact_radius = 2e-3, stiffness = 400;

/* The tip of the face over the grid, with the given friction limit; its slip begins at 0. */
static mus_ogc_term *add_term(problem *p, double friction_limit) {
    mus_candidate_pair c = kit_pair(&p->kit, SIDE * SIDE, 14, 15, 20, false);
    mus_ogc_term t = {.count = 4, .radius = contact_radius, .stiffness = stiffness, .least = MUS_OGC_LEAST};
    v3 d;
    memcpy(t.vertex, c.vertex, sizeof t.vertex);
    mus_candidate_pair_nearest(&c, p->kit.a->x0, &d, t.weight);
    t.normal = v3_make(0, 1, 0);
    t.rest = mus_ogc_sum(&t, p->kit.a->x0);
    t.friction_limit = friction_limit;
    assert_true(mus_array_push(&p->newton->terms, t));
    return &p->newton->terms.data[p->newton->terms.count - 1];
}

/* N: on the vector from side B to side A, by the formulas of ogc.h. */
static v3 contact_force(const mus_ogc_term *t, v3 vector) {
    double d = v3_dot(t->normal, vector), r = contact_radius, eps = MUS_OGC_STICK_SPEED * dt;
    double normal = d >= r ? 0 : d >= r / 2 ? stiffness * (r - d) : stiffness * r * r / 4 / d;
    v3 slip = v3_sub(vector, t->rest);
    slip = v3_axpy(-v3_dot(t->normal, slip), t->normal, slip);
    double length = v3_length(slip), y = length / eps, friction = t->friction_limit * (y < 1 ? y * (2 - y) : 1);
    return v3_axpy(normal, t->normal, length > 0 ? v3_scale(-friction / length, slip) : slip);
}

/* Largest residual of a free vertex at the iterate, kg m. */
static double residual_at_solution(const problem *p) {
    const mus_newton *s = p->newton;
    double worst = 0;
    v3 force[N] = {{0, 0, 0}};
    for (int64_t k = 0; k < s->terms.count; k++) {
        const mus_ogc_term *t = &s->terms.data[k];
        v3 vector = v3_make(0, 0, 0);
        for (int c = 0; c < 4; c++)
            vector = v3_axpy(t->weight[c], v3_add(s->place[t->vertex[c]], s->u[t->vertex[c]]), vector);
        for (int c = 0; c < 4; c++)
            force[t->vertex[c]] = v3_axpy(t->weight[c], contact_force(t, vector), force[t->vertex[c]]);
    }
    for (int32_t i = 0; i < N; i++) {
        if (!(s->assembly->inverse_mass[i] > 0)) continue;
        v3 left = v3_sub(v3_axpy(dt * dt, force[i], s->right[i]), dense_row(&p->matrix, i, s->u));
        worst = fmax(worst, v3_length(left));
    }
    return worst;
}

static void newton_with_a_contact_finds_zero_force(void **state) {
    (void)state;
    const double load[] = {-3e-7, -2e-5, -4e-4}; /* kg m: open contact, linear law, logarithmic law */
    for (int k = 0; k < 3; k++) {
        problem *p = begin_problem(4, &mus_minimizer_newton);
        if (k == 0) p->newton->place[SIDE * SIDE].y = 3e-3;
        mus_ogc_term *t = add_term(p, 0);
        for (int32_t i = 0; i < N; i++) p->newton->right[i] = v3_make(0, 0, 0);
        p->newton->right[SIDE * SIDE] = v3_make(0, load[k], 0);
        assert_true(run_rounds(p, 1e-6, 400, 100) < 100);
        near(residual_at_solution(p) / 1e-5, 0, 1e-6, "residual");
        const double bound[] = {INFINITY, contact_radius, contact_radius / 2, 0};
        assert_true(t->distance < bound[k] && t->distance > bound[k + 1]);
        end_problem(p);
    }
}

static void newton_with_friction_sticks_below_its_limit_and_slides_above(void **state) {
    (void)state;
    for (int slides = 0; slides < 2; slides++) {
        problem *p = begin_problem(5, &mus_minimizer_newton);
        const double limit = slides ? 0.02 : 0.5; /* N */
        mus_ogc_term *t = add_term(p, limit);
        for (int32_t i = 0; i < N; i++) p->newton->right[i] = v3_make(0, 0, 0);
        p->newton->right[SIDE * SIDE] = v3_make(1e-5, -4e-5, 0); /* of 0.1 N along the grid */
        assert_true(run_rounds(p, 1e-6, 400, 100) < 100);
        near(residual_at_solution(p) / 1e-5, 0, 1e-6, "residual");
        v3 force = mus_ogc_force(t);
        double friction = v3_length(v3_make(force.x, 0, force.z)), slip = v3_length(t->slip);
        if (slides)
            near(friction, limit, 1e-9, "friction at its limit");
        else
            assert_true(friction < limit && slip < MUS_OGC_STICK_SPEED * dt);
        assert_true(v3_dot(force, t->slip) < 0);
        end_problem(p);
    }
}

static void contact_that_begins_in_the_step_is_found(void **state) {
    (void)state;
    problem *p = begin_problem(6, &mus_minimizer_newton);
    p->newton->place[SIDE * SIDE].y = 5e-3; /* out of the radius */
    mus_ogc_term *t = add_term(p, 0);
    p->newton->right[SIDE * SIDE] = v3_make(0, -2e-4, 0);
    assert_true(run_rounds(p, 1e-6, 400, 100) < 100);
    assert_true(t->distance < contact_radius && t->distance > 0);
    near(residual_at_solution(p) / 1e-5, 0, 1e-6, "residual");
    end_problem(p);
}

static void descent_reaches_the_dense_solution(void **state) {
    (void)state;
    problem *p = begin_problem(7, &mus_minimizer_vbd);
    v3 wanted[N];
    solve_dense(p, wanted);
    must(mus_descent_contacts(p->newton->descent, &p->newton->terms, &p->newton->rigid_bodies));
    int rounds = run_rounds(p, 1e-6, 20, 100);
    assert_true(rounds < 100);
    for (int32_t i = 0; i < N; i++) near_vector(p->newton->u[i], wanted[i], 1e-5 * largest(wanted), "displacement");
    end_problem(p);
}

static void descent_with_a_contact_finds_zero_force(void **state) {
    (void)state;
    problem *p = begin_problem(8, &mus_minimizer_vbd);
    add_term(p, 0.02);
    p->newton->right[SIDE * SIDE] = v3_make(1e-5, -4e-5, 0);
    must(mus_descent_contacts(p->newton->descent, &p->newton->terms, &p->newton->rigid_bodies));
    assert_true(run_rounds(p, 1e-4, 20, 200) < 200);
    near(residual_at_solution(p) / 1e-5, 0, 1e-3, "residual");
    end_problem(p);
}

static double goal_energy(void *context, const v3 *x) {
    const v3 *goal = context;
    double sum = 0;
    for (int32_t i = 0; i < N; i++) sum += v3_length2(v3_sub(x[i], goal[i]));
    return sum;
}

/* The least energy lies at a fifth of the step: the whole step and half of it raise it, a quarter does not. */
static void line_search_halves_until_the_energy_falls(void **state) {
    (void)state;
    problem *p = begin_problem(9, &mus_minimizer_newton);
    v3 goal[N], wanted[N];
    mus_newton_begin(p->newton);
    for (int32_t i = 0; i < N; i++) {
        p->newton->u[i] = v3_scale(1e-3, random_direction(&p->rng));
        goal[i] = v3_axpy(0.2, p->newton->u[i], p->newton->place[i]);
        wanted[i] = v3_axpy(0.25, p->newton->u[i], p->newton->place[i]);
        p->newton->trial[i] = v3_add(p->newton->place[i], p->newton->u[i]);
    }
    p->newton->energy = goal_energy, p->newton->context = goal;
    mus_newton_end(p->newton);
    for (int32_t i = 0; i < N; i++) near_vector(p->newton->place[i], wanted[i], 1e-15, "new iterate");
    end_problem(p);
}

static void friction_limit_is_mu_times_the_normal_force(void **state) {
    (void)state;
    problem *p = begin_problem(10, &mus_minimizer_newton);
    mus_ogc_term *t = add_term(p, 0);
    p->newton->place[SIDE * SIDE].y = 1.5e-3;
    mus_contact_constraint constraint = {.friction = 0.4};
    mus_newton_load_friction(p->newton, &constraint);
    near(t->friction_limit, 0.4 * stiffness * 0.5e-3, 1e-12, "limit");
    end_problem(p);
}

/* ---- the coarse level ---- */

/* z = Z (Z^T A Z)^-1 Z^T r with Z the common motions of each group's free vertices. */
static void coarse_correction_is_the_dense_one(void **state) {
    (void)state;
    problem *p = begin_problem(11, &mus_minimizer_newton);
    mus_coarse *c = &p->newton->coarse;
    int32_t groups = c->group_count, n = 3 * groups;
    assert_true(groups == 5 && c->vertex_count == N);
    const double *inverse_mass = p->kit.a->inverse_mass;
    const int32_t vertex[4] = {36, 14, 15, 20};
    const double weight[4] = {1, -0.2, -0.3, -0.5};
    mus_sym3 block = {0};
    mus_sym3_add(&block, 0.3, random_direction(&p->rng), 0.02);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            mus_sym3 b = block;
            add_dense_block(&p->matrix, vertex[i], vertex[j], weight[i] * weight[j], &b);
        }
    mus_coarse_clear(c);
    for (int k = 0; k < 2; k++)
        mus_coarse_add_matrix(c, p->newton->matrix[k], p->kit.a->objects[k].first, inverse_mass);
    mus_coarse_add_contact(c, vertex, weight, 4, &block, inverse_mass);
    mus_coarse_factor(c);
    double e[15 * 15] = {0}, x[15] = {0};
    v3 r[N], z[N] = {{0, 0, 0}};
    for (int32_t i = 0; i < N; i++) r[i] = random_direction(&p->rng);
    for (int i = 0; i < SIZE; i++) {
        if (!(inverse_mass[i / 3] > 0)) continue;
        int row = 3 * c->group_of[i / 3] + i % 3;
        x[row] += ((double *)r)[i];
        for (int j = 0; j < SIZE; j++)
            if (inverse_mass[j / 3] > 0) e[row * 15 + 3 * c->group_of[j / 3] + j % 3] += p->matrix.a[i * SIZE + j];
    }
    dense_cholesky(e, n, 15, x);
    double rz = mus_coarse_apply(c, inverse_mass, r, z), wanted = 0;
    for (int32_t i = 0; i < N; i++) {
        v3 by = inverse_mass[i] > 0 ? v3_load(x + 3 * c->group_of[i]) : v3_make(0, 0, 0);
        near(v3_length(v3_sub(z[i], by)) / v3_length(v3_load(x)), 0, 1e-7, "correction");
        wanted += v3_dot(r[i], z[i]);
    }
    near(rz / wanted, 1, 1e-9, "r.z");
    end_problem(p);
}

/* Groups are of one cloth each, and of vertices that are near each other. */
static void coarse_groups_divide_each_cloth(void **state) {
    (void)state;
    problem *p = begin_problem(12, &mus_minimizer_newton);
    const mus_coarse *c = &p->newton->coarse;
    int count[5] = {0};
    for (int32_t i = 0; i < N; i++) {
        count[c->group_of[i]]++;
        assert_int_equal(c->group_of[i] == 4, i >= SIDE * SIDE);
    }
    for (int g = 0; g < 4; g++) {
        assert_int_equal(count[g], SIDE * SIDE / 4);
        v3 lo = v3_make(1, 1, 1), hi = v3_neg(lo);
        for (int32_t i = 0; i < SIDE * SIDE; i++)
            if (c->group_of[i] == g) {
                v3 x = p->kit.a->x0[i];
                lo = v3_make(fmin(lo.x, x.x), 0, fmin(lo.z, x.z)), hi = v3_make(fmax(hi.x, x.x), 0, fmax(hi.z, x.z));
            }
        near(hi.x - lo.x, 0.04, 1e-9, "width of a quarter");
        near(hi.z - lo.z, 0.04, 1e-9, "length of a quarter");
    }
    end_problem(p);
}

/* ---- momentum ---- */

static v3 missing_momentum(const problem *p, const v3 *x, int32_t first, int32_t end) {
    const mus_potential *of = p->kit.solver.potential;
    v3 sum = v3_make(0, 0, 0);
    for (int32_t i = first; i < end; i++)
        sum = v3_add(
            sum, v3_add(mus_sym3_mul(&of->model.inertia[i], v3_sub(of->model.target[i], x[i])), of->model.impulse[i]));
    return sum;
}

static void momentum_correction_leaves_no_residual_of_free_groups(void **state) {
    (void)state;
    enum { APART, JOINED, ON_A_PLANE, PINNED, CASES };
    for (int how = 0; how < CASES; how++) {
        problem *p = begin_problem(13, &mus_minimizer_newton);
        mus_potential *of = p->kit.solver.potential;
        v3 x[N], before[N];
        if (how != PINNED) kit_set_mass(&p->kit, 7, 1e-3);
        for (int32_t i = 0; i < N; i++) {
            of->model.inertia[i] = (mus_sym3){0};
            mus_sym3_add(&of->model.inertia[i], 1e-3, random_direction(&p->rng), 2e-3);
            of->model.target[i] = v3_axpy(1e-3, random_direction(&p->rng), p->kit.a->x0[i]);
            of->model.impulse[i] = v3_scale(1e-6, random_direction(&p->rng));
            x[i] = before[i] = p->kit.a->x0[i];
        }
        if (how == JOINED || how == PINNED) add_term(p, 0);
        if (how == ON_A_PLANE) {
            mus_ogc_term plane = {.vertex = {3, 3, 3, 3}, .count = 1, .weight = {1}};
            assert_true(mus_array_push(&p->newton->terms, plane));
        }
        mus_momentum_correction_cloths cloths = {of->model.inertia, of->model.target, of->model.impulse, x};
        mus_momentum_correction_apply(p->kit.a, &p->newton->terms, &cloths, &p->newton->rigid_bodies, NULL,
                                      of->momentum_correction);
        int32_t grid = SIDE * SIDE;
        double unit = v3_length(missing_momentum(p, before, 0, N)) + 1e-6;
        double left[3] = {v3_length(missing_momentum(p, x, 0, grid)) / unit,
                          v3_length(missing_momentum(p, x, grid, N)) / unit,
                          v3_length(missing_momentum(p, x, 0, N)) / unit};
        bool moved[2] = {memcmp(x, before, sizeof(v3) * (size_t)grid) != 0,
                         memcmp(x + grid, before + grid, sizeof(v3) * 3) != 0};
        if (how == APART) assert_true(left[0] < 1e-12 && left[1] < 1e-12);
        if (how == JOINED) assert_true(left[2] < 1e-12 && left[0] > 1e-3 && moved[0] && moved[1]);
        if (how == ON_A_PLANE) assert_true(left[1] < 1e-12 && !moved[0]);
        if (how == PINNED) assert_true(!moved[0] && !moved[1]);
        for (int32_t i = 1; i < grid; i++) /* a translation */
            near_vector(v3_sub(x[i], before[i]), v3_sub(x[0], before[0]), 1e-15, "shift");
        end_problem(p);
    }
}

/* ---- rigid bodies among the unknowns ---- */

static void motion_and_force_of_bodies_are_adjoint(void **state) {
    (void)state;
    solve_kit kit = {0};
    mus_rng rng = mus_rng_make(14, 0);
    kit_add_box(&kit, v3_make(0, 0, 0), v3_make(0.1, 0.1, 0.1), 0.5);
    kit_add_box(&kit, v3_make(0, 0.1005, 0), v3_make(0.08, 0.1, 0.12), 0.8);
    kit_begin(&kit, kit_potential_def(&mus_minimizer_newton));
    mus_newton_rigid_bodies *set = &kit.solver.potential->newton.rigid_bodies;
    assert_int_equal(set->count, 2);
    for (int k = 0; k < 2; k++) {
        const mus_rigid_step *r = &kit.a->rigids[k];
        set->list[k].mass = r->of->mass,
        set->list[k].inertia = mus_rigid_inertia(r->of, kit.a->objects[k].pose0.rotation);
        set->list[k].center0 = r->center0;
    }
    mus_candidate_pair c = kit_pair(&kit, 8, 2, 3, 7, false);
    mus_contact_constraint constraint;
    const double weight[4] = {1, -0.2, -0.3, -0.5};
    assert_true(mus_contact_from_geometry(kit.a, &c, weight, v3_make(0, 1, 0), 0, dt, &constraint));
    mus_ogc_term t = mus_ogc_term_of(kit.a, &constraint, 0);
    must(mus_newton_rigid_bodies_add_contact(set, &constraint, &t));
    mus_ogc_list terms = {.data = &t, .count = 1, .capacity = 1};
    mus_newton_rigid_bodies_update_arms(set, &terms, kit.a->x0);
    assert_true(set->list[0].in_contact && set->list[1].in_contact);
    v3 motion[4], out[4] = {{0, 0, 0}}, force = random_direction(&rng);
    for (int k = 0; k < 4; k++) motion[k] = random_direction(&rng);
    mus_newton_rigid_bodies_scatter(set, &t, 2, force, out);
    double work = 0;
    for (int k = 0; k < 4; k++) work += v3_dot(motion[k], out[k]);
    near(work, 2 * v3_dot(mus_newton_rigid_bodies_relative_motion(set, &t, motion), force), 1e-12, "work");
    near_vector(v3_add(out[0], out[2]), v3_make(0, 0, 0), 1e-15, "equal and opposite forces");
    mus_newton_rigid_bodies_multiply(set, motion, out);
    double energy = 0, wanted = 0;
    for (int k = 0; k < 4; k++) energy += v3_dot(motion[k], out[k]);
    for (int k = 0; k < 2; k++) {
        v3 w = motion[2 * k + 1], s = k ? v3_make(0.08, 0.1, 0.12) : v3_make(0.1, 0.1, 0.1);
        double m = k ? 0.8 : 0.5;
        wanted += m * v3_length2(motion[2 * k]) +
                  m / 12 *
                      ((s.y * s.y + s.z * s.z) * w.x * w.x + (s.x * s.x + s.z * s.z) * w.y * w.y +
                       (s.x * s.x + s.y * s.y) * w.z * w.z);
    }
    near(energy, wanted, 1e-12, "twice the kinetic energy");
    kit_end(&kit);
}

static void block6_factor_solves_the_dense_system(void **state) {
    (void)state;
    mus_rng rng = mus_rng_make(15, 0);
    for (int round = 0; round < 50; round++) {
        double block[36], full[36], x[6];
        m3 inertia = {{{2e-3, 3e-4, 0}, {3e-4, 1e-3, 1e-4}, {0, 1e-4, 3e-3}}};
        mus_block6_begin(block, 0.5, &inertia);
        for (int contact = 0; contact < 4; contact++) { /* k n n^T at random contact arms */
            v3 arm = v3_scale(0.1, random_direction(&rng)), n = random_direction(&rng);
            for (int k = 0; k < 6; k++) {
                double along = v3_dot(n, mus_block6_motion(k, arm));
                mus_block6_add(block, k, arm, v3_scale(30 * along, n));
            }
        }
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++) near(block[6 * i + j], block[6 * j + i], 1e-12, "symmetric");
        memcpy(full, block, sizeof full);
        v3 b[2] = {random_direction(&rng), random_direction(&rng)};
        memcpy(x, b, sizeof x);
        dense_cholesky(full, 6, 6, x);
        mus_block6_factor(block);
        mus_block6_solve(block, b);
        for (int k = 0; k < 6; k++) near(((double *)b)[k], x[k], 1e-9 * fmax(1, fabs(x[k])), "solution");
    }
}

/* The nearest positive semidefinite matrix P of A is the only one with P and P - A positive semidefinite and P (P - A)
 * = 0 (Moreau's decomposition). */
static void psd_projection_satisfies_moreaus_decomposition(void **state) {
    (void)state;
    mus_rng rng = mus_rng_make(16, 0);
    const int sizes[] = {3, 6, 9, 12, 18};
    for (int s = 0; s < 5; s++) {
        int n = sizes[s];
        double a[18 * 18], p[18 * 18], d[18 * 18], q[18 * 18];
        memset(a, 0, sizeof a);
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++) a[i * n + j] = a[j * n + i] = mus_rng_between(&rng, -1, 1);
        memcpy(p, a, sizeof p);
        mus_project_psd(p, n);
        double trace = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double sum = 0;
                for (int k = 0; k < n; k++) sum += p[i * n + k] * (p[k * n + j] - a[k * n + j]);
                near(sum, 0, 1e-12, "product of both parts");
            }
        for (int part = 0; part < 2; part++) {
            for (int k = 0; k < n * n; k++) d[k] = part ? p[k] - a[k] : p[k];
            mus_eigen_symmetric(d, q, n);
            for (int k = 0; k < n; k++) {
                assert_true(d[k * n + k] > -1e-12);
                trace += d[k * n + k];
            }
        }
        assert_true(trace > 0.1);
        memcpy(d, p, sizeof d);
        mus_project_psd(d, n);
        for (int k = 0; k < n * n; k++) near(d[k], p[k], 1e-12, "projection of a projection");
    }
}

/* ---- soft pins to bodies ---- */

/* kg m^2: of pins of rest length 0 to points that a body's shift u[4] and turn u[5] move. */
static double pin_energy(const mus_newton *s, const v3 *u) {
    double sum = 0;
    for (int64_t k = 0; k < s->attachments.count; k++) {
        const mus_newton_attachment *t = &s->attachments.data[k];
        v3 vector = v3_add(v3_sub(v3_add(t->vector, u[t->vertex]), u[4]), v3_cross(t->arm, u[5]));
        sum += 0.5 * t->stiffness * v3_dot(vector, vector);
    }
    return sum;
}

/* Force, product with the stiffness, and slope and curvature of the line search are of one energy. */
static void soft_pins_have_one_energy(void **state) {
    (void)state;
    enum { UNKNOWNS = 6 }; /* four vertices, and shift and turn of a body */
    mus_rng rng = mus_rng_make(3, 0);
    v3 u[UNKNOWNS], change[UNKNOWNS], force[UNKNOWNS] = {{0}}, product[UNKNOWNS] = {{0}};
    mus_newton s = {.n = 4, .size = UNKNOWNS, .u = u, .change = change};
    for (int k = 0; k < 3; k++) {
        mus_newton_attachment t = {.vertex = k, .stiffness = 0.1 + 0.2 * k};
        t.arm = v3_scale(0.3, random_direction(&rng)), t.vector = v3_scale(0.2, random_direction(&rng));
        assert_true(mus_array_push(&s.attachments, t));
    }
    for (int k = 0; k < UNKNOWNS; k++) {
        u[k] = v3_scale(0.1, random_direction(&rng));
        change[k] = v3_scale(0.1, random_direction(&rng));
    }
    mus_newton_add_attachment_forces(&s, force);
    mus_newton_add_attachment_product(&s, change, product);
    for (int k = 0; k < 3 * UNKNOWNS; k++) { /* differences of a quadratic are exact */
        double *number = (double *)u + k, kept = *number, h = 1e-3, ends[2];
        for (int e = 0; e < 2; e++) *number = kept + (e ? h : -h), ends[e] = pin_energy(&s, u);
        *number = kept;
        near(((double *)force)[k], -(ends[1] - ends[0]) / (2 * h), 1e-12, "force");
    }
    double linear = 1, quadratic = 2, slope = 0, curvature = 0; /* added to those of others */
    mus_newton_attachments_along_change(&s, &linear, &quadratic);
    for (int k = 0; k < UNKNOWNS; k++) slope -= v3_dot(force[k], change[k]), curvature += v3_dot(product[k], change[k]);
    near(linear, 1 + slope, 1e-14, "slope of the line search");
    near(quadratic, 2 + curvature, 1e-14, "its curvature");
    v3 moved[UNKNOWNS];
    for (int k = 0; k < UNKNOWNS; k++) moved[k] = v3_axpy(0.7, change[k], u[k]);
    near(pin_energy(&s, moved) - pin_energy(&s, u), 0.7 * slope + 0.5 * 0.49 * curvature, 1e-14, "change of energy");
    mus_array_free(&s.attachments);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newton_without_contacts_is_the_dense_solution),
        cmocka_unit_test(guess_in_the_right_direction_saves_iterations),
        cmocka_unit_test(product_with_general_blocks_is_that_of_the_dense_matrix),
        cmocka_unit_test(newton_with_a_contact_finds_zero_force),
        cmocka_unit_test(newton_with_friction_sticks_below_its_limit_and_slides_above),
        cmocka_unit_test(contact_that_begins_in_the_step_is_found),
        cmocka_unit_test(descent_reaches_the_dense_solution),
        cmocka_unit_test(descent_with_a_contact_finds_zero_force),
        cmocka_unit_test(line_search_halves_until_the_energy_falls),
        cmocka_unit_test(friction_limit_is_mu_times_the_normal_force),
        cmocka_unit_test(coarse_correction_is_the_dense_one),
        cmocka_unit_test(coarse_groups_divide_each_cloth),
        cmocka_unit_test(momentum_correction_leaves_no_residual_of_free_groups),
        cmocka_unit_test(motion_and_force_of_bodies_are_adjoint),
        cmocka_unit_test(soft_pins_have_one_energy),
        cmocka_unit_test(block6_factor_solves_the_dense_system),
        cmocka_unit_test(psd_projection_satisfies_moreaus_decomposition),
    };
    return cmocka_run_group_tests(tests, NULL, kit_check_leaks);
}
