/* solver.h: drives forces, detection and response through one step; what the two families of pipelines share, and the
 * impulse family. */
#ifndef MUS_SOLVE_SOLVER_H
#define MUS_SOLVE_SOLVER_H

#include "base/archive.h"
#include "base/timer.h"
#include "broad/broad.h"
#include "dynamics/seam_group.h"
#include "dynamics/strain_limit.h"
#include "model/assembly.h"
#include "narrow/candidate_pairs.h"
#include "narrow/elementary.h"
#include "response/classic.h"
#include "response/warm_start.h"
#include "response/contact_coloring.h"
#include "response/zones.h"
#include "solve/coefficients.h"
#include "solve/rigid/cloth_rigid.h"
#include "solve/tolerance.h"

/* A response that decides about some pairs of bodies: a callback, or the built-in rule with other coefficients. */
typedef struct mus_solver_response {
    mus_rule callback; /* NULL: the built-in rule; mus_program_rule: `user` is a program */
    void *user;
    bool per_node;                /* the callback tells a node's velocity */
    double friction, restitution; /* < 0: the pair's own */
} mus_solver_response;

typedef struct mus_solver mus_solver;
typedef struct mus_step_input mus_step_input;
typedef struct mus_minimizer mus_minimizer;   /* of the potential family: solve/potential.h */
typedef struct mus_truncation mus_truncation; /* likewise: response/truncation.h */

/* A family of pipelines: how one attempt at a step goes from x0, v0 to x1, v1, committed into x0, v0 when it succeeds
 * and otherwise without a trace there. */
typedef struct mus_family {
    mus_status (*create)(mus_solver *solver); /* what it needs besides; NULL: nothing */
    void (*destroy)(mus_solver *solver);      /* also after a failed create */
    mus_status (*attempt)(mus_solver *solver, const mus_step_input *input, double t, double dt);
    bool separate_rigid_contacts; /* contacts of bodies with other obstacles are solved by themselves: meetings.rows;
                                     else with cloth's */
    bool solves_rigid_bodies;   /* bodies are unknowns as cloth vertices are: they too wander within their envelopes */
    bool interleaves_detection; /* detection goes on between rounds of dynamics: they share no scratch */
    bool keeps_near_at_start;   /* a step's contacts are those near at its start, whether or not they part: detection
                                   keeps them */
} mus_family;

extern const mus_family mus_family_impulse, mus_family_classic;

typedef struct mus_solver_def {
    const mus_family *family;
    const mus_integrator *integrator; /* impulse and classic families */
    const mus_elementary *elementary; /* impulse and classic families */
    const mus_classic_response *response;
    const mus_minimizer *minimizer; /* potential family, as the next */
    const mus_truncation *truncation;
    const mus_broad_phase *broad;
    const mus_strain_stage *strain;     /* NULL: no limit */
    const mus_material_model *internal; /* of cloth whose material has the model SPRINGS; NULL: that */
    const mus_failsafe *failsafe;       /* of impulse and classic families; NULL: none */
    bool repulsion;                     /* response "bridson"; without it only hits are answered */
    int threads;
} mus_solver_def;

/* What the world lends to a step. */
struct mus_step_input {
    mus_environment environment;
    mus_tolerance tolerance;
    double time, dt; /* s: start and length */
    void *context;
    /* Obstacles and pins at time t: poses, and positions of kinematic vertices into x1. */
    mus_status (*place_kinematic)(void *context, mus_assembly *assembly, double t);
    /* The hook on the predicted positions at time `end`; x1 of the assembly may change. NULL: none. */
    mus_status (*candidate)(void *context, double end);
    mus_status (*contacts)(void *context); /* rows are there. NULL: none */
    bool (*cancelled)(void *context);      /* NULL: never */
};

