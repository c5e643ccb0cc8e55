/* file.c: reads whole files and replaces files atomically, with the system's reasons for failure. */
#include "io/file.h"

#include "base/memory.h"
#include "io/number.h"
#include "muslin/host.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Reading ---------------------------------------------------------------------------------------------------- */

static mus_status cannot_read(const char *path, int error) {
    mus_status status = error == ENOENT || error == ENOTDIR ? MUS_STATUS_NOT_FOUND : MUS_STATUS_IO;
    char here[4096];
    bool with_folder = status == MUS_STATUS_NOT_FOUND && path[0] != '/' && getcwd(here, sizeof here);
    return mus_fail(status, "%s: cannot be read: %s%s%s%s", path, strerror(error),
                    with_folder ? " (in the working directory " : "", with_folder ? here : "", with_folder ? ")" : "");
}

static mus_status read_all(int fd, mus_file *file) {
    struct stat info;
    if (fstat(fd, &info) != 0) return cannot_read(file->path, errno);
    if (S_ISDIR(info.st_mode)) return cannot_read(file->path, EISDIR);
    /* One more than the size, so that the first round finds the end; pipes have no size. */
    int64_t capacity = (info.st_size > 0 ? info.st_size : 65536) + 1;
    file->data = mus_resize(NULL, (size_t)capacity + 1);
    if (!file->data) return MUS_STATUS_NO_MEMORY;
    for (;;) {
        ssize_t got = read(fd, file->data + file->size, (size_t)(capacity - file->size));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return cannot_read(file->path, errno);
        if (got == 0) break;
        file->size += got;
        if (file->size < capacity) continue;
        char *larger = mus_resize(file->data, (size_t)capacity * 2 + 1);
        if (!larger) return MUS_STATUS_NO_MEMORY;
        file->data = larger;
        capacity *= 2;
    }
    file->data[file->size] = 0;
    return MUS_STATUS_OK;
}

/* ---- Files that a host has opened ------------------------------------------------------------------------------- */

static _Thread_local struct {
    char *path;
    int fd;
    bool is_folder;
} handed = {.fd = -1};

static void drop_handed(void) {
    mus_free(handed.path);
    if (handed.fd >= 0) close(handed.fd);
    handed.path = NULL;
    handed.fd = -1;
}

mus_status mus_file_set_descriptor(const char *path, int fd, bool is_folder) {
    drop_handed();
    if (!path) return MUS_STATUS_OK;
    size_t size = strlen(path) + 1;
    handed.path = mus_new(size);
    if (!handed.path) {
        close(fd);
        return MUS_STATUS_NO_MEMORY;
    }
    memcpy(handed.path, path, size);
    handed.fd = fd;
    handed.is_folder = is_folder;
    return MUS_STATUS_OK;
}

/* The open file registered for the path, or its open folder; -1: none. The caller closes it. */
static int take_handed(const char *path, bool is_folder) {
    if (!handed.path || handed.is_folder != is_folder || strcmp(handed.path, path) != 0) return -1;
    int fd = handed.fd;
    handed.fd = -1;
    drop_handed();
    return fd;
}

static mus_status read_file(const char *path, int fd, mus_file *file) {
    if (fd < 0) return cannot_read(path, errno);
    mus_status status = read_all(fd, file);
    close(fd);
    if (status != MUS_STATUS_OK) mus_file_free(file);
    return status;
}

mus_status mus_file_read(const char *path, mus_file *file) {
    *file = (mus_file){.path = path};
    int fd = take_handed(path, false);
    return read_file(path, fd < 0 ? open(path, O_RDONLY | O_CLOEXEC) : fd, file);
}

mus_status mus_file_read_no_link(const char *path, mus_file *file) {
    *file = (mus_file){.path = path};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK); /* a pipe without a writer does not wait */
    struct stat state;
    if (fd >= 0 && fstat(fd, &state) == 0 && !S_ISREG(state.st_mode)) {
        close(fd);
        return mus_fail(MUS_STATUS_IO, "%s: cannot be read: it is not a regular file", path);
    }
    return read_file(path, fd, file);
}

void mus_file_free(mus_file *file) {
    mus_free(file->data);
    file->data = NULL;
    file->size = 0;
}

mus_status mus_read_text(const char *path, char **text, size_t *size) {
    mus_file file;
    *text = NULL, *size = 0;
    mus_status status = mus_file_read(path, &file);
    if (status == MUS_STATUS_OK) *text = file.data, *size = (size_t)file.size;
    return status;
}

void mus_free_text(char *text) {
    mus_free(text);
}

const char *mus_file_extension(const char *path) {
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    return dot ? dot + 1 : "";
}

/* ---- Writing ---------------------------------------------------------------------------------------------------- */

enum { BUFFER = 1 << 16 };

static mus_status cannot_write(const char *path, int error) {
    mus_status status = error == ENOENT || error == ENOTDIR ? MUS_STATUS_NOT_FOUND : MUS_STATUS_IO;
    return mus_fail(status, "%s: cannot be written: %s", path, strerror(error));
}

/* The folder that the names of the file and of its temporary one are relative to: the one that a host opened, or the
 * working directory. */
static int folder_of(const mus_writer *w) {
    return w->folder >= 0 ? w->folder : AT_FDCWD;
}

static const char *name_of(const mus_writer *w) {
    const char *slash = strrchr(w->path, '/');
    return slash && w->folder >= 0 ? slash + 1 : w->path;
}

/* In the same folder, so that the rename cannot cross file systems; short, so that a file with a name of any length
 * can be replaced; exclusive, so that two writers never share one. */
