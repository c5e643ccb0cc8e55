/* momentum.c: removes the sum of the residual, and its torque, from cloths that only cloth and rigid bodies touch:
 * elastic forces and contacts between cloths are equal and opposite, so that inertia, loads and the impulses of bodies
 * must cancel. Implicit Euler itself loses angular momentum as it turns cloth (a disc of 5 rad/s 8 % in 0.2 s with
 * steps of 1/120 s), which is given back as a spin while that does not increase the energy.
 * With x1 = x0 + dt v1 the angular momentum at the end is sum x0 x m v1: it is the torque about x0 that must balance.
 */
#include "base/union_find.h"
#include "dynamics/momentum.h"
#include "solve/solver.h"

#include <string.h>

/* Share of the kinetic energy that a spin may change without looking at that of the cloth, and add: rounding. */
static const double negligible_spin = 1e-9;
/* rad: a spin in a step that may stretch cloth considerably. Where that counts for smaller ones, sheets under `lively`
 * that a seam pulls together change their angular momentum by 1.1 %, else by less than 0.2 (tests/lua/stitch_test.lua).
 */
static const double large_spin = 0.01;
/* Most chords for the share of a spin, which is zero where none of them is within its room. */
enum { MAX_SPIN_CHORDS = 4 };

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
        if (c->response < 0 && c->normal_impulse != 0 && a->objects[c->object[0]].cloth &&
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
            if (c->response >= 0 || (c->normal_impulse != 0 && !other->rigid)) group->is_constrained = true;
            group->is_near_other = true, group->touches_body |= c->normal_impulse != 0;
            v3 impulse = v3_axpy(c->normal_impulse, c->normal, c->friction_impulse);
            group->missing_impulse = v3_axpy(side ? -1 : 1, impulse, group->missing_impulse);
        }
    }
}

/* Impulses on cloth of soft pins to bodies. */
static void add_attachments(mus_solver *s) {
    const mus_coupled *c = &s->coupled;
    for (int64_t k = 0; k < c->attachments.count; k++) {
        const mus_coupled_attachment *t = &c->attachments.data[k];
        mus_coupled_group *group = &c->groups[mus_union_find_root(c->group_parent, s->assembly.object_of[t->row])];
        group->missing_impulse = v3_add(group->missing_impulse, t->impulse);
        group->is_near_other = group->touches_body = true;
    }
}

static mus_coupled_group *group_of(const mus_solver *s, int32_t i) {
    const mus_coupled *c = &s->coupled;
    return &c->groups[mus_union_find_root(c->group_parent, s->assembly.object_of[i])];
}

static v3 missing_impulse(const mus_solver *s, int32_t i) {
    const mus_coupled *c = &s->coupled;
    const mus_incremental_model *m = &c->model;
    return v3_add(mus_sym3_mul(&m->inertia[i], v3_sub(m->target[i], s->assembly.x1[i])),
                  v3_add(m->impulse[i], c->outside[i]));
}

/* ---- linear momentum ---- */

/* Once a vertex is fixed the sums are of no use. */
static void add_to_group(mus_solver *s, int32_t cloth) {
    const mus_assembly *a = &s->assembly;
    const mus_coupled *c = &s->coupled;
    mus_coupled_group *group = &c->groups[mus_union_find_root(c->group_parent, cloth)];
    int32_t first = a->objects[cloth].first, last = first + a->objects[cloth].count;
    for (int32_t i = first; i < last && !group->is_constrained; i++) {
        double w = a->inverse_mass[i], mass = w > 0 ? 1 / w : 0;
        group->is_constrained |= !(w > 0);
        mus_sym3_accumulate(&group->inertia, &c->model.inertia[i]);
        group->missing_impulse = v3_add(group->missing_impulse, missing_impulse(s, i));
        group->mass += mass, group->center = v3_axpy(mass, a->x0[i], group->center);
    }
}

static void find_shifts(mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    const mus_coupled *c = &s->coupled;
    for (int32_t k = 0; k < a->cloth_count; k++) add_to_group(s, k);
    for (int32_t k = 0; k < a->cloth_count; k++) {
        mus_coupled_group *group = &c->groups[k];
        if (c->group_parent[k] != k || group->is_constrained) continue;
        mus_sym3 inverse = mus_sym3_inverse(&group->inertia);
        group->shift = mus_sym3_mul(&inverse, group->missing_impulse);
        group->center = v3_scale(1 / group->mass, group->center);
    }
}

