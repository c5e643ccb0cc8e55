/* sweep.c: writes a plan's cases to cases.jsonl and runs them, each in its own folder. */
#include "sweep/sweep.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const int MOST_REPORTED = 20; /* cases that failed, by name */

/* ---- The plan ---------------------------------------------------------------------------------------------------- */

static json_t *to_json(lua_State *L, int index);

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Keys in alphabetical order, independent of Lua's order. */
static json_t *object_to_json(lua_State *L, int index) {
    index = lua_absindex(L, index);
    size_t count = 0;
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) count++;
    const char **names = calloc(count + 1, sizeof *names);
    json_t *object = names ? json_object() : NULL;
    size_t n = 0;
    for (lua_pushnil(L); object && lua_next(L, index); lua_pop(L, 1))
        if (lua_type(L, -2) == LUA_TSTRING) names[n++] = lua_tostring(L, -2);
    if (names) qsort(names, n, sizeof *names, by_name);
    for (size_t k = 0; object && k < n; k++) {
        lua_getfield(L, index, names[k]);
        json_object_set_new(object, names[k], to_json(L, -1));
        lua_pop(L, 1);
    }
    free(names);
    return object;
}

static json_t *to_json(lua_State *L, int index) {
    switch (lua_type(L, index)) {
    case LUA_TNUMBER:
        return lua_isinteger(L, index) ? json_integer(lua_tointeger(L, index)) : real(lua_tonumber(L, index));
    case LUA_TBOOLEAN:
        return json_boolean(lua_toboolean(L, index));
    case LUA_TSTRING:
        return json_string(lua_tostring(L, index)); /* NULL: not UTF-8 */
    case LUA_TTABLE:
        return object_to_json(L, index);
    default:
        return NULL;
    }
}

static json_t *list_to_json(lua_State *L, int index) {
    index = lua_absindex(L, index);
    json_t *list = json_array();
    for (lua_Integer k = 1; lua_rawgeti(L, index, k) != LUA_TNIL; k++) {
        json_array_append_new(list, to_json(L, -1));
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return list;
}

/* The script's result is at 1. Leaves the list of cases. */
static int expand(lua_State *L) {
    if (!lua_istable(L, 1)) {
        const char *seen = mus_lua_describe(L, 1);
        return luaL_error(L, "the plan must return a table {scene = ..., grid = ...} (got %s)", seen);
    }
    app_push_function(L, "muslin.sweep", "expand");
    lua_pushvalue(L, 1);
    lua_call(L, 1, 1);
    return 1;
}

static json_t *case_to_json(lua_State *L) {
    static const char *const fields[] = {"case", "scene", "arguments", "parameters", "options"};
    json_t *line = json_object();
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
        lua_getfield(L, -1, fields[k]);
        json_object_set_new(line, fields[k], k == 2 ? list_to_json(L, -1) : to_json(L, -1));
        lua_pop(L, 1);
    }
    return line;
}

/* The cases of the plan as a list; NULL with an exit code, the error printed. */
static json_t *read_plan(const app_options *options, int *code) {
    app_scene scene;
    json_t *cases = NULL;
    *code = APP_ERROR;
    bool ok = app_state_open(&scene, options) && app_scene_run_script(&scene, options);
    if (ok) {
        lua_State *L = scene.L;
        lua_pushcfunction(L, expand);
        lua_insert(L, -2);
        lua_pushcfunction(L, mus_lua_traceback);
        lua_insert(L, -3);
        ok = lua_pcall(L, 1, 1, -3) == LUA_OK;
        if (ok) {
            cases = json_array();
            for (lua_Integer k = 1; lua_rawgeti(L, -1, k) == LUA_TTABLE; k++) {
                json_array_append_new(cases, case_to_json(L));
                lua_pop(L, 1);
            }
        } else {
            const char *message = lua_tostring(L, -1);
            int line = message ? (int)strcspn(message, "\n") : 0;
            app_error("%s: %.*s", options->scene, line, message ? message : "unknown error");
        }
    } else {
        app_error("%s", scene.error ? scene.error : "no memory for the plan");
    }
    app_scene_close(&scene);
    return cases;
}

/* ---- cases.jsonl ------------------------------------------------------------------------------------------------- */

/* The relative path from an absolute folder to a file, both without links. */
static char *relative(const char *folder, const char *file) {
    size_t common = 0;
    for (size_t k = 0; folder[k] && folder[k] == file[k]; k++)
        if (folder[k] == '/') common = k + 1;
    size_t n = strlen(folder);
    if (strncmp(folder, file, n) == 0 && file[n] == '/') return strdup(file + n + 1);
    char *path = strdup(file + common);
    int up = 0;
    for (const char *at = folder + common; *at; at++) up += *at == '/' || at == folder + common;
    for (; path && up > 0; up--) {
        char *longer = app_format("../%s", path);
        free(path);
        path = longer;
    }
    return path;
}

