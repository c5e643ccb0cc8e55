/* tolerance.c: the tolerance of a world, a number or a view. */
#include "tolerance.h"

mus_tolerance mus_lua_read_tolerance(lua_State *L) {
    static const char *const keys[] = {"eye", "pixel", "least", NULL};
    int value = lua_gettop(L);
    mus_tolerance t = {0};
    if (lua_type(L, value) == LUA_TNUMBER) {
        t.least = lua_tonumber(L, value);
        return t;
    }
    if (!lua_istable(L, value)) {
        const char *seen = mus_lua_describe(L, value);
        mus_lua_error(L, "world: field 'tolerance' must be a number, m, or {eye =, pixel =, least =} (got %s)", seen);
    }
    mus_lua_check_keys(L, value, "world.tolerance", keys);
    t.pixel = mus_lua_opt_number(L, value, "world.tolerance", "pixel", 0);
    t.least = mus_lua_opt_number(L, value, "world.tolerance", "least", 0);
    if (!mus_lua_opt_vec3(L, value, "world.tolerance", "eye", t.eye) || !(t.pixel > 0))
        mus_lua_error(L, "world: field 'tolerance' of a view needs 'eye', a place in m, and 'pixel', an angle > 0 rad");
    return t;
}

void mus_lua_push_tolerance(lua_State *L, const mus_tolerance *t) {
    if (!(t->pixel > 0)) {
        lua_pushnumber(L, t->least);
        return;
    }
    lua_createtable(L, 0, 3);
    mus_lua_push_vec3(L, t->eye[0], t->eye[1], t->eye[2]);
    lua_setfield(L, -2, "eye");
    lua_pushnumber(L, t->pixel);
    lua_setfield(L, -2, "pixel");
    lua_pushnumber(L, t->least);
    lua_setfield(L, -2, "least");
}
