/* ccd.h: continuous detection by certified intervals (see ccd.c). Points are linear in time over [0, 1]. */
#ifndef MUS_NARROW_CCD_H
#define MUS_NARROW_CCD_H

#include "base/vec.h"

/* Points in the order v f0 f1 f2 (vertex–face) or a0 a1 b0 b1 (edge–edge). */
typedef struct mus_ccd_result {
    double toi; /* earliest time at which the pair may be within `gap`; never later than the true one */
    v3 axis; /* on a miss certified by one axis: d with d.w > gap|d| throughout, to be tried first next time; else 0 */
    int iterations;     /* axes tested */
    bool near_at_start; /* already within the gap at time 0 */
} mus_ccd_result;

/* True when the pair comes within `gap` (>= 0, m) during [0, 1]. `tolerance` (m, > 0): an interval in which nothing
 * moves further than this and that is not certified clear counts as contact at its start. No miss, no late time. */
bool mus_ccd_vf(const v3 x0[4], const v3 x1[4], double gap, double tolerance, mus_ccd_result *result);
bool mus_ccd_ee(const v3 x0[4], const v3 x1[4], double gap, double tolerance, mus_ccd_result *result);

/* True when `axis` (any length) certifies that the pair stays further than `gap` apart during all of [0, 1], rounding
 * included. An inexpensive first test: eight dot products. */
bool mus_ccd_axis_clear_vf(const v3 x0[4], const v3 x1[4], v3 axis, double gap);
bool mus_ccd_axis_clear_ee(const v3 x0[4], const v3 x1[4], v3 axis, double gap);

#endif
