/* test_predicates.c: orientation signs against exact rationals (GMP) and libgts on nearly degenerate points. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <gmp.h>
#include <gts.h>
#include <math.h>
#include <stdbool.h>

#include "base/rng.h"
#include "mesh/predicates.h"
#include "muslin.h"

static mus_rng rng;
static mpq_t entry[3][3], product, total;

static double between(double a, double b) {
    return mus_rng_between(&rng, a, b);
}

static void exact_difference(mpq_t out, double a, double b) {
    mpq_set_d(out, a);
    mpq_set_d(product, b);
    mpq_sub(out, out, product);
}

static int exact3(const double *p[4]) {
    static const int order[6][4] = {{0, 1, 2, 1},  {1, 2, 0, 1},  {2, 0, 1, 1},
                                    {2, 1, 0, -1}, {1, 0, 2, -1}, {0, 2, 1, -1}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) exact_difference(entry[i][j], p[i][j], p[3][j]);
    mpq_set_si(total, 0, 1);
    for (int k = 0; k < 6; k++) {
        mpq_mul(product, entry[0][order[k][0]], entry[1][order[k][1]]);
        mpq_mul(product, product, entry[2][order[k][2]]);
        if (order[k][3] > 0)
            mpq_add(total, total, product);
        else
            mpq_sub(total, total, product);
    }
    return mpq_sgn(total);
}

static int exact2(const double *p[3]) {
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) exact_difference(entry[i][j], p[i][j], p[2][j]);
    mpq_mul(total, entry[0][0], entry[1][1]);
    mpq_mul(product, entry[0][1], entry[1][0]);
    mpq_sub(total, total, product);
    return mpq_sgn(total);
}

/* Four points nearly in a plane: small grids, a plane through rounded combinations, a nudge of some last places. */
static void nasty(double p[4][3]) {
    int style = (int)mus_rng_below(&rng, 6);
    double scale = ldexp(1, (int)mus_rng_below(&rng, 60) - 40), far = style == 4 ? 1e6 : 0;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            p[i][k] = style == 0   ? (double)mus_rng_below(&rng, 4) * scale
                      : style == 1 ? 0.1 * (double)mus_rng_below(&rng, 10)
                                   : far + scale * between(-1, 1);
    if (style >= 2) {
        double s = style == 3 ? (double)mus_rng_below(&rng, 2) : between(-1, 2), t = between(-1, 2);
        for (int k = 0; k < 3; k++) {
            p[3][k] = p[0][k] + s * (p[1][k] - p[0][k]) + t * (p[2][k] - p[0][k]);
            for (int n = (int)mus_rng_below(&rng, 3); n > 0; n--)
                p[3][k] = nextafter(p[3][k], mus_rng_below(&rng, 2) ? 1e9 : -1e9);
        }
    }
    if (style == 5) p[2][0] = p[0][0] + 1e-17 * between(-1, 1), p[2][1] = p[0][1], p[2][2] = p[0][2];
}

static int gts_sign(double x) {
    return (x > 0) - (x < 0);
}

static void test_orient3d(void **state) {
    (void)state;
    rng = mus_rng_make(21, 0);
    int wrong = 0, naive_wrong = 0, gts_differs = 0, zero = 0;
    GtsPoint *g[4];
    for (int i = 0; i < 4; i++) g[i] = gts_point_new(gts_point_class(), 0, 0, 0);
    for (int n = 0; n < 300000; n++) {
        double p[4][3];
        nasty(p);
        const double *row[4] = {p[0], p[1], p[2], p[3]};
        int truth = exact3(row), mine = mus_orient3d(p[0], p[1], p[2], p[3]);
        wrong += mine != truth;
        zero += truth == 0;
        for (int i = 0; i < 4; i++) gts_point_set(g[i], p[i][0], p[i][1], p[i][2]);
        gts_differs += gts_sign(gts_point_orientation_3d(g[0], g[1], g[2], g[3])) != mine;
        assert_int_equal(mus_orient3d(p[1], p[0], p[2], p[3]), -mine);
        double a[3], b[3], c[3];
        for (int k = 0; k < 3; k++) a[k] = p[0][k] - p[3][k], b[k] = p[1][k] - p[3][k], c[k] = p[2][k] - p[3][k];
        double det = a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                     a[2] * (b[0] * c[1] - b[1] * c[0]);
        naive_wrong += gts_sign(det) != truth;
    }
    for (int i = 0; i < 4; i++) gts_object_destroy(GTS_OBJECT(g[i]));
    print_message("# orient3d: %d wrong of 300000 (plain floating point: %d), %d in a plane\n", wrong, naive_wrong,
                  zero);
    assert_int_equal(wrong, 0);
    assert_int_equal(gts_differs, 0);
    assert_true(naive_wrong > 10000 && zero > 10000); /* else the points were not nasty */
}

static void test_orient2d(void **state) {
    (void)state;
    rng = mus_rng_make(22, 0);
    int wrong = 0, naive_wrong = 0;
    for (int n = 0; n < 200000; n++) {
        double p[4][3];
        nasty(p);
        double s = between(-1, 2);
        if (n & 1)
            for (int k = 0; k < 2; k++) p[2][k] = p[0][k] + s * (p[1][k] - p[0][k]);
        const double *row[3] = {p[0], p[1], p[2]};
        int truth = exact2(row);
        wrong += mus_orient2d(p[0], p[1], p[2]) != truth;
        double det = (p[0][0] - p[2][0]) * (p[1][1] - p[2][1]) - (p[0][1] - p[2][1]) * (p[1][0] - p[2][0]);
        naive_wrong += gts_sign(det) != truth;
    }
    assert_int_equal(wrong, 0);
    assert_true(naive_wrong > 1000);
}

