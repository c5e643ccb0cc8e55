/* map.c: maps over a cloth that is made: one number for each vertex, from a number, an array, a list, a function, a
 * picture, or by groups of faces. */
#include "binding.h"
#include "objects/array.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The function at `value`: f(x, y, z, i) for every vertex of the mesh. */
static void call_for_vertices(lua_State *L, mus_lua_worldbox *box, const mus_mesh *mesh, int value, const char *field,
                              double *map) {
    const double *x = mus_mesh_get_vertices_const(mesh);
    for (int32_t i = 0; i < mus_mesh_get_vertex_count(mesh); i++) {
        lua_pushvalue(L, value);
        for (int k = 0; k < 3; k++) lua_pushnumber(L, x[3 * i + k]);
        lua_pushinteger(L, i + 1);
        mus_lua_call_locked(L, box, (mus_lua_lock){"cloth", "the function of a map"}, 4, 1);
        if (lua_type(L, -1) != LUA_TNUMBER) {
            const char *seen = mus_lua_describe(L, -1);
            mus_lua_error(L, "%s must return a number (got %s for vertex %d)", field, seen, (int)i + 1);
        }
        map[i] = lua_tonumber(L, -1);
        lua_pop(L, 1);
    }
}

static void copy_list(lua_State *L, int value, int32_t count, const char *field, double *map) {
    lua_Integer there = (lua_Integer)lua_rawlen(L, value);
    if (there != count)
        mus_lua_error(L, "%s must have a number for each of the mesh's %d vertices (got %d)", field, (int)count,
                      (int)there);
    for (int32_t i = 0; i < count; i++) {
        if (lua_rawgeti(L, value, i + 1) != LUA_TNUMBER) {
            const char *seen = mus_lua_describe(L, -1);
            mus_lua_error(L, "%s: item %d must be a number (got %s)", field, (int)i + 1, seen);
        }
        map[i] = lua_tonumber(L, -1);
        lua_pop(L, 1);
    }
}

static bool is_by_group(lua_State *L, int value) {
    lua_pushnil(L);
    if (!lua_next(L, value)) return false;
    bool by_group = lua_type(L, -2) == LUA_TSTRING;
    lua_pop(L, 2);
    return by_group;
}

/* A number for the vertices of each of the mesh's groups of faces by its name, the mean where groups meet; `others` for
 * the rest. */
static void fill_groups(lua_State *L, const mus_mesh *mesh, int value, const char *field, double *map) {
    int32_t count = mus_mesh_get_vertex_count(mesh), group_count, face = 0;
    const int32_t *faces = mus_mesh_get_faces(mesh);
    const mus_mesh_group *groups = mus_mesh_get_groups(mesh, &group_count);
    lua_pushnil(L);
    while (lua_next(L, value)) {
        const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : NULL;
        bool known = name && strcmp(name, "others") == 0;
        for (int32_t g = 0; name && g < group_count && !known; g++) known = strcmp(name, groups[g].name) == 0;
        if (!known)
            mus_lua_error(L, "%s: the mesh has no group '%s'%s", field, name ? name : "(a number)",
                          group_count ? "" : "; it has no groups at all");
        if (lua_type(L, -1) != LUA_TNUMBER) {
            const char *seen = mus_lua_describe(L, -1);
            mus_lua_error(L, "%s: group '%s' must have a number (got %s)", field, name, seen);
        }
        lua_pop(L, 1);
    }
    double others = lua_getfield(L, value, "others") == LUA_TNUMBER ? lua_tonumber(L, -1) : NAN;
    lua_pop(L, 1);
    int32_t *uses = lua_newuserdatauv(L, sizeof *uses * (size_t)count, 0);
    memset(uses, 0, sizeof *uses * (size_t)count);
    memset(map, 0, sizeof *map * (size_t)count);
    for (int32_t g = 0; g <= group_count; g++) {
        int32_t end = g < group_count ? face + groups[g].face_count : mus_mesh_get_face_count(mesh);
        double number = others;
        if (g < group_count) {
            if (lua_getfield(L, value, groups[g].name) == LUA_TNUMBER) number = lua_tonumber(L, -1);
            lua_pop(L, 1);
        }
        if (isnan(number) && face < end)
            mus_lua_error(L, "%s has no number for group '%s'; name it, or 'others'", field,
                          g < group_count ? groups[g].name : "others");
        for (int32_t k = 3 * face; k < 3 * end; k++) map[faces[k]] += number, uses[faces[k]]++;
        face = end;
    }
    for (int32_t i = 0; i < count; i++) map[i] = uses[i] ? map[i] / uses[i] : others;
    lua_pop(L, 1);
}

/* ---- Pictures ---------------------------------------------------------------------------------------------------- */

/* A picture over the texture coordinates of a mesh: black is `low`, white `high`. */
typedef struct picture_map {
    double low, high;
    double origin[2], size[2]; /* m: where the lower left corner is, and how large the picture */
} picture_map;

/* By default it covers the box around them once. */
static void cover_box(const mus_mesh *mesh, picture_map *map) {
    const double *uv = mus_mesh_get_uvs(mesh);
    double high[2] = {-INFINITY, -INFINITY};
    for (int k = 0; k < 2; k++) {
        map->origin[k] = INFINITY;
        for (int32_t i = 0; i < mus_mesh_get_uv_count(mesh); i++)
            map->origin[k] = fmin(map->origin[k], uv[2 * i + k]), high[k] = fmax(high[k], uv[2 * i + k]);
        map->size[k] = high[k] > map->origin[k] ? high[k] - map->origin[k] : 1;
    }
}

