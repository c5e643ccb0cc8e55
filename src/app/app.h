/* app.h: declarations shared by the host's files. Only the host prints, and handles a command line or a window. */
#ifndef MUS_APP_H
#define MUS_APP_H

#include "api.h"

enum { /* exit codes, API.md */
       APP_OK = 0,
       APP_CHECK_FAILED = 1,
       APP_USAGE = 2,
       APP_ERROR = 3,
       APP_TIME_LIMIT = 124,
       APP_INTERRUPTED = 130
};

/* The frames first, first + step, ... up to last; step 0: all. */
typedef struct app_frames {
    int64_t first, last, step;
} app_frames;

/* A quantity that the color of cloth shows, by vertex. */
typedef enum app_heat {
    APP_HEAT_NONE,
    APP_HEAT_STRETCH,   /* the largest strain of the edges at a vertex, 0 where compressed */
    APP_HEAT_SPEED,     /* m/s */
    APP_HEAT_FORCE,     /* N, contact forces of the last step on the vertex: sum of impulses, by weights, over dt */
    APP_HEAT_PRESSURE,  /* Pa, the same over a third of the area of the faces at the vertex */
    APP_HEAT_CURVATURE, /* 1/m, of the most bent edge at the vertex: angle of its faces over the mean of their heights
                         */
    APP_HEAT_DISTANCE,  /* m, to the nearest surface in contact; INFINITY without a contact */
    APP_HEAT_COUNT
} app_heat;
const char *app_heat_name(app_heat heat); /* "stretch", "speed", "force", ...; "none" */

typedef struct app_options {
    const char *command; /* "run", "view", … */
    const char *scene;   /* path of the script, NULL where none is needed */
    const char *title;   /* in messages, of a scene of muslin's own, whose lines they do not name; NULL: the path */
    char **paths;        /* operands of test, audit, doc, collect */
    int path_count;
    char **script_args; /* everything after -- */
    int script_arg_count;
    char **granted; /* of a case: the words after -- on its command line, whose files the scene may access */
    int granted_count;
    int64_t frames;  /* < 0: not given */
    double seconds;  /* < 0: not given */
    const char *out; /* NULL: not given */
    const char *format;
    app_frames pictures;  /* frames written as pictures */
    bool z_up;            /* of run: ply and stl with z up */
    bool planes;          /* of run: also in formats that leave them out */
    app_heat show;        /* the quantity that cloth is colored by in pictures */
    const char *pipeline; /* NULL: the script's */
    int threads;          /* < 0: the script's */
    bool seed_given;
    uint64_t seed;
    bool audit, json, quiet, trusted, no_sleep;
    double time_limit;   /* 0: none */
    double memory_limit; /* MB, limit of Lua's memory; 0: none */
    double world_memory; /* MB, limit of the memory of meshes and worlds; 0: by the machine's memory */
    double tolerance;    /* m, of audits; < 0: not given */
    const char *junit, *filter;
    bool update_golden; /* of test */
    int jobs;
    bool resume;
    int64_t checkpoint_every; /* frames; 0: no checkpoints */
    bool repl;                /* of view: a prompt in the terminal */
    bool loops;               /* of view: the scene plays again when it has ended */
    int width, height;        /* of the window or the picture; 0: not given */
    const char *rule;         /* a file whose response is added to the scene's world; NULL: none */
    const char *pipelines;    /* of compare: a comma list; NULL: not given */
    const char **rules;       /* of compare: files */
    int rule_count;
    bool report;                     /* of run and compare */
    bool svg;                        /* of pattern */
    bool picture;                    /* of dress: DIR/picture.png of the last frame */
    bool png, fail_on_intersections; /* of compare */
    const char *case_at;             /* of run: FILE:K, a line of a sweep's cases.jsonl; NULL: not given */
    const struct json_t *sweep_case; /* that line, for the manifest; NULL: not a run of a sweep */
    const char *engine;              /* of sweep; NULL: local */
    bool csv;                        /* of collect */
} app_options;
/* What messages call the scene. */
static inline const char *app_options_title(const app_options *options) {
    return options->title ? options->title : options->scene;
}

