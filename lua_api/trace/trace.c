/* trace.c: expressions: numbers and vectors while a function is traced. Operators and methods make nodes of a
 * graph, in the order in which plain Lua would compute, so that the bits are the same. */
#include "trace/trace.h"

#include <math.h>
#include <string.h>

static const char EXPRESSION[] = "muslin.expression", *const TRACE = MUS_LUA_TRACE;
static const char current_key = 0; /* registry: the present trace */

/* ---- Making and reading ------------------------------------------------------------------------------------------ */

mus_lua_expression *mus_lua_test_expression(lua_State *L, int index) {
    return lua_type(L, index) == LUA_TUSERDATA ? luaL_testudata(L, index, EXPRESSION) : NULL;
}

/* Pushes the userdata of the present trace, or nil. */
static mus_lua_trace *push_current(lua_State *L) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, &current_key);
    return lua_touserdata(L, -1);
}

mus_lua_trace *mus_lua_tracing(lua_State *L) {
    mus_lua_trace *trace = push_current(L);
    lua_pop(L, 1);
    return trace;
}

static mus_lua_trace *check_tracing(lua_State *L) {
    mus_lua_trace *trace = mus_lua_tracing(L);
    if (!trace)
        mus_lua_error(L, "traced function: this number belongs to a function that has been traced; it has no value "
                         "outside of it");
    return trace;
}

static const mus_lua_expression *check_own(lua_State *L, const mus_lua_expression *e) {
    if (e->trace != check_tracing(L))
        mus_lua_error(L, "traced function: this number belongs to another function, which was traced before");
    return e;
}

static mus_node made_node(lua_State *L, mus_node node) {
    if (node < 0) mus_lua_error(L, "%s", mus_get_error_message());
    return node;
}

void mus_lua_push_expression(lua_State *L, int size, const mus_node *nodes) {
    for (int k = 0; k < size; k++) made_node(L, nodes[k]);
    mus_lua_expression *e = lua_newuserdatauv(L, sizeof *e, 1);
    e->trace = push_current(L);
    e->size = size;
    for (int k = 0; k < 3; k++) e->node[k] = nodes[k < size ? k : 0];
    lua_setiuservalue(L, -2, 1);
    luaL_setmetatable(L, EXPRESSION);
}

mus_node mus_lua_number(lua_State *L, double value) {
    return made_node(L, mus_graph_add_constant(check_tracing(L)->graph, value));
}

mus_node mus_lua_apply(lua_State *L, mus_op op, mus_node a, mus_node b, mus_node c) {
    return made_node(L, mus_graph_add_operation(check_tracing(L)->graph, op, a, b, c));
}

/* A number of any kind; -1 for another value. */
static mus_node node_at(lua_State *L, int index) {
    if (lua_type(L, index) == LUA_TNUMBER) return mus_lua_number(L, lua_tonumber(L, index));
    mus_parameter *p = mus_lua_test_param(L, index);
    if (p) return made_node(L, mus_graph_add_parameter(check_tracing(L)->graph, p));
    const mus_lua_expression *e = mus_lua_test_expression(L, index);
    return e && e->size == 1 ? check_own(L, e)->node[0] : -1;
}

mus_node mus_lua_check_node(lua_State *L, int index, const char *what) {
    mus_node node = node_at(L, index);
    if (node < 0) {
        const mus_lua_expression *e = mus_lua_test_expression(L, index);
        const char *seen = e ? "a traced vector" : mus_lua_describe(L, index);
        mus_lua_error(L, "%s must be a number (got %s)", what, seen);
    }
    return node;
}

