/* surroundings.h: the faces around each vertex of a scene, for elementary tests that look beyond their pair. */
#ifndef MUS_NARROW_SURROUNDINGS_H
#define MUS_NARROW_SURROUNDINGS_H

#include "broad/broad.h"

typedef struct mus_surroundings {
    int32_t *first; /* vertex_count + 1 places in `face` */
    int32_t *face;  /* leaves with an interior */
    const mus_leaf *leaves;
} mus_surroundings;

/* The scene's leaves must outlive it. */
mus_status mus_surroundings_create(const mus_broad_scene *scene, mus_surroundings *around);
void mus_surroundings_free(mus_surroundings *around);

#endif
