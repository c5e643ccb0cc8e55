/* block_matrix.h: a symmetric sparse matrix of 3x3 blocks on the vertices of a cloth, and its solution by
 * preconditioned conjugate gradients with filtered (prescribed) vertices after Baraff & Witkin 1998. */
#ifndef MUS_LINEAR_BLOCK_MATRIX_H
#define MUS_LINEAR_BLOCK_MATRIX_H

#include "base/memory.h"
#include "linear/sym3.h"
#include "muslin/status.h"

/* Coupling of two vertices: stiffness along a direction and isotropic stiffness, w w^T + t I. It is added on the
 * diagonals of both and subtracted between them: such a matrix depends on differences only, and rounding here adds no
 * stiffness to a motion that all vertices share. */
typedef struct mus_pair_block {
    float w[3], t;
} mus_pair_block;

/* block += s u u^T + t I, s >= 0. All u of a pair are equal up to sign. */
static inline void mus_pair_block_add(mus_pair_block *block, double s, v3 u, double t) {
    double x = block->w[0], y = block->w[1], z = block->w[2], length = sqrt(x * x + y * y + z * z + s);
    block->w[0] = (float)(length * u.x), block->w[1] = (float)(length * u.y), block->w[2] = (float)(length * u.z);
    block->t += (float)t;
}

/* A block between a pair of vertices i < j: even + [odd]x in the row of i, transposed in that of j; the diagonals of
 * both have it negative. */
typedef struct mus_general_block {
    mus_sym3 even;
    v3 odd;
} mus_general_block;

/* A vertex of a pair and the pair's number. */
typedef struct mus_lower_entry {
    int32_t vertex, pair;
} mus_lower_entry;

/* Pairs are numbered by their lower vertex, then by the higher: row i has the pairs upper_start[i] up to
 * upper_start[i + 1] to higher vertices, and those listed in `lower` to lower ones. */
typedef struct mus_block_matrix {
    int32_t n, pair_count;
    int32_t first;              /* of a view: index of its first row in `higher` */
    int32_t *upper_start;       /* n + 1 */
    int32_t *higher;            /* pair_count */
    int32_t *lower_start;       /* n + 1 */
    mus_lower_entry *lower;     /* pair_count */
    mus_general_block *general; /* pair_count, added to `pair` (membranes); NULL: none */
    double *block_sum;          /* of dot products */
    struct mus_multigrid *grid; /* the preconditioner */
    /* borrowed for the time of a solution: */
    mus_pair_block *pair;               /* pair_count */
    mus_sym3 *diagonal;                 /* n: of each vertex, without the share of pairs */
    mus_factor3 *factor;                /* n, of the whole diagonal */
    v3 *residual, *direction, *product; /* n each, of the solver */
    void *scratch;                      /* memory of these arrays; NULL: owned elsewhere */
} mus_block_matrix;

/* From a list of pairs (2 indices each, any order, repeats allowed). */
mus_status mus_block_matrix_create(mus_block_matrix *m, int32_t n, const int32_t *pairs, int64_t count);
mus_status mus_block_matrix_make_general(mus_block_matrix *m); /* room for general blocks */
void mus_block_matrix_free(mus_block_matrix *m);
/* From now on works in the lender's memory, which others may use between solutions. */
void mus_block_matrix_borrow(mus_block_matrix *m, mus_lender *lender);
/* The rows from `first` on as a matrix for assembly: pairs are numbered as in `whole`, and `m` owns nothing. The view
 * must be made again after the whole has borrowed memory. */
mus_block_matrix mus_block_matrix_view(const mus_block_matrix *whole, int32_t first, int32_t n);
void mus_block_matrix_clear(mus_block_matrix *m, int threads);
/* Clears the diagonal of the rows [begin, end), and their pairs with higher ones. */
void mus_block_matrix_clear_rows(mus_block_matrix *m, int32_t begin, int32_t end);
/* Adds the same symmetric block, `share` of b, between two vertices of a matrix with general blocks, and subtracts it
 * from both diagonals. */
void mus_block_matrix_add_even(mus_block_matrix *m, int32_t pair, double share, const mus_sym3 *b);
/* Adds a general block to a pair: that of the row of the lower vertex if `upper`, else of the higher one. */
void mus_block_matrix_add_pair(mus_block_matrix *m, int32_t pair, bool upper, const m3 *block);

v3 mus_block_matrix_row(const mus_block_matrix *m, int32_t i, const v3 *p); /* of the product with p */
void mus_block_matrix_multiply(const mus_block_matrix *m, const v3 *p, v3 *out, int threads); /* out = A p */
mus_sym3 mus_block_matrix_diagonal(const mus_block_matrix *m, int64_t i); /* with the pairs' share */

/* Index of the pair of two vertices in the row of the lower one, in a byte: 255 for 255 and beyond. The matrix must
 * have the pair. */
uint8_t mus_block_matrix_place(const mus_block_matrix *m, int32_t i, int32_t j);
int32_t mus_block_matrix_far_pair(const mus_block_matrix *m, int32_t low, int32_t high);
/* Number of the pair with a known index in its row. */
static inline int32_t mus_block_matrix_pair(const mus_block_matrix *m, int32_t i, int32_t j, uint8_t place) {
    int32_t low = i < j ? i : j;
    if (place < 255) return m->upper_start[low] + place;
    return mus_block_matrix_far_pair(m, low, i < j ? j : i);
}

typedef struct mus_pcg_result {
    int32_t iterations;
    double residual; /* relative to the scale */
} mus_pcg_result;

/* Solves A x = b from the better of the guesses x and x + a guess, a from a line search. Rows with free[i] == 0 keep
 * their x (guess is taken as 0 there). Stops when the residual, measured by the inverse of the diagonal, is below
 * `tolerance` times that of `scale` (n vectors in the unit of b, a reference magnitude) and b, or after `limit`
 * iterations. */
mus_pcg_result mus_block_matrix_solve(mus_block_matrix *m, const double *free, const v3 *b, const v3 *guess,
                                      const v3 *scale, v3 *x, double tolerance, int32_t limit, int threads);

#endif
