/* hook_list.c: the functions registered with a world (world:on, force, script): their lists, tokens and names, and
 * the time that each of them takes. */
#include "trace/trace.h"

#include <string.h>
#include <time.h>

/* The first are those of world:on. */
static const char *const list_names[MUS_LUA_HOOK_LISTS] = {
    "before_step", "candidate", "contacts", "after_step", "frame", "done", "draw", "key", "force", "script"};

const char *mus_lua_hook_list_name(int list) {
    return list_names[list];
}

/* ---- One hook ------------------------------------------------------------------------------------------------------
 *
 * The table of registered hooks has a record under each token; user value 1 of a record is the hook's name. Times
 * are only reported. */
typedef struct hook {
    int list;
    int64_t calls, moment; /* moment: the step that `step` belongs to */
    double step, total;    /* s */
} hook;

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void count_call(const mus_lua_worldbox *box, hook *h, double took) {
    h->step = took + (h->moment == box->steps_begun ? h->step : 0);
    h->moment = box->steps_begun;
    h->total += took;
    h->calls++;
}

/* The name given at `index`, or where the function was written. */
static void push_name(lua_State *L, int list, int function, int index) {
    if (!lua_isnoneornil(L, index)) {
        if (lua_type(L, index) != LUA_TSTRING) {
            const char *seen = mus_lua_describe(L, index);
            mus_lua_error(L, "world: %s: the name must be a string (got %s)",
                          list < MUS_LUA_EVENT_COUNT ? "on(event, f, name)" : list_names[list], seen);
        }
        lua_pushvalue(L, index);
        return;
    }
    lua_Debug ar;
    if (!lua_isfunction(L, function)) {
        lua_pushliteral(L, "a callable");
        return;
    }
    lua_pushvalue(L, function);
    if (lua_getinfo(L, ">S", &ar) && ar.linedefined > 0) {
        lua_pushfstring(L, "%s:%d", ar.short_src, ar.linedefined);
    } else {
        lua_pushstring(L, ar.short_src);
    }
}

/* ---- Lists ------------------------------------------------------------------------------------------------------- */

/* Pushes {[token] = record}. */
static void push_alive(lua_State *L, int world) {
    lua_getiuservalue(L, world, MUS_LUA_HOOKS);
    lua_getfield(L, -1, "alive");
    lua_remove(L, -2);
}

/* Lists are never changed, only replaced: an event in progress keeps its list. */
lua_Integer mus_lua_add_hook(lua_State *L, mus_lua_worldbox *box, int list, int function, int name) {
    lua_Integer token = box->last_token + 1;
    int top = lua_gettop(L);
    push_name(L, list, function, name);
    lua_getiuservalue(L, 1, MUS_LUA_HOOKS);
    int hooks = lua_gettop(L);
    lua_rawgeti(L, hooks, list + 1);
    lua_Unsigned length = lua_istable(L, -1) ? lua_rawlen(L, -1) : 0;
    lua_createtable(L, (int)length + 2, 0);
    for (lua_Unsigned i = 1; i <= length; i++) {
        lua_rawgeti(L, -2, (lua_Integer)i);
        lua_rawseti(L, -2, (lua_Integer)i);
    }
    lua_pushvalue(L, function);
    lua_rawseti(L, -2, (lua_Integer)length + 1);
    lua_pushinteger(L, token);
    lua_rawseti(L, -2, (lua_Integer)length + 2);
    lua_getfield(L, hooks, "alive");
    hook *h = lua_newuserdatauv(L, sizeof *h, 1);
    *h = (hook){.list = list, .moment = -1};
    lua_pushvalue(L, top + 1);
    lua_setiuservalue(L, -2, 1);
    lua_rawseti(L, -2, token);
    lua_pop(L, 1);
    lua_rawseti(L, hooks, list + 1);
    box->hook_count[list]++;
    if (box->hooks_missing[list] > 0) box->hooks_missing[list]--;
    box->changes++;
    box->last_token = token;
    mus_lua_set_callbacks(box);
    lua_settop(L, top);
    return token;
}

