/* projection.c: inelastic impact zones (Harmon et al. 2008): a joint projection of all colliding pairs, in the impulse
 * and classic families, before rigid zones. */
#include "solve/classic/classic.h"

#include <string.h>

enum { PROJECTION_SWEEPS = 200 };

/* Finds the smallest change of the ends in velocity_base, in the norm of mass, after which no contact from `first` on
 * has come nearer along its normal: projected Gauss-Seidel on G M^-1 G^T. */
static void project(mus_solver *s, int64_t first) {
    mus_assembly *a = &s->assembly;
    mus_contact_constraint_list *constraints = &s->hits;
    for (int64_t k = first; k < constraints->count; k++) {
        mus_contact_constraint *constraint = &constraints->data[k];
        constraint->normal_impulse = 0;
        for (int c = 0; c < 4; c++)
            if (constraint->vertex[c] < a->cloth_vertex_count)
                a->x1[constraint->vertex[c]] = a->velocity_base[constraint->vertex[c]];
    }
    mus_response_context context = {.assembly = a, .dt = s->dt};
    for (int sweep = 0; sweep < PROJECTION_SWEEPS; sweep++) {
        double most = 0; /* largest violation, in thicknesses */
        for (int64_t k = first; k < constraints->count; k++) {
            mus_contact_constraint *constraint = &constraints->data[k];
            double missing = -v3_dot(constraint->normal, mus_response_slip(&context, constraint));
            double normal_impulse = fmax(0, constraint->normal_impulse + missing * constraint->mass),
                   change = normal_impulse - constraint->normal_impulse;
            if (change == 0) continue;
            constraint->normal_impulse = normal_impulse;
            most = fmax(most, fabs(change / constraint->mass) / fmax(constraint->thickness, 1e-9));
            for (int c = 0; c < (constraint->plane ? 1 : 4); c++) {
                int32_t i = constraint->vertex[c];
                double share = constraint->weight[c] * a->inverse_mass[i];
                if (share != 0) a->x1[i] = v3_axpy(share * change, constraint->normal, a->x1[i]);
            }
        }
        if (most < 1e-6) break;
    }
    for (int64_t k = first; k < constraints->count; k++)
        for (int c = 0; c < 4; c++)
            if (a->inverse_mass[constraints->data[k].vertex[c]] > 0)
                mus_solver_moved(s, constraints->data[k].vertex[c]);
}

mus_status mus_solver_project(mus_solver *s, const mus_step_input *input, mus_candidate_pair_list *list,
                              bool *is_collision_free) {
    mus_assembly *a = &s->assembly;
    int64_t first = s->hits.count;
    memcpy(a->velocity_base, a->x1, sizeof(v3) * (size_t)a->cloth_vertex_count);
    for (int round = 0; round < s->def.failsafe->projections && !*is_collision_free; round++) {
        mus_classic_search l = {.constraints = &s->hits, .share = 0.5};
        mus_status status = mus_classic_search_pairs(s, list, &l);
        if (status == MUS_STATUS_OK) status = mus_solver_check_cancelled(input);
        if (status != MUS_STATUS_OK) return status;
        *is_collision_free = l.found == 0;
        s->clock++;
        if (!*is_collision_free) project(s, first);
    }
    mus_classic_update_velocities(s, a->velocity_base);
    return MUS_STATUS_OK;
}
