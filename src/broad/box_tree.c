/* box_tree.c: trees of boxes over blocks of leaves with four children per node, one tree of the cloth and one of the
 * obstacles; split at medians of the centroids when built and refitted bottom-up at every step (Provot 1997, section
 * 2.1, with boxes of both step ends; four at a time as in Wald, Benthin & Boulos 2008). Where two blocks overlap, their
 * vertices, edges and faces are tested against each other row by row (block.h). */
#include "base/parallel.h"
#include "base/simd.h"
#include "broad/block.h"
#include "broad/median_split.h"

enum { WIDTH = 4, NONE = INT32_MIN };

typedef struct node {
    int32_t child[WIDTH]; /* >= 0: a node with a larger number than this one; else ~block, or NONE */
} node;

/* The boxes of a node's children, one per SIMD lane; a lane without a child overlaps nothing. */
typedef struct wide_box {
    __m128 lo0[3], hi0[3], lo1[3], hi1[3]; /* x y z */
} wide_box;

typedef struct tree {
    node *nodes;
    wide_box *boxes;      /* one per node; scratch from the lender */
    int32_t *leaves;      /* minus first_leaf, block by block */
    uint32_t *ways;       /* the leaves' paths down the tree, from bit 29 on: 0 for the lower half */
    int32_t *block_start; /* in leaves; block_count + 1 */
    int32_t count, block_count, first_leaf;
    int32_t root; /* encoded as a child; NONE: empty */
} tree;

/* Pairs of subtrees that together cover a traversal: the unit of parallel work, fixed when the tree is built. */
typedef struct task {
    int32_t a, b; /* encoded as children; the same node of the cloth twice: tested against itself */
    bool obstacle;
} task;

typedef struct box_tree {
    tree cloth, obstacle;
    MUS_ARRAY(task) tasks;
    int depth; /* levels of nodes above the tasks' subtrees of the cloth */
    mus_status status[MUS_BROAD_SLOTS];
    /* of the current traversal */
    const mus_broad_scene *scene;
    const mus_pair_sink *sink;
    int64_t first_task;
    const uint8_t *marked;
    mus_pair_list around[MUS_BROAD_SLOTS]; /* pairs of marked leaves, found by threads */
} box_tree;

/* ---- building ---- */

typedef struct builder {
    tree *t;          /* receives the leaves' order */
    const v3 *center; /* of the leaves */
    int block_level;
} builder;

/* Splits further, down to single leaves, and stores the path of each. */
static void order_leaves(builder *b, int32_t lo, int32_t hi, int level, uint32_t way) {
    if (hi - lo == 1) {
        b->t->ways[lo] = way;
        return;
    }
    int32_t middle = mus_median_split(b->t->leaves, b->center, lo, hi);
    order_leaves(b, lo, middle, level + 1, way);
    order_leaves(b, middle, hi, level + 1, way | (uint32_t)1 << (29 - level));
}

static bool is_block(const builder *b, int32_t lo, int32_t hi, int level) {
    return hi - lo == 1 || level >= b->block_level;
}

static int32_t build_block(builder *b, int32_t lo, int32_t hi, int level, uint32_t way) {
    tree *t = b->t;
    order_leaves(b, lo, hi, level, way);
    t->block_start[++t->block_count] = hi;
    return ~(t->block_count - 1);
}

static int32_t build_node(builder *b, int32_t lo, int32_t hi, int level, uint32_t way);

/* Half of a node: two of its children, or only the first of them if the half is a block. */
static void build_half(builder *b, int32_t lo, int32_t hi, int level, uint32_t way, int32_t child[2]) {
    child[0] = child[1] = NONE;
    if (is_block(b, lo, hi, level)) {
        child[0] = build_block(b, lo, hi, level, way);
        return;
    }
    int32_t middle = mus_median_split(b->t->leaves, b->center, lo, hi);
    child[0] = build_node(b, lo, middle, level + 1, way);
    child[1] = build_node(b, middle, hi, level + 1, way | (uint32_t)1 << (29 - level));
}

