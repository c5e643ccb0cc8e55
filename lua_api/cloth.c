/* cloth.c: cloth objects: making, pinning, whole-array views. */
#include "binding.h"

#include <stdio.h>
#include <string.h>

static const char TYPE[] = "muslin.cloth";

static mus_cloth_id id_of(const mus_lua_object *object) {
    return (mus_cloth_id){object->index, object->generation};
}

/* Pushes the world. */
mus_cloth_id mus_lua_check_cloth(lua_State *L, int index, const char *method, mus_lua_worldbox **box) {
    mus_lua_object *object = luaL_testudata(L, index, TYPE);
    if (!object) {
        const char *seen = mus_lua_describe(L, index);
        mus_lua_error(L, "cloth: call it as cloth:%s(...), with a colon, on a cloth (got %s)", method, seen);
    }
    mus_lua_check_alive(L, index, box);
    lua_getiuservalue(L, index, 1);
    return id_of(object);
}

/* ---- Making ------------------------------------------------------------------------------------------------------ */

int mus_lua_world_cloth(lua_State *L) {
    static const char *const keys[] = {"name",     "mesh",     "rest",        "material",       "thickness",
                                       "friction", "velocity", "restitution", "self_collision", NULL};
    mus_lua_worldbox *box = mus_lua_check_box(L, 1, "cloth");
    mus_lua_check_keys(L, 2, "cloth", keys);
    lua_settop(L, 2);
    mus_cloth_def def = mus_cloth_def_default();
    def.name = mus_lua_opt_string(L, 2, "cloth", "name", NULL);
    if (lua_getfield(L, 2, "mesh") == LUA_TNIL)
        return mus_lua_error(L, "cloth: field 'mesh' is missing; give one of muslin.mesh, grid for example");
    mus_mesh *mesh = mus_lua_field_mesh(L, -1, "cloth", "mesh");
    def.mesh = mesh;
    if (lua_getfield(L, 2, "rest") == LUA_TSTRING && strcmp(lua_tostring(L, -1), "uv") == 0) {
        def.rest_from_uv = true;
    } else if (!lua_isnil(L, -1)) {
        def.rest = mus_lua_field_mesh(L, -1, "cloth", "rest");
    }
    if (lua_getfield(L, 2, "material") != LUA_TNIL) mus_lua_check_material(L, -1, &def.material);
    def.thickness = mus_lua_opt_number(L, 2, "cloth", "thickness", def.thickness);
    def.friction = mus_lua_opt_number(L, 2, "cloth", "friction", def.friction);
    def.restitution = mus_lua_opt_number(L, 2, "cloth", "restitution", def.restitution);
    mus_lua_opt_vec3(L, 2, "cloth", "velocity", def.velocity);
    def.self_collision = mus_lua_opt_bool(L, 2, "cloth", "self_collision", def.self_collision);
    mus_cloth_id id;
    mus_lua_check_status(L, mus_cloth_create(box->world, &def, &id));
    box->moment++;
    mus_lua_push_cloth(L, 1, id);
    return 1;
}

/* ---- Pins -------------------------------------------------------------------------------------------------------- */

typedef struct choice { /* indices from 0; the memory is a userdata on the stack */
    int32_t *vertices;
    int32_t count;
} choice;

static choice new_choice(lua_State *L, int64_t count) {
    choice chosen = {lua_newuserdatauv(L, (size_t)(count ? count : 1) * sizeof(int32_t), 0), 0};
    return chosen;
}

static void add_vertex(lua_State *L, choice *chosen, const char *what, lua_Number number, int32_t vertex_count) {
    if (!(number >= 1 && number <= vertex_count) || number != (lua_Number)(int32_t)number)
        mus_lua_error(L, "%s: field 'vertices' must hold whole numbers from 1 to %d (got %f)", what, vertex_count,
                      number);
    chosen->vertices[chosen->count++] = (int32_t)number - 1;
}

