/* verlet.c: position Verlet, x' = x + (1 - kd)(x - x_prev) + h^2 f/m: equations 2 and 3 of the source on boxes for
 * cloth against solids (AAB), kd = viscous_damping h. The velocity that a step leaves behind is (x - x_prev)/h, so the
 * same reads v' = v + h f/m, x' = x + h v'. Where steps change in length, and at the start, all forces act from the
 * middle of the last one to the middle of this: without that the order falls from two to one. Friction within the cloth
 * sees the velocities of half a step ago, and is of first order. */
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
            if (w > 0) v1[i] = v3_axpy(kick, v3_axpy(w, d->force[i], mus_explicit_given(cloth, environment, i)), v1[i]);
            place[i] = v3_axpy(h, v1[i], place[i]);
        }
    }
    mus_explicit_end(cloth, place, x1);
    return (mus_integrator_result){count, 0, h};
}

const mus_integrator mus_integrator_verlet = {.name = "verlet", .advance = advance, .parts = parts};
