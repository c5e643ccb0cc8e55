/* test_generators.c: counts, places, orientation and refusals of the generators, of subdivision and of mesh objects. */
#include "../base/scarce.h"
#include "muslin.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double origin[3] = {0, 0, 0};
static const double pi = 3.14159265358979323846;

static void expect_near(double value, double wanted, double tolerance) {
    if (!(fabs(value - wanted) <= tolerance)) fail_msg("%.17g is not within %g of %.17g", value, tolerance, wanted);
}

/* Six times the enclosed volume, seen from a point inside: every face must add to it for a convex body. */
static double volume(const mus_mesh *mesh, const double inside[3], bool convex) {
    double sum = 0;
    for (int32_t f = 0; f < mus_mesh_get_face_count(mesh); f++) {
        double p[3][3];
        for (int k = 0; k < 3; k++)
            for (int c = 0; c < 3; c++)
                p[k][c] = mus_mesh_get_vertices_const(mesh)[3 * mus_mesh_get_faces(mesh)[3 * f + k] + c] - inside[c];
        double det = p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) -
                     p[0][1] * (p[1][0] * p[2][2] - p[1][2] * p[2][0]) +
                     p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
        if (convex) assert_true(det > 0);
        sum += det / 6;
    }
    return sum;
}

static mus_mesh *expect_solid(mus_status status, mus_mesh *mesh, int32_t vertices, int32_t faces,
                              const double inside[3], double wanted_volume, double tolerance) {
    mus_mesh_report r;
    assert_int_equal(status, MUS_STATUS_OK);
    assert_int_equal(mus_mesh_get_vertex_count(mesh), vertices);
    assert_int_equal(mus_mesh_get_face_count(mesh), faces);
    assert_int_equal(mus_mesh_check(mesh, &r), MUS_STATUS_OK);
    assert_true(r.closed);
    assert_true(r.orientable);
    assert_int_equal(r.components, 1);
    assert_int_equal(r.unused_vertices, 0);
    assert_int_equal(vertices - r.edges + faces, 2);
    expect_near(volume(mesh, inside, true), wanted_volume, tolerance);
    return mesh;
}

static void solids(void **state) {
    (void)state;
    mus_mesh *mesh;
    const double center[3] = {1, -2, 0.5}, size[3] = {0.5, 2, 3};
    mus_status s = mus_mesh_create_box(size, center, &mesh);
    expect_solid(s, mesh, 8, 12, center, 3, 1e-12);
    expect_near(mus_mesh_get_area(mesh), 2 * (0.5 * 2 + 2 * 3 + 0.5 * 3), 1e-12);
    for (int v = 0; v < 8; v++)
        for (int k = 0; k < 3; k++)
            assert_true(mus_mesh_get_vertices(mesh)[3 * v + k] == center[k] + (v >> k & 1 ? 0.5 : -0.5) * size[k]);
    mus_mesh_destroy(mesh);

    s = mus_mesh_create_icosahedron(2, center, &mesh);
    double edge = 2 / sin(2 * pi / 5);
    expect_solid(s, mesh, 12, 20, center, 5 * (3 + sqrt(5)) / 12 * edge * edge * edge, 1e-12);
    expect_near(mus_mesh_get_area(mesh), 5 * sqrt(3) * edge * edge, 1e-11);
    mus_mesh_destroy(mesh);

    double last = 1;
    for (int n = 0; n <= 4; n++) {
        int32_t faces = 20 << 2 * n;
        s = mus_mesh_create_sphere(0.25, n, center, &mesh);
        double exact = 4.0 / 3 * pi * 0.25 * 0.25 * 0.25;
        expect_solid(s, mesh, faces / 2 + 2, faces, center, exact, exact * 0.4);
        double error = (exact - volume(mesh, center, true)) / exact; /* from inside, a quarter each round */
        assert_true(error > 0 && error < last);
        if (n > 1) expect_near(last / error, 4, 0.3);
        last = error;
        for (int32_t v = 0; v < mus_mesh_get_vertex_count(mesh); v++) {
            const double *p = mus_mesh_get_vertices(mesh) + 3 * v;
            expect_near(hypot(hypot(p[0] - 1, p[1] + 2), p[2] - 0.5), 0.25, 1e-15);
        }
        mus_mesh_destroy(mesh);
    }

    s = mus_mesh_create_capsule(0.2, 0.7, 64, 16, center, &mesh);
    double exact = pi * 0.04 * 0.7 + 4.0 / 3 * pi * 0.008;
    expect_solid(s, mesh, 2 + 2 * 16 * 64, 4 * 16 * 64, center, exact, exact * 5e-3);
    for (int32_t v = 0; v < mus_mesh_get_vertex_count(mesh); v++) {
        const double *p = mus_mesh_get_vertices(mesh) + 3 * v;
        double y = p[1] + 2, axis = y > 0 ? fabs(y - 0.35) : fabs(y + 0.35);
        assert_true(fabs(y) >= 0.35 - 1e-15);
        expect_near(sqrt((p[0] - 1) * (p[0] - 1) + (p[2] - 0.5) * (p[2] - 0.5) + axis * axis), 0.2, 1e-15);
    }
    mus_mesh_destroy(mesh);
    s = mus_mesh_create_capsule(0.2, 0.7, 3, 1, origin, &mesh);
    mus_mesh_destroy(expect_solid(s, mesh, 8, 12, origin, 0.0519615 * (0.7 + 0.4 / 3), 1e-7));
}

