/* pin.c: selection of vertices, and cloth:pin, pull, unpin, pinned and pulled. */
#include "binding.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct choice { /* indices from 0; the memory is a userdata on the stack */
    int32_t *vertices;
    int32_t count;
} choice;

static choice new_choice(lua_State *L, int64_t count) {
    choice chosen = {lua_newuserdatauv(L, (size_t)(count ? count : 1) * sizeof(int32_t), 0), 0};
    return chosen;
}

static void add_vertex(lua_State *L, choice *chosen, const char *what, lua_Number number, int32_t vertex_count) {
    if (!(number >= 1 && number <= vertex_count) || number != (lua_Number)(int32_t)number) {
        lua_Integer whole;
        if (lua_numbertointeger(number, &whole) && (lua_Number)whole == number)
            lua_pushinteger(L, whole); /* 17, not 17.0 */
        else
            lua_pushnumber(L, number);
        const char *seen = mus_lua_describe(L, -1);
        mus_lua_error(L, "%s: field 'vertices' must hold whole numbers from 1 to %d (got %s)", what, vertex_count,
                      seen);
    }
    chosen->vertices[chosen->count++] = (int32_t)number - 1;
}

int32_t *mus_lua_read_vertices(lua_State *L, const char *what, int32_t vertex_count, int32_t *chosen_count) {
    int list = lua_gettop(L);
    mus_lua_span span;
    if (lua_type(L, list) == LUA_TNUMBER) {
        choice chosen = new_choice(L, 1);
        add_vertex(L, &chosen, what, lua_tonumber(L, list), vertex_count);
        *chosen_count = chosen.count;
        return chosen.vertices;
    }
    if (lua_istable(L, list)) {
        lua_Integer count = (lua_Integer)lua_rawlen(L, list);
        choice chosen = new_choice(L, count);
        for (lua_Integer i = 1; i <= count; i++) {
            if (lua_rawgeti(L, list, i) != LUA_TNUMBER) {
                const char *seen = mus_lua_describe(L, -1);
                mus_lua_error(L, "%s: field 'vertices' must hold whole numbers from 1 to %d (got %s)", what,
                              vertex_count, seen);
            }
            add_vertex(L, &chosen, what, lua_tonumber(L, -1), vertex_count);
            lua_pop(L, 1);
        }
        *chosen_count = chosen.count;
        return chosen.vertices;
    }
    if (mus_lua_test_array(L, list, &span) && span.components == 1) {
        choice chosen = new_choice(L, span.count);
        for (int64_t i = 0; i < span.count; i++) add_vertex(L, &chosen, what, span.data[i], vertex_count);
        *chosen_count = chosen.count;
        return chosen.vertices;
    }
    const char *seen = mus_lua_describe(L, list);
    mus_lua_error(L, "%s: field 'vertices' must be a list of vertices, from 1 (got %s)", what, seen);
    return NULL;
}

/* Parts of a grid by name, in its own directions: nodes 1 to nu from left to right, rows 1 to nv from bottom to top. */
typedef struct grid_part {
    const char *name;
    int8_t column, row; /* -1: the first, 1: the last, 0: all of them */
} grid_part;
static const grid_part edge_parts[] = {{"top", 0, 1}, {"bottom", 0, -1}, {"left", -1, 0}, {"right", 1, 0}};
static const grid_part corner_parts[] = {
    {"top_left", -1, 1}, {"top_right", 1, 1}, {"bottom_left", -1, -1}, {"bottom_right", 1, -1}};
static const char *const edge_names[] = {"top", "bottom", "left", "right", NULL};
static const char *const corner_names[] = {"top_left", "top_right", "bottom_left", "bottom_right", NULL};

