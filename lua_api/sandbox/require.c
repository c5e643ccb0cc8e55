/* require.c: modules of scenes: muslin, muslin's own scripts (muslin.NAME), and Lua text under the script's folder. */
#include "sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char files_key = 0; /* registry: list of the paths loaded so far */

void mus_lua_note_file(lua_State *L, const char *path) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, &files_key);
    lua_pushstring(L, path);
    lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
    lua_pop(L, 1);
}

void mus_lua_sandbox_push_files(lua_State *L) {
    lua_newtable(L);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &files_key);
    lua_Integer n = (lua_Integer)lua_rawlen(L, -1);
    for (lua_Integer i = 1; i <= n; i++) {
        lua_rawgeti(L, -1, i);
        lua_rawseti(L, -3, i);
    }
    lua_pop(L, 1);
}

/* Skips a byte order mark and a first line for the shell, except its newline, as Lua's own loader does. */
static size_t first_line_skipped(const char *text, size_t size) {
    size_t at = size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    if (at < size && text[at] == '#')
        while (at < size && text[at] != '\n') at++;
    return at;
}

/* Loads the open text file, which `path` names, under `chunk`, and closes it. Pushes the function and returns true, or
 * pushes the message. */
static bool load_text(lua_State *L, int fd, const char *path, const char *chunk) {
    FILE *file = fd >= 0 ? fdopen(fd, "rb") : NULL;
    if (!file) {
        lua_pushfstring(L, "cannot open %s: %s", path, strerror(errno));
        if (fd >= 0) close(fd);
        return false;
    }
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    rewind(file);
    char *text = size >= 0 ? malloc((size_t)size + 1) : NULL;
    bool read = text && fread(text, 1, (size_t)size, file) == (size_t)size;
    fclose(file);
    size_t skipped = read ? first_line_skipped(text, (size_t)size) : 0;
    bool ok = read && luaL_loadbufferx(L, text + skipped, (size_t)size - skipped, chunk, "t") == LUA_OK;
    free(text);
    if (!read) lua_pushfstring(L, "cannot read %s", path);
    return ok;
}

typedef enum finding { FOUND, FAILED, NOT_HERE } finding;

/* muslin.NAME -> FOLDER/NAME.lua, called @muslin/NAME.lua: muslin's own code, which error positions skip. */
static finding find_own(lua_State *L, const char *name, const char *folder) {
    if (!folder || strncmp(name, "muslin.", 7) != 0) return NOT_HERE;
    const char *file = luaL_gsub(L, name + 7, ".", "/");
    const char *chunk = lua_pushfstring(L, "@" MUS_LUA_OWN_CHUNK "%s.lua", file);
    const char *path = lua_pushfstring(L, "%s/%s.lua", folder, file);
    if (access(path, R_OK) != 0) {
        lua_pop(L, 3);
        return NOT_HERE;
    }
    finding found = load_text(L, open(path, O_RDONLY | O_CLOEXEC), path, chunk) ? FOUND : FAILED;
    if (found == FOUND && mus_lua_box_of(L)) mus_lua_note_file(L, path);
    lua_replace(L, -4);
    lua_replace(L, -2);
    return found; /* function or message, path */
}

/* a.b -> a/b.lua or a/b/init.lua under the script's folder; not through a link out of it, unless trusted. */
static finding find_beside(lua_State *L, const mus_lua_box *box, const char *name) {
    if (!box->real_folder) return NOT_HERE;
    static const char *const patterns[] = {"%s%s.lua", "%s%s/init.lua"};
    const char *file = luaL_gsub(L, name, ".", "/");
    for (int k = 0; k < 2; k++) {
        const char *path = lua_pushfstring(L, patterns[k], box->folder, file);
        char *real = realpath(path, NULL);
        if (!real || access(real, R_OK) != 0) {
            free(real);
            lua_pop(L, 1);
            continue;
        }
        free(real);
        finding found = FAILED;
        int fd = mus_lua_open_beneath(path, box->trusted ? "/" : box->real_folder);
        const char *chunk = lua_pushfstring(L, "@%s", path);
        if (fd < 0 && errno == EXDEV) {
            lua_pushfstring(L, "%s is outside of the script's folder", path);
        } else if (load_text(L, fd, path, chunk)) {
            found = FOUND;
            mus_lua_note_file(L, path);
        }
        lua_replace(L, -4);
        lua_pop(L, 1);
        return found;
    }
    lua_pop(L, 1);
    return NOT_HERE;
}

/* Pushes the loader (or a message) and the path. */
static finding find(lua_State *L, const char *name) {
    const mus_lua_box *box = mus_lua_box_of(L);
    finding found = find_own(L, name, box->scripts_path);
    return found == NOT_HERE ? find_beside(L, box, name) : found;
}

/* require(name) for untrusted scripts. */
static int scene_require(lua_State *L) {
    const char *name = luaL_checkstring(L, 1);
    lua_settop(L, 1);
    lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE); /* 2 */
    lua_getfield(L, 2, name);
    if (lua_toboolean(L, -1)) return 1;
    lua_pop(L, 1);
    lua_getfield(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
    lua_getfield(L, -1, name);
    lua_remove(L, -2);
    if (lua_isfunction(L, -1)) {
        lua_pushliteral(L, ":preload:");
    } else {
        lua_pop(L, 1);
        switch (find(L, name)) {
        case FOUND:
            break;
        case FAILED:
            return mus_lua_error(L, "require: %s", lua_tostring(L, -2));
        default:
            return mus_lua_error(L,
                                 "require: no module '%s': without --trusted there are muslin and the Lua files under "
                                 "the script's folder (%s)",
                                 name, mus_lua_box_of(L)->folder[0] ? mus_lua_box_of(L)->folder : "./");
        }
    }
    lua_pushvalue(L, 3); /* 3: the loader, 4: its path */
    lua_pushvalue(L, 1);
    lua_pushvalue(L, 4);
    lua_call(L, 2, 1);
    if (!lua_isnil(L, -1)) lua_setfield(L, 2, name);
    lua_settop(L, 4);
    if (lua_getfield(L, 2, name) == LUA_TNIL) { /* a module that returned nothing counts as loaded */
        lua_pushboolean(L, 1);
        lua_pushvalue(L, -1);
        lua_setfield(L, 2, name);
    }
    lua_pushvalue(L, 4);
    return 2;
}

