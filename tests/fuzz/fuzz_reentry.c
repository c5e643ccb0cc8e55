/* fuzz_reentry.c: every function and option of the module with metamethods, callbacks and finalizers that change the
 * world or raise in the midst of a call (api.lua). fuzz-links: lua */
#include "fuzz_api.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_api("reentry", data, size);
}
