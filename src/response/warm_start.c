/* warm_start.c: warm starting, Catto 2005, "Iterative dynamics with temporal coherence": lasting contacts start with
 * the impulse of the previous step. What they have carried for some time is a contact load: dynamics takes it as a
 * force and transmits it through stiff cloth. Otherwise every step would stretch the cloth as it falls, and sweeps
 * would correct it vertex by vertex. Sudden impulses are applied to end positions after dynamics, as in the sweeps: in
 * dynamics any excess would spread, and then be taken back from single vertices. */
#include "response/warm_start.h"
#include "base/hash.h"

#include <string.h>

/* With the whole impulse, a stack that is separated as a whole would need many sweeps to come down. 0.8 and 1: within
 * the spread. */
static const double warm_start_share = 0.9;
/* A warm start is scaled by 1 - change_penalty d where the normal, of length 1, or a weight has changed by d. 2
 * and 8: within the spread. */
static const double change_penalty = 4;
/* Share of a contact load that dynamics gets; and its growth per step, to which the weight of the constraint's own
 * mass is added. With larger values of either, pressure waves through a stack that is hit would grow; with smaller
 * ones, single vertices carry the load of a knot that is pulled tight. Measured on tests/scenes. With a
 * share of 0.4, hits of sphere are 109 for 92; with 1, they are 62, but 7.5 for 1.2 in pile and 177 for 137 in hit50. A
 * growth of 1.07 or 1.3: within the spread. */
static const double contact_load_share = 0.8, contact_load_growth_per_step = 1.15;

enum { KEY = 5 };

static void make_contact_key(const mus_contact_constraint *constraint, int32_t key[KEY]) {
    memcpy(key, constraint->vertex, sizeof constraint->vertex);
    if (constraint->plane) key[1] = constraint->object[1], key[2] = key[3] = 0;
    key[4] = constraint->plane ? 2 : constraint->edge_edge;
}

static void make_warm_start_key(const mus_warm_start *warm_start, int32_t key[KEY]) {
    memcpy(key, warm_start->vertex, sizeof warm_start->vertex);
    key[4] = warm_start->plane ? 2 : warm_start->edge_edge;
}

/* s^2: displacement impulse (kg m) of a force of 1 N in this step, by the dynamics' rule for gravity. */
static double impulse_per_force(const mus_assembly *a, const mus_contact_constraint *constraint, double dt) {
    const mus_object *first = &a->objects[constraint->object[0]], *second = &a->objects[constraint->object[1]];
    const mus_object *object = first->cloth || (first->rigid && !second->cloth) ? first : second;
    return mus_leapfrog_half_steps(object->previous_dt, dt) * dt;
}

/* Contacts of cloth in worlds with rigid bodies: with warm starts, bodies that hang in cloth come to rest later. */
static bool starts_anew(const mus_assembly *a, const mus_contact_constraint *constraint) {
    return a->rigid_count && (constraint->object[0] < a->cloth_count || constraint->object[1] < a->cloth_count);
}

/* Share of what a step should restore of a missing gap, below which its impulse is no warm start as a whole. With 0,
 * 0.1 and 0.3 the force of jaws that leave a sheet 0.8 of its thickness is 9,400 (and grows), 46 and 28 N after 8 s.
 * Only of contacts that should restore `least_recovery` thicknesses at least, and carry `least_load` times the weight
 * of their effective mass: the tolerance of gaps leaves contacts of cloth at rest short by some per mille, and with
 * their warm starts bounded, too, example 02 at rest takes 29 iterations a step for 3, and what sticks on a slope
 * creeps by 0.16 um/s. Of 12 runs of tests/scenes/funnel.lua and pinch.lua with the friction varied by 1e-5 all keep
 * their bounds (10 without the last two); the jaws' force is 60 N. In worlds with rigid bodies, of any load: else the
 * energy of a box of 2 kg that falls 5 cm on two loose sheets rises by 0.7 mJ, for 0.4. */
static const double least_progress = 0.1, least_recovery = 0.004, least_load = 100;

/* Returns whether the contact is short of its gap and got hardly nearer to it, as cloth does that rigid jaws leave less
 * than its thickness. */
static bool is_stuck(const mus_assembly *a, const mus_contact_constraint *constraint) {
    double gap = v3_dot(constraint->normal, mus_contact_end_vector(a, constraint)) - constraint->offset;
    double recovery = constraint->target - constraint->gap0;
    return recovery > least_recovery * constraint->thickness && gap < constraint->target &&
           gap - constraint->gap0 < least_progress * recovery;
}

