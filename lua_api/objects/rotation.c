/* rotation.c: rotations as options and as muslin.rotation: unit quaternions {w, x, y, z} by axis and angle, by three
 * angles in a stated order, or between two directions. Angles are in rad. Rotations of traced numbers are traced. */
#include "trace/trace.h"
#include "muslin/math.h"

#include <math.h>
#include <string.h>

static const char FORMS[] = "a quaternion {w, x, y, z}, {axis = {x, y, z}, angle = rad} or {euler = {x, y, z}, order = "
                            "'xyz'} (rad)";

/* ---- Plain numbers ----------------------------------------------------------------------------------------------- */

static void multiply(const double a[4], const double b[4], double out[4]) {
    double w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    double x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    double y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    double z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
    out[0] = w, out[1] = x, out[2] = y, out[3] = z;
}

/* Normalizes to length 1; false for a zero vector. Scaled first, so that no square overflows or vanishes. */
static bool make_unit(double *v, int count) {
    double most = 0, square = 0;
    for (int k = 0; k < count; k++) most = fmax(most, fabs(v[k]));
    if (!(most > 0) || !isfinite(most)) return false;
    for (int k = 0; k < count; k++) v[k] /= most, square += v[k] * v[k];
    for (int k = 0; k < count; k++) v[k] /= sqrt(square);
    return true;
}

static void axis_rotation(const double axis[3], double angle, double out[4]) {
    double s = mus_sin(0.5 * angle);
    out[0] = mus_cos(0.5 * angle);
    for (int k = 0; k < 3; k++) out[1 + k] = s * axis[k];
}

/* Axes of the order's letters, first rotation first; false if it is not valid. Two equal neighbors would be one
 * rotation. */
static bool read_order(const char *order, int axes[3]) {
    if (strlen(order) != 3) return false;
    for (int k = 0; k < 3; k++) {
        if (order[k] < 'x' || order[k] > 'z') return false;
        axes[k] = order[k] - 'x';
    }
    return axes[0] != axes[1] && axes[1] != axes[2] && axes[0] != axes[2];
}

static void refuse_order(lua_State *L, int function, const char *what, const char *order) {
    mus_lua_error_of(
        L, function,
        "%s: the order must be 'xyz', 'xzy', 'yxz', 'yzx', 'zxy' or 'zyx', the first turn first (got '%s')", what,
        order);
}

/* ---- As an option ------------------------------------------------------------------------------------------------ */

static int raw_field(lua_State *L, int index, const char *name) {
    lua_pushstring(L, name);
    return lua_rawget(L, index);
}

static void refuse_form(lua_State *L, int index, int function, const char *what) {
    const char *seen = mus_lua_describe(L, index);
    mus_lua_error_of(L, function, "%s must be %s (got %s)", what, FORMS, seen);
}

/* Only the fields of its form. */
static void check_fields(lua_State *L, int index, int function, const char *what, const char *one, const char *other) {
    for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
        const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : NULL;
        if (key && (strcmp(key, one) == 0 || strcmp(key, other) == 0)) continue;
        mus_lua_error_of(L, function, "%s: '%s' and '%s' stand alone; it must be %s", what, one, other, FORMS);
    }
}

static double angle_field(lua_State *L, int index, int function, const char *what, const char *field) {
    if (raw_field(L, index, field) != LUA_TNUMBER || !isfinite(lua_tonumber(L, -1))) {
        const char *seen = mus_lua_describe(L, -1);
        mus_lua_error_of(L, function, "%s: '%s' must be a finite number, rad (got %s)", what, field, seen);
    }
    double angle = lua_tonumber(L, -1);
    lua_pop(L, 1);
    return angle;
}

static void vector_field(lua_State *L, int index, int function, const char *what, const char *field, double out[3]) {
    raw_field(L, index, field);
    if (!mus_lua_test_vec3(L, -1, out) || !isfinite(out[0] + out[1] + out[2])) {
        const char *seen = mus_lua_describe(L, -1);
        mus_lua_error_of(L, function, "%s: '%s' must be three finite numbers {x, y, z} (got %s)", what, field, seen);
    }
    lua_pop(L, 1);
}

