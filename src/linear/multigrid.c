/* multigrid.c: the coarse matrices of a step, and the cycle. It runs in float: a preconditioner need only be
 * approximate, and rounding is equal in both halves of a symmetric method. */
#include "linear/multigrid.h"
#include "base/parallel.h"

#include <emmintrin.h>
#include <string.h>

enum { WORTH_THREADS = 1024, ROWS = 256, GROUPS = 64 }; /* the last two: rows of a level and of the next in a block */

typedef enum part { BEFORE, AFTER, ALL } part;

typedef struct sweep {
    const mus_multigrid *grid;
    const mus_block_matrix *matrix; /* of the first level, else NULL */
    const mus_grid_level *level;
    const double *free;
    const int32_t *domains;
    int32_t color;
} sweep;

#define FN static inline __attribute__((always_inline))

FN __m128 lane(__m128 a, int k) {
    return k == 0   ? _mm_shuffle_ps(a, a, 0x00)
           : k == 1 ? _mm_shuffle_ps(a, a, 0x55)
           : k == 2 ? _mm_shuffle_ps(a, a, 0xaa)
                    : _mm_shuffle_ps(a, a, 0xff);
}

/* sum + (w w^T + t I) z */
FN __m128 add_pair(__m128 sum, const mus_pair_block *pair, const mus_float4 *there) {
    __m128 block = _mm_loadu_ps(pair->w), z = _mm_load_ps(there->lane), along = _mm_mul_ps(block, z);
    __m128 dot = _mm_add_ps(_mm_add_ps(lane(along, 0), lane(along, 1)), lane(along, 2));
    return _mm_add_ps(sum, _mm_add_ps(_mm_mul_ps(block, dot), _mm_mul_ps(lane(block, 3), z)));
}

/* Minus a general block times z; seen from the higher vertex the block is transposed. */
static __m128 add_general(__m128 sum, const mus_general_block *b, bool upper, const mus_float4 *there) {
    v3 z = v3_make(there->lane[0], there->lane[1], there->lane[2]);
    v3 even = mus_sym3_mul(&b->even, z), odd = v3_cross(b->odd, z);
    v3 times = upper ? v3_add(even, odd) : v3_sub(even, odd);
    return _mm_sub_ps(sum, _mm_set_ps(0, (float)times.z, (float)times.y, (float)times.x));
}

/* Sum of minus the blocks of row i times z, over its neighbors in `part` of the order. Those of other domains are
 * first among the lower and last among the higher ones. */
FN __m128 fine_row(const sweep *s, int32_t i, part which, __m128 sum) {
    const mus_block_matrix *m = s->matrix;
    const mus_float4 *z = s->level->z;
    const int32_t *color = s->level->order.color, shift = s->level->order.shift, begin = i >> shift << shift,
                  last = begin + ((1 << shift) - 1);
    bool general = m->general != NULL;
    for (int32_t k = m->lower_start[i]; k < m->lower_start[i + 1]; k++) {
        int32_t j = m->lower[k].vertex, pair = m->lower[k].pair;
        if (which == AFTER && j >= begin) break;
        if (which != ALL && j < begin && (color[j >> shift] < s->color) != (which == BEFORE)) continue;
        sum = add_pair(sum, &m->pair[pair], &z[j]);
        if (general) sum = add_general(sum, &m->general[pair], false, &z[j]);
    }
    for (int32_t k = m->upper_start[i + 1] - 1; k >= m->upper_start[i]; k--) {
        int32_t j = m->higher[k];
        if (which == BEFORE && j <= last) break;
        if (which != ALL && j > last && (color[j >> shift] < s->color) != (which == BEFORE)) continue;
        sum = add_pair(sum, &m->pair[k], &z[j]);
        if (general) sum = add_general(sum, &m->general[k], true, &z[j]);
    }
    return sum;
}

FN __m128 block_times(const mus_float4 block[3], __m128 z) {
    __m128 x = _mm_mul_ps(_mm_load_ps(block[0].lane), lane(z, 0)),
           y = _mm_mul_ps(_mm_load_ps(block[1].lane), lane(z, 1));
    return _mm_add_ps(_mm_add_ps(x, y), _mm_mul_ps(_mm_load_ps(block[2].lane), lane(z, 2)));
}

