/* hooks.c: callbacks of the core into Lua. Every one runs under lua_pcall; on failure the core unwinds by returning,
 * and the error object is raised only after that. */
#include "binding.h"
#include "sandbox/sandbox.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Tracebacks -------------------------------------------------------------------------------------------------- */

static const char heading[] = "\nstack traceback:";

static bool begins(const char *line, const char *with) {
    return strncmp(line, with, strlen(with)) == 0;
}

/* Whether a line of a traceback is of no use to the script's author: calls within muslin's own scripts, and of C
 * functions without a name. Tail calls belong to the line above them. */
static bool is_of_muslin(const char *line, bool above) {
    if (begins(line, "\t(...tail calls...)")) return above;
    return begins(line, "\t" MUS_LUA_OWN_CHUNK) || begins(line, "\t[C]: in function 'muslin.support.") ||
           begins(line, "\t[C]: in ?");
}

void mus_lua_push_traceback(lua_State *L, lua_State *of, const char *message, int level) {
    luaL_traceback(L, of, NULL, level);
    luaL_Buffer text;
    const char *line = strchr(lua_tostring(L, -1), '\n'); /* behind the heading */
    luaL_buffinit(L, &text);
    luaL_addstring(&text, message);
    bool headed = false, dropped = false;
    while (line) {
        const char *end = strchr(++line, '\n');
        dropped = is_of_muslin(line, dropped);
        if (!dropped) {
            if (!headed) luaL_addstring(&text, heading);
            headed = true;
            luaL_addchar(&text, '\n');
            luaL_addlstring(&text, line, end ? (size_t)(end - line) : strlen(line));
        }
        line = end;
    }
    luaL_pushresult(&text);
    lua_remove(L, -2);
}

/* Strings get a traceback, once: an error that passes through several protected calls keeps that of its origin.
 * Other objects pass unchanged, so that a script's own pcall gets the object that was raised. */
static int keep_object(lua_State *L) {
    if (lua_type(L, 1) != LUA_TSTRING) return 1;
    const char *message = lua_tostring(L, 1);
    if (!strstr(message, heading)) mus_lua_push_traceback(L, L, message, 1);
    return 1;
}

int mus_lua_traceback(lua_State *L) {
    if (lua_type(L, 1) != LUA_TSTRING) {
        if (luaL_callmeta(L, 1, "__tostring") && lua_type(L, -1) == LUA_TSTRING) {
            lua_replace(L, 1);
        } else {
            lua_pushfstring(L, "(error object is a %s value)", luaL_typename(L, 1));
            lua_replace(L, 1);
        }
        lua_settop(L, 1);
    }
    return keep_object(L);
}

/* ---- Calls into the core ----------------------------------------------------------------------------------------- */

enum { STACK_FOR_CALL = 24 };

void mus_lua_enter(lua_State *L, mus_lua_worldbox *box, int world, const char *method, mus_lua_call *call) {
    luaL_checkstack(L, STACK_FOR_CALL, NULL);
    lua_pushnil(L);
    *call = (mus_lua_call){
        .L = L, .method = method, .world = world, .error = lua_gettop(L), .failed = false, .outer = box->call};
    box->call = call;
}

void mus_lua_leave(lua_State *L, mus_lua_worldbox *box, mus_lua_call *call, mus_status status) {
    box->call = call->outer;
    if (status == MUS_STATUS_OK) return;
    if (call->failed) {
        lua_pushvalue(L, call->error);
        lua_error(L);
    }
    mus_lua_check_called(L, status);
}

mus_status mus_lua_callback(mus_lua_worldbox *box, mus_lua_phase phase, lua_CFunction body, void *arguments) {
    mus_lua_call *call = box->call;
    if (!call) return mus_fail(MUS_STATUS_HOOK, "world: it has Lua callbacks, so only Lua can step it");
    lua_State *L = call->L;
    if (!lua_checkstack(L, STACK_FOR_CALL)) return mus_fail(MUS_STATUS_NO_MEMORY, "world: no Lua stack for a callback");
    /* Nothing here allocates until lua_pcall protects it. */
    int top = lua_gettop(L);
    lua_pushcfunction(L, keep_object);
    lua_pushcfunction(L, body);
    lua_pushvalue(L, call->world);
    lua_pushlightuserdata(L, arguments);
    mus_lua_phase before = box->phase;
    box->phase = phase;
    int status = lua_pcall(L, 2, 0, top + 1);
    box->phase = before;
    if (status == LUA_OK) {
        lua_settop(L, top);
        return MUS_STATUS_OK;
    }
    const char *message = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "a callback raised an error object";
    mus_fail(MUS_STATUS_HOOK, "%s", message);
    lua_replace(L, call->error);
    call->failed = true;
    lua_settop(L, top);
    return MUS_STATUS_HOOK;
}

