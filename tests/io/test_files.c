/* test_files.c: parts of frames, point caches, files that cannot be written, locales, and every allocation failing. */
#include "../base/scarce.h"
#include "io_kit.h"

#include <fcntl.h>
#include <locale.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <signal.h>

/* ---- Parts ---- */

static const double sheet[] = {0, 0, 0, 0.1, 0, 0, 0, 0.1, 0, 9, 9, 9}, ball[] = {1, 1, 1, 2, 1, 1, 1, 2, 1.0 / 3};
static const int32_t sheet_faces[] = {0, 1, 2}, ball_faces[] = {2, 1, 0};

static void expect_part(const mus_part *a, const mus_part *b) {
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->face_count, b->face_count);
    assert_memory_equal(a->vertices, b->vertices, (size_t)b->vertex_count * 24);
    assert_memory_equal(a->faces, b->faces, (size_t)b->face_count * 12);
}

static mus_part part_of(const char *name, const double *vertices, const int32_t *faces, int32_t vertex_count,
                        int32_t face_count) {
    return (mus_part){
        .name = name, .vertices = vertices, .faces = faces, .vertex_count = vertex_count, .face_count = face_count};
}

static mus_part textured(const int32_t *uv_faces) {
    mus_part part = part_of("a", sheet, sheet_faces, 3, 1);
    part.uvs = sheet, part.uv_faces = uv_faces, part.uv_count = 3;
    return part;
}

static mus_part grouped(const mus_mesh_group *groups, int32_t count) {
    mus_part part = part_of("a", sheet, sheet_faces, 3, 1);
    part.groups = groups, part.group_count = count;
    return part;
}

static mus_part colored(const char *material, const char *file) {
    mus_part part = part_of("a", sheet, sheet_faces, 3, 1);
    part.material = material, part.material_file = file;
    return part;
}

static void materials(void **state) {
    (void)state;
    mus_part parts[] = {colored("red", "m.mtl"), colored("blue", "m.mtl"), colored(NULL, NULL),
                        colored("red", "n.mtl")};
    for (int k = 0; k < 4; k++) parts[k].vertex_count = parts[k].face_count = 0;
    assert_int_equal(mus_parts_save(parts, 4, path_of("m.obj")), MUS_STATUS_OK);
    size_t size;
    char *text = slurp(path_of("m.obj"), &size);
    assert_string_equal(text, "mtllib m.mtl\no a\nusemtl red\no a\nusemtl blue\no a\nmtllib n.mtl\no a\nusemtl red\n");
    free(text);
}

static void parts_round_trip(void **state) {
    (void)state;
    const mus_part parts[] = {part_of("cloth:sheet", sheet, sheet_faces, 4, 1),
                              part_of("obstacle:a ball", ball, ball_faces, 3, 1)};
    assert_int_equal(mus_parts_save(parts, 2, path_of("frame.obj")), MUS_STATUS_OK);
    size_t size;
    char *text = slurp(path_of("frame.obj"), &size);
    assert_string_equal(text, "o cloth:sheet\nv 0 0 0\nv 0.10000000000000001 0 0\nv 0 0.10000000000000001 0\nv 9 9 9\n"
                              "f 1 2 3\no obstacle:a ball\nv 1 1 1\nv 2 1 1\nv 1 2 0.33333333333333331\nf 7 6 5\n");
    free(text);
    mus_parts *back;
    int32_t count;
    assert_int_equal(mus_parts_load(path_of("frame.obj"), &back), MUS_STATUS_OK);
    const mus_part *got = mus_parts_get_all(back, &count);
    assert_int_equal(count, 2);
    for (int i = 0; i < 2; i++) expect_part(&got[i], &parts[i]);
    mus_parts_destroy(back);

    /* PLY and STL hold one joined mesh, named after the file. */
    const double both[] = {0, 0, 0, 0.1, 0, 0, 0, 0.1, 0, 9, 9, 9, 1, 1, 1, 2, 1, 1, 1, 2, 1.0 / 3};
    const int32_t faces[] = {0, 1, 2, 6, 5, 4};
    const mus_part joined = part_of("frame.1", both, faces, 7, 2);
    assert_int_equal(mus_parts_save(parts, 2, path_of("frame.1.ply")), MUS_STATUS_OK);
    assert_int_equal(mus_parts_load(path_of("frame.1.ply"), &back), MUS_STATUS_OK);
    got = mus_parts_get_all(back, &count);
    assert_int_equal(count, 1);
    expect_part(got, &joined);
    mus_parts_destroy(back);
    assert_int_equal(mus_parts_save(parts, 2, path_of("frame.stl")), MUS_STATUS_OK);
    mus_mesh *mesh = load(path_of("frame.stl"));
    assert_int_equal(mus_mesh_get_vertex_count(mesh), 6);
    assert_int_equal(mus_mesh_get_face_count(mesh), 2);
    mus_mesh_destroy(mesh);

    /* No part at all, and a part without faces, are written too. */
    assert_int_equal(mus_parts_save(NULL, 0, path_of("none.obj")), MUS_STATUS_OK);
    const mus_part points = part_of("cloth:points", sheet, NULL, 4, 0);
    assert_int_equal(mus_parts_save(&points, 1, path_of("none.obj")), MUS_STATUS_OK);
    assert_int_equal(mus_parts_load(path_of("none.obj"), &back), MUS_STATUS_FORMAT);
    assert_null(back);
    mus_parts_destroy(NULL);
}

