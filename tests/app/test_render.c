/* test_render.c: cameras, normals and files of the renderer, and the wireframe, the one picture that is looked at here.
 */
#include "app/render/render.h"
#include "leaks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static app_bounds box_of(float x0, float y0, float z0, float x1, float y1, float z1) {
    app_bounds bounds = app_bounds_empty();
    app_bounds_add(&bounds, (float[3]){x0, y0, z0});
    app_bounds_add(&bounds, (float[3]){x1, y1, z1});
    return bounds;
}

/* Where a point lies in the picture: -1..1 on both axes and in depth. */
static void project(const app_camera *camera, const app_bounds *bounds, int width, int height, const float p[3],
                    float out[3]) {
    float matrix[16], clip[4];
    app_camera_matrix(camera, bounds, width, height, matrix);
    app_matrix_apply(matrix, p, clip);
    assert_true(clip[3] > 0);
    for (int k = 0; k < 3; k++) out[k] = clip[k] / clip[3];
}

static void test_fit_shows_every_corner(void **state) {
    (void)state;
    const app_bounds boxes[] = {box_of(-1, 0, -1, 1, 2, 1), box_of(-5, 0, -0.1f, 5, 0.1f, 0.1f),
                                box_of(100, 100, 100, 100.01f, 100.02f, 100.01f), box_of(0, -3, 0, 0, 9, 0)};
    const int sizes[][2] = {{1280, 720}, {900, 600}, {3000, 700}, {600, 600}, {400, 900}};
    for (size_t b = 0; b < sizeof boxes / sizeof *boxes; b++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            app_camera camera = app_camera_fit_bounds(&boxes[b], (float)sizes[s][0] / (float)sizes[s][1]);
            float furthest = 0;
            for (int corner = 0; corner < 8; corner++) {
                float p[3], at[3];
                for (int k = 0; k < 3; k++) p[k] = corner >> k & 1 ? boxes[b].high[k] : boxes[b].low[k];
                project(&camera, &boxes[b], sizes[s][0], sizes[s][1], p, at);
                for (int k = 0; k < 3; k++) assert_true(at[k] > -1 && at[k] < 1);
                furthest = fmaxf(furthest, fmaxf(fabsf(at[0]), fabsf(at[1])));
            }
            assert_true(furthest > 0.3f); /* and not as a speck */
        }
}

static void test_empty_and_broken_bounds(void **state) {
    (void)state;
    app_bounds bounds = app_bounds_empty();
    assert_true(app_bounds_is_empty(&bounds));
    app_bounds_add(&bounds, (float[3]){NAN, 0, 0});
    app_bounds_add(&bounds, (float[3]){0, INFINITY, 0});
    assert_true(app_bounds_is_empty(&bounds));
    app_camera camera = app_camera_fit_bounds(&bounds, 1.5f);
    assert_true(isfinite(camera.distance) && camera.distance > 0);
    app_bounds_add(&bounds, (float[3]){1, 2, 3}); /* a single point */
    camera = app_camera_fit_bounds(&bounds, 1.5f);
    assert_true(isfinite(camera.distance) && camera.distance > 0);
}

static void test_orbit_pan_zoom(void **state) {
    (void)state;
    app_bounds bounds = box_of(-1, -1, -1, 1, 1, 1);
    app_camera camera = app_camera_fit_bounds(&bounds, 1.5f);
    float eye[3], before[3], at[3], after[3];
    app_camera_orbit(&camera, 0, 100); /* never over the top */
    app_camera_eye(&camera, eye);
    assert_true(eye[1] > 0 && fabsf(camera.pitch) < 1.5708f);
    app_camera_orbit(&camera, 0, -1.1f);
    app_camera_orbit(&camera, 50, 0);
    app_camera_eye(&camera, eye);
    float d = 0;
    for (int k = 0; k < 3; k++) d += (eye[k] - camera.target[k]) * (eye[k] - camera.target[k]);
    assert_true(fabsf(sqrtf(d) - camera.distance) < 1e-4f * camera.distance);
    /* Panning by pixels moves what lies at the target's depth by as many pixels. */
    memcpy(at, camera.target, sizeof at);
    project(&camera, &bounds, 800, 600, at, before);
    app_camera_pan(&camera, 40, -25, 600);
    project(&camera, &bounds, 800, 600, at, after);
    assert_true(fabsf((after[0] - before[0]) * 400 - 40) < 0.05f);
    assert_true(fabsf((after[1] - before[1]) * 300 + 25) < 0.05f);
    float far_away = camera.distance;
    app_camera_zoom(&camera, 3);
    assert_true(camera.distance < far_away);
    app_camera_zoom(&camera, -3);
    assert_true(fabsf(camera.distance - far_away) < 1e-4f * far_away);
    for (int i = 0; i < 1000; i++) app_camera_zoom(&camera, 10);
    assert_true(camera.distance > 0);
}

