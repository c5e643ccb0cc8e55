/* test_remember.c: what is read of a script's variables is not trusted: every byte changed, in every way that reads
 * another kind of value. */
#include "api.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char SCRIPT[] =
    "local muslin = require 'muslin'\n"
    "local world = muslin.world {}\n"
    "world:cloth { name = 'sheet', mesh = muslin.mesh.grid { nodes = {3, 3}, center = {0, 1, 0} } }\n"
    "local p = muslin.param('p', 2)\n"
    "local t = setmetatable({ 1, 2, x = 'text', world = world }, { __index = { y = 1 } })\n"
    "local late\n"
    "world:on('after_step', function(_, time)\n"
    "  late = setmetatable({ time, true, false, t, muslin.vec3(1, 2, 3), muslin.array(2), world, p }, { __len = print "
    "})\n"
    "  late.itself = late\n"
    "  t.x = t.x .. time\n"
    "end)\n"
    "return world\n";

enum { WORLD = 1 };

static lua_State *play_scene(int steps) {
    mus_lua_sandbox options = {.scripts_path = "scripts", .seed = 1};
    lua_State *L = mus_lua_sandbox_open(&options);
    assert_non_null(L);
    if (luaL_loadbufferx(L, SCRIPT, strlen(SCRIPT), "=script", "t") != LUA_OK || lua_pcall(L, 0, 1, 0) != LUA_OK)
        fail_msg("%s", lua_tostring(L, -1));
    mus_lua_world_start(L, WORLD);
    mus_lua_script_note(L, WORLD);
    for (int k = 0; k < steps; k++) mus_lua_world_frame(L, WORLD);
    return L;
}

static int restore(lua_State *L) {
    size_t size;
    const char *bytes = lua_tolstring(L, 2, &size);
    mus_lua_script_restore(L, 1, bytes, size);
    return 0;
}

/* The message, or NULL when it was taken. */
static const char *try_bytes(lua_State *L, const char *bytes, size_t size) {
    lua_settop(L, WORLD);
    lua_pushcfunction(L, restore);
    lua_pushvalue(L, WORLD);
    lua_pushlstring(L, bytes, size);
    return lua_pcall(L, 2, 0, 0) == LUA_OK ? NULL : lua_tostring(L, -1);
}

static void test_changed_bytes(void **state) {
    (void)state;
    static const char others[] = "niKT\377";
    lua_State *L = play_scene(2);
    size_t size;
    const char *on_stack = mus_lua_script_push(L, WORLD, &size);
    char *bytes = malloc(size);
    assert_non_null(bytes);
    memcpy(bytes, on_stack, size);
    assert_null(try_bytes(L, bytes, size));
    int refused = 0;
    for (size_t at = 0; at < size; at++)
        for (size_t k = 0; k < sizeof others; k++) {
            char before = bytes[at];
            bytes[at] = others[k];
            refused += try_bytes(L, bytes, size) != NULL;
            bytes[at] = before;
            if (at % 256 == 0) lua_gc(L, LUA_GCCOLLECT);
        }
    for (size_t cut = 0; cut < size; cut++) assert_non_null(try_bytes(L, bytes, cut));
    assert_true(refused > (int)size);
    mus_lua_sandbox_close(L);
    free(bytes);
}

/* Where a metatable is written (a tag of a table, its number, the tag of its metatable), an integer. A function whose
 * first variable is nil looks the same. */
static void test_metatables_are_tables(void **state) {
    (void)state;
    lua_State *L = play_scene(0);
    size_t size, found = 0;
    const char *on_stack = mus_lua_script_push(L, WORLD, &size);
    char *sound = malloc(size), *bytes = malloc(size + 8);
    assert_true(sound && bytes);
    memcpy(sound, on_stack, size); /* the state's copy goes with its stack */
    for (size_t at = 0; at + 10 < size; at++) {
        if (sound[at] != 'K' || sound[at + 9] != 'n') continue;
        memcpy(bytes, sound, at + 9);
        bytes[at + 9] = 'i';
        memset(bytes + at + 10, 0x41, 8);
        memcpy(bytes + at + 18, sound + at + 10, size - at - 10);
        const char *message = try_bytes(L, bytes, size + 8);
        found += message && strstr(message, "malformed");
    }
    assert_true(found > 0);
    mus_lua_sandbox_close(L);
    free(sound);
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_changed_bytes),
        cmocka_unit_test(test_metatables_are_tables),
    };
    return cmocka_run_group_tests_name("remember", tests, NULL, NULL);
}
