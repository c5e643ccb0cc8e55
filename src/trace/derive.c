/* derive.c: symbolic derivatives in the graph itself, in forward mode from one input: a select has the derivative of
 * the chosen side alone, so a guard against 0/0 guards the derivative too.
 *
 * At kinks the derivative is a convention: of |x| at 0 it is 0, of sqrt x at 0 it is 0 (a vanishing length has no
 * direction), of min and max at a tie that of the first; of floor and comparisons it is 0. */
#include "trace/graph.h"

#include <math.h>

enum { UNKNOWN = -2, ZERO = -1 };

static mus_node add_binary(mus_graph *g, mus_op op, mus_node a, mus_node b) {
    return mus_graph_add_operation(g, op, a, b, -1);
}
static mus_node add_unary(mus_graph *g, mus_op op, mus_node a) {
    return mus_graph_add_operation(g, op, a, -1, -1);
}
static mus_node add_constant(mus_graph *g, double x) {
    return mus_graph_add_constant(g, x);
}

/* A derivative is a node, or ZERO, which is omitted from expressions. */
static mus_node sum(mus_graph *g, mus_node a, mus_node b) {
    return a == ZERO ? b : b == ZERO ? a : add_binary(g, MUS_OP_ADD, a, b);
}
static mus_node difference(mus_graph *g, mus_node a, mus_node b) {
    if (b == ZERO) return a;
    return a == ZERO ? add_unary(g, MUS_OP_NEG, b) : add_binary(g, MUS_OP_SUB, a, b);
}
static mus_node scale_derivative(mus_graph *g, mus_node derivative, mus_node by) {
    return derivative == ZERO ? ZERO : add_binary(g, MUS_OP_MUL, derivative, by);
}
static mus_node divide_derivative(mus_graph *g, mus_node derivative, mus_node by) {
    return derivative == ZERO ? ZERO : add_binary(g, MUS_OP_DIV, derivative, by);
}
static mus_node select_derivative(mus_graph *g, mus_node condition, mus_node a, mus_node b) {
    if (a == ZERO && b == ZERO) return ZERO;
    if (a == ZERO) a = add_constant(g, 0);
    if (b == ZERO) b = add_constant(g, 0);
    return mus_graph_add_operation(g, MUS_OP_SELECT, condition, a, b);
}

/* a^b: b a^(b-1) a' + a^b ln a b'. */
static mus_node of_power(mus_graph *g, mus_node self, mus_node a, mus_node b, mus_node da, mus_node db) {
    mus_node less = add_binary(g, MUS_OP_SUB, b, add_constant(g, 1));
    mus_node by_base = scale_derivative(g, da, add_binary(g, MUS_OP_MUL, b, add_binary(g, MUS_OP_POW, a, less)));
    return sum(g, by_base, scale_derivative(g, db, add_binary(g, MUS_OP_MUL, self, add_unary(g, MUS_OP_LOG, a))));
}

/* a'/(2 sqrt a): one division for all inputs. */
static mus_node of_root(mus_graph *g, mus_node self, mus_node da) {
    if (da < 0) return ZERO; /* or a node that could not be made */
    mus_node positive = add_binary(g, MUS_OP_LT, add_constant(g, 0), self),
             by = add_binary(g, MUS_OP_DIV, add_constant(g, 0.5), self);
    if (g->items.data[da].polynomial) return scale_derivative(g, da, select_derivative(g, positive, by, ZERO));
    return select_derivative(g, positive, scale_derivative(g, da, by),
                             ZERO); /* a' may be infinite where the root is 0 */
}

/* asin: 1/sqrt(1 - a^2). */
static mus_node of_arc(mus_graph *g, mus_node a, mus_node da) {
    mus_node rest = add_binary(g, MUS_OP_SUB, add_constant(g, 1), add_binary(g, MUS_OP_MUL, a, a));
    return divide_derivative(g, da, add_unary(g, MUS_OP_SQRT, rest));
}

