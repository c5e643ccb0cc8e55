/* momentum_correction.h: conserves momentum up to rounding, independent of the residual of the linear solver. */
#ifndef MUS_SOLVE_POTENTIAL_MOMENTUM_CORRECTION_H
#define MUS_SOLVE_POTENTIAL_MOMENTUM_CORRECTION_H

#include "linear/block_matrix.h"
#include "response/ogc.h"
#include "solve/potential/newton_rigid.h"

/* Of a cloth or a rigid body: the group that it moves with, and the correction of the group. */
typedef struct mus_momentum_correction {
    int32_t joined;       /* an earlier cloth that it is sewn to, or itself; set once */
    int32_t group_parent; /* an earlier member of its group, or itself */
    bool is_constrained;  /* by a pin or an obstacle, which absorbs momentum */
    mus_sym3 inertia;
    v3 missing_impulse; /* kg m */
    v3 shift;           /* m */
} mus_momentum_correction;

/* Corrections of cloths: of each cloth vertex. */
typedef struct mus_momentum_correction_cloths {
    const mus_sym3 *inertia;
    const v3 *target, *impulse;
    v3 *x;
} mus_momentum_correction_cloths;

/* Shifts each group of cloths and bodies that have seams and contacts (`terms`) with each other only, so that the sum
 * of inertia (target - x) + impulse over it is zero: elastic forces and contacts within a group are equal and opposite,
 * so this is the condition of the minimum for its translation. `momentum_correction`: one for each cloth, then one for
 * each body; `right`: of bodies as in newton.h, whose shifts are the corrections that remain; the shifts in the list
 * change. */
void mus_momentum_correction_apply(const mus_assembly *a, const mus_ogc_list *terms,
                                   const mus_momentum_correction_cloths *cloths, mus_newton_rigid_bodies *rigid_bodies,
                                   const v3 *right, mus_momentum_correction *momentum_correction);

#endif
