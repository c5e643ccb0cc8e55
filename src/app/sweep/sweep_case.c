/* sweep_case.c: a case of a sweep as a run: `muslin run --case FILE:K --out DIR`, which may be repeated at any time.
 */
#include "sweep/sweep.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>

/* ---- Lines ------------------------------------------------------------------------------------------------------- */

json_t *app_case_read(const char *file, int64_t number) {
    FILE *in = fopen(file, "r");
    char *text = NULL;
    size_t capacity = 0;
    ssize_t size = -1;
    int64_t count = 0;
    json_error_t error = {0};
    while (in && count < number && (size = getline(&text, &capacity, in)) >= 0) count++;
    json_t *line = count == number ? json_loadb(text, (size_t)size, 0, &error) : NULL;
    if (!in || ferror(in))
        app_error("cases '%s': %s", file, strerror(errno));
    else if (count < number)
        app_error("cases '%s': there is no case %lld; it has %lld", file, (long long)number, (long long)count);
    else if (!json_is_object(line))
        app_error("cases '%s': line %lld is not a JSON object%s%s", file, (long long)number, *error.text ? ": " : "",
                  error.text);
    if (in) fclose(in);
    free(text);
    if (json_is_object(line)) return line;
    json_decref(line);
    return NULL;
}

const char *app_number_text(double x, char text[APP_NUMBER_SIZE]) {
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, APP_NUMBER_SIZE, "%.*g", digits, x);
        if (strtod(text, NULL) == x) break;
    }
    return text;
}

static char *word_of(const char *name, const json_t *value) {
    if (json_is_string(value)) return app_format("%s=%s", name, json_string_value(value));
    if (json_is_integer(value)) return app_format("%s=%lld", name, (long long)json_integer_value(value));
    if (json_is_boolean(value)) return app_format("%s=%s", name, json_is_true(value) ? "true" : "false");
    if (!json_is_real(value)) return NULL;
    char number[APP_NUMBER_SIZE];
    return app_format("%s=%s", name, app_number_text(json_real_value(value), number));
}

bool app_trial_is_option(const char *parameter) {
    static const char *const names[] = {"pipeline", "seed", "threads", "frames", "seconds"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(names[k], parameter) == 0) return true;
    return false;
}

static bool take_words(app_trial *t) {
    const json_t *arguments = json_object_get(t->line, "arguments"),
                 *parameters = json_object_get(t->line, "parameters");
    size_t most = json_array_size(arguments) + json_object_size(parameters);
    t->words = calloc(most + 1, sizeof *t->words);
    int n = 0;
    bool ok = t->words != NULL;
    for (size_t k = 0; ok && k < json_array_size(arguments); k++) {
        const char *word = json_string_value(json_array_get(arguments, k));
        ok = word && (t->words[n++] = strdup(word));
    }
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)parameters, name, value) if (ok && !app_trial_is_option(name)) ok =
        (t->words[n++] = word_of(name, value)) != NULL;
    t->options.script_args = t->words;
    t->options.script_arg_count = ok ? n : 0;
    return ok;
}

/* ---- Options ----------------------------------------------------------------------------------------------------- */

static bool is_integer_up_to(const json_t *value, int64_t most, int64_t *number) {
    if (!json_is_integer(value) || json_integer_value(value) < 0 || json_integer_value(value) > most) return false;
    *number = json_integer_value(value);
    return true;
}

static bool positive(const json_t *value, bool zero, double *number) {
    if (!json_is_number(value) || !(zero ? json_number_value(value) >= 0 : json_number_value(value) > 0)) return false;
    *number = json_number_value(value);
    return true;
}

static bool take_option(app_options *o, const app_options *given, const char *name, const json_t *value, bool *known) {
    bool length_given = given->frames >= 0 || given->seconds >= 0;
    int64_t number = 0;
    *known = true;
    if (strcmp(name, "frames") == 0) return is_integer_up_to(value, 100000000, length_given ? &number : &o->frames);
    if (strcmp(name, "seconds") == 0) {
        double seconds;
        return positive(value, true, length_given ? &seconds : &o->seconds);
    }
    if (strcmp(name, "threads") == 0) {
        if (!is_integer_up_to(value, 1024, &number)) return false;
        if (given->threads < 0) o->threads = (int)number;
        return true;
    }
    if (strcmp(name, "seed") == 0) {
        if (!is_integer_up_to(value, INT64_MAX, &number)) return false;
        if (!given->seed_given) o->seed_given = true, o->seed = (uint64_t)number;
        return true;
    }
    if (strcmp(name, "checkpoint_every") == 0) {
        if (!is_integer_up_to(value, 100000000, &number)) return false;
        if (given->checkpoint_every <= 0) o->checkpoint_every = number;
        return true;
    }
    if (strcmp(name, "time_limit") == 0) {
        double limit;
        if (!positive(value, false, &limit)) return false;
        if (given->time_limit <= 0) o->time_limit = limit;
        return true;
    }
    if (strcmp(name, "audit") == 0) {
        o->audit = given->audit || json_is_true(value);
        return json_is_boolean(value);
    }
    if (strcmp(name, "pipeline") == 0) {
        if (!given->pipeline) o->pipeline = json_string_value(value);
        return json_is_string(value);
    }
    if (strcmp(name, "format") == 0) {
        if (!given->format) o->format = json_string_value(value);
        return json_is_string(value);
    }
    *known = false;
    return false;
}

