/* parallel.c: runs the blocks of a loop on threads that wait for the next loop. The only file of the library that uses
 * threads.
 *
 * The caller starts on blocks at once and never waits for a thread to arrive, only for blocks that others have begun:
 * on a machine without a spare processor a loop costs what it costs one thread. Each thread starts with a share of its
 * own, the same in every loop of that many blocks, so that its data are still in its cache, and then helps with the
 * shares of others. Idle threads poll for the next loop for about as long as waking them takes, and then sleep. */
#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST_THREADS = 256,
    LOOKS = 64,     /* polls with a pause each, one or two us in all, before yielding the processor */
    TURNS = 64,     /* rounds of polls, a tenth of a millisecond in all, before a thread sleeps */
    STACK = 4 << 20 /* bytes */
};

/* The caller has seat 0, thread k of the pool seat k. */
typedef struct seat {
    _Alignas(64) _Atomic int64_t next; /* next block of the seat's share */
    int64_t end;
    atomic_bool asleep;
    pthread_cond_t wake;
} seat;

/* The current loop: changed only while the gate is closed and no thread is inside. */
static struct {
    mus_parallel_body body;
    void *context;
    int64_t count, block_size;
} loop;

static seat seats[MOST_THREADS];
/* From low to high: 16 bits, pool threads inside; 16 bits, seats of the loop, 0 if closed; 32 bits, its number. */
static _Atomic uint64_t gate;
static pthread_mutex_t owner = PTHREAD_MUTEX_INITIALIZER; /* locked by the caller of the current loop */
static pthread_mutex_t sleepers = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_out = PTHREAD_COND_INITIALIZER;
static atomic_bool awaited; /* whether the caller waits for all_out */
static int pool_size, processors;

static uint32_t items_inside(uint64_t g) {
    return (uint32_t)(g & 0xffff);
}
static uint32_t seat_count(uint64_t g) {
    return (uint32_t)(g >> 16 & 0xffff);
}
static uint32_t number(uint64_t g) {
    return (uint32_t)(g >> 32);
}

