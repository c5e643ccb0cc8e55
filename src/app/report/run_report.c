/* run_report.c: what `muslin run --report` measures in every frame, and its page. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows of a table of values: the page stays below 1 MB without its pictures. */
enum { MOST_ROWS = 1000, MOST_LOG_ROWS = 400, MOST_LOGS = 24 };

/* Of one frame, beside what the manifest has. */
typedef struct sample {
    int64_t frame;
    double energy[5]; /* J, as energy_names */
    double strain;    /* of an edge, largest */
    double gap;       /* m, smallest of the contacts of the last step: distance - thickness; NAN: no contacts */
    double phase_ms[MUS_PHASE_COUNT]; /* of all steps of the frame */
} sample;

static const char *const energy_names[] = {"total", "kinetic", "elastic", "gravitational", "contact"};

struct app_run_report {
    const app_options *options;
    app_page page;
    app_stills *stills;
    sample *samples, present;
    int64_t count, capacity;
    bool is_measured;
};

app_run_report *app_run_report_create(const app_options *options) {
    app_run_report *r = calloc(1, sizeof *r);
    if (r) r->stills = app_stills_create(options->show);
    if (!r || !r->stills) {
        mus_fail(MUS_STATUS_NO_MEMORY, "no memory for the report");
    } else if (app_page_load(&r->page)) {
        r->options = options;
        return r;
    }
    app_run_report_destroy(r);
    return NULL;
}

void app_run_report_destroy(app_run_report *r) {
    if (!r) return;
    app_stills_destroy(r->stills);
    app_page_free(&r->page);
    free(r->samples);
    free(r);
}

/* ---- Measuring --------------------------------------------------------------------------------------------------- */

static void add_step(void *user, mus_world *world, bool after) {
    app_run_report *r = user;
    if (!after) return;
    mus_stats stats;
    mus_world_get_stats(world, &stats);
    for (int k = 0; k < MUS_PHASE_COUNT; k++) r->present.phase_ms[k] += stats.phase_ms[k];
}

void app_run_report_watch(app_run_report *r, lua_State *L, int world_index) {
    mus_lua_world_watch(L, world_index, add_step, r);
}

static double smallest_gap(const mus_world *world) {
    int64_t count = 0;
    const mus_contact *contacts = mus_world_get_contacts(world, &count);
    double least = INFINITY;
    for (int64_t k = 0; contacts && k < count; k++) least = fmin(least, contacts[k].gap);
    return isfinite(least) ? least : NAN;
}

void app_run_report_measure(app_run_report *r, const app_scene *scene, const mus_lua_drawing *drawing) {
    sample *s = &r->present;
    mus_energy e = {NAN, NAN, NAN, NAN, NAN, NAN};
    mus_stats stats = {0};
    if (mus_world_get_energy(scene->world, &e) != MUS_STATUS_OK) e = (mus_energy){NAN, NAN, NAN, NAN, NAN, NAN};
    mus_world_get_stats(scene->world, &stats);
    s->frame = scene->frame;
    s->energy[0] = e.total, s->energy[1] = e.kinetic, s->energy[2] = e.elastic, s->energy[3] = e.gravitational;
    s->energy[4] = e.contact;
    s->strain = scene->frame > 0 ? stats.max_strain : NAN; /* known after the first step */
    s->gap = smallest_gap(scene->world);
    r->is_measured = true;
    app_stills_take(r->stills, scene->L, scene->world_index, scene->world, scene->frame, drawing, false);
}

bool app_run_report_keep(app_run_report *r) {
    if (!r->is_measured) return true;
    if (r->count == r->capacity) {
        int64_t capacity = r->capacity ? 2 * r->capacity : 256;
        sample *grown = realloc(r->samples, (size_t)capacity * sizeof *grown);
        if (!grown) {
            mus_fail(MUS_STATUS_NO_MEMORY, "no memory for the report");
            return false;
        }
        r->samples = grown, r->capacity = capacity;
    }
    r->samples[r->count++] = r->present;
    r->present = (sample){0};
    r->is_measured = false;
    app_stills_keep(r->stills);
    return true;
}

void app_run_report_last(app_run_report *r, const app_scene *scene) {
    if (!scene->world || r->count == 0) return;
    app_stills_take(r->stills, scene->L, scene->world_index, scene->world, scene->frame, NULL, true);
    app_guard_lock();
    app_stills_keep(r->stills);
    app_guard_unlock();
}

/* ---- The manifest ------------------------------------------------------------------------------------------------ */

