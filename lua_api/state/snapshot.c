/* snapshot.c: world:save, world:restore, muslin.load, and what a host needs for its checkpoints.
 *
 * Beside the world a snapshot from Lua contains the state of the binding: logged values, the state of math.random,
 * and the number of functions registered with the world, so that a loaded one can require them. */
#include "binding.h"
#include "sandbox/sandbox.h"
#include "trace/trace.h"

#include <stdio.h>
#include <string.h>

static const char SNAPSHOT[] = "muslin.snapshot", SECTION[] = "lua";

/* ---- Bytes ------------------------------------------------------------------------------------------------------- */

static void put_number(luaL_Buffer *b, double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    mus_lua_put64(b, bits);
}

typedef struct reader {
    lua_State *L;
    const uint8_t *at;
    size_t left;
} reader;

static const uint8_t *get(reader *r, uint64_t size) {
    if (size > r->left) mus_lua_error(r->L, "snapshot: its part of Lua is malformed");
    const uint8_t *from = r->at;
    r->at += size, r->left -= size;
    return from;
}

static uint64_t get64(reader *r) {
    uint64_t bits;
    if (!mus_lua_get64(&r->at, &r->left, &bits)) mus_lua_error(r->L, "snapshot: its part of Lua is malformed");
    return bits;
}

static double get_number(reader *r) {
    uint64_t bits = get64(r);
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* ---- The part of Lua -----------------------------------------------------------------------------------------------
 *
 * Random numbers (a flag, four words), number of hooks of each list, logged values (name, frame, time, value),
 * scripts, streams of random numbers, parameters. */

static void push_part(lua_State *L, mus_lua_worldbox *box, int world) {
    const mus_lua_box *sandbox = mus_lua_box_of(L);
    luaL_Buffer b;
    int64_t count = box->log_count;
    size_t streams_size;
    mus_lua_push_streams(L);
    mus_lua_push_params(L, world);
    lua_concat(L, 2);
    const char *streams = lua_tolstring(L, -1, &streams_size); /* and parameters */
    lua_getiuservalue(L, world, MUS_LUA_LOG);
    const mus_lua_log_entry *log = lua_touserdata(L, -1);
    luaL_buffinit(L, &b);
    mus_lua_put64(&b, sandbox != NULL);
    for (int k = 0; sandbox && k < 4; k++) mus_lua_put64(&b, sandbox->random[k]);
    mus_lua_put64(&b, MUS_LUA_HOOK_LISTS);
    for (int k = 0; k < MUS_LUA_HOOK_LISTS; k++)
        mus_lua_put64(&b, (uint64_t)box->hook_count[k] + (uint64_t)box->hooks_missing[k]);
    mus_lua_put64(&b, (uint64_t)count);
    for (int64_t k = 0; k < count; k++) {
        size_t length = strlen(log[k].name);
        mus_lua_put64(&b, length);
        luaL_addlstring(&b, log[k].name, length);
        mus_lua_put64(&b, (uint64_t)log[k].frame);
        put_number(&b, log[k].time);
        put_number(&b, log[k].value);
    }
    mus_lua_put_scripts(L, world, &b);
    luaL_addlstring(&b, streams, streams_size);
    luaL_pushresult(&b);
    lua_replace(L, -3);
    lua_pop(L, 1);
}

static int snapshot_gc(lua_State *L) {
    mus_snapshot **slot = lua_touserdata(L, 1);
    mus_snapshot_destroy(*slot);
    *slot = NULL;
    return 0;
}

void mus_lua_snapshot_free(lua_State *L, int owner) {
    mus_snapshot **slot = luaL_testudata(L, owner, SNAPSHOT);
    if (!slot) return;
    mus_snapshot_destroy(*slot);
    *slot = NULL;
}

static mus_snapshot **new_slot(lua_State *L) {
    mus_snapshot **slot = lua_newuserdatauv(L, sizeof *slot, 0);
    *slot = NULL;
    luaL_setmetatable(L, SNAPSHOT);
    return slot;
}

mus_snapshot *mus_lua_world_snapshot(lua_State *L, int world) {
    world = lua_absindex(L, world);
    mus_lua_worldbox *box = mus_lua_check_box(L, world, "save");
    mus_lua_check_change(L, box, "world:save");
    mus_snapshot **slot = new_slot(L);
    mus_lua_check_status(L, mus_snapshot_create(box->world, slot));
    push_part(L, box, world);
    size_t size;
    const char *part = lua_tolstring(L, -1, &size);
    mus_lua_check_status(L, mus_snapshot_set_attachment(*slot, SECTION, part, size));
    lua_pop(L, 1);
    return *slot;
}

/* The log as saved: entries with their names interned, a buffer for MUS_LUA_LOG and a table for MUS_LUA_LOG_NAMES, both
 * pushed. The world is unchanged, and all that can raise is done here. */
static int64_t push_log(lua_State *L, reader *r) {
    uint64_t count = get64(r);
    if (count > r->left / 32) mus_lua_error(L, "snapshot: its part of Lua is malformed");
    mus_lua_log_entry *entries = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *entries, 0);
    lua_newtable(L);
    for (uint64_t k = 0; k < count; k++) {
        uint64_t length = get64(r);
        lua_pushlstring(L, (const char *)get(r, length), (size_t)length);
        lua_pushvalue(L, -1);
        if (lua_rawget(L, -3) == LUA_TNIL) {
            lua_pushvalue(L, -2);
            lua_pushvalue(L, -3);
            lua_rawset(L, -5);
            lua_pushvalue(L, -2);
            lua_replace(L, -2);
        }
        entries[k].name = lua_tostring(L, -1);
        lua_pop(L, 2);
        entries[k].frame = (int64_t)get64(r);
        entries[k].time = get_number(r);
        entries[k].value = get_number(r);
    }
    return (int64_t)count;
}

