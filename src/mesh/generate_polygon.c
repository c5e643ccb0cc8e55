/* generate_polygon.c: a flat sheet of a polygon with holes: outlines are checked, joined by bridges, divided into edges
 * of the requested length, and filled with vertices of a hexagonal lattice (triangulate.h). */
#include "base/cookie.h"
#include "base/range.h"
#include "base/word.h"
#include "mesh/mesh.h"
#include "mesh/plane.h"
#include "mesh/predicates.h"
#include "mesh/triangulate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char WHAT[] = "mesh.polygon";

/* The points of an outline among all points. */
typedef struct outline {
    const double *points;
    int32_t first, count;
    bool is_reversed; /* traversed backward from the first point: outer counterclockwise, holes clockwise */
} outline;

static int32_t number_of(const outline *o, int32_t i) {
    i %= o->count;
    return o->first + (o->is_reversed && i > 0 ? o->count - i : i);
}
static const double *point_of(const outline *o, int32_t i) {
    return o->points + 2 * (size_t)number_of(o, i);
}

/* Fails, naming two sides or points of outlines (0: the outer one, else a hole). */
static mus_status refuse_pair(const char *things, const char *what_they_do, int32_t n, int32_t i, int32_t m,
                              int32_t j) {
    char names[2][24] = {"", ""};
    if (n > 0) snprintf(names[0], sizeof names[0], " of hole %d", n);
    if (m > 0) snprintf(names[1], sizeof names[1], " of hole %d", m);
    return mus_fail(MUS_STATUS_INVALID,
                    "%s: field '%s': %s %d%s and %d%s %s; an outline must be simple, without crossing or touching "
                    "itself or another",
                    WHAT, n || m ? "holes" : "points", things, i + 1, names[0], j + 1, names[1], what_they_do);
}

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

static bool overlaps(double a, double b, double c, double d) {
    return fmax(fmin(a, b), fmin(c, d)) <= fmin(fmax(a, b), fmax(c, d));
}

/* Returns whether two closed segments have a point in common. */
static bool segments_intersect(const double *a, const double *b, const double *c, const double *d) {
    if (!overlaps(a[0], b[0], c[0], d[0]) || !overlaps(a[1], b[1], c[1], d[1])) return false;
    return mus_orient2d(a, b, c) * mus_orient2d(a, b, d) <= 0 && mus_orient2d(c, d, a) * mus_orient2d(c, d, b) <= 0;
}

/* Returns whether side i of one outline and side j of another, or of the same, intersect. */
static bool sides_intersect(const outline *o, int32_t i, const outline *p, int32_t j) {
    const double *a = point_of(o, i), *b = point_of(o, i + 1), *c = point_of(p, j), *d = point_of(p, j + 1);
    if (o == p && (j == (i + 1) % o->count || i == (j + 1) % o->count)) {
        /* Neighbors share a corner: they meet elsewhere only if one runs back along the other. */
        const double *corner = j == (i + 1) % o->count ? b : a, *one = corner == b ? a : b, *two = corner == b ? d : c;
        if (mus_orient2d(one, corner, two) != 0) return false;
        double along = (one[0] - corner[0]) * (two[0] - corner[0]) + (one[1] - corner[1]) * (two[1] - corner[1]);
        return along > 0;
    }
    return segments_intersect(a, b, c, d);
}

/* Returns whether p, which is not on the outline, is inside it: counts crossings of the ray toward +x. */
static bool contains(const outline *o, const double *p) {
    bool inside = false;
    for (int32_t i = 0; i < o->count; i++) {
        const double *a = point_of(o, i), *b = point_of(o, i + 1);
        if ((a[1] > p[1]) == (b[1] > p[1])) continue;
        int side = mus_orient2d(a, b, p);
        if ((b[1] > a[1]) == (side > 0)) inside = !inside;
    }
    return inside;
}