static int find_part(lua_State *L, const char *what, const char *field, const char *const *names) {
    static const char *const others[][2] = {{"upper", "top"}, {"lower", "bottom"}, {"up", "top"},    {"down", "bottom"},
                                            {"north", "top"}, {"south", "bottom"}, {"west", "left"}, {"east", "right"}};
    bool edge = names == edge_names;
    if (lua_type(L, -1) != LUA_TSTRING) {
        const char *seen = mus_lua_describe(L, -1);
        mus_lua_error(L, "%s: field '%s' must be %s, or a list of such names (got %s)", what, field,
                      edge ? "'top', 'bottom', 'left' or 'right'"
                           : "true, 'top_left', 'top_right', 'bottom_left' or 'bottom_right'",
                      seen);
    }
    const char *name = lua_tostring(L, -1), *nearest = NULL;
    for (int k = 0; names[k]; k++)
        if (strcmp(name, names[k]) == 0) return k;
    for (size_t k = 0; edge && k < sizeof others / sizeof *others; k++)
        if (strcmp(name, others[k][0]) == 0) nearest = others[k][1];
    if (!nearest) nearest = mus_lua_nearest(name, names);
    if (nearest) mus_lua_error(L, "%s: field '%s': no '%s' (did you mean '%s'?)", what, field, name, nearest);
    mus_lua_error(L, "%s: field '%s': no '%s' (known: %s, %s, %s, %s)", what, field, name, names[0], names[1], names[2],
                  names[3]);
    return 0;
}

/* The name on top, or the list of names: bits of the named ones. */
static unsigned read_names(lua_State *L, const char *what, const char *field, const char *const *names) {
    if (!lua_istable(L, -1)) return 1u << find_part(L, what, field, names);
    unsigned chosen = 0;
    lua_Integer count = (lua_Integer)lua_rawlen(L, -1);
    for (lua_Integer k = 1; k <= count; k++) {
        lua_rawgeti(L, -1, k);
        chosen |= 1u << find_part(L, what, field, names);
        lua_pop(L, 1);
    }
    if (!chosen) mus_lua_error(L, "%s: field '%s' is an empty list", what, field);
    return chosen;
}

/* Fields 'edge' and 'corners', whose value is on top. */
static choice read_grid_parts(lua_State *L, const char *what, const char *field, const mus_lua_object *object) {
    bool edge = field[0] == 'e';
    int32_t nu = object->grid_nodes[0], nv = object->grid_nodes[1];
    unsigned chosen_parts = 0xf;
    if (!lua_isboolean(L, -1) || edge || !lua_toboolean(L, -1))
        chosen_parts = read_names(L, what, field, edge ? edge_names : corner_names);
    if (nu < 2 || nv < 2)
        mus_lua_error(L, "%s: field '%s' needs a mesh that is a grid; name the vertices with 'vertices' or 'where'",
                      what, field);
    choice chosen = new_choice(L, edge ? 2 * ((int64_t)nu + nv) : 4);
    for (int32_t j = 0; j < nv; j++)
        for (int32_t i = 0; i < nu; i++) {
            if (i > 0 && i < nu - 1 && j > 0 && j < nv - 1) continue;
            bool meant = false;
            for (int k = 0; k < 4; k++) {
                const grid_part *part = edge ? &edge_parts[k] : &corner_parts[k];
                bool on_column = part->column == 0 || i == (part->column < 0 ? 0 : nu - 1);
                bool on_row = part->row == 0 || j == (part->row < 0 ? 0 : nv - 1);
                meant |= (chosen_parts >> k & 1) && on_column && on_row;
            }
            if (meant) chosen.vertices[chosen.count++] = j * nu + i;
        }
    return chosen;
}

/* The function on top is called for every vertex: where(x, y, z, i). */
static choice read_where(lua_State *L, const char *what, mus_lua_worldbox *box, mus_cloth_id id) {
    int function = lua_gettop(L);
    char field[64];
    snprintf(field, sizeof field, "%s: field 'where'", what);
    mus_lua_check_function(L, function, field);
    int32_t count = mus_cloth_get_vertex_count(box->world, id);
    choice chosen = new_choice(L, count);
    for (int32_t i = 0; i < count; i++) {
        const double *x = mus_cloth_get_positions(box->world, id);
        lua_pushvalue(L, function);
        for (int k = 0; k < 3; k++) lua_pushnumber(L, x[3 * i + k]);
        lua_pushinteger(L, i + 1);
        mus_lua_call_locked(L, box, (mus_lua_lock){what, "the function 'where'"}, 4, 1);
        if (lua_toboolean(L, -1)) chosen.vertices[chosen.count++] = i;
        lua_pop(L, 1);
    }
    return chosen;
}

