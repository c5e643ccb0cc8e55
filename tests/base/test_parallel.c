/* test_parallel.c: every item once, blocks as documented, the same bits for any number of threads. */
#include "base/hash.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "tests.h"

#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct job {
    const double *in;
    double *out;     /* per item */
    double *sums;    /* per block */
    int32_t *visits; /* per item */
    int64_t block_size, count;
} job;

static void body(void *context, int64_t begin, int64_t end, int64_t block) {
    job *j = context;
    if (begin != block * j->block_size || end > j->count || end <= begin || end - begin > j->block_size) {
        j->visits[0] = 1000; /* asserts may not jump out of a thread */
        return;
    }
    double sum = 0;
    for (int64_t i = begin; i < end; i++) {
        j->visits[i]++;
        j->out[i] = sqrt(fabs(j->in[i])) / 3;
        sum += j->out[i];
    }
    j->sums[block] = sum;
}

static uint64_t run(int threads, int64_t count, int64_t block_size) {
    int64_t blocks = mus_parallel_blocks(count, block_size);
    job j = {.block_size = block_size, .count = count};
    double *in = calloc((size_t)count + 1, sizeof *in);
    j.out = calloc((size_t)count + 1, sizeof *j.out);
    j.sums = calloc((size_t)blocks + 1, sizeof *j.sums);
    j.visits = calloc((size_t)count + 1, sizeof *j.visits);
    mus_rng rng = mus_rng_make(7, 0);
    for (int64_t i = 0; i < count; i++) in[i] = mus_rng_between(&rng, -1e3, 1e3);
    j.in = in;
    mus_parallel_for(threads, count, block_size, body, &j);
    for (int64_t i = 0; i < count; i++) assert_int_equal(j.visits[i], 1);
    double total = 0;
    for (int64_t b = 0; b < blocks; b++) total += j.sums[b];
    uint64_t hash = mus_hash_chain(0, j.out, (size_t)count * sizeof *j.out);
    hash = mus_hash_chain(hash, &total, sizeof total);
    free(in), free(j.out), free(j.sums), free(j.visits);
    return hash;
}

static void same_bits_for_any_threads(void **state) {
    (void)state;
    const int64_t counts[] = {1, 2, 63, 64, 65, 1000, 100003};
    const int64_t sizes[] = {1, 64, 100, 1 << 20};
    for (int c = 0; c < 7; c++) {
        for (int s = 0; s < 4; s++) {
            uint64_t hash = run(1, counts[c], sizes[s]);
            const int threads[] = {2, 3, 8, 1000};
            for (int t = 0; t < 4; t++) assert_int_equal(run(threads[t], counts[c], sizes[s]), hash);
        }
    }
}

static void count_visit(void *context, int64_t begin, int64_t end, int64_t block) {
    (void)block;
    for (int64_t i = begin; i < end; i++) ((int32_t *)context)[i]++;
}

/* Few, many, and a last block that is not whole. */
static void vertices_are_visited_and_copied_once(void **state) {
    (void)state;
    enum { MOST = 10007 };
    const int64_t counts[] = {0, 1, 1024, 4095, 4096, MOST};
    for (int c = 0; c < 6; c++)
        for (int threads = 1; threads < 4; threads++) {
            int64_t n = counts[c];
            int32_t *visits = calloc(MOST + 1, sizeof *visits);
            double(*from)[3] = calloc(MOST + 1, sizeof *from), (*to)[3] = calloc(MOST + 1, sizeof *to);
            for (int64_t i = 0; i <= MOST; i++) from[i][0] = (double)i + 1, from[i][2] = -(double)i;
            mus_parallel_vertices(threads, n, count_visit, visits);
            for (int64_t i = 0; i <= MOST; i++) assert_int_equal(visits[i], i < n);
            mus_parallel_copy(threads, to, from, n, sizeof *from);
            assert_memory_equal(to, from, (size_t)n * sizeof *from);
            for (int64_t i = n; i <= MOST; i++) assert_true(to[i][0] == 0);
            free(visits), free(from), free(to);
        }
}

static double sum_items(void *context, int64_t begin, int64_t end) {
    double sum = 0;
    for (int64_t i = begin; i < end; i++) sum += ((const double *)context)[i];
    return sum;
}

/* The same bits for any number of threads, and the sum, up to rounding. */
static void sums_do_not_depend_on_threads(void **state) {
    (void)state;
    enum { MOST = 20011 };
    const int64_t counts[] = {0, 1, 511, 512, 513, 3000, MOST};
    double *items = calloc(MOST, sizeof *items), *blocks = calloc(MOST, sizeof *blocks);
    mus_rng rng = mus_rng_make(11, 0);
    for (int64_t i = 0; i < MOST; i++) items[i] = mus_rng_between(&rng, -1, 3);
    for (int c = 0; c < 7; c++) {
        double one = mus_parallel_sum(1, counts[c], sum_items, items, blocks);
        double wanted = sum_items(items, 0, counts[c]);
        assert_true(fabs(one - wanted) <= 1e-12 * (1 + fabs(wanted)));
        for (int threads = 2; threads < 5; threads++)
            assert_true(mus_parallel_sum(threads, counts[c], sum_items, items, blocks) == one);
    }
    free(items), free(blocks);
}

