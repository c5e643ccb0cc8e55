/* audit_tree.c: top-down box tree, split in the middle of the centers' extent; simple, so that it can be trusted. */
#include "narrow/audit_tree.h"

enum { LEAF = 4, EVEN_DEPTH = 40 };

static double center_along(const mus_box *box, int k) { /* halves first: the sum must not overflow */
    return 0.5 * box->lo[k] + 0.5 * box->hi[k];
}

/* Splits the positions [first, first + count) and returns the size of the left part, 1 .. count-1. */
static int32_t split(mus_audit_tree *tree, int32_t first, int32_t count, int depth) {
    mus_box centers = mus_box_empty();
    for (int32_t i = first; i < first + count; i++)
        for (int k = 0; k < 3; k++) {
            double c = center_along(&tree->boxes[i], k);
            mus_box_grow_along(&centers, k, c, c);
        }
    int axis = mus_box_longest_axis(&centers);
    double middle = center_along(&centers, axis);

    int32_t i = first, j = first + count - 1;
    while (i <= j) {
        if (center_along(&tree->boxes[i], axis) < middle) {
            i++;
            continue;
        }
        mus_box box = tree->boxes[i];
        int32_t face = tree->order[i];
        tree->boxes[i] = tree->boxes[j], tree->order[i] = tree->order[j];
        tree->boxes[j] = box, tree->order[j] = face;
        j--;
    }
    int32_t left = i - first;
    /* At great depth, and where all centers coincide, splitting by number bounds the depth. */
    return left == 0 || left == count || depth > EVEN_DEPTH ? count / 2 : left;
}

static bool reserve(mus_audit_tree *tree, int32_t count) {
    if (count <= tree->node_capacity) return true;
    int32_t capacity = tree->node_capacity + tree->node_capacity / 2;
    if (capacity < count) capacity = count;
    mus_audit_node *nodes = mus_resize(tree->nodes, sizeof *nodes * (size_t)capacity);
    if (nodes) tree->nodes = nodes, tree->node_capacity = capacity;
    return nodes != NULL;
}

static bool build_node(mus_audit_tree *tree, int32_t index, int32_t first, int32_t count, int depth) {
    mus_audit_node node = {.box = tree->boxes[first], .first = first, .count = count, .child = -1};
    for (int32_t i = first + 1; i < first + count; i++) mus_box_join(&node.box, &tree->boxes[i]);
    if (count > LEAF) node.child = tree->node_count;
    tree->nodes[index] = node;
    if (count <= LEAF) return true;
    if (!reserve(tree, tree->node_count + 2)) return false;
    int32_t left = split(tree, first, count, depth);
    tree->node_count += 2;
    return build_node(tree, node.child, first, left, depth + 1) &&
           build_node(tree, node.child + 1, first + left, count - left, depth + 1);
}

mus_status mus_audit_tree_build(const double *vertices, const int32_t *faces, int32_t face_count,
                                mus_audit_tree *tree) {
    *tree = (mus_audit_tree){0};
    if (face_count <= 0) return MUS_STATUS_OK;
    size_t n = (size_t)face_count;
    bool room = reserve(tree, face_count); /* usually enough: leaves have two or three faces */
    tree->boxes = mus_new(n * sizeof *tree->boxes);
    tree->order = mus_new(n * sizeof *tree->order);
    if (!room || !tree->boxes || !tree->order) {
        mus_audit_tree_free(tree);
        return MUS_STATUS_NO_MEMORY;
    }
    for (int32_t f = 0; f < face_count; f++) {
        tree->boxes[f] = mus_box_empty();
        for (int k = 0; k < 3; k++) mus_box_grow(&tree->boxes[f], v3_load(vertices + 3 * (size_t)faces[3 * f + k]), 0);
        tree->order[f] = f;
    }
    tree->face_count = face_count;
    tree->node_count = 1;
    if (build_node(tree, 0, 0, face_count, 0)) return MUS_STATUS_OK;
    mus_audit_tree_free(tree);
    return MUS_STATUS_NO_MEMORY;
}

void mus_audit_tree_free(mus_audit_tree *tree) {
    mus_free(tree->nodes);
    mus_free(tree->boxes);
    mus_free(tree->order);
    *tree = (mus_audit_tree){0};
}

