/* memory.c: memory limit of meshes and worlds: from the command line, else nine tenths of the machine's memory, so
 * that a mistake in a script is an error and does not end other programs. */
#include "host.h"

#include <stdlib.h>
#include <unistd.h>

static size_t most; /* bytes */

static void *allocate(void *user, void *block, size_t old_size, size_t new_size) {
    (void)user;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    size_t used = mus_get_allocated_bytes();
    if (new_size > old_size && (used > most || new_size - old_size > most - used)) return NULL;
    return realloc(block, new_size);
}

/* Memory of the machine, or of the container. */
static size_t machine_memory(void) {
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    size_t bytes = pages > 0 && size > 0 ? (size_t)pages * (size_t)size : SIZE_MAX;
    FILE *file = fopen("/sys/fs/cgroup/memory.max", "r");
    unsigned long long given;
    if (file && fscanf(file, "%llu", &given) == 1 && given < bytes) bytes = (size_t)given;
    if (file) fclose(file);
    return bytes;
}

size_t app_bytes(double megabytes) {
    double bytes = megabytes * 1e6;
    if (!(bytes > 0)) return 0;
    return bytes < (double)SIZE_MAX ? (size_t)bytes : SIZE_MAX; /* SIZE_MAX is rounded up to 2^64, which does not fit */
}

void app_memory_limit(double megabytes) {
    most = megabytes > 0 ? app_bytes(megabytes) : machine_memory() / 10 * 9;
    mus_set_allocator(allocate, NULL);
}
