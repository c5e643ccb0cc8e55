/* usd_motion.h: point caches from time samples. */
#ifndef MUS_IO_USD_MOTION_H
#define MUS_IO_USD_MOTION_H

#include "io/file.h"
#include "muslin/file.h"

/* As mus_point_cache_sample; `name`: the path or the name of a prim, or the name of a mesh; NULL: all meshes, with the
 * vertices of mus_mesh_load. On failure nothing is left to free. */
mus_status mus_usd_sample_file(const mus_file *file, const char *name, double fps, mus_point_cache *cache);

#endif
