/* octree.c: trees of boxes with up to eight children, one of the cloth and one of the obstacles, split about the center
 * until fewer than eight faces are left, and descended together, the larger of two boxes first (sections 5 and 6 of the
 * AABB hierarchy for cloth against solids). Rebuilt at every step, so that it fits the current shape of the cloth. Runs
 * on one thread. */
#include "broad/hierarchy.h"

enum { CHILDREN = 8, FEW = 8, DEEPEST = 64 };

typedef struct octree {
    mus_hierarchy tree;
    int32_t leaf_count;
    int32_t *order;  /* leaves, being sorted; scratch from the lender */
    float *center;   /* 3 per leaf, at the end of the step; scratch from the lender */
    int32_t *sorted; /* scratch from the lender */
} octree;

static void centers(octree *o, const mus_broad_scene *scene) {
    for (int32_t leaf = 0; leaf < o->leaf_count; leaf++) {
        mus_swept_box box = mus_broad_leaf_box(scene, leaf);
        float at[4];
        _mm_storeu_ps(at, _mm_mul_ps(_mm_set1_ps(0.5F), _mm_add_ps(box.lo1, box.hi1)));
        memcpy(o->center + 3 * (size_t)leaf, at, 3 * sizeof *at);
        o->order[leaf] = leaf;
    }
}

/* Returns which of the eight octants about `middle` the leaf is in. */
static int octant_of(const octree *o, int32_t leaf, const float middle[3]) {
    const float *c = o->center + 3 * (size_t)leaf;
    return (c[0] >= middle[0]) | (c[1] >= middle[1]) << 1 | (c[2] >= middle[2]) << 2;
}

/* Sorts [lo, hi) by octants; false: all are in one. */
static bool split(octree *o, int32_t lo, int32_t hi, int32_t start[CHILDREN + 1]) {
    mus_box box = mus_box_empty();
    float middle[3];
    for (int32_t k = lo; k < hi; k++)
        for (int c = 0; c < 3; c++) {
            double x = (double)o->center[3 * (size_t)o->order[k] + (size_t)c];
            mus_box_grow_along(&box, c, x, x);
        }
    for (int c = 0; c < 3; c++) middle[c] = 0.5F * (float)box.lo[c] + 0.5F * (float)box.hi[c];
    int32_t count[CHILDREN] = {0}, next[CHILDREN];
    for (int32_t k = lo; k < hi; k++) count[octant_of(o, o->order[k], middle)]++;
    start[0] = lo;
    for (int p = 0; p < CHILDREN; p++) {
        if (count[p] == hi - lo) return false;
        next[p] = start[p], start[p + 1] = start[p] + count[p];
    }
    for (int32_t k = lo; k < hi; k++) o->sorted[next[octant_of(o, o->order[k], middle)]++] = o->order[k];
    memcpy(o->order + lo, o->sorted + lo, sizeof *o->order * (size_t)(hi - lo));
    return true;
}

/* Every node above the lowest has two children or more: there are fewer nodes than twice the leaves, and fewer items
 * than three times. */
static int32_t build(octree *o, int32_t lo, int32_t hi, int depth) {
    mus_hierarchy *h = &o->tree;
    int32_t me = mus_hierarchy_add(h, h->item_count, 0, true), start[CHILDREN + 1];
    mus_tree_node *n = &h->nodes[me];
    if (hi - lo < FEW || depth == DEEPEST || !split(o, lo, hi, start)) {
        n->count = hi - lo;
        memcpy(h->items + h->item_count, o->order + lo, sizeof *h->items * (size_t)(hi - lo));
        h->item_count += hi - lo;
        return me;
    }
    n->lowest = false;
    for (int p = 0; p < CHILDREN; p++) n->count += start[p + 1] > start[p];
    h->item_count += n->count;
    int32_t *item = h->items + n->first;
    for (int p = 0; p < CHILDREN; p++)
        if (start[p + 1] > start[p]) *item++ = build(o, start[p], start[p + 1], depth + 1);
    return me;
}

static void octree_refit(void *state, const mus_broad_scene *scene) {
    octree *o = state;
    mus_hierarchy *h = &o->tree;
    h->count = h->item_count = 0;
    centers(o, scene);
    if (h->cloth.count) h->cloth.data[0] = build(o, 0, scene->cloth_leaf_count, 0);
    if (h->obstacle.count) h->obstacle.data[0] = build(o, scene->cloth_leaf_count, scene->leaf_count, 0);
    mus_hierarchy_refit(h, scene);
}

static void octree_destroy(void *state) {
    octree *o = state;
    if (!o) return;
    mus_hierarchy_free(&o->tree);
    mus_free(o);
}

static mus_status octree_create(const mus_broad_scene *scene, const v3 *x, void **state) {
    octree *o = mus_new(sizeof *o);
    (void)x;
    *state = o;
    if (!o) return MUS_STATUS_NO_MEMORY;
    o->leaf_count = scene->leaf_count;
    o->tree.larger_first = true;
    mus_status status = mus_hierarchy_reserve(&o->tree, 2 * (int64_t)scene->leaf_count, 3 * (int64_t)scene->leaf_count);
    bool grown = (!scene->cloth_leaf_count || mus_array_push(&o->tree.cloth, 0)) &&
                 (scene->leaf_count == scene->cloth_leaf_count || mus_array_push(&o->tree.obstacle, 0));
    if (status == MUS_STATUS_OK && grown) return MUS_STATUS_OK;
    octree_destroy(o);
    *state = NULL;
    return MUS_STATUS_NO_MEMORY;
}

static void octree_borrow(void *state, mus_lender *lender) {
    octree *o = state;
    size_t leaves = (size_t)o->leaf_count;
    mus_hierarchy_borrow(&o->tree, lender);
    mus_lend(lender, &o->order, sizeof *o->order * leaves);
    mus_lend(lender, &o->sorted, sizeof *o->sorted * leaves);
    mus_lend(lender, &o->center, sizeof *o->center * 3 * leaves);
}

static mus_status octree_pairs(void *state, const mus_broad_scene *scene, const mus_pair_sink *sink) {
    octree *o = state;
    return mus_hierarchy_pairs(&o->tree, scene, sink);
}

static mus_status octree_pairs_of(void *state, const mus_broad_scene *scene, const uint8_t *marked,
                                  mus_pair_list *pairs) {
    octree *o = state;
    return mus_hierarchy_pairs_of(&o->tree, scene, marked, pairs);
}

const mus_broad_phase mus_broad_octree = {.name = "octree",
                                          .create = octree_create,
                                          .destroy = octree_destroy,
                                          .refit = octree_refit,
                                          .borrow = octree_borrow,
                                          .pairs = octree_pairs,
                                          .pairs_of = octree_pairs_of};
