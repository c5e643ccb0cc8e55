/* incremental_model.c: inertia and loads of a step; gradient and matrix of an iteration. */
#include "solve/incremental_model.h"
#include "base/parallel.h"

#include <string.h>

mus_status mus_incremental_model_create(mus_incremental_model *m, const mus_assembly *a, bool has_force_memory,
                                        int32_t extra) {
    size_t size = (size_t)a->cloth_vertex_count + 1;
    m->cloth_count = a->cloth_count;
    m->starts = mus_new(sizeof *m->starts * ((size_t)a->cloth_count + 1));
    mus_status status = m->starts ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
    for (int32_t k = 0; k < a->cloth_count && status == MUS_STATUS_OK; k++)
        status = mus_incremental_start_create(a->objects[k].cloth, &m->starts[k]);
    m->target = mus_new(sizeof(v3) * size);
    m->impulse = mus_new(sizeof(v3) * size);
    m->fall = mus_new(sizeof(v3) * (size + (size_t)extra));
    m->inertia = mus_new(sizeof(mus_sym3) * size);
    if (has_force_memory) {
        m->is_memoryless = mus_new(sizeof *m->is_memoryless * size);
        m->elastic = mus_new(sizeof(v3) * size);
        if (!m->is_memoryless || !m->elastic) return MUS_STATUS_NO_MEMORY;
    }
    return m->target && m->impulse && m->fall && m->inertia ? status : MUS_STATUS_NO_MEMORY;
}

void mus_incremental_model_free(mus_incremental_model *m) {
    for (int32_t k = 0; m->starts && k < m->cloth_count; k++) mus_incremental_start_free(&m->starts[k]);
    mus_free(m->starts), mus_free(m->target), mus_free(m->impulse), mus_free(m->fall), mus_free(m->inertia),
        mus_free(m->is_memoryless), mus_free(m->elastic);
    *m = (mus_incremental_model){0};
}

void mus_incremental_model_begin(const mus_incremental_cloths *c, mus_incremental_model *m,
                                 const mus_environment *environment, double dt) {
    const mus_assembly *a = c->assembly;
    if (m->is_memoryless) memset(m->is_memoryless, 0, sizeof *m->is_memoryless * (size_t)a->cloth_vertex_count);
    for (int32_t k = 0; k < a->cloth_count; k++) {
        mus_object *object = &a->objects[k];
        const mus_cloth *cloth = object->cloth;
        mus_dynamics *d = c->dynamics[k];
        int32_t at = object->first, n = cloth->vertex_count;
        double half_steps = mus_leapfrog_half_steps(object->previous_dt, dt);
        double force_time = mus_force_time(cloth, half_steps, dt);
        v3 fall = v3_scale(dt * half_steps, environment->gravity);
        object->current_dt = dt;
        const v3 *start = m->start + at, *v0 = a->v0 + at;
        mus_incremental_start_at(&m->starts[k], d, cloth, start);
        mus_block_matrix_clear(&d->matrix, 1);
        memset(d->force, 0, sizeof(v3) * (size_t)n);
        mus_drag_forces(cloth, environment, start, v0, dt, d->force, &d->matrix);
        for (int32_t i = 0; i < n; i++) {
            double mass = cloth->mass[i];
            mus_sym3_add(&d->matrix.diagonal[i], 0, fall, mass);
            v3 given = v3_axpy(mass, fall, v3_scale(dt * force_time, v3_load(cloth->f + 3 * i)));
            m->inertia[at + i] = d->matrix.diagonal[i];
            m->target[at + i] = v3_axpy(dt, v0[i], start[i]);
            m->impulse[at + i] = v3_axpy(dt * dt, d->force[i], given);
            m->fall[at + i] = fall;
        }
    }
}

typedef struct vertex_loop {
    const mus_incremental_model *model;
    mus_dynamics *dynamics;
    int32_t at; /* the cloth's first vertex */
    const v3 *x;
    double dt;
    v3 *right;
} vertex_loop;

static void clear_force(void *context, int64_t begin, int64_t end, int64_t block) {
    const vertex_loop *of = context;
    (void)block;
    memset(of->dynamics->force + begin, 0, sizeof(v3) * (size_t)(end - begin));
}

static void add_inertia(void *context, int64_t begin, int64_t end, int64_t block) {
    const vertex_loop *of = context;
    const mus_incremental_model *m = of->model;
    const int32_t at = of->at;
    double dt = of->dt;
    (void)block;
    for (int64_t i = begin; i < end; i++) {
        double factor = mus_incremental_model_factor(m, (int32_t)(at + i));
        const mus_sym3 *inertia = &m->inertia[at + i];
        mus_sym3 *own = &of->dynamics->matrix.diagonal[i];
        own->xx += factor * inertia->xx, own->xy += factor * inertia->xy, own->xz += factor * inertia->xz;
        own->yy += factor * inertia->yy, own->yz += factor * inertia->yz, own->zz += factor * inertia->zz;
        v3 off = v3_sub(m->target[at + i], of->x[at + i]), force = of->dynamics->force[i];
        if (m->elastic) m->elastic[at + i] = v3_scale(dt * dt, force);
        if (factor > 1) force = v3_add(force, m->former_force[at + i]);
        v3 given = v3_add(mus_sym3_mul(inertia, off), m->impulse[at + i]);
        of->right[at + i] = v3_axpy(dt * dt, force, v3_scale(factor, given));
    }
}

void mus_incremental_model_linearize(const mus_incremental_cloths *c, const mus_incremental_model *m, const v3 *x,
                                     double dt, int threads, v3 *right) {
    const mus_assembly *a = c->assembly;
    for (int32_t k = 0; k < a->cloth_count; k++) {
        const mus_cloth *cloth = a->objects[k].cloth;
        mus_dynamics *d = c->dynamics[k];
        int32_t at = a->objects[k].first;
        if (c->matrices[k]) mus_block_matrix_clear(c->matrices[k], threads);
        mus_parallel_vertices(threads, cloth->vertex_count, clear_force, &(vertex_loop){.dynamics = d});
        mus_incremental_forces(d, cloth, &m->starts[k], x + at, dt, threads, d->force, &d->matrix);
    }
    for (int32_t k = 0; k < c->seam_group_count; k++) {
        mus_seam_group *b = &c->seam_groups[k];
        mus_stitches_forces(b, m->start + b->first, x + b->first, dt, b->force);
    }
    for (int32_t k = 0; k < a->cloth_count; k++) {
        mus_dynamics *d = c->dynamics[k];
        vertex_loop of = {.model = m, .dynamics = d, .at = a->objects[k].first, .x = x, .dt = dt, .right = right};
        mus_parallel_vertices(threads, a->objects[k].count, add_inertia, &of);
    }
}
