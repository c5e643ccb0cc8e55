/* crease.c: cloth:crease and cloth:angle. */
#include "binding.h"

int mus_lua_cloth_crease(lua_State *L) {
    const char *what = "cloth:crease";
    mus_lua_worldbox *box;
    lua_settop(L, 3);
    mus_cloth_id id = mus_lua_check_cloth(L, 1, "crease", &box);
    mus_lua_check_change(L, box, what);
    if (lua_type(L, 3) != LUA_TNUMBER)
        return mus_lua_error(L, "%s: the second argument must be an angle in rad (got %s)", what,
                             mus_lua_describe(L, 3));
    double angle = lua_tonumber(L, 3);
    lua_pushvalue(L, 2);
    int32_t count = 0, *path = mus_lua_read_vertices(L, what, mus_cloth_get_vertex_count(box->world, id), &count);
    if (count < 2) return mus_lua_error(L, "%s: needs two vertices or more along edges (got %d)", what, (int)count);
    for (int32_t k = 0; k + 1 < count; k++) /* all or none */
        mus_lua_check_status(L, mus_cloth_get_fold_angle(box->world, id, path[k], path[k + 1], NULL, NULL));
    for (int32_t k = 0; k + 1 < count; k++)
        mus_lua_check_status(L, mus_cloth_set_rest_angle(box->world, id, path[k], path[k + 1], angle));
    return 0;
}

int mus_lua_cloth_angle(lua_State *L) {
    mus_lua_worldbox *box;
    mus_cloth_id id = mus_lua_check_cloth(L, 1, "angle", &box);
    int32_t ends[2], vertex_count = mus_cloth_get_vertex_count(box->world, id);
    for (int k = 0; k < 2; k++) {
        int whole;
        lua_Integer vertex = lua_tointegerx(L, 2 + k, &whole);
        if (!whole || vertex < 1 || vertex > vertex_count)
            return mus_lua_error(L, "cloth:angle: needs two vertices from 1 to %d (got %s)", (int)vertex_count,
                                 mus_lua_describe(L, 2 + k));
        ends[k] = (int32_t)vertex - 1;
    }
    double angle = 0, rest = 0;
    mus_lua_check_status(L, mus_cloth_get_fold_angle(box->world, id, ends[0], ends[1], &angle, &rest));
    lua_pushnumber(L, angle);
    lua_pushnumber(L, rest);
    return 2;
}
