/* param.c: named numbers of rules that change between steps without tracing again. Outside a trace a parameter acts
 * as its number in arithmetic. */
#include "trace/trace.h"

#include <math.h>
#include <string.h>

static const char TYPE[] = "muslin.param";

/* In the registry: a list of the params with a range, weak, with its length as [0]. */
static const char SLIDERS[] = "muslin.sliders";

typedef struct param_slot {
    mus_parameter *parameter;
    double initial, least, most; /* of one with a range: least < most */
} param_slot;

static param_slot *slot_at(lua_State *L, int index) {
    return lua_type(L, index) == LUA_TUSERDATA ? luaL_testudata(L, index, TYPE) : NULL;
}

mus_parameter *mus_lua_test_param(lua_State *L, int index) {
    param_slot *slot = slot_at(L, index);
    return slot ? slot->parameter : NULL;
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
    lua_pushnumber(L, mus_parameter_get_value(p));
    lua_replace(L, index);
}

/* ---- Sliders ----------------------------------------------------------------------------------------------------- */

int32_t mus_lua_get_sliders(lua_State *L, mus_lua_slider *sliders, int32_t capacity) {
    int32_t count = 0;
    if (lua_getfield(L, LUA_REGISTRYINDEX, SLIDERS) == LUA_TTABLE) {
        lua_rawgeti(L, -1, 0);
        lua_Integer length = lua_tointeger(L, -1);
        lua_pop(L, 1);
        for (lua_Integer k = 1; k <= length && count < capacity; k++) {
            lua_rawgeti(L, -1, k);
            const param_slot *slot = slot_at(L, -1);
            lua_pop(L, 1);
            if (!slot || !slot->parameter) continue; /* collected */
            sliders[count++] = (mus_lua_slider){slot->parameter, slot->initial, slot->least, slot->most};
        }
    }
    lua_pop(L, 1);
    return count;
}

/* Adds the param on top. */
static void add_slider(lua_State *L) {
    if (lua_getfield(L, LUA_REGISTRYINDEX, SLIDERS) != LUA_TTABLE) {
        lua_pop(L, 1);
        lua_newtable(L);
        lua_newtable(L);
        lua_pushliteral(L, "v");
        lua_setfield(L, -2, "__mode");
        lua_setmetatable(L, -2);
        lua_pushvalue(L, -1);
        lua_setfield(L, LUA_REGISTRYINDEX, SLIDERS);
    }
    lua_rawgeti(L, -1, 0);
    lua_Integer length = lua_tointeger(L, -1) + 1;
    lua_pop(L, 1);
    lua_pushinteger(L, length);
    lua_rawseti(L, -2, 0);
    lua_pushvalue(L, -2);
    lua_rawseti(L, -2, length);
    lua_pop(L, 1);
}

static void check_range(lua_State *L) {
    double value = lua_tonumber(L, 2), least = lua_tonumber(L, 3), most = lua_tonumber(L, 4);
    if (lua_type(L, 3) != LUA_TNUMBER || lua_type(L, 4) != LUA_TNUMBER) {
        const char *seen = mus_lua_describe(L, lua_type(L, 3) != LUA_TNUMBER ? 3 : 4);
        mus_lua_error(L, "param '%s': its range must be two numbers, min and max (got %s)", lua_tostring(L, 1), seen);
    }
    if (!(isfinite(least) && isfinite(most) && isfinite(most - least) && least < most))
        mus_lua_error(L, "param '%s': its range must be finite, with min < max (got %s and %s)", lua_tostring(L, 1),
                      mus_lua_write_number(L, least), mus_lua_write_number(L, most));
    if (!(value >= least && value <= most))
        mus_lua_error(L, "param '%s': the value must be in its range %s..%s (got %s)", lua_tostring(L, 1),
                      mus_lua_write_number(L, least), mus_lua_write_number(L, most), mus_lua_write_number(L, value));
}

/* ---- Params ------------------------------------------------------------------------------------------------------ */

/* muslin.param(name, value [, min, max]) */
static int param_new(lua_State *L) {
    if (lua_type(L, 1) != LUA_TSTRING) {
        const char *seen = mus_lua_describe(L, 1);
        return mus_lua_error(L, "param(name, value): the name must be a string (got %s)", seen);
    }
    if (lua_type(L, 2) != LUA_TNUMBER) {
        const char *seen = mus_lua_describe(L, 2);
        return mus_lua_error(L, "param(name, value): the value must be a number (got %s)", seen);
    }
    bool ranged = !lua_isnoneornil(L, 3) || !lua_isnoneornil(L, 4);
    lua_settop(L, 4);
    if (ranged) check_range(L);
    param_slot *slot = lua_newuserdatauv(L, sizeof *slot, 0);
    *slot = (param_slot){.initial = lua_tonumber(L, 2), .least = lua_tonumber(L, 3), .most = lua_tonumber(L, 4)};
    luaL_setmetatable(L, TYPE);
    mus_lua_check_status(L, mus_parameter_create(lua_tostring(L, 1), lua_tonumber(L, 2), &slot->parameter));
    if (ranged) add_slider(L);
    return 1;
}

static int param_gc(lua_State *L) {
    param_slot *slot = luaL_checkudata(L, 1, TYPE);
    mus_parameter_release(slot->parameter);
    slot->parameter = NULL;
    return 0;
}

