/* run.c: plays a scene to its end without a window: frames, manifest, audit, summary. */
#include "host.h"
#include "report/report.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const double SAVE_EVERY = 2.0;  /* s, least interval between two manifests during a run */
static const double SAVE_SHARE = 0.05; /* largest share of the run's time for them */
static const double INSIDE_TOLERANCE = 1e-4;

typedef struct run {
    const app_options *options;
    app_scene scene;
    app_output *output;     /* NULL without --out */
    app_manifest *manifest; /* NULL without --out */
    app_run_report *report; /* NULL without --report */
    app_progress progress;
    double began, saved, save_cost; /* s */
    int64_t last_frame, frames_made;
    int64_t frames_pinched; /* with cloth that mus_world_release_pinched let go */
    int32_t most_pinched;   /* vertices in one of them */
    app_frame frame;        /* the last recorded */
    app_tally tally;
    double hooks_ms;     /* of all hooks so far */
    bool finished;       /* the scene was played to its end, `done` hooks included */
    mus_snapshot *start; /* the world as the script made it; only such a world can be resumed */
    int64_t checkpoint;  /* frame of the last one; -1: none */
    bool no_checkpoints; /* the world is no longer the one that the script makes; already reported */
    bool stdout_closed;
    bool is_reported; /* the end is reported, in the manifest and on standard error; nothing is left for the watchdog */
    const char *in;   /* the activity at the stop if it was not Lua; NULL */
    bool keep_earlier; /* the folder has an earlier run, which is kept until this one writes its first frame */
} run;

/* ---- Audit ------------------------------------------------------------------------------------------------------- */

static char *object_name(mus_world *world, mus_object_id id) {
    const char *name = mus_object_get_name(world, id);
    return app_format("%s:%s", id.kind == MUS_OBJECT_CLOTH ? "cloth" : "obstacle", name ? name : "?");
}

static char *describe(mus_world *world, const mus_audit_finding *f) {
    char *one = object_name(world, f->object[0]), *two = object_name(world, f->object[1]);
    char *text = one && two ? app_finding_text(f, one, two) : NULL;
    free(one);
    free(two);
    return text;
}

/* Adds the report to the sums. `findings` may be empty. */
static void count_findings(run *r, const mus_audit_report *report) {
    r->frame.intersections = report->intersections;
    r->frame.inside = report->inside;
    if (report->intersections + report->inside == 0) return;
    if (r->tally.bad_frames++ == 0) {
        r->tally.first_bad_frame = r->scene.frame;
        if (report->finding_count > 0) r->tally.first_bad = describe(r->scene.world, &report->findings[0]);
    }
    r->tally.intersections += report->intersections;
    r->tally.inside += report->inside;
}

/* ---- Recording --------------------------------------------------------------------------------------------------- */

/* Sets the scene's error to the reason why the run ends here. */
static bool fail(run *r) {
    app_scene_set_error(&r->scene, mus_get_error_message());
    return false;
}

static bool save_manifest(run *r) {
    double start = app_clock();
    bool ok = !r->manifest || r->keep_earlier || app_manifest_write(r->manifest, r->options->out) == MUS_STATUS_OK;
    r->saved = app_clock();
    r->save_cost = r->saved - start;
    return ok || fail(r);
}

/* Time of hooks since the last call, ms. */
static double hooks_since(run *r) {
    app_scene *s = &r->scene;
    int64_t count = mus_lua_world_hook_times(s->L, s->world_index, NULL, 0);
    mus_lua_hook_time *times = calloc((size_t)count + 1, sizeof *times);
    double total = 0, before = r->hooks_ms;
    if (times) mus_lua_world_hook_times(s->L, s->world_index, times, count);
    for (int64_t k = 0; times && k < count; k++) total += times[k].total_ms;
    free(times);
    r->hooks_ms = total;
    return fmax(total - before, 0);
}

/* Records and writes the present frame. The watchdog waits for this, but not for the audit and the script's draw
 * hooks, which may be slow. */
