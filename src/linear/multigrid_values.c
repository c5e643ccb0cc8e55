/* multigrid_values.c: the coarse matrices of a step. */
#include "base/parallel.h"
#include "linear/multigrid_sweep.h"

#include <string.h>

typedef mus_grid_sweep sweep;

#define FN static inline __attribute__((always_inline))

static mus_sym3 symmetric_part(const mus_float4 b[3]) {
    const float *x = b[0].lane, *y = b[1].lane, *z = b[2].lane;
    return (mus_sym3){x[0], 0.5 * ((double)x[1] + y[0]), 0.5 * ((double)x[2] + z[0]),
                      y[1], 0.5 * ((double)y[2] + z[1]), z[2]};
}

static int32_t entry_of(const mus_grid_level *l, int32_t row, int32_t column) {
    int32_t k = l->start[row];
    while (l->column[k] != column) k++;
    return k;
}

/* Columns of minus a block. */
typedef struct columns {
    __m128 of[3];
} columns;

FN columns columns_of(const mus_sym3 *b, v3 odd) {
    float xx = (float)b->xx, yy = (float)b->yy, zz = (float)b->zz;
    return (columns){{_mm_setr_ps(xx, (float)(b->xy + odd.z), (float)(b->xz - odd.y), 0),
                      _mm_setr_ps((float)(b->xy - odd.z), yy, (float)(b->yz + odd.x), 0),
                      _mm_setr_ps((float)(b->xz + odd.y), (float)(b->yz - odd.x), zz, 0)}};
}

/* Minus the block of a pair, in the row of its higher vertex or its lower one. */
FN mus_sym3 pair_block(const mus_block_matrix *m, int32_t pair, bool higher, columns *as_columns) {
    const mus_pair_block *p = &m->pair[pair];
    mus_sym3 block = {0};
    v3 odd = v3_make(0, 0, 0);
    mus_sym3_add(&block, 1, v3_make(p->w[0], p->w[1], p->w[2]), p->t);
    if (m->general) {
        const mus_sym3 *even = &m->general[pair].even;
        block.xx -= even->xx, block.xy -= even->xy, block.xz -= even->xz;
        block.yy -= even->yy, block.yz -= even->yz, block.zz -= even->zz;
        odd = v3_scale(higher ? 1 : -1, m->general[pair].odd);
    }
    *as_columns = columns_of(&block, odd);
    return block;
}

FN void add_columns(mus_float4 to[3], __m128 times, const columns *b) {
    for (int c = 0; c < 3; c++)
        _mm_store_ps(to[c].lane, _mm_add_ps(_mm_load_ps(to[c].lane), _mm_mul_ps(times, b->of[c])));
}

/* Values of a level's rows: its own or, of a second level, what the matrices contribute to them. */
typedef struct row_values {
    mus_float4 (*block)[3];
    mus_sym3 *own;
} row_values;

static void clear_rows(const mus_grid_level *l, const row_values *to, int64_t begin, int64_t end) {
    memset(to->own + begin, 0, sizeof *to->own * (size_t)(end - begin));
    memset(to->block[l->start[begin]], 0, sizeof *to->block * (size_t)(l->start[end] - l->start[begin]));
}

static void copy_rows(const mus_grid_level *l, const row_values *from, int64_t begin, int64_t end) {
    int32_t first = l->start[begin];
    memcpy(l->own + begin, from->own + begin, sizeof *l->own * (size_t)(end - begin));
    memcpy(l->block[first], from->block[first], sizeof *l->block * (size_t)(l->start[end] - first));
}

mus_sym3 mus_grid_listed_diagonal(const mus_grid_level *l, int64_t i) {
    mus_sym3 whole = l->own[i];
    for (int32_t k = l->start[i]; k < l->start[i + 1]; k++) {
        mus_sym3 outside = symmetric_part(l->block[k]);
        mus_sym3_accumulate(&whole, &outside);
    }
    return whole;
}

