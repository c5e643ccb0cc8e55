/* coupled_matrix.c: pattern and values of the first level of a multigrid of several block matrices with couplings. */
#include "linear/coupled_matrix.h"
#include "base/parallel.h"

#include <string.h>

/* ---- pattern ---- */

typedef struct pattern_input {
    int32_t n;
    mus_block_matrix *const *matrices;
    const int32_t *first;
    int32_t count;
} pattern_input;

/* Calls of `visit` for all neighbors in matrices: (row, column) both ways. */
static void each_pair(const pattern_input *p, void (*visit)(void *context, int32_t i, int32_t j), void *context) {
    for (int32_t k = 0; k < p->count; k++) {
        const mus_block_matrix *m = p->matrices[k];
        for (int32_t i = 0; m && i < m->n; i++)
            for (int32_t e = m->upper_start[i]; e < m->upper_start[i + 1]; e++) {
                visit(context, p->first[k] + i, p->first[k] + m->higher[e]);
                visit(context, p->first[k] + m->higher[e], p->first[k] + i);
            }
    }
}

static void count_neighbor(void *context, int32_t i, int32_t j) {
    int32_t *start = context;
    (void)j;
    start[i + 1]++;
}

typedef struct filling {
    int32_t *next, *column;
} filling;

static void put_neighbor(void *context, int32_t i, int32_t j) {
    filling *f = context;
    f->column[f->next[i]++] = j;
}

/* Removes repeated neighbors of rows, whose lists are packed; `seen` (n) is scratch. */
static void drop_repeats(int32_t n, int32_t *start, int32_t *column, int32_t *seen) {
    int32_t kept = 0, from = 0;
    for (int32_t i = 0; i < n; i++) seen[i] = -1;
    for (int32_t i = 0; i < n; i++) {
        int32_t to = start[i + 1];
        for (; from < to; from++) {
            int32_t j = column[from];
            if (seen[j] == i || j == i) continue;
            seen[j] = i;
            column[kept++] = j;
        }
        start[i + 1] = kept;
    }
}

static mus_status make_base(mus_coupled_matrix *m, const pattern_input *p, const int32_t *edges, int64_t edge_count) {
    int32_t *start = m->base_start;
    each_pair(p, count_neighbor, start);
    for (int64_t e = 0; e < 2 * edge_count; e++) start[edges[e] + 1]++;
    for (int32_t i = 0; i < m->n; i++) start[i + 1] += start[i];
    m->base_column = mus_new(sizeof(int32_t) * ((size_t)start[m->n] + 1));
    if (!m->base_column) return MUS_STATUS_NO_MEMORY;
    memcpy(m->seen, start, sizeof *start * (size_t)m->n);
    filling f = {m->seen, m->base_column};
    each_pair(p, put_neighbor, &f);
    for (int64_t e = 0; e < edge_count; e++) {
        put_neighbor(&f, edges[2 * e], edges[2 * e + 1]);
        put_neighbor(&f, edges[2 * e + 1], edges[2 * e]);
    }
    drop_repeats(m->n, start, m->base_column, m->seen);
    return MUS_STATUS_OK;
}