static bool record_frame(run *r, double step_ms) {
    app_scene *s = &r->scene;
    mus_stats stats = {0};
    mus_audit_report report = {0};
    double tolerance = r->options->tolerance >= 0 ? r->options->tolerance : INSIDE_TOLERANCE;
    mus_world_get_stats(s->world, &stats);
    if (r->options->audit && mus_world_audit(s->world, tolerance, &report) != MUS_STATUS_OK) return fail(r);
    if (r->output && app_output_draw(r->output, s->L, s->world_index, s->frame) != MUS_STATUS_OK) {
        mus_audit_report_destroy(&report);
        return fail(r);
    }
    if (r->report) app_run_report_measure(r->report, s, app_output_get_drawing(r->output));

    app_guard_lock();
    r->frame = (app_frame){.frame = s->frame,
                           .time = mus_world_get_time(s->world),
                           .step_ms = step_ms,
                           .hooks_ms = r->options->json ? hooks_since(r) : 0,
                           .contacts = stats.contacts,
                           .iterations = stats.iterations,
                           .intersections = -1,
                           .hash = mus_world_get_hash(s->world)};
    r->tally.total_ms += step_ms;
    r->tally.worst_ms = fmax(r->tally.worst_ms, step_ms);
    if (r->options->audit) count_findings(r, &report);
    bool ok = true;
    if (r->output && app_output_frame(r->output, s->L, s->world_index, s->world, s->frame) != MUS_STATUS_OK)
        ok = fail(r);
    if (ok && r->manifest &&
        (!app_manifest_log(r->manifest, s->L, s->world_index) || !app_manifest_frame(r->manifest, s, &r->frame))) {
        mus_fail(MUS_STATUS_NO_MEMORY, "no memory for the manifest");
        ok = fail(r);
    }
    if (ok && r->report && !app_run_report_keep(r->report)) ok = fail(r);
    if (ok) r->frames_made++;
    if (ok && stats.pinched > 0) r->frames_pinched++;
    if (stats.pinched > r->most_pinched) r->most_pinched = stats.pinched;
    double wait = fmax(SAVE_EVERY, r->save_cost / SAVE_SHARE);
    if (ok && r->manifest && app_clock() - r->saved >= wait) ok = save_manifest(r);
    app_guard_unlock();
    mus_audit_report_destroy(&report);

    if (ok && r->options->json) {
        app_frame_print_json(&r->frame);
        if (fflush(stdout) != 0) {
            r->stdout_closed = true;
            mus_fail(MUS_STATUS_IO, "standard output: %s",
                     errno == EPIPE ? "the reader closed the pipe" : strerror(errno));
            ok = fail(r);
        }
    }
    return ok;
}

/* ---- Checkpoints ------------------------------------------------------------------------------------------------- */

/* A line for the manifest and its report, printed if wanted; under the lock of app_guard_lock. */
__attribute__((format(printf, 3, 4))) static void note(run *r, bool print, const char *format, ...) {
    char *text = NULL;
    va_list args;
    va_start(args, format);
    int size = vasprintf(&text, format, args);
    va_end(args);
    if (size < 0) return;
    if (print) app_error("%s", text);
    if (r->manifest) app_manifest_note(r->manifest, text);
    free(text);
}

/* Continues without further checkpoints, as running the script again would not lead to this state. */
static bool end_checkpoints(run *r, const char *why) {
    char last[64] = "there is none to resume from";
    if (r->checkpoint >= 0) snprintf(last, sizeof last, "the last one is of frame %lld", (long long)r->checkpoint);
    app_guard_lock();
    note(r, true, "no checkpoints from frame %lld on: %s; %s", (long long)r->scene.frame, why, last);
    app_guard_unlock();
    r->no_checkpoints = true;
    return true;
}

static bool checkpoint(run *r) {
    if (r->options->checkpoint_every <= 0 || r->no_checkpoints || r->checkpoint == r->scene.frame) return true;
    app_scene *s = &r->scene;
    if (mus_snapshot_compare(r->start, s->world) != MUS_STATUS_OK) return end_checkpoints(r, mus_get_error_message());
    if (mus_lua_world_changed(s->L, s->world_index))
        return end_checkpoints(r, "hooks, motions, paths or rules were added or removed after the start");
    bool refused = false;
    app_guard_lock();
    bool ok = app_checkpoint_write(r->options->out, s, r->manifest, r->output, &r->tally, &refused);
    app_guard_unlock();
    if (refused) return end_checkpoints(r, mus_get_error_message());
    if (!ok) return fail(r);
    r->checkpoint = s->frame;
    return true;
}

/* Restores the frame of the checkpoint; later frames of an earlier process are written again. */
static bool resume(run *r) {
    app_scene *s = &r->scene;
    if (!app_checkpoint_resume(r->options->out, s, r->manifest, r->output, &r->tally, r->last_frame)) return fail(r);
    app_guard_lock();
    r->checkpoint = s->frame;
    r->frames_made = s->frame + 1;
    r->frame =
        (app_frame){.frame = s->frame, .time = mus_world_get_time(s->world), .hash = mus_world_get_hash(s->world)};
    app_guard_unlock();
    if (!app_manifest_log(r->manifest, s->L, s->world_index)) {
        mus_fail(MUS_STATUS_NO_MEMORY, "no memory for the manifest");
        return fail(r);
    }
    return true;
}

