/* energy.h: elastic energies of a cloth, element by element: value, gradient and Hessian blocks, for solvers that
 * minimize. Moduli are parameters: those of a measured fabric depend on the strain and are constant within an
 * iteration, so that there is one energy to reduce in it. */
#ifndef MUS_DYNAMICS_ENERGY_H
#define MUS_DYNAMICS_ENERGY_H

#include "linear/block_matrix.h"
#include "model/sheet.h"

/* N/m, in the frame of warp and weft: s_warp = warp e_warp + poisson e_weft, s_weft likewise, s_shear = shear times the
 * angle (twice the off-diagonal strain). */
typedef struct mus_moduli {
    double warp, weft, poisson, shear;
} mus_moduli;

/* Of a face at the positions x: the columns of its deformation gradient, along warp and weft. */
void mus_membrane_gradient(const mus_cloth *cloth, int32_t face, const v3 *x, v3 *fu, v3 *fv);
/* Its moduli there. */
mus_moduli mus_membrane_moduli(const mus_cloth *cloth, int32_t face, const v3 *x); /* at x */

/* Energy of a face, J. gradient (N), of the three corners, and hessian (N/m), [i][j] = d gradient[i] / d x[j], may be
 * NULL. `projected`: without its indefinite part. */
double mus_membrane_energy(const mus_cloth *cloth, int32_t face, const mus_moduli *moduli, const v3 *x, v3 gradient[3],
                           m3 hessian[3][3], bool projected);

/* The same in a step of dt that began at `start`, projected, with damping as the energy of the change e - e0 of Green
 * strain: damping/(2 dt) times its product with the moduli. */
double mus_membrane_increment(const mus_cloth *cloth, int32_t face, const mus_moduli *moduli, const v3 *start,
                              double dt, const v3 *x, v3 gradient[3], m3 hessian[3][3]);
/* J: the work of stretching a face from rest to x; of a measured fabric, whose forces are no gradient of an energy, in
 * proportion. */
double mus_membrane_work(const mus_cloth *cloth, int32_t face, const v3 *x);

/* Of an edge of a plate: which part of the fold's angle its normal turns by, and the sign of the offset. Those of the
 * plate, except at a clamp (plate.c). */
typedef struct mus_edge_shares {
    double share[3], side[3];
} mus_edge_shares;

/* State of bending besides the positions: the offset (rad) of each edge's normal from its share of the fold, at which
 * the energy is least. A function of the positions; constant while a step moves them. */
typedef struct mus_bend {
    double *offset;                                    /* one per fold */
    double *turn;                                      /* angle less rest, one per fold */
    double *start;                                     /* the same at the start of the step, one per fold */
    v3 *gradient;                                      /* 4 per fold: of the angle */
    double *moment;                                    /* one per fold */
    double (*q)[3][3];                                 /* one per plate, N m: moments by the turns of its edges */
    mus_edge_shares *edges;                            /* one per plate */
    double *residual, *direction, *product, *diagonal; /* of the solver, one per fold */
} mus_bend;

mus_status mus_bend_create(const mus_cloth *cloth, mus_bend *bend);
void mus_bend_free(mus_bend *bend);
/* Computes angles, moduli and offsets at the positions x. */
void mus_bend_relax(const mus_cloth *cloth, const v3 *x, mus_bend *bend);
/* Starts a step at x. */
void mus_bend_begin(const mus_cloth *cloth, const v3 *x, mus_bend *bend);

/* Energy of a plate's bending with the offsets and moduli of `bend`, J. gradient and hessian, of the six vertices of
 * the plate, may be NULL; for a missing vertex (-1) they are zero. `projected`: products of the angles' gradients
 * only. Exact while no face is squeezed below a tenth of its height at rest. */
double mus_plate_energy(const mus_cloth *cloth, int32_t plate, const mus_bend *bend, const v3 *x, v3 gradient[6],
                        m3 hessian[6][6], bool projected);
/* The same in a step of dt (mus_bend_begin), projected, with damping as the energy of the change of angles. */
double mus_plate_increment(const mus_cloth *cloth, int32_t plate, const mus_bend *bend, double dt, const v3 *x,
                           v3 gradient[6], m3 hessian[6][6]);
/* Of all plates at x: adds forces, N; `bend` is overwritten. */
void mus_plate_increment_forces(const mus_cloth *cloth, double dt, const v3 *x, mus_bend *bend, v3 *force);

#endif
