/* array.c: arrays of numbers or vectors: views of a world's memory, looked up at every access, and own arrays, whose
 * numbers are stored inside the userdata so that the collector sees their size.
 *
 * Values are stored unchanged, including NaN and inf. Written values are checked when the hook that wrote them ends,
 * or before the next step (finite.c), which is cheaper than a test at every write and covers computed values too. */
#include "objects/array.h"

#include <math.h>
#include <string.h>

/* User value 1 is the owner: a view's object, or for a slice of an own array that array. */
typedef struct array {
    mus_lua_fetch fetch; /* NULL: own memory, or a slice of the own memory of the array in the user value */
    mus_lua_written written;
    const char *what;
    int tag;
    bool own;  /* numbers follow in `numbers` */
    bool part; /* only rows first .. first + count - 1 of the memory that fetch finds */
    int64_t first, count;
    int components;
    double numbers[];
} array;

static const char metatable_key = 0;

static array *to_array(lua_State *L, int index) {
    if (lua_type(L, index) != LUA_TUSERDATA || !lua_getmetatable(L, index)) return NULL;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &metatable_key);
    bool is = lua_rawequal(L, -1, -2);
    lua_pop(L, 2);
    return is ? lua_touserdata(L, index) : NULL;
}

static array *new_array(lua_State *L, size_t numbers) {
    array *a = lua_newuserdatauv(L, sizeof(array) + numbers * sizeof(double), 1);
    memset(a, 0, sizeof *a + numbers * sizeof(double));
    lua_rawgetp(L, LUA_REGISTRYINDEX, &metatable_key);
    lua_setmetatable(L, -2);
    return a;
}

double *mus_lua_push_array(lua_State *L, int64_t count, int components) {
    array *a = new_array(L, (size_t)count * (size_t)components);
    a->what = "array";
    a->own = true;
    a->count = count;
    a->components = components;
    return a->numbers;
}

void mus_lua_push_view(lua_State *L, int owner, int tag, const char *what, mus_lua_fetch fetch,
                       mus_lua_written written) {
    owner = lua_absindex(L, owner);
    array *a = new_array(L, 0);
    a->fetch = fetch;
    a->written = written;
    a->what = what;
    a->tag = tag;
    lua_pushvalue(L, owner);
    lua_setiuservalue(L, -2, 1);
}

bool mus_lua_is_array(lua_State *L, int index) {
    return to_array(L, index) != NULL;
}

mus_lua_rows mus_lua_array_rows(lua_State *L, int index, bool write) {
    index = lua_absindex(L, index);
    const array *a = to_array(L, index);
    if (!a) {
        const char *seen = mus_lua_describe(L, index);
        mus_lua_error(L, "array: expected an array (got %s); call methods as a:method(...), with a colon", seen);
    }
    mus_lua_rows rows = {NULL, a->count, a->components, index, a->what};
    if (a->own) {
        rows.data = (double *)a->numbers;
        return rows;
    }
    luaL_checkstack(L, 4, NULL);
    lua_getiuservalue(L, index, 1);
    if (a->fetch) {
        mus_lua_span span = a->fetch(L, lua_gettop(L), a->tag, write);
        if (!span.data && (span.count > 0 || span.components == 0)) {
            const char *reason = mus_get_error_message();
            mus_lua_error(L, "%s: %s", a->what, reason[0] ? reason : "the object is gone");
        }
        rows.data = span.data;
        rows.components = span.components;
        if (!a->part) {
            rows.count = span.count;
        } else if (a->first + a->count > span.count) {
            mus_lua_error(L, "%s: this slice ends beyond the array, which has %I rows now", a->what,
                          (LUAI_UACINT)span.count);
        }
    } else {
        const array *base = lua_touserdata(L, -1);
        rows.data = (double *)base->numbers;
    }
    if (a->part && rows.data) rows.data += a->first * rows.components;
    lua_pop(L, 1);
    return rows;
}

