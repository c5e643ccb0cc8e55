/* test_ply.c: PLY in its three encodings, headers in any order, and what is refused. */
#include "io_kit.h"

#define HEADER(format) "ply\nformat " format " 1.0\ncomment made by hand\nobj_info none\n"
#define TRIANGLE                                                                                                       \
    "element vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\n"                         \
    "property list uchar int vertex_indices\nend_header\n"

static const double corners[] = {0.5, 0, 0, 1, 0, 0, 0, 1, 0};
static const int32_t one_face[] = {0, 1, 2};

static void ascii(void **state) {
    (void)state;
    mus_mesh *mesh = load(file_of("a.ply", HEADER("ascii") TRIANGLE "0.5 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"));
    expect_vertices(mesh, corners, 3);
    expect_faces(mesh, one_face, 1);
    mus_mesh_destroy(mesh);

    /* Other elements and properties, faces first, a quad, coordinates in another order, texture places, CRLF. */
    mesh = load(file_of(
        "a.PLY", "ply\r\nformat ascii 1.0\r\nelement material 2\r\nproperty int a\r\nproperty list short double b\r\n"
                 "element face 1\r\nproperty uchar flags\r\nproperty list int uint vertex_index\r\n"
                 "property list uchar float texcoord\r\nelement nothing 1000000000000\r\nelement vertex 4\r\n"
                 "property double z\r\nproperty double confidence\r\nproperty double x\r\nproperty double y\r\n"
                 "property float t\r\nproperty float s\r\nend_header\r\n"
                 "1 0\r\n2 2 0.5 nan\r\n1 4 0 1 2 3 2 0 1\r\n"
                 "-1 nan .5 .25 8 7\r\n0 1 1 0 2 1\r\n0 1 1000 1 4 3\r\n0 1 0 1 6 5\r\n"));
    const double v[] = {0.5, 0.25, -1, 1, 0, 0, 1000, 1, 0, 0, 1, 0}, uv[] = {7, 8, 1, 2, 3, 4, 5, 6};
    const int32_t fan[] = {0, 1, 2, 0, 2, 3};
    expect_vertices(mesh, v, 4);
    expect_faces(mesh, fan, 2);
    assert_int_equal(mus_mesh_get_uv_count(mesh), 4);
    assert_memory_equal(mus_mesh_get_uvs(mesh), uv, sizeof uv);
    assert_memory_equal(mus_mesh_get_uv_faces(mesh), fan, sizeof fan);
    mus_mesh_destroy(mesh);
}

static size_t put(char *to, const void *value, size_t size, bool swap) {
    for (size_t i = 0; i < size; i++) to[i] = ((const char *)value)[swap ? size - 1 - i : i];
    return size;
}

static void binary(void **state) {
    (void)state;
    for (int big = 0; big < 2; big++) {
        char bytes[1024];
        size_t n = (size_t)snprintf(
            bytes, sizeof bytes,
            "ply\nformat binary_%s_endian 1.0\nelement extra 2\nproperty list uint16 int8 names\nproperty short s\n"
            "element vertex 3\nproperty double x\nproperty char c\nproperty float32 y\nproperty int z\n"
            "element face 1\nproperty list ushort uint16 vertex_indices\nend_header\n",
            big ? "big" : "little");
        for (int i = 0; i < 2; i++) {
            uint16_t length = (uint16_t)(2 * i);
            int16_t s = -5;
            n += put(bytes + n, &length, 2, big);
            for (int k = 0; k < length; k++) bytes[n++] = 'x';
            n += put(bytes + n, &s, 2, big);
        }
        const double xs[] = {1.0 / 3, -123456789.12345679, 5e-324};
        const float ys[] = {0.1f, 2, -3};
        const int32_t zs[] = {-7, 70000, 0};
        double v[9];
        for (int i = 0; i < 3; i++) {
            n += put(bytes + n, &xs[i], 8, big);
            bytes[n++] = (char)200;
            n += put(bytes + n, &ys[i], 4, big);
            n += put(bytes + n, &zs[i], 4, big);
            v[3 * i] = xs[i], v[3 * i + 1] = ys[i], v[3 * i + 2] = zs[i];
        }
        const uint16_t face[] = {3, 2, 0, 1};
        for (int i = 0; i < 4; i++) n += put(bytes + n, &face[i], 2, big);
        mus_mesh *mesh = load(file_of_bytes("b.ply", bytes, n));
        const int32_t turned[] = {2, 0, 1};
        expect_vertices(mesh, v, 3);
        expect_faces(mesh, turned, 1);
        mus_mesh_destroy(mesh);
        /* Every shorter file is refused as truncated, or as no PLY at all. */
        for (size_t shorter = 0; shorter < n; shorter++) {
            assert_int_equal(mus_mesh_load(file_of_bytes("b.ply", bytes, shorter), NULL, &mesh), MUS_STATUS_FORMAT);
            assert_null(mesh);
        }
        assert_int_equal(mus_get_allocated_bytes(), 0);
    }
}

