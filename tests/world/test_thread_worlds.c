/* test_thread_worlds.c: different worlds in different threads at once, each with threads of its own, end in the state
 * that they end in alone. `make tsan` runs it under the thread sanitizer. */
#include "muslin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <string.h>

typedef struct run {
    int threads, steps;
    double height; /* m, of the sheet: makes worlds differ */
    uint64_t hash;
    mus_status status;
    char message[256];
} run;

static mus_status play(run *r) {
    mus_mesh *mesh = NULL;
    mus_world *world = NULL;
    mus_grid_def grid = {.nodes = {16, 16}, .size = {0.6, 0.6}, .center = {0.01, r->height, 0.02}};
    mus_status status = mus_mesh_grid(&grid, &mesh);
    if (!status) {
        mus_world_def def = mus_world_def_default();
        def.threads = r->threads;
        status = mus_world_create(&def, &world);
    }
    if (!status) {
        mus_cloth_def def = mus_cloth_def_default();
        mus_cloth_id id;
        def.mesh = mesh;
        def.thickness = 4e-3;
        status = mus_cloth_create(world, &def, &id);
    }
    if (!status) {
        mus_obstacle_def def = mus_obstacle_def_default();
        mus_obstacle_id id;
        def.shape = MUS_SHAPE_SPHERE;
        def.radius = 0.2;
        status = mus_obstacle_create(world, &def, &id);
    }
    for (int k = 0; k < r->steps && !status; k++) status = mus_world_step(world);
    if (status) {
        strncpy(r->message, mus_error_message(), sizeof r->message - 1);
    } else {
        r->hash = mus_world_hash(world);
    }
    mus_world_destroy(world);
    mus_mesh_destroy(mesh);
    return status;
}

static void *thread_body(void *context) {
    run *r = context;
    r->status = play(r);
    return NULL;
}

enum { WORLDS = 4, STEPS = 60 };

static void worlds_do_not_know_each_other(void **state) {
    (void)state;
    run alone[WORLDS], together[WORLDS];
    pthread_t threads[WORLDS];
    for (int k = 0; k < WORLDS; k++) {
        alone[k] = (run){.threads = 1, .steps = STEPS, .height = 0.21 + 0.01 * k};
        if (k == WORLDS - 1) alone[k].height = -0.001; /* starts inside the ball: an error of this thread alone */
        alone[k].status = play(&alone[k]);
        if (k < WORLDS - 1) assert_int_equal(alone[k].status, MUS_STATUS_OK);
        for (int j = 0; j < k; j++) assert_true(alone[j].hash != alone[k].hash);
    }
    assert_int_not_equal(alone[WORLDS - 1].status, MUS_STATUS_OK);
    size_t before = mus_allocated_bytes();
    for (int k = 0; k < WORLDS; k++) {
        together[k] = alone[k];
        together[k].threads = 1 + k % 3;
        together[k].hash = 0;
        memset(together[k].message, 0, sizeof together[k].message);
        assert_int_equal(pthread_create(&threads[k], NULL, thread_body, &together[k]), 0);
    }
    mus_fail(MUS_STATUS_INVALID, "of this thread");
    for (int k = 0; k < WORLDS; k++) assert_int_equal(pthread_join(threads[k], NULL), 0);
    assert_string_equal(mus_error_message(), "of this thread");
    for (int k = 0; k < WORLDS; k++) {
        assert_int_equal(together[k].status, alone[k].status);
        assert_true(together[k].hash == alone[k].hash);
        assert_string_equal(together[k].message, alone[k].message);
    }
    assert_int_equal(mus_allocated_bytes(), before);
}

static void number_of_threads_does_not_matter(void **state) {
    (void)state;
    run one = {.threads = 1, .steps = STEPS, .height = 0.205};
    assert_int_equal(play(&one), MUS_STATUS_OK);
    const int counts[] = {2, 3, 8, 0};
    for (int k = 0; k < 4; k++) {
        run many = {.threads = counts[k], .steps = STEPS, .height = 0.205};
        assert_int_equal(play(&many), MUS_STATUS_OK);
        assert_true(many.hash == one.hash);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(worlds_do_not_know_each_other),
                                       cmocka_unit_test(number_of_threads_does_not_matter)};
    return cmocka_run_group_tests_name("worlds in threads", tests, NULL, NULL);
}
