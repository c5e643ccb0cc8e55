/* neighbours.h: which vertices of a cloth lie nearer to each other along the cloth than its thickness, at rest. */
#ifndef MUS_MODEL_NEIGHBOURS_H
#define MUS_MODEL_NEIGHBOURS_H

#include "model/cloth.h"

/* Least distance of two features, as a share of how far their vertices lie apart along the cloth at rest: mesh
 * neighbours are not pushed apart because the cloth is thicker than they are far. The share leaves a mesh room to bend,
 * and a face's height is less than its edges. */
#define MUS_NEIGHBOUR_SHARE 0.6

typedef struct mus_neighbour {
    int32_t vertex;
    float distance; /* m: length at rest of the shortest way along edges */
} mus_neighbour;

/* Of vertex i: list[start[i]] .. list[start[i + 1] - 1], by number, within `reach`; most cloths have none. */
typedef struct mus_neighbours {
    int32_t *start; /* vertex_count + 1 */
    MUS_ARRAY(mus_neighbour) list;
} mus_neighbours;

/* Ways between vertices, and their lengths at rest. */
typedef struct mus_ways {
    int32_t vertex_count, edge_count;
    int32_t *edges; /* edge_count x 2 */
    double *lengths;
} mus_ways;

/* Appends the vertices of a cloth to those of the cloths before it; `first` is its first vertex' number, start holds
 * room for first + vertex_count + 1. */
mus_status mus_neighbours_add(mus_neighbours *neighbours, const mus_cloth *cloth, int32_t first, double reach);
/* The same by the ways alone; `name` is for a message. */
mus_status mus_neighbours_add_ways(mus_neighbours *neighbours, const mus_ways *ways, const char *name, int32_t first,
                                   double reach);
void mus_neighbours_free(mus_neighbours *neighbours);

/* Length of the way between two vertices, INFINITY beyond reach. */
double mus_neighbours_distance(const mus_neighbours *neighbours, int32_t a, int32_t b);

#endif
