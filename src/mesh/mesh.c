/* mesh.c: a triangle mesh as plain arrays: created from a definition, copied, transformed, measured. */
#include "mesh/mesh.h"
#include "base/cookie.h"
#include "base/range.h"
#include "base/word.h"

#include "base/memory.h"
#include "base/vec.h"
#include "muslin/pose.h"

#include <stdio.h>
#include <string.h>

mus_pose mus_pose_identity(void) {
    return (mus_pose){{0, 0, 0}, {1, 0, 0, 0}};
}

mus_mesh *mus_mesh_new(int32_t vertex_count, int32_t face_count, int32_t uv_count) {
    mus_mesh *mesh = mus_new(sizeof *mesh);
    if (!mesh) return NULL;
    mesh->vertex_count = vertex_count;
    mesh->face_count = face_count;
    mesh->uv_count = uv_count;
    mesh->vertices = mus_new((size_t)vertex_count * 3 * sizeof *mesh->vertices);
    mesh->faces = mus_new((size_t)face_count * 3 * sizeof *mesh->faces);
    bool complete = mesh->vertices && mesh->faces;
    if (complete && uv_count > 0) {
        mesh->uvs = mus_new((size_t)uv_count * 2 * sizeof *mesh->uvs);
        mesh->uv_faces = mus_new((size_t)face_count * 3 * sizeof *mesh->uv_faces);
        complete = mesh->uvs && mesh->uv_faces;
    }
    if (!complete) {
        mus_mesh_destroy(mesh);
        return NULL;
    }
    return mesh;
}

void mus_mesh_groups_free(mus_mesh_group *groups, int32_t count) {
    for (int32_t k = 0; groups && k < count; k++) mus_free((char *)groups[k].name); /* made here, so writable */
    mus_free(groups);
}

void mus_mesh_destroy(mus_mesh *mesh) {
    if (!mesh) return;
    mus_free(mesh->vertices);
    mus_free(mesh->faces);
    mus_free(mesh->uvs);
    mus_free(mesh->uv_faces);
    mus_free(mesh->stitches);
    mus_mesh_groups_free(mesh->groups, mesh->group_count);
    mus_free(mesh);
}

mus_status mus_mesh_check_positive(const char *what, const char *field, double value) {
    if (!isfinite(value) || !(value > 0))
        return mus_fail(MUS_STATUS_INVALID, "%s: field '%s' must be a finite length > 0 m (got %s)", what, field,
                        mus_word_of_number(value).text);
    char subject[80];
    snprintf(subject, sizeof subject, "%s: field '%s'", what, field);
    return mus_check_range(subject, MUS_RANGE_SIZE, "m", value);
}

mus_status mus_mesh_check_center(const char *what, const double center[3]) {
    if (!v3_finite(v3_load(center)))
        return mus_fail(MUS_STATUS_INVALID, "%s: field 'center' must be three finite numbers, m (got {%s, %s, %s})",
                        what, mus_word_of_number(center[0]).text, mus_word_of_number(center[1]).text,
                        mus_word_of_number(center[2]).text);
    char subject[80];
    snprintf(subject, sizeof subject, "%s: field 'center'", what);
    return mus_check_range3(subject, MUS_RANGE_COORDINATE, "m", center);
}

mus_status mus_mesh_hand_over(const char *what, mus_mesh *made, mus_mesh **mesh) {
    mus_status status = mus_check_places(what, made->vertices, made->vertex_count);
    if (status != MUS_STATUS_OK) mus_mesh_destroy(made);
    *mesh = status == MUS_STATUS_OK ? made : NULL;
    return status;
}

