/* test_ccd.c: continuous queries. Contacts made to happen at a known time in exact numbers must be found, and not late;
 * every "clear" and every time of contact is proved again in rational arithmetic. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "narrow/ccd.h"
#include "exact.h"
#include "queries.h"
#include "muslin.h"

static mus_rng rng;

static int64_t whole(int64_t below) {
    return (int64_t)mus_rng_below(&rng, (uint64_t)(2 * below + 1)) - below;
}
static v3 whole_v3(int64_t below) {
    double x = (double)whole(below), y = (double)whole(below), z = (double)whole(below);
    return v3_make(x, y, z);
}
static double between(double a, double b) {
    return mus_rng_between(&rng, a, b);
}
static v3 random_v3(double s) {
    double x = between(-s, s), y = between(-s, s), z = between(-s, s);
    return v3_make(x, y, z);
}

static bool detect_hit(bool edges, const v3 x0[4], const v3 x1[4], double gap, double tolerance, mus_ccd_result *r) {
    return (edges ? mus_ccd_ee : mus_ccd_vf)(x0, x1, gap, tolerance, r);
}

/* A query in whole numbers (times a power of two, plus an offset) whose sides meet at time m/16 exactly: corners at
 * that time in multiples of 8, weights in eighths, velocities in multiples of 16. */
static double make_contact(bool edges, v3 x0[4], v3 x1[4]) {
    v3 at[4], step[4];
    int style = (int)mus_rng_below(&rng, 8);
    for (int k = 0; k < 4; k++) at[k] = v3_scale(8, whole_v3(style == 1 ? 3 : 1000));
    if (style == 2) /* sliver or needle */
        at[3] = v3_add(at[2], v3_scale(8, whole_v3(1)));
    if (style == 3) { /* parallel edges, collinear corners */
        v3 e = v3_scale(8, whole_v3(50));
        at[1] = v3_axpy((double)whole(4), e, at[0]), at[3] = v3_axpy((double)whole(4), e, at[2]);
    }
    /* weights on corners, edges and inside */
    double i = (double)mus_rng_below(&rng, 9), j = (double)mus_rng_below(&rng, 9 - (uint64_t)i);
    if (edges) {
        double s = (double)mus_rng_below(&rng, 9), t = (double)mus_rng_below(&rng, 9);
        if (mus_rng_below(&rng, 3) == 0) s = 8 * (double)mus_rng_below(&rng, 2);
        if (mus_rng_below(&rng, 3) == 0) t = 8 * (double)mus_rng_below(&rng, 2);
        v3 p = v3_add(v3_scale((8 - s) / 8, at[0]), v3_scale(s / 8, at[1]));
        v3 q = v3_add(v3_scale((8 - t) / 8, at[2]), v3_scale(t / 8, at[3]));
        v3 shift = v3_sub(p, q);
        at[2] = v3_add(at[2], shift), at[3] = v3_add(at[3], shift);
    } else {
        if (mus_rng_below(&rng, 3) == 0) i = 8, j = 0;
        at[0] = v3_add(v3_add(v3_scale(i / 8, at[1]), v3_scale(j / 8, at[2])), v3_scale((8 - i - j) / 8, at[3]));
    }
    int64_t speed = style == 4 ? 1 : style == 5 ? 100000 : 300;
    for (int k = 0; k < 4; k++) step[k] = whole_v3(speed); /* velocity / 16 */
    if (style == 6)
        for (int k = 0; k < 4; k++) step[k].y = at[k].y = 0; /* all in a plane */
    if (style == 7)
        for (int k = 1; k < 4; k++) step[k] = step[1];
    double m = (double)mus_rng_below(&rng, 17);
    v3 offset = mus_rng_below(&rng, 3) ? v3_make(0, 0, 0) : whole_v3(INT64_C(1) << 46);
    double scale = ldexp(1, (int)mus_rng_below(&rng, 81) - 60);
    for (int k = 0; k < 4; k++) {
        x0[k] = v3_scale(scale, v3_add(offset, v3_axpy(-m, step[k], at[k])));
        x1[k] = v3_scale(scale, v3_add(offset, v3_axpy(16 - m, step[k], at[k])));
    }
    return m / 16;
}

