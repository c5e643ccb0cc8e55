/* test_obj.c: what the OBJ reader takes, keeps, passes over and refuses; round trips bit for bit. */
#include "io_kit.h"

static void takes(void **state) {
    (void)state;
    const double v[] = {0.5, 0.25, -1, 1, 0, 0, 1e3, 1, 0, 0, 1, 0, 9, 9, 9};
    const int32_t fan[] = {0, 1, 2, 0, 2, 3};
    const double uv[] = {0.5, 0.5, 1, 0, 0, 1};
    const int32_t uv_fan[] = {0, 1, 2, 0, 2, 1};
    mus_mesh *mesh = load(file_of(
        "all.obj",
        "# a comment that ends in a backslash \\\nv .5 +.25 -1. 1.0\nmtllib a.mtl\no thing\nv 1 0 0 0.2 0.3 0.4\n"
        "v\t1e3 1.0E0 \\\n 0\nv 0 1 0 # trailing\n\nv 9 9 9\nvn 0 0 1\nvt .5 .5\nvt 1\nvt 0 1 nan\ng group\ns "
        "off\nusemtl m\n"
        "stitch 1 2 3 0.5\nseam\nl 1 2\nf 1/1/1 2/2/1 3/3/1 -2/-2/-1\n"));
    expect_vertices(mesh, v, 5); /* the unused one too */
    expect_faces(mesh, fan, 2);
    assert_int_equal(mus_mesh_get_uv_count(mesh), 3);
    assert_memory_equal(mus_mesh_get_uvs(mesh), uv, sizeof uv);
    assert_memory_equal(mus_mesh_get_uv_faces(mesh), uv_fan, sizeof uv_fan);
    int32_t stitches;
    const mus_stitch *stitch = mus_mesh_get_stitches(mesh, &stitches);
    assert_int_equal(stitches, 1);
    assert_true(stitch->vertex == 1 && stitch->onto[0] == 2 && stitch->onto[1] == 3 && stitch->along == 0.5);
    mus_mesh_destroy(mesh);

    /* Line ends CRLF and CR, continuation over CRLF, no line end at the end, faces before vertices, v//vn. */
    const char *same[] = {"v .5 .25 -1\r\nv 1 0 0\r\nv 1000 1 \\\r\n0\r\nv 0 1 0\r\nv 9 9 9\r\nf 1 2 3 4",
                          "v .5 .25 -1\rv 1 0 0\rv 1000 1 0\rv 0 1 0\rv 9 9 9\rf 1//7 2//7 3//7 4//7\r",
                          "f 1 2 3 4\nv .5 .25 -1\nv 1 0 0\nv 1000 1 0\nv 0 1 0\nv 9 9 9",
                          "vt 0 0\nv .5 .25 -1\nv 1 0 0\nv 1000 1 0\nf -3 -2 -1\nv 0 1 0\nv 9 9 9\nf 1/1 3/1 4/1",
                          "vt 0 0\nv .5 .25 -1\nv 1 0 0\nv 1000 1 0\nf -3/1 -2/1 -1/1\nv 0 1 0\nv 9 9 9\nf 1 3 4"};
    for (int i = 0; i < 5; i++) {
        mesh = load(file_of("same.OBJ", same[i]));
        expect_vertices(mesh, v, 5);
        expect_faces(mesh, fan, 2);
        assert_int_equal(mus_mesh_get_uv_count(mesh), 0); /* a flat shape of only some faces is none */
        mus_mesh_destroy(mesh);
    }
}

