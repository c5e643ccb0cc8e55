/* test_row_terms.c: sums over rows are those of the terms one by one, for any order of rows, and lists are made anew.
 */
#include "../world/scene.h"

#include "linear/row_terms.h"

enum { ROWS = 40, MOST = 300 };

static void fill_randomly(mus_row_terms *list, mus_rng *rng, int32_t terms, double sums[ROWS][3]) {
    memset(sums, 0, sizeof(double) * ROWS * 3);
    mus_row_terms_begin(list);
    v3 vector[MOST];
    for (int32_t k = 0; k < terms; k++) {
        vector[k] = random_direction(rng);
        for (int i = (int)mus_rng_below(rng, 5); i > 0; i--) {
            int32_t row = (int32_t)mus_rng_below(rng, ROWS);
            double weight = mus_rng_between(rng, -1, 1);
            if (row % 7 == 3) continue; /* rows without a term */
            must(mus_row_terms_add(list, row, k, weight));
            sums[row][0] += weight * vector[k].x, sums[row][1] += weight * vector[k].y,
                sums[row][2] += weight * vector[k].z;
        }
    }
    must(mus_row_terms_end(list, terms));
    assert_int_equal(list->vector.count, terms);
    for (int32_t k = 0; k < terms; k++) list->vector.data[k] = vector[k];
}

static void rows_have_the_sums_of_their_terms(void **state) {
    (void)state;
    mus_rng rng = mus_rng_make(3, 0);
    mus_row_terms list;
    double sums[ROWS][3];
    must(mus_row_terms_create(&list, ROWS));
    const int32_t counts[] = {MOST, 5, 0, 70};
    for (int round = 0; round < 4; round++) {
        fill_randomly(&list, &rng, counts[round], sums);
        for (int32_t i = 0; i < ROWS; i++) {
            v3 sum = mus_row_terms_sum(&list, i, v3_make(0, 0, 0));
            assert_true(sum.x == sums[i][0] && sum.y == sums[i][1] && sum.z == sums[i][2]); /* in the same order */
        }
    }
    mus_row_terms_free(&list);
}

static void no_rows_are_none(void **state) {
    (void)state;
    mus_row_terms list;
    must(mus_row_terms_create(&list, 0));
    mus_row_terms_begin(&list);
    must(mus_row_terms_end(&list, 3));
    assert_int_equal(list.start[0], 0);
    mus_row_terms_free(&list);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_have_the_sums_of_their_terms),
        cmocka_unit_test(no_rows_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
