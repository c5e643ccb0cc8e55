/* row_order.c: a greedy colouring of blocks of rows, their packs, and sweeps by them. */
#include "response/row_order.h"
#include "base/parallel.h"
#include "base/simd.h"

#include <string.h>

enum { OTHERS = MUS_ROW_COLOURS - 1, GROUPS = 8, PLACES = 1024, PACKS = 64 }; /* the latter: of a thread's share */
enum { WORTH_PACKS = 48, WORTH_PLACES = 4 * PLACES }; /* with fewer, threads cost more than they save */

/* ---- colours ---- */

static int32_t block_size(const mus_row_order *order, int32_t block) {
    int64_t left = order->rows.count - (int64_t)block * order->block;
    return (int32_t)(left < order->block ? left : order->block);
}

/* Bit c of a vertex' mark: a block of colour c has a row there. */
static int32_t choose_colour(const mus_assembly *a, const mus_row_list *rows, const mus_row_order *order, int32_t block,
                             uint64_t *marks) {
    const int32_t *list = order->rows.data + (int64_t)block * order->block;
    int32_t size = block_size(order, block);
    uint64_t taken = 0;
    for (int32_t k = 0; k < size; k++)
        for (int c = 0; c < 4; c++) taken |= marks[rows->data[list[k]].vertex[c]];
    uint64_t left = ~taken & (((uint64_t)1 << OTHERS) - 1);
    int32_t colour = left ? __builtin_ctzll(left) : OTHERS;
    for (int32_t k = 0; k < size; k++)
        for (int c = 0; c < 4; c++) {
            int32_t i = rows->data[list[k]].vertex[c];
            if (a->inverse_mass[i] > 0) marks[i] |= (uint64_t)1 << colour;
        }
    return colour;
}

/* Blocks by colours; where each colour's begin, into `start`. */
static void colour_blocks(const mus_assembly *a, const mus_row_list *rows, mus_row_order *order,
                          int32_t start[MUS_ROW_COLOURS + 1]) {
    uint64_t *marks = order->marks.data;
    int32_t count = (int32_t)order->colours.count;
    memset(marks, 0, sizeof *marks * (size_t)a->vertex_count);
    memset(start, 0, sizeof *start * (MUS_ROW_COLOURS + 1));
    for (int32_t b = 0; b < count; b++) start[1 + (order->colours.data[b] = choose_colour(a, rows, order, b, marks))]++;
    for (int c = 0; c < MUS_ROW_COLOURS; c++) start[c + 1] += start[c];
    for (int32_t b = 0; b < count; b++) order->blocks.data[start[order->colours.data[b]]++] = b;
    for (int c = MUS_ROW_COLOURS; c > 0; c--) start[c] = start[c - 1];
    start[0] = 0;
}

/* ---- packs ---- */

/* NULL: there is none. */
static void *room(mus_row_memory *memory, int64_t count, size_t size) {
    enum { LINE = 64 };
    if (!mus_array_reserve(memory, count * (int64_t)size + LINE)) return NULL;
    return memory->data + (LINE - (uintptr_t)memory->data % LINE);
}

static mus_status make_groups(const int32_t start[MUS_ROW_COLOURS + 1], mus_row_order *order) {
    int32_t packs = 0;
    for (int c = 0; c < MUS_ROW_COLOURS; c++) {
        order->colour_start[c] = (int32_t)order->groups.count;
        int32_t most = c == OTHERS ? 1 : MUS_ROW_LANES; /* blocks of the last may meet */
        for (int32_t k = start[c]; k < start[c + 1]; k += most) {
            mus_row_group group = {k, start[c + 1] - k < most ? start[c + 1] - k : most, packs, 0};
            for (int32_t b = 0; b < group.block_count; b++) {
                int32_t size = block_size(order, order->blocks.data[k + b]);
                if (size > group.pack_count) group.pack_count = size;
            }
            packs += group.pack_count;
            if (!mus_array_push(&order->groups, group)) return MUS_STATUS_NO_MEMORY;
        }
    }
    order->colour_start[MUS_ROW_COLOURS] = (int32_t)order->groups.count;
    order->packs = room(&order->pack_memory, packs, sizeof *order->packs);
    order->pack_count = packs;
    return order->packs && mus_array_reserve(&order->tallies, order->groups.count) ? MUS_STATUS_OK
                                                                                   : MUS_STATUS_NO_MEMORY;
}