static mus_status check_outlines(const outline *outlines, int32_t count) {
    for (int32_t n = 0; n < count; n++)
        for (int32_t i = 0; i < outlines[n].count; i++) {
            const double *a = point_of(&outlines[n], i), *b = point_of(&outlines[n], i + 1);
            if (!isfinite(a[0]) || !isfinite(a[1]))
                return mus_fail(MUS_STATUS_INVALID,
                                "%s: field '%s': point %d must be two finite numbers, m (got {%s, "
                                "%s})",
                                WHAT, n ? "holes" : "points", i + 1, mus_word_of_number(a[0]).text,
                                mus_word_of_number(a[1]).text);
            if (!mus_is_length(a[0]) || !mus_is_length(a[1]))
                return mus_fail(MUS_STATUS_INVALID, "%s: field '%s': point %d must lie within +-%g m (got {%g, %g})",
                                WHAT, n ? "holes" : "points", i + 1, MUS_LARGEST_LENGTH, a[0], a[1]);
            if (a[0] == b[0] && a[1] == b[1])
                return refuse_pair("points", "are the same place", n, i, n, (i + 1) % outlines[n].count);
        }
    for (int32_t n = 0; n < count; n++)
        for (int32_t m = n; m < count; m++)
            for (int32_t i = 0; i < outlines[n].count; i++)
                for (int32_t j = n == m ? i + 1 : 0; j < outlines[m].count; j++)
                    if (sides_intersect(&outlines[n], i, &outlines[m], j))
                        return refuse_pair("sides", "cross or touch", n, i, m, j);
    for (int32_t n = 1; n < count; n++) {
        const double *p = point_of(&outlines[n], 0);
        if (!contains(&outlines[0], p))
            return mus_fail(MUS_STATUS_INVALID, "%s: field 'holes': hole %d lies outside the outline", WHAT, n);
        for (int32_t m = 1; m < count; m++)
            if (m != n && contains(&outlines[m], p))
                return mus_fail(MUS_STATUS_INVALID, "%s: field 'holes': hole %d lies in hole %d", WHAT, n, m);
    }
    return MUS_STATUS_OK;
}

static double signed_area(const outline *o) {
    double sum = 0;
    const double *origin = point_of(o, 0);
    for (int32_t i = 1; i + 1 < o->count; i++) {
        const double *a = point_of(o, i), *b = point_of(o, i + 1);
        sum += (a[0] - origin[0]) * (b[1] - origin[1]) - (a[1] - origin[1]) * (b[0] - origin[0]);
    }
    return 0.5 * sum;
}

/* ---- Lines ------------------------------------------------------------------------------------------------------- */

static bool same_point(const double *a, const double *b) {
    return a[0] == b[0] && a[1] == b[1];
}

/* Whether two segments have a point in common, other than one end of both. */
static bool segments_cross(const double *a, const double *b, const double *c, const double *d) {
    bool starts = same_point(a, c) || same_point(a, d), ends = same_point(b, c) || same_point(b, d);
    if (starts && ends) return true;
    if (!starts && !ends) return segments_intersect(a, b, c, d);
    const double *corner = starts ? a : b, *one = starts ? b : a, *two = same_point(corner, c) ? d : c;
    if (mus_orient2d(one, corner, two) != 0) return false;
    return (one[0] - corner[0]) * (two[0] - corner[0]) + (one[1] - corner[1]) * (two[1] - corner[1]) > 0;
}