static void test_convention(void **state) {
    (void)state;
    const double a[3] = {0, 0, 0}, b[3] = {1, 0, 0}, c[3] = {0, 1, 0}, below[3] = {0.2, 0.2, -1},
                 above[3] = {9, 9, 1e-300};
    const double in[3] = {5, -3, 0};
    assert_int_equal(mus_orient3d(a, b, c, below), 1);
    assert_int_equal(mus_orient3d(a, b, c, above), -1);
    assert_int_equal(mus_orient3d(a, b, c, in), 0);
    assert_int_equal(mus_orient2d(a, b, c), 1);
    assert_int_equal(mus_orient2d(b, a, c), -1);
}

/* A coordinate of any size: 0, denormal, tiny, ordinary, as large as a scene may hold, huge; mantissas long or short.
 */
static double any_size(int style) {
    static const int lowest[] = {-1074, -400, -120, -30, 0, 100, 320, 500},
                     highest[] = {-1000, -300, -100, 30, 30, 330, 400, 1023};
    int k = style < 8 ? style : (int)mus_rng_below(&rng, 8);
    if (mus_rng_below(&rng, 6) == 0) return mus_rng_below(&rng, 2) ? 0 : -0.0;
    double mantissa = mus_rng_below(&rng, 2) ? between(-1, 1) : 0.25 * ((double)mus_rng_below(&rng, 8) - 4);
    return ldexp(mantissa, lowest[k] + (int)mus_rng_below(&rng, (uint32_t)(highest[k] - lowest[k] + 1)));
}

/* Every finite input, also where products of coordinates overflow or underflow: what test_orient3d cannot reach. Half
 * of the sets are flat but for some last places. */
static void test_whole_range(void **state) {
    (void)state;
    rng = mus_rng_make(23, 0);
    int wrong3 = 0, wrong2 = 0, zero = 0, count = 60000;
    for (int n = 0; n < count; n++) {
        double p[4][3];
        int style = (int)mus_rng_below(&rng, 9);
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < 3; k++) p[i][k] = any_size(style);
        if (n & 1) /* the last point near an edge's middle, or on it */
            for (int k = 0; k < 3; k++) {
                p[3][k] = 0.5 * p[0][k] + 0.5 * p[1][k];
                if (mus_rng_below(&rng, 3) == 0) p[3][k] = nextafter(p[3][k], between(-1, 1));
            }
        const double *row[4] = {p[0], p[1], p[2], p[3]};
        int truth = exact3(row);
        wrong3 += mus_orient3d(p[0], p[1], p[2], p[3]) != truth;
        zero += truth == 0;
        const double *flat[3] = {p[0], p[1], p[3]};
        wrong2 += mus_orient2d(p[0], p[1], p[3]) != exact2(flat);
    }
    print_message("# the whole range: %d and %d wrong of %d, %d in a plane\n", wrong3, wrong2, count, zero);
    assert_int_equal(wrong3, 0);
    assert_int_equal(wrong2, 0);
    assert_true(zero > 1000);
    const double none[3] = {NAN, 0, 1}, beyond[3] = {INFINITY, 1, 0}, one[3] = {1, 2, 3}, two[3] = {4, 5, 7};
    assert_int_equal(mus_orient3d(none, one, two, beyond), 0);
    assert_int_equal(mus_orient2d(none, one, beyond), 0);
}

/* What the derivation in predicates.c claims for expansions: at both ends of their range, and beyond them. */
static void test_ends_of_the_range(void **state) {
    (void)state;
    static const int exponents[] = {-1022, -300, -201, -200, -199, 0, 29, 30, 299, 300, 301, 350, 1020};
    rng = mus_rng_make(24, 0);
    for (size_t e = 0; e < sizeof exponents / sizeof *exponents; e++)
        for (int n = 0; n < 4000; n++) {
            double p[4][3];
            nasty(p);
            for (int i = 0; i < 12; i++) p[i / 3][i % 3] = ldexp(p[i / 3][i % 3], exponents[e] - 40 * (n & 1));
            bool finite = true;
            for (int i = 0; i < 12; i++) finite &= isfinite(p[i / 3][i % 3]) != 0;
            const double *row[4] = {p[0], p[1], p[2], p[3]};
            if (finite) assert_int_equal(mus_orient3d(p[0], p[1], p[2], p[3]), exact3(row));
        }
    assert_true(MUS_LARGEST_LENGTH < 0x1p300);
}

static int setup(void **state) {
    (void)state;
    for (int i = 0; i < 9; i++) mpq_init(entry[i / 3][i % 3]);
    mpq_inits(product, total, NULL);
    return 0;
}
static int teardown(void **state) {
    (void)state;
    for (int i = 0; i < 9; i++) mpq_clear(entry[i / 3][i % 3]);
    mpq_clears(product, total, NULL);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_convention), cmocka_unit_test(test_orient3d),
                                       cmocka_unit_test(test_orient2d), cmocka_unit_test(test_whole_range),
                                       cmocka_unit_test(test_ends_of_the_range)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
