/* compare_picture.c: the last frames of compared runs, copied from their worlds, then drawn side by side. */
#include "compare/compare.h"

#include <stdlib.h>
#include <string.h>

enum { TILE_WIDTH = 640, TILE_HEIGHT = 480, TILES_A_ROW = 3, TEXT_SIZE = 22, REASON_LENGTH = 80 };

/* ---- Stills ------------------------------------------------------------------------------------------------------ */

/* NULL and true for no data; false without memory. */
static bool copy(const void *from, size_t count, size_t item, void *to) {
    void **place = to;
    *place = NULL;
    if (!from || count == 0) return true;
    *place = malloc(count * item);
    if (*place) memcpy(*place, from, count * item);
    return *place != NULL;
}

static bool copy_drawing(app_still *still, const mus_lua_drawing *d) {
    if (!d) return true;
    if (!copy(d->lines, (size_t)d->line_count, sizeof *d->lines, &still->lines) ||
        !copy(d->points, (size_t)d->point_count, sizeof *d->points, &still->points) ||
        !copy(d->texts, (size_t)d->text_count, sizeof *d->texts, &still->texts))
        return false;
    still->line_count = still->lines ? d->line_count : 0;
    still->point_count = still->points ? d->point_count : 0;
    for (int32_t k = 0; still->texts && k < d->text_count; k++) {
        still->texts[k].text = strdup(d->texts[k].text);
        still->text_count = k + 1;
        if (!still->texts[k].text) return false;
    }
    return true;
}

mus_status app_still_take(app_still *still, mus_world *world, const mus_lua_drawing *drawing,
                          const mus_lua_view *view) {
    memset(still, 0, sizeof *still);
    if (view) still->view = *view;
    still->view.title = NULL;
    app_render_list list;
    mus_status status = app_render_list_collect(&list, world);
    if (status != MUS_STATUS_OK) return status;
    int32_t parts = list.part_count;
    list.part_count = 0; /* those whose arrays the still owns */
    bool ok = true;
    for (int32_t k = 0; ok && k < parts; k++) {
        app_render_part *p = &list.parts[k];
        app_render_part from = *p;
        p->edges = NULL, p->edge_count = 0;
        p->faces = NULL;
        p->uvs = NULL, p->uv_faces = NULL;
        size_t corners = 3 * (size_t)from.face_count;
        ok = copy(from.vertices, 3 * (size_t)from.vertex_count, sizeof *from.vertices, &p->vertices) &&
             copy(from.faces, corners, sizeof *from.faces, &p->faces) &&
             copy(from.uvs, 2 * (size_t)from.uv_count, sizeof *from.uvs, &p->uvs) &&
             copy(from.uv_faces, corners, sizeof *from.uv_faces, &p->uv_faces);
        list.part_count = k + 1;
    }
    still->list = list;
    if (ok && copy_drawing(still, drawing)) return MUS_STATUS_OK;
    app_still_free(still);
    return mus_fail(MUS_STATUS_NO_MEMORY, "no memory to keep the last frame for the picture");
}

void app_still_free(app_still *still) {
    for (int32_t k = 0; k < still->list.part_count; k++) {
        free((double *)still->list.parts[k].vertices);
        free((int32_t *)still->list.parts[k].faces);
        free((double *)still->list.parts[k].uvs);
        free((int32_t *)still->list.parts[k].uv_faces);
    }
    app_render_list_free(&still->list);
    for (int32_t k = 0; k < still->text_count; k++) free((char *)still->texts[k].text);
    free(still->lines);
    free(still->points);
    free(still->texts);
    memset(still, 0, sizeof *still);
}

/* ---- The picture ------------------------------------------------------------------------------------------------- */

/* One camera for all, so that only the cloth differs: the first that a scene states. */
static app_camera common_camera(const app_comparison *c, float aspect) {
    for (int k = 0; k < c->count; k++)
        if (c->columns[k].still.view.has_camera) return app_camera_of_view(&c->columns[k].still.view);
    app_render_list all = {0};
    int32_t parts = 0, planes = 0;
    for (int k = 0; k < c->count; k++)
        parts += c->columns[k].still.list.part_count, planes += c->columns[k].still.list.plane_count;
    all.parts = calloc((size_t)parts + 1, sizeof *all.parts);
    all.planes = calloc((size_t)planes + 1, sizeof *all.planes);
    for (int k = 0; all.parts && all.planes && k < c->count; k++) {
        const app_render_list *list = &c->columns[k].still.list;
        for (int32_t i = 0; i < list->part_count; i++) all.parts[all.part_count++] = list->parts[i];
        for (int32_t i = 0; i < list->plane_count; i++) all.planes[all.plane_count++] = list->planes[i];
    }
    app_camera camera = app_camera_fit_list(&all, aspect);
    free(all.parts);
    free(all.planes);
    return camera;
}

