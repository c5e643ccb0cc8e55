/* animation.c: obstacles whose vertices follow frames: obstacle:animate, and the cache of world:obstacle. */
#include "binding.h"

#include <string.h>
#include <strings.h>

static const char TYPE[] = "muslin.point_cache"; /* memory of a file's cache until the world has copied it */

static int cache_gc(lua_State *L) {
    mus_point_cache *cache = lua_touserdata(L, 1);
    mus_point_cache_destroy(cache);
    memset(cache, 0, sizeof *cache);
    return 0;
}

/* Converts the list of meshes or arrays on top to a point cache whose memory is a userdata. */
static void read_frames(lua_State *L, mus_point_cache *cache) {
    int list = lua_gettop(L);
    if (!lua_istable(L, list) || lua_rawlen(L, list) == 0) {
        const char *seen = mus_lua_describe(L, list);
        mus_lua_error(L, "obstacle:animate: field 'frames' must be a list of meshes or arrays of positions (got %s)",
                      lua_istable(L, list) ? "an empty table" : seen);
    }
    lua_Unsigned frames = lua_rawlen(L, list);
    if (frames > INT32_MAX) mus_lua_error(L, "obstacle:animate: field 'frames' has too many frames");
    double *positions = NULL;
    for (lua_Unsigned i = 1; i <= frames; i++) {
        lua_rawgeti(L, list, (lua_Integer)i);
        mus_lua_span span = {NULL, 0, 3};
        mus_mesh **mesh = luaL_testudata(L, -1, "muslin.mesh");
        if (mesh && *mesh) {
            span.data = mus_mesh_get_vertices(*mesh);
            span.count = mus_mesh_get_vertex_count(*mesh);
        } else if (!mus_lua_test_array(L, -1, &span) || span.components != 3) {
            const char *seen = mus_lua_describe(L, -1);
            mus_lua_error(L, "obstacle:animate: frame %d must be a mesh or an array of positions (got %s)", (int)i,
                          seen);
        }
        if (i == 1) {
            cache->vertex_count = (int32_t)span.count;
            if (frames > SIZE_MAX / sizeof(double) / 3 / (size_t)(span.count ? span.count : 1))
                mus_lua_error(L, "obstacle:animate: the frames are too large");
            positions = lua_newuserdatauv(L, (size_t)frames * (size_t)span.count * 3 * sizeof(double) + 1, 0);
            lua_insert(L, list + 1);
        } else if (span.count != cache->vertex_count) {
            mus_lua_error(L, "obstacle:animate: frame %d has %d vertices, frame 1 has %d", (int)i, (int)span.count,
                          (int)cache->vertex_count);
        }
        memcpy(positions + (i - 1) * 3 * (size_t)span.count, span.data, (size_t)span.count * 3 * sizeof(double));
        lua_settop(L, list + 1);
    }
    cache->positions = positions;
    cache->frame_count = (int32_t)frames;
}

/* Names of the same options in obstacle:animate and in world:obstacle. */
typedef struct animation_fields {
    const char *what, *cache, *array, *animation, *frames, *fps, *start, *lead_in, *interpolation, *loop, *scale, *up;
} animation_fields;

static mus_interpolation read_interpolation(lua_State *L, const animation_fields *f, mus_interpolation otherwise) {
    static const char *const names[] = {
        [MUS_INTERPOLATION_LINEAR] = "linear", [MUS_INTERPOLATION_SMOOTH] = "smooth", NULL};
    const char *name = mus_lua_opt_string(L, 2, f->what, f->interpolation, names[otherwise]);
    for (int k = 0; names[k]; k++)
        if (strcmp(names[k], name) == 0) return (mus_interpolation)k;
    return (mus_interpolation)mus_lua_error(L, "%s: field '%s' must be 'linear' or 'smooth' (got '%s')", f->what,
                                            f->interpolation, name);
}

static bool has_curves(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && (strcasecmp(dot, ".glb") == 0 || strcasecmp(dot, ".gltf") == 0 || strcasecmp(dot, ".usda") == 0);
}

/* The positions of a file, as a userdata on the stack; *fps: frames per second, which curves are sampled at. */
static mus_point_cache *load_cache(lua_State *L, const animation_fields *f, const char *path, bool loop, double *fps) {
    const char *array = mus_lua_opt_string(L, 2, f->what, f->array, NULL);
    const char *name = mus_lua_opt_string(L, 2, f->what, f->animation, NULL);
    bool curves = has_curves(path);
    if (array && curves)
        mus_lua_error(L,
                      "%s: field '%s' is for .npz files; '%s' names an animation of a glTF file, or a mesh of a .usda",
                      f->what, f->array, f->animation);
    if (name && !curves)
        mus_lua_error(L, "%s: field '%s' is for .glb, .gltf and .usda files (got '%s')", f->what, f->animation, path);
    mus_point_cache *cache = lua_newuserdatauv(L, sizeof *cache, 0);
    memset(cache, 0, sizeof *cache);
    luaL_setmetatable(L, TYPE);
    mus_lua_check_readable(L, f->what, path);
    mus_lua_check_status(L, curves ? mus_point_cache_sample(path, name, *fps, cache)
                                   : mus_point_cache_load(path, array, cache));
    if (!curves) return cache;
    *fps /= cache->sample_rate;
    if (loop && cache->frame_count > 2) cache->frame_count--; /* its last key is the time of its first one again */
    return cache;
}