/* The vertex and face order that scenes shared with other programs have. */
static void grid_formula(void **state) {
    (void)state;
    mus_grid_def def = {mus_grid_def_default().cookie, {40, 7}, {1.25, 0.3}, NULL, {0.15, 0.85, 0.08}};
    const char *planes[] = {NULL, "xz", "xy", "yz"};
    const int axes[][2] = {{0, 2}, {0, 2}, {0, 1}, {1, 2}};
    for (int p = 0; p < 4; p++) {
        def.plane = planes[p];
        mus_mesh *mesh;
        assert_int_equal(mus_mesh_create_grid(&def, &mesh), MUS_STATUS_OK);
        assert_int_equal(mus_mesh_get_vertex_count(mesh), 280);
        assert_int_equal(mus_mesh_get_face_count(mesh), 2 * 39 * 6);
        assert_int_equal(mus_mesh_get_grid_nodes(mesh)[0], 40);
        assert_int_equal(mus_mesh_get_grid_nodes(mesh)[1], 7);
        int normal = 3 - axes[p][0] - axes[p][1];
        for (int j = 0; j < 7; j++)
            for (int i = 0; i < 40; i++) {
                double u = 1.25 * (i / 39.0 - 0.5), v = 0.3 * (j / 6.0 - 0.5);
                const double *x = mus_mesh_get_vertices(mesh) + 3 * (i + 40 * j),
                             *uv = mus_mesh_get_uvs(mesh) + 2 * (i + 40 * j);
                assert_true(x[axes[p][0]] == u + def.center[axes[p][0]]);
                assert_true(x[axes[p][1]] == v + def.center[axes[p][1]]);
                assert_true(x[normal] == def.center[normal]);
                assert_true(uv[0] == u && uv[1] == v);
            }
        const int32_t *face = mus_mesh_get_faces(mesh);
        for (int j = 0; j < 6; j++)
            for (int i = 0; i < 39; i++, face += 6) {
                int a = j * 40 + i, b = a + 1, c = a + 40, d = b + 40;
                const int32_t even[6] = {a, b, d, a, d, c}, odd[6] = {a, b, c, b, d, c};
                assert_memory_equal(face, (i + j) % 2 == 0 ? even : odd, sizeof even);
            }
        assert_memory_equal(mus_mesh_get_uv_faces(mesh), mus_mesh_get_faces(mesh), 2 * 39 * 6 * 3 * sizeof(int32_t));
        expect_near(mus_mesh_get_area(mesh), 0.375, 1e-12);
        mus_mesh_destroy(mesh);
    }
}

