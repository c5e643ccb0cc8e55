/* contacts.c: contacts for rules and hooks: one contact (a copy, always valid) and the list of a step (a view, valid
 * until the state changes). */
#include "binding.h"

#include <string.h>

static const char ONE[] = "muslin.contact";
static const char LIST[] = "muslin.contacts";

static const char *const kind_names[] = {"vertex_face", "edge_edge", "vertex_plane"};

/* ---- One contact ---------------------------------------------------------------------------------------------------
 *
 * User value 1 is the world. */
typedef struct contact {
    mus_contact c;
    mus_contact_surface surface;
    bool surfaced; /* `surface` is filled */
} contact;

void mus_lua_push_contact(lua_State *L, int world, const mus_contact *source, const mus_contact_surface *surface) {
    world = lua_absindex(L, world);
    contact *one = lua_newuserdatauv(L, sizeof *one, 1);
    one->c = *source;
    one->surfaced = surface != NULL;
    if (surface) one->surface = *surface;
    luaL_setmetatable(L, ONE);
    lua_pushvalue(L, world);
    lua_setiuservalue(L, -2, 1);
}

const char *mus_lua_push_contact_names(lua_State *L, int world, const mus_contact *c) {
    const mus_world *of = mus_lua_test_box(L, world)->world;
    lua_pushliteral(L, "between ");
    for (int k = 0; k < 4; k += 3) { /* the first vertex of either side */
        int side = c->vertices[k] >= 0 ? c->side[k] : !c->side[0];
        const char *name = mus_object_get_name(of, c->object[side]);
        if (k > 0) lua_pushliteral(L, " and ");
        if (c->object[side].kind == MUS_OBJECT_CLOTH)
            lua_pushfstring(L, "vertex %d of cloth '%s'", (int)c->vertices[k] + 1, name);
        else
            lua_pushfstring(L, "obstacle '%s'", name);
    }
    lua_pushfstring(L, ", t = %f s", c->time);
    lua_concat(L, 5);
    return lua_tostring(L, -1);
}

static void push_vec3(lua_State *L, const double v[3]) {
    mus_lua_push_vec3(L, v[0], v[1], v[2]);
}

/* {object of side 1, object of side 2}; nil in place of a removed one. */
static void push_objects(lua_State *L, const contact *one) {
    lua_getiuservalue(L, 1, 1);
    int world = lua_gettop(L);
    mus_lua_worldbox *box = mus_lua_test_box(L, world);
    lua_createtable(L, 2, 0);
    for (int side = 0; side < 2; side++) {
        mus_object_id id = one->c.object[side];
        if (!box->world || !mus_object_is_valid(box->world, id)) continue;
        if (id.kind == MUS_OBJECT_CLOTH)
            mus_lua_push_cloth(L, world, mus_object_to_cloth(id));
        else
            mus_lua_push_obstacle(L, world, mus_object_to_obstacle(id));
        lua_rawseti(L, -2, side + 1);
    }
}

/* Of one side of the contact: {index from 1, ...} or the weights beside them. */
static void push_side(lua_State *L, const contact *one, int side, bool weights) {
    lua_createtable(L, 3, 0);
    for (int k = 0, n = 0; k < 4; k++) {
        if (one->c.vertices[k] < 0 || one->c.side[k] != side) continue;
        if (weights) {
            lua_pushnumber(L, one->c.weights[k] < 0 ? -one->c.weights[k] : one->c.weights[k]);
        } else {
            lua_pushinteger(L, one->c.vertices[k] + 1);
        }
        lua_rawseti(L, -2, ++n);
    }
}

static void push_sides(lua_State *L, const contact *one, bool weights) {
    lua_createtable(L, 2, 0);
    for (int side = 0; side < 2; side++) {
        push_side(L, one, side, weights);
        lua_rawseti(L, -2, side + 1);
    }
}

typedef enum field {
    NORMAL,
    VELOCITY,
    GAP,
    DISTANCE,
    THICKNESS,
    START_GAP,
    DEPTH,
    MASS,
    FRICTION,
    RESTITUTION,
    DT,
    TOI,
    TIME,
    KIND,
    POINTS,
    VERTICES,
    WEIGHTS,
    OBJECTS,
    IMPULSE,
    LOAD,
    WARPS,
    FIELD_COUNT
} field;
static const char *const field_names[FIELD_COUNT + 1] = {
    "normal",   "velocity",    "gap",     "distance", "thickness", "start_gap", "depth",  "mass",
    "friction", "restitution", "dt",      "toi",      "time",      "kind",      "points", "vertices",
    "weights",  "objects",     "impulse", "load",     "warps",     NULL};

