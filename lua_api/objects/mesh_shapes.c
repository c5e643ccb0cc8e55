/* mesh_shapes.c: the generators of round meshes and of polygons: cylinder, tube, cone, torus, annulus, polygon. */
#include "binding.h"

static void check_options(lua_State *L, const char *what, const char *const *keys) {
    lua_settop(L, 1);
    mus_lua_check_keys(L, 1, what, keys);
}

static void need_field(lua_State *L, const char *what, const char *field) {
    lua_pushstring(L, field);
    if (lua_rawget(L, 1) == LUA_TNIL) mus_lua_error(L, "%s: field '%s' is missing", what, field);
    lua_pop(L, 1);
}

static bool has_field(lua_State *L, const char *field) {
    lua_pushstring(L, field);
    bool given = lua_rawget(L, 1) != LUA_TNIL;
    lua_pop(L, 1);
    return given;
}

static int finish_mesh(lua_State *L, mus_status status, mus_mesh *const *mesh) {
    mus_lua_check_status(L, status);
    mus_lua_account_mesh(L, *mesh);
    return 1;
}

/* Options common to round meshes: radius, segments or edge_length, center, and the axis or the plane. */
static mus_round_def read_round(lua_State *L, const char *what, const char *other_radius, bool has_length,
                                const char *axis) {
    mus_round_def def = mus_round_def_default();
    need_field(L, what, "radius");
    def.radius = mus_lua_opt_number(L, 1, what, "radius", 0);
    if (other_radius) def.other_radius = mus_lua_opt_number(L, 1, what, other_radius, 0);
    if (has_length) {
        need_field(L, what, "length");
        def.length = mus_lua_opt_number(L, 1, what, "length", 0);
    }
    if (has_field(L, "edge_length")) {
        if (has_field(L, "segments"))
            mus_lua_error(L, "%s: give 'segments' or 'edge_length', not both: either sets the other", what);
        def.edge_length = mus_lua_opt_number(L, 1, what, "edge_length", 0);
        if (!(def.edge_length > 0))
            mus_lua_error(L, "%s: field 'edge_length' must be > 0 m (got %s)", what,
                          mus_lua_write_number(L, def.edge_length));
    }
    def.segments = mus_lua_opt_int32(L, 1, what, "segments", 32);
    def.axis = mus_lua_opt_string(L, 1, what, axis, NULL);
    mus_lua_opt_vec3(L, 1, what, "center", def.center);
    return def;
}

static int mesh_cylinder(lua_State *L) {
    static const char *const keys[] = {"radius", "length", "segments", "edge_length", "axis", "center", NULL};
    check_options(L, "mesh.cylinder", keys);
    mus_round_def def = read_round(L, "mesh.cylinder", NULL, true, "axis");
    mus_mesh **mesh = mus_lua_new_mesh(L);
    return finish_mesh(L, mus_mesh_create_cylinder(&def, mesh), mesh);
}

static int mesh_tube(lua_State *L) {
    static const char *const keys[] = {"radius", "length", "segments", "edge_length", "axis", "center", NULL};
    check_options(L, "mesh.tube", keys);
    mus_round_def def = read_round(L, "mesh.tube", NULL, true, "axis");
    mus_mesh **mesh = mus_lua_new_mesh(L);
    return finish_mesh(L, mus_mesh_create_tube(&def, mesh), mesh);
}

static int mesh_cone(lua_State *L) {
    static const char *const keys[] = {"radius", "top_radius", "length", "segments", "edge_length",
                                       "caps",   "axis",       "center", NULL};
    check_options(L, "mesh.cone", keys);
    mus_round_def def = read_round(L, "mesh.cone", "top_radius", true, "axis");
    bool caps = mus_lua_opt_bool(L, 1, "mesh.cone", "caps", true);
    mus_mesh **mesh = mus_lua_new_mesh(L);
    return finish_mesh(L, mus_mesh_create_cone(&def, caps, mesh), mesh);
}

static int mesh_torus(lua_State *L) {
    static const char *const keys[] = {"radius", "tube_radius", "segments", "edge_length", "axis", "center", NULL};
    check_options(L, "mesh.torus", keys);
    need_field(L, "mesh.torus", "tube_radius");
    mus_round_def def = read_round(L, "mesh.torus", "tube_radius", false, "axis");
    mus_mesh **mesh = mus_lua_new_mesh(L);
    return finish_mesh(L, mus_mesh_create_torus(&def, mesh), mesh);
}

static int mesh_annulus(lua_State *L) {
    static const char *const keys[] = {"radius", "inner_radius", "segments", "edge_length", "plane", "center", NULL};
    check_options(L, "mesh.annulus", keys);
    need_field(L, "mesh.annulus", "inner_radius");
    mus_round_def def = read_round(L, "mesh.annulus", "inner_radius", false, "plane");
    mus_mesh **mesh = mus_lua_new_mesh(L);
    return finish_mesh(L, mus_mesh_create_annulus(&def, mesh), mesh);
}

/* ---- Polygons ---------------------------------------------------------------------------------------------------- */

