/* explicit.h: shared by explicit integrators: forces, prescribed vertices, and the number of substeps. */
#ifndef MUS_DYNAMICS_EXPLICIT_H
#define MUS_DYNAMICS_EXPLICIT_H

#include "dynamics/dynamics.h"

/* A vertex as the stiffest oscillator that it can be part of: x'' = -omega2 x - rate x' (1/s^2, 1/s), by Gershgorin's
 * bound of the largest eigenvalue of M^-1 K. Returns the largest stable step of a method on it, s. */
typedef double (*mus_stable_step)(const mus_cloth *cloth, double omega2, double rate);

/* Of v' = v - h (omega2 x + rate v), x' = x + h v': stable where omega2 h^2 + 2 rate h < 4. */
double mus_leapfrog_stable(const mus_cloth *cloth, double omega2, double rate);

/* Number of substeps of the leapfrog method. */
int32_t mus_leapfrog_substep_count(mus_dynamics *d, const mus_cloth *cloth, const v3 *x, double dt);
/* `advance` of an integrator: v' = v + h a, x' = x + h v' in each substep. Gravity and external forces act from the
 * middle of the previous substep (previous_dt for the first) to the middle of this one; internal forces do, too, if
 * `staggered`, else for h. */
mus_integrator_result mus_leapfrog_advance(mus_dynamics *d, const mus_cloth *cloth, const mus_environment *environment,
                                           double previous_dt, double dt, const v3 *x0, const v3 *v0, v3 *x1, v3 *v1,
                                           bool staggered);

/* Number of equal substeps of a step such that each is at most half the stable step; overwrites d->change. */
int32_t mus_explicit_substep_count(mus_dynamics *d, const mus_cloth *cloth, const v3 *x, double dt,
                                   mus_stable_step stable);

/* d->force: drag and all internal forces, N. */
void mus_explicit_forces(mus_dynamics *d, const mus_cloth *cloth, const mus_environment *environment, const v3 *x,
                         const v3 *v);
/* Acceleration of a free vertex by gravity and external force, m/s^2. */
static inline v3 mus_explicit_given(const mus_cloth *cloth, const mus_environment *environment, int32_t i) {
    return v3_axpy(cloth->inverse_mass[i], v3_load(cloth->f + 3 * i), environment->gravity);
}

/* Start of a step: positions x0 and velocities v0; velocities of prescribed vertices lead to their x1. */
void mus_explicit_begin(const mus_cloth *cloth, double dt, const v3 *x0, const v3 *v0, const v3 *x1, v3 *place, v3 *v);
/* End of a step: x1 of the free vertices. */
void mus_explicit_end(const mus_cloth *cloth, const v3 *place, v3 *x1);

#endif