static void factor_row(const mus_grid_level *l, int64_t i) {
    mus_sym3 whole = mus_grid_listed_diagonal(l, i);
    l->factor[i] = mus_factor3_of(&whole);
}

FN columns columns_at(const mus_float4 from[3]) {
    return (columns){{_mm_load_ps(from[0].lane), _mm_load_ps(from[1].lane), _mm_load_ps(from[2].lane)}};
}

/* Returns whether the next level moves a row. It does not where a row had no neighbor when groups were made, as the
 * last group of a small cloth; contacts couple such a row with others, to which it is as fixed. */
FN bool moves_on_next(const mus_grid_level *l, int32_t i) {
    return l->to_start[i] < l->to_start[i + 1];
}

/* ---- coarse matrix of groups that move alike ---- */

/* Adds the block of a neighbor of a vertex in row a of the next level. A fixed neighbor does not move: its block is
 * part of the row's own. */
FN void add_neighbor(const sweep *s, const mus_block_matrix *m, const row_values *to, int32_t a, int32_t j,
                     int32_t pair, bool higher) {
    const mus_grid_level *l = s->level, *next = l + 1;
    bool is_fixed = !mus_grid_row_is_free(s, j);
    int32_t b = l->to[l->to_start[j]].row;
    if (b == a && !is_fixed) return; /* moves alike: no contribution */
    columns block;
    mus_sym3 even = pair_block(m, pair, higher, &block);
    if (is_fixed)
        mus_sym3_accumulate(&to->own[a], &even);
    else
        add_columns(to->block[entry_of(next, a, b)], _mm_set1_ps(1), &block);
}

/* Blocks of row i of a matrix, whose first row is the level's row `first`. */
FN void add_matrix_row(const sweep *s, const mus_block_matrix *m, const row_values *to, int32_t first, int32_t a,
                       int32_t i) {
    mus_sym3_accumulate(&to->own[a], &m->diagonal[i]);
    for (int32_t k = m->lower_start[i]; k < m->lower_start[i + 1]; k++)
        add_neighbor(s, m, to, a, first + m->lower[k].vertex, m->lower[k].pair, true);
    for (int32_t k = m->upper_start[i]; k < m->upper_start[i + 1]; k++)
        add_neighbor(s, m, to, a, first + m->higher[k], k, false);
}

static void add_listed_row(const sweep *s, int32_t a, int32_t i) {
    const mus_grid_level *l = s->level, *next = l + 1;
    mus_sym3_accumulate(&next->own[a], &l->own[i]);
    for (int32_t k = l->start[i]; k < l->start[i + 1]; k++) {
        int32_t j = l->column[k];
        if (!moves_on_next(l, j)) {
            mus_sym3 even = symmetric_part(l->block[k]);
            mus_sym3_accumulate(&next->own[a], &even);
            continue;
        }
        int32_t b = l->to[l->to_start[j]].row;
        if (b == a) continue;
        columns block = columns_at(l->block[k]);
        add_columns(next->block[entry_of(next, a, b)], _mm_set1_ps(1), &block);
    }
}

static void gather_matrices(const sweep *s, const row_values *to, int64_t begin, int64_t end) {
    const mus_grid_level *l = s->level;
    clear_rows(l + 1, to, begin, end);
    for (int32_t a = (int32_t)begin; a < end; a++)
        for (int32_t k = l->from_start[a]; k < l->from_start[a + 1]; k++) {
            int32_t i = l->from[k].row, first;
            const mus_block_matrix *m = mus_grid_row_is_free(s, i) ? mus_grid_matrix_of(s, i, &first) : NULL;
            if (m) add_matrix_row(s, m, to, first, a, i - first);
        }
}

/* The matrices' contribution is kept: of a linearization two or more preconditioners are built, which differ in what
 * contacts and edges add. This and the diagonals read once save 10 % of the time of pile. */
