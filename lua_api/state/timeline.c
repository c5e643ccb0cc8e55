/* timeline.c: world:script: functions that run beside the simulation as coroutines, and wait for times and conditions.
 *
 * Due scripts are resumed at the beginning of a step, within its transaction. The times of all resumptions of a
 * script are stored, so that it can be replayed from its start, without waiting, to its place in a snapshot. */
#include "binding.h"
#include "sandbox/sandbox.h"

#include <math.h>
#include <string.h>

/* User values of a script: */
enum { THREAD = 1, CONDITION, TIMES, VALUES = TIMES }; /* TIMES: [1] when it began, [k + 1] when its k-th wait ended */

typedef struct script {
    bool begun, ended;
    bool conditional;   /* waits for the function in CONDITION, else for `wake` */
    bool lost;          /* it was resumed in a step that failed */
    double wake;        /* s */
    lua_Integer times;  /* in TIMES */
    lua_Integer replay; /* number of times to be replayed; 0: no replay */
    int64_t moved_in;   /* the step of its last resumption */
} script;

/* Pushes the script of a token; NULL if there is none. */
static script *push_script(lua_State *L, int world, lua_Integer token) {
    lua_getiuservalue(L, world, MUS_LUA_SCRIPTS);
    lua_rawgeti(L, -1, token);
    lua_remove(L, -2);
    return lua_touserdata(L, -1);
}

static void note_time(lua_State *L, int index, script *s, double t) {
    lua_getiuservalue(L, index, TIMES);
    lua_pushnumber(L, t);
    lua_rawseti(L, -2, ++s->times);
    lua_pop(L, 1);
}

static double time_at(lua_State *L, int index, lua_Integer k) {
    lua_getiuservalue(L, index, TIMES);
    lua_rawgeti(L, -1, k);
    double t = lua_tonumber(L, -1);
    lua_pop(L, 2);
    return t;
}

/* Resets the script at `index` to before its first step. */
static void begin_anew(lua_State *L, int index) {
    script *s = lua_touserdata(L, index);
    *s = (script){.moved_in = -1};
    lua_newtable(L);
    lua_setiuservalue(L, index, TIMES);
    for (int value = THREAD; value <= CONDITION; value++) {
        lua_pushnil(L);
        lua_setiuservalue(L, index, value);
    }
}

static int world_script(lua_State *L) {
    mus_lua_worldbox *box = mus_lua_check_box(L, 1, "script");
    mus_lua_check_change(L, box, "world:script");
    mus_lua_check_function(L, 2, "world: script(f): f");
    lua_settop(L, 3);
    lua_newuserdatauv(L, sizeof(script), VALUES);
    begin_anew(L, 4);
    lua_Integer token = mus_lua_add_hook(L, box, MUS_LUA_SCRIPTS_EVENT, 2, 3);
    lua_getiuservalue(L, 1, MUS_LUA_SCRIPTS);
    lua_pushvalue(L, 4);
    lua_rawseti(L, -2, token);
    lua_pushinteger(L, token);
    return 1;
}

void mus_lua_forget_script(lua_State *L, int world, lua_Integer token) {
    lua_getiuservalue(L, world, MUS_LUA_SCRIPTS);
    lua_pushnil(L);
    lua_rawseti(L, -2, token);
    lua_pop(L, 1);
}

/* ---- Running on -------------------------------------------------------------------------------------------------- */

/* Resumes the script at `index` with the `arguments` values on top. Passes on its errors. */
static void run_on(lua_State *L, mus_lua_worldbox *box, int index, lua_Integer token, int arguments) {
    script *s = lua_touserdata(L, index);
    lua_getiuservalue(L, index, THREAD);
    lua_State *co = lua_tothread(L, -1);
    lua_insert(L, -arguments - 1);
    lua_State *outer = box->script;
    lua_Integer outer_token = box->script_token;
    box->script = co, box->script_token = token;
    s->moved_in = box->steps_begun;
    int results = mus_lua_resume(L, co, arguments);
    box->script = outer, box->script_token = outer_token;
    if (results < 0) {
        s->ended = true;
        if (lua_type(L, -1) == LUA_TSTRING) mus_lua_push_traceback(L, co, lua_tostring(L, -1), 0);
        lua_error(L);
    }
    lua_pop(L, results + 1);
    s->ended = lua_status(co) != LUA_YIELD;
}

static void begin_function(lua_State *L, mus_lua_worldbox *box, int world, int index, lua_Integer token, int function) {
    script *s = lua_touserdata(L, index);
    lua_State *co = lua_newthread(L);
    lua_setiuservalue(L, index, THREAD);
    s->begun = true;
    lua_pushvalue(L, function);
    lua_xmove(L, co, 1);
    lua_pushvalue(L, world);
    run_on(L, box, index, token, 1);
}

