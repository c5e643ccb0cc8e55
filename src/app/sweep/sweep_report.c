/* sweep_report.c: the runs of a sweep as one HTML page: a table, and plots of results over the parameters. */
#include "sweep/sweep.h"
#include "report/report.h"

#include <stdlib.h>

enum { MOST_ROWS = 1000, MOST_PARAMETERS = 6, MOST_LOGS = 6, MOST_GROUPS = 9 };
static const double LOG_RATIO = 20; /* of the greatest to the least value, from which the axis is logarithmic */

typedef struct results {
    json_t *rows;               /* of app_run_row */
    json_t *parameters, *names; /* sets: of all rows, in the order of their appearance; names: of logged values */
    json_t *groups;             /* set: values of `group_by` */
    const char *group_by;       /* the first parameter with 2 to MOST_GROUPS texts or booleans; NULL: none */
    int64_t missing;            /* cases without a run */
} results;

static void read_runs(results *r, const char *folder, int64_t count) {
    for (int64_t k = 1; k <= count; k++) {
        char *path = app_format("%s/runs/%lld", folder, (long long)k), number[32];
        snprintf(number, sizeof number, "%lld", (long long)k);
        json_t *manifest = path ? app_run_manifest(path) : NULL, *row = manifest ? app_run_row(number, manifest) : NULL;
        const char *name;
        json_t *value;
        if (!row) r->missing++;
        json_object_foreach(json_object_get(row, "parameters"), name, value)
            json_object_set_new(r->parameters, name, json_true());
        json_object_foreach(json_object_get(row, "log"), name, value) json_object_set_new(r->names, name, json_true());
        if (row) json_array_append_new(r->rows, row);
        json_decref(manifest);
        free(path);
    }
}

static const json_t *parameter_of(const json_t *row, const char *name) {
    return json_object_get(json_object_get(row, "parameters"), name);
}

static const char *text_of(const json_t *value) {
    return json_is_string(value)  ? json_string_value(value)
           : json_is_true(value)  ? "true"
           : json_is_false(value) ? "false"
                                  : NULL;
}

static void choose_groups(results *r) {
    const char *name;
    json_t *unused;
    json_object_foreach(r->parameters, name, unused) {
        json_t *texts = json_object();
        bool all = true;
        for (size_t k = 0; k < json_array_size(r->rows); k++) {
            const char *text = text_of(parameter_of(json_array_get(r->rows, k), name));
            all = all && text;
            if (text) json_object_set_new(texts, text, json_true());
        }
        size_t n = json_object_size(texts);
        if (!r->group_by && all && n > 1 && n <= MOST_GROUPS) {
            r->group_by = name;
            r->groups = json_incref(texts);
        }
        json_decref(texts);
    }
}

/* ---- The table --------------------------------------------------------------------------------------------------- */

static const char *const figures[][2] = {{"frames", "frames"},           {"mean_ms", "frame [ms]"},
                                         {"contacts", "contacts"},       {"iterations", "iterations"},
                                         {"intersections", "crossings"}, {"inside", "inside"}};
enum { FIGURES = sizeof figures / sizeof *figures };

static void print_row(app_page *page, const results *r, const json_t *row) {
    const char *name, *status = json_string_value(json_object_get(row, "status"));
    json_t *unused;
    json_int_t code = json_integer_value(json_object_get(row, "code"));
    app_page_row_start(page, json_string_value(json_object_get(row, "run")));
    json_object_foreach(r->parameters, name, unused) app_page_value(page, parameter_of(row, name));
    app_page_verdict(page, code == APP_OK ? "good" : code == APP_CHECK_FAILED ? "bad" : "cut", status ? status : "?");
    for (int k = 0; k < FIGURES; k++) app_page_value(page, json_object_get(row, figures[k][0]));
    json_object_foreach(r->names, name, unused)
        app_page_value(page, json_object_get(json_object_get(json_object_get(row, "log"), name), "final"));
    app_page_row_end(page);
}

static void print_table(app_page *page, const results *r) {
    size_t count = 2 + json_object_size(r->parameters) + FIGURES + json_object_size(r->names), n = 0;
    const char **heads = calloc(count, sizeof *heads), *name;
    char *kinds = calloc(count + 1, 1);
    json_t *unused;
    if (heads && kinds) {
        memset(kinds, 't', count);
        heads[n++] = "case";
        json_object_foreach(r->parameters, name, unused) heads[n++] = name;
        heads[n++] = "outcome";
        for (int k = 0; k < FIGURES; k++) heads[n] = figures[k][1], kinds[n++] = 'n';
        json_object_foreach(r->names, name, unused) heads[n] = name, kinds[n++] = 'n';
        app_page_table_start(page, "Parameters, outcome and last figures of each run; logged values are the last ones",
                             heads, kinds, (int)count);
        for (size_t k = 0; k < json_array_size(r->rows) && k < MOST_ROWS; k++)
            print_row(page, r, json_array_get(r->rows, k));
        app_page_table_end(page);
    }
    if (json_array_size(r->rows) > MOST_ROWS)
        app_page_paragraph(page, "The table has the first 1000 runs; muslin collect prints all of them.");
    free(heads);
    free(kinds);
}

/* ---- Plots ------------------------------------------------------------------------------------------------------- */

