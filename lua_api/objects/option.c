/* option.c: reading option tables. Every error names the object, the field, the value and the remedy. */
#include "api.h"
#include "muslin/host.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

/* ---- Errors with a position -------------------------------------------------------------------------------------- */

bool mus_lua_find_caller(lua_State *L, lua_Debug *at) {
    static const char own[] = "@" MUS_LUA_OWN_CHUNK;
    for (int level = 0; lua_getstack(L, level, at); level++) {
        lua_getinfo(L, "Sl", at);
        if (at->currentline > 0 && strncmp(at->source, own, strlen(own)) != 0) return true;
    }
    return false;
}

static void push_where(lua_State *L) {
    lua_Debug at;
    if (mus_lua_find_caller(L, &at))
        lua_pushfstring(L, "%s:%d: ", at.short_src, at.currentline);
    else
        lua_pushliteral(L, "");
}

const char *mus_lua_push_origin(lua_State *L, int index) {
    lua_Debug at;
    if (lua_iscfunction(L, index) || !lua_isfunction(L, index)) {
        lua_pushliteral(L, "?");
    } else {
        lua_pushvalue(L, index);
        lua_getinfo(L, ">S", &at);
        lua_pushfstring(L, "%s:%d", at.short_src, at.linedefined);
    }
    return lua_tostring(L, -1);
}

/* The place of the function at `function`, or else of the caller, and the message: one string. */
static void push_message(lua_State *L, int function, const char *format, va_list arguments) {
    luaL_checkstack(L, 4, NULL);
    if (function && lua_isfunction(L, function) && !lua_iscfunction(L, function)) {
        mus_lua_push_origin(L, function);
        lua_pushliteral(L, ": ");
        lua_concat(L, 2);
    } else {
        push_where(L);
    }
    lua_pushvfstring(L, format, arguments);
    lua_concat(L, 2);
}

int mus_lua_error(lua_State *L, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    push_message(L, 0, format, arguments);
    va_end(arguments);
    return lua_error(L);
}

int mus_lua_error_of(lua_State *L, int function, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    push_message(L, function, format, arguments);
    va_end(arguments);
    return lua_error(L);
}

/* "scene.lua:12: ...": of a function registered with the core. */
static bool has_place(const char *message) {
    const char *end = strstr(message, ": "), *digit = end;
    while (digit && digit > message && isdigit((unsigned char)digit[-1])) digit--;
    return digit && digit < end && digit > message + 1 && digit[-1] == ':';
}

static void raise_status(lua_State *L, mus_status status, bool placed) {
    if (status == MUS_STATUS_OK) return;
    if (status == MUS_STATUS_CANCELLED) mus_lua_sandbox_check(L);
    const char *message = mus_get_error_message();
    if (placed && has_place(message)) {
        lua_pushstring(L, message);
        lua_error(L);
    }
    mus_lua_error(L, "%s", message[0] ? message : mus_status_get_name(status));
}

void mus_lua_check_status(lua_State *L, mus_status status) {
    raise_status(L, status, false);
}

void mus_lua_check_called(lua_State *L, mus_status status) {
    raise_status(L, status, true);
}

const char *mus_lua_word_of_number(double value) {
    return isnan(value) ? "not a number" : value < 0 ? "-infinite" : "infinite";
}

const char *mus_lua_describe(lua_State *L, int index) {
    switch (lua_type(L, index)) {
    case LUA_TNUMBER:
        if (!isfinite(lua_tonumber(L, index))) {
            lua_pushstring(L, mus_lua_word_of_number(lua_tonumber(L, index)));
            break;
        }
        lua_pushvalue(L, index);
        lua_tostring(L, -1);
        break;
    case LUA_TSTRING: {
        size_t length;
        const char *text = lua_tolstring(L, index, &length);
        if (length > 60) {
            lua_pushlstring(L, text, 57);
            lua_pushfstring(L, "'%s...'", lua_tostring(L, -1));
            lua_remove(L, -2);
        } else {
            lua_pushfstring(L, "'%s'", text);
        }
        break;
    }
    case LUA_TBOOLEAN:
        lua_pushstring(L, lua_toboolean(L, index) ? "true" : "false");
        break;
    case LUA_TNIL:
    case LUA_TNONE:
        lua_pushliteral(L, "nil");
        break;
    default:
        if (luaL_getmetafield(L, index, "__name") == LUA_TSTRING) {
            lua_pushfstring(L, "a %s", lua_tostring(L, -1));
            lua_remove(L, -2);
        } else if (lua_istable(L, index) && lua_getmetatable(L, index)) {
            lua_pop(L, 1);
            lua_pushliteral(L, "a table with a metatable, whose stored items are read");
        } else {
            lua_pushfstring(L, "a %s", luaL_typename(L, index));
        }
    }
    return lua_tostring(L, -1);
}