/* Rigid bodies among themselves and with other obstacles than planes: body_pairs.c. */
typedef struct mus_rigid_contacts {
    bool any;              /* two obstacles, one of them a rigid body, may collide */
    int32_t *first_leaf;   /* of a body (index in the assembly) among the leaves; object_count + 1 */
    mus_packed_box *swept; /* of a body: around all its vertices over the step */
    int32_t *group;        /* of a body: union-find of those that move as one, body_zones.c */
    MUS_ARRAY(int32_t) leaves[2];
    mus_pair_list pairs;
    mus_candidate_pair_list list;       /* what could come near between x0 and x1 */
    mus_contact_constraint_list relief; /* contacts of obstacles whose gaps are restored */
    /* Of families that keep them apart: */
    mus_contact_constraint_list constraints; /* contacts of obstacles */
    v3 *support; /* of cloth vertices: unit, away from what bears them and cannot give way; 0: nothing */
} mus_rigid_contacts;

/* skin.c: pairs that are kept from step to step. They change nothing but the time that detection takes. */
typedef struct mus_neighbor_pair {
    int32_t vertex[4]; /* as of a candidate */
    float slack;       /* m: how far both sides together may be and go before it can matter */
    bool edge_edge;
} mus_neighbor_pair;
typedef struct mus_neighbor_list {
    MUS_ARRAY(mus_neighbor_pair) pairs; /* in the order of the broad phase */
    v3 *build_position;                 /* of vertices: from where they may go */
    float *skin_radius, *motion;        /* m: so far; and how far each is and goes in this step */
    bool is_valid;                      /* there is a list */
    double min_skin_ratio;              /* of widths, in shares of how far a vertex may wander; 0: as they begin */
    int use_count, rebuild_delay;       /* detections that it has served; those to go before another is made */
} mus_neighbor_list;

struct mus_solver {
    mus_solver_def def;
    mus_assembly assembly;
    mus_broad_scene scene;
    void *broad_state;
    v3 *built;                   /* positions that broad_state was made for: they decide the order of its pairs */
    mus_dynamics **dynamics;     /* one a cloth */
    mus_seam_group *seam_groups; /* of cloths that seams join, in order; most worlds have none */
    int32_t seam_group_count;
    mus_strain_limit limit;
    mus_zones zones;

    mus_pair_list pairs;                /* around vertices that left their envelopes */
    mus_candidate_pair_list candidates; /* of the attempt under way */
    MUS_ARRAY(double) times;            /* of those that would meet, while they are answered: shares of the step */
    mus_found found[MUS_BROAD_SLOTS];   /* parts of them, as threads find them */
    mus_neighbor_list neighbor_list;
    /* Those of them that ended near: what the last committed step left, whose contacts seed the next, and two to work
     * with, so that a step that fails leaves the first untouched. */
    mus_candidate_pair_list lists[3];
    mus_warm_start_list warm_starts[3]; /* what contacts bore, with the lists */
    mus_warm_start_table warm_start_table;
    int committed, current;
    mus_contact_constraint_list constraints, hits;
    mus_rigid_contacts rigid_contacts;
    mus_contact_coloring contact_coloring; /* of `rows`, while they are swept */
    mus_cloth_rigid cloth_rigid;

    const mus_solver_response *responses;
    struct mus_rule_batch *batch; /* rules.c's, made when a rule is first followed */
    int16_t *response_of;         /* object_count x object_count, -1: the pipeline's rule */
    mus_coefficients coefficients;

    void *scratch;    /* of dynamics, then of detection: see solver.c */
    v3 *bound_center; /* lent: where the candidate list expects a vertex to end */
    uint32_t *stamp;  /* clock of a vertex' last move */
    uint32_t clock;
    uint8_t *left_bound; /* vertex has left its envelope */
    uint8_t *marked;     /* leaf has an escaped vertex */
    bool any_left_bound;
    double motion_bound; /* m per axis */
    mus_tolerances tolerance;
    double travel;                   /* m: how far an obstacle may move in one step while near cloth */
    int32_t pinched[2];              /* bodies between which zones found cloth pinched in this attempt; -1: none */
    double time, dt;                 /* s: start and length of the attempt under way */
    struct mus_potential *potential; /* of that family */
    mus_neighborhood neighborhood;   /* of the classic family, for tests that look around */
    mus_stats *stats;
};