/* {of side 1, of side 2} */
static void push_pair(lua_State *L, const double sides[2][3]) {
    lua_createtable(L, 2, 0);
    for (int side = 0; side < 2; side++) {
        push_vec3(L, sides[side]);
        lua_rawseti(L, -2, side + 1);
    }
}

/* Names are compared one by one: the most used come first. */
static int contact_index(lua_State *L) {
    const contact *one = luaL_testudata(L, 1, ONE);
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
    int which = 0;
    while (which < FIELD_COUNT && strcmp(field_names[which], name) != 0) which++;
    if (!one || which == FIELD_COUNT) return mus_lua_index_method(L, "contact", field_names);
    const mus_contact *c = &one->c;
    if ((which == LOAD || which == WARPS) && !one->surfaced)
        return mus_lua_error(L,
                             "contact: field '%s' is there in functions of friction and restitution only "
                             "(world:between)",
                             name);
    switch ((field)which) {
    case NORMAL:
        push_vec3(L, c->normal);
        break;
    case VELOCITY:
        push_vec3(L, c->velocity);
        break;
    case GAP:
        lua_pushnumber(L, c->gap);
        break;
    case DISTANCE:
        lua_pushnumber(L, c->distance);
        break;
    case THICKNESS:
        lua_pushnumber(L, c->distance - c->gap);
        break;
    case START_GAP:
        lua_pushnumber(L, c->start_gap);
        break;
    case DEPTH:
        lua_pushnumber(L, c->gap < 0 ? -c->gap : 0);
        break;
    case MASS:
        lua_pushnumber(L, c->mass);
        break;
    case FRICTION:
        lua_pushnumber(L, c->friction);
        break;
    case RESTITUTION:
        lua_pushnumber(L, c->restitution);
        break;
    case DT:
        lua_pushnumber(L, c->dt);
        break;
    case TOI:
        lua_pushnumber(L, c->toi);
        break;
    case TIME:
        lua_pushnumber(L, c->time);
        break;
    case KIND:
        lua_pushstring(L, kind_names[c->kind]);
        break;
    case POINTS:
        push_pair(L, c->point);
        break;
    case VERTICES:
        push_sides(L, one, false);
        break;
    case WEIGHTS:
        push_sides(L, one, true);
        break;
    case OBJECTS:
        push_objects(L, one);
        break;
    case IMPULSE:
        push_vec3(L, c->impulse);
        break;
    case LOAD:
        lua_pushnumber(L, one->surface.load);
        break;
    case WARPS:
        push_pair(L, one->surface.warp);
        break;
    case FIELD_COUNT:
        lua_pushnil(L);
        break;
    }
    return 1;
}

static int contact_newindex(lua_State *L) {
    const char *seen = mus_lua_describe(L, 2);
    return mus_lua_error(L, "contact: field %s cannot be set; a rule returns the impulse instead", seen);
}

static int contact_tostring(lua_State *L) {
    const contact *one = luaL_checkudata(L, 1, ONE);
    lua_pushfstring(L, "contact (%s, gap %f m)", kind_names[one->c.kind], one->c.gap);
    return 1;
}

/* ---- The contacts of a step ----------------------------------------------------------------------------------------
 *
 * User value 1 is the world, 2 a table of the columns used so far: [column] = its numbers. */
typedef struct contacts {
    uint64_t moment;
    int64_t count;
} contacts;

/* Vectors first. */
typedef enum column {
    COLUMN_NORMAL,
    COLUMN_VELOCITY,
    COLUMN_POINT1,
    COLUMN_POINT2,
    COLUMN_IMPULSE,
    COLUMN_GAP,
    COLUMN_DISTANCE,
    COLUMN_DEPTH,
    COLUMN_MASS,
    COLUMN_FRICTION,
    COLUMN_RESTITUTION,
    COLUMN_TOI,
    COLUMN_KIND,
    COLUMN_A,
    COLUMN_B,
    COLUMN_OBJECT_A,
    COLUMN_OBJECT_B,
    COLUMN_COUNT,
    FIRST_SCALAR = COLUMN_GAP
} column;
static const char *const column_names[COLUMN_COUNT + 1] = {
    "normal",   "velocity",    "point1", "point2", "impulse", "gap", "distance", "depth",    "mass",
    "friction", "restitution", "toi",    "kind",   "a",       "b",   "object_a", "object_b", NULL};
