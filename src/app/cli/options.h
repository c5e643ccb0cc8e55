/* options.h: commands and their options, their help, and the values of options. */
#ifndef MUS_APP_OPTIONS_H
#define MUS_APP_OPTIONS_H

#include "host.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
    VIEW = 1,
    RUN = 2,
    TEST = 4,
    AUDIT = 8,
    REPL = 16,
    DOC = 32,
    COMPARE = 64,
    SWEEP = 128,
    COLLECT = 256,
    DRESS = 512,
    PATTERN = 1024,
    ALL = 2047
};
enum { SCENES = VIEW | RUN | REPL | COMPARE };

typedef struct command {
    int bit;
    const char *name, *operands, *summary;
    app_command_fn run;
    const char *details;
} command;

enum {
    OPT_FRAMES = 256,
    OPT_SECONDS,
    OPT_FORMAT,
    OPT_PIPELINE,
    OPT_THREADS,
    OPT_SEED,
    OPT_AUDIT,
    OPT_JSON,
    OPT_TRUSTED,
    OPT_TIME_LIMIT,
    OPT_MEMORY_LIMIT,
    OPT_SIZE,
    OPT_JUNIT,
    OPT_FILTER,
    OPT_TOLERANCE,
    OPT_RESUME,
    OPT_CHECKPOINT,
    OPT_PIPELINES,
    OPT_RULE,
    OPT_PNG,
    OPT_REPORT,
    OPT_FAIL,
    OPT_CASE,
    OPT_ENGINE,
    OPT_CSV,
    OPT_GOLDEN,
    OPT_REPL,
    OPT_LOOP,
    OPT_FRAMES_ONLY,
    OPT_NO_SLEEP,
    OPT_SHOW,
    OPT_UP,
    OPT_PLANES,
    OPT_SVG
};

typedef struct option_row {
    int id; /* also its short letter where it has one */
    int commands;
    const char *name, *argument, *help;
} option_row;

void options_print_help(FILE *out, const command *commands, int count);
void options_print_command_help(const command *c, const option_row *rows, int count);
void options_print_version(void);

/* Each returns false, with the error printed, when the text is no such value. */

bool app_bad_value(const char *option, const char *wanted, const char *text); /* prints the error; false */
bool app_read_integer(const char *option, const char *text, int64_t least, int64_t most, int64_t *value);
bool app_read_number(const char *option, const char *text, bool zero, const char *unit,
                     double *value); /* zero: allowed */
bool app_read_seed(const char *text, uint64_t *value);
bool app_read_heat(const char *text, app_heat *heat); /* of --show */
bool app_read_up(const char *text, bool *z_up);
bool app_read_frames(const char *text, app_frames *frames);    /* of --frames-only: A, A:B or A:B:C */
bool app_read_size(const char *text, int *width, int *height); /* 1280x720 */

/* -1, or an exit code, with the error printed, when no such file can be read; `what` it is: a scene or a rule, and its
 * `kind`: a Lua file. */
int app_check_file(const char *what, const char *kind, const char *path);

#endif
