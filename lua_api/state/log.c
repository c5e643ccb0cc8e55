/* log.c: values that a scene logs during its run, for the host's table and manifest. */
#include "binding.h"

#include <string.h>

int mus_lua_world_log(lua_State *L) {
    mus_lua_worldbox *box = mus_lua_check_box(L, 1, "log");
    mus_lua_refuse_drawing(L, box, "world:log");
    mus_lua_refuse_finalizer(L, "world:log");
    if (lua_type(L, 2) != LUA_TSTRING) {
        const char *seen = mus_lua_describe(L, 2);
        return mus_lua_error(L, "world: log(name, value): name must be a string (got %s)", seen);
    }
    if (lua_type(L, 3) != LUA_TNUMBER) {
        const char *seen = mus_lua_describe(L, 3);
        return mus_lua_error(L, "world: log('%s', value): value must be a number (got %s)", lua_tostring(L, 2), seen);
    }
    double value = lua_tonumber(L, 3);

    /* Keeps the first string of a name, so that its address does not change. */
    lua_getiuservalue(L, 1, MUS_LUA_LOG_NAMES);
    lua_pushvalue(L, 2);
    if (lua_rawget(L, -2) == LUA_TNIL) {
        lua_pop(L, 1);
        lua_pushvalue(L, 2);
        lua_pushvalue(L, 2);
        lua_rawset(L, -3);
        lua_pushvalue(L, 2);
    }
    const char *name = lua_tostring(L, -1);

    lua_getiuservalue(L, 1, MUS_LUA_LOG);
    mus_lua_log_entry *entries = lua_touserdata(L, -1);
    if (box->log_count == box->log_capacity) {
        int64_t capacity = box->log_capacity ? 2 * box->log_capacity : 64;
        mus_lua_log_entry *more = lua_newuserdatauv(L, (size_t)capacity * sizeof *more, 0);
        if (box->log_count) memcpy(more, entries, (size_t)box->log_count * sizeof *more);
        lua_setiuservalue(L, 1, MUS_LUA_LOG);
        entries = more;
        box->log_capacity = capacity;
    }
    entries[box->log_count++] =
        (mus_lua_log_entry){name, mus_lua_world_frame_index(box), mus_lua_world_now(box), value};
    return 0;
}

int mus_lua_world_logged(lua_State *L) {
    mus_lua_worldbox *box = mus_lua_check_box(L, 1, "logged");
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : NULL;
    if (!name) {
        const char *seen = mus_lua_describe(L, 2);
        return mus_lua_error(L, "world: logged(name): name must be a string (got %s)", seen);
    }
    int64_t count = 0;
    lua_getiuservalue(L, 1, MUS_LUA_LOG);
    const mus_lua_log_entry *entries = lua_touserdata(L, -1);
    for (int64_t k = 0; k < box->log_count; k++) count += strcmp(entries[k].name, name) == 0;
    double *values = mus_lua_push_array(L, count, 1);
    double *times = mus_lua_push_array(L, count, 1);
    for (int64_t k = 0, i = 0; k < box->log_count; k++) {
        if (strcmp(entries[k].name, name) != 0) continue;
        values[i] = entries[k].value;
        times[i++] = entries[k].time;
    }
    return 2;
}

int64_t mus_lua_world_log_count(lua_State *L, int world) {
    const mus_lua_worldbox *box = mus_lua_test_box(L, world);
    return box ? box->log_count : 0;
}

mus_lua_log_entry mus_lua_world_log_at(lua_State *L, int world, int64_t k) {
    mus_lua_log_entry entry = {"", 0, 0, 0};
    const mus_lua_worldbox *box = mus_lua_test_box(L, world);
    if (!box || k < 0 || k >= box->log_count || !lua_checkstack(L, 2)) return entry;
    lua_getiuservalue(L, world, MUS_LUA_LOG);
    const mus_lua_log_entry *entries = lua_touserdata(L, -1);
    entry = entries[k]; /* the world keeps the buffer alive */
    lua_pop(L, 1);
    return entry;
}
