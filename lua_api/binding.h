/* binding.h: what the files of the world's objects share: the world's userdata, calls into the core during which Lua
 * callbacks may run, and the functions that the core holds on to. */
#ifndef MUS_LUA_BINDING_H
#define MUS_LUA_BINDING_H

#include "api.h"

/* ---- The world's userdata ------------------------------------------------------------------------------------------
 *
 * Everything Lua that a world keeps alive is in its user values, never in the registry: a world and its closures that
 * refer to it are one island that the collector can take. */

enum {
    MUS_LUA_HOOKS = 1, /* [event + 1] = list of functions and tokens by turns; alive = {[token] = record} */
    MUS_LUA_OBJECTS,   /* [key] = cloth or obstacle: equal handles are one userdata */
    MUS_LUA_RECORDS,   /* [light pointer] = record: every function the core may still call */
    MUS_LUA_OWNERS,    /* [key] = record or {[vertex] = record}: those in use, as far as known */
    MUS_LUA_RESPONSES, /* [response] = {id, record} */
    MUS_LUA_LOG_NAMES, /* [name] = name: keeps the strings of the log in place */
    MUS_LUA_LOG,       /* buffer of mus_lua_log_entry */
    MUS_LUA_CANVAS,    /* what the draw hooks requested last */
    MUS_LUA_SCRIPTS,   /* [token] = what is known of a function of world:script */
    MUS_LUA_VIEW,      /* camera, title, background and light */
    MUS_LUA_PICTURES,  /* [path] = owner of a texture's picture, for looks refer to it */
    MUS_LUA_USER_VALUES = MUS_LUA_PICTURES
};

/* Which callback is running decides what may be written. */
typedef enum mus_lua_phase {
    MUS_LUA_PHASE_NONE,
    MUS_LUA_PHASE_BEFORE_STEP,
    MUS_LUA_PHASE_FORCES,
    MUS_LUA_PHASE_CANDIDATE,
    MUS_LUA_PHASE_CONTACTS,
    MUS_LUA_PHASE_AFTER_STEP,
    MUS_LUA_PHASE_FUNCTION, /* a motion, a path or a rule: the solver is reading */
    MUS_LUA_PHASE_EVENT     /* frame, done, draw, key: between steps */
} mus_lua_phase;

/* world:force and world:script are two more lists of hooks. */
enum { MUS_LUA_FORCES_EVENT = MUS_LUA_EVENT_COUNT, MUS_LUA_SCRIPTS_EVENT, MUS_LUA_HOOK_LISTS };

/* A world is locked while a function of the script runs inside a call that still uses the world: nothing of it may be
 * made, removed, moved or stepped then. Both are string constants for messages. */
typedef struct mus_lua_lock {
    const char *method; /* the call: "cloth:pin" */
    const char *what;   /* what it calls: "'where'" */
} mus_lua_lock;

/* One call into the core; callbacks of the core run on its state and find the world at its index. */
typedef struct mus_lua_call {
    lua_State *L;
    const char *method; /* "world:step" */
    int world;          /* index of the world's userdata in the calling C function's frame */
    int error;          /* index of the slot that takes a callback's error object */
    bool failed;
    struct mus_lua_call *outer;
} mus_lua_call;

/* finite.c: what was written through views of cloths since the last look at it. */
enum { MUS_LUA_WRITE_PLACES = 3 };
typedef struct mus_lua_place {
    char source[LUA_IDSIZE];
    int line;
} mus_lua_place;
typedef struct mus_lua_writes {
    uint32_t arrays;    /* bits: positions, velocities, forces */
    mus_cloth_id cloth; /* of the last */
    bool several;       /* cloths */
    bool has_bad;
    int place_count; /* that were noted or would have been */
    mus_lua_place bad, places[MUS_LUA_WRITE_PLACES];
} mus_lua_writes;

