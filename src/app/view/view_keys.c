/* view_keys.c: the keys of the window: first the scene's hooks, then the window's own. */
#include "view/view_window.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 1 << 20 }; /* of one move through time */

static void screenshot(view_window *w) {
    int width, height;
    SDL_GL_GetDrawableSize(w->sdl, &width, &height);
    char *text = view_shot(w->renderer, &w->scene, &w->camera, width, height);
    if (text) view_window_show(w, text);
    free(text);
}

static void key_name(SDL_Keycode code, char *name, size_t size) {
    const char *from = SDL_GetKeyName(code);
    size_t n = 0;
    for (; from[n] && n + 1 < size; n++) name[n] = (char)tolower((unsigned char)from[n]);
    name[n] = 0;
}

static void builtin_key(view_window *w, SDL_Keycode code) {
    switch (code) {
    case SDLK_SPACE:
        view_time_pause(w, !w->figures.paused);
        break;
    case SDLK_PERIOD:
    case SDLK_n:
        view_time_pause(w, true);
        view_time_frame(w);
        break;
    case SDLK_l:
        w->loops = !w->loops;
        view_window_show(w, w->loops ? "The scene plays again when it has ended." : "The scene pauses at its end.");
        if (w->loops && w->at_end) view_time_load(w, true);
        break;
    case SDLK_r:
        view_time_load(w, true);
        break;
    case SDLK_LEFT:
        view_time_move(w, -1);
        break;
    case SDLK_RIGHT:
        view_time_move(w, 1);
        break;
    case SDLK_PAGEUP:
        view_time_move(w, -10);
        break;
    case SDLK_PAGEDOWN:
        view_time_move(w, 10);
        break;
    case SDLK_HOME:
        view_time_move(w, -MOST_STEPS);
        break;
    case SDLK_END:
        view_time_move(w, MOST_STEPS);
        break;
    case SDLK_s:
        screenshot(w);
        break;
    case SDLK_a:
        view_scene_audit(&w->scene);
        break;
    case SDLK_w:
        w->style.wireframe = !w->style.wireframe;
        break;
    case SDLK_c:
        w->style.contacts = !w->style.contacts;
        break;
    case SDLK_p:
        w->style.pins = !w->style.pins;
        break;
    case SDLK_v:
        w->style.normals = !w->style.normals;
        break;
    case SDLK_m:
        w->style.heat = (w->style.heat + 1) % APP_HEAT_COUNT;
        break;
    case SDLK_f:
        if (view_scene_world(&w->scene)) { /* keeps the direction, changes the position */
            float yaw = w->camera.yaw, pitch = w->camera.pitch;
            w->camera = app_camera_fit(view_scene_world(&w->scene), w->camera.aspect);
            w->camera.yaw = yaw, w->camera.pitch = pitch;
            w->first_camera = w->camera;
            w->camera_placed = w->follows = true;
        }
        break;
    case SDLK_h:
    case SDLK_F1:
        w->figures.keys = !w->figures.keys;
        break;
    case SDLK_i:
        w->figures.shown = !w->figures.shown;
        break;
    case SDLK_q:
    case SDLK_ESCAPE:
        w->quit = true;
        break;
    default:
        break;
    }
}

void view_keys_press(view_window *w, const SDL_KeyboardEvent *event) {
    char name[32];
    key_name(event->keysym.sym, name, sizeof name);
    if (event->keysym.mod & (KMOD_CTRL | KMOD_ALT | KMOD_GUI)) return; /* the desktop's */
    SDL_Keycode code = event->keysym.sym;
    bool repeats = code == SDLK_PERIOD || code == SDLK_n || code == SDLK_LEFT || code == SDLK_RIGHT;
    if (event->repeat && !repeats) return;
    w->dirty = true; /* after any result of a hook */
    if (name[0] && view_scene_key(&w->scene, name)) return;
    builtin_key(w, event->keysym.sym);
}
