/* memory.c: the state that a solver keeps between steps, for snapshots: the positions that decide the order of pairs,
 * the pairs near at the end of the last committed step, from which the next one finds its contacts, their warm starts,
 * and the aggregates of the preconditioner, which depend on where the cloths were when the solver was created. */
#include "solve/potential/potential.h"

#include <float.h>

_Static_assert(sizeof(mus_candidate_pair) == 44,
               "a field came or went: archive it here"); /* `constraint` is valid within a step only */
_Static_assert(sizeof(mus_warm_start) == 72, "a field came or went: archive it here");
#if UINTPTR_MAX == UINT64_MAX
_Static_assert(sizeof(mus_solver) == 6200, "a field came or went: does it outlive a step?");
#endif

static void archive_candidate_pair(mus_archive *a, mus_candidate_pair *c) {
    mus_archive_i32(a, NULL, c->vertex, 4);
    mus_archive_f32(a, NULL, c->axis, 3);
    mus_archive_f32(a, NULL, &c->gap0, 1);
    mus_archive_u32(a, NULL, &c->clear_since, 1);
    mus_archive_u8(a, NULL, &c->edge_edge, 1);
}

/* Returns whether the vertices of each side are of one object, so that properties of the first vertex apply to all. */
static bool sides_are_whole(const mus_assembly *a, const mus_candidate_pair *c) {
    const int32_t *v = c->vertex, *of = a->object_of;
    return of[v[2]] == of[v[3]] && (c->edge_edge ? of[v[0]] == of[v[1]] : of[v[1]] == of[v[2]]);
}

static bool sides_collide(const mus_assembly *a, const mus_candidate_pair *c) {
    int32_t one = a->object_of[c->vertex[0]], other = a->object_of[c->vertex[c->edge_edge ? 2 : 1]];
    return mus_assembly_collides(a, one, other);
}

static void check_candidate_pair(mus_archive *a, const mus_solver *s, const mus_candidate_pair *c) {
    mus_archive_within_i32(a, "a vertex of a pair", c->vertex, 4, 0, (int64_t)s->assembly.vertex_count - 1);
    mus_archive_within_i64(a, "the kind of a pair", c->edge_edge, 0, 1);
    mus_archive_within_f32(a, "the axis of a pair", c->axis, 3, -FLT_MAX, FLT_MAX);
    mus_archive_within_f32(a, "the gap of a pair", &c->gap0, 1, -FLT_MAX, FLT_MAX);
    if (a->status == MUS_STATUS_OK && !sides_are_whole(&s->assembly, c))
        mus_archive_refuse(a, "a side of a pair is of two objects");
    else if (a->status == MUS_STATUS_OK && !sides_collide(&s->assembly, c))
        mus_archive_refuse(a, "a pair is of objects that do not collide");
}

static void archive_candidate_pairs(mus_archive *a, mus_solver *s) {
    enum { BYTES = 37 };
    int64_t count = s->committed < 0 ? 0 : s->lists[s->committed].count;
    mus_archive_count(a, NULL, &count, BYTES);
    bool read = a->mode == MUS_ARCHIVE_READ;
    mus_candidate_pair_list *list = read ? &s->lists[0] : &s->lists[s->committed];
    if (read && a->status == MUS_STATUS_OK && !mus_array_reserve(list, count)) a->status = MUS_STATUS_NO_MEMORY;
    for (int64_t k = 0; k < count && a->status == MUS_STATUS_OK; k++) {
        archive_candidate_pair(a, &list->data[k]);
        if (read && a->status == MUS_STATUS_OK) check_candidate_pair(a, s, &list->data[k]);
    }
    if (read && a->status == MUS_STATUS_OK) list->count = count;
}

