/* contact_coloring.h: order and parallelism of sweeps over many contact constraints. Blocks of consecutive constraints
 * are colored so that blocks of one color share no vertex that moves. Eight blocks of a color are processed side by
 * side: each SIMD lane of a wide block (mus_wide_contact) has one constraint of one of them; CPU threads take groups of
 * eight blocks. This is multicolor Gauss-Seidel with blocks for points; the order depends on the constraints alone, not
 * on the number of CPU threads or the SIMD width. Few constraints are swept one after the other. */
#ifndef MUS_RESPONSE_CONTACT_COLORING_H
#define MUS_RESPONSE_CONTACT_COLORING_H

#include "response/wide_contact.h"
#include "response/contact_constraints.h"

enum {
    MUS_CONTACT_BLOCK_SIZE = 4, /* constraints: SIMD lanes are filled, and wide blocks wait little for each other */
    MUS_CONTACT_LARGE_BLOCK_SIZE = 32, /* where caches do not hold all: a block's vertices are close in memory */
    MUS_CONTACT_LARGE_BLOCK_MIN_COUNT = 16384, /* constraints */
    MUS_CONTACT_COLORING_MIN_COUNT = 256,      /* constraints; fewer are one block */
    MUS_CONTACT_COLOR_COUNT = 64 /* blocks of the last color found no other one: they are swept one after the other */
};

/* Blocks of one color, side by side. */
typedef struct mus_contact_block_group {
    int32_t first_block, block_count; /* into mus_contact_coloring.blocks; at most MUS_CONTACT_SIMD_WIDTH */
    int32_t first_wide, wide_count;
} mus_contact_block_group;

typedef MUS_ARRAY(char) mus_contact_aligned_memory; /* memory aligned to cache lines */

typedef struct mus_contact_coloring {
    int threads, block;                               /* block: constraints per block */
    int32_t color_start[MUS_CONTACT_COLOR_COUNT + 1]; /* into `groups` */
    MUS_ARRAY(int32_t) constraints;                   /* indices of those that the pipeline's own rule applies to */
    MUS_ARRAY(int32_t) blocks;                        /* of `constraints`, sorted by color */
    MUS_ARRAY(int32_t) colors;                        /* of each block; scratch */
    MUS_ARRAY(uint64_t) marks; /* of each vertex: colors of the blocks with constraints there; scratch */
    MUS_ARRAY(mus_contact_block_group) groups; /* 0: all constraints are one block, and swept without SIMD */
    int64_t wide_count;
    mus_wide_contact *wide_contacts;
    MUS_ARRAY(mus_contact_sweep_tally) tallies; /* of each group */
    MUS_ARRAY(int32_t) vertices;                /* that constraints refer to, each once */
    mus_contact_vertex *places;                 /* of these vertices during a sweep; then one spare per group */
    mus_contact_aligned_memory wide_memory, place_memory;
} mus_contact_coloring;

/* Colors the constraints in their present order; conjugate directions are reset. Sweeps may follow until a constraint
 * is added or removed; the constraints themselves are unchanged until mus_contact_coloring_store_impulses. A world with
 * rigid bodies has one block: each body takes part in too many constraints. */
mus_status mus_contact_coloring_make(const mus_assembly *a, const mus_contact_constraint_list *constraints, int threads,
                                     mus_contact_coloring *coloring);
/* Restarts with the same constraints, as the sweeps left them, and their present targets. */
void mus_contact_coloring_update_targets(const mus_contact_constraint_list *constraints,
                                         mus_contact_coloring *coloring);
/* Copies the results of the sweeps to the constraints. */
void mus_contact_coloring_store_impulses(mus_contact_constraint_list *constraints,
                                         const mus_contact_coloring *coloring);
void mus_contact_coloring_free(mus_contact_coloring *coloring);

/* As mus_contacts_sweep; then, if `last` (the change of the previous sweep) is given, as mus_contacts_conjugate_step.
 */
mus_contact_sweep_result mus_contact_coloring_sweep(const mus_assembly *a, mus_contact_constraint_list *constraints,
                                                    mus_contact_coloring *coloring, bool all, const double *last);

#endif