mus_status mus_coupled_matrix_create(mus_coupled_matrix *m, int32_t n, int32_t single,
                                     mus_block_matrix *const *matrices, const int32_t *first, int32_t count,
                                     const int32_t *edges, int64_t edge_count) {
    *m = (mus_coupled_matrix){.n = n, .single = single};
    m->base_start = mus_new(sizeof(int32_t) * ((size_t)n + 1));
    m->start = mus_new(sizeof(int32_t) * ((size_t)n + 1));
    m->seen = mus_new(sizeof(int32_t) * ((size_t)n + 1));
    m->diagonal = mus_new(sizeof *m->diagonal * ((size_t)n + 1));
    m->block_sum = mus_new(sizeof *m->block_sum * ((size_t)mus_parallel_vertex_blocks(n) + 1));
    mus_grid_part *parts = mus_new(sizeof *parts * ((size_t)count + 1));
    mus_status status = m->base_start && m->start && m->seen && m->diagonal && m->block_sum && parts
                            ? MUS_STATUS_OK
                            : MUS_STATUS_NO_MEMORY;
    int32_t part_count = 0;
    for (int32_t k = 0; k < count && status == MUS_STATUS_OK; k++)
        if (matrices[k]) parts[part_count++] = (mus_grid_part){matrices[k], first[k]};
    if (status == MUS_STATUS_OK) status = make_base(m, &(pattern_input){n, matrices, first, count}, edges, edge_count);
    if (status == MUS_STATUS_OK)
        status = mus_multigrid_create_joined(&m->grid, n, single, m->base_start, m->base_column, parts, part_count);
    mus_free(parts);
    if (status != MUS_STATUS_OK) mus_coupled_matrix_free(m);
    return status;
}

void mus_coupled_matrix_free(mus_coupled_matrix *m) {
    mus_multigrid_free(&m->grid);
    mus_free(m->base_start), mus_free(m->base_column), mus_free(m->start), mus_free(m->seen), mus_free(m->diagonal),
        mus_free(m->block_sum);
    mus_array_free(&m->pairs), mus_array_free(&m->column), mus_array_free(&m->entries);
    mus_array_free(&m->weighted);
    *m = (mus_coupled_matrix){0};
}

void mus_coupled_matrix_begin_pattern(mus_coupled_matrix *m) {
    m->pairs.count = 0;
}

mus_status mus_coupled_matrix_add_pattern(mus_coupled_matrix *m, const mus_stiffness_term *c) {
    for (int32_t i = 0; i < c->count; i++)
        for (int32_t j = 0; j < i; j++)
            if (!mus_array_push(&m->pairs, c->row[i]) || !mus_array_push(&m->pairs, c->row[j]))
                return MUS_STATUS_NO_MEMORY;
    return MUS_STATUS_OK;
}

mus_status mus_coupled_matrix_end_pattern(mus_coupled_matrix *m) {
    int32_t *start = m->start, n = m->n;
    m->has_values = false;
    memset(start, 0, sizeof *start * ((size_t)n + 1));
    for (int32_t i = 0; i < n; i++) start[i + 1] = m->base_start[i + 1] - m->base_start[i];
    for (int64_t k = 0; k < m->pairs.count; k++) start[m->pairs.data[k] + 1]++;
    for (int32_t i = 0; i < n; i++) start[i + 1] += start[i];
    if (!mus_array_reserve(&m->column, start[n] + 1)) return MUS_STATUS_NO_MEMORY;
    int32_t *column = m->column.data;
    for (int32_t i = 0; i < n; i++) {
        int32_t count = m->base_start[i + 1] - m->base_start[i];
        memcpy(column + start[i], m->base_column + m->base_start[i], sizeof *column * (size_t)count);
        m->seen[i] = start[i] + count;
    }
    filling f = {m->seen, column};
    for (int64_t k = 0; k < m->pairs.count; k += 2) {
        put_neighbor(&f, m->pairs.data[k], m->pairs.data[k + 1]);
        put_neighbor(&f, m->pairs.data[k + 1], m->pairs.data[k]);
    }
    drop_repeats(n, start, column, m->seen);
    return mus_multigrid_set_pattern(&m->grid, start, column, m->base_start);
}

/* ---- values ---- */

/* Adds a block between two rows. There is room. */
static void add_entry(mus_coupled_matrix *m, int32_t row, int32_t column, const m3 *b) {
    mus_grid_entry *e = &m->entries.data[m->entries.count++];
    e->row = row, e->column = column;
    e->block[0] = (mus_float4){{(float)-b->r[0].x, (float)-b->r[1].x, (float)-b->r[2].x, 0}};
    e->block[1] = (mus_float4){{(float)-b->r[0].y, (float)-b->r[1].y, (float)-b->r[2].y, 0}};
    e->block[2] = (mus_float4){{(float)-b->r[0].z, (float)-b->r[1].z, (float)-b->r[2].z, 0}};
}

