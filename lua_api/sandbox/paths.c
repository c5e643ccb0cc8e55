/* paths.c: files that a scene may access without --trusted: it reads in its own folder and in the output folder, and
 * writes in the output folder (the working directory by default); paths in the script's arguments on the command line
 * may be read, and written where they name a file. Links are resolved before the check.
 *
 * The check applies to the file that is used: a file is opened first, and the path of the open file decides
 * (/proc/self/fd), so that a process that replaces a folder by a link in between has no effect. The open file is
 * then passed to the reader, or the open folder to a writer. A file that is overwritten must be of the kind that is
 * written: a snapshot or a mesh as muslin writes it, by its first bytes, and by its extension. */
#include "sandbox/sandbox.h"
#include "muslin/host.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether the absolute path `real` is the folder or below it. */
static bool is_below(const char *real, const char *folder) {
    size_t size = strlen(folder);
    while (size > 0 && folder[size - 1] == '/') size--;
    return strncmp(real, folder, size) == 0 && (real[size] == '\0' || real[size] == '/');
}

/* Writes the path without links to `real`; the file need not exist, its folder must. False: errno. */
static bool resolve(const char *path, char real[PATH_MAX]) {
    struct stat status;
    if (lstat(path, &status) == 0) return realpath(path, real) != NULL; /* a dangling link is refused */
    if (errno != ENOENT) return false;
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t size = slash ? (size_t)(slash - path) + 1 : 0;
    if (size >= sizeof folder || !*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return errno = ENOENT, false;
    memcpy(folder, path, size);
    folder[size] = '\0';
    if (!realpath(size ? folder : ".", real)) return false;
    size_t end = strlen(real);
    if (end + strlen(name) + 2 > PATH_MAX) return errno = ENAMETOOLONG, false;
    if (real[end - 1] != '/') real[end++] = '/';
    memcpy(real + end, name, strlen(name) + 1);
    return true;
}

/* Writes the path without links to `real`, where its last parts need not exist: links of the existing parts are
 * resolved, the rest is appended literally. False if the rest contains `..`, or on failure. */
static bool resolve_missing(const char *path, char real[PATH_MAX]) {
    char head[PATH_MAX];
    size_t size = strlen(path), end;
    if (size >= sizeof head) return false;
    memcpy(head, path, size + 1);
    while (size > 0 && !realpath(head, real)) { /* drop the last part until the rest exists */
        while (size > 0 && head[size - 1] == '/') size--;
        while (size > 0 && head[size - 1] != '/') size--;
        head[size] = '\0';
    }
    if (size == 0 && !realpath(path[0] == '/' ? "/" : ".", real)) return false;
    const char *rest = path + size;
    for (const char *part = rest; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL)
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0')) return false;
    end = strlen(real);
    if (end + strlen(rest) + 2 > PATH_MAX) return false;
    if (real[end - 1] != '/') real[end++] = '/';
    memcpy(real + end, rest, strlen(rest) + 1);
    return true;
}

/* A word of the command line, or its part after a `=`, as a path. */
static bool argument_path(const char *word, int which, char real[PATH_MAX]) {
    const char *equals = strchr(word, '=');
    const char *text = which == 0 ? word : equals ? equals + 1 : "";
    return *text && resolve(text, real);
}

static bool is_named(const mus_lua_box *box, const char *real, bool write) {
    char named[PATH_MAX];
    struct stat status;
    for (int k = 0; k < box->argument_count; k++) {
        for (int which = 0; which < 2; which++) {
            if (!argument_path(box->arguments[k], which, named)) continue;
            if (strcmp(named, real) == 0) return true;
            if (!write && stat(named, &status) == 0 && S_ISDIR(status.st_mode) && is_below(real, named)) return true;
        }
    }
    return false;
}

/* The output folder may be created after the state, so it is resolved at each call. */
static bool in_output(const mus_lua_box *box, const char *real) {
    char folder[PATH_MAX];
    return realpath(box->output ? box->output : ".", folder) && is_below(real, folder);
}

/* A relative path starts at the working directory. Raises with a hint if the file is beside the scene instead. */
static void look_beside(lua_State *L, const mus_lua_box *box, const char *what, const char *path) {
    char beside[PATH_MAX], real[PATH_MAX], here[PATH_MAX];
    if (path[0] == '/' || !box->folder[0] || !box->real_folder) return;
    int size = snprintf(beside, sizeof beside, "%s%s", box->folder, path);
    if (size < 0 || (size_t)size >= sizeof beside || !realpath(beside, real) || !is_below(real, box->real_folder))
        return;
    mus_lua_error(L, "%s: '%s' is not in the working directory (%s); beside the scene it is '%s'", what, path,
                  getcwd(here, sizeof here) ? here : "./", beside);
}

/* The path of the open file, without links. Without /proc it is that of `path`, if this is the same file.
 */
static bool place_of(int fd, const char *path, char real[PATH_MAX]) {
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, real, PATH_MAX - 1);
    if (size > 0) {
        real[size] = '\0';
        return true;
    }
    struct stat opened, named;
    return realpath(path, real) && fstat(fd, &opened) == 0 && lstat(real, &named) == 0 &&
           opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

/* Does not make a terminal the controlling one, and does not wait for the other end of a pipe. */
static int open_to_read(int folder, const char *path, int more) {
    return openat(folder, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | more);
}

int mus_lua_open_beneath(const char *path, const char *folder) {
    char real[PATH_MAX];
    int fd = open_to_read(AT_FDCWD, path, 0), reason = errno;
    if (fd < 0) return errno = reason, -1;
    if (place_of(fd, path, real) && is_below(real, folder)) return fd;
    close(fd);
    return errno = EXDEV, -1;
}

const char *mus_lua_check_path(lua_State *L, int index, const char *what) {
    size_t size;
    const char *path = lua_tolstring(L, index, &size);
    if (strlen(path) != size) mus_lua_error(L, "%s: the path contains a zero byte (after '%s')", what, path);
    return path;
}

static bool is_readable(const mus_lua_box *box, const char *real) {
    return (box->real_folder && is_below(real, box->real_folder)) || in_output(box, real) || is_named(box, real, false);
}

void mus_lua_check_readable(lua_State *L, const char *what, const char *path) {
    const mus_lua_box *box = mus_lua_box_of(L);
    char real[PATH_MAX];
    if (!box) return;
    bool is_there = realpath(path, real) != NULL;
    if (!is_there) look_beside(L, box, what, path);
    if (box->trusted) return;
    int fd = open_to_read(AT_FDCWD, path, 0);
    if (fd >= 0 && place_of(fd, path, real) && is_readable(box, real)) {
        mus_lua_check_status(L, mus_file_set_descriptor(path, fd, false));
        return;
    }
    if (fd >= 0) close(fd);
    /* The reader reports a missing file; for a path outside, the message does not reveal whether it exists. */
    if (fd < 0 && (is_there || resolve_missing(path, real)) && is_readable(box, real)) return;
    mus_lua_error(
        L,
        "%s: '%s' is outside of what a scene may read: its own folder (%s), the output folder (%s) and what the "
        "command line names after --; muslin run --trusted lifts this",
        what, path, box->folder[0] ? box->folder : "./", box->output ? box->output : "./");
}

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

/* First bytes of muslin's files, by extension. */
static const struct {
    const char *extension, *start;
} kinds[] = {{"muslin", "\x8dMUS\r\n\x1a\n"},
             {"obj", "v "},
             {"obj", "o "},
             {"ply", "ply\nformat binary_little_endian 1.0\n"},
             {"stl", "solid muslin\n"},
             {"vtp", "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "},
             {"usda", "#usda 1.0\n(\n    defaultPrim = \"frame\"\n"}};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds, START_SIZE = 96 };