mus_status mus_lua_callback_locked(mus_lua_worldbox *box, const char *what, lua_CFunction body, void *arguments) {
    mus_lua_lock outer = box->lock;
    if (box->call) box->lock = (mus_lua_lock){box->call->method, what};
    mus_status status = mus_lua_callback(box, MUS_LUA_PHASE_FUNCTION, body, arguments);
    box->lock = outer;
    return status;
}

/* ---- Locking ----------------------------------------------------------------------------------------------------- */

void mus_lua_call_locked(lua_State *L, mus_lua_worldbox *box, mus_lua_lock lock, int arguments, int results) {
    int handler = lua_gettop(L) - arguments;
    luaL_checkstack(L, 1, NULL);
    lua_pushcfunction(L, keep_object);
    lua_insert(L, handler);
    mus_lua_lock outer = box->lock;
    box->lock = lock;
    int status = lua_pcall(L, arguments, results, handler);
    box->lock = outer;
    lua_remove(L, handler);
    if (status != LUA_OK) lua_error(L);
}

/* Whether a function that runs on the stack of L was called as a finalizer. */
static bool runs_finalizer(lua_State *L) {
    lua_Debug at;
    for (int level = 1; lua_getstack(L, level, &at); level++)
        if (lua_getinfo(L, "n", &at) && strcmp(at.namewhat, "metamethod") == 0 && strcmp(at.name, "__gc") == 0)
            return true;
    return false;
}

static bool in_finalizer(lua_State *L) {
    if (runs_finalizer(L)) return true;
    /* The finalizer may have resumed a coroutine that calls: its own frame is then on the main thread's stack. */
    lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
    lua_State *main = lua_tothread(L, -1);
    lua_pop(L, 1);
    return main && main != L && runs_finalizer(main);
}

void mus_lua_refuse_drawing(lua_State *L, const mus_lua_worldbox *box, const char *method) {
    if (box->drawing)
        mus_lua_error(L,
                      "%s: a draw hook cannot change a run, which is the same with pictures and without; do it in a "
                      "frame hook",
                      method);
}

void mus_lua_refuse_finalizer(lua_State *L, const char *method) {
    luaL_checkstack(L, 1, NULL);
    if (in_finalizer(L))
        mus_lua_error(L,
                      "%s: a finalizer (__gc) cannot change a world, since it may run inside any other call; use a "
                      "<close> variable",
                      method);
}

void mus_lua_check_change(lua_State *L, const mus_lua_worldbox *box, const char *method) {
    if (box->lock.method)
        mus_lua_error(L, "%s: the world is locked while '%s' calls %s; do it after that call has returned", method,
                      box->lock.method, box->lock.what);
    mus_lua_refuse_drawing(L, box, method);
    mus_lua_refuse_finalizer(L, method);
}

void mus_lua_refuse_nested(lua_State *L, mus_lua_worldbox *box, const char *method) {
    char text[48];
    snprintf(text, sizeof text, "world:%s", method);
    mus_lua_check_change(L, box, text);
    if (box->call || box->phase != MUS_LUA_PHASE_NONE)
        mus_lua_error(L, "world: %s() cannot be called inside one of the world's own hooks; let the hook return first",
                      method);
}

/* ---- Events within a step ---------------------------------------------------------------------------------------- */

typedef struct event_arguments {
    int event;
    double t;
    const char *key;
    bool handled;
} event_arguments;

static int step_event_body(lua_State *L) {
    const event_arguments *arguments = lua_touserdata(L, 2);
    lua_pushvalue(L, 1);
    lua_pushnumber(L, arguments->t);
    mus_lua_run_hooks(L, 1, arguments->event, 2, false);
    return 0;
}

