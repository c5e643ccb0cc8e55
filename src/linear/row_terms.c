/* row_terms.c: lists of the terms that act on each row, by counting. */
#include "linear/row_terms.h"

#include <string.h>

mus_status mus_row_terms_create(mus_row_terms *list, int32_t n) {
    *list = (mus_row_terms){.n = n, .start = mus_new(sizeof *list->start * ((size_t)n + 1))};
    return list->start ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

void mus_row_terms_free(mus_row_terms *list) {
    mus_free(list->start);
    mus_array_free(&list->share), mus_array_free(&list->entry), mus_array_free(&list->vector);
    *list = (mus_row_terms){0};
}

void mus_row_terms_begin(mus_row_terms *list) {
    list->entry.count = 0;
}

mus_status mus_row_terms_add(mus_row_terms *list, int32_t row, int32_t term, double weight) {
    mus_row_entry entry = {row, {term, weight}};
    return mus_array_push(&list->entry, entry) ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

mus_status mus_row_terms_end(mus_row_terms *list, int64_t term_count) {
    int32_t *start = list->start, n = list->n;
    int64_t count = list->entry.count;
    if (count > INT32_MAX || !mus_array_reserve(&list->share, count + 1) ||
        !mus_array_reserve(&list->vector, term_count + 1))
        return MUS_STATUS_NO_MEMORY;
    list->share.count = count, list->vector.count = term_count;
    memset(start, 0, sizeof *start * ((size_t)n + 1));
    for (int64_t k = 0; k < count; k++) start[list->entry.data[k].row]++;
    for (int32_t i = 0, at = 0; i <= n; i++) at += start[i], start[i] = at; /* where each row ends */
    for (int64_t k = count - 1; k >= 0; k--)
        list->share.data[--start[list->entry.data[k].row]] = list->entry.data[k].share;
    return MUS_STATUS_OK;
}
