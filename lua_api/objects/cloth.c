/* cloth.c: cloth objects: creation, fields, whole-array views. */
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

/* Raises for fields of the options at 2 that a cloth could have but that are set elsewhere. */
static void refuse_elsewhere(lua_State *L) {
    static const char PLACE[] = "the mesh has the place, as in muslin.mesh.grid {center = {x, y, z}, ...}",
                      PIN[] = "call cloth:pin {...} once it is made";
    static const char *const elsewhere[][2] = {{"at", PLACE}, {"position", PLACE}, {"center", PLACE}, {"pinned", PIN},
                                               {"pins", PIN}, {"pin", PIN},        {"fixed", PIN}};
    for (size_t k = 0; lua_istable(L, 2) && k < sizeof elsewhere / sizeof *elsewhere; k++) {
        if (mus_lua_field(L, 2, elsewhere[k][0]) != LUA_TNIL)
            mus_lua_error(L, "cloth: unknown field '%s': %s", elsewhere[k][0], elsewhere[k][1]);
        lua_pop(L, 1);
    }
}

int mus_lua_world_cloth(lua_State *L) {
    static const char *const keys[] = {
        "name",        "mesh",           "rest",          "material", "thickness", "friction", "velocity",
        "restitution", "self_collision", "layer",         "maps",     "mass",      "color",    "back_color",
        "texture",     "texture_size",   "texture_color", "surface",  NULL};
    mus_lua_worldbox *box = mus_lua_check_box(L, 1, "cloth");
    mus_lua_check_change(L, box, "world:cloth");
    mus_lua_refuse_material_fields(L, 2, "cloth", keys);
    refuse_elsewhere(L);
    mus_lua_check_keys(L, 2, "cloth", keys);
    lua_settop(L, 2);
    mus_cloth_def def = mus_cloth_def_default();
    def.name = mus_lua_opt_string(L, 2, "cloth", "name", NULL);
    if (mus_lua_field(L, 2, "mesh") == LUA_TNIL)
        return mus_lua_error(L, "cloth: field 'mesh' is missing; give one of muslin.mesh, grid for example");
    mus_mesh *mesh = mus_lua_field_mesh(L, -1, "cloth", "mesh");
    def.mesh = mesh;
    if (mus_lua_field(L, 2, "rest") == LUA_TSTRING && strcmp(lua_tostring(L, -1), "uv") == 0) {
        def.rest_from_uv = true;
    } else if (lua_istable(L, -1)) {
        static const char *const of_rest[] = {"uv", NULL};
        mus_lua_check_keys(L, lua_gettop(L), "cloth: field 'rest'", of_rest);
        mus_lua_field(L, lua_gettop(L), "uv");
        def.rest = mus_lua_field_mesh(L, -1, "cloth: field 'rest'", "uv");
        def.rest_from_uv = true;
    } else if (!lua_isnil(L, -1)) {
        def.rest = mus_lua_field_mesh(L, -1, "cloth", "rest");
    }
    if (mus_lua_field(L, 2, "surface") != LUA_TNIL) def.surface = mus_lua_field_mesh(L, -1, "cloth", "surface");
    if (mus_lua_field(L, 2, "material") != LUA_TNIL) mus_lua_check_material(L, -1, &def.material);
    def.thickness = mus_lua_opt_number(L, 2, "cloth", "thickness", def.thickness);
    def.friction = mus_lua_opt_coefficient(L, 2, "cloth", MUS_COEFFICIENT_FRICTION, def.friction);
    def.restitution = mus_lua_opt_coefficient(L, 2, "cloth", MUS_COEFFICIENT_RESTITUTION, def.restitution);
    mus_lua_opt_vec3(L, 2, "cloth", "velocity", def.velocity);
    def.self_collision = mus_lua_opt_bool(L, 2, "cloth", "self_collision", def.self_collision);
    def.layer = mus_lua_opt_int32(L, 2, "cloth", "layer", def.layer);
    mus_lua_read_maps(L, 2, box, &def); /* its memory stays on the stack */
    mus_lua_read_look(L, 1, 2, "cloth", &def.look);
    int kind = mus_lua_field(L, 2, "mass");
    const char *mass = kind == LUA_TNIL ? "area" : kind == LUA_TSTRING ? lua_tostring(L, -1) : "";
    def.equal_masses = strcmp(mass, "equal") == 0;
    if (!def.equal_masses && strcmp(mass, "area") != 0) {
        const char *seen = mus_lua_describe(L, -1);
        return mus_lua_error(L,
                             "cloth: field 'mass' must be \"area\" or \"equal\", its distribution over vertices; the "
                             "material's density gives its amount (got %s)",
                             seen);
    }
    mus_cloth_id id;
    mus_lua_check_status(L, mus_cloth_create(box->world, &def, &id));
    box->moment++;
    mus_lua_push_cloth(L, 1, id);
    return 1;
}

