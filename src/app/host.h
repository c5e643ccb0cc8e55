/* host.h: declarations shared by the files of the command line; the window's files need only app.h. */
#ifndef MUS_APP_HOST_H
#define MUS_APP_HOST_H

#include "app.h"

#include <stdio.h>
#include <sys/types.h>

/* ---- options.c --------------------------------------------------------------------------------------------------- */

/* Fills `options` and returns -1, or an exit code when there is nothing more to do (help, version, an error that was
 * printed). The strings belong to argv. app_options_free releases the two lists. */
int app_options_parse(int argc, char **argv, app_options *options);
void app_options_free(app_options *options);
typedef int (*app_command_fn)(const app_options *options);
app_command_fn app_command_find(const char *name);

/* ---- scene.c: parts of app_scene_open ---------------------------------------------------------------------------- */

/* Opens the state with its limits, overrides and `arg`, without running the script. */
bool app_state_open(app_scene *scene, const app_options *options);
/* Push one of muslin's own modules, as `require` returns it, and a function of one. May raise. */
void app_push_module(lua_State *L, const char *module);
void app_push_function(lua_State *L, const char *module, const char *function);
/* -1 when there is a pipeline preset of that name; else prints an error with the option's name and returns an exit
 * code. */
int app_pipeline_check(const char *option, const char *name);
/* The names of all presets, or of those that do not detect collisions in each stable substep, in alphabetical order,
 * each owned, in an owned array that ends with NULL. NULL: error printed. */
char **app_pipeline_names(bool all);
void app_names_free(char **names);
/* The outcome of a scene's run: the exit code and a word for it. `ok`: the last call on the scene succeeded;
 * `finished`: the scene was played to its end. */
int app_scene_outcome(const app_scene *scene, bool ok, bool finished, const char **word);
/* Makes the value at `index` the scene's world and starts it; nil means no world, an error only if the script has
 * added objects to one and not used it; other values are errors. */
bool app_scene_take_world(app_scene *scene, int index);
/* The last frame to play: --frames, or --seconds, or the world's duration. */
/* Loads and calls the script, and the function of the arguments that it may return; leaves the result on the stack. */
bool app_scene_run_script(app_scene *scene, const app_options *options);
/* Pushes the scenarios collected by scenario(), {{name =, body =, ...}, ...}, and passes --seed to the kit. */
bool app_kit_push_list(app_scene *scene, const app_options *options);
/* Whether scenario.together() was called: the scenarios need one process. */
bool app_kit_together(app_scene *scene);
/* Whether the scene's error is a failed check of the scenario kit, not an error of the script. */
bool app_scene_check_failed(const app_scene *scene);
int64_t app_scene_frames(const app_scene *scene, const app_options *options);
/* Whether this frame was played, or the script called world:stop(). */
bool app_scene_is_over(const app_scene *scene, int64_t last_frame);

/* ---- sweep_engine.c, sweep_case.c -------------------------------------------------------------------------------- */

bool app_engine_check(const char *name);      /* else prints the available ones */
int app_run_case(const app_options *options); /* of run with --case: an exit code */

/* ---- audit.c: "face 12 of 'cloth:sheet' and face 40 of 'obstacle:ball': crossing". Owned by the caller. ---------- */

char *app_finding_text(const mus_audit_finding *finding, const char *one, const char *two);

/* ---- complete.c -------------------------------------------------------------------------------------------------- */

/* The text to insert at the cursor of a line: the rest of a name, as far as it is unique. "\n": several match and
 * were printed. NULL: none matches. Owned by the caller. */
char *app_complete(lua_State *L, const char *line, size_t cursor);
/* Pushes a function of muslin's repl.lua and the global `world`, nil if there is none. May raise. */
void app_push_repl(lua_State *L, const char *function);

/* ---- message.c: standard error and standard output --------------------------------------------------------------- */

/* Prints "muslin: ..." to standard error, over a progress bar if one is shown. */
void app_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Flushes standard output and returns `code`; on a write error prints it and returns APP_ERROR for 0. A reader that
 * closed the pipe early (EPIPE) is no error and gives no message. */
int app_output_end(int code);
/* The folder of muslin's own Lua: $MUSLIN_SCRIPTS, beside the build folder, or as installed. NULL if not found.
 */
const char *app_scripts_path(void);
char *app_script_text(const char *name); /* of a file in that folder; owned; NULL: sets the error record */
double app_clock(void);                  /* s, monotonic */
bool app_is_folder(const char *path);    /* follows links */
bool app_in_path(const char *program);   /* an executable of that name exists */
char *app_format(const char *format, ...) __attribute__((format(printf, 1, 2))); /* owned; NULL without memory */