bool mus_lua_test_nodes(lua_State *L, int index, mus_node out[3]) {
    double v[3];
    const mus_lua_expression *e = mus_lua_test_expression(L, index);
    if (e) {
        memcpy(out, check_own(L, e)->node, sizeof e->node);
        return e->size == 3;
    }
    if (mus_lua_test_vec3(L, index, v)) {
        for (int k = 0; k < 3; k++) out[k] = mus_lua_number(L, v[k]);
        return true;
    }
    if (!lua_istable(L, index) || lua_rawlen(L, index) != 3) return false;
    index = lua_absindex(L, index);
    for (int k = 0; k < 3; k++) {
        lua_rawgeti(L, index, k + 1);
        out[k] = node_at(L, -1);
        lua_pop(L, 1);
        if (out[k] < 0) return false;
    }
    return true;
}

/* ---- Operators --------------------------------------------------------------------------------------------------- */

static void check_vector(lua_State *L, int index, const char *operation, mus_node out[3]) {
    if (mus_lua_test_nodes(L, index, out)) return;
    const mus_lua_expression *e = mus_lua_test_expression(L, index);
    const char *seen = e ? "a traced number" : mus_lua_describe(L, index);
    mus_lua_error(L, "traced function: %s needs a vec3 or {x, y, z} (got %s)", operation, seen);
}

/* Whether the argument is one number (of any kind). */
static bool scalar(lua_State *L, int index) {
    const mus_lua_expression *e = mus_lua_test_expression(L, index);
    return e ? e->size == 1 : lua_type(L, index) == LUA_TNUMBER || mus_lua_test_param(L, index);
}

static int apply_each(lua_State *L, mus_op op, const mus_node *a, const mus_node *b) {
    mus_node out[3];
    for (int k = 0; k < 3; k++) out[k] = mus_lua_apply(L, op, a[k], b[k], -1);
    mus_lua_push_expression(L, 3, out);
    return 1;
}

static int both_scalars(lua_State *L, mus_op op) {
    mus_node a = mus_lua_check_node(L, 1, "traced function: the left side");
    mus_node b = mus_lua_check_node(L, 2, "traced function: the right side"), out = mus_lua_apply(L, op, a, b, -1);
    mus_lua_push_expression(L, 1, &out);
    return 1;
}

static int sum(lua_State *L, mus_op op, const char *sign) {
    if (scalar(L, 1) && scalar(L, 2)) return both_scalars(L, op);
    mus_node a[3], b[3];
    check_vector(L, 1, sign, a);
    check_vector(L, 2, sign, b);
    return apply_each(L, op, a, b);
}

static int expression_add(lua_State *L) {
    return sum(L, MUS_OP_ADD, "'+'");
}
static int expression_sub(lua_State *L) {
    return sum(L, MUS_OP_SUB, "'-'");
}

static int expression_mul(lua_State *L) {
    if (scalar(L, 1) && scalar(L, 2)) return both_scalars(L, MUS_OP_MUL);
    int factor = scalar(L, 1) ? 1 : scalar(L, 2) ? 2 : 0;
    if (!factor)
        return mus_lua_error(L, "traced function: '*' scales a vector by a number; for products of vectors use "
                                "a:dot(b) or a:cross(b)");
    mus_node s = mus_lua_check_node(L, factor, "traced function: the factor"), a[3];
    check_vector(L, 3 - factor, "'*'", a);
    return apply_each(L, MUS_OP_MUL, (mus_node[3]){s, s, s}, a);
}

static int expression_div(lua_State *L) {
    if (scalar(L, 1) && scalar(L, 2)) return both_scalars(L, MUS_OP_DIV);
    if (!scalar(L, 2)) return mus_lua_error(L, "traced function: '/' divides by a number, not by a vector");
    mus_node a[3], s = mus_lua_check_node(L, 2, "traced function: the divisor");
    check_vector(L, 1, "'/'", a);
    return apply_each(L, MUS_OP_DIV, a, (mus_node[3]){s, s, s});
}

static int expression_unm(lua_State *L) {
    const mus_lua_expression *e = mus_lua_test_expression(L, 1);
    mus_node out[3];
    if (!e) { /* a parameter */
        out[0] = mus_lua_apply(L, MUS_OP_NEG, mus_lua_check_node(L, 1, "traced function: '-'"), -1, -1);
        mus_lua_push_expression(L, 1, out);
        return 1;
    }
    for (int k = 0; k < e->size; k++) out[k] = mus_lua_apply(L, MUS_OP_NEG, check_own(L, e)->node[k], -1, -1);
    mus_lua_push_expression(L, e->size, out);
    return 1;
}

