/* driver.c: stands for libFuzzer where there is none: plays the files named and changes of them, with the options
 * -runs=N, -seed=N, -max_len=N, -max_total_time=SECONDS. It looks at no coverage; folders of files are corpora. An
 * input that ends the process is left as "crash" in the folder of -artifact_prefix=. */
#include "fuzz.h"

#include <dirent.h>
#include <sys/stat.h>

/* A target may do without. */
__attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed);

enum { MOST_SEEDS = 4096 };
static struct {
    uint8_t *bytes;
    size_t size;
} seeds[MOST_SEEDS];
static int seed_count;
static uint64_t state;
static char artifact[512] = "crash";

static uint32_t draw(uint32_t below) {
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return below ? (uint32_t)(state >> 33) % below : 0;
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most) {
    for (uint32_t n = 1 + draw(4); n > 0; n--) {
        size_t at = size ? draw((uint32_t)size) : 0;
        switch (draw(4)) {
        case 0:
            if (size) data[at] ^= (uint8_t)(1U << draw(8));
            break;
        case 1:
            if (size) data[at] = (uint8_t)draw(256);
            break;
        case 2: /* a byte more */
            if (size >= most) break;
            memmove(data + at + 1, data + at, size - at);
            data[at] = (uint8_t)draw(256), size++;
            break;
        default: /* some less */
            if (size > 8) {
                size_t less = 1 + draw(8);
                if (at + less > size) break;
                memmove(data + at, data + at + less, size - at - less);
                size -= less;
            }
        }
    }
    return size;
}

static void add_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file || seed_count == MOST_SEEDS) {
        fprintf(stderr, "driver: %s: cannot be read\n", path);
        exit(2);
    }
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    uint8_t *bytes = malloc((size_t)size + 1);
    fuzz_require(bytes && fread(bytes, 1, (size_t)size, file) == (size_t)size);
    fclose(file);
    seeds[seed_count].bytes = bytes, seeds[seed_count++].size = (size_t)size;
}

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void add(const char *path) {
    struct stat about;
    struct dirent **entries;
    if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode)) {
        add_file(path);
        return;
    }
    int count = scandir(path, &entries, NULL, by_name);
    for (int k = 0; k < count; k++) {
        char name[1024];
        snprintf(name, sizeof name, "%s/%s", path, entries[k]->d_name);
        if (entries[k]->d_name[0] != '.') add_file(name);
        free(entries[k]);
    }
    if (count >= 0) free(entries);
}

static void play(const uint8_t *data, size_t size) {
    FILE *file = fopen(artifact, "wb");
    if (file) fwrite(data, 1, size, file), fclose(file);
    LLVMFuzzerTestOneInput(data, size);
}

int main(int count, char **words) {
    long long runs = -1, most = 4096, seconds = 0, seed = 1, done = 0;
    for (int k = 1; k < count; k++) {
        if (sscanf(words[k], "-runs=%lld", &runs) == 1 || sscanf(words[k], "-seed=%lld", &seed) == 1 ||
            sscanf(words[k], "-max_len=%lld", &most) == 1 || sscanf(words[k], "-max_total_time=%lld", &seconds) == 1)
            continue;
        if (strncmp(words[k], "-artifact_prefix=", 17) == 0)
            snprintf(artifact, sizeof artifact, "%scrash", words[k] + 17);
        else if (words[k][0] != '-')
            add(words[k]);
    }
    state = (uint64_t)seed;
    for (int k = 0; k < seed_count; k++, done++) play(seeds[k].bytes, seeds[k].size);
    fuzz_deadline deadline = fuzz_deadline_in(seconds ? (double)seconds : 1e8);
    uint8_t *data = malloc((size_t)most + 1);
    while (data && seed_count && (runs < 0 ? seconds > 0 : done < runs) && !fuzz_deadline_passed(&deadline)) {
        int from = (int)draw((uint32_t)seed_count);
        size_t size = seeds[from].size < (size_t)most ? seeds[from].size : (size_t)most;
        memcpy(data, seeds[from].bytes, size);
        for (uint32_t n = 1 + draw(3); n > 0; n--)
            size = LLVMFuzzerCustomMutator ? LLVMFuzzerCustomMutator(data, size, (size_t)most, draw(0x7fffffff))
                                           : LLVMFuzzerMutate(data, size, (size_t)most);
        play(data, size);
        done++;
    }
    free(data);
    for (int k = 0; k < seed_count; k++) free(seeds[k].bytes);
    remove(artifact);
    printf("Done %lld runs\n", done);
    return 0;
}