/* memory.c: the limit of the core's memory; 0: nine tenths of the machine's. May be changed at any time. */
void app_memory_limit(double megabytes);
size_t app_bytes(double megabytes); /* too large values mean no limit */

/* ---- interrupt.c: signals, time limit and the watchdog behind both ----------------------------------------------- */

typedef enum app_stop { APP_STOP_NONE, APP_STOP_INTERRUPT, APP_STOP_TERMINATE, APP_STOP_TIME_LIMIT } app_stop;

/* Called by the watchdog when the program must end although Lua or a hook does not return: may save results.
 * Runs on the watchdog's thread, under the lock of app_guard_lock; the process ends after it. */
typedef void (*app_last_words)(void *user, app_stop why);

/* After this call SIGINT and SIGTERM interrupt the state's Lua code. A second one ends the process, and so does a
 * SIGTERM without effect within a second; the time limit (0: none) ends it at most two seconds late, also within C
 * code that never returns, unless files are being written. One guard at a time. */
bool app_guard_start(double time_limit, app_last_words last_words, void *user);
void app_guard_watch(lua_State *L); /* the state to interrupt; NULL: none */
void app_guard_end(void);
app_stop app_guard_stopped(void); /* the stop requested so far */
/* While idle, signals are dropped (the repl's prompt); both calls revoke an earlier interrupt. */
void app_guard_idle(bool idle);
/* While patient, the first interrupt is only recorded, for app_guard_take_note, and another before that call
 * interrupts (the prompt beside a window, during whose wait scripts run); both calls revoke an earlier interrupt,
 * but not a SIGTERM. */
void app_guard_patient(bool patient);
bool app_guard_take_note(void);
/* Between these calls the watchdog does not end the process: the code between them writes files and always
 * terminates. */
void app_guard_lock(void);
/* The leader of a process group that must not outlive this process: killed when the watchdog ends it. 0: none. */
void app_guard_child(pid_t leader);
void app_guard_unlock(void);
int app_stop_exit_code(app_stop stop);

/* ---- progress.c -------------------------------------------------------------------------------------------------- */

/* A bar on a terminal, redrawn in place; elsewhere a line every few seconds, and none for shorter tasks. */
typedef struct app_progress {
    bool shown, terminal, drawn;
    double start, last;
    const char *what;
} app_progress;
void app_progress_start(app_progress *progress, const char *what, bool quiet);
void app_progress_update(app_progress *progress, int64_t done, int64_t total, const char *unit);
void app_progress_clear(app_progress *progress);
void app_progress_end(app_progress *progress);
void app_progress_clear_any(void); /* call before other output to standard error */

/* ---- folder.c: the folder of a run ------------------------------------------------------------------------------- */

bool app_make_folder(const char *folder); /* with its parents; false: see errno */
/* Locks the folder against other processes until it is unlocked as often as it was locked. False: another process
 * has it; sets the error record. */
bool app_folder_lock(const char *folder);
void app_folder_unlock(void);
typedef enum app_earlier { APP_EARLIER_NONE, APP_EARLIER_RUN, APP_EARLIER_OTHER } app_earlier;
/* Whether there is a manifest.json of a muslin run, or another one (sets the error record). */
app_earlier app_folder_earlier(const char *folder);
/* Part of app_output_remove_earlier: formats by name, kept[k] of the k-th. */
void app_folder_remove_earlier(const char *folder, int64_t last, const char *const *formats, int count,
                               const char *const *wanted, int wanted_count, bool *kept);

/* ---- output.c: frames into files --------------------------------------------------------------------------------- */

typedef struct app_output app_output;
/* Parses the formats; creates the folder, locks it until it is closed, and tests that it is writable. NULL: sets the
 * error record. `format` NULL: obj. `earlier`: receives whether there is an earlier run; a manifest.json of another
 * program is an error before any write. NULL: not needed. */
app_output *app_output_open(const char *folder, const char *format, int width, int height, app_earlier *earlier);
enum { APP_FORMATS_SIZE = 128 };
/* Removes of an earlier run the frames after `last` of the formats that this run writes, and temporary files of
 * killed writers; with `last` -1 also the checkpoint, the log, caches and films. `kept`: the other formats of which
 * files exist. */
void app_output_remove_earlier(app_output *output, int64_t last, char kept[APP_FORMATS_SIZE]);
/* Reserves disk space for the last manifest of a run of so many frames, so that it can report a full disk;
 * app_output_release frees it. Reserves nothing if there is no space. */
