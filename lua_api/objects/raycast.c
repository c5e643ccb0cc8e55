/* raycast.c: mesh:raycast(from, to): where segments first meet a mesh. */
#include "binding.h"

/* Arrays of places: two arrays of one number a segment. */
static int cast_many(lua_State *L, const mus_mesh *mesh, mus_lua_span *from, mus_lua_span *to) {
    if (from->components != 3 || to->components != 3 || from->count != to->count)
        return mus_lua_error(
            L,
            "mesh:raycast(from, to): arrays must have 3 numbers a row and equally many rows (got %dx%d "
            "and %dx%d)",
            (int)from->count, from->components, (int)to->count, to->components);
    int64_t count = from->count;
    double *fractions = mus_lua_push_array(L, count, 1), *numbers = mus_lua_push_array(L, count, 1);
    int32_t *faces = lua_newuserdatauv(L, (size_t)count * sizeof *faces + 1, 0);
    (void)mus_lua_test_array(L, 2, from), (void)mus_lua_test_array(L, 3, to); /* allocating may have run finalizers */
    mus_lua_check_status(L, mus_mesh_raycast(mesh, count, from->data, to->data, fractions, faces));
    for (int64_t k = 0; k < count; k++) numbers[k] = faces[k] + 1;
    lua_pop(L, 1);
    return 2;
}

int mus_lua_mesh_raycast(lua_State *L) {
    const mus_mesh *mesh = mus_lua_check_mesh(L, 1);
    lua_settop(L, 3);
    mus_lua_span from, to;
    bool many = mus_lua_test_array(L, 2, &from);
    if (mus_lua_test_array(L, 3, &to) != many)
        return mus_lua_error(L, "mesh:raycast(from, to): two places, or two arrays of places");
    if (many) return cast_many(L, mesh, &from, &to);
    double ends[2][3], fraction;
    int32_t face;
    mus_lua_check_vec3(L, 2, "mesh:raycast: from", ends[0]);
    mus_lua_check_vec3(L, 3, "mesh:raycast: to", ends[1]);
    mus_lua_check_status(L, mus_mesh_raycast(mesh, 1, ends[0], ends[1], &fraction, &face));
    if (face < 0) {
        lua_pushnil(L);
        return 1;
    }
    lua_pushnumber(L, fraction);
    lua_pushinteger(L, face + 1);
    return 2;
}
