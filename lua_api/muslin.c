/* muslin.c: require "muslin". */
#include "sandbox/sandbox.h"
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

/* What modules in Lua return, which are loaded at first access. */
static const char *const lua_modules[] = {"pipelines", "pattern", "dress", "usd"};
enum { LUA_MODULES = sizeof lua_modules / sizeof *lua_modules };

/* Other unknown names raise. */
static int module_index(lua_State *L) {
    bool known = false;
    for (int k = 0; k < LUA_MODULES && !known; k++)
        known = lua_type(L, 2) == LUA_TSTRING && strcmp(lua_tostring(L, 2), lua_modules[k]) == 0;
    if (known) {
        lua_getglobal(L, "require");
        lua_pushfstring(L, "muslin.%s", lua_tostring(L, 2));
        lua_call(L, 1, 1);
        lua_pushvalue(L, 2);
        lua_pushvalue(L, -2);
        lua_rawset(L, 1);
        return 1;
    }
    const char *name = luaL_tolstring(L, 2, NULL), *best = NULL;
    for (int k = 0; k < LUA_MODULES; k++) {
        const char *one[2] = {lua_modules[k], NULL};
        if (mus_lua_nearest(name, one)) best = lua_modules[k];
    }
    for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) {
        if (lua_type(L, -2) != LUA_TSTRING) continue;
        const char *one[2] = {lua_tostring(L, -2), NULL};
        if (mus_lua_nearest(name, one) && (!best || strcmp(one[0], best) < 0)) best = one[0];
    }
    if (best) return mus_lua_error(L, "muslin: no name '%s' (did you mean '%s'?)", name, best);
    return mus_lua_error(L, "muslin: no name '%s'", name);
}

int luaopen_muslin(lua_State *L) {
    luaL_checkversion(L);
    const char *level = getenv("MUSLIN_SIMD");
    if (level && *level && mus_set_simd_level(level) != MUS_STATUS_OK)
        return mus_lua_error(L, "MUSLIN_SIMD: %s", mus_get_error_message());
    const char *path = lua_type(L, 2) == LUA_TSTRING && lua_tostring(L, 2)[0] != ':' ? lua_tostring(L, 2) : NULL;
    lua_createtable(L, 0, 40);
    lua_pushliteral(L, MUS_VERSION);
    lua_setfield(L, -2, "version");
    mus_lua_open_vec3(L);
    lua_setfield(L, -2, "vec3");
    mus_lua_open_array(L);
    lua_setfield(L, -2, "array");
    mus_lua_open_mesh(L);
    lua_setfield(L, -2, "mesh");
    mus_lua_open_material(L);
    lua_setfield(L, -2, "material");
    mus_lua_open_cloth(L);
    mus_lua_open_obstacle(L);
    mus_lua_open_contacts(L);
    mus_lua_open_canvas(L);
    mus_lua_open_view(L);
    mus_lua_open_world(L);
    lua_setfield(L, -2, "world");
    lua_pushcfunction(L, mus_lua_load);
    lua_setfield(L, -2, "load");
    mus_lua_open_random(L);
    lua_setfield(L, -2, "random");
    mus_lua_open_seam(L);
    mus_lua_open_response(L);
    lua_setfield(L, -2, "response");
    mus_lua_open_trace(L);
    mus_lua_open_param(L);
    lua_setfield(L, -2, "param");
    mus_lua_open_rule(L);
    lua_pushcfunction(L, mus_lua_audit_file);
    lua_setfield(L, -2, "audit");
    mus_lua_open_query(L);
    mus_lua_open_trace_math(L);
    mus_lua_open_rotation(L, -1);
    lua_setfield(L, -2, "rotation");
    mus_lua_open_kit(L, path);
    lua_createtable(L, 0, 2);
    lua_pushcfunction(L, module_index);
    lua_setfield(L, -2, "__index");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, -2);
    mus_lua_register_module(L, -1);
    return 1;
}
