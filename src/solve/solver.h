/* solver.h: advances a world by one step: dynamics, collision detection and response; what all families of pipelines
 * share, and the impulse family. */
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
#include "solve/coupled/coupled.h"
#include "solve/tolerance.h"

/* A response that applies to some pairs of objects: a function, or the built-in rule with other coefficients. */
typedef struct mus_solver_response {
    mus_law rule;
    bool per_node;                /* the rule returns velocities of nodes */
    double friction, restitution; /* < 0: that of the pair */
} mus_solver_response;

typedef struct mus_solver mus_solver;
typedef struct mus_step_input mus_step_input;
typedef struct mus_minimizer mus_minimizer;   /* of the potential family: solve/potential/potential.h */
typedef struct mus_truncation mus_truncation; /* likewise: response/truncation.h */

/* A family of pipelines: how one attempt at a step advances x0, v0 to x1, v1, and commits these into x0, v0 when it
 * succeeds; when it fails, x0 and v0 are unchanged. */
typedef struct mus_family {
    mus_status (*create)(mus_solver *solver); /* allocates what only this family needs; NULL: nothing */
    void (*destroy)(mus_solver *solver);      /* also after a failed create */
    mus_status (*attempt)(mus_solver *solver, const mus_step_input *input, double t, double dt);
    bool separate_rigid_contacts; /* contacts of rigid bodies with other obstacles are in rigid_contacts.constraints and
                                     solved separately; else with those of cloth */
    bool solves_rigid_bodies; /* rigid bodies are unknowns, as cloth vertices are: with motion bounds for their vertices
                               */
    bool interleaves_detection; /* detection runs between rounds of dynamics: they share no scratch memory */
    bool couples_contacts;      /* all contacts are solved together with the cloth's stiffness: coupled/coupled.h */
    bool keeps_near_at_start;  /* a step's contacts are the pairs near at its start, also those that separate: detection
                                  includes them */
    int halvings_before_zones; /* halvings of a step that come before impact zones */
} mus_family;

extern const mus_family mus_family_impulse, mus_family_coupled, mus_family_classic;

typedef struct mus_solver_def {
    const mus_family *family;
    const mus_integrator *integrator; /* impulse and classic families */
    const mus_elementary *elementary; /* classic family. The impulse family has certified detection of its own
                                         (impacts.c); its projection reads this, which is certified_ccd there */
    const mus_classic_response *response;
    const mus_minimizer *minimizer; /* potential family, as is the next */
    const mus_truncation *truncation;
    const mus_broad_phase *broad;
    const mus_strain_stage *strain;     /* NULL: no limit */
    const mus_material_model *internal; /* of cloth whose material has the model SPRINGS; NULL: mass-spring */
    const mus_failsafe *failsafe;       /* of impulse and classic families; NULL: none */
    double collision_step;              /* as in mus_pipeline */
    bool repulsion;                     /* response "bridson"; without it only hits get a response */
    int threads;
} mus_solver_def;

/* Input of a step, by the world. */
struct mus_step_input {
    mus_environment environment;
    mus_tolerance tolerance;
    double time, dt;        /* s: start and length */
    bool positions_changed; /* written since the last step */
    bool may_release;       /* a failed step may be attempted again with more cloth released from what pinches it */
    void *context;
    /* Places obstacles and pins at time t: poses, and positions of kinematic vertices into x1. */
    mus_status (*place_kinematic)(void *context, mus_assembly *assembly, double t);
    /* Calls the hook on the predicted positions at time `end`, which may change x1 of the assembly. NULL: none. */
    mus_status (*candidate)(void *context, double end);
    mus_status (*contacts)(void *context); /* called when the contact constraints exist. NULL: none */
    bool (*cancelled)(void *context);      /* NULL: never */
};

