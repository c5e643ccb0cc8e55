/* soup.h: faces, loose or in sheets, that broad phases are tried on, and what truly meets among them. */
#ifndef MUS_TESTS_BROAD_SOUP_H
#define MUS_TESTS_BROAD_SOUP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "base/rng.h"
#include "broad/broad.h"
#include "narrow/elementary.h"

typedef struct soup {
    mus_broad_scene scene;
    v3 *x0, *x1;
    uint8_t *collide;
} soup;

static mus_rng rng;

static inline double between(double a, double b) {
    return mus_rng_between(&rng, a, b);
}
static inline v3 point(double size) {
    double x = between(-size, size), y = between(-size, size), z = between(-size, size);
    return v3_make(x, y, z);
}

static inline soup soup_make(int32_t cloth_faces, int32_t obstacle_faces, int32_t objects) {
    soup s = {0};
    int32_t faces = cloth_faces + obstacle_faces, room = faces + 1;
    s.scene = (mus_broad_scene){.leaf_count = faces, .cloth_leaf_count = cloth_faces, .object_count = objects};
    s.scene.leaves = calloc((size_t)room, sizeof *s.scene.leaves);
    s.scene.vertex_box = calloc(3 * (size_t)room, sizeof *s.scene.vertex_box);
    s.x0 = calloc(3 * (size_t)room, sizeof *s.x0);
    s.x1 = calloc(3 * (size_t)room, sizeof *s.x1);
    s.collide = malloc((size_t)(objects * objects));
    memset(s.collide, 1, (size_t)(objects * objects));
    s.scene.collide = s.collide;
    s.scene.threads = 2;
    return s;
}

static inline void soup_free(soup *s) {
    free(s->scene.leaves), free(s->scene.vertex_box), free(s->x0), free(s->x1), free(s->collide);
}

/* Each face with vertices and edges of its own. */
static inline void soup_loose(soup *s, int32_t leaf, int32_t object, const v3 a[3], const v3 b[3]) {
    mus_leaf *l = &s->scene.leaves[leaf];
    *l = (mus_leaf){.object = (uint32_t)object, .face = 1, .own = 7 * MUS_OWN_VERTEX | 7 * MUS_OWN_EDGE};
    for (int k = 0; k < 3; k++) {
        l->vertex[k] = s->scene.vertex_count;
        s->x0[s->scene.vertex_count] = a[k], s->x1[s->scene.vertex_count++] = b[k];
    }
}

static inline void soup_boxes(soup *s, double r) {
    for (int32_t i = 0; i < s->scene.vertex_count; i++)
        s->scene.vertex_box[i] = mus_swept_box_of_point(s->x0[i], s->x1[i], 0, r);
}

static inline int by_vertices(const void *pa, const void *pb) {
    const mus_pair *a = pa, *b = pb;
    if (a->edge_edge != b->edge_edge) return a->edge_edge < b->edge_edge ? -1 : 1;
    for (int k = 0; k < 4; k++)
        if (a->vertex[k] != b->vertex[k]) return a->vertex[k] < b->vertex[k] ? -1 : 1;
    return 0;
}

static inline bool alike(const mus_pair_list *a, const mus_pair_list *b) {
    bool same = a->count == b->count;
    for (int64_t k = 0; same && k < a->count; k++) same = by_vertices(&a->data[k], &b->data[k]) == 0;
    return same;
}

typedef struct collected {
    mus_pair_list slots[MUS_BROAD_SLOTS], *all;
} collected;

static inline mus_status append(void *context, int slot, const mus_pair *pairs, int64_t count) {
    collected *c = context;
    for (int64_t k = 0; k < count; k++)
        if (!mus_array_push(&c->slots[slot], pairs[k])) return MUS_STATUS_NO_MEMORY;
    return MUS_STATUS_OK;
}

static inline int by_order(const void *a, const void *b) {
    uint64_t p = ((const mus_pair *)a)->order, q = ((const mus_pair *)b)->order;
    assert_true(a == b || p != q);
    return (p > q) - (p < q);
}

static inline mus_status full(void *context, int slot) {
    mus_pair_list *list = &((collected *)context)->slots[slot];
    if (list->count) qsort(list->data, (size_t)list->count, sizeof *list->data, by_order);
    return MUS_STATUS_OK;
}

static inline mus_status gather(void *context, int count) {
    collected *c = context;
    for (int slot = 0; slot < count; slot++) {
        for (int64_t k = 0; k < c->slots[slot].count; k++)
            if (!mus_array_push(c->all, c->slots[slot].data[k])) return MUS_STATUS_NO_MEMORY;
        c->slots[slot].count = 0;
    }
    return MUS_STATUS_OK;
}

