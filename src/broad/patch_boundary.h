/* patch_boundary.h: which nodes of a binary tree of faces are topological discs, and the borders of those. */
#ifndef MUS_BROAD_PATCH_BOUNDARY_H
#define MUS_BROAD_PATCH_BOUNDARY_H

#include "broad/hierarchy.h"

typedef struct mus_patch_boundary {
    int64_t first; /* edge, in `ends` */
    int32_t count; /* of edges; 0: the node is not a disc */
} mus_patch_boundary;

typedef struct mus_patch_boundaries {
    mus_patch_boundary *of;  /* one per node */
    MUS_ARRAY(int32_t) ends; /* two per edge, in the direction in which its face uses it */
} mus_patch_boundaries;

/* A node is a disc if its edges, without those that belong to two of its faces in opposite directions and to no other
 * face, form one border that passes no vertex twice, and if vertices - edges + faces is 1. (Closed pieces beside it
 * would add to that; they have no cone.) Only for nodes of cloth, whose subtrees are numbered contiguously, as by
 * mus_partition_build. */
mus_status mus_patch_boundaries_make(mus_patch_boundaries *boundaries, const mus_hierarchy *h,
                                     const mus_broad_scene *scene);
void mus_patch_boundaries_free(mus_patch_boundaries *boundaries);

#endif
