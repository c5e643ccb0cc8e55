/* view.c: the preview window: opening, pictures, the loop of events and frames, the prompt beside it. */
#include "repl/repl.h"
#include "view/view_window.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PICTURE_SECONDS = 1.0 / 60; /* the shortest time between two pictures */
static const double WATCH_SECONDS = 0.1;
static const double PROMPT_SECONDS = 0.02; /* the longest sleep with a prompt */
static const double RATE_SECONDS = 0.75;   /* averaging time of rates */

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

static bool open_window(view_window *w) {
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
    SDL_GL_SetSwapInterval(1);                       /* if refused, the loop's own pause applies */
    w->camera.aspect = (float)width / (float)height; /* of the first picture, which is fitted before it is drawn */
    w->renderer = app_renderer_create(false);
    if (!w->renderer) return no_window(o, "no OpenGL 3.3 in a window", mus_get_error_message());
    return true;
}

static void close_window(view_window *w) {
    app_renderer_destroy(w->renderer);
    if (w->gl) SDL_GL_DeleteContext(w->gl);
    if (w->sdl) SDL_DestroyWindow(w->sdl);
    SDL_Quit();
}

static void measure_rates(view_window *w) {
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

static void draw(view_window *w) {
    int width, height, points = 0, unused = 0;
    SDL_GL_GetDrawableSize(w->sdl, &width, &height);
    SDL_GetWindowSize(w->sdl, &points, &unused);
    w->figures.scale = points > 0 ? (float)width / (float)points : 1;
    w->figures.message = app_clock() < w->message_until ? w->message : "";
    double start = app_clock();
    const mus_lua_view *view = view_scene_view(&w->scene);
    app_render_style style = w->style;
    style.scale = w->figures.scale;
    bool playing = view_time_playing(w);
    style.grabs = view_grab_get_line(&w->grab, &w->scene, style.grab[0], style.grab[1]);
    if (w->follows && !w->grab.on && view && view->has_camera) w->camera = w->first_camera = app_camera_of_view(view);
    w->camera.aspect = (float)width / (float)height;
    w->figures.title = view && view->title ? view->title : w->title;
    app_renderer_set_view(w->renderer, view);
    style.draft = view_quality_choose(&w->quality, &w->camera, playing);
    app_renderer_set_style(w->renderer, style);
    app_renderer_draw(w->renderer, view_scene_world(&w->scene), view_scene_drawing(&w->scene), &w->camera, width,
                      height);
    app_renderer_set_style(w->renderer, w->style); /* of screenshots */
    float bar = view_timeline_height(&w->scene, &w->figures, view_overlay_text_size(&w->figures, width));
    if (!w->scene.error) app_renderer_legend(w->renderer, 15 * w->figures.scale, bar, width, height);
    view_panel_draw(w->renderer, &w->scene, &w->figures, view_overlay_text_size(&w->figures, width), width, height);
    view_overlay_draw(w->renderer, &w->scene, &w->figures, width, height);
    w->figures.title = w->title;
    app_renderer_set_view(w->renderer, NULL); /* its title may not outlive the picture */
    SDL_GL_SwapWindow(w->sdl);
    w->picture_cost = app_clock() - start;
    view_quality_add(&w->quality, style.draft, w->picture_cost, &w->camera, playing, start + w->picture_cost,
                     start - w->pictured);
    w->pictured = start;
    w->dirty = false;
    measure_rates(w);
}

static void handle_event(view_window *w, const SDL_Event *event) {
    switch (event->type) {
    case SDL_QUIT:
        w->quit = true;
        break;
    case SDL_WINDOWEVENT:
        w->dirty = true;
        break;
    case SDL_KEYDOWN:
        view_keys_press(w, &event->key);
        break;
    case SDL_MOUSEMOTION:
        view_mouse_motion(w, &event->motion);
        break;
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP:
        view_mouse_button(w, &event->button);
        break;
    case SDL_DROPFILE:
        view_drop_file(w, event->drop.file);
        SDL_free(event->drop.file);
        break;
    case SDL_MOUSEWHEEL:
        view_mouse_wheel(w, &event->wheel);
        break;
    default:
        break;
    }
}

/* ---- The loop ---------------------------------------------------------------------------------------------------- */

/* One iteration of the loop: events, due frames, a picture. False: close the window. */
static bool run_iteration(view_window *w) {
    bool counted = w->options->frames >= 0 || w->options->seconds >= 0;
    SDL_Event event;
    double rest = w->drawn + PICTURE_SECONDS - app_clock();
    /* Paused: sleep until an event, but check the files and the terminal regularly. */
    double sleep = view_time_playing(w) ? fmax(0, rest)
                   : w->dirty           ? 0
                   : w->options->repl   ? PROMPT_SECONDS
                                        : WATCH_SECONDS;
    if (w->quality.refine_at > 0) sleep = fmin(sleep, fmax(0, w->quality.refine_at - app_clock()));
    int wait = (int)floor(1000 * sleep);
    if (wait > 0 ? SDL_WaitEventTimeout(&event, wait) : SDL_PollEvent(&event)) {
        do handle_event(w, &event);
        while (SDL_PollEvent(&event));
    }
    double now = app_clock();
    if (w->quality.refine_at > 0 && now >= w->quality.refine_at) w->quality.refine_at = 0, w->dirty = true;
    if (now - w->watched >= WATCH_SECONDS) {
        w->watched = now;
        if (view_watch_changed(&w->scene.watch)) view_time_load(w, false);
    }
    view_time_play(w);
    if (view_time_playing(w)) view_scene_audit_if_cheap(&w->scene);
    if (w->message[0] && app_clock() >= w->message_until) w->message[0] = 0, w->dirty = true;
    bool over = counted && (!view_scene_world(&w->scene) ||
                            (w->last_frame >= 0 && app_scene_is_over(&w->scene.scene, w->last_frame)));
    if (over) view_scene_finish(&w->scene);
    if (w->dirty || view_time_playing(w)) {
        if (app_clock() < w->drawn + 0.9 * PICTURE_SECONDS && !over) return true;
        w->drawn = app_clock();
        draw(w);
    }
    /* With a number of frames the window may be unattended, so an error ends the program. */
    return !w->quit && !over && !(counted && w->scene.error);
}

/* ---- The prompt beside it ---------------------------------------------------------------------------------------- */

static bool prompt_wait(void *user) {
    view_window *w = user;
    if (!run_iteration(w)) return false;
    app_stop stop = app_guard_stopped();
    return stop == APP_STOP_NONE || (stop == APP_STOP_INTERRUPT && app_repl_terminal());
}

static void prompt_ran(void *user) {
    view_window *w = user;
    w->dirty = true;
    if (!view_scene_settle(&w->scene)) return;
    view_time_find_end(w);
    view_time_restart(w);
}

static void prompt_obey(void *user, int64_t frames, int plays) {
    view_window *w = user;
    if (frames > 0 || plays >= 0) view_time_pause(w, frames > 0 || plays == 0);
    for (int64_t k = 0; k < frames && app_guard_stopped() == APP_STOP_NONE; k++)
        if (!view_time_frame(w)) break;
}

/* {picked =}, of the cursor if it is over the window, else of the last click. */
static void prompt_push_window(lua_State *L, void *user) {
    view_window *w = user;
    int x, y;
    SDL_GetMouseState(&x, &y);
    view_pick now = SDL_GetMouseFocus() == w->sdl ? view_mouse_pick(w, x, y) : w->picked;
    lua_createtable(L, 0, 3);
    view_pick_push(L, &now);
    lua_setfield(L, -2, "picked");
}

static void run_prompt(view_window *w) {
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

static int run_loop(view_window *w) {
    w->watched = app_clock();
    view_time_load(w, true);
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
    view_window *w = calloc(1, sizeof *w);
    if (!w) {
        app_error("no memory for the preview");
        return APP_ERROR;
    }
    w->options = w->scene.options = options;
    w->scene.audit.frame = -1;
    w->last_frame = w->end_frame = -1;
    w->figures.shown = true;
    w->loops = options->loops;
    w->style.heat = options->show;
    w->figures.factor = -1;
    w->figures.title = w->title;
    app_bounds nothing = app_bounds_empty();
    w->camera = app_camera_fit_bounds(&nothing, 0);
    view_drop_name(w);
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
    view_drop_end(w);
    free(w);
    return code;
}