typedef struct mus_lua_worldbox {
    mus_world *world;   /* NULL: closed, or not yet open */
    mus_lua_call *call; /* innermost call into the core */
    mus_lua_lock lock;  /* innermost; method NULL: none */
    mus_lua_phase phase;
    bool stepping, started, finished;
    bool stopped;        /* world:stop() */
    bool drawing;        /* a draw hook runs: a picture changes nothing */
    bool keeps;          /* world:keep() */
    bool owners_changed; /* within this step */
    bool keep_records;   /* a failure undid changes of functions: which are in use is not known exactly any more */
    uint64_t moment;     /* changes whenever positions or contacts may have */
    int64_t last_token, last_serial;
    int64_t record_count, record_limit;
    int32_t hook_count[MUS_LUA_HOOK_LISTS];
    int32_t hooks_missing[MUS_LUA_HOOK_LISTS]; /* of a loaded world: those that it had and has not been given again */
    int64_t changes, changes_at_start;         /* of functions: hooks, motions, paths, rules */
    int64_t log_count, log_capacity;
    double step_start;   /* s, of the step that runs */
    int64_t step_index;  /* of the step whose hooks ran last, -1: none in this call */
    int64_t step_log;    /* log_count before its hooks */
    int64_t steps_begun; /* also those that failed */
    lua_State *script;   /* the coroutine of world:script that runs; NULL: none */
    lua_Integer script_token;
    const mus_contact *contacts; /* as they were at contacts_moment */
    int64_t contact_count;
    uint64_t contacts_moment;
    double event_time; /* s, given to the hook that runs */
    mus_lua_writes writes;
    mus_lua_watch watch; /* of the host; NULL: none */
    void *watch_user;
    mus_lua_forces forces; /* of the host; NULL: none */
    void *forces_user;
} mus_lua_worldbox;

/* The box of any world, closed or not; NULL for other values. */
mus_lua_worldbox *mus_lua_test_box(lua_State *L, int index);
/* Raises for other values ("call it as world:METHOD(...)") and closed worlds. */
mus_lua_worldbox *mus_lua_check_box(lua_State *L, int index, const char *method);

/* ---- hooks.c ----------------------------------------------------------------------------------------------------- */

/* Around every function of the core that may call back. `world` is an absolute index, `method` a string constant for
 * messages ("obstacle:move"). enter pushes one slot and may raise; leave raises what a callback raised, or the error
 * record, after the core has unwound. Nothing between them may raise. */
void mus_lua_enter(lua_State *L, mus_lua_worldbox *box, int world, const char *method, mus_lua_call *call);
void mus_lua_leave(lua_State *L, mus_lua_worldbox *box, mus_lua_call *call, mus_status status);
/* From a callback of the core: runs body(world, light pointer to arguments) protected. */
mus_status mus_lua_callback(mus_lua_worldbox *box, mus_lua_phase phase, lua_CFunction body, void *arguments);
/* The same for a function that the solver calls while it reads the world, which is locked: `what` is a string constant,
 * "the motion". */
mus_status mus_lua_callback_locked(mus_lua_worldbox *box, const char *what, lua_CFunction body, void *arguments);
/* Calls the function that lies below `arguments` values on top, as lua_call does, with the world locked. */
void mus_lua_call_locked(lua_State *L, mus_lua_worldbox *box, mus_lua_lock lock, int arguments, int results);
/* Raises where `method` ("cloth:pin") would change a world that is locked, or is called by a finalizer (__gc), which
 * may run inside any other call. For every method that makes, removes, moves, steps or closes. */
void mus_lua_check_change(lua_State *L, const mus_lua_worldbox *box, const char *method);
/* Its parts for what a locked world allows: writing to arrays between steps, logging. */
void mus_lua_refuse_drawing(lua_State *L, const mus_lua_worldbox *box, const char *method);
void mus_lua_refuse_finalizer(lua_State *L, const char *method);
/* Sets the world's callbacks. */
void mus_lua_set_callbacks(mus_lua_worldbox *box);
/* Raises when a step or an event of this world is running. */
void mus_lua_refuse_nested(lua_State *L, mus_lua_worldbox *box, const char *method);

void mus_lua_push_step_methods(lua_State *L); /* adds step, run_frame, on, force ... to the table on top */
/* Fires the draw hooks; *open becomes false in any case. */
void mus_lua_fire_draw(lua_State *L, mus_lua_worldbox *box, int world, bool *open);
/* Runs body(world, light pointer to arguments) as a draw hook is run: it may change nothing, and random numbers that it
 * draws are given back, so that the run is the same without pictures. `world` is an absolute index. */
void mus_lua_call_for_picture(lua_State *L, mus_lua_worldbox *box, int world, lua_CFunction body, void *arguments);
int64_t mus_lua_world_frame_index(const mus_lua_worldbox *box); /* of the frame being made, or made last */
double mus_lua_world_now(const mus_lua_worldbox *box);          /* s: a hook's own time, else the world's */