static void test_follow_keeps_things_in_view(void **state) {
    (void)state;
    app_bounds bounds = box_of(-0.5f, 0, -0.5f, 0.5f, 1, 0.5f), start = bounds;
    app_camera camera = app_camera_fit_bounds(&bounds, 1.5f), first = camera;
    app_camera_follow_bounds(&camera, &first, &bounds, 60);
    assert_memory_equal(&camera, &first, sizeof camera); /* nothing leaves: nothing moves */
    for (int i = 0; i < 300; i++) {                      /* something runs off and stops after two seconds */
        if (i < 120) bounds.high[0] += 0.012f;
        app_camera before = camera;
        app_camera_follow_bounds(&camera, &first, &bounds, 60);
        assert_true(camera.yaw == first.yaw && camera.pitch == first.pitch && camera.distance >= before.distance);
        assert_true(camera.distance - before.distance < 0.05f * first.distance); /* gently */
    }
    for (int corner = 0; corner < 8; corner++) {
        float p[3], at[3];
        for (int k = 0; k < 3; k++) p[k] = corner >> k & 1 ? bounds.high[k] : bounds.low[k];
        project(&camera, &bounds, 1280, 720, p, at);
        assert_true(fabsf(at[0]) <= 1 && fabsf(at[1]) <= 1);
    }
    for (int i = 0; i < 6000; i++) { /* what falls for ever is not chased */
        start.low[1] -= 0.1f;
        app_camera_follow_bounds(&camera, &first, &start, 60);
    }
    assert_true(camera.distance <= 3 * first.distance);
}

static const double CUBE[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1};
static const int32_t CUBE_FACES[] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                     2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};

static void test_creases_of_an_obstacle(void **state) {
    (void)state;
    app_render_part part = {
        .kind = APP_PART_OBSTACLE, .vertices = CUBE, .faces = CUBE_FACES, .vertex_count = 8, .face_count = 12};
    app_render_list list = {.parts = &part, .part_count = 1};
    app_mesh mesh = {0};
    assert_int_equal(app_mesh_build(&mesh, &list, true), MUS_STATUS_OK);
    assert_int_equal(mesh.triangle_index_count, 36);
    assert_int_equal(mesh.draws[0].edge_index_count, 72);
    for (int64_t i = 0; i < mesh.vertex_count; i++) { /* flat sides: each normal along one axis, outward */
        const app_vertex *v = &mesh.vertices[i];
        int axis = fabsf(v->normal[0]) > 0.5f ? 0 : fabsf(v->normal[1]) > 0.5f ? 1 : 2;
        assert_true(fabsf(fabsf(v->normal[axis]) - 1) < 1e-6f);
        assert_true((v->normal[axis] > 0) == (v->position[axis] > 0.5f));
    }
    app_mesh_free(&mesh);
}

