/* finite.c: numbers that are not finite or out of range, written into a world's arrays: reported when the hook that
 * wrote them ends, with the line of the script if it is known. Lines are recorded as arrays are written; the numbers
 * are checked once, after the hook. */
#include "binding.h"

#include <math.h>
#include <string.h>

static void take_place(mus_lua_place *place, const lua_Debug *at) {
    memcpy(place->source, at->short_src, sizeof place->source);
    place->line = at->currentline;
}

void mus_lua_note_write(lua_State *L, mus_lua_worldbox *box, mus_cloth_id id, int array, mus_lua_write write) {
    mus_lua_writes *w = &box->writes;
    lua_Debug at;
    w->several = w->several || (w->arrays && (w->cloth.index != id.index || w->cloth.generation != id.generation));
    w->cloth = id;
    w->arrays |= 1u << array;
    if (write == MUS_LUA_WRITE_FINITE) return;
    if (!mus_lua_find_caller(L, &at)) return;
    if (write == MUS_LUA_WRITE_BAD) {
        if (!w->has_bad) take_place(&w->bad, &at);
        w->has_bad = true;
        return;
    }
    for (int k = 0; k < w->place_count && k < MUS_LUA_WRITE_PLACES; k++)
        if (w->places[k].line == at.currentline && strcmp(w->places[k].source, at.short_src) == 0) return;
    if (w->place_count < MUS_LUA_WRITE_PLACES) take_place(&w->places[w->place_count], &at);
    w->place_count++;
}

/* Pushes "scene.lua:12". */
static void push_place(lua_State *L, const mus_lua_place *place) {
    lua_pushfstring(L, "%s:%d", place->source, place->line);
}

/* Pushes where it may have been written: a place for the start of the message, or nil; and a text for its end. */
static void push_places(lua_State *L, const mus_lua_writes *w) {
    if (w->has_bad || w->place_count == 1) {
        push_place(L, w->has_bad ? &w->bad : &w->places[0]);
        lua_pushliteral(L, "");
        return;
    }
    lua_pushnil(L);
    lua_pushliteral(L, "");
    for (int k = 0; k < w->place_count && k < MUS_LUA_WRITE_PLACES; k++) {
        lua_pushstring(L, k == 0 ? "; its arrays were written at " : " and ");
        push_place(L, &w->places[k]);
        lua_concat(L, 3);
    }
    if (w->place_count > MUS_LUA_WRITE_PLACES) {
        lua_pushliteral(L, " and elsewhere");
        lua_concat(L, 2);
    }
}

typedef struct quantity {
    const char *name, *bound, *unit;
    double most;
} quantity;

/* Raises with the hook's event and name; NULL: no hook, and the message begins with the present line of the script. */
static void refuse(lua_State *L, const mus_lua_writes *w, const char *cloth, const quantity *what, const double *row,
                   int32_t vertex, const char *event, const char *name) {
    luaL_checkstack(L, 12, NULL);
    push_places(L, w);
    if (isfinite(row[0]) && isfinite(row[1]) && isfinite(row[2]))
        lua_pushfstring(L, "cloth '%s': the %s vertex %d must lie within +-%s %s (got %f, %f, %f)", cloth, what->name,
                        (int)vertex + 1, what->bound, what->unit, row[0], row[1], row[2]);
    else
        lua_pushfstring(L, "cloth '%s': the %s vertex %d is not finite; write numbers only", cloth, what->name,
                        (int)vertex + 1);
    if (event) {
        bool hook = strcmp(event, "force") != 0 && strcmp(event, "script") != 0;
        lua_pushfstring(L, " (%s%s, %s)", hook ? "hook " : "", event, name ? name : "without a name");
        lua_concat(L, 2);
    }
    lua_pushvalue(L, -2);
    lua_concat(L, 2);
    if (lua_isnil(L, -3)) {
        /* A hook without a name is named by where it was written. */
        const char *colon = name ? strrchr(name, ':') : NULL;
        if (!event || !colon || strspn(colon + 1, "0123456789") != strlen(colon + 1))
            mus_lua_error(L, "%s", lua_tostring(L, -1));
        lua_pushstring(L, name);
        lua_replace(L, -4);
    }
    lua_pushfstring(L, "%s: %s", lua_tostring(L, -3), lua_tostring(L, -1));
    lua_error(L);
}

static void check_cloth(lua_State *L, const mus_lua_worldbox *box, const mus_lua_writes *w, mus_cloth_id id,
                        const char *event, const char *name) {
    static const quantity quantities[] = {{"position of", "1e9", "m", MUS_LARGEST_LENGTH},
                                          {"velocity of", "1e30", "m/s", MUS_LARGEST_VALUE},
                                          {"force on", "1e30", "N", MUS_LARGEST_VALUE}};
    int32_t count = mus_cloth_get_vertex_count(box->world, id);
    for (int array = 0; array < 3; array++) {
        if (!(w->arrays & 1u << array)) continue;
        const double *a = array == 0   ? mus_cloth_get_positions(box->world, id)
                          : array == 1 ? mus_cloth_get_velocities(box->world, id)
                                       : mus_cloth_get_forces(box->world, id);
        for (int32_t i = 0; a && i < count; i++) {
            const double *row = a + 3 * (size_t)i, most = quantities[array].most;
            if (!(fabs(row[0]) <= most && fabs(row[1]) <= most && fabs(row[2]) <= most))
                refuse(L, w, mus_cloth_get_name(box->world, id), &quantities[array], row, i, event, name);
        }
    }
}

void mus_lua_check_writes(lua_State *L, mus_lua_worldbox *box, const char *event, const char *name) {
    if (!box->writes.arrays) return;
    mus_lua_writes w = box->writes;
    mus_lua_forget_writes(box);
    if (!box->world) return;
    if (!w.several) {
        if (mus_cloth_is_valid(box->world, w.cloth)) check_cloth(L, box, &w, w.cloth, event, name);
        return;
    }
    for (int32_t k = 0; k < mus_world_get_cloth_count(box->world); k++)
        check_cloth(L, box, &w, mus_world_get_cloth(box->world, k), event, name);
}

void mus_lua_forget_writes(mus_lua_worldbox *box) {
    box->writes.arrays = 0;
    box->writes.several = box->writes.has_bad = false;
    box->writes.place_count = 0;
}
