/* object.h: worlds, the handles of what they own, and objects by handle and by name. */
#ifndef MUSLIN_OBJECT_H
#define MUSLIN_OBJECT_H

#include "status.h"

#include <stdbool.h>
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

/* What an object is. */
typedef enum mus_object_kind {
    MUS_OBJECT_NONE, /* no object; in the setting of a pair: any object */
    MUS_OBJECT_CLOTH,
    MUS_OBJECT_OBSTACLE /* rigid bodies too, see mus_obstacle_def.dynamic */
} mus_object_kind;
/* A cloth or an obstacle of a world, where either may stand: in contacts, findings and settings of pairs. */
typedef struct mus_object_id {
    mus_object_kind kind; /* of NONE the rest is 0 */
    uint32_t index;       /* of mus_cloth_id or mus_obstacle_id */
    uint32_t generation;  /* of the same; 0 of none */
} mus_object_id;

/* The handle of no object, all zero. */
MUS_API mus_object_id mus_object_none(void);
/* The same cloth. */
MUS_API mus_object_id mus_object_from_cloth(mus_cloth_id id);
/* The same obstacle. */
MUS_API mus_object_id mus_object_from_obstacle(mus_obstacle_id id);
/* The handle of no cloth, {0, 0}, for an object that is none. */
MUS_API mus_cloth_id mus_object_to_cloth(mus_object_id id);
/* The handle of no obstacle, {0, 0}, for an object that is none. */
MUS_API mus_obstacle_id mus_object_to_obstacle(mus_object_id id);
/* Whether both name the same object, or both none. */
MUS_API bool mus_object_is_same(mus_object_id a, mus_object_id b);
/* False for none and for the handle of a removed object. */
MUS_API bool mus_object_is_valid(const mus_world *world, mus_object_id id);
/* NULL for none and for a stale handle (with the error record set). */
MUS_API const char *mus_object_get_name(const mus_world *world, mus_object_id id);
/* k with which mus_world_get_cloth or mus_world_get_obstacle returns the object; -1 for none and for a stale handle. It
 * changes when objects are removed. */
MUS_API int32_t mus_object_get_order(const mus_world *world, mus_object_id id);
/* The living object of that name. NOT_FOUND, with the nearest name or all of them, if there is none. */
MUS_API mus_status mus_world_find_object(const mus_world *world, const char *name, mus_object_id *id);

#endif
