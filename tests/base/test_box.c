/* test_box.c: axis-aligned boxes. */
#include "tests.h"

#include "base/box.h"
#include "base/rng.h"

static v3 random_point(mus_rng *rng) {
    return v3_make(mus_rng_between(rng, -0.5, 0.5), mus_rng_between(rng, -0.5, 0.5), mus_rng_between(rng, -0.5, 0.5));
}

static void test_growing(void **state) {
    (void)state;
    mus_box box = mus_box_empty(), other = mus_box_of_points((double[]){1, 2, 3, -1, 5, 2}, 2);
    assert_true(mus_box_apart(&box, &other) && mus_box_apart(&box, &box)); /* an empty box overlaps nothing */
    assert_true(other.lo[0] == -1 && other.lo[1] == 2 && other.lo[2] == 2);
    assert_true(other.hi[0] == 1 && other.hi[1] == 5 && other.hi[2] == 3);
    mus_box_grow(&box, v3_make(4, 4, 4), 0.5);
    assert_true(box.lo[1] == 3.5 && box.hi[2] == 4.5);
    mus_box_grow(&box, v3_make((double)NAN, 7, (double)NAN), 0); /* NaN changes nothing */
    assert_true(box.lo[0] == 3.5 && box.hi[0] == 4.5 && box.hi[1] == 7 && box.lo[2] == 3.5);
    mus_box_join(&box, &other);
    assert_true(box.lo[0] == -1 && box.lo[1] == 2 && box.hi[0] == 4.5 && box.hi[1] == 7);
    mus_box_expand(&box, 1);
    assert_true(box.lo[0] == -2 && box.hi[1] == 8);
}

/* Closed boxes: they overlap exactly if a point is in both; the distance is that of the nearest of many points. */
static void test_apart_and_distance(void **state) {
    (void)state;
    mus_rng rng = mus_rng_make(5, 0);
    int apart = 0;
    for (int run = 0; run < 2000; run++) {
        mus_box a = mus_box_empty(), b = mus_box_empty();
        for (int k = 0; k < 2; k++) mus_box_grow(&a, random_point(&rng), 0), mus_box_grow(&b, random_point(&rng), 0);
        bool common = true;
        for (int k = 0; k < 3; k++) common &= fmax(a.lo[k], b.lo[k]) <= fmin(a.hi[k], b.hi[k]);
        assert_int_equal(mus_box_apart(&a, &b), !common);
        assert_int_equal(mus_box_apart(&b, &a), !common);
        apart += !common;
        v3 p = random_point(&rng), nearest;
        nearest.x = fmin(fmax(p.x, a.lo[0]), a.hi[0]);
        nearest.y = fmin(fmax(p.y, a.lo[1]), a.hi[1]);
        nearest.z = fmin(fmax(p.z, a.lo[2]), a.hi[2]);
        assert_true(fabs(mus_box_distance2(&a, p) - v3_length2(v3_sub(p, nearest))) < 1e-15);
    }
    assert_in_range(apart, 500, 1900);
    mus_box left = {{0, 0, 0}, {1, 1, 1}}, right = {{1, 0, 0}, {2, 1, 1}}, beyond = {{1.0000001, 0, 0}, {2, 1, 1}};
    assert_false(mus_box_apart(&left, &right)); /* they share a face */
    assert_true(mus_box_apart(&left, &beyond));
}

static void test_longest_axis(void **state) {
    (void)state;
    const struct {
        v3 size;
        int axis;
    } cases[] = {{{1, 1, 1}, 0}, {{1, 2, 2}, 1}, {{1, 2, 3}, 2}, {{3, 1, 3}, 0}, {{0, 0, 0}, 0}, {{0, 0, 1}, 2}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        mus_box box = {{0, 0, 0}, {cases[k].size.x, cases[k].size.y, cases[k].size.z}};
        assert_int_equal(mus_box_longest_axis(&box), cases[k].axis);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_growing), cmocka_unit_test(test_apart_and_distance),
                                       cmocka_unit_test(test_longest_axis)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
