/* manifest.c: description and outcome of a run, as manifest.json and log.csv in its folder. */
#include "host.h"
#include "cli/json.h"
#include "muslin/host.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One logged value; the text of each name is stored once. */
typedef struct log_value {
    int name;
    int64_t frame;
    double time, value;
} log_value;

struct app_manifest {
    json_t *root, *frames, *resumed; /* the frames after which the run was resumed */
    mus_pose *poses;                 /* of obstacles at the start: a frame stores only those that moved */
    int32_t pose_count;
    char **log_names;
    int log_name_count;
    log_value *log;
    int64_t log_count, log_capacity;
};

static json_t *reals(const double *x, int count) {
    json_t *list = json_array();
    for (int k = 0; k < count; k++) json_array_append_new(list, real(x[k]));
    return list;
}

app_manifest *app_manifest_create(const app_options *options) {
    app_manifest *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    mus_build build = mus_get_build();
    m->root = json_object();
    m->frames = json_array();
    m->resumed = json_array();
    json_object_set_new(m->root, "muslin", text_or_null(build.version));
    json_object_set_new(m->root, "compiler", text_or_null(build.compiler));
    json_object_set_new(m->root, "cpu", text_or_null(build.cpu));
    json_object_set_new(m->root, "simd", text_or_null(build.simd));
    json_object_set_new(m->root, "lua", json_string(LUA_RELEASE));
    json_object_set_new(m->root, "processors", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));

    json_t *arguments = json_array();
    for (int k = 0; k < options->script_arg_count; k++)
        json_array_append_new(arguments, text_or_null(options->script_args[k]));
    json_t *given = json_object(); /* values of the command line; null: the script's or the default */
    json_object_set_new(given, "frames", options->frames >= 0 ? json_integer(options->frames) : json_null());
    json_object_set_new(given, "seconds", options->seconds >= 0 ? real(options->seconds) : json_null());
    json_object_set_new(given, "format", text_or_null(options->format));
    json_object_set_new(given, "up", json_string(options->z_up ? "z" : "y"));
    json_object_set_new(given, "planes", json_boolean(options->planes));
    json_object_set_new(given, "pipeline", text_or_null(options->pipeline));
    json_object_set_new(given, "threads", options->threads >= 0 ? json_integer(options->threads) : json_null());
    json_object_set_new(given, "seed", options->seed_given ? unsigned_integer(options->seed) : json_null());
    json_object_set_new(given, "audit", json_boolean(options->audit));
    json_object_set_new(given, "no_sleep", json_boolean(options->no_sleep));
    json_object_set_new(given, "trusted", json_boolean(options->trusted));
    json_object_set_new(given, "checkpoint_every",
                        options->checkpoint_every > 0 ? json_integer(options->checkpoint_every) : json_null());
    json_object_set_new(given, "time_limit", options->time_limit > 0 ? real(options->time_limit) : json_null());
    if (options->sweep_case) json_object_set(m->root, "case", (json_t *)options->sweep_case);
    app_json_set_path(m->root, "script", options->scene);
    json_object_set_new(m->root, "arguments", arguments);
    json_object_set_new(m->root, "options", given);
    json_object_set_new(m->root, "files", json_array());
    app_manifest_exit(m, -1, "running", NULL);
    return m;
}

/* ---- The scene --------------------------------------------------------------------------------------------------- */

static json_t *material_json(const mus_material *m) {
    json_t *o = json_object();
    json_object_set_new(o, "name", text_or_null(m->name));
    json_object_set_new(o, "model", json_string(mus_material_model_get_name(m->model)));
    if (m->model == MUS_MODEL_MEASURED) json_object_set_new(o, "fabric", json_string(mus_fabric_get(m->fabric)->name));
    if (m->model == MUS_MODEL_STVK || m->model == MUS_MODEL_NEO_HOOKEAN || m->model == MUS_MODEL_MEASURED)
        json_object_set_new(o, "bending_model", json_string(m->bending_quadratic ? "quadratic" : "hinge"));
    for (int k = 0; k < mus_material_get_constant_count(); k++)
        if (mus_material_uses_constant(m, k))
            json_object_set_new(o, mus_material_get_constant_name(k), real(mus_material_get_constant(m, k)));
    return o;
}

