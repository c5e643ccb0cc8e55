/* holds.c: warm starting, Catto 2005, "Iterative dynamics with temporal coherence": contacts that last start with what
 * they bore. What they have borne for some time is a load to dynamics, which carries it through stiff cloth: else every
 * step stretches the cloth as it falls, and sweeps push it back vertex by vertex. What came at once acts on end
 * positions after dynamics, as the sweeps do: given to dynamics, what is too much would be spread, and taken back from
 * single vertices. */
#include "response/holds.h"
#include "base/hash.h"

#include <string.h>

/* All of it would leave a stack that is pushed apart as one with nothing to bring it down but many
 * sweeps. */
static const double share = 0.9;
/* What is left of a hold where the normal, of length 1, or a weight has changed by d is 1 - blur d. */
static const double blur = 4;
/* Of what leans, dynamics has so much; and it grows by so much a step, and by what the row's own mass weighs. With more
 * of either, waves of pressure through a stack that is hit would feed on it; with less, a knot that is pulled tight is
 * borne by single vertices. By measurement on tests/scenes. */
static const double lean_share = 0.8, lean_growth = 1.15;
static const double earth = 9.81; /* m/s^2 */

enum { KEY = 5 };

static void name_row(const mus_row *row, int32_t key[KEY]) {
    memcpy(key, row->vertex, sizeof row->vertex);
    if (row->plane) key[1] = row->body[1], key[2] = key[3] = 0;
    key[4] = row->plane ? 2 : row->edge_edge;
}

static void name_hold(const mus_hold *hold, int32_t key[KEY]) {
    memcpy(key, hold->vertex, sizeof hold->vertex);
    key[4] = hold->plane ? 2 : hold->edge_edge;
}

/* s^2: what a force of 1 N displaces in this step, kg m, as dynamics has it for gravity. */
static double stroke(const mus_assembly *a, const mus_row *row, double dt) {
    const mus_body *first = &a->bodies[row->body[0]], *second = &a->bodies[row->body[1]];
    const mus_body *body = first->cloth || (first->rigid && !second->cloth) ? first : second;
    return mus_kick(body->stride0, dt) * dt;
}

/* Cloth's contacts where rigid bodies are: with what they bore, what hangs in cloth would rest later. */
static bool starts_anew(const mus_assembly *a, const mus_row *row) {
    return a->rigid_count && (row->body[0] < a->cloth_count || row->body[1] < a->cloth_count);
}

mus_status mus_holds_keep(const mus_assembly *a, const mus_row_list *rows, double dt, bool leans,
                          mus_hold_list *holds) {
    holds->count = 0;
    for (int64_t k = 0; k < rows->count; k++) {
        const mus_row *row = &rows->data[k];
        if (row->response >= 0 || !(row->push > 0) || starts_anew(a, row)) continue;
        double scale = stroke(a, row, dt);
        double weight = row->mass * earth, push = fmin(row->push, 2 * row->held + weight * scale);
        v3 drag = v3_scale(push / row->push / scale, row->drag);
        int32_t key[KEY];
        name_row(row, key);
        mus_hold hold = {.edge_edge = row->edge_edge,
                         .plane = row->plane,
                         .push = (float)(push / scale),
                         .lean = leans ? (float)fmin(push / scale, lean_growth * row->leaned + weight) : 0,
                         .drag = {(float)drag.x, (float)drag.y, (float)drag.z},
                         .normal = {(float)row->normal.x, (float)row->normal.y, (float)row->normal.z}};
        memcpy(hold.vertex, key, sizeof hold.vertex);
        for (int c = 0; c < 4; c++) hold.weight[c] = (float)row->weight[c];
        if (!mus_array_push(holds, hold)) return MUS_STATUS_NO_MEMORY;
    }
    return MUS_STATUS_OK;
}

static uint64_t place(const int32_t key[KEY], uint64_t mask) {
    return mus_hash_chain(0, key, KEY * sizeof *key) & mask;
}

mus_status mus_holds_list(const mus_hold_list *holds, mus_hold_table *table) {
    int64_t size = 16;
    while (size < 2 * holds->count) size *= 2;
    if (!mus_array_reserve(table, size)) return MUS_STATUS_NO_MEMORY;
    table->count = size;
    memset(table->data, -1, sizeof *table->data * (size_t)size);
    uint64_t mask = (uint64_t)size - 1;
    for (int64_t k = 0; k < holds->count; k++) {
        int32_t key[KEY];
        name_hold(&holds->data[k], key);
        uint64_t at = place(key, mask);
        while (table->data[at] >= 0) at = (at + 1) & mask;
        table->data[at] = (int32_t)k;
    }
    return MUS_STATUS_OK;
}

