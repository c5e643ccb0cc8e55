/* remember.c: the variables of a script, for a host's checkpoints. A script that runs again makes its functions again;
 * their state between calls (upvalues, and through them globals and tables) is saved and restored.
 *
 * After the start all objects reachable from the functions that the world references are numbered, in an order that
 * is the same in every run. A numbered object is the same one when the script runs again, and only its contents are
 * written: of functions the upvalues, of tables the fields, of own arrays the numbers, of parameters the value.
 * Numbers, strings, booleans, vectors, and tables and arrays that were made later are written as they are. A
 * function, coroutine or other object that was made later cannot be restored, and is refused. */
#include "objects/array.h"
#include "binding.h"
#include "sandbox/sandbox.h"
#include "trace/trace.h"

#include <string.h>

enum { DEEPEST = 2000 };
#define KNOWN "muslin.known" /* registry: [number] = thing, [thing] = number, after the start */

typedef enum pass { NUMBER, WRITE, READ } pass;

typedef struct walk {
    lua_State *L;
    pass pass;
    int world, known, visited,
        out;     /* stack indices; visited: [object] = true once its contents were visited; [-k] = k-th new one */
    char *bytes; /* WRITE: in the userdata at `out` */
    size_t size, capacity;
    const uint8_t *at; /* READ */
    size_t left;
    lua_Integer count; /* NUMBER: things; else new ones */
    int depth;
    bool lenient;     /* NUMBER: skips objects that are nested too deeply instead of raising */
    const char *name; /* of the present variable */
} walk;

static int refuse(walk *w, const char *why) {
    return mus_lua_error(w->L, "the script's variable '%s' %s", w->name, why);
}

/* ---- Bytes ------------------------------------------------------------------------------------------------------- */

static void put_bytes(walk *w, const void *data, size_t size) {
    if (w->capacity - w->size < size) {
        w->capacity = 2 * w->capacity + size + 4096;
        char *larger = lua_newuserdatauv(w->L, w->capacity, 0);
        if (w->size) memcpy(larger, w->bytes, w->size);
        lua_replace(w->L, w->out);
        w->bytes = larger;
    }
    if (size) memcpy(w->bytes + w->size, data, size);
    w->size += size;
}

static void put_tag(walk *w, char tag) {
    put_bytes(w, &tag, 1);
}

static void put64(walk *w, uint64_t bits) {
    uint8_t b[8];
    for (int k = 0; k < 8; k++) b[k] = (uint8_t)(bits >> 8 * k);
    put_bytes(w, b, 8);
}

static void put_numbers(walk *w, const double *x, int64_t count) {
    for (int64_t k = 0; k < count; k++) {
        uint64_t bits;
        memcpy(&bits, &x[k], 8);
        put64(w, bits);
    }
}

static const uint8_t *get(walk *w, uint64_t size) {
    if (size > w->left) mus_lua_error(w->L, "the script's variables are malformed");
    const uint8_t *from = w->at;
    w->at += size, w->left -= size;
    return from;
}

static uint64_t get64(walk *w) {
    const uint8_t *from = get(w, 8);
    uint64_t bits = 0;
    for (int k = 0; k < 8; k++) bits |= (uint64_t)from[k] << 8 * k;
    return bits;
}

static void get_numbers(walk *w, double *x, int64_t count) {
    for (int64_t k = 0; k < count; k++) {
        uint64_t bits = get64(w);
        memcpy(&x[k], &bits, 8);
    }
}

/* ---- Things ------------------------------------------------------------------------------------------------------ */

static void value(walk *w);

/* Whether the object at `index` is visited for the first time; marks it as visited. */
static bool first_time(walk *w, int index) {
    lua_State *L = w->L;
    index = lua_absindex(L, index);
    lua_pushvalue(L, index);
    bool first = lua_rawget(L, w->visited) == LUA_TNIL;
    lua_pop(L, 1);
    if (!first) return false;
    lua_pushvalue(L, index);
    lua_pushboolean(L, 1);
    lua_rawset(L, w->visited);
    return true;
}

