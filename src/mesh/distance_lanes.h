/* distance_lanes.h: the vectors between nearest points of distance.c in vector lanes, operation for operation, so that
 * they are the same bits. For kernels. */
#ifndef MUS_MESH_DISTANCE_LANES_H
#define MUS_MESH_DISTANCE_LANES_H

#include "base/lanes.h"
#include "mesh/distance.h"

LANES_FN lanes lanes_clamp01(lanes x) {
    lanes zero = lanes_all(0), one = lanes_all(1);
    return lanes_select(lanes_above(zero, x), zero, lanes_select(lanes_above(x, one), one, x));
}

LANES_FN l3 l3_scale(lanes s, l3 a) {
    return (l3){lanes_mul(s, a.x), lanes_mul(s, a.y), lanes_mul(s, a.z)};
}
LANES_FN l3 l3_add(l3 a, l3 b) {
    return (l3){lanes_add(a.x, b.x), lanes_add(a.y, b.y), lanes_add(a.z, b.z)};
}

LANES_FN l3 lanes_from_segment(l3 ap, l3 ab, lanes *t) {
    lanes l = l3_length2(ab), zero = lanes_all(0);
    mask long_enough = lanes_above(l, lanes_all(MUS_DISTANCE_TINY));
    *t = lanes_select(long_enough, lanes_clamp01(lanes_div(l3_dot(ap, ab), l)), zero);
    return l3_axpy(lanes_neg(*t), ab, ap);
}

LANES_FN l3 lanes_nearest_vertex_face(l3 p, l3 a, l3 b, l3 c, lanes w[3]) {
    lanes zero = lanes_all(0);
    l3 ab = l3_sub(b, a), bc = l3_sub(c, b), ca = l3_sub(a, c);
    l3 ap = l3_sub(p, a), bp = l3_sub(p, b), cp = l3_sub(p, c);
    lanes lab = l3_length2(ab), lbc = l3_length2(bc), lca = l3_length2(ca);

    mask ab_longest = mask_and(lanes_at_least(lab, lbc), lanes_at_least(lab, lca));
    mask bc_longest = mask_without(lanes_at_least(lbc, lca), ab_longest);
    l3 e = l3_select(ab_longest, bc, l3_select(bc_longest, ca, ab));
    l3 f = l3_select(ab_longest, ca, l3_select(bc_longest, ab, bc));
    l3 n = l3_cross(e, f);
    lanes scale = lanes_select(ab_longest, lanes_mul(lbc, lca),
                               lanes_select(bc_longest, lanes_mul(lca, lab), lanes_mul(lab, lbc)));
    lanes nn = l3_length2(n);

    lanes wa = l3_dot(l3_cross(bp, cp), n), wb = l3_dot(l3_cross(cp, ap), n), wc = l3_dot(l3_cross(ap, bp), n);
    mask solid =
        mask_and(lanes_above(nn, lanes_mul(lanes_all(1e-16), scale)), lanes_above(nn, lanes_all(MUS_DISTANCE_TINY)));
    mask over = mask_and(mask_and(lanes_at_least(wa, zero), lanes_at_least(wb, zero)), lanes_at_least(wc, zero));
    mask inside = mask_and(mask_and(solid, over), lanes_above(lanes_add(lanes_add(wa, wb), wc), zero));

    mask a_out = lanes_above(zero, wa), b_out = lanes_above(zero, wb), c_out = lanes_above(zero, wc);
    mask some_out = mask_and(solid, mask_or(mask_or(a_out, b_out), c_out));
    mask all = mask_without(lanes_equal(zero, zero), some_out);
    lanes t, one = lanes_all(1);
    l3 best = ap, d = lanes_from_segment(ap, ab, &t);
    lanes least = l3_length2(ap), l = l3_length2(d);
    mask better = mask_and(mask_or(all, c_out), lanes_at_least(least, l));
    best = l3_select(better, d, best), least = lanes_select(better, l, least);
    l3 at = {lanes_select(better, lanes_sub(one, t), one), lanes_select(better, t, zero), zero};
    d = lanes_from_segment(bp, bc, &t), l = l3_length2(d);
    better = mask_and(mask_or(all, a_out), lanes_above(least, l));
    best = l3_select(better, d, best), least = lanes_select(better, l, least);
    at = l3_select(better, (l3){zero, lanes_sub(one, t), t}, at);
    d = lanes_from_segment(cp, ca, &t), l = l3_length2(d);
    better = mask_and(mask_or(all, b_out), lanes_above(least, l));
    best = l3_select(better, d, best);
    at = l3_select(better, (l3){t, zero, lanes_sub(one, t)}, at);
    lanes sum = lanes_add(lanes_add(wa, wb), wc);
    w[0] = lanes_select(inside, lanes_div(wa, sum), at.x);
    w[1] = lanes_select(inside, lanes_div(wb, sum), at.y);
    w[2] = lanes_select(inside, lanes_div(wc, sum), at.z);
    return l3_select(inside, l3_scale(lanes_div(l3_dot(ap, n), nn), n), best);
}