static mus_status check_line_points(const mus_polygon_def *def) {
    const double *p = def->line_points;
    for (int32_t n = 0; n < def->line_count; n++) {
        if (def->line_counts[n] < 2)
            return mus_fail(MUS_STATUS_INVALID, "%s: field 'lines': line %d must have at least 2 points (got %d)", WHAT,
                            n + 1, def->line_counts[n]);
        for (int32_t i = 0; i < def->line_counts[n]; i++, p += 2) {
            if (!mus_is_length(p[0]) || !mus_is_length(p[1]))
                return mus_fail(MUS_STATUS_INVALID,
                                "%s: field 'lines': point %d of line %d must be two numbers within +-%g m (got {%s, "
                                "%s})",
                                WHAT, i + 1, n + 1, MUS_LARGEST_LENGTH, mus_word_of_number(p[0]).text,
                                mus_word_of_number(p[1]).text);
            if (i > 0 && same_point(p, p - 2))
                return mus_fail(MUS_STATUS_INVALID, "%s: field 'lines': points %d and %d of line %d are the same place",
                                WHAT, i, i + 1, n + 1);
        }
    }
    return MUS_STATUS_OK;
}

/* Segment `i` of line `n`, from a to b, against the outlines. */
static mus_status check_segment(const outline *outlines, int32_t count, int32_t n, int32_t i, const double *a,
                                const double *b) {
    for (int32_t m = 0; m < count; m++)
        for (int32_t j = 0; j < outlines[m].count; j++)
            if (segments_cross(a, b, point_of(&outlines[m], j), point_of(&outlines[m], j + 1)))
                return mus_fail(MUS_STATUS_INVALID,
                                "%s: field 'lines': segment %d of line %d crosses or touches side %d of %s; a line may "
                                "meet an outline only at a point of it",
                                WHAT, i + 1, n + 1, j + 1, m ? "a hole" : "the outline");
    double middle[2] = {0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])};
    bool inside = contains(&outlines[0], middle);
    for (int32_t m = 1; m < count && inside; m++) inside = !contains(&outlines[m], middle);
    return inside ? MUS_STATUS_OK
                  : mus_fail(MUS_STATUS_INVALID, "%s: field 'lines': segment %d of line %d lies outside", WHAT, i + 1,
                             n + 1);
}

static mus_status check_lines(const mus_polygon_def *def, const outline *outlines) {
    mus_status status = check_line_points(def);
    const double *p = def->line_points;
    for (int32_t n = 0; n < def->line_count && status == MUS_STATUS_OK; p += 2 * (size_t)def->line_counts[n++])
        for (int32_t i = 0; i + 1 < def->line_counts[n] && status == MUS_STATUS_OK; i++) {
            const double *a = p + 2 * (size_t)i, *b = a + 2, *q = p;
            status = check_segment(outlines, def->outline_count, n, i, a, b);
            for (int32_t m = n; m < def->line_count; q += 2 * (size_t)def->line_counts[m++])
                for (int32_t j = m == n ? i + 1 : 0; j + 1 < def->line_counts[m] && status == MUS_STATUS_OK; j++)
                    if (segments_cross(a, b, q + 2 * (size_t)j, q + 2 * (size_t)j + 2))
                        status = mus_fail(MUS_STATUS_INVALID,
                                          "%s: field 'lines': segment %d of line %d crosses segment %d of line %d; "
                                          "lines may meet only at points of both",
                                          WHAT, i + 1, n + 1, j + 1, m + 1);
        }
    return status;
}

/* The vertex at p: one of the first `count` that is there, or a new one; -1: it cannot be made. */
static mus_status find_or_insert(mus_triangulation *t, const double *p, int32_t count, int32_t *vertex) {
    for (*vertex = 0; *vertex < count; ++*vertex)
        if (same_point(t->points.data + 3 * (size_t)*vertex, p)) return MUS_STATUS_OK;
    return mus_triangulation_insert(t, p, vertex);
}

/* Keeps the edge between two vertices of a line; where another vertex is too near for it to be one, by a vertex in its
 * middle: where lines meet at small angles, several times. INVALID where that does not help. */
