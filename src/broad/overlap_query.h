/* overlap_query.h: what becomes of two leaves that a broad phase brings together. Their elementary pairs carry the
 * place that brute force would find them at, so that every phase that brings together each two leaves whose boxes
 * overlap, once and in any order, gives the very list that brute force gives. */
#ifndef MUS_BROAD_OVERLAP_QUERY_H
#define MUS_BROAD_OVERLAP_QUERY_H

#include "broad/broad.h"

typedef struct mus_overlap_query {
    const mus_broad_scene *scene;
    const uint8_t *marked;     /* only what involves one of these leaves; NULL: all */
    const mus_pair_sink *sink; /* takes the pairs, in slot 0; NULL: they stay in the list */
    mus_pair_list *list;
    mus_status status; /* other than OK: nothing more is looked for */
} mus_overlap_query;

/* Leaves a and b, in any order; nothing happens unless one of them is cloth's, and their boxes overlap. */
void mus_overlap_query_leaves(mus_overlap_query *query, int32_t a, int32_t b);
/* All have met: the sink gets the rest, or the list is put in order. */
mus_status mus_overlap_query_finish(mus_overlap_query *query);

/* The whole of a phase's `pairs` and `pairs_of`: `bring` brings all leaves together. `list` is lent for the time. */
typedef void mus_overlap_traversal(void *state, mus_overlap_query *query);
mus_status mus_overlap_query_pairs(void *state, mus_overlap_traversal *bring, const mus_broad_scene *scene,
                                   const mus_pair_sink *sink, mus_pair_list *list);
mus_status mus_overlap_query_pairs_of(void *state, mus_overlap_traversal *bring, const mus_broad_scene *scene,
                                      const uint8_t *marked, mus_pair_list *pairs);

#endif
