/* hinge_shape.h: two faces 0 1 2 and 1 0 3 on a common edge 0 1, as hinges bend them (Grinspun et al. 2003). */
#ifndef MUS_MODEL_HINGE_SHAPE_H
#define MUS_MODEL_HINGE_SHAPE_H

#include "base/vec.h"

#define MUS_LARGEST_BEND 4.0

typedef struct mus_hinge_shape {
    v3 edge; /* m: from vertex 0 to 1 */
    double length2;
    v3 normal[2];        /* unit */
    double height[2];    /* m: of the faces over the edge */
    double sine, cosine; /* of the angle, which is 0 where flat */
    double bend;         /* 2 tan(angle/2), within +-MUS_LARGEST_BEND */
} mus_hinge_shape;

/* False for faces without area. */
static inline bool mus_hinge_measure(v3 x0, v3 x1, v3 x2, v3 x3, mus_hinge_shape *f) {
    f->edge = v3_sub(x1, x0), f->length2 = v3_length2(f->edge);
    v3 n0 = v3_cross(f->edge, v3_sub(x2, x0)), n1 = v3_cross(v3_sub(x3, x0), f->edge);
    double length = sqrt(f->length2), area0 = v3_length(n0), area1 = v3_length(n1);
    if (!(length > 0 && area0 > 0 && area1 > 0)) return false;
    f->normal[0] = v3_scale(1 / area0, n0), f->normal[1] = v3_scale(1 / area1, n1);
    f->height[0] = area0 / length, f->height[1] = area1 / length;
    f->sine = v3_dot(v3_cross(f->normal[0], f->normal[1]), f->edge) / length;
    f->cosine = v3_dot(f->normal[0], f->normal[1]);
    /* 2 tan(angle/2) = 2 sin/(1 + cos) */
    double limit = MUS_LARGEST_BEND * (1 + f->cosine);
    f->bend = 2 * fabs(f->sine) < limit ? 2 * f->sine / (1 + f->cosine)
              : f->sine < 0             ? -MUS_LARGEST_BEND
                                        : MUS_LARGEST_BEND;
    return true;
}

/* Gradient of the angle with respect to the four corners, 1/m: along each face's normal, by its height over the edge.
 * A face squeezed flat against the edge would make it unbounded: below the height `low` both sides are scaled down
 * alike, which conserves momentum. */
static inline void mus_hinge_shape_gradient(const mus_hinge_shape *f, v3 x0, v3 x2, v3 x3, double low, v3 gradient[4]) {
    double foot0 = v3_dot(v3_sub(x2, x0), f->edge) / f->length2, foot1 = v3_dot(v3_sub(x3, x0), f->edge) / f->length2;
    double shrink = fmin(1, fmin(f->height[0], f->height[1]) / low);
    v3 g2 = v3_scale(-shrink / f->height[0], f->normal[0]), g3 = v3_scale(-shrink / f->height[1], f->normal[1]);
    gradient[0] = v3_neg(v3_add(v3_scale(1 - foot0, g2), v3_scale(1 - foot1, g3)));
    gradient[1] = v3_neg(v3_add(v3_scale(foot0, g2), v3_scale(foot1, g3)));
    gradient[2] = g2;
    gradient[3] = g3;
}

#endif
