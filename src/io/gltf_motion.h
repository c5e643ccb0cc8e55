/* gltf_motion.h: point caches from the animations of a glTF file. */
#ifndef MUS_IO_GLTF_MOTION_H
#define MUS_IO_GLTF_MOTION_H

#include "io/file.h"
#include "muslin/file.h"

/* As mus_point_cache_sample. On failure nothing is left to free. */
mus_status mus_gltf_sample_file(const mus_file *file, const char *name, double fps, mus_point_cache *cache);

#endif