/* As Lua computes a^b: the square by a product. */
static int expression_pow(lua_State *L) {
    mus_node a = mus_lua_check_node(L, 1, "traced function: the base of '^'");
    mus_node b = mus_lua_check_node(L, 2, "traced function: the exponent of '^'");
    mus_node square = mus_lua_apply(L, MUS_OP_EQ, b, mus_lua_number(L, 2), -1);
    mus_node out = mus_lua_apply(L, MUS_OP_SELECT, square, mus_lua_apply(L, MUS_OP_MUL, a, a, -1),
                                 mus_lua_apply(L, MUS_OP_POW, a, b, -1));
    mus_lua_push_expression(L, 1, &out);
    return 1;
}

static int expression_idiv(lua_State *L) {
    mus_node a = mus_lua_check_node(L, 1, "traced function: the left side of '//'");
    mus_node b = mus_lua_check_node(L, 2, "traced function: the right side of '//'");
    mus_node out = mus_lua_apply(L, MUS_OP_FLOOR, mus_lua_apply(L, MUS_OP_DIV, a, b, -1), -1, -1);
    mus_lua_push_expression(L, 1, &out);
    return 1;
}

/* The hint for operations that cannot be traced. */
static const char *without_tracing(const mus_lua_trace *trace) {
    if (trace && trace->kind == MUS_PROGRAM_MOTION) return ", or give obstacle:move the function itself";
    if (trace && (trace->kind == MUS_PROGRAM_WIND || trace->kind == MUS_PROGRAM_POTENTIAL)) return "";
    return ", or call the function for each with {trace = false}";
}

int mus_lua_refuse_branch(lua_State *L, const char *what, const char *instead) {
    const mus_lua_trace *trace = mus_lua_tracing(L);
    return mus_lua_error(
        L, "%s: %s a traced number is not possible: one program serves all contacts or nodes at once. Use %s%s",
        trace ? trace->what : "traced function", what, instead, without_tracing(trace));
}

static int expression_lt(lua_State *L) {
    return mus_lua_refuse_branch(L, "'<' on", "muslin.select(muslin.lt(a, b), x, y), muslin.min or muslin.max");
}
static int expression_le(lua_State *L) {
    return mus_lua_refuse_branch(L, "'<=' on", "muslin.select(muslin.le(a, b), x, y), muslin.min or muslin.max");
}
static int expression_eq(lua_State *L) {
    return mus_lua_refuse_branch(L, "'==' on", "muslin.select(muslin.eq(a, b), x, y)");
}
static int expression_mod(lua_State *L) {
    return mus_lua_refuse_branch(L, "'%' on", "x - y * muslin.floor(x / y)");
}
static int expression_concat(lua_State *L) {
    return mus_lua_refuse_branch(L, "making text of", "rule:explain() to see what was traced");
}
static int expression_len(lua_State *L) {
    return mus_lua_refuse_branch(L, "'#' on", "v:length() for a vector's length");
}
static int expression_newindex(lua_State *L) {
    return mus_lua_refuse_branch(L, "setting a component of", "muslin.vec3(x, y, z) to make another vector");
}

static int expression_tostring(lua_State *L) {
    const mus_lua_expression *e = mus_lua_test_expression(L, 1);
    if (!e) return luaL_typeerror(L, 1, "expression");
    if (e->size == 1)
        lua_pushfstring(L, "traced number v%d", (int)e->node[0]);
    else
        lua_pushfstring(L, "traced vector (v%d, v%d, v%d)", (int)e->node[0], (int)e->node[1], (int)e->node[2]);
    return 1;
}

/* ---- Methods of vectors ------------------------------------------------------------------------------------------ */

