/* order.c: pairs, next, tostring, print and table.sort with the same results in every run. In stock Lua the order of
 * keys depends on addresses and on a random seed, names of objects are addresses, and sort reads the clock.
 *
 * The order of keys: whole numbers from 1 ascending, other numbers ascending, strings bytewise, false, true, then
 * tables, functions and other objects from the oldest to the youngest, then C functions in the order of the
 * libraries. */
#include "sandbox/sandbox.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Keys -------------------------------------------------------------------------------------------------------- */

typedef enum key_rank { KEY_INDEX, KEY_NUMBER, KEY_STRING, KEY_BOOLEAN, KEY_OBJECT, KEY_POINTER } key_rank;

typedef struct key {
    key_rank rank;
    lua_Integer index;  /* INDEX; BOOLEAN: 0 or 1; later: its place in a list */
    long double number; /* NUMBER: 64 bits of mantissa hold integers and doubles alike */
    const char *text;   /* STRING: alive as long as the table has the key */
    size_t size;
    uint64_t birth;         /* OBJECT */
    lua_Integer registered; /* POINTER: number of a library function; 0: another function */
    uintptr_t address;      /* POINTER: code or light userdata, no object of this state */
    lua_Integer place;
} key;

static const char functions_key = 0; /* registry: [C function] = number, in the order of their registration */

static lua_Integer registered_number(lua_State *L, int index) {
    index = lua_absindex(L, index);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &functions_key);
    lua_pushvalue(L, index);
    lua_rawget(L, -2);
    lua_Integer number = lua_tointeger(L, -1);
    lua_pop(L, 2);
    return number;
}

static key key_at(lua_State *L, int index) {
    key k = {0};
    switch (lua_type(L, index)) {
    case LUA_TNUMBER: {
        k.rank = KEY_NUMBER;
        int whole;
        k.index = lua_tointegerx(L, index, &whole); /* 1.0 is the same key as 1 */
        if (whole) {
            if (k.index >= 1) {
                k.rank = KEY_INDEX;
            } else {
                k.number = (long double)k.index;
            }
        } else {
            k.number = lua_tonumber(L, index);
        }
        break;
    }
    case LUA_TSTRING:
        k.rank = KEY_STRING;
        k.text = lua_tolstring(L, index, &k.size);
        break;
    case LUA_TBOOLEAN:
        k.rank = KEY_BOOLEAN;
        k.index = lua_toboolean(L, index);
        break;
    default:
        k.birth = mus_lua_box_birth(L, index);
        k.rank = k.birth ? KEY_OBJECT : KEY_POINTER;
        k.address = (uintptr_t)lua_topointer(L, index);
        if (!k.birth && lua_iscfunction(L, index)) k.registered = registered_number(L, index);
    }
    return k;
}

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* Functions that no table of a library holds (what ipairs returns): ordered by the file of their code and the offset
 * in it, as the address of the file in memory differs between processes. */
static int compare_code(uintptr_t a, uintptr_t b) {
    Dl_info of_a, of_b;
    bool known = dladdr((const void *)a, &of_a) && dladdr((const void *)b, &of_b); // NOLINT: an address as it came
    int order = known ? strcmp(of_a.dli_fname, of_b.dli_fname) : 0;
    if (order) return order;
    if (known) a -= (uintptr_t)of_a.dli_fbase, b -= (uintptr_t)of_b.dli_fbase;
    return ORDER(a, b);
}

