/* octree_source.c: the hierarchy of axis-aligned boxes as published (AAB 5 and 6): a primitive is the box of a vertex
 * of the cloth, or of a face of a solid, over its motion. A cube around all primitives is divided at its center into
 * eight children again and again, until fewer than eight primitives are in one; a primitive belongs to every child that
 * it meets. Each child has the box of its primitives within it. Two trees are descended together, the larger box first.
 * (The source has a box in place of the cube. Its children would be as flat as cloth that lies on a floor, and each
 * primitive would be in both halves of every one of them.)
 *
 * Two primitives may meet in several pairs of children. They are reported in one of them, which contains the lowest
 * corner of the intersection of their boxes. The source divides without a limit; here a child that has as many
 * primitives as its parent is not divided, nor any once the tree has BUDGET items per primitive.
 *
 * Cloth against cloth, edges, and vertices of solids are no primitives of the source and are not found. Round shapes,
 * which have no faces, are tested against all faces of cloth. A tree is rebuilt when one of its primitives has moved.
 * Runs on one thread. */
#include "broad/overlap_query.h"

enum { CHILDREN = 8, FEW = 8, DEEPEST = 40, BUDGET = 16 };

/* The half-open region [lo, hi) of a node, and its box. */
typedef struct cell {
    float lo[3], hi[3];
    float box_lo[3], box_hi[3];
    int64_t first; /* item */
    int32_t count;
    int32_t child; /* the first of the children; 0: none */
    int32_t child_count, depth;
} cell;

typedef struct primitive {
    float lo[3], hi[3];
    int32_t leaf, corner; /* corner: of the leaf that owns a vertex; -1: the whole face */
} primitive;

typedef struct tree {
    MUS_ARRAY(primitive) primitives;
    int32_t listed; /* of the primitives, since the last refit */
    bool has_moved; /* one of those differs from the one that the tree was built with */
    MUS_ARRAY(cell) cells;
    MUS_ARRAY(int32_t) items;
} tree;

typedef struct octree {
    tree cloth, solids;
    bool is_current; /* built since the last refit */
    mus_pair_list batch;
} octree;

static void tree_free(tree *t) {
    mus_array_free(&t->primitives);
    mus_array_free(&t->cells);
    mus_array_free(&t->items);
}

/* ---- construction ---- */

static bool list_primitive(tree *t, const mus_swept_box *swept, int32_t leaf, int32_t corner) {
    float lo[4], hi[4];
    _mm_storeu_ps(lo, _mm_min_ps(swept->lo0, swept->lo1));
    _mm_storeu_ps(hi, _mm_max_ps(swept->hi0, swept->hi1));
    primitive now = {{lo[0], lo[1], lo[2]}, {hi[0], hi[1], hi[2]}, leaf, corner};
    int32_t k = t->listed++;
    if (k == t->primitives.count) {
        t->has_moved = true;
        return mus_array_push(&t->primitives, now);
    }
    primitive *old = &t->primitives.data[k];
    for (int axis = 0; axis < 3; axis++) t->has_moved |= old->lo[axis] != now.lo[axis] || old->hi[axis] != now.hi[axis];
    *old = now;
    return true;
}

/* The numbers of primitives depend on the meshes alone. */
static bool list_vertices(tree *t, const mus_broad_scene *scene) {
    for (int32_t k = 0; k < scene->cloth_leaf_count; k++)
        for (int c = 0; c < 3; c++) {
            if (!(scene->leaves[k].own & (unsigned)MUS_OWN_VERTEX << c)) continue;
            mus_swept_box box = mus_swept_box_unpack(&scene->vertex_box[scene->leaves[k].vertex[c]]);
            if (!list_primitive(t, &box, k, c)) return false;
        }
    return true;
}

static bool list_faces(tree *t, const mus_broad_scene *scene) {
    for (int32_t k = scene->cloth_leaf_count; k < scene->leaf_count; k++) {
        if (!scene->leaves[k].face) continue;
        mus_swept_box box = mus_broad_leaf_box(scene, k);
        if (!list_primitive(t, &box, k, -1)) return false;
    }
    return true;
}