const char *mus_lua_write_number(lua_State *L, double value) {
    lua_pushnumber(L, value);
    return mus_lua_describe(L, -1);
}

/* ---- The nearest word -------------------------------------------------------------------------------------------- */

/* Other systems' words and muslin's: the first entry valid in the given table is suggested. */
static const char *const others[][4] = {
    {"position", "at", "center", "x"},
    {"pos", "at", "center", "x"},
    {"translation", "at", "center"},
    {"location", "at", "center"},
    {"origin", "at", "center"},
    {"center", "at"},
    {"centre", "center", "at"},
    {"at", "center"},
    {"orientation", "rotation"},
    {"quaternion", "rotation"},
    {"positions", "x"},
    {"velocities", "v"},
    {"forces", "f"},
    {"masses", "m"},
    {"normals", "normal"},
    {"velocity0", "velocity"},
    {"v0", "velocity"},
    {"initial_velocity", "velocity"},
    {"omega", "angular_velocity"},
    {"timestep", "dt"},
    {"time_step", "dt"},
    {"step_size", "dt"},
    {"frame_rate", "fps"},
    {"framerate", "fps"},
    {"end_time", "duration"},
    {"seconds", "duration"},
    {"g", "gravity"},
    {"integrator", "pipeline"},
    {"solver", "pipeline"},
    {"preset", "pipeline"},
    {"method", "pipeline"},
    {"mu", "friction"},
    {"bounce", "restitution"},
    {"bounciness", "restitution"},
    {"elasticity", "restitution"},
    {"margin", "thickness"},
    {"collision_margin", "thickness"},
    {"fabric", "material"},
    {"resolution", "nodes", "subdivisions", "rings"},
    {"divisions", "nodes", "subdivisions", "rings"},
    {"dimensions", "size"},
    {"extents", "size"},
    {"half_extents", "size"},
    {"width", "size"},
    {"height", "length", "size"},
    {"type", "shape"},
    {"geometry", "shape", "mesh"},
    {"dynamic", "motion"},
    {"kinematic", "motion"},
    {"points", "vertices", "x"},
    {"verts", "vertices"},
    {"triangles", "faces"},
    {"indices", "faces"},
    {"stiffness", "stretch"},
    {"update", "step"},
    {"simulate", "advance"},
    {"circle", "disc"},
    {"disk", "disc"},
    {"ring", "annulus", "torus"},
    {"ball", "sphere"},
    {"plane", "grid"},
    {"rectangle", "grid"},
    {"square", "grid"},
    {"sheet", "grid"},
    {"quad", "grid"},
    {"cube", "box"},
    {"pipe", "tube", "cylinder"},
    {"sleeve", "tube"},
    {"skirt", "cone", "tube"},
    {"donut", "torus"},
    {"doughnut", "torus"},
    {"pill", "capsule"},
    {"frustum", "cone"},
    {"outline", "polygon", "points"},
    {"import", "load"},
    {"spacing", "edge_length"},
    {"outer_radius", "radius"},
    {"minor_radius", "tube_radius"},
    {"major_radius", "radius"},
};

static bool same_word(const char *a, const char *b) {
    while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b)) a++, b++;
    return *a == *b;
}

static const char *find_own_word(const char *word, const char *const *words) {
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        if (!same_word(word, others[k][0])) continue;
        for (int i = 1; i < 4 && others[k][i]; i++)
            for (const char *const *w = words; *w; w++)
                if (strcmp(*w, others[k][i]) == 0) return *w;
    }
    return NULL;
}

const char *mus_lua_nearest(const char *word, const char *const *words) {
    const char *meant = find_own_word(word, words);
    return meant ? meant : mus_find_nearest_word(word, words);
}

const char *mus_lua_push_list(lua_State *L, const char *const *words) {
    luaL_Buffer list;
    luaL_buffinit(L, &list);
    for (const char *const *w = words; *w; w++) {
        if (w != words) luaL_addstring(&list, ", ");
        luaL_addstring(&list, *w);
    }
    luaL_pushresult(&list);
    return lua_tostring(L, -1);
}

int mus_lua_field(lua_State *L, int index, const char *field) {
    index = lua_absindex(L, index);
    lua_pushstring(L, field);
    return lua_rawget(L, index);
}

/* The table at `index` is replaced by a copy. */
static void copy_table(lua_State *L, int index) {
    lua_newtable(L);
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
        lua_pushvalue(L, -2);
        lua_pushvalue(L, -2);
        lua_rawset(L, -5);
    }
    lua_replace(L, index);
}