/* ---- picture.c --------------------------------------------------------------------------------------------------- */

typedef struct mus_lua_picture {
    mus_picture *picture; /* belongs to the value that is pushed with it */
    double origin[2], size[2];
    bool has_origin, has_size;
} mus_lua_picture;
/* Whether the value is a table with a `picture` that is not a number. */
bool mus_lua_is_picture(lua_State *L, int value);
/* Loads {picture = path, origin =, size =} and pushes its owner; other keys are the caller's. Raises with `field`. */
void mus_lua_load_picture(lua_State *L, int value, const char *field, mus_lua_picture *out);
/* Frees the picture of the owner at `index` before the collector does. */
void mus_lua_close_picture(lua_State *L, int index);
/* The same without a push: the world owns the picture, and has one for each path. `world` is an absolute index. */
void mus_lua_share_picture(lua_State *L, int world, int value, const char *field, mus_lua_picture *out);

/* ---- look.c and camera.c ----------------------------------------------------------------------------------------- */

/* {red, green, blue} from 0 to 1, "#rrggbb" or a name, as sRGB; else raises with `what` in front. */
void mus_lua_check_color(lua_State *L, int index, const char *what, float out[3]);
/* The same of a field of options; false, and `out` as it is, where it is not given. */
bool mus_lua_opt_color(lua_State *L, int index, const char *what, const char *field, float out[3]);
/* Fields color, back_color, texture, texture_size, texture_color of the options at `index`. A picture in the look
 * belongs to the world at `world`. */
void mus_lua_read_look(lua_State *L, int world, int index, const char *what, mus_look *look);
void mus_lua_push_color(lua_State *L, bool given, const float color[3]); /* {r, g, b}, or nil */
void mus_lua_push_view_methods(lua_State *L); /* adds camera, title, background, light to the table on top */
void mus_lua_push_view_function(lua_State *L, int world); /* the camera's, or nil */

/* ---- finite.c ---------------------------------------------------------------------------------------------------- */

void mus_lua_note_write(lua_State *L, mus_lua_worldbox *box, mus_cloth_id id, int array, mus_lua_write write);
/* Raises where a number that was written since the last call is not finite, with the line that wrote it as far as it
 * is known. `event` and `name` are the hook's; NULL: written between steps. */
void mus_lua_check_writes(lua_State *L, mus_lua_worldbox *box, const char *event, const char *name);
void mus_lua_forget_writes(mus_lua_worldbox *box);

/* ---- hook_list.c: lists of functions ----------------------------------------------------------------------------- */

const char *mus_lua_hook_list_name(int list); /* "after_step", "force" */
/* Adds the function at `function` under the name at `name` (nil or none: where it was written) to a list of the world
 * at index 1; returns its token. */
lua_Integer mus_lua_add_hook(lua_State *L, mus_lua_worldbox *box, int list, int function, int name);
/* Calls call(L, index of the function, token, arguments) for each of a list until it returns false; measures its time.
 */
typedef bool (*mus_lua_hook_call)(lua_State *L, int function, lua_Integer token, void *arguments);
void mus_lua_each_hook(lua_State *L, int world, int list, mus_lua_hook_call call, void *arguments);
/* Calls each of a list with the `count` arguments on top of the stack, and pops them; stops at a true result when
 * `stops`, and returns whether it did. */
bool mus_lua_run_hooks(lua_State *L, int world, int list, int count, bool stops);
void mus_lua_push_hook_methods(lua_State *L); /* adds on, off, force to the table on top */
void mus_lua_push_hook_times(lua_State *L, int world);

/* ---- timeline.c: world:script ------------------------------------------------------------------------------------ */

/* Within the protected callback of a step that begins at time t: what is due of the world's scripts runs on. */
void mus_lua_run_scripts(lua_State *L, int world, double t);
/* A step failed: scripts that ran on in it cannot go back. */
void mus_lua_scripts_failed(lua_State *L, mus_lua_worldbox *box, int world);
void mus_lua_forget_script(lua_State *L, int world, lua_Integer token);
/* Adds how far each script is to a buffer for a snapshot. `world` is an absolute index. */
void mus_lua_put_scripts(lua_State *L, int world, luaL_Buffer *buffer);
/* Reads that and pushes it as a table, a list of {ended =, time, time, ...}; *at moves on. False: malformed. */
bool mus_lua_push_scripts(lua_State *L, const uint8_t **at, size_t *left);
/* Whether the world's scripts differ from such a table; raises where it has another number of them. */
bool mus_lua_scripts_differ(lua_State *L, int world, int table);
/* Brings them there, by playing them again, and then calls `then`, which overwrites what they did to the world. When it
 * raises, scripts are as they were, the world is not. */