static double motion_of(const v3 x0[4], const v3 x1[4]) {
    double motion = 0;
    for (int k = 1; k < 4; k++) motion = fmax(motion, v3_length(v3_sub(v3_sub(x1[k], x1[0]), v3_sub(x0[k], x0[0]))));
    return motion;
}

static void test_known_contacts(void **state) {
    (void)state;
    rng = mus_rng_make(11, 0);
    int missed = 0, late = 0;
    for (int i = 0; i < 300000; i++) {
        v3 x0[4], x1[4];
        mus_ccd_result r;
        bool edges = i & 1;
        double time = make_contact(edges, x0, x1);
        double tolerance = motion_of(x0, x1) * (i % 3 ? 1e-6 : 1e-12) + 1e-300;
        if (!detect_hit(edges, x0, x1, 0, tolerance, &r))
            missed++;
        else if (r.toi > time)
            late++;
        double toi;
        if (!(edges ? mus_ccd_edge_edge : mus_ccd_vertex_face)((const double *)x0, (const double *)x1, 0, &toi))
            missed++;
        else if (toi > time)
            late++;
    }
    assert_int_equal(missed, 0);
    assert_int_equal(late, 0);
}

/* Random and nearly touching pairs: what is called clear must be provably so, and so must the time before a contact. */
static void test_proved(void **state) {
    (void)state;
    rng = mus_rng_make(12, 0);
    int clear = 0, hits = 0, unproved = 0;
    for (int i = 0; i < 6000; i++) {
        v3 x0[4], x1[4];
        mus_ccd_result r;
        bool edges = i & 1;
        if (i % 4 < 2) {
            for (int k = 0; k < 4; k++) x0[k] = random_v3(1), x1[k] = v3_add(x0[k], random_v3(0.5));
        } else {
            make_contact(edges, x0, x1);
            double size = motion_of(x0, x1) + v3_length(v3_sub(x0[1], x0[0]));
            double bit = ldexp(size, -(int)mus_rng_below(&rng, 50) - 2);
            v3 nudge = random_v3(bit);
            x0[0] = v3_add(x0[0], nudge), x1[0] = v3_add(x1[0], nudge);
            if (edges) x0[1] = v3_add(x0[1], nudge), x1[1] = v3_add(x1[1], nudge);
        }
        double gap = i % 5 == 0 ? 0.01 * motion_of(x0, x1) : 0;
        bool hit = detect_hit(edges, x0, x1, gap, 1e-7 * motion_of(x0, x1), &r);
        double until = hit ? r.toi * (1 - 1e-6) : 1;
        hits += hit, clear += !hit;
        int work = 20000;
        if (until > 0 && !exact_clear(edges, x0, x1, gap, 0, until, 60, &work)) unproved++;
        if (!hit && r.axis.x * r.axis.x + r.axis.y * r.axis.y + r.axis.z * r.axis.z > 0) {
            assert_true(exact_axis_clear(edges, x0, x1, r.axis, gap, 0));
            assert_true(exact_axis_clear(edges, x0, x1, r.axis, gap, 1));
        }
    }
    assert_true(clear > 1000 && hits > 1000);
    assert_int_equal(unproved, 0);
}

static v3 nearest(bool edges, const v3 x0[4], const v3 x1[4], double t) {
    double w[3];
    v3 x[4];
    for (int k = 0; k < 4; k++) x[k] = v3_lerp(x0[k], x1[k], t);
    return edges ? mus_nearest_edge_edge(x[0], x[1], x[2], x[3], w)
                 : mus_nearest_vertex_face(x[0], x[1], x[2], x[3], w);
}

