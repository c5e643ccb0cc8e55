/* median_split.h: splits leaves in two halves, for trees built top-down. */
#ifndef MUS_BROAD_MEDIAN_SPLIT_H
#define MUS_BROAD_MEDIAN_SPLIT_H

#include "base/vec.h"

#include <stdint.h>

/* Puts the lower half of order[lo..hi) along the longest axis of their centers first; returns where the other half
 * starts. The halves depend on the centers alone. */
int32_t mus_median_split(int32_t *order, const v3 *center, int32_t lo, int32_t hi);

#endif
