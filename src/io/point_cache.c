/* point_cache.c: point caches of any format: the choice of the reader by a file's extension, and the numbers that
 * follow a header. */
#include "base/memory.h"
#include "base/word.h"
#include "io/vertex_sequence.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

mus_status mus_point_cache_load(const char *path, const char *array, mus_point_cache *cache) {
    *cache = (mus_point_cache){.positions = NULL};
    mus_file file;
    const char *extension = mus_file_extension(path);
    bool archive = strcasecmp(extension, "npz") == 0;
    if (array && !archive)
        return mus_fail(MUS_STATUS_INVALID, "%s: only an .npz has arrays with names (got '%s')", path, array);
    if (strcasecmp(extension, "glb") == 0 || strcasecmp(extension, "gltf") == 0 || strcasecmp(extension, "usda") == 0)
        return mus_fail(MUS_STATUS_INVALID, "%s: has curves, not frames; mus_point_cache_sample reads it", path);
    if (strcasecmp(extension, "abc") == 0 || strcasecmp(extension, "fbx") == 0)
        return mus_fail(
            MUS_STATUS_INVALID,
            "%s: Alembic and FBX are not read; export the motion as .glb, .usda, .mdd, .pc2 or .npy, of which "
            "Blender, Houdini and Maya write some",
            path);
    if (strncasecmp(extension, "usd", 3) == 0)
        return mus_fail(MUS_STATUS_INVALID,
                        "%s: binary layers are not read; convert the file: usdcat FILE -o FILE.usda", path);
    struct stat status_of_path;
    if (stat(path, &status_of_path) == 0 && S_ISDIR(status_of_path.st_mode))
        return mus_fail(
            MUS_STATUS_INVALID,
            "%s: is a folder; the point caches in that of a run with --format pc2 are its cloth_NAME.pc2 and "
            "obstacle_NAME.pc2",
            path);
    mus_status status = mus_file_read(path, &file);
    if (status != MUS_STATUS_OK) return status;
    if (strcasecmp(extension, "npy") == 0)
        status = mus_npy_read(&file, cache);
    else if (strcasecmp(extension, "mdd") == 0)
        status = mus_mdd_read(&file, cache);
    else if (archive)
        status = mus_npz_read(&file, array, cache);
    else
        status = mus_pc2_read(&file, cache);
    mus_file_free(&file);
    return status;
}

mus_status mus_point_cache_transform(mus_point_cache *cache, const mus_load_options *options) {
    mus_status status = MUS_STATUS_OK;
    for (int32_t f = 0; status == MUS_STATUS_OK && f < cache->frame_count; f++) {
        char frame[48];
        snprintf(frame, sizeof frame, "point cache: frame %d", f + 1);
        status = mus_load_options_apply(frame, options, cache->positions + 3 * (size_t)cache->vertex_count * (size_t)f,
                                        cache->vertex_count);
    }
    return status;
}

void mus_point_cache_destroy(mus_point_cache *cache) {
    if (!cache) return;
    mus_free(cache->positions);
    *cache = (mus_point_cache){.positions = NULL};
}
