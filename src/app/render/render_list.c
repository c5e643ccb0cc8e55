/* render_list.c: the contents of a picture, collected from a world. */
#include "render/render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* sRGB: the front of a cloth, then its back: the same hue, one paler. A flat grid in the ground's plane has its back
 * up. */
static const float CLOTH_COLORS[][2][3] = {
    {{0.82f, 0.58f, 0.49f}, {0.77f, 0.46f, 0.38f}}, /* terracotta */
    {{0.44f, 0.64f, 0.75f}, {0.30f, 0.54f, 0.68f}}, /* steel blue */
    {{0.88f, 0.76f, 0.49f}, {0.86f, 0.69f, 0.36f}}, /* ochre */
    {{0.56f, 0.69f, 0.58f}, {0.44f, 0.61f, 0.47f}}, /* sage */
    {{0.67f, 0.56f, 0.71f}, {0.59f, 0.45f, 0.63f}}, /* plum */
    {{0.47f, 0.68f, 0.67f}, {0.33f, 0.59f, 0.59f}}, /* teal */
    {{0.82f, 0.60f, 0.68f}, {0.77f, 0.49f, 0.58f}}, /* rose */
    {{0.66f, 0.61f, 0.54f}, {0.56f, 0.50f, 0.43f}}, /* umber */
};
static const float OBSTACLE_COLORS[][3] = {
    {0.80f, 0.79f, 0.78f}, {0.74f, 0.745f, 0.75f}, {0.77f, 0.75f, 0.715f}, {0.70f, 0.70f, 0.69f}};
const float APP_GROUND_COLOR[3] = {0.9f, 0.905f, 0.91f};

app_paint app_paint_of(app_part_kind kind, int number, const mus_look *look) {
    size_t cloths = sizeof CLOTH_COLORS / sizeof *CLOTH_COLORS,
           others = sizeof OBSTACLE_COLORS / sizeof *OBSTACLE_COLORS, size = sizeof look->color;
    bool cloth = kind == APP_PART_CLOTH;
    app_paint paint = {.texture = look->texture, .texture_size = (float)look->texture_size};
    memcpy(paint.front, cloth ? CLOTH_COLORS[(size_t)number % cloths][0] : OBSTACLE_COLORS[(size_t)number % others],
           size);
    memcpy(paint.back, cloth ? CLOTH_COLORS[(size_t)number % cloths][1] : paint.front, size);
    if (look->has_color) memcpy(paint.front, look->color, size), memcpy(paint.back, look->color, size);
    if (look->has_back_color) memcpy(paint.back, look->back_color, size);
    for (int k = 0; k < 3; k++) {
        paint.front_pattern[k] = look->has_texture_color ? look->texture_color[k] : 0.72f * paint.front[k];
        paint.back_pattern[k] = look->has_texture_color ? look->texture_color[k] : 0.72f * paint.back[k];
    }
    paint.picture = look->picture;
    paint.picture_back = !look->has_back_color;
    if (paint.texture_size == 0) paint.texture_size = look->texture == MUS_TEXTURE_WEAVE ? 0.001f : 0.05f;
    return paint;
}

void app_place_picture(const mus_look *look, const double *uvs, int32_t count, float place[4]) {
    for (int k = 0; k < 2; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int32_t i = 0; i < count; i++)
            low = fmin(low, uvs[2 * (size_t)i + (size_t)k]), high = fmax(high, uvs[2 * (size_t)i + (size_t)k]);
        bool given = look->picture_size[k] > 0;
        place[k] = given ? (float)look->picture_origin[k] : count ? (float)low : 0;
        place[2 + k] = given ? (float)look->picture_size[k] : high > low ? (float)(high - low) : 1;
    }
}

void app_plane_of(const mus_obstacle_def *def, const mus_pose *pose, app_render_plane *plane) {
    const double *q = pose->rotation, *n = def->normal;
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    /* q n q*: n + 2 w (u x n) + 2 u x (u x n), with q = {w, u} */
    double u[3] = {q[1], q[2], q[3]}, a[3], b[3];
    a[0] = u[1] * n[2] - u[2] * n[1], a[1] = u[2] * n[0] - u[0] * n[2], a[2] = u[0] * n[1] - u[1] * n[0];
    b[0] = u[1] * a[2] - u[2] * a[1], b[1] = u[2] * a[0] - u[0] * a[2], b[2] = u[0] * a[1] - u[1] * a[0];
    for (int k = 0; k < 3; k++) {
        plane->point[k] = (float)pose->position[k];
        plane->color[k] = def->look.has_color ? def->look.color[k] : APP_GROUND_COLOR[k];
        plane->normal[k] = (float)((n[k] + 2 * q[0] * a[k] + 2 * b[k]) / (length > 0 ? length : 1));
    }
}

void app_plane_axes(const float n[3], float u[3], float v[3]) {
    float help[3] = {0, 0, 0};
    help[fabsf(n[0]) < 0.9f ? 0 : 2] = 1;
    float d = help[0] * n[0] + help[1] * n[1] + help[2] * n[2], l = 0;
    for (int k = 0; k < 3; k++) u[k] = help[k] - d * n[k], l += u[k] * u[k];
    l = sqrtf(l);
    for (int k = 0; k < 3; k++) u[k] /= l;
    v[0] = u[1] * n[2] - u[2] * n[1], v[1] = u[2] * n[0] - u[0] * n[2], v[2] = u[0] * n[1] - u[1] * n[0];
}

