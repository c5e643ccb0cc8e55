/* picture.h: PNG and JPEG files as maps over a cloth, by their brightness, and as its texture. */
#ifndef MUSLIN_PICTURE_H
#define MUSLIN_PICTURE_H

#include "status.h"

#include <stddef.h>
#include <stdint.h>

#define MUS_MOST_PIXELS 100000000 /* of a picture */

typedef struct mus_picture mus_picture;

/* Reads a PNG (with 8 or 16 bits) or a JPEG (of gray or three colors; the rotation that a camera has noted is ignored),
 * by its contents. Transparency is ignored. NOT_FOUND, IO or FORMAT with the file and the reason; FORMAT, too, for more
 * than MUS_MOST_PIXELS. */
MUS_API mus_status mus_picture_load(const char *path, mus_picture **picture);
/* The same from a file's bytes, of which it keeps a copy; `name` stands for the file in messages. */
MUS_API mus_status mus_picture_decode(const void *bytes, size_t size, const char *name, mus_picture **picture);
MUS_API void mus_picture_destroy(mus_picture *picture); /* NULL is allowed */
/* Number of columns. */
MUS_API int32_t mus_picture_get_width(const mus_picture *picture);
/* Number of rows. */
MUS_API int32_t mus_picture_get_height(const mus_picture *picture);
/* Brightness (0.30 red + 0.59 green + 0.11 blue of the stored values), 0 (black) to 1 (white), at u from the left (0)
 * to the right edge (1) and v from the lower (0) to the upper edge (1): linear between the centers of pixels, that of
 * the nearest place beyond the edges. NaN where u or v is not finite. */
MUS_API double mus_picture_sample(const mus_picture *picture, double u, double v);
/* Receives red, green and blue (sRGB) of every pixel, 3 x width x height, rows from the top. */
MUS_API void mus_picture_copy_colors(const mus_picture *picture, uint8_t *colors);
/* Different for each picture that the process has loaded, also where memory is used again. */
MUS_API uint64_t mus_picture_get_serial(const mus_picture *picture);
/* Its media type, "image/png" or "image/jpeg". */
MUS_API const char *mus_picture_get_type(const mus_picture *picture);
/* The file as it was read; it belongs to the picture. */
MUS_API const void *mus_picture_get_file(const mus_picture *picture, size_t *size);

#endif
