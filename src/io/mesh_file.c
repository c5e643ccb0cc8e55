/* mesh_file.c: reads and writes meshes. */
#include "base/cookie.h"
#include "base/range.h"
#include "base/word.h"
#include "io/soup.h"

#include <string.h>
#include <strings.h>

mus_status mus_file_kind_of(const char *path, bool writing, mus_file_kind *kind) {
    static const struct {
        const char *extension;
        mus_file_kind kind;
        bool read, written;
    } kinds[] = {{"obj", MUS_FILE_OBJ, true, true},    {"ply", MUS_FILE_PLY, true, true},
                 {"stl", MUS_FILE_STL, true, true},    {"glb", MUS_FILE_GLTF, true, false},
                 {"gltf", MUS_FILE_GLTF, true, false}, {"vtp", MUS_FILE_VTP, false, true},
                 {"usda", MUS_FILE_USD, true, true}};
    const char *extension = mus_file_extension(path);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if ((writing ? kinds[i].written : kinds[i].read) && strcasecmp(extension, kinds[i].extension) == 0) {
            *kind = kinds[i].kind;
            return MUS_STATUS_OK;
        }
    if (strncasecmp(extension, "usd", 3) == 0 || strcasecmp(extension, "abc") == 0)
        return mus_fail(MUS_STATUS_INVALID, "%s: binary layers and Alembic are not %s; %s", path,
                        writing ? "written" : "read",
                        writing ? "write a .usda, which usdcat converts"
                        : *extension == 'a' || *extension == 'A'
                            ? "export the mesh as .obj or .glb, and its motion as .pc2, .mdd, .npy or .glb"
                            : "convert the file to text: usdcat FILE -o FILE.usda");
    return mus_fail(MUS_STATUS_INVALID,
                    writing ? "%s: the extension must be .obj, .ply, .stl, .vtp or .usda (got '%s')"
                            : "%s: the extension must be .obj, .ply, .stl, .glb, .gltf or .usda (got '%s')",
                    path, extension);
}

static mus_status check_uvs(const char *path, const mus_soup *soup) {
    for (int64_t k = 0; k < soup->uvs.count; k++)
        if (!mus_is_length(soup->uvs.data[k]))
            return mus_fail(MUS_STATUS_FORMAT, "%s: texture vertex %lld must lie within +-%g (got %g)", path,
                            (long long)(k / 2) + 1, MUS_LARGEST_LENGTH, soup->uvs.data[k]);
    return MUS_STATUS_OK;
}

mus_status mus_soup_read(const char *path, mus_soup *soup) {
    *soup = (mus_soup){.vertices = {0}};
    mus_file_kind kind = MUS_FILE_OBJ;
    mus_file file;
    mus_status status = mus_file_kind_of(path, false, &kind);
    if (status == MUS_STATUS_OK) status = mus_file_read(path, &file);
    if (status != MUS_STATUS_OK) return status;
    mus_c_locale locale = mus_c_locale_enter();
    if (file.size == 0)
        status = mus_fail(MUS_STATUS_FORMAT, "%s: is empty", path);
    else if (kind == MUS_FILE_OBJ)
        status = mus_obj_read(&file, soup);
    else if (kind == MUS_FILE_PLY)
        status = mus_ply_read(&file, soup);
    else if (kind == MUS_FILE_GLTF)
        status = mus_gltf_read(&file, soup);
    else if (kind == MUS_FILE_USD)
        status = mus_usd_read(&file, soup);
    else
        status = mus_stl_read(&file, soup);
    mus_c_locale_leave(locale);
    mus_file_free(&file);
    if (status == MUS_STATUS_OK && soup->faces.count == 0)
        status = mus_fail(MUS_STATUS_FORMAT, "%s: has no faces; a mesh needs at least one", path);
    if (status == MUS_STATUS_OK) status = check_uvs(path, soup);
    if (status != MUS_STATUS_OK) mus_soup_free(soup);
    return status;
}

mus_status mus_parts_write(const char *path, const mus_part *parts, int32_t count, const mus_mesh *mesh) {
    mus_file_kind kind = MUS_FILE_OBJ;
    mus_writer writer;
    mus_status status = mus_file_kind_of(path, true, &kind);
    if (status == MUS_STATUS_OK) status = mus_writer_open(&writer, path);
    if (status != MUS_STATUS_OK) return status;
    mus_c_locale locale = mus_c_locale_enter();
    if (kind == MUS_FILE_OBJ)
        mus_obj_write(&writer, parts, count, mesh);
    else if (kind == MUS_FILE_PLY)
        mus_ply_write(&writer, parts, count, mesh);
    else if (kind == MUS_FILE_STL)
        mus_stl_write(&writer, parts, count);
    else if (kind == MUS_FILE_VTP)
        mus_vtp_write(&writer, parts, count);
    else
        mus_usd_write(&writer, parts, count);
    mus_c_locale_leave(locale);
    return mus_writer_close(&writer, MUS_STATUS_OK);
}

mus_load_options mus_load_options_default(void) {
    return (mus_load_options){.cookie = MUS_COOKIE_LOAD_OPTIONS, .scale = 1};
}

static mus_status check_options(const char *path, const mus_load_options *options, bool *z_up) {
    *z_up = false;
    if (!options) return MUS_STATUS_OK;
    mus_status status = mus_check_cookie(options->cookie, MUS_COOKIE_LOAD_OPTIONS, path, "mus_load_options");
    if (status != MUS_STATUS_OK) return status;
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
        mus_mesh_def def = {.cookie = MUS_COOKIE_MESH_DEF,
                            .vertices = soup.vertices.data,
                            .faces = soup.faces.data,
                            .uvs = textured ? soup.uvs.data : NULL,
                            .uv_faces = textured ? soup.uv_faces.data : NULL,
                            .vertex_count = (int32_t)(soup.vertices.count / 3),
                            .face_count = (int32_t)(soup.faces.count / 3),
                            .uv_count = textured ? (int32_t)(soup.uvs.count / 2) : 0,
                            .stitches = soup.stitches.count ? soup.stitches.data : NULL,
                            .stitch_count = (int32_t)soup.stitches.count,
                            .groups = soup.groups.count ? soup.groups.data : NULL,
                            .group_count = (int32_t)soup.groups.count};
        status = mus_mesh_create(&def, mesh);
    }
    mus_soup_free(&soup);
    return status;
}

mus_status mus_mesh_save(const mus_mesh *mesh, const char *path) {
    const double *vertices = mus_mesh_get_vertices_const(mesh);
    for (int64_t k = 0; k < 3 * (int64_t)mus_mesh_get_vertex_count(mesh); k++)
        if (!isfinite(vertices[k]))
            return mus_fail(MUS_STATUS_INVALID, "%s: vertex %lld must be finite (got %s)", path, (long long)(k / 3) + 1,
                            mus_word_of_number(vertices[k]).text);
    mus_status status = mus_check_places(path, vertices, mus_mesh_get_vertex_count(mesh));
    if (status != MUS_STATUS_OK) return status;
    mus_part part = {.vertices = vertices,
                     .faces = mus_mesh_get_faces(mesh),
                     .vertex_count = mus_mesh_get_vertex_count(mesh),
                     .face_count = mus_mesh_get_face_count(mesh),
                     .uvs = mus_mesh_get_uvs(mesh),
                     .uv_faces = mus_mesh_get_uv_faces(mesh),
                     .uv_count = mus_mesh_get_uv_count(mesh)};
    part.groups = mus_mesh_get_groups(mesh, &part.group_count);
    return mus_parts_write(path, &part, 1, mesh);
}
