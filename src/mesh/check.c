/* check.c: checks whether a mesh is a surface that can be simulated, and counts its components and boundary loops. */
#include "base/range.h"
#include "base/union_find.h"
#include "mesh/mesh.h"

#include "base/memory.h"
#include "base/vec.h"
#include "mesh/topology.h"

#include <float.h>
#include <string.h>

/* Coordinates are rounded, so corners meant to be on a line are off it by up to an ulp or so of the largest coordinate,
 * and the cross product adds a few ulps of the longest edge: a face whose height over its longest edge is smaller has
 * no meaningful direction. Everything is scaled to the face's size first, so that neither very small nor very large
 * faces under- or overflow. */
static bool has_no_area(v3 a, v3 b, v3 c) {
    v3 ab = v3_sub(b, a), bc = v3_sub(c, b), ca = v3_sub(a, c);
    double size = fmax(v3_max_abs(ab), fmax(v3_max_abs(bc), v3_max_abs(ca)));
    if (!(size > 0)) return true;
    if (!isfinite(size)) return false;
    v3 edge[3] = {v3_make(ab.x / size, ab.y / size, ab.z / size), v3_make(bc.x / size, bc.y / size, bc.z / size),
                  v3_make(ca.x / size, ca.y / size, ca.z / size)};
    double longest = 0;
    int k = 0;
    for (int i = 0; i < 3; i++) {
        double length = v3_length(edge[i]);
        if (length > longest) longest = length, k = i;
    }
    /* The two shorter edges meet opposite the longest: cancellation in their product is the smallest. */
    double height = v3_length(v3_cross(edge[(k + 1) % 3], edge[(k + 2) % 3])) / longest;
    double relative_extent = fmax(v3_max_abs(a), fmax(v3_max_abs(b), v3_max_abs(c))) / size;
    return height <= 4 * DBL_EPSILON * fmax(1, relative_extent);
}

/* Lengths at rest, areas and masses are computed from edges. */
static bool has_a_short_edge(v3 a, v3 b, v3 c) {
    return !(v3_max_abs(v3_sub(b, a)) >= MUS_SMALLEST_LENGTH && v3_max_abs(v3_sub(c, b)) >= MUS_SMALLEST_LENGTH &&
             v3_max_abs(v3_sub(a, c)) >= MUS_SMALLEST_LENGTH);
}

static mus_status check_faces(const mus_mesh *mesh) {
    mus_status status = mus_check_places("mesh", mesh->vertices, mesh->vertex_count);
    for (int32_t f = 0; f < mesh->face_count && status == MUS_STATUS_OK; f++) {
        const int32_t *face = mesh->faces + 3 * (size_t)f;
        if (has_no_area(v3_load(mesh->vertices + 3 * (size_t)face[0]), v3_load(mesh->vertices + 3 * (size_t)face[1]),
                        v3_load(mesh->vertices + 3 * (size_t)face[2])))
            return mus_fail(MUS_STATUS_TOPOLOGY,
                            "mesh: face %d (vertices %d %d %d) has no area, its corners lie on a line within rounding; "
                            "move a vertex or remove the face",
                            f + 1, face[0] + 1, face[1] + 1, face[2] + 1);
        if (has_a_short_edge(v3_load(mesh->vertices + 3 * (size_t)face[0]),
                             v3_load(mesh->vertices + 3 * (size_t)face[1]),
                             v3_load(mesh->vertices + 3 * (size_t)face[2])))
            return mus_fail(MUS_STATUS_TOPOLOGY,
                            "mesh: face %d (vertices %d %d %d) has an edge shorter than %g m; scale the mesh, lengths "
                            "are in meters",
                            f + 1, face[0] + 1, face[1] + 1, face[2] + 1, MUS_SMALLEST_LENGTH);
    }
    return status;
}

