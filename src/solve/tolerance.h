/* tolerance.h: the distance at which a pair counts as colliding, for tests that approximate surfaces (Jung 2005,
 * 3.1-3.2). */
#ifndef MUS_SOLVE_TOLERANCE_H
#define MUS_SOLVE_TOLERANCE_H

#include "narrow/candidate_pairs.h"
#include "trace/program.h"
#include "muslin/world.h"

typedef struct mus_tolerances {
    mus_tolerance def;      /* for this step */
    MUS_ARRAY(double) each; /* m: values of `place` of the definition, one for each vertex */
    MUS_ARRAY(double) registers;
} mus_tolerances;

/* Evaluates the tolerance for a step or substep that begins at `time` at the assembly's x0. INVALID, with the place, if
 * the function returns a value that is not > 0 and finite. */
mus_status mus_tolerances_begin(mus_tolerances *tolerances, const mus_tolerance *def, const mus_assembly *assembly,
                                double time);
void mus_tolerances_free(mus_tolerances *tolerances);

/* m: the pair's thickness, reduced by the tolerance. */
double mus_tolerances_distance(const mus_tolerances *tolerances, const mus_assembly *assembly,
                               const mus_candidate_pair *c);

#endif
