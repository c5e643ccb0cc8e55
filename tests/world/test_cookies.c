/* test_cookies.c: definitions that their _default() function did not make are refused, and the message names it. */
#include "scene.h"

/* Each is refused when empty and when it has another type's cookie; the default is not refused for its cookie. */
#define REFUSED(type, call)                                                                                            \
    do {                                                                                                               \
        type def = type##_default();                                                                                   \
        const uint32_t good = def.cookie;                                                                              \
        assert_int_not_equal(good, 0);                                                                                 \
        for (int turn = 0; turn < 2; turn++) {                                                                         \
            def.cookie = turn ? good + 1 : 0;                                                                          \
            must_be(MUS_STATUS_INVALID, call);                                                                         \
            if (!strstr(mus_get_error_message(), "the " #type " was not made by " #type "_default()"))                 \
                fail_msg("%s", mus_get_error_message());                                                               \
        }                                                                                                              \
        def.cookie = good;                                                                                             \
        if ((call) != MUS_STATUS_OK && strstr(mus_get_error_message(), "_default()"))                                  \
            fail_msg("%s", mus_get_error_message());                                                                   \
    } while (0)

static void test_meshes(void **state) {
    (void)state;
    mus_mesh *mesh = NULL;
    REFUSED(mus_mesh_def, mus_mesh_create(&def, &mesh));
    REFUSED(mus_grid_def, mus_mesh_create_grid(&def, &mesh));
    REFUSED(mus_round_def, mus_mesh_create_cylinder(&def, &mesh));
    REFUSED(mus_round_def, mus_mesh_create_tube(&def, &mesh));
    REFUSED(mus_round_def, mus_mesh_create_cone(&def, true, &mesh));
    REFUSED(mus_round_def, mus_mesh_create_torus(&def, &mesh));
    REFUSED(mus_round_def, mus_mesh_create_annulus(&def, &mesh));
    int32_t corners = 3;
    double points[6] = {0, 0, 1, 0, 0, 1};
    REFUSED(mus_polygon_def, (def.counts = &corners, def.points = points, mus_mesh_create_polygon(&def, &mesh)));
    assert_null(mesh);
}

static void test_files(void **state) {
    (void)state;
    double positions[3] = {1, 2, 3};
    mus_point_cache cache = {.positions = positions, .vertex_count = 1, .frame_count = 1};
    REFUSED(mus_load_options, mus_point_cache_transform(&cache, &def));
    assert_true(positions[0] == 1 && positions[1] == 2 && positions[2] == 3);
}

static void test_worlds(void **state) {
    (void)state;
    mus_world *world = NULL;
    REFUSED(mus_world_def, (mus_world_destroy(world), world = NULL, mus_world_create(&def, &world)));
    mus_cloth_id cloth = add_cloth(world, grid_mesh(3, 3, 0.2, 0.2, "xz", v3_make(0, 1, 0)), mus_cloth_def_default());
    mus_obstacle_def box = mus_obstacle_def_default();
    mus_obstacle_id obstacle;
    box.shape = MUS_SHAPE_SPHERE, box.radius = 0.1;
    must(mus_obstacle_create(world, &box, &obstacle));
    int32_t vertex = 0;
    mus_cloth_id other;
    mus_obstacle_id ball;
    mus_seam_id seam;
    mus_response_id response;
    mus_point_cache cache = {.vertex_count = 1, .frame_count = 1};
    REFUSED(mus_cloth_def, mus_cloth_create(world, &def, &other));
    REFUSED(mus_pull_def, mus_cloth_pull(world, cloth, &vertex, 1, &def));
    REFUSED(mus_seam_def, mus_seam_create(world, &def, &seam));
    REFUSED(mus_obstacle_def, mus_obstacle_create(world, &def, &ball));
    REFUSED(mus_animation, (def.cache = &cache, mus_obstacle_set_animation(world, obstacle, &def)));
    REFUSED(mus_response_def, mus_response_create(world, &def, &response));
    must(mus_response_destroy(world, response)); /* the default one is complete */
    REFUSED(mus_callbacks, mus_world_set_callbacks(world, &def));
    assert_int_equal(mus_world_get_cloth_count(world), 1);
    assert_int_equal(mus_world_get_seam_count(world) + mus_world_get_response_count(world), 0);
    must(mus_world_set_callbacks(world, NULL));
    mus_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_meshes),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_worlds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
