/* picture.h: pictures as maps over a cloth: the brightness of PNG and JPEG files, at any place. */
#ifndef MUSLIN_PICTURE_H
#define MUSLIN_PICTURE_H

#include "status.h"

#include <stdint.h>

#define MUS_MOST_PIXELS 100000000 /* of a picture */

typedef struct mus_picture mus_picture;

/* Reads a PNG (with 8 or 16 bits) or JPEG, by its contents. The brightness of colors is 0.30 red + 0.59 green + 0.11
 * blue, of the stored values; transparency is ignored. NOT_FOUND, IO or FORMAT with the file and the reason; FORMAT,
 * too, for more than MUS_MOST_PIXELS. */
MUS_API mus_status mus_picture_load(const char *path, mus_picture **picture);
MUS_API void mus_picture_destroy(mus_picture *picture); /* NULL is allowed */
/* Number of columns. */
MUS_API int32_t mus_picture_get_width(const mus_picture *picture);
/* Number of rows. */
MUS_API int32_t mus_picture_get_height(const mus_picture *picture);
/* Brightness, 0 (black) to 1 (white), at u from the left (0) to the right edge (1) and v from the lower (0) to the
 * upper edge (1): linear between the centers of pixels, that of the nearest place beyond the edges. NaN where u or v is
 * not finite. */
MUS_API double mus_picture_sample(const mus_picture *picture, double u, double v);

#endif
