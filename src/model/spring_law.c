/* spring_law.c: the spring that represents a buckled strip (Choi & Ko 2002, "Stable but responsive cloth"; Jung 2005,
 * eq. 4.7 to 4.9).
 *
 * A span whose ends are nearer than its length r is an arc of curvature k = (2/r) sinc^-1(x/r), with the energy
 * 1/2 kb r k^2. With q = (k r/2)^2 and S(q) = sinc(sqrt q), an entire function, S(q) = x/r and the energy is 2 kb q/r:
 * the tension is 2 kb/(r^2 S'(q)), the same as kb k^2/(cos(k r/2) - sinc(k r/2)), and its slope
 * -2 kb S''(q)/(r^3 S'(q)^3). It would jump to the buckling load -12 kb/r^2 at x = r: the ramp cb (x - r) is used while
 * its compression is the smaller one. Newton's method finds q from S, to a relative 1e-14 for all x/r from 0 to 1. */
#include "model/spring_law.h"

#include <math.h>

enum { TERMS = 15, ROUNDS = 5 };

typedef struct arc {
    double q, slope, bend; /* q, S'(q), S''(q) */
} arc;

/* S(q) = 1 - q T(q), T(q) = sum c[k] (-q)^k */
static const double c[TERMS] = {1 / 6.0,
                                1 / 120.0,
                                1 / 5040.0,
                                1 / 362880.0,
                                1 / 39916800.0,
                                1 / 6227020800.0,
                                1 / 1307674368000.0,
                                1 / 355687428096000.0,
                                1 / 121645100408832000.0,
                                1 / 51090942171709440000.0,
                                1 / 25852016738884976640000.0,
                                1 / 15511210043330985984000000.0,
                                1 / 10888869450418352160768000000.0,
                                1 / 8841761993739701954543616000000.0,
                                1 / 8222838654177922817725562880000000.0};

/* `shrunk`: 1 - x/r, 0..1. */
static arc arc_of(double shrunk) {
    arc a = {.q = shrunk * (6 + shrunk * (1.8 + 2.0696044 * shrunk))};
    for (int round = 0; round <= ROUNDS; round++) {
        double t = 0, s1 = 0, s2 = 0;
        for (int k = TERMS - 1; k >= 0; k--) { /* S' = -sum (k + 1) c (-q)^k, S'' = sum (k + 1) k c (-q)^(k - 1) */
            t = c[k] - a.q * t;
            s1 = (k + 1) * c[k] - a.q * s1;
            if (k > 0) s2 = k * (k + 1) * c[k] - a.q * s2;
        }
        a.slope = -s1, a.bend = s2;
        if (round < ROUNDS) a.q += (shrunk - a.q * t) / s1;
    }
    return a;
}

/* kb = bending r/4: strips half as wide as a span is long, side by side, along both directions of a square grid; on
 * triangles, for the two vertices across an edge, the error is 3 %. */
static double rigidity(const mus_spring_law *law, double rest) {
    return 0.25 * law->bending * rest;
}

/* At least so steep that it crosses the arc's compression, which grows from 12 to 4 pi^2 kb/r^2, once. */
static double ramp_of(const mus_spring_law *law, double rest) {
    return fmax(law->stiffness, 40 * rigidity(law, rest) / (rest * rest * rest));
}

double mus_arc_tension(const mus_spring_law *law, double rest, double length, double *slope) {
    *slope = 0;
    if (length >= rest) return 0;
    arc a = arc_of(1 - length / rest);
    double kb = rigidity(law, rest), arc_force = 2 * kb / (rest * rest * a.slope), steep = ramp_of(law, rest),
           ramp = steep * (length - rest);
    if (ramp >= arc_force) {
        *slope = steep;
        return ramp;
    }
    *slope = -2 * kb * a.bend / (rest * rest * rest * a.slope * a.slope * a.slope);
    return arc_force;
}

/* Shortening of a span at which the compressions of ramp and arc are equal, by Newton's method from 0: the difference
 * is concave, so that the iteration converges from one side. */
static double crossing_length(const mus_spring_law *law, double rest) {
    double kb = rigidity(law, rest), steep = ramp_of(law, rest), shrunk = 0;
    for (int k = 0; k < 60; k++) {
        arc a = arc_of(shrunk / rest);
        double off = steep * shrunk + 2 * kb / (rest * rest * a.slope);
        double rate = steep + 2 * kb * a.bend / (rest * rest * rest * a.slope * a.slope * a.slope);
        double next = fmin(rest, shrunk - off / rate);
        if (!(off < 0 && next > shrunk)) break;
        shrunk = next;
    }
    return shrunk;
}

double mus_arc_energy(const mus_spring_law *law, double rest, double length) {
    if (length >= rest) return 0;
    double shrunk = rest - length, steep = ramp_of(law, rest), first = crossing_length(law, rest);
    if (shrunk <= first) return 0.5 * steep * shrunk * shrunk;
    double bent = 2 * rigidity(law, rest) / rest * (arc_of(shrunk / rest).q - arc_of(first / rest).q);
    return 0.5 * steep * first * first + bent;
}

double mus_spring_stiffest(const mus_spring_law *law, double rest) {
    if (!law->arc) return mus_spring_stiffness(law, rest);
    static const double steepest = 118.5; /* 12 pi^2 kb/r^3, where the ends touch */
    return fmax(ramp_of(law, rest), steepest * rigidity(law, rest) / (rest * rest * rest));
}
