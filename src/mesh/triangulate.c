/* triangulate.c: see triangulate.h. All decisions are signs of exact determinants. The Delaunay test is that of points
 * lifted to the paraboloid; lifted heights are rounded once, so that the result is the regular triangulation of exactly
 * the stored points: edge flips terminate for any points. */
#include "mesh/triangulate.h"

#include "mesh/predicates.h"

#include <math.h>

static const double *point(const mus_triangulation *t, int32_t i) {
    return t->points.data + 3 * (size_t)i;
}

static int turn_of(const mus_triangulation *t, int32_t a, int32_t b, int32_t c) {
    return mus_orient2d(point(t, a), point(t, b), point(t, c));
}

static void lift_to_paraboloid(const mus_triangulation *t, const double p[2], double out[3]) {
    double x = p[0] - t->middle[0], y = p[1] - t->middle[1];
    out[0] = p[0], out[1] = p[1], out[2] = x * x + y * y;
}

static bool add_point(mus_triangulation *t, const double p[2], int32_t *made) {
    double lifted[3];
    lift_to_paraboloid(t, p, lifted);
    if (!mus_array_reserve(&t->points, t->points.count + 3)) return false;
    memcpy(t->points.data + t->points.count, lifted, sizeof lifted);
    t->points.count += 3;
    *made = (int32_t)(t->points.count / 3 - 1);
    return mus_array_push(&t->incident, -1);
}

/* ---- Triangles and their neighbors ------------------------------------------------------------------------------- */

static int corner_of(const mus_triangle *f, int32_t vertex) {
    return f->vertex[0] == vertex ? 0 : f->vertex[1] == vertex ? 1 : 2;
}

static void set_triangle(mus_triangulation *t, int32_t f, const int32_t vertex[3], const int32_t neighbor[3]) {
    mus_triangle *made = &t->triangles.data[f];
    for (int k = 0; k < 3; k++) {
        made->vertex[k] = vertex[k];
        made->neighbor[k] = neighbor[k];
        t->incident.data[vertex[k]] = f;
    }
}

static void replace_neighbor(mus_triangulation *t, int32_t of, int32_t from, int32_t to) {
    if (of < 0) return;
    for (int k = 0; k < 3; k++)
        if (t->triangles.data[of].neighbor[k] == from) {
            t->triangles.data[of].neighbor[k] = to;
            return;
        }
}

static bool mark_suspect(mus_triangulation *t, int32_t f, int k) {
    return mus_array_push(&t->suspects, 3 * f + k);
}

static bool is_kept(const mus_triangulation *t, int32_t a, int32_t b) {
    for (int32_t k = a < t->kept_first.count ? t->kept_first.data[a] : -1; k >= 0; k = t->kept.data[k].next)
        if (t->kept.data[k].vertex == b) return true;
    return false;
}

/* Flips edges until every suspect edge is locally Delaunay, or kept. */
static mus_status flip_edges(mus_triangulation *t) {
    while (t->suspects.count) {
        int32_t at = t->suspects.data[--t->suspects.count], f = at / 3;
        int k = at % 3;
        mus_triangle one = t->triangles.data[f];
        int32_t g = one.neighbor[k];
        if (g < 0) continue;
        mus_triangle two = t->triangles.data[g];
        /* a and d are opposite each other across the edge b c */
        int32_t a = one.vertex[k], b = one.vertex[(k + 1) % 3], c = one.vertex[(k + 2) % 3];
        int m = two.neighbor[0] == f ? 0 : two.neighbor[1] == f ? 1 : 2;
        int32_t d = two.vertex[m];
        if (is_kept(t, b, c)) continue;
        if (mus_orient3d(point(t, a), point(t, b), point(t, c), point(t, d)) <= 0) continue; /* d is not below */
        if (turn_of(t, a, b, d) <= 0 || turn_of(t, a, d, c) <= 0) continue;
        int32_t ab = one.neighbor[(k + 2) % 3], ca = one.neighbor[(k + 1) % 3];
        int32_t bd = two.neighbor[(m + 1) % 3], dc = two.neighbor[(m + 2) % 3]; /* its corners are d, c, b */
        set_triangle(t, f, (int32_t[3]){a, b, d}, (int32_t[3]){bd, g, ab});
        set_triangle(t, g, (int32_t[3]){a, d, c}, (int32_t[3]){dc, ca, f});
        replace_neighbor(t, bd, g, f);
        replace_neighbor(t, ca, f, g);
        if (!mark_suspect(t, f, 0) || !mark_suspect(t, g, 0) || !mark_suspect(t, f, 2) || !mark_suspect(t, g, 1))
            return MUS_STATUS_NO_MEMORY;
    }
    return MUS_STATUS_OK;
}

