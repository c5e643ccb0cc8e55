/* view_watch.c: the files of a scene, and whether one was saved since. Uses stat, not file notifications: editors
 * write in place, or rename, or both, and network folders send none. */
#include "view/view.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool read_file_state(const char *path, view_file *file) {
    struct stat s;
    view_file now = {file->path, 0, 0, -1, 0};
    if (stat(path, &s) == 0) {
        now.seconds = (int64_t)s.st_mtim.tv_sec, now.nanoseconds = s.st_mtim.tv_nsec;
        now.size = (int64_t)s.st_size, now.inode = (int64_t)s.st_ino;
    }
    bool same = now.seconds == file->seconds && now.nanoseconds == file->nanoseconds && now.size == file->size &&
                now.inode == file->inode;
    *file = now;
    return same;
}

static view_file *find(const view_watch *watch, const char *path) {
    for (int i = 0; i < watch->count; i++)
        if (strcmp(watch->files[i].path, path) == 0) return &watch->files[i];
    return NULL;
}

/* `known`: the state of a file before the script ran, so that a later save is detected. */
static void add_file(view_watch *watch, const char *path, const view_watch *known) {
    if (find(watch, path)) return;
    view_file *grown = realloc(watch->files, (size_t)(watch->count + 1) * sizeof *grown);
    if (!grown) return; /* the file is not watched; the key r still reloads it */
    watch->files = grown;
    view_file *file = &watch->files[watch->count], *before = known ? find(known, path) : NULL;
    char *copy = strdup(path);
    if (!copy) return;
    if (before) *file = *before;
    file->path = copy;
    if (!before) read_file_state(path, file);
    watch->count++;
}

static int push_files(lua_State *L) {
    mus_lua_sandbox_push_files(L);
    return 1;
}

static void add_all(view_watch *watch, const char *script, lua_State *L, const view_watch *known) {
    add_file(watch, script, known);
    if (!L) return;
    int top = lua_gettop(L);
    lua_pushcfunction(L, push_files);
    if (lua_pcall(L, 0, 1, 0) == LUA_OK && lua_istable(L, -1))
        for (lua_Integer i = 1; lua_rawgeti(L, -1, i) == LUA_TSTRING; i++) {
            add_file(watch, lua_tostring(L, -1), known);
            lua_pop(L, 1);
        }
    lua_settop(L, top);
}

void view_watch_add(view_watch *watch, const char *script, lua_State *L) {
    add_all(watch, script, L, NULL);
}

void view_watch_set(view_watch *watch, const char *script, lua_State *L) {
    view_watch before = *watch;
    memset(watch, 0, sizeof *watch);
    add_all(watch, script, L, &before);
    view_watch_clear(&before);
}

bool view_watch_changed(view_watch *watch) {
    bool changed = false, whole = true;
    for (int i = 0; i < watch->count; i++) {
        view_file *file = &watch->files[i];
        if (!read_file_state(file->path, file)) changed = true;
        if (file->size <= 0) whole = false; /* between an editor's truncating and its writing */
    }
    if (changed) {
        watch->pending = true;
        return false;
    }
    if (!watch->pending || !whole) return false;
    watch->pending = false;
    return true;
}

void view_watch_clear(view_watch *watch) {
    for (int i = 0; i < watch->count; i++) free(watch->files[i].path);
    free(watch->files);
    memset(watch, 0, sizeof *watch);
}
