/* test_memory.c: what a large sheet takes, a vertex, at its peak: creation, validation and steps included. */
#include "scene.h"

static size_t live, peak;

static void *counted(void *user, void *block, size_t old_size, size_t new_size) {
    (void)user;
    live += new_size - old_size;
    if (live > peak) peak = live;
    if (new_size) return realloc(block, new_size);
    free(block);
    return NULL;
}

/* This much a vertex, 64 MB, and 64 bytes a candidate pair. */
static void sheet_takes(const char *response, double bytes) {
    enum { N = 400 };
    live = peak = 0;
    mus_set_allocator(counted, NULL);
    mus_world_def def = mus_world_def_default();
    def.threads = 1, def.pipeline.response = response;
    mus_world *world;
    must(mus_world_create(&def, &world));
    add_cloth(world, grid_mesh(N, N, 1, 1, "xz", v3_make(0, 0.76, 0)), mus_cloth_def_default());
    add_plane(world, v3_make(0, 1, 0), v3_make(0, 0, 0), 0.3);
    add_sphere(world, 0.25, v3_make(0, 0.5, 0), 0.3);
    mus_stats stats = {0};
    int64_t candidates = 0;
    for (int k = 0; k < 4; k++) {
        must(mus_world_step(world));
        mus_world_get_stats(world, &stats);
        if (stats.candidates > candidates) candidates = stats.candidates;
    }
    print_message("%s: %.0f bytes a vertex, %.0f at the peak; %lld candidate pairs\n", response, (double)live / (N * N),
                  (double)peak / (N * N), (long long)candidates);
    assert_true((double)peak <= bytes * N * N + (64 << 20) + 64.0 * (double)candidates);
    mus_world_destroy(world);
    assert_int_equal(live, 0);
    mus_set_allocator(NULL, NULL);
}

/* `coupled` keeps a multigrid of its own, in which contacts are, and vectors of its solve: 2,428 bytes where `bridson`
 * has 1,372. */
static void test_sheet(void **state) {
    (void)state;
    sheet_takes("bridson", 1024);
    sheet_takes("coupled", 2048);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sheet)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