/* A header that ends in CRLF, and one in CR with a body that begins with the byte of an LF. */
static void header_ends(void **state) {
    (void)state;
    const char *ends[] = {"\n", "\r\n", "\r"};
    for (int i = 0; i < 3; i++) {
        char bytes[512];
        size_t n = 0;
        const char *lines[] = {"ply",
                               "format binary_little_endian 1.0",
                               "element face 1",
                               "property int8 x",
                               "property list uchar uchar vertex_indices",
                               "element vertex 3",
                               "property uchar x",
                               "property uchar y",
                               "property uchar z",
                               "end_header"};
        for (int k = 0; k < 10; k++) n += (size_t)snprintf(bytes + n, sizeof bytes - n, "%s%s", lines[k], ends[i]);
        const char body[] = {'\n', 3, 0, 1, 2, 1, 2, 3, 4, 5, 6, 7, 8, 10};
        memcpy(bytes + n, body, sizeof body);
        mus_mesh *mesh = load(file_of_bytes("b.ply", bytes, n + sizeof body));
        const double v[] = {1, 2, 3, 4, 5, 6, 7, 8, 10};
        expect_vertices(mesh, v, 3);
        mus_mesh_destroy(mesh);
    }
}

static void refuses(void **state) {
    (void)state;
    refuse("a.ply", "plx\n", ": is not a PLY file (the first line must be 'ply')");
    refuse("a.ply", "ply\nformat ascii 1.0\n", ": ends within its header; the file is truncated");
    refuse("a.ply", "ply\nformat binary 1.0\n",
           ":2: the format must be ascii, binary_little_endian or binary_big_endian (got 'binary')");
    refuse("a.ply", "ply\nformat ascii 2.0\n", ":2: the format's version must be 1.0 (got '2.0')");
    refuse("a.ply", "ply\nend_header\n", ": the header has no format line");
    refuse("a.ply", HEADER("ascii") "element vertex -3\n",
           ":5: an element needs a name and a number of items (got '-3')");
    refuse("a.ply", HEADER("ascii") "element vertex 3\nelement vertex 4\n",
           ":6: an element is declared twice (got 'vertex')");
    refuse("a.ply", HEADER("ascii") "property float x\n", ":5: a property before the first element (got 'float')");
    refuse("a.ply", HEADER("ascii") "element vertex 3\nproperty half x\n",
           ":6: unknown type of a property (got 'half')");
    refuse("a.ply", HEADER("ascii") "element vertex 3\nproperty list float int x\n",
           ":6: a list's length must be of an integer type (got 'float')");
    refuse("a.ply", HEADER("ascii") "element vertex 3\nproperty float\n", ":6: a property without a name (got '')");
    refuse("a.ply", HEADER("ascii") "vertex 3\n", ":5: unknown word in the header (got 'vertex')");
    refuse("a.ply", HEADER("ascii") "element vertex 3\nproperty float x\nproperty float y\nend_header\n1 2 1 2 1 2 1 2",
           ": the header has no element vertex with properties x, y and z");
    refuse("a.ply",
           HEADER("ascii") "element vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2 3",
           ": the header has no element face with an integer list vertex_indices; a mesh needs faces");
    refuse(
        "a.ply",
        HEADER("ascii") "element vertex 2147483647\nproperty float x\nproperty float y\nproperty float z\nelement face "
                        "1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n",
        ": the header promises 2147483647 vertices of at least 6 bytes, but only 7 bytes are left; the file is "
        "truncated");
    refuse(
        "a.ply",
        HEADER(
            "binary_little_endian") "element vertex 1\nproperty float x\nproperty float y\nproperty float z\nelement "
                                    "face 40000000000000000\nproperty list uchar int vertex_indices\nend_header\n"
                                    "0123456789abcdef",
        ": the header promises 40000000000000000 faces of at least 1 bytes, but only 4 bytes are left; the file is "
        "truncated");
    refuse("a.ply", HEADER("ascii") TRIANGLE "0.5 0 0\n1 0 0\n0 1 0\n3 0 1 3\n",
           ": face 1 names vertex 3, but the vertices are 0 to 2");
    refuse("a.ply", HEADER("ascii") TRIANGLE "0.5 0 0\n1 0 0\n0 1 0\n3 0 1\n",
           ": ends before the values that its header promises; the file is truncated");
    refuse("a.ply", HEADER("ascii") TRIANGLE "0.5 0 0\n1 nan 0\n0 1 0\n3 0 1 2\n",
           ":13: a coordinate must be a finite number (got 'nan')");
    refuse("a.ply", HEADER("ascii") TRIANGLE "0.5 0 0\n1 zero 0\n0 1 0\n3 0 1 2\n",
           ":13: a coordinate must be a finite number (got 'zero')");
    refuse("a.ply", HEADER("ascii") TRIANGLE "0.5 0 0\n1 0 0\n0 1 0\n3 0 1 -2\n",
           ":15: a corner's number must be 0 or more (got '-2')");
    refuse("a.ply", HEADER("ascii") TRIANGLE "0.5 0 0\n1 0 0\n0 1 0\n3 0 1 1.5\n",
           ":15: a whole number was declared for this property (got '1.5')");
    refuse("a.ply", HEADER("ascii") TRIANGLE "0.5 0 0\n1 0 0\n0 1 0\n3 0 1 x\n", ":15: not a number (got 'x')");
    refuse("a.ply", HEADER("ascii") TRIANGLE "0.5 0 0\n1 0 0\n0 1 0\n2 0 1\n",
           ":15: a face needs at least three corners (got '2')");
    refuse("a.ply", HEADER("ascii") TRIANGLE "0.5 0 0\n1 0 0\n0 1 0\n-3 0 1\n",
           ":15: a list's length must be at least 0 (got '-3')");
    refuse("a.ply",
           HEADER("ascii") "element vertex 1\nproperty float x\nproperty float y\nproperty float z\nelement face "
                           "0\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n",
           ": has no faces; a mesh needs at least one");
    char bytes[512];
    size_t n = (size_t)snprintf(bytes, sizeof bytes, "%s", HEADER("binary_little_endian") TRIANGLE), start = n;
    const float v[] = {0, 0, 0, 1, INFINITY, 0, 0, 1, 0};
    memcpy(bytes + n, v, sizeof v);
    n += sizeof v;
    const char face[] = {3, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0};
    memcpy(bytes + n, face, sizeof face);
    char words[128];
    snprintf(words, sizeof words, ": byte %zu: a coordinate must be a finite number", start + 20);
    refuse_file(file_of_bytes("a.ply", bytes, n + sizeof face), MUS_STATUS_FORMAT, words);
}

