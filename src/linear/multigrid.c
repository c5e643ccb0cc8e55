/* multigrid.c: the cycle. It runs in float: a preconditioner need only be approximate, and rounding is equal in both
 * halves of a symmetric method. */
#include "linear/multigrid.h"
#include "base/parallel.h"
#include "linear/multigrid_sweep.h"

enum { WORTH_THREADS = 1024, ROWS = 256 }; /* the latter: of a level, for a CPU thread */

typedef enum part { BEFORE, AFTER, ALL } part;
typedef mus_grid_sweep sweep;

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

/* Sum of minus the blocks of row i of a matrix times z, over its neighbors in `part` of the order; the matrix' first
 * row is the level's row `first`. Those of other domains are first among the lower and last among the higher ones. */
FN __m128 matrix_row(const sweep *s, const mus_block_matrix *m, int32_t first, int32_t i, part which, __m128 sum) {
    const mus_float4 *z = s->level->z + first;
    const int32_t *color = s->level->order.color, shift = s->level->order.shift,
                  begin = ((first + i) >> shift << shift) - first, last = begin + ((1 << shift) - 1);
    bool general = m->general != NULL;
    for (int32_t k = m->lower_start[i]; k < m->lower_start[i + 1]; k++) {
        int32_t j = m->lower[k].vertex, pair = m->lower[k].pair;
        if (which == AFTER && j >= begin) break;
        if (which != ALL && j < begin && (color[(first + j) >> shift] < s->color) != (which == BEFORE)) continue;
        sum = add_pair(sum, &m->pair[pair], &z[j]);
        if (general) sum = add_general(sum, &m->general[pair], false, &z[j]);
    }
    for (int32_t k = m->upper_start[i + 1] - 1; k >= m->upper_start[i]; k--) {
        int32_t j = m->higher[k];
        if (which == BEFORE && j <= last) break;
        if (which != ALL && j > last && (color[(first + j) >> shift] < s->color) != (which == BEFORE)) continue;
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

FN __m128 listed_row(const mus_grid_level *l, int32_t i, part which, __m128 sum) {
    int32_t from = which == AFTER ? l->split[i] : l->start[i], to = which == BEFORE ? l->split[i] : l->start[i + 1];
    for (int32_t k = from; k < to; k++)
        sum = _mm_add_ps(sum, block_times(l->block[k], _mm_load_ps(l->z[l->column[k]].lane)));
    return sum;
}

/* The same of a level that lists its blocks, all of them or those between matrices. */
FN __m128 level_row(const sweep *s, int32_t i, part which, __m128 sum) {
    int32_t first;
    sum = listed_row(s->level, i, which, sum);
    const mus_block_matrix *m = s->level->part_of ? mus_grid_matrix_of(s, i, &first) : NULL;
    return m ? matrix_row(s, m, first, i - first, which, sum) : sum;
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
        solve_block(&s->matrix->factor[i], matrix_row(s, s->matrix, 0, i, which, narrow(s->matrix->residual[i])),
                    &z[i]);
    else
        _mm_store_ps(z[i].lane, _mm_setzero_ps());
}

FN void level_update(const sweep *s, int32_t i, part which) {
    const mus_grid_level *l = s->level;
    solve_block(&l->factor[i], level_row(s, i, which, _mm_load_ps(l->right[i].lane)), &l->z[i]);
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
    for (int32_t i = first; i < last && down; i++) level_update(s, i, BEFORE);
    for (int32_t i = last - 1; i >= first && !down; i--) level_update(s, i, ALL);
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
    if (!mus_grid_row_is_free(s, i)) return sum;
    s->color = s->level->order.color[i >> s->level->order.shift];
    return s->matrix ? matrix_row(s, s->matrix, 0, i, AFTER, sum) : level_row(s, i, AFTER, sum);
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
        if (!mus_grid_row_is_free(s, (int32_t)i)) continue;
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
        mus_parallel_for(here, s.level[1].n, MUS_GRID_BLOCK_GROUPS, restrict_rows, &s);
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

void mus_multigrid_apply_rows(mus_multigrid *grid, int threads) {
    visit_level(grid, &(sweep){.grid = grid}, 0, threads);
}
