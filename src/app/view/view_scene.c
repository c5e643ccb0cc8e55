/* view_scene.c: the scene behind the preview window: loaded, reloaded, played, audited, and kept when its script
 * fails. */
#include "view/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double AUDIT_SHARE = 0.04;   /* largest share of the time in automatic audits */
static const double AUDIT_STALL_MS = 100; /* largest duration of one */
static const int32_t AUDIT_FACES = 60000; /* no automatic audit beyond this, as even the first could be too slow */
static const double INSIDE_TOLERANCE = 1e-4;

static void set_error(view_scene *v, const char *message) {
    char *copy = strdup(message);
    free(v->error);
    v->error = copy;
    app_error("%s", message);
}

mus_world *view_scene_world(const view_scene *v) {
    return v->open ? v->scene.world : NULL;
}

static void take_stats(view_scene *v) {
    mus_world *world = view_scene_world(v);
    if (!world) return;
    mus_world_get_stats(world, &v->stats);
    v->time = mus_world_get_time(world);
    v->step_ms = v->step_ms > 0 ? 0.9 * v->step_ms + 0.1 * v->stats.step_ms : v->stats.step_ms;
}

/* The process is about to end, so errors of the script are not its own. At a prompt Ctrl-C ends only the running
 * code. */
static bool ending(const view_scene *v) {
    app_stop stop = app_guard_stopped();
    return stop != APP_STOP_NONE && !(v->options->repl && stop == APP_STOP_INTERRUPT);
}

static void close_scene(view_scene *v) {
    if (v->open) app_scene_close(&v->scene);
    v->open = false;
}

bool view_scene_load(view_scene *v, bool anew, char *note, size_t size) {
    app_scene fresh;
    view_watch_add(&v->watch, v->options->scene, NULL); /* its state before it is read */
    bool ok = app_scene_open(&fresh, v->options);
    (ok ? view_watch_set : view_watch_add)(&v->watch, v->options->scene, fresh.L);
    if (!ok) {
        if (!ending(v)) set_error(v, fresh.error ? fresh.error : "the script failed");
        app_scene_close(&fresh);
        if (v->open) app_guard_watch(v->scene.L);
        if (!v->open) v->broken = true;
        return false;
    }
    *note = 0;
    if (!anew) view_history_continue(v, &fresh, note, size);
    if (v->open && strcmp(v->scene.path, fresh.path) == 0) view_panel_keep(v->scene.L, fresh.L);
    close_scene(v);
    app_guard_watch(fresh.L);
    free(v->error);
    v->scene = fresh;
    v->open = true;
    v->broken = v->draw_broken = v->camera_broken = v->finished = v->checks = false;
    v->error = NULL;
    v->step_ms = 0;
    v->audit = (view_audit){.frame = -1};
    memset(&v->stats, 0, sizeof v->stats);
    v->time = v->scene.world ? mus_world_get_time(v->scene.world) : 0;
    view_history_begin(v);
    return true;
}

static bool stop_script(view_scene *v) {
    v->broken = true;
    v->time = v->scene.world ? mus_world_get_time(v->scene.world) : v->time; /* set even if its hook failed */
    v->checks = app_scene_check_failed(&v->scene);
    if (!ending(v)) set_error(v, v->scene.error ? v->scene.error : "the simulation failed");
    return false;
}

bool view_scene_frame(view_scene *v) {
    if (!view_scene_world(v) || v->broken) return false;
    if (!app_scene_frame(&v->scene)) return stop_script(v);
    take_stats(v);
    view_history_note(v);
    return true;
}

bool view_scene_settle(view_scene *v) {
    if (!v->open) return false;
    mus_world *world = v->scene.world = mus_lua_test_world(v->scene.L, v->scene.world_index);
    if (!world || mus_world_get_time(world) == v->time) return false;
    double frames = (mus_world_get_time(world) - v->time) * v->scene.fps;
    v->scene.frame += mus_lua_whole(frames < 0 ? fmax(frames - 0.5, -1e15) : fmin(frames + 0.5, 1e15));
    if (v->scene.frame < 0) v->scene.frame = 0;
    v->broken = v->checks = v->finished = false;
    free(v->error);
    v->error = NULL;
    take_stats(v);
    v->audit = (view_audit){.frame = -1};
    view_history_moved(v);
    return true;
}