static void set_surface(json_t *o, double thickness, double friction, double restitution) {
    json_object_set_new(o, "thickness", real(thickness));
    json_object_set_new(o, "friction", real(friction));
    json_object_set_new(o, "restitution", real(restitution));
}

static json_t *cloth_json(const mus_world *world, mus_cloth_id id) {
    json_t *o = json_object();
    mus_material material;
    double thickness = 0, friction = 0, restitution = 0;
    json_object_set_new(o, "name", text_or_null(mus_cloth_get_name(world, id)));
    json_object_set_new(o, "vertices", json_integer(mus_cloth_get_vertex_count(world, id)));
    json_object_set_new(o, "faces", json_integer(mus_cloth_get_face_count(world, id)));
    if (mus_cloth_get_surface(world, id, &thickness, &friction, &restitution) == MUS_STATUS_OK)
        set_surface(o, thickness, friction, restitution);
    if (mus_cloth_get_material(world, id, &material) == MUS_STATUS_OK)
        json_object_set_new(o, "material", material_json(&material));
    return o;
}

static json_t *obstacle_json(mus_world *world, mus_obstacle_id id) {
    json_t *o = json_object();
    mus_obstacle_def def;
    mus_pose pose;
    json_object_set_new(o, "name", text_or_null(mus_obstacle_get_name(world, id)));
    if (mus_obstacle_get_def(world, id, &def) != MUS_STATUS_OK) return o;
    switch (def.shape) {
    case MUS_SHAPE_MESH: {
        const mus_mesh *mesh = mus_obstacle_get_surface_mesh(world, id);
        json_object_set_new(o, "shape", json_string("mesh"));
        json_object_set_new(o, "vertices", json_integer(mesh ? mus_mesh_get_vertex_count(mesh) : 0));
        json_object_set_new(o, "faces", json_integer(mesh ? mus_mesh_get_face_count(mesh) : 0));
        break;
    }
    case MUS_SHAPE_PLANE:
        json_object_set_new(o, "shape", json_string("plane"));
        json_object_set_new(o, "normal", reals(def.normal, 3));
        break;
    case MUS_SHAPE_SPHERE:
        json_object_set_new(o, "shape", json_string("sphere"));
        json_object_set_new(o, "radius", real(def.radius));
        break;
    case MUS_SHAPE_BOX:
        json_object_set_new(o, "shape", json_string("box"));
        json_object_set_new(o, "size", reals(def.size, 3));
        break;
    case MUS_SHAPE_CAPSULE:
    case MUS_SHAPE_CYLINDER:
        json_object_set_new(o, "shape", json_string(def.shape == MUS_SHAPE_CAPSULE ? "capsule" : "cylinder"));
        json_object_set_new(o, "radius", real(def.radius));
        json_object_set_new(o, "length", real(def.length));
        break;
    }
    if (mus_obstacle_get_pose(world, id, &pose) == MUS_STATUS_OK) {
        json_object_set_new(o, "position", reals(pose.position, 3));
        json_object_set_new(o, "rotation", reals(pose.rotation, 4));
    }
    set_surface(o, def.thickness, def.friction, def.restitution);
    return o;
}