static void disc(void **state) {
    (void)state;
    mus_mesh *mesh;
    mus_mesh_report r;
    const double center[3] = {3, 4, 5};
    for (int rings = 1; rings <= 20; rings++) {
        assert_int_equal(mus_mesh_create_disc(0.5, rings, "xy", center, &mesh), MUS_STATUS_OK);
        assert_int_equal(mus_mesh_get_vertex_count(mesh), 1 + 3 * rings * (rings + 1));
        assert_int_equal(mus_mesh_get_face_count(mesh), 6 * rings * rings);
        assert_int_equal(mus_mesh_check(mesh, &r), MUS_STATUS_OK);
        assert_int_equal(r.boundary_edges, 6 * rings);
        assert_int_equal(r.boundary_loops, 1);
        assert_int_equal(r.components, 1);
        assert_true(r.orientable);
        expect_near(mus_mesh_get_area(mesh), 3 * rings * 0.25 * sin(pi / (3 * rings)), 1e-12); /* of the 6 rings-gon */
        double signed_area = 0;
        for (int32_t f = 0; f < mus_mesh_get_face_count(mesh); f++) {
            const int32_t *face = mus_mesh_get_faces(mesh) + 3 * f;
            const double *a = mus_mesh_get_uvs(mesh) + 2 * face[0], *b = mus_mesh_get_uvs(mesh) + 2 * face[1],
                         *c = mus_mesh_get_uvs(mesh) + 2 * face[2];
            double twice = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
            assert_true(twice > 0); /* no face folded over */
            signed_area += twice / 2;
            assert_true(mus_mesh_get_vertices(mesh)[3 * face[0]] == a[0] + 3);
            assert_true(mus_mesh_get_vertices(mesh)[3 * face[0] + 1] == a[1] + 4);
            assert_true(mus_mesh_get_vertices(mesh)[3 * face[0] + 2] == 5);
        }
        expect_near(signed_area, mus_mesh_get_area(mesh), 1e-12);
        mus_mesh_destroy(mesh);
    }
}

static void subdivision(void **state) {
    (void)state;
    mus_mesh *box, *fine;
    mus_mesh_report r;
    const double size[3] = {1, 2, 3};
    assert_int_equal(mus_mesh_create_box(size, origin, &box), MUS_STATUS_OK);
    assert_int_equal(mus_mesh_subdivide(box, 2, &fine), MUS_STATUS_OK);
    assert_memory_equal(mus_mesh_get_vertices(fine), mus_mesh_get_vertices(box), 24 * sizeof(double));
    assert_int_equal(mus_mesh_get_face_count(fine), 12 * 16);
    assert_int_equal(mus_mesh_check(fine, &r), MUS_STATUS_OK);
    assert_true(r.closed && r.orientable);
    assert_int_equal(mus_mesh_get_vertex_count(fine) - r.edges + 192, 2);
    expect_near(volume(fine, origin, false), 6, 1e-13);
    expect_near(mus_mesh_get_area(fine), 22, 1e-12);
    mus_mesh_destroy(fine);
    assert_int_equal(mus_mesh_subdivide(box, 0, &fine), MUS_STATUS_OK);
    assert_memory_equal(mus_mesh_get_faces(fine), mus_mesh_get_faces(box), 36 * sizeof(int32_t));
    mus_mesh_destroy(fine);
    assert_int_equal(mus_mesh_subdivide(box, -1, &fine), MUS_STATUS_INVALID);
    assert_string_equal(mus_get_error_message(), "mesh.subdivide: field 'rounds' must be >= 0 (got -1)");
    assert_int_equal(mus_mesh_subdivide(box, 40, &fine), MUS_STATUS_INVALID);
    assert_string_equal(mus_get_error_message(),
                        "mesh.subdivide: field 'rounds' must be at most 12 for a mesh of 12 faces (got 40)");
    assert_null(fine);
    mus_mesh_destroy(box);

    /* Texture vertices are split along their own edges: the flat shape stays the flat shape. */
    mus_grid_def def = {mus_grid_def_default().cookie, {4, 3}, {2, 1}, "xy", {0, 0, 0}};
    mus_mesh *grid;
    assert_int_equal(mus_mesh_create_grid(&def, &grid), MUS_STATUS_OK);
    assert_int_equal(mus_mesh_subdivide(grid, 1, &fine), MUS_STATUS_OK);
    assert_int_equal(mus_mesh_get_grid_nodes(fine)[0], 0);
    assert_int_equal(mus_mesh_get_uv_count(fine), mus_mesh_get_vertex_count(fine));
    for (int32_t k = 0; k < 3 * mus_mesh_get_face_count(fine); k++) {
        const double *x = mus_mesh_get_vertices(fine) + 3 * mus_mesh_get_faces(fine)[k];
        const double *uv = mus_mesh_get_uvs(fine) + 2 * mus_mesh_get_uv_faces(fine)[k];
        assert_true(x[0] == uv[0] && x[1] == uv[1]);
    }
    mus_mesh_destroy(fine);
    mus_mesh_destroy(grid);
}

