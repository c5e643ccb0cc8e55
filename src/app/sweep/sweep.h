/* sweep.h: declarations shared by the files of sweeps: cases, their runs, and the engines that start them. */
#ifndef MUS_APP_SWEEP_H
#define MUS_APP_SWEEP_H

#include "host.h"
#include "cli/json.h"

/* ---- sweep_case.c: one line of cases.jsonl --------------------------------------------------------------------------
 *
 * {"case": K, "scene": PATH, "arguments": [WORD, ...], "parameters": {NAME: VALUE, ...}, "options": {NAME: VALUE,
 * ...}} The scene's path is relative to the folder of the file. A parameter is passed to the scene as the word
 * NAME=VALUE, except options of muslin run, which are in `options`. */

typedef struct app_trial {
    json_t *line;
    app_options options; /* of its run; their pointers belong to the trial or the given options */
    char *scene, **words;
} app_trial;
/* Takes `line` (a case of the file `file`), and the options of the command line in `given`, which override it. -1,
 * or an exit code, with the error printed, when the case is malformed or cannot be run. Free it in both cases. */
int app_trial_make(app_trial *trial, json_t *line, const char *file, int64_t number, const app_options *given);
void app_trial_free(app_trial *trial);
bool app_trial_is_option(const char *parameter); /* whether the name is an option of muslin run */
enum { APP_NUMBER_SIZE = 32 };
const char *app_number_text(double x, char text[APP_NUMBER_SIZE]); /* the shortest that reads back as x; text */
json_t *app_case_read(const char *file, int64_t number);           /* a line, from 1; NULL: error printed */

/* ---- sweep_run.c: what became of a run, by its manifest ---------------------------------------------------------- */

json_t *app_run_manifest(const char *folder); /* NULL: none, or malformed; sets the error record */
/* Whether the run is complete, and its exit code. A run that ended by an error or a limit is not complete and is
 * repeated. */
bool app_run_complete(const json_t *manifest, int *code);

/* Whether `saved` (a manifest.json) is of a run with these options and the present files. Threads, limits and
 * checkpoints may differ, as they change no result. False: the error record names the difference. */
bool app_manifest_same_run(const json_t *saved, const app_options *options);

/* ---- collect.c, sweep_report.c ------------------------------------------------------------------------------------
 */

/* Parameters, outcome, last figures and logged values of a run, as collect --json prints them; owned by the caller. */
json_t *app_run_row(const char *name, const json_t *manifest);
/* FOLDER/report.html from the runs of `count` cases in FOLDER/runs. `stopped`: by a signal, before the others. */
mus_status app_sweep_report(const char *plan, const char *folder, int64_t count, bool stopped);

/* ---- sweep_engine.c ---------------------------------------------------------------------------------------------- */

typedef struct app_sweep_work {
    const app_options *options;
    char *program; /* this one, absolute */
    char *folder;  /* absolute, with runs/K in it */
    char *cases;   /* the file, absolute */
    int64_t *todo; /* numbers of cases to run */
    int64_t todo_count, count;
    int threads; /* largest number of threads of a run; at least 1 */
} app_sweep_work;
bool app_engine_there(const char *name); /* NULL: local. False: printed which package is needed */
/* Runs the cases, each in its own folder; false, with the error printed, if they could not be run. The manifest of
 * each has its outcome. */
bool app_engine_run(app_sweep_work *sweep);
bool app_sweep_stopped(void); /* by a signal */

#endif