static mus_status step_event(mus_lua_worldbox *box, int event, mus_lua_phase phase, double t) {
    box->moment++;
    if (!box->hook_count[event]) return MUS_STATUS_OK;
    event_arguments arguments = {event, t, NULL, false};
    double outer = box->event_time;
    box->event_time = t;
    mus_status status = mus_lua_callback(box, phase, step_event_body, &arguments);
    box->event_time = outer;
    box->moment++;
    return status;
}

static int scripts_body(lua_State *L) {
    mus_lua_run_scripts(L, 1, ((const event_arguments *)lua_touserdata(L, 2))->t);
    return 0;
}

/* Scripts run before the hooks, which see their effects. */
static mus_status run_scripts(mus_lua_worldbox *box, double t) {
    if (!box->hook_count[MUS_LUA_SCRIPTS_EVENT]) return MUS_STATUS_OK;
    event_arguments arguments = {MUS_LUA_SCRIPTS_EVENT, t, NULL, false};
    double outer = box->event_time;
    box->event_time = t;
    mus_status status = mus_lua_callback(box, MUS_LUA_PHASE_BEFORE_STEP, scripts_body, &arguments);
    box->event_time = outer;
    return status;
}

static mus_status before_step(mus_world *world, double t, void *user) {
    mus_lua_worldbox *box = user;
    box->step_start = t;
    box->step_index = mus_world_get_step_index(world);
    box->step_log = box->log_count;
    box->steps_begun++;
    mus_status status = run_scripts(box, t);
    return status == MUS_STATUS_OK ? step_event(user, MUS_LUA_BEFORE_STEP, MUS_LUA_PHASE_BEFORE_STEP, t) : status;
}
static mus_status candidate(mus_world *world, double t, void *user) {
    (void)world;
    return step_event(user, MUS_LUA_CANDIDATE, MUS_LUA_PHASE_CANDIDATE, t);
}
static mus_status contacts(mus_world *world, double t, void *user) {
    (void)world;
    return step_event(user, MUS_LUA_CONTACTS, MUS_LUA_PHASE_CONTACTS, t);
}
static mus_status after_step(mus_world *world, double t, void *user) {
    (void)world;
    return step_event(user, MUS_LUA_AFTER_STEP, MUS_LUA_PHASE_AFTER_STEP, t);
}

static int forces_body(lua_State *L) {
    const event_arguments *arguments = lua_touserdata(L, 2);
    mus_lua_worldbox *box = mus_lua_test_box(L, 1);
    int32_t count = mus_world_get_cloth_count(box->world);
    for (int32_t k = 0; k < count; k++) {
        mus_lua_push_cloth(L, 1, mus_world_get_cloth(box->world, k));
        lua_pushnumber(L, arguments->t);
        mus_lua_run_hooks(L, 1, arguments->event, 2, false);
    }
    return 0;
}

static mus_status run_force_hooks(mus_lua_worldbox *box, double t) {
    if (!box->hook_count[MUS_LUA_FORCES_EVENT]) return MUS_STATUS_OK;
    event_arguments arguments = {MUS_LUA_FORCES_EVENT, t, NULL, false};
    box->moment++;
    box->event_time = t;
    return mus_lua_callback(box, MUS_LUA_PHASE_FORCES, forces_body, &arguments);
}

static mus_status forces(mus_world *world, double t, void *user) {
    mus_lua_worldbox *box = user;
    mus_status status = run_force_hooks(box, t);
    return status == MUS_STATUS_OK && box->forces ? box->forces(box->forces_user, world) : status;
}

static bool cancelled(void *user) {
    const mus_lua_worldbox *box = user;
    return box->call && mus_lua_sandbox_cancelled(box->call->L);
}

void mus_lua_set_callbacks(mus_lua_worldbox *box) {
    mus_callbacks callbacks = mus_callbacks_default();
    callbacks.user = box;
    callbacks.before_step = before_step;
    callbacks.forces = forces;
    /* These two cost the core time, so they are set only if a hook is registered. */
    if (box->hook_count[MUS_LUA_CANDIDATE]) callbacks.candidate = candidate;
    if (box->hook_count[MUS_LUA_CONTACTS]) callbacks.contacts = contacts;
    callbacks.after_step = after_step;
    callbacks.cancelled = cancelled;
    mus_world_set_callbacks(box->world, &callbacks);
}

/* ---- Steps ------------------------------------------------------------------------------------------------------- */

