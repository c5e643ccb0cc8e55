/* picture.c: reads PNG files by stb_image, and JPEG files (jpeg.c), in integers: the same on every processor. */
#include "base/memory.h"
#include "io/jpeg.h"
#include "muslin/picture.h"

#include <limits.h>
#include <math.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

/* stb_image loses blocks when it runs out of memory within a picture, and then reports another fault in places: its
 * blocks are listed, so that those which remain after a failure can be freed. */
typedef struct block {
    struct block *previous, *next;
    max_align_t data[];
} block;

static _Thread_local block *blocks; /* of the picture that is being decoded */
static _Thread_local bool out_of_memory;

static block *header(void *data) {
    return (block *)(void *)((char *)data - offsetof(block, data));
}

static void unlink_block(const block *b) {
    if (b->previous)
        b->previous->next = b->next;
    else
        blocks = b->next;
    if (b->next) b->next->previous = b->previous;
}

static void *resize_block(void *data, size_t size) {
    block *old = data ? header(data) : NULL;
    if (old) unlink_block(old);
    block *made = size > SIZE_MAX - sizeof *made ? NULL : mus_resize(old, sizeof *made + size);
    out_of_memory |= !made;
    block *listed = made ? made : old;
    if (listed) {
        listed->previous = NULL, listed->next = blocks;
        if (blocks) blocks->previous = listed;
        blocks = listed;
    }
    return made ? made->data : NULL;
}

static void free_block(void *data) {
    if (!data) return;
    unlink_block(header(data));
    mus_free(header(data));
}

static void free_blocks(void) {
    while (blocks) free_block(blocks->data);
}

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_PNG /* its reader of JPEG (2.27) writes beyond the table of a damaged file: jpeg.c reads them */
#define STBI_NO_STDIO
#define STBI_NO_SIMD
#define STBI_NO_HDR
#define STBI_NO_LINEAR
#define STBI_ASSERT(condition)   ((void)(condition))
#define STBI_MALLOC(size)        resize_block(NULL, size)
#define STBI_REALLOC(data, size) resize_block(data, size)
#define STBI_FREE(data)          free_block(data)
#pragma GCC diagnostic ignored "-Wunused-function" /* those of other formats, found at the end of the file */
#include <stb/stb_image.h>

struct mus_picture {
    int32_t width, height;
    int channels; /* 1: gray, 3: colors */
    uint64_t serial;
    uint16_t *values; /* rows from the top; a block of stb_image */
    mus_file file;
};

static _Atomic uint64_t loaded;

static mus_status refuse(const mus_file *file) {
    const char *reason = stbi_failure_reason();
    if (out_of_memory) return MUS_STATUS_NO_MEMORY;
    if (!reason || strcmp(reason, "unknown image type") == 0)
        return mus_fail(MUS_STATUS_FORMAT, "%s: it is neither a PNG nor a JPEG", file->path);
    return mus_fail(MUS_STATUS_FORMAT, "%s: the picture is damaged (%s)", file->path, reason);
}

static mus_status decode_jpeg(mus_picture *picture) {
    mus_jpeg jpeg;
    mus_status status = mus_jpeg_decode(&picture->file, &jpeg);
    if (status != MUS_STATUS_OK) return status;
    picture->width = jpeg.width, picture->height = jpeg.height, picture->channels = jpeg.channels;
    size_t count = (size_t)jpeg.width * (size_t)jpeg.height * (size_t)jpeg.channels;
    picture->values = resize_block(NULL, count * sizeof *picture->values);
    if (picture->values) unlink_block(header(picture->values));
    for (size_t i = 0; picture->values && i < count; i++) picture->values[i] = (uint16_t)(257 * jpeg.pixels[i]);
    mus_free(jpeg.pixels);
    return picture->values ? MUS_STATUS_OK : MUS_STATUS_NO_MEMORY;
}