/* ---- Views ------------------------------------------------------------------------------------------------------- */

enum { VIEW_X, VIEW_V, VIEW_F, VIEW_M, VIEW_NORMAL, VIEW_INVERSE_MASS, VIEW_COUNT };
static const char *const view_names[] = {"x", "v", "f", "m", "normal", "inverse_mass", NULL};
static const char *const view_labels[] = {"cloth.x", "cloth.v",      "cloth.f",
                                          "cloth.m", "cloth.normal", "cloth.inverse_mass"};

static void refuse_write(lua_State *L, const mus_lua_worldbox *box, int tag) {
    if (tag > VIEW_M) mus_lua_error(L, "%s: it can be read, not written", view_labels[tag]);
    if (tag == VIEW_M) {
        mus_lua_refuse_drawing(L, box, view_labels[tag]);
        return; /* within a step mus_cloth_set_masses refuses */
    }
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
        mus_lua_refuse_drawing(L, box, view_labels[tag]);
    }
}

/* Masses are written into a copy, which `written` checks as a whole before the cloth takes it. The registry keeps it
 * until the next write. */
static const char *const mass_copy_key = "muslin.mass_copy";

static double *copy_masses(lua_State *L, const double *masses, int64_t count) {
    double *copy = lua_newuserdatauv(L, sizeof *copy * (size_t)count, 0);
    memcpy(copy, masses, sizeof *copy * (size_t)count);
    lua_setfield(L, LUA_REGISTRYINDEX, mass_copy_key);
    return copy;
}

static void take_masses(lua_State *L, const mus_lua_worldbox *box, mus_cloth_id id) {
    lua_getfield(L, LUA_REGISTRYINDEX, mass_copy_key);
    mus_status status = mus_cloth_set_masses(box->world, id, lua_touserdata(L, -1));
    lua_pop(L, 1);
    mus_lua_check_status(L, status);
}

static mus_lua_span fetch_span(lua_State *L, int owner, int tag, bool write) {
    mus_lua_object *object = luaL_testudata(L, owner, TYPE);
    mus_lua_worldbox *box;
    mus_lua_check_alive(L, owner, &box);
    if (write) refuse_write(L, box, tag);
    mus_cloth_id id = id_of(object);
    mus_lua_span span = {NULL, mus_cloth_get_vertex_count(box->world, id),
                         tag == VIEW_M || tag == VIEW_INVERSE_MASS ? 1 : 3};
    switch (tag) {
    case VIEW_X:
        span.data = mus_cloth_get_positions(box->world, id);
        break;
    case VIEW_V:
        span.data = mus_cloth_get_velocities(box->world, id);
        break;
    case VIEW_F:
        span.data = mus_cloth_get_forces(box->world, id);
        break;
    case VIEW_M:
        span.data = (double *)mus_cloth_get_masses(box->world, id);
        if (write) span.data = copy_masses(L, span.data, span.count);
        break;
    case VIEW_NORMAL:
        /* Computed once for each state, not at every access to an element. */
        if (object->normals_moment != box->moment + 1 || !object->normals) {
            object->normals = mus_cloth_get_normals(box->world, id);
            if (!object->normals) mus_lua_check_status(L, MUS_STATUS_NO_MEMORY);
            object->normals_moment = box->moment + 1;
        }
        span.data = (double *)object->normals;
        break;
    case VIEW_INVERSE_MASS:
        span.data = (double *)mus_cloth_get_inverse_masses(box->world, id);
        break;
    }
    return span;
}