void mus_lua_check_keys(lua_State *L, int index, const char *what, const char *const *keys) {
    index = lua_absindex(L, index);
    luaL_checkstack(L, 8, NULL);
    if (!lua_istable(L, index)) {
        const char *seen = mus_lua_describe(L, index);
        mus_lua_error(L, "%s: expected one table of options (got %s)", what, seen);
    }
    if (lua_getmetatable(L, index))
        mus_lua_error(L,
                      "%s: the options must be a table without a metatable, since fields are read as they are stored; "
                      "copy them into a plain table",
                      what);
    copy_table(L, index);
    /* The order of lua_next differs from run to run, so the message names the least of the unknown keys. */
    lua_pushnil(L); /* least so far */
    int least = lua_gettop(L);
    lua_pushnil(L);
    while (lua_next(L, index)) {
        lua_pop(L, 1);
        if (lua_type(L, -1) != LUA_TSTRING) {
            lua_pushvalue(L, -1); /* describe converts numbers: never the key itself */
            const char *seen = mus_lua_describe(L, -1);
            mus_lua_error(L, "%s: options are named fields, '%s = ...' for example (got an item at %s)", what,
                          keys[0] ? keys[0] : "name", seen);
        }
        const char *key = lua_tostring(L, -1);
        bool known = false;
        for (const char *const *k = keys; *k && !known; k++) known = strcmp(key, *k) == 0;
        if (!known && (lua_isnil(L, least) || strcmp(key, lua_tostring(L, least)) < 0)) {
            lua_pushvalue(L, -1);
            lua_replace(L, least);
        }
    }
    if (!lua_isnil(L, least)) {
        const char *key = lua_tostring(L, least), *nearest = mus_lua_nearest(key, keys);
        if (nearest) mus_lua_error(L, "%s: unknown field '%s' (did you mean '%s'?)", what, key, nearest);
        mus_lua_error(L, "%s: unknown field '%s' (known: %s)", what, key, mus_lua_push_list(L, keys));
    }
    lua_settop(L, least - 1);
}

/* ---- Fields ------------------------------------------------------------------------------------------------------ */

static void wrong(lua_State *L, const char *what, const char *field, const char *expected) {
    const char *seen = mus_lua_describe(L, -1);
    mus_lua_error(L, "%s: field '%s' must be %s (got %s)", what, field, expected, seen);
}

double mus_lua_opt_number(lua_State *L, int index, const char *what, const char *field, double otherwise) {
    double value = otherwise;
    if (mus_lua_field(L, index, field) != LUA_TNIL) {
        if (lua_type(L, -1) != LUA_TNUMBER) wrong(L, what, field, "a number");
        value = lua_tonumber(L, -1);
        if (!isfinite(value)) wrong(L, what, field, "a finite number");
    }
    lua_pop(L, 1);
    return value;
}

int64_t mus_lua_opt_integer(lua_State *L, int index, const char *what, const char *field, int64_t otherwise) {
    int64_t value = otherwise;
    if (mus_lua_field(L, index, field) != LUA_TNIL) {
        int whole = 0;
        if (lua_type(L, -1) == LUA_TNUMBER) value = lua_tointegerx(L, -1, &whole);
        if (!whole) wrong(L, what, field, "a whole number");
    }
    lua_pop(L, 1);
    return value;
}

bool mus_lua_opt_bool(lua_State *L, int index, const char *what, const char *field, bool otherwise) {
    bool value = otherwise;
    if (mus_lua_field(L, index, field) != LUA_TNIL) {
        if (!lua_isboolean(L, -1)) wrong(L, what, field, "true or false");
        value = lua_toboolean(L, -1);
    }
    lua_pop(L, 1);
    return value;
}

const char *mus_lua_opt_string(lua_State *L, int index, const char *what, const char *field, const char *otherwise) {
    const char *value = otherwise;
    if (mus_lua_field(L, index, field) != LUA_TNIL) {
        if (lua_type(L, -1) != LUA_TSTRING) wrong(L, what, field, "a string");
        size_t length;
        value = lua_tolstring(L, -1, &length); /* the copied table keeps it alive */
        if (strlen(value) != length)
            mus_lua_error(L, "%s: field '%s' must not hold a zero byte (got one at %d)", what, field,
                          (int)strlen(value) + 1);
    }
    lua_pop(L, 1);
    return value;
}

bool mus_lua_opt_vec3(lua_State *L, int index, const char *what, const char *field, double out[3]) {
    bool given = mus_lua_field(L, index, field) != LUA_TNIL;
    if (given) {
        double value[3];
        if (!mus_lua_test_vec3(L, -1, value)) wrong(L, what, field, "three numbers {x, y, z} or a vec3");
        for (int k = 0; k < 3; k++) {
            if (!isfinite(value[k]))
                mus_lua_error(L, "%s: field '%s' must be finite (got %s at %d)", what, field,
                              mus_lua_word_of_number(value[k]), k + 1);
        }
        memcpy(out, value, sizeof value);
    }
    lua_pop(L, 1);
    return given;
}
