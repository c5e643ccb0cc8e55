/* block.h: a few leaves side by side, as the lowest level of a tree meets them: boxes of the vertices and edges they
 * own and of their faces, a row for each bound, so that one box is held against many at a time. */
#ifndef MUS_BROAD_BLOCK_H
#define MUS_BROAD_BLOCK_H

#include "broad/broad.h"

enum {
    MUS_BLOCK_LEAVES = 8, /* the most that a block holds, and what these may own */
    MUS_BLOCK_VERTICES = 8,
    MUS_BLOCK_EDGES = 16,
    MUS_BLOCK_BOUNDS = 12,
    /* what two blocks can give at most */
    MUS_BLOCK_PAIRS = 2 * MUS_BLOCK_VERTICES * MUS_BLOCK_LEAVES + MUS_BLOCK_EDGES * MUS_BLOCK_EDGES
};

typedef struct mus_block {
    int32_t vertices, edges, faces;
    int32_t object; /* of all, or -1 */
    /* lo0 hi0 lo1 hi1, x y z of each; lanes beyond the counts mean nothing */
    float all[MUS_BLOCK_BOUNDS];
    float vertex[MUS_BLOCK_BOUNDS][MUS_BLOCK_VERTICES], face[MUS_BLOCK_BOUNDS][MUS_BLOCK_LEAVES],
        edge[MUS_BLOCK_BOUNDS][MUS_BLOCK_EDGES];
    int32_t vertex_id[MUS_BLOCK_VERTICES], face_id[3][MUS_BLOCK_LEAVES], edge_id[2][MUS_BLOCK_EDGES];
    int32_t vertex_object[MUS_BLOCK_VERTICES], face_object[MUS_BLOCK_LEAVES], edge_object[MUS_BLOCK_EDGES];
} mus_block;

/* Of `count` leaves, first + leaves[0] and so on, that fit. */
void mus_block_fill(const mus_broad_scene *scene, int32_t first, const int32_t *leaves, int count, mus_block *block);

/* The elementary pairs of two blocks, or of one with itself, whose boxes overlap; features that share a vertex are no
 * pair. `out` has room for MUS_BLOCK_PAIRS; returns how many. The same in every instruction set. */
typedef int mus_block_meet(const mus_broad_scene *scene, const mus_block *a, const mus_block *b, mus_pair *out);
mus_block_meet mus_block_meet_baseline, mus_block_meet_avx2, mus_block_meet_avx512;

#endif