/* Counts components, which share at least a vertex, and vertices that no face uses. */
static mus_status count_components(const mus_mesh *mesh, mus_mesh_report *report) {
    int32_t *parent = mus_new((size_t)mesh->vertex_count * sizeof *parent);
    if (!parent) return MUS_STATUS_NO_MEMORY;
    for (int32_t v = 0; v < mesh->vertex_count; v++) parent[v] = -1; /* not used */
    for (int64_t k = 0; k < (int64_t)mesh->face_count * 3; k++) parent[mesh->faces[k]] = mesh->faces[k];
    for (int32_t f = 0; f < mesh->face_count; f++) {
        const int32_t *face = mesh->faces + 3 * (size_t)f;
        for (int k = 1; k < 3; k++) mus_union_find_join(parent, face[0], face[k]);
    }
    for (int32_t v = 0; v < mesh->vertex_count; v++) {
        if (parent[v] == v) report->components++;
        if (parent[v] < 0) report->unused_vertices++;
    }
    mus_free(parent);
    return MUS_STATUS_OK;
}

/* Follows the boundary by turning around each vertex from boundary edge to boundary edge, through the faces between, so
 * that two loops that touch in a vertex stay two. Needs no consistent orientation. */
static mus_status count_loops(const mus_topology *t, mus_mesh_report *report) {
    if (t->boundary_edge_count == 0) return MUS_STATUS_OK;
    unsigned char *seen = mus_new((size_t)t->edge_count);
    if (!seen) return MUS_STATUS_NO_MEMORY;
    for (int32_t start = 0; start < t->edge_count; start++) {
        if (seen[start] || t->edge_faces[2 * (size_t)start + 1] >= 0) continue;
        report->boundary_loops++;
        int32_t edge = start, vertex = t->edges[2 * (size_t)start + 1];
        do {
            seen[edge] = 1;
            int32_t face = t->edge_faces[2 * (size_t)edge];
            for (;;) {
                const int32_t *around = t->face_edges + 3 * (size_t)face;
                int32_t next = edge;
                for (int k = 0; k < 3; k++) {
                    const int32_t *ends = t->edges + 2 * (size_t)around[k];
                    if (around[k] != edge && (ends[0] == vertex || ends[1] == vertex)) next = around[k];
                }
                edge = next;
                const int32_t *sides = t->edge_faces + 2 * (size_t)edge;
                if (sides[1] < 0) break;
                face = sides[0] == face ? sides[1] : sides[0];
            }
            const int32_t *ends = t->edges + 2 * (size_t)edge;
            vertex = ends[0] == vertex ? ends[1] : ends[0];
        } while (edge != start);
    }
    mus_free(seen);
    return MUS_STATUS_OK;
}

/* +1 when the face runs from the lower to the higher vertex of its edge, else -1. */
static int direction(const mus_mesh *mesh, const mus_topology *t, int32_t face, int32_t edge) {
    for (int k = 0; k < 3; k++)
        if (t->face_edges[3 * (size_t)face + k] == edge)
            return mesh->faces[3 * (size_t)face + k] == t->edges[2 * (size_t)edge] ? 1 : -1;
    return 0;
}

static bool is_oriented(const mus_mesh *mesh, const mus_topology *t) {
    for (int32_t h = 0; h < t->hinge_count; h++) {
        int32_t edge = t->hinge_edges[h];
        const int32_t *sides = t->edge_faces + 2 * (size_t)edge;
        if (direction(mesh, t, sides[0], edge) == direction(mesh, t, sides[1], edge)) return false;
    }
    return true;
}

mus_status mus_mesh_check(const mus_mesh *mesh, mus_mesh_report *report) {
    mus_mesh_report counts = {0};
    mus_topology t;
    mus_status status = mus_topology_build(mesh->faces, mesh->face_count, mesh->vertex_count, &t);
    if (status != MUS_STATUS_OK) return status;
    status = check_faces(mesh);
    if (status == MUS_STATUS_OK) status = count_components(mesh, &counts);
    if (status == MUS_STATUS_OK) status = count_loops(&t, &counts);
    if (status == MUS_STATUS_OK && report) {
        counts.edges = t.edge_count;
        counts.boundary_edges = t.boundary_edge_count;
        counts.hinges = t.hinge_count;
        counts.closed = t.boundary_edge_count == 0;
        counts.orientable = is_oriented(mesh, &t);
        *report = counts;
    }
    mus_topology_free(&t);
    return status;
}
