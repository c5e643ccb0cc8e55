/* test_kept_matrices.c: coarse levels of a grid of many rows keep what matrices contributed, where the caller wants it.
 */
#include "../world/scene.h"

#include "linear/coupled_matrix.h"

static void fill(mus_block_matrix *m, mus_rng *rng) {
    mus_block_matrix_clear(m, 1);
    for (int32_t i = 0; i < m->n; i++) {
        mus_sym3_add(&m->diagonal[i], 0, v3_make(0, 0, 0), 1);
        for (int32_t k = m->upper_start[i]; k < m->upper_start[i + 1]; k++)
            mus_pair_block_add(&m->pair[k], 500, random_direction(rng), 5);
    }
}

/* A sheet of side x side rows. */
static void make_sheet(mus_block_matrix *m, int32_t side, mus_rng *rng) {
    int32_t *pairs = calloc(4 * (size_t)side * (size_t)side, sizeof *pairs), count = 0;
    for (int32_t a = 0; a < side * side; a++) {
        if (a % side + 1 < side) pairs[2 * count] = a, pairs[2 * count + 1] = a + 1, count++;
        if (a + side < side * side) pairs[2 * count] = a, pairs[2 * count + 1] = a + side, count++;
    }
    must(mus_block_matrix_create(m, side * side, pairs, count));
    free(pairs);
    fill(m, rng);
}

static void set_values(mus_coupled_matrix *m, bool keeps_coarse, const double *free_rows) {
    mus_coupled_matrix_read(m, keeps_coarse, 1);
    mus_coupled_matrix_begin(m, 1);
    mus_coupled_matrix_end(m, free_rows, 1);
}

/* Returns whether the second level is as `before`, and stores it there. */
static bool is_same(const mus_coupled_matrix *m, mus_sym3 *before) {
    const mus_grid_level *l = &m->grid.levels[1];
    bool same = memcmp(l->own, before, sizeof *before * (size_t)l->n) == 0;
    memcpy(before, l->own, sizeof *before * (size_t)l->n);
    return same;
}

static void coarse_levels_keep_the_matrices(void **state) {
    (void)state;
    for (int many = 0; many < 2; many++) {
        int32_t side = many ? 66 : 18, n = side * side, first = 0;
        mus_rng rng = mus_rng_make(3, (uint64_t)many);
        mus_block_matrix sheet, *sheets = &sheet;
        mus_coupled_matrix m;
        mus_sym3 *before = calloc((size_t)n, sizeof *before);
        double *free_rows = calloc((size_t)n, sizeof *free_rows);
        for (int32_t i = 0; i < n; i++) free_rows[i] = i % 37 != 5;
        make_sheet(&sheet, side, &rng);
        must(mus_coupled_matrix_create(&m, n, 0, &sheets, &first, 1, NULL, 0));
        must(mus_coupled_matrix_reserve(&m, 0, NULL));
        assert_int_equal(m.grid.linear, many);
        set_values(&m, true, free_rows); /* nothing is known: there is nothing to keep */
        is_same(&m, before);
        set_values(&m, false, free_rows);
        assert_true(is_same(&m, before));
        fill(&sheet, &rng);
        set_values(&m, true, free_rows);
        assert_int_equal(is_same(&m, before), many);
        set_values(&m, false, free_rows);
        assert_int_equal(is_same(&m, before), !many);
        free(before), free(free_rows);
        mus_coupled_matrix_free(&m), mus_block_matrix_free(&sheet);
    }
    assert_int_equal(mus_get_allocated_bytes(), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(coarse_levels_keep_the_matrices)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
