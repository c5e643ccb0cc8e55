/* response.c: responses: rules by name or in Lua, and the pairs that they apply to. */
#include "trace/trace.h"

#include <math.h>
#include <string.h>

static const char TYPE[] = "muslin.response";

/* User values: 1 the muslin.rule or nil, 2 a table that keeps the strings. */
typedef struct response {
    const char *name, *rule, *failsafe, *between[2];
    double friction, restitution;
    bool lua; /* the rule is a muslin.rule */
} response;

/* ---- Responses --------------------------------------------------------------------------------------------------- */

/* The options' string, kept in the table at `kept`. */
static const char *keep_string(lua_State *L, const char *field, int kept) {
    const char *text = mus_lua_opt_string(L, 1, "response", field, NULL);
    if (!text) return NULL;
    lua_pushstring(L, text);
    text = lua_tostring(L, -1);
    lua_rawseti(L, kept, (lua_Integer)lua_rawlen(L, kept) + 1);
    return text;
}

static double coefficient(lua_State *L, mus_coefficient which, double most) {
    const char *field = mus_coefficient_get_name(which);
    if (mus_lua_field(L, 1, field) == LUA_TNIL) return -1;
    double value = mus_lua_opt_coefficient(L, 1, "response", which, 0);
    if (value < 0 || value > most)
        mus_lua_error(L,
                      most < 2 ? "response: field '%s' must be from 0 to 1 (got %f)"
                               : "response: field '%s' must be >= 0 (got %f)",
                      field, value);
    return value;
}

/* Refuses traced functions of other kinds. */
static void check_kind(lua_State *L, mus_program_kind kind) {
    static const struct {
        const char *name, *place;
    } others[MUS_PROGRAM_KIND_COUNT] = {[MUS_PROGRAM_NODE_FORCE] = {"muslin.node_force", "world:force"},
                                        [MUS_PROGRAM_WIND] = {"muslin.wind", "world:force"},
                                        [MUS_PROGRAM_MOTION] = {"muslin.motion", "obstacle:move"},
                                        [MUS_PROGRAM_COEFFICIENT] = {"muslin.coefficient", "world:between"},
                                        [MUS_PROGRAM_SPRING] = {"muslin.spring_law", "cloth:spring_law"},
                                        [MUS_PROGRAM_TOLERANCE] = {"tolerance", "muslin.world"}};
    if (others[kind].name)
        mus_lua_error(L, "response: field 'rule' cannot be a %s; give it to %s", others[kind].name, others[kind].place);
}

static int response_new(lua_State *L) {
    static const char *const keys[] = {"name", "rule", "friction", "restitution", "between", "failsafe", "trace", NULL};
    mus_lua_check_keys(L, 1, "response", keys);
    lua_settop(L, 1);
    response *r = lua_newuserdatauv(L, sizeof *r, 2);
    memset(r, 0, sizeof *r);
    luaL_setmetatable(L, TYPE);
    lua_newtable(L);
    int kept = 3;
    lua_pushvalue(L, kept);
    lua_setiuservalue(L, 2, 2);
    r->name = keep_string(L, "name", kept);
    r->failsafe = keep_string(L, "failsafe", kept);
    r->friction = coefficient(L, MUS_COEFFICIENT_FRICTION, HUGE_VAL);
    r->restitution = coefficient(L, MUS_COEFFICIENT_RESTITUTION, 1);
    bool trace = mus_lua_opt_bool(L, 1, "response", "trace", true);
    int type = mus_lua_field(L, 1, "rule");
    if (type != LUA_TFUNCTION) {
        if (mus_lua_field(L, 1, "trace") != LUA_TNIL)
            return mus_lua_error(
                L, "response: field 'trace' is for a function in field 'rule'; muslin.rule takes its own");
        lua_pop(L, 1);
    }
    if (type == LUA_TSTRING) {
        r->rule = keep_string(L, "rule", kept);
    } else if (type == LUA_TFUNCTION || mus_lua_test_rule(L, -1)) {
        r->lua = true;
        mus_lua_make_rule(L, -1, "response: field 'rule'", trace);
        mus_lua_rule *rule = mus_lua_test_rule(L, -1);
        check_kind(L, rule->kind);
        lua_pushvalue(L, -1);
        lua_setiuservalue(L, 2, 1);
    } else if (type != LUA_TNIL) {
        const char *seen = mus_lua_describe(L, -1);
        return mus_lua_error(L, "response: field 'rule' must be a stage's name, a function or a muslin.rule (got %s)",
                             seen);
    }
    lua_settop(L, kept);
    if (mus_lua_field(L, 1, "between") != LUA_TNIL) {
        int between = lua_gettop(L);
        lua_Unsigned count = lua_istable(L, between) ? lua_rawlen(L, between) : 0;
        if (count != 1 && count != 2) {
            const char *seen = mus_lua_describe(L, between);
            return mus_lua_error(L, "response: field 'between' must be a list of one or two objects or names (got %s)",
                                 seen);
        }
        for (int k = 0; k < (int)count; k++) {
            lua_rawgeti(L, between, k + 1);
            lua_pushstring(L, mus_lua_check_object_name(L, -1, "response: an item of field 'between'"));
            r->between[k] = lua_tostring(L, -1);
            lua_rawseti(L, kept, (lua_Integer)lua_rawlen(L, kept) + 1);
            lua_pop(L, 1);
        }
    }
    lua_settop(L, 2);
    return 1;
}