int32_t *mus_lua_read_vertices(lua_State *L, const char *what, int32_t vertex_count, int32_t *chosen_count) {
    int list = lua_gettop(L);
    mus_lua_span span;
    if (lua_type(L, list) == LUA_TNUMBER) {
        choice chosen = new_choice(L, 1);
        add_vertex(L, &chosen, what, lua_tonumber(L, list), vertex_count);
        *chosen_count = chosen.count;
        return chosen.vertices;
    }
    if (lua_istable(L, list)) {
        lua_Integer count = (lua_Integer)lua_rawlen(L, list);
        choice chosen = new_choice(L, count);
        for (lua_Integer i = 1; i <= count; i++) {
            if (lua_rawgeti(L, list, i) != LUA_TNUMBER) {
                const char *seen = mus_lua_describe(L, -1);
                mus_lua_error(L, "%s: field 'vertices' must hold whole numbers from 1 to %d (got %s)", what,
                              vertex_count, seen);
            }
            add_vertex(L, &chosen, what, lua_tonumber(L, -1), vertex_count);
            lua_pop(L, 1);
        }
        *chosen_count = chosen.count;
        return chosen.vertices;
    }
    if (mus_lua_test_array(L, list, &span) && span.components == 1) {
        choice chosen = new_choice(L, span.count);
        for (int64_t i = 0; i < span.count; i++) add_vertex(L, &chosen, what, span.data[i], vertex_count);
        *chosen_count = chosen.count;
        return chosen.vertices;
    }
    const char *seen = mus_lua_describe(L, list);
    mus_lua_error(L, "%s: field 'vertices' must be a list of vertices, from 1 (got %s)", what, seen);
    return NULL;
}

static choice read_corners(lua_State *L, const char *what, const mus_lua_object *object) {
    int32_t nu = object->grid_nodes[0], nv = object->grid_nodes[1];
    if (nu < 2 || nv < 2)
        mus_lua_error(
            L, "%s: field 'corners' needs a mesh that is a grid; name the vertices with 'vertices' or 'where'", what);
    choice chosen = new_choice(L, 4);
    const int32_t corners[4] = {0, nu - 1, nu * (nv - 1), nu * nv - 1};
    memcpy(chosen.vertices, corners, sizeof corners);
    chosen.count = 4;
    return chosen;
}

/* The function on top is asked for every vertex: where(x, y, z, i). */
static choice read_where(lua_State *L, const char *what, mus_lua_worldbox *box, mus_cloth_id id) {
    int function = lua_gettop(L);
    mus_lua_check_function(L, function, what);
    int32_t count = mus_cloth_vertex_count(box->world, id);
    choice chosen = new_choice(L, count);
    for (int32_t i = 0; i < count; i++) {
        /* Looked up anew: the function may have removed the cloth. */
        const double *x = box->world ? mus_cloth_positions(box->world, id) : NULL;
        if (!x) mus_lua_error(L, "%s: the cloth was removed by 'where' itself", what);
        lua_pushvalue(L, function);
        for (int k = 0; k < 3; k++) lua_pushnumber(L, x[3 * i + k]);
        lua_pushinteger(L, i + 1);
        lua_call(L, 4, 1);
        if (lua_toboolean(L, -1)) chosen.vertices[chosen.count++] = i;
        lua_pop(L, 1);
    }
    return chosen;
}