/* ---- Playing ----------------------------------------------------------------------------------------------------- */

static bool play_frames(run *r) {
    app_scene *s = &r->scene;
    const app_options *o = r->options;
    if (!app_scene_open(s, o)) return false;
    if (r->manifest) app_manifest_files(r->manifest, s->L);
    if (!s->world) {
        if (o->frames < 0 && o->seconds < 0 && !o->audit && !o->json && !o->format) return true;
        mus_fail(MUS_STATUS_INVALID, "%s: returns no world, so there is nothing to simulate; end it with: return world",
                 app_options_title(o));
        return fail(r);
    }
    r->last_frame = app_scene_frames(s, o);
    if (r->report) app_run_report_watch(r->report, s->L, s->world_index);
    if (o->pictures.step > 0 && o->pictures.first > r->last_frame) {
        mus_fail(MUS_STATUS_INVALID, "--frames-only: frame %lld is after the last frame of the run, %lld",
                 (long long)o->pictures.first, (long long)r->last_frame);
        return fail(r);
    }
    if (o->checkpoint_every > 0 &&
        (mus_snapshot_create(s->world, &r->start) != MUS_STATUS_OK || !app_checkpoint_start(s)))
        return fail(r);
    bool resumed = o->resume && app_checkpoint_there(o->out);
    if (r->manifest) {
        app_manifest_scene(r->manifest, s, r->output);
        if (resumed && !resume(r)) return false;
        app_guard_lock();
        if (o->resume && !resumed) note(r, !o->quiet, "no checkpoint in '%s': the run begins at frame 0", o->out);
        char kept[APP_FORMATS_SIZE] = "";
        if (r->keep_earlier) app_output_remove_earlier(r->output, resumed ? s->frame : -1, kept);
        if (*kept && !resumed)
            note(r, !o->quiet, "'%s' also contains files of an earlier run in other formats (%s), which stay", o->out,
                 kept);
        r->keep_earlier = false;
        bool saved = save_manifest(r);
        app_output_reserve(r->output, r->last_frame);
        app_guard_unlock();
        if (!saved) return false;
    }
    if (!resumed && !record_frame(r, 0)) return false;
    while (!app_scene_is_over(s, r->last_frame)) {
        if (app_guard_stopped() != APP_STOP_NONE) return checkpoint(r);
        app_progress_update(&r->progress, s->frame, r->last_frame, "frames");
        double start = app_clock();
        if (!app_scene_frame(s)) return false;
        if (!record_frame(r, 1e3 * (app_clock() - start))) return false;
        if (o->checkpoint_every > 0 && s->frame % o->checkpoint_every == 0 && !checkpoint(r)) return false;
    }
    if (!checkpoint(r)) return false;
    r->finished = app_scene_finish(s);
    return r->finished;
}

/* Returns the exit code, and its word for the manifest. */
static int choose_exit_code(run *r, bool ok, const char **reason) {
    int code = app_scene_outcome(&r->scene, ok, r->finished, reason);
    if (code != APP_OK || r->tally.bad_frames == 0) return code;
    *reason = "intersections";
    return APP_CHECK_FAILED;
}

static const char *where_written(const run *r, char text[300]) {
    if (!r->output)
        snprintf(text, 300, "no output was requested");
    else if (app_output_format_count(r->output) == 0)
        snprintf(text, 300, "the manifest is in '%s'", r->options->out);
    else
        snprintf(text, 300, "%lld frame%s in '%s'", (long long)r->frames_made, r->frames_made == 1 ? " is" : "s are",
                 r->options->out);
    return text;
}

/* `at`: the line of the script that was stopped, or "". */
static void report_end(const run *r, int code, const char *reason, const char *at) {
    char written[300], when[64] = "before the first frame";
    const char *in = *at ? ", in " : "";
    where_written(r, written);
    if (r->frames_made > 0) snprintf(when, sizeof when, "after frame %lld", (long long)r->frame.frame);
    if (code == APP_TIME_LIMIT)
        app_error("%s: time limit of %g s reached %s%s%s; %s", app_options_title(r->options), r->options->time_limit,
                  when, in, at, written);
    else if (code == APP_INTERRUPTED)
        app_error("%s: %s %s%s%s; %s", app_options_title(r->options), reason, when, in, at, written);
    else if (code == APP_ERROR || r->scene.error)
        app_error("%s", r->scene.error ? r->scene.error : "the run stopped, out of memory for the reason");
    if (r->tally.bad_frames > 0)
        app_error("audit: %lld intersections and %lld features inside obstacles in %lld of %lld frames; first in frame "
                  "%lld: %s",
                  (long long)r->tally.intersections, (long long)r->tally.inside, (long long)r->tally.bad_frames,
                  (long long)r->frames_made, (long long)r->tally.first_bad_frame,
                  r->tally.first_bad ? r->tally.first_bad : "?");
}

