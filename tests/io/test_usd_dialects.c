/* test_usd_dialects.c: what layers of other programs have: mirrored places, turns over time, rates, switches, comments,
 * escapes, relative paths. */
#include "io_kit.h"
#include "muslin/usd.h"

#define SQUARE                                                                                                         \
    "int[] faceVertexCounts = [4]\nint[] faceVertexIndices = [0, 1, 2, 3]\n"                                           \
    "point3f[] points = [(0, 0, 0), (0, 0, 1), (1, 0, 1), (1, 0, 0)]\n"
#define LAYER "#usda 1.0\n( metersPerUnit = 1 )\n"

static mus_usd *stage_of(const char *text) {
    mus_usd *usd;
    if (mus_usd_load(file_of("d.usda", text), NULL, &usd) != MUS_STATUS_OK) fail_msg("%s", mus_get_error_message());
    return usd;
}

static const mus_usd_mesh *mesh_of(const mus_usd *usd, int32_t wanted) {
    int32_t count;
    const mus_usd_mesh *meshes = mus_usd_get_meshes(usd, &count);
    assert_int_equal(count, wanted);
    return meshes;
}

/* The y of the normal of a mesh's first face. */
static double up_of(const char *properties) {
    char text[2000];
    snprintf(text, sizeof text, LAYER "def Mesh \"a\" {\n" SQUARE "%s}\n", properties);
    mus_usd *usd = stage_of(text);
    const mus_mesh *mesh = mesh_of(usd, 1)->mesh;
    const int32_t *f = mus_mesh_get_faces(mesh);
    const double *x = mus_mesh_get_vertices_const(mesh), *p = x + 3 * f[0], *q = x + 3 * f[1], *r = x + 3 * f[2];
    double up = (q[2] - p[2]) * (r[0] - p[0]) - (q[0] - p[0]) * (r[2] - p[2]);
    mus_usd_destroy(usd);
    return up;
}

/* The outer side stays outside: of a square in the plane y = 0 that is mirrored within it. */
static void mirrored(void **state) {
    (void)state;
    static const char mirror[] =
        "float3 xformOp:scale = (-1, 1, 1)\nuniform token[] xformOpOrder = [\"xformOp:scale\"]\n";
    static const char left[] = "uniform token orientation = \"leftHanded\"\n";
    char both[400];
    snprintf(both, sizeof both, "%s%s", mirror, left);
    assert_true(up_of("") > 0.9);
    assert_true(up_of(mirror) > 0.9);
    assert_true(up_of(left) < -0.9);
    assert_true(up_of(both) < -0.9);
}

/* Two faces folded by 90 degrees keep the sign of their angle in a mirror. */
static void mirrored_fold(void **state) {
    (void)state;
    static const char fold[] =
        LAYER "def Mesh \"a\" ( prepend apiSchemas = [\"PhysicsSurfaceDeformableSimAPI\"] ) {\n"
              "int[] faceVertexCounts = [3, 3]\nint[] faceVertexIndices = [0, 1, 2, 1, 0, 3]\n"
              "point3f[] points = [(0, 0, 0), (0, 0, 1), (1, 0, 0.5), (0, 1, 0.5)]\n"
              "point3f[] physics:restShapePoints = [(0, 0, 0), (0, 0, 1), (1, 0, 0.5), (-1, 0, 0.5)]\n"
              "int3[] physics:restTriVtxIndices = [(0, 1, 2), (1, 0, 3)]\n"
              "int2[] physics:restAdjTriPairs = [(0, 1)]\nfloat[] physics:restBendAngles = [90]\n%s}\n";
    static const char *const places[] = {
        "", "float3 xformOp:scale = (1, 1, -1)\nuniform token[] xformOpOrder = [\"xformOp:scale\"]\n"};
    for (int k = 0; k < 2; k++) {
        char text[2000];
        snprintf(text, sizeof text, fold, places[k]);
        mus_usd *usd = stage_of(text);
        const mus_usd_mesh *m = mesh_of(usd, 1);
        mus_world_def def = mus_world_def_default();
        mus_world *world;
        assert_int_equal(mus_world_create(&def, &world), MUS_STATUS_OK);
        mus_cloth_def cloth = mus_cloth_def_default();
        cloth.mesh = m->mesh;
        mus_cloth_id id;
        assert_int_equal(mus_cloth_create(world, &cloth, &id), MUS_STATUS_OK);
        double now = NAN, rest;
        assert_int_equal(mus_cloth_get_fold_angle(world, id, m->folds[0], m->folds[1], &now, &rest), MUS_STATUS_OK);
        if (!(fabs(m->angles[0] - now) < 1e-6)) fail_msg("place %d: %g at rest, %g now", k, m->angles[0], now);
        mus_world_destroy(world);
        mus_usd_destroy(usd);
    }
}

