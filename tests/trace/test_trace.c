/* test_trace.c: operations of traced functions against plain C, with the same bits under every instruction set;
 * folding; derivatives of every operation against finite differences; errors; memory that runs out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../base/scarce.h"
#include "base/rng.h"
#include "base/simd.h"
#include "trace/program.h"
#include "muslin.h"

#include <math.h>
#include <stdlib.h>

enum { COUNT = 333 };

static const mus_op functions[] = {MUS_OP_ADD, MUS_OP_SUB,    MUS_OP_MUL,  MUS_OP_DIV,   MUS_OP_NEG, MUS_OP_MIN,
                                   MUS_OP_MAX, MUS_OP_ABS,    MUS_OP_SQRT, MUS_OP_FLOOR, MUS_OP_LT,  MUS_OP_LE,
                                   MUS_OP_EQ,  MUS_OP_SELECT, MUS_OP_EXP,  MUS_OP_LOG,   MUS_OP_SIN, MUS_OP_COS,
                                   MUS_OP_TAN, MUS_OP_ASIN,   MUS_OP_ACOS, MUS_OP_ATAN2, MUS_OP_POW};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

/* Three inputs that every kind of rule has. */
static const int32_t slots[3] = {MUS_INPUT_VELOCITY, MUS_INPUT_VELOCITY + 1, MUS_INPUT_VELOCITY + 2};

static mus_program *program_of(mus_graph *g, mus_node x, mus_node y, mus_node z) {
    mus_program *p = NULL;
    if (mus_program_create(MUS_PROGRAM_RULE, g, (mus_node[3]){x, y, z}, 3, &p) != MUS_STATUS_OK)
        fail_msg("%s", mus_get_error_message());
    return p;
}

static mus_graph *graph(void) {
    mus_graph *g;
    assert_int_equal(mus_graph_create(&g), MUS_STATUS_OK);
    return g;
}

static void evaluate(const mus_program *p, double in[3][COUNT], double out[3][COUNT]) {
    const double *inputs[MUS_INPUT_COUNT] = {NULL};
    for (int k = 0; k < 3; k++) inputs[slots[k]] = in[k];
    double *outputs[3] = {out[0], out[1], out[2]};
    assert_int_equal(mus_program_evaluate(p, inputs, COUNT, outputs), MUS_STATUS_OK);
}

static bool same_bits(double a, double b) {
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

/* Plain numbers, signed zeros, infinities, what is no number, tiny and huge ones. */
static double some(mus_rng *rng) {
    static const double odd[] = {0, -0.0, 1, -1, 0.5, INFINITY, -INFINITY, NAN, 0x1p-1074, 1e300, -1e300, 2, 3};
    uint64_t style = mus_rng_below(rng, 4);
    if (style == 0) return odd[mus_rng_below(rng, sizeof odd / sizeof odd[0])];
    if (style == 1) return mus_rng_between(rng, -1, 1);
    return mus_rng_between(rng, -20, 20);
}

static void fill(double in[3][COUNT], uint64_t seed) {
    mus_rng rng = mus_rng_make(seed, 0);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < COUNT; k++) in[i][k] = some(&rng);
}

