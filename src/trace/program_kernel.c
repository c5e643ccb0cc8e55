/* program_kernel.c: the evaluator's loop, in SIMD. Compiled once for every instruction set; every lane rounds as plain
 * C does, and functions without a SIMD form are called number by number, so results are bit-identical. */
#include "trace/program_kernel.h"

#include "base/simd_double.h"

_Static_assert(MUS_TRACE_BLOCK % SIMD_WIDTH == 0, "a block is whole groups of lanes");

SIMD_FN simd_double truth(mask m) {
    return simd_select(m, simd_set1(1), simd_set1(0));
}
SIMD_FN mask is_nan(simd_double a) {
    mask all = simd_equal(simd_set1(0), simd_set1(0));
    return mask_without(all, simd_ordered(a, a));
}
SIMD_FN simd_double lesser(simd_double a, simd_double b) {
    return simd_select(mask_or(simd_greater(a, b), is_nan(b)), b, a);
}
SIMD_FN simd_double greater(simd_double a, simd_double b) {
    return simd_select(mask_or(simd_greater(b, a), is_nan(b)), b, a);
}
SIMD_FN simd_double chosen(simd_double condition, simd_double a, simd_double b) {
    return simd_select(simd_equal(condition, simd_set1(0)), b, a);
}

#define ONE(at, expression)                                                                                            \
    {                                                                                                                  \
        simd_double a = simd_load(p + (at));                                                                           \
        simd_store(out + (at), (expression));                                                                          \
    }
#define TWO(at, expression)                                                                                            \
    {                                                                                                                  \
        simd_double a = simd_load(p + (at)), b = simd_load(q + (at));                                                  \
        simd_store(out + (at), (expression));                                                                          \
    }
#define THREE(at, expression)                                                                                          \
    {                                                                                                                  \
        simd_double a = simd_load(p + (at)), b = simd_load(q + (at)), c = simd_load(r + (at));                         \
        simd_store(out + (at), (expression));                                                                          \
    }
/* Four SIMD groups at a time: a loop iteration costs as much as an operation. */
#define OVER(arguments, expression)                                                                                    \
    for (; k + 4 * SIMD_WIDTH <= count; k += 4 * SIMD_WIDTH) {                                                         \
        arguments(k, expression);                                                                                      \
        arguments(k + SIMD_WIDTH, expression);                                                                         \
        arguments(k + 2 * SIMD_WIDTH, expression);                                                                     \
        arguments(k + 3 * SIMD_WIDTH, expression);                                                                     \
    }                                                                                                                  \
    for (; k < count; k += SIMD_WIDTH) arguments(k, expression);                                                       \
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
            PAIRS(simd_add(a, b));
        case MUS_OP_SUB:
            PAIRS(simd_sub(a, b));
        case MUS_OP_MUL:
            PAIRS(simd_mul(a, b));
        case MUS_OP_DIV:
            PAIRS(simd_div(a, b));
        case MUS_OP_NEG:
            EACH(simd_neg(a));
        case MUS_OP_MIN:
            PAIRS(lesser(a, b));
        case MUS_OP_MAX:
            PAIRS(greater(a, b));
        case MUS_OP_ABS:
            EACH(simd_abs(a));
        case MUS_OP_SQRT:
            EACH(simd_sqrt(a));
        case MUS_OP_LT:
            PAIRS(truth(simd_greater(b, a)));
        case MUS_OP_LE:
            PAIRS(truth(simd_greater_equal(b, a)));
        case MUS_OP_EQ:
            PAIRS(truth(simd_equal(a, b)));
        case MUS_OP_SELECT:
            TRIPLES(chosen(a, b, c));
        case MUS_FUSED_MUL_ADD:
            TRIPLES(simd_add(simd_mul(a, b), c));
        case MUS_FUSED_MUL_SUB:
            TRIPLES(simd_sub(simd_mul(a, b), c));
        case MUS_FUSED_SUB_MUL:
            TRIPLES(simd_sub(c, simd_mul(a, b)));
        default:
            for (; k < count; k++) out[k] = mus_op_evaluate((mus_op)i->op, p[k], q[k], r[k], i->seed);
        }
    }
}
