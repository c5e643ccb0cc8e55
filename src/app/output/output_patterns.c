/* output_patterns.c: the patterns of textures as small pictures that are repeated, for files. */
#include "host.h"
#include "render/render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELL = 32, TILE = 2 * CELL }; /* pixels: of a square, stripe or thread, and of the picture, two of them */

struct app_pattern {
    app_paint paint; /* of which it is the front */
    mus_picture *picture;
};

static unsigned char stored_color(double linear) {
    double srgb = linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
    return (unsigned char)lround(255 * fmin(fmax(srgb, 0), 1));
}

/* As the shader of surfaces draws it, without the tilt of threads: the pattern's color where both of the cell's
 * numbers, or of stripes the first one, are even. */
static void draw_tile(const app_paint *paint, unsigned char *pixels) {
    for (int y = 0; y < TILE; y++)
        for (int x = 0; x < TILE; x++) {
            bool column = x >= CELL, row = y >= CELL; /* odd */
            bool second = paint->texture == MUS_TEXTURE_STRIPES ? !column : column == row;
            const float *color = second ? paint->front_pattern : paint->front;
            double across = ((second ? y : x) % CELL + 0.5) / (0.5 * CELL) - 1, shadow = 1; /* of a thread */
            if (paint->texture == MUS_TEXTURE_WEAVE) shadow -= 0.25 * across * across;
            unsigned char *pixel = pixels + 4 * ((size_t)y * TILE + (size_t)x);
            for (int k = 0; k < 3; k++) pixel[k] = stored_color(shadow * app_linear_color((double)color[k]));
            pixel[3] = 255;
        }
}

static mus_status make_picture(const app_paint *paint, mus_picture **picture) {
    unsigned char pixels[4 * TILE * TILE], *png;
    size_t size;
    draw_tile(paint, pixels);
    mus_status status = app_image_png(pixels, TILE, TILE, &png, &size);
    if (status == MUS_STATUS_OK) status = mus_picture_decode(png, size, "pattern", picture);
    free(png);
    return status;
}

static bool same_front(const app_paint *a, const app_paint *b) {
    return a->texture == b->texture && memcmp(a->front, b->front, sizeof a->front) == 0 &&
           memcmp(a->front_pattern, b->front_pattern, sizeof a->front_pattern) == 0;
}

mus_status app_patterns_apply(app_patterns *patterns, app_paint *paint) {
    if (paint->texture == MUS_TEXTURE_NONE || paint->texture == MUS_TEXTURE_PICTURE) return MUS_STATUS_OK;
    int k = 0;
    while (k < patterns->count && !same_front(&patterns->list[k].paint, paint)) k++;
    if (k == patterns->count) {
        struct app_pattern *grown = realloc(patterns->list, (size_t)(k + 1) * sizeof *grown);
        if (!grown) return mus_fail(MUS_STATUS_NO_MEMORY, "no memory for the patterns of cloth");
        patterns->list = grown;
        grown[k].paint = *paint;
        mus_status status = make_picture(paint, &grown[k].picture);
        if (status != MUS_STATUS_OK) return status;
        patterns->count++;
    }
    paint->picture = patterns->list[k].picture;
    paint->picture_place[0] = paint->picture_place[1] = 0;
    paint->picture_place[2] = paint->picture_place[3] = 2 * paint->texture_size;
    paint->texture = MUS_TEXTURE_PICTURE;
    return MUS_STATUS_OK;
}

void app_patterns_free(app_patterns *patterns) {
    for (int k = 0; k < patterns->count; k++) mus_picture_destroy(patterns->list[k].picture);
    free(patterns->list);
    *patterns = (app_patterns){0};
}
