/* coarse.c: aggregates by recursive bisection, their dense matrix and its Cholesky factor. */
#include "solve/potential/coarse.h"
#include "base/box.h"
#include "base/select.h"

#include <string.h>

/* Aggregates of all cloths together, whose dense system is solved in every sweep, and vertices of one. Half and twice:
 * sweeps of vbd on sphere the same to 3 %. */
enum { MAX_GROUPS = 64, MIN_GROUP_SIZE = 8 };

/* ---- groups ---- */

typedef struct splitter {
    const v3 *x; /* of all cloth vertices */
    int32_t *order, *spare;
    double *keys;
    mus_coarse *coarse;
} splitter;

/* Splits [lo, hi) along its longest extent until there are `group_count` groups. */
static void split_into_groups(splitter *s, int32_t lo, int32_t hi, int32_t group_count) {
    if (group_count <= 1) {
        for (int32_t k = lo; k < hi; k++) s->coarse->group_of[s->order[k]] = s->coarse->group_count;
        s->coarse->group_count++;
        return;
    }
    mus_box box = mus_box_empty();
    for (int32_t k = lo; k < hi; k++) mus_box_grow(&box, s->x[s->order[k]], 0);
    int axis = mus_box_longest_axis(&box);
    int32_t left = group_count / 2, middle = lo + (int32_t)((int64_t)(hi - lo) * left / group_count), below = 0;
    for (int32_t k = lo; k < hi; k++) s->keys[k - lo] = v3_get(s->x[s->order[k]], axis);
    double pivot = mus_select(s->keys, hi - lo, middle - lo);
    for (int32_t k = lo; k < hi; k++) below += v3_get(s->x[s->order[k]], axis) < pivot;
    /* Of the keys equal to the pivot, the first `equal` go left; a NaN, for which the step is about to fail, goes to
     * the side with space. */
    int32_t equal = middle - lo - below, a = lo, b = middle;
    for (int32_t k = lo; k < hi; k++) {
        double key = v3_get(s->x[s->order[k]], axis);
        bool goes_left = b == hi || (a < middle && (key < pivot || (key == pivot && equal-- > 0)));
        s->spare[goes_left ? a++ : b++] = s->order[k];
    }
    memcpy(s->order + lo, s->spare + lo, sizeof *s->order * (size_t)(hi - lo));
    split_into_groups(s, lo, middle, left);
    split_into_groups(s, middle, hi, group_count - left);
}

mus_status mus_coarse_create(mus_coarse *c, const mus_assembly *a) {
    int32_t n = a->cloth_vertex_count;
    *c = (mus_coarse){.vertex_count = n};
    c->group_of = mus_new(sizeof(int32_t) * ((size_t)n + 1));
    int32_t *order = mus_new(sizeof(int32_t) * 2 * ((size_t)n + 1));
    double *keys = mus_new(sizeof(double) * ((size_t)n + 1));
    v3 *x = mus_new(sizeof(v3) * ((size_t)n + 1));
    bool all = c->group_of && order && keys && x;
    if (all) {
        splitter s = {x, order, order + n, keys, c};
        for (int32_t k = 0; k < a->cloth_count; k++) {
            const mus_object *object = &a->objects[k];
            memcpy(x + object->first, object->cloth->x, sizeof(v3) * (size_t)object->count);
            for (int32_t i = 0; i < object->count; i++) order[object->first + i] = object->first + i;
            /* each cloth gets its share of the groups, and at least one */
            int32_t group_count = (int32_t)((int64_t)MAX_GROUPS * object->count / n);
            if (group_count > object->count / MIN_GROUP_SIZE) group_count = object->count / MIN_GROUP_SIZE;
            split_into_groups(&s, object->first, object->first + object->count, group_count);
        }
    }
    mus_free(order), mus_free(keys), mus_free(x);
    size_t size = 3 * (size_t)c->group_count + 1;
    if (all) {
        c->matrix = mus_new(sizeof(double) * size * size);
        c->inverse = mus_new(sizeof(double) * size);
        c->value = mus_new(sizeof(double) * size);
        all = c->matrix && c->inverse && c->value;
    }
    return all ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

void mus_coarse_free(mus_coarse *c) {
    void *blocks[] = {c->group_of, c->matrix, c->inverse, c->value};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) mus_free(blocks[k]);
    *c = (mus_coarse){0};
}

void mus_coarse_memory(mus_archive *a, mus_coarse *c) {
    mus_archive_i32(a, NULL, c->group_of, c->vertex_count);
    if (a->mode != MUS_ARCHIVE_READ || a->status != MUS_STATUS_OK) return;
    for (int32_t i = 0; i < c->vertex_count; i++)
        if (c->group_of[i] < 0 || c->group_of[i] >= c->group_count) {
            mus_archive_refuse(a, "a vertex is in a group that does not exist");
            memset(c->group_of, 0, sizeof(int32_t) * (size_t)c->vertex_count);
            return;
        }
}

/* ---- the matrix ---- */

void mus_coarse_clear(mus_coarse *c) {
    size_t size = 3 * (size_t)c->group_count;
    memset(c->matrix, 0, sizeof(double) * size * size);
}

static void add_block(mus_coarse *c, int32_t p, int32_t q, double s, const mus_sym3 *b) {
    size_t size = 3 * (size_t)c->group_count;
    double *m = c->matrix + 3 * ((size_t)p * size + (size_t)q);
    m[0] += s * b->xx, m[1] += s * b->xy, m[2] += s * b->xz, m += size;
    m[0] += s * b->xy, m[1] += s * b->yy, m[2] += s * b->yz, m += size;
    m[0] += s * b->xz, m[1] += s * b->yz, m[2] += s * b->zz;
}

