/* ogawa.h: writes the container of Alembic files, a tree of groups and blocks of bytes, from its leaves to its root
 * (https://github.com/alembic/alembic/wiki/Ogawa-Specification). */
#ifndef MUS_IO_OGAWA_H
#define MUS_IO_OGAWA_H

#include "io/file.h"

/* A group or block that has been written: its place in the file, with the highest bit set for a block. */
typedef uint64_t mus_ogawa_node;
#define MUS_OGAWA_EMPTY_GROUP ((mus_ogawa_node)0)
#define MUS_OGAWA_EMPTY_BLOCK ((mus_ogawa_node)1 << 63)

typedef struct mus_ogawa {
    mus_writer *writer; /* the caller's */
    uint64_t size;      /* of the file so far */
    uint64_t hash;      /* of all samples so far */
} mus_ogawa;

/* The file is marked as being written until mus_ogawa_end. */
void mus_ogawa_start(mus_ogawa *file, mus_writer *writer);
void mus_ogawa_end(mus_ogawa *file, mus_ogawa_node root);

mus_ogawa_node mus_ogawa_group(mus_ogawa *file, const mus_ogawa_node *children, int64_t count);
mus_ogawa_node mus_ogawa_block(mus_ogawa *file, const void *bytes, size_t size);
/* A block of `count` values after the key of 16 bytes that Alembic stores with each sample of a property: blocks of
 * equal values have equal keys. `width`: bytes of a value, 1, 4 or 8. */
mus_ogawa_node mus_ogawa_sample(mus_ogawa *file, const void *values, size_t width, size_t count);

#endif