static int compare_keys(const void *first, const void *second) {
    const key *a = first, *b = second;
    if (a->rank != b->rank) return ORDER(a->rank, b->rank);
    switch (a->rank) {
    case KEY_NUMBER:
        return ORDER(a->number, b->number);
    case KEY_STRING: {
        int order = memcmp(a->text, b->text, a->size < b->size ? a->size : b->size);
        return order ? order : ORDER(a->size, b->size);
    }
    case KEY_OBJECT:
        return ORDER(a->birth, b->birth);
    case KEY_POINTER:
        if (a->registered && b->registered) return ORDER(a->registered, b->registered);
        if (a->registered || b->registered) return a->registered ? -1 : 1;
        return compare_code(a->address, b->address);
    default:
        return ORDER(a->index, b->index);
    }
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

/* Upvalues: the table, how many of its rows 1, 2, … come first, the sorted other keys or nil, the previous place. */
static int next_pair(lua_State *L) {
    lua_Integer rows = lua_tointeger(L, lua_upvalueindex(2)), step = lua_tointeger(L, lua_upvalueindex(4));
    bool more = !lua_isnil(L, lua_upvalueindex(3));
    for (;;) {
        step++;
        lua_settop(L, 0);
        if (step <= rows) {
            lua_pushinteger(L, step);
        } else if (!more || lua_rawgeti(L, lua_upvalueindex(3), step - rows) == LUA_TNIL) {
            lua_settop(L, 0);
            lua_pushnil(L);
            return 1;
        }
        lua_pushvalue(L, -1);
        if (lua_rawget(L, lua_upvalueindex(1)) == LUA_TNIL) continue; /* removed since */
        lua_pushinteger(L, step);
        lua_replace(L, lua_upvalueindex(4));
        return 2;
    }
}

/* Pushes a list of the keys of the table at `table` except 1 .. rows, in order. */
static void push_sorted_keys(lua_State *L, int table, lua_Integer rows, lua_Integer count) {
    lua_createtable(L, (int)count, 0);
    int list = lua_gettop(L);
    key *keys = lua_newuserdatauv(L, (size_t)count * sizeof *keys, 0);
    lua_createtable(L, (int)count, 0);
    int found = lua_gettop(L);
    lua_Integer n = 0;
    lua_pushnil(L);
    while (lua_next(L, table)) {
        lua_pop(L, 1);
        key k = key_at(L, -1);
        if (k.rank == KEY_INDEX && k.index <= rows) continue;
        if (n == count) break;
        k.place = ++n;
        keys[n - 1] = k;
        lua_pushvalue(L, -1);
        lua_rawseti(L, found, n);
    }
    lua_settop(L, found);
    qsort(keys, (size_t)n, sizeof *keys, compare_keys);
    for (lua_Integer i = 0; i < n; i++) {
        lua_rawgeti(L, found, keys[i].place);
        lua_rawseti(L, list, i + 1);
    }
    lua_settop(L, list);
}

void mus_lua_push_keys(lua_State *L, int table) {
    lua_Integer count = 0;
    for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) count++;
    push_sorted_keys(L, table, 0, count);
}

static int finish_pairs(lua_State *L, int status, lua_KContext context) {
    (void)L, (void)status, (void)context;
    return 3;
}

static int order_pairs(lua_State *L) {
    luaL_checkany(L, 1);
    if (luaL_getmetafield(L, 1, "__pairs") != LUA_TNIL) {
        lua_pushvalue(L, 1);
        lua_callk(L, 1, 3, 0, finish_pairs);
        return 3;
    }
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    /* A plain list, the usual case, is in order already and needs no list of keys. */
    lua_Integer rows = 0, count = 0;
    lua_pushnil(L);
    while (lua_next(L, 1)) {
        lua_pop(L, 1);
        if (count == 0 && lua_isinteger(L, -1) && lua_tointeger(L, -1) == rows + 1) {
            rows++;
        } else {
            count++;
        }
    }
    lua_pushvalue(L, 1);
    lua_pushinteger(L, rows);
    if (count) {
        push_sorted_keys(L, 1, rows, count);
    } else {
        lua_pushnil(L);
    }
    lua_pushinteger(L, 0);
    lua_pushcclosure(L, next_pair, 4);
    lua_pushvalue(L, 1);
    lua_pushnil(L);
    return 3;
}

/* next(table, key): the least key above `key`; visits every key unless the next row follows, so pairs is faster for
 * whole tables. */
static int order_next(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 2);
    bool first = lua_isnil(L, 2);
    key after = {0}, best = {0};
    if (!first) after = key_at(L, 2);
    if (first || after.rank == KEY_INDEX) {
        lua_Integer i = first ? 1 : after.index + 1;
        if (i >= 1 && lua_rawgeti(L, 1, i) != LUA_TNIL) {
            lua_pushinteger(L, i);
            lua_insert(L, -2);
            return 2;
        }
        lua_settop(L, 2);
    }
    bool found = false;
    lua_pushnil(L); /* 3: the best so far */
    lua_pushnil(L);
    while (lua_next(L, 1)) {
        lua_pop(L, 1);
        key k = key_at(L, -1);
        if ((first || compare_keys(&k, &after) > 0) && (!found || compare_keys(&k, &best) < 0)) {
            best = k;
            found = true;
            lua_pushvalue(L, -1);
            lua_replace(L, 3);
        }
    }
    lua_settop(L, 3);
    if (!found) return 1;
    lua_pushvalue(L, 3);
    lua_rawget(L, 1);
    return 2;
}

/* ---- The place of C functions ------------------------------------------------------------------------------------ */

