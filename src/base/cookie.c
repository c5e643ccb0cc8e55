/* cookie.c: marks of definitions that their _default() function made. */
#include "base/cookie.h"

mus_status mus_check_cookie(uint32_t cookie, mus_cookie expected, const char *what, const char *type) {
    if (cookie == (uint32_t)expected) return MUS_STATUS_OK;
    return mus_fail(MUS_STATUS_INVALID, "%s: the %s was not made by %s_default(); start from what that returns", what,
                    type, type);
}
