/* stills.c: a bounded number of small pictures of a run, spread evenly over its frames, and their player. */
#include "report/report.h"
#include "render/render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of all pictures: 48 of a plain scene have 0.6 MB, and base64 takes a third more. */
static const size_t MOST_BYTES = (size_t)3 << 20;
enum { SHEET = 8 }; /* pictures of the contact sheet */

typedef struct still {
    unsigned char *bytes; /* a JPEG */
    size_t size;
    int64_t frame;
    double time; /* s */
} still;

struct app_stills {
    still list[APP_STILLS_MOST + 1], made; /* made: not kept yet */
    int count;
    size_t bytes;
    int64_t every; /* frames from one picture to the next: 1, 2, 4, ... */
    int64_t drawn; /* the last frame with a picture; -1: none */
    bool is_last;  /* what was made is the last picture: it takes the place beyond the others */
    app_heat show;
    app_renderer *renderer; /* made for the first picture */
    app_camera camera, first_camera;
    bool is_framed;
    char *title, *new_title; /* new_title: not kept yet; the watchdog may read the other at any time */
    char *problem;           /* why there are no further pictures */
};

app_stills *app_stills_create(app_heat show) {
    app_stills *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->every = 1;
    s->drawn = -1;
    s->show = show;
    return s;
}

void app_stills_destroy(app_stills *s) {
    if (!s) return;
    for (int k = 0; k < s->count; k++) free(s->list[k].bytes);
    free(s->made.bytes);
    if (s->renderer) app_renderer_destroy(s->renderer);
    free(s->title);
    free(s->new_title);
    free(s->problem);
    free(s);
}

const char *app_stills_title(const app_stills *stills) {
    return stills->title;
}

/* ---- Making ------------------------------------------------------------------------------------------------------ */

static void end_pictures(app_stills *s, int64_t frame) {
    const char *why = mus_get_error_message();
    s->problem = app_format("from frame %lld on: %.*s", (long long)frame, (int)strcspn(why, "\n"), why);
}

/* As the pictures of --format png: the scene's camera, else one that follows. */
static void move_camera(app_stills *s, mus_world *world, const mus_lua_view *view) {
    if (view && view->has_camera)
        s->camera = app_camera_of_view(view), s->is_framed = false;
    else if (s->is_framed)
        app_camera_follow(&s->camera, &s->first_camera, world);
    else
        s->camera = s->first_camera = app_camera_fit(world, (float)APP_STILL_WIDTH / APP_STILL_HEIGHT),
        s->is_framed = true;
}

static mus_status draw_still(app_stills *s, mus_world *world, const mus_lua_drawing *drawing, mus_lua_view *view) {
    if (!s->renderer && !(s->renderer = app_renderer_create(true))) return MUS_STATUS_IO;
    if (view) view->title = NULL; /* it is the heading of the page */
    app_renderer_set_view(s->renderer, view);
    app_render_list list = {0};
    unsigned char *pixels = NULL;
    mus_status status = app_render_list_collect(&list, world);
    if (status == MUS_STATUS_OK) status = app_render_list_heat(&list, world, s->show);
    if (status == MUS_STATUS_OK)
        status = app_renderer_pixels(s->renderer, &list, drawing, &s->camera, APP_STILL_WIDTH, APP_STILL_HEIGHT,
                                     "picture of the report", &pixels);
    if (status == MUS_STATUS_OK)
        status = app_image_jpeg(pixels, APP_STILL_WIDTH, APP_STILL_HEIGHT, &s->made.bytes, &s->made.size);
    free(pixels);
    app_render_list_free(&list);
    return status;
}

void app_stills_take(app_stills *s, lua_State *L, int world_index, mus_world *world, int64_t frame,
                     const mus_lua_drawing *drawing, bool last) {
    if (s->problem) return;
    const mus_lua_view *stated = NULL;
    mus_status status = app_read_view(L, world_index, &stated);
    mus_lua_view view = stated ? *stated : (mus_lua_view){0};
    if (view.title && (!s->title || strcmp(s->title, view.title) != 0)) {
        free(s->new_title);
        s->new_title = strdup(view.title);
    }
    bool due = frame != s->drawn && (last || frame % s->every == 0);
    if (status == MUS_STATUS_OK) move_camera(s, world, stated ? &view : NULL);
    if (status == MUS_STATUS_OK && due && !drawing) status = app_fire_draw(L, world_index, &drawing);
    if (status == MUS_STATUS_OK && due) {
        s->made.frame = s->drawn = frame, s->made.time = mus_world_get_time(world), s->is_last = last;
        status = draw_still(s, world, drawing, stated ? &view : NULL);
    }
    if (status != MUS_STATUS_OK && !last) end_pictures(s, frame); /* at the end an interrupted state may refuse */
}

