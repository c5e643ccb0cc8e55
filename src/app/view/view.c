/* view.c: the preview window: keys, mouse, pacing against the wall clock, reload on save. */
#include "repl/repl.h"
#include "view/view.h"

#include <SDL.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const double PICTURE_SECONDS = 1.0 / 60; /* the shortest time between two pictures */
static const double BUSY_SECONDS = 0.030;       /* least time of simulation between two pictures */
static const double LAG_SECONDS = 0.100;        /* largest lag behind the wall clock before the clock is reset */
static const double WATCH_SECONDS = 0.1;
static const double MESSAGE_SECONDS = 4;
static const double PROMPT_SECONDS = 0.02; /* the longest sleep with a prompt */
static const int CLICK_POINTS = 3;         /* largest motion of the mouse in a click */
static const double RATE_SECONDS = 0.75;   /* averaging time of rates */

enum { MOST_STEPS = 1 << 20 }; /* of one move through time */

typedef struct window {
    const app_options *options;
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
    bool at_end;        /* paused by the scene's end, not by a key */
    int64_t last_frame; /* the last to play by the command line; -1: no end */
    int64_t end_frame;  /* of the scene's own duration; -1 once passed */
    /* The clock: frame `origin_frame` belongs to the time `origin`. */
    double origin;
    int64_t origin_frame;
    double rate_since, picture_cost;
    double watched, drawn; /* time of the last check of files, and of the last picture */
    int press_x, press_y;  /* position of the press of the left button */
    view_pick picked;      /* by the last click */
    int64_t rate_frame, rate_pictures;
} window;

static void show_message(window *w, const char *text) {
    strncpy(w->message, text, sizeof w->message - 1);
    w->message[sizeof w->message - 1] = 0;
    w->message_until = app_clock() + MESSAGE_SECONDS;
    w->dirty = true;
}

/* ---- Opening ----------------------------------------------------------------------------------------------------- */

static bool no_window(const app_options *options, const char *what, const char *why) {
    app_error("view: %s (%s); `muslin run %s` simulates without a window", what, why && *why ? why : "no reason given",
              options->scene);
    return false;
}

static bool is_set(const char *name) {
    const char *value = getenv(name);
    return value && *value;
}

static bool open_window(window *w) {
    const app_options *o = w->options;
    int width = o->width > 0 ? o->width : 1280, height = o->height > 0 ? o->height : 720;
    /* Without a screen SDL would open an invisible window: used only if its driver is named explicitly. */
    if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY") && !is_set("SDL_VIDEODRIVER"))
        return no_window(o, "no display", "neither DISPLAY nor WAYLAND_DISPLAY is set");
    SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1"); /* Ctrl-C interrupts the script: interrupt.c */
    SDL_SetHint(SDL_HINT_VIDEO_X11_NET_WM_BYPASS_COMPOSITOR, "0");
    SDL_SetHint(SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "1");
    if (SDL_Init(SDL_INIT_VIDEO) != 0) return no_window(o, "no display", SDL_GetError());
    const char *driver = SDL_GetCurrentVideoDriver();
    if (!is_set("SDL_VIDEODRIVER") && driver && (strcmp(driver, "offscreen") == 0 || strcmp(driver, "dummy") == 0))
        return no_window(o, "no display", "DISPLAY or WAYLAND_DISPLAY names no display");
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, SDL_GL_CONTEXT_PROFILE_CORE);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 3);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, 3);
    SDL_GL_SetAttribute(SDL_GL_DOUBLEBUFFER, 1);
    SDL_GL_SetAttribute(SDL_GL_DEPTH_SIZE, 0); /* pictures have their own buffers */
    w->sdl = SDL_CreateWindow(w->title, SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, width, height,
                              SDL_WINDOW_OPENGL | SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI);
    if (!w->sdl) return no_window(o, "no window", SDL_GetError());
    w->gl = SDL_GL_CreateContext(w->sdl);
    if (!w->gl) return no_window(o, "no OpenGL 3.3 in a window", SDL_GetError());
    SDL_GL_SetSwapInterval(1); /* if refused, the loop's own pause applies */
    w->renderer = app_renderer_create(false);
    if (!w->renderer) return no_window(o, "no OpenGL 3.3 in a window", mus_get_error_message());
    return true;
}

