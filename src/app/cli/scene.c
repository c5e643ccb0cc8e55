/* scene.c: a script, its Lua state and the world it returned, for every command that plays scenes. */
#include "host.h"

#include <stdlib.h>
#include <string.h>

enum { HANDLER = 1, WORLD = 2 }; /* stack slots valid as long as the state */
#define KIT MUS_LUA_KIT

void app_scene_set_error(app_scene *scene, const char *message) {
    char *copy = message ? strdup(message) : NULL;
    if (message && !copy) { /* the error is reported all the same */
        snprintf(scene->spare, sizeof scene->spare, "%s", message);
        copy = scene->spare;
    }
    if (scene->error != scene->spare) free(scene->error);
    scene->error = copy;
}

static bool fail(app_scene *scene, const char *message) {
    app_scene_set_error(scene, message ? message : "out of memory; the message of the error was lost");
    return false;
}

/* The length of "FILE:LINE: " at the beginning of a message, 0 without it. */
static size_t position_length(const char *message) {
    const char *mark = message;
    while ((mark = strchr(mark, ':')) && mark < message + strcspn(message, "\n")) {
        size_t digits = strspn(++mark, "0123456789");
        if (digits > 0 && mark[digits] == ':' && mark[digits + 1] == ' ') return (size_t)(mark - message) + digits + 2;
    }
    return 0;
}

/* The message of a scene of muslin's own, without its lines: they are not the user's. NULL: no memory. */
static char *plain(const app_scene *scene, const char *message) {
    message += position_length(message);
    size_t title = strlen(scene->title);
    if (strncmp(message, scene->title, title) == 0 && strncmp(message + title, ": ", 2) == 0) message += title + 2;
    const char *end = strstr(message, "\nstack traceback:");
    return app_format("%.*s", (int)(end ? (size_t)(end - message) : strlen(message)), message);
}

/* Pops the error value. Adds the script's name and the present frame, if any, to messages without a line of the
 * script. */
static bool fail_lua(app_scene *scene, int64_t frame) {
    const char *message = lua_tostring(scene->L, -1);
    if (!message) message = "error object is not a string";
    char *own = scene->title ? plain(scene, message) : NULL;
    if (own) message = own;
    char *limit = strstr(message, "not enough memory") && mus_lua_sandbox_out_of_memory(scene->L)
                      ? app_format("%s\nthe memory of Lua is limited to %.6g MB here (option --memory-limit)", message,
                                   scene->memory_limit)
                      : NULL;
    if (limit) message = limit;
    const char *name = scene->title ? scene->title : scene->path;
    char *whole = (!scene->title && position_length(message) > 0) || !name ? NULL
                  : frame >= 0 ? app_format("%s: frame %lld: %s", name, (long long)frame, message)
                               : app_format("%s: %s", name, message);
    fail(scene, whole ? whole : message);
    free(whole);
    free(limit);
    free(own);
    lua_pop(scene->L, 1);
    return false;
}

static int start_world(lua_State *L) {
    mus_lua_world_start(L, 1);
    return 0;
}

static int run_frame(lua_State *L) {
    mus_lua_world_frame(L, 1);
    return 0;
}

static int finish_world(lua_State *L) {
    mus_lua_world_finish(L, 1);
    return 0;
}

static bool call_world(app_scene *scene, lua_CFunction function, int64_t frame) {
    lua_State *L = scene->L;
    lua_pushcfunction(L, function);
    lua_pushvalue(L, WORLD);
    int status = lua_pcall(L, 1, 0, HANDLER);
    scene->world = mus_lua_test_world(L, WORLD); /* a hook may have closed it */
    return status == LUA_OK || fail_lua(scene, frame);
}

/* Options of the command line override the script's world. */
static void set_overrides(lua_State *L, const app_options *options) {
    lua_createtable(L, 0, 3);
    if (options->pipeline) {
        lua_pushstring(L, options->pipeline);
        lua_setfield(L, -2, "pipeline");
    }
    if (options->seed_given) {
        lua_pushinteger(L, (lua_Integer)options->seed);
        lua_setfield(L, -2, "seed");
    }
    if (options->threads >= 0) {
        lua_pushinteger(L, options->threads);
        lua_setfield(L, -2, "threads");
    }
    bool plays = strcmp(options->command, "run") == 0 || strcmp(options->command, "view") == 0;
    if (plays) { /* also the cases of sweeps */
        lua_pushboolean(L, true);
        lua_setfield(L, -2, "sleep_default");
    }
    if (options->no_sleep) {
        lua_pushboolean(L, false);
        lua_setfield(L, -2, "sleep");
    }
    lua_setfield(L, LUA_REGISTRYINDEX, MUS_LUA_OVERRIDES);
}