static bool own_array(walk *w, int index, mus_lua_rows *rows) {
    if (lua_type(w->L, index) != LUA_TUSERDATA || !mus_lua_is_array(w->L, index)) return false;
    lua_getiuservalue(w->L, index, 1);
    bool own = lua_isnil(w->L, -1) || mus_lua_is_array(w->L, -1);
    lua_pop(w->L, 1);
    if (own) *rows = mus_lua_array_rows(w->L, index, false);
    return own;
}

/* Each upvalue of the function at `f`: NUMBER and WRITE walk it, READ sets it. */
static void upvalues(walk *w, int f) {
    lua_State *L = w->L;
    const char *outer = w->name, *name;
    int count = 0;
    if (lua_iscfunction(L, f)) { /* upvalues of C functions are walked for their number only */
        for (int k = 1; w->pass != READ && lua_getupvalue(L, f, k); k++) {
            if (w->pass == NUMBER)
                value(w);
            else if (lua_type(L, -1) == LUA_TTHREAD)
                refuse(w, "holds a coroutine, which a file cannot");
            lua_pop(L, 1);
        }
        return;
    }
    for (; lua_getupvalue(L, f, count + 1); count++) lua_pop(L, 1);
    for (int k = 1; k <= count; k++) {
        name = lua_getupvalue(L, f, k);
        w->name = name && *name && strcmp(name, "(no name)") != 0 ? name : outer;
        if (w->pass == READ) lua_pop(L, 1);
        value(w);
        if (w->pass == READ)
            lua_setupvalue(L, f, k);
        else
            lua_pop(L, 1);
    }
    w->name = outer;
}

/* Fields and metatable of the table at `t`. */
static void walk_fields(walk *w, int t) {
    lua_State *L = w->L;
    const char *outer = w->name;
    if (!lua_getmetatable(L, t)) lua_pushnil(L);
    value(w);
    lua_pop(L, 1);
    mus_lua_push_keys(L, t);
    int keys = lua_gettop(L);
    lua_Integer count = (lua_Integer)lua_rawlen(L, keys);
    if (w->pass == WRITE) put64(w, (uint64_t)count);
    for (lua_Integer k = 1; k <= count; k++) {
        lua_rawgeti(L, keys, k);
        if (lua_type(L, -1) == LUA_TSTRING) w->name = lua_tostring(L, -1);
        value(w);
        lua_rawget(L, t);
        value(w);
        lua_pop(L, 1);
    }
    w->name = outer;
    lua_pop(L, 1);
}

static void read_fields(walk *w, int t) {
    lua_State *L = w->L;
    value(w);
    if (!lua_isnil(L, -1) && !lua_istable(L, -1)) mus_lua_error(L, "the script's variables are malformed");
    lua_setmetatable(L, t);
    lua_newtable(L);
    int seen = lua_gettop(L);
    uint64_t count = get64(w);
    for (uint64_t k = 0; k < count; k++) {
        value(w);
        if (lua_isnil(L, -1)) mus_lua_error(L, "the script's variables are malformed");
        lua_pushvalue(L, -1);
        lua_pushboolean(L, 1);
        lua_rawset(L, seen);
        value(w);
        lua_rawset(L, t);
    }
    for (lua_pushnil(L); lua_next(L, t);) {
        lua_pop(L, 1);
        lua_pushvalue(L, -1);
        if (lua_rawget(L, seen) == LUA_TNIL) {
            lua_pushvalue(L, -2);
            lua_pushnil(L);
            lua_rawset(L, t);
        }
        lua_pop(L, 1);
    }
    lua_settop(L, seen - 1);
}

/* The value of a muslin.param; of a muslin.rule the parameters that it uses, and its function. */
static void parameters(walk *w, int index) {
    mus_parameter *p = mus_lua_test_param(w->L, index);
    const mus_lua_rule *rule = p ? NULL : mus_lua_test_rule(w->L, index);
    if (rule) {
        if (w->pass != READ) lua_getiuservalue(w->L, index, 1);
        value(w);
        lua_pop(w->L, 1);
    }
    if (w->pass == NUMBER) return;
    if (rule && rule->program) p = mus_program_get_parameter(rule->program, 0);
    for (int32_t k = 1; p; p = rule ? mus_program_get_parameter(rule->program, k++) : NULL) {
        double value = mus_parameter_get_value(p);
        if (w->pass == WRITE) {
            put_numbers(w, &value, 1);
        } else {
            get_numbers(w, &value, 1);
            mus_lua_check_status(w->L, mus_parameter_set_value(p, value));
        }
    }
}

