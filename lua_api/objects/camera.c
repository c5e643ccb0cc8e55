/* camera.c: how a scene is to be seen: camera, title, background and light of its pictures. The simulation reads none
 * of it. */
#include "binding.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const char TYPE[] = "muslin.view";
static const float DEFAULT_FOV = 0.61f; /* rad */

typedef struct camera_key {
    double t; /* s */
    float from[3], to[3], fov;
} camera_key;

/* User values of the view. */
enum { FUNCTION = 1, PATH, FOLLOWED, TITLE, VIEW_VALUES = TITLE };

typedef struct view {
    mus_lua_view shown;    /* the camera of the present time */
    camera_key set;        /* as it was set */
    int32_t path_count;    /* keys in PATH; 0: no path */
    double followed_at[3]; /* m: the followed object's center when the camera was set */
} view;

/* Pushes the view of the world at an absolute index, a new one if there is none. */
static view *push_view(lua_State *L, int world) {
    lua_getiuservalue(L, world, MUS_LUA_VIEW);
    view *v = luaL_testudata(L, -1, TYPE);
    if (v) return v;
    lua_pop(L, 1);
    v = lua_newuserdatauv(L, sizeof *v, VIEW_VALUES);
    memset(v, 0, sizeof *v);
    luaL_setmetatable(L, TYPE);
    lua_pushvalue(L, -1);
    lua_setiuservalue(L, world, MUS_LUA_VIEW);
    return v;
}

/* ---- Camera ------------------------------------------------------------------------------------------------------ */

static void read_place(lua_State *L, int index, const char *what, const char *field, float out[3]) {
    double place[3];
    if (!mus_lua_opt_vec3(L, index, what, field, place))
        mus_lua_error(L, "%s: field '%s' is missing; give a place {x, y, z} in m", what, field);
    for (int k = 0; k < 3; k++) {
        if (!(fabs(place[k]) <= MUS_LARGEST_LENGTH))
            mus_lua_error(L, "%s: field '%s' must lie within +-1e9 m (got {%f, %f, %f})", what, field, place[0],
                          place[1], place[2]);
        out[k] = (float)place[k];
    }
}

static void read_key(lua_State *L, int index, const char *what, camera_key *key) {
    read_place(L, index, what, "from", key->from);
    read_place(L, index, what, "to", key->to);
    double fov = mus_lua_opt_number(L, index, what, "fov", (double)DEFAULT_FOV);
    if (!(fov > 0.01 && fov < 3))
        mus_lua_error(L,
                      "%s: field 'fov' must be the vertical angle in rad, from 0.01 to 3 (got %f); %f degrees are %f "
                      "rad",
                      what, fov, fov, fov * 3.14159265358979 / 180);
    key->fov = (float)fov;
    float length = 0;
    for (int k = 0; k < 3; k++) length = fmaxf(length, fabsf(key->to[k] - key->from[k]));
    if (!(length > 1e-6f)) mus_lua_error(L, "%s: fields 'from' and 'to' must be different places", what);
}

/* Center of the box around a cloth or an obstacle. */
static bool center_of(lua_State *L, int index, double center[3]) {
    const mus_lua_object *object = mus_lua_test_object(L, index);
    lua_getiuservalue(L, index, 1);
    mus_world *world = mus_lua_test_world(L, -1);
    lua_pop(L, 1);
    const double *x = NULL;
    int32_t count = 0;
    if (world && object->obstacle) {
        mus_obstacle_id id = {object->index, object->generation};
        const mus_mesh *mesh = mus_obstacle_is_valid(world, id) ? mus_obstacle_get_surface_mesh(world, id) : NULL;
        if (mesh) x = mus_mesh_get_vertices_const(mesh), count = mus_mesh_get_vertex_count(mesh);
    } else if (world) {
        mus_cloth_id id = {object->index, object->generation};
        if (mus_cloth_is_valid(world, id))
            x = mus_cloth_get_positions(world, id), count = mus_cloth_get_vertex_count(world, id);
    }
    if (!x || count < 1) return false;
    for (int k = 0; k < 3; k++) {
        double low = x[k], high = x[k];
        for (int32_t i = 1; i < count; i++) {
            low = fmin(low, x[3 * (size_t)i + (size_t)k]);
            high = fmax(high, x[3 * (size_t)i + (size_t)k]);
        }
        center[k] = 0.5 * (low + high);
        if (!isfinite(center[k])) return false;
    }
    return true;
}