static m3 transposed(const m3 *b) {
    return (m3){{v3_make(b->r[0].x, b->r[1].x, b->r[2].x), v3_make(b->r[0].y, b->r[1].y, b->r[2].y),
                 v3_make(b->r[0].z, b->r[1].z, b->r[2].z)}};
}

static mus_sym3 symmetric_part(const m3 *b) {
    return (mus_sym3){b->r[0].x, 0.5 * (b->r[0].y + b->r[1].x), 0.5 * (b->r[0].z + b->r[2].x),
                      b->r[1].y, 0.5 * (b->r[1].z + b->r[2].y), b->r[2].z};
}

mus_status mus_coupled_matrix_reserve(mus_coupled_matrix *m, int64_t edge_count, const mus_row_terms *rows) {
    int64_t most = m->pairs.count + 2 * edge_count, weighted = rows ? rows->vector.count : 0;
    if (most > m->grid.levels[0].entry_capacity) m->has_values = false;
    if (!mus_array_reserve(&m->entries, most + 1) || !mus_array_reserve(&m->weighted, weighted + 1))
        return MUS_STATUS_NO_MEMORY;
    m->rows = rows, m->weighted.count = weighted;
    for (int64_t k = 0; k < weighted; k++) m->weighted.data[k].count = 0;
    return mus_multigrid_reserve_entries(&m->grid, most);
}

static void clear_rows(void *context, int64_t begin, int64_t end, int64_t block) {
    mus_sym3 *own = context;
    (void)block;
    memset(own + begin, 0, sizeof *own * (size_t)(end - begin));
}

void mus_coupled_matrix_begin(mus_coupled_matrix *m, int threads) {
    mus_parallel_vertices(threads, m->n, clear_rows, m->grid.levels[0].own);
    m->entries.count = 0;
}

void mus_coupled_matrix_add_block(mus_coupled_matrix *m, int32_t row, const mus_sym3 *block) {
    mus_sym3_accumulate(&m->grid.levels[0].own[row], block);
}

/* x cross arm as a matrix, plus weight I */
static m3 jacobian(const mus_stiffness_term *c, int32_t k) {
    v3 a = c->arm[k];
    double w = c->weight[k];
    return (m3){{v3_make(w, a.z, -a.y), v3_make(-a.z, w, a.x), v3_make(a.y, -a.x, w)}};
}

static m3 product(const m3 *a, const m3 *b) {
    m3 p;
    m3 t = transposed(b);
    for (int r = 0; r < 3; r++)
        p.r[r] = v3_make(v3_dot(a->r[r], t.r[0]), v3_dot(a->r[r], t.r[1]), v3_dot(a->r[r], t.r[2]));
    return p;
}

void mus_coupled_matrix_add_term(mus_coupled_matrix *m, const mus_stiffness_term *c) {
    const mus_sym3 *s = &c->stiffness;
    m3 stiffness = {{v3_make(s->xx, s->xy, s->xz), v3_make(s->xy, s->yy, s->yz), v3_make(s->xz, s->yz, s->zz)}};
    m3 of[MUS_STIFFNESS_TERM_ROWS], sum = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
    for (int32_t i = 0; i < c->count; i++) {
        of[i] = jacobian(c, i);
        for (int r = 0; r < 3; r++) sum.r[r] = v3_add(sum.r[r], of[i].r[r]);
    }
    for (int32_t i = 0; i < c->count; i++) {
        m3 t = transposed(&of[i]), left = product(&t, &stiffness), whole = product(&left, &sum);
        mus_sym3 own = symmetric_part(&whole);
        mus_sym3_accumulate(&m->grid.levels[0].own[c->row[i]], &own);
        for (int32_t j = 0; j < c->count; j++) {
            if (i == j) continue;
            m3 block = product(&left, &of[j]);
            add_entry(m, c->row[i], c->row[j], &block);
        }
    }
}