/* x and z of the second vertex at a time code, of a square that turns by `samples` about y. */
static void turned_at(const char *samples, double code, double *x, double *z) {
    char text[2000];
    snprintf(text, sizeof text,
             "#usda 1.0\n( metersPerUnit = 1\nframesPerSecond = 24\n )\ndef Mesh \"a\" {\n" SQUARE
             "quatf xformOp:orient.timeSamples = {%s}\nuniform token[] xformOpOrder = [\"xformOp:orient\"]\n}\n",
             samples);
    mus_point_cache cache;
    if (mus_point_cache_sample(file_of("q.usda", text), NULL, 24, &cache) != MUS_STATUS_OK)
        fail_msg("%s", mus_get_error_message());
    assert_int_equal(cache.frame_count, 25);
    const double *p = cache.positions + 3 * (4 * (int64_t)code + 1);
    *x = p[0], *z = p[2];
    mus_point_cache_destroy(&cache);
}

/* On the shorter way, at a constant rate; a quaternion and its opposite are one rotation. */
static void turns(void **state) {
    (void)state;
    double x, z;
    for (int code = 0; code <= 24; code += 6) {
        double angle = 3.14159265358979 * code / 24;
        turned_at("0: (1, 0, 0, 0), 24: (0, 0, 1, 0)", code, &x, &z);
        if (!(fabs(x - sin(angle)) < 1e-9 && fabs(z - cos(angle)) < 1e-9)) fail_msg("code %d: %g, %g", code, x, z);
        turned_at("0:(1, 0, 0, 0), 24:(-1, 0, 0, 0)", code, &x, &z);
        assert_true(fabs(x) < 1e-12 && fabs(z - 1) < 1e-12);
        angle = 0.5 * angle; /* by 90 degrees, stated as 270 the other way */
        turned_at("0: (2, 0, 0, 0), 24: (-0.70710678118655, 0, -0.70710678118655, 0)", code, &x, &z);
        if (!(fabs(x - sin(angle)) < 1e-9 && fabs(z - cos(angle)) < 1e-9)) fail_msg("code %d: %g, %g", code, x, z);
    }
}

static double rate_of(const char *entries) {
    char text[2000];
    snprintf(text, sizeof text, "#usda 1.0\n( metersPerUnit = 1\n%s )\ndef Mesh \"a\" {\n" SQUARE "}\n", entries);
    mus_usd *usd = stage_of(text);
    double rate = mus_usd_get_fps(usd);
    mus_usd_destroy(usd);
    return rate;
}

static void rates(void **state) {
    (void)state;
    assert_true(rate_of("") == 24);
    assert_true(rate_of("framesPerSecond = 60\n") == 60);
    assert_true(rate_of("framesPerSecond = 60\ntimeCodesPerSecond = 48\n") == 48);
    assert_true(rate_of("timeCodesPerSecond = 48\nframesPerSecond = 60\n") == 48);
}

/* The height is the default value, whatever comes first; a range of one code is none. */
static void values_and_samples(void **state) {
    (void)state;
    static const char *const orders[] = {
        "double3 xformOp:translate = (0, 5, 0)\ndouble3 xformOp:translate.timeSamples = "
        "{0:(0, 1, 0), 24:(0, 2, 0)}\n",
        "double3 xformOp:translate.timeSamples = {0:(0, 1, 0), 24:(0, 2, 0)}\ndouble3 "
        "xformOp:translate = (0, 5, 0)\n"};
    for (int k = 0; k < 2; k++) {
        char text[2000];
        snprintf(text, sizeof text,
                 "#usda 1.0\n( metersPerUnit = 1\nstartTimeCode = 0\nendTimeCode = 0 )\ndef Mesh \"a\" {\n" SQUARE
                 "%suniform token[] xformOpOrder = [\"xformOp:translate\"]\n}\n",
                 orders[k]);
        mus_usd *usd = stage_of(text);
        const mus_usd_mesh *m = mesh_of(usd, 1);
        assert_true(m->moves && mus_mesh_get_vertices_const(m->mesh)[1] == 5);
        mus_usd_destroy(usd);
        mus_point_cache cache;
        assert_int_equal(mus_point_cache_sample(file_of("v.usda", text), NULL, 24, &cache), MUS_STATUS_OK);
        assert_true(cache.frame_count == 25 && cache.positions[3 * 4 * 12 + 1] == 1.5);
        mus_point_cache_destroy(&cache);
    }
}

