/* row_terms.h: terms such as contacts, each a vector that acts on a few rows: listed by rows, so that CPU threads add
 * them up row by row, each row in the order of terms. */
#ifndef MUS_LINEAR_ROW_TERMS_H
#define MUS_LINEAR_ROW_TERMS_H

#include "base/memory.h"
#include "base/vec.h"
#include "muslin/status.h"

typedef struct mus_row_share {
    int32_t term;
    double weight;
} mus_row_share;

typedef struct mus_row_entry {
    int32_t row;
    mus_row_share share;
} mus_row_entry;

typedef struct mus_row_terms {
    int32_t n;      /* number of rows */
    int32_t *start; /* n + 1: into `share` */
    MUS_ARRAY(mus_row_share) share;
    MUS_ARRAY(mus_row_entry) entry; /* as they were added */
    MUS_ARRAY(v3) vector;           /* of each term */
} mus_row_terms;

mus_status mus_row_terms_create(mus_row_terms *list, int32_t n);
void mus_row_terms_free(mus_row_terms *list);

/* A new list: mus_row_terms_begin, the entries in the order of terms, mus_row_terms_end. */
void mus_row_terms_begin(mus_row_terms *list);
mus_status mus_row_terms_add(mus_row_terms *list, int32_t row, int32_t term, double weight);
mus_status mus_row_terms_end(mus_row_terms *list, int64_t term_count);

/* Returns `sum` plus the vectors of a row's terms times their weights. */
static inline v3 mus_row_terms_sum(const mus_row_terms *list, int64_t row, v3 sum) {
    for (int32_t k = list->start[row]; k < list->start[row + 1]; k++)
        sum = v3_axpy(list->share.data[k].weight, list->vector.data[list->share.data[k].term], sum);
    return sum;
}

#endif
