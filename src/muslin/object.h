/* object.h: what a world and its handles are named by. */
#ifndef MUSLIN_OBJECT_H
#define MUSLIN_OBJECT_H

#include "status.h"

#include <stdint.h>

typedef struct mus_world mus_world;
typedef struct mus_program mus_program; /* a traced function, see program.h */

typedef struct mus_cloth_id {
    uint32_t index, generation;
} mus_cloth_id;
typedef struct mus_obstacle_id {
    uint32_t index, generation;
} mus_obstacle_id;
typedef struct mus_response_id {
    uint32_t index, generation;
} mus_response_id;
typedef struct mus_seam_id {
    uint32_t index, generation;
} mus_seam_id;

#endif