static void put_nothing(int64_t spare, mus_row_pack *p, int lane) {
    for (int c = 0; c < 4; c++) p->vertex[c][lane] = (uint32_t)(MUS_ROW_PLACE * spare);
    p->row[lane] = -1;
    p->target[lane] = -1, p->mass[lane] = 1;
    p->idle |= (uint8_t)(1 << lane);
}

static void put_row(const mus_assembly *a, const mus_row *row, int64_t spare, mus_row_pack *p, int lane) {
    for (int c = 0; c < 4; c++) {
        int32_t i = row->vertex[c];
        bool counts = !row->plane || c == 0;
        p->vertex[c][lane] = (uint32_t)(MUS_ROW_PLACE * (counts ? a->first_row[i] : spare));
        p->weight[c][lane] = row->weight[c];
        if (row->weight[c] * a->inverse_mass[i] != 0) p->moves[c] |= (uint8_t)(1 << lane);
        p->holds |= counts && !(a->inverse_mass[i] > 0);
    }
    for (int c = 0; c < 3; c++) {
        p->normal[c][lane] = v3_get(row->normal, c);
        p->rest[c][lane] = v3_get(row->rest, c);
        p->drag[c][lane] = v3_get(row->drag, c);
    }
    p->offset[lane] = row->offset, p->target[lane] = row->target, p->thickness[lane] = row->thickness;
    p->mass[lane] = row->mass, p->friction[lane] = row->friction;
    p->push[lane] = row->push, p->change[lane] = row->change, p->lead[lane] = row->lead;
    if (row->idle) p->idle |= (uint8_t)(1 << lane);
}

typedef struct filling {
    const mus_assembly *a;
    const mus_row_list *rows;
    mus_row_order *order;
} filling;

static void fill_group(void *context, int64_t begin, int64_t end, int64_t unused) {
    const filling *f = context;
    const mus_row_order *o = f->order;
    (void)unused;
    for (int64_t g = begin; g < end; g++) {
        const mus_row_group *group = &o->groups.data[g];
        mus_row_pack *packs = o->packs + group->first_pack;
        int64_t spare = o->vertices.count + g;
        memset(packs, 0, sizeof *packs * (size_t)group->pack_count);
        for (int lane = 0; lane < MUS_ROW_LANES; lane++) {
            int32_t block = lane < group->block_count ? o->blocks.data[group->first_block + lane] : -1;
            int32_t size = block < 0 ? 0 : block_size(o, block);
            const int32_t *list = size ? o->rows.data + (int64_t)block * o->block : NULL;
            for (int32_t k = 0; k < group->pack_count; k++) {
                if (k >= size) {
                    put_nothing(spare, &packs[k], lane);
                    continue;
                }
                packs[k].row[lane] = list[k];
                put_row(f->a, &f->rows->data[list[k]], spare, &packs[k], lane);
            }
        }
    }
}

/* Vertices get their places in the order in which rows name them: neighbours in a sweep lie together. */
static mus_status place_vertices(const mus_assembly *a, const mus_row_list *rows, mus_row_order *order) {
    memset(a->first_row, -1, sizeof *a->first_row * (size_t)a->vertex_count);
    int64_t most = 4 * order->rows.count < a->vertex_count ? 4 * order->rows.count : a->vertex_count;
    if (!mus_array_reserve(&order->vertices, most)) return MUS_STATUS_NO_MEMORY;
    order->vertices.count = 0;
    for (int64_t k = 0; k < order->rows.count; k++)
        for (int c = 0; c < 4; c++) {
            int32_t i = rows->data[order->rows.data[k]].vertex[c];
            if (a->first_row[i] >= 0) continue;
            a->first_row[i] = (int32_t)order->vertices.count;
            order->vertices.data[order->vertices.count++] = i;
        }
    int64_t spare = order->groups.count;
    order->places = room(&order->place_memory, order->vertices.count + spare, sizeof *order->places);
    if (!order->places) return MUS_STATUS_NO_MEMORY;
    memset(order->places + order->vertices.count, 0, sizeof *order->places * (size_t)spare);
    return MUS_STATUS_OK;
}

