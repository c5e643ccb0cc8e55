/* suite.h: what the test command's files share: files of scenarios and their results. */
#ifndef MUS_APP_SUITE_H
#define MUS_APP_SUITE_H

#include "host.h"

#include <sys/types.h>

typedef enum app_verdict { APP_PASSED, APP_FAILED, APP_SKIPPED } app_verdict;

typedef struct app_case {
    char *name, *message; /* message: why it failed or was skipped; may be NULL */
    double seconds;
    app_verdict verdict;
} app_case;

typedef struct app_text {
    char *data; /* NUL-terminated once anything was added */
    size_t size, capacity;
} app_text;
bool app_text_add(app_text *text, const char *data, size_t size);

/* One file of scenarios, tested in a process of its own. */
typedef struct app_suite {
    char *path;
    app_case *cases;
    int case_count, case_capacity;
    pid_t process;
    int results, output; /* pipes from the process: a record a line; what the script printed. -1: closed */
    app_text pending;    /* of results: the line that is not yet whole */
    app_text printed;
    char *running;              /* the scenario under way */
    int64_t last;               /* number of the scenario that began last; 0: none, or the file is no list of them */
    int64_t skip;               /* scenarios that an earlier process has run */
    bool started, ended, whole; /* whole: the process said that it came to its end */
    bool cut;                   /* it ended, or was stopped, before the file's last scenario */
    double seconds;
} app_suite;

/* case.c: the process of one file, from the scenario behind `skip` on. Never returns. */
_Noreturn void app_suite_child(const app_options *options, const char *path, int64_t skip, int results);

/* failure.c: saves the worlds of the scenario that has just failed, as states and pictures, and closes them. Returns
 * what is to be said about it, a line each; NULL: there are none. Owned by the caller. */
char *app_failure_save(app_scene *scene, const app_options *options, const char *name);

/* junit.c */
mus_status app_junit_write(const char *path, const app_suite *suites, int count);

#endif
