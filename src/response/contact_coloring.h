/* contact_coloring.h: in which order many rows are swept, and which of them at the same time: blocks of rows that
 * follow each other, by colours; blocks of one colour share no vertex that moves. Eight blocks of a colour go side by
 * side, a row of each in the lanes of a pack, and groups of eight go by threads. Multicolour Gauss-Seidel with blocks
 * for points; an order that depends on the rows alone, not on threads or lanes. Few rows are swept one after the other.
 */
#ifndef MUS_RESPONSE_CONTACT_COLORING_H
#define MUS_RESPONSE_CONTACT_COLORING_H

#include "response/wide_contact.h"
#include "response/contact_constraints.h"

enum {
    MUS_CONTACT_BLOCK_SIZE = 4,        /* rows: lanes are filled, and packs wait little for each other */
    MUS_CONTACT_LARGE_BLOCK_SIZE = 32, /* of so many that caches do not hold them: what a block names lies together */
    MUS_CONTACT_LARGE_BLOCK_MIN_COUNT = 16384, /* rows */
    MUS_CONTACT_COLORING_MIN_COUNT = 256,      /* rows; fewer are one block */
    MUS_CONTACT_COLOR_COUNT = 64 /* the last is of blocks that found no other: they go one after the other */
};

/* Blocks of one colour, side by side. */
typedef struct mus_contact_block_group {
    int32_t first_block, block_count; /* into mus_contact_coloring.blocks; at most MUS_CONTACT_SIMD_WIDTH */
    int32_t first_pack, pack_count;
} mus_contact_block_group;

typedef MUS_ARRAY(char) mus_contact_aligned_memory; /* of what lies at whole lines of the cache */

typedef struct mus_contact_coloring {
    int threads, block;                               /* rows of a block */
    int32_t color_start[MUS_CONTACT_COLOR_COUNT + 1]; /* into `groups` */
    MUS_ARRAY(int32_t) constraints;                   /* that the pipeline's own rule decides about */
    MUS_ARRAY(int32_t) blocks;                        /* of `rows`, by colours */
    MUS_ARRAY(int32_t) colors;                        /* of each block; scratch */
    MUS_ARRAY(uint64_t) marks;                 /* of each vertex: of what colours blocks have rows there; scratch */
    MUS_ARRAY(mus_contact_block_group) groups; /* 0: all rows are one block, and not packed */
    int64_t pack_count;
    mus_wide_contact *packs;
    MUS_ARRAY(mus_contact_sweep_tally) tallies; /* of each group */
    MUS_ARRAY(int32_t) vertices;                /* that the rows name, each once */
    mus_contact_vertex *places;                 /* of them while a sweep goes on; then a spare one of each group */
    mus_contact_aligned_memory pack_memory, place_memory;
} mus_contact_coloring;

/* Of the rows as they stand, leads forgotten; they may then be swept until one comes or goes, and are what they were at
 * the start until mus_contact_coloring_store_impulses. A world with rigid bodies has one block: they are on both sides
 * of too many. */
mus_status mus_contact_coloring_make(const mus_assembly *a, const mus_contact_constraint_list *constraints, int threads,
                                     mus_contact_coloring *coloring);
/* The same rows once more, as the sweeps left them, with the targets that they have now. */
void mus_contact_coloring_update_targets(const mus_contact_constraint_list *constraints,
                                         mus_contact_coloring *coloring);
/* What the sweeps made of the rows, into them. */
void mus_contact_coloring_store_impulses(mus_contact_constraint_list *constraints,
                                         const mus_contact_coloring *coloring);
void mus_contact_coloring_free(mus_contact_coloring *coloring);

/* As mus_contacts_sweep; then, where the change of the sweep before is given, as mus_contacts_conjugate_step. */
mus_contact_sweep_result mus_contact_coloring_sweep(const mus_assembly *a, mus_contact_constraint_list *constraints,
                                                    mus_contact_coloring *coloring, bool all, const double *last);

#endif
