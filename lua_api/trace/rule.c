/* rule.c: muslin.rule, potential, node_force, motion, wind, coefficient, spring_law and tolerances: laws from
 * functions, traced unless disabled, and the calls of rules by the core. */
#include "trace/trace.h"

#include <math.h>
#include <string.h>

static const char RULE[] = "muslin.rule";

mus_lua_rule *mus_lua_test_rule(lua_State *L, int index) {
    return lua_type(L, index) == LUA_TUSERDATA ? luaL_testudata(L, index, RULE) : NULL;
}

/* ---- Making ------------------------------------------------------------------------------------------------------ */

typedef struct making {
    const char *what; /* "rule" */
    mus_program_kind kind;
    bool trace, check;
} making;

/* Of the function at `function`: pushes the rule. */
static mus_lua_rule *push_rule(lua_State *L, int function, const making *m) {
    function = lua_absindex(L, function);
    lua_pushfstring(L, "%s: the %s", m->what, m->what);
    mus_lua_check_function(L, function, lua_tostring(L, -1));
    lua_pop(L, 1);
    mus_lua_rule *rule = lua_newuserdatauv(L, sizeof *rule, 1);
    *rule = (mus_lua_rule){.kind = m->kind, .check = m->check};
    luaL_setmetatable(L, RULE);
    lua_pushvalue(L, function);
    lua_setiuservalue(L, -2, 1);
    if (m->trace) rule->program = mus_lua_trace_function(L, function, m->kind, m->what);
    return rule;
}

/* muslin.rule([options,] f) and its like. */
static int make(lua_State *L, making m) {
    static const char *const keys[] = {"per", "trace", "check", NULL}, *const none[] = {NULL};
    int function = 1;
    if (lua_istable(L, 1) && !lua_isnoneornil(L, 2)) {
        function = 2;
        if (m.kind == MUS_PROGRAM_POTENTIAL &&
            (mus_lua_field(L, 1, "trace") != LUA_TNIL || mus_lua_field(L, 1, "check") != LUA_TNIL))
            return mus_lua_error(L, "potential: it is always traced, since its derivatives are needed");
        mus_lua_check_keys(L, 1, m.what,
                           m.kind == MUS_PROGRAM_POTENTIAL ? none
                           : m.kind == MUS_PROGRAM_RULE    ? keys
                                                           : keys + 1);
        m.trace = mus_lua_opt_bool(L, 1, m.what, "trace", true);
        m.check = mus_lua_opt_bool(L, 1, m.what, "check", false);
        if (m.check && !m.trace)
            return mus_lua_error(L, "%s: field 'check' compares the traced function with the plain one: it needs trace",
                                 m.what);
        const char *per = m.kind == MUS_PROGRAM_RULE ? mus_lua_opt_string(L, 1, m.what, "per", "contact") : "contact";
        if (strcmp(per, "node") == 0)
            m.kind = MUS_PROGRAM_NODE_RULE;
        else if (strcmp(per, "contact") != 0)
            return mus_lua_error(L, "rule: field 'per' must be 'contact' or 'node' (got '%s')", per);
    }
    push_rule(L, function, &m);
    return 1;
}

static int node_force_new(lua_State *L) {
    return make(L, (making){"node_force", MUS_PROGRAM_NODE_FORCE, true, false});
}

/* For functions of numbers, not of a contact or a node, which have no options. */
static int make_plainly(lua_State *L, const char *what, mus_program_kind kind) {
    lua_settop(L, 1);
    push_rule(L, 1, &(making){what, kind, true, false});
    return 1;
}

static int motion_new(lua_State *L) {
    return make_plainly(L, "motion", MUS_PROGRAM_MOTION);
}

static int wind_new(lua_State *L) {
    double v[3];
    if (mus_lua_test_vec3(L, 1, v))
        return mus_lua_error(L, "wind: it takes a function of place and time; air that moves alike everywhere is "
                                "world.wind = {x, y, z}");
    return make_plainly(L, "wind", MUS_PROGRAM_WIND);
}

