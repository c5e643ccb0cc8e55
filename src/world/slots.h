/* slots.h: generational handles. */
#ifndef MUS_WORLD_SLOTS_H
#define MUS_WORLD_SLOTS_H

#include "world/world_state.h"

typedef MUS_ARRAY(int32_t) mus_order;

/* Puts the object into a free slot. False: no memory. */
static inline bool mus_slots_add(mus_slots *slots, void *order_array, void *object, uint32_t *index,
                                 uint32_t *generation) {
    mus_order *order = order_array;
    int64_t k = 0;
    while (k < slots->count && slots->data[k].object) k++;
    if (!mus_array_reserve(order, order->count + 1)) return false;
    if (k == slots->count && !mus_array_push(slots, ((mus_slot){NULL, 0, 0}))) return false;
    slots->data[k].object = object;
    slots->data[k].generation++;
    slots->data[k].order = (int32_t)order->count;
    order->data[order->count++] = (int32_t)k;
    *index = (uint32_t)k;
    *generation = slots->data[k].generation;
    return true;
}

static inline bool mus_slots_has(const mus_slots *slots, uint32_t index, uint32_t generation) {
    return index < slots->count && generation != 0 && slots->data[index].generation == generation &&
           slots->data[index].object;
}

/* Returns the object, or NULL with the error STALE. */
static inline void *mus_slots_find(const mus_slots *slots, uint32_t index, uint32_t generation, const char *what) {
    if (mus_slots_has(slots, index, generation)) return slots->data[index].object;
    mus_fail(MUS_STATUS_STALE, "%s: the object was removed from its world", what);
    return NULL;
}

static inline void mus_slots_remove(mus_slots *slots, void *order_array, uint32_t index) {
    mus_order *order = order_array;
    slots->data[index].object = NULL;
    int64_t kept = 0;
    for (int64_t k = 0; k < order->count; k++) {
        if (order->data[k] == (int32_t)index) continue;
        slots->data[order->data[k]].order = (int32_t)kept;
        order->data[kept++] = order->data[k];
    }
    order->count = kept;
}

#endif
