/* edge_plane.c: Bigliani & Eischen, 3.1: tests whether the edge from F, at its start position, to D, at its end
 * position, crosses the face at its start position. F is another corner of a face of D: that edge keeps its length,
 * while the path of D becomes ever shorter as D comes to rest on a surface. The motion of the face is ignored, as in
 * the source: a vertex that moves fast enough along with its neighbor is reported though it does not meet it.
 *
 * node_plane is the test before that one: the path of D, with D at the start in the place of F.
 *
 * A corner of the face is not tested against the face, nor is an edge from one. The source has no seams; here a vertex
 * that is sewn to a corner counts as that corner. The stitch keeps it within a seam's width of the face's rim, on
 * either side of its plane, and a seam that bends takes it through that plane. The sum of angles would report this as a
 * hit, and a response that returns vertices to their start positions would stop one side of the seam while the other
 * moves on, and pull it open. */
#include "narrow/elementary.h"
#include "muslin/math.h"

#include <float.h>

static const double angle_tolerance = 2 * 3.14159265358979323846 / 100; /* eq. 10 */
static const double full = 2 * 3.14159265358979323846;

static double angle(v3 a, v3 b) {
    double c = v3_dot(a, b) / sqrt(v3_length2(a) * v3_length2(b));
    return mus_acos(fmax(-1, fmin(1, c)));
}

/* r: from Q to the corners. */
static bool inside_by_angles(const v3 r[3]) {
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        double a = angle(r[k], r[(k + 1) % 3]);
        if (fabs(a - full / 2) <= angle_tolerance) return true; /* on that edge */
        sum += a;
    }
    return fabs(sum - full) <= angle_tolerance;
}

/* In the plane with Q at the origin: inside if the positive x axis crosses one edge, not none or two. */
static bool inside_by_crossings(const v3 r[3], v3 n) {
    v3 x = v3_normalized(v3_sub(r[1], r[0])), y = v3_cross(n, x);
    int count = 0;
    for (int k = 0; k < 3; k++) {
        v3 p = r[k], q = r[(k + 1) % 3];
        double py = v3_dot(p, y), qy = v3_dot(q, y);
        if ((py < 0) == (qy < 0)) continue;
        count += v3_dot(p, x) - py * (v3_dot(q, x) - v3_dot(p, x)) / (qy - py) > 0;
    }
    return count == 1;
}

/* Barycentric weights of Q in the face, from the vectors to the corners; a Q slightly outside is clamped to the rim. */
static void weights(const v3 r[3], v3 normal, double w[3]) {
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        w[k] = fmax(0, v3_dot(normal, v3_cross(r[(k + 1) % 3], r[(k + 2) % 3])));
        sum += w[k];
    }
    for (int k = 0; k < 3; k++) w[k] = sum > 0 ? w[k] / sum : 1.0 / 3;
}

static bool edge_crosses(const mus_elementary_query *q, int32_t d, int32_t f, const int32_t face[3], bool by_crossings,
                         mus_elementary_hit *hit) {
    for (int k = 0; k < 3; k++)
        if (face[k] == d || face[k] == f || mus_neighborhood_sewn(q->neighborhood, face[k], d) ||
            mus_neighborhood_sewn(q->neighborhood, face[k], f))
            return false;
    v3 a = q->all0[face[0]], e = v3_sub(q->all0[face[1]], a), g = v3_sub(q->all0[face[2]], a);
    v3 normal = v3_cross(e, g);
    if (!(v3_length2(normal) > 0)) return false;
    v3 n = v3_normalized(normal), from = v3_sub(q->all0[f], a), to = v3_sub(q->all1[d], a);
    double before = v3_dot(from, n), after = v3_dot(to, n);
    if (!((before < 0 && after > 0) || (before > 0 && after < 0))) return false;
    v3 at = v3_lerp(from, to, before / (before - after));
    v3 r[3] = {v3_neg(at), v3_sub(e, at), v3_sub(g, at)};
    double w[3] = {0, 0, 0}, least = 8 * DBL_EPSILON * fmax(v3_max_abs(e), v3_max_abs(g));
    int corner = -1;
    for (int k = 0; k < 3; k++)
        if (v3_max_abs(r[k]) <= least) corner = k;
    if (corner >= 0)
        w[corner] = 1;
    else if (by_crossings ? inside_by_crossings(r, n) : inside_by_angles(r))
        weights(r, normal, w);
    else
        return false;
    hit->toi = 1;
    hit->normal = before > 0 ? n : v3_neg(n);
    hit->other = true;
    hit->vertex[0] = d, hit->weight[0] = 1;
    for (int k = 0; k < 3; k++) hit->vertex[k + 1] = face[k], hit->weight[k + 1] = -w[k];
    return true;
}

