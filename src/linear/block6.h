/* block6.h: the six unknowns of a rigid body in a solve: shift (m) of its center of mass, then turn (rad) about it.
 * Their symmetric 6x6 blocks are row-major; only the lower triangle is used. */
#ifndef MUS_LINEAR_BLOCK6_H
#define MUS_LINEAR_BLOCK6_H

#include "base/vec.h"

/* Block of a body without contacts: kg, and kg m^2 in the world's frame. */
void mus_block6_begin(double block[36], double mass, const m3 *inertia);
/* Motion of the point at contact arm `arm` for one of unknown k; and adds the force f there, with its moment, to column
 * k. */
v3 mus_block6_motion(int k, v3 arm);
void mus_block6_add(double block[36], int k, v3 arm, v3 f);
/* Replaces a block by its Cholesky factor; and with the factor, x = (shift, turn) by the block's inverse times x. */
void mus_block6_factor(double block[36]);
void mus_block6_solve(const double factor[36], v3 x[2]);

#endif
