/* test_triangles.c: intersections of two faces against separating axes and clipping in whole numbers, both exact. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "base/rng.h"
#include "muslin.h"
#include "narrow/triangles.h"

typedef __int128 wide;
typedef struct whole {
    wide x[3];
} whole;

static mus_rng rng;

static whole sub(whole a, whole b) {
    return (whole){{a.x[0] - b.x[0], a.x[1] - b.x[1], a.x[2] - b.x[2]}};
}
static wide dot(whole a, whole b) {
    return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2];
}
static whole cross(whole a, whole b) {
    return (whole){
        {a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2], a.x[0] * b.x[1] - a.x[1] * b.x[0]}};
}
static bool zero(whole a) {
    return a.x[0] == 0 && a.x[1] == 0 && a.x[2] == 0;
}

/* Closed convex hulls of three points each (which may coincide) have a common point: no axis out of all that can matter
 * separates them strictly. */
static bool hulls_intersect(const whole a[3], const whole b[3]) {
    whole e[3], f[3], axes[64];
    int n = 0;
    for (int k = 0; k < 3; k++) e[k] = sub(a[(k + 1) % 3], a[k]), f[k] = sub(b[(k + 1) % 3], b[k]);
    whole na = cross(e[0], e[1]), nb = cross(f[0], f[1]);
    axes[n++] = na, axes[n++] = nb;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) axes[n++] = cross(e[i], f[j]);
        axes[n++] = cross(na, e[i]), axes[n++] = cross(na, f[i]);
        axes[n++] = cross(nb, e[i]), axes[n++] = cross(nb, f[i]);
        axes[n++] = e[i], axes[n++] = f[i];
    }
    for (int i = 0; i < n; i++) {
        wide la = dot(axes[i], a[0]), ha = la, lb = dot(axes[i], b[0]), hb = lb;
        for (int k = 1; k < 3; k++) {
            wide p = dot(axes[i], a[k]), q = dot(axes[i], b[k]);
            if (p < la) la = p;
            if (p > ha) ha = p;
            if (q < lb) lb = q;
            if (q > hb) hb = q;
        }
        if (ha < lb || hb < la) return false;
    }
    return true;
}

static void plane_sides(const whole t[3], const whole p[3], wide s[3]) {
    whole n = cross(sub(t[1], t[0]), sub(t[2], t[0]));
    for (int k = 0; k < 3; k++) s[k] = dot(n, sub(p[k], t[0]));
}
static bool strictly_both(const wide s[3]) {
    return (s[0] > 0 || s[1] > 0 || s[2] > 0) && (s[0] < 0 || s[1] < 0 || s[2] < 0);
}

/* The trace of a in the plane of b, clipped by b: it must keep a length. */
static bool insides_cross(const whole a[3], const whole b[3]) {
    wide sa[3], sb[3];
    plane_sides(b, a, sa);
    plane_sides(a, b, sb);
    if (!strictly_both(sa) || !strictly_both(sb)) return false;
    whole end[2]; /* homogeneous, weights > 0 */
    wide weight[2];
    int n = 0;
    for (int k = 0; k < 3 && n < 2; k++)
        if (sa[k] == 0) end[n] = a[k], weight[n++] = 1;
    for (int k = 0; k < 3 && n < 2; k++) {
        wide p = sa[k], q = sa[(k + 1) % 3];
        if (!((p > 0 && q < 0) || (p < 0 && q > 0))) continue;
        wide w = p - q; /* point (a_next p - a_k q) / (p - q) */
        for (int i = 0; i < 3; i++) end[n].x[i] = a[(k + 1) % 3].x[i] * p - a[k].x[i] * q;
        if (w < 0) {
            w = -w;
            for (int i = 0; i < 3; i++) end[n].x[i] = -end[n].x[i];
        }
        weight[n++] = w;
    }
    assert_int_equal(n, 2);
    whole normal = cross(sub(b[1], b[0]), sub(b[2], b[0]));
    wide low_num = 0, low_den = 1, high_num = 1, high_den = 1;
    for (int k = 0; k < 3; k++) {
        whole inward = cross(normal, sub(b[(k + 1) % 3], b[k]));
        wide c = dot(inward, b[k]);
        wide fp = (dot(inward, end[0]) - c * weight[0]) * weight[1];
        wide fq = (dot(inward, end[1]) - c * weight[1]) * weight[0];
        if (fp <= 0 && fq <= 0) return false;
        if (fp >= 0 && fq >= 0) continue;
        wide num = fp, den = fp - fq; /* (1-t) fp + t fq = 0 */
        if (den < 0) num = -num, den = -den;
        if (fp < 0) {
            if (num * low_den > low_num * den) low_num = num, low_den = den;
        } else if (num * high_den < high_num * den) {
            high_num = num, high_den = den;
        }
    }
    return low_num * high_den < high_num * low_den;
}