static void written(lua_State *L, int owner, int tag, mus_lua_write write) {
    mus_lua_object *object = luaL_testudata(L, owner, TYPE);
    mus_lua_worldbox *box;
    mus_lua_check_alive(L, owner, &box);
    if (tag == VIEW_M) {
        take_masses(L, box, id_of(object));
        return;
    }
    mus_lua_note_write(L, box, id_of(object), tag, write);
    if (tag != VIEW_X) return;
    box->moment++;
    if (box->phase != MUS_LUA_PHASE_CANDIDATE)
        mus_lua_check_status(L, mus_cloth_mark_positions_changed(box->world, id_of(object)));
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
    push_rows(L, mus_cloth_get_faces(box->world, id), mus_cloth_get_face_count(box->world, id), 3);
    return 1;
}

static int cloth_edges(lua_State *L) {
    mus_lua_worldbox *box;
    mus_cloth_id id = mus_lua_check_cloth(L, 1, "edges", &box);
    push_rows(L, mus_cloth_get_edges(box->world, id), mus_cloth_get_edge_count(box->world, id), 2);
    return 1;
}

static int cloth_rest_lengths(lua_State *L) {
    mus_lua_worldbox *box;
    mus_cloth_id id = mus_lua_check_cloth(L, 1, "rest_lengths", &box);
    int32_t count = mus_cloth_get_edge_count(box->world, id);
    double *lengths = mus_lua_push_array(L, count, 1);
    memcpy(lengths, mus_cloth_get_rest_lengths(box->world, id), (size_t)count * sizeof *lengths);
    return 1;
}

static int cloth_unloaded_lengths(lua_State *L) {
    mus_lua_worldbox *box;
    mus_cloth_id id = mus_lua_check_cloth(L, 1, "unloaded_lengths", &box);
    double *lengths = mus_lua_push_array(L, mus_cloth_get_edge_count(box->world, id), 1);
    mus_lua_check_status(L, mus_cloth_get_unloaded_lengths(box->world, id, lengths));
    return 1;
}

static int cloth_strain(lua_State *L) {
    mus_lua_worldbox *box;
    mus_cloth_id id = mus_lua_check_cloth(L, 1, "strain", &box);
    mus_strain strain;
    mus_lua_check_status(L, mus_cloth_get_strain(box->world, id, &strain));
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
    const double *x = mus_cloth_get_positions(box->world, id);
    int32_t count = mus_cloth_get_vertex_count(box->world, id);
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
    const double *x = mus_cloth_get_positions(box->world, id), *m = mus_cloth_get_masses(box->world, id);
    int32_t count = mus_cloth_get_vertex_count(box->world, id);
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
    mus_mesh_def def = mus_mesh_def_default();
    def.vertices = mus_cloth_get_positions(box->world, id);
    def.faces = mus_cloth_get_faces(box->world, id);
    def.vertex_count = mus_cloth_get_vertex_count(box->world, id);
    def.face_count = mus_cloth_get_face_count(box->world, id);
    def.groups = mus_cloth_get_groups(box->world, id, &def.group_count);
    memcpy(def.grid_nodes, object->grid_nodes, sizeof def.grid_nodes);
    mus_mesh **mesh = mus_lua_new_mesh(L);
    mus_lua_check_status(L, mus_mesh_create(&def, mesh));
    mus_lua_account_mesh(L, *mesh);
    return 1;
}

