/* warm_start.h: contact forces at the end of a step, by their vertices, and the impulses that start the next step. */
#ifndef MUS_RESPONSE_WARM_START_H
#define MUS_RESPONSE_WARM_START_H

#include "dynamics/dynamics.h"
#include "response/contact_constraints.h"

typedef struct mus_warm_start {
    int32_t vertex[4]; /* of the constraint; of a plane: the vertex, then its object */
    uint8_t edge_edge, plane;
    float normal_force;      /* N along the normal; grows by what a step may add */
    float carried_force;     /* N: all of it in the step, for users' coefficients */
    float contact_load;      /* N of that, friction in proportion: a load to the next step's dynamics */
    float friction_force[3]; /* N on side A */
    float normal[3], weight[4];
} mus_warm_start;
typedef MUS_ARRAY(mus_warm_start) mus_warm_start_list;

/* Hash table of warm starts by their vertices: scratch of mus_warm_starts_apply, which rebuilds it. */
typedef MUS_ARRAY(int32_t) mus_warm_start_table;

/* What is stored. */
typedef enum mus_warm_start_scope {
    MUS_WARM_STARTS_ONLY,       /* no contact loads; in worlds with rigid bodies nothing for constraints of cloth */
    MUS_WARM_STARTS_WITH_LOADS, /* likewise, with contact loads */
    MUS_WARM_STARTS_OF_ALL      /* for all constraints, no contact loads */
} mus_warm_start_scope;

/* Stores the contact forces of a step of length dt (s); call it before previous_dt is updated. A force may at most
 * double in a step, plus the constraint's own mass under the acceleration scale: a lasting load is reached within some
 * steps, and the impulse that stops a fall is not carried over. The contact load grows more slowly. Nothing is stored
 * for constraints of users' rules. */
mus_status mus_warm_starts_store(const mus_assembly *a, const mus_contact_constraint_list *constraints, double dt,
                                 mus_warm_start_scope scope, mus_warm_start_list *warm_starts);
/* Sets the load of each cloth's dynamics to the contact loads of the warm starts (NULL: none). */
void mus_warm_starts_set_contact_loads(const mus_assembly *a, const mus_warm_start_list *warm_starts,
                                       mus_dynamics *const *dynamics);
/* Starts constraints that have a warm start with a share of its normal and friction impulses, reduced where the
 * contact has turned or moved along its features. x1 includes the contact load already; the rest of the impulse moves
 * x1. */
mus_status mus_warm_starts_apply(const mus_assembly *a, const mus_warm_start_list *warm_starts, double dt,
                                 mus_warm_start_table *table, mus_contact_constraint_list *constraints);

/* The same without moving anything: sets the impulses of constraints that have a warm start, as guesses. */
mus_status mus_warm_starts_guess(const mus_assembly *a, const mus_warm_start_list *warm_starts, double dt,
                                 mus_warm_start_table *table, mus_contact_constraint_list *constraints);

/* Normal force (N) of a constraint in the previous step, 0 if it has no warm start. mus_warm_starts_index makes the
 * table, once for many queries. */
mus_status mus_warm_starts_index(const mus_warm_start_list *warm_starts, mus_warm_start_table *table);
double mus_warm_starts_normal_force(const mus_warm_start_list *warm_starts, const mus_warm_start_table *table,
                                    const mus_contact_constraint *constraint);

#endif
