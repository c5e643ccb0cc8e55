/* holds.h: what contacts bore at the end of a step, by their vertices, and what they start the next step with. */
#ifndef MUS_RESPONSE_HOLDS_H
#define MUS_RESPONSE_HOLDS_H

#include "dynamics/dynamics.h"
#include "response/rows.h"

typedef struct mus_hold {
    int32_t vertex[4]; /* of the row; of a plane: the vertex, then its body */
    uint8_t edge_edge, plane;
    float push;    /* N along the normal */
    float lean;    /* N of that, and of drag in proportion: what the next step's dynamics has as a load */
    float drag[3]; /* N on side A */
    float normal[3], weight[4];
} mus_hold;
typedef MUS_ARRAY(mus_hold) mus_hold_list;

/* Where holds lie, by their vertices: scratch of mus_holds_apply, which makes it anew. */
typedef MUS_ARRAY(int32_t) mus_hold_table;

/* What the rows of a step of length dt push, s; before its strides become those that were. A force may at most double
 * in a step and grow by what the row's own mass weighs on earth: what bears a load comes to it within some steps, and
 * what stops a fall is not borne on. Its lean grows more slowly; none unless `leans`.
 * Rows of users' rules leave none, nor do those of cloth where rigid bodies are. */
mus_status mus_holds_keep(const mus_assembly *a, const mus_row_list *rows, double dt, bool leans, mus_hold_list *holds);
/* What holds (NULL: none) lean on cloth with becomes the load of its dynamics, one a cloth. */
void mus_holds_lean(const mus_assembly *a, const mus_hold_list *holds, mus_dynamics *const *dynamics);
/* Rows that had a hold start with a share of it, push and drag, less where the contact has turned or moved along its
 * features: what it leaned with is in x1 already, by the rest x1 moves. */
mus_status mus_holds_apply(const mus_assembly *a, const mus_hold_list *holds, double dt, mus_hold_table *table,
                           mus_row_list *rows);

/* N along the normal that a row bore, 0 where there is no hold of it; a look at many asks for the table once. */
mus_status mus_holds_list(const mus_hold_list *holds, mus_hold_table *table);
double mus_holds_load(const mus_hold_list *holds, const mus_hold_table *table, const mus_row *row);

#endif
