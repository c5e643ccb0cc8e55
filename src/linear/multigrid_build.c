/* multigrid_build.c: groups, coarse patterns and the order of sweeps, from the pattern of a matrix. */
#include "linear/multigrid.h"

#include <string.h>

enum { MOST_LEVELS = 16 };

/* ---- rows of either kind of level ---- */

typedef struct pattern {
    const mus_block_matrix *matrix; /* of the first level of one matrix */
    const int32_t *start, *column;  /* else: neighbors of each row; */
    const int32_t *base_start;      /* those of the pattern at creation first: base_start[i] up to base_start[i + 1] */
} pattern;

static pattern pattern_of(const mus_grid_level *l) {
    return (pattern){.start = l->start, .column = l->column, .base_start = l->base_start};
}

static int32_t neighbor_count(const pattern *p, int32_t i) {
    const mus_block_matrix *m = p->matrix;
    if (!m) return p->start[i + 1] - p->start[i];
    return m->lower_start[i + 1] - m->lower_start[i] + m->upper_start[i + 1] - m->upper_start[i];
}

static int32_t neighbor(const pattern *p, int32_t i, int32_t k) {
    const mus_block_matrix *m = p->matrix;
    if (!m) return p->column[p->start[i] + k];
    int32_t lower = m->lower_start[i + 1] - m->lower_start[i];
    return k < lower ? m->lower[m->lower_start[i] + k].vertex : m->higher[m->upper_start[i] + k - lower];
}

/* ---- groups ---- */

/* Rows whose neighbors are all ungrouped make a group with them (Vanek et al. 1996, algorithm 1); the rest join
 * the group that most of their neighbors are in (of very many, the first). `seen` (n) is scratch. */
static int32_t make_groups(const pattern *p, int32_t n, int32_t *group, int32_t *seen) {
    enum { NONE = -1, ALONE = -2, MANY = 64 };
    int32_t count = 0;
    for (int32_t i = 0; i < n; i++) group[i] = neighbor_count(p, i) ? NONE : ALONE;
    for (int32_t i = 0; i < n; i++) {
        bool clear = group[i] == NONE;
        int32_t neighbors = neighbor_count(p, i);
        for (int32_t k = 0; k < neighbors && clear; k++) clear = group[neighbor(p, i, k)] == NONE;
        if (!clear) continue;
        group[i] = count;
        for (int32_t k = 0; k < neighbors; k++) group[neighbor(p, i, k)] = count;
        count++;
    }
    memcpy(seen, group, sizeof *seen * (size_t)n); /* copy of the present groups: joining does not make chains */
    for (int32_t i = 0; i < n; i++) {
        if (group[i] != NONE) continue; /* else a neighbor's group kept it from starting one */
        int32_t most = 0;
        for (int32_t k = 0, neighbors = neighbor_count(p, i); k < neighbors; k++) {
            int32_t of = seen[neighbor(p, i, k)], same = 0;
            for (int32_t l = 0; l < neighbors && of >= 0 && neighbors <= MANY; l++)
                same += seen[neighbor(p, i, l)] == of;
            if (of >= 0 && same + 1 > most) most = same + 1, group[i] = of;
        }
    }
    for (int32_t i = 0; i < n; i++)
        if (group[i] == ALONE) group[i] = -1;
    return count;
}

/* ---- interpolation ---- */

/* Shares by the number of the row and its neighbors in each group; its own group alone unless `linear`, or of very
 * many. Where groups are as wide as neighborhoods, that is nearly linear between them. Returns the number of shares. */
static int32_t row_shares(const pattern *p, bool linear, const int32_t *group, int32_t i,
                          mus_grid_share shares[MUS_GRID_SHARES]) {
    enum { MANY = 64 };
    mus_grid_share found[MANY + 1] = {{group[i], 1}};
    int32_t count = 1, neighbors = neighbor_count(p, i);
    if (group[i] < 0) return 0;
    for (int32_t k = 0; linear && k < neighbors && neighbors <= MANY; k++) {
        int32_t of = group[neighbor(p, i, k)], at = 0;
        while (at < count && found[at].row != of) at++;
        if (at == count) found[count++] = (mus_grid_share){of, 0};
        found[at].weight += 1;
    }
    for (int32_t k = 1; k < count; k++) { /* the largest first, of equals those found first */
        mus_grid_share item = found[k];
        int32_t at = k;
        while (at > 0 && found[at - 1].weight < item.weight) found[at] = found[at - 1], at--;
        found[at] = item;
    }
    if (count > MUS_GRID_SHARES) count = MUS_GRID_SHARES;
    float sum = 0;
    for (int32_t k = 0; k < count; k++) sum += found[k].weight;
    for (int32_t k = 0; k < count; k++) shares[k] = (mus_grid_share){found[k].row, found[k].weight / sum};
    return count;
}