static void refuses(void **state) {
    (void)state;
    refuse("a.obj", "v 0 0 0\nv 1 0\n", ":2: a vertex needs 3 finite decimal numbers (got '1 0')");
    refuse("a.obj", "\n\nv 0 nan 0\n", ":3: a vertex needs 3 finite decimal numbers (got '0 nan 0')");
    refuse("a.obj", "v 0 -inf 0\n", ":1: a vertex needs 3 finite decimal numbers (got '0 -inf 0')");
    refuse("a.obj", "v 0 1e999 0\n", ":1: a vertex needs 3 finite decimal numbers (got '0 1e999 0')");
    refuse("a.obj", "v 0 0x10 0\n", ":1: a vertex needs 3 finite decimal numbers (got '0 0x10 0')");
    refuse("a.obj", "v 0 1,5 0\n", ":1: a vertex needs 3 finite decimal numbers (got '0 1,5 0')");
    refuse("a.obj", "v 0 1e 0\n", ":1: a vertex needs 3 finite decimal numbers (got '0 1e 0')");
    refuse("a.obj", "v 0 \\\n . \\\n 0\nv 1", ":1: a vertex needs 3 finite decimal numbers (got '0    .    0')");
    refuse("a.obj", "v 0 \\\n1 0\nv 1", ":3: a vertex needs 3 finite decimal numbers (got '1')");
    refuse("a.obj", "v 0 0 \033[31mred, and a very long line that is cut somewhere\n",
           ":1: a vertex needs 3 finite decimal numbers (got '0 0 ?[31mred, and a very long line that ...')");
    refuse("a.obj", "vt x\n", ":1: a texture vertex needs 1 finite decimal numbers (got 'x')");
    refuse("a.obj", "vt 0 inf\n", ":1: a texture vertex needs 1 finite decimal numbers (got '0 inf')");
    refuse("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\n", ":4: a face needs at least three corners (got '1 2')");
    refuse("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\nf 1 2 9\n",
           ":5: a face names vertex 9, but the file has only 3");
    refuse("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf 1/1 2/1 3/2\n",
           ":5: a face names texture vertex 2, but the file has only 1");
    refuse("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf 1/1 2/1 3\n",
           ":5: either all or none of a face's corners may name a texture vertex (got '1/1 2/1 3')");
#define STITCH                                                                                                         \
    ":1: a stitch needs three vertices, from 0, and a share of the way from the second to the third, 0..1 (got '"
    refuse("a.obj", "stitch 0 1 2\n", STITCH "0 1 2')");
    refuse("a.obj", "stitch 0 1 2 1.5\n", STITCH "0 1 2 1.5')");
    refuse("a.obj", "stitch 0 -1 2 1\n", STITCH "0 -1 2 1')");
    refuse("a.obj", "stitch 0 1 2 nan\n", STITCH "0 1 2 nan')");
    refuse("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nstitch 0 3 1 0\n",
           ":5: a stitch names vertex 3, from 0, but the file has only 3");
#define CORNER                                                                                                         \
    ":2: a corner of a face must be v, v/vt, v//vn or v/vt/vn with numbers from 1, or backwards from -1 (got '"
    refuse("a.obj", "v 0 0 0\nf 1 1 0\n", CORNER "0' after 1 vertices and 0 texture vertices)");
    refuse("a.obj", "v 0 0 0\nf 1 1 -2\n", CORNER "-2' after 1 vertices and 0 texture vertices)");
    refuse("a.obj", "v 0 0 0\nf 1 1 1/\n", CORNER "1/' after 1 vertices and 0 texture vertices)");
    refuse("a.obj", "v 0 0 0\nf 1 1 1//\n", CORNER "1//' after 1 vertices and 0 texture vertices)");
    refuse("a.obj", "v 0 0 0\nf 1 1 1.5\n", CORNER "1.5' after 1 vertices and 0 texture vertices)");
    refuse("a.obj", "v 0 0 0\nf 1 1 99999999999999999999999\n",
           CORNER "99999999999999999999999' after 1 vertices and 0 texture vertices)");
    refuse("a.obj", "v 0 0 0\nf 1 1 2147483648\n", CORNER "2147483648' after 1 vertices and 0 texture vertices)");
    refuse("a.obj", "v 0 0 0\n", ": has no faces; a mesh needs at least one");
    refuse("a.obj", "{\"json\": true}\n", ": has no faces; a mesh needs at least one");
    refuse("a.obj", "", ": is empty");
    size_t before = mus_get_allocated_bytes();
    refuse_file(file_of_bytes("a.obj", "v 0 0 \0 0\n", 10), MUS_STATUS_FORMAT, ": byte 7 is zero; this is no OBJ text");
    refuse_file(path_of("none.obj"), MUS_STATUS_NOT_FOUND, ": cannot be read: No such file or directory");
    assert_int_equal(mkdir(path_of("folder.obj"), 0700), 0);
    refuse_file(path_of("folder.obj"), MUS_STATUS_IO, ": cannot be read: Is a directory");
    rmdir(path_of("folder.obj"));
    refuse_file(path_of("a.fbx"), MUS_STATUS_INVALID,
                ": the extension must be .obj, .ply, .stl, .glb, .gltf or .usda (got 'fbx')");
    assert_int_equal(mus_get_allocated_bytes(), before);
}

