/* obstacle.c: obstacle objects: fixed, scripted by a function of time or an animation, or rigid bodies. */
#include "trace/trace.h"

#include <math.h>
#include <string.h>

static const char TYPE[] = "muslin.obstacle";

static mus_obstacle_id id_of(const mus_lua_object *object) {
    return (mus_obstacle_id){object->index, object->generation};
}

/* Pushes the world. */
mus_obstacle_id mus_lua_check_obstacle(lua_State *L, int index, const char *method, mus_lua_worldbox **box) {
    mus_lua_object *object = luaL_testudata(L, index, TYPE);
    if (!object) {
        const char *seen = mus_lua_describe(L, index);
        mus_lua_error(L, "obstacle: call it as obstacle:%s(...), with a colon, on an obstacle (got %s)", method, seen);
    }
    mus_lua_check_alive(L, index, box);
    lua_getiuservalue(L, index, 1);
    return id_of(object);
}

/* ---- Quaternions ------------------------------------------------------------------------------------------------- */

static void push_quaternion(lua_State *L, const double q[4]) {
    lua_createtable(L, 4, 0);
    for (int k = 0; k < 4; k++) {
        lua_pushnumber(L, q[k]);
        lua_rawseti(L, -2, k + 1);
    }
}

/* q v q*, of length 1. */
static void push_turned_unit(lua_State *L, const double q[4], const double v[3]) {
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), u[3], t[3], out[3];
    for (int k = 0; k < 3; k++) u[k] = v[k] / length;
    for (int k = 0; k < 3; k++) /* t = 2 (q x u) */
        t[k] = 2 * (q[1 + (k + 1) % 3] * u[(k + 2) % 3] - q[1 + (k + 2) % 3] * u[(k + 1) % 3]);
    for (int k = 0; k < 3; k++)
        out[k] = u[k] + q[0] * t[k] + q[1 + (k + 1) % 3] * t[(k + 2) % 3] - q[1 + (k + 2) % 3] * t[(k + 1) % 3];
    mus_lua_push_vec3(L, out[0], out[1], out[2]);
}

/* ---- Making ------------------------------------------------------------------------------------------------------ */

static const char *const shape_names[] = {"mesh", "plane", "sphere", "box", "capsule", "cylinder", NULL};

static void refuse_field(lua_State *L, const char *field, bool allowed, const char *shape) {
    if (!allowed && mus_lua_field(L, 2, field) != LUA_TNIL)
        mus_lua_error(L, "obstacle: field '%s' does not belong to shape '%s'", field, shape);
}

static void need_field(lua_State *L, const char *field, const char *shape) {
    if (mus_lua_field(L, 2, field) == LUA_TNIL)
        mus_lua_error(L, "obstacle: field '%s' is missing, shape '%s' needs it", field, shape);
    lua_pop(L, 1);
}

static int read_shape(lua_State *L) {
    bool mesh = mus_lua_field(L, 2, "mesh") != LUA_TNIL;
    lua_pop(L, 1);
    const char *name = mus_lua_opt_string(L, 2, "obstacle", "shape", mesh ? "mesh" : NULL);
    if (!name)
        return mus_lua_error(L, "obstacle: give 'mesh', or 'shape' as one of 'plane', 'sphere', 'box', 'capsule', "
                                "'cylinder' (got neither)");
    int shape = 0;
    while (shape_names[shape] && strcmp(shape_names[shape], name) != 0) shape++;
    if (!shape_names[shape]) {
        const char *nearest = mus_lua_nearest(name, shape_names);
        if (nearest)
            return mus_lua_error(L, "obstacle: field 'shape': no shape '%s' (did you mean '%s'?)", name, nearest);
        return mus_lua_error(L, "obstacle: field 'shape': no shape '%s' (known: plane, sphere, box, capsule, cylinder)",
                             name);
    }
    if (mesh && shape != MUS_SHAPE_MESH)
        return mus_lua_error(L, "obstacle: give 'mesh' or 'shape', not both (got a mesh and '%s')", name);
    bool long_shape = shape == MUS_SHAPE_CAPSULE || shape == MUS_SHAPE_CYLINDER;
    bool round = shape == MUS_SHAPE_SPHERE || long_shape;
    refuse_field(L, "radius", round, name);
    refuse_field(L, "length", long_shape, name);
    refuse_field(L, "size", shape == MUS_SHAPE_BOX, name);
    refuse_field(L, "normal", shape == MUS_SHAPE_PLANE, name);
    if (round) need_field(L, "radius", name);
    if (long_shape) need_field(L, "length", name);
    if (shape == MUS_SHAPE_BOX) need_field(L, "size", name);
    if (shape == MUS_SHAPE_MESH) need_field(L, "mesh", name);
    return shape;
}

