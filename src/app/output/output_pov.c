/* output_pov.c: a frame as a scene of POV-Ray (3.7 and later): the picture's parts, colors, camera and light, to be
 * rendered in any size. The drawing of draw hooks is not included. */
#include "render/render.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static double finite_or(double x, double otherwise) {
    return isfinite(x) ? x : otherwise;
}

static void vector(FILE *out, const float v[3]) {
    fprintf(out, "<%.9g, %.9g, %.9g>", finite_or((double)v[0], 0), finite_or((double)v[1], 0),
            finite_or((double)v[2], 0));
}

static void named(FILE *out, const char *before, const float v[3], const char *after) {
    fputs(before, out);
    vector(out, v);
    fputs(after, out);
}

/* The axes of the camera: `right` and `up` have the size of the picture at a distance of 1, and with `right` to the
 * right no axis is mirrored. In double, since POV-Ray needs them perpendicular to nine digits. */
static void write_camera(FILE *out, const app_camera *camera) {
    float eye[3];
    double yaw = (double)camera->yaw, pitch = (double)camera->pitch, slope = 2 * tan((double)camera->fov / 2);
    const double axes[3][3] = {{-cos(pitch) * sin(yaw), -sin(pitch), -cos(pitch) * cos(yaw)},
                               {cos(yaw), 0, -sin(yaw)},
                               {-sin(pitch) * sin(yaw), cos(pitch), -sin(pitch) * cos(yaw)}};
    static const char *const names[] = {"direction", "right", "up"}, *const sizes[] = {
                                                                         "", " * image_width / image_height", ""};
    app_camera_eye(camera, eye);
    named(out, "camera {\n  perspective\n  location ", eye, "\n");
    for (int k = 0; k < 3; k++)
        fprintf(out, "  %s <%.17g, %.17g, %.17g> * %.17g%s\n", names[k], axes[k][0], axes[k][1], axes[k][2],
                k == 0 ? 1 : slope, sizes[k]);
    fputs("}\n", out);
}

/* The picture's lights: a warm key light with a soft shadow, a cool fill without one, and the sky as ambient. */
static void write_light(FILE *out, const mus_lua_view *view, const float center[3], float radius) {
    const float usual[3] = {-0.356654f, 0.792566f, 0.495354f}, fill[3] = {0.840342f, 0.262607f, 0.472693f};
    const float *key = view && view->has_light ? view->to_light : usual;
    float at[3], color[3] = {0.84f, 0.811f, 0.764f};
    const double width = 0.3 * (double)radius;
    fputs("global_settings { assumed_gamma 1 ambient_light rgb 1 max_trace_level 8 }\n", out);
    if (view && view->has_background) {
        named(out, "background { srgb ", view->bottom, " }\nsky_sphere { pigment { gradient y color_map { [0 srgb ");
        vector(out, view->bottom);
        named(out, "] [0.6 srgb ", view->top, "] } } }\n");
    } else {
        fputs("background { srgb <0.93, 0.94, 0.95> }\nsky_sphere { pigment { gradient y color_map { [0 srgb <0.86, "
              "0.875, 0.89>] [0.6 srgb <0.985, 0.988, 0.992>] } } }\n",
              out);
    }
    for (int k = 0; k < 3 && view && view->has_light; k++) color[k] *= powf(view->light_color[k], 2.2f);
    for (int k = 0; k < 3; k++) at[k] = center[k] + 12 * radius * key[k];
    named(out, "light_source {\n  ", at, " color rgb ");
    named(out, "", color, "\n  parallel point_at ");
    vector(out, center);
    fprintf(out, "\n  area_light x * %.9g, z * %.9g, 4, 4 adaptive 1 circular orient\n}\n", width, width);
    for (int k = 0; k < 3; k++) at[k] = center[k] + 12 * radius * fill[k];
    named(out, "light_source { ", at, " color rgb <0.20, 0.21, 0.23> shadowless parallel point_at ");
    vector(out, center);
    fputs(" }\n", out);
}

/* `file`: of the picture on that side; NULL: it has the color. */
static void write_side(FILE *out, const char *kind, const float color[3], const app_paint *paint, const char *file) {
    const float *at = paint->picture_place;
    fprintf(out, "  %s { ", kind);
    if (file)
        fprintf(out,
                "uv_mapping pigment { image_map { %s \"%s\" gamma srgb interpolate 2 } scale <%.9g, %.9g, 1> "
                "translate <%.9g, %.9g, 0> }",
                strcmp(strrchr(file, '.'), ".jpg") == 0 ? "jpeg" : "png", file, (double)at[2], (double)at[3],
                (double)at[0], (double)at[1]);
    else
        named(out, "pigment { srgb ", color, " }");
    fputs(" finish { ambient rgb <0.22, 0.23, 0.24> diffuse 1 } }\n", out);
}

/* A part with its vertices extracted from those of all parts. POV-Ray finds the front of a triangle by its normals,
 * but if these are all equal by its corners, which run clockwise seen from the front. */
