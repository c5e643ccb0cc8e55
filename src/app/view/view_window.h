/* view_window.h: the preview window, shared by the files that handle its time, keys and mouse. */
#ifndef MUS_APP_VIEW_WINDOW_H
#define MUS_APP_VIEW_WINDOW_H

#include "view/view.h"

#include <SDL.h>

/* What a press of the left button has started; it ends when the button is released. */
typedef enum view_gesture {
    VIEW_GESTURE_CAMERA, /* motion turns or moves the camera */
    VIEW_GESTURE_GRAB,   /* motion moves what `grab` has grabbed */
    VIEW_GESTURE_SCRUB,  /* motion moves through time */
    VIEW_GESTURE_SLIDER  /* motion moves slider number `slider` */
} view_gesture;

typedef struct view_window {
    const app_options *options; /* the command line's, or `dropped` */
    app_options dropped;        /* of the scene dropped last */
    char **dropped_paths;       /* of all that were dropped; owned */
    int dropped_count;
    SDL_Window *sdl;
    SDL_GLContext gl;
    app_renderer *renderer;
    view_scene scene;
    app_camera camera, first_camera;
    bool follows; /* the scene's camera or the objects, until the mouse has moved the camera */
    app_render_style style;
    view_figures figures;
    char title[128], message[512];
    double message_until;
    bool camera_placed, dirty, quit;
    bool loops;         /* the scene plays again when it has ended */
    bool at_end;        /* paused by the scene's end, not by a key */
    int64_t last_frame; /* the last to play by the command line; -1: no end */
    int64_t end_frame;  /* of the scene's own duration; -1 once passed */
    /* The clock: frame `origin_frame` belongs to the time `origin`. */
    double origin;
    int64_t origin_frame;
    double rate_since, picture_cost;
    view_quality quality;
    double watched, drawn, pictured; /* time of the last check of files, of the last picture, of its drawing */
    view_gesture gesture;
    int press_x, press_y; /* position of the press of the left button */
    view_grab grab;
    int32_t slider;
    view_pick picked; /* by the last click */
    int64_t rate_frame, rate_pictures;
} view_window;

/* ---- view_time.c: playing, loading and moving in time ------------------------------------------------------------ */

/* Shows a message for some seconds. */
void view_window_show(view_window *w, const char *text);
void view_time_restart(view_window *w); /* the clock, from the present frame */
void view_time_pause(view_window *w, bool paused);
/* Finds the frame at which the scene ends by itself, unless it was played beyond it. */
void view_time_find_end(view_window *w);
bool view_time_load(view_window *w, bool anew); /* view_scene_load */
bool view_time_playing(const view_window *w);
/* Plays one frame, and ends the run or the scene at its last frame. */
bool view_time_frame(view_window *w);
/* Plays the frames due by the wall clock, within a time budget: for a slower simulation the clock is reset, and the
 * window stays responsive. */
void view_time_play(view_window *w);
/* Moves back or forth by moments of the history, and pauses. */
void view_time_move(view_window *w, int steps);
void view_time_seek(view_window *w, int64_t frame); /* likewise, to the moment nearest to the frame */

/* ---- view_drop.c ------------------------------------------------------------------------------------------------- */

/* The window's title, by the name of the scene's file. */
void view_drop_name(view_window *w);
/* Opens a scene in place of the present one: without arguments, in the sandbox. If it fails, the error is shown over
 * the scene before, and the file is loaded when it is saved or the key r is pressed. */
void view_drop_file(view_window *w, const char *path);
void view_drop_end(view_window *w);

/* ---- view_keys.c ------------------------------------------------------------------------------------------------- */

void view_keys_press(view_window *w, const SDL_KeyboardEvent *event);

/* ---- view_mouse.c ------------------------------------------------------------------------------------------------ */

void view_mouse_motion(view_window *w, const SDL_MouseMotionEvent *event);
void view_mouse_button(view_window *w, const SDL_MouseButtonEvent *event);
void view_mouse_wheel(view_window *w, const SDL_MouseWheelEvent *event);
/* At a point of the window, not a pixel. */
view_pick view_mouse_pick(view_window *w, int x, int y);

#endif
