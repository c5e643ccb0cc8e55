/* snapshot_file.c: snapshots as files: a header, named sections, and the XXH3 of all bytes before it. */
#include "base/archive.h"
#include "base/memory.h"
#include "base/sections.h"
#include "io/file.h"
#include "muslin/host.h"

#include <string.h>

/* A byte that is not text, a name, and line ends that a transfer as text would change. */
static const uint8_t magic[8] = {0x8d, 'M', 'U', 'S', '\r', '\n', 0x1a, '\n'};
enum { VERSION = 12, HEAD = 8 + 4 + 4 + 8, SUM = 8 }; /* magic, version, sections, size of the file */

static void write_all(mus_archive *a, const mus_snapshot *snapshot) {
    uint8_t start[8];
    uint32_t version = VERSION, count = (uint32_t)snapshot->sections.count;
    memcpy(start, magic, sizeof start);
    mus_archive_u8(a, NULL, start, 8);
    mus_archive_u32(a, NULL, &version, 1);
    mus_archive_u32(a, NULL, &count, 1);
    uint64_t total = HEAD + SUM;
    for (int64_t k = 0; k < snapshot->sections.count; k++)
        total += 4 + strlen(snapshot->sections.data[k].name) + 8 + snapshot->sections.data[k].size;
    mus_archive_u64(a, NULL, &total, 1);
    for (int64_t k = 0; k < snapshot->sections.count; k++) {
        mus_section *s = &snapshot->sections.data[k];
        int64_t size = (int64_t)s->size;
        mus_archive_text(a, NULL, &s->name);
        mus_archive_i64(a, NULL, &size, 1);
        mus_archive_u8(a, NULL, s->bytes, size);
    }
    uint64_t sum = a->status == MUS_STATUS_OK ? mus_hash_bytes(a->written, a->size) : 0;
    mus_archive_u64(a, NULL, &sum, 1);
}

mus_status mus_snapshot_save(const mus_snapshot *snapshot, const char *path) {
    mus_archive a = mus_archive_writer();
    write_all(&a, snapshot);
    mus_status status = mus_archive_end(&a);
    mus_writer w;
    if (status == MUS_STATUS_OK && (status = mus_writer_open(&w, path)) == MUS_STATUS_OK) {
        w.durable = true;
        mus_writer_bytes(&w, a.written, a.size);
        status = mus_writer_close(&w, MUS_STATUS_OK);
    }
    mus_archive_free(&a);
    return status;
}

/* Checks that the file is complete and of a known version. */
static mus_status check(const mus_file *file) {
    if (file->size < (int64_t)sizeof magic || memcmp(file->data, magic, sizeof magic) != 0)
        return mus_fail(MUS_STATUS_FORMAT, "%s: is not a muslin snapshot", file->path);
    uint32_t version = 0, count = 0;
    uint64_t total = 0, sum = 0;
    mus_archive a = mus_archive_reader(file->data + sizeof magic, (size_t)file->size - sizeof magic, MUS_ARCHIVE_READ);
    mus_archive_u32(&a, NULL, &version, 1);
    if (a.status == MUS_STATUS_OK && version != VERSION)
        return mus_fail(MUS_STATUS_FORMAT, "%s: is a snapshot of version %u; this muslin reads version %d", file->path,
                        version, VERSION);
    mus_archive_u32(&a, NULL, &count, 1);
    mus_archive_u64(&a, NULL, &total, 1);
    if (a.status != MUS_STATUS_OK || (uint64_t)file->size < total || file->size < HEAD + SUM)
        return mus_fail(MUS_STATUS_FORMAT, "%s: the snapshot is truncated, %lld bytes of %llu are there", file->path,
                        (long long)file->size, (unsigned long long)total);
    if ((uint64_t)file->size > total)
        return mus_fail(MUS_STATUS_FORMAT, "%s: %llu bytes follow the end of the snapshot", file->path,
                        (unsigned long long)((uint64_t)file->size - total));
    a = mus_archive_reader(file->data + file->size - SUM, SUM, MUS_ARCHIVE_READ);
    mus_archive_u64(&a, NULL, &sum, 1);
    if (sum != mus_hash_bytes(file->data, (size_t)file->size - SUM))
        return mus_fail(MUS_STATUS_FORMAT, "%s: the snapshot is damaged: its checksum does not fit", file->path);
    return MUS_STATUS_OK;
}

static void read_section(mus_archive *a, mus_snapshot *snapshot) {
    char *name = NULL;
    int64_t size = 0;
    mus_archive_text(a, NULL, &name);
    mus_archive_count(a, NULL, &size, 1);
    if (a->status == MUS_STATUS_OK && !name) mus_archive_refuse(a, "a section has no name");
    uint8_t *bytes = a->status == MUS_STATUS_OK ? mus_new((size_t)size + 1) : NULL;
    if (a->status == MUS_STATUS_OK && !bytes) a->status = MUS_STATUS_NO_MEMORY;
    if (bytes) {
        mus_archive_u8(a, NULL, bytes, size);
        a->status = mus_snapshot_take_over(snapshot, name, bytes, (size_t)size);
    }
    mus_free(name);
}

mus_status mus_snapshot_load(const char *path, mus_snapshot **out) {
    *out = NULL;
    mus_file file;
    mus_status status = mus_file_read(path, &file);
    if (status != MUS_STATUS_OK) return status;
    mus_snapshot *snapshot = NULL;
    status = check(&file);
    if (status == MUS_STATUS_OK && !(snapshot = mus_new(sizeof *snapshot))) status = MUS_STATUS_NO_MEMORY;
    if (status == MUS_STATUS_OK) {
        uint32_t count = 0;
        uint64_t total = 0;
        mus_archive a = mus_archive_reader(file.data + 12, (size_t)file.size - 12 - SUM, MUS_ARCHIVE_READ);
        mus_archive_u32(&a, NULL, &count, 1);
        mus_archive_u64(&a, NULL, &total, 1);
        for (uint32_t k = 0; k < count && a.status == MUS_STATUS_OK; k++) read_section(&a, snapshot);
        status = mus_archive_end(&a);
    }
    mus_file_free(&file);
    if (status == MUS_STATUS_OK)
        *out = snapshot;
    else
        mus_snapshot_destroy(snapshot);
    return status;
}

/* ---- By a file's name -------------------------------------------------------------------------------------------- */

mus_status mus_world_save(mus_world *world, const char *path) {
    mus_snapshot *snapshot;
    mus_status status = mus_snapshot_create(world, &snapshot);
    if (status == MUS_STATUS_OK) status = mus_snapshot_save(snapshot, path);
    mus_snapshot_destroy(snapshot);
    return status;
}

mus_status mus_world_restore(mus_world *world, const char *path) {
    mus_snapshot *snapshot;
    mus_status status = mus_snapshot_load(path, &snapshot);
    if (status == MUS_STATUS_OK) status = mus_snapshot_restore(snapshot, world);
    mus_snapshot_destroy(snapshot);
    return status;
}

mus_status mus_world_load(const char *path, mus_world **world) {
    *world = NULL;
    mus_snapshot *snapshot;
    mus_status status = mus_snapshot_load(path, &snapshot);
    if (status == MUS_STATUS_OK) status = mus_world_create_from_snapshot(snapshot, world);
    mus_snapshot_destroy(snapshot);
    return status;
}
