/* kit.c: functions that the scenario kit (scripts/kit.lua) cannot have in Lua, as the module muslin.support. */
#include "sandbox/sandbox.h"

#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* type(v): "world", "cloth", "array", "vec3"... for muslin's objects, else the result of Lua's type. */
static int kit_type(lua_State *L) {
    luaL_checkany(L, 1);
    if (lua_type(L, 1) == LUA_TUSERDATA && luaL_getmetafield(L, 1, "__name") == LUA_TSTRING) {
        const char *name = lua_tostring(L, -1);
        if (strncmp(name, "muslin.", 7) == 0) lua_pushstring(L, name + 7);
    } else {
        lua_pushstring(L, luaL_typename(L, 1));
    }
    return 1;
}

/* Wall clock in seconds, for reports only. */
static int kit_clock(lua_State *L) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    lua_pushnumber(L, (double)now.tv_sec + 1e-9 * (double)now.tv_nsec);
    return 1;
}

/* fail(message): raises with the position of the user's line, also from deep within the kit. */
static int kit_fail(lua_State *L) {
    return mus_lua_error(L, "%s", luaL_checkstring(L, 1));
}

/* seed(n) seeds math.random if it is muslin's. */
static int kit_seed(lua_State *L) {
    mus_lua_seed(L, (uint64_t)luaL_checkinteger(L, 1));
    return 0;
}

/* The words of the list at `index` as mus_lua_nearest takes them; they live as long as the list and the userdata that
 * is pushed. */
static const char *const *kit_words(lua_State *L, int index) {
    luaL_checktype(L, index, LUA_TTABLE);
    size_t count = (size_t)lua_rawlen(L, index);
    const char **words = lua_newuserdatauv(L, (count + 1) * sizeof *words, 0);
    for (size_t k = 0; k < count; k++) {
        if (lua_rawgeti(L, index, (lua_Integer)k + 1) != LUA_TSTRING) { /* nothing would keep a number's text alive */
            const char *seen = mus_lua_describe(L, -1);
            mus_lua_error(L, "a list of words must hold strings (got %s)", seen);
        }
        words[k] = lua_tostring(L, -1);
        lua_pop(L, 1);
    }
    words[count] = NULL;
    return words;
}

/* check_keys(table, what, words): raises "WHAT: unknown field 'KEY' ..." for a key that is none of the words. */
static int kit_check_keys(lua_State *L) {
    const char *what = luaL_checkstring(L, 2);
    mus_lua_check_keys(L, 1, what, kit_words(L, 3));
    return 0;
}

/* draw(world): fires the draw hooks, as a host does for a picture. */
static int kit_draw(lua_State *L) {
    mus_lua_check_world(L, 1);
    mus_lua_world_draw(L, 1);
    return 0;
}

/* nearest(word, words): the nearest of them, or nil. */
static int kit_nearest(lua_State *L) {
    const char *word = luaL_checkstring(L, 1);
    lua_pushstring(L, mus_lua_nearest(word, kit_words(L, 2)));
    return 1;
}

static int open_support(lua_State *L) {
    static const luaL_Reg functions[] = {{"type", kit_type},
                                         {"clock", kit_clock},
                                         {"fail", kit_fail},
                                         {"traceback", mus_lua_traceback},
                                         {"seed", kit_seed},
                                         {"draw", kit_draw},
                                         {"check_keys", kit_check_keys},
                                         {"nearest", kit_nearest},
                                         {"read_json", mus_lua_read_json},
                                         {"read_usd", mus_lua_read_usd},
                                         {NULL, NULL}};
    luaL_newlib(L, functions);
    mus_lua_add_golden(L);
    return 1;
}

/* The scripts of a muslin.so: ../scripts beside the build folder, or where make install puts them. */
static void add_scripts_of(lua_State *L, const char *module_path) {
    static const char *const places[] = {"/../scripts", "/../../../share/lua/5.4/muslin"};
    const char *slash = strrchr(module_path, '/');
    if (slash) {
        lua_pushlstring(L, module_path, (size_t)(slash - module_path));
    } else {
        lua_pushliteral(L, ".");
    }
    for (int k = 0; k < 2; k++) {
        const char *folder = lua_pushfstring(L, "%s%s", lua_tostring(L, -1), places[k]);
        const char *kit = lua_pushfstring(L, "%s/kit.lua", folder);
        struct stat status;
        bool there = stat(kit, &status) == 0;
        lua_pop(L, 1);
        if (there) mus_lua_add_own_scripts(L, folder);
        lua_pop(L, 1);
        if (there) break;
    }
    lua_pop(L, 1);
}

void mus_lua_open_kit(lua_State *L, const char *module_path) {
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
    lua_pushcfunction(L, open_support);
    lua_setfield(L, -2, "muslin.support");
    lua_pop(L, 1);
    if (module_path && !mus_lua_box_of(L)) add_scripts_of(L, module_path);
    mus_lua_add_kit_functions(L, true);
    lua_pushcfunction(L, kit_type);
    lua_setfield(L, -2, "type");
}