/* Adds the matrix of the cross product with `axis`. */
static void add_cross(mus_coarse *c, int32_t p, int32_t q, double s, v3 axis) {
    size_t size = 3 * (size_t)c->group_count;
    double *m = c->matrix + 3 * ((size_t)p * size + (size_t)q);
    m[1] -= s * axis.z, m[2] += s * axis.y, m += size;
    m[0] += s * axis.z, m[2] -= s * axis.x, m += size;
    m[0] -= s * axis.y, m[1] += s * axis.x;
}

/* Adds the blocks of a pair of vertices: to both diagonals, and negative to the off-diagonal. */
static void add_pair(mus_coarse *c, const mus_block_matrix *m, int32_t pair, int32_t i, int32_t j,
                     const double *inverse_mass) {
    const mus_pair_block *b = &m->pair[pair];
    mus_sym3 block = {0};
    mus_sym3_add(&block, 1, v3_make(b->w[0], b->w[1], b->w[2]), b->t);
    v3 odd = v3_make(0, 0, 0);
    if (m->general) {
        const mus_sym3 *even = &m->general[pair].even;
        block.xx -= even->xx, block.xy -= even->xy, block.xz -= even->xz;
        block.yy -= even->yy, block.yz -= even->yz, block.zz -= even->zz;
        odd = m->general[pair].odd;
    }
    int32_t p = c->group_of[i], q = c->group_of[j];
    bool first = inverse_mass[i] > 0, second = inverse_mass[j] > 0;
    if (first && second && p == q) return; /* moved alike: no contribution */
    if (first) add_block(c, p, p, 1, &block), add_cross(c, p, p, -1, odd);
    if (second) add_block(c, q, q, 1, &block), add_cross(c, q, q, 1, odd);
    if (!first || !second) return;
    if (q < p)
        add_block(c, p, q, -1, &block), add_cross(c, p, q, 1, odd);
    else
        add_block(c, q, p, -1, &block), add_cross(c, q, p, -1, odd);
}

void mus_coarse_add_matrix(mus_coarse *c, const mus_block_matrix *m, int32_t first, const double *inverse_mass) {
    for (int32_t i = 0; i < m->n; i++) {
        int32_t p = c->group_of[first + i];
        if (inverse_mass[first + i] > 0) add_block(c, p, p, 1, &m->diagonal[i]);
        for (int32_t k = m->upper_start[i]; k < m->upper_start[i + 1]; k++)
            add_pair(c, m, k, first + i, first + m->higher[k], inverse_mass);
    }
}

void mus_coarse_add_contact(mus_coarse *c, const int32_t *vertex, const double *weight, int count,
                            const mus_sym3 *block, const double *inverse_mass) {
    for (int i = 0; i < count; i++) {
        if (vertex[i] >= c->vertex_count || !(inverse_mass[vertex[i]] > 0)) continue;
        for (int j = 0; j < count; j++) {
            if (vertex[j] >= c->vertex_count || !(inverse_mass[vertex[j]] > 0)) continue;
            int32_t p = c->group_of[vertex[i]], q = c->group_of[vertex[j]];
            if (q <= p) add_block(c, p, q, weight[i] * weight[j], block);
        }
    }
}

/* A = L L^T by rows of the upper factor's transpose: the inner loop adds a multiple of one row to another. */
void mus_coarse_factor(mus_coarse *c) {
    int32_t n = 3 * c->group_count;
    double *m = c->matrix;
    for (int32_t i = 0; i < n; i++) /* the upper triangle, from the lower */
        for (int32_t j = 0; j < i; j++) m[(size_t)j * (size_t)n + (size_t)i] = m[(size_t)i * (size_t)n + (size_t)j];
    for (int32_t k = 0; k < n; k++) {
        double *row = m + (size_t)k * (size_t)n;
        c->inverse[k] =
            row[k] > 0 ? 1 / sqrt(row[k]) : 0; /* a group that is fixed, or singular by rounding, does not move */
        for (int32_t j = k; j < n; j++) row[j] *= c->inverse[k];
        for (int32_t i = k + 1; i < n; i++) {
            double by = row[i], *other = m + (size_t)i * (size_t)n;
            if (by == 0) continue;
            for (int32_t j = i; j < n; j++) other[j] -= by * row[j];
        }
    }
}

double mus_coarse_apply(mus_coarse *c, const double *inverse_mass, const v3 *r, v3 *z) {
    int32_t n = 3 * c->group_count;
    double *v = c->value, sum = 0;
    memset(v, 0, sizeof(double) * (size_t)n);
    for (int32_t i = 0; i < c->vertex_count; i++) {
        if (!(inverse_mass[i] > 0)) continue;
        double *g = v + 3 * c->group_of[i];
        g[0] += r[i].x, g[1] += r[i].y, g[2] += r[i].z;
    }
    for (int32_t k = 0; k < n; k++) {
        const double *row = c->matrix + (size_t)k * (size_t)n;
        v[k] *= c->inverse[k];
        sum += v[k] * v[k]; /* r.z = |L^-1 Z^T r|^2 */
        for (int32_t j = k + 1; j < n; j++) v[j] -= v[k] * row[j];
    }
    for (int32_t k = n - 1; k >= 0; k--) {
        const double *row = c->matrix + (size_t)k * (size_t)n;
        double value = v[k];
        for (int32_t j = k + 1; j < n; j++) value -= row[j] * v[j];
        v[k] = value * c->inverse[k];
    }
    for (int32_t i = 0; i < c->vertex_count; i++) {
        if (!(inverse_mass[i] > 0)) continue;
        const double *g = v + 3 * c->group_of[i];
        z[i] = v3_add(z[i], v3_make(g[0], g[1], g[2]));
    }
    return sum;
}
