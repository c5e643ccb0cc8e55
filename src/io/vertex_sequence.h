/* vertex_sequence.h: readers of point caches, by their files' bytes. */
#ifndef MUS_IO_VERTEX_SEQUENCE_H
#define MUS_IO_VERTEX_SEQUENCE_H

#include "io/soup.h"

/* Where a file's positions are: vertices within frames, three numbers each, up to the file's end. */
typedef struct mus_sequence_layout {
    int64_t frames, vertices;
    int64_t offset; /* bytes before the first number */
    int size;       /* of a number: 4 or 8 bytes */
    bool big_endian;
} mus_sequence_layout;
/* Reads them into a cache with start frame 0 and sample rate 1; FORMAT for a size that does not fit and for numbers
 * that are not finite. */
mus_status mus_sequence_read(const mus_file *file, const mus_sequence_layout *layout, mus_point_cache *cache);

/* FORMAT, with the file, what is wrong and the remedy. */
mus_status mus_pc2_read(const mus_file *file, mus_point_cache *cache);
mus_status mus_npy_read(const mus_file *file, mus_point_cache *cache);
/* Whether the header, of which at least the first bytes are there, is that of an array that can be read. */
bool mus_npy_is_sequence(const mus_file *file);
/* array: NULL for the only one that can be read. */
mus_status mus_npz_read(const mus_file *file, const char *array, mus_point_cache *cache);
mus_status mus_mdd_read(const mus_file *file, mus_point_cache *cache);

#endif