/* Contacts of rigid bodies with each other and with obstacles other than planes: rigid/rigid_pairs.c. */
typedef struct mus_rigid_contacts {
    bool any;            /* two obstacles, one of them a rigid body, may collide */
    int32_t *first_leaf; /* of an object (index in the assembly): its first leaf; object_count + 1 */
    mus_box *swept;      /* of an object: box around all its vertices over the step */
    int32_t *group;      /* of an object: union-find of those that move as one, rigid/rigid_zones.c */
    MUS_ARRAY(int32_t) leaves[2];
    mus_pair_list pairs;
    mus_candidate_pair_list list;       /* pairs that could come near between x0 and x1 */
    mus_contact_constraint_list relief; /* copies of contact constraints between obstacles, to restore gaps */
    /* Of families with separate_rigid_contacts: */
    mus_contact_constraint_list constraints; /* contacts between obstacles */
    v3 *support; /* of cloth vertices: unit normal of what supports them and cannot move away; 0: nothing */
} mus_rigid_contacts;

/* neighbor_list.c: pairs kept over steps. The list affects the time of detection only, not its result. */
typedef struct mus_neighbor_pair {
    int32_t vertex[4]; /* as in a candidate pair */
    float slack;       /* m: the pair matters only if the motions of both sides add up to more */
    bool edge_edge;
} mus_neighbor_pair;
typedef struct mus_neighbor_list {
    MUS_ARRAY(mus_neighbor_pair) pairs; /* in the order of the broad phase */
    v3 *build_position;                 /* of vertices: when the list was built */
    float *skin_radius, *motion;  /* m: of vertices: the bound for which the list is valid; the largest distance from
                                     build_position in this step */
    bool is_valid;                /* a list exists */
    double min_skin_ratio;        /* least skin radius, in motion bounds; 0: the initial one */
    int use_count, rebuild_delay; /* detections served by the list; detections before another may be built */
} mus_neighbor_list;

/* Consecutive faces of a cloth, which are near each other in the solver's order: substeps.c. */
typedef struct mus_cloth_patch {
    mus_box box; /* of their motion over the step, as fast as they are now */
    v3 motion;   /* m: mean of their vertices */
} mus_cloth_patch;

struct mus_solver {
    mus_solver_def def;
    mus_assembly assembly;
    mus_broad_scene scene;
    void *broad_state;
    v3 *built;                   /* positions that broad_state was built for: they decide the order of its pairs */
    mus_dynamics **dynamics;     /* one for each cloth */
    mus_seam_group *seam_groups; /* of cloths joined by seams, in order; most worlds have none */
    int32_t seam_group_count;
    mus_strain_limit limit;
    mus_zones zones;

    mus_pair_list pairs;                /* around vertices that left their motion bounds */
    mus_candidate_pair_list candidates; /* of the current attempt */
    MUS_ARRAY(double) times;            /* times of impact of colliding pairs during the response: shares of the step */
    mus_found found[MUS_BROAD_SLOTS];   /* per slot of the broad phase, as threads find them */
    mus_neighbor_list neighbor_list;
    /* Candidate pairs that ended near each other: one list of the last committed step, from which the next step's
     * contacts start, and two to work with, so that a step that fails leaves the first unchanged. */
    mus_candidate_pair_list lists[3];
    mus_warm_start_list warm_starts[3]; /* warm starts of contacts, one list for each of `lists` */
    mus_warm_start_table warm_start_table;
    int committed, current;
    int halvings; /* of the present attempt */
    mus_contact_constraint_list constraints, hits;
    mus_rigid_contacts rigid_contacts;
    mus_contact_coloring contact_coloring; /* of `constraints`, for sweeps */
    mus_coupled coupled;

    const mus_solver_response *responses;
    struct mus_rule_batch *batch; /* of traced.c, created when a rule is first evaluated */
    int16_t *response_of;         /* object_count x object_count, -1: the pipeline's rule */
    mus_coefficients coefficients;

