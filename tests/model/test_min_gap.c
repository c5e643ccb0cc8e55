/* test_min_gap.c: least gaps of pairs, and the gaps to which collisions are restored. */
#include "../base/tests.h"

#include "model/min_gap.h"

static const double h = 2e-3; /* m, thickness */

static void near(double got, double wanted) {
    assert_true(fabs(got - wanted) < 1e-18);
}

static void test_least(void **state) {
    (void)state;
    near(mus_min_gap(h, 1), 2e-4);
    near(mus_min_gap(h, 1e-4), 8e-5); /* may shrink by a fifth */
    near(mus_min_gap(h, -1e-6), 0);   /* starts inside: must not get deeper */
    near(mus_min_end_gap(h, 1), 2e-4);
    near(mus_min_end_gap(h, 1e-4), 5e-5);
    near(mus_min_end_gap(h, -1e-6), -5e-7); /* half the depth at the start */
}

static void test_restored(void **state) {
    (void)state;
    near(mus_restored_gap(h, 1, 2e-4, 0), 5e-4);        /* a quarter of the thickness at most */
    near(mus_restored_gap(h, 5e-4, 2e-4, 0), 4.5e-4);   /* nearly the gap at the start */
    near(mus_restored_gap(h, 1e-4, 8e-5, 3), 1.6e-4);   /* twice the minimum */
    near(mus_restored_gap(h, 0, 0, 3), 1e-4);           /* a twentieth of the thickness at least */
    near(mus_restored_gap(h, 1e-4, 8e-5, 5), 1.76e-4);  /* a tenth of twice the minimum more in pass 5 */
    near(mus_restored_gap(h, 1e-4, 8e-5, 100), 3.2e-4); /* all of it from pass 50 on */
    for (double start = 0; start < h; start += h / 64)  /* clear of the minimum: the next pass does not find it again */
        for (int pass = 0; pass < 30; pass++)
            assert_true(mus_restored_gap(h, start, mus_min_gap(h, start), pass) > mus_min_gap(h, start));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_least), cmocka_unit_test(test_restored)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
