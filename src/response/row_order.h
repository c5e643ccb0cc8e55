/* row_order.h: in which order many rows are swept, and which of them at the same time: blocks of rows that follow each
 * other, by colours; blocks of one colour share no vertex that moves. Eight blocks of a colour go side by side, a row
 * of each in the lanes of a pack, and groups of eight go by threads. Multicolour Gauss-Seidel with blocks for points;
 * an order that depends on the rows alone, not on threads or lanes. Few rows are swept one after the other. */
#ifndef MUS_RESPONSE_ROW_ORDER_H
#define MUS_RESPONSE_ROW_ORDER_H

#include "response/row_pack.h"
#include "response/rows.h"

enum {
    MUS_ROW_BLOCK = 4,         /* rows: lanes are filled, and packs wait little for each other */
    MUS_ROW_LARGE_BLOCK = 32,  /* of so many that caches do not hold them: what a block names lies together */
    MUS_ROW_MANY = 16384,      /* rows */
    MUS_ROW_ORDER_LEAST = 256, /* rows; fewer are one block */
    MUS_ROW_COLOURS = 64       /* the last is of blocks that found no other: they go one after the other */
};

/* Blocks of one colour, side by side. */
typedef struct mus_row_group {
    int32_t first_block, block_count; /* into mus_row_order.blocks; at most MUS_ROW_LANES */
    int32_t first_pack, pack_count;
} mus_row_group;

typedef MUS_ARRAY(char) mus_row_memory; /* of what lies at whole lines of the cache */

typedef struct mus_row_order {
    int threads, block;                        /* rows of a block */
    int32_t colour_start[MUS_ROW_COLOURS + 1]; /* into `groups` */
    MUS_ARRAY(int32_t) rows;                   /* that the pipeline's own rule decides about */
    MUS_ARRAY(int32_t) blocks;                 /* of `rows`, by colours */
    MUS_ARRAY(int32_t) colours;                /* of each block; scratch */
    MUS_ARRAY(uint64_t) marks;                 /* of each vertex: of what colours blocks have rows there; scratch */
    MUS_ARRAY(mus_row_group) groups;           /* 0: all rows are one block, and not packed */
    int64_t pack_count;
    mus_row_pack *packs;
    MUS_ARRAY(mus_row_tally) tallies; /* of each group */
    MUS_ARRAY(int32_t) vertices;      /* that the rows name, each once */
    mus_row_place *places;            /* of them while a sweep goes on; then a spare one of each group */
    mus_row_memory pack_memory, place_memory;
} mus_row_order;

/* Of the rows as they stand, leads forgotten; they may then be swept until one comes or goes, and are what they were at
 * the start until mus_row_order_end. A world with rigid bodies has one block: they are on both sides of too many. */
mus_status mus_row_order_make(const mus_assembly *a, const mus_row_list *rows, int threads, mus_row_order *order);
/* The same rows once more, as the sweeps left them, with the targets that they have now. */
void mus_row_order_aim(const mus_row_list *rows, mus_row_order *order);
/* What the sweeps made of the rows, into them. */
void mus_row_order_end(mus_row_list *rows, const mus_row_order *order);
void mus_row_order_free(mus_row_order *order);

/* As mus_rows_sweep; then, where the change of the sweep before is given, as mus_rows_lead. */
mus_rows_swept mus_row_order_sweep(const mus_assembly *a, mus_row_list *rows, mus_row_order *order, bool all,
                                   const double *last);

#endif