static void write_mesh(FILE *out, const app_mesh *mesh, const app_draw *draw, const char *picture_file) {
    if (draw->index_count < 3) return;
    const uint32_t *indices = mesh->indices + draw->first_index;
    uint32_t low = UINT32_MAX, high = 0;
    for (int32_t k = 0; k < draw->index_count; k++) {
        if (indices[k] < low) low = indices[k];
        if (indices[k] > high) high = indices[k];
    }
    fprintf(out, "mesh2 {\n  vertex_vectors { %u", high - low + 1);
    for (uint32_t v = low; v <= high; v++) named(out, ",\n    ", mesh->vertices[v].position, "");
    fprintf(out, "\n  }\n  normal_vectors { %u", high - low + 1);
    for (uint32_t v = low; v <= high; v++) {
        const float *n = mesh->vertices[v].normal, none[3] = {0, 1, 0};
        bool known = n[0] * n[0] + n[1] * n[1] + n[2] * n[2] > 0.25f;
        named(out, ",\n    ", known ? n : none, "");
    }
    if (picture_file) fprintf(out, "\n  }\n  uv_vectors { %u", high - low + 1);
    for (uint32_t v = low; picture_file && v <= high; v++)
        fprintf(out, ",\n    <%.9g, %.9g>", (double)mesh->vertices[v].uv[0], (double)mesh->vertices[v].uv[1]);
    fprintf(out, "\n  }\n  face_indices { %d", draw->index_count / 3);
    for (int32_t k = 0; k + 2 < draw->index_count; k += 3)
        fprintf(out, ",\n    <%u, %u, %u>", indices[k] - low, indices[k + 2] - low, indices[k + 1] - low);
    fputs("\n  }\n", out);
    write_side(out, "texture", draw->paint.front, &draw->paint, picture_file);
    write_side(out, "interior_texture", draw->paint.back, &draw->paint, draw->paint.picture_back ? picture_file : NULL);
    fputs("}\n", out);
}

/* In its own frame, the plane y = 0, so that its cells match the picture's. */
static void write_plane(FILE *out, const app_render_plane *plane, const app_camera *camera) {
    float u[3], v[3], along = 0;
    double cell = pow(10, floor(log10(0.2 * (double)camera->distance)));
    const double c[3] = {(double)plane->color[0], (double)plane->color[1], (double)plane->color[2]};
    app_plane_axes(plane->normal, u, v);
    for (int k = 0; k < 3; k++) along += plane->point[k] * plane->normal[k];
    fprintf(
        out,
        "plane {\n  y, 0\n  texture {\n    pigment { checker srgb <%.9g, %.9g, %.9g> srgb <%.9g, %.9g, %.9g> "
        "scale %.9g translate y * %.9g }\n    finish { ambient rgb <0.22, 0.23, 0.24> diffuse 0.95 }\n  }\n  matrix <",
        0.982 * c[0], 0.982 * c[1], 0.982 * c[2], 0.966 * c[0], 0.966 * c[1], 0.966 * c[2], cell, -0.5 * cell);
    const float *rows[3] = {u, plane->normal, v};
    for (int r = 0; r < 3; r++)
        for (int k = 0; k < 3; k++) fprintf(out, "%.9g, ", (double)rows[r][k]);
    fprintf(out, "%.9g, %.9g, %.9g>\n}\n", (double)(along * plane->normal[0]), (double)(along * plane->normal[1]),
            (double)(along * plane->normal[2]));
}

static void write_scene(FILE *out, const app_render_list *list, const char *const *picture_files, const app_mesh *mesh,
                        const app_camera *camera, const mus_lua_view *view) {
    app_bounds bounds = app_render_list_bounds(list);
    float center[3], radius;
    app_bounds_sphere(&bounds, center, &radius);
    fputs("// Lengths in meters, y up. Size and quality are set on the command line: povray +W1280 +H720 +A FILE.pov\n"
          "// in the folder of the file, where its pictures are, or with +L and that folder.\n"
          "#version 3.7;\n",
          out);
    write_camera(out, camera);
    write_light(out, view, center, radius);
    for (int32_t k = 0; k < mesh->draw_count; k++) write_mesh(out, mesh, &mesh->draws[k], picture_files[k]);
    for (int32_t k = 0; k < list->plane_count; k++) write_plane(out, &list->planes[k], camera);
}

mus_status app_pov_save(const app_render_list *list, const char *const *picture_files, const app_camera *camera,
                        const mus_lua_view *view, const char *path) {
    app_mesh mesh = {0};
    size_t length = strlen(path) + 32;
    char *temporary = malloc(length);
    mus_status status = temporary ? app_mesh_build(&mesh, list, false)
                                  : mus_fail(MUS_STATUS_NO_MEMORY, "%s: no memory for its name", path);
    FILE *out = NULL;
    if (status == MUS_STATUS_OK) {
        snprintf(temporary, length, "%s.tmp%ld", path, (long)getpid());
        out = fopen(temporary, "w");
        if (!out) status = mus_fail(MUS_STATUS_IO, "%s: cannot be written: %s", path, strerror(errno));
    }
    if (out) {
        write_scene(out, list, picture_files, &mesh, camera, view);
        bool whole = !ferror(out);
        int reason = errno;
        if (fclose(out) != 0) whole = false, reason = errno;
        if (whole && rename(temporary, path) != 0) whole = false, reason = errno;
        if (!whole) {
            status = mus_fail(MUS_STATUS_IO, "%s: cannot be written: %s", path, strerror(reason));
            remove(temporary);
        }
    }
    app_mesh_free(&mesh);
    free(temporary);
    return status;
}
