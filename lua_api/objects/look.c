/* look.c: colors and textures of objects, which only pictures and files read. */
#include "binding.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    float color[3];
} palette[] = {{"white", {0.93f, 0.92f, 0.90f}},  {"gray", {0.60f, 0.61f, 0.62f}},   {"black", {0.13f, 0.13f, 0.14f}},
               {"red", {0.72f, 0.16f, 0.15f}},    {"orange", {0.87f, 0.48f, 0.16f}}, {"yellow", {0.90f, 0.74f, 0.24f}},
               {"green", {0.28f, 0.52f, 0.31f}},  {"teal", {0.15f, 0.50f, 0.52f}},   {"blue", {0.19f, 0.36f, 0.62f}},
               {"purple", {0.44f, 0.27f, 0.54f}}, {"pink", {0.84f, 0.50f, 0.58f}},   {"brown", {0.45f, 0.31f, 0.22f}}};
enum { PALETTE_COUNT = sizeof palette / sizeof *palette };

/* "#c05030" */
static bool read_hex(const char *text, float out[3]) {
    if (text[0] != '#' || strlen(text) != 7) return false;
    for (int k = 1; k < 7; k++)
        if (!isxdigit((unsigned char)text[k])) return false;
    unsigned long bits = strtoul(text + 1, NULL, 16);
    for (int k = 0; k < 3; k++) out[k] = (float)(bits >> (16 - 8 * k) & 255) / 255;
    return true;
}

static bool read_name(const char *text, float out[3]) {
    for (int k = 0; k < PALETTE_COUNT; k++)
        if (strcmp(text, palette[k].name) == 0) {
            memcpy(out, palette[k].color, sizeof palette[k].color);
            return true;
        }
    return false;
}

/* Raises with the nearest name for a word that is near one. */
static void refuse_color(lua_State *L, int index, const char *what) {
    const char *names[PALETTE_COUNT + 1] = {NULL}, *near = NULL;
    for (int k = 0; k < PALETTE_COUNT; k++) names[k] = palette[k].name;
    if (lua_type(L, index) == LUA_TSTRING) near = mus_lua_nearest(lua_tostring(L, index), names);
    const char *seen = mus_lua_describe(L, index);
    if (near) mus_lua_error(L, "%s: no color %s (did you mean '%s'?)", what, seen, near);
    mus_lua_error(L, "%s must be {red, green, blue} from 0 to 1, \"#rrggbb\", or one of %s (got %s)", what,
                  mus_lua_push_list(L, names), seen);
}

void mus_lua_check_color(lua_State *L, int index, const char *what, float out[3]) {
    index = lua_absindex(L, index);
    if (lua_type(L, index) == LUA_TSTRING) {
        const char *text = lua_tostring(L, index);
        if (!read_hex(text, out) && !read_name(text, out)) refuse_color(L, index, what);
        return;
    }
    bool good = lua_type(L, index) == LUA_TTABLE && lua_rawlen(L, index) == 3;
    for (int k = 0; k < 3 && good; k++) {
        good = lua_rawgeti(L, index, k + 1) == LUA_TNUMBER && lua_tonumber(L, -1) >= 0 && lua_tonumber(L, -1) <= 1;
        if (good) out[k] = (float)lua_tonumber(L, -1);
        lua_pop(L, 1);
    }
    if (!good) refuse_color(L, index, what);
}

bool mus_lua_opt_color(lua_State *L, int index, const char *what, const char *field, float out[3]) {
    bool given = mus_lua_field(L, index, field) != LUA_TNIL;
    if (given) {
        const char *subject = lua_pushfstring(L, "%s: field '%s'", what, field);
        mus_lua_check_color(L, -2, subject, out);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return given;
}

static mus_texture check_texture(lua_State *L, const char *what, const char *word) {
    const char *names[MUS_TEXTURE_PICTURE + 1] = {NULL};
    for (int k = 0; k < MUS_TEXTURE_PICTURE; k++) names[k] = mus_texture_get_name((mus_texture)k);
    for (int k = 0; k < MUS_TEXTURE_PICTURE; k++)
        if (strcmp(word, names[k]) == 0) return (mus_texture)k;
    mus_lua_error(L, "%s: field 'texture' must be one of %s, or {picture = path} (got '%s')", what,
                  mus_lua_push_list(L, names), word);
    return MUS_TEXTURE_NONE;
}

static void read_picture(lua_State *L, int world, int value, const char *field, mus_look *look) {
    static const char *const keys[] = {"picture", "origin", "size", NULL};
    mus_lua_check_keys(L, value, field, keys);
    mus_lua_picture made;
    mus_lua_share_picture(L, world, value, field, &made);
    if (made.has_origin && !made.has_size) mus_lua_error(L, "%s: 'origin' needs 'size'", field);
    look->texture = MUS_TEXTURE_PICTURE;
    look->picture = made.picture;
    memcpy(look->picture_origin, made.origin, sizeof made.origin);
    memcpy(look->picture_size, made.size, sizeof made.size);
}

void mus_lua_read_look(lua_State *L, int world, int index, const char *what, mus_look *look) {
    look->has_color = mus_lua_opt_color(L, index, what, "color", look->color);
    look->has_back_color = mus_lua_opt_color(L, index, what, "back_color", look->back_color);
    look->has_texture_color = mus_lua_opt_color(L, index, what, "texture_color", look->texture_color);
    look->texture_size = mus_lua_opt_number(L, index, what, "texture_size", 0);
    if (mus_lua_field(L, index, "texture") == LUA_TTABLE) {
        const char *field = lua_pushfstring(L, "%s: field 'texture'", what);
        read_picture(L, world, lua_gettop(L) - 1, field, look);
        lua_pop(L, 2);
    } else {
        lua_pop(L, 1);
        const char *word = mus_lua_opt_string(L, index, what, "texture", NULL);
        if (word) look->texture = check_texture(L, what, word);
    }
    bool pattern = look->texture != MUS_TEXTURE_NONE && look->texture != MUS_TEXTURE_PICTURE;
    if (!pattern && (look->texture_size != 0 || look->has_texture_color))
        mus_lua_error(L, "%s: fields 'texture_size' and 'texture_color' are of a pattern; give its 'texture' too",
                      what);
}

void mus_lua_push_color(lua_State *L, bool given, const float color[3]) {
    if (!given) {
        lua_pushnil(L);
        return;
    }
    lua_createtable(L, 3, 0);
    for (int k = 0; k < 3; k++) {
        lua_pushnumber(L, floor(1e6 * (double)color[k] + 0.5) / 1e6); /* as it was given */
        lua_rawseti(L, -2, k + 1);
    }
}
