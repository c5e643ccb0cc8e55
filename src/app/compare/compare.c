/* compare.c: one scene under several pipelines and rules, one after the other, each in a Lua state of its own. */
#include "compare/compare.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const double INSIDE_TOLERANCE = 1e-4;
static const char OWN[] = "scene"; /* the scene's own pipeline */

typedef struct comparing {
    app_comparison table;
    app_scene scene;
    app_measure *measure;
    char **presets; /* all of them */
    int at;         /* the present column */
} comparing;

/* ---- Columns ----------------------------------------------------------------------------------------------------- */

static app_column *add_column(comparing *c, const char *name) {
    app_comparison *t = &c->table;
    app_column *grown = realloc(t->columns, ((size_t)t->count + 1) * sizeof *grown);
    if (!grown) return NULL;
    t->columns = grown;
    app_column *column = &grown[t->count];
    memset(column, 0, sizeof *column);
    column->outcome = "not run";
    column->name = strdup(name);
    if (column->name) t->count++;
    return column->name ? column : NULL;
}

static bool has_column(const comparing *c, const char *name) {
    for (int k = 0; k < c->table.count; k++)
        if (strcmp(c->table.columns[k].name, name) == 0) return true;
    return false;
}

/* The preset of that name in the list; NULL if there is none. */
static const char *find_preset(const comparing *c, const char *name) {
    for (char **preset = c->presets; *preset; preset++)
        if (strcmp(*preset, name) == 0) return *preset;
    return NULL;
}

static int no_memory(void) {
    app_error("no memory for the list of pipelines");
    return APP_ERROR;
}

static int unknown_pipeline(const comparing *c, const char *name) {
    size_t count = 0;
    while (c->presets[count]) count++;
    const char **names = calloc(count + 2, sizeof *names);
    if (!names) return no_memory();
    for (size_t k = 0; k < count; k++) names[k] = c->presets[k];
    names[count] = OWN;
    const char *nearest = mus_lua_nearest(name, names);
    app_error(
        "option '--pipelines': unknown pipeline '%s'%s%s%s; muslin doc lists the presets, 'scene' is the scene's own",
        name, nearest ? " (did you mean '" : "", nearest ? nearest : "", nearest ? "'?)" : "");
    free(names);
    return APP_USAGE;
}

static int add_pipelines(comparing *c, const char *list) {
    char *copy = strdup(list), *rest = copy, *word;
    if (!copy) return no_memory();
    int code = -1;
    while (code < 0 && (word = strsep(&rest, ","))) {
        const char *preset = find_preset(c, word);
        app_column *column = NULL;
        if (!preset && strcmp(word, OWN) != 0) {
            code = unknown_pipeline(c, word);
        } else if (has_column(c, word)) {
            app_error("option '--pipelines': '%s' is given twice", word);
            code = APP_USAGE;
        } else if ((column = add_column(c, word))) {
            column->pipeline = preset;
        } else {
            code = no_memory();
        }
    }
    free(copy);
    return code;
}

/* Named by its file, with as much of the path as distinguishes it from the others. */
static int add_rule(comparing *c, const char *path) {
    const char *slash = strrchr(path, '/');
    char *name = strdup(slash ? slash + 1 : path);
    if (!name) return no_memory();
    size_t n = strlen(name);
    if (n > 4 && strcmp(name + n - 4, ".lua") == 0) name[n - 4] = '\0';
    bool taken = has_column(c, name), twice = taken && has_column(c, path);
    app_column *column = twice ? NULL : add_column(c, taken ? path : name);
    free(name);
    if (twice) {
        app_error("option '--rule': '%s' is given twice", path);
        return APP_USAGE;
    }
    if (!column) return no_memory();
    column->rule = path;
    return -1;
}

