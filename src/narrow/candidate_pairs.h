/* candidate_pairs.h: the elementary pairs that may come near during a step, valid while no vertex leaves its motion
 * bound. */
#ifndef MUS_NARROW_CANDIDATE_PAIRS_H
#define MUS_NARROW_CANDIDATE_PAIRS_H

#include "broad/broad.h"
#include "model/assembly.h"

/* Contact range in thicknesses. Pairs that end a step within it are kept, so that the next step finds its contacts
 * among them; so are pairs that start within it if mus_motion_bounds.near is set. */
#define MUS_CONTACT_RANGE 1.2

/* The two sides of a pair, by corner: of `vertex`, and of weights w with sum w x = d, the vector from side B to side A.
 *   vertex–face  corner 0     the vertex              side A  weight 1
 *                corners 1-3  the face                side B  weights -f0, -f1, -f2, barycentric
 *   edge–edge    corners 0-1  the first edge, p0 p1   side B  weights -(1 - s), -s
 *                corners 2-3  the second edge, q0 q1  side A  weights 1 - t, t
 * If one edge is of an obstacle, it is the second: then side B is cloth. */
typedef struct mus_candidate_pair {
    int32_t vertex[4];    /* v f0 f1 f2, or p0 p1 q0 q1 */
    float axis[3];        /* the axis that last separated the pair */
    float gap0;           /* m, at the start of the step: distance less the radius of an exact shape */
    uint32_t clear_since; /* the solver's clock when the pair was last found clear; 0: not tested yet, or colliding */
    uint8_t edge_edge;
    uint8_t rejected;   /* by the filter, while candidate pairs are selected */
    int32_t constraint; /* number of its contact constraint in this step, from 1; 0: none */
} mus_candidate_pair;
typedef MUS_ARRAY(mus_candidate_pair) mus_candidate_pair_list;

/* Result of the last test of a pair, which vertices may have left since: see mus_solver_is_clear. Right after all pairs
 * were tested, those that are not clear would collide. */
static inline bool mus_candidate_pair_was_clear(const mus_candidate_pair *c) {
    return c->clear_since != 0;
}

/* Nearest points at positions x: d from side B to side A, weights with sum w x = d; returns |d|. */
double mus_candidate_pair_nearest(const mus_candidate_pair *c, const v3 *x, v3 *d, double weight[4]);
typedef struct mus_nearest {
    v3 d;
    double weight[4], length;
} mus_nearest;
/* The same for many pairs, in SIMD; bit-identical. */
void mus_candidate_pairs_nearest(const mus_candidate_pair *candidates, int64_t count, const v3 *x, mus_nearest *out);
/* Distances to keep, m: the radius of exact shapes, and the thickness, to be kept beyond the radius. Between neighbors
 * in one cloth the thickness is at most a fraction (MUS_NEIGHBOR_SHARE) of their distance at rest. */
double mus_candidate_pair_radius(const mus_assembly *a, const mus_candidate_pair *c);
double mus_candidate_pair_thickness(const mus_assembly *a, const mus_candidate_pair *c);
/* Contact range (m, beyond the radius) of a pair with that thickness. */
double mus_candidate_pair_range(const mus_assembly *a, const mus_candidate_pair *c, double thickness);

/* The motion bound is per axis: two sides approach each other by at most this factor times it. */
#define MUS_MOTION_BOUND_APPROACH (2 * 1.7320508075688774)

/* Bounds on the positions at the end of a step. */
typedef struct mus_motion_bounds {
    const v3 *end;       /* m, of every vertex; vertices of cloth may move from there by the motion bound */
    double motion_bound; /* m, per axis */
    bool near;           /* retain pairs that start within their contact range, even if they separate */
    bool rigid_bodies;   /* the motion bound applies to vertices of rigid bodies too */
    /* Skin radii (m) of all vertices, for a neighbor list, or NULL. If set, the pairs that may come near with every
     * vertex within its skin radius of `end` are kept, in place of those of the motion from x0. They contain the pairs
     * of every motion that stays within the skin radius. */
    const float *skin_radii;
} mus_motion_bounds;

/* Appends the pairs that may touch between x0 and positions within the motion bound of `end`, or may end within their
 * contact range. Fills gap0. Runs on several threads; keeps the order of the pairs. */
mus_status mus_candidate_pairs_filter(const mus_assembly *a, const mus_pair *pairs, int64_t count,
                                      const mus_motion_bounds *bounds, int threads, mus_candidate_pair_list *list);
/* Candidate pairs found by one thread, from pairs in any order. */
typedef struct mus_found {
    mus_candidate_pair_list candidates;
    MUS_ARRAY(struct mus_found_place {
        uint64_t order; /* of the pair */
        int64_t index;  /* in candidate pairs */
    })
    places;
} mus_found;

/* mus_candidate_pairs_filter on the calling thread alone, with memory only for the pairs that are kept: other threads
 * may filter other parts meanwhile. */
mus_status mus_found_filter(const mus_assembly *a, const mus_pair *pairs, int64_t count,
                            const mus_motion_bounds *bounds, mus_found *found);
/* Sorts the places by the order of the pairs. */
void mus_found_sort(mus_found *found);
/* Appends the candidate pairs to the list in the order of their places, and empties `found`. */
mus_status mus_found_move(mus_found *found, mus_candidate_pair_list *list);
void mus_found_free(mus_found *found);
/* Copies the pairs that end (at x1) within their contact range: all pairs that can be contacts at the start of the next
 * step. */
mus_status mus_candidate_pairs_keep_near(const mus_assembly *a, const mus_candidate_pair_list *from, int threads,
                                         mus_candidate_pair_list *to);

#endif