static void switches(void **state) {
    (void)state;
    static const struct {
        const char *schema, *property;
        bool collides;
    } cases[] = {{"prepend apiSchemas = [\"PhysicsCollisionAPI\"]", "", true},
                 {"prepend apiSchemas = [\"PhysicsCollisionAPI\"]", "bool physics:collisionEnabled = 1\n", true},
                 {"prepend apiSchemas = [\"PhysicsCollisionAPI\"]", "bool physics:collisionEnabled = 0\n", false},
                 {"delete apiSchemas = [\"PhysicsCollisionAPI\"]", "", false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[2000];
        snprintf(text, sizeof text, LAYER "def Mesh \"a\" ( %s ) {\n" SQUARE "%s}\n", cases[k].schema,
                 cases[k].property);
        mus_usd *usd = stage_of(text);
        assert_int_equal(mesh_of(usd, 1)->is_collider, cases[k].collides);
        mus_usd_destroy(usd);
    }
}

/* Stiffnesses of 0 beside a modulus are not given, nor is a density of 0; the material is bound by a relative path. */
static void zero_is_not_given(void **state) {
    (void)state;
    static const char layer[] = LAYER
        "def Xform \"w\" {\ndef Mesh \"a\" ( prepend apiSchemas = [\"PhysicsSurfaceDeformableSimAPI\"] ) {\n" SQUARE
        "rel material:binding:physics = <../m>\n}\ndef Material \"m\" {\nfloat physics:surfaceThickness = 0.001\n"
        "float physics:density = 0\nfloat physics:surfaceStretchStiffness = 0\n%s}\n}\n";
    char text[2000];
    snprintf(text, sizeof text, layer, "float physics:youngsModulus = 1e6\nfloat physics:poissonsRatio = 0\n");
    mus_usd *usd = stage_of(text);
    const mus_usd_mesh *m = mesh_of(usd, 1);
    assert_true(isnan(m->density) && fabs(m->stretch_stiffness - 1000) < 1e-9);
    mus_usd_destroy(usd);
    snprintf(text, sizeof text, layer, "");
    usd = stage_of(text);
    m = mesh_of(usd, 1);
    assert_true(m->stretch_stiffness == 0 && m->thickness == 0.001);
    mus_usd_destroy(usd);
}

static void texts(void **state) {
    (void)state;
    mus_usd *usd =
        stage_of(LAYER "// a line\n/* a comment\n of \"two\" lines **/\n/*/ not its end */\n"
                       "def Mesh \"empty\" {\n}\n"
                       "def Mesh \"a\" {\ncustom string muslin:name = \"tab\\tx\\x41\\\"\\\\q\\x4\"\n" SQUARE "}\n");
    const mus_usd_mesh *m = mesh_of(usd, 1);
    assert_string_equal(m->name, "tab\txA\"\\qx4");
    mus_usd_destroy(usd);
    mus_usd *none;
    static const char bad[] =
        LAYER "def Mesh \"a\" {\n" SQUARE
              "texCoord2f[] primvars:st = [(0, 0), (nan, 0), (1, 1), (0, 1)] ( interpolation = \"vertex\" )\n}\n";
    assert_int_equal(mus_usd_load(file_of("e.usda", bad), NULL, &none), MUS_STATUS_FORMAT);
    if (!strstr(mus_get_error_message(), "e.usda:3: mesh 'a': ")) fail_msg("%s", mus_get_error_message());
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(mirrored),
                                       cmocka_unit_test(mirrored_fold),
                                       cmocka_unit_test(turns),
                                       cmocka_unit_test(rates),
                                       cmocka_unit_test(values_and_samples),
                                       cmocka_unit_test(switches),
                                       cmocka_unit_test(zero_is_not_given),
                                       cmocka_unit_test(texts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