static bool has_extension(const char *name, const char *extension) {
    const char *dot = strrchr(name, '.');
    return dot && strcasecmp(dot + 1, extension) == 0;
}

/* Whether the file in the folder may be overwritten: it does not exist, is empty, or is a file that muslin writes
 * under such a name. */
static bool may_replace(int folder, const char *name) {
    struct stat status;
    char start[START_SIZE];
    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return true;
    int fd = open_to_read(folder, name, 0); /* the target of a link was checked before */
    ssize_t size = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? read(fd, start, sizeof start) : -1;
    if (fd >= 0) close(fd);
    bool ours = size == 0;
    for (size_t k = 0; k < KIND_COUNT; k++) {
        size_t length = strlen(kinds[k].start);
        ours = ours || (has_extension(name, kinds[k].extension) && size >= (ssize_t)length &&
                        memcmp(start, kinds[k].start, length) == 0);
    }
    return ours;
}

static int open_folder_of(const char *path, const char **name) {
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX];
    *name = slash ? slash + 1 : path;
    size_t size = slash ? (size_t)(slash - path) + 1 : 0;
    if (size >= sizeof folder) return errno = ENAMETOOLONG, -1;
    memcpy(folder, path, size);
    folder[size] = '\0';
    return open(size ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Whether the scene may write `name` in the open folder; `real` is then its path. */
static bool is_writable(const mus_lua_box *box, int folder, const char *path, const char *name, char real[PATH_MAX]) {
    struct stat status;
    if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || !place_of(folder, path, real)) return false;
    size_t end = strlen(real);
    if (end + strlen(name) + 2 > PATH_MAX) return false;
    if (real[end - 1] != '/') real[end++] = '/';
    memcpy(real + end, name, strlen(name) + 1);
    /* A link is replaced and not followed, but its target must be writable too. */
    bool is_link = fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode);
    if (is_link && !resolve(path, real)) return false;
    return in_output(box, real) || is_named(box, real, true);
}

void mus_lua_check_writable(lua_State *L, const char *what, const char *path, const char *extension) {
    const mus_lua_box *box = mus_lua_box_of(L);
    char real[PATH_MAX];
    const char *name;
    if (!box || box->trusted) return;
    int folder = open_folder_of(path, &name);
    if (folder >= 0 && is_writable(box, folder, path, name, real)) {
        bool ours = may_replace(folder, name), named = is_named(box, real, true);
        if (ours && (named || !extension || has_extension(name, extension))) {
            mus_lua_check_status(L, mus_file_set_descriptor(path, folder, true));
            return;
        }
        close(folder);
        if (ours)
            mus_lua_error(L, "%s: the name must end in '.%s' (got '%s'); muslin run --trusted lifts this", what,
                          extension, path);
        mus_lua_error(
            L,
            "%s: '%s' is there and is no file that muslin writes under such a name, so it is not overwritten; "
            "give another name, or take it away; muslin run --trusted lifts this",
            what, path);
    }
    int reason = errno;
    if (folder >= 0) close(folder);
    if (folder < 0 && reason == ENOENT && strstr(path, "..") == NULL && path[0] != '/')
        return; /* the writer reports a missing folder */
    mus_lua_error(
        L,
        "%s: '%s' is outside of where a scene may write: the output folder (%s) and files that the command line "
        "names after --; muslin run --trusted lifts this",
        what, path, box->output ? box->output : "./");
}
