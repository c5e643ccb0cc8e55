/* cone_tree.h: the tree by the plane at rest with a normal cone for each node: a node whose cone, and what else is
 * asked of it, proves that its faces do not meet each other is not tested with itself. */
#ifndef MUS_BROAD_CONE_TREE_H
#define MUS_BROAD_CONE_TREE_H

#include "broad/patch_boundary.h"
#include "broad/partition.h"

typedef struct mus_cone {
    v3 axis;      /* unit, or zero: none */
    double angle; /* half, rad */
} mus_cone;

typedef struct mus_cone_tree {
    mus_hierarchy tree;
    mus_patch_boundaries boundaries; /* empty for whom they do not matter */
    mus_cone *cones;                 /* one a node; lent */
    uint8_t *skip;                   /* lent */
    int32_t *leaves;                 /* under a node; lent */
    int64_t culled;
} mus_cone_tree;

/* How one phase of this kind makes its cones, and what it asks of them. */
typedef struct mus_cone_law {
    mus_cone (*of_face)(const mus_broad_scene *scene, int32_t leaf);
    mus_cone (*join)(const mus_cone *a, const mus_cone *b);
    /* Is the node, with the cone that it has, not to be tested with itself? */
    bool (*may_skip)(const mus_cone_tree *t, const mus_broad_scene *scene, int32_t node);
} mus_cone_law;

/* Boxes, cones of cloth from the faces up, and what is skipped, from the top down. */
void mus_cone_tree_refit(mus_cone_tree *t, const mus_broad_scene *scene, const mus_cone_law *law);

/* What all phases of this kind do. */
mus_status mus_cone_tree_create(const mus_broad_scene *scene, const v3 *x, void **state);
void mus_cone_tree_destroy(void *state);
void mus_cone_tree_borrow(void *state, mus_lender *lender);
mus_status mus_cone_tree_pairs(void *state, const mus_broad_scene *scene, const mus_pair_sink *sink);
mus_status mus_cone_tree_pairs_of(void *state, const mus_broad_scene *scene, const uint8_t *marked,
                                  mus_pair_list *pairs);
int64_t mus_cone_tree_culled(const void *state);

#endif
