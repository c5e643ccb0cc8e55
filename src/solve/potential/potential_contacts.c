/* potential_contacts.c: the contacts of a step of the potential family: pairs near at its start, or that would collide
 * on the way; each a contact constraint and a term of the energy. */
#include "solve/potential/potential.h"
#include "base/hash.h"

#include <string.h>

/* A vertex is a contact of a plane within so many thicknesses, and a share of its predicted motion more, since a
 * solution may end beyond the prediction. Pairs further away have no energy, so larger ranges cost time only. */
static const double plane_range_per_thickness = 3, plane_range_per_motion = 0.1;
/* Tolerance of detection of pairs that come near. Not varied. */
static const double detection_tolerance_per_thickness = 0.05;

/* Slip and approach are those of the whole step, whatever the time of the constraint's geometry. */
static void complete_constraint(const mus_solver *s, mus_contact_constraint *constraint, double dt) {
    const mus_potential *p = s->potential;
    v3 since = v3_make(0, 0, 0), ahead = since;
    for (int k = 0; k < (constraint->plane ? 1 : 4); k++) {
        int32_t i = constraint->vertex[k];
        since = v3_axpy(constraint->weight[k], v3_sub(p->start[i], s->assembly.x0[i]), since);
        ahead = v3_axpy(constraint->weight[k], p->predicted[i], ahead);
    }
    constraint->rest = v3_add(constraint->rest, since);
    constraint->normal_velocity = v3_dot(constraint->normal, v3_sub(ahead, constraint->rest)) / dt;
    constraint->target = constraint->thickness;
    mus_solver_choose_response(s, constraint);
}

/* Makes the term of a completed contact constraint, with the user's potential where one applies to the pair. */
static mus_status make_term(const mus_solver *s, mus_contact_constraint *constraint, double dt, mus_ogc_term *term) {
    *term = mus_ogc_term_of(&s->assembly, constraint, mus_potential_load_on(s, constraint));
    term->distance = NAN; /* until it is evaluated */
    mus_status status = mus_newton_rigid_bodies_add_contact(&s->potential->newton.rigid_bodies, constraint, term);
    int32_t response = constraint->response;
    constraint->response = -1; /* later stages treat a user's energy as the pipeline's own response */
    if (response < 0 || status != MUS_STATUS_OK) return status;
    mus_ogc_take_law(term, s->responses[response].rule.program, constraint, dt, s->time);
    return mus_ogc_batch_admit(&s->potential->newton.batch, term->law);
}

/* Evaluates users' laws for terms from `first` on for the first time, all together. */
static mus_status check_laws(mus_solver *s, int64_t first, int64_t end) {
    mus_newton *newton = &s->potential->newton;
    if (!newton->batch.laws.count) return MUS_STATUS_OK;
    mus_status status = mus_ogc_batch_reserve(&newton->batch, newton->terms.count);
    return status == MUS_STATUS_OK ? mus_ogc_batch_check(&newton->batch, newton->terms.data, first, end, newton->dt)
                                   : status;
}

