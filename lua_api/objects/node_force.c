/* node_force.c: muslin.node_force as a function of world:force: all vertices at once, or each by itself; and
 * muslin.wind. */
#include "trace/trace.h"

#include <math.h>
#include <string.h>

/* The argument of the plain function for one vertex: a new table for each. */
static void push_node(lua_State *L, mus_world *world, mus_cloth_id id, int32_t i, const double *normals,
                      const double *areas) {
    static const char *const vectors[] = {"position", "velocity", "normal"};
    const double *of[3] = {mus_cloth_get_positions(world, id), mus_cloth_get_velocities(world, id), normals};
    lua_createtable(L, 0, 7);
    for (int k = 0; k < 3; k++) {
        const double *v = of[k] + 3 * (size_t)i;
        mus_lua_push_vec3(L, v[0], v[1], v[2]);
        lua_setfield(L, -2, vectors[k]);
    }
    lua_pushnumber(L, mus_cloth_get_masses(world, id)[i]);
    lua_setfield(L, -2, "mass");
    lua_pushnumber(L, areas[i]);
    lua_setfield(L, -2, "area");
    lua_pushnumber(L, mus_world_get_time(world));
    lua_setfield(L, -2, "time");
    lua_pushnumber(L, mus_world_get_step_size(world));
    lua_setfield(L, -2, "dt");
}

/* f: force on each vertex, N, to which that of the function is added. Lua cannot remove objects within a step. */
static void add_plain(lua_State *L, mus_world *world, mus_cloth_id id, double *f) {
    int32_t count = mus_cloth_get_vertex_count(world, id);
    const double *normals = mus_cloth_get_normals(world, id), *areas = mus_cloth_get_areas(world, id);
    if (!normals || !areas) mus_lua_error(L, "%s", mus_get_error_message());
    lua_getiuservalue(L, 1, 1);
    int function = lua_gettop(L);
    for (int32_t i = 0; i < count; i++) {
        double force[3];
        lua_pushvalue(L, function);
        push_node(L, world, id, i, normals, areas);
        lua_call(L, 1, 1);
        if (!mus_lua_test_vec3(L, -1, force)) {
            const char *seen = mus_lua_describe(L, -1);
            mus_lua_error_of(L, function, "node_force: it must return the force, {x, y, z} in N (got %s)", seen);
        }
        for (int c = 0; c < 3; c++)
            if (!isfinite(force[c]))
                mus_lua_error_of(L, function,
                                 "node force: the force on vertex %d of cloth '%s' must be finite (got %s at %d, t = "
                                 "%f s); keep divisors and roots off 0",
                                 (int)i + 1, mus_cloth_get_name(world, id), mus_lua_word_of_number(force[c]), c + 1,
                                 mus_world_get_time(world));
        for (int k = 0; k < 3; k++) f[3 * (size_t)i + (size_t)k] += force[k];
        lua_pop(L, 1);
    }
}

/* Compares the force added to `before` by the traced function with that of the plain one, vertex by vertex. */
static void compare(lua_State *L, mus_world *world, mus_cloth_id id, const double *before) {
    int32_t count = mus_cloth_get_vertex_count(world, id);
    double *plain = mus_lua_push_array(L, count, 3);
    memcpy(plain, before, sizeof *plain * 3 * (size_t)count);
    add_plain(L, world, id, plain);
    const double *traced = mus_cloth_get_forces(world, id);
    for (int32_t k = 0; k < 3 * count; k++) {
        if (fabs(traced[k] - plain[k]) <= 1e-12 * (fabs(traced[k]) + fabs(plain[k])) + 1e-300) continue;
        lua_getiuservalue(L, 1, 1);
        int function = lua_gettop(L);
        mus_lua_error_of(
            L, function,
            "node_force: traced it gives %s N for component %d of vertex %d of cloth '%s', called plainly %s N: "
            "it depends on something that tracing does not see, such as `==` with a traced number, a truth "
            "test, or a variable that changes (use muslin.param)",
            mus_lua_write_number(L, traced[k]), k % 3 + 1, k / 3 + 1, mus_cloth_get_name(world, id),
            mus_lua_write_number(L, plain[k]));
    }
}

int mus_lua_call_node_force(lua_State *L) {
    mus_lua_rule *rule = mus_lua_test_rule(L, 1);
    mus_lua_worldbox *box;
    mus_cloth_id id = mus_lua_check_cloth(L, 2, "force", &box);
    if (box->phase != MUS_LUA_PHASE_FORCES)
        return mus_lua_error(L, "%s: give it to world:force, which calls it while forces are collected",
                             rule->kind == MUS_PROGRAM_WIND ? "wind" : "node_force");
    if (rule->kind == MUS_PROGRAM_WIND) {
        mus_lua_check_called(L, mus_cloth_add_wind(box->world, id, rule->program));
        return 0;
    }
    if (!rule->program) {
        add_plain(L, box->world, id, mus_cloth_get_forces(box->world, id));
        return 0;
    }
    const double *before = NULL;
    if (rule->check) {
        size_t numbers = 3 * (size_t)mus_cloth_get_vertex_count(box->world, id);
        double *copy = mus_lua_push_array(L, (int64_t)numbers / 3, 3);
        memcpy(copy, mus_cloth_get_forces(box->world, id), sizeof *copy * numbers);
        before = copy;
    }
    mus_lua_check_called(L, mus_cloth_add_node_force(box->world, id, rule->program));
    if (rule->check) compare(L, box->world, id, before);
    return 0;
}
