/* lua_pow.c: the pow behind Lua's operator ^. Lua's library calls pow by name, and the C library picks a version by the
 * processor, with other bits where it has fused operations. The program's own definition comes before the C library's
 * for every library it is linked to, so that x^y in a scene is the same on every machine. */
#include "app.h"

#include <math.h>

__attribute__((visibility("default"))) double pow(double x, double y) {
    return mus_pow(x, y);
}
