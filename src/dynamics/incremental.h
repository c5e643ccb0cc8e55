/* incremental.h: terms of springs, membranes, plates and hinges in the potential whose minimum is a step of implicit
 * Euler: energy, and damping as the energy of the change of lengths and angles since the start, so that the sum is an
 * energy that can be minimized and rigid motion has no damping. */
#ifndef MUS_DYNAMICS_INCREMENTAL_H
#define MUS_DYNAMICS_INCREMENTAL_H

#include "dynamics/dynamics.h"

/* Lengths and angles of a cloth at the start of a step, by which damping is measured. */
typedef struct mus_incremental_start {
    const v3 *x;     /* m; borrowed */
    double *length;  /* m, of each spring */
    double *damping; /* N s/m: damping of each spring */
    struct mus_start_angle {
        double sine, cosine; /* both 0 if a face has no area */
    } * angle;               /* of each hinge */
} mus_incremental_start;

mus_status mus_incremental_start_create(const mus_cloth *cloth, mus_incremental_start *start);
void mus_incremental_start_free(mus_incremental_start *start);
/* Starts a step at x; must precede mus_incremental_forces. */
void mus_incremental_start_at(mus_incremental_start *start, mus_dynamics *dynamics, const mus_cloth *cloth,
                              const v3 *x);

/* Starts a step at `start`; must precede mus_incremental_energy. */
void mus_incremental_begin(mus_dynamics *dynamics, const mus_cloth *cloth, const v3 *start);
/* J, of cloth at x when the step of dt began at `start`; for springs with users' laws, the work done on them since
 * then. With the moduli of the last mus_incremental_forces, or of the start if that was not called yet. */
double mus_incremental_energy(mus_dynamics *dynamics, const mus_cloth *cloth, const v3 *start, const v3 *x, double dt);
/* J: elastic energy of cloth at x, 0 at rest, without that of springs with users' laws. Starts a step there. */
double mus_incremental_elastic_energy(mus_dynamics *dynamics, const mus_cloth *cloth, const v3 *x);
/* Adds the forces, -gradient (N), and to the matrix dt^2 times a positive semidefinite second derivative. The number of
 * CPU threads does not affect the sums. */
void mus_incremental_forces(mus_dynamics *dynamics, const mus_cloth *cloth, const mus_incremental_start *start,
                            const v3 *x, double dt, int threads, v3 *force, mus_block_matrix *matrix);

#endif
