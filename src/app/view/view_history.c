/* view_history.c: earlier moments of the window's scene: snapshots owned by Lua, of which the oldest are dropped
 * when they become too many or too large. */
#include "view/view.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_MOMENTS = 900 };
static const size_t MOST_BYTES = (size_t)256 << 20;
static const double MOMENTS_A_SECOND = 15; /* of simulated time */
static const char SCRIPT[] = "script";

/* ---- Taking ------------------------------------------------------------------------------------------------------ */

typedef struct capture {
    mus_snapshot *snapshot;
    int ref;
} capture;

/* world, snapshot: attaches the script's variables. */
static int attach_script(lua_State *L) {
    size_t size;
    const char *bytes = mus_lua_script_push(L, 1, &size);
    mus_lua_check_status(L, mus_snapshot_set_attachment(lua_touserdata(L, 2), SCRIPT, bytes, size));
    return 0;
}

/* world, capture. Variables of the script that cannot be saved keep their present values in a move back. */
static int capture_state(lua_State *L) {
    capture *c = lua_touserdata(L, 2);
    c->snapshot = mus_lua_world_snapshot(L, 1);
    if (!mus_lua_world_changed(L, 1)) {
        lua_pushcfunction(L, attach_script);
        lua_pushvalue(L, 1);
        lua_pushlightuserdata(L, c->snapshot);
        if (lua_pcall(L, 2, 0, 0) != LUA_OK) lua_pop(L, 1);
    }
    c->ref = luaL_ref(L, LUA_REGISTRYINDEX);
    return 0;
}

static int note_script(lua_State *L) {
    mus_lua_script_note(L, 1);
    return 0;
}

/* world, snapshot */
static int bring_back(lua_State *L) {
    const mus_snapshot *snapshot = lua_touserdata(L, 2);
    size_t size;
    const void *script = mus_snapshot_get_attachment(snapshot, SCRIPT, &size);
    mus_lua_world_restore(L, 1, snapshot);
    if (script && !mus_lua_world_changed(L, 1)) mus_lua_script_restore(L, 1, script, size);
    return 0;
}

/* Calls function(world, argument); on failure the message, without its traceback, is in `note`. */
static bool call_with_world(app_scene *scene, lua_CFunction function, void *argument, char *note, size_t size) {
    lua_State *L = scene->L;
    lua_pushcfunction(L, function);
    lua_pushvalue(L, scene->world_index);
    lua_pushlightuserdata(L, argument);
    if (lua_pcall(L, 2, 0, 0) == LUA_OK) return true;
    const char *message = lua_tostring(L, -1);
    if (!message) message = "error object is not a string";
    if (note) snprintf(note, size, "%.*s", (int)strcspn(message, "\n"), message);
    lua_pop(L, 1);
    return false;
}

/* ---- The ring ---------------------------------------------------------------------------------------------------- */

static void drop_moment(view_scene *v, int k) {
    view_history *h = &v->history;
    lua_rawgeti(v->scene.L, LUA_REGISTRYINDEX, h->moments[k].ref);
    mus_lua_snapshot_free(v->scene.L, -1); /* the collector does not see its memory */
    lua_pop(v->scene.L, 1);
    luaL_unref(v->scene.L, LUA_REGISTRYINDEX, h->moments[k].ref);
    h->bytes -= h->moments[k].bytes;
    memmove(h->moments + k, h->moments + k + 1, (size_t)(--h->count - k) * sizeof *h->moments);
}

static bool add_moment(view_scene *v) {
    view_history *h = &v->history;
    if (!h->moments && !(h->moments = malloc(MOST_MOMENTS * sizeof *h->moments))) return false;
    capture c = {0};
    if (!call_with_world(&v->scene, capture_state, &c, NULL, 0)) return false;
    while (h->count > 0 && (h->count == MOST_MOMENTS || h->bytes > MOST_BYTES)) drop_moment(v, 0);
    size_t bytes = mus_snapshot_get_size(c.snapshot);
    h->moments[h->count++] = (view_moment){c.ref, c.snapshot, v->scene.frame, bytes};
    h->bytes += bytes;
    return true;
}

