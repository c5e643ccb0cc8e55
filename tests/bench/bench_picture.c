/* bench_picture.c: time of a picture of the preview: a wavy sheet over a ball and a floor, 1280 x 720 pixels, by the
 * driver that is there (llvmpipe without a graphics card). Written in JSON, a line for each number of triangles: ms of
 * the whole (with reading the pixels, which waits for the driver), and of the vertices alone.
 *
 *   build/bench_picture [TRIANGLES...]
 */
#include "app/render/render.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <epoxy/gl.h>

enum { WIDTH = 1280, HEIGHT = 720, REPEATS = 15 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void check(mus_status status) {
    if (status == MUS_STATUS_OK) return;
    fprintf(stderr, "bench_picture: %s\n", mus_get_error_message());
    exit(1);
}

static mus_world *world_of(int side) {
    mus_world_def def = mus_world_def_default();
    mus_world *world = NULL;
    mus_mesh *mesh = NULL;
    check(mus_world_create(&def, &world));
    mus_grid_def grid = mus_grid_def_default();
    grid.nodes[0] = grid.nodes[1] = side + 1;
    grid.size[0] = grid.size[1] = 1;
    grid.center[1] = 0.6;
    check(mus_mesh_create_grid(&grid, &mesh));
    mus_cloth_def cloth = mus_cloth_def_default();
    cloth.mesh = mesh;

    mus_cloth_id id;
    check(mus_cloth_create(world, &cloth, &id));
    mus_mesh_destroy(mesh);
    double *x = mus_cloth_get_positions(world, id);
    for (int32_t v = 0; v < mus_cloth_get_vertex_count(world, id); v++)
        x[3 * v + 1] += 0.04 * sin(25 * x[3 * v]) * cos(21 * x[3 * v + 2]);
    mus_obstacle_def obstacle = mus_obstacle_def_default();
    mus_obstacle_id unused;
    obstacle.shape = MUS_SHAPE_SPHERE, obstacle.radius = 0.25;
    obstacle.pose.position[1] = 0.26;
    check(mus_obstacle_create(world, &obstacle, &unused));
    obstacle = mus_obstacle_def_default();
    obstacle.shape = MUS_SHAPE_PLANE;
    check(mus_obstacle_create(world, &obstacle, &unused));
    return world;
}

static void measure(int triangles, app_draft draft) {
    int side = (int)lround(sqrt(triangles / 2.0));
    mus_world *world = world_of(side);
    app_renderer *renderer = app_renderer_create(true);
    if (!renderer) {
        fprintf(stderr, "bench_picture: %s\n", mus_get_error_message());
        exit(1);
    }
    app_renderer_set_style(renderer, (app_render_style){.draft = draft});
    app_camera camera = app_camera_fit(world, (float)WIDTH / HEIGHT);
    double whole[REPEATS], mesh[REPEATS];
    app_mesh built = {0};
    for (int k = -2; k < REPEATS; k++) { /* two to warm up */
        app_render_list list;
        unsigned char *pixels = NULL;
        double start = now();
        check(app_render_list_collect(&list, world));
        check(app_renderer_pixels(renderer, &list, NULL, &camera, WIDTH, HEIGHT, "bench", &pixels));
        double middle = now();
        check(app_mesh_build(&built, &list, false));
        double end = now();
        if (k >= 0) whole[k] = 1e3 * (middle - start), mesh[k] = 1e3 * (end - middle);
        free(pixels);
        app_render_list_free(&list);
    }
    qsort(whole, REPEATS, sizeof *whole, compare);
    qsort(mesh, REPEATS, sizeof *mesh, compare);
    printf("{\"triangles\": %d, \"draft\": %d, \"picture_ms\": %.2f, \"pictures_per_s\": %.1f, \"vertices_ms\": %.2f, "
           "\"driver\": "
           "\"%s\"}\n",
           2 * side * side, (int)draft, whole[REPEATS / 2], 1e3 / whole[REPEATS / 2], mesh[REPEATS / 2],
           (const char *)glGetString(GL_RENDERER));
    app_mesh_free(&built);
    app_renderer_destroy(renderer);
    mus_world_destroy(world);
}

int main(int argc, char **argv) {
    static const int usual[] = {1000, 10000, 100000};
    for (int k = 1; k < argc; k++) {
        for (app_draft d = APP_DRAFT_NONE; d < APP_DRAFT_COUNT; d++) measure(atoi(argv[k]), d);
    }
    for (int k = 0; argc < 2 && k < 3; k++) {
        for (app_draft d = APP_DRAFT_NONE; d < APP_DRAFT_COUNT; d++) measure(usual[k], d);
    }
    return 0;
}
