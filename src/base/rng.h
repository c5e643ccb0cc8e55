/* rng.h: seeded random streams, xoshiro256** (Blackman and Vigna, 2018) with its state filled by splitmix64. */
#ifndef MUS_BASE_RNG_H
#define MUS_BASE_RNG_H

#include <stdint.h>

typedef struct mus_rng { /* plain data, copied into snapshots */
    uint64_t s[4];
} mus_rng;

/* Streams of one seed are independent of each other; every seed, including 0, is valid. */
mus_rng mus_rng_make(uint64_t seed, uint64_t stream);
uint64_t mus_rng_next(mus_rng *rng);                      /* 64 random bits */
double mus_rng_double(mus_rng *rng);                      /* [0, 1), a multiple of 2^-53 */
double mus_rng_between(mus_rng *rng, double a, double b); /* [a, b), or a when they are equal */
uint64_t mus_rng_below(mus_rng *rng, uint64_t bound);     /* 0 .. bound-1 without bias; bound > 0 */

#endif
