/* potential_contacts.c: the contacts of a step of the potential family: near where it begins, or met on the way; each a
 * row, and a term of the energy. */
#include "solve/potential.h"
#include "base/hash.h"

#include <string.h>

/* Slip and approach are those of the whole step, wherever in it the row's geometry was taken. */
static void complete_row(const mus_solver *s, mus_row *row, double dt) {
    const mus_potential *p = s->potential;
    v3 since = v3_make(0, 0, 0), ahead = since;
    for (int k = 0; k < (row->plane ? 1 : 4); k++) {
        int32_t i = row->vertex[k];
        since = v3_axpy(row->weight[k], v3_sub(p->start[i], s->assembly.x0[i]), since);
        ahead = v3_axpy(row->weight[k], p->predicted[i], ahead);
    }
    row->rest = v3_add(row->rest, since);
    row->approach = v3_dot(row->normal, v3_sub(ahead, row->rest)) / dt;
    row->target = row->thickness;
    mus_solver_choose_response(s, row);
}

/* The term of a complete row, by the user's potential where one decides about the pair. */
static mus_status make_term(const mus_solver *s, mus_row *row, double dt, mus_ogc_term *term) {
    *term = mus_ogc_term_of(&s->assembly, row, mus_potential_load_on(s, row));
    term->distance = NAN; /* until it is evaluated */
    mus_status status = mus_newton_bodies_take_hold(&s->potential->newton.bodies, row, term);
    int32_t response = row->response;
    row->response = -1; /* for what comes after, an energy is the pipeline's own way */
    if (response < 0 || status != MUS_STATUS_OK) return status;
    mus_ogc_take_law(term, s->responses[response].user, row, dt, s->time);
    return mus_ogc_batch_admit(&s->potential->newton.batch, term->law);
}

/* Laws of terms from `first` on are asked for the first time: all together. */
static mus_status check_laws(mus_solver *s, int64_t first, int64_t end) {
    mus_newton *newton = &s->potential->newton;
    if (!newton->batch.laws.count) return MUS_STATUS_OK;
    mus_status status = mus_ogc_batch_reserve(&newton->batch, newton->terms.count);
    return status == MUS_STATUS_OK
               ? mus_ogc_batch_check(&newton->batch, newton->terms.data, s->rows.data, first, end, newton->dt)
               : status;
}

double mus_potential_load(const mus_solver *s, const mus_row *row) {
    mus_ogc_term term = mus_ogc_term_of(&s->assembly, row, mus_potential_load_on(s, row));
    if (row->response >= 0) mus_ogc_take_law(&term, s->responses[row->response].user, row, s->dt, s->time);
    return fmax(0, mus_ogc_value_of(&term, fmax(row->gap0, 0), 0, MUS_OGC_LEAST).push);
}

