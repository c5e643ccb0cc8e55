/* memory.c: the counted, replaceable allocator and growable arrays. */
#include "base/memory.h"
#include "muslin/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 16 }; /* keeps the payload aligned to 16 bytes and stores its size */

static void *libc_alloc(void *user, void *ptr, size_t old_size, size_t new_size) {
    (void)user;
    (void)old_size;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    return realloc(ptr, new_size);
}

static mus_alloc_fn alloc_fn = libc_alloc;
static void *alloc_user;
static atomic_size_t live_bytes;
static _Atomic uint64_t allocations;

void mus_set_allocator(mus_alloc_fn alloc, void *user) {
    alloc_fn = alloc ? alloc : libc_alloc;
    alloc_user = alloc ? user : NULL;
}

size_t mus_get_allocated_bytes(void) {
    return atomic_load(&live_bytes);
}

uint64_t mus_get_allocation_count(void) {
    return atomic_load(&allocations);
}

static size_t block_size(const void *block) {
    size_t size;
    memcpy(&size, (const char *)block - HEADER, sizeof size);
    return size;
}

void *mus_resize(void *block, size_t size) {
    if (size == 0) {
        mus_free(block);
        return NULL;
    }
    if (size > SIZE_MAX / 2) {
        mus_fail(MUS_STATUS_NO_MEMORY, "out of memory: a block of %zu bytes was requested", size);
        return NULL;
    }
    size_t old = block ? block_size(block) : 0;
    char *raw = block ? (char *)block - HEADER : NULL;
    char *fresh = alloc_fn(alloc_user, raw, raw ? old + HEADER : 0, size + HEADER);
    if (!fresh) {
        mus_fail(MUS_STATUS_NO_MEMORY, "out of memory: a block of %zu bytes could not be allocated", size);
        return NULL;
    }
    memcpy(fresh, &size, sizeof size);
    atomic_fetch_add(&live_bytes, size);
    atomic_fetch_sub(&live_bytes, old);
    if (size > old) atomic_fetch_add(&allocations, 1);
    return fresh + HEADER;
}

void *mus_new(size_t size) {
    void *block = mus_resize(NULL, size);
    if (block) memset(block, 0, size);
    return block;
}

void mus_free(void *block) {
    if (!block) return;
    size_t size = block_size(block);
    atomic_fetch_sub(&live_bytes, size);
    alloc_fn(alloc_user, (char *)block - HEADER, size + HEADER, 0);
}

char *mus_copy_string(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = mus_new(size);
    if (copy) memcpy(copy, text, size);
    return copy;
}

bool mus_array_grow(void **data, int64_t *capacity, int64_t needed, size_t item) {
    int64_t wanted = *capacity < 8 ? 8 : *capacity + *capacity / 2;
    if (wanted < needed) wanted = needed;
    if ((uint64_t)wanted > SIZE_MAX / 4 / item) {
        mus_fail(MUS_STATUS_NO_MEMORY, "out of memory: an array of %lld items was requested", (long long)needed);
        return false;
    }
    void *grown = mus_resize(*data, (size_t)wanted * item);
    if (!grown) return false;
    *data = grown;
    *capacity = wanted;
    return true;
}
