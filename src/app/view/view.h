/* view.h: declarations shared by the files of the preview window. */
#ifndef MUS_APP_VIEW_H
#define MUS_APP_VIEW_H

#include "host.h"
#include "render/render.h"

/* ---- Vectors ----------------------------------------------------------------------------------------------------- */

static inline double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void cross(const double a[3], const double b[3], double out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* ---- view_watch.c: which files a scene was made of, and whether one was saved since ------------------------------ */

typedef struct view_file {
    char *path;
    int64_t seconds, nanoseconds, size, inode; /* size -1: missing */
} view_file;

typedef struct view_watch {
    view_file *files;
    int count;
    bool pending; /* a change was detected, which counts once the file is stable */
} view_watch;

/* Adds the script and, if a state is given, every Lua file it has loaded to the watched files, as a file that is
 * required only by a failing version of the script must be watched too. */
void view_watch_add(view_watch *watch, const char *script, lua_State *L);
/* Watches the same files only. A file that was watched before is compared with its earlier state. */
void view_watch_set(view_watch *watch, const char *script, lua_State *L);
bool view_watch_changed(view_watch *watch); /* call a few times a second */
void view_watch_clear(view_watch *watch);

/* ---- view_scene.c: the scene behind the window ------------------------------------------------------------------- */

typedef struct view_audit {
    int64_t frame; /* -1: never */
    int64_t intersections, inside;
    double ms, at; /* duration; time of its end, s of app_clock */
} view_audit;

typedef struct view_moment {
    int ref; /* in Lua's registry: the owner of the snapshot */
    mus_snapshot *snapshot;
    int64_t frame;
    size_t bytes;
} view_moment;

typedef struct view_history {
    view_moment *moments; /* from the oldest to the youngest */
    int count, at;        /* at: the shown one; -1: the present */
    size_t bytes;
    int64_t every; /* frames */
} view_history;

typedef struct view_scene {
    const app_options *options;
    app_scene scene;
    bool open;     /* `scene` has a state */
    bool broken;   /* the script of that state cannot continue, see `error` */
    bool checks;   /* the error is a failed check, not an error of the script */
    bool finished; /* `done` was fired */
    char *error;   /* shown in the window, owned; NULL */
    bool draw_broken, camera_broken;
    view_watch watch;
    view_audit audit;
    view_history history;
    double step_ms; /* smoothed */
    double time;    /* s of the world, at the last frame made or shown */
    mus_stats stats;
} view_scene;

/* Runs the script: from its start with `anew`, else continuing the previous scene if the script requests it
 * (world:keep) or after a move back in time; writes a message to `note` if needed. On failure the previous scene
 * continues, and `error` is set. */
bool view_scene_load(view_scene *v, bool anew, char *note, size_t size);
bool view_scene_frame(view_scene *v);
void view_scene_finish(view_scene *v);
void view_scene_audit(view_scene *v);
/* Audits automatically from time to time if the cost is negligible. */
void view_scene_audit_if_cheap(view_scene *v);
/* The drawing of the draw hooks; NULL if they failed or there is no world. */
const mus_lua_drawing *view_scene_drawing(view_scene *v);
/* How it is to be shown; NULL: not stated, or its camera function failed. */
const mus_lua_view *view_scene_view(view_scene *v);
bool view_scene_key(view_scene *v, const char *name); /* true: a hook has handled it */
mus_world *view_scene_world(const view_scene *v);
/* Call after a statement at the prompt, which may have moved the world in time (true) or closed it. */
bool view_scene_settle(view_scene *v);
void view_scene_close(view_scene *v);

/* ---- view_history.c: going back in time -------------------------------------------------------------------------- */

void view_history_begin(view_scene *v); /* the scene was loaded: its first moment */
void view_history_note(view_scene *v);  /* a frame was made */
/* Moves by `steps` moments, back if negative; `note` receives the new place or the error. */
bool view_history_go(view_scene *v, int steps, char *note, size_t size);
/* Shows the moment that is nearest to a frame. */
bool view_history_seek(view_scene *v, int64_t frame, char *note, size_t size);
/* Moves a scene just opened to the state of the present one, if requested; false: it begins at its start. */
bool view_history_continue(view_scene *v, app_scene *fresh, char *note, size_t size);
void view_history_clear(view_scene *v);

/* Call after the prompt has moved the world in time: drops later frames. */
void view_history_moved(view_scene *v);

/* ---- view_pick.c: what is under a point of the window ------------------------------------------------------------ */

typedef struct view_pick {
    bool hit, cloth;
    mus_cloth_id cloth_id;       /* of a cloth */
    mus_obstacle_id obstacle_id; /* of an obstacle */
    int32_t face, vertex;        /* from 0; vertex: the nearest corner of the face; -1: a shape without faces */
    double at[3];
    char name[128];
} view_pick;

/* The ray through a point of the window in points from the top left; `along` is not a unit vector. */
void view_ray_at(const app_camera *camera, double x, double y, int width, int height, double from[3], double along[3]);
view_pick view_pick_at(mus_world *world, const app_camera *camera, double x, double y, int width, int height);
void view_pick_text(const view_pick *pick, char *text, size_t size);
/* {name =, text =, face =, vertex =}, the last two from 1 and only with faces; nil without a hit. */
void view_pick_push(lua_State *L, const view_pick *pick);

/* ---- view_grab.c: what the mouse has grabbed
 * --------------------------------------------------------------------------- */

typedef struct view_grab {
    bool on, is_cloth;
    mus_cloth_id cloth;
    int32_t corner[3];         /* vertices of the grabbed face */
    double weight[3];          /* barycentric coordinates of the grabbed point */
    double stiffness, damping; /* N/m, N s/m */
    mus_obstacle_id body;
    double local[3];            /* the grabbed point in the body's frame, m */
    double plane[3], normal[3]; /* parallel to the picture, through the point that was grabbed, m */
    double target[3];           /* the pointer's place in that plane, m */
} view_grab;

/* Grabs cloth or a rigid body where it was picked; false: nothing that could move. From then on every step pulls the
 * point to the pointer, by an external force. */
bool view_grab_begin(view_grab *grab, view_scene *v, const view_pick *pick, const app_camera *camera);
/* The pointer has moved, or the camera: the ray through it. */
void view_grab_move(view_grab *grab, const double from[3], const double along[3]);
/* Call before the scene is loaded again. */
void view_grab_end(view_grab *grab, view_scene *v);
/* The grabbed point and the pointer's place; false: there is none, or its object was removed. */
bool view_grab_get_line(const view_grab *grab, const view_scene *v, double at[3], double target[3]);

/* ---- view_shot.c ------------------------------------------------------------------------------------------------- */

/* Writes the picture under an unused name; returns a message, owned; NULL: none. */
char *view_shot(app_renderer *renderer, view_scene *v, const app_camera *camera, int width, int height);

typedef struct view_figures {
    const char *title;
    bool paused;
    double pictures;     /* a second */
    double factor;       /* simulated seconds per second, < 0: not known yet */
    const char *message; /* for some seconds, "" for none */
    bool shown, keys;    /* the figures themselves; the list of keys */
    float scale;         /* pixels of the picture per point of the window */
} view_figures;

/* ---- view_timeline.c: the bar at the bottom of the window, in pixels ----------------------------------------------
 */

typedef struct view_timeline {
    float left, right, top;   /* of the bar; of its panel */
    int64_t first, last, end; /* frames: that the history can show, of the whole bar */
} view_timeline;

/* 0: hidden, with the figures. `size` is that of the text. */
float view_timeline_height(const view_scene *v, const view_figures *figures, float size);
/* False: hidden, without a history, or too narrow. */
bool view_timeline_layout(view_timeline *timeline, app_renderer *renderer, const view_scene *v,
                          const view_figures *figures, float size, int width, int height);
int64_t view_timeline_frame_at(const view_timeline *timeline, float x);
void view_timeline_draw(app_renderer *renderer, const view_scene *v, const view_figures *figures, float size, int width,
                        int height);

/* ---- view_panel.c: sliders of params that have a range, in pixels ------------------------------------------------ */

enum { VIEW_MOST_SLIDERS = 32 };

typedef struct view_panel {
    mus_lua_slider sliders[VIEW_MOST_SLIDERS];
    int32_t count;
    float left, right, top, line; /* of the tracks; of the first slider; height of a slider */
} view_panel;

/* False: hidden, or without sliders. Those beyond the window's height are not shown. */
bool view_panel_layout(view_panel *panel, view_scene *v, const view_figures *figures, float size, int width,
                       int height);
int32_t view_panel_find(const view_panel *panel, float x, float y); /* the slider at a point; -1: none */
/* Sets the value of a slider to that of a point; acts from the next step on. */
void view_panel_set(const view_panel *panel, view_scene *v, int32_t k, float x);
void view_panel_reset(const view_panel *panel, view_scene *v, int32_t k); /* the script's value */
/* Copies values to sliders of the same name and script's value in the state of a scene loaded anew. */
void view_panel_keep(lua_State *from, lua_State *to);
void view_panel_draw(app_renderer *renderer, view_scene *v, const view_figures *figures, float size, int width,
                     int height);

/* ---- view_overlay.c ---------------------------------------------------------------------------------------------- */

/* Height of the text in pixels: smaller in a small window. */
float view_overlay_text_size(const view_figures *figures, int width);
void view_overlay_draw(app_renderer *renderer, const view_scene *scene, const view_figures *figures, int width,
                       int height);

/* ---- view_quality.c ---------------------------------------------------------------------------------------------- */

/* How coarse the next picture is: while something moves, no coarser than 15 pictures a second need, or than a third of
 * the time that the frames take, and as good as possible once nothing does. */
typedef struct view_quality {
    app_draft draft;   /* of motion */
    int slow;          /* pictures of it in a row that took too long */
    app_camera camera; /* of the last picture */
    double refine_at;  /* when a picture that is a draft is replaced; 0: never */
} view_quality;

app_draft view_quality_choose(const view_quality *q, const app_camera *camera, bool playing);
/* After the picture, which took `cost`, s, until `now`, `interval` after the one before. */
void view_quality_add(view_quality *q, app_draft draft, double cost, const app_camera *camera, bool playing, double now,
                      double interval);

#endif
