/* repl.h: the prompt for Lua: of `muslin repl`, and beside the preview window. */
#ifndef MUS_APP_REPL_H
#define MUS_APP_REPL_H

#include "host.h"

/* Environment of a prompt. */
typedef struct repl_host {
    app_scene *scene; /* its state may change in `wait`; without one nothing is evaluated */
    void *user;
    /* Called repeatedly, for some milliseconds each, while there is no input; false ends the prompt. NULL: the
     * prompt blocks. */
    bool (*wait)(void *user);
    /* Called after a statement or command, which may have changed or closed the world. NULL: none */
    void (*ran)(void *user);
    /* Pushes the table by which repl.lua reads the window's state and requests actions. NULL: no window */
    void (*push_window)(lua_State *L, void *user);
    /* Advances by `frames`, then plays (1), pauses (0) or leaves it unchanged (-1). Called after the command. */
    void (*obey)(void *user, int64_t frames, int plays);
} repl_host;

/* Sets the globals `muslin` and, if there is one, `world` of the scene's state. False: error printed. */
bool app_repl_prepare(app_scene *scene);
/* Reads and evaluates until the end of input, `exit`, or until `wait` is false. `failed`: whether a line raised an
 * error. */
void app_repl_loop(const repl_host *host, bool *failed);
/* Whether there is a terminal for line editing. */
bool app_repl_terminal(void);

/* ---- repl_line.c: where lines come from: a terminal, with editing, history and completion, or just standard input ---
 */

typedef struct repl_lines repl_lines;
typedef enum read_result { READ_LINE, READ_END, READ_CANCELLED } read_result;

repl_lines *repl_lines_open(const repl_host *host); /* NULL: no memory */
void repl_lines_close(repl_lines *lines);           /* keeps the history */
/* A line without its newline, valid until the next; `continued` selects the prompt. */
read_result repl_lines_read(repl_lines *lines, bool continued, const char **text, size_t *size);
void repl_lines_remember(repl_lines *lines, const char *source);
/* Call before other output: removes a line being edited from the terminal; it is redrawn below. */
void repl_lines_make_way(void);
void repl_lines_save(void); /* saves the history of an open prompt */

#endif