static int32_t build_node(builder *b, int32_t lo, int32_t hi, int level, uint32_t way) {
    if (is_block(b, lo, hi, level)) return build_block(b, lo, hi, level, way);
    int32_t me = b->t->count++, middle = mus_median_split(b->t->leaves, b->center, lo, hi), child[WIDTH];
    build_half(b, lo, middle, level + 1, way, child);
    build_half(b, middle, hi, level + 1, way | (uint32_t)1 << (29 - level), child + 2);
    memcpy(b->t->nodes[me].child, child, sizeof child);
    return me;
}

/* Builds a tree whose blocks all lie at one level, `least` or below, so that two trees are descended in step. */
static mus_status tree_build(tree *t, const mus_broad_scene *scene, const v3 *x, int32_t first, int32_t count,
                             int least) {
    *t = (tree){.first_leaf = first, .root = NONE};
    if (count == 0) return MUS_STATUS_OK;
    int level = least;
    while ((((int64_t)count - 1) >> level) + 1 > MUS_BLOCK_LEAVES) level++;
    int64_t blocks = (int64_t)1 << level;
    if (blocks > count) blocks = count;
    v3 *center = mus_new(sizeof *center * (size_t)count);
    t->leaves = mus_new(sizeof *t->leaves * (size_t)count);
    t->ways = mus_new(sizeof *t->ways * (size_t)count);
    t->block_start = mus_new(sizeof *t->block_start * ((size_t)blocks + 1));
    t->nodes = mus_new(sizeof *t->nodes * (size_t)blocks); /* each node splits, so there are fewer than blocks */
    bool made = center && t->leaves && t->ways && t->block_start && t->nodes;
    for (int32_t k = 0; made && k < count; k++) {
        const int32_t *v = scene->leaves[first + k].vertex;
        t->leaves[k] = k;
        center[k] = v3_scale(1.0 / 3, v3_add(v3_add(x[v[0]], x[v[1]]), x[v[2]]));
    }
    builder b = {t, center, level};
    if (made) t->root = build_node(&b, 0, count, 0, 0);
    mus_free(center);
    return made ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

static void tree_free(tree *t) {
    mus_free(t->nodes);
    mus_free(t->leaves);
    mus_free(t->ways);
    mus_free(t->block_start);
}

/* ---- refitting ---- */

/* Transposes one bound of four boxes to columns: x y z of each in, one lane of each out. */
static void columns(__m128 a, __m128 b, __m128 c, __m128 d, __m128 out[3]) {
    _MM_TRANSPOSE4_PS(a, b, c, d);
    out[0] = a, out[1] = b, out[2] = c;
}

static __m128 least(const __m128 column[3]) {
    __m128 a = column[0], b = column[1], c = column[2], d = c;
    _MM_TRANSPOSE4_PS(a, b, c, d);
    return _mm_min_ps(_mm_min_ps(a, b), _mm_min_ps(c, d));
}

static __m128 most(const __m128 column[3]) {
    __m128 a = column[0], b = column[1], c = column[2], d = c;
    _MM_TRANSPOSE4_PS(a, b, c, d);
    return _mm_max_ps(_mm_max_ps(a, b), _mm_max_ps(c, d));
}

static mus_swept_box block_box(const tree *t, int32_t block, const mus_broad_scene *scene) {
    int32_t k = t->block_start[block];
    mus_swept_box box = mus_broad_leaf_box(scene, t->first_leaf + t->leaves[k]);
    while (++k < t->block_start[block + 1]) {
        mus_swept_box next = mus_broad_leaf_box(scene, t->first_leaf + t->leaves[k]);
        box = mus_swept_box_join(&box, &next);
    }
    return box;
}

static mus_swept_box child_box(const tree *t, int32_t child, const mus_broad_scene *scene) {
    __m128 infinite = _mm_set1_ps(INFINITY), minus = _mm_set1_ps(-INFINITY);
    if (child == NONE) return (mus_swept_box){infinite, minus, infinite, minus};
    if (child < 0) return block_box(t, ~child, scene);
    const wide_box *n = &t->boxes[child];
    return (mus_swept_box){least(n->lo0), most(n->hi0), least(n->lo1), most(n->hi1)};
}

static void refit_node(const tree *t, int64_t k, const mus_broad_scene *scene) {
    mus_swept_box b[WIDTH];
    for (int c = 0; c < WIDTH; c++) b[c] = child_box(t, t->nodes[k].child[c], scene);
    wide_box *n = &t->boxes[k];
    columns(b[0].lo0, b[1].lo0, b[2].lo0, b[3].lo0, n->lo0);
    columns(b[0].hi0, b[1].hi0, b[2].hi0, b[3].hi0, n->hi0);
    columns(b[0].lo1, b[1].lo1, b[2].lo1, b[3].lo1, n->lo1);
    columns(b[0].hi1, b[1].hi1, b[2].hi1, b[3].hi1, n->hi1);
}

static bool is_lowest(const node *n) {
    return n->child[0] < 0 && n->child[1] < 0 && n->child[2] < 0 && n->child[3] < 0;
}

typedef struct refit_job {
    tree *t;
    const mus_broad_scene *scene;
} refit_job;

static void refit_lowest(void *context, int64_t begin, int64_t end, int64_t block) {
    const refit_job *job = context;
    (void)block;
    for (int64_t k = begin; k < end; k++)
        if (is_lowest(&job->t->nodes[k])) refit_node(job->t, k, job->scene);
}

static void tree_refit(tree *t, const mus_broad_scene *scene) {
    enum { BLOCK = 64 };
    refit_job job = {t, scene};
    mus_parallel_for(t->count < 4 * BLOCK ? 1 : scene->threads, t->count, BLOCK, refit_lowest, &job);
    for (int32_t k = t->count - 1; k >= 0; k--)
        if (!is_lowest(&t->nodes[k])) refit_node(t, k, scene);
}

/* ---- traversal ---- */

enum { WORTH_THREADS = 2048 }; /* leaves; below this number, waking threads costs more than they save */

/* A pair of nodes pushes up to 16 pairs in place of one, and trees of at most 2^31 leaves are 16 deep. */
enum { STACK = 512 };

static inline __m128 broadcast_lane(const __m128 *v, int k) {
    return _mm_load1_ps((const float *)v + k);
}

/* Copies one of the boxes, or a box, to all lanes. */
static inline void widen_child(const wide_box *n, int c, wide_box *w) {
    for (int k = 0; k < 3; k++) {
        w->lo0[k] = broadcast_lane(&n->lo0[k], c), w->hi0[k] = broadcast_lane(&n->hi0[k], c);
        w->lo1[k] = broadcast_lane(&n->lo1[k], c), w->hi1[k] = broadcast_lane(&n->hi1[k], c);
    }
}

static inline void widen_box(const mus_swept_box *b, wide_box *w) {
    for (int k = 0; k < 3; k++) {
        w->lo0[k] = broadcast_lane(&b->lo0, k), w->hi0[k] = broadcast_lane(&b->hi0, k);
        w->lo1[k] = broadcast_lane(&b->lo1, k), w->hi1[k] = broadcast_lane(&b->hi1, k);
    }
}

/* Returns the lanes that overlap, one bit each. */
static inline int overlaps(const wide_box *w, const wide_box *n) {
    __m128 apart = _mm_setzero_ps();
    for (int k = 0; k < 3; k++) {
        __m128 below = _mm_and_ps(_mm_cmplt_ps(w->hi0[k], n->lo0[k]), _mm_cmplt_ps(w->hi1[k], n->lo1[k]));
        __m128 above = _mm_and_ps(_mm_cmplt_ps(n->hi0[k], w->lo0[k]), _mm_cmplt_ps(n->hi1[k], w->lo1[k]));
        apart = _mm_or_ps(apart, _mm_or_ps(below, above));
    }
    return ~_mm_movemask_ps(apart) & 15;
}

typedef struct duel {
    int32_t a, b; /* encoded as children; their boxes overlap */
} duel;

/* Cache of recently used blocks, each at a place given by its number; a block overlaps about ten others, most of them
 * nearby. */
enum { CACHE = 64, QUEUE = 2 * MUS_BLOCK_PAIRS };

/* A task being run; its pairs are passed to the sink when the queue is full. */
typedef struct traversal {
    const mus_broad_scene *scene;
    const mus_pair_sink *sink;
    const tree *s, *t;
    mus_block_pairs *block_pairs;
    mus_status status; /* other than OK: the search stops */
    int slot, top, queued;
    int skip;  /* levels above the task's subtree of s */
    bool self; /* one subtree against itself */
    duel stack[STACK];
    mus_pair queue[QUEUE];
    const tree *cached[CACHE + 1]; /* the last entry is for a block whose place is taken by its partner */
    int32_t number[CACHE + 1];
    mus_block cache[CACHE + 1];
} traversal;

static inline void push(traversal *w, int32_t a, int32_t b) {
    w->stack[w->top++] = (duel){a, b};
}

static void hand_on(traversal *w) {
    if (w->queued && w->status == MUS_STATUS_OK)
        w->status = w->sink->take(w->sink->context, w->slot, w->queue, w->queued);
    w->queued = 0;
}

/* Returns a block from the cache, filled if necessary; never evicts `other`, unless it is the same block. */
static const mus_block *block_of(traversal *w, const tree *t, int32_t block, const mus_block *other) {
    uint32_t place = ((uint32_t)block + (t == w->s ? 0 : CACHE / 2)) % CACHE;
    if (w->cached[place] == t && w->number[place] == block) return &w->cache[place];
    if (other == &w->cache[place]) place = CACHE;
    w->cached[place] = t, w->number[place] = block;
    int32_t start = t->block_start[block];
    mus_block_fill(w->scene, t->first_leaf, t->leaves + start, t->ways + start, t == w->s ? w->skip : 0,
                   t->block_start[block + 1] - start, &w->cache[place]);
    return &w->cache[place];
}

static void find_block_pairs(traversal *w, int32_t a, int32_t b) {
    if (w->queued > QUEUE - MUS_BLOCK_PAIRS) hand_on(w);
    const mus_block *p = block_of(w, w->s, ~a, NULL);
    w->queued += w->block_pairs(w->scene, p, block_of(w, w->t, ~b, p), w->self, w->queue + w->queued);
}

/* Children of two nodes in the order of their halves, and within the halves again. */
static const uint8_t child_pairs[WIDTH * WIDTH][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3},
                                                      {2, 0}, {2, 1}, {3, 0}, {3, 1}, {2, 2}, {2, 3}, {3, 2}, {3, 3}};