static void gather_alike(void *context, int64_t begin, int64_t end, int64_t block) {
    const sweep *s = context;
    const mus_grid_level *l = s->level, *next = l + 1;
    row_values values = {next->block, next->own}, kept = {next->matrix_block, next->matrix_own};
    (void)block;
    if (!kept.own) gather_matrices(s, &values, begin, end);
    if (kept.own && !next->has_matrix_values) gather_matrices(s, &kept, begin, end);
    if (kept.own) copy_rows(next, &kept, begin, end);
    for (int32_t a = (int32_t)begin; a < end && !s->matrix; a++)
        for (int32_t k = l->from_start[a]; k < l->from_start[a + 1]; k++)
            if (mus_grid_row_is_free(s, l->from[k].row)) add_listed_row(s, a, l->from[k].row);
    for (int64_t a = begin; a < end; a++) factor_row(next, a);
}

/* ---- coarse matrix of weighted shares ---- */

/* What a row consists of: blocks of a matrix, and those that the level lists. */
enum { OF_MATRICES = 1, LISTED = 2 };

/* A row of the matrix times the interpolation: blocks by the next level's rows. Full buffers are flushed. */
typedef struct product_row {
    const mus_grid_level *level;
    row_values to;
    int parts;          /* of rows, that are assembled */
    int32_t begin, end; /* the next level's rows being assembled */
    int32_t i, count, column[32];
    mus_float4 block[32][3];
} product_row;

/* Adds the row's contributions to the next level's rows: blocks between them and higher ones. */
static void hand_on(product_row *p) {
    const mus_grid_level *l = p->level, *next = l + 1;
    for (int32_t k = l->to_start[p->i]; k < l->to_start[p->i + 1]; k++) {
        int32_t a = l->to[k].row;
        if (a < p->begin || a >= p->end) continue;
        __m128 times = _mm_set1_ps(-l->to[k].weight);
        for (int32_t e = 0; e < p->count; e++) {
            if (p->column[e] <= a) continue;
            columns b = columns_at(p->block[e]);
            add_columns(p->to.block[entry_of(next, a, p->column[e])], times, &b);
        }
    }
    p->count = 0;
}

/* Adds a block times `sign` and the shares of row j. */
FN void spread(product_row *p, int32_t j, float sign, const columns *b) {
    const mus_grid_level *l = p->level;
    for (int32_t k = l->to_start[j]; k < l->to_start[j + 1]; k++) {
        int32_t e = 0;
        while (e < p->count && p->column[e] != l->to[k].row) e++;
        if (e == 32) hand_on(p), e = 0;
        if (e == p->count) {
            p->column[p->count++] = l->to[k].row;
            memset(p->block[e], 0, sizeof p->block[e]);
        }
        add_columns(p->block[e], _mm_set1_ps(sign * l->to[k].weight), b);
    }
}

static void add_sum(columns *sum, const columns *b) {
    for (int c = 0; c < 3; c++) sum->of[c] = _mm_add_ps(sum->of[c], b->of[c]);
}

/* A neighbor's block. A fixed neighbor does not move: the block is added to the row's own. */
FN void spread_neighbor(const sweep *s, const mus_block_matrix *m, product_row *p, int32_t j, int32_t pair, bool higher,
                        columns *sum, mus_sym3 *own) {
    columns b;
    mus_sym3 block = pair_block(m, pair, higher, &b);
    add_sum(sum, &b);
    if (mus_grid_row_is_free(s, j))
        spread(p, j, -1, &b);
    else
        mus_sym3_accumulate(own, &block);
}

