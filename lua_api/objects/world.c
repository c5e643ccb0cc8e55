/* world.c: the world object: options, fields, and operations on all of its cloths and obstacles. */
#include "sandbox/sandbox.h"
#include "objects/tolerance.h"

#include <stdio.h>
#include <string.h>

static const char TYPE[] = "muslin.world";

/* ---- Life -------------------------------------------------------------------------------------------------------- */

mus_lua_worldbox *mus_lua_test_box(lua_State *L, int index) {
    return luaL_testudata(L, index, TYPE);
}

/* For mus_lua_sandbox_idle_world: whether the script does more with its worlds than adding objects. */
static void note_call(lua_State *L, const char *method) {
    static const char *const uses[] = {"step",  "advance", "run_frame", "start",  "finish", "save",        "restore",
                                       "audit", "hash",    "stats",     "energy", "close",  "start_report"};
    mus_lua_box *sandbox = mus_lua_box_of(L);
    if (!sandbox || sandbox->world_used) return;
    for (size_t k = 0; k < sizeof uses / sizeof *uses; k++)
        if (strcmp(method, uses[k]) == 0) {
            sandbox->world_used = true;
            return;
        }
    lua_Debug at;
    bool fills = strcmp(method, "cloth") == 0 || strcmp(method, "obstacle") == 0;
    if (fills && !sandbox->idle_world[0] && mus_lua_find_caller(L, &at))
        snprintf(sandbox->idle_world, sizeof sandbox->idle_world, "%s:%d", at.short_src, at.currentline);
}

mus_lua_worldbox *mus_lua_check_box(lua_State *L, int index, const char *method) {
    mus_lua_worldbox *box = mus_lua_test_box(L, index);
    if (!box) {
        const char *seen = mus_lua_describe(L, index);
        mus_lua_error(L, "world: call it as world:%s(...), with a colon, on a world (got %s)", method, seen);
    }
    if (!box->world) mus_lua_error(L, "world: %s: the world was closed; make a new one with muslin.world", method);
    note_call(L, method);
    return box;
}

mus_world *mus_lua_check_world(lua_State *L, int index) {
    mus_lua_worldbox *box = mus_lua_test_box(L, index);
    if (!box) {
        const char *seen = mus_lua_describe(L, index);
        mus_lua_error(L, "a world was expected (got %s)", seen);
    }
    if (!box->world) mus_lua_error(L, "world: the world was closed; make a new one with muslin.world");
    return box->world;
}

mus_world *mus_lua_test_world(lua_State *L, int index) {
    mus_lua_worldbox *box = mus_lua_test_box(L, index);
    return box ? box->world : NULL;
}

static void destroy(mus_lua_worldbox *box) {
    mus_world *world = box->world;
    box->world = NULL;
    box->moment++;
    mus_world_destroy(world);
}

static int world_gc(lua_State *L) {
    mus_lua_worldbox *box = mus_lua_test_box(L, 1);
    if (box) destroy(box);
    return 0;
}

static int close_world(lua_State *L, mus_lua_worldbox *box) {
    mus_lua_refuse_nested(L, box, "close");
    destroy(box);
    for (int value = 1; value <= MUS_LUA_USER_VALUES; value++) {
        if (value == MUS_LUA_LOG || value == MUS_LUA_LOG_NAMES) continue; /* a host may still read the log */
        lua_pushnil(L);
        lua_setiuservalue(L, 1, value);
    }
    return 0;
}

static int world_close(lua_State *L) {
    mus_lua_worldbox *box = mus_lua_test_box(L, 1);
    if (box && !box->world) return 0; /* closing twice does no harm */
    return close_world(L, mus_lua_check_box(L, 1, "close"));
}

/* ---- Options ----------------------------------------------------------------------------------------------------- */

/* A host's override beats the script's option, which beats the host's default. */
static bool sleep_of(lua_State *L, int overrides) {
    bool given = mus_lua_field(L, 1, "sleep") != LUA_TNIL, sleep = mus_lua_opt_bool(L, 1, "world", "sleep", false);
    lua_pop(L, 1);
    if (!overrides) return sleep;
    if (!given) sleep = mus_lua_opt_bool(L, overrides, "world", "sleep_default", sleep);
    return mus_lua_opt_bool(L, overrides, "world", "sleep", sleep);
}

static int32_t threads_of(lua_State *L, int index, int32_t otherwise) {
    int32_t threads = mus_lua_opt_int32(L, index, "world", "threads", otherwise);
    if (threads < 0)
        mus_lua_error(L, "world: field 'threads' must be >= 0, 0 is all of the machine's (got %d)", threads);
    return threads;
}

