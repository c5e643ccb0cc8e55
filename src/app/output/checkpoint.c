/* checkpoint.c: DIR/checkpoint.muslin: the snapshot from which a run continues with the same results. Beside the
 * world it contains the manifest so far, so that a resumed run ends with the same frames and the same manifest. */
#include "host.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char SECTION[] = "run", SCRIPT[] = "script";

static char *path_in(const char *folder) {
    return app_format("%s/checkpoint.muslin", folder);
}

bool app_checkpoint_there(const char *folder) {
    char *path = path_in(folder);
    bool there = path && access(path, F_OK) == 0;
    free(path);
    return there;
}

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

static json_t *tally_json(const app_tally *t) {
    return json_pack("{s:f, s:f, s:I, s:I, s:I, s:I, s:o}", "worst_ms", t->worst_ms, "total_ms", t->total_ms,
                     "bad_frames", (json_int_t)t->bad_frames, "first_bad_frame", (json_int_t)t->first_bad_frame,
                     "intersections", (json_int_t)t->intersections, "inside", (json_int_t)t->inside, "first_bad",
                     t->first_bad ? json_string(t->first_bad) : json_null());
}

static json_t *camera_json(const app_output *output) {
    float numbers[APP_CAMERA_NUMBERS];
    if (!app_output_get_camera(output, numbers)) return json_null();
    json_t *list = json_array();
    for (int k = 0; k < APP_CAMERA_NUMBERS; k++) json_array_append_new(list, json_real((double)numbers[k]));
    return list;
}

/* Frame, eye, target and angle of each key. */
enum { KEY_NUMBERS = 8 };

static json_t *keys_json(const app_camera_keys *keys) {
    json_t *list = json_array();
    for (int64_t k = 0; k < keys->count; k++) {
        const app_camera_key *key = &keys->keys[k];
        json_t *numbers = json_array();
        json_array_append_new(numbers, json_integer(key->frame));
        for (int i = 0; i < 3; i++) json_array_append_new(numbers, json_real((double)key->eye[i]));
        for (int i = 0; i < 3; i++) json_array_append_new(numbers, json_real((double)key->target[i]));
        json_array_append_new(numbers, json_real((double)key->fov));
        json_array_append_new(list, numbers);
    }
    return list;
}

typedef struct task {
    const char *path, *text;
    size_t size;
    mus_snapshot *snapshot; /* resuming */
    bool refused;           /* the script's variables contain a value that cannot be saved */
} task;

static int write_snapshot(lua_State *L) {
    task *t = lua_touserdata(L, 2);
    mus_snapshot *snapshot = mus_lua_world_snapshot(L, 1);
    size_t size;
    mus_lua_check_status(L, mus_snapshot_set_attachment(snapshot, SECTION, t->text, t->size));
    t->refused = true;
    const char *script = mus_lua_script_push(L, 1, &size);
    t->refused = false;
    mus_lua_check_status(L, mus_snapshot_set_attachment(snapshot, SCRIPT, script, size));
    mus_lua_check_status(L, mus_snapshot_save(snapshot, t->path));
    return 0;
}

static bool call_protected(app_scene *scene, lua_CFunction function, task *t) {
    lua_State *L = scene->L;
    lua_pushcfunction(L, function);
    lua_pushvalue(L, scene->world_index);
    lua_pushlightuserdata(L, t);
    if (lua_pcall(L, 2, 0, 0) == LUA_OK) return true;
    const char *message = lua_tostring(L, -1);
    mus_fail(MUS_STATUS_IO, "%s", message ? message : "unknown error");
    lua_pop(L, 1);
    return false;
}

static int note_script(lua_State *L) {
    mus_lua_script_note(L, 1);
    return 0;
}

bool app_checkpoint_start(app_scene *scene) {
    return call_protected(scene, note_script, NULL);
}

bool app_checkpoint_write(const char *folder, app_scene *scene, const app_manifest *manifest, app_output *output,
                          const app_tally *tally, bool *refused) {
    if (!app_output_flush(output, scene->frame)) return false;
    json_t *run = app_manifest_save(manifest);
    json_object_set_new(run, "frame", json_integer(scene->frame));
    json_object_set_new(run, "stopped", json_boolean(scene->stopped));
    json_object_set_new(run, "tally", tally_json(tally));
    json_object_set_new(run, "camera", camera_json(output));
    json_object_set_new(run, "cameras", keys_json(app_output_get_keys(output)));
    json_object_set_new(run, "up", json_string(app_output_get_up(output)));
    char *text = json_dumps(run, JSON_COMPACT | JSON_REAL_PRECISION(17)), *path = path_in(folder);
    json_decref(run);
    task t = {path, text, text ? strlen(text) : 0, NULL, false};
    bool ok = text && path && call_protected(scene, write_snapshot, &t);
    if (!text || !path) mus_fail(MUS_STATUS_NO_MEMORY, "no memory for the checkpoint");
    *refused = t.refused;
    free(text);
    free(path);
    return ok;
}

/* ---- Resuming ---------------------------------------------------------------------------------------------------- */

