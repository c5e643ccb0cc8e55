/* quad_tree.h: the tree of Jung 2005, section 4.3: groups of four boxes, built bottom-up. */
#ifndef MUS_BROAD_QUAD_TREE_H
#define MUS_BROAD_QUAD_TREE_H

#include "broad/hierarchy.h"

/* Builds a tree for each grid, one for all other cloth, and one for all obstacles. */
mus_status mus_quad_tree_build(mus_hierarchy *h, const mus_broad_scene *scene, const v3 *x);

#endif
