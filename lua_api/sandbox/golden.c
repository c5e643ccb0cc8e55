/* golden.c: files of golden states (scripts/golden.lua): golden/SCRIPT.NAME.txt beside the script, read by every test,
 * written only when the host enables it. */
#include "sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Pushes the folder and the file's path. The name is a word, so that the path cannot leave the folder. */
static const char *push_path(lua_State *L, const char *name) {
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    if (!*name || name[strspn(name, allowed)] || *name == '.')
        mus_lua_error(L, "golden states are named by a word (got '%s')", name);
    const mus_lua_box *box = mus_lua_box_of(L);
    const char *script = box && box->script_name ? box->script_name : "";
    size_t n = strlen(script);
    if (n > 4 && strcmp(script + n - 4, ".lua") == 0) n -= 4;
    const char *folder = lua_pushfstring(L, "%sgolden", box && box->folder ? box->folder : "");
    lua_pushlstring(L, script, n);
    lua_pushfstring(L, "%s/%s%s%s.txt", folder, lua_tostring(L, -1), n ? "." : "", name);
    lua_remove(L, -2);
    return lua_tostring(L, -1);
}

/* golden_read(name) -> text or nil, path */
static int golden_read(lua_State *L) {
    const char *path = push_path(L, luaL_checkstring(L, 1));
    const mus_lua_box *box = mus_lua_box_of(L);
    int fd = box && box->real_folder ? mus_lua_open_beneath(path, box->real_folder) : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && errno == EXDEV)
        return mus_lua_error(L, "'%s' is a link to a file outside of the script's folder, and is not read", path);
    FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (fd < 0 && errno == ENOENT) {
        lua_pushnil(L);
        lua_pushvalue(L, -2);
        return 2;
    }
    char *text = NULL;
    size_t size = 0;
    ssize_t length = file ? getdelim(&text, &size, '\0', file) : -1; /* a text holds no zero */
    bool failed = !file || ferror(file);
    int reason = errno;
    if (file) fclose(file);
    if (failed) {
        free(text);
        return mus_lua_error(L, "'%s': %s", path, strerror(reason));
    }
    lua_pushlstring(L, text ? text : "", length > 0 ? (size_t)length : 0);
    free(text);
    lua_pushvalue(L, -2);
    return 2;
}

static int golden_updating(lua_State *L) {
    const mus_lua_box *box = mus_lua_box_of(L);
    lua_pushboolean(L, box && box->update_golden);
    return 1;
}

/* golden_write(name, text) -> path */
static int golden_write(lua_State *L) {
    size_t size;
    const char *path = push_path(L, luaL_checkstring(L, 1)), *text = luaL_checklstring(L, 2, &size);
    const mus_lua_box *box = mus_lua_box_of(L);
    if (!box || !box->update_golden)
        return mus_lua_error(L, "golden states are written by muslin test --update-golden alone");
    int made = mkdir(lua_tostring(L, -2), 0777), reason = errno;
    if (made != 0 && reason != EEXIST) return mus_lua_error(L, "'%s': %s", lua_tostring(L, -2), strerror(reason));
    int folder = box->real_folder ? mus_lua_open_beneath(lua_tostring(L, -2), box->real_folder) : -1;
    if (folder < 0)
        return mus_lua_error(L, "'%s': %s, and is not written to", lua_tostring(L, -2),
                             errno == EXDEV ? "it is a link to a file outside of the script's folder"
                                            : strerror(errno));
    const char *name = strrchr(path, '/') + 1, *temporary = lua_pushfstring(L, "%s.%d", name, (int)getpid());
    int fd = openat(folder, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    bool ok = file && fwrite(text, 1, size, file) == size;
    reason = errno;
    if (file && fclose(file) != 0 && ok) ok = false, reason = errno;
    if (ok && renameat(folder, temporary, folder, name) != 0) ok = false, reason = errno;
    if (!ok && file) unlinkat(folder, temporary, 0);
    close(folder);
    if (!ok) return mus_lua_error(L, "'%s': %s", path, strerror(reason));
    lua_pushstring(L, path);
    return 1;
}

void mus_lua_add_golden(lua_State *L) {
    static const luaL_Reg functions[] = {{"golden_read", golden_read},
                                         {"golden_write", golden_write},
                                         {"golden_updating", golden_updating},
                                         {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
}
