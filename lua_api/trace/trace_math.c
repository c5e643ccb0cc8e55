/* trace_math.c: the module's mathematics for plain numbers and for traced ones, written once where it is more than one
 * operation, so that both give the same bits. */
#include "trace/trace.h"
#include "muslin/math.h"

#include <string.h>

/* A number of either kind. */
typedef struct num {
    double value;
    mus_node node;
} num;

typedef struct calc {
    lua_State *L;
    bool traced;
} calc;

static num add_ternary(calc *c, mus_op op, num x, num y, num z) {
    if (c->traced) return (num){0, mus_lua_apply(c->L, op, x.node, y.node, z.node)};
    return (num){mus_op_evaluate(op, x.value, y.value, z.value, 0), -1};
}
static num add_binary(calc *c, mus_op op, num x, num y) {
    return add_ternary(c, op, x, y, (num){0, -1});
}
static num constant_of(calc *c, double value) {
    return (num){value, c->traced ? mus_lua_number(c->L, value) : -1};
}
static num argument(calc *c, int index, const char *what) {
    if (c->traced) return (num){0, mus_lua_check_node(c->L, index, what)};
    mus_lua_settle_param(c->L, index);
    if (lua_type(c->L, index) != LUA_TNUMBER) {
        const char *seen = mus_lua_describe(c->L, index);
        mus_lua_error(c->L, "%s must be a number (got %s)", what, seen);
    }
    return (num){lua_tonumber(c->L, index), -1};
}
static int push(calc *c, num x) {
    if (c->traced)
        mus_lua_push_expression(c->L, 1, &x.node);
    else
        lua_pushnumber(c->L, x.value);
    return 1;
}

/* Whether an argument makes this a traced call. */
static bool any_traced(lua_State *L) {
    bool params = false;
    for (int k = lua_gettop(L); k >= 1; k--) {
        int type = lua_type(L, k);
        if (type == LUA_TUSERDATA && mus_lua_test_expression(L, k)) return true;
        if (type == LUA_TUSERDATA && mus_lua_test_param(L, k)) params = true;
        mus_node nodes[3];
        if (type == LUA_TTABLE && mus_lua_tracing(L) && mus_lua_test_nodes(L, k, nodes)) return true;
    }
    return params && mus_lua_tracing(L);
}

static calc begin_calc(lua_State *L) {
    return (calc){L, any_traced(L)};
}

bool mus_lua_traced_vec3(lua_State *L) {
    if (lua_gettop(L) == 1 && mus_lua_test_expression(L, 1)) return true;
    if (!any_traced(L)) {
        for (int k = lua_gettop(L); k >= 1; k--)
            if (lua_type(L, k) == LUA_TUSERDATA) mus_lua_settle_param(L, k);
        return false;
    }
    mus_node out[3];
    if (lua_gettop(L) != 3 && !mus_lua_test_nodes(L, 1, out))
        mus_lua_error(L, "vec3(x, y, z): it takes three numbers (got %d)", lua_gettop(L));
    for (int k = 0; lua_gettop(L) == 3 && k < 3; k++) out[k] = mus_lua_check_node(L, k + 1, "vec3: a component");
    mus_lua_push_expression(L, 3, out);
    return true;
}

/* ---- Functions that were there for plain numbers ----------------------------------------------------------------- */

