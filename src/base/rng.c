/* rng.c: xoshiro256** (Blackman and Vigna, Scrambled linear pseudorandom number generators, 2018). */
#include "base/rng.h"

static uint64_t splitmix(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t rotate(uint64_t x, int k) {
    return (x << k) | (x >> (64 - k));
}

mus_rng mus_rng_make(uint64_t seed, uint64_t stream) {
    mus_rng rng;
    uint64_t state = stream;
    state = splitmix(&state) ^ seed; /* scrambled, so that (seed, stream) and (stream, seed) differ */
    for (int k = 0; k < 4; k++) rng.s[k] = splitmix(&state);
    return rng; /* four consecutive outputs of a bijection of a counter are never all zero */
}

uint64_t mus_rng_next(mus_rng *rng) {
    uint64_t *s = rng->s;
    uint64_t result = rotate(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

double mus_rng_double(mus_rng *rng) {
    return (double)(mus_rng_next(rng) >> 11) * 0x1p-53;
}

double mus_rng_between(mus_rng *rng, double a, double b) {
    double t = mus_rng_double(rng);
    double x = a + t * (b - a);
    return x < b ? x : a; /* rounding may reach b */
}

uint64_t mus_rng_below(mus_rng *rng, uint64_t bound) {
    uint64_t unfair = (0 - bound) % bound; /* 2^64 mod bound: so many lowest values would favor low results */
    uint64_t x;
    do x = mus_rng_next(rng);
    while (x < unfair);
    return x % bound;
}
