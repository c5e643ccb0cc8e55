/* fields.c: tables of functions (muslin.mesh, muslin.rotation) that raise for a field they do not have, and name the
 * nearest one. */
#include "api.h"

#include <string.h>

/* Upvalue: the table's name. */
static int refuse_absent(lua_State *L) {
    const char *table = lua_tostring(L, lua_upvalueindex(1));
    if (lua_type(L, 2) != LUA_TSTRING) {
        const char *seen = mus_lua_describe(L, 2);
        return mus_lua_error(L, "%s: fields have names (got %s)", table, seen);
    }
    enum { MOST = 64 };
    const char *names[MOST + 1];
    int count = 0;
    for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) {
        if (lua_type(L, -2) != LUA_TSTRING || count == MOST) continue;
        const char *name = lua_tostring(L, -2); /* a key of the table: it stays */
        int at = count++;
        for (; at > 0 && strcmp(names[at - 1], name) > 0; at--) names[at] = names[at - 1];
        names[at] = name;
    }
    names[count] = NULL;
    const char *word = lua_tostring(L, 2), *nearest = mus_lua_nearest(word, names);
    if (nearest) return mus_lua_error(L, "%s: no function '%s' (did you mean '%s'?)", table, word, nearest);
    return mus_lua_error(L, "%s: no function '%s' (known: %s)", table, word, mus_lua_push_list(L, names));
}

void mus_lua_refuse_absent_fields(lua_State *L, const char *name) {
    lua_createtable(L, 0, 2);
    lua_pushstring(L, name);
    lua_pushcclosure(L, refuse_absent, 1);
    lua_setfield(L, -2, "__index");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, -2);
}
