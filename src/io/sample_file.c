/* sample_file.c: point caches from files whose motion is a function of time. */
#include "base/range.h"
#include "base/word.h"
#include "io/gltf_motion.h"
#include "io/usd_motion.h"

#include <strings.h>

mus_status mus_point_cache_sample(const char *path, const char *name, double fps, mus_point_cache *cache) {
    *cache = (mus_point_cache){.positions = NULL};
    if (!(fps > 0) || !mus_is_value(fps))
        return mus_fail(MUS_STATUS_INVALID, "%s: fps must be > 0 (got %s)", path, mus_word_of_number(fps).text);
    mus_file file;
    mus_status status = mus_file_read(path, &file);
    if (status != MUS_STATUS_OK) return status;
    mus_c_locale locale = mus_c_locale_enter();
    bool usd = strcasecmp(mus_file_extension(path), "usda") == 0;
    status = usd ? mus_usd_sample_file(&file, name, fps, cache) : mus_gltf_sample_file(&file, name, fps, cache);
    mus_c_locale_leave(locale);
    mus_file_free(&file);
    return status;
}
