/* explicit.c: bounds of the step, forces and prescribed vertices for explicit integrators. */
#include "dynamics/explicit.h"
#include "base/range.h"

#include <string.h>

double mus_leapfrog_stable(const mus_cloth *cloth, double omega2, double rate) {
    (void)cloth;
    return omega2 > 0 ? (sqrt(rate * rate + 4 * omega2) - rate) / omega2 : 2 / rate;
}

int32_t mus_explicit_substep_count(mus_dynamics *d, const mus_cloth *cloth, const v3 *x, double dt,
                                   mus_stable_step stable) {
    int32_t n = cloth->vertex_count;
    v3 *sum = d->change; /* x: twice the stiffness at a vertex, y: the same times damping */
    memset(sum, 0, sizeof(v3) * (size_t)n);
    mus_spring_bound(cloth, x, sum);
    mus_hinge_bound(cloth, sum);
    mus_network_bound(cloth, x, sum);
    mus_membrane_bound(cloth, x, sum);
    mus_plate_bound(cloth, sum);
    double least = INFINITY;
    for (int32_t i = 0; i < n; i++) {
        double w = cloth->inverse_mass[i], rate = w * sum[i].y + cloth->material.viscous_damping;
        if (!(w > 0 && (sum[i].x > 0 || rate > 0))) continue;
        least = fmin(least, stable(cloth, w * sum[i].x, rate));
    }
    least *= 0.5;
    return dt > least ? mus_index_of(dt / least + 1, 1, INT32_MAX) : 1;
}

void mus_explicit_forces(mus_dynamics *d, const mus_cloth *cloth, const mus_environment *environment, const v3 *x,
                         const v3 *v) {
    memset(d->force, 0, sizeof(v3) * (size_t)cloth->vertex_count);
    mus_drag_forces(cloth, environment, x, v, 0, d->force, NULL);
    mus_spring_forces(cloth, x, v, d->force);
    mus_membrane_forces(cloth, x, v, d->force);
    mus_plate_forces(cloth, x, v, &d->bend, d->force);
    mus_hinge_forces(cloth, x, v, d->force);
    mus_network_forces(cloth, x, v, d->force);
}

void mus_explicit_begin(const mus_cloth *cloth, double dt, const v3 *x0, const v3 *v0, const v3 *x1, v3 *place, v3 *v) {
    for (int32_t i = 0; i < cloth->vertex_count; i++) {
        place[i] = x0[i];
        v[i] = cloth->inverse_mass[i] > 0 ? v0[i] : v3_scale(1 / dt, v3_sub(x1[i], x0[i]));
    }
}

void mus_explicit_end(const mus_cloth *cloth, const v3 *place, v3 *x1) {
    for (int32_t i = 0; i < cloth->vertex_count; i++)
        if (cloth->inverse_mass[i] > 0) x1[i] = place[i];
}

int32_t mus_leapfrog_substep_count(mus_dynamics *d, const mus_cloth *cloth, const v3 *x, double dt) {
    return mus_explicit_substep_count(d, cloth, x, dt, mus_leapfrog_stable);
}

mus_integrator_result mus_leapfrog_advance(mus_dynamics *d, const mus_cloth *cloth, const mus_environment *environment,
                                           double previous_dt, double dt, const v3 *x0, const v3 *v0, v3 *x1, v3 *v1,
                                           bool staggered) {
    int32_t n = cloth->vertex_count, count = mus_leapfrog_substep_count(d, cloth, x0, dt);
    double h = dt / count;
    if (count > MUS_MOST_SUBSTEPS) return (mus_integrator_result){count, 0, h};
    v3 *place = d->matrix.residual; /* scratch of the solver, unused here */
    mus_explicit_begin(cloth, dt, x0, v0, x1, place, v1);
    for (int32_t p = 0; p < count && !mus_environment_cancelled(environment); p++) {
        mus_explicit_forces(d, cloth, environment, place, v1);
        double half_steps = mus_leapfrog_half_steps(p == 0 ? previous_dt : h, h);
        for (int32_t i = 0; i < n; i++) {
            double w = cloth->inverse_mass[i];
            if (w > 0) {
                v3 given = mus_explicit_given(cloth, environment, i);
                v1[i] = staggered ? v3_axpy(half_steps, v3_axpy(w, d->force[i], given), v1[i])
                                  : v3_axpy(half_steps, given, v3_axpy(h * w, d->force[i], v1[i]));
            }
            place[i] = v3_axpy(h, v1[i], place[i]);
        }
    }
    mus_explicit_end(cloth, place, x1);
    return (mus_integrator_result){count, 0, h};
}