/* ---- scene.c: a script, its Lua state and the world it returned -------------------------------------------------- */

typedef struct app_scene {
    lua_State *L;
    int world_index;  /* stack index of the world userdata, 0: the script returned none */
    mus_world *world; /* NULL: the script returned none */
    double fps, duration;
    int64_t frame;       /* last frame made; 0: the initial state */
    bool stopped;        /* the script called world:stop() in this frame */
    char *error;         /* message with traceback of the last failure; app_scene_set_error's; NULL: none */
    char spare[256];     /* its beginning, where memory for it is short */
    const char *path;    /* of the script; the options' */
    const char *title;   /* likewise */
    double memory_limit; /* MB, the options' */
    bool may_keep_world; /* the script need not return the world that it makes, as there is a prompt */
} app_scene;

/* Opens a state, runs the script and starts its world. False: scene->error is set; the scene must still be closed. */
bool app_scene_open(app_scene *scene, const app_options *options);
bool app_scene_frame(
    app_scene *scene); /* advances one frame; false: scene->error is set, the state is the last good one */
bool app_scene_finish(app_scene *scene); /* fires `done` */
void app_scene_close(app_scene *scene);
void app_scene_set_error(app_scene *scene, const char *message); /* a copy; NULL: none */

/* ---- render.c: pictures of a world with OpenGL 3.3, in a window or without a display ----------------------------- */

typedef struct app_camera {
    float target[3], yaw, pitch, distance, fov; /* rad, m; the angle of view from top to bottom */
    float aspect; /* width over height of the pictures it is fitted to; 0, or more than 3/2: 3/2 */
} app_camera;

typedef struct app_renderer app_renderer;
/* Uses the current GL context when `own_context` is false (the window's); else opens one without a display. NULL with
 * the error record set when there is no GL. */
app_renderer *app_renderer_create(bool own_context);
void app_renderer_destroy(app_renderer *renderer);
/* A camera that shows all objects of the world (except planes), from above at the front right, in a picture of that
 * width over height. */
app_camera app_camera_fit(mus_world *world, float aspect);
app_camera app_camera_of_view(const mus_lua_view *view); /* which has a camera */
/* Background, light and title of the next pictures, NULL: the usual ones and no title. The title is read when a picture
 * is made. */
void app_renderer_set_view(app_renderer *renderer, const mus_lua_view *view);
/* The quantity that cloth is colored by in the next pictures. */
void app_renderer_set_heat(app_renderer *renderer, app_heat heat);
/* To be called after every frame: moves the camera smoothly, without rotation, when an object begins to leave the
 * picture; never closer, and at most three times as far as `first`, the initial camera. */
void app_camera_follow(app_camera *camera, const app_camera *first, mus_world *world);
/* Draws the world (and the drawing of its hooks, may be NULL) into the current framebuffer of width x height pixels. */
void app_renderer_draw(app_renderer *renderer, mus_world *world, const mus_lua_drawing *drawing,
                       const app_camera *camera, int width, int height);
/* Draws text over the picture, in pixels from the top left, scaled for legibility. Several lines with \n. */
void app_renderer_text(app_renderer *renderer, float x, float y, float size, const float color[4], const char *text,
                       int width, int height);
/* The same picture as the window's, without the key help, to a PNG under a temporary name that is then renamed. */
mus_status app_renderer_png(app_renderer *renderer, mus_world *world, const mus_lua_drawing *drawing,
                            const app_camera *camera, int width, int height, const char *path);

/* ---- commands: return an exit code ------------------------------------------------------------------------------- */

int app_run(const app_options *options);
int app_dress(const app_options *options);   /* of garment.c */
int app_pattern(const app_options *options); /* of garment.c */
int app_view(const app_options *options);    /* view.c */
int app_test(const app_options *options);
int app_audit(const app_options *options);
int app_repl(const app_options *options);
int app_compare(const app_options *options);
int app_doc(const app_options *options);
int app_sweep(const app_options *options);
int app_collect(const app_options *options);

#endif
