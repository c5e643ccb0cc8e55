/* hierarchy.h: trees of boxes over leaves, of any shape: built by a broad phase, refitted bottom-up and descended here.
 * Runs on one thread. */
#ifndef MUS_BROAD_HIERARCHY_H
#define MUS_BROAD_HIERARCHY_H

#include "broad/overlap_query.h"

typedef struct mus_tree_node {
    int32_t first, count; /* in items */
    bool lowest;          /* its items are leaves; otherwise nodes, all with larger numbers */
} mus_tree_node;

typedef struct mus_hierarchy {
    mus_tree_node *nodes;
    int32_t count, capacity;
    int32_t *items;
    int32_t item_count;
    MUS_ARRAY(int32_t)
    cloth, obstacle;      /* roots: the search takes each pair with a cloth, and each cloth by itself */
    mus_swept_box *boxes; /* one per node; scratch from the lender */
    uint8_t *marked;      /* whether a leaf under the node is marked; scratch from the lender */
    bool larger_first;    /* of two nodes only the larger is descended, otherwise both */
    mus_pair_list batch;
    const uint8_t *skip; /* 1: the leaves under this node do not meet each other; NULL: none */
    /* of the current search */
    mus_overlap_query *query;
} mus_hierarchy;

/* Builds the trees of a scene for positions x. */
typedef mus_status mus_hierarchy_builder(mus_hierarchy *h, const mus_broad_scene *scene, const v3 *x);

/* Makes room for so many nodes and items in all. */
mus_status mus_hierarchy_reserve(mus_hierarchy *h, int64_t nodes, int64_t items);
void mus_hierarchy_free(mus_hierarchy *h);
/* Adds a node, for which there must be room, and returns its number. */
int32_t mus_hierarchy_add(mus_hierarchy *h, int32_t first, int32_t count, bool lowest);
void mus_hierarchy_borrow(mus_hierarchy *h, mus_lender *lender);
void mus_hierarchy_refit(mus_hierarchy *h, const mus_broad_scene *scene);
mus_status mus_hierarchy_pairs(mus_hierarchy *h, const mus_broad_scene *scene, const mus_pair_sink *sink);
mus_status mus_hierarchy_pairs_of(mus_hierarchy *h, const mus_broad_scene *scene, const uint8_t *marked,
                                  mus_pair_list *pairs);

#endif