mus_lua_worldbox *mus_lua_new_world(lua_State *L) {
    static const int tables[] = {MUS_LUA_HOOKS,     MUS_LUA_OBJECTS,   MUS_LUA_RECORDS, MUS_LUA_OWNERS,
                                 MUS_LUA_RESPONSES, MUS_LUA_LOG_NAMES, MUS_LUA_SCRIPTS, MUS_LUA_PICTURES};
    mus_lua_worldbox *box = lua_newuserdatauv(L, sizeof *box, MUS_LUA_USER_VALUES);
    memset(box, 0, sizeof *box);
    luaL_setmetatable(L, TYPE);
    int self = lua_gettop(L);
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
        lua_newtable(L);
        if (tables[k] == MUS_LUA_HOOKS) {
            lua_newtable(L);
            lua_setfield(L, -2, "alive");
        }
        lua_setiuservalue(L, self, tables[k]);
    }
    return box;
}

void mus_lua_read_overlap(lua_State *L, int options, const char *stem, mus_overlap *overlap) {
    const char *names[MUS_OVERLAP_COUNT + 1];
    for (int k = 0; k < MUS_OVERLAP_COUNT; k++) names[k] = mus_overlap_get_name((mus_overlap)k);
    names[MUS_OVERLAP_COUNT] = NULL;
    const char *word = mus_lua_opt_string(L, options, stem, "overlap", NULL);
    if (!word) return;
    if (strcmp(word, "repair") == 0) word = "untangle"; /* its name before */
    for (int k = 0; k < MUS_OVERLAP_COUNT; k++)
        if (strcmp(word, names[k]) == 0) {
            *overlap = (mus_overlap)k;
            return;
        }
    const char *nearest = mus_lua_nearest(word, names);
    mus_lua_error(L, "%s: field 'overlap' must be \"refuse\", \"untangle\" or \"allow\" (got '%s'%s%s%s)", stem, word,
                  nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

static int world_new(lua_State *L) {
    static const char *const keys[] = {"dt",      "dt_min",      "dt_max",    "fps",      "duration",
                                       "gravity", "air_density", "wind",      "pipeline", "threads",
                                       "seed",    "overlap",     "tolerance", "sleep",    NULL};
    if (lua_isnoneornil(L, 1)) {
        lua_settop(L, 0);
        lua_newtable(L);
    }
    lua_settop(L, 1);
    mus_lua_check_keys(L, 1, "world", keys);
    mus_world_def def = mus_world_def_default();
    def.dt = mus_lua_opt_number(L, 1, "world", "dt", def.dt);
    def.dt_min = mus_lua_opt_number(L, 1, "world", "dt_min", def.dt_min);
    def.dt_max = mus_lua_opt_number(L, 1, "world", "dt_max", def.dt_max);
    def.fps = mus_lua_opt_number(L, 1, "world", "fps", def.fps);
    def.duration = mus_lua_opt_number(L, 1, "world", "duration", def.duration);
    def.air_density = mus_lua_opt_number(L, 1, "world", "air_density", def.air_density);
    mus_lua_opt_vec3(L, 1, "world", "gravity", def.gravity);
    mus_lua_opt_vec3(L, 1, "world", "wind", def.wind);
    def.threads = threads_of(L, 1, def.threads);
    def.seed = (uint64_t)mus_lua_opt_integer(L, 1, "world", "seed", (int64_t)def.seed);
    mus_lua_read_overlap(L, 1, "world", &def.overlap);
    if (mus_lua_field(L, 1, "tolerance") != LUA_TNIL) def.tolerance = mus_lua_read_tolerance(L, NULL);
    int tolerance = lua_gettop(L); /* stays on the stack, as the world references its contents only once created */
    bool seeded = mus_lua_field(L, 1, "seed") != LUA_TNIL;
    bool overridden = lua_getfield(L, LUA_REGISTRYINDEX, MUS_LUA_OVERRIDES) == LUA_TTABLE;
    int overrides = lua_gettop(L);
    if (overridden) {
        def.threads = threads_of(L, overrides, def.threads);
        seeded = mus_lua_field(L, overrides, "seed") != LUA_TNIL || seeded;
        def.seed = (uint64_t)mus_lua_opt_integer(L, overrides, "world", "seed", (int64_t)def.seed);
    }
    def.sleep = sleep_of(L, overridden ? overrides : 0);
    if (!overridden || mus_lua_field(L, overrides, "pipeline") == LUA_TNIL) mus_lua_field(L, 1, "pipeline");
    if (!lua_isnil(L, -1)) mus_lua_read_pipeline(L, &def.pipeline);

    mus_lua_worldbox *box = mus_lua_new_world(L);
    mus_lua_check_status(L, mus_world_create(&def, &box->world));
    mus_lua_set_callbacks(box);
    lua_pushvalue(L, tolerance);
    mus_lua_own_tolerance(L, lua_gettop(L) - 1);
    lua_pop(L, 1);
    if (seeded) mus_lua_seed(L, def.seed);
    return 1;
}

/* ---- Fields ------------------------------------------------------------------------------------------------------ */

static void push_list(lua_State *L, mus_lua_worldbox *box, bool obstacles) {
    int32_t count = obstacles ? mus_world_get_obstacle_count(box->world) : mus_world_get_cloth_count(box->world);
    lua_createtable(L, count, 0);
    for (int32_t k = 0; k < count; k++) {
        if (obstacles) {
            mus_lua_push_obstacle(L, 1, mus_world_get_obstacle(box->world, k));
        } else {
            mus_lua_push_cloth(L, 1, mus_world_get_cloth(box->world, k));
        }
        lua_rawseti(L, -2, k + 1);
    }
}

typedef enum field {
    FIELD_TIME,
    FIELD_FRAME,
    FIELD_DT,
    FIELD_DT_MIN,
    FIELD_DT_MAX,
    FIELD_STEP_SIZE,
    FIELD_STEP_INDEX,
    FIELD_STEPS_PER_FRAME,
    FIELD_FPS,
    FIELD_DURATION,
    FIELD_GRAVITY,
    FIELD_WIND,
    FIELD_AIR_DENSITY,
    FIELD_SEED,
    FIELD_THREADS,
    FIELD_PIPELINE,
    FIELD_OVERLAP,
    FIELD_CLOTHS,
    FIELD_OBSTACLES,
    FIELD_SEAMS,
    FIELD_TOLERANCE,
    FIELD_SLEEP,
    FIELD_ASLEEP,
    FIELD_CLOSED,
    FIELD_COUNT
} field;
static const char *const field_names[FIELD_COUNT + 1] = {
    "time",    "frame",    "dt",        "dt_min", "dt_max",      "step_size", "step_index", "steps_per_frame",
    "fps",     "duration", "gravity",   "wind",   "air_density", "seed",      "threads",    "pipeline",
    "overlap", "cloths",   "obstacles", "seams",  "tolerance",   "sleep",     "asleep",     "closed",
    NULL};

static int find_field(const char *name, const char *const *names) {
    int k = 0;
    while (names[k] && strcmp(names[k], name) != 0) k++;
    return k;
}

static int world_index(lua_State *L) {
    mus_lua_worldbox *box = mus_lua_test_box(L, 1);
    int which = lua_type(L, 2) == LUA_TSTRING ? find_field(lua_tostring(L, 2), field_names) : FIELD_COUNT;
    if (which == FIELD_COUNT) return mus_lua_index_method(L, "world", field_names);
    if (which == FIELD_CLOSED) {
        lua_pushboolean(L, !box->world);
        return 1;
    }
    mus_lua_check_box(L, 1, field_names[which]);
    const mus_world_def *def = mus_world_get_def(box->world);
    switch ((field)which) {
    case FIELD_TIME:
        lua_pushnumber(L, mus_lua_world_now(box));
        break;
    case FIELD_FRAME:
        lua_pushinteger(L, mus_lua_world_frame_index(box));
        break;
    case FIELD_DT:
        lua_pushnumber(L, def->dt);
        break;
    case FIELD_DT_MIN:
        lua_pushnumber(L, def->dt_min);
        break;
    case FIELD_DT_MAX:
        lua_pushnumber(L, def->dt_max);
        break;
    case FIELD_STEP_SIZE:
        lua_pushnumber(L, mus_world_get_step_size(box->world));
        break;
    case FIELD_STEP_INDEX:
        lua_pushinteger(L, mus_world_get_step_index(box->world));
        break;
    case FIELD_STEPS_PER_FRAME:
        lua_pushinteger(L, mus_world_get_steps_per_frame(box->world));
        break;
    case FIELD_FPS:
        lua_pushnumber(L, def->fps);
        break;
    case FIELD_DURATION:
        lua_pushnumber(L, def->duration);
        break;
    case FIELD_GRAVITY:
        mus_lua_push_vec3(L, def->gravity[0], def->gravity[1], def->gravity[2]);
        break;
    case FIELD_WIND:
        mus_lua_push_vec3(L, def->wind[0], def->wind[1], def->wind[2]);
        break;
    case FIELD_AIR_DENSITY:
        lua_pushnumber(L, def->air_density);
        break;
    case FIELD_SEED:
        lua_pushinteger(L, (lua_Integer)def->seed);
        break;
    case FIELD_THREADS:
        lua_pushinteger(L, def->threads);
        break;
    case FIELD_PIPELINE:
        mus_lua_push_pipeline(L, &def->pipeline);
        break;
    case FIELD_OVERLAP:
        lua_pushstring(L, mus_overlap_get_name(def->overlap));
        break;
    case FIELD_CLOTHS:
        push_list(L, box, false);
        break;
    case FIELD_OBSTACLES:
        push_list(L, box, true);
        break;
    case FIELD_SEAMS:
        mus_lua_push_seams(L, 1);
        break;
    case FIELD_TOLERANCE:
        mus_lua_push_tolerance(L, 1, &def->tolerance);
        break;
    case FIELD_SLEEP:
        lua_pushboolean(L, def->sleep);
        break;
    case FIELD_ASLEEP:
        lua_pushboolean(L, mus_world_is_asleep(box->world));
        break;
    case FIELD_CLOSED:
    case FIELD_COUNT:
        lua_pushnil(L);
        break;
    }
    return 1;
}

static int world_newindex(lua_State *L) {
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
    bool gravity = strcmp(name, "gravity") == 0;
    if (strcmp(name, "tolerance") == 0) {
        mus_lua_worldbox *box = mus_lua_check_box(L, 1, name);
        mus_lua_check_change(L, box, "world.tolerance");
        mus_tolerance tolerance = mus_lua_read_tolerance(L, box);
        mus_lua_check_status(L, mus_world_set_tolerance(box->world, &tolerance));
        mus_lua_own_tolerance(L, 1);
        return 0;
    }
    if (!gravity && strcmp(name, "wind") != 0) {
        const char *seen = mus_lua_describe(L, 2);
        return mus_lua_error(L,
                             "world: field %s cannot be set (only gravity, wind and tolerance can, after the world "
                             "was made)",
                             seen);
    }
    mus_lua_worldbox *box = mus_lua_check_box(L, 1, name);
    mus_lua_check_change(L, box, gravity ? "world.gravity" : "world.wind");
    double value[3];
    mus_lua_check_vec3(L, 3, gravity ? "world: gravity" : "world: wind", value);
    mus_lua_check_status(L, gravity ? mus_world_set_gravity(box->world, value) : mus_world_set_wind(box->world, value));
    return 0;
}

static int world_tostring(lua_State *L) {
    mus_lua_worldbox *box = mus_lua_test_box(L, 1);
    if (!box || !box->world) {
        lua_pushliteral(L, "world (closed)");
        return 1;
    }
    char text[128];
    snprintf(text, sizeof text, "world (t = %.6g s, cloths: %d, obstacles: %d)", mus_world_get_time(box->world),
             (int)mus_world_get_cloth_count(box->world), (int)mus_world_get_obstacle_count(box->world));
    lua_pushstring(L, text);
    return 1;
}

/* ---- Objects ----------------------------------------------------------------------------------------------------- */

static int world_find(lua_State *L) {
    mus_lua_worldbox *box = mus_lua_check_box(L, 1, "find");
    if (lua_type(L, 2) != LUA_TSTRING) {
        const char *seen = mus_lua_describe(L, 2);
        return mus_lua_error(L, "world: find(name): name must be a string (got %s)", seen);
    }
    const char *name = lua_tostring(L, 2);
    int32_t cloths = mus_world_get_cloth_count(box->world), obstacles = mus_world_get_obstacle_count(box->world);
    for (int32_t k = 0; k < cloths; k++) {
        mus_cloth_id id = mus_world_get_cloth(box->world, k);
        if (strcmp(mus_cloth_get_name(box->world, id), name) != 0) continue;
        mus_lua_push_cloth(L, 1, id);
        return 1;
    }
    for (int32_t k = 0; k < obstacles; k++) {
        mus_obstacle_id id = mus_world_get_obstacle(box->world, k);
        if (strcmp(mus_obstacle_get_name(box->world, id), name) != 0) continue;
        mus_lua_push_obstacle(L, 1, id);
        return 1;
    }
    lua_pushnil(L);
    return 1;
}

static int world_remove(lua_State *L) {
    mus_lua_worldbox *box = mus_lua_check_box(L, 1, "remove");
    mus_lua_check_change(L, box, "world:remove");
    if (luaL_testudata(L, 2, "muslin.response")) {
        if (!mus_lua_remove_response(L, 1, 2))
            return mus_lua_error(L, "world: remove: the response is not in this world");
        return 0;
    }
    if (mus_lua_remove_seam(L, 1, 2)) return 0;
    mus_lua_object *object = mus_lua_test_object(L, 2);
    if (!object) {
        const char *seen = mus_lua_describe(L, 2);
        return mus_lua_error(L, "world: remove(object): it must be a cloth, an obstacle, a seam or a response (got %s)",
                             seen);
    }
    mus_lua_worldbox *of_object;
    mus_lua_check_alive(L, 2, &of_object);
    if (of_object != box) return mus_lua_error(L, "world: remove: the object belongs to another world");
    mus_lua_call call;
    mus_lua_enter(L, box, 1, "world:remove", &call);
    mus_status status = object->obstacle
                            ? mus_obstacle_destroy(box->world, (mus_obstacle_id){object->index, object->generation})
                            : mus_cloth_destroy(box->world, (mus_cloth_id){object->index, object->generation});
    mus_lua_leave(L, box, &call, status);
    box->moment++;
    box->owners_changed = true;
    static const int tables[] = {MUS_LUA_OBJECTS, MUS_LUA_OWNERS};
    for (int k = 0; k < 2; k++) {
        lua_getiuservalue(L, 1, tables[k]);
        lua_pushnil(L);
        lua_rawseti(L, -2, mus_lua_object_key(object));
    }
    mus_lua_forget_spring_laws(L, -1, object);
    return 0;
}

/* ---- Judgement and figures --------------------------------------------------------------------------------------- */

static int world_hash(lua_State *L) {
    mus_lua_worldbox *box = mus_lua_check_box(L, 1, "hash");
    char text[17];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)mus_world_get_hash(box->world));
    lua_pushstring(L, text);
    return 1;
}

