/* test_ccd_batch.c: kernels against single queries: results, times and axes are the same bits with every instruction
 * set, for random and for degenerate pairs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "base/simd.h"
#include "batched.h"
#include "mesh/distance.h"
#include "narrow/candidate_pairs.h"
#include "narrow/filter_kernel.h"

static mus_rng rng;

static double between(double a, double b) {
    return mus_rng_between(&rng, a, b);
}
static int below(int n) {
    return (int)mus_rng_below(&rng, (uint64_t)n);
}
static v3 random_v3(double s) {
    double x = between(-s, s), y = between(-s, s), z = between(-s, s);
    return v3_make(x, y, z);
}
static double *coordinate(v3 *x, int k) {
    return k == 0 ? &x->x : k == 1 ? &x->y : &x->z;
}

enum { STYLES = 12 };

/* Four corners at both ends of a step. `wild`: values that are no numbers, too. */
static void make_pair(int style, bool wild, v3 x0[4], v3 x1[4]) {
    double size = ldexp(1, below(60) - 30), speed = size * between(0, 2);
    v3 far = style == 1 ? random_v3(1e6) : v3_make(0, 0, 0);
    for (int k = 0; k < 4; k++) x0[k] = v3_add(far, random_v3(size)), x1[k] = v3_add(x0[k], random_v3(speed));
    switch (style) {
    case 2: /* in a plane all along */
        for (int k = 0; k < 4; k++) x0[k].y = x1[k].y = 0;
        break;
    case 3: /* parallel edges, or a vertex over a face of no area */
        x0[1] = v3_add(x0[0], v3_scale(between(-1, 1), v3_sub(x0[3], x0[2])));
        for (int k = 0; k < 4; k++) x1[k] = v3_add(x0[k], k < 2 ? v3_make(0, speed, 0) : v3_make(speed, 0, 0));
        break;
    case 4: /* whole numbers */
        for (int k = 0; k < 4; k++)
            for (int i = 0; i < 3; i++) *coordinate(&x0[k], i) = below(5) - 2, *coordinate(&x1[k], i) = below(5) - 2;
        break;
    case 5: /* nothing moves */
        for (int k = 0; k < 4; k++) x1[k] = x0[k];
        break;
    case 6: /* corners fall together */
        x0[3] = x0[below(3)], x1[3] = x1[below(3)];
        break;
    case 7: /* a crossing in the middle */
        for (int k = 0; k < 4; k++) x1[k] = v3_sub(far, x0[k]);
        break;
    case 8: /* close by: a small pair, far apart corners */
        x0[1] = v3_axpy(1e-9, random_v3(size), x0[0]), x1[1] = v3_axpy(1e-9, random_v3(size), x1[0]);
        break;
    case 9: /* clear by a wide margin */
        for (int k = 0; k < 2; k++) x0[k].x += 8 * size, x1[k].x += 8 * size;
        break;
    case 10: /* a grazing approach */
        x0[0].y = 1e-7 * size, x1[0].y = 1e-12 * size;
        for (int k = 1; k < 4; k++) x0[k].y = x1[k].y = 0;
        break;
    case 11: /* at the ends of the numbers */
        for (int k = 0; k < 4; k++)
            for (int i = 0; i < 3; i++) {
                static const double ends[] = {0, -0.0, 5e-324, -2e-308, 1e-160, 1e154, -1e160, 1.7e308, -1.7e308};
                *coordinate(below(2) ? &x0[k] : &x1[k], i) = ends[below(9)];
            }
        break;
    default:
        break;
    }
    if (wild && below(3) == 0) {
        static const double odd[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
        for (int n = 1 + below(3); n > 0; n--)
            *coordinate(below(2) ? &x0[below(4)] : &x1[below(4)], below(3)) = odd[below(3)];
    }
}

static void make_block(ccd_block *b, bool wild) {
    int count = 1 + below(MUS_CCD_BATCH);
    for (b->count = 0; b->count < count;) {
        v3 x0[4], x1[4];
        make_pair(below(STYLES), wild, x0, x1);
        double size = v3_length(v3_sub(x0[1], x0[0]));
        double gap = below(2) ? 0 : size * between(0, 0.3), tolerance = (size < 1e300 ? size : 1) * 1e-5 + 1e-300;
        ccd_block_add(b, x0, x1, gap, tolerance);
    }
}

static void test_queries(void **state) {
    (void)state;
    for (int level = 0; level < SIMD_LEVELS; level++) {
        if (!simd_use(level)) continue;
        int64_t settled = 0, queried = 0;
        int differ = 0;
        rng = mus_rng_make(31, 0);
        for (int i = 0; i < 6000; i++) {
            static ccd_block b;
            make_block(&b, i % 4 == 3);
            differ += ccd_block_differs(&b, i & 1, &settled);
            queried += b.count;
        }
        print_message("# %s: %lld queries, %lld settled first\n", simd_levels[level], (long long)queried,
                      (long long)settled);
        assert_int_equal(differ, 0);
        assert_true(settled > queried / 10 && settled < queried - queried / 10);
    }
    assert_int_equal(mus_set_simd_level(NULL), MUS_STATUS_OK);
}

static void test_axes(void **state) {
    (void)state;
    for (int level = 0; level < SIMD_LEVELS; level++) {
        if (!simd_use(level)) continue;
        int64_t clear = 0, queried = 0;
        int differ = 0;
        rng = mus_rng_make(32, 0);
        for (int i = 0; i < 4000; i++) {
            static ccd_block b;
            static mus_ccd_batch batch;
            bool edges = i & 1;
            make_block(&b, i % 4 == 3);
            ccd_block_place(&b, &batch);
            for (int k = 0; k < b.count; k++) {
                int from = b.count - 1 - k;
                mus_ccd_result r = {0};
                v3 axis = random_v3(1);
                if (below(3)) { /* one that certified a little less */
                    (edges ? mus_ccd_ee : mus_ccd_vf)(b.x0 + 4 * from, b.x1 + 4 * from, 0, b.tolerance[from], &r);
                    axis = v3_add(r.axis, v3_scale(1e-3 * v3_length(r.axis), axis));
                }
                batch.axis[0][k] = axis.x, batch.axis[1][k] = axis.y, batch.axis[2][k] = axis.z;
            }
            uint64_t fail = (edges ? mus_ccd_batch_axes_fail_ee : mus_ccd_batch_axes_fail_vf)(b.x0, b.x1, &batch);
            for (int k = 0; k < b.count; k++) {
                int from = b.count - 1 - k;
                v3 axis = v3_make(batch.axis[0][k], batch.axis[1][k], batch.axis[2][k]);
                bool is_clear = (edges ? mus_ccd_axis_clear_ee
                                       : mus_ccd_axis_clear_vf)(b.x0 + 4 * from, b.x1 + 4 * from, axis, b.gap[from]);
                differ += is_clear == (fail >> k & 1);
                clear += is_clear;
            }
            if (b.count < 64) assert_true(fail >> b.count == 0);
            queried += b.count;
        }
        assert_int_equal(differ, 0);
        assert_true(clear > queried / 20 && clear < queried - queried / 20);
    }
    assert_int_equal(mus_set_simd_level(NULL), MUS_STATUS_OK);
}

/* ---- The motion test of candidate_pairs.c ------------------------------------------------------------------------ */

static double separation(bool edges, const v3 x[4], v3 d) {
    double p0 = v3_dot(d, x[0]), p1 = v3_dot(d, x[1]), p2 = v3_dot(d, x[2]), p3 = v3_dot(d, x[3]);
    if (edges) return fmin(p2, p3) - fmax(p0, p1);
    return p0 - fmax(p1, fmax(p2, p3));
}

static v3 nearest(bool edges, const v3 x[4]) {
    double w[3];
    return edges ? mus_nearest_edge_edge(x[0], x[1], x[2], x[3], w)
                 : mus_nearest_vertex_face(x[0], x[1], x[2], x[3], w);
}

/* By the rule that the filter states: apart along d by the range at the end, and by the wandering; by a share of the
 * range at the start. */
static bool stays_apart(bool edges, const v3 x0[4], const v3 x1[4], v3 d, double radius, double near, double range,
                        double motion_bound) {
    double length = v3_length(d), slack = 1e-6 * length, spread = fabs(d.x) + fabs(d.y) + fabs(d.z);
    return separation(edges, x0, d) > radius * length + near * (range * length) + slack &&
           separation(edges, x1, d) > radius * length + fmax(range * length, motion_bound * spread) + slack;
}

static void test_filter(void **state) {
    (void)state;
    static mus_filter_kept *const kernel[2][SIMD_LEVELS] = {
        {mus_filter_kept_vf_baseline, mus_filter_kept_vf_avx2, mus_filter_kept_vf_avx512},
        {mus_filter_kept_ee_baseline, mus_filter_kept_ee_avx2, mus_filter_kept_ee_avx512}};
    for (int level = 0; level < SIMD_LEVELS; level++) {
        if (!simd_use(level)) continue;
        int64_t kept = 0, queried = 0;
        int differ = 0;
        rng = mus_rng_make(33, 0);
        for (int i = 0; i < 6000; i++) {
            static mus_filter_batch batch;
            static v3 x0[4 * MUS_FILTER_BATCH], x1[4 * MUS_FILTER_BATCH];
            bool edges = i & 1;
            batch.count = 1 + below(MUS_FILTER_BATCH), batch.near = i / 2 % 2;
            for (int k = 0; k < batch.count; k++) {
                make_pair(below(STYLES - 1), false, x0 + 4 * k, x1 + 4 * k); /* the filter's positions are finite */
                double size = v3_length(v3_sub(x0[4 * k + 1], x0[4 * k]));
                for (int c = 0; c < 4; c++) batch.vertex[k][c] = 4 * k + c;
                batch.radius[k] = below(3) ? 0 : size * between(0, 0.5);
                batch.range[k] = size * between(0, 0.5), batch.motion_bound[k] = size * between(0, 0.3);
            }
            uint64_t keep = kernel[edges][level](x0, x1, &batch);
            for (int k = 0; k < batch.count; k++) {
                const v3 *a = x0 + 4 * k, *b = x1 + 4 * k;
                v3 d = nearest(edges, a);
                double radius = batch.radius[k], range = batch.range[k], motion_bound = batch.motion_bound[k];
                bool stay = !stays_apart(edges, a, b, d, radius, batch.near, range, motion_bound) &&
                            !stays_apart(edges, a, b, nearest(edges, b), radius, batch.near, range, motion_bound);
                differ += stay != (keep >> k & 1) || !same_bits(d.x, batch.axis[0][k]) ||
                          !same_bits(d.y, batch.axis[1][k]) || !same_bits(d.z, batch.axis[2][k]) ||
                          !same_bits(v3_length(d), batch.length[k]);
                kept += stay;
            }
            queried += batch.count;
        }
        print_message("# %s: %lld pairs, %lld kept\n", simd_levels[level], (long long)queried, (long long)kept);
        assert_int_equal(differ, 0);
        assert_true(kept > queried / 10 && kept < queried - queried / 10);
    }
    assert_int_equal(mus_set_simd_level(NULL), MUS_STATUS_OK);
}

/* A distance is that of the nearest points, to the bit; a pair exactly at the range is near. */
static void test_near(void **state) {
    (void)state;
    static mus_filter_near *const kernel[2][SIMD_LEVELS] = {
        {mus_filter_near_vf_baseline, mus_filter_near_vf_avx2, mus_filter_near_vf_avx512},
        {mus_filter_near_ee_baseline, mus_filter_near_ee_avx2, mus_filter_near_ee_avx512}};
    for (int level = 0; level < SIMD_LEVELS; level++) {
        if (!simd_use(level)) continue;
        int64_t near = 0, queried = 0;
        int differ = 0;
        rng = mus_rng_make(34, 0);
        for (int i = 0; i < 2000; i++) {
            static mus_filter_batch batch;
            static v3 x[4 * MUS_FILTER_BATCH], unused[4 * MUS_FILTER_BATCH];
            bool edges = i & 1;
            batch.count = 1 + below(MUS_FILTER_BATCH);
            for (int k = 0; k < batch.count; k++) {
                make_pair(below(STYLES - 1), false, x + 4 * k, unused + 4 * k);
                for (int c = 0; c < 4; c++) batch.vertex[k][c] = 4 * k + c;
                double share = below(3) ? between(0, 2) : 1;
                batch.range[k] = share * v3_length(nearest(edges, x + 4 * k));
            }
            uint64_t bits = kernel[edges][level](x, &batch);
            for (int k = 0; k < batch.count; k++) {
                double length = v3_length(nearest(edges, x + 4 * k));
                bool is_near = length <= batch.range[k];
                differ += is_near != (bits >> k & 1) || !same_bits(length, batch.length[k]);
                near += is_near;
            }
            if (batch.count < MUS_FILTER_BATCH) differ += (bits >> batch.count) != 0;
            queried += batch.count;
        }
        print_message("# %s: %lld pairs, %lld near\n", simd_levels[level], (long long)queried, (long long)near);
        assert_int_equal(differ, 0);
        assert_true(near > queried / 3 && near < queried - queried / 10);
    }
    assert_int_equal(mus_set_simd_level(NULL), MUS_STATUS_OK);
}

/* Nearest points of many candidate pairs are those of each, to the bit: of both kinds in turn, parallel edges among
 * them. */
static void test_nearest(void **state) {
    (void)state;
    enum { MOST = 300 };
    for (int level = 0; level < SIMD_LEVELS; level++) {
        if (!simd_use(level)) continue;
        int differ = 0, queried = 0, inside = 0, parallel = 0;
        rng = mus_rng_make(35, 0);
        for (int i = 0; i < 200; i++) {
            static mus_candidate_pair list[MOST];
            static mus_nearest found[MOST];
            static v3 x[4 * MOST], unused[4 * MOST];
            int count = below(MOST + 1);
            for (int k = 0; k < count; k++) {
                make_pair(below(STYLES - 1), false, x + 4 * k, unused + 4 * k);
                list[k] = (mus_candidate_pair){.edge_edge = (uint8_t)(below(2))};
                for (int c = 0; c < 4; c++) list[k].vertex[c] = 4 * k + c;
                v3 a = v3_sub(x[4 * k + 1], x[4 * k]);
                bool along = list[k].edge_edge && below(8) == 0;
                if (along) x[4 * k + 3] = v3_axpy(between(-2, 2), a, x[4 * k + 2]);
                parallel += along;
            }
            mus_candidate_pairs_nearest(list, count, x, found);
            for (int k = 0; k < count; k++) {
                mus_nearest one;
                one.length = mus_candidate_pair_nearest(&list[k], x, &one.d, one.weight);
                differ += memcmp(&one, &found[k], sizeof one) != 0;
                inside += one.weight[1] != 0 && one.weight[2] != 0 && one.weight[3] != 0;
            }
            queried += count;
        }
        print_message("# %s: %d pairs, %d inside, %d parallel\n", simd_levels[level], queried, inside, parallel);
        assert_int_equal(differ, 0);
        assert_true(inside > queried / 10 && inside < queried - queried / 10 && parallel > queried / 100);
    }
    assert_int_equal(mus_set_simd_level(NULL), MUS_STATUS_OK);
}

static void test_choice(void **state) {
    (void)state;
    const char *widest = mus_get_build().simd;
    assert_int_equal(mus_set_simd_level("sse9"), MUS_STATUS_INVALID);
    assert_non_null(strstr(mus_get_error_message(), "sse9"));
    assert_string_equal(mus_get_build().simd, widest);
    bool known = true;
    for (int level = 0; level < SIMD_LEVELS; level++) {
        if (!simd_use(level)) {
            assert_non_null(strstr(mus_get_error_message(), simd_levels[level]));
            known = false;
            continue;
        }
        assert_true(known); /* levels are in order: none beyond one that is lacking */
        assert_string_equal(mus_get_build().simd, simd_levels[level]);
        assert_int_equal(mus_simd_level(), level);
    }
    assert_int_equal(mus_set_simd_level(NULL), MUS_STATUS_OK);
    assert_string_equal(mus_get_build().simd, widest);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_choice), cmocka_unit_test(test_queries),
                                       cmocka_unit_test(test_axes),   cmocka_unit_test(test_filter),
                                       cmocka_unit_test(test_near),   cmocka_unit_test(test_nearest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
