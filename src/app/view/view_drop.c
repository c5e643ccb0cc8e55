/* view_drop.c: a scene's file dropped on the window takes the place of the scene. */
#include "view/view_window.h"

#include <stdlib.h>
#include <string.h>

static void show_about(view_window *w, const char *path, const char *what) {
    const char *base = strrchr(path, '/');
    char *text = app_format("%s %s", base ? base + 1 : path, what);
    if (text) view_window_show(w, text);
    free(text);
}

void view_drop_name(view_window *w) {
    const char *base = strrchr(w->options->scene, '/');
    snprintf(w->title, sizeof w->title, "muslin  %s", base ? base + 1 : w->options->scene);
    if (w->sdl) SDL_SetWindowTitle(w->sdl, w->title);
}

/* The path lives as long as the window: the scene that is open, and the messages about it, refer to theirs. */
static char *keep_path(view_window *w, const char *path) {
    char **grown = realloc(w->dropped_paths, (size_t)(w->dropped_count + 1) * sizeof *grown), *copy = NULL;
    if (!grown) return NULL;
    w->dropped_paths = grown;
    if ((copy = strdup(path))) w->dropped_paths[w->dropped_count++] = copy;
    return copy;
}

void view_drop_file(view_window *w, const char *path) {
    size_t length = strlen(path);
    if (length < 4 || strcmp(path + length - 4, ".lua") != 0) {
        show_about(w, path, "is not a scene: drop a file of Lua (.lua)");
        return;
    }
    char *kept = keep_path(w, path);
    if (!kept) {
        view_window_show(w, "no memory for the scene that was dropped");
        return;
    }
    w->dropped = *w->options;
    w->dropped.scene = kept;
    /* The command line's arguments and trust were meant for its own scene. */
    w->dropped.script_arg_count = 0;
    w->dropped.trusted = false;
    w->options = w->scene.options = &w->dropped;
    w->camera_placed = false;
    w->style.heat = w->dropped.show;
    view_drop_name(w);
    if (!view_time_load(w, true))
        return; /* the error is in the window, over the scene before; saving the file loads it */
    view_time_pause(w, false);
    show_about(w, path, "was opened");
}

void view_drop_end(view_window *w) {
    for (int k = 0; k < w->dropped_count; k++) free(w->dropped_paths[k]);
    free(w->dropped_paths);
}
