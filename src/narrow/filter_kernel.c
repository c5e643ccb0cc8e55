/* filter_kernel.c: which pairs stay apart over a step along an axis between their nearest points, and which are near at
 * one time, in vector lanes. Compiled once for every instruction set. */
#include "narrow/filter_kernel.h"

#include "mesh/distance_lanes.h"

#include <string.h>

typedef enum pair_kind { VERTEX_FACE, EDGE_EDGE } pair_kind;
typedef int32_t quadruple[4];
enum { ALL = (1 << W) - 1 };
_Static_assert(MUS_FILTER_BATCH % W == 0 && MUS_FILTER_BATCH <= 64, "a batch is whole groups, and a bit a pair");

typedef struct corners {
    l3 x[4];
} corners;

LANES_FN corners corners_of(const v3 *x, const quadruple *pair) {
    return (corners){{l3_gather(x, &pair[0][0], 4), l3_gather(x, &pair[0][1], 4), l3_gather(x, &pair[0][2], 4),
                      l3_gather(x, &pair[0][3], 4)}};
}

LANES_FN l3 nearest(pair_kind kind, const corners *c) {
    lanes w[3];
    uint32_t told;
    return kind == EDGE_EDGE ? lanes_nearest_edge_edge(c->x[0], c->x[1], c->x[2], c->x[3], w, &told)
                             : lanes_nearest_vertex_face(c->x[0], c->x[1], c->x[2], c->x[3], w);
}

/* Least extent along d by which side A is beyond side B. */
LANES_FN lanes separation(pair_kind kind, const corners *c, l3 d) {
    lanes p0 = l3_dot(d, c->x[0]), p1 = l3_dot(d, c->x[1]), p2 = l3_dot(d, c->x[2]), p3 = l3_dot(d, c->x[3]);
    if (kind == EDGE_EDGE) return lanes_sub(lanes_min(p2, p3), lanes_max(p0, p1));
    return lanes_sub(p0, lanes_max(p1, lanes_max(p2, p3)));
}

/* Apart along d at both ends: by a share of the contact's range at the start, by all of it at the end, and wherever its
 * vertices may still wander from there? The slack covers rounding, which is far below it: a pair that is kept is
 * decided exactly later, one that is dropped stays clear by at least the slack. */
LANES_FN mask stays_apart(pair_kind kind, const corners *start, const corners *end, l3 d, lanes length, lanes radius,
                          lanes near, lanes reach, lanes wander) {
    lanes slack = lanes_mul(lanes_all(1e-6), length), inner = lanes_mul(radius, length);
    lanes spread = lanes_add(lanes_add(lanes_abs(d.x), lanes_abs(d.y)), lanes_abs(d.z));
    lanes outer = lanes_add(inner, lanes_max(lanes_mul(reach, length), lanes_mul(wander, spread)));
    lanes before = lanes_add(inner, lanes_mul(near, lanes_mul(reach, length)));
    return mask_and(lanes_above(separation(kind, start, d), lanes_add(before, slack)),
                    lanes_above(separation(kind, end, d), lanes_add(outer, slack)));
}

/* Up to a whole group with copies of the first. */
LANES_FN void fill_up(mus_filter_batch *b, int count) {
    for (int k = count; k % W; k++) {
        memcpy(b->vertex[k], b->vertex[0], sizeof b->vertex[0]);
        b->radius[k] = b->radius[0], b->reach[k] = b->reach[0], b->wander[k] = b->wander[0];
    }
}

