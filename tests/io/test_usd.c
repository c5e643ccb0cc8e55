/* test_usd.c: layers of USD in text: meshes in their places, cloths, seams, and what is refused. */
#include "../base/scarce.h"
#include "io_kit.h"
#include "usd_seed.h"

static char text[sizeof usd_seed + 512];

/* Writes the seed with the first `from` replaced by `to`; `from` NULL: as it is. */
static const char *seed_with(const char *name, const char *from, const char *to) {
    strcpy(text, usd_seed);
    if (from) {
        char *at = strstr(text, from);
        if (!at) fail_msg("the seed is without '%s'", from);
        memmove(at + strlen(to), at + strlen(from), strlen(at + strlen(from)) + 1);
        memcpy(at, to, strlen(to));
    }
    return file_of(name, text);
}

static mus_usd *load_stage(const char *path) {
    mus_usd *usd;
    if (mus_usd_load(path, NULL, &usd) != MUS_STATUS_OK) fail_msg("%s", mus_get_error_message());
    return usd;
}

static void expect_point(const double *got, double x, double y, double z) {
    const double wanted[3] = {x, y, z};
    for (int k = 0; k < 3; k++)
        if (!(fabs(got[k] - wanted[k]) < 1e-12))
            fail_msg("{%g, %g, %g} instead of {%g, %g, %g}", got[0], got[1], got[2], x, y, z);
}

/* (x, y, z) cm, z up, is (x, z, -y) / 100. The sheet is turned about z, then moved up; the block turns by 180 degrees
 * about z, doubles, and both about (1, 0, 0). */
static void places(void **state) {
    (void)state;
    mus_usd *usd = load_stage(seed_with("a.usda", NULL, NULL));
    int32_t count;
    const mus_usd_mesh *m = mus_usd_get_meshes(usd, &count);
    assert_int_equal(count, 2);
    const double *x = mus_mesh_get_vertices_const(m[0].mesh);
    assert_string_equal(m[0].name, "sheet");
    assert_string_equal(m[0].path, "/World/sheet");
    assert_int_equal(mus_mesh_get_vertex_count(m[0].mesh), 6);
    expect_point(x, 0, 0.5, 0);
    expect_point(x + 3 * 2, 0, 0.5, -0.2);
    expect_point(x + 3 * 3, -0.1, 0.5, 0);
    x = mus_mesh_get_vertices_const(m[1].mesh);
    assert_string_equal(m[1].path, "/World/solids/block");
    expect_point(x, 0.03, 0, 0);
    expect_point(x + 3 * 1, 0.01, 0, 0);
    expect_point(x + 3 * 2, 0.01, 0, 0.02);
    assert_int_equal(mus_mesh_get_face_count(m[1].mesh), 2);
    assert_true(m[0].is_cloth && !m[0].is_collider && !m[1].is_cloth && m[1].is_collider);
    mus_usd_destroy(usd);
}

