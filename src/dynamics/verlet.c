/* verlet.c: position Verlet, x' = x + (1 - kd)(x - x_prev) + h^2 f/m: equations 2 and 3 of the source on boxes for
 * cloth against solids (AAB), kd = viscous_damping h. The velocity at the end of a step is (x - x_prev)/h, so the
 * same reads v' = v + h f/m, x' = x + h v'. Where steps change in length, and at the start, all forces act from the
 * middle of the previous step to the middle of this one: without that the order would drop from two to one. Internal
 * friction uses the velocities of half a step ago, and is of first order. */
#include "dynamics/explicit.h"

static mus_integrator_result advance(mus_dynamics *d, const mus_cloth *cloth, const mus_environment *environment,
                                     double previous_dt, double dt, const v3 *x0, const v3 *v0, v3 *x1, v3 *v1) {
    return mus_leapfrog_advance(d, cloth, environment, previous_dt, dt, x0, v0, x1, v1, true);
}

const mus_integrator mus_integrator_verlet = {
    .name = "verlet", .advance = advance, .substep_count = mus_leapfrog_substep_count};