/* ---- The polygon by itself --------------------------------------------------------------------------------------- */

/* Returns whether corner `i` of a polygon of `count` corners is an ear: convex, without another corner inside. */
static bool is_ear(const mus_triangulation *t, const int32_t *corners, int32_t count, int32_t i) {
    int32_t a = corners[(i + count - 1) % count], b = corners[i], c = corners[(i + 1) % count];
    if (turn_of(t, a, b, c) <= 0) return false;
    for (int32_t k = 0; k < count; k++) {
        int32_t p = corners[k];
        if (p == a || p == b || p == c) continue;
        if (turn_of(t, a, b, p) >= 0 && turn_of(t, b, c, p) >= 0 && turn_of(t, c, a, p) >= 0) return false;
    }
    /* A bridge passes the same vertex twice: nothing else that starts from the ear's corners may lie in between. */
    for (int32_t k = 0; k < count; k++) {
        int32_t p = corners[k];
        if ((p != a && p != b && p != c) || k == i || k == (i + 1) % count || k == (i + count - 1) % count) continue;
        for (int way = -1; way <= 1; way += 2) {
            int32_t other = corners[(k + count + way) % count];
            if (other == a || other == b || other == c) continue;
            int32_t next = p == a ? b : p == b ? c : a, last = p == a ? c : p == b ? a : b;
            if (turn_of(t, p, next, other) > 0 && turn_of(t, p, last, other) < 0) return false;
        }
    }
    return true;
}