/* Upvalues: the plain function, the operation, its name. */
static int wrapped(lua_State *L) {
    lua_CFunction function = lua_tocfunction(L, lua_upvalueindex(1));
    if (!any_traced(L)) {
        for (int k = lua_gettop(L); k >= 1; k--)
            if (lua_type(L, k) == LUA_TUSERDATA) mus_lua_settle_param(L, k);
        return function(L);
    }
    mus_op op = (mus_op)lua_tointeger(L, lua_upvalueindex(2));
    const char *name = lua_tostring(L, lua_upvalueindex(3));
    int count = lua_gettop(L), wanted = op == MUS_OP_ATAN2 || op == MUS_OP_POW ? 2 : 1;
    bool chain = op == MUS_OP_MIN || op == MUS_OP_MAX;
    if (chain ? count < 1 : count != wanted)
        return mus_lua_error(L, "%s: it takes %d number%s (got %d)", name, wanted, wanted > 1 ? "s" : "", count);
    mus_node at = mus_lua_check_node(L, 1, name);
    if (chain)
        for (int k = 2; k <= count; k++) at = mus_lua_apply(L, op, at, mus_lua_check_node(L, k, name), -1);
    else
        at = mus_lua_apply(L, op, at, wanted > 1 ? mus_lua_check_node(L, 2, name) : -1, -1);
    mus_lua_push_expression(L, 1, &at);
    return 1;
}

static num clamped(calc *c, num x, num low, num high) {
    return add_ternary(c, MUS_OP_SELECT, add_binary(c, MUS_OP_LT, x, low), low,
                       add_ternary(c, MUS_OP_SELECT, add_binary(c, MUS_OP_LT, high, x), high, x));
}

static int math_clamp(lua_State *L) {
    calc c = begin_calc(L);
    num x = argument(&c, 1, "clamp: x"), low = argument(&c, 2, "clamp: low"), high = argument(&c, 3, "clamp: high");
    if (!c.traced && low.value > high.value)
        return mus_lua_error(L, "clamp(x, low, high): low must be <= high (got %f and %f)", low.value, high.value);
    return push(&c, clamped(&c, x, low, high));
}

static int math_floor(lua_State *L) {
    calc c = begin_calc(L);
    num x = argument(&c, 1, "floor: x");
    return push(&c, add_binary(&c, MUS_OP_FLOOR, x, x));
}

/* ---- Comparisons and choices ------------------------------------------------------------------------------------- */

static const char *const kind_names[] = {"vertex_face", "edge_edge", "vertex_plane", NULL};

/* The kind of a contact is a string, or a number when traced. */
static num word_or_number(calc *c, int index, const char *what) {
    if (!c->traced || lua_type(c->L, index) != LUA_TSTRING) return argument(c, index, what);
    const char *word = lua_tostring(c->L, index);
    for (int k = 0; kind_names[k]; k++)
        if (strcmp(kind_names[k], word) == 0) return constant_of(c, k);
    const char *nearest = mus_lua_nearest(word, kind_names);
    mus_lua_error(c->L, "%s: a contact has no kind '%s' (%s'%s')", what, word, nearest ? "did you mean " : "they are ",
                  nearest ? nearest : "vertex_face', 'edge_edge', 'vertex_plane");
    return (num){0, -1};
}

static int equal(lua_State *L, const char *what, bool wanted) {
    calc c = begin_calc(L);
    if (!c.traced && lua_type(L, 1) == LUA_TSTRING) {
        lua_pushnumber(L, (lua_rawequal(L, 1, 2) != 0) == wanted);
        return 1;
    }
    num x = word_or_number(&c, 1, what), y = word_or_number(&c, 2, what), e = add_binary(&c, MUS_OP_EQ, x, y);
    return push(&c, wanted ? e : add_ternary(&c, MUS_OP_SELECT, e, constant_of(&c, 0), constant_of(&c, 1)));
}

static int math_eq(lua_State *L) {
    return equal(L, "eq", true);
}
static int math_ne(lua_State *L) {
    return equal(L, "ne", false);
}

static int compare(lua_State *L, const char *what, mus_op op, bool swap) {
    calc c = begin_calc(L);
    num x = argument(&c, 1, what), y = argument(&c, 2, what);
    return push(&c, swap ? add_binary(&c, op, y, x) : add_binary(&c, op, x, y));
}
static int math_lt(lua_State *L) {
    return compare(L, "lt", MUS_OP_LT, false);
}
static int math_le(lua_State *L) {
    return compare(L, "le", MUS_OP_LE, false);
}
static int math_gt(lua_State *L) {
    return compare(L, "gt", MUS_OP_LT, true);
}
static int math_ge(lua_State *L) {
    return compare(L, "ge", MUS_OP_LE, true);
}

