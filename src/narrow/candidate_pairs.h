/* candidate_pairs.h: the elementary pairs that could come near during a step, kept as long as no vertex leaves its
 * envelope.
 */
#ifndef MUS_NARROW_CANDIDATE_PAIRS_H
#define MUS_NARROW_CANDIDATE_PAIRS_H

#include "broad/broad.h"
#include "model/assembly.h"

/* Pairs that end within this many thicknesses are kept, so that the next step finds its contacts among them; or, where
 * the step's own are looked for, those that start there too. */
#define MUS_CONTACT_RANGE 1.2

typedef struct mus_candidate_pair {
    int32_t vertex[4]; /* v f0 f1 f2, or a0 a1 b0 b1; edge–edge: side a is cloth */
    float axis[3];     /* one that separated the pair last */
    float gap0;        /* m, at the start of the step: distance less the radius of an exact shape */
    uint32_t checked;  /* the clock when last found clear */
    uint8_t edge_edge;
    int32_t constraint; /* the step's row that stands for it, from 1; 0: none */
} mus_candidate_pair;
typedef MUS_ARRAY(mus_candidate_pair) mus_candidate_pair_list;

/* Nearest points at positions x: d from side B to side A (see weights), weights with sum w x = d; returns |d|.
 * Vertex–face: side A is the vertex; edge–edge: side A is the edge b0 b1. */
double mus_candidate_pair_nearest(const mus_candidate_pair *c, const v3 *x, v3 *d, double weight[4]);
typedef struct mus_nearest {
    v3 d;
    double weight[4], length;
} mus_nearest;
/* The same of many, in lanes: the same bits. */
void mus_candidate_pairs_nearest(const mus_candidate_pair *candidates, int64_t count, const v3 *x, mus_nearest *out);
/* Distances that the pair is held to, m: `radius` of exact shapes, and with it the thickness, which between neighbours
 * in one cloth is no more than a share of their distance at rest. */
double mus_candidate_pair_radius(const mus_assembly *a, const mus_candidate_pair *c);
double mus_candidate_pair_thickness(const mus_assembly *a, const mus_candidate_pair *c);
/* m, beyond the radius: within it a pair of that thickness is near. */
double mus_candidate_pair_range(const mus_assembly *a, const mus_candidate_pair *c, double thickness);

/* Wandering goes by axes: two sides come nearer by no more than this times as far. */
#define MUS_MOTION_BOUND_APPROACH (2 * 1.7320508075688774)

/* Where a step may end. */
typedef struct mus_motion_bounds {
    const v3 *end;       /* m: of every vertex; a cloth's may still wander from there */
    double motion_bound; /* m, per axis */
    bool near;           /* pairs that start within their contact range are kept even where they part */
    bool rigid_bodies;   /* so may a rigid body's */
    /* m, of every vertex: all within that of `end`, where motions too go no further in all, is asked for instead of
     * motions from x0. What passes for some is more than what passes for each of them. NULL: motions. */
    const float *skin_radii;
} mus_motion_bounds;

/* Appends those of the pairs that may come within `wander` of contact between x0 and the envelope. gap0 is filled. Runs
 * on several threads; order is that of the pairs. */
mus_status mus_candidate_pairs_filter(const mus_assembly *a, const mus_pair *pairs, int64_t count,
                                      const mus_motion_bounds *bounds, int threads, mus_candidate_pair_list *list);
/* What one thread has found, of pairs that come in any order. */
typedef struct mus_found {
    mus_candidate_pair_list candidates;
    MUS_ARRAY(struct mus_found_place {
        uint64_t order; /* the pair's */
        int64_t index;  /* in candidates */
    })
    places;
} mus_found;

/* The same on this thread alone, and without room for more than is kept: for parts that other threads work on beside.
 */
mus_status mus_found_filter(const mus_assembly *a, const mus_pair *pairs, int64_t count,
                            const mus_motion_bounds *bounds, mus_found *found);
/* Puts the places in the pairs' order. */
void mus_found_sort(mus_found *found);
/* Appends the candidates in the order of their places, and empties them. */
mus_status mus_found_move(mus_found *found, mus_candidate_pair_list *list);
void mus_found_free(mus_found *found);
/* Those that end (x1) within their contact range: all that the next step can start with as contacts. */
mus_status mus_candidate_pairs_keep_near(const mus_assembly *a, const mus_candidate_pair_list *from, int threads,
                                         mus_candidate_pair_list *to);

#endif
