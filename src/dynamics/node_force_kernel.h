/* node_force_kernel.h: operations of node_force.c on blocks of vertices, by instruction set. */
#ifndef MUS_DYNAMICS_NODE_FORCE_KERNEL_H
#define MUS_DYNAMICS_NODE_FORCE_KERNEL_H

#include "trace/program.h"

/* Splits `count` consecutive points into three rows of coordinates; nothing beyond them is read. */
typedef void mus_node_force_split(const double *points, int count, double *const row[3]);
/* f += the three rows, point by point. False where one is not finite: f is then undefined. */
typedef bool mus_node_force_accumulate(const double *const row[3], int count, double *f);
/* Writes or adds the positive part of a row to a column. */
typedef void mus_node_force_positive(const double *row, int count, bool add, double *column);
/* Projects symmetric matrices, given by rows xx xy xz yy yz zz, to positive semidefinite, and writes or adds them to
 * columns xx yy zz xy xz yz. */
typedef void mus_node_force_positive3(const double *const row[6], int count, bool add, double *const column[6]);

#define MUS_NODE_FORCE_KERNELS(level)                                                                                  \
    mus_node_force_split mus_node_force_split_##level;                                                                 \
    mus_node_force_accumulate mus_node_force_accumulate_##level;                                                       \
    mus_node_force_positive mus_node_force_positive_##level;                                                           \
    mus_node_force_positive3 mus_node_force_positive3_##level
MUS_NODE_FORCE_KERNELS(baseline);
MUS_NODE_FORCE_KERNELS(avx2);
MUS_NODE_FORCE_KERNELS(avx512);

#endif