LANES_FN uint64_t kept(pair_kind kind, const v3 *x0, const v3 *envelope, mus_filter_batch *b) {
    mus_filter_batch left; /* those that the first axis does not settle */
    uint8_t left_pair[MUS_FILTER_BATCH];
    lanes near = lanes_all(b->near);
    left.count = 0;
    fill_up(b, b->count);
    for (int from = 0; from < b->count; from += W) {
        corners start = corners_of(x0, b->vertex + from), end = corners_of(envelope, b->vertex + from);
        l3 d = nearest(kind, &start);
        lanes length = lanes_sqrt(l3_length2(d));
        mask apart = stays_apart(kind, &start, &end, d, length, lanes_load(b->radius + from), near,
                                 lanes_load(b->reach + from), lanes_load(b->wander + from));
        lanes_store(b->axis[0] + from, d.x);
        lanes_store(b->axis[1] + from, d.y);
        lanes_store(b->axis[2] + from, d.z);
        lanes_store(b->length + from, length);
        uint32_t some = b->count - from < W ? (1u << (b->count - from)) - 1 : ALL;
        for (uint32_t bits = some & ~mask_bits(apart); bits; bits &= bits - 1) {
            int k = from + __builtin_ctz(bits), to = left.count++;
            left_pair[to] = (uint8_t)k;
            memcpy(left.vertex[to], b->vertex[k], sizeof left.vertex[0]);
            left.radius[to] = b->radius[k], left.reach[to] = b->reach[k], left.wander[to] = b->wander[k];
        }
    }
    uint64_t keep = 0;
    fill_up(&left, left.count);
    for (int from = 0; from < left.count; from += W) {
        corners start = corners_of(x0, left.vertex + from), end = corners_of(envelope, left.vertex + from);
        l3 d = nearest(kind, &end);
        mask apart = stays_apart(kind, &start, &end, d, lanes_sqrt(l3_length2(d)), lanes_load(left.radius + from), near,
                                 lanes_load(left.reach + from), lanes_load(left.wander + from));
        uint32_t some = left.count - from < W ? (1u << (left.count - from)) - 1 : ALL;
        for (uint32_t bits = some & ~mask_bits(apart); bits; bits &= bits - 1)
            keep |= (uint64_t)1 << left_pair[from + __builtin_ctz(bits)];
    }
    return keep;
}

LANES_FN uint64_t near(pair_kind kind, const v3 *x, mus_filter_batch *b) {
    uint64_t far = 0;
    fill_up(b, b->count);
    for (int from = 0; from < b->count; from += W) {
        corners at = corners_of(x, b->vertex + from);
        lanes length = lanes_sqrt(l3_length2(nearest(kind, &at)));
        lanes_store(b->length + from, length);
        far |= (uint64_t)mask_bits(lanes_above(length, lanes_load(b->reach + from))) << from;
    }
    return ~far & (~(uint64_t)0 >> (64 - b->count));
}

LANES_FN uint64_t nearest_points(pair_kind kind, const v3 *x, mus_filter_batch *b, double weight[4][MUS_FILTER_BATCH]) {
    uint64_t told = 0;
    lanes one = lanes_all(1);
    fill_up(b, b->count);
    for (int from = 0; from < b->count; from += W) {
        corners at = corners_of(x, b->vertex + from);
        lanes w[3], out[4];
        uint32_t bits = ALL;
        l3 d;
        if (kind == EDGE_EDGE) {
            d = lanes_nearest_edge_edge(at.x[0], at.x[1], at.x[2], at.x[3], w, &bits);
            out[0] = lanes_neg(lanes_sub(one, w[0])), out[1] = lanes_neg(w[0]);
            out[2] = lanes_sub(one, w[1]), out[3] = w[1];
        } else {
            d = lanes_nearest_vertex_face(at.x[0], at.x[1], at.x[2], at.x[3], w);
            out[0] = one, out[1] = lanes_neg(w[0]), out[2] = lanes_neg(w[1]), out[3] = lanes_neg(w[2]);
        }
        for (int c = 0; c < 4; c++) lanes_store(weight[c] + from, out[c]);
        lanes_store(b->axis[0] + from, d.x);
        lanes_store(b->axis[1] + from, d.y);
        lanes_store(b->axis[2] + from, d.z);
        lanes_store(b->length + from, lanes_sqrt(l3_length2(d)));
        told |= (uint64_t)bits << from;
    }
    return told & (~(uint64_t)0 >> (64 - b->count));
}

uint64_t MUS_KERNEL(mus_filter_kept_vf)(const v3 *x0, const v3 *envelope, mus_filter_batch *batch) {
    return kept(VERTEX_FACE, x0, envelope, batch);
}

uint64_t MUS_KERNEL(mus_filter_kept_ee)(const v3 *x0, const v3 *envelope, mus_filter_batch *batch) {
    return kept(EDGE_EDGE, x0, envelope, batch);
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