static const char *const view_names[COLUMN_COUNT] = {
    "contacts.normal",      "contacts.velocity", "contacts.point1", "contacts.point2", "contacts.impulse",
    "contacts.gap",         "contacts.distance", "contacts.depth",  "contacts.mass",   "contacts.friction",
    "contacts.restitution", "contacts.toi",      "contacts.kind",   "contacts.a",      "contacts.b",
    "contacts.object_a",    "contacts.object_b"};

/* The vertex of a side with the largest weight, from 1; 0 for an exact shape. */
static double main_vertex(const mus_contact *c, int side) {
    int best = -1;
    for (int k = 0; k < 4; k++) {
        if (c->vertices[k] < 0 || c->side[k] != side) continue;
        if (best < 0 || c->weights[k] * c->weights[k] > c->weights[best] * c->weights[best]) best = k;
    }
    return best < 0 ? 0 : c->vertices[best] + 1;
}

static double scalar(const mus_world *world, const mus_contact *c, column which) {
    switch (which) {
    case COLUMN_GAP:
        return c->gap;
    case COLUMN_DISTANCE:
        return c->distance;
    case COLUMN_DEPTH:
        return c->gap < 0 ? -c->gap : 0;
    case COLUMN_MASS:
        return c->mass;
    case COLUMN_FRICTION:
        return c->friction;
    case COLUMN_RESTITUTION:
        return c->restitution;
    case COLUMN_TOI:
        return c->toi;
    case COLUMN_KIND:
        return c->kind + 1;
    case COLUMN_A:
        return main_vertex(c, 0);
    case COLUMN_B:
        return main_vertex(c, 1);
    case COLUMN_OBJECT_A:
    case COLUMN_OBJECT_B: {
        mus_object_id id = c->object[which - COLUMN_OBJECT_A];
        int32_t number = mus_object_get_order(world, id) + 1;
        return id.kind == MUS_OBJECT_CLOTH ? number : -number;
    }
    default:
        return 0;
    }
}

static void fill_column(double *out, const mus_world *world, const mus_contact *all, int64_t count, column which) {
    for (int64_t k = 0; k < count; k++) {
        const mus_contact *c = &all[k];
        const double *vectors[] = {c->normal, c->velocity, c->point[0], c->point[1], c->impulse};
        if (which < FIRST_SCALAR)
            memcpy(out + 3 * k, vectors[which], 3 * sizeof *out);
        else
            out[k] = scalar(world, c, which);
    }
}

static int find_column(const char *name) {
    int which = 0;
    while (column_names[which] && strcmp(column_names[which], name) != 0) which++;
    return which;
}

/* Within a step each call makes the core rebuild its list, so it is called once for each state. */
static const mus_contact *fresh_contacts(mus_lua_worldbox *box, int64_t *count) {
    if (!box->contacts || box->contacts_moment != box->moment) {
        box->contacts = mus_world_get_contacts(box->world, &box->contact_count);
        box->contacts_moment = box->moment;
    }
    *count = box->contacts ? box->contact_count : 0;
    return box->contacts;
}

int mus_lua_world_contacts(lua_State *L) {
    mus_lua_worldbox *box = mus_lua_check_box(L, 1, "contacts");
    if (box->phase == MUS_LUA_PHASE_FUNCTION || box->phase == MUS_LUA_PHASE_FORCES)
        return mus_lua_error(L, "world: contacts() is not complete while forces and rules are computed; "
                                "call it in the 'contacts' or 'after_step' hook, or after the step");
    contacts *list = lua_newuserdatauv(L, sizeof *list, 2);
    list->moment = box->moment;
    list->count = 0;
    luaL_setmetatable(L, LIST);
    lua_pushvalue(L, 1);
    lua_setiuservalue(L, -2, 1);
    fresh_contacts(box, &list->count);
    return 1;
}

/* The core's contacts; pushes the world. Raises when the state has changed since the list was made. */
static const mus_contact *check_list(lua_State *L, int64_t *count) {
    contacts *list = luaL_testudata(L, 1, LIST);
    if (!list) {
        const char *seen = mus_lua_describe(L, 1);
        mus_lua_error(L, "contacts: call it as contacts:method(...), with a colon (got %s)", seen);
    }
    lua_getiuservalue(L, 1, 1);
    mus_lua_worldbox *box = mus_lua_check_box(L, -1, "contacts");
    if (box->moment != list->moment)
        mus_lua_error(L,
                      "contacts: the state has changed since the call that returned them; call world:contacts() again");
    return fresh_contacts(box, count);
}

static int contacts_len(lua_State *L) {
    int64_t count;
    check_list(L, &count);
    lua_pushinteger(L, count);
    return 1;
}