FN __m128 coarse_row(const mus_grid_level *l, int32_t i, part which, __m128 sum) {
    int32_t from = which == AFTER ? l->split[i] : l->start[i], to = which == BEFORE ? l->split[i] : l->start[i + 1];
    for (int32_t k = from; k < to; k++)
        sum = _mm_add_ps(sum, block_times(l->block[k], _mm_load_ps(l->z[l->column[k]].lane)));
    return sum;
}

/* One store: the next row reads all of it at once, and would wait for several. */
FN void solve_block(const mus_factor3 *g, __m128 right, mus_float4 *out) {
    float rx = _mm_cvtss_f32(right), ry = _mm_cvtss_f32(lane(right, 1)), rz = _mm_cvtss_f32(lane(right, 2));
    float x = g->xx * rx, y = g->yx * rx + g->yy * ry, z = g->zx * rx + g->zy * ry + g->zz * rz;
    _mm_store_ps(out->lane, _mm_setr_ps(g->xx * x + g->yx * y + g->zx * z, g->yy * y + g->zy * z, g->zz * z, 0));
}

FN __m128 narrow(v3 a) {
    return _mm_set_ps(0, (float)a.z, (float)a.y, (float)a.x);
}

/* ---- sweeps ---- */

FN void fine_update(const sweep *s, int32_t i, part which) {
    mus_float4 *z = s->level->z;
    if (s->free[i] > 0)
        solve_block(&s->matrix->factor[i], fine_row(s, i, which, narrow(s->matrix->residual[i])), &z[i]);
    else
        _mm_store_ps(z[i].lane, _mm_setzero_ps());
}

FN void coarse_update(const mus_grid_level *l, int32_t i, part which) {
    solve_block(&l->factor[i], coarse_row(l, i, which, _mm_load_ps(l->right[i].lane)), &l->z[i]);
}

static void sweep_domain(const sweep *s, int64_t at, bool down) {
    const mus_grid_level *l = s->level;
    int32_t rows = 1 << l->order.shift, first = s->domains[at] << l->order.shift,
            last = l->n - first < rows ? l->n : first + rows;
    if (s->matrix) {
        double sum = 0;
        for (int32_t i = first; i < last && down; i++) fine_update(s, i, BEFORE);
        for (int32_t i = last - 1; i >= first && !down; i--) {
            fine_update(s, i, ALL);
            const float *z = l->z[i].lane;
            sum += v3_dot(s->matrix->residual[i], v3_make(z[0], z[1], z[2]));
        }
        s->matrix->block_sum[s->domains[at]] = sum;
        return;
    }
    for (int32_t i = first; i < last && down; i++) coarse_update(l, i, BEFORE);
    for (int32_t i = last - 1; i >= first && !down; i--) coarse_update(l, i, ALL);
}

static void sweep_down(void *context, int64_t begin, int64_t end, int64_t block) {
    (void)end, (void)block;
    sweep_domain(context, begin, true);
}
static void sweep_up(void *context, int64_t begin, int64_t end, int64_t block) {
    (void)end, (void)block;
    sweep_domain(context, begin, false);
}

static void run_sweep(sweep *s, bool down, int threads) {
    const mus_grid_order *o = &s->level->order;
    for (int32_t k = 0; k < o->color_count; k++) {
        s->color = down ? k : o->color_count - 1 - k;
        s->domains = o->domain + o->color_start[s->color];
        int32_t count = o->color_start[s->color + 1] - o->color_start[s->color];
        mus_parallel_for(threads, count, 1, down ? sweep_down : sweep_up, s);
    }
}

/* ---- between levels ---- */

/* After a sweep down from z = 0 the residual is minus the blocks to later rows times z. */
FN __m128 add_left(sweep *s, int32_t i, __m128 sum) {
    if (!s->matrix) return coarse_row(s->level, i, AFTER, sum);
    s->color = s->level->order.color[i >> s->level->order.shift];
    return s->free[i] > 0 ? fine_row(s, i, AFTER, sum) : sum;
}