static void visit_node_pair(traversal *w, int32_t a, int32_t b) {
    const node *m = &w->s->nodes[a], *n = &w->t->nodes[b];
    int hits[WIDTH] = {0};
    for (int i = 0; i < WIDTH; i++) {
        if (m->child[i] == NONE) continue;
        wide_box box;
        widen_child(&w->s->boxes[a], i, &box);
        hits[i] = overlaps(&box, &w->t->boxes[b]);
    }
    if (is_lowest(m) && is_lowest(n)) {
        for (int k = 0; k < WIDTH * WIDTH; k++) {
            int i = child_pairs[k][0], j = child_pairs[k][1];
            if (hits[i] >> j & 1) find_block_pairs(w, m->child[i], n->child[j]);
        }
        return;
    }
    for (int k = WIDTH * WIDTH - 1; k >= 0; k--) { /* the last one pushed is visited first */
        int i = child_pairs[k][0], j = child_pairs[k][1];
        if (hits[i] >> j & 1) push(w, m->child[i], n->child[j]);
    }
}

static void visit_block_and_node(traversal *w, int32_t a, int32_t b) {
    const tree *t = a < 0 ? w->t : w->s;
    int32_t inner = a < 0 ? b : a;
    mus_swept_box own = a < 0 ? block_box(w->s, ~a, w->scene) : block_box(w->t, ~b, w->scene);
    wide_box box;
    widen_box(&own, &box);
    int hits = overlaps(&box, &t->boxes[inner]);
    for (int j = WIDTH - 1; j >= 0; j--) {
        if (!(hits >> j & 1)) continue;
        int32_t child = t->nodes[inner].child[j];
        push(w, a < 0 ? a : child, a < 0 ? child : b);
    }
}

