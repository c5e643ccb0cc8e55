/* newton.h: Newton's method for the minimum of the cloths' and contacts' energies over a step. An iteration makes the
 * cloths' part quadratic and keeps the contacts' energies along fixed normals: a convex problem over all cloths
 * together, solved in rounds of preconditioned conjugate gradients. Its step is taken as far as the true energy falls.
 */
#ifndef MUS_SOLVE_POTENTIAL_NEWTON_H
#define MUS_SOLVE_POTENTIAL_NEWTON_H

#include "linear/block_matrix.h"
#include "response/ogc_batch.h"
#include "solve/potential/coarse.h"
#include "solve/potential/descent.h"
#include "solve/potential/newton_rigid.h"

/* Energies are scaled by dt^2, so matrix entries are masses (kg) and gradients kg m. */
typedef struct mus_newton {
    int32_t n, size; /* cloth vertices; all unknowns: two more for each rigid body */
    const mus_assembly *assembly;
    mus_block_matrix **matrix; /* one a cloth: M + dt^2 K and damping, at `place`; of cloths that are solved together
                                  the first has that of all, the others NULL */
    v3 *place;                 /* all vertices of the assembly: the iterate; prescribed ones where they end */
    v3 *trial;                 /* all vertices: place + u */
    v3 *right;                 /* size, as the next: -gradient at `place`, contacts left out */
    v3 *u, *own_product;       /* the iteration's step so far, the matrices of cloths and bodies times it */
    v3 *change, *residual, *direction, *preconditioned, *product;
    mus_newton_rigid_bodies rigid_bodies;
    /* energy, kg m^2, of the cloths and their inertia at positions x */
    double (*energy)(void *context, const v3 *x);
    void *context;
    mus_sym3 *inverse;
    v3 *scale;    /* kg m: the step's impulse of 1 m/s^2 on each vertex and body, for measuring residuals */
    double least; /* of the contacts' law: falls from round to round */
    mus_coarse coarse;
    bool factored; /* the coarse matrix belongs to this iteration */
    mus_ogc_list terms;
    mus_ogc_batch batch;          /* of the users' laws among them */
    mus_descent *descent;         /* rounds are sweeps over vertices; NULL: of conjugate gradients */
    bool use_conjugate_gradients; /* rounds are of conjugate gradients all the same */
    double dt;
    int threads;
} mus_newton;

mus_status mus_newton_create(mus_newton *newton, const mus_assembly *a, mus_block_matrix **matrices, bool descent,
                             int threads);
void mus_newton_free(mus_newton *newton);

typedef struct mus_newton_result {
    int32_t iterations; /* of conjugate gradients, or sweeps, in all rounds */
    int32_t rounds;
    /* m/s^2: the acceleration that, left out of every vertex, would leave a residual of this size (measured by the
     * preconditioner, that is in terms of what it would move) */
    double residual;
} mus_newton_result;

/* Friction goes by the pushes at `place` from now on. `rows`: the terms'. */
void mus_newton_load_friction(mus_newton *newton, const mus_contact_constraint *constraints);
/* An iteration begins where `place`, `right`, the matrices and the terms say. */
void mus_newton_begin(mus_newton *newton);
/* One round: contacts evaluated at place + u, a linear solve to within `tolerance` (m/s^2) or a tenth of the residual
 * there was, or `limit` sweeps of descent where that is chosen (after a step along the preconditioned residual, which
 * moves cloths as a whole), and a step of u along it that does not climb in the iteration's convex problem. `guess`
 * (size, may be NULL): a direction to try first. True when the residual was within `tolerance` already: then nothing
 * was done.
 */
bool mus_newton_round(mus_newton *newton, const v3 *guess, double tolerance, int32_t limit, mus_newton_result *result);
/* Takes the step u, or the share of it to which the true energy falls; `place` and `trial` are there then. */
void mus_newton_end(mus_newton *newton);

#endif