static void close_window(window *w) {
    app_renderer_destroy(w->renderer);
    if (w->gl) SDL_GL_DeleteContext(w->gl);
    if (w->sdl) SDL_DestroyWindow(w->sdl);
    SDL_Quit();
}

/* ---- Time -------------------------------------------------------------------------------------------------------- */

static void restart_clock(window *w) {
    w->origin = w->rate_since = app_clock();
    w->origin_frame = w->rate_frame = w->scene.scene.frame;
    w->rate_pictures = 0;
    w->figures.factor = -1;
}

static void pause_scene(window *w, bool paused) {
    w->figures.paused = paused;
    w->at_end = false;
    w->dirty = true;
    restart_clock(w);
}

/* Finds the frame at which the scene ends by itself, unless it was played beyond it. */
static void find_end(window *w) {
    int64_t end = w->options->frames < 0 && w->options->seconds < 0 && view_scene_world(&w->scene)
                      ? app_scene_frames(&w->scene.scene, w->options)
                      : -1;
    w->end_frame = w->scene.scene.frame < end ? end : -1;
}

static void load(window *w, bool anew) {
    char note[256] = "";
    bool ok = view_scene_load(&w->scene, anew, note, sizeof note);
    if (ok && *note) show_message(w, note);
    if (ok) w->picked.hit = false;
    if (ok && w->options->repl) app_repl_prepare(&w->scene.scene);
    w->dirty = true;
    if (ok) {
        find_end(w);
        w->last_frame =
            w->options->frames >= 0 || w->options->seconds >= 0 ? app_scene_frames(&w->scene.scene, w->options) : -1;
    }
    if (ok && !w->camera_placed && view_scene_world(&w->scene)) {
        w->camera = w->first_camera = app_camera_fit(view_scene_world(&w->scene));
        w->camera_placed = w->follows = true;
    }
    /* A scene paused by its end plays after a reload. */
    if (ok && w->at_end)
        pause_scene(w, false);
    else
        restart_clock(w);
}

static bool playing(const window *w) {
    return !w->figures.paused && !w->scene.broken && view_scene_world(&w->scene);
}

/* Plays one frame, and ends the run or the scene at its last frame. */
static bool one_frame(window *w) {
    w->dirty = true; /* also on failure, which the window must show */
    if (!view_scene_frame(&w->scene)) return false;
    if (w->follows) app_camera_follow(&w->camera, &w->first_camera, view_scene_world(&w->scene));
    int64_t frame = w->scene.scene.frame;
    if (w->end_frame >= 0 && frame >= w->end_frame) {
        w->end_frame = -1;
        view_scene_finish(&w->scene);
        if (!w->scene.error) show_message(w, "The scene has ended. Space continues, r restarts.");
        pause_scene(w, true);
        w->at_end = true;
        return false;
    }
    return true;
}

/* Plays the frames due by the wall clock, within a time budget: for a slower simulation the clock is reset, and the
 * window stays responsive. */
static void play_frame(window *w) {
    if (!playing(w)) return;
    double fps = w->scene.scene.fps > 0 ? w->scene.scene.fps : 60, start = app_clock();
    double budget = fmax(BUSY_SECONDS, w->picture_cost);
    for (;;) {
        double now = app_clock();
        int64_t due = w->origin_frame + mus_lua_whole((now - w->origin) * fps);
        if (w->last_frame >= 0 && w->scene.scene.frame >= w->last_frame) return;
        if (w->scene.scene.frame >= due) return;
        if (now - start > budget) break;
        if (!one_frame(w)) return;
    }
    double behind = app_clock() - w->origin - (double)(w->scene.scene.frame - w->origin_frame) / fps;
    if (behind > LAG_SECONDS) w->origin += behind - 1 / fps;
}

