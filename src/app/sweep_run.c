/* sweep_run.c: what became of a run, by the manifest in its folder. */
#include "sweep.h"

#include <errno.h>

json_t *app_run_manifest(const char *folder) {
    char *path = app_format("%s/manifest.json", folder);
    json_error_t error = {0};
    FILE *file = path ? fopen(path, "r") : NULL;
    json_t *manifest = file ? json_loadf(file, 0, &error) : NULL;
    if (!file)
        mus_fail(MUS_STATUS_IO, "'%s': %s", path ? path : folder, strerror(path ? errno : ENOMEM));
    else if (!json_is_object(manifest) || !json_is_object(json_object_get(manifest, "exit")))
        mus_fail(MUS_STATUS_FORMAT, "'%s' is no manifest of a run%s%s", path, *error.text ? ": " : "", error.text);
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
