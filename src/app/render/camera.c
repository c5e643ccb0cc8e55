/* camera.c: a camera that orbits a target, the box it should show, and the matrices of both. */
#include "render/render.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define PI 3.14159265f

app_bounds app_bounds_empty(void) {
    return (app_bounds){{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
}

void app_bounds_add(app_bounds *bounds, const float point[3]) {
    if (!isfinite(point[0]) || !isfinite(point[1]) || !isfinite(point[2])) return;
    for (int k = 0; k < 3; k++) {
        bounds->low[k] = fminf(bounds->low[k], point[k]);
        bounds->high[k] = fmaxf(bounds->high[k], point[k]);
    }
}

bool app_bounds_is_empty(const app_bounds *bounds) {
    return bounds->low[0] > bounds->high[0];
}

void app_bounds_sphere(const app_bounds *bounds, float center[3], float *radius) {
    float r2 = 0;
    if (app_bounds_is_empty(bounds)) {
        center[0] = center[1] = center[2] = 0;
        *radius = 1;
        return;
    }
    for (int k = 0; k < 3; k++) {
        float half = 0.5f * (bounds->high[k] - bounds->low[k]);
        center[k] = bounds->low[k] + half;
        r2 += half * half;
    }
    *radius = fmaxf(sqrtf(r2), 1e-4f);
}

static float dot(const float a[3], const float b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const float a[3], const float b[3], float out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static void normalize(float a[3]) {
    float l = sqrtf(dot(a, a));
    for (int k = 0; k < 3; k++) a[k] = l > 0 ? a[k] / l : 0;
}

/* The camera's axes: right, up, and back (from the target to the eye). */
static void camera_axes(const app_camera *camera, float right[3], float up[3], float back[3]) {
    back[0] = cosf(camera->pitch) * sinf(camera->yaw);
    back[1] = sinf(camera->pitch);
    back[2] = cosf(camera->pitch) * cosf(camera->yaw);
    right[0] = cosf(camera->yaw), right[1] = 0, right[2] = -sinf(camera->yaw);
    cross(back, right, up);
}

void app_camera_eye(const app_camera *camera, float eye[3]) {
    float right[3], up[3], back[3];
    camera_axes(camera, right, up, back);
    for (int k = 0; k < 3; k++) eye[k] = camera->target[k] + camera->distance * back[k];
}

void app_camera_ray(const app_camera *camera, float x, float y, float aspect, float from[3], float along[3]) {
    float right[3], up[3], back[3], slope = tanf(camera->fov / 2);
    camera_axes(camera, right, up, back);
    app_camera_eye(camera, from);
    for (int k = 0; k < 3; k++) along[k] = slope * (x * aspect * right[k] + y * up[k]) - back[k];
}

/* A picture of 3:2 or wider shows directions within these slopes. */
static void picture_slopes(const app_camera *camera, float *x, float *y) {
    *y = tanf(camera->fov / 2);
    *x = *y * 1.5f;
}

static void box_corner(const app_bounds *bounds, int corner, const float from[3], float p[3]) {
    for (int k = 0; k < 3; k++) p[k] = (corner >> k & 1 ? bounds->high[k] : bounds->low[k]) - from[k];
}

/* Moves the camera to the nearest place from which all corners of the box are in the picture, with a margin, at the
 * same direction. */
static void fit_place(app_camera *camera, const app_bounds *bounds) {
    float right[3], up[3], back[3], radius, slope_x, slope_y, distance = 0;
    app_bounds box = *bounds;
    app_bounds_sphere(bounds, camera->target, &radius);
    for (int k = 0; k < 3 && app_bounds_is_empty(bounds); k++) box.low[k] = -radius, box.high[k] = radius;
    camera_axes(camera, right, up, back);
    picture_slopes(camera, &slope_x, &slope_y);
    slope_x /= 1.05f, slope_y /= 1.05f;
    for (int corner = 0; corner < 8; corner++) {
        float p[3];
        box_corner(&box, corner, camera->target, p);
        float depth = dot(p, back);
        distance = fmaxf(distance, depth + fabsf(dot(p, right)) / slope_x);
        distance = fmaxf(distance, depth + fabsf(dot(p, up)) / slope_y);
    }
    camera->distance = fmaxf(distance, 1e-3f);
}

static bool box_in_view(const app_camera *camera, const app_bounds *bounds) {
    float right[3], up[3], back[3], eye[3], slope_x, slope_y;
    camera_axes(camera, right, up, back);
    picture_slopes(camera, &slope_x, &slope_y);
    app_camera_eye(camera, eye);
    for (int corner = 0; corner < 8; corner++) {
        float p[3];
        box_corner(bounds, corner, eye, p);
        float depth = -dot(p, back);
        if (fabsf(dot(p, right)) > slope_x * depth || fabsf(dot(p, up)) > slope_y * depth) return false;
    }
    return true;
}

app_camera app_camera_fit_bounds(const app_bounds *bounds) {
    app_camera camera = {{0, 0, 0}, 0.55f, 0.42f, 3, 0.61f};
    fit_place(&camera, bounds);
    return camera;
}

void app_camera_follow_bounds(app_camera *camera, const app_camera *first, const app_bounds *bounds, double fps) {
    if (app_bounds_is_empty(bounds) || box_in_view(camera, bounds)) return;
    app_camera wanted = *camera;
    fit_place(&wanted, bounds);
    if (!(wanted.distance < 3 * first->distance)) return; /* an endless fall: stop following */
    float share = 1 - expf(-6 / (float)fmax(fps, 1));     /* of the distance, in a frame */
    for (int k = 0; k < 3; k++) camera->target[k] += share * (wanted.target[k] - camera->target[k]);
    camera->distance += share * fmaxf(wanted.distance - camera->distance, 0);
}

void app_camera_follow(app_camera *camera, const app_camera *first, mus_world *world) {
    app_render_list list;
    if (!world || app_render_list_collect(&list, world, false) != MUS_STATUS_OK) return;
    app_bounds bounds = app_render_list_bounds(&list);
    app_camera_follow_bounds(camera, first, &bounds, mus_world_get_def(world)->fps);
    app_render_list_free(&list);
}

app_camera app_camera_fit_list(const app_render_list *list) {
    float center[3], radius;
    app_bounds bounds = app_render_list_bounds(list);
    app_bounds_sphere(&bounds, center, &radius);
    /* Objects over a plane will fall onto it: extends the box down to a plane that is near enough. */
    app_bounds grown = bounds;
    for (int32_t i = 0; i < list->plane_count && !app_bounds_is_empty(&bounds); i++) {
        const app_render_plane *plane = &list->planes[i];
        for (int corner = 0; corner < 8; corner++) {
            float p[3], to[3];
            for (int k = 0; k < 3; k++) {
                p[k] = corner >> k & 1 ? bounds.high[k] : bounds.low[k];
                to[k] = p[k] - plane->point[k];
            }
            float height = dot(to, plane->normal);
            if (height <= 0 || height > 3 * radius) continue;
            for (int k = 0; k < 3; k++) p[k] -= height * plane->normal[k];
            app_bounds_add(&grown, p);
        }
    }
    return app_camera_fit_bounds(&grown);
}

app_camera app_camera_fit(mus_world *world) {
    app_render_list list = {0};
    if (app_render_list_collect(&list, world, false) != MUS_STATUS_OK) memset(&list, 0, sizeof list);
    app_camera camera = app_camera_fit_list(&list);
    app_render_list_free(&list);
    return camera;
}

void app_camera_orbit(app_camera *camera, float yaw, float pitch) {
    const float limit = 0.5f * PI - 0.01f;
    camera->yaw = fmodf(camera->yaw + yaw, 2 * PI);
    camera->pitch = fminf(fmaxf(camera->pitch + pitch, -limit), limit);
}

void app_camera_pan(app_camera *camera, float right_pixels, float up_pixels, int height) {
    float right[3], up[3], back[3];
    camera_axes(camera, right, up, back);
    float scale = 2 * camera->distance * tanf(camera->fov / 2) / (float)(height > 0 ? height : 1);
    for (int k = 0; k < 3; k++) camera->target[k] -= scale * (right_pixels * right[k] + up_pixels * up[k]);
}

void app_camera_zoom(app_camera *camera, float steps) {
    float distance = camera->distance * expf(-0.12f * steps);
    camera->distance = fminf(fmaxf(distance, 1e-3f), 1e4f);
}

void app_matrix_multiply(const float a[16], const float b[16], float out[16]) {
    float result[16];
    for (int column = 0; column < 4; column++)
        for (int row = 0; row < 4; row++) {
            float sum = 0;
            for (int k = 0; k < 4; k++) sum += a[4 * k + row] * b[4 * column + k];
            result[4 * column + row] = sum;
        }
    memcpy(out, result, sizeof result);
}

void app_matrix_apply(const float m[16], const float p[3], float out[4]) {
    for (int row = 0; row < 4; row++) out[row] = m[row] * p[0] + m[4 + row] * p[1] + m[8 + row] * p[2] + m[12 + row];
}

void app_matrix_look(const float eye[3], const float target[3], float out[16]) {
    float back[3] = {eye[0] - target[0], eye[1] - target[1], eye[2] - target[2]}, right[3], up[3];
    normalize(back);
    float world_up[3] = {0, 1, 0};
    if (fabsf(back[1]) > 0.99999f) world_up[1] = 0, world_up[2] = 1;
    cross(world_up, back, right);
    normalize(right);
    cross(back, right, up);
    float m[16] = {right[0], up[0], back[0], 0, right[1],         up[1],         back[1],         0,
                   right[2], up[2], back[2], 0, -dot(right, eye), -dot(up, eye), -dot(back, eye), 1};
    memcpy(out, m, sizeof m);
}

void app_matrix_ortho(float half_width, float half_height, float near_z, float far_z, float out[16]) {
    float m[16] = {0};
    m[0] = 1 / half_width, m[5] = 1 / half_height;
    m[10] = -2 / (far_z - near_z), m[14] = -(far_z + near_z) / (far_z - near_z), m[15] = 1;
    memcpy(out, m, sizeof m);
}

void app_camera_matrix(const app_camera *camera, const app_bounds *bounds, int width, int height, float matrix[16]) {
    float eye[3], center[3], radius, view[16], projection[16] = {0};
    app_camera_eye(camera, eye);
    app_bounds_sphere(bounds, center, &radius);
    float to[3] = {center[0] - eye[0], center[1] - eye[1], center[2] - eye[2]};
    float away = sqrtf(dot(to, to));
    /* Near enough to view a fold, far enough for the ground's fading edge; the ratio keeps the depth buffer precise. */
    float far_z = away + 30 * radius + 2 * camera->distance;
    float near_z =
        fmaxf(fminf(0.05f * camera->distance, fmaxf(away - 1.5f * radius, 0.02f * camera->distance)), far_z * 1e-4f);
    float f = 1 / tanf(camera->fov / 2), aspect = (float)width / (float)(height > 0 ? height : 1);
    projection[0] = f / aspect, projection[5] = f;
    projection[10] = -(far_z + near_z) / (far_z - near_z), projection[11] = -1;
    projection[14] = -2 * far_z * near_z / (far_z - near_z);
    app_matrix_look(eye, camera->target, view);
    app_matrix_multiply(projection, view, matrix);
}