/* Written apart from the library: what every operation must give. */
static double plain(mus_op op, double a, double b, double c) {
    switch (op) {
    case MUS_OP_ADD:
        return a + b;
    case MUS_OP_SUB:
        return a - b;
    case MUS_OP_MUL:
        return a * b;
    case MUS_OP_DIV:
        return a / b;
    case MUS_OP_NEG:
        return -a;
    case MUS_OP_MIN:
        return isnan(a) || isnan(b) ? NAN : b < a ? b : a;
    case MUS_OP_MAX:
        return isnan(a) || isnan(b) ? NAN : b > a ? b : a;
    case MUS_OP_ABS:
        return fabs(a);
    case MUS_OP_SQRT:
        return sqrt(a);
    case MUS_OP_FLOOR:
        return floor(a);
    case MUS_OP_LT:
        return a < b ? 1 : 0;
    case MUS_OP_LE:
        return a <= b ? 1 : 0;
    case MUS_OP_EQ:
        return a == b ? 1 : 0;
    case MUS_OP_SELECT:
        return a == 0 ? c : b;
    case MUS_OP_EXP:
        return mus_exp(a);
    case MUS_OP_LOG:
        return mus_log(a);
    case MUS_OP_SIN:
        return mus_sin(a);
    case MUS_OP_COS:
        return mus_cos(a);
    case MUS_OP_TAN:
        return mus_tan(a);
    case MUS_OP_ASIN:
        return mus_asin(a);
    case MUS_OP_ACOS:
        return mus_acos(a);
    case MUS_OP_ATAN2:
        return mus_atan2(a, b);
    case MUS_OP_POW:
        return mus_pow(a, b);
    default:
        fail_msg("no such operation");
        return 0;
    }
}

static void test_operations(void **state) {
    (void)state;
    static double in[3][COUNT], out[3][COUNT];
    static const char *const levels[] = {"baseline", "avx2", "avx512"};
    fill(in, 1);
    for (int level = 0; level < 3; level++) {
        if (mus_set_simd_level(levels[level]) != MUS_STATUS_OK) continue;
        for (int f = 0; f < FUNCTIONS; f++) {
            mus_graph *g = graph();
            mus_node a = mus_graph_add_input(g, slots[0]), b = mus_graph_add_input(g, slots[1]),
                     c = mus_graph_add_input(g, slots[2]);
            mus_program *p = program_of(g, mus_graph_add_operation(g, functions[f], a, b, c), a, b);
            evaluate(p, in, out);
            for (int k = 0; k < COUNT; k++)
                if (!same_bits(out[0][k], plain(functions[f], in[0][k], in[1][k], in[2][k])))
                    fail_msg("%s under %s: %s(%a, %a, %a) gives %a", mus_op_get_name(functions[f]), levels[level],
                             mus_op_get_name(functions[f]), in[0][k], in[1][k], in[2][k], out[0][k]);
            mus_program_release(p);
        }
    }
    mus_set_simd_level(NULL);
}

/* A node of random depth, and its value at one point by plain C. */
typedef struct made {
    mus_node node;
    double value;
} made;

static made random_expression(mus_graph *g, mus_rng *rng, const double at[3], bool constants, int depth) {
    if (depth == 0 || mus_rng_below(rng, 5) == 0) {
        uint64_t k = mus_rng_below(rng, 4);
        if (k < 3)
            return (made){constants ? mus_graph_add_constant(g, at[k]) : mus_graph_add_input(g, slots[k]), at[k]};
        static const double numbers[] = {0, -0.0, 1, 2, -1, 0.25, INFINITY};
        double value = numbers[mus_rng_below(rng, 7)];
        return (made){mus_graph_add_constant(g, value), value};
    }
    mus_op op = functions[mus_rng_below(rng, FUNCTIONS)];
    made a = random_expression(g, rng, at, constants, depth - 1),
         b = random_expression(g, rng, at, constants, depth - 1);
    made c = random_expression(g, rng, at, constants, depth - 1);
    return (made){mus_graph_add_operation(g, op, a.node, b.node, c.node), plain(op, a.value, b.value, c.value)};
}