static void test_seams_of_texture_coordinates(void **state) {
    (void)state;
    static const double square[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0}, seamless[] = {0, 0, 1, 0, 1, 1, 0, 1};
    static const double uvs[] = {0, 0, 1, 0, 1, 1, 5, 5, 6, 6, 5, 6};
    static const int32_t faces[] = {0, 1, 2, 0, 2, 3}, uv_faces[] = {0, 1, 2, 3, 4, 5};
    app_render_part part = {.kind = APP_PART_CLOTH,
                            .vertices = square,
                            .faces = faces,
                            .uvs = seamless,
                            .uv_faces = faces,
                            .uv_count = 4,
                            .vertex_count = 4,
                            .face_count = 2};
    app_render_list list = {.parts = &part, .part_count = 1};
    app_mesh mesh = {0};
    assert_int_equal(app_mesh_build(&mesh, &list, true), MUS_STATUS_OK);
    assert_int_equal(mesh.vertex_count, 4); /* one each */
    assert_true(mesh.vertices[2].uv[0] == 1 && mesh.vertices[2].uv[1] == 1);
    part.uvs = uvs, part.uv_faces = uv_faces, part.uv_count = 6;
    assert_int_equal(app_mesh_build(&mesh, &list, true), MUS_STATUS_OK);
    assert_int_equal(mesh.triangle_index_count, 6);
    for (int k = 0; k < 6; k++) { /* every corner has its own coordinates, and place and normal of its vertex */
        const app_vertex *v = &mesh.vertices[mesh.indices[k]];
        for (int c = 0; c < 2; c++) assert_true(v->uv[c] == (float)uvs[2 * uv_faces[k] + c]);
        for (int c = 0; c < 3; c++) assert_true(v->position[c] == (float)square[3 * faces[k] + c]);
        assert_true(v->normal[2] == 1);
    }
    for (int64_t k = mesh.triangle_index_count; k < mesh.index_count; k++) /* the wireframe is that of the vertices */
        assert_true(mesh.indices[k] < mesh.vertex_count);
    app_mesh_free(&mesh);
}

/* A square sheet of nodes x nodes and side `size` that has fallen from a height on a ball at the origin. */
static mus_world *sheet_over_ball(int32_t nodes, double size, double height, double radius, int steps,
                                  mus_cloth_id *sheet) {
    mus_world_def def = mus_world_def_default();
    mus_world *world = NULL;
    assert_int_equal(mus_world_create(&def, &world), MUS_STATUS_OK);
    mus_grid_def grid = mus_grid_def_default();
    for (int k = 0; k < 2; k++) grid.nodes[k] = nodes, grid.size[k] = size;
    grid.center[1] = height;
    mus_mesh *mesh = NULL;
    assert_int_equal(mus_mesh_create_grid(&grid, &mesh), MUS_STATUS_OK);
    mus_cloth_def cloth = mus_cloth_def_default();
    cloth.mesh = mesh;
    assert_int_equal(mus_cloth_create(world, &cloth, sheet), MUS_STATUS_OK);
    mus_mesh_destroy(mesh);
    mus_obstacle_def ball = mus_obstacle_def_default();
    ball.shape = MUS_SHAPE_SPHERE;
    ball.radius = radius;
    mus_obstacle_id id;
    assert_int_equal(mus_obstacle_create(world, &ball, &id), MUS_STATUS_OK);
    for (int k = 0; k < steps; k++) assert_int_equal(mus_world_step(world), MUS_STATUS_OK);
    return world;
}

/* A cylinder has the curvature of its radius, whatever its edges. */
static void test_curvature(void **state) {
    (void)state;
    enum { N = 12 };
    const float radius = 0.25f, step = 0.1f; /* m, rad */
    mus_cloth_id sheet;
    mus_world *world = sheet_over_ball(N, 0.4, 9, 0.1, 0, &sheet);
    double *x = mus_cloth_get_positions(world, sheet);
    for (int i = 0; i < N * N; i++) {
        double angle = (double)(step * (float)(i % N));
        x[3 * i] = (double)radius * cos(angle), x[3 * i + 1] = (double)radius * sin(angle),
              x[3 * i + 2] = 0.03 * (i / N);
    }
    float values[N * N];
    assert_true(app_heat_of_cloth(world, sheet, APP_HEAT_CURVATURE, values));
    for (int i = 0; i < N * N; i++) { /* no edge at the straight borders has two faces at an angle */
        float wanted = i % N == 0 || i % N == N - 1 ? 0 : 1 / radius;
        if (!(fabsf(values[i] - wanted) < 0.04f)) fail_msg("vertex %d: %g", i, (double)values[i]);
    }
    mus_world_destroy(world);
}

