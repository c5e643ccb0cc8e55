/* freeze.c: protection of one part of a script from another: the libraries are read-only, and an undeclared global
 * cannot be read, nor be created inside a function.
 *
 * The main part of a file declares globals by assigning to them, also to nil; rawget(_G, name) reads a global that
 * may be undeclared. */
#include "sandbox/sandbox.h"

#include <string.h>

static const char frozen_key = 0; /* registry: {[table] = name}, weak */

/* ---- Libraries --------------------------------------------------------------------------------------------------- */

/* Upvalue 1: the library's name. */
static int refuse_field(lua_State *L) {
    const char *seen = mus_lua_describe(L, 2);
    return mus_lua_error(
        L, "the library '%s' cannot be changed (field %s); keep functions of your own in a table of your own",
        lua_tostring(L, lua_upvalueindex(1)), seen);
}

/* Upvalue 1: the library itself; 2: pairs. */
static int pairs_of_library(lua_State *L) {
    lua_pushvalue(L, lua_upvalueindex(2));
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_call(L, 1, 3);
    return 3;
}

/* Replaces the library by an empty table that reads from it and cannot be written to. */
static void freeze(lua_State *L, const char *name) {
    int top = lua_gettop(L);
    if (lua_getglobal(L, name) != LUA_TTABLE) {
        lua_settop(L, top);
        return;
    }
    lua_newtable(L); /* top + 2: the stand-in */
    lua_createtable(L, 0, 5);
    lua_pushvalue(L, top + 1);
    lua_setfield(L, -2, "__index");
    lua_pushstring(L, name);
    lua_pushcclosure(L, refuse_field, 1);
    lua_setfield(L, -2, "__newindex");
    lua_pushvalue(L, top + 1);
    lua_getglobal(L, "pairs");
    lua_pushcclosure(L, pairs_of_library, 2);
    lua_setfield(L, -2, "__pairs");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, top + 2);
    lua_pushvalue(L, top + 2);
    lua_setglobal(L, name);
    lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_pushvalue(L, top + 2);
    lua_setfield(L, -2, name);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &frozen_key);
    lua_pushvalue(L, top + 2);
    lua_pushstring(L, name);
    lua_rawset(L, -3);
    lua_settop(L, top);
}

/* rawset(table, key, value), which refuses such a stand-in. Upvalue 1: the stock one. */
static int guarded_rawset(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 3);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &frozen_key);
    lua_pushvalue(L, 1);
    if (lua_rawget(L, -2) == LUA_TSTRING)
        return mus_lua_error(L, "rawset: the library '%s' cannot be changed", lua_tostring(L, -1));
    lua_settop(L, 3);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, 3, 1);
    return 1;
}

/* ---- Globals ----------------------------------------------------------------------------------------------------- */

enum { MOST_NAMES = 400 };

/* The known global with the name nearest to `name`; NULL if none is near. */
static const char *nearest_global(lua_State *L, int globals, const char *name) {
    const char *names[MOST_NAMES + 1];
    int count = 0;
    mus_lua_push_keys(L, globals);
    for (lua_Integer k = 1; count < MOST_NAMES && lua_rawgeti(L, -1, k) != LUA_TNIL; k++) {
        if (lua_type(L, -1) == LUA_TSTRING) names[count++] = lua_tostring(L, -1); /* the globals keep it alive */
        lua_pop(L, 1);
    }
    names[count] = NULL;
    return mus_lua_nearest(name, names);
}

/* Upvalue 1: {[name] = true} of what was declared. */
static bool is_declared(lua_State *L, int key) {
    lua_pushvalue(L, key);
    bool declared = lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL;
    lua_pop(L, 1);
    return declared;
}

static int read_global(lua_State *L) {
    static const char *const withheld[] = {"io", "debug", "package", "dofile", "loadfile", NULL};
    if (lua_type(L, 2) != LUA_TSTRING || is_declared(L, 2)) return 0;
    const char *name = lua_tostring(L, 2);
    for (int k = 0; withheld[k]; k++)
        if (strcmp(name, withheld[k]) == 0)
            return mus_lua_error(L, "'%s' is not available to scenes without --trusted", name);
    const char *nearest = nearest_global(L, 1, name);
    if (nearest) return mus_lua_error(L, "no variable '%s' (did you mean '%s'?)", name, nearest);
    return mus_lua_error(L, "no variable '%s': neither a local nor a global of that name was declared", name);
}

static int write_global(lua_State *L) {
    lua_Debug ar;
    bool outside = true; /* of every function: the main part of a file, or a host's C */
    if (lua_getstack(L, 1, &ar) && lua_getinfo(L, "S", &ar)) outside = strcmp(ar.what, "Lua") != 0;
    if (!outside && lua_type(L, 2) == LUA_TSTRING && !is_declared(L, 2)) {
        const char *name = lua_tostring(L, 2), *nearest = nearest_global(L, 1, name);
        const char *hint = nearest ? lua_pushfstring(L, " (did you mean '%s'?)", nearest) : "";
        return mus_lua_error(
            L,
            "assignment to the undeclared variable '%s'%s: write local in front of it, or assign to it in "
            "the main part of the file, outside of functions",
            name, hint);
    }
    lua_pushvalue(L, 2);
    lua_pushboolean(L, 1);
    lua_rawset(L, lua_upvalueindex(1));
    lua_settop(L, 3);
    lua_rawset(L, 1);
    return 0;
}

static void watch_globals(lua_State *L) {
    lua_pushglobaltable(L);
    lua_createtable(L, 0, 3);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_pushcclosure(L, read_global, 1);
    lua_setfield(L, -3, "__index");
    lua_pushcclosure(L, write_global, 1);
    lua_setfield(L, -2, "__newindex");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, -2);
    lua_pop(L, 1);
}

void mus_lua_freeze(lua_State *L) {
    static const char *const libraries[] = {"string", "table", "math", "utf8", "coroutine", "os", NULL};
    lua_newtable(L);
    lua_createtable(L, 0, 1);
    lua_pushliteral(L, "k");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &frozen_key);
    for (int k = 0; libraries[k]; k++) freeze(L, libraries[k]);
    lua_getglobal(L, "rawset");
    lua_pushcclosure(L, guarded_rawset, 1);
    lua_setglobal(L, "rawset");
    watch_globals(L);
}
