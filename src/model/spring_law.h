/* spring_law.h: shared by the springs of a kind: tension as a function of length. */
#ifndef MUS_MODEL_SPRING_LAW_H
#define MUS_MODEL_SPRING_LAW_H

#include <stdbool.h>

typedef struct mus_spring_law {
    double stiffness;   /* N/m; of an arc the ramp cb */
    double compression; /* share of the stiffness below the rest length */
    /* N m, bending rigidity of the sheet that the springs represent; 0: none. A straight spring of length r has 144
     * bending/r^2 (N/m) of it: its energy equals the sheet's at a fold of one radian over the span, and is larger
     * above, smaller below, as is usual for such springs. Of an arc, spring_law.c. */
    double bending;
    bool arc; /* buckles instead of being compressed; no tension */
} mus_spring_law;

static inline double mus_spring_stiffness(const mus_spring_law *law, double rest) {
    return law->bending > 0 ? law->stiffness + 144 * law->bending / (rest * rest) : law->stiffness;
}

/* Of an arc; energy in J, 0 at rest. */
double mus_arc_tension(const mus_spring_law *law, double rest, double length, double *slope);
double mus_arc_energy(const mus_spring_law *law, double rest, double length);

/* N, at a length > 0 m, negative in compression; `slope`: its derivative, N/m, never below zero. */
static inline double mus_spring_tension(const mus_spring_law *law, double rest, double length, double *slope) {
    if (law->arc) return mus_arc_tension(law, rest, length, slope);
    double stiffness = mus_spring_stiffness(law, rest), strain = length - rest;
    *slope = strain < 0 ? stiffness * law->compression : stiffness;
    return *slope * strain;
}

static inline double mus_spring_energy(const mus_spring_law *law, double rest, double length) {
    if (law->arc) return mus_arc_energy(law, rest, length);
    double stiffness = mus_spring_stiffness(law, rest), strain = length - rest;
    return 0.5 * (strain < 0 ? stiffness * law->compression : stiffness) * strain * strain;
}

/* The largest slope, N/m. */
double mus_spring_stiffest(const mus_spring_law *law, double rest);

#endif
