/* coupled.h: cloth, contacts, friction, strain limits and rigid bodies solved as one system. An impulse at a contact
 * moves cloth against its stiffness, its strain limit and its pins, and the body that it carries: alternating sweeps
 * over contacts and edges ignore the stiffness, and need a number of rounds in proportion to the ratio of the body's
 * mass to that of a vertex. The impulse family solves contacts of cloth and rigid bodies so; the coupled family all. */
#ifndef MUS_SOLVE_COUPLED_COUPLED_H
#define MUS_SOLVE_COUPLED_COUPLED_H

#include "base/memory.h"
#include "base/parallel.h"
#include "linear/coupled_matrix.h"
#include "linear/row_terms.h"
#include "response/contact_constraints.h"
#include "response/ogc_batch.h"
#include "solve/incremental_model.h"

struct mus_solver;

/* A contact in the solve: impulses times dt, kg m, and their derivatives, kg. It has what every iteration reads of the
 * contact constraint, which is large, in the order of use. */
typedef struct mus_coupled_constraint {
    int64_t constraint; /* index in the solver's list */
    int32_t object[2];  /* of its sides */
    int32_t count;      /* of cloth vertices that may move: */
    int32_t row[4];
    int32_t energy;                            /* of its contact constraint */
    bool has_body;                             /* a side is a rigid body: the constraint has its arm */
    bool is_short;                             /* of its gap, in this attempt */
    bool is_stiffened;                         /* its gain, since it is short of its gap */
    double weight[4];                          /* of rows */
    v3 normal;                                 /* unit, from side B to side A */
    double stiff;                              /* derivative along the normal */
    double friction_stiffness, slip_stiffness; /* derivatives along the tangent, and along `heading` if it slips */
    v3 heading;                                /* unit direction of the friction impulse */
    double missing;                            /* m: of its gap at u */
    v3 slip;                                   /* m: at u; its part along the normal has no meaning */
    v3 change;                                 /* m: of the vector from side B to side A along a line search */
    double normal_impulse;                     /* of the iterate */
    v3 friction_impulse;
    double multiplier; /* of the augmented Lagrangian */
    v3 friction_multiplier;
    double gain;      /* kg: penalty stiffness */
    double mass;      /* kg: effective */
    double limit;     /* of the friction impulse, by Coulomb's law */
    v3 start_impulse; /* impulse at the start of the solve */
} mus_coupled_constraint;

/* What a contact keeps of the solve before, if it was in that. */
typedef struct mus_coupled_former {
    bool is_known, is_short;
    double multiplier;
    v3 friction_multiplier;
} mus_coupled_former;

/* An edge with a strain limit, in the solve. */
typedef struct mus_coupled_edge {
    int32_t edge, a, b; /* index in the solver's list; its ends */
    double longest;     /* m: an edge far over its limit is shortened gradually */
    double multiplier, pull;
    v3 vector;               /* m: from b to a, at u */
    v3 change;               /* of it along a line search */
    v3 start_impulse, along; /* tension vector at the start of the solve; unit, from b to a */
    double stiff, taut;      /* kg: derivatives along and across */
    double gain;             /* kg: penalty stiffness */
} mus_coupled_edge;

/* A soft pin to a rigid body, in the solve. */
typedef struct mus_coupled_attachment {
    int32_t row, entry; /* of its vertex; of its body's translation, the rotation follows */
    v3 arm;             /* m: from the body's center of mass to its point */
    double stiffness;   /* kg: with that of its damping */
    v3 vector;          /* m: from the point to the vertex, at u, without the share that damping has at the start */
    v3 change;          /* m: of it along a line search */
    v3 impulse;         /* kg m: of the iterate, on the vertex */
    v3 start_impulse;   /* at the start of the solve */
} mus_coupled_attachment;

typedef struct mus_coupled_body {
    m3 inertia;         /* kg m^2 */
    double factor[36];  /* Cholesky factor of its block, row-major */
    bool touches_cloth; /* itself or through others; of families that solve all contacts so */
} mus_coupled_body;

