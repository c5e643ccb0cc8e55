/* audit_tree.h: the auditor's own box tree over faces, rebuilt for every audit. */
#ifndef MUS_NARROW_AUDIT_TREE_H
#define MUS_NARROW_AUDIT_TREE_H

#include "base/box.h"
#include "base/memory.h"
#include "muslin/status.h"

typedef struct mus_audit_node {
    mus_box box;
    int32_t child; /* the first of two consecutive children; -1: a leaf */
    int32_t first, count;
} mus_audit_node;

typedef struct mus_audit_tree {
    mus_audit_node *nodes; /* the root is 0; no nodes when there are no faces */
    mus_box *boxes;        /* of faces, in tree order */
    int32_t *order;        /* face at each place in tree order */
    int32_t node_count, node_capacity, face_count;
} mus_audit_tree;

mus_status mus_audit_tree_build(const double *vertices, const int32_t *faces, int32_t face_count, mus_audit_tree *tree);
void mus_audit_tree_free(mus_audit_tree *tree);

/* Calls `visit` for each pair of faces with overlapping boxes (closed), once; within one tree when a == b. Stops with
 * the first status that is not OK. */
typedef mus_status (*mus_audit_visit)(void *context, int32_t face_a, int32_t face_b);
mus_status mus_audit_tree_pairs(const mus_audit_tree *a, const mus_audit_tree *b, mus_audit_visit visit, void *context);

/* The same traversal in parts, for threads: two nodes to test against each other, or one against itself. */
typedef struct mus_audit_part {
    int32_t a, b;
    bool self;
} mus_audit_part;
typedef MUS_ARRAY(mus_audit_part) mus_audit_part_list;
/* Appends parts that together yield each pair once, in the same order; they depend on the trees alone. */
mus_status mus_audit_tree_parts(const mus_audit_tree *a, const mus_audit_tree *b, mus_audit_part_list *parts);
mus_status mus_audit_part_pairs(const mus_audit_tree *a, const mus_audit_tree *b, const mus_audit_part *part,
                                mus_audit_visit visit, void *context);

#endif