static void read_rows(void *context, int64_t begin, int64_t end, int64_t block) {
    mus_coupled_matrix *m = context;
    const mus_grid_level *l = &m->grid.levels[0];
    (void)block;
    for (int64_t i = begin; i < end; i++) {
        const mus_grid_part *part = l->part_of[i] < 0 ? NULL : &l->parts[l->part_of[i]];
        m->diagonal[i] = part ? mus_block_matrix_diagonal(part->matrix, i - part->first) : (mus_sym3){0};
    }
}

void mus_coupled_matrix_read(mus_coupled_matrix *m, bool keeps_coarse, int threads) {
    if (!keeps_coarse || !m->grid.linear) mus_multigrid_forget_matrices(&m->grid);
    mus_parallel_vertices(threads, m->n, read_rows, m);
}

typedef struct factoring {
    const mus_grid_level *level;
    const mus_sym3 *diagonal;
    const double *free;
} factoring;

static void factor_rows(void *context, int64_t begin, int64_t end, int64_t block) {
    const factoring *f = context;
    const mus_grid_level *l = f->level;
    (void)block;
    for (int64_t i = begin; i < end; i++) {
        mus_sym3 whole = mus_grid_listed_diagonal(l, i);
        bool is_matrix_row = l->part_of[i] >= 0;
        if (is_matrix_row) mus_sym3_accumulate(&whole, &f->diagonal[i]);
        l->factor[i] = !is_matrix_row || f->free[i] > 0 ? mus_factor3_of(&whole) : (mus_factor3){0};
    }
}

/* ---- weighted terms, by rows ---- */

void mus_coupled_matrix_set_order(const mus_coupled_matrix *m, mus_weighted_term *c) {
    const mus_grid_order *o = &m->grid.levels[0].order;
    c->order = 0;
    for (int32_t i = 0; i < c->count; i++)
        for (int32_t j = 0; j < i; j++)
            c->order |= 1u << (mus_grid_is_before(o, c->row[j], c->row[i]) ? 4 * i + j : 4 * j + i);
}

/* Which of a term's rows row i is, which is one of them. */
static int32_t place_in(const mus_weighted_term *c, int32_t i) {
    int32_t at = 0;
    while (c->row[at] != i) at++;
    return at;
}

/* Adds what a row's weighted terms add to its diagonal, and counts its blocks with other rows, in all and of those
 * before it in a sweep. */
static void count_row(mus_coupled_matrix *m, int32_t i) {
    mus_grid_level *l = &m->grid.levels[0];
    int32_t count = 0, before = 0;
    for (int32_t k = m->rows->start[i]; k < m->rows->start[i + 1]; k++) {
        const mus_weighted_term *c = &m->weighted.data[m->rows->share.data[k].term];
        if (!c->count) continue;
        const mus_sym3 *s = &c->stiffness;
        int32_t at = place_in(c, i);
        double sum = 0;
        for (int32_t j = 0; j < c->count; j++) sum += c->weight[j];
        double w = c->weight[at] * sum;
        mus_sym3 own = {w * s->xx, w * s->xy, w * s->xz, w * s->yy, w * s->yz, w * s->zz};
        mus_sym3_accumulate(&l->own[i], &own);
        count += c->count - 1, before += __builtin_popcount(c->order >> 4 * at & 15);
    }
    l->start[i + 1] = count, l->split[i] = before;
}

static void count_rows(void *context, int64_t begin, int64_t end, int64_t block) {
    (void)block;
    for (int64_t i = begin; i < end; i++) count_row(context, (int32_t)i);
}

