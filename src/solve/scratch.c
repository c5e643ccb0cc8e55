/* scratch.c: memory that dynamics and detection use alternately, and the broad phase, created on first use. */
#include "solve/solver.h"

#include <string.h>

/* Dynamics and detection alternate, unless the family interleaves them: their temporary arrays share memory. Returns
 * the size. */
static size_t assign_scratch(mus_solver *s, char *base) {
    mus_assembly *a = &s->assembly;
    mus_lender dynamics = {base, 0};
    size_t cloth = sizeof(v3) * (size_t)a->cloth_vertex_count;
    for (int32_t k = 0; k < a->cloth_count; k++)
        if (!s->dynamics[k]->in_seam_group) mus_dynamics_borrow(s->dynamics[k], &dynamics);
    for (int32_t k = 0; k < s->seam_group_count; k++) mus_seam_group_borrow(&s->seam_groups[k], &dynamics);
    size_t apart = s->def.family->interleaves_detection || mus_solver_solves_coupled(s) ? dynamics.used : 0;
    mus_lender detection = {base ? base + apart : NULL, 0};
    mus_lend(&detection, &a->velocity_base, cloth);
    mus_lend(&detection, &a->scratch, cloth);
    mus_lend(&detection, &s->bound_center, sizeof(v3) * (size_t)a->vertex_count);
    mus_lend(&detection, &s->scene.vertex_box, sizeof *s->scene.vertex_box * (size_t)a->vertex_count);
    if (s->broad_state) s->def.broad->borrow(s->broad_state, &detection);
    detection.used += apart;
    return dynamics.used > detection.used ? dynamics.used : detection.used;
}

mus_status mus_solver_acquire_scratch(mus_solver *s) {
    char *scratch = mus_resize(s->scratch, assign_scratch(s, NULL) + 1);
    if (!scratch) return MUS_STATUS_NO_MEMORY;
    s->scratch = scratch;
    assign_scratch(s, scratch);
    return MUS_STATUS_OK;
}

void mus_solver_release_scratch(mus_solver *s) {
    mus_free(s->scratch);
    s->scratch = NULL;
}

mus_status mus_solver_create_broad_phase(mus_solver *s) {
    mus_status status = s->def.broad->create(&s->scene, s->built, &s->broad_state);
    if (status == MUS_STATUS_OK) status = mus_solver_acquire_scratch(s);
    if (status == MUS_STATUS_OK || !s->broad_state) return status;
    s->def.broad->destroy(s->broad_state);
    s->broad_state = NULL;
    return status;
}

mus_status mus_solver_ensure_broad_phase(mus_solver *s) {
    if (s->broad_state) return MUS_STATUS_OK;
    memcpy(s->built, s->assembly.x0, sizeof(v3) * (size_t)s->assembly.vertex_count);
    return mus_solver_create_broad_phase(s);
}
