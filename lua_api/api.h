/* api.h: what the binding's files share with each other and with a host. The binding includes muslin.h and Lua, nothing
 * else of the core.
 *
 * World userdata: born closed (metatable first, world second). Everything a world's Lua side owns (hooks, motions,
 * rules, names) hangs in its user value, so that the collector sees it. */
#ifndef MUS_LUA_API_H
#define MUS_LUA_API_H

#include "muslin.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

/* require "muslin", in the host (preloaded) and in stock lua5.4 (muslin.so). */
MUS_API int luaopen_muslin(lua_State *L);

/* ---- option.c: options are one table; every error names the object, the field, the value and the remedy ---------- */

/* A number without its fraction as an integer; beyond 64 bits the nearest one, and 0 for NaN. A cast of what does not
 * fit is undefined. */
static inline int64_t mus_lua_whole(double x) {
    if (x >= 0x1p63) return INT64_MAX;
    if (x < -0x1p63) return INT64_MIN;
    return x == x ? (int64_t)x : 0;
}

/* Takes the table of options at `index`: raises unless it is a table without a metatable, or with "WHAT: unknown field
 * 'KEY' (did you mean 'NEAREST'?)" for a key that is not in the NULL-terminated list. The value at `index` becomes a
 * copy that nothing else refers to: code that runs before the call ends cannot change an option or free its strings. */
void mus_lua_check_keys(lua_State *L, int index, const char *what, const char *const *keys);
/* Pushes the field of the table at `index` and returns its type; no metamethod is called. */
int mus_lua_field(lua_State *L, int index, const char *field);
/* The word of a NULL-terminated list that another system's word stands for ("position": "at"), or else the nearest by
 * edit distance; NULL when none is near. */
const char *mus_lua_nearest(const char *word, const char *const *words);
/* Pushes and returns a NULL-terminated list of words as one text, "a, b, c". */
const char *mus_lua_push_list(lua_State *L, const char *const *words);
double mus_lua_opt_number(lua_State *L, int index, const char *what, const char *field, double otherwise); /* finite */
int64_t mus_lua_opt_integer(lua_State *L, int index, const char *what, const char *field, int64_t otherwise);
bool mus_lua_opt_bool(lua_State *L, int index, const char *what, const char *field, bool otherwise);
const char *mus_lua_opt_string(lua_State *L, int index, const char *what, const char *field, const char *otherwise);
/* {x, y, z} or vec3; leaves `out` as it is when the field is nil. Returns whether it was given. */
bool mus_lua_opt_vec3(lua_State *L, int index, const char *what, const char *field, double out[3]);
/* Raises the message (lua_pushfstring's formats) with the position of the user's code in front: C functions and
 * muslin's own scripts (chunks named "@muslin/...") are passed over. Never returns. */
int mus_lua_error(lua_State *L, const char *format, ...);
/* The same about what a user's function at stack index `function` gave: its place stands in front, not the caller's. */
int mus_lua_error_of(lua_State *L, int function, const char *format, ...);
/* The innermost Lua code that is the user's own, its source and line: muslin's scripts and C functions between it and
 * the failing call would only distract. False: there is none. */
bool mus_lua_find_caller(lua_State *L, lua_Debug *at);
/* Pushes and returns a short text of the value for "(got ...)": 3.5, 'text', nil, a table, a cloth. */
const char *mus_lua_describe(lua_State *L, int index);
/* Of one that is not finite: "not a number", whose sign means nothing, "infinite", "-infinite". */
const char *mus_lua_word_of_number(double value);
/* Pushes and returns a number as messages tell it. */
const char *mus_lua_write_number(lua_State *L, double value);
/* Pushes "scene.lua:12": where the function at `index` was written. */
const char *mus_lua_push_origin(lua_State *L, int index);
/* Raises the error record's message with the script's position in front when status is not OK. */
void mus_lua_check_status(lua_State *L, mus_status status);
/* The same after a call into the core that calls users' functions: their place, where the message begins with one,
 * stands in front instead of the caller's. */
void mus_lua_check_called(lua_State *L, mus_status status);

/* ---- vec3.c ------------------------------------------------------------------------------------------------------ */

