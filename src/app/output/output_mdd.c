/* output_mdd.c: vertex animation in Lightwave's .mdd form, which 3ds Max, Cinema 4D, Houdini, Maya and Blender read:
 * the numbers of frames and vertices, the time of each frame (s), and float32 positions of each, all big-endian. The
 * times come before the positions, so that the file is made at the end of a run, from its point caches. */
#include "host.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool put32(FILE *file, uint32_t bits) {
    unsigned char bytes[4];
    for (int k = 0; k < 4; k++) bytes[k] = (unsigned char)(bits >> (24 - 8 * k));
    return fwrite(bytes, 1, sizeof bytes, file) == sizeof bytes;
}

static bool put_real(FILE *file, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return put32(file, bits);
}

/* false: `reason` is that of the system, if `status` is OK. */
static bool write_part(FILE *file, const mus_parts_animation *a, int32_t part, float *positions, mus_status *status,
                       int *reason) {
    const mus_part_frames *frames = &a->frames[part];
    int64_t count = frames->moves ? frames->frame_count : 1;
    size_t numbers = 3 * (size_t)a->parts[part].vertex_count;
    bool ok = put32(file, (uint32_t)count) && put32(file, (uint32_t)a->parts[part].vertex_count);
    for (int64_t k = 0; ok && k < count; k++) ok = put_real(file, (float)((double)(frames->first_frame + k) / a->fps));
    for (int64_t k = 0; ok && k < count; k++) {
        *status = a->read(a->user, part, frames->first_frame + k, positions);
        ok = *status == MUS_STATUS_OK;
        for (size_t n = 0; ok && n < numbers; n++) ok = put_real(file, positions[n]);
    }
    if (!ok && *status == MUS_STATUS_OK) *reason = errno;
    return ok;
}

static mus_status save_part(const char *folder, const char *cache, const mus_parts_animation *a, int32_t part) {
    size_t stem = strlen(cache) - strlen(".pc2");
    char *path = app_format("%.*s.mdd", (int)stem, cache),
         *temporary = app_format("%s/.muslin-%ld.mdd", folder, (long)getpid());
    float *positions = malloc(12 * (size_t)a->parts[part].vertex_count + 1);
    mus_status status =
        path && temporary && positions ? MUS_STATUS_OK : mus_fail(MUS_STATUS_NO_MEMORY, "no memory for an .mdd file");
    FILE *file = status == MUS_STATUS_OK ? fopen(temporary, "wb") : NULL;
    int reason = file ? 0 : errno;
    bool ok = file && write_part(file, a, part, positions, &status, &reason);
    if (file && fclose(file) != 0 && ok) ok = false, reason = errno;
    if (ok && rename(temporary, path) != 0) ok = false, reason = errno;
    if (!ok && temporary) unlink(temporary);
    if (!ok && status == MUS_STATUS_OK)
        status = mus_fail(MUS_STATUS_IO, "'%s': cannot be written: %s", path, strerror(reason));
    free(positions);
    free(temporary);
    free(path);
    return status;
}

mus_status app_mdd_save(const char *folder, const mus_parts_animation *animation, const char *const *caches) {
    mus_status status = MUS_STATUS_OK;
    for (int32_t k = 0; k < animation->part_count && status == MUS_STATUS_OK; k++)
        status = save_part(folder, caches[k], animation, k);
    return status;
}
