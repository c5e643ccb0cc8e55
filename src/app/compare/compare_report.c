/* compare_report.c: a comparison as a table, as CSV, as JSON and as a page of Markdown. */
#include "compare/compare.h"
#include "cli/json.h"

#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- Figures, each once ------------------------------------------------------------------------------------------ */

typedef enum figure_kind { REAL, COUNT } figure_kind;

static const struct {
    const char *name; /* its unit at the end */
    figure_kind kind;
    size_t offset;
} figures[] = {
#define FIGURE(kind, field, name)                                                                                      \
    { name, kind, offsetof(app_figures, field) }
    FIGURE(COUNT, frames, "frames"),
    FIGURE(COUNT, steps, "steps"),
    FIGURE(REAL, time, "time_s"),
    FIGURE(REAL, step_ms_median, "step_median_ms"),
    FIGURE(REAL, step_ms_mean, "step_mean_ms"),
    FIGURE(REAL, step_ms_max, "step_max_ms"),
    FIGURE(REAL, candidates_mean, "candidates_mean"),
    FIGURE(COUNT, candidates_max, "candidates_max"),
    FIGURE(REAL, tests_mean, "tests_mean"),
    FIGURE(COUNT, tests_max, "tests_max"),
    FIGURE(REAL, contacts_mean, "contacts_mean"),
    FIGURE(COUNT, contacts_max, "contacts_max"),
    FIGURE(REAL, passes_mean, "passes_mean"),
    FIGURE(COUNT, passes_max, "passes_max"),
    FIGURE(REAL, iterations_mean, "iterations_mean"),
    FIGURE(COUNT, iterations_max, "iterations_max"),
    FIGURE(COUNT, substeps_max, "substeps_max"),
    FIGURE(COUNT, zones_max, "zones_max"),
    FIGURE(COUNT, intersections_worst, "intersections_worst"),
    FIGURE(COUNT, intersections_worst_frame, "intersections_worst_frame"),
    FIGURE(COUNT, intersections_last, "intersections_last"),
    FIGURE(COUNT, inside_worst, "inside_worst"),
    FIGURE(COUNT, inside_last, "inside_last"),
    FIGURE(REAL, depth_max, "depth_max_m"),
    FIGURE(REAL, momentum_drift, "momentum_drift"),
    FIGURE(COUNT, momentum_steps, "momentum_steps"),
    FIGURE(REAL, kinetic_energy, "kinetic_energy_J"),
    FIGURE(REAL, kinetic_energy_max, "kinetic_energy_max_J"),
    FIGURE(REAL, energy, "energy_J"),
    FIGURE(REAL, energy_rise, "energy_rise_J"),
    FIGURE(REAL, stretch, "stretch"),
    FIGURE(REAL, stretch_max, "stretch_max"),
    FIGURE(REAL, speed, "speed_m_s"),
    FIGURE(REAL, rest_time, "rest_time_s"),
#undef FIGURE
};
enum { FIGURE_COUNT = sizeof figures / sizeof *figures };

static json_t *figure_json(const app_figures *f, int k) {
    const char *at = (const char *)f + figures[k].offset;
    if (f->frames == 0 && k > 0) return json_null(); /* nothing was measured */
    return figures[k].kind == REAL ? real(*(const double *)at) : json_integer(*(const int64_t *)at);
}

/* A row: flat, so that it is a line of CSV too. */
static json_t *column_json(const app_column *c) {
    json_t *o = json_object();
    json_object_set_new(o, "name", text_or_null(c->name));
    json_object_set_new(o, "rule", text_or_null(c->rule));
    json_object_set_new(o, "outcome", text_or_null(c->outcome));
    json_object_set_new(o, "reason", text_or_null(c->reason));
    for (int k = 0; k < FIGURE_COUNT; k++) json_object_set_new(o, figures[k].name, figure_json(&c->figures, k));
    bool known = c->figures.frames > 0;
    json_object_set_new(o, "at_rest", known ? json_boolean(!isnan(c->figures.rest_time)) : json_null());
    json_object_set_new(o, "hash", known ? hash_text(c->figures.hash) : json_null());
    for (int kind = 0; kind < MUS_STAGE_KIND_COUNT; kind++)
        json_object_set_new(o, mus_stage_kind_get_name((mus_stage_kind)kind),
                            c->stages[kind][0] ? json_string(c->stages[kind]) : json_null());
    return o;
}