void mus_lua_open_vec3(lua_State *L); /* registers the metatable; leaves the constructor `vec3(x, y, z)` on the stack */
void mus_lua_push_vec3(lua_State *L, double x, double y, double z);
/* A vec3 or {x, y, z} (or {x =, y =, z =}) of finite numbers at `index`, else raises naming `what`. */
void mus_lua_check_vec3(lua_State *L, int index, const char *what, double out[3]);
/* The same without raising, and inf and NaN pass; `out` is untouched when false. */
bool mus_lua_test_vec3(lua_State *L, int index, double out[3]);

/* ---- array.c: views on the world's memory ------------------------------------------------------------------------ */

typedef struct mus_lua_span {
    double *data; /* NULL: stale, the error record has the reason */
    int64_t count;
    int components; /* 1 or 3 */
} mus_lua_span;
/* Looks the memory up anew at every access, from the userdata that owns it (at `owner`, absolute index) and a tag.
 * Raises or returns NULL data for a removed object, a closed world, or a write that is not allowed now. */
typedef mus_lua_span (*mus_lua_fetch)(lua_State *L, int owner, int tag, bool write);
typedef enum mus_lua_write {
    MUS_LUA_WRITE_FINITE, /* one row, of finite numbers */
    MUS_LUA_WRITE_BAD,    /* one row, and it is not */
    MUS_LUA_WRITE_ROWS    /* many, which nobody has looked at */
} mus_lua_write;
/* Called after something was written through a view. */
typedef void (*mus_lua_written)(lua_State *L, int owner, int tag, mus_lua_write write);

void mus_lua_open_array(
    lua_State *L); /* registers metatables; leaves the constructor `array(n [, components])` or array(table) */
/* Pushes a view of the memory that `fetch` finds through the userdata at `owner`. `what` is for messages ("cloth.x"),
 * a string constant. `written` may be NULL. */
void mus_lua_push_view(lua_State *L, int owner, int tag, const char *what, mus_lua_fetch fetch,
                       mus_lua_written written);

/* Pushes an array of its own, zero-filled, and returns its count x components numbers. */
double *mus_lua_push_array(lua_State *L, int64_t count, int components);
/* The numbers of any array at `index`, for reading until the next call into Lua or the world; false when it is no
 * array. Raises for a stale view. */
bool mus_lua_test_array(lua_State *L, int index, mus_lua_span *span);
/* rotation.c: a rotation at `index` to a unit quaternion: {w, x, y, z}, {axis =, angle =} or {euler =, order =}; with
 * is_unit a quaternion must be one already. By the user's function at `function`, or 0; `what` begins messages. */
void mus_lua_check_rotation(lua_State *L, int index, int function, const char *what, bool is_unit, double out[4]);
void mus_lua_open_rotation(lua_State *L, int module); /* leaves the table muslin.rotation; `module` has sin and cos */
/* A placement as a row-major 3x4 matrix, x -> A x + b: {position =, rotation =, scale =}, or 9 or 12
 * numbers. */
void mus_lua_check_transform(lua_State *L, int index, const char *what, double m[12]);

/* paths.c: raises unless the scene may read (write) the file; a missing file passes, and the reader reports it. `what`
 * is for the message: "muslin.mesh.load". The core's next read (write) of the path uses the file (folder) that was
 * checked, so it must come next. `extension`: the one that the file must have, unless the command line names it; NULL:
 * the writer requires one of its own. */
void mus_lua_check_readable(lua_State *L, const char *what, const char *path);
void mus_lua_check_writable(lua_State *L, const char *what, const char *path, const char *extension);
/* The string at `index` as a path; raises where it holds a zero byte. */
const char *mus_lua_check_path(lua_State *L, int index, const char *what);

/* ---- mesh.c, material.c, world.c, cloth.c, obstacle.c, response.c, contacts.c, query.c --------------------------- */

void mus_lua_open_mesh(lua_State *L); /* leaves the table muslin.mesh */
/* fields.c: reading a field that the table on top does not have raises and names the nearest one it has. */
void mus_lua_refuse_absent_fields(lua_State *L, const char *name);
void mus_lua_open_material(lua_State *L); /* leaves the function/table muslin.material */
mus_mesh *mus_lua_check_mesh(lua_State *L, int index);
void mus_lua_check_material(lua_State *L, int index, mus_material *material); /* a preset's name, a material, a table */
/* Raises for a field of materials in the table at `index`, unless it is one of the `known`. */
void mus_lua_refuse_material_fields(lua_State *L, int index, const char *what, const char *const *known);