static mus_status join_vertices(mus_triangulation *t, int32_t a, int32_t b, int depth) {
    enum { DEEPEST = 24 };
    if (mus_triangulation_has_edge(t, a, b)) return mus_triangulation_keep_edge(t, a, b);
    if (depth == DEEPEST) return MUS_STATUS_INVALID;
    const double *p = t->points.data + 3 * (size_t)a, *q = t->points.data + 3 * (size_t)b;
    double middle[2] = {0.5 * (p[0] + q[0]), 0.5 * (p[1] + q[1])};
    int32_t made;
    mus_status status = mus_triangulation_insert(t, middle, &made);
    if (status == MUS_STATUS_OK && made < 0) return MUS_STATUS_INVALID;
    if (status == MUS_STATUS_OK) status = join_vertices(t, a, made, depth + 1);
    return status == MUS_STATUS_OK ? join_vertices(t, made, b, depth + 1) : status;
}

/* From a to b in edges of about edge_length. */
static mus_status insert_segment(mus_triangulation *t, const double *a, const double *b, double edge_length) {
    int32_t last, next;
    mus_status status = find_or_insert(t, a, (int32_t)t->incident.count, &last);
    double dx = b[0] - a[0], dy = b[1] - a[1];
    int32_t parts = (int32_t)fmax(1, floor(sqrt(dx * dx + dy * dy) / edge_length + 0.5));
    for (int32_t k = 1; k <= parts && status == MUS_STATUS_OK; k++, last = next) {
        double s = (double)k / parts, p[2] = {a[0] + s * dx, a[1] + s * dy};
        status =
            k < parts ? mus_triangulation_insert(t, p, &next) : find_or_insert(t, b, (int32_t)t->incident.count, &next);
        if (status == MUS_STATUS_OK && (last < 0 || next < 0)) status = MUS_STATUS_INVALID;
        if (status == MUS_STATUS_OK) status = join_vertices(t, last, next, 0);
    }
    return status;
}

static mus_status insert_lines(mus_triangulation *t, const mus_polygon_def *def) {
    const double *p = def->line_points;
    for (int32_t n = 0; n < def->line_count; n++, p += 2)
        for (int32_t i = 0; i + 1 < def->line_counts[n]; i++, p += 2) {
            mus_status status = insert_segment(t, p, p + 2, def->edge_length);
            if (status == MUS_STATUS_INVALID)
                return mus_fail(status,
                                "%s: field 'lines': segment %d of line %d is too near to an outline or another line",
                                WHAT, i + 1, n + 1);
            if (status != MUS_STATUS_OK) return status;
        }
    return MUS_STATUS_OK;
}

/* ---- Bridges ----------------------------------------------------------------------------------------------------- */

/* The corners of one polygon that runs along the outline and, by bridges, around the holes joined so far. */
typedef struct chain {
    const double *points;
    int32_t *corners;
    int32_t count;
} chain;

static const double *corner_point(const chain *c, int32_t i) {
    return c->points + 2 * (size_t)c->corners[(i + c->count) % c->count];
}

/* Returns whether the bridge from p to corner i leaves that corner toward the inside. */
static bool leaves_inward(const chain *c, int32_t i, const double *p) {
    const double *before = corner_point(c, i - 1), *at = corner_point(c, i), *after = corner_point(c, i + 1);
    bool left_of_next = mus_orient2d(at, after, p) > 0, left_of_last = mus_orient2d(before, at, p) > 0;
    return mus_orient2d(before, at, after) > 0 ? left_of_next && left_of_last : left_of_next || left_of_last;
}

