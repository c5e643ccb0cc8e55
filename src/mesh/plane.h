/* plane.h: the two axes of the coordinate plane in which a flat mesh is generated. */
#ifndef MUS_MESH_PLANE_H
#define MUS_MESH_PLANE_H

#include "muslin/status.h"

/* Converts "xy", "xz", "yz" or NULL ("xz") to the numbers of the first and the second axis. INVALID names `what`. */
mus_status mus_plane_axes(const char *what, const char *plane, int axes[2]);

#endif