static void options(void **state) {
    (void)state;
    mus_mesh *mesh;
    const char *path = file_of("o.obj", "v 1 2 3\nv 4 5 6\nv 7 8 8e8\nf 1 2 3\n");
    mus_load_options o = {mus_load_options_default().cookie, .scale = 0.5, .up = "z"};
    assert_int_equal(mus_mesh_load(path, &o, &mesh), MUS_STATUS_OK);
    const double v[] = {0.5, 1.5, -1, 2, 3, -2.5, 3.5, 4e8, -4};
    expect_vertices(mesh, v, 3);
    mus_mesh_destroy(mesh);
    const uint32_t made = mus_load_options_default().cookie;
    const struct {
        mus_load_options options;
        const char *words;
    } bad[] = {{{made, 0, NULL}, "field 'scale' must be a finite number > 0 (got 0)"},
               {{made, -1, NULL}, "field 'scale' must be a finite number > 0 (got -1)"},
               {{made, NAN, "y"}, "field 'scale' must be a finite number > 0"},
               {{made, 1, "x"}, "field 'up' must be 'y' or 'z' (got 'x')"},
               {{made, 1e200, "y"}, "field 'scale' must be from 1e-30 to 1e+30 (got 1e+200)"},
               {{made, 2, "y"}, "field 'scale' is too large for vertex 3, which must lie within +-1e+09 m (got 2)"}};
    for (int i = 0; i < 6; i++) {
        assert_int_equal(mus_mesh_load(path, &bad[i].options, &mesh), MUS_STATUS_INVALID);
        assert_non_null(strstr(mus_get_error_message(), bad[i].words));
        assert_null(mesh);
    }
    /* What a mesh may not hold may stand in a file whose unit is a small one. */
    path = file_of("far.obj", "v 1 2 3\nv 4 5 6\nv 7 8 1e12\nf 1 2 3\n");
    o = (mus_load_options){mus_load_options_default().cookie, .scale = 1e-3};
    assert_int_equal(mus_mesh_load(path, &o, &mesh), MUS_STATUS_OK);
    mus_mesh_destroy(mesh);
    mus_parts *parts;
    for (int i = 0; i < 2; i++) {
        mus_status status = i ? mus_parts_load(path, &parts) : mus_mesh_load(path, NULL, &mesh);
        assert_int_equal(status, MUS_STATUS_FORMAT);
        assert_non_null(
            strstr(mus_get_error_message(), "far.obj: vertex 3 must lie within +-1e+09 m (got {7, 8, 1e+12})"));
    }
}

static void round_trip(void **state) {
    (void)state;
    for (int textured = 0; textured < 2; textured++) {
        mus_mesh *mesh = awkward_mesh(textured);
        const char *path = path_of("trip.obj");
        assert_int_equal(mus_mesh_save(mesh, path), MUS_STATUS_OK);
        mus_mesh *back = load(path);
        expect_same(back, mesh);
        mus_mesh_destroy(back);
        mus_mesh_destroy(mesh);
    }
}

/* A reader that shares nothing with the library: sscanf over lines. */
static void other_reader(void **state) {
    (void)state;
    mus_grid_def def = {mus_grid_def_default().cookie, {7, 5}, {1.1, 0.7}, "xy", {0.1, 0.2, 0.3}};
    mus_mesh *mesh;
    assert_int_equal(mus_mesh_create_grid(&def, &mesh), MUS_STATUS_OK);
    assert_int_equal(mus_mesh_save(mesh, path_of("grid.obj")), MUS_STATUS_OK);
    FILE *file = fopen(path_of("grid.obj"), "r");
    assert_non_null(file);
    char line[256];
    int32_t v = 0, t = 0, f = 0;
    while (fgets(line, sizeof line, file)) {
        double x[3];
        int c[6];
        if (sscanf(line, "v %lf %lf %lf", x, x + 1, x + 2) == 3)
            assert_memory_equal(x, mus_mesh_get_vertices(mesh) + 3 * v++, sizeof x);
        else if (sscanf(line, "vt %lf %lf", x, x + 1) == 2)
            assert_memory_equal(x, mus_mesh_get_uvs(mesh) + 2 * t++, 2 * sizeof *x);
        else if (sscanf(line, "f %d/%d %d/%d %d/%d", c, c + 1, c + 2, c + 3, c + 4, c + 5) == 6) {
            for (int k = 0; k < 3; k++) {
                assert_int_equal(c[2 * k] - 1, mus_mesh_get_faces(mesh)[3 * f + k]);
                assert_int_equal(c[2 * k + 1] - 1, mus_mesh_get_uv_faces(mesh)[3 * f + k]);
            }
            f++;
        } else
            fail_msg("unexpected line %s", line);
    }
    fclose(file);
    assert_int_equal(v, 35);
    assert_int_equal(t, 35);
    assert_int_equal(f, 48);
    mus_mesh_destroy(mesh);
}