    void *scratch;       /* of dynamics, then of detection: scratch.c */
    v3 *bound_center;    /* borrowed: predicted end of a vertex, center of its motion bound */
    uint32_t *last_move; /* clock of a vertex's last move */
    uint32_t clock;
    uint8_t *left_bound; /* of a vertex: it left its motion bound */
    uint8_t *marked;     /* of a leaf: one of its vertices left its motion bound */
    bool any_left_bound;
    double motion_bound; /* m, along each axis */
    mus_tolerances tolerance;
    MUS_ARRAY(mus_cloth_patch) patches;
    double mean_edge;                /* m: the least of the cloths */
    double travel;                   /* m: largest motion of an obstacle past cloth in one substep */
    int32_t pinched[2];              /* objects between which an impact zone is pinched in this attempt; -1: none */
    int32_t conflict[2];             /* vertices whose motions conflict in a zone of this attempt; -1: none */
    int32_t unsafe[4];               /* vertices of the last pair that could not be resolved; -1: none */
    double time, dt;                 /* s: start and length of the current attempt */
    struct mus_potential *potential; /* of the potential family */
    mus_neighborhood neighborhood;   /* of the classic family, for tests that use the neighborhood of a pair */
    mus_stats *stats;
};

mus_status mus_solver_create(mus_solver *solver, const mus_solver_def *def, mus_cloth *const *cloths,
                             int32_t cloth_count, mus_obstacle *const *obstacles, int32_t obstacle_count,
                             mus_seam *const *seams, int32_t seam_count);
/* seam_groups.c: creates groups of sewn cloths from all seams of the world. mus_solver_seam_group_at returns the group
 * whose first cloth is `cloth`, or NULL. */
mus_status mus_solver_make_seam_groups(mus_solver *solver, mus_cloth *const *cloths, int32_t cloth_count,
                                       mus_seam *const *seams, int32_t seam_count);
mus_seam_group *mus_solver_seam_group_at(const mus_solver *solver, int32_t cloth);
void mus_solver_free(mus_solver *solver);

/* Advances the assembly from x0, v0 (set by the caller) to x1, v1 over input->dt. On failure the assembly's x1 and v1
 * are undefined, and the caller keeps its own state; the solver's state of the last committed step is unchanged until
 * mus_solver_commit. */
mus_status mus_solver_step(mus_solver *solver, const mus_step_input *input, mus_stats *stats);
void mus_solver_commit(mus_solver *solver);

/* memory.c: archives all that a solver keeps from one committed step to the next; to be read into a new solver. */
void mus_solver_memory(mus_archive *archive, mus_solver *solver);

/* Times of phases: a lap adds the time since the previous one to `phase`. */
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

/* Creates the broad phase for the positions `built`. */
mus_status mus_solver_create_broad_phase(mus_solver *solver);
/* Release and reacquire memory that only a step needs, between steps, when something else needs much memory. Between
 * the two, or after NO_MEMORY, the solver may only be freed. */
void mus_solver_release_scratch(mus_solver *solver);
mus_status mus_solver_acquire_scratch(mus_solver *solver);

/* detect.c: candidate pairs of the motion x0 -> x1; and again for vertices that left their motion bounds. */
mus_status mus_solver_detect(mus_solver *solver, mus_candidate_pair_list *list);
mus_status mus_solver_redetect_left_bound(mus_solver *solver, mus_candidate_pair_list *list);
void mus_solver_move(mus_solver *solver, int32_t vertex, v3 by);
void mus_solver_moved(void *solver, int32_t vertex);

/* neighbor_list.c: is_valid: the neighbor list contains all pairs that the motion x0 -> x1 could bring near. A list is
 * built where it may last; vertex_box is then overwritten with other boxes. mus_solver_detect_from_neighbor_list
 * selects the pairs that come near in this step, in the order of detection. */
mus_status mus_solver_update_neighbor_list(mus_solver *solver, bool *is_valid);
mus_status mus_solver_detect_from_neighbor_list(mus_solver *solver, const mus_motion_bounds *bounds,
                                                mus_candidate_pair_list *list);
void mus_neighbor_list_free(mus_neighbor_list *list);

