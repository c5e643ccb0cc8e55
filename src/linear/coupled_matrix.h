/* coupled_matrix.h: several block matrices with couplings between their rows, such as contacts: the pattern and the
 * values of a multigrid preconditioner of the whole. The matrices' own rows come first, one after the other, then two
 * rows for each rigid body: translation and rotation. */
#ifndef MUS_LINEAR_COUPLED_MATRIX_H
#define MUS_LINEAR_COUPLED_MATRIX_H

#include "linear/block_matrix.h"
#include "linear/multigrid.h"
#include "linear/row_terms.h"

enum { MUS_STIFFNESS_TERM_ROWS = 8 };

/* A stiffness K along the vector sum over its rows of J x: adds J_i^T K J_j between all of them. J is weight I plus the
 * cross product with `arm`: J x = weight x + x cross arm. */
typedef struct mus_stiffness_term {
    int32_t count, row[MUS_STIFFNESS_TERM_ROWS];
    double weight[MUS_STIFFNESS_TERM_ROWS];
    v3 arm[MUS_STIFFNESS_TERM_ROWS];
    mus_sym3 stiffness;
} mus_stiffness_term;

/* The same without arms, of few rows: kept one by one, and added up by rows on all CPU threads. */
enum { MUS_WEIGHTED_TERM_ROWS = 4 };
typedef struct mus_weighted_term {
    int32_t count, row[MUS_WEIGHTED_TERM_ROWS]; /* count 0: does not act */
    uint32_t order; /* by mus_coupled_matrix_set_order: bit 4 i + j is set if row j is before row i in a sweep */
    double weight[MUS_WEIGHTED_TERM_ROWS];
    mus_sym3 stiffness;
} mus_weighted_term;

typedef struct mus_coupled_matrix {
    int32_t n, single; /* rows; those of rigid bodies among them */
    mus_multigrid grid;
    MUS_ARRAY(mus_grid_entry) entries; /* of terms */
    MUS_ARRAY(mus_weighted_term) weighted;
    const mus_row_terms *rows;         /* of the weighted terms; borrowed */
    int32_t *base_start, *base_column; /* the pattern without couplings */
    MUS_ARRAY(int32_t) pairs;          /* of couplings: 2 rows each */
    int32_t *start;                    /* n + 1: of the pattern with couplings, scratch */
    MUS_ARRAY(int32_t) column;
    int32_t *seen;      /* n: scratch */
    mus_sym3 *diagonal; /* n: of the matrices, when they were read last */
    double *block_sum;  /* scratch of sums over rows */
    bool has_values;    /* mus_coupled_matrix_end came after the last change of the pattern or of its memory */
} mus_coupled_matrix;

/* `matrices`: those of `count` parts, part k having the rows from first[k] on; NULL: rows of another part's matrix.
 * They must stay where they are. `edges`: further pairs of rows (2 each) that are always neighbors. */
mus_status mus_coupled_matrix_create(mus_coupled_matrix *m, int32_t n, int32_t single,
                                     mus_block_matrix *const *matrices, const int32_t *first, int32_t count,
                                     const int32_t *edges, int64_t edge_count);
void mus_coupled_matrix_free(mus_coupled_matrix *m);

/* The pattern of a solve: mus_coupled_matrix_begin_pattern, the rows of each coupling that may act, then
 * mus_coupled_matrix_end_pattern. */
void mus_coupled_matrix_begin_pattern(mus_coupled_matrix *m);
mus_status mus_coupled_matrix_add_pattern(mus_coupled_matrix *m, const mus_stiffness_term *term);
mus_status mus_coupled_matrix_end_pattern(mus_coupled_matrix *m);

/* Memory for the values of a solve: for the terms of the pattern, and for those of `edge_count` edges. Present values
 * are lost if there is no room. `rows`: of weighted terms, which do not act at first; borrowed. NULL: there are none.
 */
mus_status mus_coupled_matrix_reserve(mus_coupled_matrix *m, int64_t edge_count, const mus_row_terms *rows);
/* Reads the matrices. To be called whenever these have changed, before the values are set. `keeps_coarse`: they have
 * changed little; in a grid of many rows coarse levels keep what the matrices contributed before, if that is known. */
void mus_coupled_matrix_read(mus_coupled_matrix *m, bool keeps_coarse, int threads);
/* Values: mus_coupled_matrix_begin clears those of terms; blocks and the terms that act are added, and the weighted
 * ones set; mus_coupled_matrix_end completes the preconditioner, with the present values of the matrices, which are
 * read again when it is applied. Rows of matrices with free[i] == 0 are fixed, and must not be in terms. */
void mus_coupled_matrix_begin(mus_coupled_matrix *m, int threads);
void mus_coupled_matrix_set_order(const mus_coupled_matrix *m, mus_weighted_term *term); /* when its rows are set */
void mus_coupled_matrix_add_block(mus_coupled_matrix *m, int32_t row, const mus_sym3 *block);
void mus_coupled_matrix_add_term(mus_coupled_matrix *m, const mus_stiffness_term *term);
void mus_coupled_matrix_end(mus_coupled_matrix *m, const double *free, int threads);

/* z = preconditioner times r; returns their dot product. */
double mus_coupled_matrix_precondition(mus_coupled_matrix *m, const v3 *r, v3 *z, int threads);

#endif
