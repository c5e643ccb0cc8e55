/* mesh.c: triangle meshes: generators, files, tables, transformations. */
#include "binding.h"

#include <math.h>
#include <string.h>

static const char TYPE[] = "muslin.mesh";

mus_mesh **mus_lua_new_mesh(lua_State *L) {
    mus_mesh **mesh = lua_newuserdatauv(L, sizeof(mus_mesh *), 0);
    *mesh = NULL;
    luaL_setmetatable(L, TYPE);
    return mesh;
}

void mus_lua_account_mesh(lua_State *L, const mus_mesh *mesh) {
    mus_lua_account(L, (size_t)mus_mesh_get_vertex_count(mesh) * 24 + (size_t)mus_mesh_get_face_count(mesh) * 12 +
                           (size_t)mus_mesh_get_uv_count(mesh) * 16);
}

mus_mesh *mus_lua_check_mesh(lua_State *L, int index) {
    mus_mesh **mesh = luaL_testudata(L, index, TYPE);
    if (!mesh || !*mesh) {
        const char *seen = mus_lua_describe(L, index);
        mus_lua_error(L, "mesh: call it as mesh:method(...), with a colon, on a mesh (got %s)", seen);
    }
    return *mesh;
}

mus_mesh *mus_lua_field_mesh(lua_State *L, int index, const char *what, const char *field) {
    mus_mesh **mesh = luaL_testudata(L, index, TYPE);
    if (!mesh || !*mesh) {
        const char *seen = mus_lua_describe(L, index);
        mus_lua_error(L, "%s: field '%s' must be a mesh, of muslin.mesh.grid {...} or muslin.mesh.load(path) (got %s)",
                      what, field, seen);
    }
    return *mesh;
}

static int mesh_gc(lua_State *L) {
    mus_mesh **mesh = luaL_testudata(L, 1, TYPE);
    if (mesh) {
        mus_mesh_destroy(*mesh);
        *mesh = NULL;
    }
    return 0;
}

/* Ends a constructor: raises, or reports the size to the collector. The new userdata is on top. */
static int finish_mesh(lua_State *L, mus_status status, mus_mesh *const *mesh) {
    mus_lua_check_status(L, status);
    mus_lua_account_mesh(L, *mesh);
    return 1;
}

/* ---- Generators -------------------------------------------------------------------------------------------------- */

static void options(lua_State *L, const char *what, const char *const *keys) {
    if (lua_isnoneornil(L, 1)) {
        lua_settop(L, 0);
        lua_newtable(L);
    }
    lua_settop(L, 1);
    mus_lua_check_keys(L, 1, what, keys);
}

/* Two numbers at the field; false when it is nil. */
static bool opt_pair(lua_State *L, const char *what, const char *field, bool whole, double out[2]) {
    if (mus_lua_field(L, 1, field) == LUA_TNIL) {
        lua_pop(L, 1);
        return false;
    }
    int pair = lua_gettop(L);
    bool good = lua_istable(L, pair) && lua_rawlen(L, pair) == 2;
    for (int k = 0; k < 2 && good; k++) {
        good = lua_rawgeti(L, pair, k + 1) == LUA_TNUMBER &&
               (!whole || lua_isinteger(L, -1) || lua_tonumber(L, -1) == floor(lua_tonumber(L, -1)));
        out[k] = good ? lua_tonumber(L, -1) : 0;
        good = good && (!whole || (out[k] >= INT32_MIN && out[k] <= INT32_MAX));
        lua_pop(L, 1);
    }
    if (!good) {
        const char *seen = mus_lua_describe(L, pair);
        mus_lua_error(L, "%s: field '%s' must be two %s (got %s)", what, field, whole ? "whole numbers" : "numbers",
                      seen);
    }
    lua_pop(L, 1);
    return true;
}