/* Stores the shares by rows of the next level. */
static void transpose_shares(mus_grid_level *l, int32_t count) {
    int32_t *start = l->from_start;
    for (int32_t k = 0; k < l->to_start[l->n]; k++) start[l->to[k].row + 1]++;
    for (int32_t a = 0; a < count; a++) start[a + 1] += start[a];
    for (int32_t i = 0; i < l->n; i++)
        for (int32_t k = l->to_start[i]; k < l->to_start[i + 1]; k++)
            l->from[start[l->to[k].row]++] = (mus_grid_share){i, l->to[k].weight};
    for (int32_t a = count; a > 0; a--) start[a] = start[a - 1];
    start[0] = 0;
}

/* Finds the rows of the next level that each run of rows has shares in. */
static mus_status make_spans(mus_grid_level *l) {
    int32_t runs = (l->n - 1) / MUS_GRID_RUN + 1;
    l->spans = mus_new(sizeof *l->spans * (size_t)runs);
    if (!l->spans) return MUS_STATUS_NO_MEMORY;
    for (int32_t r = 0; r < runs; r++) {
        int32_t first = r * MUS_GRID_RUN, last = l->n - first < MUS_GRID_RUN ? l->n : first + MUS_GRID_RUN;
        mus_grid_span span = {INT32_MAX, 0};
        for (int32_t k = l->to_start[first]; k < l->to_start[last]; k++) {
            if (l->to[k].row < span.lo) span.lo = l->to[k].row;
            if (l->to[k].row >= span.hi) span.hi = l->to[k].row + 1;
        }
        l->spans[r] = span;
    }
    return MUS_STATUS_OK;
}

static mus_status make_interpolation(const pattern *p, bool linear, mus_grid_level *l, const int32_t *group,
                                     int32_t count) {
    mus_grid_share shares[MUS_GRID_SHARES];
    l->to_start = mus_new(sizeof(int32_t) * ((size_t)l->n + 1));
    l->from_start = mus_new(sizeof(int32_t) * ((size_t)count + 1));
    if (!l->to_start || !l->from_start) return MUS_STATUS_NO_MEMORY;
    for (int32_t i = 0; i < l->n; i++) l->to_start[i + 1] = l->to_start[i] + row_shares(p, linear, group, i, shares);
    l->to = mus_new(sizeof *l->to * (size_t)l->to_start[l->n]);
    l->from = mus_new(sizeof *l->from * (size_t)l->to_start[l->n]);
    if (!l->to || !l->from) return MUS_STATUS_NO_MEMORY;
    for (int32_t i = 0; i < l->n; i++) row_shares(p, linear, group, i, l->to + l->to_start[i]);
    transpose_shares(l, count);
    return linear ? make_spans(l) : MUS_STATUS_OK;
}

/* Lists, from `total` on and as far as there is room, the rows of the next level that row j has shares in and that row
 * a there has not seen; returns where they end. */
static int32_t list_unseen(const mus_grid_level *l, mus_grid_level *next, int32_t *seen, int32_t a, int32_t j,
                           int32_t total) {
    int32_t room = next->column ? next->entry_capacity : 0;
    for (int32_t t = l->to_start[j]; t < l->to_start[j + 1]; t++) {
        int32_t b = l->to[t].row;
        if (seen[b] == a) continue;
        seen[b] = a;
        if (total < room) next->column[total] = b;
        total++;
    }
    return total;
}

/* Lists the neighbors of each row of the next level, as far as there is room, and returns their number. `seen` (one per
 * row of the next level) is scratch. */