static bool has_field(lua_State *L, int index, const char *name) {
    bool given = raw_field(L, index, name) != LUA_TNIL;
    lua_pop(L, 1);
    return given;
}

static void read_axis_angle(lua_State *L, int index, int function, const char *what, double out[4]) {
    double axis[3];
    check_fields(L, index, function, what, "axis", "angle");
    vector_field(L, index, function, what, "axis", axis);
    if (!make_unit(axis, 3)) mus_lua_error_of(L, function, "%s: 'axis' must not be zero", what);
    axis_rotation(axis, angle_field(L, index, function, what, "angle"), out);
}

static void read_euler(lua_State *L, int index, int function, const char *what, double out[4]) {
    double angles[3];
    int axes[3] = {0, 1, 2};
    check_fields(L, index, function, what, "euler", "order");
    vector_field(L, index, function, what, "euler", angles);
    int type = raw_field(L, index, "order");
    if (type != LUA_TNIL && (type != LUA_TSTRING || !read_order(lua_tostring(L, -1), axes)))
        refuse_order(L, function, what, type == LUA_TSTRING ? lua_tostring(L, -1) : mus_lua_describe(L, -1));
    lua_pop(L, 1);
    out[0] = 1, out[1] = out[2] = out[3] = 0;
    for (int k = 0; k < 3; k++) {
        double unit[3] = {0, 0, 0}, turn[4];
        unit[axes[k]] = 1;
        axis_rotation(unit, angles[axes[k]], turn);
        multiply(turn, out, out);
    }
}

static void read_quaternion(lua_State *L, int index, int function, const char *what, double out[4]) {
    static const char *const names[] = {"w", "x", "y", "z"};
    for (int k = 0; k < 4; k++) {
        if (lua_rawgeti(L, index, k + 1) == LUA_TNIL) {
            lua_pop(L, 1);
            raw_field(L, index, names[k]);
        }
        if (lua_type(L, -1) != LUA_TNUMBER) refuse_form(L, index, function, what);
        out[k] = lua_tonumber(L, -1);
        lua_pop(L, 1);
        if (!isfinite(out[k]))
            mus_lua_error_of(L, function, "%s must be a quaternion {w, x, y, z} of finite numbers (got %s at %d)", what,
                             mus_lua_word_of_number(out[k]), k + 1);
    }
}

void mus_lua_check_rotation(lua_State *L, int index, int function, const char *what, bool is_unit, double out[4]) {
    index = lua_absindex(L, index);
    luaL_checkstack(L, 6, NULL);
    if (!lua_istable(L, index)) refuse_form(L, index, function, what);
    if (has_field(L, index, "axis") || has_field(L, index, "angle")) {
        read_axis_angle(L, index, function, what, out);
    } else if (has_field(L, index, "euler") || has_field(L, index, "order")) {
        read_euler(L, index, function, what, out);
    } else {
        read_quaternion(L, index, function, what, out);
    }
    double length = sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2] + out[3] * out[3]);
    if (is_unit && !(fabs(length - 1) < 1e-3))
        mus_lua_error_of(L, function, "%s must be a unit quaternion {w, x, y, z} (its length is %f)", what, length);
    if (!(length > 0) || !isfinite(length)) mus_lua_error_of(L, function, "%s must not be zero", what);
    for (int k = 0; k < 4; k++) out[k] /= length; /* of every form, so that all give the same bits */
}

/* ---- muslin.rotation: numbers on the stack, plain or traced ------------------------------------------------------ */

/* Pushes one op other of the values at two indices. */
static void arith(lua_State *L, int op, int one, int other) {
    lua_pushvalue(L, one);
    lua_pushvalue(L, other);
    lua_arith(L, op);
}

/* The number at `index`, plain or traced; raises for others. */
static void check_number(lua_State *L, int index, const char *what) {
    mus_lua_settle_param(L, index);
    if (lua_type(L, index) == LUA_TNUMBER) {
        if (!isfinite(lua_tonumber(L, index)))
            mus_lua_error(L, "%s must be finite (got %s)", what, mus_lua_word_of_number(lua_tonumber(L, index)));
    } else if (!mus_lua_test_expression(L, index)) {
        const char *seen = mus_lua_describe(L, index);
        mus_lua_error(L, "%s must be a number (got %s)", what, seen);
    }
}

