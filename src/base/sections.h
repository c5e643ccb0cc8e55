/* sections.h: the contents of a snapshot: named blocks of bytes, in the order in which they were added. */
#ifndef MUS_BASE_SECTIONS_H
#define MUS_BASE_SECTIONS_H

#include "base/memory.h"
#include "muslin/snapshot.h"

typedef struct mus_section {
    char *name;
    uint8_t *bytes;
    size_t size;
} mus_section;

struct mus_snapshot {
    MUS_ARRAY(mus_section) sections;
};

/* Takes ownership of `bytes` (also on failure). */
mus_status mus_snapshot_take_over(mus_snapshot *snapshot, const char *name, uint8_t *bytes, size_t size);

#endif
