/* model.c: the cloths' part of the incremental potential: inertia and loads of a step, gradient and matrix of an
 * iteration, and the start of the first iteration. */
#include "dynamics/incremental.h"
#include "solve/potential/potential.h"

#include <string.h>

/* Inertia and external impulses, which are fixed for the step. */
void mus_potential_model_inertia(mus_solver *s, const mus_step_input *input, double dt) {
    mus_potential *p = s->potential;
    const mus_assembly *a = &s->assembly;
    for (int32_t k = 0; k < a->cloth_count; k++) {
        mus_object *object = &a->objects[k];
        const mus_cloth *cloth = object->cloth;
        mus_dynamics *d = s->dynamics[k];
        int32_t at = object->first, n = cloth->vertex_count;
        double half_steps_dt = dt * mus_leapfrog_half_steps(object->previous_dt, dt);
        v3 fall = v3_scale(half_steps_dt, input->environment.gravity);
        object->current_dt = dt;
        const v3 *start = p->start + at, *v0 = a->v0 + at;
        mus_incremental_begin(d, cloth, start);
        mus_block_matrix_clear(&d->matrix);
        memset(d->force, 0, sizeof(v3) * (size_t)n);
        mus_drag_forces(cloth, &input->environment, start, v0, dt, d->force, &d->matrix);
        for (int32_t i = 0; i < n; i++) {
            double mass = cloth->mass[i], unit = mass * dt * dt / sqrt(3);
            mus_sym3_add(&d->matrix.diagonal[i], 0, fall, mass);
            v3 given = v3_axpy(mass, fall, v3_scale(half_steps_dt, v3_load(cloth->f + 3 * i)));
            p->inertia[at + i] = d->matrix.diagonal[i];
            p->target[at + i] = v3_axpy(dt, v0[i], start[i]);
            p->impulse[at + i] = v3_axpy(dt * dt, d->force[i], given);
            p->fall[at + i] = fall;
            p->newton.scale[at + i] = v3_make(unit, unit, unit);
        }
    }
}

/* Matrix and gradient at the iterate. */
void mus_potential_model_cloths(mus_solver *s, double dt) {
    mus_potential *p = s->potential;
    mus_newton *newton = &p->newton;
    const mus_assembly *a = &s->assembly;
    mus_potential_rigid_bodies_gradient(s, dt);
    for (int32_t k = 0; k < a->cloth_count; k++) {
        const mus_cloth *cloth = a->objects[k].cloth;
        mus_dynamics *d = s->dynamics[k];
        int32_t at = a->objects[k].first;
        if (p->matrices[k]) mus_block_matrix_clear(p->matrices[k]);
        memset(d->force, 0, sizeof(v3) * (size_t)cloth->vertex_count);
        mus_incremental_forces(d, cloth, p->start + at, newton->place + at, dt, d->force, &d->matrix);
    }
    for (int32_t k = 0; k < s->seam_group_count; k++) {
        mus_seam_group *b = &s->seam_groups[k];
        mus_stitches_forces(b, p->start + b->first, newton->place + b->first, dt, b->force);
    }
    for (int32_t k = 0; k < a->cloth_count; k++) {
        mus_dynamics *d = s->dynamics[k];
        int32_t at = a->objects[k].first, n = a->objects[k].count;
        for (int32_t i = 0; i < n; i++) {
            const mus_sym3 *inertia = &p->inertia[at + i];
            mus_sym3 *own = &d->matrix.diagonal[i];
            own->xx += inertia->xx, own->xy += inertia->xy, own->xz += inertia->xz;
            own->yy += inertia->yy, own->yz += inertia->yz, own->zz += inertia->zz;
            v3 off = v3_sub(p->target[at + i], newton->place[at + i]);
            newton->right[at + i] =
                v3_axpy(dt * dt, d->force[i], v3_add(mus_sym3_mul(inertia, off), p->impulse[at + i]));
        }
    }
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