static int restore_snapshot(lua_State *L) {
    const task *t = lua_touserdata(L, 2);
    size_t size;
    const void *script = mus_snapshot_get_attachment(t->snapshot, SCRIPT, &size);
    mus_lua_script_note(L, 1);
    mus_lua_world_restore(L, 1, t->snapshot); /* replays world:script; the variables come after it */
    mus_lua_script_restore(L, 1, script, size);
    return 0;
}

static bool take_tally(json_t *run, app_tally *t) {
    json_t *tally = json_object_get(run, "tally");
    json_int_t bad = 0, first = 0, crossings = 0, inside = 0;
    if (!tally ||
        json_unpack(tally, "{s:F, s:F, s:I, s:I, s:I, s:I}", "worst_ms", &t->worst_ms, "total_ms", &t->total_ms,
                    "bad_frames", &bad, "first_bad_frame", &first, "intersections", &crossings, "inside", &inside) != 0)
        return false;
    t->bad_frames = bad, t->first_bad_frame = first, t->intersections = crossings, t->inside = inside;
    const char *first_bad = json_string_value(json_object_get(tally, "first_bad"));
    t->first_bad = first_bad ? strdup(first_bad) : NULL;
    return true;
}

static bool take_camera(const json_t *run, app_output *output) {
    const json_t *list = json_object_get(run, "camera");
    float numbers[APP_CAMERA_NUMBERS];
    if (json_is_null(list)) return true;
    if (json_array_size(list) != APP_CAMERA_NUMBERS) return false;
    for (size_t k = 0; k < APP_CAMERA_NUMBERS; k++) numbers[k] = (float)json_number_value(json_array_get(list, k));
    app_output_set_camera(output, numbers);
    return true;
}

/* Those of the frames before, where the checkpoint has them. */
static bool take_keys(const json_t *run, app_camera_keys *keys) {
    json_t *list = json_object_get(run, "cameras"), *numbers;
    size_t k;
    keys->count = 0;
    json_array_foreach(list, k, numbers) {
        app_camera_key key = {.frame = json_integer_value(json_array_get(numbers, 0))};
        if (json_array_size(numbers) != KEY_NUMBERS) return false;
        for (size_t i = 0; i < 3; i++) {
            key.eye[i] = (float)json_number_value(json_array_get(numbers, 1 + i));
            key.target[i] = (float)json_number_value(json_array_get(numbers, 4 + i));
        }
        key.fov = (float)json_number_value(json_array_get(numbers, 7));
        if (!app_camera_keys_push(keys, &key)) return false;
    }
    return true;
}

/* Frames of one format must have one axis up. NULL: no such format. */
static bool check_up(const json_t *run, const app_output *output) {
    const char *before = json_string_value(json_object_get(run, "up")), *now = app_output_get_up(output);
    if (!before || !now || strcmp(before, now) == 0) return true;
    mus_fail(MUS_STATUS_INVALID, "the frames before it have %s up in ply and stl: give --up %s", before, before);
    return false;
}

static bool resume(app_scene *scene, app_manifest *manifest, app_output *output, app_tally *tally, int64_t last_frame,
                   json_t *run, task *t) {
    const json_t *number = json_object_get(run, "frame");
    int64_t frame = json_integer_value(number);
    if (!json_is_integer(number) || frame < 0) {
        mus_fail(MUS_STATUS_FORMAT, "it is not a checkpoint of muslin run");
        return false;
    }
    if (frame > last_frame) {
        mus_fail(MUS_STATUS_INVALID, "it is of frame %lld, and this run ends at frame %lld", (long long)frame,
                 (long long)last_frame);
        return false;
    }
    if (!app_output_check_frames(output, scene->world, frame) || !app_manifest_resumable(manifest, run) ||
        !check_up(run, output))
        return false;
    if (!call_protected(scene, restore_snapshot, t)) return false;
    if (!app_manifest_resume(manifest, run, frame, mus_world_get_hash(scene->world)) || !take_tally(run, tally) ||
        !take_camera(run, output) || !take_keys(run, app_output_get_keys(output))) {
        mus_fail(MUS_STATUS_FORMAT, "its part of the run is malformed");
        return false;
    }
    scene->frame = frame;
    scene->stopped = json_is_true(json_object_get(run, "stopped"));
    return true;
}

bool app_checkpoint_resume(const char *folder, app_scene *scene, app_manifest *manifest, app_output *output,
                           app_tally *tally, int64_t last_frame) {
    char *path = path_in(folder);
    task t = {.path = path};
    if (!path) {
        mus_fail(MUS_STATUS_NO_MEMORY, "no memory for the checkpoint");
        return false;
    }
    bool ok = mus_snapshot_load(path, &t.snapshot) == MUS_STATUS_OK, loaded = ok;
    if (ok) {
        size_t size;
        const char *text = mus_snapshot_get_attachment(t.snapshot, SECTION, &size);
        json_t *run = text ? json_loadb(text, size, 0, NULL) : NULL;
        ok = resume(scene, manifest, output, tally, last_frame, run, &t);
        json_decref(run);
    }
    if (!ok) {
        char *why = strdup(mus_get_error_message());
        mus_fail(MUS_STATUS_INVALID, "--resume: %s%s%s; without --resume the run starts at frame 0", loaded ? path : "",
                 loaded ? ": " : "", why ? why : "");
        free(why);
    }
    mus_snapshot_destroy(t.snapshot);
    free(path);
    return ok;
}
