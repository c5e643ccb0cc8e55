/* tolerance.h: the tolerance of a world, as Lua has it. */
#ifndef MUS_LUA_TOLERANCE_H
#define MUS_LUA_TOLERANCE_H

#include "binding.h"

/* The value on top: a number, m, or a table for a view. */
mus_tolerance mus_lua_read_tolerance(lua_State *L);
void mus_lua_push_tolerance(lua_State *L, const mus_tolerance *tolerance);

#endif