static int choose_columns(comparing *c) {
    const app_options *o = c->table.options;
    if (!(c->presets = app_pipeline_names(true))) return APP_ERROR;
    int code = -1;
    if (o->pipelines || o->rule_count > 0) {
        code = add_pipelines(c, o->pipelines ? o->pipelines : OWN);
    } else {
        char **names = app_pipeline_names(false);
        if (!names) return APP_ERROR;
        for (char **preset = names; code < 0 && *preset; preset++) code = add_pipelines(c, *preset);
        app_names_free(names);
    }
    for (int k = 0; code < 0 && k < o->rule_count; k++) code = add_rule(c, o->rules[k]);
    return code;
}

/* ---- Playing ----------------------------------------------------------------------------------------------------- */

static bool fail(app_scene *scene) {
    app_scene_set_error(scene, mus_get_error_message());
    return false;
}

_Static_assert(offsetof(mus_pipeline, collision_step) == MUS_STAGE_KIND_COUNT * sizeof(const char *),
               "a pipeline has a name for each kind of stage, in their order");

/* Stage names as they were resolved: the preset's, the script's or the default's. */
static void note_stages(app_column *column, mus_world *world) {
    mus_pipeline given = mus_world_get_def(world)->pipeline, standard = mus_pipeline_default();
    const char *names[MUS_STAGE_KIND_COUNT], *defaults[MUS_STAGE_KIND_COUNT];
    memcpy(names, &given, sizeof names);
    memcpy(defaults, &standard, sizeof defaults);
    for (int k = 0; k < MUS_STAGE_KIND_COUNT; k++) {
        const char *name = names[k] ? names[k] : defaults[k];
        if (name) snprintf(column->stages[k], sizeof column->stages[k], "%s", name);
    }
}

static bool play_frames(comparing *c, app_column *column, const app_options *o, app_progress *progress,
                        bool *finished) {
    app_scene *s = &c->scene;
    if (!app_scene_open(s, o)) return false;
    if (!s->world) {
        mus_fail(MUS_STATUS_INVALID, "%s: returns no world, so there is nothing to simulate; end it with: return world",
                 o->scene);
        return fail(s);
    }
    note_stages(column, s->world);
    mus_lua_world_watch(s->L, s->world_index, app_measure_step, c->measure);
    int64_t last = app_scene_frames(s, o);
    if (app_measure_frame(c->measure, s->world, 0) != MUS_STATUS_OK) return fail(s);
    while (!app_scene_is_over(s, last)) {
        if (app_guard_stopped() != APP_STOP_NONE) return true;
        app_progress_update(progress, s->frame, last, "frames");
        if (!app_scene_frame(s)) return false;
        if (app_measure_frame(c->measure, s->world, s->frame) != MUS_STATUS_OK) return fail(s);
    }
    *finished = app_scene_finish(s);
    return *finished;
}

/* The last good state; the drawing of draw hooks is omitted when they fail. */
static bool keep_still(comparing *c, app_column *column) {
    app_scene *s = &c->scene;
    if (!(c->table.options->png || c->table.options->report) || !s->world) return true;
    const mus_lua_drawing *drawing = NULL;
    if (app_fire_draw(s->L, s->world_index, &drawing) != MUS_STATUS_OK) drawing = NULL;
    const mus_lua_view *view = NULL;
    if (app_read_view(s->L, s->world_index, &view) != MUS_STATUS_OK) view = NULL;
    return app_still_take(&column->still, s->world, drawing, view) == MUS_STATUS_OK;
}

/* Lua or a hook did not return: saves the rows so far. Reads only data that the main thread no longer writes. */
static void last_words(void *user, app_stop why) {
    comparing *c = user;
    app_column *column = &c->table.columns[c->at];
    column->outcome = why == APP_STOP_TIME_LIMIT ? "time limit" : "interrupted";
    column->reason = app_format("the script did not end by itself");
    if (c->table.options->out) app_comparison_write(&c->table);
    app_error("%s: %s; the rest was not run", column->name, column->outcome);
}

