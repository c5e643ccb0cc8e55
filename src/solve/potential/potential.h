/* potential.h: the potential family of pipelines: a step is the minimum of one energy, inertia, cloth and contacts
 * together, sought by moves that can never pass through anything. */
#ifndef MUS_SOLVE_POTENTIAL_POTENTIAL_H
#define MUS_SOLVE_POTENTIAL_POTENTIAL_H

#include "response/truncation.h"
#include "solve/potential/momentum_correction.h"
#include "solve/potential/newton.h"
#include "solve/solver.h"

/* How hard the minimum is sought. */
struct mus_minimizer {
    int32_t iterations;   /* at most: each with cloth and contact geometry anew, and ending in a truncated move */
    int32_t relinearized; /* in an iteration, with fresh geometry of the cloth alone, and friction by the new loads */
    int32_t insisted;     /* at most, as long as the residual is above `hard` */
    double hard;          /* m/s^2 */
    int32_t rounds;       /* of linear solves each */
    int32_t limit;        /* conjugate gradients, or sweeps, in a round */
    double tolerance;     /* m/s^2: residual acceleration at which it is good enough */
    bool descent;         /* rounds are sweeps over vertices */
};

extern const mus_minimizer mus_minimizer_incremental;
extern const mus_minimizer mus_minimizer_newton;
extern const mus_minimizer mus_minimizer_vbd;
extern const mus_family mus_family_potential;

/* A rigid body's way over the step: shift of its centre of mass (m) and turn (rad) since the step began. */
typedef struct mus_potential_rigid_body {
    v3 shift0, turn0;         /* where the iteration begins */
    v3 shift, turn;           /* and where it ends */
    v3 free_shift, free_turn; /* by inertia and gravity alone */
    mus_pose free;
} mus_potential_rigid_body;

/* Where rows lie, by the vertices of their pairs: scratch of potential_contacts.c. */
typedef struct mus_contact_table {
    int32_t *data;
    int64_t count, capacity;
    int64_t listed; /* of the rows, so many */
    bool wanted;    /* pairs have been looked for anew since the rows were begun */
} mus_contact_table;

typedef struct mus_potential {
    mus_newton newton;
    mus_contact_table table;
    mus_block_matrix **matrices; /* of the cloths' dynamics */
    v3 *start;                   /* all vertices, when the attempt began */
    v3 *predicted;               /* all: where they would be by their velocities, prescribed ones where they will be */
    v3 *fall;                    /* as unknowns: displacement of cloth vertices by gravity in a step */
    v3 *target;                  /* cloth vertices: x0 + dt v0, */
    v3 *impulse;                 /* kg m: what external forces add, */
    mus_sym3 *inertia;           /* kg: mass, and the air's hold */
    mus_momentum_correction *momentum_correction; /* one a cloth, then one a rigid body */
    mus_potential_rigid_body
        *rigid_bodies; /* in the order of the assembly's rigids; NULL, as the next: there are none */
    double *loads;     /* kg: of the heaviest body that a cloth vertex, or a body, has a part in bearing */
    v3 *planes;        /* normal0, point0 of each body when the attempt began */
} mus_potential;

/* N: what a complete row's energy pushes with where the step begins. */
double mus_potential_load(const mus_solver *solver, const mus_contact_constraint *constraint);

/* potential_bodies.c. An attempt begins: bodies are where they go freely, in x1; a further iteration begins where the
 * last one has ended. */
mus_status mus_potential_rigid_bodies_create(mus_solver *solver);
void mus_potential_begin_rigid_bodies(mus_solver *solver, const mus_step_input *input, double dt);
void mus_potential_continue_rigid_bodies(mus_solver *solver);
/* Their gradient at the iterate. */
void mus_potential_rigid_bodies_gradient(mus_solver *solver, double dt);
/* What contacts (rows) bear goes through cloth and bodies to what lies under them; and that of a row. */
void mus_potential_pass_loads_on(mus_solver *solver);
double mus_potential_load_on(const mus_solver *solver, const mus_contact_constraint *constraint);
/* Rows of bodies, and their terms: normal and weights half way to the iterate, the distance that of the iterate. */
void mus_potential_update_rigid_contacts(mus_solver *solver);
/* Into x1: the iterate; where an impulse times dt (kg m, on side A of the row) takes those on its sides; a share of the
 * iteration's way. */
void mus_potential_place_rigid_bodies(mus_solver *solver);
void mus_potential_apply_rigid_impulse(mus_solver *solver, const mus_contact_constraint *constraint, v3 impulse);
void mus_potential_truncate_rigid_motion(mus_solver *solver, int32_t object, double share);
/* Back above planes: by impulses at the vertices below, or as a whole. Returns how many were below. */
int64_t mus_potential_lift_rigid_bodies(mus_solver *solver, bool gently);
/* Velocities at the end. */
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

/* minimize.c: rounds of the solver with the contacts' geometry fixed, but for pairs that are found to collide. */
mus_status mus_potential_minimize(mus_solver *s, const mus_step_input *input, bool first, mus_candidate_pair_list *list,
                                  const mus_contact_options *options, mus_stopwatch *watch, mus_newton_result *result);
/* The ends are finite, of cloth and of rigid bodies. */
mus_status mus_potential_check_ends(const mus_solver *s);

/* certify.c: cuts the moves x0 -> x1 until no pair comes nearer than its share of the gap it had: the ends are then
 * certified free of crossings, given that the start is. NO_SAFE_STEP names what is pinched. */
mus_status mus_solver_certify(mus_solver *solver, const mus_step_input *input, mus_candidate_pair_list *list);
/* Are both sides obstacles? */
static inline bool mus_is_obstacle_pair(const mus_assembly *a, const mus_candidate_pair *c) {
    return c->vertex[0] >= a->cloth_vertex_count && c->vertex[3] >= a->cloth_vertex_count;
}
/* The gap, m, that a pair is certified to keep. */
double mus_certified_gap(const mus_candidate_pair *c, double thickness);
/* Does the pair come nearer than that? toi: when, a share of the step. */
bool mus_solver_violates_certified_gap(mus_solver *solver, mus_candidate_pair *c, double *toi);

/* potential_contacts.c: rows and terms of what is near at x0; then of pairs that would meet on the way x0 -> x1, as
 * they are when they do, instead of the row they may have already. */
mus_status mus_potential_near_contacts(mus_solver *solver, mus_candidate_pair_list *list,
                                       const mus_contact_options *options);
mus_status mus_potential_coming_contacts(mus_solver *solver, mus_candidate_pair_list *list,
                                         const mus_contact_options *options);
/* Pairs anew of what has left its envelope. */
mus_status mus_potential_redetect_left_bound(mus_solver *solver, mus_candidate_pair_list *list);

#endif
