/* compare_page.c: a comparison as one HTML page: the table, plots of all runs in one, their last frames. */
#include "compare/compare.h"
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 300 }; /* of a table of values */

static const struct {
    const char *title, *label, *caption;
    app_moment_field field;
    bool if_any; /* only if a value is not 0 */
} measures[] = {
    {"Time of a frame", "time [ms]", "Wall-clock time of the steps of a frame, without the audit.", APP_MOMENT_MS,
     false},
    {"Contacts", "contacts", "In the last step of a frame.", APP_MOMENT_CONTACTS, false},
    {"Kinetic energy", "energy [J]", NULL, APP_MOMENT_KINETIC, false},
    {"Total energy", "energy [J]",
     "Of all cloths and rigid bodies: kinetic, elastic, gravitational (0 at the origin) and of contacts.",
     APP_MOMENT_ENERGY, false},
    {"Largest strain", "strain [%]", "Of any edge, at the end of the frame.", APP_MOMENT_STRETCH, false},
    {"Audit", "findings", "Intersections and features inside obstacles.", APP_MOMENT_FINDINGS, true},
};
enum { MEASURES = sizeof measures / sizeof *measures };

static bool is_finished(const app_column *c) {
    return strcmp(c->outcome, "finished") == 0;
}

static void print_outcome(app_page *page, const app_comparison *c) {
    int finished = 0, crossed = 0;
    char text[200];
    for (int k = 0; k < c->count; k++) {
        const app_figures *f = &c->columns[k].figures;
        finished += is_finished(&c->columns[k]);
        crossed += f->intersections_worst + f->inside_worst > 0;
    }
    snprintf(text, sizeof text,
             "%d of %d runs finished; the audit found intersections or features inside obstacles in %d.", finished,
             c->count, crossed);
    app_page_outcome(page, finished < c->count ? "cut" : crossed > 0 ? "bad" : "good", text);
}

static void print_table(app_page *page, const app_comparison *c) {
    char texts[APP_CELLS][APP_CELL], cells[APP_CELLS][APP_CELL], kinds[APP_CELLS + 4];
    const char *heads[APP_CELLS + 3] = {"pipeline", "outcome", "frames"};
    for (int k = 0; k < APP_CELLS; k++) {
        app_comparison_head(k, texts[k]);
        heads[k + 3] = texts[k];
    }
    memset(kinds, 'n', sizeof kinds);
    kinds[0] = kinds[1] = 't';
    app_page_section(page, "Figures");
    app_page_table_start(page, "One run a row; muslin doc comparisons explains the columns", heads, kinds,
                         APP_CELLS + 3);
    for (int k = 0; k < c->count; k++) {
        const app_column *column = &c->columns[k];
        app_page_row_start(page, column->name);
        app_page_verdict(page, is_finished(column) ? "good" : "cut", column->outcome);
        app_page_number(page, (double)column->figures.frames);
        app_comparison_cells(&column->figures, cells);
        for (int n = 0; n < APP_CELLS; n++) {
            fputs("<td class=\"number\">", page->out);
            app_markup_text(page->out, cells[n], false);
            fputs("</td>", page->out);
        }
        app_page_row_end(page);
    }
    app_page_table_end(page);
    for (int k = 0; k < c->count; k++) {
        const app_column *column = &c->columns[k];
        if (is_finished(column)) continue;
        app_page_heading(page, column->name, column->outcome);
        if (column->reason) app_page_preformatted(page, column->reason);
    }
}

static void print_pictures(app_page *page, const app_comparison *c) {
    bool any = false;
    app_page_section(page, "Last frames");
    for (int k = 0; k < c->count; k++) {
        const app_column *column = &c->columns[k];
        if (!column->picture) continue;
        if (!any) fputs("<div class=\"pictures\">\n", page->out);
        any = true;
        char *alt = app_format("%s: frame %lld", column->name, (long long)column->figures.frames - 1);
        fputs("<figure>", page->out);
        app_page_image(page, "jpeg", column->picture, column->picture_size, alt ? alt : column->name);
        fputs("<figcaption>", page->out);
        app_markup_text(page->out, alt ? alt : column->name, false);
        fputs("</figcaption></figure>\n", page->out);
        free(alt);
    }
    if (any) fputs("</div>\n", page->out);
    char *problem = c->problem ? app_format("There are no pictures: %s", c->problem) : NULL;
    if (problem) app_page_paragraph(page, problem);
    if (!any && !problem) app_page_paragraph(page, "There are no pictures: the comparison was cut short.");
    free(problem);
}

