/* json.c: JSON text as Lua values, for the scripts of this project: support.read_json. */
#include "muslin/host.h"
#include "sandbox/sandbox.h"

#include <jansson.h>

enum { MOST_DEPTH = 64 };

/* Pushes a value. Objects are tables by name, arrays lists from 1; null is nil in objects and false in arrays. */
static void push_value(lua_State *L, const json_t *value, int depth) {
    if (depth > MOST_DEPTH) mus_lua_error(L, "JSON: nested deeper than %d levels", MOST_DEPTH);
    luaL_checkstack(L, 4, "JSON");
    switch (json_typeof(value)) {
    case JSON_OBJECT: {
        const char *key;
        json_t *item;
        lua_createtable(L, 0, (int)json_object_size(value));
        json_object_foreach((json_t *)value, key, item) {
            if (json_is_null(item)) continue;
            push_value(L, item, depth + 1);
            lua_setfield(L, -2, key);
        }
        return;
    }
    case JSON_ARRAY: {
        size_t count = json_array_size(value);
        lua_createtable(L, (int)count, 0);
        for (size_t k = 0; k < count; k++) {
            const json_t *item = json_array_get(value, k);
            if (json_is_null(item))
                lua_pushboolean(L, false);
            else
                push_value(L, item, depth + 1);
            lua_rawseti(L, -2, (lua_Integer)k + 1);
        }
        return;
    }
    case JSON_STRING:
        lua_pushlstring(L, json_string_value(value), json_string_length(value));
        return;
    case JSON_INTEGER:
        lua_pushinteger(L, json_integer_value(value));
        return;
    case JSON_REAL:
        lua_pushnumber(L, json_real_value(value));
        return;
    default:
        lua_pushboolean(L, json_is_true(value));
    }
}

static int push_root(lua_State *L) {
    push_value(L, lua_touserdata(L, 1), 0);
    return 1;
}

/* read_json(path, what): the value in a file that the scene may read, or nil, "line 3, column 7: reason". `what` names
 * the caller in messages. */
int mus_lua_read_json(lua_State *L) {
    const char *what = luaL_checkstring(L, 2), *path = mus_lua_check_path(L, 1, what);
    char *text;
    size_t size;
    json_error_t error;
    mus_lua_check_readable(L, what, path);
    mus_lua_check_status(L, mus_read_text(path, &text, &size));
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    mus_free_text(text);
    if (!root) {
        lua_pushnil(L);
        lua_pushfstring(L, "line %d, column %d: %s", error.line, error.column, error.text);
        return 2;
    }
    lua_pushcfunction(L, push_root);
    lua_pushlightuserdata(L, root);
    int status = lua_pcall(L, 1, 1, 0);
    json_decref(root);
    return status == LUA_OK ? 1 : lua_error(L);
}
