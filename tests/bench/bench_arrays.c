/* bench_arrays.c: what a plain C loop takes for y += s x on 100 k vectors, in us: the measure of array:axpy. */
#include "muslin.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static __attribute__((noinline)) void axpy(double *y, double s, const double *x, int count) {
    for (int i = 0; i < count; i++) y[i] += s * x[i];
}

int main(void) {
    enum { COUNT = 300000, ROUNDS = 200 };
    double *x = calloc(COUNT, sizeof *x), *y = calloc(COUNT, sizeof *y), least = 1e9;
    if (!x || !y) return 1;
    for (int i = 0; i < COUNT; i++) x[i] = 1e-3 * i, y[i] = 1;
    for (int k = 0; k < ROUNDS; k++) {
        double start = seconds();
        axpy(y, 1e-9 * k, x, COUNT);
        double took = seconds() - start;
        if (took < least) least = took;
    }
    printf("%.2f\n", 1e6 * least);
    if (y[COUNT - 1] == 0) return 1;
    free(x);
    free(y);
    return 0;
}