/* ---- Motion ------------------------------------------------------------------------------------------------------ */

typedef struct motion_arguments {
    const mus_lua_record *record;
    double t;
    mus_pose *pose;
} motion_arguments;

static int motion_body(lua_State *L) {
    const motion_arguments *arguments = lua_touserdata(L, 2);
    mus_lua_push_function(L, 1, arguments->record);
    int function = lua_gettop(L);
    lua_pushvalue(L, function);
    lua_pushnumber(L, arguments->t);
    lua_call(L, 1, 2);
    int place = function + 1, rotation = function + 2;
    const mus_lua_record *r = arguments->record;
    const char *name = mus_obstacle_get_name(r->box->world, (mus_obstacle_id){r->index, r->generation});
    mus_pose pose = *arguments->pose;
    lua_pushfstring(L, "obstacle '%s': the motion", name);
    mus_lua_check_place(L, place, function, lua_tostring(L, -1), arguments->t, pose.position);
    if (!lua_isnil(L, rotation)) {
        lua_pushfstring(L, "obstacle '%s': the second result of the motion at t = %f s", name, arguments->t);
        mus_lua_check_rotation(L, rotation, function, lua_tostring(L, -1), true, pose.rotation);
    }
    *arguments->pose = pose;
    return 0;
}

static mus_status follow_motion(void *user, double t, mus_pose *pose) {
    motion_arguments arguments = {user, t, pose};
    return mus_lua_callback_locked(arguments.record->box, "the motion", motion_body, &arguments);
}

static int obstacle_move(lua_State *L) {
    mus_lua_worldbox *box;
    lua_settop(L, 2);
    mus_obstacle_id id = mus_lua_check_obstacle(L, 1, "move", &box);
    int world = lua_gettop(L);
    mus_lua_check_change(L, box, "obstacle:move");
    mus_lua_record *record = NULL;
    mus_lua_rule *rule = mus_lua_test_rule(L, 2);
    if (rule && rule->kind != MUS_PROGRAM_MOTION)
        return mus_lua_error(L, "obstacle:move(f): f must be a function or a muslin.motion (got another traced one)");
    if (!lua_isnil(L, 2)) {
        mus_lua_check_function(L, 2, "obstacle:move(f): f");
        record = mus_lua_new_record(L, world, 2);
        record->index = id.index, record->generation = id.generation;
    } else {
        lua_pushboolean(L, 0);
        box->changes++;
    }
    lua_getiuservalue(L, world, MUS_LUA_OWNERS);
    lua_pushvalue(L, -2);
    box->owners_changed = true;
    lua_rawseti(L, -2, mus_lua_object_key(lua_touserdata(L, 1)));
    mus_lua_call call;
    mus_lua_enter(L, box, world, "obstacle:move", &call);
    mus_status status = rule ? mus_obstacle_set_motion(box->world, id, mus_program_evaluate_motion, rule->program)
                             : mus_obstacle_set_motion(box->world, id, record ? follow_motion : NULL, record);
    if (status != MUS_STATUS_OK) box->keep_records = true;
    mus_lua_leave(L, box, &call, status);
    box->moment++;
    lua_pushvalue(L, 1);
    return 1;
}

/* ---- Creation ------------------------------------------------------------------------------------------------------
 */

/* Field 'inertia': principal moments, or the rows of a tensor. */
static void read_inertia(lua_State *L, mus_obstacle_def *def) {
    def->has_inertia = mus_lua_field(L, 2, "inertia") != LUA_TNIL;
    double moments[3];
    if (!def->has_inertia) {
        lua_pop(L, 1);
        return;
    }
    bool good = true, principal = mus_lua_test_vec3(L, -1, moments);
    if (!principal) good = lua_istable(L, -1) && lua_rawlen(L, -1) == 3;
    for (int k = 0; k < 3 && principal; k++) def->inertia[k][k] = moments[k];
    for (int k = 0; k < 3 && good && !principal; k++) {
        lua_rawgeti(L, -1, k + 1);
        good = mus_lua_test_vec3(L, -1, def->inertia[k]);
        lua_pop(L, 1);
    }
    if (!good)
        mus_lua_error(L,
                      "obstacle: field 'inertia' must be three principal moments {x, y, z} or three rows of three "
                      "numbers, kg m^2 (got %s)",
                      mus_lua_describe(L, -1));
    lua_pop(L, 1);
}