static mus_status add_term(mus_solver *s, mus_contact_constraint *constraint, double dt) {
    mus_ogc_term term;
    mus_status status = make_term(s, constraint, dt, &term);
    if (status != MUS_STATUS_OK) return status;
    return mus_array_push(&s->potential->newton.terms, term) ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

static mus_status add_plane_contacts(mus_solver *s, const mus_contact_options *options) {
    const mus_assembly *a = &s->assembly;
    for (int32_t k = a->cloth_count; k < a->object_count; k++) {
        const mus_object *plane = &a->objects[k];
        for (int32_t b = 0; mus_object_is_plane(plane) && b < a->object_count; b++) {
            const mus_object *object = &a->objects[b];
            if (!object->cloth && !object->rigid) continue;
            if (!mus_assembly_collides(a, b, k)) continue;
            for (int32_t i = object->first; i < object->first + object->count; i++) {
                if (mus_assembly_is_exempt_below(a, i, k)) continue;
                /* for any result of the solve: a tenth beyond the motion by its velocity */
                double gap0 = v3_dot(plane->normal0, v3_sub(a->x0[i], plane->point0)) - object->radius;
                double gap1 = v3_dot(plane->normal1, v3_sub(a->x1[i], plane->point1)) - object->radius;
                double thickness = mus_assembly_contact_thickness(a, i) + plane->contact_thickness;
                if (fmin(gap0, gap1) >
                    plane_range_per_thickness * thickness + plane_range_per_motion * fabs(gap0 - gap1))
                    continue;
                mus_contact_constraint constraint = mus_contact_from_plane(a, b, k, i, options);
                if (!(constraint.mass > 0)) continue;
                if (!mus_array_push(&s->constraints, constraint)) return MUS_STATUS_NO_MEMORY;
            }
        }
    }
    return MUS_STATUS_OK;
}

/* Contacts between obstacles. */
static mus_status add_rigid_contacts(mus_solver *s, const mus_contact_options *options) {
    int64_t first = s->constraints.count;
    if (!s->rigid_contacts.any) return MUS_STATUS_OK;
    mus_status status = mus_solver_detect_rigid_pairs_in_bounds(s);
    if (status == MUS_STATUS_OK)
        status = mus_contacts_add_rigid_bodies(&s->assembly, &s->rigid_contacts.list, options, &s->constraints);
    for (int64_t k = first; k < s->constraints.count && status == MUS_STATUS_OK; k++)
        s->rigid_contacts.list.data[s->constraints.data[k].pair_index].constraint = (int32_t)k + 1;
    return status;
}

mus_status mus_potential_near_contacts(mus_solver *s, mus_candidate_pair_list *list,
                                       const mus_contact_options *options) {
    mus_newton *newton = &s->potential->newton;
    s->potential->table.count = 0, s->potential->table.wanted = false;
    s->hits.count = newton->terms.count = newton->batch.laws.count = newton->rigid_bodies.contact_arms.count = 0;
    mus_status status = mus_contacts_from_pairs(&s->assembly, list, options, &s->constraints);
    for (int64_t k = 0; k < s->constraints.count && status == MUS_STATUS_OK; k++)
        list->data[s->constraints.data[k].pair_index].constraint = (int32_t)k + 1;
    if (status == MUS_STATUS_OK) status = add_plane_contacts(s, options);
    if (status == MUS_STATUS_OK) status = add_rigid_contacts(s, options);
    for (int64_t k = 0; k < s->constraints.count && status == MUS_STATUS_OK; k++)
        complete_constraint(s, &s->constraints.data[k], options->dt);
    if (status == MUS_STATUS_OK) status = mus_coefficients_evaluate(s, s->constraints.data, s->constraints.count);
    mus_potential_pass_loads_on(s);
    for (int64_t k = 0; k < s->constraints.count && status == MUS_STATUS_OK; k++)
        status = add_term(s, &s->constraints.data[k], options->dt);
    return status == MUS_STATUS_OK ? check_laws(s, 0, s->constraints.count) : status;
}

/* ---- pairs detected again ---- */

typedef struct pair_key {
    int32_t vertex[4], edge_edge;
} pair_key;

/* Detection finds two edges in either order. */
static pair_key key_of(const int32_t v[4], bool edge_edge) {
    if (edge_edge && v[2] < v[0]) return (pair_key){{v[2], v[3], v[0], v[1]}, true};
    return (pair_key){{v[0], v[1], v[2], v[3]}, edge_edge};
}

/* Returns the entry of the pair's constraint, or the free entry for it. */
static int32_t *place_of(const mus_contact_table *table, const mus_contact_constraint_list *constraints,
                         const pair_key *key) {
    uint64_t mask = (uint64_t)table->count - 1, at = mus_hash_chain(0, key, sizeof *key) & mask;
    for (; table->data[at] >= 0; at = (at + 1) & mask) {
        const mus_contact_constraint *constraint = &constraints->data[table->data[at]];
        pair_key other = key_of(constraint->vertex, constraint->edge_edge);
        if (memcmp(key, &other, sizeof other) == 0) break;
    }
    return &table->data[at];
}

/* Adds the constraints that are new since the last call. */
static mus_status index_constraints(mus_contact_table *table, const mus_contact_constraint_list *constraints) {
    int64_t size = table->count ? table->count : 16;
    while (size < 2 * constraints->count) size *= 2;
    if (size > table->count) {
        if (!mus_array_reserve(table, size)) return MUS_STATUS_NO_MEMORY;
        memset(table->data, -1, sizeof *table->data * (size_t)size);
        table->count = size, table->listed = 0;
    }
    for (; table->listed < constraints->count; table->listed++) {
        const mus_contact_constraint *constraint = &constraints->data[table->listed];
        if (constraint->plane) continue;
        pair_key key = key_of(constraint->vertex, constraint->edge_edge);
        *place_of(table, constraints, &key) = (int32_t)table->listed;
    }
    return MUS_STATUS_OK;
}

/* A pair detected again, since one of its vertices left its motion bound, may have a constraint already. */
static mus_status find_constraint(mus_solver *s, mus_candidate_pair *c) {
    mus_contact_table *table = &s->potential->table;
    if (c->constraint || !table->wanted) return MUS_STATUS_OK;
    mus_status status = index_constraints(table, &s->constraints);
    if (status != MUS_STATUS_OK) return status;
    pair_key key = key_of(c->vertex, c->edge_edge);
    c->constraint = *place_of(table, &s->constraints, &key) + 1;
    return MUS_STATUS_OK;
}

/* ---- pairs that would collide ---- */

static bool of_rigid(const mus_assembly *a, const mus_candidate_pair *c) {
    return a->objects[a->object_of[c->vertex[0]]].rigid || a->objects[a->object_of[c->vertex[3]]].rigid;
}

/* Returns whether the pair would collide; for a pair of a rigid body that was not near, whether it comes into contact
 * range at all: forces on a body are stiff, and it would begin the next step with an energy of contact that this step
 * has not accounted for. */
static bool comes_in(mus_solver *s, mus_candidate_pair *c, double *toi) {
    const mus_assembly *a = &s->assembly;
    double thickness = mus_candidate_pair_thickness(a, c);
    bool near = c->constraint || (double)c->gap0 <= mus_candidate_pair_range(a, c, thickness);
    if (near || !of_rigid(a, c)) return mus_solver_violates_certified_gap(s, c, toi);
    return mus_solver_comes_within(s, c, mus_candidate_pair_radius(a, c) + thickness,
                                   detection_tolerance_per_thickness * thickness, toi);
}

/* Adds constraints for the pairs of a list that would collide on the way x0 -> x1. */
static mus_status coming_in(mus_solver *s, mus_candidate_pair_list *list, const mus_contact_options *options) {
    mus_assembly *a = &s->assembly;
    int64_t known = s->constraints.count;
    for (int64_t k = 0; k < list->count; k++) {
        mus_candidate_pair *c = &list->data[k];
        double toi;
        if (mus_solver_is_clear(s, c)) continue;
        c->clear_since = s->clock;
        if (!comes_in(s, c, &toi)) continue;
        c->clear_since = 0;
        mus_status status = find_constraint(s, c);
        if (status != MUS_STATUS_OK) return status;
        mus_contact_constraint constraint;
        if (!mus_contact_from_hit(a, c, toi, options->dt, &constraint)) continue;
        constraint.thickness = mus_candidate_pair_thickness(a, c);
        complete_constraint(s, &constraint, options->dt);
        if ((status = mus_coefficients_evaluate(s, &constraint, 1)) != MUS_STATUS_OK) return status;
        if (c->constraint) {
            status = make_term(s, &constraint, options->dt, &s->potential->newton.terms.data[c->constraint - 1]);
            if (status != MUS_STATUS_OK) return status;
            s->constraints.data[c->constraint - 1] = constraint;
            if ((status = check_laws(s, c->constraint - 1, c->constraint)) != MUS_STATUS_OK) return status;
            continue;
        }
        if ((status = add_term(s, &constraint, options->dt)) != MUS_STATUS_OK) return status;
        if (!mus_array_push(&s->constraints, constraint)) return MUS_STATUS_NO_MEMORY;
        c->constraint = (int32_t)s->constraints.count;
    }
    return check_laws(s, known, s->constraints.count);
}

mus_status mus_potential_coming_contacts(mus_solver *s, mus_candidate_pair_list *list,
                                         const mus_contact_options *options) {
    s->clock++;
    mus_status status = coming_in(s, list, options);
    return status == MUS_STATUS_OK && s->rigid_contacts.any ? coming_in(s, &s->rigid_contacts.list, options) : status;
}

mus_status mus_potential_redetect_left_bound(mus_solver *s, mus_candidate_pair_list *list) {
    if (!s->any_left_bound) return MUS_STATUS_OK;
    s->potential->table.wanted = true;
    mus_status status = mus_solver_redetect_left_bound(s, list);
    return status == MUS_STATUS_OK && s->rigid_contacts.any ? mus_solver_detect_rigid_pairs_in_bounds(s) : status;
}
