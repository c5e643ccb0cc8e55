/* jung.c: Jung 2005, 3.3: in the first round a penalty force along the contact vector, which leaves fewer collisions;
 * in those after it geometry: velocities to the response velocity, places to the legal one, a thickness h apart. What
 * either side gets is shared by mass: all vertices of an edge or a face move alike, and of the two sides each by the
 * other's share, so that momentum is kept, the moment of it not.
 *
 *   penalty    impulse dt k (h - d), no more than parts them within the step; k the stretch stiffness (N/m)
 *   geometric  vN' = -e vN where approaching, e the pair's restitution; slip less friction * |vN' - vN| (the source has
 *              no friction: set it to 0); places by h - d, which gives no velocity
 *
 * The source has no bodies that give way: a rigid body's side has its effective mass at the contact and goes by its
 * velocity, and of places cloth takes the whole. */
#include "response/classic.h"
#include "response/levers.h"

typedef struct sides {
    double share[2]; /* 1/kg of a side as a whole; 0: does not move */
    double slips;    /* of both across the normal */
    v3 slip;         /* m/s: velocity of side A against side B at the contact */
    double missing;  /* m */
} sides;

static int corners(const mus_row *row) {
    return row->plane ? 1 : 4;
}

static sides look(const mus_answer *answer, const mus_row *row) {
    const mus_assembly *a = answer->assembly;
    sides s = {.slip = v3_make(0, 0, 0)};
    double mass[2] = {0, 0};
    bool held[2] = {false, row->plane};
    v3 now = v3_add(mus_answer_slip(answer, row), row->rest), surface = mus_answer_slip(answer, row);
    for (int k = 0; k < corners(row); k++) {
        int32_t i = row->vertex[k];
        int side = mus_row_side(row, k);
        if (a->inverse_mass[i] > 0)
            mass[side] += 1 / a->inverse_mass[i];
        else
            held[side] = true;
        if (i >= a->cloth_vertex_count) continue;
        s.slip = v3_axpy(row->weight[k], a->v1[i], s.slip);
        surface = v3_axpy(-row->weight[k], v3_sub(a->x1[i], a->x0[i]), surface); /* leaves the obstacle's part */
    }
    s.slip = v3_axpy(1 / answer->dt, surface, s.slip);
    for (int side = 0; side < 2; side++) s.share[side] = held[side] || !(mass[side] > 0) ? 0 : 1 / mass[side];
    s.slips = s.share[0] + s.share[1];
    if (row->levered) {
        int body = a->bodies[row->body[0]].rigid ? 0 : 1;
        mus_row_yield yield = mus_row_lever_yield(a, row, 0);
        s.share[body] = yield.normal, s.slips = s.share[!body] + yield.drag;
    }
    s.missing = row->thickness - (v3_dot(row->normal, now) - row->offset);
    return s;
}

/* `change` of the relative velocity (m/s) and `by` of the relative place (m) along the normal, on top of that. */
static void give(const mus_answer *answer, mus_row *row, const sides *s, v3 change, double by) {
    mus_assembly *a = answer->assembly;
    double both = s->share[0] + s->share[1];
    if (!(both > 0)) return;
    for (int k = 0; k < corners(row); k++) {
        int side = mus_row_side(row, k);
        double part = (side == 0 ? 1 : -1) * s->share[side] / both;
        int32_t i = row->vertex[k];
        if (part == 0 || !(a->inverse_mass[i] > 0)) continue;
        v3 v = v3_axpy(part, change, a->v1[i]);
        double shift = row->levered ? (side == 0 ? by : -by) : part * by;
        v3 x = v3_axpy(shift, row->normal, v3_axpy(part * answer->dt, change, a->x1[i]));
        mus_answer_set(answer, row, k, x, v);
    }
}

static void meet(const mus_answer *answer, mus_row *row) {
    const mus_assembly *a = answer->assembly;
    sides s = look(answer, row);
    if (!(s.missing > 0)) return;
    if (answer->round == 0) {
        double k = INFINITY;
        for (int side = 0; side < 2; side++)
            if (a->bodies[row->body[side]].cloth) k = fmin(k, a->bodies[row->body[side]].cloth->material.stretch);
        double change = fmin(answer->dt * k * s.missing * (s.share[0] + s.share[1]), s.missing / answer->dt);
        give(answer, row, &s, v3_scale(change, row->normal), 0);
        mus_answer_stop(answer, row);
        return;
    }
    double both = s.share[0] + s.share[1];
    if (!(both > 0)) return;
    double speed = v3_dot(row->normal, s.slip), dv = speed < 0 ? -(1 + row->restitution) * speed : 0;
    v3 tangent = v3_axpy(-speed, row->normal, s.slip), change = v3_scale(dv, row->normal);
    double slip = v3_length(tangent);
    if (slip > 0) change = v3_axpy(-fmin(both / s.slips, row->friction * dv / slip), tangent, change);
    give(answer, row, &s, change, fmax(0, s.missing - dv * answer->dt));
    mus_answer_stop(answer, row);
}

const mus_classic_response mus_response_jung = {.name = "jung", .rounds = 20, .meet = meet};
