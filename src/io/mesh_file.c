/* mesh_file.c: a mesh from a file and back. */
#include "base/range.h"
#include "base/word.h"
#include "io/soup.h"

#include <math.h>
#include <string.h>

static mus_status check_options(const char *path, const mus_load_options *options, bool *z_up) {
    *z_up = false;
    if (!options) return MUS_STATUS_OK;
    if (!isfinite(options->scale) || options->scale <= 0)
        return mus_fail(MUS_STATUS_INVALID, "%s: field 'scale' must be a finite number > 0 (got %s)", path,
                        mus_word_of_number(options->scale).text);
    if (!mus_is_value(options->scale) || options->scale < 1 / MUS_LARGEST_VALUE)
        return mus_fail(MUS_STATUS_INVALID, "%s: field 'scale' must be from %g to %g (got %g)", path,
                        1 / MUS_LARGEST_VALUE, MUS_LARGEST_VALUE, options->scale);
    *z_up = options->up && strcmp(options->up, "z") == 0;
    if (options->up && !*z_up && strcmp(options->up, "y") != 0)
        return mus_fail(MUS_STATUS_INVALID, "%s: field 'up' must be 'y' or 'z' (got '%s')", path, options->up);
    return MUS_STATUS_OK;
}

mus_status mus_load_options_apply(const char *path, const mus_load_options *options, double *vertices, int64_t count) {
    bool z_up;
    mus_status status = check_options(path, options, &z_up);
    double scale = options ? options->scale : 1;
    for (int64_t v = 0; status == MUS_STATUS_OK && v < count; v++) {
        double *p = vertices + 3 * v;
        double read[3] = {p[0], p[1], p[2]};
        for (int k = 0; k < 3; k++) p[k] *= scale;
        if (z_up) {
            double y = p[1];
            p[1] = p[2];
            p[2] = -y;
        }
        if (mus_are_lengths(v3_load(p))) continue;
        if (scale > 1 && mus_are_lengths(v3_load(read)))
            status = mus_fail(MUS_STATUS_INVALID,
                              "%s: field 'scale' is too large for vertex %lld, which must lie within +-%g m (got %g)",
                              path, (long long)v + 1, MUS_LARGEST_LENGTH, scale);
        else
            status = mus_fail(MUS_STATUS_FORMAT,
                              "%s: vertex %lld must lie within +-%g m%s (got {%g, %g, %g}); a smaller 'scale' may help",
                              path, (long long)v + 1, MUS_LARGEST_LENGTH, scale == 1 ? "" : " after 'scale'", read[0],
                              read[1], read[2]);
    }
    return status;
}

mus_status mus_mesh_load(const char *path, const mus_load_options *options, mus_mesh **mesh) {
    *mesh = NULL;
    bool z_up;
    mus_soup soup;
    mus_status status = check_options(path, options, &z_up);
    if (status == MUS_STATUS_OK) status = mus_soup_read(path, &soup);
    if (status != MUS_STATUS_OK) return status;
    status = mus_load_options_apply(path, options, soup.vertices.data, soup.vertices.count / 3);
    if (status == MUS_STATUS_OK) {
        bool textured = soup.uv_faces.count > 0;
        mus_mesh_def def = {.vertices = soup.vertices.data,
                            .faces = soup.faces.data,
                            .uvs = textured ? soup.uvs.data : NULL,
                            .uv_faces = textured ? soup.uv_faces.data : NULL,
                            .vertex_count = (int32_t)(soup.vertices.count / 3),
                            .face_count = (int32_t)(soup.faces.count / 3),
                            .uv_count = textured ? (int32_t)(soup.uvs.count / 2) : 0,
                            .stitches = soup.stitches.count ? soup.stitches.data : NULL,
                            .stitch_count = (int32_t)soup.stitches.count};
        status = mus_mesh_create(&def, mesh);
    }
    mus_soup_free(&soup);
    return status;
}

mus_status mus_mesh_save(const mus_mesh *mesh, const char *path) {
    const double *vertices = mus_mesh_vertices_const(mesh);
    for (int64_t k = 0; k < 3 * (int64_t)mus_mesh_vertex_count(mesh); k++)
        if (!isfinite(vertices[k]))
            return mus_fail(MUS_STATUS_INVALID, "%s: vertex %lld must be finite (got %s)", path, (long long)(k / 3) + 1,
                            mus_word_of_number(vertices[k]).text);
    mus_status status = mus_check_places(path, vertices, mus_mesh_vertex_count(mesh));
    if (status != MUS_STATUS_OK) return status;
    mus_part part = {.vertices = vertices,
                     .faces = mus_mesh_faces(mesh),
                     .vertex_count = mus_mesh_vertex_count(mesh),
                     .face_count = mus_mesh_face_count(mesh)};
    return mus_parts_write(path, &part, 1, mesh);
}
