/* spring_law.c: cloth:spring_law: springs that follow functions of their length and its rate. */
#include "trace/trace.h"

/* Key of a cloth's springs among the owners of records, beside the cloth's own key. */
static lua_Integer key_of(const mus_lua_object *object, int kind) {
    return -(MUS_SPRING_KIND_COUNT * mus_lua_object_key(object) + kind + 1);
}

void mus_lua_forget_spring_laws(lua_State *L, int owners, const mus_lua_object *object) {
    owners = lua_absindex(L, owners);
    for (int kind = 0; kind < MUS_SPRING_KIND_COUNT; kind++) {
        lua_pushnil(L);
        lua_rawseti(L, owners, key_of(object, kind));
    }
}

/* Sets the law of a kind of springs to the one on top (false: the material's constants), and pops it. */
static void set(lua_State *L, mus_lua_worldbox *box, int world, mus_cloth_id id, mus_spring_kind kind,
                const char *what) {
    int at = lua_gettop(L);
    mus_lua_rule *rule = NULL;
    const char *place = NULL;
    if (lua_toboolean(L, at)) {
        mus_lua_make_spring_law(L, box, at, what);
        rule = mus_lua_test_rule(L, at);
        if (rule->kind != MUS_PROGRAM_SPRING)
            mus_lua_error(L, "%s must be a function or a muslin.spring_law (got another traced one)", what);
        lua_getiuservalue(L, at, 1);
        place = mus_lua_push_origin(L, lua_gettop(L));
        mus_lua_new_record(L, world, at);
    } else {
        box->changes++;
        lua_pushboolean(L, 0);
    }
    int record = lua_gettop(L);
    /* everything that may raise comes before the core references the program */
    lua_getiuservalue(L, world, MUS_LUA_OWNERS);
    lua_pushvalue(L, record);
    lua_rawseti(L, -2, key_of(lua_touserdata(L, 1), (int)kind));
    box->owners_changed = true;
    mus_status status = mus_cloth_set_spring_law(box->world, id, kind, rule ? rule->program : NULL, place);
    if (status != MUS_STATUS_OK) box->keep_records = true;
    mus_lua_check_status(L, status);
    lua_settop(L, at - 1);
}

/* cloth:spring_law(f), cloth:spring_law {structural =, shear =, bend =} */
int mus_lua_cloth_spring_law(lua_State *L) {
    static const char *const keys[] = {"structural", "shear", "bend", NULL};
    mus_lua_worldbox *box;
    lua_settop(L, 2);
    mus_cloth_id id = mus_lua_check_cloth(L, 1, "spring_law", &box);
    mus_lua_check_change(L, box, "cloth:spring_law");
    int world = lua_gettop(L);
    bool each = lua_istable(L, 2), any = false;
    if (each) mus_lua_check_keys(L, 2, "cloth:spring_law", keys);
    for (int kind = 0; kind < MUS_SPRING_KIND_COUNT; kind++) {
        if (each)
            mus_lua_field(L, 2, keys[kind]);
        else
            lua_pushvalue(L, 2);
        bool off = lua_isboolean(L, -1) && !lua_toboolean(L, -1);
        if (lua_isnil(L, -1) && each) {
            lua_pop(L, 1);
            continue;
        }
        if (!off && lua_type(L, -1) != LUA_TFUNCTION && !mus_lua_test_rule(L, -1)) {
            const char *seen = mus_lua_describe(L, -1);
            return mus_lua_error(L,
                                 "cloth:spring_law(f): f must be a function, a muslin.spring_law, false for the "
                                 "material's constants, or a table of these (got %s)",
                                 seen);
        }
        any = true;
        if (!each && !off && kind != MUS_SPRING_STRUCTURAL) break; /* along the yarns alone */
        set(L, box, world, id, (mus_spring_kind)kind, each ? "cloth:spring_law: a field" : "cloth:spring_law(f): f");
    }
    if (!any) return mus_lua_error(L, "cloth:spring_law: give 'structural', 'shear' or 'bend'");
    lua_pushvalue(L, 1);
    return 1;
}
