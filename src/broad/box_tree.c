/* box_tree.c: trees of boxes over the leaves, four children a node, one tree of the cloth and one of the obstacles;
 * split at medians of the centroids when built and refitted bottom-up at every step (Provot 1997, section 2.1, with
 * boxes of both step ends; four at a time as in Wald, Benthin & Boulos 2008). The leaves' own boxes are those of the
 * lowest nodes, kept once. */
#include "base/parallel.h"
#include "broad/broad.h"

enum { WIDTH = 4, NONE = INT32_MIN };

typedef struct node {
    int32_t child[WIDTH]; /* >= 0: a node, behind this one; else ~leaf, or NONE */
} node;

/* Four boxes side by side, a lane each: those of a node's children; a lane without a child overlaps nothing. */
typedef struct wide_box {
    __m128 lo0[3], hi0[3], lo1[3], hi1[3]; /* x y z */
} wide_box;

typedef struct tree {
    node *nodes;
    wide_box *boxes; /* one a node; lent */
    int32_t count, first_leaf;
    int32_t root; /* as a child; NONE: empty */
} tree;

/* Pairs of subtrees that together cover a traversal: the unit of parallel work, fixed when the tree is built. */
typedef struct task {
    int32_t a, b; /* as children; the same node of the cloth twice: it against itself */
    bool obstacle;
} task;

enum { TASKS = 32 }; /* run before their pairs are handed on: bounds what is held at a time */

typedef struct box_tree {
    tree cloth, obstacle;
    MUS_ARRAY(task) tasks;
    mus_pair_list found[TASKS];
    bool failed[TASKS];
    /* of the traversal under way */
    const mus_broad_scene *scene;
    int64_t first_task;
} box_tree;

/* ---- building ---- */

typedef struct builder {
    tree *t;
    const v3 *centre; /* of leaves */
    int32_t *order;
} builder;

static bool before(const builder *b, int32_t p, int32_t q, int axis) {
    double cp = v3_get(b->centre[p], axis), cq = v3_get(b->centre[q], axis);
    return cp != cq ? cp < cq : p < q; /* a total order: the tree is the same everywhere */
}

static void swap(int32_t *a, int32_t *b) {
    int32_t t = *a;
    *a = *b;
    *b = t;
}

/* Quickselect: afterwards order[middle] splits [lo, hi) along the axis. */
static void select_middle(const builder *b, int32_t lo, int32_t hi, int32_t middle, int axis) {
    int32_t *order = b->order;
    while (hi - lo > 1) {
        int32_t last = hi - 1, m = lo + (last - lo) / 2; /* never the last: each round gets shorter */
        if (before(b, order[m], order[lo], axis)) swap(&order[m], &order[lo]);
        if (before(b, order[last], order[lo], axis)) swap(&order[last], &order[lo]);
        if (before(b, order[last], order[m], axis)) swap(&order[last], &order[m]);
        int32_t pivot = order[m], i = lo - 1, j = hi;
        for (;;) {
            do i++;
            while (before(b, order[i], pivot, axis));
            do j--;
            while (before(b, pivot, order[j], axis));
            if (i >= j) break;
            swap(&order[i], &order[j]);
        }
        if (middle <= j)
            hi = j + 1;
        else
            lo = j + 1;
    }
}

static int longest_axis(const builder *b, int32_t lo, int32_t hi) {
    v3 least = b->centre[b->order[lo]], most = least;
    for (int32_t k = lo + 1; k < hi; k++) {
        v3 c = b->centre[b->order[k]];
        least = v3_make(fmin(least.x, c.x), fmin(least.y, c.y), fmin(least.z, c.z));
        most = v3_make(fmax(most.x, c.x), fmax(most.y, c.y), fmax(most.z, c.z));
    }
    v3 size = v3_sub(most, least);
    return size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
}

/* Puts the lower half of [lo, hi) along its longest axis first. */
static int32_t halve(const builder *b, int32_t lo, int32_t hi) {
    int32_t middle = lo + (hi - lo) / 2;
    if (hi - lo > 1) select_middle(b, lo, hi, middle, longest_axis(b, lo, hi));
    return middle;
}

/* Lanes 0 and 1 are the halves of the lower half, 2 and 3 those of the upper; a half of one leaf is the first of its
 * two lanes. */