/* Shortcuts, common nodes and registers keep the bits of doing it step by step; so does folding. */
static void test_expressions(void **state) {
    (void)state;
    mus_rng rng = mus_rng_make(7, 1);
    for (int round = 0; round < 400; round++) {
        double at[3] = {some(&rng), some(&rng), some(&rng)};
        mus_graph *g = graph(), *folded = graph();
        mus_rng again = rng;
        made e = random_expression(g, &rng, at, false, 5);
        made f = random_expression(folded, &again, at, true, 5);
        const double *inputs[MUS_INPUT_COUNT] = {NULL};
        double x, y, z, *outputs[3] = {&x, &y, &z};
        for (int k = 0; k < 3; k++) inputs[slots[k]] = &at[k];
        mus_program *p = program_of(g, e.node, e.node, e.node), *q = program_of(folded, f.node, f.node, f.node);
        assert_int_equal(mus_program_evaluate(p, inputs, 1, outputs), MUS_STATUS_OK);
        if (!same_bits(x, e.value) || !same_bits(y, x)) fail_msg("round %d: %a, not %a", round, x, e.value);
        double by_slot[MUS_INPUT_COUNT] = {0}, one[3];
        for (int k = 0; k < 3; k++) by_slot[slots[k]] = at[k];
        mus_program_one(p, by_slot, one);
        if (!same_bits(one[0], e.value) || !same_bits(one[2], e.value))
            fail_msg("round %d, by itself: %a", round, one[0]);
        assert_int_equal(q->instruction_count, 0);
        assert_int_equal(mus_program_evaluate(q, inputs, 1, outputs), MUS_STATUS_OK);
        if (!same_bits(x, e.value)) fail_msg("round %d, folded: %a, not %a", round, x, e.value);
        mus_program_release(p);
        mus_program_release(q);
    }
}

static void test_folding(void **state) {
    (void)state;
    mus_graph *g = graph();
    mus_node x = mus_graph_add_input(g, MUS_INPUT_GAP), y = mus_graph_add_input(g, MUS_INPUT_MASS);
    mus_node zero = mus_graph_add_constant(g, 0), less = mus_graph_add_constant(g, -0.0),
             unit = mus_graph_add_constant(g, 1);
    assert_int_equal(mus_graph_add_operation(g, MUS_OP_ADD, x, y, -1),
                     mus_graph_add_operation(g, MUS_OP_ADD, y, x, -1));
    assert_int_not_equal(mus_graph_add_operation(g, MUS_OP_SUB, x, y, -1),
                         mus_graph_add_operation(g, MUS_OP_SUB, y, x, -1));
    assert_int_not_equal(zero, less);
    assert_int_equal(mus_graph_add_operation(g, MUS_OP_MUL, x, unit, -1), x);
    assert_int_equal(mus_graph_add_operation(g, MUS_OP_SUB, x, zero, -1), x);
    assert_int_equal(mus_graph_add_operation(g, MUS_OP_ADD, less, x, -1), x);
    assert_int_not_equal(mus_graph_add_operation(g, MUS_OP_ADD, zero, x, -1), x);    /* -0 + 0 is +0 */
    assert_int_not_equal(mus_graph_add_operation(g, MUS_OP_MUL, x, zero, -1), zero); /* NaN, and -0 */
    assert_int_equal(mus_graph_add_operation(g, MUS_OP_SELECT, unit, x, y), x);
    assert_int_equal(mus_graph_add_operation(g, MUS_OP_SQRT, mus_graph_add_constant(g, 4), -1, -1),
                     mus_graph_add_constant(g, 2));
    int32_t before = mus_graph_get_node_count(g);
    mus_node sum = mus_graph_add_operation(g, MUS_OP_MUL, mus_graph_add_operation(g, MUS_OP_ADD, x, y, -1), x, -1);
    assert_int_equal(mus_graph_get_node_count(g), before + 1);
    /* what no output needs is not computed */
    mus_program *p = program_of(g, sum, x, sum);
    assert_int_equal(p->instruction_count, 2);
    assert_true(mus_program_uses(p, MUS_INPUT_GAP) && !mus_program_uses(p, MUS_INPUT_TIME));
    mus_program_release(p);
    /* a chain runs in few registers */
    g = graph();
    mus_node n = mus_graph_add_input(g, MUS_INPUT_GAP);
    for (int k = 0; k < 100; k++) n = mus_graph_add_operation(g, MUS_OP_SIN, n, -1, -1);
    p = program_of(g, n, n, n);
    assert_int_equal(p->instruction_count, 100);
    assert_true(p->register_count <= 3);
    mus_program_release(p);
}

