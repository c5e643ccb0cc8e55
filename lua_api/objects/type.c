/* type.c: common parts of all userdata of the binding: metatables, unknown fields, checks of functions. */
#include "binding.h"

#include <math.h>
#include <string.h>

void mus_lua_new_type(lua_State *L, const char *type, const luaL_Reg *meta, const luaL_Reg *methods,
                      lua_CFunction index, void (*more)(lua_State *L)) {
    luaL_newmetatable(L, type);
    luaL_setfuncs(L, meta, 0);
    lua_newtable(L);
    luaL_setfuncs(L, methods, 0);
    if (more) more(L);
    if (index) lua_pushcclosure(L, index, 1);
    lua_setfield(L, -2, "__index");
    const char *dot = strchr(type, '.');
    lua_pushstring(L, dot ? dot + 1 : type);
    lua_setfield(L, -2, "__name");
    lua_pushboolean(L, 0); /* getmetatable returns false, so that scripts cannot change the metatable */
    lua_setfield(L, -2, "__metatable");
    lua_pop(L, 1);
}

enum { MOST_NAMES = 96 };

int mus_lua_index_method(lua_State *L, const char *what, const char *const *fields) {
    if (lua_type(L, 2) != LUA_TSTRING) {
        const char *seen = mus_lua_describe(L, 2);
        return mus_lua_error(L, "%s: no field %s", what, seen);
    }
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) return 1;
    const char *names[MOST_NAMES + 1], *name = lua_tostring(L, 2);
    int count = 0;
    while (fields[count] && count < MOST_NAMES) names[count] = fields[count], count++;
    int first = count; /* methods follow in order of their names: that of lua_next differs from run to run */
    for (lua_pushnil(L); lua_next(L, lua_upvalueindex(1)); lua_pop(L, 1)) {
        if (count == MOST_NAMES) continue;
        const char *method = lua_tostring(L, -2);
        int at = count++;
        for (; at > first && strcmp(names[at - 1], method) > 0; at--) names[at] = names[at - 1];
        names[at] = method;
    }
    names[count] = NULL;
    const char *nearest = mus_lua_nearest(name, names);
    if (nearest) return mus_lua_error(L, "%s: no field '%s' (did you mean '%s'?)", what, name, nearest);
    return mus_lua_error(L, "%s: no field '%s'", what, name);
}

void mus_lua_check_function(lua_State *L, int index, const char *what) {
    if (lua_isfunction(L, index)) return;
    if (luaL_getmetafield(L, index, "__call") != LUA_TNIL) {
        lua_pop(L, 1);
        return;
    }
    const char *seen = mus_lua_describe(L, index);
    mus_lua_error(L, "%s must be a function (got %s)", what, seen);
}

void mus_lua_account(lua_State *L, size_t bytes) {
    if (bytes >= 65536) lua_gc(L, LUA_GCSTEP, (int)(bytes >> 10 < 1 << 20 ? bytes >> 10 : 1 << 20));
}

void mus_lua_check_place(lua_State *L, int index, int function, const char *what, double t, double out[3]) {
    if (!mus_lua_test_vec3(L, index, out)) {
        const char *seen = mus_lua_describe(L, index);
        mus_lua_error_of(L, function, "%s at t = %f s must return a place {x, y, z} in m (got %s)", what, t, seen);
    }
    for (int k = 0; k < 3; k++) {
        if (!isfinite(out[k]))
            mus_lua_error_of(L, function,
                             "%s at t = %f s must return finite numbers (got %s at %d); keep divisors and roots off 0",
                             what, t, mus_lua_word_of_number(out[k]), k + 1);
    }
}

int32_t mus_lua_opt_int32(lua_State *L, int index, const char *what, const char *field, int32_t otherwise) {
    int64_t value = mus_lua_opt_integer(L, index, what, field, otherwise);
    if (value < INT32_MIN || value > INT32_MAX)
        mus_lua_error(L, "%s: field '%s' must be between %d and %d (got %I)", what, field, INT32_MIN, INT32_MAX,
                      (LUAI_UACINT)value);
    return (int32_t)value;
}

const char *mus_lua_check_object_name(lua_State *L, int index, const char *what) {
    if (lua_type(L, index) == LUA_TSTRING) {
        size_t length;
        const char *name = lua_tolstring(L, index, &length);
        if (strlen(name) != length) mus_lua_error(L, "%s must not hold a zero byte (got one in the name)", what);
        return name;
    }
    if (mus_lua_test_object(L, index)) {
        lua_getiuservalue(L, index, 2);
        const char *name = lua_tostring(L, -1); /* the object keeps it alive */
        lua_pop(L, 1);
        return name;
    }
    const char *seen = mus_lua_describe(L, index);
    mus_lua_error(L, "%s must be the name of a cloth or an obstacle, or one itself (got %s)", what, seen);
    return NULL;
}

mus_object_id mus_lua_find_object(lua_State *L, const mus_world *world, const char *what, const char *name) {
    mus_object_id id = mus_object_none();
    mus_status status = name ? mus_world_find_object(world, name, &id) : MUS_STATUS_OK;
    if (status == MUS_STATUS_NOT_FOUND) mus_lua_error(L, "%s: %s", what, mus_get_error_message());
    mus_lua_check_status(L, status);
    return id;
}