/* Breaks a text into lines of a width, at blanks where there are some. */
static void break_lines(app_renderer *r, char *text, float size, float width) {
    float one, height;
    app_text_measure(app_renderer_get_text(r), size, "m", &one, &height); /* every character is as wide */
    size_t most = width > 8 * one ? (size_t)(width / one) : 8, start = 0, blank = 0;
    for (size_t k = 0; text[k]; k++) {
        if (text[k] == ' ') blank = k;
        if (k - start < most || blank <= start) continue;
        text[blank] = '\n';
        start = blank + 1;
    }
}

/* A column's picture with its name and error drawn over it. */
static mus_status draw_tile(app_renderer *r, const app_column *column, const app_camera *camera, int width, int height,
                            const char *path, unsigned char **pixels) {
    const app_still *still = &column->still;
    int32_t count = still->text_count;
    mus_lua_text *texts = calloc((size_t)count + 2, sizeof *texts);
    if (!texts) return mus_fail(MUS_STATUS_NO_MEMORY, "%s: no memory for its labels", path);
    if (count > 0) memcpy(texts, still->texts, (size_t)count * sizeof *texts);
    texts[count++] = (mus_lua_text){
        .at = {14, 10, 0}, .screen = true, .color = {0.12f, 0.13f, 0.15f, 1}, .size = TEXT_SIZE, .text = column->name};
    char reason[REASON_LENGTH + 40];
    if (strcmp(column->outcome, "finished") != 0) {
        const char *text = column->reason ? column->reason : "";
        size_t n = strcspn(text, "\n");
        bool cut = n > REASON_LENGTH;
        snprintf(reason, sizeof reason, "%s%s%.*s%s", column->outcome, n ? ": " : "", cut ? REASON_LENGTH : (int)n,
                 text, cut ? "..." : "");
        break_lines(r, reason, 0.6f * TEXT_SIZE, (float)width - 28);
        texts[count++] = (mus_lua_text){.at = {14, 14 + TEXT_SIZE, 0},
                                        .screen = true,
                                        .color = {0.70f, 0.12f, 0.10f, 1},
                                        .size = 0.6f * TEXT_SIZE,
                                        .text = reason};
    }
    mus_lua_drawing drawing = {.lines = still->lines,
                               .points = still->points,
                               .texts = texts,
                               .line_count = still->line_count,
                               .point_count = still->point_count,
                               .text_count = count};
    app_renderer_set_view(r, &still->view);
    mus_status status = app_renderer_pixels(r, &still->list, &drawing, camera, width, height, path, pixels);
    free(texts);
    return status;
}

mus_status app_comparison_picture(const app_comparison *c, const char *path) {
    int width = c->options->width > 0 ? c->options->width : TILE_WIDTH;
    int height = c->options->height > 0 ? c->options->height : TILE_HEIGHT;
    int rows = (c->count + TILES_A_ROW - 1) / TILES_A_ROW, across = (c->count + rows - 1) / rows;
    if ((int64_t)across * width > 65535 || (int64_t)rows * height > 65535)
        return mus_fail(MUS_STATUS_INVALID, "%s: %d parts of %d x %d are too large for one picture; see --size", path,
                        c->count, width, height);
    size_t row = 4 * (size_t)width, whole = (size_t)across * row;
    unsigned char *all = malloc(whole * (size_t)height * (size_t)rows);
    if (!all) return mus_fail(MUS_STATUS_NO_MEMORY, "%s: no memory for a picture of %d parts", path, c->count);
    memset(all, 255, whole * (size_t)height * (size_t)rows);
    app_renderer *r = app_renderer_create(true);
    mus_status status = r ? MUS_STATUS_OK : MUS_STATUS_NOT_FOUND;
    app_camera camera = common_camera(c, (float)width / (float)height);
    for (int k = 0; status == MUS_STATUS_OK && k < c->count; k++) {
        unsigned char *pixels = NULL;
        status = draw_tile(r, &c->columns[k], &camera, width, height, path, &pixels);
        int low = (rows - 1 - k / across) * height; /* the lowest row comes first */
        for (int y = 0; pixels && y < height; y++)
            memcpy(all + (size_t)(low + y) * whole + (size_t)(k % across) * row, pixels + (size_t)y * row, row);
        free(pixels);
    }
    if (r) app_renderer_destroy(r);
    if (status == MUS_STATUS_OK) status = app_image_save(path, all, across * width, rows * height);
    free(all);
    return status;
}

mus_status app_comparison_stills(app_comparison *c) {
    enum { WIDTH = 480, HEIGHT = 360 };
    app_renderer *r = app_renderer_create(true);
    mus_status status = r ? MUS_STATUS_OK : MUS_STATUS_NOT_FOUND;
    app_camera camera = common_camera(c, (float)WIDTH / HEIGHT);
    for (int k = 0; status == MUS_STATUS_OK && k < c->count; k++) {
        unsigned char *pixels = NULL;
        app_column *column = &c->columns[k];
        status = draw_tile(r, column, &camera, WIDTH, HEIGHT, "picture of the report", &pixels);
        if (status == MUS_STATUS_OK)
            status = app_image_jpeg(pixels, WIDTH, HEIGHT, &column->picture, &column->picture_size);
        free(pixels);
    }
    if (r) app_renderer_destroy(r);
    return status;
}