/* `arg` as in the lua command: arg[0] the script, arg[1]… the words after `--`. */
static void set_arguments(lua_State *L, const app_options *options) {
    lua_createtable(L, options->script_arg_count, 1);
    lua_pushstring(L, options->scene);
    lua_rawseti(L, -2, 0);
    for (int k = 0; k < options->script_arg_count; k++) {
        lua_pushstring(L, options->script_args[k]);
        lua_rawseti(L, -2, k + 1);
    }
    lua_setglobal(L, "arg");
}

static int prepare(lua_State *L) {
    const app_options *options = lua_touserdata(L, 1);
    set_overrides(L, options);
    set_arguments(L, options);
    return 0;
}

/* Pushes the arguments and calls the function below them on the stack. */
static bool call_with_arguments(app_scene *scene, const app_options *options) {
    lua_State *L = scene->L;
    if (!lua_checkstack(L, options->script_arg_count + 8)) return fail(scene, "too many script arguments");
    for (int k = 0; k < options->script_arg_count; k++) lua_pushstring(L, options->script_args[k]);
    return lua_pcall(L, options->script_arg_count, 1, HANDLER) == LUA_OK || fail_lua(scene, -1);
}

bool app_state_open(app_scene *scene, const app_options *options) {
    memset(scene, 0, sizeof *scene);
    scene->path = options->scene;
    scene->title = options->title;
    scene->memory_limit = options->memory_limit;
    scene->may_keep_world = strcmp(options->command, "repl") == 0;
    if (!app_scripts_path()) {
        const char *given = getenv("MUSLIN_SCRIPTS");
        return fail(scene, given && *given ? "the folder in MUSLIN_SCRIPTS does not exist"
                                           : "muslin's own Lua files were not found beside the program; name their "
                                             "folder in MUSLIN_SCRIPTS");
    }
    mus_lua_sandbox sandbox = {0};
    sandbox.trusted = options->trusted;
    sandbox.script_path = options->scene;
    sandbox.scripts_path = app_scripts_path();
    sandbox.memory_limit = app_bytes(options->memory_limit);
    /* for tests --out is the folder of failed states */
    sandbox.output = strcmp(options->command, "test") == 0 ? NULL : options->out;
    /* The words of a case come from a file, and permit no access to files. */
    sandbox.arguments = options->sweep_case ? options->granted : options->script_args;
    sandbox.argument_count = options->sweep_case ? options->granted_count : options->script_arg_count;
    sandbox.time_limit = options->time_limit;
    sandbox.seed = options->seed_given ? options->seed : 1;
    sandbox.update_golden = options->update_golden;
    lua_State *L = scene->L = mus_lua_sandbox_open(&sandbox);
    if (!L) return fail(scene, "no memory for a Lua state");
    app_guard_watch(L);

    lua_settop(L, 0);
    lua_pushcfunction(L, mus_lua_traceback);
    lua_pushnil(L);
    lua_pushcfunction(L, prepare);
    lua_pushlightuserdata(L, (void *)options);
    return lua_pcall(L, 1, 0, HANDLER) == LUA_OK || fail_lua(scene, -1);
}

void app_push_module(lua_State *L, const char *module) {
    lua_getglobal(L, "require");
    lua_pushstring(L, module);
    lua_call(L, 1, 1);
}

void app_push_function(lua_State *L, const char *module, const char *function) {
    app_push_module(L, module);
    lua_getfield(L, -1, function);
    lua_remove(L, -2);
}

/* Returns whether the preset on top detects collisions in each stable substep. */
static bool detects_in_substeps(lua_State *L) {
    if (!lua_istable(L, -1)) return false;
    bool stable = lua_getfield(L, -1, "collision_step") == LUA_TSTRING && strcmp(lua_tostring(L, -1), "stable") == 0;
    lua_pop(L, 1);
    return stable;
}

/* (all: boolean): the names of the presets, in order. */
static int list_pipelines(lua_State *L) {
    bool all = lua_toboolean(L, 1);
    lua_settop(L, 0);
    app_push_module(L, "muslin.pipelines");
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_newtable(L);
    lua_Integer count = 0;
    for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) {
        if (lua_type(L, -2) != LUA_TSTRING || (!all && detects_in_substeps(L))) continue;
        lua_pushvalue(L, -2);
        lua_rawseti(L, 2, ++count);
    }
    lua_getglobal(L, "table");
    lua_getfield(L, -1, "sort");
    lua_pushvalue(L, 2);
    lua_call(L, 1, 0);
    lua_settop(L, 2);
    return 1;
}

void app_names_free(char **names) {
    for (char **name = names; name && *name; name++) free(*name);
    free(names);
}

