/* contact_coloring.c: greedy coloring of blocks of contact constraints, their wide blocks, and sweeps over them. */
#include "response/contact_coloring.h"
#include "base/parallel.h"
#include "base/simd.h"

#include <string.h>

enum {
    OTHERS = MUS_CONTACT_COLOR_COUNT - 1,
    GROUPS_PER_SHARE = 8,
    PLACES_PER_SHARE = 1024,
    WIDE_PER_SHARE = 64
}; /* the last three: items in a share of a CPU thread */
enum {
    MIN_WIDE_PER_LOOP = 48,
    MIN_PLACES_PER_LOOP = 4 * PLACES_PER_SHARE
}; /* with fewer, CPU threads cost more than they save */

/* ---- colors ---- */

static int32_t block_size(const mus_contact_coloring *coloring, int32_t block) {
    int64_t left = coloring->constraints.count - (int64_t)block * coloring->block;
    return (int32_t)(left < coloring->block ? left : coloring->block);
}

/* Bit c of a vertex' mark: a block of color c has a constraint there. */
static int32_t choose_color(const mus_assembly *a, const mus_contact_constraint_list *constraints,
                            const mus_contact_coloring *coloring, int32_t block, uint64_t *marks) {
    const int32_t *list = coloring->constraints.data + (int64_t)block * coloring->block;
    int32_t size = block_size(coloring, block);
    uint64_t taken = 0;
    for (int32_t k = 0; k < size; k++)
        for (int c = 0; c < 4; c++) taken |= marks[constraints->data[list[k]].vertex[c]];
    uint64_t left = ~taken & (((uint64_t)1 << OTHERS) - 1);
    int32_t color = left ? __builtin_ctzll(left) : OTHERS;
    for (int32_t k = 0; k < size; k++)
        for (int c = 0; c < 4; c++) {
            int32_t i = constraints->data[list[k]].vertex[c];
            if (a->inverse_mass[i] > 0) marks[i] |= (uint64_t)1 << color;
        }
    return color;
}

/* Sorts blocks by color; `start` receives the index of each color's first block. */
static void color_blocks(const mus_assembly *a, const mus_contact_constraint_list *constraints,
                         mus_contact_coloring *coloring, int32_t start[MUS_CONTACT_COLOR_COUNT + 1]) {
    uint64_t *marks = coloring->marks.data;
    int32_t count = (int32_t)coloring->colors.count;
    memset(marks, 0, sizeof *marks * (size_t)a->vertex_count);
    memset(start, 0, sizeof *start * (MUS_CONTACT_COLOR_COUNT + 1));
    for (int32_t b = 0; b < count; b++)
        start[1 + (coloring->colors.data[b] = choose_color(a, constraints, coloring, b, marks))]++;
    for (int c = 0; c < MUS_CONTACT_COLOR_COUNT; c++) start[c + 1] += start[c];
    for (int32_t b = 0; b < count; b++) coloring->blocks.data[start[coloring->colors.data[b]]++] = b;
    for (int c = MUS_CONTACT_COLOR_COUNT; c > 0; c--) start[c] = start[c - 1];
    start[0] = 0;
}

/* ---- wide blocks ---- */

/* Returns aligned memory, or NULL. */
static void *aligned_array(mus_contact_aligned_memory *memory, int64_t count, size_t size) {
    enum { LINE = 64 };
    if (!mus_array_reserve(memory, count * (int64_t)size + LINE)) return NULL;
    return memory->data + (LINE - (uintptr_t)memory->data % LINE);
}

static mus_status make_groups(const int32_t start[MUS_CONTACT_COLOR_COUNT + 1], mus_contact_coloring *coloring) {
    int32_t wide_contacts = 0;
    for (int c = 0; c < MUS_CONTACT_COLOR_COUNT; c++) {
        coloring->color_start[c] = (int32_t)coloring->groups.count;
        int32_t most = c == OTHERS ? 1 : MUS_CONTACT_SIMD_WIDTH; /* blocks of the last color may share vertices */
        for (int32_t k = start[c]; k < start[c + 1]; k += most) {
            mus_contact_block_group group = {k, start[c + 1] - k < most ? start[c + 1] - k : most, wide_contacts, 0};
            for (int32_t b = 0; b < group.block_count; b++) {
                int32_t size = block_size(coloring, coloring->blocks.data[k + b]);
                if (size > group.wide_count) group.wide_count = size;
            }
            wide_contacts += group.wide_count;
            if (!mus_array_push(&coloring->groups, group)) return MUS_STATUS_NO_MEMORY;
        }
    }
    coloring->color_start[MUS_CONTACT_COLOR_COUNT] = (int32_t)coloring->groups.count;
    coloring->wide_contacts = aligned_array(&coloring->wide_memory, wide_contacts, sizeof *coloring->wide_contacts);
    coloring->wide_count = wide_contacts;
    return coloring->wide_contacts && mus_array_reserve(&coloring->tallies, coloring->groups.count)
               ? MUS_STATUS_OK
               : MUS_STATUS_NO_MEMORY;
}

