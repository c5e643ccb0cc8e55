/* create.c: data of a solver of the potential family; energy of the cloths. */
#include "dynamics/incremental.h"
#include "solve/potential/potential.h"

/* kg m^2: dt^2 times the incremental potential without contacts. */
double mus_potential_cloth_energy(void *context, const v3 *x) {
    const mus_solver *s = context;
    const mus_potential *p = s->potential;
    const mus_assembly *a = &s->assembly;
    double sum = 0, dt = s->dt;
    for (int32_t k = 0; k < a->cloth_count; k++) {
        const mus_cloth *cloth = a->objects[k].cloth;
        int32_t first = a->objects[k].first, n = cloth->vertex_count;
        for (int32_t i = first; i < first + n; i++) {
            v3 off = v3_sub(x[i], p->model.target[i]);
            sum += 0.5 * v3_dot(off, mus_sym3_mul(&p->model.inertia[i], off)) - v3_dot(p->model.impulse[i], off);
        }
        sum += dt * dt * mus_incremental_energy(s->dynamics[k], cloth, p->start + first, x + first, dt);
    }
    for (int32_t k = 0; k < s->seam_group_count; k++) {
        const mus_seam_group *b = &s->seam_groups[k];
        sum += dt * dt * mus_stitches_energy(b, p->start + b->first, x + b->first, dt);
    }
    return sum;
}

mus_status mus_potential_create(mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    size_t n = (size_t)a->vertex_count + 1;
    mus_potential *p = s->potential = mus_new(sizeof *p);
    if (!p) return MUS_STATUS_NO_MEMORY;
    p->matrices = mus_new(sizeof *p->matrices * ((size_t)a->cloth_count + 1));
    p->start = mus_new(sizeof(v3) * n);
    p->predicted = mus_new(sizeof(v3) * n);
    p->momentum_correction =
        mus_new(sizeof *p->momentum_correction * ((size_t)a->cloth_count + (size_t)a->rigid_count + 1));
    p->planes = mus_new(sizeof(v3) * (2 * (size_t)a->object_count + 1));
    if (!p->matrices || !p->start || !p->predicted || !p->momentum_correction || !p->planes)
        return MUS_STATUS_NO_MEMORY;
    mus_status status = mus_incremental_model_create(&p->model, a, false, 2 * a->rigid_count);
    if (status != MUS_STATUS_OK) return status;
    p->model.start = p->start;
    for (int32_t k = 0; k < a->cloth_count; k++) p->matrices[k] = mus_solver_matrix(s, k);
    for (int32_t k = 0; k < a->cloth_count; k++) p->momentum_correction[k].joined = k;
    for (int32_t k = 0; k < s->seam_group_count; k++) {
        const mus_seam_group *b = &s->seam_groups[k];
        for (int32_t m = 0; m < b->member_count; m++)
            p->momentum_correction[b->first_cloth + m].joined = b->first_cloth + b->members[m].joined;
    }
    for (int32_t k = a->cloth_count; k < a->cloth_count + a->rigid_count; k++) p->momentum_correction[k].joined = k;
    status = mus_potential_rigid_bodies_create(s);
    if (status != MUS_STATUS_OK) return status;
    status = mus_newton_create(&p->newton, a, p->matrices, s->def.minimizer->descent, s->def.threads);
    p->newton.energy = mus_potential_cloth_energy;
    return status;
}

void mus_potential_destroy(mus_solver *s) {
    mus_potential *p = s->potential;
    if (!p) return;
    mus_newton_free(&p->newton);
    mus_array_free(&p->table);
    void *blocks[] = {p->matrices, p->start,        p->predicted, p->momentum_correction,
                      p->planes,   p->rigid_bodies, p->loads,     p};
    mus_incremental_model_free(&p->model);
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) mus_free(blocks[k]);
    s->potential = NULL;
}