static void test_parameters(void **state) {
    (void)state;
    static double in[3][COUNT], out[3][COUNT];
    fill(in, 3);
    mus_parameter *mu, *other;
    assert_int_equal(mus_parameter_create("mu", 0.25, &mu), MUS_STATUS_OK);
    assert_int_equal(mus_parameter_create("mu", 1, &other), MUS_STATUS_OK);
    mus_graph *g = graph();
    mus_node x = mus_graph_add_input(g, slots[0]), m = mus_graph_add_parameter(g, mu);
    assert_int_equal(mus_graph_add_parameter(g, mu), m);
    mus_program *p = program_of(g, mus_graph_add_operation(g, MUS_OP_MUL, x, m, -1), m, x);
    assert_ptr_equal(mus_program_find_parameter(p, "mu"), mu);
    assert_null(mus_program_find_parameter(p, "nu"));
    mus_parameter_release(mu); /* the program holds it */
    for (int round = 0; round < 2; round++) {
        evaluate(p, in, out);
        for (int k = 0; k < COUNT; k++) {
            assert_true(same_bits(out[0][k], in[0][k] * mus_parameter_get_value(mus_program_find_parameter(p, "mu"))));
            assert_true(out[1][k] == mus_parameter_get_value(mus_program_find_parameter(p, "mu")));
        }
        assert_int_equal(mus_parameter_set_value(mus_program_find_parameter(p, "mu"), -3), MUS_STATUS_OK);
    }
    assert_int_equal(mus_parameter_set_value(mus_program_find_parameter(p, "mu"), NAN), MUS_STATUS_INVALID);
    assert_non_null(strstr(mus_get_error_message(), "param 'mu': its value must be finite"));
    mus_program_release(p);
    g = graph();
    assert_true(mus_graph_add_parameter(g, other) >= 0);
    mus_parameter *third;
    assert_int_equal(mus_parameter_create("mu", 1, &third), MUS_STATUS_OK);
    assert_true(mus_graph_add_parameter(g, third) < 0);
    assert_non_null(strstr(mus_get_error_message(), "another one of this name"));
    mus_graph_destroy(g);
    mus_parameter_release(other);
    mus_parameter_release(third);
}

/* Derivative of each operation of smooth functions of the inputs, by each input, against central differences. */
static void test_derivatives(void **state) {
    (void)state;
    mus_rng rng = mus_rng_make(11, 0);
    for (int f = 0; f < FUNCTIONS; f++) {
        mus_op op = functions[f];
        for (int round = 0; round < 40; round++) {
            double at[3];
            for (int k = 0; k < 3; k++) at[k] = mus_rng_between(&rng, 0.2, 0.8);
            mus_graph *g = graph();
            mus_node x[3], derived[3];
            for (int k = 0; k < 3; k++) x[k] = mus_graph_add_input(g, slots[k]);
            /* arguments that mix the inputs */
            mus_node ab = mus_graph_add_operation(g, MUS_OP_MUL, x[0], x[1], -1),
                     bc = mus_graph_add_operation(g, MUS_OP_MUL, x[1], x[2], -1);
            mus_node arg[3] = {ab, bc, x[0]};
            if (op == MUS_OP_SELECT) arg[0] = mus_graph_add_operation(g, MUS_OP_LT, x[0], x[1], -1);
            mus_node y = mus_graph_add_operation(g, op, arg[0], arg[1], arg[2]);
            for (int k = 0; k < 3; k++) derived[k] = mus_graph_add_derivative(g, y, slots[k]);
            mus_program *p = program_of(g, derived[0], derived[1], derived[2]);
            const double *inputs[MUS_INPUT_COUNT] = {NULL};
            double slope[3], *outputs[3] = {&slope[0], &slope[1], &slope[2]};
            for (int k = 0; k < 3; k++) inputs[slots[k]] = &at[k];
            assert_int_equal(mus_program_evaluate(p, inputs, 1, outputs), MUS_STATUS_OK);
            for (int k = 0; k < 3; k++) {
                double h = 1e-5, end[2];
                for (int s = 0; s < 2; s++) {
                    double v[3] = {at[0], at[1], at[2]};
                    v[k] += s ? h : -h;
                    double first = op == MUS_OP_SELECT ? v[0] < v[1] : v[0] * v[1];
                    end[s] = plain(op, first, v[1] * v[2], v[0]);
                }
                double wanted = (end[1] - end[0]) / (2 * h);
                bool jumps = fabs(at[0] - at[1]) < 1e-4 || fabs(at[0] - at[2]) < 1e-4; /* of select, min and max */
                if (!jumps && fabs(slope[k] - wanted) > 1e-7 * (1 + fabs(wanted)))
                    fail_msg("d %s / d %d = %g, not %g", mus_op_get_name(op), k, slope[k], wanted);
            }
            mus_program_release(p);
        }
    }
}

