/* ccd_kernel.c: the query of ccd.c in vector lanes, a pair a lane, operation for operation, so that the answers are the
 * same bits; the bounds (1) and (2) and their proofs stand there. Compiled once for every instruction set. */
#include "narrow/ccd_kernel.h"

#include "base/lanes.h"

#include <float.h>
#include <string.h>

#define UNIT 0x1p-53

typedef enum pair_kind { VERTEX_FACE, EDGE_EDGE } pair_kind;

/* The differences w_k, see ccd.c; vertex–face has its third twice. Loops over k are written out: an optimiser that
 * keeps them would keep the lanes in memory. */
typedef struct differences {
    l3 start[4], end[4];
} differences;

typedef int32_t quadruple[4];

/* Of W pairs, from `pair` on. */
LANES_FN void differences_at_end(pair_kind kind, const v3 *x, const quadruple *pair, l3 w[4]) {
    l3 p0 = l3_gather(x, &pair[0][0], 4), p1 = l3_gather(x, &pair[0][1], 4);
    l3 p2 = l3_gather(x, &pair[0][2], 4), p3 = l3_gather(x, &pair[0][3], 4);
    if (kind == VERTEX_FACE) {
        w[0] = l3_sub(p0, p1), w[1] = l3_sub(p0, p2), w[2] = l3_sub(p0, p3), w[3] = w[2];
    } else {
        w[0] = l3_sub(p2, p0), w[1] = l3_sub(p3, p0), w[2] = l3_sub(p2, p1), w[3] = l3_sub(p3, p1);
    }
}

/* Whole groups: the last pair is repeated up to a multiple of W, which is within the arrays. */
_Static_assert(MUS_CCD_BATCH % W == 0 && MUS_CCD_BATCH <= 64, "a batch is whole groups, and a bit a pair");
LANES_FN void fill_up(quadruple *vertex, double *gap, int count) {
    for (int k = count; k % W; k++) {
        for (int i = 0; i < 4; i++) vertex[k][i] = vertex[count - 1][i];
        gap[k] = gap[count - 1];
    }
}

/* One coordinate of all differences: its range, and where it certifies on its own. */
typedef struct extent {
    lanes least, most, size;
    mask apart;
} extent;

LANES_FN extent extent_of(const lanes a[4], const lanes b[4], lanes gap) {
    extent e;
    lanes lo0 = lanes_min(lanes_min(a[0], a[2]), lanes_min(b[0], b[2]));
    lanes lo1 = lanes_min(lanes_min(a[1], a[3]), lanes_min(b[1], b[3]));
    lanes hi0 = lanes_max(lanes_max(a[0], a[2]), lanes_max(b[0], b[2]));
    lanes hi1 = lanes_max(lanes_max(a[1], a[3]), lanes_max(b[1], b[3]));
    e.least = lanes_min(lo0, lo1), e.most = lanes_max(hi0, hi1);
    e.size = lanes_max(lanes_neg(e.least), e.most);
    lanes shrunk = lanes_all(1 - 4 * UNIT);
    mask beyond =
        mask_or(lanes_above(lanes_mul(e.least, shrunk), gap), lanes_above(lanes_neg(gap), lanes_mul(e.most, shrunk)));
    /* Minima pass over NaN, a sum does not. */
    lanes sum = lanes_add(lanes_add(lanes_add(a[0], a[2]), lanes_add(b[0], b[2])),
                          lanes_add(lanes_add(a[1], a[3]), lanes_add(b[1], b[3])));
    e.apart = mask_and(beyond, lanes_ordered(sum, sum));
    return e;
}

