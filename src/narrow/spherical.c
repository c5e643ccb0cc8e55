/* spherical.c: Jung 2005, 3.1 and 3.2: a face as four spheres, about its corners and its centroid, of 2/3 of the
 * largest distance from the centroid to a corner (the source uses the distance to one of them; the largest covers a
 * scalene face too). A vertex in one sphere is measured from its center, in two from their midpoint, in more from the
 * mean of the centers. If the radius is more than the thickness, the face is split in four at its edges' midpoints, and
 * the nearest part whose spheres contain the vertex is tested next: the result is accurate to about a thickness, never
 * exact. Edges: the distance of their midpoints; the halves that are nearest by their ends are tested next.
 *
 * All positions are those at the end of the step: a vertex that has passed through altogether is not found, and one
 * past the middle is seen from the far side. */
#include "narrow/elementary.h"

enum { DEEPEST = 16 };

typedef struct part {
    v3 corner[3];
    double weight[3][3]; /* of each corner, in the whole face */
} part;

static v3 centroid(const part *f) {
    return v3_scale(1.0 / 3, v3_add(v3_add(f->corner[0], f->corner[1]), f->corner[2]));
}

/* Returns how many spheres contain p; sets the mean of their centers. */
static int find_containing_spheres(const part *f, v3 p, double *radius, v3 *mean, double weight[3]) {
    v3 center[4] = {f->corner[0], f->corner[1], f->corner[2], centroid(f)};
    *radius = 0;
    for (int k = 0; k < 3; k++) *radius = fmax(*radius, 2.0 / 3 * v3_length(v3_sub(center[k], center[3])));
    int count = 0;
    *mean = v3_make(0, 0, 0);
    for (int c = 0; c < 3; c++) weight[c] = 0;
    for (int k = 0; k < 4; k++) {
        if (v3_length2(v3_sub(p, center[k])) > *radius * *radius) continue;
        count++;
        *mean = v3_add(*mean, center[k]);
        for (int c = 0; c < 3; c++)
            weight[c] += k < 3 ? f->weight[k][c] : (f->weight[0][c] + f->weight[1][c] + f->weight[2][c]) / 3;
    }
    if (count == 0) return 0;
    *mean = v3_scale(1.0 / count, *mean);
    for (int c = 0; c < 3; c++) weight[c] /= count;
    return count;
}

static part quarter(const part *f, int which) {
    part h = *f;
    for (int k = 0; k < 3; k++) { /* the one in the middle: between midpoints; else about corner `which` */
        int a = which == 3 ? k : which, b = which == 3 ? (k + 1) % 3 : k;
        h.corner[k] = v3_lerp(f->corner[a], f->corner[b], 0.5);
        for (int c = 0; c < 3; c++) h.weight[k][c] = 0.5 * (f->weight[a][c] + f->weight[b][c]);
    }
    return h;
}

static bool vertex_face(mus_elementary_query *q, mus_elementary_hit *hit) {
    if (q->radius > 0) return mus_elementary_round_near(false, q, hit);
    part f = {{q->x1[1], q->x1[2], q->x1[3]}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    v3 p = q->x1[0], mean;
    double radius, w[3];
    if (!find_containing_spheres(&f, p, &radius, &mean, w)) return false;
    for (int depth = 0; radius > q->thickness && depth < DEEPEST; depth++) {
        part best = f;
        double least = INFINITY;
        for (int k = 0; k < 4; k++) {
            part h = quarter(&f, k);
            v3 m;
            if (!find_containing_spheres(&h, p, &radius, &m, w)) continue;
            double distance = v3_length2(v3_sub(p, m));
            if (distance < least) least = distance, best = h;
        }
        if (!(least < INFINITY)) return false;
        f = best;
        find_containing_spheres(&f, p, &radius, &mean, w);
    }
    v3 d = v3_sub(p, mean);
    double distance = v3_length(d);
    if (!(distance < (1 - 1e-6) * q->thickness)) return false;
    hit->toi = 1;
    hit->weight[0] = 1;
    for (int k = 0; k < 3; k++) hit->weight[k + 1] = -w[k];
    hit->normal = v3_normalized(d);
    return true;
}

static bool edge_edge(mus_elementary_query *q, mus_elementary_hit *hit) {
    if (q->radius > 0) return mus_elementary_round_near(true, q, hit);
    v3 a[2] = {q->x1[0], q->x1[1]}, b[2] = {q->x1[2], q->x1[3]};
    double at[2] = {0, 1}, bt[2] = {0, 1};
    for (int depth = 0;; depth++) {
        v3 p = v3_lerp(a[0], a[1], 0.5), r = v3_lerp(b[0], b[1], 0.5), d = v3_sub(r, p);
        double u = 0.5 * (at[0] + at[1]), v = 0.5 * (bt[0] + bt[1]);
        double half_edge = 0.5 * fmax(v3_length(v3_sub(a[1], a[0])), v3_length(v3_sub(b[1], b[0])));
        if (half_edge <= 0.5 * q->thickness || depth == DEEPEST) {
            if (!(v3_length(d) < (1 - 1e-6) * q->thickness)) return false;
            hit->toi = 1;
            hit->weight[0] = u - 1, hit->weight[1] = -u, hit->weight[2] = 1 - v, hit->weight[3] = v;
            hit->normal = v3_normalized(d);
            return true;
        }
        int best = 0;
        double least = INFINITY;
        for (int k = 0; k < 4; k++) {
            double distance = v3_length2(v3_sub(b[k >> 1], a[k & 1]));
            if (distance < least) least = distance, best = k;
        }
        a[1 - (best & 1)] = p, at[1 - (best & 1)] = u;
        b[1 - (best >> 1)] = r, bt[1 - (best >> 1)] = v;
    }
}

const mus_elementary mus_elementary_spherical = {"spherical",    vertex_face,      edge_edge,
                                                 .clears = true, .distance = true, .approximates = true};
