/* block_matrix.c: assembly and preconditioned conjugate gradients. Sums are taken over blocks of fixed size, so the
 * result does not depend on the number of threads. */
#include "linear/block_matrix.h"
#include "base/parallel.h"
#include "linear/multigrid.h"

#include <emmintrin.h>
#include <string.h>

enum {
    BLOCK = MUS_GRID_DOMAIN,
    WORTH_THREADS = 2048
}; /* with fewer rows, waking CPU threads costs more than they save */

static int32_t pair_low(const int32_t *p) {
    return p[0] < p[1] ? p[0] : p[1];
}
static int32_t pair_high(const int32_t *p) {
    return p[0] < p[1] ? p[1] : p[0];
}

/* Sorts the higher ends of one vertex' pairs; the lists are a dozen long. */
static int32_t sort_unique(int32_t *list, int32_t count) {
    for (int32_t i = 1; i < count; i++) {
        int32_t item = list[i], j = i;
        while (j > 0 && list[j - 1] > item) list[j] = list[j - 1], j--;
        list[j] = item;
    }
    int32_t kept = 0;
    for (int32_t i = 0; i < count; i++)
        if (kept == 0 || list[kept - 1] != list[i]) list[kept++] = list[i];
    return kept;
}

/* Takes ownership of `high`, which has room for `count`. */
static mus_status fill_structure(mus_block_matrix *m, const int32_t *pairs, int64_t count, int32_t *high) {
    int32_t n = m->n, *start = m->upper_start;
    m->higher = high;
    for (int64_t k = 0; k < count; k++) start[pair_low(pairs + 2 * k) + 1]++;
    for (int32_t i = 0; i < n; i++) start[i + 1] += start[i];
    for (int64_t k = 0; k < count; k++) high[start[pair_low(pairs + 2 * k)]++] = pair_high(pairs + 2 * k);
    for (int32_t i = n; i > 0; i--) start[i] = start[i - 1]; /* filling has moved each start to the next one */
    start[0] = 0;
    int32_t total = 0;
    for (int32_t i = 0; i < n; i++) {
        int32_t from = start[i], kept = sort_unique(high + from, start[i + 1] - from);
        memmove(high + total, high + from, sizeof *high * (size_t)kept);
        start[i] = total;
        total += kept;
    }
    start[n] = total;
    m->pair_count = total;
    /* Shrinking may fail under a strict allocator; the larger block then stays. */
    int32_t *shorter = mus_resize(high, sizeof *high * ((size_t)total + 1));
    if (shorter) m->higher = shorter;
    m->lower = mus_new(sizeof *m->lower * ((size_t)total + 1));
    if (!m->lower) return MUS_STATUS_NO_MEMORY;
    for (int32_t k = 0; k < total; k++) m->lower_start[m->higher[k] + 1]++;
    for (int32_t i = 0; i < n; i++) m->lower_start[i + 1] += m->lower_start[i];
    for (int32_t i = 0; i < n; i++) /* ascending i: each row's entries come out sorted */
        for (int32_t k = start[i]; k < start[i + 1]; k++)
            m->lower[m->lower_start[m->higher[k]]++] = (mus_lower_entry){i, k};
    for (int32_t i = n; i > 0; i--) m->lower_start[i] = m->lower_start[i - 1];
    m->lower_start[0] = 0;
    return MUS_STATUS_OK;
}

mus_status mus_block_matrix_create(mus_block_matrix *m, int32_t n, const int32_t *pairs, int64_t count) {
    *m = (mus_block_matrix){.n = n};
    int32_t *high = mus_new(sizeof(int32_t) * ((size_t)count + 1));
    m->upper_start = mus_new(sizeof(int32_t) * ((size_t)n + 1));
    m->lower_start = mus_new(sizeof(int32_t) * ((size_t)n + 1));
    mus_status status = MUS_STATUS_NO_MEMORY;
    if (high && m->upper_start && m->lower_start)
        status = fill_structure(m, pairs, count, high);
    else
        mus_free(high);
    m->block_sum = mus_new(sizeof(double) * (size_t)mus_parallel_blocks(n, BLOCK));
    m->grid = mus_new(sizeof *m->grid);
    if (!m->block_sum || !m->grid) status = MUS_STATUS_NO_MEMORY;
    if (status == MUS_STATUS_OK) status = mus_multigrid_create(m->grid, m);
    mus_lender lender = {0};
    if (status == MUS_STATUS_OK) {
        mus_block_matrix_borrow(m, &lender);
        lender = (mus_lender){mus_new(lender.used), 0};
        mus_block_matrix_borrow(m, &lender);
        m->scratch = lender.base;
        if (!m->scratch) status = MUS_STATUS_NO_MEMORY;
    }
    if (status != MUS_STATUS_OK) mus_block_matrix_free(m);
    return status;
}

