/* meeting.h: what becomes of two leaves that a broad phase brings together. Their elementary pairs carry the place that
 * brute force would find them at, so that every phase that brings together each two leaves whose boxes overlap, once
 * and in any order, gives the very list that brute force gives. */
#ifndef MUS_BROAD_MEETING_H
#define MUS_BROAD_MEETING_H

#include "broad/broad.h"

typedef struct mus_meeting {
    const mus_broad_scene *scene;
    const uint8_t *marked;     /* only what involves one of these leaves; NULL: all */
    const mus_pair_sink *sink; /* takes the pairs, in slot 0; NULL: they stay in the list */
    mus_pair_list *list;
    mus_status status; /* other than OK: nothing more is looked for */
} mus_meeting;

/* Leaves a and b, in any order; nothing happens unless one of them is cloth's, and their boxes overlap. */
void mus_meeting_of(mus_meeting *meeting, int32_t a, int32_t b);
/* All have met: the sink gets the rest, or the list is put in order. */
mus_status mus_meeting_end(mus_meeting *meeting);

/* The whole of a phase's `pairs` and `pairs_of`: `bring` brings all leaves together. `list` is lent for the time. */
typedef void mus_meeting_bring(void *state, mus_meeting *meeting);
mus_status mus_meeting_pairs(void *state, mus_meeting_bring *bring, const mus_broad_scene *scene,
                             const mus_pair_sink *sink, mus_pair_list *list);
mus_status mus_meeting_pairs_of(void *state, mus_meeting_bring *bring, const mus_broad_scene *scene,
                                const uint8_t *marked, mus_pair_list *pairs);

#endif