static const mus_hold *find(const mus_hold_list *holds, const mus_hold_table *table, const mus_row *row) {
    uint64_t mask = (uint64_t)table->count - 1;
    int32_t key[KEY], other[KEY];
    name_row(row, key);
    for (uint64_t at = place(key, mask); table->data[at] >= 0; at = (at + 1) & mask) {
        name_hold(&holds->data[table->data[at]], other);
        if (memcmp(key, other, sizeof key) == 0) return &holds->data[table->data[at]];
    }
    return NULL;
}

double mus_holds_load(const mus_hold_list *holds, const mus_hold_table *table, const mus_row *row) {
    const mus_hold *hold = find(holds, table, row);
    return hold ? (double)hold->push : 0;
}

static double likeness(const mus_row *row, const mus_hold *hold) {
    v3 normal = v3_make((double)hold->normal[0], (double)hold->normal[1], (double)hold->normal[2]);
    double turned = v3_length(v3_sub(row->normal, normal)), moved = 0;
    for (int c = 0; c < 4; c++) moved = fmax(moved, fabs(row->weight[c] - (double)hold->weight[c]));
    return fmax(0, 1 - blur * turned) * fmax(0, 1 - blur * moved);
}

/* N on side A: what a hold leans with. */
static v3 lean_of(const mus_hold *hold) {
    if (!(hold->lean > 0)) return v3_make(0, 0, 0);
    v3 normal = v3_make((double)hold->normal[0], (double)hold->normal[1], (double)hold->normal[2]);
    v3 drag = v3_make((double)hold->drag[0], (double)hold->drag[1], (double)hold->drag[2]);
    double lean = lean_share * (double)hold->lean;
    return v3_axpy(lean, normal, v3_scale(lean / (double)hold->push, drag));
}

void mus_holds_lean(const mus_assembly *a, const mus_hold_list *holds, mus_dynamics *const *dynamics) {
    bool any = false;
    for (int64_t k = 0; holds && k < holds->count && !any; k++) any = holds->data[k].lean > 0;
    for (int32_t k = 0; k < a->cloth_count; k++) {
        dynamics[k]->loaded = any;
        if (any) memset(dynamics[k]->scale, 0, sizeof(v3) * (size_t)a->bodies[k].count);
    }
    for (int64_t k = 0; any && k < holds->count; k++) {
        const mus_hold *hold = &holds->data[k];
        v3 force = lean_of(hold);
        double rest = 0; /* in doubles weights sum to zero, and momentum is kept */
        for (int c = 0; c < (hold->plane ? 1 : 4); c++) {
            int32_t i = hold->vertex[c];
            double weight = c < 3 ? (double)hold->weight[c] : -rest;
            rest += weight;
            if (i >= a->cloth_vertex_count) continue;
            v3 *load = &dynamics[a->body_of[i]]->scale[i - a->bodies[a->body_of[i]].first];
            *load = v3_axpy(weight, force, *load);
        }
    }
}

mus_status mus_holds_apply(const mus_assembly *a, const mus_hold_list *holds, double dt, mus_hold_table *table,
                           mus_row_list *rows) {
    if (!holds->count) return MUS_STATUS_OK;
    mus_status status = mus_holds_list(holds, table);
    if (status != MUS_STATUS_OK) return status;
    for (int64_t k = 0; k < rows->count; k++) {
        mus_row *row = &rows->data[k];
        const mus_hold *hold = row->response < 0 && !starts_anew(a, row) ? find(holds, table, row) : NULL;
        if (!hold) continue;
        double scale = stroke(a, row, dt), like = scale * share * likeness(row, hold);
        v3 leaned = v3_scale(scale, lean_of(hold));
        v3 drag = v3_make((double)hold->drag[0], (double)hold->drag[1], (double)hold->drag[2]);
        drag = v3_scale(like, v3_axpy(-v3_dot(row->normal, drag), row->normal, drag));
        row->push = fmax(0, v3_dot(row->normal, leaned));
        row->drag = v3_axpy(-v3_dot(row->normal, leaned), row->normal, leaned);
        row->leaned = row->push / scale;
        row->held = fmax(row->push, like * (double)hold->push);
        mus_row_push(a, row, row->held - row->push, v3_sub(drag, row->drag));
    }
    return MUS_STATUS_OK;
}