/* The colors are of the quantities that the API states, and the scale ends at or above the largest. */
static void test_heat(void **state) {
    (void)state;
    mus_cloth_id sheet;
    mus_world *world = sheet_over_ball(9, 0.4, 0.12, 0.1, 30, &sheet);
    int32_t count = mus_cloth_get_vertex_count(world, sheet);
    for (int heat = APP_HEAT_STRETCH; heat < APP_HEAT_COUNT; heat++) {
        app_render_list list;
        assert_int_equal(app_render_list_collect(&list, world), MUS_STATUS_OK);
        assert_int_equal(app_render_list_heat(&list, world, (app_heat)heat), MUS_STATUS_OK);
        assert_null(list.parts[1].heat); /* of the ball */
        const float *value = list.parts[0].heat;
        float most = 0, sum = 0;
        for (int32_t v = 0; v < count; v++) most = fmaxf(most, value[v]), sum += value[v];
        assert_true(most > 0 && list.heat_range >= most);
        if (heat == APP_HEAT_STRETCH) {
            mus_strain strain;
            assert_int_equal(mus_cloth_get_strain(world, sheet, &strain), MUS_STATUS_OK);
            assert_true(fabsf(most - (float)strain.max) < 1e-5f);
        } else if (heat == APP_HEAT_SPEED) {
            const double *v = mus_cloth_get_velocities(world, sheet) + 3 * 40;
            assert_true(fabsf(value[40] - (float)sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])) < 1e-5f);
        } else if (heat == APP_HEAT_CURVATURE) {
            assert_true(most > 1 && most < 200); /* a ball of 0.12 m under a grid of 0.05 m */
        } else if (heat == APP_HEAT_DISTANCE) {
            float own[81], forces[81];
            assert_true(app_heat_of_cloth(world, sheet, APP_HEAT_DISTANCE, own));
            assert_true(app_heat_of_cloth(world, sheet, APP_HEAT_FORCE, forces));
            const double *x = mus_cloth_get_positions(world, sheet);
            int touching = 0, free_vertices = 0;
            for (int32_t v = 0; v < count; v++) {
                if (forces[v] > 0) assert_true(isfinite(own[v]));
                assert_true(value[v] == (isfinite(own[v]) ? own[v] : list.heat_range));
                touching += isfinite(own[v]), free_vertices += own[v] == INFINITY;
                double to_ball =
                    sqrt(x[3 * v] * x[3 * v] + x[3 * v + 1] * x[3 * v + 1] + x[3 * v + 2] * x[3 * v + 2]) - 0.1;
                /* Contacts of its faces and edges are nearer than the vertex. */
                if (isfinite(own[v])) assert_true((double)own[v] > 0 && (double)own[v] < to_ball + 1e-6);
            }
            assert_true(touching > 5 && free_vertices > 5);
        } else if (heat == APP_HEAT_PRESSURE) {
            float forces[81];
            assert_true(app_heat_of_cloth(world, sheet, APP_HEAT_FORCE, forces));
            for (int32_t v = 0; v < count; v++) assert_true((forces[v] > 0) == (value[v] > 0));
            /* An inner vertex has two thirds or four thirds of a cell, by the pattern of diagonals. */
            float cells = forces[40] / value[40] / (0.05f * 0.05f);
            assert_true(forces[40] > 0 && cells > 0.6f && cells < 1.5f);
        } else {
            /* Together at least what holds up the sheet against its change of momentum, which contacts alone do. */
            int64_t contacts = 0;
            const mus_contact *c = mus_world_get_contacts(world, &contacts);
            double total = 0;
            for (int64_t k = 0; k < contacts; k++)
                total += sqrt(c[k].impulse[0] * c[k].impulse[0] + c[k].impulse[1] * c[k].impulse[1] +
                              c[k].impulse[2] * c[k].impulse[2]) /
                         c[k].dt;
            assert_true(contacts > 0 && fabs((double)sum - total) < 1e-4 * total); /* all are with the ball */
        }
        app_mesh built = {0};
        assert_int_equal(app_mesh_build(&built, &list, false), MUS_STATUS_OK);
        for (int64_t v = 0; v < built.vertex_count; v++) {
            float wanted = v < count ? value[v] / list.heat_range : -1;
            assert_true(fabsf(built.vertices[v].heat - wanted) < 1e-6f);
        }
        app_mesh_free(&built);
        app_render_list_free(&list);
    }
    mus_world_destroy(world);
}

