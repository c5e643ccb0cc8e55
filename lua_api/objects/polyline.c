/* polyline.c: mesh:polyline(points, tolerance): the vertices of a mesh along a line. */
#include "binding.h"

int mus_lua_mesh_polyline(lua_State *L) {
    const mus_mesh *mesh = mus_lua_check_mesh(L, 1);
    double tolerance = luaL_optnumber(L, 3, 1e-6);
    lua_settop(L, 2);
    if (!lua_istable(L, 2) || lua_rawlen(L, 2) > 100000) {
        const char *seen = mus_lua_describe(L, 2);
        return mus_lua_error(L, "mesh:polyline(points): a list of points {x, y, z} (got %s)", seen);
    }
    int32_t count = (int32_t)lua_rawlen(L, 2), found;
    double *points = lua_newuserdatauv(L, (size_t)count * 3 * sizeof *points + 1, 0);
    for (int32_t i = 0; i < count; i++) {
        lua_rawgeti(L, 2, i + 1);
        mus_lua_check_vec3(L, -1, "mesh:polyline: a point", points + 3 * (size_t)i);
        lua_pop(L, 1);
    }
    int32_t *vertices = lua_newuserdatauv(L, (size_t)mus_mesh_get_vertex_count(mesh) * sizeof *vertices + 1, 0);
    mus_lua_check_status(L, mus_mesh_find_polyline(mesh, points, count, tolerance, vertices, &found));
    lua_createtable(L, found, 0);
    for (int32_t k = 0; k < found; k++) {
        lua_pushinteger(L, vertices[k] + 1);
        lua_rawseti(L, -2, k + 1);
    }
    return 1;
}