static void put_nothing(int64_t spare, mus_wide_contact *p, int lane) {
    for (int c = 0; c < 4; c++) p->vertex[c][lane] = (uint32_t)(MUS_CONTACT_VERTEX_DOUBLES * spare);
    p->constraint[lane] = -1;
    p->target[lane] = -1, p->mass[lane] = 1;
    p->idle |= (uint8_t)(1 << lane);
}

static void put_constraint(const mus_assembly *a, const mus_contact_constraint *constraint, int64_t spare,
                           mus_wide_contact *p, int lane) {
    for (int c = 0; c < 4; c++) {
        int32_t i = constraint->vertex[c];
        bool counts = !constraint->plane || c == 0;
        p->vertex[c][lane] = (uint32_t)(MUS_CONTACT_VERTEX_DOUBLES * (counts ? a->contact_scratch[i] : spare));
        p->weight[c][lane] = constraint->weight[c];
        if (constraint->weight[c] * a->inverse_mass[i] != 0) p->moves[c] |= (uint8_t)(1 << lane);
        p->has_fixed_vertex |= counts && !(a->inverse_mass[i] > 0);
    }
    for (int c = 0; c < 3; c++) {
        p->normal[c][lane] = v3_get(constraint->normal, c);
        p->rest[c][lane] = v3_get(constraint->rest, c);
        p->friction_impulse[c][lane] = v3_get(constraint->friction_impulse, c);
    }
    p->offset[lane] = constraint->offset, p->target[lane] = constraint->target,
    p->thickness[lane] = constraint->thickness;
    p->mass[lane] = constraint->mass, p->friction[lane] = constraint->friction;
    p->normal_impulse[lane] = constraint->normal_impulse, p->change[lane] = constraint->change,
    p->conjugate_change[lane] = constraint->conjugate_change;
    if (constraint->idle) p->idle |= (uint8_t)(1 << lane);
}

typedef struct filling {
    const mus_assembly *a;
    const mus_contact_constraint_list *constraints;
    mus_contact_coloring *coloring;
} filling;

static void fill_group(void *context, int64_t begin, int64_t end, int64_t unused) {
    const filling *f = context;
    const mus_contact_coloring *o = f->coloring;
    (void)unused;
    for (int64_t g = begin; g < end; g++) {
        const mus_contact_block_group *group = &o->groups.data[g];
        mus_wide_contact *wide_contacts = o->wide_contacts + group->first_wide;
        int64_t spare = o->vertices.count + g;
        memset(wide_contacts, 0, sizeof *wide_contacts * (size_t)group->wide_count);
        for (int lane = 0; lane < MUS_CONTACT_SIMD_WIDTH; lane++) {
            int32_t block = lane < group->block_count ? o->blocks.data[group->first_block + lane] : -1;
            int32_t size = block < 0 ? 0 : block_size(o, block);
            const int32_t *list = size ? o->constraints.data + (int64_t)block * o->block : NULL;
            for (int32_t k = 0; k < group->wide_count; k++) {
                if (k >= size) {
                    put_nothing(spare, &wide_contacts[k], lane);
                    continue;
                }
                wide_contacts[k].constraint[lane] = list[k];
                put_constraint(f->a, &f->constraints->data[list[k]], spare, &wide_contacts[k], lane);
            }
        }
    }
}

/* Vertices are numbered in the order in which constraints refer to them, so that neighbors in a sweep are neighbors
 * in memory. */
static mus_status place_vertices(const mus_assembly *a, const mus_contact_constraint_list *constraints,
                                 mus_contact_coloring *coloring) {
    memset(a->contact_scratch, -1, sizeof *a->contact_scratch * (size_t)a->vertex_count);
    int64_t most =
        4 * coloring->constraints.count < a->vertex_count ? 4 * coloring->constraints.count : a->vertex_count;
    if (!mus_array_reserve(&coloring->vertices, most)) return MUS_STATUS_NO_MEMORY;
    coloring->vertices.count = 0;
    for (int64_t k = 0; k < coloring->constraints.count; k++)
        for (int c = 0; c < 4; c++) {
            int32_t i = constraints->data[coloring->constraints.data[k]].vertex[c];
            if (a->contact_scratch[i] >= 0) continue;
            a->contact_scratch[i] = (int32_t)coloring->vertices.count;
            coloring->vertices.data[coloring->vertices.count++] = i;
        }
    int64_t spare = coloring->groups.count;
    coloring->places =
        aligned_array(&coloring->place_memory, coloring->vertices.count + spare, sizeof *coloring->places);
    if (!coloring->places) return MUS_STATUS_NO_MEMORY;
    memset(coloring->places + coloring->vertices.count, 0, sizeof *coloring->places * (size_t)spare);
    return MUS_STATUS_OK;
}