static double need_number(lua_State *L, const char *what, const char *field) {
    if (mus_lua_field(L, 1, field) == LUA_TNIL) mus_lua_error(L, "%s: field '%s' is missing", what, field);
    lua_pop(L, 1);
    return mus_lua_opt_number(L, 1, what, field, 0);
}

static int grid_of(lua_State *L, const char *what, bool strip) {
    static const char *const keys[] = {"nodes", "size", "plane", "center", NULL};
    options(L, what, keys);
    mus_grid_def def = mus_grid_def_default();
    double nodes[2], size[2] = {1, 1};
    if (!opt_pair(L, what, "nodes", true, nodes)) return mus_lua_error(L, "%s: field 'nodes' is missing", what);
    bool sized = opt_pair(L, what, "size", false, size);
    if (!sized && strip) return mus_lua_error(L, "%s: field 'size' is missing", what);
    for (int k = 0; k < 2; k++) {
        def.nodes[k] = (int32_t)nodes[k];
        def.size[k] = size[k];
    }
    def.plane = mus_lua_opt_string(L, 1, what, "plane", strip ? "xy" : NULL);
    mus_lua_opt_vec3(L, 1, what, "center", def.center);
    mus_mesh **mesh = mus_lua_new_mesh(L);
    return finish_mesh(L, mus_mesh_create_grid(&def, mesh), mesh);
}

static int mesh_grid(lua_State *L) {
    return grid_of(L, "mesh.grid", false);
}

/* A vertical grid: its plane is "xy" by default. */
static int mesh_strip(lua_State *L) {
    return grid_of(L, "mesh.strip", true);
}

static int mesh_disc(lua_State *L) {
    static const char *const keys[] = {"radius", "rings", "plane", "center", NULL};
    options(L, "mesh.disc", keys);
    double radius = need_number(L, "mesh.disc", "radius"), center[3] = {0, 0, 0};
    int32_t rings = mus_lua_opt_int32(L, 1, "mesh.disc", "rings", 8);
    const char *plane = mus_lua_opt_string(L, 1, "mesh.disc", "plane", NULL);
    mus_lua_opt_vec3(L, 1, "mesh.disc", "center", center);
    mus_mesh **mesh = mus_lua_new_mesh(L);
    return finish_mesh(L, mus_mesh_create_disc(radius, rings, plane, center, mesh), mesh);
}

static int mesh_sphere(lua_State *L) {
    static const char *const keys[] = {"radius", "subdivisions", "center", NULL};
    options(L, "mesh.sphere", keys);
    double radius = need_number(L, "mesh.sphere", "radius"), center[3] = {0, 0, 0};
    int32_t subdivisions = mus_lua_opt_int32(L, 1, "mesh.sphere", "subdivisions", 3);
    mus_lua_opt_vec3(L, 1, "mesh.sphere", "center", center);
    mus_mesh **mesh = mus_lua_new_mesh(L);
    return finish_mesh(L, mus_mesh_create_sphere(radius, subdivisions, center, mesh), mesh);
}

static int mesh_icosahedron(lua_State *L) {
    static const char *const keys[] = {"radius", "center", NULL};
    options(L, "mesh.icosahedron", keys);
    double radius = need_number(L, "mesh.icosahedron", "radius"), center[3] = {0, 0, 0};
    mus_lua_opt_vec3(L, 1, "mesh.icosahedron", "center", center);
    mus_mesh **mesh = mus_lua_new_mesh(L);
    return finish_mesh(L, mus_mesh_create_icosahedron(radius, center, mesh), mesh);
}

static int mesh_box(lua_State *L) {
    static const char *const keys[] = {"size", "center", NULL};
    options(L, "mesh.box", keys);
    double size[3], center[3] = {0, 0, 0};
    if (!mus_lua_opt_vec3(L, 1, "mesh.box", "size", size)) return mus_lua_error(L, "mesh.box: field 'size' is missing");
    mus_lua_opt_vec3(L, 1, "mesh.box", "center", center);
    mus_mesh **mesh = mus_lua_new_mesh(L);
    return finish_mesh(L, mus_mesh_create_box(size, center, mesh), mesh);
}

