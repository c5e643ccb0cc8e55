/* test_stl.c: STL in text and binary: merged corners, refusals, round trips. */
#include "io_kit.h"

#define FACET(a, b, c)                                                                                                 \
    "facet normal 0 0 nan\n outer loop\n  vertex " a "\n  vertex " b "\n  vertex " c "\n endloop\nendfacet\n"

static void ascii(void **state) {
    (void)state;
    mus_mesh *mesh = load(file_of("a.stl", "solid a title with facet in it\n" FACET("0 0 0", "1 0 0", "0 1 0")
                                               FACET("-0 1 0", "1 -0.0 0", "1e0 1 0") "endsolid\nSOLID\n" FACET(
                                                   "0 0 0", "0 0 1", "1 0 0") "ENDSOLID a title\n\n"));
    const double v[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1};
    const int32_t f[] = {0, 1, 2, 2, 1, 3, 0, 4, 1};
    expect_vertices(mesh, v, 5);
    expect_faces(mesh, f, 3);
    mus_mesh_destroy(mesh);
}

static size_t binary_file(char *bytes, const char *title, const float *corners, uint32_t faces) {
    memset(bytes, 0, 84);
    memcpy(bytes, title, strlen(title));
    for (int i = 0; i < 4; i++) bytes[80 + i] = (char)(faces >> 8 * i & 255);
    for (uint32_t f = 0; f < faces; f++) {
        memset(bytes + 84 + 50 * f, 0x7f, 50); /* normal and attribute are not looked at */
        memcpy(bytes + 84 + 50 * f + 12, corners + 9 * f, 36);
    }
    return 84 + 50 * (size_t)faces;
}

static void binary(void **state) {
    (void)state;
    char bytes[512];
    const float c[] = {0, 0, 0, 1, 0, 0, 0, 0.1f, 0, 0, 0.1f, 0, 1, 0, 0, 1, 1, -2};
    const double v[] = {0, 0, 0, 1, 0, 0, 0, 0.1f, 0, 1, 1, -2};
    const int32_t f[] = {0, 1, 2, 2, 1, 3};
    const char *titles[] = {"binary", "solid which is binary all the same"};
    for (int i = 0; i < 2; i++) {
        size_t n = binary_file(bytes, titles[i], c, 2);
        mus_mesh *mesh = load(file_of_bytes("b.stl", bytes, n));
        expect_vertices(mesh, v, 4);
        expect_faces(mesh, f, 2);
        mus_mesh_destroy(mesh);
        for (size_t shorter = 0; shorter < n; shorter++) {
            assert_int_equal(mus_mesh_load(file_of_bytes("b.stl", bytes, shorter), NULL, &mesh), MUS_STATUS_FORMAT);
            assert_null(mesh);
        }
    }
    size_t n = binary_file(bytes, "", c, 2);
    refuse_file(file_of_bytes("b.stl", bytes, n - 1), MUS_STATUS_FORMAT,
                ": byte 81: the number of faces of a binary STL here implies 184 bytes, but the file has 183; it is "
                "truncated or not an STL file");
    memset(bytes + 80, 255, 4);
    refuse_file(file_of_bytes("b.stl", bytes, n), MUS_STATUS_FORMAT,
                ": byte 81: the number of faces of a binary STL here implies 214748364834 bytes, but the file has 184; "
                "it is truncated "
                "or not an STL file");
    float bad[9] = {0, 0, 0, 0, 0, -INFINITY};
    n = binary_file(bytes, "", bad, 1);
    refuse_file(file_of_bytes("b.stl", bytes, n), MUS_STATUS_FORMAT,
                ": byte 109: corner 2 of face 1 must be finite (got {0, 0, -infinite})");
    n = binary_file(bytes, "", bad, 0);
    refuse_file(file_of_bytes("b.stl", bytes, n), MUS_STATUS_FORMAT, ": has no faces; a mesh needs at least one");
}

