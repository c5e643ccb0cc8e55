/* complete.c: completion of a Lua name at the cursor. */
#include "host.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 200 };

typedef struct candidates {
    char **names;
    size_t count, capacity;
} candidates;

static bool word_part(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == ':';
}

static void add_word(candidates *c, const char *name) {
    for (size_t k = 0; k < c->count; k++)
        if (strcmp(c->names[k], name) == 0) return;
    if (c->count == c->capacity) {
        size_t capacity = c->capacity ? 2 * c->capacity : 32;
        char **names = realloc(c->names, capacity * sizeof *names);
        if (!names) return;
        c->names = names;
        c->capacity = capacity;
    }
    if ((c->names[c->count] = strdup(name))) c->count++;
}

/* A name that begins with `start`. */
static void add_completion(candidates *c, const char *name, const char *start) {
    if (strncmp(name, start, strlen(start)) != 0 || strncmp(name, "__", 2) == 0) return;
    if (name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")]) return;
    add_word(c, name);
}

static void add_keys(lua_State *L, int table, candidates *c, const char *start) {
    for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1))
        if (lua_type(L, -2) == LUA_TSTRING) add_completion(c, lua_tostring(L, -2), start);
}

/* Names in the value on top of the stack: its own keys and those of its metatable's __index, a few levels up. */
static void add_names(lua_State *L, candidates *c, const char *start) {
    for (int level = 0; level < 8; level++) {
        int at = lua_gettop(L);
        if (lua_istable(L, at)) add_keys(L, at, c, start);
        if (!lua_getmetatable(L, at)) return;
        if (lua_getfield(L, at + 1, "__index") == LUA_TTABLE) continue;
        /* an object of muslin: its __index is a C function that keeps the methods */
        if (lua_iscfunction(L, -1) && lua_getupvalue(L, -1, 1) && lua_istable(L, -1))
            add_keys(L, lua_gettop(L), c, start);
        return;
    }
}

/* Fields of muslin's objects are computed by their __index; the reference lists them as TYPE.FIELD. The object is on
 * top of the stack. */
static void add_fields(lua_State *L, candidates *c, const char *start) {
    if (lua_type(L, -1) != LUA_TUSERDATA || luaL_getmetafield(L, -1, "__name") != LUA_TSTRING) return;
    const char *type = lua_tostring(L, -1);
    if (strncmp(type, "muslin.", 7) == 0) type += 7;
    size_t size = strlen(type);
    app_push_module(L, "muslin.reference");
    int list = lua_gettop(L);
    for (lua_Integer k = 1; lua_istable(L, list) && lua_rawgeti(L, list, k) == LUA_TTABLE; k++) {
        lua_getfield(L, -1, "name");
        const char *name = lua_tostring(L, -1);
        if (name && strncmp(name, type, size) == 0 && name[size] == '.') add_completion(c, name + size + 1, start);
        lua_settop(L, list);
    }
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Follows `a.b:c` from the globals; the part after the last mark is completed. Runs protected, since an __index may
 * raise. */
static int collect(lua_State *L) {
    const char *word = lua_tostring(L, 1);
    candidates *c = lua_touserdata(L, 2);
    static const char *const keywords[] = {"and",      "break",  "do",   "else", "elseif", "end",  "false", "for",
                                           "function", "goto",   "if",   "in",   "local",  "nil",  "not",   "or",
                                           "repeat",   "return", "then", "true", "until",  "while"};
    const char *whole = word;
    lua_pushglobaltable(L); /* 3: the value reached so far */
    for (;;) {
        size_t n = strcspn(word, ".:");
        if (!word[n]) break;
        lua_pushlstring(L, word, n);
        lua_gettable(L, -2);
        lua_remove(L, -2);
        word += n + 1;
    }
    lua_pushglobaltable(L);
    if (lua_rawequal(L, -1, -2))
        for (size_t k = 0; k < sizeof keywords / sizeof *keywords; k++) add_completion(c, keywords[k], word);
    lua_pop(L, 1);
    luaL_checkstack(L, 40, NULL);
    lua_pushvalue(L, -1);
    add_names(L, c, word);
    lua_settop(L, 3);
    if (word > whole && word[-1] == '.') add_fields(L, c, word);
    return 0;
}

static void print_list(const candidates *c) {
    putchar('\n');
    size_t column = 0;
    for (size_t k = 0; k < c->count && k < SHOWN; k++) {
        size_t n = strlen(c->names[k]);
        size_t cell = (n / 20 + 1) * 20;
        if (column > 0 && column + cell > 80) {
            putchar('\n');
            column = 0;
        }
        printf("%-*s", (int)cell, c->names[k]);
        column += cell;
    }
    if (c->count > SHOWN) printf("and %zu more", c->count - SHOWN);
    putchar('\n');
}

void app_push_repl(lua_State *L, const char *function) {
    app_push_function(L, "muslin.repl", function);
    lua_pushglobaltable(L);
    lua_pushliteral(L, "world");
    lua_rawget(L, -2);
    lua_remove(L, -2);
}

/* line, completions: for a line that begins with a colon, from muslin's repl.lua. Returns the typed part of the word.
 */
static int collect_commands(lua_State *L) {
    candidates *c = lua_touserdata(L, 2);
    app_push_repl(L, "complete");
    lua_pushvalue(L, 1);
    lua_call(L, 2, 2);
    for (lua_Integer k = 1; lua_rawgeti(L, -2, k) == LUA_TSTRING; k++) {
        add_word(c, lua_tostring(L, -1));
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return 1;
}

/* The common prefix of all completions, beyond the `typed` bytes. */
static char *extend(candidates *c, size_t typed) {
    char *insert = NULL;
    if (c->count > 0) {
        qsort(c->names, c->count, sizeof *c->names, by_name);
        size_t common = strlen(c->names[0]);
        for (size_t k = 1; k < c->count; k++) {
            size_t n = 0;
            while (n < common && c->names[k][n] == c->names[0][n]) n++;
            common = n;
        }
        if (common > typed || c->count == 1) {
            insert = strndup(c->names[0] + typed, common - typed);
        } else {
            print_list(c);
            insert = strdup("\n");
        }
    }
    for (size_t k = 0; k < c->count; k++) free(c->names[k]);
    free(c->names);
    return insert;
}

static char *complete_command(lua_State *L, const char *line, size_t cursor) {
    candidates c = {0};
    int top = lua_gettop(L);
    size_t typed = 0;
    lua_pushcfunction(L, collect_commands);
    lua_pushlstring(L, line, cursor);
    lua_pushlightuserdata(L, &c);
    if (lua_pcall(L, 2, 1, 0) == LUA_OK) lua_tolstring(L, -1, &typed);
    lua_settop(L, top);
    return extend(&c, typed);
}

char *app_complete(lua_State *L, const char *line, size_t cursor) {
    if (cursor > 0 && line[0] == ':') return complete_command(L, line, cursor);
    size_t start = cursor;
    while (start > 0 && word_part(line[start - 1])) start--;
    char *word = strndup(line + start, cursor - start);
    candidates c = {0};
    int top = lua_gettop(L);
    if (!word) return NULL;
    lua_pushcfunction(L, collect);
    lua_pushstring(L, word);
    lua_pushlightuserdata(L, &c);
    lua_pcall(L, 2, 0, 0); /* completions found before an error are still useful */
    lua_settop(L, top);

    const char *mark = word + strlen(word);
    while (mark > word && mark[-1] != '.' && mark[-1] != ':') mark--;
    char *insert = extend(&c, strlen(mark));
    free(word);
    return insert;
}
