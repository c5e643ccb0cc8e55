/* accept_attempt.c: makes the end of an attempt the start of the next. */
#include "base/parallel.h"
#include "solve/solver.h"

static int free_list(const mus_solver *s) {
    for (int k = 0; k < 3; k++)
        if (k != s->committed && k != s->current) return k;
    return 0;
}

mus_status mus_solver_accept_attempt(mus_solver *s, const mus_contact_constraint_list *constraints) {
    static const mus_contact_constraint_list none = {0};
    mus_assembly *a = &s->assembly;
    int list = free_list(s);
    mus_status status = mus_warm_starts_store(a, constraints ? constraints : &none, s->dt,
                                              mus_solver_warm_start_scope(s), &s->warm_starts[list]);
    if (status == MUS_STATUS_OK)
        status = mus_candidate_pairs_keep_near(a, &s->candidates, s->def.threads, &s->lists[list]);
    if (status != MUS_STATUS_OK) return status;
    mus_coupled_store_elastic_force(s, list);
    s->coupled.forgets_force = false;
    mus_parallel_copy(s->def.threads, a->x0, a->x1, a->vertex_count, sizeof(v3));
    mus_parallel_copy(s->def.threads, a->v0, a->v1, a->cloth_vertex_count, sizeof(v3));
    for (int32_t k = 0; k < a->object_count; k++) {
        mus_object *object = &a->objects[k];
        object->previous_dt = object->current_dt;
        object->pose0 = object->pose1, object->normal0 = object->normal1, object->point0 = object->point1;
    }
    mus_solver_accept_rigid_bodies(s);
    s->current = list;
    return MUS_STATUS_OK;
}
