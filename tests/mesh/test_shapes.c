/* test_shapes.c: surfaces of revolution and triangulated polygons against closed forms: volumes, areas, unrolled
 * lengths, angles, outlines kept, and refusals. */
#include "../base/scarce.h"
#include "muslin.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double pi = 3.14159265358979323846;

static void expect_near(double value, double wanted, double tolerance) {
    if (!(fabs(value - wanted) <= tolerance)) fail_msg("%.17g is not within %g of %.17g", value, tolerance, wanted);
}

static const double *corner(const mus_mesh *mesh, int32_t f, int k) {
    return mus_mesh_get_vertices_const(mesh) + 3 * mus_mesh_get_faces(mesh)[3 * f + k];
}

static void face_normal(const mus_mesh *mesh, int32_t f, double n[3]) {
    const double *a = corner(mesh, f, 0), *b = corner(mesh, f, 1), *c = corner(mesh, f, 2);
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        n[k] = (b[i] - a[i]) * (c[j] - a[j]) - (b[j] - a[j]) * (c[i] - a[i]);
    }
}

static double volume(const mus_mesh *mesh) {
    double sum = 0, n[3];
    for (int32_t f = 0; f < mus_mesh_get_face_count(mesh); f++) {
        const double *a = corner(mesh, f, 0);
        face_normal(mesh, f, n);
        sum += (a[0] * n[0] + a[1] * n[1] + a[2] * n[2]) / 6;
    }
    return sum;
}

static mus_mesh_report expect_mesh(mus_status status, mus_mesh *const *made, bool closed, int32_t loops) {
    mus_mesh_report r;
    if (status != MUS_STATUS_OK) fail_msg("%s", mus_get_error_message());
    const mus_mesh *mesh = *made;
    assert_int_equal(mus_mesh_check(mesh, &r), MUS_STATUS_OK);
    assert_true(r.orientable);
    assert_int_equal(r.closed, closed);
    assert_int_equal(r.boundary_loops, loops);
    assert_int_equal(r.components, 1);
    assert_int_equal(r.unused_vertices, 0);
    return r;
}

/* Every face of a convex solid looks away from its middle. */
static void expect_outward(const mus_mesh *mesh, const double middle[3]) {
    double n[3];
    for (int32_t f = 0; f < mus_mesh_get_face_count(mesh); f++) {
        const double *a = corner(mesh, f, 0);
        face_normal(mesh, f, n);
        assert_true(n[0] * (a[0] - middle[0]) + n[1] * (a[1] - middle[1]) + n[2] * (a[2] - middle[2]) > 0);
    }
}

static const char *const axes[3] = {"x", "y", "z"};

static void cylinders(void **state) {
    (void)state;
    for (int axis = 0; axis < 3; axis++)
        for (int32_t n = 3; n < 40; n += 4) {
            mus_round_def def = {
                mus_round_def_default().cookie, .radius = 0.2, .length = 0.7, .segments = n, .axis = axes[axis],
                .center = {1, -2, 0.5}};
            mus_mesh *mesh;
            expect_mesh(mus_mesh_create_cylinder(&def, &mesh), &mesh, true, 0);
            expect_outward(mesh, def.center);
            expect_near(volume(mesh), 0.5 * n * 0.04 * sin(2 * pi / n) * 0.7, 1e-14); /* a prism of n sides */
            double high[3] = {-INFINITY, -INFINITY, -INFINITY};
            for (int32_t i = 0; i < mus_mesh_get_vertex_count(mesh); i++) {
                double r2 = 0;
                for (int k = 0; k < 3; k++) {
                    double x = mus_mesh_get_vertices(mesh)[3 * i + k] - def.center[k];
                    high[k] = fmax(high[k], x);
                    if (k != axis) r2 += x * x;
                }
                assert_true(sqrt(r2) <= 0.2 * (1 + 1e-15));
            }
            expect_near(high[axis], 0.35, 1e-15);
            mus_mesh_destroy(mesh);
        }
    /* An edge length decides the number around, and with it all others. */
    mus_round_def def = {mus_round_def_default().cookie, .radius = 0.2, .length = 0.7, .segments = 5,
                         .edge_length = 0.05};
    mus_mesh *mesh;
    expect_mesh(mus_mesh_create_tube(&def, &mesh), &mesh, false, 2);
    assert_int_equal(mus_mesh_get_vertex_count(mesh), 25 * 15); /* 2 pi 0.2/0.05 = 25.1, 0.7/0.05 = 14 rows */
    mus_mesh_destroy(mesh);
}

