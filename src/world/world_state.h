/* world_state.h: the world, for the files of this folder. */
#ifndef MUS_WORLD_WORLD_STATE_H
#define MUS_WORLD_WORLD_STATE_H

#include "base/rng.h"
#include "solve/solver.h"
#include "world/stages.h"

#include <string.h>

typedef struct mus_slot {
    void *object; /* NULL: free */
    uint32_t generation;
    int32_t order; /* of an object: its place in the order of creation */
} mus_slot;
typedef MUS_ARRAY(mus_slot) mus_slots;

typedef struct mus_pin_path_slot {
    mus_pin_path_fn path;
    void *user;
} mus_pin_path_slot;

typedef struct mus_world_response {
    char *name, *between[2];
    mus_solver_response response;
} mus_world_response;

typedef struct mus_ignored {
    char *a, *b;
} mus_ignored;

typedef struct mus_pair_overlap {
    char *a, *b;
    mus_overlap overlap;
} mus_pair_overlap;

typedef MUS_ARRAY(mus_start_pair) mus_start_pair_list; /* owns their names */

typedef struct mus_pair_pinch {
    char *a, *b;
    bool release;
} mus_pair_pinch;

/* Whether a and b are the names p and q, in either order. */
static inline bool mus_pair_is_of(const char *a, const char *b, const char *p, const char *q) {
    return (strcmp(a, p) == 0 && strcmp(b, q) == 0) || (strcmp(a, q) == 0 && strcmp(b, p) == 0);
}

/* A coefficient of a pair, in place of that by the materials. */
typedef struct mus_pair_setting {
    char *a, *b, *place; /* b NULL: any object */
    mus_pair_coefficient one;
} mus_pair_setting;

/* sleep.h */
typedef struct mus_sleep {
    bool asleep;  /* through the last step */
    bool settled; /* through the step before, too: what depends on velocities does not change any more */
    bool moved;   /* in the step in progress */
    double still; /* s: for how long nothing has moved away from its reference; 0: nothing is known */
    uint64_t
        velocities; /* hash of all velocities at the end of the last step, once a world has been still long enough */
} mus_sleep;

/* What a step may change, as it was before the step. */
typedef struct mus_backup {
    v3 *x, *v;     /* all cloth vertices, in order of creation */
    v3 *f;         /* the same, allocated when there are forces */
    mus_pin *pins; /* the same, allocated when there are pins */
    bool forced;   /* f is in use */
    int32_t *pin_counts;
    mus_rigid *rigids; /* of rigid bodies, in order */
    mus_pose *poses;   /* of all obstacles, in order of creation */
    double time;       /* s */
    v3 *hidden; /* the state that a candidate hook does not read: positions and velocities of cloth, velocities and
                   angular momenta of bodies; allocated when there is such a hook */
    mus_rng rng;
    double gravity[3], wind[3];
    mus_tolerance tolerance;
    int64_t path_count;
    mus_sleep sleep;
    bool solved; /* the solver has begun the step: its contacts are lost */
    bool has_contacts;
    MUS_ARRAY(mus_contact) contacts; /* of a world that wakes in the step */
} mus_backup;

/* The time step, and data of this frame's steps from which the next frame's is chosen. */
typedef struct mus_time_step {
    double dt;     /* s: the longest step at present */
    double wanted; /* s: the shortest that a step of this frame called for */
    int32_t step;  /* index in this frame */
    bool recorded; /* there was a step */
} mus_time_step;

struct mus_world {
    mus_world_def def; /* pipeline names point into the stage list */
    mus_solver_def solver_def;
    double time;
    int64_t step_index;
    mus_slots cloths, obstacles, responses, seams;
    MUS_ARRAY(int32_t)
    cloth_order, obstacle_order, response_order, seam_order; /* slots in use, in order of creation */
    MUS_ARRAY(mus_ignored) ignored;
    MUS_ARRAY(mus_pair_overlap) overlaps;     /* settings of pairs, in order */
    MUS_ARRAY(mus_pair_pinch) pinches;        /* likewise */
    MUS_ARRAY(mus_pair_setting) coefficients; /* likewise */
    MUS_ARRAY(mus_pin_path_slot) paths;
    int32_t names_made; /* number of automatic names */

    mus_solver solver;
    bool assembled;    /* the solver is that of the present objects */
    bool validated;    /* the present state has been validated */
    mus_backup backup; /* sized with the solver */
    MUS_ARRAY(mus_solver_response) solver_responses;
    MUS_ARRAY(mus_pair_coefficient) solver_coefficients;