/* Vertices belong to the `o` they stand under; those that only another part's faces use go there as well. */
static void parts_of_others(void **state) {
    (void)state;
    mus_parts *parts;
    int32_t count;
    assert_int_equal(
        mus_parts_load(file_of("p.obj", "v 0 0 0\nv 1 0 0\no empty\nv 5 5 5\no  b \nv 2 0 0\nv 3 0 0\nf 2 4 -1\n"
                                        "o\nf 3 6 1\nf 1 6 2\nv 4 0 0\n"),
                       &parts),
        MUS_STATUS_OK);
    const mus_part *got = mus_parts_get_all(parts, &count);
    assert_int_equal(count, 2);
    const double b[] = {1, 0, 0, 2, 0, 0, 3, 0, 0}, last[] = {0, 0, 0, 1, 0, 0, 5, 5, 5, 4, 0, 0};
    const int32_t bf[] = {0, 1, 2}, lastf[] = {2, 3, 0, 0, 3, 1};
    const mus_part wanted[] = {part_of("b", b, bf, 3, 1), part_of("", last, lastf, 4, 2)};
    for (int i = 0; i < 2; i++) expect_part(&got[i], &wanted[i]);
    mus_parts_destroy(parts);

    assert_int_equal(mus_parts_load(file_of("stem.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no x\nf 3 2 1"), &parts),
                     MUS_STATUS_OK);
    got = mus_parts_get_all(parts, &count);
    assert_int_equal(count, 2);
    assert_string_equal(got[0].name, "stem");
    assert_string_equal(got[1].name, "x");
    assert_int_equal(got[1].vertex_count, 3);
    mus_parts_destroy(parts);
}

static void parts_refused(void **state) {
    (void)state;
    const double nan[] = {0, 0, 0, 0.1, 0, 0, 0, INFINITY, 0};
    const int32_t beyond[] = {0, 1, 3};
    const mus_mesh_group two[] = {{"left", 1}, {"right", 1}}, negative[] = {{"left", 2}, {"right", -1}},
                         line[] = {{"le\nft", 1}};
    const struct {
        mus_part part;
        const char *words;
    } bad[] = {
        {part_of(NULL, sheet, sheet_faces, 3, 1), "part 1 needs a name without control characters"},
        {part_of("", sheet, sheet_faces, 3, 1), "part 1 needs a name"},
        {part_of("a\nb", sheet, sheet_faces, 3, 1), "part 1 needs a name"},
        {part_of("a\\", sheet, sheet_faces, 3, 1), "part 1 needs a name"},
        {part_of("a ", sheet, sheet_faces, 3, 1), "part 1 needs a name"},
        {part_of("a", NULL, sheet_faces, 3, 1), "part 'a' needs arrays for its 3 vertices and 1 faces"},
        {part_of("a", sheet, sheet_faces, -3, 1), "part 'a' needs arrays for its -3 vertices and 1 faces"},
        {part_of("a", nan, sheet_faces, 3, 1), "vertex 3 of part 'a' must be finite (got infinite)"},
        {part_of("a", sheet, beyond, 3, 1), "face 1 of part 'a' names vertex 4, but it has only 3"},
        {textured(NULL), "part 'a' needs 'uv_faces' for its texture coordinates"},
        {textured(beyond), "face 1 of part 'a' names texture coordinate 4, but it has only 3"},
        {grouped(two, 2), "the groups of part 'a' must cover all its 1 faces, in order (they have 2)"},
        {grouped(negative, 2), "group 2 of part 'a' needs a name"},
        {grouped(line, 1), "group 1 of part 'a' needs a name"},
        {colored("dark red", "m.mtl"), "must be words without blanks (got 'dark red', 'm.mtl')"},
        {colored("red", NULL), "must be words without blanks (got 'red', '')"},
        {colored("red", "my materials.mtl"), "must be words without blanks (got 'red', 'my materials.mtl')"},
    };
    int before = files_in_folder();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(mus_parts_save(&bad[i].part, 1, path_of("bad.obj")), MUS_STATUS_INVALID);
        assert_non_null(strstr(mus_get_error_message(), bad[i].words));
    }
    assert_int_equal(files_in_folder(), before);
}