typedef struct walk {
    const mus_audit_tree *a, *b;
    mus_audit_visit visit;
    void *context;
} walk;

static mus_status visit_leaves(const walk *w, const mus_audit_node *p, const mus_audit_node *q, bool same) {
    for (int32_t i = p->first; i < p->first + p->count; i++)
        for (int32_t j = same ? i + 1 : q->first; j < q->first + q->count; j++) {
            if (mus_box_apart(&w->a->boxes[i], &w->b->boxes[j])) continue;
            mus_status status = w->visit(w->context, w->a->order[i], w->b->order[j]);
            if (status != MUS_STATUS_OK) return status;
        }
    return MUS_STATUS_OK;
}

/* Returns whether the traversal descends the first of two nodes rather than the second. */
static bool descends_first(const mus_audit_node *p, const mus_audit_node *q) {
    return q->child < 0 || (p->child >= 0 && p->count >= q->count);
}

static mus_status walk_pair(const walk *w, int32_t ia, int32_t ib) {
    const mus_audit_node *p = &w->a->nodes[ia], *q = &w->b->nodes[ib];
    if (mus_box_apart(&p->box, &q->box)) return MUS_STATUS_OK;
    if (p->child < 0 && q->child < 0) return visit_leaves(w, p, q, false);
    bool first = descends_first(p, q);
    for (int k = 0; k < 2; k++) {
        mus_status status = first ? walk_pair(w, p->child + k, ib) : walk_pair(w, ia, q->child + k);
        if (status != MUS_STATUS_OK) return status;
    }
    return MUS_STATUS_OK;
}

static mus_status walk_self(const walk *w, int32_t index) {
    const mus_audit_node *p = &w->a->nodes[index];
    if (p->child < 0) return visit_leaves(w, p, p, true);
    mus_status status = walk_self(w, p->child);
    if (status == MUS_STATUS_OK) status = walk_self(w, p->child + 1);
    if (status == MUS_STATUS_OK) status = walk_pair(w, p->child, p->child + 1);
    return status;
}

mus_status mus_audit_tree_pairs(const mus_audit_tree *a, const mus_audit_tree *b, mus_audit_visit visit,
                                void *context) {
    if (a->node_count == 0 || b->node_count == 0) return MUS_STATUS_OK;
    return mus_audit_part_pairs(a, b, &(mus_audit_part){0, 0, a == b}, visit, context);
}

mus_status mus_audit_part_pairs(const mus_audit_tree *a, const mus_audit_tree *b, const mus_audit_part *part,
                                mus_audit_visit visit, void *context) {
    walk w = {a, b, visit, context};
    return part->self ? walk_self(&w, part->a) : walk_pair(&w, part->a, part->b);
}

/* ---- parts: the same traversals, down to nodes of few faces ---- */

enum { PART = 1024 }; /* faces */

static bool part_pair(const mus_audit_tree *a, const mus_audit_tree *b, int32_t ia, int32_t ib,
                      mus_audit_part_list *parts) {
    const mus_audit_node *p = &a->nodes[ia], *q = &b->nodes[ib];
    if (mus_box_apart(&p->box, &q->box)) return true;
    if (p->count + q->count <= PART) return mus_array_push(parts, ((mus_audit_part){ia, ib, false}));
    bool first = descends_first(p, q), room = true;
    for (int k = 0; k < 2 && room; k++)
        room = first ? part_pair(a, b, p->child + k, ib, parts) : part_pair(a, b, ia, q->child + k, parts);
    return room;
}

static bool part_self(const mus_audit_tree *a, int32_t index, mus_audit_part_list *parts) {
    const mus_audit_node *p = &a->nodes[index];
    if (p->count <= PART) return mus_array_push(parts, ((mus_audit_part){index, index, true}));
    return part_self(a, p->child, parts) && part_self(a, p->child + 1, parts) &&
           part_pair(a, a, p->child, p->child + 1, parts);
}

mus_status mus_audit_tree_parts(const mus_audit_tree *a, const mus_audit_tree *b, mus_audit_part_list *parts) {
    if (a->node_count == 0 || b->node_count == 0) return MUS_STATUS_OK;
    return (a == b ? part_self(a, 0, parts) : part_pair(a, b, 0, 0, parts)) ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}