/* Reads vertices, corners or where of the options at 2; exactly one must be there. */
static choice read_choice(lua_State *L, const char *what, mus_lua_worldbox *box, mus_cloth_id id) {
    static const char *const ways[] = {"vertices", "corners", "where"};
    int given = -1;
    for (int k = 0; k < 3; k++) {
        if (lua_getfield(L, 2, ways[k]) != LUA_TNIL) {
            if (given >= 0)
                mus_lua_error(L, "%s: give only one of 'vertices', 'corners' and 'where' (got '%s' and '%s')", what,
                              ways[given], ways[k]);
            given = k;
        }
        lua_pop(L, 1);
    }
    if (given < 0) mus_lua_error(L, "%s: say which vertices: give 'vertices', 'corners' or 'where'", what);
    lua_getfield(L, 2, ways[given]);
    const mus_lua_object *object = lua_touserdata(L, 1);
    choice listed = {NULL, 0};
    int32_t most = mus_cloth_vertex_count(box->world, id);
    if (given == 0) return listed.vertices = mus_lua_read_vertices(L, what, most, &listed.count), listed;
    if (given == 2) {
        char text[64];
        snprintf(text, sizeof text, "%s: field 'where'", what);
        return read_where(L, text, box, id);
    }
    if (!lua_isboolean(L, -1) || !lua_toboolean(L, -1)) {
        const char *seen = mus_lua_describe(L, -1);
        mus_lua_error(L, "%s: field 'corners' must be true (got %s)", what, seen);
    }
    return read_corners(L, what, object);
}

typedef struct path_arguments {
    const mus_lua_record *record;
    double t;
    int32_t vertex;
    double *position;
} path_arguments;

static int path_body(lua_State *L) {
    const path_arguments *arguments = lua_touserdata(L, 2);
    mus_lua_push_function(L, 1, arguments->record);
    lua_pushnumber(L, arguments->t);
    lua_pushinteger(L, arguments->vertex + 1);
    lua_call(L, 2, 1);
    double place[3];
    mus_lua_check_place(L, -1, "cloth: the path of a pin", arguments->t, place);
    memcpy(arguments->position, place, sizeof place);
    return 0;
}

static mus_status follow_path(void *user, double t, int32_t vertex, double position[3]) {
    path_arguments arguments = {user, t, vertex, position};
    return mus_lua_callback(arguments.record->box, MUS_LUA_PHASE_FUNCTION, path_body, &arguments);
}

/* Notes which vertices follow `record` (an index, 0: none of them follows a path any longer); chosen NULL: all. */
static void note_paths(lua_State *L, mus_lua_worldbox *box, int world, const choice *chosen, int record) {
    lua_Integer key = mus_lua_object_key(lua_touserdata(L, 1));
    lua_getiuservalue(L, world, MUS_LUA_OWNERS);
    int owners = lua_gettop(L);
    box->owners_changed = true;
    if (!chosen) {
        lua_pushnil(L);
        lua_rawseti(L, owners, key);
    } else {
        if (lua_rawgeti(L, owners, key) != LUA_TTABLE && record) {
            lua_newtable(L);
            lua_pushvalue(L, -1);
            lua_rawseti(L, owners, key);
        }
        if (lua_istable(L, -1)) {
            for (int32_t k = 0; k < chosen->count; k++) {
                if (record) {
                    lua_pushvalue(L, record);
                } else {
                    lua_pushnil(L);
                }
                lua_rawseti(L, -2, chosen->vertices[k] + 1);
            }
        } else {
            lua_pop(L, 1);
        }
    }
    lua_settop(L, owners - 1);
}

