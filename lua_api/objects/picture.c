/* picture.c: pictures in the texture coordinates of a mesh, {picture = path, origin =, size =}, of maps and textures.
 */
#include "binding.h"

#include <math.h>

#define TYPE "muslin.picture"

/* The field `name` of the table at `value`: two numbers, or one for both; whether it is given. */
static bool read_pair(lua_State *L, int value, const char *field, const char *name, bool positive, double pair[2]) {
    int type = lua_getfield(L, value, name);
    bool good = type == LUA_TNIL || type == LUA_TNUMBER || (type == LUA_TTABLE && lua_rawlen(L, -1) == 2);
    for (int k = 0; k < 2 && good && type != LUA_TNIL; k++) {
        if (type == LUA_TTABLE) lua_rawgeti(L, -1, k + 1);
        good = lua_type(L, -1) == LUA_TNUMBER && isfinite(pair[k] = lua_tonumber(L, -1)) && (!positive || pair[k] > 0);
        if (type == LUA_TTABLE) lua_pop(L, 1);
    }
    if (!good) {
        const char *seen = mus_lua_describe(L, -1);
        mus_lua_error(L, "%s: '%s' must be a number or two%s (got %s)", field, name, positive ? ", > 0" : "", seen);
    }
    lua_pop(L, 1);
    return type != LUA_TNIL;
}

static void collect_at(mus_picture **owned) {
    mus_picture_destroy(*owned);
    *owned = NULL;
}

static int collect(lua_State *L) {
    collect_at(lua_touserdata(L, 1));
    return 0;
}

bool mus_lua_is_picture(lua_State *L, int value) {
    bool picture = lua_type(L, value) == LUA_TTABLE && lua_getfield(L, value, "picture") != LUA_TNIL;
    if (lua_type(L, value) == LUA_TTABLE) {
        picture = picture && lua_type(L, -1) != LUA_TNUMBER; /* a group of faces may have this name */
        lua_pop(L, 1);
    }
    return picture;
}

static void push_owner(lua_State *L) {
    mus_picture **owned = lua_newuserdatauv(L, sizeof(mus_picture *), 0);
    *owned = NULL;
    if (luaL_newmetatable(L, TYPE)) {
        lua_pushcfunction(L, collect);
        lua_setfield(L, -2, "__gc");
    }
    lua_setmetatable(L, -2);
}

/* The path of the table at `value`; it lives as long as the table. */
static const char *check_path(lua_State *L, int value, const char *field) {
    if (lua_getfield(L, value, "picture") != LUA_TSTRING) {
        const char *seen = mus_lua_describe(L, -1);
        mus_lua_error(L, "%s: 'picture' must be the path of a PNG or JPEG (got %s)", field, seen);
    }
    const char *path = mus_lua_check_path(L, -1, field);
    mus_lua_check_readable(L, field, path);
    lua_pop(L, 1);
    return path;
}

static void read_place(lua_State *L, int value, const char *field, mus_lua_picture *out) {
    *out = (mus_lua_picture){.picture = NULL};
    out->has_origin = read_pair(L, value, field, "origin", false, out->origin);
    out->has_size = read_pair(L, value, field, "size", true, out->size);
}

void mus_lua_load_picture(lua_State *L, int value, const char *field, mus_lua_picture *out) {
    read_place(L, value, field, out);
    push_owner(L);
    mus_picture **owned = lua_touserdata(L, -1);
    mus_lua_check_status(L, mus_picture_load(check_path(L, value, field), owned));
    out->picture = *owned;
}

void mus_lua_close_picture(lua_State *L, int index) {
    collect_at(lua_touserdata(L, index));
}

void mus_lua_share_picture(lua_State *L, int world, int value, const char *field, mus_lua_picture *out) {
    const char *path = check_path(L, value, field);
    lua_getiuservalue(L, world, MUS_LUA_PICTURES);
    if (lua_getfield(L, -1, path) == LUA_TUSERDATA) {
        read_place(L, value, field, out);
        out->picture = *(mus_picture **)lua_touserdata(L, -1);
        lua_pop(L, 2);
        return;
    }
    lua_pop(L, 1);
    mus_lua_load_picture(L, value, field, out);
    lua_setfield(L, -2, path);
    lua_pop(L, 1);
}
