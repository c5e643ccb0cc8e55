/* view_time.c: the window's time: pacing against the wall clock, loading, the scene's end, moving through its history.
 */
#include "repl/repl.h"
#include "view/view_window.h"

#include <math.h>
#include <string.h>

static const double BUSY_SECONDS = 0.030; /* least time of simulation between two pictures */
static const double LAG_SECONDS = 0.100;  /* largest lag behind the wall clock before the clock is reset */
static const double MESSAGE_SECONDS = 4;

void view_window_show(view_window *w, const char *text) {
    strncpy(w->message, text, sizeof w->message - 1);
    w->message[sizeof w->message - 1] = 0;
    w->message_until = app_clock() + MESSAGE_SECONDS;
    w->dirty = true;
}

void view_time_restart(view_window *w) {
    w->origin = w->rate_since = app_clock();
    w->origin_frame = w->rate_frame = w->scene.scene.frame;
    w->rate_pictures = 0;
    w->figures.factor = -1;
}

void view_time_pause(view_window *w, bool paused) {
    w->figures.paused = paused;
    w->at_end = false;
    w->dirty = true;
    view_time_restart(w);
}

void view_time_find_end(view_window *w) {
    int64_t end = w->options->frames < 0 && w->options->seconds < 0 && view_scene_world(&w->scene)
                      ? app_scene_frames(&w->scene.scene, w->options)
                      : -1;
    w->end_frame = w->scene.scene.frame < end ? end : -1;
}

bool view_time_load(view_window *w, bool anew) {
    char note[256] = "";
    view_grab_end(&w->grab, &w->scene);
    bool ok = view_scene_load(&w->scene, anew, note, sizeof note);
    if (ok && *note) view_window_show(w, note);
    if (ok) w->picked.hit = false;
    if (ok && w->options->repl) app_repl_prepare(&w->scene.scene);
    w->dirty = true;
    if (ok) {
        view_time_find_end(w);
        w->last_frame =
            w->options->frames >= 0 || w->options->seconds >= 0 ? app_scene_frames(&w->scene.scene, w->options) : -1;
    }
    if (ok && !w->camera_placed && view_scene_world(&w->scene)) {
        w->camera = w->first_camera = app_camera_fit(view_scene_world(&w->scene), w->camera.aspect);
        w->camera_placed = w->follows = true;
    }
    /* A scene paused by its end plays after a reload. */
    if (ok && w->at_end)
        view_time_pause(w, false);
    else
        view_time_restart(w);
    return ok;
}

bool view_time_playing(const view_window *w) {
    return !w->figures.paused && !w->scene.broken && view_scene_world(&w->scene);
}

bool view_time_frame(view_window *w) {
    w->dirty = true; /* also on failure, which the window must show */
    if (!view_scene_frame(&w->scene)) return false;
    if (w->follows && !w->grab.on) app_camera_follow(&w->camera, &w->first_camera, view_scene_world(&w->scene));
    int64_t frame = w->scene.scene.frame;
    if (w->end_frame >= 0 && (frame >= w->end_frame || w->scene.scene.stopped)) {
        w->end_frame = -1;
        view_scene_finish(&w->scene);
        if (w->loops && !w->scene.error && view_time_load(w, true)) return false;
        if (!w->scene.error) view_window_show(w, "The scene has ended. Space continues, r restarts, l loops.");
        view_time_pause(w, true);
        w->at_end = true;
        return false;
    }
    return true;
}

void view_time_play(view_window *w) {
    if (!view_time_playing(w)) return;
    double fps = w->scene.scene.fps > 0 ? w->scene.scene.fps : 60, start = app_clock();
    double budget = fmax(BUSY_SECONDS, w->picture_cost);
    for (;;) {
        double now = app_clock();
        int64_t due = w->origin_frame + mus_lua_whole((now - w->origin) * fps);
        if (w->last_frame >= 0 && app_scene_is_over(&w->scene.scene, w->last_frame)) return;
        if (w->scene.scene.frame >= due) return;
        if (now - start > budget) break;
        if (!view_time_frame(w)) return;
    }
    double behind = app_clock() - w->origin - (double)(w->scene.scene.frame - w->origin_frame) / fps;
    if (behind > LAG_SECONDS) w->origin += behind - 1 / fps;
}

static void after_move(view_window *w, const char *note) {
    view_time_pause(w, true);
    view_time_find_end(w);
    view_window_show(w, note);
}

void view_time_move(view_window *w, int steps) {
    char note[256] = "";
    view_grab_end(&w->grab, &w->scene);
    view_history_go(&w->scene, steps, note, sizeof note);
    after_move(w, note);
}

void view_time_seek(view_window *w, int64_t frame) {
    char note[256] = "";
    view_grab_end(&w->grab, &w->scene);
    view_history_seek(&w->scene, frame, note, sizeof note);
    after_move(w, note);
}
