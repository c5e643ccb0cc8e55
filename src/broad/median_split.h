/* median_split.h: splitting leaves in two halves, for trees that are built top-down. */
#ifndef MUS_BROAD_MEDIAN_SPLIT_H
#define MUS_BROAD_MEDIAN_SPLIT_H

#include "base/vec.h"

#include <stdint.h>

/* Puts the lower half of order[lo..hi) along the longest axis of their centres first; returns where the other starts.
 * Which leaves these are depends on the centres alone. */
int32_t mus_median_split(int32_t *order, const v3 *center, int32_t lo, int32_t hi);

#endif