static bool bridge_is_free(const chain *c, const outline *holes, int32_t hole_count, const double *p, const double *q) {
    for (int32_t k = 0; k < c->count; k++) {
        const double *a = corner_point(c, k), *b = corner_point(c, k + 1);
        bool shares = (a[0] == q[0] && a[1] == q[1]) || (b[0] == q[0] && b[1] == q[1]);
        const double *other = a[0] == q[0] && a[1] == q[1] ? b : a;
        bool along = shares && mus_orient2d(p, q, other) == 0 &&
                     (p[0] - q[0]) * (other[0] - q[0]) + (p[1] - q[1]) * (other[1] - q[1]) > 0;
        if (shares ? along : segments_intersect(p, q, a, b)) return false;
    }
    for (int32_t n = 0; n < hole_count; n++)
        for (int32_t i = 0; i < holes[n].count; i++) {
            const double *a = point_of(&holes[n], i), *b = point_of(&holes[n], i + 1);
            if (a == p || b == p) {
                const double *other = a == p ? b : a;
                if (mus_orient2d(p, q, other) == 0 &&
                    (q[0] - p[0]) * (other[0] - p[0]) + (q[1] - p[1]) * (other[1] - p[1]) > 0)
                    return false;
            } else if (segments_intersect(p, q, a, b)) {
                return false;
            }
        }
    return true;
}

/* Joins the first of the remaining holes by the shortest bridge from its corners that crosses nothing. */
static bool join_hole(chain *c, const outline *left, int32_t left_count) {
    const outline *hole = &left[0];
    double best = INFINITY;
    int32_t at = -1, from = -1;
    for (int32_t h = 0; h < hole->count; h++) {
        const double *p = point_of(hole, h);
        for (int32_t i = 0; i < c->count; i++) {
            const double *q = corner_point(c, i);
            double square = (p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]);
            if (square >= best || !leaves_inward(c, i, p) || !bridge_is_free(c, left, left_count, p, q)) continue;
            best = square, at = i, from = h;
        }
    }
    if (at < 0) return false;
    int32_t added = hole->count + 2;
    memmove(c->corners + at + 1 + added, c->corners + at + 1, (size_t)(c->count - at - 1) * sizeof *c->corners);
    for (int32_t k = 0; k <= hole->count; k++) c->corners[at + 1 + k] = number_of(hole, from + k);
    c->corners[at + added] = c->corners[at];
    c->count += added;
    return true;
}

/* ---- Filling ----------------------------------------------------------------------------------------------------- */

/* Divides each side into equal edges of about the requested length. */
static mus_status divide_sides(mus_triangulation *t, const outline *o, double edge_length) {
    for (int32_t i = 0; i < o->count; i++) {
        const double *a = point_of(o, i), *b = point_of(o, i + 1);
        double dx = b[0] - a[0], dy = b[1] - a[1], length = sqrt(dx * dx + dy * dy);
        int32_t parts = (int32_t)fmax(1, floor(length / edge_length + 0.5)), from = number_of(o, i);
        for (int32_t k = 1; k < parts; k++) {
            double s = (double)k / parts, p[2] = {a[0] + s * dx, a[1] + s * dy};
            mus_status status = mus_triangulation_split_boundary(t, from, p, &from);
            if (status != MUS_STATUS_OK) return status;
        }
    }
    return MUS_STATUS_OK;
}

/* The sides near one row of the lattice, and the positions where outlines cross it. */
typedef struct row_sides {
    double (*ends)[4]; /* x, y, x, y */
    double *crossings; /* m, ascending */
    int32_t count, crossing_count;
} row_sides;

static void find_sides(const outline *outlines, int32_t count, double y, double near, row_sides *row) {
    row->count = row->crossing_count = 0;
    for (int32_t n = 0; n < count; n++)
        for (int32_t i = 0; i < outlines[n].count; i++) {
            const double *a = point_of(&outlines[n], i), *b = point_of(&outlines[n], i + 1);
            if (y < fmin(a[1], b[1]) - near || y > fmax(a[1], b[1]) + near) continue;
            memcpy(row->ends[row->count], a, 2 * sizeof *a);
            memcpy(row->ends[row->count++] + 2, b, 2 * sizeof *b);
            if ((a[1] > y) == (b[1] > y)) continue;
            double x = a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0]);
            int32_t k = row->crossing_count++;
            for (; k > 0 && row->crossings[k - 1] > x; k--) row->crossings[k] = row->crossings[k - 1];
            row->crossings[k] = x;
        }
}