/* Unrolled, the sides of a tube keep their lengths, and its faces their way around. */
static void tubes(void **state) {
    (void)state;
    for (int32_t n = 3; n < 30; n += 3) {
        mus_round_def def = {mus_round_def_default().cookie, .radius = 0.1, .length = 0.4, .segments = n};
        mus_mesh *mesh;
        expect_mesh(mus_mesh_create_tube(&def, &mesh), &mesh, false, 2);
        double area = 0, chord = 0.2 * sin(pi / n);
        for (int32_t f = 0; f < mus_mesh_get_face_count(mesh); f++) {
            const double *uv[3];
            for (int k = 0; k < 3; k++) uv[k] = mus_mesh_get_uvs(mesh) + 2 * mus_mesh_get_uv_faces(mesh)[3 * f + k];
            for (int k = 0; k < 3; k++) {
                const double *a = corner(mesh, f, k), *b = corner(mesh, f, (k + 1) % 3), *u = uv[k],
                             *v = uv[(k + 1) % 3];
                double length =
                    sqrt((b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]) + (b[2] - a[2]) * (b[2] - a[2]));
                expect_near(hypot(v[0] - u[0], v[1] - u[1]), length, 1e-15);
            }
            double twice =
                (uv[1][0] - uv[0][0]) * (uv[2][1] - uv[0][1]) - (uv[1][1] - uv[0][1]) * (uv[2][0] - uv[0][0]);
            assert_true(twice > 0);
            area += twice / 2;
        }
        expect_near(area, n * chord * 0.4, 1e-14);
        mus_mesh_destroy(mesh);
    }
}

static void cones(void **state) {
    (void)state;
    double last = INFINITY;
    for (int32_t n = 12; n < 100; n *= 2) {
        mus_round_def def = {mus_round_def_default().cookie, .radius = 0.3, .length = 0.5, .segments = n,
                             .center = {4, 5, 6}};
        mus_mesh *mesh;
        expect_mesh(mus_mesh_create_cone(&def, true, &mesh), &mesh, true, 0);
        double error = pi * 0.09 * 0.5 / 3 - volume(mesh);
        assert_true(error > 0 && error < 0.4 * last);
        last = error;
        const double *tip = mus_mesh_get_vertices(mesh); /* on the axis, up */
        assert_true(tip[0] == 4 && tip[1] == 5.25 && tip[2] == 6);
        mus_mesh_destroy(mesh);
        expect_mesh(mus_mesh_create_cone(&def, false, &mesh), &mesh, false, 1);
        mus_mesh_destroy(mesh);
        def.other_radius = 0.1;
        expect_mesh(mus_mesh_create_cone(&def, false, &mesh), &mesh, false, 2);
        mus_mesh_destroy(mesh);
        expect_mesh(mus_mesh_create_cone(&def, true, &mesh), &mesh, true, 0);
        expect_near(volume(mesh), pi * 0.5 / 3 * (0.09 + 0.03 + 0.01), 0.07 * 144 / n / n);
        mus_mesh_destroy(mesh);
    }
}