static void archive_warm_start(mus_archive *a, mus_warm_start *h) {
    mus_archive_i32(a, NULL, h->vertex, 4);
    mus_archive_u8(a, NULL, &h->edge_edge, 1);
    mus_archive_u8(a, NULL, &h->plane, 1);
    mus_archive_f32(a, NULL, &h->normal_force, 1);
    mus_archive_f32(a, NULL, &h->carried_force, 1);
    mus_archive_f32(a, NULL, &h->contact_load, 1);
    mus_archive_f32(a, NULL, h->friction_force, 3);
    mus_archive_f32(a, NULL, h->normal, 3);
    mus_archive_f32(a, NULL, h->weight, 4);
}

static bool warm_start_is_valid(const mus_solver *s, const mus_warm_start *h) {
    const mus_assembly *a = &s->assembly;
    if (h->edge_edge > 1 || h->plane > 1) return false;
    for (int k = 0; k < (h->plane ? 1 : 4); k++)
        if (h->vertex[k] < 0 || h->vertex[k] >= a->vertex_count) return false;
    bool sound = h->normal_force >= 0 && h->normal_force < INFINITY && h->contact_load >= 0 &&
                 h->contact_load <= h->normal_force && h->carried_force >= 0 && h->carried_force < INFINITY;
    for (int k = 0; k < 3; k++) sound &= isfinite(h->friction_force[k]) && isfinite(h->normal[k]);
    for (int k = 0; k < 4; k++) sound &= isfinite(h->weight[k]);
    return sound;
}

/* A warm start that matches no contact of the next step is not used; a contact load acts on the vertices stored with
 * it. */
static void archive_warm_starts(mus_archive *a, mus_solver *s) {
    enum { BYTES = 70 };
    int64_t count = s->committed < 0 ? 0 : s->warm_starts[s->committed].count;
    mus_archive_count(a, NULL, &count, BYTES);
    bool read = a->mode == MUS_ARCHIVE_READ;
    mus_warm_start_list *list = read ? &s->warm_starts[0] : &s->warm_starts[s->committed];
    if (read && a->status == MUS_STATUS_OK && !mus_array_reserve(list, count)) a->status = MUS_STATUS_NO_MEMORY;
    for (int64_t k = 0; k < count && a->status == MUS_STATUS_OK; k++) {
        if (read) list->data[k] = (mus_warm_start){0};
        archive_warm_start(a, &list->data[k]);
        if (read && a->status == MUS_STATUS_OK && !warm_start_is_valid(s, &list->data[k]))
            mus_archive_refuse(a, "the warm-start impulse of a contact is invalid");
    }
    if (read && a->status == MUS_STATUS_OK) list->count = count;
}

static void archive_elastic_force(mus_archive *a, mus_coupled *c, int list) {
    int64_t numbers = 3 * (int64_t)c->n;
    double *force = (double *)c->elastic_force[list];
    mus_archive_f64(a, NULL, force, numbers);
    mus_archive_within(a, "an elastic force", force, numbers, -MUS_LARGEST_VALUE, MUS_LARGEST_VALUE);
}

void mus_solver_memory(mus_archive *a, mus_solver *s) {
    bool built = s->broad_state != NULL, committed = s->committed >= 0, read = a->mode == MUS_ARCHIVE_READ;
    mus_archive_flag(a, NULL, &built);
    int64_t numbers = built ? 3 * (int64_t)s->assembly.vertex_count : 0;
    if (built) mus_archive_f64(a, NULL, (double *)s->built, numbers);
    /* obstacles may extend a little beyond the bound of positions */
    mus_archive_within(a, "a place that pairs were found for", (double *)s->built, numbers, -8 * MUS_LARGEST_LENGTH,
                       8 * MUS_LARGEST_LENGTH);
    mus_archive_flag(a, NULL, &committed);
    if (committed) archive_candidate_pairs(a, s);
    if (committed) archive_warm_starts(a, s);
    if (committed && s->coupled.elastic_force[0]) archive_elastic_force(a, &s->coupled, read ? 0 : s->committed);
    if (s->potential) mus_coarse_memory(a, &s->potential->newton.coarse);
    if (!read || a->status != MUS_STATUS_OK) return;
    if (built) a->status = mus_solver_create_broad_phase(s);
    s->committed = s->current = committed ? 0 : -1;
}
