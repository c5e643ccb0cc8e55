/* render_flat.c: lines and points of a fixed width in pixels, as quads in clip space: lines wider than one pixel are
 * not in the core profile. */
#include "render/render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEAR_W 1e-4f

static app_flat_vertex *reserve(app_flat *flat, int64_t count) {
    if (flat->count + count > flat->capacity) {
        int64_t capacity = 2 * flat->capacity + 6 * count + 384;
        app_flat_vertex *grown = realloc(flat->vertices, (size_t)capacity * sizeof *grown);
        if (!grown) {
            flat->failed = true;
            return NULL;
        }
        flat->vertices = grown, flat->capacity = capacity;
    }
    app_flat_vertex *first = flat->vertices + flat->count;
    flat->count += count;
    return first;
}

/* A quad from four corners, offsets from clip-space anchors in pixels. One pixel more on every side for the soft edge.
 */
static void quad(app_flat *flat, const float a[4], const float b[4], float ux, float uy, float vx, float vy, float half,
                 bool round, const float color[4], int width, int height) {
    app_flat_vertex *out = reserve(flat, 6);
    if (!out) return;
    static const int order[6][2] = {{0, -1}, {1, -1}, {1, 1}, {0, -1}, {1, 1}, {0, 1}};
    float reach = (half + 1) / half;
    for (int i = 0; i < 6; i++) {
        const float *at = order[i][0] ? b : a;
        float along = order[i][0] ? reach : -reach, across = (float)order[i][1] * reach;
        app_flat_vertex *v = &out[i];
        memcpy(v->clip, at, sizeof v->clip);
        float dx = across * half * vx + (round ? along * half * ux : 0);
        float dy = across * half * vy + (round ? along * half * uy : 0);
        v->clip[0] += 2 * dx / (float)width * at[3];
        v->clip[1] += 2 * dy / (float)height * at[3];
        v->clip[2] = flat->in_front ? -0.999f * at[3] : v->clip[2] - 2e-4f * at[3]; /* at least of the surface below */
        memcpy(v->color, color, sizeof v->color);
        v->across = across, v->along = round ? along : 0, v->half = half;
    }
}

void app_flat_line(app_flat *flat, const float matrix[16], const float from[3], const float to[3], float line_width,
                   const float color[4], int width, int height) {
    float a[4], b[4];
    app_matrix_apply(matrix, from, a);
    app_matrix_apply(matrix, to, b);
    if (!isfinite(a[0] + a[1] + a[2] + a[3] + b[0] + b[1] + b[2] + b[3])) return;
    if (a[3] < NEAR_W && b[3] < NEAR_W) return;
    /* Cut at the eye's plane, where a direction on the screen would have no meaning. */
    float *behind = a[3] < NEAR_W ? a : b[3] < NEAR_W ? b : NULL;
    if (behind) {
        const float *front = behind == a ? b : a;
        float t = (NEAR_W - behind[3]) / (front[3] - behind[3]);
        for (int k = 0; k < 4; k++) behind[k] += t * (front[k] - behind[k]);
    }
    float dx = (b[0] / b[3] - a[0] / a[3]) * (float)width, dy = (b[1] / b[3] - a[1] / a[3]) * (float)height;
    float length = sqrtf(dx * dx + dy * dy);
    if (!(length > 0)) return;
    dx /= length, dy /= length;
    float half = fmaxf(0.5f * line_width, 0.5f);
    quad(flat, a, b, dx, dy, -dy, dx, half, false, color, width, height);
}

void app_flat_point(app_flat *flat, const float matrix[16], const float at[3], float size, const float color[4],
                    int width, int height) {
    float a[4];
    app_matrix_apply(matrix, at, a);
    if (!isfinite(a[0] + a[1] + a[2] + a[3]) || a[3] < NEAR_W) return;
    quad(flat, a, a, 1, 0, 0, 1, fmaxf(0.5f * size, 0.5f), true, color, width, height);
}

void app_flat_free(app_flat *flat) {
    free(flat->vertices);
    memset(flat, 0, sizeof *flat);
}
