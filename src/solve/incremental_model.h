/* incremental_model.h: the cloths' part of the incremental potential whose minimum is a step of implicit Euler (Martin
 * et al. 2011): 1/2 |x - y|^2 in the norm of mass and air drag, y = x0 + dt v0, the impulses of loads, and dt^2 times
 * the energies of cloth and stitches. Contacts are elsewhere. */
#ifndef MUS_SOLVE_INCREMENTAL_MODEL_H
#define MUS_SOLVE_INCREMENTAL_MODEL_H

#include "dynamics/incremental.h"
#include "dynamics/seam_group.h"
#include "model/assembly.h"

/* The cloths of a step and what their equations are assembled in. */
typedef struct mus_incremental_cloths {
    mus_assembly *assembly;
    mus_dynamics *const *dynamics;     /* of each cloth; its matrix is a view of the group's where cloths are sewn */
    mus_block_matrix *const *matrices; /* of each cloth; NULL: part of another's */
    mus_seam_group *seam_groups;
    int32_t seam_group_count;
} mus_incremental_cloths;

/* Fixed for the step, of cloth vertices. */
typedef struct mus_incremental_model {
    const v3 *start;               /* m: x0; borrowed */
    mus_incremental_start *starts; /* of each cloth */
    int32_t cloth_count;
    v3 *target;        /* m: x0 + dt v0 */
    v3 *impulse;       /* kg m: of loads */
    v3 *fall;          /* m: displacement by gravity in a step */
    mus_sym3 *inertia; /* kg: mass, and air drag */
} mus_incremental_model;

/* `fall` has `extra` entries more than cloth vertices. */
mus_status mus_incremental_model_create(mus_incremental_model *model, const mus_assembly *assembly, int32_t extra);
void mus_incremental_model_free(mus_incremental_model *model);
/* Starts a step of dt (s) from the velocities v0 of the assembly; `start` must be set. */
void mus_incremental_model_begin(const mus_incremental_cloths *cloths, mus_incremental_model *model,
                                 const mus_environment *environment, double dt);
/* Matrices (kg) and negative gradient (kg m) at x, into `right`. */
void mus_incremental_model_linearize(const mus_incremental_cloths *cloths, const mus_incremental_model *model,
                                     const v3 *x, double dt, int threads, v3 *right);

#endif