    MUS_ARRAY(mus_contact) contacts;
    bool contacts_fresh;
    mus_callbacks callbacks;
    MUS_ARRAY(double) force_registers; /* registers of traced forces */
    bool locked;
    bool forcing;   /* forces are being collected */
    bool cancelled; /* the step in progress was cancelled, whatever the hook returns later */
    /* Loaded from a file, which stores no functions: some may still have to be set (snapshot_missing.c). */
    bool incomplete, callbacks_missing, tolerance_missing;
    mus_program *tolerance_place; /* the last function of place, retained; def.tolerance may be another one now */
    mus_rng rng;
    mus_stats stats;
    mus_start_report start_report;
    mus_start_pair_list start_pairs;
    mus_time_step time_step;
    mus_sleep sleep;
    mus_overlap_exemption_list exemptions; /* overlap exemptions; the solver reads them here */
};

mus_cloth *mus_world_find_cloth(const mus_world *world, mus_cloth_id id); /* NULL: with the error STALE */
mus_obstacle *mus_world_find_obstacle(const mus_world *world, mus_obstacle_id id);
mus_status mus_world_check_unlocked(const mus_world *world, const char *what);
/* Returns the given name after a check that it is new, or a new one in `buffer`. */
mus_status mus_world_choose_name(mus_world *world, const char *given, const char *stem, char *buffer, size_t size,
                                 const char **name);
bool mus_world_has_name(const mus_world *world, const char *name);
/* object.c: the k-th object, cloths before obstacles, each in order of creation. */
mus_object_id mus_world_object_at(const mus_world *world, int32_t k);
/* Returns the name of an object, by which settings of pairs are kept. STALE, or INVALID for none, with a message that
 * begins with `what`. */
mus_status mus_world_check_object(const mus_world *world, const char *what, mus_object_id id, const char **name);
/* The same for the objects of a pair. */
mus_status mus_world_check_pair(const mus_world *world, const char *what, mus_object_id a, mus_object_id b,
                                const char *names[2]);
void mus_world_changed(mus_world *world); /* objects were added or removed: assemble and validate again */

/* Whether the integrator projects pulls as constraints; else they are forces (pull.c). */
static inline bool mus_world_projects_pulls(const mus_world *world) {
    return world->solver_def.integrator == &mus_integrator_position_based;
}
/* world_force.c: whether the world's steps take derivatives of forces; then the cloth has memory for them, or the
 * status is NO_MEMORY. */
mus_status mus_world_reserve_jacobian(const mus_world *world, mus_cloth *cloth, bool *with_jacobian);
/* pull.c: adds the forces of pulls for a step of dt. */
mus_status mus_world_add_pulls(mus_world *world, double dt);
/* world_seam.c: removes the seams of a cloth that is removed. */
void mus_world_remove_seams(mus_world *world, const mus_cloth *cloth);
void mus_world_response_free(mus_world_response *response); /* NULL is allowed */
/* world_coefficient.c: a setting as the solver reads it, with its names; and its destruction. */
mus_pair_coefficient mus_pair_setting_of(const mus_pair_setting *setting);
void mus_pair_setting_free(mus_pair_setting *setting);
mus_status mus_obstacle_check(const mus_obstacle_def *def);

/* world_tolerance.c; `solver` is the world's. mus_world_keep_tolerance stores a checked tolerance and retains its
 * function. */
mus_status mus_world_check_tolerance(const mus_tolerance *tolerance, const mus_solver_def *solver);
void mus_world_keep_tolerance(mus_world *world, const mus_tolerance *tolerance);

/* snapshot_missing.c: names the first function that has not been set again in a loaded world. */
mus_status mus_world_check_complete(mus_world *world);

/* validate.c: names the first vertex whose position or velocity is not finite. */
mus_status mus_world_check_finite(const mus_world *world);

/* no_safe_step.c: adds place, motion and remedy to the error of the solver's last step; returns NO_SAFE_STEP. */
mus_status mus_world_explain_no_safe_step(const mus_world *world, mus_solver *solver);

/* assemble.c: creates the solver for the present objects. */
mus_status mus_world_assemble(mus_world *world);
/* Creates another one, for the same objects as the world's own. */
mus_status mus_world_make_solver(mus_world *world, mus_solver *solver);
/* Copies the present state into the start of the assembly: positions, velocities, inverse masses, poses. */
mus_status mus_world_gather(mus_world *world);
mus_status mus_world_place_kinematic(void *world, mus_assembly *assembly, double t);
void mus_world_free_backup(mus_world *world);

#endif