/* Computes the residual once per row, if several rows of the next level use it. */
static void left_rows(void *context, int64_t begin, int64_t end, int64_t block) {
    sweep s = *(const sweep *)context;
    (void)block;
    for (int32_t i = (int32_t)begin; i < end; i++)
        _mm_store_ps(s.level->left[i].lane, add_left(&s, i, _mm_setzero_ps()));
}

static void restrict_rows(void *context, int64_t begin, int64_t end, int64_t block) {
    sweep s = *(const sweep *)context;
    const mus_grid_level *l = s.level, *next = l + 1;
    (void)block;
    for (int64_t a = begin; a < end; a++) {
        __m128 sum = _mm_setzero_ps();
        for (int32_t k = l->from_start[a]; k < l->from_start[a + 1]; k++) {
            const mus_grid_share *from = &l->from[k];
            if (s.grid->linear)
                sum = _mm_add_ps(sum, _mm_mul_ps(_mm_set1_ps(from->weight), _mm_load_ps(l->left[from->row].lane)));
            else
                sum = add_left(&s, from->row, sum);
        }
        _mm_store_ps(next->right[a].lane, sum);
    }
}

static void prolong_rows(void *context, int64_t begin, int64_t end, int64_t block) {
    const sweep *s = context;
    const mus_grid_level *l = s->level, *next = l + 1;
    (void)block;
    for (int64_t i = begin; i < end; i++) {
        if (s->matrix && !(s->free[i] > 0)) continue;
        __m128 sum = _mm_load_ps(l->z[i].lane);
        for (int32_t k = l->to_start[i]; k < l->to_start[i + 1]; k++)
            sum = _mm_add_ps(sum, _mm_mul_ps(_mm_set1_ps(l->to[k].weight), _mm_load_ps(next->z[l->to[k].row].lane)));
        _mm_store_ps(l->z[i].lane, sum);
    }
}

static void solve_directly(mus_multigrid *grid) {
    const mus_grid_level *l = &grid->levels[grid->level_count - 1];
    int32_t n = 3 * l->n;
    double *v = grid->value;
    for (int32_t k = 0; k < n; k++) v[k] = l->right[k / 3].lane[k % 3];
    for (int32_t k = 0; k < n; k++) { /* a row of the factor's transpose; its diagonal is stored as the reciprocal */
        const double *row = grid->dense + (size_t)k * (size_t)n;
        v[k] *= row[k];
        for (int32_t j = k + 1; j < n; j++) v[j] -= v[k] * row[j];
    }
    for (int32_t k = n - 1; k >= 0; k--) {
        const double *row = grid->dense + (size_t)k * (size_t)n;
        double value = v[k];
        for (int32_t j = k + 1; j < n; j++) value -= row[j] * v[j];
        v[k] = value * row[k];
    }
    for (int32_t i = 0; i < l->n; i++)
        l->z[i] = (mus_float4){{(float)v[3 * i], (float)v[3 * i + 1], (float)v[3 * i + 2], 0}};
}

/* Applies a level and those after it to the level's right side. */
static void visit_level(mus_multigrid *grid, const sweep *first, int32_t k, int threads) {
    int32_t last = grid->level_count - 1;
    if (grid->direct && k == last) {
        solve_directly(grid);
        return;
    }
    sweep s = *first;
    s.level = &grid->levels[k];
    if (k) s.matrix = NULL;
    int here = s.level->n < WORTH_THREADS ? 1 : threads;
    run_sweep(&s, true, here);
    if (k < last) {
        if (grid->linear) mus_parallel_for(here, s.level->n, ROWS, left_rows, &s);
        mus_parallel_for(here, s.level[1].n, GROUPS, restrict_rows, &s);
        visit_level(grid, first, k + 1, threads);
        mus_parallel_for(here, s.level->n, ROWS, prolong_rows, &s);
    }
    run_sweep(&s, false, here);
}

double mus_multigrid_apply(mus_multigrid *grid, const mus_block_matrix *m, const double *free, int threads) {
    visit_level(grid, &(sweep){.grid = grid, .matrix = m, .free = free}, 0, threads);
    double sum = 0;
    for (int32_t d = 0; d < grid->levels[0].order.domain_count; d++) sum += m->block_sum[d];
    return sum;
}