mus_status mus_row_order_make(const mus_assembly *a, const mus_row_list *rows, int threads, mus_row_order *order) {
    order->threads = threads;
    order->block = rows->count >= MUS_ROW_MANY ? MUS_ROW_LARGE_BLOCK : MUS_ROW_BLOCK;
    order->rows.count = order->groups.count = 0;
    if (rows->count < MUS_ROW_ORDER_LEAST || a->rigid_count) return MUS_STATUS_OK;
    if (!mus_array_reserve(&order->rows, rows->count)) return MUS_STATUS_NO_MEMORY;
    for (int64_t k = 0; k < rows->count; k++)
        if (rows->data[k].response < 0) order->rows.data[order->rows.count++] = (int32_t)k;
    int64_t count = (order->rows.count + order->block - 1) / order->block;
    if (!mus_array_reserve(&order->blocks, count) || !mus_array_reserve(&order->colours, count) ||
        !mus_array_reserve(&order->marks, a->vertex_count))
        return MUS_STATUS_NO_MEMORY;
    order->blocks.count = order->colours.count = count;
    int32_t start[MUS_ROW_COLOURS + 1];
    colour_blocks(a, rows, order, start);
    mus_status status = make_groups(start, order);
    if (status == MUS_STATUS_OK) status = place_vertices(a, rows, order);
    if (status != MUS_STATUS_OK) return status;
    mus_parallel_for(threads, order->groups.count, GROUPS, fill_group, &(filling){a, rows, order});
    return MUS_STATUS_OK;
}

void mus_row_order_aim(const mus_row_list *rows, mus_row_order *order) {
    for (int64_t k = 0; order->groups.count && k < order->pack_count; k++) {
        mus_row_pack *p = &order->packs[k];
        for (int lane = 0; lane < MUS_ROW_LANES; lane++) {
            if (p->row[lane] < 0) continue;
            p->target[lane] = rows->data[p->row[lane]].target;
            p->lead[lane] = 0;
        }
    }
}

typedef struct emptying {
    mus_row *rows;
    const mus_row_pack *packs;
} emptying;

static void empty_packs(void *context, int64_t begin, int64_t end, int64_t unused) {
    const emptying *e = context;
    (void)unused;
    for (int64_t k = begin; k < end; k++) {
        const mus_row_pack *p = &e->packs[k];
        for (int lane = 0; lane < MUS_ROW_LANES; lane++) {
            if (p->row[lane] < 0) continue;
            mus_row *row = &e->rows[p->row[lane]];
            row->push = p->push[lane], row->change = p->change[lane], row->lead = p->lead[lane];
            row->drag = v3_make(p->drag[0][lane], p->drag[1][lane], p->drag[2][lane]);
            row->idle = p->idle >> lane & 1;
        }
    }
}

void mus_row_order_end(mus_row_list *rows, const mus_row_order *order) {
    if (!order->groups.count) return;
    mus_parallel_for(order->threads, order->pack_count, PACKS, empty_packs, &(emptying){rows->data, order->packs});
}

void mus_row_order_free(mus_row_order *order) {
    mus_array_free(&order->rows);
    mus_array_free(&order->blocks);
    mus_array_free(&order->colours);
    mus_array_free(&order->marks);
    mus_array_free(&order->groups);
    mus_array_free(&order->pack_memory);
    mus_array_free(&order->tallies);
    mus_array_free(&order->vertices);
    mus_array_free(&order->place_memory);
}

/* ---- sweeps ---- */

typedef struct job {
    const mus_assembly *a;
    mus_row_order *order;
    mus_simd level;
    int64_t first_group; /* of the colour */
    bool all, leads;
    double ratio;
} job;