/* Pushes the function of the value at `index`: upvalue 1 is muslin.sin, 2 muslin.cos. */
static void apply_function(lua_State *L, int upvalue, int index) {
    lua_pushvalue(L, lua_upvalueindex(upvalue));
    lua_pushvalue(L, index);
    lua_call(L, 1, 1);
}

/* Pushes the four numbers of a rotation about a unit axis by the angle at `angle`. */
static int push_axis_rotation(lua_State *L, const double axis[3], int angle) {
    int first = lua_gettop(L) + 1;
    lua_pushnumber(L, 0.5);
    arith(L, LUA_OPMUL, first, angle);
    lua_replace(L, first);
    apply_function(L, 1, first); /* sine at first + 1 */
    apply_function(L, 2, first);
    lua_replace(L, first);
    for (int k = 0; k < 3; k++) {
        lua_pushnumber(L, axis[k]);
        arith(L, LUA_OPMUL, first + 1, lua_gettop(L));
        lua_remove(L, -2);
    }
    lua_remove(L, first + 1);
    return first;
}

/* Pushes the product of four numbers at `a` and four at `b`: rotation b, then rotation a. */
static int push_product(lua_State *L, int a, int b) {
    static const int8_t place[4][4] = {{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}}; /* of b, by that of a */
    static const bool minus[4][4] = {{false, true, true, true},
                                     {false, false, false, true},
                                     {false, true, false, false},
                                     {false, false, true, false}};
    int first = lua_gettop(L) + 1;
    for (int row = 0; row < 4; row++)
        for (int k = 0; k < 4; k++) {
            arith(L, LUA_OPMUL, a + k, b + place[row][k]);
            if (k) lua_arith(L, minus[row][k] ? LUA_OPSUB : LUA_OPADD);
        }
    return first;
}

/* Replaces the four numbers on top by their table. */
static int push_table(lua_State *L) {
    lua_createtable(L, 4, 0);
    lua_insert(L, -5);
    for (int k = 4; k >= 1; k--) lua_rawseti(L, -k - 1, k);
    return 1;
}

/* Pushes the four numbers of the quaternion at `index`. */
static int push_quaternion(lua_State *L, int index, const char *what) {
    static const char *const names[] = {"w", "x", "y", "z"};
    int first = lua_gettop(L) + 1;
    if (!lua_istable(L, index)) {
        const char *seen = mus_lua_describe(L, index);
        mus_lua_error(L, "%s must be a quaternion {w, x, y, z} (got %s)", what, seen);
    }
    if (has_field(L, index, "axis") || has_field(L, index, "euler")) {
        double q[4];
        mus_lua_check_rotation(L, index, 0, what, true, q);
        for (int k = 0; k < 4; k++) lua_pushnumber(L, q[k]);
        return first;
    }
    for (int k = 0; k < 4; k++) {
        if (lua_rawgeti(L, index, k + 1) == LUA_TNIL) {
            lua_pop(L, 1);
            raw_field(L, index, names[k]);
        }
        check_number(L, first + k, what);
    }
    return first;
}

static void check_direction(lua_State *L, int index, const char *what, double out[3]) {
    mus_lua_check_vec3(L, index, what, out);
    if (!make_unit(out, 3)) mus_lua_error(L, "%s must not be zero", what);
}

static int rotation_axis(lua_State *L) {
    double axis[3];
    lua_settop(L, 2);
    check_direction(L, 1, "rotation.axis(axis, angle): axis", axis);
    check_number(L, 2, "rotation.axis(axis, angle): angle (rad)");
    push_axis_rotation(L, axis, 2);
    return push_table(L);
}

