/* distance_simd.h: the nearest points of distance.c in SIMD, operation for operation, so that they are bit-identical.
 * For kernels. */
#ifndef MUS_MESH_DISTANCE_SIMD_H
#define MUS_MESH_DISTANCE_SIMD_H

#include "base/simd_double.h"
#include "mesh/distance.h"

SIMD_FN simd_double simd_clamp01(simd_double x) {
    simd_double zero = simd_set1(0), one = simd_set1(1);
    return simd_select(simd_greater(zero, x), zero, simd_select(simd_greater(x, one), one, x));
}

SIMD_FN simd_v3 simd_v3_scale(simd_double s, simd_v3 a) {
    return (simd_v3){simd_mul(s, a.x), simd_mul(s, a.y), simd_mul(s, a.z)};
}
SIMD_FN simd_v3 simd_v3_add(simd_v3 a, simd_v3 b) {
    return (simd_v3){simd_add(a.x, b.x), simd_add(a.y, b.y), simd_add(a.z, b.z)};
}

SIMD_FN simd_v3 simd_from_segment(simd_v3 ap, simd_v3 ab, simd_double *t) {
    simd_double l = simd_v3_length2(ab), zero = simd_set1(0);
    mask long_enough = simd_greater(l, simd_set1(MUS_DISTANCE_TINY));
    *t = simd_select(long_enough, simd_clamp01(simd_div(simd_v3_dot(ap, ab), l)), zero);
    return simd_v3_axpy(simd_neg(*t), ab, ap);
}

SIMD_FN simd_v3 simd_nearest_vertex_face(simd_v3 p, simd_v3 a, simd_v3 b, simd_v3 c, simd_double w[3]) {
    simd_double zero = simd_set1(0);
    simd_v3 ab = simd_v3_sub(b, a), bc = simd_v3_sub(c, b), ca = simd_v3_sub(a, c);
    simd_v3 ap = simd_v3_sub(p, a), bp = simd_v3_sub(p, b), cp = simd_v3_sub(p, c);
    simd_double lab = simd_v3_length2(ab), lbc = simd_v3_length2(bc), lca = simd_v3_length2(ca);

    mask ab_longest = mask_and(simd_greater_equal(lab, lbc), simd_greater_equal(lab, lca));
    mask bc_longest = mask_without(simd_greater_equal(lbc, lca), ab_longest);
    simd_v3 e = simd_v3_select(ab_longest, bc, simd_v3_select(bc_longest, ca, ab));
    simd_v3 f = simd_v3_select(ab_longest, ca, simd_v3_select(bc_longest, ab, bc));
    simd_v3 n = simd_v3_cross(e, f);
    simd_double scale =
        simd_select(ab_longest, simd_mul(lbc, lca), simd_select(bc_longest, simd_mul(lca, lab), simd_mul(lab, lbc)));
    simd_double nn = simd_v3_length2(n);

    simd_double wa = simd_v3_dot(simd_v3_cross(bp, cp), n), wb = simd_v3_dot(simd_v3_cross(cp, ap), n),
                wc = simd_v3_dot(simd_v3_cross(ap, bp), n);
    mask solid =
        mask_and(simd_greater(nn, simd_mul(simd_set1(1e-16), scale)), simd_greater(nn, simd_set1(MUS_DISTANCE_TINY)));
    mask over =
        mask_and(mask_and(simd_greater_equal(wa, zero), simd_greater_equal(wb, zero)), simd_greater_equal(wc, zero));
    mask inside = mask_and(mask_and(solid, over), simd_greater(simd_add(simd_add(wa, wb), wc), zero));

    mask a_out = simd_greater(zero, wa), b_out = simd_greater(zero, wb), c_out = simd_greater(zero, wc);
    mask some_out = mask_and(solid, mask_or(mask_or(a_out, b_out), c_out));
    mask all = mask_without(simd_equal(zero, zero), some_out);
    simd_double t, one = simd_set1(1);
    simd_v3 best = ap, d = simd_from_segment(ap, ab, &t);
    simd_double least = simd_v3_length2(ap), l = simd_v3_length2(d);
    mask better = mask_and(mask_or(all, c_out), simd_greater_equal(least, l));
    best = simd_v3_select(better, d, best), least = simd_select(better, l, least);
    simd_v3 at = {simd_select(better, simd_sub(one, t), one), simd_select(better, t, zero), zero};
    d = simd_from_segment(bp, bc, &t), l = simd_v3_length2(d);
    better = mask_and(mask_or(all, a_out), simd_greater(least, l));
    best = simd_v3_select(better, d, best), least = simd_select(better, l, least);
    at = simd_v3_select(better, (simd_v3){zero, simd_sub(one, t), t}, at);
    d = simd_from_segment(cp, ca, &t), l = simd_v3_length2(d);
    better = mask_and(mask_or(all, b_out), simd_greater(least, l));
    best = simd_v3_select(better, d, best);
    at = simd_v3_select(better, (simd_v3){t, zero, simd_sub(one, t)}, at);
    simd_double sum = simd_add(simd_add(wa, wb), wc);
    w[0] = simd_select(inside, simd_div(wa, sum), at.x);
    w[1] = simd_select(inside, simd_div(wb, sum), at.y);
    w[2] = simd_select(inside, simd_div(wc, sum), at.z);
    return simd_v3_select(inside, simd_v3_scale(simd_div(simd_v3_dot(ap, n), nn), n), best);
}

