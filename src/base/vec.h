/* vec.h: 3-vectors and 3x3 matrices of double, by value. No fused operations: results are the same everywhere. */
#ifndef MUS_BASE_VEC_H
#define MUS_BASE_VEC_H

#include <math.h>
#include <stdbool.h>

typedef struct v3 {
    double x, y, z;
} v3;

typedef struct m3 { /* rows */
    v3 r[3];
} m3;

static inline v3 v3_make(double x, double y, double z) {
    return (v3){x, y, z};
}
static inline v3 v3_load(const double *p) {
    return (v3){p[0], p[1], p[2]};
}
static inline void v3_store(double *p, v3 a) {
    p[0] = a.x, p[1] = a.y, p[2] = a.z;
}
static inline v3 v3_add(v3 a, v3 b) {
    return (v3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline v3 v3_sub(v3 a, v3 b) {
    return (v3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline v3 v3_scale(double s, v3 a) {
    return (v3){s * a.x, s * a.y, s * a.z};
}
static inline v3 v3_neg(v3 a) {
    return (v3){-a.x, -a.y, -a.z};
}
static inline v3 v3_axpy(double s, v3 a, v3 b) {
    return (v3){s * a.x + b.x, s * a.y + b.y, s * a.z + b.z};
} /* s a + b */
static inline double v3_dot(v3 a, v3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline v3 v3_cross(v3 a, v3 b) {
    return (v3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double v3_length2(v3 a) {
    return v3_dot(a, a);
}
static inline double v3_length(v3 a) {
    return sqrt(v3_dot(a, a));
}
static inline v3 v3_lerp(v3 a, v3 b, double t) { /* exact at both ends */
    double s = 1 - t;
    return (v3){s * a.x + t * b.x, s * a.y + t * b.y, s * a.z + t * b.z};
}
static inline v3 v3_normalized(v3 a) { /* zero stays zero */
    double l = v3_length(a);
    return l > 0 ? v3_scale(1 / l, a) : (v3){0, 0, 0};
}
static inline double v3_max_abs(v3 a) {
    return fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z)));
}
static inline double v3_get(v3 a, int k) {
    return k == 0 ? a.x : k == 1 ? a.y : a.z;
}
static inline bool v3_finite(v3 a) {
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

static inline v3 m3_mul_v3(const m3 *m, v3 a) {
    return (v3){v3_dot(m->r[0], a), v3_dot(m->r[1], a), v3_dot(m->r[2], a)};
}
/* Rotation matrix of a unit quaternion {w, x, y, z}. */
static inline m3 m3_from_quaternion(const double q[4]) {
    double w = q[0], x = q[1], y = q[2], z = q[3];
    return (m3){{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                 {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                 {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
}

#endif