void app_manifest_scene(app_manifest *m, const app_scene *scene, const app_output *output) {
    mus_world *world = scene->world;
    const mus_world_def *def = mus_world_get_def(world);
    json_object_set_new(m->root, "lua_hash", json_string(mus_lua_sandbox_hash_is_fixed(scene->L) ? "fixed" : "random"));
    json_object_set_new(m->root, "threads", json_integer(def->threads));
    json_object_set_new(m->root, "seed", unsigned_integer(def->seed));
    json_object_set_new(m->root, "sleep", json_boolean(def->sleep));
    json_object_set_new(m->root, "fps", real(def->fps));
    json_object_set_new(m->root, "step_size", real(mus_world_get_step_size(world)));
    json_object_set_new(m->root, "steps_per_frame", json_integer(mus_world_get_steps_per_frame(world)));
    json_object_set_new(m->root, "gravity", reals(def->gravity, 3));
    json_object_set_new(m->root, "wind", reals(def->wind, 3));
    json_object_set_new(m->root, "air_density", real(def->air_density));

    json_t *pipeline = json_object();
    json_object_set_new(pipeline, "integrator", text_or_null(def->pipeline.integrator));
    json_object_set_new(pipeline, "broad", text_or_null(def->pipeline.broad));
    json_object_set_new(pipeline, "narrow", text_or_null(def->pipeline.narrow));
    json_object_set_new(pipeline, "response", text_or_null(def->pipeline.response));
    json_object_set_new(pipeline, "failsafe", text_or_null(def->pipeline.failsafe));
    json_object_set_new(pipeline, "strain", text_or_null(def->pipeline.strain));
    json_object_set_new(pipeline, "internal", text_or_null(def->pipeline.internal));
    json_object_set_new(m->root, "pipeline", pipeline);

    json_t *cloths = json_array(), *obstacles = json_array(), *formats = json_array();
    for (int32_t k = 0; k < mus_world_get_cloth_count(world); k++)
        json_array_append_new(cloths, cloth_json(world, mus_world_get_cloth(world, k)));
    int32_t count = mus_world_get_obstacle_count(world);
    m->poses = calloc((size_t)count + 1, sizeof *m->poses);
    m->pose_count = m->poses ? count : 0;
    for (int32_t k = 0; k < count; k++) {
        mus_obstacle_id id = mus_world_get_obstacle(world, k);
        json_array_append_new(obstacles, obstacle_json(world, id));
        if (k < m->pose_count) mus_obstacle_get_pose(world, id, &m->poses[k]);
    }
    for (int k = 0; output && k < app_output_format_count(output); k++)
        json_array_append_new(formats, json_string(app_output_format_name(output, k)));
    json_object_set_new(m->root, "cloths", cloths);
    json_object_set_new(m->root, "obstacles", obstacles);
    json_object_set_new(m->root, "formats", formats);
}

/* Hash of a file's bytes; false when it cannot be read. */
bool app_file_hash(const char *path, uint64_t *hash) {
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    char *bytes = NULL;
    size_t size = 0, capacity = 0;
    bool ok = true;
    for (;;) {
        if (size == capacity) {
            capacity = capacity ? 2 * capacity : 1 << 16;
            char *grown = realloc(bytes, capacity);
            if (!grown) {
                ok = false;
                break;
            }
            bytes = grown;
        }
        size_t n = fread(bytes + size, 1, capacity - size, file);
        if (n == 0) break;
        size += n;
    }
    ok = ok && !ferror(file);
    if (ok) *hash = mus_hash_bytes(bytes, size);
    free(bytes);
    fclose(file);
    return ok;
}

static int push_files(lua_State *L) {
    mus_lua_sandbox_push_files(L);
    return 1;
}

static bool is_known_file(const json_t *files, const char *path) {
    for (size_t k = 0; k < json_array_size(files); k++) {
        char *other = app_json_path(json_array_get(files, k), "path");
        bool same = other && strcmp(other, path) == 0;
        free(other);
        if (same) return true;
    }
    return false;
}