static int cloth_pin(lua_State *L) {
    static const char *const keys[] = {"vertices", "corners", "where", "to", "path", NULL};
    mus_lua_worldbox *box;
    lua_settop(L, 2);
    mus_cloth_id id = mus_lua_check_cloth(L, 1, "pin", &box);
    int world = lua_gettop(L);
    mus_lua_check_keys(L, 2, "cloth:pin", keys);
    choice chosen = read_choice(L, "cloth:pin", box, id);
    mus_obstacle_id obstacle = {0, 0};
    bool to = lua_getfield(L, 2, "to") != LUA_TNIL, path = lua_getfield(L, 2, "path") != LUA_TNIL;
    int function = lua_gettop(L), object = function - 1;
    if (to && path) return mus_lua_error(L, "cloth:pin: give 'to' or 'path', not both");
    if (to) {
        mus_lua_object *other = luaL_testudata(L, object, "muslin.obstacle");
        if (!other) {
            const char *seen = mus_lua_describe(L, object);
            return mus_lua_error(L, "cloth:pin: field 'to' must be an obstacle (got %s)", seen);
        }
        mus_lua_worldbox *of_other;
        mus_lua_check_alive(L, object, &of_other);
        if (of_other != box) return mus_lua_error(L, "cloth:pin: field 'to': the obstacle belongs to another world");
        obstacle = (mus_obstacle_id){other->index, other->generation};
    }
    mus_lua_record *record = NULL;
    if (path) {
        mus_lua_check_function(L, function, "cloth:pin: field 'path'");
        record = mus_lua_new_record(L, world, function);
        note_paths(L, box, world, &chosen, lua_gettop(L));
    }
    mus_lua_check_alive(L, 1, &box);
    mus_lua_call call;
    mus_lua_enter(L, box, world, &call);
    mus_status status = path ? mus_cloth_pin_path(box->world, id, chosen.vertices, chosen.count, follow_path, record)
                        : to ? mus_cloth_pin_to(box->world, id, chosen.vertices, chosen.count, obstacle)
                             : mus_cloth_pin(box->world, id, chosen.vertices, chosen.count);
    if (status != MUS_STATUS_OK && path) box->keep_records = true;
    mus_lua_leave(L, box, &call, status);
    box->moment++;
    if (!path) note_paths(L, box, world, &chosen, 0);
    lua_pushinteger(L, chosen.count);
    return 1;
}

static int cloth_unpin(lua_State *L) {
    static const char *const keys[] = {"vertices", "corners", "where", NULL};
    mus_lua_worldbox *box;
    lua_settop(L, 2);
    mus_cloth_id id = mus_lua_check_cloth(L, 1, "unpin", &box);
    int world = lua_gettop(L);
    choice chosen = {NULL, 0};
    bool all = lua_isnil(L, 2);
    if (!all) {
        mus_lua_check_keys(L, 2, "cloth:unpin", keys);
        chosen = read_choice(L, "cloth:unpin", box, id);
        mus_lua_check_alive(L, 1, &box);
    }
    mus_lua_call call;
    mus_lua_enter(L, box, world, &call);
    mus_status status =
        all || chosen.count ? mus_cloth_unpin(box->world, id, chosen.vertices, chosen.count) : MUS_STATUS_OK;
    mus_lua_leave(L, box, &call, status);
    box->moment++;
    note_paths(L, box, world, all ? NULL : &chosen, 0);
    return 0;
}

static int cloth_pinned(lua_State *L) {
    mus_lua_worldbox *box;
    mus_cloth_id id = mus_lua_check_cloth(L, 1, "pinned", &box);
    int32_t count = mus_cloth_vertex_count(box->world, id);
    if (lua_type(L, 2) == LUA_TNUMBER) {
        int whole = 0;
        lua_Integer i = lua_tointegerx(L, 2, &whole);
        if (!whole || i < 1 || i > count) {
            const char *seen = mus_lua_describe(L, 2);
            return mus_lua_error(L, "cloth:pinned(i): i must be a whole number from 1 to %d (got %s)", count, seen);
        }
        lua_pushboolean(L, mus_cloth_pinned(box->world, id, (int32_t)(i - 1)));
        return 1;
    }
    lua_newtable(L);
    lua_Integer n = 0;
    for (int32_t i = 0; i < count; i++) {
        if (!mus_cloth_pinned(box->world, id, i)) continue;
        lua_pushinteger(L, i + 1);
        lua_rawseti(L, -2, ++n);
    }
    return 1;
}

/* ---- Views ------------------------------------------------------------------------------------------------------- */

enum { VIEW_X, VIEW_V, VIEW_F, VIEW_M, VIEW_NORMAL, VIEW_INVERSE_MASS, VIEW_COUNT };
static const char *const view_names[] = {"x", "v", "f", "m", "normal", "inverse_mass", NULL};
static const char *const view_labels[] = {"cloth.x", "cloth.v",      "cloth.f",
                                          "cloth.m", "cloth.normal", "cloth.inverse_mass"};

