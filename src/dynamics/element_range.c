/* element_range.c: finds the runs of elements that touch a range of vertices. */
#include "dynamics/element_range.h"

enum { RUN_ELEMENTS = 256 };

mus_status mus_element_runs_create(const int32_t *vertices, size_t stride, int corners, int32_t element_count,
                                   mus_element_runs *runs) {
    *runs = (mus_element_runs){element_count, (element_count + RUN_ELEMENTS - 1) / RUN_ELEMENTS, NULL};
    runs->spans = mus_new(sizeof *runs->spans * ((size_t)runs->run_count + 1));
    if (!runs->spans) return MUS_STATUS_NO_MEMORY;
    for (int32_t k = 0; k < element_count; k++) {
        const int32_t *v = vertices + stride * (size_t)k;
        struct mus_run_span *span = &runs->spans[k / RUN_ELEMENTS];
        if (k % RUN_ELEMENTS == 0) *span = (struct mus_run_span){v[0], v[0] + 1};
        for (int c = 0; c < corners; c++) {
            if (v[c] < span->lo) span->lo = v[c];
            if (v[c] >= span->hi) span->hi = v[c] + 1;
        }
    }
    return MUS_STATUS_OK;
}

void mus_element_runs_free(mus_element_runs *runs) {
    mus_free(runs->spans);
    *runs = (mus_element_runs){0};
}

bool mus_element_runs_are_local(const mus_element_runs *runs, int32_t vertex_count) {
    double sum = 0;
    for (int32_t k = 0; k < runs->run_count; k++) sum += runs->spans[k].hi - runs->spans[k].lo;
    return sum <= 0.1 * vertex_count * runs->run_count;
}

void mus_element_runs_visit(const mus_element_runs *runs, int32_t lo, int32_t hi,
                            void (*work)(void *context, const mus_element_range *range), void *context) {
    for (int32_t k = 0; k < runs->run_count; k++) {
        if (runs->spans[k].hi <= lo || runs->spans[k].lo >= hi) continue;
        int32_t end = (k + 1) * RUN_ELEMENTS < runs->element_count ? (k + 1) * RUN_ELEMENTS : runs->element_count;
        work(context, &(mus_element_range){k * RUN_ELEMENTS, end, lo, hi});
    }
}