LANES_FN void lanes_nearer(mask asked, l3 d, l3 *best, lanes *least) {
    lanes l = l3_length2(d);
    mask better = mask_and(asked, lanes_above(*least, l));
    *best = l3_select(better, d, *best), *least = lanes_select(better, l, *least);
}

/* Nearly parallel edges. */
LANES_FN l3 lanes_nearest_parallel(l3 a, l3 b, l3 r, lanes aabb) {
    lanes zero = lanes_all(0), t;
    mask all = lanes_equal(zero, zero);
    l3 best = l3_neg(lanes_from_segment(l3_neg(r), b, &t));
    lanes least = l3_length2(best);
    lanes_nearer(all, l3_neg(lanes_from_segment(l3_sub(a, r), b, &t)), &best, &least);
    lanes_nearer(all, lanes_from_segment(r, a, &t), &best, &least);
    lanes_nearer(all, lanes_from_segment(l3_add(r, b), a, &t), &best, &least);
    l3 n = l3_cross(a, b);
    lanes nn = l3_length2(n), s = lanes_div(l3_dot(l3_cross(r, b), n), nn);
    mask crossing =
        mask_and(lanes_above(nn, lanes_mul(lanes_all(1e-24), aabb)), lanes_above(nn, lanes_all(MUS_DISTANCE_TINY)));
    crossing = mask_and(crossing, mask_and(lanes_above(s, zero), lanes_above(lanes_all(1), s)));
    lanes_nearer(crossing, l3_neg(lanes_from_segment(l3_axpy(s, a, l3_neg(r)), b, &t)), &best, &least);
    return best;
}

/* The weights are told where the edges are not nearly parallel: those lanes' bits are in `told`. */
LANES_FN l3 lanes_nearest_edge_edge(l3 a0, l3 a1, l3 b0, l3 b1, lanes w[2], uint32_t *told) {
    l3 a = l3_sub(a1, a0), b = l3_sub(b1, b0), r = l3_sub(b0, a0);
    lanes aa = l3_length2(a), bb = l3_length2(b), ab = l3_dot(a, b), ar = l3_dot(a, r), br = l3_dot(b, r);
    lanes aabb = lanes_mul(aa, bb), det = lanes_sub(aabb, lanes_mul(ab, ab)), tiny = lanes_all(MUS_DISTANCE_TINY);
    mask open = mask_and(lanes_above(det, lanes_mul(lanes_all(1e-6), aabb)),
                         mask_and(lanes_above(aa, tiny), lanes_above(bb, tiny)));
    lanes s = lanes_clamp01(lanes_div(lanes_sub(lanes_mul(ar, bb), lanes_mul(br, ab)), det));
    lanes t = lanes_div(lanes_sub(lanes_mul(s, ab), br), bb);
    mask past = mask_or(lanes_above(lanes_all(0), t), lanes_above(t, lanes_all(1)));
    t = lanes_clamp01(t); /* changes only what is past */
    s = lanes_select(past, lanes_clamp01(lanes_div(lanes_add(lanes_mul(t, ab), ar), aa)), s);
    l3 d = l3_axpy(lanes_neg(s), a, l3_axpy(t, b, r));
    mask parallel = mask_without(lanes_equal(tiny, tiny), open);
    w[0] = s, w[1] = t, *told = mask_bits(open);
    return mask_bits(parallel) ? l3_select(parallel, lanes_nearest_parallel(a, b, r, aabb), d) : d;
}

#endif
