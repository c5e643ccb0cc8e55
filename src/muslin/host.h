/* host.h: helpers of programs that embed the library.
 *
 * Not part of muslin.h. For programs that check paths on behalf of a script or user, name the nearest option in
 * messages, or write manifests. */
#ifndef MUSLIN_HOST_H
#define MUSLIN_HOST_H

#include "status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For hosts that check a path before use, so that a folder replaced by a link in between has no effect. The next
 * file that this thread reads under exactly this path is the open file `fd`; with `is_folder`, the next file that it
 * writes under this path is created in the open folder `fd`, under the last component of the path. `fd` is always
 * closed: after that use, at the next call, or at once on failure. A NULL path registers nothing. NO_MEMORY. */
MUS_API mus_status mus_file_set_descriptor(const char *path, int fd, bool is_folder);

/* The bytes of a file, followed by a zero byte that is not counted. NOT_FOUND or IO with the system's reason. The
 * caller frees the text with mus_free_text (NULL is allowed). */
MUS_API mus_status mus_read_text(const char *path, char **text, size_t *size);
MUS_API void mus_free_text(char *text);

/* The word of a NULL-terminated list nearest to `word` by edit distance; NULL if none is near. */
MUS_API const char *mus_find_nearest_word(const char *word, const char *const *words);

/* XXH3 of a block of bytes, for manifests. */
MUS_API uint64_t mus_hash_bytes(const void *data, size_t size);

#endif