void mus_lua_replay_scripts(lua_State *L, mus_lua_worldbox *box, int world, int table,
                            void (*then)(lua_State *L, mus_lua_worldbox *box, int world, const mus_snapshot *snapshot),
                            const mus_snapshot *snapshot);
void mus_lua_push_script_methods(lua_State *L); /* adds script, wait, wait_until to the table on top */

/* ---- report.c ---------------------------------------------------------------------------------------------------- */

int mus_lua_audit_file(lua_State *L);  /* muslin.audit(path, options) */
int mus_lua_world_audit(lua_State *L); /* world:audit {tolerance =} */
int mus_lua_world_stats(lua_State *L);
int mus_lua_world_start_report(lua_State *L);
int mus_lua_world_energy(lua_State *L);  /* world:stats() */
void mus_lua_open_reports(lua_State *L); /* registers metatables */

/* ---- snapshot.c -------------------------------------------------------------------------------------------------- */

int mus_lua_world_save(lua_State *L);         /* world:save(path) */
int mus_lua_world_restore_file(lua_State *L); /* world:restore(path) */
int mus_lua_world_keep(lua_State *L);         /* world:keep([boolean]) */
int mus_lua_load(lua_State *L);               /* muslin.load(path, options) */
void mus_lua_open_snapshot(lua_State *L);     /* registers the metatable, leaves nothing */
/* world.c: pushes a world's userdata with nothing in it yet. */
mus_lua_worldbox *mus_lua_new_world(lua_State *L);
/* response.c: the muslin.rule at `rule` becomes the response's. */
mus_status mus_lua_set_rule(lua_State *L, mus_lua_worldbox *box, int world, mus_response_id id, int rule);

/* ---- bytes.c: parts of a snapshot as bytes, the lowest first ----------------------------------------------------- */

void mus_lua_put64(luaL_Buffer *b, uint64_t bits);
/* False: there are not that many left. */
bool mus_lua_get64(const uint8_t **at, size_t *left, uint64_t *bits);

/* remember.c: pushes a list of what the functions of the world reach (functions, tables, objects), the same in every
 * run. */
void mus_lua_push_reached(lua_State *L, int world);

/* ---- random.c ---------------------------------------------------------------------------------------------------- */

void mus_lua_open_random(lua_State *L);  /* leaves the function muslin.random */
void mus_lua_push_streams(lua_State *L); /* all streams as bytes for a snapshot */
/* Reads them and pushes what take_streams takes, *at moves on. False: malformed. */
bool mus_lua_read_streams(lua_State *L, const uint8_t **at, size_t *left);
void mus_lua_take_streams(lua_State *L, int table); /* never raises */

/* ---- log.c ------------------------------------------------------------------------------------------------------- */

int mus_lua_world_log(lua_State *L);    /* world:log(name, value) */
int mus_lua_world_logged(lua_State *L); /* world:logged(name) */

/* ---- Records: functions that the core calls ------------------------------------------------------------------------
 *
 * The core's `user` pointer is a record; its user value is the function. Records stay in MUS_LUA_RECORDS as long as the
 * core may call them. */
typedef struct mus_lua_record {
    mus_lua_worldbox *box;
    int64_t serial;             /* in the order in which the world's records were made */
    uint32_t index, generation; /* of the obstacle or cloth, for motions and paths */
} mus_lua_record;
/* Makes a record of the function at `function` and pushes it. `world` is an absolute index. */
mus_lua_record *mus_lua_new_record(lua_State *L, int world, int function);
/* Pushes the record's function; `world` as in a callback's body. */
void mus_lua_push_function(lua_State *L, int world, const mus_lua_record *record);
/* Pushes a list of the functions of all records in the table at `records`, in the order in which they were made. */
void mus_lua_push_record_functions(lua_State *L, int records);
/* Forgets records that nothing in MUS_LUA_OWNERS or MUS_LUA_RESPONSES refers to, now and then. */
void mus_lua_prune_records(lua_State *L, mus_lua_worldbox *box, int world);