static void make_product_row(const sweep *s, product_row *p, mus_sym3 *own) {
    const mus_grid_level *l = s->level;
    int32_t row = p->i, first, i;
    const mus_block_matrix *m = p->parts & OF_MATRICES ? mus_grid_matrix_of(s, row, &first) : NULL;
    bool listed = p->parts & LISTED && !s->matrix;
    i = m ? row - first : 0;
    *own = m ? m->diagonal[i] : (mus_sym3){0};
    if (listed) mus_sym3_accumulate(own, &l->own[row]);
    columns sum = columns_of(own, v3_make(0, 0, 0));
    for (int32_t k = m ? m->lower_start[i] : 0; m && k < m->lower_start[i + 1]; k++)
        spread_neighbor(s, m, p, first + m->lower[k].vertex, m->lower[k].pair, true, &sum, own);
    for (int32_t k = m ? m->upper_start[i] : 0; m && k < m->upper_start[i + 1]; k++)
        spread_neighbor(s, m, p, first + m->higher[k], k, false, &sum, own);
    for (int32_t k = listed ? l->start[row] : 0; listed && k < l->start[row + 1]; k++) {
        columns b = columns_at(l->block[k]);
        add_sum(&sum, &b);
        spread(p, l->column[k], -1, &b);
        if (moves_on_next(l, l->column[k])) continue;
        mus_sym3 even = symmetric_part(l->block[k]);
        mus_sym3_accumulate(own, &even);
    }
    spread(p, row, 1, &sum);
}

static void gather_row(const sweep *s, product_row *p) {
    const mus_grid_level *l = s->level;
    mus_sym3 own;
    if (!mus_grid_row_is_free(s, p->i)) return;
    make_product_row(s, p, &own);
    hand_on(p);
    for (int32_t k = l->to_start[p->i]; k < l->to_start[p->i + 1]; k++) {
        double w = l->to[k].weight;
        mus_sym3 share = {w * own.xx, w * own.xy, w * own.xz, w * own.yy, w * own.yz, w * own.zz};
        if (l->to[k].row >= p->begin && l->to[k].row < p->end) mus_sym3_accumulate(&p->to.own[l->to[k].row], &share);
    }
}

/* Whether the level lists anything in a row. */
static bool lists_row(const mus_grid_level *l, int32_t i) {
    return l->start[i] < l->start[i + 1] || l->own[i].xx + l->own[i].yy + l->own[i].zz > 0;
}

static bool has_share(const mus_grid_level *l, int32_t i, const product_row *p) {
    if (!(p->parts & OF_MATRICES) && !lists_row(l, i)) return false;
    for (int32_t k = l->to_start[i]; k < l->to_start[i + 1]; k++)
        if (l->to[k].row >= p->begin && l->to[k].row < p->end) return true;
    return false;
}

/* Adds parts of the level's rows to rows of the next one, to each from its rows in ascending order. */
static void add_shares(const sweep *s, const row_values *to, int parts, int64_t begin, int64_t end) {
    const mus_grid_level *l = s->level;
    product_row p = {.level = l, .to = *to, .parts = parts, .begin = (int32_t)begin, .end = (int32_t)end};
    for (int32_t first = 0; first < l->n; first += MUS_GRID_RUN) {
        const mus_grid_span *span = &l->spans[first / MUS_GRID_RUN];
        int32_t last = l->n - first < MUS_GRID_RUN ? l->n : first + MUS_GRID_RUN;
        if (span->hi <= begin || span->lo >= end) continue;
        for (p.i = first; p.i < last; p.i++)
            if (has_share(l, p.i, &p)) gather_row(s, &p);
    }
}

/* Assembles rows of the next level on any CPU thread. The matrices' contribution is kept, as with groups. */
static void gather_shares(void *context, int64_t begin, int64_t end, int64_t block) {
    const sweep *s = context;
    const mus_grid_level *next = s->level + 1;
    row_values values = {next->block, next->own}, kept = {next->matrix_block, next->matrix_own};
    (void)block;
    if (!kept.own) {
        clear_rows(next, &values, begin, end);
        add_shares(s, &values, OF_MATRICES | LISTED, begin, end);
        return;
    }
    if (!next->has_matrix_values) {
        clear_rows(next, &kept, begin, end);
        add_shares(s, &kept, OF_MATRICES, begin, end);
    }
    copy_rows(next, &kept, begin, end);
    add_shares(s, &values, LISTED, begin, end);
}

/* Number of rows of a level that a CPU thread assembles at a time. Rows on the border of two shares are processed for
 * both: there are no more shares than threads need, two for each if they are large. */
