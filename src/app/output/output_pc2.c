/* output_pc2.c: point caches of a run, one for each cloth and obstacle, written frame by frame. A cache is one file
 * for all frames, so it grows in place: the header counts a frame after it is written, and later bytes are truncated.
 * Frames of an obstacle after its last motion are not written (programs repeat the last frame), so that an obstacle
 * that never moves has one frame. */
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
    char *name, *path; /* of the part, "cloth:NAME" */
    mus_part part;     /* copies of its faces, groups, texture coordinates and color; no vertices */
    int32_t vertices;
    int64_t first, next;   /* frames of the run: the first, and that after the last recorded */
    int64_t written;       /* frames in the file */
    unsigned char *latest; /* of an obstacle: the last written frame */
    bool is_longer;        /* the file may contain frames of an earlier process after these */
    int fd;                /* open for app_caches_read; -1 */
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

static void free_groups(mus_mesh_group *groups, int32_t count) {
    for (int32_t k = 0; groups && k < count; k++) free((char *)groups[k].name); /* copies made here, so writable */
    free(groups);
}

void app_caches_destroy(app_caches *c) {
    for (int k = 0; c && k < c->count; k++) {
        cache *e = &c->list[k];
        free(e->name);
        free(e->path);
        free((int32_t *)e->part.faces); /* copies made here, so writable */
        free((double *)e->part.uvs);
        free((int32_t *)e->part.uv_faces);
        free_groups((mus_mesh_group *)e->part.groups, e->part.group_count);
        free(e->latest);
        if (e->fd >= 0) close(e->fd);
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

static int64_t end_of(const cache *c, int64_t frames) {
    return HEADER + 12 * (int64_t)c->vertices * frames;
}

static bool is_obstacle(const cache *c) {
    return strncmp(c->name, "obstacle:", 9) == 0;
}

/* "sheet" of "cloth:sheet" */
static const char *object_name(const char *part) {
    const char *colon = strchr(part, ':');
    return colon ? colon + 1 : part;
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

/* cloth_NAME.pc2 or obstacle_NAME.pc2, with '_' for characters that a file name cannot contain. */
static char *path_of(const char *folder, const char *name) {
    const char *object = object_name(name);
    char *path = app_format("%s/%.*s_%s.pc2", folder, (int)(object > name ? object - 1 - name : 0), name, object);
    for (char *c = path ? path + strlen(folder) + 1 : NULL; c && *c; c++)
        if ((unsigned char)*c < ' ' || *c == '/' || *c == 127) *c = '_';
    return path;
}

/* Whether the file contains the part's frames up to `last`. Changes nothing: the next frame truncates later ones. */
static mus_status check_file(cache *c, int64_t last) {
    unsigned char head[HEADER];
    struct stat info;
    int fd = open(c->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return mus_fail(MUS_STATUS_IO, "'%s', written by the run, is needed: %s", c->path, strerror(errno));
    bool whole =
        fstat(fd, &info) == 0 && pread(fd, head, HEADER, 0) == HEADER && memcmp(head, "POINTCACHE2\0\1\0\0\0", 16) == 0;
    float first = -1;
    uint32_t bits = whole ? get32(head + 20) : 0;
    if (whole) memcpy(&first, &bits, sizeof first);
    whole = whole && first >= 0 && first <= (float)last && get32(head + 16) == (uint32_t)c->vertices;
    if (whole) {
        int64_t there = (int64_t)get32(head + COUNT_AT), size = 12 * (int64_t)c->vertices;
        c->first = (int64_t)first, c->next = last + 1, c->is_longer = true;
        c->written = c->next - c->first;
        if (is_obstacle(c) && there < c->written) c->written = there;
        whole = c->written > 0 && there >= c->written && info.st_size >= end_of(c, c->written) &&
                (!c->latest || pread(fd, c->latest, (size_t)size, (off_t)end_of(c, c->written - 1)) == (ssize_t)size);
    }
    close(fd);
    if (whole) return MUS_STATUS_OK;
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

/* Copies of the arrays that stay the same; false: no memory. */
static bool copy_topology(cache *c, const mus_part *part) {
    size_t corners = 3 * (size_t)part->face_count * sizeof(int32_t), uvs = 2 * (size_t)part->uv_count * sizeof(double);
    int32_t *faces = malloc(corners + 1), *uv_faces = part->uvs ? malloc(corners + 1) : NULL;
    double *coordinates = part->uvs ? malloc(uvs + 1) : NULL;
    mus_mesh_group *groups = part->groups ? calloc((size_t)part->group_count + 1, sizeof *groups) : NULL;
    c->part = *part;
    c->part.groups = groups;
    c->part.name = c->name, c->part.vertices = NULL;
    c->part.cloth = NULL, c->part.seams = NULL, c->part.seam_count = 0, c->part.fields = NULL, c->part.field_count = 0;
    c->part.faces = faces, c->part.uv_faces = uv_faces, c->part.uvs = coordinates;
    if (!faces || (part->uvs && (!uv_faces || !coordinates)) || (part->groups && !groups)) return false;
    for (int32_t k = 0; groups && k < part->group_count; k++) {
        groups[k] = (mus_mesh_group){strdup(part->groups[k].name), part->groups[k].face_count};
        if (!groups[k].name) return false;
    }
    memcpy(faces, part->faces, corners);
    if (part->uvs) memcpy(uv_faces, part->uv_faces, corners), memcpy(coordinates, part->uvs, uvs);
    return true;
}

static mus_status check_known(const cache *c, const mus_part *part, const char *path, int64_t frame) {
    const char *object = object_name(part->name);
    const char *kind = is_obstacle(c) ? "obstacle" : "cloth";
    if (strcmp(c->name, part->name) != 0)
        return mus_fail(MUS_STATUS_INVALID, "%s: %ss '%s' and '%s' would share this file; rename one of them", path,
                        kind, object, object_name(c->name));
    if (c->vertices != part->vertex_count || c->next != frame)
        return mus_fail(MUS_STATUS_INVALID,
                        "%s: a cache has the same vertices in every frame, and %s '%s' was replaced", path, kind,
                        object);
    return MUS_STATUS_OK;
}

/* The cache of a part, created at the first frame of the part; with `resumed` the existing file is continued. */
static mus_status find(app_caches *caches, const char *folder, const mus_part *part, int64_t frame, bool resumed,
                       cache **found) {
    char *path = path_of(folder, part->name);
    for (int k = 0; path && k < caches->count; k++) {
        *found = &caches->list[k];
        if (strcmp((*found)->path, path) != 0) continue;
        mus_status status = check_known(*found, part, path, frame);
        free(path);
        return status;
    }
    cache *grown = realloc(caches->list, ((size_t)caches->count + 1) * sizeof *grown);
    if (grown) caches->list = grown;
    *found = grown ? &grown[caches->count] : NULL;
    if (grown) **found = (cache){.name = strdup(part->name), .path = path, .vertices = part->vertex_count, .fd = -1};
    if (grown) caches->count++;
    bool ok = grown && path && (*found)->name && copy_topology(*found, part);
    if (ok && is_obstacle(*found)) {
        (*found)->latest = malloc(12 * (size_t)part->vertex_count + 1);
        ok = (*found)->latest;
    }
    if (!grown) free(path);
    if (!ok) return mus_fail(MUS_STATUS_NO_MEMORY, "no memory for the point caches");
    return resumed ? check_file(*found, frame - 1) : start_file(*found, frame);
}

static mus_status fill_buffer(app_caches *caches, const cache *c, const double *x) {
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
    return MUS_STATUS_OK;
}

static mus_status append(app_caches *caches, cache *c, const double *x) {
    mus_status status = fill_buffer(caches, c, x);
    if (status != MUS_STATUS_OK) return status;
    size_t size = 12 * (size_t)c->vertices;
    int64_t wanted = c->next + 1 - c->first;
    if (c->latest && c->written > 0 && memcmp(c->latest, caches->buffer, size) == 0) wanted = c->written;
    if (wanted > c->written || c->is_longer) {
        unsigned char count[4];
        put32(count, (uint32_t)wanted);
        int fd = open(c->path, O_WRONLY | O_CLOEXEC);
        if (fd < 0) return report_write_error(c, errno);
        bool ok = true;
        for (int64_t k = c->written; ok && k < wanted; k++) /* those before the last repeat the last one written */
            ok = write_at(fd, k == wanted - 1 ? caches->buffer : c->latest, size, end_of(c, k));
        ok = ok && write_at(fd, count, 4, COUNT_AT) && ftruncate(fd, (off_t)end_of(c, wanted)) == 0;
        int reason = errno;
        if (!ok && ftruncate(fd, (off_t)end_of(c, c->written)) != 0) reason = errno;
        if (close(fd) != 0 && ok) ok = false, reason = errno;
        if (!ok) return report_write_error(c, reason);
        if (c->latest) memcpy(c->latest, caches->buffer, size);
    }
    c->written = wanted;
    c->is_longer = false;
    c->next++;
    return MUS_STATUS_OK;
}

mus_status app_caches_frame(app_caches *caches, const char *folder, const mus_part *parts, int32_t count,
                            int64_t frame) {
    mus_status status = MUS_STATUS_OK;
    for (int32_t k = 0; k < count && status == MUS_STATUS_OK; k++) {
        cache *c = NULL;
        status = find(caches, folder, &parts[k], frame, false, &c);
        if (status == MUS_STATUS_OK) status = append(caches, c, parts[k].vertices);
    }
    return status;
}

mus_status app_caches_resume(app_caches *caches, const char *folder, const mus_part *parts, int32_t count,
                             int64_t last) {
    mus_status status = MUS_STATUS_OK;
    for (int32_t k = 0; k < count && status == MUS_STATUS_OK; k++) {
        cache *c = NULL;
        status = find(caches, folder, &parts[k], last + 1, true, &c);
    }
    return status;
}

/* ---- Reading back ------------------------------------------------------------------------------------------------ */

int app_caches_count(const app_caches *caches) {
    return caches->count;
}

const char *app_caches_path(const app_caches *caches, int k) {
    return caches->list[k].path;
}

mus_part_frames app_caches_get(const app_caches *caches, int k, mus_part *part) {
    const cache *c = &caches->list[k];
    *part = c->part;
    part->is_obstacle = is_obstacle(c);
    return (mus_part_frames){c->first, c->next - c->first, !is_obstacle(c) || c->written > 1};
}

mus_status app_caches_read(void *user, int32_t k, int64_t frame, float *positions) {
    app_caches *caches = user;
    cache *c = &caches->list[k];
    size_t size = 12 * (size_t)c->vertices;
    if (c->fd < 0) c->fd = open(c->path, O_RDONLY | O_CLOEXEC);
    if (c->fd < 0) return mus_fail(MUS_STATUS_IO, "'%s', written by the run, is needed: %s", c->path, strerror(errno));
    int64_t at = frame - c->first < c->written ? frame - c->first : c->written - 1;
    for (size_t done = 0; done < size;) {
        ssize_t n =
            pread(c->fd, (unsigned char *)positions + done, size - done, (off_t)(end_of(c, at) + (int64_t)done));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0)
            return mus_fail(MUS_STATUS_IO, "'%s', written by the run: frame %lld cannot be read: %s", c->path,
                            (long long)frame, n < 0 ? strerror(errno) : "the file is shorter");
        done += (size_t)n;
    }
    return MUS_STATUS_OK; /* little endian, as every machine that this is built for */
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