static void never(void *context, int64_t begin, int64_t end, int64_t block) {
    (void)begin, (void)end, (void)block;
    *(int *)context = 1;
}

static void nothing_to_do(void **state) {
    (void)state;
    int called = 0;
    mus_parallel_for(4, 0, 16, never, &called);
    mus_parallel_for(4, -5, 16, never, &called);
    assert_int_equal(called, 0);
    assert_int_equal(mus_parallel_blocks(0, 16), 0);
    assert_int_equal(mus_parallel_blocks(16, 16), 1);
    assert_int_equal(mus_parallel_blocks(17, 16), 2);
    assert_int_equal(mus_parallel_blocks(5, 0), 5); /* a block holds at least one item */
    assert_int_equal(mus_parallel_blocks(INT64_MAX, 1), INT64_MAX);
}

static void threads_are_at_least_one(void **state) {
    (void)state;
    assert_true(mus_parallel_threads(0) >= 1);
    assert_int_equal(mus_parallel_threads(-3), mus_parallel_threads(0));
    assert_int_equal(mus_parallel_threads(5), 5);
    assert_true(mus_parallel_threads(1 << 30) <= 1 << 10);
}

typedef struct outer {
    int64_t inner[8];
} outer;

static void inner_body(void *context, int64_t begin, int64_t end, int64_t block) {
    (void)block;
    *(int64_t *)context += end - begin; /* one block: no race */
}
static void outer_body(void *context, int64_t begin, int64_t end, int64_t block) {
    (void)block;
    for (int64_t i = begin; i < end; i++) mus_parallel_for(4, 100, 100, inner_body, &((outer *)context)->inner[i]);
}

static void may_be_nested(void **state) {
    (void)state;
    outer o = {{0}};
    mus_parallel_for(4, 8, 1, outer_body, &o);
    for (int i = 0; i < 8; i++) assert_int_equal(o.inner[i], 100);
}

/* Loops of few items and of many, on few threads and on many, one straight after the other: none loses an item to, or
 * works for, another. */
typedef struct rush {
    uint64_t seed;
    int wrong;
    int32_t visits[300];
} rush;

static void visit(void *context, int64_t begin, int64_t end, int64_t block) {
    rush *r = context;
    for (int64_t i = begin; i < end; i++) r->visits[i]++;
    if (block % 64 == 5) sched_yield(); /* lets the other threads of the test come between */
}

static void *many_loops(void *context) {
    rush *r = context;
    mus_rng rng = mus_rng_make(r->seed, 0);
    for (int k = 0; k < 3000; k++) {
        int64_t count = 1 + (int64_t)mus_rng_between(&rng, 0, 299);
        int threads = 1 + (int)mus_rng_between(&rng, 0, 6);
        memset(r->visits, 0, sizeof r->visits);
        mus_parallel_for(threads, count, k % 3 ? 1 : 7, visit, r);
        for (int64_t i = 0; i < 300; i++) r->wrong += r->visits[i] != (i < count);
    }
    return NULL;
}

static void one_after_the_other(void **state) {
    (void)state;
    rush r = {.seed = 11};
    many_loops(&r);
    assert_int_equal(r.wrong, 0);
}

static void from_several_threads_at_once(void **state) {
    (void)state;
    rush r[3] = {{.seed = 1}, {.seed = 2}, {.seed = 3}};
    pthread_t thread[3];
    for (int k = 0; k < 3; k++) assert_int_equal(pthread_create(&thread[k], NULL, many_loops, &r[k]), 0);
    for (int k = 0; k < 3; k++) assert_int_equal(pthread_join(thread[k], NULL), 0);
    for (int k = 0; k < 3; k++) assert_int_equal(r[k].wrong, 0);
}

static int threads_of_the_process(void) {
    DIR *tasks = opendir("/proc/self/task");
    int count = 0;
    for (struct dirent *entry; tasks && (entry = readdir(tasks));) count += entry->d_name[0] != '.';
    if (tasks) closedir(tasks);
    return count;
}

static void in_a_child_of_fork(void **state) {
    (void)state;
#ifdef __has_feature
#if __has_feature(thread_sanitizer)
    skip(); /* which allows no new threads there */
#endif
#endif
    uint64_t hash = run(4, 100003, 64); /* there are threads that the child will not have */
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(60);
        rush r = {.seed = 5};
        many_loops(&r);
        _exit(r.wrong || run(4, 100003, 64) != hash || threads_of_the_process() < 4);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits_for_any_threads),
        cmocka_unit_test(vertices_are_visited_and_copied_once),
        cmocka_unit_test(sums_do_not_depend_on_threads),
        cmocka_unit_test(nothing_to_do),
        cmocka_unit_test(threads_are_at_least_one),
        cmocka_unit_test(may_be_nested),
        cmocka_unit_test(one_after_the_other),
        cmocka_unit_test(from_several_threads_at_once),
        cmocka_unit_test(in_a_child_of_fork),
    };
    return cmocka_run_group_tests_name("parallel", tests, NULL, NULL);
}
