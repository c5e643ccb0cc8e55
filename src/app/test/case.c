/* case.c: scenarios of one file, run in their own process; a record of each is sent to the parent. */
#include "test/suite.h"

#include "cli/json.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double TIME_LIMIT = 300;              /* s for one scenario, and for loading the file */
static const size_t CORE_MEMORY = (size_t)4 << 30; /* bytes of worlds and meshes; Lua's own limit is the sandbox's */
enum { HANDLER = 1 };

typedef struct child {
    app_scene scene;
    const app_options *options;
    const char *path;
    const app_suite *suite;
    bool first;        /* of the file's processes */
    double time_limit; /* s, of the present scenario */
    int results;
} child;

/* ---- Memory limit of the core: a test that eats the machine fails by itself -------------------------------------- */

static atomic_size_t core_bytes, core_limit;

static void *limited(void *user, void *block, size_t old_size, size_t new_size) {
    (void)user;
    if (new_size == 0) {
        free(block);
        atomic_fetch_sub(&core_bytes, old_size);
        return NULL;
    }
    size_t limit = atomic_load(&core_limit), before = atomic_fetch_add(&core_bytes, new_size);
    if (new_size > limit || before > limit - new_size) {
        atomic_fetch_sub(&core_bytes, new_size);
        return NULL;
    }
    void *fresh = realloc(block, new_size); /* aligned to 16 bytes by the C library */
    atomic_fetch_sub(&core_bytes, fresh ? (block ? old_size : 0) : new_size);
    return fresh;
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

static void send_record(int fd, json_t *record) {
    char *text = json_dumps(record, JSON_COMPACT);
    json_decref(record);
    if (!text) return;
    size_t size = strlen(text);
    text[size++] = '\n'; /* overwrites its end */
    for (size_t done = 0; done < size;) {
        ssize_t n = write(fd, text + done, size - done);
        if (n < 0 && errno != EINTR) break; /* the parent is gone */
        if (n > 0) done += (size_t)n;
    }
    free(text);
}

/* Marks later output as this scenario's. */
static void mark_output(child *c, int64_t number) {
    fflush(stdout);
    printf("%s%lld\n", c->suite->mark, (long long)number);
    fflush(stdout);
}

/* `number`: in the file's list; 0: not in it. */
static void send_begin(child *c, const char *name, int64_t number) {
    if (number > 0) mark_output(c, number);
    json_t *o = json_object();
    json_object_set_new(o, "begin", app_json_text(name));
    json_object_set_new(o, "number", json_integer(number));
    send_record(c->results, o);
}

static void send_count(child *c, int64_t count, bool together) {
    json_t *o = json_object();
    json_object_set_new(o, "scenarios", json_integer(count));
    json_object_set_new(o, "together", json_boolean(together));
    send_record(c->results, o);
}

/* `pictures`: NULL, or a list that is given away. */
static void send_record_of(child *c, const char *name, app_verdict verdict, const char *message, double seconds,
                           json_t *pictures) {
    json_t *o = json_object();
    json_object_set_new(o, "name", app_json_text(name));
    json_object_set_new(o, "verdict", json_integer(verdict));
    json_object_set_new(o, "message", message ? app_json_text(message) : json_null());
    json_object_set_new(o, "seconds", json_real(seconds));
    if (pictures) json_object_set_new(o, "pictures", pictures);
    send_record(c->results, o);
}

static void send_case(child *c, const char *name, app_verdict verdict, const char *message, double seconds) {
    send_record_of(c, name, verdict, message, seconds, NULL);
}

static void last_words(void *user, app_stop why) {
    child *c = user;
    char *text =
        why == APP_STOP_TIME_LIMIT
            ? app_format("time limit of %g s reached in code that does not return; see --time-limit", c->time_limit)
            : app_format("interrupted");
    json_t *o = json_object();
    json_object_set_new(o, "stopped", app_json_text(text ? text : "stopped"));
    send_record(c->results, o);
}

/* ---- Running ----------------------------------------------------------------------------------------------------- */

static bool matches(child *c, const char *name) {
    if (!c->options->filter) return true;
    lua_State *L = c->scene.L;
    bool found = false;
    luaL_requiref(L, LUA_STRLIBNAME, luaopen_string, 0); /* not the script's, which it may have changed */
    lua_getfield(L, -1, "find");
    lua_pushfstring(L, "%s: %s", c->path, name);
    lua_pushstring(L, c->options->filter);
    if (lua_pcall(L, 2, 1, 0) == LUA_OK) found = lua_toboolean(L, -1);
    lua_pop(L, 2);
    return found;
}

/* Sets the limits of the scenario whose entry is on top of the stack; they start now. */
static bool set_limits(child *c) {
    lua_State *L = c->scene.L;
    lua_getfield(L, -1, "time_limit");
    lua_getfield(L, -2, "memory_limit");
    double own = lua_tonumber(L, -1), lua = own > 0 ? own : c->options->memory_limit; /* MB */
    c->time_limit = lua_isnumber(L, -2) ? lua_tonumber(L, -2) : c->options->time_limit;
    lua_pop(L, 2);
    app_guard_end();
    if (!app_guard_start(c->time_limit, last_words, c)) return false;
    atomic_store(&core_limit, own > 0 ? app_bytes(own) : CORE_MEMORY);
    if (!mus_lua_sandbox_limit(L, c->time_limit, app_bytes(lua))) {
        mus_fail(MUS_STATUS_NO_MEMORY, "no thread for the time limit");
        return false;
    }
    app_guard_watch(L);
    return true;
}

/* Adds the place of the saved state after the message's first line. A stopped state cannot be called. */
static void send_failure(child *c, const char *name, const char *message, bool stopped, double seconds) {
    atomic_store(&core_limit, CORE_MEMORY); /* the scenario may have failed at its own limit */
    json_t *pictures = json_array();
    char *kept = stopped ? NULL : app_failure_save(&c->scene, c->options, name, pictures);
    size_t first = strcspn(message, "\n");
    char *whole =
        kept ? app_format("%.*s\n%s%s", (int)first, message, kept, message + first + (message[first] == '\n')) : NULL;
    send_record_of(c, name, APP_FAILED, whole ? whole : message, seconds, pictures);
    free(whole);
    free(kept);
}

/* Runs the function on top of the stack as a scenario. False when the file must end here. */
static bool run_case(child *c, const char *name, int64_t number) {
    lua_State *L = c->scene.L;
    send_begin(c, name, number);
    double start = app_clock();
    bool ok = lua_pcall(L, 0, 0, HANDLER) == LUA_OK;
    double seconds = app_clock() - start;
    const char *message = ok ? NULL : lua_tostring(L, -1);
    bool stopped = app_guard_stopped() != APP_STOP_NONE || mus_lua_sandbox_timed_out(L);
    const char *skipped = message ? strstr(message, MUS_LUA_SKIP_MARK) : NULL;
    if (skipped && skipped > message + strcspn(message, "\n")) skipped = NULL;
    if (skipped) {
        char *reason = strdup(skipped + strlen(MUS_LUA_SKIP_MARK));
        if (reason) reason[strcspn(reason, "\n")] = '\0';
        send_case(c, name, APP_SKIPPED, reason, seconds);
        free(reason);
    } else if (ok) {
        send_case(c, name, APP_PASSED, NULL, seconds);
    } else {
        send_failure(c, name, message ? message : "error", stopped, seconds);
    }
    if (!ok) lua_pop(L, 1);
    return !stopped;
}

/* False when the file ends before its last scenario. */
static bool run_scenarios(child *c, int list, lua_Integer count) {
    lua_State *L = c->scene.L;
    for (lua_Integer k; (k = atomic_fetch_add(c->suite->next, 1)) <= count;) {
        lua_rawgeti(L, list, k);
        lua_getfield(L, -1, "name");
        const char *name = lua_tostring(L, -1);
        bool goes_on = true;
        if (name && matches(c, name)) {
            lua_pushvalue(L, -2);
            if (set_limits(c)) {
                lua_getfield(L, -1, "body");
                goes_on = run_case(c, name, k);
            } else {
                send_case(c, name, APP_FAILED, mus_get_error_message(), 0);
            }
        }
        lua_settop(L, list);
        if (!goes_on) return app_guard_stopped() == APP_STOP_INTERRUPT || atomic_load(c->suite->next) > count;
    }
    return true;
}

/* A scene without scenarios: played to its end, `done` hooks included. Its world is on top of the stack. */
static void play_scene(child *c) {
    app_scene *s = &c->scene;
    const char *name = "runs to its end";
    if (!matches(c, name)) return;
    send_begin(c, name, 0);
    double start = app_clock();
    bool ok = app_scene_take_world(s, lua_gettop(s->L));
    int64_t last = ok ? app_scene_frames(s, c->options) : 0;
    while (ok && s->world && !app_scene_is_over(s, last) && app_guard_stopped() == APP_STOP_NONE)
        ok = app_scene_frame(s);
    ok = ok && app_scene_finish(s);
    if (ok && s->world && !app_scene_is_over(s, last)) {
        ok = false;
        char text[64];
        snprintf(text, sizeof text, "stopped at frame %lld of %lld", (long long)s->frame, (long long)last);
        app_scene_set_error(s, text);
    }
    double seconds = app_clock() - start;
    if (ok)
        send_case(c, name, APP_PASSED, NULL, seconds);
    else
        send_failure(c, name, s->error ? s->error : "error",
                     app_guard_stopped() != APP_STOP_NONE || mus_lua_sandbox_timed_out(s->L), seconds);
}

/* Loads and runs the script. Leaves its result on top of the stack. */
static bool run_file(child *c, const app_options *options) {
    app_scene *s = &c->scene;
    return app_state_open(s, options) && app_scene_run_script(s, options);
}

static int test_file(child *c, const app_options *options, bool *cut) {
    double start = app_clock();
    if (!run_file(c, options)) {
        send_begin(c, "loads", 0);
        send_case(c, "loads", APP_FAILED, c->scene.error, app_clock() - start);
        return APP_CHECK_FAILED;
    }
    lua_State *L = c->scene.L;
    int top = lua_gettop(L);
    if (!app_kit_push_list(&c->scene, options)) {
        send_case(c, "loads", APP_FAILED, c->scene.error, app_clock() - start);
        return APP_CHECK_FAILED;
    }
    lua_Integer count = (lua_Integer)lua_rawlen(L, -1);
    if (count > 0) {
        send_count(c, count, app_kit_together(&c->scene));
        *cut = !run_scenarios(c, top + 1, count);
        mark_output(c, count + 1);
    } else if (c->first) {
        lua_settop(L, top);
        play_scene(c);
    }
    return APP_OK;
}

void app_suite_child(const app_options *parent, const app_suite *suite, bool first, int results) {
    app_options options = *parent;
    child c = {.options = &options, .path = suite->path, .suite = suite, .first = first, .results = results};
    options.scene = suite->path;
    if (options.time_limit <= 0) options.time_limit = TIME_LIMIT;
    c.time_limit = options.time_limit;
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* line buffered, as output before a crash is the most useful */
    atomic_store(&core_limit, CORE_MEMORY);
    mus_set_allocator(limited, NULL);
    if (!app_guard_start(options.time_limit, last_words, &c)) {
        send_case(&c, "loads", APP_FAILED, mus_get_error_message(), 0);
        _exit(APP_ERROR);
    }
    bool cut = false;
    int code = test_file(&c, &options, &cut);
    app_scene_close(&c.scene); /* includes finalizers, which may crash or never end */
    app_guard_end();
    json_t *o = json_object();
    json_object_set_new(o, "end", json_true());
    json_object_set_new(o, "cut", json_boolean(cut));
    send_record(results, o);
    fflush(NULL);
    _exit(code);
}
