/* world_state.h: the world, for the files of this room. */
#ifndef MUS_WORLD_WORLD_STATE_H
#define MUS_WORLD_WORLD_STATE_H

#include "base/rng.h"
#include "solve/solver.h"
#include "world/stages.h"

typedef struct mus_slot {
    void *object; /* NULL: free */
    uint32_t generation;
} mus_slot;
typedef MUS_ARRAY(mus_slot) mus_slots;

typedef struct mus_pin_path_slot {
    mus_pin_path path;
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

/* A coefficient of a pair in place of the materials'. */
typedef struct mus_pair_setting {
    char *a, *b, *place; /* b NULL: anything */
    mus_pair_coefficient one;
} mus_pair_setting;

/* What a step may change, as it was before. */
typedef struct mus_backup {
    v3 *x, *v;     /* all cloth vertices, in order of creation */
    v3 *f;         /* the same, made when a force is there to be kept */
    mus_pin *pins; /* the same, made when a pin is */
    bool forced;   /* f holds what was */
    int32_t *pin_counts;
    mus_rigid *rigids; /* of dynamic obstacles, in order */
    mus_pose *poses;   /* of all obstacles, in order of creation */
    double time;       /* s */
    v3 *hidden;        /* what a candidate hook does not see: positions and velocities of cloth, velocities and angular
                          momenta of bodies; made when there is such a hook */
    mus_rng rng;
    double gravity[3], wind[3];
    mus_tolerance tolerance;
    int64_t path_count;
} mus_backup;

/* How long steps are, and what the steps of this frame tell about those of the next. */
typedef struct mus_time_step {
    double dt;     /* s: the longest a step may be now */
    double wanted; /* s: the least that a step of this frame asked for */
    int32_t step;  /* of this frame */
    bool recorded; /* there was one */
} mus_time_step;

struct mus_world {
    mus_world_def def; /* pipeline names point into the stage list */
    mus_solver_def solver_def;
    double time;
    int64_t step_index;
    mus_slots cloths, obstacles, responses, seams;
    MUS_ARRAY(int32_t)
    cloth_order, obstacle_order, response_order, seam_order; /* slots of the living, in order of creation */
    MUS_ARRAY(mus_ignored) ignored;
    MUS_ARRAY(mus_pair_overlap) overlaps;     /* what was said of pairs, in order */
    MUS_ARRAY(mus_pair_setting) coefficients; /* likewise */
    MUS_ARRAY(mus_pin_path_slot) paths;
    int32_t names_made; /* for automatic names */

    mus_solver solver;
    bool assembled;    /* the solver fits the objects */
    bool validated;    /* the present state has been judged */
    mus_backup backup; /* sized with the solver */
    MUS_ARRAY(mus_solver_response) solver_responses;
    MUS_ARRAY(mus_pair_coefficient) solver_coefficients;

    MUS_ARRAY(mus_contact) contacts;
    bool contacts_fresh;
    mus_callbacks callbacks;
    MUS_ARRAY(double) force_room; /* what traced forces work in */
    bool locked;
    bool forcing;   /* forces are being collected */
    bool cancelled; /* the step under way was, whatever is said later */
    /* Loaded from a file, which holds no functions: some may still have to be handed in (snapshot_missing.c). */
    bool incomplete, callbacks_missing, tolerance_missing;
    mus_program *tolerance_place; /* the last function of place, held; def.tolerance may be another one now */
    mus_rng rng;
    mus_stats stats;
    mus_start_report start_report;
    mus_time_step time_step;
    mus_overlap_exemption_list exemptions; /* overlaps that are let be; the solver looks at them here */
};

mus_cloth *mus_world_find_cloth(const mus_world *world, mus_cloth_id id); /* NULL: STALE is recorded */
mus_obstacle *mus_world_find_obstacle(const mus_world *world, mus_obstacle_id id);
mus_status mus_world_check_unlocked(const mus_world *world, const char *what);
/* The name given, checked to be new, or a fresh one into `buffer`. */
mus_status mus_world_choose_name(mus_world *world, const char *given, const char *stem, char *buffer, size_t size,
                                 const char **name);
bool mus_world_has_name(const mus_world *world, const char *name);
/* NOT_FOUND, beginning with `what`, for a name that no cloth or obstacle has. */
mus_status mus_world_check_name(const mus_world *world, const char *what, const char *name);
void mus_world_changed(mus_world *world); /* objects came or went: assemble and validate anew */

/* world_cloth.c: its integrator has the pulling constraint. */
bool mus_world_can_pull(const mus_world *world);
/* world_seam.c: those of a cloth that goes. */
void mus_world_remove_seams(mus_world *world, const mus_cloth *cloth);
void mus_world_response_free(mus_world_response *response); /* NULL is allowed */
/* world_coefficient.c: for the solver, with the names of the setting; and away with what a setting holds. */
mus_pair_coefficient mus_pair_setting_of(const mus_pair_setting *setting);
void mus_pair_setting_free(mus_pair_setting *setting);
mus_status mus_obstacle_check(const mus_obstacle_def *def);

/* world_tolerance.c; `solver` is the world's. Checked tolerances are kept, with what the world holds of them. */
mus_status mus_world_check_tolerance(const mus_tolerance *tolerance, const mus_solver_def *solver);
void mus_world_keep_tolerance(mus_world *world, const mus_tolerance *tolerance);

/* snapshot_missing.c: names the first function that a loaded world has not been given again. */
mus_status mus_world_check_complete(mus_world *world);

/* validate.c: names the first vertex whose position or velocity is not finite. */
mus_status mus_world_check_finite(const mus_world *world);

/* assemble.c: the solver for the present objects. */
mus_status mus_world_assemble(mus_world *world);
/* Another one, for the objects as the world's own is assembled for. */
mus_status mus_world_make_solver(mus_world *world, mus_solver *solver);
/* The present state into the assembly's start: positions, velocities, inverse masses, poses. */
mus_status mus_world_gather(mus_world *world);
mus_status mus_world_place_kinematic(void *world, mus_assembly *assembly, double t);
void mus_world_free_backup(mus_world *world);

#endif
