/* view_panel.c: the params of the scene that have a range, as sliders at the right of the window. */
#include "view/view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const float PAPER[4] = {1, 1, 1, 0.78f}, INK[4] = {0.13f, 0.15f, 0.18f, 1};
static const float TRACK[4] = {0.60f, 0.64f, 0.70f, 0.55f}, CHANGED[4] = {0.16f, 0.38f, 0.78f, 1};
static const float SCRIPT[4] = {0.36f, 0.40f, 0.45f, 1};
static const double VALUES_IN_RANGE =
    200; /* a value set by the mouse is a multiple of a power of ten: at least so many */

static double value_of(const mus_lua_slider *slider) {
    return mus_parameter_get_value(slider->parameter);
}

/* ---- Layout ------------------------------------------------------------------------------------------------------ */

bool view_panel_layout(view_panel *p, view_scene *v, const view_figures *f, float size, int width, int height) {
    p->count = 0;
    if (!f->shown || !view_scene_world(v)) return false;
    p->count = mus_lua_get_sliders(v->scene.L, p->sliders, VIEW_MOST_SLIDERS);
    p->line = 2.4f * size;
    p->top = 3.2f * size; /* below a message */
    p->left = (float)width - 16.5f * size;
    p->right = (float)width - 1.2f * size;
    float space = (float)height - view_timeline_height(v, f, size) - p->top - size;
    int32_t most = space > 0 ? (int32_t)(space / p->line) : 0;
    if (p->count > most) p->count = most;
    return p->count > 0 && p->left > 0;
}

int32_t view_panel_find(const view_panel *p, float x, float y) {
    float margin = 0.05f * (p->right - p->left);
    int32_t k = y >= p->top ? (int32_t)((y - p->top) / p->line) : -1;
    return x >= p->left - margin && k >= 0 && k < p->count ? k : -1;
}

/* ---- Values ------------------------------------------------------------------------------------------------------ */

static void set_value(view_scene *v, const mus_lua_slider *slider, double value) {
    if (mus_parameter_set_value(slider->parameter, value) == MUS_STATUS_OK) mus_world_wake(view_scene_world(v));
}

void view_panel_set(const view_panel *p, view_scene *v, int32_t k, float x) {
    const mus_lua_slider *slider = &p->sliders[k];
    double share = fmin(fmax((double)((x - p->left) / (p->right - p->left)), 0), 1);
    double step = pow(10, floor(log10((slider->most - slider->least) / VALUES_IN_RANGE)));
    double value = slider->least + share * (slider->most - slider->least), rounded = round(value / step) * step;
    if (share <= 0 || share >= 1 || !isfinite(rounded)) rounded = value;
    set_value(v, slider, fmin(fmax(rounded, slider->least), slider->most));
}

void view_panel_reset(const view_panel *p, view_scene *v, int32_t k) {
    set_value(v, &p->sliders[k], p->sliders[k].initial);
}

void view_panel_keep(lua_State *from, lua_State *to) {
    mus_lua_slider before[VIEW_MOST_SLIDERS], after[VIEW_MOST_SLIDERS];
    int32_t many = mus_lua_get_sliders(from, before, VIEW_MOST_SLIDERS);
    int32_t count = mus_lua_get_sliders(to, after, VIEW_MOST_SLIDERS);
    for (int32_t k = 0; k < count; k++)
        for (int32_t i = 0; i < many; i++) {
            const mus_lua_slider *old = &before[i], *now = &after[k];
            if (strcmp(mus_parameter_get_name(old->parameter), mus_parameter_get_name(now->parameter)) != 0) continue;
            double value = value_of(old);
            bool same = old->initial == now->initial && value >= now->least && value <= now->most;
            if (same && value_of(now) == now->initial) mus_parameter_set_value(now->parameter, value);
        }
}

/* ---- Drawing ----------------------------------------------------------------------------------------------------- */

static void draw_slider(app_renderer *r, const view_panel *p, int32_t k, float size, int width, int height) {
    const mus_lua_slider *slider = &p->sliders[k];
    app_text *text = app_renderer_get_text(r);
    char number[48], name[32];
    float number_width, h, y = p->top + (float)k * p->line, track = y + 1.7f * size, knob = 0.3f * size;
    double value = value_of(slider);
    double share = fmin(fmax((value - slider->least) / (slider->most - slider->least), 0), 1);
    float x = p->left + (p->right - p->left) * (float)share;
    snprintf(number, sizeof number, "%.6g", value);
    snprintf(name, sizeof name, "%.18s", mus_parameter_get_name(slider->parameter));
    app_text_measure(text, size, number, &number_width, &h);
    app_renderer_text(r, p->left, y + 0.2f * size, size, INK, name, width, height);
    app_renderer_text(r, p->right - number_width, y + 0.2f * size, size, INK, number, width, height);
    app_text_panel(text, p->left, track - 0.09f * size, p->right - p->left, 0.18f * size, TRACK, width, height);
    app_text_panel(text, x - 0.5f * knob, track - 0.4f * size, knob, 0.8f * size,
                   value == slider->initial ? SCRIPT : CHANGED, width, height);
}

void view_panel_draw(app_renderer *r, view_scene *v, const view_figures *f, float size, int width, int height) {
    view_panel p;
    if (!view_panel_layout(&p, v, f, size, width, height)) return;
    app_text_panel(app_renderer_get_text(r), p.left - 0.75f * size, p.top - 0.2f * size, p.right - p.left + 1.5f * size,
                   (float)p.count * p.line + 0.4f * size, PAPER, width, height);
    for (int32_t k = 0; k < p.count; k++) draw_slider(r, &p, k, size, width, height);
}
