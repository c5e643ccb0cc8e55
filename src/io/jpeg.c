/* jpeg.c: reads JPEG files by libjpeg-turbo: by its accurate transform in integers, whose results do not depend on the
 * processor, and with colors of coarser samples repeated, not smoothed, as versions of the library differ in that. */
#include "io/jpeg.h"
#include "base/memory.h"
#include "muslin/picture.h"

#include <string.h>

#include <turbojpeg.h>

static mus_status fail_by(tjhandle decoder, const mus_file *file) {
    return mus_fail(MUS_STATUS_FORMAT, "%s: the picture is damaged (%s)", file->path, tjGetErrorStr2(decoder));
}

static mus_status decode(tjhandle decoder, const mus_file *file, mus_jpeg *jpeg) {
    const unsigned char *bytes = (const unsigned char *)file->data;
    unsigned long size = (unsigned long)file->size;
    int width = 0, height = 0, sampling, space = TJCS_RGB; /* unchanged where the file has tables only */
    if (tjDecompressHeader3(decoder, bytes, size, &width, &height, &sampling, &space) != 0)
        return fail_by(decoder, file);
    if (width < 1 || height < 1)
        return mus_fail(MUS_STATUS_FORMAT, "%s: the picture is damaged (it has no pixels)", file->path);
    if ((int64_t)width * height > MUS_MOST_PIXELS)
        return mus_fail(MUS_STATUS_FORMAT, "%s: a picture may have 1 to %d pixels (got %d x %d)", file->path,
                        MUS_MOST_PIXELS, width, height);
    if (space == TJCS_CMYK || space == TJCS_YCCK)
        return mus_fail(MUS_STATUS_FORMAT, "%s: JPEG of four colors (CMYK) is not read; convert it to RGB", file->path);
    bool gray = space == TJCS_GRAY;
    jpeg->width = width, jpeg->height = height, jpeg->channels = gray ? 1 : 3;
    jpeg->pixels = mus_new((size_t)width * (size_t)height * (size_t)jpeg->channels);
    if (!jpeg->pixels) return MUS_STATUS_NO_MEMORY;
    /* A warning is damage that would leave a part of the picture gray. */
    int flags = TJFLAG_ACCURATEDCT | TJFLAG_FASTUPSAMPLE | TJFLAG_STOPONWARNING | TJFLAG_LIMITSCANS;
    if (tjDecompress2(decoder, bytes, size, jpeg->pixels, width, 0, height, gray ? TJPF_GRAY : TJPF_RGB, flags) != 0)
        return fail_by(decoder, file);
    return MUS_STATUS_OK;
}

bool mus_jpeg_is(const mus_file *file) {
    return file->size > 1 && memcmp(file->data, "\xff\xd8", 2) == 0;
}

mus_status mus_jpeg_decode(const mus_file *file, mus_jpeg *jpeg) {
    *jpeg = (mus_jpeg){0};
    tjhandle decoder = tjInitDecompress();
    if (!decoder) return MUS_STATUS_NO_MEMORY;
    mus_status status = decode(decoder, file, jpeg);
    tjDestroy(decoder);
    if (status == MUS_STATUS_OK) return MUS_STATUS_OK;
    mus_free(jpeg->pixels);
    jpeg->pixels = NULL;
    return status;
}
