/* ccd_kernel.c: the query of ccd.c in SIMD, one pair per lane, operation for operation, so that results are
 * bit-identical; see ccd.c for the bounds (1) and (2) and their proofs. Compiled once for every instruction set. */
#include "narrow/ccd_kernel.h"

#include "base/simd_double.h"

#include <float.h>
#include <string.h>

#define UNIT 0x1p-53

typedef enum pair_kind { VERTEX_FACE, EDGE_EDGE } pair_kind;

/* The differences w_k, see ccd.c; vertex–face stores its third twice. Loops over k are unrolled by hand: if the
 * optimizer kept them, the SIMD values would stay in memory. */
typedef struct differences {
    simd_v3 start[4], end[4];
} differences;

typedef int32_t quadruple[4];

/* Differences of SIMD_WIDTH pairs, from `pair` on, at one end of the step. */
SIMD_FN void differences_at_end(pair_kind kind, const v3 *x, const quadruple *pair, simd_v3 w[4]) {
    simd_v3 p0 = simd_v3_gather(x, &pair[0][0], 4), p1 = simd_v3_gather(x, &pair[0][1], 4);
    simd_v3 p2 = simd_v3_gather(x, &pair[0][2], 4), p3 = simd_v3_gather(x, &pair[0][3], 4);
    if (kind == VERTEX_FACE) {
        w[0] = simd_v3_sub(p0, p1), w[1] = simd_v3_sub(p0, p2), w[2] = simd_v3_sub(p0, p3), w[3] = w[2];
    } else {
        w[0] = simd_v3_sub(p2, p0), w[1] = simd_v3_sub(p3, p0), w[2] = simd_v3_sub(p2, p1), w[3] = simd_v3_sub(p3, p1);
    }
}

/* Repeats the last pair up to a multiple of SIMD_WIDTH, which is within the arrays. */
_Static_assert(MUS_CCD_BATCH % SIMD_WIDTH == 0 && MUS_CCD_BATCH <= 64,
               "a batch is a multiple of the SIMD width, with one bit per pair");
SIMD_FN void fill_up(quadruple *vertex, double *gap, int count) {
    for (int k = count; k % SIMD_WIDTH; k++) {
        for (int i = 0; i < 4; i++) vertex[k][i] = vertex[count - 1][i];
        gap[k] = gap[count - 1];
    }
}

/* One coordinate of all differences: its range, and the lanes in which it certifies on its own. */
typedef struct extent {
    simd_double least, most, size;
    mask apart;
} extent;

SIMD_FN extent extent_of(const simd_double a[4], const simd_double b[4], simd_double gap) {
    extent e;
    simd_double lo0 = simd_min(simd_min(a[0], a[2]), simd_min(b[0], b[2]));
    simd_double lo1 = simd_min(simd_min(a[1], a[3]), simd_min(b[1], b[3]));
    simd_double hi0 = simd_max(simd_max(a[0], a[2]), simd_max(b[0], b[2]));
    simd_double hi1 = simd_max(simd_max(a[1], a[3]), simd_max(b[1], b[3]));
    e.least = simd_min(lo0, lo1), e.most = simd_max(hi0, hi1);
    e.size = simd_max(simd_neg(e.least), e.most);
    simd_double shrunk = simd_set1(1 - 4 * UNIT);
    mask beyond =
        mask_or(simd_greater(simd_mul(e.least, shrunk), gap), simd_greater(simd_neg(gap), simd_mul(e.most, shrunk)));
    /* Minima ignore NaN, a sum does not. */
    simd_double sum = simd_add(simd_add(simd_add(a[0], a[2]), simd_add(b[0], b[2])),
                               simd_add(simd_add(a[1], a[3]), simd_add(b[1], b[3])));
    e.apart = mask_and(beyond, simd_ordered(sum, sum));
    return e;
}

SIMD_FN void extents_of(const differences *w, simd_double gap, extent e[3]) {
    const simd_v3 *a = w->start, *b = w->end;
    e[0] = extent_of((simd_double[4]){a[0].x, a[1].x, a[2].x, a[3].x}, (simd_double[4]){b[0].x, b[1].x, b[2].x, b[3].x},
                     gap);
    e[1] = extent_of((simd_double[4]){a[0].y, a[1].y, a[2].y, a[3].y}, (simd_double[4]){b[0].y, b[1].y, b[2].y, b[3].y},
                     gap);
    e[2] = extent_of((simd_double[4]){a[0].z, a[1].z, a[2].z, a[3].z}, (simd_double[4]){b[0].z, b[1].z, b[2].z, b[3].z},
                     gap);
}