static int world_validate(lua_State *L) {
    mus_lua_worldbox *box = mus_lua_check_box(L, 1, "validate");
    mus_lua_check_change(L, box, "world:validate");
    mus_lua_call call;
    lua_settop(L, 1);
    mus_lua_enter(L, box, 1, "world:validate", &call);
    mus_lua_leave(L, box, &call, mus_world_validate(box->world));
    return 0;
}

static int world_wake(lua_State *L) {
    mus_lua_worldbox *box = mus_lua_check_box(L, 1, "wake");
    mus_lua_check_change(L, box, "world:wake");
    mus_world_wake(box->world);
    return 0;
}

static int world_random(lua_State *L) {
    mus_lua_worldbox *box = mus_lua_check_box(L, 1, "random");
    mus_lua_refuse_drawing(L, box, "world:random");
    double bounds[2] = {0, 1};
    for (int k = 0; k < 2 && lua_gettop(L) > 1; k++) bounds[k] = luaL_checknumber(L, k + 2);
    lua_pushnumber(L, bounds[0] + mus_world_next_random(box->world) * (bounds[1] - bounds[0]));
    return 1;
}

void mus_lua_open_world(lua_State *L) {
    static const luaL_Reg meta[] = {{"__gc", world_gc},
                                    {"__close", world_close},
                                    {"__newindex", world_newindex},
                                    {"__tostring", world_tostring},
                                    {NULL, NULL}};
    static const luaL_Reg methods[] = {{"cloth", mus_lua_world_cloth},
                                       {"obstacle", mus_lua_world_obstacle},
                                       {"stitch", mus_lua_world_stitch},
                                       {"respond", mus_lua_world_respond},
                                       {"contacts", mus_lua_world_contacts},
                                       {"log", mus_lua_world_log},
                                       {"logged", mus_lua_world_logged},
                                       {"find", world_find},
                                       {"remove", world_remove},
                                       {"ignore", mus_lua_world_ignore},
                                       {"between", mus_lua_world_between},
                                       {"audit", mus_lua_world_audit},
                                       {"hash", world_hash},
                                       {"stats", mus_lua_world_stats},
                                       {"start_report", mus_lua_world_start_report},
                                       {"energy", mus_lua_world_energy},
                                       {"validate", world_validate},
                                       {"random", world_random},
                                       {"save", mus_lua_world_save},
                                       {"restore", mus_lua_world_restore_file},
                                       {"keep", mus_lua_world_keep},
                                       {"wake", world_wake},
                                       {"close", world_close},
                                       {NULL, NULL}};
    mus_lua_new_type(L, TYPE, meta, methods, world_index, mus_lua_push_step_methods);
    mus_lua_open_reports(L);
    mus_lua_open_snapshot(L);
    lua_pushcfunction(L, world_new);
}
