/* test_block_matrix.c: the sparse solver against dense elimination; prescribed rows; the same bits on any number of
 * threads. */
#include "../world/scene.h"

#include "linear/block_matrix.h"

static mus_rng rng;

/* A random positive definite matrix: masses, and stiffness between random pairs, along one direction a pair. */
static void fill(mus_block_matrix *m, const int32_t *pairs, int64_t count, double stiffness) {
    mus_block_matrix_clear(m, 1);
    v3 *along = malloc(sizeof *along * ((size_t)m->pair_count + 1));
    for (int32_t k = 0; k < m->pair_count; k++) along[k] = random_direction(&rng);
    for (int32_t i = 0; i < m->n; i++)
        mus_sym3_add(&m->diagonal[i], 0, v3_make(0, 0, 0), mus_rng_between(&rng, 0.5, 2));
    for (int64_t k = 0; k < count; k++) {
        int32_t a = pairs[2 * k], b = pairs[2 * k + 1], low = a < b ? a : b, high = a < b ? b : a;
        uint8_t place = mus_block_matrix_place(m, a, b);
        int32_t at = mus_block_matrix_pair(m, b, a, place);
        assert_true(at >= m->upper_start[low] && at < m->upper_start[low + 1] && m->higher[at] == high);
        double s = mus_rng_between(&rng, 0, stiffness);
        mus_pair_block_add(&m->pair[at], s, k & 1 ? along[at] : v3_neg(along[at]), 0.1 * s);
    }
    free(along);
}

/* A vertex that is paired with more than a byte can number. */
static void test_far_pairs(void **state) {
    (void)state;
    enum { N = 700 };
    static int32_t pairs[2 * (N - 1)];
    for (int32_t k = 0; k < N - 1; k++) pairs[2 * k] = N - 1 - k, pairs[2 * k + 1] = 0;
    mus_block_matrix m;
    must(mus_block_matrix_create(&m, N, pairs, N - 1));
    for (int32_t j = 1; j < N; j++) {
        uint8_t place = mus_block_matrix_place(&m, j, 0);
        assert_int_equal(place, j - 1 < 255 ? j - 1 : 255);
        assert_int_equal(mus_block_matrix_pair(&m, j, 0, place), j - 1);
    }
    mus_block_matrix_free(&m);
}

static void test_diagonal(void **state) {
    (void)state;
    enum { N = 12, COUNT = 40 };
    int32_t pairs[2 * COUNT];
    rng = mus_rng_make(33, 0);
    for (int32_t k = 0; k < COUNT; k++) pairs[2 * k] = k % N, pairs[2 * k + 1] = (k % N + 1 + k / N) % N;
    mus_block_matrix m;
    must(mus_block_matrix_create(&m, N, pairs, COUNT));
    fill(&m, pairs, COUNT, 100);
    must(mus_block_matrix_make_general(&m));
    for (int general = 0; general < 2; general++) {
        for (int32_t e = 0; e < m.pair_count && general; e++)
            mus_sym3_add(&m.general[e].even, -mus_rng_between(&rng, 0, 10), random_direction(&rng), -1);
        for (int32_t i = 0; i < N; i++) {
            mus_sym3 block = mus_block_matrix_diagonal(&m, i);
            v3 u = random_direction(&rng);
            v3 p[N] = {{0, 0, 0}};
            p[i] = u;
            v3 wanted = mus_block_matrix_row(&m, i, p), off = v3_sub(mus_sym3_mul(&block, u), wanted);
            near(v3_length(off) / v3_length(wanted), 0, 1e-12, "times a direction");
        }
    }
    mus_block_matrix_free(&m);
}

static void put(double *dense, int32_t n, int32_t i, int32_t j, double sign, const mus_sym3 *b) {
    const double block[3][3] = {{b->xx, b->xy, b->xz}, {b->xy, b->yy, b->yz}, {b->xz, b->yz, b->zz}};
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) dense[(3 * i + r) * 3 * n + 3 * j + c] += sign * block[r][c];
}