/* impulse/impacts.c: continuous detection and impulses until no pair collides, or rounds run out. `is_collision_free`:
 * none collides. */
mus_status mus_solver_impacts(mus_solver *solver, const mus_step_input *input, mus_candidate_pair_list *list,
                              bool *is_collision_free);
/* Appends contact constraints for the pairs that are not near yet and would collide in this step. No rule is applied.
 * near_count: number of those that are near, so have a constraint, and would collide. */
mus_status mus_solver_add_impact_constraints(mus_solver *solver, mus_candidate_pair_list *list, int64_t *near_count);
/* impulse/contact_stages.c: contact constraints of the pairs near at the start, with coefficients, and hook
 * `contacts`. And those of pairs that would collide, from index `first` on. Rules are the caller's. */
mus_status mus_solver_build_constraints(mus_solver *solver, const mus_step_input *input,
                                        const mus_candidate_pair_list *near, double dt);
mus_status mus_solver_build_impact_constraints(mus_solver *solver, mus_candidate_pair_list *list, int64_t first,
                                               int64_t *near_count);
/* Impulses at single hits, then the fail-safe: the motion x0 -> x1 is then free of collisions, or NO_SAFE_STEP.
 * `is_collision_free`: impulses sufficed. Updates velocities. */
mus_status mus_solver_remove_collisions(mus_solver *solver, const mus_step_input *input, mus_candidate_pair_list *list,
                                        double dt, mus_stopwatch *watch, bool *is_collision_free);
/* Tests all pairs that have moved since they were found clear, for a distance of gap_share times their minimum gap.
 * After it every pair is clear or would collide (mus_candidate_pair_was_clear), and `times` stores the times of impact
 * of the latter. tolerance_share: of detection, a share of the minimum gap. */
mus_status mus_solver_test_all_pairs(mus_solver *solver, mus_candidate_pair_list *list, double gap_share,
                                     double tolerance_share, int64_t *found);

/* zones.c: impact zones for the collisions that the impulse family has left. NO_SAFE_STEP with the features named when
 * no motion was found. */
mus_status mus_solver_resolve_by_zones(mus_solver *solver, const mus_step_input *input, mus_candidate_pair_list *list);
/* Moves the zones joined so far. False: two kinematic vertices of one zone, in `conflict`, move differently, and
 * `pinched` stores their objects. */
bool mus_solver_move_zones(mus_solver *solver, int32_t conflict[2]);
/* Sets v1 of vertices in zones to the zone's velocity; a body that carries the zone gets the reaction. */
void mus_solver_set_zone_velocities(mus_solver *solver);

/* projection.c: inelastic impact zones (Harmon et al. 2008): all colliding pairs are projected jointly to positions at
 * which none approaches further, then detection runs again, up to the round limit of the fail-safe.
 * `is_collision_free`: no collisions remain. Velocities are updated; velocity_base stores the ends before the
 * projection. */
mus_status mus_solver_project(mus_solver *solver, const mus_step_input *input, mus_candidate_pair_list *list,
                              bool *is_collision_free);
/* rigid/rigid_bodies.c: rigid bodies: predict: free motion over the step; place: poses from the impulses so far;
 * apply_deferred_impulses: impulses deferred to the end of the step, into the velocities; commit: end velocities become
 * those of the start. */
void mus_solver_predict_rigid_bodies(mus_solver *solver, const mus_step_input *input, double dt);
/* Returns whether contact impulses since the last call changed a body's motion enough to need another sweep. */
bool mus_solver_rigid_bodies_changed(mus_solver *solver);
/* Moves rigid bodies by their contact impulses, clear of all obstacles. Hits on the way become contact constraints and
 * move cloth too; `detected`: motion bounds exist and are updated. */
mus_status mus_solver_place_rigid_bodies(mus_solver *solver, double dt, bool detected, bool *moved);
void mus_solver_apply_deferred_impulses(mus_solver *solver, double dt);
/* rigid/separate_rigid_contacts.c: rigid bodies of families with separate_rigid_contacts. Contacts with obstacles near
 * at the start are solved first; then, whenever rules have applied impulses to bodies, these are moved, and candidate
 * pairs detected again (`list` NULL: there is none yet). */