/* ---- Objects of a world ------------------------------------------------------------------------------------------ */

typedef struct mus_lua_object { /* cloth and obstacle; user values: 1 the world, 2 the name */
    uint32_t index, generation;
    bool obstacle;
    int32_t grid_nodes[2];
    const double *normals; /* as computed at normals_moment, box->moment + 1 */
    uint64_t normals_moment;
} mus_lua_object;

mus_lua_object *mus_lua_test_object(lua_State *L, int index); /* a cloth or an obstacle, stale or not; else NULL */
void mus_lua_push_cloth(lua_State *L, int world, mus_cloth_id id);
void mus_lua_push_obstacle(lua_State *L, int world, mus_obstacle_id id);
lua_Integer mus_lua_object_key(const mus_lua_object *object);
/* The living cloth or obstacle at `index`; pushes its world and returns its box through `box`. Raises for stale ones,
 * closed worlds and other values. */
mus_cloth_id mus_lua_check_cloth(lua_State *L, int index, const char *method, mus_lua_worldbox **box);
/* The value on top, a list of vertices from 1 or an array: indices from 0, in a userdata that is pushed. `what` begins
 * messages. */
int32_t *mus_lua_read_vertices(lua_State *L, const char *what, int32_t vertex_count, int32_t *count);
mus_obstacle_id mus_lua_check_obstacle(lua_State *L, int index, const char *method, mus_lua_worldbox **box);
/* animation.c: whether the options at index 2 name a cache for a mesh; other options of a cache raise without it. */
bool mus_lua_has_cache(lua_State *L, const char *const *keys, const char *shape);
/* Reads these options; the cache lives as long as the stack has what this pushes. */
void mus_lua_read_cache(lua_State *L, mus_lua_worldbox *box, const mus_mesh *mesh, mus_animation *animation);
int mus_lua_obstacle_animate(lua_State *L); /* obstacle:animate(options) */
void mus_lua_open_animation(lua_State *L);  /* registers a metatable, leaves nothing */
/* "cloth 'sheet': it was removed from its world" and the like, for an object that is not alive. */
void mus_lua_check_alive(lua_State *L, int index, mus_lua_worldbox **box);
/* A name given as a string or as an object; raises for others. */
const char *mus_lua_check_object_name(lua_State *L, int index, const char *what);
/* The object of a name, none for NULL. Raises, with a message that begins with `what`, if there is none. */
mus_object_id mus_lua_find_object(lua_State *L, const mus_world *world, const char *what, const char *name);

void mus_lua_open_world(lua_State *L);    /* registers metatables; leaves the constructor `world` */
void mus_lua_open_cloth(lua_State *L);    /* registers the metatable, leaves nothing */
void mus_lua_open_obstacle(lua_State *L); /* registers the metatable, leaves nothing */
void mus_lua_open_response(lua_State *L); /* leaves `response` */
void mus_lua_open_seam(lua_State *L);     /* registers the metatable, leaves nothing */
void mus_lua_open_contacts(lua_State *L); /* registers metatables, leaves nothing */
void mus_lua_open_canvas(lua_State *L);   /* registers the metatable, leaves nothing */
void mus_lua_open_view(lua_State *L);     /* registers the metatable, leaves nothing */
void mus_lua_open_query(lua_State *L);    /* fills the module table on top */

int mus_lua_world_cloth(lua_State *L);      /* world:cloth(options) */
int mus_lua_cloth_pin(lua_State *L);        /* cloth:pin(options) */
int mus_lua_cloth_unpin(lua_State *L);      /* cloth:unpin(options) */
int mus_lua_cloth_pinned(lua_State *L);     /* cloth:pinned(i) */
int mus_lua_cloth_pull(lua_State *L);       /* cloth:pull(options) */
int mus_lua_cloth_pulled(lua_State *L);     /* cloth:pulled(i) */
int mus_lua_cloth_crease(lua_State *L);     /* crease.c: cloth:crease(vertices, angle) */
int mus_lua_cloth_angle(lua_State *L);      /* cloth:angle(a, b) */
int mus_lua_cloth_spring_law(lua_State *L); /* cloth:spring_law(f) */
/* Records of the laws of a cloth that goes, from the table of owners at an index. */
void mus_lua_forget_spring_laws(lua_State *L, int owners, const mus_lua_object *object);
int mus_lua_world_obstacle(lua_State *L); /* world:obstacle(options) */
int mus_lua_world_stitch(lua_State *L);   /* world:stitch(options) */
int mus_lua_world_respond(lua_State *L);  /* world:respond(response) */
int mus_lua_world_ignore(lua_State *L);   /* world:ignore {a, b} */
int mus_lua_world_between(lua_State *L);  /* world:between({a, b}, options) */
/* A field of options that is a number; raises for a function with the place where functions go. */
double mus_lua_opt_coefficient(lua_State *L, int options, const char *what, mus_coefficient which, double otherwise);
/* The value on top, the option `pipeline` of muslin.world: a preset's name, a table of stages, or a preset with
 * changes. Leaves one or two values, which own the names. */