/* select(condition, x, y): numbers, or vectors. */
static int math_select(lua_State *L) {
    if (lua_gettop(L) != 3)
        return mus_lua_error(L, "select(condition, x, y): it takes three arguments (got %d)", lua_gettop(L));
    calc c = begin_calc(L);
    if (!c.traced) {
        mus_lua_settle_param(L, 1);
        if (lua_type(L, 1) != LUA_TNUMBER && lua_type(L, 1) != LUA_TBOOLEAN) {
            const char *seen = mus_lua_describe(L, 1);
            return mus_lua_error(L, "select: the condition must be a number or true or false (got %s)", seen);
        }
        bool is_true = lua_type(L, 1) == LUA_TNUMBER ? lua_tonumber(L, 1) != 0 : lua_toboolean(L, 1);
        lua_settop(L, is_true ? 2 : 3);
        mus_lua_settle_param(L, -1);
        return 1;
    }
    if (lua_type(L, 1) == LUA_TBOOLEAN) {
        lua_pushinteger(L, lua_toboolean(L, 1));
        lua_replace(L, 1);
    }
    mus_node condition = mus_lua_check_node(L, 1, "select: the condition"), x[3], y[3];
    bool first = mus_lua_test_nodes(L, 2, x), second = mus_lua_test_nodes(L, 3, y);
    if (first != second) return mus_lua_error(L, "select: both choices must be numbers, or both vectors");
    if (!first) {
        x[0] = mus_lua_check_node(L, 2, "select: the first choice");
        y[0] = mus_lua_check_node(L, 3, "select: the second choice");
    }
    for (int k = 0; k < (first ? 3 : 1); k++) x[k] = mus_lua_apply(L, MUS_OP_SELECT, condition, x[k], y[k]);
    mus_lua_push_expression(L, first ? 3 : 1, x);
    return 1;
}

static int math_step(lua_State *L) {
    calc c = begin_calc(L);
    num edge = argument(&c, 1, "step: edge"), x = argument(&c, 2, "step: x");
    return push(
        &c, add_ternary(&c, MUS_OP_SELECT, add_binary(&c, MUS_OP_LT, x, edge), constant_of(&c, 0), constant_of(&c, 1)));
}

static int math_smoothstep(lua_State *L) {
    calc c = begin_calc(L);
    num low = argument(&c, 1, "smoothstep: low"), high = argument(&c, 2, "smoothstep: high");
    num x = argument(&c, 3, "smoothstep: x");
    num t = add_binary(&c, MUS_OP_DIV, add_binary(&c, MUS_OP_SUB, x, low), add_binary(&c, MUS_OP_SUB, high, low));
    t = clamped(&c, t, constant_of(&c, 0), constant_of(&c, 1));
    num fall = add_binary(&c, MUS_OP_SUB, constant_of(&c, 3), add_binary(&c, MUS_OP_MUL, constant_of(&c, 2), t));
    return push(&c, add_binary(&c, MUS_OP_MUL, add_binary(&c, MUS_OP_MUL, t, t), fall));
}

/* ---- Noise ------------------------------------------------------------------------------------------------------- */

static num mix_numbers(calc *c, num a, num b, num t) { /* a + t (b - a) */
    return add_binary(c, MUS_OP_ADD, a, add_binary(c, MUS_OP_MUL, t, add_binary(c, MUS_OP_SUB, b, a)));
}

/* Perlin's fade: t^3 (t (6 t - 15) + 10): twice differentiable across cells. */
static num fade(calc *c, num t) {
    num inner = add_binary(c, MUS_OP_SUB, add_binary(c, MUS_OP_MUL, t, constant_of(c, 6)), constant_of(c, 15));
    inner = add_binary(c, MUS_OP_ADD, add_binary(c, MUS_OP_MUL, t, inner), constant_of(c, 10));
    return add_binary(c, MUS_OP_MUL, add_binary(c, MUS_OP_MUL, add_binary(c, MUS_OP_MUL, t, t), t), inner);
}