/* The contents of the object at `index`. */
static void contents(walk *w, int index) {
    lua_State *L = w->L;
    luaL_checkstack(L, 24, NULL);
    bool too_deep = w->depth >= DEEPEST || mus_lua_is_stack_low(L);
    if (too_deep && w->lenient) return;
    if (too_deep) refuse(w, "is nested too deeply");
    w->depth++;
    mus_lua_rows rows;
    if (lua_isfunction(L, index)) {
        upvalues(w, index);
    } else if (lua_istable(L, index)) {
        if (w->pass == READ)
            read_fields(w, index);
        else
            walk_fields(w, index);
    } else if (w->pass != NUMBER && own_array(w, index, &rows)) {
        int64_t numbers = rows.count * rows.components;
        if (w->pass == WRITE)
            put_numbers(w, rows.data, numbers);
        else
            get_numbers(w, rows.data, numbers);
    } else {
        parameters(w, index);
    }
    w->depth--;
}

static void number_thing(walk *w, int index) {
    lua_State *L = w->L;
    if (!first_time(w, index)) return;
    lua_pushvalue(L, index);
    lua_rawseti(L, w->known, ++w->count);
    lua_pushvalue(L, index);
    lua_pushinteger(L, w->count);
    lua_rawset(L, w->known);
    contents(w, index);
}

/* Objects made after the start get negative numbers in the order of visits. */
static void write_thing(walk *w, int index) {
    lua_State *L = w->L;
    mus_lua_rows rows;
    lua_pushvalue(L, index);
    bool known = lua_rawget(L, w->known) == LUA_TNUMBER;
    lua_Integer number = lua_tointeger(L, -1);
    lua_pop(L, 1);
    if (!known) {
        lua_pushvalue(L, index);
        if (lua_rawget(L, w->visited) == LUA_TNUMBER) number = lua_tointeger(L, -1);
        lua_pop(L, 1);
    }
    if (number) {
        if (lua_type(L, index) == LUA_TTHREAD) refuse(w, "holds a coroutine, which a file cannot");
        bool first = known && first_time(w, index);
        put_tag(w, first ? 'K' : 'R');
        put64(w, (uint64_t)number);
        if (first) contents(w, index);
        return;
    }
    if (lua_rawequal(L, index, w->world)) {
        put_tag(w, 'w');
        return;
    }
    if (mus_lua_test_object(L, index)) {
        lua_getiuservalue(L, index, 1);
        bool here = lua_rawequal(L, -1, w->world);
        lua_pop(L, 1);
        if (!here) refuse(w, "holds an object of another world");
        lua_getiuservalue(L, index, 2);
        put_tag(w, 'o');
        size_t size;
        const char *name = lua_tolstring(L, -1, &size);
        put64(w, size);
        put_bytes(w, name, size);
        lua_pop(L, 1);
        return;
    }
    bool array = own_array(w, index, &rows);
    if (!array && !lua_istable(L, index))
        refuse(w, "holds a function, a coroutine or an object that was made after the start, which a file cannot");
    lua_pushvalue(L, index);
    lua_pushinteger(L, --w->count);
    lua_rawset(L, w->visited);
    put_tag(w, array ? 'A' : 'T');
    if (array) put64(w, (uint64_t)rows.count), put64(w, (uint64_t)rows.components);
    contents(w, index);
}

