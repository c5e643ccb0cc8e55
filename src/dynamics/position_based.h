/* position_based.h: position-based dynamics with a given number of iterations, for tests of convergence. */
#ifndef MUS_DYNAMICS_POSITION_BASED_H
#define MUS_DYNAMICS_POSITION_BASED_H

#include "dynamics/dynamics.h"

/* Number of iterations of the integrator. */
enum { MUS_POSITION_BASED_ITERATIONS = 40 };

mus_integrator_result mus_position_based_advance(mus_dynamics *d, const mus_cloth *cloth,
                                                 const mus_environment *environment, double previous_dt, double dt,
                                                 int iterations, const v3 *x0, const v3 *v0, v3 *x1, v3 *v1);

#endif
