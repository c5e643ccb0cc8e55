/* potential.h: the potential family of pipelines: a step minimizes one energy, of inertia, cloth and contacts together,
 * by moves that are certified free of crossings. */
#ifndef MUS_SOLVE_POTENTIAL_POTENTIAL_H
#define MUS_SOLVE_POTENTIAL_POTENTIAL_H

#include "response/truncation.h"
#include "solve/potential/momentum_correction.h"
#include "solve/potential/newton.h"
#include "solve/incremental_model.h"
#include "solve/solver.h"

/* Limits and tolerances of the minimization. */
struct mus_minimizer {
    int32_t iterations;   /* at most: each with new geometry of cloth and contacts, and a truncated move at its end */
    int32_t relinearized; /* in an iteration: each with a new model of the cloth only, and new friction limits */
    int32_t insisted;     /* at most that many of these while the residual is above `hard` */
    double hard;          /* m/s^2 */
    int32_t rounds;       /* of linear solves in each */
    int32_t limit;        /* conjugate gradients, or sweeps, in a round */
    double tolerance;     /* m/s^2: residual acceleration to reach */
    bool descent;         /* rounds are sweeps over vertices */
};

extern const mus_minimizer mus_minimizer_incremental;
extern const mus_minimizer mus_minimizer_newton;
extern const mus_minimizer mus_minimizer_vbd;
extern const mus_family mus_family_potential;

/* Motion of a rigid body over the step: shift of its center of mass (m) and turn (rad) since the start of the step. */
typedef struct mus_potential_rigid_body {
    v3 shift0, turn0;         /* at the start of the iteration */
    v3 shift, turn;           /* at its end */
    v3 free_shift, free_turn; /* by inertia and gravity alone */
    mus_pose free;
} mus_potential_rigid_body;

/* Hash table of contact constraints by the vertices of their pairs: scratch memory of potential_contacts.c. */
typedef struct mus_contact_table {
    int32_t *data;
    int64_t count, capacity;
    int64_t listed; /* number of constraints that it contains */
    bool wanted;    /* pairs were detected again since the constraints were built */
} mus_contact_table;

typedef struct mus_potential {
    mus_newton newton;
    mus_contact_table table;
    mus_block_matrix **matrices; /* of the cloths' dynamics */
    v3 *start;                   /* all vertices, at the start of the attempt */
    v3 *predicted;               /* all: at x0 + dt v0; prescribed ones at their ends */
    mus_incremental_model model;
    mus_momentum_correction *momentum_correction; /* one for each cloth, then one for each rigid body */
    mus_potential_rigid_body
        *rigid_bodies; /* in the order of the assembly's rigids; NULL, as the next, if there are none */
    double *loads;     /* kg: of the heaviest body that a cloth vertex, or a body, helps to carry */
    v3 *planes;        /* normal0, point0 of each object at the start of the attempt */
} mus_potential;

/* Returns the normal force of a completed contact constraint at the start of the step, N. */
double mus_potential_load(const mus_solver *solver, const mus_contact_constraint *constraint);

/* potential_rigid.c: begin: at the start of an attempt, bodies move freely, in x1; continue: a further iteration starts
 * at the end of the last one. */
mus_status mus_potential_rigid_bodies_create(mus_solver *solver);
void mus_potential_begin_rigid_bodies(mus_solver *solver, const mus_step_input *input, double dt);
void mus_potential_continue_rigid_bodies(mus_solver *solver);
/* Sets the gradient of the bodies' energy at the iterate. */
void mus_potential_rigid_bodies_gradient(mus_solver *solver, double dt);
/* contact_load.c: propagates the masses that contacts carry through cloth and bodies to what is below; and returns that
 * of one contact. */
void mus_potential_pass_loads_on(mus_solver *solver);
double mus_potential_load_on(const mus_solver *solver, const mus_contact_constraint *constraint);
/* Updates contacts of rigid bodies and their terms: normal and weights half way to the iterate, distance at the
 * iterate. */
void mus_potential_update_rigid_contacts(mus_solver *solver);
/* Move bodies in x1: to the iterate; by an impulse times dt (kg m, on side A of the contact); back to a share of the
 * iteration's motion. */
void mus_potential_place_rigid_bodies(mus_solver *solver);
void mus_potential_apply_rigid_impulse(mus_solver *solver, const mus_contact_constraint *constraint, v3 impulse);
void mus_potential_truncate_rigid_motion(mus_solver *solver, int32_t object, double share);
/* Moves bodies above planes: by impulses at the vertices below if `gently`, else as a whole. Returns how many vertices
 * were below. */
int64_t mus_potential_lift_rigid_bodies(mus_solver *solver, bool gently);
/* Sets the velocities at the end. */
void mus_potential_finish_rigid_bodies(mus_solver *solver, double dt);

/* create.c */
mus_status mus_potential_create(mus_solver *solver);
void mus_potential_destroy(mus_solver *solver);
/* kg m^2: dt^2 times the incremental potential without contacts. context: the solver; x: all vertices. */
double mus_potential_cloth_energy(void *context, const v3 *x);

/* model.c: inertia and external impulses, which are fixed for the step; matrix and gradient at the iterate; the start
 * of the first iteration, x0 or on the way to x0 + dt v0, whichever has the least energy. */
void mus_potential_model_inertia(mus_solver *s, const mus_step_input *input, double dt);
void mus_potential_model_cloths(mus_solver *s, double dt);
void mus_potential_choose_start(mus_solver *s);

/* minimize.c: rounds of the solver with the geometry of contacts fixed, except for pairs that are found to collide. */
mus_status mus_potential_minimize(mus_solver *s, const mus_step_input *input, bool first, mus_candidate_pair_list *list,
                                  const mus_contact_options *options, mus_stopwatch *watch, mus_newton_result *result);
/* Returns an error unless the ends of cloth and rigid bodies are finite. */
mus_status mus_potential_check_ends(const mus_solver *s);

/* certify.c: cuts the moves x0 -> x1 until every pair keeps its share of its initial gap: the ends are then certified
 * free of crossings if the start is. NO_SAFE_STEP names what is pinched. */
mus_status mus_solver_certify(mus_solver *solver, const mus_step_input *input, mus_candidate_pair_list *list);
/* Returns whether both sides are obstacles. */
static inline bool mus_is_obstacle_pair(const mus_assembly *a, const mus_candidate_pair *c) {
    return c->vertex[0] >= a->cloth_vertex_count && c->vertex[3] >= a->cloth_vertex_count;
}
/* Returns the gap that a pair is certified to keep, m. */
double mus_certified_gap(const mus_candidate_pair *c, double thickness);
/* Returns whether the pair comes nearer than that. toi: time of impact, a share of the step. */
bool mus_solver_violates_certified_gap(mus_solver *solver, mus_candidate_pair *c, double *toi);

/* potential_contacts.c: contact constraints and terms of the pairs near at x0; and of pairs that would collide on the
 * way x0 -> x1, with their geometry at the time of impact, which replace the constraint they may have already. */
mus_status mus_potential_near_contacts(mus_solver *solver, mus_candidate_pair_list *list,
                                       const mus_contact_options *options);
mus_status mus_potential_coming_contacts(mus_solver *solver, mus_candidate_pair_list *list,
                                         const mus_contact_options *options);
/* Detects the pairs of vertices that left their motion bounds again. */
mus_status mus_potential_redetect_left_bound(mus_solver *solver, mus_candidate_pair_list *list);

#endif
