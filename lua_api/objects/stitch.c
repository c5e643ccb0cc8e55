/* stitch.c: world:stitch and seams: stitches between vertices and edges, one to one, by the length of two lines, or
 * from a mesh. */
#include "binding.h"

#include <string.h>

static const char TYPE[] = "muslin.seam";

/* ---- Sewing ------------------------------------------------------------------------------------------------------ */

typedef struct side {
    mus_cloth_id cloth;
    int32_t *vertices; /* the memory is a userdata on the stack; NULL: edges are given */
    int32_t count;
} side;

/* The living cloth at `index`, of the world at 1. */
static mus_cloth_id cloth_of(lua_State *L, int index, const char *what) {
    if (!luaL_testudata(L, index, "muslin.cloth")) {
        const char *seen = mus_lua_describe(L, index);
        mus_lua_error(L, "%s must be a cloth (got %s)", what, seen);
    }
    mus_lua_worldbox *box;
    mus_cloth_id id = mus_lua_check_cloth(L, index, "stitch", &box);
    if (box != mus_lua_test_box(L, 1)) mus_lua_error(L, "%s: the cloth belongs to another world", what);
    return id;
}

/* Reads rows of numbers at the top of the stack as stitches: a row of `stitches`, or of `edges` with the vertex of
 * the other side in front. */
static mus_stitch *read_rows(lua_State *L, const char *what, const char *form, int width, int32_t *count) {
    int list = lua_gettop(L);
    lua_Unsigned rows = lua_istable(L, list) ? lua_rawlen(L, list) : 0;
    if (rows < 1 || rows > INT32_MAX / 8) {
        const char *seen = mus_lua_describe(L, list);
        mus_lua_error(L, "%s must be a list of rows %s (got %s)", what, form, seen);
    }
    mus_stitch *out = lua_newuserdatauv(L, (size_t)rows * sizeof *out, 0);
    for (lua_Unsigned i = 0; i < rows; i++) {
        lua_rawgeti(L, list, (lua_Integer)i + 1);
        bool good = lua_istable(L, -1) && lua_rawlen(L, -1) == (lua_Unsigned)width;
        int32_t named[3] = {1, 1, 1};
        double along = 0;
        for (int k = 0; k < width && good; k++) {
            int whole = 0;
            good = lua_rawgeti(L, -1, k + 1) == LUA_TNUMBER;
            lua_Integer index = good ? lua_tointegerx(L, -1, &whole) : 0;
            if (k == width - 1)
                along = good ? lua_tonumber(L, -1) : 0;
            else
                good = good && whole && index >= 1 && index <= INT32_MAX;
            if (good && k < width - 1) named[k + 4 - width] = (int32_t)index;
            lua_pop(L, 1);
        }
        if (!good) {
            const char *seen = mus_lua_describe(L, -1);
            mus_lua_error(L, "%s [%d] must be a row %s (got %s)", what, (int)i + 1, form, seen);
        }
        lua_pop(L, 1);
        out[i] = (mus_stitch){named[0] - 1, {named[1] - 1, named[2] - 1}, along};
    }
    *count = (int32_t)rows;
    return out;
}

/* Leaves values on the stack. *edges is filled where the side gives `edges`, which only b may. */
static side read_side(lua_State *L, const char *field, mus_stitch **edges, int32_t *edge_count) {
    mus_lua_worldbox *box = mus_lua_test_box(L, 1);
    char what[64];
    if (mus_lua_field(L, 2, field) != LUA_TTABLE) {
        const char *seen = mus_lua_describe(L, -1);
        mus_lua_error(L, "stitch: field '%s' must be {cloth, vertices}%s (got %s)", field,
                      edges ? " or {cloth, edges = rows}" : "", seen);
    }
    int table = lua_gettop(L);
    side s = {.count = 0};
    lua_rawgeti(L, table, 1);
    lua_pushfstring(L, "stitch: the first item of field '%s'", field);
    s.cloth = cloth_of(L, -2, lua_tostring(L, -1));
    bool rows = mus_lua_field(L, table, "edges") != LUA_TNIL;
    if (rows && edges) {
        *edges = read_rows(L, "stitch: field 'edges'", "{vertex, vertex, share of the way}", 3, edge_count);
        return s;
    }
    if (rows) mus_lua_error(L, "stitch: field '%s' gives vertices; edges belong to 'b'", field);
    lua_rawgeti(L, table, 2);
    strcpy(what, "stitch: side ");
    strncat(what, field, 8);
    s.vertices = mus_lua_read_vertices(L, what, mus_cloth_get_vertex_count(box->world, s.cloth), &s.count);
    if (s.count < 1) mus_lua_error(L, "%s has no vertices", what);
    return s;
}