static void objects(void **state) {
    (void)state;
    const double v[] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, uv[] = {0, 0, 2, 0, 0, 2, 9, 9};
    const int32_t f[] = {0, 1, 2}, uf[] = {3, 1, 2};
    mus_mesh_def def = {mus_mesh_def_default().cookie,
                        .vertices = v,
                        .faces = f,
                        .uvs = uv,
                        .uv_faces = uf,
                        .vertex_count = 3,
                        .face_count = 1,
                        .uv_count = 4};
    mus_mesh *mesh, *copy;
    assert_int_equal(mus_mesh_create(&def, &mesh), MUS_STATUS_OK);
    assert_int_equal(mus_mesh_copy(mesh, &copy), MUS_STATUS_OK);
    const double matrix[12] = {0, -2, 0, 5, 2, 0, 0, 6, 0, 0, 2, 7};
    mus_mesh_transform(mesh, matrix);
    const double moved[] = {5, 6, 7, 5, 8, 7, 3, 6, 7};
    assert_memory_equal(mus_mesh_get_vertices(mesh), moved, sizeof moved);
    assert_memory_equal(mus_mesh_get_vertices(copy), v, sizeof v);
    assert_memory_equal(mus_mesh_get_uvs(copy), uv, sizeof uv);
    assert_memory_equal(mus_mesh_get_uv_faces(copy), uf, sizeof uf);
    assert_int_equal(mus_mesh_get_uv_count(copy), 4);
    expect_near(mus_mesh_get_area(mesh), 2, 0);
    mus_mesh_get_vertices(mesh)[0] = INFINITY;
    mus_mesh_destroy(copy);
    assert_int_equal(mus_mesh_copy(mesh, &copy), MUS_STATUS_INVALID);
    assert_null(copy);
    mus_mesh_destroy(mesh);
    mus_mesh_destroy(NULL);
    mus_pose pose = mus_pose_identity();
    assert_true(pose.rotation[0] == 1 && pose.rotation[1] == 0 && pose.position[2] == 0);
}

static void refuse_mesh(mus_mesh_def def, const char *message) {
    mus_mesh *mesh;
    assert_int_equal(mus_mesh_create(&def, &mesh), MUS_STATUS_INVALID);
    assert_null(mesh);
    assert_string_equal(mus_get_error_message(), message);
}