SIMD_FN void simd_keep_nearer(mask wanted, simd_v3 d, simd_v3 *best, simd_double *least) {
    simd_double l = simd_v3_length2(d);
    mask better = mask_and(wanted, simd_greater(*least, l));
    *best = simd_v3_select(better, d, *best), *least = simd_select(better, l, *least);
}

/* Nearly parallel edges. */
SIMD_FN simd_v3 simd_nearest_parallel(simd_v3 a, simd_v3 b, simd_v3 r, simd_double aabb) {
    simd_double zero = simd_set1(0), t;
    mask all = simd_equal(zero, zero);
    simd_v3 best = simd_v3_neg(simd_from_segment(simd_v3_neg(r), b, &t));
    simd_double least = simd_v3_length2(best);
    simd_keep_nearer(all, simd_v3_neg(simd_from_segment(simd_v3_sub(a, r), b, &t)), &best, &least);
    simd_keep_nearer(all, simd_from_segment(r, a, &t), &best, &least);
    simd_keep_nearer(all, simd_from_segment(simd_v3_add(r, b), a, &t), &best, &least);
    simd_v3 n = simd_v3_cross(a, b);
    simd_double nn = simd_v3_length2(n), s = simd_div(simd_v3_dot(simd_v3_cross(r, b), n), nn);
    mask crossing =
        mask_and(simd_greater(nn, simd_mul(simd_set1(1e-24), aabb)), simd_greater(nn, simd_set1(MUS_DISTANCE_TINY)));
    crossing = mask_and(crossing, mask_and(simd_greater(s, zero), simd_greater(simd_set1(1), s)));
    simd_keep_nearer(crossing, simd_v3_neg(simd_from_segment(simd_v3_axpy(s, a, simd_v3_neg(r)), b, &t)), &best,
                     &least);
    return best;
}

/* Sets the weights in lanes whose edges are not nearly parallel; the bits of these lanes are returned in `unresolved`.
 */
SIMD_FN simd_v3 simd_nearest_edge_edge(simd_v3 a0, simd_v3 a1, simd_v3 b0, simd_v3 b1, simd_double w[2],
                                       uint32_t *unresolved) {
    simd_v3 a = simd_v3_sub(a1, a0), b = simd_v3_sub(b1, b0), r = simd_v3_sub(b0, a0);
    simd_double aa = simd_v3_length2(a), bb = simd_v3_length2(b), ab = simd_v3_dot(a, b), ar = simd_v3_dot(a, r),
                br = simd_v3_dot(b, r);
    simd_double aabb = simd_mul(aa, bb), det = simd_sub(aabb, simd_mul(ab, ab)), tiny = simd_set1(MUS_DISTANCE_TINY);
    mask open = mask_and(simd_greater(det, simd_mul(simd_set1(1e-6), aabb)),
                         mask_and(simd_greater(aa, tiny), simd_greater(bb, tiny)));
    simd_double s = simd_clamp01(simd_div(simd_sub(simd_mul(ar, bb), simd_mul(br, ab)), det));
    simd_double t = simd_div(simd_sub(simd_mul(s, ab), br), bb);
    mask past = mask_or(simd_greater(simd_set1(0), t), simd_greater(t, simd_set1(1)));
    t = simd_clamp01(t); /* changes only the lanes of `past` */
    s = simd_select(past, simd_clamp01(simd_div(simd_add(simd_mul(t, ab), ar), aa)), s);
    simd_v3 d = simd_v3_axpy(simd_neg(s), a, simd_v3_axpy(t, b, r));
    mask parallel = mask_without(simd_equal(tiny, tiny), open);
    w[0] = s, w[1] = t, *unresolved = mask_bits(open);
    return mask_bits(parallel) ? simd_v3_select(parallel, simd_nearest_parallel(a, b, r, aabb), d) : d;
}

#endif
