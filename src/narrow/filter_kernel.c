/* filter_kernel.c: tests of many pairs in SIMD: which stay apart over a step along an axis between their nearest
 * points, and which are near at one time. Compiled once for every instruction set. */
#include "narrow/filter_kernel.h"

#include "mesh/distance_simd.h"

#include <string.h>

typedef enum pair_kind { VERTEX_FACE, EDGE_EDGE } pair_kind;
typedef int32_t quadruple[4];
enum { ALL = (1 << SIMD_WIDTH) - 1 };
_Static_assert(MUS_FILTER_BATCH % SIMD_WIDTH == 0 && MUS_FILTER_BATCH <= 64,
               "a batch is a multiple of the SIMD width, with one bit per pair");

typedef struct corners {
    simd_v3 x[4];
} corners;

SIMD_FN corners corners_of(const v3 *x, const quadruple *pair) {
    return (corners){{simd_v3_gather(x, &pair[0][0], 4), simd_v3_gather(x, &pair[0][1], 4),
                      simd_v3_gather(x, &pair[0][2], 4), simd_v3_gather(x, &pair[0][3], 4)}};
}

SIMD_FN simd_v3 nearest(pair_kind kind, const corners *c) {
    simd_double w[3];
    uint32_t unresolved;
    return kind == EDGE_EDGE ? simd_nearest_edge_edge(c->x[0], c->x[1], c->x[2], c->x[3], w, &unresolved)
                             : simd_nearest_vertex_face(c->x[0], c->x[1], c->x[2], c->x[3], w);
}

/* Separation along d: the least amount by which side A is beyond side B. */
SIMD_FN simd_double separation(pair_kind kind, const corners *c, simd_v3 d) {
    simd_double p0 = simd_v3_dot(d, c->x[0]), p1 = simd_v3_dot(d, c->x[1]), p2 = simd_v3_dot(d, c->x[2]),
                p3 = simd_v3_dot(d, c->x[3]);
    if (kind == EDGE_EDGE) return simd_sub(simd_min(p2, p3), simd_max(p0, p1));
    return simd_sub(p0, simd_max(p1, simd_max(p2, p3)));
}

/* Whether the sides are apart along d at both ends: at the start by the fraction `near` of the contact range, at the
 * end by all of it and wherever the motion bound lets the vertices move. The slack covers rounding, which is far
 * smaller: a pair that is kept is decided exactly later, one that is dropped stays clear by at least the slack. */
SIMD_FN mask stays_apart(pair_kind kind, const corners *start, const corners *end, simd_v3 d, simd_double length,
                         simd_double radius, simd_double near, simd_double range, simd_double motion_bound) {
    simd_double slack = simd_mul(simd_set1(1e-6), length), inner = simd_mul(radius, length);
    simd_double spread = simd_add(simd_add(simd_abs(d.x), simd_abs(d.y)), simd_abs(d.z));
    simd_double outer = simd_add(inner, simd_max(simd_mul(range, length), simd_mul(motion_bound, spread)));
    simd_double before = simd_add(inner, simd_mul(near, simd_mul(range, length)));
    return mask_and(simd_greater(separation(kind, start, d), simd_add(before, slack)),
                    simd_greater(separation(kind, end, d), simd_add(outer, slack)));
}

/* Fills up to a multiple of SIMD_WIDTH with copies of the first pair. */
SIMD_FN void fill_up(mus_filter_batch *b, int count) {
    for (int k = count; k % SIMD_WIDTH; k++) {
        memcpy(b->vertex[k], b->vertex[0], sizeof b->vertex[0]);
        b->radius[k] = b->radius[0], b->range[k] = b->range[0], b->motion_bound[k] = b->motion_bound[0];
    }
}

