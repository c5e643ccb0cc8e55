/* test_numbers.c: decimal text and doubles, against the C library bit for bit. */
#include "io/number.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t stream = 88172645463325252u;

static uint64_t draw(void) { /* xorshift */
    stream ^= stream << 13;
    stream ^= stream >> 7;
    stream ^= stream << 17;
    return stream;
}

static void expect_text(double value) {
    char text[MUS_NUMBER_ROOM + 1], wanted[64];
    text[mus_number_format(value, text)] = 0;
    snprintf(wanted, sizeof wanted, "%.17g", value);
    assert_string_equal(text, wanted);
    const char *at = text;
    double back;
    assert_true(mus_number_parse(&at, &back));
    assert_true(*at == 0);
    assert_memory_equal(&back, &value, sizeof value);
}

static void expect_read(const char *text) {
    const char *at = text;
    double value = 0, wanted = strtod(text, NULL);
    assert_true(mus_number_parse(&at, &value));
    if (memcmp(&value, &wanted, sizeof value) != 0) fail_msg("%s gave %.17g", text, value);
}

static void writes(void **state) {
    (void)state;
    const double places[] = {1e-3, 1e-2,   1e-1, 1e-4, 1,     10,     1e15,     1e16,
                             1e17, 0x1p53, 0,    -0.0, 1e300, 5e-324, 0x1p-1022};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        double below = places[i], above = places[i];
        for (int k = 0; k < 40; k++) {
            expect_text(below);
            expect_text(-above);
            below = nextafter(below, -INFINITY);
            above = nextafter(above, INFINITY);
        }
    }
    for (int i = 0; i < 100000; i++) {
        uint64_t bits = draw();
        double any;
        memcpy(&any, &bits, sizeof any);
        if (isfinite(any)) expect_text(any);
        expect_text(ldexp((double)(int64_t)draw(), -63 + (int)(draw() % 80) - 20));
        expect_text((float)ldexp((double)(int64_t)draw(), -63));
        expect_text((double)(draw() % 100000) / 1000);
    }
}

static void reads(void **state) {
    (void)state;
    const char *texts[] = {"1",
                           "+1",
                           "-0",
                           ".5",
                           "5.",
                           "-.5e1",
                           "1E+2",
                           "1e-400",
                           "0e99999",
                           "00012",
                           "1.50000000000000000000000000000",
                           "12345678901234567890123",
                           "0.00000000000000000000000000000000000000001",
                           "9007199254740993",
                           "179769313486231570e291",
                           "1e23",
                           "8.5e-5",
                           "0.000000000000000000000e5"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) expect_read(texts[i]);
    char text[80];
    for (int i = 0; i < 100000; i++) {
        int digits = 1 + (int)(draw() % 22), n = 0, point = (int)(draw() % 23);
        if (draw() & 1) text[n++] = '-';
        for (int k = 0; k < digits; k++) {
            if (k == point) text[n++] = '.';
            text[n++] = (char)('0' + draw() % 10);
        }
        text[n] = 0;
        if (draw() % 3 == 0) snprintf(text + n, 8, "e%d", (int)(draw() % 60) - 30);
        expect_read(text);
        /* The most digits behind the point, where the quotient has the fewest bits to spare. */
        snprintf(text, sizeof text, ".%019llu", (unsigned long long)(draw() % 10000000000000000000u));
        expect_read(text);
        /* Halfway between two doubles, exactly, with and without a fraction. */
        uint64_t middle = (1ull << 53 | draw() >> 11) * 2 + 1;
        snprintf(text, sizeof text, "%llu", (unsigned long long)middle);
        expect_read(text);
        snprintf(text, sizeof text, "%llu.5", (unsigned long long)(1ull << 52 | draw() >> 12));
        expect_read(text);
        snprintf(text, sizeof text, "%llu.50000000000000001", (unsigned long long)(1ull << 52 | draw() >> 12));
        expect_read(text);
    }
}

static void refuses(void **state) {
    (void)state;
    const char *texts[] = {
        "",    "-",   ".",    "+.",       "e5",    "1e",     "1e+", "1e5x", "1.2.3", "1,5", "0x10",
        "nan", "inf", "-inf", "infinity", "1e999", "-1e400", "1d5", "--1",  " 1",    "1_0", "0.1e1000000000000"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *at = texts[i];
        double value = 7;
        if (mus_number_parse(&at, &value)) fail_msg("'%s' gave %g", texts[i], value);
        assert_ptr_equal(at, texts[i]);
    }
    const char *blank = "1.5\t2", *at = blank;
    double value;
    assert_true(mus_number_parse(&at, &value));
    assert_true(value == 1.5 && at == blank + 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(writes), cmocka_unit_test(reads), cmocka_unit_test(refuses)};
    return cmocka_run_group_tests_name("numbers", tests, NULL, NULL);
}
