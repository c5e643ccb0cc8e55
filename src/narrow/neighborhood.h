/* neighborhood.h: the faces around each vertex of a scene and the vertices it is sewn to, for elementary tests that
 * look beyond their pair. */
#ifndef MUS_NARROW_NEIGHBORHOOD_H
#define MUS_NARROW_NEIGHBORHOOD_H

#include "broad/broad.h"
#include "dynamics/seam_group.h"

/* A vertex at the other end of a stitch; for a stitch to a point of an edge, each end of that edge. */
typedef struct mus_sewn_vertex {
    int32_t vertex;
    const mus_seam *seam;
} mus_sewn_vertex;

typedef struct mus_neighborhood {
    int32_t *first; /* vertex_count + 1 offsets in `face` */
    int32_t *face;  /* leaves with an interior */
    const mus_leaf *leaves;
    int32_t *first_sewn; /* vertex_count + 1 offsets in `sewn`; NULL: there are no seams */
    mus_sewn_vertex *sewn;
} mus_neighborhood;

/* The scene's leaves and the seams of the seam groups must outlive it. */
mus_status mus_neighborhood_create(const mus_broad_scene *scene, const mus_seam_group *seam_groups,
                                   int32_t seam_group_count, mus_neighborhood *neighborhood);
void mus_neighborhood_free(mus_neighborhood *neighborhood);

/* Returns whether a stitch of an uncut seam joins a and b. */
bool mus_neighborhood_sewn(const mus_neighborhood *neighborhood, int32_t a, int32_t b);

#endif
