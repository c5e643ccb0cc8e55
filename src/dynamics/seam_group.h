/* seam_group.h: cloths joined by seams, solved as one system: one matrix for all, of which each member has its rows,
 * and stitch constraints between vertices. */
#ifndef MUS_DYNAMICS_SEAM_GROUP_H
#define MUS_DYNAMICS_SEAM_GROUP_H

#include "dynamics/dynamics.h"
#include "dynamics/momentum.h"
#include "dynamics/strain_limit.h"
#include "model/seam.h"

/* A stitch, by vertex numbers of the group. The vector between its ends is sum weight x. */
typedef struct mus_stitch_constraint {
    int32_t vertex[3];
    int32_t count; /* 2 or 3 */
    double weight[3];
    int32_t pair[3]; /* of vertices 01 02 12 in the matrix */
    const mus_seam *seam;
    int32_t stitch_index;
    int32_t joined;          /* first member of its connected component */
    double length0, length1; /* m: of the stitch at the start and the end of the step */
    double given;            /* kg m: accumulated by projections */
} mus_stitch_constraint;

typedef struct mus_seam_group_member {
    mus_dynamics *dynamics;
    const mus_cloth *cloth;
    int32_t first;         /* matrix row */
    int32_t joined;        /* the first member that it is connected with */
    double previous_dt;    /* s: of the velocities at the start of a step; for `advance_group` */
    mus_momentum momentum; /* used by the first member of a connected component */
} mus_seam_group_member;

typedef struct mus_seam_group {
    int32_t first_cloth, member_count; /* consecutive cloths, some of them possibly without seams */
    int32_t first, n;                  /* vertices, by numbers of the world */
    mus_seam_group_member *members;
    mus_momentum_part *parts; /* member_count: scratch */
    mus_stitch_constraint *stitches;
    int32_t stitch_count;
    mus_block_matrix matrix; /* with general blocks: two stitches may pull a pair in two directions */
    /* borrowed: */
    v3 *force, *change, *guess, *residual_scale;
    v3 *from_x, *from_v, *to; /* of a substep */
    double *free;
    double *inverse_mass;
    void *scratch; /* memory of these arrays; NULL: owned elsewhere */
    double time;   /* s: start of the step in progress */
} mus_seam_group;

/* `dynamics` has one entry per cloth; those of the cloths first .. first + count - 1 become the members. Seams
 * between others are ignored. */
mus_status mus_seam_group_create(mus_dynamics *const *dynamics, mus_cloth *const *cloths, int32_t first, int32_t count,
                                 mus_seam *const *seams, int32_t seam_count, mus_seam_group *group);
void mus_seam_group_free(mus_seam_group *group);
/* As mus_dynamics_borrow for one cloth, for all members. */
void mus_seam_group_borrow(mus_seam_group *group, mus_lender *lender);

/* A step from mus_seam_group_begin's t: by the integrator's `advance_group`, or in substeps. Arrays are those of the
 * group. */
mus_integrator_result mus_seam_group_advance(mus_seam_group *group, const mus_integrator *integrator,
                                             const mus_environment *environment, double dt, const v3 *x0, const v3 *v0,
                                             v3 *x1, v3 *v1);
/* Momentum of connected components without pins: momentum.h, from b->force, then from b->change and the matrix'
 * diagonal. */
void mus_seam_group_begin_momentum(mus_seam_group *group, const v3 *x0, const v3 *v0, int threads);
void mus_seam_group_end_momentum(mus_seam_group *group, const v3 *x0, const v3 *v0, int threads);

/* ---- stitch.c: stitch constraints. mus_seam_group_begin starts a step from t to t + dt and precedes the others. */

void mus_seam_group_begin(mus_seam_group *group, double t, double dt);
/* J: energy that a stitch can release in the step. */
double mus_stitch_energy(const mus_stitch_constraint *stitch, const v3 *x);
/* Implicit form, as in dynamics.h. */
void mus_stitches_linearize(mus_seam_group *group, const v3 *x, const v3 *v, double dt, v3 *right);
/* J, and -gradient (N) with dt^2 times a positive semidefinite second derivative into the matrix: incremental.h. */
double mus_seams_energy(const mus_seam_group *group, const v3 *x); /* J */
double mus_stitches_energy(const mus_seam_group *group, const v3 *start, const v3 *x, double dt);
void mus_stitches_forces(mus_seam_group *group, const v3 *start, const v3 *x, double dt, v3 *force);
/* Starts projections from the ends x1 of a solve, with the tensions of the stitches there. */
void mus_stitches_warm_start(mus_seam_group *group, double dt, const v3 *x1);
/* Projects the stitch constraints on ends x1 onto their equilibrium (compliant, as in position_based.c): one sweep, of
 * a step of dt that began with mus_seam_group_begin; forwards or, if odd, backwards. */
void mus_stitches_project(mus_seam_group *group, const double *inverse_mass, double dt, bool odd, v3 *x1);
/* Marks the vertices that projections move. */
void mus_stitches_mark_moved(const mus_seam_group *group, mus_strain_limit *limit);

#endif
