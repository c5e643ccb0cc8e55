/* bytes.c: numbers in the sections that the Lua binding adds to a snapshot. */
#include "binding.h"

void mus_lua_put64(luaL_Buffer *b, uint64_t bits) {
    for (int k = 0; k < 8; k++) luaL_addchar(b, (char)(bits >> 8 * k & 255));
}

bool mus_lua_get64(const uint8_t **at, size_t *left, uint64_t *bits) {
    *bits = 0;
    if (*left < 8) return false;
    for (int k = 0; k < 8; k++) *bits |= (uint64_t)(*at)[k] << 8 * k;
    *at += 8, *left -= 8;
    return true;
}