SIMD_FN simd_double size_of(const extent e[3]) {
    return simd_max(simd_max(e[0].size, e[1].size), e[2].size);
}

/* Projections onto an axis at both ends, and the least value that certifies. */
typedef struct projection {
    simd_double s0[4], s1[4], limit;
} projection;

SIMD_FN projection project(const differences *w, simd_v3 d, simd_double gap, simd_double size) {
    projection p = {
        .s0 = {simd_v3_dot(d, w->start[0]), simd_v3_dot(d, w->start[1]), simd_v3_dot(d, w->start[2]),
               simd_v3_dot(d, w->start[3])},
        .s1 = {simd_v3_dot(d, w->end[0]), simd_v3_dot(d, w->end[1]), simd_v3_dot(d, w->end[2]),
               simd_v3_dot(d, w->end[3])},
    };
    simd_double spread = simd_add(simd_add(simd_abs(d.x), simd_abs(d.y)), simd_abs(d.z));
    simd_double relative = simd_mul(simd_set1(8 * UNIT), simd_add(size, gap));
    simd_double limit = simd_add(simd_mul(spread, simd_add(relative, simd_set1(1e-300))), simd_set1(DBL_MIN));
    simd_double kept = simd_add(limit, simd_mul(gap, simd_sqrt(simd_add(simd_v3_length2(d), simd_set1(DBL_MIN)))));
    p.limit = simd_select(simd_greater(gap, simd_set1(0)), kept, limit);
    return p;
}

SIMD_FN mask all_above(const simd_double s[4], simd_double limit) {
    return mask_and(mask_and(simd_greater(s[0], limit), simd_greater(s[1], limit)),
                    mask_and(simd_greater(s[2], limit), simd_greater(s[3], limit)));
}

SIMD_FN mask clear_at(const projection *p, simd_double t) {
    simd_double s = simd_sub(simd_set1(1), t);
    simd_double at[4] = {
        simd_add(simd_mul(s, p->s0[0]), simd_mul(t, p->s1[0])), simd_add(simd_mul(s, p->s0[1]), simd_mul(t, p->s1[1])),
        simd_add(simd_mul(s, p->s0[2]), simd_mul(t, p->s1[2])), simd_add(simd_mul(s, p->s0[3]), simd_mul(t, p->s1[3]))};
    return all_above(at, p->limit);
}

/* Returns the time at which difference k reaches the limit if that comes before `exit`, else `exit`. */
SIMD_FN simd_double sooner(const projection *p, int k, bool forward, simd_double exit) {
    simd_double at = simd_div(simd_sub(p->s0[k], p->limit), simd_sub(p->s0[k], p->s1[k]));
    mask before = forward ? simd_greater(exit, at) : simd_greater(at, exit);
    return simd_select(mask_without(before, simd_greater(forward ? p->s1[k] : p->s0[k], p->limit)), at, exit);
}

SIMD_FN simd_double try_share(const projection *p, double share, simd_double t, simd_double exit, mask *open,
                              simd_double best) {
    simd_double at = simd_add(t, simd_mul(simd_set1(share), simd_sub(exit, t)));
    mask good = mask_and(*open, clear_at(p, at));
    *open = mask_without(*open, good);
    return simd_select(good, at, best);
}

/* As in ccd.c: the farthest time from t toward the end (1 if forward, else 0) up to which the pair is known to be
 * clear. */
SIMD_FN simd_double clear_toward(const projection *p, simd_double t, bool forward) {
    simd_double end = simd_set1(forward ? 1 : 0);
    simd_double exit = sooner(p, 3, forward, sooner(p, 2, forward, sooner(p, 1, forward, sooner(p, 0, forward, end))));
    mask whole = simd_equal(exit, end), open = mask_without(simd_ordered(t, t), whole);
    simd_double best = simd_select(mask_and(whole, clear_at(p, end)), end, t);
    best = try_share(p, 1 - 0x1p-20, t, exit, &open, best);
    if (mask_bits(open)) {
        best = try_share(p, 0.5 * (1 - 0x1p-20), t, exit, &open, best);
        best = try_share(p, 0.25 * (1 - 0x1p-20), t, exit, &open, best);
    }
    return best;
}

