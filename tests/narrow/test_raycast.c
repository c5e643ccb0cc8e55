/* test_raycast.c: segments against meshes: every face on its own, closed surfaces without gaps, limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/rng.h"
#include "base/vec.h"
#include "muslin.h"

static mus_rng rng;

static v3 random_v3(double s) {
    double x = mus_rng_between(&rng, -s, s), y = mus_rng_between(&rng, -s, s), z = mus_rng_between(&rng, -s, s);
    return v3_make(x, y, z);
}

static double cast(const mus_mesh *mesh, v3 from, v3 to, int32_t *face) {
    double a[3], b[3], fraction;
    v3_store(a, from), v3_store(b, to);
    assert_int_equal(mus_mesh_raycast(mesh, 1, a, b, &fraction, face), MUS_STATUS_OK);
    return fraction;
}

/* The least fraction over the faces, each as a mesh of its own. */
static double cast_by_faces(const mus_mesh *mesh, v3 from, v3 to) {
    const double *x = mus_mesh_get_vertices_const(mesh);
    const int32_t *faces = mus_mesh_get_faces(mesh), corners[3] = {0, 1, 2};
    double least = INFINITY;
    for (int32_t f = 0; f < mus_mesh_get_face_count(mesh); f++) {
        double vertices[9];
        for (int k = 0; k < 3; k++) v3_store(vertices + 3 * k, v3_load(x + 3 * (size_t)faces[3 * f + k]));
        mus_mesh_def def = mus_mesh_def_default();
        def.vertices = vertices, def.vertex_count = 3, def.faces = corners, def.face_count = 1;
        mus_mesh *one;
        assert_int_equal(mus_mesh_create(&def, &one), MUS_STATUS_OK);
        int32_t face;
        double fraction = cast(one, from, to, &face);
        assert_int_equal(face, isfinite(fraction) ? 0 : -1);
        if (fraction < least) least = fraction;
        mus_mesh_destroy(one);
    }
    return least;
}

static mus_mesh *sphere(int32_t subdivisions) {
    mus_mesh *mesh;
    assert_int_equal(mus_mesh_create_sphere(0.7, subdivisions, (double[3]){0.1, -0.2, 0.3}, &mesh), MUS_STATUS_OK);
    return mesh;
}

static void test_tree_finds_what_faces_find(void **state) {
    (void)state;
    rng = mus_rng_make(1, 0);
    mus_mesh *mesh = sphere(2);
    int hits = 0;
    for (int k = 0; k < 400; k++) {
        v3 from = random_v3(1), to = random_v3(1);
        int32_t face;
        double fraction = cast(mesh, from, to, &face);
        assert_true(fraction == cast_by_faces(mesh, from, to));
        if (face < 0) continue;
        hits++;
        /* the place lies on the sphere, but for the sagitta of a face */
        double r = v3_length(v3_sub(v3_lerp(from, to, fraction), v3_make(0.1, -0.2, 0.3)));
        assert_true(r > 0.66 && r < 0.7 + 1e-12);
    }
    assert_true(hits > 50 && hits < 350);
    mus_mesh_destroy(mesh);
}

/* From within, through every vertex and the middle of every edge, nothing gets out. */
static void test_closed_surface_has_no_gap(void **state) {
    (void)state;
    rng = mus_rng_make(2, 0);
    mus_mesh *mesh = sphere(3);
    const double *x = mus_mesh_get_vertices_const(mesh);
    const int32_t *faces = mus_mesh_get_faces(mesh);
    v3 center = v3_make(0.1, -0.2, 0.3);
    for (int32_t f = 0; f < mus_mesh_get_face_count(mesh); f++)
        for (int k = 0; k < 3; k++) {
            v3 a = v3_load(x + 3 * (size_t)faces[3 * f + k]);
            v3 b = v3_load(x + 3 * (size_t)faces[3 * f + (k + 1) % 3]);
            v3 from = v3_add(center, random_v3(0.2)), through = k == 0 ? a : v3_lerp(a, b, k == 1 ? 0.5 : 0.3);
            int32_t face;
            assert_true(cast(mesh, from, v3_lerp(from, through, 3), &face) < 0.5);
            assert_true(face >= 0);
        }
    mus_mesh_destroy(mesh);
}