/* A searcher for the stock require of trusted scripts. */
static int search(lua_State *L) {
    const char *name = luaL_checkstring(L, 1);
    switch (find(L, name)) {
    case FOUND:
        return 2;
    case FAILED:
        return luaL_error(L, "error loading module '%s': %s", name, lua_tostring(L, -2));
    default:
        lua_pushfstring(L, "no file '%s' beside the script", name);
        return 1;
    }
}

/* The same for stock Lua's require: only muslin's own. Upvalue 1: their folder. */
static int search_own(lua_State *L) {
    const char *name = luaL_checkstring(L, 1);
    switch (find_own(L, name, lua_tostring(L, lua_upvalueindex(1)))) {
    case FOUND:
        return 2;
    case FAILED:
        return luaL_error(L, "error loading module '%s': %s", name, lua_tostring(L, -2));
    default:
        lua_pushfstring(L, "no script '%s' of muslin", name);
        return 1;
    }
}

/* Inserts the function on top as package.searchers[2], before the files of package.path. */
static void add_searcher(lua_State *L) {
    if (lua_getglobal(L, "package") == LUA_TTABLE && lua_getfield(L, -1, "searchers") == LUA_TTABLE) {
        for (lua_Integer i = (lua_Integer)lua_rawlen(L, -1); i >= 2; i--) {
            lua_rawgeti(L, -1, i);
            lua_rawseti(L, -2, i + 1);
        }
        lua_pushvalue(L, -3);
        lua_rawseti(L, -2, 2);
        lua_pop(L, 1);
    }
    lua_pop(L, 2);
}

void mus_lua_add_own_scripts(lua_State *L, const char *folder) {
    lua_pushstring(L, folder);
    lua_pushcclosure(L, search_own, 1);
    add_searcher(L);
}

/* Upvalue 1: a name of the kit; upvalue 2: require. Loads the kit at its first use and calls its function. */
static int call_kit(lua_State *L) {
    int arguments = lua_gettop(L);
    lua_pushvalue(L, lua_upvalueindex(2));
    lua_pushliteral(L, MUS_LUA_KIT);
    lua_call(L, 1, 1);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_gettable(L, -2);
    lua_insert(L, 1);
    lua_settop(L, arguments + 1);
    lua_call(L, arguments, LUA_MULTRET);
    return lua_gettop(L);
}

static void push_kit_function(lua_State *L, const char *name) {
    lua_pushstring(L, name);
    lua_getglobal(L, "require");
    lua_pushcclosure(L, call_kit, 2);
}

/* The table on top is called: without itself as an argument. Upvalues as call_kit's. */
static int call_kit_table(lua_State *L) {
    lua_remove(L, 1);
    return call_kit(L);
}

/* {each = kit[NAME .. "_each"]...}, which is called as kit[NAME]. `fields` are pairs: the field, the kit's name. */
static void push_kit_table(lua_State *L, const char *name, const char *const *fields) {
    lua_newtable(L);
    for (; *fields; fields += 2) {
        push_kit_function(L, fields[1]);
        lua_setfield(L, -2, fields[0]);
    }
    lua_createtable(L, 0, 1);
    lua_pushstring(L, name);
    lua_getglobal(L, "require");
    lua_pushcclosure(L, call_kit_table, 2);
    lua_setfield(L, -2, "__call");
    lua_setmetatable(L, -2);
}

void mus_lua_add_kit_functions(lua_State *L, bool module) {
    static const char *const names[] = {"expect", "before", "skip"};
    static const char *const of_scenario[] = {"each", "each", "together", "together", NULL};
    static const char *const of_property[] = {"number", "property_number", "integer", "property_integer",
                                              "choice", "property_choice", "list",    "property_list",
                                              "vector", "property_vector", "scene",   "property_scene",
                                              "world",  "property_world",  NULL};
    static const char *const of_measure[] = {"folds",  "measure_folds",  "turns", "measure_turns",
                                             "layers", "measure_layers", NULL};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        push_kit_function(L, names[k]);
        lua_setfield(L, -2, names[k]);
    }
    push_kit_table(L, "scenario", of_scenario);
    lua_setfield(L, -2, "scenario");
    push_kit_table(L, "property", of_property);
    lua_setfield(L, -2, "property");
    if (module) {
        push_kit_function(L, "arguments");
        lua_setfield(L, -2, "arguments");
        lua_newtable(L);
        for (const char *const *name = of_measure; *name; name += 2) {
            push_kit_function(L, name[1]);
            lua_setfield(L, -2, name[0]);
        }
        lua_setfield(L, -2, "measure");
    }
}

void mus_lua_open_require(lua_State *L) {
    lua_newtable(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &files_key);
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
    lua_pushcfunction(L, luaopen_muslin);
    lua_setfield(L, -2, "muslin");
    lua_pop(L, 2);
    if (mus_lua_box_of(L)->trusted) {
        lua_pushcfunction(L, search);
        add_searcher(L);
    } else {
        lua_pushcfunction(L, scene_require);
        lua_setglobal(L, "require");
    }
    lua_pushglobaltable(L);
    mus_lua_add_kit_functions(L, false);
    lua_pop(L, 1);
}