static double sample_at(const mus_picture *picture, const picture_map *map, const double uv[2]) {
    double at[2];
    for (int k = 0; k < 2; k++) {
        at[k] = (uv[k] - map->origin[k]) / map->size[k];
        if (at[k] < 0 || at[k] > 1) at[k] -= floor(at[k]); /* it is repeated */
    }
    return map->low + (map->high - map->low) * mus_picture_sample(picture, at[0], at[1]);
}

/* From {picture = path, low =, high =, origin =, size =}; the mean at vertices with several texture coordinates. */
static void fill_picture(lua_State *L, const mus_mesh *mesh, int value, const char *field, double *map) {
    static const char *const keys[] = {"picture", "low", "high", "origin", "size", NULL};
    mus_lua_check_keys(L, value, field, keys);
    if (!mus_mesh_get_uv_count(mesh))
        mus_lua_error(L, "%s: the mesh has no texture coordinates, by which a picture lies on it", field);
    picture_map made = {.low = mus_lua_opt_number(L, value, field, "low", 0),
                        .high = mus_lua_opt_number(L, value, field, "high", 1)};
    cover_box(mesh, &made);
    int32_t count = mus_mesh_get_vertex_count(mesh);
    const int32_t *faces = mus_mesh_get_faces(mesh), *uv_faces = mus_mesh_get_uv_faces(mesh);
    int32_t *uses = lua_newuserdatauv(L, sizeof *uses * (size_t)count, 0);
    memset(uses, 0, sizeof *uses * (size_t)count);
    memset(map, 0, sizeof *map * (size_t)count);
    mus_lua_picture picture;
    mus_lua_load_picture(L, value, field, &picture);
    if (picture.has_origin) memcpy(made.origin, picture.origin, sizeof made.origin);
    if (picture.has_size) memcpy(made.size, picture.size, sizeof made.size);
    for (int32_t k = 0; k < 3 * mus_mesh_get_face_count(mesh); k++) {
        map[faces[k]] += sample_at(picture.picture, &made, mus_mesh_get_uvs(mesh) + 2 * (size_t)uv_faces[k]);
        uses[faces[k]]++;
    }
    mus_lua_close_picture(L, -1);
    for (int32_t i = 0; i < count; i++) map[i] = uses[i] ? map[i] / uses[i] : made.low;
}

/* Pushes the memory of the map, which the caller keeps on the stack; NULL, and nil, if the field is not given. */
static const double *read_map(lua_State *L, mus_lua_worldbox *box, const mus_mesh *mesh, int maps, const char *name) {
    int32_t count = mus_mesh_get_vertex_count(mesh);
    char field[64];
    snprintf(field, sizeof field, "cloth: map of %s", name);
    lua_getfield(L, maps, name);
    int value = lua_gettop(L), type = lua_type(L, value);
    if (type == LUA_TNIL) return NULL;
    double *map = lua_newuserdatauv(L, sizeof *map * (size_t)count, 0);
    if (type == LUA_TNUMBER) {
        for (int32_t i = 0; i < count; i++) map[i] = lua_tonumber(L, value);
    } else if (type == LUA_TFUNCTION) {
        call_for_vertices(L, box, mesh, value, field, map);
    } else if (mus_lua_is_picture(L, value)) {
        fill_picture(L, mesh, value, field, map);
        lua_settop(L, value + 1);
    } else if (type == LUA_TTABLE && is_by_group(L, value)) {
        fill_groups(L, mesh, value, field, map);
    } else if (type == LUA_TTABLE) {
        copy_list(L, value, count, field, map);
    } else if (mus_lua_is_array(L, value)) {
        mus_lua_rows rows = mus_lua_array_rows(L, value, false);
        if (rows.components != 1 || rows.count != count)
            mus_lua_error(L,
                          "%s must be an array of numbers, one for each of the mesh's %d vertices (got %d rows of %d)",
                          field, (int)count, (int)rows.count, rows.components);
        for (int32_t i = 0; i < count; i++) map[i] = rows.data[i];
    } else {
        const char *seen = mus_lua_describe(L, value);
        mus_lua_error(L, "%s must be a number, an array, a list, a function(x, y, z, i) or a table (got %s)", field,
                      seen);
    }
    return map;
}

void mus_lua_read_maps(lua_State *L, int options, mus_lua_worldbox *box, mus_cloth_def *def) {
    static const char *const keys[] = {"density",      "shrinkage", "stiffness", "bending", "friction",
                                       "strain_limit", "damping",   "thickness", NULL};
    int type = mus_lua_field(L, options, "maps");
    if (type == LUA_TNIL) return;
    luaL_checkstack(L, 16, NULL);
    int maps = lua_gettop(L);
    mus_lua_check_keys(L, maps, "cloth: maps", keys);
    def->density = read_map(L, box, def->mesh, maps, "density");
    def->shrinkage = read_map(L, box, def->mesh, maps, "shrinkage");
    def->stiffness = read_map(L, box, def->mesh, maps, "stiffness");
    def->bending = read_map(L, box, def->mesh, maps, "bending");
    def->frictions = read_map(L, box, def->mesh, maps, "friction");
    def->strain_limits = read_map(L, box, def->mesh, maps, "strain_limit");
    def->dampings = read_map(L, box, def->mesh, maps, "damping");
    def->thicknesses = read_map(L, box, def->mesh, maps, "thickness");
}
