/* query.c: elementary collision queries, and mathematics with the same bits on every machine. */
#include "binding.h"
#include "muslin/math.h"

#include <math.h>
#include <string.h>

/* `count` numbers: a flat list, or a list of places. */
static void check_points(lua_State *L, int index, const char *what, int count, double *out) {
    if (!lua_istable(L, index)) {
        const char *seen = mus_lua_describe(L, index);
        mus_lua_error(L, "%s must be a list of %d numbers, or of %d places (got %s)", what, count, count / 3, seen);
    }
    lua_Unsigned length = lua_rawlen(L, index);
    if (length == (lua_Unsigned)count / 3) {
        for (int i = 0; i < count / 3; i++) {
            lua_rawgeti(L, index, i + 1);
            mus_lua_check_vec3(L, -1, what, out + 3 * i);
            lua_pop(L, 1);
        }
        return;
    }
    if (length != (lua_Unsigned)count)
        mus_lua_error(L, "%s must be a list of %d numbers, or of %d places (got %d items)", what, count, count / 3,
                      (int)length);
    for (int i = 0; i < count; i++) {
        bool number = lua_rawgeti(L, index, i + 1) == LUA_TNUMBER;
        out[i] = number ? lua_tonumber(L, -1) : 0;
        if (!number || !isfinite(out[i])) {
            const char *seen = mus_lua_describe(L, -1);
            mus_lua_error(L, "%s [%d] must be a finite number (got %s)", what, i + 1, seen);
        }
        lua_pop(L, 1);
    }
}

static int ccd(lua_State *L, const char *what,
               bool (*test)(const double t0[12], const double t1[12], double thickness, double *toi)) {
    double t0[12], t1[12], thickness = 0, toi;
    lua_pushfstring(L, "%s: t0", what);
    check_points(L, 1, lua_tostring(L, -1), 12, t0);
    lua_pushfstring(L, "%s: t1", what);
    check_points(L, 2, lua_tostring(L, -1), 12, t1);
    if (!lua_isnoneornil(L, 3)) {
        thickness = lua_type(L, 3) == LUA_TNUMBER ? lua_tonumber(L, 3) : -1;
        if (!(thickness >= 0 && isfinite(thickness))) {
            const char *seen = mus_lua_describe(L, 3);
            return mus_lua_error(L, "%s: thickness must be a number >= 0 m (got %s)", what, seen);
        }
    }
    if (test(t0, t1, thickness, &toi)) {
        lua_pushnumber(L, toi);
    } else {
        lua_pushnil(L);
    }
    return 1;
}

static int ccd_vertex_face(lua_State *L) {
    lua_settop(L, 3);
    return ccd(L, "ccd.vertex_face", mus_ccd_vertex_face);
}

static int ccd_edge_edge(lua_State *L) {
    lua_settop(L, 3);
    return ccd(L, "ccd.edge_edge", mus_ccd_edge_edge);
}

static void push_weights(lua_State *L, const double *weights, int count) {
    lua_createtable(L, count, 0);
    for (int k = 0; k < count; k++) {
        lua_pushnumber(L, weights[k]);
        lua_rawseti(L, -2, k + 1);
    }
}

static int distance_vertex_face(lua_State *L) {
    double points[12], weights[3];
    check_points(L, 1, "distance.vertex_face: the points", 12, points);
    lua_pushnumber(L, mus_distance_vertex_face(points, weights));
    push_weights(L, weights, 3);
    return 2;
}

static int distance_edge_edge(lua_State *L) {
    double points[12], weights[2];
    check_points(L, 1, "distance.edge_edge: the points", 12, points);
    lua_pushnumber(L, mus_distance_edge_edge(points, weights));
    push_weights(L, weights, 2);
    return 2;
}

static int intersects(lua_State *L) {
    double a[9], b[9];
    check_points(L, 1, "intersects: the first triangle", 9, a);
    check_points(L, 2, "intersects: the second triangle", 9, b);
    int found = mus_intersect_triangles(a, b);
    lua_pushboolean(L, found == 1);
    if (found == 0) {
        lua_pushnil(L);
    } else {
        lua_pushstring(L, found == 1 ? "crossing" : "touch");
    }
    return 2;
}

/* ---- Mathematics ------------------------------------------------------------------------------------------------- */

static int query_max(lua_State *L) {
    double best = luaL_checknumber(L, 1);
    for (int k = 2; k <= lua_gettop(L); k++) {
        double x = luaL_checknumber(L, k);
        if (x > best || isnan(x)) best = x;
    }
    lua_pushnumber(L, best);
    return 1;
}