mus_status mus_solver_create(mus_solver *solver, const mus_solver_def *def, mus_cloth *const *cloths,
                             int32_t cloth_count, mus_obstacle *const *obstacles, int32_t obstacle_count,
                             mus_seam *const *seams, int32_t seam_count);
/* seam_groups.c: groups of sewn cloths; `seams` and `seam_count` as they were given. The group whose first cloth this
 * is; NULL: it has none. */
mus_status mus_solver_make_seam_groups(mus_solver *solver, mus_cloth *const *cloths, int32_t cloth_count,
                                       mus_seam *const *seams, int32_t seam_count);
mus_seam_group *mus_solver_seam_group_at(const mus_solver *solver, int32_t cloth);
void mus_solver_free(mus_solver *solver);

/* Advances the assembly from x0, v0 (set by the caller) to x1, v1 over input->dt. On failure the assembly's ends are
 * undefined and the caller keeps what it had; the solver's own memory of the last committed step is untouched until
 * mus_solver_commit. */
mus_status mus_solver_step(mus_solver *solver, const mus_step_input *input, mus_stats *stats);
void mus_solver_commit(mus_solver *solver);

/* memory.c: all that a solver keeps from one committed step to the next; to be read into a solver that is just made. */
void mus_solver_memory(mus_archive *archive, mus_solver *solver);

/* Times of phases: what has passed since the last call is booked under `phase`. */
typedef struct mus_stopwatch {
    mus_stats *stats;
    double last; /* ms */
} mus_stopwatch;
static inline mus_stopwatch mus_stopwatch_start(mus_stats *stats) {
    return (mus_stopwatch){stats, mus_timer_ms()};
}
static inline void mus_stopwatch_lap(mus_stopwatch *watch, mus_phase phase) {
    double now = mus_timer_ms();
    watch->stats->phase_ms[phase] += now - watch->last;
    watch->last = now;
}

/* ---- between the solver's files ---- */

/* The broad phase for the positions `built`. */
mus_status mus_solver_make_broad(mus_solver *solver);
/* Between steps, where something else takes much memory: gives back what a step alone needs, and takes it again.
 * Nothing else may be asked of the solver in between, nor after NO_MEMORY, but to be freed. */
void mus_solver_release_scratch(mus_solver *solver);
mus_status mus_solver_acquire_scratch(mus_solver *solver);

/* detect.c: candidates of the motion x0 -> x1, and of vertices that left their envelopes. */
mus_status mus_solver_detect(mus_solver *solver, mus_candidate_pair_list *list);
mus_status mus_solver_redetect_left_bound(mus_solver *solver, mus_candidate_pair_list *list);
void mus_solver_move(mus_solver *solver, int32_t vertex, v3 by);
void mus_solver_moved(void *solver, int32_t vertex);

/* skin.c: are there pairs that hold all that the motion x0 -> x1 could bring near? A list is made where it may last:
 * vertex_box is then filled with other boxes. And those of them that it does bring near, as detection has them. */
mus_status mus_solver_update_neighbor_list(mus_solver *solver, bool *is_valid);
mus_status mus_solver_detect_from_neighbor_list(mus_solver *solver, const mus_motion_bounds *bounds,
                                                mus_candidate_pair_list *list);
void mus_neighbor_list_free(mus_neighbor_list *list);

/* impacts.c: continuous detection and impulses until nothing touches. `clean` tells. */
mus_status mus_solver_impacts(mus_solver *solver, const mus_step_input *input, mus_candidate_pair_list *list,
                              bool *clean);
