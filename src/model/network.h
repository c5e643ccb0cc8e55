/* network.h: Bigliani & Eischen's particle network on a rectangular grid: square elements that resist stretching along
 * warp and weft, shearing in their plane, and bending along warp and weft. */
#ifndef MUS_MODEL_NETWORK_H
#define MUS_MODEL_NETWORK_H

#include "model/cloth.h"
#include "model/rest.h"

/* A side of elements, for the adjacent halves of both. */
typedef struct mus_link {
    int32_t a, b;
    double rest;      /* m */
    double stiffness; /* N/m: modulus times width by length */
} mus_link;

/* An element: nodes (i, j), (i+1, j), (i, j+1), (i+1, j+1). */
typedef struct mus_cell {
    int32_t vertex[4];
    double rest;      /* sine of the angle of shear at rest */
    double stiffness; /* N m: modulus times area */
} mus_cell;

/* Two consecutive links of a yarn; bend is the difference of their unit directions. */
typedef struct mus_joint {
    int32_t vertex[3];
    double rest;      /* bend at rest, 0 where straight */
    double stiffness; /* N m: rigidity times width by length */
} mus_joint;

struct mus_network {
    mus_link *links;
    mus_cell *cells;
    mus_joint *joints;
    int32_t link_count, cell_count, joint_count;
};

/* For a cloth whose mesh is a grid; its moduli are stretch_warp, stretch_weft, stretch_shear and the bending rigidities
 * along warp (growing i) and weft. INVALID for another mesh. */
mus_status mus_network_new(const mus_cloth *cloth, const rest_shape *rest, mus_network **network);
/* With the vertices of its elements; lengths and stiffnesses are zero, set by the caller. */
mus_status mus_network_blank(const mus_cloth *cloth, mus_network **network);
void mus_network_free(mus_network *network);

#endif
