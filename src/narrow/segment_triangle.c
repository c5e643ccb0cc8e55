/* segment_triangle.c: AAB 6: the ray from the start through the end position of a vertex against a face; the
 * barycentric weights of the hit by the 2x2 normal equations (eq. 5, 6). The source's solid stands still; a moving face
 * is taken at its end position, and the start position of the vertex moves along with its centroid. */
#include "narrow/elementary.h"

/* A weight may be this much below zero. */
#define INSIDE 1e-9

static bool vertex_face(mus_elementary_query *q, mus_elementary_hit *hit) {
    if (q->radius > 0) return mus_elementary_round_near(false, q, hit);
    if (q->vertex[0] >= q->cloth_count) return false;
    v3 shift = v3_make(0, 0, 0);
    for (int k = 1; k < 4; k++) shift = v3_axpy(1.0 / 3, v3_sub(q->x1[k], q->x0[k]), shift);
    v3 a = q->x1[1], old = v3_sub(v3_add(q->x0[0], shift), a), now = v3_sub(q->x1[0], a), ray = v3_sub(now, old);
    v3 e = v3_sub(q->x1[2], a), g = v3_sub(q->x1[3], a), normal = v3_cross(e, g);
    double slope = v3_dot(normal, ray), height = v3_dot(normal, old);
    if (!(fabs(slope) > 0)) return false;
    double t = -height / slope;
    if (!(t >= 0)) return false;
    v3 x = v3_axpy(t, ray, old);
    if (t >= 1 && v3_length(v3_sub(now, x)) >= (1 - 1e-6) * q->thickness) return false;
    double ee = v3_dot(e, e), eg = v3_dot(e, g), gg = v3_dot(g, g), xe = v3_dot(x, e), xg = v3_dot(x, g);
    double det = ee * gg - eg * eg;
    if (!(det > 0)) return false;
    double u = (gg * xe - eg * xg) / det, v = (ee * xg - eg * xe) / det;
    if (!(u >= -INSIDE && v >= -INSIDE && u + v <= 1 + INSIDE)) return false;
    hit->toi = fmin(t, 1);
    hit->weight[0] = 1, hit->weight[1] = u + v - 1, hit->weight[2] = -u, hit->weight[3] = -v;
    /* toward the side where the vertex was; if it was in the plane, against the ray */
    double side = height != 0 ? height : -slope;
    hit->normal = v3_normalized(side < 0 ? v3_neg(normal) : normal);
    return true;
}

static bool edge_edge(mus_elementary_query *q, mus_elementary_hit *hit) {
    return q->radius > 0 && mus_elementary_round_near(true, q, hit);
}

const mus_elementary mus_elementary_segment_triangle = {"segment_triangle", vertex_face, edge_edge, .clears = true};
