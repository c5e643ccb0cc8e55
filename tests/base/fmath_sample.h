/* fmath_sample.h: points on which the elementary functions are compared, and the hash of what they gave. */
#ifndef MUS_TESTS_FMATH_SAMPLE_H
#define MUS_TESTS_FMATH_SAMPLE_H

#include "base/hash.h"
#include "base/rng.h"
#include "muslin.h"
#include "muslin/math.h"

#include <string.h>

enum { FMATH_FUNCTIONS = 9, FMATH_SAMPLES = 20000 };

static const char *const fmath_names[FMATH_FUNCTIONS] = {"sin",  "cos",  "tan",   "exp", "log",
                                                         "acos", "asin", "atan2", "pow"};

static inline double fmath_scaled(mus_rng *rng, int low, int high) { /* +-[0.5, 1) 2^e, e uniform in low..high */
    double x = mus_rng_between(rng, 0.5, 1);
    int e = low + (int)mus_rng_below(rng, (uint64_t)(high - low + 1));
    for (; e > 0; e--) x *= 2;
    for (; e < 0; e++) x *= 0.5;
    return mus_rng_next(rng) & 1 ? -x : x;
}

/* Arguments of sample k of a function: most in the usual ranges, a third anywhere. */
static inline void fmath_arguments(int function, mus_rng *rng, double *x, double *y) {
    bool wild = mus_rng_below(rng, 3) == 0;
    *y = 0;
    switch (function) {
    case 0:
    case 1:
    case 2:
        *x = wild ? fmath_scaled(rng, -40, 1024) : mus_rng_between(rng, -100, 100);
        break;
    case 3:
        *x = wild ? fmath_scaled(rng, -60, 9) : mus_rng_between(rng, -30, 30);
        break;
    case 4:
        *x = wild ? fmath_scaled(rng, -1073, 1024) : mus_rng_between(rng, 0, 3);
        if (*x < 0) *x = -*x;
        break;
    case 5:
    case 6:
        *x = wild ? fmath_scaled(rng, -60, 0) : mus_rng_between(rng, -1, 1);
        break;
    case 7:
        *x = wild ? fmath_scaled(rng, -1000, 1000) : mus_rng_between(rng, -2, 2);
        *y = wild ? fmath_scaled(rng, -1000, 1000) : mus_rng_between(rng, -2, 2);
        break;
    default:
        *x = wild ? 1 + fmath_scaled(rng, -50, -1) : mus_rng_between(rng, 0, 20);
        *y = wild ? fmath_scaled(rng, -10, 40) : mus_rng_between(rng, -20, 20);
        break;
    }
}

static inline double fmath_value(int function, double x, double y) {
    switch (function) {
    case 0:
        return mus_sin(x);
    case 1:
        return mus_cos(x);
    case 2:
        return mus_tan(x);
    case 3:
        return mus_exp(x);
    case 4:
        return mus_log(x);
    case 5:
        return mus_acos(x);
    case 6:
        return mus_asin(x);
    case 7:
        return mus_atan2(x, y);
    default:
        return mus_pow(x, y);
    }
}

static inline uint64_t fmath_hash(int function) {
    mus_rng rng = mus_rng_make(2026, (uint64_t)function);
    uint64_t hash = 0;
    for (int k = 0; k < FMATH_SAMPLES; k++) {
        double x, y, value;
        fmath_arguments(function, &rng, &x, &y);
        value = fmath_value(function, x, y);
        hash = mus_hash_chain(hash, &value, sizeof value);
    }
    return hash;
}

#endif
