/* render_image.c: a world's picture as a PNG file, complete or not at all, and pixels as the bytes of a JPEG or PNG. */
#include "render/render.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#include <stb/stb_image_write.h>

/* Collects the output of the encoder, which cannot report that memory ran out. */
typedef struct sink {
    FILE *file;
    size_t written;
    bool failed;
} sink;

static void append_bytes(void *context, void *data, int size) {
    sink *out = context;
    if (size <= 0 || fwrite(data, 1, (size_t)size, out->file) != (size_t)size)
        out->failed = true;
    else
        out->written += (size_t)size;
}

/* The highest row first, without alpha. */
static void copy_opaque(const unsigned char *pixels, int width, int height, unsigned char *to) {
    for (int y = 0; y < height; y++) {
        const unsigned char *from = pixels + 4 * (size_t)width * (size_t)(height - 1 - y);
        for (int x = 0; x < width; x++, from += 4, to += 3) to[0] = from[0], to[1] = from[1], to[2] = from[2];
    }
}

mus_status app_image_save(const char *path, const unsigned char *pixels, int width, int height) {
    size_t length = strlen(path) + 32, row = 3 * (size_t)width;
    char *temporary = malloc(length);
    unsigned char *rgb = malloc(row * (size_t)height);
    mus_status status = MUS_STATUS_OK;
    if (!temporary || !rgb) {
        status = mus_fail(MUS_STATUS_NO_MEMORY, "%s: no memory for a picture of %d x %d", path, width, height);
        goto done;
    }
    copy_opaque(pixels, width, height, rgb);
    snprintf(temporary, length, "%s.tmp%ld", path, (long)getpid());
    sink out = {fopen(temporary, "wb"), 0, false};
    if (!out.file) {
        status = mus_fail(MUS_STATUS_IO, "%s: cannot be written: %s", path, strerror(errno));
        goto done;
    }
    stbi_write_force_png_filter = 0; /* flat backgrounds compress best, and twice as fast, without one */
    stbi_write_png_compression_level = 5;
    errno = 0;
    bool encoded = stbi_write_png_to_func(append_bytes, &out, width, height, 3, rgb, (int)row) != 0 && out.written > 0;
    int reason = errno;
    if (fflush(out.file) != 0) out.failed = true, reason = errno;
    if (fclose(out.file) != 0) out.failed = true, reason = errno;
    if (!encoded && !out.failed) {
        status = mus_fail(MUS_STATUS_NO_MEMORY, "%s: no memory to encode a picture of %d x %d", path, width, height);
    } else if (out.failed) {
        status = mus_fail(MUS_STATUS_IO, "%s: cannot be written: %s", path, reason ? strerror(reason) : "write failed");
    } else if (rename(temporary, path) != 0) {
        status = mus_fail(MUS_STATUS_IO, "%s: cannot be renamed into place: %s", path, strerror(errno));
    }
    if (status != MUS_STATUS_OK) remove(temporary);
done:
    free(temporary);
    free(rgb);
    return status;
}

static mus_status encode(const unsigned char *pixels, int width, int height, bool png, unsigned char **bytes,
                         size_t *size) {
    static const int quality = 85; /* a picture of 480 x 270 has 8 to 30 kB; edges of cloth stay clean */
    unsigned char *rgb = malloc(3 * (size_t)width * (size_t)height);
    char *text = NULL;
    *bytes = NULL;
    sink out = {rgb ? open_memstream(&text, size) : NULL, 0, false};
    if (rgb) copy_opaque(pixels, width, height, rgb);
    bool ok = out.file && (png ? stbi_write_png_to_func(append_bytes, &out, width, height, 3, rgb, 3 * width)
                               : stbi_write_jpg_to_func(append_bytes, &out, width, height, 3, rgb, quality)) != 0;
    ok = (!out.file || fclose(out.file) == 0) && ok && !out.failed;
    free(rgb);
    if (ok) *bytes = (unsigned char *)text;
    if (!ok) free(text);
    return ok ? MUS_STATUS_OK
              : mus_fail(MUS_STATUS_NO_MEMORY, "no memory to encode a picture of %d x %d", width, height);
}

mus_status app_image_jpeg(const unsigned char *pixels, int width, int height, unsigned char **bytes, size_t *size) {
    return encode(pixels, width, height, false, bytes, size);
}

mus_status app_image_png(const unsigned char *pixels, int width, int height, unsigned char **bytes, size_t *size) {
    return encode(pixels, width, height, true, bytes, size);
}

mus_status app_renderer_png_list(app_renderer *r, const app_render_list *list, const mus_lua_drawing *drawing,
                                 const app_camera *camera, int width, int height, const char *path) {
    unsigned char *pixels;
    mus_status status = app_renderer_pixels(r, list, drawing, camera, width, height, path, &pixels);
    if (status == MUS_STATUS_OK) status = app_image_save(path, pixels, width, height);
    free(pixels);
    return status;
}

mus_status app_renderer_png(app_renderer *renderer, mus_world *world, const mus_lua_drawing *drawing,
                            const app_camera *camera, int width, int height, const char *path) {
    app_render_list list;
    app_render_style style = app_renderer_get_style(renderer);
    mus_status status = app_render_list_collect(&list, world);
    if (status != MUS_STATUS_OK) return status;
    status = app_render_list_heat(&list, world, style.heat);
    if (status == MUS_STATUS_OK) status = app_render_list_mark(&list, world, &style);
    if (status != MUS_STATUS_OK) {
        app_render_list_free(&list);
        return status;
    }
    status = app_renderer_png_list(renderer, &list, drawing, camera, width, height, path);
    app_render_list_free(&list);
    return status;
}