void mus_block_matrix_borrow(mus_block_matrix *m, mus_lender *lender) {
    size_t n = (size_t)m->n;
    mus_free(m->scratch);
    m->scratch = NULL;
    mus_lend(lender, &m->pair, sizeof *m->pair * (size_t)m->pair_count);
    mus_lend(lender, &m->diagonal, sizeof *m->diagonal * n);
    mus_lend(lender, &m->factor, sizeof *m->factor * n);
    mus_lend(lender, &m->residual, sizeof(v3) * n);
    mus_lend(lender, &m->direction, sizeof(v3) * n);
    mus_lend(lender, &m->product, sizeof(v3) * n);
    mus_multigrid_borrow(m->grid, lender);
}

void mus_block_matrix_free(mus_block_matrix *m) {
    void *blocks[] = {m->upper_start, m->higher,    m->lower_start, m->lower,
                      m->general,     m->block_sum, m->grid,        m->scratch};
    if (m->grid) mus_multigrid_free(m->grid);
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) mus_free(blocks[k]);
    *m = (mus_block_matrix){0};
}

mus_block_matrix mus_block_matrix_view(const mus_block_matrix *whole, int32_t first, int32_t n) {
    mus_block_matrix m = *whole;
    m.n = n, m.pair_count = 0, m.first = whole->first + first;
    m.upper_start += first, m.lower_start += first;
    m.block_sum = NULL, m.grid = NULL, m.scratch = NULL;
    if (!m.diagonal) return m; /* nothing borrowed yet */
    m.diagonal += first, m.factor += first, m.residual += first, m.direction += first, m.product += first;
    return m;
}