/* As one: where a stiff force pulls all vertices to a point, each by itself would go there, and from a crumpled start
 * the solve finds another shape (strain of 0.7 in place of 0.02 in tests/lua/node_force_test.lua). */
void mus_coupled_start_free_cloth(mus_solver *s) {
    mus_assembly *a = &s->assembly;
    begin_groups(s);
    add_contacts(s);
    add_attachments(s);
    for (int32_t k = 0; k < a->cloth_count; k++)
        s->coupled.groups[k].is_constrained |= s->coupled.groups[k].is_near_other;
    find_shifts(s);
    for (int32_t i = 0; i < s->coupled.n; i++) a->x1[i] = v3_add(a->x1[i], group_of(s, i)->shift);
}

/* ---- angular momentum ---- */

static bool conserves_spin(const mus_coupled_group *group) {
    return !group->is_constrained && !group->touches_body;
}

/* Adds the resistance of a vertex to a rotation: r x A (turn x r), with A its mass and what air and stiff forces add.
 */
static void add_rotation(mus_sym3 *sum, const mus_sym3 *inertia, v3 r) {
    v3 axes[3] = {v3_make(1, 0, 0), v3_make(0, 1, 0), v3_make(0, 0, 1)}, column[3];
    for (int k = 0; k < 3; k++) column[k] = v3_cross(r, mus_sym3_mul(inertia, v3_cross(axes[k], r)));
    sum->xx += column[0].x, sum->xy += column[0].y, sum->xz += column[0].z;
    sum->yy += column[1].y, sum->yz += column[1].z, sum->zz += column[2].z;
}

/* Energies of groups whose spin `is_open`: kinetic energy that the step may have, less what it has without a spin. */
static double room_for(const mus_coupled_group *group, double share) {
    return group->energy_room - share * (group->energy_first + share * group->energy_second);
}

/* Adds `sign` times the elastic energy at x, in kg m^2, to the sums of groups whose spin is open. */
static void add_elastic_energy(mus_solver *s, double sign, const v3 *x) {
    const mus_assembly *a = &s->assembly;
    const mus_coupled *c = &s->coupled;
    double dt2 = sign * s->dt * s->dt;
    for (int32_t k = 0; k < a->cloth_count; k++) {
        mus_coupled_group *group = &c->groups[mus_union_find_root(c->group_parent, k)];
        int32_t first = a->objects[k].first;
        if (group->is_open)
            group->elastic += dt2 * mus_incremental_energy(s->dynamics[k], a->objects[k].cloth, c->model.start + first,
                                                           x + first, s->dt);
    }
    for (int32_t k = 0; k < s->seam_group_count; k++) {
        const mus_seam_group *b = &s->seam_groups[k];
        for (int32_t e = 0; e < b->stitch_count; e++) {
            mus_coupled_group *group = group_of(s, b->first + b->stitches[e].vertex[0]);
            if (group->is_open) group->elastic += dt2 * mus_stitch_energy(&b->stitches[e], x + b->first);
        }
    }
}

static v3 moved_as_group(const mus_solver *s, const mus_coupled_group *group, int32_t i) {
    const mus_assembly *a = &s->assembly;
    v3 turn = v3_cross(group->spin, v3_sub(a->x0[i], group->center));
    return v3_add(a->x1[i], v3_axpy(group->share, turn, group->shift));
}

/* Finds the share of each open spin that adds no energy, with what it stretches the cloth by: chords from no spin,
 * of what it leaves of the energy at the start, to one that leaves too little; where that is concave they end within
 * the room. Without the elastic energy, a sheet of cotton that spins at 20 and 60 rad/s with steps of 1/60 s ended
 * with 1.03 and 2.9 times its energy. */
