/* subdivide.c: splits every face into four at the midpoints of its edges; old vertices keep their numbers. */
#include "mesh/mesh.h"

#include "base/memory.h"
#include "base/vec.h"
#include "mesh/edges.h"

#include <string.h>

/* Corner triangles come first, each beginning at its old corner, then the middle one. `base` is the number of the first
 * midpoint. */
static void split_faces(const int32_t *faces, int32_t face_count, const int32_t *face_edges, int32_t base,
                        int32_t *out) {
    for (int32_t f = 0; f < face_count; f++, out += 12) {
        const int32_t *v = faces + 3 * (size_t)f;
        int32_t m[3];
        for (int k = 0; k < 3; k++) m[k] = base + face_edges[3 * (size_t)f + k];
        const int32_t four[12] = {v[0], m[0], m[2], v[1], m[1], m[0], v[2], m[2], m[1], m[0], m[1], m[2]};
        memcpy(out, four, sizeof four);
    }
}

static void append_midpoints(double *points, int32_t count, int components, const mus_edge_list *list) {
    double *out = points + (size_t)count * (size_t)components;
    for (int32_t e = 0; e < list->edge_count; e++) {
        const double *a = points + (size_t)list->edges[2 * (size_t)e] * (size_t)components;
        const double *b = points + (size_t)list->edges[2 * (size_t)e + 1] * (size_t)components;
        for (int k = 0; k < components; k++) *out++ = 0.5 * a[k] + 0.5 * b[k]; /* cannot overflow */
    }
}

static mus_status subdivide_once(const mus_mesh *mesh, mus_mesh **out) {
    mus_edge_list list = {0}, uv_list = {0};
    mus_status status = mus_edge_list_build(mesh->faces, mesh->face_count, &list);
    if (status == MUS_STATUS_OK && mesh->uvs) status = mus_edge_list_build(mesh->uv_faces, mesh->face_count, &uv_list);
    mus_mesh *fine = NULL;
    int64_t vertices = (int64_t)mesh->vertex_count + list.edge_count;
    int64_t uvs = (int64_t)mesh->uv_count + uv_list.edge_count;
    if (status == MUS_STATUS_OK && (vertices > INT32_MAX || uvs > INT32_MAX))
        status =
            mus_fail(MUS_STATUS_INVALID,
                     "mesh.subdivide: field 'rounds' is too large for this mesh (%lld vertices would be needed, at "
                     "most %d can be numbered)",
                     (long long)(vertices > uvs ? vertices : uvs), INT32_MAX);
    if (status == MUS_STATUS_OK) {
        fine = mus_mesh_new((int32_t)vertices, mesh->face_count * 4, (int32_t)uvs);
        status = fine ? mus_mesh_take_stitches(fine, mesh->stitches, mesh->stitch_count) : MUS_STATUS_NO_MEMORY;
        if (status == MUS_STATUS_OK) status = mus_mesh_take_groups(fine, mesh->groups, mesh->group_count, 4);
        if (status != MUS_STATUS_OK) mus_mesh_destroy(fine), fine = NULL;
    }
    if (fine) {
        memcpy(fine->vertices, mesh->vertices, (size_t)mesh->vertex_count * 3 * sizeof(double));
        append_midpoints(fine->vertices, mesh->vertex_count, 3, &list);
        split_faces(mesh->faces, mesh->face_count, list.face_edges, mesh->vertex_count, fine->faces);
        if (mesh->uvs) {
            memcpy(fine->uvs, mesh->uvs, (size_t)mesh->uv_count * 2 * sizeof(double));
            append_midpoints(fine->uvs, mesh->uv_count, 2, &uv_list);
            split_faces(mesh->uv_faces, mesh->face_count, uv_list.face_edges, mesh->uv_count, fine->uv_faces);
        }
        *out = fine;
    }
    mus_edge_list_free(&list);
    mus_edge_list_free(&uv_list);
    return status;
}

mus_status mus_mesh_subdivide(const mus_mesh *mesh, int32_t rounds, mus_mesh **out) {
    *out = NULL;
    if (rounds < 0) return mus_fail(MUS_STATUS_INVALID, "mesh.subdivide: field 'rounds' must be >= 0 (got %d)", rounds);
    int64_t faces = mesh->face_count;
    for (int32_t r = 0; r < rounds; r++) {
        faces *= 4;
        if (faces > MUS_MESH_MAX_FACES)
            return mus_fail(MUS_STATUS_INVALID,
                            "mesh.subdivide: field 'rounds' must be at most %d for a mesh of %d faces (got %d)", r,
                            mesh->face_count, rounds);
    }
    mus_mesh *current;
    mus_status status = mus_mesh_copy(mesh, &current);
    for (int32_t r = 0; status == MUS_STATUS_OK && r < rounds; r++) {
        mus_mesh *fine = NULL;
        status = subdivide_once(current, &fine);
        mus_mesh_destroy(current);
        current = fine;
    }
    if (status == MUS_STATUS_OK) *out = current;
    return status;
}