/* Reads the field of the options at 2 that selects vertices. */
static choice read_choice(lua_State *L, const char *what, mus_lua_worldbox *box, mus_cloth_id id) {
    static const char *const ways[] = {"vertices", "corners", "edge", "where"};
    enum { VERTICES, CORNERS, EDGE, WHERE, WAYS };
    int given = -1;
    for (int k = 0; k < WAYS; k++) {
        if (mus_lua_field(L, 2, ways[k]) != LUA_TNIL) {
            if (given >= 0)
                mus_lua_error(L, "%s: give only one of 'vertices', 'corners', 'edge' and 'where' (got '%s' and '%s')",
                              what, ways[given], ways[k]);
            given = k;
        }
        lua_pop(L, 1);
    }
    if (given < 0) mus_lua_error(L, "%s: say which vertices: give 'vertices', 'corners', 'edge' or 'where'", what);
    bool allow_none = mus_lua_opt_bool(L, 2, what, "allow_none", false);
    if (allow_none && given != WHERE)
        mus_lua_error(L, "%s: field 'allow_none' is about 'where', which is not given", what);
    mus_lua_field(L, 2, ways[given]);
    choice listed = {NULL, 0};
    int32_t most = mus_cloth_get_vertex_count(box->world, id);
    if (given == VERTICES) return listed.vertices = mus_lua_read_vertices(L, what, most, &listed.count), listed;
    if (given != WHERE) return read_grid_parts(L, what, ways[given], lua_touserdata(L, 1));
    choice chosen = read_where(L, what, box, id);
    if (!chosen.count && !allow_none)
        mus_lua_error(L,
                      "%s: field 'where' is true for none of the cloth's %d vertices; give allow_none = true where "
                      "that is meant",
                      what, most);
    return chosen;
}

typedef struct path_arguments {
    const mus_lua_record *record;
    double t;
    int32_t vertex;
    double *position;
} path_arguments;

static int path_body(lua_State *L) {
    const path_arguments *arguments = lua_touserdata(L, 2);
    mus_lua_push_function(L, 1, arguments->record);
    int function = lua_gettop(L);
    lua_pushvalue(L, function);
    lua_pushnumber(L, arguments->t);
    lua_pushinteger(L, arguments->vertex + 1);
    lua_call(L, 2, 1);
    const mus_lua_record *r = arguments->record;
    double place[3];
    if (!mus_lua_test_vec3(L, -1, place) || !isfinite(place[0] + place[1] + place[2])) {
        const char *name = mus_cloth_get_name(r->box->world, (mus_cloth_id){r->index, r->generation});
        lua_pushfstring(L, "cloth '%s': the path of vertex %d", name, (int)arguments->vertex + 1);
        mus_lua_check_place(L, function + 1, function, lua_tostring(L, -1), arguments->t, place);
    }
    memcpy(arguments->position, place, sizeof place);
    return 0;
}

static mus_status follow_path(void *user, double t, int32_t vertex, double position[3]) {
    path_arguments arguments = {user, t, vertex, position};
    return mus_lua_callback_locked(arguments.record->box, "a path of pins", path_body, &arguments);
}

