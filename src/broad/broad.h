/* broad.h: the input and output of broad phases. Geometry is a soup of leaves: faces, and for exact shapes single
 * vertices (sphere) and edges (capsule). Every vertex and every edge belongs to one leaf, so that each elementary pair
 * arises once (representative triangles; Curtis, Tamstorf & Manocha 2008). */
#ifndef MUS_BROAD_BROAD_H
#define MUS_BROAD_BROAD_H

#include "base/box.h"
#include "base/memory.h"
#include "base/vec.h"
#include "muslin/status.h"

#include <emmintrin.h>
#include <string.h>

/* A box in motion: its bounds at the start and at the end of a step. Two of them that are apart along an axis, on the
 * same side, at both ends are apart throughout: stronger than the test of the boxes around the motions. float, rounded
 * outward; element 3 is unused. */
typedef struct mus_swept_box {
    __m128 lo0, hi0, lo1, hi1;
} mus_swept_box;

/* The same in memory: three numbers for each bound. */
typedef struct mus_packed_swept_box {
    float lo0[3], hi0[3], lo1[3], hi1[3];
} mus_packed_swept_box;

static inline bool mus_swept_box_overlap(const mus_swept_box *a, const mus_swept_box *b) {
    __m128 below = _mm_and_ps(_mm_cmplt_ps(a->hi0, b->lo0), _mm_cmplt_ps(a->hi1, b->lo1));
    __m128 above = _mm_and_ps(_mm_cmplt_ps(b->hi0, a->lo0), _mm_cmplt_ps(b->hi1, a->lo1));
    return (_mm_movemask_ps(_mm_or_ps(below, above)) & 7) == 0;
}

static inline mus_swept_box mus_swept_box_join(const mus_swept_box *a, const mus_swept_box *b) {
    return (mus_swept_box){_mm_min_ps(a->lo0, b->lo0), _mm_max_ps(a->hi0, b->hi0), _mm_min_ps(a->lo1, b->lo1),
                           _mm_max_ps(a->hi1, b->hi1)};
}

static inline mus_swept_box mus_swept_box_unpack(const mus_packed_swept_box *p) {
    const float *f = p->lo0;
    __m128 last = _mm_loadu_ps(f + 8); /* reads no float beyond the twelve */
    return (mus_swept_box){_mm_loadu_ps(f), _mm_loadu_ps(f + 3), _mm_loadu_ps(f + 6),
                           _mm_shuffle_ps(last, last, _MM_SHUFFLE(3, 3, 2, 1))};
}

/* Grows `box` to contain all of the motion. */
static inline void mus_swept_box_join_to(mus_box *box, const mus_packed_swept_box *swept) {
    for (int k = 0; k < 3; k++) {
        mus_box_grow_along(box, k, (double)swept->lo0[k], (double)swept->hi0[k]);
        mus_box_grow_along(box, k, (double)swept->lo1[k], (double)swept->hi1[k]);
    }
}

/* The box of a point that starts within `r0` of x0 and ends within `r1` of x1 (per axis). */
mus_packed_swept_box mus_swept_box_of_point(v3 x0, v3 x1, double r0, double r1);

/* Bit k of each: corner k; the edge from corner k to corner k+1. */
enum { MUS_OWN_VERTEX = 1, MUS_OWN_EDGE = 8 };

typedef struct mus_leaf {
    int32_t vertex[3];    /* sphere: all equal; capsule: a b b */
    uint32_t object : 25; /* the collide table has count^2 bytes, so there are never so many */
    uint32_t own : 6;
    uint32_t face : 1; /* has an interior */
} mus_leaf;

/* v f0 f1 f2, or a0 a1 b0 b1. */
typedef struct mus_pair {
    int32_t vertex[4];
    uint8_t edge_edge;
    uint64_t order; /* among the pairs of a slot, see mus_pair_sink */
} mus_pair;
typedef MUS_ARRAY(mus_pair) mus_pair_list;

/* Receives the pairs of a search in parts. `take` is called from several threads at once, each with slots of its own;
 * `full` reports that a slot has all of its pairs, to be ordered by their `order`, however they arrived. `gather`
 * reports that slots 0 to count - 1 are complete and follow each other; after it they start empty. A status other than
 * OK ends the search; slots may then still have pairs. */
enum { MUS_BROAD_SLOTS = 64 };
typedef struct mus_pair_sink {
    mus_status (*take)(void *context, int slot, const mus_pair *pairs, int64_t count);
    mus_status (*full)(void *context, int slot);
    mus_status (*gather)(void *context, int count);
    void *context;
} mus_pair_sink;