static void write_value(walk *w) {
    lua_State *L = w->L;
    int index = lua_gettop(L);
    double v[3];
    size_t size;
    const char *text;
    switch (lua_type(L, index)) {
    case LUA_TNIL:
        put_tag(w, 'n');
        return;
    case LUA_TBOOLEAN:
        put_tag(w, lua_toboolean(L, index) ? 't' : 'f');
        return;
    case LUA_TNUMBER:
        put_tag(w, lua_isinteger(L, index) ? 'i' : 'd');
        v[0] = lua_tonumber(L, index);
        if (lua_isinteger(L, index))
            put64(w, (uint64_t)lua_tointeger(L, index));
        else
            put_numbers(w, v, 1);
        return;
    case LUA_TSTRING:
        text = lua_tolstring(L, index, &size);
        put_tag(w, 's');
        put64(w, size);
        put_bytes(w, text, size);
        return;
    default:
        if (lua_type(L, index) == LUA_TUSERDATA && !mus_lua_is_array(L, index) && mus_lua_test_vec3(L, index, v)) {
            put_tag(w, 'v');
            put_numbers(w, v, 3);
            return;
        }
        write_thing(w, index);
    }
}

/* Pushes the object of that name. */
static void push_object(walk *w, const char *name, size_t size) {
    mus_world *world = mus_lua_check_world(w->L, w->world);
    for (int32_t k = 0; k < mus_world_get_cloth_count(world); k++) {
        mus_cloth_id id = mus_world_get_cloth(world, k);
        const char *here = mus_cloth_get_name(world, id);
        if (strlen(here) != size || memcmp(here, name, size) != 0) continue;
        mus_lua_push_cloth(w->L, w->world, id);
        return;
    }
    for (int32_t k = 0; k < mus_world_get_obstacle_count(world); k++) {
        mus_obstacle_id id = mus_world_get_obstacle(world, k);
        const char *here = mus_obstacle_get_name(world, id);
        if (strlen(here) != size || memcmp(here, name, size) != 0) continue;
        mus_lua_push_obstacle(w->L, w->world, id);
        return;
    }
    refuse(w, "refers to an object that does not exist");
}

/* Pushes the value. */
static void read_value(walk *w) {
    lua_State *L = w->L;
    luaL_checkstack(L, 24, NULL);
    double v[3];
    uint64_t size, components;
    lua_Integer number;
    char tag = (char)*get(w, 1);
    switch (tag) {
    case 'n':
        lua_pushnil(L);
        return;
    case 't':
    case 'f':
        lua_pushboolean(L, tag == 't');
        return;
    case 'i':
        lua_pushinteger(L, (lua_Integer)get64(w));
        return;
    case 'd':
        get_numbers(w, v, 1);
        lua_pushnumber(L, v[0]);
        return;
    case 's':
        size = get64(w);
        lua_pushlstring(L, (const char *)get(w, size), (size_t)size);
        return;
    case 'v':
        get_numbers(w, v, 3);
        mus_lua_push_vec3(L, v[0], v[1], v[2]);
        return;
    case 'w':
        lua_pushvalue(L, w->world);
        return;
    case 'o':
        size = get64(w);
        push_object(w, (const char *)get(w, size), (size_t)size);
        return;
    case 'K':
    case 'R':
        number = (lua_Integer)get64(w);
        if (lua_rawgeti(L, number > 0 ? w->known : w->visited, number) == LUA_TNIL)
            mus_lua_error(L, "the script did not make what it had made at its start");
        if (tag == 'K') contents(w, lua_gettop(L));
        return;
    case 'A':
        size = get64(w), components = get64(w);
        if ((components != 1 && components != 3) || size > w->left / (8 * components))
            mus_lua_error(L, "the script's variables are malformed");
        mus_lua_push_array(L, (int64_t)size, (int)components);
        break;
    case 'T':
        lua_newtable(L);
        break;
    default:
        mus_lua_error(L, "the script's variables are malformed");
    }
    lua_pushvalue(L, -1);
    lua_rawseti(L, w->visited, --w->count);
    contents(w, lua_gettop(L));
}