/* Cloths with seams or contacts between them, at the first of them; for momentum.c. */
typedef struct mus_coupled_group {
    bool is_constrained;                  /* by a pin, a rule or an obstacle, which absorb momentum */
    bool is_near_other;                   /* there are contact constraints with an object that is no cloth */
    bool touches_body;                    /* one of them has an impulse */
    double mass;                          /* kg */
    v3 center;                            /* m: of mass at the start of the step */
    mus_sym3 inertia, rotational_inertia; /* kg, with air drag; kg m^2 */
    v3 missing_impulse, missing_torque;   /* times dt: kg m, kg m^2 */
    v3 shift, spin;                       /* m; rad */
    bool is_open;                         /* elastic energy decides how large the spin may be */
    double share;                         /* of the spin that is applied */
    double energy_room;                   /* kg m^2: kinetic energy, times dt^2, that a spin may add */
    double kinetic_energy, elastic;       /* kg m^2, without the spin; sum of elastic energies, times dt^2 */
    double energy_first, energy_second;   /* kinetic energy that the spin adds: linear and quadratic part */
} mus_coupled_group;

/* Impulses of a contact without those of its energy, kg m: multipliers of the next linearization. */
typedef struct mus_energy_free_impulse {
    double normal;
    v3 friction;
} mus_energy_free_impulse;

/* Contacts with a user's energy, in the order of the solver's list of constraints. */
typedef struct mus_contact_energies {
    mus_ogc_list terms; /* of those only laws and their inputs are used */
    MUS_ARRAY(mus_energy_free_impulse) own;
    mus_ogc_batch batch;
} mus_contact_energies;

/* Vectors have an entry for each cloth vertex, m, and two for each rigid body: translation, m, and rotation, rad. */
typedef struct mus_coupled {
    int32_t n, size;           /* number of cloth vertices; of all entries */
    mus_block_matrix **matrix; /* of each cloth, kg: matrix of implicit Euler; NULL: part of another's */
    double *mass;              /* of each cloth, kg */
    v3 *u, *matrix_product;    /* the solution, and the product of the matrices and it */
    v3 *change, *residual, *direction, *preconditioned, *product;
    mus_sym3 *inverse; /* n: of the diagonal, where that is the preconditioner */
    mus_coupled_body *rigid_bodies;
    bool *is_long;                     /* of each limited edge: it was too long, in this attempt */
    double *tension;                   /* of each limited edge, kg m: applied in this attempt */
    MUS_ARRAY(mus_coupled_edge) edges; /* those near their limit, or with a tension */
    MUS_ARRAY(mus_coupled_constraint) constraints;
    MUS_ARRAY(mus_coupled_former) former; /* of each constraint; scratch while terms are made, as the next */
    MUS_ARRAY(bool) is_listed;            /* of each of the solver's constraints, or of its limited edges */
    MUS_ARRAY(mus_coupled_attachment) attachments;
    mus_row_terms row_terms;      /* constraints, then edges, then attachments; their impulses, kg m */
    MUS_ARRAY(int32_t) of_bodies; /* constraints with a rigid body */
    MUS_ARRAY(double) block_sum;  /* scratch */
    int threads;
    mus_contact_energies energies;
    int64_t body_contact_count; /* of cloth and rigid bodies, in this solve */
    double heaviest;            /* kg: of the bodies and cloths in those, and in soft pins */
    double softness;            /* factor of all gains */
    double enough;              /* m/s^2: tolerance of the residual; 0: not set yet */
    double unit;                /* kg m^2: squared norm of a residual of 1 m/s^2 */
    /* Of families that solve all contacts so: */
    bool all;
    int32_t *first;              /* first vertex of each cloth */
    mus_coupled_matrix grid;     /* the preconditioner; without it, blocks of the diagonal */
    int64_t pattern_count;       /* number of constraints in its pattern; -1: it has none of this attempt */
    mus_incremental_model model; /* of the cloths, for solves after the first */
    v3 *elastic_force[3];        /* n, N: of steps, one for each of the solver's `lists`; NULL: no force memory */
    v3 *right;                   /* size: negative gradient of the model at u = 0; NULL: zero */
    v3 *body_residual; /* 2 for each rigid body, kg m and kg m^2: impulse and torque of its contacts minus its motion */
    v3 *marked, *outside;      /* n: ends at a mark; impulses of hooks and rules, kg m */
    mus_coupled_group *groups; /* one for each cloth */
    int32_t *group_parent;     /* of each cloth: union-find */
    bool shortened;            /* the step before the last linearization */
    bool keeps_multipliers;    /* the last linearization, as the one before had not converged */
    bool is_linearized;        /* in this attempt */
    double drift; /* m: bound of the motion of vertices since coarse matrices were computed; INFINITY: not in this
                     attempt */
    int32_t newton_steps, iterations; /* of the attempt: iterations of conjugate gradients */
    bool has_bodies;                  /* a contact of the solve, or a soft pin, is of cloth and a rigid body */
    bool has_deep_contact;            /* one is short of its gap by more than is tolerated */
    bool has_long_edge;               /* an edge is longer than its limit by more than is tolerated */
    bool has_old_limits;              /* of friction: the last solution's normal impulses were others */
    bool stiffens;                    /* gains of contacts short of their gap, in this attempt */
    bool forgets_force;               /* an attempt from the present state starts without force memory */
    bool begins_with_impact;          /* the residual at the start of the attempt was large */
    bool is_calm;                     /* the attempt began with a small residual */
    double residual_left;             /* m/s^2: the last one measured in this attempt */
    double step_curvature;            /* kg m^2: of the last linearization along u, its solution; 0: u is another */
    double step_slope;                /* kg m^2: of its objective along u at u */
} mus_coupled;

