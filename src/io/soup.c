/* soup.c: growing arrays of what is read, and the choice of reader and writer by a file's extension. */
#include "io/soup.h"
#include "base/range.h"

#include <string.h>
#include <strings.h>

void mus_soup_free(mus_soup *soup) {
    mus_array_free(&soup->vertices);
    mus_array_free(&soup->uvs);
    mus_array_free(&soup->faces);
    mus_array_free(&soup->uv_faces);
    for (int64_t i = 0; i < soup->groups.count; i++) mus_free(soup->groups.data[i].name);
    mus_array_free(&soup->groups);
    mus_array_free(&soup->stitches);
}

static mus_status too_many(const char *path, const char *what) {
    return mus_fail(MUS_STATUS_FORMAT, "%s: has more %s than can be numbered (%d)", path, what, INT32_MAX / 3);
}

mus_status mus_soup_vertex(mus_soup *soup, const char *path, const double vertex[3]) {
    int64_t n = soup->vertices.count;
    if (n / 3 >= INT32_MAX / 3) return too_many(path, "vertices");
    if (!mus_array_reserve(&soup->vertices, n + 3)) return MUS_STATUS_NO_MEMORY;
    memcpy(soup->vertices.data + n, vertex, 3 * sizeof *vertex);
    soup->vertices.count += 3;
    return MUS_STATUS_OK;
}

mus_status mus_soup_uv(mus_soup *soup, const char *path, const double uv[2]) {
    int64_t n = soup->uvs.count;
    if (n / 2 >= INT32_MAX / 3) return too_many(path, "texture vertices");
    if (!mus_array_reserve(&soup->uvs, n + 2)) return MUS_STATUS_NO_MEMORY;
    memcpy(soup->uvs.data + n, uv, 2 * sizeof *uv);
    soup->uvs.count += 2;
    return MUS_STATUS_OK;
}

mus_status mus_soup_polygon(mus_soup *soup, const char *path, const int32_t *corners, const int32_t *uvs,
                            int64_t count) {
    int64_t n = soup->faces.count, added = 3 * (count - 2);
    if ((n + added) / 3 > INT32_MAX / 3) return too_many(path, "faces");
    if (!mus_array_reserve(&soup->faces, n + added)) return MUS_STATUS_NO_MEMORY;
    if (uvs && !mus_array_reserve(&soup->uv_faces, soup->uv_faces.count + added)) return MUS_STATUS_NO_MEMORY;
    for (int64_t i = 1; i + 1 < count; i++) {
        const int64_t fan[3] = {0, i, i + 1};
        for (int k = 0; k < 3; k++) {
            soup->faces.data[soup->faces.count++] = corners[fan[k]];
            if (uvs) soup->uv_faces.data[soup->uv_faces.count++] = uvs[fan[k]];
        }
    }
    return MUS_STATUS_OK;
}

mus_status mus_file_kind_of(const char *path, bool writing, mus_file_kind *kind) {
    static const struct {
        const char *extension;
        mus_file_kind kind;
    } kinds[] = {{"obj", MUS_FILE_OBJ},
                 {"ply", MUS_FILE_PLY},
                 {"stl", MUS_FILE_STL},
                 {"vtp", MUS_FILE_VTP},
                 {"usda", MUS_FILE_USD}};
    const char *extension = mus_file_extension(path);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds - (writing ? 0 : 2); i++)
        if (strcasecmp(extension, kinds[i].extension) == 0) {
            *kind = kinds[i].kind;
            return MUS_STATUS_OK;
        }
    return mus_fail(MUS_STATUS_INVALID,
                    writing ? "%s: the extension must be .obj, .ply, .stl, .vtp or .usda (got '%s')"
                            : "%s: the extension must be .obj, .ply or .stl (got '%s')",
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
