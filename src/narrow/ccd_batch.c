/* ccd_batch.c: calls the kernel of the instruction set in use. */
#include "narrow/ccd_batch.h"

#include "base/simd.h"
#include "narrow/ccd_kernel.h"

#include <string.h>

#define LEVELS(name)                                                                                                   \
    { name##_baseline, name##_avx2, name##_avx512 }

uint64_t mus_ccd_batch_axes_fail_vf(const v3 *x0, const v3 *x1, mus_ccd_batch *batch) {
    static mus_ccd_kernel *const kernel[] = LEVELS(mus_ccd_axes_fail_vf);
    return kernel[mus_simd_level()](x0, x1, batch);
}

uint64_t mus_ccd_batch_axes_fail_ee(const v3 *x0, const v3 *x1, mus_ccd_batch *batch) {
    static mus_ccd_kernel *const kernel[] = LEVELS(mus_ccd_axes_fail_ee);
    return kernel[mus_simd_level()](x0, x1, batch);
}

uint64_t mus_ccd_batch_settle_vf(const v3 *x0, const v3 *x1, mus_ccd_batch *batch) {
    static mus_ccd_kernel *const kernel[] = LEVELS(mus_ccd_settle_vf);
    return kernel[mus_simd_level()](x0, x1, batch);
}

uint64_t mus_ccd_batch_settle_ee(const v3 *x0, const v3 *x1, mus_ccd_batch *batch) {
    static mus_ccd_kernel *const kernel[] = LEVELS(mus_ccd_settle_ee);
    return kernel[mus_simd_level()](x0, x1, batch);
}

void mus_ccd_pool_add(mus_ccd_pool *pool, const mus_ccd_batch *batch, int k, double tolerance, int64_t tag) {
    mus_ccd_open *open = &pool->pair[pool->count++];
    memcpy(open->vertex, batch->vertex[k], sizeof open->vertex);
    open->gap = batch->gap[k], open->tolerance = tolerance;
    open->clear_from = batch->clear_from[k], open->clear_until = batch->clear_until[k];
    open->size = batch->size[k], open->motion = batch->motion[k];
    open->tag = tag;
}

void mus_ccd_pool_solve_vf(const v3 *x0, const v3 *x1, mus_ccd_pool *pool) {
    static mus_ccd_solve *const kernel[] = LEVELS(mus_ccd_solve_vf);
    kernel[mus_simd_level()](x0, x1, pool);
}

void mus_ccd_pool_solve_ee(const v3 *x0, const v3 *x1, mus_ccd_pool *pool) {
    static mus_ccd_solve *const kernel[] = LEVELS(mus_ccd_solve_ee);
    kernel[mus_simd_level()](x0, x1, pool);
}
