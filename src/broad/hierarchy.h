/* hierarchy.h: trees of boxes over leaves, of any shape: built by a broad phase, refitted bottom-up and descended here.
 * On one thread. */
#ifndef MUS_BROAD_HIERARCHY_H
#define MUS_BROAD_HIERARCHY_H

#include "broad/overlap_query.h"

typedef struct mus_tree_node {
    int32_t first, count; /* in items */
    bool lowest;          /* its items are leaves; otherwise nodes, all behind this one */
} mus_tree_node;

typedef struct mus_hierarchy {
    mus_tree_node *nodes;
    int32_t count, room;
    int32_t *items;
    int32_t item_count;
    MUS_ARRAY(int32_t)
    cloth, obstacle;   /* nodes that the search starts from: each pair of them, and those of cloth by
                          themselves */
    mus_box *boxes;    /* one a node; lent */
    uint8_t *marked;   /* a leaf under it is; lent */
    bool larger_first; /* of two nodes the larger is descended, otherwise both */
    mus_pair_list batch;
    const uint8_t *skip; /* 1: what lies under this node does not meet itself; NULL: none */
    /* of the search under way */
    mus_overlap_query *query;
} mus_hierarchy;

/* Room for so many nodes and items in all. */
mus_status mus_hierarchy_reserve(mus_hierarchy *h, int64_t nodes, int64_t items);
void mus_hierarchy_free(mus_hierarchy *h);
/* There is room. Returns the number. */
int32_t mus_hierarchy_add(mus_hierarchy *h, int32_t first, int32_t count, bool lowest);
void mus_hierarchy_borrow(mus_hierarchy *h, mus_lender *lender);
void mus_hierarchy_refit(mus_hierarchy *h, const mus_broad_scene *scene);
mus_status mus_hierarchy_pairs(mus_hierarchy *h, const mus_broad_scene *scene, const mus_pair_sink *sink);
mus_status mus_hierarchy_pairs_of(mus_hierarchy *h, const mus_broad_scene *scene, const uint8_t *marked,
                                  mus_pair_list *pairs);

#endif
