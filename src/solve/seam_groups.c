/* seam_groups.c: groups of sewn cloths, each solved by dynamics as one. */
#include "model/order.h"
#include "solve/solver.h"

/* A group is of consecutive cloths: those between two sewn cloths are included. */
mus_status mus_solver_make_seam_groups(mus_solver *s, mus_cloth *const *cloths, int32_t cloth_count,
                                       mus_seam *const *seams, int32_t seam_count) {
    if (!seam_count) return MUS_STATUS_OK;
    int32_t *last = mus_new(sizeof *last * (size_t)cloth_count); /* of each cloth: the last cloth it is sewn to */
    s->seam_groups = mus_new(sizeof *s->seam_groups * (size_t)cloth_count);
    mus_status status = last && s->seam_groups ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
    for (int32_t k = 0; k < cloth_count && status == MUS_STATUS_OK; k++) last[k] = -1;
    for (int32_t k = 0; k < seam_count && status == MUS_STATUS_OK; k++) {
        int32_t of[2] = {0, 0};
        for (int side = 0; side < 2; side++)
            while (cloths[of[side]] != mus_cloth_solved(seams[k]->cloth[side])) of[side]++;
        int32_t low = of[0] < of[1] ? of[0] : of[1], high = of[0] < of[1] ? of[1] : of[0];
        if (high > last[low]) last[low] = high;
    }
    for (int32_t k = 0; k < cloth_count && status == MUS_STATUS_OK; k++) {
        int32_t first = k, end = last[k];
        if (end < 0) continue;
        for (; k < end; k++) end = last[k + 1] > end ? last[k + 1] : end;
        status = mus_seam_group_create(s->dynamics, cloths, first, end - first + 1, seams, seam_count,
                                       &s->seam_groups[s->seam_group_count++]);
    }
    mus_free(last);
    return status;
}

mus_seam_group *mus_solver_seam_group_at(const mus_solver *s, int32_t cloth) {
    for (int32_t k = 0; k < s->seam_group_count; k++)
        if (s->seam_groups[k].first_cloth == cloth) return &s->seam_groups[k];
    return NULL;
}

mus_block_matrix *mus_solver_matrix(const mus_solver *s, int32_t cloth) {
    mus_seam_group *group = mus_solver_seam_group_at(s, cloth);
    return group ? &group->matrix : s->dynamics[cloth]->in_seam_group ? NULL : &s->dynamics[cloth]->matrix;
}