static int world_on(lua_State *L) {
    const char *events[MUS_LUA_EVENT_COUNT + 1] = {NULL};
    memcpy(events, list_names, MUS_LUA_EVENT_COUNT * sizeof *events);
    mus_lua_worldbox *box = mus_lua_check_box(L, 1, "on");
    mus_lua_check_change(L, box, "world:on");
    if (lua_type(L, 2) != LUA_TSTRING) {
        const char *seen = mus_lua_describe(L, 2);
        return mus_lua_error(L, "world: on(event, f): the event must be a name like 'after_step' (got %s)", seen);
    }
    const char *name = lua_tostring(L, 2);
    int event = 0;
    while (events[event] && strcmp(events[event], name) != 0) event++;
    if (!events[event]) {
        const char *nearest = mus_lua_nearest(name, events);
        if (nearest) return mus_lua_error(L, "world: no event '%s' (did you mean '%s'?)", name, nearest);
        return mus_lua_error(L,
                             "world: no event '%s' (known: before_step, candidate, contacts, after_step, frame, done, "
                             "draw, key)",
                             name);
    }
    mus_lua_check_function(L, 3, "world: on(event, f): f");
    lua_pushinteger(L, mus_lua_add_hook(L, box, event, 3, 4));
    return 1;
}

static int world_force(lua_State *L) {
    mus_lua_worldbox *box = mus_lua_check_box(L, 1, "force");
    mus_lua_check_change(L, box, "world:force");
    mus_lua_check_function(L, 2, "world: force(f): f");
    const mus_lua_rule *rule = mus_lua_test_rule(L, 2);
    if (rule && rule->kind != MUS_PROGRAM_NODE_FORCE && rule->kind != MUS_PROGRAM_WIND)
        return mus_lua_error(L, "world: force(f): f must be a function, a muslin.node_force or a muslin.wind (got "
                                "another traced one)");
    lua_pushinteger(L, mus_lua_add_hook(L, box, MUS_LUA_FORCES_EVENT, 2, 3));
    return 1;
}

/* Replaces the list, whose table is on top, by one without the token; false if there is none. */
static bool remove_token(lua_State *L, int hooks, int list, lua_Integer token) {
    lua_Integer length = (lua_Integer)lua_rawlen(L, -1), kept = 0;
    bool here = false;
    lua_createtable(L, (int)length, 0);
    for (lua_Integer i = 1; i < length; i += 2) {
        lua_rawgeti(L, -2, i + 1);
        bool match = lua_tointeger(L, -1) == token;
        here = here || match;
        lua_pop(L, 1);
        if (match) continue;
        lua_rawgeti(L, -2, i);
        lua_rawseti(L, -2, ++kept);
        lua_rawgeti(L, -2, i + 1);
        lua_rawseti(L, -2, ++kept);
    }
    if (here)
        lua_rawseti(L, hooks, list + 1);
    else
        lua_pop(L, 1);
    return here;
}

static int world_off(lua_State *L) {
    mus_lua_worldbox *box = mus_lua_check_box(L, 1, "off");
    mus_lua_check_change(L, box, "world:off");
    int whole = 0;
    lua_Integer token = lua_type(L, 2) == LUA_TNUMBER ? lua_tointegerx(L, 2, &whole) : 0;
    lua_settop(L, 2);
    lua_getiuservalue(L, 1, MUS_LUA_HOOKS);
    lua_getfield(L, 3, "alive");
    if (!whole || lua_rawgeti(L, 4, token) == LUA_TNIL) {
        const char *seen = mus_lua_describe(L, 2);
        return mus_lua_error(L,
                             "world: off(token): it must be a token that on(), force() or script() returned and that "
                             "is still in use (got %s)",
                             seen);
    }
    int list = ((const hook *)lua_touserdata(L, -1))->list;
    lua_settop(L, 4);
    lua_rawgeti(L, 3, list + 1);
    if (!remove_token(L, 3, list, token)) return 0;
    box->hook_count[list]--;
    box->changes++;
    mus_lua_set_callbacks(box);
    lua_pushnil(L);
    lua_rawseti(L, 4, token);
    if (list == MUS_LUA_SCRIPTS_EVENT) mus_lua_forget_script(L, 1, token);
    return 0;
}

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

