/* elementary.h: elementary tests of the classic pipelines: does this vertex meet this face, this edge that edge,
 * between two positions of a step? One object a stage, named in stages.inc. */
#ifndef MUS_NARROW_ELEMENTARY_H
#define MUS_NARROW_ELEMENTARY_H

#include "base/vec.h"
#include "muslin.h"

/* Points in the order v f0 f1 f2 (vertex–face) or a0 a1 b0 b1 (edge–edge), on straight lines over a share 0..1 of the
 * step. */
typedef struct mus_elementary_query {
    v3 x0[4], x1[4];  /* m */
    double radius;    /* m: of exact shapes (0: there is none): their surface is this far from their features */
    double held;      /* m: gap that a test with `holds` set keeps, beyond the radius */
    double tolerance; /* m: of such a test */
    double thickness; /* m */
    v3 axis;          /* of such a test: a direction that settled the pair last; what settled it now */
} mus_elementary_query;

typedef struct mus_elementary_hit {
    double toi;       /* share of the step, 0..1 */
    double weight[4]; /* sum of weight x is the vector from side B to side A (see mus_candidate_nearest) */
    v3 normal;        /* unit, from side B to side A before they meet; zero: the geometry gives none */
} mus_elementary_hit;

typedef struct mus_elementary {
    const char *name;
    bool (*vertex_face)(mus_elementary_query *query, mus_elementary_hit *hit);
    bool (*edge_edge)(mus_elementary_query *query, mus_elementary_hit *hit);
    bool at_start; /* judges positions at the start of the step alone, whatever the motion */
    bool holds;    /* keeps a gap, and misses nothing */
} mus_elementary;

/* PRO 1: earliest root of the coplanarity cubic that passes the inside test. */
extern const mus_elementary mus_elementary_cubic;
/* Certified intervals (ccd.h), keeping the gap `held`. */
extern const mus_elementary mus_elementary_certified;
/* BRI 2.2: nearer than the thickness at the start of the step. */
extern const mus_elementary mus_elementary_proximity;

/* What the tests do about exact shapes, which the sources do not know: certified intervals at radius + held. */
bool mus_elementary_round(bool edge_edge, mus_elementary_query *query, mus_elementary_hit *hit);

/* cubic.c: roots in [0, 1] of the cubic with these Bernstein coefficients, in order, each to rounding; where it only
 * touches zero within `noise`, that place counts. At most MUS_CUBIC_ROOTS. */
enum { MUS_CUBIC_ROOTS = 7 };
int mus_cubic_roots(const double coefficient[4], double noise, double root[MUS_CUBIC_ROOTS]);
/* Bernstein coefficients over the step of L . (E x G), all three linear in time, and the size of its rounding. */
double mus_cubic_coplanarity(const v3 l[2], const v3 e[2], const v3 g[2], double coefficient[4]);

#endif