mus_world *mus_lua_check_world(lua_State *L, int index); /* raises when closed */
mus_world *mus_lua_test_world(lua_State *L, int index);  /* NULL when it is no open world */

/* Events of world:on. The first four are within the step and undone with it. */
typedef enum mus_lua_event {
    MUS_LUA_BEFORE_STEP,
    MUS_LUA_CANDIDATE,
    MUS_LUA_CONTACTS,
    MUS_LUA_AFTER_STEP,
    MUS_LUA_FRAME, /* (world, t) after every frame, also frame 0; may change anything */
    MUS_LUA_DONE,  /* (world, t) when a host has played the scene to its end */
    MUS_LUA_DRAW,  /* (canvas, world, t) when a picture is made */
    MUS_LUA_KEY,   /* (name, world) when a key is pressed in the preview; true: handled */
    MUS_LUA_EVENT_COUNT
} mus_lua_event;

/* How the names of muslin's own scripts begin as chunks, behind "@": positions and tracebacks pass over them. */
#define MUS_LUA_OWN_CHUNK "muslin/"

/* Message handler for lua_pcall: adds a traceback, keeps non-string errors readable. */
int mus_lua_traceback(lua_State *L);

/* Pushes the message and, as luaL_traceback does, the calls of `of` from a level on, without those that tell the
 * script's writer nothing: of muslin's own scripts and of C without a name. If none is left, there is no heading. */
void mus_lua_push_traceback(lua_State *L, lua_State *of, const char *message, int level);

/* What a host may put before muslin.world reads its options: a table {pipeline =, seed =, threads =, sleep =} in the
 * registry under this key; it beats the script. And `sleep_default`, where the script has no option. */
#define MUS_LUA_OVERRIDES "muslin.overrides"

/* Host's calls, all raise: run them under lua_pcall with mus_lua_traceback. Method form in Lua in brackets. */
void mus_lua_world_start(lua_State *L, int world); /* [world:start()] validates, fires `frame` for frame 0; once only */
void mus_lua_world_frame(lua_State *L, int world); /* [world:run_frame()] steps of one frame, then `frame` */
void mus_lua_world_finish(lua_State *L, int world); /* [world:finish()] fires `done`; once only */
/* Whether the script has called world:stop() since the last call: the scene ends with the present frame. Never raises.
 */
bool mus_lua_world_take_stop(lua_State *L, int world);
bool mus_lua_world_key(lua_State *L, int world, const char *key);
/* Called around every step that Lua requests: before it, and after it when it was committed. It may read the world and
 * nothing else, and knows no Lua. NULL: no longer. The world at `world` is a host's, as above; never raises. */
typedef void (*mus_lua_watch)(void *user, mus_world *world, bool after);
void mus_lua_world_watch(lua_State *L, int world, mus_lua_watch watch, void *user);

/* The host's own forces, collected in every step behind those of the script: within mus_callbacks.forces. NULL: none.
 */
typedef mus_status (*mus_lua_forces)(void *user, mus_world *world);
void mus_lua_world_forces(lua_State *L, int world, mus_lua_forces forces, void *user); /* never raises */

/* A muslin.param with a range, which a host may show as a slider. The state owns the parameter. */
typedef struct mus_lua_slider {
    mus_parameter *parameter;
    double initial, least, most; /* the script's value, and the range */
} mus_lua_slider;
/* Fills at most `capacity` in the order in which the script made them, and returns how many were filled. */
int32_t mus_lua_get_sliders(lua_State *L, mus_lua_slider *sliders, int32_t capacity);

/* What a hook of the world costs. The strings belong to the world. */
typedef struct mus_lua_hook_time {
    const char *event, *name; /* "after_step", "force" or "script"; as given, or "scene.lua:12" */
    int64_t calls;
    double step_ms, total_ms; /* since the last step began; in all */
} mus_lua_hook_time;
/* Fills at most `capacity` in the order in which the hooks were added, and returns how many there are. Never raises. */
int64_t mus_lua_world_hook_times(lua_State *L, int world, mus_lua_hook_time *times, int64_t capacity);

