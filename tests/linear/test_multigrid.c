/* test_multigrid.c: the preconditioner is symmetric and positive, keeps constrained vertices fixed, needs few
 * iterations whatever the mesh, and gives the same bits on any number of threads. */
#include "../world/scene.h"

#include "linear/multigrid.h"

static mus_rng rng;

/* An implicit step of a square meter of waved cloth on side x side vertices: masses, springs along its edges and
 * diagonals, 400 N/m over 1/120 s. Of membrane faces instead, with general blocks. */
typedef struct sheet {
    mus_block_matrix m;
    int32_t n;
    int32_t *number; /* of the vertex at a place of the grid */
    double *free_rows;
    v3 *b, *guess, *x, *product;
} sheet;

typedef enum numbering { BY_ROWS, SHUFFLED } numbering;
typedef enum elements { SPRINGS, FACES, BENT } elements; /* BENT: springs, and lines of three that resist bending */

static v3 place(int32_t side, int32_t i, int32_t j) {
    double u = (double)i / (side - 1), v = (double)j / (side - 1);
    return v3_make(u, 0.03 * mus_sin(9 * u) + 0.02 * mus_sin(14 * v + 3 * u), v);
}

static const int32_t edges[6][2] = {{1, 0}, {0, 1}, {1, 1}, {-1, 1}, {2, 0}, {0, 2}};

static void add_spring(sheet *s, int32_t a, int32_t b, v3 between, double stiffness) {
    int32_t pair = mus_block_matrix_pair(&s->m, a, b, mus_block_matrix_place(&s->m, a, b));
    mus_pair_block_add(&s->m.pair[pair], stiffness, v3_normalized(between), 2e-3 * stiffness);
}

/* (a - 2 b + c)^2 = 2 (a - b)^2 + 2 (b - c)^2 - (a - c)^2, as stiff as the springs: a mesh of 1 mm. */
static void add_bending(sheet *s, int32_t side, int32_t i, int32_t j, double stiffness) {
    for (int e = 0; e < 2; e++) {
        int32_t u = edges[e][0], v = edges[e][1];
        if (i + 2 * u >= side || j + 2 * v >= side) continue;
        int32_t line[3];
        for (int k = 0; k < 3; k++) line[k] = s->number[i + k * u + (j + k * v) * side];
        for (int k = 0; k < 3; k++) {
            int32_t a = line[k], b = line[(k + 1) % 3];
            int32_t pair = mus_block_matrix_pair(&s->m, a, b, mus_block_matrix_place(&s->m, a, b));
            s->m.pair[pair].t += (float)(k < 2 ? 2 * stiffness : -stiffness);
        }
    }
}

/* Its energy is half the square of the sum of pull[c] . x[c]. */
static void add_face(sheet *s, const int32_t c[3], const v3 pull[3]) {
    for (int k = 0; k < 3; k++) {
        int32_t a = c[k], b = c[(k + 1) % 3];
        v3 p = pull[k], q = pull[(k + 1) % 3];
        m3 block = {{v3_scale(p.x, q), v3_scale(p.y, q), v3_scale(p.z, q)}};
        int32_t pair = mus_block_matrix_pair(&s->m, a, b, mus_block_matrix_place(&s->m, a, b));
        mus_block_matrix_add_pair(&s->m, pair, a < b, &block);
    }
}

static void fill(sheet *s, int32_t side, elements kind) {
    double mass = 0.2 / s->n, stiffness = 400.0 / 120 / 120;
    mus_block_matrix_clear(&s->m, 1);
    for (int32_t j = 0; j < side; j++)
        for (int32_t i = 0; i < side; i++) {
            int32_t a = s->number[i + j * side];
            mus_sym3_add(&s->m.diagonal[a], 0, v3_make(0, 0, 0), mass);
            s->b[a] = v3_make(0.3 * mass * mus_sin(7 * (double)i / side), -mass, mass * (i < side / 3));
            for (int e = 0; e < 4; e++) {
                int32_t p = i + edges[e][0], q = j + edges[e][1];
                if (p < 0 || p >= side || q >= side) continue;
                v3 between = v3_sub(place(side, p, q), place(side, i, j));
                if (kind != FACES || e == 2) add_spring(s, a, s->number[p + q * side], between, stiffness);
            }
            if (kind == BENT) add_bending(s, side, i, j, stiffness);
            if (kind != FACES || i + 1 >= side || j + 1 >= side) continue;
            v3 u = v3_normalized(v3_sub(place(side, i + 1, j), place(side, i, j))),
               v = v3_normalized(v3_sub(place(side, i, j + 1), place(side, i, j)));
            const int32_t c[3] = {a, s->number[i + 1 + j * side], s->number[i + (j + 1) * side]};
            double root = sqrt(stiffness);
            v3 none = v3_make(0, 0, 0);
            add_face(s, c, (v3[3]){v3_scale(-root, u), v3_scale(root, u), none});
            add_face(s, c, (v3[3]){v3_scale(-root, v), none, v3_scale(root, v)});
            add_face(s, c,
                     (v3[3]){v3_scale(-0.5 * root, v3_add(u, v)), v3_scale(0.5 * root, v), v3_scale(0.5 * root, u)});
        }
}

