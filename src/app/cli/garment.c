/* garment.c: muslin pattern and muslin dress, by scenes of muslin's own: what a pattern has, or its drawing; and a
 * pattern that is sewn around a body, with an audit of every frame. */
#include "cli/options.h"

#include <stdlib.h>
#include <string.h>

/* Runs a scene of muslin's own with these words as its arguments. */
static int run_own_scene(app_options *options, const char *name, char **words, int count) {
    const char *scripts = app_scripts_path();
    char *scene = scripts ? app_format("%s/scenes/%s.lua", scripts, name) : NULL;
    int code = APP_ERROR;
    if (scene) {
        options->command = "run";
        options->scene = scene;
        options->title = name;
        options->script_args = words;
        options->script_arg_count = count;
        code = app_run(options);
    } else {
        app_error(scripts ? "no memory for a path" : "muslin's own Lua files were not found; see MUSLIN_SCRIPTS");
    }
    free(scene);
    return code;
}

int app_dress(const app_options *given) {
    app_options options = *given;
    int wrong = app_check_file("pattern", "JSON file", given->paths[0]);
    if (wrong < 0) wrong = app_check_file("body", "mesh", given->paths[1]);
    if (wrong >= 0) return wrong;
    char **words = calloc((size_t)given->script_arg_count + 3, sizeof *words);
    if (!words) {
        app_error("no memory for the command line");
        return APP_ERROR;
    }
    words[0] = given->paths[0], words[1] = given->paths[1], words[2] = (char *)given->out;
    if (given->script_arg_count > 0)
        memcpy(words + 3, given->script_args, (size_t)given->script_arg_count * sizeof *words);
    options.audit = options.picture = true;
    if (!options.format) options.format = "none";
    int code = run_own_scene(&options, "dress", words, given->script_arg_count + 3);
    free(words);
    return code;
}

int app_pattern(const app_options *given) {
    app_options options = *given;
    char svg[] = "svg", *words[] = {given->paths[0], svg};
    int wrong = app_check_file("pattern", "JSON file", given->paths[0]);
    if (wrong >= 0) return wrong;
    return run_own_scene(&options, "pattern", words, given->svg ? 2 : 1);
}
