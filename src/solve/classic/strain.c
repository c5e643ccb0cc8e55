/* strain.c: strain limits and stitches of the classic family, which change positions only. */
#include "solve/classic/classic.h"

#include <string.h>

/* Adds to v1 the change of x1 since `before`, for stages that change positions only. */
void mus_classic_update_velocities(mus_solver *s, const v3 *before) {
    mus_assembly *a = &s->assembly;
    for (int32_t i = 0; i < a->cloth_vertex_count; i++)
        if (memcmp(&before[i], &a->x1[i], sizeof(v3)) != 0)
            a->v1[i] = v3_axpy(1 / s->dt, v3_sub(a->x1[i], before[i]), a->v1[i]);
}

v3 *mus_classic_save_positions(mus_solver *s) {
    mus_assembly *a = &s->assembly;
    memcpy(a->scratch, a->x1, sizeof(v3) * (size_t)a->cloth_vertex_count);
    return a->scratch;
}

/* Limits strain, in sweeps until all edges are within the limit, or until `most`. */
mus_status mus_classic_limit_strain(mus_solver *s, int most, bool *is_within_limit) {
    v3 *before = mus_classic_save_positions(s);
    *is_within_limit = false;
    for (int k = 0; k < most && !*is_within_limit; k++) /* when out of memory it returns 1 */
        *is_within_limit = mus_strain_limit_pass(&s->limit, s->assembly.inverse_mass, s->assembly.x0, s->assembly.x1,
                                                 mus_solver_moved, s) < MUS_STRAIN_LIMIT_ENOUGH;
    mus_classic_update_velocities(s, before);
    return s->limit.status;
}

/* Returns whether strain limits and stitches alternate with the response. One after the other, each would undo the
 * result of the first: an edge over a point that is shortened penetrates, and the response lengthens it again. */
bool mus_classic_alternates_strain(const mus_solver *s) {
    return s->def.response->repel && !s->def.response->strain_last;
}

/* One sweep of strain limiting, then of stitches, which are projected onto their equilibrium for the corrected ends. */
mus_status mus_classic_sweep_strain(mus_solver *s, int turn, bool *is_within_limit) {
    mus_assembly *a = &s->assembly;
    mus_status status = mus_classic_limit_strain(s, 1, is_within_limit);
    if (!s->seam_group_count) return status;
    v3 *before = mus_classic_save_positions(s);
    for (int32_t k = 0; k < s->seam_group_count; k++) {
        mus_seam_group *b = &s->seam_groups[k];
        mus_stitches_project(b, a->inverse_mass + b->first, s->dt, turn & 1, a->x1 + b->first);
        for (int32_t i = b->first; i < b->first + b->n; i++)
            if (memcmp(&before[i], &a->x1[i], sizeof(v3)) != 0) mus_solver_moved(s, i);
    }
    mus_classic_update_velocities(s, before);
    return status;
}
