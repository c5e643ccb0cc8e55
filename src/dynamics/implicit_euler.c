/* implicit_euler.c: one linearised implicit Euler step, Baraff & Witkin 1998, "Large steps in cloth simulation", eq. 6:
 * (M - dt df/dv - dt^2 df/dx) dv = dt (f + dt df/dx v), prescribed vertices filtered. */
#include "dynamics/dynamics.h"
#include "dynamics/momentum.h"

#include <string.h>

/* The solver stops where what is left of the impulses is this share of them, the earth's gravity included: at rest,
 * where they cancel, a share of gravity remains. */
static const double tolerance = 1e-3;
static const double earth = 9.81; /* m/s^2 */
enum { ITERATION_LIMIT = 100 };

static mus_integrator_result advance(mus_dynamics *d, const mus_cloth *cloth, const mus_environment *environment,
                                     double stride, double dt, const v3 *x0, const v3 *v0, v3 *x1, v3 *v1) {
    int32_t n = cloth->vertex_count;
    mus_block_matrix *m = &d->matrix;
    mus_block_matrix_clear(m);
    memset(d->force, 0, sizeof(v3) * (size_t)n);
    mus_drag_forces(cloth, environment, x0, v0, dt, d->force, m);
    double kick = mus_kick(stride, dt);
    v3 fall = v3_scale(kick, environment->gravity);
    for (int32_t i = 0; i < n; i++) {
        double mass = cloth->mass[i];
        v3 given = v3_axpy(mass, fall, v3_scale(kick, v3_load(cloth->f + 3 * i)));
        d->force[i] = v3_axpy(dt, d->force[i], given); /* from here on an impulse, N s */
        mus_sym3_add(&m->diagonal[i], 0, fall, mass);
        d->free[i] = cloth->inverse_mass[i];
        d->change[i] = d->free[i] > 0 ? v3_make(0, 0, 0) : v3_sub(v3_scale(1 / dt, v3_sub(x1[i], x0[i])), v0[i]);
        d->guess[i] = fall; /* exact for a cloth that falls freely: no solver error bends it */
        d->scale[i] = v3_make(0, mass * dt * earth, 0);
    }
    bool at_large = cloth->pin_count == 0;
    mus_momentum momentum = {0};
    if (at_large) {
        momentum = mus_momentum_begin(cloth, x0, v0, d->force);
    }
    mus_spring_linearise(cloth, d->spring_pair, x0, v0, dt, d->force, m);
    mus_membrane_linearise(cloth, d->face_pair, x0, v0, dt, d->force, m);
    mus_plate_linearise(cloth, d->plate_pair, x0, v0, dt, &d->bend, d->force, m);
    mus_network_linearise(cloth, d->network_pair, x0, v0, dt, d->force, m);
    mus_hinge_linearise(cloth, d->hinge_pair, x0, v0, dt, d->force, m);
    mus_pcg_result solved = mus_block_matrix_solve(m, d->free, d->force, d->guess, d->scale, d->change, tolerance,
                                                   ITERATION_LIMIT, environment->threads);
    if (at_large) mus_momentum_end(&momentum, cloth, x0, v0, m->diagonal, d->change);
    for (int32_t i = 0; i < n; i++) {
        v1[i] = v3_add(v0[i], d->change[i]);
        if (d->free[i] > 0) x1[i] = v3_axpy(dt, v1[i], x0[i]);
    }
    return (mus_integrator_result){solved.iterations, solved.residual, dt};
}

const mus_integrator mus_integrator_implicit_euler = {"implicit_euler", NULL, advance};