char **app_pipeline_names(bool all) {
    app_options options = {.command = "run", .threads = -1};
    app_scene scene;
    char **names = NULL;
    bool ok = app_state_open(&scene, &options);
    if (ok) {
        lua_pushcfunction(scene.L, list_pipelines);
        lua_pushboolean(scene.L, all);
        ok = lua_pcall(scene.L, 1, 1, HANDLER) == LUA_OK || fail_lua(&scene, -1);
    }
    if (ok) {
        size_t count = (size_t)lua_rawlen(scene.L, -1);
        names = calloc(count + 1, sizeof *names);
        for (size_t k = 0; ok && k < count; k++) {
            lua_rawgeti(scene.L, -1, (lua_Integer)k + 1);
            ok = names && (names[k] = strdup(lua_tostring(scene.L, -1)));
            lua_pop(scene.L, 1);
        }
        ok = (ok && names) || fail(&scene, "no memory for the names of pipelines");
    }
    if (!ok) {
        app_error("%s", scene.error);
        app_names_free(names);
        names = NULL;
    }
    app_scene_close(&scene);
    return names;
}

int app_pipeline_check(const char *option, const char *name) {
    char **names = app_pipeline_names(true);
    if (!names) return APP_ERROR;
    int code = APP_USAGE;
    for (char **known = names; *known; known++)
        if (strcmp(*known, name) == 0) code = -1;
    if (code >= 0) {
        const char *nearest = mus_lua_nearest(name, (const char *const *)names);
        app_error("option '--%s': unknown pipeline '%s'%s%s%s; muslin doc lists the presets", option, name,
                  nearest ? " (did you mean '" : "", nearest ? nearest : "", nearest ? "'?)" : "");
    }
    app_names_free(names);
    return code;
}

/* world, path: applies the response that the file returns to the world's contacts. */
static int add_rule(lua_State *L) {
    if (mus_lua_sandbox_load(L, lua_tostring(L, 2)) != LUA_OK) return lua_error(L);
    lua_call(L, 0, 1);
    if (!mus_lua_test_world(L, 1)) return luaL_error(L, "the scene returns no world for this rule");
    if (lua_isfunction(L, 3) || luaL_testudata(L, 3, "muslin.rule")) {
        lua_createtable(L, 0, 1);
        lua_insert(L, 3);
        lua_setfield(L, 3, "rule");
    } else if (!lua_istable(L, 3) && !luaL_testudata(L, 3, "muslin.response")) {
        const char *seen = mus_lua_describe(L, 3);
        return luaL_error(L,
                          "it must return a rule (a function or muslin.rule), a muslin.response or its options "
                          "(got %s)",
                          seen);
    }
    lua_getfield(L, 1, "respond");
    lua_insert(L, 3);
    lua_pushvalue(L, 1);
    lua_insert(L, 4);
    lua_call(L, 2, 0);
    return 0;
}

/* The world is on top, and stays there. Errors are attributed to the file, not to the scene. */
static bool take_rule(app_scene *scene, const char *path) {
    lua_State *L = scene->L;
    lua_pushcfunction(L, add_rule);
    lua_pushvalue(L, -2);
    lua_pushstring(L, path);
    if (lua_pcall(L, 2, 0, HANDLER) == LUA_OK) return true;
    const char *scene_path = scene->path;
    scene->path = path;
    fail_lua(scene, -1);
    scene->path = scene_path;
    return false;
}

bool app_scene_take_world(app_scene *scene, int index) {
    lua_State *L = scene->L;
    if (lua_isnoneornil(L, index)) {
        const char *idle = scene->may_keep_world ? "" : mus_lua_sandbox_idle_world(L);
        if (!*idle) return true;
        char *text =
            app_format("%s: the script makes a world and does not return it, so there is nothing to simulate; end it "
                       "with: return world (a script that simulates its world itself steps or closes it)",
                       idle);
        fail(scene, text);
        free(text);
        return false;
    }
    mus_world *world = mus_lua_test_world(L, index);
    if (!world) {
        char *text = app_format(
            "%s: the script must return its world, a function that returns one, or nothing (got a %s)", scene->path,
            lua_isuserdata(L, index) ? "closed world or another object" : luaL_typename(L, index));
        fail(scene, text);
        free(text);
        return false;
    }
    const mus_world_def *def = mus_world_get_def(world);
    lua_pushvalue(L, index);
    lua_replace(L, WORLD);
    scene->world_index = WORLD;
    scene->world = world;
    scene->fps = def->fps;
    scene->duration = def->duration;
    if (!call_world(scene, start_world, -1)) return false;
    scene->stopped = mus_lua_world_take_stop(L, WORLD);
    return true;
}

