/* tolerance.c: the tolerance of a world: a number, a view, or a function of place. */
#include "objects/tolerance.h"

mus_tolerance mus_lua_read_tolerance(lua_State *L, mus_lua_worldbox *box) {
    static const char *const keys[] = {"eye", "pixel", "least", NULL};
    int value = lua_gettop(L);
    mus_tolerance t = {0};
    if (lua_type(L, value) == LUA_TNUMBER) {
        t.least = lua_tonumber(L, value);
        return t;
    }
    if (lua_isfunction(L, value) || mus_lua_test_rule(L, value)) {
        mus_lua_make_tolerance(L, box, value, "world: field 'tolerance'");
        const mus_lua_rule *rule = mus_lua_test_rule(L, value);
        if (rule->kind != MUS_PROGRAM_TOLERANCE)
            mus_lua_error(L, "world: field 'tolerance' must be a function of place (got another traced one)");
        t.place = rule->program;
        return t;
    }
    if (!lua_istable(L, value)) {
        const char *seen = mus_lua_describe(L, value);
        mus_lua_error(L,
                      "world: field 'tolerance' must be a number, m, {eye =, pixel =, least =} or a function of place "
                      "(got %s)",
                      seen);
    }
    mus_lua_check_keys(L, value, "world.tolerance", keys);
    t.pixel = mus_lua_opt_number(L, value, "world.tolerance", "pixel", 0);
    t.least = mus_lua_opt_number(L, value, "world.tolerance", "least", 0);
    if (!mus_lua_opt_vec3(L, value, "world.tolerance", "eye", t.eye) || !(t.pixel > 0))
        mus_lua_error(L, "world: field 'tolerance' of a view needs 'eye', a place in m, and 'pixel', an angle > 0 rad");
    return t;
}

/* Keeps the last one, as the core does: a restored snapshot may use it. */
void mus_lua_own_tolerance(lua_State *L, int world) {
    if (!mus_lua_test_rule(L, -1)) return;
    int rule = lua_gettop(L);
    mus_lua_worldbox *box = mus_lua_test_box(L, world);
    mus_lua_new_record(L, world, rule);
    lua_getiuservalue(L, world, MUS_LUA_OWNERS);
    lua_pushvalue(L, -2);
    box->owners_changed = true;
    lua_setfield(L, -2, "tolerance");
    lua_settop(L, rule);
}

void mus_lua_push_tolerance(lua_State *L, int world, const mus_tolerance *t) {
    if (t->place) {
        lua_getiuservalue(L, world, MUS_LUA_OWNERS);
        lua_getfield(L, -1, "tolerance");
        lua_getiuservalue(L, -1, 1);
        lua_replace(L, -3);
        lua_pop(L, 1);
        return;
    }
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