static void tori(void **state) {
    (void)state;
    double last = INFINITY, n[3];
    for (int32_t segments = 16; segments < 200; segments *= 2) {
        mus_round_def def = {mus_round_def_default().cookie, .radius = 0.3, .other_radius = 0.1, .segments = segments,
                             .axis = "z"};
        mus_mesh *mesh;
        mus_mesh_report r = expect_mesh(mus_mesh_create_torus(&def, &mesh), &mesh, true, 0);
        assert_int_equal(mus_mesh_get_vertex_count(mesh) - r.edges + mus_mesh_get_face_count(mesh), 0);
        for (int32_t f = 0; f < mus_mesh_get_face_count(mesh); f++) {
            double c[3] = {0, 0, 0};
            for (int k = 0; k < 3; k++)
                for (int i = 0; i < 3; i++) c[i] += corner(mesh, f, k)[i] / 3;
            double wide = hypot(c[0], c[1]);
            face_normal(mesh, f, n);
            assert_true(n[0] * c[0] * (1 - 0.3 / wide) + n[1] * c[1] * (1 - 0.3 / wide) + n[2] * c[2] > 0);
        }
        double error = 2 * pi * pi * 0.3 * 0.01 - volume(mesh);
        assert_true(error > 0 && error < 0.45 * last);
        last = error;
        mus_mesh_destroy(mesh);
    }
}

/* Plane faces run anticlockwise in their texture plane; returns the least angle, degrees, and the area. */
static double flat_angles(const mus_mesh *mesh, double *area) {
    double least = 180;
    *area = 0;
    assert_memory_equal(mus_mesh_get_uv_faces(mesh), mus_mesh_get_faces(mesh),
                        (size_t)mus_mesh_get_face_count(mesh) * 12);
    for (int32_t f = 0; f < mus_mesh_get_face_count(mesh); f++) {
        const double *p[3];
        for (int k = 0; k < 3; k++) p[k] = mus_mesh_get_uvs(mesh) + 2 * mus_mesh_get_faces(mesh)[3 * f + k];
        double twice = (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[1][1] - p[0][1]) * (p[2][0] - p[0][0]);
        assert_true(twice > 0);
        *area += twice / 2;
        for (int k = 0; k < 3; k++) {
            const double *a = p[k], *b = p[(k + 1) % 3], *c = p[(k + 2) % 3];
            double dot = (b[0] - a[0]) * (c[0] - a[0]) + (b[1] - a[1]) * (c[1] - a[1]);
            least = fmin(least, 180 / pi * atan2(twice, dot));
        }
    }
    return least;
}

static void annuli(void **state) {
    (void)state;
    for (int32_t n = 18; n < 200; n *= 2) {
        mus_round_def def = {mus_round_def_default().cookie,
                             .radius = 0.3,
                             .other_radius = 0.1,
                             .segments = n,
                             .axis = "xy",
                             .center = {1, 2, 3}};
        mus_mesh *mesh;
        double area;
        expect_mesh(mus_mesh_create_annulus(&def, &mesh), &mesh, false, 2);
        assert_true(flat_angles(mesh, &area) > 25);
        expect_near(area, pi * (0.09 - 0.01), 0.17 * 144 / n / n);
        expect_near(mus_mesh_get_area(mesh), area, 1e-12);
        for (int32_t i = 0; i < mus_mesh_get_vertex_count(mesh); i++) {
            const double *x = mus_mesh_get_vertices(mesh) + 3 * i, *uv = mus_mesh_get_uvs(mesh) + 2 * i;
            assert_true(x[0] == 1 + uv[0] && x[1] == 2 + uv[1] && x[2] == 3);
        }
        mus_mesh_destroy(mesh);
    }
}

/* ---- Polygons ------------------------------------------------------------------------------------------------------
 */

static uint64_t random_state = 1;

static double uniform(void) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (double)(random_state >> 11) / 9007199254740992.0;
}

/* A star-shaped outline about (x, y), either way around; returns its area. */
static double make_star(double *points, int32_t count, double x, double y, double least, double most) {
    double twice = 0;
    bool clockwise = uniform() < 0.5;
    for (int32_t i = 0; i < count; i++) {
        double angle = 2 * pi * (i + 0.6 * uniform()) / count, r = least + (most - least) * uniform();
        int32_t at = clockwise ? count - 1 - i : i;
        points[2 * at] = x + r * cos(angle), points[2 * at + 1] = y + r * sin(angle);
    }
    for (int32_t i = 0, k = count - 1; i < count; k = i++)
        twice += (points[2 * k] - x) * (points[2 * i + 1] - y) - (points[2 * k + 1] - y) * (points[2 * i] - x);
    return fabs(twice) / 2;
}