void app_output_reserve(app_output *output, int64_t last_frame);
void app_output_release(app_output *output);
/* Whether every word of a comma list is a format; else prints the formats and returns false. */
bool app_output_formats_check(const char *format);
bool app_output_formats_pictures(const char *format); /* one of them needs pictures */
bool app_output_formats_single(const char *format);   /* single pictures (png, pov) are among them, and no film */
bool app_output_formats_omit_planes(const char *format);
bool app_output_formats_turned(const char *format); /* one of them may have z up */
/* Which frames are written as pictures, in which colors, and which axis is up in files. Call before the first frame. */
void app_output_choose(app_output *output, const app_options *options);
/* "y" or "z" of formats that are turned; NULL: none is written. */
const char *app_output_get_up(const app_output *output);
/* Writes a picture of the present state to `name` in the folder; calls draw hooks. */
mus_status app_output_picture(app_output *output, lua_State *L, int world_index, mus_world *world, const char *name);
/* Calls the draw hooks for the frame if a picture is made of it. The script's hooks may not return: call without the
 * lock of app_guard_lock. */
mus_status app_output_draw(app_output *output, lua_State *L, int world_index, int64_t frame);
const mus_lua_drawing *app_output_get_drawing(const app_output *output); /* of that call; NULL: there was none */
mus_status app_output_frame(app_output *output, lua_State *L, int world_index, mus_world *world, int64_t frame);
/* Makes the films among the formats from the png frames 0 to last, and the animations from the point caches; also
 * after a failed run. `world` as it is at the end; NULL: it is no more. */
mus_status app_output_finish(app_output *output, mus_world *world, double fps, int64_t last);
int app_output_format_count(const app_output *output);
const char *app_output_format_name(const app_output *output, int k);
int64_t app_output_frames(const app_output *output); /* written whole, in every format */
/* Flushes all frames up to `last` to the disk, except those flushed before. */
bool app_output_flush(app_output *output, int64_t last);
/* Whether these frames exist, so that a run can continue after them. */
bool app_output_check_frames(app_output *output, mus_world *world, int64_t last);
/* The present and the first camera of pictures; false: there was no picture yet. */
enum { APP_CAMERA_NUMBERS = 14 };
bool app_output_get_camera(const app_output *output, float numbers[APP_CAMERA_NUMBERS]);
void app_output_set_camera(app_output *output, const float numbers[APP_CAMERA_NUMBERS]);
void app_output_close(app_output *output);
/* The drawing of the world's draw hooks; valid until they are called again. */
mus_status app_fire_draw(lua_State *L, int world_index, const mus_lua_drawing **drawing);
/* How its pictures are to be made, at the present time; NULL where the scene does not state it. */
mus_status app_read_view(lua_State *L, int world_index, const mus_lua_view **view);
/* output_frame.c: the world's cloths, then its obstacles, as parts for a file; the names are owned by the list. */
typedef struct app_patterns app_patterns;
/* Pictures of parts, also those of patterns, are valid as long as `patterns`. */
mus_status app_parts_collect(mus_world *world, app_patterns *patterns, mus_part **parts, int32_t *count);
/* output_patterns.c: checkers, stripes and weaves as pictures. */
struct app_patterns {
    struct app_pattern *list;
    int count;
};
struct app_paint;
/* Replaces the pattern of a paint, if it has one, by a picture of its front. */
mus_status app_patterns_apply(app_patterns *patterns, struct app_paint *paint);
void app_patterns_free(app_patterns *patterns);
/* output_materials.c: frames.mtl, written again when a material is new or has changed. Names it and the material in the
 * parts; the names live as long as `materials`. */
typedef struct app_materials {
    struct app_material *list;
    int count;
    bool changed; /* since it was written */
} app_materials;
mus_status app_materials_write(app_materials *materials, const char *folder, mus_part *parts, int32_t count);
void app_materials_free(app_materials *materials);
/* output_pictures.c: pictures of parts that were written into a folder, picture_1.png or .jpg, ... */
typedef struct app_picture_file {
    uint64_t serial;
    char *name;
} app_picture_file;
typedef struct app_picture_files {
    app_picture_file *list;
    int count;
} app_picture_files;
/* Writes those that are not there yet, and names them in the parts; the names live as long as `files`. */
mus_status app_picture_files_write(app_picture_files *files, const char *folder, mus_part *parts, int32_t count);
/* The name of a picture's file, which is written if it is not there yet; NULL on failure. */
const char *app_picture_files_name(app_picture_files *files, const char *folder, const mus_picture *picture);
void app_picture_files_free(app_picture_files *files);
/* Adds fields to the cloths among them: stretch (strain of the most stretched edge, 0 where compressed),
 * contact_force (N) and velocity (m/s). Owned by the list. */