/* What the draw hooks of a world requested, in world space; colors are r, g, b, a in 0..1. */
typedef struct mus_lua_line {
    float from[3], to[3], color[4], width;
} mus_lua_line;
typedef struct mus_lua_point {
    float at[3], color[4], size;
} mus_lua_point;
typedef struct mus_lua_text {
    float at[3]; /* world space, or with `screen` pixels from the top left in x and y */
    bool screen;
    float color[4], size;
    const char *text; /* owned by the list */
} mus_lua_text;
typedef struct mus_lua_drawing {
    const mus_lua_line *lines;
    const mus_lua_point *points;
    const mus_lua_text *texts;
    int32_t line_count, point_count, text_count;
} mus_lua_drawing;
/* Fires `draw` and returns what was drawn; valid until the next call for this world. */
const mus_lua_drawing *mus_lua_world_draw(lua_State *L, int world);

/* How the scene is to be seen: world:camera, world:title, world:background, world:light. Colors are sRGB, 0..1. */
typedef struct mus_lua_view {
    bool has_camera, has_background, has_light;
    float from[3], to[3]; /* m: the eye and what it looks at, at the present time */
    float fov;            /* rad, from the lower to the upper edge of a picture */
    float top[3], bottom[3];
    float to_light[3], light_color[3]; /* to_light: unit */
    const char *title;                 /* owned by the world; NULL: none */
} mus_lua_view;
/* NULL: the scene states none of it. Valid until the next call for this world. Raises what the camera's function
 * does. */
const mus_lua_view *mus_lua_world_view(lua_State *L, int world);

/* One value that world:log("name", value) recorded. `name` belongs to the world. */
typedef struct mus_lua_log_entry {
    const char *name;
    int64_t frame;
    double time, value; /* s; the value may be NaN or infinite */
} mus_lua_log_entry;
/* All of them, oldest first, k from 0; a step that is undone takes its own back. Never raise. */
int64_t mus_lua_world_log_count(lua_State *L, int world);
mus_lua_log_entry mus_lua_world_log_at(lua_State *L, int world, int64_t k);

/* Snapshots with what Lua's side of a world knows (log, math.random). Both raise; the first pushes the owner of the
 * snapshot. Restoring is for a world that the same script has made again. */
mus_snapshot *mus_lua_world_snapshot(lua_State *L, int world);
void mus_lua_snapshot_free(lua_State *L, int owner); /* now, not when the collector comes to it; never raises */
void mus_lua_world_restore(lua_State *L, int world, const mus_snapshot *snapshot);
/* The same into the world of a script that was changed: bit for bit where its structure is the same, else by names, as
 * far as they agree (mus_snapshot_restore_by_name). Parameters are those of the script. */
void mus_lua_world_continue(lua_State *L, int world, const mus_snapshot *snapshot);
bool mus_lua_world_keeps(lua_State *L, int world); /* world:keep() was called. Never raises */
/* remember.c: what the functions of the world keep in variables of Lua. note is called once the world is started, also
 * in a script that is run again; push leaves the owner of the bytes on the stack, and raises for what cannot be had
 * again, naming the variable. All raise. */
void mus_lua_script_note(lua_State *L, int world);
const char *mus_lua_script_push(lua_State *L, int world, size_t *size);
void mus_lua_script_restore(lua_State *L, int world, const void *data, size_t size);
/* Whether hooks, motions, paths or rules came or went since the world was started: what a script run again does not do
 * by its start alone. */
bool mus_lua_world_changed(lua_State *L, int world);

/* ---- sandbox.c: a Lua state for scenes --------------------------------------------------------------------------- */

typedef struct mus_lua_sandbox {
    bool trusted;             /* all of Lua's libraries */
    const char *script_path;  /* require finds Lua text under its folder; NULL (repl): the current one */
    const char *scripts_path; /* muslin's own Lua (scripts/), on require's path */
    size_t memory_limit;      /* bytes Lua may hold; 0: none */
    double time_limit;        /* s of wall clock for the whole state; 0: none */
    uint64_t seed;            /* of math.random until a world with a seed of its own is made */
    const char *output;       /* the folder that scripts may write to; NULL: the current one */
    char *const *arguments;   /* what was handed to the script: it may read what they name. They outlive the state */
    int argument_count;
    bool update_golden; /* tests write their golden states instead of comparing with them */
} mus_lua_sandbox;

