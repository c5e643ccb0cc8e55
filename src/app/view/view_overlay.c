/* view_overlay.c: figures, key help, messages and errors over the picture. */
#include "view/view.h"

#include <SDL.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const float INK[4] = {0.13f, 0.15f, 0.18f, 1}, QUIET[4] = {0.36f, 0.40f, 0.45f, 1};
static const float PAPER[4] = {1, 1, 1, 0.78f}, ALARM[4] = {0.72f, 0.10f, 0.10f, 1}, GOOD[4] = {0.10f, 0.42f, 0.20f, 1};
static const float PAST[4] = {0.10f, 0.25f, 0.60f, 1};
static const float ALARM_PAPER[4] = {1, 0.955f, 0.945f, 0.94f};

static const char *const KEYS = "left drag    turn\n"
                                "right drag   move (also middle, or shift)\n"
                                "wheel        nearer, farther\n"
                                "click        name the feature\n"
                                "ctrl + drag  pull cloth or a rigid body\n"
                                "f            the scene's camera, or fit all\n"
                                "space        pause, play\n"
                                "n  .         one frame\n"
                                "left  right  earlier, later state; page keys,\n"
                                "             home, end: larger steps\n"
                                "bar below    played and stored frames; click or\n"
                                "             drag to show a stored one\n"
                                "sliders      params with a range; a right click\n"
                                "             restores the script's value\n"
                                "l            loop, or pause at the end\n"
                                "r            restart from the script\n"
                                "drop a .lua  open that scene\n"
                                "s            save a picture\n"
                                "a            audit for intersections\n"
                                "w            wireframe\n"
                                "c            contacts, longer by impulse\n"
                                "p            pins and seams\n"
                                "v            normals\n"
                                "m            color by stretch, speed,\n"
                                "             contacts, curvature\n"
                                "h  F1        show the keys\n"
                                "i            show the figures\n"
                                "q  Esc       quit";

#define LEADING 0.12f
#define MARGIN  0.45f /* around panels, as a fraction of the text size */

/* Output position of a panel: lines from top to bottom. */
typedef struct pen {
    app_renderer *renderer;
    float x, y, size;
    int width, height;
} pen;

static void write_line(pen *p, const float color[4], const char *text) {
    float w, h;
    app_text_measure(app_renderer_get_text(p->renderer), p->size, text, &w, &h);
    app_renderer_text(p->renderer, p->x, p->y, p->size, color, text, p->width, p->height);
    p->y += h + LEADING * p->size;
}

static void panel(app_renderer *r, float x, float y, float w, float h, const float color[4], int width, int height) {
    app_text_panel(app_renderer_get_text(r), x, y, w, h, color, width, height);
}

static void count_text(char *text, size_t size, int64_t n) { /* 12345 -> 12 345 */
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%lld", (long long)n);
    size_t at = 0;
    for (int i = 0; i < length && at + 2 < size; i++) {
        if (i > 0 && (length - i) % 3 == 0 && digits[i - 1] != '-') text[at++] = ' ';
        text[at++] = digits[i];
    }
    text[at] = 0;
}

typedef struct figure_line {
    const float *color;
    char text[120];
} figure_line;

/* A label and its value; returns the line, so that its color can be changed. */
__attribute__((format(printf, 3, 4))) static figure_line *put(figure_line *lines, int *count, const char *format, ...) {
    figure_line *line = &lines[(*count)++];
    va_list args;
    va_start(args, format);
    vsnprintf(line->text, sizeof line->text, format, args);
    va_end(args);
    line->color = INK;
    return line;
}

