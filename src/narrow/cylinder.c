/* cylinder.c: distance and continuous detection of edges and faces against a solid cylinder. The signed distance of a
 * point has a closed form and is convex, so an edge's nearest point is where its derivative changes sign; times are
 * found by conservative advancement (Mirtich 1996) with certified directions. */
#include "narrow/cylinder.h"

#include <math.h>
#include <string.h>

/* The pair at one time. */
typedef struct placed {
    v3 point[3]; /* of the other side: an edge's two or a face's three */
    v3 end[2];   /* of the axis; for a disc both are its center */
    v3 axis;     /* unit */
    double half; /* m: half the axis' length; 0 for a disc */
} placed;

typedef struct sides {
    int32_t point[3], end[2]; /* vertices */
    int count;                /* of points: 2, an edge; 3, a face */
    int disc;                 /* for a face: the end of the axis where the disc is */
    bool cylinder_is_a;
    double radius, other; /* m: of the cylinder; of the other side, if that is round */
} sides;

static sides sides_of(const mus_assembly *a, const mus_candidate_pair *c) {
    const int32_t *v = c->vertex;
    sides s = {.count = c->edge_edge ? 2 : 3, .cylinder_is_a = true};
    const mus_object *object = &a->objects[a->object_of[v[c->edge_edge ? 2 : 0]]];
    if (c->edge_edge && !(v[2] >= a->cloth_vertex_count && mus_object_is_cylinder(object))) {
        s.cylinder_is_a = false;
        object = &a->objects[a->object_of[v[0]]];
    }
    const int32_t *points = c->edge_edge ? (s.cylinder_is_a ? v : v + 2) : v + 1;
    for (int k = 0; k < s.count; k++) s.point[k] = points[k];
    s.end[0] = object->first, s.end[1] = object->first + 1;
    s.disc = c->edge_edge ? 0 : v[0] - object->first;
    s.radius = object->radius, s.other = mus_assembly_radius(a, s.point[0]);
    return s;
}

static v3 any_across(v3 u) {
    return v3_normalized(v3_cross(u, fabs(u.x) < 0.6 ? v3_make(1, 0, 0) : v3_make(0, 0, 1)));
}

static placed place_at(const mus_assembly *a, const sides *s, double t) {
    placed p;
    v3 end[2];
    for (int k = 0; k < s->count; k++) p.point[k] = v3_lerp(a->x0[s->point[k]], a->x1[s->point[k]], t);
    for (int k = 0; k < 2; k++) end[k] = v3_lerp(a->x0[s->end[k]], a->x1[s->end[k]], t);
    v3 along = v3_sub(end[1], end[0]);
    double length = v3_length(along);
    p.axis = length > 0 ? v3_scale(1 / length, along) : v3_make(0, 1, 0);
    bool disc = s->count == 3;
    p.half = disc ? 0 : 0.5 * length;
    p.end[0] = end[disc ? s->disc : 0], p.end[1] = end[disc ? s->disc : 1];
    return p;
}

/* ---- Distances --------------------------------------------------------------------------------------------------- */

/* Signed distance of a point from the solid, and its gradient, which points outward. */
static double point_gap(const placed *p, double radius, v3 x, v3 *out) {
    v3 d = v3_sub(x, v3_scale(0.5, v3_add(p->end[0], p->end[1])));
    double y = v3_dot(d, p->axis);
    v3 across = v3_axpy(-y, p->axis, d);
    double r = v3_length(across), side = r - radius, cap = fabs(y) - p->half;
    v3 radial = r > 0 ? v3_scale(1 / r, across) : any_across(p->axis), up = y < 0 ? v3_neg(p->axis) : p->axis;
    if (side > 0 && cap > 0) {
        double gap = sqrt(side * side + cap * cap);
        *out = v3_add(v3_scale(side / gap, radial), v3_scale(cap / gap, up));
        return gap;
    }
    *out = side > cap ? radial : up;
    return fmax(side, cap);
}

/* Returns where the derivative along the edge, which never decreases, first exceeds `limit`. */
static double where_slope_exceeds(const placed *p, double radius, v3 from, v3 edge, double limit) {
    enum { HALVINGS = 48 };
    v3 out;
    point_gap(p, radius, from, &out);
    if (v3_dot(out, edge) > limit) return 0;
    point_gap(p, radius, v3_add(from, edge), &out);
    if (v3_dot(out, edge) <= limit) return 1;
    double low = 0, high = 1;
    for (int k = 0; k < HALVINGS; k++) {
        double middle = 0.5 * (low + high);
        point_gap(p, radius, v3_axpy(middle, edge, from), &out);
        if (v3_dot(out, edge) > limit)
            high = middle;
        else
            low = middle;
    }
    return 0.5 * (low + high);
}