/* Records which vertices follow the path `record` (an index; 0: none); chosen NULL: all. */
static void note_paths(lua_State *L, mus_lua_worldbox *box, int world, const choice *chosen, int record) {
    lua_Integer key = mus_lua_object_key(lua_touserdata(L, 1));
    lua_getiuservalue(L, world, MUS_LUA_OWNERS);
    int owners = lua_gettop(L);
    box->owners_changed = true;
    if (!chosen) {
        lua_pushnil(L);
        lua_rawseti(L, owners, key);
    } else {
        if (lua_rawgeti(L, owners, key) != LUA_TTABLE && record) {
            lua_newtable(L);
            lua_pushvalue(L, -1);
            lua_rawseti(L, owners, key);
        }
        if (lua_istable(L, -1)) {
            for (int32_t k = 0; k < chosen->count; k++) {
                if (record) {
                    lua_pushvalue(L, record);
                } else {
                    lua_pushnil(L);
                }
                lua_rawseti(L, -2, chosen->vertices[k] + 1);
            }
        } else {
            lua_pop(L, 1);
        }
    }
    lua_settop(L, owners - 1);
}

/* The obstacle at `index`, the field 'to' of a call `what`. */
static mus_obstacle_id read_to(lua_State *L, int index, const char *what, const mus_lua_worldbox *box) {
    mus_lua_object *other = luaL_testudata(L, index, "muslin.obstacle");
    if (!other) {
        const char *seen = mus_lua_describe(L, index);
        mus_lua_error(L, "%s: field 'to' must be an obstacle (got %s)", what, seen);
    }
    mus_lua_worldbox *of_other;
    mus_lua_check_alive(L, index, &of_other);
    if (of_other != box) mus_lua_error(L, "%s: field 'to': the obstacle belongs to another world", what);
    return (mus_obstacle_id){other->index, other->generation};
}

static void check_options(lua_State *L, const char *what, const char *const *keys) {
    if (lua_type(L, 2) == LUA_TSTRING && strcmp(lua_tostring(L, 2), "corners") == 0)
        mus_lua_error(L, "%s: expected one table of options: %s {corners = true} (got 'corners')", what, what);
    mus_lua_check_keys(L, 2, what, keys);
}

/* cloth:pin and, with a stiffness, cloth:pull. */
static int pin_or_pull(lua_State *L, bool pull) {
    static const char *const keys[] = {"vertices", "corners", "edge", "where", "allow_none", "to", "path", NULL};
    static const char *const pull_keys[] = {"vertices", "corners", "edge",      "where",   "allow_none",
                                            "to",       "path",    "stiffness", "damping", NULL};
    const char *what = pull ? "cloth:pull" : "cloth:pin";
    mus_lua_worldbox *box;
    lua_settop(L, 2);
    mus_cloth_id id = mus_lua_check_cloth(L, 1, pull ? "pull" : "pin", &box);
    mus_lua_check_change(L, box, what);
    int world = lua_gettop(L);
    check_options(L, what, pull ? pull_keys : keys);
    if (pull && mus_lua_field(L, 2, "stiffness") == LUA_TNIL)
        return mus_lua_error(L, "%s: field 'stiffness' is missing (N/m, > 0)", what);
    mus_pull_def def = mus_pull_def_default();
    if (pull) {
        def.stiffness = mus_lua_opt_number(L, 2, what, "stiffness", 0);
        def.damping = mus_lua_opt_number(L, 2, what, "damping", 0);
    }
    choice chosen = read_choice(L, what, box, id);
    mus_obstacle_id obstacle = {0, 0};
    bool to = mus_lua_field(L, 2, "to") != LUA_TNIL, path = mus_lua_field(L, 2, "path") != LUA_TNIL;
    int function = lua_gettop(L), object = function - 1;
    if (to && path) return mus_lua_error(L, "%s: give 'to' or 'path', not both", what);
    if (to) obstacle = read_to(L, object, what, box);
    mus_lua_record *record = NULL;
    if (path) {
        lua_pushfstring(L, "%s: field 'path'", what);
        mus_lua_check_function(L, function, lua_tostring(L, -1));
        lua_pop(L, 1);
        record = mus_lua_new_record(L, world, function);
        record->index = id.index, record->generation = id.generation;
        note_paths(L, box, world, &chosen, lua_gettop(L));
    }
    mus_lua_check_alive(L, 1, &box);
    mus_lua_call call;
    mus_lua_enter(L, box, world, what, &call);
    mus_status status;
    if (pull) {
        def.to = to ? &obstacle : NULL;
        if (path) def.path = follow_path, def.user = record;
        status = mus_cloth_pull(box->world, id, chosen.vertices, chosen.count, &def);
    } else if (path) {
        status = mus_cloth_pin_to_path(box->world, id, chosen.vertices, chosen.count, follow_path, record);
    } else if (to) {
        status = mus_cloth_pin_to_obstacle(box->world, id, chosen.vertices, chosen.count, obstacle);
    } else {
        status = mus_cloth_pin(box->world, id, chosen.vertices, chosen.count);
    }
    if (status != MUS_STATUS_OK && path) box->keep_records = true;
    mus_lua_leave(L, box, &call, status);
    box->moment++;
    if (!path) note_paths(L, box, world, &chosen, 0);
    lua_pushinteger(L, chosen.count);
    return 1;
}

