/* sort.h: sorting in place, without memory: C's qsort may allocate. */
#ifndef MUS_BASE_SORT_H
#define MUS_BASE_SORT_H

#include <stddef.h>

/* Heap sort of `count` items of `size` bytes (at most MUS_SORT_ITEM); compare as in qsort. The order of equal items
 * depends on all items: let compare break ties where that matters. */
#define MUS_SORT_ITEM 128
void mus_sort(void *items, size_t count, size_t size, int (*compare)(const void *a, const void *b));

#endif
