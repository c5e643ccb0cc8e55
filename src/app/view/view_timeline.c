/* view_timeline.c: the bar at the bottom of the window: the frames of the scene, those that were played, and those that
 * the history can show again. */
#include "view/view.h"

#include <math.h>
#include <stdio.h>

static const float PAPER[4] = {1, 1, 1, 0.78f}, INK[4] = {0.13f, 0.15f, 0.18f, 1};
static const float TRACK[4] = {0.60f, 0.64f, 0.70f, 0.55f}, PLAYED[4] = {0.36f, 0.40f, 0.45f, 1};
static const float STORED[4] = {0.16f, 0.38f, 0.78f, 1}, KNOB[4] = {0.10f, 0.25f, 0.60f, 1};

float view_timeline_height(const view_scene *v, const view_figures *f, float size) {
    return f->shown && view_scene_world(v) ? 1.9f * size : 0;
}

static void write_label(const view_scene *v, const view_timeline *t, char *text, size_t size) {
    if (v->scene.duration > 0)
        snprintf(text, size, "%lld / %lld", (long long)v->scene.frame, (long long)t->end);
    else
        snprintf(text, size, "%lld", (long long)v->scene.frame);
}

bool view_timeline_layout(view_timeline *t, app_renderer *r, const view_scene *v, const view_figures *f, float size,
                          int width, int height) {
    const view_history *h = &v->history;
    float panel = view_timeline_height(v, f, size), label_width, label_height;
    if (panel <= 0 || h->count == 0) return false;
    int64_t frame = v->scene.frame, scene_end = app_scene_frames(&v->scene, v->options);
    t->first = h->moments[0].frame;
    t->last = h->at < 0 && frame > h->moments[h->count - 1].frame ? frame : h->moments[h->count - 1].frame;
    t->end = scene_end > t->last ? scene_end : t->last > 0 ? t->last : 1;
    char label[64], widest[64];
    write_label(v, t, label, sizeof label);
    snprintf(widest, sizeof widest, "%lld / %lld", (long long)t->end, (long long)t->end);
    app_text_measure(app_renderer_get_text(r), size, widest, &label_width, &label_height);
    t->top = (float)height - panel;
    t->left = label_width + 1.6f * size;
    t->right = (float)width - 0.9f * size;
    return t->right - t->left > 4 * size;
}

static float place_of(const view_timeline *t, int64_t frame) {
    double share = fmin(fmax((double)frame / (double)t->end, 0), 1);
    return t->left + (t->right - t->left) * (float)share;
}

int64_t view_timeline_frame_at(const view_timeline *t, float x) {
    double share = fmin(fmax((double)((x - t->left) / (t->right - t->left)), 0), 1);
    return mus_lua_whole(share * (double)t->end + 0.5);
}

void view_timeline_draw(app_renderer *r, const view_scene *v, const view_figures *f, float size, int width,
                        int height) {
    view_timeline t;
    char label[64];
    if (!view_timeline_layout(&t, r, v, f, size, width, height)) return;
    app_text *text = app_renderer_get_text(r);
    float middle = 0.5f * (t.top + (float)height), thin = 0.18f * size, knob = 0.28f * size;
    float first = place_of(&t, t.first), last = place_of(&t, t.last), now = place_of(&t, v->scene.frame);
    app_text_panel(text, 0, t.top, (float)width, (float)height - t.top, PAPER, width, height);
    app_text_panel(text, t.left, middle - 0.5f * thin, t.right - t.left, thin, TRACK, width, height);
    app_text_panel(text, t.left, middle - 0.5f * thin, now - t.left, thin, PLAYED, width, height);
    app_text_panel(text, first, middle - thin, fmaxf(last - first, 1), 2 * thin, STORED, width, height);
    app_text_panel(text, now - 0.5f * knob, middle - 0.55f * size, knob, 1.1f * size, KNOB, width, height);
    write_label(v, &t, label, sizeof label);
    app_renderer_text(r, 0.8f * size, middle - 0.55f * size, size, INK, label, width, height);
}