static void fields_refused(void **state) {
    (void)state;
    const double values[9] = {0};
    const struct {
        mus_part_field one[2], two[1];
        int counts[2];
        const char *words;
    } bad[] = {
        {{{"a b", 1, values}}, {{0}}, {1, 0}, "field 1 of part 'p' needs a name of letters, digits and underscores"},
        {{{NULL, 1, values}}, {{0}}, {1, 0}, "needs a name of letters, digits and underscores (got '')"},
        {{{"a", 2, values}}, {{0}}, {1, 0}, "field 'a' of part 'p' needs 1 or 3 components and values (got 2)"},
        {{{"a", 3, NULL}}, {{0}}, {1, 0}, "field 'a' of part 'p' needs 1 or 3 components and values"},
        {{{"a", 1, values}, {"a", 1, values}}, {{0}}, {2, 0}, "field 'a' of part 'p' is there twice"},
        {{{"a", 1, values}}, {{"a", 3, values}}, {1, 1}, "field 'a' of part 'q' is there twice, or with 1 components"},
        {{{0}}, {{0}}, {-1, 0}, "part 'p' needs an array for its -1 fields"},
    };
    int before = files_in_folder();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        mus_part parts[] = {part_of("p", sheet, sheet_faces, 3, 1), part_of("q", sheet, sheet_faces, 3, 1)};
        parts[0].fields = bad[i].one, parts[0].field_count = bad[i].counts[0];
        parts[1].fields = bad[i].two, parts[1].field_count = bad[i].counts[1];
        assert_int_equal(mus_parts_save(parts, 2, path_of("bad.vtp")), MUS_STATUS_INVALID);
        assert_non_null(strstr(mus_get_error_message(), bad[i].words));
    }
    assert_int_equal(files_in_folder(), before);
}

/* ---- Animations ---- */

/* Fails from frame *user on. */
static mus_status read_sheet(void *user, int32_t part, int64_t frame, float *positions) {
    if (frame >= *(const int64_t *)user) return mus_fail(MUS_STATUS_IO, "no frame %lld", (long long)frame);
    for (int k = 0; k < 9; k++) positions[k] = (float)(sheet[k] + (part == 0 ? (double)frame : 0));
    return MUS_STATUS_OK;
}