mus_status mus_contact_coloring_make(const mus_assembly *a, const mus_contact_constraint_list *constraints, int threads,
                                     mus_contact_coloring *coloring) {
    coloring->threads = threads;
    coloring->block =
        constraints->count >= MUS_CONTACT_LARGE_BLOCK_MIN_COUNT ? MUS_CONTACT_LARGE_BLOCK_SIZE : MUS_CONTACT_BLOCK_SIZE;
    coloring->constraints.count = coloring->groups.count = 0;
    if (constraints->count < MUS_CONTACT_COLORING_MIN_COUNT || a->rigid_count) return MUS_STATUS_OK;
    if (!mus_array_reserve(&coloring->constraints, constraints->count)) return MUS_STATUS_NO_MEMORY;
    for (int64_t k = 0; k < constraints->count; k++)
        if (constraints->data[k].response < 0) coloring->constraints.data[coloring->constraints.count++] = (int32_t)k;
    int64_t count = (coloring->constraints.count + coloring->block - 1) / coloring->block;
    if (!mus_array_reserve(&coloring->blocks, count) || !mus_array_reserve(&coloring->colors, count) ||
        !mus_array_reserve(&coloring->marks, a->vertex_count))
        return MUS_STATUS_NO_MEMORY;
    coloring->blocks.count = coloring->colors.count = count;
    int32_t start[MUS_CONTACT_COLOR_COUNT + 1];
    color_blocks(a, constraints, coloring, start);
    mus_status status = make_groups(start, coloring);
    if (status == MUS_STATUS_OK) status = place_vertices(a, constraints, coloring);
    if (status != MUS_STATUS_OK) return status;
    mus_parallel_for(threads, coloring->groups.count, GROUPS_PER_SHARE, fill_group,
                     &(filling){a, constraints, coloring});
    return MUS_STATUS_OK;
}

void mus_contact_coloring_update_targets(const mus_contact_constraint_list *constraints,
                                         mus_contact_coloring *coloring) {
    for (int64_t k = 0; coloring->groups.count && k < coloring->wide_count; k++) {
        mus_wide_contact *p = &coloring->wide_contacts[k];
        for (int lane = 0; lane < MUS_CONTACT_SIMD_WIDTH; lane++) {
            if (p->constraint[lane] < 0) continue;
            p->target[lane] = constraints->data[p->constraint[lane]].target;
            p->conjugate_change[lane] = 0;
        }
    }
}

typedef struct emptying {
    mus_contact_constraint *constraints;
    const mus_wide_contact *wide_contacts;
} emptying;

static void clear_wide_contacts(void *context, int64_t begin, int64_t end, int64_t unused) {
    const emptying *e = context;
    (void)unused;
    for (int64_t k = begin; k < end; k++) {
        const mus_wide_contact *p = &e->wide_contacts[k];
        for (int lane = 0; lane < MUS_CONTACT_SIMD_WIDTH; lane++) {
            if (p->constraint[lane] < 0) continue;
            mus_contact_constraint *constraint = &e->constraints[p->constraint[lane]];
            constraint->normal_impulse = p->normal_impulse[lane], constraint->change = p->change[lane],
            constraint->conjugate_change = p->conjugate_change[lane];
            constraint->friction_impulse =
                v3_make(p->friction_impulse[0][lane], p->friction_impulse[1][lane], p->friction_impulse[2][lane]);
            constraint->idle = p->idle >> lane & 1;
        }
    }
}

void mus_contact_coloring_store_impulses(mus_contact_constraint_list *constraints,
                                         const mus_contact_coloring *coloring) {
    if (!coloring->groups.count) return;
    mus_parallel_for(coloring->threads, coloring->wide_count, WIDE_PER_SHARE, clear_wide_contacts,
                     &(emptying){constraints->data, coloring->wide_contacts});
}

void mus_contact_coloring_free(mus_contact_coloring *coloring) {
    mus_array_free(&coloring->constraints);
    mus_array_free(&coloring->blocks);
    mus_array_free(&coloring->colors);
    mus_array_free(&coloring->marks);
    mus_array_free(&coloring->groups);
    mus_array_free(&coloring->wide_memory);
    mus_array_free(&coloring->tallies);
    mus_array_free(&coloring->vertices);
    mus_array_free(&coloring->place_memory);
}

/* ---- sweeps ---- */

typedef struct job {
    const mus_assembly *a;
    mus_contact_coloring *coloring;
    mus_simd level;
    int64_t first_group; /* of the color */
    bool all, is_conjugate;
    double ratio;
} job;

