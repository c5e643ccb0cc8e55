/* momentum_correction.c: removes the sum of the residual of conjugate gradients from free cloths and bodies. */
#include "solve/potential/momentum_correction.h"
#include "solve/potential/newton.h"

static int32_t group_of(mus_momentum_correction *b, int32_t k) {
    while (b[k].group_parent != k) k = b[k].group_parent = b[b[k].group_parent].group_parent;
    return k;
}

/* Returns the index of a vertex's cloth or body; -1: another obstacle. */
static int32_t member_of(const mus_assembly *a, int32_t vertex) {
    int32_t object = a->object_of[vertex];
    const mus_rigid_step *rigid = a->objects[object].rigid;
    return object < a->cloth_count ? object : rigid ? a->cloth_count + (int32_t)(rigid - a->rigids) : -1;
}

/* Joins two groups; the lower index is theirs. */
static int32_t join(mus_momentum_correction *b, int32_t group, int32_t other) {
    int32_t low = group < other ? group : other, high = group < other ? other : group;
    b[low].is_constrained |= b[high].is_constrained;
    return b[high].group_parent = low;
}

static void join_attached(const mus_assembly *a, const mus_attachment *t, mus_momentum_correction *b) {
    int32_t body = a->cloth_count + (int32_t)(a->objects[t->object].rigid - a->rigids);
    join(b, group_of(b, a->object_of[t->vertex]), group_of(b, body));
}

static void join_groups(const mus_assembly *a, const mus_ogc_term *t, mus_momentum_correction *b) {
    int32_t group = -1;
    bool is_constrained = t->count == 1; /* by a plane */
    for (int k = 0; k < t->count; k++) {
        int32_t member = member_of(a, t->vertex[k]);
        if (member < 0) {
            is_constrained = true;
            continue;
        }
        int32_t other = group_of(b, member);
        group = join(b, group < 0 ? other : group, other);
    }
    if (group >= 0 && is_constrained) b[group].is_constrained = true;
}

void mus_momentum_correction_apply(const mus_assembly *a, const mus_ogc_list *terms,
                                   const mus_momentum_correction_cloths *cloths, mus_newton_rigid_bodies *rigid_bodies,
                                   const v3 *right, mus_momentum_correction *b) {
    int32_t count = a->cloth_count + rigid_bodies->count;
    for (int32_t k = 0; k < count; k++)
        b[k] = (mus_momentum_correction){.joined = b[k].joined, .group_parent = b[k].joined};
    for (int64_t k = 0; k < terms->count; k++) join_groups(a, &terms->data[k], b);
    for (int64_t k = 0; k < a->attachments.count; k++) join_attached(a, &a->attachments.data[k], b);
    for (int32_t i = 0; i < a->cloth_vertex_count; i++) {
        mus_momentum_correction *group = &b[group_of(b, a->object_of[i])];
        group->is_constrained |= !(a->inverse_mass[i] > 0);
        const mus_sym3 *m = &cloths->inertia[i];
        group->inertia.xx += m->xx, group->inertia.xy += m->xy, group->inertia.xz += m->xz;
        group->inertia.yy += m->yy, group->inertia.yz += m->yz, group->inertia.zz += m->zz;
        v3 missing_impulse = v3_add(mus_sym3_mul(m, v3_sub(cloths->target[i], cloths->x[i])), cloths->impulse[i]);
        group->missing_impulse = v3_add(group->missing_impulse, missing_impulse);
    }
    for (int32_t k = 0; k < rigid_bodies->count; k++) {
        mus_momentum_correction *group = &b[group_of(b, a->cloth_count + k)];
        mus_sym3_add(&group->inertia, 0, v3_make(0, 0, 0), rigid_bodies->list[k].mass);
        group->missing_impulse = v3_add(group->missing_impulse, right[2 * k]);
    }
    for (int32_t k = 0; k < count; k++) {
        if (b[k].group_parent != k || b[k].is_constrained) continue;
        mus_sym3 inverse = mus_sym3_inverse(&b[k].inertia);
        b[k].shift = mus_sym3_mul(&inverse, b[k].missing_impulse);
    }
    v3 *x = cloths->x;
    for (int32_t i = 0; i < a->cloth_vertex_count; i++) x[i] = v3_add(x[i], b[group_of(b, a->object_of[i])].shift);
    for (int32_t k = 0; k < rigid_bodies->count; k++) {
        v3 *shift = &rigid_bodies->list[k].shift;
        *shift = v3_add(*shift, b[group_of(b, a->cloth_count + k)].shift);
    }
}