static mus_stitch *between_sides(lua_State *L, mus_seam_def *def) {
    static const char *const ways[] = {"order", "length", NULL};
    mus_lua_worldbox *box = mus_lua_test_box(L, 1);
    const char *match = mus_lua_opt_string(L, 2, "stitch", "match", "order");
    int way = strcmp(match, ways[0]) == 0 ? 0 : strcmp(match, ways[1]) == 0 ? 1 : 2;
    if (way == 2) mus_lua_error(L, "stitch: field 'match' must be 'order' or 'length' (got '%s')", match);
    mus_stitch *edges = NULL;
    int32_t edge_count = 0;
    side a = read_side(L, "a", NULL, NULL), b = read_side(L, "b", &edges, &edge_count);
    if (way == 1 && edges) mus_lua_error(L, "stitch: field 'match' is for two lines of vertices, not for 'edges'");
    /* the line with more vertices is sewn to the other, so that every vertex has a stitch */
    if (way == 1 && b.count > a.count) {
        side swapped = a;
        a = b, b = swapped;
    }
    int32_t other = edges ? edge_count : b.count;
    if (way == 0 && a.count != other)
        mus_lua_error(
            L,
            "stitch: sides a and b have %d and %d vertices; sew as many to as many, or say match = \"length\" "
            "for two lines",
            a.count, other);
    mus_stitch *stitches = lua_newuserdatauv(L, (size_t)a.count * sizeof *stitches, 0);
    def->a = a.cloth, def->b = b.cloth, def->count = a.count;
    if (way == 1) {
        mus_lua_check_status(
            L, mus_seam_match_lines(box->world, a.cloth, a.vertices, a.count, b.cloth, b.vertices, b.count, stitches));
        return stitches;
    }
    for (int32_t k = 0; k < a.count; k++) {
        stitches[k] = edges ? edges[k] : (mus_stitch){0, {b.vertices[k], b.vertices[k]}, 0};
        stitches[k].vertex = a.vertices[k];
    }
    return stitches;
}

mus_stitch *mus_lua_read_stitches(lua_State *L, const char *what, int32_t *count) {
    return read_rows(L, what, "{vertex, vertex, vertex, share of the way}", 4, count);
}

/* Of a mesh, or rows {vertex, vertex, vertex, share}. */
static const mus_stitch *within_cloth(lua_State *L, mus_seam_def *def) {
    mus_lua_field(L, 2, "cloth");
    def->a = def->b = cloth_of(L, lua_gettop(L), "stitch: field 'cloth'");
    if (mus_lua_field(L, 2, "stitches") == LUA_TUSERDATA) {
        const mus_stitch *stitches =
            mus_mesh_get_stitches(mus_lua_field_mesh(L, -1, "stitch", "stitches"), &def->count);
        if (!def->count)
            mus_lua_error(L, "stitch: field 'stitches': the mesh has none; an OBJ has them as lines 'stitch i j k r'");
        return stitches;
    }
    return mus_lua_read_stitches(L, "stitch: field 'stitches'", &def->count);
}

static double opt_positive(lua_State *L, const char *field, const char *unit, double otherwise) {
    if (mus_lua_field(L, 2, field) == LUA_TNIL) return otherwise;
    double value = mus_lua_opt_number(L, 2, "stitch", field, 0);
    if (!(value >= 0)) mus_lua_error(L, "stitch: field '%s' must be > 0 %s (got %f)", field, unit, value);
    return value;
}

static void push_seam(lua_State *L, int world, mus_seam_id id) {
    mus_seam_id *seam = lua_newuserdatauv(L, sizeof *seam, 1);
    *seam = id;
    lua_pushvalue(L, world);
    lua_setiuservalue(L, -2, 1);
    luaL_setmetatable(L, TYPE);
}

/* world:stitch(options) */
int mus_lua_world_stitch(lua_State *L) {
    static const char *const keys[] = {"a",     "b",         "match",    "cloth",   "stitches", "closing_time",
                                       "speed", "stiffness", "strength", "damping", "width",    NULL};
    mus_lua_worldbox *box = mus_lua_check_box(L, 1, "stitch");
    mus_lua_check_change(L, box, "world:stitch");
    mus_lua_check_keys(L, 2, "stitch", keys);
    lua_settop(L, 2);
    mus_seam_def def = mus_seam_def_default();
    bool speed = mus_lua_field(L, 2, "speed") != LUA_TNIL, time = mus_lua_field(L, 2, "closing_time") != LUA_TNIL;
    bool whole = mus_lua_field(L, 2, "cloth") != LUA_TNIL, sides = mus_lua_field(L, 2, "a") != LUA_TNIL;
    if (speed && time) return mus_lua_error(L, "stitch: give 'closing_time' or 'speed', not both");
    if (whole == sides) return mus_lua_error(L, "stitch: give 'a' and 'b', or 'cloth' and 'stitches'");
    if (speed) def.closing_time = 0;
    def.closing_time = opt_positive(L, "closing_time", "s", def.closing_time);
    if (time && def.closing_time == 0) return mus_lua_error(L, "stitch: field 'closing_time' must be > 0 s (got 0)");
    def.speed = opt_positive(L, "speed", "m/s", def.speed);
    def.stiffness = opt_positive(L, "stiffness", "N/m", def.stiffness);
    def.strength = opt_positive(L, "strength", "N", def.strength);
    def.damping = opt_positive(L, "damping", "s", def.damping);
    def.width = opt_positive(L, "width", "m", def.width);
    def.stitches = whole ? within_cloth(L, &def) : between_sides(L, &def);
    mus_seam_id id;
    mus_lua_check_status(L, mus_seam_create(box->world, &def, &id));
    box->moment++;
    push_seam(L, 1, id);
    return 1;
}