static int coefficient_new(lua_State *L) {
    return make(L, (making){"coefficient", MUS_PROGRAM_COEFFICIENT, true, false});
}

static int spring_law_new(lua_State *L) {
    return make_plainly(L, "spring_law", MUS_PROGRAM_SPRING);
}

static int potential_new(lua_State *L) {
    return make(L, (making){"potential", MUS_PROGRAM_POTENTIAL, true, false});
}

static int rule_new(lua_State *L) {
    return make(L, (making){"rule", MUS_PROGRAM_RULE, true, false});
}

/* (function, light pointer to a making) */
static int make_body(lua_State *L) {
    push_rule(L, 1, lua_touserdata(L, 2));
    return 1;
}

/* method: the call on the world of `box`, which is locked during it; box NULL: no world. */
static void make_of(lua_State *L, mus_lua_worldbox *box, const char *method, int index, const char *what, making m) {
    index = lua_absindex(L, index);
    if (mus_lua_test_rule(L, index)) return;
    mus_lua_check_function(L, index, what);
    luaL_checkstack(L, 4, NULL);
    lua_pushcfunction(L, make_body);
    lua_pushvalue(L, index);
    lua_pushlightuserdata(L, &m);
    if (box)
        mus_lua_call_locked(L, box, (mus_lua_lock){method, "the function that it traces"}, 2, 1);
    else
        lua_call(L, 2, 1);
    lua_replace(L, index);
}

void mus_lua_make_rule(lua_State *L, int index, const char *what, bool trace) {
    make_of(L, NULL, NULL, index, what, (making){"rule", MUS_PROGRAM_RULE, trace, false});
}

void mus_lua_make_spring_law(lua_State *L, mus_lua_worldbox *box, int index, const char *what) {
    make_of(L, box, "cloth:spring_law", index, what, (making){"spring_law", MUS_PROGRAM_SPRING, true, false});
}

void mus_lua_make_coefficient(lua_State *L, mus_lua_worldbox *box, int index, const char *field, const char *what,
                              bool trace) {
    make_of(L, box, "world:between", index, what, (making){field, MUS_PROGRAM_COEFFICIENT, trace, false});
}

void mus_lua_make_tolerance(lua_State *L, mus_lua_worldbox *box, int index, const char *what) {
    make_of(L, box, "world.tolerance", index, what, (making){"tolerance", MUS_PROGRAM_TOLERANCE, true, false});
}

static int rule_gc(lua_State *L) {
    mus_lua_rule *rule = luaL_checkudata(L, 1, RULE);
    mus_program_release(rule->program);
    rule->program = NULL;
    return 0;
}

/* ---- Trial runs and messages
 * ------------------------------------------------------------------------------------------ */

static mus_lua_rule *check_self(lua_State *L, const char *method) {
    mus_lua_rule *rule = mus_lua_test_rule(L, 1);
    if (!rule) mus_lua_error(L, "rule: call it as rule:%s(...), with a colon", method);
    return rule;
}

/* rule(contact) calls the plain function, to test a rule. A force on nodes is called by world:force, with a cloth. */
static int rule_call(lua_State *L) {
    mus_program_kind kind = ((mus_lua_rule *)luaL_checkudata(L, 1, RULE))->kind;
    if ((kind == MUS_PROGRAM_NODE_FORCE || kind == MUS_PROGRAM_WIND) && mus_lua_test_object(L, 2))
        return mus_lua_call_node_force(L);
    lua_getiuservalue(L, 1, 1);
    lua_replace(L, 1);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}

static mus_program *check_traced(lua_State *L, const char *method) {
    mus_lua_rule *rule = check_self(L, method);
    if (!rule->program)
        mus_lua_error(L, "rule: %s() is for traced rules; this one was made with trace = false", method);
    return rule->program;
}

