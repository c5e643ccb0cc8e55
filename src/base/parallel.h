/* parallel.h: the only interface to threads. Work is divided into blocks whose bounds do not depend on the number of
 * threads; a body writes only to the slots of its items or of its block, so results do not depend on it either. */
#ifndef MUS_BASE_PARALLEL_H
#define MUS_BASE_PARALLEL_H

#include <stddef.h>
#include <stdint.h>

/* Handles items [begin, end) of block `block`. */
typedef void (*mus_parallel_body)(void *context, int64_t begin, int64_t end, int64_t block);

int mus_parallel_threads(int wanted); /* 0: all processors of the machine; at least 1 */
int64_t mus_parallel_blocks(int64_t count, int64_t block_size);

/* Runs the body over [0, count) in blocks of block_size (the last may be shorter), on up to `threads` threads: the
 * caller's and those of a pool that all loops of the process share. While one thread uses the pool, loops of other
 * threads, and nested loops, run on their caller alone. Fewer threads than requested, down to the caller's, are no
 * error. */
void mus_parallel_for(int threads, int64_t count, int64_t block_size, mus_parallel_body body, void *context);

/* Loops over vertices: the blocks are the same in all such loops, so that a thread finds its data in its cache; on one
 * thread if the vertices are so few that waking others costs more. */
enum { MUS_PARALLEL_VERTICES = 512, MUS_PARALLEL_MANY_VERTICES = 1536 };
static inline void mus_parallel_vertices(int threads, int64_t count, mus_parallel_body body, void *context) {
    mus_parallel_for(count < MUS_PARALLEL_MANY_VERTICES ? 1 : threads, count, MUS_PARALLEL_VERTICES, body, context);
}
/* Sum of what the body returns for those blocks, in their order. `block_sum`: scratch, of mus_parallel_vertex_blocks.
 */
typedef double (*mus_parallel_summand)(void *context, int64_t begin, int64_t end);
double mus_parallel_sum(int threads, int64_t count, mus_parallel_summand body, void *context, double *block_sum);
static inline int64_t mus_parallel_vertex_blocks(int64_t count) {
    return mus_parallel_blocks(count, MUS_PARALLEL_VERTICES);
}
/* memcpy of the data of `count` vertices, of `size` bytes each. */
void mus_parallel_copy(int threads, void *to, const void *from, int64_t count, size_t size);

#endif