/* ---- Axes, quick and good, as in ccd.c --------------------------------------------------------------------------- */

SIMD_FN simd_double clamp01(simd_double a) {
    return simd_min(simd_max(a, simd_set1(0)), simd_set1(1));
}

SIMD_FN simd_v3 quick_segment(simd_v3 r, simd_v3 e) {
    return simd_v3_axpy(simd_neg(clamp01(simd_div(simd_v3_dot(r, e), simd_v3_length2(e)))), e, r);
}

SIMD_FN simd_v3 quick_axis_vf(const simd_v3 w[3]) {
    const simd_double zero = simd_set1(0);
    simd_v3 ab = simd_v3_sub(w[0], w[1]), bc = simd_v3_sub(w[1], w[2]), ca = simd_v3_sub(w[2], w[0]);
    simd_v3 n = simd_v3_cross(ab, bc);
    simd_double na = simd_v3_dot(simd_v3_cross(w[1], w[2]), n), nb = simd_v3_dot(simd_v3_cross(w[2], w[0]), n);
    simd_double nc = simd_v3_dot(simd_v3_cross(w[0], w[1]), n);
    mask inside =
        mask_and(mask_and(simd_greater_equal(na, zero), simd_greater_equal(nb, zero)), simd_greater_equal(nc, zero));
    mask a = simd_greater(zero, na), b = simd_greater(zero, nb), c = simd_greater(zero, nc);
    simd_v3 d = quick_segment(simd_v3_select(a, w[1], simd_v3_select(b, w[2], w[0])),
                              simd_v3_select(a, bc, simd_v3_select(b, ca, ab)));
    simd_v3 e = quick_segment(simd_v3_select(c, w[0], w[2]), simd_v3_select(c, ab, ca));
    mask two = mask_or(mask_and(a, mask_or(b, c)), mask_without(mask_and(b, c), a));
    d = simd_v3_select(mask_and(two, simd_greater(simd_v3_length2(d), simd_v3_length2(e))), e, d);
    return simd_v3_select(inside, simd_v3_select(simd_greater(simd_v3_dot(n, w[0]), zero), n, simd_v3_neg(n)), d);
}

SIMD_FN simd_v3 quick_axis_ee(const simd_v3 w[3]) {
    const simd_double zero = simd_set1(0);
    simd_v3 a = simd_v3_sub(w[0], w[2]), b = simd_v3_sub(w[1], w[0]), r = w[0];
    simd_double aa = simd_v3_length2(a), bb = simd_v3_length2(b), ab = simd_v3_dot(a, b), ar = simd_v3_dot(a, r),
                br = simd_v3_dot(b, r);
    simd_double det = simd_sub(simd_mul(aa, bb), simd_mul(ab, ab));
    simd_double s = simd_sub(simd_mul(ar, bb), simd_mul(br, ab));
    simd_double across = simd_sub(simd_mul(s, ab), simd_mul(br, det));
    mask inside = mask_and(mask_and(simd_greater(s, zero), simd_greater(det, s)),
                           mask_and(simd_greater(across, zero), simd_greater(simd_mul(bb, det), across)));
    simd_v3 n = simd_v3_cross(a, b);
    n = simd_v3_select(simd_greater(simd_v3_dot(n, r), zero), n, simd_v3_neg(n));
    s = simd_select(simd_greater(det, zero), clamp01(simd_div(s, det)), zero);
    simd_double t = clamp01(simd_div(simd_sub(simd_mul(s, ab), br), bb));
    s = clamp01(simd_div(simd_add(simd_mul(t, ab), ar), aa));
    return simd_v3_select(inside, n, simd_v3_axpy(simd_neg(s), a, simd_v3_axpy(t, b, r)));
}

typedef struct nearest {
    simd_v3 d, e;
    simd_double ee, distance2;
    mask inside;
} nearest;

SIMD_FN nearest nearest_start(simd_v3 d) {
    simd_double zero = simd_set1(0);
    return (nearest){d, {zero, zero, zero}, zero, simd_set1((double)INFINITY), simd_greater(zero, zero)};
}

