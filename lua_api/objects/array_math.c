/* array_math.c: arithmetic over whole arrays. Operations in place write to the array they are called on and return it;
 * operators allocate. Sums run over blocks of fixed size, so the bits do not depend on how an array was made. */
#include "objects/array.h"

#include <math.h>
#include <string.h>

/* ---- Operands ---------------------------------------------------------------------------------------------------- */

/* The other operand, broadcast over rows and components: component c of row i is
 * data[i * row + c * component]. */
typedef struct operand {
    const double *data;
    int64_t row;
    int component;
    bool flat;   /* an array of the same shape: one run of numbers */
    bool number; /* the same number everywhere */
    double value[3];
} operand;

static void set_number(operand *b, double value) {
    *b = (operand){NULL, 0, 0, false, true, {value, value, value}};
    b->data = b->value;
}

/* Fills *b (which must stay where it is: its data may point into itself) from the value at `index`, to go with `rows`.
 */
static void check_operand(lua_State *L, int index, const char *name, const mus_lua_rows *rows, operand *b) {
    if (lua_type(L, index) == LUA_TNUMBER) {
        set_number(b, lua_tonumber(L, index));
        return;
    }
    if (mus_lua_is_array(L, index)) {
        mus_lua_rows other = mus_lua_array_rows(L, index, false);
        if (other.count != rows->count)
            mus_lua_error(L, "%s: %s needs arrays of one length (%I rows here, %I given)", rows->what, name,
                          (LUAI_UACINT)rows->count, (LUAI_UACINT)other.count);
        if (other.components > rows->components)
            mus_lua_error(L, "%s: %s cannot put vectors into numbers; use a:dot(b) or a:lengths()", rows->what, name);
        bool flat = other.components == rows->components;
        *b = (operand){other.data, other.components, other.components == 3, flat, false, {0, 0, 0}};
        /* A slice of the same memory at another place would change while it is read. */
        const double *end = rows->data + rows->count * rows->components;
        const double *other_end = other.data + other.count * other.components;
        if (rows->count && other.data < end && rows->data < other_end && !(flat && other.data == rows->data)) {
            double *copy = mus_lua_push_array(L, other.count, other.components);
            memcpy(copy, other.data, (size_t)(other.count * other.components) * sizeof(double));
            b->data = copy; /* stays on the stack until the call ends */
        }
        return;
    }
    double value[3];
    if (rows->components == 3 && mus_lua_test_vec3(L, index, value)) {
        *b = (operand){NULL, 0, 1, false, false, {value[0], value[1], value[2]}};
        b->data = b->value;
        return;
    }
    const char *seen = mus_lua_describe(L, index);
    mus_lua_error(L, "%s: %s needs an array of the same length%s or a number (got %s)", rows->what, name,
                  rows->components == 3 ? ", a vec3 {x, y, z}" : "", seen);
}

/* ---- Kernels ----------------------------------------------------------------------------------------------------- */