void view_scene_finish(view_scene *v) {
    if (v->finished || !v->open || v->broken) return;
    v->finished = true;
    if (!app_scene_finish(&v->scene)) stop_script(v);
}

void view_scene_audit(view_scene *v) {
    mus_world *world = view_scene_world(v);
    if (!world) return;
    mus_audit_report report = {0};
    double start = app_clock();
    if (mus_world_audit(world, INSIDE_TOLERANCE, &report) != MUS_STATUS_OK) {
        set_error(v, mus_get_error_message());
        return;
    }
    double end = app_clock();
    v->audit = (view_audit){v->scene.frame, report.intersections, report.inside, 1e3 * (end - start), end};
    mus_audit_report_destroy(&report);
}

void view_scene_audit_if_cheap(view_scene *v) {
    mus_world *world = view_scene_world(v);
    if (!world || v->broken) return;
    if (v->audit.frame == v->scene.frame) return;
    if (v->audit.frame >= 0) {
        if (v->audit.ms > AUDIT_STALL_MS || 1e3 * (app_clock() - v->audit.at) * AUDIT_SHARE < v->audit.ms) return;
    } else {
        int64_t faces = 0;
        for (int32_t k = 0; k < mus_world_get_cloth_count(world); k++)
            faces += mus_cloth_get_face_count(world, mus_world_get_cloth(world, k));
        if (faces > AUDIT_FACES) return;
    }
    view_scene_audit(v);
}

static int draw_hooks(lua_State *L) {
    *(const mus_lua_drawing **)lua_touserdata(L, 2) = mus_lua_world_draw(L, 1);
    return 0;
}

static int read_view(lua_State *L) {
    *(const mus_lua_view **)lua_touserdata(L, 2) = mus_lua_world_view(L, 1);
    return 0;
}

static int key_hooks(lua_State *L) {
    lua_pushboolean(L, mus_lua_world_key(L, 1, lua_touserdata(L, 2)));
    return 1;
}

/* Calls a function of (world, argument) and leaves its results; on failure the window shows the error. */
static bool call_hook(view_scene *v, lua_CFunction function, void *argument, int results) {
    lua_State *L = v->scene.L;
    int top = lua_gettop(L);
    lua_pushcfunction(L, mus_lua_traceback);
    lua_pushcfunction(L, function);
    lua_pushvalue(L, v->scene.world_index);
    lua_pushlightuserdata(L, argument);
    if (lua_pcall(L, 2, results, top + 1) == LUA_OK) return true;
    const char *message = lua_tostring(L, -1);
    if (!ending(v)) set_error(v, message ? message : "error object is not a string");
    lua_settop(L, top);
    v->scene.world = mus_lua_test_world(L, v->scene.world_index);
    return false;
}

const mus_lua_drawing *view_scene_drawing(view_scene *v) {
    const mus_lua_drawing *drawing = NULL;
    if (!view_scene_world(v) || v->draw_broken) return NULL;
    int top = lua_gettop(v->scene.L);
    if (!call_hook(v, draw_hooks, &drawing, 0)) {
        v->draw_broken = true; /* reported once, not at every picture */
        return NULL;
    }
    lua_settop(v->scene.L, top);
    v->scene.world = mus_lua_test_world(v->scene.L, v->scene.world_index); /* a hook may have closed it */
    return drawing;
}

const mus_lua_view *view_scene_view(view_scene *v) {
    const mus_lua_view *view = NULL;
    if (!view_scene_world(v) || v->camera_broken) return NULL;
    int top = lua_gettop(v->scene.L);
    if (!call_hook(v, read_view, &view, 0)) {
        v->camera_broken = true;
        return NULL;
    }
    lua_settop(v->scene.L, top);
    return view;
}

bool view_scene_key(view_scene *v, const char *name) {
    if (!view_scene_world(v)) return false;
    int top = lua_gettop(v->scene.L);
    char word[64];
    strncpy(word, name, sizeof word - 1);
    word[sizeof word - 1] = 0;
    bool handled = call_hook(v, key_hooks, word, 1) && lua_toboolean(v->scene.L, -1);
    lua_settop(v->scene.L, top);
    v->scene.world = mus_lua_test_world(v->scene.L, v->scene.world_index);
    return handled;
}

void view_scene_close(view_scene *v) {
    close_scene(v);
    view_history_clear(v);
    view_watch_clear(&v->watch);
    free(v->error);
    v->error = NULL;
}