static void check_self(lua_State *L, const char *method, mus_node out[3]) {
    if (mus_lua_test_nodes(L, 1, out)) return;
    mus_lua_error(L, "traced function: %s() is for vectors; call it as v:%s(...)", method, method);
}

static mus_node dot(lua_State *L, const mus_node *a, const mus_node *b) {
    mus_node s = mus_lua_apply(L, MUS_OP_MUL, a[0], b[0], -1);
    for (int k = 1; k < 3; k++) s = mus_lua_apply(L, MUS_OP_ADD, s, mus_lua_apply(L, MUS_OP_MUL, a[k], b[k], -1), -1);
    return s;
}

static mus_node length(lua_State *L, const mus_node *a) {
    return mus_lua_apply(L, MUS_OP_SQRT, dot(L, a, a), -1, -1);
}

static int push_number(lua_State *L, mus_node node) {
    mus_lua_push_expression(L, 1, &node);
    return 1;
}

static int expression_dot(lua_State *L) {
    mus_node a[3], b[3];
    check_self(L, "dot", a);
    check_vector(L, 2, "dot", b);
    return push_number(L, dot(L, a, b));
}

static int expression_cross(lua_State *L) {
    mus_node a[3], b[3], out[3];
    check_self(L, "cross", a);
    check_vector(L, 2, "cross", b);
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        out[k] = mus_lua_apply(L, MUS_OP_SUB, mus_lua_apply(L, MUS_OP_MUL, a[i], b[j], -1),
                               mus_lua_apply(L, MUS_OP_MUL, a[j], b[i], -1), -1);
    }
    mus_lua_push_expression(L, 3, out);
    return 1;
}

static int expression_length(lua_State *L) {
    mus_node a[3];
    check_self(L, "length", a);
    return push_number(L, length(L, a));
}

static int expression_length2(lua_State *L) {
    mus_node a[3];
    check_self(L, "length2", a);
    return push_number(L, dot(L, a, a));
}

static int expression_distance(lua_State *L) {
    mus_node a[3], b[3], off[3];
    check_self(L, "distance", a);
    check_vector(L, 2, "distance", b);
    for (int k = 0; k < 3; k++) off[k] = mus_lua_apply(L, MUS_OP_SUB, a[k], b[k], -1);
    return push_number(L, length(L, off));
}

static int expression_normalized(lua_State *L) {
    mus_node a[3], out[3], zero = mus_lua_number(L, 0);
    check_self(L, "normalized", a);
    mus_node l = length(L, a), some = mus_lua_apply(L, MUS_OP_LT, zero, l, -1);
    for (int k = 0; k < 3; k++)
        out[k] = mus_lua_apply(L, MUS_OP_SELECT, some, mus_lua_apply(L, MUS_OP_DIV, a[k], l, -1), zero);
    mus_lua_push_expression(L, 3, out);
    return 1;
}

static int expression_lerp(lua_State *L) {
    mus_node a[3], b[3], out[3];
    check_self(L, "lerp", a);
    check_vector(L, 2, "lerp", b);
    mus_node t = mus_lua_check_node(L, 3, "traced function: lerp(v, t): t");
    mus_node s = mus_lua_apply(L, MUS_OP_SUB, mus_lua_number(L, 1), t, -1);
    for (int k = 0; k < 3; k++)
        out[k] = mus_lua_apply(L, MUS_OP_ADD, mus_lua_apply(L, MUS_OP_MUL, s, a[k], -1),
                               mus_lua_apply(L, MUS_OP_MUL, t, b[k], -1), -1);
    mus_lua_push_expression(L, 3, out);
    return 1;
}

static const luaL_Reg methods[] = {{"dot", expression_dot},           {"cross", expression_cross},
                                   {"length", expression_length},     {"length2", expression_length2},
                                   {"distance", expression_distance}, {"normalized", expression_normalized},
                                   {"lerp", expression_lerp},         {NULL, NULL}};