static void take_state(lua_State *L, mus_lua_worldbox *box, int world, const mus_snapshot *snapshot) {
    mus_lua_call call;
    mus_lua_enter(L, box, world, "world:restore", &call);
    mus_lua_leave(L, box, &call, mus_snapshot_restore(snapshot, box->world));
    lua_pop(L, 1);
}

static void restore_state_by_name(lua_State *L, mus_lua_worldbox *box, int world, const mus_snapshot *snapshot) {
    mus_lua_call call;
    int32_t restored = 0;
    mus_lua_enter(L, box, world, "world:restore", &call);
    mus_lua_leave(L, box, &call, mus_snapshot_restore_by_name(snapshot, box->world, &restored));
    lua_pop(L, 1);
}

typedef void (*state_taker)(lua_State *L, mus_lua_worldbox *box, int world, const mus_snapshot *snapshot);
typedef struct taking {
    state_taker take;
    const mus_snapshot *snapshot;
} taking;

/* world, table of scripts, taking */
static int replay_and_take(lua_State *L) {
    const taking *t = lua_touserdata(L, 3);
    mus_lua_replay_scripts(L, mus_lua_test_box(L, 1), 1, 2, t->take, t->snapshot);
    return 0;
}

/* Replays the scripts before the state is restored, which overwrites their effects. A failure leaves everything
 * unchanged. */
static void restore_state(lua_State *L, mus_lua_worldbox *box, int world, const mus_snapshot *snapshot, int scripts,
                          state_taker take) {
    /* In a restore by name, other scripts begin with the next step. */
    bool others =
        take == restore_state_by_name && (lua_Integer)lua_rawlen(L, scripts) != box->hook_count[MUS_LUA_SCRIPTS_EVENT];
    if (others || !mus_lua_scripts_differ(L, world, scripts)) {
        take(L, box, world, snapshot);
        return;
    }
    taking t = {take, snapshot};
    mus_snapshot **before = new_slot(L);
    mus_lua_check_status(L, mus_snapshot_create(box->world, before));
    lua_pushcfunction(L, replay_and_take);
    lua_pushvalue(L, world);
    lua_pushvalue(L, scripts);
    lua_pushlightuserdata(L, &t);
    if (lua_pcall(L, 3, 0, 0) != LUA_OK) {
        mus_snapshot_restore(*before, box->world);
        box->moment++;
        lua_error(L);
    }
    lua_pop(L, 1);
}

/* The number of scripts in the table that have not begun; raises if one has begun and not ended. */
static int32_t scripts_to_come(lua_State *L, int scripts) {
    int32_t count = 0;
    for (lua_Integer k = 1; lua_rawgeti(L, scripts, k) == LUA_TTABLE; k++) {
        lua_getfield(L, -1, "ended");
        bool ended = lua_toboolean(L, -1), begun = lua_rawlen(L, -2) > 0;
        lua_pop(L, 2);
        if (begun && !ended)
            mus_lua_error(
                L, "muslin.load: a function of world:script was under way in the saved world, and a file holds no "
                   "functions: restore it with world:restore into a world that the script makes again, or go on "
                   "without by muslin.load(path, {hooks = false})");
        count += !ended;
    }
    lua_pop(L, 1);
    return count;
}

