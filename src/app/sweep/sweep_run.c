/* sweep_run.c: the outcome of a run, from the manifest in its folder. */
#include "sweep/sweep.h"

#include <errno.h>
#include <stdlib.h>

json_t *app_run_manifest(const char *folder) {
    char *path = app_format("%s/manifest.json", folder);
    json_error_t error = {0};
    FILE *file = path ? fopen(path, "r") : NULL;
    json_t *manifest = file ? json_loadf(file, 0, &error) : NULL;
    if (!file)
        mus_fail(MUS_STATUS_IO, "'%s': %s", path ? path : folder, strerror(path ? errno : ENOMEM));
    else if (!json_is_object(manifest) || !json_is_object(json_object_get(manifest, "exit")))
        mus_fail(MUS_STATUS_FORMAT, "'%s' is not the manifest of a run%s%s", path, *error.text ? ": " : "", error.text);
    if (file) fclose(file);
    free(path);
    if (json_is_object(json_object_get(manifest, "exit"))) return manifest;
    json_decref(manifest);
    return NULL;
}

bool app_run_complete(const json_t *manifest, int *code) {
    const json_t *end = json_object_get(manifest, "exit");
    const char *reason = json_string_value(json_object_get(end, "reason"));
    *code = (int)json_integer_value(json_object_get(end, "code"));
    return reason && (strcmp(reason, "finished") == 0 || strcmp(reason, "check failed") == 0 ||
                      strcmp(reason, "intersections") == 0);
}

bool app_manifest_same_run(const json_t *saved, const app_options *options) {
    static const char *const all[] = {"muslin", "arguments"};
    static const char *const of_options[] = {"frames", "seconds", "format", "pipeline", "seed", "audit", "trusted"};
    app_manifest *m = app_manifest_create(options);
    const char *differs = m ? NULL : "memory";
    for (size_t k = 0; !differs && k < sizeof all / sizeof *all; k++)
        if (!json_equal(json_object_get(saved, all[k]), json_object_get(app_manifest_root(m), all[k])))
            differs = all[k];
    const json_t *given = json_object_get(saved, "options"),
                 *here = m ? json_object_get(app_manifest_root(m), "options") : NULL;
    for (size_t k = 0; !differs && k < sizeof of_options / sizeof *of_options; k++)
        if (!json_equal(json_object_get(given, of_options[k]), json_object_get(here, of_options[k])))
            differs = of_options[k];
    const json_t *files = json_object_get(saved, "files");
    char *script = app_json_path(json_array_get(files, 0), "path"), *path = NULL;
    if (!differs && (!script || strcmp(script, options->scene) != 0)) differs = "script";
    for (size_t k = 0; !differs && k < json_array_size(files); k++) {
        const json_t *file = json_array_get(files, k);
        free(path);
        path = app_json_path(file, "path");
        uint64_t hash = 0;
        bool known = path && app_file_hash(path, &hash);
        json_t *text = known ? hash_text(hash) : json_null();
        if (!json_equal(text, json_object_get(file, "hash"))) differs = path ? path : "files";
        json_decref(text);
    }
    if (differs) mus_fail(MUS_STATUS_INVALID, "'%s'", differs);
    free(script);
    free(path);
    app_manifest_destroy(m);
    return !differs;
}