/* A loaded world without its hooks would silently do something else. */
static void check_hooks(lua_State *L, const mus_lua_worldbox *box) {
    for (int list = 0; list < MUS_LUA_HOOK_LISTS; list++) {
        if (box->hooks_missing[list] == 0) continue;
        mus_lua_error(
            L,
            "world: the saved world had %d more function(s) of world:%s%s; a file holds none: add them again, or go "
            "on without any by muslin.load(path, {hooks = false})",
            (int)box->hooks_missing[list], list < MUS_LUA_EVENT_COUNT ? "on, event " : "",
            mus_lua_hook_list_name(list));
    }
}

/* seconds < 0: one step. */
static void run_steps(lua_State *L, mus_lua_worldbox *box, int world, double seconds) {
    mus_lua_call call;
    check_hooks(L, box);
    mus_lua_check_writes(L, box, NULL, NULL);
    mus_lua_prune_records(L, box, world);
    mus_lua_enter(L, box, world, seconds < 0 ? "world:step" : "world:advance", &call);
    box->stepping = true;
    box->owners_changed = false;
    box->step_index = -1;
    box->step_start = mus_world_get_time(box->world);
    box->moment++;
    if (box->watch) box->watch(box->watch_user, box->world, false);
    mus_status status = seconds < 0 ? mus_world_step(box->world) : mus_world_advance(box->world, seconds);
    if (box->watch && status == MUS_STATUS_OK) box->watch(box->watch_user, box->world, true);
    box->moment++;
    box->stepping = false;
    mus_lua_box *sandbox = mus_lua_box_of(L);
    if (sandbox) sandbox->clock = mus_world_get_time(box->world);
    if (status != MUS_STATUS_OK) {
        mus_lua_forget_writes(box);
        if (box->step_index == mus_world_get_step_index(box->world)) box->log_count = box->step_log;
        if (box->hook_count[MUS_LUA_SCRIPTS_EVENT]) mus_lua_scripts_failed(L, box, world);
        box->keep_records = box->keep_records || box->owners_changed;
    }
    mus_lua_leave(L, box, &call, status);
    lua_pop(L, 1);
}

/* `what`: the amount that the method advances; its argument is often mistaken for a count, or for a duration. */
static void refuse_arguments(lua_State *L, const char *method, const char *what) {
    if (lua_gettop(L) == 1) return;
    const char *seen = mus_lua_describe(L, 2);
    mus_lua_error(L, "world: %s() plays %s and takes no arguments (got %s); world:advance(seconds) plays for a time",
                  method, what, seen);
}

static int world_step(lua_State *L) {
    mus_lua_worldbox *box = mus_lua_check_box(L, 1, "step");
    refuse_arguments(L, "step", "one step of world.dt");
    mus_lua_refuse_nested(L, box, "step");
    run_steps(L, box, 1, -1);
    return 0;
}

static int world_advance(lua_State *L) {
    mus_lua_worldbox *box = mus_lua_check_box(L, 1, "advance");
    mus_lua_refuse_nested(L, box, "advance");
    double seconds = lua_type(L, 2) == LUA_TNUMBER ? lua_tonumber(L, 2) : -1;
    if (!(seconds >= 0 && isfinite(seconds))) {
        const char *seen = mus_lua_describe(L, 2);
        return mus_lua_error(L, "world: advance(seconds): seconds must be a number >= 0 (got %s)", seen);
    }
    if (seconds > 0) run_steps(L, box, 1, seconds);
    return 0;
}

int64_t mus_lua_world_frame_index(const mus_lua_worldbox *box) {
    double fps = mus_world_get_def(box->world)->fps;
    if (box->stepping) return mus_lua_whole(fmin(floor(box->step_start * fps + 1e-6), 1e15)) + 1;
    return mus_lua_whole(fmin(ceil(mus_world_get_time(box->world) * fps - 1e-6), 1e15));
}

double mus_lua_world_now(const mus_lua_worldbox *box) {
    return box->phase == MUS_LUA_PHASE_NONE || box->phase == MUS_LUA_PHASE_FUNCTION ? mus_world_get_time(box->world)
                                                                                    : box->event_time;
}

/* ---- Events between steps ---------------------------------------------------------------------------------------- */

