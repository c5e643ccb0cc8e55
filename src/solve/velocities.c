/* velocities.c: velocities of cloth at the ends of an attempt: of a free fall, by the changes of positions since a
 * base, and those of pins. */
#include "base/parallel.h"
#include "solve/solver.h"

void mus_solver_fall_freely(mus_solver *s, v3 gravity) {
    mus_assembly *a = &s->assembly;
    double dt = s->dt;
    for (int32_t k = 0; k < a->cloth_count; k++) {
        const mus_object *object = &a->objects[k];
        v3 change = v3_scale(mus_leapfrog_half_steps(object->previous_dt, dt), gravity);
        for (int32_t i = object->first; i < object->first + object->count; i++) {
            a->v1[i] = a->v0[i];
            if (!(a->inverse_mass[i] > 0)) continue;
            a->v1[i] = v3_add(a->v0[i], change);
            a->x1[i] = v3_axpy(dt, a->v1[i], a->x0[i]);
        }
    }
}

void mus_solver_save_velocity_base(mus_solver *s) {
    mus_assembly *a = &s->assembly;
    mus_parallel_copy(s->def.threads, a->velocity_base, a->x1, a->cloth_vertex_count, sizeof(v3));
}

static void update_velocity_block(void *context, int64_t begin, int64_t end, int64_t block) {
    const mus_solver *s = context;
    const mus_assembly *a = &s->assembly;
    (void)block;
    for (int64_t i = begin; i < end; i++)
        a->v1[i] = v3_axpy(1 / s->dt, v3_sub(a->x1[i], a->velocity_base[i]), a->v1[i]);
}

void mus_solver_update_velocities(mus_solver *s) {
    mus_parallel_vertices(s->def.threads, s->assembly.cloth_vertex_count, update_velocity_block, s);
}

void mus_solver_follow_pins(mus_assembly *a, double dt) {
    for (int32_t i = 0; i < a->cloth_vertex_count; i++)
        if (a->inverse_mass[i] <= 0) a->v1[i] = v3_scale(1 / dt, v3_sub(a->x1[i], a->x0[i]));
}
