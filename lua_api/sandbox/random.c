/* random.c: random numbers from the state's seed, as math.random and as streams with names: the numbers of one
 * stream do not depend on the use of others (xoshiro256**, Blackman and Vigna 2018, filled by splitmix64). */
#include "binding.h"
#include "sandbox/sandbox.h"
#include "muslin/host.h"

#include <math.h>
#include <string.h>

static const char STREAM[] = "muslin.stream";
static const char streams_key = 0; /* registry: [name] = stream */

typedef struct stream {
    uint64_t state[4];
} stream;

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

static double draw_unit(uint64_t s[4]) { /* [0, 1) */
    return (double)(draw(s) >> 11) * 0x1p-53;
}

static void fill(uint64_t s[4], uint64_t seed) {
    for (int k = 0; k < 4; k++) {
        uint64_t z = seed += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        s[k] = z ^ (z >> 31);
    }
}

/* ---- Streams ----------------------------------------------------------------------------------------------------- */

static uint64_t seed_of_streams(lua_State *L) {
    const mus_lua_box *box = mus_lua_box_of(L);
    return box ? box->stream_seed : 1;
}

static void begin_stream(stream *s, uint64_t seed, const char *name, size_t size) {
    fill(s->state, seed ^ rotate(mus_hash_bytes(name, size), 17));
}

/* Resets all streams to their start. Does not allocate. */
static void begin_streams(lua_State *L) {
    uint64_t seed = seed_of_streams(L);
    int top = lua_gettop(L);
    if (lua_checkstack(L, 4) && lua_rawgetp(L, LUA_REGISTRYINDEX, &streams_key) == LUA_TTABLE)
        for (lua_pushnil(L); lua_next(L, top + 1); lua_pop(L, 1)) {
            size_t size;
            const char *name = lua_tolstring(L, -2, &size);
            begin_stream(lua_touserdata(L, -1), seed, name, size);
        }
    lua_settop(L, top);
}

/* Pushes the stream of the name at `index`; creates it at first use. */
static stream *push_stream(lua_State *L, int index) {
    index = lua_absindex(L, index);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &streams_key);
    lua_pushvalue(L, index);
    if (lua_rawget(L, -2) == LUA_TNIL) {
        size_t size;
        const char *name = lua_tolstring(L, index, &size);
        lua_pop(L, 1);
        stream *s = lua_newuserdatauv(L, sizeof *s, 0);
        begin_stream(s, seed_of_streams(L), name, size);
        luaL_setmetatable(L, STREAM);
        lua_pushvalue(L, index);
        lua_pushvalue(L, -2);
        lua_rawset(L, -4);
    }
    lua_remove(L, -2);
    return lua_touserdata(L, -1);
}

/* muslin.random(name) */
static int new_stream(lua_State *L) {
    if (lua_type(L, 1) != LUA_TSTRING) {
        const char *seen = mus_lua_describe(L, 1);
        return mus_lua_error(L, "muslin.random(name): the stream's name must be a string (got %s)", seen);
    }
    push_stream(L, 1);
    return 1;
}

/* The result of math.random(...) with the arguments above index `below`. */
static int draw_value(lua_State *L, uint64_t *state, int below) {
    lua_Integer low = 1, high;
    switch (lua_gettop(L) - below) {
    case 0:
        lua_pushnumber(L, draw_unit(state));
        return 1;
    case 1:
        high = luaL_checkinteger(L, below + 1);
        if (high == 0) {
            lua_pushinteger(L, (lua_Integer)draw(state));
            return 1;
        }
        break;
    case 2:
        low = luaL_checkinteger(L, below + 1);
        high = luaL_checkinteger(L, below + 2);
        break;
    default:
        return luaL_error(L, "wrong number of arguments");
    }
    luaL_argcheck(L, low <= high, lua_gettop(L), "interval is empty");
    uint64_t range = (uint64_t)high - (uint64_t)low, mask = range, value;
    for (int shift = 1; shift < 64; shift *= 2) mask |= mask >> shift;
    do {
        value = draw(state) & mask; /* rejection instead of a modulo: all values are equally likely */
    } while (value > range);
    value += (uint64_t)low; /* modulo 2^64, as the subtraction above */
    lua_pushinteger(L, (lua_Integer)value);
    return 1;
}

static stream *check_stream(lua_State *L) {
    stream *s = luaL_testudata(L, 1, STREAM);
    if (!s) {
        const char *seen = mus_lua_describe(L, 1);
        mus_lua_error(L, "stream: call it as stream(...) or stream:number(...) (got %s)", seen);
    }
    return s;
}

static int stream_call(lua_State *L) {
    return draw_value(L, check_stream(L)->state, 1);
}

