/* param.c: named numbers of rules that change between steps without tracing again. Outside of a trace one behaves as
 * its number in arithmetic. */
#include "trace.h"

#include <math.h>
#include <string.h>

static const char TYPE[] = "muslin.param";

static mus_parameter **slot_at(lua_State *L, int index) {
    return lua_type(L, index) == LUA_TUSERDATA ? luaL_testudata(L, index, TYPE) : NULL;
}

mus_parameter *mus_lua_test_param(lua_State *L, int index) {
    mus_parameter **slot = slot_at(L, index);
    return slot ? *slot : NULL;
}

static mus_parameter *check_param(lua_State *L, const char *method) {
    mus_parameter *p = mus_lua_test_param(L, 1);
    if (!p) mus_lua_error(L, "param: call it as param:%s(...), with a colon", method);
    return p;
}

void mus_lua_settle_param(lua_State *L, int index) {
    mus_parameter *p = mus_lua_test_param(L, index);
    if (!p || mus_lua_tracing(L)) return;
    index = lua_absindex(L, index);
    lua_pushnumber(L, mus_parameter_get(p));
    lua_replace(L, index);
}

/* muslin.param(name, value) */
static int param_new(lua_State *L) {
    if (lua_type(L, 1) != LUA_TSTRING) {
        const char *seen = mus_lua_describe(L, 1);
        return mus_lua_error(L, "param(name, value): the name must be a string (got %s)", seen);
    }
    if (lua_type(L, 2) != LUA_TNUMBER) {
        const char *seen = mus_lua_describe(L, 2);
        return mus_lua_error(L, "param(name, value): the value must be a number (got %s)", seen);
    }
    mus_parameter **slot = lua_newuserdatauv(L, sizeof *slot, 0);
    *slot = NULL;
    luaL_setmetatable(L, TYPE);
    mus_lua_check_status(L, mus_parameter_create(lua_tostring(L, 1), lua_tonumber(L, 2), slot));
    return 1;
}

static int param_gc(lua_State *L) {
    mus_parameter **slot = luaL_checkudata(L, 1, TYPE);
    mus_parameter_release(*slot);
    *slot = NULL;
    return 0;
}

static int param_set(lua_State *L) {
    mus_parameter *p = check_param(L, "set");
    if (lua_type(L, 2) != LUA_TNUMBER) {
        const char *seen = mus_lua_describe(L, 2);
        return mus_lua_error(L, "param '%s': set(value): it must be a number (got %s)", mus_parameter_name(p), seen);
    }
    mus_lua_check_status(L, mus_parameter_set(p, lua_tonumber(L, 2)));
    return 0;
}

static int param_get(lua_State *L) {
    lua_pushnumber(L, mus_parameter_get(check_param(L, "get")));
    return 1;
}

static int param_tostring(lua_State *L) {
    mus_parameter *p = check_param(L, "tostring");
    lua_pushfstring(L, "param '%s' = %f", mus_parameter_name(p), mus_parameter_get(p));
    return 1;
}

/* Upvalue 1: the operator's event. In a trace the expressions' operator does it; else that of the numbers. */
static int operate(lua_State *L) {
    int op = (int)lua_tointeger(L, lua_upvalueindex(1));
    if (mus_lua_tracing(L)) {
        luaL_getmetatable(L, "muslin.expression");
        lua_getfield(L, -1, lua_tostring(L, lua_upvalueindex(2)));
        lua_pushvalue(L, 1);
        lua_pushvalue(L, 2);
        lua_call(L, 2, 1);
        return 1;
    }
    lua_settop(L, op == LUA_OPUNM ? 1 : 2);
    for (int k = 1; k <= lua_gettop(L); k++) mus_lua_settle_param(L, k);
    lua_arith(L, op);
    return 1;
}

/* Upvalue 1: LUA_OPLT or LUA_OPLE. */
static int compare(lua_State *L) {
    if (mus_lua_tracing(L))
        return mus_lua_refuse_branch(L, "comparing", "muslin.select(muslin.lt(a, b), x, y), muslin.min or muslin.max");
    for (int k = 1; k <= 2; k++) mus_lua_settle_param(L, k);
    lua_pushboolean(L, lua_compare(L, 1, 2, (int)lua_tointeger(L, lua_upvalueindex(1))));
    return 1;
}

void mus_lua_open_param(lua_State *L) {
    static const luaL_Reg meta[] = {{"__gc", param_gc}, {"__tostring", param_tostring}, {NULL, NULL}};
    static const luaL_Reg methods[] = {{"set", param_set}, {"get", param_get}, {NULL, NULL}};
    static const struct {
        const char *event;
        int op;
    } arithmetic[] = {{"__add", LUA_OPADD}, {"__sub", LUA_OPSUB},   {"__mul", LUA_OPMUL}, {"__div", LUA_OPDIV},
                      {"__pow", LUA_OPPOW}, {"__idiv", LUA_OPIDIV}, {"__mod", LUA_OPMOD}, {"__unm", LUA_OPUNM}};
    mus_lua_new_type(L, TYPE, meta, methods, NULL, NULL);
    luaL_getmetatable(L, TYPE);
    for (size_t k = 0; k < sizeof arithmetic / sizeof arithmetic[0]; k++) {
        lua_pushinteger(L, arithmetic[k].op);
        lua_pushstring(L, arithmetic[k].event);
        lua_pushcclosure(L, operate, 2);
        lua_setfield(L, -2, arithmetic[k].event);
    }
    lua_pushinteger(L, LUA_OPLT);
    lua_pushcclosure(L, compare, 1);
    lua_setfield(L, -2, "__lt");
    lua_pushinteger(L, LUA_OPLE);
    lua_pushcclosure(L, compare, 1);
    lua_setfield(L, -2, "__le");
    lua_pop(L, 1);
    lua_pushcfunction(L, param_new);
}
