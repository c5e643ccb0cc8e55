/* batched.h: the same questions one by one and in batches, with every instruction set that this processor has. */
#ifndef MUS_TESTS_BATCHED_H
#define MUS_TESTS_BATCHED_H

#include <stdio.h>
#include <string.h>

#include "muslin.h"
#include "narrow/ccd_batch.h"

static const char *const simd_levels[] = {"baseline", "avx2", "avx512"};
enum { SIMD_LEVELS = 3 };

static inline bool simd_use(int level) {
    return mus_set_simd_level(simd_levels[level]) == MUS_STATUS_OK;
}

/* Positions of a block's pairs one after another, with the gap and tolerance of each. */
typedef struct ccd_block {
    int count;
    v3 x0[4 * MUS_CCD_BATCH], x1[4 * MUS_CCD_BATCH];
    double gap[MUS_CCD_BATCH], tolerance[MUS_CCD_BATCH];
} ccd_block;

static inline void ccd_block_add(ccd_block *b, const v3 x0[4], const v3 x1[4], double gap, double tolerance) {
    memcpy(b->x0 + 4 * b->count, x0, 4 * sizeof *x0);
    memcpy(b->x1 + 4 * b->count, x1, 4 * sizeof *x1);
    b->gap[b->count] = gap, b->tolerance[b->count++] = tolerance;
}

static inline bool same_bits(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

/* The places of the pairs are given backwards, so that they are not simply counted up. */
static inline void ccd_block_place(const ccd_block *b, mus_ccd_batch *batch) {
    batch->count = b->count;
    for (int k = 0; k < b->count; k++) {
        for (int i = 0; i < 4; i++) batch->vertex[k][i] = 4 * (b->count - 1 - k) + i;
        batch->gap[k] = b->gap[b->count - 1 - k];
    }
}

/* How many results at the SIMD level in use differ in a bit from those of single queries. `settled` counts pairs
 * decided by the batch. */
static inline int ccd_block_differs(const ccd_block *b, bool edges, int64_t *settled) {
    static mus_ccd_batch batch;
    static mus_ccd_pool pool;
    int differ = 0;
    ccd_block_place(b, &batch);
    uint64_t open = (edges ? mus_ccd_batch_settle_ee : mus_ccd_batch_settle_vf)(b->x0, b->x1, &batch);
    pool.count = 0;
    for (int k = 0; k < b->count; k++) {
        int from = b->count - 1 - k;
        mus_ccd_result one;
        if (open >> k & 1) {
            mus_ccd_pool_add(&pool, &batch, k, b->tolerance[from], from);
            continue;
        }
        ++*settled;
        bool hit = (edges ? mus_ccd_ee : mus_ccd_vf)(b->x0 + 4 * from, b->x1 + 4 * from, b->gap[from],
                                                     b->tolerance[from], &one);
        differ += hit || one.iterations > 1 || !same_bits(one.axis.x, batch.axis[0][k]) ||
                  !same_bits(one.axis.y, batch.axis[1][k]) || !same_bits(one.axis.z, batch.axis[2][k]);
    }
    (edges ? mus_ccd_pool_solve_ee : mus_ccd_pool_solve_vf)(b->x0, b->x1, &pool);
    for (int k = 0; k < pool.count; k++) {
        const mus_ccd_open *o = &pool.pair[k];
        mus_ccd_result one;
        bool hit = (edges ? mus_ccd_ee : mus_ccd_vf)(b->x0 + 4 * o->tag, b->x1 + 4 * o->tag, b->gap[o->tag],
                                                     b->tolerance[o->tag], &one);
        differ += hit != o->hit || !same_bits(one.toi, o->result.toi) || one.iterations != o->result.iterations ||
                  one.near_at_start != o->result.near_at_start || v3_length2(one.axis) != 0;
    }
    return differ;
}

#endif
