/* triangles.c: intersection of two faces by signs of orientations (Guigue and Devillers 2003), with touching
 * distinguished from crossing. */
#include "narrow/triangles.h"

#include "mesh/predicates.h"
#include "muslin/query.h"

/* ---- In a plane -------------------------------------------------------------------------------------------------- */

static void drop_axis(const double *p, int axis, double out[2]) {
    out[0] = p[(axis + 1) % 3], out[1] = p[(axis + 2) % 3];
}

/* Returns an axis along which the face projects to a nonzero area, -1 for a face of zero area. */
static int seen_along(const double *a, const double *b, const double *c) {
    for (int axis = 0; axis < 3; axis++) {
        double p[2], q[2], r[2];
        drop_axis(a, axis, p), drop_axis(b, axis, q), drop_axis(c, axis, r);
        if (mus_orient2d(p, q, r) != 0) return axis;
    }
    return -1;
}

/* Returns whether c, which lies on the line of a and b, lies between them. */
static bool is_between(const double a[2], const double b[2], const double c[2]) {
    for (int k = 0; k < 2; k++)
        if ((c[k] < a[k] && c[k] < b[k]) || (c[k] > a[k] && c[k] > b[k])) return false;
    return true;
}

static bool segments_intersect(const double a[2], const double b[2], const double c[2], const double d[2]) {
    int sc = mus_orient2d(a, b, c), sd = mus_orient2d(a, b, d);
    int sa = mus_orient2d(c, d, a), sb = mus_orient2d(c, d, b);
    if (sc * sd < 0 && sa * sb < 0) return true;
    return (sc == 0 && is_between(a, b, c)) || (sd == 0 && is_between(a, b, d)) || (sa == 0 && is_between(c, d, a)) ||
           (sb == 0 && is_between(c, d, b));
}

/* Edge p q in the plane of a face that projects to a nonzero area along `axis`. */
static bool intersects_in_plane(const double *p, const double *q, const double *const t[3], int axis) {
    double e[2][2], c[3][2];
    drop_axis(p, axis, e[0]), drop_axis(q, axis, e[1]);
    for (int k = 0; k < 3; k++) drop_axis(t[k], axis, c[k]);
    int way = mus_orient2d(c[0], c[1], c[2]);
    bool inside[2] = {true, true};
    for (int k = 0; k < 3; k++) {
        bool outside[2];
        for (int i = 0; i < 2; i++) {
            outside[i] = mus_orient2d(c[k], c[(k + 1) % 3], e[i]) == -way;
            inside[i] = inside[i] && !outside[i];
        }
        if (outside[0] && outside[1]) return false; /* beyond one side of the face */
    }
    if (inside[0] || inside[1]) return true;
    for (int k = 0; k < 3; k++)
        if (segments_intersect(e[0], e[1], c[k], c[(k + 1) % 3])) return true;
    return false;
}

/* ---- In space ---------------------------------------------------------------------------------------------------- */

/* Returns whether the edge p q has a point in common with the face (both closed). sp, sq: the sides of its ends. `axis`
 * is that of seen_along, computed when first needed (-2: not yet). */
static bool edge_intersects(const double *p, const double *q, int sp, int sq, const double *const t[3], int *axis) {
    if (sp * sq > 0) return false;
    if (sp == 0 && sq == 0) {
        if (*axis == -2) *axis = seen_along(t[0], t[1], t[2]);
        return *axis >= 0 && intersects_in_plane(p, q, t, *axis);
    }
    int s0 = mus_orient3d(p, q, t[0], t[1]), s1 = mus_orient3d(p, q, t[1], t[2]), s2 = mus_orient3d(p, q, t[2], t[0]);
    return (s0 >= 0 && s1 >= 0 && s2 >= 0) || (s0 <= 0 && s1 <= 0 && s2 <= 0);
}

static bool edge_pierces(const double *p, const double *q, int sp, int sq, const double *const t[3]) {
    if (sp * sq >= 0) return false;
    return mus_orient3d(p, q, t[0], t[1]) == -sp && mus_orient3d(p, q, t[1], t[2]) == -sp &&
           mus_orient3d(p, q, t[2], t[0]) == -sp;
}

/* Turns the face so that corner 0 is alone on its side: signs + - -, + + -, or + 0 -. */
static void turn_face(const double *t[3], int s[3]) {
    int alone = 0;
    for (int k = 0; k < 3; k++)
        if (s[k] != 0 && s[k] != s[(k + 1) % 3] && s[k] != s[(k + 2) % 3]) alone = k;
    const double *u[3] = {t[alone], t[(alone + 1) % 3], t[(alone + 2) % 3]};
    int r[3] = {s[alone], s[(alone + 1) % 3], s[(alone + 2) % 3]};
    for (int k = 0; k < 3; k++) t[k] = u[k], s[k] = r[k];
}

/* Both faces have corners strictly on both sides of the other's plane; their traces on the common line are the segments
 * between where the edges from corner 0 meet it. 1: the open segments overlap, 0: they only touch, -1: apart. */
static int traces_overlap(const double *const in_a[3], const double *const in_b[3], const int sa[3], const int sb[3]) {
    const double *a[3] = {in_a[0], in_a[1], in_a[2]}, *b[3] = {in_b[0], in_b[1], in_b[2]}, *swap;
    int ra[3] = {sa[0], sa[1], sa[2]}, rb[3] = {sb[0], sb[1], sb[2]};
    turn_face(a, ra);
    turn_face(b, rb);
    /* Orient each face so that the other's corner 0 lies on its positive side; then the traces run the same way. */
    if (ra[0] < 0) swap = b[1], b[1] = b[2], b[2] = swap;
    if (rb[0] < 0) swap = a[1], a[1] = a[2], a[2] = swap;
    int first = mus_orient3d(a[0], a[1], b[0], b[1]), second = mus_orient3d(a[0], a[2], b[2], b[0]);
    if (first > 0 || second > 0) return -1;
    return first < 0 && second < 0 ? 1 : 0;
}