static void make(sheet *s, int32_t side, numbering order, elements kind) {
    int32_t n = s->n = side * side;
    int32_t *pairs = malloc(sizeof(int32_t) * 12 * (size_t)n);
    int64_t count = 0;
    s->number = malloc(sizeof(int32_t) * (size_t)n);
    for (int32_t k = 0; k < n; k++) {
        int32_t other = order == SHUFFLED ? (int32_t)mus_rng_below(&rng, (uint64_t)k + 1) : k;
        s->number[k] = k;
        s->number[k] = s->number[other], s->number[other] = k;
    }
    for (int32_t j = 0; j < side; j++)
        for (int32_t i = 0; i < side; i++)
            for (int e = 0; e < (kind == BENT ? 6 : 4); e++) {
                int32_t p = i + edges[e][0], q = j + edges[e][1];
                if (p < 0 || p >= side || q >= side) continue;
                pairs[2 * count] = s->number[i + j * side], pairs[2 * count + 1] = s->number[p + q * side];
                count++;
            }
    must(mus_block_matrix_create(&s->m, n, pairs, count));
    free(pairs);
    if (kind == FACES) must(mus_block_matrix_make_general(&s->m));
    s->free_rows = malloc(sizeof(double) * (size_t)n);
    s->b = calloc((size_t)n, sizeof(v3)), s->guess = calloc((size_t)n, sizeof(v3));
    s->x = calloc((size_t)n, sizeof(v3)), s->product = calloc((size_t)n, sizeof(v3));
    for (int32_t i = 0; i < n; i++) s->free_rows[i] = 1;
    fill(s, side, kind);
}

static void discard(sheet *s) {
    mus_block_matrix_free(&s->m);
    free(s->number), free(s->free_rows), free(s->b), free(s->guess), free(s->x), free(s->product);
}

static mus_pcg_result solve(sheet *s, double tolerance, int32_t limit, int threads) {
    return mus_block_matrix_solve(&s->m, s->free_rows, s->b, s->guess, s->b, s->x, tolerance, limit, threads);
}

/* Two corners and a stretch in the middle. */
static void fix_some(sheet *s, int32_t side) {
    s->free_rows[s->number[0]] = s->free_rows[s->number[side - 1]] = 0;
    for (int32_t k = 0; k < side / 2; k++) s->free_rows[s->number[side / 2 * side + k]] = 0;
}

static double apply(sheet *s, const v3 *residual, v3 *z) {
    memcpy(s->m.residual, residual, sizeof(v3) * (size_t)s->n);
    double product = mus_multigrid_apply(s->m.grid, &s->m, s->free_rows, 1), sum = 0;
    for (int32_t i = 0; i < s->n; i++) {
        const float *p = s->m.grid->levels[0].z[i].lane;
        z[i] = v3_make(p[0], p[1], p[2]);
        sum += v3_dot(z[i], residual[i]);
        if (!(s->free_rows[i] > 0)) assert_true(v3_length(z[i]) == 0);
    }
    assert_true(fabs(product - sum) <= 1e-9 * fabs(sum));
    return sum;
}

static void check_symmetric(int32_t side, numbering order, elements kind, bool with_fixed) {
    sheet s;
    make(&s, side, order, kind);
    if (with_fixed) fix_some(&s, side);
    solve(&s, 1e-12, 0, 1); /* takes the values, and no iteration */
    v3 *r[2], *z[2];
    for (int k = 0; k < 2; k++) r[k] = calloc((size_t)s.n, sizeof(v3)), z[k] = calloc((size_t)s.n, sizeof(v3));
    for (int round = 0; round < 6; round++) {
        double own[2], cross[2] = {0, 0};
        for (int k = 0; k < 2; k++) {
            for (int32_t i = 0; i < s.n; i++) /* rough ones, and those that every coarse level sees */
                r[k][i] =
                    s.free_rows[i] > 0 ? v3_scale(round & 1 ? 1 : 1 + i % 7, random_direction(&rng)) : v3_make(0, 0, 0);
            for (int32_t i = 0; i < s.n && round >= 3; i++)
                if (s.free_rows[i] > 0) r[k][i] = v3_add(v3_make(k, 1, 1 - k), v3_scale(0.01, r[k][i]));
            own[k] = apply(&s, r[k], z[k]);
            assert_true(own[k] > 0);
        }
        for (int32_t i = 0; i < s.n; i++) cross[0] += v3_dot(r[0][i], z[1][i]), cross[1] += v3_dot(r[1][i], z[0][i]);
        double off = fabs(cross[0] - cross[1]) / sqrt(own[0] * own[1]);
        if (off > 2e-5) fail_msg("%d vertices: off by %g", s.n, off);
    }
    for (int k = 0; k < 2; k++) free(r[k]), free(z[k]);
    discard(&s);
}

