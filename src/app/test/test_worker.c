/* test_worker.c: the processes that test the scenarios of a file, from the side of the reporting process: their
 * records, their output, and the replacement of one that ended. Each takes the next scenario of the file from a
 * shared counter; records and output have the scenario's number, so the report does not depend on the number of
 * processes. */
#include "test/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* ---- Results ----------------------------------------------------------------------------------------------------- */

static void add_case(app_suite *suite, int64_t number, const char *name, app_verdict verdict, const char *message,
                     double seconds, json_t *pictures) {
    if (suite->case_count == suite->case_capacity) {
        int capacity = suite->case_capacity ? 2 * suite->case_capacity : 16;
        app_case *cases = realloc(suite->cases, (size_t)capacity * sizeof *cases);
        if (!cases) return;
        suite->cases = cases;
        suite->case_capacity = capacity;
    }
    int at = suite->case_count++; /* after those of the same number */
    for (; at > 0 && suite->cases[at - 1].number > number; at--) suite->cases[at] = suite->cases[at - 1];
    suite->cases[at] = (app_case){strdup(name ? name : "?"), message ? strdup(message) : NULL, seconds, verdict, number,
                                  json_incref(pictures)};
}

/* Errors that every process of the file reports before its first scenario are reported once. */
static bool is_reported(const app_suite *suite, const char *name) {
    for (int k = 0; k < suite->case_count; k++)
        if (suite->cases[k].number == 0 && strcmp(suite->cases[k].name, name) == 0) return true;
    return false;
}

static void take_record(app_suite *suite, app_worker *w, const char *line, size_t size) {
    json_t *o = json_loadb(line, size, 0, NULL);
    const char *begin = json_string_value(json_object_get(o, "begin"));
    const char *stopped = json_string_value(json_object_get(o, "stopped"));
    const char *name = json_string_value(json_object_get(o, "name"));
    if (begin) {
        free(w->running);
        w->running = strdup(begin);
        w->last = json_integer_value(json_object_get(o, "number"));
    } else if (json_object_get(o, "scenarios")) {
        suite->scenarios = json_integer_value(json_object_get(o, "scenarios"));
        suite->together = json_is_true(json_object_get(o, "together"));
    } else if (stopped) {
        add_case(suite, w->last, w->running ? w->running : "loads", APP_FAILED, stopped, 0, NULL);
        w->whole = w->cut = true; /* a missing end is reported */
    } else if (json_object_get(o, "end")) {
        w->whole = true;
        w->cut = json_is_true(json_object_get(o, "cut"));
    } else if (name && (w->last > 0 || !is_reported(suite, name))) {
        add_case(suite, w->last, name, (app_verdict)json_integer_value(json_object_get(o, "verdict")),
                 json_string_value(json_object_get(o, "message")), json_real_value(json_object_get(o, "seconds")),
                 json_object_get(o, "pictures"));
        free(w->running);
        w->running = NULL;
    }
    json_decref(o);
}

static void take_results(app_suite *suite, app_worker *w, const char *data, size_t size) {
    if (!app_text_add(&w->pending, data, size)) return;
    char *start = w->pending.data, *end = start + w->pending.size, *newline;
    while ((newline = memchr(start, '\n', (size_t)(end - start)))) {
        take_record(suite, w, start, (size_t)(newline - start));
        start = newline + 1;
    }
    w->pending.size = (size_t)(end - start);
    memmove(w->pending.data, start, w->pending.size);
}

/* ---- What scripts print: cut by the marks between scenarios
 * ----------------------------------------------------------
 */

static void add_printed(app_suite *suite, const app_worker *w, const char *data, size_t size) {
    if (size == 0 || w->quiet) return;
    int at = suite->part_count;
    while (at > 0 && suite->parts[at - 1].number > w->printing) at--;
    bool same = at > 0 && suite->parts[at - 1].number == w->printing;
    if (!same) {
        app_part *grown = realloc(suite->parts, (size_t)(suite->part_count + 1) * sizeof *grown);
        if (!grown) return;
        suite->parts = grown;
        memmove(grown + at + 1, grown + at, (size_t)(suite->part_count++ - at) * sizeof *grown);
        grown[at] = (app_part){.number = w->printing};
        at++;
    }
    app_text_add(&suite->parts[at - 1].text, data, size);
}

/* A mark is the suite's text, the number and a newline. A possible beginning of one is kept until more is read. */
static void take_output(app_suite *suite, app_worker *w, const char *data, size_t size) {
    if (!app_text_add(&w->output_pending, data, size)) return;
    const char *from = w->output_pending.data, *end = from + w->output_pending.size;
    for (;;) {
        const char *mark = memmem(from, (size_t)(end - from), suite->mark, strlen(suite->mark));
        const char *newline =
            mark ? memchr(mark + strlen(suite->mark), '\n', (size_t)(end - mark) - (strlen(suite->mark))) : NULL;
        if (!newline) {
            const char *safe = mark ? mark : end;
            if (!mark)
                for (size_t n = strlen(suite->mark) - 1; n > 0; n--)
                    if ((size_t)(end - from) >= n && memcmp(end - n, suite->mark, n) == 0) {
                        safe = end - n;
                        break;
                    }
            add_printed(suite, w, from, (size_t)(safe - from));
            w->output_pending.size = (size_t)(end - safe);
            memmove(w->output_pending.data, safe, w->output_pending.size);
            return;
        }
        add_printed(suite, w, from, (size_t)(mark - from));
        w->printing = strtoll(mark + strlen(suite->mark), NULL, 10);
        w->quiet = false;
        from = newline + 1;
    }
}

