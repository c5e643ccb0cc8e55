/* ccd_kernel.h: the kernels of ccd_batch.c, by instruction set, and the constant that they share with ccd.c. */
#ifndef MUS_NARROW_CCD_KERNEL_H
#define MUS_NARROW_CCD_KERNEL_H

#include "narrow/ccd_batch.h"

typedef uint64_t mus_ccd_kernel(const v3 *x0, const v3 *x1, mus_ccd_batch *batch);
typedef void mus_ccd_solve(const v3 *x0, const v3 *x1, mus_ccd_pool *pool);

mus_ccd_kernel mus_ccd_axes_fail_vf_baseline, mus_ccd_axes_fail_vf_avx2, mus_ccd_axes_fail_vf_avx512;
mus_ccd_kernel mus_ccd_axes_fail_ee_baseline, mus_ccd_axes_fail_ee_avx2, mus_ccd_axes_fail_ee_avx512;
mus_ccd_kernel mus_ccd_settle_vf_baseline, mus_ccd_settle_vf_avx2, mus_ccd_settle_vf_avx512;
mus_ccd_kernel mus_ccd_settle_ee_baseline, mus_ccd_settle_ee_avx2, mus_ccd_settle_ee_avx512;
mus_ccd_solve mus_ccd_solve_vf_baseline, mus_ccd_solve_vf_avx2, mus_ccd_solve_vf_avx512;
mus_ccd_solve mus_ccd_solve_ee_baseline, mus_ccd_solve_ee_avx2, mus_ccd_solve_ee_avx512;

/* Limit on the axes tested for a pair. Pairs need some dozens at most, except those that graze each other throughout;
 * these return the time that they reached as a contact, which is early, never late. */
enum { MUS_CCD_MOST_AXES = 2000 };

#endif
