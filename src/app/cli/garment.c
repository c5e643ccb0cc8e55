/* garment.c: muslin pattern and muslin dress, by scenes of muslin's own: what a pattern has, or its drawing; and a
 * patterns that are sewn around a body, with an audit of every frame. */
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
    int patterns = given->path_count - 1, count = given->path_count + 2, wrong = -1;
    for (int k = 0; wrong < 0 && k < patterns; k++) wrong = app_check_file("pattern", "JSON file", given->paths[k]);
    if (wrong < 0) wrong = app_check_file("body", "mesh", given->paths[patterns]);
    if (wrong >= 0) return wrong;
    /* as the scene reads them: how many patterns, their paths, the body, the folder, NAME=VALUE */
    char **words = calloc((size_t)count + (size_t)given->script_arg_count, sizeof *words);
    char *number = app_format("%d", patterns);
    int code = APP_ERROR;
    if (words && number) {
        words[0] = number, words[count - 1] = (char *)given->out;
        memcpy(words + 1, given->paths, (size_t)given->path_count * sizeof *words);
        if (given->script_arg_count > 0)
            memcpy(words + count, given->script_args, (size_t)given->script_arg_count * sizeof *words);
        options.audit = options.picture = true;
        if (!options.format) options.format = "none";
        code = run_own_scene(&options, "dress", words, count + given->script_arg_count);
    } else {
        app_error("no memory for the command line");
    }
    free(words);
    free(number);
    return code;
}

int app_pattern(const app_options *given) {
    app_options options = *given;
    char svg[] = "svg", *words[] = {given->paths[0], svg};
    int wrong = app_check_file("pattern", "JSON file", given->paths[0]);
    if (wrong >= 0) return wrong;
    return run_own_scene(&options, "pattern", words, given->svg ? 2 : 1);
}
