/* cloth_rigid.h: cloth and the rigid bodies that it touches, solved as one system. An impulse at a contact moves cloth
 * against its stiffness, its strain limit and its pins, and the body that it carries: alternating sweeps over contacts
 * and edges need a number of rounds in proportion to the ratio of the body's mass to that of a vertex, and ignore the
 * stiffness. */
#ifndef MUS_SOLVE_RIGID_CLOTH_RIGID_H
#define MUS_SOLVE_RIGID_CLOTH_RIGID_H

#include "base/memory.h"
#include "linear/block_matrix.h"
#include "response/contact_constraints.h"

struct mus_solver;

/* A contact in the solve: impulses times dt, kg m, and their derivatives, kg. */
typedef struct mus_cloth_rigid_constraint {
    int64_t constraint;                /* index in the solver's list */
    v3 at;                             /* m: from side B to side A at the start of the solve */
    v3 start_impulse;                  /* impulse at the start of the solve */
    double multiplier, normal_impulse; /* of the augmented Lagrangian; impulse at the iterate */
    v3 friction_multiplier, friction_impulse;
    double limit;                              /* of the friction impulse, by Coulomb's law */
    double stiff;                              /* derivative along the normal */
    double friction_stiffness, slip_stiffness; /* derivatives along the tangent, and along `heading` if it slips */
    v3 heading;                                /* unit direction of the friction impulse */
} mus_cloth_rigid_constraint;

/* An edge with a strain limit. */
typedef struct mus_cloth_rigid_edge {
    double tension; /* kg m: applied in this attempt */
    double longest; /* m: an edge far over its limit is shortened gradually */
    double multiplier, pull;
    v3 start_impulse, along; /* tension vector at the start of the solve; unit, from b to a */
    double stiff, taut;      /* kg: derivatives along and across */
} mus_cloth_rigid_edge;

typedef struct mus_cloth_rigid_body {
    m3 inertia;        /* kg m^2 */
    double factor[36]; /* Cholesky factor of its block, row-major */
} mus_cloth_rigid_body;

/* Vectors have an entry for each cloth vertex, m, and two for each rigid body: translation, m, and rotation, rad. */
typedef struct mus_cloth_rigid {
    int32_t n, size;           /* number of cloth vertices; of all entries */
    mus_block_matrix **matrix; /* of each cloth, kg: matrix of implicit Euler; NULL: part of another's */
    double *mass;              /* of each cloth, kg */
    v3 *u, *matrix_product;    /* the solution, and the product of the matrices and it */
    v3 *change, *residual, *direction, *preconditioned, *product;
    mus_sym3 *inverse; /* n */
    mus_cloth_rigid_body *rigid_bodies;
    mus_cloth_rigid_edge *edges; /* of the strain limit */
    MUS_ARRAY(mus_cloth_rigid_constraint) constraints;
    double gain, edge_gain; /* kg: penalty stiffness of contacts and of edges */
    double enough;          /* m/s^2: tolerance of the residual; 0: not set yet */
} mus_cloth_rigid;

/* Allocates what a solver with rigid bodies and cloth needs; nothing for others. */
mus_status mus_cloth_rigid_create(struct mus_solver *solver);
void mus_cloth_rigid_free(mus_cloth_rigid *cloth_rigid);
/* Called at the start of an attempt, when dynamics has assembled its matrices. */
void mus_cloth_rigid_begin(struct mus_solver *solver);
/* Returns whether cloth touches a rigid body. */
bool mus_cloth_rigid_is_needed(const struct mus_solver *solver);
/* Solves the contact constraints with the pipeline's own response: moves x1, and applies the impulses to bodies. Does
 * nothing, and clears `solved`, if it does not converge, as for cloth pinched between bodies. */
mus_status mus_cloth_rigid_solve(struct mus_solver *solver, bool *solved);

/* ---- cloth_rigid_newton.c ---- */

/* Evaluates forces and their derivatives at u + share p; share 0: p may be NULL. */
void mus_cloth_rigid_evaluate(struct mus_solver *solver, double share, const v3 *p);
/* Returns the change of a contact's impulse since the start of the solve, kg m, on side A. */
v3 mus_cloth_rigid_impulse(const mus_cloth_rigid_constraint *term, const mus_contact_constraint *constraint);
/* Returns the objective at u, where forces were evaluated last, kg m^2. */
double mus_cloth_rigid_objective(const struct mus_solver *solver);
/* Multiplies the matrices of cloths and bodies by p. */
void mus_cloth_rigid_multiply_inertia(const struct mus_solver *solver, const v3 *p, v3 *out);
/* Moves u to the minimum, and evaluates forces there. Returns the residual, m/s^2. */
double mus_cloth_rigid_newton(struct mus_solver *solver);

#endif