static int figures_of(const view_scene *v, const view_figures *f, figure_line *lines) {
    mus_world *world = view_scene_world(v);
    int count = 0;
    char number[48];
    put(lines, &count, "%s", f->title);
    if (!world) {
        put(lines, &count, "%s", v->error ? "no world: see the error" : "the script returned no world")->color = QUIET;
        return count;
    }
    put(lines, &count, "time            %.3f s  (frame %lld)", mus_world_get_time(world), (long long)v->scene.frame);
    if (v->broken)
        put(lines, &count, "speed           stopped");
    else if (f->paused)
        put(lines, &count, "speed           paused");
    else if (f->factor < 0)
        put(lines, &count, "speed           …");
    else if (f->factor > 0.97)
        put(lines, &count, "speed           real time, %.0f pictures/s", f->pictures);
    else
        put(lines, &count, "speed           %.2f x real time, %.0f pictures/s", f->factor, f->pictures);
    const mus_world_def *def = mus_world_get_def(world);
    int threads = def->threads > 0 ? def->threads : SDL_GetCPUCount();
    if (mus_world_is_asleep(world))
        put(lines, &count, "step            asleep: at rest, not solved")->color = GOOD;
    else
        put(lines, &count, "step            %.2f ms, %d a frame", v->step_ms,
            (int)mus_world_get_steps_per_frame(world));
    put(lines, &count, "threads         %d", threads);
    count_text(number, sizeof number, v->stats.contacts);
    put(lines, &count, "contacts        %s", number);
    if (v->audit.frame < 0) {
        put(lines, &count, "intersections   not audited (key a)")->color = QUIET;
    } else {
        int64_t bad = v->audit.intersections + v->audit.inside;
        count_text(number, sizeof number, bad);
        put(lines, &count, "intersections   %s  (frame %lld)", number, (long long)v->audit.frame)->color =
            bad ? ALARM : GOOD;
    }
    if (v->history.at >= 0)
        put(lines, &count, "back in time    moment %d of %d", v->history.at + 1, v->history.count)->color = PAST;
    if (!f->keys) put(lines, &count, "h shows the keys")->color = QUIET;
    return count;
}

typedef struct box {
    float width, height;
} box;

static box figures_box(app_renderer *r, const figure_line *lines, int count, float size) {
    float w = 0, h = 0, widest = 0, total = 0;
    /* Wide enough for the usual figures, so that the panel's width does not change with their digits, nor when playback
     * falls below real time. */
    app_text_measure(app_renderer_get_text(r), size, "speed           0.00 x real time, 000 pictures/s", &widest, &h);
    for (int i = 0; i < count; i++) {
        app_text_measure(app_renderer_get_text(r), size, lines[i].text, &w, &h);
        widest = fmaxf(widest, w), total += h + LEADING * size;
    }
    return (box){widest + 1.1f * size, total + 0.9f * size};
}

static void figures_panel(app_renderer *r, const figure_line *lines, int count, box b, float size, int width,
                          int height) {
    panel(r, MARGIN * size, MARGIN * size, b.width, b.height, PAPER, width, height);
    pen p = {r, 1.0f * size, 0.95f * size, size, width, height};
    for (int i = 0; i < count; i++) write_line(&p, lines[i].color, lines[i].text);
}

static box text_box(app_renderer *r, const char *text, float size) {
    box b;
    app_text_measure(app_renderer_get_text(r), size, text, &b.width, &b.height);
    return (box){b.width + 1.1f * size, b.height + 0.9f * size};
}

static void text_panel(app_renderer *r, const char *text, float x, float y, box b, float size, int width, int height) {
    panel(r, x, y, b.width, b.height, PAPER, width, height);
    app_renderer_text(r, x + 0.55f * size, y + 0.45f * size, size, INK, text, width, height);
}

/* Breaks lines longer than `columns` characters; owned by the caller. */
static char *wrap(const char *text, int columns) {
    size_t length = strlen(text);
    char *out = malloc(2 * length + 2), *to = out;
    if (!out) return NULL;
    int column = 0;
    for (const char *s = text; *s; s++) {
        bool starts = ((unsigned char)*s & 0xc0) != 0x80; /* of a UTF-8 character */
        if (*s == '\n')
            column = 0;
        else if (starts && column >= columns)
            *to++ = '\n', column = 1;
        else if (starts)
            column += *s == '\t' ? 4 : 1;
        *to++ = *s;
    }
    *to = 0;
    return out;
}

