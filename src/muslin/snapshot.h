/* snapshot.h: the whole state of a world.
 *
 * The whole state of a world, so that further steps are the same bit for bit: positions, velocities, pins, poses, time,
 * random stream, statistics, the last contacts, and the solver's state. Functions are not included. */
#ifndef MUSLIN_SNAPSHOT_H
#define MUSLIN_SNAPSHOT_H

#include "object.h"
#include "status.h"

#include <stddef.h>
#include <stdint.h>

/* A saved state, in memory. */
typedef struct mus_snapshot mus_snapshot;

/* LOCKED within a step. */
MUS_API mus_status mus_snapshot_create(mus_world *world, mus_snapshot **snapshot);
MUS_API void mus_snapshot_destroy(mus_snapshot *snapshot); /* NULL is allowed */
/* Attaches a block of the caller's data under a name, copied; the world's are "structure", "state" and "solver". */
MUS_API mus_status mus_snapshot_set_attachment(mus_snapshot *snapshot, const char *name, const void *data, size_t size);
/* NULL if there is none. Valid as long as the snapshot. */
MUS_API const void *mus_snapshot_get_attachment(const mus_snapshot *snapshot, const char *name, size_t *size);

/* Writes a file, little endian, with a version and an XXH3 checksum: under a temporary name, flushed to the disk,
 * then renamed. IO or NOT_FOUND with the system's reason; an earlier file is then unchanged. */
MUS_API mus_status mus_snapshot_save(const mus_snapshot *snapshot, const char *path);
/* FORMAT for a file that is no snapshot, truncated, damaged, or of a later version. */
MUS_API mus_status mus_snapshot_load(const char *path, mus_snapshot **snapshot);

/* Compares all but the state of the world with the snapshot. INVALID names the first difference: number, names,
 * shapes and materials of its objects, settings, pipeline, responses, whether obstacles are moved by functions. */
MUS_API mus_status mus_snapshot_compare(const mus_snapshot *snapshot, mus_world *world);
/* Restores the state into a world for which mus_snapshot_compare succeeds; the world keeps its functions. A failure
 * leaves everything unchanged. INVALID also when a motion does not give its obstacle's saved pose, or when the path
 * of a pin or the tolerance is a function that the world does not have. Handles stay valid. */
MUS_API mus_status mus_snapshot_restore(const mus_snapshot *snapshot, mus_world *world);
/* Restores by name, into a world that may differ: time; positions, velocities and fixed pins of each cloth of the
 * same name and number of vertices; pose and motion of each rigid body. Scripted obstacles take their pose at that
 * time; all else is unchanged. *restored: number of cloths; 0 is INVALID. The result is validated; a failure leaves
 * everything unchanged. Further steps are not those of the saved run. */
MUS_API mus_status mus_snapshot_restore_by_name(const mus_snapshot *snapshot, mus_world *world, int32_t *restored);
/* Size in bytes. */
MUS_API size_t mus_snapshot_get_size(const mus_snapshot *snapshot);
/* A new world from the snapshot alone. It steps only when all functions that the saved world had are set again:
 * callbacks (mus_world_set_callbacks), motions (mus_obstacle_set_motion), paths of pins (mus_cloth_pin_to_path), rules
 * (mus_response_set_callback), coefficients (mus_world_set_contact_law), spring laws (mus_cloth_set_spring_law) and
 * a tolerance by place (mus_world_set_tolerance); mus_world_step names the first that is missing. */
MUS_API mus_status mus_world_create_from_snapshot(const mus_snapshot *snapshot, mus_world **world);

/* The same by a file's name. */
MUS_API mus_status mus_world_save(mus_world *world, const char *path);
/* mus_snapshot_load and mus_snapshot_restore. */
MUS_API mus_status mus_world_restore(mus_world *world, const char *path);
/* mus_snapshot_load and mus_world_create_from_snapshot. */
MUS_API mus_status mus_world_load(const char *path, mus_world **world);

#endif