/* Registers the value on top and its contents; `seen` and `numbers` are tables' stack indices. */
static void register_value(lua_State *L, int seen, int numbers) {
    luaL_checkstack(L, 12, NULL);
    int value = lua_gettop(L);
    if (lua_iscfunction(L, value) && !mus_lua_box_birth(L, value)) {
        lua_pushvalue(L, value);
        if (lua_rawget(L, numbers) == LUA_TNIL) {
            lua_pushvalue(L, value);
            lua_rawgeti(L, numbers, 0);
            lua_Integer number = lua_tointeger(L, -1) + 1;
            lua_pop(L, 1);
            lua_pushinteger(L, number);
            lua_rawset(L, numbers);
            lua_pushinteger(L, number);
            lua_rawseti(L, numbers, 0);
        }
        lua_settop(L, value);
    }
    if (!lua_istable(L, value)) return;
    lua_pushvalue(L, value);
    bool known = lua_rawget(L, seen) != LUA_TNIL;
    lua_pop(L, 1);
    if (known) return;
    lua_pushvalue(L, value);
    lua_pushboolean(L, 1);
    lua_rawset(L, seen);
    mus_lua_push_keys(L, value);
    for (lua_Integer k = 1; lua_rawgeti(L, value + 1, k) != LUA_TNIL; k++) {
        lua_rawget(L, value);
        register_value(L, seen, numbers);
        lua_settop(L, value + 1);
    }
    lua_settop(L, value);
    if (lua_getmetatable(L, value)) register_value(L, seen, numbers);
    lua_settop(L, value);
}

void mus_lua_register_functions(lua_State *L, int index) {
    int top = lua_gettop(L);
    lua_pushvalue(L, index);
    lua_newtable(L);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &functions_key);
    lua_pushvalue(L, top + 1);
    register_value(L, top + 2, top + 3);
    lua_settop(L, top);
}

void mus_lua_register_module(lua_State *L, int module) {
    if (!mus_lua_box_of(L)) return;
    int top = lua_gettop(L);
    mus_lua_register_functions(L, module);
    lua_newtable(L); /* the metatables of muslin's objects, by name */
    lua_pushnil(L);
    while (lua_next(L, LUA_REGISTRYINDEX)) {
        if (lua_type(L, -2) == LUA_TSTRING && lua_istable(L, -1) && strncmp(lua_tostring(L, -2), "muslin.", 7) == 0) {
            lua_pushvalue(L, -2);
            lua_pushvalue(L, -2);
            lua_rawset(L, top + 1);
        }
        lua_pop(L, 1);
    }
    mus_lua_register_functions(L, top + 1);
    lua_settop(L, top);
}

/* ---- Names of objects -------------------------------------------------------------------------------------------- */

static const char names_key = 0; /* registry: objects, weak, to the numbers in their names */

static void push_name(lua_State *L, int index) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, &names_key);
    lua_pushvalue(L, index);
    if (lua_rawget(L, -2) == LUA_TNIL) {
        lua_pop(L, 1);
        lua_Integer number = 1 + (lua_rawgeti(L, -1, 0) == LUA_TNUMBER ? lua_tointeger(L, -1) : 0);
        lua_pop(L, 1);
        lua_pushinteger(L, number);
        lua_rawseti(L, -2, 0);
        lua_pushvalue(L, index);
        lua_pushinteger(L, number);
        lua_rawset(L, -3);
        lua_pushinteger(L, number);
    }
    lua_remove(L, -2);
}

/* Like luaL_tolstring, but "table: #3" in place of an address: numbered at their first use. */
static void push_text(lua_State *L, int index) {
    index = lua_absindex(L, index);
    switch (lua_type(L, index)) {
    case LUA_TTABLE:
    case LUA_TFUNCTION:
    case LUA_TUSERDATA:
    case LUA_TTHREAD:
        if (luaL_getmetafield(L, index, "__tostring") == LUA_TNIL) {
            bool named = luaL_getmetafield(L, index, "__name") == LUA_TSTRING;
            if (!named) lua_pushstring(L, luaL_typename(L, index));
            push_name(L, index);
            lua_pushfstring(L, "%s: #%I", lua_tostring(L, -2), (LUAI_UACINT)lua_tointeger(L, -1));
            lua_replace(L, -3);
            lua_pop(L, 1);
            return;
        }
        lua_pop(L, 1);
    }
    luaL_tolstring(L, index, NULL);
}

static int order_tostring(lua_State *L) {
    luaL_checkany(L, 1);
    push_text(L, 1);
    return 1;
}

static int order_print(lua_State *L) {
    int n = lua_gettop(L);
    for (int i = 1; i <= n; i++) {
        push_text(L, i);
        size_t size;
        const char *text = lua_tolstring(L, -1, &size);
        if (i > 1) fputc('\t', stdout);
        fwrite(text, 1, size, stdout);
        lua_pop(L, 1);
    }
    fputc('\n', stdout);
    fflush(stdout);
    return 0;
}