bool mus_lua_traced_method(lua_State *L, const char *method) {
    bool traced = false;
    for (int k = lua_gettop(L); k > 1 && !traced; k--)
        traced = mus_lua_test_expression(L, k) || (mus_lua_tracing(L) && mus_lua_test_param(L, k)) ||
                 (lua_istable(L, k) && mus_lua_tracing(L));
    const luaL_Reg *m = methods;
    while (traced && m->name && strcmp(m->name, method) != 0) m++;
    if (!traced || !m->name) return false;
    m->func(L);
    return true;
}

static const char *const vector_fields[] = {"x", "y", "z", NULL};

static int expression_index(lua_State *L) {
    const mus_lua_expression *e = mus_lua_test_expression(L, 1);
    int k = -1;
    if (e && e->size == 3 && lua_type(L, 2) == LUA_TNUMBER && lua_tonumber(L, 2) >= 1 && lua_tonumber(L, 2) <= 3) {
        k = (int)lua_tonumber(L, 2) - 1;
    } else if (e && e->size == 3 && lua_type(L, 2) == LUA_TSTRING) {
        const char *name = lua_tostring(L, 2);
        if (name[0] >= 'x' && name[0] <= 'z' && !name[1]) k = name[0] - 'x';
    }
    if (k >= 0) return push_number(L, e->node[k]);
    if (e && e->size == 3 && lua_type(L, 2) == LUA_TNUMBER) return 0; /* so that ipairs ends */
    return mus_lua_index_method(L, e && e->size == 1 ? "traced number" : "traced vector", vector_fields);
}

/* ---- The argument of a traced function --------------------------------------------------------------------------- */

static int trace_newindex(lua_State *L) {
    const char *seen = mus_lua_describe(L, 2);
    return mus_lua_error(L, "%s: field %s of its argument cannot be set; the function returns its result instead",
                         ((mus_lua_trace *)luaL_checkudata(L, 1, TRACE))->what, seen);
}

static int trace_gc(lua_State *L) {
    mus_lua_trace *trace = luaL_checkudata(L, 1, TRACE);
    mus_graph_destroy(trace->graph);
    trace->graph = NULL;
    return 0;
}

/* ---- Tracing ----------------------------------------------------------------------------------------------------- */

static void no_vector(lua_State *L, const mus_lua_trace *trace, int index, const char *which) {
    const mus_lua_expression *e = mus_lua_test_expression(L, index);
    const char *seen = e ? "one number" : mus_lua_describe(L, index);
    mus_lua_error(L, "%s: it must return %s (got %s)", trace->what, which, seen);
}

static int32_t take_number(lua_State *L, const mus_lua_trace *trace, int index, const char *which, mus_node *out) {
    if (lua_gettop(L) < index || !scalar(L, index)) {
        const mus_lua_expression *e = lua_gettop(L) < index ? NULL : mus_lua_test_expression(L, index);
        const char *seen = e ? "a vector" : mus_lua_describe(L, index);
        mus_lua_error(L, "%s: it must return %s (got %s)", trace->what, which, seen);
    }
    out[0] = mus_lua_check_node(L, index, which);
    return 1;
}

/* {w, x, y, z}, or w =, x =, … */
static void take_quaternion(lua_State *L, int index, mus_node out[4]) {
    static const char *const names[] = {"w", "x", "y", "z"};
    bool good = lua_istable(L, index);
    for (int k = 0; k < 4 && good; k++) {
        if (lua_rawgeti(L, index, k + 1) == LUA_TNIL) {
            lua_pop(L, 1);
            mus_lua_field(L, index, names[k]);
        }
        out[k] = node_at(L, -1);
        good = out[k] >= 0;
        lua_pop(L, 1);
    }
    if (good) return;
    const char *seen = mus_lua_describe(L, index);
    mus_lua_error(L, "motion: the second result must be a quaternion {w, x, y, z} of numbers (got %s)", seen);
}

/* Pushes the function's arguments: the trace, with the fields of a contact or a node; for a motion the time, for
 * wind and tolerances position and time. Returns their number. */