int mus_parallel_threads(int wanted) {
    int threads = wanted;
    if (threads <= 0) {
        cpu_set_t set;
        threads = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : (int)sysconf(_SC_NPROCESSORS_ONLN);
    }
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

/* Blocks go to any free thread: results do not depend on which thread runs a block. */
static void run_blocks(uint32_t own, uint32_t count) {
    for (uint32_t k = 0; k < count; k++) {
        seat *s = &seats[(own + k) % count];
        while (atomic_load_explicit(&s->next, memory_order_relaxed) < s->end) {
            int64_t block = atomic_fetch_add_explicit(&s->next, 1, memory_order_relaxed);
            if (block < s->end) run_block(block, loop.count, loop.block_size, loop.body, loop.context);
        }
    }
}

/* ---- threads of the pool ---- */

static void look_again(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static bool is_open(uint64_t g, uint32_t own, uint32_t last) {
    return seat_count(g) > own && number(g) != last;
}

/* Waits for a loop with a seat for this thread that it has not taken yet; returns the gate. */
static uint64_t await_loop(uint32_t own, uint32_t last) {
    uint64_t g = atomic_load(&gate);
    for (int turn = 0; own < (uint32_t)processors && turn < TURNS; turn++) {
        for (int k = 0; k < LOOKS; k++) {
            if (is_open(g, own, last)) return g;
            look_again();
            g = atomic_load(&gate);
        }
        sched_yield();
    }
    pthread_mutex_lock(&sleepers);
    atomic_store(&seats[own].asleep, true);
    while (g = atomic_load(&gate), !is_open(g, own, last)) pthread_cond_wait(&seats[own].wake, &sleepers);
    atomic_store(&seats[own].asleep, false);
    pthread_mutex_unlock(&sleepers);
    return g;
}

static void *run_worker(void *argument) {
    seat *mine = argument;
    uint32_t own = (uint32_t)(mine - seats), last = 0;
    for (;;) {
        uint64_t g = await_loop(own, last);
        if (!atomic_compare_exchange_strong(&gate, &g, g + 1)) continue; /* counts this thread as inside */
        last = number(g);
        run_blocks(own, seat_count(g));
        if (items_inside(atomic_fetch_sub(&gate, 1)) != 1 || !atomic_load(&awaited)) continue;
        pthread_mutex_lock(&sleepers);
        pthread_cond_signal(&all_out);
        pthread_mutex_unlock(&sleepers);
    }
    return NULL;
}

/* A child of fork has only the thread that forked. */
static void begin_anew(void) {
    pool_size = 0;
    atomic_store(&gate, 0);
    atomic_store(&awaited, false);
    pthread_mutex_init(&owner, NULL), pthread_mutex_init(&sleepers, NULL), pthread_cond_init(&all_out, NULL);
}

/* Grows the pool to `wanted` threads, with all signals blocked, which are the program's; returns how many there are. */
static int grow_pool(int wanted) {
    if (!processors) {
        processors = mus_parallel_threads(0);
        pthread_atfork(NULL, NULL, begin_anew);
    }
    if (pool_size >= wanted) return wanted;
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return pool_size;
    pthread_attr_setstacksize(&attributes, STACK);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (bool made = true; made && pool_size < wanted;) {
        seat *s = &seats[pool_size + 1];
        pthread_t thread;
        pthread_cond_init(&s->wake, NULL);
        atomic_store(&s->asleep, false);
        made = pthread_create(&thread, &attributes, run_worker, s) == 0;
        pool_size += made;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return pool_size;
}

/* ---- the caller ---- */

static void open_gate(uint32_t count, int64_t blocks) {
    int64_t share = blocks / count, more = blocks % count, next = 0;
    for (uint32_t k = 0; k < count; k++) {
        atomic_store_explicit(&seats[k].next, next, memory_order_relaxed);
        next += share + (k < more);
        seats[k].end = next;
    }
    atomic_store(&gate, ((uint64_t)number(atomic_load(&gate)) + 1) << 32 | (uint64_t)count << 16);
    for (uint32_t k = 1; k < count; k++) {
        if (!atomic_load(&seats[k].asleep)) continue;
        pthread_mutex_lock(&sleepers);
        pthread_cond_signal(&seats[k].wake);
        pthread_mutex_unlock(&sleepers);
    }
}

static void close_gate(void) {
    uint64_t g = atomic_fetch_and(&gate, ~((uint64_t)0xffff << 16));
    for (int turn = 0; items_inside(g) && turn < TURNS; turn++) {
        for (int k = 0; items_inside(g) && k < LOOKS; k++) look_again(), g = atomic_load(&gate);
        if (items_inside(g)) sched_yield();
    }
    if (!items_inside(g)) return;
    pthread_mutex_lock(&sleepers);
    atomic_store(&awaited, true);
    while (items_inside(atomic_load(&gate))) pthread_cond_wait(&all_out, &sleepers);
    atomic_store(&awaited, false);
    pthread_mutex_unlock(&sleepers);
}

void mus_parallel_for(int threads, int64_t count, int64_t block_size, mus_parallel_body body, void *context) {
    if (block_size < 1) block_size = 1;
    int64_t blocks = mus_parallel_blocks(count, block_size);
    threads = mus_parallel_threads(threads < 1 ? 1 : threads);
    if (threads > blocks) threads = (int)blocks;
    if (threads > 1 && pthread_mutex_trylock(&owner) == 0) {
        threads = grow_pool(threads - 1) + 1;
        loop.body = body, loop.context = context, loop.count = count, loop.block_size = block_size;
        open_gate((uint32_t)threads, blocks);
        run_blocks(0, (uint32_t)threads);
        close_gate();
        loop.context = NULL; /* the caller's, whose frame may end now */
        pthread_mutex_unlock(&owner);
        return;
    }
    for (int64_t block = 0; block < blocks; block++) run_block(block, count, block_size, body, context);
}

typedef struct summation {
    mus_parallel_summand body;
    void *context;
    double *block_sum;
} summation;

static void sum_block(void *context, int64_t begin, int64_t end, int64_t block) {
    const summation *s = context;
    s->block_sum[block] = s->body(s->context, begin, end);
}

double mus_parallel_sum(int threads, int64_t count, mus_parallel_summand body, void *context, double *block_sum) {
    double sum = 0;
    mus_parallel_vertices(threads, count, sum_block, &(summation){body, context, block_sum});
    for (int64_t k = 0, blocks = mus_parallel_vertex_blocks(count); k < blocks; k++) sum += block_sum[k];
    return sum;
}

typedef struct copying {
    char *to;
    const char *from;
    size_t size;
} copying;

static void copy(void *context, int64_t begin, int64_t end, int64_t block) {
    const copying *c = context;
    (void)block;
    memcpy(c->to + (size_t)begin * c->size, c->from + (size_t)begin * c->size, (size_t)(end - begin) * c->size);
}

void mus_parallel_copy(int threads, void *to, const void *from, int64_t count, size_t size) {
    mus_parallel_vertices(threads, count, copy, &(copying){to, from, size});
}