mus_status mus_solver_solve_initial_rigid_contacts(mus_solver *solver);
mus_status mus_solver_update_rigid_bodies(mus_solver *solver, mus_candidate_pair_list *list);
/* Fills rigid_contacts.support: by planes near at the start, and by the contacts of the step so far. */
void mus_solver_find_support(mus_solver *solver);
/* Vertex i is below a plane: returns whether a rigid body carries its zone; `pinched` then stores the two. */
bool mus_solver_presses(mus_solver *solver, int32_t i, int32_t plane);
void mus_solver_accept_rigid_bodies(mus_solver *solver);
mus_status mus_solver_check_rigid_bodies(const mus_solver *solver);
/* rigid/rigid_pairs.c: pairs of rigid bodies and other obstacles that could collide between x0 and x1, into
 * rigid_contacts.list. */
mus_status mus_solver_rigid_contacts_create(mus_solver *solver);
void mus_solver_rigid_contacts_free(mus_solver *solver);
void mus_solver_rigid_contacts_enable(mus_solver *solver); /* after the table of colliding objects changed */
mus_status mus_solver_detect_rigid_pairs(mus_solver *solver);
/* The same for all motions within the motion bounds. */
mus_status mus_solver_detect_rigid_pairs_in_bounds(mus_solver *solver);
/* Returns the list of contacts of rigid bodies with other obstacles: the solver's, or rigid_contacts.constraints. */
mus_contact_constraint_list *mus_solver_rigid_constraints(mus_solver *solver);
/* Appends contact constraints for those that start near, planes included. */
mus_status mus_solver_add_rigid_constraints(mus_solver *solver, double dt);
/* Returns whether the pair comes nearer than its minimum gap between x0 and x1. toi: time of impact, a share of the
 * step. */
bool mus_solver_rigid_pair_collides(mus_solver *solver, mus_candidate_pair *c, double *toi);
/* Fills the contact constraint of such a collision; false: its geometry is degenerate. */
bool mus_solver_rigid_constraint_from_hit(mus_solver *solver, const mus_candidate_pair *c, double toi,
                                          mus_contact_constraint *constraint);
/* rigid/rigid_zones.c: moves rigid bodies that still collide as one. */
mus_status mus_solver_rigid_body_zones(mus_solver *solver, double dt);
/* Joins the two objects of `pinched`, of which at least one is a rigid body, into one zone. first: the first call in
 * this attempt. bodies_joined: set if this call joined them. */
mus_status mus_solver_join_pinching_bodies(mus_solver *solver, double dt, bool first, bool *bodies_joined);
/* detect.c: boxes of the obstacles' vertices over the step, for the broad phase. */
void mus_solver_box_obstacles(mus_solver *solver);
/* rigid/rigid_bodies.c: sets x1 of the body's vertices from its pose at the end. */
void mus_solver_place_rigid_body(const mus_assembly *assembly, mus_object *object);
/* seam_groups.c: the matrix of a cloth's dynamics; NULL: the first cloth of its seam group has the matrix of all. */
mus_block_matrix *mus_solver_matrix(const mus_solver *solver, int32_t cloth);
/* impulse/sweeps.c: solves the contact constraints and the strain limit on x1, with at least so many sweeps. */
mus_status mus_solver_sweep(mus_solver *solver, int min_sweeps);
/* The same for rigid_contacts.constraints alone. */
mus_status mus_solver_sweep_rigid_contacts(mus_solver *solver);
/* Solves the contacts again on v1, so that restoring gaps leaves no velocity. */
void mus_solver_solve_velocities(mus_solver *solver, double dt);

/* Returns whether contact forces are a load of dynamics. Not with rigid bodies, as dynamics does not include their
 * share. */