/* NUMBER, WRITE: visits the value on top, which stays. READ: pushes the value. */
static void value(walk *w) {
    if (w->pass == WRITE) {
        write_value(w);
    } else if (w->pass == READ) {
        read_value(w);
    } else {
        double v[3];
        int type = lua_type(w->L, -1);
        bool vector = type == LUA_TUSERDATA && !mus_lua_is_array(w->L, -1) && mus_lua_test_vec3(w->L, -1, v);
        if (type != LUA_TNIL && type != LUA_TBOOLEAN && type != LUA_TNUMBER && type != LUA_TSTRING && !vector)
            number_thing(w, lua_gettop(w->L));
    }
}

/* ---- From the functions of the world ----------------------------------------------------------------------------- */

/* All functions of the world, the roots of every pass; they have numbers if none was added since the start. */
static void push_roots(lua_State *L, int world) {
    lua_newtable(L);
    int roots = lua_gettop(L);
    lua_Integer count = 0;
    lua_getiuservalue(L, world, MUS_LUA_HOOKS);
    for (int list = 0; list < MUS_LUA_HOOK_LISTS; list++) {
        if (lua_rawgeti(L, -1, list + 1) == LUA_TTABLE)
            for (lua_Integer i = 1; lua_rawgeti(L, -1, i) != LUA_TNIL; i += 2) lua_rawseti(L, roots, ++count);
        lua_settop(L, roots + 1);
    }
    lua_getiuservalue(L, world, MUS_LUA_RECORDS); /* in the order of their creation */
    mus_lua_push_record_functions(L, lua_gettop(L));
    int records = lua_gettop(L);
    for (lua_Integer i = 1; lua_rawgeti(L, records, i) != LUA_TNIL; i++) lua_rawseti(L, roots, ++count);
    mus_lua_push_view_function(L, world);
    if (!lua_isnil(L, -1)) lua_rawseti(L, roots, ++count);
    lua_settop(L, roots);
}

static void walk_roots(walk *w) {
    lua_State *L = w->L;
    push_roots(L, w->world);
    int roots = lua_gettop(L);
    for (lua_Integer k = 1; lua_rawgeti(L, roots, k) != LUA_TNIL; k++) {
        if (w->pass == READ) lua_pop(L, 1);
        value(w);
        lua_settop(L, roots);
    }
    lua_settop(L, roots - 1);
}

static walk begin_walk(lua_State *L, int world, pass which) {
    luaL_checkstack(L, 24, NULL);
    walk w = {.L = L, .pass = which, .world = lua_absindex(L, world), .name = "(a function of the world)"};
    lua_newtable(L);
    w.visited = lua_gettop(L);
    if (which == NUMBER) {
        lua_newtable(L);
    } else if (lua_getfield(L, LUA_REGISTRYINDEX, KNOWN) != LUA_TTABLE) {
        mus_lua_error(L, "the script's variables were not noted at its start");
    }
    w.known = lua_gettop(L);
    lua_pushnil(L);
    w.out = lua_gettop(L);
    return w;
}

void mus_lua_script_note(lua_State *L, int world) {
    walk w = begin_walk(L, world, NUMBER);
    lua_pushvalue(L, w.known);
    lua_setfield(L, LUA_REGISTRYINDEX, KNOWN);
    walk_roots(&w);
    lua_settop(L, w.visited - 1);
}

void mus_lua_push_reached(lua_State *L, int world) {
    walk w = begin_walk(L, world, NUMBER);
    w.lenient = true;
    walk_roots(&w);
    lua_pushvalue(L, w.known);
    lua_replace(L, w.visited);
    lua_settop(L, w.visited);
}

const char *mus_lua_script_push(lua_State *L, int world, size_t *size) {
    walk w = begin_walk(L, world, WRITE);
    walk_roots(&w);
    put_tag(&w, '.');
    *size = w.size;
    lua_pushvalue(L, w.out);
    lua_replace(L, w.visited);
    lua_settop(L, w.visited);
    return w.bytes;
}

void mus_lua_script_restore(lua_State *L, int world, const void *data, size_t size) {
    walk w = begin_walk(L, world, READ);
    w.at = data, w.left = size;
    walk_roots(&w);
    if (*get(&w, 1) != '.' || w.left) mus_lua_error(L, "the script's variables are malformed");
    lua_settop(L, w.visited - 1);
}