static int rotation_euler(lua_State *L) {
    int axes[3] = {0, 1, 2};
    lua_settop(L, 4);
    for (int k = 1; k <= 3; k++) check_number(L, k, "rotation.euler(x, y, z, order): an angle (rad)");
    if (!lua_isnil(L, 4) && (lua_type(L, 4) != LUA_TSTRING || !read_order(lua_tostring(L, 4), axes)))
        refuse_order(L, 0, "rotation.euler(x, y, z, order)",
                     lua_type(L, 4) == LUA_TSTRING ? lua_tostring(L, 4) : mus_lua_describe(L, 4));
    for (int k = 0; k < 3; k++) {
        double unit[3] = {0, 0, 0};
        unit[axes[k]] = 1;
        int turn = push_axis_rotation(L, unit, 1 + axes[k]);
        if (k == 0) continue;
        push_product(L, turn, turn - 4);
        for (int i = 3; i >= 0; i--) lua_replace(L, turn - 4 + i);
        lua_settop(L, turn - 1);
    }
    return push_table(L);
}

/* The shortest rotation from a to b. For opposite directions every rotation by pi about a perpendicular is as short;
 * the perpendicular nearest a coordinate axis is used. */
static int rotation_between(lua_State *L) {
    double a[3], b[3], q[4] = {1, 0, 0, 0};
    lua_settop(L, 2);
    check_direction(L, 1, "rotation.between(a, b): a", a);
    check_direction(L, 2, "rotation.between(a, b): b", b);
    for (int k = 0; k < 3; k++) q[0] += a[k] * b[k];
    for (int k = 0; k < 3; k++) q[1 + k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
    double crossing = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (q[0] < 1e-8) { /* 1 + cos has lost its digits by cancellation; the sine has not */
        if (crossing > 0) {
            q[0] = crossing * crossing / (2 - q[0]);
        } else {
            int least = fabs(a[0]) <= fabs(a[1]) && fabs(a[0]) <= fabs(a[2]) ? 0 : fabs(a[1]) <= fabs(a[2]) ? 1 : 2;
            for (int k = 0; k < 3; k++) q[1 + k] = (k == least) - a[least] * a[k];
            q[0] = 0;
        }
    }
    make_unit(q, 4);
    for (int k = 0; k < 4; k++) lua_pushnumber(L, q[k]);
    return push_table(L);
}

static int rotation_multiply(lua_State *L) {
    lua_settop(L, 2);
    int a = push_quaternion(L, 1, "rotation.multiply(a, b): a"),
        b = push_quaternion(L, 2, "rotation.multiply(a, b): b");
    push_product(L, a, b);
    return push_table(L);
}

static int rotation_inverse(lua_State *L) {
    lua_settop(L, 1);
    int q = push_quaternion(L, 1, "rotation.inverse(q): q");
    for (int k = 1; k < 4; k++) {
        lua_pushvalue(L, q + k);
        lua_arith(L, LUA_OPUNM);
        lua_replace(L, q + k);
    }
    return push_table(L);
}

/* q v q*, of plain numbers. */
static int rotation_apply(lua_State *L) {
    double q[4], v[3], t[3], out[3];
    lua_settop(L, 2);
    mus_lua_check_rotation(L, 1, 0, "rotation.apply(q, v): q", true, q);
    mus_lua_check_vec3(L, 2, "rotation.apply(q, v): v", v);
    for (int k = 0; k < 3; k++) /* t = 2 (q x v) */
        t[k] = 2 * (q[1 + (k + 1) % 3] * v[(k + 2) % 3] - q[1 + (k + 2) % 3] * v[(k + 1) % 3]);
    for (int k = 0; k < 3; k++)
        out[k] = v[k] + q[0] * t[k] + q[1 + (k + 1) % 3] * t[(k + 2) % 3] - q[1 + (k + 2) % 3] * t[(k + 1) % 3];
    mus_lua_push_vec3(L, out[0], out[1], out[2]);
    return 1;
}

void mus_lua_open_rotation(lua_State *L, int module) {
    static const luaL_Reg functions[] = {{"axis", rotation_axis},
                                         {"euler", rotation_euler},
                                         {"between", rotation_between},
                                         {"multiply", rotation_multiply},
                                         {"inverse", rotation_inverse},
                                         {"apply", rotation_apply},
                                         {NULL, NULL}};
    module = lua_absindex(L, module);
    luaL_newlibtable(L, functions);
    lua_getfield(L, module, "sin");
    lua_getfield(L, module, "cos");
    luaL_setfuncs(L, functions, 2);
    mus_lua_refuse_absent_fields(L, "muslin.rotation");
}