static void run_groups(void *context, int64_t begin, int64_t end, int64_t unused) {
    static mus_wide_contact_sweep *const sweep[MUS_SIMD_COUNT] = {
        mus_wide_contact_sweep_baseline, mus_wide_contact_sweep_avx2, mus_wide_contact_sweep_avx512};
    static mus_wide_contact_conjugate_step *const conjugate_step[MUS_SIMD_COUNT] = {
        mus_wide_contact_conjugate_step_baseline, mus_wide_contact_conjugate_step_avx2,
        mus_wide_contact_conjugate_step_avx512};
    const job *j = context;
    const mus_contact_coloring *o = j->coloring;
    (void)unused;
    for (int64_t g = j->first_group + begin; g < j->first_group + end; g++) {
        const mus_contact_block_group *group = &o->groups.data[g];
        mus_wide_contact *wide_contacts = o->wide_contacts + group->first_wide;
        int64_t spare = o->vertices.count + g;
        if (j->is_conjugate) {
            conjugate_step[j->level](o->places, spare, wide_contacts, group->wide_count, j->ratio);
            continue;
        }
        mus_contact_sweep_tally *tally = &o->tallies.data[g];
        memset(tally, 0, sizeof *tally);
        sweep[j->level](o->places, spare, wide_contacts, group->wide_count, j->all, tally);
    }
}

static int32_t wide_count_of_color(const mus_contact_coloring *o, int c) {
    const mus_contact_block_group *first = &o->groups.data[o->color_start[c]],
                                  *last = &o->groups.data[o->color_start[c + 1] - 1];
    return last->first_wide + last->wide_count - first->first_wide;
}

static void run_all(job *j) {
    const mus_contact_coloring *o = j->coloring;
    for (int c = 0; c < MUS_CONTACT_COLOR_COUNT; c++) {
        int32_t count = o->color_start[c + 1] - o->color_start[c];
        if (!count) continue;
        j->first_group = o->color_start[c];
        mus_parallel_for(c == OTHERS || wide_count_of_color(o, c) < MIN_WIDE_PER_LOOP ? 1 : o->threads, count, 1,
                         run_groups, j);
    }
}

static int place_threads(const mus_contact_coloring *o) {
    return o->vertices.count < MIN_PLACES_PER_LOOP ? 1 : o->threads;
}

static void take_places(void *context, int64_t begin, int64_t end, int64_t unused) {
    const job *j = context;
    (void)unused;
    for (int64_t k = begin; k < end; k++) {
        int32_t i = j->coloring->vertices.data[k];
        v3 x = j->a->x1[i];
        j->coloring->places[k] = (mus_contact_vertex){x.x, x.y, x.z, j->a->inverse_mass[i]};
    }
}

static void store_positions(void *context, int64_t begin, int64_t end, int64_t unused) {
    const job *j = context;
    (void)unused;
    for (int64_t k = begin; k < end; k++) {
        int32_t i = j->coloring->vertices.data[k];
        const mus_contact_vertex *p = &j->coloring->places[k];
        if (j->a->inverse_mass[i] > 0) j->a->x1[i] = v3_make(p->x, p->y, p->z);
    }
}

static mus_contact_sweep_result total(const mus_contact_coloring *coloring) {
    mus_contact_sweep_result sum = {0};
    for (int64_t g = 0; g < coloring->groups.count; g++) {
        const mus_contact_sweep_tally *t = &coloring->tallies.data[g];
        sum.missed += t->missed, sum.moved += t->moved;
        for (int lane = 0; lane < MUS_CONTACT_SIMD_WIDTH; lane++) sum.change += t->change[lane];
    }
    return sum;
}

mus_contact_sweep_result mus_contact_coloring_sweep(const mus_assembly *a, mus_contact_constraint_list *constraints,
                                                    mus_contact_coloring *coloring, bool all, const double *last) {
    bool packed = coloring->groups.count > 0;
    job j = {.a = a, .coloring = coloring, .level = mus_simd_level(), .all = all};
    mus_contact_sweep_result swept;
    if (packed) {
        mus_parallel_for(place_threads(coloring), coloring->vertices.count, PLACES_PER_SHARE, take_places, &j);
        run_all(&j);
        swept = total(coloring);
    } else {
        swept = mus_contacts_sweep(a, constraints, all);
    }
    double ratio = last && *last > 0 ? swept.change / *last : 0;
    if (!(ratio <= 1)) ratio = 0;
    j.is_conjugate = true, j.ratio = ratio;
    if (last && packed) run_all(&j);
    if (last && !packed) mus_contacts_conjugate_step(a, constraints, ratio);
    if (packed)
        mus_parallel_for(place_threads(coloring), coloring->vertices.count, PLACES_PER_SHARE, store_positions, &j);
    return swept;
}
