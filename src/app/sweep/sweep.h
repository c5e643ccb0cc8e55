/* sweep.h: what the files of sweeps share: cases, the runs that they became, and the engines that start them. */
#ifndef MUS_APP_SWEEP_H
#define MUS_APP_SWEEP_H

#include "host.h"
#include "cli/json.h"

/* ---- sweep_case.c: one line of cases.jsonl --------------------------------------------------------------------------
 *
 * {"case": K, "scene": PATH, "arguments": [WORD, ...], "parameters": {NAME: VALUE, ...}, "options": {NAME: VALUE, ...}}
 * The scene's path counts from the folder of the file. A parameter is given to the scene as the word NAME=VALUE, but
 * for the names of options of muslin run, which are in `options`. */

typedef struct app_trial {
    json_t *line;
    app_options options; /* of its run; what they point to is the trial's or the given options' */
    char *scene, **words;
} app_trial;
/* Takes `line` (a case of the file `file`), and what the command line says in `given`, which beats it. -1, or an exit
 * code when the case is malformed or cannot be run; that has been told. Free it either way. */
int app_trial_make(app_trial *trial, json_t *line, const char *file, int64_t number, const app_options *given);
void app_trial_free(app_trial *trial);
bool app_trial_is_option(const char *parameter); /* a name that is an option of muslin run */
enum { APP_NUMBER_SIZE = 32 };
const char *app_number_text(double x, char text[APP_NUMBER_SIZE]); /* the shortest that reads back as x; text */
json_t *app_case_read(const char *file, int64_t number);           /* a line from 1; NULL: told */

/* ---- sweep_run.c: what became of a run, by its manifest -------------------------------------------------------------
 */

json_t *app_run_manifest(const char *folder); /* NULL: there is none, or it is malformed; the error record tells */
/* Whether the run came to an end, and with which exit code. An error or a limit is no
 * end: it is tried again. */
bool app_run_complete(const json_t *manifest, int *code);

/* Was `saved` (a manifest.json) made by a run of these options with the files as they are now? Threads, limits and
 * checkpoints may differ, for they change no result. False: the error record names what differs. */
bool app_manifest_same_run(const json_t *saved, const app_options *options);

/* ---- sweep_engine.c -------------------------------------------------------------------------------------------------
 */

typedef struct app_sweep_work {
    const app_options *options;
    char *program; /* this one, absolute */
    char *folder;  /* absolute, with runs/K in it */
    char *cases;   /* the file, absolute */
    int64_t *todo; /* numbers of cases to run */
    int64_t todo_count, count;
    int threads; /* the most that a run takes; at least 1 */
} app_sweep_work;
bool app_engine_there(const char *name); /* NULL: local. False: it has been told which package has it */
/* Runs the cases, each into a folder of its own; false when it could not be done, which has been told. How each ended
 * is in its manifest. */
bool app_engine_run(app_sweep_work *sweep);
bool app_sweep_stopped(void); /* by a signal */

#endif