/* Only in the lanes of `wanted`. */
SIMD_FN void try_segment(mask wanted, simd_v3 r, simd_v3 e, nearest *best) {
    simd_double zero = simd_set1(0), ee = simd_v3_length2(e), re = simd_v3_dot(r, e);
    mask beyond = simd_greater(re, zero), inside = mask_and(beyond, simd_greater(ee, re));
    simd_v3 d = simd_v3_select(mask_and(beyond, simd_greater(ee, zero)), simd_v3_sub(r, e), r);
    d = simd_v3_select(inside, simd_v3_axpy(simd_neg(simd_div(re, ee)), e, r), d);
    simd_double l = simd_v3_length2(d);
    mask better = mask_and(wanted, simd_greater(best->distance2, l));
    best->d = simd_v3_select(better, d, best->d);
    best->e = simd_v3_select(better, e, best->e);
    best->ee = simd_select(better, ee, best->ee);
    best->distance2 = simd_select(better, l, best->distance2);
    best->inside = mask_or(mask_and(better, inside), mask_without(best->inside, better));
}

SIMD_FN simd_v3 refined(const nearest *p) {
    return simd_v3_select(p->inside, simd_v3_axpy(simd_neg(simd_div(simd_v3_dot(p->d, p->e), p->ee)), p->e, p->d),
                          p->d);
}

/* Returns n, on the side where `side` is positive, in lanes of `across` whose side is not 0; else d. */
SIMD_FN simd_v3 across_or(mask across, simd_v3 n, simd_double side, simd_v3 d) {
    simd_double zero = simd_set1(0);
    d = simd_v3_select(mask_and(across, simd_greater(zero, side)), simd_v3_neg(n), d);
    return simd_v3_select(mask_and(across, simd_greater(side, zero)), n, d);
}

SIMD_FN simd_v3 axis_vf(const simd_v3 w[3]) {
    const simd_double zero = simd_set1(0);
    simd_v3 ab = simd_v3_sub(w[0], w[1]), bc = simd_v3_sub(w[1], w[2]), ca = simd_v3_sub(w[2], w[0]);
    simd_v3 n = simd_v3_cross(ab, bc);
    simd_double na = simd_v3_dot(simd_v3_cross(w[1], w[2]), n), nb = simd_v3_dot(simd_v3_cross(w[2], w[0]), n);
    simd_double nc = simd_v3_dot(simd_v3_cross(w[0], w[1]), n);
    mask over =
        mask_and(mask_and(simd_greater_equal(na, zero), simd_greater_equal(nb, zero)), simd_greater_equal(nc, zero));
    mask a = simd_greater(zero, na), b = simd_greater(zero, nb), c = simd_greater(zero, nc);
    mask all = mask_without(mask_without(mask_without(simd_equal(zero, zero), a), b), c);
    nearest best = nearest_start(w[0]);
    try_segment(mask_or(all, c), w[0], ab, &best);
    try_segment(mask_or(all, a), w[1], bc, &best);
    try_segment(mask_or(all, b), w[2], ca, &best);
    return across_or(over, n, simd_v3_dot(n, w[0]), refined(&best));
}

SIMD_FN simd_v3 axis_ee(const simd_v3 w[3]) {
    const simd_double zero = simd_set1(0);
    simd_v3 a = simd_v3_sub(w[0], w[2]), b = simd_v3_sub(w[1], w[0]), r = w[0], back = simd_v3_neg(b);
    simd_v3 n = simd_v3_cross(a, b);
    simd_double det = simd_v3_length2(n), s = simd_v3_dot(simd_v3_cross(r, b), n),
                t = simd_v3_dot(simd_v3_cross(r, a), n);
    mask across = mask_and(mask_and(simd_greater(s, zero), simd_greater(det, s)),
                           mask_and(simd_greater(t, zero), simd_greater(det, t)));
    mask all = simd_equal(zero, zero);
    nearest best = nearest_start(r);
    try_segment(all, r, a, &best);
    try_segment(all, w[1], a, &best);
    try_segment(all, r, back, &best);
    try_segment(all, w[2], back, &best);
    return across_or(across, n, simd_v3_dot(n, r), refined(&best));
}

SIMD_FN simd_v3 difference_at(const differences *w, int k, simd_double t) {
    return simd_v3_mix(simd_sub(simd_set1(1), t), w->start[k], t, w->end[k]);
}

/* ---- The query --------------------------------------------------------------------------------------------------- */

/* The largest change of a difference. */
SIMD_FN simd_double motion_of(const differences *w) {
    simd_double motion2 = simd_max(simd_set1(0), simd_v3_length2(simd_v3_sub(w->end[0], w->start[0])));
    motion2 = simd_max(motion2, simd_v3_length2(simd_v3_sub(w->end[1], w->start[1])));
    motion2 = simd_max(motion2, simd_v3_length2(simd_v3_sub(w->end[2], w->start[2])));
    motion2 = simd_max(motion2, simd_v3_length2(simd_v3_sub(w->end[3], w->start[3])));
    return simd_sqrt(motion2);
}

