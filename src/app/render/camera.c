/* camera.c: a camera that orbits a target, the box it should show, and the matrices of both. */
#include "render/render.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define PI       3.14159265f
#define STEEPEST (0.5f * PI - 0.01f)

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

app_camera app_camera_of_view(const mus_lua_view *view) {
    app_camera camera = {.fov = view->fov};
    float back[3];
    for (int k = 0; k < 3; k++) camera.target[k] = view->to[k], back[k] = view->from[k] - view->to[k];
    camera.distance = sqrtf(dot(back, back));
    normalize(back);
    camera.yaw = atan2f(back[0], back[2]);
    camera.pitch = fminf(fmaxf(asinf(fminf(fmaxf(back[1], -1), 1)), -STEEPEST), STEEPEST);
    return camera;
}

/* ---- Framing ----------------------------------------------------------------------------------------------------- */

/* What is to be in the picture: a box, or the vertices of a list and, with `falls`, where they are to land. */
typedef struct subject {
    const app_bounds *bounds; /* NULL: the list */
    const app_render_list *list;
    bool falls;
} subject;

/* The planes of a view that touch its points: each is the largest offset of a point along a normal. */
typedef struct outline {
    float right[3], up[3], back[3]; /* the camera's axes */
    float slope_x, slope_y;         /* of the view's edges */
    float side[2], height[2];       /* right, left; top, bottom */
    float near_z, far_z;            /* along `back` */
    int64_t count;
} outline;

static void outline_add(outline *o, const float p[3]) {
    float x = dot(p, o->right), y = dot(p, o->up), z = dot(p, o->back);
    if (!isfinite(x + y + z)) return;
    const float side[2] = {x + o->slope_x * z, -x + o->slope_x * z};
    const float height[2] = {y + o->slope_y * z, -y + o->slope_y * z};
    bool first = o->count++ == 0;
    for (int k = 0; k < 2; k++) {
        o->side[k] = first ? side[k] : fmaxf(o->side[k], side[k]);
        o->height[k] = first ? height[k] : fmaxf(o->height[k], height[k]);
    }
    o->near_z = first ? z : fmaxf(o->near_z, z);
    o->far_z = first ? z : fminf(o->far_z, z);
}

/* The point on the plane below p, where that is not further than `reach`. */
static bool landing(const app_render_plane *plane, const float p[3], float reach, float at[3]) {
    float to[3] = {p[0] - plane->point[0], p[1] - plane->point[1], p[2] - plane->point[2]};
    float height = dot(to, plane->normal);
    if (!(plane->normal[1] > 0.5f) || height <= 0 || height > reach * plane->normal[1]) return false;
    at[0] = p[0], at[1] = p[1] - height / plane->normal[1], at[2] = p[2];
    return true;
}

static void outline_part(outline *o, const app_render_list *list, const app_render_part *part, float reach) {
    for (int32_t v = 0; part->vertices && v < part->vertex_count; v++) {
        const double *x = part->vertices + 3 * (size_t)v;
        float p[3] = {(float)x[0], (float)x[1], (float)x[2]}, at[3];
        outline_add(o, p);
        for (int32_t k = 0; reach > 0 && k < list->plane_count; k++)
            if (landing(&list->planes[k], p, reach, at)) outline_add(o, at);
    }
}

/* Of the camera's picture the points are to take at most the given shares. */
static outline outline_of(const subject *s, const app_camera *camera, float width, float height) {
    float aspect = camera->aspect > 0 ? fminf(camera->aspect, 1.5f) : 1.5f, slope = tanf(camera->fov / 2);
    outline o = {.slope_y = height * slope, .slope_x = aspect * width * slope};
    float center[3], radius;
    camera_axes(camera, o.right, o.up, o.back);
    if (s->bounds) {
        for (int corner = 0; corner < 8 && !app_bounds_is_empty(s->bounds); corner++) {
            float p[3];
            for (int k = 0; k < 3; k++) p[k] = corner >> k & 1 ? s->bounds->high[k] : s->bounds->low[k];
            outline_add(&o, p);
        }
        return o;
    }
    app_bounds bounds = s->falls ? app_render_list_bounds(s->list) : app_bounds_empty();
    app_bounds_sphere(&bounds, center, &radius);
    for (int32_t i = 0; i < s->list->part_count; i++) {
        const app_render_part *part = &s->list->parts[i];
        outline_part(&o, s->list, part, s->falls && part->falls ? 3 * radius : 0);
    }
    return o;
}

/* The least offset along `back` of an eye whose view the outline fits into. */
static float distance_of(const outline *o) {
    return fmaxf((o->side[0] + o->side[1]) / (2 * o->slope_x), (o->height[0] + o->height[1]) / (2 * o->slope_y));
}

/* Moves the camera, without turning it, to the nearest place from which the subject takes at most the first share of
 * the picture's height, and with the places where it may land, in the middle of the picture, at most the second. */