static mus_status decode(mus_picture *picture) {
    if (mus_jpeg_is(&picture->file)) return decode_jpeg(picture);
    const stbi_uc *bytes = (const stbi_uc *)picture->file.data;
    const char *path = picture->file.path;
    int width = 0, height = 0, channels = 0, size = (int)picture->file.size;
    out_of_memory = false;
    if (!stbi_info_from_memory(bytes, size, &width, &height, &channels)) return refuse(&picture->file);
    if (width < 1 || height < 1 || (int64_t)width * height > MUS_MOST_PIXELS)
        return mus_fail(MUS_STATUS_FORMAT, "%s: a picture may have 1 to %d pixels (got %d x %d)", path, MUS_MOST_PIXELS,
                        width, height);
    picture->channels = channels < 3 ? 1 : 3;
    picture->values = stbi_load_16_from_memory(bytes, size, &width, &height, &channels, picture->channels);
    picture->width = width, picture->height = height;
    if (picture->values) unlink_block(header(picture->values));
    mus_status status = picture->values ? MUS_STATUS_OK : refuse(&picture->file);
    free_blocks();
    return status;
}

/* Takes over the file's bytes. */
static mus_status make_picture(mus_file file, mus_picture **picture) {
    mus_picture *made = mus_new(sizeof *made);
    if (!made) {
        mus_file_free(&file);
        return MUS_STATUS_NO_MEMORY;
    }
    made->serial = atomic_fetch_add(&loaded, 1);
    made->file = file;
    mus_status status = file.size <= INT_MAX
                            ? decode(made)
                            : mus_fail(MUS_STATUS_FORMAT, "%s: a picture may have at most 2 GB", file.path);
    made->file.path = NULL; /* the caller's */
    if (status == MUS_STATUS_OK)
        *picture = made;
    else
        mus_picture_destroy(made);
    return status;
}

mus_status mus_picture_load(const char *path, mus_picture **picture) {
    mus_file file;
    *picture = NULL;
    mus_status status = mus_file_read(path, &file);
    return status == MUS_STATUS_OK ? make_picture(file, picture) : status;
}

mus_status mus_picture_decode(const void *bytes, size_t size, const char *name, mus_picture **picture) {
    mus_file file = {.path = name, .data = mus_new(size + 1), .size = (int64_t)size};
    *picture = NULL;
    if (!file.data) return MUS_STATUS_NO_MEMORY;
    memcpy(file.data, bytes, size);
    return make_picture(file, picture);
}

void mus_picture_destroy(mus_picture *picture) {
    if (!picture) return;
    if (picture->values) mus_free(header(picture->values));
    mus_file_free(&picture->file);
    mus_free(picture);
}

int32_t mus_picture_get_width(const mus_picture *picture) {
    return picture->width;
}

int32_t mus_picture_get_height(const mus_picture *picture) {
    return picture->height;
}

/* The pixels whose centers are on both sides of a place, and the share of the second one. */
static double neighbors(double place, int32_t count, int32_t pixel[2]) {
    double at = fmin(fmax(place * count - 0.5, 0), count - 1), low = floor(at);
    pixel[0] = (int32_t)low;
    pixel[1] = pixel[0] + 1 < count ? pixel[0] + 1 : pixel[0];
    return at - low;
}

/* Of 16 bits. stb_image's weights. */
static double brightness(const mus_picture *picture, int32_t column, int32_t row) {
    const uint16_t *value =
        picture->values + ((size_t)row * (size_t)picture->width + (size_t)column) * (size_t)picture->channels;
    return picture->channels == 1 ? value[0] : (77 * value[0] + 150 * value[1] + 29 * value[2]) / 256.0;
}

double mus_picture_sample(const mus_picture *picture, double u, double v) {
    if (!isfinite(u) || !isfinite(v)) return NAN;
    int32_t column[2], row[2];
    double right = neighbors(u, picture->width, column), down = neighbors(1 - v, picture->height, row), sum = 0;
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 2; i++)
            sum += (j ? down : 1 - down) * (i ? right : 1 - right) * (brightness(picture, column[i], row[j]) / 65535);
    return sum;
}

void mus_picture_copy_colors(const mus_picture *picture, uint8_t *colors) {
    size_t count = (size_t)picture->width * (size_t)picture->height, step = picture->channels == 1 ? 0 : 1;
    const uint16_t *value = picture->values;
    for (size_t i = 0; i < count; i++, value += picture->channels)
        for (size_t k = 0; k < 3; k++) colors[3 * i + k] = (uint8_t)(value[k * step] >> 8);
}

uint64_t mus_picture_get_serial(const mus_picture *picture) {
    return picture->serial;
}

const char *mus_picture_get_type(const mus_picture *picture) {
    return mus_jpeg_is(&picture->file) ? "image/jpeg" : "image/png";
}

const void *mus_picture_get_file(const mus_picture *picture, size_t *size) {
    *size = picture->file.size;
    return picture->file.data;
}