mus_status app_parts_add_fields(mus_world *world, mus_part *parts);
/* Adds rest shapes, materials and seams of the cloths (those without a `surface`). */
mus_status app_parts_add_cloths(mus_world *world, mus_part *parts);
/* Saves parts, whose y axis is up, with z up: (x, y, z) as (x, -z, y). */
/* A list of the others, for the caller to free; what they point to is still that of `parts`. NULL: no memory. */
mus_part *app_parts_without_planes(const mus_part *parts, int32_t *count);
mus_status app_parts_save_z_up(const mus_part *parts, int32_t count, const char *path);
void app_parts_free(mus_part *parts, int32_t count);

/* output_glb.c: a frame; an animation with morph targets, for which a temporary file is made in `folder`. */
mus_status app_glb_save(const char *path, const mus_part *parts, int32_t count);
double app_linear_color(double srgb); /* of a channel, 0..1 */
mus_status app_glb_save_animation(const char *path, const char *folder, const mus_parts_animation *animation);

/* output_film.c: `kind` is mp4 or webm. */
bool app_film_possible(const char *kind); /* prints what is missing */
/* FOLDER/film.KIND from `count` frames frame_000000.png... in it. */
mus_status app_film_save(const char *folder, const char *kind, double fps, int64_t frames);

/* ---- output_pc2.c ------------------------------------------------------------------------------------------------ */

typedef struct app_caches app_caches;
app_caches *app_caches_create(void); /* NULL: no memory */
void app_caches_destroy(app_caches *caches);
/* Appends the frame to FOLDER/cloth_NAME.pc2 or obstacle_NAME.pc2 of every part; creates the file at the first frame
 * of a part. */
mus_status app_caches_frame(app_caches *caches, const char *folder, const mus_part *parts, int32_t count,
                            int64_t frame);
/* Continues after frame `last` of an earlier process; changes no file yet. */
mus_status app_caches_resume(app_caches *caches, const char *folder, const mus_part *parts, int32_t count,
                             int64_t last);
bool app_caches_flush(const app_caches *caches); /* to the disk */
int app_caches_count(const app_caches *caches);
const char *app_caches_path(const app_caches *caches, int k);
/* The frames of the k-th cache. `part` receives its faces, texture coordinates and color, without vertices; they
 * belong to the caches. */
mus_part_frames app_caches_get(const app_caches *caches, int k, mus_part *part);
/* Reads a frame of the k-th cache: `read` of mus_parts_animation. */
mus_status app_caches_read(void *caches, int32_t k, int64_t frame, float *positions);

/* ---- output_animation.c, output_blender.c ------------------------------------------------------------------------ */

typedef struct app_camera_key {
    int64_t frame;
    float eye[3], target[3], fov; /* m; fov: vertical, radians */
} app_camera_key;
/* The camera by frame; it moves linearly from one key to the next. */
typedef struct app_camera_keys {
    app_camera_key *keys; /* owned */
    int64_t count, capacity;
} app_camera_keys;
struct app_camera;
/* Adds a key if the camera has changed, and one for the frame before if it had stood still. */
mus_status app_camera_keys_add(app_camera_keys *keys, const struct app_camera *camera, int64_t frame);
bool app_camera_keys_push(app_camera_keys *keys, const app_camera_key *key); /* as it is; false: no memory */
void app_camera_keys_free(app_camera_keys *keys);
app_camera_keys *app_output_get_keys(app_output *output); /* empty unless a format needs them */
typedef struct app_animation_options {
    double fps;
    int64_t frames; /* number of frames */
    const app_camera_keys *keys;
    bool planes;           /* of planes too */
    const mus_part *parts; /* with what cloths are made of and surfaces of obstacles, for USD; NULL: none */
    int32_t part_count;
} app_animation_options;
/* Makes the files of format animation.glb, animation.usda, animation.abc, mdd or blender from the caches. */
mus_status app_animation_save(app_caches *caches, const char *folder, const char *format,
                              const app_animation_options *options);
/* output_mdd.c: writes cloth_NAME.mdd or obstacle_NAME.mdd for each part, beside its cache; `caches` names these. */
mus_status app_mdd_save(const char *folder, const mus_parts_animation *animation, const char *const *caches);
/* Writes frames.pvd, which lists frame_000000.vtp... with their times for ParaView. */
mus_status app_pvd_save(const char *folder, double fps, int64_t frames);
/* Writes open_in_blender.py; `caches` names the files of the parts. */
mus_status app_blender_save(const char *folder, const mus_parts_animation *animation, const char *const *caches,
                            const app_camera_keys *keys);