static inline bool mus_solver_uses_contact_loads(const mus_solver *s) {
    return s->def.family == &mus_family_impulse && s->def.integrator->implicit && !s->assembly.rigid_count;
}
static inline mus_warm_start_scope mus_solver_warm_start_scope(const mus_solver *s) {
    return s->def.family->couples_contacts    ? MUS_WARM_STARTS_OF_ALL
           : mus_solver_uses_contact_loads(s) ? MUS_WARM_STARTS_WITH_LOADS
                                              : MUS_WARM_STARTS_ONLY;
}
/* Returns whether cloth and rigid bodies are solved as one system after dynamics (coupled.h). */
static inline bool mus_solver_solves_coupled(const mus_solver *s) {
    return (s->assembly.rigid_count || s->def.family->couples_contacts) && !s->def.family->separate_rigid_contacts &&
           !s->def.family->solves_rigid_bodies;
}

/* ---- Steps of an attempt that families share ---- */
/* Returns the clock of the last move of any of the pair's vertices. */
static inline uint32_t mus_solver_last_move(const mus_solver *s, const mus_candidate_pair *c) {
    const int32_t *v = c->vertex;
    const uint32_t *moved = s->last_move;
    uint32_t ab = moved[v[0]] > moved[v[1]] ? moved[v[0]] : moved[v[1]];
    uint32_t cd = moved[v[2]] > moved[v[3]] ? moved[v[2]] : moved[v[3]];
    return ab > cd ? ab : cd;
}
/* Returns whether the pair was found clear and none of its vertices has moved since: it needs no test. The clock starts
 * at 1 in each attempt and goes on before each search and after each move that follows a test, so that a move at the
 * clock of a test came after that test. */
static inline bool mus_solver_is_clear(const mus_solver *s, const mus_candidate_pair *c) {
    return c->clear_since && mus_solver_last_move(s, c) < c->clear_since;
}
/* pair_test.c: returns whether the pair comes within `distance` between x0 and x1, by the full test; toi: time of
 * impact, a share of the step. */
bool mus_solver_comes_near(mus_solver *solver, mus_candidate_pair *c, double distance, double tolerance, double *toi);
/* The same, after a test along the axis that separated the pair last, which rejects most pairs. */
bool mus_solver_comes_within(mus_solver *solver, mus_candidate_pair *c, double distance, double tolerance, double *toi);
/* For a pair with a cylinder, which detection treats as a capsule: returns whether the cylinder itself comes within
 * `distance`. True for any other pair. */
bool mus_solver_certified_with_cylinder(const mus_assembly *a, const mus_candidate_pair *c, double distance,
                                        double tolerance, double *toi);
mus_status mus_solver_check_cancelled(const mus_step_input *input);
/* predict.c: the start of an attempt over [t, t + dt]: places obstacles and pins, runs dynamics, or moves cloth with
 * its velocities where no more is needed, calls the hook on predicted positions, and checks that x1 is finite. */
mus_status mus_solver_predict(mus_solver *solver, const mus_step_input *input, double t, double dt,
                              mus_stopwatch *watch);
/* Sets the ends of vertices that are not fixed to where velocities and gravity move them, and their velocities. */
void mus_solver_fall_freely(mus_solver *solver, v3 gravity);
/* Store the current ends of cloth in velocity_base; update v1 by the change of x1 since then. */
void mus_solver_save_velocity_base(mus_solver *solver);
void mus_solver_update_velocities(mus_solver *solver);
mus_status mus_solver_check_finite(const mus_solver *solver);
/* substeps.c: number of substeps such that no obstacle moves further past cloth near it than `travel` in one. */
mus_status mus_solver_count_substeps(mus_solver *solver, const mus_step_input *input, int32_t *substep_count);
/* INVALID if the integrator needs more than MUS_MOST_SUBSTEPS substeps. */
mus_status mus_solver_check_substeps(const mus_solver *solver, int32_t substep_count, const mus_cloth *cloth,
                                     double dt);