static int event_body(lua_State *L) {
    event_arguments *arguments = lua_touserdata(L, 2);
    switch (arguments->event) {
    case MUS_LUA_DRAW:
        lua_getiuservalue(L, 1, MUS_LUA_CANVAS);
        lua_pushvalue(L, 1);
        lua_pushnumber(L, arguments->t);
        mus_lua_run_hooks(L, 1, MUS_LUA_DRAW, 3, false);
        break;
    case MUS_LUA_KEY:
        lua_pushstring(L, arguments->key);
        lua_pushvalue(L, 1);
        arguments->handled = mus_lua_run_hooks(L, 1, MUS_LUA_KEY, 2, true);
        break;
    default:
        lua_pushvalue(L, 1);
        lua_pushnumber(L, arguments->t);
        mus_lua_run_hooks(L, 1, arguments->event, 2, false);
    }
    return 0;
}

/* Protected only to restore the phase; the error is raised again. `world` is an absolute index. */
static int call_protected(lua_State *L, mus_lua_worldbox *box, int world, double t, lua_CFunction body,
                          void *arguments) {
    lua_pushcfunction(L, keep_object);
    int handler = lua_gettop(L);
    lua_pushcfunction(L, body);
    lua_pushvalue(L, world);
    lua_pushlightuserdata(L, arguments);
    mus_lua_phase before = box->phase;
    double outer = box->event_time;
    box->phase = MUS_LUA_PHASE_EVENT;
    box->event_time = t;
    int status = lua_pcall(L, 2, 0, handler);
    box->phase = before;
    box->event_time = outer;
    lua_remove(L, handler);
    return status;
}

static bool fire(lua_State *L, mus_lua_worldbox *box, int world, int event, const char *key) {
    if (!box->hook_count[event]) return false;
    event_arguments arguments = {event, mus_world_get_time(box->world), key, false};
    luaL_checkstack(L, STACK_FOR_CALL, NULL);
    if (call_protected(L, box, world, arguments.t, event_body, &arguments) != LUA_OK) lua_error(L);
    return arguments.handled;
}

void mus_lua_world_start(lua_State *L, int world) {
    world = lua_absindex(L, world);
    mus_lua_worldbox *box = mus_lua_check_box(L, world, "start");
    mus_lua_refuse_nested(L, box, "start");
    if (box->started) return;
    mus_lua_check_writes(L, box, NULL, NULL);
    mus_lua_call call;
    mus_lua_enter(L, box, world, "world:start", &call);
    mus_lua_leave(L, box, &call, mus_world_validate(box->world));
    lua_pop(L, 1);
    box->started = true;
    check_hooks(L, box);
    fire(L, box, world, MUS_LUA_FRAME, NULL);
    box->changes_at_start = box->changes;
}

void mus_lua_world_frame(lua_State *L, int world) {
    world = lua_absindex(L, world);
    mus_lua_worldbox *box = mus_lua_check_box(L, world, "run_frame");
    mus_lua_refuse_nested(L, box, "run_frame");
    mus_lua_world_start(L, world);
    int32_t steps = mus_world_get_steps_per_frame(box->world);
    for (int32_t k = 0; k < steps; k++) run_steps(L, box, world, -1);
    fire(L, box, world, MUS_LUA_FRAME, NULL);
}

void mus_lua_world_finish(lua_State *L, int world) {
    world = lua_absindex(L, world);
    mus_lua_worldbox *box = mus_lua_check_box(L, world, "finish");
    mus_lua_refuse_nested(L, box, "finish");
    if (box->finished) return;
    box->finished = true;
    fire(L, box, world, MUS_LUA_DONE, NULL);
}

bool mus_lua_world_take_stop(lua_State *L, int world) {
    mus_lua_worldbox *box = mus_lua_test_box(L, world);
    bool stopped = box && box->stopped;
    if (stopped) box->stopped = false;
    return stopped;
}

static int world_stop(lua_State *L) {
    mus_lua_worldbox *box = mus_lua_check_box(L, 1, "stop");
    refuse_arguments(L, "stop", "the frame that is being made is the last one");
    box->stopped = true;
    return 0;
}

bool mus_lua_world_key(lua_State *L, int world, const char *key) {
    world = lua_absindex(L, world);
    mus_lua_worldbox *box = mus_lua_check_box(L, world, "key");
    mus_lua_refuse_nested(L, box, "key");
    return fire(L, box, world, MUS_LUA_KEY, key);
}

