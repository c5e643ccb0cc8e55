/* multigrid_sweep.h: what the cycle and the coarse matrices share: a level, and where the blocks of its rows are. */
#ifndef MUS_LINEAR_MULTIGRID_SWEEP_H
#define MUS_LINEAR_MULTIGRID_SWEEP_H

#include "linear/multigrid.h"

#include <emmintrin.h>

enum { MUS_GRID_BLOCK_GROUPS = 64 }; /* rows of the next level, for a CPU thread */

/* Visit of a level. The blocks of its rows are those of `matrix` (the first level of one matrix), or those that the
 * level lists (coarse levels), or both, of a first level of several matrices. */
typedef struct mus_grid_sweep {
    const mus_multigrid *grid;
    const mus_block_matrix *matrix; /* NULL: the level lists its own */
    const mus_grid_level *level;
    const double *free; /* of the rows of `matrix` */
    const int32_t *domains;
    int32_t color;
} mus_grid_sweep;

/* Returns whether a row of the level is not fixed. */
static inline bool mus_grid_row_is_free(const mus_grid_sweep *s, int32_t i) {
    return s->matrix ? s->free[i] > 0 : !s->level->part_of || s->level->factor[i].xx > 0;
}

/* Returns the block matrix that a row of the level has blocks of, and the matrix' first row; NULL: none. */
static inline const mus_block_matrix *mus_grid_matrix_of(const mus_grid_sweep *s, int32_t i, int32_t *first) {
    const mus_grid_level *l = s->level;
    *first = 0;
    if (s->matrix || !l->part_of || l->part_of[i] < 0) return s->matrix;
    *first = l->parts[l->part_of[i]].first;
    return l->parts[l->part_of[i]].matrix;
}

#endif
