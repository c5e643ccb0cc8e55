/* test.c: finds files of scenarios, tests them in parallel processes, and reports in order. */
#include "test/suite.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct tests {
    const app_options *options;
    app_suite *suites;
    int count, capacity;
    int reported; /* suites printed so far */
    int number;   /* of the last test printed */
    int failed, skipped;
    app_progress progress;
} tests;

static volatile sig_atomic_t signalled;

static void on_signal(int signal) {
    signalled = signal;
}

/* ---- Finding files ----------------------------------------------------------------------------------------------- */

static bool add_suite(tests *t, const char *path) {
    for (int k = 0; k < t->count; k++)
        if (strcmp(t->suites[k].path, path) == 0) return true;
    if (t->count == t->capacity) {
        int capacity = t->capacity ? 2 * t->capacity : 32;
        app_suite *suites = realloc(t->suites, (size_t)capacity * sizeof *suites);
        if (!suites) return false;
        t->suites = suites;
        t->capacity = capacity;
    }
    char *copy = strdup(path);
    if (!copy) return false;
    t->suites[t->count++] = (app_suite){.path = copy};
    return true;
}

static int not_hidden(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

/* Every *_test.lua below a folder, in the order of names, and the number of other scripts, of which only playing
 * would show whether they are scenes. Links to folders are not followed, so the search terminates. */
static bool search(tests *t, const char *folder, int *others) {
    struct dirent **entries = NULL;
    int n = scandir(folder, &entries, not_hidden, alphasort);
    if (n < 0) {
        app_error("'%s': %s", folder, strerror(errno));
        return false;
    }
    bool ok = true;
    for (int k = 0; k < n; k++) {
        const char *name = entries[k]->d_name;
        size_t size = strlen(name);
        struct stat s;
        char *path = app_format("%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", name);
        if (ok && path && lstat(path, &s) == 0) {
            if (S_ISDIR(s.st_mode))
                ok = search(t, path, others);
            else if (size > 9 && strcmp(name + size - 9, "_test.lua") == 0)
                ok = add_suite(t, path);
            else if (size > 4 && strcmp(name + size - 4, ".lua") == 0)
                ++*others;
        }
        ok = ok && path;
        free(path);
        free(entries[k]);
    }
    free(entries);
    return ok;
}

static int find_suites(tests *t) {
    for (int k = 0; k < t->options->path_count; k++) {
        const char *path = t->options->paths[k];
        int before = t->count, others = 0;
        struct stat s;
        if (stat(path, &s) != 0) {
            app_error("'%s': %s", path, errno == ENOENT ? "not found" : strerror(errno));
            return APP_USAGE;
        }
        if (!S_ISDIR(s.st_mode)) {
            if (!add_suite(t, path)) return APP_ERROR;
            continue;
        }
        if (!search(t, path, &others)) return APP_ERROR;
        if (t->count == before) {
            app_error("'%s' contains no *_test.lua%s", path,
                      others ? "; a scene is run as a test if its file is named" : "");
            return APP_USAGE;
        }
        if (others && !t->options->quiet)
            app_error("'%s': %d script%s not named *_test.lua skipped; a scene is run as a test if its file is named",
                      path, others, others == 1 ? "" : "s");
    }
    return APP_OK;
}

static bool check_filter(const char *filter) {
    lua_State *L = luaL_newstate();
    if (!L) return true;
    luaL_requiref(L, LUA_STRLIBNAME, luaopen_string, 0);
    lua_getfield(L, -1, "find");
    lua_pushliteral(L, "file_test.lua: name");
    lua_pushstring(L, filter);
    bool ok = lua_pcall(L, 2, 0, 0) == LUA_OK;
    if (!ok) app_error("option '--filter': '%s' is not a Lua pattern: %s", filter, lua_tostring(L, -1));
    lua_close(L);
    return ok;
}

/* ---- Processes --------------------------------------------------------------------------------------------------- */

/* Reads the output of the processes, and handles those that have ended. */
static bool wait_for_some(tests *t) {
    int most = 0, n = 0;
    for (int k = 0; k < t->count; k++) most += 2 * t->suites[k].worker_count;
    struct pollfd *fds = malloc(((size_t)most + 1) * sizeof *fds);
    if (!fds) return false;
    for (int k = 0; k < t->count; k++)
        for (int i = 0; i < t->suites[k].worker_count; i++) {
            const app_worker *w = &t->suites[k].workers[i];
            fds[n++] = (struct pollfd){w->results, POLLIN, 0}; /* poll ignores -1 */
            fds[n++] = (struct pollfd){w->output, POLLIN, 0};
        }
    int ready = poll(fds, (nfds_t)n, 500);
    bool ok = ready >= 0 || errno == EINTR;
    n = 0;
    for (int k = 0; ready > 0 && k < t->count; k++) {
        app_suite *s = &t->suites[k];
        for (int i = 0, count = s->worker_count; i < count; i++, n += 2) {
            if (fds[n].revents) app_worker_drain(s, &s->workers[i], &s->workers[i].results);
            if (fds[n + 1].revents) app_worker_drain(s, &s->workers[i], &s->workers[i].output);
        }
    }
    for (int k = 0; k < t->count; k++) {
        app_suite *s = &t->suites[k];
        for (int i = 0; i < s->worker_count; i++)
            if (!s->workers[i].ended && s->workers[i].results < 0 && s->workers[i].output < 0)
                ok = app_worker_end(s, i, t->options, !signalled) && ok;
    }
    free(fds);
    return ok;
}

/* ---- Reports ----------------------------------------------------------------------------------------------------- */

static void print_comment(const char *text) {
    while (*text) {
        size_t n = strcspn(text, "\n");
        printf("#   %.*s\n", (int)n, text);
        text += n + (text[n] == '\n');
    }
}

/* A name on one line, without characters that start a TAP directive. */
static void print_name(const char *text) {
    for (; *text; text++) {
        if (*text == '#' || *text == '\\') putchar('\\');
        putchar(*text == '\n' || *text == '\r' ? ' ' : *text);
    }
}

static void report(tests *t, const app_suite *suite) {
    app_progress_clear(&t->progress);
    if (suite->printed.size > 0 && !t->options->quiet) {
        printf("# %s printed:\n", suite->path);
        print_comment(suite->printed.data);
    }
    for (int k = 0; k < suite->case_count; k++) {
        const app_case *c = &suite->cases[k];
        printf("%s %d - ", c->verdict == APP_FAILED ? "not ok" : "ok", ++t->number);
        print_name(suite->path);
        fputs(": ", stdout);
        print_name(c->name);
        if (c->verdict == APP_SKIPPED) printf(" # SKIP %s", c->message ? c->message : "");
        putchar('\n');
        if (c->verdict == APP_FAILED) print_comment(c->message ? c->message : "failed");
        t->failed += c->verdict == APP_FAILED;
        t->skipped += c->verdict == APP_SKIPPED;
    }
    fflush(stdout);
}

static int running(const tests *t) {
    int n = 0;
    for (int k = 0; k < t->count; k++)
        for (int i = 0; i < t->suites[k].worker_count; i++) n += !t->suites[k].workers[i].ended;
    return n;
}

/* The file to start a process for: one without a process, else the first with work for another. */
static app_suite *next_suite(tests *t) {
    for (int k = 0; k < t->count; k++)
        if (!t->suites[k].started) return &t->suites[k];
    for (int k = 0; k < t->count; k++)
        if (app_suite_wants_help(&t->suites[k])) return &t->suites[k];
    return NULL;
}

static bool run_all(tests *t) {
    bool ok = true;
    while (ok && t->reported < t->count && !signalled) {
        app_suite *next;
        while (ok && running(t) < t->options->jobs && (next = next_suite(t)))
            ok = (next->next || app_suite_prepare(next)) && app_worker_start(next, t->options);
        ok = ok && wait_for_some(t);
        if (!ok) app_error("no process for tests: %s", strerror(errno));
        while (t->reported < t->count && t->suites[t->reported].ended) report(t, &t->suites[t->reported++]);
        app_progress_update(&t->progress, t->reported, t->count, "files");
    }
    for (int k = 0; k < t->count; k++)
        for (int i = 0; i < t->suites[k].worker_count; i++) {
            const app_worker *w = &t->suites[k].workers[i];
            if (w->ended) continue;
            kill(w->process, SIGKILL);
            while (waitpid(w->process, NULL, 0) < 0 && errno == EINTR) {
            }
        }
    return ok;
}

static void free_tests(tests *t) {
    for (int k = 0; k < t->count; k++) app_suite_free(&t->suites[k]);
    free(t->suites);
}

static bool write_report(const tests *t) {
    const char *folder = t->options->out;
    bool made = app_make_folder(folder);
    if (!made) app_error("output folder '%s': %s; give another with --out", folder, strerror(errno));
    if (made && app_test_report(folder, t->suites, t->reported, signalled != 0) == MUS_STATUS_OK) return true;
    if (made) app_error("report: %s", mus_get_error_message());
    return false;
}

int app_test(const app_options *options) {
    tests t = {.options = options};
    if (options->filter && !check_filter(options->filter)) return APP_USAGE;
    int code = find_suites(&t);
    if (code != APP_OK) {
        free_tests(&t);
        return code;
    }
    struct sigaction action = {.sa_handler = on_signal}; /* without SA_RESTART: poll returns */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    app_progress_start(&t.progress, "test", options->quiet);
    puts("TAP version 13");
    bool ok = run_all(&t);
    app_progress_end(&t.progress);
    printf("1..%d\n", t.number);
    if (t.number > 0)
        printf("# %d passed, %d failed, %d skipped, in %d file%s\n", t.number - t.failed - t.skipped, t.failed,
               t.skipped, t.reported, t.reported == 1 ? "" : "s");
    code = !ok ? APP_ERROR : t.failed > 0 ? APP_CHECK_FAILED : APP_OK;
    if (ok && !signalled && t.number == 0) {
        app_error("no scenario %s", options->filter ? "matches the filter" : "was found");
        code = APP_USAGE;
    }
    if (signalled) {
        app_error("interrupted after %d of %d files", t.reported, t.count);
        code = APP_INTERRUPTED;
    }
    if (options->junit && app_junit_write(options->junit, t.suites, t.reported) != MUS_STATUS_OK) {
        app_error("%s", mus_get_error_message());
        code = APP_ERROR;
    }
    if (options->report && !write_report(&t)) code = APP_ERROR;
    free_tests(&t);
    return code;
}