typedef struct running {
    mus_lua_worldbox *box;
    int world;
    double t, step;
} running;

/* The sum of step lengths has rounding errors: a wait ends with the step that begins nearest to its end. */
static bool is_due(lua_State *L, const running *r, int index) {
    const script *s = lua_touserdata(L, index);
    if (!s->conditional) return r->t >= s->wake - 1e-6 * r->step;
    lua_getiuservalue(L, index, CONDITION);
    lua_pushvalue(L, r->world);
    lua_pushnumber(L, r->t);
    lua_call(L, 2, 1);
    bool due = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return due;
}

static bool run_due(lua_State *L, int function, lua_Integer token, void *arguments) {
    running *r = arguments;
    luaL_checkstack(L, 12, NULL);
    script *s = push_script(L, r->world, token);
    int index = lua_gettop(L);
    if (!s || s->ended) return true;
    if (s->lost) {
        mus_lua_error(L,
                      "world: a function of world:script ran on in a step that failed, and cannot go back to where the "
                      "world is; end it with world:off(token), or go back with world:restore");
    }
    if (!s->begun) {
        note_time(L, index, s, r->t);
        begin_function(L, r->box, r->world, index, token, function);
    } else if (is_due(L, r, index)) {
        note_time(L, index, s, r->t);
        lua_pushnumber(L, r->t);
        run_on(L, r->box, index, token, 1);
    }
    return true;
}

void mus_lua_run_scripts(lua_State *L, int world, double t) {
    mus_lua_worldbox *box = mus_lua_test_box(L, world);
    running r = {box, world, t, mus_world_get_step_size(box->world)};
    mus_lua_each_hook(L, world, MUS_LUA_SCRIPTS_EVENT, run_due, &r);
}

void mus_lua_scripts_failed(lua_State *L, mus_lua_worldbox *box, int world) {
    lua_getiuservalue(L, world, MUS_LUA_SCRIPTS);
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
        script *s = lua_touserdata(L, -1);
        if (s->moved_in == box->steps_begun) s->lost = true;
    }
    lua_pop(L, 1);
}

/* ---- Waiting ----------------------------------------------------------------------------------------------------- */

/* Pushes the script that calls. */
static script *check_caller(lua_State *L, mus_lua_worldbox *box, const char *method) {
    if (!box->script) mus_lua_error(L, "world: %s() waits within a function of world:script, and here is none", method);
    if (box->script != L)
        mus_lua_error(L, "world: %s() cannot be called in a coroutine of one's own within world:script", method);
    return push_script(L, 1, box->script_token);
}

static int suspend(lua_State *L, const char *method) {
    if (!lua_isyieldable(L))
        return mus_lua_error(
            L, "world: %s() cannot be called inside a function that a library calls, as table.sort does", method);
    return lua_yield(L, 0);
}

/* In a replay the wait ends at once; pushes the time of its end. The script is on top. */
static bool pass_over(lua_State *L, mus_lua_worldbox *box, script *s) {
    if (s->replay == 0 || s->times == s->replay) return false;
    box->event_time = time_at(L, lua_gettop(L), ++s->times);
    lua_pushnumber(L, box->event_time);
    return true;
}

static int world_wait(lua_State *L) {
    mus_lua_worldbox *box = mus_lua_check_box(L, 1, "wait");
    double seconds = lua_isnoneornil(L, 2) ? 0 : lua_type(L, 2) == LUA_TNUMBER ? lua_tonumber(L, 2) : -1;
    if (!(seconds >= 0 && isfinite(seconds))) {
        const char *seen = mus_lua_describe(L, 2);
        return mus_lua_error(L, "world: wait(seconds): seconds must be a number >= 0 (got %s)", seen);
    }
    script *s = check_caller(L, box, "wait");
    if (pass_over(L, box, s)) return 1;
    s->wake = box->event_time + seconds;
    s->conditional = false;
    return suspend(L, "wait");
}

static int world_wait_until(lua_State *L) {
    mus_lua_worldbox *box = mus_lua_check_box(L, 1, "wait_until");
    mus_lua_check_function(L, 2, "world: wait_until(f): f");
    lua_settop(L, 2);
    script *s = check_caller(L, box, "wait_until");
    if (pass_over(L, box, s)) return 1;
    if (s->replay == 0) { /* a condition that is true already needs no wait; in a replay the state differs from that of
                             the original run */
        lua_pushvalue(L, 2);
        lua_pushvalue(L, 1);
        lua_pushnumber(L, box->event_time);
        lua_call(L, 2, 1);
        if (lua_toboolean(L, -1)) {
            note_time(L, 3, s, box->event_time);
            lua_pushnumber(L, box->event_time);
            return 1;
        }
    }
    lua_pushvalue(L, 2);
    lua_setiuservalue(L, 3, CONDITION);
    s->conditional = true;
    return suspend(L, "wait_until");
}