static void refuse_write(lua_State *L, const mus_lua_worldbox *box, int tag) {
    if (tag > VIEW_F) mus_lua_error(L, "%s: it can be read, not written", view_labels[tag]);
    if (tag == VIEW_F) {
        if (box->phase != MUS_LUA_PHASE_FORCES)
            mus_lua_error(L, "cloth.f: forces last for one step: add them in world:force(function(cloth, t) ... end)");
        return;
    }
    switch (box->phase) {
    case MUS_LUA_PHASE_FORCES:
    case MUS_LUA_PHASE_CONTACTS:
    case MUS_LUA_PHASE_FUNCTION:
        mus_lua_error(L, "%s: the solver is reading it; write in before_step, candidate, after_step, or between steps",
                      view_labels[tag]);
        break;
    default:
        break;
    }
}

static mus_lua_span fetch(lua_State *L, int owner, int tag, bool write) {
    mus_lua_object *object = luaL_testudata(L, owner, TYPE);
    mus_lua_worldbox *box;
    mus_lua_check_alive(L, owner, &box);
    if (write) refuse_write(L, box, tag);
    mus_cloth_id id = id_of(object);
    mus_lua_span span = {NULL, mus_cloth_vertex_count(box->world, id),
                         tag == VIEW_M || tag == VIEW_INVERSE_MASS ? 1 : 3};
    switch (tag) {
    case VIEW_X:
        span.data = mus_cloth_positions(box->world, id);
        break;
    case VIEW_V:
        span.data = mus_cloth_velocities(box->world, id);
        break;
    case VIEW_F:
        span.data = mus_cloth_forces(box->world, id);
        break;
    case VIEW_M:
        span.data = (double *)mus_cloth_masses(box->world, id);
        break;
    case VIEW_NORMAL:
        /* Computed once for a state, not at every element that is read. */
        if (object->normals_moment != box->moment + 1 || !object->normals) {
            object->normals = mus_cloth_normals(box->world, id);
            if (!object->normals) mus_lua_check_status(L, MUS_STATUS_NO_MEMORY);
            object->normals_moment = box->moment + 1;
        }
        span.data = (double *)object->normals;
        break;
    case VIEW_INVERSE_MASS:
        span.data = (double *)mus_cloth_inverse_masses(box->world, id);
        break;
    }
    return span;
}

static void written(lua_State *L, int owner, int tag, mus_lua_write write) {
    mus_lua_object *object = luaL_testudata(L, owner, TYPE);
    mus_lua_worldbox *box;
    mus_lua_check_alive(L, owner, &box);
    mus_lua_note_write(L, box, id_of(object), tag, write);
    if (tag != VIEW_X) return;
    box->moment++;
    if (box->phase != MUS_LUA_PHASE_CANDIDATE)
        mus_lua_check_status(L, mus_cloth_positions_changed(box->world, id_of(object)));
}

/* ---- Fields ------------------------------------------------------------------------------------------------------ */

static void push_rows(lua_State *L, const int32_t *rows, int32_t count, int width) {
    lua_createtable(L, count, 0);
    for (int32_t i = 0; i < count; i++) {
        lua_createtable(L, width, 0);
        for (int k = 0; k < width; k++) {
            lua_pushinteger(L, rows[width * i + k] + 1);
            lua_rawseti(L, -2, k + 1);
        }
        lua_rawseti(L, -2, i + 1);
    }
}

static int cloth_faces(lua_State *L) {
    mus_lua_worldbox *box;
    mus_cloth_id id = mus_lua_check_cloth(L, 1, "faces", &box);
    push_rows(L, mus_cloth_faces(box->world, id), mus_cloth_face_count(box->world, id), 3);
    return 1;
}

static int cloth_edges(lua_State *L) {
    mus_lua_worldbox *box;
    mus_cloth_id id = mus_lua_check_cloth(L, 1, "edges", &box);
    push_rows(L, mus_cloth_edges(box->world, id), mus_cloth_edge_count(box->world, id), 2);
    return 1;
}

