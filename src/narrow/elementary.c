/* elementary.c: elementary tests by nearest points: certified intervals, and the distance at the start. */
#include "narrow/elementary.h"

#include "mesh/distance.h"
#include "narrow/ccd.h"

/* Nearest points at x: sets d, the vector from side B to side A, and returns its length. */
static double nearest(bool edge_edge, const v3 x[4], v3 *d, double weight[4]) {
    double w[3];
    if (edge_edge) {
        *d = mus_nearest_edge_edge(x[0], x[1], x[2], x[3], w);
        weight[0] = w[0] - 1, weight[1] = -w[0], weight[2] = 1 - w[1], weight[3] = w[1];
    } else {
        *d = mus_nearest_vertex_face(x[0], x[1], x[2], x[3], w);
        weight[0] = 1, weight[1] = -w[0], weight[2] = -w[1], weight[3] = -w[2];
    }
    return v3_length(*d);
}

static void from_nearest(bool edge_edge, const v3 x[4], mus_elementary_hit *hit) {
    v3 d;
    double length = nearest(edge_edge, x, &d, hit->weight);
    hit->normal = length > 1e-12 ? v3_scale(1 / length, d) : v3_make(0, 0, 0);
}

static bool certified(bool edge_edge, mus_elementary_query *q, mus_elementary_hit *hit) {
    double distance = fmax(0, q->radius + q->min_gap);
    if ((edge_edge ? mus_ccd_axis_clear_ee : mus_ccd_axis_clear_vf)(q->x0, q->x1, q->axis, distance)) return false;
    mus_ccd_result result;
    bool is_hit = (edge_edge ? mus_ccd_ee : mus_ccd_vf)(q->x0, q->x1, distance, q->tolerance, &result);
    if (!is_hit) {
        if (v3_length2(result.axis) > 0) q->axis = result.axis;
        return false;
    }
    v3 at[4];
    for (int k = 0; k < 4; k++) at[k] = v3_lerp(q->x0[k], q->x1[k], result.toi);
    hit->toi = result.toi;
    from_nearest(edge_edge, at, hit);
    return true;
}

bool mus_elementary_round(bool edge_edge, mus_elementary_query *query, mus_elementary_hit *hit) {
    return certified(edge_edge, query, hit);
}

bool mus_elementary_round_near(bool edge_edge, mus_elementary_query *q, mus_elementary_hit *hit) {
    v3 d;
    if (nearest(edge_edge, q->x1, &d, hit->weight) < q->radius + (1 - 1e-6) * q->thickness) {
        hit->toi = 1;
        from_nearest(edge_edge, q->x1, hit);
        return true;
    }
    return certified(edge_edge, q, hit);
}

static bool certified_vf(mus_elementary_query *q, mus_elementary_hit *hit) {
    return certified(false, q, hit);
}
static bool certified_ee(mus_elementary_query *q, mus_elementary_hit *hit) {
    return certified(true, q, hit);
}
const mus_elementary mus_elementary_certified = {"certified_ccd", certified_vf, certified_ee, .is_conservative = true};

static bool near_at_start(bool edge_edge, const mus_elementary_query *q, mus_elementary_hit *hit) {
    v3 d;
    hit->toi = 0;
    if (nearest(edge_edge, q->x0, &d, hit->weight) >= q->radius + q->thickness) return false;
    from_nearest(edge_edge, q->x0, hit);
    return true;
}
static bool near_vf(mus_elementary_query *q, mus_elementary_hit *hit) {
    return near_at_start(false, q, hit);
}
static bool near_ee(mus_elementary_query *q, mus_elementary_hit *hit) {
    return near_at_start(true, q, hit);
}
const mus_elementary mus_elementary_proximity = {"proximity", near_vf, near_ee, .at_start = true, .distance = true};