static void mesh_refusals(void **state) {
    (void)state;
    double v[] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, uv[] = {0, 0, 2, 0, 0, 2};
    int32_t f[] = {0, 1, 2}, uf[] = {0, 1, 2};
    const mus_mesh_def good = {mus_mesh_def_default().cookie,
                               .vertices = v,
                               .faces = f,
                               .uvs = uv,
                               .uv_faces = uf,
                               .vertex_count = 3,
                               .face_count = 1,
                               .uv_count = 3};
    mus_mesh_def d = good;
    d.vertex_count = 0;
    refuse_mesh(d, "mesh: field 'vertices' must hold at least one vertex (got 0)");
    d = good, d.vertices = NULL;
    refuse_mesh(d, "mesh: field 'vertices' must hold at least one vertex (got 3, no array)");
    d = good, d.face_count = -4;
    refuse_mesh(d, "mesh: field 'faces' must hold at least one face (got -4)");
    d = good, d.face_count = 715827883;
    refuse_mesh(d, "mesh: field 'faces' may hold at most 715827882 faces (got 715827883)");
    d = good, d.uv_faces = NULL;
    refuse_mesh(d, "mesh: fields 'uvs', 'uv_faces' and 'uv_count' must be given together or not at all (got uvs, no "
                   "uv_faces, 3)");
    d = good, d.uvs = NULL, d.uv_faces = NULL;
    refuse_mesh(d, "mesh: fields 'uvs', 'uv_faces' and 'uv_count' must be given together or not at all (got no uvs, no "
                   "uv_faces, 3)");
    d = good, d.grid_nodes[0] = 3, d.grid_nodes[1] = 1;
    refuse_mesh(d,
                "mesh: field 'grid_nodes' must be 0 x 0 or at least 2 x 2 with a product of 3, the number of vertices "
                "(got 3 x 1)");
    f[1] = 3;
    refuse_mesh(good, "mesh: face 1 names vertex 4, but the vertices are 1 to 3");
    f[1] = 1, uf[2] = -1;
    refuse_mesh(good, "mesh: face 1 names texture vertex 0, but the texture vertices are 1 to 3");
    uf[2] = 2, v[5] = INFINITY;
    refuse_mesh(good, "mesh: vertex 2 must be finite (got {1, 0, infinite})");
    v[5] = 1e154;
    refuse_mesh(good, "mesh: vertex 2 must lie within +-1e+09 m (got {1, 0, 1e+154}); scale or move the mesh");
    v[5] = 0, uv[4] = 1e300;
    refuse_mesh(good, "mesh: texture vertex 3 must lie within +-1e+09 (got {1e+300, 2})");
    v[5] = 0, uv[4] = -NAN;
    d = good;
    mus_mesh *mesh;
    assert_int_equal(mus_mesh_create(&d, &mesh), MUS_STATUS_INVALID);
    assert_non_null(strstr(mus_get_error_message(), "mesh: texture vertex 3 must be finite (got {not a number, "));
}

static void generator_refusals(void **state) {
    (void)state;
    mus_mesh *mesh = NULL;
    const double off[3] = {0, INFINITY, 0}, flat[3] = {1, 0, 1};
    const uint32_t made = mus_grid_def_default().cookie;
    const struct {
        mus_grid_def def;
        const char *message;
    } grids[] = {
        {{made, {1, 5}, {1, 1}, NULL, {0, 0, 0}}, "mesh.grid: field 'nodes' must be at least 2 x 2 (got 1 x 5)"},
        {{made, {5, -5}, {1, 1}, NULL, {0, 0, 0}}, "mesh.grid: field 'nodes' must be at least 2 x 2 (got 5 x -5)"},
        {{made, {60000, 60000}, {1, 1}, NULL, {0, 0, 0}},
         "mesh.grid: field 'nodes' must give at most 715827882 faces (got 60000 x 60000)"},
        {{made, {2, 2147483647}, {1, 1}, NULL, {0, 0, 0}},
         "mesh.grid: field 'nodes' must give at most 715827882 faces (got 2 x 2147483647)"},
        {{made, {2, 2}, {1, 0}, NULL, {0, 0, 0}},
         "mesh.grid: field 'size' must be two finite lengths > 0 m (got 1 x 0)"},
        {{made, {2, 2}, {1, 1}, "zx", {0, 0, 0}}, "mesh.grid: field 'plane' must be 'xy', 'xz' or 'yz' (got 'zx')"},
        {{made, {2, 2}, {1, 1}, NULL, {0, INFINITY, 0}},
         "mesh.grid: field 'center' must be three finite numbers, m (got {0, infinite, 0})"},
    };
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
        assert_int_equal(mus_mesh_create_grid(&grids[i].def, &mesh), MUS_STATUS_INVALID);
        assert_string_equal(mus_get_error_message(), grids[i].message);
        assert_null(mesh);
    }
