/* elementary.h: elementary tests of the classic pipelines: whether a vertex hits a face, or an edge an edge, during a
 * step. One object per stage, named in stages.inc. */
#ifndef MUS_NARROW_ELEMENTARY_H
#define MUS_NARROW_ELEMENTARY_H

#include "narrow/neighborhood.h"

/* Points in the order v f0 f1 f2 (vertex–face) or a0 a1 b0 b1 (edge–edge), on straight lines over times 0..1 of the
 * step. */
typedef struct mus_elementary_query {
    v3 x0[4], x1[4];  /* m */
    double radius;    /* m, of exact shapes: distance of the surface from the features; 0: no exact shape */
    double min_gap;   /* m, beyond the radius: gap kept by a test with is_conservative set */
    double tolerance; /* m, for such a test */
    double thickness; /* m */
    v3 axis;          /* for such a test: in, the direction that last separated the pair; out, the one that does now */
    /* For tests with looks_around set: the vertices of the pair, the number of cloth vertices, all positions. */
    int32_t vertex[4], cloth_count;
    const v3 *all0, *all1;
    const mus_neighborhood *neighborhood;
} mus_elementary_query;

typedef struct mus_elementary_hit {
    double toi;       /* fraction of the step, 0..1 */
    double weight[4]; /* sum of weight x is the vector from side B to side A (see mus_candidate_pair_nearest) */
    v3 normal;        /* unit, from side B to side A before the hit; zero: undefined */
    bool other;       /* the hit is not of the queried pair but of this vertex and face: */
    int32_t vertex[4];
} mus_elementary_hit;

typedef struct mus_elementary {
    const char *name;
    bool (*vertex_face)(mus_elementary_query *query, mus_elementary_hit *hit);
    bool (*edge_edge)(mus_elementary_query *query, mus_elementary_hit *hit);
    bool at_start;        /* tests positions at the start of the step alone, whatever the motion */
    bool is_conservative; /* keeps min_gap, and misses nothing */
    bool clears;   /* also finds pairs that end nearer than the thickness, as do planes and round shapes with it */
    bool distance; /* tests distance alone: a pair that starts too near may be found again after every response */
    bool looks_around;
    bool approximates; /* approximates surfaces to within the query's thickness, which may be less than the pair's */
} mus_elementary;

/* PRO 1: the earliest root of the coplanarity cubic that passes the inside test. */
extern const mus_elementary mus_elementary_cubic;
/* Certified intervals (ccd.h) that keep min_gap. */
extern const mus_elementary mus_elementary_certified;
/* BRI 2.2: nearer than the thickness at the start of the step. */
extern const mus_elementary mus_elementary_proximity;

/* BIG 3.1: a hit is where an edge of the vertex's own faces, from the start of its other end to the end position of the
 * vertex, crosses the face at its start position. The inside test is by the sum of angles, or by the number of
 * crossings. Edge–edge: either edge against the faces of the other. Vertices of obstacles are not tested; a vertex sewn
 * to a corner of a face counts as that corner. */
extern const mus_elementary mus_elementary_edge_plane, mus_elementary_edge_plane_crossing;
/* BIG fig. 6: the same with the path of a vertex in the place of an edge, by the sum of angles. */
extern const mus_elementary mus_elementary_node_plane;
/* AAB 6: the ray from the vertex's start through its end position, against the face at its end position. Vertices of
 * cloth only; no edges. */
extern const mus_elementary mus_elementary_segment_triangle;
/* JUN 3.1, 3.2: spheres about corners and centroid, at the end of the step, with faces split until the radius is within
 * the thickness; edges by the distance of their midpoints, split likewise. */
extern const mus_elementary mus_elementary_spherical;

/* The test against exact shapes, which the sources do not treat: certified intervals at radius + min_gap. */
bool mus_elementary_round(bool edge_edge, mus_elementary_query *query, mus_elementary_hit *hit);
/* The same for tests with `clears` set: also finds pairs that end nearer than the thickness. */
bool mus_elementary_round_near(bool edge_edge, mus_elementary_query *query, mus_elementary_hit *hit);

/* cubic.c: the roots in [0, 1] of the cubic with these Bernstein coefficients, ascending, each accurate to rounding; a
 * point where it only touches zero within `noise` counts too. At most MUS_CUBIC_ROOTS. */
enum { MUS_CUBIC_ROOTS = 7 };
int mus_cubic_roots(const double coefficient[4], double noise, double root[MUS_CUBIC_ROOTS]);
/* Sets the Bernstein coefficients over the step of L . (E x G), all three linear in time; returns the size of their
 * rounding error. */
double mus_cubic_coplanarity(const v3 l[2], const v3 e[2], const v3 g[2], double coefficient[4]);

#endif
