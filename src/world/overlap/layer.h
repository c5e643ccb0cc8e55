/* layer.h: cloths in layers: where they start over one another. */
#ifndef MUS_WORLD_OVERLAP_LAYER_H
#define MUS_WORLD_OVERLAP_LAYER_H

#include "world/overlap/crossing.h"

/* Returns 1 if object a is an outer layer over object b, -1 if an inner one, 0 if they are not layers of each other:
 * they do not collide, are no cloths, have no layer or the same, or have an overlap setting of their own. Objects by
 * their place in the view. */
int mus_layer_order(const mus_world *world, int32_t a, int32_t b);
/* Finds the outer sides of all cloths, and what is misplaced, if any two are layers of each other. */
mus_status mus_layers_find(const mus_world *world, mus_start_pairs *pairs);
/* Chooses the sides of cloths that are layers of each other. */
void mus_layers_choose_sides(const mus_world *world, const mus_start_pairs *pairs, mus_tangle *tangle);
/* Counts vertices on the wrong side of another layer that they lie within, or near. */
mus_status mus_layers_count_misplaced(const mus_world *world, const mus_world_view *view, const mus_tangle *tangle,
                                      const mus_start_pairs *pairs, int64_t *count);
/* Moves outer layers to the outer side of the inner ones, a thickness away, where they lie within or near them.
 * Positions before are in `start`. */
mus_status mus_layers_place(mus_world *world, const mus_world_view *view, const mus_tangle *tangle, const v3 *start,
                            mus_displacements *displacements);

#endif
