/* semi_implicit_euler.c: v += dt f/m, x += dt v (symplectic Euler). It is stable only below a step set by the stiffest
 * vertex, so a step is split into equal substeps by that bound; `iterations` is their number. */
#include "dynamics/explicit.h"

static mus_integrator_result advance(mus_dynamics *d, const mus_cloth *cloth, const mus_environment *environment,
                                     double previous_dt, double dt, const v3 *x0, const v3 *v0, v3 *x1, v3 *v1) {
    return mus_leapfrog_advance(d, cloth, environment, previous_dt, dt, x0, v0, x1, v1, false);
}

const mus_integrator mus_integrator_semi_implicit_euler = {
    .name = "semi_implicit_euler", .advance = advance, .substep_count = mus_leapfrog_substep_count};