static mus_status open_temporary(mus_writer *w) {
    static atomic_uint counter;
    const char *slash = strrchr(w->path, '/');
    int folder =
        slash && w->folder < 0 ? (int)(slash - w->path) + 1 : 0; /* relative to an open folder, only the name */
    size_t room = (size_t)folder + 64;
    w->temporary = mus_new(room);
    w->buffer = mus_resize(NULL, BUFFER);
    if (!w->temporary || !w->buffer) return MUS_STATUS_NO_MEMORY;
    do {
        snprintf(w->temporary, room, "%.*s.muslin-%ld-%u.tmp", folder, w->path, (long)getpid(),
                 atomic_fetch_add(&counter, 1));
        w->fd = openat(folder_of(w), w->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (w->fd < 0 && (errno == EEXIST || errno == EINTR));
    return w->fd < 0 ? cannot_write(w->path, errno) : MUS_STATUS_OK;
}

mus_status mus_writer_open(mus_writer *w, const char *path) {
    *w = (mus_writer){.path = path, .fd = -1, .folder = take_handed(path, true)};
    struct stat info;
    /* Renaming over a device or a pipe would remove it. */
    bool special = fstatat(folder_of(w), name_of(w), &info, 0) == 0 && !S_ISREG(info.st_mode);
    mus_status status = special ? mus_fail(MUS_STATUS_IO, "%s: cannot be written: it is a %s, not a regular file", path,
                                           S_ISDIR(info.st_mode) ? "folder" : "special file")
                                : open_temporary(w);
    if (status != MUS_STATUS_OK) {
        mus_free(w->temporary);
        mus_free(w->buffer);
        if (w->folder >= 0) close(w->folder);
    }
    return status;
}

static void flush(mus_writer *w) {
    for (size_t done = 0; done < w->used && !w->error;) {
        ssize_t count = write(w->fd, w->buffer + done, w->used - done);
        if (count >= 0)
            done += (size_t)count;
        else if (errno != EINTR)
            w->error = errno;
    }
    w->used = 0;
}

/* Makes room for `size` (at most BUFFER) more bytes. */
static char *reserve_bytes(mus_writer *w, size_t size) {
    if (BUFFER - w->used < size) flush(w);
    return w->buffer + w->used;
}

void mus_writer_bytes(mus_writer *w, const void *data, size_t size) {
    const char *from = data;
    while (size > 0) {
        char *to = reserve_bytes(w, 1);
        size_t part = BUFFER - w->used < size ? BUFFER - w->used : size;
        memcpy(to, from, part);
        w->used += part;
        from += part;
        size -= part;
    }
}

void mus_writer_text(mus_writer *w, const char *text) {
    mus_writer_bytes(w, text, strlen(text));
}

void mus_writer_integer(mus_writer *w, int64_t value) {
    char digits[24], *at = digits + sizeof digits;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do *--at = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0) *--at = '-';
    mus_writer_bytes(w, at, (size_t)(digits + sizeof digits - at));
}

void mus_writer_number(mus_writer *w, double value) {
    w->used += (size_t)mus_number_format(value, reserve_bytes(w, MUS_NUMBER_ROOM));
}

void mus_writer_le32(mus_writer *w, uint32_t bits) {
    char *to = reserve_bytes(w, 4);
    for (int i = 0; i < 4; i++) to[i] = (char)(bits >> 8 * i & 255);
    w->used += 4;
}

void mus_writer_le64(mus_writer *w, uint64_t bits) {
    mus_writer_le32(w, (uint32_t)bits);
    mus_writer_le32(w, (uint32_t)(bits >> 32));
}

void mus_writer_patch(mus_writer *w, int64_t place, const void *data, size_t size) {
    flush(w);
    for (size_t done = 0; done < size && !w->error;) {
        ssize_t count = pwrite(w->fd, (const char *)data + done, size - done, place + (int64_t)done);
        if (count >= 0)
            done += (size_t)count;
        else if (errno != EINTR)
            w->error = errno;
    }
}

/* Flushes the folder, which stores the new name. Some file systems cannot flush folders, and need not. */
static void flush_folder(const mus_writer *w) {
    char folder[4096];
    const char *temporary = w->temporary;
    if (w->folder >= 0) {
        fsync(w->folder);
        return;
    }
    const char *slash = strrchr(temporary, '/');
    int length = slash ? (int)(slash - temporary) + 1 : 0;
    if ((size_t)length >= sizeof folder) return;
    snprintf(folder, sizeof folder, "%.*s", slash ? length : 1, slash ? temporary : ".");
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    fsync(fd);
    close(fd);
}

mus_status mus_writer_close(mus_writer *w, mus_status status) {
    if (status == MUS_STATUS_OK) flush(w);
    if (status == MUS_STATUS_OK && !w->error && w->durable && fsync(w->fd) != 0 && errno != EINVAL) w->error = errno;
    if (close(w->fd) != 0 && !w->error) w->error = errno; /* some file systems report a full disk only here */
    if (status == MUS_STATUS_OK && !w->error && renameat(folder_of(w), w->temporary, folder_of(w), name_of(w)) != 0)
        w->error = errno;
    if (status != MUS_STATUS_OK || w->error)
        unlinkat(folder_of(w), w->temporary, 0);
    else if (w->durable)
        flush_folder(w);
    if (w->folder >= 0) close(w->folder);
    if (status == MUS_STATUS_OK && w->error) status = cannot_write(w->path, w->error);
    mus_free(w->temporary);
    mus_free(w->buffer);
    return status;
}

/* ---- Locale ----------------------------------------------------------------------------------------------------- */

mus_c_locale mus_c_locale_enter(void) {
    mus_c_locale locale = {.ours = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
    if (locale.ours) locale.before = uselocale(locale.ours); /* of this thread only */
    return locale;
}

void mus_c_locale_leave(mus_c_locale locale) {
    if (!locale.ours) return;
    uselocale(locale.before);
    freelocale(locale.ours);
}