static void test_symmetric_and_positive(void **state) {
    (void)state;
    rng = mus_rng_make(71, 0);
    const int32_t sides[] = {4, 13, 60, 80};
    for (int k = 0; k < 4; k++)
        for (int variant = 0; variant < 8; variant++)
            check_symmetric(sides[k], variant & 1 ? SHUFFLED : BY_ROWS, variant & 2 ? FACES : SPRINGS, variant & 4);
    assert_int_equal(mus_get_allocated_bytes(), 0);
}

/* The residual that the solver reports is the true one, and small. */
static void check_solution(sheet *s, double tolerance, const mus_pcg_result *result) {
    mus_block_matrix_multiply(&s->m, s->x, s->product, 1);
    double left = 0, whole = 0;
    for (int32_t i = 0; i < s->n; i++) {
        if (!(s->free_rows[i] > 0)) continue;
        v3 r = v3_sub(s->b[i], s->product[i]);
        left += v3_dot(r, mus_factor3_solve(&s->m.factor[i], r));
        whole += 2 * v3_dot(s->b[i], mus_factor3_solve(&s->m.factor[i], s->b[i]));
    }
    double residual = sqrt(left / whole);
    assert_true(residual <= 1.01 * tolerance && fabs(residual - result->residual) <= 0.01 * tolerance);
}

/* The same equations by conjugate gradients with the diagonal's inverse alone, from nothing. */
static int32_t solve_plainly(sheet *s, double tolerance, v3 *x) {
    size_t size = sizeof(v3) * (size_t)s->n;
    v3 *r = malloc(size), *p = calloc((size_t)s->n, sizeof(v3)), *q = malloc(size);
    double whole = 0, before = 1;
    int32_t iterations = 0;
    memset(x, 0, size);
    for (int32_t i = 0; i < s->n; i++) {
        r[i] = s->free_rows[i] > 0 ? s->b[i] : v3_make(0, 0, 0);
        whole += 2 * v3_dot(r[i], mus_factor3_solve(&s->m.factor[i], r[i]));
    }
    for (;; iterations++) {
        double left = 0, along = 0;
        for (int32_t i = 0; i < s->n; i++) left += v3_dot(r[i], mus_factor3_solve(&s->m.factor[i], r[i]));
        if (left <= tolerance * tolerance * whole) break;
        for (int32_t i = 0; i < s->n; i++)
            p[i] = v3_axpy(iterations ? left / before : 0, p[i], mus_factor3_solve(&s->m.factor[i], r[i]));
        mus_block_matrix_multiply(&s->m, p, q, 1);
        for (int32_t i = 0; i < s->n; i++) along += v3_dot(p[i], q[i]);
        for (int32_t i = 0; i < s->n; i++) {
            x[i] = v3_axpy(left / along, p[i], x[i]);
            if (s->free_rows[i] > 0) r[i] = v3_axpy(-left / along, q[i], r[i]);
        }
        before = left;
    }
    free(r), free(p), free(q);
    return iterations;
}

static void test_iterations(void **state) {
    (void)state;
    rng = mus_rng_make(72, 0);
    const int32_t sides[] = {12, 25, 50, 100, 200};
    for (int variant = 0; variant < 8; variant++) {
        elements kind = variant & 2 ? FACES : SPRINGS;
        for (int k = 0; k < 5; k++) {
            if (sides[k] > 100 && variant > 1) continue;
            sheet s;
            make(&s, sides[k], variant & 1 ? SHUFFLED : BY_ROWS, kind);
            if (variant & 4) fix_some(&s, sides[k]);
            mus_pcg_result result = solve(&s, 2e-3, 200, 1);
            v3 *plain = malloc(sizeof(v3) * (size_t)s.n);
            int32_t plainly = solve_plainly(&s, 2e-3, plain);
            print_message("%d vertices, variant %d: %d iterations, %d without\n", s.n, variant, result.iterations,
                          plainly);
            assert_true(result.iterations <= (s.n < MUS_GRID_MANY ? 24 : 16));
            if (s.n > 1000) assert_true(4 * result.iterations < plainly);
            check_solution(&s, 2e-3, &result);
            if (s.n < 1000) {
                memset(s.x, 0, sizeof(v3) * (size_t)s.n);
                result = solve(&s, 1e-10, 400, 1);
                check_solution(&s, 1e-10, &result);
                solve_plainly(&s, 1e-10, plain);
                for (int32_t i = 0; i < s.n; i++) assert_true(v3_length(v3_sub(s.x[i], plain[i])) < 1e-6);
            }
            free(plain);
            discard(&s);
        }
    }
    assert_int_equal(mus_get_allocated_bytes(), 0);
}