/* No vertex lies in the circle of a face beside it: the opposite angles of an inner edge are at most 180 degrees. */
static void expect_delaunay(const mus_mesh *mesh) {
    int32_t faces = mus_mesh_get_face_count(mesh);
    const int32_t *face = mus_mesh_get_faces(mesh);
    for (int32_t a = 0; a < 3 * faces; a++)
        for (int32_t b = a + 1; b < 3 * faces; b++) {
            int32_t an = a % 3 == 2 ? a - 2 : a + 1, bn = b % 3 == 2 ? b - 2 : b + 1;
            if (face[a] != face[bn] || face[b] != face[an]) continue;
            double sum = 0;
            for (int side = 0; side < 2; side++) {
                int32_t e = side ? b : a, apex = 3 * (e / 3) + (e % 3 + 2) % 3;
                const double *p = mus_mesh_get_uvs(mesh) + 2 * face[apex], *q = mus_mesh_get_uvs(mesh) + 2 * face[a],
                             *r = mus_mesh_get_uvs(mesh) + 2 * face[b];
                double ux = q[0] - p[0], uy = q[1] - p[1], vx = r[0] - p[0], vy = r[1] - p[1];
                sum += fabs(atan2(ux * vy - uy * vx, ux * vx + uy * vy));
            }
            assert_true(sum <= pi + 1e-9);
        }
}

static void polygons(void **state) {
    (void)state;
    for (int round = 0; round < 60; round++) {
        double points[2 * 200];
        int32_t counts[4] = {3 + (int32_t)(20 * uniform()), 0, 0, 0}, n = 1 + round % 4;
        if (n > 1) counts[0] += 9; /* no side then cuts into where the holes are */
        double wanted = make_star(points, counts[0], 0, 0, 0.75, 1);
        double *next = points + 2 * counts[0];
        for (int32_t k = 1; k < n; k++) {
            counts[k] = 3 + (int32_t)(12 * uniform());
            wanted -= make_star(next, counts[k], 0.3 * cos(2.1 * k), 0.3 * sin(2.1 * k), 0.08, 0.2);
            next += 2 * counts[k];
        }
        mus_polygon_def def = {
            mus_polygon_def_default().cookie, points, counts, n, 0.03 + 0.1 * uniform(), "yz", .center = {7, 8, 9}};
        mus_mesh *mesh;
        double area;
        expect_mesh(mus_mesh_create_polygon(&def, &mesh), &mesh, false, n);
        flat_angles(mesh, &area);
        expect_near(area, wanted, 1e-13);
        for (int32_t i = 0; i < (next - points) / 2; i++) { /* the outlines' points are the first vertices */
            assert_true(mus_mesh_get_uvs(mesh)[2 * i] == points[2 * i]);
            assert_true(mus_mesh_get_uvs(mesh)[2 * i + 1] == points[2 * i + 1]);
            assert_true(mus_mesh_get_vertices(mesh)[3 * i] == 7 &&
                        mus_mesh_get_vertices(mesh)[3 * i + 1] == 8 + points[2 * i]);
        }
        if (mus_mesh_get_face_count(mesh) < 800) expect_delaunay(mesh);
        mus_mesh_destroy(mesh);
    }
}