/* Sets a cell's box to that of its primitives, within its region. */
static void fit(const tree *t, cell *c) {
    for (int axis = 0; axis < 3; axis++) {
        float lo = INFINITY, hi = -INFINITY;
        for (int64_t i = c->first; i < c->first + c->count; i++) {
            const primitive *p = &t->primitives.data[t->items.data[i]];
            lo = p->lo[axis] < lo ? p->lo[axis] : lo;
            hi = p->hi[axis] > hi ? p->hi[axis] : hi;
        }
        c->box_lo[axis] = lo > c->lo[axis] ? lo : c->lo[axis];
        c->box_hi[axis] = hi < c->hi[axis] ? hi : c->hi[axis];
    }
}

/* Returns whether the closed box of a primitive meets the region. */
static bool is_in(const primitive *p, const cell *c) {
    bool in = true;
    for (int axis = 0; axis < 3; axis++) in = in && p->hi[axis] >= c->lo[axis] && p->lo[axis] < c->hi[axis];
    return in;
}

/* The region of one of the eight children; false: it is empty, as the parent's can no longer be divided. */
static bool octant(const cell *parent, int which, cell *child) {
    *child = (cell){.depth = parent->depth + 1};
    for (int axis = 0; axis < 3; axis++) {
        float middle = 0.5F * parent->lo[axis] + 0.5F * parent->hi[axis];
        bool upper = which >> axis & 1;
        child->lo[axis] = upper ? middle : parent->lo[axis];
        child->hi[axis] = upper ? parent->hi[axis] : middle;
        if (!(child->lo[axis] < child->hi[axis])) return false;
    }
    return true;
}

/* Appends the children of a cell; without any of them if one has all of its primitives. */
static bool divide(tree *t, int32_t at) {
    int64_t items = t->items.count, cells = t->cells.count;
    bool useful = true;
    for (int which = 0; which < CHILDREN && useful; which++) {
        cell parent = t->cells.data[at], child;
        if (!octant(&parent, which, &child)) continue;
        child.first = t->items.count;
        for (int64_t i = parent.first; i < parent.first + parent.count; i++) {
            int32_t item = t->items.data[i];
            if (is_in(&t->primitives.data[item], &child) && !mus_array_push(&t->items, item)) return false;
        }
        child.count = (int32_t)(t->items.count - child.first);
        useful = child.count < parent.count;
        if (child.count == 0) continue;
        fit(t, &child);
        if (!mus_array_push(&t->cells, child)) return false;
    }
    if (!useful) t->items.count = items, t->cells.count = cells;
    t->cells.data[at].child_count = (int32_t)(t->cells.count - cells);
    t->cells.data[at].child = t->cells.count > cells ? (int32_t)cells : 0;
    return true;
}

/* Makes the region of the root a cube that contains its box, also at its upper ends. */
static void make_cube(cell *root) {
    float edge = 0;
    for (int axis = 0; axis < 3; axis++) edge = fmaxf(edge, root->box_hi[axis] - root->box_lo[axis]);
    for (int axis = 0; axis < 3; axis++) {
        root->lo[axis] = root->box_lo[axis];
        root->hi[axis] = fmaxf(root->lo[axis] + edge, nextafterf(root->box_hi[axis], INFINITY));
    }
}

/* Level by level, so that what the budget allows for is spread over the tree. */
static bool build(tree *t) {
    if (!t->has_moved) return true;
    t->cells.count = t->items.count = 0;
    cell root = {.count = (int32_t)t->primitives.count};
    for (int axis = 0; axis < 3; axis++) root.lo[axis] = -INFINITY, root.hi[axis] = INFINITY;
    for (int32_t k = 0; k < root.count; k++)
        if (!mus_array_push(&t->items, k)) return false;
    fit(t, &root);
    make_cube(&root);
    if (!mus_array_push(&t->cells, root)) return false;
    for (int32_t k = 0; k < t->cells.count && t->items.count < BUDGET * t->primitives.count; k++)
        if (t->cells.data[k].count >= FEW && t->cells.data[k].depth < DEEPEST && !divide(t, k)) return false;
    t->has_moved = false;
    return true;
}

static bool bring_up_to_date(octree *o, const mus_broad_scene *scene) {
    if (o->is_current) return true;
    o->cloth.listed = o->solids.listed = 0;
    o->is_current =
        list_vertices(&o->cloth, scene) && list_faces(&o->solids, scene) && build(&o->cloth) && build(&o->solids);
    return o->is_current;
}

/* ---- search ---- */

