/* unfold.h: the flat layout of a cloth at rest. */
#ifndef MUS_MODEL_UNFOLD_H
#define MUS_MODEL_UNFOLD_H

#include "model/cloth.h"

/* The middle of each face (2 floats, m) in the plane, unfolded face by face from the lengths of edges at rest: if the
 * rest shape is flat, as textures are, it is that shape up to a motion of the plane; unconnected parts lie side by
 * side. Otherwise faces that are neighbors are still near each other. */
mus_status mus_cloth_unfold(const mus_cloth *cloth, float *place);
/* The places of vertices in that layout for other lengths at rest (m, one per edge); `flat`: whether all edges have
 * their length there. */
mus_status mus_cloth_unfold_vertices(const mus_cloth *cloth, const double *lengths, double (*vertices)[2], bool *flat);

#endif
