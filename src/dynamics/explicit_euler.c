/* explicit_euler.c: x' = x + h v, v' = v + h f(x, v)/m: forward Euler (Provot 1995).
 *
 * An undamped spring gains energy at any step length: |1 + i omega h| > 1. Only damping makes the method stable: a mode
 * of frequency omega and rate d decays for h < d/omega^2 and h d < 2, and with friction in proportion to stiffness, d =
 * c omega^2, the first is h < c for all modes alike. The bound is therefore set by the damping, and a cloth without any
 * is rejected. Motion across springs in tension has a frequency but no friction: it grows by omega^2 h/2 per second
 * unless bending, air or viscous_damping dissipates it.
 *
 * In the staggered numbering of dynamics.h, where v belongs to the middle of the step before, two Euler steps read
 * x'' - 2 x' + x = h^2 f(x, (x' - x)/h)/m: a leapfrog whose forces are those of the positions one step earlier. */
#include "dynamics/explicit.h"
#include "model/sheet.h"

static double least_damping(const mus_cloth *cloth) {
    const mus_material *m = &cloth->material;
    double least = INFINITY;
    if (cloth->spring_count || cloth->sheet || cloth->network) least = m->damping;
    if (cloth->hinge_count || cloth->spring_laws[MUS_SPRING_BEND].arc || (cloth->sheet && cloth->sheet->plate_count))
        least = fmin(least, m->bending_damping);
    if (cloth->network && cloth->network->joint_count) least = fmin(least, m->bending_damping);
    double factor = cloth->dampings ? INFINITY : 1; /* of an element at least that of its vertices */
    for (int32_t i = 0; cloth->dampings && i < cloth->vertex_count; i++) factor = fmin(factor, cloth->dampings[i]);
    return least * factor;
}

static mus_status prepare(mus_dynamics *d, const mus_cloth *cloth) {
    (void)d;
    if (least_damping(cloth) > 0 || cloth->material.viscous_damping > 0) return MUS_STATUS_OK;
    return mus_fail(
        MUS_STATUS_INVALID,
        "cloth '%s': the integrator 'explicit_euler' gains energy at any step unless the material is damped "
        "(got damping %g s, bending_damping %g s, viscous_damping 0 1/s); set them > 0, or choose 'verlet'",
        cloth->name, cloth->material.damping, cloth->material.bending_damping);
}

static double stable_step(const mus_cloth *cloth, double omega2, double rate) {
    double growth = omega2 > 0 ? least_damping(cloth) + cloth->material.viscous_damping / omega2 : INFINITY;
    return rate > 0 ? fmin(growth, 2 / rate) : growth;
}

static int32_t substep_count(mus_dynamics *d, const mus_cloth *cloth, const v3 *x, double dt) {
    return mus_explicit_substep_count(d, cloth, x, dt, stable_step);
}

static mus_integrator_result advance(mus_dynamics *d, const mus_cloth *cloth, const mus_environment *environment,
                                     double previous_dt, double dt, const v3 *x0, const v3 *v0, v3 *x1, v3 *v1) {
    int32_t n = cloth->vertex_count, count = substep_count(d, cloth, x0, dt);
    double h = dt / count;
    if (count > MUS_MOST_SUBSTEPS) return (mus_integrator_result){count, 0, h};
    v3 *place = d->matrix.residual, *before = d->matrix.product; /* scratch of the solver, unused here */
    mus_explicit_begin(cloth, dt, x0, v0, x1, place, v1);
    for (int32_t p = 0; p < count && !mus_environment_cancelled(environment); p++) {
        double last = p == 0 ? previous_dt : h, half_steps = mus_leapfrog_half_steps(last, h);
        for (int32_t i = 0; i < n; i++) before[i] = v3_axpy(-last, v1[i], place[i]);
        mus_explicit_forces(d, cloth, environment, before, v1);
        for (int32_t i = 0; i < n; i++) {
            double w = cloth->inverse_mass[i];
            if (w > 0)
                v1[i] = v3_axpy(half_steps, v3_axpy(w, d->force[i], mus_explicit_given(cloth, environment, i)), v1[i]);
            place[i] = v3_axpy(h, v1[i], place[i]);
        }
    }
    mus_explicit_end(cloth, place, x1);
    return (mus_integrator_result){count, 0, h};
}

const mus_integrator mus_integrator_explicit_euler = {
    .name = "explicit_euler", .prepare = prepare, .advance = advance, .substep_count = substep_count};