/* Reads the available data; closes at the end of the pipe. */
void app_worker_drain(app_suite *suite, app_worker *w, int *fd) {
    char buffer[4096];
    ssize_t n = read(*fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) return;
    if (n <= 0) {
        close(*fd);
        *fd = -1;
    } else if (fd == &w->results) {
        take_results(suite, w, buffer, (size_t)n);
    } else {
        take_output(suite, w, buffer, (size_t)n);
    }
}

/* ---- Processes --------------------------------------------------------------------------------------------------- */

bool app_suite_prepare(app_suite *suite) {
    suite->next = mmap(NULL, sizeof *suite->next, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (suite->next == MAP_FAILED) suite->next = NULL;
    if (!suite->next) return false;
    atomic_init(suite->next, 1);
    /* A mark that a script does not print by chance. */
    snprintf(suite->mark, sizeof suite->mark, "\036muslin %08x%08x ", (unsigned)getpid(),
             (unsigned)(1e6 * app_clock()));
    return true;
}

/* Output during the loading of the file is kept of the first process only. */
bool app_worker_start(app_suite *suite, const app_options *options) {
    int results[2], output[2];
    app_worker *grown = realloc(suite->workers, (size_t)(suite->worker_count + 1) * sizeof *grown);
    if (!grown) return false;
    suite->workers = grown;
    if (pipe2(results, O_CLOEXEC) != 0) return false;
    if (pipe2(output, O_CLOEXEC) != 0) {
        close(results[0]);
        close(results[1]);
        return false;
    }
    fflush(NULL);
    pid_t parent = getpid(), process = fork();
    bool first = suite->worker_count == 0;
    if (process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(APP_ERROR); /* it ended before the line above */
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (nothing >= 0) dup2(nothing, STDIN_FILENO);
        dup2(output[1], STDOUT_FILENO); /* standard output is TAP's: output of scripts is kept separate */
        dup2(output[1], STDERR_FILENO);
        app_suite_child(options, suite, first, results[1]);
    }
    close(results[1]);
    close(output[1]);
    suite->started = true;
    if (process < 0) {
        close(results[0]);
        close(output[0]);
        return false;
    }
    suite->seconds -= app_clock();
    suite->workers[suite->worker_count++] =
        (app_worker){.process = process, .results = results[0], .output = output[0], .quiet = !first};
    return true;
}

static int64_t scenarios_left(const app_suite *suite) {
    int64_t left = suite->scenarios - atomic_load(suite->next) + 1;
    return left > 0 ? left : 0;
}

static int running(const app_suite *suite) {
    int n = 0;
    for (int k = 0; k < suite->worker_count; k++) n += !suite->workers[k].ended;
    return n;
}

bool app_suite_wants_help(const app_suite *suite) {
    return suite->started && !suite->ended && !suite->together && scenarios_left(suite) > 0 &&
           running(suite) <= scenarios_left(suite);
}

/* A process that did not report its completion has crashed or was killed. Another runs the scenarios after the one
 * that ended it. */
bool app_worker_end(app_suite *suite, int k, const app_options *options, bool goes_on) {
    app_worker *w = &suite->workers[k];
    int status = 0;
    while (waitpid(w->process, &status, 0) < 0 && errno == EINTR) {
    }
    w->ended = true;
    suite->seconds += app_clock();
    add_printed(suite, w, w->output_pending.data, w->output_pending.size);
    w->output_pending.size = 0;
    if (!w->whole) {
        char *text =
            WIFSIGNALED(status)
                ? app_format("the process ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)))
                : app_format("the process ended early, with exit code %d", WEXITSTATUS(status));
        if (w->running || w->last > 0 || !is_reported(suite, "ends"))
            add_case(suite, w->last, w->running ? w->running : "ends", APP_FAILED, text, 0, NULL);
        free(text);
    }
    bool replaced = (!w->whole || w->cut) && w->last > 0 && scenarios_left(suite) > 0 && goes_on;
    bool ok = !replaced || app_worker_start(suite, options);
    suite->ended = running(suite) == 0;
    for (int i = 0; suite->ended && i < suite->part_count; i++)
        app_text_add(&suite->printed, suite->parts[i].text.data, suite->parts[i].text.size);
    return ok;
}

void app_suite_free(app_suite *suite) {
    for (int c = 0; c < suite->case_count; c++) {
        free(suite->cases[c].name);
        free(suite->cases[c].message);
        json_decref(suite->cases[c].pictures);
    }
    for (int k = 0; k < suite->worker_count; k++) {
        app_worker *w = &suite->workers[k];
        if (w->results >= 0) close(w->results);
        if (w->output >= 0) close(w->output);
        free(w->pending.data);
        free(w->output_pending.data);
        free(w->running);
    }
    for (int k = 0; k < suite->part_count; k++) free(suite->parts[k].text.data);
    if (suite->next) munmap(suite->next, sizeof *suite->next);
    free(suite->parts);
    free(suite->printed.data);
    free(suite->workers);
    free(suite->cases);
    free(suite->path);
}
