/* failure.c: files of a failed scenario: the state of every world it made, and a picture of it. */
#include "test/suite.h"
#include "cli/json.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 960, HEIGHT = 720, MOST_WORLDS = 4 };

/* A name as a file name: words with one dash between them. */
static void put_words(FILE *out, const char *text, size_t size) {
    bool dash = false;
    size_t put = 0;
    for (size_t k = 0; k < size && put < 80; k++) {
        bool word = isalnum((unsigned char)text[k]) || text[k] == '_';
        if (word) put += (size_t)(dash && put > 0) + 1;
        if (word && dash && put > 1) fputc('-', out);
        if (word) fputc(text[k], out);
        dash = !word;
    }
}

/* FOLDER/FILE-NAME-K without an ending; K from the second world on. */
static char *base_path(const char *folder, const char *file, const char *name, int64_t k) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
    size_t length = strlen(base);
    if (length > 4 && strcmp(base + length - 4, ".lua") == 0) length -= 4;
    fprintf(out, "%s/", folder);
    put_words(out, base, length);
    fputc('-', out);
    put_words(out, name, strlen(name));
    if (k > 1) fprintf(out, "-%lld", (long long)k);
    fclose(out);
    return text;
}

static int save_state(lua_State *L) {
    mus_snapshot *snapshot = mus_lua_world_snapshot(L, 1);
    mus_lua_check_status(L, mus_snapshot_save(snapshot, lua_tostring(L, 2)));
    return 0;
}

static void print_line(FILE *out, const char *what, const char *path, const char *problem) {
    if (problem)
        fprintf(out, "%s: could not be saved: %.*s\n", what, (int)strcspn(problem, "\n"), problem);
    else
        fprintf(out, "%s: %s\n", what, path);
}

/* The world is on top of the stack. */
static void save_world(lua_State *L, mus_world *world, const char *base, FILE *out, json_t *pictures) {
    char *state = app_format("%s.muslin", base), *picture = app_format("%s.png", base);
    if (state && picture) {
        int world_index = lua_gettop(L);
        lua_pushcfunction(L, save_state);
        lua_pushvalue(L, world_index);
        lua_pushstring(L, state);
        bool ok = lua_pcall(L, 2, 0, 0) == LUA_OK;
        print_line(out, "state, for muslin.load", state,
                   ok                    ? NULL
                   : lua_isstring(L, -1) ? lua_tostring(L, -1)
                                         : "unknown error");
        if (!ok) lua_pop(L, 1);

        app_renderer *renderer = app_renderer_create(true);
        const mus_lua_drawing *drawing = NULL;
        if (renderer && app_fire_draw(L, world_index, &drawing) != MUS_STATUS_OK) drawing = NULL;
        const mus_lua_view *view = NULL;
        if (app_read_view(L, world_index, &view) != MUS_STATUS_OK) view = NULL;
        app_camera camera =
            view && view->has_camera ? app_camera_of_view(view) : app_camera_fit(world, (float)WIDTH / HEIGHT);
        if (renderer) app_renderer_set_view(renderer, view);
        ok = renderer && app_renderer_png(renderer, world, drawing, &camera, WIDTH, HEIGHT, picture) == MUS_STATUS_OK;
        print_line(out, "picture", picture, ok ? NULL : mus_get_error_message());
        if (ok) json_array_append_new(pictures, app_json_text(picture));
        if (renderer) app_renderer_destroy(renderer);
    }
    free(state);
    free(picture);
}

/* The world is on top of the stack; a closed one is skipped. */
static void save(lua_State *L, const char *folder, const char *file, const char *name, int64_t *saved, FILE *out,
                 json_t *pictures) {
    mus_world *world = mus_lua_test_world(L, -1);
    char *base = world ? base_path(folder, file, name, ++*saved) : NULL;
    if (base && !app_make_folder(folder))
        print_line(out, "state and picture", folder, strerror(errno));
    else if (base)
        save_world(L, world, base, out, pictures);
    free(base);
}

static int push_failed(lua_State *L) {
    lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_getfield(L, -1, MUS_LUA_KIT);
    lua_getfield(L, -1, "release");
    lua_getfield(L, -2, "failed");
    return 2;
}

char *app_failure_save(app_scene *scene, const app_options *options, const char *name, json_t *pictures) {
    lua_State *L = scene->L;
    int top = lua_gettop(L);
    const char *folder = options->out ? options->out : "out/failed";
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    int64_t saved = 0;
    if (out && scene->world) {
        lua_pushvalue(L, scene->world_index);
        save(L, folder, options->scene, name, &saved, out, pictures);
    }
    lua_settop(L, top);
    lua_pushcfunction(L, push_failed);
    if (out && lua_pcall(L, 0, 2, 0) == LUA_OK && lua_istable(L, -1)) {
        for (lua_Integer k = 1; lua_rawgeti(L, -1, k) != LUA_TNIL && saved < MOST_WORLDS; k++) {
            save(L, folder, options->scene, name, &saved, out, pictures);
            lua_pop(L, 1);
        }
        lua_settop(L, top + 1);
        lua_pcall(L, 0, 0, 0);
    }
    lua_settop(L, top);
    if (out) fclose(out);
    if (text && *text) return text;
    free(text);
    return NULL;
}
