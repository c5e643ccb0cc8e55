/* clock.c: os for scenes: a clock of simulated time and a calendar that begins at a fixed day, so that scripts that
 * use the time do the same in every run. */
#include "sandbox/sandbox.h"

#include <math.h>
#include <string.h>

/* s since 1970-01-01 of the result of os.time before the first step: 2000-01-01 00:00:00. */
static const lua_Integer BEGINNING = 946684800;

static int os_clock(lua_State *L) {
    lua_pushnumber(L, mus_lua_box_of(L)->clock);
    return 1;
}

/* Days from 1970-01-01 to a day of the Gregorian calendar; months and days may lie beyond their ends. */
static lua_Integer days_of(lua_Integer year, lua_Integer month, lua_Integer day) {
    year += (month - 1) / 12 - ((month - 1) % 12 < 0);
    month = ((month - 1) % 12 + 12) % 12 + 1;
    /* Years begin in March, so that the leap day is their last: 365 days, and one more every 4, not 100, but 400. */
    lua_Integer y = month > 2 ? year : year - 1, m = (month + 9) % 12;
    lua_Integer fours = y / 4 - (y % 4 < 0), centuries = y / 100 - (y % 100 < 0), eras = y / 400 - (y % 400 < 0);
    return 365 * y + fours - centuries + eras + (153 * m + 2) / 5 + day - 1 - 719468;
}

static lua_Integer field(lua_State *L, const char *name, lua_Integer otherwise) {
    int whole = 1;
    lua_Integer value = mus_lua_field(L, 1, name) == LUA_TNIL ? otherwise : lua_tointegerx(L, -1, &whole);
    if (!whole || (lua_isnil(L, -1) && otherwise == LUA_MININTEGER))
        mus_lua_error(L, "os.time: field '%s' must be a whole number", name);
    if (value > 100000000 || value < -100000000) mus_lua_error(L, "os.time: field '%s' is out of range", name);
    lua_pop(L, 1);
    return value;
}

/* os.time([{year, month, day, hour, min, sec}]), in UTC on every machine. */
static int os_time(lua_State *L) {
    if (lua_isnoneornil(L, 1)) {
        lua_pushinteger(L, BEGINNING + mus_lua_whole(fmin(floor(mus_lua_box_of(L)->clock), 1e15)));
        return 1;
    }
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_Integer year = field(L, "year", LUA_MININTEGER), month = field(L, "month", LUA_MININTEGER);
    lua_Integer days = days_of(year, month, field(L, "day", LUA_MININTEGER));
    lua_pushinteger(L, 86400 * days + 3600 * field(L, "hour", 12) + 60 * field(L, "min", 0) + field(L, "sec", 0));
    return 1;
}

static int os_difftime(lua_State *L) {
    lua_pushnumber(L, (double)(luaL_checkinteger(L, 1) - luaL_checkinteger(L, 2)));
    return 1;
}

/* Fields of the stock `os` that scenes do not have raise an error with their name, as `io` does. */
static int os_missing(lua_State *L) {
    static const char *const withheld[] = {"date",   "execute", "exit",      "getenv",
                                           "remove", "rename",  "setlocale", "tmpname"};
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
    for (size_t k = 0; k < sizeof withheld / sizeof *withheld; k++)
        if (strcmp(name, withheld[k]) == 0)
            return mus_lua_error(L, "'os.%s' is not available to scenes without --trusted", name);
    return 0;
}

void mus_lua_open_clock(lua_State *L) {
    static const luaL_Reg functions[] = {
        {"clock", os_clock}, {"time", os_time}, {"difftime", os_difftime}, {NULL, NULL}};
    luaL_newlib(L, functions);
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, os_missing);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
    lua_setglobal(L, "os");
}