bool app_scene_run_script(app_scene *scene, const app_options *options) {
    lua_State *L = scene->L;
    if (mus_lua_sandbox_load(L, options->scene) != LUA_OK) return fail_lua(scene, -1);
    if (!call_with_arguments(scene, options)) return false;
    return !lua_isfunction(L, -1) || call_with_arguments(scene, options);
}

bool app_scene_open(app_scene *scene, const app_options *options) {
    if (!app_state_open(scene, options) || !app_scene_run_script(scene, options)) return false;
    if (options->rule && !take_rule(scene, options->rule)) return false;
    bool ok = app_scene_take_world(scene, lua_gettop(scene->L));
    lua_settop(scene->L, WORLD);
    return ok;
}

/* The kit is loaded when a script first uses it, so without it there are no scenarios. */
static int kit_list(lua_State *L) {
    lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    if (lua_getfield(L, -1, KIT) != LUA_TTABLE) {
        lua_newtable(L);
        return 1;
    }
    if (lua_toboolean(L, 1)) {
        lua_pushvalue(L, 1);
        lua_setfield(L, -2, "seed");
    }
    if (lua_getfield(L, -1, "list") != LUA_TTABLE) return luaL_error(L, KIT ": its field 'list' is no table");
    return 1;
}

bool app_kit_push_list(app_scene *scene, const app_options *options) {
    lua_pushcfunction(scene->L, kit_list);
    if (options->seed_given)
        lua_pushinteger(scene->L, (lua_Integer)(options->seed & INT64_MAX));
    else
        lua_pushboolean(scene->L, false);
    return lua_pcall(scene->L, 1, 1, HANDLER) == LUA_OK || fail_lua(scene, -1);
}

static int kit_together(lua_State *L) {
    lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_getfield(L, -1, KIT);
    lua_getfield(L, -1, "one_process");
    return 1;
}

bool app_kit_together(app_scene *scene) {
    lua_pushcfunction(scene->L, kit_together);
    bool together = lua_pcall(scene->L, 0, 1, 0) == LUA_OK && lua_toboolean(scene->L, -1);
    lua_pop(scene->L, 1);
    return together;
}

bool app_scene_check_failed(const app_scene *scene) {
    if (!scene->error) return false;
    const char *mark = strstr(scene->error, MUS_LUA_CHECK_MARK);
    return mark && mark < scene->error + strcspn(scene->error, "\n");
}

int app_scene_outcome(const app_scene *scene, bool ok, bool finished, const char **word) {
    app_stop stop = finished ? APP_STOP_NONE : app_guard_stopped();
    lua_State *L = scene->L;
    if (stop == APP_STOP_NONE && !ok && L && mus_lua_sandbox_timed_out(L)) stop = APP_STOP_TIME_LIMIT;
    if (stop != APP_STOP_NONE) {
        *word = stop == APP_STOP_TIME_LIMIT ? "time limit" : stop == APP_STOP_INTERRUPT ? "interrupted" : "terminated";
        return app_stop_exit_code(stop);
    }
    bool check = !ok && app_scene_check_failed(scene);
    *word = ok ? "finished" : check ? "check failed" : "error";
    return ok ? APP_OK : check ? APP_CHECK_FAILED : APP_ERROR;
}

bool app_scene_frame(app_scene *scene) {
    if (!scene->world) return fail(scene, "the script has closed its world");
    if (!call_world(scene, run_frame, scene->frame + 1)) return false;
    scene->frame++;
    scene->stopped = mus_lua_world_take_stop(scene->L, WORLD);
    return scene->world || fail(scene, "the script has closed its world");
}

bool app_scene_is_over(const app_scene *scene, int64_t last_frame) {
    return scene->frame >= last_frame || scene->stopped;
}

bool app_scene_finish(app_scene *scene) {
    return !scene->world || call_world(scene, finish_world, -1);
}

int64_t app_scene_frames(const app_scene *scene, const app_options *options) {
    if (options->frames >= 0) return options->frames;
    double seconds = options->seconds >= 0 ? options->seconds : scene->duration;
    double frames = seconds * scene->fps - 1e-6; /* 5 s at 60 a second are 300 frames, regardless of rounding */
    if (frames > 1e15) return (int64_t)1e15;
    return frames <= 0 ? 0 : (int64_t)frames + ((double)(int64_t)frames < frames);
}

void app_scene_close(app_scene *scene) {
    if (scene->L) {
        app_guard_watch(NULL);
        mus_lua_sandbox_close(scene->L);
    }
    app_scene_set_error(scene, NULL);
    memset(scene, 0, sizeof *scene);
}
