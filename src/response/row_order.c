/* row_order.c: a greedy colouring of blocks of rows, and sweeps by it. */
#include "response/row_order.h"
#include "base/parallel.h"

#include <string.h>

enum { OTHERS = MUS_ROW_COLOURS - 1 };

static int32_t block_end(const mus_row_list *rows, int32_t block) {
    int64_t end = ((int64_t)block + 1) * MUS_ROW_BLOCK;
    return (int32_t)(end < rows->count ? end : rows->count);
}

/* Bit c of a vertex' mark: a block of colour c has a row there. */
static int32_t choose_colour(const mus_assembly *a, const mus_row_list *rows, int32_t block, uint32_t *marks) {
    int32_t begin = block * MUS_ROW_BLOCK, end = block_end(rows, block);
    uint32_t taken = 0;
    for (int32_t k = begin; k < end; k++)
        for (int c = 0; c < 4; c++) taken |= marks[rows->data[k].vertex[c]];
    uint32_t left = ~taken & (((uint32_t)1 << OTHERS) - 1);
    int32_t colour = left ? __builtin_ctz(left) : OTHERS;
    for (int32_t k = begin; k < end; k++)
        for (int c = 0; c < 4; c++) {
            int32_t i = rows->data[k].vertex[c];
            if (a->inverse_mass[i] > 0) marks[i] |= (uint32_t)1 << colour;
        }
    return colour;
}

mus_status mus_row_order_make(const mus_assembly *a, const mus_row_list *rows, int threads, mus_row_order *order) {
    order->threads = threads;
    order->blocks.count = 0;
    if (rows->count < MUS_ROW_ORDER_LEAST || a->rigid_count) return MUS_STATUS_OK;
    int32_t count = (int32_t)((rows->count + MUS_ROW_BLOCK - 1) / MUS_ROW_BLOCK);
    if (!mus_array_reserve(&order->blocks, count) || !mus_array_reserve(&order->colours, count) ||
        !mus_array_reserve(&order->swept, count))
        return MUS_STATUS_NO_MEMORY;
    uint32_t *marks = (uint32_t *)a->first_row;
    int32_t *start = order->colour_start;
    memset(marks, 0, sizeof *marks * (size_t)a->vertex_count);
    memset(start, 0, sizeof order->colour_start);
    for (int32_t b = 0; b < count; b++) start[1 + (order->colours.data[b] = choose_colour(a, rows, b, marks))]++;
    for (int c = 0; c < MUS_ROW_COLOURS; c++) start[c + 1] += start[c];
    for (int32_t b = 0; b < count; b++) order->blocks.data[start[order->colours.data[b]]++] = b;
    for (int c = MUS_ROW_COLOURS; c > 0; c--) start[c] = start[c - 1];
    start[0] = 0;
    order->blocks.count = order->colours.count = order->swept.count = count;
    return MUS_STATUS_OK;
}

void mus_row_order_free(mus_row_order *order) {
    mus_array_free(&order->blocks);
    mus_array_free(&order->colours);
    mus_array_free(&order->swept);
}

typedef struct job {
    const mus_assembly *a;
    mus_row_list *rows;
    mus_row_order *order;
    const int32_t *blocks; /* of the colour */
    bool all, leads;
    double ratio;
} job;

static void run_block(void *context, int64_t begin, int64_t end, int64_t unused) {
    const job *j = context;
    (void)unused;
    for (int64_t k = begin; k < end; k++) {
        int32_t block = j->blocks[k], first = block * MUS_ROW_BLOCK;
        mus_row_list part = {.data = j->rows->data + first, .count = block_end(j->rows, block) - first};
        if (j->leads)
            mus_rows_lead(j->a, &part, j->ratio);
        else
            j->order->swept.data[block] = mus_rows_sweep(j->a, &part, j->all);
    }
}

static void run_all(job *j) {
    const mus_row_order *o = j->order;
    for (int c = 0; c < MUS_ROW_COLOURS; c++) {
        j->blocks = o->blocks.data + o->colour_start[c];
        mus_parallel_for(c == OTHERS ? 1 : o->threads, o->colour_start[c + 1] - o->colour_start[c], 1, run_block, j);
    }
}

mus_rows_swept mus_row_order_sweep(const mus_assembly *a, mus_row_list *rows, mus_row_order *order, bool all) {
    if (!order->blocks.count) return mus_rows_sweep(a, rows, all);
    run_all(&(job){.a = a, .rows = rows, .order = order, .all = all});
    mus_rows_swept sum = {0};
    for (int64_t b = 0; b < order->swept.count; b++) {
        const mus_rows_swept *s = &order->swept.data[b];
        sum.missed += s->missed, sum.moved += s->moved, sum.change += s->change;
    }
    return sum;
}

void mus_row_order_lead(const mus_assembly *a, mus_row_list *rows, mus_row_order *order, double ratio) {
    if (!order->blocks.count)
        mus_rows_lead(a, rows, ratio);
    else
        run_all(&(job){.a = a, .rows = rows, .order = order, .leads = true, .ratio = ratio});
}
