/* usd_mesh.c: the points, faces and texture coordinates of a UsdGeomMesh. */
#include "io/usd_stage.h"

#include <stdio.h>
#include <string.h>

static mus_status wrong(const char *path, const mus_usda_prim *prim, const mus_usda_property *property,
                        const char *reason) {
    return mus_fail(MUS_STATUS_FORMAT, "%s:%lld: mesh '%s': %s", path,
                    (long long)(property ? property->line : prim->line), prim->name, reason);
}

bool mus_usd_index(double value, int64_t count, int32_t *index) {
    if (!(value >= 0 && value < (double)count && value <= INT32_MAX)) return false;
    *index = (int32_t)value;
    return (double)*index >= value;
}

bool mus_usd_is_left_handed(const mus_usda_prim *mesh) {
    const mus_usda_property *orientation = mus_usda_find(mesh, "orientation");
    return orientation && orientation->value.texts.count && strcmp(orientation->value.texts.data[0], "leftHanded") == 0;
}

bool mus_usd_is_turned(const mus_usda_prim *mesh, const double place[12]) {
    double det = 0;
    for (int k = 0; k < 3; k++) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        det += place[k] * (place[4 + a] * place[8 + b] - place[4 + b] * place[8 + a]);
    }
    return mus_usd_is_left_handed(mesh) != (det < 0);
}

/* How the values of a list lie on a mesh. */
typedef struct mapping {
    const double *values, *indices; /* pairs; NULL: in order */
    int64_t count, index_count;
    bool by_corner; /* faceVarying; else by vertex */
} mapping;

static const char *const uv_names[] = {"primvars:st", "primvars:UVMap", "primvars:map1", "primvars:uv", "primvars:st0"};

static const mus_usda_property *find_uvs(const mus_usda_prim *prim, char indices[40]) {
    for (size_t k = 0; k < sizeof uv_names / sizeof *uv_names; k++) {
        const mus_usda_property *uvs = mus_usda_find(prim, uv_names[k]);
        if (!uvs || uvs->value.numbers.count < 2) continue;
        snprintf(indices, 40, "%s:indices", uv_names[k]);
        return uvs;
    }
    return NULL;
}

/* False where there are none that fit: texture coordinates of other layouts are left out. */
static bool map_uvs(const mus_usda_prim *prim, int64_t corners, int64_t vertices, mapping *m) {
    char name[40];
    const mus_usda_property *uvs = find_uvs(prim, name);
    if (!uvs) return false;
    const mus_usda_property *indices = mus_usda_find(prim, name);
    const char *how = uvs->interpolation ? uvs->interpolation : "constant";
    *m = (mapping){.values = uvs->value.numbers.data,
                   .count = uvs->value.numbers.count / 2,
                   .by_corner = strcmp(how, "faceVarying") == 0};
    if (!m->by_corner && strcmp(how, "vertex") != 0 && strcmp(how, "varying") != 0) return false;
    if (indices) m->indices = indices->value.numbers.data, m->index_count = indices->value.numbers.count;
    return (indices ? m->index_count : m->count) >= (m->by_corner ? corners : vertices);
}

/* -1: out of range. */
static int32_t uv_of(const mapping *m, int64_t corner, int32_t vertex) {
    int64_t at = m->by_corner ? corner : vertex;
    int32_t number = (int32_t)at;
    if (m->indices && !mus_usd_index(m->indices[at], m->count, &number)) return -1;
    return number < m->count ? number : -1;
}

static mus_status add_points(const char *path, const mus_usda_prim *prim, const mus_usda_property *points,
                             const double place[12], mus_soup *soup) {
    if (!points || points->value.numbers.count < 3 || points->value.numbers.count % 3)
        return wrong(path, prim, points, "needs 'points', three numbers for each");
    for (int64_t k = 0; k < points->value.numbers.count; k += 3) {
        const double *p = points->value.numbers.data + k;
        double moved[3];
        for (int r = 0; r < 3; r++) {
            moved[r] = place[4 * r] * p[0] + place[4 * r + 1] * p[1] + place[4 * r + 2] * p[2] + place[4 * r + 3];
            if (!isfinite(moved[r])) return wrong(path, prim, points, "a point is not finite");
        }
        mus_status status = mus_soup_vertex(soup, path, moved);
        if (status != MUS_STATUS_OK) return status;
    }
    return MUS_STATUS_OK;
}

