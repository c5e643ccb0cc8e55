/* rest.h: rest geometry of a cloth while it is built: positions of the rest mesh, or flat texture coordinates that may
 * be split along seams. */
#ifndef MUS_MODEL_REST_H
#define MUS_MODEL_REST_H

#include "base/vec.h"

#include <stdint.h>

typedef struct rest_shape {
    const double *vertices; /* 3 per vertex, or NULL: the texture is the rest shape */
    const double *uvs;      /* 2 per texture vertex, or NULL */
    const int32_t *faces, *uv_faces;
    const double *stiffness, *bending; /* factors, one a vertex, or NULL */
    const double *shrinkage;           /* share by which lengths are less, one a vertex, or NULL */
} rest_shape;

/* Lengths at rest over those of the rest shape: of a face, and between two vertices. */
static inline double rest_face_scale(const rest_shape *rest, int32_t face) {
    if (!rest->shrinkage) return 1;
    const int32_t *c = rest->faces + 3 * face;
    return 1 - (rest->shrinkage[c[0]] + rest->shrinkage[c[1]] + rest->shrinkage[c[2]]) / 3;
}
static inline double rest_scale_between(const rest_shape *rest, int32_t a, int32_t b) {
    return rest->shrinkage ? 1 - 0.5 * (rest->shrinkage[a] + rest->shrinkage[b]) : 1;
}

/* Means of a map of factors over an element's vertices; 1 without one. */
static inline double rest_factor(const double *map, const int32_t *vertices, int count) {
    double sum = 0;
    for (int k = 0; map && k < count; k++) sum += map[vertices[k]];
    return map ? sum / count : 1;
}

static inline v3 rest_corner(const rest_shape *rest, int32_t face, int corner) {
    if (rest->vertices) return v3_load(rest->vertices + 3 * rest->faces[3 * face + corner]);
    const double *uv = rest->uvs + 2 * rest->uv_faces[3 * face + corner];
    return v3_make(uv[0], uv[1], 0);
}

/* Corner of a face that a vertex is. */
static inline int corner_of(const int32_t *faces, int32_t face, int32_t vertex) {
    for (int k = 0; k < 2; k++)
        if (faces[3 * face + k] == vertex) return k;
    return 2;
}

#endif
