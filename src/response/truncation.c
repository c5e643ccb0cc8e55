/* truncation.c: planar truncation after "Divide and Truncate" (2026), and the isotropic bound of Chen et al. 2025. */
#include "response/truncation.h"
#include "narrow/ccd.h"
#include "narrow/cylinder.h"

bool mus_truncation_certified(const mus_assembly *a, const mus_candidate_pair *c, double distance) {
    if (mus_pair_has_cylinder(a, c->vertex))
        return mus_cylinder_stays_clear(a, c, distance - mus_candidate_pair_radius(a, c));
    v3 d, x0[4], x1[4];
    double weight[4];
    mus_candidate_pair_nearest(c, a->x0, &d, weight);
    for (int k = 0; k < 4; k++) x0[k] = a->x0[c->vertex[k]], x1[k] = a->x1[c->vertex[k]];
    return c->edge_edge ? mus_ccd_axis_clear_ee(x0, x1, d, distance) : mus_ccd_axis_clear_vf(x0, x1, d, distance);
}

/* A truncated move ends at this share of the way to its plane, so that neither side reaches it. 0.45 and 0.95: same
 * bits on sphere, where little is cut. */
static const double way_share = 0.85;
/* The plane keeps this share of the room from the start of either side, so that the slower one is not pinned to its
 * place. 0.025 and 0.1: same bits on sphere. */
static const double least_split = 0.05;
/* Of the room between two sides: less than half, so that both may move by it and stay apart. */
static const double isotropic_share = 0.45;

/* Extent of the two sides along a direction n from side B to side A. */
typedef struct extent {
    v3 normal;
    bool on_a[4], fixed[4];
    double start[4], end[4];
    double radius; /* m: distance of side B's surface from its vertices */
    double lo,
        hi; /* free interval between the sides: from B's furthest at the start and, where prescribed, the end; to A's */
    double want_a, want_b; /* m: how far the free vertices of each side move into it */
} extent;

static bool measure(const mus_assembly *a, const mus_candidate_pair *c, extent *e) {
    v3 d;
    double weight[4];
    double length = mus_candidate_pair_nearest(c, a->x0, &d, weight);
    *e = (extent){.radius = mus_candidate_pair_radius(a, c), .lo = -INFINITY, .hi = INFINITY};
    if (mus_pair_has_cylinder(a, c->vertex)) {
        mus_cylinder_nearest nearest;
        mus_cylinder_find_nearest(a, c, 0, &nearest);
        e->normal = nearest.normal;
        e->radius = fmax(nearest.radius, mus_cylinder_radius_along(a, c, nearest.normal, 1));
    } else {
        if (!(length > 0)) return false;
        e->normal = v3_scale(1 / length, d);
    }
    for (int k = 0; k < 4; k++) {
        int32_t i = c->vertex[k];
        double w = a->inverse_mass[i];
        e->on_a[k] = c->edge_edge ? k >= 2 : k == 0;
        e->fixed[k] = !(w > 0) && !a->objects[a->object_of[i]].rigid;
        e->start[k] = v3_dot(e->normal, a->x0[i]);
        e->end[k] = v3_dot(e->normal, a->x1[i]);
        double room = e->start[k];
        if (e->on_a[k]) {
            if (e->fixed[k]) room = fmin(room, e->end[k]);
            e->hi = fmin(e->hi, room);
        } else {
            if (e->fixed[k]) room = fmax(room, e->end[k]);
            e->lo = fmax(e->lo, room);
        }
    }
    e->lo += e->radius;
    for (int k = 0; k < 4; k++) {
        if (e->fixed[k]) continue;
        if (e->on_a[k])
            e->want_a = fmax(e->want_a, e->hi - e->end[k]);
        else
            e->want_b = fmax(e->want_b, e->end[k] + e->radius - e->lo);
    }
    return true;
}

static void keep_ends(const mus_assembly *a, const mus_candidate_pair *c, v3 end[4]) {
    for (int k = 0; k < 4; k++) end[k] = a->x1[c->vertex[k]];
}

static bool planar(const mus_assembly *a, const mus_candidate_pair *c, double min_gap, v3 end[4]) {
    extent e;
    keep_ends(a, c, end);
    if (!measure(a, c, &e)) return false;
    double room = e.hi - e.lo;
    if (!(room > min_gap)) return false;
    double split = e.want_a + e.want_b > 0 ? e.want_b / (e.want_a + e.want_b) : 0.5;
    split = fmin(1 - least_split, fmax(least_split, split));
    double plane = e.lo + min_gap / 2 + split * (room - min_gap);
    for (int k = 0; k < 4; k++) {
        if (e.fixed[k]) continue;
        /* distance to the other side that the vertex may move, and that it moves untruncated */
        double way = e.on_a[k] ? e.start[k] - (plane + min_gap / 2) : plane - min_gap / 2 - (e.start[k] + e.radius);
        double wants = e.on_a[k] ? e.start[k] - e.end[k] : e.end[k] - e.start[k];
        if (!(wants > way_share * way)) continue;
        end[k] = v3_lerp(a->x0[c->vertex[k]], a->x1[c->vertex[k]], way_share * fmax(0, way) / wants);
    }
    return true;
}

const mus_truncation mus_truncation_planar = {planar};

static bool isotropic(const mus_assembly *a, const mus_candidate_pair *c, double min_gap, v3 end[4]) {
    extent e;
    keep_ends(a, c, end);
    if (!measure(a, c, &e)) return false;
    double room = e.hi - e.lo - min_gap;
    if (!(room > 0)) return false;
    for (int k = 0; k < 4; k++) {
        if (e.fixed[k]) continue;
        double way = v3_length(v3_sub(end[k], a->x0[c->vertex[k]]));
        if (way > isotropic_share * room) end[k] = v3_lerp(a->x0[c->vertex[k]], end[k], isotropic_share * room / way);
    }
    return true;
}

const mus_truncation mus_truncation_isotropic = {isotropic};