static int push_arguments(lua_State *L, mus_lua_trace *trace, int at) {
    if (trace->kind == MUS_PROGRAM_MOTION) return mus_lua_push_input(L, trace, MUS_INPUT_TIME, 1);
    if (trace->kind == MUS_PROGRAM_WIND || trace->kind == MUS_PROGRAM_TOLERANCE)
        return mus_lua_push_input(L, trace, MUS_INPUT_POSITION, 3) + mus_lua_push_input(L, trace, MUS_INPUT_TIME, 1);
    lua_pushvalue(L, at);
    return 1;
}

/* Results are at `first` and after it. Returns the number of numbers. */
static int32_t take_results(lua_State *L, const mus_lua_trace *trace, int first, mus_node *out) {
    int count = lua_gettop(L) - first + 1;
    switch (trace->kind) {
    case MUS_PROGRAM_RULE:
        if (count < 1 || !mus_lua_test_nodes(L, first, out))
            no_vector(L, trace, first, "the impulse on side 1, {x, y, z} in N s");
        if (count < 2 || lua_isnil(L, first + 1)) return 3;
        if (!mus_lua_test_nodes(L, first + 1, out + 3))
            no_vector(L, trace, first + 1, "the impulse on side 2, {x, y, z} in N s");
        return 6;
    case MUS_PROGRAM_NODE_RULE:
        if (count < 1 || !mus_lua_test_nodes(L, first, out))
            no_vector(L, trace, first, "the node's new velocity, {x, y, z} in m/s");
        return 3;
    case MUS_PROGRAM_NODE_FORCE:
        if (count < 1 || !mus_lua_test_nodes(L, first, out)) no_vector(L, trace, first, "the force, {x, y, z} in N");
        return 3;
    case MUS_PROGRAM_WIND:
        if (count < 1 || !mus_lua_test_nodes(L, first, out))
            no_vector(L, trace, first, "the velocity of the air, {x, y, z} in m/s");
        return 3;
    case MUS_PROGRAM_MOTION:
        if (count < 1 || !mus_lua_test_nodes(L, first, out)) no_vector(L, trace, first, "the place, {x, y, z} in m");
        if (count < 2 || lua_isnil(L, first + 1)) return 3;
        take_quaternion(L, first + 1, out + 3);
        return 7;
    case MUS_PROGRAM_COEFFICIENT:
        return take_number(L, trace, first, "a coefficient, one number", out);
    case MUS_PROGRAM_SPRING:
        return take_number(L, trace, first, "a tension, one number in N", out);
    case MUS_PROGRAM_TOLERANCE:
        return take_number(L, trace, first, "a distance, one number in m", out);
    default:
        return take_number(L, trace, first, "an energy, one number in J", out);
    }
}

/* Protected, so that the trace ends with it: (function, trace) and a light pointer to the program. */
static int traced_call(lua_State *L) {
    mus_lua_trace *trace = lua_touserdata(L, 2);
    mus_program **program = lua_touserdata(L, 3);
    mus_node out[7];
    lua_settop(L, 2);
    lua_pushvalue(L, 1);
    int given = push_arguments(L, trace, 2);
    lua_call(L, given, LUA_MULTRET);
    lua_settop(L, lua_gettop(L) < 4 ? lua_gettop(L) : 4);
    int32_t count = take_results(L, trace, 3, out);
    mus_lua_check_status(L, mus_program_create(trace->kind, trace->graph, out, count, program));
    trace->graph = NULL; /* the program's */
    return 0;
}

/* "bad argument #1 to 'sin' (number expected, got traced ...)", of math.sin and its like, on top of the stack: adds the
 * function of muslin that takes a traced number. */
