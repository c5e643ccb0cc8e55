/* embed.c: binds a fine mesh to the faces of a cloth where it is created. */
#include "base/range.h"
#include "model/embedding.h"
#include "world/embed.h"
#include "world/overlap/nearest.h"
#include "world/world_state.h"

#include <string.h>

/* A vertex that lies farther from the cloth than this part of the diagonal of the cloth's box is not of it. */
#define FARTHEST 0.25

static mus_status report_far(const char *name, const mus_mesh *mesh, int32_t i, double distance, double bound) {
    const double *x = mus_mesh_get_vertices_const(mesh) + 3 * (size_t)i;
    return mus_fail(MUS_STATUS_INVALID,
                    "cloth '%s': field 'surface': its vertex %d, at (%.4g, %.4g, %.4g) m, lies %.3g m from the mesh, "
                    "more than %.3g m; has it the unit and the place of the mesh?",
                    name, i + 1, x[0], x[1], x[2], distance, bound);
}

mus_status mus_cloth_embed(mus_cloth *cloth, const mus_mesh *mesh) {
    mus_status status =
        mus_check_places("cloth: field 'surface'", mus_mesh_get_vertices_const(mesh), mus_mesh_get_vertex_count(mesh));
    if (status != MUS_STATUS_OK) return status;
    mus_embedding *e = mus_new(sizeof *e);
    if (!e) return MUS_STATUS_NO_MEMORY;
    cloth->embedding = e; /* freed with the cloth, also if this fails */
    int32_t count = mus_mesh_get_vertex_count(mesh);
    e->vertices = mus_new((size_t)count * sizeof *e->vertices);
    status = mus_mesh_copy(mesh, &e->mesh);
    if (status == MUS_STATUS_OK && !e->vertices) status = MUS_STATUS_NO_MEMORY;
    if (status == MUS_STATUS_OK) status = mus_cloth_compute_normals(cloth);
    mus_audit_object coarse = {.vertices = cloth->x, .faces = cloth->faces, .vertex_count = cloth->vertex_count};
    coarse.face_count = cloth->face_count, coarse.shape = MUS_SHAPE_MESH;
    mus_audit_tree tree = {0};
    if (status == MUS_STATUS_OK) status = mus_audit_tree_build(cloth->x, cloth->faces, cloth->face_count, &tree);
    mus_box box = mus_box_of_points(cloth->x, cloth->vertex_count);
    double bound = FARTHEST * v3_length(mus_box_size(&box));
    for (int32_t i = 0; status == MUS_STATUS_OK && i < count; i++) {
        v3 p = v3_load(mus_mesh_get_vertices_const(mesh) + 3 * (size_t)i);
        mus_nearest_point near = mus_nearest_on_mesh(&coarse, &tree, p, INFINITY);
        if (near.face < 0 || !(near.distance2 <= bound * bound)) {
            status = report_far(cloth->name, mesh, i, sqrt(near.distance2), bound);
            break;
        }
        mus_embedded_vertex *vertex = &e->vertices[i];
        vertex->face = near.face;
        v3 frame[3];
        memcpy(vertex->weight, near.weight, sizeof vertex->weight);
        mus_embedding_frame(cloth, near.face, near.weight, frame);
        for (int k = 0; k < 3; k++) vertex->offset[k] = v3_dot(near.from, frame[k]);
    }
    mus_audit_tree_free(&tree);
    return status;
}

const mus_mesh *mus_cloth_get_surface_mesh(mus_world *world, mus_cloth_id id) {
    mus_cloth *cloth = mus_world_find_cloth(world, id);
    if (!cloth || !cloth->embedding || mus_cloth_compute_normals(cloth) != MUS_STATUS_OK) return NULL;
    mus_embedding_update(cloth);
    return cloth->embedding->mesh;
}

mus_status mus_cloth_spread_to_surface(const mus_world *world, mus_cloth_id id, int components, const double *values,
                                       double *spread) {
    const mus_cloth *cloth = mus_world_find_cloth(world, id);
    if (!cloth) return MUS_STATUS_STALE;
    if (!cloth->embedding) return mus_fail(MUS_STATUS_INVALID, "cloth '%s' has no surface mesh", cloth->name);
    for (int32_t i = 0; i < cloth->embedding->mesh->vertex_count; i++) {
        const mus_embedded_vertex *vertex = &cloth->embedding->vertices[i];
        const int32_t *corner = cloth->faces + 3 * (size_t)vertex->face;
        for (int c = 0; c < components; c++) {
            double sum = 0;
            for (int k = 0; k < 3; k++) sum += vertex->weight[k] * values[components * (int64_t)corner[k] + c];
            spread[components * (int64_t)i + c] = sum;
        }
    }
    return MUS_STATUS_OK;
}
