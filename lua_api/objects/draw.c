/* draw.c: the canvas of the draw hooks: lines, points and text drawn over a picture of the world. */
#include "binding.h"

#include <math.h>
#include <string.h>

static const char TYPE[] = "muslin.canvas";

/* User values 1..3: buffers of the lists; 4: a table that keeps the texts. */
typedef struct canvas {
    mus_lua_drawing drawing;
    int32_t capacity[3];
    bool open; /* a draw hook is running */
} canvas;
enum { LINES = 1, POINTS, TEXTS, STRINGS };

/* Room for one more item of a list; returns its memory. `count` and `list` are fields of the drawing. */
static void *grow(lua_State *L, canvas *c, int which, int32_t *count, size_t size) {
    int32_t *capacity = &c->capacity[which - 1];
    if (*count == *capacity) {
        int32_t more = *capacity ? 2 * *capacity : 64;
        if (*count > INT32_MAX / 4) mus_lua_error(L, "canvas: too much was drawn");
        char *memory = lua_newuserdatauv(L, (size_t)more * size, 0);
        lua_getiuservalue(L, 1, which);
        if (*count) memcpy(memory, lua_touserdata(L, -1), (size_t)*count * size);
        lua_pop(L, 1);
        lua_setiuservalue(L, 1, which);
        *capacity = more;
        if (which == LINES) c->drawing.lines = (const mus_lua_line *)memory;
        if (which == POINTS) c->drawing.points = (const mus_lua_point *)memory;
        if (which == TEXTS) c->drawing.texts = (const mus_lua_text *)memory;
    }
    lua_getiuservalue(L, 1, which);
    char *memory = lua_touserdata(L, -1);
    lua_pop(L, 1);
    return memory + (size_t)(*count)++ * size;
}

static canvas *check_canvas(lua_State *L, const char *method) {
    canvas *c = luaL_testudata(L, 1, TYPE);
    if (!c) {
        const char *seen = mus_lua_describe(L, 1);
        mus_lua_error(L, "canvas: call it as canvas:%s(...), with a colon (got %s)", method, seen);
    }
    if (!c->open) mus_lua_error(L, "canvas: it can only be drawn on inside the 'draw' hook that gave it");
    return c;
}

typedef struct style {
    float color[4], size;
    bool screen;
} style;

/* Reads the options at `index`, which may be nil: color and `size_name`, and `screen` if it is allowed. */
static style read_style(lua_State *L, int index, const char *what, const char *size_name, float size, bool screen) {
    style s = {{0.13f, 0.15f, 0.18f, 1}, size, false}; /* dark, for a light background */
    if (lua_isnoneornil(L, index)) return s;
    const char *const keys[] = {"color", size_name, screen ? "screen" : NULL, NULL};
    mus_lua_check_keys(L, index, what, keys);
    s.size = (float)mus_lua_opt_number(L, index, what, size_name, size);
    if (!(s.size > 0)) mus_lua_error(L, "%s: field '%s' must be > 0 (got %f)", what, size_name, (double)s.size);
    if (screen) s.screen = mus_lua_opt_bool(L, index, what, "screen", false);
    if (mus_lua_field(L, index, "color") != LUA_TNIL) {
        lua_Unsigned count = lua_istable(L, -1) ? lua_rawlen(L, -1) : 0;
        bool good = count == 3 || count == 4;
        for (int k = 0; k < (int)count && good; k++) {
            good = lua_rawgeti(L, -1, k + 1) == LUA_TNUMBER && isfinite(lua_tonumber(L, -1));
            if (good) s.color[k] = (float)lua_tonumber(L, -1);
            lua_pop(L, 1);
        }
        if (!good) {
            const char *seen = mus_lua_describe(L, -1);
            mus_lua_error(L, "%s: field 'color' must be {r, g, b} or {r, g, b, a} from 0 to 1 (got %s)", what, seen);
        }
    }
    lua_pop(L, 1);
    return s;
}

static void place(lua_State *L, int index, const char *what, float out[3]) {
    double p[3];
    mus_lua_check_vec3(L, index, what, p);
    for (int k = 0; k < 3; k++) out[k] = (float)p[k];
}

static int canvas_line(lua_State *L) {
    canvas *c = check_canvas(L, "line");
    mus_lua_line line;
    memset(&line, 0, sizeof line);
    place(L, 2, "canvas:line: its first end", line.from);
    place(L, 3, "canvas:line: its second end", line.to);
    style s = read_style(L, 4, "canvas:line", "width", 1.5f, false);
    memcpy(line.color, s.color, sizeof line.color);
    line.width = s.size;
    *(mus_lua_line *)grow(L, c, LINES, &c->drawing.line_count, sizeof line) = line;
    return 0;
}

static int canvas_point(lua_State *L) {
    canvas *c = check_canvas(L, "point");
    mus_lua_point point;
    memset(&point, 0, sizeof point);
    place(L, 2, "canvas:point: its place", point.at);
    style s = read_style(L, 3, "canvas:point", "size", 6, false);
    memcpy(point.color, s.color, sizeof point.color);
    point.size = s.size;
    *(mus_lua_point *)grow(L, c, POINTS, &c->drawing.point_count, sizeof point) = point;
    return 0;
}

static int canvas_text(lua_State *L) {
    canvas *c = check_canvas(L, "text");
    mus_lua_text text;
    memset(&text, 0, sizeof text);
    lua_settop(L, 4);
    place(L, 2, "canvas:text: its place", text.at);
    luaL_tolstring(L, 3, NULL);
    int string = lua_gettop(L);
    style s = read_style(L, 4, "canvas:text", "size", 14, true);
    memcpy(text.color, s.color, sizeof text.color);
    text.size = s.size;
    text.screen = s.screen;
    text.text = lua_tostring(L, string);
    lua_getiuservalue(L, 1, STRINGS);
    lua_pushvalue(L, string);
    lua_rawseti(L, -2, c->drawing.text_count + 1);
    *(mus_lua_text *)grow(L, c, TEXTS, &c->drawing.text_count, sizeof text) = text;
    return 0;
}

const mus_lua_drawing *mus_lua_world_draw(lua_State *L, int world) {
    world = lua_absindex(L, world);
    mus_lua_worldbox *box = mus_lua_check_box(L, world, "draw");
    mus_lua_refuse_nested(L, box, "draw");
    luaL_checkstack(L, 8, NULL);
    int top = lua_gettop(L);
    lua_getiuservalue(L, world, MUS_LUA_CANVAS);
    canvas *c = luaL_testudata(L, -1, TYPE);
    if (!c) {
        c = lua_newuserdatauv(L, sizeof *c, STRINGS);
        memset(c, 0, sizeof *c);
        luaL_setmetatable(L, TYPE);
        lua_pushvalue(L, -1);
        lua_setiuservalue(L, world, MUS_LUA_CANVAS);
    }
    /* Keeps the buffers for the next picture and drops the texts. */
    c->drawing.line_count = c->drawing.point_count = c->drawing.text_count = 0;
    lua_newtable(L);
    lua_setiuservalue(L, -2, STRINGS);
    c->open = true;
    mus_lua_fire_draw(L, box, world, &c->open);
    lua_settop(L, top);
    return &c->drawing;
}

void mus_lua_open_canvas(lua_State *L) {
    static const luaL_Reg none[] = {{NULL, NULL}};
    static const luaL_Reg methods[] = {
        {"line", canvas_line}, {"point", canvas_point}, {"text", canvas_text}, {NULL, NULL}};
    mus_lua_new_type(L, TYPE, none, methods, NULL, NULL);
}
