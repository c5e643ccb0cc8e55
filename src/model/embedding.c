/* embedding.c: where a fine mesh is that follows the faces of a cloth: barycentric points of faces, and offsets in
 * frames of interpolated normals. */
#include "model/embedding.h"

static v3 interpolate(const double *values, const int32_t *corner, const double weight[3]) {
    v3 sum = v3_scale(weight[0], v3_load(values + 3 * (size_t)corner[0]));
    for (int k = 1; k < 3; k++) sum = v3_axpy(weight[k], v3_load(values + 3 * (size_t)corner[k]), sum);
    return sum;
}

void mus_embedding_frame(const mus_cloth *cloth, int32_t face, const double weight[3], v3 frame[3]) {
    const int32_t *corner = cloth->faces + 3 * (size_t)face;
    v3 a = v3_load(cloth->x + 3 * (size_t)corner[0]);
    v3 along = v3_sub(v3_load(cloth->x + 3 * (size_t)corner[1]), a);
    v3 own = v3_normalized(v3_cross(along, v3_sub(v3_load(cloth->x + 3 * (size_t)corner[2]), a)));
    frame[2] = v3_normalized(interpolate(cloth->normals, corner, weight));
    if (!(v3_dot(frame[2], own) > 0.1)) frame[2] = own; /* a sharp fold: the mean normal has no meaning */
    frame[1] = v3_normalized(v3_axpy(-v3_dot(along, frame[2]), frame[2], along));
    frame[0] = v3_cross(frame[1], frame[2]);
}

void mus_embedding_update(const mus_cloth *cloth) {
    mus_embedding *e = cloth->embedding;
    for (int32_t i = 0; i < e->mesh->vertex_count; i++) {
        const mus_embedded_vertex *vertex = &e->vertices[i];
        v3 frame[3], x = interpolate(cloth->x, cloth->faces + 3 * (size_t)vertex->face, vertex->weight);
        mus_embedding_frame(cloth, vertex->face, vertex->weight, frame);
        for (int k = 0; k < 3; k++) x = v3_axpy(vertex->offset[k], frame[k], x);
        v3_store(e->mesh->vertices + 3 * (size_t)i, x);
    }
}

void mus_embedding_free(mus_embedding *embedding) {
    if (!embedding) return;
    mus_mesh_destroy(embedding->mesh);
    mus_free(embedding->vertices);
    mus_free(embedding);
}