/* Allocates what the solver needs: cloth, and rigid bodies or a family that couples all contacts; nothing for others.
 */
mus_status mus_coupled_create(struct mus_solver *solver);
void mus_coupled_free(mus_coupled *coupled);
/* Marks the present ends of cloth, which mus_coupled_add_outside_motion compares with. */
void mus_coupled_mark_ends(struct mus_solver *solver);
/* Sets `change` to the motion of cloth since the mark. Returns whether there is any; then u is no longer the step to
 * the present ends. */
bool mus_coupled_get_motion(struct mus_solver *solver);
/* Called at the start of an attempt, when dynamics has assembled its matrices and x1 has the ends without contacts. */
void mus_coupled_begin(struct mus_solver *solver);

/* ---- cloth_rigid.c: the impulse family ---- */

/* Returns whether cloth touches a rigid body. */
bool mus_coupled_is_needed(const struct mus_solver *solver);
/* Solves the contact constraints with the pipeline's own response: moves x1, and applies the impulses to bodies. Does
 * nothing, and clears `solved`, if it does not converge, as for cloth pinched between bodies. */
mus_status mus_coupled_solve_cloth_rigid(struct mus_solver *solver, bool *solved);

/* ---- linearized.c: the coupled family ---- */

mus_status mus_coupled_create_model(struct mus_solver *solver);
/* Where hooks have moved x1 since the mark, adds the impulses that move cloth so; they act in all solves of the
 * attempt. */
void mus_coupled_add_outside_motion(struct mus_solver *solver);
/* Where rules have, adds their impulses: mass times the motion, which a rule has chosen for the masses alone. As the
 * impulses that move stiff cloth so, a thousand times as large, they threw the sheet of example 08 up at 20 m/s. */
void mus_coupled_add_rule_impulses(struct mus_solver *solver);
/* One linearization at x1: moves x1, sets the constraints' impulses, which must have been guesses before the first, and
 * applies them to bodies. `moved`: the residual was above the tolerance. */
mus_status mus_coupled_solve_linearized(struct mus_solver *solver, const mus_environment *environment, bool *moved);

/* Stores the elastic forces of the attempt, which were those of its last linearization, with a list of the solver. */
void mus_coupled_store_elastic_force(struct mus_solver *solver, int list);

/* Solves the contacts again with those of bodies that were found to collide on their way. */
mus_status mus_coupled_solve_rigid_hits(struct mus_solver *solver);

/* momentum.c: shifts each group of cloths that nothing fixed touches by what the solver left of its momentum. */
void mus_coupled_correct_momentum(struct mus_solver *solver);
/* Moves cloth without pins and far from other objects to where loads and inertia alone would move it as one. */
void mus_coupled_start_free_cloth(struct mus_solver *solver);

/* ---- free_bodies.c: the coupled family ---- */

/* Sweeps over the contacts of free bodies. `applied`: their impulses are; else they are guesses. */
mus_status mus_coupled_sweep_free_bodies(struct mus_solver *solver, bool applied);

/* ---- coupled.c, shared by both ---- */

/* Finds the bodies that touch cloth, itself or through other bodies. */
void mus_coupled_mark_bodies(struct mus_solver *solver);
/* Returns whether no cloth and no body that touches cloth is part of a contact of rigid bodies. */
bool mus_coupled_is_of_free_bodies(const struct mus_solver *solver, const mus_contact_constraint *constraint);
/* Returns whether a constraint is of cloth and a rigid body, with the pipeline's own response. */
bool mus_coupled_is_cloth_rigid(const mus_assembly *assembly, const mus_contact_constraint *constraint);
/* Makes the terms of all constraints with the pipeline's own response. `applied`: impulses of constraints and tensions
 * of edges are in x1; else they are guesses of multipliers. */
