/* descent.h: vertex block descent (Chen et al. 2024): every vertex in turn goes to the minimum of what it feels while
 * its neighbours stand. Vertices of one colour share no element, so they move together. Rigid bodies come last, one by
 * one, all six unknowns of each at once. */
#ifndef MUS_SOLVE_POTENTIAL_DESCENT_H
#define MUS_SOLVE_POTENTIAL_DESCENT_H

#include "linear/block_matrix.h"
#include "response/ogc.h"
#include "solve/potential/newton_rigid.h"

typedef MUS_ARRAY(int32_t) mus_index_list;

/* Structure of a set of cloths, and scratch; no state. */
typedef struct mus_descent {
    int32_t n, size, color_count; /* cloth vertices; these and rigid bodies */
    int32_t *color_start;         /* color_count + 1, into `order` */
    int32_t *order;               /* n: the cloths' vertices by colour, ascending in each */
    int32_t *cloth_of;            /* n: whose matrix has the vertex' row */
    int32_t *touched;             /* size + 2: where the contacts of a vertex, or a body, begin in `contacts` */
    mus_index_list contacts;      /* numbers of terms, ascending for each */
    v3 *moved, *before, *earlier; /* n: a colour's new places; the iterates of the last two sweeps */
    v3 *step;                     /* as bodies' unknowns: zero but for the one that moves */
} mus_descent;

mus_status mus_descent_create(mus_descent *descent, const mus_assembly *a, mus_block_matrix *const *matrix);
void mus_descent_free(mus_descent *descent);

/* What is descended: 1/2 u.A u - u.right (kg m^2, A and right those of cloths and bodies, times dt^2) and the energies
 * of the contacts at place + u, whose normals stay. */
typedef struct mus_descent_problem {
    const mus_assembly *assembly;
    mus_block_matrix *const *matrix;
    const v3 *right, *place;
    mus_ogc_list *terms;
    const mus_newton_rigid_bodies *rigid_bodies;
    double dt, least; /* s; of the contacts' law */
    int threads;
} mus_descent_problem;

/* Looks up which contacts each vertex and body has a part in: whenever the list has changed. */
mus_status mus_descent_contacts(mus_descent *descent, const mus_ogc_list *terms,
                                const mus_newton_rigid_bodies *rigid_bodies);
/* So many sweeps over all vertices and bodies, from u to u (as in newton.h); `trial` (all vertices) is place + u before
 * and after. */
void mus_descent_sweeps(mus_descent *descent, const mus_descent_problem *problem, int32_t sweeps, v3 *u, v3 *trial);

#endif