static void notify_owner(lua_State *L, const mus_lua_rows *rows, mus_lua_write write) {
    const array *a = lua_touserdata(L, rows->array);
    if (!a->written) return;
    lua_getiuservalue(L, rows->array, 1);
    a->written(L, lua_gettop(L), a->tag, write);
    lua_pop(L, 1);
}

void mus_lua_array_written(lua_State *L, const mus_lua_rows *rows) {
    notify_owner(L, rows, MUS_LUA_WRITE_ROWS);
}

bool mus_lua_test_array(lua_State *L, int index, mus_lua_span *span) {
    if (!mus_lua_is_array(L, index)) return false;
    mus_lua_rows rows = mus_lua_array_rows(L, index, false);
    *span = (mus_lua_span){rows.data, rows.count, rows.components};
    return true;
}

int64_t mus_lua_array_index(lua_State *L, const mus_lua_rows *rows, int index) {
    int whole = 0;
    lua_Integer i = lua_type(L, index) == LUA_TNUMBER ? lua_tointegerx(L, index, &whole) : 0;
    if (!whole) {
        const char *seen = mus_lua_describe(L, index);
        mus_lua_error(L, "%s: an index must be a whole number (got %s)", rows->what, seen);
    }
    if (i < 1 || i > rows->count)
        mus_lua_error(L, "%s: index %I is out of range 1..%I", rows->what, (LUAI_UACINT)i, (LUAI_UACINT)rows->count);
    return i - 1;
}

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

static void push_row(lua_State *L, const mus_lua_rows *rows, int64_t i) {
    const double *p = rows->data + i * rows->components;
    if (rows->components == 1) {
        lua_pushnumber(L, p[0]);
    } else {
        mus_lua_push_vec3(L, p[0], p[1], p[2]);
    }
}

/* A row's value at `index` into `value`. */
static void check_row(lua_State *L, const mus_lua_rows *rows, int index, double value[3]) {
    if (rows->components == 1 && lua_type(L, index) == LUA_TNUMBER) {
        value[0] = lua_tonumber(L, index);
    } else if (rows->components == 1 || !mus_lua_test_vec3(L, index, value)) {
        const char *seen = mus_lua_describe(L, index);
        mus_lua_error(L, "%s: a row must be %s (got %s)", rows->what,
                      rows->components == 1 ? "a number" : "three numbers {x, y, z} or a vec3", seen);
    }
}

static void write_row(lua_State *L, const mus_lua_rows *rows, int64_t i, const double value[3]) {
    bool finite = true;
    for (int k = 0; k < rows->components; k++) finite = finite && isfinite(value[k]);
    memcpy(rows->data + i * rows->components, value, (size_t)rows->components * sizeof(double));
    notify_owner(L, rows, finite ? MUS_LUA_WRITE_FINITE : MUS_LUA_WRITE_BAD);
}

/* Upvalue 1: the methods; upvalue 2: their names, for suggestions. */
static int array_index(lua_State *L) {
    if (lua_type(L, 2) == LUA_TSTRING) {
        lua_pushvalue(L, 2);
        if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) return 1;
        mus_lua_rows rows = mus_lua_array_rows(L, 1, false);
        const char *const *names = lua_touserdata(L, lua_upvalueindex(2));
        const char *name = lua_tostring(L, 2), *nearest = mus_lua_nearest(name, names);
        if (nearest) return mus_lua_error(L, "%s: no method '%s' (did you mean '%s'?)", rows.what, name, nearest);
        return mus_lua_error(L, "%s: no method '%s'; rows are a[1] .. a[#a]", rows.what, name);
    }
    mus_lua_rows rows = mus_lua_array_rows(L, 1, false);
    if (lua_isinteger(L, 2) && lua_tointeger(L, 2) == rows.count + 1) {
        lua_pushnil(L); /* one past the end, so that ipairs ends */
        return 1;
    }
    push_row(L, &rows, mus_lua_array_index(L, &rows, 2));
    return 1;
}

