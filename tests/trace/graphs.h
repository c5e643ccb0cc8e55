/* graphs.h: short words for building graphs by hand. */
#ifndef TESTS_TRACE_GRAPHS_H
#define TESTS_TRACE_GRAPHS_H

#include "muslin.h"

static inline mus_node two(mus_graph *g, mus_op op, mus_node a, mus_node b) {
    return mus_graph_add_operation(g, op, a, b, -1);
}
static inline mus_node dot(mus_graph *g, const mus_node *a, const mus_node *b) {
    mus_node sum = two(g, MUS_OP_MUL, a[0], b[0]);
    for (int k = 1; k < 3; k++) sum = two(g, MUS_OP_ADD, sum, two(g, MUS_OP_MUL, a[k], b[k]));
    return sum;
}

#endif