#define REFUSED(call, message)                                                                                         \
    assert_int_equal(call, MUS_STATUS_INVALID);                                                                        \
    assert_string_equal(mus_get_error_message(), message);                                                             \
    assert_null(mesh)
    REFUSED(mus_mesh_create_disc(0, 3, NULL, origin, &mesh),
            "mesh.disc: field 'radius' must be a finite length > 0 m (got 0)");
    REFUSED(mus_mesh_create_disc(1, 0, NULL, origin, &mesh), "mesh.disc: field 'rings' must be 1 to 10000 (got 0)");
    REFUSED(mus_mesh_create_disc(1, 3, "", origin, &mesh),
            "mesh.disc: field 'plane' must be 'xy', 'xz' or 'yz' (got '')");
    REFUSED(mus_mesh_create_sphere(-1, 3, origin, &mesh),
            "mesh.sphere: field 'radius' must be a finite length > 0 m (got -1)");
    REFUSED(mus_mesh_create_sphere(1, 11, origin, &mesh),
            "mesh.sphere: field 'subdivisions' must be 0 to 10, for 20 * 4^n faces (got 11)");
    REFUSED(mus_mesh_create_sphere(1, 1, off, &mesh),
            "mesh.sphere: field 'center' must be three finite numbers, m (got {0, infinite, 0})");
    REFUSED(mus_mesh_create_icosahedron(INFINITY, origin, &mesh),
            "mesh.icosahedron: field 'radius' must be a finite length > 0 m (got infinite)");
    REFUSED(mus_mesh_create_box(flat, origin, &mesh),
            "mesh.box: field 'size' must be three finite lengths > 0 m (got 1 x 0 x 1)");
    REFUSED(mus_mesh_create_capsule(1, 0, 8, 2, origin, &mesh),
            "mesh.capsule: field 'length' must be a finite length > 0 m (got 0)");
    /* Beyond what a mesh may hold. */
    const double large[3] = {1, 2e9, 1}, distant[3] = {0, 0, -1e300};
    mus_grid_def wide = {mus_grid_def_default().cookie, {2, 2}, {1e300, 1}, NULL, {0, 0, 0}},
                 away = {wide.cookie, {2, 2}, {1, 1}, NULL, {1e10, 0, 0}};
    REFUSED(mus_mesh_create_grid(&wide, &mesh), "mesh.grid: field 'size' must be from 1e-15 to 1e+09 m (got 1e+300)");
    REFUSED(mus_mesh_create_grid(&away, &mesh),
            "mesh.grid: field 'center' must be three numbers within +-1e+09 m (got 1e+10, 0, 0)");
    REFUSED(mus_mesh_create_disc(1e-300, 3, NULL, origin, &mesh),
            "mesh.disc: field 'radius' must be from 1e-15 to 1e+09 m (got 1e-300)");
    REFUSED(mus_mesh_create_sphere(1, 1, distant, &mesh),
            "mesh.sphere: field 'center' must be three numbers within +-1e+09 m (got 0, 0, -1e+300)");
    REFUSED(mus_mesh_create_box(large, origin, &mesh),
            "mesh.box: field 'size' must be from 1e-15 to 1e+09 m (got 2e+09)");
    REFUSED(mus_mesh_create_capsule(1, 1.7e308, 8, 2, origin, &mesh),
            "mesh.capsule: field 'length' must be from 1e-15 to 1e+09 m (got 1.7e+308)");
    assert_int_equal(mus_mesh_create_box((const double[3]){1, 1, 1}, origin, &mesh), MUS_STATUS_OK);
    double before[24];
    memcpy(before, mus_mesh_get_vertices(mesh), sizeof before);
    mus_mesh_destroy(mesh);
    mesh = NULL; /* center and size are each within the bound */
    REFUSED(
        mus_mesh_create_sphere(6e8, 0, (const double[3]){-9e8, 0, 0}, &mesh),
        "mesh.sphere: vertex 2 must lie within +-1e+09 m (got {-1.21544e+09, 5.1039e+08, 0}); scale or move the mesh");
    assert_int_equal(mus_mesh_create_box((const double[3]){1, 1, 1}, origin, &mesh), MUS_STATUS_OK);
    const double matrix[12] = {1, 0, 0, 0, 0, 1e10, 0, 0, 0, 0, 1, 0};
    assert_int_equal(mus_mesh_transform(mesh, matrix), MUS_STATUS_INVALID);
    assert_string_equal(mus_get_error_message(),
                        "mesh: the transform takes vertex 1 to {-0.5, -5e+09, -0.5}, which must "
                        "lie within +-1e+09 m");
    assert_memory_equal(mus_mesh_get_vertices(mesh), before, sizeof before); /* none moved */
    mus_mesh_destroy(mesh);
    mesh = NULL;
    REFUSED(mus_mesh_create_capsule(1, 1, 2, 2, origin, &mesh),
            "mesh.capsule: field 'segments' must be 3 to 10000 (got 2)");
    REFUSED(mus_mesh_create_capsule(1, 1, 3, 0, origin, &mesh),
            "mesh.capsule: field 'rings' must be 1 to 10000 (got 0)");
}

