/* momentum.c: removes the sum of the residual from cloths that only cloth and rigid bodies touch: elastic forces and
 * contacts between cloths are equal and opposite, so that inertia, loads and the impulses of bodies must cancel. */
#include "base/union_find.h"
#include "solve/solver.h"

#include <string.h>

static void begin_groups(mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    int32_t *parent = s->coupled.group_parent;
    memset(s->coupled.groups, 0, sizeof *s->coupled.groups * (size_t)a->cloth_count);
    mus_union_find_reset(parent, a->cloth_count);
    for (int32_t k = 0; k < s->seam_group_count; k++)
        for (int32_t m = 0; m < s->seam_groups[k].member_count; m++)
            mus_union_find_join(parent, s->seam_groups[k].first_cloth + m,
                                s->seam_groups[k].first_cloth + s->seam_groups[k].members[m].joined);
    for (int64_t k = 0; k < s->constraints.count; k++) {
        const mus_contact_constraint *c = &s->constraints.data[k];
        if (c->response < 0 && c->normal_impulse > 0 && a->objects[c->object[0]].cloth &&
            a->objects[c->object[1]].cloth)
            mus_union_find_join(parent, c->object[0], c->object[1]);
    }
}

/* Impulses on cloth of contacts with other objects; one that is no rigid body absorbs momentum. */
static void add_contacts(mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    mus_coupled_group *b = s->coupled.groups;
    for (int64_t k = 0; k < s->constraints.count; k++) {
        const mus_contact_constraint *c = &s->constraints.data[k];
        for (int side = 0; side < 2; side++) {
            const mus_object *other = &a->objects[c->object[1 - side]];
            if (!a->objects[c->object[side]].cloth || other->cloth) continue;
            mus_coupled_group *group = &b[mus_union_find_root(s->coupled.group_parent, c->object[side])];
            if (c->response >= 0 || (c->normal_impulse > 0 && !other->rigid)) group->is_constrained = true;
            v3 impulse = v3_axpy(c->normal_impulse, c->normal, c->friction_impulse);
            group->missing_impulse = v3_axpy(side ? -1 : 1, impulse, group->missing_impulse);
        }
    }
}

void mus_coupled_correct_momentum(mus_solver *s) {
    mus_assembly *a = &s->assembly;
    mus_coupled *c = &s->coupled;
    mus_coupled_group *b = c->groups;
    const mus_incremental_model *m = &c->model;
    if (!c->is_linearized) return; /* dynamics has corrected it */
    begin_groups(s);
    add_contacts(s);
    for (int32_t i = 0; i < c->n; i++) {
        mus_coupled_group *group = &b[mus_union_find_root(c->group_parent, a->object_of[i])];
        const mus_sym3 *inertia = &m->inertia[i];
        group->is_constrained |= !(a->inverse_mass[i] > 0);
        group->inertia.xx += inertia->xx, group->inertia.xy += inertia->xy, group->inertia.xz += inertia->xz;
        group->inertia.yy += inertia->yy, group->inertia.yz += inertia->yz, group->inertia.zz += inertia->zz;
        v3 missing =
            v3_add(mus_sym3_mul(inertia, v3_sub(m->target[i], a->x1[i])), v3_add(m->impulse[i], c->outside[i]));
        group->missing_impulse = v3_add(group->missing_impulse, missing);
    }
    for (int32_t k = 0; k < a->cloth_count; k++) {
        if (c->group_parent[k] != k || b[k].is_constrained) continue;
        mus_sym3 inverse = mus_sym3_inverse(&b[k].inertia);
        b[k].shift = mus_sym3_mul(&inverse, b[k].missing_impulse);
    }
    for (int32_t i = 0; i < c->n; i++)
        a->x1[i] = v3_add(a->x1[i], b[mus_union_find_root(c->group_parent, a->object_of[i])].shift);
}