mus_status mus_warm_starts_store(const mus_assembly *a, const mus_contact_constraint_list *constraints, double dt,
                                 mus_warm_start_scope scope, mus_warm_start_list *warm_starts) {
    warm_starts->count = 0;
    for (int64_t k = 0; k < constraints->count; k++) {
        const mus_contact_constraint *constraint = &constraints->data[k];
        if (constraint->response >= 0 || !(constraint->normal_impulse > 0)) continue;
        if (scope != MUS_WARM_STARTS_OF_ALL && starts_anew(a, constraint)) continue;
        double scale = impulse_per_force(a, constraint, dt);
        double weight = constraint->mass * a->acceleration_scale,
               normal_impulse = fmin(constraint->normal_impulse, 2 * constraint->warm_start_impulse + weight * scale);
        double light = a->rigid_count ? 0 : least_load * weight * scale;
        if (scope == MUS_WARM_STARTS_OF_ALL && constraint->normal_impulse > light && is_stuck(a, constraint))
            normal_impulse = fmin(normal_impulse, fmax(constraint->warm_start_impulse,
                                                       constraint->normal_impulse - constraint->warm_start_impulse));
        v3 friction_force = v3_scale(normal_impulse / constraint->normal_impulse / scale, constraint->friction_impulse);
        int32_t key[KEY];
        make_contact_key(constraint, key);
        mus_warm_start warm_start = {
            .edge_edge = constraint->edge_edge,
            .plane = constraint->plane,
            .normal_force = (float)(normal_impulse / scale),
            .carried_force = (float)(constraint->normal_impulse / scale),
            .contact_load = scope == MUS_WARM_STARTS_WITH_LOADS
                                ? (float)fmin(normal_impulse / scale,
                                              contact_load_growth_per_step * constraint->contact_load + weight)
                                : 0,
            .friction_force = {(float)friction_force.x, (float)friction_force.y, (float)friction_force.z},
            .normal = {(float)constraint->normal.x, (float)constraint->normal.y, (float)constraint->normal.z}};
        memcpy(warm_start.vertex, key, sizeof warm_start.vertex);
        for (int c = 0; c < 4; c++) warm_start.weight[c] = (float)constraint->weight[c];
        if (!mus_array_push(warm_starts, warm_start)) return MUS_STATUS_NO_MEMORY;
    }
    return MUS_STATUS_OK;
}

static uint64_t place(const int32_t key[KEY], uint64_t mask) {
    return mus_hash_chain(0, key, KEY * sizeof *key) & mask;
}

mus_status mus_warm_starts_index(const mus_warm_start_list *warm_starts, mus_warm_start_table *table) {
    int64_t size = 16;
    while (size < 2 * warm_starts->count) size *= 2;
    if (!mus_array_reserve(table, size)) return MUS_STATUS_NO_MEMORY;
    table->count = size;
    memset(table->data, -1, sizeof *table->data * (size_t)size);
    uint64_t mask = (uint64_t)size - 1;
    for (int64_t k = 0; k < warm_starts->count; k++) {
        int32_t key[KEY];
        make_warm_start_key(&warm_starts->data[k], key);
        uint64_t at = place(key, mask);
        while (table->data[at] >= 0) at = (at + 1) & mask;
        table->data[at] = (int32_t)k;
    }
    return MUS_STATUS_OK;
}

static const mus_warm_start *find(const mus_warm_start_list *warm_starts, const mus_warm_start_table *table,
                                  const mus_contact_constraint *constraint) {
    uint64_t mask = (uint64_t)table->count - 1;
    int32_t key[KEY], other[KEY];
    make_contact_key(constraint, key);
    for (uint64_t at = place(key, mask); table->data[at] >= 0; at = (at + 1) & mask) {
        make_warm_start_key(&warm_starts->data[table->data[at]], other);
        if (memcmp(key, other, sizeof key) == 0) return &warm_starts->data[table->data[at]];
    }
    return NULL;
}

double mus_warm_starts_normal_force(const mus_warm_start_list *warm_starts, const mus_warm_start_table *table,
                                    const mus_contact_constraint *constraint) {
    const mus_warm_start *warm_start = find(warm_starts, table, constraint);
    return warm_start ? (double)warm_start->carried_force : 0;
}

static double similarity(const mus_contact_constraint *constraint, const mus_warm_start *warm_start) {
    v3 normal = v3_make((double)warm_start->normal[0], (double)warm_start->normal[1], (double)warm_start->normal[2]);
    double turned = v3_length(v3_sub(constraint->normal, normal)), moved = 0;
    for (int c = 0; c < 4; c++) moved = fmax(moved, fabs(constraint->weight[c] - (double)warm_start->weight[c]));
    return fmax(0, 1 - change_penalty * turned) * fmax(0, 1 - change_penalty * moved);
}