static int array_newindex(lua_State *L) {
    mus_lua_rows rows = mus_lua_array_rows(L, 1, true);
    int64_t i = mus_lua_array_index(L, &rows, 2);
    double value[3];
    check_row(L, &rows, 3, value);
    write_row(L, &rows, i, value);
    return 0;
}

static int array_get(lua_State *L) {
    mus_lua_rows rows = mus_lua_array_rows(L, 1, false);
    const double *p = rows.data + mus_lua_array_index(L, &rows, 2) * rows.components;
    for (int k = 0; k < rows.components; k++) lua_pushnumber(L, p[k]);
    return rows.components;
}

static int array_set(lua_State *L) {
    mus_lua_rows rows = mus_lua_array_rows(L, 1, true);
    int64_t i = mus_lua_array_index(L, &rows, 2);
    double value[3];
    if (rows.components == 3 && lua_type(L, 3) == LUA_TNUMBER) {
        for (int k = 0; k < 3; k++) value[k] = luaL_checknumber(L, 3 + k);
    } else {
        check_row(L, &rows, 3, value);
    }
    write_row(L, &rows, i, value);
    return 0;
}

static int array_len(lua_State *L) {
    lua_pushinteger(L, mus_lua_array_rows(L, 1, false).count);
    return 1;
}

static int array_next(lua_State *L) {
    mus_lua_rows rows = mus_lua_array_rows(L, 1, false);
    lua_Integer i = luaL_optinteger(L, 2, 0);
    if (i < 0 || i >= rows.count) return 0;
    lua_pushinteger(L, i + 1);
    push_row(L, &rows, i);
    return 2;
}

static int array_pairs(lua_State *L) {
    lua_pushcfunction(L, array_next);
    lua_pushvalue(L, 1);
    lua_pushnil(L);
    return 3;
}

static int array_tostring(lua_State *L) {
    const array *a = to_array(L, 1);
    if (!a) return luaL_error(L, "array: expected an array");
    if (a->own || a->part) {
        lua_pushfstring(L, "%s: %I x %d", a->what, (LUAI_UACINT)a->count, a->components);
    } else {
        lua_pushfstring(L, "view of %s", a->what); /* must not raise for a stale view */
    }
    return 1;
}

/* ---- Parts and copies -------------------------------------------------------------------------------------------- */

static int array_slice(lua_State *L) {
    mus_lua_rows rows = mus_lua_array_rows(L, 1, false);
    lua_Integer i = luaL_checkinteger(L, 2), j = luaL_optinteger(L, 3, rows.count);
    if (i < 1 || i > rows.count + 1 || j < i - 1 || j > rows.count)
        return mus_lua_error(L, "%s: slice %I..%I is out of range 1..%I", rows.what, (LUAI_UACINT)i, (LUAI_UACINT)j,
                             (LUAI_UACINT)rows.count);
    const array *a = lua_touserdata(L, 1);
    array *slice = new_array(L, 0);
    *slice = *a;
    slice->own = false;
    slice->part = true;
    slice->first = (a->part ? a->first : 0) + i - 1;
    slice->count = j - i + 1;
    slice->components = rows.components;
    if (a->own) {
        lua_pushvalue(L, 1);
    } else {
        lua_getiuservalue(L, 1, 1);
    }
    lua_setiuservalue(L, -2, 1);
    return 1;
}

static int array_copy(lua_State *L) {
    mus_lua_rows rows = mus_lua_array_rows(L, 1, false);
    double *numbers = mus_lua_push_array(L, rows.count, rows.components);
    if (rows.count) memcpy(numbers, rows.data, (size_t)(rows.count * rows.components) * sizeof(double));
    return 1;
}

