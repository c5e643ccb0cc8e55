/* snapshot.h: declarations shared by the files that save and restore a world. */
#ifndef MUS_WORLD_SNAPSHOT_H
#define MUS_WORLD_SNAPSHOT_H

#include "base/archive.h"
#include "world/world_state.h"

/* snapshot_structure.c: what a script or program sets up before the first step, and no step changes. READ creates the
 * world: *world is NULL before. COMPARE names what differs. */
void mus_world_structure(mus_archive *archive, mus_world **world);
/* Vertex and face counts and the faces; READ returns the faces in memory that the caller frees. */
int32_t *mus_world_faces(mus_archive *archive, int32_t *vertex_count, int32_t *face_count, int32_t *present);
/* snapshot_obstacle.c: the obstacle of that index in order of creation; a part of the structure. */
void mus_world_obstacle(mus_archive *archive, mus_world *world, int64_t index);
/* snapshot_state.c: what steps, hooks and setters change, except for the solver's memory. The only list of it: what it
 * contains is saved and restored. The world must have the structure of the saved one. */
void mus_world_state(mus_archive *archive, mus_world *world);
void mus_world_tolerance_state(mus_archive *archive, mus_world *world); /* world_tolerance.c: a part of it */
/* The contacts of the last step; READ appends to an empty list. */
typedef MUS_ARRAY(mus_contact) mus_contact_list;
void mus_world_contact_state(mus_archive *archive, const mus_world *world, mus_contact_list *list);
enum { MUS_MISSING_PATH = -1 }; /* target of a pin */

#endif
