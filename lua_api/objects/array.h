/* array.h: what array.c (the object) and array_math.c (its arithmetic) share. */
#ifndef MUS_LUA_ARRAY_H
#define MUS_LUA_ARRAY_H

#include "api.h"

/* Memory of an array during one call. `array` is the absolute stack index of the userdata. */
typedef struct mus_lua_rows {
    double *data;
    int64_t count;
    int components;
    int array;
    const char *what; /* "cloth.x", "array" */
} mus_lua_rows;

bool mus_lua_is_array(lua_State *L, int index);
/* The memory of the array at `index`, looked up now. Raises for anything else, a stale view, a write not allowed. */
mus_lua_rows mus_lua_array_rows(lua_State *L, int index, bool write);
/* To be called after writing: notifies the owner. */
void mus_lua_array_written(lua_State *L, const mus_lua_rows *rows);
/* A row's index (from 1 in Lua, checked) as an offset from 0. */
int64_t mus_lua_array_index(lua_State *L, const mus_lua_rows *rows, int index);

/* Adds the arithmetic methods to the table on top, and the operators to the metatable below it. */
void mus_lua_array_math(lua_State *L, int metatable, int methods);

#endif
