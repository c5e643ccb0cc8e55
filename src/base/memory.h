/* memory.h: the allocator of the core: all its memory is counted and can be made to fail in tests. */
#ifndef MUS_BASE_MEMORY_H
#define MUS_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Returns a zero-filled block aligned to 16 bytes; NULL, with the error record set to NO_MEMORY, on failure. size 0
 * gives NULL, no error. */
void *mus_new(size_t size);
/* Grows or shrinks a block from mus_new (NULL: a new one). New bytes are not zeroed. NULL on failure, with the block
 * unchanged. */
void *mus_resize(void *block, size_t size);
void mus_free(void *block); /* NULL is allowed */
char *mus_copy_string(const char *text);

/* Allocates parts of a block, aligned to 16 bytes, or (base NULL) only sums up their sizes. */
typedef struct mus_lender {
    char *base;
    size_t used;
} mus_lender;

/* Sets *field, a pointer of any type, to the next part. */
static inline void mus_lend(mus_lender *lender, void *field, size_t size) {
    void *part = lender->base ? lender->base + lender->used : NULL;
    if (part) memcpy(field, &part, sizeof part);
    lender->used += (size + 15) & ~(size_t)15;
}

/* Growable array of T: MUS_ARRAY(int32_t) a = {0}; */
#define MUS_ARRAY(T)                                                                                                   \
    struct {                                                                                                           \
        T *data;                                                                                                       \
        int64_t count, capacity;                                                                                       \
    }

bool mus_array_grow(void **data, int64_t *capacity, int64_t needed, size_t item);

/* Makes room for n items in all; false when out of memory (the array is unchanged). */
#define mus_array_reserve(a, n)                                                                                        \
    ((int64_t)(n) <= (a)->capacity || mus_array_grow((void **)&(a)->data, &(a)->capacity, (n), sizeof *(a)->data))
/* Appends one item; false when out of memory. */
#define mus_array_push(a, item)                                                                                        \
    (mus_array_reserve((a), (a)->count + 1) ? ((a)->data[(a)->count++] = (item), true) : false)
#define mus_array_free(a) (mus_free((a)->data), (a)->data = NULL, (a)->count = 0, (a)->capacity = 0)

#endif