static void test_stated_camera(void **state) {
    (void)state;
    const mus_lua_view views[] = {{.from = {2, 1.5f, 3}, .to = {0.2f, 0.5f, 0}, .fov = 0.5f},
                                  {.from = {-1, -2, 0.5f}, .to = {3, 1, 4}, .fov = 1.2f},
                                  {.from = {0, 5, 0}, .to = {0, 0, 0}, .fov = 0.61f}}; /* straight down */
    app_bounds bounds = box_of(-1, -1, -1, 1, 1, 1);
    for (int k = 0; k < 3; k++) {
        app_camera camera = app_camera_of_view(&views[k]);
        float eye[3], at[3], allowed = k < 2 ? 1e-5f : 0.06f; /* no steeper than 0.01 rad from the vertical */
        app_camera_eye(&camera, eye);
        for (int c = 0; c < 3; c++) assert_true(fabsf(eye[c] - views[k].from[c]) < allowed);
        project(&camera, &bounds, 640, 480, views[k].to, at);
        assert_true(fabsf(at[0]) < 1e-4f && fabsf(at[1]) < 1e-4f && camera.fov == views[k].fov);
    }
}

static void test_smooth_cloth(void **state) {
    (void)state;
    enum { N = 12 };
    double vertices[3 * N * N];
    int32_t faces[6 * (N - 1) * (N - 1)], count = 0;
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) { /* a piece of a ball of radius 1, seen from outside */
            double *p = vertices + 3 * (i + j * N), a = 0.1 * (i - N / 2), b = 0.1 * (j - N / 2);
            p[0] = sin(a), p[1] = sin(b) * cos(a), p[2] = cos(a) * cos(b);
        }
    for (int j = 0; j + 1 < N; j++)
        for (int i = 0; i + 1 < N; i++) {
            int32_t a = i + j * N, quad[6] = {a, a + 1, a + N + 1, a, a + N + 1, a + N};
            memcpy(faces + 3 * count, quad, sizeof quad);
            count += 2;
        }
    app_render_part part = {
        .kind = APP_PART_CLOTH, .vertices = vertices, .faces = faces, .vertex_count = N * N, .face_count = count};
    app_render_list list = {.parts = &part, .part_count = 1};
    app_mesh mesh = {0};
    assert_int_equal(app_mesh_build(&mesh, &list, false), MUS_STATUS_OK);
    assert_int_equal(mesh.vertex_count, N * N);
    for (int j = 1; j + 1 < N; j++)
        for (int i = 1; i + 1 < N; i++) {
            const app_vertex *v = &mesh.vertices[i + j * N];
            float along = 0;
            for (int k = 0; k < 3; k++) along += v->normal[k] * v->position[k];
            assert_true(along > 0.999f);     /* the ball's own normal */
            assert_true(v->cavity < -0.01f); /* it bulges toward its front */
        }
    /* A vertex that is not a number takes its faces out of the picture and spoils nobody else's normals. */
    vertices[3 * (N + 1)] = NAN;
    assert_int_equal(app_mesh_build(&mesh, &list, false), MUS_STATUS_OK);
    assert_int_equal(mesh.triangle_index_count, 3 * (count - 6));
    for (int64_t i = 0; i < mesh.triangle_index_count; i++) {
        const app_vertex *v = &mesh.vertices[mesh.indices[i]];
        for (int k = 0; k < 3; k++) assert_true(isfinite(v->position[k]) && isfinite(v->normal[k]));
        assert_true(isfinite(v->cavity));
    }
    app_mesh_free(&mesh);
}

