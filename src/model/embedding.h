/* embedding.h: a fine mesh that follows the faces of a cloth, for pictures and files. */
#ifndef MUS_MODEL_EMBEDDING_H
#define MUS_MODEL_EMBEDDING_H

#include "model/cloth.h"
#include "mesh/mesh.h"

/* A vertex of the mesh: a point of a face, and its offset from there in the frame of mus_embedding_frame, m. */
typedef struct mus_embedded_vertex {
    int32_t face;
    double weight[3]; /* of the face's corners */
    double offset[3];
} mus_embedded_vertex;

struct mus_embedding {
    mus_mesh *mesh;                /* its vertices are those of the last update */
    mus_embedded_vertex *vertices; /* one for each of them */
};

/* Unit vectors at a point of a face, from the positions and normals of its corners: across the first edge within the
 * tangent plane, along it, and the interpolated normal. */
void mus_embedding_frame(const mus_cloth *cloth, int32_t face, const double weight[3], v3 frame[3]);
/* Moves the mesh to where the cloth is now, whose normals must be those of its positions. */
void mus_embedding_update(const mus_cloth *cloth);
void mus_embedding_free(mus_embedding *embedding); /* NULL is allowed */

#endif