/* On a fine mesh bending resists most, and what resists it sees neither shifts nor slopes. */
static void test_bending(void **state) {
    (void)state;
    rng = mus_rng_make(75, 0);
    const int32_t sides[] = {70, 100, 200};
    for (int variant = 0; variant < 6; variant++) {
        int32_t side = sides[variant / 2];
        sheet s;
        make(&s, side, BY_ROWS, BENT);
        if (variant & 1) fix_some(&s, side);
        mus_pcg_result result = solve(&s, 1e-3, 200, 1);
        print_message("%d vertices, variant %d: %d iterations\n", s.n, variant, result.iterations);
        assert_true(result.iterations <= (side < 100 ? 30 : side == 100 ? 37 : 52));
        check_solution(&s, 1e-3, &result);
        discard(&s);
    }
    check_symmetric(60, BY_ROWS, BENT, true);
    assert_int_equal(mus_get_allocated_bytes(), 0);
}

/* Islands, vertices with nothing, and one that is paired with all. */
static void test_odd_patterns(void **state) {
    (void)state;
    enum { N = 900 };
    int32_t pairs[2 * N];
    rng = mus_rng_make(73, 0);
    for (int round = 0; round < 3; round++) {
        int64_t count = 0;
        for (int32_t k = 0; k + 1 < N; k++) {
            bool chain = k % 9 && k % 5; /* short chains; then a star; then nothing at all */
            if (round == 2 || (round == 0 && !chain)) continue;
            pairs[2 * count] = round ? N - 1 : k, pairs[2 * count + 1] = round ? k : k + 1;
            count++;
        }
        mus_block_matrix m;
        must(mus_block_matrix_create(&m, N, pairs, count));
        mus_block_matrix_clear(&m, 1);
        v3 b[N], guess[N], x[N], product[N];
        double free_rows[N];
        for (int32_t i = 0; i < N; i++) {
            mus_sym3_add(&m.diagonal[i], 0, v3_make(0, 0, 0), mus_rng_between(&rng, 0.5, 2));
            free_rows[i] = i % 11 ? 1 : 0;
            b[i] = random_direction(&rng), guess[i] = x[i] = v3_make(0, 0, 0);
        }
        for (int32_t k = 0; k < m.pair_count; k++) mus_pair_block_add(&m.pair[k], 40, random_direction(&rng), 0.1);
        mus_pcg_result result = mus_block_matrix_solve(&m, free_rows, b, guess, b, x, 1e-10, 200, 2);
        assert_true(result.residual <= 1e-10);
        mus_block_matrix_multiply(&m, x, product, 1);
        for (int32_t i = 0; i < N; i++)
            if (free_rows[i] > 0) assert_true(v3_length(v3_sub(product[i], b[i])) < 1e-7);
        mus_block_matrix_free(&m);
    }
    assert_int_equal(mus_get_allocated_bytes(), 0);
}

/* Large enough for threads on two levels and for larger domains, numbered well and badly. */
static void test_parallel_bits(void **state) {
    (void)state;
    rng = mus_rng_make(74, 0);
    for (int variant = 0; variant < 4; variant++) {
        enum { SIDE = 200 };
        sheet s;
        make(&s, SIDE, variant & 1 ? SHUFFLED : BY_ROWS, variant & 2 ? FACES : SPRINGS);
        fix_some(&s, SIDE);
        v3 *first = malloc(sizeof(v3) * (size_t)s.n);
        const int threads[] = {1, 2, 3};
        for (int k = 0; k < 3; k++) {
            memset(s.x, 0, sizeof(v3) * (size_t)s.n);
            solve(&s, 1e-4, 5, threads[k]);
            if (k == 0)
                memcpy(first, s.x, sizeof(v3) * (size_t)s.n);
            else
                assert_memory_equal(first, s.x, sizeof(v3) * (size_t)s.n);
        }
        free(first);
        discard(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_symmetric_and_positive), cmocka_unit_test(test_iterations),
                                       cmocka_unit_test(test_bending), cmocka_unit_test(test_odd_patterns),
                                       cmocka_unit_test(test_parallel_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