static int64_t share_rows(int64_t n, int threads) {
    enum { LEAST = 16, LARGE = 128 };
    int64_t shares = threads <= 1 ? 1 : n >= (int64_t)LARGE * threads ? 2 * (int64_t)threads : threads;
    int64_t rows = (n - 1) / shares + 1;
    return rows < LEAST ? LEAST : rows;
}

/* Blocks between a row and lower ones are copies of the latter's, transposed, so that rounding is equal. Then the
 * diagonal is complete. */
static void mirror_rows(void *context, int64_t begin, int64_t end, int64_t block) {
    const sweep *s = context;
    const mus_grid_level *next = s->level + 1;
    (void)block;
    for (int32_t a = (int32_t)begin; a < end; a++) {
        for (int32_t k = next->start[a]; k < next->start[a + 1]; k++) {
            mus_float4 *to = next->block[k];
            int32_t b = next->column[k];
            if (b > a) continue;
            columns from = columns_at(next->block[entry_of(next, b, a)]);
            __m128 none = _mm_setzero_ps();
            _MM_TRANSPOSE4_PS(from.of[0], from.of[1], from.of[2], none);
            for (int c = 0; c < 3; c++) _mm_store_ps(to[c].lane, from.of[c]);
        }
        factor_row(next, a);
    }
}

static void put_block(double *dense, int32_t n, int32_t i, int32_t j, double sign, const mus_float4 b[3]) {
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) dense[(size_t)(3 * i + r) * (size_t)n + (size_t)(3 * j + c)] += sign * b[c].lane[r];
}

/* Cholesky factor, transposed. */
static void factor_last(mus_multigrid *grid) {
    const mus_grid_level *l = &grid->levels[grid->level_count - 1];
    int32_t n = 3 * l->n;
    double *m = grid->dense;
    memset(m, 0, sizeof *m * (size_t)n * (size_t)n);
    for (int32_t i = 0; i < l->n; i++) {
        const mus_sym3 *own = &l->own[i];
        const double block[3][3] = {
            {own->xx, own->xy, own->xz}, {own->xy, own->yy, own->yz}, {own->xz, own->yz, own->zz}};
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) m[(size_t)(3 * i + r) * (size_t)n + (size_t)(3 * i + c)] += block[r][c];
        for (int32_t k = l->start[i]; k < l->start[i + 1]; k++)
            put_block(m, n, i, i, 1, l->block[k]), put_block(m, n, i, l->column[k], -1, l->block[k]);
    }
    for (int32_t k = 0; k < n; k++) {
        double *row = m + (size_t)k * (size_t)n;
        double by = row[k] > 0 ? 1 / sqrt(row[k]) : 0; /* a group that is fixed, or lost to rounding, does not move */
        for (int32_t j = k + 1; j < n; j++) row[j] *= by;
        row[k] = by;
        for (int32_t i = k + 1; i < n; i++) {
            double *other = m + (size_t)i * (size_t)n, times = row[i];
            for (int32_t j = i; j < n && times != 0; j++) other[j] -= times * row[j];
        }
    }
}

void mus_multigrid_update(mus_multigrid *grid, const mus_block_matrix *m, const double *free, int threads) {
    sweep s = {.grid = grid, .free = free};
    for (int32_t k = 0; k + 1 < grid->level_count; k++) {
        s.level = &grid->levels[k], s.matrix = k ? NULL : m;
        if (grid->linear) {
            mus_parallel_for(threads, s.level[1].n, share_rows(s.level[1].n, threads), gather_shares, &s);
            mus_parallel_for(threads, s.level[1].n, MUS_GRID_BLOCK_GROUPS, mirror_rows, &s);
        } else {
            mus_parallel_for(threads, s.level[1].n, MUS_GRID_BLOCK_GROUPS, gather_alike, &s);
        }
        grid->levels[k + 1].has_matrix_values = grid->levels[k + 1].matrix_own != NULL;
    }
    if (grid->direct) factor_last(grid);
}
