/* box_tree.c: binary box trees over the leaves, one of the cloth and one of the obstacles, split at the median of the
 * centroids when built and refitted bottom-up at every step (Provot 1997, section 2.1, with boxes of both step ends).
 */
#include "base/parallel.h"
#include "broad/broad.h"

typedef struct node {
    int32_t right; /* the left child is the next node */
    int32_t leaf;  /* -1: inner */
} node;

typedef struct tree {
    node *nodes;
    mus_box *boxes;
    int32_t count, first_leaf;
} tree;

/* Pairs of subtrees that together cover a traversal: the unit of parallel work, fixed when the tree is built. */
typedef struct task {
    int32_t a, b; /* nodes; b < 0: a against itself */
    bool obstacle;
    mus_pair_list found;
    bool failed;
} task;

typedef struct box_tree {
    tree cloth, obstacle;
    MUS_ARRAY(task) tasks;
    const mus_broad_scene *scene; /* of the traversal under way */
} box_tree;

/* ---- building ---- */

typedef struct builder {
    tree *t;
    const v3 *centre; /* of leaves */
    int32_t *order;
} builder;

static double along(v3 a, int axis) {
    return v3_get(a, axis);
}

static bool before(const builder *b, int32_t p, int32_t q, int axis) {
    double cp = along(b->centre[p], axis), cq = along(b->centre[q], axis);
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

static int32_t build_node(builder *b, int32_t lo, int32_t hi) {
    int32_t me = b->t->count++;
    node *n = &b->t->nodes[me];
    if (hi - lo == 1) {
        *n = (node){-1, b->order[lo]};
        return me;
    }
    v3 least = b->centre[b->order[lo]], most = least;
    for (int32_t k = lo + 1; k < hi; k++) {
        v3 c = b->centre[b->order[k]];
        least = v3_make(fmin(least.x, c.x), fmin(least.y, c.y), fmin(least.z, c.z));
        most = v3_make(fmax(most.x, c.x), fmax(most.y, c.y), fmax(most.z, c.z));
    }
    v3 size = v3_sub(most, least);
    int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    int32_t middle = lo + (hi - lo) / 2;
    select_middle(b, lo, hi, middle, axis);
    build_node(b, lo, middle);
    int32_t right = build_node(b, middle, hi);
    b->t->nodes[me] = (node){right, -1};
    return me;
}

static mus_status tree_build(tree *t, const mus_broad_scene *scene, const v3 *x, int32_t first, int32_t count) {
    *t = (tree){.first_leaf = first};
    if (count == 0) return MUS_STATUS_OK;
    int32_t *order = mus_new(sizeof *order * (size_t)count);
    v3 *centre = mus_new(sizeof *centre * (size_t)count);
    t->nodes = mus_new(sizeof *t->nodes * (2 * (size_t)count - 1));
    t->boxes = mus_new(sizeof *t->boxes * (2 * (size_t)count - 1));
    mus_status status = order && centre && t->nodes && t->boxes ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
    if (status == MUS_STATUS_OK) {
        for (int32_t k = 0; k < count; k++) {
            const int32_t *v = scene->leaves[first + k].vertex;
            order[k] = k;
            centre[k] = v3_scale(1.0 / 3, v3_add(v3_add(x[v[0]], x[v[1]]), x[v[2]]));
        }
        builder b = {t, centre, order};
        build_node(&b, 0, count);
    }
    mus_free(order);
    mus_free(centre);
    return status;
}

static void tree_free(tree *t) {
    mus_free(t->nodes);
    mus_free(t->boxes);
}

static void tree_refit(tree *t, const mus_broad_scene *scene) {
    for (int32_t k = t->count - 1; k >= 0; k--) {
        const node *n = &t->nodes[k];
        t->boxes[k] = n->leaf >= 0 ? scene->leaf_box[t->first_leaf + n->leaf]
                                   : mus_box_join(&t->boxes[k + 1], &t->boxes[n->right]);
    }
}

/* ---- traversal ---- */

enum { WORTH_THREADS = 2048 }; /* leaves; below, waking threads costs more than they save */

enum { STACK = 512 }; /* two levels deeper a pair: 4 entries a level, trees of at most 2^31 leaves are 31 deep */

static bool pair_down(const tree *s, int32_t a, const tree *t, int32_t b, const mus_broad_scene *scene,
                      mus_pair_list *out) {
    struct {
        int32_t a, b;
    } stack[STACK];
    int top = 0;
    stack[top].a = a, stack[top++].b = b;
    while (top) {
        top--;
        int32_t p = stack[top].a, q = stack[top].b;
        if (!mus_box_overlap(&s->boxes[p], &t->boxes[q])) continue;
        const node *m = &s->nodes[p], *n = &t->nodes[q];
        if (m->leaf >= 0 && n->leaf >= 0) {
            if (!mus_broad_leaf_pair(scene, s->first_leaf + m->leaf, t->first_leaf + n->leaf, out)) return false;
        } else if (m->leaf >= 0) {
            stack[top].a = p, stack[top++].b = n->right;
            stack[top].a = p, stack[top++].b = q + 1;
        } else if (n->leaf >= 0) {
            stack[top].a = m->right, stack[top++].b = q;
            stack[top].a = p + 1, stack[top++].b = q;
        } else {
            stack[top].a = m->right, stack[top++].b = n->right;
            stack[top].a = m->right, stack[top++].b = q + 1;
            stack[top].a = p + 1, stack[top++].b = n->right;
            stack[top].a = p + 1, stack[top++].b = q + 1;
        }
    }
    return true;
}

static bool self_down(const tree *t, int32_t a, const mus_broad_scene *scene, mus_pair_list *out) {
    const node *n = &t->nodes[a];
    if (n->leaf >= 0) return true;
    return self_down(t, a + 1, scene, out) && self_down(t, n->right, scene, out) &&
           pair_down(t, a + 1, t, n->right, scene, out);
}

static bool add_task(box_tree *state, int32_t a, int32_t b, bool obstacle) {
    return mus_array_push(&state->tasks, ((task){.a = a, .b = b, .obstacle = obstacle}));
}

/* Cuts the traversal into tasks by descending a few levels: their number and order depend on the scene alone. */
static bool cut(box_tree *state, int32_t a, int depth) {
    const node *n = &state->cloth.nodes[a];
    if (depth == 0 || n->leaf >= 0)
        return add_task(state, a, -1, false) && (!state->obstacle.count || add_task(state, a, 0, true));
    return cut(state, a + 1, depth - 1) && cut(state, n->right, depth - 1) && add_task(state, a + 1, n->right, false);
}

static void box_tree_destroy(void *pointer) {
    box_tree *state = pointer;
    if (!state) return;
    for (int64_t k = 0; k < state->tasks.count; k++) mus_array_free(&state->tasks.data[k].found);
    mus_array_free(&state->tasks);
    tree_free(&state->cloth);
    tree_free(&state->obstacle);
    mus_free(state);
}

static mus_status box_tree_create(const mus_broad_scene *scene, const v3 *x, void **out) {
    box_tree *state = mus_new(sizeof *state);
    *out = NULL;
    if (!state) return MUS_STATUS_NO_MEMORY;
    int32_t cloth = scene->cloth_leaf_count;
    mus_status status = tree_build(&state->cloth, scene, x, 0, cloth);
    if (status == MUS_STATUS_OK) status = tree_build(&state->obstacle, scene, x, cloth, scene->leaf_count - cloth);
    if (status == MUS_STATUS_OK && cloth && !cut(state, 0, 4)) status = MUS_STATUS_NO_MEMORY;
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
        task *t = &state->tasks.data[k];
        t->found.count = 0;
        if (t->b < 0)
            t->failed = !self_down(&state->cloth, t->a, state->scene, &t->found);
        else
            t->failed = !pair_down(&state->cloth, t->a, t->obstacle ? &state->obstacle : &state->cloth, t->b,
                                   state->scene, &t->found);
    }
}

