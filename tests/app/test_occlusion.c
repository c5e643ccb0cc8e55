/* test_occlusion.c: ambient occlusion of pictures: surfaces darken what is near them, and nothing else. */
#include "app/render/render.h"
#include "leaks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WIDTH = 900, HEIGHT = 600 };

static float unit(int k) {
    return k % 5 == 0 ? 1 : 0;
}

static void test_inverse(void **state) {
    (void)state;
    app_bounds bounds = app_bounds_empty();
    app_bounds_add(&bounds, (float[3]){-1, 0, 3});
    app_bounds_add(&bounds, (float[3]){1, 2, 4});
    app_camera camera = app_camera_fit_bounds(&bounds, 1.5f);
    float m[16], inverse[16], product[16];
    app_camera_matrix(&camera, &bounds, WIDTH, HEIGHT, m);
    assert_true(app_matrix_invert(m, inverse));
    app_matrix_multiply(m, inverse, product);
    for (int k = 0; k < 16; k++) assert_true(fabsf(product[k] - unit(k)) < 1e-4F);
    /* needs a pivot that is not the next row's */
    const float turned[16] = {0, 2, 0, 0, 1, 0, 0, 0, 0, 0, 0, -4, 0, 0, 1, 3};
    assert_true(app_matrix_invert(turned, inverse));
    app_matrix_multiply(turned, inverse, product);
    for (int k = 0; k < 16; k++) assert_true(fabsf(product[k] - unit(k)) < 1e-6F);
    const float flat[16] = {1, 2, 3, 4, 2, 4, 6, 8};
    assert_false(app_matrix_invert(flat, inverse));
}

typedef struct scene {
    mus_world *world;
    app_render_list list;
    app_camera camera;
    app_bounds bounds;
    unsigned char *pixels;
} scene;

/* A sheet of 1 m x 0.5 m that stands upright on the floor, `gap` above it, seen from the front; its shadow falls
 * behind it. */
static void draw(scene *s, app_renderer *renderer, double gap) {
    mus_world_def def = mus_world_def_default();
    assert_int_equal(mus_world_create(&def, &s->world), MUS_STATUS_OK);
    mus_mesh *mesh = NULL;
    mus_grid_def grid = mus_grid_def_default();
    grid.nodes[0] = 41, grid.nodes[1] = 21;
    grid.size[0] = 1, grid.size[1] = 0.5;
    assert_int_equal(mus_mesh_create_grid(&grid, &mesh), MUS_STATUS_OK);
    mus_cloth_def cloth = mus_cloth_def_default();
    cloth.mesh = mesh;
    mus_cloth_id sheet;
    assert_int_equal(mus_cloth_create(s->world, &cloth, &sheet), MUS_STATUS_OK);
    mus_mesh_destroy(mesh);
    double *x = mus_cloth_get_positions(s->world, sheet), low = INFINITY;
    for (int i = 0; i < 41 * 21; i++) low = fmin(low, x[3 * i + 2]);
    for (int i = 0; i < 41 * 21; i++) x[3 * i + 1] = x[3 * i + 2] - low + gap, x[3 * i + 2] = 0;
    assert_int_equal(mus_cloth_mark_positions_changed(s->world, sheet), MUS_STATUS_OK);
    mus_obstacle_def plane = mus_obstacle_def_default();
    plane.shape = MUS_SHAPE_PLANE;
    mus_obstacle_id floor;
    assert_int_equal(mus_obstacle_create(s->world, &plane, &floor), MUS_STATUS_OK);
    assert_int_equal(app_render_list_collect(&s->list, s->world), MUS_STATUS_OK);
    assert_int_equal(s->list.plane_count, 1);
    s->bounds = app_render_list_bounds(&s->list);
    s->camera = app_camera_fit_bounds(&s->bounds, 1.5f);
    app_camera_orbit(&s->camera, -s->camera.yaw, 0.1f);
    assert_int_equal(app_renderer_pixels(renderer, &s->list, NULL, &s->camera, WIDTH, HEIGHT, "a", &s->pixels),
                     MUS_STATUS_OK);
}

static void free_scene(scene *s) {
    free(s->pixels);
    app_render_list_free(&s->list);
    mus_world_destroy(s->world);
}

/* The mean green of 5 x 5 pixels around a point. */
static double seen_at(const scene *s, float x, float y, float z) {
    float matrix[16], clip[4];
    app_camera_matrix(&s->camera, &s->bounds, WIDTH, HEIGHT, matrix);
    app_matrix_apply(matrix, (float[3]){x, y, z}, clip);
    int column = (int)(0.5f * (clip[0] / clip[3] + 1) * WIDTH), row = (int)(0.5f * (clip[1] / clip[3] + 1) * HEIGHT);
    assert_true(column > 2 && column < WIDTH - 3 && row > 2 && row < HEIGHT - 3);
    double sum = 0;
    for (int k = 0; k < 25; k++) sum += s->pixels[4 * ((row + k / 5 - 2) * WIDTH + column + k % 5 - 2) + 1];
    return sum / 25;
}

static void test_floor_at_a_wall(void **state) {
    (void)state;
    scene standing = {0}, high = {0};
    ignore_leaks(true);
    app_renderer *renderer = app_renderer_create(true);
    if (renderer) {
        draw(&standing, renderer, 0.001);
        draw(&high, renderer, 0.6);
    }
    ignore_leaks(false);
    if (!renderer) skip(); /* no driver for OpenGL */
    /* The floor in front of the wall, between the grid's lines. */
    double at_wall = seen_at(&standing, 0.25f, 0, 0.025f), before_it = seen_at(&standing, 0.25f, 0, 0.36f);
    print_message("# floor: %.1f at the wall, %.1f before it\n", at_wall, before_it);
    assert_true(at_wall < before_it - 8);
    /* Not out of range of the wall. */
    double nearer = seen_at(&standing, 0.25f, 0, 0.25f), farther = before_it;
    print_message("# floor out of range: %.2f and %.2f\n", nearer, farther);
    assert_true(fabs(nearer - farther) < 1.5);
    /* And the wall at its foot. */
    double foot = seen_at(&standing, 0.25f, 0.02f, 0), middle = seen_at(&standing, 0.25f, 0.3f, 0);
    print_message("# wall: %.1f at its foot, %.1f in its middle\n", foot, middle);
    assert_true(foot < middle - 4);
    /* A wall that is further away than the range darkens nothing, and its own edge is not darker than its middle. */
    double below = seen_at(&high, 0.25f, 0.62f, 0), above = seen_at(&high, 0.25f, 0.9f, 0);
    print_message("# hanging: %.1f at its edge, %.1f in its middle\n", below, above);
    assert_true(fabs(below - above) < 3);
    free_scene(&standing);
    free_scene(&high);
    app_renderer_destroy(renderer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inverse),
        cmocka_unit_test(test_floor_at_a_wall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