/* What has no derivative at a point has the one that was promised; a guard guards its derivative. */
static void test_kinks(void **state) {
    (void)state;
    mus_graph *g = graph();
    mus_node x = mus_graph_add_input(g, slots[0]), zero = mus_graph_add_constant(g, 0);
    mus_node magnitude = mus_graph_add_operation(g, MUS_OP_ABS, x, -1, -1);
    mus_node root = mus_graph_add_operation(g, MUS_OP_SQRT, mus_graph_add_operation(g, MUS_OP_MUL, x, x, -1), -1, -1);
    mus_node guarded = mus_graph_add_operation(g, MUS_OP_SELECT, mus_graph_add_operation(g, MUS_OP_LT, zero, x, -1),
                                               mus_graph_add_operation(g, MUS_OP_LOG, x, -1, -1), x);
    mus_node of[3] = {mus_graph_add_derivative(g, magnitude, slots[0]), mus_graph_add_derivative(g, root, slots[0]),
                      mus_graph_add_derivative(g, guarded, slots[0])};
    assert_int_equal(mus_graph_add_derivative(g, x, slots[1]), zero);
    mus_program *p = program_of(g, of[0], of[1], of[2]);
    double at[3] = {0, -2, 4}, out[3][3], *outputs[3] = {out[0], out[1], out[2]};
    const double *inputs[MUS_INPUT_COUNT] = {NULL};
    inputs[slots[0]] = at;
    assert_int_equal(mus_program_evaluate(p, inputs, 3, outputs), MUS_STATUS_OK);
    static const double wanted[3][3] = {{0, -1, 1}, {0, -1, 1}, {1, 1, 0.25}};
    for (int j = 0; j < 3; j++)
        for (int k = 0; k < 3; k++) assert_true(out[j][k] == wanted[j][k]);
    mus_program_release(p);
}

/* The derivative of what is under a root may be infinite where the root is 0. */
static void test_steep_root(void **state) {
    (void)state;
    mus_graph *g = graph();
    mus_node x = mus_graph_add_input(g, slots[0]);
    mus_node inner = mus_graph_add_operation(g, MUS_OP_POW, x, mus_graph_add_constant(g, 0.5), -1);
    mus_node d = mus_graph_add_derivative(g, mus_graph_add_operation(g, MUS_OP_SQRT, inner, -1, -1), slots[0]);
    mus_program *p = program_of(g, d, d, d);
    double at[2] = {0, 16}, out[3][2], *outputs[3] = {out[0], out[1], out[2]};
    const double *inputs[MUS_INPUT_COUNT] = {NULL};
    inputs[slots[0]] = at;
    assert_int_equal(mus_program_evaluate(p, inputs, 2, outputs), MUS_STATUS_OK);
    assert_true(out[0][0] == 0 && fabs(out[0][1] - 0.03125) < 1e-15);
    mus_program_release(p);
}

