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
    mus_grid_def grid = {mus_grid_def_default().cookie, .nodes = {16, 16}, .size = {0.6, 0.6},
                         .center = {0.01, r->height, 0.02}};
    mus_status status = mus_mesh_create_grid(&grid, &mesh);
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
        strncpy(r->message, mus_get_error_message(), sizeof r->message - 1);
    } else {
        r->hash = mus_world_get_hash(world);
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
    size_t before = mus_get_allocated_bytes();
    for (int k = 0; k < WORLDS; k++) {
        together[k] = alone[k];
        together[k].threads = 1 + k % 3;
        together[k].hash = 0;
        memset(together[k].message, 0, sizeof together[k].message);
        assert_int_equal(pthread_create(&threads[k], NULL, thread_body, &together[k]), 0);
    }
    mus_fail(MUS_STATUS_INVALID, "of this thread");
    for (int k = 0; k < WORLDS; k++) assert_int_equal(pthread_join(threads[k], NULL), 0);
    assert_string_equal(mus_get_error_message(), "of this thread");
    for (int k = 0; k < WORLDS; k++) {
        assert_int_equal(together[k].status, alone[k].status);
        assert_true(together[k].hash == alone[k].hash);
        assert_string_equal(together[k].message, alone[k].message);
    }
    assert_int_equal(mus_get_allocated_bytes(), before);
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

/* So many vertices and contacts that every loop over them is shared: a free sheet on a large ball, its corners on the
 * floor. Its state and its figures. */
static uint64_t play_large(int threads, double figures[2]) {
    enum { NODES = 80, LARGE_STEPS = 24 };
    mus_grid_def grid = {mus_grid_def_default().cookie, .nodes = {NODES, NODES}, .size = {0.8, 0.8},
                         .center = {0.01, 1.004, 0.02}};
    mus_mesh *mesh = NULL;
    mus_world *world = NULL;
    mus_world_def def = mus_world_def_default();
    def.threads = threads;
    assert_int_equal(mus_mesh_create_grid(&grid, &mesh), MUS_STATUS_OK);
    assert_int_equal(mus_world_create(&def, &world), MUS_STATUS_OK);
    mus_cloth_def sheet = mus_cloth_def_default();
    mus_cloth_id id;
    sheet.mesh = mesh, sheet.thickness = 3e-3;
    assert_int_equal(mus_cloth_create(world, &sheet, &id), MUS_STATUS_OK);
    mus_obstacle_def ball = mus_obstacle_def_default(), floor = mus_obstacle_def_default();
    mus_obstacle_id obstacle;
    ball.name = "ball", ball.shape = MUS_SHAPE_SPHERE, ball.radius = 1;
    floor.name = "floor", floor.shape = MUS_SHAPE_PLANE, floor.pose.position[1] = 0.97;
    assert_int_equal(mus_obstacle_create(world, &ball, &obstacle), MUS_STATUS_OK);
    assert_int_equal(mus_obstacle_create(world, &floor, &obstacle), MUS_STATUS_OK);
    mus_stats stats;
    for (int k = 0; k < LARGE_STEPS; k++) assert_int_equal(mus_world_step(world), MUS_STATUS_OK);
    mus_world_get_stats(world, &stats);
    assert_true(stats.contacts > 1500);
    bool lands = false;
    const double *x = mus_cloth_get_positions(world, id);
    for (int k = 0; k < NODES * NODES; k++) {
        assert_true(x[3 * k + 1] > 0.97);
        lands |= x[3 * k + 1] < 0.974;
    }
    assert_true(lands);
    figures[0] = stats.max_strain, figures[1] = stats.kinetic_energy;
    uint64_t hash = mus_world_get_hash(world);
    mus_world_destroy(world);
    mus_mesh_destroy(mesh);
    return hash;
}

static void nor_does_it_to_a_large_sheet(void **state) {
    (void)state;
    double one[2], many[2];
    uint64_t hash = play_large(1, one);
    const int counts[] = {2, 3, 8};
    for (int k = 0; k < 3; k++) {
        assert_true(play_large(counts[k], many) == hash);
        assert_memory_equal(one, many, sizeof one);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(worlds_do_not_know_each_other),
                                       cmocka_unit_test(number_of_threads_does_not_matter),
                                       cmocka_unit_test(nor_does_it_to_a_large_sheet)};
    return cmocka_run_group_tests_name("worlds in threads", tests, NULL, NULL);
}