/* Segments of lines near the row: vertices keep the distance from them that they keep from sides. */
static void add_lines(const mus_polygon_def *def, double y, double near, row_sides *row) {
    const double *p = def->line_points;
    for (int32_t n = 0; n < def->line_count; n++, p += 2)
        for (int32_t i = 0; i + 1 < def->line_counts[n]; i++, p += 2)
            if (y >= fmin(p[1], p[3]) - near && y <= fmax(p[1], p[3]) + near)
                memcpy(row->ends[row->count++], p, 4 * sizeof *p);
}

static bool near_side(const row_sides *row, const double p[2], double near) {
    for (int32_t i = 0; i < row->count; i++) {
        const double *e = row->ends[i];
        if (p[0] < fmin(e[0], e[2]) - near || p[0] > fmax(e[0], e[2]) + near) continue;
        double dx = e[2] - e[0], dy = e[3] - e[1], px = p[0] - e[0], py = p[1] - e[1];
        double s = fmax(0, fmin(1, (px * dx + py * dy) / (dx * dx + dy * dy)));
        double ex = px - s * dx, ey = py - s * dy;
        if (ex * ex + ey * ey < near * near) return true;
    }
    return false;
}

/* Rows of points one edge length apart, every second row shifted by half an edge, traversed back and forth: neighbors
 * are close in the order in which they are inserted. */
static mus_status fill_rows(mus_triangulation *t, const mus_polygon_def *def, const outline *outlines,
                            const double low[2], const double high[2], row_sides *sides) {
    static const double row_height = 0.86602540378443864676; /* in edge lengths, of equilateral triangles */
    static const double least_gap = 0.6; /* in edge lengths; nearer to a side, triangles have angles < 30 degrees */
    double edge_length = def->edge_length, step = row_height * edge_length, near = least_gap * edge_length;
    int32_t rows = (int32_t)((high[1] - low[1]) / step) + 1;
    double first = 0.5 * (low[1] + high[1] - rows * step), middle = 0.5 * (low[0] + high[0]);
    for (int32_t row = 0; row <= rows; row++) {
        double y = first + row * step, shift = middle + (row % 2 ? 0.25 : -0.25) * edge_length;
        find_sides(outlines, def->outline_count, y, near, sides);
        add_lines(def, y, near, sides);
        for (int32_t k = 0; k + 1 < sides->crossing_count; k += 2) { /* inside from an even crossing to the next */
            int32_t span = row % 2 ? sides->crossing_count - 2 - k : k;
            int32_t from = (int32_t)ceil((sides->crossings[span] - shift) / edge_length);
            int32_t to = (int32_t)floor((sides->crossings[span + 1] - shift) / edge_length);
            for (int32_t c = from; c <= to; c++) {
                double p[2] = {shift + (row % 2 ? to - (c - from) : c) * edge_length, y};
                if (near_side(sides, p, near)) continue;
                int32_t made;
                mus_status status = mus_triangulation_insert(t, p, &made);
                if (status != MUS_STATUS_OK) return status;
            }
        }
    }
    return MUS_STATUS_OK;
}

static mus_status fill(mus_triangulation *t, const mus_polygon_def *def, const outline *outlines, int32_t point_count) {
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int32_t i = 0; i < outlines[0].count; i++)
        for (int k = 0; k < 2; k++) {
            low[k] = fmin(low[k], point_of(&outlines[0], i)[k]);
            high[k] = fmax(high[k], point_of(&outlines[0], i)[k]);
        }
    for (int32_t n = 0; n < def->line_count; n++) point_count += def->line_counts[n];
    row_sides sides = {mus_new((size_t)point_count * sizeof *sides.ends),
                       mus_new((size_t)point_count * sizeof *sides.crossings), 0, 0};
    mus_status status = MUS_STATUS_NO_MEMORY;
    if (sides.ends && sides.crossings) status = fill_rows(t, def, outlines, low, high, &sides);
    mus_free(sides.ends);
    mus_free(sides.crossings);
    return status;
}

