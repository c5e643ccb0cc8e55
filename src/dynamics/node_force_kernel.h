/* node_force_kernel.h: what node_force.c does to blocks of vertices, by instruction set. */
#ifndef MUS_DYNAMICS_NODE_FORCE_KERNEL_H
#define MUS_DYNAMICS_NODE_FORCE_KERNEL_H

#include "trace/program.h"

/* `count` points, one after the other, into three rows of coordinates; nothing beyond them is read. */
typedef void mus_node_force_split(const double *points, int count, double *const row[3]);
/* Numbers by a divisor, into a row. */
typedef void mus_node_force_divide(const double *numbers, double by, int count, double *row);
/* f += the three rows, point by point. False where one is not finite: f is then undefined. */
typedef bool mus_node_force_accumulate(const double *const row[3], int count, double *f);
/* What is positive of a row, into or onto a column. */
typedef void mus_node_force_positive(const double *row, int count, bool add, double *column);
/* Symmetric matrices by rows xx xy xz yy yz zz, without their negative eigenvalues, into or onto columns xx yy zz xy
 * xz yz. */
typedef void mus_node_force_positive3(const double *const row[6], int count, bool add, double *const column[6]);

#define MUS_NODE_FORCE_KERNELS(level)                                                                                  \
    mus_node_force_split mus_node_force_split_##level;                                                                 \
    mus_node_force_divide mus_node_force_divide_##level;                                                               \
    mus_node_force_accumulate mus_node_force_accumulate_##level;                                                       \
    mus_node_force_positive mus_node_force_positive_##level;                                                           \
    mus_node_force_positive3 mus_node_force_positive3_##level
MUS_NODE_FORCE_KERNELS(baseline);
MUS_NODE_FORCE_KERNELS(avx2);
MUS_NODE_FORCE_KERNELS(avx512);

#endif
