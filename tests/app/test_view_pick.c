/* test_view_pick.c: what a click in the preview hits, against where the camera's matrix puts it. */
#include "app/view/view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const int WIDTH = 900, HEIGHT = 500;

/* The point of the window where the camera shows p. */
static void shown_at(const app_camera *camera, const app_bounds *bounds, const double p[3], double *x, double *y) {
    float matrix[16], clip[4], at[3] = {(float)p[0], (float)p[1], (float)p[2]};
    app_camera_matrix(camera, bounds, WIDTH, HEIGHT, matrix);
    app_matrix_apply(matrix, at, clip);
    *x = 0.5 * (double)(1 + clip[0] / clip[3]) * WIDTH;
    *y = 0.5 * (double)(1 - clip[1] / clip[3]) * HEIGHT;
}

static mus_world *make_world(mus_cloth_id *sheet) {
    mus_world *world = NULL;
    mus_world_def def = mus_world_def_default();
    assert_int_equal(mus_world_create(&def, &world), MUS_STATUS_OK);
    mus_mesh *mesh = NULL;
    mus_grid_def grid = {mus_grid_def_default().cookie, .nodes = {6, 6}, .size = {1, 1}, .center = {0, 0.6, 0}};
    assert_int_equal(mus_mesh_create_grid(&grid, &mesh), MUS_STATUS_OK);
    mus_cloth_def cloth = mus_cloth_def_default();
    cloth.mesh = mesh;
    cloth.name = "sheet";
    assert_int_equal(mus_cloth_create(world, &cloth, sheet), MUS_STATUS_OK);
    mus_mesh_destroy(mesh);
    mus_obstacle_id id;
    mus_obstacle_def ball = mus_obstacle_def_default();
    ball.shape = MUS_SHAPE_SPHERE;
    ball.radius = 0.2;
    ball.name = "ball";
    ball.pose.position[1] = 0.3;
    assert_int_equal(mus_obstacle_create(world, &ball, &id), MUS_STATUS_OK);
    mus_obstacle_def floor = mus_obstacle_def_default();
    floor.shape = MUS_SHAPE_PLANE;
    floor.name = "floor";
    assert_int_equal(mus_obstacle_create(world, &floor, &id), MUS_STATUS_OK);
    return world;
}

static void test_every_face_is_hit_where_it_is_shown(void **state) {
    (void)state;
    mus_cloth_id sheet;
    mus_world *world = make_world(&sheet);
    app_camera camera = app_camera_fit(world, 1.5f);
    app_bounds bounds = app_bounds_empty();
    app_bounds_add(&bounds, (float[3]){-1, 0, -1});
    app_bounds_add(&bounds, (float[3]){1, 1, 1});
    const double *v = mus_cloth_get_positions(world, sheet);
    const int32_t *faces = mus_cloth_get_faces(world, sheet);
    for (int32_t f = 0; f < mus_cloth_get_face_count(world, sheet); f++)
        for (int corner = 0; corner < 3; corner++) {
            double p[3] = {0, 0, 0}, x, y; /* within the face, nearer to one corner */
            for (int k = 0; k < 3; k++)
                for (int c = 0; c < 3; c++)
                    p[k] += (c == corner ? 0.7 : 0.15) * v[3 * (size_t)faces[3 * f + c] + (size_t)k];
            shown_at(&camera, &bounds, p, &x, &y);
            view_pick pick = view_pick_at(world, &camera, x, y, WIDTH, HEIGHT);
            assert_true(pick.hit && pick.cloth);
            assert_string_equal(pick.name, "sheet");
            assert_int_equal(pick.face, f);
            assert_int_equal(pick.vertex, faces[3 * f + corner]);
            for (int k = 0; k < 3; k++) assert_true(pick.at[k] - p[k] < 1e-4 && p[k] - pick.at[k] < 1e-4);
        }
    mus_world_destroy(world);
}

static void test_what_is_in_front_hides_what_is_behind(void **state) {
    (void)state;
    mus_cloth_id sheet;
    mus_world *world = make_world(&sheet);
    app_camera camera = {{0, 0.3f, 0}, 0, -0.3f, 4, 0.6f, 1.5f}; /* from below the sheet: the ball hides its middle */
    view_pick pick = view_pick_at(world, &camera, 0.5 * WIDTH, 0.5 * HEIGHT, WIDTH, HEIGHT);
    assert_true(pick.hit && !pick.cloth);
    assert_string_equal(pick.name, pick.at[1] < 0.05 ? "floor" : "ball");
    assert_int_equal(pick.face, -1); /* an exact shape has no faces of its own */
    camera.pitch = 0.2f;             /* level with the ball, the floor behind it */
    pick = view_pick_at(world, &camera, 0.5 * WIDTH, 0.5 * HEIGHT, WIDTH, HEIGHT);
    assert_string_equal(pick.name, "ball");
    pick = view_pick_at(world, &camera, 0.5 * WIDTH, 0.95 * HEIGHT, WIDTH, HEIGHT);
    assert_string_equal(pick.name, "floor");
    assert_true(pick.at[1] < 1e-5 && pick.at[1] > -1e-5);
    camera.pitch = -1.2f, camera.target[1] = 5; /* at the sky */
    pick = view_pick_at(world, &camera, 0.5 * WIDTH, 0, WIDTH, HEIGHT);
    assert_false(pick.hit);
    mus_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_face_is_hit_where_it_is_shown),
                                       cmocka_unit_test(test_what_is_in_front_hides_what_is_behind)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