/* Outlines with right and wide angles: triangles that cloth can be made of. */
static void polygon_angles(void **state) {
    (void)state;
    static const double square[] = {0, 0, 1, 0, 1, 1, 0, 1};
    static const double corner_piece[] = {0, 0, 1, 0, 1, 0.4, 0.4, 0.4, 0.4, 1, 0, 1};
    double circle[2 * 48], ring[2 * (48 + 24)];
    for (int i = 0; i < 48; i++) circle[2 * i] = 0.5 * cos(pi * i / 24), circle[2 * i + 1] = 0.5 * sin(pi * i / 24);
    memcpy(ring, circle, sizeof circle);
    for (int i = 0; i < 24; i++) ring[96 + 2 * i] = 0.2 * cos(pi * i / 12), ring[97 + 2 * i] = 0.2 * sin(pi * i / 12);
    const struct {
        const double *points;
        int32_t counts[2], n;
    } outlines[] = {{square, {4}, 1}, {corner_piece, {6}, 1}, {circle, {48}, 1}, {ring, {48, 24}, 2}};
    for (size_t k = 0; k < sizeof outlines / sizeof *outlines; k++)
        for (double e = 0.06; e > 0.012; e *= 0.83) {
            mus_polygon_def def = {mus_polygon_def_default().cookie,
                                   outlines[k].points,
                                   outlines[k].counts,
                                   outlines[k].n,
                                   e,
                                   NULL,
                                   .center = {0, 0, 0}};
            mus_mesh *mesh;
            double area;
            expect_mesh(mus_mesh_create_polygon(&def, &mesh), &mesh, false, outlines[k].n);
            double least = flat_angles(mesh, &area);
            if (!(least > 22)) fail_msg("outline %d at edges of %g m: an angle of %g degrees", (int)k, e, least);
            expect_near(area / mus_mesh_get_face_count(mesh), sqrt(3) / 4 * e * e, 0.25 * e * e);
            mus_mesh_destroy(mesh);
        }
}

/* ---- Refusals ------------------------------------------------------------------------------------------------------
 */

static void refuse_polygon(const double *points, const int32_t *counts, int32_t n, double edge, const char *message) {
    mus_mesh *mesh;
    mus_polygon_def def = {mus_polygon_def_default().cookie, points, counts, n, edge, NULL, .center = {0, 0, 0}};
    assert_int_equal(mus_mesh_create_polygon(&def, &mesh), MUS_STATUS_INVALID);
    assert_null(mesh);
    if (!strstr(mus_get_error_message(), message)) fail_msg("'%s' is not in '%s'", message, mus_get_error_message());
}

static void refusals(void **state) {
    (void)state;
    mus_mesh *mesh;
    mus_round_def good = {mus_round_def_default().cookie, .radius = 0.3, .other_radius = 0.1, .length = 1,
                          .segments = 12},
                  def;
#define REFUSED(call, message)                                                                                         \
    assert_int_equal(call, MUS_STATUS_INVALID);                                                                        \
    assert_string_equal(mus_get_error_message(), message);                                                             \
    assert_null(mesh)
    def = good, def.radius = 0;
    REFUSED(mus_mesh_create_cylinder(&def, &mesh),
            "mesh.cylinder: field 'radius' must be a finite length > 0 m (got 0)");
    def = good, def.length = NAN;
    REFUSED(mus_mesh_create_tube(&def, &mesh),
            "mesh.tube: field 'length' must be a finite length > 0 m (got not a number)");
    def = good, def.segments = 2;
    REFUSED(mus_mesh_create_torus(&def, &mesh), "mesh.torus: field 'segments' must be 3 to 100000 (got 2)");
    def = good, def.axis = "yz";
    REFUSED(mus_mesh_create_torus(&def, &mesh), "mesh.torus: field 'axis' must be 'x', 'y' or 'z' (got 'yz')");
    def = good, def.other_radius = 0.3;
    REFUSED(mus_mesh_create_annulus(&def, &mesh),
            "mesh.annulus: field 'inner_radius' must be > 0 m and less than 'radius', 0.3 m (got 0.3)");
    def = good, def.other_radius = -1;
    REFUSED(mus_mesh_create_cone(&def, true, &mesh),
            "mesh.cone: field 'top_radius' must be a finite length >= 0 m (got -1)");
    def = good, def.edge_length = 1e-300;
    assert_int_equal(mus_mesh_create_cylinder(&def, &mesh), MUS_STATUS_INVALID);
    def = good, def.length = 1e300;
    assert_int_equal(mus_mesh_create_cylinder(&def, &mesh), MUS_STATUS_INVALID);
    def = good, def.segments = 100000, def.length = 10;
    assert_int_equal(mus_mesh_create_cylinder(&def, &mesh), MUS_STATUS_INVALID);
    assert_non_null(strstr(mus_get_error_message(), "at most 715827882 faces"));
#undef REFUSED

    static const int32_t four[] = {4}, three[] = {3}, two[] = {2}, both[] = {4, 3};
    static const double eight[] = {0, 0, 1, 1, 1, 0, 0, 1}, back[] = {0, 0, 2, 0, 1, 0, 0, 1},
                        twice[] = {0, 0, 1, 0, 1, 0, 0, 1}, line[] = {0, 0, 1, 0, 2, 0},
                        touching[] = {0, 0, 2, 0, 1, 0, 1, 1}, bad[] = {0, 0, 1, NAN, 0, 1};
    refuse_polygon(eight, four, 1, 0.1, "mesh.polygon: field 'points': sides 1 and 3 cross or touch");
    refuse_polygon(back, four, 1, 0.1, "mesh.polygon: field 'points': sides 1 and 2 cross or touch");
    refuse_polygon(touching, four, 1, 0.1, "cross or touch");
    refuse_polygon(twice, four, 1, 0.1, "mesh.polygon: field 'points': points 2 and 3 are the same place");
    refuse_polygon(line, three, 1, 0.1, "cross or touch");
    refuse_polygon(line, two, 1, 0.1, "at least 3 points");
    refuse_polygon(bad, three, 1, 0.1, "point 2 must be two finite numbers, m (got {1, not a number})");
    static const double outside[] = {0, 0, 1, 0, 1, 1, 0, 1, 2, 2, 3, 2, 2, 3},
                        across[] = {0, 0, 1, 0, 1, 1, 0, 1, 0.5, 0.5, 3, 0.5, 0.5, 0.6};
    refuse_polygon(outside, both, 2, 0.1, "field 'holes': hole 1 lies outside the outline");
    refuse_polygon(across, both, 2, 0.1, "field 'holes': sides 2 and 1 of hole 1 cross or touch");
    refuse_polygon(line, three, 1, 0, "field 'edge_length' must be a finite length > 0 m (got 0)");
    refuse_polygon(outside, four, 1, 1e-5, "field 'edge_length' must give at most 4000000 faces");
}

