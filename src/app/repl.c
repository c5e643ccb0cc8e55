/* repl.c: interactive Lua. An expression prints its value; an unfinished line continues on the next. */
#include "host.h"

#include <errno.h>
#include <histedit.h>
#include <limits.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HANDLER = 1, HISTORY_SIZE = 2000 };

typedef struct repl {
    app_scene scene;
    EditLine *edit; /* NULL without a terminal */
    History *history;
    char history_path[PATH_MAX];
    bool continued; /* for the prompt */
    bool failed;
    char *line; /* getline's, without a terminal */
    size_t line_capacity;
} repl;

/* ---- Lines
 * ---------------------------------------------------------------------------------------------------------------- */

static char *prompt(EditLine *edit) {
    repl *r = NULL;
    static char first[] = "muslin> ", further[] = "     >> ";
    el_get(edit, EL_CLIENTDATA, &r);
    return r->continued ? further : first;
}

static unsigned char complete(EditLine *edit, int key) {
    (void)key;
    repl *r = NULL;
    el_get(edit, EL_CLIENTDATA, &r);
    const LineInfo *line = el_line(edit);
    char *insert = app_complete(r->scene.L, line->buffer, (size_t)(line->cursor - line->buffer));
    if (!insert) return CC_ERROR;
    int result = *insert == '\n' ? CC_REDISPLAY : CC_REFRESH; /* a list was printed, the line is drawn anew */
    if (*insert != '\n' && el_insertstr(edit, insert) != 0) result = CC_ERROR;
    free(insert);
    return (unsigned char)result;
}

/* $MUSLIN_HISTORY, or history in the state folder of the user's; "" when there is no home. */
static void find_history(char path[PATH_MAX]) {
    const char *given = getenv("MUSLIN_HISTORY"), *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    char folder[PATH_MAX];
    path[0] = '\0';
    if (given) {
        snprintf(path, PATH_MAX, "%s", given);
        return;
    }
    if (state && *state) {
        snprintf(folder, sizeof folder, "%s", state);
    } else if (home && *home) {
        snprintf(folder, sizeof folder, "%s/.local", home);
        mkdir(folder, 0700);
        snprintf(folder, sizeof folder, "%s/.local/state", home);
    } else {
        return;
    }
    mkdir(folder, 0700);
    if (strlen(folder) > PATH_MAX - 32) return;
    size_t size = (size_t)snprintf(path, PATH_MAX, "%s/muslin", folder);
    mkdir(path, 0700);
    snprintf(path + size, PATH_MAX - size, "/history");
}

static void open_editor(repl *r) {
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) return;
    setlocale(LC_CTYPE, ""); /* for editing beyond ASCII; numbers stay in the C locale */
    r->edit = el_init("muslin", stdin, stdout, stderr);
    r->history = history_init();
    if (!r->edit || !r->history) {
        if (r->edit) el_end(r->edit);
        if (r->history) history_end(r->history);
        r->edit = NULL;
        r->history = NULL;
        return;
    }
    HistEvent event;
    find_history(r->history_path);
    history(r->history, &event, H_SETSIZE, HISTORY_SIZE);
    history(r->history, &event, H_SETUNIQUE, 1);
    if (*r->history_path) history(r->history, &event, H_LOAD, r->history_path);
    el_set(r->edit, EL_CLIENTDATA, r);
    el_set(r->edit, EL_PROMPT, prompt);
    el_set(r->edit, EL_EDITOR, "emacs");
    el_set(r->edit, EL_SIGNAL, 1);
    el_set(r->edit, EL_HIST, history, r->history);
    el_set(r->edit, EL_ADDFN, "muslin-complete", "completes a Lua name", complete);
    el_set(r->edit, EL_BIND, "^I", "muslin-complete", NULL);
    el_set(r->edit, EL_BIND, "^R", "em-inc-search-prev", NULL);
    el_source(r->edit, NULL);
}