static mus_status check_sizes(const mus_mesh_def *def) {
    if (def->vertex_count < 1 || !def->vertices)
        return mus_fail(MUS_STATUS_INVALID, "mesh: field 'vertices' must hold at least one vertex (got %d%s)",
                        def->vertex_count, def->vertices ? "" : ", no array");
    if (def->face_count < 1 || !def->faces)
        return mus_fail(MUS_STATUS_INVALID, "mesh: field 'faces' must hold at least one face (got %d%s)",
                        def->face_count, def->faces ? "" : ", no array");
    if (def->face_count > MUS_MESH_MAX_FACES)
        return mus_fail(MUS_STATUS_INVALID, "mesh: field 'faces' may hold at most %d faces (got %d)",
                        MUS_MESH_MAX_FACES, def->face_count);
    if (!def->uvs != !def->uv_faces || (def->uvs && def->uv_count < 1) || (!def->uvs && def->uv_count != 0))
        return mus_fail(MUS_STATUS_INVALID,
                        "mesh: fields 'uvs', 'uv_faces' and 'uv_count' must be given together or not at all "
                        "(got %s, %s, %d)",
                        def->uvs ? "uvs" : "no uvs", def->uv_faces ? "uv_faces" : "no uv_faces", def->uv_count);
    const int32_t *n = def->grid_nodes;
    if ((n[0] != 0 || n[1] != 0) && (n[0] < 2 || n[1] < 2 || (int64_t)n[0] * n[1] != def->vertex_count))
        return mus_fail(MUS_STATUS_INVALID,
                        "mesh: field 'grid_nodes' must be 0 x 0 or at least 2 x 2 with a product of %d, the number of "
                        "vertices (got %d x %d)",
                        def->vertex_count, n[0], n[1]);
    if (def->stitch_count < 0 || !def->stitches != !def->stitch_count)
        return mus_fail(MUS_STATUS_INVALID,
                        "mesh: fields 'stitches' and 'stitch_count' must be given together (got %s, %d)",
                        def->stitches ? "stitches" : "none", def->stitch_count);
    if (def->group_count < 0 || !def->groups != !def->group_count)
        return mus_fail(MUS_STATUS_INVALID,
                        "mesh: fields 'groups' and 'group_count' must be given together (got %s, %d)",
                        def->groups ? "groups" : "none", def->group_count);
    return MUS_STATUS_OK;
}

static mus_status check_groups(const mus_mesh_def *def) {
    int64_t faces = 0;
    for (int32_t k = 0; k < def->group_count; k++) {
        const mus_mesh_group *g = &def->groups[k];
        if (!mus_word_is_line(g->name))
            return mus_fail(
                MUS_STATUS_INVALID,
                "mesh: group %d needs a name without control characters, blanks at its ends or a backslash at "
                "its end (got '%s')",
                k + 1, g->name ? g->name : "");
        if (g->face_count < 0)
            return mus_fail(MUS_STATUS_INVALID, "mesh: group '%s' must have >= 0 faces (got %d)", g->name,
                            g->face_count);
        faces += g->face_count;
    }
    if (def->group_count > 0 && faces != def->face_count)
        return mus_fail(MUS_STATUS_INVALID, "mesh: the groups must cover all %d faces, in order (they have %lld)",
                        def->face_count, (long long)faces);
    return MUS_STATUS_OK;
}

static mus_status check_values(const mus_mesh_def *def) {
    mus_status status = mus_check_places("mesh", def->vertices, def->vertex_count);
    if (status != MUS_STATUS_OK) return status;
    for (int32_t v = 0; v < def->uv_count; v++) {
        const double *p = def->uvs + 2 * (size_t)v;
        if (!isfinite(p[0]) || !isfinite(p[1]))
            return mus_fail(MUS_STATUS_INVALID, "mesh: texture vertex %d must be finite (got {%s, %s})", v + 1,
                            mus_word_of_number(p[0]).text, mus_word_of_number(p[1]).text);
        if (!mus_is_length(p[0]) || !mus_is_length(p[1]))
            return mus_fail(MUS_STATUS_INVALID, "mesh: texture vertex %d must lie within +-%g (got {%g, %g})", v + 1,
                            MUS_LARGEST_LENGTH, p[0], p[1]);
    }
    for (int64_t k = 0; k < (int64_t)def->face_count * 3; k++) {
        if (def->faces[k] < 0 || def->faces[k] >= def->vertex_count)
            return mus_fail(MUS_STATUS_INVALID, "mesh: face %d names vertex %lld, but the vertices are 1 to %d",
                            (int)(k / 3) + 1, (long long)def->faces[k] + 1, def->vertex_count);
        if (def->uvs && (def->uv_faces[k] < 0 || def->uv_faces[k] >= def->uv_count))
            return mus_fail(MUS_STATUS_INVALID,
                            "mesh: face %d names texture vertex %lld, but the texture vertices are 1 to %d",
                            (int)(k / 3) + 1, (long long)def->uv_faces[k] + 1, def->uv_count);
    }
    for (int32_t k = 0; k < def->stitch_count; k++) {
        const mus_stitch *s = &def->stitches[k];
        const int32_t named[3] = {s->vertex, s->onto[0], s->onto[1]};
        for (int i = 0; i < 3; i++)
            if (named[i] < 0 || named[i] >= def->vertex_count)
                return mus_fail(MUS_STATUS_INVALID, "mesh: stitch %d names vertex %lld, but the vertices are 1 to %d",
                                k + 1, (long long)named[i] + 1, def->vertex_count);
        if (!(s->along >= 0 && s->along <= 1))
            return mus_fail(MUS_STATUS_INVALID, "mesh: stitch %d lies at %g of its edge; it must be within 0..1", k + 1,
                            s->along);
    }
    return MUS_STATUS_OK;
}