/* N on side A: contact load of a warm start. */
static v3 contact_load_of(const mus_warm_start *warm_start) {
    if (!(warm_start->contact_load > 0)) return v3_make(0, 0, 0);
    v3 normal = v3_make((double)warm_start->normal[0], (double)warm_start->normal[1], (double)warm_start->normal[2]);
    v3 friction_force = v3_make((double)warm_start->friction_force[0], (double)warm_start->friction_force[1],
                                (double)warm_start->friction_force[2]);
    double contact_load = contact_load_share * (double)warm_start->contact_load;
    return v3_axpy(contact_load, normal, v3_scale(contact_load / (double)warm_start->normal_force, friction_force));
}

void mus_warm_starts_set_contact_loads(const mus_assembly *a, const mus_warm_start_list *warm_starts,
                                       mus_dynamics *const *dynamics) {
    bool any = false;
    for (int64_t k = 0; warm_starts && k < warm_starts->count && !any; k++) any = warm_starts->data[k].contact_load > 0;
    for (int32_t k = 0; k < a->cloth_count; k++) {
        dynamics[k]->has_contact_load = any;
        if (any) memset(dynamics[k]->contact_load, 0, sizeof(v3) * (size_t)a->objects[k].count);
    }
    for (int64_t k = 0; any && k < warm_starts->count; k++) {
        const mus_warm_start *warm_start = &warm_starts->data[k];
        v3 force = contact_load_of(warm_start);
        double rest = 0; /* makes the weights sum to zero in doubles: momentum is conserved */
        for (int c = 0; c < (warm_start->plane ? 1 : 4); c++) {
            int32_t i = warm_start->vertex[c];
            double weight = c < 3 ? (double)warm_start->weight[c] : -rest;
            rest += weight;
            if (i >= a->cloth_vertex_count) continue;
            v3 *load = &dynamics[a->object_of[i]]->contact_load[i - a->objects[a->object_of[i]].first];
            *load = v3_axpy(weight, force, *load);
        }
    }
}

mus_status mus_warm_starts_apply(const mus_assembly *a, const mus_warm_start_list *warm_starts, double dt,
                                 mus_warm_start_table *table, mus_contact_constraint_list *constraints) {
    if (!warm_starts->count) return MUS_STATUS_OK;
    mus_status status = mus_warm_starts_index(warm_starts, table);
    if (status != MUS_STATUS_OK) return status;
    for (int64_t k = 0; k < constraints->count; k++) {
        mus_contact_constraint *constraint = &constraints->data[k];
        const mus_warm_start *warm_start =
            constraint->response < 0 && !starts_anew(a, constraint) ? find(warm_starts, table, constraint) : NULL;
        if (!warm_start) continue;
        double scale = impulse_per_force(a, constraint, dt),
               like = scale * warm_start_share * similarity(constraint, warm_start);
        v3 load_impulse = v3_scale(scale, contact_load_of(warm_start));
        v3 friction_impulse = v3_make((double)warm_start->friction_force[0], (double)warm_start->friction_force[1],
                                      (double)warm_start->friction_force[2]);
        friction_impulse = v3_scale(
            like, v3_axpy(-v3_dot(constraint->normal, friction_impulse), constraint->normal, friction_impulse));
        constraint->normal_impulse = fmax(0, v3_dot(constraint->normal, load_impulse));
        constraint->friction_impulse =
            v3_axpy(-v3_dot(constraint->normal, load_impulse), constraint->normal, load_impulse);
        constraint->contact_load = constraint->normal_impulse / scale;
        constraint->warm_start_impulse = fmax(constraint->normal_impulse, like * (double)warm_start->normal_force);
        mus_contact_apply_impulse(a, constraint, constraint->warm_start_impulse - constraint->normal_impulse,
                                  v3_sub(friction_impulse, constraint->friction_impulse));
    }
    return MUS_STATUS_OK;
}

mus_status mus_warm_starts_guess(const mus_assembly *a, const mus_warm_start_list *warm_starts, double dt,
                                 mus_warm_start_table *table, mus_contact_constraint_list *constraints) {
    if (!warm_starts->count) return MUS_STATUS_OK;
    mus_status status = mus_warm_starts_index(warm_starts, table);
    for (int64_t k = 0; status == MUS_STATUS_OK && k < constraints->count; k++) {
        mus_contact_constraint *constraint = &constraints->data[k];
        const mus_warm_start *w = constraint->response < 0 ? find(warm_starts, table, constraint) : NULL;
        if (!w) continue;
        double by = impulse_per_force(a, constraint, dt) * similarity(constraint, w);
        v3 friction = v3_make((double)w->friction_force[0], (double)w->friction_force[1], (double)w->friction_force[2]);
        constraint->normal_impulse = constraint->warm_start_impulse = by * (double)w->normal_force;
        constraint->friction_impulse =
            v3_scale(by, v3_axpy(-v3_dot(constraint->normal, friction), constraint->normal, friction));
    }
    return status;
}
