/* filter_kernel.h: the tests of candidate_pairs.c for many pairs at once, by instruction set: of motions, of distances,
 * and nearest points. */
#ifndef MUS_NARROW_FILTER_KERNEL_H
#define MUS_NARROW_FILTER_KERNEL_H

#include "base/vec.h"

#include <stdint.h>

enum { MUS_FILTER_BATCH = 64 };

/* Pairs of one kind. */
typedef struct mus_filter_batch {
    int count;
    int32_t vertex[MUS_FILTER_BATCH][4];
    /* m: radius of exact shapes; contact range; bound on further motion of each coordinate of the difference. */
    double radius[MUS_FILTER_BATCH], range[MUS_FILTER_BATCH], motion_bound[MUS_FILTER_BATCH];
    double near; /* fraction of the range that applies at x0 too: 0 or 1 */
    /* Out: the vector between nearest points at x0, and its length. */
    double axis[3][MUS_FILTER_BATCH], length[MUS_FILTER_BATCH];
} mus_filter_batch;

/* Returns a mask: bit k is set if neither the axis between nearest points at x0 nor that at x1 separates pair k. */
typedef uint64_t mus_filter_kept(const v3 *x0, const v3 *x1, mus_filter_batch *batch);

/* Returns a mask: bit k is set if pair k is at most range[k] apart at x. Fills length; reads vertex and range only. */
typedef uint64_t mus_filter_near(const v3 *x, mus_filter_batch *batch);

/* mus_candidate_pair_nearest of the pairs at x: fills axis, length and weights of the pairs whose bits are returned;
 * edges that are nearly parallel are left to that function. Reads vertex only. */
typedef uint64_t mus_filter_nearest(const v3 *x, mus_filter_batch *batch, double weight[4][MUS_FILTER_BATCH]);

mus_filter_kept mus_filter_kept_vf_baseline, mus_filter_kept_vf_avx2, mus_filter_kept_vf_avx512;
mus_filter_kept mus_filter_kept_ee_baseline, mus_filter_kept_ee_avx2, mus_filter_kept_ee_avx512;
mus_filter_near mus_filter_near_vf_baseline, mus_filter_near_vf_avx2, mus_filter_near_vf_avx512;
mus_filter_near mus_filter_near_ee_baseline, mus_filter_near_ee_avx2, mus_filter_near_ee_avx512;
mus_filter_nearest mus_filter_nearest_vf_baseline, mus_filter_nearest_vf_avx2, mus_filter_nearest_vf_avx512;
mus_filter_nearest mus_filter_nearest_ee_baseline, mus_filter_nearest_ee_avx2, mus_filter_nearest_ee_avx512;

#endif