/* A product goes into the sum that alone reads it, from either side, and stays by itself where others read it. */
static void test_fused(void **state) {
    (void)state;
    static double in[3][COUNT], out[3][COUNT];
    static const char *const levels[] = {"baseline", "avx2", "avx512"};
    fill(in, 3);
    mus_graph *g = graph();
    mus_node x[3];
    for (int k = 0; k < 3; k++) x[k] = mus_graph_add_input(g, slots[k]);
    mus_node ab = mus_graph_add_operation(g, MUS_OP_MUL, x[0], x[1], -1),
             bc = mus_graph_add_operation(g, MUS_OP_MUL, x[1], x[2], -1);
    mus_node ac = mus_graph_add_operation(g, MUS_OP_MUL, x[0], x[2], -1);
    mus_node sum = mus_graph_add_operation(g, MUS_OP_ADD, ab, x[2], -1);
    mus_program *p = program_of(g, sum, mus_graph_add_operation(g, MUS_OP_SUB, bc, x[0], -1),
                                mus_graph_add_operation(g, MUS_OP_SUB, sum, ac, -1));
    assert_int_equal(p->instruction_count, 3);
    for (int level = 0; level < 3; level++) {
        if (mus_set_simd_level(levels[level]) != MUS_STATUS_OK) continue;
        evaluate(p, in, out);
        for (int k = 0; k < COUNT; k++) {
            double a = in[0][k], b = in[1][k], c = in[2][k], one[3], number[MUS_INPUT_COUNT] = {0};
            double wanted[3] = {a * b + c, b * c - a, a * b + c - a * c};
            for (int j = 0; j < 3; j++) number[slots[j]] = in[j][k];
            mus_program_one(p, number, one);
            for (int j = 0; j < 3; j++) assert_true(same_bits(out[j][k], wanted[j]) && same_bits(one[j], wanted[j]));
        }
    }
    mus_set_simd_level(NULL);
    mus_program_release(p);
    g = graph();
    for (int k = 0; k < 3; k++) x[k] = mus_graph_add_input(g, slots[k]);
    ab = mus_graph_add_operation(g, MUS_OP_MUL, x[0], x[1], -1);
    p = program_of(g, ab, mus_graph_add_operation(g, MUS_OP_ADD, ab, x[2], -1),
                   mus_graph_add_operation(g, MUS_OP_ADD, ab, ab, -1));
    assert_int_equal(p->instruction_count, 3);
    evaluate(p, in, out);
    for (int k = 0; k < COUNT; k++) {
        double product = in[0][k] * in[1][k];
        assert_true(same_bits(out[0][k], product) && same_bits(out[1][k], product + in[2][k]) &&
                    same_bits(out[2][k], product + product));
    }
    mus_program_release(p);
}

static void test_lattice(void **state) {
    (void)state;
    double sum = 0, least = 1, most = -1;
    for (int k = 0; k < 4000; k++) {
        double r = mus_lattice(k % 20, k / 20 % 20, k / 400, 1);
        sum += r, least = fmin(least, r), most = fmax(most, r);
    }
    assert_true(fabs(sum / 4000) < 0.05 && least >= -1 && least < -0.95 && most < 1 && most > 0.95);
    assert_true(mus_lattice(1, 2, 3, 1) != mus_lattice(2, 1, 3, 1) &&
                mus_lattice(1, 2, 3, 1) != mus_lattice(1, 2, 3, 2));
    assert_true(mus_lattice(NAN, 1e300, -INFINITY, 0) == mus_lattice(0, 0, 0, 0));
    mus_graph *g = graph();
    mus_node x = mus_graph_add_input(g, slots[0]), y = mus_graph_add_input(g, slots[1]),
             z = mus_graph_add_input(g, slots[2]);
    mus_program *p = program_of(g, mus_graph_add_lattice(g, x, y, z, 5), mus_graph_add_lattice(g, x, y, z, 6), x);
    static double in[3][COUNT], out[3][COUNT];
    fill(in, 9);
    evaluate(p, in, out);
    for (int k = 0; k < COUNT; k++) {
        assert_true(out[0][k] == mus_lattice(in[0][k], in[1][k], in[2][k], 5));
        assert_true(out[1][k] == mus_lattice(in[0][k], in[1][k], in[2][k], 6));
    }
    mus_program_release(p);
}