/* A gap: against dense samples of the distance, from hair-thin to a ball far larger than what it meets. */
static void test_gap(void **state) {
    (void)state;
    rng = mus_rng_make(13, 0);
    enum { SAMPLES = 400 };
    int clear = 0, hits = 0, started = 0;
    int64_t axes = 0, worst = 0;
    const int queries = 8000;
    for (int i = 0; i < queries; i++) {
        v3 x0[4], x1[4];
        mus_ccd_result r;
        bool edges = i & 1;
        double gap = i % 3 == 0 ? 1e-3 : i % 3 == 1 ? 0.05 : 0.251, tolerance = 1e-6;
        double size = i % 3 == 2 ? 0.036 : 0.2;
        /* side 1 (the ball's center, or a capsule's axis) passes at about the gap */
        v3 away = v3_normalized(random_v3(1)), along = v3_normalized(v3_cross(away, random_v3(1)));
        for (int k = 0; k < 4; k++) {
            bool first = k < (edges ? 2 : 1);
            v3 place = first ? v3_scale(gap * between(0.8, 1.6) + 0.6 * size, away) : v3_make(0, 0, 0);
            x0[k] = v3_add(place, random_v3(size / 2));
            v3 go = first ? v3_add(v3_scale(between(-0.3, 0.3), along), v3_scale(-between(0, 0.5) * gap, away))
                          : v3_make(0, 0, 0);
            x1[k] = v3_add(v3_add(x0[k], go), random_v3(0.02));
        }
        bool hit = detect_hit(edges, x0, x1, gap, tolerance, &r);
        axes += r.iterations;
        if (r.iterations > worst) worst = r.iterations;
        double until = hit ? r.toi : 1;
        for (int s = 0; s <= SAMPLES; s++) {
            double distance = v3_length(nearest(edges, x0, x1, until * s / SAMPLES));
            if (!(hit && r.near_at_start)) assert_true(distance > gap - 1e-12);
        }
        if (hit) {
            double distance = v3_length(nearest(edges, x0, x1, r.toi));
            assert_true(distance <= gap + 2 * tolerance);
            if (r.near_at_start) assert_true(r.toi == 0 && distance <= gap + 1e-12);
            started += r.near_at_start;
            hits++;
        } else {
            clear++;
        }
    }
    print_message("# gap: %d clear, %d hits (%d from the start), %.2f axes a query, at most %d\n", clear, hits, started,
                  (double)axes / queries, (int)worst);
    assert_true(clear > 500 && hits > 500 && started > 50);
    assert_true(axes < 12 * (int64_t)queries && worst < 400);
}

/* The ball of 0.25 m that JUN-3 shoots, against a face of 36 mm: the certificate must not degrade with the radius. */
static void test_large_gap(void **state) {
    (void)state;
    for (int i = 0; i < 100; i++) {
        double side = 0.001 * i;
        v3 x0[4] = {{side, 0.3, 0}, {0, 0, 0}, {0.036, 0, 0}, {0, 0, 0.036}};
        v3 x1[4] = {{side + 0.2, 0.3 - 0.02, 0.1}, {0, 0, 0}, {0.036, 0, 0}, {0, 0, 0.036}};
        mus_ccd_result r;
        assert_false(mus_ccd_vf(x0, x1, 0.251, 1e-6, &r));
        assert_true(r.iterations <= 4);
        x1[0].y = -0.3; /* straight through */
        assert_true(mus_ccd_vf(x0, x1, 0.251, 1e-6, &r));
        assert_true(r.toi > 0 && r.iterations <= 40);
    }
}

/* The axis that settled a miss must settle it again, and nearby pairs too. */
static void test_cached_axis(void **state) {
    (void)state;
    rng = mus_rng_make(14, 0);
    int kept = 0, misses = 0;
    for (int i = 0; i < 20000; i++) {
        v3 x0[4], x1[4];
        mus_ccd_result r;
        bool edges = i & 1;
        for (int k = 0; k < 4; k++) x0[k] = random_v3(1), x1[k] = v3_add(x0[k], random_v3(0.1));
        double gap = i % 2 ? 0 : 0.01;
        if (detect_hit(edges, x0, x1, gap, 1e-6, &r)) {
            assert_true(v3_length2(r.axis) == 0);
            continue;
        }
        misses++;
        if (v3_length2(r.axis) == 0) continue;
        kept++;
        assert_true((edges ? mus_ccd_axis_clear_ee : mus_ccd_axis_clear_vf)(x0, x1, r.axis, gap));
        assert_true(exact_axis_clear(edges, x0, x1, r.axis, gap, 0) && exact_axis_clear(edges, x0, x1, r.axis, gap, 1));
        /* the opposite direction never does */
        assert_false((edges ? mus_ccd_axis_clear_ee : mus_ccd_axis_clear_vf)(x0, x1, v3_neg(r.axis), gap));
    }
    assert_true(misses > 10000 && kept > misses * 9 / 10);
    v3 x[4] = {{0, 1, 0}, {0, 0, 0}, {1, 0, 0}, {0, 0, 1}};
    assert_false(mus_ccd_axis_clear_vf(x, x, v3_make(0, 0, 0), 0));
}

