/* program_kernel.c: the evaluator's loop, in vector lanes. Compiled once for every instruction set; every lane rounds
 * as plain C does, and functions without a lane form of their own are called number by number, so the bits are the
 * same. */
#include "trace/program_kernel.h"

#include "base/lanes.h"

_Static_assert(MUS_TRACE_BLOCK % W == 0, "a block is whole groups of lanes");

LANES_FN lanes truth(mask m) {
    return lanes_select(m, lanes_all(1), lanes_all(0));
}
LANES_FN mask is_nan(lanes a) {
    mask all = lanes_equal(lanes_all(0), lanes_all(0));
    return mask_without(all, lanes_ordered(a, a));
}
LANES_FN lanes lesser(lanes a, lanes b) {
    return lanes_select(mask_or(lanes_above(a, b), is_nan(b)), b, a);
}
LANES_FN lanes greater(lanes a, lanes b) {
    return lanes_select(mask_or(lanes_above(b, a), is_nan(b)), b, a);
}
LANES_FN lanes chosen(lanes condition, lanes a, lanes b) {
    return lanes_select(lanes_equal(condition, lanes_all(0)), b, a);
}

#define ONE(at, expression)                                                                                            \
    {                                                                                                                  \
        lanes a = lanes_load(p + (at));                                                                                \
        lanes_store(out + (at), (expression));                                                                         \
    }
#define TWO(at, expression)                                                                                            \
    {                                                                                                                  \
        lanes a = lanes_load(p + (at)), b = lanes_load(q + (at));                                                      \
        lanes_store(out + (at), (expression));                                                                         \
    }
#define THREE(at, expression)                                                                                          \
    {                                                                                                                  \
        lanes a = lanes_load(p + (at)), b = lanes_load(q + (at)), c = lanes_load(r + (at));                            \
        lanes_store(out + (at), (expression));                                                                         \
    }
/* Four groups of lanes at a time: a turn of a loop costs as much as an operation. */
#define OVER(arguments, expression)                                                                                    \
    for (; k + 4 * W <= count; k += 4 * W) {                                                                           \
        arguments(k, expression);                                                                                      \
        arguments(k + W, expression);                                                                                  \
        arguments(k + 2 * W, expression);                                                                              \
        arguments(k + 3 * W, expression);                                                                              \
    }                                                                                                                  \
    for (; k < count; k += W) arguments(k, expression);                                                                \
    break
#define EACH(expression)    OVER(ONE, expression)
#define PAIRS(expression)   OVER(TWO, expression)
#define TRIPLES(expression) OVER(THREE, expression)

void MUS_KERNEL(mus_program_run_block)(const mus_instruction *instructions, int32_t instruction_count,
                                       double *registers, int count) {
    for (const mus_instruction *i = instructions, *end = i + instruction_count; i < end; i++) {
        double *out = registers + (size_t)i->out * MUS_TRACE_BLOCK;
        const double *p = registers + (size_t)i->arg[0] * MUS_TRACE_BLOCK;
        const double *q = registers + (size_t)i->arg[1] * MUS_TRACE_BLOCK;
        const double *r = registers + (size_t)i->arg[2] * MUS_TRACE_BLOCK;
        int k = 0;
        switch (i->op) {
        case MUS_OP_ADD:
            PAIRS(lanes_add(a, b));
        case MUS_OP_SUB:
            PAIRS(lanes_sub(a, b));
        case MUS_OP_MUL:
            PAIRS(lanes_mul(a, b));
        case MUS_OP_DIV:
            PAIRS(lanes_div(a, b));
        case MUS_OP_NEG:
            EACH(lanes_neg(a));
        case MUS_OP_MIN:
            PAIRS(lesser(a, b));
        case MUS_OP_MAX:
            PAIRS(greater(a, b));
        case MUS_OP_ABS:
            EACH(lanes_abs(a));
        case MUS_OP_SQRT:
            EACH(lanes_sqrt(a));
        case MUS_OP_LT:
            PAIRS(truth(lanes_above(b, a)));
        case MUS_OP_LE:
            PAIRS(truth(lanes_at_least(b, a)));
        case MUS_OP_EQ:
            PAIRS(truth(lanes_equal(a, b)));
        case MUS_OP_SELECT:
            TRIPLES(chosen(a, b, c));
        case MUS_FUSED_MUL_ADD:
            TRIPLES(lanes_add(lanes_mul(a, b), c));
        case MUS_FUSED_MUL_SUB:
            TRIPLES(lanes_sub(lanes_mul(a, b), c));
        case MUS_FUSED_SUB_MUL:
            TRIPLES(lanes_sub(c, lanes_mul(a, b)));
        default:
            for (; k < count; k++) out[k] = mus_op_value((mus_op)i->op, p[k], q[k], r[k], i->seed);
        }
    }
}
