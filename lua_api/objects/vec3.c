/* vec3.c: a vector of three numbers as an immutable value, so that `a[i].x = 0` fails instead of writing to a
 * temporary copy. */
#include "trace/trace.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The metatable's place in the registry. */
static const char metatable_key = 0;

void mus_lua_push_vec3(lua_State *L, double x, double y, double z) {
    double *v = lua_newuserdatauv(L, 3 * sizeof *v, 0);
    v[0] = x, v[1] = y, v[2] = z;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &metatable_key);
    lua_setmetatable(L, -2);
}

static const double *to_vec3(lua_State *L, int index) {
    if (lua_type(L, index) != LUA_TUSERDATA || !lua_getmetatable(L, index)) return NULL;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &metatable_key);
    bool is = lua_rawequal(L, -1, -2);
    lua_pop(L, 2);
    return is ? lua_touserdata(L, index) : NULL;
}

static bool number_at(lua_State *L, int table, int i, double *out) {
    bool is = lua_rawgeti(L, table, i) == LUA_TNUMBER; /* raw: callers hold memory that a metamethod could free */
    if (is) *out = lua_tonumber(L, -1);
    lua_pop(L, 1);
    return is;
}

static bool number_named(lua_State *L, int table, const char *name, double *out) {
    lua_pushstring(L, name);
    bool is = lua_rawget(L, table) == LUA_TNUMBER;
    if (is) *out = lua_tonumber(L, -1);
    lua_pop(L, 1);
    return is;
}

bool mus_lua_test_vec3(lua_State *L, int index, double out[3]) {
    const double *v = to_vec3(L, index);
    if (v) {
        memcpy(out, v, 3 * sizeof *v);
        return true;
    }
    if (!lua_istable(L, index)) return false;
    index = lua_absindex(L, index);
    double value[3];
    if (number_at(L, index, 1, &value[0])) {
        if (!number_at(L, index, 2, &value[1]) || !number_at(L, index, 3, &value[2]) || lua_rawlen(L, index) > 3)
            return false;
    } else if (!number_named(L, index, "x", &value[0]) || !number_named(L, index, "y", &value[1]) ||
               !number_named(L, index, "z", &value[2])) {
        return false;
    }
    memcpy(out, value, sizeof value);
    return true;
}

void mus_lua_check_vec3(lua_State *L, int index, const char *what, double out[3]) {
    double value[3];
    if (!mus_lua_test_vec3(L, index, value)) {
        const char *seen = mus_lua_describe(L, index);
        mus_lua_error(L, "%s must be three numbers {x, y, z} or a vec3 (got %s)", what, seen);
    }
    for (int k = 0; k < 3; k++) {
        if (!isfinite(value[k]))
            mus_lua_error(L, "%s must be finite (got %s at %d)", what, mus_lua_word_of_number(value[k]), k + 1);
    }
    memcpy(out, value, sizeof value);
}

/* ---- Operators --------------------------------------------------------------------------------------------------- */

/* An operand of + - and of methods; unlike check_vec3 it accepts inf and NaN, as arithmetic does. */
static void operand(lua_State *L, int index, const char *operation, double out[3]) {
    if (mus_lua_test_vec3(L, index, out)) return;
    const char *seen = mus_lua_describe(L, index);
    mus_lua_error(L, "vec3: %s needs a vec3 or {x, y, z} (got %s)", operation, seen);
}

/* Lua calls the left operand's operator first: if the right one is not a vector but has the operator (an array, an
 * expression of a traced rule), calls that. Returns whether it did; the result is then on top. */
static bool handed_over(lua_State *L, const char *event) {
    if (lua_type(L, 2) != LUA_TUSERDATA || to_vec3(L, 2) || luaL_getmetafield(L, 2, event) == LUA_TNIL) return false;
    lua_pushvalue(L, 1);
    lua_pushvalue(L, 2);
    lua_call(L, 2, 1);
    return true;
}

static const double *check_self(lua_State *L, const char *method) {
    const double *v = to_vec3(L, 1);
    if (!v) mus_lua_error(L, "vec3: call it as v:%s(...), with a colon", method);
    return v;
}

static int vec3_add(lua_State *L) {
    if (handed_over(L, "__add")) return 1;
    double a[3], b[3];
    operand(L, 1, "'+'", a);
    operand(L, 2, "'+'", b);
    mus_lua_push_vec3(L, a[0] + b[0], a[1] + b[1], a[2] + b[2]);
    return 1;
}