void mus_lua_each_hook(lua_State *L, int world, int list, mus_lua_hook_call call, void *arguments) {
    luaL_checkstack(L, 16, NULL);
    mus_lua_worldbox *box = mus_lua_test_box(L, world);
    int top = lua_gettop(L);
    lua_getiuservalue(L, world, MUS_LUA_HOOKS);
    lua_getfield(L, top + 1, "alive");
    if (lua_rawgeti(L, top + 1, list + 1) == LUA_TTABLE) {
        lua_Integer length = (lua_Integer)lua_rawlen(L, top + 3);
        bool more = true;
        for (lua_Integer i = 1; i < length && more; i += 2) {
            lua_rawgeti(L, top + 3, i + 1);
            lua_Integer token = lua_tointeger(L, -1);
            if (lua_rawgeti(L, top + 2, token) != LUA_TNIL) { /* an earlier hook may remove it */
                hook *h = lua_touserdata(L, -1);
                lua_rawgeti(L, top + 3, i);
                double start = seconds();
                more = call(L, top + 6, token, arguments);
                count_call(box, h, seconds() - start);
                if (box->writes.arrays) {
                    lua_getiuservalue(L, top + 5, 1);
                    mus_lua_check_writes(L, box, list_names[list], lua_tostring(L, -1));
                }
            }
            lua_settop(L, top + 3);
        }
    }
    lua_settop(L, top);
}

typedef struct plain_call {
    int first, count;
    bool stops, stopped;
} plain_call;

static bool call_plain(lua_State *L, int function, lua_Integer token, void *arguments) {
    (void)token;
    plain_call *p = arguments;
    lua_pushvalue(L, function);
    for (int k = 0; k < p->count; k++) lua_pushvalue(L, p->first + k);
    lua_call(L, p->count, p->stops ? 1 : 0);
    p->stopped = p->stops && lua_toboolean(L, -1);
    return !p->stopped;
}

bool mus_lua_run_hooks(lua_State *L, int world, int list, int count, bool stops) {
    plain_call p = {lua_gettop(L) - count + 1, count, stops, false};
    luaL_checkstack(L, count + 1, NULL);
    mus_lua_each_hook(L, world, list, call_plain, &p);
    lua_settop(L, p.first - 1);
    return p.stopped;
}

/* ---- Times ------------------------------------------------------------------------------------------------------- */

int64_t mus_lua_world_hook_times(lua_State *L, int world, mus_lua_hook_time *times, int64_t capacity) {
    const mus_lua_worldbox *box = mus_lua_test_box(L, world);
    int64_t count = 0;
    int top = lua_gettop(L);
    if (!box || !box->world || !lua_checkstack(L, 6)) return 0;
    push_alive(L, lua_absindex(L, world));
    for (lua_Integer token = 1; token <= box->last_token; token++) {
        if (lua_rawgeti(L, top + 1, token) == LUA_TUSERDATA) {
            const hook *h = lua_touserdata(L, -1);
            lua_getiuservalue(L, -1, 1);
            if (count < capacity)
                times[count] = (mus_lua_hook_time){list_names[h->list], lua_tostring(L, -1), h->calls,
                                                   h->moment == box->steps_begun ? 1e3 * h->step : 0, 1e3 * h->total};
            count++;
        }
        lua_settop(L, top + 1);
    }
    lua_settop(L, top);
    return count;
}

void mus_lua_push_hook_times(lua_State *L, int world) {
    int64_t count = mus_lua_world_hook_times(L, world, NULL, 0);
    mus_lua_hook_time *times = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *times, 0);
    mus_lua_world_hook_times(L, world, times, count);
    lua_createtable(L, (int)count, 0);
    for (int64_t k = 0; k < count; k++) {
        lua_createtable(L, 0, 5);
        lua_pushstring(L, times[k].event);
        lua_setfield(L, -2, "event");
        lua_pushstring(L, times[k].name);
        lua_setfield(L, -2, "name");
        lua_pushinteger(L, times[k].calls);
        lua_setfield(L, -2, "calls");
        lua_pushnumber(L, times[k].step_ms);
        lua_setfield(L, -2, "step_ms");
        lua_pushnumber(L, times[k].total_ms);
        lua_setfield(L, -2, "total_ms");
        lua_rawseti(L, -2, k + 1);
    }
    lua_remove(L, -2);
}

void mus_lua_push_hook_methods(lua_State *L) {
    static const luaL_Reg methods[] = {{"on", world_on}, {"off", world_off}, {"force", world_force}, {NULL, NULL}};
    luaL_setfuncs(L, methods, 0);
}
