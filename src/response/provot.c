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
 * tangential and angular momentum are not kept. The source has no bodies that give way: a rigid body goes into the
 * centre of mass as one more vertex at the contact, by its effective mass along and across the contact's normal, and
 * takes the opposite of what the vertices get. With it momentum is kept. */
#include "response/classic.h"
#include "response/levers.h"

v3 mus_answer_normal(const mus_assembly *a, const mus_row *row) {
    if (row->plane || row->is_exact) return row->normal;
    const int32_t *v = row->vertex;
    const v3 *x = a->x0;
    v3 n = row->edge_edge ? v3_cross(v3_sub(x[v[1]], x[v[0]]), v3_sub(x[v[3]], x[v[2]]))
                          : v3_cross(v3_sub(x[v[2]], x[v[1]]), v3_sub(x[v[3]], x[v[1]]));
    return v3_length2(n) > 0 ? v3_normalized(n) : row->normal; /* parallel edges have none */
}

/* Of the vertices, of mass `free` and that momentum, together with the body's effective masses. */
static v3 with_body(const mus_answer *answer, const mus_row *row, double free, v3 momentum) {
    mus_row_yield yield = mus_row_lever_yield(answer->assembly, row, 0);
    v3 n = row->normal, surface = mus_answer_surface(answer, row);
    double mass = 1 / yield.normal, slips = 1 / yield.drag;
    v3 across = v3_scale(1 / (free + slips), v3_axpy(slips, surface, momentum));
    double along = (v3_dot(n, momentum) + mass * v3_dot(n, surface)) / (free + mass);
    return v3_axpy(along - v3_dot(n, across), n, across);
}

v3 mus_answer_frame(const mus_answer *answer, const mus_row *row) {
    const mus_assembly *a = answer->assembly;
    bool obstacle = a->bodies[row->body[0]].obstacle || a->bodies[row->body[1]].obstacle;
    double free = 0, held = 0;
    v3 momentum = v3_make(0, 0, 0), carried = momentum;
    if (obstacle && !row->levered) return mus_answer_surface(answer, row);
    for (int k = 0; k < (row->plane ? 1 : 4); k++) {
        int32_t i = row->vertex[k];
        if (i >= a->cloth_vertex_count) continue;
        v3 by = v3_sub(a->x1[i], a->x0[i]);
        double w = a->inverse_mass[i];
        if (w > 0)
            free += 1 / w, momentum = v3_axpy(1 / w, by, momentum);
        else
            held += 1, carried = v3_add(carried, by);
    }
    if (held > 0) return v3_scale(1 / held, carried);
    return obstacle ? with_body(answer, row, free, momentum) : v3_scale(1 / free, momentum);
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
    mus_answer_stop(answer, row);
}

const mus_classic_response mus_response_provot = {
    .name = "provot", .rounds = 1, .strain_last = false, .strain_rounds = 0, .meet = meet};