static void failing_allocations(void **state) {
    (void)state;
    static const double points[] = {0, 0, 1, 0, 1, 1, 0, 1, 0.3, 0.3, 0.6, 0.3, 0.4, 0.6};
    static const double lines[] = {0, 0, 0.2, 0.5, 0.4, 0.8, 1, 1, 0.7, 0.5};
    static const int32_t counts[] = {4, 3}, line_counts[] = {3, 2};
    for (int which = 0; which < 3; which++)
        for (int64_t fail_at = 1;; fail_at++) {
            assert_true(fail_at < 1000);
            scarce memory = {.fail_at = fail_at};
            mus_set_allocator(scarce_alloc, &memory);
            mus_round_def round = {mus_round_def_default().cookie, .radius = 0.3, .other_radius = 0.1, .length = 1,
                                   .segments = 12};
            mus_polygon_def polygon = {
                mus_polygon_def_default().cookie, points,         counts, 2, 0.2, NULL, .line_points = lines,
                .line_counts = line_counts,       .line_count = 2};
            mus_mesh *mesh;
            mus_status status = which == 0   ? mus_mesh_create_cylinder(&round, &mesh)
                                : which == 1 ? mus_mesh_create_torus(&round, &mesh)
                                             : mus_mesh_create_polygon(&polygon, &mesh);
            bool reached = memory.count >= fail_at;
            if (reached) assert_null(mesh);
            mus_mesh_destroy(mesh);
            mus_set_allocator(NULL, NULL);
            assert_int_equal(memory.blocks, 0);
            assert_int_equal(status, reached ? MUS_STATUS_NO_MEMORY : MUS_STATUS_OK);
            if (!reached) break;
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cylinders),      cmocka_unit_test(tubes),    cmocka_unit_test(cones),
        cmocka_unit_test(tori),           cmocka_unit_test(annuli),   cmocka_unit_test(polygons),
        cmocka_unit_test(polygon_angles), cmocka_unit_test(refusals), cmocka_unit_test(failing_allocations),
    };
    return cmocka_run_group_tests_name("shapes", tests, NULL, NULL);
}
