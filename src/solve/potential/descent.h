/* descent.h: vertex block descent (Chen et al. 2024): each vertex in turn moves to the minimum of its energy with its
 * neighbors fixed. Vertices of one color share no element, so they move together. Rigid bodies come last, one by one,
 * with all six unknowns at once. */
#ifndef MUS_SOLVE_POTENTIAL_DESCENT_H
#define MUS_SOLVE_POTENTIAL_DESCENT_H

#include "linear/block_matrix.h"
#include "response/ogc.h"
#include "solve/potential/newton_rigid.h"

/* Line searches along a convex energy end where its slope has fallen to this share of that at the start: later rounds
 * correct the rest. 0.05 and 0.2: sweeps of vbd on sphere the same to 3 %. */
#define MUS_SEARCH_SLOPE_SHARE 0.1

typedef MUS_ARRAY(int32_t) mus_index_list;

/* Structure of a set of cloths, and scratch memory; no state. */
typedef struct mus_descent {
    int32_t n, size, color_count; /* cloth vertices; these and rigid bodies */
    int32_t *color_start;         /* color_count + 1, into `order` */
    int32_t *order;               /* n: the cloths' vertices by color, ascending in each */
    int32_t *cloth_of;            /* n: the cloth whose matrix has the vertex's row */
    int32_t *touched;             /* size + 2: start of the contacts of a vertex, or a body, in `contacts` */
    mus_index_list contacts;      /* indices of terms, ascending for each */
    v3 *moved, *before, *earlier; /* n: new positions of a color; the iterates of the last two sweeps */
    v3 *step;                     /* as the unknowns of bodies: zero except for the one that moves */
} mus_descent;

mus_status mus_descent_create(mus_descent *descent, const mus_assembly *a, mus_block_matrix *const *matrix);
void mus_descent_free(mus_descent *descent);

/* The energy to minimize: 1/2 u.A u - u.right (kg m^2, with A and right of cloths and bodies, times dt^2) plus the
 * energies of the contacts at place + u with fixed normals. */
typedef struct mus_descent_problem {
    const mus_assembly *assembly;
    mus_block_matrix *const *matrix;
    const v3 *right, *place;
    mus_ogc_list *terms;
    const mus_newton_rigid_bodies *rigid_bodies;
    double dt, least; /* s; as in newton.h */
    int threads;
} mus_descent_problem;

/* Finds the contacts of each vertex and body; to call whenever the list has changed. */
mus_status mus_descent_contacts(mus_descent *descent, const mus_ogc_list *terms,
                                const mus_newton_rigid_bodies *rigid_bodies);
/* Runs so many sweeps over all vertices and bodies, from u to u (as in newton.h); `trial` (all vertices) is place + u
 * before and after. */
void mus_descent_sweeps(mus_descent *descent, const mus_descent_problem *problem, int32_t sweeps, v3 *u, v3 *trial);

#endif