static void fit_place(app_camera *camera, const subject *s) {
    const float now = 0.68f, later = 0.95f, width = 0.92f;
    app_bounds unit = {{-1, -1, -1}, {1, 1, 1}};
    subject present = *s;
    present.falls = false;
    if (outline_of(&present, camera, width, now).count == 0) present = (subject){.bounds = &unit};
    outline o = outline_of(&present, camera, width, now), all = o;
    if (s->falls && !present.bounds) all = outline_of(s, camera, width, later);
    float x = 0.5f * (all.side[0] - all.side[1]), y = 0.5f * (all.height[0] - all.height[1]);
    float z = 0.5f * (all.near_z + all.far_z);
    camera->distance = fmaxf(fmaxf(distance_of(&o), distance_of(&all)) - z, 1e-3f);
    for (int k = 0; k < 3; k++) camera->target[k] = x * o.right[k] + y * o.up[k] + z * o.back[k];
}

static bool in_view(const app_camera *camera, const subject *s) {
    outline o = outline_of(s, camera, 1, 1);
    float eye[3];
    if (o.count == 0) return true;
    app_camera_eye(camera, eye);
    float x = dot(eye, o.right), y = dot(eye, o.up), z = dot(eye, o.back);
    return x + o.slope_x * z >= o.side[0] && -x + o.slope_x * z >= o.side[1] && y + o.slope_y * z >= o.height[0] &&
           -y + o.slope_y * z >= o.height[1];
}

static app_camera fit_subject(const subject *s, float aspect) {
    app_camera camera = {{0, 0, 0}, 0.55f, 0.42f, 3, 0.61f, aspect};
    fit_place(&camera, s);
    return camera;
}

static void follow_subject(app_camera *camera, const app_camera *first, const subject *s, double fps) {
    if (in_view(camera, s)) return;
    app_camera wanted = *camera;
    fit_place(&wanted, s);
    if (!(wanted.distance < 3 * first->distance)) return; /* an endless fall: stop following */
    float share = 1 - expf(-6 / (float)fmax(fps, 1));     /* of the distance, in a frame */
    for (int k = 0; k < 3; k++) camera->target[k] += share * (wanted.target[k] - camera->target[k]);
    camera->distance += share * fmaxf(wanted.distance - camera->distance, 0);
}

app_camera app_camera_fit_bounds(const app_bounds *bounds, float aspect) {
    return fit_subject(&(subject){.bounds = bounds}, aspect);
}

void app_camera_follow_bounds(app_camera *camera, const app_camera *first, const app_bounds *bounds, double fps) {
    follow_subject(camera, first, &(subject){.bounds = bounds}, fps);
}

void app_camera_follow(app_camera *camera, const app_camera *first, mus_world *world) {
    app_render_list list;
    if (!world || app_render_list_collect(&list, world) != MUS_STATUS_OK) return;
    follow_subject(camera, first, &(subject){.list = &list}, mus_world_get_def(world)->fps);
    app_render_list_free(&list);
}

app_camera app_camera_fit_list(const app_render_list *list, float aspect) {
    return fit_subject(&(subject){.list = list, .falls = true}, aspect);
}

app_camera app_camera_fit(mus_world *world, float aspect) {
    app_render_list list = {0};
    if (app_render_list_collect(&list, world) != MUS_STATUS_OK) memset(&list, 0, sizeof list);
    app_camera camera = app_camera_fit_list(&list, aspect);
    app_render_list_free(&list);
    return camera;
}

void app_camera_orbit(app_camera *camera, float yaw, float pitch) {
    camera->yaw = fmodf(camera->yaw + yaw, 2 * PI);
    camera->pitch = fminf(fmaxf(camera->pitch + pitch, -STEEPEST), STEEPEST);
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

/* Gauss and Jordan's elimination with pivots, on rows of the matrix beside those of the unit matrix. */
bool app_matrix_invert(const float m[16], float out[16]) {
    double a[4][8] = {{0}}, swap[8];
    for (int row = 0; row < 4; row++) {
        for (int k = 0; k < 4; k++) a[row][k] = m[4 * k + row];
        a[row][4 + row] = 1;
    }
    for (int c = 0; c < 4; c++) {
        int pivot = c;
        for (int row = c + 1; row < 4; row++)
            if (fabs(a[row][c]) > fabs(a[pivot][c])) pivot = row;
        if (!(fabs(a[pivot][c]) > 0)) return false;
        memcpy(swap, a[pivot], sizeof swap);
        memcpy(a[pivot], a[c], sizeof swap);
        for (int k = 0; k < 8; k++) a[c][k] = swap[k] / swap[c];
        for (int row = 0; row < 4; row++) {
            double share = a[row][c];
            for (int k = 0; k < 8 && row != c; k++) a[row][k] -= share * a[c][k];
        }
    }
    for (int row = 0; row < 4; row++)
        for (int k = 0; k < 4; k++) out[4 * k + row] = (float)a[row][4 + k];
    return true;
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
