/* plane.h: the two axes of a coordinate plane that a flat generator lies in. */
#ifndef MUS_MESH_PLANE_H
#define MUS_MESH_PLANE_H

#include "muslin.h"

/* "xy", "xz", "yz" or NULL ("xz") to the numbers of the first and the second axis. INVALID names `what`. */
mus_status mus_plane_axes(const char *what, const char *plane, int axes[2]);

#endif