static int cloth_rest_lengths(lua_State *L) {
    mus_lua_worldbox *box;
    mus_cloth_id id = mus_lua_check_cloth(L, 1, "rest_lengths", &box);
    int32_t count = mus_cloth_edge_count(box->world, id);
    double *lengths = mus_lua_push_array(L, count, 1);
    memcpy(lengths, mus_cloth_rest_lengths(box->world, id), (size_t)count * sizeof *lengths);
    return 1;
}

static int cloth_strain(lua_State *L) {
    mus_lua_worldbox *box;
    mus_cloth_id id = mus_lua_check_cloth(L, 1, "strain", &box);
    mus_strain strain;
    mus_lua_check_status(L, mus_cloth_strain(box->world, id, &strain));
    lua_createtable(L, 0, 4);
    lua_pushnumber(L, strain.max);
    lua_setfield(L, -2, "max");
    lua_pushnumber(L, strain.mean);
    lua_setfield(L, -2, "mean");
    lua_pushnumber(L, strain.median);
    lua_setfield(L, -2, "median");
    lua_pushinteger(L, strain.max_edge + 1);
    lua_setfield(L, -2, "max_edge");
    return 1;
}

static int cloth_bounds(lua_State *L) {
    mus_lua_worldbox *box;
    mus_cloth_id id = mus_lua_check_cloth(L, 1, "bounds", &box);
    const double *x = mus_cloth_positions(box->world, id);
    int32_t count = mus_cloth_vertex_count(box->world, id);
    double low[3], high[3];
    for (int k = 0; k < 3; k++) low[k] = high[k] = x[k];
    for (int32_t i = 3; i < 3 * count; i++) {
        if (x[i] < low[i % 3]) low[i % 3] = x[i];
        if (x[i] > high[i % 3]) high[i % 3] = x[i];
    }
    mus_lua_push_vec3(L, low[0], low[1], low[2]);
    mus_lua_push_vec3(L, high[0], high[1], high[2]);
    return 2;
}

/* Mass-weighted. */
static int cloth_centroid(lua_State *L) {
    mus_lua_worldbox *box;
    mus_cloth_id id = mus_lua_check_cloth(L, 1, "centroid", &box);
    const double *x = mus_cloth_positions(box->world, id), *m = mus_cloth_masses(box->world, id);
    int32_t count = mus_cloth_vertex_count(box->world, id);
    double sum[3] = {0, 0, 0}, mass = 0;
    for (int32_t i = 0; i < count; i++) {
        mass += m[i];
        for (int k = 0; k < 3; k++) sum[k] += m[i] * x[3 * i + k];
    }
    mus_lua_push_vec3(L, sum[0] / mass, sum[1] / mass, sum[2] / mass);
    return 1;
}

/* A mesh of the present positions. */
static int cloth_mesh(lua_State *L) {
    mus_lua_worldbox *box;
    mus_cloth_id id = mus_lua_check_cloth(L, 1, "mesh", &box);
    const mus_lua_object *object = lua_touserdata(L, 1);
    mus_mesh_def def = {0};
    def.vertices = mus_cloth_positions(box->world, id);
    def.faces = mus_cloth_faces(box->world, id);
    def.vertex_count = mus_cloth_vertex_count(box->world, id);
    def.face_count = mus_cloth_face_count(box->world, id);
    memcpy(def.grid_nodes, object->grid_nodes, sizeof def.grid_nodes);
    mus_mesh **mesh = mus_lua_new_mesh(L);
    mus_lua_check_status(L, mus_mesh_create(&def, mesh));
    mus_lua_account_mesh(L, *mesh);
    return 1;
}

static const char *const field_names[] = {"x",          "v",
                                          "f",          "m",
                                          "normal",     "inverse_mass",
                                          "name",       "world",
                                          "alive",      "vertex_count",
                                          "face_count", "edge_count",
                                          "material",   "thickness",
                                          "friction",   "restitution",
                                          NULL};
