/* surroundings.h: the faces around each vertex of a scene and what it is sewn to, for elementary tests that look beyond
 * their pair. */
#ifndef MUS_NARROW_SURROUNDINGS_H
#define MUS_NARROW_SURROUNDINGS_H

#include "broad/broad.h"
#include "dynamics/bundle.h"

/* A vertex at the other end of a thread: of one to a point of an edge, both ends of that edge. */
typedef struct mus_sewn {
    int32_t vertex;
    const mus_seam *seam;
} mus_sewn;

typedef struct mus_surroundings {
    int32_t *first; /* vertex_count + 1 places in `face` */
    int32_t *face;  /* leaves with an interior */
    const mus_leaf *leaves;
    int32_t *first_sewn; /* vertex_count + 1 places in `sewn`. NULL: there are no seams */
    mus_sewn *sewn;
} mus_surroundings;

/* The scene's leaves and the seams of the bundles must outlive it. */
mus_status mus_surroundings_create(const mus_broad_scene *scene, const mus_bundle *bundles, int32_t bundle_count,
                                   mus_surroundings *around);
void mus_surroundings_free(mus_surroundings *around);

/* A seam that is not cut has a thread from one to the other. */
bool mus_surroundings_sewn(const mus_surroundings *around, int32_t a, int32_t b);

#endif
