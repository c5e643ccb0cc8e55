/* repl.h: the prompt for Lua: of `muslin repl`, and beside the preview window. */
#ifndef MUS_APP_REPL_H
#define MUS_APP_REPL_H

#include "host.h"

/* What a prompt stands in. */
typedef struct repl_host {
    app_scene *scene; /* its state may be another one after `wait`; none: nothing is evaluated */
    void *user;
    /* Called again and again, for some milliseconds each, while no input waits; false: there is nothing more to read
     * lines for. NULL: the prompt just waits. */
    bool (*wait)(void *user);
    void (*ran)(void *user); /* a statement or command has run: the world may be another, or closed. NULL: none */
    /* Pushes the table in which repl.lua finds what the window knows, and leaves what is to be done. NULL: no window */
    void (*push_window)(lua_State *L, void *user);
    /* So many frames further; then whether it plays: 1, 0, or -1 for as it is. Called after the command. */
    void (*obey)(void *user, int64_t frames, int plays);
} repl_host;

/* Makes `muslin` and, where there is one, `world` globals of the scene's state. False: told. */
bool app_repl_prepare(app_scene *scene);
/* Reads and evaluates until the end of input, `exit`, or until `wait` is false. `failed`: something raised. */
void app_repl_loop(const repl_host *host, bool *failed);
/* There is a terminal to edit lines in. */
bool app_repl_terminal(void);

/* ---- repl_line.c: where lines come from: a terminal, with editing, history and completion, or just standard input ---
 */

typedef struct repl_lines repl_lines;
typedef enum read_result { READ_LINE, READ_END, READ_CANCELLED } read_result;

repl_lines *repl_lines_open(const repl_host *host); /* NULL: no memory */
void repl_lines_close(repl_lines *lines);           /* keeps the history */
/* A line without its newline, until the next; `continued` for the prompt. */
read_result repl_lines_read(repl_lines *lines, bool continued, const char **text, size_t *size);
void repl_lines_remember(repl_lines *lines, const char *source);
/* Something else is to be printed: takes a line that is being edited off the terminal; it is drawn anew below. */
void repl_lines_make_way(void);
void repl_lines_save(void); /* the history of those that are open, if any are */

#endif
