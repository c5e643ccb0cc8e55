/* incremental.h: terms of springs, membranes, plates and hinges in the potential whose minimum is a step of implicit
 * Euler: energy, and damping as the energy of the change of lengths and angles since the start, so that the sum is an
 * energy that can be minimized and rigid motion has no damping. */
#ifndef MUS_DYNAMICS_INCREMENTAL_H
#define MUS_DYNAMICS_INCREMENTAL_H

#include "dynamics/dynamics.h"

/* Starts a step at `start`; must precede the other functions. */
void mus_incremental_begin(mus_dynamics *dynamics, const mus_cloth *cloth, const v3 *start);
/* J, of cloth at x when the step of dt began at `start`; for springs with users' laws, the work done on them since
 * then. */
double mus_incremental_energy(mus_dynamics *dynamics, const mus_cloth *cloth, const v3 *start, const v3 *x, double dt);
/* Adds the forces, -gradient (N), and to the matrix dt^2 times a positive semidefinite second derivative. */
void mus_incremental_forces(mus_dynamics *dynamics, const mus_cloth *cloth, const v3 *start, const v3 *x, double dt,
                            v3 *force, mus_block_matrix *matrix);

#endif
