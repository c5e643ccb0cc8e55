/* bench_ccd.c: nanoseconds a pair of continuous detection on a recorded step of a cloth on a ball, gather included: one
 * by one, and in batches with every instruction set that the processor has.
 *   bench_ccd [FILE.ccdm [RUNS [WAY]]]      WAY: single, baseline, avx2 or avx512; without it all of them
 */
#include "../narrow/step_pairs.h"

#include <time.h>

#include "muslin.h"
#include "narrow/ccd.h"
#include "narrow/ccd_batch.h"

enum { MOST_RUNS = 101 };

typedef struct outcome {
    int64_t hits, first; /* first: settled by boxes or the first axis */
    int most_axes;
} outcome;

static void note(bool hit, const mus_ccd_result *r, outcome *out) {
    out->hits += hit, out->first += !hit && r->iterations <= 1;
    if (r->iterations > out->most_axes) out->most_axes = r->iterations;
}

static void one_by_one(const recorded_step *step, const pair_list *list, bool edges, double gap, double tolerance,
                       outcome *out) {
    for (int64_t i = 0; i < list->count; i++) {
        v3 x0[4], x1[4];
        mus_ccd_result r;
        (edges ? step_gather_ee : step_gather_vf)(step, list->pairs[i], x0, x1);
        note((edges ? mus_ccd_ee : mus_ccd_vf)(x0, x1, gap, tolerance, &r), &r, out);
    }
}

static void solve(const v3 *x0, const v3 *x1, bool edges, mus_ccd_pool *pool, outcome *out) {
    (edges ? mus_ccd_pool_solve_ee : mus_ccd_pool_solve_vf)(x0, x1, pool);
    for (int k = 0; k < pool->count; k++) note(pool->pair[k].hit, &pool->pair[k].result, out);
    pool->count = 0;
}

static void batched(const recorded_step *step, const pair_list *list, bool edges, double gap, double tolerance,
                    outcome *out) {
    static mus_ccd_pool pool;
    const v3 *x0 = (const v3 *)step->x0, *x1 = (const v3 *)step->x1;
    mus_ccd_batch batch;
    for (int k = 0; k < MUS_CCD_BATCH; k++) batch.gap[k] = gap;
    for (int64_t from = 0; from < list->count; from += MUS_CCD_BATCH) {
        batch.count = list->count - from < MUS_CCD_BATCH ? (int)(list->count - from) : MUS_CCD_BATCH;
        for (int k = 0; k < batch.count; k++)
            (edges ? step_vertices_ee : step_vertices_vf)(step, list->pairs[from + k], batch.vertex[k]);
        uint64_t left = (edges ? mus_ccd_batch_settle_ee : mus_ccd_batch_settle_vf)(x0, x1, &batch);
        out->first += batch.count - __builtin_popcountll(left);
        for (; left; left &= left - 1) mus_ccd_pool_add(&pool, &batch, __builtin_ctzll(left), tolerance, from);
        if (pool.count > MUS_CCD_POOL - MUS_CCD_BATCH) solve(x0, x1, edges, &pool, out);
    }
    solve(x0, x1, edges, &pool, out);
}

/* Of this thread: what else the machine does counts for little. */
static double now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static double run(const recorded_step *step, const pair_list *list, bool edges, bool batches, double gap,
                  outcome *out) {
    *out = (outcome){0};
    double start = now_ns();
    (batches ? batched : one_by_one)(step, list, edges, gap, 1e-6, out);
    return (now_ns() - start) / (double)list->count;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : "../shared/data/ccd/cloth-ball.ccdm";
    int runs = argc > 2 ? atoi(argv[2]) : 5;
    runs = runs < 1 ? 1 : runs > MOST_RUNS ? MOST_RUNS : runs;
    recorded_step step;
    if (!step_read(path, &step)) {
        printf("bench_ccd: %s is not there or not a .ccdm file; nothing measured\n", path);
        return 0;
    }
    pair_list lists[2] = {0};
    step_find_pairs(&step, &lists[0], &lists[1]);
    printf("%s: %lld vertex-face and %lld edge-edge pairs; median of %d runs, one thread\n", path,
           (long long)lists[0].count, (long long)lists[1].count, runs);
    static const char *const ways[] = {"single", "baseline", "avx2", "avx512"};
    for (int g = 0; g < 2; g++)
        for (int l = 0; l < 4; l++) {
            if (argc > 3 && strcmp(argv[3], ways[l]) != 0) continue;
            if (l > 0 && mus_set_simd_level(ways[l]) != MUS_STATUS_OK) continue;
            double gap = g ? 1e-4 : 0, total = 0;
            for (int edges = 0; edges < 2; edges++) {
                double times[MOST_RUNS];
                outcome out = {0};
                for (int i = 0; i < runs; i++) times[i] = run(&step, &lists[edges], edges, l > 0, gap, &out);
                qsort(times, (size_t)runs, sizeof *times, compare);
                double n = (double)lists[edges].count;
                printf("%-8s %s gap %g m: %.1f ns a pair (best %.1f); boxes and the first axis settle %.1f %%; %lld "
                       "hits; at most %d axes\n",
                       ways[l], edges ? "edge-edge  " : "vertex-face", gap, times[runs / 2], times[0],
                       100 * (double)out.first / n, (long long)out.hits, out.most_axes);
                total += times[runs / 2] * n;
            }
            printf("%-8s both        gap %g m: %.1f ns a pair\n", ways[l], gap,
                   total / (double)(lists[0].count + lists[1].count));
        }
    for (int k = 0; k < 2; k++) free(lists[k].pairs);
    step_free(&step);
    return 0;
}