/* Cuts ears off in turn. A corner that was no ear is tested again when a neighbor is cut, or when no other is left. */
static mus_status cut_ears(mus_triangulation *t, int32_t *corners, int8_t *refused, int32_t count) {
    int32_t i = 0, since = 0; /* corners tested since the last ear */
    bool wanted_all = false;
    while (count > 3) {
        if (since == count) {
            if (wanted_all) return MUS_STATUS_INVALID;
            memset(refused, 0, (size_t)count * sizeof *refused);
            since = 0, wanted_all = true;
        }
        i %= count;
        if (refused[i] || !is_ear(t, corners, count, i)) {
            refused[i++] = 1, since++;
            continue;
        }
        int32_t last = (i + count - 1) % count, next = (i + 1) % count;
        mus_triangle ear = {{corners[last], corners[i], corners[next]}, {-1, -1, -1}};
        if (!mus_array_push(&t->triangles, ear)) return MUS_STATUS_NO_MEMORY;
        refused[last] = refused[next] = 0;
        memmove(corners + i, corners + i + 1, (size_t)(count - i - 1) * sizeof *corners);
        memmove(refused + i, refused + i + 1, (size_t)(count - i - 1) * sizeof *refused);
        count--, i++, since = 0, wanted_all = false;
    }
    mus_triangle rest = {{corners[0], corners[1], corners[2]}, {-1, -1, -1}};
    if (turn_of(t, corners[0], corners[1], corners[2]) <= 0) return MUS_STATUS_INVALID;
    return mus_array_push(&t->triangles, rest) ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

/* Connects the polygon's first triangles: every edge is searched among the triangles of its first vertex. */
static mus_status connect_triangles(mus_triangulation *t) {
    int64_t vertices = t->incident.count, faces = t->triangles.count;
    int32_t *first = mus_new((size_t)(vertices + 1) * sizeof *first),
            *next = mus_new((size_t)(3 * faces) * sizeof *next);
    mus_status status = first && next ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
    for (int64_t k = 0; status == MUS_STATUS_OK && k < 3 * faces; k++) { /* lists of edges by their start, from 1 */
        int32_t v = t->triangles.data[k / 3].vertex[(k + 1) % 3];
        next[k] = first[v], first[v] = (int32_t)k + 1;
    }
    for (int64_t k = 0; status == MUS_STATUS_OK && k < 3 * faces; k++) {
        mus_triangle *f = &t->triangles.data[k / 3];
        int32_t from = f->vertex[(k + 1) % 3], to = f->vertex[(k + 2) % 3];
        t->incident.data[f->vertex[k % 3]] = (int32_t)(k / 3);
        for (int32_t e = first[to]; e; e = next[e - 1])
            if (t->triangles.data[(e - 1) / 3].vertex[(e - 1 + 2) % 3] == from) f->neighbor[k % 3] = (e - 1) / 3;
    }
    mus_free(first);
    mus_free(next);
    return status;
}

mus_status mus_triangulation_begin(mus_triangulation *t, const double *points, int32_t point_count,
                                   const int32_t *corners, int32_t corner_count) {
    *t = (mus_triangulation){0};
    double low[2] = {points[0], points[1]}, high[2] = {points[0], points[1]};
    for (int32_t i = 0; i < point_count; i++)
        for (int k = 0; k < 2; k++) {
            low[k] = fmin(low[k], points[2 * i + k]);
            high[k] = fmax(high[k], points[2 * i + k]);
        }
    for (int k = 0; k < 2; k++) t->middle[k] = 0.5 * (low[k] + high[k]);
    for (int32_t i = 0, made; i < point_count; i++)
        if (!add_point(t, points + 2 * (size_t)i, &made)) return MUS_STATUS_NO_MEMORY;
    int32_t *left = mus_new((size_t)corner_count * (sizeof *left + 1));
    if (!left) return MUS_STATUS_NO_MEMORY;
    memcpy(left, corners, (size_t)corner_count * sizeof *left);
    mus_status status = cut_ears(t, left, (int8_t *)(left + corner_count), corner_count);
    mus_free(left);
    if (status == MUS_STATUS_OK) status = connect_triangles(t);
    for (int32_t k = 0; status == MUS_STATUS_OK && k < 3 * t->triangles.count; k++)
        if (!mark_suspect(t, k / 3, k % 3)) status = MUS_STATUS_NO_MEMORY;
    return status == MUS_STATUS_OK ? flip_edges(t) : status;
}

void mus_triangulation_free(mus_triangulation *t) {
    mus_array_free(&t->points);
    mus_array_free(&t->triangles);
    mus_array_free(&t->incident);
    mus_array_free(&t->suspects);
    mus_array_free(&t->kept);
    mus_array_free(&t->kept_first);
}

/* ---- More vertices ----------------------------------------------------------------------------------------------- */

/* Puts vertex p on edge k of f; splits both triangles of the edge, or the only one. */
static mus_status split_edge(mus_triangulation *t, int32_t f, int k, int32_t p) {
    mus_triangle one = t->triangles.data[f];
    int32_t a = one.vertex[k], b = one.vertex[(k + 1) % 3], c = one.vertex[(k + 2) % 3], g = one.neighbor[k];
    if (!mus_array_reserve(&t->triangles, t->triangles.count + 2)) return MUS_STATUS_NO_MEMORY;
    int32_t f2 = (int32_t)t->triangles.count++, g2 = g < 0 ? -1 : (int32_t)t->triangles.count++;
    int32_t ab = one.neighbor[(k + 2) % 3], ca = one.neighbor[(k + 1) % 3];
    mus_triangle two = {{-1, -1, -1}, {-1, -1, -1}};
    int m = 0;
    if (g >= 0) {
        two = t->triangles.data[g];
        m = two.neighbor[0] == f ? 0 : two.neighbor[1] == f ? 1 : 2;
    }
    set_triangle(t, f, (int32_t[3]){a, b, p}, (int32_t[3]){g2, f2, ab});
    set_triangle(t, f2, (int32_t[3]){a, p, c}, (int32_t[3]){g, ca, f});
    replace_neighbor(t, ca, f, f2);
    if (!mark_suspect(t, f, 2) || !mark_suspect(t, f2, 1)) return MUS_STATUS_NO_MEMORY;
    if (g >= 0) { /* its corners are d, c, b */
        int32_t d = two.vertex[m], db = two.neighbor[(m + 1) % 3], dc = two.neighbor[(m + 2) % 3];
        set_triangle(t, g, (int32_t[3]){d, c, p}, (int32_t[3]){f2, g2, dc});
        set_triangle(t, g2, (int32_t[3]){d, p, b}, (int32_t[3]){f, db, g});
        replace_neighbor(t, db, g, g2);
        if (!mark_suspect(t, g, 2) || !mark_suspect(t, g2, 1)) return MUS_STATUS_NO_MEMORY;
    }
    t->last = f;
    return flip_edges(t);
}

mus_status mus_triangulation_split_boundary(mus_triangulation *t, int32_t from, const double p[2], int32_t *made) {
    /* Turns clockwise around the vertex to the triangle whose edge from there is the boundary. */
    int32_t f = t->incident.data[from];
    for (int64_t guard = t->triangles.count; guard >= 0; guard--) {
        int k = corner_of(&t->triangles.data[f], from);
        int32_t across = t->triangles.data[f].neighbor[(k + 2) % 3];
        if (across < 0) break;
        f = across;
    }
    int k = (corner_of(&t->triangles.data[f], from) + 2) % 3;
    const mus_triangle *face = &t->triangles.data[f];
    if (face->neighbor[k] >= 0) return MUS_STATUS_INVALID;
    const double *apex = point(t, face->vertex[k]), *a = point(t, face->vertex[(k + 1) % 3]),
                 *b = point(t, face->vertex[(k + 2) % 3]);
    if (mus_orient2d(apex, a, p) <= 0 || mus_orient2d(apex, p, b) <= 0) return MUS_STATUS_INVALID;
    if (!add_point(t, p, made)) return MUS_STATUS_NO_MEMORY;
    return split_edge(t, f, k, *made);
}

/* Signs of p against the edges of f; false: outside. */
static bool lies_in(const mus_triangulation *t, int32_t f, const double p[2], int side[3]) {
    const mus_triangle *face = &t->triangles.data[f];
    for (int k = 0; k < 3; k++)
        side[k] = mus_orient2d(point(t, face->vertex[(k + 1) % 3]), point(t, face->vertex[(k + 2) % 3]), p);
    return side[0] >= 0 && side[1] >= 0 && side[2] >= 0;
}

/* Walks from the triangle found last; if a concave boundary ends the walk, tests all triangles. -1: outside. */
static int32_t find_triangle(mus_triangulation *t, const double p[2], int side[3]) {
    int32_t f = t->last;
    for (int64_t steps = t->triangles.count; steps > 0 && f >= 0; steps--) {
        if (lies_in(t, f, p, side)) return t->last = f;
        int k = side[0] < 0 ? 0 : side[1] < 0 ? 1 : 2;
        f = t->triangles.data[f].neighbor[k];
    }
    for (f = 0; f < t->triangles.count; f++)
        if (lies_in(t, f, p, side)) return t->last = f;
    return -1;
}

mus_status mus_triangulation_insert(mus_triangulation *t, const double p[2], int32_t *made) {
    int side[3];
    int32_t f = find_triangle(t, p, side);
    *made = -1;
    int zeros = f < 0 ? 3 : (side[0] == 0) + (side[1] == 0) + (side[2] == 0);
    if (zeros > 1) return MUS_STATUS_OK;
    if (!add_point(t, p, made)) return MUS_STATUS_NO_MEMORY;
    if (zeros == 1) return split_edge(t, f, side[0] == 0 ? 0 : side[1] == 0 ? 1 : 2, *made);
    if (!mus_array_reserve(&t->triangles, t->triangles.count + 2)) return MUS_STATUS_NO_MEMORY;
    mus_triangle old = t->triangles.data[f];
    int32_t g = (int32_t)t->triangles.count++, h = (int32_t)t->triangles.count++;
    int32_t a = old.vertex[0], b = old.vertex[1], c = old.vertex[2];
    set_triangle(t, f, (int32_t[3]){*made, b, c}, (int32_t[3]){old.neighbor[0], g, h});
    set_triangle(t, g, (int32_t[3]){*made, c, a}, (int32_t[3]){old.neighbor[1], h, f});
    set_triangle(t, h, (int32_t[3]){*made, a, b}, (int32_t[3]){old.neighbor[2], f, g});
    replace_neighbor(t, old.neighbor[1], f, g);
    replace_neighbor(t, old.neighbor[2], f, h);
    if (!mark_suspect(t, f, 0) || !mark_suspect(t, g, 0) || !mark_suspect(t, h, 0)) return MUS_STATUS_NO_MEMORY;
    return flip_edges(t);
}

/* ---- Kept edges -------------------------------------------------------------------------------------------------- */

bool mus_triangulation_has_edge(const mus_triangulation *t, int32_t a, int32_t b) {
    int32_t start = t->incident.data[a];
    for (int way = 1; way <= 2; way++) { /* around a: one way, and from a boundary the other way too */
        int32_t f = start;
        do {
            const mus_triangle *face = &t->triangles.data[f];
            for (int k = 0; k < 3; k++)
                if (face->vertex[k] == b) return true;
            f = face->neighbor[(corner_of(face, a) + way) % 3];
        } while (f >= 0 && f != start);
        if (f == start) break;
    }
    return false;
}

static bool add_kept(mus_triangulation *t, int32_t from, int32_t to) {
    mus_kept_edge edge = {to, t->kept_first.data[from]};
    t->kept_first.data[from] = (int32_t)t->kept.count;
    return mus_array_push(&t->kept, edge);
}

mus_status mus_triangulation_keep_edge(mus_triangulation *t, int32_t a, int32_t b) {
    while (t->kept_first.count <= a || t->kept_first.count <= b)
        if (!mus_array_push(&t->kept_first, -1)) return MUS_STATUS_NO_MEMORY;
    return add_kept(t, a, b) && add_kept(t, b, a) ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

/* ---- Smoothing --------------------------------------------------------------------------------------------------- */

/* Moves vertex i to the mean of its neighbors unless that would turn a triangle over. */
static void move_to_middle(mus_triangulation *t, int32_t i) {
    double sum[2] = {0, 0}, old[3];
    int count = 0;
    int32_t start = t->incident.data[i], f = start;
    do {
        int k = corner_of(&t->triangles.data[f], i);
        const double *q = point(t, t->triangles.data[f].vertex[(k + 1) % 3]);
        sum[0] += q[0], sum[1] += q[1], count++;
        f = t->triangles.data[f].neighbor[(k + 1) % 3];
    } while (f != start && f >= 0);
    if (f < 0) return; /* a boundary vertex */
    double *p = t->points.data + 3 * (size_t)i, to[2] = {sum[0] / count, sum[1] / count};
    memcpy(old, p, sizeof old);
    lift_to_paraboloid(t, to, p);
    do {
        const mus_triangle *face = &t->triangles.data[f];
        if (turn_of(t, face->vertex[0], face->vertex[1], face->vertex[2]) <= 0) {
            memcpy(p, old, sizeof old);
            return;
        }
        f = face->neighbor[(corner_of(face, i) + 1) % 3];
    } while (f != start);
}

mus_status mus_triangulation_smooth(mus_triangulation *t, int32_t first, int32_t rounds) {
    for (int32_t round = 0; round < rounds; round++) {
        for (int32_t i = first; i < t->incident.count; i++) move_to_middle(t, i);
        for (int32_t k = 0; k < 3 * t->triangles.count; k++)
            if (!mark_suspect(t, k / 3, k % 3)) return MUS_STATUS_NO_MEMORY;
        mus_status status = flip_edges(t);
        if (status != MUS_STATUS_OK) return status;
    }
    return MUS_STATUS_OK;
}