mus_status mus_mesh_take_stitches(mus_mesh *mesh, const mus_stitch *stitches, int32_t count) {
    if (!count) return MUS_STATUS_OK;
    mesh->stitches = mus_new(sizeof *stitches * (size_t)count);
    if (!mesh->stitches) return MUS_STATUS_NO_MEMORY;
    memcpy(mesh->stitches, stitches, sizeof *stitches * (size_t)count);
    mesh->stitch_count = count;
    return MUS_STATUS_OK;
}

mus_mesh_group *mus_mesh_groups_copy(const mus_mesh_group *groups, int32_t count, int32_t scale) {
    mus_mesh_group *copy = mus_new(sizeof *copy * (size_t)count);
    for (int32_t k = 0; copy && k < count; k++) {
        copy[k] = (mus_mesh_group){mus_copy_string(groups[k].name), groups[k].face_count * scale};
        if (copy[k].name) continue;
        mus_mesh_groups_free(copy, k);
        return NULL;
    }
    return copy;
}

mus_status mus_mesh_take_groups(mus_mesh *mesh, const mus_mesh_group *groups, int32_t count, int32_t scale) {
    if (!count) return MUS_STATUS_OK;
    mesh->groups = mus_mesh_groups_copy(groups, count, scale);
    if (!mesh->groups) return MUS_STATUS_NO_MEMORY;
    mesh->group_count = count;
    return MUS_STATUS_OK;
}

mus_mesh_def mus_mesh_def_default(void) {
    return (mus_mesh_def){.cookie = MUS_COOKIE_MESH_DEF};
}

mus_status mus_mesh_create(const mus_mesh_def *def, mus_mesh **mesh) {
    *mesh = NULL;
    mus_status status = mus_check_cookie(def->cookie, MUS_COOKIE_MESH_DEF, "mesh", "mus_mesh_def");
    if (status == MUS_STATUS_OK) status = check_sizes(def);
    if (status == MUS_STATUS_OK) status = check_values(def);
    if (status == MUS_STATUS_OK) status = check_groups(def);
    if (status != MUS_STATUS_OK) return status;
    mus_mesh *made = mus_mesh_new(def->vertex_count, def->face_count, def->uv_count);
    if (!made) return MUS_STATUS_NO_MEMORY;
    memcpy(made->vertices, def->vertices, (size_t)def->vertex_count * 3 * sizeof(double));
    memcpy(made->faces, def->faces, (size_t)def->face_count * 3 * sizeof(int32_t));
    if (def->uvs) {
        memcpy(made->uvs, def->uvs, (size_t)def->uv_count * 2 * sizeof(double));
        memcpy(made->uv_faces, def->uv_faces, (size_t)def->face_count * 3 * sizeof(int32_t));
    }
    memcpy(made->grid_nodes, def->grid_nodes, sizeof made->grid_nodes);
    status = mus_mesh_take_stitches(made, def->stitches, def->stitch_count);
    if (status == MUS_STATUS_OK) status = mus_mesh_take_groups(made, def->groups, def->group_count, 1);
    if (status == MUS_STATUS_OK)
        *mesh = made;
    else
        mus_mesh_destroy(made);
    return status;
}

