/* parallel.c: blocks over OpenMP threads. The only file of the library that knows threads. */
#include "base/parallel.h"

#include <omp.h>

enum { MOST_THREADS = 256 };

int mus_parallel_threads(int wanted) {
    int threads = wanted > 0 ? wanted : omp_get_num_procs();
    return threads < 1 ? 1 : threads > MOST_THREADS ? MOST_THREADS : threads;
}

int64_t mus_parallel_blocks(int64_t count, int64_t block_size) {
    if (count <= 0) return 0;
    if (block_size < 1) block_size = 1;
    return (count - 1) / block_size + 1;
}

static void run_block(int64_t block, int64_t count, int64_t block_size, mus_parallel_body body, void *context) {
    int64_t begin = block * block_size;
    int64_t end = count - begin < block_size ? count : begin + block_size;
    body(context, begin, end, block);
}

void mus_parallel_for(int threads, int64_t count, int64_t block_size, mus_parallel_body body, void *context) {
    if (block_size < 1) block_size = 1;
    int64_t blocks = mus_parallel_blocks(count, block_size);
    if (threads > blocks) threads = (int)blocks;
    if (threads <= 1) {
        for (int64_t block = 0; block < blocks; block++) run_block(block, count, block_size, body, context);
        return;
    }
    /* Blocks go to whichever thread is free: who runs one cannot be seen in the results. */
#pragma omp parallel for schedule(dynamic, 1) num_threads(mus_parallel_threads(threads))
    for (int64_t block = 0; block < blocks; block++) run_block(block, count, block_size, body, context);
}
