/* partition.h: the tree of Provot 1997, section 2.1: cloth is split in halves in its plane at rest, down to single
 * faces, once and for all; obstacles, which have no such plane, at their positions. */
#ifndef MUS_BROAD_PARTITION_H
#define MUS_BROAD_PARTITION_H

#include "broad/hierarchy.h"

/* Builds a tree for each cloth, and one for all obstacles. */
mus_status mus_partition_build(mus_hierarchy *h, const mus_broad_scene *scene, const v3 *x);

#endif
