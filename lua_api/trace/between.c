/* between.c: settings for pairs of objects: no collision, treatment of overlaps at the start, and friction and
 * restitution, by numbers or by functions of the contact. */
#include "trace/trace.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The names in a table of two (of `least` or two) at an index; they stay on the stack. */
static void read_pair(lua_State *L, int index, const char *method, lua_Unsigned least, const char *names[2]) {
    lua_Unsigned count = lua_istable(L, index) ? lua_rawlen(L, index) : 0;
    if (count != 2 && count != least) {
        const char *seen = mus_lua_describe(L, index);
        mus_lua_error(L, "world: %s {a, b}: give the names of two cloths or obstacles (got %s%s)", method, seen,
                      lua_istable(L, index) ? " with another number of items" : "");
    }
    names[1] = NULL;
    for (int k = 0; k < (int)count; k++) {
        char what[48];
        snprintf(what, sizeof what, "world: %s {a, b}: %s", method, k == 0 ? "a" : "b");
        lua_rawgeti(L, index, k + 1);
        names[k] = mus_lua_check_object_name(L, -1, what);
    }
}

static void find_pair(lua_State *L, mus_lua_worldbox *box, const char *method, const char *const names[2],
                      mus_object_id pair[2]) {
    for (int k = 0; k < 2; k++) pair[k] = mus_lua_find_object(L, box->world, method, names[k]);
}

int mus_lua_world_ignore(lua_State *L) {
    mus_lua_worldbox *box = mus_lua_check_box(L, 1, "ignore");
    mus_lua_check_change(L, box, "world:ignore");
    const char *names[2];
    mus_object_id pair[2];
    read_pair(L, 2, "ignore", 2, names);
    find_pair(L, box, "ignore", names, pair);
    mus_lua_check_status(L, mus_world_ignore_pair(box->world, pair[0], pair[1]));
    return 0;
}

double mus_lua_opt_coefficient(lua_State *L, int options, const char *what, mus_coefficient which, double otherwise) {
    const char *field = mus_coefficient_get_name(which);
    int type = mus_lua_field(L, options, field);
    if (type == LUA_TFUNCTION || mus_lua_test_rule(L, -1))
        mus_lua_error(
            L,
            "%s: field '%s' must be a number; a function of the contact is set for pairs: world:between({a, b}, "
            "{%s = f}), or {a} against anything",
            what, field, field);
    lua_pop(L, 1);
    return mus_lua_opt_number(L, options, what, field, otherwise);
}

/* ---- Functions of the contact ------------------------------------------------------------------------------------ */

typedef struct law_arguments {
    const mus_lua_record *record;
    const mus_contact *contact;
    const mus_contact_surface *surface;
    double *value;
} law_arguments;

/* Calls the plain function on top and returns its value. */
static double call_plain(lua_State *L, const law_arguments *arguments) {
    int function = lua_gettop(L);
    lua_pushvalue(L, function);
    mus_lua_push_contact(L, 1, arguments->contact, arguments->surface);
    lua_call(L, 1, 1);
    if (lua_type(L, -1) != LUA_TNUMBER) {
        const char *seen = mus_lua_describe(L, -1), *where = mus_lua_push_contact_names(L, 1, arguments->contact);
        mus_lua_error_of(L, function, "coefficient: it must return one number (got %s, %s)", seen, where);
    }
    return lua_tonumber(L, -1);
}

static int plain_body(lua_State *L) {
    const law_arguments *arguments = lua_touserdata(L, 2);
    mus_lua_push_function(L, 1, arguments->record);
    lua_getiuservalue(L, -1, 1);
    *arguments->value = call_plain(L, arguments);
    return 0;
}

/* Checks that traced and plain function agree except in the last bits. */
static int checked_body(lua_State *L) {
    const law_arguments *arguments = lua_touserdata(L, 2);
    mus_lua_push_function(L, 1, arguments->record);
    mus_program *program = mus_lua_test_rule(L, -1)->program;
    lua_getiuservalue(L, -1, 1);
    int function = lua_gettop(L);
    double plain = call_plain(L, arguments), traced;
    mus_lua_check_called(L, mus_program_evaluate_coefficient(program, arguments->contact, arguments->surface, &traced));
    *arguments->value = traced;
    if ((isnan(plain) && isnan(traced)) || fabs(plain - traced) <= 1e-12 * (fabs(plain) + fabs(traced))) return 0;
    const char *where = mus_lua_push_contact_names(L, 1, arguments->contact);
    return mus_lua_error_of(L, function,
                            "coefficient: traced it gives %s, called plainly %s, %s: it depends on something that "
                            "tracing does not see, such as `==` with a traced number, a truth test, or a variable that "
                            "changes (use muslin.param)",
                            mus_lua_write_number(L, traced), mus_lua_write_number(L, plain), where);
}

static mus_status follow_coefficient(void *user, const mus_contact *contact, const mus_contact_surface *surface,
                                     double *value, lua_CFunction body) {
    law_arguments arguments = {user, contact, surface, value};
    return mus_lua_callback_locked(arguments.record->box, "a function of friction or restitution", body, &arguments);
}
static mus_status follow_plain(void *user, const mus_contact *contact, const mus_contact_surface *surface,
                               double *value) {
    return follow_coefficient(user, contact, surface, value, plain_body);
}
static mus_status follow_checked(void *user, const mus_contact *contact, const mus_contact_surface *surface,
                                 double *value) {
    return follow_coefficient(user, contact, surface, value, checked_body);
}

/* ---- world:between ----------------------------------------------------------------------------------------------- */