static int mesh_capsule(lua_State *L) {
    static const char *const keys[] = {"radius", "length", "segments", "rings", "center", NULL};
    options(L, "mesh.capsule", keys);
    double radius = need_number(L, "mesh.capsule", "radius"), length = need_number(L, "mesh.capsule", "length");
    double center[3] = {0, 0, 0};
    int32_t segments = mus_lua_opt_int32(L, 1, "mesh.capsule", "segments", 24);
    int32_t rings = mus_lua_opt_int32(L, 1, "mesh.capsule", "rings", 6);
    mus_lua_opt_vec3(L, 1, "mesh.capsule", "center", center);
    mus_mesh **mesh = mus_lua_new_mesh(L);
    return finish_mesh(L, mus_mesh_create_capsule(radius, length, segments, rings, center, mesh), mesh);
}

/* ---- Files and tables -------------------------------------------------------------------------------------------- */

static int mesh_load(lua_State *L) {
    static const char *const keys[] = {"scale", "up", NULL};
    if (lua_type(L, 1) != LUA_TSTRING) {
        const char *seen = mus_lua_describe(L, 1);
        return mus_lua_error(L, "mesh.load(path, options): path must be a string (got %s)", seen);
    }
    mus_load_options load = mus_load_options_default();
    if (!lua_isnoneornil(L, 2)) {
        mus_lua_check_keys(L, 2, "mesh.load", keys);
        load.scale = mus_lua_opt_number(L, 2, "mesh.load", "scale", 1);
        load.up = mus_lua_opt_string(L, 2, "mesh.load", "up", NULL);
    }
    const char *path = mus_lua_check_path(L, 1, "mesh.load(path)");
    mus_mesh **mesh = mus_lua_new_mesh(L);
    mus_lua_check_readable(L, "mesh.load(path)", path);
    return finish_mesh(L, mus_mesh_load(path, &load, mesh), mesh);
}

/* Reads a list of rows, or an array, of `width` numbers into a userdata that is left on the stack. */
static double *read_numbers(lua_State *L, const char *field, int width, int32_t *count) {
    int list = lua_gettop(L);
    mus_lua_span span;
    if (mus_lua_test_array(L, list, &span)) {
        if (span.components != width || span.count > INT32_MAX)
            mus_lua_error(L, "mesh.new: field '%s' needs %d numbers a row (the array has %d)", field, width,
                          span.components);
        double *copy = lua_newuserdatauv(L, (size_t)span.count * (size_t)width * sizeof *copy + 1, 0);
        memcpy(copy, span.data, (size_t)span.count * (size_t)width * sizeof *copy);
        *count = (int32_t)span.count;
        return copy;
    }
    if (!lua_istable(L, list)) {
        const char *seen = mus_lua_describe(L, list);
        mus_lua_error(L, "mesh.new: field '%s' must be a list of rows of %d numbers (got %s)", field, width, seen);
    }
    lua_Unsigned rows = lua_rawlen(L, list);
    if (rows > INT32_MAX / 4) mus_lua_error(L, "mesh.new: field '%s' has too many rows", field);
    double *out = lua_newuserdatauv(L, (size_t)rows * (size_t)width * sizeof *out + 1, 0);
    for (lua_Unsigned i = 0; i < rows; i++) {
        lua_rawgeti(L, list, (lua_Integer)i + 1);
        double *row = out + i * (size_t)width;
        bool good = width == 3 && mus_lua_test_vec3(L, -1, row);
        if (!good && lua_istable(L, -1) && lua_rawlen(L, -1) == (lua_Unsigned)width) {
            good = true;
            for (int k = 0; k < width && good; k++) {
                good = lua_rawgeti(L, -1, k + 1) == LUA_TNUMBER;
                row[k] = good ? lua_tonumber(L, -1) : 0;
                lua_pop(L, 1);
            }
        }
        if (!good) {
            const char *seen = mus_lua_describe(L, -1);
            mus_lua_error(L, "mesh.new: field '%s' [%d] must be %d numbers (got %s)", field, (int)i + 1, width, seen);
        }
        lua_pop(L, 1);
    }
    *count = (int32_t)rows;
    return out;
}