/* A state with muslin preloaded, the allow-list (or everything), deterministic pairs/next and math, limits in place.
 * NULL when memory ran out. */
lua_State *mus_lua_sandbox_open(const mus_lua_sandbox *options);
void mus_lua_sandbox_close(lua_State *L);
/* Other limits from now on, between calls into the state. False: there is no thread for a time limit. */
bool mus_lua_sandbox_limit(lua_State *L, double time_limit, size_t memory_limit);
/* Ends the thread of the time limit, for a host that ends the process from another thread while code of the state is
 * running; nothing else may be called on the state afterwards. */
void mus_lua_sandbox_abandon(lua_State *L);
/* Makes running Lua code raise "interrupted" soon; may be called from a signal handler or another thread. */
void mus_lua_sandbox_interrupt(lua_State *L);
bool mus_lua_sandbox_timed_out(lua_State *L);   /* the deadline has passed */
bool mus_lua_sandbox_interrupted(lua_State *L); /* interrupt was requested */
/* "scene.lua:12", the line that either stopped the script in; "" where it was not in Lua, or has not been stopped. */
const char *mus_lua_sandbox_stopped_at(lua_State *L);
/* "scene.lua:5", where a world first got an object, when the script has neither stepped nor saved, looked at or closed
 * any world since: what it fills so it should return. Else "". */
const char *mus_lua_sandbox_idle_world(lua_State *L);
/* A mus_callbacks.cancelled for steps of this state's worlds: true once interrupted or past the deadline. */
bool mus_lua_sandbox_cancelled(void *L);
/* Takes an interrupt back, so that the state can run on (the repl's Ctrl-C). */
void mus_lua_sandbox_resume(lua_State *L);
/* Pushes an array with the path of every Lua file loaded so far, by mus_lua_sandbox_load and by require, in order. */
void mus_lua_sandbox_push_files(lua_State *L);
/* Raises "time limit of 5 s exceeded" or "interrupted" when it is so; mus_lua_check_status does it for CANCELLED. */
void mus_lua_sandbox_check(lua_State *L);
bool mus_lua_sandbox_out_of_memory(lua_State *L); /* an allocation was refused for the memory limit */
/* Strings hash the same in every process: tested when the state was opened. False on a build of Lua whose state
 * seed.c does not know; there the length of a list with holes may differ from run to run. */
bool mus_lua_sandbox_hash_is_fixed(lua_State *L);
/* Seeds the state's math.random, as a world with a seed of its own does; nothing in a state that is no sandbox. */
void mus_lua_seed(lua_State *L, uint64_t seed);
/* Loads a script as text (never bytecode): pushes the chunk and returns LUA_OK, else pushes the message. */
int mus_lua_sandbox_load(lua_State *L, const char *path);

/* ---- The scenario kit (scripts/kit.lua) as a host uses it
 * ------------------------------------------------------------
 *
 * A state's globals `scenario`, `property`, `before`, `expect` and `skip` load the kit when they are first used. After
 * a file ran, the kit's field `list` (in the registry's table of loaded modules, under MUS_LUA_KIT, if anything was
 * called at all) is an array of {name = string, body = function, time_limit = s or nil, memory_limit = MB or nil} in
 * order of the calls of scenario(); the host calls each body under mus_lua_traceback, times it and reports it. Its
 * field `seed` is the host's to set. When a body fails, the worlds that it made are in the field `failed`, for the host
 * to look at, until it calls `release`. A check that fails raises a message which holds the first mark behind the
 * position, skip(reason) one that holds the second: so a failed check in a scene's `done` hook (exit code 1) is
 * distinguished from a mistake in the script (3). */
#define MUS_LUA_KIT        "muslin.kit"
#define MUS_LUA_CHECK_MARK "check failed: "
#define MUS_LUA_SKIP_MARK  "skipped: "

/* kit.c: adds expect, scenario, property, before, skip, arguments and type to the table on top (the module's), and
 * makes `require "muslin.NAME"` find muslin's own Lua. `module_path` is where muslin.so was found (luaopen_muslin's
 * second argument in stock Lua), else NULL. A sandbox has the first five as globals from the start; they load the kit
 * when first used. */
void mus_lua_open_kit(lua_State *L, const char *module_path);

#endif