void mus_lua_world_watch(lua_State *L, int world, mus_lua_watch watch, void *user) {
    mus_lua_worldbox *box = mus_lua_test_box(L, world);
    if (box) box->watch = watch, box->watch_user = user;
}

void mus_lua_world_forces(lua_State *L, int world, mus_lua_forces function, void *user) {
    mus_lua_worldbox *box = mus_lua_test_box(L, world);
    if (box) box->forces = function, box->forces_user = user;
}

/* Leaves the error object if the result is not LUA_OK. */
static int call_for_picture(lua_State *L, mus_lua_worldbox *box, int world, lua_CFunction body, void *arguments) {
    mus_lua_box *sandbox = mus_lua_box_of(L);
    uint64_t random[4] = {0};
    size_t size;
    luaL_checkstack(L, STACK_FOR_CALL, NULL);
    int top = lua_gettop(L);
    if (sandbox) memcpy(random, sandbox->random, sizeof random);
    mus_lua_push_streams(L);
    const uint8_t *bytes = (const uint8_t *)lua_tolstring(L, -1, &size);
    mus_lua_read_streams(L, &bytes, &size);
    box->drawing = true;
    int status = call_protected(L, box, world, mus_world_get_time(box->world), body, arguments);
    box->drawing = false;
    mus_lua_take_streams(L, top + 2);
    if (sandbox) memcpy(sandbox->random, random, sizeof random);
    lua_remove(L, top + 1);
    lua_remove(L, top + 1);
    return status;
}

void mus_lua_call_for_picture(lua_State *L, mus_lua_worldbox *box, int world, lua_CFunction body, void *arguments) {
    if (call_for_picture(L, box, world, body, arguments) != LUA_OK) lua_error(L);
}

void mus_lua_fire_draw(lua_State *L, mus_lua_worldbox *box, int world, bool *open) {
    event_arguments arguments = {MUS_LUA_DRAW, mus_world_get_time(box->world), NULL, false};
    int status = box->hook_count[MUS_LUA_DRAW] ? call_for_picture(L, box, world, event_body, &arguments) : LUA_OK;
    *open = false;
    if (status != LUA_OK) lua_error(L);
}

static int world_start(lua_State *L) {
    mus_lua_world_start(L, 1);
    return 0;
}

static int world_run_frame(lua_State *L) {
    mus_lua_check_box(L, 1, "run_frame");
    refuse_arguments(L, "run_frame", "one frame of 1/fps s");
    mus_lua_world_frame(L, 1);
    return 0;
}

static int world_finish(lua_State *L) {
    mus_lua_world_finish(L, 1);
    return 0;
}

/* world:run([seconds]) runs a scene as a host does: start, frames until the duration, finish. */
static int world_run(lua_State *L) {
    mus_lua_worldbox *box = mus_lua_check_box(L, 1, "run");
    mus_lua_refuse_nested(L, box, "run");
    const mus_world_def *def = mus_world_get_def(box->world);
    double seconds = def->duration;
    if (!lua_isnoneornil(L, 2)) {
        seconds = lua_type(L, 2) == LUA_TNUMBER ? lua_tonumber(L, 2) : -1;
        if (!(seconds >= 0 && isfinite(seconds))) {
            const char *seen = mus_lua_describe(L, 2);
            return mus_lua_error(L, "world: run(seconds): seconds must be a number >= 0 (got %s)", seen);
        }
    }
    int64_t frames = mus_lua_whole(fmin(ceil(seconds * def->fps - 1e-6), 1e15));
    mus_lua_world_start(L, 1);
    bool stopped = mus_lua_world_take_stop(L, 1); /* by a hook of frame 0 */
    for (int64_t k = 0; k < frames && box->world && !stopped; k++) {
        mus_lua_world_frame(L, 1);
        stopped = mus_lua_world_take_stop(L, 1);
    }
    if (box->world) mus_lua_world_finish(L, 1);
    return 0;
}

void mus_lua_push_step_methods(lua_State *L) {
    static const luaL_Reg methods[] = {
        {"step", world_step},     {"advance", world_advance}, {"start", world_start}, {"run_frame", world_run_frame},
        {"finish", world_finish}, {"stop", world_stop},       {"run", world_run},     {NULL, NULL}};
    luaL_setfuncs(L, methods, 0);
    mus_lua_push_hook_methods(L);
    mus_lua_push_script_methods(L);
    mus_lua_push_view_methods(L);
}
