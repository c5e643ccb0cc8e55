/* parallel.h: the only door to threads. Work is cut into blocks whose bounds do not depend on the number of threads; a
 * body writes to slots of its own items or of its block, so results are the same bits for any thread count. */
#ifndef MUS_BASE_PARALLEL_H
#define MUS_BASE_PARALLEL_H

#include <stdint.h>

/* Handles items [begin, end) of block `block`. */
typedef void (*mus_parallel_body)(void *context, int64_t begin, int64_t end, int64_t block);

int mus_parallel_threads(int wanted); /* 0: the machine's processors; at least 1 */
int64_t mus_parallel_blocks(int64_t count, int64_t block_size);

/* Runs the body over [0, count) in blocks of block_size (the last may be shorter), on up to `threads` threads: the
 * caller's and those of a pool that all loops of the process share. While one thread has the pool, loops of others, and
 * loops within loops, run on their caller alone. Fewer threads than asked for, down to the caller's, are no error. */
void mus_parallel_for(int threads, int64_t count, int64_t block_size, mus_parallel_body body, void *context);

#endif