/* Reads the options at index 2. A cache from a file is a userdata on the stack, else its frames are. */
static void read_animation(lua_State *L, mus_lua_worldbox *box, const animation_fields *f, mus_point_cache *given,
                           mus_animation *animation) {
    mus_point_cache *cache = given;
    double fps = mus_lua_opt_number(L, 2, f->what, f->fps, mus_world_get_def(box->world)->fps);
    if (!(fps > 0)) mus_lua_error(L, "%s: field '%s' must be > 0 (got %f)", f->what, f->fps, fps);
    animation->lead_in = mus_lua_opt_number(L, 2, f->what, f->lead_in, 0);
    animation->start = mus_lua_opt_number(L, 2, f->what, f->start, mus_lua_world_now(box) + animation->lead_in);
    animation->interpolation = read_interpolation(L, f, animation->interpolation);
    animation->loop = mus_lua_opt_bool(L, 2, f->what, f->loop, false);
    mus_load_options load = mus_load_options_default();
    load.scale = mus_lua_opt_number(L, 2, f->what, f->scale, load.scale);
    load.up = mus_lua_opt_string(L, 2, f->what, f->up, load.up);
    const char *path = mus_lua_opt_string(L, 2, f->what, f->cache, NULL);
    bool frames = f->frames && mus_lua_field(L, 2, f->frames) != LUA_TNIL;
    if (!path == !frames)
        mus_lua_error(L, "%s: give '%s', the path of a file of positions, or 'frames' (got %s)", f->what, f->cache,
                      path ? "both" : "neither");
    if (frames && (load.scale != 1 || load.up || mus_lua_opt_string(L, 2, f->what, f->array, NULL) ||
                   mus_lua_opt_string(L, 2, f->what, f->animation, NULL)))
        mus_lua_error(L,
                      "%s: fields '%s', '%s', '%s' and '%s' are for a cache from a file; frames are taken as they "
                      "are",
                      f->what, f->scale, f->up, f->array, f->animation);
    if (frames) {
        read_frames(L, cache);
    } else {
        cache = load_cache(L, f, path, animation->loop, &fps);
        mus_lua_check_status(L, mus_point_cache_transform(cache, &load));
    }
    animation->interval = 1 / fps;
    animation->cache = cache;
}

int mus_lua_obstacle_animate(lua_State *L) {
    static const char *const keys[] = {"cache",   "array",         "animation", "frames", "fps", "start",
                                       "lead_in", "interpolation", "loop",      "scale",  "up",  NULL};
    static const animation_fields fields = {"obstacle:animate", "cache", "array", "animation",
                                            "frames",           "fps",   "start", "lead_in",
                                            "interpolation",    "loop",  "scale", "up"};
    mus_lua_worldbox *box;
    lua_settop(L, 2);
    mus_obstacle_id id = mus_lua_check_obstacle(L, 1, "animate", &box);
    mus_lua_check_change(L, box, "obstacle:animate");
    mus_lua_check_keys(L, 2, "obstacle:animate", keys);
    mus_point_cache given = {0};
    mus_animation animation = mus_animation_default();
    read_animation(L, box, &fields, &given, &animation);
    mus_lua_check_status(L, mus_obstacle_set_animation(box->world, id, &animation));
    box->moment++;
    lua_pushvalue(L, 1);
    return 1;
}

bool mus_lua_has_cache(lua_State *L, const char *const *keys, const char *shape) {
    bool cache = mus_lua_field(L, 2, "cache") != LUA_TNIL;
    lua_pop(L, 1);
    for (; *keys && !cache; keys++)
        if (strncmp(*keys, "cache_", 6) == 0 && mus_lua_field(L, 2, *keys) != LUA_TNIL)
            mus_lua_error(L, "obstacle: field '%s' is about a cache, and there is no field 'cache'", *keys);
    if (cache && strcmp(shape, "mesh") != 0)
        mus_lua_error(L, "obstacle: field 'cache' does not belong to shape '%s'; only a mesh is animated", shape);
    return cache;
}

void mus_lua_read_cache(lua_State *L, mus_lua_worldbox *box, const mus_mesh *mesh, mus_animation *animation) {
    static const animation_fields cache_fields = {
        "obstacle",    "cache",         "cache_array",         "cache_animation", NULL,          "cache_fps",
        "cache_start", "cache_lead_in", "cache_interpolation", "cache_loop",      "cache_scale", "cache_up"};
    mus_point_cache given = {0};
    read_animation(L, box, &cache_fields, &given, animation);
    int32_t points = animation->cache->vertex_count, vertices = mus_mesh_get_vertex_count(mesh);
    if (points != vertices)
        mus_lua_error(L, "obstacle: field 'cache': the point cache has %d vertices, the mesh %d", (int)points,
                      (int)vertices);
}

void mus_lua_open_animation(lua_State *L) {
    static const luaL_Reg meta[] = {{"__gc", cache_gc}, {NULL, NULL}}, none[] = {{NULL, NULL}};
    mus_lua_new_type(L, TYPE, meta, none, NULL, NULL);
}
