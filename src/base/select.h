/* select.h: the k-th smallest of an array, without the C library's sort, which may allocate. */
#ifndef MUS_BASE_SELECT_H
#define MUS_BASE_SELECT_H

#include <stdint.h>

/* The k-th smallest of `count` values (k from 0, 0 <= k < count), none of them NaN. Reorders the array: smaller or
 * equal values before index k, larger or equal ones after. */
double mus_select(double *values, int64_t count, int64_t k);

#endif
