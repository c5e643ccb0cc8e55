/* ogawa.c: writes the container of Alembic files. All numbers are little-endian. */
#include "io/ogawa.h"

#include "base/hash.h"

#include <string.h>

enum { FROZEN_AT = 5, ROOT_AT = 8 }; /* places in the header */

void mus_ogawa_start(mus_ogawa *file, mus_writer *writer) {
    static const char header[16] = {'O', 'g', 'a', 'w', 'a', 0, 0, 1};
    *file = (mus_ogawa){.writer = writer, .size = sizeof header};
    mus_writer_bytes(writer, header, sizeof header);
}

void mus_ogawa_end(mus_ogawa *file, mus_ogawa_node root) {
    unsigned char frozen = 0xff, place[8];
    for (int k = 0; k < 8; k++) place[k] = (unsigned char)(root >> 8 * k);
    mus_writer_patch(file->writer, ROOT_AT, place, sizeof place);
    mus_writer_patch(file->writer, FROZEN_AT, &frozen, 1);
}

/* The place of what is written next: a number of 8 bytes, then `size` bytes. */
static uint64_t place_of(mus_ogawa *file, uint64_t number, uint64_t size) {
    uint64_t place = file->size;
    mus_writer_le64(file->writer, number);
    file->size += 8 + size;
    return place;
}

mus_ogawa_node mus_ogawa_group(mus_ogawa *file, const mus_ogawa_node *children, int64_t count) {
    if (count == 0) return MUS_OGAWA_EMPTY_GROUP;
    uint64_t place = place_of(file, (uint64_t)count, 8 * (uint64_t)count);
    for (int64_t k = 0; k < count; k++) mus_writer_le64(file->writer, children[k]);
    return place;
}

mus_ogawa_node mus_ogawa_block(mus_ogawa *file, const void *bytes, size_t size) {
    if (size == 0) return MUS_OGAWA_EMPTY_BLOCK;
    uint64_t place = place_of(file, size, size);
    mus_writer_bytes(file->writer, bytes, size);
    return place | MUS_OGAWA_EMPTY_BLOCK;
}

mus_ogawa_node mus_ogawa_sample(mus_ogawa *file, const void *values, size_t width, size_t count) {
    size_t size = width * count;
    uint64_t hash = mus_hash_chain(0, values, size), place = place_of(file, 16 + size, 16 + size);
    mus_writer_le64(file->writer, hash);
    mus_writer_le64(file->writer, size);
    file->hash = mus_hash_chain(file->hash, &hash, sizeof hash);
    const char *at = values;
    if (width == 1) mus_writer_bytes(file->writer, values, size);
    for (size_t k = 0; k < count && width > 1; k++, at += width) {
        uint64_t wide;
        uint32_t narrow;
        if (width == 8) {
            memcpy(&wide, at, 8);
            mus_writer_le64(file->writer, wide);
        } else {
            memcpy(&narrow, at, 4);
            mus_writer_le32(file->writer, narrow);
        }
    }
    return place | MUS_OGAWA_EMPTY_BLOCK;
}
