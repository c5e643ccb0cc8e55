/* test_fmath.c: the elementary functions against the C library's, their special cases, and their bits. */
#include "fmath_sample.h"
#include "tests.h"

#include <math.h>
#include <stdlib.h>

static double libm_value(int function, double x, double y) {
    switch (function) {
    case 0:
        return sin(x);
    case 1:
        return cos(x);
    case 2:
        return tan(x);
    case 3:
        return exp(x);
    case 4:
        return log(x);
    case 5:
        return acos(x);
    case 6:
        return asin(x);
    case 7:
        return atan2(x, y);
    default:
        return pow(x, y);
    }
}

static int64_t order(double x) { /* consecutive doubles have consecutive numbers */
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits < 0 ? INT64_MIN - bits : bits;
}

static bool same_bits(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

/* Both are below one unit in the last place, so they differ by one floating-point number at most. */
static void near_the_c_library(void **state) {
    (void)state;
    for (int f = 0; f < FMATH_FUNCTIONS; f++) {
        mus_rng rng = mus_rng_make(99, (uint64_t)f);
        int64_t worst = 0, different = 0;
        enum { N = 100000 };
        for (int k = 0; k < N; k++) {
            double x, y;
            fmath_arguments(f, &rng, &x, &y);
            double mine = fmath_value(f, x, y), theirs = libm_value(f, x, y);
            if (same_bits(mine, theirs)) continue;
            int64_t off = llabs(order(mine) - order(theirs));
            if (off > 1) print_error("%s(%a, %a) = %a, not %a\n", fmath_names[f], x, y, mine, theirs);
            if (off > worst) worst = off;
            different++;
        }
        assert_true(worst <= 1);
        assert_true(different < N / 5); /* and mostly the same */
    }
}

/* Known hard cases: the double nearest to a multiple of pi/2 of all, exact powers, ends of ranges. */
static void hard_cases(void **state) {
    (void)state;
    double x = ldexp(6381956970095103, 797);
    assert_true(mus_cos(x) == -0x1.14ae72e6ba22fp-61);
    assert_true(mus_sin(x) == 1);
    assert_true(mus_sin(3.141592653589793) == 0x1.1a62633145c07p-53); /* pi - double(pi) */
    assert_true(mus_cos(1.5707963267948966) == 0x1.1a62633145c07p-54);
    assert_true(fabs(mus_sin(0x1.fffffffffffffp+1023)) <= 1);
    assert_true(mus_pow(2, 0.5) == sqrt(2.0));
    for (int k = -1074; k < 1024; k++) assert_true(mus_pow(2, k) == ldexp(1, k));
    for (int k = 0; k <= 22; k++) {
        double ten = 1;
        for (int j = 0; j < k; j++) ten *= 10;
        assert_true(mus_pow(10, k) == ten);
    }
    assert_true(mus_pow(3, 33) == 5559060566555523.0 && mus_pow(-3, 33) == -5559060566555523.0);
    assert_true(mus_pow(-2, 4) == 16);
    assert_true(mus_exp(709.782712893384) < INFINITY && mus_exp(709.7827128933841) == INFINITY);
    assert_true(mus_exp(-745.1332191019411) == 0x1p-1074 && mus_exp(-745.1332191019413) == 0);
    assert_true(mus_exp(-708.5) == exp(-708.5) && mus_exp(1) == 2.718281828459045);
    assert_true(mus_log(0x1p-1074) == log(0x1p-1074) && mus_log(2) == 0.6931471805599453);
    assert_true(mus_acos(-1) == 3.141592653589793 && mus_asin(1) == 1.5707963267948966);
    assert_true(mus_atan2(1, 1) == 0.7853981633974483 && mus_atan2(0x1p-1074, 0x1p1000) == 0);
    assert_true(mus_atan2(0x1p-1074, 0x1p-1074) == 0.7853981633974483);
    assert_true(mus_atan2(0x1p1023, 0x1p-1074) == 1.5707963267948966);
}

/* Every function at every pair of special values gives what the C library gives, sign of zero included. */
static void special_values(void **state) {
    (void)state;
    const double values[] = {0.0,
                             -0.0,
                             1,
                             -1,
                             0.5,
                             -0.5,
                             2,
                             -2,
                             3,
                             -3,
                             INFINITY,
                             -INFINITY,
                             NAN,
                             0x1p-1074,
                             -0x1p-1074,
                             0x1p1023,
                             -0x1p1023,
                             0x1p52,
                             0x1p53,
                             0x1p53 + 2,
                             0x1p-30,
                             -0x1p-30,
                             1e300,
                             -1e300,
                             1e-300,
                             -1e-300,
                             1 + 0x1p-52,
                             1 - 0x1p-53,
                             0x1.fffffffffffffp+1023,
                             4503599627370497.0};
    const int count = (int)(sizeof values / sizeof *values);
    for (int f = 0; f < FMATH_FUNCTIONS; f++) {
        for (int i = 0; i < count; i++) {
            for (int j = 0; j < count; j++) {
                double mine = fmath_value(f, values[i], values[j]), theirs = libm_value(f, values[i], values[j]);
                bool exact = mine == 0 || isinf(mine) || isnan(mine) || theirs == 0 || isinf(theirs) || isnan(theirs);
                bool good = exact ? same_bits(mine, theirs) : llabs(order(mine) - order(theirs)) <= 1;
                if (!good) print_error("%s(%a, %a) = %a, not %a\n", fmath_names[f], values[i], values[j], mine, theirs);
                assert_true(good);
            }
        }
    }
}

/* Symmetries hold to the bit. */
static void symmetries(void **state) {
    (void)state;
    mus_rng rng = mus_rng_make(5, 5);
    for (int k = 0; k < 20000; k++) {
        double x = fmath_scaled(&rng, -30, 60), y = fmath_scaled(&rng, -30, 60);
        assert_true(mus_sin(-x) == -mus_sin(x) && mus_cos(-x) == mus_cos(x) && mus_tan(-x) == -mus_tan(x));
        assert_true(mus_atan2(-y, x) == -mus_atan2(y, x));
        double s = mus_sin(x), c = mus_cos(x);
        assert_true(fabs(s * s + c * c - 1) < 1e-15);
    }
}

/* Pinned bits. A change here changes every scene that uses them: it must be meant, and stand in the CHANGELOG. */
static void bits_are_pinned(void **state) {
    (void)state;
    const uint64_t golden[FMATH_FUNCTIONS] = {0x4b031b3ecae0071eu, 0x6eada860b5dfd455u, 0x3fa8d8de530f6e3fu,
                                              0x492e597cb8dc9d3du, 0x404ed85da4d43dc9u, 0x7c4d717b1b7d2bacu,
                                              0x8259364b8092f1a7u, 0x2e2b7b01eb101fa2u, 0xc8290aad809393eeu};
    for (int f = 0; f < FMATH_FUNCTIONS; f++) {
        uint64_t hash = fmath_hash(f);
        if (hash != golden[f]) print_error("%s: %016llx\n", fmath_names[f], (unsigned long long)hash);
        assert_true(hash == golden[f]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(near_the_c_library), cmocka_unit_test(hard_cases),      cmocka_unit_test(special_values),
        cmocka_unit_test(symmetries),         cmocka_unit_test(bits_are_pinned),
    };
    return cmocka_run_group_tests_name("fmath", tests, NULL, NULL);
}