/* NULL `logged`: the mean time of a frame. */
static double result_of(const json_t *row, const char *logged) {
    const json_t *value = logged ? json_object_get(json_object_get(json_object_get(row, "log"), logged), "final")
                                 : json_object_get(row, "mean_ms");
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static void plot_result(app_page *page, const results *r, const char *parameter, const char *logged) {
    size_t n = json_array_size(r->rows), groups = r->groups ? json_object_size(r->groups) : 1, g = 0;
    double *block = malloc((2 * n * groups + 1) * sizeof *block), least = INFINITY, greatest = -INFINITY;
    app_series *series = calloc(groups, sizeof *series);
    const char *label = logged ? logged : "time of a frame [ms]", *group;
    char *title = app_format("%s over %s", logged ? logged : "Mean time of a frame", parameter);
    json_t *unused;
    if (block && series && title) {
        series[0].name = label;
        json_object_foreach(r->groups, group, unused) series[g++].name = group;
        for (g = 0; g < groups; g++) {
            double *x = block + 2 * n * g, *y = x + n;
            series[g].x = x, series[g].y = y;
            for (size_t k = 0; k < n; k++) {
                const json_t *row = json_array_get(r->rows, k);
                const char *text = r->group_by ? text_of(parameter_of(row, r->group_by)) : NULL;
                const json_t *at = parameter_of(row, parameter);
                if (r->group_by && strcmp(text, series[g].name) != 0) continue;
                x[series[g].count] = json_is_number(at) ? json_number_value(at) : NAN;
                y[series[g].count++] = result_of(row, logged);
                if (json_is_number(at))
                    least = fmin(least, json_number_value(at)), greatest = fmax(greatest, json_number_value(at));
            }
        }
        app_plot plot = {.title = title,
                         .x_label = parameter,
                         .y_label = label,
                         .series = series,
                         .count = (int)groups,
                         .level = NAN,
                         .zero = !logged,
                         .marks = true,
                         .log_x = least > 0 && greatest >= LOG_RATIO * least};
        app_page_plot(page, &plot);
    }
    free(block);
    free(series);
    free(title);
}

/* Whether the parameter has different numbers. */
static bool varies(const results *r, const char *parameter) {
    double first = NAN;
    for (size_t k = 0; k < json_array_size(r->rows); k++) {
        const json_t *value = parameter_of(json_array_get(r->rows, k), parameter);
        if (!json_is_number(value)) continue;
        if (isnan(first)) first = json_number_value(value);
        if (json_number_value(value) != first) return true;
    }
    return false;
}

static void print_plots(app_page *page, const results *r) {
    const char *parameter, *logged;
    json_t *unused, *also_unused;
    int n = 0;
    json_object_foreach(r->parameters, parameter, unused) {
        if (!varies(r, parameter) || n++ >= MOST_PARAMETERS) continue;
        if (n == 1) app_page_section(page, "Results over parameters");
        int logs = 0;
        plot_result(page, r, parameter, NULL);
        json_object_foreach(r->names, logged, also_unused) if (logs++ < MOST_LOGS)
            plot_result(page, r, parameter, logged);
    }
    char text[200];
    if (n > 0) {
        snprintf(text, sizeof text,
                 "A mark is a run%s; the values are in the table. At most %d parameters and %d logged "
                 "values are plotted.",
                 r->group_by ? ", of the kind that the legend names" : "", MOST_PARAMETERS, MOST_LOGS);
        app_page_paragraph(page, text);
    }
}

/* ---- The page ---------------------------------------------------------------------------------------------------- */

static void print_outcome(app_page *page, const results *r, int64_t count, bool stopped) {
    int64_t finished = 0, failed = 0;
    for (size_t k = 0; k < json_array_size(r->rows); k++) {
        const json_t *code = json_object_get(json_array_get(r->rows, k), "code");
        finished += json_is_integer(code) && json_integer_value(code) == APP_OK;
        failed += json_is_integer(code) && json_integer_value(code) == APP_CHECK_FAILED;
    }
    char text[200];
    snprintf(text, sizeof text, "%s%lld cases: %lld finished, %lld checks failed, %lld not complete.",
             stopped ? "Interrupted. " : "", (long long)count, (long long)finished, (long long)failed,
             (long long)(count - finished - failed));
    app_page_outcome(page, failed > 0 ? "bad" : finished < count ? "cut" : "good", text);
}

static void print_page(app_page *page, results *r, int64_t count, bool stopped) {
    choose_groups(r);
    print_outcome(page, r, count, stopped);
    print_plots(page, r);
    app_page_section(page, "Runs");
    print_table(page, r);
    if (r->missing == 0) return;
    char text[80];
    snprintf(text, sizeof text, "%lld cases have no run yet.", (long long)r->missing);
    app_page_paragraph(page, text);
}

mus_status app_sweep_report(const char *plan, const char *folder, int64_t count, bool stopped) {
    results r = {.rows = json_array(), .parameters = json_object(), .names = json_object()};
    app_page page = {0};
    const char *slash = strrchr(plan, '/');
    char *title = app_format("%s: sweep", slash ? slash + 1 : plan);
    mus_status status = MUS_STATUS_IO;
    if (app_page_load(&page)) {
        read_runs(&r, folder, count);
        if (title && app_page_start(&page, title, plan)) {
            print_page(&page, &r, count, stopped);
            status = app_page_write(&page, folder);
        } else {
            status = mus_fail(MUS_STATUS_NO_MEMORY, "no memory for the report");
        }
    }
    app_page_free(&page);
    free(title);
    json_decref(r.rows);
    json_decref(r.parameters);
    json_decref(r.names);
    json_decref(r.groups);
    return status;
}
