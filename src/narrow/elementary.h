/* elementary.h: elementary tests of the classic pipelines: does this vertex meet this face, this edge that edge,
 * between two positions of a step? One object a stage, named in stages.inc. */
#ifndef MUS_NARROW_ELEMENTARY_H
#define MUS_NARROW_ELEMENTARY_H

#include "narrow/neighborhood.h"

/* Points in the order v f0 f1 f2 (vertex–face) or a0 a1 b0 b1 (edge–edge), on straight lines over a share 0..1 of the
 * step. */
typedef struct mus_elementary_query {
    v3 x0[4], x1[4];  /* m */
    double radius;    /* m: of exact shapes (0: there is none): their surface is this far from their features */
    double min_gap;   /* m: gap that a test with `holds` set keeps, beyond the radius */
    double tolerance; /* m: of such a test */
    double thickness; /* m */
    v3 axis;          /* of such a test: a direction that settled the pair last; what settled it now */
    /* For tests that look around: the pair's own numbers, all positions, how many of them are cloth's. */
    int32_t vertex[4], cloth_count;
    const v3 *all0, *all1;
    const mus_neighborhood *neighborhood;
} mus_elementary_query;

typedef struct mus_elementary_hit {
    double toi;       /* share of the step, 0..1 */
    double weight[4]; /* sum of weight x is the vector from side B to side A (see mus_candidate_pair_nearest) */
    v3 normal;        /* unit, from side B to side A before they meet; zero: the geometry gives none */
    bool other;       /* it is not the pair asked for that meets, but this vertex and face: */
    int32_t vertex[4];
} mus_elementary_hit;

typedef struct mus_elementary {
    const char *name;
    bool (*vertex_face)(mus_elementary_query *query, mus_elementary_hit *hit);
    bool (*edge_edge)(mus_elementary_query *query, mus_elementary_hit *hit);
    bool at_start;        /* judges positions at the start of the step alone, whatever the motion */
    bool is_conservative; /* keeps a gap, and misses nothing */
    bool clears;          /* looks for what ends nearer than the thickness, too: so do planes and round shapes for it */
    bool distance;        /* judges by distance alone: what only starts too near is never done with */
    bool looks_around;
    bool
        approximates; /* surfaces, as finely as the thickness that it is asked with: that may be less than the pair's */
} mus_elementary;

/* PRO 1: earliest root of the coplanarity cubic that passes the inside test. */
extern const mus_elementary mus_elementary_cubic;
/* Certified intervals (ccd.h), keeping the gap `held`. */
extern const mus_elementary mus_elementary_certified;
/* BRI 2.2: nearer than the thickness at the start of the step. */
extern const mus_elementary mus_elementary_proximity;

/* BIG 3.1: an edge of the vertex' own faces, from where its other end started to where the vertex ends, crosses the
 * face where that started; inside by the sum of angles, or by the number of crossings. Edge–edge: either edge against
 * the faces of the other. Vertices of obstacles are not asked about; what is sewn to a corner of a face stands for that
 * corner. */
extern const mus_elementary mus_elementary_edge_plane, mus_elementary_edge_plane_crossing;
/* AAB 6: the ray from where the vertex was through where it ends, against the face at the end. Only vertices of cloth;
 * no edges. */
extern const mus_elementary mus_elementary_segment_triangle;
/* JUN 3.1, 3.2: spheres about corners and centroid, at the end of the step, with faces split until the radius is within
 * the thickness; edges by the distance of their midpoints, halved likewise. */
extern const mus_elementary mus_elementary_spherical;

/* What the tests do about exact shapes, which the sources do not know: certified intervals at radius + held. */
bool mus_elementary_round(bool edge_edge, mus_elementary_query *query, mus_elementary_hit *hit);
/* The same for tests that clear: also what ends nearer than the thickness. */
bool mus_elementary_round_near(bool edge_edge, mus_elementary_query *query, mus_elementary_hit *hit);

/* cubic.c: roots in [0, 1] of the cubic with these Bernstein coefficients, in order, each to rounding; where it only
 * touches zero within `noise`, that place counts. At most MUS_CUBIC_ROOTS. */
enum { MUS_CUBIC_ROOTS = 7 };
int mus_cubic_roots(const double coefficient[4], double noise, double root[MUS_CUBIC_ROOTS]);
/* Bernstein coefficients over the step of L . (E x G), all three linear in time, and the size of its rounding. */
double mus_cubic_coplanarity(const v3 l[2], const v3 e[2], const v3 g[2], double coefficient[4]);

#endif