static void cloths(void **state) {
    (void)state;
    mus_usd *usd = load_stage(seed_with("a.usda", NULL, NULL));
    int32_t count, groups;
    const mus_usd_mesh *m = mus_usd_get_meshes(usd, &count);
    /* left-handed: corners are turned, those at rest and of textures with them */
    const int32_t faces[] = {4, 1, 0, 3, 4, 0, 5, 2, 1, 4, 5, 1};
    assert_memory_equal(mus_mesh_get_faces(m->mesh), faces, sizeof faces);
    assert_memory_equal(m->rest_faces, faces, sizeof faces);
    const int32_t uv_faces[] = {2, 1, 0, 3, 2, 0, 2, 1, 0, 3, 2, 0};
    assert_memory_equal(mus_mesh_get_uv_faces(m->mesh), uv_faces, sizeof uv_faces);
    const mus_mesh_group *group = mus_mesh_get_groups(m->mesh, &groups);
    assert_int_equal(groups, 2);
    assert_string_equal(group[1].name, "right");
    assert_int_equal(group[1].face_count, 2);
    assert_int_equal(m->rest_point_count, 6);
    double along = 0;
    for (int k = 0; k < 3; k++)
        along += (m->rest_points[3 + k] - m->rest_points[k]) * (m->rest_points[3 + k] - m->rest_points[k]);
    assert_true(fabs(sqrt(along) - 0.2) < 1e-12);
    assert_int_equal(m->fold_count, 1);
    assert_true(m->folds[0] == 0 && m->folds[1] == 3 && fabs(m->angles[0] + 3.14159265358979323846 / 6) < 1e-12);
    /* thickness 0.1 cm; density 0.0002 kg/cm^3 = 200 kg/m^3; modulus 10000 kg/(cm s^2) = 1e6 Pa, Poisson's ratio 0 */
    assert_true(fabs(m->thickness - 1e-3) < 1e-15 && fabs(m->density - 0.2) < 1e-12);
    assert_true(fabs(m->stretch_stiffness - 1000) < 1e-9 && fabs(m->shear_stiffness - 500) < 1e-9);
    assert_true(fabs(m->bend_stiffness - 1e6 * 1e-9 / 12) < 1e-15);
    assert_true(m->friction > 0.39 && isnan(m->restitution) && !m->is_bent && m->constant_count == 0);
    const mus_usd_seam *seam = mus_usd_get_seams(usd, &count);
    assert_int_equal(count, 1);
    assert_int_equal(seam->pair_count, 2);
    const int32_t pairs[] = {0, 2, 3, 5};
    assert_memory_equal(seam->pairs, pairs, sizeof pairs);
    assert_true(seam->mesh[0] == 0 && seam->mesh[1] == 0 && seam->stiffness > 6.9);
    mus_usd_destroy(usd);
}

/* As one mesh: texture coordinates are left out, since not all parts have them. */
static void as_one_mesh(void **state) {
    (void)state;
    mus_mesh *mesh = load(seed_with("a.usda", NULL, NULL));
    int32_t groups;
    const mus_mesh_group *group = mus_mesh_get_groups(mesh, &groups);
    assert_int_equal(mus_mesh_get_vertex_count(mesh), 10);
    assert_int_equal(mus_mesh_get_face_count(mesh), 6);
    assert_null(mus_mesh_get_uvs(mesh));
    assert_int_equal(groups, 2);
    assert_string_equal(group[0].name, "sheet");
    expect_point(mus_mesh_get_vertices_const(mesh) + 3 * 6, 0.03, 0, 0);
    mus_mesh_destroy(mesh);
    mus_load_options options = mus_load_options_default();
    mus_usd *usd;
    options.scale = 10;
    int32_t count;
    assert_int_equal(mus_usd_load(path_of("a.usda"), &options, &usd), MUS_STATUS_OK);
    const mus_usd_mesh *m = mus_usd_get_meshes(usd, &count);
    expect_point(mus_mesh_get_vertices_const(m->mesh), 0, 5, 0);
    mus_usd_destroy(usd);
}

/* Codes 0 to 4 at 24 a second: the points go up by 1 cm until code 2 and stay, the parent moves by 10 cm along x. */
static const char motion[] =
    "#usda 1.0\n( metersPerUnit = 0.01 upAxis = \"Y\" timeCodesPerSecond = 24 )\n"
    "def Xform \"root\" {\n    double3 xformOp:translate.timeSamples = { 0: (0, 0, 0), 4: (10, 0, 0), }\n"
    "    uniform token[] xformOpOrder = [\"xformOp:translate\"]\n"
    "    def Mesh \"flap\" {\n        int[] faceVertexCounts = [3]\n        int[] faceVertexIndices = [0, 1, 2]\n"
    "        point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 0, 1)]\n"
    "        point3f[] points.timeSamples = { 0: [(0, 0, 0), (1, 0, 0), (0, 0, 1)], 2: [(0, 1, 0), (1, 1, 0), (0, 1, "
    "1)] }\n    }\n"
    "    def Mesh \"still\" {\n        int[] faceVertexCounts = [3]\n        int[] faceVertexIndices = [0, 1, 2]\n"
    "        uniform token[] xformOpOrder = [\"!resetXformStack!\"]\n"
    "        point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 0, 1)]\n    }\n}\n";

