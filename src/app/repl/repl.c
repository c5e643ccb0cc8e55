/* repl.c: interactive Lua. An expression prints its value; an unfinished line continues on the next. */
#include "repl/repl.h"

#include <stdlib.h>
#include <string.h>

enum { HANDLER = 1 };

typedef struct repl {
    const repl_host *host;
    repl_lines *lines;
    bool failed;
} repl;

/* ---- Evaluation -------------------------------------------------------------------------------------------------- */

static bool incomplete(lua_State *L, int status) {
    size_t size;
    const char *message = lua_tolstring(L, -1, &size);
    return status == LUA_ERRSYNTAX && size >= 5 && strcmp(message + size - 5, "<eof>") == 0;
}

typedef struct chunk {
    const char *source;
    size_t size;
    int status;
} chunk;

static int load_chunk(lua_State *L) {
    chunk *c = lua_touserdata(L, 1);
    lua_pushliteral(L, "return ");
    lua_pushlstring(L, c->source, c->size);
    lua_concat(L, 2);
    size_t whole;
    const char *expression = lua_tolstring(L, -1, &whole);
    c->status = luaL_loadbufferx(L, expression, whole, "=stdin", "t");
    if (c->status != LUA_OK) c->status = luaL_loadbufferx(L, c->source, c->size, "=stdin", "t");
    return 1;
}

/* Compiles `source`, as an expression if it is one. Pushes a function or a message; both may fail for lack of
 * memory. */
static int compile(lua_State *L, const char *source, size_t size) {
    chunk c = {source, size, LUA_OK};
    lua_pushcfunction(L, load_chunk);
    lua_pushlightuserdata(L, &c);
    int status = lua_pcall(L, 1, 1, 0);
    return status != LUA_OK ? status : c.status;
}

/* Pushes a value's text: for a table without __tostring, its contents. */
static const char *push_text(lua_State *L, int index, size_t *size) {
    if (!lua_istable(L, index) || lua_getmetatable(L, index)) return luaL_tolstring(L, index, size);
    app_push_function(L, "muslin.repl", "show");
    lua_pushvalue(L, index);
    lua_call(L, 1, 1);
    return lua_tolstring(L, -1, size);
}

static int print_values(lua_State *L) {
    int n = lua_gettop(L);
    for (int k = 1; k <= n; k++) {
        size_t size;
        const char *text = push_text(L, k, &size);
        if (k > 1) putchar('\t');
        fwrite(text, 1, size, stdout);
        lua_settop(L, n);
    }
    putchar('\n');
    return 0;
}

static void report_error(repl *r) {
    lua_State *L = r->host->scene->L;
    const char *message = lua_tostring(L, -1);
    app_error("%s", message ? message : "error object is not a string");
    r->failed = true;
}

/* Runs the function on top of the stack and prints what it returns. */
static void evaluate(repl *r) {
    lua_State *L = r->host->scene->L;
    int base = lua_gettop(L);
    if (lua_pcall(L, 0, LUA_MULTRET, HANDLER) != LUA_OK) {
        report_error(r);
    } else {
        int n = lua_gettop(L) - (base - 1);
        if (n > 0) {
            lua_pushcfunction(L, print_values);
            lua_insert(L, base);
            if (!lua_checkstack(L, 20) || lua_pcall(L, n, 0, HANDLER) != LUA_OK) report_error(r);
        }
    }
    fflush(stdout);
    lua_settop(L, base - 1);
}

/* The reference of the names after `:doc`, as `muslin doc` prints it. */
static void print_reference(repl *r, const char *names) {
    char *words = strdup(names), **list = words ? calloc(strlen(names) / 2 + 1, sizeof *list) : NULL;
    app_options options = {.command = "doc", .threads = -1, .paths = list};
    if (list)
        for (char *word = strtok(words, " \t\n"); word; word = strtok(NULL, " \t\n")) list[options.path_count++] = word;
    if (!list || app_doc(&options) != APP_OK) r->failed = true;
    app_guard_watch(r->host->scene->L); /* the reference is read in its own state, which the guard watched meanwhile */
    free(list);
    free(words);
}

