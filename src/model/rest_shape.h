/* rest_shape.h: the shape of a cloth at rest as points, for files. */
#ifndef MUS_MODEL_REST_SHAPE_H
#define MUS_MODEL_REST_SHAPE_H

#include "model/cloth.h"

/* Fills `shape`, which the caller frees (mus_rest_shape_free), also after a failure. */
mus_status mus_cloth_make_rest_shape(const mus_cloth *cloth, mus_rest_shape *shape);

#endif
