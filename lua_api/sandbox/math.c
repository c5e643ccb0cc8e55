/* math.c: Lua's math with fixed operations, the same bits on every machine.
 *
 * Exact functions of the stock math (abs, ceil, floor, fmod, sqrt, tointeger...) are kept. The operator ^ calls the
 * function pow, which the host defines (src/app/cli/lua_pow.c); in other programs it is the C library's, and scripts
 * should use math.pow. */
#include "sandbox/sandbox.h"
#include "muslin/math.h"

#include <math.h>

static int math_sin(lua_State *L) {
    lua_pushnumber(L, mus_sin(luaL_checknumber(L, 1)));
    return 1;
}
static int math_cos(lua_State *L) {
    lua_pushnumber(L, mus_cos(luaL_checknumber(L, 1)));
    return 1;
}
static int math_tan(lua_State *L) {
    lua_pushnumber(L, mus_tan(luaL_checknumber(L, 1)));
    return 1;
}
static int math_asin(lua_State *L) {
    lua_pushnumber(L, mus_asin(luaL_checknumber(L, 1)));
    return 1;
}
static int math_acos(lua_State *L) {
    lua_pushnumber(L, mus_acos(luaL_checknumber(L, 1)));
    return 1;
}
static int math_atan(lua_State *L) {
    lua_pushnumber(L, mus_atan2(luaL_checknumber(L, 1), luaL_optnumber(L, 2, 1)));
    return 1;
}
static int math_exp(lua_State *L) {
    lua_pushnumber(L, mus_exp(luaL_checknumber(L, 1)));
    return 1;
}
static int math_pow(lua_State *L) {
    lua_pushnumber(L, mus_pow(luaL_checknumber(L, 1), luaL_checknumber(L, 2)));
    return 1;
}

static int math_log(lua_State *L) {
    double x = luaL_checknumber(L, 1), result = mus_log(x);
    if (!lua_isnoneornil(L, 2)) {
        double base = luaL_checknumber(L, 2);
        result /= mus_log(base);
        /* Corrects the quotient of two rounded logarithms where it misses a whole number: log(1000, 10) is 3. */
        double whole = floor(result + 0.5);
        if (fabs(whole) <= 1100 && whole != result && mus_pow(base, whole) == x) result = whole;
    }
    lua_pushnumber(L, result);
    return 1;
}

void mus_lua_open_math(lua_State *L) {
    static const luaL_Reg functions[] = {{"sin", math_sin},
                                         {"cos", math_cos},
                                         {"tan", math_tan},
                                         {"asin", math_asin},
                                         {"acos", math_acos},
                                         {"atan", math_atan},
                                         {"exp", math_exp},
                                         {"log", math_log},
                                         {"pow", math_pow},
                                         {"random", mus_lua_math_random},
                                         {"randomseed", mus_lua_math_randomseed},
                                         {NULL, NULL}};
    lua_getglobal(L, "math");
    luaL_setfuncs(L, functions, 0);
    lua_pop(L, 1);
}