static void test_lines_are_cut_at_the_eye(void **state) {
    (void)state;
    app_bounds bounds = box_of(-1, -1, -1, 1, 1, 1);
    app_camera camera = {{0, 0, 0}, 0, 0, 3, 0.6f, 0}; /* the eye at z = 3 */
    float matrix[16];
    const float color[4] = {1, 0, 0, 1};
    app_camera_matrix(&camera, &bounds, 400, 300, matrix);
    app_flat flat = {0};
    app_flat_line(&flat, matrix, (float[3]){0, 0, 4}, (float[3]){1, 0, 5}, 2, color, 400, 300); /* all behind */
    app_flat_point(&flat, matrix, (float[3]){0, 0, 4}, 2, color, 400, 300);
    app_flat_point(&flat, matrix, (float[3]){NAN, 0, 0}, 2, color, 400, 300);
    assert_int_equal(flat.count, 0);
    app_flat_line(&flat, matrix, (float[3]){0.1f, 0, 0}, (float[3]){0.5f, 0, 9}, 2, color, 400, 300); /* one end */
    assert_int_equal(flat.count, 6);
    for (int i = 0; i < 6; i++) {
        assert_true(flat.vertices[i].clip[3] > 0);
        for (int k = 0; k < 4; k++) assert_true(isfinite(flat.vertices[i].clip[k]));
    }
    flat.in_front = true; /* as the mark of a grabbed point, which cloth may hide */
    app_flat_point(&flat, matrix, (float[3]){0, 0, -50}, 2, color, 400, 300);
    assert_int_equal(flat.count, 12);
    for (int i = 6; i < 12; i++) assert_true(flat.vertices[i].clip[2] < -0.99f * flat.vertices[i].clip[3]);
    app_flat_free(&flat);
}

/* Marks of contacts lie on the cloth, and not within the solid below it, where nobody sees them. */
static void test_contacts_are_marked_on_the_cloth(void **state) {
    (void)state;
    mus_cloth_id sheet;
    mus_world *world = sheet_over_ball(7, 0.3, 0.505, 0.5, 40, &sheet);
    app_render_list list;
    assert_int_equal(app_render_list_collect(&list, world), MUS_STATUS_OK);
    app_render_style style = {.wireframe = true};
    assert_int_equal(app_render_list_mark(&list, world, &style), MUS_STATUS_OK);
    assert_true(list.mark_count == 0);
    style.contacts = true;
    assert_int_equal(app_render_list_mark(&list, world, &style), MUS_STATUS_OK);
    app_bounds bounds = app_render_list_bounds(&list);
    float center[3], radius, longest = 0;
    app_bounds_sphere(&bounds, center, &radius);
    int64_t count;
    const mus_contact *contacts = mus_world_get_contacts(world, &count);
    assert_true(count > 0 && list.mark_count == count);
    for (int64_t i = 0; i < list.mark_count; i++) {
        const float *p = list.marks[i].at, *to = list.marks[i].to;
        assert_true(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] > 0.499f * 0.499f);
        float along = 0, length = 0;
        for (int k = 0; k < 3; k++) {
            along += (to[k] - p[k]) * (float)contacts[i].normal[k];
            length += (to[k] - p[k]) * (to[k] - p[k]);
        }
        assert_true(along > 0.0099f * radius && fabsf(along - sqrtf(length)) < 1e-5f);
        longest = fmaxf(longest, along);
    }
    assert_true(fabsf(longest - 0.04f * radius) < 1e-4f); /* of the largest impulse */
    app_render_list_free(&list);
    mus_world_destroy(world);
}

static void expect_mark(const app_render_mark *mark, app_mark_kind kind, const double at[3], const double to[3]) {
    assert_int_equal(mark->kind, kind);
    for (int k = 0; k < 3; k++)
        assert_true(fabs((double)mark->at[k] - at[k]) < 1e-6 && fabs((double)mark->to[k] - to[k]) < 1e-6);
}