static void animation(void **state) {
    (void)state;
    int64_t frames = 3;
    const mus_part parts[] = {part_of("cloth:a", NULL, sheet_faces, 3, 1),
                              part_of("obstacle:b", NULL, sheet_faces, 3, 1)};
    const mus_part_frames ranges[] = {{0, 3, true}, {1, 1, false}};
    mus_parts_animation a = mus_parts_animation_default();
    a.fps = 12.5, a.frame_count = 3, a.parts = parts, a.part_count = 2, a.frames = ranges;
    a.read = read_sheet, a.user = &frames;
    assert_int_equal(mus_parts_save_animation(&a, path_of("a.usda")), MUS_STATUS_OK);
    size_t size;
    char *text = slurp(path_of("a.usda"), &size);
    static const char *const wanted[] = {
        "endTimeCode = 2\n",
        "timeCodesPerSecond = 12.5\n",
        "muslin:name = \"cloth:a\"",
        "2: [(2, 2, 2), (2.0999999, 2, 2), (2, 2.0999999, 2)],\n",
        "point3f[] points = [(0, 0, 0), (0.100000001, 0, 0), (0, 0.100000001, 0)]\n",
        "0: \"invisible\",\n            1: \"inherited\",\n            2: \"invisible\",\n",
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!strstr(text, wanted[i])) fail_msg("'%s' is not in the file:\n%s", wanted[i], text);
    free(text);

    assert_int_equal(mus_parts_save_animation(&a, path_of("a.abc")),
                     MUS_STATUS_OK); /* read by tests/cli/motion_files.sh */
    text = slurp(path_of("a.abc"), &size);
    assert_memory_equal(text, "Ogawa\xff\0\1", 8); /* complete */
    free(text);

    int before = files_in_folder();
    frames = 2;
    assert_int_equal(mus_parts_save_animation(&a, path_of("b.usda")), MUS_STATUS_IO);
    assert_string_equal(mus_get_error_message(), "no frame 2");
    assert_int_equal(mus_parts_save_animation(&a, path_of("b.abc")), MUS_STATUS_IO);
    assert_string_equal(mus_get_error_message(), "no frame 2");
    frames = 3;
    const struct {
        const char *file, *words;
        mus_parts_animation animation;
    } bad[] = {
        {"b.obj", "the extension of an animation must be .usda or .abc", a},
        {"b.usda", "'fps' must be > 0", {a.cookie, 0, 3, parts, 2, ranges, read_sheet, &frames}},
        {"b.usda", "'frame_count' must be at least 1 (got 0)", {a.cookie, 1, 0, parts, 2, ranges, read_sheet, &frames}},
        {"b.usda",
         "2 parts need the fields 'parts', 'frames' and 'read'",
         {a.cookie, 1, 3, parts, 2, ranges, NULL, &frames}},
        {"b.usda",
         "part 'cloth:a' must exist in frames between 0 and 1 (got 3 from frame 0 on)",
         {a.cookie, 1, 2, parts, 2, ranges, read_sheet, &frames}},
        {"b.usda", "mus_parts_animation_default", {0, 1, 3, parts, 2, ranges, read_sheet, &frames}},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(mus_parts_save_animation(&bad[i].animation, path_of(bad[i].file)), MUS_STATUS_INVALID);
        if (!strstr(mus_get_error_message(), bad[i].words)) fail_msg("%s", mus_get_error_message());
    }
    assert_int_equal(files_in_folder(), before);
}

/* ---- Point caches ---- */