static bool overlap(const float *lo, const float *hi, const float *other_lo, const float *other_hi) {
    bool apart = false;
    for (int axis = 0; axis < 3; axis++) apart = apart || hi[axis] < other_lo[axis] || other_hi[axis] < lo[axis];
    return !apart;
}

static bool contains(const cell *c, const float *point) {
    bool in = true;
    for (int axis = 0; axis < 3; axis++) in = in && point[axis] >= c->lo[axis] && point[axis] < c->hi[axis];
    return in;
}

static void meet(const octree *o, const cell *a, const cell *b, mus_overlap_query *query) {
    for (int32_t i = 0; i < a->count; i++)
        for (int32_t j = 0; j < b->count; j++) {
            const primitive *p = &o->cloth.primitives.data[o->cloth.items.data[a->first + i]];
            const primitive *q = &o->solids.primitives.data[o->solids.items.data[b->first + j]];
            float lowest[3];
            mus_broad_count(query->scene, 1);
            if (!overlap(p->lo, p->hi, q->lo, q->hi)) continue;
            for (int axis = 0; axis < 3; axis++) lowest[axis] = p->lo[axis] > q->lo[axis] ? p->lo[axis] : q->lo[axis];
            if (contains(a, lowest) && contains(b, lowest))
                mus_overlap_query_vertex_face(query, p->leaf, p->corner, q->leaf);
        }
}

static double volume(const cell *c) {
    double product = 1;
    for (int axis = 0; axis < 3; axis++) product *= (double)c->box_hi[axis] - (double)c->box_lo[axis];
    return product;
}

static void descend(const octree *o, const cell *a, const cell *b, mus_overlap_query *query) {
    if (query->status != MUS_STATUS_OK) return;
    mus_broad_count(query->scene, 1);
    if (!overlap(a->box_lo, a->box_hi, b->box_lo, b->box_hi)) return;
    if (!a->child && !b->child) {
        meet(o, a, b, query);
    } else if (a->child && (!b->child || volume(a) >= volume(b))) {
        for (int32_t k = 0; k < a->child_count; k++) descend(o, &o->cloth.cells.data[a->child + k], b, query);
    } else {
        for (int32_t k = 0; k < b->child_count; k++) descend(o, a, &o->solids.cells.data[b->child + k], query);
    }
}

static void query_to_step(void *state, mus_overlap_query *query) {
    octree *o = state;
    const mus_broad_scene *scene = query->scene;
    if (!bring_up_to_date(o, scene)) {
        query->status = MUS_STATUS_NO_MEMORY;
        return;
    }
    if (o->cloth.cells.count && o->solids.cells.count)
        descend(o, &o->cloth.cells.data[0], &o->solids.cells.data[0], query);
    for (int32_t b = scene->cloth_leaf_count; b < scene->leaf_count; b++)
        for (int32_t a = 0; !scene->leaves[b].face && a < scene->cloth_leaf_count; a++)
            mus_overlap_query_leaves(query, a, b);
}

/* ---- the phase ---- */

static void octree_destroy(void *state) {
    octree *o = state;
    if (!o) return;
    tree_free(&o->cloth);
    tree_free(&o->solids);
    mus_array_free(&o->batch);
    mus_free(o);
}

static mus_status octree_create(const mus_broad_scene *scene, const v3 *x, void **state) {
    (void)scene, (void)x;
    *state = mus_new(sizeof(octree));
    return *state ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

static void octree_borrow(void *state, mus_lender *lender) {
    (void)state, (void)lender; /* the size of the trees depends on the positions: they keep arrays of their own */
}

static void octree_refit(void *state, const mus_broad_scene *scene) {
    octree *o = state;
    (void)scene;
    o->is_current = false;
}

static mus_status octree_pairs(void *state, const mus_broad_scene *scene, const mus_pair_sink *sink) {
    octree *o = state;
    return mus_overlap_query_pairs(o, query_to_step, scene, sink, &o->batch);
}

static mus_status octree_pairs_of(void *state, const mus_broad_scene *scene, const uint8_t *marked,
                                  mus_pair_list *pairs) {
    return mus_overlap_query_pairs_of(state, query_to_step, scene, marked, pairs);
}

const mus_broad_phase mus_broad_octree_source = {.name = "octree_source",
                                                 .create = octree_create,
                                                 .destroy = octree_destroy,
                                                 .refit = octree_refit,
                                                 .borrow = octree_borrow,
                                                 .pairs = octree_pairs,
                                                 .pairs_of = octree_pairs_of};
