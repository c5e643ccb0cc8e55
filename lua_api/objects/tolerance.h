/* tolerance.h: the tolerance of a world, as Lua has it. */
#ifndef MUS_LUA_TOLERANCE_H
#define MUS_LUA_TOLERANCE_H

#include "trace/trace.h"

/* The value on top: a number, m, a table for a view, or a function of place, in whose stead its traced rule is there
 * then. The rule keeps the program. box NULL: of a world that is yet to be made. */
mus_tolerance mus_lua_read_tolerance(lua_State *L, mus_lua_worldbox *box);
/* The rule on top, if it is one, becomes the world's at an index, so that its function and parameters are reached. */
void mus_lua_own_tolerance(lua_State *L, int world);
void mus_lua_push_tolerance(lua_State *L, int world, const mus_tolerance *tolerance);

#endif
