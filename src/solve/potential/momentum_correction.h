/* momentum_correction.h: momentum to the last digit, whatever a linear solver leaves over. */
#ifndef MUS_SOLVE_POTENTIAL_MOMENTUM_CORRECTION_H
#define MUS_SOLVE_POTENTIAL_MOMENTUM_CORRECTION_H

#include "linear/block_matrix.h"
#include "response/ogc.h"
#include "solve/potential/newton_rigid.h"

/* Of a cloth or a rigid body: with which others it moves, and what the group has still to move by. */
typedef struct mus_momentum_correction {
    int32_t joined;       /* a cloth before it that it is sewn to, or itself; set once */
    int32_t group_parent; /* one of its group before it, or itself */
    bool is_constrained;  /* by a pin or an obstacle, which momentum goes to */
    mus_sym3 inertia;
    v3 missing_impulse; /* kg m */
    v3 shift;           /* m */
} mus_momentum_correction;

/* What cloths have still to be moved by: of a cloth vertex. */
typedef struct mus_momentum_correction_cloths {
    const mus_sym3 *inertia;
    const v3 *target, *impulse;
    v3 *x;
} mus_momentum_correction_cloths;

/* Groups of cloths and bodies that have seams and contacts (`terms`) with each other only are shifted so that over each
 * of them sum of inertia (target - x) + impulse is zero: elastic forces and contacts are equal and opposite within, so
 * that this is all that the minimum asks of a group's translation. `balance`: one a cloth, then one a body; `right`:
 * of bodies as in newton.h, whose shifts are what they have still to be moved by; that of the list is changed. */
void mus_momentum_correction_apply(const mus_assembly *a, const mus_ogc_list *terms,
                                   const mus_momentum_correction_cloths *cloths, mus_newton_rigid_bodies *rigid_bodies,
                                   const v3 *right, mus_momentum_correction *momentum_correction);

#endif
