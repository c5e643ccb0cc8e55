/* view_shot.c: saves the picture of the window to a file. */
#include "view/view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_COPIES = 1000 };

/* FOLDER/SCENE_FRAME.png, or the first unused name with a number appended; owned, NULL: none. */
static char *free_name(const view_scene *v) {
    const char *folder = v->options->out ? v->options->out : "", *slash = *folder ? "/" : "";
    const char *base = strrchr(v->options->scene, '/');
    base = base ? base + 1 : v->options->scene;
    int stem = (int)(strlen(base) - (strlen(base) > 4 && strcmp(base + strlen(base) - 4, ".lua") == 0 ? 4 : 0));
    for (int copy = 1; copy < MOST_COPIES; copy++) {
        char suffix[16] = "";
        if (copy > 1) snprintf(suffix, sizeof suffix, "-%d", copy);
        char *path = app_format("%s%s%.*s_%06lld%s.png", folder, slash, stem, base, (long long)v->scene.frame, suffix);
        if (!path || access(path, F_OK) != 0) return path;
        free(path);
    }
    return NULL;
}

char *view_shot(app_renderer *renderer, view_scene *v, const app_camera *camera, int width, int height) {
    mus_world *world = view_scene_world(v);
    const char *folder = v->options->out;
    if (!world) return NULL;
    if (folder && mkdir(folder, 0777) != 0 && errno != EEXIST)
        return app_format("%s: cannot be made: %s", folder, strerror(errno));
    char *path = free_name(v);
    if (!path) return app_format("no name is free for the picture");
    const mus_lua_drawing *drawing = view_scene_drawing(v);
    app_renderer_set_view(renderer, view_scene_view(v));
    mus_status status = app_renderer_png(renderer, world, drawing, camera, width, height, path);
    char *text = status == MUS_STATUS_OK ? app_format("saved %s", path) : app_format("%s", mus_get_error_message());
    free(path);
    return text;
}