static void limit_spins(mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    mus_coupled *c = &s->coupled;
    bool any = false;
    for (int32_t k = 0; k < a->cloth_count; k++) any |= c->groups[k].is_open;
    if (any) add_elastic_energy(s, 1, a->x0), add_elastic_energy(s, -1, a->x1);
    for (int32_t k = 0; k < a->cloth_count && any; k++) {
        mus_coupled_group *group = &c->groups[k];
        group->energy_room = fmax(0, group->energy_room + group->elastic); /* with no spin */
        if (group->is_open)
            group->share = mus_spin_share(group->energy_first, group->energy_second, group->energy_room);
    }
    for (int round = 0; round <= MAX_SPIN_CHORDS && any; round++) {
        for (int32_t k = 0; k < a->cloth_count; k++) c->groups[k].elastic = 0;
        for (int32_t i = 0; i < c->n; i++)
            c->change[i] = group_of(s, i)->is_open ? moved_as_group(s, group_of(s, i), i) : a->x1[i];
        add_elastic_energy(s, 1, a->x1), add_elastic_energy(s, -1, c->change);
        any = false;
        for (int32_t k = 0; k < a->cloth_count; k++) {
            mus_coupled_group *group = &c->groups[k];
            double room = room_for(group, group->share) + group->elastic;
            if (!(group->is_open = group->is_open && room < 0)) continue;
            group->share *= round < MAX_SPIN_CHORDS ? group->energy_room / (group->energy_room - room) : 0;
            any = true;
        }
    }
}

static void find_spins(mus_solver *s) {
    const mus_assembly *a = &s->assembly;
    const mus_coupled *c = &s->coupled;
    const mus_incremental_model *m = &c->model;
    bool any = false;
    for (int32_t i = 0; i < c->n; i++) {
        mus_coupled_group *group = group_of(s, i);
        if (!conserves_spin(group)) continue;
        double mass = 1 / a->inverse_mass[i];
        v3 r = v3_sub(a->x0[i], group->center), v = v3_add(v3_sub(a->x1[i], a->x0[i]), group->shift),
           free = v3_axpy(a->inverse_mass[i], v3_add(m->impulse[i], c->outside[i]), v3_sub(m->target[i], a->x0[i]));
        v3 missing = v3_sub(missing_impulse(s, i), mus_sym3_mul(&m->inertia[i], group->shift));
        group->missing_torque = v3_add(group->missing_torque, v3_cross(r, missing));
        add_rotation(&group->rotational_inertia, &m->inertia[i], r);
        group->kinetic_energy += 0.5 * mass * v3_length2(v);
        group->energy_room += 0.5 * mass * (v3_length2(free) * (1 + negligible_spin) - v3_length2(v));
        any = true;
    }
    for (int32_t k = 0; k < a->cloth_count && any; k++)
        if (c->group_parent[k] == k && conserves_spin(&c->groups[k]))
            c->groups[k].spin = mus_inertia_spin(&c->groups[k].rotational_inertia, c->groups[k].missing_torque);
    for (int32_t i = 0; i < c->n && any; i++) {
        mus_coupled_group *group = group_of(s, i);
        if (!conserves_spin(group)) continue;
        double mass = 1 / a->inverse_mass[i];
        v3 turn = v3_cross(group->spin, v3_sub(a->x0[i], group->center));
        group->energy_first += mass * v3_dot(v3_add(v3_sub(a->x1[i], a->x0[i]), group->shift), turn);
        group->energy_second += 0.5 * mass * v3_length2(turn);
    }
    for (int32_t k = 0; k < a->cloth_count && any; k++) {
        mus_coupled_group *group = &c->groups[k];
        group->share = 1;
        double added = group->energy_first + group->energy_second;
        bool is_large = v3_length(group->spin) > large_spin &&
                        fabs(group->energy_first) + group->energy_second > negligible_spin * group->kinetic_energy;
        group->is_open = is_large || added > fmax(0, group->energy_room);
    }
    if (any) limit_spins(s);
}

void mus_coupled_correct_momentum(mus_solver *s) {
    mus_assembly *a = &s->assembly;
    const mus_coupled *c = &s->coupled;
    if (!c->is_linearized) return; /* dynamics has corrected it */
    begin_groups(s);
    add_contacts(s);
    add_attachments(s);
    find_shifts(s);
    find_spins(s);
    for (int32_t i = 0; i < c->n; i++) {
        const mus_coupled_group *group = group_of(s, i);
        if (!group->is_constrained) a->x1[i] = moved_as_group(s, group, i);
    }
}
