/* certify.c: truncation of a step's moves, pair by pair, until continuous detection finds every pair clear over the
 * whole move. Only pairs that would meet are cut; a pair is looked at again as long as its vertices change. First by
 * impulses that part the ends, then by cutting each move on its own line: those only ever get shorter, and at
 * no length at all nothing meets. */
#include "solve/potential.h"
#include "narrow/ccd.h"

enum { PASSES = 80, GENTLE_PASSES = 12 };

double mus_certified_gap(const mus_candidate *c, double thickness) {
    return fmax(0, fmin(0.1 * thickness, 0.5 * (double)c->gap0)); /* a pair may start in touch */
}

bool mus_solver_meets(mus_solver *s, mus_candidate *c, double distance, double tolerance, double *toi) {
    const mus_assembly *a = &s->assembly;
    v3 x0[4], x1[4], axis = v3_make((double)c->axis[0], (double)c->axis[1], (double)c->axis[2]);
    for (int k = 0; k < 4; k++) x0[k] = a->x0[c->vertex[k]], x1[k] = a->x1[c->vertex[k]];
    if (c->edge_edge ? mus_ccd_axis_clear_ee(x0, x1, axis, distance) : mus_ccd_axis_clear_vf(x0, x1, axis, distance))
        return false;
    return mus_solver_comes_near(s, c, distance, tolerance, toi);
}

/* Cloth vertices back above planes, which are exact and need no pair. */
static int64_t above_planes(mus_solver *s) {
    mus_assembly *a = &s->assembly;
    int64_t below = 0;
    for (int32_t k = a->cloth_count; k < a->body_count; k++) {
        const mus_body *plane = &a->bodies[k];
        if (!mus_body_is_plane(plane)) continue;
        double offset = v3_dot(plane->normal1, plane->point1);
        for (int32_t i = 0; i < a->cloth_vertex_count; i++) {
            if (!a->collide[(size_t)a->body_of[i] * (size_t)a->body_count + (size_t)k]) continue;
            if (!(a->inverse_mass[i] > 0) || mus_assembly_lets_below(a, i, k)) continue;
            double gap = v3_dot(plane->normal1, a->x1[i]) - offset, least = mus_plane_floor(a, plane, i);
            if (gap >= least) continue;
            mus_solver_move(s, i, v3_scale(1.01 * least - gap, plane->normal1));
            below++;
        }
    }
    return below;
}

static void cut(mus_solver *s, const mus_candidate *c, const v3 end[4]) {
    mus_assembly *a = &s->assembly;
    for (int k = 0; k < 4; k++) {
        int32_t i = c->vertex[k];
        if (!(a->inverse_mass[i] > 0)) continue;
        a->x1[i] = end[k];
        mus_solver_moved(s, i);
    }
}

/* Parts the ends along the direction the pair has when it comes near, as an inelastic impulse would. */
static bool part(mus_solver *s, const mus_candidate *c, double toi, double held) {
    mus_assembly *a = &s->assembly;
    mus_row row;
    if (!mus_row_from_hit(a, c, toi, s->dt, &row)) return false;
    v3 now = v3_make(0, 0, 0);
    for (int k = 0; k < 4; k++) now = v3_axpy(row.weight[k], a->x1[row.vertex[k]], now);
    double missing = fmax(held - (v3_dot(row.normal, now) - row.offset), 0.2 * held);
    for (int k = 0; k < 4; k++) {
        double share = row.weight[k] * a->inverse_mass[row.vertex[k]] * row.mass;
        if (share != 0) mus_solver_move(s, row.vertex[k], v3_scale(share * missing, row.normal));
    }
    return true;
}

mus_status mus_solver_certify(mus_solver *s, const mus_step_input *input, mus_candidate_list *list) {
    mus_assembly *a = &s->assembly;
    int32_t last[2] = {0, 0};
    for (int pass = 0; pass < PASSES; pass++) {
        s->clock++;
        s->stats->ccd_passes = pass + 1 > s->stats->ccd_passes ? pass + 1 : s->stats->ccd_passes;
        int64_t met = above_planes(s);
        mus_status status = mus_solver_check_cancelled(input);
        if (status == MUS_STATUS_OK && s->any_escaped) status = mus_solver_detect_escaped(s, list);
        if (status != MUS_STATUS_OK) return status;
        for (int64_t k = 0; k < list->count; k++) {
            mus_candidate *c = &list->data[k];
            if (!mus_solver_needs_test(s, c)) continue;
            double radius = mus_candidate_radius(a, c), gap = mus_certified_gap(c, mus_candidate_thickness(a, c)), toi;
            c->checked = s->clock;
            if (!mus_solver_meets(s, c, radius + gap, fmax(0.05 * gap, 1e-13), &toi)) continue;
            /* detection may see a contact where there is none; the plane it was cut at knows better */
            if (pass > GENTLE_PASSES && mus_truncation_certified(a, c, radius + gap)) continue;
            c->checked = 0;
            met++;
            last[0] = c->vertex[0], last[1] = c->vertex[3];
            if (pass < GENTLE_PASSES && part(s, c, toi, 1.2 * gap)) continue;
            v3 end[4];
            if (!s->def.truncation->cut(a, c, 1.2 * gap, end))
                return mus_solver_no_safe_step(s, last[0], last[1], "come too near for any move between them");
            cut(s, c, end);
        }
        s->stats->ccd_hits += met;
        if (met == 0 && !s->any_escaped) return MUS_STATUS_OK;
    }
    return mus_solver_no_safe_step(s, last[0], last[1], "leave no room for a move: what is between them is pinched");
}
