/* test_alloc_failure.c: a scripted session in which every allocation fails once, muslin's own and Lua's: no crash, no
 * leak, and the error is one that a script can catch. */
#include "api.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char SESSION[] =
    "local muslin = require 'muslin'\n"
    "local world = muslin.world { dt = 1/120, fps = 60, threads = 1, pipeline = { broad = 'box_tree' } }\n"
    "local mesh = muslin.mesh.grid { nodes = {4, 4}, size = {0.3, 0.3}, center = {0, 0.02, 0} }\n"
    "local sheet = world:cloth { name = 'sheet', mesh = mesh, material = { preset = 'cotton', density = 0.3 } }\n"
    "local other = world:cloth { mesh = muslin.mesh.new { vertices = {{0,1,0},{1,1,0},{0,1,1}}, faces = {{1,2,3}},\n"
    "  uv = {{0,0},{1,0},{0,1}} }, rest = 'uv' }\n"
    "local floor = world:obstacle { name = 'floor', shape = 'plane', normal = {0, 1, 0} }\n"
    "local ball = world:obstacle { mesh = muslin.mesh.sphere { radius = 0.1, subdivisions = 0 }, at = {0, 3, 0} }\n"
    "ball:move(function(t) return {t, 3, 0}, {1, 0, 0, 0} end)\n"
    "local box = world:obstacle { mesh = mesh:copy(), at = {0, 5, 0} }\n"
    "box:animate { frames = { mesh, mesh:subdivide(0):transform { scale = 1.01 } }, fps = 30 }\n"
    "sheet:pin { vertices = {1}, path = function(t, i) return {-0.15, 0.02 + 0.1 * t, -0.15} end }\n"
    "sheet:pin { vertices = {4}, to = ball }\n"
    "sheet:pin { where = function(x, y, z) return x > 1 end, allow_none = true }\n"
    "world:ignore { 'sheet', ball }\n"
    "local rough = muslin.world { pipeline = { narrow = 'spherical', response = 'jung', failsafe = 'none' },\n"
    "  tolerance = function(p, t) return muslin.max(p.y, 1e-3) + t end }\n"
    "rough:cloth { mesh = mesh }\n"
    "rough:step()\n"
    "rough.tolerance = function(p) return muslin.max(p.x, 2e-3) end\n"
    "rough:step()\n"
    "local was = rough.tolerance\n"
    "rough.tolerance = 1e-3\n"
    "rough.tolerance = was\n"
    "local token = world:on('after_step', function(w, t) w:log('y', sheet.x[6].y) end)\n"
    "world:on('contacts', function(w) local c = w:contacts() for i = 1, #c do local o = c[i].objects end end)\n"
    "world:force(function(cloth, t) cloth.f:add {0, 0.01, 0} end)\n"
    "world:on('draw', function(canvas) canvas:line({0,0,0}, {1,1,1}) canvas:text({0,0,0}, 'x' .. 1) end)\n"
    "local r = world:respond(muslin.response { between = {'sheet', 'floor'}, rule = function(c)\n"
    "  return muslin.max(-c.normal:dot(c.velocity), 0) * c.mass * c.normal end })\n"
    "world:between({'sheet', 'floor'}, { restitution = 0.1, friction = function(c) return 0.1 + c.load end })\n"
    "world:between({'sheet'}, { trace = false, friction = function(c) return 0.1 + c.warps[1].x ^ 2 end })\n"
    "sheet:spring_law(function(s) return 400 * (s.length - s.rest) + s.rate end)\n"
    "world:start() world:run_frame() world:advance(0.01)\n"
    "local first, second = sheet.x:copy(), sheet.normal[3]\n"
    "sheet.v:axpy(0.1, first - sheet.x)\n"
    "sheet:unpin()\n"
    "world:remove(r) world:remove(ball) world:off(token)\n"
    "world:step()\n"
    "local failing = world:on('candidate', function() error {} end)\n"
    "local ok, e = pcall(world.step, world)\n"
    "if type(e) == 'string' then error(e, 0) end\n"
    "world:off(failing)\n"
    "local audit, stats, y = world:audit(), world:stats(), world:logged 'y'\n"
    "sheet:mesh():check() sheet:strain() sheet:edges()\n"
    "return world\n";

typedef struct memory {
    int64_t count, fail_at;
    int in_a_row; /* Lua tries again after a collection: two failures make an error */
    bool every;   /* each allocation fails at its first attempt: Lua makes a full collection at every one */
    bool failed;
    int64_t live; /* bytes */
} memory;

static bool refuse(memory *m) {
    m->count++;
    if (m->every) return m->failed = !m->failed;
    return m->fail_at > 0 && m->count >= m->fail_at && m->count < m->fail_at + m->in_a_row;
}

