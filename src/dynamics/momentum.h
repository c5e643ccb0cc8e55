/* momentum.h: conserves the linear and angular momentum of cloth without prescribed vertices in an implicit step. */
#ifndef MUS_DYNAMICS_MOMENTUM_H
#define MUS_DYNAMICS_MOMENTUM_H

#include "linear/block_matrix.h"
#include "model/cloth.h"

typedef struct mus_momentum {
    double mass;        /* kg, of all */
    v3 center;          /* m, of mass at the start */
    double energy;      /* J, kinetic, of the vertices after the external impulses alone */
    v3 linear, angular; /* N s, N m s about the center: of the external impulses */
} mus_momentum;

/* Connected cloths, and the index of their first vertex in the arrays. */
typedef struct mus_momentum_part {
    const mus_cloth *cloth;
    int32_t first;
} mus_momentum_part;

/* `impulse`: of external forces on each vertex over the step, N s. */
mus_momentum mus_momentum_begin(const mus_momentum_part *parts, int32_t count, const v3 *x0, const v3 *v0,
                                const v3 *impulse, int threads);
/* Adds the rigid motion to the change of velocity such that sum (own change) is the external impulse, and likewise for
 * torques. `own`: masses, and the derivatives of external forces lumped on them. */
void mus_momentum_end(const mus_momentum *m, const mus_momentum_part *parts, int32_t count, const v3 *x0, const v3 *v0,
                      const mus_sym3 *own, v3 *change, int threads);

/* Adds a mass at r from the center to moments of inertia about it. */
void mus_inertia_add(mus_sym3 *inertia, double mass, v3 r);
/* Spin of masses of this inertia with this angular momentum about their center; 0 if they are collinear. */
v3 mus_inertia_spin(const mus_sym3 *inertia, v3 angular);
/* Largest share, at most 1, of a spin whose kinetic energy is share first + share^2 second, such that it is at most
 * `room`. */
double mus_spin_share(double first, double second, double room);

#endif