static int32_t list_neighbors(const pattern *p, const mus_grid_level *l, mus_grid_level *next, int32_t *seen) {
    int32_t total = 0, count = next->n;
    for (int32_t a = 0; a < count; a++) seen[a] = -1;
    for (int32_t a = 0; a < count; a++) {
        next->start[a] = total;
        seen[a] = a;
        for (int32_t s = l->from_start[a]; s < l->from_start[a + 1]; s++) {
            int32_t i = l->from[s].row, neighbors = neighbor_count(p, i);
            for (int32_t k = -1; k < neighbors; k++) {
                int32_t j = k < 0 ? i : neighbor(p, i, k);
                total = list_unseen(l, next, seen, a, j, total);
            }
        }
    }
    next->start[count] = total;
    return total;
}

/* Keeps the lists of a level at creation, which later patterns add to. */
static mus_status keep_lists(mus_grid_level *l) {
    int32_t total = l->start[l->n];
    l->base_start = mus_new(sizeof *l->base_start * ((size_t)l->n + 1));
    l->base_column = mus_new(sizeof *l->base_column * ((size_t)total + 1));
    if (!l->base_start || !l->base_column) return MUS_STATUS_NO_MEMORY;
    memcpy(l->base_start, l->start, sizeof *l->base_start * ((size_t)l->n + 1));
    memcpy(l->base_column, l->column, sizeof *l->base_column * (size_t)total);
    return MUS_STATUS_OK;
}

/* Lists the neighbors of row a of the next level that the rows of the pattern have more than at creation, from `total`
 * on; returns where they end. */
static int32_t list_added(const pattern *p, const mus_grid_level *l, mus_grid_level *next, int32_t *seen, int32_t a,
                          int32_t total) {
    bool any = false;
    for (int32_t s = l->from_start[a]; s < l->from_start[a + 1]; s++) {
        int32_t i = l->from[s].row, base = p->base_start[i + 1] - p->base_start[i];
        for (int32_t k = p->start[i] + base; k < p->start[i + 1]; k++) {
            int32_t j = p->column[k];
            for (int32_t b = next->base_start[a]; b < next->base_start[a + 1] && !any; b++)
                seen[next->base_column[b]] = a;
            seen[a] = a, any = true;
            total = list_unseen(l, next, seen, a, j, total);
        }
    }
    return total;
}

/* As list_neighbors, of a pattern that has more neighbors than that at creation; those of the latter first. */
static int32_t extend_neighbors(const pattern *p, const mus_grid_level *l, mus_grid_level *next, int32_t *seen) {
    int32_t total = 0, count = next->n, room = next->column ? next->entry_capacity : 0;
    for (int32_t a = 0; a < count; a++) seen[a] = -1;
    for (int32_t a = 0; a < count; a++) {
        int32_t base = next->base_start[a + 1] - next->base_start[a];
        next->start[a] = total;
        if (total + base <= room)
            memcpy(next->column + total, next->base_column + next->base_start[a], sizeof(int32_t) * (size_t)base);
        total = list_added(p, l, next, seen, a, total + base);
    }
    next->start[count] = total;
    return total;
}

/* ---- order ---- */

static void free_order(mus_grid_order *o) {
    mus_free(o->color), mus_free(o->color_start), mus_free(o->domain), mus_free(o->seen);
    *o = (mus_grid_order){0};
}