mus_status mus_coupled_begin_solve(struct mus_solver *solver, bool applied);
/* Sets the penalties of the terms, from the matrices of this solve. */
void mus_coupled_set_gains(struct mus_solver *solver);
/* Sets multipliers to the impulses of the iterate where violations are too large. Returns whether there were none. */
bool mus_coupled_update_multipliers(struct mus_solver *solver);
/* Sets u of rigid bodies to the motion with their velocities at the start of the step. */
void mus_coupled_keep_body_velocities(struct mus_solver *solver);
void mus_coupled_apply_solution(struct mus_solver *solver);
/* Adds what is left of bodies' residuals to their velocities at the end of the step, so that momentum is conserved. */
void mus_coupled_apply_body_residuals(struct mus_solver *solver);
/* Moves a body by a share of u. */
void mus_coupled_move_body(struct mus_solver *solver, int32_t body, double share);

/* ---- contact_terms.c: contacts and edges ---- */

/* Makes the term of a constraint at the ends of cloth and the poses of bodies, where u is 0. */
void mus_coupled_make_term(const struct mus_solver *solver, int64_t constraint, mus_coupled_constraint *term);
/* Moves contacts and edges by share p, as u is moved. */
void mus_coupled_move_terms(struct mus_solver *solver, double share, const v3 *p);
/* A line search from u along p: evaluations, then mus_coupled_end_line, which moves contacts and edges. */
void mus_coupled_begin_line(struct mus_solver *solver, const v3 *p);
void mus_coupled_end_line(struct mus_solver *solver, double share);
/* Evaluates impulses and their derivatives at u + share p, with p that of the line search; at u if share is 0. */
void mus_coupled_evaluate(struct mus_solver *solver, double share);
/* The other functions take impulses and derivatives where they were evaluated last. Returns the sum of impulses times
 * the change of their contacts and edges along the line search, kg m^2. */
double mus_coupled_line_work(struct mus_solver *solver);
/* Lists the terms by rows, of vertices that may move. */
mus_status mus_coupled_list_rows(struct mus_solver *solver);
/* Sets the vectors of all terms: to the change of their impulses since the start of the solve; to `sign` times the
 * product of the derivatives and p; to the impulses at the start of the solve. Then mus_coupled_add_terms. */
void mus_coupled_set_impulses(struct mus_solver *solver);
void mus_coupled_set_products(struct mus_solver *solver, double sign, const v3 *p);
void mus_coupled_set_start_impulses(struct mus_solver *solver);
/* Adds the vectors of terms to the entries of rigid bodies. */
void mus_coupled_add_to_bodies(const struct mus_solver *solver, v3 *out);
/* Returns the change of a contact's impulse since the start of the solve, kg m, on side A. */
v3 mus_coupled_impulse(const mus_coupled_constraint *term);
/* Adds an impulse on side A, and its opposite on side B, to the entries of rigid bodies. */
void mus_coupled_scatter_to_bodies(const struct mus_solver *solver, const mus_coupled_constraint *term, v3 impulse,
                                   v3 *out);
/* Returns the stiffness of a contact times a change of its vector. */
v3 mus_coupled_stiffened(const mus_coupled_constraint *term, v3 change);
/* Returns the objective at u, kg m^2. */
double mus_coupled_objective(struct mus_solver *solver);

/* ---- attachments.c ---- */

/* Makes the terms of all soft pins to rigid bodies, which only worlds whose family couples all contacts have.
 * `applied`: their impulses are in x1 and in the bodies' motion. The others have the meaning of those of contacts and
 * edges, which call them. */
mus_status mus_coupled_begin_attachments(struct mus_solver *solver, bool applied);
/* Returns whether the force of one at the present poses differs from that of the last solve by a considerable share of
 * the weight of its body. */