static void pair_down(traversal *w, int32_t a, int32_t b) {
    if (a == NONE || b == NONE) return;
    push(w, a, b);
    while (w->top && w->status == MUS_STATUS_OK) {
        duel d = w->stack[--w->top];
        if (d.a >= 0 && d.b >= 0)
            visit_node_pair(w, d.a, d.b);
        else if (d.a < 0 && d.b < 0)
            find_block_pairs(w, d.a, d.b);
        else
            visit_block_and_node(w, d.a, d.b);
    }
}

/* Two children of a node. */
static void visit_siblings(traversal *w, int32_t parent, int i, int j) {
    wide_box box;
    widen_child(&w->t->boxes[parent], i, &box);
    const int32_t *child = w->t->nodes[parent].child;
    if (overlaps(&box, &w->t->boxes[parent]) >> j & 1) pair_down(w, child[i], child[j]);
}

static void self_down(traversal *w, int32_t a) {
    if (a == NONE || w->status != MUS_STATUS_OK) return;
    if (a < 0) {
        find_block_pairs(w, a, a);
        return;
    }
    const int32_t *child = w->t->nodes[a].child;
    for (int half = 0; half < WIDTH; half += 2) {
        self_down(w, child[half]);
        self_down(w, child[half + 1]);
        visit_siblings(w, a, half, half + 1);
    }
    for (int i = 0; i < 2; i++)
        for (int j = 2; j < WIDTH; j++) visit_siblings(w, a, i, j);
}

