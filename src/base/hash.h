/* hash.h: XXH3 of bytes. The same bytes give the same hash on every machine. */
#ifndef MUS_BASE_HASH_H
#define MUS_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Hash of a block, chained to the hash of earlier blocks: h = mus_hash_chain(h, data, size), from h = 0. */
uint64_t mus_hash_chain(uint64_t before, const void *data, size_t size);

#endif