/* Frames of the manifest and samples side by side, a column for each quantity. */
typedef struct table {
    int64_t count;
    double *time, *step_ms, *contacts, *iterations, *intersections, *inside;
    double *energy[5], *strain, *gap, *phase_ms[MUS_PHASE_COUNT]; /* J, %, mm, ms */
    bool is_audited;
} table;
enum { COLUMNS = 13 + MUS_PHASE_COUNT, PHASE_HEAD = 40 };

static double number_at(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* One block, freed with t->time. */
static bool fill_table(table *t, const app_run_report *r, const json_t *frames) {
    size_t n = json_array_size(frames);
    double *block = malloc((n + 1) * COLUMNS * sizeof *block), *at = block;
    if (!block) return false;
    double **const columns[] = {&t->time,      &t->step_ms,   &t->contacts, &t->iterations, &t->intersections,
                                &t->inside,    &t->strain,    &t->gap,      &t->energy[0],  &t->energy[1],
                                &t->energy[2], &t->energy[3], &t->energy[4]};
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++, at += n + 1) *columns[k] = at;
    for (int k = 0; k < MUS_PHASE_COUNT; k++, at += n + 1) t->phase_ms[k] = at;
    t->count = (int64_t)n;
    for (double *value = block; value < at; value++) *value = NAN;
    for (size_t k = 0; k < n; k++) {
        const json_t *f = json_array_get(frames, k);
        t->time[k] = number_at(f, "time");
        t->step_ms[k] = k > 0 ? number_at(f, "step_ms") : NAN; /* frame 0 is the initial state */
        t->contacts[k] = number_at(f, "contacts");
        t->iterations[k] = number_at(f, "iterations");
        t->intersections[k] = number_at(f, "intersections");
        t->inside[k] = number_at(f, "inside");
        t->is_audited = t->is_audited || isfinite(t->intersections[k]);
    }
    for (int64_t k = 0; k < r->count; k++) {
        const sample *s = &r->samples[k];
        if (s->frame >= t->count) continue;
        t->strain[s->frame] = 100 * s->strain;
        t->gap[s->frame] = 1e3 * s->gap;
        for (int e = 0; e < 5; e++) t->energy[e][s->frame] = s->energy[e];
        for (int p = 0; s->frame > 0 && p < MUS_PHASE_COUNT; p++) t->phase_ms[p][s->frame] = s->phase_ms[p];
    }
    return true;
}

static double mean_of(const double *x, int64_t count) {
    double sum = 0;
    int64_t n = 0;
    for (int64_t k = 0; k < count; k++)
        if (isfinite(x[k])) sum += x[k], n++;
    return n > 0 ? sum / (double)n : NAN;
}

static double largest_of(const double *x, int64_t count) {
    double most = NAN;
    for (int64_t k = 0; k < count; k++) most = fmax(most, x[k]); /* fmax ignores NAN */
    return most;
}

static double smallest_of(const double *x, int64_t count) {
    double least = NAN;
    for (int64_t k = 0; k < count; k++) least = fmin(least, x[k]);
    return least;
}

/* ---- Outcome ----------------------------------------------------------------------------------------------------- */

static const struct {
    const char *reason, *kind, *text;
} outcomes[] = {
    {"finished", "good", "Finished"},
    {"intersections", "bad", "Played to its end, but the audit found intersections"},
    {"check failed", "bad", "A check of the scene failed"},
    {"error", "bad", "Ended by an error"},
    {"time limit", "cut", "Stopped at its time limit"},
    {"interrupted", "cut", "Interrupted by the user"},
    {"terminated", "cut", "Ended by a signal (SIGTERM)"},
};

