/* edges.h: numbers the undirected edges of any triangle list in the order of their first appearance. */
#ifndef MUS_MESH_EDGES_H
#define MUS_MESH_EDGES_H

#include <stdint.h>

#include "muslin/status.h"

typedef struct mus_edge_list {
    int32_t edge_count;
    int32_t *edges;      /* edge_count x 2, lower vertex first */
    int32_t *face_edges; /* face_count x 3: edge k of a face joins its corners k and (k+1)%3 */
} mus_edge_list;

/* The triangles may be anything (repeated corners, three faces at an edge): nothing is checked. Fails with NO_MEMORY
 * only. */
mus_status mus_edge_list_build(const int32_t *faces, int32_t face_count, mus_edge_list *list);
void mus_edge_list_free(mus_edge_list *list);

#endif
