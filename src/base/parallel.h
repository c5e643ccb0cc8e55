/* parallel.h: the only door to threads. Work is cut into blocks whose bounds do not depend on the number of threads; a
 * body writes to slots of its own items or of its block, so results are the same bits for any thread count. */
#ifndef MUS_BASE_PARALLEL_H
#define MUS_BASE_PARALLEL_H

#include <stddef.h>
#include <stdint.h>

/* Handles items [begin, end) of block `block`. */
typedef void (*mus_parallel_body)(void *context, int64_t begin, int64_t end, int64_t block);

int mus_parallel_threads(int wanted); /* 0: the machine's processors; at least 1 */
int64_t mus_parallel_blocks(int64_t count, int64_t block_size);

/* Runs the body over [0, count) in blocks of block_size (the last may be shorter), on up to `threads` threads: the
 * caller's and those of a pool that all loops of the process share. While one thread has the pool, loops of others, and
 * loops within loops, run on their caller alone. Fewer threads than asked for, down to the caller's, are no error. */
void mus_parallel_for(int threads, int64_t count, int64_t block_size, mus_parallel_body body, void *context);

/* Over vertices: by blocks that are the same in all such loops, so that a thread meets again what its cache has; by one
 * thread where they are so few that waking others costs more. */
enum { MUS_PARALLEL_VERTICES = 1024, MUS_PARALLEL_MANY_VERTICES = 4096 };
static inline void mus_parallel_vertices(int threads, int64_t count, mus_parallel_body body, void *context) {
    mus_parallel_for(count < MUS_PARALLEL_MANY_VERTICES ? 1 : threads, count, MUS_PARALLEL_VERTICES, body, context);
}
/* memcpy of what `count` vertices have, of `size` bytes each. */
void mus_parallel_copy(int threads, void *to, const void *from, int64_t count, size_t size);

#endif
