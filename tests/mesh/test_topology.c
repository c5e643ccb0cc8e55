/* test_topology.c: edges, hinges and boundaries of known meshes, and every refusal with its message. */
#include "mesh/topology.h"
#include "muslin.h"
#include "muslin/math.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const double origin[3] = {0, 0, 0};

#define COUNT(a) ((int32_t)(sizeof(a) / sizeof *(a)))

/* Every table of a topology agrees with the mesh, by plain search. */
static void check_tables(const mus_mesh *mesh) {
    mus_topology t;
    const int32_t *faces = mus_mesh_get_faces(mesh);
    int32_t face_count = mus_mesh_get_face_count(mesh);
    assert_int_equal(mus_topology_build(faces, face_count, mus_mesh_get_vertex_count(mesh), &t), MUS_STATUS_OK);
    int32_t seen = 0, boundary = 0, hinge = 0;
    for (int32_t f = 0; f < face_count; f++)
        for (int k = 0; k < 3; k++) {
            int32_t a = faces[3 * f + k], b = faces[3 * f + (k + 1) % 3], e = t.face_edges[3 * f + k];
            assert_true(e <= seen); /* numbered in the order of first appearance */
            if (e == seen) seen++;
            assert_int_equal(t.edges[2 * e], a < b ? a : b);
            assert_int_equal(t.edges[2 * e + 1], a < b ? b : a);
            assert_true(t.edge_faces[2 * e] == f || t.edge_faces[2 * e + 1] == f);
        }
    assert_int_equal(seen, t.edge_count);
    for (int32_t e = 0; e < t.edge_count; e++) {
        for (int32_t other = e + 1; other < t.edge_count && t.edge_count < 2000; other++)
            assert_false(t.edges[2 * e] == t.edges[2 * other] && t.edges[2 * e + 1] == t.edges[2 * other + 1]);
        int32_t f = t.edge_faces[2 * e], g = t.edge_faces[2 * e + 1];
        assert_in_range(f, 0, face_count - 1);
        if (g < 0) {
            boundary++;
            continue;
        }
        assert_true(f < g);
        const int32_t *h = t.hinges + 4 * hinge;
        assert_int_equal(t.hinge_edges[hinge++], e);
        assert_int_equal(h[0], t.edges[2 * e]);
        assert_int_equal(h[1], t.edges[2 * e + 1]);
        /* The corners' sum leaves the opposite one. */
        assert_int_equal(h[2], faces[3 * f] + faces[3 * f + 1] + faces[3 * f + 2] - h[0] - h[1]);
        assert_int_equal(h[3], faces[3 * g] + faces[3 * g + 1] + faces[3 * g + 2] - h[0] - h[1]);
    }
    assert_int_equal(hinge, t.hinge_count);
    assert_int_equal(boundary, t.boundary_edge_count);
    assert_int_equal(t.hinge_count + t.boundary_edge_count, t.edge_count);
    assert_int_equal(2 * t.hinge_count + t.boundary_edge_count, 3 * face_count);
    mus_topology_free(&t);
    assert_null(t.edges);
}

static void known_meshes(void **state) {
    (void)state;
    mus_mesh *mesh;
    mus_mesh_report r;
    mus_grid_def grid = {mus_grid_def_default().cookie, {5, 4}, {1, 1}, NULL, {0, 0, 0}};
    assert_int_equal(mus_mesh_create_grid(&grid, &mesh), MUS_STATUS_OK);
    check_tables(mesh);
    assert_int_equal(mus_mesh_check(mesh, &r), MUS_STATUS_OK);
    assert_int_equal(r.edges, 4 * 4 + 5 * 3 + 4 * 3);
    assert_int_equal(r.boundary_edges, 14);
    assert_int_equal(r.components, 1);
    assert_int_equal(r.boundary_loops, 1);
    assert_int_equal(20 - r.edges + 24, 1); /* Euler characteristic of a disc */
    assert_false(r.closed);
    assert_true(r.orientable);
    mus_mesh_destroy(mesh);

    assert_int_equal(mus_mesh_create_sphere(0.3, 3, origin, &mesh), MUS_STATUS_OK);
    check_tables(mesh);
    assert_int_equal(mus_mesh_check(mesh, &r), MUS_STATUS_OK);
    assert_int_equal(mus_mesh_get_vertex_count(mesh) - r.edges + mus_mesh_get_face_count(mesh), 2);
    assert_true(r.closed);
    assert_int_equal(r.boundary_loops, 0);
    mus_mesh_destroy(mesh);
}

static mus_mesh *soup(const double *vertices, int32_t vertex_count, const int32_t *faces, int32_t face_count) {
    mus_mesh_def def = {mus_mesh_def_default().cookie, .vertices = vertices, .faces = faces,
                        .vertex_count = vertex_count, .face_count = face_count};
    mus_mesh *mesh;
    assert_int_equal(mus_mesh_create(&def, &mesh), MUS_STATUS_OK);
    return mesh;
}