static void measure_rates(window *w) {
    double now = app_clock(), elapsed = now - w->rate_since;
    w->rate_pictures++;
    if (elapsed < RATE_SECONDS) return;
    double fps = w->scene.scene.fps > 0 ? w->scene.scene.fps : 60;
    w->figures.factor = (double)(w->scene.scene.frame - w->rate_frame) / fps / elapsed;
    w->figures.pictures = (double)w->rate_pictures / elapsed;
    w->rate_since = now;
    w->rate_frame = w->scene.scene.frame;
    w->rate_pictures = 0;
}

/* ---- Pictures ---------------------------------------------------------------------------------------------------- */

static void draw(window *w) {
    int width, height, points = 0, unused = 0;
    SDL_GL_GetDrawableSize(w->sdl, &width, &height);
    SDL_GetWindowSize(w->sdl, &points, &unused);
    w->figures.scale = points > 0 ? (float)width / (float)points : 1;
    w->figures.message = app_clock() < w->message_until ? w->message : "";
    double start = app_clock();
    const mus_lua_drawing *drawing = view_scene_drawing(&w->scene);
    const mus_lua_view *view = view_scene_view(&w->scene);
    if (w->follows && view && view->has_camera) w->camera = w->first_camera = app_camera_of_view(view);
    w->figures.title = view && view->title ? view->title : w->title;
    app_renderer_set_view(w->renderer, view);
    app_renderer_set_style(w->renderer, w->style);
    app_renderer_draw(w->renderer, view_scene_world(&w->scene), drawing, &w->camera, width, height);
    if (!w->scene.error) app_renderer_legend(w->renderer, 15 * w->figures.scale, width, height);
    view_overlay_draw(w->renderer, &w->scene, &w->figures, width, height);
    w->figures.title = w->title;
    app_renderer_set_view(w->renderer, NULL); /* its title may not outlive the picture */
    SDL_GL_SwapWindow(w->sdl);
    w->picture_cost = app_clock() - start;
    w->dirty = false;
    measure_rates(w);
}

static void screenshot(window *w) {
    int width, height;
    SDL_GL_GetDrawableSize(w->sdl, &width, &height);
    char *text = view_shot(w->renderer, &w->scene, &w->camera, width, height);
    if (text) show_message(w, text);
    free(text);
}

/* ---- Keys and mouse ---------------------------------------------------------------------------------------------- */

static void key_name(SDL_Keycode code, char *name, size_t size) {
    const char *from = SDL_GetKeyName(code);
    size_t n = 0;
    for (; from[n] && n + 1 < size; n++) name[n] = (char)tolower((unsigned char)from[n]);
    name[n] = 0;
}

/* Moves back or forth in time, and pauses. */
static void go_in_history(window *w, int steps) {
    char note[256] = "";
    view_history_go(&w->scene, steps, note, sizeof note);
    pause_scene(w, true);
    find_end(w);
    show_message(w, note);
}

