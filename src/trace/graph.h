/* graph.h: expressions of a traced function as nodes of a graph: equal ones are one node, constants are folded. */
#ifndef MUS_TRACE_GRAPH_H
#define MUS_TRACE_GRAPH_H

#include "base/memory.h"
#include "muslin/math.h"
#include "muslin/program.h"

typedef struct mus_graph_item {
    mus_op op;
    mus_node arg[3]; /* -1: none. Arguments come before the nodes that use them */
    double value;    /* MUS_OP_CONSTANT; MUS_OP_LATTICE: its seed */
    int32_t slot;    /* MUS_OP_INPUT, MUS_OP_PARAMETER: its number; else -1 */
    bool polynomial; /* sums and products of leaves alone: finite where those are */
} mus_graph_item;

struct mus_graph {
    MUS_ARRAY(mus_graph_item) items;
    MUS_ARRAY(mus_parameter *) parameters; /* each with a reference */
    MUS_ARRAY(mus_node) table;             /* by hash, open addressing, -1: free; a power of two */
    MUS_ARRAY(mus_node) derived; /* for the current derivative: a node's derivative, -2: not needed, -1: zero */
    bool failed;                 /* a node could not be made, so no program can be */
};

struct mus_parameter {
    char *name;
    double value;
    int32_t ref_count;
};

int mus_op_arguments(mus_op op); /* 0 to 3 */
/* A random number in [-1, 1) for a point with integer coordinates and a seed. */
double mus_lattice(double x, double y, double z, double seed);

void mus_parameter_retain(mus_parameter *parameter);

#endif