/* -1, or the exit code when the comparison must end here. */
static int play_column(comparing *c) {
    app_column *column = &c->table.columns[c->at];
    app_options o = *c->table.options;
    o.pipeline = column->pipeline;
    o.rule = column->rule;
    char *what = app_format("%s: %s", o.scene, column->name);
    c->measure = app_measure_create(c->table.inside_tolerance);
    if (!what || !c->measure || !app_guard_start(o.time_limit, last_words, c)) {
        app_error("%s", what && c->measure ? mus_get_error_message() : "no memory to measure");
        free(what);
        app_measure_destroy(c->measure);
        return APP_ERROR;
    }
    app_progress progress;
    app_progress_start(&progress, what, o.quiet);
    bool finished = false, ok = play_frames(c, column, &o, &progress, &finished);
    const char *outcome;
    int code = app_scene_outcome(&c->scene, ok, finished, &outcome);
    bool kept = keep_still(c, column);
    app_progress_end(&progress);
    app_guard_lock();
    column->figures = app_measure_figures(c->measure);
    column->moments = app_measure_moments(c->measure);
    column->outcome = strcmp(outcome, "terminated") == 0 ? "interrupted" : outcome;
    column->reason = c->scene.error ? strdup(c->scene.error) : NULL;
    app_guard_unlock();
    app_scene_close(&c->scene);
    app_guard_end();
    app_measure_destroy(c->measure);
    c->measure = NULL;
    free(what);
    if (!kept) app_error("%s: %s", column->name, mus_get_error_message());
    if (code == APP_INTERRUPTED) return code;
    return kept ? -1 : APP_ERROR;
}

/* ---- The end ----------------------------------------------------------------------------------------------------- */

static int write_all(comparing *c) {
    const app_options *o = c->table.options;
    int code = APP_OK;
    if (!o->out) return code;
    if (o->png) {
        char *path = app_format("%s/compare.png", o->out);
        c->table.picture = path && app_comparison_picture(&c->table, path) == MUS_STATUS_OK;
        free(path);
        if (!c->table.picture) {
            app_error("%s", mus_get_error_message());
            code = APP_ERROR;
        }
    }
    if (o->report && app_comparison_stills(&c->table) != MUS_STATUS_OK)
        c->table.problem = app_format("%s", mus_get_error_message());
    if (app_comparison_write(&c->table) == MUS_STATUS_OK) return code;
    app_error("%s", mus_get_error_message());
    return APP_ERROR;
}

static bool any_intersections(const app_comparison *t) {
    for (int k = 0; k < t->count; k++)
        if (t->columns[k].figures.intersections_worst + t->columns[k].figures.inside_worst > 0) return true;
    return false;
}

static int run_comparison(comparing *c) {
    const app_options *o = c->table.options;
    int code = choose_columns(c);
    if (code >= 0) return code;
    if (o->out) {
        app_output *folder = app_output_open(o->out, NULL, 0, 0, NULL); /* creates it and tests that it is writable */
        if (!folder) {
            app_error("%s", mus_get_error_message());
            return APP_ERROR;
        }
        app_output_close(folder);
    }
    int ended = -1;
    for (c->at = 0; ended < 0 && c->at < c->table.count; c->at++) ended = play_column(c);
    code = write_all(c);
    if (o->json)
        app_comparison_print_json(&c->table);
    else if (!o->quiet)
        app_comparison_print(&c->table);
    if (ended >= 0) return ended;
    if (code == APP_OK && o->fail_on_intersections && any_intersections(&c->table)) return APP_CHECK_FAILED;
    return code;
}

int app_compare(const app_options *options) {
    comparing c = {.table = {.options = options,
                             .inside_tolerance = options->tolerance >= 0 ? options->tolerance : INSIDE_TOLERANCE}};
    int code = run_comparison(&c);
    for (int k = 0; k < c.table.count; k++) {
        app_still_free(&c.table.columns[k].still);
        app_moments_free(&c.table.columns[k].moments);
        free(c.table.columns[k].picture);
        free(c.table.columns[k].name);
        free(c.table.columns[k].reason);
    }
    free(c.table.columns);
    free(c.table.problem);
    app_names_free(c.presets);
    return code;
}
