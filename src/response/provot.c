/* provot.c: Provot 1997, section 3.3, eq. 4: friction and dissipation on each vertex by itself.
 *
 * With v the velocity of a vertex in the frame of the collision, vN and vT its parts along and across the normal:
 *
 *     |vT| >= kf |vN|:  v' = vT - kf |vN| vT/|vT| - kd vN,     else  v' = -kd vN
 *
 * and v' holds over the whole step. kf is the pair's friction. kd is the pair's restitution: 0 takes all normal speed
 * away, 1 gives it back, though the source calls it dissipation. The frame moves with the centre of mass of the
 * vertices involved, in a collision with an obstacle (or of pinned vertices, which are as heavy) with its surface at
 * the contact, where the source takes the obstacle's centre: the same unless it turns. The normal is the face's, or
 * across both edges, at the start of the step; of planes and round shapes that of their surface.
 *
 * In that frame normal momentum sums to zero and is kept. Friction takes from each vertex what its own |vN| asks for:
 * tangential and angular momentum are not kept. */
#include "response/classic.h"

v3 mus_answer_normal(const mus_assembly *a, const mus_row *row) {
    if (row->plane || row->offset > 0) return row->normal;
    const int32_t *v = row->vertex;
    const v3 *x = a->x0;
    v3 n = row->edge_edge ? v3_cross(v3_sub(x[v[1]], x[v[0]]), v3_sub(x[v[3]], x[v[2]]))
                          : v3_cross(v3_sub(x[v[2]], x[v[1]]), v3_sub(x[v[3]], x[v[1]]));
    return v3_length2(n) > 0 ? v3_normalized(n) : row->normal; /* parallel edges have none */
}

v3 mus_answer_frame(const mus_answer *answer, const mus_row *row) {
    const mus_assembly *a = answer->assembly;
    if (a->bodies[row->body[0]].obstacle || a->bodies[row->body[1]].obstacle) return mus_answer_surface(answer, row);
    double free = 0, held = 0;
    v3 momentum = v3_make(0, 0, 0), carried = momentum;
    for (int k = 0; k < 4; k++) {
        int32_t i = row->vertex[k];
        v3 by = v3_sub(a->x1[i], a->x0[i]);
        double w = a->inverse_mass[i];
        if (w > 0)
            free += 1 / w, momentum = v3_axpy(1 / w, by, momentum);
        else
            held += 1, carried = v3_add(carried, by);
    }
    return held > 0 ? v3_scale(1 / held, carried) : v3_scale(1 / free, momentum);
}

static void meet(const mus_answer *answer, mus_row *row) {
    const mus_assembly *a = answer->assembly;
    v3 n = mus_answer_normal(a, row), frame = mus_answer_frame(answer, row);
    for (int k = 0; k < (row->plane ? 1 : 4); k++) {
        int32_t i = row->vertex[k];
        if (!(a->inverse_mass[i] > 0)) continue;
        v3 v = v3_sub(v3_sub(a->x1[i], a->x0[i]), frame), vn = v3_scale(v3_dot(v, n), n), vt = v3_sub(v, vn);
        double slides = v3_length(vt), grip = row->friction * v3_length(vn);
        v3 after = v3_scale(-row->restitution, vn);
        if (slides >= grip && slides > 0) after = v3_axpy(1 - grip / slides, vt, after);
        mus_answer_move(answer, row, k, v3_sub(after, v));
    }
}

const mus_classic_response mus_response_provot = {
    .name = "provot", .rounds = 1, .strain_last = false, .strain_rounds = 0, .meet = meet};
