/* dress.c: muslin dress: runs the scene that sews a pattern around a body, with an audit of every frame. */
#include "host.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_file(const char *what, const char *path) {
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISDIR(status.st_mode)) return true;
    app_error("%s '%s' is not there, or is no file", what, path);
    return false;
}

int app_dress(const app_options *given) {
    app_options options = *given;
    if (!is_file("pattern", given->paths[0]) || !is_file("body", given->paths[1])) return APP_USAGE;
    const char *scripts = app_scripts_path();
    char *scene = scripts ? app_format("%s/scenes/dress.lua", scripts) : NULL;
    char **words = calloc((size_t)given->script_arg_count + 3, sizeof *words);
    int code = APP_ERROR;
    if (scene && words) {
        words[0] = given->paths[0], words[1] = given->paths[1], words[2] = (char *)given->out;
        if (given->script_arg_count > 0)
            memcpy(words + 3, given->script_args, (size_t)given->script_arg_count * sizeof *words);
        options.command = "run";
        options.scene = scene;
        options.script_args = words;
        options.script_arg_count = given->script_arg_count + 3;
        options.audit = options.picture = true;
        if (!options.format) options.format = "none";
        code = app_run(&options);
    } else {
        app_error(scripts ? "no memory for the command line"
                          : "muslin's own Lua files were not found; see MUSLIN_SCRIPTS");
    }
    free(words);
    free(scene);
    return code;
}