static void time_samples(void **state) {
    (void)state;
    mus_point_cache cache;
    const char *path = file_of("m.usda", motion);
    assert_int_equal(mus_point_cache_sample(path, NULL, 24, &cache), MUS_STATUS_OK);
    assert_true(cache.vertex_count == 6 && cache.frame_count == 5 && cache.sample_rate == 1);
    expect_point(cache.positions + 18, 0.025, 0.005, 0);
    expect_point(cache.positions + 18 * 3 + 3, 0.085, 0.01, 0);
    expect_point(cache.positions + 18 * 4 + 9, 0, 0, 0);
    mus_point_cache_destroy(&cache);
    assert_int_equal(mus_point_cache_sample(path, "/root/flap", 7, &cache), MUS_STATUS_OK);
    assert_true(cache.vertex_count == 3 && cache.frame_count == 2); /* 1/6 s, about 7 times a second */
    assert_true(fabs(cache.sample_rate - 7.0 / 6) < 1e-12);
    expect_point(cache.positions + 9, 0.1, 0.01, 0);
    mus_point_cache_destroy(&cache);
    assert_int_equal(mus_point_cache_sample(path, "flip", 24, &cache), MUS_STATUS_INVALID);
    assert_non_null(strstr(mus_get_error_message(), "has no mesh 'flip'; give the name or the path of a prim"));
    assert_int_equal(mus_point_cache_sample(path, "still", 24, &cache), MUS_STATUS_FORMAT);
    assert_non_null(strstr(mus_get_error_message(), "mesh 'still' has no time samples of points or transforms"));
    assert_int_equal(mus_point_cache_sample(path, NULL, 1e9, &cache), MUS_STATUS_INVALID);
    assert_non_null(strstr(mus_get_error_message(), "vertices are too many; the motion has 0.166667 s"));
    static const char *const wrong[][3] = {
        {"(0, 1, 1)]", "(0, 1, 1), (0, 0, 0)]", "the number of 'points' changes at time code 2"},
        {"4: (10, 0, 0)", "-4: (10, 0, 0)", "time samples must be in the order of their times"},
        {"4: (10, 0, 0)", "four: (10, 0, 0)", "a time sample needs its time"},
        {"4: (10, 0, 0)", "4: (10, 0)", "has an operation 'xformOp:translate'"},
        {"4: (10, 0, 0)", "4: (inf, 0, 0)", "the transform of prim 'root' is not finite"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        strcpy(text, motion);
        char *at = strstr(text, wrong[k][0]);
        assert_non_null(at);
        memmove(at + strlen(wrong[k][1]), at + strlen(wrong[k][0]), strlen(at + strlen(wrong[k][0])) + 1);
        memcpy(at, wrong[k][1], strlen(wrong[k][1]));
        assert_int_equal(mus_point_cache_sample(file_of("w.usda", text), NULL, 24, &cache), MUS_STATUS_FORMAT);
        if (!strstr(mus_get_error_message(), wrong[k][2])) fail_msg("%s", mus_get_error_message());
        assert_null(cache.positions);
    }
}

static void refuse_stage(const char *from, const char *to, const char *reason) {
    const char *path = seed_with("b.usda", from, to);
    mus_usd *usd = NULL;
    mus_status status = mus_usd_load(path, NULL, &usd);
    if (status != MUS_STATUS_FORMAT) fail_msg("'%s' as '%s': status %d", from, to, (int)status);
    if (!strstr(mus_get_error_message(), reason)) fail_msg("'%s' instead of '%s'", mus_get_error_message(), reason);
    assert_null(usd);
}

static void what_is_refused(void **state) {
    (void)state;
    static const char *const cases[][3] = {
        {"#usda", "#uxda", ":1: a layer in text begins with #usda 1.0"},
        {"    defaultPrim = \"World\"", "    subLayers = [@a.usda@]", ":5: 'subLayers' composes layers"},
        {"(kind = \"group\")", "(references = @a.usda@</b>)", "'references' composes layers, which is not done here"},
        {"(kind = \"group\")", "(prepend payload = @a.usda@)", "'payload' composes layers"},
        {"class \"prototype\" {", "variantSet \"v\" = {", "'variantSet' composes layers"},
        {"metersPerUnit = 0.01", "metersPerUnit = 0", "metersPerUnit and kilogramsPerUnit must be > 0"},
        {"upAxis = \"Z\"", "upAxis = \"X\"", "upAxis must be \"Y\" or \"Z\""},
        {"[3, 3, 3, 3]", "[3, 3, 3, 2]", "a face needs 3 corners or more"},
        {"[3, 3, 3, 3]", "[3, 3, 3, 4]", "all of them in 'faceVertexIndices'"},
        {"[3, 3, 3, 3]", "[3, 3, 3]", "has more corners than"},
        {"1, 5, 4]\n", "1, 5, 6]\n", "a face refers to a point that does not exist"},
        {"1, 5, 4]\n", "1, 5, 4.5]\n", "a face refers to a point that does not exist"},
        {"0, 1, 2, 0, 2, 3]\n", "0, 1, 2, 0, 2, 9]\n", "a texture coordinate that does not exist"},
        {"(20, 10, 0)],\n", "(20, 10, inf)],\n", "a point is not finite"},
        {"(20, 10, 0)],\n", "(20, 10)],\n", "needs 'points', three numbers for each"},
        {"(1, 5, 4)]\n", "(1, 5, 7)]\n", "'restTriVtxIndices' refers to a point that does not exist"},
        {"(1, 5, 4)]\n", "(1, 5, 3.5)]\n", "'restTriVtxIndices' refers to a point that does not exist"},
        {"(1, 5, 4)]\n", "]\n", "'restTriVtxIndices' needs a triangle for each face"},
        {"[(0, 3)]", "[(0, 4)]", "'restAdjTriPairs' refers to a face that does not exist"},
        {"[(0, 3)]", "[(0, 3), (1, 2)]", "a pair of faces for each angle"},
        {"= [30]", "= [300]", "is not within +-180 degrees"},
        {"int[] physics:indices0 = [0, 3]", "int[] physics:indices0 = [0]", "as many points of one mesh"},
        {"int[] physics:indices0 = [0, 3]", "int[] physics:indices0 = [0, 6]", "refers to a point that does not exist"},
        {"\"xformOp:rotateXYZ\"]", "\"xformOp:rotateABC\"]", "has an operation 'xformOp:rotateABC' without a value"},
        {"(0, 0, 0, 1)", "(0, 0, 0, 0)", "has an operation 'xformOp:orient'"},
        {"(0, 0, 90)", "(0, 0, \"a\")", "has an operation 'xformOp:rotateXYZ'"},
        {"upAxis = \"Z\"", "upAxis = \"Z", "a string does not end"},
        {"rel physics:src0 = </World/sheet>", "rel physics:src0 = </World/sheet", "a path does not end with >"},
        {"@./a.png@", "@./a.png", "an asset does not end with @"},
        {"= [30]", "= [30", "a list does not end with ]"},
        {"= [30]", "= thirty", "a value is expected"},
        {"def Xform", "Xform", "a prim (def, over or class) is expected"},
        {"dictionary d = {", "dictionary d {", "a dictionary needs"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) refuse_stage(cases[k][0], cases[k][1], cases[k][2]);
    file_of("c.usda", "PXR-USDC");
    mus_usd *usd;
    assert_int_equal(mus_usd_load(path_of("c.usda"), NULL, &usd), MUS_STATUS_FORMAT);
    assert_non_null(strstr(mus_get_error_message(), "it is a binary layer; convert it with usdcat"));
    file_of("d.usda", "#usda 1.0\ndef Xform \"a\" { }\n");
    assert_int_equal(mus_usd_load(path_of("d.usda"), NULL, &usd), MUS_STATUS_FORMAT);
    assert_non_null(strstr(mus_get_error_message(), "has no mesh with faces"));
    mus_mesh *mesh;
    assert_int_equal(mus_mesh_load("a.usdc", NULL, &mesh), MUS_STATUS_INVALID);
    assert_non_null(strstr(mus_get_error_message(), "usdcat FILE -o FILE.usda"));
    assert_int_equal(mus_mesh_load("a.abc", NULL, &mesh), MUS_STATUS_INVALID);
    assert_non_null(strstr(mus_get_error_message(), "export the mesh as .obj or .glb, and its motion as"));
    assert_int_equal(mus_usd_load(path_of("none.usda"), NULL, &usd), MUS_STATUS_NOT_FOUND);
}

/* Every file that ends early is refused or read; deep nesting too. */
static void cut_files(void **state) {
    (void)state;
    for (size_t size = 0; size < strlen(usd_seed); size += 3) {
        mus_usd *usd = NULL;
        mus_status status = mus_usd_load(file_of_bytes("cut.usda", usd_seed, size), NULL, &usd);
        assert_true(status == MUS_STATUS_FORMAT || (status == MUS_STATUS_OK && size + 3 > strlen(usd_seed)));
        mus_usd_destroy(usd);
    }
    static char deep[4096];
    for (int kind = 0; kind < 3; kind++) {
        static const char *const parts[] = {"[", "def \"a\" {", "{ int a = "};
        strcpy(deep, kind == 1 ? "#usda 1.0\n" : "#usda 1.0\ndef \"a\" { int[] b = ");
        for (int k = 0; k < 300; k++) strcat(deep, parts[kind]);
        mus_usd *usd;
        assert_int_equal(mus_usd_load(file_of("deep.usda", deep), NULL, &usd), MUS_STATUS_FORMAT);
        assert_non_null(strstr(mus_get_error_message(), "nested too deeply"));
    }
}

static void failing_allocations(void **state) {
    (void)state;
    seed_with("a.usda", NULL, NULL);
    file_of("m.usda", motion);
    for (int job = 0; job < 3; job++)
        for (int64_t fail_at = 1;; fail_at++) {
            scarce memory = {.fail_at = fail_at};
            mus_usd *usd = NULL;
            mus_mesh *mesh = NULL;
            mus_set_allocator(scarce_alloc, &memory);
            mus_point_cache cache = {.positions = NULL};
            mus_status status = job == 2 ? mus_point_cache_sample(path_of("m.usda"), NULL, 24, &cache)
                                : job    ? mus_mesh_load(path_of("a.usda"), NULL, &mesh)
                                         : mus_usd_load(path_of("a.usda"), NULL, &usd);
            bool reached = memory.count >= fail_at;
            if (reached) assert_true(!usd && !mesh && !cache.positions);
            mus_point_cache_destroy(&cache);
            mus_usd_destroy(usd);
            mus_mesh_destroy(mesh);
            mus_set_allocator(NULL, NULL);
            assert_int_equal(memory.blocks, 0);
            assert_int_equal(status, reached ? MUS_STATUS_NO_MEMORY : MUS_STATUS_OK);
            if (reached) continue;
            assert_true(fail_at > 20);
            break;
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places),
        cmocka_unit_test(cloths),
        cmocka_unit_test(as_one_mesh),
        cmocka_unit_test(time_samples),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(cut_files),
        cmocka_unit_test(failing_allocations),
    };
    return cmocka_run_group_tests_name("usd", tests, make_folder, remove_folder);
}