/* Stores the blocks of a row's weighted terms: the stiffness times two weights. */
static void fill_row(mus_coupled_matrix *m, int32_t i) {
    mus_grid_level *l = &m->grid.levels[0];
    int32_t before = l->split[i], after = m->grid.seen[i];
    for (int32_t k = m->rows->start[i]; k < m->rows->start[i + 1]; k++) {
        const mus_weighted_term *c = &m->weighted.data[m->rows->share.data[k].term];
        if (!c->count) continue;
        const mus_sym3 *s = &c->stiffness;
        const float xx = (float)s->xx, xy = (float)s->xy, xz = (float)s->xz, yy = (float)s->yy, yz = (float)s->yz,
                    zz = (float)s->zz;
        int32_t own = place_in(c, i);
        for (int32_t j = 0; j < c->count; j++) {
            if (j == own) continue;
            float f = (float)(-c->weight[own] * c->weight[j]);
            int32_t at = c->order >> (4 * own + j) & 1 ? before++ : after++;
            l->column[at] = c->row[j];
            l->block[at][0] = (mus_float4){{f * xx, f * xy, f * xz, 0}};
            l->block[at][1] = (mus_float4){{f * xy, f * yy, f * yz, 0}};
            l->block[at][2] = (mus_float4){{f * xz, f * yz, f * zz, 0}};
        }
    }
    l->split[i] = before, m->grid.seen[i] = after;
}

static void fill_rows(void *context, int64_t begin, int64_t end, int64_t block) {
    (void)block;
    for (int64_t i = begin; i < end; i++) fill_row(context, (int32_t)i);
}

/* Sets the entries of the first level: of weighted terms, then of the others. */
static void set_entries(mus_coupled_matrix *m, int threads) {
    mus_grid_level *l = &m->grid.levels[0];
    int32_t covered = m->rows ? m->rows->n : 0;
    memset(l->start + covered, 0, sizeof *l->start * (size_t)(m->n + 1 - covered)); /* start[0] is never written */
    memset(l->split + covered, 0, sizeof *l->split * (size_t)(m->n - covered));
    mus_parallel_vertices(threads, covered, count_rows, m);
    l->start[0] = 0;
    for (int64_t k = 0; k < m->entries.count; k++) {
        const mus_grid_entry *e = &m->entries.data[k];
        l->start[e->row + 1]++;
        l->split[e->row] += mus_grid_is_before(&l->order, e->column, e->row);
    }
    mus_grid_begin_entries(&m->grid);
    mus_parallel_vertices(threads, covered, fill_rows, m);
    for (int64_t k = 0; k < m->entries.count; k++) {
        const mus_grid_entry *e = &m->entries.data[k];
        memcpy(l->block[mus_grid_place_entry(&m->grid, e->row, e->column)], e->block, sizeof e->block);
    }
}

void mus_coupled_matrix_end(mus_coupled_matrix *m, const double *free, int threads) {
    factoring f = {&m->grid.levels[0], m->diagonal, free};
    set_entries(m, threads);
    mus_parallel_vertices(threads, m->n, factor_rows, &f);
    mus_multigrid_update(&m->grid, NULL, NULL, threads);
    m->has_values = true;
}

typedef struct exchange {
    mus_grid_level *level;
    const v3 *r;
    v3 *z;
} exchange;

static void read_right(void *context, int64_t begin, int64_t end, int64_t block) {
    const exchange *e = context;
    (void)block;
    for (int64_t i = begin; i < end; i++)
        e->level->right[i] = (mus_float4){{(float)e->r[i].x, (float)e->r[i].y, (float)e->r[i].z, 0}};
}

static double write_z(void *context, int64_t begin, int64_t end) {
    const exchange *e = context;
    double sum = 0;
    for (int64_t i = begin; i < end; i++) {
        const float *z = e->level->z[i].lane;
        e->z[i] = v3_make((double)z[0], (double)z[1], (double)z[2]);
        sum += v3_dot(e->r[i], e->z[i]);
    }
    return sum;
}

double mus_coupled_matrix_precondition(mus_coupled_matrix *m, const v3 *r, v3 *z, int threads) {
    exchange e = {&m->grid.levels[0], r, z};
    mus_parallel_vertices(threads, m->n, read_right, &e);
    mus_multigrid_apply_rows(&m->grid, threads);
    return mus_parallel_sum(threads, m->n, write_z, &e, m->block_sum);
}
