/* balance.c: the sum of what conjugate gradients leave over, taken out of cloths and bodies that nothing holds. */
#include "solve/balance.h"
#include "solve/newton.h"

static int32_t group_of(mus_balance *b, int32_t k) {
    while (b[k].with != k) k = b[k].with = b[b[k].with].with;
    return k;
}

/* The number of what a vertex belongs to; -1: nothing that moves. */
static int32_t member_of(const mus_assembly *a, int32_t vertex) {
    int32_t body = a->body_of[vertex];
    const mus_rigid_step *rigid = a->bodies[body].rigid;
    return body < a->cloth_count ? body : rigid ? a->cloth_count + (int32_t)(rigid - a->rigids) : -1;
}

static void join(const mus_assembly *a, const mus_ogc_term *t, mus_balance *b) {
    int32_t group = -1;
    bool held = t->count == 1; /* by a plane */
    for (int k = 0; k < t->count; k++) {
        int32_t member = member_of(a, t->vertex[k]);
        if (member < 0) {
            held = true;
            continue;
        }
        int32_t other = group_of(b, member);
        if (group < 0) group = other;
        int32_t low = group < other ? group : other, high = group < other ? other : group;
        held |= b[high].held;
        b[high].with = group = low;
    }
    if (group >= 0 && held) b[group].held = true;
}

void mus_balance_shift(const mus_assembly *a, const mus_ogc_list *terms, const mus_balance_cloths *cloths,
                       mus_newton_bodies *bodies, const v3 *right, mus_balance *b) {
    int32_t count = a->cloth_count + bodies->count;
    for (int32_t k = 0; k < count; k++) b[k] = (mus_balance){.joined = b[k].joined, .with = b[k].joined};
    for (int64_t k = 0; k < terms->count; k++) join(a, &terms->data[k], b);
    for (int32_t i = 0; i < a->cloth_vertex_count; i++) {
        mus_balance *group = &b[group_of(b, a->body_of[i])];
        group->held |= !(a->inverse_mass[i] > 0);
        const mus_sym3 *m = &cloths->inertia[i];
        group->inertia.xx += m->xx, group->inertia.xy += m->xy, group->inertia.xz += m->xz;
        group->inertia.yy += m->yy, group->inertia.yz += m->yz, group->inertia.zz += m->zz;
        v3 missing = v3_add(mus_sym3_mul(m, v3_sub(cloths->target[i], cloths->x[i])), cloths->impulse[i]);
        group->missing = v3_add(group->missing, missing);
    }
    for (int32_t k = 0; k < bodies->count; k++) {
        mus_balance *group = &b[group_of(b, a->cloth_count + k)];
        mus_sym3_add(&group->inertia, 0, v3_make(0, 0, 0), bodies->list[k].mass);
        group->missing = v3_add(group->missing, right[2 * k]);
    }
    for (int32_t k = 0; k < count; k++) {
        if (b[k].with != k || b[k].held) continue;
        mus_sym3 inverse = mus_sym3_inverse(&b[k].inertia);
        b[k].shift = mus_sym3_mul(&inverse, b[k].missing);
    }
    v3 *x = cloths->x;
    for (int32_t i = 0; i < a->cloth_vertex_count; i++) x[i] = v3_add(x[i], b[group_of(b, a->body_of[i])].shift);
    for (int32_t k = 0; k < bodies->count; k++) {
        v3 *shift = &bodies->list[k].shift;
        *shift = v3_add(*shift, b[group_of(b, a->cloth_count + k)].shift);
    }
}
