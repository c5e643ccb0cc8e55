/* rigid_fit.c: angular moments of points in motion, and the spin that has them. */
#include "response/rigid_fit.h"

void mus_rigid_fit_add_arm(mus_fit_moments *m, double mass, v3 x0, v3 motion) {
    v3 r = v3_sub(x0, m->center);
    m->angular = v3_axpy(mass, v3_cross(r, motion), m->angular);
    m->xx += mass * (r.y * r.y + r.z * r.z), m->yy += mass * (r.x * r.x + r.z * r.z);
    m->zz += mass * (r.x * r.x + r.y * r.y);
    m->xy -= mass * r.x * r.y, m->xz -= mass * r.x * r.z, m->yz -= mass * r.y * r.z;
}

mus_rigid_fit mus_rigid_fit_solve(const mus_fit_moments *m) {
    double lift = 1e-9 * (m->xx + m->yy + m->zz), xy = m->xy, xz = m->xz, yz = m->yz;
    double xx = m->xx + lift, yy = m->yy + lift, zz = m->zz + lift;
    double p = yy * zz - yz * yz, q = xz * yz - xy * zz, s = xy * yz - xz * yy;
    double det = xx * p + xy * q + xz * s;
    v3 spin = v3_make(0, 0, 0), l = m->angular;
    if (det > 0) {
        spin = v3_make(p * l.x + q * l.y + s * l.z, q * l.x + (xx * zz - xz * xz) * l.y + (xy * xz - xx * yz) * l.z,
                       s * l.x + (xy * xz - xx * yz) * l.y + (xx * yy - xy * xy) * l.z);
        spin = v3_scale(1 / det, spin);
    }
    return (mus_rigid_fit){m->center, m->shift, spin};
}
