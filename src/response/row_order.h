/* row_order.h: in which order many rows are swept, and which of them at the same time: blocks of rows that follow each
 * other, by colours; blocks of one colour share no vertex that moves. Multicolour Gauss-Seidel with blocks for points;
 * an order that depends on the rows alone, not on threads. Few rows are swept one after the other. */
#ifndef MUS_RESPONSE_ROW_ORDER_H
#define MUS_RESPONSE_ROW_ORDER_H

#include "response/rows.h"

enum {
    MUS_ROW_BLOCK = 128,
    MUS_ROW_ORDER_LEAST = 4096, /* rows; fewer are one block */
    MUS_ROW_COLOURS = 32        /* the last is of blocks that found no other: they go one after the other */
};

typedef struct mus_row_order {
    int threads;
    int32_t colour_start[MUS_ROW_COLOURS + 1];
    MUS_ARRAY(int32_t) blocks;       /* by colours; 0: all rows are one */
    MUS_ARRAY(int32_t) colours;      /* of each block; scratch */
    MUS_ARRAY(mus_rows_swept) swept; /* by each block */
} mus_row_order;

/* Of the rows as they stand; they may then be swept until one comes or goes. A world with rigid bodies has one block:
 * they are on both sides of too many. */
mus_status mus_row_order_make(const mus_assembly *a, const mus_row_list *rows, int threads, mus_row_order *order);
void mus_row_order_free(mus_row_order *order);

/* As mus_rows_sweep and mus_rows_lead. */
mus_rows_swept mus_row_order_sweep(const mus_assembly *a, mus_row_list *rows, mus_row_order *order, bool all);
void mus_row_order_lead(const mus_assembly *a, mus_row_list *rows, mus_row_order *order, double ratio);

#endif
