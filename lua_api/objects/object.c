/* object.c: handles of cloths and obstacles as userdata: one for each object, and the errors for removed ones. */
#include "binding.h"

#include <string.h>

mus_lua_object *mus_lua_test_object(lua_State *L, int index) {
    mus_lua_object *object = luaL_testudata(L, index, "muslin.cloth");
    return object ? object : luaL_testudata(L, index, "muslin.obstacle");
}

lua_Integer mus_lua_object_key(const mus_lua_object *object) {
    return (lua_Integer)((uint64_t)object->generation << 33 | (uint64_t)object->index << 1 | object->obstacle);
}

static void push_object(lua_State *L, int world, mus_lua_object like, const char *name) {
    luaL_checkstack(L, 6, NULL);
    lua_getiuservalue(L, world, MUS_LUA_OBJECTS);
    int objects = lua_gettop(L);
    lua_Integer key = mus_lua_object_key(&like);
    if (lua_rawgeti(L, objects, key) == LUA_TNIL) {
        lua_pop(L, 1);
        mus_lua_object *object = lua_newuserdatauv(L, sizeof *object, 2);
        *object = like;
        luaL_setmetatable(L, like.obstacle ? "muslin.obstacle" : "muslin.cloth");
        lua_pushvalue(L, world);
        lua_setiuservalue(L, -2, 1);
        lua_pushstring(L, name);
        lua_setiuservalue(L, -2, 2);
        lua_pushvalue(L, -1);
        lua_rawseti(L, objects, key);
    }
    lua_remove(L, objects);
}

void mus_lua_push_cloth(lua_State *L, int world, mus_cloth_id id) {
    mus_lua_object like = {0};
    like.index = id.index;
    like.generation = id.generation;
    const mus_world *of_id = mus_lua_test_box(L, world)->world;
    const int32_t *nodes = mus_cloth_get_grid_nodes(of_id, id);
    if (nodes) memcpy(like.grid_nodes, nodes, sizeof like.grid_nodes);
    push_object(L, world, like, mus_cloth_get_name(of_id, id));
}

void mus_lua_push_obstacle(lua_State *L, int world, mus_obstacle_id id) {
    mus_lua_object like = {0};
    like.index = id.index;
    like.generation = id.generation;
    like.obstacle = true;
    push_object(L, world, like, mus_obstacle_get_name(mus_lua_test_box(L, world)->world, id));
}

void mus_lua_check_alive(lua_State *L, int index, mus_lua_worldbox **box) {
    mus_lua_object *object = mus_lua_test_object(L, index);
    const char *kind = object->obstacle ? "obstacle" : "cloth";
    luaL_checkstack(L, 4, NULL);
    index = lua_absindex(L, index);
    lua_getiuservalue(L, index, 1);
    mus_lua_worldbox *owner = *box = mus_lua_test_box(L, -1);
    lua_pop(L, 1);
    bool alive = false;
    if (owner->world) {
        alive = object->obstacle
                    ? mus_obstacle_is_valid(owner->world, (mus_obstacle_id){object->index, object->generation})
                    : mus_cloth_is_valid(owner->world, (mus_cloth_id){object->index, object->generation});
    }
    if (alive) return;
    lua_getiuservalue(L, index, 2);
    if (owner->world) mus_lua_error(L, "%s '%s': it was removed from its world", kind, lua_tostring(L, -1));
    mus_lua_error(L, "%s '%s': its world was closed", kind, lua_tostring(L, -1));
}