/* Paths of scenes are relative to the plan; in the file they are relative to its folder, so that both can be moved
 * together. */
static bool place_scenes(json_t *cases, const char *plan, const char *folder) {
    char *copy = strdup(plan), *beside = copy ? dirname(copy) : NULL;
    bool ok = beside != NULL;
    for (size_t k = 0; ok && k < json_array_size(cases); k++) {
        json_t *line = json_array_get(cases, k);
        const char *scene = json_string_value(json_object_get(line, "scene"));
        char *path = scene ? app_format("%s%s%s", *scene == '/' ? "" : beside, *scene == '/' ? "" : "/", scene) : NULL;
        char *there = path ? realpath(path, NULL) : NULL, *text = there ? relative(folder, there) : NULL;
        ok = text && json_object_set_new(line, "scene", json_string(text)) == 0;
        if (!ok)
            app_error("%s: scene '%s': %s", plan, path ? path : "?", there ? "its path is no UTF-8" : strerror(errno));
        free(text);
        free(there);
        free(path);
    }
    free(copy);
    return ok;
}

/* With the fewest digits that distinguish all numbers. */
static char *line_text(const json_t *line) {
    char *text = NULL;
    for (size_t digits = 15; digits <= 17; digits++) {
        free(text);
        text = json_dumps(line, JSON_REAL_PRECISION(digits));
        json_t *again = text ? json_loads(text, 0, NULL) : NULL;
        bool same = json_equal(again, line);
        json_decref(again);
        if (same) break;
    }
    return text;
}

static char *read_text(const char *path) {
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;
    if (!file) return NULL;
    if (getdelim(&text, &size, '\0', file) < 0) {
        free(text);
        text = strdup("");
    }
    fclose(file);
    return text;
}

/* Cases may be added to an earlier sweep; a changed case would be taken for the earlier result, so it is an error. */
static bool write_cases(const json_t *cases, const char *path, const char *folder) {
    char *text = NULL, *runs = app_format("%s/runs", folder);
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (size_t k = 0; out && k < json_array_size(cases); k++) {
        char *line = line_text(json_array_get(cases, k));
        fprintf(out, "%s\n", line ? line : "");
        free(line);
    }
    bool ok = out && fclose(out) == 0 && runs;
    char *before = ok ? read_text(path) : NULL;
    if (!ok) app_error("no memory for the cases");
    if (before && app_is_folder(runs) && strncmp(before, text, strlen(before)) != 0) {
        size_t k = 0, number = 1;
        for (; before[k] && before[k] == text[k]; k++) number += before[k] == '\n';
        app_error("'%s' has other cases than the plan, from case %zu on, and '%s' their runs; give another folder with "
                  "--out, or remove both",
                  path, number, runs);
        ok = false;
    }
    if (ok && (!before || strcmp(before, text) != 0) && app_write_file(path, text, size) != MUS_STATUS_OK) {
        app_error("%s", mus_get_error_message());
        ok = false;
    }
    free(before);
    free(text);
    free(runs);
    return ok;
}

/* ---- Runs -------------------------------------------------------------------------------------------------------- */

static bool check_pipeline(char **names, const char *name, size_t number) {
    for (char **known = names; known && *known; known++)
        if (strcmp(*known, name) == 0) return true;
    const char *nearest = names ? mus_lua_nearest(name, (const char *const *)names) : NULL;
    app_error("case %zu: unknown pipeline '%s'%s%s%s; muslin doc lists the presets", number, name,
              nearest ? " (did you mean '" : "", nearest ? nearest : "", nearest ? "'?)" : "");
    return false;
}

/* Which cases are not complete. */
static int choose(app_sweep_work *s, json_t *cases) {
    char **names = app_pipeline_names(true);
    size_t count = json_array_size(cases);
    s->todo = calloc(count + 1, sizeof *s->todo);
    s->count = (int64_t)count;
    s->threads = 1;
    int code = names && s->todo ? -1 : APP_ERROR;
    app_options given = {.frames = -1, .seconds = -1, .tolerance = -1, .threads = -1, .trusted = s->options->trusted};
    for (size_t k = 0; code < 0 && k < count; k++) {
        app_trial trial;
        code = app_trial_make(&trial, json_array_get(cases, k), s->cases, (int64_t)k + 1, &given);
        if (code < 0 && trial.options.pipeline && !check_pipeline(names, trial.options.pipeline, k + 1))
            code = APP_USAGE;
        char *folder = code < 0 ? app_format("%s/runs/%zu", s->folder, k + 1) : NULL;
        json_t *manifest = folder ? app_run_manifest(folder) : NULL;
        int ended;
        if (!manifest || !app_manifest_same_run(manifest, &trial.options) || !app_run_complete(manifest, &ended))
            s->todo[s->todo_count++] = (int64_t)k + 1;
        if (code < 0 && trial.options.threads > s->threads) s->threads = trial.options.threads;
        json_decref(manifest);
        free(folder);
        app_trial_free(&trial);
    }
    app_names_free(names);
    return code;
}