/* Reads a list of three indices from 1 a row. */
static int32_t *read_faces(lua_State *L, const char *field, int32_t *count) {
    int list = lua_gettop(L);
    if (!lua_istable(L, list)) {
        const char *seen = mus_lua_describe(L, list);
        mus_lua_error(L, "mesh.new: field '%s' must be a list of rows of 3 indices, from 1 (got %s)", field, seen);
    }
    lua_Unsigned rows = lua_rawlen(L, list);
    if (rows > INT32_MAX / 4) mus_lua_error(L, "mesh.new: field '%s' has too many rows", field);
    int32_t *out = lua_newuserdatauv(L, (size_t)rows * 3 * sizeof *out + 1, 0);
    for (lua_Unsigned i = 0; i < rows; i++) {
        lua_rawgeti(L, list, (lua_Integer)i + 1);
        bool good = lua_istable(L, -1) && lua_rawlen(L, -1) == 3;
        for (int k = 0; k < 3 && good; k++) {
            int whole = 0;
            lua_rawgeti(L, -1, k + 1);
            lua_Integer index = lua_type(L, -1) == LUA_TNUMBER ? lua_tointegerx(L, -1, &whole) : 0;
            good = whole && index >= 1 && index <= INT32_MAX;
            out[3 * i + (lua_Unsigned)k] = good ? (int32_t)(index - 1) : 0;
            lua_pop(L, 1);
        }
        if (!good) {
            const char *seen = mus_lua_describe(L, -1);
            mus_lua_error(L, "mesh.new: field '%s' [%d] must be three whole numbers from 1 (got %s)", field, (int)i + 1,
                          seen);
        }
        lua_pop(L, 1);
    }
    *count = (int32_t)rows;
    return out;
}

/* Rows {name, number of faces}; the names stay on the stack, within the table. */
static const mus_mesh_group *read_groups(lua_State *L, int32_t *count) {
    int list = lua_gettop(L);
    if (!lua_istable(L, list)) {
        const char *seen = mus_lua_describe(L, list);
        mus_lua_error(L, "mesh.new: field 'groups' must be a list of rows {name, number of faces} (got %s)", seen);
    }
    lua_Unsigned rows = lua_rawlen(L, list);
    if (rows > INT32_MAX / 4) mus_lua_error(L, "mesh.new: field 'groups' has too many rows");
    mus_mesh_group *out = lua_newuserdatauv(L, (size_t)rows * sizeof *out + 1, 0);
    for (lua_Unsigned i = 0; i < rows; i++) {
        int whole = 0;
        bool good = lua_rawgeti(L, list, (lua_Integer)i + 1) == LUA_TTABLE && lua_rawgeti(L, -1, 1) == LUA_TSTRING &&
                    lua_rawgeti(L, -2, 2) == LUA_TNUMBER;
        lua_Integer faces = good ? lua_tointegerx(L, -1, &whole) : 0;
        if (!whole || faces < 0 || faces > INT32_MAX)
            mus_lua_error(L, "mesh.new: field 'groups' [%d] must be {name, number of faces}", (int)i + 1);
        out[i] = (mus_mesh_group){lua_tostring(L, -2), (int32_t)faces};
        lua_pop(L, 3);
    }
    *count = (int32_t)rows;
    return rows ? out : NULL;
}

