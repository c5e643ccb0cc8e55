/* newton.h: Newton's method for the minimum of the energies of cloths and contacts over a step. An iteration uses a
 * quadratic model of the cloths and the energies of contacts along fixed normals: a convex problem over all cloths
 * together, solved in rounds of preconditioned conjugate gradients. A line search shortens its step until the exact
 * energy falls. */
#ifndef MUS_SOLVE_POTENTIAL_NEWTON_H
#define MUS_SOLVE_POTENTIAL_NEWTON_H

#include "linear/block_matrix.h"
#include "response/ogc_batch.h"
#include "solve/potential/coarse.h"
#include "solve/potential/descent.h"
#include "solve/potential/newton_rigid.h"

/* A soft pin to a rigid body. */
typedef struct mus_newton_attachment {
    int32_t vertex, rigid_body; /* the latter in the set */
    v3 place;                   /* m: the body's point, in the frame of its pose */
    double stiffness;           /* kg: with that of its damping */
    v3 damped;                  /* m: the share of the vector at the start of the step that damping subtracts */
    v3 arm, vector;             /* m, at `place`: from the center of mass to the point; from there to the vertex */
} mus_newton_attachment;

/* Energies are scaled by dt^2, so matrix entries are masses (kg) and gradients kg m. */
typedef struct mus_newton {
    int32_t n, size; /* cloth vertices; all unknowns: two more for each rigid body */
    const mus_assembly *assembly;
    mus_block_matrix **matrix; /* one for each cloth: M + dt^2 K and damping, at `place`; of cloths that are solved
                                  together the first has that of all, the others NULL */
    v3 *place;                 /* all vertices of the assembly: the iterate; prescribed ones at their ends */
    v3 *trial;                 /* all vertices: place + u */
    v3 *right;                 /* size, as the next: -gradient at `place`, without contacts */
    v3 *u, *own_product; /* the iteration's step so far; the product of the matrices of cloths and bodies and it */
    v3 *change, *residual, *direction, *preconditioned, *product;
    mus_newton_rigid_bodies rigid_bodies;
    MUS_ARRAY(mus_newton_attachment) attachments;
    /* energy, kg m^2, of the cloths and their inertia at positions x */
    double (*energy)(void *context, const v3 *x);
    void *context;
    mus_sym3 *inverse;
    v3 *scale; /* kg m: the step's impulse of 1 m/s^2 on each vertex and body, for measuring residuals */
    double
        least; /* share of the radius below which contact laws are parabolas (ogc.h): decreases from round to round */
    mus_coarse coarse;
    bool factored; /* the coarse matrix is factored for this iteration */
    mus_ogc_list terms;
    mus_ogc_batch batch;          /* of the terms with users' laws */
    mus_descent *descent;         /* rounds are sweeps over vertices; NULL: of conjugate gradients */
    bool use_conjugate_gradients; /* use conjugate gradients even so */
    double dt;
    int threads;
} mus_newton;

mus_status mus_newton_create(mus_newton *newton, const mus_assembly *a, mus_block_matrix **matrices, bool descent,
                             int threads);
void mus_newton_free(mus_newton *newton);

/* newton_attachments.c: the assembly's attachments at the start of an attempt, with `dt` set. */
mus_status mus_newton_begin_attachments(mus_newton *newton);
/* Arms and vectors at the iterate. */
void mus_newton_place_attachments(mus_newton *newton);
/* Adds their forces at place + u, and the products of their stiffness and p. */
void mus_newton_add_attachment_forces(const mus_newton *newton, v3 *out);
void mus_newton_add_attachment_product(const mus_newton *newton, const v3 *p, v3 *out);
/* Adds them to the preconditioner's blocks before these are inverted. */
void mus_newton_add_attachment_blocks(mus_newton *newton);
/* Adds slope and curvature of their energy along the change. */
void mus_newton_attachments_along_change(const mus_newton *newton, double *linear, double *quadratic);
/* kg m^2: their energy at x, with bodies at that share of u. */
double mus_newton_attachment_energy(const mus_newton *newton, const v3 *x, double share);

typedef struct mus_newton_result {
    int32_t iterations; /* of conjugate gradients, or sweeps, in all rounds */
    int32_t rounds;
    /* m/s^2: the acceleration of all vertices that has a residual of the same norm (that of the preconditioner, which
     * measures the motion that a residual causes) */
    double residual;
} mus_newton_result;

/* Sets the friction limits by the normal forces at `place`. constraints: those of the terms. */
void mus_newton_load_friction(mus_newton *newton, const mus_contact_constraint *constraints);
/* Begins an iteration with the present `place`, `right`, matrices and terms. */
void mus_newton_begin(mus_newton *newton);
/* One round: evaluates contacts at place + u, solves the linear system to within `tolerance` (m/s^2) or a tenth of the
 * initial residual, or by `limit` sweeps of descent where that is chosen (after a step along the preconditioned
 * residual, which moves cloths as a whole), and moves u along the result as far as the objective of the convex problem
 * does not increase. `guess` (size, may be NULL): a direction to try first. Returns true if the residual was within
 * `tolerance` already: then nothing was changed. */
bool mus_newton_round(mus_newton *newton, const v3 *guess, double tolerance, int32_t limit, mus_newton_result *result);
/* Applies the step u, or a share of it with which the exact energy falls, to `place` and `trial`. */
void mus_newton_end(mus_newton *newton);

#endif
