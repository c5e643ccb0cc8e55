/* collect.c: one table of many runs: their parameters, outcomes and logged values. */
#include "sweep/sweep.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct table {
    json_t *rows;       /* a row as --json prints it */
    json_t *parameters; /* names of all rows, in alphabetical order; the values are unused */
    json_t *logs;       /* the same of logged values, in the order of their first appearance */
    int unread;         /* folders whose manifest is malformed */
} table;

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

/* Parameters of a run outside a sweep: words NAME=VALUE, other words by position, and options of the command line. */
static json_t *own_parameters(const json_t *manifest) {
    json_t *o = json_object();
    const json_t *words = json_object_get(manifest, "arguments"), *given = json_object_get(manifest, "options");
    for (size_t k = 0; k < json_array_size(words); k++) {
        const char *word = json_string_value(json_array_get(words, k)), *mark = word ? strchr(word, '=') : NULL;
        char *name = !word                 ? NULL
                     : mark && mark > word ? strndup(word, (size_t)(mark - word))
                                           : app_format("argument%zu", k + 1);
        char *end = NULL;
        const char *text = mark && mark > word ? mark + 1 : word;
        double number = text ? strtod(text, &end) : 0;
        bool is_number = text && end != text && !*end && isfinite(number);
        if (name) json_object_set_new(o, name, is_number ? json_real(number) : text_or_null(text));
        free(name);
    }
    static const char *const options[] = {"pipeline", "seed"};
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        json_t *value = json_object_get(given, options[k]);
        if (value && !json_is_null(value)) json_object_set(o, options[k], value);
    }
    return o;
}

/* {"final":, "least":, "greatest":, "mean":} of [[frame, time, value], ...] */
static json_t *log_figures(const json_t *values) {
    size_t count = json_array_size(values);
    double least = INFINITY, greatest = -INFINITY, sum = 0, final = NAN;
    for (size_t k = 0; k < count; k++) {
        const json_t *value = json_array_get(json_array_get(values, k), 2);
        double x = json_is_number(value) ? json_number_value(value) : NAN;
        least = x < least ? x : least, greatest = x > greatest ? x : greatest, sum += x, final = x;
    }
    return json_pack("{s:o, s:o, s:o, s:o}", "final", real(final), "least", real(least), "greatest", real(greatest),
                     "mean", real(count > 0 ? sum / (double)count : NAN));
}

json_t *app_run_row(const char *name, const json_t *manifest) {
    const json_t *end = json_object_get(manifest, "exit"), *frames = json_object_get(manifest, "frames");
    const json_t *trial = json_object_get(manifest, "case"), *last;
    json_t *parameters = json_object_get(trial, "parameters"), *log = json_object_get(manifest, "log"), *values;
    size_t count = json_array_size(frames);
    double ms = 0;
    bool audited = count > 0;
    json_int_t crossings = 0, inside = 0;
    for (size_t k = 0; k < count; k++) {
        const json_t *frame = json_array_get(frames, k);
        ms += json_number_value(json_object_get(frame, "step_ms"));
        audited = audited && json_is_integer(json_object_get(frame, "intersections"));
        crossings += json_integer_value(json_object_get(frame, "intersections"));
        inside += json_integer_value(json_object_get(frame, "inside"));
    }
    last = json_array_get(frames, count - 1);
    json_t *row = json_object(), *logged = json_object();
    json_object_set_new(row, "run", text_or_null(name));
    json_object_set(row, "script", json_object_get(manifest, "script"));
    json_object_set_new(row, "parameters", parameters ? json_incref(parameters) : own_parameters(manifest));
    json_object_set(row, "status", json_object_get(end, "reason"));
    json_object_set(row, "code", json_object_get(end, "code"));
    json_object_set(row, "message", json_object_get(end, "message"));
    json_object_set_new(row, "frames", json_integer(count > 0 ? (json_int_t)count - 1 : 0));
    static const char *const figures[] = {"time", "contacts", "iterations", "hash"};
    for (size_t k = 0; k < sizeof figures / sizeof *figures; k++) {
        json_t *value = json_object_get(last, figures[k]);
        json_object_set_new(row, figures[k], value ? json_incref(value) : json_null());
    }
    json_object_set_new(row, "intersections", audited ? json_integer(crossings) : json_null());
    json_object_set_new(row, "inside", audited ? json_integer(inside) : json_null());
    json_object_set_new(row, "mean_ms", real(count > 1 ? ms / (double)(count - 1) : NAN));
    const char *key;
    json_object_foreach(log, key, values) json_object_set_new(logged, key, log_figures(values));
    json_object_set_new(row, "log", logged);
    return row;
}