static void test_nearest_face_and_ends(void **state) {
    (void)state;
    mus_mesh *box;
    assert_int_equal(mus_mesh_create_box((double[3]){2, 2, 2}, (double[3]){0, 0, 0}, &box), MUS_STATUS_OK);
    int32_t face;
    assert_true(cast(box, v3_make(3, 0.25, 0.5), v3_make(-5, 0.25, 0.5), &face) == 0.25);
    assert_true(cast(box, v3_make(0, 0.25, 0.5), v3_make(0.999, 0.25, 0.5), &face) == INFINITY);
    assert_int_equal(face, -1);
    assert_true(cast(box, v3_make(0, 0.25, 0.5), v3_make(1, 0.25, 0.5), &face) == 1); /* touches with its end */
    assert_true(cast(box, v3_make(1, 0.25, 0.5), v3_make(2, 0.25, 0.5), &face) == 0); /* and with its start */
    assert_true(cast(box, v3_make(1, 1, 1), v3_make(2, 2, 2), &face) == 0);           /* a corner */
    assert_true(cast(box, v3_make(-3, 1, 0.5), v3_make(3, 1, 0.5), &face) <
                0.4); /* within a face's plane: its border */
    assert_true(cast(box, v3_make(0, 0, 0), v3_make(0, 0, 0), &face) == INFINITY);
    for (int k = 0; k < 27; k++) { /* exactly through corners, edges, and the diagonals of sides */
        v3 to = v3_make(2 * (k % 3 - 1), 2 * (k / 3 % 3 - 1), 2 * (k / 9 - 1));
        if (k != 13) assert_true(cast(box, v3_make(0, 0, 0), to, &face) == 0.5);
    }
    mus_mesh_destroy(box);
}

/* Scales and distances at which fixed tolerances would fail. */
static void test_scales(void **state) {
    (void)state;
    rng = mus_rng_make(3, 0);
    for (int exponent = -6; exponent <= 4; exponent++) {
        double size = pow(10, exponent);
        for (int far = 0; far < 2; far++) {
            v3 center = v3_make(far ? 1000 * size : 0, far ? -3000 * size : 0, 0);
            double c[3];
            v3_store(c, center);
            mus_mesh *mesh;
            assert_int_equal(mus_mesh_create_sphere(size, 2, c, &mesh), MUS_STATUS_OK);
            for (int k = 0; k < 100; k++) {
                int32_t face;
                v3 along = v3_normalized(random_v3(1));
                double fraction = cast(mesh, center, v3_axpy(2 * size, along, center), &face);
                assert_true(fraction > 0.46 && fraction < 0.5 + 1e-9);
                fraction = cast(mesh, v3_axpy(2 * size, along, center), v3_axpy(1.001 * size, along, center), &face);
                assert_true(fraction == INFINITY);
            }
            mus_mesh_destroy(mesh);
        }
    }
}

static void test_refused(void **state) {
    (void)state;
    mus_mesh *mesh = sphere(1);
    double ends[6] = {0, 0, 0, 0, NAN, 0}, to[6] = {0}, fractions[2] = {-7, -7};
    assert_int_equal(mus_mesh_raycast(mesh, 2, ends, to, fractions, NULL), MUS_STATUS_INVALID);
    assert_non_null(strstr(mus_get_error_message(), "from [2]"));
    assert_int_equal(mus_mesh_raycast(mesh, 2, to, ends, fractions, NULL), MUS_STATUS_INVALID);
    assert_non_null(strstr(mus_get_error_message(), "to [2]"));
    ends[4] = 1e300;
    assert_int_equal(mus_mesh_raycast(mesh, 2, ends, to, fractions, NULL), MUS_STATUS_INVALID);
    mus_mesh_get_vertices(mesh)[5] = INFINITY;
    assert_int_equal(mus_mesh_raycast(mesh, 2, to, to, fractions, NULL), MUS_STATUS_INVALID);
    assert_non_null(strstr(mus_get_error_message(), "vertex 2"));
    assert_true(fractions[0] == -7 && fractions[1] == -7);
    mus_mesh_destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree_finds_what_faces_find),
        cmocka_unit_test(test_closed_surface_has_no_gap),
        cmocka_unit_test(test_nearest_face_and_ends),
        cmocka_unit_test(test_scales),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
