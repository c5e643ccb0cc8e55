/* response.c: what happens at a contact: rules by name or in Lua, and the pairs that they are for. */
#include "binding.h"

#include <math.h>
#include <string.h>

static const char TYPE[] = "muslin.response";
static const char RULE[] = "muslin.rule";

/* User values: 1 the rule's function or nil, 2 a table that keeps the strings. */
typedef struct response {
    const char *name, *rule, *failsafe, *between[2];
    double friction, restitution;
    bool lua; /* the rule is a function */
} response;

/* ---- Rules ---------------------------------------------------------------------------------------------------------
 */

/* muslin.rule([options,] f) */
static int rule_new(lua_State *L) {
    static const char *const keys[] = {"per", "trace", NULL};
    int function = 1;
    if (lua_istable(L, 1) && !lua_isnoneornil(L, 2)) {
        function = 2;
        mus_lua_check_keys(L, 1, "rule", keys);
        if (mus_lua_opt_bool(L, 1, "rule", "trace", false))
            return mus_lua_error(
                L, "rule: field 'trace' cannot be true in this version: rules are called once for each contact");
        const char *per = mus_lua_opt_string(L, 1, "rule", "per", "contact");
        if (strcmp(per, "contact") != 0)
            return mus_lua_error(L, "rule: field 'per' must be 'contact' in this version (got '%s')", per);
    }
    mus_lua_check_function(L, function, "rule: the rule");
    lua_newuserdatauv(L, 0, 1);
    luaL_setmetatable(L, RULE);
    lua_pushvalue(L, function);
    lua_setiuservalue(L, -2, 1);
    return 1;
}

/* rule(contact), to try a rule by hand. */
static int rule_call(lua_State *L) {
    luaL_checkudata(L, 1, RULE);
    lua_getiuservalue(L, 1, 1);
    lua_replace(L, 1);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}

typedef struct rule_arguments {
    const mus_lua_record *record;
    const mus_contact *contact;
    double (*impulse)[3];
} rule_arguments;

static void check_impulse(lua_State *L, int index, const char *side, double out[3]) {
    if (!mus_lua_test_vec3(L, index, out)) {
        const char *seen = mus_lua_describe(L, index);
        mus_lua_error(L, "rule: it must return the impulse on side %s, {x, y, z} in N s (got %s)", side, seen);
    }
    for (int k = 0; k < 3; k++) {
        if (!isfinite(out[k]))
            mus_lua_error(L, "rule: the impulse on side %s must be finite (got %f at %d)", side, out[k], k + 1);
    }
}

static int rule_body(lua_State *L) {
    const rule_arguments *arguments = lua_touserdata(L, 2);
    mus_lua_push_function(L, 1, arguments->record);
    mus_lua_push_contact(L, 1, arguments->contact);
    lua_call(L, 1, 2);
    double first[3], second[3];
    check_impulse(L, -2, "1", first);
    bool both = !lua_isnil(L, -1);
    if (both) check_impulse(L, -1, "2", second);
    memcpy(arguments->impulse[0], first, sizeof first);
    if (both) memcpy(arguments->impulse[1], second, sizeof second);
    return 0;
}

static mus_status follow_rule(void *user, const mus_contact *contact, double impulse[2][3]) {
    rule_arguments arguments = {user, contact, impulse};
    return mus_lua_callback(arguments.record->box, MUS_LUA_PHASE_FUNCTION, rule_body, &arguments);
}

/* ---- Responses -----------------------------------------------------------------------------------------------------
 */

/* The options' string, kept in the table at `kept`. */
static const char *keep_string(lua_State *L, const char *field, int kept) {
    const char *text = mus_lua_opt_string(L, 1, "response", field, NULL);
    if (!text) return NULL;
    lua_pushstring(L, text);
    text = lua_tostring(L, -1);
    lua_rawseti(L, kept, (lua_Integer)lua_rawlen(L, kept) + 1);
    return text;
}

static double coefficient(lua_State *L, const char *field, double most) {
    if (lua_getfield(L, 1, field) == LUA_TNIL) return -1;
    double value = mus_lua_opt_number(L, 1, "response", field, 0);
    if (value < 0 || value > most)
        mus_lua_error(L,
                      most < 2 ? "response: field '%s' must be from 0 to 1 (got %f)"
                               : "response: field '%s' must be >= 0 (got %f)",
                      field, value);
    return value;
}