/* Rows for the pairs that are not near yet and would meet in this step, appended to the rows. */
mus_status mus_solver_add_impact_constraints(mus_solver *solver, mus_candidate_pair_list *list);
/* Zones for what is left. NO_SAFE_STEP with the features named when no motion was found. */
mus_status mus_solver_zones(mus_solver *solver, const mus_step_input *input, mus_candidate_pair_list *list);

/* classic.c: zones that do not go rigid (Harmon et al. 2008): what meets is projected to where nothing comes nearer,
 * all contacts together, and looked for again, as often as the fail-safe says. `clean` tells. Velocities follow; the
 * ends that it started from are in free_x1. */
mus_status mus_solver_project(mus_solver *solver, const mus_step_input *input, mus_candidate_pair_list *list,
                              bool *clean);
/* bodies.c: rigid bodies. Their free motion over the step; then, as often as rows have given them something, where that
 * leads; at the end of the step what they owe to cloth that gave way to them; and their part of a commit. */
void mus_solver_predict_rigid_bodies(mus_solver *solver, const mus_step_input *input, double dt);
/* Have rows given them something worth another sweep since this was asked last? */
bool mus_solver_rigid_bodies_changed(mus_solver *solver);
/* Bodies where the rows lead them, clear of all obstacles. Hits on the way become rows and move cloth too; `detected`:
 * envelopes know of that. */
mus_status mus_solver_place_rigid_bodies(mus_solver *solver, double dt, bool detected, bool *moved);
void mus_solver_apply_deferred_impulses(mus_solver *solver, double dt);
/* apart_bodies.c: rigid bodies of families that keep their contacts apart. Those that start near other obstacles are
 * met first; then, whenever rules have given bodies something, they follow it, and the list of candidates with them
 * (NULL: there is none yet). */
mus_status mus_solver_solve_initial_rigid_contacts(mus_solver *solver);
mus_status mus_solver_update_rigid_bodies(mus_solver *solver, mus_candidate_pair_list *list);
/* Fills meetings.support: by planes near at the start, and by the contacts of the step so far. */
void mus_solver_find_support(mus_solver *solver);
/* Vertex i is in a plane: does a rigid body carry its zone there? `pinched` names the two. */
bool mus_solver_presses(mus_solver *solver, int32_t i, int32_t plane);
void mus_solver_commit_rigid_bodies(mus_solver *solver);
mus_status mus_solver_check_rigid_bodies(const mus_solver *solver);
/* body_pairs.c: what of rigid bodies and other obstacles could meet between x0 and x1, into meetings.list. */
mus_status mus_solver_rigid_contacts_create(mus_solver *solver);
void mus_solver_rigid_contacts_free(mus_solver *solver);
void mus_solver_rigid_contacts_enable(mus_solver *solver); /* the table of what collides is filled */
mus_status mus_solver_detect_rigid_pairs(mus_solver *solver);
/* The same within envelopes, as they are. */
mus_status mus_solver_detect_rigid_pairs_in_bounds(mus_solver *solver);
/* Contacts of bodies with other obstacles: in the solver's rows, or by themselves. */
mus_contact_constraint_list *mus_solver_rigid_constraints(mus_solver *solver);
/* Appends rows for those that start near, planes included. */
mus_status mus_solver_add_rigid_constraints(mus_solver *solver, double dt);
/* Does the pair come nearer than it may between x0 and x1? toi: when, a share of the step. */
bool mus_solver_rigid_pair_collides(mus_solver *solver, mus_candidate_pair *c, double *toi);
/* The row of such a meeting; false: its geometry gives none. */
bool mus_solver_rigid_constraint_from_hit(mus_solver *solver, const mus_candidate_pair *c, double toi,
                                          mus_contact_constraint *constraint);