static void round_trip(void **state) {
    (void)state;
    mus_mesh *mesh = awkward_mesh(false), *back;
    assert_int_equal(mus_mesh_save(mesh, path_of("t.ply")), MUS_STATUS_OK);
    back = load(path_of("t.ply"));
    expect_same(back, mesh);
    mus_mesh_destroy(back);
    mus_mesh_destroy(mesh);
    /* Texture vertices that are one a vertex are kept, others cannot be. */
    mus_grid_def def = {mus_grid_def_default().cookie, {7, 5}, {1.1, 0.7}, "xy", {0.1, 0.2, 0.3}};
    assert_int_equal(mus_mesh_create_grid(&def, &mesh), MUS_STATUS_OK);
    assert_int_equal(mus_mesh_save(mesh, path_of("t.ply")), MUS_STATUS_OK);
    back = load(path_of("t.ply"));
    expect_same(back, mesh);
    mus_mesh_destroy(back);
    mus_mesh_destroy(mesh);
    mesh = awkward_mesh(true);
    assert_int_equal(mus_mesh_save(mesh, path_of("t.ply")), MUS_STATUS_OK);
    back = load(path_of("t.ply"));
    assert_int_equal(mus_mesh_get_uv_count(back), 0);
    expect_vertices(back, mus_mesh_get_vertices(mesh), 7);
    mus_mesh_destroy(back);
    mus_mesh_destroy(mesh);
}

/* The file's bytes, taken apart without the library. */
static void other_reader(void **state) {
    (void)state;
    mus_mesh *mesh = awkward_mesh(false);
    assert_int_equal(mus_mesh_save(mesh, path_of("t.ply")), MUS_STATUS_OK);
    size_t size;
    char *data = slurp(path_of("t.ply"), &size);
    const char header[] = "ply\nformat binary_little_endian 1.0\nelement vertex 7\nproperty double x\nproperty double "
                          "y\nproperty double z\nelement face 3\nproperty list uchar int vertex_indices\nend_header\n";
    assert_memory_equal(data, header, sizeof header - 1);
    assert_int_equal(size, sizeof header - 1 + 7 * 24 + 3 * 13);
    assert_memory_equal(data + sizeof header - 1, mus_mesh_get_vertices(mesh), 7 * 24);
    for (int f = 0; f < 3; f++) {
        const char *face = data + sizeof header - 1 + 7 * 24 + 13 * f;
        assert_int_equal(face[0], 3);
        assert_memory_equal(face + 1, mus_mesh_get_faces(mesh) + 3 * f, 12);
    }
    free(data);
    mus_mesh_destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ascii),   cmocka_unit_test(binary),     cmocka_unit_test(header_ends),
        cmocka_unit_test(refuses), cmocka_unit_test(round_trip), cmocka_unit_test(other_reader),
    };
    return cmocka_run_group_tests_name("ply", tests, make_folder, remove_folder);
}
