/* order.h: the order in which a cloth is simulated. Meshes come numbered in any way, and one whose neighbours in the
 * mesh lie far apart in memory is slow. Such a cloth has a twin with the same elements in a better order, and it is the
 * twin that a solver is made for; the world, and whoever uses it, sees the cloth as it was given. State passes between
 * the two at the beginning and the end of a step (mus_cloth_send, mus_cloth_receive), and numbers of vertices by
 * mus_cloth_solved_vertex and mus_cloth_given_vertex, and nowhere else: forces, detection and response never know. */
#ifndef MUS_MODEL_ORDER_H
#define MUS_MODEL_ORDER_H

#include "model/cloth.h"

/* Of both cloths. */
struct mus_cloth_order {
    mus_cloth *given, *solved;
    int32_t *rank, *number; /* the place of a given vertex, and the given vertex at a place */
    int32_t *face_number;   /* likewise of faces */
};

/* Of a cloth whose elements are complete, and its topology too: makes the twin, if the order is bad. */
mus_status mus_cloth_put_in_order(mus_cloth *cloth);
void mus_cloth_order_free(mus_cloth *given);
void mus_cloth_order_release(mus_cloth_order *order); /* without the twin */

/* The cloth that a solver is made for, and the one that the world has: they may be the same. */
static inline mus_cloth *mus_cloth_solved(mus_cloth *cloth) {
    return cloth->order ? cloth->order->solved : cloth;
}
static inline mus_cloth *mus_cloth_given(const mus_cloth *solved) {
    return solved->order ? solved->order->given : (mus_cloth *)(uintptr_t)solved;
}
static inline int32_t mus_cloth_solved_vertex(const mus_cloth *cloth, int32_t given) {
    return cloth->order ? cloth->order->rank[given] : given;
}
static inline int32_t mus_cloth_given_vertex(const mus_cloth *cloth, int32_t solved) {
    return cloth->order ? cloth->order->number[solved] : solved;
}

/* The state of a given cloth, with all that acts on it in this step, to where it is solved. Pins place vertices from
 * the given one (mus_world_place_kinematic). */
mus_status mus_cloth_send(mus_cloth *given);
/* Positions and velocities from where it is solved. */
void mus_cloth_receive(mus_cloth *given, const v3 *x, const v3 *v, int threads);

#endif