/* out = f(x, y) where x is the array's number and y the operand's; out may be x's own memory. */
#define EACH2(expression)                                                                                              \
    do {                                                                                                               \
        int64_t size = count * components;                                                                             \
        if (b->number) {                                                                                               \
            const double y = b->value[0];                                                                              \
            _Pragma("omp simd") for (int64_t i = 0; i < size; i++) {                                                   \
                const double x = a[i];                                                                                 \
                out[i] = (expression);                                                                                 \
            }                                                                                                          \
        } else if (b->flat) {                                                                                          \
            const double *other = b->data;                                                                             \
            _Pragma("omp simd") for (int64_t i = 0; i < size; i++) {                                                   \
                const double x = a[i], y = other[i];                                                                   \
                out[i] = (expression);                                                                                 \
            }                                                                                                          \
        } else {                                                                                                       \
            for (int64_t i = 0; i < count; i++) {                                                                      \
                for (int c = 0; c < components; c++) {                                                                 \
                    const double x = a[i * components + c], y = b->data[i * b->row + c * b->component];                \
                    out[i * components + c] = (expression);                                                            \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)

typedef enum operation { SET, ADD, SUB, MUL, DIV, FROM, INTO } operation; /* FROM: b - a, INTO: b / a */

static void apply(operation what, double *out, const double *a, const operand *b, int64_t count, int components) {
    switch (what) {
    case SET:
        EACH2(((void)x, y));
        break;
    case ADD:
        EACH2(x + y);
        break;
    case SUB:
        EACH2(x - y);
        break;
    case MUL:
        EACH2(x * y);
        break;
    case DIV:
        EACH2(x / y);
        break;
    case FROM:
        EACH2(y - x);
        break;
    case INTO:
        EACH2(y / x);
        break;
    }
}

static int in_place(lua_State *L, operation what, const char *name) {
    mus_lua_rows rows = mus_lua_array_rows(L, 1, true);
    operand b;
    lua_settop(L, 2);
    check_operand(L, 2, name, &rows, &b);
    apply(what, rows.data, rows.data, &b, rows.count, rows.components);
    mus_lua_array_written(L, &rows);
    lua_settop(L, 1);
    return 1;
}

static int array_fill(lua_State *L) {
    return in_place(L, SET, "fill");
}
static int array_add(lua_State *L) {
    return in_place(L, ADD, "add");
}
static int array_sub(lua_State *L) {
    return in_place(L, SUB, "sub");
}
static int array_mul(lua_State *L) {
    return in_place(L, MUL, "mul");
}
static int array_scale(lua_State *L) {
    return in_place(L, MUL, "scale");
}
static int array_div(lua_State *L) {
    return in_place(L, DIV, "div");
}

/* The operand's number for row i, component c. */
static inline double operand_at(const operand *b, int64_t i, int c) {
    return b->data[i * b->row + c * b->component];
}

/* axpy(s, b): a + s b. */
static int array_axpy(lua_State *L) {
    mus_lua_rows rows = mus_lua_array_rows(L, 1, true);
    operand s, b;
    lua_settop(L, 3);
    check_operand(L, 2, "axpy", &rows, &s);
    check_operand(L, 3, "axpy", &rows, &b);
    double *x = rows.data;
    if (s.number && b.flat) {
        const double factor = s.value[0], *y = b.data;
        int64_t size = rows.count * rows.components;
#pragma omp simd
        for (int64_t i = 0; i < size; i++) x[i] += factor * y[i];
    } else {
        for (int64_t i = 0; i < rows.count; i++)
            for (int c = 0; c < rows.components; c++)
                x[i * rows.components + c] += operand_at(&s, i, c) * operand_at(&b, i, c);
    }
    mus_lua_array_written(L, &rows);
    lua_settop(L, 1);
    return 1;
}

/* lerp(b, t): (1 - t) a + t b, exact at both ends. */
static int array_lerp(lua_State *L) {
    mus_lua_rows rows = mus_lua_array_rows(L, 1, true);
    operand b, t;
    lua_settop(L, 3);
    check_operand(L, 2, "lerp", &rows, &b);
    check_operand(L, 3, "lerp", &rows, &t);
    for (int64_t i = 0; i < rows.count; i++) {
        for (int c = 0; c < rows.components; c++) {
            double *x = rows.data + i * rows.components + c, w = operand_at(&t, i, c);
            *x = (1 - w) * *x + w * operand_at(&b, i, c);
        }
    }
    mus_lua_array_written(L, &rows);
    lua_settop(L, 1);
    return 1;
}

/* clamp(low, high), either nil for no bound; NaN stays. */
static int array_clamp(lua_State *L) {
    mus_lua_rows rows = mus_lua_array_rows(L, 1, true);
    operand low, high;
    lua_settop(L, 3);
    set_number(&low, -INFINITY);
    set_number(&high, INFINITY);
    if (!lua_isnil(L, 2)) check_operand(L, 2, "clamp", &rows, &low);
    if (!lua_isnil(L, 3)) check_operand(L, 3, "clamp", &rows, &high);
    for (int64_t i = 0; i < rows.count; i++) {
        for (int c = 0; c < rows.components; c++) {
            double *x = rows.data + i * rows.components + c, l = operand_at(&low, i, c), h = operand_at(&high, i, c);
            if (*x < l) *x = l;
            if (*x > h) *x = h;
        }
    }
    mus_lua_array_written(L, &rows);
    lua_settop(L, 1);
    return 1;
}

static mus_lua_rows check_vectors(lua_State *L, const char *name, bool write) {
    mus_lua_rows rows = mus_lua_array_rows(L, 1, write);
    if (rows.components != 3) mus_lua_error(L, "%s: %s needs an array of vectors", rows.what, name);
    return rows;
}

static int array_normalize(lua_State *L) {
    mus_lua_rows rows = check_vectors(L, "normalize", true);
    for (int64_t i = 0; i < rows.count; i++) {
        double *a = rows.data + 3 * i, length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
        for (int c = 0; c < 3; c++) a[c] = length > 0 ? a[c] / length : 0;
    }
    mus_lua_array_written(L, &rows);
    lua_settop(L, 1);
    return 1;
}

static int array_cross(lua_State *L) {
    mus_lua_rows rows = check_vectors(L, "cross", true);
    operand b;
    lua_settop(L, 2);
    check_operand(L, 2, "cross", &rows, &b);
    if (!b.component) return mus_lua_error(L, "%s: cross needs vectors: an array of them or a vec3", rows.what);
    for (int64_t i = 0; i < rows.count; i++) {
        double *a = rows.data + 3 * i, x = a[0], y = a[1], z = a[2];
        double u = operand_at(&b, i, 0), v = operand_at(&b, i, 1), w = operand_at(&b, i, 2);
        a[0] = y * w - z * v;
        a[1] = z * u - x * w;
        a[2] = x * v - y * u;
    }
    mus_lua_array_written(L, &rows);
    lua_settop(L, 1);
    return 1;
}

/* ---- Transforms -------------------------------------------------------------------------------------------------- */

void mus_lua_check_transform(lua_State *L, int index, const char *what, double m[12]) {
    static const char *const keys[] = {"position", "rotation", "scale", NULL};
    index = lua_absindex(L, index);
    size_t size = lua_istable(L, index) ? lua_rawlen(L, index) : 1;
    if (size != 0 && size != 9 && size != 12)
        mus_lua_error(L, "%s: give {position =, rotation =, scale =}, or 9 or 12 numbers, by rows", what);
    memset(m, 0, 12 * sizeof *m);
    if (size) {
        int columns = (int)size / 3;
        for (int k = 0; k < (int)size; k++) {
            lua_rawgeti(L, index, k + 1);
            if (lua_type(L, -1) != LUA_TNUMBER || !isfinite(lua_tonumber(L, -1))) {
                const char *seen = mus_lua_describe(L, -1);
                mus_lua_error(L, "%s: number %d of the matrix must be finite (got %s)", what, k + 1, seen);
            }
            m[4 * (k / columns) + k % columns] = lua_tonumber(L, -1);
            lua_pop(L, 1);
        }
        return;
    }
    mus_lua_check_keys(L, index, what, keys);
    double p[3] = {0, 0, 0}, q[4] = {1, 0, 0, 0}, s[3] = {1, 1, 1};
    mus_lua_opt_vec3(L, index, what, "position", p);
    if (mus_lua_field(L, index, "scale") == LUA_TNUMBER) {
        s[0] = s[1] = s[2] = mus_lua_opt_number(L, index, what, "scale", 1);
    } else {
        mus_lua_opt_vec3(L, index, what, "scale", s);
    }
    lua_pop(L, 1);
    if (mus_lua_field(L, index, "rotation") != LUA_TNIL) {
        lua_pushfstring(L, "%s: field 'rotation'", what);
        mus_lua_check_rotation(L, -2, 0, lua_tostring(L, -1), false, q);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    double w = q[0], x = q[1], y = q[2], z = q[3];
    double r[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                   2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                   2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) m[4 * i + j] = r[3 * i + j] * s[j];
        m[4 * i + 3] = p[i];
    }
}

static int array_transform(lua_State *L) {
    mus_lua_rows rows = check_vectors(L, "transform", true);
    double m[12];
    mus_lua_check_transform(L, 2, "array:transform", m);
    for (int64_t i = 0; i < rows.count; i++) {
        double *a = rows.data + 3 * i, x = a[0], y = a[1], z = a[2];
        for (int c = 0; c < 3; c++) a[c] = m[4 * c] * x + m[4 * c + 1] * y + m[4 * c + 2] * z + m[4 * c + 3];
    }
    mus_lua_array_written(L, &rows);
    lua_settop(L, 1);
    return 1;
}

/* ---- Reductions -------------------------------------------------------------------------------------------------- */

enum { BLOCK = 256 };

static void push_result(lua_State *L, const double *value, int components) {
    if (components == 1) {
        lua_pushnumber(L, value[0]);
    } else {
        mus_lua_push_vec3(L, value[0], value[1], value[2]);
    }
}

static void block_sums(const mus_lua_rows *rows, double sum[3]) {
    for (int c = 0; c < 3; c++) sum[c] = 0;
    for (int64_t start = 0; start < rows->count; start += BLOCK) {
        int64_t end = start + BLOCK < rows->count ? start + BLOCK : rows->count;
        double part[3] = {0, 0, 0};
        for (int64_t i = start; i < end; i++)
            for (int c = 0; c < rows->components; c++) part[c] += rows->data[i * rows->components + c];
        for (int c = 0; c < rows->components; c++) sum[c] += part[c];
    }
}

static int array_sum(lua_State *L) {
    mus_lua_rows rows = mus_lua_array_rows(L, 1, false);
    double sum[3];
    block_sums(&rows, sum);
    push_result(L, sum, rows.components);
    return 1;
}

static void check_rows(lua_State *L, const mus_lua_rows *rows, const char *name) {
    if (!rows->count) mus_lua_error(L, "%s: %s of no rows", rows->what, name);
}

static int array_mean(lua_State *L) {
    mus_lua_rows rows = mus_lua_array_rows(L, 1, false);
    double sum[3];
    check_rows(L, &rows, "mean");
    block_sums(&rows, sum);
    for (int c = 0; c < 3; c++) sum[c] /= (double)rows.count;
    push_result(L, sum, rows.components);
    return 1;
}

/* The root of the sum of squares of all numbers. */
static int array_norm(lua_State *L) {
    mus_lua_rows rows = mus_lua_array_rows(L, 1, false);
    double sum = 0;
    int64_t size = rows.count * rows.components;
    for (int64_t start = 0; start < size; start += BLOCK) {
        int64_t end = start + BLOCK < size ? start + BLOCK : size;
        double part = 0;
        for (int64_t i = start; i < end; i++) part += rows.data[i] * rows.data[i];
        sum += part;
    }
    lua_pushnumber(L, sqrt(sum));
    return 1;
}

/* By component. NaN if any number is. */
static int extreme(lua_State *L, const char *name, int sign) {
    mus_lua_rows rows = mus_lua_array_rows(L, 1, false);
    check_rows(L, &rows, name);
    double best[3];
    for (int c = 0; c < rows.components; c++) {
        best[c] = rows.data[c];
        for (int64_t i = 1; i < rows.count && !isnan(best[c]); i++) {
            double x = rows.data[i * rows.components + c];
            if (isnan(x) || (sign > 0 ? x > best[c] : x < best[c])) best[c] = x;
        }
    }
    push_result(L, best, rows.components);
    return 1;
}

static int array_min(lua_State *L) {
    return extreme(L, "min", -1);
}
static int array_max(lua_State *L) {
    return extreme(L, "max", 1);
}

/* The row of the greatest number or the longest vector; the first of equal ones; a NaN counts as greatest. Also
 * returns it. */
static int arg_extreme(lua_State *L, const char *name, int sign) {
    mus_lua_rows rows = mus_lua_array_rows(L, 1, false);
    check_rows(L, &rows, name);
    int64_t best = 0;
    double best_value = 0;
    for (int64_t i = 0; i < rows.count; i++) {
        const double *a = rows.data + i * rows.components;
        double value = rows.components == 1 ? a[0] : sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
        if (i == 0 || isnan(value) || (sign > 0 ? value > best_value : value < best_value)) {
            best = i, best_value = value;
            if (isnan(value)) break;
        }
    }
    lua_pushinteger(L, best + 1);
    lua_pushnumber(L, best_value);
    return 2;
}

static int array_argmax(lua_State *L) {
    return arg_extreme(L, "argmax", 1);
}
static int array_argmin(lua_State *L) {
    return arg_extreme(L, "argmin", -1);
}

/* ---- New arrays -------------------------------------------------------------------------------------------------- */

static int array_dot(lua_State *L) {
    mus_lua_rows rows = check_vectors(L, "dot", false);
    operand b;
    lua_settop(L, 2);
    check_operand(L, 2, "dot", &rows, &b);
    if (!b.component) return mus_lua_error(L, "%s: dot needs vectors: an array of them or a vec3", rows.what);
    double *out = mus_lua_push_array(L, rows.count, 1);
    for (int64_t i = 0; i < rows.count; i++) {
        const double *a = rows.data + 3 * i;
        out[i] = a[0] * operand_at(&b, i, 0) + a[1] * operand_at(&b, i, 1) + a[2] * operand_at(&b, i, 2);
    }
    return 1;
}

static int array_lengths(lua_State *L) {
    mus_lua_rows rows = check_vectors(L, "lengths", false);
    double *out = mus_lua_push_array(L, rows.count, 1);
    for (int64_t i = 0; i < rows.count; i++) {
        const double *a = rows.data + 3 * i;
        out[i] = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    }
    return 1;
}

/* An operator's result has the larger shape of its operands: numbers times a vec3 is an array of vectors. */
static int operator(lua_State *L, operation what, operation swapped, const char *name) {
    int left = mus_lua_is_array(L, 1) ? 1 : 2, right = 3 - left;
    operation chosen = left == 1 ? what : swapped;
    mus_lua_rows rows = mus_lua_array_rows(L, left, false);
    double probe[3];
    bool widen = false;
    if (rows.components == 1) {
        if (mus_lua_is_array(L, right)) {
            widen = mus_lua_array_rows(L, right, false).components == 3;
        } else {
            widen = lua_type(L, right) != LUA_TNUMBER && mus_lua_test_vec3(L, right, probe);
        }
    }
    int components = widen ? 3 : rows.components;
    double *out = mus_lua_push_array(L, rows.count, components);
    int result = lua_gettop(L);
    if (widen) { /* the numbers, three times each */
        for (int64_t i = 0; i < rows.count; i++)
            for (int c = 0; c < 3; c++) out[3 * i + c] = rows.data[i];
        rows.components = 3;
        rows.data = out;
    }
    operand b;
    check_operand(L, right, name, &rows, &b);
    apply(chosen, out, rows.data, &b, rows.count, components);
    lua_settop(L, result);
    return 1;
}

static int operator_add(lua_State *L) {
    return operator(L, ADD, ADD, "'+'");
}
static int operator_sub(lua_State *L) {
    return operator(L, SUB, FROM, "'-'");
}
static int operator_mul(lua_State *L) {
    return operator(L, MUL, MUL, "'*'");
}
static int operator_div(lua_State *L) {
    return operator(L, DIV, INTO, "'/'");
}
static int operator_unm(lua_State *L) {
    mus_lua_rows rows = mus_lua_array_rows(L, 1, false);
    double *out = mus_lua_push_array(L, rows.count, rows.components);
    for (int64_t i = 0; i < rows.count * rows.components; i++) out[i] = -rows.data[i];
    return 1;
}

void mus_lua_array_math(lua_State *L, int metatable, int methods) {
    static const luaL_Reg operators[] = {{"__add", operator_add}, {"__sub", operator_sub}, {"__mul", operator_mul},
                                         {"__div", operator_div}, {"__unm", operator_unm}, {NULL, NULL}};
    static const luaL_Reg functions[] = {{"fill", array_fill},
                                         {"add", array_add},
                                         {"sub", array_sub},
                                         {"mul", array_mul},
                                         {"scale", array_scale},
                                         {"div", array_div},
                                         {"axpy", array_axpy},
                                         {"lerp", array_lerp},
                                         {"clamp", array_clamp},
                                         {"cross", array_cross},
                                         {"normalize", array_normalize},
                                         {"transform", array_transform},
                                         {"sum", array_sum},
                                         {"mean", array_mean},
                                         {"norm", array_norm},
                                         {"min", array_min},
                                         {"max", array_max},
                                         {"argmax", array_argmax},
                                         {"argmin", array_argmin},
                                         {"dot", array_dot},
                                         {"lengths", array_lengths},
                                         {NULL, NULL}};
    lua_pushvalue(L, metatable);
    luaL_setfuncs(L, operators, 0);
    lua_pop(L, 1);
    lua_pushvalue(L, methods);
    luaL_setfuncs(L, functions, 0);
    lua_pop(L, 1);
}