/* A potential has outputs for its normal force and curvature, a force for its Jacobian. */
static void test_kinds(void **state) {
    (void)state;
    mus_graph *g = graph();
    mus_node gap = mus_graph_add_input(g, MUS_INPUT_GAP),
             cube =
                 mus_graph_add_operation(g, MUS_OP_MUL, gap, mus_graph_add_operation(g, MUS_OP_MUL, gap, gap, -1), -1);
    mus_program *p;
    assert_int_equal(mus_program_create(MUS_PROGRAM_POTENTIAL, g, &cube, 1, &p), MUS_STATUS_OK);
    assert_int_equal(mus_program_get_output_count(p), 3);
    const double *inputs[MUS_INPUT_COUNT] = {NULL};
    double at = -2, energy, normal_force, curvature, *outputs[3] = {&energy, &normal_force, &curvature};
    inputs[MUS_INPUT_GAP] = &at;
    assert_int_equal(mus_program_evaluate(p, inputs, 1, outputs), MUS_STATUS_OK);
    assert_true(energy == -8 && normal_force == -12 && curvature == -12);
    char text[2000], small[10];
    size_t length = mus_program_explain(p, text, sizeof text);
    assert_true(length == strlen(text) && length < sizeof text);
    assert_true(mus_program_explain(p, small, sizeof small) == length && strncmp(small, text, 9) == 0 && small[9] == 0);
    assert_non_null(strstr(text, "gap * gap"));
    assert_non_null(strstr(text, "derivative: normal force -dE/dgap"));
    mus_program_release(p);

    g = graph();
    mus_node force[3];
    for (int k = 0; k < 3; k++)
        force[k] = mus_graph_add_operation(g, MUS_OP_MUL, mus_graph_add_input(g, MUS_INPUT_POSITION + k),
                                           mus_graph_add_input(g, MUS_INPUT_VELOCITY), -1);
    assert_int_equal(mus_program_create(MUS_PROGRAM_NODE_FORCE, g, force, 3, &p), MUS_STATUS_OK);
    assert_int_equal(mus_program_get_output_count(p), 21);
    double x[3] = {2, 3, 5}, v[3] = {7, 0, 0}, result[21], *results[21];
    for (int k = 0; k < 21; k++) results[k] = &result[k];
    for (int k = 0; k < 3; k++) inputs[MUS_INPUT_POSITION + k] = &x[k], inputs[MUS_INPUT_VELOCITY + k] = &v[k];
    assert_int_equal(mus_program_evaluate(p, inputs, 1, results), MUS_STATUS_OK);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            assert_true(result[3 + 3 * i + j] == (i == j ? 7 : 0));
            assert_true(result[12 + 3 * i + j] == (j == 0 ? x[i] : 0));
        }
    mus_program_release(p);
}