/* Omits every second picture. */
static void thin_pictures(app_stills *s) {
    int kept = 0;
    s->every *= 2;
    for (int k = 0; k < s->count; k++) {
        if (s->list[k].frame % s->every == 0)
            s->list[kept++] = s->list[k];
        else
            s->bytes -= s->list[k].size, free(s->list[k].bytes);
    }
    s->count = kept;
}

void app_stills_keep(app_stills *s) {
    if (s->new_title) {
        free(s->title);
        s->title = s->new_title, s->new_title = NULL;
    }
    if (!s->made.bytes) return;
    bool full = s->count >= APP_STILLS_MOST || (s->bytes + s->made.size > MOST_BYTES && s->count > 2);
    if (full && !s->is_last) thin_pictures(s);
    s->list[s->count++] = s->made;
    s->bytes += s->made.size;
    s->made = (still){0};
}

/* ---- Printing ---------------------------------------------------------------------------------------------------- */

static bool is_in_sheet(int k, int count) {
    if (count <= SHEET) return true;
    for (int n = 0; n < SHEET; n++)
        if (k == (n * (count - 1) + (SHEET - 1) / 2) / (SHEET - 1)) return true;
    return false;
}

static void print_picture(const app_stills *s, app_page *page, int k) {
    const still *one = &s->list[k];
    char text[80];
    snprintf(text, sizeof text, "Frame %lld, %.4g s", (long long)one->frame, one->time);
    fprintf(page->out, "<figure%s data-frame=\"%lld\" data-time=\"%.6g\">", is_in_sheet(k, s->count) ? "" : " hidden",
            (long long)one->frame, one->time);
    app_page_image(page, "jpeg", one->bytes, one->size, text);
    fprintf(page->out, "<figcaption>%s</figcaption></figure>\n", text);
}

/* The player is built by the script from the pictures of the sheet, which stands where there is no script. */
void app_stills_print(const app_stills *s, app_page *page, int64_t last_frame) {
    app_page_section(page, "Pictures");
    if (s->count > 0) {
        page->player = true;
        fprintf(page->out,
                "<div id=\"player\" hidden>\n<img id=\"picture\" alt=\"\" width=\"%d\" height=\"%d\">\n"
                "<p class=\"controls\"><button type=\"button\" id=\"play\">Play</button>\n<input type=\"range\" "
                "id=\"slider\" min=\"0\" max=\"%d\" value=\"0\" step=\"1\" aria-label=\"picture\">\n<output "
                "id=\"shown\" for=\"slider\"></output></p>\n</div>\n<div id=\"sheet\">\n",
                APP_STILL_WIDTH, APP_STILL_HEIGHT, s->count - 1);
        for (int k = 0; k < s->count; k++) print_picture(s, page, k);
        fputs("</div>\n", page->out);
        char text[240];
        int n = snprintf(text, sizeof text, "%d picture%s of %lld frames", s->count, s->count == 1 ? "" : "s",
                         (long long)last_frame + 1);
        bool ends = s->list[s->count - 1].frame == last_frame;
        if (s->every > 1)
            snprintf(text + n, sizeof text - (size_t)n, ": one every %lld frames%s; a report has at most %d.",
                     (long long)s->every, ends ? ", and the last" : "", APP_STILLS_MOST + 1);
        else
            snprintf(text + n, sizeof text - (size_t)n, ".");
        app_page_paragraph(page, text);
    }
    char *problem = s->problem ? app_format("There are no pictures %s", s->problem) : NULL;
    if (problem) app_page_paragraph(page, problem);
    if (!problem && s->count == 0) app_page_paragraph(page, "There are no pictures: the run made no frame.");
    free(problem);
}
