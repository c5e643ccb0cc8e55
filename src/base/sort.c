/* sort.c: heap sort (Williams 1964). */
#include "base/sort.h"

#include <string.h>

typedef struct heap {
    char *items;
    size_t size;
    int (*compare)(const void *a, const void *b);
} heap;

/* Sifts item `at` down among the first `count`. */
static void sift_down(const heap *h, size_t at, size_t count) {
    char item[MUS_SORT_ITEM];
    memcpy(item, h->items + at * h->size, h->size);
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= count) break;
        if (child + 1 < count && h->compare(h->items + child * h->size, h->items + (child + 1) * h->size) < 0) child++;
        if (h->compare(item, h->items + child * h->size) >= 0) break;
        memcpy(h->items + at * h->size, h->items + child * h->size, h->size);
        at = child;
    }
    memcpy(h->items + at * h->size, item, h->size);
}

void mus_sort(void *items, size_t count, size_t size, int (*compare)(const void *a, const void *b)) {
    heap h = {items, size, compare};
    char item[MUS_SORT_ITEM];
    for (size_t k = count / 2; k-- > 0;) sift_down(&h, k, count);
    for (size_t last = count; last-- > 1;) {
        memcpy(item, h.items, size);
        memcpy(h.items, h.items + last * size, size);
        memcpy(h.items + last * size, item, size);
        sift_down(&h, 0, last);
    }
}