static num lattice(calc *c, num x, num y, num z, double seed) {
    if (!c->traced) return (num){mus_lattice(x.value, y.value, z.value, seed), -1};
    return (num){0, mus_graph_add_lattice(mus_lua_tracing(c->L)->graph, x.node, y.node, z.node, seed)};
}

/* noise(place [, seed]): random numbers on the integer points, interpolated between them. */
static int math_noise(lua_State *L) {
    lua_settop(L, 2);
    calc c = begin_calc(L);
    num low[3], high[3], t[3];
    mus_node nodes[3] = {-1, -1, -1};
    double place[3] = {0, 0, 0}, seed = 0;
    bool vector = c.traced ? mus_lua_test_nodes(L, 1, nodes) : mus_lua_test_vec3(L, 1, place);
    if (!vector) {
        const char *seen = mus_lua_describe(L, 1);
        return mus_lua_error(L, "noise(place, seed): the place must be a vec3 or {x, y, z} (got %s)", seen);
    }
    if (!lua_isnil(L, 2)) {
        if (!lua_isinteger(L, 2)) {
            const char *seen = mus_lua_describe(L, 2);
            return mus_lua_error(L, "noise(place, seed): the seed must be a whole number (got %s)", seen);
        }
        seed = lua_tonumber(L, 2);
    }
    for (int k = 0; k < 3; k++) {
        num x = {place[k], nodes[k]};
        low[k] = add_binary(&c, MUS_OP_FLOOR, x, x);
        high[k] = add_binary(&c, MUS_OP_ADD, low[k], constant_of(&c, 1));
        t[k] = fade(&c, add_binary(&c, MUS_OP_SUB, x, low[k]));
    }
    num planes[2];
    for (int j = 0; j < 2; j++) {
        num z = j ? high[2] : low[2], rows[2];
        for (int i = 0; i < 2; i++) {
            num y = i ? high[1] : low[1];
            rows[i] = mix_numbers(&c, lattice(&c, low[0], y, z, seed), lattice(&c, high[0], y, z, seed), t[0]);
        }
        planes[j] = mix_numbers(&c, rows[0], rows[1], t[1]);
    }
    return push(&c, mix_numbers(&c, planes[0], planes[1], t[2]));
}

void mus_lua_open_trace_math(lua_State *L) {
    static const struct {
        const char *name;
        mus_op op;
    } operations[] = {{"max", MUS_OP_MAX},   {"min", MUS_OP_MIN},     {"abs", MUS_OP_ABS}, {"sqrt", MUS_OP_SQRT},
                      {"sin", MUS_OP_SIN},   {"cos", MUS_OP_COS},     {"tan", MUS_OP_TAN}, {"asin", MUS_OP_ASIN},
                      {"acos", MUS_OP_ACOS}, {"atan2", MUS_OP_ATAN2}, {"exp", MUS_OP_EXP}, {"log", MUS_OP_LOG},
                      {"pow", MUS_OP_POW}};
    static const luaL_Reg both[] = {{"clamp", math_clamp},
                                    {"floor", math_floor},
                                    {"select", math_select},
                                    {"lt", math_lt},
                                    {"le", math_le},
                                    {"gt", math_gt},
                                    {"ge", math_ge},
                                    {"eq", math_eq},
                                    {"ne", math_ne},
                                    {"step", math_step},
                                    {"smoothstep", math_smoothstep},
                                    {"noise", math_noise},
                                    {NULL, NULL}};
    for (size_t k = 0; k < sizeof operations / sizeof operations[0]; k++) {
        lua_getfield(L, -1, operations[k].name);
        lua_pushinteger(L, operations[k].op);
        lua_pushstring(L, operations[k].name);
        lua_pushcclosure(L, wrapped, 3);
        lua_setfield(L, -2, operations[k].name);
    }
    luaL_setfuncs(L, both, 0);
}