/* ---- Snapshots -----------------------------------------------------------------------------------------------------
 *
 * In order of tokens: whether it has ended, the number of times, the times. */

void mus_lua_put_scripts(lua_State *L, int world, luaL_Buffer *buffer) {
    /* The growing buffer is on the stack: values below it must stay, values above it must be popped before its use. */
    const mus_lua_worldbox *box = mus_lua_test_box(L, world);
    mus_lua_put64(buffer, (uint64_t)box->hook_count[MUS_LUA_SCRIPTS_EVENT]);
    for (lua_Integer token = 1; token <= box->last_token; token++) {
        const script *s = push_script(L, world, token);
        lua_pop(L, 1);
        if (!s) continue;
        if (s->lost)
            mus_lua_error(L,
                          "world: a function of world:script ran on in a step that failed; it is not where the world "
                          "is, so there is nothing to save: end it with world:off(token), or world:restore");
        mus_lua_put64(buffer, s->ended);
        mus_lua_put64(buffer, (uint64_t)s->times);
        for (lua_Integer k = 1; k <= s->times; k++) {
            push_script(L, world, token);
            double t = time_at(L, lua_gettop(L), k);
            lua_pop(L, 1);
            uint64_t bits;
            memcpy(&bits, &t, sizeof bits);
            mus_lua_put64(buffer, bits);
        }
    }
}

bool mus_lua_push_scripts(lua_State *L, const uint8_t **at, size_t *left) {
    uint64_t scripts = 0, ended, times, bits;
    lua_newtable(L);
    if (*left == 0) return true; /* of an earlier version, which had none */
    if (!mus_lua_get64(at, left, &scripts)) return false;
    for (uint64_t k = 0; k < scripts; k++) {
        if (!mus_lua_get64(at, left, &ended) || !mus_lua_get64(at, left, &times) || times > *left / 8) return false;
        lua_createtable(L, (int)times, 1);
        lua_pushboolean(L, ended != 0);
        lua_setfield(L, -2, "ended");
        for (uint64_t i = 0; i < times; i++) {
            double t;
            mus_lua_get64(at, left, &bits);
            memcpy(&t, &bits, sizeof t);
            lua_pushnumber(L, t);
            lua_rawseti(L, -2, (lua_Integer)i + 1);
        }
        lua_rawseti(L, -2, (lua_Integer)k + 1);
    }
    return true;
}

/* Whether the script at `index` is at the place stored in the row at `row`. */
static bool is_there(lua_State *L, int index, int row) {
    const script *s = lua_touserdata(L, index);
    lua_getfield(L, row, "ended");
    bool ended = lua_toboolean(L, -1),
         same = !s->lost && s->ended == ended && s->times == (lua_Integer)lua_rawlen(L, row);
    lua_pop(L, 1);
    for (lua_Integer k = 1; same && k <= s->times; k++) {
        lua_rawgeti(L, row, k);
        same = lua_tonumber(L, -1) == time_at(L, index, k);
        lua_pop(L, 1);
    }
    return same;
}

typedef struct replaying {
    mus_lua_worldbox *box;
    int world, table;
    bool look, differ; /* look: only test whether one differs */
    lua_Integer k;
} replaying;

/* Replays the script at `index`, its function at `function`, to the place in the row at `row`. */
static void play_again(lua_State *L, mus_lua_worldbox *box, int world, int index, int function, lua_Integer token,
                       int row) {
    lua_Integer times = (lua_Integer)lua_rawlen(L, row);
    lua_getfield(L, row, "ended");
    bool ended = lua_toboolean(L, -1), had_begun = ((const script *)lua_touserdata(L, index))->begun;
    int64_t changes = box->changes;
    begin_anew(L, index);
    if (times == 0) return;
    lua_pushvalue(L, row);
    lua_setiuservalue(L, index, TIMES);
    script *s = lua_touserdata(L, index);
    s->times = 1;
    s->replay = times;
    box->event_time = time_at(L, index, 1);
    begin_function(L, box, world, index, token, function);
    if (s->times != times || s->ended != ended)
        mus_lua_error(
            L, "world: a function of world:script took another way when it was played again for a snapshot: what "
               "it does must not depend on the state but by wait_until");
    if (had_begun && box->changes != changes)
        mus_lua_error(L,
                      "world: a function of world:script adds hooks or motions on its way, so a world in which it has "
                      "begun cannot go back");
    s->replay = 0;
    s->moved_in = -1;
}

