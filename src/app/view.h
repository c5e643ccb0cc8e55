/* view.h: what the files of the preview window share. */
#ifndef MUS_APP_VIEW_H
#define MUS_APP_VIEW_H

#include "host.h"
#include "render.h"

#include <SDL.h>

/* ---- view_watch.c: which files a scene was made of, and whether one was saved since ------------------------------ */

typedef struct view_file {
    char *path;
    int64_t seconds, nanoseconds, size, inode; /* size -1: not there */
} view_file;

typedef struct view_watch {
    view_file *files;
    int count;
    bool pending; /* a change was seen, and must be seen to rest before it counts */
} view_watch;

/* The script and, where a state is given, every Lua file it has loaded, besides what is watched already: one that is
 * required only by a version of the script that fails must be watched too. */
void view_watch_add(view_watch *watch, const char *script, lua_State *L);
/* The same and nothing else. A file that was watched before is compared with what it was then. */
void view_watch_set(view_watch *watch, const char *script, lua_State *L);
bool view_watch_changed(view_watch *watch); /* to be asked a few times a second */
void view_watch_clear(view_watch *watch);

/* ---- view_scene.c: the scene behind the window ------------------------------------------------------------------- */

typedef struct view_audit {
    int64_t frame; /* -1: never */
    int64_t intersections, inside;
    double ms, at; /* what it took; when it ended, s of app_clock */
} view_audit;

typedef struct view_scene {
    const app_options *options;
    app_scene scene;
    bool open;     /* `scene` holds a state */
    bool broken;   /* the script of that state does not run on: `error` says why */
    bool checks;   /* the error is a check that failed, not a mistake */
    bool finished; /* `done` was fired */
    char *error;   /* shown in the window, owned; NULL */
    bool draw_broken;
    view_watch watch;
    view_audit audit;
    double step_ms; /* smoothed */
    mus_stats stats;
} view_scene;

/* Runs the script. On failure what was there before stays to be looked at, and `error` tells. */
bool view_scene_load(view_scene *v);
bool view_scene_frame(view_scene *v);
void view_scene_finish(view_scene *v);
void view_scene_audit(view_scene *v);
/* Audits by itself now and then where that costs next to nothing. */
void view_scene_audit_if_cheap(view_scene *v);
/* What the draw hooks asked for; NULL when they failed or there is no world. */
const mus_lua_drawing *view_scene_drawing(view_scene *v);
bool view_scene_key(view_scene *v, const char *name); /* true: a hook has handled it */
mus_world *view_scene_world(const view_scene *v);
void view_scene_close(view_scene *v);

/* ---- view_overlay.c ---------------------------------------------------------------------------------------------- */

typedef enum view_panel { VIEW_PANEL_NONE, VIEW_PANEL_FIGURES, VIEW_PANEL_KEYS } view_panel;

typedef struct view_figures {
    const char *title;
    bool paused;
    double pictures;     /* a second */
    double factor;       /* simulated seconds a second, < 0: not known yet */
    const char *message; /* for some seconds, "" for none */
    view_panel panel;
    float scale; /* pixels of the picture a point of the window */
} view_figures;

void view_overlay_draw(app_renderer *renderer, const view_scene *scene, const view_figures *figures, int width,
                       int height);

#endif
