/* render_labels.c: text over a picture: its title, the scale of its colors, the texts of draw hooks. */
#include "render/render.h"

#include <math.h>

void app_label_title(app_text *text, const mus_lua_view *view, const float top[3], int width, int height) {
    if (!view->title) return;
    static const float color[4] = {0.13f, 0.15f, 0.18f, 1}, light[4] = {0.95f, 0.95f, 0.94f, 1};
    float size = fmaxf(0.045f * (float)height, 12);
    bool dark = 0.3f * top[0] + 0.6f * top[1] + 0.1f * top[2] < 0.45f;
    app_text_draw(text, 0.8f * size, 0.6f * size, size, dark ? light : color, view->title, width, height);
}

void app_label_scale(app_text *text, app_heat heat, float range, float size, float bottom, int width, int height) {
    if (heat == APP_HEAT_NONE) return;
    static const float paper[4] = {1, 1, 1, 0.78f}, ink[4] = {0.13f, 0.15f, 0.18f, 1};
    enum { STEPS = 64 };
    char high[48];
    float bar = 12 * size, x = (float)width - bar - 1.6f * size, y = (float)height - bottom - 3.4f * size, text_width,
          h;
    app_heat_legend(heat, range, high);
    app_text_panel(text, x - 0.6f * size, y - 0.5f * size, bar + 1.2f * size, 3.1f * size, paper, width, height);
    for (int k = 0; k < STEPS; k++) {
        float color[4] = {0, 0, 0, 1};
        app_heat_color(((float)k + 0.5f) / STEPS, color);
        app_text_panel(text, x + bar * (float)k / STEPS, y, bar / STEPS + 0.5f, 0.8f * size, color, width, height);
    }
    app_text_measure(text, size, high, &text_width, &h);
    app_text_draw(text, x, y + 1.0f * size, size, ink, "0", width, height);
    app_text_draw(text, x + bar - text_width, y + 1.0f * size, size, ink, high, width, height);
}

void app_label_texts(app_text *text, const float view_projection[16], const mus_lua_drawing *drawing, int width,
                     int height) {
    for (int32_t i = 0; drawing && i < drawing->text_count; i++) {
        const mus_lua_text *label = &drawing->texts[i];
        float x = label->at[0], y = label->at[1], size = label->size > 0 ? label->size : 16;
        if (!label->text) continue;
        if (!label->screen) {
            float clip[4];
            app_matrix_apply(view_projection, label->at, clip);
            if (!(clip[3] > 1e-4f)) continue; /* behind the eye, or not a number */
            x = (0.5f + 0.5f * clip[0] / clip[3]) * (float)width;
            y = (0.5f - 0.5f * clip[1] / clip[3]) * (float)height;
        }
        if (!(fabsf(x) < 1e5f && fabsf(y) < 1e5f)) continue;
        app_text_draw(text, x, y, size, label->color, label->text, width, height);
    }
}