/* Restores the whole section at once. `take` restores into the present world; NULL: into one just made from the
 * snapshot, and writes its number of hooks of each list to `hooks` (may be NULL). */
static void take_part(lua_State *L, mus_lua_worldbox *box, int world, const mus_snapshot *snapshot, state_taker take,
                      bool params, int32_t *hooks) {
    size_t size;
    const void *part = mus_snapshot_get_attachment(snapshot, SECTION, &size);
    reader r = {L, part, part ? size : 0};
    uint64_t random[4] = {0};
    int64_t logged = 0;
    bool seeded = part && get64(&r);
    for (int k = 0; seeded && k < 4; k++) random[k] = get64(&r);
    uint64_t lists = part ? get64(&r) : 0;
    if (lists > MUS_LUA_HOOK_LISTS) mus_lua_error(L, "snapshot: its part of Lua is malformed");
    for (uint64_t k = 0; k < lists; k++) {
        uint64_t count = get64(&r);
        if (count > INT32_MAX) mus_lua_error(L, "snapshot: its part of Lua is malformed");
        if (hooks) hooks[k] = (int32_t)count;
    }
    if (part) {
        logged = push_log(L, &r);
    } else {
        lua_pushnil(L);
        lua_newtable(L);
    }
    bool well = mus_lua_push_scripts(L, &r.at, &r.left);
    int scripts = lua_gettop(L);
    if (!well || !mus_lua_read_streams(L, &r.at, &r.left) || (params && !mus_lua_read_params(L, world, &r.at, &r.left)))
        mus_lua_error(L, "snapshot: its part of Lua is malformed");
    if (hooks) hooks[MUS_LUA_SCRIPTS_EVENT] = scripts_to_come(L, scripts);
    if (take) restore_state(L, box, world, snapshot, scripts, take);
    /* From here on nothing raises. */
    mus_lua_take_streams(L, scripts + 1);
    if (params) mus_lua_take_params(L, scripts + 2);
    lua_settop(L, scripts - 1);
    lua_setiuservalue(L, world, MUS_LUA_LOG_NAMES);
    lua_setiuservalue(L, world, MUS_LUA_LOG);
    box->log_count = logged;
    box->log_capacity = part ? logged + 1 : 0;
    box->moment++;
    mus_lua_box *sandbox = mus_lua_box_of(L);
    if (seeded && sandbox) memcpy(sandbox->random, random, sizeof random);
}

static void restore(lua_State *L, int world, const mus_snapshot *snapshot, state_taker take, bool params) {
    world = lua_absindex(L, world);
    mus_lua_worldbox *box = mus_lua_check_box(L, world, "restore");
    mus_lua_refuse_nested(L, box, "restore");
    take_part(L, box, world, snapshot, take, params, NULL);
}

void mus_lua_world_restore(lua_State *L, int world, const mus_snapshot *snapshot) {
    restore(L, world, snapshot, take_state, true);
}

void mus_lua_world_continue(lua_State *L, int world, const mus_snapshot *snapshot) {
    bool same = mus_snapshot_compare(snapshot, mus_lua_check_world(L, world)) == MUS_STATUS_OK;
    restore(L, world, snapshot, same ? take_state : restore_state_by_name, false);
}

bool mus_lua_world_keeps(lua_State *L, int world) {
    const mus_lua_worldbox *box = mus_lua_test_box(L, world);
    return box && box->keeps;
}

/* world:keep([boolean]) */
int mus_lua_world_keep(lua_State *L) {
    mus_lua_worldbox *box = mus_lua_check_box(L, 1, "keep");
    mus_lua_check_change(L, box, "world:keep");
    if (!lua_isnoneornil(L, 2) && !lua_isboolean(L, 2)) {
        const char *seen = mus_lua_describe(L, 2);
        return mus_lua_error(L, "world: keep(whether): it must be true or false (got %s)", seen);
    }
    box->keeps = lua_isnoneornil(L, 2) || lua_toboolean(L, 2);
    return 0;
}

bool mus_lua_world_changed(lua_State *L, int world) {
    const mus_lua_worldbox *box = mus_lua_test_box(L, world);
    return box && box->changes != box->changes_at_start;
}

/* ---- world:save, world:restore ----------------------------------------------------------------------------------- */

static const char *check_path(lua_State *L, int index, const char *call) {
    if (lua_type(L, index) != LUA_TSTRING) {
        const char *seen = mus_lua_describe(L, index);
        mus_lua_error(L, "%s: path must be a string (got %s)", call, seen);
    }
    return mus_lua_check_path(L, index, call);
}

