/* contour.h: which nodes of a binary tree of faces are discs, by their topology, and the border of those. */
#ifndef MUS_BROAD_CONTOUR_H
#define MUS_BROAD_CONTOUR_H

#include "broad/hierarchy.h"

typedef struct mus_contour {
    int64_t first; /* edge, in `ends` */
    int32_t count; /* of edges; 0: the node is not a disc */
} mus_contour;

typedef struct mus_contours {
    mus_contour *of;         /* one a node */
    MUS_ARRAY(int32_t) ends; /* two an edge, in the direction in which its face runs along it */
} mus_contours;

/* A node is a disc if edges that belong to two of its faces and no other, to one each way, leave one border, which
 * passes no vertex twice, and if vertices less edges and faces are 1. (Closed pieces beside it would add to that; they
 * have no cone.) Nodes of cloth only, whose subtrees are numbered in one go: mus_partition_build's. */
mus_status mus_contours_make(mus_contours *contours, const mus_hierarchy *h, const mus_broad_scene *scene);
void mus_contours_free(mus_contours *contours);

#endif
