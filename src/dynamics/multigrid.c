/* multigrid.c: the coarse matrices of a step, and the cycle. It runs in float: it need only be near, and rounding
 * enters the two halves of a symmetric method alike. */
#include "dynamics/multigrid.h"
#include "base/parallel.h"

#include <emmintrin.h>
#include <string.h>

enum { WORTH_THREADS = 1024, GROUPS = 64 }; /* the latter: of the next level, in a thread's share */

typedef enum part { BEFORE, AFTER, ALL } part;

typedef struct sweep {
    const mus_multigrid *grid;
    const mus_block_matrix *matrix; /* of the first level, else NULL */
    const mus_grid_level *level;
    const double *free;
    const int32_t *domains;
    int32_t colour;
    bool again; /* z is something already */
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

/* Sum of minus the blocks of row i times z, over its neighbours in `part` of the order. Those of other domains stand
 * first among the lower and last among the higher ones. */
FN __m128 fine_row(const sweep *s, int32_t i, part which, __m128 sum) {
    const mus_block_matrix *m = s->matrix;
    const mus_float4 *z = s->level->z;
    const int32_t *colour = s->level->order.colour, own = i / MUS_GRID_DOMAIN, begin = own * MUS_GRID_DOMAIN,
                  end = begin + MUS_GRID_DOMAIN;
    bool general = m->general != NULL;
    for (int32_t k = m->lower_start[i]; k < m->lower_start[i + 1]; k++) {
        int32_t j = m->lower[k].vertex, pair = m->lower[k].pair;
        if (which == AFTER && j >= begin) break;
        if (which != ALL && j < begin && (colour[j / MUS_GRID_DOMAIN] < s->colour) != (which == BEFORE)) continue;
        sum = add_pair(sum, &m->pair[pair], &z[j]);
        if (general) sum = add_general(sum, &m->general[pair], false, &z[j]);
    }
    for (int32_t k = m->upper_start[i + 1] - 1; k >= m->upper_start[i]; k--) {
        int32_t j = m->higher[k];
        if (which == BEFORE && j < end) break;
        if (which != ALL && j >= end && (colour[j / MUS_GRID_DOMAIN] < s->colour) != (which == BEFORE)) continue;
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

/* `sum` keeps what the row's diagonal times z is now. */
FN void coarse_update_again(const mus_grid_level *l, int32_t i) {
    __m128 sum = coarse_row(l, i, ALL, _mm_load_ps(l->right[i].lane));
    _mm_store_ps(l->sum[i].lane, sum);
    solve_block(&l->factor[i], sum, &l->z[i]);
}

static void sweep_domain(const sweep *s, int64_t at, bool down) {
    const mus_grid_level *l = s->level;
    int32_t rows = l->order.domain_rows, first = s->domains[at] * rows,
            last = first + rows < l->n ? first + rows : l->n;
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
    for (int32_t i = first; i < last && down && s->again; i++) coarse_update_again(l, i);
    for (int32_t i = first; i < last && down && !s->again; i++) coarse_update(l, i, BEFORE);
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
    for (int32_t k = 0; k < o->colour_count; k++) {
        s->colour = down ? k : o->colour_count - 1 - k;
        s->domains = o->domain + o->colour_start[s->colour];
        int32_t count = o->colour_start[s->colour + 1] - o->colour_start[s->colour];
        mus_parallel_for(threads, count, 1, down ? sweep_down : sweep_up, s);
    }
}

/* ---- between levels ---- */

FN __m128 coarse_left(const sweep *s, int32_t i, __m128 sum) {
    const mus_grid_level *l = s->level;
    if (!s->again) return coarse_row(l, i, AFTER, sum);
    sum = coarse_row(l, i, ALL, _mm_add_ps(sum, _mm_load_ps(l->right[i].lane)));
    return _mm_sub_ps(sum, _mm_load_ps(l->sum[i].lane));
}

/* What a sweep down from nothing leaves of the right side is minus the blocks to later rows times z. */
static void restrict_rows(void *context, int64_t begin, int64_t end, int64_t block) {
    sweep s = *(const sweep *)context;
    const mus_grid_level *l = s.level, *next = l + 1;
    (void)block;
    for (int64_t a = begin; a < end; a++) {
        __m128 sum = _mm_setzero_ps();
        for (int32_t k = l->member_start[a]; k < l->member_start[a + 1]; k++) {
            int32_t i = l->member[k];
            if (s.matrix) {
                if (!(s.free[i] > 0)) continue;
                s.colour = l->order.colour[i / MUS_GRID_DOMAIN];
                sum = fine_row(&s, i, AFTER, sum);
            } else {
                sum = coarse_left(&s, i, sum);
            }
        }
        _mm_store_ps(next->right[a].lane, sum);
    }
}

static void prolong_rows(void *context, int64_t begin, int64_t end, int64_t block) {
    const sweep *s = context;
    const mus_grid_level *l = s->level, *next = l + 1;
    (void)block;
    for (int64_t i = begin; i < end; i++) {
        if (l->group[i] < 0 || (s->matrix && !(s->free[i] > 0))) continue;
        _mm_store_ps(l->z[i].lane, _mm_add_ps(_mm_load_ps(l->z[i].lane), _mm_load_ps(next->z[l->group[i]].lane)));
    }
}

static void solve_directly(mus_multigrid *grid) {
    const mus_grid_level *l = &grid->levels[grid->level_count - 1];
    int32_t n = 3 * l->n;
    double *v = grid->value;
    for (int32_t k = 0; k < n; k++) v[k] = l->right[k / 3].lane[k % 3];
    for (int32_t k = 0; k < n; k++) { /* a row of the factor's transpose; on its diagonal, one over it */
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

/* What a level and those after it make of the level's right side; again: from the z that is there. */
static void visit(mus_multigrid *grid, const sweep *first, int32_t k, bool again, int threads) {
    int32_t last = grid->level_count - 1;
    if (grid->direct && k == last) {
        solve_directly(grid);
        return;
    }
    sweep s = *first;
    s.level = &grid->levels[k], s.again = again;
    if (k) s.matrix = NULL;
    int here = s.level->n < WORTH_THREADS ? 1 : threads;
    run_sweep(&s, true, here);
    if (k < last) {
        bool exact = grid->direct && k + 1 == last;
        mus_parallel_for(here, s.level[1].n, GROUPS, restrict_rows, &s);
        for (int turn = 0; turn < (exact ? 1 : grid->turns); turn++) visit(grid, first, k + 1, turn > 0, threads);
        mus_parallel_for(here, s.level->n, MUS_GRID_DOMAIN, prolong_rows, &s);
    }
    run_sweep(&s, false, here);
}

double mus_multigrid_apply(mus_multigrid *grid, const mus_block_matrix *m, const double *free, int threads) {
    visit(grid, &(sweep){.grid = grid, .matrix = m, .free = free}, 0, false, threads);
    double sum = 0;
    for (int32_t d = 0; d < grid->levels[0].order.domain_count; d++) sum += m->block_sum[d];
    return sum;
}

/* ---- values ---- */

static void add_sym(mus_sym3 *to, const mus_sym3 *b) {
    to->xx += b->xx, to->xy += b->xy, to->xz += b->xz, to->yy += b->yy, to->yz += b->yz, to->zz += b->zz;
}

/* block += even + [odd]x */
static void add_block(mus_float4 block[3], const mus_sym3 *even, v3 odd) {
    float *x = block[0].lane, *y = block[1].lane, *z = block[2].lane;
    x[0] += (float)even->xx, x[1] += (float)(even->xy + odd.z), x[2] += (float)(even->xz - odd.y);
    y[0] += (float)(even->xy - odd.z), y[1] += (float)even->yy, y[2] += (float)(even->yz + odd.x);
    z[0] += (float)(even->xz + odd.y), z[1] += (float)(even->yz - odd.x), z[2] += (float)even->zz;
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

/* A neighbour of vertex i, which belongs to row a of the next level. */
static void add_fine(const sweep *s, int32_t a, int32_t j, int32_t pair, bool upper) {
    const mus_block_matrix *m = s->matrix;
    const mus_grid_level *l = s->level, *next = l + 1;
    bool held = !(s->free[j] > 0);
    int32_t b = l->group[j];
    if (b == a && !held) return; /* moved alike: nothing */
    mus_sym3 block = {0};
    v3 odd = v3_make(0, 0, 0);
    mus_sym3_add(&block, 1, v3_make(m->pair[pair].w[0], m->pair[pair].w[1], m->pair[pair].w[2]), m->pair[pair].t);
    if (m->general) {
        const mus_sym3 *even = &m->general[pair].even;
        block.xx -= even->xx, block.xy -= even->xy, block.xz -= even->xz;
        block.yy -= even->yy, block.yz -= even->yz, block.zz -= even->zz;
        odd = v3_scale(upper ? -1 : 1, m->general[pair].odd);
    }
    if (held)
        add_sym(&next->own[a], &block);
    else
        add_block(next->block[entry_of(next, a, b)], &block, odd);
}

static void add_fine_row(const sweep *s, int32_t a, int32_t i) {
    const mus_block_matrix *m = s->matrix;
    if (!(s->free[i] > 0)) return;
    add_sym(&s->level[1].own[a], &m->diagonal[i]);
    for (int32_t k = m->lower_start[i]; k < m->lower_start[i + 1]; k++)
        add_fine(s, a, m->lower[k].vertex, m->lower[k].pair, false);
    for (int32_t k = m->upper_start[i]; k < m->upper_start[i + 1]; k++) add_fine(s, a, m->higher[k], k, true);
}

static void add_coarse_row(const sweep *s, int32_t a, int32_t i) {
    const mus_grid_level *l = s->level, *next = l + 1;
    add_sym(&next->own[a], &l->own[i]);
    for (int32_t k = l->start[i]; k < l->start[i + 1]; k++) {
        int32_t b = l->group[l->column[k]];
        if (b == a) continue;
        mus_float4 *to = next->block[entry_of(next, a, b)];
        for (int c = 0; c < 3; c++)
            _mm_store_ps(to[c].lane, _mm_add_ps(_mm_load_ps(to[c].lane), _mm_load_ps(l->block[k][c].lane)));
    }
}

static void gather_rows(void *context, int64_t begin, int64_t end, int64_t block) {
    const sweep *s = context;
    const mus_grid_level *l = s->level, *next = l + 1;
    (void)block;
    for (int32_t a = (int32_t)begin; a < end; a++) {
        next->own[a] = (mus_sym3){0};
        memset(next->block[next->start[a]], 0, sizeof *next->block * (size_t)(next->start[a + 1] - next->start[a]));
        for (int32_t k = l->member_start[a]; k < l->member_start[a + 1]; k++) {
            if (s->matrix)
                add_fine_row(s, a, l->member[k]);
            else
                add_coarse_row(s, a, l->member[k]);
        }
        mus_sym3 whole = next->own[a];
        for (int32_t k = next->start[a]; k < next->start[a + 1]; k++) {
            mus_sym3 outside = symmetric_part(next->block[k]);
            add_sym(&whole, &outside);
        }
        next->factor[a] = mus_factor3_of(&whole);
    }
}

static void put(double *dense, int32_t n, int32_t i, int32_t j, double sign, const mus_float4 b[3]) {
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) dense[(size_t)(3 * i + r) * (size_t)n + (size_t)(3 * j + c)] += sign * b[c].lane[r];
}

/* Cholesky's factor, transposed. */
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
            put(m, n, i, i, 1, l->block[k]), put(m, n, i, l->column[k], -1, l->block[k]);
    }
    for (int32_t k = 0; k < n; k++) {
        double *row = m + (size_t)k * (size_t)n;
        double by = row[k] > 0 ? 1 / sqrt(row[k]) : 0; /* a group that is held, or lost to rounding, stays */
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
        mus_parallel_for(threads, s.level[1].n, GROUPS, gather_rows, &s);
    }
    if (grid->direct) factor_last(grid);
}