/* A ring of n quads around the z axis, the last one joined with or without a half turn. */
static mus_mesh *band(int n, bool twisted) {
    double vertices[64 * 3];
    int32_t faces[64 * 3];
    for (int i = 0; i < n; i++)
        for (int side = 0; side < 2; side++) {
            double turn = 2 * 3.141592653589793 * i / n, lean = twisted ? turn / 2 : 0.3;
            double r = 1 + (side ? 0.3 : -0.3) * mus_cos(lean);
            vertices[6 * i + 3 * side] = r * mus_cos(turn);
            vertices[6 * i + 3 * side + 1] = r * mus_sin(turn);
            vertices[6 * i + 3 * side + 2] = (side ? 0.3 : -0.3) * mus_sin(lean);
        }
    for (int i = 0; i < n; i++) {
        int a = 2 * i, b = 2 * i + 1, c = 2 * ((i + 1) % n), d = c + 1;
        if (twisted && i == n - 1) c = 1, d = 0;
        const int32_t two[6] = {a, c, d, a, d, b};
        memcpy(faces + 6 * i, two, sizeof two);
    }
    return soup(vertices, 2 * n, faces, 2 * n);
}

static void loops_and_components(void **state) {
    (void)state;
    mus_mesh_report r;
    mus_mesh *mesh = band(8, false);
    check_tables(mesh);
    assert_int_equal(mus_mesh_check(mesh, &r), MUS_STATUS_OK);
    assert_int_equal(r.boundary_loops, 2);
    assert_true(r.orientable);
    mus_mesh_destroy(mesh);

    mesh = band(9, true); /* Möbius */
    check_tables(mesh);
    assert_int_equal(mus_mesh_check(mesh, &r), MUS_STATUS_OK);
    assert_int_equal(r.boundary_loops, 1);
    assert_false(r.orientable);
    assert_int_equal(18 - r.edges + 18, 0);
    mus_mesh_destroy(mesh);

    /* Two triangles that touch in a vertex: one component, two loops; a third apart; two vertices unused. */
    const double v[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, -1, 0, 0, 0, -1, 0, 5, 0, 0, 6, 0, 0, 5, 1, 0, 9, 9, 9, 8, 8, 8};
    const int32_t f[] = {0, 1, 2, 0, 3, 4, 5, 6, 7};
    mesh = soup(v, 10, f, 3);
    assert_int_equal(mus_mesh_check(mesh, &r), MUS_STATUS_OK);
    assert_int_equal(r.components, 2);
    assert_int_equal(r.boundary_loops, 3);
    assert_int_equal(r.unused_vertices, 2);
    mus_mesh_destroy(mesh);

    /* Two faces that run through their edge in the same direction. */
    const int32_t flipped[] = {0, 1, 2, 0, 1, 4};
    mesh = soup(v, 10, flipped, 2);
    assert_int_equal(mus_mesh_check(mesh, &r), MUS_STATUS_OK);
    assert_false(r.orientable);
    mus_mesh_destroy(mesh);
}

static void refuse(const int32_t *faces, int32_t count, mus_status status, const char *words) {
    mus_topology t;
    assert_int_equal(mus_topology_build(faces, count, 6, &t), status);
    assert_null(t.edges);
    assert_non_null(strstr(mus_get_error_message(), words));
}

static void refusals(void **state) {
    (void)state;
    size_t before = mus_get_allocated_bytes();
    const int32_t third[] = {0, 1, 2, 1, 0, 3, 0, 1, 4};
    refuse(third, 3, MUS_STATUS_TOPOLOGY,
           "face 3 is a third face at the edge of vertices 1 and 2, which faces 1 and 2");
    const int32_t twice[] = {0, 1, 2, 3, 4, 3};
    refuse(twice, 2, MUS_STATUS_TOPOLOGY, "face 2 has vertex 4 twice (vertices 4 5 4)");
    const int32_t same[] = {0, 1, 2, 3, 4, 5, 1, 2, 0};
    refuse(same, 3, MUS_STATUS_TOPOLOGY, "face 3 repeats face 1 (vertices 2 3 1)");
    const int32_t mirrored[] = {0, 1, 2, 3, 4, 5, 1, 0, 2};
    refuse(mirrored, 3, MUS_STATUS_TOPOLOGY, "face 3 repeats face 1 (vertices 2 1 3)");
    const int32_t second[] = {0, 1, 3, 1, 0, 2, 0, 1, 2}; /* repeats the second face at its edge, which is full */
    refuse(second, 3, MUS_STATUS_TOPOLOGY, "face 3 repeats face 2");
    const int32_t beyond[] = {0, 1, 6};
    refuse(beyond, 1, MUS_STATUS_INVALID, "face 1 names vertex 7, but the vertices are 1 to 6");
    const int32_t below[] = {0, 1, -1};
    refuse(below, 1, MUS_STATUS_INVALID, "face 1 names vertex 0");
    assert_int_equal(mus_get_allocated_bytes(), before);
}

