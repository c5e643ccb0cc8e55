/* scene.c: a script, its Lua state and the world it returned, for every command that plays scenes. */
#include "host.h"

#include <stdlib.h>
#include <string.h>

enum { HANDLER = 1, WORLD = 2 }; /* stack slots that live as long as the state */
#define KIT MUS_LUA_KIT

static const size_t TEST_MEMORY = (size_t)1 << 30; /* bytes Lua may hold in a test */

static bool fail(app_scene *scene, const char *message) {
    free(scene->error);
    scene->error = strdup(message ? message : "unknown error");
    return false;
}

/* Whether a message opens with "FILE:LINE: ". */
static bool has_position(const char *message) {
    const char *mark = message;
    while ((mark = strchr(mark, ':')) && mark < message + strcspn(message, "\n")) {
        size_t digits = strspn(++mark, "0123456789");
        if (digits > 0 && mark[digits] == ':') return true;
    }
    return false;
}

/* Takes the error value off the stack. What comes from no line of the script is at least told with its name, and with
 * the frame under way when there is one. */
static bool fail_lua(app_scene *scene, int64_t frame) {
    const char *message = lua_tostring(scene->L, -1);
    if (!message) message = "error object is not a string";
    char *whole = has_position(message) || !scene->path ? NULL
                  : frame >= 0 ? app_format("%s: frame %lld: %s", scene->path, (long long)frame, message)
                               : app_format("%s: %s", scene->path, message);
    fail(scene, whole ? whole : message);
    free(whole);
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

/* What the command line says about the world beats the script. */
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
    lua_setfield(L, LUA_REGISTRYINDEX, MUS_LUA_OVERRIDES);
}

/* `arg` as in the lua command: arg[0] the script, arg[1]… what follows `--`. */
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

/* Pushes the arguments and calls what is below them on the stack. */
static bool call_with_arguments(app_scene *scene, const app_options *options) {
    lua_State *L = scene->L;
    if (!lua_checkstack(L, options->script_arg_count + 8)) return fail(scene, "too many script arguments");
    for (int k = 0; k < options->script_arg_count; k++) lua_pushstring(L, options->script_args[k]);
    return lua_pcall(L, options->script_arg_count, 1, HANDLER) == LUA_OK || fail_lua(scene, -1);
}

bool app_state_open(app_scene *scene, const app_options *options) {
    memset(scene, 0, sizeof *scene);
    scene->path = options->scene;
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
    sandbox.memory_limit = strcmp(options->command, "test") == 0 ? TEST_MEMORY : 0;
    sandbox.time_limit = options->time_limit;
    sandbox.seed = options->seed_given ? options->seed : 1;
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

/* {nearest name or nil} of the presets when the pipeline is none of them, else nothing. */
static int check_pipeline(lua_State *L) {
    const char *wanted = lua_tostring(L, 1);
    lua_getglobal(L, "require");
    lua_pushliteral(L, "muslin.pipelines");
    lua_call(L, 1, 1);
    luaL_checktype(L, 2, LUA_TTABLE);
    if (lua_getfield(L, 2, wanted) != LUA_TNIL) return 0;
    lua_Integer count = 0;
    lua_newtable(L); /* 4: keeps the names in place */
    for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1)) {
        if (lua_type(L, -2) != LUA_TSTRING) continue;
        lua_pushvalue(L, -2);
        lua_rawseti(L, 4, ++count);
    }
    const char **names = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *names, 0);
    for (lua_Integer k = 1; k <= count; k++) {
        lua_rawgeti(L, 4, k);
        names[k - 1] = lua_tostring(L, -1);
        lua_pop(L, 1);
    }
    names[count] = NULL;
    lua_pushstring(L, mus_lua_nearest(wanted, names)); /* nil for NULL */
    return 1;
}

