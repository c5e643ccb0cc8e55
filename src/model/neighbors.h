/* neighbors.h: finds vertices of a cloth that are nearer to each other along the cloth than its thickness, at rest. */
#ifndef MUS_MODEL_NEIGHBORS_H
#define MUS_MODEL_NEIGHBORS_H

#include "model/cloth.h"

/* Least distance of two features, as a share of the distance of their vertices along the cloth at rest: mesh
 * neighbors nearer than the thickness are not separated to it. The share leaves a mesh room to bend, and a face's
 * height is less than its edges. */
#define MUS_NEIGHBOR_SHARE 0.6

typedef struct mus_neighbor {
    int32_t vertex;
    float distance; /* m: length at rest of the shortest path along edges */
} mus_neighbor;

/* Of vertex i: list[start[i]] .. list[start[i + 1] - 1], by number, within max_distance; empty for most cloths. */
typedef struct mus_neighbors {
    int32_t *start; /* vertex_count + 1 */
    MUS_ARRAY(mus_neighbor) list;
} mus_neighbors;

/* Paths between vertices, and their lengths at rest. */
typedef struct mus_ways {
    int32_t vertex_count, edge_count;
    int32_t *edges; /* edge_count x 2 */
    double *lengths;
    /* m: thickness at each vertex, and the largest of all: a search goes as far as the thickness of a pair there and
     * elsewhere may be. NULL: max_distance */
    const double *max_thicknesses;
    double thickest;
} mus_ways;

/* Appends the vertices of a cloth to those of the cloths before it; `first` is its first vertex' number, start has
 * room for first + vertex_count + 1. */
mus_status mus_neighbors_add(mus_neighbors *neighbors, const mus_cloth *cloth, int32_t first, double max_distance);
/* The same from paths alone; `name` is for a message. */
mus_status mus_neighbors_add_ways(mus_neighbors *neighbors, const mus_ways *ways, const char *name, int32_t first,
                                  double max_distance);
void mus_neighbors_free(mus_neighbors *neighbors);

/* Length of the path between two vertices, INFINITY beyond max_distance. */
double mus_neighbors_distance(const mus_neighbors *neighbors, int32_t a, int32_t b);

#endif