/* Whether it is a rigid body, and its initial motion. */
static void read_rigid_body(lua_State *L, mus_obstacle_def *def) {
    if (mus_lua_field(L, 2, "motion") == LUA_TFUNCTION)
        mus_lua_error(L, "obstacle: field 'motion' must be 'dynamic'; a function of time is given to obstacle:move(f)");
    lua_pop(L, 1);
    const char *motion = mus_lua_opt_string(L, 2, "obstacle", "motion", NULL);
    if (motion && strcmp(motion, "dynamic") != 0)
        mus_lua_error(L,
                      "obstacle: field 'motion' must be 'dynamic', or left out for one that stands or is moved (got "
                      "'%s')",
                      motion);
    def->dynamic = motion != NULL;
    if (motion && def->shape != MUS_SHAPE_PLANE && mus_lua_field(L, 2, "mass") == LUA_TNIL)
        mus_lua_error(L, "obstacle: field 'mass' is missing, motion = 'dynamic' needs it (kg, > 0)");
    def->mass = mus_lua_opt_number(L, 2, "obstacle", "mass", def->mass);
    mus_lua_opt_vec3(L, 2, "obstacle", "velocity", def->velocity);
    mus_lua_opt_vec3(L, 2, "obstacle", "angular_velocity", def->angular_velocity);
    read_inertia(L, def);
    def->has_center_of_mass = mus_lua_opt_vec3(L, 2, "obstacle", "center_of_mass", def->center_of_mass);
}

int mus_lua_world_obstacle(lua_State *L) {
    static const char *const keys[] = {"name",          "mesh",
                                       "shape",         "radius",
                                       "length",        "size",
                                       "normal",        "at",
                                       "rotation",      "thickness",
                                       "friction",      "restitution",
                                       "cache",         "cache_fps",
                                       "cache_start",   "cache_loop",
                                       "cache_scale",   "cache_up",
                                       "cache_array",   "cache_animation",
                                       "cache_lead_in", "cache_interpolation",
                                       "motion",        "mass",
                                       "velocity",      "angular_velocity",
                                       "inertia",       "center_of_mass",
                                       "color",         "back_color",
                                       "texture",       "texture_size",
                                       "texture_color", NULL};
    mus_lua_worldbox *box = mus_lua_check_box(L, 1, "obstacle");
    mus_lua_check_change(L, box, "world:obstacle");
    mus_lua_check_keys(L, 2, "obstacle", keys);
    lua_settop(L, 2);
    mus_obstacle_def def = mus_obstacle_def_default();
    def.shape = (mus_shape)read_shape(L);
    def.name = mus_lua_opt_string(L, 2, "obstacle", "name", NULL);
    if (def.shape == MUS_SHAPE_MESH) {
        mus_lua_field(L, 2, "mesh");
        def.mesh = mus_lua_field_mesh(L, -1, "obstacle", "mesh");
    }
    def.radius = mus_lua_opt_number(L, 2, "obstacle", "radius", def.radius);
    def.length = mus_lua_opt_number(L, 2, "obstacle", "length", def.length);
    mus_lua_opt_vec3(L, 2, "obstacle", "size", def.size);
    mus_lua_opt_vec3(L, 2, "obstacle", "normal", def.normal);
    mus_lua_opt_vec3(L, 2, "obstacle", "at", def.pose.position);
    if (mus_lua_field(L, 2, "rotation") != LUA_TNIL)
        mus_lua_check_rotation(L, -1, 0, "obstacle: field 'rotation'", true, def.pose.rotation);
    def.thickness = mus_lua_opt_number(L, 2, "obstacle", "thickness", def.thickness);
    def.friction = mus_lua_opt_coefficient(L, 2, "obstacle", MUS_COEFFICIENT_FRICTION, def.friction);
    def.restitution = mus_lua_opt_coefficient(L, 2, "obstacle", MUS_COEFFICIENT_RESTITUTION, def.restitution);
    read_rigid_body(L, &def);
    mus_lua_read_look(L, 1, 2, "obstacle", &def.look);
    mus_animation animation = mus_animation_default();
    bool animated = mus_lua_has_cache(L, keys, shape_names[def.shape]);
    if (animated) mus_lua_read_cache(L, box, def.mesh, &animation);
    mus_obstacle_id id;
    mus_lua_check_status(L, mus_obstacle_create(box->world, &def, &id));
    mus_status status = animated ? mus_obstacle_set_animation(box->world, id, &animation) : MUS_STATUS_OK;
    if (status != MUS_STATUS_OK) {
        mus_obstacle_destroy(box->world, id);
        mus_lua_check_status(L, status);
    }
    box->moment++;
    mus_lua_push_obstacle(L, 1, id);
    return 1;
}

