/* cookie.h: marks of definitions that their _default() function made. */
#ifndef MUS_BASE_COOKIE_H
#define MUS_BASE_COOKIE_H

#include "muslin/status.h"

#include <stdint.h>

typedef enum mus_cookie {
    MUS_COOKIE_ANIMATION = 0x4d554131,
    MUS_COOKIE_CALLBACKS = 0x4d554b31,
    MUS_COOKIE_CLOTH_DEF = 0x4d554331,
    MUS_COOKIE_GRID_DEF = 0x4d554731,
    MUS_COOKIE_LOAD_OPTIONS = 0x4d554c31,
    MUS_COOKIE_MESH_DEF = 0x4d554d31,
    MUS_COOKIE_OBSTACLE_DEF = 0x4d554f31,
    MUS_COOKIE_POLYGON_DEF = 0x4d555931,
    MUS_COOKIE_PARTS_ANIMATION = 0x4d554631,
    MUS_COOKIE_PULL_DEF = 0x4d555031,
    MUS_COOKIE_RESPONSE_DEF = 0x4d555231,
    MUS_COOKIE_ROUND_DEF = 0x4d554e31,
    MUS_COOKIE_SEAM_DEF = 0x4d555331,
    MUS_COOKIE_WORLD_DEF = 0x4d553031
} mus_cookie;

/* INVALID unless `cookie` is the expected one; the message begins with `what` and names the function `type`_default. */
mus_status mus_check_cookie(uint32_t cookie, mus_cookie expected, const char *what, const char *type);

#endif