static int array_totable(lua_State *L) {
    mus_lua_rows rows = mus_lua_array_rows(L, 1, false);
    lua_createtable(L, (int)rows.count, 0);
    for (int64_t i = 0; i < rows.count; i++) {
        const double *p = rows.data + i * rows.components;
        if (rows.components == 1) {
            lua_pushnumber(L, p[0]);
        } else {
            lua_createtable(L, 3, 0);
            for (int k = 0; k < 3; k++) {
                lua_pushnumber(L, p[k]);
                lua_rawseti(L, -2, k + 1);
            }
        }
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

/* A list of row numbers: a table of whole numbers or an array of numbers, read one by one. */
typedef struct index_list {
    int at;
    int64_t count;
    const double *numbers; /* NULL: a table */
} index_list;

static index_list check_indices(lua_State *L, int index, const char *what) {
    index_list list = {index, 0, NULL};
    if (mus_lua_is_array(L, index)) {
        mus_lua_rows rows = mus_lua_array_rows(L, index, false);
        if (rows.components != 1) mus_lua_error(L, "%s: indices must be numbers, not vectors", what);
        list.count = rows.count;
        list.numbers = rows.data;
    } else if (lua_istable(L, index)) {
        list.count = (int64_t)lua_rawlen(L, index);
    } else {
        const char *seen = mus_lua_describe(L, index);
        mus_lua_error(L, "%s: indices must be a list of whole numbers (got %s)", what, seen);
    }
    return list;
}

static int64_t index_at(lua_State *L, const index_list *list, int64_t k, const mus_lua_rows *rows) {
    if (list->numbers) {
        lua_pushnumber(L, list->numbers[k]);
    } else {
        lua_rawgeti(L, list->at, k + 1);
    }
    int64_t i = mus_lua_array_index(L, rows, lua_gettop(L));
    lua_pop(L, 1);
    return i;
}

static int array_gather(lua_State *L) {
    mus_lua_rows rows = mus_lua_array_rows(L, 1, false);
    index_list list = check_indices(L, 2, rows.what);
    double *out = mus_lua_push_array(L, list.count, rows.components);
    size_t row = (size_t)rows.components * sizeof(double);
    for (int64_t k = 0; k < list.count; k++)
        memcpy(out + k * rows.components, rows.data + index_at(L, &list, k, &rows) * rows.components, row);
    return 1;
}

/* scatter(indices, values [, "add"]): in the list's order, so with a repeated index the last one stays. */
static int array_scatter(lua_State *L) {
    static const char *const modes[] = {"set", "add", NULL};
    mus_lua_rows rows = mus_lua_array_rows(L, 1, true);
    index_list list = check_indices(L, 2, rows.what);
    bool add = luaL_checkoption(L, 4, "set", modes) == 1;
    const double *values = NULL;
    double value[3];
    if (mus_lua_is_array(L, 3)) {
        mus_lua_rows given = mus_lua_array_rows(L, 3, false);
        if (given.count != list.count || given.components != rows.components)
            return mus_lua_error(L, "%s: scatter needs %I x %d values (got %I x %d)", rows.what,
                                 (LUAI_UACINT)list.count, rows.components, (LUAI_UACINT)given.count, given.components);
        /* A copy: the values may be rows of this same array. */
        double *copy = mus_lua_push_array(L, given.count, given.components);
        if (given.count) memcpy(copy, given.data, (size_t)(given.count * given.components) * sizeof(double));
        values = copy;
    } else {
        check_row(L, &rows, 3, value);
    }
    /* All indices are checked before the first write. */
    for (int64_t k = 0; k < list.count; k++) index_at(L, &list, k, &rows);
    for (int64_t k = 0; k < list.count; k++) {
        double *to = rows.data + index_at(L, &list, k, &rows) * rows.components;
        const double *from = values ? values + k * rows.components : value;
        for (int c = 0; c < rows.components; c++) to[c] = add ? to[c] + from[c] : from[c];
    }
    mus_lua_array_written(L, &rows);
    lua_settop(L, 1);
    return 1;
}

/* where(function(x, y, z, i) ... end): the list of rows it is true for; scalars get (value, i). */
static int array_where(lua_State *L) {
    luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_settop(L, 2);
    lua_newtable(L);
    lua_Integer found = 0;
    for (int64_t i = 0;; i++) {
        mus_lua_rows rows = mus_lua_array_rows(L, 1, false); /* anew: the function may close the world */
        if (i >= rows.count) break;
        lua_pushvalue(L, 2);
        for (int c = 0; c < rows.components; c++) lua_pushnumber(L, rows.data[i * rows.components + c]);
        lua_pushinteger(L, i + 1);
        lua_call(L, rows.components + 1, 1);
        if (lua_toboolean(L, -1)) {
            lua_pushinteger(L, i + 1);
            lua_rawseti(L, 3, ++found);
        }
        lua_pop(L, 1);
    }
    return 1;
}

/* ---- Constructor ------------------------------------------------------------------------------------------------- */

/* array(n [, components]) is filled with zeros; array{...} takes numbers or rows {x, y, z}. */
static int array_new(lua_State *L) {
    if (mus_lua_is_array(L, 1)) return array_copy(L);
    if (lua_istable(L, 1)) {
        int64_t count = (int64_t)lua_rawlen(L, 1);
        mus_lua_rows rows = {NULL, count, 3, 0, "array"};
        if (lua_rawgeti(L, 1, 1) == LUA_TNUMBER) rows.components = 1;
        lua_pop(L, 1);
        rows.components = (int)luaL_optinteger(L, 2, rows.components);
        luaL_argcheck(L, rows.components == 1 || rows.components == 3, 2, "components must be 1 or 3");
        rows.data = mus_lua_push_array(L, count, rows.components);
        for (int64_t i = 0; i < count; i++) {
            double value[3];
            lua_rawgeti(L, 1, i + 1);
            check_row(L, &rows, lua_gettop(L), value);
            memcpy(rows.data + i * rows.components, value, (size_t)rows.components * sizeof(double));
            lua_pop(L, 1);
        }
        return 1;
    }
    int whole = 0;
    lua_Integer count = lua_type(L, 1) == LUA_TNUMBER ? lua_tointegerx(L, 1, &whole) : 0;
    if (!whole || count < 0 || count > INT32_MAX) {
        const char *seen = mus_lua_describe(L, 1);
        return mus_lua_error(L, "array: give the number of rows, 0 to 2147483647, or a table of rows (got %s)", seen);
    }
    lua_Integer components = luaL_optinteger(L, 2, 3);
    luaL_argcheck(L, components == 1 || components == 3, 2, "components must be 1 or 3");
    mus_lua_push_array(L, count, (int)components);
    return 1;
}

/* All names of methods and fields, for suggestions; the test of the reference compares them with the registered
 * ones. */
static const char *const method_names[] = {
    "get", "set",     "slice", "copy", "totable", "gather", "scatter", "where",     "fill",   "add",
    "sub", "mul",     "div",   "axpy", "scale",   "clamp",  "cross",   "normalize", "lerp",   "transform",
    "dot", "lengths", "sum",   "mean", "min",     "max",    "norm",    "argmax",    "argmin", NULL};

void mus_lua_open_array(lua_State *L) {
    static const luaL_Reg operators[] = {{"__newindex", array_newindex},
                                         {"__len", array_len},
                                         {"__pairs", array_pairs},
                                         {"__tostring", array_tostring},
                                         {NULL, NULL}};
    static const luaL_Reg methods[] = {{"get", array_get},         {"set", array_set},         {"slice", array_slice},
                                       {"copy", array_copy},       {"totable", array_totable}, {"gather", array_gather},
                                       {"scatter", array_scatter}, {"where", array_where},     {NULL, NULL}};
    luaL_newlib(L, operators);
    int metatable = lua_gettop(L);
    luaL_newlib(L, methods);
    mus_lua_array_math(L, metatable, lua_gettop(L));
    lua_pushlightuserdata(L, (void *)method_names);
    lua_pushcclosure(L, array_index, 2);
    lua_setfield(L, metatable, "__index");
    lua_pushliteral(L, "array");
    lua_setfield(L, metatable, "__name");
    lua_pushboolean(L, 0);
    lua_setfield(L, metatable, "__metatable");
    lua_rawsetp(L, LUA_REGISTRYINDEX, &metatable_key);
    lua_pushcfunction(L, array_new);
}