static inline mus_status all_pairs(const mus_broad_phase *phase, void *state, const mus_broad_scene *scene,
                                   mus_pair_list *list) {
    collected c = {.all = list};
    list->count = 0;
    mus_pair_sink sink = {append, full, gather, &c};
    mus_status status = phase->pairs(state, scene, &sink);
    for (int slot = 0; slot < MUS_BROAD_SLOTS; slot++) mus_array_free(&c.slots[slot]);
    return status;
}

/* A leaf of vertices that others share: what no leaf before owns is its own. */
static inline void soup_shared(soup *s, int32_t leaf, int32_t object, int32_t a, int32_t b, int32_t c) {
    mus_leaf *l = &s->scene.leaves[leaf];
    *l = (mus_leaf){.vertex = {a, b, c}, .object = (uint32_t)object, .face = 1};
    for (int k = 0; k < 3; k++) {
        int32_t p = l->vertex[k], q = l->vertex[(k + 1) % 3];
        bool vertex = true, edge = true;
        for (int32_t before = 0; before < leaf; before++)
            for (int i = 0; i < 3; i++) {
                int32_t r = s->scene.leaves[before].vertex[i], t = s->scene.leaves[before].vertex[(i + 1) % 3];
                vertex &= r != p, edge &= !((r == p && t == q) || (r == q && t == p));
            }
        l->own |= (vertex ? (unsigned)MUS_OWN_VERTEX << k : 0) | (edge ? (unsigned)MUS_OWN_EDGE << k : 0);
    }
}

/* Does this pair truly meet, to rounding? */
static inline bool pair_intersects(const soup *s, const mus_pair *pair) {
    mus_elementary_query q = {.tolerance = 1e-12};
    mus_elementary_hit hit;
    for (int k = 0; k < 4; k++) q.x0[k] = s->x0[pair->vertex[k]], q.x1[k] = s->x1[pair->vertex[k]];
    return (pair->edge_edge ? mus_elementary_certified.edge_edge : mus_elementary_certified.vertex_face)(&q, &hit);
}

static inline int64_t count_intersecting(const soup *s, const mus_pair_list *list) {
    int64_t count = 0;
    for (int64_t k = 0; k < list->count; k++) count += pair_intersects(s, &list->data[k]);
    return count;
}

/* What a phase that may lose pairs finds, and all that there is: boxes reach `r` (m, per axis) beyond the ends. */
static inline void search_both(const mus_broad_phase *phase, soup *s, double r, mus_pair_list *got,
                               mus_pair_list *wanted, int64_t *culled) {
    const mus_broad_phase *both[2] = {&mus_broad_brute, phase};
    soup_boxes(s, r);
    s->scene.x0 = s->x0, s->scene.x1 = s->x1;
    for (int k = 0; k < 2; k++) {
        void *state;
        assert_int_equal(both[k]->create(&s->scene, s->x0, &state), MUS_STATUS_OK);
        mus_lender lender = {0};
        both[k]->borrow(state, &lender);
        void *lent = aligned_alloc(16, lender.used + 16);
        lender = (mus_lender){lent, 0};
        both[k]->borrow(state, &lender);
        both[k]->refit(state, &s->scene);
        assert_int_equal(all_pairs(both[k], state, &s->scene, k ? got : wanted), MUS_STATUS_OK);
        if (k && phase->culled) *culled = phase->culled(state);
        if (k) { /* around all leaves, and around each: the same pairs */
            mus_pair_list marked_pairs = {0};
            uint8_t *marked = calloc((size_t)s->scene.leaf_count, 1);
            memset(marked, 1, (size_t)s->scene.leaf_count);
            assert_int_equal(phase->pairs_of(state, &s->scene, marked, &marked_pairs), MUS_STATUS_OK);
            assert_true(alike(&marked_pairs, got));
            mus_array_free(&marked_pairs);
            free(marked);
        }
        both[k]->destroy(state);
        free(lent);
    }
}

/* The pairs of the phase must be a subset of all pairs, in their order. Returns how many of them intersect; `all` gets
 * how many of all do. */
static inline int64_t found_by(const mus_broad_phase *phase, soup *s, int64_t *all, int64_t *culled) {
    mus_pair_list got = {0}, wanted = {0};
    search_both(phase, s, 1e-6, &got, &wanted, culled);
    int64_t at = 0;
    for (int64_t k = 0; k < got.count; k++, at++) {
        while (at < wanted.count && by_vertices(&wanted.data[at], &got.data[k]) != 0) at++;
        assert_true(at < wanted.count);
    }
    *all = count_intersecting(s, &wanted);
    int64_t found = count_intersecting(s, &got);
    mus_array_free(&got), mus_array_free(&wanted);
    return found;
}

#endif
