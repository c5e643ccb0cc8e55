/* query.h: elementary tests of motions and distances. */
#ifndef MUSLIN_QUERY_H
#define MUSLIN_QUERY_H

#include "mesh.h"
#include "status.h"

#include <stdbool.h>
#include <stdint.h>

/* Continuous collision detection on linear motions. t0, t1: 4 points x 3, vertex–face v f0 f1 f2, edge–edge a0 a1 b0
 * b1. Returns true and the earliest time in [0, 1] (never later than the true one; it may be early by the tolerance)
 * at which the distance falls to `thickness` (m, >= 0), false if it stays above. Numbers beyond MUS_LARGEST_LENGTH
 * and NaN give true at time 0, as no collision can be ruled out. Certified intervals: docs/algorithms.md, 10.1. */
MUS_API bool mus_ccd_vertex_face(const double t0[12], const double t1[12], double thickness, double *toi);
/* The same for two edges. */
MUS_API bool mus_ccd_edge_edge(const double t0[12], const double t1[12], double thickness, double *toi);

/* Distances (m); weights of the nearest points may be NULL. */
MUS_API double mus_distance_vertex_face(const double points[12], double face_weights[3]);
MUS_API double mus_distance_edge_edge(const double points[12], double edge_weights[2]); /* along a, along b, 0..1 */
/* Two triangles (9 numbers each) with exact predicates: 0 disjoint, 1 proper crossing, 2 touching or overlapping in
 * a plane. */
MUS_API int mus_intersect_triangles(const double a[9], const double b[9]);

/* Where segments first meet a mesh. from, to: count x 3, m. fractions: of the way to the first face, 0..1, or INFINITY;
 * faces (may be NULL): its index, or -1. A segment meets a face that it touches, unless both lie in one plane; the
 * test's signs are exact, so none passes between faces. INVALID, with both outputs unchanged, for positions that are
 * not finite or out of range (the message names the row, or the vertex). */
MUS_API mus_status mus_mesh_raycast(const mus_mesh *mesh, int64_t count, const double *from, const double *to,
                                    double *fractions, int32_t *faces);

#endif
