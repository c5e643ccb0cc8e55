/* incremental_model.h: the cloths' part of the incremental potential whose minimum is a step of implicit Euler (Martin
 * et al. 2011): 1/2 |x - y|^2 in the norm of mass and air drag, y = x0 + dt v0, the impulses of loads, and dt^2 times
 * the energies of cloth and stitches. Contacts are elsewhere.
 *
 * With force memory the elastic force F1 of a step is the mean of that at its end and F0 of the step before: the
 * generalized-alpha method (Chung & Hulbert 1993) of spectral radius 0, whose accelerations are F/m. It is of second
 * order, and damps as little as that: a mode of angular frequency w loses (w dt)^4 / 2 of its amplitude in a step, and
 * stiff ones end at once, as with implicit Euler. Vertices in contact have no memory, so that a step remembers no blow,
 * and what rests does so as with implicit Euler. Equations of vertices with memory are doubled, so that the matrix
 * stays symmetric: 2 m (x - y) = dt^2 (force at the end + F0) + 2 impulses. */
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
    const v3 *former_force;        /* N: F0; borrowed. NULL: no vertex has memory */
    mus_incremental_start *starts; /* of each cloth */
    int32_t cloth_count;
    v3 *target;          /* m: x0 + dt v0 */
    v3 *impulse;         /* kg m: of loads */
    v3 *fall;            /* m: displacement by gravity in a step */
    mus_sym3 *inertia;   /* kg: mass, and air drag */
    bool *is_memoryless; /* of each vertex; NULL without force memory */
    v3 *elastic;         /* kg m: dt^2 times the force at the ends of the last linearization; NULL without memory */
} mus_incremental_model;

/* `fall` has `extra` entries more than cloth vertices. */
mus_status mus_incremental_model_create(mus_incremental_model *model, const mus_assembly *assembly,
                                        bool has_force_memory, int32_t extra);
void mus_incremental_model_free(mus_incremental_model *model);
/* Factor of a vertex' equation. */
static inline double mus_incremental_model_factor(const mus_incremental_model *model, int32_t vertex) {
    return model->former_force && !model->is_memoryless[vertex] ? 2 : 1;
}
/* Starts a step of dt (s) from the velocities v0 of the assembly; `start` and `former_force` must be set. */
void mus_incremental_model_begin(const mus_incremental_cloths *cloths, mus_incremental_model *model,
                                 const mus_environment *environment, double dt);
/* Matrices (kg) and negative gradient (kg m) at x, into `right`. */
void mus_incremental_model_linearize(const mus_incremental_cloths *cloths, const mus_incremental_model *model,
                                     const v3 *x, double dt, int threads, v3 *right);

#endif
