/* block6.h: the six unknowns of a rigid body in a solve: shift (m) of its centre of mass, then turn (rad) about it.
 * Their symmetric 6x6 blocks are row-major, of which the lower triangle counts. */
#ifndef MUS_SOLVE_BLOCK6_H
#define MUS_SOLVE_BLOCK6_H

#include "base/vec.h"

/* Of a body that nothing touches: kg, and kg m^2 in the world's frame. */
void mus_block6_begin(double block[36], double mass, const m3 *inertia);
/* Where one of unknown k takes what is at the lever `arm`; and what a force f there is to the unknowns, for that. */
v3 mus_block6_motion(int k, v3 arm);
void mus_block6_add(double block[36], int k, v3 arm, v3 f);
/* Into its Cholesky factor; and with that x = (shift, turn) to the block's inverse times x. */
void mus_block6_factor(double block[36]);
void mus_block6_solve(const double factor[36], v3 x[2]);

#endif