/* Pushes the line and the window's table; `world` is a global, if it exists. */
static int run_command(lua_State *L) {
    app_push_repl(L, "run");
    lua_pushstring(L, lua_touserdata(L, 1));
    lua_pushvalue(L, 2);
    lua_call(L, 3, 1);
    return 1;
}

static int add_traceback(lua_State *L) {
    app_push_repl(L, "where");
    lua_call(L, 1, 1);
    return 1;
}

/* Calls the function below `arguments` values and prints its result. */
static void print_result(repl *r, int arguments) {
    lua_State *L = r->host->scene->L;
    if (lua_pcall(L, arguments, 1, 0) != LUA_OK)
        report_error(r);
    else if (lua_type(L, -1) == LUA_TSTRING)
        puts(lua_tostring(L, -1));
    lua_pop(L, 1);
}

static int push_window(lua_State *L) {
    const repl_host *host = lua_touserdata(L, 1);
    host->push_window(L, host->user);
    return 1;
}

static int read_orders(lua_State *L) {
    lua_getfield(L, 1, "step");
    lua_getfield(L, 1, "play");
    return 2;
}

static void command(repl *r, const char *source) {
    const repl_host *host = r->host;
    lua_State *L = host->scene->L;
    lua_pushnil(L);
    if (host->push_window) {
        lua_pushcfunction(L, push_window);
        lua_pushlightuserdata(L, (void *)host);
        if (lua_pcall(L, 1, 1, 0) != LUA_OK) report_error(r);
        lua_replace(L, -2);
    }
    int window = lua_gettop(L);
    lua_pushcfunction(L, run_command);
    lua_pushlightuserdata(L, (void *)source);
    lua_pushvalue(L, window);
    print_result(r, 2);
    if (lua_istable(L, window)) {
        int64_t frames = 0;
        int plays = -1;
        lua_pushcfunction(L, read_orders);
        lua_pushvalue(L, window);
        if (lua_pcall(L, 1, 2, 0) == LUA_OK) {
            frames = lua_tointeger(L, -2);
            if (!lua_isnil(L, -1)) plays = lua_toboolean(L, -1);
        }
        lua_settop(L, window);
        host->obey(host->user, frames, plays);
        lua_pushcfunction(L, add_traceback);
        if (frames > 0)
            print_result(r, 0);
        else
            lua_pop(L, 1);
    }
    fflush(stdout);
    lua_settop(L, window - 1);
}

static int is_unknown(lua_State *L) {
    lua_pushglobaltable(L);
    lua_pushstring(L, lua_touserdata(L, 1));
    lua_pushboolean(L, lua_rawget(L, -2) == LUA_TNIL);
    return 1;
}

/* Whether the source is this word and not a variable. */
static bool is_bare(repl *r, const char *source, const char *word) {
    if (strcmp(source, word) != 0) return false;
    lua_State *L = r->host->scene->L;
    if (!L) return true;
    lua_pushcfunction(L, is_unknown);
    lua_pushlightuserdata(L, (void *)word);
    bool unknown = lua_pcall(L, 1, 1, 0) != LUA_OK || lua_toboolean(L, -1);
    lua_pop(L, 1);
    return unknown;
}

/* Whether the source continues on the next line; otherwise runs it or prints its error. */
static bool run_source(repl *r, const char *source, size_t size) {
    lua_State *L = r->host->scene->L;
    if (!L) {
        app_error("there is no scene: its script failed; correct and save it, or leave with exit");
        r->failed = true;
        return false;
    }
    const char *text = is_bare(r, source, "help") ? ":help" : source + strspn(source, " \t");
    int status = LUA_OK;
    if (text[0] == ':' && text[1] != ':') {
        repl_lines_remember(r->lines, source);
        if (strncmp(text, ":doc", 4) == 0 && strchr(" \t\n", text[4])) /* including its end */
            print_reference(r, text + 4);
        else
            command(r, text);
    } else {
        status = compile(L, source, size);
        if (incomplete(L, status)) {
            lua_pop(L, 1);
            return true;
        }
        if (source[strspn(source, " \t\n")]) repl_lines_remember(r->lines, source);
        if (status == LUA_OK) {
            evaluate(r);
        } else {
            report_error(r);
            lua_pop(L, 1);
        }
    }
    if (r->host->ran) r->host->ran(r->host->user);
    return false;
}

