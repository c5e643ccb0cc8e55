/* polyline.c: the vertices of a mesh along a line. */
#include "base/memory.h"
#include "base/vec.h"
#include "base/word.h"
#include "mesh/mesh.h"

#include <math.h>

/* The first point of the polyline, as segment + share of it, within `tolerance` of p; -1: none. */
static double find_place(const double *points, int32_t count, v3 p, double tolerance) {
    for (int32_t i = 0; i + 1 < count; i++) {
        v3 a = v3_load(points + 3 * (size_t)i), d = v3_sub(v3_load(points + 3 * (size_t)i + 3), a), from = v3_sub(p, a);
        double length2 = v3_length2(d), t = length2 > 0 ? fmax(0, fmin(1, v3_dot(from, d) / length2)) : 0;
        if (v3_length(v3_axpy(-t, d, from)) <= tolerance) return i + t;
    }
    return -1;
}

mus_status mus_mesh_find_polyline(const mus_mesh *mesh, const double *points, int32_t count, double tolerance,
                                  int32_t *vertices, int32_t *found) {
    *found = 0;
    if (count < 2) return mus_fail(MUS_STATUS_INVALID, "mesh:polyline: needs at least 2 points (got %d)", count);
    if (!(tolerance >= 0) || !isfinite(tolerance))
        return mus_fail(MUS_STATUS_INVALID, "mesh:polyline: tolerance must be >= 0 m (got %s)",
                        mus_word_of_number(tolerance).text);
    int32_t n = mus_mesh_get_vertex_count(mesh);
    const double *x = mus_mesh_get_vertices_const(mesh);
    double *places = mus_new((size_t)n * sizeof *places);
    if (!places) return MUS_STATUS_NO_MEMORY;
    for (int32_t v = 0; v < n; v++) {
        double place = find_place(points, count, v3_load(x + 3 * (size_t)v), tolerance);
        if (place < 0) continue;
        int32_t k = (*found)++; /* few: insertion keeps them in order */
        for (; k > 0 && places[k - 1] > place; k--) places[k] = places[k - 1], vertices[k] = vertices[k - 1];
        places[k] = place, vertices[k] = v;
    }
    mus_free(places);
    return MUS_STATUS_OK;
}
