/* model.c: the incremental potential of the potential family: inertia and loads of a step, gradient and matrix of an
 * iteration, and the start of the first iteration. */
#include "solve/potential/potential.h"

#include <string.h>

static mus_incremental_cloths cloths_of(mus_solver *s) {
    return (mus_incremental_cloths){&s->assembly, s->dynamics, s->potential->matrices, s->seam_groups,
                                    s->seam_group_count};
}

/* Inertia and external impulses, which are fixed for the step. */
void mus_potential_model_inertia(mus_solver *s, const mus_step_input *input, double dt) {
    const mus_assembly *a = &s->assembly;
    mus_potential *p = s->potential;
    mus_incremental_cloths cloths = cloths_of(s);
    mus_incremental_model_begin(&cloths, &p->model, &input->environment, dt);
    for (int32_t k = 0; k < a->cloth_count; k++)
        for (int32_t i = 0; i < a->objects[k].count; i++) {
            double unit = a->objects[k].cloth->mass[i] * dt * dt / sqrt(3);
            p->newton.scale[a->objects[k].first + i] = v3_make(unit, unit, unit);
        }
}

/* Matrix and gradient at the iterate. */
void mus_potential_model_cloths(mus_solver *s, double dt) {
    mus_newton *newton = &s->potential->newton;
    mus_incremental_cloths cloths = cloths_of(s);
    mus_potential_rigid_bodies_gradient(s, dt);
    mus_incremental_model_linearize(&cloths, &s->potential->model, newton->place, dt, s->def.threads, newton->right);
}

/* Chooses the start: x0, or a point on the way to x0 + dt v0, whichever has the least energy of the cloths. */
void mus_potential_choose_start(mus_solver *s) {
    mus_newton *newton = &s->potential->newton;
    const mus_assembly *a = &s->assembly;
    double best = INFINITY;
    for (int k = 0; k < 4; k++) {
        double tried = k < 3 ? 1.0 / (1 << k) : 0;
        for (int32_t i = 0; i < a->vertex_count; i++)
            newton->trial[i] = i < a->cloth_vertex_count && a->inverse_mass[i] > 0
                                   ? v3_lerp(a->x0[i], s->potential->predicted[i], tried)
                                   : a->x1[i];
        double energy = mus_potential_cloth_energy(s, newton->trial);
        if (!(energy < best)) continue;
        best = energy;
        memcpy(newton->place, newton->trial, sizeof(v3) * (size_t)a->vertex_count);
    }
}