/* ---- tasks ---- */

static bool add_task(box_tree *state, int32_t a, int32_t b, bool obstacle) {
    return a == NONE || b == NONE || mus_array_push(&state->tasks, ((task){a, b, obstacle}));
}

/* Divides the traversal into tasks by descending a few levels: their number and order depend on the scene alone. */
static bool cut_traversal(box_tree *state, int32_t a, int depth) {
    if (a == NONE) return true;
    if (depth == 0 || a < 0) return add_task(state, a, a, false) && add_task(state, a, state->obstacle.root, true);
    const node *n = &state->cloth.nodes[a];
    const int32_t *child = n->child;
    for (int half = 0; half < WIDTH; half += 2)
        if (!cut_traversal(state, child[half], depth - 1) || !cut_traversal(state, child[half + 1], depth - 1) ||
            !add_task(state, child[half], child[half + 1], false))
            return false;
    return add_task(state, child[0], child[2], false) && add_task(state, child[0], child[3], false) &&
           add_task(state, child[1], child[2], false) && add_task(state, child[1], child[3], false);
}

static void box_tree_destroy(void *pointer) {
    box_tree *state = pointer;
    if (!state) return;
    mus_array_free(&state->tasks);
    for (int k = 0; k < MUS_BROAD_SLOTS; k++) mus_array_free(&state->around[k]);
    tree_free(&state->cloth);
    tree_free(&state->obstacle);
    mus_free(state);
}

