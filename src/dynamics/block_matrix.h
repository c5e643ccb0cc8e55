/* block_matrix.h: a symmetric sparse matrix of 3x3 blocks on the vertices of a cloth, and its solution by
 * preconditioned conjugate gradients with filtered (prescribed) vertices after Baraff & Witkin 1998. */
#ifndef MUS_DYNAMICS_BLOCK_MATRIX_H
#define MUS_DYNAMICS_BLOCK_MATRIX_H

#include "base/memory.h"
#include "base/vec.h"
#include "muslin.h"

typedef struct mus_sym3 { /* symmetric 3x3 */
    double xx, xy, xz, yy, yz, zz;
} mus_sym3;

static inline v3 mus_sym3_mul(const mus_sym3 *m, v3 a) {
    return v3_make(m->xx * a.x + m->xy * a.y + m->xz * a.z, m->xy * a.x + m->yy * a.y + m->yz * a.z,
                   m->xz * a.x + m->yz * a.y + m->zz * a.z);
}
/* m += s u u^T + t I */
static inline void mus_sym3_add(mus_sym3 *m, double s, v3 u, double t) {
    m->xx += s * u.x * u.x + t;
    m->xy += s * u.x * u.y;
    m->xz += s * u.x * u.z;
    m->yy += s * u.y * u.y + t;
    m->yz += s * u.y * u.z;
    m->zz += s * u.z * u.z + t;
}

/* One value a pair of vertices i < j, read from both rows. Springs and hinges have symmetric blocks; those of membranes
 * are value + [skew]x in the row of i, and transposed in that of j. */
typedef struct mus_block_matrix {
    int32_t n, pair_count;
    int32_t *row_start;                                  /* n + 1 */
    int32_t *column;                                     /* 2 pair_count */
    int32_t *entry_pair;                                 /* 2 pair_count: which value */
    mus_sym3 *value;                                     /* pair_count */
    v3 *skew;                                            /* pair_count; NULL: none */
    mus_sym3 *diagonal;                                  /* n */
    mus_sym3 *inverse;                                   /* n, of the diagonal: the preconditioner */
    v3 *residual, *direction, *preconditioned, *product; /* n each, of the solver */
    double *block_sum;                                   /* of dot products */
} mus_block_matrix;

/* From a list of pairs (2 indices each, any order, repeats allowed). */
mus_status mus_block_matrix_create(mus_block_matrix *m, int32_t n, const int32_t *pairs, int64_t count);
mus_status mus_block_matrix_make_skew(mus_block_matrix *m); /* room for blocks that are not symmetric */
void mus_block_matrix_free(mus_block_matrix *m);
int32_t mus_block_matrix_find(const mus_block_matrix *m, int32_t i, int32_t j); /* which value; -1: none */
void mus_block_matrix_clear(mus_block_matrix *m);
/* Adds a block to the row of a vertex (symmetric), or to a pair: that of the row of the lower vertex if `upper`, else
 * of the higher one. */
void mus_block_matrix_add_diagonal(mus_block_matrix *m, int32_t vertex, const m3 *block);
void mus_block_matrix_add_pair(mus_block_matrix *m, int32_t pair, bool upper, const m3 *block);

v3 mus_block_matrix_row(const mus_block_matrix *m, int32_t i, const v3 *p); /* of the product with p */

typedef struct mus_pcg_result {
    int32_t iterations;
    double residual; /* relative to the scale */
} mus_pcg_result;

/* Solves A x = b from the better of the guesses x and x + a guess, a from a line search. Rows with free[i] == 0 keep
 * their x (guess is taken as 0 there). Stops when the residual, measured by the preconditioner, is below `tolerance`
 * times that of `scale` (n vectors of b's kind: what is small is judged against it), or after `limit` iterations. */
mus_pcg_result mus_block_matrix_solve(mus_block_matrix *m, const double *free, const v3 *b, const v3 *guess,
                                      const v3 *scale, v3 *x, double tolerance, int32_t limit, int threads);

#endif
