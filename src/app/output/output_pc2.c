/* output_pc2.c: point caches of a run, one for each cloth, written frame by frame. A cache is one file for all
 * frames, so it grows in place: the header counts a frame after it is written, and later bytes are truncated. */
#include "host.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEADER = 32, COUNT_AT = 28 }; /* "POINTCACHE2", version 1, points, start, rate, frames: 4 bytes each */

typedef struct cache {
    char *cloth, *path;
    int32_t vertices;
    int64_t first, next; /* frames */
} cache;

struct app_caches {
    cache *list;
    int count;
    unsigned char *buffer;
    size_t capacity;
};

app_caches *app_caches_create(void) {
    return calloc(1, sizeof(app_caches));
}

void app_caches_destroy(app_caches *c) {
    for (int k = 0; c && k < c->count; k++) {
        free(c->list[k].cloth);
        free(c->list[k].path);
    }
    if (c) {
        free(c->list);
        free(c->buffer);
    }
    free(c);
}

static void put32(unsigned char *at, uint32_t bits) {
    for (int k = 0; k < 4; k++) at[k] = (unsigned char)(bits >> 8 * k);
}

static void put_real(unsigned char *at, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put32(at, bits);
}

static uint32_t get32(const unsigned char *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static int64_t end_of(const cache *c, int64_t frame) {
    return HEADER + 12 * (int64_t)c->vertices * (frame - c->first);
}

static mus_status report_write_error(const cache *c, int reason) {
    return mus_fail(MUS_STATUS_IO, "%s: cannot be written: %s", c->path, strerror(reason));
}

static bool write_at(int fd, const unsigned char *data, size_t size, int64_t at) {
    while (size > 0) {
        ssize_t n = pwrite(fd, data, size, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        data += n, size -= (size_t)n, at += n;
    }
    return true;
}

/* cloth_NAME.pc2, with '_' for characters that a file name cannot contain. */
static char *path_of(const char *folder, const char *cloth) {
    char *path = app_format("%s/cloth_%s.pc2", folder, cloth);
    for (char *c = path ? path + strlen(folder) + 1 : NULL; c && *c; c++)
        if ((unsigned char)*c < ' ' || *c == '/' || *c == 127) *c = '_';
    return path;
}

/* Whether the file contains the cloth's frames up to `last`. Changes nothing: the next frame truncates later ones. */
static mus_status check_file(cache *c, int64_t last) {
    unsigned char head[HEADER];
    struct stat info;
    int fd = open(c->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return mus_fail(MUS_STATUS_IO, "'%s', written by the run, is needed: %s", c->path, strerror(errno));
    bool whole =
        fstat(fd, &info) == 0 && pread(fd, head, HEADER, 0) == HEADER && memcmp(head, "POINTCACHE2\0\1\0\0\0", 16) == 0;
    close(fd);
    float first = -1;
    uint32_t bits = whole ? get32(head + 20) : 0;
    if (whole) memcpy(&first, &bits, sizeof first);
    if (first >= 0 && first <= (float)last) {
        c->first = (int64_t)first, c->next = last + 1;
        if (get32(head + 16) == (uint32_t)c->vertices && (int64_t)get32(head + COUNT_AT) >= c->next - c->first &&
            info.st_size >= end_of(c, c->next))
            return MUS_STATUS_OK;
    }
    return mus_fail(MUS_STATUS_IO,
                    "'%s', which the run has written, does not hold %d vertices up to frame %lld any more", c->path,
                    c->vertices, (long long)last);
}

static mus_status start_file(cache *c, int64_t frame) {
    unsigned char head[HEADER] = "POINTCACHE2";
    c->first = c->next = frame;
    put32(head + 12, 1);
    put32(head + 16, (uint32_t)c->vertices);
    put_real(head + 20, (float)frame);
    put_real(head + 24, 1);
    int fd = open(c->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) return report_write_error(c, errno);
    bool ok = write_at(fd, head, HEADER, 0);
    int reason = errno;
    if (close(fd) != 0 && ok) ok = false, reason = errno;
    return ok ? MUS_STATUS_OK : report_write_error(c, reason);
}

/* The cache of a cloth, created at the first frame of the cloth; with `resumed` the existing file is continued. */
static mus_status find(app_caches *caches, const char *folder, const char *cloth, int32_t vertices, int64_t frame,
                       bool resumed, cache **found) {
    char *path = path_of(folder, cloth);
    for (int k = 0; path && k < caches->count; k++) {
        *found = &caches->list[k];
        bool same = strcmp((*found)->cloth, cloth) == 0;
        if (!same && strcmp((*found)->path, path) != 0) continue;
        mus_status status = MUS_STATUS_OK;
        if (!same)
            status = mus_fail(MUS_STATUS_INVALID, "%s: cloths '%s' and '%s' would share this file; rename one of them",
                              path, cloth, (*found)->cloth);
        else if ((*found)->vertices != vertices || (*found)->next != frame)
            status =
                mus_fail(MUS_STATUS_INVALID,
                         "%s: a cache has the same vertices in every frame, and cloth '%s' was replaced", path, cloth);
        free(path);
        return status;
    }
    cache *grown = realloc(caches->list, ((size_t)caches->count + 1) * sizeof *grown);
    if (grown) caches->list = grown;
    cache fresh = {.cloth = strdup(cloth), .path = path, .vertices = vertices};
    if (!grown || !fresh.cloth || !fresh.path) {
        free(fresh.cloth);
        free(fresh.path);
        return mus_fail(MUS_STATUS_NO_MEMORY, "no memory for the point caches");
    }
    mus_status status = resumed ? check_file(&fresh, frame - 1) : start_file(&fresh, frame);
    *found = &caches->list[caches->count];
    caches->list[caches->count++] = fresh;
    return status;
}

static mus_status append(app_caches *caches, cache *c, const double *x) {
    size_t numbers = 3 * (size_t)c->vertices, size = 4 * numbers;
    if (size > caches->capacity) {
        unsigned char *grown = realloc(caches->buffer, size);
        if (!grown) return mus_fail(MUS_STATUS_NO_MEMORY, "%s: no memory for a frame", c->path);
        caches->buffer = grown, caches->capacity = size;
    }
    for (size_t k = 0; k < numbers; k++) {
        if (!isfinite((float)x[k]))
            return mus_fail(MUS_STATUS_INVALID, "%s: vertex %lld is beyond its numbers (got %g)", c->path,
                            (long long)(k / 3) + 1, x[k]);
        put_real(caches->buffer + 4 * k, (float)x[k]);
    }
    unsigned char count[4];
    put32(count, (uint32_t)(c->next + 1 - c->first));
    int fd = open(c->path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return report_write_error(c, errno);
    bool ok = write_at(fd, caches->buffer, size, end_of(c, c->next)) && write_at(fd, count, 4, COUNT_AT) &&
              ftruncate(fd, (off_t)end_of(c, c->next + 1)) == 0;
    int reason = errno;
    if (!ok && ftruncate(fd, (off_t)end_of(c, c->next)) != 0) reason = errno;
    if (close(fd) != 0 && ok) ok = false, reason = errno;
    if (!ok) return report_write_error(c, reason);
    c->next++;
    return MUS_STATUS_OK;
}

mus_status app_caches_frame(app_caches *caches, const char *folder, mus_world *world, int64_t frame) {
    mus_status status = MUS_STATUS_OK;
    for (int32_t k = 0; k < mus_world_get_cloth_count(world) && status == MUS_STATUS_OK; k++) {
        mus_cloth_id id = mus_world_get_cloth(world, k);
        cache *c = NULL;
        status = find(caches, folder, mus_cloth_get_name(world, id), mus_cloth_get_vertex_count(world, id), frame,
                      false, &c);
        if (status == MUS_STATUS_OK) status = append(caches, c, mus_cloth_get_positions(world, id));
    }
    return status;
}

mus_status app_caches_resume(app_caches *caches, const char *folder, mus_world *world, int64_t last) {
    mus_status status = MUS_STATUS_OK;
    for (int32_t k = 0; k < mus_world_get_cloth_count(world) && status == MUS_STATUS_OK; k++) {
        mus_cloth_id id = mus_world_get_cloth(world, k);
        cache *c = NULL;
        status = find(caches, folder, mus_cloth_get_name(world, id), mus_cloth_get_vertex_count(world, id), last + 1,
                      true, &c);
    }
    return status;
}

bool app_caches_flush(const app_caches *caches) {
    for (int k = 0; k < caches->count; k++) {
        int fd = open(caches->list[k].path, O_RDONLY | O_CLOEXEC), reason = errno;
        bool ok = fd >= 0 && (fsync(fd) == 0 || (reason = errno) == EINTR);
        if (fd >= 0) close(fd);
        if (ok) continue;
        mus_fail(MUS_STATUS_IO, "'%s', written by the run, is needed: %s", caches->list[k].path, strerror(reason));
        return false;
    }
    return true;
}