static int32_t build_node(builder *b, int32_t lo, int32_t hi) {
    if (lo == hi) return NONE;
    if (hi - lo == 1) return ~b->order[lo];
    int32_t me = b->t->count++, middle = halve(b, lo, hi), low = halve(b, lo, middle), high = halve(b, middle, hi);
    if (low == lo) low = middle;
    if (high == middle) high = hi;
    const int32_t ends[WIDTH + 1] = {lo, low, middle, high, hi};
    for (int c = 0; c < WIDTH; c++) {
        int32_t child = build_node(b, ends[c], ends[c + 1]);
        b->t->nodes[me].child[c] = child;
    }
    return me;
}

/* Nodes of a tree over so many leaves. */
static int32_t node_count(int32_t leaves) {
    if (leaves < 2) return 0;
    int32_t low = leaves / 2, high = leaves - low;
    return 1 + node_count(low / 2) + node_count(low - low / 2) + node_count(high / 2) + node_count(high - high / 2);
}

static mus_status tree_build(tree *t, const mus_broad_scene *scene, const v3 *x, int32_t first, int32_t count) {
    *t = (tree){.first_leaf = first, .root = NONE};
    if (count == 0) return MUS_STATUS_OK;
    int32_t *order = mus_new(sizeof *order * (size_t)count);
    v3 *centre = mus_new(sizeof *centre * (size_t)count);
    t->nodes = mus_new(sizeof *t->nodes * ((size_t)node_count(count) + 1));
    mus_status status = order && centre && t->nodes ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
    if (status == MUS_STATUS_OK) {
        for (int32_t k = 0; k < count; k++) {
            const int32_t *v = scene->leaves[first + k].vertex;
            order[k] = k;
            centre[k] = v3_scale(1.0 / 3, v3_add(v3_add(x[v[0]], x[v[1]]), x[v[2]]));
        }
        builder b = {t, centre, order};
        t->root = build_node(&b, 0, count);
    }
    mus_free(order);
    mus_free(centre);
    return status;
}

/* ---- refitting ---- */

/* Rows of four boxes to columns, or back: x y z of each in, one lane of each out. */
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

static mus_box child_box(const tree *t, int32_t child, const mus_broad_scene *scene) {
    __m128 infinite = _mm_set1_ps(INFINITY), minus = _mm_set1_ps(-INFINITY);
    if (child == NONE) return (mus_box){infinite, minus, infinite, minus};
    if (child < 0) return mus_broad_leaf_box(scene, t->first_leaf + ~child);
    const wide_box *n = &t->boxes[child];
    return (mus_box){least(n->lo0), most(n->hi0), least(n->lo1), most(n->hi1)};
}

static void refit_node(const tree *t, int64_t k, const mus_broad_scene *scene) {
    mus_box b[WIDTH];
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
    enum { BLOCK = 2048 };
    refit_job job = {t, scene};
    mus_parallel_for(t->count < 8 * BLOCK ? 1 : scene->threads, t->count, BLOCK, refit_lowest, &job);
    for (int32_t k = t->count - 1; k >= 0; k--)
        if (!is_lowest(&t->nodes[k])) refit_node(t, k, scene);
}

/* ---- traversal ---- */

enum { WORTH_THREADS = 2048 }; /* leaves; below, waking threads costs more than they save */

/* A pair of nodes gives up to 16 pairs for one, and trees of at most 2^31 leaves are 16 deep. */
enum { STACK = 512 };

static inline __m128 lane(const __m128 *v, int k) {
    return _mm_load1_ps((const float *)v + k);
}

/* One of the boxes, or a box, in all lanes. */
static inline void widen_child(const wide_box *n, int c, wide_box *w) {
    for (int k = 0; k < 3; k++) {
        w->lo0[k] = lane(&n->lo0[k], c), w->hi0[k] = lane(&n->hi0[k], c);
        w->lo1[k] = lane(&n->lo1[k], c), w->hi1[k] = lane(&n->hi1[k], c);
    }
}

static inline void widen(const mus_box *b, wide_box *w) {
    for (int k = 0; k < 3; k++) {
        w->lo0[k] = lane(&b->lo0, k), w->hi0[k] = lane(&b->hi0, k);
        w->lo1[k] = lane(&b->lo1, k), w->hi1[k] = lane(&b->hi1, k);
    }
}

/* Which lanes overlap: a bit each. */
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
    int32_t a, b; /* as children; their boxes overlap */
} duel;

typedef struct traversal {
    const mus_broad_scene *scene;
    const tree *s, *t;
    mus_pair_list *out;
    duel stack[STACK];
    int top;
} traversal;

static inline void push(traversal *w, int32_t a, int32_t b) {
    w->stack[w->top++] = (duel){a, b};
}

static inline bool leaves_meet(const traversal *w, int32_t a, int32_t b) {
    return mus_broad_leaf_pair(w->scene, w->s->first_leaf + ~a, w->t->first_leaf + ~b, w->out);
}

