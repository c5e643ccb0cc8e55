/* element_range.h: assembly by several CPU threads without shared sums: each part owns a range of vertices and
 * processes all elements that touch it, in their order, but writes only to what it owns. Every sum is therefore made in
 * the order of a single thread, with the same bits, however many parts there are; elements that touch two parts are
 * computed twice. This pays if few of the elements that touch a range are not within it: if vertices are numbered by
 * place, as those of most meshes are. */
#ifndef MUS_DYNAMICS_ELEMENT_RANGE_H
#define MUS_DYNAMICS_ELEMENT_RANGE_H

#include "base/memory.h"
#include "muslin/status.h"

/* Elements [first, last), restricted to the vertices [lo, hi). The lower vertex of a pair owns the pair. */
typedef struct mus_element_range {
    int32_t first, last, lo, hi;
} mus_element_range;

static inline mus_element_range mus_element_range_all(int32_t elements) {
    return (mus_element_range){0, elements, 0, INT32_MAX};
}
static inline bool mus_element_range_owns(const mus_element_range *range, int32_t vertex) {
    return vertex >= range->lo && vertex < range->hi;
}

/* Elements in runs, and the vertices that a run touches. */
typedef struct mus_element_runs {
    int32_t element_count, run_count;
    struct mus_run_span {
        int32_t lo, hi; /* the lowest vertex, and one more than the highest */
    } * spans;
} mus_element_runs;

/* The vertices of element k are the first `corners` from vertices[k * stride] on. */
mus_status mus_element_runs_create(const int32_t *vertices, size_t stride, int corners, int32_t element_count,
                                   mus_element_runs *runs);
void mus_element_runs_free(mus_element_runs *runs);
/* Returns whether assembly by several CPU threads pays. */
bool mus_element_runs_are_local(const mus_element_runs *runs, int32_t vertex_count);

/* Calls work(context, part) for every run of elements that touches the vertices [lo, hi), in order. */
void mus_element_runs_visit(const mus_element_runs *runs, int32_t lo, int32_t hi,
                            void (*work)(void *context, const mus_element_range *range), void *context);

#endif