LANES_FN void extents_of(const differences *w, lanes gap, extent e[3]) {
    const l3 *a = w->start, *b = w->end;
    e[0] = extent_of((lanes[4]){a[0].x, a[1].x, a[2].x, a[3].x}, (lanes[4]){b[0].x, b[1].x, b[2].x, b[3].x}, gap);
    e[1] = extent_of((lanes[4]){a[0].y, a[1].y, a[2].y, a[3].y}, (lanes[4]){b[0].y, b[1].y, b[2].y, b[3].y}, gap);
    e[2] = extent_of((lanes[4]){a[0].z, a[1].z, a[2].z, a[3].z}, (lanes[4]){b[0].z, b[1].z, b[2].z, b[3].z}, gap);
}

LANES_FN lanes size_of(const extent e[3]) {
    return lanes_max(lanes_max(e[0].size, e[1].size), e[2].size);
}

/* What an axis says at both ends, and the least value that certifies. */
typedef struct projection {
    lanes s0[4], s1[4], limit;
} projection;

LANES_FN projection project(const differences *w, l3 d, lanes gap, lanes size) {
    projection p = {
        .s0 = {l3_dot(d, w->start[0]), l3_dot(d, w->start[1]), l3_dot(d, w->start[2]), l3_dot(d, w->start[3])},
        .s1 = {l3_dot(d, w->end[0]), l3_dot(d, w->end[1]), l3_dot(d, w->end[2]), l3_dot(d, w->end[3])},
    };
    lanes spread = lanes_add(lanes_add(lanes_abs(d.x), lanes_abs(d.y)), lanes_abs(d.z));
    lanes relative = lanes_mul(lanes_all(8 * UNIT), lanes_add(size, gap));
    lanes limit = lanes_add(lanes_mul(spread, lanes_add(relative, lanes_all(1e-300))), lanes_all(DBL_MIN));
    lanes kept = lanes_add(limit, lanes_mul(gap, lanes_sqrt(lanes_add(l3_length2(d), lanes_all(DBL_MIN)))));
    p.limit = lanes_select(lanes_above(gap, lanes_all(0)), kept, limit);
    return p;
}

LANES_FN mask all_above(const lanes s[4], lanes limit) {
    return mask_and(mask_and(lanes_above(s[0], limit), lanes_above(s[1], limit)),
                    mask_and(lanes_above(s[2], limit), lanes_above(s[3], limit)));
}

LANES_FN mask clear_at(const projection *p, lanes t) {
    lanes s = lanes_sub(lanes_all(1), t);
    lanes at[4] = {lanes_add(lanes_mul(s, p->s0[0]), lanes_mul(t, p->s1[0])),
                   lanes_add(lanes_mul(s, p->s0[1]), lanes_mul(t, p->s1[1])),
                   lanes_add(lanes_mul(s, p->s0[2]), lanes_mul(t, p->s1[2])),
                   lanes_add(lanes_mul(s, p->s0[3]), lanes_mul(t, p->s1[3]))};
    return all_above(at, p->limit);
}

/* The time at which difference k reaches the limit, if that is before `exit` on the way to the end. */
LANES_FN lanes sooner(const projection *p, int k, bool forward, lanes exit) {
    lanes at = lanes_div(lanes_sub(p->s0[k], p->limit), lanes_sub(p->s0[k], p->s1[k]));
    mask before = forward ? lanes_above(exit, at) : lanes_above(at, exit);
    return lanes_select(mask_without(before, lanes_above(forward ? p->s1[k] : p->s0[k], p->limit)), at, exit);
}

LANES_FN lanes try_share(const projection *p, double share, lanes t, lanes exit, mask *open, lanes best) {
    lanes at = lanes_add(t, lanes_mul(lanes_all(share), lanes_sub(exit, t)));
    mask good = mask_and(*open, clear_at(p, at));
    *open = mask_without(*open, good);
    return lanes_select(good, at, best);
}

