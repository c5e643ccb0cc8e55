/* block_matrix.c: assembly and preconditioned conjugate gradients. Sums are taken over blocks of fixed size, so the
 * result does not depend on the number of threads. */
#include "dynamics/block_matrix.h"
#include "base/parallel.h"

#include <emmintrin.h>
#include <string.h>

enum { BLOCK = 1024, WORTH_THREADS = 8192 }; /* below so many rows, waking threads costs more than they save */

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

static mus_status fill_structure(mus_block_matrix *m, const int32_t *pairs, int64_t count, int32_t *start,
                                 int32_t *high) {
    int32_t n = m->n;
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
    size_t entries = 2 * (size_t)total + 1;
    m->column = mus_new(sizeof(int32_t) * entries);
    m->entry_pair = mus_new(sizeof(int32_t) * entries);
    m->value = mus_new(sizeof(mus_sym3) * ((size_t)total + 1));
    if (!m->column || !m->entry_pair || !m->value) return MUS_STATUS_NO_MEMORY;
    for (int32_t i = 0; i < n; i++)
        for (int32_t k = start[i]; k < start[i + 1]; k++) m->row_start[i + 1]++, m->row_start[high[k] + 1]++;
    for (int32_t i = 0; i < n; i++) m->row_start[i + 1] += m->row_start[i];
    for (int32_t i = 0; i < n; i++) /* ascending i: each row's columns come out sorted */
        for (int32_t k = start[i]; k < start[i + 1]; k++) {
            int32_t a = m->row_start[i]++, b = m->row_start[high[k]]++;
            m->column[a] = high[k], m->entry_pair[a] = k;
            m->column[b] = i, m->entry_pair[b] = k;
        }
    for (int32_t i = n; i > 0; i--) m->row_start[i] = m->row_start[i - 1];
    m->row_start[0] = 0;
    return MUS_STATUS_OK;
}

mus_status mus_block_matrix_create(mus_block_matrix *m, int32_t n, const int32_t *pairs, int64_t count) {
    *m = (mus_block_matrix){.n = n};
    int32_t *start = mus_new(sizeof(int32_t) * ((size_t)n + 1));
    int32_t *high = mus_new(sizeof(int32_t) * ((size_t)count + 1));
    m->row_start = mus_new(sizeof(int32_t) * ((size_t)n + 1));
    m->diagonal = mus_new(sizeof(mus_sym3) * (size_t)n);
    m->inverse = mus_new(sizeof(mus_sym3) * (size_t)n);
    m->residual = mus_new(sizeof(v3) * (size_t)n);
    m->direction = mus_new(sizeof(v3) * (size_t)n);
    m->preconditioned = mus_new(sizeof(v3) * (size_t)n);
    m->product = mus_new(sizeof(v3) * (size_t)n);
    m->block_sum = mus_new(sizeof(double) * (size_t)mus_parallel_blocks(n, BLOCK));
    bool all = start && high && m->row_start && m->diagonal && m->inverse && m->residual && m->direction &&
               m->preconditioned && m->product && m->block_sum;
    mus_status status = all ? fill_structure(m, pairs, count, start, high) : MUS_STATUS_NO_MEMORY;
    mus_free(start);
    mus_free(high);
    if (status != MUS_STATUS_OK) mus_block_matrix_free(m);
    return status;
}

void mus_block_matrix_free(mus_block_matrix *m) {
    void *blocks[] = {m->row_start, m->column,   m->entry_pair, m->value,          m->skew,    m->diagonal,
                      m->inverse,   m->residual, m->direction,  m->preconditioned, m->product, m->block_sum};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) mus_free(blocks[k]);
    *m = (mus_block_matrix){0};
}

