/* test_select.c: the k-th smallest against a full sort, on random, sorted, equal and saw-toothed arrays. */
#include "base/rng.h"
#include "base/select.h"
#include "tests.h"

#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void same_as_sorting(void **state) {
    (void)state;
    mus_rng rng = mus_rng_make(11, 0);
    enum { MOST = 300 };
    double values[MOST], sorted[MOST], work[MOST];
    for (int round = 0; round < 3000; round++) {
        int count = 1 + (int)mus_rng_below(&rng, round % 10 ? 20 : MOST), kind = round % 5;
        for (int i = 0; i < count; i++) {
            double x = mus_rng_between(&rng, -1, 1);
            values[i] = kind == 0 ? x : kind == 1 ? i : kind == 2 ? -i : kind == 3 ? 7 : (double)(i % 3) + (x > 0.9);
        }
        memcpy(sorted, values, sizeof values);
        qsort(sorted, (size_t)count, sizeof *sorted, ascending);
        for (int k = 0; k < count; k += 1 + count / 16) {
            memcpy(work, values, sizeof values);
            assert_true(mus_select(work, count, k) == sorted[k]);
            for (int i = 0; i < count; i++) assert_true(i < k ? work[i] <= sorted[k] : work[i] >= sorted[k]);
            qsort(work, (size_t)count, sizeof *work, ascending);
            assert_memory_equal(work, sorted, (size_t)count * sizeof *work); /* nothing lost */
        }
    }
}

static void large_ones_are_quick(void **state) {
    (void)state;
    enum { N = 1000000 };
    double *values = malloc(N * sizeof *values);
    for (int kind = 0; kind < 3; kind++) {
        for (int i = 0; i < N; i++) values[i] = kind == 0 ? i : kind == 1 ? N - i : (i < N / 2 ? i : N - i);
        double median = mus_select(values, N, N / 2);
        assert_true(median == (kind == 0 ? N / 2 : kind == 1 ? N / 2 + 1 : N / 4));
    }
    free(values);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_as_sorting), cmocka_unit_test(large_ones_are_quick)};
    return cmocka_run_group_tests_name("select", tests, NULL, NULL);
}
