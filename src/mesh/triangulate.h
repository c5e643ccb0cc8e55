/* triangulate.h: triangulations of plane polygons, and vertices inserted into them (Lawson 1977, "Software for C1
 * surface interpolation": the mesh is made locally Delaunay by edge flips after each insertion). */
#ifndef MUS_MESH_TRIANGULATE_H
#define MUS_MESH_TRIANGULATE_H

#include "base/memory.h"
#include "muslin/status.h"

/* Triangles are counterclockwise; edge k of a triangle is opposite its corner k. */
typedef struct mus_triangle {
    int32_t vertex[3];
    int32_t neighbor[3]; /* across edge k; -1: boundary, which is never flipped */
} mus_triangle;

typedef struct mus_kept_edge {
    int32_t vertex, next; /* the other end; the next of the list, -1: none */
} mus_kept_edge;

typedef struct mus_triangulation {
    MUS_ARRAY(double) points; /* 3 per vertex: x, y, x^2 + y^2 from `middle`, rounded; predicates on these are exact */
    MUS_ARRAY(mus_triangle) triangles;
    MUS_ARRAY(int32_t) incident;   /* of a vertex: a triangle that uses it */
    MUS_ARRAY(int32_t) suspects;   /* edges that may have to be flipped: 3 triangle + edge */
    MUS_ARRAY(mus_kept_edge) kept; /* edges that are not flipped: lists of a vertex' other ends */
    MUS_ARRAY(int32_t) kept_first; /* of a vertex, in `kept`; -1: none. Empty, or as long as it was needed */
    double middle[2];              /* m */
    int32_t last;                  /* the triangle found last: searches start there */
} mus_triangulation;

/* Triangulates the polygon whose corners are listed counterclockwise by vertex number; a vertex may occur several
 * times, where bridges to holes start. INVALID (without a message) if it cannot be triangulated. */
mus_status mus_triangulation_begin(mus_triangulation *t, const double *points, int32_t point_count,
                                   const int32_t *corners, int32_t corner_count);
void mus_triangulation_free(mus_triangulation *t);

/* Inserts a vertex at p on the boundary edge that starts at `from`, counterclockwise; *made: its number. INVALID
 * (without a message): the edge's triangle is too thin to be split there. */
mus_status mus_triangulation_split_boundary(mus_triangulation *t, int32_t from, const double p[2], int32_t *made);
/* Inserts a vertex in the interior; one that is outside, or where a vertex is, is skipped (*made = -1). */
mus_status mus_triangulation_insert(mus_triangulation *t, const double p[2], int32_t *made);

/* Whether two vertices have a common edge. */
bool mus_triangulation_has_edge(const mus_triangulation *t, int32_t a, int32_t b);
/* The edge between them, which exists, stays as long as no vertex is put on it. */
mus_status mus_triangulation_keep_edge(mus_triangulation *t, int32_t a, int32_t b);

/* Moves interior vertices (from `first` on) toward the mean of their neighbors as long as no triangle turns over. */
mus_status mus_triangulation_smooth(mus_triangulation *t, int32_t first, int32_t rounds);

#endif