enum {
    FIELD_NAME = VIEW_COUNT,
    FIELD_WORLD,
    FIELD_ALIVE,
    FIELD_VERTEX_COUNT,
    FIELD_FACE_COUNT,
    FIELD_EDGE_COUNT,
    FIELD_MATERIAL,
    FIELD_THICKNESS,
    FIELD_FRICTION,
    FIELD_RESTITUTION,
    FIELD_COUNT
};

static int cloth_index(lua_State *L) {
    mus_lua_object *object = luaL_testudata(L, 1, TYPE);
    int field = FIELD_COUNT;
    if (lua_type(L, 2) == LUA_TSTRING) {
        const char *name = lua_tostring(L, 2);
        for (field = 0; field_names[field] && strcmp(field_names[field], name) != 0;) field++;
    }
    if (!object || field == FIELD_COUNT) return mus_lua_index_method(L, "cloth", field_names);
    mus_cloth_id id = id_of(object);
    if (field == FIELD_NAME || field == FIELD_WORLD) {
        lua_getiuservalue(L, 1, field == FIELD_NAME ? 2 : 1);
        return 1;
    }
    mus_lua_worldbox *box;
    if (field == FIELD_ALIVE) {
        lua_getiuservalue(L, 1, 1);
        box = mus_lua_test_box(L, -1);
        lua_pushboolean(L, box->world && mus_cloth_valid(box->world, id));
        return 1;
    }
    mus_lua_check_alive(L, 1, &box);
    if (field < VIEW_COUNT) {
        mus_lua_push_view(L, 1, field, view_labels[field], fetch, written);
        return 1;
    }
    double surface[3];
    mus_material material;
    switch (field) {
    case FIELD_VERTEX_COUNT:
        lua_pushinteger(L, mus_cloth_vertex_count(box->world, id));
        break;
    case FIELD_FACE_COUNT:
        lua_pushinteger(L, mus_cloth_face_count(box->world, id));
        break;
    case FIELD_EDGE_COUNT:
        lua_pushinteger(L, mus_cloth_edge_count(box->world, id));
        break;
    case FIELD_MATERIAL:
        mus_lua_check_status(L, mus_cloth_get_material(box->world, id, &material));
        mus_lua_push_material(L, &material);
        break;
    default:
        mus_lua_check_status(L, mus_cloth_get_surface(box->world, id, &surface[0], &surface[1], &surface[2]));
        lua_pushnumber(L, surface[field - FIELD_THICKNESS]);
    }
    return 1;
}

static int cloth_newindex(lua_State *L) {
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "?";
    for (int k = 0; k < VIEW_M; k++) {
        if (strcmp(name, view_names[k]) == 0)
            return mus_lua_error(L,
                                 "cloth: field '%s' is an array: write cloth.%s[i] = {x, y, z}, or cloth.%s:set(...)",
                                 name, name, name);
    }
    return mus_lua_error(L, "cloth: field '%s' cannot be set", name);
}

static int cloth_tostring(lua_State *L) {
    lua_getiuservalue(L, 1, 2);
    lua_pushfstring(L, "cloth '%s'", lua_tostring(L, -1));
    return 1;
}

void mus_lua_open_cloth(lua_State *L) {
    static const luaL_Reg meta[] = {{"__newindex", cloth_newindex}, {"__tostring", cloth_tostring}, {NULL, NULL}};
    static const luaL_Reg methods[] = {{"pin", cloth_pin},
                                       {"unpin", cloth_unpin},
                                       {"pinned", cloth_pinned},
                                       {"faces", cloth_faces},
                                       {"edges", cloth_edges},
                                       {"rest_lengths", cloth_rest_lengths},
                                       {"strain", cloth_strain},
                                       {"bounds", cloth_bounds},
                                       {"centroid", cloth_centroid},
                                       {"mesh", cloth_mesh},
                                       {NULL, NULL}};
    mus_lua_new_type(L, TYPE, meta, methods, cloth_index, NULL);
}
