/* explicit.h: what explicit integrators share: forces, prescribed vertices, and how many parts a step needs. */
#ifndef MUS_DYNAMICS_EXPLICIT_H
#define MUS_DYNAMICS_EXPLICIT_H

#include "dynamics/dynamics.h"

/* A vertex as the stiffest oscillator that it can be part of: x'' = -omega2 x - rate x' (1/s^2, 1/s), by Gershgorin's
 * bound of the largest eigenvalue of M^-1 K. Returns the step, s, up to which a method is stable on it. */
typedef double (*mus_stable_step)(const mus_cloth *cloth, double omega2, double rate);

/* Of v' = v - h (omega2 x + rate v), x' = x + h v': stable where omega2 h^2 + 2 rate h < 4. */
double mus_leapfrog_stable(const mus_cloth *cloth, double omega2, double rate);

/* Into as many parts as that asks for. */
int32_t mus_leapfrog_substep_count(mus_dynamics *d, const mus_cloth *cloth, const v3 *x, double dt);
/* An integrator's `advance`: v' = v + h a, x' = x + h v', part by part. What is given acts from the middle of the last
 * part, `stride` before the first, to the middle of this; so do forces within the cloth if `staggered`, else for h. */
mus_integrator_result mus_leapfrog_advance(mus_dynamics *d, const mus_cloth *cloth, const mus_environment *environment,
                                           double previous_dt, double dt, const v3 *x0, const v3 *v0, v3 *x1, v3 *v1,
                                           bool staggered);

/* Into how many equal parts a step is to be split, so that each is at most half the stable step; overwrites
 * d->change. */
int32_t mus_explicit_substep_count(mus_dynamics *d, const mus_cloth *cloth, const v3 *x, double dt,
                                   mus_stable_step stable);

/* d->force: drag and all forces within the cloth, N. */
void mus_explicit_forces(mus_dynamics *d, const mus_cloth *cloth, const mus_environment *environment, const v3 *x,
                         const v3 *v);
/* Acceleration of a free vertex by what is given, gravity and external force, m/s^2. */
static inline v3 mus_explicit_given(const mus_cloth *cloth, const mus_environment *environment, int32_t i) {
    return v3_axpy(cloth->inverse_mass[i], v3_load(cloth->f + 3 * i), environment->gravity);
}

/* The start of a step: places x0 and velocities v0, those of prescribed vertices being what leads them to their x1. */
void mus_explicit_begin(const mus_cloth *cloth, double dt, const v3 *x0, const v3 *v0, const v3 *x1, v3 *place, v3 *v);
/* The end: x1 of the free vertices. */
void mus_explicit_end(const mus_cloth *cloth, const v3 *place, v3 *x1);

#endif
