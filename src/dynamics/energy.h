/* energy.h: elastic energies of a cloth, element by element: value, gradient and Hessian blocks, for solvers that
 * minimise. Moduli are given to them: a measured fabric's depend on the strain and are held over a step, so that within
 * it there is one energy to minimise. */
#ifndef MUS_DYNAMICS_ENERGY_H
#define MUS_DYNAMICS_ENERGY_H

#include "dynamics/block_matrix.h"
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

#endif
