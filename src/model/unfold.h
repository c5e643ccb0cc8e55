/* unfold.h: a cloth laid out in its plane at rest. */
#ifndef MUS_MODEL_UNFOLD_H
#define MUS_MODEL_UNFOLD_H

#include "model/cloth.h"

/* The middle of each face (2 floats, m) in the plane, unfolded face by face from the lengths of edges at rest: where
 * the rest shape is flat, as textures are, that is its texture up to a motion of the plane; parts that hang together
 * nowhere lie side by side. Where it is not, faces that are neighbours are still near each other. */
mus_status mus_cloth_unfold(const mus_cloth *cloth, float *place);

#endif
