/* semi_implicit_euler.c: v += dt f/m, x += dt v (symplectic Euler). It is stable only below a step set by the stiffest
 * vertex, so a step is split into as many equal parts as that bound asks for; `iterations` tells how many. */
#include "dynamics/dynamics.h"

#include <string.h>

/* Gershgorin's bound of the largest eigenvalue of M^-1 K, with the damping's share: the step must stay below
 * 2/omega, less where damped; half of it is used. */
static double stable_step(mus_dynamics *d, const mus_cloth *cloth, const v3 *x) {
    int32_t n = cloth->vertex_count;
    v3 *sum = d->change; /* x: twice the stiffness at a vertex, y: the same times damping */
    memset(sum, 0, sizeof(v3) * (size_t)n);
    for (int32_t k = 0; k < cloth->spring_count; k++) {
        const mus_spring *s = &cloth->springs[k];
        const int32_t ends[2] = {s->a, (int32_t)s->b};
        double stiffness = mus_spring_law_of(cloth, s)->stiffness;
        for (int e = 0; e < 2; e++) {
            sum[ends[e]].x += 2 * stiffness;
            sum[ends[e]].y += 2 * stiffness * cloth->material.damping;
        }
    }
    for (int32_t k = 0; k < cloth->hinge_count; k++) {
        const mus_hinge *h = &cloth->hinges[k];
        double weights = 0;
        for (int c = 0; c < 4; c++) weights += fabs(h->weight[c]);
        for (int c = 0; c < 4; c++) {
            double row = h->stiffness * fabs(h->weight[c]) * weights;
            sum[h->vertex[c]].x += row;
            sum[h->vertex[c]].y += row * cloth->material.bending_damping;
        }
    }
    mus_membrane_bound(cloth, x, sum);
    mus_plate_bound(cloth, sum);
    double least = INFINITY;
    for (int32_t i = 0; i < n; i++) {
        double w = cloth->inverse_mass[i];
        if (!(w > 0 && sum[i].x > 0)) continue;
        double omega2 = w * sum[i].x, rate = w * sum[i].y; /* stable where omega2 h^2 + 2 rate h < 4 */
        double h = (sqrt(rate * rate + 4 * omega2) - rate) / omega2;
        if (h < least) least = h;
    }
    return 0.5 * least;
}

static mus_integrator_result advance(mus_dynamics *d, const mus_cloth *cloth, const mus_environment *environment,
                                     double stride, double dt, const v3 *x0, const v3 *v0, v3 *x1, v3 *v1) {
    int32_t n = cloth->vertex_count;
    double bound = stable_step(d, cloth, x0);
    int32_t parts = dt > bound ? (int32_t)fmin(1e6, floor(dt / bound) + 1) : 1;
    double h = dt / parts;
    v3 *place = d->matrix.residual, *prescribed = d->matrix.product; /* scratch of the solver, idle here */
    for (int32_t i = 0; i < n; i++) {
        d->free[i] = cloth->inverse_mass[i];
        prescribed[i] = d->free[i] > 0 ? v3_make(0, 0, 0) : v3_scale(1 / dt, v3_sub(x1[i], x0[i]));
        place[i] = x0[i];
        v1[i] = d->free[i] > 0 ? v0[i] : prescribed[i];
    }
    for (int32_t p = 0; p < parts; p++) {
        memset(d->force, 0, sizeof(v3) * (size_t)n);
        mus_drag_forces(cloth, environment, place, v1, h, d->force, NULL);
        mus_spring_forces(cloth, place, v1, d->force);
        mus_membrane_forces(cloth, place, v1, d->force);
        mus_plate_forces(cloth, place, v1, &d->bend, d->force);
        mus_hinge_forces(cloth, place, v1, d->force);
        double kick = mus_kick(p == 0 ? stride : h, h);
        for (int32_t i = 0; i < n; i++) {
            if (d->free[i] > 0) {
                v3 given = v3_axpy(d->free[i], v3_load(cloth->f + 3 * i), environment->gravity);
                v1[i] = v3_axpy(kick, given, v3_axpy(h * d->free[i], d->force[i], v1[i]));
            }
            place[i] = v3_axpy(h, v1[i], place[i]);
        }
    }
    for (int32_t i = 0; i < n; i++)
        if (d->free[i] > 0) x1[i] = place[i];
    return (mus_integrator_result){parts, 0, h};
}

const mus_integrator mus_integrator_semi_implicit_euler = {"semi_implicit_euler", advance};