static bool replay_one(lua_State *L, int function, lua_Integer token, void *arguments) {
    replaying *r = arguments;
    luaL_checkstack(L, 16, NULL);
    if (!push_script(L, r->world, token)) return true;
    int index = lua_gettop(L);
    if (lua_rawgeti(L, r->table, ++r->k) != LUA_TTABLE) {
        r->differ = true;
        return true;
    }
    if (is_there(L, index, index + 1)) return true;
    r->differ = true;
    if (!r->look) play_again(L, r->box, r->world, index, function, token, index + 1);
    return true;
}

bool mus_lua_scripts_differ(lua_State *L, int world, int table) {
    replaying r = {mus_lua_test_box(L, world), world, table, true, false, 0};
    if ((lua_Integer)lua_rawlen(L, table) != r.box->hook_count[MUS_LUA_SCRIPTS_EVENT])
        mus_lua_error(L, "world: the saved world had %d function(s) of world:script, and this one has %d",
                      (int)lua_rawlen(L, table), (int)r.box->hook_count[MUS_LUA_SCRIPTS_EVENT]);
    mus_lua_each_hook(L, world, MUS_LUA_SCRIPTS_EVENT, replay_one, &r);
    return r.differ;
}

typedef struct finish {
    void (*then)(lua_State *L, mus_lua_worldbox *box, int world, const mus_snapshot *snapshot);
    const mus_snapshot *snapshot;
} finish;

/* world, table, finish */
static int replay_all(lua_State *L) {
    replaying r = {mus_lua_test_box(L, 1), 1, 2, false, false, 0};
    const finish *f = lua_touserdata(L, 3);
    mus_lua_phase phase = r.box->phase;
    r.box->phase = MUS_LUA_PHASE_BEFORE_STEP;
    mus_lua_each_hook(L, 1, MUS_LUA_SCRIPTS_EVENT, replay_one, &r);
    r.box->phase = phase;
    f->then(L, r.box, 1, f->snapshot);
    return 0;
}

/* Pushes {[token] = {the struct's bytes, user values}}, to undo a failed replay. */
static void push_kept(lua_State *L, int world) {
    lua_newtable(L);
    int kept = lua_gettop(L);
    lua_getiuservalue(L, world, MUS_LUA_SCRIPTS);
    for (lua_pushnil(L); lua_next(L, kept + 1); lua_pop(L, 1)) {
        lua_newtable(L);
        lua_pushlstring(L, lua_touserdata(L, -2), sizeof(script));
        lua_rawseti(L, -2, 0);
        for (int value = THREAD; value <= VALUES; value++) {
            lua_getiuservalue(L, -2, value);
            lua_rawseti(L, -2, value);
        }
        lua_rawseti(L, kept, lua_tointeger(L, -3));
    }
    lua_settop(L, kept);
}

static void put_back(lua_State *L, int world, int kept) {
    int top = lua_gettop(L);
    lua_getiuservalue(L, world, MUS_LUA_SCRIPTS);
    for (lua_pushnil(L); lua_next(L, top + 1); lua_pop(L, 1)) {
        if (lua_rawgeti(L, kept, lua_tointeger(L, -2)) == LUA_TTABLE) {
            lua_rawgeti(L, -1, 0);
            memcpy(lua_touserdata(L, -3), lua_tostring(L, -1), sizeof(script));
            lua_pop(L, 1);
            for (int value = THREAD; value <= VALUES; value++) {
                lua_rawgeti(L, -1, value);
                lua_setiuservalue(L, -3, value);
            }
        }
        lua_pop(L, 1);
    }
    lua_settop(L, top);
}

void mus_lua_replay_scripts(lua_State *L, mus_lua_worldbox *box, int world, int table,
                            void (*then)(lua_State *L, mus_lua_worldbox *box, int world, const mus_snapshot *snapshot),
                            const mus_snapshot *snapshot) {
    luaL_checkstack(L, 16, NULL);
    finish f = {then, snapshot};
    int top = lua_gettop(L);
    push_kept(L, world);
    mus_lua_phase phase = box->phase;
    double outer = box->event_time;
    lua_pushcfunction(L, replay_all);
    lua_pushvalue(L, world);
    lua_pushvalue(L, table);
    lua_pushlightuserdata(L, &f);
    int status = lua_pcall(L, 3, 0, 0);
    box->phase = phase;
    box->event_time = outer;
    if (status != LUA_OK) {
        put_back(L, world, top + 1);
        lua_error(L);
    }
    lua_settop(L, top);
}

void mus_lua_push_script_methods(lua_State *L) {
    static const luaL_Reg methods[] = {
        {"script", world_script}, {"wait", world_wait}, {"wait_until", world_wait_until}, {NULL, NULL}};
    luaL_setfuncs(L, methods, 0);
}
