/* balance.c: the sum of what conjugate gradients leave over, taken out of cloths that nothing holds. */
#include "solve/balance.h"
#include "solve/newton.h"

static int32_t group_of(mus_balance *b, int32_t k) {
    while (b[k].with != k) k = b[k].with = b[b[k].with].with;
    return k;
}

static void join(const mus_assembly *a, const mus_ogc_term *t, mus_balance *b) {
    int32_t group = -1;
    bool held = t->count == 1; /* by a plane */
    for (int k = 0; k < t->count; k++) {
        if (t->vertex[k] >= a->cloth_vertex_count) {
            held = true;
            continue;
        }
        int32_t other = group_of(b, a->body_of[t->vertex[k]]);
        if (group < 0) group = other;
        int32_t low = group < other ? group : other, high = group < other ? other : group;
        held |= b[high].held;
        b[high].with = group = low;
    }
    if (group >= 0 && held) b[group].held = true;
}

void mus_balance_shift(const mus_assembly *a, const mus_ogc_list *terms, const mus_sym3 *inertia, const v3 *target,
                       const v3 *impulse, mus_balance *b, v3 *x) {
    for (int32_t k = 0; k < a->cloth_count; k++) b[k] = (mus_balance){.joined = b[k].joined, .with = b[k].joined};
    for (int64_t k = 0; k < terms->count; k++) join(a, &terms->data[k], b);
    for (int32_t i = 0; i < a->cloth_vertex_count; i++) {
        mus_balance *group = &b[group_of(b, a->body_of[i])];
        group->held |= !(a->inverse_mass[i] > 0);
        const mus_sym3 *m = &inertia[i];
        group->inertia.xx += m->xx, group->inertia.xy += m->xy, group->inertia.xz += m->xz;
        group->inertia.yy += m->yy, group->inertia.yz += m->yz, group->inertia.zz += m->zz;
        v3 missing = v3_add(mus_sym3_mul(m, v3_sub(target[i], x[i])), impulse[i]);
        group->missing = v3_add(group->missing, missing);
    }
    for (int32_t k = 0; k < a->cloth_count; k++) {
        if (b[k].with != k || b[k].held) continue;
        mus_sym3 inverse = mus_sym3_inverse(&b[k].inertia);
        b[k].shift = mus_sym3_mul(&inverse, b[k].missing);
    }
    for (int32_t i = 0; i < a->cloth_vertex_count; i++) x[i] = v3_add(x[i], b[group_of(b, a->body_of[i])].shift);
}