/* As in ccd.c: the farthest time from t toward the end (1 if forward, else 0) that is known to be clear. */
LANES_FN lanes clear_toward(const projection *p, lanes t, bool forward) {
    lanes end = lanes_all(forward ? 1 : 0);
    lanes exit = sooner(p, 3, forward, sooner(p, 2, forward, sooner(p, 1, forward, sooner(p, 0, forward, end))));
    mask whole = lanes_equal(exit, end), open = mask_without(lanes_ordered(t, t), whole);
    lanes best = lanes_select(mask_and(whole, clear_at(p, end)), end, t);
    best = try_share(p, 1 - 0x1p-20, t, exit, &open, best);
    if (mask_bits(open)) {
        best = try_share(p, 0.5 * (1 - 0x1p-20), t, exit, &open, best);
        best = try_share(p, 0.25 * (1 - 0x1p-20), t, exit, &open, best);
    }
    return best;
}

/* ---- Axes, quick and good, as in ccd.c --------------------------------------------------------------------------- */

LANES_FN lanes clamp01(lanes a) {
    return lanes_min(lanes_max(a, lanes_all(0)), lanes_all(1));
}

LANES_FN l3 quick_segment(l3 r, l3 e) {
    return l3_axpy(lanes_neg(clamp01(lanes_div(l3_dot(r, e), l3_length2(e)))), e, r);
}

LANES_FN l3 quick_axis_vf(const l3 w[3]) {
    const lanes zero = lanes_all(0);
    l3 ab = l3_sub(w[0], w[1]), bc = l3_sub(w[1], w[2]), ca = l3_sub(w[2], w[0]);
    l3 n = l3_cross(ab, bc);
    lanes na = l3_dot(l3_cross(w[1], w[2]), n), nb = l3_dot(l3_cross(w[2], w[0]), n);
    lanes nc = l3_dot(l3_cross(w[0], w[1]), n);
    mask inside = mask_and(mask_and(lanes_at_least(na, zero), lanes_at_least(nb, zero)), lanes_at_least(nc, zero));
    mask a = lanes_above(zero, na), b = lanes_above(zero, nb), c = lanes_above(zero, nc);
    l3 d = quick_segment(l3_select(a, w[1], l3_select(b, w[2], w[0])), l3_select(a, bc, l3_select(b, ca, ab)));
    l3 e = quick_segment(l3_select(c, w[0], w[2]), l3_select(c, ab, ca));
    mask two = mask_or(mask_and(a, mask_or(b, c)), mask_without(mask_and(b, c), a));
    d = l3_select(mask_and(two, lanes_above(l3_length2(d), l3_length2(e))), e, d);
    return l3_select(inside, l3_select(lanes_above(l3_dot(n, w[0]), zero), n, l3_neg(n)), d);
}

LANES_FN l3 quick_axis_ee(const l3 w[3]) {
    const lanes zero = lanes_all(0);
    l3 a = l3_sub(w[0], w[2]), b = l3_sub(w[1], w[0]), r = w[0];
    lanes aa = l3_length2(a), bb = l3_length2(b), ab = l3_dot(a, b), ar = l3_dot(a, r), br = l3_dot(b, r);
    lanes det = lanes_sub(lanes_mul(aa, bb), lanes_mul(ab, ab));
    lanes s = lanes_sub(lanes_mul(ar, bb), lanes_mul(br, ab));
    lanes across = lanes_sub(lanes_mul(s, ab), lanes_mul(br, det));
    mask inside = mask_and(mask_and(lanes_above(s, zero), lanes_above(det, s)),
                           mask_and(lanes_above(across, zero), lanes_above(lanes_mul(bb, det), across)));
    l3 n = l3_cross(a, b);
    n = l3_select(lanes_above(l3_dot(n, r), zero), n, l3_neg(n));
    s = lanes_select(lanes_above(det, zero), clamp01(lanes_div(s, det)), zero);
    lanes t = clamp01(lanes_div(lanes_sub(lanes_mul(s, ab), br), bb));
    s = clamp01(lanes_div(lanes_add(lanes_mul(t, ab), ar), aa));
    return l3_select(inside, n, l3_axpy(lanes_neg(s), a, l3_axpy(t, b, r)));
}