static int mesh_new(lua_State *L) {
    static const char *const keys[] = {"vertices", "faces", "uv", "uv_faces", "stitches", "groups", NULL};
    mus_lua_check_keys(L, 1, "mesh.new", keys);
    lua_settop(L, 1);
    mus_mesh_def def = mus_mesh_def_default();
    static const char *const needed[] = {"vertices", "faces"};
    for (int k = 0; k < 2; k++) {
        if (mus_lua_field(L, 1, needed[k]) == LUA_TNIL)
            return mus_lua_error(L, "mesh.new: field '%s' is missing", needed[k]);
        lua_pop(L, 1);
    }
    mus_lua_field(L, 1, "vertices");
    def.vertices = read_numbers(L, "vertices", 3, &def.vertex_count);
    mus_lua_field(L, 1, "faces");
    def.faces = read_faces(L, "faces", &def.face_count);
    bool uv = mus_lua_field(L, 1, "uv") != LUA_TNIL;
    if (uv) def.uvs = read_numbers(L, "uv", 2, &def.uv_count);
    if (mus_lua_field(L, 1, "uv_faces") != LUA_TNIL) {
        if (!uv) return mus_lua_error(L, "mesh.new: field 'uv_faces' needs 'uv'");
        int32_t count;
        def.uv_faces = read_faces(L, "uv_faces", &count);
        if (count != def.face_count)
            return mus_lua_error(L, "mesh.new: field 'uv_faces' must have one row a face (%d rows, %d faces)", count,
                                 def.face_count);
    } else if (uv) {
        if (def.uv_count != def.vertex_count)
            return mus_lua_error(L,
                                 "mesh.new: field 'uv' must have one row a vertex (%d rows, %d vertices), or give "
                                 "'uv_faces'",
                                 def.uv_count, def.vertex_count);
        def.uv_faces = def.faces;
    }
    if (mus_lua_field(L, 1, "stitches") != LUA_TNIL)
        def.stitches = mus_lua_read_stitches(L, "mesh.new: field 'stitches'", &def.stitch_count);
    if (mus_lua_field(L, 1, "groups") != LUA_TNIL) def.groups = read_groups(L, &def.group_count);
    mus_mesh **mesh = mus_lua_new_mesh(L);
    return finish_mesh(L, mus_mesh_create(&def, mesh), mesh);
}

/* ---- Methods ----------------------------------------------------------------------------------------------------- */

static int mesh_save(lua_State *L) {
    mus_mesh *mesh = mus_lua_check_mesh(L, 1);
    if (lua_type(L, 2) != LUA_TSTRING) {
        const char *seen = mus_lua_describe(L, 2);
        return mus_lua_error(L, "mesh:save(path): path must be a string (got %s)", seen);
    }
    const char *path = mus_lua_check_path(L, 2, "mesh:save(path)");
    mus_lua_check_writable(L, "mesh:save(path)", path, NULL);
    mus_lua_check_status(L, mus_mesh_save(mesh, path));
    lua_settop(L, 1);
    return 1;
}

static int mesh_transform(lua_State *L) {
    mus_mesh *mesh = mus_lua_check_mesh(L, 1);
    double matrix[12];
    mus_lua_check_transform(L, 2, "mesh:transform", matrix);
    mus_lua_check_status(L, mus_mesh_transform(mesh, matrix));
    lua_settop(L, 1);
    return 1;
}

static int mesh_subdivide(lua_State *L) {
    mus_mesh *mesh = mus_lua_check_mesh(L, 1);
    lua_Integer rounds = luaL_optinteger(L, 2, 1);
    if (rounds < 0 || rounds > 16)
        return mus_lua_error(L, "mesh:subdivide(n): n must be from 0 to 16 (got %I)", (LUAI_UACINT)rounds);
    mus_mesh **out = mus_lua_new_mesh(L);
    return finish_mesh(L, mus_mesh_subdivide(mesh, (int32_t)rounds, out), out);
}

static int mesh_copy(lua_State *L) {
    mus_mesh *mesh = mus_lua_check_mesh(L, 1);
    mus_mesh **out = mus_lua_new_mesh(L);
    return finish_mesh(L, mus_mesh_copy(mesh, out), out);
}

