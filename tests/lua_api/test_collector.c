/* test_collector.c: the Lua tests under a collector that never rests, and the lists of the draw hooks. */
#include "api.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static lua_State *open_scene(const char *script) {
    mus_lua_sandbox options = {0};
    options.script_path = script;
    options.scripts_path = "scripts";
    options.seed = 1;
    lua_State *L = mus_lua_sandbox_open(&options);
    assert_non_null(L);
    return L;
}

/* Arguments: path. Runs every scenario of the file; fails with the name and the message. */
static int play_file(lua_State *L) {
    const char *path = luaL_checkstring(L, 1);
    lua_getglobal(L, "require");
    lua_pushliteral(L, MUS_LUA_KIT);
    lua_call(L, 1, 1);
    int kit = lua_gettop(L);
    if (mus_lua_sandbox_load(L, path) != LUA_OK) return lua_error(L);
    lua_call(L, 0, 0);
    lua_getfield(L, kit, "list");
    int list = lua_gettop(L);
    lua_Integer count = (lua_Integer)lua_rawlen(L, list);
    for (lua_Integer i = 1; i <= count; i++) {
        lua_rawgeti(L, list, i);
        lua_getfield(L, -1, "body");
        lua_call(L, 0, 0);
        lua_settop(L, list);
    }
    lua_pushinteger(L, count);
    return 1;
}

static void play_under(bool generational) {
    static const char *const files[] = {"tests/lua/errors_test.lua",   "tests/lua/hooks_test.lua",
                                        "tests/lua/response_test.lua", "tests/lua/world_test.lua",
                                        "tests/lua/array_test.lua",    "tests/lua/vec3_test.lua",
                                        "tests/lua/timeline_test.lua"};
    int played = 0;
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        FILE *there = fopen(files[k], "r");
        if (!there) continue;
        fclose(there);
        lua_State *L = open_scene(files[k]);
        if (generational) {
            lua_gc(L, LUA_GCGEN, 1, 1);
        } else {
            lua_gc(L, LUA_GCINC, 1, 1000, 1);
        }
        lua_settop(L, 0);
        lua_pushcfunction(L, mus_lua_traceback);
        lua_pushcfunction(L, play_file);
        lua_pushstring(L, files[k]);
        if (lua_pcall(L, 1, 1, 1) != LUA_OK) fail_msg("%s: %s", files[k], lua_tostring(L, -1));
        played += (int)lua_tointeger(L, -1);
        mus_lua_sandbox_close(L);
    }
    print_message("# %d scenarios\n", played);
    assert_true(played >= 50);
}

static void test_generational(void **state) {
    (void)state;
    play_under(true);
}

static void test_incremental(void **state) {
    (void)state;
    play_under(false);
}

static const char DRAWING[] =
    "local muslin = require 'muslin'\n"
    "local world = muslin.world()\n"
    "world:cloth { mesh = muslin.mesh.grid { nodes = {2, 2} } }\n"
    "local kept\n"
    "world:on('draw', function(canvas, w, t)\n"
    "  assert(w == world and t == world.time)\n"
    "  kept = canvas\n"
    "  for i = 1, 100 do canvas:line({i, 0, 0}, muslin.vec3(i, 1, 0), { color = {1, 0.5, 0}, width = 2 }) end\n"
    "  canvas:point({1, 2, 3})\n"
    "  for i = 1, 70 do canvas:text({i, 20, 0}, 'number ' .. i, { screen = i == 70, size = 20 }) end\n"
    "end)\n"
    "fail = function() world:on('draw', function() error 'no picture' end) end\n"
    "keep = function() kept:point({0, 0, 0}) end\n"
    "return world\n";

static int draw(lua_State *L) {
    lua_pushlightuserdata(L, (void *)mus_lua_world_draw(L, 1));
    return 1;
}

static void test_draw(void **state) {
    (void)state;
    lua_State *L = open_scene(NULL);
    if (luaL_dostring(L, DRAWING) != LUA_OK) fail_msg("%s", lua_tostring(L, -1));
    int world = lua_gettop(L);
    for (int round = 0; round < 2; round++) {
        lua_pushcfunction(L, draw);
        lua_pushvalue(L, world);
        if (lua_pcall(L, 1, 1, 0) != LUA_OK) fail_msg("%s", lua_tostring(L, -1));
        const mus_lua_drawing *drawing = lua_touserdata(L, -1);
        lua_gc(L, LUA_GCCOLLECT);
        assert_int_equal(drawing->line_count, 100);
        assert_int_equal(drawing->point_count, 1);
        assert_int_equal(drawing->text_count, 70);
        for (int i = 0; i < 100; i++) {
            assert_true(drawing->lines[i].from[0] == (float)(i + 1) && drawing->lines[i].to[1] == 1);
            assert_true(drawing->lines[i].color[1] == 0.5f && drawing->lines[i].color[3] == 1);
            assert_true(drawing->lines[i].width == 2);
        }
        assert_true(drawing->points[0].at[2] == 3 && drawing->points[0].size > 0);
        assert_string_equal(drawing->texts[0].text, "number 1");
        assert_string_equal(drawing->texts[69].text, "number 70");
        assert_true(drawing->texts[69].screen && !drawing->texts[0].screen && drawing->texts[0].size == 20);
        lua_settop(L, world);
    }
    assert_true(luaL_dostring(L, "keep()"));
    assert_non_null(strstr(lua_tostring(L, -1), "only be drawn on inside the 'draw' hook"));
    assert_false(luaL_dostring(L, "fail()"));
    lua_settop(L, world);
    lua_pushcfunction(L, draw);
    lua_pushvalue(L, world);
    assert_int_equal(lua_pcall(L, 1, 1, 0), LUA_ERRRUN);
    assert_non_null(strstr(lua_tostring(L, -1), "no picture"));
    mus_lua_sandbox_close(L);
}

static int press(lua_State *L) {
    lua_pushboolean(L, mus_lua_world_key(L, 1, luaL_checkstring(L, 2)));
    return 1;
}

static const char KEYS[] = "local muslin = require 'muslin'\n"
                           "local world = muslin.world()\n"
                           "seen = ''\n"
                           "world:on('key', function(name, w)\n"
                           "  assert(w == world)\n"
                           "  seen = seen .. '1' .. name\n"
                           "  return name == 'a'\n"
                           "end)\n"
                           "world:on('key', function(name) seen = seen .. '2' .. name end)\n"
                           "return world\n";

static void test_keys(void **state) {
    (void)state;
    lua_State *L = open_scene(NULL);
    if (luaL_dostring(L, KEYS) != LUA_OK) fail_msg("%s", lua_tostring(L, -1));
    int world = lua_gettop(L);
    for (int k = 0; k < 2; k++) {
        lua_pushcfunction(L, press);
        lua_pushvalue(L, world);
        lua_pushstring(L, k == 0 ? "a" : "b");
        if (lua_pcall(L, 2, 1, 0) != LUA_OK) fail_msg("%s", lua_tostring(L, -1));
        assert_int_equal(lua_toboolean(L, -1), k == 0);
        lua_settop(L, world);
    }
    lua_getglobal(L, "seen");
    assert_string_equal(lua_tostring(L, -1), "1a1b2b");
    mus_lua_sandbox_close(L);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_generational), cmocka_unit_test(test_incremental),
                                       cmocka_unit_test(test_draw), cmocka_unit_test(test_keys)};
    return cmocka_run_group_tests_name("collector", tests, NULL, NULL);
}