static void print_outcome(app_run_report *r, const json_t *manifest, const table *t, const app_tally *tally) {
    const json_t *end = json_object_get(manifest, "exit");
    const char *reason = json_string_value(json_object_get(end, "reason"));
    const char *message = json_string_value(json_object_get(end, "message"));
    size_t k = 0;
    while (k + 1 < sizeof outcomes / sizeof *outcomes && strcmp(outcomes[k].reason, reason ? reason : "error") != 0)
        k++;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return;
    fputs(outcomes[k].text, out);
    if (t->count > 0)
        fprintf(out, ": frames 0 to %lld, %.6g s of motion", (long long)t->count - 1, t->time[t->count - 1]);
    else
        fputs(" before the first frame", out);
    fputs(".", out);
    if (message) fprintf(out, " %.*s", (int)strcspn(message, "\n"), message);
    if (!t->is_audited)
        fputs(" The frames were not audited (--audit).", out);
    else if (tally->bad_frames == 0)
        fprintf(out, " Audit: no intersections and no features inside obstacles in %lld frames.", (long long)t->count);
    else
        fprintf(out,
                " Audit: %lld intersections and %lld features inside obstacles in %lld of %lld frames; first in frame "
                "%lld: %s.",
                (long long)tally->intersections, (long long)tally->inside, (long long)tally->bad_frames,
                (long long)t->count, (long long)tally->first_bad_frame, tally->first_bad ? tally->first_bad : "?");
    fclose(out);
    app_page_outcome(&r->page, outcomes[k].kind, text);
    free(text);
    if (message && strchr(message, '\n')) {
        app_page_details_start(&r->page, "The whole message");
        app_page_preformatted(&r->page, message);
        app_page_details_end(&r->page);
    }
}

static void print_notes(app_page *page, const json_t *notes) {
    if (json_array_size(notes) == 0) return;
    app_page_section(page, "Notes");
    for (size_t k = 0; k < json_array_size(notes); k++)
        app_page_paragraph(page, json_string_value(json_array_get(notes, k)));
}

static void print_pair(app_page *page, const char *name, double value, const char *unit) {
    char text[64];
    snprintf(text, sizeof text, "%.5g%s", value, unit);
    app_page_pair(page, name, isfinite(value) ? text : NULL);
}

static void print_summary(app_page *page, const table *t) {
    app_page_section(page, "Summary");
    app_page_pairs_start(page, "Figures of the whole run");
    print_pair(page, "frames", (double)t->count, "");
    print_pair(page, "time of a frame, mean", mean_of(t->step_ms, t->count), " ms");
    print_pair(page, "time of a frame, largest", largest_of(t->step_ms, t->count), " ms");
    print_pair(page, "contacts, most", largest_of(t->contacts, t->count), "");
    print_pair(page, "strain of an edge, largest", largest_of(t->strain, t->count), " %");
    print_pair(page, "gap of a contact, smallest", smallest_of(t->gap, t->count), " mm");
    print_pair(page, "total energy, largest", largest_of(t->energy[0], t->count), " J");
    app_page_table_end(page);
}

/* ---- Plots ------------------------------------------------------------------------------------------------------- */

static void plot_one(app_page *page, const table *t, const double *y, const char *title, const char *label,
                     const char *caption, bool mean) {
    app_series series = {title, t->time, y, t->count};
    app_plot plot = {.title = title,
                     .caption = caption,
                     .x_label = "time [s]",
                     .y_label = label,
                     .series = &series,
                     .count = 1,
                     .level = mean ? mean_of(y, t->count) : NAN,
                     .level_label = "mean",
                     .zero = true};
    app_page_plot(page, &plot);
}

static void plot_energies(app_page *page, const table *t) {
    app_series series[5];
    int n = 0;
    for (int k = 0; k < 5; k++) {
        if (k == 4 && !(largest_of(t->energy[k], t->count) > 0)) continue; /* no contact energies */
        series[n++] = (app_series){energy_names[k], t->time, t->energy[k], t->count};
    }
    app_plot plot = {.title = "Energy",
                     .x_label = "time [s]",
                     .y_label = "energy [J]",
                     .series = series,
                     .count = n,
                     .level = NAN,
                     .zero = true,
                     .caption = "Of all cloths and rigid bodies. Gravitational energy is 0 at the origin; total is the "
                                "sum of the others."};
    app_page_plot(page, &plot);
}

static double sum_of(const double *x, int64_t count) {
    double sum = 0;
    for (int64_t k = 0; k < count; k++)
        if (isfinite(x[k])) sum += x[k];
    return sum;
}

static void plot_phases(app_page *page, const table *t) {
    app_series series[MUS_PHASE_COUNT];
    double total = 0;
    int n = 0;
    for (int k = 0; k < MUS_PHASE_COUNT; k++) total += sum_of(t->phase_ms[k], t->count);
    for (int k = 0; k < MUS_PHASE_COUNT; k++)
        if (sum_of(t->phase_ms[k], t->count) > 0.01 * total)
            series[n++] = (app_series){mus_phase_get_name((mus_phase)k), t->time, t->phase_ms[k], t->count};
    app_plot plot = {.title = "Time by phase",
                     .x_label = "time [s]",
                     .y_label = "time of a frame [ms]",
                     .series = series,
                     .count = n,
                     .level = NAN,
                     .zero = true,
                     .caption = "Wall-clock time of the phases of all steps of a frame. The table also has those with "
                                "less than 1 % of the time."};
    app_page_plot(page, &plot);
}

