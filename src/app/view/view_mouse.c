/* view_mouse.c: the mouse in the window: turning and moving the camera, picking, pulling cloth, the timeline, sliders.
 */
#include "view/view_window.h"

#include <stdlib.h>
#include <string.h>

static const int CLICK_POINTS = 3; /* largest motion of the mouse in a click */

/* ---- Grabbing ---------------------------------------------------------------------------------------------------- */

static void move_grab(view_window *w, int x, int y) {
    int width, height;
    double from[3], along[3];
    SDL_GetWindowSize(w->sdl, &width, &height);
    if (width <= 0 || height <= 0) return;
    view_ray_at(&w->camera, x + 0.5, y + 0.5, width, height, from, along);
    view_grab_move(&w->grab, from, along);
    w->dirty = true;
}

static bool begin_grab(view_window *w, int x, int y) {
    view_pick pick = view_mouse_pick(w, x, y);
    if (!view_grab_begin(&w->grab, &w->scene, &pick, &w->camera)) return false;
    if (w->figures.paused) view_window_show(w, "Paused: the point follows when the scene plays (space, n).");
    w->dirty = true;
    return true;
}

/* ---- The timeline and the sliders -------------------------------------------------------------------------------- */

/* A point of the window in pixels, with the picture's width and height. */
typedef struct pixel {
    float x, y;
    int width, height;
    float size; /* of the text */
} pixel;

static pixel pixel_at(view_window *w, int x, int y) {
    pixel at = {0};
    int points = 0, unused = 0;
    SDL_GL_GetDrawableSize(w->sdl, &at.width, &at.height);
    SDL_GetWindowSize(w->sdl, &points, &unused);
    float scale = points > 0 ? (float)at.width / (float)points : 1;
    at.x = ((float)x + 0.5f) * scale, at.y = ((float)y + 0.5f) * scale;
    at.size = view_overlay_text_size(&w->figures, at.width);
    return at;
}

static bool find_timeline(view_window *w, const pixel *at, view_timeline *timeline) {
    return view_timeline_layout(timeline, w->renderer, &w->scene, &w->figures, at->size, at->width, at->height);
}

static bool begin_scrub(view_window *w, int x, int y) {
    view_timeline timeline;
    pixel at = pixel_at(w, x, y);
    if (!find_timeline(w, &at, &timeline) || at.y < timeline.top) return false;
    if (at.x >= timeline.left - 0.5f * at.size) view_time_seek(w, view_timeline_frame_at(&timeline, at.x));
    return true;
}

static void move_scrub(view_window *w, int x, int y) {
    view_timeline timeline;
    pixel at = pixel_at(w, x, y);
    if (find_timeline(w, &at, &timeline)) view_time_seek(w, view_timeline_frame_at(&timeline, at.x));
}

static bool find_slider(view_window *w, const pixel *at, view_panel *panel, int32_t *slider) {
    if (!view_panel_layout(panel, &w->scene, &w->figures, at->size, at->width, at->height)) return false;
    *slider = view_panel_find(panel, at->x, at->y);
    return *slider >= 0;
}

static void move_slider(view_window *w, int x, int y) {
    view_panel panel;
    pixel at = pixel_at(w, x, y);
    if (!view_panel_layout(&panel, &w->scene, &w->figures, at.size, at.width, at.height)) return;
    if (w->slider < panel.count) view_panel_set(&panel, &w->scene, w->slider, at.x);
    w->dirty = true;
}

static bool begin_slider(view_window *w, int x, int y) {
    view_panel panel;
    pixel at = pixel_at(w, x, y);
    if (!find_slider(w, &at, &panel, &w->slider)) return false;
    move_slider(w, x, y);
    return true;
}

/* The right button restores the script's value. */
static void reset_slider(view_window *w, int x, int y) {
    view_panel panel;
    int32_t slider;
    pixel at = pixel_at(w, x, y);
    if (!find_slider(w, &at, &panel, &slider)) return;
    view_panel_reset(&panel, &w->scene, slider);
    w->dirty = true;
}

/* ---- Events ------------------------------------------------------------------------------------------------------ */

void view_mouse_motion(view_window *w, const SDL_MouseMotionEvent *event) {
    int width, height;
    SDL_GetWindowSize(w->sdl, &width, &height);
    float dx = (float)event->xrel, dy = (float)event->yrel;
    bool shift = SDL_GetModState() & KMOD_SHIFT, left = event->state & SDL_BUTTON_LMASK;
    if (event->state & (SDL_BUTTON_RMASK | SDL_BUTTON_MMASK) || (left && shift && w->gesture == VIEW_GESTURE_CAMERA))
        app_camera_pan(&w->camera, dx, -dy, height);
    else if (left && w->gesture == VIEW_GESTURE_CAMERA)
        app_camera_orbit(&w->camera, -0.0065f * dx, 0.0065f * dy);
    else if (left && w->gesture == VIEW_GESTURE_SCRUB)
        return move_scrub(w, event->x, event->y);
    else if (left && w->gesture == VIEW_GESTURE_SLIDER)
        return move_slider(w, event->x, event->y);
    else if (w->grab.on)
        return move_grab(w, event->x, event->y);
    else
        return;
    w->follows = false;
    w->dirty = true;
}

view_pick view_mouse_pick(view_window *w, int x, int y) {
    int width, height;
    SDL_GetWindowSize(w->sdl, &width, &height);
    return view_pick_at(view_scene_world(&w->scene), &w->camera, x + 0.5, y + 0.5, width, height);
}

static void press_button(view_window *w, int x, int y) {
    w->press_x = x, w->press_y = y;
    w->gesture = VIEW_GESTURE_CAMERA;
    if (begin_scrub(w, x, y))
        w->gesture = VIEW_GESTURE_SCRUB;
    else if (begin_slider(w, x, y))
        w->gesture = VIEW_GESTURE_SLIDER;
    else if (SDL_GetModState() & KMOD_CTRL && begin_grab(w, x, y))
        w->gesture = VIEW_GESTURE_GRAB;
}

static void release_button(view_window *w, int x, int y) {
    view_gesture gesture = w->gesture;
    w->gesture = VIEW_GESTURE_CAMERA;
    w->dirty = true;
    if (gesture == VIEW_GESTURE_GRAB) view_grab_end(&w->grab, &w->scene);
    if (gesture == VIEW_GESTURE_SCRUB || gesture == VIEW_GESTURE_SLIDER) return;
    if (abs(x - w->press_x) > CLICK_POINTS || abs(y - w->press_y) > CLICK_POINTS) return;
    char text[256];
    w->picked = view_mouse_pick(w, x, y);
    view_pick_text(&w->picked, text, sizeof text);
    view_window_show(w, text);
}

void view_mouse_button(view_window *w, const SDL_MouseButtonEvent *event) {
    if (event->button == SDL_BUTTON_RIGHT && event->type == SDL_MOUSEBUTTONDOWN) reset_slider(w, event->x, event->y);
    if (event->button != SDL_BUTTON_LEFT) return;
    (event->type == SDL_MOUSEBUTTONDOWN ? press_button : release_button)(w, event->x, event->y);
}

void view_mouse_wheel(view_window *w, const SDL_MouseWheelEvent *event) {
    app_camera_zoom(&w->camera, event->preciseY * (event->direction == SDL_MOUSEWHEEL_FLIPPED ? -1 : 1));
    w->follows = false;
    w->dirty = true;
}