static int stream_number(lua_State *L) {
    stream *s = check_stream(L);
    double bounds[2] = {0, 1};
    for (int k = 0; k < 2 && !lua_isnoneornil(L, k + 2); k++) bounds[k] = luaL_checknumber(L, k + 2);
    lua_pushnumber(L, bounds[0] + draw_unit(s->state) * (bounds[1] - bounds[0]));
    return 1;
}

void mus_lua_open_random(lua_State *L) {
    static const luaL_Reg meta[] = {{"__call", stream_call}, {NULL, NULL}};
    static const luaL_Reg methods[] = {{"number", stream_number}, {NULL, NULL}};
    mus_lua_new_type(L, STREAM, meta, methods, NULL, NULL);
    lua_newtable(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &streams_key);
    lua_pushcfunction(L, new_stream);
}

/* ---- math.random ------------------------------------------------------------------------------------------------- */

void mus_lua_seed(lua_State *L, uint64_t seed) {
    mus_lua_box *box = mus_lua_box_of(L);
    if (!box) return;
    fill(box->random, seed);
    box->stream_seed = seed;
    begin_streams(L);
}

int mus_lua_math_random(lua_State *L) {
    return draw_value(L, mus_lua_box_of(L)->random, 0);
}

/* randomseed([x [, y]]): without arguments it restores the seed of the state, not the clock. */
int mus_lua_math_randomseed(lua_State *L) {
    uint64_t seed = mus_lua_box_of(L)->seed;
    if (lua_gettop(L) > 0) {
        int whole;
        lua_Integer x = lua_tointegerx(L, 1, &whole);
        if (!whole) x = mus_lua_whole(luaL_checknumber(L, 1) * 0x1p20);
        seed = (uint64_t)x ^ rotate((uint64_t)luaL_optinteger(L, 2, 0), 32);
    }
    mus_lua_seed(L, seed);
    return 0;
}

/* ---- Snapshots -----------------------------------------------------------------------------------------------------
 *
 * The seed of streams, their number, and the name and state of each. */

void mus_lua_push_streams(lua_State *L) {
    int top = lua_gettop(L);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &streams_key);
    mus_lua_push_keys(L, top + 1);
    luaL_Buffer b;
    luaL_buffinit(L, &b);
    mus_lua_put64(&b, seed_of_streams(L));
    lua_Integer count = (lua_Integer)lua_rawlen(L, top + 2);
    mus_lua_put64(&b, (uint64_t)count);
    for (lua_Integer k = 1; k <= count; k++) {
        size_t size;
        lua_rawgeti(L, top + 2, k);
        const char *name = lua_tolstring(L, -1, &size); /* the list keeps it alive */
        lua_rawget(L, top + 1);
        const stream *s = lua_touserdata(L, -1);
        lua_pop(L, 1);
        mus_lua_put64(&b, size);
        luaL_addlstring(&b, name, size);
        for (int i = 0; i < 4; i++) mus_lua_put64(&b, s->state[i]);
    }
    luaL_pushresult(&b);
    lua_replace(L, top + 1);
    lua_settop(L, top + 1);
}

bool mus_lua_read_streams(lua_State *L, const uint8_t **at, size_t *left) {
    uint64_t seed, count, size, bits;
    lua_newtable(L);
    if (*left == 0) { /* of an earlier version, which had none */
        lua_pop(L, 1);
        lua_pushnil(L);
        return true;
    }
    if (!mus_lua_get64(at, left, &seed) || !mus_lua_get64(at, left, &count)) return false;
    lua_pushinteger(L, (lua_Integer)seed);
    lua_rawseti(L, -2, 1);
    for (uint64_t k = 0; k < count; k++) {
        if (!mus_lua_get64(at, left, &size) || size > *left) return false;
        lua_pushlstring(L, (const char *)*at, (size_t)size);
        *at += size, *left -= size;
        stream saved;
        for (int i = 0; i < 4; i++) {
            if (!mus_lua_get64(at, left, &bits)) return false;
            saved.state[i] = bits;
        }
        push_stream(L, -1); /* so that all of them exist */
        lua_pop(L, 1);
        lua_pushlstring(L, (const char *)&saved, sizeof saved);
        lua_rawset(L, -3);
    }
    return true;
}

void mus_lua_take_streams(lua_State *L, int table) {
    if (!lua_istable(L, table)) return;
    mus_lua_box *box = mus_lua_box_of(L);
    int top = lua_gettop(L);
    lua_rawgeti(L, table, 1);
    if (box) box->stream_seed = (uint64_t)lua_tointeger(L, -1);
    begin_streams(L);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &streams_key);
    for (lua_pushnil(L); lua_next(L, top + 2); lua_settop(L, top + 3)) {
        stream *s = lua_touserdata(L, -1);
        lua_pushvalue(L, -2);
        if (lua_rawget(L, table) == LUA_TSTRING) memcpy(s, lua_tostring(L, -1), sizeof *s);
    }
    lua_settop(L, top);
}