static void save_history(repl *r) {
    HistEvent event;
    if (r->history && *r->history_path) history(r->history, &event, H_SAVE, r->history_path);
}

typedef enum read_result { READ_LINE, READ_END, READ_CANCELLED } read_result;

/* A line without its newline; owned by the repl or the editor until the next. */
static read_result read_line(repl *r, const char **text, size_t *size) {
    if (r->edit) {
        int n = 0;
        errno = 0;
        app_guard_idle(true);
        const char *line = el_gets(r->edit, &n);
        bool cancelled = !line && errno == EINTR;
        app_guard_idle(false);
        if (cancelled) {
            putchar('\n');
            el_reset(r->edit);
            return READ_CANCELLED;
        }
        if (!line || n <= 0) return READ_END;
        *text = line;
        *size = (size_t)n;
    } else {
        ssize_t n = getline(&r->line, &r->line_capacity, stdin);
        if (n < 0 || app_guard_stopped() != APP_STOP_NONE) return READ_END;
        *text = r->line;
        *size = (size_t)n;
    }
    while (*size > 0 && ((*text)[*size - 1] == '\n' || (*text)[*size - 1] == '\r')) --*size;
    return READ_LINE;
}

/* ---- Evaluation
 * ------------------------------------------------------------------------------------------------------------- */

static bool incomplete(lua_State *L, int status) {
    size_t size;
    const char *message = lua_tolstring(L, -1, &size);
    return status == LUA_ERRSYNTAX && size >= 5 && strcmp(message + size - 5, "<eof>") == 0;
}

/* Compiles `source`, as an expression if it is one. Pushes a function or a message. */
static int compile(lua_State *L, const char *source, size_t size) {
    lua_pushliteral(L, "return ");
    lua_pushlstring(L, source, size);
    lua_concat(L, 2);
    size_t whole;
    const char *expression = lua_tolstring(L, -1, &whole);
    int status = luaL_loadbufferx(L, expression, whole, "=stdin", "t");
    if (status != LUA_OK) {
        lua_pop(L, 1);
        status = luaL_loadbufferx(L, source, size, "=stdin", "t");
    }
    lua_remove(L, -2);
    return status;
}

static int print_values(lua_State *L) {
    int n = lua_gettop(L);
    for (int k = 1; k <= n; k++) {
        size_t size;
        const char *text = luaL_tolstring(L, k, &size);
        if (k > 1) putchar('\t');
        fwrite(text, 1, size, stdout);
        lua_pop(L, 1);
    }
    putchar('\n');
    return 0;
}

static void tell_error(repl *r) {
    lua_State *L = r->scene.L;
    const char *message = lua_tostring(L, -1);
    app_error("%s", message ? message : "error object is not a string");
    r->failed = true;
}

/* Runs the function on top of the stack and prints what it returns. */
static void evaluate(repl *r) {
    lua_State *L = r->scene.L;
    int base = lua_gettop(L);
    if (lua_pcall(L, 0, LUA_MULTRET, HANDLER) != LUA_OK) {
        tell_error(r);
    } else {
        int n = lua_gettop(L) - (base - 1);
        if (n > 0) {
            lua_pushcfunction(L, print_values);
            lua_insert(L, base);
            if (!lua_checkstack(L, 20) || lua_pcall(L, n, 0, HANDLER) != LUA_OK) tell_error(r);
        }
    }
    fflush(stdout);
    lua_settop(L, base - 1);
}

/* source: what a line that begins with a colon has to say; `world` is a global, if it is there. */
static int run_command(lua_State *L) {
    app_push_repl(L, "run");
    lua_pushvalue(L, 1);
    lua_call(L, 2, 1);
    return 1;
}