/* ---- Fields ------------------------------------------------------------------------------------------------------ */

static int obstacle_mesh(lua_State *L) {
    mus_lua_worldbox *box;
    mus_obstacle_id id = mus_lua_check_obstacle(L, 1, "mesh", &box);
    mus_mesh **mesh = mus_lua_new_mesh(L);
    const mus_mesh *surface = mus_obstacle_get_surface_mesh(box->world, id);
    if (!surface) return mus_lua_error(L, "obstacle: %s", mus_get_error_message());
    mus_lua_check_status(L, mus_mesh_copy(surface, mesh));
    mus_lua_account_mesh(L, *mesh);
    return 1;
}

static const char *const field_names[] = {"name",
                                          "world",
                                          "alive",
                                          "shape",
                                          "position",
                                          "rotation",
                                          "radius",
                                          "length",
                                          "size",
                                          "normal",
                                          "thickness",
                                          "friction",
                                          "restitution",
                                          "dynamic",
                                          "mass",
                                          "center",
                                          "velocity",
                                          "angular_velocity",
                                          "angular_momentum",
                                          "color",
                                          NULL};
enum {
    FIELD_DYNAMIC = 13,
    FIELD_MASS,
    FIELD_CENTER,
    FIELD_VELOCITY,
    FIELD_ANGULAR_VELOCITY,
    FIELD_ANGULAR_MOMENTUM,
    FIELD_COLOR
};

/* One of the fields that only rigid bodies have. */
static int push_rigid_body_field(lua_State *L, const mus_world *world, mus_obstacle_id id, bool dynamic, int field) {
    mus_rigid_body_motion motion;
    if (!dynamic) {
        lua_pushnil(L);
        return 1;
    }
    mus_lua_check_status(L, mus_obstacle_get_rigid_body(world, id, &motion));
    const double *v = field == FIELD_CENTER             ? motion.center
                      : field == FIELD_VELOCITY         ? motion.velocity
                      : field == FIELD_ANGULAR_VELOCITY ? motion.angular_velocity
                                                        : motion.angular_momentum;
    if (field == FIELD_MASS)
        lua_pushnumber(L, motion.mass);
    else
        mus_lua_push_vec3(L, v[0], v[1], v[2]);
    return 1;
}

static int obstacle_index(lua_State *L) {
    mus_lua_object *object = luaL_testudata(L, 1, TYPE);
    int field = 0;
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
    while (field_names[field] && strcmp(field_names[field], name) != 0) field++;
    if (!object || !field_names[field]) return mus_lua_index_method(L, "obstacle", field_names);
    if (field < 2) {
        lua_getiuservalue(L, 1, field == 0 ? 2 : 1);
        return 1;
    }
    mus_lua_worldbox *box;
    if (field == 2) {
        lua_getiuservalue(L, 1, 1);
        box = mus_lua_test_box(L, -1);
        lua_pushboolean(L, box->world && mus_obstacle_is_valid(box->world, id_of(object)));
        return 1;
    }
    mus_lua_check_alive(L, 1, &box);
    mus_obstacle_def def;
    mus_pose pose;
    mus_lua_check_status(L, mus_obstacle_get_def(box->world, id_of(object), &def));
    mus_lua_check_status(L, mus_obstacle_get_pose(box->world, id_of(object), &pose));
    bool long_shape = def.shape == MUS_SHAPE_CAPSULE || def.shape == MUS_SHAPE_CYLINDER;
    bool round = def.shape == MUS_SHAPE_SPHERE || long_shape;
    switch (field) {
    case 3:
        lua_pushstring(L, shape_names[def.shape]);
        break;
    case 4:
        mus_lua_push_vec3(L, pose.position[0], pose.position[1], pose.position[2]);
        break;
    case 5:
        push_quaternion(L, pose.rotation);
        break;
    case 6:
        round ? lua_pushnumber(L, def.radius) : lua_pushnil(L);
        break;
    case 7:
        long_shape ? lua_pushnumber(L, def.length) : lua_pushnil(L);
        break;
    case 8:
        def.shape == MUS_SHAPE_BOX ? mus_lua_push_vec3(L, def.size[0], def.size[1], def.size[2]) : lua_pushnil(L);
        break;
    case 9:
        if (def.shape == MUS_SHAPE_PLANE) {
            push_turned_unit(L, pose.rotation, def.normal);
        } else {
            lua_pushnil(L);
        }
        break;
    case 10:
        lua_pushnumber(L, def.thickness);
        break;
    case 11:
        lua_pushnumber(L, def.friction);
        break;
    case 12:
        lua_pushnumber(L, def.restitution);
        break;
    case FIELD_COLOR:
        mus_lua_push_color(L, def.look.has_color, def.look.color);
        break;
    case FIELD_DYNAMIC:
        lua_pushboolean(L, def.dynamic);
        break;
    default:
        return push_rigid_body_field(L, box->world, id_of(object), def.dynamic, field);
    }
    return 1;
}