static int mesh_check(lua_State *L) {
    mus_mesh *mesh = mus_lua_check_mesh(L, 1);
    mus_mesh_report report;
    mus_lua_check_status(L, mus_mesh_check(mesh, &report));
    lua_createtable(L, 0, 8);
    const struct {
        const char *name;
        int32_t value;
    } counts[] = {{"edges", report.edges},
                  {"boundary_edges", report.boundary_edges},
                  {"hinges", report.hinges},
                  {"components", report.components},
                  {"boundary_loops", report.boundary_loops},
                  {"unused_vertices", report.unused_vertices}};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        lua_pushinteger(L, counts[k].value);
        lua_setfield(L, -2, counts[k].name);
    }
    lua_pushboolean(L, report.closed);
    lua_setfield(L, -2, "closed");
    lua_pushboolean(L, report.orientable);
    lua_setfield(L, -2, "orientable");
    return 1;
}

static int mesh_area(lua_State *L) {
    lua_pushnumber(L, mus_mesh_get_area(mus_lua_check_mesh(L, 1)));
    return 1;
}

static int mesh_bounds(lua_State *L) {
    mus_mesh *mesh = mus_lua_check_mesh(L, 1);
    const double *x = mus_mesh_get_vertices_const(mesh);
    int32_t count = mus_mesh_get_vertex_count(mesh);
    double low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    for (int32_t i = 0; i < 3 * count; i++) {
        if (i < 3 || x[i] < low[i % 3]) low[i % 3] = x[i];
        if (i < 3 || x[i] > high[i % 3]) high[i % 3] = x[i];
    }
    mus_lua_push_vec3(L, low[0], low[1], low[2]);
    mus_lua_push_vec3(L, high[0], high[1], high[2]);
    return 2;
}

