/* multigrid.h: a preconditioner for block matrices: one V-cycle of aggregation multigrid (Vanek, Mandel & Brezina
 * 1996), smoothed by block Gauss-Seidel, forwards on the way down and backwards on the way up, which keeps it symmetric
 * and positive. In a small matrix the rows of a group move alike on the next level, whose matrix is the sum of the
 * blocks between groups. In one of many rows, each moves by the mean of the groups of its neighbors and its own, nearly
 * linearly between groups, and the next matrix is the Galerkin product: to the bending of a fine mesh, a difference of
 * differences, steps between groups would be far too stiff. If a matrix depends on differences only, so does the next.
 */
#ifndef MUS_LINEAR_MULTIGRID_H
#define MUS_LINEAR_MULTIGRID_H

#include "linear/block_matrix.h"

enum {
    MUS_GRID_DOMAIN = 1024, /* least number of matrix rows that one CPU thread sweeps; fewer on coarser levels */
    MUS_GRID_COARSE_DOMAIN = 256,
    MUS_GRID_DOMAINS = 32,  /* at most: values of other domains that a domain's border needs have left the cache */
    MUS_GRID_COARSEST = 32, /* at most this many rows are not grouped further, and solved directly */
    MUS_GRID_DIRECT = 64,   /* the same where grouping no longer reduces the size, as for a stack of cloths */
    MUS_GRID_MANY = 4096,   /* matrix rows from which on linear shares cost less than the iterations they save */
    MUS_GRID_KEPT = 65536,  /* rows below which a second level keeps what matrices contribute: 140 bytes for each row */
    MUS_GRID_SHARES = 3,    /* at most this many groups move a row by linear interpolation */
    MUS_GRID_RUN = 64       /* rows whose shares lie in one span */
};

typedef struct mus_float4 {
    _Alignas(16) float lane[4]; /* x, y, z, 0 */
} mus_float4;

/* Domains of one color have no blocks between them. Sweeps proceed by colors, and within a domain by rows: an order
 * that does not depend on the number of CPU threads. */
typedef struct mus_grid_order {
    int32_t shift; /* a domain has 1 << shift rows */
    int32_t domain_count, color_count;
    int32_t *color;       /* of each domain */
    int32_t *color_start; /* color_count + 1, into `domain` */
    int32_t *domain;      /* domain_count, by colors */
    int32_t *seen;        /* domain_count: scratch */
} mus_grid_order;

/* Whether row j comes before row i in a sweep. */
static inline bool mus_grid_is_before(const mus_grid_order *o, int32_t j, int32_t i) {
    int32_t of_j = j >> o->shift, of_i = i >> o->shift;
    return of_j == of_i ? j < i : o->color[of_j] < o->color[of_i];
}

typedef struct mus_grid_share {
    int32_t row;
    float weight;
} mus_grid_share;

/* Rows [lo, hi) of the next level. */
typedef struct mus_grid_span {
    int32_t lo, hi;
} mus_grid_span;

/* Rows of a first level of several matrices, from `first` on, that have the blocks of a matrix. */
typedef struct mus_grid_part {
    const mus_block_matrix *matrix;
    int32_t first;
} mus_grid_part;

/* A block between two rows: columns of minus the block, which is part of the row's diagonal, too. */
typedef struct mus_grid_entry {
    mus_float4 block[3];
    int32_t row, column;
} mus_grid_entry;