static void test_pins_seams_and_normals_are_marked(void **state) {
    (void)state;
    mus_world_def def = mus_world_def_default();
    mus_world *world;
    assert_int_equal(mus_world_create(&def, &world), MUS_STATUS_OK);
    mus_grid_def grid = mus_grid_def_default();
    for (int k = 0; k < 2; k++) grid.nodes[k] = 2, grid.size[k] = 1;
    mus_cloth_id id[2];
    for (int k = 0; k < 2; k++) {
        mus_mesh *mesh;
        grid.center[1] = k;
        assert_int_equal(mus_mesh_create_grid(&grid, &mesh), MUS_STATUS_OK);
        mus_cloth_def cloth = mus_cloth_def_default();
        cloth.mesh = mesh, cloth.name = k ? "upper" : "lower";
        assert_int_equal(mus_cloth_create(world, &cloth, &id[k]), MUS_STATUS_OK);
        mus_mesh_destroy(mesh);
    }
    mus_stitch stitch = {.vertex = 2, .onto = {0, 1}, .along = 0.25};
    mus_seam_def seam = mus_seam_def_default();
    mus_seam_id sewn;
    seam.a = id[0], seam.b = id[1], seam.stitches = &stitch, seam.count = 1;
    assert_int_equal(mus_seam_create(world, &seam, &sewn), MUS_STATUS_OK);
    assert_int_equal(mus_cloth_pin(world, id[0], (int32_t[]){3}, 1), MUS_STATUS_OK);
    double *upper = mus_cloth_get_positions(world, id[1]);
    const double *lower = mus_cloth_get_positions(world, id[0]), goal[3] = {upper[3], upper[4], upper[5]};
    mus_pull_def pull = mus_pull_def_default();
    pull.stiffness = 5;
    assert_int_equal(mus_cloth_pull(world, id[1], (int32_t[]){1}, 1, &pull), MUS_STATUS_OK);
    upper[4] += 0.5;
    app_render_list list;
    assert_int_equal(app_render_list_collect(&list, world), MUS_STATUS_OK);
    app_render_style style = {.pins = true};
    assert_int_equal(app_render_list_mark(&list, world, &style), MUS_STATUS_OK);
    assert_int_equal(list.mark_count, 3);
    double onto[3];
    for (int k = 0; k < 3; k++) onto[k] = 0.75 * upper[k] + 0.25 * upper[3 + k];
    expect_mark(&list.marks[0], APP_MARK_STITCH, lower + 6, onto);
    expect_mark(&list.marks[1], APP_MARK_PIN, lower + 9, lower + 9);
    expect_mark(&list.marks[2], APP_MARK_PULL, upper + 3, goal);
    style = (app_render_style){.normals = true};
    assert_int_equal(app_render_list_mark(&list, world, &style), MUS_STATUS_OK);
    assert_int_equal(list.mark_count, 3 + 8);
    int tilted = 0; /* of the upper one, those at the faces of the vertex that was moved */
    for (int i = 7; i < 11; i++) {
        const float *at = list.marks[i].at, *to = list.marks[i].to;
        assert_int_equal(list.marks[i].kind, APP_MARK_NORMAL);
        tilted += to[0] != at[0] || to[2] != at[2];
    }
    assert_true(tilted >= 3);
    for (int i = 3; i < 7; i++) { /* flat: up or down, all alike */
        const app_render_mark *m = &list.marks[i], *first = &list.marks[3];
        assert_int_equal(m->kind, APP_MARK_NORMAL);
        assert_true(m->to[0] == m->at[0] && m->to[2] == m->at[2] && fabsf(m->to[1] - m->at[1]) > 0.01f);
        assert_true(fabsf(m->to[1] - m->at[1] - (first->to[1] - first->at[1])) < 1e-6f);
    }
    app_render_list_free(&list);
    const mus_stitch *stitches;
    assert_int_equal(mus_seam_get_stitches(world, sewn, &stitches), 1);
    assert_int_equal(mus_seam_destroy(world, sewn), MUS_STATUS_OK);
    assert_int_equal(mus_seam_get_stitches(world, sewn, &stitches), 0);
    assert_null(stitches);
    mus_world_destroy(world);
}

static void test_pictures_are_whole_or_absent(void **state) {
    (void)state;
    unsigned char pixels[4 * 4 * 2];
    memset(pixels, 200, sizeof pixels);
    assert_int_equal(app_image_save("/nonexistent/a.png", pixels, 4, 2), MUS_STATUS_IO);
    assert_non_null(strstr(mus_get_error_message(), "/nonexistent/a.png"));
    char folder[] = "/tmp/muslin-render-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.png", folder);
    assert_int_equal(app_image_save(path, pixels, 4, 2), MUS_STATUS_OK);
    struct stat s;
    assert_int_equal(stat(path, &s), 0);
    assert_true(s.st_size > 40);
    assert_int_equal(remove(path), 0);
    assert_int_equal(mkdir(path, 0777), 0); /* a folder in the way: the picture cannot be renamed into place */
    assert_int_equal(app_image_save(path, pixels, 4, 2), MUS_STATUS_IO);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rmdir(folder), 0); /* nothing temporary was left */
}

