/* math.c: Lua's math with fixed operations, the same bits on every machine, and random numbers from the state's seed
 * (xoshiro256**, Blackman and Vigna 2018, filled by splitmix64).
 *
 * What stock math does exactly (abs, ceil, floor, fmod, sqrt, tointeger...) stays. The operator ^ calls a
 * function pow, which the host defines (src/app/lua_pow.c); in another program it is the C library's, and math.pow is
 * the one to use. */
#include "sandbox.h"

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
        /* The quotient of two roundings may miss a whole number: log(1000, 10) is 3. */
        double whole = floor(result + 0.5);
        if (fabs(whole) <= 1100 && whole != result && mus_pow(base, whole) == x) result = whole;
    }
    lua_pushnumber(L, result);
    return 1;
}

/* ---- Random numbers ------------------------------------------------------------------------------------------------
 */

static uint64_t rotate(uint64_t x, int k) {
    return (x << k) | (x >> (64 - k));
}

static uint64_t draw(uint64_t s[4]) {
    uint64_t result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

void mus_lua_seed(lua_State *L, uint64_t seed) {
    mus_lua_box *box = mus_lua_box_of(L);
    if (!box) return;
    for (int k = 0; k < 4; k++) {
        uint64_t z = seed += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        box->random[k] = z ^ (z >> 31);
    }
}

static int math_random(lua_State *L) {
    uint64_t *state = mus_lua_box_of(L)->random;
    lua_Integer low = 1, high;
    switch (lua_gettop(L)) {
    case 0:
        lua_pushnumber(L, (double)(draw(state) >> 11) * 0x1p-53);
        return 1;
    case 1:
        high = luaL_checkinteger(L, 1);
        if (high == 0) {
            lua_pushinteger(L, (lua_Integer)draw(state));
            return 1;
        }
        break;
    case 2:
        low = luaL_checkinteger(L, 1);
        high = luaL_checkinteger(L, 2);
        break;
    default:
        return luaL_error(L, "wrong number of arguments");
    }
    luaL_argcheck(L, low <= high, lua_gettop(L), "interval is empty");
    uint64_t range = (uint64_t)high - (uint64_t)low, mask = range, value;
    for (int shift = 1; shift < 64; shift *= 2) mask |= mask >> shift;
    do {
        value = draw(state) & mask; /* drawn again rather than folded: every value is as likely */
    } while (value > range);
    value += (uint64_t)low; /* modulo 2^64, as the subtraction above */
    lua_pushinteger(L, (lua_Integer)value);
    return 1;
}

/* randomseed([x [, y]]): without arguments back to the seed of the state: the clock is no seed here. */
static int math_randomseed(lua_State *L) {
    uint64_t seed = mus_lua_box_of(L)->seed;
    if (lua_gettop(L) > 0) {
        int whole;
        lua_Integer x = lua_tointegerx(L, 1, &whole);
        if (!whole) x = (lua_Integer)(luaL_checknumber(L, 1) * 0x1p20);
        seed = (uint64_t)x ^ rotate((uint64_t)luaL_optinteger(L, 2, 0), 32);
    }
    mus_lua_seed(L, seed);
    return 0;
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
                                         {"random", math_random},
                                         {"randomseed", math_randomseed},
                                         {NULL, NULL}};
    lua_getglobal(L, "math");
    luaL_setfuncs(L, functions, 0);
    lua_pop(L, 1);
}