static int vec3_sub(lua_State *L) {
    if (handed_over(L, "__sub")) return 1;
    double a[3], b[3];
    operand(L, 1, "'-'", a);
    operand(L, 2, "'-'", b);
    mus_lua_push_vec3(L, a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    return 1;
}

static int vec3_mul(lua_State *L) {
    if (handed_over(L, "__mul")) return 1;
    int scalar = lua_type(L, 1) == LUA_TNUMBER ? 1 : lua_type(L, 2) == LUA_TNUMBER ? 2 : 0;
    if (!scalar)
        return mus_lua_error(L, "vec3: '*' scales by a number; for products of vectors use a:dot(b) or a:cross(b)");
    double s = lua_tonumber(L, scalar), a[3];
    operand(L, 3 - scalar, "'*'", a);
    mus_lua_push_vec3(L, s * a[0], s * a[1], s * a[2]);
    return 1;
}

static int vec3_div(lua_State *L) {
    if (handed_over(L, "__div")) return 1;
    if (lua_type(L, 2) != LUA_TNUMBER) return mus_lua_error(L, "vec3: '/' divides a vec3 by a number");
    double s = lua_tonumber(L, 2), a[3];
    operand(L, 1, "'/'", a);
    mus_lua_push_vec3(L, a[0] / s, a[1] / s, a[2] / s);
    return 1;
}

static int vec3_unm(lua_State *L) {
    double a[3];
    operand(L, 1, "'-'", a);
    mus_lua_push_vec3(L, -a[0], -a[1], -a[2]);
    return 1;
}

static int vec3_eq(lua_State *L) {
    const double *a = to_vec3(L, 1), *b = to_vec3(L, 2);
    lua_pushboolean(L, a && b && a[0] == b[0] && a[1] == b[1] && a[2] == b[2]);
    return 1;
}

static int vec3_len(lua_State *L) {
    lua_pushinteger(L, 3);
    return 1;
}

static int vec3_tostring(lua_State *L) {
    const double *a = check_self(L, "tostring");
    char text[96];
    snprintf(text, sizeof text, "(%.14g, %.14g, %.14g)", a[0], a[1], a[2]);
    lua_pushstring(L, text);
    return 1;
}

static int vec3_concat(lua_State *L) {
    luaL_tolstring(L, 1, NULL);
    luaL_tolstring(L, 2, NULL);
    lua_concat(L, 2);
    return 1;
}

/* ---- Methods ----------------------------------------------------------------------------------------------------- */

static double length(const double *a) {
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

static int vec3_dot(lua_State *L) {
    if (!to_vec3(L, 2) && mus_lua_traced_method(L, "dot")) return 1;
    const double *a = check_self(L, "dot");
    double b[3];
    operand(L, 2, "dot", b);
    lua_pushnumber(L, a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
    return 1;
}

static int vec3_cross(lua_State *L) {
    if (!to_vec3(L, 2) && mus_lua_traced_method(L, "cross")) return 1;
    const double *a = check_self(L, "cross");
    double b[3];
    operand(L, 2, "cross", b);
    mus_lua_push_vec3(L, a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]);
    return 1;
}

static int vec3_length(lua_State *L) {
    lua_pushnumber(L, length(check_self(L, "length")));
    return 1;
}

static int vec3_length2(lua_State *L) {
    const double *a = check_self(L, "length2");
    lua_pushnumber(L, a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    return 1;
}

static int vec3_distance(lua_State *L) {
    if (!to_vec3(L, 2) && mus_lua_traced_method(L, "distance")) return 1;
    const double *a = check_self(L, "distance");
    double b[3];
    operand(L, 2, "distance", b);
    lua_pushnumber(L, length((double[3]){a[0] - b[0], a[1] - b[1], a[2] - b[2]}));
    return 1;
}

static int vec3_normalized(lua_State *L) {
    const double *a = check_self(L, "normalized");
    double l = length(a);
    if (l > 0) {
        mus_lua_push_vec3(L, a[0] / l, a[1] / l, a[2] / l);
    } else {
        mus_lua_push_vec3(L, 0, 0, 0);
    }
    return 1;
}

static int vec3_lerp(lua_State *L) {
    if (lua_type(L, 3) != LUA_TNUMBER && mus_lua_traced_method(L, "lerp")) return 1;
    const double *a = check_self(L, "lerp");
    double b[3], t = luaL_checknumber(L, 3), s = 1 - t;
    operand(L, 2, "lerp", b);
    mus_lua_push_vec3(L, s * a[0] + t * b[0], s * a[1] + t * b[1], s * a[2] + t * b[2]);
    return 1;
}

static int vec3_unpack(lua_State *L) {
    const double *a = check_self(L, "unpack");
    for (int k = 0; k < 3; k++) lua_pushnumber(L, a[k]);
    return 3;
}

static int vec3_totable(lua_State *L) {
    const double *a = check_self(L, "totable");
    lua_createtable(L, 3, 0);
    for (int k = 0; k < 3; k++) {
        lua_pushnumber(L, a[k]);
        lua_rawseti(L, -2, k + 1);
    }
    return 1;
}

/* ---- Fields ------------------------------------------------------------------------------------------------------ */

static const char *const known_names[] = {"x",        "y",          "z",    "dot",    "cross",   "length", "length2",
                                          "distance", "normalized", "lerp", "unpack", "totable", NULL};

/* 0..2 for "x", "y", "z", else -1. */
static int component(lua_State *L, int index) {
    size_t size;
    const char *name = lua_tolstring(L, index, &size);
    return size == 1 && name[0] >= 'x' && name[0] <= 'z' ? name[0] - 'x' : -1;
}

/* Upvalue 1: the methods. */
static int vec3_index(lua_State *L) {
    const double *v = to_vec3(L, 1);
    int type = lua_type(L, 2);
    if (v && type == LUA_TNUMBER) {
        double i = lua_tonumber(L, 2);
        if (i == 1 || i == 2 || i == 3) {
            lua_pushnumber(L, v[(int)i - 1]);
        } else {
            lua_pushnil(L); /* so that ipairs ends */
        }
        return 1;
    }
    if (v && type == LUA_TSTRING) {
        int k = component(L, 2);
        if (k >= 0) {
            lua_pushnumber(L, v[k]);
            return 1;
        }
        lua_pushvalue(L, 2);
        if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) return 1;
        const char *name = lua_tostring(L, 2), *nearest = mus_lua_nearest(name, known_names);
        if (nearest) return mus_lua_error(L, "vec3: no field '%s' (did you mean '%s'?)", name, nearest);
    }
    const char *seen = mus_lua_describe(L, 2);
    return mus_lua_error(L, "vec3: no field %s (it has x, y, z, [1]..[3] and methods)", seen);
}

static int vec3_newindex(lua_State *L) {
    return mus_lua_error(
        L, "vec3: its components cannot be set; make a new one, or write to an array with a[i] = {x, y, z}");
}

static int vec3_new(lua_State *L) {
    double v[3] = {0, 0, 0};
    if (mus_lua_traced_vec3(L)) return 1;
    if (lua_gettop(L) == 1) {
        operand(L, 1, "vec3(...)", v);
    } else if (lua_gettop(L) > 0) {
        for (int k = 0; k < 3; k++) v[k] = luaL_checknumber(L, k + 1);
    }
    mus_lua_push_vec3(L, v[0], v[1], v[2]);
    return 1;
}

void mus_lua_open_vec3(lua_State *L) {
    static const luaL_Reg operators[] = {{"__add", vec3_add},
                                         {"__sub", vec3_sub},
                                         {"__mul", vec3_mul},
                                         {"__div", vec3_div},
                                         {"__unm", vec3_unm},
                                         {"__eq", vec3_eq},
                                         {"__len", vec3_len},
                                         {"__tostring", vec3_tostring},
                                         {"__concat", vec3_concat},
                                         {"__newindex", vec3_newindex},
                                         {NULL, NULL}};
    static const luaL_Reg methods[] = {{"dot", vec3_dot},           {"cross", vec3_cross},
                                       {"length", vec3_length},     {"length2", vec3_length2},
                                       {"distance", vec3_distance}, {"normalized", vec3_normalized},
                                       {"lerp", vec3_lerp},         {"unpack", vec3_unpack},
                                       {"totable", vec3_totable},   {NULL, NULL}};
    luaL_newlib(L, operators);
    luaL_newlib(L, methods);
    lua_pushcclosure(L, vec3_index, 1);
    lua_setfield(L, -2, "__index");
    lua_pushliteral(L, "vec3");
    lua_setfield(L, -2, "__name");
    lua_pushboolean(L, 0); /* getmetatable(v) returns false, so that scripts cannot change the metatable */
    lua_setfield(L, -2, "__metatable");
    lua_rawsetp(L, LUA_REGISTRYINDEX, &metatable_key);
    lua_pushcfunction(L, vec3_new);
}