static bool is_object_of(lua_State *L, int index, int world) {
    if (!mus_lua_test_object(L, index)) return false;
    lua_getiuservalue(L, index, 1);
    bool same = lua_rawequal(L, -1, world);
    lua_pop(L, 1);
    return same;
}

/* The list of keys at `index` into a userdata, which is pushed. */
static void read_path(lua_State *L, int index, view *v) {
    static const char *const keys[] = {"t", "from", "to", "fov", NULL};
    if (lua_type(L, index) != LUA_TTABLE || lua_rawlen(L, index) < 2)
        mus_lua_error(L, "world:camera: field 'path' must be a list of at least two {t =, from =, to =} (got %s)",
                      mus_lua_describe(L, index));
    lua_Unsigned count = lua_rawlen(L, index);
    if (count > 10000) mus_lua_error(L, "world:camera: field 'path' must have at most 10000 entries");
    index = lua_absindex(L, index);
    camera_key *list = lua_newuserdatauv(L, (size_t)count * sizeof *list, 0);
    int made = lua_gettop(L);
    for (lua_Unsigned k = 0; k < count; k++) {
        char what[64];
        snprintf(what, sizeof what, "world:camera: entry %d of 'path'", (int)k + 1);
        lua_rawgeti(L, index, (lua_Integer)k + 1);
        mus_lua_check_keys(L, made + 1, what, keys);
        read_key(L, made + 1, what, &list[k]);
        if (mus_lua_field(L, made + 1, "t") == LUA_TNIL)
            mus_lua_error(L, "%s: field 't' is missing; give its time in s", what);
        list[k].t = mus_lua_opt_number(L, made + 1, what, "t", 0);
        if (k > 0 && !(list[k].t > list[k - 1].t))
            mus_lua_error(L, "%s: field 't' must be later than %f s, that of the entry before (got %f)", what,
                          list[k - 1].t, list[k].t);
        lua_settop(L, made);
    }
    v->path_count = (int32_t)count;
}

/* world:camera(options), world:camera(function), world:camera(nil) */
static int world_camera(lua_State *L) {
    static const char *const keys[] = {"from", "to", "fov", "follow", "path", NULL};
    mus_lua_worldbox *box = mus_lua_check_box(L, 1, "camera");
    mus_lua_refuse_drawing(L, box, "world:camera");
    lua_settop(L, 2);
    view made = {0}, *v;
    if (lua_isnil(L, 2) || lua_isfunction(L, 2)) {
        lua_pushnil(L), lua_pushnil(L);
    } else {
        mus_lua_check_keys(L, 2, "world:camera", keys);
        bool path = mus_lua_field(L, 2, "path") != LUA_TNIL;
        if (path) {
            static const char *const single[] = {"from", "to", "fov"};
            for (int k = 0; k < 3; k++) {
                if (mus_lua_field(L, 2, single[k]) != LUA_TNIL)
                    return mus_lua_error(L, "world:camera: field '%s' goes into the entries of 'path'", single[k]);
                lua_pop(L, 1);
            }
            read_path(L, 3, &made);
        } else {
            read_key(L, 2, "world:camera", &made.set);
        }
        lua_replace(L, 3);
        lua_settop(L, 3);
        if (mus_lua_field(L, 2, "follow") != LUA_TNIL) {
            if (!is_object_of(L, 4, 1) || !center_of(L, 4, made.followed_at))
                return mus_lua_error(L,
                                     "world:camera: field 'follow' must be a cloth or an obstacle of this world (got "
                                     "%s)",
                                     mus_lua_describe(L, 4));
        }
    }
    v = push_view(L, 1);
    v->shown.has_camera = !lua_isnil(L, 2);
    v->set = made.set;
    v->path_count = made.path_count;
    memcpy(v->followed_at, made.followed_at, sizeof v->followed_at);
    const int values[] = {FUNCTION, PATH, FOLLOWED};
    for (int k = 0; k < 3; k++) {
        bool given = k == 0 ? lua_isfunction(L, 2) : k == 1 ? made.path_count > 0 : !lua_isnil(L, 4);
        if (given)
            lua_pushvalue(L, 2 + k);
        else
            lua_pushnil(L);
        lua_setiuservalue(L, -2, values[k]);
    }
    return 0;
}

