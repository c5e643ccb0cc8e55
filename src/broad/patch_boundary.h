/* patch_boundary.h: which nodes of a binary tree of faces are discs, by their topology, and the border of those. */
#ifndef MUS_BROAD_PATCH_BOUNDARY_H
#define MUS_BROAD_PATCH_BOUNDARY_H

#include "broad/hierarchy.h"

typedef struct mus_patch_boundary {
    int64_t first; /* edge, in `ends` */
    int32_t count; /* of edges; 0: the node is not a disc */
} mus_patch_boundary;

typedef struct mus_patch_boundaries {
    mus_patch_boundary *of;  /* one a node */
    MUS_ARRAY(int32_t) ends; /* two an edge, in the direction in which its face runs along it */
} mus_patch_boundaries;

/* A node is a disc if edges that belong to two of its faces and no other, to one each way, leave one border, which
 * passes no vertex twice, and if vertices less edges and faces are 1. (Closed pieces beside it would add to that; they
 * have no cone.) Nodes of cloth only, whose subtrees are numbered in one go: mus_partition_build's. */
mus_status mus_patch_boundaries_make(mus_patch_boundaries *boundaries, const mus_hierarchy *h,
                                     const mus_broad_scene *scene);
void mus_patch_boundaries_free(mus_patch_boundaries *boundaries);

#endif
