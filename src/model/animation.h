/* animation.h: positions of a mesh's vertices by the frames of a point cache. */
#ifndef MUS_MODEL_ANIMATION_H
#define MUS_MODEL_ANIMATION_H

#include "base/vec.h"
#include "muslin/obstacle.h"

typedef struct mus_keyframes {
    double *positions;               /* count x vertex_count x 3, in the frame of the pose; NULL: no animation */
    int32_t count, vertex_count;     /* of frames, of vertices */
    double interval, start, lead_in; /* s */
    mus_interpolation interpolation;
    bool loop;
} mus_keyframes;

/* Positions at one time: a sum of up to four frames and of the rest pose, by weights that sum to 1. */
typedef struct mus_keyframe_blend {
    const double *from[4]; /* vertex_count x 3 each */
    double weight[4];
    int count;
} mus_keyframe_blend;

/* The blend at world time t. rest: the positions before the lead-in. */
void mus_keyframes_blend_at(const mus_keyframes *keyframes, const double *rest, double t, mus_keyframe_blend *blend);

/* m: the longest distance that a vertex moves from world time t on within the interval of a frame, and which vertex
 * that is. */
double mus_keyframes_longest_move(const mus_keyframes *keyframes, const double *rest, double t, int32_t *vertex);

/* The position of vertex i. */
static inline v3 mus_keyframe_blend_vertex(const mus_keyframe_blend *blend, int32_t i) {
    v3 first = v3_load(blend->from[0] + 3 * i), sum = first;
    for (int k = 1; k < blend->count; k++) /* by differences: what does not move stays exactly */
        sum = v3_add(sum, v3_scale(blend->weight[k], v3_sub(v3_load(blend->from[k] + 3 * i), first)));
    return sum;
}

#endif