/* body_zones.c: what still meets moves as one. */
mus_status mus_solver_rigid_body_zones(mus_solver *solver, double dt);
/* So do those that pinch cloth between them, of which one at least is a rigid body: `held`. first: of this attempt. */
mus_status mus_solver_join_pinching_bodies(mus_solver *solver, double dt, bool first, bool *bodies_joined);
/* detect.c: boxes of the obstacles' vertices over the step, for the broad phase. */
void mus_solver_box_obstacles(mus_solver *solver);
/* bodies.c: the body's vertices where its pose at the end says. */
void mus_solver_place_rigid_body(const mus_assembly *assembly, mus_object *object);
/* What a cloth's dynamics have for a matrix; NULL: another cloth's that it is sewn to has both. */
mus_block_matrix *mus_solver_matrix(const mus_solver *solver, int32_t cloth);
/* sweeps.c: the contact rows' solve. Rows and strain limit on x1; at least so many sweeps. */
mus_status mus_solver_sweep(mus_solver *solver, int least);
/* The same of contacts of bodies alone, in families that keep them apart. */
mus_status mus_solver_sweep_rigid_contacts(mus_solver *solver);
/* On v1: that what pushed apart what was too near leaves no speed behind. */
void mus_solver_solve_velocities(mus_solver *solver, double dt);

/* Are contact forces a load of dynamics? Not with rigid bodies, whose share dynamics does not know. */
static inline bool mus_solver_uses_contact_loads(const mus_solver *s) {
    return s->def.family == &mus_family_impulse && s->def.integrator->implicit && !s->assembly.rigid_count;
}
/* Are cloth and rigid bodies solved as one beside dynamics (cloth_rigid.h)? */
static inline bool mus_solver_solves_cloth_rigid(const mus_solver *s) {
    return s->assembly.rigid_count && !s->def.family->separate_rigid_contacts && !s->def.family->solves_rigid_bodies;
}

/* What families share of a step's course. */
/* The clock of the last move of any of the pair's vertices. */
static inline uint32_t mus_solver_last_move(const mus_solver *s, const mus_candidate_pair *c) {
    const int32_t *v = c->vertex;
    const uint32_t *stamp = s->stamp;
    uint32_t ab = stamp[v[0]] > stamp[v[1]] ? stamp[v[0]] : stamp[v[1]];
    uint32_t cd = stamp[v[2]] > stamp[v[3]] ? stamp[v[2]] : stamp[v[3]];
    return ab > cd ? ab : cd;
}
/* Has a vertex of the pair moved since it was found clear? */
static inline bool mus_solver_needs_test(const mus_solver *s, const mus_candidate_pair *c) {
    return !c->checked || mus_solver_last_move(s, c) >= c->checked;
}
/* Does the pair come within `distance` between x0 and x1? The whole query; toi: when, a share of the step. */
bool mus_solver_comes_near(mus_solver *solver, mus_candidate_pair *c, double distance, double tolerance, double *toi);
/* The same after the axis that separated the pair last, which settles most. */
bool mus_solver_comes_within(mus_solver *solver, mus_candidate_pair *c, double distance, double tolerance, double *toi);
/* Of a pair with a cylinder, which detection takes for a capsule: does the cylinder itself come within `distance`? True
 * of any other pair. */
bool mus_solver_certified_with_cylinder(const mus_assembly *a, const mus_candidate_pair *c, double distance,
                                        double tolerance, double *toi);
mus_status mus_solver_check_cancelled(const mus_step_input *input);
/* The start of an attempt over [t, t + dt]: obstacles and pins are placed, dynamics run, the candidate's hook has had
 * its say, and x1 is finite. */
mus_status mus_solver_predict(mus_solver *solver, const mus_step_input *input, double t, double dt,
                              mus_stopwatch *watch);