/* Counts that were taken from the files with grep. */
static void real_meshes(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int32_t vertices, faces, uvs;
        bool closed;
    } files[] = {
        {"bowl.obj", 1196, 2330, 0, false},        {"bunny3K.obj", 3135, 6266, 0, true},
        {"camel.obj", 2862, 5720, 0, true},        {"dress.obj", 388, 428, 0, false},
        {"dress4.obj", 78, 112, 104, false},       {"garment_panels.obj", 15656, 29456, 15656, false},
        {"mannequin.obj", 12811, 25472, 0, false}, {"ribbon1.6K.obj", 1550, 2516, 0, false},
        {"tshirt.obj", 330, 604, 426, false},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[128];
        snprintf(path, sizeof path, "../shared/data/meshes/%s", files[i].name);
        if (access(path, R_OK) != 0) {
            print_message("# no file %s: passed over\n", path);
            continue;
        }
        mus_mesh *mesh = load(path);
        mus_mesh_report r;
        assert_int_equal(mus_mesh_check(mesh, &r), MUS_STATUS_OK);
        assert_int_equal(mus_mesh_get_vertex_count(mesh), files[i].vertices);
        assert_int_equal(mus_mesh_get_face_count(mesh), files[i].faces);
        assert_int_equal(mus_mesh_get_uv_count(mesh), files[i].uvs);
        assert_int_equal(r.closed, files[i].closed);
        mus_mesh_destroy(mesh);
    }
}

/* `g` lines, also faces before the first one, a group without a name and one without faces. */
static void groups(void **state) {
    (void)state;
    static const char text[] =
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\ng left\tside\\ \nf 2 4 3\nf 1 2 4\ng none\ng\n"
        "f 1 4 3\n";
    static const mus_mesh_group wanted[] = {{"default", 1}, {"left side", 2}, {"default", 1}};
    mus_mesh *mesh = load(file_of("g.obj", text)), *copy, *fine;
    assert_int_equal(mus_mesh_copy(mesh, &copy), MUS_STATUS_OK);
    assert_int_equal(mus_mesh_save(copy, path_of("h.obj")), MUS_STATUS_OK);
    mus_mesh_destroy(copy);
    assert_int_equal(mus_mesh_subdivide(mesh, 2, &fine), MUS_STATUS_OK);
    mus_mesh_destroy(mesh);
    mesh = load(path_of("h.obj"));
    int32_t count;
    const mus_mesh_group *got = mus_mesh_get_groups(mesh, &count), *split = mus_mesh_get_groups(fine, &count);
    assert_int_equal(count, 3);
    for (int k = 0; k < 3; k++) {
        assert_string_equal(got[k].name, wanted[k].name);
        assert_int_equal(got[k].face_count, wanted[k].face_count);
        assert_string_equal(split[k].name, wanted[k].name);
        assert_int_equal(split[k].face_count, 16 * wanted[k].face_count);
    }
    mus_mesh_destroy(mesh);
    mus_mesh_destroy(fine);

    const double vertices[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const int32_t faces[] = {0, 1, 2};
    mus_mesh_def def = mus_mesh_def_default();
    def.vertices = vertices, def.vertex_count = 3, def.faces = faces, def.face_count = 1;
    static const struct {
        mus_mesh_group group;
        int32_t count;
        const char *reason;
    } wrong[] = {{{"a", 2}, 1, "mesh: the groups must cover all 1 faces, in order (they have 2)"},
                 {{"a", 0}, 1, "mesh: the groups must cover all 1 faces, in order (they have 0)"},
                 {{"a", -1}, 1, "mesh: group 'a' must have >= 0 faces (got -1)"},
                 {{"", 1},
                  1,
                  "mesh: group 1 needs a name without control characters, blanks at its ends or a backslash at its end "
                  "(got '')"},
                 {{"a\nb", 1},
                  1,
                  "mesh: group 1 needs a name without control characters, blanks at its ends or a backslash at its end "
                  "(got 'a\nb')"},
                 {{NULL, 1},
                  1,
                  "mesh: group 1 needs a name without control characters, blanks at its ends or a backslash at its end "
                  "(got '')"},
                 {{"a", 1}, 0, "mesh: fields 'groups' and 'group_count' must be given together (got groups, 0)"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        def.groups = &wrong[k].group, def.group_count = wrong[k].count;
        assert_int_equal(mus_mesh_create(&def, &mesh), MUS_STATUS_INVALID);
        assert_null(mesh);
        assert_string_equal(mus_get_error_message(), wrong[k].reason);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes),      cmocka_unit_test(refuses),      cmocka_unit_test(options),
        cmocka_unit_test(round_trip), cmocka_unit_test(other_reader), cmocka_unit_test(real_meshes),
        cmocka_unit_test(groups),
    };
    return cmocka_run_group_tests_name("obj", tests, make_folder, remove_folder);
}
