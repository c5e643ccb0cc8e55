/* order.h: the order in which a cloth is simulated. Meshes may be numbered in any way; if neighbors in the mesh are far
 * apart in memory, the simulation is slow. Such a cloth has a twin with the same elements in a better order, and the
 * solver works on the twin; the world and its users see the cloth as it was given. State is copied between the two only
 * at the beginning and the end of a step (mus_cloth_send, mus_cloth_receive), and numbers of vertices are converted
 * only by mus_cloth_solved_vertex and mus_cloth_given_vertex: forces, detection and response see one order. */
#ifndef MUS_MODEL_ORDER_H
#define MUS_MODEL_ORDER_H

#include "model/cloth.h"

/* Shared by both cloths. */
struct mus_cloth_order {
    mus_cloth *given, *solved;
    int32_t *rank, *number; /* the place of a given vertex, and the given vertex at a place */
    int32_t *face_number;   /* likewise of faces */
};

/* Makes the twin if the order is bad; elements and topology of the cloth must be complete. */
mus_status mus_cloth_put_in_order(mus_cloth *cloth);
void mus_cloth_order_free(mus_cloth *given);
void mus_cloth_order_release(mus_cloth_order *order); /* without the twin */

/* The cloth of the solver, and that of the world: they may be the same. */
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

/* Copies the state of a given cloth, and all that acts on it in this step, to the solver's cloth. Pins are applied
 * to the given one (mus_world_place_kinematic). */
mus_status mus_cloth_send(mus_cloth *given);
/* Copies all of the rest state that changes with time, creases and plastic stretches, of a given cloth to the solver's
 * cloth, if that is another one. */
mus_status mus_cloth_send_rest(mus_cloth *given);
/* Copies positions and velocities from the solver's cloth. */
void mus_cloth_receive(mus_cloth *given, const v3 *x, const v3 *v, int threads);

#endif