static char *parameters_text(const json_t *line) {
    char *text = json_dumps(json_object_get(line, "parameters"), JSON_COMPACT | JSON_REAL_PRECISION(6));
    return text;
}

/* Counts by the manifests, independent of what ran the cases. */
static int summarize_cases(const app_sweep_work *s, const json_t *cases) {
    int64_t finished = 0, failed = 0, broken = 0;
    int reported = 0;
    for (int64_t k = 1; k <= s->count; k++) {
        char *folder = app_format("%s/runs/%lld", s->folder, (long long)k);
        json_t *manifest = folder ? app_run_manifest(folder) : NULL;
        const json_t *end = json_object_get(manifest, "exit");
        const char *reason = json_string_value(json_object_get(end, "reason"));
        const char *message = json_string_value(json_object_get(end, "message"));
        int code;
        bool complete = manifest && app_run_complete(manifest, &code);
        if (!complete)
            broken++;
        else if (code != APP_OK)
            failed++;
        else
            finished++;
        if ((!complete || code != APP_OK) && reported++ < MOST_REPORTED) {
            char *parameters = parameters_text(json_array_get(cases, (size_t)k - 1));
            app_error("case %lld %s: %s%s%.*s", (long long)k, parameters ? parameters : "",
                      manifest ? reason ? reason : "?" : "not run", message ? ": " : "",
                      message ? (int)strcspn(message, "\n") : 0, message ? message : "");
            if (!manifest) app_error("  see '%s/output.txt'", folder ? folder : "runs");
            free(parameters);
        }
        json_decref(manifest);
        free(folder);
    }
    if (reported > MOST_REPORTED) app_error("and %d more", reported - MOST_REPORTED);
    if (!s->options->quiet)
        printf(
            "%s: %lld cases: %lld finished, %lld checks failed, %lld not complete (%lld were run now); table: muslin "
            "collect %s/runs\n",
            s->folder, (long long)s->count, (long long)finished, (long long)failed, (long long)broken,
            (long long)s->todo_count, s->folder);
    return broken > 0 ? APP_ERROR : failed > 0 ? APP_CHECK_FAILED : APP_OK;
}

static int sweep(app_sweep_work *s, json_t *cases) {
    const app_options *o = s->options;
    if (json_array_size(cases) == 0) {
        app_error("%s: the plan has no cases", o->scene);
        return APP_ERROR;
    }
    const char *folder = o->out ? o->out : ".";
    if (!app_make_folder(folder) || !(s->folder = realpath(folder, NULL))) {
        app_error("output folder '%s': %s; give another with --out", folder, strerror(errno));
        return APP_ERROR;
    }
    s->program = realpath("/proc/self/exe", NULL);
    s->cases = app_format("%s/cases.jsonl", s->folder);
    if (!s->program || !s->cases) {
        app_error("no memory for the sweep");
        return APP_ERROR;
    }
    if (!place_scenes(cases, o->scene, s->folder)) return APP_USAGE;
    int code = choose(s, cases); /* errors of cases are reported before anything is written */
    if (code >= 0) return code;
    if (!write_cases(cases, s->cases, s->folder)) return APP_ERROR;
    if (o->engine && strcmp(o->engine, "none") == 0) {
        if (!app_engine_run(s)) return APP_ERROR;
        if (!o->quiet)
            printf("%s: %lld cases, %lld not complete; sh %s/case.sh K runs one\n", s->cases, (long long)s->count,
                   (long long)s->todo_count, s->folder);
        return APP_OK;
    }
    if (!app_engine_run(s)) return APP_ERROR;
    bool reported = true;
    if (o->report && app_sweep_report(o->scene, s->folder, s->count, app_sweep_stopped()) != MUS_STATUS_OK) {
        app_error("report: %s", mus_get_error_message());
        reported = false;
    }
    if (app_sweep_stopped()) {
        app_error("interrupted; the same command continues from here");
        return APP_INTERRUPTED;
    }
    code = summarize_cases(s, cases);
    return reported ? code : APP_ERROR;
}

int app_sweep(const app_options *options) {
    app_sweep_work s = {.options = options};
    if (!app_engine_there(options->engine)) return APP_ERROR;
    int code;
    json_t *cases = read_plan(options, &code);
    if (cases) code = sweep(&s, cases);
    json_decref(cases);
    free(s.program);
    free(s.folder);
    free(s.cases);
    free(s.todo);
    return code;
}