/* Gauss, with prescribed rows turned into x = given. */
static void dense_solve(const mus_block_matrix *m, const double *free_rows, const v3 *b, v3 *x) {
    int32_t n = m->n, size = 3 * n;
    double *a = calloc((size_t)size * (size_t)size, sizeof *a), *r = malloc(sizeof(double) * (size_t)size);
    for (int32_t i = 0; i < n; i++) {
        put(a, n, i, i, 1, &m->diagonal[i]);
        for (int32_t e = m->upper_start[i]; e < m->upper_start[i + 1]; e++) {
            mus_sym3 block = {0};
            mus_sym3_add(&block, 1, v3_make(m->pair[e].w[0], m->pair[e].w[1], m->pair[e].w[2]), m->pair[e].t);
            int32_t j = m->higher[e];
            put(a, n, i, i, 1, &block), put(a, n, j, j, 1, &block);
            put(a, n, i, j, -1, &block), put(a, n, j, i, -1, &block);
        }
    }
    for (int32_t i = 0; i < size; i++) r[i] = ((const double *)b)[i];
    for (int32_t i = 0; i < n; i++)
        if (!(free_rows[i] > 0))
            for (int c = 0; c < 3; c++) {
                memset(a + (3 * i + c) * size, 0, sizeof(double) * (size_t)size);
                a[(3 * i + c) * size + 3 * i + c] = 1;
                r[3 * i + c] = ((double *)x)[3 * i + c];
            }
    for (int32_t k = 0; k < size; k++) {
        int32_t pivot = k;
        for (int32_t i = k + 1; i < size; i++)
            if (fabs(a[i * size + k]) > fabs(a[pivot * size + k])) pivot = i;
        for (int32_t j = 0; j < size; j++) {
            double t = a[k * size + j];
            a[k * size + j] = a[pivot * size + j], a[pivot * size + j] = t;
        }
        double t = r[k];
        r[k] = r[pivot], r[pivot] = t;
        for (int32_t i = k + 1; i < size; i++) {
            double f = a[i * size + k] / a[k * size + k];
            for (int32_t j = k; j < size && f != 0; j++) a[i * size + j] -= f * a[k * size + j];
            r[i] -= f * r[k];
        }
    }
    for (int32_t k = size - 1; k >= 0; k--) {
        for (int32_t j = k + 1; j < size; j++) r[k] -= a[k * size + j] * ((double *)x)[j];
        ((double *)x)[k] = r[k] / a[k * size + k];
    }
    free(a), free(r);
}

static void test_against_dense(void **state) {
    (void)state;
    rng = mus_rng_make(31, 0);
    for (int round = 0; round < 30; round++) {
        int32_t n = 2 + (int32_t)mus_rng_below(&rng, 30), count = (int32_t)mus_rng_below(&rng, 120);
        int32_t pairs[240];
        for (int32_t k = 0; k < count; k++) {
            pairs[2 * k] = (int32_t)mus_rng_below(&rng, (uint64_t)n);
            do pairs[2 * k + 1] = (int32_t)mus_rng_below(&rng, (uint64_t)n);
            while (pairs[2 * k + 1] == pairs[2 * k]);
        }
        mus_block_matrix m;
        must(mus_block_matrix_create(&m, n, pairs, count));
        fill(&m, pairs, count, 50);
        double free_rows[32];
        v3 b[32], guess[32], x[32], wanted[32], given[32];
        for (int32_t i = 0; i < n; i++) {
            free_rows[i] = mus_rng_below(&rng, 5) ? 1 : 0;
            b[i] = random_direction(&rng), guess[i] = random_direction(&rng);
            x[i] = free_rows[i] > 0 ? v3_make(0, 0, 0) : random_direction(&rng);
            wanted[i] = given[i] = x[i];
        }
        dense_solve(&m, free_rows, b, wanted);
        mus_pcg_result result = mus_block_matrix_solve(&m, free_rows, b, guess, b, x, 1e-12, 2000, 1 + round % 3);
        assert_true(result.residual <= 1e-12);
        for (int32_t i = 0; i < n; i++) {
            if (v3_length(v3_sub(x[i], wanted[i])) > 1e-9) fail_msg("row %d of %d is off", i, n);
            if (!(free_rows[i] > 0)) assert_true(memcmp(&x[i], &given[i], sizeof(v3)) == 0);
        }
        mus_block_matrix_free(&m);
    }
    assert_int_equal(mus_get_allocated_bytes(), 0);
}

/* Large enough for several blocks of sums. */
static void test_parallel_bits(void **state) {
    (void)state;
    enum { N = 3000 };
    rng = mus_rng_make(32, 0);
    int32_t *pairs = malloc(sizeof(int32_t) * 8 * N);
    for (int32_t k = 0; k < 4 * N; k++) {
        pairs[2 * k] = k % N;
        pairs[2 * k + 1] = (k % N + 1 + (int32_t)mus_rng_below(&rng, 60)) % N;
    }
    mus_block_matrix m;
    must(mus_block_matrix_create(&m, N, pairs, 4 * N));
    fill(&m, pairs, 4 * N, 10);
    double *free_rows = malloc(sizeof(double) * N);
    v3 *b = malloc(sizeof(v3) * N), *guess = calloc(N, sizeof(v3)), *x = malloc(sizeof(v3) * N),
       *first = malloc(sizeof(v3) * N);
    for (int32_t i = 0; i < N; i++) free_rows[i] = i % 17 ? 1 : 0, b[i] = random_direction(&rng);
    const int threads[] = {1, 2, 3, 8};
    for (int k = 0; k < 4; k++) {
        memset(x, 0, sizeof(v3) * N);
        mus_pcg_result result = mus_block_matrix_solve(&m, free_rows, b, guess, b, x, 1e-6, 500, threads[k]);
        assert_true(result.iterations > 3 && result.residual <= 1e-6);
        if (k == 0)
            memcpy(first, x, sizeof(v3) * N);
        else
            assert_memory_equal(first, x, sizeof(v3) * N);
    }
    free(pairs), free(free_rows), free(b), free(guess), free(x), free(first);
    mus_block_matrix_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_far_pairs), cmocka_unit_test(test_diagonal),
                                       cmocka_unit_test(test_against_dense), cmocka_unit_test(test_parallel_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