static int refuse(const char *file, int64_t number, const char *text) {
    app_error("cases '%s': case %lld: %s", file, (long long)number, text);
    return APP_USAGE;
}

int app_trial_make(app_trial *t, json_t *line, const char *file, int64_t number, const app_options *given) {
    *t = (app_trial){.line = json_incref(line), .options = *given};
    app_options *o = &t->options;
    o->command = "run";
    o->case_at = NULL;
    o->sweep_case = line;
    o->granted = given->script_args;
    o->granted_count = given->script_arg_count;
    const char *scene = json_string_value(json_object_get(line, "scene")), *name;
    if (!scene) return refuse(file, number, "field 'scene' must be a path");
    char *copy = strdup(file),
         *path =
             copy ? app_format("%s%s%s", *scene == '/' ? "" : dirname(copy), *scene == '/' ? "" : "/", scene) : NULL;
    /* absolute, so that the manifest does not depend on the working directory */
    t->scene = path ? realpath(path, NULL) : NULL;
    int code = t->scene ? -1 : APP_USAGE;
    if (!t->scene)
        app_error("cases '%s': case %lld: scene '%s': %s", file, (long long)number, path ? path : scene,
                  strerror(errno));
    free(path);
    free(copy);
    if (code >= 0) return code;
    o->scene = t->scene;
    if (!take_words(t)) return refuse(file, number, "arguments are words, and parameters numbers, strings or booleans");
    json_t *options = json_object_get(line, "options"), *value;
    json_object_foreach(options, name, value) {
        bool known;
        if (take_option(o, given, name, value, &known)) continue;
        app_error("cases '%s': case %lld: option '%s' %s", file, (long long)number, name,
                  known ? "has a value that muslin run does not take" : "is none of muslin run's that a case may have");
        return APP_USAGE;
    }
    if (o->frames >= 0 && o->seconds >= 0)
        return refuse(file, number, "options 'frames' and 'seconds' exclude each other");
    if (o->format && !app_output_formats_check(o->format)) return APP_USAGE;
    return -1;
}

void app_trial_free(app_trial *t) {
    for (char **word = t->words; word && *word; word++) free(*word);
    free(t->words);
    free(t->scene);
    json_decref(t->line);
    *t = (app_trial){0};
}

/* ---- muslin run --case ------------------------------------------------------------------------------------------- */

/* FILE:K; the file name may contain colons. */
static int split_at(const char *text, char **file, int64_t *number) {
    const char *colon = strrchr(text, ':');
    char *end = NULL;
    errno = 0;
    long long k = colon ? strtoll(colon + 1, &end, 10) : 0;
    if (!colon || colon == text || end == colon + 1 || *end || errno || k < 1) {
        app_error("option '--case' must be FILE:K with a whole number K of at least 1 (got '%s')", text);
        return APP_USAGE;
    }
    *number = k;
    *file = strndup(text, (size_t)(colon - text));
    return *file ? -1 : APP_ERROR;
}

static int run_trial(app_trial *t, int64_t number) {
    app_options *o = &t->options;
    if (!app_make_folder(o->out)) {
        app_error("output folder '%s': %s; give another with --out", o->out, strerror(errno));
        return APP_ERROR;
    }
    if (!app_folder_lock(o->out)) { /* until this process ends, as others may start the same case */
        app_error("case %lld: %s", (long long)number, mus_get_error_message());
        return APP_ERROR;
    }
    json_t *manifest = app_run_manifest(o->out);
    int code = APP_OK;
    bool same = manifest && app_manifest_same_run(manifest, o);
    if (same && app_run_complete(manifest, &code)) {
        if (!o->quiet) printf("case %lld: complete in '%s'\n", (long long)number, o->out);
        json_decref(manifest);
        return code;
    }
    if (manifest && !same && !o->quiet)
        app_error("case %lld: the run in '%s' differs in %s; it starts at frame 0", (long long)number, o->out,
                  mus_get_error_message());
    json_decref(manifest);
    o->resume = same && app_checkpoint_there(o->out);
    code = app_run(o);
    if (code == APP_ERROR && o->resume)
        app_error("case %lld continued from a checkpoint; without '%s/checkpoint.muslin' it starts at frame 0",
                  (long long)number, o->out);
    return code;
}

int app_run_case(const app_options *options) {
    char *file = NULL;
    int64_t number = 0;
    int code = split_at(options->case_at, &file, &number);
    if (code >= 0) return code;
    json_t *line = app_case_read(file, number);
    code = APP_USAGE;
    if (line) {
        app_trial trial;
        code = app_trial_make(&trial, line, file, number, options);
        if (code < 0 && trial.options.pipeline) code = app_pipeline_check("pipeline", trial.options.pipeline);
        if (code < 0) code = run_trial(&trial, number);
        app_trial_free(&trial);
    }
    json_decref(line);
    free(file);
    return code;
}
