/* jpeg.h: pixels of JPEG files. */
#ifndef MUS_IO_JPEG_H
#define MUS_IO_JPEG_H

#include "io/file.h"

typedef struct mus_jpeg {
    int32_t width, height;
    int channels;    /* 1: gray, 3: red, green and blue */
    uint8_t *pixels; /* rows from the top; freed by mus_free */
} mus_jpeg;

/* By its first bytes. */
bool mus_jpeg_is(const mus_file *file);
/* FORMAT with the reason, also for more than MUS_MOST_PIXELS. The same pixels on every processor. */
mus_status mus_jpeg_decode(const mus_file *file, mus_jpeg *jpeg);

#endif