typedef struct nearest {
    l3 d, e;
    lanes ee, distance2;
    mask inside;
} nearest;

LANES_FN nearest nearest_start(l3 d) {
    lanes zero = lanes_all(0);
    return (nearest){d, {zero, zero, zero}, zero, lanes_all((double)INFINITY), lanes_above(zero, zero)};
}

/* Only where `asked`. */
LANES_FN void try_segment(mask asked, l3 r, l3 e, nearest *best) {
    lanes zero = lanes_all(0), ee = l3_length2(e), re = l3_dot(r, e);
    mask beyond = lanes_above(re, zero), inside = mask_and(beyond, lanes_above(ee, re));
    l3 d = l3_select(mask_and(beyond, lanes_above(ee, zero)), l3_sub(r, e), r);
    d = l3_select(inside, l3_axpy(lanes_neg(lanes_div(re, ee)), e, r), d);
    lanes l = l3_length2(d);
    mask better = mask_and(asked, lanes_above(best->distance2, l));
    best->d = l3_select(better, d, best->d);
    best->e = l3_select(better, e, best->e);
    best->ee = lanes_select(better, ee, best->ee);
    best->distance2 = lanes_select(better, l, best->distance2);
    best->inside = mask_or(mask_and(better, inside), mask_without(best->inside, better));
}

LANES_FN l3 refined(const nearest *p) {
    return l3_select(p->inside, l3_axpy(lanes_neg(lanes_div(l3_dot(p->d, p->e), p->ee)), p->e, p->d), p->d);
}

/* n, pointing to where the side is positive, where `across` and the side is not 0; else d. */
LANES_FN l3 across_or(mask across, l3 n, lanes side, l3 d) {
    lanes zero = lanes_all(0);
    d = l3_select(mask_and(across, lanes_above(zero, side)), l3_neg(n), d);
    return l3_select(mask_and(across, lanes_above(side, zero)), n, d);
}

LANES_FN l3 axis_vf(const l3 w[3]) {
    const lanes zero = lanes_all(0);
    l3 ab = l3_sub(w[0], w[1]), bc = l3_sub(w[1], w[2]), ca = l3_sub(w[2], w[0]);
    l3 n = l3_cross(ab, bc);
    lanes na = l3_dot(l3_cross(w[1], w[2]), n), nb = l3_dot(l3_cross(w[2], w[0]), n);
    lanes nc = l3_dot(l3_cross(w[0], w[1]), n);
    mask over = mask_and(mask_and(lanes_at_least(na, zero), lanes_at_least(nb, zero)), lanes_at_least(nc, zero));
    mask a = lanes_above(zero, na), b = lanes_above(zero, nb), c = lanes_above(zero, nc);
    mask all = mask_without(mask_without(mask_without(lanes_equal(zero, zero), a), b), c);
    nearest best = nearest_start(w[0]);
    try_segment(mask_or(all, c), w[0], ab, &best);
    try_segment(mask_or(all, a), w[1], bc, &best);
    try_segment(mask_or(all, b), w[2], ca, &best);
    return across_or(over, n, l3_dot(n, w[0]), refined(&best));
}

LANES_FN l3 axis_ee(const l3 w[3]) {
    const lanes zero = lanes_all(0);
    l3 a = l3_sub(w[0], w[2]), b = l3_sub(w[1], w[0]), r = w[0], back = l3_neg(b);
    l3 n = l3_cross(a, b);
    lanes det = l3_length2(n), s = l3_dot(l3_cross(r, b), n), t = l3_dot(l3_cross(r, a), n);
    mask across = mask_and(mask_and(lanes_above(s, zero), lanes_above(det, s)),
                           mask_and(lanes_above(t, zero), lanes_above(det, t)));
    mask all = lanes_equal(zero, zero);
    nearest best = nearest_start(r);
    try_segment(all, r, a, &best);
    try_segment(all, w[1], a, &best);
    try_segment(all, r, back, &best);
    try_segment(all, w[2], back, &best);
    return across_or(across, n, l3_dot(n, r), refined(&best));
}