static void box_tree_borrow(void *pointer, mus_lender *lender) {
    box_tree *state = pointer;
    mus_lend(lender, &state->cloth.boxes, sizeof(wide_box) * (size_t)state->cloth.count);
    mus_lend(lender, &state->obstacle.boxes, sizeof(wide_box) * (size_t)state->obstacle.count);
}

static mus_status box_tree_create(const mus_broad_scene *scene, const v3 *x, void **out) {
    box_tree *state = mus_new(sizeof *state);
    *out = NULL;
    if (!state) return MUS_STATUS_NO_MEMORY;
    int32_t cloth = scene->cloth_leaf_count;
    state->depth = 2;
    while (cloth >> 2 * state->depth > 512) state->depth++; /* the pairs of one task are a small part of all */
    mus_status status = tree_build(&state->cloth, scene, x, 0, cloth, 2 * state->depth);
    if (status == MUS_STATUS_OK) status = tree_build(&state->obstacle, scene, x, cloth, scene->leaf_count - cloth, 0);
    if (status == MUS_STATUS_OK && !cut_traversal(state, state->cloth.root, state->depth))
        status = MUS_STATUS_NO_MEMORY;
    if (status == MUS_STATUS_OK)
        *out = state;
    else
        box_tree_destroy(state);
    return status;
}

static void box_tree_refit(void *pointer, const mus_broad_scene *scene) {
    box_tree *state = pointer;
    tree_refit(&state->cloth, scene);
    tree_refit(&state->obstacle, scene);
}

static void run_tasks(void *context, int64_t begin, int64_t end, int64_t block) {
    static mus_block_pairs *const block_pairs[MUS_SIMD_COUNT] = {mus_block_pairs_baseline, mus_block_pairs_avx2,
                                                                 mus_block_pairs_avx512};
    box_tree *state = context;
    (void)block;
    traversal w; /* large, so not zeroed: fields that are not set here are written before they are read */
    w.scene = state->scene, w.sink = state->sink, w.s = &state->cloth, w.block_pairs = block_pairs[mus_simd_level()];
    memset(w.cached, 0, sizeof w.cached);
    w.skip = 0;
    for (int64_t k = begin; k < end; k++) {
        const task *t = &state->tasks.data[state->first_task + k];
        w.t = t->obstacle ? &state->obstacle : &state->cloth;
        w.self = !t->obstacle && t->a == t->b;
        int skip = t->obstacle ? 2 * state->depth : 0;
        if (skip != w.skip) memset(w.cached, 0, sizeof w.cached); /* cached blocks store paths shifted by skip */
        w.skip = skip;
        w.status = MUS_STATUS_OK, w.slot = (int)k, w.top = w.queued = 0;
        if (w.self)
            self_down(&w, t->a);
        else
            pair_down(&w, t->a, t->b);
        hand_on(&w);
        if (w.status == MUS_STATUS_OK) w.status = w.sink->full(w.sink->context, w.slot);
        state->status[k] = w.status;
    }
}

static mus_status box_tree_pairs(void *pointer, const mus_broad_scene *scene, const mus_pair_sink *sink) {
    box_tree *state = pointer;
    state->scene = scene, state->sink = sink;
    int threads = scene->leaf_count < WORTH_THREADS ? 1 : scene->threads;
    for (int64_t first = 0; first < state->tasks.count; first += MUS_BROAD_SLOTS) {
        int64_t count = state->tasks.count - first < MUS_BROAD_SLOTS ? state->tasks.count - first : MUS_BROAD_SLOTS;
        state->first_task = first;
        mus_parallel_for(threads, count, 1, run_tasks, state);
        for (int64_t k = 0; k < count; k++)
            if (state->status[k] != MUS_STATUS_OK) return state->status[k];
        mus_status status = sink->gather(sink->context, (int)count);
        if (status != MUS_STATUS_OK) return status;
    }
    return MUS_STATUS_OK;
}