static void add_remedy(lua_State *L) {
    static const struct {
        const char *name, *ours;
    } pairs[] = {{"sin", "sin"},    {"cos", "cos"},    {"tan", "tan"},   {"asin", "asin"},
                 {"acos", "acos"},  {"atan", "atan2"}, {"exp", "exp"},   {"log", "log"},
                 {"pow", "pow"},    {"abs", "abs"},    {"sqrt", "sqrt"}, {"floor", "floor"},
                 {"ceil", "floor"}, {"fmod", "floor"}, {"max", "max"},   {"min", "min"}};
    const char *message = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
    const char *at = message ? strstr(message, "bad argument #") : NULL, *from = at ? strstr(at, " to '") : NULL;
    if (!from || !strstr(from, "(number expected, got traced number")) return;
    from += strlen(" to '");
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        size_t n = strlen(pairs[k].name);
        if (strncmp(from, pairs[k].name, n) != 0 || from[n] != '\'') continue;
        lua_pushfstring(L, "%s; a traced function calls muslin.%s instead of math.%s", message, pairs[k].ours,
                        pairs[k].name);
        lua_remove(L, -2);
        return;
    }
}

mus_program *mus_lua_trace_function(lua_State *L, int function, mus_program_kind kind, const char *what) {
    function = lua_absindex(L, function);
    if (mus_lua_tracing(L)) mus_lua_error(L, "%s: a function cannot be traced while another one is", what);
    luaL_checkstack(L, 12, NULL);
    int top = lua_gettop(L);
    bool known = lua_isfunction(L, function) && !lua_iscfunction(L, function);
    const char *place = known ? mus_lua_push_origin(L, function) : NULL;
    mus_program *program = NULL;
    mus_lua_trace *trace = lua_newuserdatauv(L, sizeof *trace, 0);
    *trace = (mus_lua_trace){.kind = kind, .what = what};
    luaL_setmetatable(L, TRACE);
    mus_lua_check_status(L, mus_graph_create(&trace->graph));
    int at = lua_gettop(L);
    lua_pushvalue(L, at);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &current_key);
    lua_pushcfunction(L, traced_call);
    lua_pushvalue(L, function);
    lua_pushvalue(L, at);
    lua_pushlightuserdata(L, &program);
    int status = lua_pcall(L, 3, 0, 0);
    lua_pushnil(L); /* clearing an existing entry does not allocate */
    lua_rawsetp(L, LUA_REGISTRYINDEX, &current_key);
    if (status != LUA_OK) {
        mus_program_release(program); /* it exists if a time limit ended the call after it was made */
        add_remedy(L);
        lua_error(L);
    }
    mus_status placed = mus_program_set_place(program, place);
    lua_settop(L, top);
    if (placed != MUS_STATUS_OK) mus_program_release(program);
    mus_lua_check_status(L, placed);
    return program;
}

void mus_lua_open_trace(lua_State *L) {
    static const luaL_Reg operators[] = {{"__add", expression_add},
                                         {"__sub", expression_sub},
                                         {"__mul", expression_mul},
                                         {"__div", expression_div},
                                         {"__unm", expression_unm},
                                         {"__pow", expression_pow},
                                         {"__idiv", expression_idiv},
                                         {"__mod", expression_mod},
                                         {"__lt", expression_lt},
                                         {"__le", expression_le},
                                         {"__eq", expression_eq},
                                         {"__concat", expression_concat},
                                         {"__len", expression_len},
                                         {"__newindex", expression_newindex},
                                         {"__tostring", expression_tostring},
                                         {NULL, NULL}};
    static const luaL_Reg trace[] = {{"__newindex", trace_newindex}, {"__gc", trace_gc}, {NULL, NULL}};
    static const luaL_Reg none[] = {{NULL, NULL}};
    mus_lua_new_type(L, EXPRESSION, operators, methods, expression_index, NULL);
    luaL_getmetatable(L, EXPRESSION); /* its name in messages that expect another type */
    lua_pushliteral(L, "traced number or vector, which has a value only while its rule runs");
    lua_setfield(L, -2, "__name");
    lua_pop(L, 1);
    mus_lua_new_type(L, TRACE, trace, none, mus_lua_trace_index, NULL);
}