static void add_mesh(app_render_list *list, const mus_mesh *mesh, int number, const mus_obstacle_def *def) {
    if (!mesh) return;
    app_render_part *part = &list->parts[list->part_count++];
    *part = (app_render_part){.kind = APP_PART_OBSTACLE,
                              .paint = app_paint_of(APP_PART_OBSTACLE, number, &def->look),
                              .falls = def->dynamic,
                              .vertices = mus_mesh_get_vertices_const(mesh),
                              .faces = mus_mesh_get_faces(mesh),
                              .vertex_count = mus_mesh_get_vertex_count(mesh),
                              .face_count = mus_mesh_get_face_count(mesh)};
    if (def->look.texture == MUS_TEXTURE_NONE) return; /* others have texture coordinates */
    part->uvs = mus_mesh_get_uvs(mesh);
    part->uv_faces = mus_mesh_get_uv_faces(mesh);
    part->uv_count = mus_mesh_get_uv_count(mesh);
    if (def->look.picture) app_place_picture(&def->look, part->uvs, part->uv_count, part->paint.picture_place);
}

static void add_cloth(app_render_list *list, mus_world *world, mus_cloth_id id, int number) {
    mus_look look = mus_look_default();
    mus_cloth_get_look(world, id, &look);
    app_render_part *part = &list->parts[list->part_count++];
    *part = (app_render_part){.kind = APP_PART_CLOTH,
                              .paint = app_paint_of(APP_PART_CLOTH, number, &look),
                              .vertices = mus_cloth_get_positions(world, id),
                              .faces = mus_cloth_get_faces(world, id),
                              .edges = mus_cloth_get_edges(world, id),
                              .vertex_count = mus_cloth_get_vertex_count(world, id),
                              .face_count = mus_cloth_get_face_count(world, id),
                              .edge_count = mus_cloth_get_edge_count(world, id)};
    const mus_mesh *surface = mus_cloth_get_surface_mesh(world, id);
    if (surface) {
        part->vertices = mus_mesh_get_vertices_const(surface), part->faces = mus_mesh_get_faces(surface);
        part->vertex_count = mus_mesh_get_vertex_count(surface), part->face_count = mus_mesh_get_face_count(surface);
        part->edges = NULL, part->edge_count = 0;
    }
    const double *inverse = mus_cloth_get_inverse_masses(world, id);
    part->falls = true;
    for (int32_t v = 0; inverse && v < mus_cloth_get_vertex_count(world, id) && part->falls; v++)
        part->falls = inverse[v] > 0;
    if (look.texture == MUS_TEXTURE_NONE) return;
    part->uvs = surface ? mus_mesh_get_uvs(surface) : mus_cloth_get_uvs(world, id);
    part->uv_faces = surface ? mus_mesh_get_uv_faces(surface) : mus_cloth_get_uv_faces(world, id);
    part->uv_count = surface ? mus_mesh_get_uv_count(surface) : mus_cloth_get_uv_count(world, id);
    if (!part->uvs) part->paint.texture = MUS_TEXTURE_NONE;
    if (part->uvs && look.picture) app_place_picture(&look, part->uvs, part->uv_count, part->paint.picture_place);
}

mus_status app_render_list_collect(app_render_list *list, mus_world *world) {
    memset(list, 0, sizeof *list);
    if (!world) return MUS_STATUS_OK;
    int32_t cloths = mus_world_get_cloth_count(world), obstacles = mus_world_get_obstacle_count(world);
    size_t most = (size_t)cloths + (size_t)obstacles + 1;
    list->parts = calloc(most, sizeof *list->parts);
    list->planes = calloc((size_t)obstacles + 1, sizeof *list->planes);
    if (!list->parts || !list->planes) {
        app_render_list_free(list);
        return mus_fail(MUS_STATUS_NO_MEMORY, "preview: no memory for the list of %d objects", (int)most);
    }
    for (int32_t k = 0; k < cloths; k++) add_cloth(list, world, mus_world_get_cloth(world, k), k);
    for (int32_t k = 0; k < obstacles; k++) {
        mus_obstacle_id id = mus_world_get_obstacle(world, k);
        mus_obstacle_def def;
        mus_pose pose;
        if (mus_obstacle_get_def(world, id, &def) != MUS_STATUS_OK) continue;
        if (mus_obstacle_get_pose(world, id, &pose) != MUS_STATUS_OK) continue;
        if (def.shape == MUS_SHAPE_PLANE)
            app_plane_of(&def, &pose, &list->planes[list->plane_count++]);
        else
            add_mesh(list, mus_obstacle_get_surface_mesh(world, id), k, &def);
    }
    return MUS_STATUS_OK;
}

void app_render_list_free(app_render_list *list) {
    for (int32_t k = 0; k < list->part_count; k++) free(list->parts[k].heat);
    free(list->parts);
    free(list->planes);
    free(list->marks);
    memset(list, 0, sizeof *list);
}

app_bounds app_render_list_bounds(const app_render_list *list) {
    app_bounds bounds = app_bounds_empty();
    for (int32_t i = 0; i < list->part_count; i++) {
        const app_render_part *part = &list->parts[i];
        for (int32_t v = 0; part->vertices && v < part->vertex_count; v++) {
            const double *p = part->vertices + 3 * (size_t)v;
            float point[3] = {(float)p[0], (float)p[1], (float)p[2]};
            app_bounds_add(&bounds, point);
        }
    }
    return bounds;
}