static mus_parameter *check_name(lua_State *L, const char *method) {
    mus_program *program = check_traced(L, method);
    const char *name = luaL_checkstring(L, 2), *names[33];
    mus_parameter *p = mus_program_find_parameter(program, name), *one;
    if (p) return p;
    int count = 0;
    for (; count < 32 && (one = mus_program_get_parameter(program, count)); count++)
        names[count] = mus_parameter_get_name(one);
    names[count] = NULL;
    const char *nearest = mus_lua_nearest(name, names);
    if (nearest) mus_lua_error(L, "rule: no param '%s' (did you mean '%s'?)", name, nearest);
    mus_lua_error(L, "rule: no param '%s' in what was traced", name);
    return NULL;
}

static int rule_set(lua_State *L) {
    mus_parameter *p = check_name(L, "set");
    if (lua_type(L, 3) != LUA_TNUMBER) {
        const char *seen = mus_lua_describe(L, 3);
        return mus_lua_error(L, "rule: set('%s', value): it must be a number (got %s)", mus_parameter_get_name(p),
                             seen);
    }
    mus_lua_check_status(L, mus_parameter_set_value(p, lua_tonumber(L, 3)));
    return 0;
}

static int rule_get(lua_State *L) {
    lua_pushnumber(L, mus_parameter_get_value(check_name(L, "get")));
    return 1;
}

static int rule_explain(lua_State *L) {
    const mus_program *program = check_traced(L, "explain");
    size_t size = mus_program_explain(program, NULL, 0) + 1;
    luaL_Buffer b;
    char *text = luaL_buffinitsize(L, &b, size);
    mus_program_explain(program, text, size);
    luaL_pushresultsize(&b, size - 1);
    return 1;
}

/* ---- The core's calls ----------------------------------------------------------------------------------------------
 *
 * A record's function is the plain function, or the rule itself where it was traced. */

typedef struct rule_arguments {
    const mus_lua_record *record;
    const mus_contact *contact;
    double (*impulse)[3];
    bool node;
} rule_arguments;

/* Checks the result of the function at `function`, at `index`: `what` in `unit`. */
static void check_given(lua_State *L, int index, int function, const mus_contact *contact, const char *what,
                        const char *unit, double out[3]) {
    index = lua_absindex(L, index);
    luaL_checkstack(L, 10, NULL);
    if (!mus_lua_test_vec3(L, index, out)) {
        const char *seen = mus_lua_describe(L, index), *where = mus_lua_push_contact_names(L, 1, contact);
        mus_lua_error_of(L, function, "rule: it must return %s, {x, y, z} in %s (got %s, %s)", what, unit, seen, where);
    }
    for (int k = 0; k < 3; k++)
        if (!isfinite(out[k]))
            mus_lua_error_of(L, function, "rule: %s must be finite (got %s at %d, %s); keep divisors and roots off 0",
                             what, mus_lua_word_of_number(out[k]), k + 1, mus_lua_push_contact_names(L, 1, contact));
}

/* Calls the plain function on top for the impulses. */
static void call_plain(lua_State *L, const rule_arguments *arguments) {
    int function = lua_gettop(L);
    lua_pushvalue(L, function);
    mus_lua_push_contact(L, 1, arguments->contact, NULL);
    lua_call(L, 1, 2);
    double first[3], second[3];
    if (arguments->node) {
        check_given(L, -2, function, arguments->contact, "the node's new velocity", "m/s", first);
        memcpy(arguments->impulse[0], first, sizeof first);
        return;
    }
    check_given(L, -2, function, arguments->contact, "the impulse on side 1", "N s", first);
    bool both = !lua_isnil(L, -1);
    if (both) check_given(L, -1, function, arguments->contact, "the impulse on side 2", "N s", second);
    memcpy(arguments->impulse[0], first, sizeof first);
    if (both) memcpy(arguments->impulse[1], second, sizeof second);
}

static int plain_body(lua_State *L) {
    const rule_arguments *arguments = lua_touserdata(L, 2);
    mus_lua_push_function(L, 1, arguments->record);
    call_plain(L, arguments);
    return 0;
}

