/* strain_limit.h: edges longer than (1 + limit) of their rest length are drawn back (Provot 1995). */
#ifndef MUS_DYNAMICS_STRAIN_LIMIT_H
#define MUS_DYNAMICS_STRAIN_LIMIT_H

#include "base/vec.h"
#include "model/cloth.h"

typedef struct mus_limit_edge {
    int32_t a, b;
    float longest; /* m */
} mus_limit_edge;

typedef struct mus_strain_limit {
    mus_limit_edge *edges; /* by colour: no two neighbours in a run share a vertex */
    int32_t count;
} mus_strain_limit;

/* The edges of a cloth, numbered from `first`, appended to a list. A cloth without a limit adds none. */
mus_status mus_strain_limit_add(mus_strain_limit *limit, const mus_cloth *cloth, int32_t first);
void mus_strain_limit_free(mus_strain_limit *limit);

/* One sweep on positions: ends move along the edge in proportion to their inverse masses, so momentum is kept. Vertices
 * that moved are reported. Returns the largest length met, as a multiple of the longest allowed (1 where none was
 * over). */
typedef void (*mus_moved)(void *context, int32_t vertex);
double mus_strain_limit_sweep(const mus_strain_limit *limit, const double *inverse_mass, v3 *x, mus_moved moved,
                              void *context);

#endif
