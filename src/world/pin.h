/* pin.h: where pins are: at places, in the frame of an obstacle, on the faces of an animated mesh, on paths. */
#ifndef MUS_WORLD_PIN_H
#define MUS_WORLD_PIN_H

#include "model/cloth.h"
#include "model/obstacle.h"
#include "world/world_state.h"

/* The obstacle that pins follow, at one time. */
typedef struct mus_pin_target {
    const mus_obstacle *obstacle;
    mus_pose pose;
    mus_keyframe_blend shape; /* of its vertices, in the frame of the pose */
} mus_pin_target;

static inline bool mus_pin_is_to_obstacle(const mus_pin *pin) {
    return pin->kind == MUS_PIN_OBSTACLE || pin->kind == MUS_PIN_FACE;
}

/* Whether a vertex is pinned to the obstacle of this slot, or will be once it is no longer pinched. */
static inline bool mus_pins_are_to_slot(const mus_cloth *cloth, int32_t vertex, int32_t slot) {
    const mus_pin *hard = &cloth->pins[vertex], *soft = mus_cloth_soft_pin(cloth, vertex);
    return (mus_pin_is_to_obstacle(hard) && hard->target == slot) ||
           (soft && mus_pin_is_to_obstacle(soft) && soft->target == slot);
}

/* Whether the pin's obstacle is a rigid body, which it pulls back. */
static inline bool mus_pin_is_to_body(const mus_world *world, const mus_pin *pin) {
    return pin->kind == MUS_PIN_OBSTACLE && mus_obstacle_is_dynamic(world->obstacles.data[pin->target].object);
}

/* Whether the response solves such pins, together with cloth and bodies. */
bool mus_world_attaches(const mus_world *world);

/* The obstacle at time t, where its pose is `pose`. */
void mus_pin_target_make(const mus_obstacle *obstacle, const mus_pose *pose, double t, mus_pin_target *target);

/* The place of a pin at time t. target: its obstacle at that time, where it is pinned to one. */
mus_status mus_pin_place(const mus_world *world, const mus_cloth *cloth, int32_t i, double t,
                         const mus_pin_target *target, v3 *place);

/* Fastens pins in the frame of a mesh to its faces: each to the nearest point, with its offset from there. NO_MEMORY
 * changes nothing. */
mus_status mus_pins_fasten_to_faces(const mus_pin_target *target, mus_pin *pins, int32_t count);
/* Does this for all pins to the mesh of this slot, which is about to be animated. */
mus_status mus_world_fasten_pins(mus_world *world, int32_t slot);

#endif
