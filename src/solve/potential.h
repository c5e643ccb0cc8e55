/* potential.h: the potential family of pipelines: a step is the minimum of one energy, inertia, cloth and contacts
 * together, sought by moves that can never pass through anything. */
#ifndef MUS_SOLVE_POTENTIAL_H
#define MUS_SOLVE_POTENTIAL_H

#include "response/truncation.h"
#include "solve/balance.h"
#include "solve/newton.h"
#include "solve/solver.h"

/* How hard the minimum is sought. */
struct mus_minimiser {
    int32_t iterations;   /* at most: each with cloth and contact geometry anew, and ending in a truncated move */
    int32_t relinearised; /* in an iteration, with fresh geometry of the cloth alone, and friction by the new loads */
    int32_t insisted;     /* at most, as long as the residual is above `hard` */
    double hard;          /* m/s^2 */
    int32_t rounds;       /* of linear solves each */
    int32_t limit;        /* conjugate gradients, or sweeps, in a round */
    double tolerance;     /* m/s^2: residual acceleration at which it is good enough */
    bool descent;         /* rounds are sweeps over vertices */
};

extern const mus_minimiser mus_minimiser_incremental;
extern const mus_minimiser mus_minimiser_newton;
extern const mus_minimiser mus_minimiser_vbd;
extern const mus_family mus_family_potential;

typedef struct mus_potential {
    mus_newton newton;
    mus_block_matrix **matrices; /* of the cloths' dynamics */
    v3 *start;                   /* all vertices, when the attempt began */
    v3 *predicted;               /* all: where they would be by their velocities, prescribed ones where they will be */
    v3 *fall;                    /* cloth vertices: displacement by gravity in a step */
    v3 *target;                  /* cloth vertices: x0 + dt v0, */
    v3 *impulse;                 /* kg m: what external forces add, */
    mus_sym3 *inertia;           /* kg: mass, and the air's hold */
    mus_balance *balance;        /* one a cloth */
    v3 *planes;                  /* normal0, point0 of each body when the attempt began */
} mus_potential;

/* N: what a complete row's energy pushes with where the step begins. */
double mus_potential_load(const mus_solver *solver, const mus_row *row);

/* certify.c: cuts the moves x0 -> x1 until no pair comes nearer than its share of the gap it had: the ends are then
 * certified free of crossings, given that the start is. NO_SAFE_STEP names what is pinched. */
mus_status mus_solver_certify(mus_solver *solver, const mus_step_input *input, mus_candidate_list *list);
/* Does the pair come within `distance` between x0 and x1? The axis that settled it last is tried first. */
bool mus_solver_meets(mus_solver *solver, mus_candidate *c, double distance, double tolerance, double *toi);
/* The gap, m, that a pair is certified to keep. */
double mus_certified_gap(const mus_candidate *c, double thickness);

#endif
