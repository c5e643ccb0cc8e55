/* sections.c: the blocks of a snapshot. */
#include "base/sections.h"

#include <string.h>

static mus_section *find(const mus_snapshot *snapshot, const char *name) {
    for (int64_t k = 0; k < snapshot->sections.count; k++)
        if (strcmp(snapshot->sections.data[k].name, name) == 0) return &snapshot->sections.data[k];
    return NULL;
}

mus_status mus_snapshot_take_over(mus_snapshot *snapshot, const char *name, uint8_t *bytes, size_t size) {
    mus_section *known = find(snapshot, name);
    if (known) {
        mus_free(known->bytes);
        known->bytes = bytes, known->size = size;
        return MUS_STATUS_OK;
    }
    mus_section section = {mus_copy_string(name), bytes, size};
    if (section.name && mus_array_push(&snapshot->sections, section)) return MUS_STATUS_OK;
    mus_free(section.name);
    mus_free(bytes);
    return MUS_STATUS_NO_MEMORY;
}

mus_status mus_snapshot_set_attachment(mus_snapshot *snapshot, const char *name, const void *data, size_t size) {
    uint8_t *bytes = mus_new(size + 1);
    if (!bytes) return MUS_STATUS_NO_MEMORY;
    if (size) memcpy(bytes, data, size);
    return mus_snapshot_take_over(snapshot, name, bytes, size);
}

const void *mus_snapshot_get_attachment(const mus_snapshot *snapshot, const char *name, size_t *size) {
    const mus_section *section = find(snapshot, name);
    if (size) *size = section ? section->size : 0;
    return section ? section->bytes : NULL;
}

void mus_snapshot_destroy(mus_snapshot *snapshot) {
    if (!snapshot) return;
    for (int64_t k = 0; k < snapshot->sections.count; k++) {
        mus_free(snapshot->sections.data[k].name);
        mus_free(snapshot->sections.data[k].bytes);
    }
    mus_array_free(&snapshot->sections);
    mus_free(snapshot);
}

size_t mus_snapshot_get_size(const mus_snapshot *snapshot) {
    size_t size = 0;
    for (int64_t k = 0; k < snapshot->sections.count; k++) size += snapshot->sections.data[k].size;
    return size;
}