/* One leaf against a tree. A pair of two marked cloth leaves is found from the lower one only. */
static bool leaf_down(const tree *t, int32_t leaf, const mus_broad_scene *scene, const uint8_t *marked,
                      mus_pair_list *out) {
    if (t->root == NONE) return true;
    mus_swept_box own = mus_broad_leaf_box(scene, leaf);
    wide_box box;
    widen_box(&own, &box);
    int32_t stack[64], top = 0;
    stack[top++] = t->root;
    while (top) {
        int32_t p = stack[--top];
        if (p >= 0) {
            int hits = overlaps(&box, &t->boxes[p]);
            for (int j = 0; hits >> j; j++)
                if (hits >> j & 1) stack[top++] = t->nodes[p].child[j];
            continue;
        }
        for (int32_t k = t->block_start[~p + 1]; k-- > t->block_start[~p];) { /* last first, as on the stack */
            int32_t other = t->first_leaf + t->leaves[k];
            if (other == leaf || (marked[other] && other < leaf)) continue;
            mus_swept_box there = mus_broad_leaf_box(scene, other);
            if (mus_swept_box_overlap(&own, &there) && !mus_broad_leaf_pair(scene, leaf, other, out)) return false;
        }
    }
    return true;
}

static mus_status pairs_of_leaves(const box_tree *state, const mus_broad_scene *scene, const uint8_t *marked,
                                  int64_t begin, int64_t end, mus_pair_list *pairs) {
    for (int32_t leaf = (int32_t)begin; leaf < end; leaf++) {
        if (!marked[leaf]) continue;
        if (!leaf_down(&state->cloth, leaf, scene, marked, pairs)) return MUS_STATUS_NO_MEMORY;
        if (leaf < scene->cloth_leaf_count && !leaf_down(&state->obstacle, leaf, scene, marked, pairs))
            return MUS_STATUS_NO_MEMORY;
    }
    return MUS_STATUS_OK;
}

static void look_around_leaves(void *context, int64_t begin, int64_t end, int64_t block) {
    box_tree *state = context;
    state->around[block].count = 0;
    state->status[block] = pairs_of_leaves(state, state->scene, state->marked, begin, end, &state->around[block]);
}

static mus_status box_tree_pairs_of(void *pointer, const mus_broad_scene *scene, const uint8_t *marked,
                                    mus_pair_list *pairs) {
    enum { LEAST = 256 };
    box_tree *state = pointer;
    int64_t count = scene->leaf_count, size = (count - 1) / MUS_BROAD_SLOTS + 1;
    if (scene->threads < 2 || count < WORTH_THREADS) return pairs_of_leaves(state, scene, marked, 0, count, pairs);
    if (size < LEAST) size = LEAST;
    state->scene = scene, state->marked = marked;
    mus_parallel_for(scene->threads, count, size, look_around_leaves, state);
    for (int64_t k = 0, blocks = mus_parallel_blocks(count, size); k < blocks; k++) {
        const mus_pair_list *part = &state->around[k];
        if (state->status[k] != MUS_STATUS_OK) return state->status[k];
        if (!part->count) continue;
        if (!mus_array_reserve(pairs, pairs->count + part->count)) return MUS_STATUS_NO_MEMORY;
        memcpy(pairs->data + pairs->count, part->data, sizeof *part->data * (size_t)part->count);
        pairs->count += part->count;
    }
    return MUS_STATUS_OK;
}

const mus_broad_phase mus_broad_box_tree = {.name = "box_tree",
                                            .nested = true,
                                            .create = box_tree_create,
                                            .destroy = box_tree_destroy,
                                            .refit = box_tree_refit,
                                            .borrow = box_tree_borrow,
                                            .pairs = box_tree_pairs,
                                            .pairs_of = box_tree_pairs_of};
