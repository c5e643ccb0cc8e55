/* energy.h: elastic energies of a cloth, element by element: value, gradient and Hessian blocks, for solvers that
 * minimise. Moduli are given to them: a measured fabric's depend on the strain and are held over a step, so that within
 * it there is one energy to minimise. */
#ifndef MUS_DYNAMICS_ENERGY_H
#define MUS_DYNAMICS_ENERGY_H

#include "linear/block_matrix.h"
#include "model/sheet.h"

/* N/m, in the frame of warp and weft: s_warp = warp e_warp + poisson e_weft, s_weft likewise, s_shear = shear times the
 * angle (twice the off-diagonal strain). */
typedef struct mus_moduli {
    double warp, weft, poisson, shear;
} mus_moduli;

/* Of a face at the positions x. */
mus_moduli mus_membrane_moduli(const mus_cloth *cloth, int32_t face, const v3 *x);

/* Energy of a face, J. gradient (N), of the three corners, and hessian (N/m), [i][j] = d gradient[i] / d x[j], may be
 * NULL. `projected`: without the part that makes it indefinite. */
double mus_membrane_energy(const mus_cloth *cloth, int32_t face, const mus_moduli *moduli, const v3 *x, v3 gradient[3],
                           m3 hessian[3][3], bool projected);

/* The same in a step of dt that began at `start`, projected, with the moduli of the start and damping as the energy of
 * the change e - e0 of Green strain: damping/(2 dt) times its product with the moduli. */
double mus_membrane_increment(const mus_cloth *cloth, int32_t face, const v3 *start, double dt, const v3 *x,
                              v3 gradient[3], m3 hessian[3][3]);

/* What bending keeps besides the positions: how far each edge's normal is off its share of the fold (rad), that which
 * makes the energy least. Follows from the positions; held while they move. */
typedef struct mus_bend {
    double *offset;                                    /* one a fold */
    double *turn;                                      /* angle less rest, one a fold */
    double *start;                                     /* the same when a step began, one a fold */
    v3 *gradient;                                      /* 4 a fold: of the angle */
    double *moment;                                    /* one a fold */
    double (*q)[3][3];                                 /* one a plate, N m: moments by the turns of its edges */
    double *residual, *direction, *product, *diagonal; /* of the solver, one a fold */
} mus_bend;

mus_status mus_bend_create(const mus_cloth *cloth, mus_bend *bend);
void mus_bend_free(mus_bend *bend);
/* Angles, moduli and offsets at the positions x. */
void mus_bend_relax(const mus_cloth *cloth, const v3 *x, mus_bend *bend);
/* A step begins at x. */
void mus_bend_begin(const mus_cloth *cloth, const v3 *x, mus_bend *bend);

/* Energy of a plate's bending with the offsets and moduli of `bend`, J. gradient and hessian, of the six vertices of
 * the plate, may be NULL; where a vertex is missing (-1) they are zero. `projected`: products of the angles' gradients
 * only. Exact while no face is squeezed below a tenth of its height at rest. */
double mus_plate_energy(const mus_cloth *cloth, int32_t plate, const mus_bend *bend, const v3 *x, v3 gradient[6],
                        m3 hessian[6][6], bool projected);
/* The same in a step of dt (mus_bend_begin), projected, with damping as the energy of the change of angles. */
double mus_plate_increment(const mus_cloth *cloth, int32_t plate, const mus_bend *bend, double dt, const v3 *x,
                           v3 gradient[6], m3 hessian[6][6]);
/* Of all plates at x: adds forces, N; `bend` is relaxed. */
void mus_plate_increment_forces(const mus_cloth *cloth, double dt, const v3 *x, mus_bend *bend, v3 *force);

#endif