static int query_min(lua_State *L) {
    double best = luaL_checknumber(L, 1);
    for (int k = 2; k <= lua_gettop(L); k++) {
        double x = luaL_checknumber(L, k);
        if (x < best || isnan(x)) best = x;
    }
    lua_pushnumber(L, best);
    return 1;
}

static int query_abs(lua_State *L) {
    lua_pushnumber(L, fabs(luaL_checknumber(L, 1)));
    return 1;
}
static int query_sqrt(lua_State *L) {
    lua_pushnumber(L, sqrt(luaL_checknumber(L, 1)));
    return 1;
}
static int query_sin(lua_State *L) {
    lua_pushnumber(L, mus_sin(luaL_checknumber(L, 1)));
    return 1;
}
static int query_cos(lua_State *L) {
    lua_pushnumber(L, mus_cos(luaL_checknumber(L, 1)));
    return 1;
}
static int query_tan(lua_State *L) {
    lua_pushnumber(L, mus_tan(luaL_checknumber(L, 1)));
    return 1;
}
static int query_asin(lua_State *L) {
    lua_pushnumber(L, mus_asin(luaL_checknumber(L, 1)));
    return 1;
}
static int query_acos(lua_State *L) {
    lua_pushnumber(L, mus_acos(luaL_checknumber(L, 1)));
    return 1;
}
static int query_atan2(lua_State *L) {
    lua_pushnumber(L, mus_atan2(luaL_checknumber(L, 1), luaL_checknumber(L, 2)));
    return 1;
}
static int query_exp(lua_State *L) {
    lua_pushnumber(L, mus_exp(luaL_checknumber(L, 1)));
    return 1;
}
static int query_log(lua_State *L) {
    lua_pushnumber(L, mus_log(luaL_checknumber(L, 1)));
    return 1;
}
static int query_pow(lua_State *L) {
    lua_pushnumber(L, mus_pow(luaL_checknumber(L, 1), luaL_checknumber(L, 2)));
    return 1;
}

/* ---- What is built in -------------------------------------------------------------------------------------------- */

static int query_stages(lua_State *L) {
    int32_t count = mus_stage_get_count();
    lua_createtable(L, count, 0);
    for (int32_t k = 0; k < count; k++) {
        const mus_stage_info *stage = mus_stage_get(k);
        lua_createtable(L, 0, 4);
        lua_pushstring(L, mus_stage_kind_get_name(stage->kind));
        lua_setfield(L, -2, "kind");
        lua_pushstring(L, stage->name);
        lua_setfield(L, -2, "name");
        lua_pushstring(L, stage->doc);
        lua_setfield(L, -2, "doc");
        lua_pushstring(L, stage->citation);
        lua_setfield(L, -2, "citation");
        lua_rawseti(L, -2, k + 1);
    }
    return 1;
}

static int query_build(lua_State *L) {
    mus_build build = mus_get_build();
    lua_createtable(L, 0, 4);
    lua_pushstring(L, build.version);
    lua_setfield(L, -2, "version");
    lua_pushstring(L, build.compiler);
    lua_setfield(L, -2, "compiler");
    lua_pushstring(L, build.cpu);
    lua_setfield(L, -2, "cpu");
    lua_pushstring(L, build.simd);
    lua_setfield(L, -2, "simd");
    return 1;
}

void mus_lua_open_query(lua_State *L) {
    static const luaL_Reg plain[] = {{"intersects", intersects},
                                     {"max", query_max},
                                     {"min", query_min},
                                     {"abs", query_abs},
                                     {"sqrt", query_sqrt},
                                     {"sin", query_sin},
                                     {"cos", query_cos},
                                     {"tan", query_tan},
                                     {"asin", query_asin},
                                     {"acos", query_acos},
                                     {"atan2", query_atan2},
                                     {"exp", query_exp},
                                     {"log", query_log},
                                     {"pow", query_pow},
                                     {"stages", query_stages},
                                     {"build", query_build},
                                     {NULL, NULL}};
    static const luaL_Reg ccds[] = {{"vertex_face", ccd_vertex_face}, {"edge_edge", ccd_edge_edge}, {NULL, NULL}};
    static const luaL_Reg distances[] = {
        {"vertex_face", distance_vertex_face}, {"edge_edge", distance_edge_edge}, {NULL, NULL}};
    luaL_setfuncs(L, plain, 0);
    luaL_newlib(L, ccds);
    lua_setfield(L, -2, "ccd");
    luaL_newlib(L, distances);
    lua_setfield(L, -2, "distance");
}
