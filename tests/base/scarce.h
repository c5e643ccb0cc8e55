/* scarce.h: an allocator for mus_set_allocator that refuses, and keeps the books. */
#ifndef MUS_TESTS_SCARCE_H
#define MUS_TESTS_SCARCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct scarce {
    int64_t count;         /* requests so far */
    int64_t fail_at;       /* the one that is refused, from 1; 0: none */
    bool lasting;          /* and all after it */
    bool shrinking;        /* requests for less than there was count, too */
    int64_t blocks, bytes; /* that nobody has given back */
} scarce;

static void *scarce_alloc(void *user, void *ptr, size_t old_size, size_t new_size) {
    scarce *s = user;
    if (new_size == 0) {
        if (ptr) s->blocks--, s->bytes -= (int64_t)old_size;
        free(ptr);
        return NULL;
    }
    bool counts = new_size > old_size || s->shrinking;
    s->count += counts;
    if (counts && s->fail_at > 0 && (s->lasting ? s->count >= s->fail_at : s->count == s->fail_at)) return NULL;
    void *moved = realloc(ptr, new_size);
    if (!moved) abort();
    s->blocks += !ptr;
    s->bytes += (int64_t)new_size - (int64_t)old_size;
    return moved;
}

#endif
