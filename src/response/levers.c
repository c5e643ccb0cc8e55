/* levers.c: rows with rigid bodies, after Bridson, Fedkiw & Anderson 2002 (BRI 2.2): at a contact r from its centre of
 * mass a body is as heavy as 1 / (1/m + ((I^-1 (r x n)) x r) . n). */
#include "response/levers.h"

static mus_rigid_step *side(const mus_assembly *a, const mus_row *row, int k) {
    return a->bodies[row->body[k]].rigid;
}

static double sign(int k) {
    return k == 0 ? 1 : -1;
}

/* Vertices of a side: of a vertex and a face the first, of two edges the last two are side A. */
static v3 point_of_side(const mus_row *row, const v3 *x, int k) {
    if (row->plane) return x[row->vertex[0]];
    int first = row->edge_edge ? (k == 0 ? 2 : 0) : k, end = row->edge_edge ? first + 2 : k == 0 ? 1 : 4;
    v3 sum = v3_make(0, 0, 0);
    for (int i = first; i < end; i++) sum = v3_axpy(fabs(row->weight[i]), x[row->vertex[i]], sum);
    return sum;
}

/* What a round side adds to the contact's place, from its vertex or axis. */
static v3 to_surface(const mus_row *row, int k) {
    return v3_scale(-sign(k) * row->radius[k], row->normal);
}

/* Velocity of the contact for a unit impulse. */
static v3 give_way(const mus_rigid_step *r, v3 arm, v3 impulse) {
    v3 turn = m3_mul_v3(&r->inverse_inertia, v3_cross(arm, impulse));
    return v3_axpy(1 / r->of->mass, impulse, v3_cross(turn, arm));
}

mus_row_yield mus_row_lever_yield(const mus_assembly *a, const mus_row *row, double cloth) {
    double normal = cloth, uu = cloth, ww = cloth, uw = 0;
    v3 n = row->normal, other = fabs(n.x) < 0.9 ? v3_make(1, 0, 0) : v3_make(0, 0, 1);
    v3 u = v3_normalized(v3_cross(other, n)), w = v3_cross(n, u);
    for (int k = 0; row->levered && k < 2; k++) {
        const mus_rigid_step *r = side(a, row, k);
        if (!r) continue;
        v3 along = give_way(r, row->arm[k], u), across = give_way(r, row->arm[k], w);
        normal += v3_dot(n, give_way(r, row->arm[k], n));
        uu += v3_dot(u, along), ww += v3_dot(w, across), uw += v3_dot(w, along);
    }
    double half = 0.5 * (uu - ww);
    return (mus_row_yield){normal, 0.5 * (uu + ww) + sqrt(half * half + uw * uw)};
}

void mus_row_take_levers(const mus_assembly *a, mus_row *row) {
    row->levered = side(a, row, 0) || side(a, row, 1);
    if (!row->levered) return;
    for (int k = 0; k < 2; k++) {
        const mus_rigid_step *r = side(a, row, k);
        if (!r) continue;
        row->radius[k] = a->bodies[row->body[k]].radius;
        row->arm[k] = v3_add(v3_sub(point_of_side(row, a->x0, k), r->centre0), to_surface(row, k));
    }
    mus_row_yield all = mus_row_lever_yield(a, row, row->mass > 0 ? 1 / row->mass : 0);
    row->mass = 1 / all.normal, row->drag_mass = 1 / all.drag;
}

v3 mus_row_lever_motion(const mus_assembly *a, const mus_row *row) {
    v3 motion = v3_make(0, 0, 0);
    for (int k = 0; k < 2; k++) {
        const mus_rigid_step *r = side(a, row, k);
        if (!r) continue;
        v3 by = v3_add(r->shift, v3_cross(r->turned, row->arm[k]));
        if (row->radius[k] > 0) by = v3_add(by, v3_cross(r->turn, to_surface(row, k)));
        motion = v3_axpy(sign(k), by, motion);
    }
    return motion;
}

void mus_row_lever_owe(const mus_assembly *a, const mus_row *row, v3 on_a, v3 on_b) {
    for (int k = 0; k < 2; k++) {
        mus_rigid_step *r = side(a, row, k);
        if (!r) continue;
        v3 impulse = k == 0 ? on_a : on_b;
        r->linear = v3_add(r->linear, impulse);
        r->angular = v3_add(r->angular, v3_cross(row->arm[k], impulse));
    }
}

void mus_row_lever_give(const mus_assembly *a, const mus_row *row, v3 on_a, v3 on_b) {
    mus_row_lever_owe(a, row, on_a, on_b);
    for (int k = 0; k < 2; k++) {
        mus_rigid_step *r = side(a, row, k);
        if (!r) continue;
        r->shift = v3_scale(1 / r->of->mass, r->linear);
        r->turned = m3_mul_v3(&r->inverse_inertia, r->angular);
    }
}

double mus_row_lever_speed(const mus_assembly *a, const mus_row *row) {
    double speed = 0;
    for (int k = 0; k < 2; k++) {
        const mus_rigid_step *r = side(a, row, k);
        if (!r) continue;
        v3 v = v3_add(r->v1, v3_cross(m3_mul_v3(&r->inverse_inertia, r->momentum1), row->arm[k]));
        speed += sign(k) * v3_dot(row->normal, v);
    }
    return speed;
}

void mus_row_lever_kick(const mus_assembly *a, const mus_row *row, double impulse) {
    for (int k = 0; k < 2; k++) {
        mus_rigid_step *r = side(a, row, k);
        if (!r) continue;
        v3 by = v3_scale(sign(k) * impulse, row->normal);
        r->v1 = v3_axpy(1 / r->of->mass, by, r->v1);
        r->momentum1 = v3_add(r->momentum1, v3_cross(row->arm[k], by));
    }
}

mus_row mus_row_held(const mus_assembly *a, const mus_row *row) {
    mus_row held = *row;
    double sum = 0;
    for (int k = 0; k < 4; k++) sum += row->weight[k] * row->weight[k] * a->inverse_mass[row->vertex[k]];
    held.mass = held.drag_mass = sum > 0 ? 1 / sum : 0;
    held.levered = false;
    if (row->levered) held.rest = v3_sub(row->rest, mus_row_lever_motion(a, row));
    return held;
}