enum { ALL = (1 << SIMD_WIDTH) - 1 };

/* Tests the coordinate axes for all pairs; then, for the remaining pairs, packed together, the axis between nearest
 * points in the middle of the step. */
SIMD_FN uint64_t settle(pair_kind kind, const v3 *x0, const v3 *x1, mus_ccd_batch *batch) {
    quadruple left[MUS_CCD_BATCH];
    double left_gap[MUS_CCD_BATCH], found[4][SIMD_WIDTH];
    uint8_t left_pair[MUS_CCD_BATCH];
    int left_count = 0, count = batch->count;
    differences w;
    extent e[3];

    fill_up(batch->vertex, batch->gap, count);
    for (int from = 0; from < count; from += SIMD_WIDTH) {
        differences_at_end(kind, x0, batch->vertex + from, w.start);
        differences_at_end(kind, x1, batch->vertex + from, w.end);
        extents_of(&w, simd_load(batch->gap + from), e);
        /* The first coordinate that certifies is the axis, pointing to the side of w. */
        const simd_double zero = simd_set1(0), one = simd_set1(1), back = simd_set1(-1);
        mask x = e[0].apart, y = mask_without(e[1].apart, x), z = mask_without(mask_without(e[2].apart, x), y);
        simd_double side_x = simd_select(simd_greater(e[0].least, zero), one, back);
        simd_double side_y = simd_select(simd_greater(e[1].least, zero), one, back);
        simd_double side_z = simd_select(simd_greater(e[2].least, zero), one, back);
        simd_store(batch->axis[0] + from, simd_select(x, side_x, zero));
        simd_store(batch->axis[1] + from, simd_select(y, side_y, zero));
        simd_store(batch->axis[2] + from, simd_select(z, side_z, zero));
        uint32_t some = count - from < SIMD_WIDTH ? (1u << (count - from)) - 1 : ALL;
        for (uint32_t bits = some & ~mask_bits(mask_or(mask_or(x, y), z)); bits; bits &= bits - 1) {
            int k = from + __builtin_ctz(bits);
            memcpy(left[left_count], batch->vertex[k], sizeof left[0]);
            left_gap[left_count] = batch->gap[k];
            left_pair[left_count++] = (uint8_t)k;
        }
    }

    uint64_t unsettled = 0;
    fill_up(left, left_gap, left_count);
    for (int from = 0; from < left_count; from += SIMD_WIDTH) {
        differences_at_end(kind, x0, left + from, w.start);
        differences_at_end(kind, x1, left + from, w.end);
        simd_double gap = simd_load(left_gap + from);
        extents_of(&w, gap, e);
        simd_double half = simd_set1(0.5), size = size_of(e);
        simd_v3 middle[3] = {difference_at(&w, 0, half), difference_at(&w, 1, half),
                             difference_at(&w, 2, half)}; /* the fourth follows from these */
        simd_v3 d = kind == VERTEX_FACE ? quick_axis_vf(middle) : quick_axis_ee(middle);
        projection p = project(&w, d, gap, size);
        uint32_t some = left_count - from < SIMD_WIDTH ? (1u << (left_count - from)) - 1 : ALL;
        uint32_t settled = some & mask_bits(mask_and(all_above(p.s0, p.limit), all_above(p.s1, p.limit)));
        simd_store(found[0], d.x), simd_store(found[1], d.y), simd_store(found[2], d.z);
        for (uint32_t bits = settled; bits; bits &= bits - 1) {
            int k = __builtin_ctz(bits), pair = left_pair[from + k];
            for (int i = 0; i < 3; i++) batch->axis[i][pair] = found[i][k];
        }
        if (settled == some) continue;
        mask is_clear = clear_at(&p, half);
        simd_store(found[0], simd_select(is_clear, clear_toward(&p, half, false), simd_set1(1)));
        simd_store(found[1], simd_select(is_clear, clear_toward(&p, half, true), simd_set1(1)));
        simd_store(found[2], size);
        simd_store(found[3], motion_of(&w));
        for (uint32_t bits = some & ~settled; bits; bits &= bits - 1) {
            int k = __builtin_ctz(bits), pair = left_pair[from + k];
            unsettled |= (uint64_t)1 << pair;
            batch->clear_from[pair] = found[0][k], batch->clear_until[pair] = found[1][k];
            batch->size[pair] = found[2][k], batch->motion[pair] = found[3][k];
        }
    }
    return unsettled;
}

