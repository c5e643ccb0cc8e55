/* fuzz_snapshot.c: snapshots with changed bytes and a repaired checksum: read, made into a world, stepped, audited,
 * restored and saved. Seeds come from make_seeds.c. */
#include "fuzz.h"
#include "muslin/host.h"

enum { HEAD = 24, SIZE_AT = 16, SUM = 8 }; /* io/snapshot_file.c: magic, version, sections, size; ends with the sum */

static void store(uint8_t *to, uint64_t value) {
    for (int k = 0; k < 8; k++) to[k] = (uint8_t)(value >> 8 * k);
}

/* What a transfer would check is right, so that all else is looked at. */
static void repair(uint8_t *data, size_t size) {
    static const uint8_t magic[12] = {0x8d, 'M', 'U', 'S', '\r', '\n', 0x1a, '\n', 2, 0, 0, 0};
    if (size < HEAD + SUM) return;
    memcpy(data, magic, sizeof magic);
    store(data + SIZE_AT, size);
    store(data + size - SUM, mus_hash_bytes(data, size - SUM));
}

static void overwrite(uint8_t *at, size_t left, unsigned int choice) {
    static const int64_t wholes[] = {-1, 0, 1, 2, 3, 255, 32767, 65536, 0x7ffffff0, INT32_MAX, INT32_MIN, INT64_MAX};
    uint64_t bits;
    if (choice & 1) {
        memcpy(&bits, &fuzz_extremes[choice / 8 % (sizeof fuzz_extremes / sizeof *fuzz_extremes)], sizeof bits);
    } else {
        bits = (uint64_t)wholes[choice / 8 % (sizeof wholes / sizeof *wholes)];
    }
    size_t width = choice & 1 || choice & 2 ? 8 : choice & 4 ? 4 : 1;
    for (size_t k = 0; k < width && k < left; k++) at[k] = (uint8_t)(bits >> 8 * k);
}

/* Half of the changes are numbers that break things, anywhere; the others are the engine's. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed) {
    uint64_t draw = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    if (size > HEAD + SUM && (draw >> 60 & 1)) {
        for (unsigned int n = 1 + (draw >> 56 & 3); n > 0; n--) {
            draw = draw * UINT64_C(6364136223846793005) + 1442695040888963407;
            size_t at = HEAD + (size_t)(draw >> 20) % (size - HEAD - SUM);
            overwrite(data + at, size - SUM - at, (unsigned int)(draw >> 8 & 0xfff));
        }
    } else {
        size = LLVMFuzzerMutate(data, size, most);
    }
    repair(data, size);
    return size;
}

static void stop_motions(mus_world *world) {
    for (int32_t k = 0; k < mus_world_get_obstacle_count(world); k++)
        mus_obstacle_set_motion(world, mus_world_get_obstacle(world, k), NULL, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[64];
    uint8_t *copy = malloc(size + 1);
    fuzz_require(copy);
    memcpy(copy, data, size);
    repair(copy, size);
    fuzz_write_file(copy, size, "muslin", path);
    free(copy);
    mus_snapshot *snapshot = NULL;
    mus_world *world = NULL;
    mus_status status = mus_snapshot_load(path, &snapshot);
    if (fuzz_succeeded(status) && fuzz_succeeded(mus_world_create_from_snapshot(snapshot, &world))) {
        stop_motions(world);
        fuzz_play(world, 3, 0.3);
        fuzz_succeeded(mus_snapshot_compare(snapshot, world));
        if (fuzz_succeeded(mus_snapshot_restore(snapshot, world))) fuzz_play(world, 1, 0.1);
        mus_snapshot *again = NULL;
        if (fuzz_succeeded(mus_snapshot_create(world, &again))) {
            mus_world *second = NULL;
            if (fuzz_succeeded(mus_world_create_from_snapshot(again, &second)))
                fuzz_require(mus_world_get_hash(second) == mus_world_get_hash(world));
            mus_world_destroy(second);
        }
        mus_snapshot_destroy(again);
    }
    mus_world_destroy(world);
    mus_snapshot_destroy(snapshot);
    unlink(path);
    fuzz_require(mus_get_allocated_bytes() == 0);
    return 0;
}