/* Whether a format contains the conversion %p. It may contain zeros, at which Lua does not stop. */
static bool prints_addresses(const char *format, size_t size) {
    for (const char *end = format + size; (format = memchr(format, '%', (size_t)(end - format)));) {
        format++;
        format += strspn(format, "-+ #0123456789.");
        if (*format == 'p') return true;
        if (format < end) format++;
    }
    return false;
}

/* string.format whose %s also names objects by number, and which prints no addresses. Upvalue 1: the stock one. */
static int order_format(lua_State *L) {
    int n = lua_gettop(L);
    size_t size;
    const char *format = lua_type(L, 1) == LUA_TSTRING ? lua_tolstring(L, 1, &size) : NULL;
    if (format && !mus_lua_box_of(L)->trusted && prints_addresses(format, size))
        return mus_lua_error(L, "string.format: %%p prints an address, which differs from run to run; tostring and %%s "
                                "call objects by number (table: #3), and --trusted lifts this");
    for (int i = 2; i <= n; i++) {
        int type = lua_type(L, i);
        if (type == LUA_TTABLE || type == LUA_TFUNCTION || type == LUA_TUSERDATA || type == LUA_TTHREAD) {
            push_text(L, i);
            lua_replace(L, i);
        }
    }
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, n, 1);
    return 1;
}

/* ---- Sorting ----------------------------------------------------------------------------------------------------- */

/* Whether the value at `a` must stand before the one at `b`; function at 2 or nil. */
static bool before(lua_State *L, int a, int b) {
    if (lua_isnil(L, 2)) return lua_compare(L, a, b, LUA_OPLT);
    lua_pushvalue(L, 2);
    lua_pushvalue(L, a < 0 ? a - 1 : a);
    lua_pushvalue(L, b < 0 ? b - 2 : b);
    lua_call(L, 2, 1);
    bool is = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return is;
}

/* table.sort as a merge sort: stable, and terminates even with an inconsistent comparison. */
static int order_sort(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_Integer n = luaL_len(L, 1);
    if (n < 2) return 0;
    luaL_argcheck(L, n < (1 << 24), 1, "array too big");
    if (!lua_isnoneornil(L, 2)) luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_settop(L, 2);
    lua_createtable(L, (int)n, 0); /* 3: source */
    lua_createtable(L, (int)n, 0); /* 4: target */
    for (lua_Integer i = 1; i <= n; i++) {
        lua_geti(L, 1, i);
        lua_rawseti(L, 3, i);
    }
    for (lua_Integer width = 1; width < n; width *= 2) {
        for (lua_Integer low = 1; low <= n; low += 2 * width) {
            lua_Integer middle = low + width < n + 1 ? low + width : n + 1;
            lua_Integer high = low + 2 * width < n + 1 ? low + 2 * width : n + 1;
            lua_Integer i = low, j = middle;
            for (lua_Integer k = low; k < high; k++) {
                bool right = i >= middle;
                if (i < middle && j < high) {
                    lua_rawgeti(L, 3, j);
                    lua_rawgeti(L, 3, i);
                    right = before(L, -2, -1); /* equal ones keep their order */
                    lua_pop(L, 2);
                }
                lua_rawgeti(L, 3, right ? j++ : i++);
                lua_rawseti(L, 4, k);
            }
        }
        lua_insert(L, 3); /* the target becomes the source */
    }
    for (lua_Integer i = 1; i <= n; i++) {
        lua_rawgeti(L, 3, i);
        lua_seti(L, 1, i);
    }
    return 0;
}

void mus_lua_open_order(lua_State *L) {
    static const luaL_Reg globals[] = {{"pairs", order_pairs},
                                       {"next", order_next},
                                       {"tostring", order_tostring},
                                       {"print", order_print},
                                       {NULL, NULL}};
    lua_newtable(L);
    lua_createtable(L, 0, 1);
    lua_pushliteral(L, "k");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &names_key);
    lua_newtable(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &functions_key);

    lua_pushglobaltable(L);
    luaL_setfuncs(L, globals, 0);
    lua_getfield(L, -1, "table");
    lua_pushcfunction(L, order_sort);
    lua_setfield(L, -2, "sort");
    lua_getfield(L, -2, "string");
    lua_getfield(L, -1, "format");
    lua_pushcclosure(L, order_format, 1);
    lua_setfield(L, -2, "format");
    lua_pop(L, 3);
}