/* Columns of the table of frames, in its order. */
static int choose_columns(const table *t, char phases[][PHASE_HEAD], const char *heads[], const double *values[]) {
    const struct {
        const char *head;
        const double *values;
        bool is_wanted;
    } all[] = {{"time [s]", t->time, true},
               {"step [ms]", t->step_ms, true},
               {"contacts", t->contacts, true},
               {"iterations", t->iterations, true},
               {"intersections", t->intersections, t->is_audited},
               {"inside", t->inside, t->is_audited},
               {"total energy [J]", t->energy[0], true},
               {"kinetic [J]", t->energy[1], true},
               {"elastic [J]", t->energy[2], true},
               {"gravitational [J]", t->energy[3], true},
               {"contact [J]", t->energy[4], true},
               {"strain [%]", t->strain, true},
               {"gap [mm]", t->gap, true}};
    int n = 0;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (all[k].is_wanted) heads[n] = all[k].head, values[n++] = all[k].values;
    for (int k = 0; k < MUS_PHASE_COUNT; k++) {
        if (!(largest_of(t->phase_ms[k], t->count) > 0)) continue;
        snprintf(phases[k], PHASE_HEAD, "phase %s [ms]", mus_phase_get_name((mus_phase)k));
        heads[n] = phases[k], values[n++] = t->phase_ms[k];
    }
    return n;
}

static void print_frames(app_page *page, const table *t) {
    const char *heads[COLUMNS + 1] = {"frame"};
    const double *values[COLUMNS];
    char kinds[COLUMNS + 1], summary[160], phases[MUS_PHASE_COUNT][PHASE_HEAD];
    int n = choose_columns(t, phases, heads + 1, values);
    memset(kinds, 'n', sizeof kinds);
    int64_t every = (t->count + MOST_ROWS - 1) / MOST_ROWS;
    if (every > 1)
        snprintf(summary, sizeof summary, "Values of one of %lld frames as a table", (long long)every);
    else
        snprintf(summary, sizeof summary, "Values of all frames as a table");
    app_page_details_start(page, summary);
    app_page_table_start(page, "Values by frame", heads, kinds, n + 1);
    for (int64_t k = 0; k < t->count; k += every) {
        app_page_row_number(page, (double)k);
        for (int c = 0; c < n; c++) app_page_number(page, values[c][k]);
        app_page_row_end(page);
    }
    app_page_table_end(page);
    app_page_details_end(page);
}

static void print_plots(const app_run_report *r, app_page *page, const table *t) {
    app_page_section(page, "Frame by frame");
    if (r->count < t->count)
        app_page_paragraph(page, "Energies, strain, gap and phases were measured in this process only; frames before "
                                 "the checkpoint from which the run was resumed have none.");
    plot_one(page, t, t->step_ms, "Time of a frame", "time [ms]",
             "Wall-clock time of all steps of a frame, with hooks.", true);
    plot_phases(page, t);
    plot_one(page, t, t->contacts, "Contacts", "contacts",
             "In the last step of a frame: pairs closer than their thickness, or that would have crossed.", false);
    plot_one(page, t, t->iterations, "Solver iterations", "iterations",
             "Of the linear solver, in the last step of a frame.", false);
    plot_energies(page, t);
    plot_one(page, t, t->strain, "Largest strain", "strain [%]", "Of any edge, at the end of the frame.", false);
    plot_one(page, t, t->gap, "Smallest gap", "gap [mm]",
             "Distance minus thickness, the smallest of the contacts of the last step of a frame. Pairs that are no "
             "contacts are not measured.",
             false);
    if (largest_of(t->intersections, t->count) > 0 || largest_of(t->inside, t->count) > 0) {
        app_series series[] = {{"intersections", t->time, t->intersections, t->count},
                               {"features inside obstacles", t->time, t->inside, t->count}};
        app_plot plot = {.title = "Audit",
                         .x_label = "time [s]",
                         .y_label = "findings",
                         .series = series,
                         .count = 2,
                         .level = NAN,
                         .zero = true,
                         .caption = "Of the exact auditor, which shares no code with the "
                                    "detection of collisions."};
        app_page_plot(page, &plot);
    }
    print_frames(page, t);
}

/* ---- Values of world:log ----------------------------------------------------------------------------------------- */