/* ---- Seams ------------------------------------------------------------------------------------------------------- */

static mus_world *world_of(lua_State *L, int seam) {
    lua_getiuservalue(L, seam, 1);
    mus_world *world = mus_lua_test_box(L, -1)->world;
    lua_pop(L, 1);
    return world;
}

void mus_lua_push_seams(lua_State *L, int world) {
    const mus_world *of = mus_lua_test_box(L, world)->world;
    int32_t count = mus_world_get_seam_count(of);
    lua_createtable(L, count, 0);
    for (int32_t k = 0; k < count; k++) {
        push_seam(L, world, mus_world_get_seam(of, k));
        lua_rawseti(L, -2, k + 1);
    }
}

bool mus_lua_remove_seam(lua_State *L, int world, int index) {
    const mus_seam_id *id = luaL_testudata(L, index, TYPE);
    if (!id) return false;
    mus_world *of = world_of(L, index);
    if (of != mus_lua_test_box(L, world)->world) mus_lua_error(L, "world: remove: the seam belongs to another world");
    mus_lua_check_status(L, mus_seam_destroy(of, *id));
    return true;
}

static const char *const field_names[] = {"count",   "gap",   "mean_gap", "pull", "width",
                                          "closing", "valid", "a",        "b",    NULL};

static int seam_index(lua_State *L) {
    const mus_seam_id *id = luaL_testudata(L, 1, TYPE);
    int field = 0;
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
    while (field_names[field] && strcmp(field_names[field], name) != 0) field++;
    if (!id || !field_names[field]) return mus_lua_index_method(L, "seam", field_names);
    mus_world *world = world_of(L, 1);
    if (field == 6) {
        lua_pushboolean(L, world && mus_seam_is_valid(world, *id));
        return 1;
    }
    if (!world) return mus_lua_error(L, "seam: its world was closed");
    mus_seam_state state;
    mus_lua_check_status(L, mus_seam_get_state(world, *id, &state));
    const double numbers[] = {state.count, state.largest, state.mean, state.pull, state.width};
    if (field == 0) {
        lua_pushinteger(L, state.count);
    } else if (field < 5) {
        lua_pushnumber(L, numbers[field]);
    } else if (field == 5) {
        lua_pushboolean(L, state.closing);
    } else {
        lua_getiuservalue(L, 1, 1);
        mus_lua_push_cloth(L, lua_gettop(L), field == 7 ? state.a : state.b);
    }
    return 1;
}

static int seam_newindex(lua_State *L) {
    const char *seen = mus_lua_describe(L, 2);
    return mus_lua_error(L, "seam: field %s cannot be set; make another seam", seen);
}

static int seam_eq(lua_State *L) {
    const mus_seam_id *p = luaL_testudata(L, 1, TYPE), *q = luaL_testudata(L, 2, TYPE);
    lua_pushboolean(L, p && q && p->index == q->index && p->generation == q->generation &&
                           world_of(L, 1) == world_of(L, 2));
    return 1;
}

static int seam_tostring(lua_State *L) {
    const mus_seam_id *id = luaL_testudata(L, 1, TYPE);
    mus_world *world = id ? world_of(L, 1) : NULL;
    mus_seam_state state;
    if (!world || !mus_seam_is_valid(world, *id) || mus_seam_get_state(world, *id, &state) != MUS_STATUS_OK) {
        lua_pushliteral(L, "seam (removed)");
    } else {
        lua_pushfstring(L, "seam (%d stitches)", (int)state.count);
    }
    return 1;
}

void mus_lua_open_seam(lua_State *L) {
    static const luaL_Reg meta[] = {
        {"__newindex", seam_newindex}, {"__eq", seam_eq}, {"__tostring", seam_tostring}, {NULL, NULL}};
    static const luaL_Reg none[] = {{NULL, NULL}};
    mus_lua_new_type(L, TYPE, meta, none, seam_index, NULL);
}