SIMD_FN uint64_t axes_fail(pair_kind kind, const v3 *x0, const v3 *x1, mus_ccd_batch *batch) {
    uint64_t fail = 0;
    int count = batch->count;
    fill_up(batch->vertex, batch->gap, count);
    for (int from = 0; from < count; from += SIMD_WIDTH) {
        differences w;
        extent e[3];
        differences_at_end(kind, x0, batch->vertex + from, w.start);
        differences_at_end(kind, x1, batch->vertex + from, w.end);
        simd_double gap = simd_load(batch->gap + from);
        extents_of(&w, gap, e);
        simd_v3 d = {simd_load(batch->axis[0] + from), simd_load(batch->axis[1] + from),
                     simd_load(batch->axis[2] + from)};
        projection p = project(&w, d, gap, size_of(e));
        uint32_t clear = mask_bits(mask_and(all_above(p.s0, p.limit), all_above(p.s1, p.limit)));
        fail |= (uint64_t)(~clear & ALL) << from;
    }
    return count < 64 ? fail & (((uint64_t)1 << count) - 1) : fail;
}

/* Pairs in progress, one per lane; in memory, so that a lane can be given a new pair. */
typedef struct flight {
    double start[4][3][SIMD_WIDTH], end[4][3][SIMD_WIDTH]; /* differences */
    double gap[SIMD_WIDTH], tolerance[SIMD_WIDTH], clear_from[SIMD_WIDTH], clear_until[SIMD_WIDTH], size[SIMD_WIDTH],
        motion[SIMD_WIDTH];
    double t[SIMD_WIDTH], ahead[SIMD_WIDTH], axes[SIMD_WIDTH];
    mus_ccd_open *open[SIMD_WIDTH]; /* NULL: the lane is idle */
} flight;

static void lane_differences(pair_kind kind, const v3 *x, const int32_t v[4], int lane, double w[4][3][SIMD_WIDTH]) {
    for (int k = 0; k < 4; k++) {
        int last = k < 3 ? k + 1 : 3;
        v3 d = kind == VERTEX_FACE ? v3_sub(x[v[0]], x[v[last]]) : v3_sub(x[v[2 + k % 2]], x[v[k / 2]]);
        w[k][0][lane] = d.x, w[k][1][lane] = d.y, w[k][2][lane] = d.z;
    }
}

/* If t lies in the interval known to be clear, moves it to the end of that interval. */
static void skip_clear(flight *f, int lane) {
    if (f->t[lane] >= f->clear_from[lane] && f->t[lane] < f->clear_until[lane]) {
        f->t[lane] = f->clear_until[lane];
        f->ahead[lane] = 0.5 * (1 - f->t[lane]);
    }
}

static void finish_lane(flight *f, int lane, bool hit, bool near_at_start) {
    mus_ccd_open *open = f->open[lane];
    open->result =
        (mus_ccd_result){.toi = hit ? f->t[lane] : 1, .iterations = (int)f->axes[lane], .near_at_start = near_at_start};
    open->hit = hit;
    f->open[lane] = NULL;
}

/* Loads the next pair of the pool into an idle lane. It is finished at once if its first axis certifies the rest. */
static void take_off(pair_kind kind, const v3 *x0, const v3 *x1, mus_ccd_open *open, flight *f, int lane) {
    lane_differences(kind, x0, open->vertex, lane, f->start);
    lane_differences(kind, x1, open->vertex, lane, f->end);
    f->gap[lane] = open->gap, f->tolerance[lane] = open->tolerance, f->size[lane] = open->size;
    f->clear_from[lane] = open->clear_from, f->clear_until[lane] = open->clear_until, f->motion[lane] = open->motion;
    f->t[lane] = 0, f->axes[lane] = 1, f->open[lane] = open;
    f->ahead[lane] = open->clear_from < 0.5 ? 0.5 * open->clear_from : 0.1;
    skip_clear(f, lane);
    if (f->t[lane] >= 1) finish_lane(f, lane, false, false);
}

