/* hierarchy.c: refits and descends trees of boxes. */
#include "broad/hierarchy.h"

mus_status mus_hierarchy_reserve(mus_hierarchy *h, int64_t nodes, int64_t items) {
    if (nodes > INT32_MAX || items > INT32_MAX)
        return mus_fail(MUS_STATUS_NO_MEMORY, "out of memory: a tree of %lld boxes was requested", (long long)nodes);
    h->nodes = mus_new(sizeof *h->nodes * ((size_t)nodes + 1));
    h->items = mus_new(sizeof *h->items * ((size_t)items + 1));
    h->capacity = (int32_t)nodes;
    return h->nodes && h->items ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

void mus_hierarchy_free(mus_hierarchy *h) {
    mus_free(h->nodes);
    mus_free(h->items);
    mus_array_free(&h->cloth);
    mus_array_free(&h->obstacle);
    mus_array_free(&h->batch);
    *h = (mus_hierarchy){0};
}

int32_t mus_hierarchy_add(mus_hierarchy *h, int32_t first, int32_t count, bool lowest) {
    h->nodes[h->count] = (mus_tree_node){first, count, lowest};
    return h->count++;
}

void mus_hierarchy_borrow(mus_hierarchy *h, mus_lender *lender) {
    mus_lend(lender, &h->boxes, sizeof *h->boxes * (size_t)h->capacity);
    mus_lend(lender, &h->marked, (size_t)h->capacity);
}

void mus_hierarchy_refit(mus_hierarchy *h, const mus_broad_scene *scene) {
    for (int32_t k = h->count - 1; k >= 0; k--) {
        const mus_tree_node *n = &h->nodes[k];
        const int32_t *item = h->items + n->first;
        mus_swept_box box = n->lowest ? mus_broad_leaf_box(scene, item[0]) : h->boxes[item[0]];
        for (int32_t i = 1; i < n->count; i++) {
            mus_swept_box other = n->lowest ? mus_broad_leaf_box(scene, item[i]) : h->boxes[item[i]];
            box = mus_swept_box_join(&box, &other);
        }
        h->boxes[k] = box;
    }
}

static void mark_nodes(mus_hierarchy *h, const uint8_t *marked) {
    for (int32_t k = h->count - 1; k >= 0; k--) {
        const mus_tree_node *n = &h->nodes[k];
        h->marked[k] = 0;
        for (int32_t i = 0; i < n->count; i++) {
            int32_t item = h->items[n->first + i];
            h->marked[k] |= n->lowest ? marked[item] : h->marked[item];
        }
    }
}

/* Volume of the box around the motion. */
static double volume(const mus_swept_box *b) {
    float size[4];
    _mm_storeu_ps(size, _mm_sub_ps(_mm_max_ps(b->hi0, b->hi1), _mm_min_ps(b->lo0, b->lo1)));
    return (double)size[0] * (double)size[1] * (double)size[2];
}

static bool is_pair_wanted(const mus_hierarchy *h, int32_t a, int32_t b) {
    return h->query->status == MUS_STATUS_OK && (!h->query->marked || h->marked[a] || h->marked[b]);
}

static void pair_down(const mus_hierarchy *h, int32_t a, int32_t b) {
    if (!is_pair_wanted(h, a, b)) return;
    mus_broad_count(h->query->scene, 1);
    if (!mus_swept_box_overlap(&h->boxes[a], &h->boxes[b])) return;
    const mus_tree_node *m = &h->nodes[a], *n = &h->nodes[b];
    const int32_t *p = h->items + m->first, *q = h->items + n->first;
    if (m->lowest && n->lowest) {
        for (int32_t i = 0; i < m->count; i++)
            for (int32_t j = 0; j < n->count; j++) mus_overlap_query_leaves(h->query, p[i], q[j]);
        return;
    }
    bool one = h->larger_first && !m->lowest && !n->lowest, first = volume(&h->boxes[a]) >= volume(&h->boxes[b]);
    bool down_a = !m->lowest && (!one || first), down_b = !n->lowest && (!one || !first);
    for (int32_t i = 0; i < (down_a ? m->count : 1); i++)
        for (int32_t j = 0; j < (down_b ? n->count : 1); j++) pair_down(h, down_a ? p[i] : a, down_b ? q[j] : b);
}

static void self_down(const mus_hierarchy *h, int32_t a) {
    if (!is_pair_wanted(h, a, a) || (h->skip && h->skip[a])) return;
    const mus_tree_node *n = &h->nodes[a];
    const int32_t *item = h->items + n->first;
    for (int32_t i = 0; i < n->count; i++) {
        if (!n->lowest) self_down(h, item[i]);
        for (int32_t j = i + 1; j < n->count; j++) {
            if (n->lowest)
                mus_overlap_query_leaves(h->query, item[i], item[j]);
            else
                pair_down(h, item[i], item[j]);
        }
    }
}

static void query_to_step(void *state, mus_overlap_query *query) {
    mus_hierarchy *h = state;
    h->query = query;
    if (query->marked) mark_nodes(h, query->marked);
    for (int64_t i = 0; i < h->cloth.count; i++) {
        self_down(h, h->cloth.data[i]);
        for (int64_t j = i + 1; j < h->cloth.count; j++) pair_down(h, h->cloth.data[i], h->cloth.data[j]);
        for (int64_t j = 0; j < h->obstacle.count; j++) pair_down(h, h->cloth.data[i], h->obstacle.data[j]);
    }
}

mus_status mus_hierarchy_pairs(mus_hierarchy *h, const mus_broad_scene *scene, const mus_pair_sink *sink) {
    return mus_overlap_query_pairs(h, query_to_step, scene, sink, &h->batch);
}

mus_status mus_hierarchy_pairs_of(mus_hierarchy *h, const mus_broad_scene *scene, const uint8_t *marked,
                                  mus_pair_list *pairs) {
    return mus_overlap_query_pairs_of(h, query_to_step, scene, marked, pairs);
}