int32_t mus_block_matrix_find(const mus_block_matrix *m, int32_t i, int32_t j) {
    int32_t lo = m->row_start[i], hi = m->row_start[i + 1];
    while (lo < hi) {
        int32_t mid = lo + (hi - lo) / 2;
        if (m->column[mid] < j)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < m->row_start[i + 1] && m->column[lo] == j ? m->entry_pair[lo] : -1;
}

void mus_block_matrix_clear(mus_block_matrix *m) {
    memset(m->value, 0, sizeof *m->value * (size_t)m->pair_count);
    if (m->skew) memset(m->skew, 0, sizeof *m->skew * (size_t)m->pair_count);
    memset(m->diagonal, 0, sizeof *m->diagonal * (size_t)m->n);
}

mus_status mus_block_matrix_make_skew(mus_block_matrix *m) {
    m->skew = mus_new(sizeof *m->skew * ((size_t)m->pair_count + 1));
    return m->skew ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

static void add_symmetric(mus_sym3 *to, const m3 *b) {
    to->xx += b->r[0].x, to->yy += b->r[1].y, to->zz += b->r[2].z;
    to->xy += 0.5 * (b->r[0].y + b->r[1].x);
    to->xz += 0.5 * (b->r[0].z + b->r[2].x);
    to->yz += 0.5 * (b->r[1].z + b->r[2].y);
}

void mus_block_matrix_add_diagonal(mus_block_matrix *m, int32_t vertex, const m3 *block) {
    add_symmetric(&m->diagonal[vertex], block);
}

void mus_block_matrix_add_pair(mus_block_matrix *m, int32_t pair, bool upper, const m3 *b) {
    add_symmetric(&m->value[pair], b);
    v3 axis = v3_make(b->r[2].y - b->r[1].z, b->r[0].z - b->r[2].x, b->r[1].x - b->r[0].y);
    m->skew[pair] = v3_axpy(upper ? 0.5 : -0.5, axis, m->skew[pair]);
}

/* Inverse of a positive definite block; where rounding has spoilt it, of its diagonal alone. */
static mus_sym3 sym3_inverse(const mus_sym3 *m) {
    double a = m->yy * m->zz - m->yz * m->yz, b = m->xz * m->yz - m->xy * m->zz, c = m->xy * m->yz - m->xz * m->yy;
    double det = m->xx * a + m->xy * b + m->xz * c;
    if (!(det > 1e-12 * m->xx * m->yy * m->zz)) return (mus_sym3){1 / m->xx, 0, 0, 1 / m->yy, 0, 1 / m->zz};
    double s = 1 / det;
    return (mus_sym3){s * a,
                      s * b,
                      s * c,
                      s * (m->xx * m->zz - m->xz * m->xz),
                      s * (m->xy * m->xz - m->xx * m->yz),
                      s * (m->xx * m->yy - m->xy * m->xy)};
}

typedef struct pcg {
    mus_block_matrix *m;
    const double *free;
    const v3 *b, *guess, *scale;
    v3 *x;
    double step, ratio;
} pcg;

/* x and y ride in one register, z alone: each lane does what scalar code would do, so the bits are the same. */
static v3 row_times(const mus_block_matrix *m, int64_t i, const v3 *p) {
    const mus_sym3 *b = &m->diagonal[i];
    v3 a = p[i];
    __m128d xy = _mm_add_pd(_mm_add_pd(_mm_mul_pd(_mm_loadu_pd(&b->xx), _mm_set1_pd(a.x)),
                                       _mm_mul_pd(_mm_setr_pd(b->xy, b->yy), _mm_set1_pd(a.y))),
                            _mm_mul_pd(_mm_setr_pd(b->xz, b->yz), _mm_set1_pd(a.z)));
    double z = b->xz * a.x + b->yz * a.y + b->zz * a.z;
    for (int32_t k = m->row_start[i]; k < m->row_start[i + 1]; k++) {
        b = &m->value[m->entry_pair[k]];
        a = p[m->column[k]];
        xy = _mm_add_pd(xy, _mm_add_pd(_mm_add_pd(_mm_mul_pd(_mm_loadu_pd(&b->xx), _mm_set1_pd(a.x)),
                                                  _mm_mul_pd(_mm_setr_pd(b->xy, b->yy), _mm_set1_pd(a.y))),
                                       _mm_mul_pd(_mm_setr_pd(b->xz, b->yz), _mm_set1_pd(a.z))));
        z += b->xz * a.x + b->yz * a.y + b->zz * a.z;
    }
    v3 sum;
    _mm_storeu_pd(&sum.x, xy);
    sum.z = z;
    if (!m->skew) return sum;
    for (int32_t k = m->row_start[i]; k < m->row_start[i + 1]; k++) {
        v3 turn = v3_cross(m->skew[m->entry_pair[k]], p[m->column[k]]);
        sum = m->column[k] > i ? v3_add(sum, turn) : v3_sub(sum, turn);
    }
    return sum;
}

v3 mus_block_matrix_row(const mus_block_matrix *m, int32_t i, const v3 *p) {
    return row_times(m, i, p);
}

/* p = guess, r = b - A x, and the preconditioner; block sum: scale.P scale + b.P b */
static void start_rows(void *context, int64_t begin, int64_t end, int64_t block) {
    pcg *s = context;
    mus_block_matrix *m = s->m;
    double sum = 0;
    for (int64_t i = begin; i < end; i++) {
        bool free = s->free[i] > 0;
        m->inverse[i] = sym3_inverse(&m->diagonal[i]);
        m->residual[i] = free ? v3_sub(s->b[i], row_times(m, i, s->x)) : v3_make(0, 0, 0);
        m->direction[i] = free ? s->guess[i] : v3_make(0, 0, 0);
        if (free)
            sum += v3_dot(s->scale[i], mus_sym3_mul(&m->inverse[i], s->scale[i])) +
                   v3_dot(s->b[i], mus_sym3_mul(&m->inverse[i], s->b[i]));
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

/* x += step p, r -= step q, z = P r; block sum: r.z */
static void advance_rows(void *context, int64_t begin, int64_t end, int64_t block) {
    pcg *s = context;
    mus_block_matrix *m = s->m;
    double sum = 0;
    for (int64_t i = begin; i < end; i++) {
        s->x[i] = v3_axpy(s->step, m->direction[i], s->x[i]);
        v3 r = v3_axpy(-s->step, m->product[i], m->residual[i]);
        v3 z = mus_sym3_mul(&m->inverse[i], r);
        m->residual[i] = r;
        m->preconditioned[i] = z;
        sum += v3_dot(r, z);
    }
    m->block_sum[block] = sum;
}

static void direction_rows(void *context, int64_t begin, int64_t end, int64_t block) {
    pcg *s = context;
    (void)block;
    for (int64_t i = begin; i < end; i++)
        s->m->direction[i] = v3_axpy(s->ratio, s->m->direction[i], s->m->preconditioned[i]);
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
    double rz = total(m);
    s.ratio = 0; /* the guess is no direction to be conjugate to */
    mus_parallel_for(threads, m->n, BLOCK, direction_rows, &s);
    int32_t iterations = 0;
    while (iterations < limit && rz > small && rz > 1e-300) {
        mus_parallel_for(threads, m->n, BLOCK, product_rows, &s);
        pq = total(m);
        if (!(pq > 0)) break; /* the direction has vanished */
        s.step = rz / pq;
        mus_parallel_for(threads, m->n, BLOCK, advance_rows, &s);
        double next = total(m);
        s.ratio = next / rz;
        rz = next;
        mus_parallel_for(threads, m->n, BLOCK, direction_rows, &s);
        iterations++;
    }
    return (mus_pcg_result){iterations, small > 0 ? tolerance * sqrt(rz / small) : 0};
}