static void add_row(table *t, const char *name, const char *folder) {
    json_t *manifest = app_run_manifest(folder), *row;
    if (!manifest) {
        app_error("%s", mus_get_error_message());
        t->unread++;
        return;
    }
    json_array_append_new(t->rows, row = app_run_row(name, manifest));
    json_decref(manifest);
    const char *key;
    json_t *value;
    json_object_foreach(json_object_get(row, "parameters"), key, value)
        json_object_set_new(t->parameters, key, json_true());
    json_object_foreach(json_object_get(row, "log"), key, value) json_object_set_new(t->logs, key, json_true());
}

static bool holds_manifest(const char *folder) {
    char *path = app_format("%s/manifest.json", folder);
    bool there = path && access(path, F_OK) == 0;
    free(path);
    return there;
}

static int not_hidden(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

static int gather(table *t, const char *folder, bool alone) {
    if (holds_manifest(folder)) {
        add_row(t, folder, folder);
        return -1;
    }
    struct dirent **entries = NULL;
    int n = scandir(folder, &entries, not_hidden, versionsort), found = 0; /* 2 before 10 */
    if (n < 0) {
        app_error("'%s': %s", folder, errno == ENOENT ? "not found" : strerror(errno));
        return APP_USAGE;
    }
    for (int k = 0; k < n; k++) {
        char *path = app_format("%s/%s", folder, entries[k]->d_name);
        if (path && app_is_folder(path) && holds_manifest(path)) {
            add_row(t, alone ? entries[k]->d_name : path, path);
            found++;
        }
        free(path);
        free(entries[k]);
    }
    free(entries);
    if (found > 0) return -1;
    app_error("'%s' contains no runs: no folder in it has a manifest.json", folder);
    return APP_USAGE;
}

/* ---- Columns ----------------------------------------------------------------------------------------------------- */

typedef enum column_kind { FIELD, PARAMETER, LOGGED } column_kind;
typedef struct column {
    column_kind kind;
    const char *name, *head; /* head: title in the printed table, with its unit */
} column;

static const column before[] = {{FIELD, "run", "run"}};
static const column after[] = {{FIELD, "status", "status"},         {FIELD, "frames", "frames"},
                               {FIELD, "time", "time [s]"},         {FIELD, "contacts", "contacts"},
                               {FIELD, "iterations", "iterations"}, {FIELD, "intersections", "crossings"},
                               {FIELD, "inside", "inside"},         {FIELD, "mean_ms", "frame [ms]"}};

static const json_t *value_at(const json_t *row, const column *c) {
    if (c->kind == PARAMETER) return json_object_get(json_object_get(row, "parameters"), c->name);
    if (c->kind == LOGGED) return json_object_get(json_object_get(json_object_get(row, "log"), c->name), "final");
    return json_object_get(row, c->name);
}

static void put_value(FILE *out, const json_t *value, bool csv) {
    char number[APP_NUMBER_SIZE];
    if (json_is_string(value) && csv) {
        const char *text = json_string_value(value);
        char *line = strndup(text, strcspn(text, "\n")); /* tracebacks are in the JSON */
        app_csv_text(out, line ? line : "");
        free(line);
    } else if (json_is_string(value))
        fputs(json_string_value(value), out);
    else if (json_is_integer(value))
        fprintf(out, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value) && !csv)
        fprintf(out, "%.6g", json_real_value(value));
    else if (json_is_real(value))
        fputs(app_number_text(json_real_value(value), number), out);
    else if (json_is_boolean(value))
        fputs(json_is_true(value) ? "true" : "false", out);
    else if (!csv)
        fputc('-', out);
}

static char *cell_text(const json_t *value) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    put_value(out, value, false);
    fclose(out);
    return text;
}