/* Checks that traced and plain function agree except in the last bits. */
static int checked_body(lua_State *L) {
    const rule_arguments *arguments = lua_touserdata(L, 2);
    double traced[2][3] = {{0, 0, 0}, {NAN, NAN, NAN}};
    mus_lua_push_function(L, 1, arguments->record);
    mus_lua_rule *rule = mus_lua_test_rule(L, -1);
    lua_getiuservalue(L, -1, 1);
    int function = lua_gettop(L);
    call_plain(L, arguments); /* first, since its errors name the contact */
    mus_lua_check_called(L, mus_program_evaluate_rule(rule->program, arguments->contact, traced));
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < 3; k++) {
            double a = traced[side][k], b = arguments->impulse[side][k];
            if ((isnan(a) && isnan(b)) || fabs(a - b) <= 1e-12 * (fabs(a) + fabs(b))) continue;
            const char *where = mus_lua_push_contact_names(L, 1, arguments->contact);
            return mus_lua_error_of(
                L, function,
                "rule: traced it gives %s for component %d of side %d, called plainly %s, %s: it depends on something "
                "that tracing does not see, such as `==` with a traced number, a truth test, or a variable that "
                "changes (use muslin.param)",
                mus_lua_write_number(L, a), k + 1, side + 1, mus_lua_write_number(L, b), where);
        }
    return 0;
}

static mus_status follow_rule(void *user, const mus_contact *contact, double impulse[2][3], bool node,
                              lua_CFunction body) {
    rule_arguments arguments = {user, contact, impulse, node};
    return mus_lua_callback_locked(arguments.record->box, "a response rule", body, &arguments);
}
static mus_status follow_plain(void *user, const mus_contact *contact, double impulse[2][3]) {
    return follow_rule(user, contact, impulse, false, plain_body);
}
static mus_status follow_checked(void *user, const mus_contact *contact, double impulse[2][3]) {
    return follow_rule(user, contact, impulse, false, checked_body);
}
static mus_status follow_node_plain(void *user, const mus_contact *contact, double impulse[2][3]) {
    return follow_rule(user, contact, impulse, true, plain_body);
}
static mus_status follow_node_checked(void *user, const mus_contact *contact, double impulse[2][3]) {
    return follow_rule(user, contact, impulse, true, checked_body);
}

mus_rule_fn mus_lua_rule_callback(lua_State *L, int world, int index, void **user) {
    mus_lua_rule *rule = mus_lua_test_rule(L, index);
    index = lua_absindex(L, index);
    if (rule->program)
        lua_pushvalue(L, index);
    else
        lua_getiuservalue(L, index, 1);
    mus_lua_record *record = mus_lua_new_record(L, world, lua_gettop(L));
    lua_remove(L, -2); /* the record stays on top */
    *user = rule->program && !rule->check ? (void *)rule->program : (void *)record;
    bool node = rule->kind == MUS_PROGRAM_NODE_RULE;
    if (rule->check) return node ? follow_node_checked : follow_checked;
    return rule->program ? mus_program_evaluate_rule : node ? follow_node_plain : follow_plain;
}

void mus_lua_open_rule(lua_State *L) {
    static const luaL_Reg meta[] = {{"__call", rule_call}, {"__gc", rule_gc}, {NULL, NULL}};
    static const luaL_Reg methods[] = {{"set", rule_set}, {"get", rule_get}, {"explain", rule_explain}, {NULL, NULL}};
    static const luaL_Reg makers[] = {
        {"rule", rule_new}, {"potential", potential_new},     {"node_force", node_force_new}, {"motion", motion_new},
        {"wind", wind_new}, {"coefficient", coefficient_new}, {"spring_law", spring_law_new}, {NULL, NULL}};
    mus_lua_new_type(L, RULE, meta, methods, NULL, NULL);
    luaL_setfuncs(L, makers, 0);
}