LANES_FN l3 difference_at(const differences *w, int k, lanes t) {
    return l3_mix(lanes_sub(lanes_all(1), t), w->start[k], t, w->end[k]);
}

/* ---- The query --------------------------------------------------------------------------------------------------- */

/* The largest change of a difference. */
LANES_FN lanes motion_of(const differences *w) {
    lanes motion2 = lanes_max(lanes_all(0), l3_length2(l3_sub(w->end[0], w->start[0])));
    motion2 = lanes_max(motion2, l3_length2(l3_sub(w->end[1], w->start[1])));
    motion2 = lanes_max(motion2, l3_length2(l3_sub(w->end[2], w->start[2])));
    motion2 = lanes_max(motion2, l3_length2(l3_sub(w->end[3], w->start[3])));
    return lanes_sqrt(motion2);
}

enum { ALL = (1 << W) - 1 };

/* First the axes of the coordinates for all pairs, then, for those left together, the one between nearest points in the
 * middle of the step. */
LANES_FN uint64_t settle(pair_kind kind, const v3 *x0, const v3 *x1, mus_ccd_batch *batch) {
    quadruple left[MUS_CCD_BATCH];
    double left_gap[MUS_CCD_BATCH], found[4][W];
    uint8_t left_pair[MUS_CCD_BATCH];
    int left_count = 0, count = batch->count;
    differences w;
    extent e[3];

    fill_up(batch->vertex, batch->gap, count);
    for (int from = 0; from < count; from += W) {
        differences_at_end(kind, x0, batch->vertex + from, w.start);
        differences_at_end(kind, x1, batch->vertex + from, w.end);
        extents_of(&w, lanes_load(batch->gap + from), e);
        /* The first coordinate that certifies is the axis, pointing to the side of w. */
        const lanes zero = lanes_all(0), one = lanes_all(1), back = lanes_all(-1);
        mask x = e[0].apart, y = mask_without(e[1].apart, x), z = mask_without(mask_without(e[2].apart, x), y);
        lanes side_x = lanes_select(lanes_above(e[0].least, zero), one, back);
        lanes side_y = lanes_select(lanes_above(e[1].least, zero), one, back);
        lanes side_z = lanes_select(lanes_above(e[2].least, zero), one, back);
        lanes_store(batch->axis[0] + from, lanes_select(x, side_x, zero));
        lanes_store(batch->axis[1] + from, lanes_select(y, side_y, zero));
        lanes_store(batch->axis[2] + from, lanes_select(z, side_z, zero));
        uint32_t some = count - from < W ? (1u << (count - from)) - 1 : ALL;
        for (uint32_t bits = some & ~mask_bits(mask_or(mask_or(x, y), z)); bits; bits &= bits - 1) {
            int k = from + __builtin_ctz(bits);
            memcpy(left[left_count], batch->vertex[k], sizeof left[0]);
            left_gap[left_count] = batch->gap[k];
            left_pair[left_count++] = (uint8_t)k;
        }
    }

    uint64_t unsettled = 0;
    fill_up(left, left_gap, left_count);
    for (int from = 0; from < left_count; from += W) {
        differences_at_end(kind, x0, left + from, w.start);
        differences_at_end(kind, x1, left + from, w.end);
        lanes gap = lanes_load(left_gap + from);
        extents_of(&w, gap, e);
        lanes half = lanes_all(0.5), size = size_of(e);
        l3 middle[3] = {difference_at(&w, 0, half), difference_at(&w, 1, half),
                        difference_at(&w, 2, half)}; /* of four, one follows */
        l3 d = kind == VERTEX_FACE ? quick_axis_vf(middle) : quick_axis_ee(middle);
        projection p = project(&w, d, gap, size);
        uint32_t some = left_count - from < W ? (1u << (left_count - from)) - 1 : ALL;
        uint32_t settled = some & mask_bits(mask_and(all_above(p.s0, p.limit), all_above(p.s1, p.limit)));
        lanes_store(found[0], d.x), lanes_store(found[1], d.y), lanes_store(found[2], d.z);
        for (uint32_t bits = settled; bits; bits &= bits - 1) {
            int k = __builtin_ctz(bits), pair = left_pair[from + k];
            for (int i = 0; i < 3; i++) batch->axis[i][pair] = found[i][k];
        }
        if (settled == some) continue;
        mask holds = clear_at(&p, half);
        lanes_store(found[0], lanes_select(holds, clear_toward(&p, half, false), lanes_all(1)));
        lanes_store(found[1], lanes_select(holds, clear_toward(&p, half, true), lanes_all(1)));
        lanes_store(found[2], size);
        lanes_store(found[3], motion_of(&w));
        for (uint32_t bits = some & ~settled; bits; bits &= bits - 1) {
            int k = __builtin_ctz(bits), pair = left_pair[from + k];
            unsettled |= (uint64_t)1 << pair;
            batch->clear_from[pair] = found[0][k], batch->clear_until[pair] = found[1][k];
            batch->size[pair] = found[2][k], batch->motion[pair] = found[3][k];
        }
    }
    return unsettled;
}