typedef struct mus_broad_scene {
    mus_leaf *leaves; /* cloth leaves first */
    int32_t leaf_count, cloth_leaf_count;
    int32_t vertex_count;
    mus_packed_swept_box *vertex_box; /* boxes of edges and leaves are joined from these on demand */
    const uint8_t *collide;           /* object_count x object_count: may these two objects collide? */
    int32_t object_count;
    int threads;
    /* For phases with wants_rest set, else NULL: the center of each cloth leaf in the plane at rest (2 per leaf, m);
     * the numbers of nodes of cloths that are grids (2 per object, 0 if it is none), whose faces come two per square,
     * row by row. */
    float *place;
    int32_t *grid;
    const double *inverse_mass; /* of vertices: 0 is prescribed motion; NULL: all may move */
    const v3 *x0, *x1;   /* m, of vertices, at both ends of the step; valid from a refit to the last search after it */
    double motion_bound; /* m: cloth may still end this far from x1, per axis, and the result must remain valid */
    int64_t *compared;   /* counts the pairs of boxes that a search compares one by one; NULL: not counted */
} mus_broad_scene;

/* A broad phase: built for a scene, it finds all elementary pairs of cloth with cloth and of cloth with obstacles whose
 * boxes overlap, in an order that depends on the scene alone. */
typedef struct mus_broad_phase {
    const char *name;
    bool wants_rest;  /* needs scene.place and scene.grid */
    bool nested;      /* the pairs of larger boxes contain those of smaller ones, in the same order: neighbor lists may
                         then replace searches (solve/neighbor_list.c). Others search in every step */
    bool motion_only; /* omits pairs that provably do not meet, however near: unusable for tests of distance */
    mus_status (*create)(const mus_broad_scene *scene, const v3 *x, void **state); /* x: positions to build for */
    void (*destroy)(void *state);
    void (*refit)(void *state, const mus_broad_scene *scene); /* after vertex_box has changed */
    mus_status (*pairs)(void *state, const mus_broad_scene *scene, const mus_pair_sink *sink);
    /* Assigns memory for the data kept from a refit to the last search after it: to be called before the first refit,
     * and at any time between. */
    void (*borrow)(void *state, mus_lender *lender);
    /* Only pairs that involve a marked leaf (each once). */
    mus_status (*pairs_of)(void *state, const mus_broad_scene *scene, const uint8_t *marked, mus_pair_list *pairs);
    /* Number of pairs of faces, however far apart, that the last refit excluded by curvature alone. NULL: never any. */
    int64_t (*culled)(const void *state);
} mus_broad_phase;

extern const mus_broad_phase mus_broad_box_tree;
extern const mus_broad_phase mus_broad_brute;
extern const mus_broad_phase mus_broad_hash_grid;
extern const mus_broad_phase mus_broad_hash_grid_source;
extern const mus_broad_phase mus_broad_octree;
extern const mus_broad_phase mus_broad_octree_source;
extern const mus_broad_phase mus_broad_partition_tree;
extern const mus_broad_phase mus_broad_partition_tree_cones;
extern const mus_broad_phase mus_broad_partition_tree_sound;
extern const mus_broad_phase mus_broad_quad_tree;
extern const mus_broad_phase mus_broad_quad_tree_cones;

static inline void mus_broad_count(const mus_broad_scene *scene, int64_t compared) {
    if (scene->compared) *scene->compared += compared;
}

/* Appends the elementary pairs of two leaves whose boxes overlap. Features that share a vertex are no pair. */
bool mus_broad_leaf_pair(const mus_broad_scene *scene, int32_t a, int32_t b, mus_pair_list *pairs);

static inline bool mus_broad_may_collide(const mus_broad_scene *scene, int32_t a, int32_t b) {
    return scene->collide[(size_t)scene->leaves[a].object * (size_t)scene->object_count + scene->leaves[b].object];
}

static inline mus_swept_box mus_broad_leaf_box(const mus_broad_scene *scene, int32_t leaf) {
    const int32_t *v = scene->leaves[leaf].vertex;
    mus_swept_box a = mus_swept_box_unpack(&scene->vertex_box[v[0]]),
                  b = mus_swept_box_unpack(&scene->vertex_box[v[1]]);
    mus_swept_box c = mus_swept_box_unpack(&scene->vertex_box[v[2]]), two = mus_swept_box_join(&a, &b);
    return mus_swept_box_join(&two, &c);
}

#endif