/* Rounds of moving inner vertices to the mean of their neighbors: the strip between lattice and outline becomes even;
 * on the test outlines the least angle stops growing at the fourth round. */
enum { SMOOTHING_ROUNDS = 4 };

static mus_status triangulate(mus_triangulation *t, const mus_polygon_def *def, const double *points,
                              const outline *outlines, int32_t point_count) {
    chain c = {points, mus_new(((size_t)point_count + 2 * (size_t)def->outline_count) * sizeof(int32_t)), 0};
    if (!c.corners) return MUS_STATUS_NO_MEMORY;
    mus_status status = MUS_STATUS_OK;
    for (int32_t i = 0; i < outlines[0].count; i++) c.corners[c.count++] = number_of(&outlines[0], i);
    for (int32_t n = 1; n < def->outline_count && status == MUS_STATUS_OK; n++)
        if (!join_hole(&c, outlines + n, def->outline_count - n)) status = MUS_STATUS_INVALID;
    if (status == MUS_STATUS_OK) status = mus_triangulation_begin(t, points, point_count, c.corners, c.count);
    mus_free(c.corners);
    for (int32_t n = 0; n < def->outline_count && status == MUS_STATUS_OK; n++)
        status = divide_sides(t, &outlines[n], def->edge_length);
    if (status == MUS_STATUS_OK && (status = insert_lines(t, def)) != MUS_STATUS_OK) return status;
    int32_t boundary = (int32_t)t->incident.count;
    if (status == MUS_STATUS_OK) status = fill(t, def, outlines, point_count);
    if (status == MUS_STATUS_OK) status = mus_triangulation_smooth(t, boundary, SMOOTHING_ROUNDS);
    if (status == MUS_STATUS_INVALID)
        return mus_fail(status,
                        "%s: the outline is so thin somewhere that its sides coincide in double precision; leave out "
                        "points that lie within rounding of a side",
                        WHAT);
    return status;
}

static mus_status make_sheet(const mus_triangulation *t, const double center[3], const int axes[2], mus_mesh **mesh) {
    int32_t vertices = (int32_t)t->incident.count, faces = (int32_t)t->triangles.count;
    mus_mesh *sheet = mus_mesh_new(vertices, faces, vertices);
    if (!sheet) return MUS_STATUS_NO_MEMORY;
    for (int32_t i = 0; i < vertices; i++) {
        double *x = sheet->vertices + 3 * (size_t)i, *uv = sheet->uvs + 2 * (size_t)i;
        memcpy(uv, t->points.data + 3 * (size_t)i, 2 * sizeof *uv);
        memcpy(x, center, 3 * sizeof *x);
        x[axes[0]] += uv[0];
        x[axes[1]] += uv[1];
    }
    for (int32_t f = 0; f < faces; f++)
        memcpy(sheet->faces + 3 * (size_t)f, t->triangles.data[f].vertex, sizeof t->triangles.data[f].vertex);
    memcpy(sheet->uv_faces, sheet->faces, (size_t)faces * 3 * sizeof *sheet->faces);
    return mus_mesh_hand_over(WHAT, sheet, mesh);
}

mus_polygon_def mus_polygon_def_default(void) {
    return (mus_polygon_def){.cookie = MUS_COOKIE_POLYGON_DEF, .outline_count = 1};
}