int mus_lua_cloth_pin(lua_State *L) {
    return pin_or_pull(L, false);
}

int mus_lua_cloth_pull(lua_State *L) {
    return pin_or_pull(L, true);
}

int mus_lua_cloth_unpin(lua_State *L) {
    static const char *const keys[] = {"vertices", "corners", "edge", "where", "allow_none", NULL};
    mus_lua_worldbox *box;
    lua_settop(L, 2);
    mus_cloth_id id = mus_lua_check_cloth(L, 1, "unpin", &box);
    mus_lua_check_change(L, box, "cloth:unpin");
    int world = lua_gettop(L);
    choice chosen = {NULL, 0};
    bool all = lua_isnil(L, 2);
    if (!all) {
        check_options(L, "cloth:unpin", keys);
        chosen = read_choice(L, "cloth:unpin", box, id);
        mus_lua_check_alive(L, 1, &box);
    }
    mus_lua_call call;
    mus_lua_enter(L, box, world, "cloth:unpin", &call);
    mus_status status =
        all || chosen.count ? mus_cloth_unpin(box->world, id, chosen.vertices, chosen.count) : MUS_STATUS_OK;
    mus_lua_leave(L, box, &call, status);
    box->moment++;
    note_paths(L, box, world, all ? NULL : &chosen, 0);
    return 0;
}

/* cloth:pinned([i]), or with `pull` cloth:pulled([i]). */
static int pinned_or_pulled(lua_State *L, bool pull) {
    const char *name = pull ? "pulled" : "pinned";
    mus_lua_worldbox *box;
    mus_cloth_id id = mus_lua_check_cloth(L, 1, name, &box);
    int32_t count = mus_cloth_get_vertex_count(box->world, id);
    if (lua_type(L, 2) == LUA_TNUMBER) {
        int whole = 0;
        lua_Integer i = lua_tointegerx(L, 2, &whole);
        if (!whole || i < 1 || i > count) {
            const char *seen = mus_lua_describe(L, 2);
            return mus_lua_error(L, "cloth:%s(i): i must be a whole number from 1 to %d (got %s)", name, count, seen);
        }
        if (pull)
            lua_pushnumber(L, mus_cloth_get_pull_stiffness(box->world, id, (int32_t)(i - 1)));
        else
            lua_pushboolean(L, mus_cloth_is_pinned(box->world, id, (int32_t)(i - 1)));
        return 1;
    }
    lua_newtable(L);
    lua_Integer n = 0;
    for (int32_t i = 0; i < count; i++) {
        bool is = pull ? mus_cloth_get_pull_stiffness(box->world, id, i) > 0 : mus_cloth_is_pinned(box->world, id, i);
        if (!is) continue;
        lua_pushinteger(L, i + 1);
        lua_rawseti(L, -2, ++n);
    }
    return 1;
}

int mus_lua_cloth_pinned(lua_State *L) {
    return pinned_or_pulled(L, false);
}

int mus_lua_cloth_pulled(lua_State *L) {
    return pinned_or_pulled(L, true);
}
