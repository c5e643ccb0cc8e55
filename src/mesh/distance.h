/* distance.h: nearest points of the two elementary pairs, on differences of positions so that a scene far from the
 * origin loses nothing. */
#ifndef MUS_MESH_DISTANCE_H
#define MUS_MESH_DISTANCE_H

#include "base/vec.h"

/* m^2. Squared lengths below this may have lost digits to underflow: such an edge is treated as a point (it is shorter
 * than 1e-140 m). */
#define MUS_DISTANCE_TINY 1e-280

/* Vertex p and face a b c. Returns d = p - nearest point; weights of a b c in w[3] (sum 1, each in [0, 1]). */
v3 mus_nearest_vertex_face(v3 p, v3 a, v3 b, v3 c, double w[3]);

/* Edges a0 a1 and b0 b1. Returns d = (nearest point on b) - (nearest point on a); places along the edges in w[2],
 * 0..1: (1 - w[0]) a0 + w[0] a1 and (1 - w[1]) b0 + w[1] b1. */
v3 mus_nearest_edge_edge(v3 a0, v3 a1, v3 b0, v3 b1, double w[2]);

#endif
