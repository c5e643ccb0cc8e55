/* topology.h: edges, hinges and boundary of a triangle mesh, numbered in a fixed order. */
#ifndef MUS_MESH_TOPOLOGY_H
#define MUS_MESH_TOPOLOGY_H

#include <stdint.h>

#include "muslin/status.h"

typedef struct mus_topology {
    int32_t vertex_count, edge_count, face_count, hinge_count, boundary_edge_count;
    int32_t *edges; /* edge_count x 2, lower vertex first; numbered in the order of first appearance in the faces */
    int32_t *face_edges;  /* face_count x 3: edge k of a face joins its corners k and (k+1)%3 */
    int32_t *edge_faces;  /* edge_count x 2: second is -1 on the boundary */
    int32_t *hinges;      /* hinge_count x 4: common edge a b, then the opposite corners of its first and second face */
    int32_t *hinge_edges; /* hinge_count: the edge */
} mus_topology;

/* Fails with MUS_STATUS_TOPOLOGY, naming the face (from 1) of a repeated vertex, a repeated face or an edge with a
 * third face. */
mus_status mus_topology_build(const int32_t *faces, int32_t face_count, int32_t vertex_count, mus_topology *topology);
/* Frees all but the edges; counts stay. */
void mus_topology_keep_edges(mus_topology *topology);
void mus_topology_free(mus_topology *topology);

#endif