static void test_bad_numbers(void **state) {
    (void)state;
    const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, 1e308, -1e308, 1.1e9};
    for (int edges = 0; edges < 2; edges++)
        for (int k = 0; k < 24; k++)
            for (int b = 0; b < 6; b++) {
                double t[24] = {0, 5, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 4, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, toi = 7;
                t[k] = bad[b];
                assert_true((edges ? mus_ccd_edge_edge : mus_ccd_vertex_face)(t, t + 12, 0, &toi));
                assert_true(toi == 0);
            }
    double t[24] = {0, 5, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 4, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, toi = 7;
    assert_false(mus_ccd_vertex_face(t, t + 12, 0, &toi));
    assert_true(mus_ccd_vertex_face(t, t + 12, bad[0], &toi) && toi == 0);
    assert_true(mus_ccd_vertex_face(t, t + 12, bad[1], &toi) && toi == 0);
    assert_true(mus_ccd_vertex_face(t, t + 12, 4.5, &toi) && toi <= 0.5 && toi > 0.499);
    assert_true(mus_ccd_vertex_face(t, t + 12, 4.5, NULL));
    /* differences that overflow: the only correct result is a contact, and the query must end */
    rng = mus_rng_make(15, 0);
    for (int i = 0; i < 3000; i++) {
        double u[24];
        for (int k = 0; k < 24; k++) u[k] = mus_rng_below(&rng, 3) ? between(-1, 1) : bad[3 + mus_rng_below(&rng, 2)];
        mus_ccd_vertex_face(u, u + 12, 0, &toi);
        mus_ccd_edge_edge(u, u + 12, 0, &toi);
        for (int k = 0; k < 24; k++) u[k] = ldexp((double)whole(4), -1072);
        mus_ccd_vertex_face(u, u + 12, 0, &toi);
        mus_ccd_edge_edge(u, u + 12, 0, &toi);
    }
    /* the internal entry with a NaN in one lane */
    for (int edges = 0; edges < 2; edges++)
        for (int k = 0; k < 24; k++) {
            double u[24];
            for (int i = 0; i < 24; i++) u[i] = t[i];
            u[k] = (double)NAN;
            mus_ccd_result r;
            bool hit = detect_hit(edges, (const v3 *)u, (const v3 *)(u + 12), 0, 1e-6, &r);
            /* a miss is legitimate only where an axis that the NaN does not enter decides it */
            if (!hit) assert_true(k % 3 != 1 && r.axis.x == 0 && r.axis.z == 0);
        }
}

/* A pair that grazes all along ends within its budget, early rather than late. */
static void test_bounded(void **state) {
    (void)state;
    rng = mus_rng_make(16, 0);
    for (int i = 0; i < 3000; i++) {
        v3 x0[4], x1[4];
        mus_ccd_result r;
        make_contact(i & 1, x0, x1);
        detect_hit(i & 1, x0, x1, 0, 0, &r);
        assert_true(r.iterations <= 2002);
        detect_hit(i & 1, x0, x1, 0.1, 1e-300, &r);
        assert_true(r.iterations <= 2002);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_contacts), cmocka_unit_test(test_proved),      cmocka_unit_test(test_gap),
        cmocka_unit_test(test_large_gap),      cmocka_unit_test(test_cached_axis), cmocka_unit_test(test_bad_numbers),
        cmocka_unit_test(test_bounded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
