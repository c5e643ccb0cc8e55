/* cells.h: cells of a uniform grid, hashed into an open-addressed table by the keys of Bigliani & Eischen (section 3.3,
 * eq. 18-20): K = ix + Nx iz + Nx Nz iy, h = K mod size, quadratic probing. */
#ifndef MUS_BROAD_CELLS_H
#define MUS_BROAD_CELLS_H

#include "broad/broad.h"

/* The cells of a box are numbered from its low corner in cells of `edge`, at most 2^20 + 1 along each axis: wherever
 * the box lies, indices are not negative, and different cells have different keys. */
typedef struct mus_cell_frame {
    double low[3], edge;
    uint64_t across[2]; /* Nx, Nx Nz */
} mus_cell_frame;

/* The frame of a box, with cells of `edge` or, if that were too many, larger ones. */
mus_cell_frame mus_cell_frame_of(const mus_box *box, double edge);

static inline int32_t mus_cell_along(const mus_cell_frame *f, int axis, double x) {
    return (int32_t)floor((x - f->low[axis]) / f->edge);
}
static inline uint64_t mus_cell_key(const mus_cell_frame *f, const int32_t cell[3]) {
    return (uint64_t)cell[0] + f->across[0] * (uint64_t)cell[2] + f->across[1] * (uint64_t)cell[1];
}

/* Occupied cells: lists of items, the last one first. */
typedef struct mus_cell {
    uint64_t key;
    int64_t first; /* in items; -1: the slot is free */
} mus_cell;
typedef struct mus_cell_item {
    int32_t item;
    int64_t next; /* in items; -1: none */
} mus_cell_item;
typedef struct mus_cells {
    mus_cell *slots;
    int64_t size;     /* a prime, at most half occupied: so far quadratic probing is certain to find a free slot */
    int64_t capacity; /* slots allocated */
    MUS_ARRAY(mus_cell_item) items;
} mus_cells;

/* Empties the table and makes room for so many items in cells of their own. False: no memory, or no such prime. */
bool mus_cells_clear(mus_cells *cells, int64_t items);
void mus_cells_free(mus_cells *cells);
/* Returns the slot of a key, or the free one where it would go. */
mus_cell *mus_cells_find(const mus_cells *cells, uint64_t key);
/* Adds an item to a slot. There must be room. */
void mus_cells_add(mus_cells *cells, mus_cell *slot, uint64_t key, int32_t item);

#endif