/* The share of points on the edges of a sheet at which the wireframe darkens the picture. */
static double share_of_edges(app_renderer *renderer, int width, int height) {
    enum { NODES = 24 };
    mus_world *world = NULL;
    mus_world_def def = mus_world_def_default();
    assert_int_equal(mus_world_create(&def, &world), MUS_STATUS_OK);
    mus_mesh *mesh = NULL;
    mus_grid_def grid = {mus_grid_def_default().cookie, .nodes = {NODES, NODES}, .size = {1, 1}, .center = {0, 0.5, 0}};
    assert_int_equal(mus_mesh_create_grid(&grid, &mesh), MUS_STATUS_OK);
    mus_cloth_def cloth = mus_cloth_def_default();
    cloth.mesh = mesh;
    mus_cloth_id sheet;
    assert_int_equal(mus_cloth_create(world, &cloth, &sheet), MUS_STATUS_OK);
    mus_mesh_destroy(mesh);
    app_render_list list;
    assert_int_equal(app_render_list_collect(&list, world), MUS_STATUS_OK);
    app_bounds bounds = app_render_list_bounds(&list);
    app_camera camera = app_camera_fit_bounds(&bounds, 1.5f);
    app_camera_orbit(&camera, 1, 0.3f); /* flatter: more of the picture has the depth of the surface beside the edge */
    unsigned char *plain, *wired;
    app_renderer_set_style(renderer, (app_render_style){0});
    assert_int_equal(app_renderer_pixels(renderer, &list, NULL, &camera, width, height, "a", &plain), MUS_STATUS_OK);
    app_renderer_set_style(renderer, (app_render_style){.wireframe = true});
    assert_int_equal(app_renderer_pixels(renderer, &list, NULL, &camera, width, height, "b", &wired), MUS_STATUS_OK);
    const double *x = mus_cloth_get_positions(world, sheet);
    int seen = 0, all = 0;
    for (int j = 1; j < NODES - 1; j++)
        for (int i = 1; i < NODES - 2; i++)
            for (int k = 1; k < 10; k++) { /* along an edge within the sheet, to its neighbor */
                float p[3], at[3];
                for (int c = 0; c < 3; c++)
                    p[c] =
                        (float)(x[3 * (j * NODES + i) + c] * (1 - 0.1 * k) + x[3 * (j * NODES + i + 1) + c] * 0.1 * k);
                project(&camera, &bounds, width, height, p, at);
                int column = (int)(0.5f * (at[0] + 1) * (float)width), row = (int)(0.5f * (at[1] + 1) * (float)height);
                int most = 0;
                for (int near = 0; near < 9; near++) {
                    int pixel = 4 * ((row + near / 3 - 1) * width + column + near % 3 - 1);
                    most = most > plain[pixel] - wired[pixel] ? most : plain[pixel] - wired[pixel];
                }
                all++;
                seen += most > 25; /* the surface is brighter than the edges' ink by 60 to 150 of 255 */
            }
    free(plain);
    free(wired);
    app_render_list_free(&list);
    mus_world_destroy(world);
    return (double)seen / all;
}

static void test_edges_are_whole(void **state) {
    (void)state;
    ignore_leaks(true);
    app_renderer *renderer = app_renderer_create(true);
    double share = renderer ? share_of_edges(renderer, 900, 600) : 0;
    ignore_leaks(false);
    if (!renderer) skip(); /* no driver for OpenGL */
    print_message("# %.1f %% of the edges' points are seen\n", 100 * share);
    assert_true(share > 0.98);
    app_renderer_destroy(renderer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fit_shows_every_corner),
        cmocka_unit_test(test_empty_and_broken_bounds),
        cmocka_unit_test(test_orbit_pan_zoom),
        cmocka_unit_test(test_follow_keeps_things_in_view),
        cmocka_unit_test(test_creases_of_an_obstacle),
        cmocka_unit_test(test_seams_of_texture_coordinates),
        cmocka_unit_test(test_stated_camera),
        cmocka_unit_test(test_curvature),
        cmocka_unit_test(test_heat),
        cmocka_unit_test(test_smooth_cloth),
        cmocka_unit_test(test_lines_are_cut_at_the_eye),
        cmocka_unit_test(test_pictures_are_whole_or_absent),
        cmocka_unit_test(test_contacts_are_marked_on_the_cloth),
        cmocka_unit_test(test_pins_seams_and_normals_are_marked),
        cmocka_unit_test(test_edges_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
