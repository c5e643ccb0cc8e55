/* rk4.c: the classical Runge-Kutta method of fourth order on (x, v), forces at all four stages, as in Bigliani &
 * Eischen's particle network. Prescribed vertices move on straight lines through the stages. Velocities are those of
 * the instant: cloth at rest on something keeps half a step's gravity, which contact removes in every step. */
#include "dynamics/explicit.h"

#include <string.h>

/* The region of stability contains the left half of a disc of radius 2.6 about 0; the rates of oscillating modes are
 * within |s| = omega, those of creeping modes within (rate + sqrt(rate^2 - 4 omega2))/2. */
static double stable_step(const mus_cloth *cloth, double omega2, double rate) {
    (void)cloth;
    double creep = 0.5 * (rate + sqrt(fmax(0, rate * rate - 4 * omega2)));
    return 2.6 / fmax(sqrt(omega2), creep);
}

typedef struct stages {
    v3 *place, *v;         /* at the start of the substep */
    v3 *stage_x, *stage_v; /* where the forces are evaluated */
    v3 *sum_x, *sum_v;     /* weighted rates */
} stages;

/* Adds a stage's rates with a weight, and moves the next stage's positions by `ahead` seconds of them. */
static void add_stage(const stages *s, mus_dynamics *d, const mus_cloth *cloth, const mus_environment *environment,
                      double weight, double ahead) {
    mus_explicit_forces(d, cloth, environment, s->stage_x, s->stage_v);
    for (int32_t i = 0; i < cloth->vertex_count; i++) {
        double w = cloth->inverse_mass[i];
        v3 speed = s->stage_v[i], rate = v3_make(0, 0, 0);
        if (w > 0) rate = v3_axpy(w, d->force[i], mus_explicit_given(cloth, environment, i));
        s->sum_x[i] = v3_axpy(weight, speed, s->sum_x[i]);
        s->sum_v[i] = v3_axpy(weight, rate, s->sum_v[i]);
        s->stage_x[i] = v3_axpy(ahead, speed, s->place[i]);
        s->stage_v[i] = v3_axpy(ahead, rate, s->v[i]);
    }
}

static int32_t substep_count(mus_dynamics *d, const mus_cloth *cloth, const v3 *x, double dt) {
    return mus_explicit_substep_count(d, cloth, x, dt, stable_step);
}

static mus_integrator_result advance(mus_dynamics *d, const mus_cloth *cloth, const mus_environment *environment,
                                     double previous_dt, double dt, const v3 *x0, const v3 *v0, v3 *x1, v3 *v1) {
    int32_t n = cloth->vertex_count, count = substep_count(d, cloth, x0, dt);
    size_t bytes = sizeof(v3) * (size_t)n;
    double h = dt / count;
    if (count > MUS_MOST_SUBSTEPS) return (mus_integrator_result){count, 0, h};
    /* scratch of the solver, unused here */
    stages s = {d->matrix.residual, v1, d->matrix.product, d->matrix.direction, d->guess, d->residual_scale};
    mus_explicit_begin(cloth, dt, x0, v0, x1, s.place, v1);
    for (int32_t i = 0; previous_dt > 0 && i < n; i++) /* from the middle of the last step to its end */
        if (cloth->inverse_mass[i] > 0)
            v1[i] = v3_axpy(mus_leapfrog_half_steps(previous_dt, 0), mus_explicit_given(cloth, environment, i), v1[i]);
    for (int32_t p = 0; p < count && !mus_environment_cancelled(environment); p++) {
        memcpy(s.stage_x, s.place, bytes), memcpy(s.stage_v, s.v, bytes);
        memset(s.sum_x, 0, bytes), memset(s.sum_v, 0, bytes);
        add_stage(&s, d, cloth, environment, 1, h / 2);
        add_stage(&s, d, cloth, environment, 2, h / 2);
        add_stage(&s, d, cloth, environment, 2, h);
        add_stage(&s, d, cloth, environment, 1, 0);
        for (int32_t i = 0; i < n; i++) {
            s.place[i] = v3_axpy(h / 6, s.sum_x[i], s.place[i]);
            s.v[i] = v3_axpy(h / 6, s.sum_v[i], s.v[i]);
        }
    }
    mus_explicit_end(cloth, s.place, x1);
    return (mus_integrator_result){count, 0, 0};
}

const mus_integrator mus_integrator_rk4 = {.name = "rk4", .advance = advance, .substep_count = substep_count};