/* The nearest point of an edge: the middle of all that are equally near, as when the edge lies flat on an end. */
static double edge_gap(const placed *p, double radius, v3 from, v3 to, double *share, v3 *out) {
    static const double flat = 1e-9; /* slope of a distance that is constant along the edge but for rounding */
    v3 edge = v3_sub(to, from);
    double limit = flat * v3_length(edge);
    double low = where_slope_exceeds(p, radius, from, edge, -limit);
    double high = where_slope_exceeds(p, radius, from, edge, limit);
    *share = 0.5 * (low + high);
    return point_gap(p, radius, v3_axpy(*share, edge, from), out);
}

/* The extent of the disc along a unit vector. */
static double disc_extent(const placed *p, double radius, v3 n) {
    double along = v3_dot(n, p->axis);
    return radius * v3_length(v3_axpy(-along, p->axis, n));
}

/* Returns whether the disc's furthest point along n, or some point of a disc perpendicular to n, projects into the
 * face; w: its barycentric coordinates. */
static bool under_face(const placed *p, double radius, v3 n, double w[3]) {
    v3 u = v3_sub(p->point[1], p->point[0]), v = v3_sub(p->point[2], p->point[0]), q = p->end[0];
    v3 across = v3_axpy(-v3_dot(n, p->axis), p->axis, n);
    double length = v3_length(across);
    if (length > 1e-9) {
        q = v3_axpy(radius / length, across, q);
    } else { /* all points are equally far: take the one nearest to the face's centroid */
        v3 middle = v3_scale(1.0 / 3, v3_add(p->point[0], v3_add(p->point[1], p->point[2])));
        v3 to = v3_sub(middle, q);
        to = v3_axpy(-v3_dot(to, n), n, to);
        double far = v3_length(to);
        q = v3_axpy(far > radius ? radius / far : 1, to, q);
    }
    v3 d = v3_sub(q, p->point[0]), normal = v3_cross(u, v);
    double area2 = v3_length2(normal);
    if (!(area2 > 0)) return false;
    w[1] = v3_dot(v3_cross(d, v), normal) / area2;
    w[2] = v3_dot(v3_cross(u, d), normal) / area2;
    w[0] = 1 - w[1] - w[2];
    return w[0] > 0 && w[1] > 0 && w[2] > 0;
}

typedef struct found {
    v3 out; /* unit, from the cylinder to the other side */
    double gap, weight[3];
    bool on_rim;
} found;

static found face_nearest(const placed *p, double radius) {
    static const double touching = 1e-9; /* in radii: rounding error of touching */
    found f = {.gap = INFINITY, .on_rim = true};
    for (int k = 0; k < 3; k++) {
        double share;
        v3 out;
        double gap = edge_gap(p, radius, p->point[k], p->point[(k + 1) % 3], &share, &out);
        if (gap >= f.gap) continue;
        f.gap = gap, f.out = out;
        f.weight[k] = 1 - share, f.weight[(k + 1) % 3] = share, f.weight[(k + 2) % 3] = 0;
    }
    v3 n = v3_normalized(v3_cross(v3_sub(p->point[1], p->point[0]), v3_sub(p->point[2], p->point[0])));
    double above = v3_dot(n, v3_sub(p->point[0], p->end[0])), w[3];
    if (above < 0) n = v3_neg(n), above = -above;
    double gap = above - disc_extent(p, radius, n);
    /* If the face's plane cuts the disc, the nearest points are on the face's edges, or the disc cuts the face. */
    bool apart = gap >= -touching * radius && gap <= f.gap;
    if (v3_length2(n) > 0 && apart && under_face(p, radius, n, w)) {
        f = (found){.out = n, .gap = gap};
        memcpy(f.weight, w, sizeof w);
    }
    return f;
}

static found find(const placed *p, const sides *s) {
    if (s->count == 3) return face_nearest(p, s->radius);
    found f = {0};
    double share;
    f.gap = edge_gap(p, s->radius, p->point[0], p->point[1], &share, &f.out);
    f.weight[0] = 1 - share, f.weight[1] = share;
    return f;
}