static int param_set(lua_State *L) {
    mus_parameter *p = check_param(L, "set");
    if (lua_type(L, 2) != LUA_TNUMBER) {
        const char *seen = mus_lua_describe(L, 2);
        return mus_lua_error(L, "param '%s': set(value): it must be a number (got %s)", mus_parameter_get_name(p),
                             seen);
    }
    mus_lua_check_status(L, mus_parameter_set_value(p, lua_tonumber(L, 2)));
    return 0;
}

static int param_get(lua_State *L) {
    lua_pushnumber(L, mus_parameter_get_value(check_param(L, "get")));
    return 1;
}

static int param_tostring(lua_State *L) {
    mus_parameter *p = check_param(L, "tostring");
    lua_pushfstring(L, "param '%s' = %f", mus_parameter_get_name(p), mus_parameter_get_value(p));
    return 1;
}

/* Upvalue 1: the operator's event. Uses the operator of expressions in a trace, else that of numbers. */
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

/* ---- Snapshots -----------------------------------------------------------------------------------------------------
 *
 * Their number, and the name and value of each. A script that runs again makes the same parameters in the same
 * order, so those of one name are matched in order. */

/* Adds the parameter to the list on top unless its [parameter] is set. */
static void list_parameter(lua_State *L, mus_parameter *p) {
    if (lua_rawgetp(L, -1, p) == LUA_TNIL) {
        lua_pushlightuserdata(L, p);
        lua_rawseti(L, -3, (lua_Integer)lua_rawlen(L, -3) + 1);
        lua_pushboolean(L, 1);
        lua_rawsetp(L, -3, p);
    }
    lua_pop(L, 1);
}

/* Pushes a list of the parameters that the world's functions refer to or that their rules were traced with; [0]
 * keeps them alive. */
static void push_list(lua_State *L, int world) {
    mus_lua_push_reached(L, world);
    int reached = lua_gettop(L);
    lua_Integer count = (lua_Integer)lua_rawlen(L, reached);
    lua_newtable(L);
    for (lua_Integer k = 1; k <= count; k++) {
        lua_rawgeti(L, reached, k);
        mus_parameter *p = mus_lua_test_param(L, -1);
        const mus_lua_rule *rule = p ? NULL : mus_lua_test_rule(L, -1);
        lua_pop(L, 1);
        if (p) list_parameter(L, p);
        if (!rule || !rule->program) continue;
        for (int32_t i = 0; (p = mus_program_get_parameter(rule->program, i)); i++) list_parameter(L, p);
    }
    lua_insert(L, reached);
    lua_rawseti(L, reached, 0);
}

void mus_lua_push_params(lua_State *L, int world) {
    push_list(L, world);
    int list = lua_gettop(L);
    luaL_Buffer b;
    luaL_buffinit(L, &b);
    lua_Integer count = (lua_Integer)lua_rawlen(L, list);
    mus_lua_put64(&b, (uint64_t)count);
    for (lua_Integer k = 1; k <= count; k++) {
        lua_rawgeti(L, list, k);
        const mus_parameter *p = lua_touserdata(L, -1);
        lua_pop(L, 1);
        double value = mus_parameter_get_value(p);
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        size_t size = strlen(mus_parameter_get_name(p));
        mus_lua_put64(&b, size);
        luaL_addlstring(&b, mus_parameter_get_name(p), size);
        mus_lua_put64(&b, bits);
    }
    luaL_pushresult(&b);
    lua_replace(L, list);
}

/* The next parameter in the list at `list` with the name on top, which it pops: [name] of `taken` is the place of
 * the last one restored. NULL if there is none. */
static mus_parameter *next_of_name(lua_State *L, int list, int taken) {
    const char *name = lua_tostring(L, -1);
    lua_pushvalue(L, -1);
    lua_rawget(L, taken);
    lua_Integer k = lua_tointeger(L, -1) + 1;
    lua_pop(L, 1);
    mus_parameter *found = NULL;
    for (; !found && lua_rawgeti(L, list, k) != LUA_TNIL; k++) {
        mus_parameter *p = lua_touserdata(L, -1);
        if (strcmp(mus_parameter_get_name(p), name) == 0) found = p;
        lua_pop(L, 1);
    }
    if (!found) lua_pop(L, 1);
    lua_pushinteger(L, k - 1);
    lua_rawset(L, taken);
    return found;
}

bool mus_lua_read_params(lua_State *L, int world, const uint8_t **at, size_t *left) {
    if (*left == 0) { /* of an earlier version, which had none */
        lua_pushnil(L);
        return true;
    }
    push_list(L, world);
    int list = lua_gettop(L);
    lua_newtable(L); /* [parameter] = value; [0] keeps them alive */
    lua_newtable(L);
    int values = list + 1, taken = list + 2;
    uint64_t count, size, bits;
    if (!mus_lua_get64(at, left, &count)) return false;
    for (uint64_t k = 0; k < count; k++) {
        if (!mus_lua_get64(at, left, &size) || size > *left) return false;
        lua_pushlstring(L, (const char *)*at, (size_t)size);
        *at += size, *left -= size;
        double value;
        if (!mus_lua_get64(at, left, &bits)) return false;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) return false;
        mus_parameter *p = next_of_name(L, list, taken);
        if (!p) continue;
        lua_pushnumber(L, value);
        lua_rawsetp(L, values, p);
    }
    lua_pop(L, 1);
    lua_insert(L, list);
    lua_rawseti(L, list, 0);
    return true;
}

void mus_lua_take_params(lua_State *L, int table) {
    if (!lua_istable(L, table)) return;
    for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1))
        if (lua_islightuserdata(L, -2)) mus_parameter_set_value(lua_touserdata(L, -2), lua_tonumber(L, -1));
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
