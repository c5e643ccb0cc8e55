/* repl_line.c: input lines of the prompt. In a terminal libedit reads one character after the other; a window beside
 * it is updated while there is none. */
#include "repl/repl.h"

#include <errno.h>
#include <histedit.h>
#include <limits.h>
#include <locale.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

enum { HISTORY_SIZE = 2000, BLOCK = 4096 };

struct repl_lines {
    const repl_host *host;
    EditLine *edit; /* NULL without a terminal */
    History *history;
    char history_path[PATH_MAX];
    bool continued; /* for the prompt */
    bool ended;     /* `wait` was false */
    bool editing;   /* a line is shown on the terminal */
    bool disturbed; /* and other output was printed over it */
    char *input;    /* input read without a terminal */
    size_t start, size, capacity;
};

static repl_lines *open_lines; /* the only one */

bool app_repl_terminal(void) {
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

static char *prompt(EditLine *edit) {
    repl_lines *r = NULL;
    static char first[] = "muslin> ", further[] = "     >> ";
    el_get(edit, EL_CLIENTDATA, &r);
    return r->continued ? further : first;
}

static unsigned char complete(EditLine *edit, int key) {
    (void)key;
    repl_lines *r = NULL;
    el_get(edit, EL_CLIENTDATA, &r);
    const LineInfo *line = el_line(edit);
    char *insert =
        r->host->scene->L ? app_complete(r->host->scene->L, line->buffer, (size_t)(line->cursor - line->buffer)) : NULL;
    if (!insert) return CC_ERROR;
    int result = *insert == '\n' ? CC_REDISPLAY : CC_REFRESH; /* a list was printed, redraw the line */
    if (*insert != '\n' && el_insertstr(edit, insert) != 0) result = CC_ERROR;
    free(insert);
    return (unsigned char)result;
}

/* ---- History ----------------------------------------------------------------------------------------------------- */

/* $MUSLIN_HISTORY, or history in the user's state folder; "" without a home folder. */
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

void repl_lines_make_way(void) {
    if (!open_lines || !open_lines->editing) return;
    if (!open_lines->disturbed) fputs("\r\033[K", stderr);
    open_lines->disturbed = true;
}

void repl_lines_remember(repl_lines *r, const char *source) {
    HistEvent event;
    if (r->history) history(r->history, &event, H_ENTER, source);
}

void repl_lines_save(void) {
    HistEvent event;
    repl_lines *r = open_lines;
    if (r && r->history && *r->history_path) history(r->history, &event, H_SAVE, r->history_path);
}

/* ---- Waiting beside a window
 * -----------------------------------------------------------------------------------------
 */

static bool input_waits(void) {
    struct pollfd fd = {STDIN_FILENO, POLLIN, 0};
    return poll(&fd, 1, 0) > 0; /* also at its end */
}

/* Updates the window until input is available. False, with errno EINTR for Ctrl-C, without input. */
static bool wait_for_input(repl_lines *r) {
    const repl_host *host = r->host;
    while (!input_waits()) {
        if (!host->wait(host->user)) {
            r->ended = true;
            errno = 0;
            return false;
        }
        if (r->disturbed) el_set(r->edit, EL_REFRESH);
        r->disturbed = false;
        if (app_guard_take_note() || (r->edit && app_guard_stopped() == APP_STOP_INTERRUPT)) {
            errno = EINTR;
            return false;
        }
    }
    return true;
}

/* libedit's callback to read one character, in the user's encoding. */
static int next_character(EditLine *edit, wchar_t *to) {
    repl_lines *r = NULL;
    mbstate_t state = {0};
    el_get(edit, EL_CLIENTDATA, &r);
    for (;;) {
        char byte;
        if (!wait_for_input(r)) return errno == EINTR ? -1 : 0;
        ssize_t n = read(STDIN_FILENO, &byte, 1);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return (int)n;
        size_t used = mbrtowc(to, &byte, 1, &state);
        if (used == (size_t)-2) continue; /* incomplete character */
        if (used != (size_t)-1) return 1;
        memset(&state, 0, sizeof state); /* invalid in this encoding: skipped */
    }
}

/* ---- Lines ------------------------------------------------------------------------------------------------------- */

static void open_editor(repl_lines *r) {
    if (!app_repl_terminal()) return;
    setlocale(LC_CTYPE, ""); /* for editing beyond ASCII; numbers keep the C locale */
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
    /* libedit's handler changes the line at once, which must not happen while a script runs within its callback. */
    el_set(r->edit, EL_SIGNAL, r->host->wait ? 0 : 1);
    if (r->host->wait) el_set(r->edit, EL_GETCFN, next_character);
    el_set(r->edit, EL_HIST, history, r->history);
    el_set(r->edit, EL_ADDFN, "muslin-complete", "completes a Lua name", complete);
    el_set(r->edit, EL_BIND, "^I", "muslin-complete", NULL);
    el_set(r->edit, EL_BIND, "^R", "em-inc-search-prev", NULL);
    el_source(r->edit, NULL);
}

repl_lines *repl_lines_open(const repl_host *host) {
    repl_lines *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->host = host;
    open_editor(r);
    open_lines = r;
    return r;
}

void repl_lines_close(repl_lines *r) {
    repl_lines_save();
    open_lines = NULL;
    if (r->edit) {
        putchar('\n');
        el_end(r->edit);
        history_end(r->history);
    }
    free(r->input);
    free(r);
}

static read_result edit_line(repl_lines *r, const char **text, size_t *size) {
    int n = 0;
    errno = 0;
    /* Beside a window Ctrl-C cancels the line; only a second one interrupts a frame that does not end. */
    (r->host->wait ? app_guard_patient : app_guard_idle)(true);
    r->editing = r->host->wait;
    const char *line = el_gets(r->edit, &n);
    r->editing = r->disturbed = false;
    bool cancelled = !line && errno == EINTR && !r->ended;
    (r->host->wait ? app_guard_patient : app_guard_idle)(false);
    if (cancelled) {
        putchar('\n');
        el_reset(r->edit);
        return READ_CANCELLED;
    }
    if (!line || n <= 0) return READ_END;
    *text = line;
    *size = (size_t)n;
    return READ_LINE;
}

static read_result plain_line(repl_lines *r, const char **text, size_t *size) {
    for (;;) {
        char *from = r->input + r->start, *newline = r->size ? memchr(from, '\n', r->size) : NULL;
        if (newline) {
            *text = from;
            *size = (size_t)(newline - from) + 1;
            r->start += *size;
            r->size -= *size;
            return READ_LINE;
        }
        if (r->size) memmove(r->input, from, r->size);
        r->start = 0;
        if (r->capacity - r->size < BLOCK) {
            char *grown = realloc(r->input, r->capacity + r->capacity / 2 + 2 * BLOCK);
            if (!grown) return READ_END;
            r->input = grown;
            r->capacity += r->capacity / 2 + 2 * BLOCK;
        }
        if (r->host->wait && !wait_for_input(r)) return READ_END;
        ssize_t n = read(STDIN_FILENO, r->input + r->size, BLOCK);
        if (app_guard_stopped() != APP_STOP_NONE) return READ_END;
        if (n < 0 && errno == EINTR) continue;
        if (n > 0) {
            r->size += (size_t)n;
            continue;
        }
        *text = r->input;
        *size = r->size; /* the last, without its newline */
        r->size = 0;
        return n == 0 && *size > 0 ? READ_LINE : READ_END;
    }
}

read_result repl_lines_read(repl_lines *r, bool continued, const char **text, size_t *size) {
    r->continued = continued;
    read_result result = (r->edit ? edit_line : plain_line)(r, text, size);
    while (result == READ_LINE && *size > 0 && ((*text)[*size - 1] == '\n' || (*text)[*size - 1] == '\r')) --*size;
    return result;
}
