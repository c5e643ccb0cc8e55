/* sym3.c: inverses of symmetric 3x3 matrices. */
#include "linear/sym3.h"

mus_sym3 mus_sym3_inverse(const mus_sym3 *m) {
    double a = m->yy * m->zz - m->yz * m->yz, b = m->xz * m->yz - m->xy * m->zz, c = m->xy * m->yz - m->xz * m->yy;
    double det = m->xx * a + m->xy * b + m->xz * c;
    if (!(det > 1e-12 * m->xx * m->yy * m->zz)) return (mus_sym3){1 / m->xx, 0, 0, 1 / m->yy, 0, 1 / m->zz};
    double s = 1 / det;
    return (mus_sym3){s * a,
                      s * b,
                      s * c,
                      s * (m->xx * m->zz - m->xz * m->xz),
                      s * (m->xy * m->xz - m->xx * m->yz),
                      s * (m->xx * m->yy - m->xy * m->xy)};
}

/* Factor of a positive definite block; of its diagonal alone if rounding has made it indefinite. */
mus_factor3 mus_factor3_of(const mus_sym3 *m) {
    if (!(m->xx > 0 && m->yy > 0 && m->zz > 0)) return (mus_factor3){0};
    double yx = m->xy / m->xx, zx = m->xz / m->xx;
    double dy = m->yy - yx * m->xy, zy = (m->yz - yx * m->xz) / dy, dz = m->zz - zx * m->xz - zy * (m->yz - yx * m->xz);
    if (!(dy > 1e-12 * m->yy && dz > 1e-12 * m->zz)) yx = zx = zy = 0, dy = m->yy, dz = m->zz;
    double x = 1 / sqrt(m->xx), y = 1 / sqrt(dy), z = 1 / sqrt(dz);
    return (mus_factor3){(float)x, (float)(-yx * y), (float)y, (float)((yx * zy - zx) * z), (float)(-zy * z), (float)z};
}
