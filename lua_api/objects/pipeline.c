/* pipeline.c: a world's pipeline from and to Lua: presets by name (scripts/pipelines.lua), tables of stages. */
#include "binding.h"

#include <string.h>

static const char *const stage_fields[MUS_STAGE_KIND_COUNT + 1] = {"integrator", "broad",  "narrow",   "response",
                                                                   "failsafe",   "strain", "internal", NULL};

/* The member of the pipeline for a stage. */
static const char **stage_slot(mus_pipeline *pipeline, int kind) {
    const char **slots[MUS_STAGE_KIND_COUNT] = {&pipeline->integrator, &pipeline->broad,    &pipeline->narrow,
                                                &pipeline->response,   &pipeline->failsafe, &pipeline->strain,
                                                &pipeline->internal};
    return slots[kind];
}

/* A number of seconds, or a word. */
static void read_collision_step(lua_State *L, int index, const char *what, double *seconds) {
    switch (mus_lua_field(L, index, "collision_step")) {
    case LUA_TNIL:
        break;
    case LUA_TSTRING: {
        const char *word = lua_tostring(L, -1);
        bool stable = strcmp(word, "stable") == 0;
        if (!stable && strcmp(word, "step") != 0)
            mus_lua_error(L, "%s: field 'collision_step' must be > 0 s, \"stable\" or \"step\" (got \"%s\")", what,
                          word);
        *seconds = stable ? MUS_COLLISION_STEP_STABLE : 0;
        break;
    }
    default:
        *seconds = mus_lua_opt_number(L, index, what, "collision_step", 0);
        if (!(*seconds > 0))
            mus_lua_error(L, "%s: field 'collision_step' must be > 0 s, \"stable\" or \"step\" (got %f)", what,
                          *seconds);
    }
    lua_pop(L, 1);
}

/* The strings stay in the table at `index`. */
static void read_stages(lua_State *L, int index, const char *what, mus_pipeline *pipeline) {
    for (int kind = 0; kind < MUS_STAGE_KIND_COUNT; kind++) {
        const char *name = mus_lua_opt_string(L, index, what, stage_fields[kind], NULL);
        if (name) *stage_slot(pipeline, kind) = name;
    }
    read_collision_step(L, index, what, &pipeline->collision_step);
}

/* Reads the preset; leaves its table on the stack to keep its strings alive. */
static void read_preset(lua_State *L, const char *name, mus_pipeline *pipeline) {
    luaL_checkstack(L, 8, NULL);
    lua_getglobal(L, "require");
    lua_pushliteral(L, "muslin.pipelines");
    if (lua_pcall(L, 1, 1, 0) != LUA_OK || !lua_istable(L, -1)) {
        lua_pushnil(L); /* only the core's default pipeline remains */
        lua_replace(L, -2);
        if (strcmp(name, "robust") == 0) return;
        mus_lua_error(L,
                      "world: field 'pipeline': the presets (muslin's own pipelines.lua) were not found, only "
                      "'robust' and tables of stages work without them (got '%s')",
                      name);
    }
    if (lua_getfield(L, -1, name) == LUA_TTABLE) {
        read_stages(L, lua_gettop(L), name, pipeline);
        lua_replace(L, -2);
        return;
    }
    /* Collect the names in order, for a suggestion. */
    const char *names[33], *nearest;
    int count = 0;
    lua_pop(L, 1);
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
        if (lua_type(L, -2) != LUA_TSTRING || !lua_istable(L, -1) || count == 32) continue;
        const char *preset = lua_tostring(L, -2);
        int at = count++;
        for (; at > 0 && strcmp(names[at - 1], preset) > 0; at--) names[at] = names[at - 1];
        names[at] = preset;
    }
    names[count] = NULL;
    nearest = mus_lua_nearest(name, names);
    if (nearest) mus_lua_error(L, "world: field 'pipeline': no preset '%s' (did you mean '%s'?)", name, nearest);
    mus_lua_error(L, "world: field 'pipeline': no preset '%s' (known: %s)", name, mus_lua_push_list(L, names));
}

void mus_lua_read_pipeline(lua_State *L, mus_pipeline *pipeline) {
    int value = lua_gettop(L);
    if (lua_type(L, value) == LUA_TSTRING) {
        read_preset(L, lua_tostring(L, value), pipeline);
    } else if (lua_istable(L, value)) {
        static const char *const keys[] = {"preset",   "integrator", "broad",    "narrow",         "response",
                                           "failsafe", "strain",     "internal", "collision_step", NULL};
        mus_lua_check_keys(L, value, "world.pipeline", keys);
        const char *preset = mus_lua_opt_string(L, value, "world.pipeline", "preset", NULL);
        if (preset) read_preset(L, preset, pipeline);
        /* a preset's response that solves contacts with its integrator gives way with it */
        if (preset && mus_lua_opt_string(L, value, "world.pipeline", "integrator", NULL) && pipeline->response &&
            strcmp(pipeline->response, "coupled") == 0)
            pipeline->response = NULL;
        read_stages(L, value, "world.pipeline", pipeline);
    } else {
        const char *seen = mus_lua_describe(L, value);
        mus_lua_error(L, "world: field 'pipeline' must be a preset's name or a table of stages (got %s)", seen);
    }
}

void mus_lua_push_pipeline(lua_State *L, const mus_pipeline *of_world) {
    mus_pipeline pipeline = *of_world, standard = mus_pipeline_default();
    lua_createtable(L, 0, MUS_STAGE_KIND_COUNT + 1);
    if (pipeline.collision_step > 0)
        lua_pushnumber(L, pipeline.collision_step);
    else
        lua_pushstring(L, pipeline.collision_step == 0 ? "step" : "stable");
    lua_setfield(L, -2, "collision_step");
    for (int kind = 0; kind < MUS_STAGE_KIND_COUNT; kind++) {
        const char *name = *stage_slot(&pipeline, kind);
        lua_pushstring(L, name ? name : *stage_slot(&standard, kind));
        lua_setfield(L, -2, stage_fields[kind]);
    }
}
