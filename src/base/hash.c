/* hash.c: XXH3 (64 bits), compiled in from libxxhash's header so that nothing is needed at run time. */
#include "base/hash.h"
#include "muslin/host.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t mus_hash_bytes(const void *data, size_t size) {
    return XXH3_64bits(data, size);
}

uint64_t mus_hash_chain(uint64_t before, const void *data, size_t size) {
    return XXH3_64bits_withSeed(data, size, before);
}