/* Pushes the pair's key among the owners of records: the names in order, so that it is symmetric. */
static void push_key(lua_State *L, mus_coefficient which, const char *names[2]) {
    const char *first = names[0], *second = names[1] ? names[1] : "";
    bool turned = names[1] && strcmp(first, second) > 0;
    lua_pushfstring(L, "%s of %s", mus_coefficient_get_name(which), turned ? second : first);
    lua_pushlstring(L, "\0", 1);
    lua_pushstring(L, turned ? first : second);
    lua_concat(L, 3);
}

/* Sets the pair's record to the one on top, or false. */
static void own_record(lua_State *L, mus_lua_worldbox *box, mus_coefficient which, const char *names[2]) {
    int record = lua_gettop(L);
    lua_getiuservalue(L, 1, MUS_LUA_OWNERS);
    push_key(L, which, names);
    lua_pushvalue(L, record);
    lua_rawset(L, -3);
    box->owners_changed = true;
    lua_settop(L, record - 1);
}

/* The function on top. */
static void set_law(lua_State *L, mus_lua_worldbox *box, mus_coefficient which, const char *names[2], bool trace) {
    const char *field = mus_coefficient_get_name(which);
    int at = lua_gettop(L);
    lua_pushfstring(L, "world: between: field '%s'", field);
    mus_lua_make_coefficient(L, box, at, field, lua_tostring(L, -1), trace);
    mus_lua_rule *rule = mus_lua_test_rule(L, at);
    if (rule->kind != MUS_PROGRAM_COEFFICIENT)
        mus_lua_error(L,
                      "world: between: field '%s' must be a number, a function or a muslin.coefficient (got another "
                      "traced one)",
                      field);
    mus_object_id pair[2];
    find_pair(L, box, "between", names, pair);
    lua_getiuservalue(L, at, 1);
    const char *place = mus_lua_push_origin(L, lua_gettop(L));
    mus_lua_record *record = mus_lua_new_record(L, 1, at);
    own_record(L, box, which, names);
    bool traced = rule->program && !rule->check;
    mus_contact_law_fn law = traced ? mus_program_evaluate_coefficient : rule->check ? follow_checked : follow_plain;
    void *user = traced ? (void *)rule->program : (void *)record;
    mus_status status = mus_world_set_contact_law(box->world, pair[0], pair[1], which, law, user, place);
    if (status != MUS_STATUS_OK) box->keep_records = true; /* the one before may still be called */
    mus_lua_check_status(L, status);
}

/* The field of the options at 3, if it is given. */
static bool read_coefficient(lua_State *L, mus_lua_worldbox *box, mus_coefficient which, const char *names[2],
                             bool trace, bool *plain) {
    const char *field = mus_coefficient_get_name(which);
    int top = lua_gettop(L), type = mus_lua_field(L, 3, field);
    if (type == LUA_TFUNCTION || mus_lua_test_rule(L, -1)) {
        *plain |= type == LUA_TFUNCTION;
        set_law(L, box, which, names, trace);
    } else if (type != LUA_TNIL) {
        if (type != LUA_TNUMBER) {
            const char *seen = mus_lua_describe(L, -1);
            mus_lua_error(L, "world: between: field '%s' must be a number or a function of the contact (got %s)", field,
                          seen);
        }
        double value = lua_tonumber(L, -1);
        mus_object_id pair[2];
        find_pair(L, box, "between", names, pair);
        mus_lua_check_status(L, mus_world_set_coefficient(box->world, pair[0], pair[1], which, value));
        lua_pushboolean(L, 0);
        own_record(L, box, which, names);
    }
    lua_settop(L, top);
    return type != LUA_TNIL;
}

int mus_lua_world_between(lua_State *L) {
    static const char *const keys[] = {"overlap", "pinch", "friction", "restitution", "trace", NULL};
    mus_lua_worldbox *box = mus_lua_check_box(L, 1, "between");
    mus_lua_check_change(L, box, "world:between");
    lua_settop(L, 3);
    mus_lua_check_keys(L, 3, "world: between", keys);
    mus_overlap overlap = MUS_OVERLAP_COUNT;
    mus_lua_read_overlap(L, 3, "world: between", &overlap);
    bool trace = mus_lua_opt_bool(L, 3, "world: between", "trace", true), plain = false, any = false;
    const char *names[2], *pinch = mus_lua_opt_string(L, 3, "world: between", "pinch", NULL);
    if (pinch && strcmp(pinch, "refuse") != 0 && strcmp(pinch, "release") != 0)
        return mus_lua_error(L, "world: between: field 'pinch' must be \"refuse\" or \"release\" (got '%s')", pinch);
    read_pair(L, 2, "between", overlap == MUS_OVERLAP_COUNT && !pinch ? 1 : 2, names);
    if (overlap != MUS_OVERLAP_COUNT) {
        mus_object_id pair[2];
        find_pair(L, box, "between", names, pair);
        mus_lua_check_status(L, mus_world_set_overlap(box->world, pair[0], pair[1], overlap));
        any = true;
    }
    if (pinch) {
        mus_object_id pair[2];
        find_pair(L, box, "between", names, pair);
        mus_lua_check_status(L, mus_world_release_pinched(box->world, pair[0], pair[1], strcmp(pinch, "release") == 0));
        any = true;
    }
    for (int which = 0; which < MUS_COEFFICIENT_COUNT; which++)
        any |= read_coefficient(L, box, (mus_coefficient)which, names, trace, &plain);
    if (!any)
        return mus_lua_error(
            L, "world: between: field 'overlap' is missing, and so are 'pinch', 'friction' and 'restitution': "
               "\"refuse\", \"untangle\" or \"allow\"; \"refuse\" or \"release\"; and numbers or "
               "functions of the contact");
    if (!trace && !plain)
        return mus_lua_error(L, "world: between: field 'trace' is for a function in 'friction' or 'restitution'");
    return 0;
}