/* ---- values ---- */

static void add_sym(mus_sym3 *to, const mus_sym3 *b) {
    to->xx += b->xx, to->xy += b->xy, to->xz += b->xz, to->yy += b->yy, to->yz += b->yz, to->zz += b->zz;
}

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

static void clear_rows(const mus_grid_level *l, int64_t begin, int64_t end) {
    memset(l->own + begin, 0, sizeof *l->own * (size_t)(end - begin));
    memset(l->block[l->start[begin]], 0, sizeof *l->block * (size_t)(l->start[end] - l->start[begin]));
}

static void factor_row(const mus_grid_level *l, int64_t i) {
    mus_sym3 whole = l->own[i];
    for (int32_t k = l->start[i]; k < l->start[i + 1]; k++) {
        mus_sym3 outside = symmetric_part(l->block[k]);
        add_sym(&whole, &outside);
    }
    l->factor[i] = mus_factor3_of(&whole);
}

FN columns columns_at(const mus_float4 from[3]) {
    return (columns){{_mm_load_ps(from[0].lane), _mm_load_ps(from[1].lane), _mm_load_ps(from[2].lane)}};
}

/* ---- coarse matrix of groups that move alike ---- */

/* Adds the block of a neighbor of a vertex in row a of the next level. */
static void add_fine(const sweep *s, int32_t a, int32_t j, int32_t pair, bool higher) {
    const mus_grid_level *l = s->level, *next = l + 1;
    bool is_fixed = !(s->free[j] > 0);
    int32_t b = l->to[l->to_start[j]].row;
    if (b == a && !is_fixed) return; /* moves alike: no contribution */
    columns block;
    mus_sym3 even = pair_block(s->matrix, pair, higher, &block);
    if (is_fixed)
        add_sym(&next->own[a], &even);
    else
        add_columns(next->block[entry_of(next, a, b)], _mm_set1_ps(1), &block);
}

static void add_fine_row(const sweep *s, int32_t a, int32_t i) {
    const mus_block_matrix *m = s->matrix;
    if (!(s->free[i] > 0)) return;
    add_sym(&s->level[1].own[a], &m->diagonal[i]);
    for (int32_t k = m->lower_start[i]; k < m->lower_start[i + 1]; k++)
        add_fine(s, a, m->lower[k].vertex, m->lower[k].pair, true);
    for (int32_t k = m->upper_start[i]; k < m->upper_start[i + 1]; k++) add_fine(s, a, m->higher[k], k, false);
}

static void add_coarse_row(const sweep *s, int32_t a, int32_t i) {
    const mus_grid_level *l = s->level, *next = l + 1;
    add_sym(&next->own[a], &l->own[i]);
    for (int32_t k = l->start[i]; k < l->start[i + 1]; k++) {
        int32_t b = l->to[l->to_start[l->column[k]]].row;
        if (b == a) continue;
        columns block = columns_at(l->block[k]);
        add_columns(next->block[entry_of(next, a, b)], _mm_set1_ps(1), &block);
    }
}

static void gather_alike(void *context, int64_t begin, int64_t end, int64_t block) {
    const sweep *s = context;
    const mus_grid_level *l = s->level;
    (void)block;
    clear_rows(l + 1, begin, end);
    for (int32_t a = (int32_t)begin; a < end; a++)
        for (int32_t k = l->from_start[a]; k < l->from_start[a + 1]; k++) {
            if (s->matrix)
                add_fine_row(s, a, l->from[k].row);
            else
                add_coarse_row(s, a, l->from[k].row);
        }
    for (int64_t a = begin; a < end; a++) factor_row(l + 1, a);
}

/* ---- coarse matrix of weighted shares ---- */