/* Reads one statement or expression of any number of lines. False at the end of input. The state may change after
 * each line, so nothing of it is stored between lines. */
static bool step(repl *r) {
    char *source = NULL;
    size_t size = 0;
    bool more = true, continued = false;
    do {
        const char *line;
        size_t length;
        read_result result = repl_lines_read(r->lines, continued, &line, &length);
        if (result == READ_CANCELLED) break;
        if (result == READ_END) {
            more = false;
            lua_State *L = r->host->scene->L;
            if (continued && L && compile(L, source, size) != LUA_OK) report_error(r);
            if (continued && L) lua_pop(L, 1);
            break;
        }
        char *grown = realloc(source, size + length + 2);
        if (!grown) {
            app_error("no memory for the line");
            more = false;
            break;
        }
        source = grown;
        if (size > 0) source[size++] = '\n';
        memcpy(source + size, line, length);
        size += length;
        source[size] = '\0';
        if (is_bare(r, source, "exit") || is_bare(r, source, "quit")) {
            more = false;
            break;
        }
        continued = run_source(r, source, size);
    } while (continued);
    free(source);
    return more;
}

void app_repl_loop(const repl_host *host, bool *failed) {
    repl r = {.host = host, .lines = repl_lines_open(host)};
    if (r.lines) {
        while (step(&r)) {
        }
        repl_lines_close(r.lines);
    } else {
        app_error("no memory for the prompt");
        r.failed = true;
    }
    *failed = r.failed;
}

static int set_globals(lua_State *L) {
    app_push_module(L, "muslin");
    lua_setglobal(L, "muslin");
    if (lua_isnil(L, 1)) return 0;
    lua_pushvalue(L, 1);
    lua_setglobal(L, "world");
    app_push_function(L, "muslin.repl", "name_objects");
    lua_pushvalue(L, 1);
    lua_call(L, 1, 0);
    return 0;
}

bool app_repl_prepare(app_scene *scene) {
    lua_State *L = scene->L;
    lua_pushcfunction(L, set_globals);
    lua_pushnil(L);
    if (scene->world) lua_copy(L, scene->world_index, -1);
    if (lua_pcall(L, 1, 0, HANDLER) == LUA_OK) return true;
    const char *message = lua_tostring(L, -1);
    app_error("%s", message ? message : "error object is not a string");
    lua_pop(L, 1);
    return false;
}

/* ---- muslin repl ------------------------------------------------------------------------------------------------- */

static void last_words(void *user, app_stop why) {
    (void)user;
    (void)why;
    repl_lines_save();
}

int app_repl(const app_options *options) {
    app_scene scene = {0};
    bool failed = false;
    if (!app_guard_start(0, last_words, NULL)) {
        app_error("%s", mus_get_error_message());
        return APP_ERROR;
    }
    bool ok = options->scene ? app_scene_open(&scene, options) : app_state_open(&scene, options);
    if (!ok) app_error("%s", scene.error);
    ok = scene.L && (ok || app_repl_terminal()) && app_repl_prepare(&scene);
    if (ok && app_repl_terminal())
        printf("muslin %s, %s; `muslin` is the module%s. Tab completes, :help lists the commands, Ctrl-D leaves.\n",
               MUS_VERSION, LUA_RELEASE,
               scene.world ? ", `world` the scene's world, its objects have their names" : "");
    repl_host host = {.scene = &scene};
    if (ok) app_repl_loop(&host, &failed);
    int code = !ok || (failed && !app_repl_terminal()) ? APP_ERROR : APP_OK;
    if (app_guard_stopped() != APP_STOP_NONE) code = app_stop_exit_code(app_guard_stopped());
    app_scene_close(&scene);
    app_guard_end();
    return code;
}
