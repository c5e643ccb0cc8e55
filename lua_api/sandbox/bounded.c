/* bounded.c: library functions as replaced for scripts without --trusted: C functions that could run or allocate
 * without end, where no hook can stop them, are bounded; bytecode and finalizers are refused. */
#include "sandbox/sandbox.h"

#include <string.h>

enum { MOST_BYTES = 1 << 28, MOST_ITEMS = 1 << 24 };

/* Calls the stock function in upvalue 1 with the arguments as they are. */
static int forward(lua_State *L) {
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}

static int bounded_rep(lua_State *L) {
    size_t size, separator = 0;
    luaL_checklstring(L, 1, &size);
    lua_Integer n = luaL_checkinteger(L, 2);
    luaL_optlstring(L, 3, "", &separator);
    if (n > MOST_BYTES || (n > 0 && (size + separator) > (size_t)MOST_BYTES / (size_t)n))
        return mus_lua_error(L, "string.rep: more than %d bytes", MOST_BYTES);
    return forward(L);
}

static int bounded_move(lua_State *L) {
    lua_Integer first = luaL_checkinteger(L, 2), last = luaL_checkinteger(L, 3);
    if (last >= first && (uint64_t)last - (uint64_t)first >= MOST_ITEMS)
        return mus_lua_error(L, "table.move: more than %d items", MOST_ITEMS);
    return forward(L);
}

/* For functions that walk over #list items: a metatable may return any length. */
static int bounded_list(lua_State *L) {
    if (lua_istable(L, 1) && luaL_len(L, 1) > MOST_ITEMS)
        return mus_lua_error(L, "table: a list of more than %d items", MOST_ITEMS);
    return forward(L);
}

static int bounded_concat(lua_State *L) {
    lua_Integer first = luaL_optinteger(L, 3, 1), last = lua_isnoneornil(L, 4) ? first : luaL_checkinteger(L, 4);
    if (last > first && (uint64_t)last - (uint64_t)first >= MOST_ITEMS)
        return mus_lua_error(L, "table.concat: more than %d items", MOST_ITEMS);
    return bounded_list(L);
}

static int bounded_setmetatable(lua_State *L) {
    if (lua_istable(L, 2)) {
        lua_pushliteral(L, "__gc");
        if (lua_rawget(L, 2) != LUA_TNIL)
            return mus_lua_error(L, "setmetatable: __gc is not available without --trusted: when it runs, and in what "
                                    "order, differs from run to run; use a <close> variable");
        lua_pop(L, 1);
    }
    return forward(L);
}

/* load(chunk [, name [, mode [, environment]]]) of text only: bytecode can crash the interpreter. */
static int bounded_load(lua_State *L) {
    size_t size;
    const char *text, *name;
    int mode_given = !lua_isnoneornil(L, 3), environment_given = !lua_isnone(L, 4);
    if (mode_given && !strchr(luaL_checkstring(L, 3), 't')) {
        lua_pushnil(L);
        lua_pushliteral(L, "load: bytecode is not available without --trusted");
        return 2;
    }
    lua_settop(L, 4);
    if (lua_type(L, 1) == LUA_TSTRING) {
        text = lua_tolstring(L, 1, &size);
        name = luaL_optstring(L, 2, text);
    } else {
        luaL_checktype(L, 1, LUA_TFUNCTION);
        name = luaL_optstring(L, 2, "=(load)");
        luaL_Buffer pieces;
        luaL_buffinit(L, &pieces);
        for (;;) {
            lua_pushvalue(L, 1);
            lua_call(L, 0, 1);
            size_t piece;
            const char *part = lua_isnil(L, -1) ? "" : lua_tolstring(L, -1, &piece);
            if (!part) return luaL_error(L, "reader function must return a string");
            if (lua_isnil(L, -1) || piece == 0) {
                lua_pop(L, 1);
                break;
            }
            luaL_addvalue(&pieces);
        }
        luaL_pushresult(&pieces);
        text = lua_tolstring(L, -1, &size);
    }
    if (luaL_loadbufferx(L, text, size, name, "t") != LUA_OK) {
        lua_pushnil(L);
        lua_insert(L, -2);
        return 2;
    }
    if (environment_given) {
        lua_pushvalue(L, 4);
        if (!lua_setupvalue(L, -2, 1)) lua_pop(L, 1);
    }
    return 1;
}

/* Replaces a field of the table on top by a function that has the stock one as its upvalue. */
static void replace(lua_State *L, const char *name, lua_CFunction function) {
    lua_getfield(L, -1, name);
    lua_pushcclosure(L, function, 1);
    lua_setfield(L, -2, name);
}

static void removed(lua_State *L, const char *name) {
    lua_pushnil(L);
    lua_setfield(L, -2, name);
}

void mus_lua_open_bounded(lua_State *L) {
    lua_pushglobaltable(L);
    removed(L, "dofile");
    removed(L, "loadfile");
    replace(L, "load", bounded_load);
    replace(L, "setmetatable", bounded_setmetatable);

    lua_getfield(L, -1, "string");
    removed(L, "dump");
    replace(L, "rep", bounded_rep);
    lua_pop(L, 1);

    lua_getfield(L, -1, "table");
    replace(L, "move", bounded_move);
    replace(L, "insert", bounded_list);
    replace(L, "remove", bounded_list);
    replace(L, "unpack", bounded_list);
    replace(L, "concat", bounded_concat);
    lua_pop(L, 2);

    /* The metatable of all strings cannot be reached, so its __index stays the string library. */
    lua_pushliteral(L, "");
    lua_getmetatable(L, -1);
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_pop(L, 2);
}
