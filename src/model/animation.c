/* animation.c: which frames of a point cache make the positions at a time, with which weights. */
#include "model/animation.h"

#include "base/range.h"

#include <math.h>
#include <stddef.h>

static void add(mus_keyframe_blend *blend, const double *from, double weight) {
    for (int k = 0; k < blend->count; k++)
        if (blend->from[k] == from) {
            blend->weight[k] += weight;
            return;
        }
    blend->from[blend->count] = from;
    blend->weight[blend->count++] = weight;
}

static const double *frame(const mus_keyframes *a, int64_t k) {
    return a->positions + 3 * (size_t)k * (size_t)a->vertex_count;
}

/* Adds half the difference of the frames before and after frame k, times `share`: the velocity at frame k of a
 * Catmull-Rom spline (Catmull & Rom 1974). Where the motion begins, and where it ends, the velocity is zero. */
static void add_velocity(const mus_keyframes *a, int64_t k, bool first_round, double share, mus_keyframe_blend *blend) {
    if (!a->loop ? k == 0 || k == a->count - 1 : k == 0 && first_round) return;
    add(blend, frame(a, (k + 1) % a->count), share / 2);
    add(blend, frame(a, (k + a->count - 1) % a->count), -share / 2);
}

/* Cubic Hermite interpolation between frames k and next. */
static void blend_smoothly(const mus_keyframes *a, int64_t k, int64_t next, double s, bool first_round,
                           mus_keyframe_blend *blend) {
    double s2 = s * s, s3 = s2 * s;
    add(blend, frame(a, k), 2 * s3 - 3 * s2 + 1);
    add(blend, frame(a, next), 3 * s2 - 2 * s3);
    add_velocity(a, k, first_round, s3 - 2 * s2 + s, blend);
    add_velocity(a, next, false, s3 - s2, blend);
}

void mus_keyframes_blend_at(const mus_keyframes *a, const double *rest, double t, mus_keyframe_blend *blend) {
    *blend = (mus_keyframe_blend){.count = 0};
    double before = a->start - t;
    if (before > 0 && a->lead_in > 0) {
        double s = fmax(1 - before / a->lead_in, 0);
        double share = s * s * (3 - 2 * s);
        if (share < 1) add(blend, rest, 1 - share);
        if (share > 0) add(blend, frame(a, 0), share);
        return;
    }
    double at = fmax(-before / a->interval, 0), count = a->count;
    bool first_round = at < count;
    if (a->loop)
        at -= count * floor(at / count); /* in [0, count] */
    else
        at = fmin(at, count - 1);
    int64_t k = mus_index_of(at, 0, a->count);
    double s = fmin(fmax(at - (double)k, 0), 1);
    k %= a->count;
    int64_t next = a->loop ? (k + 1) % a->count : k + 1;
    if (s == 0 || a->count == 1)
        add(blend, frame(a, k), 1);
    else if (a->interpolation == MUS_INTERPOLATION_SMOOTH)
        blend_smoothly(a, k, next, s, first_round, blend);
    else
        add(blend, frame(a, k), 1 - s), add(blend, frame(a, next), s);
}

double mus_keyframes_longest_move(const mus_keyframes *a, const double *rest, double t, int32_t *vertex) {
    mus_keyframe_blend from, to;
    mus_keyframes_blend_at(a, rest, t, &from);
    mus_keyframes_blend_at(a, rest, t + a->interval, &to);
    double longest2 = 0;
    *vertex = 0;
    for (int32_t i = 0; i < a->vertex_count; i++) {
        v3 move = v3_sub(mus_keyframe_blend_vertex(&to, i), mus_keyframe_blend_vertex(&from, i));
        if (v3_length2(move) > longest2) longest2 = v3_length2(move), *vertex = i;
    }
    return sqrt(longest2);
}