LANES_FN uint64_t axes_fail(pair_kind kind, const v3 *x0, const v3 *x1, mus_ccd_batch *batch) {
    uint64_t fail = 0;
    int count = batch->count;
    fill_up(batch->vertex, batch->gap, count);
    for (int from = 0; from < count; from += W) {
        differences w;
        extent e[3];
        differences_at_end(kind, x0, batch->vertex + from, w.start);
        differences_at_end(kind, x1, batch->vertex + from, w.end);
        lanes gap = lanes_load(batch->gap + from);
        extents_of(&w, gap, e);
        l3 d = {lanes_load(batch->axis[0] + from), lanes_load(batch->axis[1] + from),
                lanes_load(batch->axis[2] + from)};
        projection p = project(&w, d, gap, size_of(e));
        uint32_t clear = mask_bits(mask_and(all_above(p.s0, p.limit), all_above(p.s1, p.limit)));
        fail |= (uint64_t)(~clear & ALL) << from;
    }
    return count < 64 ? fail & (((uint64_t)1 << count) - 1) : fail;
}

/* Pairs under way, a lane each; in memory, so that a lane can be given a new pair. */
typedef struct flight {
    double start[4][3][W], end[4][3][W]; /* differences */
    double gap[W], tolerance[W], clear_from[W], clear_until[W], size[W], motion[W];
    double t[W], ahead[W], axes[W];
    mus_ccd_open *open[W]; /* NULL: the lane is idle */
} flight;

static void lane_differences(pair_kind kind, const v3 *x, const int32_t v[4], int lane, double w[4][3][W]) {
    for (int k = 0; k < 4; k++) {
        int last = k < 3 ? k + 1 : 3;
        v3 d = kind == VERTEX_FACE ? v3_sub(x[v[0]], x[v[last]]) : v3_sub(x[v[2 + k % 2]], x[v[k / 2]]);
        w[k][0][lane] = d.x, w[k][1][lane] = d.y, w[k][2][lane] = d.z;
    }
}

/* From the end of what is known to be clear at t, if t is in there. */
static void skip_clear(flight *f, int lane) {
    if (f->t[lane] >= f->clear_from[lane] && f->t[lane] < f->clear_until[lane]) {
        f->t[lane] = f->clear_until[lane];
        f->ahead[lane] = 0.5 * (1 - f->t[lane]);
    }
}

static void land(flight *f, int lane, bool hit, bool near_at_start) {
    mus_ccd_open *open = f->open[lane];
    open->result =
        (mus_ccd_result){.toi = hit ? f->t[lane] : 1, .iterations = (int)f->axes[lane], .near_at_start = near_at_start};
    open->hit = hit;
    f->open[lane] = NULL;
}

