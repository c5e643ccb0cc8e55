/* block.h: a few leaves side by side, at the lowest level of a tree: the boxes of the vertices and edges they own and
 * of their faces, stored as one row per bound, so that one box is tested against many at a time. */
#ifndef MUS_BROAD_BLOCK_H
#define MUS_BROAD_BLOCK_H

#include "broad/broad.h"

enum {
    MUS_BLOCK_LEAVES = 8, /* leaves of a block, at most */
    MUS_BLOCK_OWNED = 32, /* vertices, or edges, that these may own: 24, in full SIMD groups */
    MUS_BLOCK_BOUNDS = 12,
    /* pairs of two blocks, at most */
    MUS_BLOCK_PAIRS = (2 * 3 + 9) * MUS_BLOCK_LEAVES * MUS_BLOCK_LEAVES
};

typedef struct mus_block {
    int32_t vertices, edges, faces;
    int32_t object; /* of all leaves, or -1 */
    /* lo0 hi0 lo1 hi1, x y z of each; values beyond the counts are meaningless */
    float all[MUS_BLOCK_BOUNDS];
    float vertex[MUS_BLOCK_BOUNDS][MUS_BLOCK_OWNED], edge[MUS_BLOCK_BOUNDS][MUS_BLOCK_OWNED],
        face[MUS_BLOCK_BOUNDS][MUS_BLOCK_LEAVES];
    int32_t vertex_id[MUS_BLOCK_OWNED], edge_id[2][MUS_BLOCK_OWNED], face_id[3][MUS_BLOCK_LEAVES];
    /* The leaf within the block, and its corner. */
    uint8_t vertex_of[MUS_BLOCK_OWNED][2], edge_of[MUS_BLOCK_OWNED][2], face_of[MUS_BLOCK_LEAVES];
    /* For each leaf: its object; its path down the tree, from bit 29 on, 0 for the lower half; and the path with a zero
     * inserted before every bit. */
    int32_t leaf_object[MUS_BLOCK_LEAVES];
    uint32_t way[MUS_BLOCK_LEAVES];
    uint64_t spread[MUS_BLOCK_LEAVES];
} mus_block;

/* Fills a block with `count` leaves, first + leaves[0] and so on; their paths are `ways` shifted up by `skip` bits. */
void mus_block_fill(const mus_broad_scene *scene, int32_t first, const int32_t *leaves, const uint32_t *ways, int skip,
                    int count, mus_block *block);

/* Writes the elementary pairs of two blocks, or of one with itself, whose boxes overlap, and returns their number.
 * Features that share a vertex are no pair. `out` has room for MUS_BLOCK_PAIRS. The result is the same in every
 * instruction set.
 *
 * The pairs' order is that of a descent of both trees at once in which lower halves come first and, with `self`, a
 * node's halves by themselves come before the pair of both: two bits per level, then the corners. */
typedef int mus_block_pairs(const mus_broad_scene *scene, const mus_block *a, const mus_block *b, bool self,
                            mus_pair *out);
mus_block_pairs mus_block_pairs_baseline, mus_block_pairs_avx2, mus_block_pairs_avx512;

#endif
