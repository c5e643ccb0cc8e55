/* test_rng_hash.c: random streams are pinned, uniform and apart; hashes are XXH3's. */
#include "base/hash.h"
#include "base/rng.h"
#include "base/timer.h"
#include "muslin.h"
#include "tests.h"
#include "muslin/host.h"

#include <string.h>

static void stream_is_pinned(void **state) {
    (void)state;
    /* xoshiro256** from state {1, 2, 3, 4}: 5*2 rotated by 7 times 9 is 11520, then by hand from the definition. */
    mus_rng rng = {{1, 2, 3, 4}};
    assert_int_equal(mus_rng_next(&rng), 11520);
    assert_int_equal(mus_rng_next(&rng), 0);
    assert_int_equal(mus_rng_next(&rng), 1509978240);
    /* The seeding, pinned so that saved worlds and reports keep their meaning. */
    rng = mus_rng_make(1, 0);
    uint64_t bits[4];
    for (int k = 0; k < 4; k++) bits[k] = mus_rng_next(&rng);
    assert_int_equal(mus_hash_bytes(bits, sizeof bits), 0xe1f238afe0437f28);
}

static void streams_are_apart(void **state) {
    (void)state;
    mus_rng a = mus_rng_make(1, 0), b = mus_rng_make(2, 0), c = mus_rng_make(1, 1), d = mus_rng_make(0, 1);
    mus_rng again = mus_rng_make(1, 0);
    int same = 0;
    for (int k = 0; k < 1000; k++) {
        uint64_t x = mus_rng_next(&a), y = mus_rng_next(&b), z = mus_rng_next(&c), w = mus_rng_next(&d);
        assert_int_equal(mus_rng_next(&again), x);
        same += (x == y) + (x == z) + (y == z) + (x == w) + (y == w) + (z == w);
    }
    assert_int_equal(same, 0);
}

static void doubles_are_uniform(void **state) {
    (void)state;
    enum { N = 200000, BINS = 64 };
    for (uint64_t seed = 0; seed < 4; seed++) {
        mus_rng rng = mus_rng_make(seed, 0);
        int bins[BINS] = {0};
        double sum = 0, product = 0, before = 0.5;
        for (int k = 0; k < N; k++) {
            double x = mus_rng_double(&rng);
            assert_true(x >= 0 && x < 1);
            bins[(int)(x * BINS)]++;
            sum += x;
            product += (x - 0.5) * (before - 0.5);
            before = x;
        }
        double chi2 = 0;
        for (int k = 0; k < BINS; k++) {
            double d = bins[k] - (double)N / BINS;
            chi2 += d * d / ((double)N / BINS);
        }
        assert_true(chi2 > 25 && chi2 < 120);                          /* 63 degrees of freedom, beyond 5 sigma */
        assert_true(sum / N > 0.5 - 0.0033 && sum / N < 0.5 + 0.0033); /* 5 sigma of 0.2887/sqrt(N) */
        assert_true(product / N > -0.00094 && product / N < 0.00094);  /* 5 sigma of 1/12/sqrt(N) */
    }
}

static void ranges_are_kept(void **state) {
    (void)state;
    mus_rng rng = mus_rng_make(3, 0);
    int seen[6] = {0};
    for (int k = 0; k < 60000; k++) {
        uint64_t x = mus_rng_below(&rng, 6);
        assert_true(x < 6);
        seen[x]++;
        double y = mus_rng_between(&rng, 1, 1 + 0x1p-52); /* rounding would reach the upper end */
        assert_true(y == 1);
    }
    for (int k = 0; k < 6; k++) assert_in_range(seen[k], 9500, 10500);
    assert_int_equal(mus_rng_below(&rng, 1), 0);
    assert_true(mus_rng_between(&rng, 2, 2) == 2);
    for (int k = 0; k < 100; k++) assert_true(mus_rng_below(&rng, (1ull << 63) + 1) <= 1ull << 63);
}

static void hash_is_xxh3(void **state) {
    (void)state;
    assert_int_equal(mus_hash_bytes("", 0), 0x2d06800538d394c2); /* XXH3 of nothing, as published */
    assert_int_equal(mus_hash_bytes("muslin", 6), 0x82f6b3296360301e);
    char block[1000];
    for (int k = 0; k < 1000; k++) block[k] = (char)(k * 7);
    assert_int_equal(mus_hash_bytes(block, sizeof block), 0x10ad30264426c830);
    /* Unaligned data and every single bit matter. */
    char shifted[1001];
    memcpy(shifted + 1, block, 1000);
    uint64_t hash = mus_hash_bytes(block, 1000);
    assert_int_equal(mus_hash_bytes(shifted + 1, 1000), hash);
    for (int k = 0; k < 8000; k++) {
        block[k / 8] ^= (char)(1 << k % 8);
        assert_int_not_equal(mus_hash_bytes(block, 1000), hash);
        block[k / 8] ^= (char)(1 << k % 8);
    }
    uint64_t a = mus_hash_chain(mus_hash_chain(0, "a", 1), "b", 1),
             b = mus_hash_chain(mus_hash_chain(0, "b", 1), "a", 1);
    assert_int_not_equal(a, b);
    assert_int_equal(mus_hash_chain(0, block, 1000), mus_hash_bytes(block, 1000));
}

static void clock_goes_forward(void **state) {
    (void)state;
    double t = mus_timer_ms(), last = t;
    while (last < t + 2) {
        double now = mus_timer_ms();
        assert_true(now >= last);
        last = now;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stream_is_pinned), cmocka_unit_test(streams_are_apart), cmocka_unit_test(doubles_are_uniform),
        cmocka_unit_test(ranges_are_kept),  cmocka_unit_test(hash_is_xxh3),      cmocka_unit_test(clock_goes_forward),
    };
    return cmocka_run_group_tests_name("rng and hash", tests, NULL, NULL);
}