/* Lanes of two nodes in the order in which halves meet halves, and within those again. */
static const uint8_t lanes[WIDTH * WIDTH][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3},
                                                {2, 0}, {2, 1}, {3, 0}, {3, 1}, {2, 2}, {2, 3}, {3, 2}, {3, 3}};

static bool nodes_meet(traversal *w, int32_t a, int32_t b) {
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
            int i = lanes[k][0], j = lanes[k][1];
            if ((hits[i] >> j & 1) && !leaves_meet(w, m->child[i], n->child[j])) return false;
        }
        return true;
    }
    for (int k = WIDTH * WIDTH - 1; k >= 0; k--) { /* what is pushed last comes first */
        int i = lanes[k][0], j = lanes[k][1];
        if (hits[i] >> j & 1) push(w, m->child[i], n->child[j]);
    }
    return true;
}

static void leaf_meets_node(traversal *w, int32_t a, int32_t b) {
    int32_t leaf = a < 0 ? w->s->first_leaf + ~a : w->t->first_leaf + ~b;
    const tree *t = a < 0 ? w->t : w->s;
    int32_t inner = a < 0 ? b : a;
    mus_box own = mus_broad_leaf_box(w->scene, leaf);
    wide_box box;
    widen(&own, &box);
    int hits = overlaps(&box, &t->boxes[inner]);
    for (int j = WIDTH - 1; j >= 0; j--) {
        if (!(hits >> j & 1)) continue;
        int32_t child = t->nodes[inner].child[j];
        push(w, a < 0 ? a : child, a < 0 ? child : b);
    }
}

static bool drain(traversal *w) {
    while (w->top) {
        duel d = w->stack[--w->top];
        if (d.a >= 0 && d.b >= 0) {
            if (!nodes_meet(w, d.a, d.b)) return false;
        } else if (d.a < 0 && d.b < 0) {
            if (!leaves_meet(w, d.a, d.b)) return false;
        } else {
            leaf_meets_node(w, d.a, d.b);
        }
    }
    return true;
}

static bool pair_down(const tree *s, int32_t a, const tree *t, int32_t b, const mus_broad_scene *scene,
                      mus_pair_list *out) {
    if (a == NONE || b == NONE) return true;
    traversal w;
    w.scene = scene, w.s = s, w.t = t, w.out = out, w.top = 0;
    if (a < 0 && b < 0) {
        mus_box p = mus_broad_leaf_box(scene, s->first_leaf + ~a), q = mus_broad_leaf_box(scene, t->first_leaf + ~b);
        return !mus_box_overlap(&p, &q) || leaves_meet(&w, a, b);
    }
    push(&w, a, b);
    return drain(&w);
}

static bool self_down(const tree *t, int32_t a, const mus_broad_scene *scene, mus_pair_list *out);

/* Two children of a node. */
static bool siblings_meet(const tree *t, int32_t parent, int i, int j, const mus_broad_scene *scene,
                          mus_pair_list *out) {
    wide_box box;
    widen_child(&t->boxes[parent], i, &box);
    const int32_t *child = t->nodes[parent].child;
    return !(overlaps(&box, &t->boxes[parent]) >> j & 1) || pair_down(t, child[i], t, child[j], scene, out);
}

static bool self_down(const tree *t, int32_t a, const mus_broad_scene *scene, mus_pair_list *out) {
    if (a < 0) return true;
    const int32_t *child = t->nodes[a].child;
    for (int half = 0; half < WIDTH; half += 2)
        if (!self_down(t, child[half], scene, out) || !self_down(t, child[half + 1], scene, out) ||
            !siblings_meet(t, a, half, half + 1, scene, out))
            return false;
    return siblings_meet(t, a, 0, 2, scene, out) && siblings_meet(t, a, 0, 3, scene, out) &&
           siblings_meet(t, a, 1, 2, scene, out) && siblings_meet(t, a, 1, 3, scene, out);
}

static bool add_task(box_tree *state, int32_t a, int32_t b, bool obstacle) {
    return a == NONE || b == NONE || mus_array_push(&state->tasks, ((task){a, b, obstacle}));
}