/* Each domain takes the lowest color that none of its neighbors has so far. */
static mus_status make_order(const pattern *p, int32_t n, int32_t least_rows, mus_grid_order *o) {
    int32_t shift = 0;
    while (1 << shift < least_rows || (n - 1) >> shift >= MUS_GRID_DOMAINS) shift++;
    int32_t domain_rows = 1 << shift, count = ((n - 1) >> shift) + 1;
    if (!o->color) { /* else of an earlier pattern of as many rows */
        *o = (mus_grid_order){.shift = shift, .domain_count = count};
        o->color = mus_new(sizeof(int32_t) * (size_t)count);
        o->domain = mus_new(sizeof(int32_t) * (size_t)count);
        o->color_start = mus_new(sizeof(int32_t) * ((size_t)count + 1));
        o->seen = mus_new(sizeof(int32_t) * (size_t)count);
    }
    int32_t *seen = o->seen;
    o->color_count = 0;
    bool all = o->color && o->domain && o->color_start && seen;
    for (int32_t d = 0; d < count && all; d++) seen[d] = -1;
    for (int32_t d = 0; d < count && all; d++) {
        for (int32_t i = d * domain_rows; i < n && i < (d + 1) * domain_rows; i++)
            for (int32_t k = 0, neighbors = neighbor_count(p, i); k < neighbors; k++) {
                int32_t other = neighbor(p, i, k) >> shift;
                if (other < d) seen[o->color[other]] = d;
            }
        int32_t color = 0;
        while (seen[color] == d) color++;
        o->color[d] = color;
        if (color >= o->color_count) o->color_count = color + 1;
    }
    for (int32_t c = 0, at = 0; c < o->color_count && all; c++) {
        o->color_start[c] = at;
        for (int32_t d = 0; d < count; d++)
            if (o->color[d] == c) o->domain[at++] = d;
        o->color_start[c + 1] = at;
    }
    return all ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

/* Neighbors before a row first, both kinds in ascending order. */
static void sort_rows(mus_grid_level *level) {
    for (int32_t i = 0; i < level->n; i++) {
        int32_t *list = level->column + level->start[i], count = level->start[i + 1] - level->start[i], first = 0;
        for (int32_t k = 1; k < count; k++) {
            int32_t item = list[k], at = k;
            bool early = mus_grid_is_before(&level->order, item, i);
            while (at > 0 && (early > mus_grid_is_before(&level->order, list[at - 1], i) ||
                              (early == mus_grid_is_before(&level->order, list[at - 1], i) && list[at - 1] > item)))
                list[at] = list[at - 1], at--;
            list[at] = item;
        }
        while (first < count && mus_grid_is_before(&level->order, list[first], i)) first++;
        level->split[i] = level->start[i] + first;
    }
}

/* ---- levels ---- */

/* Room for the entries of a level's rows; their present ones are lost. */
static bool reserve_entries(mus_grid_level *l, int32_t entries) {
    if (l->column && l->block && entries <= l->entry_capacity) return true;
    mus_free(l->column), mus_free(l->block), mus_free(l->matrix_block);
    l->entry_capacity = entries + entries / 4 + 1;
    l->column = mus_new(sizeof(int32_t) * (size_t)l->entry_capacity);
    l->block = mus_new(sizeof *l->block * (size_t)l->entry_capacity);
    l->matrix_block = l->matrix_own ? mus_new(sizeof *l->block * (size_t)l->entry_capacity) : NULL;
    return l->column && l->block && (l->matrix_block || !l->matrix_own);
}

/* Memory of a level whose rows list their neighbors. */
static bool make_rows(mus_grid_level *l, int32_t count, bool linear) {
    size_t n = (size_t)count;
    l->n = count;
    l->start = mus_new(sizeof(int32_t) * (n + 1));
    l->split = mus_new(sizeof(int32_t) * n);
    l->own = mus_new(sizeof *l->own * n);
    l->factor = mus_new(sizeof *l->factor * n);
    if (linear) l->left = mus_new(sizeof *l->left * n);
    l->right = mus_new(sizeof *l->right * n);
    l->z = mus_new(sizeof *l->z * n);
    return l->start && l->split && l->own && l->factor && (l->left || !linear) && l->right && l->z;
}

typedef int32_t (*lister)(const pattern *p, const mus_grid_level *level, mus_grid_level *next, int32_t *seen);

/* Lists the neighbors of the next level's rows, from the pattern of a level. */
static mus_status list_coarser(lister list, const pattern *p, const mus_grid_level *level, mus_grid_level *next,
                               int32_t *seen) {
    int32_t count = list(p, level, next, seen);
    next->has_matrix_values = false;
    if (next->column && count <= next->entry_capacity) return MUS_STATUS_OK;
    if (!reserve_entries(next, count)) return MUS_STATUS_NO_MEMORY;
    list(p, level, next, seen); /* again, with room for all */
    return MUS_STATUS_OK;
}

static mus_status order_level(mus_grid_level *l) {
    pattern own = pattern_of(l);
    mus_status status = make_order(&own, l->n, MUS_GRID_COARSE_DOMAIN, &l->order);
    if (status == MUS_STATUS_OK) sort_rows(l);
    return status;
}

static mus_status make_coarser(const pattern *p, bool linear, bool joins, mus_grid_level *level, int32_t count,
                               mus_grid_level *next) {
    int32_t *seen = mus_new(sizeof(int32_t) * (size_t)count);
    mus_status status = seen && make_rows(next, count, linear) ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
    bool keeps_matrices = level->parts && level->n < MUS_GRID_KEPT;
    if (status == MUS_STATUS_OK && keeps_matrices && !(next->matrix_own = mus_new(sizeof *next->own * (size_t)count)))
        status = MUS_STATUS_NO_MEMORY;
    if (status == MUS_STATUS_OK) status = list_coarser(list_neighbors, p, level, next, seen);
    if (status == MUS_STATUS_OK && joins) status = keep_lists(next);
    if (status == MUS_STATUS_OK) status = order_level(next);
    mus_free(seen);
    return status;
}

/* Adds a level, unless grouping no longer reduces the size. The last `single` rows are groups of their own. */
static mus_status add_level(mus_multigrid *grid, const pattern *first) {
    mus_grid_level *level = &grid->levels[grid->level_count - 1];
    pattern p = grid->level_count == 1 ? *first : pattern_of(level);
    int32_t *group = mus_new(sizeof(int32_t) * (size_t)level->n);
    int32_t *seen = mus_new(sizeof(int32_t) * (size_t)level->n);
    int32_t count = group && seen ? make_groups(&p, level->n, group, seen) : -1;
    mus_status status = count < 0 ? MUS_STATUS_NO_MEMORY : MUS_STATUS_OK;
    for (int32_t k = 0; count >= 0 && k < grid->single; k++) group[level->n - grid->single + k] = count++;
    bool gained = count > 0 && count <= level->n - level->n / 4;
    if (gained) status = make_interpolation(&p, grid->linear, level, group, count);
    mus_free(seen), mus_free(group);
    if (status != MUS_STATUS_OK || !gained) return status;
    status = make_coarser(&p, grid->linear, grid->joins, level, count, level + 1);
    grid->level_count++; /* what exists of it is freed with the rest */
    return status;
}

/* Adds the levels after the first, whose pattern is given. */
static mus_status add_levels(mus_multigrid *grid, const pattern *first) {
    mus_status status = MUS_STATUS_OK;
    mus_grid_level *last = grid->levels;
    while (status == MUS_STATUS_OK && last->n > MUS_GRID_COARSEST && grid->level_count < MOST_LEVELS) {
        status = add_level(grid, first);
        if (last == &grid->levels[grid->level_count - 1]) break;
        last = &grid->levels[grid->level_count - 1];
    }
    grid->direct = grid->level_count > 1 && last->n <= MUS_GRID_DIRECT;
    if (status != MUS_STATUS_OK || !grid->direct) return status;
    size_t size = 3 * (size_t)last->n;
    grid->dense = mus_new(sizeof(double) * size * size);
    grid->value = mus_new(sizeof(double) * size);
    return grid->dense && grid->value ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

static mus_status begin_levels(mus_multigrid *grid, int32_t n) {
    *grid = (mus_multigrid){0};
    grid->levels = mus_new(sizeof *grid->levels * MOST_LEVELS);
    if (!grid->levels) return MUS_STATUS_NO_MEMORY;
    grid->level_count = 1, grid->linear = n >= MUS_GRID_MANY;
    grid->levels[0].n = n;
    return MUS_STATUS_OK;
}

mus_status mus_multigrid_create(mus_multigrid *grid, const mus_block_matrix *m) {
    mus_status status = begin_levels(grid, m->n);
    if (status != MUS_STATUS_OK) return status;
    pattern p = {.matrix = m};
    status = make_order(&p, m->n, MUS_GRID_DOMAIN, &grid->levels[0].order);
    if (status == MUS_STATUS_OK) status = add_levels(grid, &p);
    if (status != MUS_STATUS_OK) mus_multigrid_free(grid);
    return status;
}

/* ---- a first level of several matrices ---- */

static mus_status make_parts(mus_grid_level *l, const mus_grid_part *parts, int32_t count) {
    l->parts = mus_new(sizeof *l->parts * ((size_t)count + 1));
    l->part_of = mus_new(sizeof *l->part_of * (size_t)l->n);
    if (!l->parts || !l->part_of) return MUS_STATUS_NO_MEMORY;
    for (int32_t i = 0; i < l->n; i++) l->part_of[i] = -1;
    for (int32_t k = 0; k < count; k++) {
        l->parts[k] = parts[k];
        for (int32_t i = 0; i < parts[k].matrix->n; i++) l->part_of[parts[k].first + i] = k;
    }
    return MUS_STATUS_OK;
}

mus_status mus_multigrid_create_joined(mus_multigrid *grid, int32_t n, int32_t single, const int32_t *start,
                                       const int32_t *column, const mus_grid_part *parts, int32_t part_count) {
    mus_status status = begin_levels(grid, n);
    if (status != MUS_STATUS_OK) return status;
    grid->joins = true, grid->single = single;
    grid->seen = mus_new(sizeof(int32_t) * (size_t)n);
    mus_grid_level *l = &grid->levels[0];
    pattern p = {NULL, start, column, NULL};
    status = grid->seen && make_rows(l, n, grid->linear) ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
    if (status == MUS_STATUS_OK) status = make_parts(l, parts, part_count);
    if (status == MUS_STATUS_OK) status = make_order(&p, n, MUS_GRID_DOMAIN, &l->order);
    if (status == MUS_STATUS_OK) status = mus_multigrid_reserve_entries(grid, 0);
    if (status == MUS_STATUS_OK) status = add_levels(grid, &p);
    if (status != MUS_STATUS_OK) mus_multigrid_free(grid);
    return status;
}

mus_status mus_multigrid_set_pattern(mus_multigrid *grid, const int32_t *start, const int32_t *column,
                                     const int32_t *base_start) {
    pattern p = {NULL, start, column, base_start};
    mus_status status = make_order(&p, grid->levels[0].n, MUS_GRID_DOMAIN, &grid->levels[0].order);
    for (int32_t k = 0; k + 1 < grid->level_count && status == MUS_STATUS_OK; k++) {
        status = list_coarser(extend_neighbors, &p, &grid->levels[k], &grid->levels[k + 1], grid->seen);
        p = pattern_of(&grid->levels[k + 1]);
    }
    for (int32_t k = 1; k < grid->level_count && status == MUS_STATUS_OK; k++) status = order_level(&grid->levels[k]);
    return status;
}

void mus_multigrid_forget_matrices(mus_multigrid *grid) {
    if (grid->level_count > 1) grid->levels[1].has_matrix_values = false;
}

mus_status mus_multigrid_reserve_entries(mus_multigrid *grid, int64_t count) {
    if (count > INT32_MAX / 2) return MUS_STATUS_NO_MEMORY;
    return reserve_entries(&grid->levels[0], (int32_t)count) ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

void mus_grid_begin_entries(mus_multigrid *grid) {
    mus_grid_level *l = &grid->levels[0];
    int32_t *before = l->split, *after = grid->seen;
    for (int32_t i = 0; i < l->n; i++) {
        l->start[i + 1] += l->start[i];
        after[i] = l->start[i] + before[i];
        before[i] = l->start[i];
    }
}

/* `before` ends where the row's later ones begin, as `split` does. */
int32_t mus_grid_place_entry(mus_multigrid *grid, int32_t row, int32_t column) {
    mus_grid_level *l = &grid->levels[0];
    int32_t at = mus_grid_is_before(&l->order, column, row) ? l->split[row]++ : grid->seen[row]++;
    l->column[at] = column;
    return at;
}

void mus_multigrid_free(mus_multigrid *grid) {
    for (int32_t k = 0; k < grid->level_count; k++) {
        mus_grid_level *l = &grid->levels[k];
        free_order(&l->order);
        void *blocks[] = {l->to_start,
                          l->to,
                          l->from_start,
                          l->from,
                          l->spans,
                          l->start,
                          l->split,
                          l->column,
                          l->base_start,
                          l->base_column,
                          l->block,
                          l->parts,
                          l->part_of,
                          l->own,
                          l->matrix_block,
                          l->matrix_own,
                          l->factor,
                          l->right,
                          k || grid->joins ? l->left : NULL,
                          k || grid->joins ? l->z : NULL};
        for (size_t b = 0; b < sizeof blocks / sizeof blocks[0]; b++) mus_free(blocks[b]);
    }
    mus_free(grid->levels), mus_free(grid->dense), mus_free(grid->value), mus_free(grid->seen);
    *grid = (mus_multigrid){0};
}

void mus_multigrid_borrow(mus_multigrid *grid, mus_lender *lender) {
    if (grid->linear) mus_lend(lender, &grid->levels[0].left, sizeof(mus_float4) * (size_t)grid->levels[0].n);
    mus_lend(lender, &grid->levels[0].z, sizeof(mus_float4) * (size_t)grid->levels[0].n);
}
