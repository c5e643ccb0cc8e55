/* test.c: finds files of scenarios, tests each in a process of its own, some at a time, and reports in order. */
#include "suite.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
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

bool app_text_add(app_text *text, const char *data, size_t size) {
    if (text->size + size + 1 > text->capacity) {
        size_t capacity = 2 * (text->size + size + 1);
        char *grown = realloc(text->data, capacity);
        if (!grown) return false;
        text->data = grown;
        text->capacity = capacity;
    }
    memcpy(text->data + text->size, data, size);
    text->size += size;
    text->data[text->size] = '\0';
    return true;
}

/* ---- Finding files
 * ---------------------------------------------------------------------------------------------------- */

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
    t->suites[t->count++] = (app_suite){.path = copy, .results = -1, .output = -1};
    return true;
}

static int not_hidden(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

/* Every *_test.lua below a folder, in the order of names. Links to folders are not followed, so there is an end. */
static bool search(tests *t, const char *folder) {
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
                ok = search(t, path);
            else if (size > 9 && strcmp(name + size - 9, "_test.lua") == 0)
                ok = add_suite(t, path);
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
        int before = t->count;
        struct stat s;
        if (stat(path, &s) != 0) {
            app_error("'%s': %s", path, errno == ENOENT ? "not found" : strerror(errno));
            return APP_USAGE;
        }
        if (!S_ISDIR(s.st_mode)) {
            if (!add_suite(t, path)) return APP_ERROR;
            continue;
        }
        if (!search(t, path)) return APP_ERROR;
        if (t->count == before) {
            app_error("'%s' holds no *_test.lua", path);
            return APP_USAGE;
        }
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
    if (!ok) app_error("option '--filter': '%s' is no Lua pattern: %s", filter, lua_tostring(L, -1));
    lua_close(L);
    return ok;
}

/* ---- Results of one file
 * ---------------------------------------------------------------------------------------------- */

static void add_case(app_suite *suite, const char *name, app_verdict verdict, const char *message, double seconds) {
    if (suite->case_count == suite->case_capacity) {
        int capacity = suite->case_capacity ? 2 * suite->case_capacity : 16;
        app_case *cases = realloc(suite->cases, (size_t)capacity * sizeof *cases);
        if (!cases) return;
        suite->cases = cases;
        suite->case_capacity = capacity;
    }
    suite->cases[suite->case_count++] =
        (app_case){strdup(name ? name : "?"), message ? strdup(message) : NULL, seconds, verdict};
}

static void take_record(app_suite *suite, const char *line, size_t size) {
    json_t *o = json_loadb(line, size, 0, NULL);
    const char *begin = json_string_value(json_object_get(o, "begin"));
    const char *stopped = json_string_value(json_object_get(o, "stopped"));
    if (begin) {
        free(suite->running);
        suite->running = strdup(begin);
        suite->last = json_integer_value(json_object_get(o, "number"));
    } else if (stopped) {
        add_case(suite, suite->running ? suite->running : "loads", APP_FAILED, stopped, 0);
        suite->whole = suite->cut = true; /* its end is told, if not reached */
    } else if (json_object_get(o, "end")) {
        suite->whole = true;
        suite->cut = json_is_true(json_object_get(o, "cut"));
    } else if (json_object_get(o, "name")) {
        add_case(suite, json_string_value(json_object_get(o, "name")),
                 (app_verdict)json_integer_value(json_object_get(o, "verdict")),
                 json_string_value(json_object_get(o, "message")), json_real_value(json_object_get(o, "seconds")));
        free(suite->running);
        suite->running = NULL;
    }
    json_decref(o);
}

static void take_results(app_suite *suite, const char *data, size_t size) {
    if (!app_text_add(&suite->pending, data, size)) return;
    char *start = suite->pending.data, *end = start + suite->pending.size, *newline;
    while ((newline = memchr(start, '\n', (size_t)(end - start)))) {
        take_record(suite, start, (size_t)(newline - start));
        start = newline + 1;
    }
    suite->pending.size = (size_t)(end - start);
    memmove(suite->pending.data, start, suite->pending.size);
}

static bool start_suite(tests *t, app_suite *suite);

/* Another process runs what is behind the scenario that ended this one. */
static bool go_on(tests *t, app_suite *suite) {
    if (suite->last <= suite->skip || signalled) return false;
    suite->skip = suite->last;
    suite->whole = suite->cut = false;
    suite->pending.size = 0;
    free(suite->running);
    suite->running = NULL;
    return start_suite(t, suite);
}

/* A process that did not say it was through has crashed, or was killed. */
static void end_suite(tests *t, app_suite *suite) {
    int status = 0;
    while (waitpid(suite->process, &status, 0) < 0 && errno == EINTR) {
    }
    suite->seconds += app_clock();
    if (suite->whole) {
        suite->ended = !suite->cut || !go_on(t, suite);
        return;
    }
    char *text = WIFSIGNALED(status)
                     ? app_format("the process ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)))
                     : app_format("the process ended early, with exit code %d", WEXITSTATUS(status));
    add_case(suite, suite->running ? suite->running : "ends", APP_FAILED, text, 0);
    free(text);
    suite->ended = !go_on(t, suite);
}

/* ---- Processes
 * -------------------------------------------------------------------------------------------------------- */

static bool start_suite(tests *t, app_suite *suite) {
    int results[2], output[2];
    if (pipe2(results, O_CLOEXEC) != 0) return false;
    if (pipe2(output, O_CLOEXEC) != 0) {
        close(results[0]);
        close(results[1]);
        return false;
    }
    fflush(NULL);
    pid_t parent = getpid();
    suite->process = fork();
    if (suite->process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(APP_ERROR); /* it ended before the line above */
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (nothing >= 0) dup2(nothing, STDIN_FILENO);
        dup2(output[1], STDOUT_FILENO); /* standard output is TAP's: what scripts print is kept apart */
        dup2(output[1], STDERR_FILENO);
        app_suite_child(t->options, suite->path, suite->skip, results[1]);
    }
    close(results[1]);
    close(output[1]);
    suite->results = results[0];
    suite->output = output[0];
    suite->started = true;
    suite->seconds -= app_clock();
    if (suite->process > 0) return true;
    close(results[0]);
    close(output[0]);
    suite->results = suite->output = -1;
    return false;
}

/* Reads what is there; closes at the end of the pipe. */
static void drain(app_suite *suite, int *fd) {
    char buffer[4096];
    ssize_t n = read(*fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) return;
    if (n <= 0) {
        close(*fd);
        *fd = -1;
    } else if (fd == &suite->results) {
        take_results(suite, buffer, (size_t)n);
    } else {
        app_text_add(&suite->printed, buffer, (size_t)n);
    }
}

static bool wait_for_some(tests *t, struct pollfd *fds) {
    nfds_t n = 0;
    for (int k = 0; k < t->count; k++) {
        app_suite *s = &t->suites[k];
        if (s->results >= 0) fds[n++] = (struct pollfd){s->results, POLLIN, 0};
        if (s->output >= 0) fds[n++] = (struct pollfd){s->output, POLLIN, 0};
    }
    int ready = poll(fds, n, 500);
    if (ready < 0) return errno == EINTR;
    n = 0;
    for (int k = 0; k < t->count; k++) {
        app_suite *s = &t->suites[k];
        if (s->results >= 0 && fds[n++].revents) drain(s, &s->results);
        if (s->output >= 0 && fds[n++].revents) drain(s, &s->output);
        if (s->started && !s->ended && s->results < 0 && s->output < 0) end_suite(t, s);
    }
    return true;
}

/* ---- Reports
 * ---------------------------------------------------------------------------------------------------------- */

static void print_comment(const char *text) {
    while (*text) {
        size_t n = strcspn(text, "\n");
        printf("#   %.*s\n", (int)n, text);
        text += n + (text[n] == '\n');
    }
}

/* A name on one line, without what TAP reads as a directive. */
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

static bool run_all(tests *t) {
    struct pollfd *fds = calloc((size_t)t->count * 2 + 1, sizeof *fds);
    bool ok = fds != NULL;
    int next = 0;
    while (ok && t->reported < t->count && !signalled) {
        int running = 0;
        for (int k = 0; k < next; k++) running += !t->suites[k].ended;
        for (; ok && next < t->count && running < t->options->jobs; next++, running++)
            if (!(ok = start_suite(t, &t->suites[next]))) app_error("no process for tests: %s", strerror(errno));
        ok = ok && wait_for_some(t, fds);
        while (t->reported < t->count && t->suites[t->reported].ended) report(t, &t->suites[t->reported++]);
        app_progress_update(&t->progress, t->reported, t->count, "files");
    }
    for (int k = 0; k < t->count; k++) {
        app_suite *s = &t->suites[k];
        if (!s->started || s->ended) continue;
        kill(s->process, SIGKILL);
        while (waitpid(s->process, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    free(fds);
    return ok;
}

static void free_tests(tests *t) {
    for (int k = 0; k < t->count; k++) {
        app_suite *s = &t->suites[k];
        for (int c = 0; c < s->case_count; c++) {
            free(s->cases[c].name);
            free(s->cases[c].message);
        }
        if (s->results >= 0) close(s->results);
        if (s->output >= 0) close(s->output);
        free(s->cases);
        free(s->pending.data);
        free(s->printed.data);
        free(s->running);
        free(s->path);
    }
    free(t->suites);
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
        printf("# %d passed, %d failed, %d skipped, in %d files\n", t.number - t.failed - t.skipped, t.failed,
               t.skipped, t.reported);
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
        app_error("%s", mus_error_message());
        code = APP_ERROR;
    }
    free_tests(&t);
    return code;
}
