/* sym3.h: symmetric 3x3 matrices and their inverses. */
#ifndef MUS_LINEAR_SYM3_H
#define MUS_LINEAR_SYM3_H

#include "base/vec.h"

typedef struct mus_sym3 { /* symmetric 3x3 */
    double xx, xy, xz, yy, yz, zz;
} mus_sym3;

static inline v3 mus_sym3_mul(const mus_sym3 *m, v3 a) {
    return v3_make(m->xx * a.x + m->xy * a.y + m->xz * a.z, m->xy * a.x + m->yy * a.y + m->yz * a.z,
                   m->xz * a.x + m->yz * a.y + m->zz * a.z);
}
/* m += s u u^T + t I */
static inline void mus_sym3_add(mus_sym3 *m, double s, v3 u, double t) {
    m->xx += s * u.x * u.x + t;
    m->xy += s * u.x * u.y;
    m->xz += s * u.x * u.z;
    m->yy += s * u.y * u.y + t;
    m->yz += s * u.y * u.z;
    m->zz += s * u.z * u.z + t;
}
/* m += b */
static inline void mus_sym3_accumulate(mus_sym3 *m, const mus_sym3 *b) {
    m->xx += b->xx, m->xy += b->xy, m->xz += b->xz, m->yy += b->yy, m->yz += b->yz, m->zz += b->zz;
}

/* Inverse of a positive definite matrix; of its diagonal alone if rounding has made it indefinite. */
mus_sym3 mus_sym3_inverse(const mus_sym3 *m);

/* A lower triangle g with g^T g the inverse of a block of the diagonal; in float, and positive whatever the rounding.
 */
typedef struct mus_factor3 {
    float xx, yx, yy, zx, zy, zz;
} mus_factor3;

mus_factor3 mus_factor3_of(const mus_sym3 *block); /* zero for a block that is zero */
static inline v3 mus_factor3_solve(const mus_factor3 *g, v3 r) {
    double x = g->xx * r.x, y = g->yx * r.x + g->yy * r.y, z = g->zx * r.x + g->zy * r.y + g->zz * r.z;
    return v3_make(g->xx * x + g->yx * y + g->zx * z, g->yy * y + g->zy * z, g->zz * z);
}

#endif
