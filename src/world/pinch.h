/* pinch.h: cloth that an animated mesh pinches between two of its surfaces, and its release. */
#ifndef MUS_WORLD_PINCH_H
#define MUS_WORLD_PINCH_H

#include "muslin/audit.h"
#include "world/world_state.h"

/* pinch_place.c. Whether a vertex of a cloth, in the given order, is attached. */
bool mus_pinch_is_pinned(const mus_cloth *cloth, int32_t i);
/* The anchor of a cloth vertex of the assembly; NULL unless it is attached. */
mus_pin_anchor *mus_pinch_anchor(const mus_assembly *a, int32_t vertex);
/* The point of the anchor on one side, as the mesh is at x. */
v3 mus_pinch_point(const mus_object *mesh, const mus_pin_anchor *anchor, int side, const v3 *x);
/* Whether any vertex is of that group. */
bool mus_pinch_is_group(const mus_assembly *a, int32_t group);
/* Sets x1 of attached vertices by the motion x0 -> x1 of the meshes: groups move rigidly. */
void mus_pinch_place(mus_world *world);
/* Number of attached vertices. */
int32_t mus_pinch_count(const mus_world *world);
/* Whether a finding is of cloth that is attached to the obstacle. */
bool mus_pinch_covers(const mus_world *world, const mus_audit_finding *finding);
/* pinch.c. Whether the obstacle, if it is an animated mesh, may release the cloth that it pinches. */
bool mus_pinch_may_release(const mus_world *world, const char *cloth, const char *obstacle);
/* After NO_SAFE_STEP of a step of length dt: attaches the cloth vertices that no response could place, and
 * neighbors that have no gap either, to the surfaces of the animated mesh around them, if it may release this cloth;
 * they do not collide with it from now on. They move as one, and with attached ones that stood in their way. Returns
 * whether there is a change, and the step may be attempted again after mus_world_gather. */
bool mus_pinch_release(mus_world *world, double dt);
/* After a step: vertices whose faces are clear of the mesh collide with it again. If memory is short, they do after a
 * later step. */
void mus_pinch_end(mus_world *world);
/* Frees the vertices attached to the obstacle in a slot; to call before it is removed. */
void mus_pinch_slot_removed(mus_world *world, uint32_t slot);

#endif
