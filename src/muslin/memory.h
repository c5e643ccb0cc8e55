/* memory.h: the allocator, and what it has handed out. */
#ifndef MUSLIN_MEMORY_H
#define MUSLIN_MEMORY_H

#include "status.h"

#include <stddef.h>
#include <stdint.h>

/* One function allocates (ptr NULL), resizes and frees (new_size 0, returns NULL), like Lua's. Blocks must be aligned
 * to 16 bytes. It must be set before the first allocation, and is process-wide. */
typedef void *(*mus_alloc_fn)(void *user, void *ptr, size_t old_size, size_t new_size);
MUS_API void mus_set_allocator(mus_alloc_fn alloc, void *user); /* NULL restores the C library's */
MUS_API size_t mus_get_allocated_bytes(void);                   /* live bytes handed out by the current allocator */
MUS_API uint64_t mus_get_allocation_count(void);                /* allocations and growing resizes since the start */

#endif