/* Cuts the traversal into tasks by descending a few levels: their number and order depend on the scene alone. */
static bool cut(box_tree *state, int32_t a, int depth) {
    if (a == NONE) return true;
    if (depth == 0 || a < 0) return add_task(state, a, a, false) && add_task(state, a, state->obstacle.root, true);
    const node *n = &state->cloth.nodes[a];
    const int32_t *child = n->child;
    for (int half = 0; half < WIDTH; half += 2)
        if (!cut(state, child[half], depth - 1) || !cut(state, child[half + 1], depth - 1) ||
            !add_task(state, child[half], child[half + 1], false))
            return false;
    return add_task(state, child[0], child[2], false) && add_task(state, child[0], child[3], false) &&
           add_task(state, child[1], child[2], false) && add_task(state, child[1], child[3], false);
}

static void box_tree_destroy(void *pointer) {
    box_tree *state = pointer;
    if (!state) return;
    for (int k = 0; k < TASKS; k++) mus_array_free(&state->found[k]);
    mus_array_free(&state->tasks);
    mus_free(state->cloth.nodes);
    mus_free(state->obstacle.nodes);
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
    mus_status status = tree_build(&state->cloth, scene, x, 0, cloth);
    if (status == MUS_STATUS_OK) status = tree_build(&state->obstacle, scene, x, cloth, scene->leaf_count - cloth);
    int depth = 2;
    while (cloth >> 2 * depth > 512) depth++; /* the pairs of a few tasks are a small part of all */
    if (status == MUS_STATUS_OK && !cut(state, state->cloth.root, depth)) status = MUS_STATUS_NO_MEMORY;
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
    box_tree *state = context;
    (void)block;
    for (int64_t k = begin; k < end; k++) {
        const task *t = &state->tasks.data[state->first_task + k];
        mus_pair_list *found = &state->found[k];
        found->count = 0;
        if (!t->obstacle && t->a == t->b)
            state->failed[k] = !self_down(&state->cloth, t->a, state->scene, found);
        else
            state->failed[k] = !pair_down(&state->cloth, t->a, t->obstacle ? &state->obstacle : &state->cloth, t->b,
                                          state->scene, found);
    }
}

static mus_status box_tree_pairs(void *pointer, const mus_broad_scene *scene, const mus_pair_sink *sink) {
    box_tree *state = pointer;
    state->scene = scene;
    int threads = scene->leaf_count < WORTH_THREADS ? 1 : scene->threads;
    for (int64_t first = 0; first < state->tasks.count; first += TASKS) {
        int64_t count = state->tasks.count - first < TASKS ? state->tasks.count - first : TASKS;
        state->first_task = first;
        mus_parallel_for(threads, count, 1, run_tasks, state);
        for (int64_t k = 0; k < count; k++) {
            if (state->failed[k]) return MUS_STATUS_NO_MEMORY;
            const mus_pair_list *found = &state->found[k];
            mus_status status = found->count ? sink->take(sink->context, found->data, found->count) : MUS_STATUS_OK;
            if (status != MUS_STATUS_OK) return status;
        }
    }
    return MUS_STATUS_OK;
}

/* One leaf against a tree. A pair of two marked cloth leaves is found from the lower one only. */
static bool leaf_down(const tree *t, int32_t leaf, const mus_broad_scene *scene, const uint8_t *marked,
                      mus_pair_list *out) {
    if (t->root == NONE) return true;
    mus_box own = mus_broad_leaf_box(scene, leaf);
    wide_box box;
    widen(&own, &box);
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
        int32_t other = t->first_leaf + ~p;
        if (other == leaf || (marked[other] && other < leaf)) continue;
        mus_box there = mus_broad_leaf_box(scene, other); /* of a tree of one leaf, nobody has looked at it */
        if (mus_box_overlap(&own, &there) && !mus_broad_leaf_pair(scene, leaf, other, out)) return false;
    }
    return true;
}

static mus_status box_tree_pairs_of(void *pointer, const mus_broad_scene *scene, const uint8_t *marked,
                                    mus_pair_list *pairs) {
    box_tree *state = pointer;
    for (int32_t leaf = 0; leaf < scene->leaf_count; leaf++) {
        if (!marked[leaf]) continue;
        if (!leaf_down(&state->cloth, leaf, scene, marked, pairs)) return MUS_STATUS_NO_MEMORY;
        if (leaf < scene->cloth_leaf_count && !leaf_down(&state->obstacle, leaf, scene, marked, pairs))
            return MUS_STATUS_NO_MEMORY;
    }
    return MUS_STATUS_OK;
}

const mus_broad_phase mus_broad_box_tree = {.name = "box_tree",
                                            .create = box_tree_create,
                                            .destroy = box_tree_destroy,
                                            .refit = box_tree_refit,
                                            .borrow = box_tree_borrow,
                                            .pairs = box_tree_pairs,
                                            .pairs_of = box_tree_pairs_of};