int app_pipeline_check(const char *name) {
    app_options options = {.command = "run", .threads = -1};
    app_scene scene;
    int code = -1;
    if (!app_state_open(&scene, &options)) {
        app_error("%s", scene.error);
        code = APP_ERROR;
    } else {
        lua_State *L = scene.L;
        int top = lua_gettop(L);
        lua_pushcfunction(L, check_pipeline);
        lua_pushstring(L, name);
        if (lua_pcall(L, 1, LUA_MULTRET, HANDLER) != LUA_OK) {
            app_error("%s", lua_tostring(L, -1));
            code = APP_ERROR;
        } else if (lua_gettop(L) > top) {
            const char *nearest = lua_tostring(L, -1);
            app_error("option '--pipeline': unknown pipeline '%s'%s%s%s; muslin doc lists the presets", name,
                      nearest ? " (did you mean '" : "", nearest ? nearest : "", nearest ? "'?)" : "");
            code = APP_USAGE;
        }
    }
    app_scene_close(&scene);
    return code;
}

bool app_scene_take_world(app_scene *scene, int index) {
    lua_State *L = scene->L;
    if (lua_isnoneornil(L, index)) return true;
    mus_world *world = mus_lua_test_world(L, index);
    if (!world) {
        char *text =
            app_format("%s: the script must return its world, a function that returns one, or nothing (got %s %s)",
                       scene->path, lua_isuserdata(L, index) ? "a closed world or" : "a", luaL_typename(L, index));
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
    return call_world(scene, start_world, -1);
}

bool app_scene_run_script(app_scene *scene, const app_options *options) {
    lua_State *L = scene->L;
    if (mus_lua_sandbox_load(L, options->scene) != LUA_OK) return fail_lua(scene, -1);
    if (!call_with_arguments(scene, options)) return false;
    return !lua_isfunction(L, -1) || call_with_arguments(scene, options);
}

bool app_scene_open(app_scene *scene, const app_options *options) {
    if (!app_state_open(scene, options) || !app_scene_run_script(scene, options)) return false;
    bool ok = app_scene_take_world(scene, lua_gettop(scene->L));
    lua_settop(scene->L, WORLD);
    return ok;
}

/* The kit is loaded when a script first uses it: a script that has not holds no scenarios. */
static int kit_list(lua_State *L) {
    lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    if (lua_getfield(L, -1, KIT) != LUA_TTABLE) {
        lua_newtable(L);
    } else if (lua_getfield(L, -1, "list") != LUA_TTABLE) {
        return luaL_error(L, KIT ": its field 'list' is no table");
    }
    return 1;
}

bool app_kit_push_list(app_scene *scene) {
    lua_pushcfunction(scene->L, kit_list);
    return lua_pcall(scene->L, 0, 1, HANDLER) == LUA_OK || fail_lua(scene, -1);
}

bool app_scene_check_failed(const app_scene *scene) {
    if (!scene->error) return false;
    const char *mark = strstr(scene->error, MUS_LUA_CHECK_MARK);
    return mark && mark < scene->error + strcspn(scene->error, "\n");
}

bool app_scene_frame(app_scene *scene) {
    if (!scene->world) return fail(scene, "the script has closed its world");
    if (!call_world(scene, run_frame, scene->frame + 1)) return false;
    scene->frame++;
    return scene->world || fail(scene, "the script has closed its world");
}

bool app_scene_finish(app_scene *scene) {
    return !scene->world || call_world(scene, finish_world, -1);
}

int64_t app_scene_frames(const app_scene *scene, const app_options *options) {
    if (options->frames >= 0) return options->frames;
    double seconds = options->seconds >= 0 ? options->seconds : scene->duration;
    double frames = seconds * scene->fps - 1e-6; /* 5 s at 60 a second are 300 frames, whatever 5 * 60 rounds to */
    if (frames > 1e15) return (int64_t)1e15;
    return frames <= 0 ? 0 : (int64_t)frames + ((double)(int64_t)frames < frames);
}

void app_scene_close(app_scene *scene) {
    if (scene->L) {
        app_guard_watch(NULL);
        mus_lua_sandbox_close(scene->L);
    }
    free(scene->error);
    memset(scene, 0, sizeof *scene);
}
