/* rigid_fit.h: the rigid motion that fits that of given points over a step best, in linear form. */
#ifndef MUS_RESPONSE_RIGID_FIT_H
#define MUS_RESPONSE_RIGID_FIT_H

#include "base/vec.h"

/* x0 moves to x0 + shift + spin x (x0 - center): linear in time, determinant > 0, so points that it moves cannot cross
 * triangles that it moves. spin: rad over the step. */
typedef struct mus_rigid_fit {
    v3 center, shift, spin;
} mus_rigid_fit;

static inline v3 mus_rigid_fit_end(const mus_rigid_fit *fit, v3 x0) {
    return v3_add(v3_add(x0, fit->shift), v3_cross(fit->spin, v3_sub(x0, fit->center)));
}

/* Sums over the points. First mus_rigid_fit_add for all, then mus_rigid_fit_center, then mus_rigid_fit_add_arm for all.
 */
typedef struct mus_fit_moments {
    double mass, xx, xy, xz, yy, yz, zz;
    v3 center, shift, angular;
} mus_fit_moments;

static inline void mus_rigid_fit_add(mus_fit_moments *m, double mass, v3 x0, v3 motion) {
    m->mass += mass;
    m->center = v3_axpy(mass, x0, m->center);
    m->shift = v3_axpy(mass, motion, m->shift);
}
static inline void mus_rigid_fit_center(mus_fit_moments *m) {
    m->center = v3_scale(1 / m->mass, m->center);
    m->shift = v3_scale(1 / m->mass, m->shift);
}
void mus_rigid_fit_add_arm(mus_fit_moments *m, double mass, v3 x0, v3 motion);
/* With the momentum and the angular momentum of the points. A billionth of the trace is added to the diagonal of the
 * inertia: about the axis of collinear points the angular momentum is zero, and the spin stays zero. */
mus_rigid_fit mus_rigid_fit_solve(const mus_fit_moments *m);

#endif
