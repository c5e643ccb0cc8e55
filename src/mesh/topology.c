/* topology.c: finds the neighbors across edges; rejects what is not a surface, with the number of the face. */
#include "mesh/topology.h"

#include "base/memory.h"
#include "mesh/edges.h"

#include <string.h>

static bool same_corners(const int32_t *f, const int32_t *g) {
    for (int i = 0; i < 3; i++)
        if (f[i] != g[0] && f[i] != g[1] && f[i] != g[2]) return false;
    return true; /* both have three different corners */
}

/* Attaches face f, which has three different corners in range. A face with the same corners has the same first edge. */
static mus_status attach(const int32_t *faces, int32_t f, mus_topology *t) {
    const int32_t *face = faces + 3 * (size_t)f;
    const int32_t *first = t->edge_faces + 2 * (size_t)t->face_edges[3 * (size_t)f];
    for (int side = 0; side < 2; side++) {
        int32_t g = first[side];
        if (g >= 0 && same_corners(face, faces + 3 * (size_t)g))
            return mus_fail(MUS_STATUS_TOPOLOGY,
                            "mesh: face %d repeats face %d (vertices %d %d %d); remove one of them", f + 1, g + 1,
                            face[0] + 1, face[1] + 1, face[2] + 1);
    }
    for (int k = 0; k < 3; k++) {
        int32_t edge = t->face_edges[3 * (size_t)f + k];
        int32_t *sides = t->edge_faces + 2 * (size_t)edge;
        if (sides[1] >= 0)
            return mus_fail(MUS_STATUS_TOPOLOGY,
                            "mesh: face %d is a third face at the edge of vertices %d and %d, which faces %d and %d "
                            "share already; split the mesh there so that an edge has at most two faces",
                            f + 1, t->edges[2 * (size_t)edge] + 1, t->edges[2 * (size_t)edge + 1] + 1, sides[0] + 1,
                            sides[1] + 1);
        sides[sides[0] < 0 ? 0 : 1] = f;
    }
    return MUS_STATUS_OK;
}

static mus_status check_corners(const int32_t *face, int32_t f, int32_t vertex_count) {
    for (int k = 0; k < 3; k++)
        if (face[k] < 0 || face[k] >= vertex_count)
            return mus_fail(MUS_STATUS_INVALID, "mesh: face %d names vertex %lld, but the vertices are 1 to %d", f + 1,
                            (long long)face[k] + 1, vertex_count);
    for (int k = 0; k < 3; k++)
        if (face[k] == face[(k + 1) % 3])
            return mus_fail(MUS_STATUS_TOPOLOGY,
                            "mesh: face %d has vertex %d twice (vertices %d %d %d); remove the face or give it three "
                            "different vertices",
                            f + 1, face[k] + 1, face[0] + 1, face[1] + 1, face[2] + 1);
    return MUS_STATUS_OK;
}

/* The corner of a face that is not on its edge. */
static int32_t opposite(const int32_t *face, int32_t a, int32_t b) {
    for (int k = 0; k < 2; k++)
        if (face[k] != a && face[k] != b) return face[k];
    return face[2];
}

static mus_status list_hinges(const int32_t *faces, mus_topology *t) {
    t->hinge_count = t->edge_count - t->boundary_edge_count;
    if (t->hinge_count == 0) return MUS_STATUS_OK;
    t->hinges = mus_new((size_t)t->hinge_count * 4 * sizeof *t->hinges);
    t->hinge_edges = mus_new((size_t)t->hinge_count * sizeof *t->hinge_edges);
    if (!t->hinges || !t->hinge_edges) return MUS_STATUS_NO_MEMORY;
    int32_t *hinge = t->hinges;
    int32_t count = 0;
    for (int32_t e = 0; e < t->edge_count; e++) {
        const int32_t *sides = t->edge_faces + 2 * (size_t)e;
        if (sides[1] < 0) continue;
        int32_t a = t->edges[2 * (size_t)e], b = t->edges[2 * (size_t)e + 1];
        hinge[0] = a;
        hinge[1] = b;
        hinge[2] = opposite(faces + 3 * (size_t)sides[0], a, b);
        hinge[3] = opposite(faces + 3 * (size_t)sides[1], a, b);
        hinge += 4;
        t->hinge_edges[count++] = e;
    }
    return MUS_STATUS_OK;
}

mus_status mus_topology_build(const int32_t *faces, int32_t face_count, int32_t vertex_count, mus_topology *topology) {
    memset(topology, 0, sizeof *topology);
    mus_topology t = {.vertex_count = vertex_count, .face_count = face_count};
    mus_edge_list list;
    mus_status status = mus_edge_list_build(faces, face_count, &list);
    if (status != MUS_STATUS_OK) return status;
    t.edges = list.edges; /* ownership moves to the topology */
    t.face_edges = list.face_edges;
    t.edge_count = list.edge_count;
    if (t.edge_count > 0) {
        t.edge_faces = mus_new((size_t)t.edge_count * 2 * sizeof *t.edge_faces);
        if (!t.edge_faces)
            status = MUS_STATUS_NO_MEMORY;
        else
            memset(t.edge_faces, -1, (size_t)t.edge_count * 2 * sizeof *t.edge_faces);
    }
    for (int32_t f = 0; status == MUS_STATUS_OK && f < face_count; f++) {
        status = check_corners(faces + 3 * (size_t)f, f, vertex_count);
        if (status == MUS_STATUS_OK) status = attach(faces, f, &t);
    }
    if (status == MUS_STATUS_OK) {
        for (int32_t e = 0; e < t.edge_count; e++)
            if (t.edge_faces[2 * (size_t)e + 1] < 0) t.boundary_edge_count++;
        status = list_hinges(faces, &t);
    }
    if (status != MUS_STATUS_OK) {
        mus_topology_free(&t);
        return status;
    }
    *topology = t;
    return MUS_STATUS_OK;
}

void mus_topology_keep_edges(mus_topology *topology) {
    int32_t **others[] = {&topology->face_edges, &topology->edge_faces, &topology->hinges, &topology->hinge_edges};
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
        mus_free(*others[k]);
        *others[k] = NULL;
    }
}

void mus_topology_free(mus_topology *topology) {
    mus_free(topology->edges);
    mus_free(topology->face_edges);
    mus_free(topology->edge_faces);
    mus_free(topology->hinges);
    mus_free(topology->hinge_edges);
    memset(topology, 0, sizeof *topology);
}