static int response_new(lua_State *L) {
    static const char *const keys[] = {"name", "rule", "friction", "restitution", "between", "failsafe", NULL};
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
    r->friction = coefficient(L, "friction", HUGE_VAL);
    r->restitution = coefficient(L, "restitution", 1);
    int type = lua_getfield(L, 1, "rule");
    if (type == LUA_TSTRING) {
        r->rule = keep_string(L, "rule", kept);
    } else if (luaL_testudata(L, -1, RULE)) {
        r->lua = true;
        lua_getiuservalue(L, -1, 1);
        lua_setiuservalue(L, 2, 1);
    } else if (type == LUA_TFUNCTION) {
        r->lua = true;
        lua_pushvalue(L, -1);
        lua_setiuservalue(L, 2, 1);
    } else if (type != LUA_TNIL) {
        const char *seen = mus_lua_describe(L, -1);
        return mus_lua_error(L, "response: field 'rule' must be a stage's name, a function or a muslin.rule (got %s)",
                             seen);
    }
    lua_settop(L, kept);
    if (lua_getfield(L, 1, "between") != LUA_TNIL) {
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
    lua_settop(L, 2);
    if (lua_istable(L, 2)) {
        lua_pushcfunction(L, response_new);
        lua_insert(L, 2);
        lua_call(L, 1, 1);
    }
    response *r = luaL_testudata(L, 2, TYPE);
    if (!r) {
        const char *seen = mus_lua_describe(L, 2);
        return mus_lua_error(L, "world: respond(response): it must be a muslin.response or its options (got %s)", seen);
    }
    lua_getiuservalue(L, 1, MUS_LUA_RESPONSES);
    int responses = lua_gettop(L);
    lua_pushvalue(L, 2);
    if (lua_rawget(L, responses) != LUA_TNIL)
        return mus_lua_error(
            L, "world: respond: this response is in the world already; remove it first with world:remove");
    /* Everything that may raise comes before the core keeps the record. */
    mus_response_id *id = lua_newuserdatauv(L, sizeof *id, 1);
    memset(id, 0, sizeof *id);
    int handle = lua_gettop(L);
    lua_pushvalue(L, 2);
    lua_pushvalue(L, handle);
    lua_rawset(L, responses);
    mus_response_def def = mus_response_def_default();
    if (r->lua) {
        lua_getiuservalue(L, 2, 1);
        def.callback = follow_rule;
        def.user = mus_lua_new_record(L, 1, lua_gettop(L));
        lua_setiuservalue(L, handle, 1);
        lua_pop(L, 1);
    }
    if (r->name) def.name = r->name;
    if (r->rule) def.rule = r->rule;
    if (r->failsafe) def.failsafe = r->failsafe;
    def.friction = r->friction;
    def.restitution = r->restitution;
    def.between[0] = r->between[0];
    def.between[1] = r->between[1];
    box->owners_changed = true;
    box->changes++;
    mus_status status = mus_world_respond(box->world, &def, id);
    if (status != MUS_STATUS_OK) {
        lua_pushvalue(L, 2);
        lua_pushnil(L);
        lua_rawset(L, responses);
        mus_lua_check_status(L, status);
    }
    lua_settop(L, 2);
    return 1;
}

void mus_lua_push_rule_function(lua_State *L, const char *what) {
    if (luaL_testudata(L, -1, RULE)) {
        lua_getiuservalue(L, -1, 1);
        lua_replace(L, -2);
    }
    mus_lua_check_function(L, lua_gettop(L), what);
}

/* The world keeps the record as it does that of world:respond. */
mus_status mus_lua_set_rule(lua_State *L, mus_lua_worldbox *box, int world, mus_response_id id, int function) {
    lua_getiuservalue(L, world, MUS_LUA_RESPONSES);
    mus_response_id *handle = lua_newuserdatauv(L, sizeof *handle, 1);
    *handle = id;
    lua_pushvalue(L, -1);
    lua_pushvalue(L, -1);
    lua_rawset(L, -4);
    mus_lua_record *record = mus_lua_new_record(L, world, function);
    lua_setiuservalue(L, -2, 1);
    lua_pop(L, 2);
    return mus_response_set_callback(box->world, id, follow_rule, record);
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
    mus_lua_check_status(L, mus_response_remove(box->world, *id));
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
        if (r->lua) {
            lua_getiuservalue(L, 1, 1);
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
    static const luaL_Reg rule[] = {{"__call", rule_call}, {NULL, NULL}};
    mus_lua_new_type(L, TYPE, meta, none, response_index, NULL);
    mus_lua_new_type(L, RULE, rule, none, NULL, NULL);
    lua_pushcfunction(L, response_new);
    lua_pushcfunction(L, rule_new);
}