static whole random_point(int64_t below) {
    whole p;
    for (int k = 0; k < 3; k++) p.x[k] = (wide)mus_rng_below(&rng, (uint64_t)below);
    return p;
}

/* The same points as doubles, moved and scaled without rounding. */
static void as_doubles(const whole *p, int n, double scale, double offset, double *out) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) out[3 * i + k] = scale * ((double)p[i].x[k] + offset);
}

static void test_apart(void **state) {
    (void)state;
    rng = mus_rng_make(31, 0);
    int seen[3] = {0}, planar = 0;
    for (int i = 0; i < 400000; i++) {
        whole a[3], b[3];
        int64_t below = i % 3 == 0 ? 3 : i % 3 == 1 ? 5 : 40;
        for (int k = 0; k < 3; k++) a[k] = random_point(below), b[k] = random_point(below);
        if (i % 7 == 0)
            for (int k = 0; k < 3; k++) a[k].x[1] = b[k].x[1] = 2;
        whole na = cross(sub(a[1], a[0]), sub(a[2], a[0])), nb = cross(sub(b[1], b[0]), sub(b[2], b[0]));
        if (zero(na) || zero(nb)) continue;
        planar += zero(cross(na, nb));
        mus_triangle_intersection truth = insides_cross(a, b)     ? MUS_INTERSECTION_CROSSING
                                          : hulls_intersect(a, b) ? MUS_INTERSECTION_TOUCH
                                                                  : MUS_INTERSECTION_NONE;
        double x[18];
        double scale = ldexp(1, (int)mus_rng_below(&rng, 40) - 30), offset = i % 2 ? 0 : 1234567;
        as_doubles(a, 3, scale, offset, x);
        as_doubles(b, 3, scale, offset, x + 9);
        assert_int_equal(mus_intersect_triangles(x, x + 9), truth);
        assert_int_equal(mus_intersect_triangles(x + 9, x), truth);
        double y[9]; /* another corner first, turned over */
        for (int k = 0; k < 3; k++) y[k] = x[6 + k], y[3 + k] = x[3 + k], y[6 + k] = x[k];
        assert_int_equal(mus_intersect_triangles(y, x + 9), truth);
        seen[truth]++;
    }
    print_message("# %d apart, %d crossings, %d touches, %d in parallel planes\n", seen[0], seen[1], seen[2], planar);
    assert_true(seen[0] > 10000 && seen[1] > 10000 && seen[2] > 10000 && planar > 10000);
}