/* Keeps the ends of cloth as they are now; and v1 follows the change of x1 since then. */
void mus_solver_save_free_ends(mus_solver *solver);
void mus_solver_update_velocities(mus_solver *solver);
mus_status mus_solver_check_finite(const mus_solver *solver);
/* substeps.c: how many parts the step needs so that no obstacle near cloth travels further than `travel` in one. */
mus_status mus_solver_count_substeps(mus_solver *solver, const mus_step_input *input, int32_t *substep_count);
/* INVALID where the integrator asks for more than MUS_MOST_SUBSTEPS parts. */
mus_status mus_solver_check_substeps(const mus_solver *solver, int32_t substep_count, const mus_cloth *cloth,
                                     double dt);
/* INVALID where a law of springs has said what is no number. */
mus_status mus_solver_check_springs(const mus_solver *solver);
mus_status mus_solver_first_detection(mus_solver *solver);
/* Vertices that nothing moves but their pins have the mean velocity of the step's way. */
void mus_solver_follow_pins(mus_assembly *a, double dt);
/* x1, v1 and the poses become the start of what follows; so does what the rows have borne. NULL: that is not known. */
mus_status mus_solver_commit_attempt(mus_solver *solver, const mus_contact_constraint_list *constraints);
/* What a zone has glued gets the velocity of its motion; a body that carries it pays for that. */
void mus_solver_move_zones_as_one(mus_solver *solver);
/* NO_SAFE_STEP, with the features of the vertices p and q by name. */
mus_status mus_solver_no_safe_step(const mus_solver *solver, int32_t p, int32_t q, const char *why);

/* rules.c: users' rules. */
/* What a rule sees of a row where the cloth is now, in lists by slot (mus_input); and what its impulses (N s) on sides
 * 1 and 2 do. */
typedef struct mus_sight {
    v3 point[2], velocity;
    double distance;
} mus_sight;
bool mus_solver_swapped(const mus_solver *solver, const mus_contact_constraint *constraint); /* side 1 is side B */
void mus_solver_look(const mus_solver *solver, const mus_contact_constraint *constraint, bool points, mus_sight *sight);
void mus_solver_apply_rule_impulses(mus_solver *solver, mus_contact_constraint *constraint, v3 first, v3 second);
/* Of a row's corner: the velocity (m/s) that a rule per node sees, in its frame; false where it cannot move. And the
 * same to set; given[side] grows by the impulse that it took. */
bool mus_solver_node_velocity(const mus_solver *solver, const mus_contact_constraint *constraint, int corner, v3 frame,
                              v3 *velocity);
void mus_solver_node_set(mus_solver *solver, const mus_contact_constraint *constraint, int corner, v3 before, v3 after,
                         v3 side_impulse[2]);
void mus_solver_node_book(mus_solver *solver, mus_contact_constraint *constraint, const v3 side_impulse[2]);
v3 mus_solver_node_frame(mus_solver *solver, const mus_contact_constraint *constraint, v3 *normal);
/* INVALID: what a rule has said of a row, impulses on its sides or a node's velocity, is not finite. */
mus_status mus_solver_rule_not_finite(const mus_solver *solver, const mus_contact_constraint *constraint, v3 first,
                                      v3 second);
/* Follows the users' rules for the rows from `first` on, one after the other; programs together (traced.c), with the
 * same result. */
mus_status mus_solver_apply_rules(mus_solver *solver, mus_contact_constraint_list *constraints, int64_t first);
/* traced.c: rows from `first` on that follow programs, all of them. */
mus_status mus_solver_run_programs(mus_solver *solver, mus_contact_constraint_list *constraints, int64_t first);
void mus_rule_batch_free(struct mus_rule_batch *batch); /* NULL is allowed */
/* Which response decides about a row, and its coefficients where they are numbers; mus_coefficients_ask must follow. */
void mus_solver_choose_response(const mus_solver *solver, mus_contact_constraint *constraint);
void mus_solver_contact(const mus_solver *solver, const mus_contact_constraint *constraint, mus_contact *contact);
void mus_solver_name_feature(const mus_solver *solver, int32_t vertex, char *text, size_t size);

#endif
