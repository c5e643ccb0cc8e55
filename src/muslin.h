/* muslin.h: the one public header. A cloth runtime with robust collision handling.
 *
 * Units are SI (m, kg, s, N), y is up, positions are double. Vectors are `double[3]`, arrays of n vectors are n*3
 * contiguous doubles, faces are n*3 vertex indices from 0. Functions that can fail return a mus_status; the reason,
 * with field, value and remedy, is then in mus_get_error_message() of the calling thread. Nothing here exits, prints or
 * aborts.
 *
 * Objects of a world are handles {index, generation} by value: the world owns what they name, and calls with the handle
 * of a removed object return MUS_STATUS_STALE. A mus_object_id is the handle of a cloth or an
 * obstacle, where either may stand. Meshes are plain owned objects: create, use, destroy; a world copies what it needs
 * from them.
 *
 * A world may be used by one thread at a time; different worlds by different threads at once.
 *
 * Definitions and options (mus_*_def, mus_load_options, mus_animation, mus_callbacks) carry a cookie: start from their
 * _default() function, else they are INVALID.
 *
 * Names are mus_NOUN_VERB_OBJECT:
 *   _create, _destroy        what the caller owns (mus_mesh_create, mus_mesh_destroy) and what a world owns
 *                            (mus_cloth_create and mus_cloth_destroy with the world); _create_KIND, _create_from_X,
 *                            _copy and _load create too; destroying NULL is allowed
 *   _release                 gives back one reference of what is counted (programs, parameters)
 *   _default                 the default value of a struct; definitions: mus_NOUN_def_default
 *   _get_X, _get_X_count     reads a property, the k-th X, the number of them; _set_X writes one
 *   _is_X, _has_X            a predicate
 *   _add_X                   appends to a graph, or to the forces of a step
 *   _find_X                  looks up by name
 *   _from_X, _to_X           a handle of one type from that of another
 *   _save, _load             to and from a file: the object first, then the path
 *   other verbs              actions: mus_world_step, mus_cloth_pin, mus_mesh_transform
 * Properties of the process or thread have no noun: mus_get_version, mus_get_error_message, mus_set_allocator. Pure
 * functions of numbers are named by their value: mus_distance_edge_edge. Types of callbacks end in _fn. */
#ifndef MUSLIN_H
#define MUSLIN_H

#include "muslin/audit.h"
#include "muslin/build.h"
#include "muslin/cloth.h"
#include "muslin/contact.h"
#include "muslin/file.h"
#include "muslin/usd.h"
#include "muslin/look.h"
#include "muslin/material.h"
#include "muslin/memory.h"
#include "muslin/mesh.h"
#include "muslin/object.h"
#include "muslin/obstacle.h"
#include "muslin/picture.h"
#include "muslin/pipeline.h"
#include "muslin/pose.h"
#include "muslin/program.h"
#include "muslin/query.h"
#include "muslin/seam.h"
#include "muslin/snapshot.h"
#include "muslin/status.h"
#include "muslin/world.h"

#endif