/* What was moved before the first step, by pair of objects. */
static void print_start(const mus_world *world) {
    for (int32_t k = 0; world && k < mus_world_get_start_pair_count(world); k++) {
        mus_start_pair p;
        mus_world_get_start_pair(world, k, &p);
        if (p.moved == 0) continue;
        char with[128] = "itself";
        if (strcmp(p.a, p.b) != 0) snprintf(with, sizeof with, "'%s'", p.b);
        printf("start: '%s' and %s: %lld pairs of faces crossed, %lld features inside; %d vertices moved, %.3g mm at "
               "most\n",
               p.a, with, (long long)p.crossings, (long long)p.inside, p.moved, 1e3 * p.largest);
    }
}

static void describe_pinched(const run *r, char text[128]) {
    snprintf(text, 128, "pinched: up to %d vertices in %lld frames did not collide with the mesh around them",
             r->most_pinched, (long long)r->frames_pinched);
}

static void print_summary(const run *r, int code, const char *reason) {
    const app_options *o = r->options;
    double wall = app_clock() - r->began;
    int64_t played = r->frame.frame;
    double mean = played > 0 ? r->tally.total_ms / (double)played : 0;
    if (o->json) {
        printf(
            "{\"summary\": true, \"frames\": %lld, \"time\": %.17g, \"wall_s\": %.6g, \"mean_ms\": %.6g, \"worst_ms\": "
            "%.6g, \"intersections\": ",
            (long long)r->frames_made, r->frame.time, wall, mean, r->tally.worst_ms);
        if (o->audit)
            printf("%lld, \"inside\": %lld", (long long)r->tally.intersections, (long long)r->tally.inside);
        else
            fputs("null", stdout);
        fputs(", \"start\": ", stdout);
        if (r->scene.world)
            app_start_print_json(r->scene.world);
        else
            fputs("null", stdout);
        fputs(", \"hooks\": ", stdout);
        if (r->scene.world)
            app_hooks_print_json(r->scene.L, r->scene.world_index);
        else
            fputs("[]", stdout);
        printf(", \"hash\": \"%016llx\", \"code\": %d, \"reason\": \"%s\"}\n", (unsigned long long)r->frame.hash, code,
               reason);
        return;
    }
    if (o->quiet || r->frames_made == 0) return;
    printf("%s: frames 0 to %lld, %g s of motion in %.2f s (mean %.2f ms a frame, worst %.2f), state %016llx\n",
           app_options_title(o), (long long)played, r->frame.time, wall, mean, r->tally.worst_ms,
           (unsigned long long)r->frame.hash);
    if (o->audit && r->tally.bad_frames == 0)
        printf("audit: no intersections in %lld frames\n", (long long)r->frames_made);
    print_start(r->scene.world);
    char pinched[128];
    describe_pinched(r, pinched);
    if (r->frames_pinched > 0) puts(pinched);
    if (r->output) {
        int formats = app_output_format_count(r->output);
        printf("%s:", o->out);
        if (formats > 0) printf(" %lld frames as", (long long)r->frames_made);
        for (int k = 0; k < formats; k++) printf("%s %s", k ? "," : "", app_output_format_name(r->output, k));
        if (o->pictures.step > 0)
            printf(" (pictures of frames %lld to %lld by %lld)", (long long)o->pictures.first,
                   (long long)(o->pictures.last < played ? o->pictures.last : played), (long long)o->pictures.step);
        printf("%s%s\n", formats > 0 ? ", manifest.json" : " manifest.json", r->report ? ", report.html" : "");
    }
}

/* Lua or a hook did not return: saves the records and leaves the rest of the process untouched. */
static void last_words(void *user, app_stop why) {
    run *r = user;
    if (r->is_reported) { /* all is written, but finalizers of a trusted script did not return */
        app_error("%s: %s while the script's objects were closed", app_options_title(r->options),
                  why == APP_STOP_TIME_LIMIT ? "time limit reached" : "ended by a signal");
        return;
    }
    const char *reason = why == APP_STOP_TIME_LIMIT  ? "time limit"
                         : why == APP_STOP_INTERRUPT ? "interrupted"
                                                     : "terminated";
    if (r->manifest && r->output && !r->keep_earlier) {
        app_output_release(r->output);
        app_manifest_exit(r->manifest, app_stop_exit_code(why), reason, "the script did not end by itself");
        app_manifest_write(r->manifest, r->options->out);
        if (r->report && app_run_report_write(r->report, r->manifest, &r->tally) != MUS_STATUS_OK)
            app_error("report: %s", mus_get_error_message());
    }
    report_end(r, app_stop_exit_code(why), reason, "");
}