/* Fields of every contact as one array of its own. */
static int contacts_array(lua_State *L) {
    int64_t count;
    const mus_contact *all = check_list(L, &count);
    const mus_world *world = mus_lua_test_box(L, -1)->world;
    const char *name = luaL_checkstring(L, 2);
    int which = find_column(name);
    if (which == COLUMN_COUNT) {
        const char *nearest = mus_lua_nearest(name, column_names);
        if (nearest)
            return mus_lua_error(L, "contacts:array(field): no field '%s' (did you mean '%s'?)", name, nearest);
        return mus_lua_error(L, "contacts:array(field): no field '%s' that is a number or a vector", name);
    }
    double *out = mus_lua_push_array(L, count, which < FIRST_SCALAR ? 3 : 1);
    fill_column(out, world, all, count, (column)which);
    return 1;
}

/* A column as a view, valid as long as the list. */
static mus_lua_span fetch_column(lua_State *L, int owner, int tag, bool write) {
    const contacts *list = luaL_testudata(L, owner, LIST);
    mus_lua_span span = {NULL, list->count, tag < FIRST_SCALAR ? 3 : 1};
    lua_getiuservalue(L, owner, 1);
    const mus_lua_worldbox *box = mus_lua_test_box(L, -1);
    lua_pop(L, 1);
    if (!box->world) {
        mus_lua_error(L, "%s: the world was closed", view_names[tag]);
    } else if (box->moment != list->moment) {
        mus_lua_error(L, "%s: the state has changed since the contacts were returned; call world:contacts() again",
                      view_names[tag]);
    } else if (write) {
        mus_lua_error(L, "%s: it cannot be written to; a response decides about contacts", view_names[tag]);
    }
    lua_getiuservalue(L, owner, 2);
    lua_rawgeti(L, -1, tag + 1);
    span.data = lua_touserdata(L, -1);
    lua_pop(L, 2);
    return span;
}

/* The list is at 1. Its numbers are gathered at the first use of the column. */
static void push_column(lua_State *L, column which) {
    int64_t count;
    const mus_contact *all = check_list(L, &count);
    const mus_world *world = mus_lua_test_box(L, -1)->world;
    if (lua_getiuservalue(L, 1, 2) != LUA_TTABLE) {
        lua_newtable(L);
        lua_pushvalue(L, -1);
        lua_setiuservalue(L, 1, 2);
    }
    int columns = lua_gettop(L);
    if (lua_rawgeti(L, columns, which + 1) == LUA_TNIL) {
        size_t components = which < FIRST_SCALAR ? 3 : 1;
        double *numbers = lua_newuserdatauv(L, ((size_t)count * components + 1) * sizeof *numbers, 0);
        fill_column(numbers, world, all, count, which);
        lua_rawseti(L, columns, which + 1);
    }
    mus_lua_push_view(L, 1, which, view_names[which], fetch_column, NULL);
}

static int contacts_index(lua_State *L) {
    if (lua_type(L, 2) == LUA_TNUMBER) {
        int64_t count;
        const mus_contact *all = check_list(L, &count);
        int whole = 0;
        lua_Integer i = lua_tointegerx(L, 2, &whole);
        if (!whole || i < 1 || i > count) {
            lua_pushnil(L); /* so that ipairs ends */
        } else {
            mus_lua_push_contact(L, -1, &all[i - 1], NULL);
        }
        return 1;
    }
    int which = lua_type(L, 2) == LUA_TSTRING ? find_column(lua_tostring(L, 2)) : COLUMN_COUNT;
    if (which == COLUMN_COUNT) return mus_lua_index_method(L, "contacts", column_names);
    push_column(L, (column)which);
    return 1;
}

static int contacts_newindex(lua_State *L) {
    const char *seen = mus_lua_describe(L, 2);
    return mus_lua_error(L, "contacts: field %s cannot be set; a response decides about contacts", seen);
}

void mus_lua_open_contacts(lua_State *L) {
    static const luaL_Reg one[] = {{"__newindex", contact_newindex}, {"__tostring", contact_tostring}, {NULL, NULL}};
    static const luaL_Reg list[] = {{"__len", contacts_len}, {"__newindex", contacts_newindex}, {NULL, NULL}};
    static const luaL_Reg none[] = {{NULL, NULL}}, methods[] = {{"array", contacts_array}, {NULL, NULL}};
    mus_lua_new_type(L, ONE, one, none, contact_index, NULL);
    mus_lua_new_type(L, LIST, list, methods, contacts_index, NULL);
}
