/* graph.h: expressions of a traced function as nodes of a graph: equal ones are one node, constants fold. */
#ifndef MUS_TRACE_GRAPH_H
#define MUS_TRACE_GRAPH_H

#include "base/memory.h"
#include "muslin.h"

typedef struct mus_graph_item {
    mus_op op;
    mus_node arg[3]; /* -1: none. Arguments come before what they are arguments of */
    double value;    /* MUS_OP_CONSTANT; MUS_OP_LATTICE: its seed */
    int32_t slot;    /* MUS_OP_INPUT, MUS_OP_PARAMETER: which; else -1 */
    bool polynomial; /* of sums and products of what is given alone: finite where that is */
} mus_graph_item;

struct mus_graph {
    MUS_ARRAY(mus_graph_item) items;
    MUS_ARRAY(mus_parameter *) parameters; /* each held */
    MUS_ARRAY(mus_node) table;             /* by hash, open addressing, -1: free; a power of two */
    MUS_ARRAY(mus_node) derived;           /* of the derivative under way: a node's, -2: not asked for, -1: zero */
    bool failed;                           /* a node could not be made: no program can be */
};

struct mus_parameter {
    char *name;
    double value;
    int32_t ref_count;
};

int mus_op_arguments(mus_op op); /* 0 to 3 */
/* In [-1, 1): a random number for a point of whole numbers and a seed. */
double mus_lattice(double x, double y, double z, double seed);

void mus_parameter_retain(mus_parameter *parameter);

#endif