/* A copy of the mesh that follows the cloth, or nil. */
static int cloth_surface(lua_State *L) {
    mus_lua_worldbox *box;
    mus_cloth_id id = mus_lua_check_cloth(L, 1, "surface", &box);
    const mus_mesh *surface = mus_cloth_get_surface_mesh(box->world, id);
    if (!surface) {
        lua_pushnil(L);
        return 1;
    }
    mus_mesh **mesh = mus_lua_new_mesh(L);
    mus_lua_check_status(L, mus_mesh_copy(surface, mesh));
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
                                          "color",      "back_color",
                                          "layer",      NULL};
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
    FIELD_COLOR,
    FIELD_BACK_COLOR,
    FIELD_LAYER,
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
        lua_pushboolean(L, box->world && mus_cloth_is_valid(box->world, id));
        return 1;
    }
    mus_lua_check_alive(L, 1, &box);
    if (field < VIEW_COUNT) {
        mus_lua_push_view(L, 1, field, view_labels[field], fetch_span, written);
        return 1;
    }
    double surface[3];
    mus_material material;
    mus_look look;
    switch (field) {
    case FIELD_COLOR:
    case FIELD_BACK_COLOR:
        mus_lua_check_status(L, mus_cloth_get_look(box->world, id, &look));
        if (field == FIELD_COLOR)
            mus_lua_push_color(L, look.has_color, look.color);
        else
            mus_lua_push_color(L, look.has_back_color, look.back_color);
        break;
    case FIELD_VERTEX_COUNT:
        lua_pushinteger(L, mus_cloth_get_vertex_count(box->world, id));
        break;
    case FIELD_FACE_COUNT:
        lua_pushinteger(L, mus_cloth_get_face_count(box->world, id));
        break;
    case FIELD_EDGE_COUNT:
        lua_pushinteger(L, mus_cloth_get_edge_count(box->world, id));
        break;
    case FIELD_MATERIAL:
        mus_lua_check_status(L, mus_cloth_get_material(box->world, id, &material));
        mus_lua_push_material(L, &material);
        break;
    case FIELD_LAYER:
        lua_pushinteger(L, mus_cloth_get_layer(box->world, id));
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
    if (strcmp(name, "color") == 0 || strcmp(name, "back_color") == 0) {
        mus_lua_worldbox *box;
        mus_look look;
        bool back = name[0] == 'b';
        mus_lua_check_alive(L, 1, &box);
        mus_lua_refuse_drawing(L, box, back ? "cloth.back_color" : "cloth.color");
        mus_cloth_id id = id_of(luaL_testudata(L, 1, TYPE));
        mus_lua_check_status(L, mus_cloth_get_look(box->world, id, &look));
        bool given = !lua_isnil(L, 3);
        if (given)
            mus_lua_check_color(L, 3, back ? "cloth.back_color" : "cloth.color", back ? look.back_color : look.color);
        *(back ? &look.has_back_color : &look.has_color) = given;
        mus_lua_check_status(L, mus_cloth_set_look(box->world, id, &look));
        return 0;
    }
    return mus_lua_error(L, "cloth: field '%s' cannot be set", name);
}

static int cloth_tostring(lua_State *L) {
    luaL_checkudata(L, 1, TYPE);
    lua_getiuservalue(L, 1, 2);
    lua_pushfstring(L, "cloth '%s'", lua_tostring(L, -1));
    return 1;
}

void mus_lua_open_cloth(lua_State *L) {
    static const luaL_Reg meta[] = {{"__newindex", cloth_newindex}, {"__tostring", cloth_tostring}, {NULL, NULL}};
    static const luaL_Reg methods[] = {{"pin", mus_lua_cloth_pin},
                                       {"unpin", mus_lua_cloth_unpin},
                                       {"pinned", mus_lua_cloth_pinned},
                                       {"pull", mus_lua_cloth_pull},
                                       {"pulled", mus_lua_cloth_pulled},
                                       {"crease", mus_lua_cloth_crease},
                                       {"angle", mus_lua_cloth_angle},
                                       {"faces", cloth_faces},
                                       {"edges", cloth_edges},
                                       {"rest_lengths", cloth_rest_lengths},
                                       {"unloaded_lengths", cloth_unloaded_lengths},
                                       {"strain", cloth_strain},
                                       {"bounds", cloth_bounds},
                                       {"centroid", cloth_centroid},
                                       {"mesh", cloth_mesh},
                                       {"surface", cloth_surface},
                                       {"spring_law", mus_lua_cloth_spring_law},
                                       {NULL, NULL}};
    mus_lua_new_type(L, TYPE, meta, methods, cloth_index, NULL);
}