static void expect_area(const double *v, bool ok) {
    const int32_t orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    for (int i = 0; i < COUNT(orders); i++) {
        mus_mesh *mesh = soup(v, 3, orders[i], 1);
        assert_int_equal(mus_mesh_check(mesh, NULL), ok ? MUS_STATUS_OK : MUS_STATUS_TOPOLOGY);
        if (!ok) assert_non_null(strstr(mus_get_error_message(), "face 1 (vertices"));
        if (!ok) assert_non_null(strstr(mus_get_error_message(), "has no area"));
        mus_mesh_destroy(mesh);
    }
}

static void zero_area(void **state) {
    (void)state;
    const double coincident[] = {1, 2, 3, 1, 2, 3, 4, 5, 6}, point[] = {7, 7, 7, 7, 7, 7, 7, 7, 7};
    expect_area(coincident, false);
    expect_area(point, false);
    const double line[] = {0, 0, 0, 0.1, 0.1, 0.1, 0.3, 0.3, 0.3};
    expect_area(line, false);
    /* On a line but for the rounding of the coordinates, near and far from the origin, large and tiny. */
    for (int i = -12; i <= 8; i += 2)
        for (int j = -12; j <= 8; j += 2) {
            double size = mus_pow(10, i), offset = mus_pow(10, j), v[9];
            const double places[3] = {0.1, 0.7, 1.3};
            for (int k = 0; k < 3; k++) {
                v[3 * k] = offset + size * places[k] * 0.3;
                v[3 * k + 1] = offset - size * places[k] * 0.7;
                v[3 * k + 2] = 2 * offset + size * places[k] / 3;
            }
            expect_area(v, false);
        }
    /* Thin and small is not flat. */
    const double sliver[] = {0, 0, 0, 1, 0, 0, 0.5, 1e-9, 0}, tiny[] = {0, 0, 0, 1e-14, 0, 0, 0, 1e-14, 0};
    const double huge[] = {0, 0, 0, 1e9, 0, 0, 0, 1e9, 0},
                 far[] = {1e6, 1e6, 0, 1e6 + 1e-3, 1e6, 0, 1e6, 1e6 + 1e-3, 0};
    expect_area(sliver, true);
    expect_area(tiny, true);
    expect_area(huge, true);
    expect_area(far, true);

    mus_mesh *mesh = soup(sliver, 3, (const int32_t[]){0, 1, 2}, 1);
    mus_mesh_get_vertices(mesh)[4] = 0.0 / 0.0 * 0;
    assert_int_equal(mus_mesh_check(mesh, NULL), MUS_STATUS_INVALID);
    assert_non_null(strstr(mus_get_error_message(), "vertex 2 must be finite (got {"));
    mus_mesh_get_vertices(mesh)[4] = -1.1e9;
    assert_int_equal(mus_mesh_check(mesh, NULL), MUS_STATUS_INVALID);
    assert_string_equal(mus_get_error_message(),
                        "mesh: vertex 2 must lie within +-1e+09 m (got {1, -1.1e+09, 0}); scale "
                        "or move the mesh");
    mus_mesh_destroy(mesh);

    const double short_edge[] = {0, 0, 0, 1e-16, 0, 0, 0, 1e-16, 0};
    mesh = soup(short_edge, 3, (const int32_t[]){0, 1, 2}, 1);
    assert_int_equal(mus_mesh_check(mesh, NULL), MUS_STATUS_TOPOLOGY);
    assert_non_null(strstr(mus_get_error_message(), "face 1 (vertices 1 2 3) has an edge shorter than 1e-15 m"));
    mus_mesh_destroy(mesh);
}

/* A fan of many faces around vertex 0, and a mesh far too large for a quadratic search. */
static void large(void **state) {
    (void)state;
    mus_grid_def grid = {mus_grid_def_default().cookie, {2, 200001}, {1, 1}, "xy", {0, 0, 0}};
    mus_mesh *mesh;
    mus_mesh_report r;
    assert_int_equal(mus_mesh_create_grid(&grid, &mesh), MUS_STATUS_OK);
    assert_int_equal(mus_mesh_check(mesh, &r), MUS_STATUS_OK);
    assert_int_equal(r.edges, 200001 + 2 * 200000 + 200000);
    mus_mesh_destroy(mesh);
    assert_int_equal(mus_mesh_create_capsule(1, 1, 10000, 1, origin, &mesh), MUS_STATUS_OK);
    assert_int_equal(mus_mesh_check(mesh, &r), MUS_STATUS_OK);
    assert_true(r.closed);
    mus_mesh_destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_meshes), cmocka_unit_test(loops_and_components),
        cmocka_unit_test(refusals),     cmocka_unit_test(zero_area),
        cmocka_unit_test(large),
    };
    return cmocka_run_group_tests_name("topology", tests, NULL, NULL);
}
