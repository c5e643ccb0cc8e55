/* displace.h: displacements of cloth before the first step, and which pair of objects each of them is due to. */
#ifndef MUS_WORLD_OVERLAP_DISPLACE_H
#define MUS_WORLD_OVERLAP_DISPLACE_H

#include "world/world_state.h"

/* What was found between two objects, or in one, and which vertices were displaced because of it. Objects by their
 * place in the view. */
typedef struct mus_displaced_pair {
    int32_t object[2];
    int64_t crossings, inside; /* as found before the first displacement */
    uint8_t *marks;            /* for each cloth vertex, in the given order; NULL: none yet */
} mus_displaced_pair;
typedef struct mus_start_pairs {
    MUS_ARRAY(mus_displaced_pair) list;
    int8_t *outward;   /* for each cloth, 1 or -1: normals times this point to its outer side. NULL: no layers */
    int64_t misplaced; /* vertices of layers on the wrong side; 0 from their first untangling on */
} mus_start_pairs;

/* Returns the entry of two objects, in either order, made if there is none; NULL: no memory. */
mus_displaced_pair *mus_start_pairs_find(mus_start_pairs *pairs, int32_t a, int32_t b);
void mus_start_pairs_free(mus_start_pairs *pairs);

/* Displacements of cloth vertices, collected over a round: a weighted mean for each. */
typedef struct mus_displacements {
    const mus_assembly *assembly;
    v3 *sum;        /* for each cloth vertex, in the given order: m times weight */
    double *weight; /* 0: no displacement */
    mus_start_pairs *pairs;
    uint8_t *marks; /* of the pair in progress; NULL: not recorded */
} mus_displacements;

mus_status mus_displacements_make(const mus_assembly *assembly, mus_start_pairs *pairs, mus_displacements *p);
void mus_displacements_free(mus_displacements *p);
/* What is added from now on is due to objects a and b. */
mus_status mus_displacements_begin_pair(mus_displacements *p, int32_t a, int32_t b);
static inline void mus_displacement_add(mus_displacements *p, int32_t vertex, v3 by, double weight) {
    p->sum[vertex] = v3_axpy(weight, by, p->sum[vertex]);
    p->weight[vertex] += weight;
    if (p->marks) p->marks[vertex] = 1;
}
/* Moves cloth vertices by their displacements, each at most a share of the cloth's mean edge, and clears these. */
void mus_displacements_apply(mus_displacements *p);
/* Limits the strain of edges by moving their neighborhood. Edges that were longer at `start` may stay so. */
void mus_displacements_limit_strain(const mus_displacements *p, const v3 *start);

/* Positions of all cloth vertices, in the given order. */
void mus_start_save_positions(const mus_world *world, v3 *to);
void mus_start_load_positions(const mus_world *world, const v3 *from);

#endif