/* A file of the run's end could not be written: the manifest is to state it. */
static void write_failed(run *r, const char *what, int *code, const char **reason) {
    app_error("%s: %s", what, mus_get_error_message());
    if (*code == APP_OK || *code == APP_CHECK_FAILED) *code = APP_ERROR, *reason = "error";
    app_manifest_exit(r->manifest, *code, *reason, mus_get_error_message());
}

static int run_scene(run *r) {
    const app_options *o = r->options;
    if (!app_guard_start(o->time_limit, last_words, r)) {
        app_error("%s", mus_get_error_message());
        return APP_ERROR;
    }
    app_progress_start(&r->progress, app_options_title(o), o->quiet);
    bool ok = true;
    app_guard_lock();
    if (o->out) {
        r->manifest = app_manifest_create(o);
        app_earlier earlier = APP_EARLIER_NONE;
        r->output = r->manifest ? app_output_open(o->out, o->format, o->width, o->height, &earlier) : NULL;
        r->keep_earlier = earlier == APP_EARLIER_RUN;
        if (r->output) app_output_choose(r->output, o);
        if (o->report && r->output && !(r->report = app_run_report_create(o)))
            ok = fail(r);
        else
            ok = r->output ? save_manifest(r) : fail(r);
    }
    app_guard_unlock();
    bool folder = ok;
    ok = ok && play_frames(r);
    if (r->output && folder && r->frames_made > 0 && app_guard_stopped() == APP_STOP_NONE) {
        mus_status status = app_output_finish(r->output, r->scene.world, r->scene.fps, r->scene.frame);
        if (status == MUS_STATUS_CANCELLED) r->finished = ok = false, r->in = "ffmpeg";
        if (status != MUS_STATUS_OK && !r->scene.error) ok = fail(r);
    }

    if (o->picture && ok && r->output && r->frames_made > 0 &&
        app_output_picture(r->output, r->scene.L, r->scene.world_index, r->scene.world, "picture.png") !=
            MUS_STATUS_OK) { /* of a machine without OpenGL, say: the meshes are there */
        app_guard_lock();
        note(r, true, "no picture: %s", mus_get_error_message());
        app_guard_unlock();
    }
    if (r->report && r->frames_made > 0) app_run_report_last(r->report, &r->scene);

    const char *reason;
    int code = choose_exit_code(r, ok, &reason);
    app_progress_end(&r->progress);
    app_guard_lock();
    report_end(r, code, reason, r->in ? r->in : r->scene.L ? mus_lua_sandbox_stopped_at(r->scene.L) : "");
    if (r->manifest && folder && !r->keep_earlier) {
        if (r->scene.world) app_manifest_log(r->manifest, r->scene.L, r->scene.world_index);
        if (r->scene.world) app_manifest_hooks(r->manifest, r->scene.L, r->scene.world_index);
        if (r->scene.L) app_manifest_files(r->manifest, r->scene.L);
        char pinched[128];
        describe_pinched(r, pinched);
        if (r->frames_pinched > 0) app_manifest_note(r->manifest, pinched);
        app_manifest_exit(r->manifest, code, reason, r->scene.error);
        app_output_release(r->output);
        if (app_manifest_write(r->manifest, o->out) != MUS_STATUS_OK) {
            write_failed(r, "manifest", &code, &reason);
            app_manifest_write_short(r->manifest, o->out);
        } else if (r->report && app_run_report_write(r->report, r->manifest, &r->tally) != MUS_STATUS_OK) {
            write_failed(r, "report", &code, &reason);
            app_manifest_write(r->manifest, o->out);
        }
    }
    r->is_reported = true;
    app_guard_unlock();
    if (!r->stdout_closed) print_summary(r, code, reason);
    return code;
}

int app_run(const app_options *options) {
    if (options->case_at) return app_run_case(options);
    run r = {.options = options, .began = app_clock(), .checkpoint = -1};
    r.saved = r.began;
    int code = run_scene(&r);
    app_output_close(r.output);
    app_scene_close(&r.scene); /* finalizers run under the guard too */
    app_guard_end();
    app_manifest_destroy(r.manifest);
    app_run_report_destroy(r.report);
    free(r.tally.first_bad);
    mus_snapshot_destroy(r.start);
    return code;
}