static void command(repl *r, const char *source) {
    lua_State *L = r->scene.L;
    lua_pushcfunction(L, run_command);
    lua_pushstring(L, source);
    if (lua_pcall(L, 1, 1, 0) != LUA_OK)
        tell_error(r);
    else
        puts(lua_tostring(L, -1));
    fflush(stdout);
    lua_pop(L, 1);
}

static bool wants_to_leave(repl *r, const char *source) {
    if (strcmp(source, "exit") != 0 && strcmp(source, "quit") != 0) return false;
    lua_State *L = r->scene.L;
    lua_pushglobaltable(L);
    lua_pushstring(L, source);
    bool unknown = lua_rawget(L, -2) == LUA_TNIL;
    lua_pop(L, 2);
    return unknown;
}

/* One statement or expression, over as many lines as it takes. False at the end of input. */
static bool step(repl *r) {
    lua_State *L = r->scene.L;
    char *source = NULL;
    size_t size = 0;
    bool more = true;
    r->continued = false;
    for (;;) {
        const char *line;
        size_t length;
        read_result result = read_line(r, &line, &length);
        if (result == READ_CANCELLED) break;
        if (result == READ_END) {
            more = false;
            if (!r->continued) break;
            tell_error(r); /* the message of the unfinished source, still on the stack */
            lua_pop(L, 1);
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
        if (wants_to_leave(r, source)) {
            more = false;
            break;
        }
        if (!r->continued && source[strspn(source, " \t")] == ':' && source[strspn(source, " \t") + 1] != ':') {
            HistEvent event;
            if (r->history) history(r->history, &event, H_ENTER, source);
            command(r, source + strspn(source, " \t"));
            break;
        }
        if (r->continued) lua_pop(L, 1);
        int status = compile(L, source, size);
        r->continued = incomplete(L, status);
        if (r->continued) continue;
        HistEvent event;
        if (r->history && source[strspn(source, " \t\n")]) history(r->history, &event, H_ENTER, source);
        if (status == LUA_OK) {
            evaluate(r);
        } else {
            tell_error(r);
            lua_pop(L, 1);
        }
        break;
    }
    free(source);
    return more;
}

static void last_words(void *user, app_stop why) {
    (void)why;
    save_history(user);
}

static bool open_state(repl *r, const app_options *options) {
    bool ok = options->scene ? app_scene_open(&r->scene, options) : app_state_open(&r->scene, options);
    if (!ok) app_error("%s", r->scene.error);
    lua_State *L = r->scene.L;
    if (!L || (!ok && !r->edit)) return false;
    lua_getglobal(L, "require");
    lua_pushliteral(L, "muslin");
    if (lua_pcall(L, 1, 1, HANDLER) != LUA_OK) {
        tell_error(r);
        return false;
    }
    lua_setglobal(L, "muslin");
    if (r->scene.world) {
        lua_pushvalue(L, r->scene.world_index);
        lua_setglobal(L, "world");
    }
    return true;
}

int app_repl(const app_options *options) {
    repl *r = calloc(1, sizeof *r);
    if (!r || !app_guard_start(0, last_words, r)) {
        app_error("%s", r ? mus_error_message() : "no memory");
        free(r);
        return APP_ERROR;
    }
    open_editor(r);
    bool ok = open_state(r, options);
    if (ok && r->edit)
        printf("muslin %s, %s; `muslin` is the module%s. Tab completes, :help tells commands, Ctrl-D leaves.\n",
               MUS_VERSION, LUA_RELEASE, r->scene.world ? ", `world` the scene's world" : "");
    while (ok && step(r)) {
    }
    int code = !ok || (r->failed && !r->edit) ? APP_ERROR : APP_OK;
    if (app_guard_stopped() != APP_STOP_NONE) code = app_stop_exit_code(app_guard_stopped());
    save_history(r);
    if (r->edit) {
        putchar('\n');
        el_end(r->edit);
        history_end(r->history);
    }
    app_scene_close(&r->scene);
    app_guard_end();
    free(r->line);
    free(r);
    return code;
}