static mus_status box_tree_pairs(void *pointer, const mus_broad_scene *scene, mus_pair_list *pairs) {
    box_tree *state = pointer;
    state->scene = scene;
    int threads = scene->leaf_count < WORTH_THREADS ? 1 : scene->threads;
    mus_parallel_for(threads, state->tasks.count, 1, run_tasks, state);
    int64_t total = pairs->count;
    for (int64_t k = 0; k < state->tasks.count; k++) {
        if (state->tasks.data[k].failed) return MUS_STATUS_NO_MEMORY;
        total += state->tasks.data[k].found.count;
    }
    if (!mus_array_reserve(pairs, total)) return MUS_STATUS_NO_MEMORY;
    for (int64_t k = 0; k < state->tasks.count; k++) {
        const mus_pair_list *found = &state->tasks.data[k].found;
        if (found->count) memcpy(pairs->data + pairs->count, found->data, sizeof *found->data * (size_t)found->count);
        pairs->count += found->count;
    }
    return MUS_STATUS_OK;
}

/* One leaf against a tree. A pair of two marked cloth leaves is found from the lower one only. */
static bool leaf_down(const tree *t, int32_t leaf, const mus_broad_scene *scene, const uint8_t *marked,
                      mus_pair_list *out) {
    if (!t->count) return true;
    const mus_box *box = &scene->leaf_box[leaf];
    int32_t stack[64], top = 0;
    stack[top++] = 0;
    while (top) {
        int32_t p = stack[--top];
        if (!mus_box_overlap(&t->boxes[p], box)) continue;
        const node *n = &t->nodes[p];
        if (n->leaf < 0) {
            stack[top++] = n->right;
            stack[top++] = p + 1;
            continue;
        }
        int32_t other = t->first_leaf + n->leaf;
        if (other == leaf || (marked[other] && other < leaf)) continue;
        if (!mus_broad_leaf_pair(scene, leaf, other, out)) return false;
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

const mus_broad_phase mus_broad_box_tree = {"box_tree",     box_tree_create, box_tree_destroy,
                                            box_tree_refit, box_tree_pairs,  box_tree_pairs_of};