static void refuses(void **state) {
    (void)state;
    refuse("a.stl", "solar", ": is not an STL file (5 bytes, and no 'solid' at its beginning)");
    refuse("a.stl", "solid", ": ends before 'endsolid'; the file is truncated");
    refuse("a.stl", "solidify", ":1: 'solid' expected (got 'solidify')");
    refuse("a.stl", "solid\nfacet norm", ":2: 'normal' expected (got 'norm')");
    refuse("a.stl", "solid\nfacet normal 0 0 1 outer", ": ends where 'loop' should follow; the file is truncated");
    refuse("a.stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 1 2",
           ": ends within a vertex; the file is truncated");
    refuse("a.stl", "solid\n" FACET("0 0 0", "1 nan 0", "0 1 0"),
           ":5: a vertex needs three finite decimal numbers (got 'nan')");
    refuse("a.stl", "solid\n" FACET("0 0 0", "1 0 0", "0 1 0\n vertex 1 1 0"), ":7: 'endloop' expected (got 'vertex')");
    refuse("a.stl", "solid\n" FACET("0 0 0", "1 0 0", "0 1 0"), ": ends before 'endsolid'; the file is truncated");
    refuse("a.stl", "solid\n" FACET("0 0 0", "1 0 0", "0 1 0") "facets",
           ":9: 'facet' or 'endsolid' expected (got 'facets')");
    refuse("a.stl", "solid\nendsolid\n", ": has no faces; a mesh needs at least one");
}

/* Vertices come back in the order of the faces' corners, bit for bit; unused ones are not in an STL file. */
static void round_trip(void **state) {
    (void)state;
    const double center[3] = {0.1, 0.2, 0.3};
    mus_mesh *meshes[2] = {awkward_mesh(true)};
    assert_int_equal(mus_mesh_create_sphere(0.7, 3, center, &meshes[1]), MUS_STATUS_OK);
    for (int i = 0; i < 2; i++) {
        mus_mesh *mesh = meshes[i];
        assert_int_equal(mus_mesh_save(mesh, path_of("t.stl")), MUS_STATUS_OK);
        mus_mesh *back = load(path_of("t.stl"));
        assert_int_equal(mus_mesh_get_face_count(back), mus_mesh_get_face_count(mesh));
        assert_int_equal(mus_mesh_get_vertex_count(back), i ? mus_mesh_get_vertex_count(mesh) : 5);
        for (int32_t k = 0; k < 3 * mus_mesh_get_face_count(mesh); k++)
            assert_memory_equal(mus_mesh_get_vertices(back) + 3 * mus_mesh_get_faces(back)[k],
                                mus_mesh_get_vertices(mesh) + 3 * mus_mesh_get_faces(mesh)[k], 3 * sizeof(double));
        /* Once in this order, it stays. */
        assert_int_equal(mus_mesh_save(back, path_of("u.stl")), MUS_STATUS_OK);
        mus_mesh *again = load(path_of("u.stl"));
        expect_same(again, back);
        mus_mesh_destroy(again);
        mus_mesh_destroy(back);
        mus_mesh_destroy(mesh);
    }
}

/* Normals and corners as another program sees them. */
static void other_reader(void **state) {
    (void)state;
    const double size[3] = {2, 4, 6}, center[3] = {0, 0, 0};
    mus_mesh *mesh;
    assert_int_equal(mus_mesh_create_box(size, center, &mesh), MUS_STATUS_OK);
    assert_int_equal(mus_mesh_save(mesh, path_of("t.stl")), MUS_STATUS_OK);
    FILE *file = fopen(path_of("t.stl"), "r");
    assert_non_null(file);
    char word[8];
    assert_int_equal(fscanf(file, "solid %7s", word), 1);
    for (int f = 0; f < 12; f++) {
        double n[3], p[9];
        int got = 0;
        assert_int_equal(fscanf(file,
                                " facet normal %lf %lf %lf outer loop vertex %lf %lf %lf vertex %lf %lf %lf vertex "
                                "%lf %lf %lf endloop endfacet%n",
                                n, n + 1, n + 2, p, p + 1, p + 2, p + 3, p + 4, p + 5, p + 6, p + 7, p + 8, &got),
                         12);
        assert_true(got > 0);
        for (int k = 0; k < 3; k++) {
            const double *corner = p + 3 * k;
            /* Outward: every corner of the face is half the size away along its normal. */
            assert_true(corner[0] * n[0] + corner[1] * n[1] + corner[2] * n[2] ==
                        fabs(n[0]) * 1 + fabs(n[1]) * 2 + fabs(n[2]) * 3);
            assert_memory_equal(corner, mus_mesh_get_vertices(mesh) + 3 * mus_mesh_get_faces(mesh)[3 * f + k], 24);
        }
    }
    assert_int_equal(fscanf(file, " endsolid %7s", word), 1);
    fclose(file);
    mus_mesh_destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ascii),      cmocka_unit_test(binary),       cmocka_unit_test(refuses),
        cmocka_unit_test(round_trip), cmocka_unit_test(other_reader),
    };
    return cmocka_run_group_tests_name("stl", tests, make_folder, remove_folder);
}
