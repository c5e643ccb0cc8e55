/* paths.c: which files a scene may touch without --trusted: it reads in its own folder and in the output folder, and
 * writes in the output folder (the working directory where none is given); what the command line hands to the script is
 * the user's word, and may be read, and written where it names a file. Links are followed before they are judged. */
#include "sandbox.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Is the absolute path `real` the folder's, or below it? */
static bool is_below(const char *real, const char *folder) {
    size_t size = strlen(folder);
    while (size > 0 && folder[size - 1] == '/') size--;
    return strncmp(real, folder, size) == 0 && (real[size] == '\0' || real[size] == '/');
}

/* The path without links into `real`, where the file need not be there yet but its folder must. False: errno. */
static bool resolve(const char *path, char real[PATH_MAX]) {
    struct stat status;
    if (lstat(path, &status) == 0) return realpath(path, real) != NULL; /* a link that leads nowhere is refused */
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

/* The path without links into `real`, where nothing of its end need be there: links are followed as far as it leads,
 * and the rest is taken by its letters. False where that rest climbs (`..`), or nothing can be said. */
static bool resolve_missing(const char *path, char real[PATH_MAX]) {
    char head[PATH_MAX];
    size_t size = strlen(path), end;
    if (size >= sizeof head) return false;
    memcpy(head, path, size + 1);
    while (size > 0 && !realpath(head, real)) { /* its last part goes, until what is left is there */
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

/* A word of the command line, or what stands behind a `=` in it, as a path. */
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

/* The output folder may be made after the state was, so it is looked up when it is asked for. */
static bool in_output(const mus_lua_box *box, const char *real) {
    char folder[PATH_MAX];
    return realpath(box->output ? box->output : ".", folder) && is_below(real, folder);
}

/* A relative path starts at the working directory. What is not there, but beside the scene, is told as such. */
static void look_beside(lua_State *L, const mus_lua_box *box, const char *what, const char *path) {
    char beside[PATH_MAX], real[PATH_MAX], here[PATH_MAX];
    if (path[0] == '/' || !box->folder[0] || !box->real_folder) return;
    int size = snprintf(beside, sizeof beside, "%s%s", box->folder, path);
    if (size < 0 || (size_t)size >= sizeof beside || !realpath(beside, real) || !is_below(real, box->real_folder))
        return;
    mus_lua_error(L, "%s: '%s' is not in the working directory (%s); beside the scene it is '%s'", what, path,
                  getcwd(here, sizeof here) ? here : "./", beside);
}

void mus_lua_check_readable(lua_State *L, const char *what, const char *path) {
    const mus_lua_box *box = mus_lua_box_of(L);
    char real[PATH_MAX];
    if (!box) return;
    bool is_there = realpath(path, real) != NULL;
    if (!is_there) look_beside(L, box, what, path);
    if (box->trusted) return;
    /* What is not there, the reader tells; of a path that leads away, whether it is there is not told. */
    if ((is_there || resolve_missing(path, real)) &&
        ((box->real_folder && is_below(real, box->real_folder)) || in_output(box, real) || is_named(box, real, false)))
        return;
    mus_lua_error(
        L,
        "%s: '%s' is outside of what a scene may read: its own folder (%s), the output folder (%s) and what the "
        "command line names after --; muslin run --trusted lifts this",
        what, path, box->folder[0] ? box->folder : "./", box->output ? box->output : "./");
}

void mus_lua_check_writable(lua_State *L, const char *what, const char *path) {
    const mus_lua_box *box = mus_lua_box_of(L);
    char real[PATH_MAX];
    if (!box || box->trusted) return;
    bool known = resolve(path, real);
    if (known && (in_output(box, real) || is_named(box, real, true))) return;
    if (!known && errno == ENOENT && strstr(path, "..") == NULL && path[0] != '/') {
        struct stat status;
        if (lstat(path, &status) != 0) return; /* a folder that is not there: the writer tells */
    }
    mus_lua_error(
        L,
        "%s: '%s' is outside of where a scene may write: the output folder (%s) and files that the command line "
        "names after --; muslin run --trusted lifts this",
        what, path, box->output ? box->output : "./");
}