mus_status mus_mesh_copy(const mus_mesh *mesh, mus_mesh **copy) {
    mus_mesh_def def = {.cookie = MUS_COOKIE_MESH_DEF,
                        .vertices = mesh->vertices,
                        .faces = mesh->faces,
                        .uvs = mesh->uvs,
                        .uv_faces = mesh->uv_faces,
                        .vertex_count = mesh->vertex_count,
                        .face_count = mesh->face_count,
                        .uv_count = mesh->uv_count,
                        .grid_nodes = {mesh->grid_nodes[0], mesh->grid_nodes[1]},
                        .stitches = mesh->stitches,
                        .stitch_count = mesh->stitch_count,
                        .groups = mesh->groups,
                        .group_count = mesh->group_count};
    return mus_mesh_create(&def, copy); /* vertices may have been written to since, so they are checked again */
}

int32_t mus_mesh_get_vertex_count(const mus_mesh *mesh) {
    return mesh->vertex_count;
}
int32_t mus_mesh_get_face_count(const mus_mesh *mesh) {
    return mesh->face_count;
}
int32_t mus_mesh_get_uv_count(const mus_mesh *mesh) {
    return mesh->uv_count;
}
double *mus_mesh_get_vertices(mus_mesh *mesh) {
    return mesh->vertices;
}
const double *mus_mesh_get_vertices_const(const mus_mesh *mesh) {
    return mesh->vertices;
}
const int32_t *mus_mesh_get_faces(const mus_mesh *mesh) {
    return mesh->faces;
}
const double *mus_mesh_get_uvs(const mus_mesh *mesh) {
    return mesh->uvs;
}
const int32_t *mus_mesh_get_uv_faces(const mus_mesh *mesh) {
    return mesh->uv_faces;
}
const int32_t *mus_mesh_get_grid_nodes(const mus_mesh *mesh) {
    return mesh->grid_nodes;
}

const mus_stitch *mus_mesh_get_stitches(const mus_mesh *mesh, int32_t *count) {
    *count = mesh->stitch_count;
    return mesh->stitches;
}

const mus_mesh_group *mus_mesh_get_groups(const mus_mesh *mesh, int32_t *count) {
    *count = mesh->group_count;
    return mesh->groups;
}

mus_status mus_mesh_transform(mus_mesh *mesh, const double matrix[12]) {
    m3 a = {{v3_load(matrix), v3_load(matrix + 4), v3_load(matrix + 8)}};
    v3 b = {matrix[3], matrix[7], matrix[11]};
    for (int moving = 0; moving < 2; moving++)
        for (int32_t v = 0; v < mesh->vertex_count; v++) {
            double *p = mesh->vertices + 3 * (size_t)v, moved[3];
            v3_store(moved, v3_add(m3_mul_v3(&a, v3_load(p)), b));
            if (moving)
                memcpy(p, moved, sizeof moved);
            else if (!mus_are_lengths(v3_load(moved)))
                return mus_fail(MUS_STATUS_INVALID,
                                "mesh: the transform takes vertex %d to {%s, %s, %s}, which must lie within +-%g m",
                                v + 1, mus_word_of_number(moved[0]).text, mus_word_of_number(moved[1]).text,
                                mus_word_of_number(moved[2]).text, MUS_LARGEST_LENGTH);
        }
    return MUS_STATUS_OK;
}

double mus_mesh_get_area(const mus_mesh *mesh) {
    double twice = 0;
    for (int32_t f = 0; f < mesh->face_count; f++) {
        const int32_t *face = mesh->faces + 3 * (size_t)f;
        v3 a = v3_load(mesh->vertices + 3 * (size_t)face[0]);
        v3 b = v3_load(mesh->vertices + 3 * (size_t)face[1]);
        v3 c = v3_load(mesh->vertices + 3 * (size_t)face[2]);
        twice += v3_length(v3_cross(v3_sub(b, a), v3_sub(c, a)));
    }
    return 0.5 * twice;
}