/* Cubic through the keys: tangents are those of the parabola through a key and its neighbors, zero at the ends. */
static double tangent(const camera_key *keys, int32_t count, int32_t i, size_t field) {
    if (i == 0 || i == count - 1) return 0;
    const float *at[3];
    for (int k = 0; k < 3; k++) at[k] = (const float *)(const void *)((const char *)&keys[i - 1 + k] + field);
    double h0 = keys[i].t - keys[i - 1].t, h1 = keys[i + 1].t - keys[i].t;
    double s0 = ((double)*at[1] - (double)*at[0]) / h0, s1 = ((double)*at[2] - (double)*at[1]) / h1;
    return (s0 * h1 + s1 * h0) / (h0 + h1);
}

static float along_path(const camera_key *keys, int32_t count, double t, size_t field) {
    int32_t i = 0;
    while (i < count - 2 && t >= keys[i + 1].t) i++;
    double h = keys[i + 1].t - keys[i].t, s = fmin(fmax((t - keys[i].t) / h, 0), 1);
    double p = (double)*(const float *)(const void *)((const char *)&keys[i] + field);
    double q = (double)*(const float *)(const void *)((const char *)&keys[i + 1] + field);
    double a = h * tangent(keys, count, i, field), b = h * tangent(keys, count, i + 1, field), r = 1 - s;
    return (float)(p * r * r * (1 + 2 * s) + q * s * s * (3 - 2 * s) + a * s * r * r - b * s * s * r);
}

static void place_on_path(view *v, const camera_key *keys, double t) {
    for (size_t k = 0; k < 3; k++) {
        v->set.from[k] = along_path(keys, v->path_count, t, offsetof(camera_key, from) + k * sizeof(float));
        v->set.to[k] = along_path(keys, v->path_count, t, offsetof(camera_key, to) + k * sizeof(float));
    }
    v->set.fov = along_path(keys, v->path_count, t, offsetof(camera_key, fov));
}

/* world, key: calls the function with the time of the key, which receives what it returns. */
static int call_function(lua_State *L) {
    static const char *const keys[] = {"from", "to", "fov", NULL};
    camera_key *key = lua_touserdata(L, 2);
    lua_getiuservalue(L, 1, MUS_LUA_VIEW);
    lua_getiuservalue(L, -1, FUNCTION);
    const char *what = lua_pushfstring(L, "%s: world:camera: what its function returns", mus_lua_push_origin(L, -1));
    lua_pushvalue(L, -3);
    lua_pushnumber(L, key->t);
    lua_call(L, 1, 1);
    int table = lua_gettop(L);
    if (lua_type(L, table) != LUA_TTABLE)
        return mus_lua_error(L, "%s must be a table {from =, to =} (got %s)", what, mus_lua_describe(L, table));
    mus_lua_check_keys(L, table, what, keys);
    read_key(L, table, what, key);
    return 0;
}

const mus_lua_view *mus_lua_world_view(lua_State *L, int world) {
    world = lua_absindex(L, world);
    mus_lua_worldbox *box = mus_lua_check_box(L, world, "camera");
    mus_lua_refuse_nested(L, box, "camera");
    luaL_checkstack(L, 8, NULL);
    lua_getiuservalue(L, world, MUS_LUA_VIEW);
    view *v = luaL_testudata(L, -1, TYPE);
    if (!v) {
        lua_pop(L, 1);
        return NULL;
    }
    int at = lua_gettop(L);
    double t = mus_world_get_time(box->world);
    if (lua_getiuservalue(L, at, FUNCTION) != LUA_TNIL) {
        camera_key key = {.t = t};
        mus_lua_call_for_picture(L, box, world, call_function, &key);
        v->set = key;
    }
    if (lua_getiuservalue(L, at, PATH) != LUA_TNIL) place_on_path(v, lua_touserdata(L, -1), t);
    double center[3];
    bool followed = lua_getiuservalue(L, at, FOLLOWED) != LUA_TNIL && center_of(L, lua_gettop(L), center);
    for (int k = 0; k < 3; k++) {
        float shift = followed ? (float)(center[k] - v->followed_at[k]) : 0;
        v->shown.from[k] = v->set.from[k] + shift;
        v->shown.to[k] = v->set.to[k] + shift;
    }
    v->shown.fov = v->set.fov;
    lua_settop(L, at - 1);
    return &v->shown;
}