static bool vertex_face(mus_elementary_query *q, bool by_crossings, mus_elementary_hit *hit) {
    if (q->radius > 0) return mus_elementary_round(false, q, hit);
    int32_t d = q->vertex[0];
    if (d >= q->cloth_count) return false;
    for (int32_t k = q->neighborhood->first[d]; k < q->neighborhood->first[d + 1]; k++) {
        const int32_t *own = q->neighborhood->leaves[q->neighborhood->face[k]].vertex;
        for (int c = 0; c < 3; c++)
            if (own[c] != d && edge_crosses(q, d, own[c], q->vertex + 1, by_crossings, hit)) return true;
    }
    return false;
}

/* Either end of edge a, with the other as F, against the faces of edge b. */
static bool edge_faces(const mus_elementary_query *q, const int32_t a[2], const int32_t b[2], bool by_crossings,
                       mus_elementary_hit *hit) {
    if (a[0] >= q->cloth_count) return false;
    for (int32_t k = q->neighborhood->first[b[0]]; k < q->neighborhood->first[b[0] + 1]; k++) {
        const int32_t *face = q->neighborhood->leaves[q->neighborhood->face[k]].vertex;
        if (face[0] != b[1] && face[1] != b[1] && face[2] != b[1]) continue;
        if (edge_crosses(q, a[0], a[1], face, by_crossings, hit) ||
            edge_crosses(q, a[1], a[0], face, by_crossings, hit))
            return true;
    }
    return false;
}

static bool edge_edge(mus_elementary_query *q, bool by_crossings, mus_elementary_hit *hit) {
    if (q->radius > 0) return mus_elementary_round(true, q, hit);
    return edge_faces(q, q->vertex, q->vertex + 2, by_crossings, hit) ||
           edge_faces(q, q->vertex + 2, q->vertex, by_crossings, hit);
}

/* The source's first experiment: a single node, by its own path. */
static bool path_vf(mus_elementary_query *q, mus_elementary_hit *hit) {
    if (q->radius > 0) return mus_elementary_round(false, q, hit);
    int32_t d = q->vertex[0];
    return d < q->cloth_count && edge_crosses(q, d, d, q->vertex + 1, false, hit);
}
static bool path_ee(mus_elementary_query *q, mus_elementary_hit *hit) {
    return q->radius > 0 && mus_elementary_round(true, q, hit);
}
static bool angles_vf(mus_elementary_query *q, mus_elementary_hit *hit) {
    return vertex_face(q, false, hit);
}
static bool angles_ee(mus_elementary_query *q, mus_elementary_hit *hit) {
    return edge_edge(q, false, hit);
}
static bool crossings_vf(mus_elementary_query *q, mus_elementary_hit *hit) {
    return vertex_face(q, true, hit);
}
static bool crossings_ee(mus_elementary_query *q, mus_elementary_hit *hit) {
    return edge_edge(q, true, hit);
}
const mus_elementary mus_elementary_edge_plane = {"edge_plane", angles_vf, angles_ee, .looks_around = true};
const mus_elementary mus_elementary_edge_plane_crossing = {"edge_plane_crossing", crossings_vf, crossings_ee,
                                                           .looks_around = true};
const mus_elementary mus_elementary_node_plane = {"node_plane", path_vf, path_ee, .looks_around = true};
