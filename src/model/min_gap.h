/* min_gap.h: the least gaps of pairs in a step, and the gap to which a collision is restored: shares of the pair's
 * thickness, and of its gap at the start where that is smaller. Two rules for the start, since two things are bounded:
 * along the whole motion (mus_min_gap) a gap may shrink by a fifth per step, so that the gaps of a stack at rest do not
 * decay before contacts restore them; where vertices are only moved back to a bound at the end of the step
 * (mus_min_end_gap: planes, and the potential family, whose truncation divides the rest of the gap between both sides)
 * half of the gap remains for the motion. Half of the first has hits of sphere 76 for 92, twice 5.5 for 1.2 in pile and
 * 200 for 137 in hit50; 0.4 or 0.95 of the start gap: within the spread; 0.25 or 0.8 at the end: iterations of sphere
 * (offset) 40 and 36 for 36. A largest restored gap of 0.125 has hits of sphere 114 for 92 and of hit50 244 for 137,
 * one of 0.5 has 61 and 79. Half and twice the least restored gap: same bits; the spread of a stack: within the
 * spread. */
#ifndef MUS_MODEL_MIN_GAP_H
#define MUS_MODEL_MIN_GAP_H

#include <math.h>

#define MUS_MIN_GAP_PER_THICKNESS      0.1
#define MUS_MIN_GAP_PER_START_GAP      0.8
#define MUS_MIN_END_GAP_PER_START_GAP  0.5
#define MUS_RESTORED_GAP_PER_THICKNESS 0.05
#define MUS_MAX_RESTORED_PER_THICKNESS 0.25
#define MUS_RESTORED_PER_START_GAP     0.9
#define MUS_STACK_SPREAD_PER_PASS      0.02

/* m: the gap that continuous detection keeps along the motion; a pair may start in contact, or inside by rounding. */
static inline double mus_min_gap(double thickness, double start_gap) {
    return fmax(0, fmin(MUS_MIN_GAP_PER_THICKNESS * thickness, MUS_MIN_GAP_PER_START_GAP * start_gap));
}

/* m: the gap at the end of the step; negative where a pair starts inside. */
static inline double mus_min_end_gap(double thickness, double start_gap) {
    return fmin(MUS_MIN_GAP_PER_THICKNESS * thickness, MUS_MIN_END_GAP_PER_START_GAP * start_gap);
}

/* m: the gap to which a colliding pair is moved in a pass of collision response: past the minimum gap, so that the pair
 * is clear in the next pass, but not past its gap at the start. Passes after the third spread a stack that does not
 * resolve. */
static inline double mus_restored_gap(double thickness, double start_gap, double min_gap, int pass) {
    double gap = fmin(
        MUS_MAX_RESTORED_PER_THICKNESS * thickness,
        fmax(MUS_RESTORED_GAP_PER_THICKNESS * thickness, fmax(2 * min_gap, MUS_RESTORED_PER_START_GAP * start_gap)));
    return pass > 3 ? gap + fmin(MUS_STACK_SPREAD_PER_PASS * pass, 1) * 2 * min_gap : gap;
}

#endif
