/* look.h: how objects appear in pictures and in files that have colors. The simulation reads none of it, and snapshots
 * do not contain it. */
#ifndef MUS_LOOK_H
#define MUS_LOOK_H

#include "picture.h"

#include <stdbool.h>

/* A pattern in the texture coordinates of a cloth (mus_cloth_get_uvs) or of an obstacle's mesh, which must have some.
 */
typedef enum mus_texture {
    MUS_TEXTURE_NONE,
    MUS_TEXTURE_WEAVE,   /* threads over and under each other */
    MUS_TEXTURE_CHECKER, /* squares */
    MUS_TEXTURE_STRIPES, /* along the warp */
    MUS_TEXTURE_PICTURE, /* `picture`, repeated */
    MUS_TEXTURE_COUNT
} mus_texture;
/* "none", "weave", ... NULL for a number that is none of them. */
MUS_API const char *mus_texture_get_name(mus_texture texture);

/* Colors are sRGB, 0..1. Objects without a color have one of a palette, by their number in the world. */
typedef struct mus_look {
    bool has_color,
        has_back_color; /* back: of the side that normals do not point to; without it `color` is of both sides */
    float color[3], back_color[3];
    mus_texture texture;
    double texture_size;    /* m: width of a square, a stripe, a thread; > 0; 0.05, of WEAVE 0.001 */
    bool has_texture_color; /* without it a darker `color` */
    float texture_color[3]; /* of every second square, stripe, thread */
    /* Of MUS_TEXTURE_PICTURE; on both sides, or on the front where has_back_color. Borrowed: it must outlive the
     * object, or the look that another one replaces. */
    const mus_picture *picture;
    double picture_origin[2]; /* of its lower left corner, in texture coordinates */
    double picture_size[2]; /* in texture coordinates, > 0; {0, 0}: it covers the box around them, without the origin */
} mus_look;

/* No color and no texture. */
MUS_API mus_look mus_look_default(void);

#endif