static int obstacle_newindex(lua_State *L) {
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "?";
    if (strcmp(name, "velocity") == 0 || strcmp(name, "angular_velocity") == 0) {
        mus_lua_worldbox *box;
        mus_lua_check_alive(L, 1, &box);
        mus_lua_check_change(L, box, strcmp(name, "velocity") == 0 ? "obstacle.velocity" : "obstacle.angular_velocity");
        double v[3];
        mus_lua_check_place(L, 3, 0, strcmp(name, "velocity") == 0 ? "obstacle.velocity" : "obstacle.angular_velocity",
                            mus_lua_world_now(box), v);
        bool linear = strcmp(name, "velocity") == 0;
        mus_obstacle_id id = id_of(luaL_testudata(L, 1, TYPE));
        mus_lua_check_status(L, mus_obstacle_set_velocity(box->world, id, linear ? v : NULL, linear ? NULL : v));
        box->moment++;
        return 0;
    }
    if (strcmp(name, "color") == 0) {
        mus_lua_worldbox *box;
        mus_look look;
        mus_lua_check_alive(L, 1, &box);
        mus_lua_refuse_drawing(L, box, "obstacle.color");
        mus_obstacle_id id = id_of(luaL_testudata(L, 1, TYPE));
        mus_lua_check_status(L, mus_obstacle_get_look(box->world, id, &look));
        look.has_color = !lua_isnil(L, 3);
        if (look.has_color) mus_lua_check_color(L, 3, "obstacle.color", look.color);
        mus_lua_check_status(L, mus_obstacle_set_look(box->world, id, &look));
        return 0;
    }
    if (strcmp(name, "position") == 0 || strcmp(name, "rotation") == 0)
        return mus_lua_error(L, "obstacle: field '%s' cannot be set; move it with obstacle:move(function(t) ... end)",
                             name);
    return mus_lua_error(L, "obstacle: field '%s' cannot be set", name);
}

static int obstacle_tostring(lua_State *L) {
    luaL_checkudata(L, 1, TYPE);
    lua_getiuservalue(L, 1, 2);
    lua_pushfstring(L, "obstacle '%s'", lua_tostring(L, -1));
    return 1;
}

static int obstacle_apply_impulse(lua_State *L) {
    mus_lua_worldbox *box;
    lua_settop(L, 3);
    mus_obstacle_id id = mus_lua_check_obstacle(L, 1, "apply_impulse", &box);
    mus_lua_check_change(L, box, "obstacle:apply_impulse");
    double impulse[3], at[3];
    bool placed = !lua_isnil(L, 3);
    mus_lua_check_place(L, 2, 0, "obstacle:apply_impulse: the impulse", mus_lua_world_now(box), impulse);
    if (placed) mus_lua_check_place(L, 3, 0, "obstacle:apply_impulse: its place", mus_lua_world_now(box), at);
    mus_lua_check_status(L, mus_obstacle_apply_impulse(box->world, id, impulse, placed ? at : NULL));
    box->moment++;
    lua_pushvalue(L, 1);
    return 1;
}

void mus_lua_open_obstacle(lua_State *L) {
    static const luaL_Reg meta[] = {{"__newindex", obstacle_newindex}, {"__tostring", obstacle_tostring}, {NULL, NULL}};
    static const luaL_Reg methods[] = {{"move", obstacle_move},
                                       {"animate", mus_lua_obstacle_animate},
                                       {"mesh", obstacle_mesh},
                                       {"apply_impulse", obstacle_apply_impulse},
                                       {NULL, NULL}};
    mus_lua_new_type(L, TYPE, meta, methods, obstacle_index, NULL);
    mus_lua_open_animation(L);
}