void view_history_begin(view_scene *v) {
    v->history = (view_history){.moments = v->history.moments, .at = -1};
    if (!v->scene.world) return;
    double every = v->scene.fps / MOMENTS_A_SECOND;
    v->history.every = every > 1 ? mus_lua_whole(every) : 1;
    call_with_world(&v->scene, note_script, NULL, NULL, 0);
    add_moment(v);
}

/* Playing from an earlier moment drops the later ones. */
static void forget_future(view_scene *v) {
    view_history *h = &v->history;
    if (h->at < 0) return;
    while (h->count > h->at + 1) drop_moment(v, h->count - 1);
    h->at = -1;
}

void view_history_note(view_scene *v) {
    forget_future(v);
    if (v->scene.world && v->history.every > 0 && v->scene.frame % v->history.every == 0) add_moment(v);
}

void view_history_moved(view_scene *v) {
    view_history *h = &v->history;
    forget_future(v);
    while (h->count > 0 && h->moments[h->count - 1].frame >= v->scene.frame) drop_moment(v, h->count - 1);
    add_moment(v);
}

/* Ends the present, which becomes the newest moment, to return to it; false: there is no moment. */
static bool enter_history(view_scene *v, char *note, size_t size) {
    view_history *h = &v->history;
    if (!v->scene.world || h->count == 0) return snprintf(note, size, "there is no earlier state"), false;
    if (h->at >= 0) return true;
    if (!v->broken && h->moments[h->count - 1].frame != v->scene.frame) add_moment(v);
    h->at = h->count - 1;
    return true;
}

static bool show_moment(view_scene *v, int index, char *note, size_t size) {
    view_history *h = &v->history;
    view_moment *m = &h->moments[index];
    if (!call_with_world(&v->scene, bring_back, m->snapshot, note, size)) return false;
    h->at = index;
    v->scene.frame = m->frame;
    v->broken = v->checks = v->finished = false;
    free(v->error);
    v->error = NULL;
    mus_world_get_stats(v->scene.world, &v->stats);
    v->time = mus_world_get_time(v->scene.world);
    v->audit = (view_audit){.frame = -1};
    snprintf(note, size, "frame %lld, moment %d of %d; space continues from here", (long long)m->frame, index + 1,
             h->count);
    return true;
}

bool view_history_go(view_scene *v, int steps, char *note, size_t size) {
    view_history *h = &v->history;
    bool present = h->at < 0;
    if (!enter_history(v, note, size)) return false;
    if (present && v->broken && steps < 0) steps++; /* the newest moment is already before the failure */
    int64_t to = (int64_t)h->at + steps;
    return show_moment(v, to < 0 ? 0 : to >= h->count ? h->count - 1 : (int)to, note, size);
}

bool view_history_seek(view_scene *v, int64_t frame, char *note, size_t size) {
    view_history *h = &v->history;
    if (!enter_history(v, note, size)) return false;
    int nearest = 0;
    for (int k = 1; k < h->count; k++)
        if (llabs(h->moments[k].frame - frame) < llabs(h->moments[nearest].frame - frame)) nearest = k;
    return show_moment(v, nearest, note, size);
}

void view_history_clear(view_scene *v) {
    free(v->history.moments);
    v->history = (view_history){.at = -1};
}

/* ---- From one scene to the next ---------------------------------------------------------------------------------- */

static int continue_from(lua_State *L) {
    mus_lua_world_continue(L, 1, lua_touserdata(L, 2));
    return 0;
}

bool view_history_continue(view_scene *v, app_scene *fresh, char *note, size_t size) {
    bool wanted = mus_lua_world_keeps(fresh->L, fresh->world_index) || v->history.at >= 0;
    if (!wanted || !v->open || !v->scene.world || !fresh->world || v->scene.frame == 0) return false;
    capture c = {0};
    char why[200] = "";
    bool ok = call_with_world(&v->scene, capture_state, &c, why, sizeof why);
    if (ok) ok = call_with_world(fresh, continue_from, c.snapshot, why, sizeof why);
    if (ok) {
        fresh->frame = v->scene.frame;
        snprintf(note, size, "continues from frame %lld", (long long)fresh->frame);
    } else {
        snprintf(note, size, "restarted, because: %s", why);
    }
    return ok;
}
