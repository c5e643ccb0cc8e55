/* strain_jung.h: shared by the solvers for Jung's multipliers. */
#ifndef MUS_DYNAMICS_STRAIN_JUNG_H
#define MUS_DYNAMICS_STRAIN_JUNG_H

#include "dynamics/strain_limit.h"

/* Of an edge a, b: its row of J is u at a and -u at b. */
typedef struct mus_jung_constraint {
    v3 u;                                /* direction at the start, 0 where nothing can move */
    double diagonal;                     /* of J M^-1 J^T, 1/kg; > 0 where active */
    double over;                         /* m: overlength along u: the right side */
    double lambda;                       /* unknown, kg m; > 0 contracts the edge */
    double residual, direction, product; /* of conjugate gradients */
} mus_jung_constraint;

typedef struct mus_jung {
    mus_jung_constraint *constraints; /* one per edge */
    int32_t *active;                  /* edges by number, in order */
    int32_t count;
    v3 *sum; /* per vertex */
} mus_jung;

/* Solves for lambda of the active constraints: J M^-1 J^T lambda = over. */
typedef mus_status mus_jung_solve(const mus_strain_limit *limit, const mus_jung *m, const double *inverse_mass);

mus_status mus_jung_ready(mus_strain_limit *limit, int32_t vertex_count);
/* A stage's pass with this solver. */
double mus_jung_pass(mus_strain_limit *limit, const double *inverse_mass, const v3 *x0, v3 *x, mus_moved moved,
                     void *context, mus_jung_solve *multipliers);

#endif