static void point_cache(void **state) {
    (void)state;
    double positions[2 * 3 * 3];
    for (int k = 0; k < 18; k++) positions[k] = (double)(float)(k * 0.1 - 1);
    const mus_point_cache cache = {positions, 3, 2, -1.5, 0.25};
    mus_point_cache back;
    assert_int_equal(mus_point_cache_save(&cache, path_of("c.pc2")), MUS_STATUS_OK);
    assert_int_equal(mus_point_cache_load(path_of("c.pc2"), NULL, &back), MUS_STATUS_OK);
    assert_int_equal(back.vertex_count, 3);
    assert_int_equal(back.frame_count, 2);
    assert_true(back.start_frame == -1.5 && back.sample_rate == 0.25);
    assert_memory_equal(back.positions, positions, sizeof positions);
    const mus_load_options load = {mus_load_options_default().cookie, 2, "z"};
    assert_int_equal(mus_point_cache_transform(&back, NULL), MUS_STATUS_OK);
    assert_int_equal(mus_point_cache_transform(&back, &load), MUS_STATUS_OK);
    for (int v = 0; v < 6; v++) {
        const double *was = positions + 3 * v, *is = back.positions + 3 * v;
        assert_true(is[0] == (float)was[0] * 2.0 && is[1] == (float)was[2] * 2.0 && is[2] == (float)was[1] * -2.0);
    }
    assert_int_equal(mus_point_cache_transform(&back, &(mus_load_options){mus_load_options_default().cookie, 0, "y"}),
                     MUS_STATUS_INVALID);
    assert_int_equal(mus_point_cache_transform(&back, &(mus_load_options){mus_load_options_default().cookie, 1, "x"}),
                     MUS_STATUS_INVALID);
    mus_point_cache_destroy(&back);
    assert_null(back.positions);
    mus_point_cache_destroy(NULL);

    size_t size;
    char *bytes = slurp(path_of("c.pc2"), &size);
    assert_int_equal(size, 32 + 72);
    const char head[] = {'P', 'O', 'I', 'N', 'T', 'C', 'A', 'C', 'H', 'E', '2', 0, 1, 0, 0, 0, 3, 0, 0, 0};
    assert_memory_equal(bytes, head, sizeof head);
    for (size_t shorter = 0; shorter < size; shorter++) {
        assert_int_equal(mus_point_cache_load(file_of_bytes("d.pc2", bytes, shorter), NULL, &back), MUS_STATUS_FORMAT);
        assert_null(back.positions);
    }
    assert_int_equal(mus_point_cache_load(file_of_bytes("d.pc2", bytes, size + 1), NULL, &back), MUS_STATUS_FORMAT);
    const struct {
        int at;
        const char *bytes, *words;
        int count;
    } bad[] = {
        {0, "X", ": is not a PC2 file", 1},
        {12, "\2", ": byte 13: the version must be 1 (got 2)", 1},
        {16, "\0\0\0\0", ": must hold at least one vertex and one frame (got 0 and 2)", 4},
        {28, "\377\377\377\377", ": must hold at least one vertex and one frame (got 3 and -1)", 4},
        {16, "\377\377\377\177", ": the header promises 2 frames of 2147483647 vertices, 12 bytes each, but 72 bytes",
         4},
        {28, "\1\0\0\0", ": the header promises 1 frames of 3 vertices, 12 bytes each, but 72 bytes", 4},
        {24, "\0\0\300\177", ": byte 21: start frame and sample rate must be finite (got -1.5 and not a number)", 4},
        {32 + 36 + 16, "\0\0\200\177", ": byte 85: vertex 2 of frame 2 must be finite (got infinite)", 4},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char copy[104];
        memcpy(copy, bytes, sizeof copy);
        memcpy(copy + bad[i].at, bad[i].bytes, (size_t)bad[i].count);
        assert_int_equal(mus_point_cache_load(file_of_bytes("d.pc2", copy, sizeof copy), NULL, &back),
                         MUS_STATUS_FORMAT);
        if (!strstr(mus_get_error_message(), bad[i].words)) fail_msg("%s", mus_get_error_message());
        assert_null(back.positions);
    }
    free(bytes);
    assert_int_equal(mus_point_cache_load(path_of("none.pc2"), NULL, &back), MUS_STATUS_NOT_FOUND);

    positions[7] = 1e40;
    assert_int_equal(mus_point_cache_save(&cache, path_of("c.pc2")), MUS_STATUS_INVALID);
    assert_non_null(
        strstr(mus_get_error_message(), "vertex 3 of frame 1 must be finite and within float32 (got 1e+40)"));
    const mus_point_cache empty = {NULL, 3, 2, 0, 1};
    assert_int_equal(mus_point_cache_save(&empty, path_of("c.pc2")), MUS_STATUS_INVALID);
    assert_non_null(strstr(mus_get_error_message(), "(got 3 and 2, no positions)"));
}

static void real_point_cache(void **state) {
    (void)state;
    const char *path = "../shared/data/meshes/mannequin_kick.pc2";
    if (access(path, R_OK) != 0) {
        print_message("# no file %s: passed over\n", path);
        return;
    }
    mus_point_cache cache;
    assert_int_equal(mus_point_cache_load(path, NULL, &cache), MUS_STATUS_OK);
    assert_int_equal(cache.vertex_count, 12811);
    assert_int_equal(cache.frame_count, 121);
    assert_int_equal(mus_point_cache_save(&cache, path_of("copy.pc2")), MUS_STATUS_OK);
    size_t size, copied;
    char *a = slurp(path, &size), *b = slurp(path_of("copy.pc2"), &copied);
    assert_int_equal(size, copied);
    assert_true(memcmp(a, b, size) == 0);
    free(a);
    free(b);
    /* Frame 0 is the mesh that it animates. */
    mus_mesh *mesh = load("../shared/data/meshes/mannequin.obj");
    assert_int_equal(mus_mesh_get_vertex_count(mesh), cache.vertex_count);
    for (int32_t k = 0; k < 3 * cache.vertex_count; k++)
        assert_true(fabs(cache.positions[k] - mus_mesh_get_vertices(mesh)[k]) < 1e-6);
    mus_mesh_destroy(mesh);
    mus_point_cache_destroy(&cache);
}