static mus_node derivative_of(mus_graph *g, mus_node self, int32_t slot) {
    mus_graph_item item = g->items.data[self]; /* a copy: the graph grows */
    mus_node a = item.arg[0], b = item.arg[1], c = item.arg[2];
    mus_node da = a >= 0 ? g->derived.data[a] : ZERO, db = b >= 0 ? g->derived.data[b] : ZERO;
    mus_node dc = c >= 0 ? g->derived.data[c] : ZERO;
    switch (item.op) {
    case MUS_OP_INPUT:
        return item.slot == slot ? add_constant(g, 1) : ZERO;
    case MUS_OP_ADD:
        return sum(g, da, db);
    case MUS_OP_SUB:
        return difference(g, da, db);
    case MUS_OP_MUL:
        return sum(g, scale_derivative(g, da, b), scale_derivative(g, db, a));
    case MUS_OP_DIV: /* (a' - (a/b) b')/b */
        return divide_derivative(g, difference(g, da, scale_derivative(g, db, self)), b);
    case MUS_OP_NEG:
        return difference(g, ZERO, da);
    case MUS_OP_MIN:
        return select_derivative(g, add_binary(g, MUS_OP_LT, b, a), db, da);
    case MUS_OP_MAX:
        return select_derivative(g, add_binary(g, MUS_OP_LT, a, b), db, da);
    case MUS_OP_ABS:
        return select_derivative(g, add_binary(g, MUS_OP_LT, a, add_constant(g, 0)), difference(g, ZERO, da),
                                 select_derivative(g, add_binary(g, MUS_OP_LT, add_constant(g, 0), a), da, ZERO));
    case MUS_OP_SQRT:
        return of_root(g, self, da);
    case MUS_OP_SELECT:
        return select_derivative(g, a, db, dc);
    case MUS_OP_EXP:
        return scale_derivative(g, da, self);
    case MUS_OP_LOG:
        return divide_derivative(g, da, a);
    case MUS_OP_SIN:
        return scale_derivative(g, da, add_unary(g, MUS_OP_COS, a));
    case MUS_OP_COS:
        return difference(g, ZERO, scale_derivative(g, da, add_unary(g, MUS_OP_SIN, a)));
    case MUS_OP_TAN:
        return scale_derivative(g, da,
                                add_binary(g, MUS_OP_ADD, add_constant(g, 1), add_binary(g, MUS_OP_MUL, self, self)));
    case MUS_OP_ASIN:
        return of_arc(g, a, da);
    case MUS_OP_ACOS:
        return difference(g, ZERO, of_arc(g, a, da));
    case MUS_OP_ATAN2: /* (y' x - x' y)/(x^2 + y^2) */
        return divide_derivative(
            g, difference(g, scale_derivative(g, da, b), scale_derivative(g, db, a)),
            add_binary(g, MUS_OP_ADD, add_binary(g, MUS_OP_MUL, a, a), add_binary(g, MUS_OP_MUL, b, b)));
    case MUS_OP_POW:
        return of_power(g, self, a, b, da, db);
    case MUS_OP_CONSTANT:
    case MUS_OP_PARAMETER:
    case MUS_OP_FLOOR:
    case MUS_OP_LT:
    case MUS_OP_LE:
    case MUS_OP_EQ:
    case MUS_OP_LATTICE:
    case MUS_OP_COUNT:
        break;
    }
    return ZERO;
}

/* Arguments come before the nodes that use them: one backward pass finds the nodes needed, one forward pass derives
 * them. A node that could not be made looks like ZERO on the way; the graph records the failure. */
mus_node mus_graph_add_derivative(mus_graph *g, mus_node node, int32_t slot) {
    if (node < 0 || node >= g->items.count || !mus_array_reserve(&g->derived, (int64_t)node + 1)) {
        g->failed = true;
        return -1;
    }
    mus_node *derived = g->derived.data;
    for (mus_node k = 0; k <= node; k++) derived[k] = UNKNOWN;
    derived[node] = ZERO;
    for (mus_node k = node; k >= 0; k--) {
        if (derived[k] == UNKNOWN) continue;
        for (int j = 0; j < 3; j++)
            if (g->items.data[k].arg[j] >= 0) derived[g->items.data[k].arg[j]] = ZERO;
    }
    for (mus_node k = 0; k <= node; k++)
        if (derived[k] != UNKNOWN) derived[k] = derivative_of(g, k, slot);
    mus_node result = derived[node] == ZERO ? add_constant(g, 0) : derived[node];
    return g->failed ? -1 : result;
}