void mus_lua_read_pipeline(lua_State *L, mus_pipeline *pipeline);
/* Pushes the table of a world's stages. */
void mus_lua_push_pipeline(lua_State *L, const mus_pipeline *of_world);
/* A word for overlaps among the options at an index; `overlap` stays where it is not given. */
void mus_lua_read_overlap(lua_State *L, int options, const char *what, mus_overlap *overlap);
bool mus_lua_remove_response(lua_State *L, int world, int response); /* false: it is not in this world */
/* Rows {i, j, k, share} on top of the stack, in a userdata that is pushed. `what` begins messages. */
mus_stitch *mus_lua_read_stitches(lua_State *L, const char *what, int32_t *count);
bool mus_lua_remove_seam(lua_State *L, int world, int seam); /* false: it is no seam */
void mus_lua_push_seams(lua_State *L, int world);            /* a list of them */
int mus_lua_world_contacts(lua_State *L);                    /* world:contacts() */
/* surface: what functions of friction and restitution see besides; NULL: it reads none. */
void mus_lua_push_contact(lua_State *L, int world, const mus_contact *contact, const mus_contact_surface *surface);
/* Pushes "between vertex 3 of cloth 'sheet' and obstacle 'ball', t = 0.1 s", for messages about a contact of the step
 * that runs. */
const char *mus_lua_push_contact_names(lua_State *L, int world, const mus_contact *contact);

/* ---- Small things ------------------------------------------------------------------------------------------------ */

/* Registers a metatable with methods, hidden from scripts. `index` may be NULL: methods only. It gets the methods as
 * upvalue 1. `more` adds to the table of methods on top; may be NULL. */
void mus_lua_new_type(lua_State *L, const char *type, const luaL_Reg *meta, const luaL_Reg *methods,
                      lua_CFunction index, void (*more)(lua_State *L));
/* End of an __index: the method of that name (upvalue 1 of the running function), or an error that names the nearest
 * of `fields` and methods. */
int mus_lua_index_method(lua_State *L, const char *what, const char *const *fields);
/* A function at `index`, or a callable; raises otherwise. */
void mus_lua_check_function(lua_State *L, int index, const char *what);
/* Lets the collector know that `bytes` were taken outside its sight. */
void mus_lua_account(lua_State *L, size_t bytes);
/* A place: a vec3 or {x, y, z} of finite numbers at `index`, else raises; by the user's function at `function`, or 0.
 */
void mus_lua_check_place(lua_State *L, int index, int function, const char *what, double t, double out[3]);
/* A new mesh userdata on the stack, born without a mesh; the place to put one. */
mus_mesh **mus_lua_new_mesh(lua_State *L);
void mus_lua_add_mesh_shapes(lua_State *L); /* mesh_shapes.c: adds its generators to the table on top */
int mus_lua_mesh_raycast(lua_State *L);     /* raycast.c: the method */
int mus_lua_mesh_polyline(lua_State *L);    /* polyline.c: the method */
/* Reports a mesh's size to the collector. */
void mus_lua_account_mesh(lua_State *L, const mus_mesh *mesh);
/* The mesh at `index` for a field of options; raises naming the field. */
mus_mesh *mus_lua_field_mesh(lua_State *L, int index, const char *what, const char *field);
/* map.c: the field `maps` of the options of a cloth with a mesh, whose memory is left on the stack. */
void mus_lua_read_maps(lua_State *L, int options, mus_lua_worldbox *box, mus_cloth_def *def);
void mus_lua_push_material(lua_State *L, const mus_material *material);
int32_t mus_lua_opt_int32(lua_State *L, int index, const char *what, const char *field, int32_t otherwise);

#endif