typedef struct mus_grid_level {
    int32_t n;
    mus_grid_order order;
    /* to the next level; none (NULL) on the last: */
    int32_t *to_start;    /* n + 1 */
    mus_grid_share *to;   /* of each row: the next level's rows whose mean it moves by; none without neighbors */
    int32_t *from_start;  /* the next level's row count + 1 */
    mus_grid_share *from; /* the same by rows of the next level */
    mus_grid_span *spans; /* of shares, for each MUS_GRID_RUN rows; NULL if groups move alike */
    mus_float4 *left;     /* n: residual after the sweep down; borrowed on the first level */
    /* of a first level of several matrices: */
    mus_grid_part *parts;
    int32_t *part_of; /* n: into `parts`; -1: none */
    /* of coarse levels, whose rows list all neighbors, those before them in a sweep first; of a first level of several
     * matrices the neighbors that those do not give: */
    int32_t *start, *split;            /* n + 1, n */
    int32_t *column;                   /* start[n] */
    int32_t entry_capacity;            /* of `column` and `block` */
    int32_t *base_start, *base_column; /* of coarse levels below several matrices: the lists at creation */
    mus_float4 (*block)[3]; /* start[n]: columns of minus the block; the block is part of the diagonal, too */
    mus_sym3 *own;          /* n: the rest of the diagonal */
    mus_factor3 *factor;    /* n: of the whole diagonal */
    mus_float4 *right;      /* n */
    mus_float4 *z;          /* n; borrowed on the first level */
    /* of a second level below several matrices: what these contribute to `block` and `own` */
    mus_float4 (*matrix_block)[3];
    mus_sym3 *matrix_own;
    bool has_matrix_values; /* they are those of the present matrices and pattern */
} mus_grid_level;

typedef struct mus_multigrid {
    int32_t level_count;
    bool linear;    /* interpolation between groups is linear */
    bool direct;    /* the last level is solved by factorization */
    bool joins;     /* the first level is of several matrices */
    int32_t single; /* the last rows of each level, which are not grouped */
    mus_grid_level *levels;
    double *dense, *value; /* of the last level */
    int32_t *seen;         /* first level's row count: scratch */
} mus_multigrid;

/* From the pattern of the matrix. */
mus_status mus_multigrid_create(mus_multigrid *grid, const mus_block_matrix *m);
void mus_multigrid_free(mus_multigrid *grid);
void mus_multigrid_borrow(mus_multigrid *grid, mus_lender *lender);

/* Updates the values of coarse levels from the matrix, whose factors are known. Rows with free[i] == 0 are fixed. Of a
 * grid of several matrices m and free are NULL: from the matrices, `own`, the entries and `factor` of the first level,
 * which is zero for fixed rows; these have no entries. */
void mus_multigrid_update(mus_multigrid *grid, const mus_block_matrix *m, const double *free, int threads);
/* levels[0].z = preconditioner times the residual; returns their dot product. */
double mus_multigrid_apply(mus_multigrid *grid, const mus_block_matrix *m, const double *free, int threads);

/* ---- a grid of several matrices with couplings between them (coupled_matrix.h) ----
 *
 * The rows of the first level have the blocks of the matrix that they are part of, and those listed between any rows.
 * The pattern, column[start[i]] up to column[start[i + 1]] of row i without i, has all neighbors of a row, each once.
 * Groups follow from the pattern at creation, and stay; the last `single` rows are groups of their own. */
mus_status mus_multigrid_create_joined(mus_multigrid *grid, int32_t n, int32_t single, const int32_t *start,
                                       const int32_t *column, const mus_grid_part *parts, int32_t part_count);
/* Replaces the pattern: the order of the first level, and coarse levels. It has all neighbors of that at creation, in
 * each row first, whose numbers `base_start` gives. Entries and values are lost. */
mus_status mus_multigrid_set_pattern(mus_multigrid *grid, const int32_t *start, const int32_t *column,
                                     const int32_t *base_start);
/* Room for entries of the first level, whose present ones are lost. */
mus_status mus_multigrid_reserve_entries(mus_multigrid *grid, int64_t count);
/* Replaces the entries of the first level, for which there must be room; several of the same rows add up. First
 * start[i + 1] is the number of entries of row i, and split[i] that of those before it in a sweep; then, after
 * mus_grid_begin_entries, mus_grid_place_entry returns where the block of the row's next entry is to be stored. Rows
 * are independent. */
void mus_grid_begin_entries(mus_multigrid *grid);
int32_t mus_grid_place_entry(mus_multigrid *grid, int32_t row, int32_t column);
/* To be called when the matrices have changed: their contribution to the second level is kept until then. */
void mus_multigrid_forget_matrices(mus_multigrid *grid);
/* Returns the diagonal of a row that is not of a matrix: `own` and the entries. */
mus_sym3 mus_grid_listed_diagonal(const mus_grid_level *level, int64_t row);
/* levels[0].z = preconditioner times levels[0].right. */
void mus_multigrid_apply_rows(mus_multigrid *grid, int threads);

#endif