/* ---- Files that cannot be written ---- */

/* What stood under the name is still there, and nothing else came. */
static void expect_untouched(const mus_mesh *mesh, const char *name, mus_status wanted, const char *reason) {
    const char *path = file_of(name, "precious");
    int before = files_in_folder();
    char message[600];
    assert_int_equal(mus_mesh_save(mesh, path), wanted);
    snprintf(message, sizeof message, "%s: cannot be written: %s", path, reason);
    assert_string_equal(mus_get_error_message(), message);
    size_t size;
    char *text = slurp(path, &size);
    assert_string_equal(text, "precious");
    free(text);
    assert_int_equal(files_in_folder(), before);
}

/* Files of this process may not grow beyond some bytes: what a full disk does, in the middle of the file or at its end.
 */
static void size_limit(void **state) {
    (void)state;
    const double center[3] = {0, 0, 0};
    mus_mesh *mesh;
    assert_int_equal(mus_mesh_create_sphere(1, 4, center, &mesh), MUS_STATUS_OK);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit old, limit;
    getrlimit(RLIMIT_FSIZE, &old);
    const rlim_t limits[] = {8, 1000, 70000, 200000};
    const char *names[] = {"full.obj", "full.ply", "full.stl"};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(mus_mesh_save(mesh, path_of(names[i])), MUS_STATUS_OK);
        struct stat info;
        stat(path_of(names[i]), &info);
        for (int k = 0; k < 5; k++) {
            limit = old;
            limit.rlim_cur = k < 4 ? limits[k] : (rlim_t)info.st_size - 1;
            if ((rlim_t)info.st_size <= limit.rlim_cur) continue;
            setrlimit(RLIMIT_FSIZE, &limit);
            expect_untouched(mesh, names[i], MUS_STATUS_IO, "File too large");
            setrlimit(RLIMIT_FSIZE, &old);
        }
    }
    mus_mesh_destroy(mesh);
}

/* Also after a failure, or the mount would outlive the test. */
static int unmount(void **state) {
    (void)state;
    umount2(path_of("tiny"), MNT_DETACH);
    rmdir(path_of("tiny"));
    return 0;
}

static void disk_full(void **state) {
    (void)state;
    char place[600];
    snprintf(place, sizeof place, "%s", path_of("tiny"));
    assert_int_equal(mkdir(place, 0700), 0);
    if (mount("tmpfs", place, "tmpfs", 0, "size=64k") != 0) {
        print_message("# a small tmpfs cannot be mounted: passed over\n");
        return;
    }
    const double center[3] = {0, 0, 0};
    mus_mesh *mesh;
    assert_int_equal(mus_mesh_create_sphere(1, 4, center, &mesh), MUS_STATUS_OK);
    expect_untouched(mesh, "tiny/a.obj", MUS_STATUS_IO, "No space left on device");
    DIR *dir = opendir(place);
    int count = 0;
    while (readdir(dir)) count++;
    closedir(dir);
    assert_int_equal(count, 3); /* . and .. and a.obj */
    mus_mesh_destroy(mesh);
}