/* world:respond(response, or its options) */
int mus_lua_world_respond(lua_State *L) {
    mus_lua_worldbox *box = mus_lua_check_box(L, 1, "respond");
    mus_lua_check_change(L, box, "world:respond");
    lua_settop(L, 2);
    if (lua_istable(L, 2)) {
        lua_pushcfunction(L, response_new);
        lua_insert(L, 2);
        mus_lua_call_locked(L, box, (mus_lua_lock){"world:respond", "the function that it traces"}, 1, 1);
    }
    response *r = luaL_testudata(L, 2, TYPE);
    if (!r) {
        const char *seen = mus_lua_describe(L, 2);
        return mus_lua_error(
            L, "world: respond(response): it must be a muslin.response or its options, as {rule = f} (got %s)", seen);
    }
    lua_getiuservalue(L, 1, MUS_LUA_RESPONSES);
    int responses = lua_gettop(L);
    lua_pushvalue(L, 2);
    if (lua_rawget(L, responses) != LUA_TNIL)
        return mus_lua_error(
            L, "world: respond: this response is in the world already; remove it first with world:remove");
    /* Everything that may raise comes before the core references the record. */
    mus_response_def def = mus_response_def_default();
    for (int k = 0; k < 2; k++)
        def.between[k] = mus_lua_find_object(L, box->world, "response: field 'between'", r->between[k]);
    mus_response_id *id = lua_newuserdatauv(L, sizeof *id, 1);
    memset(id, 0, sizeof *id);
    int handle = lua_gettop(L);
    lua_pushvalue(L, 2);
    lua_pushvalue(L, handle);
    lua_rawset(L, responses);
    if (r->lua) {
        lua_getiuservalue(L, 2, 1);
        def.per_node = mus_lua_test_rule(L, -1)->kind == MUS_PROGRAM_NODE_RULE;
        def.callback = mus_lua_rule_callback(L, 1, lua_gettop(L), &def.user);
        lua_setiuservalue(L, handle, 1);
        lua_pop(L, 1);
    }
    if (r->name) def.name = r->name;
    if (r->rule) def.rule = r->rule;
    if (r->failsafe) def.failsafe = r->failsafe;
    def.friction = r->friction;
    def.restitution = r->restitution;
    box->owners_changed = true;
    box->changes++;
    mus_status status = mus_response_create(box->world, &def, id);
    if (status != MUS_STATUS_OK) {
        lua_pushvalue(L, 2);
        lua_pushnil(L);
        lua_rawset(L, responses);
        mus_lua_check_status(L, status);
    }
    lua_settop(L, 2);
    return 1;
}

/* The world references the record as that of world:respond. */
mus_status mus_lua_set_rule(lua_State *L, mus_lua_worldbox *box, int world, mus_response_id id, int rule) {
    lua_getiuservalue(L, world, MUS_LUA_RESPONSES);
    mus_response_id *handle = lua_newuserdatauv(L, sizeof *handle, 1);
    *handle = id;
    lua_pushvalue(L, -1);
    lua_pushvalue(L, -1);
    lua_rawset(L, -4);
    void *user;
    mus_rule_fn callback = mus_lua_rule_callback(L, world, rule, &user);
    lua_setiuservalue(L, -2, 1);
    lua_pop(L, 2);
    if (mus_lua_test_rule(L, rule)->kind == MUS_PROGRAM_NODE_RULE)
        return mus_response_set_node_callback(box->world, id, callback, user);
    return mus_response_set_callback(box->world, id, callback, user);
}

bool mus_lua_remove_response(lua_State *L, int world, int index) {
    mus_lua_worldbox *box = mus_lua_test_box(L, world);
    lua_getiuservalue(L, world, MUS_LUA_RESPONSES);
    int responses = lua_gettop(L);
    lua_pushvalue(L, index);
    if (lua_rawget(L, responses) == LUA_TNIL) {
        lua_settop(L, responses - 1);
        return false;
    }
    const mus_response_id *id = lua_touserdata(L, -1);
    mus_lua_check_status(L, mus_response_destroy(box->world, *id));
    box->owners_changed = true;
    box->changes++;
    lua_pushvalue(L, index);
    lua_pushnil(L);
    lua_rawset(L, responses);
    lua_settop(L, responses - 1);
    return true;
}

static const char *const field_names[] = {"name", "rule", "failsafe", "friction", "restitution", NULL};

static int response_index(lua_State *L) {
    const response *r = luaL_testudata(L, 1, TYPE);
    int field = 0;
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
    while (field_names[field] && strcmp(field_names[field], name) != 0) field++;
    switch (r ? field : 5) {
    case 0:
        lua_pushstring(L, r->name);
        break;
    case 1:
        if (r->lua) { /* the function that it was made of */
            lua_getiuservalue(L, 1, 1);
            lua_getiuservalue(L, -1, 1);
        } else {
            lua_pushstring(L, r->rule);
        }
        break;
    case 2:
        lua_pushstring(L, r->failsafe);
        break;
    case 3:
        r->friction < 0 ? lua_pushnil(L) : lua_pushnumber(L, r->friction);
        break;
    case 4:
        r->restitution < 0 ? lua_pushnil(L) : lua_pushnumber(L, r->restitution);
        break;
    default:
        return mus_lua_index_method(L, "response", field_names);
    }
    return 1;
}

static int response_newindex(lua_State *L) {
    const char *seen = mus_lua_describe(L, 2);
    return mus_lua_error(L, "response: field %s cannot be set; make another response", seen);
}

void mus_lua_open_response(lua_State *L) {
    static const luaL_Reg meta[] = {{"__newindex", response_newindex}, {NULL, NULL}}, none[] = {{NULL, NULL}};
    mus_lua_new_type(L, TYPE, meta, none, response_index, NULL);
    lua_pushcfunction(L, response_new);
}
