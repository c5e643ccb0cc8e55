/* suite.h: declarations shared by the test command's files: files of scenarios and their results. */
#ifndef MUS_APP_SUITE_H
#define MUS_APP_SUITE_H

#include "host.h"

#include <jansson.h>
#include <sys/types.h>

typedef enum app_verdict { APP_PASSED, APP_FAILED, APP_SKIPPED } app_verdict;

typedef struct app_case {
    char *name, *message; /* message: why it failed or was skipped; may be NULL */
    double seconds;
    app_verdict verdict;
    int64_t number;   /* in the file, from 1; 0: not in its list */
    json_t *pictures; /* paths of those that were saved of its worlds, owned; NULL: none */
} app_case;

typedef struct app_text {
    char *data; /* NUL-terminated once anything was added */
    size_t size, capacity;
} app_text;
bool app_text_add(app_text *text, const char *data, size_t size);

typedef struct app_part { /* what was printed by a scenario */
    int64_t number;
    app_text text;
} app_part;

/* A process that tests scenarios of a file. */
typedef struct app_worker {
    pid_t process;
    int results, output; /* pipes from it: a record a line; what the script printed. -1: closed */
    app_text pending;    /* of results: the incomplete last line */
    app_text output_pending;
    char *running;     /* the present scenario */
    int64_t last;      /* number of the scenario that began last; 0: none, or the file has no list */
    int64_t printing;  /* the scenario whose output is read */
    bool quiet;        /* discard its output, which another process has printed already */
    bool ended, whole; /* whole: the process reported that it was complete */
    bool cut;          /* it ended, or was stopped, before the file's last scenario */
} app_worker;

/* One file of scenarios, tested in processes of its own. */
typedef struct app_suite {
    char *path;
    app_case *cases; /* in the order of the file */
    int case_count, case_capacity;
    app_worker *workers;
    int worker_count;
    _Atomic int64_t *next; /* the scenario to test next, from 1; shared by the processes */
    int64_t scenarios;     /* number in the file; 0: not known yet, or it has no list */
    bool together;         /* they need one process */
    app_part *parts;       /* in the order of the file */
    int part_count;
    app_text printed; /* all of them, once it has ended */
    char mark[32];    /* in front of the number of a scenario, where its output begins */
    bool started, ended;
    double seconds; /* of all processes */
} app_suite;

/* test_worker.c */
bool app_suite_prepare(app_suite *suite); /* before its first process; false: no memory */
bool app_worker_start(app_suite *suite, const app_options *options);
void app_worker_drain(app_suite *suite, app_worker *worker, int *fd);
/* The k-th process has ended or died: starts another in its place if scenarios are left. False: could not start it. */
bool app_worker_end(app_suite *suite, int k, const app_options *options, bool goes_on);
bool app_suite_wants_help(const app_suite *suite); /* there is work for another process */
void app_suite_free(app_suite *suite);

/* case.c: a process of the file; the first one also tests files without a list of scenarios. Never returns. */
_Noreturn void app_suite_child(const app_options *options, const app_suite *suite, bool first, int results);

/* failure.c: saves the worlds of the scenario that has just failed, as states and pictures, and closes them. Returns
 * a message with a line for each; NULL: there are none. Owned by the caller. `pictures` receives the paths of those
 * that were written. */
char *app_failure_save(app_scene *scene, const app_options *options, const char *name, json_t *pictures);

/* junit.c */
mus_status app_junit_write(const char *path, const app_suite *suites, int count);

/* test_report.c: FOLDER/report.html, all of `count` suites. `stopped`: by a signal, before the others. */
mus_status app_test_report(const char *folder, const app_suite *suites, int count, bool stopped);

#endif