static int mesh_faces(lua_State *L) {
    mus_mesh *mesh = mus_lua_check_mesh(L, 1);
    const int32_t *faces = mus_mesh_get_faces(mesh);
    int32_t count = mus_mesh_get_face_count(mesh);
    lua_createtable(L, count, 0);
    for (int32_t i = 0; i < count; i++) {
        lua_createtable(L, 3, 0);
        for (int k = 0; k < 3; k++) {
            lua_pushinteger(L, faces[3 * i + k] + 1);
            lua_rawseti(L, -2, k + 1);
        }
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

/* Rows {i, j, k, share}: vertex i is sewn to the point (1 - share) j + share k. */
static int mesh_stitches(lua_State *L) {
    int32_t count;
    const mus_stitch *stitches = mus_mesh_get_stitches(mus_lua_check_mesh(L, 1), &count);
    lua_createtable(L, count, 0);
    for (int32_t i = 0; i < count; i++) {
        const int32_t named[3] = {stitches[i].vertex, stitches[i].onto[0], stitches[i].onto[1]};
        lua_createtable(L, 4, 0);
        for (int k = 0; k < 3; k++) {
            lua_pushinteger(L, named[k] + 1);
            lua_rawseti(L, -2, k + 1);
        }
        lua_pushnumber(L, stitches[i].along);
        lua_rawseti(L, -2, 4);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

/* Rows {name, number of faces}, from the first face on. */
static int mesh_groups(lua_State *L) {
    int32_t count;
    const mus_mesh_group *groups = mus_mesh_get_groups(mus_lua_check_mesh(L, 1), &count);
    lua_createtable(L, count, 0);
    for (int32_t i = 0; i < count; i++) {
        lua_createtable(L, 2, 0);
        lua_pushstring(L, groups[i].name);
        lua_rawseti(L, -2, 1);
        lua_pushinteger(L, groups[i].face_count);
        lua_rawseti(L, -2, 2);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

/* The mesh never changes its counts, so the view is valid as long as the userdata. */
static mus_lua_span fetch_vertices(lua_State *L, int owner, int tag, bool write) {
    (void)tag;
    (void)write;
    mus_mesh *mesh = mus_lua_check_mesh(L, owner);
    return (mus_lua_span){mus_mesh_get_vertices(mesh), mus_mesh_get_vertex_count(mesh), 3};
}

static const char *const field_names[] = {"x", "vertex_count", "face_count", "uv_count", "grid_nodes", NULL};

static int mesh_index(lua_State *L) {
    mus_mesh **mesh = luaL_testudata(L, 1, TYPE);
    int field = 0;
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
    while (field_names[field] && strcmp(field_names[field], name) != 0) field++;
    if (!mesh || !*mesh || !field_names[field]) return mus_lua_index_method(L, "mesh", field_names);
    switch (field) {
    case 0:
        mus_lua_push_view(L, 1, 0, "mesh.x", fetch_vertices, NULL);
        break;
    case 1:
        lua_pushinteger(L, mus_mesh_get_vertex_count(*mesh));
        break;
    case 2:
        lua_pushinteger(L, mus_mesh_get_face_count(*mesh));
        break;
    case 3:
        lua_pushinteger(L, mus_mesh_get_uv_count(*mesh));
        break;
    default: {
        const int32_t *nodes = mus_mesh_get_grid_nodes(*mesh);
        if (nodes[0] < 2) {
            lua_pushnil(L);
            break;
        }
        lua_createtable(L, 2, 0);
        for (int k = 0; k < 2; k++) {
            lua_pushinteger(L, nodes[k]);
            lua_rawseti(L, -2, k + 1);
        }
    }
    }
    return 1;
}

static int mesh_newindex(lua_State *L) {
    const char *seen = mus_lua_describe(L, 2);
    return mus_lua_error(L, "mesh: field %s cannot be set; write mesh.x[i] = {x, y, z} or use mesh:transform", seen);
}

static int mesh_tostring(lua_State *L) {
    mus_mesh **mesh = luaL_testudata(L, 1, TYPE);
    if (mesh && *mesh) {
        lua_pushfstring(L, "mesh (%d vertices, %d faces)", (int)mus_mesh_get_vertex_count(*mesh),
                        (int)mus_mesh_get_face_count(*mesh));
    } else {
        lua_pushliteral(L, "mesh");
    }
    return 1;
}

void mus_lua_open_mesh(lua_State *L) {
    static const luaL_Reg meta[] = {
        {"__gc", mesh_gc}, {"__newindex", mesh_newindex}, {"__tostring", mesh_tostring}, {NULL, NULL}};
    static const luaL_Reg methods[] = {{"save", mesh_save},
                                       {"transform", mesh_transform},
                                       {"subdivide", mesh_subdivide},
                                       {"copy", mesh_copy},
                                       {"check", mesh_check},
                                       {"area", mesh_area},
                                       {"bounds", mesh_bounds},
                                       {"raycast", mus_lua_mesh_raycast},
                                       {"polyline", mus_lua_mesh_polyline},
                                       {"faces", mesh_faces},
                                       {"stitches", mesh_stitches},
                                       {"groups", mesh_groups},
                                       {NULL, NULL}};
    static const luaL_Reg functions[] = {{"grid", mesh_grid},
                                         {"strip", mesh_strip},
                                         {"disc", mesh_disc},
                                         {"sphere", mesh_sphere},
                                         {"icosahedron", mesh_icosahedron},
                                         {"box", mesh_box},
                                         {"capsule", mesh_capsule},
                                         {"load", mesh_load},
                                         {"new", mesh_new},
                                         {NULL, NULL}};
    mus_lua_new_type(L, TYPE, meta, methods, mesh_index, NULL);
    luaL_newlib(L, functions);
    mus_lua_add_mesh_shapes(L);
    mus_lua_refuse_absent_fields(L, "muslin.mesh");
}