/* The names are valid as long as the table. */
static column *columns_of(const table *t, bool whole, int *count) {
    size_t most = 16 + json_object_size(t->parameters) + json_object_size(t->logs);
    column *list = calloc(most, sizeof *list);
    const char *key;
    json_t *value;
    int n = 0;
    if (!list) return NULL;
    for (size_t k = 0; k < sizeof before / sizeof *before; k++) list[n++] = before[k];
    json_object_foreach(t->parameters, key, value) list[n++] = (column){PARAMETER, key, key};
    for (size_t k = 0; k < sizeof after / sizeof *after; k++) list[n++] = after[k];
    if (whole) list[n++] = (column){FIELD, "code", "code"}, list[n++] = (column){FIELD, "hash", "hash"};
    json_object_foreach(t->logs, key, value) list[n++] = (column){LOGGED, key, key};
    if (whole) list[n++] = (column){FIELD, "message", "message"};
    *count = n;
    return list;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void sort_parameters(table *t) {
    size_t count = json_object_size(t->parameters), n = 0;
    const char **names = calloc(count + 1, sizeof *names), *key;
    json_t *value, *sorted = json_object();
    if (!names) return;
    json_object_foreach(t->parameters, key, value) names[n++] = key;
    qsort(names, n, sizeof *names, by_name);
    for (size_t k = 0; k < n; k++) json_object_set_new(sorted, names[k], json_true());
    free(names);
    json_decref(t->parameters);
    t->parameters = sorted;
}

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

static bool put_csv(const table *t, FILE *out) {
    int count;
    column *columns = columns_of(t, true, &count);
    for (int c = 0; columns && c < count; c++) {
        if (c) fputc(',', out);
        app_csv_text(out, columns[c].name);
    }
    fputc('\n', out);
    for (size_t k = 0; columns && k < json_array_size(t->rows); k++) {
        for (int c = 0; c < count; c++) {
            if (c) fputc(',', out);
            put_value(out, value_at(json_array_get(t->rows, k), &columns[c]), true);
        }
        fputc('\n', out);
    }
    free(columns);
    return columns != NULL;
}

static void put_json(const table *t, FILE *out) {
    for (size_t k = 0; k < json_array_size(t->rows); k++) {
        json_dumpf(json_array_get(t->rows, k), out, JSON_REAL_PRECISION(17));
        fputc('\n', out);
    }
}

/* Characters, not bytes. */
static int width_of(const char *text) {
    int width = 0;
    for (; text && *text; text++) width += (*text & 0xc0) != 0x80;
    return width;
}

static void put_table(const table *t, FILE *out) {
    int count;
    column *columns = columns_of(t, false, &count);
    int *widths = columns ? calloc((size_t)count, sizeof *widths) : NULL;
    size_t rows = json_array_size(t->rows);
    for (int pass = 0; widths && pass < 2; pass++)
        for (size_t k = 0; k <= rows; k++) {
            for (int c = 0; c < count; c++) {
                char *text =
                    k == 0 ? strdup(columns[c].head) : cell_text(value_at(json_array_get(t->rows, k - 1), &columns[c]));
                int width = width_of(text);
                if (pass == 0)
                    widths[c] = width > widths[c] ? width : widths[c];
                else
                    fprintf(out, "%s%*s%s", c ? "  " : "", widths[c] - width, "", text ? text : "");
                free(text);
            }
            if (pass == 1) fputc('\n', out);
        }
    free(widths);
    free(columns);
}

static bool write_files(const table *t, const char *folder) {
    if (!app_make_folder(folder)) {
        app_error("output folder '%s': %s; give another with --out", folder, strerror(errno));
        return false;
    }
    for (int k = 0; k < 2; k++) {
        char *text = NULL, *path = app_format("%s/collect.%s", folder, k ? "jsonl" : "csv");
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        if (out && k) put_json(t, out);
        bool ok = out && (k || put_csv(t, out));
        ok = (!out || fclose(out) == 0) && ok && path;
        if (!ok) app_error("no memory for the table");
        if (ok && app_write_file(path, text, size) != MUS_STATUS_OK) {
            app_error("%s", mus_get_error_message());
            ok = false;
        }
        free(text);
        free(path);
        if (!ok) return false;
    }
    return true;
}

int app_collect(const app_options *options) {
    table t = {.rows = json_array(), .parameters = json_object(), .logs = json_object()};
    int code = -1;
    for (int k = 0; code < 0 && k < options->path_count; k++)
        code = gather(&t, options->paths[k], options->path_count == 1);
    if (code < 0) {
        sort_parameters(&t);
        code = t.unread > 0 ? APP_ERROR : APP_OK;
        if (options->out && !write_files(&t, options->out)) code = APP_ERROR;
        if (options->json)
            put_json(&t, stdout);
        else if (options->csv)
            put_csv(&t, stdout);
        else
            put_table(&t, stdout);
    }
    json_decref(t.rows);
    json_decref(t.parameters);
    json_decref(t.logs);
    return code;
}