/* Keeps the first hash of a file, which may be edited during the run. */
void app_manifest_files(app_manifest *m, lua_State *L) {
    json_t *files = json_object_get(m->root, "files");
    lua_pushcfunction(L, push_files);
    if (lua_pcall(L, 0, 1, 0) == LUA_OK && lua_istable(L, -1)) { /* an interrupted state cannot be called */
        for (lua_Integer k = 1; lua_rawgeti(L, -1, k) == LUA_TSTRING; k++) {
            const char *path = lua_tostring(L, -1);
            uint64_t hash = 0;
            if (!is_known_file(files, path)) {
                bool known = app_file_hash(path, &hash);
                json_t *entry = json_object();
                app_json_set_path(entry, "path", path);
                json_object_set_new(entry, "hash", known ? hash_text(hash) : json_null());
                json_array_append_new(files, entry);
            }
            lua_pop(L, 1);
        }
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

const json_t *app_manifest_root(const app_manifest *m) {
    return m->root;
}

/* ---- Frames and logged values ------------------------------------------------------------------------------------ */

static json_t *frame_json(const app_frame *f) {
    json_t *o = json_object();
    json_object_set_new(o, "frame", json_integer(f->frame));
    json_object_set_new(o, "time", real(f->time));
    json_object_set_new(o, "step_ms", real(f->step_ms));
    json_object_set_new(o, "contacts", json_integer(f->contacts));
    json_object_set_new(o, "iterations", json_integer(f->iterations));
    json_object_set_new(o, "intersections", f->intersections >= 0 ? json_integer(f->intersections) : json_null());
    if (f->intersections >= 0) json_object_set_new(o, "inside", json_integer(f->inside));
    json_object_set_new(o, "hash", hash_text(f->hash));
    return o;
}

void app_manifest_hooks(app_manifest *m, lua_State *L, int world_index) {
    json_object_set_new(m->root, "hooks", app_hooks_json(L, world_index));
}

static bool same_pose(const mus_pose *a, const mus_pose *b) {
    bool same = true;
    for (int k = 0; k < 3; k++) same = same && a->position[k] == b->position[k];
    for (int k = 0; k < 4; k++) same = same && a->rotation[k] == b->rotation[k];
    return same;
}

bool app_manifest_frame(app_manifest *m, const app_scene *scene, const app_frame *frame) {
    json_t *o = frame_json(frame), *poses = NULL;
    if (!json_object_get(m->root, "start")) json_object_set_new(m->root, "start", app_start_json(scene->world));
    for (int32_t k = 0; k < m->pose_count && k < mus_world_get_obstacle_count(scene->world); k++) {
        mus_obstacle_id id = mus_world_get_obstacle(scene->world, k);
        mus_pose pose;
        if (mus_obstacle_get_pose(scene->world, id, &pose) != MUS_STATUS_OK) continue;
        if (same_pose(&pose, &m->poses[k])) continue;
        if (!poses) poses = json_object();
        json_object_set_new(
            poses, mus_obstacle_get_name(scene->world, id),
            json_pack("{s:o, s:o}", "position", reals(pose.position, 3), "rotation", reals(pose.rotation, 4)));
    }
    if (poses) json_object_set_new(o, "poses", poses);
    return json_array_append_new(m->frames, o) == 0;
}

void app_frame_print_json(const app_frame *frame) {
    json_t *o = frame_json(frame);
    json_object_set_new(o, "hooks_ms", real(frame->hooks_ms));
    json_dumpf(o, stdout, JSON_REAL_PRECISION(17));
    putchar('\n');
    json_decref(o);
}

static int log_name(app_manifest *m, const char *name) {
    for (int k = 0; k < m->log_name_count; k++)
        if (strcmp(m->log_names[k], name) == 0) return k;
    char **names = realloc(m->log_names, ((size_t)m->log_name_count + 1) * sizeof *names);
    if (!names) return -1;
    m->log_names = names;
    if (!(names[m->log_name_count] = strdup(name))) return -1;
    return m->log_name_count++;
}

bool app_manifest_log(app_manifest *m, lua_State *L, int world_index) {
    int64_t count = mus_lua_world_log_count(L, world_index);
    if (count > m->log_capacity) {
        int64_t capacity = 2 * count;
        log_value *log = realloc(m->log, (size_t)capacity * sizeof *log);
        if (!log) return false;
        m->log = log;
        m->log_capacity = capacity;
    }
    for (int64_t k = m->log_count; k < count; k++) {
        mus_lua_log_entry entry = mus_lua_world_log_at(L, world_index, k);
        int name = log_name(m, entry.name);
        if (name < 0) return false;
        m->log[m->log_count++] = (log_value){name, entry.frame, entry.time, entry.value};
    }
    return true;
}

void app_manifest_note(app_manifest *m, const char *text) {
    json_t *notes = json_object_get(m->root, "notes");
    if (!notes) json_object_set_new(m->root, "notes", notes = json_array());
    json_array_append_new(notes, text_or_null(text));
}

void app_manifest_exit(app_manifest *m, int code, const char *reason, const char *message) {
    json_t *o = json_object();
    json_object_set_new(o, "code", code >= 0 ? json_integer(code) : json_null());
    json_object_set_new(o, "reason", text_or_null(reason));
    json_object_set_new(o, "message", text_or_null(message));
    json_object_set_new(m->root, "exit", o);
}

/* ---- Checkpoints ------------------------------------------------------------------------------------------------- */

static const char *const compared[] = {"muslin", "arguments", "files"};

json_t *app_manifest_save(const app_manifest *m) {
    json_t *o = json_object();
    for (size_t k = 0; k < sizeof compared / sizeof *compared; k++)
        json_object_set(o, compared[k], json_object_get(m->root, compared[k]));
    json_object_set(o, "frames", m->frames);
    json_object_set(o, "resumed", m->resumed);
    return o;
}

/* Files that the script has loaded so far; it may require more later. */
static bool same_files(const json_t *saved, const json_t *present) {
    size_t count = json_array_size(present);
    for (size_t k = 0; k < count; k++) {
        const json_t *here = json_array_get(present, k), *there = json_array_get(saved, k);
        if (there && json_equal(here, there)) continue;
        const char *path = json_string_value(json_object_get(here, "path"));
        mus_fail(MUS_STATUS_INVALID, "'%s' is not the file with which the run started", path ? path : "?");
        return false;
    }
    return true;
}

bool app_manifest_resumable(const app_manifest *m, const json_t *saved) {
    const json_t *version = json_object_get(saved, "muslin"), *here = json_object_get(m->root, "muslin");
    if (!json_equal(version, here)) {
        const char *other = json_string_value(version);
        mus_fail(MUS_STATUS_INVALID, "it is of muslin %s, and this is %s", other ? other : "?",
                 json_string_value(here));
        return false;
    }
    if (!json_equal(json_object_get(saved, "arguments"), json_object_get(m->root, "arguments"))) {
        mus_fail(MUS_STATUS_INVALID, "the script was given other arguments");
        return false;
    }
    return same_files(json_object_get(saved, "files"), json_object_get(m->root, "files"));
}

bool app_manifest_resume(app_manifest *m, const json_t *saved, int64_t frame, uint64_t hash) {
    json_t *frames = json_object_get(saved, "frames"), *resumed = json_object_get(saved, "resumed");
    if (json_array_size(frames) != (size_t)frame + 1 || !json_is_array(resumed)) return false;
    json_t *last = hash_text(hash);
    bool same = json_equal(json_object_get(json_array_get(frames, (size_t)frame), "hash"), last);
    json_decref(last);
    if (!same) return false;
    json_array_clear(m->frames);
    json_array_clear(m->resumed);
    return json_array_extend(m->frames, frames) == 0 && json_array_extend(m->resumed, resumed) == 0 &&
           json_array_append_new(m->resumed, json_integer(frame)) == 0;
}

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

static void write_value(FILE *out, const json_t *value) {
    json_dumpf(value, out, JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY);
}

/* Lists of objects with a line for each, everything else on one line. */
static void write_member(FILE *out, const char *key, const json_t *value, bool last) {
    json_t *name = json_string(key);
    fputs("  ", out);
    write_value(out, name);
    fputs(": ", out);
    json_decref(name);
    if (json_is_array(value) && json_is_object(json_array_get(value, 0))) {
        size_t count = json_array_size(value);
        fputs("[\n", out);
        for (size_t k = 0; k < count; k++) {
            fputs("    ", out);
            write_value(out, json_array_get(value, k));
            fputs(k + 1 < count ? ",\n" : "\n", out);
        }
        fputs("  ]", out);
    } else {
        write_value(out, value);
    }
    fputs(last ? "\n" : ",\n", out);
}

/* {"name": [[frame, time, value], ...], ...} */
static json_t *log_json(const app_manifest *m) {
    json_t *o = json_object();
    for (int k = 0; k < m->log_name_count; k++) json_object_set_new(o, m->log_names[k], json_array());
    for (int64_t k = 0; k < m->log_count; k++) {
        const log_value *v = &m->log[k];
        json_t *row = json_array();
        json_array_append_new(row, json_integer(v->frame));
        json_array_append_new(row, real(v->time));
        json_array_append_new(row, real(v->value));
        json_array_append_new(json_object_get(o, m->log_names[v->name]), row);
    }
    return o;
}

/* A column for each name; a new row starts when the time changes or a name repeats. */
static bool write_csv(const app_manifest *m, FILE *out) {
    int n = m->log_name_count;
    double *row = calloc((size_t)n, sizeof *row);
    bool *given = calloc((size_t)n, sizeof *given);
    bool ok = row && given;
    fputs("frame,time", out);
    for (int k = 0; k < n; k++) {
        fputc(',', out);
        app_csv_text(out, m->log_names[k]);
    }
    fputc('\n', out);
    for (int64_t k = 0; ok && k < m->log_count; k++) {
        const log_value *v = &m->log[k], *next = k + 1 < m->log_count ? v + 1 : NULL;
        row[v->name] = v->value;
        given[v->name] = true;
        if (next && next->frame == v->frame && next->time == v->time && !given[next->name]) continue;
        fprintf(out, "%lld,%.17g", (long long)v->frame, v->time);
        for (int c = 0; c < n; c++) {
            fputc(',', out);
            if (given[c]) fprintf(out, "%.17g", row[c]);
            given[c] = false;
        }
        fputc('\n', out);
    }
    free(row);
    free(given);
    return ok;
}

json_t *app_manifest_json(const app_manifest *m) {
    json_t *o = json_copy(m->root); /* shallow */
    json_object_set(o, "resumed", m->resumed);
    json_object_set_new(o, "log", log_json(m));
    json_object_set(o, "frames", m->frames);
    return o;
}

static mus_status write_manifest(const app_manifest *m, const char *folder, const json_t *log, const json_t *frames) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return mus_fail(MUS_STATUS_NO_MEMORY, "no memory for the manifest");
    const char *key;
    json_t *value;
    fputs("{\n", out);
    json_object_foreach(m->root, key, value) write_member(out, key, value, false);
    write_member(out, "resumed", m->resumed, false);
    write_member(out, "log", log, false);
    write_member(out, "frames", frames, true);
    fputs("}\n", out);
    bool whole = fclose(out) == 0;
    char *path = app_format("%s/manifest.json", folder);
    mus_status status = MUS_STATUS_NO_MEMORY;
    if (whole && path)
        status = app_write_file(path, text, size);
    else
        mus_fail(status, "no memory for the manifest");
    free(text);
    free(path);
    return status;
}

mus_status app_manifest_write_short(app_manifest *m, const char *folder) {
    static const char *const kept[] = {"muslin", "script", "arguments", "options", "exit"};
    json_t *log = json_object(), *frames = json_array(), *whole = m->root;
    m->root = json_object();
    for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
        json_object_set(m->root, kept[k], json_object_get(whole, kept[k]));
    json_object_set_new(m->root, "incomplete", json_true());
    mus_status status = write_manifest(m, folder, log, frames);
    json_decref(m->root);
    m->root = whole;
    json_decref(log);
    json_decref(frames);
    return status;
}

mus_status app_manifest_write(app_manifest *m, const char *folder) {
    json_t *values = log_json(m);
    mus_status status = write_manifest(m, folder, values, m->frames);
    json_decref(values);
    if (status != MUS_STATUS_OK || m->log_count == 0) return status;

    char *text = NULL, *path = app_format("%s/log.csv", folder);
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out || !path) {
        if (out) fclose(out);
        free(text);
        free(path);
        return mus_fail(MUS_STATUS_NO_MEMORY, "no memory for log.csv");
    }
    bool whole = write_csv(m, out);
    whole = fclose(out) == 0 && whole;
    status = whole ? app_write_file(path, text, size) : mus_fail(MUS_STATUS_NO_MEMORY, "no memory for log.csv");
    free(text);
    free(path);
    return status;
}

void app_manifest_destroy(app_manifest *m) {
    if (!m) return;
    json_decref(m->root);
    json_decref(m->frames);
    json_decref(m->resumed);
    for (int k = 0; k < m->log_name_count; k++) free(m->log_names[k]);
    free(m->log_names);
    free(m->log);
    free(m->poses);
    free(m);
}