int mus_lua_world_save(lua_State *L) {
    mus_lua_check_box(L, 1, "save");
    const char *path = check_path(L, 2, "world: save(path)");
    mus_snapshot *snapshot = mus_lua_world_snapshot(L, 1);
    mus_lua_check_writable(L, "world: save(path)", path, "muslin");
    mus_lua_check_status(L, mus_snapshot_save(snapshot, path));
    return 0;
}

static mus_snapshot *load_file(lua_State *L, const char *path) {
    mus_snapshot **slot = new_slot(L);
    mus_lua_check_status(L, mus_snapshot_load(path, slot));
    return *slot;
}

int mus_lua_world_restore_file(lua_State *L) {
    mus_lua_check_box(L, 1, "restore");
    const char *path = check_path(L, 2, "world: restore(path)");
    static const char *const keys[] = {"by_name", NULL};
    bool by_name = false;
    if (!lua_isnoneornil(L, 3)) {
        mus_lua_check_keys(L, 3, "world: restore", keys);
        by_name = mus_lua_opt_bool(L, 3, "world: restore", "by_name", false);
    }
    mus_lua_check_readable(L, "world: restore(path)", path);
    restore(L, 1, load_file(L, path), by_name ? restore_state_by_name : take_state, !by_name);
    return 0;
}

/* ---- muslin.load ------------------------------------------------------------------------------------------------- */

/* Sets the functions of the list at `rules` as the callbacks of the saved world's responses, in order. */
static void hand_in_rules(lua_State *L, mus_lua_worldbox *box, int world, int rules) {
    lua_Integer given = lua_istable(L, rules) ? (lua_Integer)lua_rawlen(L, rules) : 0, used = 0;
    for (int32_t k = 0; k < mus_world_get_response_count(box->world); k++) {
        mus_response_id id = mus_world_get_response(box->world, k);
        if (!mus_response_has_callback(box->world, id)) continue;
        if (++used > given) continue;
        lua_rawgeti(L, rules, used);
        mus_lua_make_rule(L, -1, "muslin.load: an item of field 'rules'", true);
        mus_lua_check_status(L, mus_lua_set_rule(L, box, world, id, lua_gettop(L)));
        lua_pop(L, 1);
    }
    if (given != 0 && given != used)
        mus_lua_error(L, "muslin.load: field 'rules' must hold a function for each response that had one, %d (got %d)",
                      (int)used, (int)given);
}

/* muslin.load(path [, {rules =, hooks =}]) */
int mus_lua_load(lua_State *L) {
    static const char *const keys[] = {"rules", "hooks", NULL};
    const char *path = check_path(L, 1, "muslin.load(path)");
    mus_lua_check_readable(L, "muslin.load(path)", path);
    lua_settop(L, 2);
    if (lua_isnil(L, 2)) {
        lua_newtable(L);
        lua_replace(L, 2);
    }
    mus_lua_check_keys(L, 2, "muslin.load", keys);
    bool wait = mus_lua_opt_bool(L, 2, "muslin.load", "hooks", true);
    if (mus_lua_field(L, 2, "rules") != LUA_TNIL && !lua_istable(L, -1)) {
        const char *seen = mus_lua_describe(L, -1);
        return mus_lua_error(L, "muslin.load: field 'rules' must be a list of functions (got %s)", seen);
    }
    int rules = lua_gettop(L);
    mus_snapshot *snapshot = load_file(L, path);
    mus_lua_worldbox *box = mus_lua_new_world(L);
    int world = lua_gettop(L);
    mus_lua_check_status(L, mus_world_create_from_snapshot(snapshot, &box->world));
    mus_lua_set_callbacks(box);
    int32_t hooks[MUS_LUA_HOOK_LISTS] = {0};
    take_part(L, box, world, snapshot, NULL, false, wait ? hooks : NULL);
    for (int list = 0; wait && list < MUS_LUA_HOOK_LISTS; list++)
        if (list != MUS_LUA_DONE && list != MUS_LUA_DRAW && list != MUS_LUA_KEY) box->hooks_missing[list] = hooks[list];
    hand_in_rules(L, box, world, rules);
    lua_settop(L, world);
    return 1;
}

void mus_lua_open_snapshot(lua_State *L) {
    static const luaL_Reg meta[] = {{"__gc", snapshot_gc}, {NULL, NULL}}, none[] = {{NULL, NULL}};
    mus_lua_new_type(L, SNAPSHOT, meta, none, NULL, NULL);
}