static void print_log(app_page *page, const char *name, const json_t *values) {
    size_t n = json_array_size(values);
    double *x = malloc((2 * n + 1) * sizeof *x), *y = x ? x + n : NULL;
    if (!x) return;
    for (size_t k = 0; k < n; k++) {
        const json_t *row = json_array_get(values, k), *value = json_array_get(row, 2);
        x[k] = json_number_value(json_array_get(row, 1));
        y[k] = json_is_number(value) ? json_number_value(value) : NAN;
    }
    app_series series = {name, x, y, (int64_t)n};
    app_plot plot = {
        .title = name, .x_label = "time [s]", .y_label = "value", .series = &series, .count = 1, .level = NAN};
    app_page_plot(page, &plot);
    free(x);
}

static void print_log_table(app_page *page, const char *name, const json_t *values) {
    static const char *const heads[] = {"frame", "time [s]", "value"};
    size_t n = json_array_size(values), every = (n + MOST_LOG_ROWS - 1) / MOST_LOG_ROWS;
    char *summary = every > 1 ? app_format("%s: one of %zu values (log.csv has all)", name, every)
                              : app_format("%s: all values", name);
    if (!summary) return;
    app_page_details_start(page, summary);
    app_page_table_start(page, name, heads, "nnn", 3);
    for (size_t k = 0; k < n; k += every) {
        const json_t *row = json_array_get(values, k), *value = json_array_get(row, 2);
        app_page_row_number(page, json_number_value(json_array_get(row, 0)));
        app_page_number(page, json_number_value(json_array_get(row, 1)));
        app_page_number(page, json_is_number(value) ? json_number_value(value) : NAN);
        app_page_row_end(page);
    }
    app_page_table_end(page);
    app_page_details_end(page);
    free(summary);
}

static bool has_curve(const json_t *values) {
    return json_array_size(values) > 1;
}

/* Values that were logged once, in a table of their own. */
static void print_single_values(app_page *page, json_t *log) {
    static const char *const heads[] = {"name", "frame", "time [s]", "value"};
    const char *name;
    json_t *values;
    int n = 0;
    json_object_foreach(log, name, values) {
        const json_t *row = json_array_get(values, 0);
        if (has_curve(values)) continue;
        if (n++ == 0) app_page_table_start(page, "Values that were logged once", heads, "tnnn", 4);
        app_page_row_start(page, name);
        for (size_t k = 0; k < 3; k++) app_page_value(page, json_array_get(row, k));
        app_page_row_end(page);
    }
    if (n > 0) app_page_table_end(page);
}

static void print_logs(app_page *page, json_t *log) {
    if (json_object_size(log) == 0) return;
    const char *name;
    json_t *values;
    int n = 0;
    app_page_section(page, "Logged values");
    json_object_foreach(log, name, values) if (has_curve(values) && n++ < MOST_LOGS) print_log(page, name, values);
    n = 0;
    json_object_foreach(log, name, values) if (has_curve(values) && n++ < MOST_LOGS)
        print_log_table(page, name, values);
    char text[120];
    snprintf(text, sizeof text, "%d more names are in log.csv: a report plots %d of them.", n - MOST_LOGS, MOST_LOGS);
    if (n > MOST_LOGS) app_page_paragraph(page, text);
    print_single_values(page, log);
}

/* ---- The page -----------------------------------------------------------------------------------------------------
 */

mus_status app_run_report_write(app_run_report *r, const app_manifest *source, const app_tally *tally) {
    json_t *manifest = app_manifest_json(source);
    table t = {0};
    const char *title = app_stills_title(r->stills), *scene = r->options->scene, *slash = strrchr(scene, '/');
    if (!manifest || !fill_table(&t, r, json_object_get(manifest, "frames")) ||
        !app_page_start(&r->page,
                        title   ? title
                        : slash ? slash + 1
                                : scene,
                        scene)) {
        json_decref(manifest);
        free(t.time);
        return mus_fail(MUS_STATUS_NO_MEMORY, "no memory for the report");
    }
    print_outcome(r, manifest, &t, tally);
    print_notes(&r->page, json_object_get(manifest, "notes"));
    if (t.count > 0) {
        app_stills_print(r->stills, &r->page, t.count - 1);
        print_summary(&r->page, &t);
        print_plots(r, &r->page, &t);
        print_logs(&r->page, json_object_get(manifest, "log"));
    }
    app_page_scene(&r->page, manifest);
    app_page_program(&r->page, manifest);
    json_decref(manifest);
    free(t.time);
    return app_page_write(&r->page, r->options->out);
}
