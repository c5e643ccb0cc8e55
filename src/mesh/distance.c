/* distance.c: nearest points of vertex–face and edge–edge, after the visible-edge argument and Lumelsky (1985). */
#include "mesh/distance.h"
#include "muslin/query.h"

static double clamp01(double x) {
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

/* Vector from the nearest point of the segment a + t ab to the point; t in [0, 1]. `ap` is the point minus a. */
static v3 from_segment(v3 ap, v3 ab, double *t) {
    double l = v3_length2(ab);
    *t = l > MUS_DISTANCE_TINY ? clamp01(v3_dot(ap, ab) / l) : 0;
    return v3_axpy(-*t, ab, ap);
}

v3 mus_nearest_vertex_face(v3 p, v3 a, v3 b, v3 c, double w[3]) {
    v3 ab = v3_sub(b, a), bc = v3_sub(c, b), ca = v3_sub(a, c);
    v3 ap = v3_sub(p, a), bp = v3_sub(p, b), cp = v3_sub(p, c);
    double lab = v3_length2(ab), lbc = v3_length2(bc), lca = v3_length2(ca);

    /* The normal from the two shorter edges, whose product loses least. */
    v3 n;
    double scale;
    if (lab >= lbc && lab >= lca) {
        n = v3_cross(bc, ca), scale = lbc * lca;
    } else if (lbc >= lca) {
        n = v3_cross(ca, ab), scale = lca * lab;
    } else {
        n = v3_cross(ab, bc), scale = lab * lbc;
    }
    double nn = v3_length2(n);

    /* Twice the signed areas opposite each corner, times |n|. */
    double wa = v3_dot(v3_cross(bp, cp), n), wb = v3_dot(v3_cross(cp, ap), n), wc = v3_dot(v3_cross(ap, bp), n);

    /* The normal of a face thinner than 1e-8 of its length is unreliable; the edges of such a face are as near as its
     * inside. */
    bool solid = nn > 1e-16 * scale && nn > MUS_DISTANCE_TINY;
    if (solid && wa >= 0 && wb >= 0 && wc >= 0) {
        double sum = wa + wb + wc;
        if (sum > 0) {
            w[0] = wa / sum, w[1] = wb / sum, w[2] = wc / sum;
            return v3_scale(v3_dot(ap, n) / nn, n);
        }
    }

    /* Outside: the nearest point lies on an edge that separates the vertex's projection from the face. */
    bool all = !solid || !(wa < 0 || wb < 0 || wc < 0);
    v3 best = ap;
    double least = v3_length2(ap), t;
    w[0] = 1, w[1] = 0, w[2] = 0;
    if (all || wc < 0) {
        v3 d = from_segment(ap, ab, &t);
        double l = v3_length2(d);
        if (l <= least) best = d, least = l, w[0] = 1 - t, w[1] = t, w[2] = 0;
    }
    if (all || wa < 0) {
        v3 d = from_segment(bp, bc, &t);
        double l = v3_length2(d);
        if (l < least) best = d, least = l, w[0] = 0, w[1] = 1 - t, w[2] = t;
    }
    if (all || wb < 0) {
        v3 d = from_segment(cp, ca, &t);
        double l = v3_length2(d);
        if (l < least) best = d, w[0] = t, w[1] = 0, w[2] = 1 - t;
    }
    return best;
}

/* The best of the four pairs of an end and an edge: exact for parallel edges, and if a nearest point is an end. */
static v3 nearest_at_ends(v3 a, v3 b, v3 r, double w[2]) {
    double t;
    v3 best = from_segment(v3_neg(r), b, &t); /* a0 */
    double least = v3_length2(best);
    best = v3_neg(best);
    w[0] = 0, w[1] = t;
    v3 d = from_segment(v3_sub(a, r), b, &t); /* a1 */
    double l = v3_length2(d);
    if (l < least) best = v3_neg(d), least = l, w[0] = 1, w[1] = t;
    d = from_segment(r, a, &t); /* b0 */
    l = v3_length2(d);
    if (l < least) best = d, least = l, w[0] = t, w[1] = 0;
    d = from_segment(v3_add(r, b), a, &t); /* b1 */
    l = v3_length2(d);
    if (l < least) best = d, w[0] = t, w[1] = 1;
    return best;
}

v3 mus_nearest_edge_edge(v3 a0, v3 a1, v3 b0, v3 b1, double w[2]) {
    v3 a = v3_sub(a1, a0), b = v3_sub(b1, b0), r = v3_sub(b0, a0);
    double aa = v3_length2(a), bb = v3_length2(b), ab = v3_dot(a, b), ar = v3_dot(a, r), br = v3_dot(b, r);
    double det = aa * bb - ab * ab; /* |a|^2 |b|^2 sin^2 */

    if (det > 1e-6 * (aa * bb) && aa > MUS_DISTANCE_TINY && bb > MUS_DISTANCE_TINY) {
        /* Minimize |r + t b - s a|^2 over the square: the free minimum along s, then t, then s again where t clamps. */
        double s = clamp01((ar * bb - br * ab) / det);
        double t = (s * ab - br) / bb;
        if (t < 0 || t > 1) {
            t = clamp01(t);
            s = clamp01((t * ab + ar) / aa);
        }
        w[0] = s, w[1] = t;
        return v3_axpy(-s, a, v3_axpy(t, b, r));
    }

    /* Nearly parallel: det is mostly rounding. The ends decide, unless the lines cross inside both edges and come
     * nearer. */
    v3 best = nearest_at_ends(a, b, r, w);
    v3 n = v3_cross(a, b);
    double nn = v3_length2(n), t;
    if (nn > 1e-24 * (aa * bb) && nn > MUS_DISTANCE_TINY) {
        /* s may be off along the edges by u/sin; t as its foot on b keeps that error out of the distance. */
        double s = v3_dot(v3_cross(r, b), n) / nn;
        if (s > 0 && s < 1) {
            v3 d = from_segment(v3_axpy(s, a, v3_neg(r)), b, &t);
            if (v3_length2(d) < v3_length2(best)) best = v3_neg(d), w[0] = s, w[1] = t;
        }
    }
    return best;
}

double mus_distance_vertex_face(const double points[12], double face_weights[3]) {
    double w[3];
    v3 d = mus_nearest_vertex_face(v3_load(points), v3_load(points + 3), v3_load(points + 6), v3_load(points + 9), w);
    for (int k = 0; face_weights && k < 3; k++) face_weights[k] = w[k];
    return v3_length(d);
}

double mus_distance_edge_edge(const double points[12], double edge_weights[2]) {
    double w[2];
    v3 d = mus_nearest_edge_edge(v3_load(points), v3_load(points + 3), v3_load(points + 6), v3_load(points + 9), w);
    for (int k = 0; edge_weights && k < 2; k++) edge_weights[k] = w[k];
    return v3_length(d);
}