/* The next pair of the pool into an idle lane. Its time is 1 already if the first axis holds to the end from there. */
static void take_off(pair_kind kind, const v3 *x0, const v3 *x1, mus_ccd_open *open, flight *f, int lane) {
    lane_differences(kind, x0, open->vertex, lane, f->start);
    lane_differences(kind, x1, open->vertex, lane, f->end);
    f->gap[lane] = open->gap, f->tolerance[lane] = open->tolerance, f->size[lane] = open->size;
    f->clear_from[lane] = open->clear_from, f->clear_until[lane] = open->clear_until, f->motion[lane] = open->motion;
    f->t[lane] = 0, f->axes[lane] = 1, f->open[lane] = open;
    f->ahead[lane] = open->clear_from < 0.5 ? 0.5 * open->clear_from : 0.1;
    skip_clear(f, lane);
    if (f->t[lane] >= 1) land(f, lane, false, false);
}

LANES_FN l3 load3(double x[3][W]) {
    return (l3){lanes_load(x[0]), lanes_load(x[1]), lanes_load(x[2])};
}

/* `advance` of ccd.c: a turn looks at one axis in every lane. A lane whose axis of a little later brought no progress
 * has ahead = 0: this time's own axis is next, and decides. */
LANES_FN void solve(pair_kind kind, const v3 *x0, const v3 *x1, mus_ccd_pool *pool) {
    flight f;
    int taken = 0;
    memset(&f, 0, sizeof f);
    for (;;) {
        int flying = 0;
        for (int lane = 0; lane < W; lane++) {
            while (!f.open[lane] && taken < pool->count) take_off(kind, x0, x1, &pool->pair[taken++], &f, lane);
            flying += f.open[lane] != NULL;
        }
        if (!flying) return;
        differences w = {{load3(f.start[0]), load3(f.start[1]), load3(f.start[2]), load3(f.start[3])},
                         {load3(f.end[0]), load3(f.end[1]), load3(f.end[2]), load3(f.end[3])}};
        lanes t = lanes_load(f.t), ahead = lanes_load(f.ahead), one = lanes_all(1);
        lanes at = lanes_select(lanes_above(ahead, lanes_all(0)), lanes_min(lanes_add(t, ahead), one), t);
        l3 x[3] = {difference_at(&w, 0, at), difference_at(&w, 1, at), difference_at(&w, 2, at)};
        projection p =
            project(&w, kind == VERTEX_FACE ? axis_vf(x) : axis_ee(x), lanes_load(f.gap), lanes_load(f.size));
        mask clear = clear_at(&p, t);
        lanes next = lanes_select(clear, clear_toward(&p, t, true), t);
        lanes gain = lanes_mul(lanes_sub(next, t), lanes_load(f.motion));
        uint32_t through = mask_bits(lanes_at_least(next, one));
        uint32_t progress = mask_bits(lanes_above(gain, lanes_load(f.tolerance)));
        uint32_t own = ~mask_bits(lanes_above(ahead, lanes_all(0))), clears = mask_bits(clear);
        double reached[W];
        lanes_store(reached, next);
        lanes_store(f.axes, lanes_add(lanes_load(f.axes), one));
        for (int lane = 0; lane < W; lane++) {
            if (!f.open[lane]) continue;
            if (through >> lane & 1) {
                land(&f, lane, false, false);
            } else if (progress >> lane & 1) {
                f.ahead[lane] = 0.25 * (reached[lane] - f.t[lane]);
                f.t[lane] = reached[lane];
                if (f.axes[lane] >= MUS_CCD_MOST_AXES) {
                    land(&f, lane, true, false);
                    continue;
                }
                skip_clear(&f, lane);
                if (f.t[lane] >= 1) land(&f, lane, false, false);
            } else if (own >> lane & 1) {
                land(&f, lane, true, f.t[lane] == 0 && !(clears >> lane & 1));
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