static json_t *comparison_json(const app_comparison *c) {
    const app_options *options = c->options;
    mus_build build = mus_get_build();
    json_t *o = json_object(), *arguments = json_array(), *columns = json_array();
    for (int k = 0; k < options->script_arg_count; k++)
        json_array_append_new(arguments, text_or_null(options->script_args[k]));
    for (int k = 0; k < c->count; k++) json_array_append_new(columns, column_json(&c->columns[k]));
    json_object_set_new(o, "muslin", text_or_null(build.version));
    json_object_set_new(o, "compiler", text_or_null(build.compiler));
    json_object_set_new(o, "cpu", text_or_null(build.cpu));
    json_object_set_new(o, "simd", text_or_null(build.simd));
    json_object_set_new(o, "processors", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
    json_object_set_new(o, "script", text_or_null(options->scene));
    json_object_set_new(o, "arguments", arguments);
    json_object_set_new(o, "frames", options->frames >= 0 ? json_integer(options->frames) : json_null());
    json_object_set_new(o, "seconds", options->seconds >= 0 ? real(options->seconds) : json_null());
    json_object_set_new(o, "threads", options->threads >= 0 ? json_integer(options->threads) : json_null());
    json_object_set_new(o, "seed", options->seed_given ? unsigned_integer(options->seed) : json_null());
    json_object_set_new(o, "time_limit", options->time_limit > 0 ? real(options->time_limit) : json_null());
    json_object_set_new(o, "inside_tolerance_m", real(c->inside_tolerance));
    json_object_set_new(o, "rest_speed_m_s", real(app_rest_speed));
    json_object_set_new(o, "columns", columns);
    return o;
}

/* ---- The table --------------------------------------------------------------------------------------------------- */

static const struct {
    const char *top, *name;
} heads[APP_CELLS] = {
    {"step [ms]", "median"},
    {"", "max"},
    {"pairs", "a step"},
    {"tests", "a step"},
    {"contacts", "a step"},
    {"passes", "a step"},
    {"solver", "its."},
    {"crossings", "worst"},
    {"", "last"},
    {"deepest", "[mm]"},
    {"momentum", "drift"},
    {"kinetic", "[J]"},
    {"stretch", "max [%]"},
    {"at rest", "from [s]"},
};

static void write_cell(char text[APP_CELL], const char *format, double value) {
    if (isnan(value))
        snprintf(text, APP_CELL, "-");
    else
        snprintf(text, APP_CELL, format, value);
}

void app_comparison_head(int k, char text[APP_CELL]) {
    const char *top = *heads[k].top || k == 0 ? heads[k].top : heads[k - 1].top; /* which spans two columns */
    snprintf(text, APP_CELL, "%s %s", top, heads[k].name);
}

void app_comparison_cells(const app_figures *f, char text[APP_CELLS][APP_CELL]) {
    if (f->frames == 0) {
        for (int k = 0; k < APP_CELLS; k++) snprintf(text[k], APP_CELL, "-");
        return;
    }
    write_cell(text[0], "%.2f", f->step_ms_median);
    write_cell(text[1], "%.2f", f->step_ms_max);
    write_cell(text[2], "%.0f", f->candidates_mean);
    write_cell(text[3], "%.0f", f->tests_mean);
    write_cell(text[4], "%.0f", f->contacts_mean);
    write_cell(text[5], "%.1f", f->passes_mean);
    write_cell(text[6], "%.1f", f->iterations_mean);
    write_cell(text[7], "%.0f", (double)(f->intersections_worst));
    write_cell(text[8], "%.0f", (double)(f->intersections_last));
    write_cell(text[9], "%.3f", 1e3 * f->depth_max);
    write_cell(text[10], "%.1e", f->momentum_drift);
    write_cell(text[11], "%.2e", f->kinetic_energy);
    write_cell(text[12], "%.2f", 1e2 * f->stretch_max);
    if (isnan(f->rest_time))
        snprintf(text[13], APP_CELL, "no");
    else
        write_cell(text[13], "%.2f", f->rest_time);
}

static int name_width(const app_comparison *c) {
    size_t width = strlen("pipeline");
    for (int k = 0; k < c->count; k++)
        if (strlen(c->columns[k].name) > width) width = strlen(c->columns[k].name);
    return (int)width;
}

static bool ended_well(const app_column *c) {
    return strcmp(c->outcome, "finished") == 0;
}

/* "error in frame 12: ...", on one line. */
static void print_reason(FILE *out, const app_column *c) {
    fputs(c->outcome, out);
    if (c->figures.frames > 0) fprintf(out, " after frame %lld", (long long)c->figures.frames - 1);
    if (c->reason) fprintf(out, ": %.*s", (int)strcspn(c->reason, "\n"), c->reason);
    fputc('\n', out);
}

void app_comparison_print(const app_comparison *c) {
    int width = name_width(c);
    char text[APP_CELLS][APP_CELL];
    printf("%-*s %6s", width, "", "");
    for (int k = 0; k < APP_CELLS; k++) printf(" %9s", heads[k].top);
    printf("\n%-*s %6s", width, "pipeline", "frames");
    for (int k = 0; k < APP_CELLS; k++) printf(" %9s", heads[k].name);
    putchar('\n');
    for (int k = 0; k < c->count; k++) {
        const app_column *column = &c->columns[k];
        app_comparison_cells(&column->figures, text);
        printf("%-*s %6lld", width, column->name, (long long)column->figures.frames);
        for (int n = 0; n < APP_CELLS; n++) printf(" %9s", text[n]);
        putchar('\n');
        if (ended_well(column)) continue;
        fputs("  ", stdout);
        print_reason(stdout, column);
    }
}

void app_comparison_print_json(const app_comparison *c) {
    for (int k = 0; k < c->count; k++) {
        json_t *o = column_json(&c->columns[k]);
        json_dumpf(o, stdout, JSON_REAL_PRECISION(17) | JSON_COMPACT);
        putchar('\n');
        json_decref(o);
    }
}

/* ---- Files ------------------------------------------------------------------------------------------------------- */

static void csv(const app_comparison *c, FILE *out) {
    for (int k = 0; k < c->count; k++) {
        json_t *o = column_json(&c->columns[k]), *value;
        const char *key, *comma = "";
        if (k == 0) {
            json_object_foreach(o, key, value) {
                fputs(comma, out);
                app_csv_text(out, key);
                comma = ",";
            }
            fputc('\n', out);
            comma = "";
        }
        json_object_foreach(o, key, value) {
            fputs(comma, out);
            comma = ",";
            if (json_is_string(value))
                app_csv_text(out, json_string_value(value));
            else if (!json_is_null(value))
                json_dumpf(value, out, JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY);
        }
        fputc('\n', out);
        json_decref(o);
    }
}

static void json(const app_comparison *c, FILE *out) {
    json_t *o = comparison_json(c);
    json_dumpf(o, out, JSON_REAL_PRECISION(17) | JSON_INDENT(2));
    fputc('\n', out);
    json_decref(o);
}

/* Escapes text for Markdown. */
static void write_escaped(FILE *out, const char *text) {
    for (; *text && *text != '\n'; text++) {
        if (strchr("\\`*_{}[]<>#|", *text)) fputc('\\', out);
        fputc(*text, out);
    }
}

static void markdown(const app_comparison *c, FILE *out) {
    mus_build build = mus_get_build();
    char text[APP_CELLS][APP_CELL];
    fputs("# ", out);
    write_escaped(out, c->options->scene);
    fprintf(out, "\n\nmuslin %s, %s, %s, kernels for %s.\n\n", build.version, build.compiler, build.cpu, build.simd);
    fputs("| pipeline | frames |", out);
    for (int k = 0; k < APP_CELLS; k++)
        fprintf(out, " %s%s%s |", heads[k].top, *heads[k].top ? "<br>" : "", heads[k].name);
    fputs("\n|---|---:|", out);
    for (int k = 0; k < APP_CELLS; k++) fputs("---:|", out);
    fputc('\n', out);
    for (int k = 0; k < c->count; k++) {
        fputs("| ", out);
        write_escaped(out, c->columns[k].name);
        fprintf(out, " | %lld |", (long long)c->columns[k].figures.frames);
        app_comparison_cells(&c->columns[k].figures, text);
        for (int n = 0; n < APP_CELLS; n++) fprintf(out, " %s |", text[n]);
        fputc('\n', out);
    }
    for (int k = 0; k < c->count; k++) {
        const app_column *column = &c->columns[k];
        if (ended_well(column)) continue;
        fputs("\n**", out);
        write_escaped(out, column->name);
        fprintf(out, "**, %s%s", column->outcome, column->reason ? ":\n\n" : ".\n");
        for (const char *at = column->reason; at && *at;) { /* indented: a block of code */
            size_t n = strcspn(at, "\n");
            fprintf(out, "    %.*s\n", (int)n, at);
            at += n + (at[n] == '\n');
        }
    }
    if (c->picture) fputs("\n![The last frames side by side](compare.png)\n", out);
    fprintf(
        out,
        "\nTimes are wall-clock of a step, without the audit. Pairs, elementary tests, contacts, passes of the "
        "response\nand iterations of the solver are means over the steps. Crossings of triangles are the auditor's, "
        "in the worst\nand in the last frame; deepest is how far any of the cloth was inside an obstacle in any "
        "frame. Momentum drift\nis what gravity, drag, the forces of hooks and the contacts with obstacles do not "
        "explain of the change of\nmomentum, as a share of their impulses. At rest: no vertex is faster than %g m/s "
        "from then on.\n",
        app_rest_speed);
}

static mus_status write_one(const app_comparison *c, const char *name, void (*print)(const app_comparison *, FILE *)) {
    char *text = NULL, *path = app_format("%s/%s", c->options->out, name);
    size_t size = 0;
    FILE *out = path ? open_memstream(&text, &size) : NULL;
    if (out) print(c, out);
    bool whole = out && fclose(out) == 0;
    mus_status status =
        whole ? app_write_file(path, text, size) : mus_fail(MUS_STATUS_NO_MEMORY, "no memory for %s", name);
    free(text);
    free(path);
    return status;
}

mus_status app_comparison_write(const app_comparison *c) {
    mus_status status = write_one(c, "compare.csv", csv);
    if (status == MUS_STATUS_OK) status = write_one(c, "compare.json", json);
    if (status == MUS_STATUS_OK && c->options->report) status = write_one(c, "compare.md", markdown);
    if (status == MUS_STATUS_OK && c->options->report) status = app_comparison_page(c);
    return status;
}
