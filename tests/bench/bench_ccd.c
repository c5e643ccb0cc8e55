/* bench_ccd.c: nanoseconds a pair of continuous detection on a recorded step of a cloth on a ball, gather included.
 *   bench_ccd [FILE.ccdm [RUNS]]
 */
#include "../narrow/step_pairs.h"

#include "base/timer.h"
#include "narrow/ccd.h"

enum { MOST_RUNS = 101 };

typedef struct outcome {
    int64_t hits, axes, first_axis, boxes;
    int most_axes;
} outcome;

static double run(const recorded_step *step, const pair_list *list, bool edges, double gap, double tolerance,
                  outcome *out) {
    *out = (outcome){0};
    double start = mus_timer_ms();
    for (int64_t i = 0; i < list->count; i++) {
        v3 x0[4], x1[4];
        mus_ccd_result r;
        bool hit;
        if (edges) {
            step_gather_ee(step, list->pairs[i], x0, x1);
            hit = mus_ccd_ee(x0, x1, gap, tolerance, &r);
        } else {
            step_gather_vf(step, list->pairs[i], x0, x1);
            hit = mus_ccd_vf(x0, x1, gap, tolerance, &r);
        }
        out->hits += hit, out->axes += r.iterations, out->first_axis += r.iterations == 1,
            out->boxes += r.iterations == 0;
        if (r.iterations > out->most_axes) out->most_axes = r.iterations;
    }
    return (mus_timer_ms() - start) * 1e6 / (double)list->count;
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
    for (int g = 0; g < 2; g++) {
        double gap = g ? 1e-4 : 0, total = 0;
        for (int edges = 0; edges < 2; edges++) {
            double times[MOST_RUNS];
            outcome out = {0};
            for (int i = 0; i < runs; i++) times[i] = run(&step, &lists[edges], edges, gap, 1e-6, &out);
            qsort(times, (size_t)runs, sizeof *times, compare);
            double n = (double)lists[edges].count;
            printf("%s gap %g m: %.1f ns a pair (best %.1f); boxes settle %.1f %%, the first axis %.1f %%; %lld hits; "
                   "%.2f axes a pair, at most %d\n",
                   edges ? "edge-edge  " : "vertex-face", gap, times[runs / 2], times[0], 100 * (double)out.boxes / n,
                   100 * (double)out.first_axis / n, (long long)out.hits, (double)out.axes / n, out.most_axes);
            total += times[runs / 2] * n;
        }
        printf("both        gap %g m: %.1f ns a pair\n", gap, total / (double)(lists[0].count + lists[1].count));
    }
    for (int k = 0; k < 2; k++) free(lists[k].pairs);
    step_free(&step);
    return 0;
}