static void test_errors(void **state) {
    (void)state;
    mus_graph *g = graph();
    mus_node gap = mus_graph_add_input(g, MUS_INPUT_GAP), three[3] = {gap, gap, gap}, wrong[3] = {gap, 77, gap};
    mus_program *p;
    assert_int_equal(mus_program_create(MUS_PROGRAM_RULE, g, three, 2, &p), MUS_STATUS_INVALID);
    assert_non_null(strstr(mus_get_error_message(), "a rule of a contact returns 3 numbers (got 2)"));
    assert_int_equal(mus_program_create(MUS_PROGRAM_RULE, g, wrong, 3, &p), MUS_STATUS_INVALID);
    assert_non_null(strstr(mus_get_error_message(), "output 2 is no node"));
    assert_int_equal(mus_program_create(MUS_PROGRAM_NODE_FORCE, g, three, 3, &p), MUS_STATUS_INVALID);
    assert_non_null(strstr(mus_get_error_message(), "it reads what a force on a node does not have"));
    assert_null(p);
    assert_int_equal(mus_program_create(MUS_PROGRAM_RULE, g, three, 3, &p), MUS_STATUS_OK);
    const double *none[MUS_INPUT_COUNT] = {NULL};
    double x, *out[3] = {&x, &x, &x};
    assert_int_equal(mus_program_evaluate(p, none, 1, out), MUS_STATUS_INVALID);
    mus_program_release(p);
    g = graph();
    assert_true(mus_graph_add_input(g, MUS_INPUT_COUNT) < 0);
    assert_true(mus_graph_add_operation(g, MUS_OP_ADD, 0, 5, -1) < 0);
    three[0] = three[1] = three[2] = mus_graph_add_input(g, 0);
    assert_int_equal(mus_program_create(MUS_PROGRAM_RULE, g, three, 3, &p), MUS_STATUS_INVALID); /* a node failed */
    mus_graph_destroy(g);
    g = graph();
    mus_node n = mus_graph_add_input(g, 0);
    for (int k = 0; k < MUS_GRAPH_LARGEST; k++) n = mus_graph_add_operation(g, MUS_OP_SIN, n, -1, -1);
    assert_true(n < 0);
    assert_non_null(strstr(mus_get_error_message(), "more than 20000 operations"));
    mus_graph_destroy(g);
}

/* ---- Memory that runs out ---- */

static mus_status build_all(void) {
    mus_graph *g;
    mus_parameter *k = NULL;
    mus_program *p = NULL;
    mus_status status = mus_graph_create(&g);
    if (status != MUS_STATUS_OK) return status;
    status = mus_parameter_create("k", 2, &k);
    if (status == MUS_STATUS_OK) {
        mus_node gap = mus_graph_add_input(g, MUS_INPUT_GAP), e = mus_graph_add_parameter(g, k);
        for (int i = 0; i < 40; i++) e = mus_graph_add_operation(g, i % 2 ? MUS_OP_MUL : MUS_OP_EXP, e, gap, -1);
        status = mus_program_create(MUS_PROGRAM_POTENTIAL, g, &e, 1, &p);
        if (status != MUS_STATUS_OK) mus_graph_destroy(g);
    } else {
        mus_graph_destroy(g);
    }
    if (p) {
        double x = 0.5, y, *out[3] = {&y, &y, &y};
        const double *inputs[MUS_INPUT_COUNT] = {NULL};
        inputs[MUS_INPUT_GAP] = &x;
        status = mus_program_evaluate(p, inputs, 1, out);
    }
    mus_program_release(p);
    mus_parameter_release(k);
    return status;
}

static void test_allocation(void **state) {
    (void)state;
    size_t before = mus_get_allocated_bytes();
    scarce memory = {.lasting = true};
    mus_set_allocator(scarce_alloc, &memory);
    int failed = 0;
    for (int64_t allowed = 0;; allowed++) {
        memory = (scarce){.lasting = true, .fail_at = allowed + 1};
        mus_status status = build_all();
        assert_int_equal(mus_get_allocated_bytes(), before);
        if (status == MUS_STATUS_OK) break;
        failed++;
        assert_true(allowed < 1000);
    }
    mus_set_allocator(NULL, NULL);
    assert_true(failed > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations), cmocka_unit_test(test_expressions), cmocka_unit_test(test_folding),
        cmocka_unit_test(test_parameters), cmocka_unit_test(test_derivatives), cmocka_unit_test(test_kinks),
        cmocka_unit_test(test_lattice),    cmocka_unit_test(test_kinds),       cmocka_unit_test(test_errors),
        cmocka_unit_test(test_allocation), cmocka_unit_test(test_steep_root),  cmocka_unit_test(test_fused),
    };
    return cmocka_run_group_tests_name("trace", tests, NULL, NULL);
}
