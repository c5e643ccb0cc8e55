/* multigrid.h: a preconditioner for block matrices: one cycle of aggregation multigrid (Vanek, Mandel & Brezina 1996,
 * without their smoothing of the aggregates), smoothed by block Gauss-Seidel, forwards on the way down and backwards on
 * the way up, which keeps it symmetric and positive. A V-cycle, or of many rows a W-cycle: the more levels, the more is
 * lost by looking at each but once. The rows of a group move alike on the next level, whose matrix is
 * the sum of the blocks between groups: a matrix that sees differences only makes another. */
#ifndef MUS_DYNAMICS_MULTIGRID_H
#define MUS_DYNAMICS_MULTIGRID_H

#include "dynamics/block_matrix.h"

enum {
    MUS_GRID_DOMAIN = 1024, /* rows of the matrix that one thread sweeps in turn; smaller on the coarser levels */
    MUS_GRID_COARSE_DOMAIN = 256,
    MUS_GRID_COARSEST = 32, /* so many rows are solved directly */
    MUS_GRID_MANY = 4096    /* rows of the matrix from which on coarse levels are visited twice */
};

typedef struct mus_float4 {
    _Alignas(16) float lane[4]; /* x, y, z, 0 */
} mus_float4;

/* Domains of one colour have no blocks between them. Sweeps go by colours, and within a domain by rows: an order that
 * does not depend on the number of threads. */
typedef struct mus_grid_order {
    int32_t domain_rows, domain_count, colour_count;
    int32_t *colour;       /* of each domain */
    int32_t *colour_start; /* colour_count + 1, into `domain` */
    int32_t *domain;       /* domain_count, by colours */
} mus_grid_order;

typedef struct mus_grid_level {
    int32_t n;
    mus_grid_order order;
    /* to the next level; none (NULL) on the last: */
    int32_t *group;        /* n: the row of the next level, -1 where a row has no neighbours */
    int32_t *member_start; /* of the next level's rows, one more than they are */
    int32_t *member;       /* rows by group */
    /* of coarse levels, whose rows list all neighbours, those before them in a sweep first: */
    int32_t *start, *split; /* n + 1, n */
    int32_t *column;        /* start[n] */
    mus_float4 (*block)[3]; /* start[n]: columns of minus the block, which stands on the diagonal too */
    mus_sym3 *own;          /* n: of the diagonal beside that */
    mus_factor3 *factor;    /* n: of the whole diagonal */
    mus_float4 *right;      /* n */
    mus_float4 *sum;        /* n; of a second visit */
    mus_float4 *z;          /* n; of the first level lent */
} mus_grid_level;

typedef struct mus_multigrid {
    int32_t level_count;
    int turns;   /* visits of a level for each of the one before it */
    bool direct; /* the last level is solved by its factor */
    mus_grid_level *levels;
    double *dense, *value; /* of the last level */
} mus_multigrid;

/* From the pattern of the matrix. */
mus_status mus_multigrid_create(mus_multigrid *grid, const mus_block_matrix *m);
void mus_multigrid_free(mus_multigrid *grid);
void mus_multigrid_borrow(mus_multigrid *grid, mus_lender *lender);

/* Takes the values of the matrix, whose factors are known. Rows with free[i] == 0 are held. */
void mus_multigrid_update(mus_multigrid *grid, const mus_block_matrix *m, const double *free, int threads);
/* levels[0].z = what the preconditioner makes of the residual; returns their product. */
double mus_multigrid_apply(mus_multigrid *grid, const mus_block_matrix *m, const double *free, int threads);

#endif