static mus_status add_uvs(const char *path, const mapping *m, mus_soup *soup) {
    mus_status status = MUS_STATUS_OK;
    for (int64_t k = 0; k < m->count && status == MUS_STATUS_OK; k++)
        status = mus_soup_uv(soup, path, m->values + 2 * k);
    return status;
}

/* Corners of one face, in the order of a right-handed mesh. */
typedef struct corners {
    MUS_ARRAY(int32_t) vertices;
    MUS_ARRAY(int32_t) uvs;
} corners;

static mus_status add_faces(const char *path, const mus_usda_prim *prim, bool turned, const mapping *uvs,
                            mus_soup *soup, int32_t first_vertex, int32_t first_uv, bool *triangles) {
    const mus_usda_property *counts = mus_usda_find(prim, "faceVertexCounts");
    const mus_usda_property *indices = mus_usda_find(prim, "faceVertexIndices");
    if (!counts || !indices) return wrong(path, prim, counts, "needs 'faceVertexCounts' and 'faceVertexIndices'");
    int32_t vertex_count = (int32_t)(soup->vertices.count / 3) - first_vertex;
    corners face = {{0}, {0}};
    mus_status status = MUS_STATUS_OK;
    int64_t at = 0;
    *triangles = true;
    for (int64_t f = 0; f < counts->value.numbers.count && status == MUS_STATUS_OK; f++) {
        int32_t n = 0;
        if (!mus_usd_index(counts->value.numbers.data[f], 1000000, &n) || n < 3 ||
            at + n > indices->value.numbers.count) {
            status =
                wrong(path, prim, counts, "a face needs 3 corners or more, and all of them in 'faceVertexIndices'");
            break;
        }
        face.vertices.count = face.uvs.count = 0;
        for (int64_t k = 0; k < n && status == MUS_STATUS_OK; k++) {
            int64_t corner = at + (turned ? n - 1 - k : k);
            int32_t vertex = 0, uv = 0;
            if (!mus_usd_index(indices->value.numbers.data[corner], vertex_count, &vertex))
                status = wrong(path, prim, indices, "a face refers to a point that does not exist");
            else if (uvs && (uv = uv_of(uvs, corner, vertex)) < 0)
                status = wrong(path, prim, indices, "a corner refers to a texture coordinate that does not exist");
            else if (!mus_array_push(&face.vertices, first_vertex + vertex) ||
                     !mus_array_push(&face.uvs, first_uv + uv))
                status = MUS_STATUS_NO_MEMORY;
        }
        if (status == MUS_STATUS_OK)
            status = mus_soup_polygon(soup, path, face.vertices.data, uvs ? face.uvs.data : NULL, n);
        at += n;
        if (n != 3) *triangles = false;
    }
    if (status == MUS_STATUS_OK && at != indices->value.numbers.count)
        status = wrong(path, prim, indices, "'faceVertexIndices' has more corners than 'faceVertexCounts'");
    mus_array_free(&face.vertices);
    mus_array_free(&face.uvs);
    return status;
}

mus_status mus_usd_read_mesh(const char *path, const mus_usda_prim *prim, const double place[12], mus_soup *soup,
                             bool *triangles) {
    int32_t first_vertex = (int32_t)(soup->vertices.count / 3), first_uv = (int32_t)(soup->uvs.count / 2);
    const mus_usda_property *indices = mus_usda_find(prim, "faceVertexIndices");
    mus_status status = add_points(path, prim, mus_usda_find(prim, "points"), place, soup);
    if (status != MUS_STATUS_OK) return status;
    mapping uvs;
    bool textured =
        indices && map_uvs(prim, indices->value.numbers.count, soup->vertices.count / 3 - first_vertex, &uvs);
    if (textured) status = add_uvs(path, &uvs, soup);
    if (status == MUS_STATUS_OK)
        status = add_faces(path, prim, mus_usd_is_turned(prim, place), textured ? &uvs : NULL, soup, first_vertex,
                           first_uv, triangles);
    return status;
}