static void sides(const double *const t[3], const double *const p[3], int s[3]) {
    for (int k = 0; k < 3; k++) s[k] = mus_orient3d(t[0], t[1], t[2], p[k]);
}
static bool one_side(const int s[3]) {
    return (s[0] > 0 && s[1] > 0 && s[2] > 0) || (s[0] < 0 && s[1] < 0 && s[2] < 0);
}
static bool both_sides(const int s[3]) {
    return (s[0] > 0 || s[1] > 0 || s[2] > 0) && (s[0] < 0 || s[1] < 0 || s[2] < 0);
}
static bool in_plane(const int s[3]) {
    return s[0] == 0 && s[1] == 0 && s[2] == 0;
}

/* A face of zero area, treated as its edges, against one with an area. */
static mus_triangle_intersection intersect_flat(const double *const flat[3], const double *const t[3], const int s[3]) {
    int axis = -2;
    for (int k = 0; k < 3; k++)
        if (edge_pierces(flat[k], flat[(k + 1) % 3], s[k], s[(k + 1) % 3], t)) return MUS_INTERSECTION_CROSSING;
    for (int k = 0; k < 3; k++)
        if (edge_intersects(flat[k], flat[(k + 1) % 3], s[k], s[(k + 1) % 3], t, &axis)) return MUS_INTERSECTION_TOUCH;
    return MUS_INTERSECTION_NONE;
}

mus_triangle_intersection mus_triangles_intersect(const double *const a[3], const double *const b[3]) {
    int sa[3], sb[3];
    sides(b, a, sa);
    if (one_side(sa)) return MUS_INTERSECTION_NONE;
    sides(a, b, sb);
    if (one_side(sb)) return MUS_INTERSECTION_NONE;

    if (both_sides(sa) && both_sides(sb)) {
        int overlap = traces_overlap(a, b, sa, sb);
        return overlap > 0 ? MUS_INTERSECTION_CROSSING : overlap == 0 ? MUS_INTERSECTION_TOUCH : MUS_INTERSECTION_NONE;
    }
    if (in_plane(sa) || in_plane(sb)) { /* one plane, or a face without an area */
        bool flat_b = in_plane(sa) && seen_along(b[0], b[1], b[2]) < 0;
        bool flat_a = in_plane(sb) && seen_along(a[0], a[1], a[2]) < 0;
        if (flat_a && flat_b) return MUS_INTERSECTION_NONE;
        if (flat_a) return intersect_flat(a, b, sa);
        if (flat_b) return intersect_flat(b, a, sb);
    }
    int axis_a = -2, axis_b = -2;
    for (int k = 0; k < 3; k++) {
        int n = (k + 1) % 3;
        if (edge_intersects(a[k], a[n], sa[k], sa[n], b, &axis_b)) return MUS_INTERSECTION_TOUCH;
        if (edge_intersects(b[k], b[n], sb[k], sb[n], a, &axis_a)) return MUS_INTERSECTION_TOUCH;
    }
    return MUS_INTERSECTION_NONE;
}

mus_triangle_intersection mus_triangles_intersect_at_vertex(const double *v, const double *a0, const double *a1,
                                                            const double *b0, const double *b1) {
    int s0 = mus_orient3d(v, b0, b1, a0), s1 = mus_orient3d(v, b0, b1, a1);
    if (s0 * s1 > 0) return MUS_INTERSECTION_NONE; /* all of a but v lies on one side of b */
    if (s0 * s1 < 0) {
        /* The planes' common line runs through v and the place where a0 a1 meets the plane of b. Both faces lie along
         * it on the same side of v where that place is within the angle of b at v. */
        int first = mus_orient3d(a0, a1, v, b0), second = mus_orient3d(a0, a1, b1, v);
        if (first == -s0 && second == -s0) return MUS_INTERSECTION_CROSSING;
        if (first == s0 || second == s0) return MUS_INTERSECTION_NONE;
        return MUS_INTERSECTION_TOUCH; /* along an edge of b from v */
    }
    const double *const a[3] = {v, a0, a1}, *const b[3] = {v, b0, b1};
    int axis_a = -2, axis_b = -2;
    if (edge_intersects(a0, a1, s0, s1, b, &axis_b)) return MUS_INTERSECTION_TOUCH;
    int t0 = mus_orient3d(v, a0, a1, b0), t1 = mus_orient3d(v, a0, a1, b1);
    return edge_intersects(b0, b1, t0, t1, a, &axis_a) ? MUS_INTERSECTION_TOUCH : MUS_INTERSECTION_NONE;
}

bool mus_triangles_overlap_at_edge(const double *v, const double *w, const double *a, const double *b) {
    if (mus_orient3d(v, w, a, b) != 0) return false;
    int axis = seen_along(v, w, a);
    if (axis < 0) return false;
    double p[2], q[2], r[2], s[2];
    drop_axis(v, axis, p), drop_axis(w, axis, q), drop_axis(a, axis, r), drop_axis(b, axis, s);
    return mus_orient2d(p, q, r) * mus_orient2d(p, q, s) > 0;
}

int mus_intersect_triangles(const double a[9], const double b[9]) {
    const double *const p[3] = {a, a + 3, a + 6}, *const q[3] = {b, b + 3, b + 6};
    return (int)mus_triangles_intersect(p, q);
}