SIMD_FN simd_v3 load3(double x[3][SIMD_WIDTH]) {
    return (simd_v3){simd_load(x[0]), simd_load(x[1]), simd_load(x[2])};
}

/* `advance` of ccd.c: each iteration tests one axis in every lane. A lane in which the axis of a slightly later time
 * made no progress gets ahead = 0: the axis of its current time is tested next, and decides. */
SIMD_FN void solve(pair_kind kind, const v3 *x0, const v3 *x1, mus_ccd_pool *pool) {
    flight f;
    int taken = 0;
    memset(&f, 0, sizeof f);
    for (;;) {
        int flying = 0;
        for (int lane = 0; lane < SIMD_WIDTH; lane++) {
            while (!f.open[lane] && taken < pool->count) take_off(kind, x0, x1, &pool->pair[taken++], &f, lane);
            flying += f.open[lane] != NULL;
        }
        if (!flying) return;
        differences w = {{load3(f.start[0]), load3(f.start[1]), load3(f.start[2]), load3(f.start[3])},
                         {load3(f.end[0]), load3(f.end[1]), load3(f.end[2]), load3(f.end[3])}};
        simd_double t = simd_load(f.t), ahead = simd_load(f.ahead), one = simd_set1(1);
        simd_double at = simd_select(simd_greater(ahead, simd_set1(0)), simd_min(simd_add(t, ahead), one), t);
        simd_v3 x[3] = {difference_at(&w, 0, at), difference_at(&w, 1, at), difference_at(&w, 2, at)};
        projection p = project(&w, kind == VERTEX_FACE ? axis_vf(x) : axis_ee(x), simd_load(f.gap), simd_load(f.size));
        mask clear = clear_at(&p, t);
        simd_double next = simd_select(clear, clear_toward(&p, t, true), t);
        simd_double gain = simd_mul(simd_sub(next, t), simd_load(f.motion));
        uint32_t through = mask_bits(simd_greater_equal(next, one));
        uint32_t progress = mask_bits(simd_greater(gain, simd_load(f.tolerance)));
        uint32_t own = ~mask_bits(simd_greater(ahead, simd_set1(0))), clears = mask_bits(clear);
        double reached[SIMD_WIDTH];
        simd_store(reached, next);
        simd_store(f.axes, simd_add(simd_load(f.axes), one));
        for (int lane = 0; lane < SIMD_WIDTH; lane++) {
            if (!f.open[lane]) continue;
            if (through >> lane & 1) {
                finish_lane(&f, lane, false, false);
            } else if (progress >> lane & 1) {
                f.ahead[lane] = 0.25 * (reached[lane] - f.t[lane]);
                f.t[lane] = reached[lane];
                if (f.axes[lane] >= MUS_CCD_MOST_AXES) {
                    finish_lane(&f, lane, true, false);
                    continue;
                }
                skip_clear(&f, lane);
                if (f.t[lane] >= 1) finish_lane(&f, lane, false, false);
            } else if (own >> lane & 1) {
                finish_lane(&f, lane, true, f.t[lane] == 0 && !(clears >> lane & 1));
            } else {
                f.ahead[lane] = 0;
            }
        }
    }
}

uint64_t MUS_KERNEL(mus_ccd_axes_fail_vf)(const v3 *x0, const v3 *x1, mus_ccd_batch *batch) {
    return axes_fail(VERTEX_FACE, x0, x1, batch);
}

uint64_t MUS_KERNEL(mus_ccd_axes_fail_ee)(const v3 *x0, const v3 *x1, mus_ccd_batch *batch) {
    return axes_fail(EDGE_EDGE, x0, x1, batch);
}

uint64_t MUS_KERNEL(mus_ccd_settle_vf)(const v3 *x0, const v3 *x1, mus_ccd_batch *batch) {
    return settle(VERTEX_FACE, x0, x1, batch);
}

uint64_t MUS_KERNEL(mus_ccd_settle_ee)(const v3 *x0, const v3 *x1, mus_ccd_batch *batch) {
    return settle(EDGE_EDGE, x0, x1, batch);
}

void MUS_KERNEL(mus_ccd_solve_vf)(const v3 *x0, const v3 *x1, mus_ccd_pool *pool) {
    solve(VERTEX_FACE, x0, x1, pool);
}

void MUS_KERNEL(mus_ccd_solve_ee)(const v3 *x0, const v3 *x1, mus_ccd_pool *pool) {
    solve(EDGE_EDGE, x0, x1, pool);
}