static void unwritable(void **state) {
    (void)state;
    mus_mesh *mesh = awkward_mesh(false);
    assert_int_equal(mus_mesh_save(mesh, path_of("no/such/folder.obj")), MUS_STATUS_NOT_FOUND);
    assert_non_null(strstr(mus_get_error_message(), "folder.obj: cannot be written: No such file or directory"));
    assert_int_equal(mus_mesh_save(mesh, path_of("a.fbx")), MUS_STATUS_INVALID);
    assert_non_null(
        strstr(mus_get_error_message(), "the extension must be .obj, .ply, .stl, .vtp or .usda (got 'fbx')"));
    assert_int_equal(mkdir(path_of("f.obj"), 0500), 0);
    assert_int_equal(mus_mesh_save(mesh, path_of("f.obj")), MUS_STATUS_IO);
    assert_non_null(strstr(mus_get_error_message(), "f.obj: cannot be written: it is a folder, not a regular file"));
    if (geteuid() != 0) {
        assert_int_equal(mus_mesh_save(mesh, path_of("f.obj/a.obj")), MUS_STATUS_IO);
        assert_non_null(strstr(mus_get_error_message(), "cannot be written: Permission denied"));
    } else if (access("/proc/version", R_OK) == 0) /* where not even the superuser may make files */
        assert_int_not_equal(mus_mesh_save(mesh, "/proc/a.obj"), MUS_STATUS_OK);
    rmdir(path_of("f.obj"));
    assert_int_equal(mkfifo(path_of("pipe.obj"), 0600), 0);
    assert_int_equal(mus_mesh_save(mesh, path_of("pipe.obj")), MUS_STATUS_IO);
    assert_non_null(strstr(mus_get_error_message(), "it is a special file, not a regular file"));
    unlink(path_of("pipe.obj"));
    mus_mesh_get_vertices(mesh)[4] = -NAN;
    int before = files_in_folder();
    assert_int_equal(mus_mesh_save(mesh, path_of("n.obj")), MUS_STATUS_INVALID);
    assert_non_null(strstr(mus_get_error_message(), "n.obj: vertex 2 must be finite (got not a number)"));
    assert_int_equal(files_in_folder(), before);
    mus_mesh_destroy(mesh);

    /* A name as long as the file system allows can be written, and written again; permissions follow the umask. */
    mesh = awkward_mesh(true);
    char name[256];
    memset(name, 'x', 251);
    memcpy(name + 251, ".obj", 5);
    mode_t mask = umask(027);
    for (int i = 0; i < 2; i++) assert_int_equal(mus_mesh_save(mesh, path_of(name)), MUS_STATUS_OK);
    umask(mask);
    struct stat info;
    assert_int_equal(stat(path_of(name), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    mus_mesh_destroy(mesh);
}

/* In a locale with a decimal comma, files have points. */
static void locales(void **state) {
    (void)state;
    const char *names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "nl_NL.UTF-8", "pt_BR.UTF-8"};
    bool found = false;
    for (int i = 0; i < 5 && !found; i++) found = setlocale(LC_ALL, names[i]) != NULL;
    if (!found) {
        print_message("# no locale with a decimal comma is installed: passed over\n");
        return;
    }
    mus_mesh *mesh = awkward_mesh(true), *back;
    assert_int_equal(mus_mesh_save(mesh, path_of("l.obj")), MUS_STATUS_OK);
    back = load(path_of("l.obj"));
    expect_same(back, mesh);
    char text[8];
    snprintf(text, sizeof text, "%.1f", 0.5);
    assert_string_equal(text, "0,5"); /* the program's own locale is as it was */
    setlocale(LC_ALL, "C");
    mus_mesh_destroy(back);
    mus_mesh_destroy(mesh);
}

/* ---- Every allocation fails once ---- */

static const char *const loaded[] = {"m.obj", "m.ply", "m.stl", "ascii.ply", "parts.obj", "c.pc2"};
enum { LOADS = sizeof loaded / sizeof *loaded, JOBS = LOADS + 7 };

/* Two parts with equal names, one of them with groups and late. */
static mus_status save_alembic(void) {
    static const double uvs[] = {0, 0, 1, 0, 0, 1};
    static const mus_mesh_group groups[] = {{"g/1", 1}, {"g_1", 0}};
    int64_t frames = 2;
    mus_part parts[] = {part_of("cloth:a/b", NULL, sheet_faces, 3, 1), part_of("cloth:a_b", NULL, sheet_faces, 3, 1)};
    const mus_part_frames ranges[] = {{0, 2, true}, {1, 1, false}};
    parts[1].uvs = uvs, parts[1].uv_faces = sheet_faces, parts[1].uv_count = 3;
    parts[1].groups = groups, parts[1].group_count = 2;
    mus_parts_animation a = mus_parts_animation_default();
    a.frame_count = 2, a.parts = parts, a.part_count = 2, a.frames = ranges, a.read = read_sheet, a.user = &frames;
    return mus_parts_save_animation(&a, path_of("s.abc"));
}

static mus_status do_job(int job, const mus_mesh *mesh, const mus_point_cache *cache) {
    mus_mesh *made = NULL;
    mus_parts *parts = NULL;
    mus_point_cache read = {.positions = NULL};
    mus_status status;
    const mus_part part = part_of("cloth:a", sheet, sheet_faces, 4, 1);
    if (job < LOADS - 2)
        status = mus_mesh_load(path_of(loaded[job]), NULL, &made);
    else if (job == LOADS - 2)
        status = mus_parts_load(path_of(loaded[job]), &parts);
    else if (job == LOADS - 1)
        status = mus_point_cache_load(path_of(loaded[job]), NULL, &read);
    else if (job < LOADS + 3) {
        static const char *const saved[] = {"s.obj", "s.ply", "s.stl"};
        status = mus_mesh_save(mesh, path_of(saved[job - LOADS]));
    } else if (job == LOADS + 3)
        status = mus_parts_save(&part, 1, path_of("s.obj"));
    else if (job == LOADS + 4)
        status = mus_point_cache_save(cache, path_of("s.pc2"));
    else if (job == LOADS + 5)
        status = save_alembic();
    else
        status = mus_parts_load(path_of("m.stl"), &parts);
    if (status != MUS_STATUS_OK) assert_true(!made && !parts && !read.positions);
    mus_mesh_destroy(made);
    mus_parts_destroy(parts);
    mus_point_cache_destroy(&read);
    return status;
}

static void failing_allocations(void **state) {
    (void)state;
    mus_mesh *mesh = awkward_mesh(true);
    double positions[9] = {0};
    const mus_point_cache cache = {positions, 3, 1, 0, 1};
    file_of("m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\ng a\nf 1/1 2/1 3/1\ng b\nf 1/1 2/1 4/1\n");
    file_of("ascii.ply",
            "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
            "property float s\nproperty float t\nelement face 1\nproperty list uchar int vertex_index\n"
            "end_header\n0 0 0 1 1\n1 0 0 1 1\n0 1 0 1 1\n3 0 1 2\n");
    file_of("parts.obj", "o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\no b\nf 1 2 4");
    assert_int_equal(mus_mesh_save(mesh, path_of("m.ply")), MUS_STATUS_OK);
    assert_int_equal(mus_mesh_save(mesh, path_of("m.stl")), MUS_STATUS_OK);
    assert_int_equal(mus_point_cache_save(&cache, path_of("c.pc2")), MUS_STATUS_OK);
    int files = files_in_folder() + 5; /* s.obj, s.ply, s.stl, s.pc2, s.abc */
    mus_mesh_destroy(mesh);
    for (int job = 0; job < JOBS; job++)
        for (int64_t fail_at = 1;; fail_at++) {
            mesh = awkward_mesh(true);
            scarce memory = {.fail_at = fail_at, .shrinking = true};
            mus_set_allocator(scarce_alloc, &memory);
            mus_status status = do_job(job, mesh, &cache);
            bool reached = memory.count >= fail_at;
            mus_set_allocator(NULL, NULL);
            mus_mesh_destroy(mesh);
            assert_int_equal(memory.blocks, 0);
            assert_int_equal(status, reached ? MUS_STATUS_NO_MEMORY : MUS_STATUS_OK);
            if (reached) continue;
            assert_true(fail_at > 2);
            break;
        }
    assert_int_equal(files_in_folder(), files);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(materials),           cmocka_unit_test(parts_round_trip),
        cmocka_unit_test(parts_of_others),     cmocka_unit_test(parts_refused),
        cmocka_unit_test(fields_refused),      cmocka_unit_test(animation),
        cmocka_unit_test(point_cache),         cmocka_unit_test(real_point_cache),
        cmocka_unit_test(size_limit),          cmocka_unit_test_teardown(disk_full, unmount),
        cmocka_unit_test(unwritable),          cmocka_unit_test(locales),
        cmocka_unit_test(failing_allocations),
    };
    return cmocka_run_group_tests_name("files", tests, make_folder, remove_folder);
}