/* ---- Title, background, light ------------------------------------------------------------------------------------ */

static int world_title(lua_State *L) {
    mus_lua_worldbox *box = mus_lua_check_box(L, 1, "title");
    mus_lua_refuse_drawing(L, box, "world:title");
    lua_settop(L, 2);
    if (!lua_isnil(L, 2) && lua_type(L, 2) != LUA_TSTRING)
        return mus_lua_error(L, "world:title: it must be a text (got %s)", mus_lua_describe(L, 2));
    view *v = push_view(L, 1);
    lua_pushvalue(L, 2);
    lua_setiuservalue(L, -2, TITLE);
    v->shown.title = lua_tostring(L, 2);
    return 0;
}

static int world_background(lua_State *L) {
    static const char *const keys[] = {"top", "bottom", NULL};
    mus_lua_worldbox *box = mus_lua_check_box(L, 1, "background");
    mus_lua_refuse_drawing(L, box, "world:background");
    lua_settop(L, 2);
    float top[3], bottom[3];
    if (lua_istable(L, 2) && lua_rawlen(L, 2) == 0) {
        mus_lua_check_keys(L, 2, "world:background", keys);
        if (!mus_lua_opt_color(L, 2, "world:background", "top", top) ||
            !mus_lua_opt_color(L, 2, "world:background", "bottom", bottom))
            return mus_lua_error(L, "world:background: give a color, or both fields 'top' and 'bottom'");
    } else {
        mus_lua_check_color(L, 2, "world:background: the color", top);
        memcpy(bottom, top, sizeof bottom);
    }
    view *v = push_view(L, 1);
    v->shown.has_background = true;
    memcpy(v->shown.top, top, sizeof top);
    memcpy(v->shown.bottom, bottom, sizeof bottom);
    return 0;
}

static int world_light(lua_State *L) {
    static const char *const keys[] = {"toward", "color", NULL};
    mus_lua_worldbox *box = mus_lua_check_box(L, 1, "light");
    mus_lua_refuse_drawing(L, box, "world:light");
    lua_settop(L, 2);
    mus_lua_check_keys(L, 2, "world:light", keys);
    double toward[3] = {-0.36, 0.80, 0.50};
    float color[3] = {1, 1, 1};
    mus_lua_opt_vec3(L, 2, "world:light", "toward", toward);
    mus_lua_opt_color(L, 2, "world:light", "color", color);
    double length = sqrt(toward[0] * toward[0] + toward[1] * toward[1] + toward[2] * toward[2]);
    if (!(length > 1e-9)) return mus_lua_error(L, "world:light: field 'toward' must be a direction, not zero");
    view *v = push_view(L, 1);
    v->shown.has_light = true;
    for (int k = 0; k < 3; k++) v->shown.to_light[k] = (float)(toward[k] / length);
    memcpy(v->shown.light_color, color, sizeof color);
    return 0;
}

void mus_lua_push_view_function(lua_State *L, int world) {
    lua_getiuservalue(L, world, MUS_LUA_VIEW);
    if (luaL_testudata(L, -1, TYPE))
        lua_getiuservalue(L, -1, FUNCTION);
    else
        lua_pushnil(L);
    lua_remove(L, -2);
}

void mus_lua_push_view_methods(lua_State *L) {
    static const luaL_Reg methods[] = {{"camera", world_camera},
                                       {"title", world_title},
                                       {"background", world_background},
                                       {"light", world_light},
                                       {NULL, NULL}};
    luaL_setfuncs(L, methods, 0);
}

void mus_lua_open_view(lua_State *L) {
    static const luaL_Reg none[] = {{NULL, NULL}};
    mus_lua_new_type(L, TYPE, none, none, NULL, NULL);
}
