/* memory.c: what a solver keeps between steps, for snapshots: the order in which pairs are found, the pairs that the
 * last committed step left, among which the next one looks for its contacts, and what those bore; and the groups of the
 * preconditioner, which were made where the cloths were when the solver was. */
#include "solve/potential.h"

_Static_assert(sizeof(mus_candidate) == 44, "a field came or went: archive it here"); /* `row` ends with the step */
_Static_assert(sizeof(mus_hold) == 68, "a field came or went: archive it here");
#if UINTPTR_MAX == UINT64_MAX
_Static_assert(sizeof(mus_solver) == 5152, "a field came or went: does it outlive a step?");
#endif

static void candidate(mus_archive *a, mus_candidate *c) {
    mus_archive_i32(a, NULL, c->vertex, 4);
    mus_archive_f32(a, NULL, c->axis, 3);
    mus_archive_f32(a, NULL, &c->gap0, 1);
    mus_archive_u32(a, NULL, &c->checked, 1);
    mus_archive_u8(a, NULL, &c->edge_edge, 1);
}

static void candidates(mus_archive *a, mus_solver *s) {
    enum { BYTES = 37 };
    int64_t count = s->committed < 0 ? 0 : s->lists[s->committed].count;
    mus_archive_count(a, NULL, &count, BYTES);
    bool read = a->mode == MUS_ARCHIVE_READ;
    mus_candidate_list *list = read ? &s->lists[0] : &s->lists[s->committed];
    if (read && a->status == MUS_STATUS_OK && !mus_array_reserve(list, count)) a->status = MUS_STATUS_NO_MEMORY;
    for (int64_t k = 0; k < count && a->status == MUS_STATUS_OK; k++) {
        candidate(a, &list->data[k]);
        for (int i = 0; read && i < 4; i++)
            if (list->data[k].vertex[i] < 0 || list->data[k].vertex[i] >= s->assembly.vertex_count)
                mus_archive_refuse(a, "a pair names a vertex that is not there");
    }
    if (read && a->status == MUS_STATUS_OK) list->count = count;
}

static void hold(mus_archive *a, mus_hold *h) {
    mus_archive_i32(a, NULL, h->vertex, 4);
    mus_archive_u8(a, NULL, &h->edge_edge, 1);
    mus_archive_u8(a, NULL, &h->plane, 1);
    mus_archive_f32(a, NULL, &h->push, 1);
    mus_archive_f32(a, NULL, &h->lean, 1);
    mus_archive_f32(a, NULL, h->drag, 3);
    mus_archive_f32(a, NULL, h->normal, 3);
    mus_archive_f32(a, NULL, h->weight, 4);
}

static bool hold_is_sound(const mus_hold *h) {
    bool sound = h->push >= 0 && h->push < INFINITY && h->lean >= 0 && h->lean <= h->push;
    for (int k = 0; k < 3; k++) sound &= isfinite(h->drag[k]) && isfinite(h->normal[k]);
    for (int k = 0; k < 4; k++) sound &= isfinite(h->weight[k]);
    return sound;
}

/* Vertices only name what is looked for: a name that fits nothing finds nothing. */
static void holds(mus_archive *a, mus_solver *s) {
    enum { BYTES = 66 };
    int64_t count = s->committed < 0 ? 0 : s->holds[s->committed].count;
    mus_archive_count(a, NULL, &count, BYTES);
    bool read = a->mode == MUS_ARCHIVE_READ;
    mus_hold_list *list = read ? &s->holds[0] : &s->holds[s->committed];
    if (read && a->status == MUS_STATUS_OK && !mus_array_reserve(list, count)) a->status = MUS_STATUS_NO_MEMORY;
    for (int64_t k = 0; k < count && a->status == MUS_STATUS_OK; k++) {
        if (read) list->data[k] = (mus_hold){0};
        hold(a, &list->data[k]);
        if (read && a->status == MUS_STATUS_OK && !hold_is_sound(&list->data[k]))
            mus_archive_refuse(a, "what a contact bore is no force");
    }
    if (read && a->status == MUS_STATUS_OK) list->count = count;
}

void mus_solver_memory(mus_archive *a, mus_solver *s) {
    bool built = s->broad_state != NULL, committed = s->committed >= 0, read = a->mode == MUS_ARCHIVE_READ;
    mus_archive_flag(a, NULL, &built);
    if (built) mus_archive_f64(a, NULL, (double *)s->built, 3 * (int64_t)s->assembly.vertex_count);
    mus_archive_flag(a, NULL, &committed);
    if (committed) candidates(a, s);
    if (committed) holds(a, s);
    if (s->potential) mus_coarse_memory(a, &s->potential->newton.coarse);
    if (!read || a->status != MUS_STATUS_OK) return;
    if (built) a->status = mus_solver_make_broad(s);
    s->committed = s->current = committed ? 0 : -1;
}
