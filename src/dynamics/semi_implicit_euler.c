/* semi_implicit_euler.c: v += dt f/m, x += dt v (symplectic Euler). It is stable only below a step set by the stiffest
 * vertex, so a step is split into as many equal parts as that bound asks for; `iterations` tells how many. */
#include "dynamics/explicit.h"

static int32_t parts(mus_dynamics *d, const mus_cloth *cloth, const v3 *x, double dt) {
    return mus_explicit_parts(d, cloth, x, dt, mus_leapfrog_stable);
}

static mus_integrator_result advance(mus_dynamics *d, const mus_cloth *cloth, const mus_environment *environment,
                                     double stride, double dt, const v3 *x0, const v3 *v0, v3 *x1, v3 *v1) {
    int32_t n = cloth->vertex_count, count = parts(d, cloth, x0, dt);
    double h = dt / count;
    v3 *place = d->matrix.residual; /* scratch of the solver, idle here */
    mus_explicit_begin(cloth, dt, x0, v0, x1, place, v1);
    for (int32_t p = 0; p < count && !mus_environment_cancelled(environment); p++) {
        mus_explicit_forces(d, cloth, environment, place, v1);
        double kick = mus_kick(p == 0 ? stride : h, h);
        for (int32_t i = 0; i < n; i++) {
            double w = cloth->inverse_mass[i];
            if (w > 0) {
                v3 given = mus_explicit_given(cloth, environment, i);
                v1[i] = v3_axpy(kick, given, v3_axpy(h * w, d->force[i], v1[i]));
            }
            place[i] = v3_axpy(h, v1[i], place[i]);
        }
    }
    mus_explicit_end(cloth, place, x1);
    return (mus_integrator_result){count, 0, h};
}

const mus_integrator mus_integrator_semi_implicit_euler = {
    .name = "semi_implicit_euler", .advance = advance, .parts = parts};
