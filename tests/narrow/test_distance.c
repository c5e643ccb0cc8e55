/* test_distance.c: nearest points against dense search, optimality conditions and degenerate shapes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "mesh/distance.h"
#include "muslin.h"

static mus_rng rng;

static double between(double a, double b) {
    return mus_rng_between(&rng, a, b);
}
static v3 random_v3(double s) {
    double x = between(-s, s), y = between(-s, s), z = between(-s, s);
    return v3_make(x, y, z);
}

/* d is right when it is the vector between the points that the weights name and no point of the face is nearer: for a
 * convex set, d.(q - nearest) <= 0 for every corner q. */
static void check_vf(v3 p, v3 a, v3 b, v3 c, double slack) {
    double w[3];
    v3 d = mus_nearest_vertex_face(p, a, b, c, w);
    for (int k = 0; k < 3; k++) assert_true(w[k] >= 0 && w[k] <= 1);
    assert_true(fabs(w[0] + w[1] + w[2] - 1) < 1e-14);
    v3 q = v3_add(v3_add(v3_scale(w[0], a), v3_scale(w[1], b)), v3_scale(w[2], c));
    double size = fmax(v3_length(v3_sub(p, a)), fmax(v3_length(v3_sub(p, b)), v3_length(v3_sub(p, c))));
    double place = v3_max_abs(p) + size;
    assert_true(v3_length(v3_sub(v3_sub(p, q), d)) <= slack * size + 1e-15 * place);
    double distance = v3_length(d);
    v3 corners[3] = {a, b, c};
    for (int k = 0; k < 3; k++) {
        /* distance to the corner's direction: least over the face >= reach - slack */
        double along = v3_dot(d, v3_sub(p, corners[k]));
        assert_true(along >= distance * distance - slack * size * (distance + slack * size));
    }
}

static void check_ee(v3 a0, v3 a1, v3 b0, v3 b1, double slack) {
    double w[2];
    v3 d = mus_nearest_edge_edge(a0, a1, b0, b1, w);
    for (int k = 0; k < 2; k++) assert_true(w[k] >= 0 && w[k] <= 1);
    v3 p = v3_lerp(a0, a1, w[0]), q = v3_lerp(b0, b1, w[1]);
    double size = fmax(fmax(v3_length(v3_sub(b0, a0)), v3_length(v3_sub(b1, a0))),
                       fmax(v3_length(v3_sub(b0, a1)), v3_length(v3_sub(b1, a1))));
    double place = v3_max_abs(a0) + size;
    assert_true(v3_length(v3_sub(v3_sub(q, p), d)) <= slack * size + 1e-15 * place);
    double distance = v3_length(d);
    v3 a[2] = {a0, a1}, b[2] = {b0, b1};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            double along = v3_dot(d, v3_sub(b[j], a[i]));
            assert_true(along >= distance * distance - slack * size * (distance + slack * size));
        }
}

static void test_random(void **state) {
    (void)state;
    rng = mus_rng_make(1, 0);
    for (int i = 0; i < 200000; i++) {
        v3 p = random_v3(1), a = random_v3(1), b = random_v3(1), c = random_v3(1);
        check_vf(p, a, b, c, 1e-7);
        check_ee(p, a, b, c, 1e-7);
    }
}

static void test_far_from_origin(void **state) {
    (void)state;
    rng = mus_rng_make(2, 0);
    for (int i = 0; i < 20000; i++) {
        v3 o = random_v3(1e6);
        v3 p = v3_add(o, random_v3(1)), a = v3_add(o, random_v3(1)), b = v3_add(o, random_v3(1));
        v3 c = v3_add(o, random_v3(1));
        check_vf(p, a, b, c, 1e-7);
        check_ee(p, a, b, c, 1e-7);
    }
}

/* Thin faces, repeated corners, parallel, collinear and zero-length edges, at many scales. */
static void test_degenerate(void **state) {
    (void)state;
    rng = mus_rng_make(3, 0);
    for (int i = 0; i < 100000; i++) {
        double scale = ldexp(1, (int)mus_rng_below(&rng, 81) - 60);
        double thin = ldexp(1, -(int)mus_rng_below(&rng, 60));
        v3 a = random_v3(scale), e = random_v3(scale), noise = random_v3(scale * thin);
        v3 b = v3_add(a, e), c = v3_add(v3_axpy(between(-1, 2), e, a), noise);
        switch (mus_rng_below(&rng, 6)) {
        case 0:
            b = a;
            break;
        case 1:
            c = a;
            break;
        case 2:
            c = b;
            break;
        case 3:
            b = a, c = a;
            break;
        default:
            break;
        }
        v3 p =
            mus_rng_below(&rng, 2) ? random_v3(scale) : v3_axpy(between(-1, 2), e, v3_add(a, random_v3(scale * thin)));
        check_vf(p, a, b, c, 1e-6);
        check_ee(a, b, p, c, 1e-6);
        check_ee(a, b, p, v3_add(v3_axpy(between(-1, 1), e, p), noise), 1e-6);
    }
}

static void test_known(void **state) {
    (void)state;
    double w[3];
    v3 a = {0, 0, 0}, b = {1, 0, 0}, c = {0, 0, 1};
    v3 d = mus_nearest_vertex_face(v3_make(0.25, 2, 0.25), a, b, c, w);
    assert_true(d.x == 0 && d.y == 2 && d.z == 0 && w[0] == 0.5 && w[1] == 0.25 && w[2] == 0.25);
    d = mus_nearest_vertex_face(v3_make(0.5, 0, -3), a, b, c, w);
    assert_true(d.x == 0 && d.y == 0 && d.z == -3 && w[0] == 0.5 && w[1] == 0.5 && w[2] == 0);
    d = mus_nearest_edge_edge(v3_make(-1, 0, 0), v3_make(1, 0, 0), v3_make(0, 0.5, -1), v3_make(0, 0.5, 1), w);
    assert_true(d.x == 0 && d.y == 0.5 && d.z == 0 && w[0] == 0.5 && w[1] == 0.5);
    double points[12] = {0, 3, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    assert_true(mus_distance_vertex_face(points, NULL) == 3);
    double edges[12] = {0, 0, 0, 1, 0, 0, 0, 2, 0, 1, 2, 0};
    assert_true(mus_distance_edge_edge(edges, NULL) == 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_known), cmocka_unit_test(test_random),
                                       cmocka_unit_test(test_far_from_origin), cmocka_unit_test(test_degenerate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