void mus_cylinder_find_nearest(const mus_assembly *a, const mus_candidate_pair *c, double t,
                               mus_cylinder_nearest *nearest) {
    sides s = sides_of(a, c);
    placed p = place_at(a, &s, t);
    found f = find(&p, &s);
    *nearest = (mus_cylinder_nearest){.normal = s.cylinder_is_a ? v3_neg(f.out) : f.out,
                                      .gap = f.gap - s.other,
                                      .radius = disc_extent(&p, s.radius, f.out) + s.other,
                                      .on_rim = s.count == 3 && f.on_rim};
    double *w = nearest->weight, on_axis = 1;
    if (!c->edge_edge) {
        w[0] = 1;
        for (int k = 0; k < 3; k++) w[1 + k] = -f.weight[k];
        return;
    }
    /* The position on the axis: the end further along the normal or, if both are level, the point beside the surface
     * point. */
    v3 x = v3_lerp(p.point[0], p.point[1], f.weight[1]);
    double lift = v3_dot(f.out, p.axis);
    if (lift != 0)
        on_axis = lift > 0;
    else if (p.half > 0)
        on_axis = fmin(1, fmax(0, v3_dot(v3_sub(x, p.end[0]), p.axis) / (2 * p.half)));
    double other[2] = {f.weight[0], f.weight[1]}, own[2] = {1 - on_axis, on_axis};
    for (int k = 0; k < 2; k++) {
        w[k] = s.cylinder_is_a ? -other[k] : -own[k];
        w[2 + k] = s.cylinder_is_a ? own[k] : other[k];
    }
}

double mus_cylinder_radius_along(const mus_assembly *a, const mus_candidate_pair *c, v3 normal, double t) {
    sides s = sides_of(a, c);
    placed p = place_at(a, &s, t);
    return disc_extent(&p, s.radius, normal) + s.other;
}

double mus_cylinder_rim_motion(const mus_assembly *a, const mus_object *object) {
    const v3 *x0 = a->x0 + object->first, *x1 = a->x1 + object->first;
    v3 start = v3_normalized(v3_sub(x0[1], x0[0])), end = v3_normalized(v3_sub(x1[1], x1[0]));
    return object->radius * v3_length(v3_sub(end, start));
}

/* ---- Over the step ----------------------------------------------------------------------------------------------- */

/* Bound on the rate at which the axis' direction turns, 1/step; sets `far` if it turns too far for a bound. */
static double turn_rate(const mus_assembly *a, const sides *s, bool *far) {
    v3 start = v3_sub(a->x0[s->end[1]], a->x0[s->end[0]]), end = v3_sub(a->x1[s->end[1]], a->x1[s->end[0]]);
    double change = v3_length(v3_sub(end, start)), length = v3_length(start);
    *far = !(change < 0.5 * length);
    return *far ? 0 : change / (length - change);
}

/* Returns the time until which, from t on, the direction certifies that the sides stay further than `gap` apart: above
 * 1 for the whole step, at most t if they are not apart. */
static double clear_until(const mus_assembly *a, const sides *s, const placed *p, v3 out, double t, double gap) {
    bool far;
    double rate = turn_rate(a, s, &far), along = v3_dot(out, p->axis), until = INFINITY, size = 0;
    double extent = s->radius * (far ? 1 : v3_length(v3_axpy(-along, p->axis, out)));
    for (int k = 0; k < s->count; k++)
        for (int e = 0; e < 2; e++) {
            if (s->count == 3 && e != s->disc) continue;
            v3 way = v3_sub(v3_sub(a->x1[s->point[k]], a->x0[s->point[k]]), v3_sub(a->x1[s->end[e]], a->x0[s->end[e]]));
            v3 apart = v3_sub(p->point[k], s->count == 3 ? p->end[0] : p->end[e]);
            size = v3_max_abs(apart) + v3_max_abs(p->point[k]);
            /* rounding: a few products of these sizes */
            double room = v3_dot(out, apart) - extent - s->other - gap - 16 * 2.3e-16 * (size + s->radius);
            double closing = s->radius * rate - v3_dot(out, way);
            if (!(room > 0)) return t;
            if (closing > 0) until = fmin(until, t + room / closing * (1 - 1e-12));
        }
    return until;
}

bool mus_cylinder_ccd(const mus_assembly *a, const mus_candidate_pair *c, double gap, double tolerance, double *toi) {
    enum { ROUNDS = 200 };
    sides s = sides_of(a, c);
    double t = 0;
    for (int round = 0; round < ROUNDS; round++) {
        placed p = place_at(a, &s, t);
        found f = find(&p, &s);
        *toi = t;
        if (f.gap - s.other <= gap + 0.5 * tolerance) return true;
        double until = clear_until(a, &s, &p, f.out, t, gap);
        if (until > 1) return false;
        if (!(until > t)) return true; /* rounding leaves no separating direction */
        t = until;
    }
    return true;
}

bool mus_cylinder_stays_clear(const mus_assembly *a, const mus_candidate_pair *c, double gap) {
    sides s = sides_of(a, c);
    placed p = place_at(a, &s, 0);
    found f = find(&p, &s);
    return clear_until(a, &s, &p, f.out, 0, gap) > 1;
}