/* ---- every allocation fails once ---- */

static mus_status make(int which, mus_mesh **mesh) {
    const double size[3] = {1, 1, 1};
    mus_grid_def grid = {mus_grid_def_default().cookie, {6, 5}, {1, 1}, NULL, {0, 0, 0}};
    mus_mesh *part = NULL;
    mus_status status = MUS_STATUS_OK;
    switch (which) {
    case 0:
        return mus_mesh_create_grid(&grid, mesh);
    case 1:
        return mus_mesh_create_disc(1, 4, NULL, origin, mesh);
    case 2:
        return mus_mesh_create_sphere(1, 2, origin, mesh);
    case 3:
        return mus_mesh_create_icosahedron(1, origin, mesh);
    case 4:
        return mus_mesh_create_box(size, origin, mesh);
    case 5:
        return mus_mesh_create_capsule(1, 1, 8, 3, origin, mesh);
    case 6:
        status = mus_mesh_create_grid(&grid, &part);
        if (status == MUS_STATUS_OK) status = mus_mesh_subdivide(part, 2, mesh);
        break;
    case 7:
        status = mus_mesh_create_grid(&grid, &part);
        if (status == MUS_STATUS_OK) status = mus_mesh_check(part, NULL);
        if (status == MUS_STATUS_OK) status = mus_mesh_copy(part, mesh);
        break;
    }
    mus_mesh_destroy(part);
    return status;
}

static void failing_allocations(void **state) {
    (void)state;
    for (int which = 0; which < 8; which++)
        for (int64_t fail_at = 1;; fail_at++) {
            assert_true(fail_at < 1000);
            mus_mesh *mesh = NULL;
            scarce memory = {.fail_at = fail_at, .shrinking = true};
            mus_set_allocator(scarce_alloc, &memory);
            mus_status status = make(which, &mesh);
            bool reached = memory.count >= fail_at;
            if (status != MUS_STATUS_OK) assert_null(mesh);
            mus_mesh_destroy(mesh);
            mus_set_allocator(NULL, NULL);
            assert_int_equal(memory.blocks, 0);
            if (!reached) {
                assert_int_equal(status, MUS_STATUS_OK);
                assert_true(fail_at > 3);
                break;
            }
            /* Only shrinking a block may fail unnoticed. */
            if (status != MUS_STATUS_OK) assert_int_equal(status, MUS_STATUS_NO_MEMORY);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solids),
        cmocka_unit_test(grid_formula),
        cmocka_unit_test(disc),
        cmocka_unit_test(subdivision),
        cmocka_unit_test(objects),
        cmocka_unit_test(mesh_refusals),
        cmocka_unit_test(generator_refusals),
        cmocka_unit_test(failing_allocations),
    };
    return cmocka_run_group_tests_name("generators", tests, NULL, NULL);
}