static mus_status add_term(mus_solver *s, mus_row *row, double dt) {
    mus_ogc_term term;
    mus_status status = make_term(s, row, dt, &term);
    if (status != MUS_STATUS_OK) return status;
    return mus_array_push(&s->potential->newton.terms, term) ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

static mus_status plane_rows(mus_solver *s, const mus_row_options *options) {
    const mus_assembly *a = &s->assembly;
    for (int32_t k = a->cloth_count; k < a->body_count; k++) {
        const mus_body *plane = &a->bodies[k];
        for (int32_t b = 0; mus_body_is_plane(plane) && b < a->body_count; b++) {
            const mus_body *body = &a->bodies[b];
            if (!body->cloth && !body->rigid) continue;
            if (!a->collide[(size_t)b * (size_t)a->body_count + (size_t)k]) continue;
            for (int32_t i = body->first; i < body->first + body->count; i++) {
                if (mus_assembly_lets_below(a, i, k)) continue;
                /* wherever the solve may lead it: a tenth beyond what its velocity does */
                double gap0 = v3_dot(plane->normal0, v3_sub(a->x0[i], plane->point0)) - body->radius;
                double gap1 = v3_dot(plane->normal1, v3_sub(a->x1[i], plane->point1)) - body->radius;
                double thickness = body->reach + plane->reach;
                if (fmin(gap0, gap1) > 3 * thickness + 0.1 * fabs(gap0 - gap1)) continue;
                mus_row row = mus_row_from_plane(a, b, k, i, options);
                if (!(row.mass > 0)) continue;
                if (!mus_array_push(&s->rows, row)) return MUS_STATUS_NO_MEMORY;
            }
        }
    }
    return MUS_STATUS_OK;
}

/* Between bodies. */
static mus_status body_rows(mus_solver *s, const mus_row_options *options) {
    int64_t first = s->rows.count;
    if (!s->meetings.any) return MUS_STATUS_OK;
    mus_status status = mus_solver_detect_wandering_bodies(s);
    if (status == MUS_STATUS_OK) status = mus_rows_add_bodies(&s->assembly, &s->meetings.list, options, &s->rows);
    for (int64_t k = first; k < s->rows.count && status == MUS_STATUS_OK; k++)
        s->meetings.list.data[s->rows.data[k].source].row = (int32_t)k + 1;
    return status;
}

mus_status mus_potential_near_contacts(mus_solver *s, mus_candidate_list *list, const mus_row_options *options) {
    mus_newton *newton = &s->potential->newton;
    s->potential->table.count = 0, s->potential->table.wanted = false;
    s->hits.count = newton->terms.count = newton->batch.laws.count = newton->bodies.levers.count = 0;
    mus_status status = mus_rows_near(&s->assembly, list, options, &s->rows);
    for (int64_t k = 0; k < s->rows.count && status == MUS_STATUS_OK; k++)
        list->data[s->rows.data[k].source].row = (int32_t)k + 1;
    if (status == MUS_STATUS_OK) status = plane_rows(s, options);
    if (status == MUS_STATUS_OK) status = body_rows(s, options);
    for (int64_t k = 0; k < s->rows.count && status == MUS_STATUS_OK; k++)
        complete_row(s, &s->rows.data[k], options->dt);
    if (status == MUS_STATUS_OK) status = mus_coefficients_ask(s, s->rows.data, s->rows.count);
    mus_potential_pass_loads_on(s);
    for (int64_t k = 0; k < s->rows.count && status == MUS_STATUS_OK; k++)
        status = add_term(s, &s->rows.data[k], options->dt);
    return status == MUS_STATUS_OK ? check_laws(s, 0, s->rows.count) : status;
}

/* ---- pairs found anew ---- */

typedef struct pair_key {
    int32_t vertex[4], edge_edge;
} pair_key;

/* Searches find two edges in either order. */
static pair_key key_of(const int32_t v[4], bool edge_edge) {
    if (edge_edge && v[2] < v[0]) return (pair_key){{v[2], v[3], v[0], v[1]}, true};
    return (pair_key){{v[0], v[1], v[2], v[3]}, edge_edge};
}

/* The row of the pair, or the free place where it would be listed. */
static int32_t *place_of(const mus_row_table *table, const mus_row_list *rows, const pair_key *key) {
    uint64_t mask = (uint64_t)table->count - 1, at = mus_hash_chain(0, key, sizeof *key) & mask;
    for (; table->data[at] >= 0; at = (at + 1) & mask) {
        const mus_row *row = &rows->data[table->data[at]];
        pair_key other = key_of(row->vertex, row->edge_edge);
        if (memcmp(key, &other, sizeof other) == 0) break;
    }
    return &table->data[at];
}

/* Lists the rows that have come since this was asked last. */
static mus_status list_rows(mus_row_table *table, const mus_row_list *rows) {
    int64_t size = table->count ? table->count : 16;
    while (size < 2 * rows->count) size *= 2;
    if (size > table->count) {
        if (!mus_array_reserve(table, size)) return MUS_STATUS_NO_MEMORY;
        memset(table->data, -1, sizeof *table->data * (size_t)size);
        table->count = size, table->listed = 0;
    }
    for (; table->listed < rows->count; table->listed++) {
        const mus_row *row = &rows->data[table->listed];
        if (row->plane) continue;
        pair_key key = key_of(row->vertex, row->edge_edge);
        *place_of(table, rows, &key) = (int32_t)table->listed;
    }
    return MUS_STATUS_OK;
}

/* A pair found anew, since one of its vertices left its envelope, may have its row already. */
static mus_status find_row(mus_solver *s, mus_candidate *c) {
    mus_row_table *table = &s->potential->table;
    if (c->row || !table->wanted) return MUS_STATUS_OK;
    mus_status status = list_rows(table, &s->rows);
    if (status != MUS_STATUS_OK) return status;
    pair_key key = key_of(c->vertex, c->edge_edge);
    c->row = *place_of(table, &s->rows, &key) + 1;
    return MUS_STATUS_OK;
}

/* ---- pairs that would meet ---- */

static bool of_rigid(const mus_assembly *a, const mus_candidate *c) {
    return a->bodies[a->body_of[c->vertex[0]]].rigid || a->bodies[a->body_of[c->vertex[3]]].rigid;
}

/* Would the pair meet? One of a rigid body's that was not near, does it come into contact at all: what holds a body is
 * stiff, and the energy that it would begin the next step with is none that this one has paid for. */
static bool comes_in(mus_solver *s, mus_candidate *c, double *toi) {
    const mus_assembly *a = &s->assembly;
    double thickness = mus_candidate_thickness(a, c);
    bool near = c->row || (double)c->gap0 <= mus_candidate_range(a, c, thickness);
    if (near || !of_rigid(a, c)) return mus_solver_certified_to_meet(s, c, toi);
    return mus_solver_meets(s, c, mus_candidate_radius(a, c) + thickness, 0.05 * thickness, toi);
}

/* Those of a list that would meet on the way x0 -> x1. */
static mus_status coming_in(mus_solver *s, mus_candidate_list *list, const mus_row_options *options) {
    mus_assembly *a = &s->assembly;
    int64_t known = s->rows.count;
    for (int64_t k = 0; k < list->count; k++) {
        mus_candidate *c = &list->data[k];
        double toi;
        if (!mus_solver_needs_test(s, c)) continue;
        c->checked = s->clock;
        if (!comes_in(s, c, &toi)) continue;
        c->checked = 0;
        mus_status status = find_row(s, c);
        if (status != MUS_STATUS_OK) return status;
        mus_row row;
        if (!mus_row_from_hit(a, c, toi, options->dt, &row)) continue;
        row.thickness = mus_candidate_thickness(a, c);
        complete_row(s, &row, options->dt);
        if ((status = mus_coefficients_ask(s, &row, 1)) != MUS_STATUS_OK) return status;
        if (c->row) {
            status = make_term(s, &row, options->dt, &s->potential->newton.terms.data[c->row - 1]);
            if (status != MUS_STATUS_OK) return status;
            s->rows.data[c->row - 1] = row;
            if ((status = check_laws(s, c->row - 1, c->row)) != MUS_STATUS_OK) return status;
            continue;
        }
        if ((status = add_term(s, &row, options->dt)) != MUS_STATUS_OK) return status;
        if (!mus_array_push(&s->rows, row)) return MUS_STATUS_NO_MEMORY;
        c->row = (int32_t)s->rows.count;
    }
    return check_laws(s, known, s->rows.count);
}

mus_status mus_potential_coming_contacts(mus_solver *s, mus_candidate_list *list, const mus_row_options *options) {
    s->clock++;
    mus_status status = coming_in(s, list, options);
    return status == MUS_STATUS_OK && s->meetings.any ? coming_in(s, &s->meetings.list, options) : status;
}

mus_status mus_potential_look_for_escaped(mus_solver *s, mus_candidate_list *list) {
    if (!s->any_escaped) return MUS_STATUS_OK;
    s->potential->table.wanted = true;
    mus_status status = mus_solver_detect_escaped(s, list);
    return status == MUS_STATUS_OK && s->meetings.any ? mus_solver_detect_wandering_bodies(s) : status;
}