/* A row of the matrix times the interpolation: blocks by the next level's rows. Full buffers are flushed. */
typedef struct product_row {
    const mus_grid_level *level;
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
            add_columns(next->block[entry_of(next, a, p->column[e])], times, &b);
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
FN void fine_neighbor(const sweep *s, product_row *p, int32_t j, int32_t pair, bool higher, columns *sum,
                      mus_sym3 *own) {
    columns b;
    mus_sym3 block = pair_block(s->matrix, pair, higher, &b);
    add_sum(sum, &b);
    if (s->free[j] > 0)
        spread(p, j, -1, &b);
    else
        add_sym(own, &block);
}

static void make_product_row(const sweep *s, product_row *p, mus_sym3 *own) {
    const mus_block_matrix *m = s->matrix;
    const mus_grid_level *l = s->level;
    int32_t i = p->i;
    *own = m ? m->diagonal[i] : l->own[i];
    columns sum = columns_of(own, v3_make(0, 0, 0));
    for (int32_t k = m ? m->lower_start[i] : 0; m && k < m->lower_start[i + 1]; k++)
        fine_neighbor(s, p, m->lower[k].vertex, m->lower[k].pair, true, &sum, own);
    for (int32_t k = m ? m->upper_start[i] : 0; m && k < m->upper_start[i + 1]; k++)
        fine_neighbor(s, p, m->higher[k], k, false, &sum, own);
    for (int32_t k = m ? 0 : l->start[i]; !m && k < l->start[i + 1]; k++) {
        columns b = columns_at(l->block[k]);
        add_sum(&sum, &b);
        spread(p, l->column[k], -1, &b);
    }
    spread(p, i, 1, &sum);
}

static void gather_row(const sweep *s, product_row *p) {
    const mus_grid_level *l = s->level;
    mus_sym3 own;
    if (s->matrix && !(s->free[p->i] > 0)) return;
    make_product_row(s, p, &own);
    hand_on(p);
    for (int32_t k = l->to_start[p->i]; k < l->to_start[p->i + 1]; k++) {
        double w = l->to[k].weight;
        mus_sym3 share = {w * own.xx, w * own.xy, w * own.xz, w * own.yy, w * own.yz, w * own.zz};
        if (l->to[k].row >= p->begin && l->to[k].row < p->end) add_sym(&l[1].own[l->to[k].row], &share);
    }
}

static bool has_share(const mus_grid_level *l, int32_t i, const product_row *p) {
    for (int32_t k = l->to_start[i]; k < l->to_start[i + 1]; k++)
        if (l->to[k].row >= p->begin && l->to[k].row < p->end) return true;
    return false;
}

/* Assembles rows of the next level, each from its rows in ascending order, on any CPU thread. */
static void gather_shares(void *context, int64_t begin, int64_t end, int64_t block) {
    const sweep *s = context;
    const mus_grid_level *l = s->level, *next = l + 1;
    (void)block;
    clear_rows(next, begin, end);
    product_row p = {.level = l, .begin = (int32_t)begin, .end = (int32_t)end};
    for (int32_t first = 0; first < l->n; first += MUS_GRID_RUN) {
        const mus_grid_span *span = &l->spans[first / MUS_GRID_RUN];
        int32_t last = l->n - first < MUS_GRID_RUN ? l->n : first + MUS_GRID_RUN;
        if (span->hi <= begin || span->lo >= end) continue;
        for (p.i = first; p.i < last; p.i++)
            if (has_share(l, p.i, &p)) gather_row(s, &p);
    }
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
            mus_parallel_for(threads, s.level[1].n, GROUPS, mirror_rows, &s);
        } else {
            mus_parallel_for(threads, s.level[1].n, GROUPS, gather_alike, &s);
        }
    }
    if (grid->direct) factor_last(grid);
}

static void factor_rows(void *context, int64_t begin, int64_t end, int64_t block) {
    const mus_grid_level *l = context;
    (void)block;
    for (int64_t i = begin; i < end; i++) factor_row(l, i);
}

void mus_multigrid_update_rows(mus_multigrid *grid, int threads) {
    mus_parallel_for(threads, grid->levels[0].n, ROWS, factor_rows, &grid->levels[0]);
    mus_multigrid_update(grid, NULL, NULL, threads);
}

void mus_multigrid_apply_rows(mus_multigrid *grid, int threads) {
    visit_level(grid, &(sweep){.grid = grid}, 0, threads);
}