static void test_at_vertex(void **state) {
    (void)state;
    rng = mus_rng_make(32, 0);
    int seen[3] = {0};
    for (int i = 0; i < 400000; i++) {
        whole v, a[3], b[3];
        int64_t below = i % 3 == 0 ? 3 : i % 3 == 1 ? 5 : 40;
        v = random_point(below);
        a[0] = b[0] = v;
        for (int k = 1; k < 3; k++) a[k] = random_point(below), b[k] = random_point(below);
        if (i % 7 == 0)
            for (int k = 0; k < 3; k++) a[k].x[1] = b[k].x[1] = v.x[1];
        if (zero(cross(sub(a[1], a[0]), sub(a[2], a[0]))) || zero(cross(sub(b[1], b[0]), sub(b[2], b[0])))) continue;
        whole ea[3] = {a[1], a[2], a[2]}, eb[3] = {b[1], b[2], b[2]};
        mus_triangle_intersection truth = insides_cross(a, b)                                ? MUS_INTERSECTION_CROSSING
                                          : hulls_intersect(ea, b) || hulls_intersect(eb, a) ? MUS_INTERSECTION_TOUCH
                                                                                             : MUS_INTERSECTION_NONE;
        double x[18];
        as_doubles(a, 3, 0.125, 77, x);
        as_doubles(b, 3, 0.125, 77, x + 9);
        assert_int_equal(mus_triangles_intersect_at_vertex(x, x + 3, x + 6, x + 12, x + 15), truth);
        assert_int_equal(mus_triangles_intersect_at_vertex(x, x + 15, x + 12, x + 3, x + 6), truth);
        seen[truth]++;
    }
    print_message("# %d apart, %d crossings, %d touches\n", seen[0], seen[1], seen[2]);
    assert_true(seen[0] > 10000 && seen[1] > 10000 && seen[2] > 10000);
}

static void test_at_edge(void **state) {
    (void)state;
    const double v[3] = {0, 0, 0}, w[3] = {1, 0, 0}, a[3] = {0.3, 0, 1}, folded[3] = {0.6, 0, 0.5};
    const double flat[3] = {0.6, 0, -0.5}, nearly[3] = {0.6, 1e-300, 0.5}, twisted[3] = {0.6, 1, 0.5};
    assert_true(mus_triangles_overlap_at_edge(v, w, a, folded));
    assert_true(mus_triangles_overlap_at_edge(w, v, folded, a));
    assert_false(mus_triangles_overlap_at_edge(v, w, a, flat));
    assert_false(mus_triangles_overlap_at_edge(v, w, a, nearly));
    assert_false(mus_triangles_overlap_at_edge(v, w, a, twisted));
    rng = mus_rng_make(33, 0);
    for (int i = 0; i < 100000; i++) { /* in any plane of whole numbers */
        whole p[4];
        for (int k = 0; k < 4; k++) p[k] = random_point(6);
        whole e = sub(p[1], p[0]), n = cross(e, sub(p[2], p[0])), m = cross(e, sub(p[3], p[0]));
        if (zero(n) || zero(m)) continue;
        bool truth = zero(cross(n, m)) && dot(n, m) > 0;
        double x[12];
        as_doubles(p, 4, 0.5, 3, x);
        assert_int_equal(mus_triangles_overlap_at_edge(x, x + 3, x + 6, x + 9), truth);
    }
}

/* A face of zero area is its longest edge. */
static void test_no_area(void **state) {
    (void)state;
    const double face[9] = {0, 0, 0, 2, 0, 0, 0, 2, 0};
    const double needle[9] = {0.5, 0.5, -1, 0.5, 0.5, 1, 0.5, 0.5, 3}, beside[9] = {5, 5, -1, 5, 5, 1, 5, 5, 3};
    const double point[9] = {0.5, 0.5, 0, 0.5, 0.5, 0, 0.5, 0.5, 0}, above[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    assert_int_equal(mus_intersect_triangles(face, needle), 1);
    assert_int_equal(mus_intersect_triangles(needle, face), 1);
    assert_int_equal(mus_intersect_triangles(face, beside), 0);
    assert_int_equal(mus_intersect_triangles(face, point), 2);
    assert_int_equal(mus_intersect_triangles(point, face), 2);
    assert_int_equal(mus_intersect_triangles(face, above), 0);
    assert_int_equal(mus_intersect_triangles(needle, needle), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_apart), cmocka_unit_test(test_at_vertex),
                                       cmocka_unit_test(test_at_edge), cmocka_unit_test(test_no_area)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