static void run_groups(void *context, int64_t begin, int64_t end, int64_t unused) {
    static mus_row_pack_sweep *const sweep[MUS_SIMD_COUNT] = {mus_row_pack_sweep_baseline, mus_row_pack_sweep_avx2,
                                                              mus_row_pack_sweep_avx512};
    static mus_row_pack_lead *const lead[MUS_SIMD_COUNT] = {mus_row_pack_lead_baseline, mus_row_pack_lead_avx2,
                                                            mus_row_pack_lead_avx512};
    const job *j = context;
    const mus_row_order *o = j->order;
    (void)unused;
    for (int64_t g = j->first_group + begin; g < j->first_group + end; g++) {
        const mus_row_group *group = &o->groups.data[g];
        mus_row_pack *packs = o->packs + group->first_pack;
        int64_t spare = o->vertices.count + g;
        if (j->leads) {
            lead[j->level](o->places, spare, packs, group->pack_count, j->ratio);
            continue;
        }
        mus_row_tally *tally = &o->tallies.data[g];
        memset(tally, 0, sizeof *tally);
        sweep[j->level](o->places, spare, packs, group->pack_count, j->all, tally);
    }
}

static int32_t packs_of_colour(const mus_row_order *o, int c) {
    const mus_row_group *first = &o->groups.data[o->colour_start[c]],
                        *last = &o->groups.data[o->colour_start[c + 1] - 1];
    return last->first_pack + last->pack_count - first->first_pack;
}

static void run_all(job *j) {
    const mus_row_order *o = j->order;
    for (int c = 0; c < MUS_ROW_COLOURS; c++) {
        int32_t count = o->colour_start[c + 1] - o->colour_start[c];
        if (!count) continue;
        j->first_group = o->colour_start[c];
        mus_parallel_for(c == OTHERS || packs_of_colour(o, c) < WORTH_PACKS ? 1 : o->threads, count, 1, run_groups, j);
    }
}

static int place_threads(const mus_row_order *o) {
    return o->vertices.count < WORTH_PLACES ? 1 : o->threads;
}

static void take_places(void *context, int64_t begin, int64_t end, int64_t unused) {
    const job *j = context;
    (void)unused;
    for (int64_t k = begin; k < end; k++) {
        int32_t i = j->order->vertices.data[k];
        v3 x = j->a->x1[i];
        j->order->places[k] = (mus_row_place){x.x, x.y, x.z, j->a->inverse_mass[i]};
    }
}

static void give_places(void *context, int64_t begin, int64_t end, int64_t unused) {
    const job *j = context;
    (void)unused;
    for (int64_t k = begin; k < end; k++) {
        int32_t i = j->order->vertices.data[k];
        const mus_row_place *p = &j->order->places[k];
        if (j->a->inverse_mass[i] > 0) j->a->x1[i] = v3_make(p->x, p->y, p->z);
    }
}

static mus_rows_swept total(const mus_row_order *order) {
    mus_rows_swept sum = {0};
    for (int64_t g = 0; g < order->groups.count; g++) {
        const mus_row_tally *t = &order->tallies.data[g];
        sum.missed += t->missed, sum.moved += t->moved;
        for (int lane = 0; lane < MUS_ROW_LANES; lane++) sum.change += t->change[lane];
    }
    return sum;
}

mus_rows_swept mus_row_order_sweep(const mus_assembly *a, mus_row_list *rows, mus_row_order *order, bool all,
                                   const double *last) {
    bool packed = order->groups.count > 0;
    job j = {.a = a, .order = order, .level = mus_simd_level(), .all = all};
    mus_rows_swept swept;
    if (packed) {
        mus_parallel_for(place_threads(order), order->vertices.count, PLACES, take_places, &j);
        run_all(&j);
        swept = total(order);
    } else {
        swept = mus_rows_sweep(a, rows, all);
    }
    double ratio = last && *last > 0 ? swept.change / *last : 0;
    if (!(ratio <= 1)) ratio = 0;
    j.leads = true, j.ratio = ratio;
    if (last && packed) run_all(&j);
    if (last && !packed) mus_rows_lead(a, rows, ratio);
    if (packed) mus_parallel_for(place_threads(order), order->vertices.count, PLACES, give_places, &j);
    return swept;
}
