/* fuzz_values.c: every function and option of the module with numbers, strings and tables at the ends of their
 * ranges (api.lua). fuzz-links: lua */
#include "fuzz_api.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_api("values", data, size);
}