/* Writes the list of points {x, y} on top to `out`, 2 numbers each. */
static void read_outline(lua_State *L, const char *field, double *out) {
    int list = lua_gettop(L);
    lua_Integer count = (lua_Integer)lua_rawlen(L, list);
    for (lua_Integer i = 1; i <= count; i++) {
        lua_rawgeti(L, list, i);
        bool good = lua_istable(L, -1) && lua_rawlen(L, -1) == 2;
        for (int k = 0; k < 2 && good; k++) {
            good = lua_rawgeti(L, -1, k + 1) == LUA_TNUMBER;
            *out++ = good ? lua_tonumber(L, -1) : 0;
            lua_pop(L, 1);
        }
        if (!good) {
            const char *seen = mus_lua_describe(L, -1);
            mus_lua_error(L, "mesh.polygon: field '%s' [%d] must be a point of two numbers {x, y} (got %s)", field,
                          (int)i, seen);
        }
        lua_pop(L, 1);
    }
}

/* The length of the list on top, whose items `list` names. */
static int32_t length_of_list(lua_State *L, const char *field, const char *items) {
    if (!lua_istable(L, -1) || lua_rawlen(L, -1) == 0 || lua_rawlen(L, -1) > 1000000) {
        const char *seen = lua_istable(L, -1) ? "an empty table, or more than a million" : mus_lua_describe(L, -1);
        mus_lua_error(L, "mesh.polygon: field '%s' must be a list of %s (got %s)", field, items, seen);
    }
    return (int32_t)lua_rawlen(L, -1);
}

/* Their memory stays on the stack. */
static void read_lines(lua_State *L, mus_polygon_def *def) {
    lua_pushliteral(L, "lines");
    if (lua_rawget(L, 1) == LUA_TNIL || (lua_istable(L, -1) && lua_rawlen(L, -1) == 0)) return;
    int lines = lua_gettop(L);
    def->line_count = length_of_list(L, "lines", "lines, each a list of points {x, y}");
    int32_t *counts = lua_newuserdatauv(L, (size_t)def->line_count * sizeof *counts, 0);
    size_t total = 0;
    for (int32_t n = 0; n < def->line_count; n++) {
        lua_rawgeti(L, lines, n + 1);
        total += (size_t)(counts[n] = length_of_list(L, "lines", "lines, each a list of points {x, y}"));
        lua_pop(L, 1);
    }
    double *points = lua_newuserdatauv(L, total * 2 * sizeof *points, 0);
    def->line_points = points, def->line_counts = counts;
    for (int32_t n = 0; n < def->line_count; points += 2 * (size_t)counts[n++]) {
        lua_rawgeti(L, lines, n + 1);
        read_outline(L, "lines", points);
        lua_pop(L, 1);
    }
}

static int mesh_polygon(lua_State *L) {
    static const char *const keys[] = {"points", "holes", "lines", "edge_length", "plane", "center", NULL};
    static const char what[] = "mesh.polygon", of_points[] = "points {x, y}";
    check_options(L, what, keys);
    mus_polygon_def def = mus_polygon_def_default();
    need_field(L, what, "points");
    need_field(L, what, "edge_length");
    def.edge_length = mus_lua_opt_number(L, 1, what, "edge_length", 0);
    def.plane = mus_lua_opt_string(L, 1, what, "plane", NULL);
    mus_lua_opt_vec3(L, 1, what, "center", def.center);
    int64_t total;
    lua_pushliteral(L, "points");
    lua_rawget(L, 1);
    int points = lua_gettop(L), holes = points + 1;
    total = length_of_list(L, "points", of_points);
    lua_pushliteral(L, "holes");
    if (lua_rawget(L, 1) != LUA_TNIL) def.outline_count += length_of_list(L, "holes", "outlines");
    int32_t *counts = lua_newuserdatauv(L, (size_t)def.outline_count * sizeof *counts, 0);
    counts[0] = (int32_t)total;
    for (int32_t n = 1; n < def.outline_count; n++) {
        lua_rawgeti(L, holes, n);
        total += counts[n] = length_of_list(L, "holes", "outlines, each a list of points {x, y}");
        lua_pop(L, 1);
    }
    double *place = lua_newuserdatauv(L, (size_t)total * 2 * sizeof *place, 0);
    def.points = place, def.counts = counts;
    lua_pushvalue(L, points);
    read_outline(L, "points", place);
    for (int32_t n = 1; n < def.outline_count; n++) {
        place += 2 * (size_t)counts[n - 1];
        lua_rawgeti(L, holes, n);
        read_outline(L, "holes", place);
        lua_pop(L, 1);
    }
    read_lines(L, &def);
    mus_mesh **mesh = mus_lua_new_mesh(L);
    return finish_mesh(L, mus_mesh_create_polygon(&def, mesh), mesh);
}

void mus_lua_add_mesh_shapes(lua_State *L) {
    static const luaL_Reg functions[] = {
        {"cylinder", mesh_cylinder}, {"tube", mesh_tube},       {"cone", mesh_cone}, {"torus", mesh_torus},
        {"annulus", mesh_annulus},   {"polygon", mesh_polygon}, {NULL, NULL}};
    luaL_setfuncs(L, functions, 0);
}
