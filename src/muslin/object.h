/* object.h: what a world and its handles are named by. */
#ifndef MUSLIN_OBJECT_H
#define MUSLIN_OBJECT_H

#include "status.h"

#include <stdint.h>

/* A world: all objects of a simulation. */
typedef struct mus_world mus_world;
typedef struct mus_program mus_program; /* a traced function, see program.h */

/* A cloth of a world. */
typedef struct mus_cloth_id {
    uint32_t index;      /* of its slot in the world */
    uint32_t generation; /* of the slot: 0 of no handle */
} mus_cloth_id;
/* An obstacle of a world. */
typedef struct mus_obstacle_id {
    uint32_t index;      /* of its slot in the world */
    uint32_t generation; /* of the slot: 0 of no handle */
} mus_obstacle_id;
/* A response of a world. */
typedef struct mus_response_id {
    uint32_t index;      /* of its slot in the world */
    uint32_t generation; /* of the slot: 0 of no handle */
} mus_response_id;
/* A seam of a world. */
typedef struct mus_seam_id {
    uint32_t index;      /* of its slot in the world */
    uint32_t generation; /* of the slot: 0 of no handle */
} mus_seam_id;

#endif