int32_t mus_block_matrix_far_pair(const mus_block_matrix *m, int32_t low, int32_t high) {
    high += m->first;
    int32_t lo = m->upper_start[low], hi = m->upper_start[low + 1];
    while (lo < hi) {
        int32_t mid = lo + (hi - lo) / 2;
        if (m->higher[mid] < high)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

uint8_t mus_block_matrix_place(const mus_block_matrix *m, int32_t i, int32_t j) {
    int32_t low = i < j ? i : j, place = mus_block_matrix_far_pair(m, low, i < j ? j : i) - m->upper_start[low];
    return place < 255 ? (uint8_t)place : 255;
}

void mus_block_matrix_clear_rows(mus_block_matrix *m, int32_t begin, int32_t end) {
    int32_t first = m->upper_start[begin];
    size_t pairs = (size_t)(m->upper_start[end] - first);
    memset(m->pair + first, 0, sizeof *m->pair * pairs);
    if (m->general) memset(m->general + first, 0, sizeof *m->general * pairs);
    memset(m->diagonal + begin, 0, sizeof *m->diagonal * (size_t)(end - begin));
}

static void clear_rows(void *context, int64_t begin, int64_t end, int64_t block) {
    (void)block;
    mus_block_matrix_clear_rows(context, (int32_t)begin, (int32_t)end);
}

void mus_block_matrix_clear(mus_block_matrix *m, int threads) {
    mus_parallel_vertices(threads, m->n, clear_rows, m);
}

mus_status mus_block_matrix_make_general(mus_block_matrix *m) {
    m->general = mus_new(sizeof *m->general * ((size_t)m->pair_count + 1));
    return m->general ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

static void add_symmetric(mus_sym3 *to, const m3 *b) {
    to->xx += b->r[0].x, to->yy += b->r[1].y, to->zz += b->r[2].z;
    to->xy += 0.5 * (b->r[0].y + b->r[1].x);
    to->xz += 0.5 * (b->r[0].z + b->r[2].x);
    to->yz += 0.5 * (b->r[1].z + b->r[2].y);
}

void mus_block_matrix_add_even(mus_block_matrix *m, int32_t pair, double share, const mus_sym3 *b) {
    mus_sym3 *to = &m->general[pair].even;
    to->xx += share * b->xx, to->xy += share * b->xy, to->xz += share * b->xz;
    to->yy += share * b->yy, to->yz += share * b->yz, to->zz += share * b->zz;
}

void mus_block_matrix_add_pair(mus_block_matrix *m, int32_t pair, bool upper, const m3 *b) {
    mus_general_block *to = &m->general[pair];
    add_symmetric(&to->even, b);
    v3 axis = v3_make(b->r[2].y - b->r[1].z, b->r[0].z - b->r[2].x, b->r[1].x - b->r[0].y);
    to->odd = v3_axpy(upper ? 0.5 : -0.5, axis, to->odd);
}

typedef struct pcg {
    mus_block_matrix *m;
    const double *free;
    const v3 *b, *guess, *scale;
    v3 *x;
    double step, ratio;
} pcg;

/* x and y share a register, z has its own: each computes as scalar code would, with bit-identical results. */
typedef struct row_sum {
    __m128d xy, here_xy;
    double z, here_z;
} row_sum;

/* sum += (w w^T + t I) (here - there) */
static inline void add_pair(row_sum *s, const mus_pair_block *pair, const v3 *there) {
    __m128 block = _mm_loadu_ps(pair->w);
    __m128d wxy = _mm_cvtps_pd(block), wzt = _mm_cvtps_pd(_mm_movehl_ps(block, block));
    __m128d xy = _mm_sub_pd(s->here_xy, _mm_loadu_pd(&there->x)), along = _mm_mul_pd(wxy, xy);
    double z = s->here_z - there->z, wz = _mm_cvtsd_f64(wzt);
    __m128d t = _mm_unpackhi_pd(wzt, wzt);
    double sum = _mm_cvtsd_f64(along) + _mm_cvtsd_f64(_mm_unpackhi_pd(along, along)) + wz * z;
    s->xy = _mm_add_pd(s->xy, _mm_add_pd(_mm_mul_pd(wxy, _mm_set1_pd(sum)), _mm_mul_pd(t, xy)));
    s->z += wz * sum + _mm_cvtsd_f64(t) * z;
}

static v3 row_times(const mus_block_matrix *m, int64_t i, const v3 *p) {
    v3 own = mus_sym3_mul(&m->diagonal[i], p[i]);
    row_sum s = {_mm_loadu_pd(&own.x), _mm_loadu_pd(&p[i].x), own.z, p[i].z};
    for (int32_t k = m->lower_start[i]; k < m->lower_start[i + 1]; k++)
        add_pair(&s, &m->pair[m->lower[k].pair], &p[m->lower[k].vertex]);
    for (int32_t k = m->upper_start[i]; k < m->upper_start[i + 1]; k++) add_pair(&s, &m->pair[k], &p[m->higher[k]]);
    v3 sum;
    _mm_storeu_pd(&sum.x, s.xy);
    sum.z = s.z;
    for (int32_t k = m->lower_start[i]; m->general && k < m->lower_start[i + 1]; k++) {
        const mus_general_block *b = &m->general[m->lower[k].pair];
        v3 there = v3_sub(p[m->lower[k].vertex], p[i]);
        sum = v3_add(sum, v3_sub(mus_sym3_mul(&b->even, there), v3_cross(b->odd, there)));
    }
    for (int32_t k = m->upper_start[i]; m->general && k < m->upper_start[i + 1]; k++) {
        const mus_general_block *b = &m->general[k];
        v3 there = v3_sub(p[m->higher[k]], p[i]);
        sum = v3_add(sum, v3_add(mus_sym3_mul(&b->even, there), v3_cross(b->odd, there)));
    }
    return sum;
}

v3 mus_block_matrix_row(const mus_block_matrix *m, int32_t i, const v3 *p) {
    return row_times(m, i, p);
}

typedef struct multiplication {
    const mus_block_matrix *m;
    const v3 *p;
    v3 *out;
} multiplication;

static void multiply_rows(void *context, int64_t begin, int64_t end, int64_t block) {
    const multiplication *s = context;
    (void)block;
    for (int64_t i = begin; i < end; i++) s->out[i] = row_times(s->m, i, s->p);
}

void mus_block_matrix_multiply(const mus_block_matrix *m, const v3 *p, v3 *out, int threads) {
    multiplication s = {m, p, out};
    mus_parallel_for(m->n < WORTH_THREADS ? 1 : threads, m->n, BLOCK, multiply_rows, &s);
}

mus_sym3 mus_block_matrix_diagonal(const mus_block_matrix *m, int64_t i) {
    mus_sym3 sum = m->diagonal[i];
    int32_t lower = m->lower_start[i + 1] - m->lower_start[i], upper = m->upper_start[i + 1] - m->upper_start[i];
    for (int32_t k = 0; k < lower + upper; k++) {
        int32_t pair = k < lower ? m->lower[m->lower_start[i] + k].pair : m->upper_start[i] + k - lower;
        const mus_pair_block *b = &m->pair[pair];
        mus_sym3_add(&sum, 1, v3_make(b->w[0], b->w[1], b->w[2]), b->t);
        if (!m->general) continue;
        const mus_sym3 *even = &m->general[pair].even;
        sum.xx -= even->xx, sum.xy -= even->xy, sum.xz -= even->xz;
        sum.yy -= even->yy, sum.yz -= even->yz, sum.zz -= even->zz;
    }
    return sum;
}

/* p = guess, r = b - A x, and the factors; block sum: scale.P scale + b.P b with P the diagonal's inverse */
static void start_rows(void *context, int64_t begin, int64_t end, int64_t block) {
    pcg *s = context;
    mus_block_matrix *m = s->m;
    double sum = 0;
    for (int64_t i = begin; i < end; i++) {
        bool free = s->free[i] > 0;
        mus_sym3 whole = mus_block_matrix_diagonal(m, i);
        m->factor[i] = mus_factor3_of(&whole);
        m->residual[i] = free ? v3_sub(s->b[i], row_times(m, i, s->x)) : v3_make(0, 0, 0);
        m->direction[i] = free ? s->guess[i] : v3_make(0, 0, 0);
        if (free)
            sum += v3_dot(s->scale[i], mus_factor3_solve(&m->factor[i], s->scale[i])) +
                   v3_dot(s->b[i], mus_factor3_solve(&m->factor[i], s->b[i]));
    }
    m->block_sum[block] = sum;
}

/* block sum: p.r */
static void descent_rows(void *context, int64_t begin, int64_t end, int64_t block) {
    pcg *s = context;
    double sum = 0;
    for (int64_t i = begin; i < end; i++) sum += v3_dot(s->m->direction[i], s->m->residual[i]);
    s->m->block_sum[block] = sum;
}

/* q = A p; block sum: p.q */
static void product_rows(void *context, int64_t begin, int64_t end, int64_t block) {
    pcg *s = context;
    mus_block_matrix *m = s->m;
    double sum = 0;
    for (int64_t i = begin; i < end; i++) {
        v3 q = s->free[i] > 0 ? row_times(m, i, m->direction) : v3_make(0, 0, 0);
        m->product[i] = q;
        sum += v3_dot(m->direction[i], q);
    }
    m->block_sum[block] = sum;
}

/* x += step p, r -= step q; block sum: r.P r */
static void advance_rows(void *context, int64_t begin, int64_t end, int64_t block) {
    pcg *s = context;
    mus_block_matrix *m = s->m;
    double sum = 0;
    for (int64_t i = begin; i < end; i++) {
        s->x[i] = v3_axpy(s->step, m->direction[i], s->x[i]);
        v3 r = v3_axpy(-s->step, m->product[i], m->residual[i]);
        m->residual[i] = r;
        sum += v3_dot(r, mus_factor3_solve(&m->factor[i], r));
    }
    m->block_sum[block] = sum;
}

/* p = z + ratio p */
static void direction_rows(void *context, int64_t begin, int64_t end, int64_t block) {
    pcg *s = context;
    mus_block_matrix *m = s->m;
    (void)block;
    for (int64_t i = begin; i < end; i++) {
        const float *z = m->grid->levels[0].z[i].lane;
        m->direction[i] = v3_axpy(s->ratio, m->direction[i], v3_make(z[0], z[1], z[2]));
    }
}

static double total(const mus_block_matrix *m) {
    double sum = 0;
    for (int64_t k = 0, blocks = mus_parallel_blocks(m->n, BLOCK); k < blocks; k++) sum += m->block_sum[k];
    return sum;
}

mus_pcg_result mus_block_matrix_solve(mus_block_matrix *m, const double *free, const v3 *b, const v3 *guess,
                                      const v3 *scale, v3 *x, double tolerance, int32_t limit, int threads) {
    if (m->n < WORTH_THREADS) threads = 1;
    pcg s = {.m = m, .free = free, .b = b, .guess = guess, .scale = scale, .x = x};
    mus_parallel_for(threads, m->n, BLOCK, start_rows, &s);
    double small = tolerance * tolerance * total(m);
    mus_parallel_for(threads, m->n, BLOCK, product_rows, &s);
    double pq = total(m);
    mus_parallel_for(threads, m->n, BLOCK, descent_rows, &s);
    s.step = pq > 0 ? total(m) / pq : 0;
    mus_parallel_for(threads, m->n, BLOCK, advance_rows, &s);
    double left = total(m), rz = 1;
    int32_t iterations = 0;
    bool searching = left > small && left > 1e-300;
    if (searching) mus_multigrid_update(m->grid, m, free, threads);
    s.ratio = 0; /* the guess is not a conjugate direction */
    while (searching && iterations < limit) {
        double next = mus_multigrid_apply(m->grid, m, free, threads);
        if (!(next > 0)) break; /* lost to rounding */
        if (iterations > 0) s.ratio = next / rz;
        rz = next;
        mus_parallel_for(threads, m->n, BLOCK, direction_rows, &s);
        mus_parallel_for(threads, m->n, BLOCK, product_rows, &s);
        pq = total(m);
        if (!(pq > 0)) break; /* the direction has vanished */
        s.step = rz / pq;
        mus_parallel_for(threads, m->n, BLOCK, advance_rows, &s);
        left = total(m);
        searching = left > small && left > 1e-300;
        iterations++;
    }
    return (mus_pcg_result){iterations, small > 0 ? tolerance * sqrt(left / small) : 0};
}
