/* overlap_query.h: processes the pairs of leaves that a broad phase finds. Their elementary pairs carry the order in
 * which brute force would find them, so every phase that finds each two leaves whose boxes overlap once, in any order,
 * yields the same list as brute force. */
#ifndef MUS_BROAD_OVERLAP_QUERY_H
#define MUS_BROAD_OVERLAP_QUERY_H

#include "broad/broad.h"

typedef struct mus_overlap_query {
    const mus_broad_scene *scene;
    const uint8_t *marked;     /* only pairs with one of these leaves; NULL: all */
    const mus_pair_sink *sink; /* receives the pairs, in slot 0; NULL: they stay in the list */
    mus_pair_list *list;
    mus_status status; /* other than OK: the search stops */
} mus_overlap_query;

/* Processes leaves a and b, in any order; does nothing unless one of them is of cloth and their boxes overlap. */
void mus_overlap_query_leaves(mus_overlap_query *query, int32_t a, int32_t b);
/* Processes one of their pairs alone: the vertex that the cloth leaf a owns at `corner`, and face b. Its order is among
 * the pairs of all vertices of a. */
void mus_overlap_query_vertex_face(mus_overlap_query *query, int32_t a, int32_t corner, int32_t b);
/* Ends a query: the sink gets the remaining pairs, or the list is sorted. */
mus_status mus_overlap_query_finish(mus_overlap_query *query);

/* A phase's `pairs` and `pairs_of`: `bring` calls mus_overlap_query_leaves for all pairs of leaves. `list`: scratch. */
typedef void mus_overlap_traversal(void *state, mus_overlap_query *query);
mus_status mus_overlap_query_pairs(void *state, mus_overlap_traversal *bring, const mus_broad_scene *scene,
                                   const mus_pair_sink *sink, mus_pair_list *list);
mus_status mus_overlap_query_pairs_of(void *state, mus_overlap_traversal *bring, const mus_broad_scene *scene,
                                      const uint8_t *marked, mus_pair_list *pairs);

#endif