SIMD_FN uint64_t kept(pair_kind kind, const v3 *x0, const v3 *x1, mus_filter_batch *b) {
    mus_filter_batch left; /* pairs that the first axis does not separate */
    uint8_t left_pair[MUS_FILTER_BATCH];
    simd_double near = simd_set1(b->near);
    left.count = 0;
    fill_up(b, b->count);
    for (int from = 0; from < b->count; from += SIMD_WIDTH) {
        corners start = corners_of(x0, b->vertex + from), end = corners_of(x1, b->vertex + from);
        simd_v3 d = nearest(kind, &start);
        simd_double length = simd_sqrt(simd_v3_length2(d));
        mask apart = stays_apart(kind, &start, &end, d, length, simd_load(b->radius + from), near,
                                 simd_load(b->range + from), simd_load(b->motion_bound + from));
        simd_store(b->axis[0] + from, d.x);
        simd_store(b->axis[1] + from, d.y);
        simd_store(b->axis[2] + from, d.z);
        simd_store(b->length + from, length);
        uint32_t some = b->count - from < SIMD_WIDTH ? (1u << (b->count - from)) - 1 : ALL;
        for (uint32_t bits = some & ~mask_bits(apart); bits; bits &= bits - 1) {
            int k = from + __builtin_ctz(bits), to = left.count++;
            left_pair[to] = (uint8_t)k;
            memcpy(left.vertex[to], b->vertex[k], sizeof left.vertex[0]);
            left.radius[to] = b->radius[k], left.range[to] = b->range[k], left.motion_bound[to] = b->motion_bound[k];
        }
    }
    uint64_t keep = 0;
    fill_up(&left, left.count);
    for (int from = 0; from < left.count; from += SIMD_WIDTH) {
        corners start = corners_of(x0, left.vertex + from), end = corners_of(x1, left.vertex + from);
        simd_v3 d = nearest(kind, &end);
        mask apart = stays_apart(kind, &start, &end, d, simd_sqrt(simd_v3_length2(d)), simd_load(left.radius + from),
                                 near, simd_load(left.range + from), simd_load(left.motion_bound + from));
        uint32_t some = left.count - from < SIMD_WIDTH ? (1u << (left.count - from)) - 1 : ALL;
        for (uint32_t bits = some & ~mask_bits(apart); bits; bits &= bits - 1)
            keep |= (uint64_t)1 << left_pair[from + __builtin_ctz(bits)];
    }
    return keep;
}

SIMD_FN uint64_t near(pair_kind kind, const v3 *x, mus_filter_batch *b) {
    uint64_t far = 0;
    fill_up(b, b->count);
    for (int from = 0; from < b->count; from += SIMD_WIDTH) {
        corners at = corners_of(x, b->vertex + from);
        simd_double length = simd_sqrt(simd_v3_length2(nearest(kind, &at)));
        simd_store(b->length + from, length);
        far |= (uint64_t)mask_bits(simd_greater(length, simd_load(b->range + from))) << from;
    }
    return ~far & (~(uint64_t)0 >> (64 - b->count));
}

SIMD_FN uint64_t nearest_points(pair_kind kind, const v3 *x, mus_filter_batch *b, double weight[4][MUS_FILTER_BATCH]) {
    uint64_t near_pairs = 0;
    simd_double one = simd_set1(1);
    fill_up(b, b->count);
    for (int from = 0; from < b->count; from += SIMD_WIDTH) {
        corners at = corners_of(x, b->vertex + from);
        simd_double w[3], out[4];
        uint32_t bits = ALL;
        simd_v3 d;
        if (kind == EDGE_EDGE) {
            d = simd_nearest_edge_edge(at.x[0], at.x[1], at.x[2], at.x[3], w, &bits);
            out[0] = simd_neg(simd_sub(one, w[0])), out[1] = simd_neg(w[0]);
            out[2] = simd_sub(one, w[1]), out[3] = w[1];
        } else {
            d = simd_nearest_vertex_face(at.x[0], at.x[1], at.x[2], at.x[3], w);
            out[0] = one, out[1] = simd_neg(w[0]), out[2] = simd_neg(w[1]), out[3] = simd_neg(w[2]);
        }
        for (int c = 0; c < 4; c++) simd_store(weight[c] + from, out[c]);
        simd_store(b->axis[0] + from, d.x);
        simd_store(b->axis[1] + from, d.y);
        simd_store(b->axis[2] + from, d.z);
        simd_store(b->length + from, simd_sqrt(simd_v3_length2(d)));
        near_pairs |= (uint64_t)bits << from;
    }
    return near_pairs & (~(uint64_t)0 >> (64 - b->count));
}

uint64_t MUS_KERNEL(mus_filter_kept_vf)(const v3 *x0, const v3 *x1, mus_filter_batch *batch) {
    return kept(VERTEX_FACE, x0, x1, batch);
}

uint64_t MUS_KERNEL(mus_filter_kept_ee)(const v3 *x0, const v3 *x1, mus_filter_batch *batch) {
    return kept(EDGE_EDGE, x0, x1, batch);
}

uint64_t MUS_KERNEL(mus_filter_near_vf)(const v3 *x, mus_filter_batch *batch) {
    return near(VERTEX_FACE, x, batch);
}

uint64_t MUS_KERNEL(mus_filter_near_ee)(const v3 *x, mus_filter_batch *batch) {
    return near(EDGE_EDGE, x, batch);
}

uint64_t MUS_KERNEL(mus_filter_nearest_vf)(const v3 *x, mus_filter_batch *batch, double weight[4][MUS_FILTER_BATCH]) {
    return nearest_points(VERTEX_FACE, x, batch, weight);
}

uint64_t MUS_KERNEL(mus_filter_nearest_ee)(const v3 *x, mus_filter_batch *batch, double weight[4][MUS_FILTER_BATCH]) {
    return nearest_points(EDGE_EDGE, x, batch, weight);
}
