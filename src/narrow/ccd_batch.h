/* ccd_batch.h: SIMD continuous detection of many pairs at once. Results, times and axes are bit-identical to those of
 * mus_ccd_vf and mus_ccd_ee. */
#ifndef MUS_NARROW_CCD_BATCH_H
#define MUS_NARROW_CCD_BATCH_H

#include "narrow/ccd.h"

#include <stdint.h>

enum { MUS_CCD_BATCH = 64, MUS_CCD_POOL = 512 };

/* Pairs of one kind. */
typedef struct mus_ccd_batch {
    int count;
    int32_t vertex[MUS_CCD_BATCH][4]; /* v f0 f1 f2, or a0 a1 b0 b1: indices in x0 and x1 */
    double gap[MUS_CCD_BATCH];        /* m, >= 0 */
    double axis[3][MUS_CCD_BATCH];    /* x, y, z: input of ..._axes_fail, output of ..._settle */
    /* For a pair that is not settled: the interval of time that its first axis certifies (1, 1: none), its largest
     * difference and its largest motion (m). */
    double clear_from[MUS_CCD_BATCH], clear_until[MUS_CCD_BATCH], size[MUS_CCD_BATCH], motion[MUS_CCD_BATCH];
} mus_ccd_batch;

/* Returns a mask: bit k is set if the given axis does not certify pair k (mus_ccd_axis_clear_vf or _ee fails). */
uint64_t mus_ccd_batch_axes_fail_vf(const v3 *x0, const v3 *x1, mus_ccd_batch *batch);
uint64_t mus_ccd_batch_axes_fail_ee(const v3 *x0, const v3 *x1, mus_ccd_batch *batch);

/* Returns a mask: bit k is set if neither boxes nor its first axis settle pair k. A settled pair stays further than its
 * gap apart, and its axis is the one that mus_ccd_vf (or _ee) returns. */
uint64_t mus_ccd_batch_settle_vf(const v3 *x0, const v3 *x1, mus_ccd_batch *batch);
uint64_t mus_ccd_batch_settle_ee(const v3 *x0, const v3 *x1, mus_ccd_batch *batch);

/* Pairs that were not settled, of any number of batches of one kind: the more pairs, the fuller the SIMD registers. */
typedef struct mus_ccd_open {
    int32_t vertex[4];
    double gap, tolerance, clear_from, clear_until, size, motion;
    int64_t tag;           /* the caller's */
    mus_ccd_result result; /* set by ..._pool_solve; `hit` is what mus_ccd_vf (or _ee) returns */
    bool hit;
} mus_ccd_open;
typedef struct mus_ccd_pool {
    int count;
    mus_ccd_open pair[MUS_CCD_POOL];
} mus_ccd_pool;

/* Adds pair k of a batch. The pool must have room. */
void mus_ccd_pool_add(mus_ccd_pool *pool, const mus_ccd_batch *batch, int k, double tolerance, int64_t tag);
void mus_ccd_pool_solve_vf(const v3 *x0, const v3 *x1, mus_ccd_pool *pool);
void mus_ccd_pool_solve_ee(const v3 *x0, const v3 *x1, mus_ccd_pool *pool);

#endif
