/* box.h: axis-aligned boxes, closed. Numbers that are not finite leave a box as it is (NaN) or unbounded. Kept apart:
 * mus_swept_box (broad.h) and the boxes of block.h and box_tree.c, floats at both ends of a step in the order of SIMD
 * lanes; rectangles of the plane in mesh. */
#ifndef MUS_BASE_BOX_H
#define MUS_BASE_BOX_H

#include "base/vec.h"

#include <stdint.h>

typedef struct mus_box {
    double lo[3], hi[3];
} mus_box;

/* Overlaps nothing; any point grows it to that point. */
static inline mus_box mus_box_empty(void) {
    return (mus_box){{(double)INFINITY, (double)INFINITY, (double)INFINITY},
                     {-(double)INFINITY, -(double)INFINITY, -(double)INFINITY}};
}

static inline void mus_box_grow_along(mus_box *box, int axis, double lo, double hi) {
    if (lo < box->lo[axis]) box->lo[axis] = lo;
    if (hi > box->hi[axis]) box->hi[axis] = hi;
}

/* Grows the box to contain the cube of half edge `radius` around p. */
static inline void mus_box_grow(mus_box *box, v3 p, double radius) {
    mus_box_grow_along(box, 0, p.x - radius, p.x + radius);
    mus_box_grow_along(box, 1, p.y - radius, p.y + radius);
    mus_box_grow_along(box, 2, p.z - radius, p.z + radius);
}

static inline void mus_box_join(mus_box *box, const mus_box *other) {
    for (int k = 0; k < 3; k++) mus_box_grow_along(box, k, other->lo[k], other->hi[k]);
}

static inline void mus_box_expand(mus_box *box, double by) {
    for (int k = 0; k < 3; k++) box->lo[k] -= by, box->hi[k] += by;
}

/* The box of points x y z x y z ... */
static inline mus_box mus_box_of_points(const double *points, int64_t count) {
    mus_box box = mus_box_empty();
    for (int64_t i = 0; i < count; i++) mus_box_grow(&box, v3_load(points + 3 * i), 0);
    return box;
}

static inline bool mus_box_apart(const mus_box *a, const mus_box *b) {
    bool apart = false;
    for (int k = 0; k < 3; k++) apart |= a->hi[k] < b->lo[k] || b->hi[k] < a->lo[k];
    return apart;
}

static inline v3 mus_box_size(const mus_box *box) {
    return v3_sub(v3_load(box->hi), v3_load(box->lo));
}

/* Of equal lengths the first axis. */
static inline int mus_box_longest_axis(const mus_box *box) {
    v3 size = mus_box_size(box);
    return size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
}

/* Squared distance of a point from the box; 0 inside. */
static inline double mus_box_distance2(const mus_box *box, v3 p) {
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        double x = v3_get(p, k), d = x < box->lo[k] ? box->lo[k] - x : x > box->hi[k] ? x - box->hi[k] : 0;
        sum += d * d;
    }
    return sum;
}

#endif