bool mus_coupled_attachments_are_off(const struct mus_solver *solver);
void mus_coupled_begin_attachment_line(mus_coupled *coupled, const v3 *p);
void mus_coupled_end_attachment_line(mus_coupled *coupled, double share);
void mus_coupled_evaluate_attachments(mus_coupled *coupled, double share);
double mus_coupled_attachment_work(const mus_coupled *coupled);
void mus_coupled_set_attachment_impulses(const mus_coupled *coupled, v3 *out);
void mus_coupled_set_attachment_products(const mus_coupled *coupled, double sign, const v3 *p, v3 *out);
double mus_coupled_attachment_objective(const mus_coupled *coupled);
/* Adds the change of their impulses to the bodies' residuals, whose motion is u. */
void mus_coupled_apply_attachments(struct mus_solver *solver);
/* The rows that a soft pin couples, and its stiffness. */
mus_stiffness_term mus_coupled_stiffness_of_attachment(const mus_coupled_attachment *attachment);
/* Adds the opposite of an impulse on the vertex to the entries of the body. */
static inline void mus_coupled_scatter_to_body(const mus_coupled_attachment *t, v3 impulse, v3 *out) {
    out[t->entry] = v3_sub(out[t->entry], impulse);
    out[t->entry + 1] = v3_sub(out[t->entry + 1], v3_cross(t->arm, impulse));
}

/* ---- contact_energies.c ---- */

/* Gives the constraints from `first` on whose response is a muslin.potential their energies, and forgets all others if
 * that is 0. INVALID: no solver can follow the energy (mus_ogc_batch_check). */
mus_status mus_coupled_add_energies(struct mus_solver *solver, int64_t first);
/* Evaluates all energies at u + share p, with p that of the line search. */
void mus_coupled_evaluate_energies(struct mus_solver *solver, double share);
/* Adds impulse and derivatives of the term's energy, evaluated at this slip, to its own. */
void mus_coupled_add_energy_impulse(const struct mus_solver *solver, mus_coupled_constraint *term, v3 slip);
/* Returns the sum of all energies, each the mean of those at the start and the end of the attempt, J. */
double mus_coupled_contact_energy(const struct mus_solver *solver);
void mus_contact_energies_free(mus_contact_energies *energies);

/* ---- coupled_newton.c ---- */

/* Moves u to the minimum, and evaluates forces there. Returns the residual where it was computed last, m/s^2: where all
 * contacts are solved so, that before the last step if the limit was reached. */
double mus_coupled_newton(struct mus_solver *solver);

/* ---- conjugate_gradients.c ---- */

/* Room for sums over the entries, and over `count` terms. */
mus_status mus_coupled_reserve_sums(mus_coupled *coupled, int64_t count);
/* Sum by blocks of entries, so that it does not depend on CPU threads. */
double mus_coupled_dot(const mus_coupled *coupled, const v3 *p, const v3 *q);
/* Multiplies the matrices of cloths and bodies by p. */
void mus_coupled_multiply_inertia(const struct mus_solver *solver, const v3 *p, v3 *out);
/* Adds the vectors of terms, and sets rows of fixed vertices to zero. Returns the dot product of p (NULL: zero) and the
 * result. */
double mus_coupled_add_terms(struct mus_solver *solver, const v3 *p, v3 *out);
/* Solves for the change from the residual, whose product with `preconditioned` is rz, until the residual's square is
 * `share` of what it was, by the blocks of the diagonal: to know it by the preconditioner would take one more
 * application of it. Ends with a residual that is what is left. */
void mus_coupled_solve(struct mus_solver *solver, double share, double rz);

/* First entry of a rigid body. */
static inline int32_t mus_coupled_entry_of(const mus_coupled *c, const mus_assembly *a, const mus_rigid_step *r) {
    return c->n + 2 * (int32_t)(r - a->rigids);
}

/* ---- preconditioner.c ---- */

/* Pattern of the multigrid, from the constraints of the solve. */
mus_status mus_coupled_begin_preconditioner(struct mus_solver *solver);
/* Values, where forces were evaluated last. */
void mus_coupled_build_preconditioner(struct mus_solver *solver);
/* z = P r; returns r.z */
double mus_coupled_precondition(mus_coupled *coupled, const v3 *r, v3 *z);
/* Returns r.z with z = D^-1 r, D the blocks of the diagonal. */
double mus_coupled_diagonal_norm2(const mus_coupled *coupled, const v3 *r);
/* What a row adds to that, with r its entry; and what rigid bodies add, whose blocks are of two rows each where not all
 * contacts are solved so. */
static inline double mus_coupled_row_norm2(const mus_coupled *c, int64_t i, v3 r) {
    if (c->all) return v3_dot(r, mus_factor3_solve(&c->grid.grid.levels[0].factor[i], r));
    return i < c->n ? v3_dot(r, mus_sym3_mul(&c->inverse[i], r)) : 0;
}
double mus_coupled_bodies_norm2(const mus_coupled *coupled, const v3 *r);

#endif
