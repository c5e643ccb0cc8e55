/* test_neighbor_list.c: a neighbor list gives exactly the candidate pairs of a traversal of the broad phase, whatever
 * moves and however far, and stays valid through most of the steps of what rests. */
#include "scene.h"

#include "world/world_state.h"

enum { NU = 12 };

/* Goes down slowly with what lies on it. */
static const descent_of_plate plate = {0.02, 0.004};

/* Sheets that rumple over a ball, a plate that sinks, and the floor. */
static mus_world *pile(const mus_pipeline *pipeline, int sheets, mus_cloth_id *last) {
    mus_world_def def = mus_world_def_default();
    def.dt = 1.0 / 120, def.threads = 1, def.pipeline = *pipeline;
    mus_world *world = world_of(def);
    for (int k = 0; k < sheets; k++) {
        mus_cloth_def cloth = mus_cloth_def_default();
        v3 at = v3_make(0.01 * k, 0.07 + 0.004 * k, -0.013 * k);
        *last = add_cloth(world, grid_mesh(NU, NU, 0.3, 0.3, "xz", at), cloth);
    }
    add_sphere(world, 0.03, v3_make(0.12, 0.035, 0), 0.3);
    add_plane(world, v3_make(0, 1, 0), v3_make(0, 0, 0), 0.4);
    add_press(world, v3_make(0.12, 0.04, 0.2), &plate);
    return world;
}

/* One sheet moves down on another, from outside the range that a step searches but within its skin radius; there is
 * nothing else. */
static mus_world *approaching_sheets(const mus_pipeline *pipeline, int sheets, mus_cloth_id *last) {
    mus_world_def def = still_air(1.0 / 120, 0);
    def.pipeline = *pipeline;
    mus_world *world = world_of(def);
    for (int k = 0; k < sheets; k++) {
        v3 at = v3_make(0.004 * k, 0.0026 * k, 0.003 * k);
        *last = add_cloth(world, grid_mesh(NU, NU, 0.3, 0.3, "xz", at), mus_cloth_def_default());
    }
    double *v = mus_cloth_get_velocities(world, *last);
    for (int32_t i = 0; i < mus_cloth_get_vertex_count(world, *last); i++) v[3 * i + 1] = -0.036;
    return world;
}

typedef mus_world *maker(const mus_pipeline *pipeline, int sheets, mus_cloth_id *last);

static int by_vertices(const void *p, const void *q) {
    return memcmp(p, q, sizeof((mus_candidate_pair *)0)->vertex);
}

static void same_candidate_pairs(const mus_world *one, const mus_world *other) {
    const mus_candidate_pair_list *p = &one->solver.candidates, *q = &other->solver.candidates;
    assert_int_equal(p->count, q->count);
    for (int64_t k = 0; k < p->count; k++) {
        assert_int_equal(by_vertices(&p->data[k], &q->data[k]), 0);
        assert_memory_equal(&p->data[k].gap0, &q->data[k].gap0, sizeof p->data[k].gap0);
    }
}

/* A sheet is lifted between two steps: a little, and falls back within the skin radius; or out of it. */
static void carry_off(mus_world *world, mus_cloth_id id, double by) {
    double *x = mus_cloth_get_positions(world, id);
    for (int32_t i = 0; i < mus_cloth_get_vertex_count(world, id); i++) x[3 * i + 1] += by;
}

static void played(maker *make, mus_pipeline pipeline, int sheets, int count) {
    mus_cloth_id last, same;
    mus_world *kept = make(&pipeline, sheets, &last), *walked = make(&pipeline, sheets, &same);
    int use_count = 0, made = 0, most = 0;
    for (int k = 0; k < count; k++) {
        if (k == 0) must(mus_world_validate(walked)); /* which makes the solver */
        walked->solver.neighbor_list.rebuild_delay = 1 << 20;
        bool had = kept->solver.neighbor_list.is_valid;
        int before = kept->solver.neighbor_list.use_count;
        must(mus_world_step(kept));
        must(mus_world_step(walked));
        const mus_neighbor_list *neighbor_list = &kept->solver.neighbor_list;
        assert_false(walked->solver.neighbor_list.is_valid);
        assert_true(mus_world_get_hash(kept) == mus_world_get_hash(walked));
        same_candidate_pairs(kept, walked);
        bool renewed = neighbor_list->is_valid && (!had || neighbor_list->use_count <= before);
        made += renewed, use_count += neighbor_list->is_valid && !renewed;
        if (neighbor_list->use_count > most) most = neighbor_list->use_count;
        double by = make == approaching_sheets ? 0 : k == count - 20 ? 0.2 : k >= count / 2 && k % 30 == 0 ? 0.0015 : 0;
        if (by > 0) carry_off(kept, last, by), carry_off(walked, same, by);
    }
    print_message("# %s: %d lists served %d more of %d steps, one of them %d times\n", pipeline.integrator, made,
                  use_count, count, most);
    assert_true(made > 0 && use_count >= count / 6);
    mus_world_destroy(kept);
    mus_world_destroy(walked);
}

static void test_robust(void **state) {
    (void)state;
    played(pile, (mus_pipeline)STAGES_ROBUST, 3, 220);
}

static void test_sequential(void **state) {
    (void)state;
    played(pile, (mus_pipeline)STAGES_SEQUENTIAL, 3, 220);
    played(approaching_sheets, (mus_pipeline)STAGES_SEQUENTIAL, 2, 40);
}

/* Contacts are the pairs near at the start, and every vertex may move up to the motion bound. */
static void test_offset(void **state) {
    (void)state;
    played(pile, (mus_pipeline)STAGES_OFFSET, 1, 160);
}

static void test_approaching_sheets(void **state) {
    (void)state;
    played(approaching_sheets, (mus_pipeline)STAGES_ROBUST, 2, 40);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_approaching_sheets), cmocka_unit_test(test_robust),
                                       cmocka_unit_test(test_sequential), cmocka_unit_test(test_offset)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
