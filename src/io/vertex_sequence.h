/* vertex_sequence.h: readers of point caches of other programs, by their files' bytes. */
#ifndef MUS_IO_VERTEX_SEQUENCE_H
#define MUS_IO_VERTEX_SEQUENCE_H

#include "io/soup.h"

/* FORMAT, with the file, what is wrong and the remedy. */
mus_status mus_npy_read(const mus_file *file, mus_point_cache *cache);
mus_status mus_mdd_read(const mus_file *file, mus_point_cache *cache);

#endif