/* Owned by the caller; NULL: no memory. */
static char *wrap_to_window(app_renderer *r, const char *text, float size, int width) {
    float letter, h;
    app_text_measure(app_renderer_get_text(r), size, "0000000000", &letter, &h);
    int columns = (int)(((float)width - 3 * size) / (letter / 10));
    return wrap(text, columns > 20 ? columns : 20);
}

/* The displayed text of the error, and the height of its panel. A long text is cut at its end, which is part of the
 * traceback. */
static char *error_text(app_renderer *r, const view_scene *v, float size, int width, int height, float *box_height) {
    float w, h = 0, most = 0.62f * (float)height;
    char *wrapped = wrap_to_window(r, v->error, size, width), *last;
    if (!wrapped) return NULL;
    app_text_measure(app_renderer_get_text(r), size, wrapped, &w, &h);
    while (h > most && (last = strrchr(wrapped, '\n'))) {
        *last = 0;
        app_text_measure(app_renderer_get_text(r), size, wrapped, &w, &h);
    }
    *box_height = h + 3.4f * size;
    return wrapped;
}

static void error_panel(app_renderer *r, const view_scene *v, const char *text, float box_height, float size, int width,
                        int height, int low) {
    const char *heading = v->checks ? "A check failed" : "The script failed";
    const char *hint = v->broken ? "save the script or press r to restart; left shows earlier states"
                                 : "the previous scene continues; save the script to try again";
    float y = (float)low - box_height - MARGIN * size;
    panel(r, MARGIN * size, y, (float)width - 2 * MARGIN * size, box_height, ALARM_PAPER, width, height);
    panel(r, MARGIN * size, y, 0.25f * size, box_height, ALARM, width, height);
    pen p = {r, 1.2f * size, y + 0.4f * size, size, width, height};
    write_line(&p, ALARM, heading);
    write_line(&p, INK, text);
    p.y += 0.15f * size;
    write_line(&p, QUIET, hint);
}

float view_overlay_text_size(const view_figures *f, int width) {
    float points = (float)width / f->scale;
    return roundf(fminf(fmaxf(points / 75, 12), 16) * f->scale);
}

/* Figures at the top left, a message at the top right, the timeline at the bottom, error or keys above it. If space is
 * short, the message moves below the figures and the keys beside them; if that is not enough, the figures are hidden.
 */
void view_overlay_draw(app_renderer *r, const view_scene *v, const view_figures *f, int width, int height) {
    float size = view_overlay_text_size(f, width), margin = MARGIN * size;
    int low = height - (int)view_timeline_height(v, f, size); /* where panels end */
    float bottom = 0;
    char *error = v->error ? error_text(r, v, size, width, low, &bottom) : NULL;
    char *message = f->message[0] ? wrap_to_window(r, f->message, size, width) : NULL;
    bool keys = !v->error && f->keys, figures = f->shown;
    box keys_box = text_box(r, KEYS, size), message_box = text_box(r, message ? message : "", size);
    if (keys) bottom = keys_box.height;
    figure_line lines[12];
    int count = figures_of(v, f, lines);
    box all = figures_box(r, lines, count, size);
    float x = fmaxf((float)width - message_box.width - margin, margin), y = margin, keys_x = margin;
    if (message && figures && x < all.width + 2 * margin) y += all.height + margin;
    float top = figures ? margin + all.height : 0;
    if (message) top = fmaxf(top, y + message_box.height);
    if (figures && bottom > 0 && top + bottom + 2 * margin > (float)low) {
        bool beside = keys && all.width + keys_box.width + 3 * margin <= (float)width;
        if (beside)
            keys_x = all.width + 2 * margin, x = margin, y = all.height + 2 * margin;
        else
            figures = false, y = margin;
    }

    view_timeline_draw(r, v, f, size, width, height);
    if (figures) figures_panel(r, lines, count, all, size, width, height);
    if (error) error_panel(r, v, error, bottom, size, width, height, low);
    if (keys) {
        float keys_y = fmaxf((float)low - keys_box.height - margin, margin);
        text_panel(r, KEYS, keys_x, keys_y, keys_box, size, width, height);
    }
    if (message) text_panel(r, message, x, y, message_box, size, width, height);
    free(error);
    free(message);
}
