/* view_overlay.c: figures, key help, messages and errors over the picture. */
#include "view.h"

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

static const char *const KEYS = "left drag        turn\n"
                                "right drag       move (also middle, or shift)\n"
                                "wheel            nearer, farther\n"
                                "click            what is there\n"
                                "f                show everything\n"
                                "space            pause, play\n"
                                "n  .             one frame\n"
                                "left  right      back in time, and on; pages and\n"
                                "                 home, end: farther\n"
                                "r                start anew from the script\n"
                                "s                picture to a file\n"
                                "a                audit for intersections\n"
                                "w                wireframe\n"
                                "c                contacts\n"
                                "h  F1            figures, keys, nothing\n"
                                "q  Esc           quit";

#define LEADING 0.12f

/* The pen of a panel: lines from top to bottom. */
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

/* A label and its value; returns the line, so that its colour can be changed. */
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
    put(lines, &count, "time            %.3f s  (frame %lld)", mus_world_time(world), (long long)v->scene.frame);
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
    put(lines, &count, "step            %.2f ms, %d a frame", v->step_ms, (int)mus_world_steps_per_frame(world));
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
    if (f->panel != VIEW_PANEL_KEYS) put(lines, &count, "h shows the keys")->color = QUIET;
    return count;
}

static void figures_panel(app_renderer *r, const view_scene *v, const view_figures *f, float size, int width,
                          int height) {
    figure_line lines[12];
    int count = figures_of(v, f, lines);
    float w = 0, h = 0, widest = 0, total = 0;
    /* Wide enough for the usual figures, so that the panel doesn't tremble with their digits. */
    app_text_measure(app_renderer_get_text(r), size, "intersections   0 000  (frame 000000)", &widest, &h);
    for (int i = 0; i < count; i++) {
        app_text_measure(app_renderer_get_text(r), size, lines[i].text, &w, &h);
        widest = fmaxf(widest, w), total += h + LEADING * size;
    }
    panel(r, 0.45f * size, 0.45f * size, widest + 1.1f * size, total + 0.9f * size, PAPER, width, height);
    pen p = {r, 1.0f * size, 0.95f * size, size, width, height};
    for (int i = 0; i < count; i++) write_line(&p, lines[i].color, lines[i].text);
}

static void keys_panel(app_renderer *r, float size, int width, int height) {
    float w, h;
    app_text_measure(app_renderer_get_text(r), size, KEYS, &w, &h);
    float x = 0.45f * size, y = (float)height - h - 1.4f * size;
    panel(r, x, y, w + 1.1f * size, h + 0.9f * size, PAPER, width, height);
    app_renderer_text(r, x + 0.55f * size, y + 0.45f * size, size, INK, KEYS, width, height);
}

/* Breaks lines longer than `columns` characters; owned by the caller. */
static char *wrap(const char *text, int columns) {
    size_t length = strlen(text);
    char *out = malloc(2 * length + 2), *to = out;
    if (!out) return NULL;
    int column = 0;
    for (const char *s = text; *s; s++) {
        bool starts = ((unsigned char)*s & 0xc0) != 0x80; /* of a character of UTF-8 */
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

static void error_panel(app_renderer *r, const view_scene *v, float size, int width, int height) {
    float w, h, letter;
    app_text *text = app_renderer_get_text(r);
    app_text_measure(text, size, "0000000000", &letter, &h);
    int columns = (int)(((float)width - 3 * size) / (letter / 10));
    char *wrapped = wrap(v->error, columns > 20 ? columns : 20);
    if (!wrapped) return;
    const char *heading = v->checks ? "A check failed" : "The script failed";
    const char *hint = v->broken ? "saving the script, or r, starts it anew; left goes back in time"
                                 : "the scene before it plays on; saving the script tries again";
    app_text_measure(text, size, wrapped, &w, &h);
    /* What is too long loses its end: the message stands first, the traceback after it. */
    float most = 0.62f * (float)height;
    while (h > most) {
        char *last = strrchr(wrapped, '\n');
        if (!last) break;
        *last = 0;
        app_text_measure(text, size, wrapped, &w, &h);
    }
    float box = h + 3.4f * size, y = (float)height - box - 0.45f * size;
    panel(r, 0.45f * size, y, (float)width - 0.9f * size, box, ALARM_PAPER, width, height);
    panel(r, 0.45f * size, y, 0.25f * size, box, ALARM, width, height);
    pen p = {r, 1.2f * size, y + 0.4f * size, size, width, height};
    write_line(&p, ALARM, heading);
    write_line(&p, INK, wrapped);
    p.y += 0.15f * size;
    write_line(&p, QUIET, hint);
    free(wrapped);
}

void view_overlay_draw(app_renderer *r, const view_scene *v, const view_figures *f, int width, int height) {
    float points = (float)width / f->scale; /* a small window gets smaller letters */
    float size = roundf(fminf(fmaxf(points / 75, 12), 16) * f->scale);
    if (f->panel != VIEW_PANEL_NONE) figures_panel(r, v, f, size, width, height);
    if (v->error)
        error_panel(r, v, size, width, height);
    else if (f->panel == VIEW_PANEL_KEYS)
        keys_panel(r, size, width, height);
    if (f->message[0]) {
        float w, h;
        app_text_measure(app_renderer_get_text(r), size, f->message, &w, &h);
        float x = fmaxf((float)width - w - 1.5f * size, 0.45f * size), y = 0.45f * size;
        panel(r, x, y, w + 1.1f * size, h + 0.9f * size, PAPER, width, height);
        app_renderer_text(r, x + 0.55f * size, y + 0.45f * size, size, INK, f->message, width, height);
    }
}
