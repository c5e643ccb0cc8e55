/* lua_pow.c: the pow behind Lua's operator ^. Lua's library calls pow by name, and the C library selects a version
 * for the processor, with different bits where it has fused operations. The program's own definition precedes the C
 * library's for all linked libraries, so x^y in a scene is the same on every machine. */
#include "app.h"
#include "muslin/math.h"

#include <math.h>

__attribute__((visibility("default"))) double pow(double x, double y) {
    return mus_pow(x, y);
}