/* ---- manifest.c -------------------------------------------------------------------------------------------------- */

typedef struct app_frame {
    int64_t frame;
    double time, step_ms, hooks_ms; /* hooks_ms: part of the time of its steps in hooks; only in --json */
    int64_t contacts, iterations;
    int64_t intersections; /* < 0: not audited */
    int64_t inside;
    uint64_t hash;
} app_frame;

typedef struct app_manifest app_manifest;
struct json_t;
app_manifest *app_manifest_create(const app_options *options);
void app_manifest_scene(app_manifest *manifest, const app_scene *scene, const app_output *output);
void app_manifest_files(app_manifest *manifest, lua_State *L); /* script and required files so far, with hashes */
void app_manifest_hooks(app_manifest *manifest, lua_State *L, int world_index); /* time of hooks, by event and name */
struct json_t *app_hooks_json(lua_State *L, int world_index);                   /* the same, the caller's */
void app_hooks_print_json(lua_State *L, int world_index);                       /* the same on standard output */
/* mus_world_get_start_report and its pairs, the caller's; NULL: no memory. */
struct json_t *app_start_json(const mus_world *world);
void app_start_print_json(const mus_world *world); /* the same on standard output */
/* The first one receives the report of the start as well. */
bool app_manifest_frame(app_manifest *manifest, const app_scene *scene, const app_frame *frame);
bool app_manifest_log(app_manifest *manifest, lua_State *L, int world_index); /* values logged since the last call */
/* Adds a line to its notes: what the reader of a complete run is to know. */
void app_manifest_note(app_manifest *manifest, const char *text);
void app_manifest_exit(app_manifest *manifest, int code, const char *reason, const char *message);
/* Rewrites FOLDER/manifest.json and FOLDER/log.csv (when anything was logged), each under a temporary name. */
mus_status app_manifest_write(app_manifest *manifest, const char *folder);
/* Writes the last manifest if the full one could not be written: options, outcome, and "incomplete": true. */
mus_status app_manifest_write_short(app_manifest *manifest, const char *folder);
void app_manifest_destroy(app_manifest *manifest);
/* Contents of the manifest so far, except frames and log. */
const struct json_t *app_manifest_root(const app_manifest *manifest);
/* All of the manifest so far, as it is written: owned by the caller. NULL: no memory. */
struct json_t *app_manifest_json(const app_manifest *manifest);
bool app_file_hash(const char *path, uint64_t *hash); /* of its bytes; false: it cannot be read */
/* The part stored in a checkpoint, as JSON (jansson), owned by the caller. */
struct json_t *app_manifest_save(const app_manifest *manifest);
/* Compares version, arguments, script and required files with the saved run. INVALID names the difference. */
bool app_manifest_resumable(const app_manifest *manifest, const struct json_t *saved);
/* Restores the saved frames; false if they are malformed, or do not end with this state. */
bool app_manifest_resume(app_manifest *manifest, const struct json_t *saved, int64_t frame, uint64_t hash);
/* Frame as one line of JSON on standard output. */
void app_frame_print_json(const app_frame *frame);
/* "frame_000012.obj" -> 12, "obj"; false for other names. */
bool app_frame_name(const char *name, int64_t *frame, const char **extension);
/* Writes a whole text under a temporary name, then renames it. IO with the system's reason. */
mus_status app_write_file(const char *path, const char *text, size_t size);

/* ---- checkpoint.c ------------------------------------------------------------------------------------------------ */

/* Sums over the frames of a run. */
typedef struct app_tally {
    double worst_ms, total_ms;
    int64_t bad_frames, first_bad_frame, intersections, inside;
    char *first_bad; /* names the intersecting objects of the first bad frame; owned */
} app_tally;
bool app_checkpoint_there(const char *folder);
/* All return false with the error record set. */
bool app_checkpoint_start(app_scene *scene); /* for a scene that was just opened and will have checkpoints */
/* `refused`: the script's variables contain a value that cannot be saved; the run can continue. */
bool app_checkpoint_write(const char *folder, app_scene *scene, const app_manifest *manifest, app_output *output,
                          const app_tally *tally, bool *refused);
/* Restores a scene that was just opened, its manifest and output to the state of the checkpoint. */
bool app_checkpoint_resume(const char *folder, app_scene *scene, app_manifest *manifest, app_output *output,
                           app_tally *tally, int64_t last_frame);

#endif