static bool is_wanted(const app_comparison *c, int measure) {
    if (!measures[measure].if_any) return true;
    for (int k = 0; k < c->count; k++)
        for (int64_t n = 0; n < c->columns[k].moments.count; n++)
            if (c->columns[k].moments.values[measures[measure].field][n] > 0) return true;
    return false;
}

static void print_plot(app_page *page, const app_comparison *c, app_series *series, int measure) {
    for (int k = 0; k < c->count; k++) {
        const app_moments *m = &c->columns[k].moments;
        series[k] =
            (app_series){c->columns[k].name, m->values[APP_MOMENT_TIME], m->values[measures[measure].field], m->count};
    }
    app_plot plot = {.title = measures[measure].title,
                     .x_label = "time [s]",
                     .y_label = measures[measure].label,
                     .series = series,
                     .count = c->count,
                     .level = NAN,
                     .zero = true,
                     .caption = measures[measure].caption};
    app_page_plot(page, &plot);
}

static void print_values(app_page *page, const app_comparison *c, const char **heads, const char *kinds, int measure) {
    int64_t most = 0;
    for (int k = 0; k < c->count; k++) most = c->columns[k].moments.count > most ? c->columns[k].moments.count : most;
    int64_t every = (most + MOST_ROWS - 1) / MOST_ROWS;
    char *caption = app_format("%s, %s", measures[measure].title, measures[measure].label);
    char *summary = every > 1
                        ? app_format("%s: values of one of %lld frames", measures[measure].title, (long long)every)
                        : app_format("%s: values of all frames", measures[measure].title);
    if (caption && summary) {
        app_page_details_start(page, summary);
        app_page_table_start(page, caption, heads, kinds, c->count + 1);
        for (int64_t n = 0; n < most; n += every) {
            app_page_row_number(page, (double)n);
            for (int k = 0; k < c->count; k++) {
                const app_moments *m = &c->columns[k].moments;
                app_page_number(page, n < m->count ? m->values[measures[measure].field][n] : NAN);
            }
            app_page_row_end(page);
        }
        app_page_table_end(page);
        app_page_details_end(page);
    }
    free(caption);
    free(summary);
}

static void print_plots(app_page *page, const app_comparison *c) {
    app_series *series = calloc((size_t)c->count + 1, sizeof *series);
    const char **heads = calloc((size_t)c->count + 1, sizeof *heads);
    char *kinds = malloc((size_t)c->count + 1);
    app_page_section(page, "Frame by frame");
    if (series && heads && kinds) {
        memset(kinds, 'n', (size_t)c->count + 1);
        heads[0] = "frame";
        for (int k = 0; k < c->count; k++) heads[k + 1] = c->columns[k].name;
        for (int k = 0; k < MEASURES; k++)
            if (is_wanted(c, k)) print_plot(page, c, series, k);
        for (int k = 0; k < MEASURES; k++)
            if (is_wanted(c, k)) print_values(page, c, heads, kinds, k);
    }
    free(series);
    free(heads);
    free(kinds);
}

static void print_program(app_page *page, const app_comparison *c) {
    char number[64];
    app_page_section(page, "How it was run");
    app_page_pairs_start(page, "Program, machine and arguments");
    app_page_build(page);
    app_page_pair(page, "script", c->options->scene);
    for (int k = 0; k < c->options->script_arg_count; k++) app_page_pair(page, "argument", c->options->script_args[k]);
    snprintf(number, sizeof number, "%g m", c->inside_tolerance);
    app_page_pair(page, "tolerance of the audit", number);
    app_page_table_end(page);
}

mus_status app_comparison_page(const app_comparison *c) {
    app_page page = {0};
    const char *scene = c->options->scene, *slash = strrchr(scene, '/');
    char *title = app_format("%s: comparison", slash ? slash + 1 : scene);
    if (!app_page_load(&page)) {
        free(title);
        return MUS_STATUS_IO;
    }
    if (!title || !app_page_start(&page, title, scene)) {
        app_page_free(&page);
        free(title);
        return mus_fail(MUS_STATUS_NO_MEMORY, "no memory for the report");
    }
    print_outcome(&page, c);
    print_table(&page, c);
    print_pictures(&page, c);
    print_plots(&page, c);
    print_program(&page, c);
    mus_status status = app_page_write(&page, c->options->out);
    app_page_free(&page);
    free(title);
    return status;
}
