/* cloth_rigid.h: cloth and the rigid bodies that it touches, solved as one. An impulse at a contact moves cloth against
 * its stiffness and its strain limit, as far as its pins, and the body that it carries: sweeps over contacts and edges
 * in turn take as many rounds for that as the body is heavier than a vertex, and leave the stiffness out. */
#ifndef MUS_SOLVE_CLOTH_RIGID_H
#define MUS_SOLVE_CLOTH_RIGID_H

#include "base/memory.h"
#include "linear/block_matrix.h"
#include "response/contact_constraints.h"

struct mus_solver;

/* A contact while it is solved: impulses times dt, kg m, and their derivatives, kg. */
typedef struct mus_cloth_rigid_constraint {
    int64_t constraint;                /* its place in the solver's list */
    v3 at;                             /* m: from side B to side A where the solve begins */
    v3 start_impulse;                  /* what it had given then */
    double multiplier, normal_impulse; /* of the augmented Lagrangian, and where the iterate is */
    v3 friction_multiplier, friction_impulse;
    double limit;                              /* of the drag: Coulomb's */
    double stiff;                              /* along the normal */
    double friction_stiffness, slip_stiffness; /* along the tangent, and along `heading` where it slides */
    v3 heading;                                /* unit */
} mus_cloth_rigid_constraint;

/* An edge with a strain limit. */
typedef struct mus_cloth_rigid_edge {
    double tension; /* kg m: given in this attempt */
    double longest; /* m: one that is far over its limit comes back by and by */
    double multiplier, pull;
    v3 start_impulse, along; /* pull's vector where the solve begins; unit, from b to a */
    double stiff, taut;      /* kg: along and across */
} mus_cloth_rigid_edge;

typedef struct mus_cloth_rigid_body {
    m3 inertia;        /* kg m^2 */
    double factor[36]; /* Cholesky factor of its block, row-major */
} mus_cloth_rigid_body;

/* Vectors have an entry for each vertex of cloth, m, and two more for each rigid body: its shift, m, and turn, rad. */
typedef struct mus_cloth_rigid {
    int32_t n, size;           /* cloth vertices; all entries */
    mus_block_matrix **matrix; /* of each cloth, kg: what resists its motion; NULL: with another's */
    double *mass;              /* of each cloth, kg */
    v3 *u, *matrix_product;    /* the solution, and the matrices times it */
    v3 *change, *residual, *direction, *preconditioned, *product;
    mus_sym3 *inverse; /* n */
    mus_cloth_rigid_body *rigid_bodies;
    mus_cloth_rigid_edge *edges; /* of the strain limit */
    MUS_ARRAY(mus_cloth_rigid_constraint) constraints;
    double gain, edge_gain; /* kg: how hard a contact that is violated is pushed back, and an edge */
    double enough;          /* m/s^2: the residual that is good enough; 0: not known yet */
} mus_cloth_rigid;

/* Of a solver with rigid bodies and cloth; without them nothing is made. */
mus_status mus_cloth_rigid_create(struct mus_solver *solver);
void mus_cloth_rigid_free(mus_cloth_rigid *cloth_rigid);
/* An attempt at a step begins: dynamics have left their matrices. */
void mus_cloth_rigid_begin(struct mus_solver *solver);
/* Does cloth touch a body? */
bool mus_cloth_rigid_is_needed(const struct mus_solver *solver);
/* Solves the rows that the pipeline's own rule decides about: moves x1, and gives bodies their impulses. Where it gets
 * nowhere near the solution, as between bodies that leave cloth no room, it does nothing: `solved` tells. */
mus_status mus_cloth_rigid_solve(struct mus_solver *solver, bool *solved);

/* ---- coupled_newton.c ---- */

/* Forces and their derivatives at u + share p; share 0: p may be NULL. */
void mus_cloth_rigid_evaluate(struct mus_solver *solver, double share, const v3 *p);
/* What a contact gives beyond what it had given, kg m, on side A. */
v3 mus_cloth_rigid_impulse(const mus_cloth_rigid_constraint *term, const mus_contact_constraint *constraint);
/* The problem's value at u, where it was looked at, kg m^2. */
double mus_cloth_rigid_objective(const struct mus_solver *solver);
/* The matrices of cloths and bodies times p. */
void mus_cloth_rigid_multiply_inertia(const struct mus_solver *solver, const v3 *p, v3 *out);
/* u goes on to where the problem is least, and is looked at there. Returns what is left, m/s^2. */
double mus_cloth_rigid_newton(struct mus_solver *solver);

#endif