static void builtin_key(window *w, SDL_Keycode code) {
    switch (code) {
    case SDLK_SPACE:
        pause_scene(w, !w->figures.paused);
        break;
    case SDLK_PERIOD:
    case SDLK_n:
        pause_scene(w, true);
        one_frame(w);
        break;
    case SDLK_r:
        load(w, true);
        break;
    case SDLK_LEFT:
        go_in_history(w, -1);
        break;
    case SDLK_RIGHT:
        go_in_history(w, 1);
        break;
    case SDLK_PAGEUP:
        go_in_history(w, -10);
        break;
    case SDLK_PAGEDOWN:
        go_in_history(w, 10);
        break;
    case SDLK_HOME:
        go_in_history(w, -MOST_STEPS);
        break;
    case SDLK_END:
        go_in_history(w, MOST_STEPS);
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
    case SDLK_m:
        w->style.heat = (w->style.heat + 1) % APP_HEAT_COUNT;
        break;
    case SDLK_f:
        if (view_scene_world(&w->scene)) { /* keeps the direction, changes the position */
            float yaw = w->camera.yaw, pitch = w->camera.pitch;
            w->camera = app_camera_fit(view_scene_world(&w->scene));
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

static void handle_key(window *w, const SDL_KeyboardEvent *event) {
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

static void handle_motion(window *w, const SDL_MouseMotionEvent *event) {
    int width, height;
    SDL_GetWindowSize(w->sdl, &width, &height);
    float dx = (float)event->xrel, dy = (float)event->yrel;
    bool shift = SDL_GetModState() & KMOD_SHIFT, left = event->state & SDL_BUTTON_LMASK;
    if (event->state & (SDL_BUTTON_RMASK | SDL_BUTTON_MMASK) || (left && shift))
        app_camera_pan(&w->camera, dx, -dy, height);
    else if (left)
        app_camera_orbit(&w->camera, -0.0065f * dx, 0.0065f * dy);
    else
        return;
    w->follows = false;
    w->dirty = true;
}

/* A point of the window, not a pixel. */
static view_pick pick_at(window *w, int x, int y) {
    int width, height;
    SDL_GetWindowSize(w->sdl, &width, &height);
    return view_pick_at(view_scene_world(&w->scene), &w->camera, x + 0.5, y + 0.5, width, height);
}

static void handle_button(window *w, const SDL_MouseButtonEvent *event) {
    if (event->button != SDL_BUTTON_LEFT) return;
    if (event->type == SDL_MOUSEBUTTONDOWN) {
        w->press_x = event->x, w->press_y = event->y;
        return;
    }
    if (abs(event->x - w->press_x) > CLICK_POINTS || abs(event->y - w->press_y) > CLICK_POINTS) return;
    char text[256];
    w->picked = pick_at(w, event->x, event->y);
    view_pick_text(&w->picked, text, sizeof text);
    show_message(w, text);
}

static void handle_event(window *w, const SDL_Event *event) {
    switch (event->type) {
    case SDL_QUIT:
        w->quit = true;
        break;
    case SDL_WINDOWEVENT:
        w->dirty = true;
        break;
    case SDL_KEYDOWN:
        handle_key(w, &event->key);
        break;
    case SDL_MOUSEMOTION:
        handle_motion(w, &event->motion);
        break;
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP:
        handle_button(w, &event->button);
        break;
    case SDL_MOUSEWHEEL:
        app_camera_zoom(&w->camera,
                        event->wheel.preciseY * (event->wheel.direction == SDL_MOUSEWHEEL_FLIPPED ? -1 : 1));
        w->follows = false;
        w->dirty = true;
        break;
    default:
        break;
    }
}

/* ---- The loop ---------------------------------------------------------------------------------------------------- */

/* One iteration of the loop: events, due frames, a picture. False: close the window. */
static bool run_iteration(window *w) {
    bool counted = w->options->frames >= 0 || w->options->seconds >= 0;
    SDL_Event event;
    double rest = w->drawn + PICTURE_SECONDS - app_clock();
    /* Paused: sleep until an event, but check the files and the terminal regularly. */
    double sleep = playing(w) ? fmax(0, rest) : w->dirty ? 0 : w->options->repl ? PROMPT_SECONDS : WATCH_SECONDS;
    int wait = (int)floor(1000 * sleep);
    if (wait > 0 ? SDL_WaitEventTimeout(&event, wait) : SDL_PollEvent(&event)) {
        do handle_event(w, &event);
        while (SDL_PollEvent(&event));
    }
    double now = app_clock();
    if (now - w->watched >= WATCH_SECONDS) {
        w->watched = now;
        if (view_watch_changed(&w->scene.watch)) load(w, false);
    }
    play_frame(w);
    if (playing(w)) view_scene_audit_if_cheap(&w->scene);
    if (w->message[0] && app_clock() >= w->message_until) w->message[0] = 0, w->dirty = true;
    bool over =
        counted && (!view_scene_world(&w->scene) || (w->last_frame >= 0 && w->scene.scene.frame >= w->last_frame));
    if (over) view_scene_finish(&w->scene);
    if (w->dirty || playing(w)) {
        if (app_clock() < w->drawn + 0.9 * PICTURE_SECONDS && !over) return true;
        w->drawn = app_clock();
        draw(w);
    }
    /* With a number of frames the window may be unattended, so an error ends the program. */
    return !w->quit && !over && !(counted && w->scene.error);
}

/* ---- The prompt beside it ---------------------------------------------------------------------------------------- */

static bool prompt_wait(void *user) {
    window *w = user;
    if (!run_iteration(w)) return false;
    app_stop stop = app_guard_stopped();
    return stop == APP_STOP_NONE || (stop == APP_STOP_INTERRUPT && app_repl_terminal());
}

static void prompt_ran(void *user) {
    window *w = user;
    w->dirty = true;
    if (!view_scene_settle(&w->scene)) return;
    find_end(w);
    restart_clock(w);
}

static void prompt_obey(void *user, int64_t frames, int plays) {
    window *w = user;
    if (frames > 0 || plays >= 0) pause_scene(w, frames > 0 || plays == 0);
    for (int64_t k = 0; k < frames && app_guard_stopped() == APP_STOP_NONE; k++)
        if (!one_frame(w)) break;
}

/* {picked =}, of the cursor if it is over the window, else of the last click. */
static void prompt_push_window(lua_State *L, void *user) {
    window *w = user;
    int x, y;
    SDL_GetMouseState(&x, &y);
    view_pick now = SDL_GetMouseFocus() == w->sdl ? pick_at(w, x, y) : w->picked;
    lua_createtable(L, 0, 3);
    view_pick_push(L, &now);
    lua_setfield(L, -2, "picked");
}

static void run_prompt(window *w) {
    repl_host host = {.scene = &w->scene.scene,
                      .user = w,
                      .wait = prompt_wait,
                      .ran = prompt_ran,
                      .push_window = prompt_push_window,
                      .obey = prompt_obey};
    bool failed;
    if (app_repl_terminal())
        printf("muslin %s, %s; `world` is the world in the window. Tab completes, :help lists the commands, Ctrl-D "
               "closes.\n",
               MUS_VERSION, LUA_RELEASE);
    app_repl_loop(&host, &failed);
}

static int run_loop(window *w) {
    w->watched = app_clock();
    load(w, true);
    if (w->options->repl)
        run_prompt(w);
    else
        while (app_guard_stopped() == APP_STOP_NONE && run_iteration(w)) {
        }
    app_stop stop = app_guard_stopped();
    if (stop != APP_STOP_NONE) return app_stop_exit_code(stop);
    bool counted = w->options->frames >= 0 || w->options->seconds >= 0;
    if (!counted || !w->scene.error) return APP_OK;
    return w->scene.checks ? APP_CHECK_FAILED : APP_ERROR;
}

int app_view(const app_options *options) {
    window *w = calloc(1, sizeof *w);
    if (!w) {
        app_error("no memory for the preview");
        return APP_ERROR;
    }
    w->options = w->scene.options = options;
    w->scene.audit.frame = -1;
    w->last_frame = w->end_frame = -1;
    w->figures.shown = true;
    w->style.heat = options->show;
    w->figures.factor = -1;
    w->figures.title = w->title;
    app_bounds nothing = app_bounds_empty();
    w->camera = app_camera_fit_bounds(&nothing);
    const char *base = strrchr(options->scene, '/');
    snprintf(w->title, sizeof w->title, "muslin  %s", base ? base + 1 : options->scene);
    int code = APP_ERROR;
    if (!app_guard_start(0, NULL, NULL)) {
        app_error("%s", mus_get_error_message());
        free(w);
        return APP_ERROR;
    }
    if (open_window(w)) code = run_loop(w);
    view_scene_close(&w->scene);
    close_window(w);
    app_guard_end();
    free(w);
    return code;
}