/* INVALID if a spring law returned a value that is not finite. */
mus_status mus_solver_check_springs(const mus_solver *solver);
/* scratch.c: creates the broad phase for the present x0 before the first detection. */
mus_status mus_solver_ensure_broad_phase(mus_solver *solver);
/* Sets v1 of pinned vertices to the mean velocity over the step. */
void mus_solver_follow_pins(mus_assembly *a, double dt);
/* accept_attempt.c: makes x1, v1 and the poses the start of the next attempt, and stores the warm starts of
 * `constraints` (NULL: none). mus_solver_commit follows when the whole step has succeeded. */
mus_status mus_solver_accept_attempt(mus_solver *solver, const mus_contact_constraint_list *constraints);
/* NO_SAFE_STEP, with the features of the vertices p and q by name. */
mus_status mus_solver_no_safe_step(mus_solver *solver, int32_t p, int32_t q, const char *why);
/* Whether a cloth vertex is in the last pair that could not be resolved, or in an impact zone with one that is. */
bool mus_solver_is_unsafe(mus_solver *solver, int32_t vertex);

/* ---- rules.c and rule_contact.c: rules by users ---- */
/* Input of a rule at a contact with the current positions; mus_solver_apply_rule_impulses applies its impulses (N s) on
 * sides 1 and 2. */
typedef struct mus_contact_state {
    v3 point[2], velocity;
    double distance;
} mus_contact_state;
bool mus_solver_swapped(const mus_solver *solver, const mus_contact_constraint *constraint); /* side 1 is side B */
void mus_solver_contact_state(const mus_solver *solver, const mus_contact_constraint *constraint, bool points,
                              mus_contact_state *state);
void mus_solver_apply_rule_impulses(mus_solver *solver, mus_contact_constraint *constraint, v3 first, v3 second);
/* Of a corner of a contact: mus_solver_node_velocity gives the velocity (m/s) for a rule per node, relative to its
 * frame; false where the node cannot move. mus_solver_node_set sets it, and adds the impulse to side_impulse[side]. */
bool mus_solver_node_velocity(const mus_solver *solver, const mus_contact_constraint *constraint, int corner, v3 frame,
                              v3 *velocity);
void mus_solver_node_set(mus_solver *solver, const mus_contact_constraint *constraint, int corner, v3 before, v3 after,
                         v3 side_impulse[2]);
void mus_solver_node_book(mus_solver *solver, mus_contact_constraint *constraint, const v3 side_impulse[2]);
v3 mus_solver_node_frame(mus_solver *solver, const mus_contact_constraint *constraint, v3 *normal);
/* INVALID: the result of a rule, impulses on the sides or a node's velocity, is not finite. */
mus_status mus_solver_rule_not_finite(const mus_solver *solver, const mus_contact_constraint *constraint, v3 first,
                                      v3 second);
/* Returns whether pairs have rules of users, contact energies aside; `programs`: all of those are traced. */
bool mus_solver_has_rules(const mus_solver *solver, bool *programs);
/* Returns whether pairs have contact energies of users. */
bool mus_solver_has_energies(const mus_solver *solver);
/* Applies users' rules to the contact constraints from `first` on in order; traced rules in batches (traced.c), with
 * the same result. */
mus_status mus_solver_apply_rules(mus_solver *solver, mus_contact_constraint_list *constraints, int64_t first);
/* traced.c: applies the rules of the contact constraints from `first` on; all rules must be traced. */
mus_status mus_solver_run_programs(mus_solver *solver, mus_contact_constraint_list *constraints, int64_t first);
void mus_rule_batch_free(struct mus_rule_batch *batch); /* NULL is allowed */
/* Sets the response of a contact constraint, and its coefficients where they are numbers; mus_coefficients_evaluate
 * must follow. */
void mus_solver_choose_response(const mus_solver *solver, mus_contact_constraint *constraint);
void mus_solver_contact(const mus_solver *solver, const mus_contact_constraint *constraint, mus_contact *contact);
void mus_solver_name_feature(const mus_solver *solver, int32_t vertex, char *text, size_t size);

#endif
