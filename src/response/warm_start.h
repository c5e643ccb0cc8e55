/* warm_start.h: what contacts bore at the end of a step, by their vertices, and what they start the next step with. */
#ifndef MUS_RESPONSE_WARM_START_H
#define MUS_RESPONSE_WARM_START_H

#include "dynamics/dynamics.h"
#include "response/contact_constraints.h"

typedef struct mus_warm_start {
    int32_t vertex[4]; /* of the row; of a plane: the vertex, then its body */
    uint8_t edge_edge, plane;
    float normal_force;      /* N along the normal */
    float contact_load;      /* N of that, and of drag in proportion: what the next step's dynamics has as a load */
    float friction_force[3]; /* N on side A */
    float normal[3], weight[4];
} mus_warm_start;
typedef MUS_ARRAY(mus_warm_start) mus_warm_start_list;

/* Where holds lie, by their vertices: scratch of mus_warm_starts_apply, which makes it anew. */
typedef MUS_ARRAY(int32_t) mus_warm_start_table;

/* What the rows of a step of length dt push, s; before its strides become those that were. A force may at most double
 * in a step and grow by what the row's own mass weighs on earth: what bears a load comes to it within some steps, and
 * what stops a fall is not borne on. Its lean grows more slowly; none unless `leans`.
 * Rows of users' rules leave none, nor do those of cloth where rigid bodies are. */
mus_status mus_warm_starts_store(const mus_assembly *a, const mus_contact_constraint_list *constraints, double dt,
                                 bool with_contact_loads, mus_warm_start_list *warm_starts);
/* What holds (NULL: none) lean on cloth with becomes the load of its dynamics, one a cloth. */
void mus_warm_starts_set_contact_loads(const mus_assembly *a, const mus_warm_start_list *warm_starts,
                                       mus_dynamics *const *dynamics);
/* Rows that had a hold start with a share of it, push and drag, less where the contact has turned or moved along its
 * features: what it leaned with is in x1 already, by the rest x1 moves. */
mus_status mus_warm_starts_apply(const mus_assembly *a, const mus_warm_start_list *warm_starts, double dt,
                                 mus_warm_start_table *table, mus_contact_constraint_list *constraints);

/* N along the normal that a row bore, 0 where there is no hold of it; a look at many asks for the table once. */
mus_status mus_warm_starts_index(const mus_warm_start_list *warm_starts, mus_warm_start_table *table);
double mus_warm_starts_normal_force(const mus_warm_start_list *warm_starts, const mus_warm_start_table *table,
                                    const mus_contact_constraint *constraint);

#endif
