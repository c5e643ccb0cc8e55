/* records.c: functions that the core references: motions of obstacles, paths of pins, response rules. */
#include "binding.h"
#include "sandbox/sandbox.h"

mus_lua_record *mus_lua_new_record(lua_State *L, int world, int function) {
    mus_lua_worldbox *box = mus_lua_test_box(L, world);
    mus_lua_record *record = lua_newuserdatauv(L, sizeof *record, 1);
    *record = (mus_lua_record){.box = box, .serial = ++box->last_serial};
    lua_pushvalue(L, function);
    lua_setiuservalue(L, -2, 1);
    lua_getiuservalue(L, world, MUS_LUA_RECORDS);
    lua_pushvalue(L, -2);
    lua_rawsetp(L, -2, record);
    lua_pop(L, 1);
    box->record_count++;
    box->changes++;
    return record;
}

void mus_lua_push_function(lua_State *L, int world, const mus_lua_record *record) {
    lua_getiuservalue(L, world, MUS_LUA_RECORDS);
    lua_rawgetp(L, -1, record);
    lua_getiuservalue(L, -1, 1);
    lua_replace(L, -3);
    lua_pop(L, 1);
}

void mus_lua_push_record_functions(lua_State *L, int records) {
    lua_newtable(L); /* [serial] = function; then without gaps */
    int by_serial = lua_gettop(L);
    for (lua_pushnil(L); lua_next(L, records); lua_pop(L, 1)) {
        const mus_lua_record *record = lua_touserdata(L, -1);
        lua_getiuservalue(L, -1, 1);
        lua_rawseti(L, by_serial, record->serial);
    }
    mus_lua_push_keys(L, by_serial);
    int keys = lua_gettop(L);
    for (lua_Integer i = 1; lua_rawgeti(L, keys, i) != LUA_TNIL; i++) {
        lua_rawget(L, by_serial);
        lua_rawseti(L, keys, i);
    }
    lua_settop(L, keys);
    lua_remove(L, by_serial);
}

/* Copies the record on top into `kept` (and pops it). */
static int64_t keep_record(lua_State *L, int kept) {
    mus_lua_record *record = lua_touserdata(L, -1);
    if (!record) {
        lua_pop(L, 1);
        return 0;
    }
    bool known = lua_rawgetp(L, kept, record) != LUA_TNIL;
    lua_pop(L, 1);
    lua_rawsetp(L, kept, record);
    return !known;
}

void mus_lua_prune_records(lua_State *L, mus_lua_worldbox *box, int world) {
    if (box->keep_records || box->call || box->record_count <= box->record_limit) return;
    luaL_checkstack(L, 10, NULL);
    int top = lua_gettop(L);
    int64_t count = 0;
    lua_newtable(L);
    int kept = lua_gettop(L);
    lua_getiuservalue(L, world, MUS_LUA_OWNERS);
    for (lua_pushnil(L); lua_next(L, -2);) {
        if (lua_istable(L, -1)) {
            for (lua_pushnil(L); lua_next(L, -2);) count += keep_record(L, kept);
            lua_pop(L, 1);
        } else {
            count += keep_record(L, kept);
        }
    }
    lua_settop(L, kept);
    lua_getiuservalue(L, world, MUS_LUA_RESPONSES);
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
        lua_getiuservalue(L, -1, 1);
        count += keep_record(L, kept);
    }
    lua_settop(L, kept);
    lua_setiuservalue(L, world, MUS_LUA_RECORDS);
    box->record_count = count;
    box->record_limit = 2 * count + 64;
    lua_settop(L, top);
}
