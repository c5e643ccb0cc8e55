/* cone_tree.h: trees of boxes with a normal cone for each node of cloth: a node is not tested with itself if its
 * cone, and the further conditions of a phase, prove that its faces do not meet each other. */
#ifndef MUS_BROAD_CONE_TREE_H
#define MUS_BROAD_CONE_TREE_H

#include "broad/patch_boundary.h"

typedef struct mus_cone {
    v3 axis;      /* unit, or zero: none */
    double angle; /* half, rad */
} mus_cone;

typedef struct mus_cone_tree {
    mus_hierarchy tree;
    mus_patch_boundaries boundaries; /* empty for phases that do not need them */
    mus_cone *cones;                 /* one per node; scratch from the lender */
    uint8_t *skip;                   /* scratch from the lender */
    int32_t *leaves;                 /* number under a node; scratch from the lender */
    int64_t culled;
} mus_cone_tree;

/* How a phase of this kind makes its cones, and its condition for skipping a node. */
typedef struct mus_cone_law {
    mus_cone (*of_face)(const mus_broad_scene *scene, int32_t leaf);
    mus_cone (*join)(const mus_cone *a, const mus_cone *b);
    /* Returns whether the node, with its cone, need not be tested with itself. */
    bool (*may_skip)(const mus_cone_tree *t, const mus_broad_scene *scene, int32_t node);
} mus_cone_law;

/* The cones of Provot 1997 (2.2), of normals at the end of the step: partition_cones.c. */
extern const mus_cone_law mus_cone_law_at_end;

/* Refits boxes, then cones of cloth from the faces up; then decides from the top down which nodes are skipped. */
void mus_cone_tree_refit(mus_cone_tree *t, const mus_broad_scene *scene, const mus_cone_law *law);

/* Functions common to all phases of this kind. */
mus_status mus_cone_tree_create(mus_hierarchy_builder *build, const mus_broad_scene *scene, const v3 *x, void **state);
void mus_cone_tree_destroy(void *state);
void mus_cone_tree_borrow(void *state, mus_lender *lender);
mus_status mus_cone_tree_pairs(void *state, const mus_broad_scene *scene, const mus_pair_sink *sink);
mus_status mus_cone_tree_pairs_of(void *state, const mus_broad_scene *scene, const uint8_t *marked,
                                  mus_pair_list *pairs);
int64_t mus_cone_tree_culled(const void *state);

#endif