mus_status mus_mesh_create_polygon(const mus_polygon_def *def, mus_mesh **mesh) {
    enum { MOST_POINTS = 4000, MOST_FACES = 4000000 }; /* sides are compared in pairs; faces take 100 bytes each */
    *mesh = NULL;
    int axes[2];
    int64_t point_count = 0;
    mus_status status = mus_check_cookie(def->cookie, MUS_COOKIE_POLYGON_DEF, WHAT, "mus_polygon_def");
    if (status != MUS_STATUS_OK) return status;
    for (int32_t n = 0; n < def->outline_count; n++) {
        if (def->counts[n] < 3)
            return mus_fail(MUS_STATUS_INVALID, "%s: field '%s' must be at least 3 points {x, y} (got %d)", WHAT,
                            n ? "holes" : "points", def->counts[n]);
        point_count += def->counts[n];
    }
    int64_t all = point_count;
    for (int32_t n = 0; n < def->line_count; n++) all += def->line_counts[n];
    if (all > MOST_POINTS)
        return mus_fail(MUS_STATUS_INVALID,
                        "%s: field 'points', 'holes' and 'lines' must be at most %d points (got %lld)", WHAT,
                        MOST_POINTS, (long long)all);
    status = mus_mesh_check_positive(WHAT, "edge_length", def->edge_length);
    if (status == MUS_STATUS_OK) status = mus_mesh_check_center(WHAT, def->center);
    if (status == MUS_STATUS_OK) status = mus_plane_axes(WHAT, def->plane, axes);
    if (status != MUS_STATUS_OK) return status;

    double *points = mus_new((size_t)point_count * 2 * sizeof *points);
    outline *outlines = mus_new((size_t)def->outline_count * sizeof *outlines);
    if (!points || !outlines) {
        mus_free(points);
        mus_free(outlines);
        return MUS_STATUS_NO_MEMORY;
    }
    memcpy(points, def->points, (size_t)point_count * 2 * sizeof *points);
    for (int32_t n = 0, first = 0; n < def->outline_count; first += def->counts[n++])
        outlines[n] = (outline){points, first, def->counts[n], false};
    status = check_outlines(outlines, def->outline_count);
    double area = 0, round = 0;
    for (int32_t n = 0; n < def->outline_count && status == MUS_STATUS_OK; n++) {
        outline *o = &outlines[n];
        double own = signed_area(o);
        area += n ? -fabs(own) : fabs(own);
        o->is_reversed = (own > 0) == (n > 0);
        for (int32_t i = 0; i < o->count; i++) {
            const double *a = point_of(o, i), *b = point_of(o, i + 1);
            round += sqrt((b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]));
        }
    }
    double e = def->edge_length;
    if (status == MUS_STATUS_OK && !(area > 0))
        status = mus_fail(MUS_STATUS_INVALID, "%s: field 'points': the outline has no area", WHAT);
    if (status == MUS_STATUS_OK && !(area / e / e / 0.43 + 2 * round / e < MOST_FACES))
        status = mus_fail(MUS_STATUS_INVALID,
                          "%s: field 'edge_length' must give at most %d faces (got %s m, on %s m^2 with outlines of %s "
                          "m)",
                          WHAT, MOST_FACES, mus_word_of_number(e).text, mus_word_of_number(area).text,
                          mus_word_of_number(round).text);
    if (status == MUS_STATUS_OK) status = check_lines(def, outlines);
    mus_triangulation t = {0};
    if (status == MUS_STATUS_OK) status = triangulate(&t, def, points, outlines, (int32_t)point_count);
    if (status == MUS_STATUS_OK) status = make_sheet(&t, def->center, axes, mesh);
    mus_triangulation_free(&t);
    mus_free(points);
    mus_free(outlines);
    if (status != MUS_STATUS_OK || def->line_count == 0) return status;
    status = mus_mesh_check(*mesh, NULL);
    if (status == MUS_STATUS_OK) return status;
    mus_mesh_destroy(*mesh);
    *mesh = NULL;
    if (status == MUS_STATUS_NO_MEMORY) return status;
    return mus_fail(MUS_STATUS_INVALID, "%s: field 'lines': two of them, or a line and an outline, nearly touch (%s)",
                    WHAT, mus_get_error_message());
}