static void *lua_memory(void *user, void *block, size_t old_size, size_t size) {
    memory *m = user;
    if (!block) old_size = 0;
    if (size == 0) {
        free(block);
        m->live -= (int64_t)old_size;
        return NULL;
    }
    if (size > old_size && refuse(m)) return NULL; /* Lua relies on shrinking not to fail */
    void *moved = realloc(block, size);
    if (moved) m->live += (int64_t)size - (int64_t)old_size;
    return moved;
}

static void *core_memory(void *user, void *block, size_t old_size, size_t size) {
    memory *m = user;
    if (size == 0) {
        free(block);
        m->live -= (int64_t)old_size;
        return NULL;
    }
    if (refuse(m)) return NULL;
    void *moved = realloc(block, size);
    if (moved) m->live += (int64_t)size - (int64_t)old_size;
    return moved;
}

static int play(lua_State *L) {
    luaL_openlibs(L);
    luaL_requiref(L, "muslin", luaopen_muslin, 0);
    lua_settop(L, 0);
    if (luaL_loadbufferx(L, SESSION, sizeof SESSION - 1, "=session", "t") != LUA_OK) return lua_error(L);
    lua_call(L, 0, 1);
    mus_lua_world_draw(L, 1);
    return 0;
}

/* Returns whether the session came to its end; the message of an error is checked to be one about memory. */
static bool session(memory *lua, memory *core, bool generational) {
    mus_set_allocator(core_memory, core);
    lua_State *L = lua_newstate(lua_memory, lua);
    bool done = false;
    if (L) {
        if (generational) {
            lua_gc(L, LUA_GCGEN, 0, 0);
        } else {
            lua_gc(L, LUA_GCINC, 100, 400, 0);
        }
        lua_pushcfunction(L, mus_lua_traceback);
        lua_pushcfunction(L, play);
        int status = lua_pcall(L, 0, 0, 1);
        done = status == LUA_OK;
        if (!done) {
            const char *message = lua_tostring(L, -1);
            if (!message || !strstr(message, "memory")) {
                print_error("lua allocation %lld, core allocation %lld: %s\n", (long long)lua->fail_at,
                            (long long)core->fail_at, message ? message : "(no message)");
                fail();
            }
        }
        lua_close(L);
    }
    assert_int_equal(lua->live, 0);
    assert_int_equal(core->live, 0);
    mus_set_allocator(NULL, NULL);
    return done;
}

/* Fails allocation 1, 2, ... of one of the two until the session runs through. */
static void fail_each(bool in_core, int in_a_row, int64_t stride, int64_t least) {
    int64_t n = 1, failures = 0;
    for (;; n += stride) {
        memory lua = {0}, core = {0}, *failing = in_core ? &core : &lua;
        failing->fail_at = n;
        failing->in_a_row = in_a_row;
        bool done = session(&lua, &core, n % 2 == 0);
        if (!done) failures++;
        if (failing->count < n) break; /* that many there are not */
        assert_true(n < 1000000);
    }
    print_message("# %lld allocations, %lld of them fatal\n", (long long)n, (long long)failures);
    assert_true(n > least);
    if (in_a_row > 1 || in_core) assert_true(failures > 0);
}

static void test_session_runs(void **state) {
    (void)state;
    memory lua = {0}, core = {0};
    assert_true(session(&lua, &core, false));
    print_message("# %lld allocations of Lua, %lld of the core\n", (long long)lua.count, (long long)core.count);
}

static void test_core(void **state) {
    (void)state;
    fail_each(true, 1, 1, 100);
}

static void test_lua(void **state) {
    (void)state;
    fail_each(false, 2, 1, 1000);
}

/* With a single failure Lua collects at that very place and goes on. */
static void test_emergency_collections(void **state) {
    (void)state;
    fail_each(false, 1, 3, 1000);
}

/* Objects that only the C stack or a registry-less table holds would be gone at once. */
static void test_collection_at_every_allocation(void **state) {
    (void)state;
    memory lua = {0}, core = {0};
    mus_set_allocator(core_memory, &core);
    lua_State *L = lua_newstate(lua_memory, &lua);
    assert_non_null(L);
    lua.every = true;
    lua_pushcfunction(L, mus_lua_traceback);
    lua_pushcfunction(L, play);
    int status = lua_pcall(L, 0, 0, 1);
    if (status != LUA_OK) print_error("%s\n", lua_tostring(L, -1));
    assert_int_equal(status, LUA_OK);
    lua_close(L);
    assert_int_equal(lua.live, 0);
    assert_int_equal(core.live, 0);
    mus_set_allocator(NULL, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_session_runs), cmocka_unit_test(test_core),
                                       cmocka_unit_test(test_lua), cmocka_unit_test(test_emergency_collections),
                                       cmocka_unit_test(test_collection_at_every_allocation)};
    return cmocka_run_group_tests_name("alloc_failure", tests, NULL, NULL);
}
